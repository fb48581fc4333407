"""Tracks of frames in space, and the ledger of a motion there."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.spatial import SpatialModel
from flexmb.validation import heavy_top
from flexmb.validation.references import heavy_top as reference


def thrown():
    m = SpatialModel("thrown", gravity=(0.0, 0.0, -10.0))
    brick = m.add_body("brick", mass=2.0, inertia=(0.1, 0.2, 0.3), orientation=Rotation.from_rotvec([0.3, 0.1, 0.5]))
    brick.move((1.0, 2.0, 3.0), (4.0, -1.0, 2.0))
    brick.attach("corner", (0.2, -0.1, 0.3), Rotation.from_rotvec([0.0, 1.0, 0.0]))
    return m


def test_rates_of_a_track_are_those_of_its_places():
    model = thrown()
    step = 1e-3
    solution = fm.simulate(model, 0.1, "rkf45", step=step, progress=False)
    for name in ("brick", "brick.corner"):
        track = solution[name]
        place, velocity = track.position, track.velocity
        inner = slice(1, -1)
        assert np.max(np.abs((place[2:] - place[:-2]) / (2 * step) - velocity[inner])) < 2e-4
        assert np.max(np.abs((velocity[2:] - velocity[:-2]) / (2 * step) - track.acceleration[inner])) < 1e-3
        rate = (track.orientation[2:] * track.orientation[:-2].inv()).as_rotvec() / (2 * step)
        assert np.max(np.abs(rate - track.angular_velocity[inner])) < 1e-4
        omega = track.angular_velocity
        assert np.max(np.abs((omega[2:] - omega[:-2]) / (2 * step) - track.angular_acceleration[inner])) < 1e-3
    fixed = (solution["brick"].orientation.inv() * solution["brick.corner"].orientation).as_rotvec()
    assert np.max(np.abs(fixed - [0.0, 1.0, 0.0])) < 1e-14
    assert np.max(np.abs(solution["brick"].acceleration - [0.0, 0.0, -10.0])) < 1e-12
    assert solution["brick"].position[-1] == pytest.approx([0.1, 0.2, 0.25], abs=1e-12)
    assert np.array_equal(solution["ground"].values[:, 3], np.ones(len(solution)))


def test_the_start_is_what_the_model_says():
    model = thrown()
    solution = fm.simulate(model, 0.01, progress=False)
    corner = model.frame("brick.corner")
    track = solution["brick.corner"]
    assert track.position[0] == pytest.approx(corner.position, abs=1e-15)
    assert track.angular_velocity[0] == pytest.approx([4.0, -1.0, 2.0], abs=1e-14)
    arm = corner.position - model.frame("brick").position
    assert track.velocity[0] == pytest.approx(np.cross([4.0, -1.0, 2.0], arm) + [1.0, 2.0, 3.0], abs=1e-14)


def test_the_ledger_has_the_energy_of_the_top():
    solution = fm.simulate(heavy_top.build(), 0.1, "dop853", tolerance=1e-10, progress=False)
    exact = reference.energy(*reference.motion(np.array([0.0, 0.1])))[0]
    assert solution.energy.total == pytest.approx(np.full(len(solution), exact), rel=1e-11)
    assert solution.energy.error < 1e-11


def damped():
    m = SpatialModel("damped")
    a = m.add_body("a", mass=1.0, inertia=(1.0, 1.2, 1.6))
    b = m.add_body("b", mass=1.0, inertia=(0.5, 0.6, 0.9), position=(0.0, 0.0, 0.3))
    a.move((0.0, 0.0, 0.0), (0.3, 0.1, 5.0))
    b.move((0.5, 0.0, 0.0), (-1.4, 1.6, 4.0))
    m.bushing(a.frame, b.frame, stiffness=(50, 60, 70, 5, 6, 7), damping=(5, 6, 7, 0.5, 0.6, 0.7))
    return m


def test_dampers_lose_what_the_ledger_says():
    """Powers in the middle of steps are of fourth order on turning bodies, too."""
    errors = []
    for step in (0.04, 0.02):
        ledger = fm.simulate(damped(), 1.0, "rkf45", step=step, progress=False).energy
        assert ledger.dissipated[-1] > 0.03 * ledger.total[0]
        errors.append(ledger.error)
    assert errors[1] < 1e-6
    assert np.log2(errors[0] / errors[1]) > 3.7
