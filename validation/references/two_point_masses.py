"""An arm of two links without mass, with point masses at its elbow and in its hand, in closed form.

With angles a of the first link from the horizontal and b of the second against it, lengths l, masses m and weight g:

    M = [m1 l1² + m2 (l1² + 2 l1 l2 cos b + l2²),  m2 (l1 l2 cos b + l2²);  ·,  m2 l2²]
    weight = [(m1 + m2) g l1 cos a + m2 g l2 cos(a + b),  m2 g l2 cos(a + b)]

The hand opposes to a force along the second link the inertia m2 + m1/sin² b, and across it m2 (Craig, 2005, chapter 6).

A controller that knows the hand as m2, and not as m2 + Δm, leaves at rest

    of the joints   K_p e = M⁻¹ Δm g [l1 cos a + l2 cos(a + b),  l2 cos(a + b)]
    of the hand     K_p e = Λ⁻¹ [0, Δm g]

with M and Λ as it knows them, at the angles where the arm comes to rest.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import root

LENGTHS, MASSES, GRAVITY = (0.6, 0.5), (2.0, 1.5), 9.81


def hand(q: np.ndarray) -> np.ndarray:
    """The place (2,) [m] of the hand."""
    a, c = q[0], q[0] + q[1]
    return np.array([LENGTHS[0] * np.cos(a) + LENGTHS[1] * np.cos(c), LENGTHS[0] * np.sin(a) + LENGTHS[1] * np.sin(c)])


def mass_matrix(q: np.ndarray) -> np.ndarray:
    """M (2, 2) [kg m²]."""
    (l1, l2), (m1, m2), c = LENGTHS, MASSES, np.cos(q[1])
    across = m2 * (l1 * l2 * c + l2**2)
    return np.array([[m1 * l1**2 + m2 * (l1**2 + 2.0 * l1 * l2 * c + l2**2), across], [across, m2 * l2**2]])


def weight(q: np.ndarray, masses: tuple[float, float] = MASSES) -> np.ndarray:
    """The torques (2,) [Nm] that hold the weight of masses."""
    fore = masses[1] * GRAVITY * LENGTHS[1] * np.cos(q[0] + q[1])
    return np.array([sum(masses) * GRAVITY * LENGTHS[0] * np.cos(q[0]) + fore, fore])


def inertia_at_hand(q: np.ndarray) -> np.ndarray:
    """Λ (2, 2) [kg] in ground axes."""
    c, s = np.cos(q[0] + q[1]), np.sin(q[0] + q[1])
    R = np.array([[c, -s], [s, c]])
    return np.asarray(R @ np.diag([MASSES[1] + MASSES[0] / np.sin(q[1]) ** 2, MASSES[1]]) @ R.T)


def critical_decay(t: np.ndarray, omega: float) -> np.ndarray:
    """The error (k,) of ë + 2 ω ė + ω² e = 0 from e = 1 at rest."""
    return np.asarray((1.0 + omega * t) * np.exp(-omega * t))


def joints_at_rest(wanted: np.ndarray, unknown: float, stiffness: float) -> np.ndarray:
    """The angles (2,) at which joints come to rest with K_p = `stiffness` and an `unknown` mass [kg] in the hand."""

    def left(q: np.ndarray) -> np.ndarray:
        return np.asarray(stiffness * mass_matrix(q) @ (wanted - q) - weight(q, (0.0, unknown)))

    return np.asarray(root(left, wanted, tol=1e-13).x)


def hand_at_rest(start: np.ndarray, unknown: float, stiffness: float) -> np.ndarray:
    """The place (2,) at which the hand comes to rest that shall stay where angles `start` put it."""
    wanted = hand(start)

    def left(q: np.ndarray) -> np.ndarray:
        return np.asarray(stiffness * inertia_at_hand(q) @ (wanted - hand(q)) - [0.0, unknown * GRAVITY])

    return hand(root(left, start, tol=1e-13).x)


def sag(w: float, force: float, moment: float, length: float, bending: float, beyond: float) -> float:
    """How far the end of a straight rigid part of the length `beyond` [m] sags behind a clamped beam with a load w
    [N/m], which carries a force [N] and a moment [Nm] at its end; small deflections, `bending` EI [N m²]."""
    deflection = w * length**4 / 8.0 + force * length**3 / 3.0 + moment * length**2 / 2.0
    slope = w * length**3 / 6.0 + force * length**2 / 2.0 + moment * length
    return (deflection + slope * beyond) / bending
