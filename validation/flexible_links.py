"""Beams, rotors and wheels as links of a tree: runs in joint coordinates by every formulation against absolute
coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.examples.spin_up import build as plane_blade
from flexmb.examples.spin_up import deflection
from flexmb.validation import spin_up_space
from flexmb.validation.random_mechanisms.trees_with_beams import planar_places, spatial_places
from flexmb.validation.references import spin_up
from flexmb.validation.references import spin_up_space as blade
from flexmb.validation.registry import Check, case

#: the formulations, and those of them that close loops
FORMULATIONS, CLOSING = ("aba", "lagrange", "ada", "dca", "hybrid"), ("ada", "dca", "hybrid")
RUBBER = fm.Material(density=1100.0, youngs_modulus=5e6)
PRECISELY: dict[str, Any] = {"method": "dop853", "tolerance": 1e-9, "progress": False}


def double_pendulum() -> fm.PlanarModel:
    """Two beams on hinges, let go level, with a weight on a spring at the end of the second."""
    model = fm.PlanarModel("flexible double pendulum", gravity=(0.0, -9.81))
    section = fm.Rectangle(width=0.03, height=0.04)
    upper = model.add_beam("upper", (0.0, 0.0), (0.5, 0.0), material=RUBBER, section=section, elements=2, axial_modes=1)
    lower = model.add_beam("lower", (0.5, 0.0), (0.9, 0.0), material=RUBBER, section=section, modes=1)
    weight = model.add_body("weight", mass=0.05, inertia=1e-4, position=(0.95, 0.0))
    model.revolute(model.ground, upper.start, name="shoulder")
    model.revolute(upper.end, lower.start, name="elbow")
    model.prismatic(lower.end, weight.frame, axis=0.0, name="rail")
    model.spring_damper(lower.end, weight.frame, stiffness=200.0, damping=0.5, free_length=0.05, name="spring")
    return model


def turning_arm() -> fm.SpatialModel:
    """A hub that turns freely, with a reaction wheel and a beam; a second beam on a universal joint at its end."""
    model = fm.SpatialModel("turning arm", gravity=(0.0, 0.0, -9.81))
    section = fm.Rectangle(width=0.03, height=0.04)
    hub = model.add_body("hub", mass=1.0, inertia=(0.01, 0.01, 0.02))
    model.revolute(model.ground, hub.frame, axis="z", name="bearing")
    model.add_wheel("wheel", hub.frame, inertia=0.002, axis="z", torque=0.05, speed=100.0)
    model.add_wheel("gyro", hub.frame, inertia=0.001, axis="x", speed=200.0)
    upper = model.add_beam("upper", hub.frame, (0.5, 0.0, 0.0), material=RUBBER, section=section, modes=(1, 2))
    lower = model.add_beam("lower", (0.5, 0.0, 0.0), (0.8, 0.1, 0.0), material=RUBBER, section=section, modes=1)
    model.universal(upper.end, lower.start, axis="y", axis_b="z", name="cross")
    hub.move(angular_velocity=(0.0, 0.0, 2.0))
    return model


def four_bar() -> fm.PlanarModel:
    """A crank and a rocker with a beam between them, let go: the last hinge closes a loop."""
    model = fm.PlanarModel("four-bar with a beam", gravity=(0.0, -9.81))
    crank = model.add_body("crank", mass=0.5, inertia=0.01, position=(0.0, 0.15), angle=0.5 * np.pi)
    rocker = model.add_body("rocker", mass=0.5, inertia=0.02, position=(0.6, 0.15), angle=0.5 * np.pi)
    section = fm.Rectangle(width=0.03, height=0.04)
    rod = model.add_beam("rod", (0.0, 0.3), (0.6, 0.4), material=RUBBER, section=section)
    model.revolute(model.ground, crank.attach("crank.low", (-0.15, 0.0)), name="A")
    model.revolute(crank.attach("crank.high", (0.15, 0.0)), rod.start, name="B")
    model.revolute(rod.end, rocker.attach("rocker.high", (0.25, 0.0)), name="C")
    model.revolute(model.ground.attach("foot", (0.6, -0.1)), rocker.attach("rocker.low", (-0.25, 0.0)), name="D")
    return model


def _runs(
    make: Callable[[], Any], t_end: float, frames: tuple[str, ...], formulations: tuple[str, ...]
) -> Iterator[Check]:
    """Places of frames and energy of runs by formulations."""
    times = np.linspace(0.0, t_end, 11)
    absolute = fm.simulate(make(), t_end, times=times, **PRECISELY)
    size = max(float(np.ptp(absolute[frame].position)) for frame in frames)
    for formulation in formulations:
        run = fm.simulate(make(), t_end, times=times, formulation=formulation, **PRECISELY)
        label, why = f"{make().name}, {formulation!r}", "a hundred times the tolerance"
        off = max(float(np.abs(run[frame].position - absolute[frame].position).max()) for frame in frames)
        yield Check(f"{label}: off by [m]", off, 0.0, 1e-7 * size, "the same in absolute coordinates", why)


@case("flexible-links", draw=turning_arm)
def compute() -> Iterator[Check]:
    """beams, rotors and wheels in joint coordinates by every formulation: pendulums, joints within beams, blades"""
    yield from _runs(double_pendulum, 0.5, ("lower.end", "weight"), FORMULATIONS)
    yield from _runs(turning_arm, 0.2, ("upper.end", "lower.end"), FORMULATIONS)
    yield from _runs(four_bar, 0.3, ("rod.start", "rocker"), CLOSING)
    yield from _runs(planar_places, 0.2, ("slide", "tip"), FORMULATIONS)
    yield from _runs(lambda: spatial_places(np.random.default_rng(0)), 0.2, ("arm", "tip"), FORMULATIONS)
    row = next(r for r in spin_up.CMS_ROWS if (r.axial, r.elements, r.modes) == ("second_order", 1, 2))
    for formulation in ("aba", "ada"):
        run = fm.simulate(plane_blade(elements=1, modes=2), 9.0, formulation=formulation, **PRECISELY)
        w, when = spin_up.largest(run.t, deflection(run))
        apart, why = "the same element by other coordinates", "last digit of the reference"
        yield Check(f"blade in the plane, {formulation!r}: deflection [m]", w, row.deflection, 1e-6, apart, why)
        yield Check(f"blade in the plane, {formulation!r}: when [s]", when, row.time, 1e-4, apart, why)
    run = fm.simulate(spin_up_space.build(modes=2, torsion_modes=0), 1.5, formulation="aba", **PRECISELY)
    flap, exact = float(spin_up_space.deflection(run)[:, 1].min()), blade.EXACT.flap
    apart, why = "exact rod by polynomials", "0.1 %: left by one element"
    yield Check("blade in space, 'aba': deepest flap [m]", flap, exact, 1e-3 * abs(exact), apart, why)
