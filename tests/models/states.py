"""Mechanisms with states of first order of a user's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.model.components import Component
from tests.models.pairs_in_space import LEAN, WAVE, pair


def lag(gain: float = 1.0, delay: float = 0.1) -> fm.LinearModel:
    """A lag of first order."""
    return fm.control.transfer_function([gain], [delay, 1.0])


def rates(t: float, y: Any, x: Any) -> Any:
    return (y[0] * x[1] - x[0], np.sin(y[1]) - 0.5 * x[1] * y[0])


def commands(t: float, y: Any, x: Any) -> Any:
    return (x[0] * y[1] - 2.0 * x[1],)


def sensors_in_space(m: fm.SpatialModel, a: Any, b: Any) -> dict[str, fm.control.Sensor]:
    """One of each kind that can be read at every instant."""
    hinge = m.cylindrical(a, b, axis=(0.3, 0.2, 1.0), count_turns=True, name="hinge")
    cross = m.universal(a, b, axis=(0.3, 0.2, 1.0), axis_b=(1.0, 0.0, -0.3), name="cross") if False else None
    assert cross is None
    reference = fm.rotation_vector((0.1, 0.2, -0.1))
    return {
        "Gyro": fm.control.Gyro(b, (1, 2, 3)),
        "Speedometer": fm.control.Speedometer(b, (1, -2, 3)),
        "RangeFinder": fm.control.RangeFinder(a, b),
        "RangeRate": fm.control.RangeRate(a, b),
        "JointAngle": fm.control.JointAngle(hinge),
        "JointRate": fm.control.JointRate(hinge),
        "JointPosition": fm.control.JointPosition(hinge),
        "JointSpeed": fm.control.JointSpeed(hinge),
        "AttitudeError": fm.control.AttitudeError(b, (1, 1, 0), reference=reference, against=a),
        "AttitudeRate": fm.control.AttitudeRate(b, "y", reference=(0.0, WAVE, 0.1)),
        "StarTracker": fm.control.StarTracker(b, number=2),
        "Reference": fm.control.Reference(WAVE),
    }


def in_space(kind: str) -> Component:
    m, a, b = pair()
    torque = m.point_torque(b, (1.0, 0.3, -0.2), factor=WAVE, name="torque")
    if kind == "functions":
        read = [fm.control.Gyro(b, "y"), fm.control.RangeFinder(a, b)]
        return m.add_states("states", rates, sensors=read, commands=torque, outputs=commands, start=(0.1, 0.2))
    if kind == "lag":
        return m.add_states("states", lag(), sensors=[], commands=torque, input=WAVE)
    sensor = sensors_in_space(m, a, b)[kind]
    law = fm.control.transfer_function([0.3, 1.0, 2.0], [0.1, 0.5, 1.0])
    return m.add_states("states", law, sensors=sensor, commands=torque)


SPACE_KINDS = (
    "functions", "lag", "Gyro", "Speedometer", "RangeFinder", "RangeRate", "JointAngle", "JointRate", "JointPosition",
    "JointSpeed", "AttitudeError", "AttitudeRate", "StarTracker", "Reference",
)  # fmt: skip


def states_in_space() -> dict[str, Callable[[], Component]]:
    """Components with states, by what they read."""
    return {f"States: {kind}": lambda kind=kind: in_space(kind) for kind in SPACE_KINDS}


assert LEAN is not None
