"""An arm of seven joints that falls, and whose hand is held for a while; and a shoulder that is a ball or three hinges.

Takahashi (2012), §5.3: the arm PA-10 of Mitsubishi, with axes z, y, z, y, z, y, z and moments of inertia of 1 kg m² of
all links about all axes, falls from angles of 0, 45, 10, 0, 0, 0, 0 degrees. Its lengths and masses are not printed:
those here are ours, near those of such an arm.

A ball joint allows what three hinges allow whose axes meet, as long as these do not lie in a plane. Between the hinges
stand bodies of inertia ε, and what they change is of the first order in ε.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.validation import shapes
from flexmb.validation.registry import Check, Errors, case

AXES, START = "zyzyzyz", np.deg2rad([0.0, 45.0, 10.0, 0.0, 0.0, 0.0, 0.0])
#: from each joint to the next one, and to the hand [m]; masses [kg], whose centers are midway
LENGTHS, MASSES = (0.30, 0.20, 0.25, 0.25, 0.25, 0.10, 0.15), (9.0, 8.0, 6.0, 5.0, 3.0, 2.0, 1.0)
T_END, G = 10.0, 9.81
#: from when to when the hand is held [s]
HELD, FREE = 0.6, 1.2


def build(*, held: bool = False) -> fm.SpatialModel:
    """The arm; if asked for with an event by which its hand is held where it is, and one that lets it go."""
    m = fm.SpatialModel("arm of seven joints", gravity=(0, 0, -G))
    at: Any = m.ground
    turned = Rotation.identity()
    for k, (axis, angle, length, mass) in enumerate(zip(AXES, START, LENGTHS, MASSES), start=1):
        turned = turned * Rotation.from_euler(axis, angle)
        low, high = (0.0, 0.0, -0.5 * length), (0.0, 0.0, 0.5 * length)
        place = at.position + turned.apply(high)
        bar = shapes.bar(low, high)
        link = m.add_body(f"link {k}", mass=mass, inertia=(1, 1, 1), shape=bar, position=place, orientation=turned)
        m.revolute(at, link.attach(f"start {k}", low), axis=axis, name=f"joint {k}")
        at = link.attach(f"end {k}", high)
    if held:
        hold = m.weld(m.ground, at, name="hold")
        m.switch_off(hold)
        m.add_event(HELD, fm.Switch(on=hold), name="closing")
        m.add_event(FREE, fm.Switch(off=hold), name="opening")
    return m


def shoulder(between: float | None) -> fm.SpatialModel:
    """A rod on a ball, or on three hinges with bodies of an inertia `between` them [kg m²]."""
    m = fm.SpatialModel("shoulder", gravity=(0, 0, -G))
    rod = m.add_body("rod", mass=2.0, inertia=(0.3, 0.2, 0.1), position=(0.5, 0, 0))
    at, end = m.ground, rod.attach("end", (-0.5, 0, 0))
    if between is None:
        m.spherical(at, end, name="ball")
    else:
        for k, axis in enumerate("xyz"):
            body = end if k == 2 else m.add_body(f"ring {k}", mass=1e-6, inertia=(between,) * 3).frame
            m.revolute(at, body, axis=axis, name=f"hinge {axis}")
            at = body
    rod.move(velocity=(0.0, 0.5, 0.0), angular_velocity=(2.0, 0.0, 1.0))
    return m


@case("seven-joints", draw=build)
def compute() -> Iterator[Check | Errors]:
    """an arm of seven joints falls, energy by all formulations, its hand held for a while; a ball and three hinges"""
    ends = {}
    for name in ("", *FORMULATIONS):
        options: dict[str, Any] = {"formulation": name} if name else {}
        run = fm.simulate(build(), T_END, "radau", tolerance=1e-9, times=np.linspace(0.0, T_END, 101), **options)
        who = name or "bodies and rows"
        total = run.energy.kinetic + run.energy.potential
        drift = float(np.ptp(total))
        yield Check(f"{who}: drift of the energy in 10 s [J]", drift, 0.0, 1e-7, "no energy goes in or out", "1e-9")
        ends[name] = run["link 7.end 7"].position
        if name:
            off = float(np.abs(ends[name][:21] - ends[""][:21]).max())
            yield Check(f"{name}: hand for 2 s [m]", off, 0.0, 1e-8, "bodies and rows", "tolerance 1e-9")
    times = np.linspace(0.0, 1.8, 19)
    whole = fm.simulate(build(held=True), 1.8, "radau", tolerance=1e-9, times=times)
    for name in FORMULATIONS:
        run = fm.simulate(build(held=True), 1.8, "radau", tolerance=1e-9, times=times, formulation=name)
        off = float(np.abs(run["link 4"].position - whole["link 4"].position).max())
        yield Check(f"{name}, hand held: elbow [m]", off, 0.0, 1e-8, "bodies and rows", "tolerance 1e-9")

    times, sizes = np.linspace(0.0, 0.5, 11), (4e-4, 2e-4, 1e-4)
    apart: list[np.ndarray] = []
    ball = fm.simulate(shoulder(None), 0.5, "radau", tolerance=1e-10, times=times)
    for between in sizes:
        run = fm.simulate(shoulder(between), 0.5, "radau", tolerance=1e-10, times=times)
        apart.append(run["rod"].position - ball["rod"].position)
    errors = [float(np.abs(x).max()) for x in apart]
    order = float(np.log2(errors[1] / errors[2]))
    yield Check("three hinges: order in the inertia between them", order, 1.0, 0.02, "a ball joint", "three sizes")
    limit = float(np.abs(2.0 * apart[2] - apart[1]).max())
    yield Check("three hinges without inertia between them: rod [m]", limit, 0.0, 1e-6, "a ball joint", "extrapolated")
    yield Errors("rod on three hinges [m]", "inertia between them [kg m²]", sizes, errors, 1.0)
