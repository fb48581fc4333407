"""Results do not depend on where Python looks after a compiled loop: with one row a segment they are the same, bit for
bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm

#: every compiled loop
LOOPS: dict[str, tuple[str, dict[str, Any]]] = {
    "generalized_alpha": ("generalized_alpha", {"step": 2e-3, "save_every": 3}),
    "generalized_alpha, its own steps": ("generalized_alpha", {"tolerance": 1e-4}),
    "generalized_alpha in joints": ("generalized_alpha", {"tolerance": 1e-4, "formulation": "aba"}),
    "radau": ("radau", {"tolerance": 1e-6}),
    "radau in joints": ("radau", {"tolerance": 1e-6, "formulation": "aba"}),
    "explicit": ("dop853", {"tolerance": 1e-6}),
    "explicit, fixed steps": ("rkf45", {"step": 2e-3}),
    "explicit in joints": ("dop853", {"tolerance": 1e-6, "formulation": "aba"}),
    "independent": ("independent", {"tolerance": 1e-6, "integrator": "radau"}),
    "independent joints": ("independent", {"tolerance": 1e-6, "integrator": "radau", "formulation": "aba"}),
}


def pendulum() -> fm.PlanarModel:
    """It is pushed from 0.35 s on, and commanded each 0.04 s by a torque against its speed; a force grows from 0.1 s
    to 0.3 s."""
    m = fm.PlanarModel("pendulum", gravity=(0.0, -9.81))
    body = m.add_body("body", mass=1.0, inertia=0.1, position=(1.0, 0.0))
    m.revolute(m.ground, body.attach("eye", (-1.0, 0.0)), name="hinge")
    m.switch_off(m.point_force(body.frame, (5.0, 0.0), name="push"))
    m.point_force(body.frame, (0.0, 1.0), factor=fm.PiecewiseLinear([0.1, 0.3], [0.0, 1.0]), name="lift")
    m.point_torque(body.frame, 0.0, name="brake")
    law = fm.control.LinearLaw(D=[[-0.2]])
    m.add_controller(
        "slows", period=0.04, sensors=[fm.control.RelativeRate(m.ground, body.frame)], commands="brake", law=law
    )
    m.add_event(0.35, fm.Switch(on="push"), name="catch")
    m.add_event(fm.crossing("body.y", -0.5, "down"), fm.Note(), name="low")
    return m


@pytest.mark.parametrize("loop", LOOPS)
def test_one_row_a_segment(loop, monkeypatch):
    method, options = LOOPS[loop]
    whole = fm.simulate(pendulum(), 0.6, method, **options, progress=False)
    timed = {"times": [0.2, 0.35, 0.55], "progress": False, **options}
    timed.pop("save_every", None)
    some = fm.simulate(pendulum(), 0.6, method, **timed)
    monkeypatch.setattr("flexmb.solvers.march.driver.MOST_ROWS", 1)
    rows = fm.simulate(pendulum(), 0.6, method, **options, progress=False)
    for name in ("t", "q", "v", "a", "multipliers"):
        np.testing.assert_array_equal(getattr(rows, name), getattr(whole, name))
    assert [x.name for x in rows.events] == [x.name for x in whole.events] == ["catch", "low"]
    for a, b in zip(rows.events, whole.events, strict=True):
        assert a.t == b.t
        row = int(np.argmin(np.abs(rows.t - a.t)))
        for name in ("q", "v", "a"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
        np.testing.assert_allclose(a.q, rows.q[row], rtol=0, atol=1e-12)
    again = fm.simulate(pendulum(), 0.6, method, **timed)
    np.testing.assert_allclose(again.q, some.q, rtol=0, atol=1e-15)
    assert [x.q.tolist() for x in again.events] == [x.q.tolist() for x in some.events]
