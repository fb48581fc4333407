"""Point on a curve: beads on wires against closed forms, rounds of closed curves, the ends of open ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.spatial import SpatialModel

G = 9.81


def ring(n=48, radius=1.0):
    angles = np.linspace(0.0, 2.0 * np.pi, n, endpoint=False)
    return radius * np.stack([np.cos(angles), np.sin(angles), 0.0 * angles], axis=1)


def test_length_and_pace_of_a_circle():
    m = SpatialModel("m")
    bead = m.add_body("bead", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0))
    wire = m.point_on_curve(m.ground, bead.frame, ring(), closed=True)
    assert wire.length == pytest.approx(2.0 * np.pi, rel=1e-6)
    curve = wire.curve()
    pace = np.linalg.norm(curve(np.linspace(0.0, wire.length, 5000), 1), axis=1)
    assert np.max(np.abs(pace - 1.0)) < 1e-7
    assert np.linalg.norm(curve(wire.length * np.arange(48) / 48), axis=1) == pytest.approx(1.0, abs=1e-12)


def test_a_bead_falls_down_a_straight_wire():
    m = SpatialModel("m", gravity=(0.0, 0.0, -G))
    bead = m.add_body("bead", mass=2.0, inertia=(1, 1, 1), position=(0.8, 0.0, -0.6))
    m.point_on_curve(m.ground, bead.frame, [(0, 0, 0), (8, 0, -6)], name="wire")
    solution = fm.simulate(m, 1.0, progress=False)
    assert solution.coordinate("wire.position")[-1] == pytest.approx(1.0 + 0.5 * 0.6 * G, abs=1e-9)


def test_a_bead_on_a_turning_ring_finds_its_height():
    """At rest on a ring that turns about a diameter: cos θ = g/(Ω² r), and it swings about it."""
    m = SpatialModel("m", gravity=(0.0, 0.0, -G))
    hub = m.add_body("hub", mass=1.0, inertia=(1, 1, 1))
    m.revolute(m.ground, hub.frame, axis="z")
    m.drive_angle(m.ground, hub.frame, fm.Polynomial([0.0, 5.0]), axis="z")
    rest = np.arccos(G / 25.0)
    place = np.array([np.sin(rest), 0.0, -np.cos(rest)])
    bead = m.add_body("bead", mass=2.0, inertia=(1, 1, 1), position=place)
    points = Rotation.from_rotvec([0.5 * np.pi, 0, 0]).apply(ring(96))
    m.point_on_curve(hub.frame, bead.frame, points, closed=True, name="wire")
    hub.frame.move(angular_velocity=(0, 0, 5.0))
    bead.frame.move(velocity=np.cross([0, 0, 5.0], place))
    solution = fm.simulate(m, 3.0, tolerance=1e-8, progress=False)
    assert solution["bead"].position[:, 2] == pytest.approx(place[2], abs=1e-5)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_rounds_are_counted(way):
    m = SpatialModel("m")
    bead = m.add_body("bead", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0))
    wire = m.point_on_curve(m.ground, bead.frame, ring(), closed=True, name="wire")
    bead.frame.move(velocity=(0.0, 20.0 * way, 0.0))
    solution = fm.simulate(m, 10.0, method="dop853", progress=False)
    s = solution.coordinate("wire.position")
    assert s[-1] - s[0] == pytest.approx(200.0 * way, rel=1e-5)
    assert wire.length < 6.3


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "independent", "dop853", "rkf45"])
@pytest.mark.parametrize("way", [1.0, -1.0])
@pytest.mark.warns(fm.errors.InitialConditionWarning, "the initial speeds do not fit the joints")
def test_the_end_of_an_open_curve_stops_the_run(method, way):
    m = SpatialModel("m")
    bead = m.add_body("bead", mass=2.0, inertia=(1, 1, 1), position=(1.0, 0.0, -0.5))
    m.point_on_curve(m.ground, bead.frame, [(0, 0, 0.0), (1, 0, -0.5), (2, 0, -0.6)], name="wire")
    bead.frame.move(velocity=(way, 0.0, -0.2 * way))
    with pytest.warns(fm.errors.DivergenceWarning, match="joint 'wire' reaches the end of its curve"):
        solution = fm.simulate(m, 5.0, method=method, progress=False)
    assert solution.status == "diverged" and ("last" if way > 0.0 else "first") in solution.message
    x = solution["bead"].position[-1, 0]
    assert abs(x - (2.0 if way > 0.0 else 0.0)) < 2e-2


def test_a_bead_that_starts_at_the_end():
    m = SpatialModel("m", gravity=(0.0, 0.0, -G))
    bead = m.add_body("bead", mass=2.0, inertia=(1, 1, 1))
    m.point_on_curve(m.ground, bead.frame, [(0, 0, 0.0), (1, 0, -0.5), (2, 0, -0.6)], name="wire")
    solution = fm.simulate(m, 0.5, progress=False)
    assert solution.status == "finished" and solution.energy.error < 1e-4


@pytest.mark.parametrize(
    ("points", "closed", "message"),
    [
        ([(0, 0, 0)], False, "at least 2 points; 1 is given"),
        ([(0, 0, 0), (1, 0, 0)], True, "a closed curve needs at least 3 points; 2 are given"),
        ([(0, 0, 0), (0, 0, 0), (1, 0, 0)], False, "has point 0 twice"),
        ([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 0, 0)], True, "the first point again at its end; leave it out"),
        ([(0, 0), (1, 0)], False, r"through must be points \(n, 3\)"),
        ([(0, 0, 0), (1, 0, np.nan)], False, "through"),
    ],
)
def test_curves_that_are_none(points, closed, message):
    m = SpatialModel("m")
    bead = m.add_body("bead", mass=2.0, inertia=(1, 1, 1))
    with pytest.raises(fm.errors.ModelError, match=message):
        m.point_on_curve(m.ground, bead.frame, points, closed=closed)
