"""A planar tree of four rods that falls from rest, and whose branches are joined for a while.

Takahashi (2012), §3.1.2: relative angles of 0°, 0°, 90° and 90° at the start, 3 s, rods of 1 m and 1 kg. The tree is
drawn there only; ours has the rods 2 and 3 on the end of rod 1, and rod 4 on the end of rod 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.validation.references.planar_chain import G, PlanarChain
from flexmb.validation.registry import Check, case

#: rods of 1 m and 1 kg, and the one on whose end each of them stands
TREE = PlanarChain((1.0, 1.0, 1.0, 1.0), np.deg2rad([0.0, 0.0, 90.0, 90.0]), parents=(-1, 0, 0, 1))
T_END = 3.0
#: from when to when the branches keep the angle between them [s]
JOINED, PARTED = 0.5, 1.0


def build(*, joins: bool = False) -> fm.PlanarModel:
    """The tree; if asked for with an event that locks the angle between the branches, and one that lets it go."""
    m = fm.PlanarModel("branch", gravity=(0, -G))
    ends: list[Any] = [m.ground]
    for i, (parent, angle) in enumerate(zip(TREE.parents or (), (TREE.paths @ TREE.start).tolist()), start=1):
        at = ends[parent + 1]
        place = tuple(np.asarray(at.position) + 0.5 * np.array([np.sin(angle), np.cos(angle)]))
        rod = m.add_body(f"rod {i}", mass=1.0, inertia=1.0 / 12.0, position=place, angle=0.5 * np.pi - angle)
        m.revolute(at, rod.attach(f"start {i}", (-0.5, 0)), name=f"joint {i}")
        ends.append(rod.attach(f"end {i}", (0.5, 0)))
    if joins:
        lock = m.lock(m.frames["rod 3"], m.frames["rod 4"], "angle", name="latch")
        m.switch_off(lock)
        m.add_event(JOINED, fm.Switch(on=lock), name="closing")
        m.add_event(PARTED, fm.Switch(off=lock), name="opening")
    return m


def tips(run: fm.Solution) -> np.ndarray:
    """Where the ends of both branches are (k, 4) [m]."""
    return np.hstack([run[f"rod {k}.end {k}"].position for k in (3, 4)])


@case("branch", draw=build)
def compute() -> Iterator[Check]:
    """a tree of four rods falls: motion and energy by every formulation, and with branches joined for a while"""
    times = np.linspace(0.0, T_END, 31)
    exact = 0.5 * np.pi - TREE.motion(times)[0] @ TREE.paths.T
    for name in ("", *FORMULATIONS):
        options: dict[str, Any] = {"formulation": name} if name else {}
        run = fm.simulate(build(), T_END, "radau", tolerance=1e-9, times=times, **options)
        who = name or "bodies and rows"
        got = np.column_stack([run[f"rod {k}.angle"] for k in (1, 2, 3, 4)])
        off = float(np.abs(got - exact).max())
        yield Check(f"{who}: angles [rad]", off, 0.0, 1e-7, "Lagrange's equations, derived by hand", "tolerance 1e-9")
        energy = run.energy
        total = energy.kinetic + energy.potential
        drift = float(np.ptp(total))
        yield Check(f"{who}: drift of the energy [J]", drift, 0.0, 1e-7, "no energy goes in or out", "tolerance 1e-9")
    whole = fm.simulate(build(joins=True), T_END, "radau", tolerance=1e-9, times=times)
    lost = sum(event.lost for event in whole.events)
    for name in FORMULATIONS:
        run = fm.simulate(build(joins=True), T_END, "radau", tolerance=1e-9, times=times, formulation=name)
        off = float(np.abs(tips(run) - tips(whole)).max())
        yield Check(f"{name}, joined for half a second: tips [m]", off, 0.0, 1e-7, "bodies and rows", "tolerance 1e-9")
        gone = sum(event.lost for event in run.events)
        yield Check(f"{name}: energy lost as they join [J]", gone, lost, 1e-6, "bodies and rows", "tolerance 1e-9")
