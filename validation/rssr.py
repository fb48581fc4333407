"""A crank and a rocker on hinges askew, coupled by a rod on two balls: driven motion, dead points, forces at rest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.validation.references import rssr as exact
from flexmb.validation.registry import Check, case
from flexmb.validation.shapes import bar

SOURCE = "the loop equation of an RSSR linkage"


def build(driven: str) -> fm.SpatialModel:
    """The linkage, `driven` at its 'crank' or its 'rocker'; a universal joint keeps the rod from spinning."""
    elbow, foot = exact.crank_ball(0.0), exact.FOOT
    top = foot + (0.0, 0.0, exact.ROCKER)
    model = fm.SpatialModel("rssr", gravity=(0.0, 0.0, -exact.GRAVITY))
    crank = model.add_body(
        "crank", mass=1.0, inertia=(0.1, 0.09, 0.1), position=0.5 * elbow, shape=bar(-0.5 * elbow, 0.5 * elbow)
    )
    rod = model.add_body(
        "rod",
        mass=exact.ROD_MASS,
        inertia=(0.01, 0.02, 0.025),
        position=0.5 * (elbow + top),
        shape=bar(0.5 * (elbow - top), 0.5 * (top - elbow)),
    )
    rocker = model.add_body(
        "rocker",
        mass=exact.ROCKER_MASS,
        inertia=(0.02, 0.025, 0.01),
        position=0.5 * (top + foot),
        shape=bar(0.5 * (foot - top), 0.5 * (top - foot)),
    )
    hub, seat = crank.attach("hub", -0.5 * elbow), model.ground.attach("seat", foot)
    heel = rocker.attach("heel", 0.5 * (foot - top))
    model.revolute(model.ground, hub, axis="z", name="crank hinge")
    near, far = rod.attach("near", 0.5 * (elbow - top)), rod.attach("far", 0.5 * (top - elbow))
    across = np.cross((0.0, 0.0, 1.0), top - elbow)
    model.universal(crank.attach("elbow", 0.5 * elbow), near, axis="z", axis_b=across, name="cross")
    model.spherical(far, rocker.attach("top", 0.5 * (top - foot)), name="ball")
    model.revolute(seat, heel, axis="x", name="rocker hinge")
    turning = fm.Polynomial([0.0, 1.0])
    if driven == "crank":
        model.drive_angle(model.ground, hub, turning, axis="z", name="motor")
    else:
        model.drive_angle(seat, heel, turning, axis="x", name="motor")
    return model


@case("rssr", draw=lambda: build("crank"))
def compute() -> Iterator[Check]:
    """a linkage of crank, rod on balls and rocker in space: motion, dead points of the rocker, moments at rest"""
    motion = fm.kinematics(build("crank"), 2.0 * np.pi, steps=36, progress=False)
    angles = motion["rocker"].orientation.as_rotvec()[:, 0]
    off = np.max(np.abs(angles - [exact.rocker_angle(a) for a in motion.t]))
    why = "rounding in Newton's method"
    yield Check("largest error of the rocker's angle over a turn [rad]", off, 0.0, 1e-12, SOURCE, why)
    off = np.max(np.abs(motion["rocker"].angular_velocity[:, 0] - [exact.rate(a) for a in motion.t]))
    yield Check("largest error of its rate [rad/s]", off, 0.0, 1e-12, SOURCE, why)
    sweep = fm.kinematics(build("rocker"), drive="motor", over=(-1.0, 1.0), steps=40, progress=False)
    found = sorted(event.t for event in sweep.events if event.kind == "lock-up")
    for which, known in zip(("least", "largest"), exact.dead_points()):
        got = found[0 if which == "least" else -1] if found else np.nan
        yield Check(f"{which} angle of a driven rocker [rad]", got, known, 1e-9, SOURCE, "search for dt/ds = 0")
    slow = fm.quasi_static(build("crank"), 2.0 * np.pi, steps=36)
    off = np.max(np.abs(slow.reaction("motor")[1][:, 2] - [exact.moment(a) for a in slow.t]))
    yield Check(
        "largest error of the crank's moment at rest [Nm]", off, 0.0, 1e-9, SOURCE, "Newton's tolerance of 1e-10"
    )
