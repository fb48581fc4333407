"""A differential of bevel wheels on a moving carrier, whose cage swings on a spring."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import flexmb as fm
from flexmb.validation.references.differential import Differential
from flexmb.validation.registry import Check, case
from flexmb.validation.shapes import bar

T_END = 3.0
#: options of a method, the largest error of a turn [rad] with them, and its cause
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "radau": ({"tolerance": 1e-9}, 1e-9, "the tolerance"),
    "dop853": ({"tolerance": 1e-11}, 1e-11, "the tolerance"),
    "projection": ({"tolerance": 1e-11, "absolute_tolerance": 1e-13}, 1e-11, "tolerance 1e-11 a step"),
}
#: mass [kg] of the pinion and its distance [m] from the axis of the cage
MASS, REACH = 0.2, 0.3


def build(given: Differential) -> fm.SpatialModel:
    """Wheels left and right about x, in the cage a pinion about z."""
    model = fm.SpatialModel("differential")
    swing = 0.01  # of the pinion about the diameters
    cage = given.cage - MASS * REACH**2 - swing
    small = REACH / given.ratio  # radius of the pinion, whose axis the wheels reach to
    wheels = [fm.Cylinder(radius=REACH, length=0.1 * small, axis="x", position=(x, 0, 0)) for x in (-small, small)]
    bodies = [
        model.add_body(name, mass=1.0, inertia=(inertia, inertia, inertia), center=(0, 0, 0), shape=shape)
        for name, inertia, shape in zip(
            ("left", "right", "cage"), (given.left, given.right, cage), (*wheels, bar((0, 0, 0), (0, 0, REACH)))
        )
    ]
    for body in bodies:
        model.revolute(model.ground, body.frame, axis="x", count_turns=True, name=f"{body.name} turns")
    left, right, arm = (body.frame for body in bodies)
    place = (0.0, 0.0, REACH)
    turned = (swing, swing, given.pinion)
    round_one = fm.Cylinder(radius=small, length=0.1 * small)
    pinion = model.add_body("pinion", mass=MASS, inertia=turned, position=place, shape=round_one)
    model.revolute(arm.attach("pin", place), pinion.frame, axis="z", name="pin")
    # from their apex the wheels lie along −x and x
    model.gear(left, pinion.frame, -given.ratio, axis=(-1, 0, 0), axis_b="z", carrier=arm)
    model.gear(right, pinion.frame, -given.ratio, axis=(1, 0, 0), axis_b="z", carrier=arm)
    model.torsion_spring(model.ground, arm, axis="x", stiffness=given.stiffness, free_angle=given.wound)
    left.move(angular_velocity=(given.speed, 0.0, 0.0))
    right.move(angular_velocity=(-given.speed, 0.0, 0.0))
    pinion.frame.move(angular_velocity=(0.0, 0.0, given.ratio * given.speed))
    return model


@case("bevel-differential", draw=lambda: build(Differential()))
def compute() -> Iterator[Check]:
    """bevel gears on a moving carrier: the turns of both wheels of a differential on a spring"""
    given = Differential()
    source = "Lagrange's equations, which are linear"
    for name, (options, error, because) in METHODS.items():
        run = fm.simulate(build(given), T_END, method=name, progress=False, **options)
        for wheel, wanted in zip(("left", "right"), given.turns(T_END)):
            turn = float(run[f"{wheel} turns"].angle[-1])
            yield Check(f"{name}: turn of the {wheel} wheel [rad]", turn, float(wanted), error, source, because)
        yield Check(f"{name}: balance of energy", run.energy.error, 0.0, error, "energy is kept", because)
