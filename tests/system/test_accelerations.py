"""Accelerations of a state, asked for again and again."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.solvers.statuses import OK
from flexmb.system.accelerations import AccelerationsIn, accelerations, with_room, work_for
from flexmb.system.linear import enlarged


def test_they_are_those_of_one_call_also_when_the_system_has_got_more_room():
    m = fm.PlanarModel("chain", gravity=(0.0, -9.81))
    at = m.ground
    for k in range(8):
        body = m.add_body(f"body {k}", mass=1.0, inertia=0.1, position=(k + 0.5, 0.0))
        m.revolute(at, body.attach(f"a {k}", (-0.5, 0.0)))
        at = body.attach(f"b {k}", (0.5, 0.0))
    system = fm.System(m)
    assert not system.plan.dense

    def arrays():
        return system.full_q(system.q0), np.zeros(system.plan.total), np.zeros(system.plan.total), np.zeros(system.m)

    own, work = arrays(), work_for(system.plan)
    ask = AccelerationsIn(system, *own, work, 0.0, 0.0)
    random = np.random.default_rng(0)
    for change in (None, "room"):
        if change:
            system.linear = enlarged(system.linear)
        own[1][: system.n] = random.normal(size=system.n)
        assert ask(0.0) == OK
        q, v, a, lam = arrays()
        v[:] = own[1]
        assert with_room(system, accelerations, 0.0, q, v, a, lam, work_for(system.plan), 0.0, 0.0) == OK
        assert own[2] == pytest.approx(a, rel=1e-12) and own[3] == pytest.approx(lam, rel=1e-12)
        assert np.abs(a).max() > 1.0
