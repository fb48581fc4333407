"""Pins of hinges in space reach through the bodies that they hold, and springs about them lie beside these."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.visual.stage.hinges import PROUD, pierced
from flexmb.visual.stage.solids import Solid


def doors():
    """A panel on a post, hinged along its edge, and a second one on the first, which is as high."""
    m = fm.SpatialModel("doors")
    post = m.add_body("post", shape=fm.Box((0.2, 0.2, 1.6)), mass=10.0)
    panel = m.add_body("panel", shape=fm.Box((1.0, 0.04, 1.2)), mass=2.0, position=(0.6, 0.0, 0.0))
    m.revolute(post.attach("edge", (0.1, 0.0, 0.0)), panel.attach("inner", (-0.5, 0.0, 0.0)), axis="z", name="first")
    leaf = m.add_body("leaf", shape=fm.Box((1.0, 0.04, 1.2)), mass=2.0, position=(1.6, 0.0, 0.0))
    outer, end = panel.attach("outer", (0.5, 0.0, 0.0)), leaf.attach("inner", (-0.5, 0.0, 0.0))
    m.revolute(outer, end, axis="z", name="second")
    m.torsion_spring(outer, end, axis="z", stiffness=1.0, name="spring")
    return m


def test_pins_stand_out_of_bodies_and_springs_lie_beyond_them():
    view = fm.View(doors())
    u, pieces = view.scales.unit, {(p.name, p.role): p.points(0) for p in view.stage([0.0])}
    for name, half in (("first", 0.8), ("second", 0.6)):
        low, high = pieces[name, "joint"][:, 2].min(), pieces[name, "joint"][:, 2].max()
        assert [low, high] == pytest.approx([-half - PROUD * u, half + PROUD * u], abs=1e-6)
        middle = pieces[name, "joint"].mean(axis=0)
        assert middle == pytest.approx([0.1 if name == "first" else 1.1, 0.0, 0.0], abs=1e-6)
    assert pieces["spring", "spring"][:, 2].min() > 0.6


def test_a_pin_that_misses_or_stands_still_holds_nothing():
    box = Solid("box", np.array([1.0, 0.0, 0.0]), np.eye(3), np.array([0.5, 0.1, 0.3]))
    z, x = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    assert pierced(box, np.zeros(3), z, 0.01) is None
    assert pierced(box, np.array([0.495, 0.0, 0.1]), z, 0.01) == pytest.approx((-0.4, 0.2))
    assert pierced(box, np.zeros(3), x, 0.01) == pytest.approx((0.5, 1.5))
    ball = Solid("sphere", np.zeros(3), np.eye(3), np.ones(3))
    assert pierced(ball, np.zeros(3), z, 0.01) is None
    flat = fm.PlanarModel("flat")
    body = flat.add_body("body", mass=1.0, inertia=1.0)
    flat.revolute(flat.ground, body.frame)
    assert not fm.View(flat).scales.hinges
