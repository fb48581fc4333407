"""Andrews' squeezing mechanism: data and solution of the test set for initial value problems.

Hairer and Wanner (1991), and the test set, Mazzia and Magherini (2008): seven bodies in one plane, driven by a constant
torque against a spring, no gravity, from rest; angles after 0.03 s.
The bodies' own angles are β, β + Θ, γ, Φ + δ, δ, Ω + ε, ε. Each body's axes start at its first joint:

    K1 from O: center (ra, 0), tip (rr, 0)                K5 from A: center (ta, tb), E (zt, 0)
    K2 from K1's tip: center (−da, 0), P (−d, 0)          K6 from F: center (zf − fa, 0), P (zf, 0)
    K3 from B: center (sa, −sb), P (0, −ss), D (sd, −sc)  K7 from A: center (ua, −ub), F (0, −u)
    K4 from E: center (0, −(e − ea)), P (0, −e)           K2, K3, K4 and K6 meet in P; a spring from D to C
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

T_END = 0.03
TORQUE, STIFFNESS, FREE_LENGTH = 0.033, 4530.0, 0.07785
#: hinges on the ground, and the ground's end of the spring
O, A, B, C = (0.0, 0.0), (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)


@dataclass(frozen=True)
class Link:
    """A body's mass [kg], inertia about its center [kg m²], center [m] in its axes, and points [m] there by name;
    the first one is hinged to the ground or to the point of the same name of another body."""

    mass: float
    inertia: float
    center: tuple[float, float]
    points: dict[str, tuple[float, float]]


LINKS = {
    "K1": Link(0.04325, 2.194e-6, (0.00092, 0.0), {"O": (0.0, 0.0), "tip": (0.007, 0.0)}),
    "K2": Link(0.00365, 4.410e-7, (-0.0115, 0.0), {"tip": (0.0, 0.0), "P": (-0.028, 0.0)}),
    "K3": Link(0.02373, 5.255e-6, (0.01874, -0.01043), {"B": (0.0, 0.0), "P": (0.0, -0.035), "D": (0.02, -0.018)}),
    "K4": Link(0.00706, 5.667e-7, (0.0, -0.00579), {"E": (0.0, 0.0), "P": (0.0, -0.02)}),
    "K5": Link(0.07050, 1.169e-5, (0.02308, 0.00916), {"A": (0.0, 0.0), "E": (0.04, 0.0)}),
    "K6": Link(0.00706, 5.667e-7, (0.00579, 0.0), {"F": (0.0, 0.0), "P": (0.02, 0.0)}),
    "K7": Link(0.05498, 1.912e-5, (0.01228, -0.00449), {"A": (0.0, 0.0), "F": (0.0, -0.04)}),
}

#: angles β, Θ, γ, Φ, δ, Ω, ε [rad] at the start and at the end
START = np.array(
    [-0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885,
     0.487364979543842550, -0.222668390165885885, 1.23054744454982119]
)  # fmt: skip
END = np.array(
    [15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
     0.5244099658805304, 0.5347301163226948, 1.048080741042263]
)  # fmt: skip
#: β̈, Θ̈ [rad/s²] at the start; the other five are zero
START_ACCELERATION = np.array([14222.4439199541, -10666.8329399655, 0.0, 0.0, 0.0, 0.0, 0.0])


def of_bodies(angles: np.ndarray) -> np.ndarray:
    """The angles of K1 to K7 [rad] that belong to β, Θ, γ, Φ, δ, Ω, ε."""
    beta, theta, gamma, phi, delta, omega, epsilon = angles
    return np.array([beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon])


def of_mechanism(bodies: np.ndarray) -> np.ndarray:
    """β, Θ, γ, Φ, δ, Ω, ε [rad] that belong to the angles of K1 to K7."""
    one, two, three, four, five, six, seven = bodies
    return np.array([one, two - one, three, four - five, five, six - seven, seven])
