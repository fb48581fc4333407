"""Environments for learning: what they conserve over long episodes, and what a reset restores."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.validation.learning import rigid_arm
from flexmb.validation.learning.arm_of_links import energy
from flexmb.validation.performance.arm import GRAVITY, INERTIA, LENGTH, MASS, axis
from flexmb.validation.registry import Check, Record, case

#: members, periods of 20 steps, and threads
MEMBERS, PERIODS, THREADS = 5, 500, 2
#: largest torque of the trajectories that a reset repeats, as a part of the motors'
PART = 0.1


def total(seen: np.ndarray) -> np.ndarray:
    """The energy of each member by its angles and rates."""
    axes = "".join(axis(k) for k in range(rigid_arm.COUNT))
    numbers = LENGTH, MASS, INERTIA, -GRAVITY[2]
    return np.array([energy(row[: rigid_arm.COUNT], row[rigid_arm.COUNT :], axes, *numbers) for row in seen])


def long_fall() -> tuple[np.ndarray, np.ndarray]:
    """The energies of all members at the start and after all periods, of arms that fall without torques."""
    hinges = [f"hinge {k}" for k in range(rigid_arm.COUNT)]
    observed = [f"{hinge}.{what}" for what in ("angle", "rate") for hinge in hinges]
    task = rigid_arm.task(
        observations=observed, duration=PERIODS * rigid_arm.CONTROL_PERIOD, method="rkf45",
        options={"step": rigid_arm.STEP, "formulation": "aba"},
    )  # fmt: skip
    envs = fm.environments.VectorEnv(task, MEMBERS, threads=THREADS)
    start, _ = envs.reset(seed=0)
    seen, still = start, np.zeros((MEMBERS, rigid_arm.COUNT))
    for _ in range(PERIODS - 1):
        seen, *_ = envs.step(still)
    return total(start), total(seen)


def repeated(mode: str) -> float:
    """The largest difference of all that is observed and rewarded in two courses of episodes with the same seeds, one
    after the other in the same environment."""
    envs = fm.environments.VectorEnv(rigid_arm.task(duration=0.5), MEMBERS, threads=THREADS, autoreset_mode=mode)
    rng = np.random.default_rng(1)
    actions = PART * rng.uniform(-1.0, 1.0, (60, MEMBERS, rigid_arm.COUNT))
    courses = []
    for _ in range(2):
        rows = [envs.reset(seed=7)[0].ravel()]
        for action in actions:
            seen, rewards, *_ = envs.step(action)
            rows += [seen.ravel(), rewards]
        courses.append(np.concatenate(rows))
    return float(np.max(np.abs(courses[0] - courses[1])))


@case("vector-env", draw=rigid_arm.build)
def compute() -> Iterator[Record]:
    """environments of an arm of seven joints: energy over 10 000 steps, and episodes that are repeated to the bit

    Five arms fall from rest for ten seconds without torques, in two threads. Their energy is computed from the observed
    angles and rates, by the kinematics of the links alone. Episodes that begin with the same seeds have the same bits,
    whichever episodes the members had before."""
    source = "kinematics of the links, validation/learning/arm_of_links.py"
    start, end = long_fall()
    off = float(np.max(np.abs(end - start) / np.abs(start)))
    yield Check("largest change of energy over 10 000 steps of rkf45, as a part of it", off, 0.0, 1e-8, source,
                "errors of steps of fifth order")  # fmt: skip
    for mode in ("NextStep", "SameStep"):
        yield Check(f"episodes with the same seeds, {mode}: largest difference", repeated(mode), 0.0, 0.0,
                    "the same computation", "the same bits")  # fmt: skip
