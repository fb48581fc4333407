"""Gears with backlash, against piecewise exact motions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references.drives.gap_motion import Wheel
from flexmb.validation.registry import Check, case

J, K, C, GAP = 0.1, 100.0, 0.5, 0.02
T_END = 2.0
TIMES = np.linspace(0.0, T_END, 201)
BY = "matrix exponentials between the instants of touch, these by bisection"
#: name, torque [Nm], load at the start [Nm], speed at the start [rad/s], its twist
RUNS: list[tuple[str, float, float, float]] = [
    ("centred, pushed by 1 Nm", 1.0, 0.0, 0.0),
    ("thrown through the gap", 0.0, 0.0, 0.6),
    ("pressed by 2 Nm, which fall to 0.5 Nm", 0.5, 2.0, 0.0),
]


def wheel(dimension: int, torque: float, load: float, speed: float) -> Any:
    """A wheel on a shaft with a gap."""
    model: Any = fm.PlanarModel("shaft") if dimension == 2 else fm.SpatialModel("shaft")
    body = model.add_body("wheel", mass=1.0, inertia=J if dimension == 2 else (J, J, J))
    body.attach("spoke", (0.2, 0.1, 0.0)[:dimension])
    more = {} if dimension == 2 else {"axis": "z"}
    body.move(angular_velocity=speed if dimension == 2 else (0.0, 0.0, speed))
    hinge = model.revolute(model.ground, body.frame, name="hinge", **more)
    model.joint_force(hinge, torque, name="push")
    model.backlash(model.ground, body.frame, stiffness=K, damping=C, gap=GAP, load=load, name="gear", **more)
    return model


@case("backlash", draw=lambda: wheel(2, 1.0, 0.0, 0.0))
def compute() -> Iterator[Check]:
    """a wheel on an elastic shaft with a gap: angle, speed and tooth, from the middle, thrown, pressed at the start"""
    for name, torque, load, speed in RUNS:
        side = 0.5 * GAP * np.sign(load)
        twist = side + load / K
        exact = Wheel(J, torque, K, C, GAP, (twist, speed, side)).at(TIMES)
        for dimension, where in ((2, "plane"), (3, "space")):
            model = wheel(dimension, torque, load, speed)
            run = fm.simulate(model, T_END, "dop853", tolerance=1e-12, times=TIMES, progress=False)
            got = np.column_stack([run["hinge.angle"] + twist, run["hinge.rate"], run["gear.tooth"]])
            for k, what in enumerate(("angle [rad]", "speed [rad/s]", "tooth [rad]")):
                error = float(np.abs(got[:, k] - exact[:, k]).max())
                because = "1e-8 of sizes of 1e-2 and 1; the moment rises over 1e-7 of half the gap"
                yield Check(f"{name}, {where}: largest error of its {what}", error, 0.0, 1e-8, BY, because)
