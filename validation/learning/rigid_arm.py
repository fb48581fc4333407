"""A rigid arm of seven joints as an environment for learning: reach joint angles against gravity; `flexmb/RigidArm-v0`.

It is the arm of the comparisons of speed (:mod:`flexmb.validation.performance.arm`), with a motor in each joint.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numba
import numpy as np

import flexmb as fm
from flexmb.validation.performance.arm import arm

#: number of links
COUNT = 7
#: largest torque of a motor [Nm]: the outstretched level arm needs 72 at its root
TORQUE = 80.0
#: time between two commands, duration of an episode and step of the motion [s]
CONTROL_PERIOD, DURATION, STEP = 0.02, 5.0, 1e-3


def build() -> fm.SpatialModel:
    """The arm, upright, with axes along z and along y in turn."""
    m = arm(COUNT)
    for k in range(COUNT):
        hinge: Any = m.components[f"hinge {k}"]
        m.joint_force(hinge, 0.0, name=f"motor {k}")
    return m


def reward(values: np.ndarray, action: np.ndarray, t: float) -> float:
    """Minus the sum of squares of all angles."""
    total = 0.0
    for k in range(COUNT):
        total += values[k] * values[k]
    return -total


@cache
def compiled_reward() -> Any:
    """The reward as compiled code, as a user's own."""
    return numba.njit(reward)


def task(**given: Any) -> fm.environments.Task:
    """The task; `given` are further arguments of :class:`flexmb.environments.Task`, such as what varies."""
    hinges = [f"hinge {k}" for k in range(COUNT)]
    arguments: dict[str, Any] = {
        "commands": {f"motor {k}": (-TORQUE, TORQUE) for k in range(COUNT)},
        "scaled": True,
        "observations": {
            f"{hinge}.{what}": (-most, most) for what, most in (("angle", 10.0), ("rate", 50.0)) for hinge in hinges
        },
        "period": CONTROL_PERIOD,
        "duration": DURATION,
        "reward": compiled_reward(),
        "initial": {f"{hinge}.angle": (-1.0, 1.0) for hinge in hinges},
        "method": "euler",
        "options": {"step": STEP, "formulation": "aba"},
    }
    return fm.environments.Task(model=build(), **{**arguments, **given})
