"""What friction holds and what it does not: blocks on inclines, a wedge under a load, a guide pushed off its axis."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.validation.references.wedge import Guide, Incline, Wedge
from flexmb.validation.registry import Check, case

#: friction is this part below and above the limit
BESIDE = 1e-6
#: the force below which N is rounded [N]; references have no such force
SMALL = 1e-9
METHODS = ("generalized_alpha", "radau", "dop853", "independent")


def incline(data: Incline, static: float | None, smoothing: float) -> fm.PlanarModel:
    """A block on an incline that falls to the right, at rest."""
    model = fm.PlanarModel("incline", gravity=(0.0, -data.weight))
    law = fm.JointFriction(data.sliding, static=static, smoothing=smoothing, length=0.2, small_force=SMALL)
    block = model.add_body("block", mass=2.0, inertia=0.1, angle=-data.angle)
    model.prismatic(model.ground, block.frame, axis=-data.angle, friction=law, name="slope")
    return model


def wedge(data: Wedge, static: float | None, smoothing: float) -> fm.PlanarModel:
    """The wedge on the floor, its face falling to the left, and the load on it in an upright guide."""
    model = fm.PlanarModel("wedge", gravity=(0.0, -data.weight))
    law = fm.JointFriction(data.sliding, static=static, smoothing=smoothing, small_force=SMALL)
    foot = model.add_body("wedge", mass=data.wedge, inertia=0.1)
    load = model.add_body("load", mass=data.load, inertia=0.1)
    model.prismatic(model.ground, foot.frame, name="floor")
    model.prismatic(model.ground, load.frame, axis=0.5 * np.pi, name="guide")
    model.pin_in_slot(foot.frame, load.frame, axis=data.angle, friction=law, name="face")
    return model


def guide(data: Guide, static: float | None, smoothing: float) -> fm.PlanarModel:
    """The slider in its guide, pushed along x beside its axis, at rest."""
    model = fm.PlanarModel("guide")
    law = fm.JointFriction(
        data.sliding, static=static, smoothing=smoothing, length=data.length, small_force=SMALL
    )  # fmt: skip
    slider = model.add_body("slider", mass=data.mass, inertia=0.1)
    model.prismatic(model.ground, slider.frame, friction=law, name="rail")
    model.point_force(slider.frame.attach("handle", (0.0, data.offset)), (data.push, 0.0))
    return model


@case("wedge")
def compute() -> Iterator[Check]:
    """the self-locking limit: a block on an incline, a wedge under a load, a guide that jams"""
    angle, length = 0.3, 0.1
    limit = float(np.tan(angle))
    slope, face, rail = Incline(angle, 0.2), Wedge(angle, 0.2), Guide(0.5 * length / 0.4, 0.3, length=length)
    cases = (
        ("incline", incline, slope, limit, "block", "slope.travel", slope.acceleration),
        ("wedge", wedge, face, limit, "wedge", "face.travel", face.acceleration),
        ("guide", guide, rail, 0.4, "slider", "rail.travel", rail.acceleration),
    )
    for what, build, data, mu, body, coordinate, wanted in cases:
        for method in METHODS:
            held = fm.simulate(build(data, mu * (1.0 + BESIDE), 0.0), 10.0, method, progress=False)
            travel = held.coordinate(coordinate)
            yield Check(
                f"{what}, {method}: way of what holds, by the sticking law, after 10 s [m]",
                float(np.ptp(travel)), 0.0, 1e-12, "it sticks", "rounding",
            )  # fmt: skip
            freed = fm.simulate(build(data, mu * (1.0 - BESIDE), 0.0), 0.1, method, progress=False)
            yield Check(
                f"{what}, {method}: acceleration of what is just not held [m/s²]",
                float(np.hypot(*freed[body].acceleration[-1, :2])), wanted, 1e-6 * wanted, "closed form",
                "coefficients fall from static to sliding",
            )  # fmt: skip
        slips = fm.simulate(build(data, None, 1e-4), 0.1, progress=False)
        yield Check(
            f"{what}, smooth law: acceleration [m/s²]",
            float(np.hypot(*slips[body].acceleration[-1, :2])), wanted, 1e-8 * wanted, "closed form", "tanh is 1",
        )  # fmt: skip
    creep = 1e-4 * float(np.arctanh(0.5))
    slow = fm.simulate(incline(Incline(angle, 2.0 * limit), None, 1e-4), 1.0, progress=False)
    yield Check(
        "incline, smooth law: creep of what holds [m/s]",
        float(np.hypot(*slow["block"].velocity[-1, :2])), creep, 1e-6 * creep, "ε artanh(F/μN)", "N is rounded",
    )  # fmt: skip
