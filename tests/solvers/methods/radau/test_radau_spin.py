"""Radau IIA where bodies spin fast and move slowly besides: its error is some tolerances."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.validation import heavy_top

#: center of the heavy top, in minimal coordinates by two integrators
TIMES = [0.5, 1.0, 2.0]
CENTERS = [
    (-0.702468297057, -0.021165184702, -0.711400257652),
    (0.173343964098, 0.640088592070, -0.748490791134),
    (-0.150416822746, -0.724165591637, -0.673022269560),
]
MASS, AXIAL, ACROSS, RING = 15.0, 0.46875, 0.234375, 0.02
SPIN, PRECESSION, GRAVITY = 150.0, -4.6, 9.81


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8, 1e-10])
def test_the_heavy_top(tolerance):
    run = fm.simulate(heavy_top.build(), 2.0, "radau", tolerance=tolerance, times=TIMES, progress=False)
    assert np.max(np.linalg.norm(run["top"].position - CENTERS, axis=1)) < 5.0 * tolerance


def gimbal() -> fm.SpatialModel:
    """A rotor 1 m from the center of two light rings, which turn about z and about the x of the outer one."""
    m = fm.SpatialModel("gimbal", gravity=(0.0, 0.0, -GRAVITY))
    outer = m.add_body("outer", mass=1.0, inertia=(RING, RING, RING))
    inner = m.add_body("inner", mass=0.5, inertia=(RING / 2, RING / 2, RING / 2))
    rotor = m.add_body("rotor", mass=MASS, inertia=(ACROSS, AXIAL, ACROSS), position=(0.0, 1.0, 0.0))
    m.revolute(m.ground, outer.frame, axis="z")
    m.revolute(outer.frame, inner.frame, axis="x")
    m.revolute(inner.frame, rotor.attach("hub", (0.0, -1.0, 0.0)), axis="y")
    outer.move((0.0, 0.0, 0.0), (0.0, 0.0, PRECESSION))
    inner.move((0.0, 0.0, 0.0), (0.0, 0.0, PRECESSION))
    rotor.move((-PRECESSION, 0.0, 0.0), (0.0, SPIN, PRECESSION))
    return m


def centers_of_rotor(times: np.ndarray) -> np.ndarray:
    """By Lagrange's equations, with the angles ψ of the outer ring and θ of the inner one; the spin and the momentum
    about z stay."""
    about_ring, momentum = ACROSS + MASS, AXIAL * SPIN
    about_z = (1.5 * RING + about_ring) * PRECESSION

    def rates(t, x):
        _, theta, theta_rate = x
        c, s = np.cos(theta), np.sin(theta)
        psi_rate = (about_z - momentum * s) / (1.5 * RING + about_ring * c * c)
        moment = c * (momentum * psi_rate - about_ring * s * psi_rate**2 - MASS * GRAVITY)
        return psi_rate, theta_rate, moment / (0.5 * RING + about_ring)

    x = solve_ivp(rates, (0.0, times[-1]), np.zeros(3), "DOP853", t_eval=times, rtol=1e-13, atol=1e-13).y
    return np.stack([-np.sin(x[0]) * np.cos(x[1]), np.cos(x[0]) * np.cos(x[1]), np.sin(x[1])], axis=1)


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8, 1e-10])
def test_a_fast_gimbal(tolerance):
    times = np.linspace(0.1, 1.0, 10)
    run = fm.simulate(gimbal(), 1.0, "radau", tolerance=tolerance, times=times, progress=False)
    assert np.max(np.linalg.norm(run["rotor"].position - centers_of_rotor(times), axis=1)) < 10.0 * tolerance


def test_a_disk_that_wobbles_costs_nothing():
    """In space it vibrates even faster than in its own axes, and that is what steps follow."""
    m = fm.SpatialModel("disk")
    disk = m.add_body("disk", mass=1.0, inertia=(1.0, 2.0, 1.0))
    disk.move((0.0, 0.0, 0.0), (3.0, 100.0, 0.0))
    run = fm.simulate(m, 1.0, "radau", tolerance=1e-6, progress=False)
    assert run.statistics.steps < 900
