"""Small motions along a run against the difference of two runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.model.model import Model
from flexmb.validation.registry import Check, Errors, Record, case

#: sizes of the disturbance, and numbers of the times that are compared
SIZES = (2e-3, 5e-4)
TIMES = 26


def planar_arm(push: float = 0.0) -> fm.PlanarModel:
    """Two links that swing in the plane under motors, with a force at the hand."""
    model = fm.PlanarModel("planar arm", gravity=(0.0, -9.81))
    upper = model.add_body("upper", mass=2.0, inertia=0.2, position=(0.5, 0.0))
    fore = model.add_body("fore", mass=1.0, inertia=0.1, position=(1.5, 0.0))
    model.revolute(model.ground, upper.attach("shoulder", (-0.5, 0.0)), name="shoulder")
    model.revolute(upper.attach("elbow", (0.5, 0.0)), fore.attach("elbow", (-0.5, 0.0)), name="elbow")
    model.point_torque(upper.frame, fm.Harmonic(12.0, 3.0, 0.4), name="motor")
    hand = fore.attach("hand", (0.5, 0.0))
    model.point_force(hand, (0.0, 1.0), factor=push, name="push")
    return model


def spatial_arm(push: float = 0.0) -> fm.SpatialModel:
    """A turning upper arm with a fore arm on a ball joint, which tumbles in space."""
    model = fm.SpatialModel("spatial arm", gravity=(0.0, 0.0, -9.81))
    upper = model.add_body("upper", mass=2.0, inertia=(0.1, 0.2, 0.25), position=(0.5, 0.0, 0.0))
    fore = model.add_body("fore", mass=1.0, inertia=(0.05, 0.1, 0.12), position=(1.5, 0.0, 0.0))
    model.revolute(model.ground, upper.attach("shoulder", (-0.5, 0.0, 0.0)), axis="z", name="shoulder")
    model.spherical(upper.attach("elbow", (0.5, 0.0, 0.0)), fore.attach("elbow", (-0.5, 0.0, 0.0)), name="elbow")
    upper.move(angular_velocity=(0.0, 0.0, 1.0))
    hand = fore.attach("hand", (0.5, 0.0, 0.0))
    model.point_force(hand, (0.0, 1.0, 0.0), factor=push, name="push")
    return model


def flexible_beam(push: float = 0.0) -> fm.PlanarModel:
    """A soft beam on a hinge that falls through 100° and bends."""
    model = fm.PlanarModel("flexible beam", gravity=(0.0, -9.81))
    properties = fm.planar.BeamProperties(EA=2e4, EI=4.0, rhoA=0.5)
    damped = fm.StiffnessProportional(2e-3)
    beam = model.add_beam("beam", (0.0, 0.0), (1.0, 0.0), properties=properties, modes=2, damping=damped)
    model.revolute(model.ground, beam.start, name="hinge")
    model.point_force(beam.end, (0.0, 1.0), factor=push, name="push")
    return model


def differences(build: Callable[..., Model], end: float, outputs: list[str]) -> list[dict[str, float]]:
    """For each size of a disturbance of the start and of the push, the largest difference of the response along the run
    from the difference of two runs, as a part of the largest response, by output."""
    how: dict[str, Any] = {"method": "radau", "tolerance": 1e-10, "progress": False}
    nominal = fm.simulate(build(), end, **how)
    run = nominal.at(np.linspace(0.0, end, TIMES))
    along = fm.linearize(run, "push", outputs, along=True)
    x0 = np.random.default_rng(7).normal(size=len(along)) * np.where(
        [s.endswith("rate") for s in along.states], 1.0, 0.3
    )
    small = along.response(np.full((TIMES, 1), 2.0), x0)
    found = []
    for size in SIZES:
        start = along.restore(size * x0)
        moved = build(2.0 * size)
        system = fm.System(moved)
        begin = fm.State(system, 0.0, start.q, start.v, start.a, start.lam)
        other = fm.simulate(moved, end, initial=begin, times=run.t, **how)
        off = {}
        for name in outputs:
            change = (other[name] - run[name]) / size
            off[name] = float(np.max(np.abs(change - small[name])) / np.max(np.abs(small[name])))
        found.append(off)
    return found


CASES = {
    "planar arm": (planar_arm, 1.2, ["fore.hand.x", "fore.hand.vy", "elbow.fx"]),
    "spatial arm": (spatial_arm, 1.0, ["fore.hand.x", "fore.hand.vz", "fore.hand.y"]),
    "flexible beam": (flexible_beam, 0.7, ["beam.end.x", "beam.end.vy", "beam@0.3.bending_moment"]),
}


@case("nominal", draw=spatial_arm)
def compute() -> Iterator[Record]:
    """small motions along a run against the difference of two runs, of second order in the disturbance

    The start of an arm in the plane, of one in space and of a flexible beam is disturbed in all coordinates and speeds,
    and a force pushes besides. What the linear model along the undisturbed run says of the change differs from the
    difference of two runs by a part that falls with the size of the disturbance.
    """
    for name, (build, end, outputs) in CASES.items():
        found = differences(build, end, outputs)
        for output in outputs:
            off = [one[output] for one in found]
            yield Errors(f"{name}, {output}: of the largest response [–]", "size of the disturbance", SIZES, off, 1.0)
            what = f"{name}, {output}: ratio of differences at four times the size"
            yield Check(what, off[0] / off[1], 4.0, 0.1, "second order", "terms of third order")
