"""Slow motion: drives, springs that snap, and what cannot go on."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import DivergenceWarning
from flexmb.examples import slider_crank
from tests.models.trusses import truss, truss_force


def test_a_slow_crank_takes_the_weight_of_its_parts():
    """The motor's work is what lifts the masses: M dα = dV."""
    model = slider_crank.build()
    model.gravity = np.array([0.0, -9.81])
    slow = fm.quasi_static(model, 0.3, steps=300)
    angle = slow["crank"].angle
    _, moment = slow.reaction("motor")
    potential = slow.energy.potential + slow.energy.strain
    work = np.concatenate([[0.0], np.cumsum(0.5 * (moment[1:] + moment[:-1]) * np.diff(angle))])
    scale = np.ptp(potential)
    np.testing.assert_allclose(work, potential - potential[0], atol=2e-4 * scale)
    assert not slow.v.any()


def test_a_driven_snap_follows_the_closed_form():
    model = truss()
    top = model.frames["top"]
    model.drive_position(model.ground, top, fm.Polynomial([0.3, -0.6]), axis=0.5 * np.pi, name="push")
    slow = fm.quasi_static(model, 1.0, steps=12)
    # what the push adds to the force of 1 N
    np.testing.assert_allclose(-slow["push.fy"], truss_force(slow["top.y"]) - 1.0, atol=1e-9)


def test_a_load_beyond_the_limit_point_ends_it_with_what_there_is():
    model = truss()
    model.components["load"].factor = fm.Polynomial([0.0, 12.0])
    limit = truss_force(np.linspace(0.0, 0.3, 100001)).max()
    with pytest.warns(DivergenceWarning, match="no equilibrium follows on"):
        slow = fm.quasi_static(model, 1.0, steps=50)
    assert slow.status == "stopped"
    assert 12.0 * slow.t[-1] < limit < 12.0 * (slow.t[-1] + 0.021)


def test_at_other_times_places_of_rest_lie_on_straight_lines():
    model = truss()
    model.drive_position(model.ground, model.frames["top"], fm.Polynomial([0.3, -0.1]), axis=0.5 * np.pi, name="push")
    slow = fm.quasi_static(model, 1.0, steps=2)
    assert slow.at(0.25)["top.y"][0] == pytest.approx(0.275, abs=1e-12)


def test_times_must_go_forward():
    with pytest.raises(fm.FlexmbError, match="later than t_start"):
        fm.quasi_static(truss(), 0.0)
