"""Mechanisms moved by the equations of papers: every classical formulation that takes them, against compiled runs.

One evaluation of a paper's equations takes milliseconds, and a run some hundred to some thousand of them. The
mechanisms are metres long and slow, so that seconds of motion need few steps. All runs are at the relative tolerance
1e-9 of SciPy's DOP853; what they are compared with is the compiled run of absolute coordinates at 1e-11, which knows
nothing of trees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.formulations.papers import NAMES
from flexmb.solvers.methods.scipy_methods.methods import PART
from flexmb.validation.formulations.kinds import KINDS
from flexmb.validation.formulations.pairs import ROUGH
from flexmb.validation.registry import Check, case

#: the option with which SciPy's relative tolerance is 1e-9
TOLERANCE = 1e-9 / PART
SOURCE, BECAUSE = "compiled, absolute coordinates, 1e-11", "the tolerance of a step, 1e-9"


def swinging(rod: bool = False) -> fm.SpatialModel:
    """Two long bodies on a universal joint and a hinge with a spring; `rod`: another one closes a loop."""
    m = fm.SpatialModel("swing", gravity=(0, 0, -9.81))
    a = m.add_body("a", mass=2.0, inertia=(40.0, 40.0, 5.0), position=(0, 0, -5))
    b = m.add_body("b", mass=1.0, inertia=(5.0, 20.0, 20.0), position=(4, 0, -10))
    m.universal(m.ground, a.frame.attach("top", (0, 0, 5)), axis="x", axis_b="y", name="u")
    m.revolute(a.frame.attach("low", (0, 0, -5)), b.frame.attach("in", (-4, 0, 0)), axis="y", name="h")
    m.torsion_spring(a.frame, b.frame, axis="y", stiffness=30.0)
    m.point_torque(a.frame, (60.0, 0.0, 20.0))
    if rod:
        anchor = m.ground.attach("anchor", (8, 3, 0))
        c = m.add_body("c", mass=0.5, inertia=(5.0, 5.0, 0.5), position=(8, 1.5, -5))
        m.spherical(anchor, c.attach("up", (0, 1.5, 5)), name="s")
        m.spherical(c.attach("down", (0, -1.5, -5)), b.frame.attach("out", (4, 0, 0)), name="loop")
    return m


def bending() -> fm.SpatialModel:
    """A hub that a torque turns, with the middle of a soft rod hinged to it, which bends in two modes."""
    soft, tube = fm.Material(2700, 3e7, 0.3), fm.Tube(outer_diameter=0.2, inner_diameter=0.18)
    side = fm.bodies.Member(("p", "q"), soft, tube)
    rod = fm.bodies.from_frame({"p": (0, 0, 0), "q": (5, 0, 0)}, [side], interfaces={"p": "p", "q": "q"}, modes=2)
    m = fm.SpatialModel("hub and rod")
    hub = m.add_body("hub", mass=20.0, inertia=(50.0, 50.0, 50.0))
    body = m.add_modal_body("rod", rod, position=(-1.5, 0, 0))
    m.revolute(hub.frame.attach("side", (1, 0, 0)), body.frame, axis="z", name="h")
    m.torsion_spring(hub.frame, body.frame, axis="z", stiffness=50.0)
    m.point_torque(hub.frame, (2.0, 5.0, 30.0))
    return m


def floating() -> fm.SpatialModel:
    """Three bodies that float, with a hinge, a slider and a spring."""
    m = fm.SpatialModel("floating")
    a = m.add_body("a", mass=1.0, inertia=(0.1, 0.2, 0.15))
    b = m.add_body("b", mass=0.7, inertia=(0.05, 0.06, 0.02), position=(0.8, 0, 0))
    c = m.add_body("c", mass=0.4, inertia=(0.03, 0.02, 0.02), position=(0, 0.6, 0))
    m.revolute(a.frame.attach("right", (0.4, 0, 0)), b.frame.attach("left", (-0.4, 0, 0)), axis=(0, 1, 1), name="h")
    m.prismatic(a.frame.attach("back", (0, 0.3, 0)), c.frame.attach("front", (0, -0.3, 0)), axis=(1, 0, 0), name="s")
    m.torsion_spring(a.frame, b.frame, axis=(0, 1, 1), stiffness=4.0)
    a.move((0.3, -0.2, 0.5), (0.2, 0.5, -1.0))
    return m


def moved(build: Callable[[], Any], t_end: float, what: str, but: Sequence[str] = ()) -> Iterator[Check]:
    """A check for each classical formulation that takes a mechanism, but some: how far its run ends from the compiled
    one, in lengths of the model and radians."""
    exact = fm.simulate(build(), t_end, "dop853", tolerance=1e-11, progress=False)
    scale = np.max(np.abs(exact.q), initial=1.0)
    for name in fm.formulations_of(build()).taken:
        if name in NAMES and name not in but:
            run = fm.simulate(build(), t_end, formulation=name, tolerance=TOLERANCE, progress=False)
            off = float(np.max(np.abs(run.q[-1] - exact.q[-1])) / scale)
            yield Check(f"{what}, {name}: coordinates after {t_end:g} s, relative", off, 0.0, 1e-8, SOURCE, BECAUSE)


@case("classical-in-motion", draw=swinging)
def compute() -> Iterator[Check]:
    """a swing, a loop, a hub with a bending rod, and a hull with a panel in orbit, moved by every classical formulation
    that takes them, against compiled runs"""
    yield from moved(swinging, 5.0, "swing")
    yield from moved(lambda: swinging(rod=True), 2.0, "loop")
    yield from moved(bending, 0.5, "hub and rod")
    yield from moved(KINDS["flexible in orbit"], 0.5, "hull and panel in orbit", ROUGH)


@case("momentum-in-motion", draw=floating)
def momenta() -> Iterator[Check]:
    """a floating tree moved with hinge momenta as its state, after Jerkovsky: the motion of the compiled run, its
    momentum to round-off"""
    exact = fm.simulate(floating(), 2.0, "dop853", tolerance=1e-11, progress=False)
    run = fm.simulate(floating(), 2.0, formulation="jerkovsky", momenta=True, tolerance=TOLERANCE, progress=False)
    off = float(np.max(np.abs(run.q[-1] - exact.q[-1])))
    yield Check("coordinates after 2 s", off, 0.0, 1e-8, SOURCE, BECAUSE)
    momentum = sum(mass * run[name].velocity for name, mass in (("a", 1.0), ("b", 0.7), ("c", 0.4)))
    off = float(np.max(np.abs(momentum - momentum[0])))
    yield Check("momentum [kg m/s], change over the run", off, 0.0, 1e-14, "no load from outside", "rounding")
