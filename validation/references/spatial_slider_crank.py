"""A slider-crank in space, by one coordinate; Haug (1989), IFToMM (n.d.).

The crank, r long, turns by φ about the line y = b, z = c, and stands up at φ = 0; its pin p is in a ball at one end of
a rod of the length l. The other end, at (x, 0, 0), is held by a universal joint on a slider along the x axis. Of its
cross one arm lies along x on the slider, the other, w, on the rod, square to x and to the rod. With u along the rod:

    p = (0, b − r sin φ, c + r cos φ),   x² = l² − p · p,   u = ((x, 0, 0) − p)/l,   w = e_x × u / |e_x × u|

w = (0, cos ψ, sin ψ) turns about x alone, and the axes u, w, u × w stay on the rod, so that, with ' = d/dφ,

    ω = Ω φ̇,   Ω = u × u' + σ u,   σ = w' · (u × w),   w' = ψ' e_x × w

All velocities are V φ̇, and accelerations V φ̈ + V' φ̇². Virtual power with the center of the rod at (p + (x, 0, 0))/2:

    I φ̈ = −Σ (m V · (V' φ̇² − g) + Ω · (J Ω' φ̇² + ω × J ω)),   I = Σ (m V · V + Ω · J Ω)
"""

from __future__ import annotations

import numpy as np

from . import mathematics

#: crank r and rod l, bearing (b, c) of the crank [m]
CRANK, ROD, BEARING = 0.08, 0.3, (0.1, 0.12)
CRANK_MASS, ROD_MASS, SLIDER_MASS = 0.12, 0.5, 2.0
#: inertia of the crank about x through its middle, and of the rod along it and across [kg m²]
CRANK_INERTIA, ROD_INERTIA = 1e-4, (4e-4, 4e-3)
G, SPEED = 9.81, 6.0
#: x of the slider [m] at some times [s], computed elsewhere to the digits that are given; ω of the rod at the start
PLACES = {0.1: 0.226787188553, 0.25: 0.284860002921, 0.5: 0.184952629778, 1.0: 0.211721661393}
ROD_START = np.array([1.92, -0.96, 0.48])
_X = np.array([1.0, 0.0, 0.0])


class Place:
    """The mechanism at an angle φ of the crank: x of the slider, pin p, axes of the rod (3, 3), and the velocities for
    φ̇ = 1, each with its derivative by φ: of the slider, of the pin, of the rod's turning."""

    def __init__(self, phi: float) -> None:
        s, c = CRANK * np.sin(phi), CRANK * np.cos(phi)
        self.pin = np.array([0.0, BEARING[0] - s, BEARING[1] + c])
        self.pin_speed = np.array([[0.0, -c, -s], [0.0, s, -c]])
        first, second = self.pin_speed
        self.x = float(np.sqrt(ROD**2 - self.pin @ self.pin))
        rate = -(self.pin @ first) / self.x
        self.slider_speed = np.array([rate, -(rate**2 + first @ first + self.pin @ second) / self.x])
        u = (self.x * _X - self.pin) / ROD
        u1, u2 = (rate * _X - step for rate, step in zip(self.slider_speed, self.pin_speed))
        u1, u2 = u1 / ROD, u2 / ROD
        n, n1, n2 = (np.array([-d[2], d[1]]) for d in (u, u1, u2))  # e_x × u in the y, z plane
        square = n @ n
        turn = (n[0] * n1[1] - n[1] * n1[0]) / square
        turn2 = (n[0] * n2[1] - n[1] * n2[0]) / square - 2.0 * turn * (n @ n1) / square
        w = np.array([0.0, *n]) / np.sqrt(square)
        across = np.cross(_X, w)
        w1, w2 = turn * across, turn2 * across - turn**2 * w
        third = np.cross(u, w)
        self.axes = np.column_stack([u, w, third])
        own = w1 @ third
        own1 = w2 @ third + w1 @ np.cross(u1, w)
        spin = np.cross(u, u1) + own * u
        self.rod_turning = np.array([spin, np.cross(u, u2) + own1 * u + own * u1])

    def inertia(self, across: float = ROD_INERTIA[1]) -> tuple[float, float, float]:
        """I [kg m²], ½ dI/dφ as the accelerations for φ̈ = 0, φ̇ = 1 give it, and the power of the weight for φ̇ = 1;
        with another inertia of the rod `across` it [kg m²] too."""
        J = self.axes @ np.diag([ROD_INERTIA[0], across, across]) @ self.axes.T
        spin, spin1 = self.rod_turning
        center, center1 = 0.5 * (self.slider_speed[:, None] * _X + self.pin_speed)
        crank = CRANK_INERTIA + CRANK_MASS * (0.5 * CRANK) ** 2
        x1, x2 = self.slider_speed
        whole = crank + SLIDER_MASS * x1**2 + ROD_MASS * center @ center + spin @ J @ spin
        gyroscopic = spin @ (J @ spin1 + np.cross(spin, J @ spin))
        change = SLIDER_MASS * x1 * x2 + ROD_MASS * center @ center1 + gyroscopic
        weight = -G * (0.5 * CRANK_MASS * self.pin_speed[0, 2] + ROD_MASS * center[2])
        return float(whole), float(change), float(weight)

    def acceleration(self, rate: float, across: float = ROD_INERTIA[1]) -> float:
        """φ̈ [rad/s²] for a speed φ̇ of the crank [rad/s]."""
        whole, change, weight = self.inertia(across)
        return (weight - change * rate**2) / whole

    def energy(self, rate: float) -> float:
        """Kinetic and potential energy [J] for a speed of the crank [rad/s]."""
        height = CRANK_MASS * 0.5 * (self.pin[2] + BEARING[1]) + 0.5 * ROD_MASS * self.pin[2]
        return float(0.5 * self.inertia()[0] * rate**2 + G * height)


def motion(times: np.ndarray, across: float = ROD_INERTIA[1]) -> tuple[np.ndarray, np.ndarray]:
    """φ [rad] and φ̇ [rad/s] at the times, from 0 on."""

    def rates(t: float, y: np.ndarray) -> list[float]:
        return [y[1], Place(y[0]).acceleration(y[1], across)]

    phi, rate = mathematics.motion(rates, [0.0, SPEED], times)
    return phi, rate
