"""The arm as an environment for learning: bring its tip to a point, without vibration; `flexmb/TwoLinkArm-v0`.

Every 20 ms both motors get a torque, given as a part of the largest one. Observed are the angles and rates of both
joints, the curvatures at the roots of both links, as strain gauges measure them, and the goal. The elbow is bent at the
start, where both joint angles count as zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmb as fm
from flexmb.examples.two_link_arm.arm import LENGTHS, TIP_MASS, build

#: angle of the elbow at the start [rad], and where the goal may be [m]: a box within the reach of the arm
BEND, GOALS = 0.8, {"goal.x": (0.45, 0.75), "goal.y": (0.1, 0.35)}
#: largest torques of the motors [Nm]: half a radian in half a second
TORQUES = (0.3, 0.1)
#: time between two commands, and duration of an episode [s]
CONTROL_PERIOD, DURATION = 0.02, 2.0
#: step of the motion [s] and tolerance of Newton's method: at the end of an episode under joint control the tip is
#: 0.015 mm from where steps of 0.5 ms bring it
STEP, NEWTON = 4e-3, 1e-5
#: what a speed of the tip costs, against its distance from the goal [s]
SPEED_COSTS = 0.1


def reward(now: fm.environments.Moment) -> np.ndarray:
    """Minus the distance of the tip from the goal [m], and minus a tenth of its speed [m/s]."""
    distance = np.hypot(now["tip.x"] - now["goal.x"], now["tip.y"] - now["goal.y"])
    return np.asarray(-distance - SPEED_COSTS * now["tip.speed"])


def task(tip_mass: float = TIP_MASS, **given: Any) -> fm.environments.Task:
    """The task; `given` are further arguments of :class:`flexmb.environments.Task`, such as what varies."""
    model = build(elbow_angle=BEND, tip_mass=tip_mass).model
    arguments: dict[str, Any] = {
        "commands": {name: (-most, most) for name, most in zip(("shoulder motor", "elbow motor"), TORQUES)},
        "scaled": True,
        "observations": {
            "shoulder.angle": (-np.pi, np.pi), "elbow hinge.angle": (-np.pi, np.pi),
            "shoulder.rate": (-20.0, 20.0), "elbow hinge.rate": (-20.0, 20.0),
            "link1@0.curvature": (-2.0, 2.0), "link2@0.curvature": (-2.0, 2.0),
        },
        "targets": GOALS,
        "measured": ["tip.x", "tip.y", "tip.speed"],
        "period": CONTROL_PERIOD,
        "duration": DURATION,
        "reward": reward,
        "method": "generalized_alpha",
        "options": {"step": STEP, "newton_tolerance": NEWTON},
        "marks": ["goal.x", "goal.y"],
    }  # fmt: skip
    return fm.environments.Task(model=model, **{**arguments, **given})


def joint_angles(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The angles of shoulder and elbow, counted from the start [rad], with which rigid links reach a point."""
    a, b = LENGTHS
    elbow = np.arccos(np.clip((x * x + y * y - a * a - b * b) / (2.0 * a * b), -1.0, 1.0))
    shoulder = np.arctan2(y, x) - np.arctan2(b * np.sin(elbow), a + b * np.cos(elbow))
    return shoulder, elbow - BEND
