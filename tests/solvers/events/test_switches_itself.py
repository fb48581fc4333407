"""A component of one's own that switches itself in a run, without a line in a solver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import AccuracyWarning
from flexmb.forces.planar.point_force import PointForce
from flexmb.model.events import Demand, Event, Switch


class Fuses:
    """All fuses of a model: each force is off from 0.5 s on, and on again from 0.75 s on."""

    def __init__(self, components, taken, t_start, t_end):
        self.fuses = [c for c in components if c.switches_itself is Fuses]
        self.events = [
            event
            for c in self.fuses
            for event in (
                Event(f"{c.name}: melts", c.frame.model, 0.5, Demand(self, c.name, False)),
                Event(f"{c.name}: renewed", c.frame.model, 0.75, Demand(self, c.name, True)),
            )
        ]
        self.last = {}
        self.begun_at = None

    def begin(self, t, off, above, past, happened):
        self.begun_at = t

    def asked(self, demand, t):
        self.last[demand.of] = demand.on
        return (Switch(on=demand.of) if demand.on else Switch(off=demand.of)), []

    def told(self):
        return self.last

    def doubts(self, solution):
        return [f"{len(self.fuses)} fuses began at {self.begun_at:g} s"]


@dataclass(eq=False, repr=False)
class Fused(PointForce):
    """A force behind a fuse."""

    switches_itself = Fuses


@pytest.mark.warns(AccuracyWarning, "2 fuses began at 0 s")
@pytest.mark.parametrize("method", ["radau", "generalized_alpha", "rkf45", "independent"])
def test_forces_behind_fuses(method):
    m = fm.PlanarModel("cart")
    cart = m.add_body("cart", mass=2.0, inertia=1.0)
    for name, strength in (("left", 3.0), ("right", 1.0)):
        m.add(Fused(cart.frame, (strength, 0.0), name=name))
    run = fm.simulate(m, 1.0, method=method)
    assert [(e.name, round(e.t, 9)) for e in run.events] == [
        ("left: melts", 0.5), ("right: melts", 0.5), ("left: renewed", 0.75), ("right: renewed", 0.75),
    ]  # fmt: skip
    np.testing.assert_allclose(run["cart.vx"][-1], 0.75 * 4.0 / 2.0, rtol=1e-9)
    np.testing.assert_allclose(run["cart.x"][-1], 0.25 + 0.25 * 1.0 + 0.25 * 1.0 + 0.5 * 2.0 * 0.25**2, rtol=1e-9)
