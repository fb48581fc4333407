"""A chain of rigid bodies on hinges that floats free of all forces: Kane's equations, in which the first body has six
ways to move of its own.

To the columns of :mod:`.hinge_chain` come those of the base: v and ω of its origin r₀, in space, move a place p of any
body with v + ω × (p − r₀) and turn it with ω. Momentum, angular momentum and energy are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from .hinge_chain import Link

_Z, _Y = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)


class Moving(NamedTuple):
    """A place, the turn (3, 3), the angles of the hinges; v and ω of the base in space, and the rates of the angles."""

    place: np.ndarray
    turn: np.ndarray
    angles: np.ndarray
    speeds: np.ndarray


@dataclass(frozen=True)
class FloatingChain:
    """The base, and the links on it. The hinge of the base is its origin."""

    links: Sequence[Link]

    def equations(self, s: Moving) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """M and f of M u̇ = f; and momentum and angular momentum about the origin of space, (6,)."""
        n = len(self.links)
        omega, alpha, a = s.speeds[3:6], np.zeros(3), np.zeros(3)
        R, r, v = s.turn, s.place, s.speeds[:3]
        axes, hinges = np.zeros((n, 3)), np.zeros((n, 3))
        M, f, momentum = np.zeros((n + 5, n + 5)), np.zeros(n + 5), np.zeros(6)
        for i, link in enumerate(self.links):
            if i:
                arm = R @ link.offset
                r, v = r + arm, v + np.cross(omega, arm)
                a = a + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
                z, speed = R @ link.axes @ link.axis, s.speeds[5 + i]
                alpha, omega = alpha + np.cross(omega, z) * speed, omega + z * speed
                R = R @ link.axes @ Rotation.from_rotvec(s.angles[i - 1] * np.asarray(link.axis)).as_matrix()
                axes[i], hinges[i] = z, r
            arm = R @ link.center
            center, moving = r + arm, v + np.cross(omega, arm)
            second = a + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
            linear, angular = np.zeros((3, n + 5)), np.zeros((3, n + 5))
            linear[:, :3], angular[:, 3:6] = np.eye(3), np.eye(3)
            linear[:, 3:6] = -_tilde(center - s.place)
            for j in range(1, i + 1):
                linear[:, 5 + j], angular[:, 5 + j] = np.cross(axes[j], center - hinges[j]), axes[j]
            inertia = R @ np.diag(link.inertia) @ R.T
            M += link.mass * linear.T @ linear + angular.T @ inertia @ angular
            f -= link.mass * linear.T @ second + angular.T @ (inertia @ alpha + np.cross(omega, inertia @ omega))
            momentum[:3] += link.mass * moving
            momentum[3:] += inertia @ omega + np.cross(center, link.mass * moving)
        return M, f, momentum

    def acceleration(self, s: Moving) -> np.ndarray:
        """Rates of the speeds."""
        M, f, _ = self.equations(s)
        return np.linalg.solve(M, f)

    def energy(self, s: Moving) -> float:
        """Kinetic energy [J]."""
        return float(0.5 * s.speeds @ self.equations(s)[0] @ s.speeds)

    def motion(self, start: Moving, times: np.ndarray) -> list[Moving]:
        """The states at these times, from t = 0 on."""
        n = len(self.links)

        def moving(y: np.ndarray) -> Moving:
            return Moving(y[:3], Rotation.from_quat(y[3:7]).as_matrix(), y[7 : 6 + n], y[6 + n :])

        def rates(t: float, y: np.ndarray) -> np.ndarray:
            s = moving(y)
            w, e, e0 = s.speeds[3:6], y[3:6], y[6]
            turning = 0.5 * np.append(e0 * w + np.cross(w, e), -w @ e)  # ½ ω ∘ q, ω in space, the scalar last
            return np.concatenate([s.speeds[:3], turning, s.speeds[6:], self.acceleration(s)])

        first = np.concatenate([start.place, Rotation.from_matrix(start.turn).as_quat(), start.angles, start.speeds])
        span = (0.0, float(times[-1]))
        run = solve_ivp(rates, span, first, method="DOP853", rtol=1e-13, atol=1e-14, t_eval=times)
        return [moving(y) for y in run.y.T]


def _tilde(u: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])


#: moment of inertia of a rod about its own axis [kg m²]; the source has zero, with which the last angle is not
#: determined
AXIAL = 1e-3
INERTIA = (1.0 / 12.0, 1.0 / 12.0, AXIAL)


def six_rods() -> FloatingChain:
    """The chain of Takahashi (2012), §4.4.2: uniform rods of 1 m and 1 kg along z on hinges z, y, z, y, z. The axes are
    in a drawing only; of all sequences this one leaves the mass center at rest to the two digits of the speeds."""
    center, offset = (0.0, 0.0, 0.5), (0.0, 0.0, 1.0)
    axes = (_Z, _Z, _Y, _Z, _Y, _Z)
    return FloatingChain([Link(1.0, INERTIA, center, offset, axis=axis) for axis in axes])


#: its start, Table 4.1
SIX_START = Moving(
    np.zeros(3), np.eye(3), np.deg2rad([0.0, 90.0, 0.0, 90.0, 0.0]),
    np.array([0.96, -1.18, 0.24, -1.01, -0.61, 0.0, -0.83, 0.86, 2.01, -0.44, -0.84]),
)  # fmt: skip
