"""A nut that falls on a screw, centered and upright, and eccentric on a tilted screw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.references.screw import Nut
from flexmb.validation.registry import Check, Errors, Record, case

T_END = 2.0
#: options of a method, the largest error of the turn [rad] with them, and its cause
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "radau": ({"tolerance": 1e-10}, 1e-10, "the tolerance"),
    "dop853": ({"tolerance": 1e-11}, 1e-11, "the tolerance"),
    "independent": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-9, "tolerance 1e-10 a step"),
    "projection": ({"tolerance": 1e-11, "absolute_tolerance": 1e-13}, 1e-11, "tolerance 1e-11 a step"),
}


def build(nut: Nut) -> fm.SpatialModel:
    """The nut on its screw, which goes up along z of a tilted frame."""
    model = fm.SpatialModel("screw", gravity=(0.0, 0.0, -nut.weight))
    stand = model.ground.attach("stand", (0.3, -0.2, 0.1), Rotation.from_euler("y", nut.tilt))
    across = Rotation.from_euler("y", nut.tilt).apply([nut.eccentricity, 0.0, 0.0])
    body = model.add_body(
        "nut", mass=nut.mass, inertia=(0.05, 0.05, nut.inertia), position=stand.position + across,
        orientation=Rotation.from_euler("y", nut.tilt), shape=fm.Cylinder(radius=nut.eccentricity + 0.04, length=0.04),
    )  # fmt: skip
    model.screw(stand, body.attach("hole", (-nut.eccentricity, 0.0, 0.0)), nut.pitch, axis="z", name="thread")
    return model


@case("screw", draw=lambda: build(Nut(eccentricity=0.12, tilt=0.7)))
def compute() -> Iterator[Record]:
    """a nut that falls on a screw: acceleration, turn, thrust and energy"""
    plain, tilted = Nut(), Nut(eccentricity=0.12, tilt=0.7)
    start = fm.simulate(build(plain), 1e-3, step=1e-3, progress=False)
    fall = plain.pitch * plain.acceleration(0.0)
    why, closed = "rounding", "Lagrange's equation, closed form"
    yield Check("upright: acceleration [m/s²]", float(start["nut"].acceleration[0, 2]), fall, 1e-13, closed, why)
    force, moment = start.reaction("thread")
    yield Check("upright: thrust [N]", float(force[0, 2]), plain.mass * (fall + plain.weight), 1e-12, closed, why)
    turn = plain.inertia * fall / plain.pitch
    yield Check("upright: moment of the thread [Nm]", float(moment[0, 2]), turn, 1e-13, closed, why)
    wanted, source = tilted.turn(T_END), "Lagrange's equation of the turn, DOP853"
    for name, (options, error, because) in METHODS.items():
        run = fm.simulate(build(tilted), T_END, method=name, progress=False, **options)
        yield Check(f"tilted, {name}: turn [rad]", float(run["thread"].angle[-1]), wanted, error, source, because)
        travel = float(run["thread"].position[-1])
        yield Check(f"tilted, {name}: travel [m]", travel, tilted.pitch * wanted, error * tilted.pitch, source, because)
        lost = run.energy.error
        yield Check(f"tilted, {name}: balance of energy", lost, 0.0, 10.0 * error, "energy is kept", because)
    ends, steps = [], (4e-3, 2e-3, 1e-3)
    for step in steps:
        run = fm.simulate(build(tilted), T_END, step=step, newton_tolerance=1e-13, progress=False)
        ends.append(float(run["thread"].angle[-1]) - wanted)
    yield Errors("tilted, generalized_alpha: turn [rad]", "step [s]", steps, np.abs(ends).tolist(), 2.0)
    order = float(np.log2(ends[1] / ends[2]))
    yield Check("tilted, generalized_alpha: order of the error", order, 2.0, 0.01, "second order", "2 and 1 ms")
