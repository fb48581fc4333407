"""Reduced bodies in space against particles, and in motion."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import AccuracyWarning
from flexmb.testing import Recorder, random_state
from tests.models.modal_bodies import blob
from tests.models.particles import Particles


@pytest.mark.parametrize("mean", [False, True])
def test_forces_are_those_of_particles(mean: bool) -> None:
    """D'Alembert's principle: Σ m_ab (ẍ_a − g)·∂x_b for accelerations of the particles themselves."""
    particles, body = Particles.random(seed=3, mean=mean), blob(mean)
    gravity = np.array([0.3, -9.81, 0.7])
    recorder = Recorder.of(body, gravity)
    s = random_state(recorder, 5)
    R, omega, alpha = Rotation.from_quat(s.q[[3, 4, 5, -1]]).as_matrix(), s.v[3:6], s.a[3:6]
    eta, rate, up = s.q[6:9], s.v[6:9], s.a[6:9]
    T, shapes = particles.slaves, particles.shapes
    tangents = np.array([shapes[k] + np.einsum("m,mNd->Nd", T[:, k] @ eta, shapes[3:]) for k in range(3)])
    place = particles.positions(eta)
    slaves = np.einsum("mij,i,j,mNd->Nd", T, rate, rate, shapes[3:])
    moving = np.einsum("k,kNd->Nd", rate, tangents)
    swung = np.cross(alpha, place) + np.cross(omega, np.cross(omega, place)) + 2.0 * np.cross(omega, moving)
    inside = swung + np.einsum("k,kNd->Nd", up, tangents) + slaves
    force = particles.m @ (s.a[:3] - gravity + inside @ R.T)
    directions = [*np.tile(np.eye(3)[:, None], (1, len(place), 1)), *(np.cross(e, place) @ R.T for e in np.eye(3))]
    wanted = np.array([np.sum(x * force) for x in [*directions, *(x @ R.T for x in tangents)]])
    damping = 2.0 * 0.05 * np.sqrt(particles.stiffness * np.diagonal(body.reduced.modal_mass))
    wanted[6:] += particles.stiffness * eta + damping * rate
    found = recorder.residual(s.t, s.q, s.v, s.a)
    assert np.allclose(found, wanted, rtol=0.0, atol=1e-12 * np.max(np.abs(wanted)))


def test_kinetic_energy_is_that_of_particles() -> None:
    particles = Particles.random(seed=3)
    recorder = Recorder.of(blob())
    s = random_state(recorder, 6)
    R = Rotation.from_quat(s.q[[3, 4, 5, -1]]).as_matrix()
    h = 1e-6
    rate = (particles.positions(s.q[6:9] + h * s.v[6:9]) - particles.positions(s.q[6:9] - h * s.v[6:9])) / (2.0 * h)
    speed = s.v[:3] + (np.cross(s.v[3:6], particles.positions(s.q[6:9])) + rate) @ R.T
    wanted = 0.5 * np.sum(speed * (particles.m @ speed))
    assert recorder.energy(s.t, s.q, s.v)[0] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("field", ["quadratic", "linear"])
def test_a_free_flight_keeps_energy_and_momenta(field: str) -> None:
    m = fm.SpatialModel("m")
    reduced = Particles.random(seed=3, mean=True).reduced()
    body = m.add_modal_body("blob", reduced, (1, 2, 3), field=field, amplitude_rates=(0.4, -0.5, 0.3))
    body.at("a").enter()
    body.frame.move((0.1, -0.2, 0.3), (2.0, 1.0, -1.5))
    with pytest.warns(AccuracyWarning, match="bends too far"):
        run = fm.simulate(m, 1.0, tolerance=1e-9)
    energy = run.energy.total
    whole = run.whole
    assert np.ptp(energy) < 1e-8 * energy[0]
    for momentum in (whole.momentum, whole.angular_momentum):
        assert np.max(np.abs(momentum - momentum[0])) < 1e-8 * np.max(np.abs(momentum))
    assert np.max(np.abs(run["blob.a"].position - run["blob.a"].position[0])) > 0.5


def test_an_arm_on_an_interface_in_joint_coordinates() -> None:
    """By formulations in joint coordinates the motion is that of absolute coordinates."""
    reduced = Particles.random(seed=3, mean=True).reduced(0.02)
    found = []
    for options in ({"method": "projection", "tolerance": 1e-9}, {"tolerance": 1e-8, "formulation": "aba"}):
        m = fm.SpatialModel("m", gravity=(0, 0, -2.0))
        body = m.add_modal_body("blob", reduced, (0.1, 0.2, 0.3))
        at = body.at("b").position + np.array([0.5, 0, 0])
        arm = m.add_body("arm", mass=0.7, inertia=(0.1, 0.2, 0.15), position=at)
        m.revolute(body.at("b"), arm.attach("pin", (-0.5, 0, 0)), axis="y", name="hinge")
        body.frame.move((0.1, 0, 0), (0.5, 0.3, -0.2))
        found.append(fm.simulate(m, 0.3, progress=False, **options)["arm"].position[-1])
    assert found[1] == pytest.approx(found[0], abs=1e-6)


def test_a_small_body_moves_as_a_large_one() -> None:
    """Lengths, times and forces of similar bodies of one material are as s, s and s²."""
    found = []
    for s in (1.0, 1e-4):
        tube = fm.Tube(outer_diameter=0.06 * s, inner_diameter=0.05 * s)
        rod = fm.bodies.Member(("a", "b"), fm.Material(7850, 205e9), tube)
        reduced = fm.bodies.from_frame(
            {"a": (0, 0, 0), "b": (s, 0.2 * s, 0)}, [rod], interfaces={"a": "a", "b": "b"}, modes=2
        )
        m = fm.SpatialModel("arm")
        body = m.add_modal_body("rod", reduced)
        m.revolute(m.ground, body.at("a"), axis="z")
        hand = m.add_body(
            "hand", mass=2.0 * s**3, inertia=(0.02 * s**5, 0.03 * s**5, 0.04 * s**5), position=(s, 0.2 * s, 0)
        )
        m.revolute(body.at("b"), hand.frame, axis=(1, 0, 1))
        m.point_force(hand.frame, (0.0, 4e3 * s**2, 1e3 * s**2))
        run = fm.simulate(m, 0.02 * s, step=2e-4 * s, progress=False)
        found.append(run["hand"].position[-1] / s)
    assert np.linalg.norm(found[0] - (1.0, 0.2, 0.0)) > 0.05
    assert found[1] == pytest.approx(found[0], abs=1e-6)
