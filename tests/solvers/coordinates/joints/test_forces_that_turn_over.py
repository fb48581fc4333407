"""Friction in joint coordinates where the normal force of a joint goes through zero, as that of a thread that is pushed
and pulled."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmb as fm

MASS, INERTIA, PITCH, RADIUS, COEFFICIENT, SMOOTHING = 1.2, 0.03, 0.05, 0.03, 0.5, 0.01
TORQUE, PUSH, RATE, SPEED, END = 0.6, 25.0, 9.0, 6.0, 1.0


def spindle() -> fm.SpatialModel:
    """A nut on a spindle, turned by a torque, that is pushed and pulled along it by turns."""
    m = fm.SpatialModel("spindle")
    nut = m.add_body("nut", mass=MASS, inertia=(0.05, 0.05, INERTIA))
    law = fm.JointFriction(COEFFICIENT, radius=RADIUS, smoothing=SMOOTHING)
    m.screw(m.ground, nut.frame, PITCH, axis="z", friction=law, name="thread")
    m.point_torque(nut.frame, (0.0, 0.0, TORQUE))
    m.point_force(nut.frame, (0.0, 0.0, PUSH), factor=fm.Harmonic(1.0, RATE))
    nut.frame.move((0.0, 0.0, PITCH * SPEED), (0.0, 0.0, SPEED))
    return m


def turned() -> float:
    """How far the nut turns [rad], from the one equation of a square thread.

    With the axial force f on the nut, N = |f|/cos α on the flank, R² = r² + h² and the friction μ N tanh(R ω/ε) along
    the helix,

        (J + m h²) ω̇ = T + h X − μ N R tanh(R ω/ε),      m h ω̇ = X + f − μ N sin α tanh(R ω/ε)

    so that f = f₀ + c |f|, whose solution is f₀/(1 − c sgn f₀).
    """
    R = np.hypot(RADIUS, PITCH)
    whole = INERTIA + MASS * PITCH**2

    def rates(t: float, x: np.ndarray) -> list[float]:
        push = PUSH * np.sin(RATE * t)
        rubs = COEFFICIENT * np.tanh(R * x[1] / SMOOTHING) * R / RADIUS  # friction along the helix for each newton of f
        without = MASS * PITCH * (TORQUE + PITCH * push) / whole - push
        c = rubs * (PITCH / R - MASS * PITCH * R / whole)
        force = without / (1.0 - c * np.sign(without))
        return [x[1], (TORQUE + PITCH * push - rubs * abs(force) * R) / whole]

    found = solve_ivp(rates, (0.0, END), [0.0, SPEED], rtol=1e-11, atol=1e-12, max_step=2e-3)
    return float(found.y[0, -1])


@pytest.mark.parametrize("formulation", ["aba", "dca"])
@pytest.mark.parametrize("method", ["dop853", "rkf45", "radau", "independent", "generalized_alpha"])
def test_a_thread_that_is_pushed_and_pulled(method: str, formulation: str) -> None:
    options = {"tolerance": 1e-8} if method == "independent" else {"tolerance": 1e-5 if "alpha" in method else 1e-9}
    found = fm.simulate(spindle(), END, method, formulation=formulation, progress=False, **options)
    assert found.status == "finished"
    assert found.coordinate("thread.turn")[-1] == pytest.approx(turned(), abs=1e-4 if "alpha" in method else 1e-6)
