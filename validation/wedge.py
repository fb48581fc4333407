"""What friction holds and what it does not: blocks on inclines, a wedge under a load, a guide pushed off its axis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references.wedge import Guide, Incline, Wedge
from flexmb.validation.registry import Check, case

#: friction is this part below and above the limit
BESIDE = 1e-6
#: the force below which N is rounded [N]; references have no such force
SMALL = 1e-9
METHODS = ("generalized_alpha", "radau", "dop853", "independent")


def incline(data: Incline, smoothing: float) -> fm.PlanarModel:
    """A block on an incline that falls to the right, at rest."""
    model = fm.PlanarModel("incline", gravity=(0.0, -data.weight))
    law = fm.JointFriction(data.sliding, smoothing=smoothing, length=0.2, small_force=SMALL)
    block = model.add_body("block", mass=2.0, inertia=0.1, angle=-data.angle)
    model.prismatic(model.ground, block.frame, axis=-data.angle, friction=law, name="slope")
    return model


def wedge(data: Wedge, smoothing: float) -> fm.PlanarModel:
    """The wedge on the floor, its face falling to the left, and the load on it in an upright guide."""
    model = fm.PlanarModel("wedge", gravity=(0.0, -data.weight))
    law = fm.JointFriction(data.sliding, smoothing=smoothing, small_force=SMALL)
    foot = model.add_body("wedge", mass=data.wedge, inertia=0.1)
    load = model.add_body("load", mass=data.load, inertia=0.1)
    model.prismatic(model.ground, foot.frame, name="floor")
    model.prismatic(model.ground, load.frame, axis=0.5 * np.pi, name="guide")
    model.pin_in_slot(foot.frame, load.frame, axis=data.angle, friction=law, name="face")
    return model


def guide(data: Guide, smoothing: float) -> fm.PlanarModel:
    """The slider in its guide, pushed along x beside its axis, at rest."""
    model = fm.PlanarModel("guide")
    law = fm.JointFriction(
        data.sliding, smoothing=smoothing, length=data.length, small_force=SMALL
    )  # fmt: skip
    slider = model.add_body("slider", mass=data.mass, inertia=0.1)
    model.prismatic(model.ground, slider.frame, friction=law, name="rail")
    model.point_force(slider.frame.attach("handle", (0.0, data.offset)), (data.push, 0.0))
    return model


@case("wedge", draw=lambda: guide(Guide(0.125, 0.3), 0.0))
def compute() -> Iterator[Check]:
    """the self-locking limit: a block on an incline, a wedge under a load, a guide that jams"""
    angle, length = 0.3, 0.1
    limit = float(np.tan(angle))
    slope, face, rail = Incline(angle, 0.2), Wedge(angle, 0.2), Guide(0.5 * length / 0.4, 0.3, length=length)
    cases: tuple[Any, ...] = (
        ("incline", incline, slope, limit, "block", "slope.travel", slope.acceleration),
        ("wedge", wedge, face, limit, "wedge", "face.travel", face.acceleration),
        ("guide", guide, rail, 0.4, "slider", "rail.travel", rail.acceleration),
    )
    for what, build, data, mu, body, coordinate, wanted in cases:
        for method in METHODS:
            held = fm.simulate(build(replace(data, sliding=mu * (1.0 + BESIDE)), 0.0), 10.0, method, progress=False)
            travel = held.coordinate(coordinate)
            yield Check(
                f"{what}, {method}: way of what is just held, after 10 s [m]",
                float(np.ptp(travel)), 0.0, 1e-12, "it sticks", "rounding",
            )  # fmt: skip
            beside = replace(data, sliding=mu * (1.0 - BESIDE))
            freed = fm.simulate(build(beside, 0.0), 1.0, method, progress=False)
            yield Check(
                f"{what}, {method}: acceleration of what is just not held [m/s²]",
                float(np.hypot(*freed[body].acceleration[-1])), beside.acceleration, 1e-3 * beside.acceleration,
                "closed form", "rounding of N, a millionth of which drives it",
            )  # fmt: skip
        for law, smoothing in (("sticking", 0.0), ("smooth", 1e-4)):
            slips = fm.simulate(build(data, smoothing), 0.1, progress=False)
            yield Check(
                f"{what}, {law} law: acceleration [m/s²]",
                float(np.hypot(*slips[body].acceleration[-1])), wanted, 1e-8 * wanted, "closed form", "N is rounded",
            )  # fmt: skip
    creep = 1e-4 * float(np.arctanh(0.5))
    slow = fm.simulate(incline(Incline(angle, 2.0 * limit), 1e-4), 1.0, "radau", tolerance=1e-10, progress=False)
    yield Check(
        "incline, smooth law: creep of what holds [m/s]",
        float(np.hypot(*slow["block"].velocity[-1])), creep, 1e-6 * creep, "ε artanh(F/μN)", "N is rounded",
    )  # fmt: skip
