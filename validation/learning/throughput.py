"""Environments for learning: control periods of 20 ms a second and thread, beside MuJoCo's rollouts and environments.

Processor times of a thread, the least of many; the programs are tried in turn, so that whatever else the machine does
disturbs all of them alike. The rigid arm has seven joints and steps of 1 ms of the semi-implicit Euler method in both
programs. A rollout computes neither observations nor rewards; gymnasium's vector of single environments over MuJoCo
copies angles and rates, and rewards the same.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.examples.two_link_arm import environment as flexible_arm
from flexmb.validation.learning import rigid_arm
from flexmb.validation.performance.peer_articulated import available, mujoco_model

#: members of environments, how often each program is tried, and the steps of a period
MEMBERS, REPEATS, STEPS = 64, 40, 20
#: torques that keep the arms near their start, as a part of the largest
PART = 0.05


def environment(task: fm.environments.Task) -> Callable[[], object]:
    """A period of all members, under torques drawn at random."""
    envs = fm.environments.VectorEnv(task, MEMBERS)
    envs.reset(seed=0)
    rng, shape = np.random.default_rng(0), envs.action_space.shape
    return lambda: envs.step(PART * rng.uniform(-1.0, 1.0, shape))


def rollout() -> Callable[[], object]:
    """A period of as many arms by MuJoCo's rollout, in one thread."""
    mujoco: Any = importlib.import_module("mujoco")
    of: Any = importlib.import_module("mujoco.rollout")
    model, rng = mujoco_model(7, motors=True), np.random.default_rng(0)
    model.opt.timestep = rigid_arm.STEP
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    states = np.zeros((MEMBERS, mujoco.mj_stateSize(model, kind)))
    states[:, 1:8] = rng.uniform(-1.0, 1.0, (MEMBERS, 7))
    data = [mujoco.MjData(model)]

    def period() -> None:
        torques = PART * rigid_arm.TORQUE * rng.uniform(-1.0, 1.0, (MEMBERS, 1, 7))
        found, _ = of.rollout(model, data, states, np.repeat(torques, STEPS, 1), nstep=STEPS)
        states[:] = found[:, -1]

    return period


def sync_vector() -> Callable[[], object]:
    """A period of as many arms by gymnasium's vector of single environments over MuJoCo."""
    mujoco: Any = importlib.import_module("mujoco")
    gymnasium: Any = importlib.import_module("gymnasium")
    model = mujoco_model(7, motors=True)
    model.opt.timestep = rigid_arm.STEP

    class Arm(gymnasium.Env):  # type: ignore[misc]
        def __init__(self) -> None:
            self.data = mujoco.MjData(model)
            self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (7,), np.float64)
            self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (14,), np.float64)

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            super().reset(seed=seed)
            mujoco.mj_resetData(model, self.data)
            self.data.qpos[:] = self.np_random.uniform(-1.0, 1.0, 7)
            return self.seen(), {}

        def seen(self) -> np.ndarray:
            return np.concatenate([self.data.qpos, self.data.qvel])

        def step(self, action: Any) -> Any:
            self.data.ctrl[:] = rigid_arm.TORQUE * action
            mujoco.mj_step(model, self.data, nstep=STEPS)
            seen = self.seen()
            return seen, -float(seen[:7] @ seen[:7]), False, False, {}

    envs, rng = gymnasium.vector.SyncVectorEnv([Arm] * MEMBERS), np.random.default_rng(0)
    envs.reset(seed=0)
    return lambda: envs.step(PART * rng.uniform(-1.0, 1.0, (MEMBERS, 7)))


def periods_a_second(programs: dict[str, Callable[[], object]], repeats: int = REPEATS) -> dict[str, float]:
    """Number of periods of a member that each program makes in a second of a thread."""
    least = dict.fromkeys(programs, float("inf"))
    for _ in range(repeats):
        for name, period in programs.items():
            begun = time.thread_time()
            period()
            least[name] = min(least[name], time.thread_time() - begun)
    return {name: MEMBERS / seconds for name, seconds in least.items()}


def main() -> None:
    """Print how many periods a second and thread each program makes."""
    programs = {
        "rigid arm of seven joints, Euler 1 ms": environment(rigid_arm.task()),
        "flexible arm, generalized-α 4 ms": environment(flexible_arm.task()),
        "flexible arm, generalized-α 1 ms": environment(flexible_arm.task(options={"step": 1e-3})),
    }
    if available("mujoco"):
        programs |= {"MuJoCo's rollout of the rigid arm": rollout(), "MuJoCo in a SyncVectorEnv": sync_vector()}
    for name, count in periods_a_second(programs).items():
        print(f"{name:42s}{count:10.0f} periods of 20 ms a second and thread")


if __name__ == "__main__":
    main()
