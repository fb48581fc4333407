"""Mechanisms that a chain of four links imitates: each has one coordinate, and moves without weight.

The chain of Takahashi (2012), section 7.1: links of 1, 1, 1 and 0.5 m, of 1 kg each, uniform, with angles φ of their
directions (sin φ, cos φ).

**Parallel four-bar** (section 7.2.2): its last link stands still. Cranks and coupler have the inertia 1/3 + 1/3 + 1, so
that

    5/3 φ̈ + 5 φ̇ + 5 (φ − φ_d) = 0,    ω_n = √3 rad/s,   ζ = √3/2

**Slider-crank** (section 7.2.3): the second and the third link are one rod of 2 m, and the last one slides at the
height h of its upper end without turning. With the crank's angle φ, the rod's ψ from cos ψ = (h − cos φ)/2, the rod's
middle c and the slider's place x = sin φ + 2 sin ψ

    m(φ) φ̈ + ½ m′(φ) φ̇² = x′ (K (x_d − x) − D x′ φ̇),    m = 1/3 + 2 |c′|² + 2/3 ψ′² + x′²

a prime being a derivative by φ. The text prints angles that put the slider 2.30 m from the crank's axis, and
x_d = 1.49 m "1 m from there", which is 1.30 m; and it says that joints 1 and 3 are at one height, where joint 4 is.
Its equations (7.9) and (7.15) have the rate of the error with the wrong sign.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

LENGTHS = (1.0, 1.0, 1.0, 0.5)
#: of the four-bar: the torque by angle and rate [Nm, Nms]; of the slider: the force by place and rate [N/m, Ns/m]
TURNING, SLIDING = 5.0, 10.0
STEP = 1e-5


def four_bar_angle(t: np.ndarray, start: float, wanted: float) -> np.ndarray:
    """φ (k,) [rad] of the cranks at times t (k,) [s], from rest."""
    omega, zeta = np.sqrt(3.0), 0.5 * np.sqrt(3.0)
    damped = omega * np.sqrt(1.0 - zeta**2)
    ring = np.cos(damped * t) + zeta * omega / damped * np.sin(damped * t)
    return wanted + (start - wanted) * np.exp(-zeta * omega * t) * ring


def _slider(phi: float, h: float) -> tuple[float, float, float]:
    """x, x′ and m."""
    s, c = np.sin(phi), np.cos(phi)
    cos_psi = 0.5 * (h - c)
    sin_psi = np.sqrt(1.0 - cos_psi**2)
    turn = -0.5 * s / sin_psi
    along = c + 2.0 * cos_psi * turn
    middle = (c + cos_psi * turn, -s - sin_psi * turn)
    mass = 1.0 / 3.0 + 2.0 * (middle[0] ** 2 + middle[1] ** 2) + 2.0 / 3.0 * turn**2 + along**2
    return float(s + 2.0 * sin_psi), float(along), float(mass)


def slider_place(t: np.ndarray, start: float, height: float, wanted: float) -> np.ndarray:
    """x (k,) [m] of the slider at times t (k,) [s], from rest at the crank's angle `start`."""

    def rates(_: float, y: np.ndarray) -> list[float]:
        phi, rate = y
        x, along, mass = _slider(phi, height)
        slope = (_slider(phi + STEP, height)[2] - _slider(phi - STEP, height)[2]) / (2.0 * STEP)
        force = along * SLIDING * (wanted - x - along * rate)
        return [rate, (force - 0.5 * slope * rate**2) / mass]

    found = solve_ivp(rates, (0.0, t[-1]), [start, 0.0], "DOP853", t_eval=t, rtol=1e-11, atol=1e-12)
    return np.array([_slider(phi, height)[0] for phi in found.y[0]])
