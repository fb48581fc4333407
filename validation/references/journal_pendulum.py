"""A pendulum in space on a bearing with friction, by one coordinate: the angle θ about an axis e through the origin.

With the place r of the mass center and the inertia I about the origin, both turned by θ, and ω = θ̇ e, α = θ̈ e:

    f = m (α × r + ω × (ω × r) − g),      M = I α + ω × I ω − m r × g

are what the bearing does, M but for friction across e. The normal forces of a journal of radius R and length L, and of
its thrust face, follow (:class:`flexmb.JointFriction` says the same), and the equation  e · M = −friction  is implicit
in θ̈: it is solved by a search for its root at each evaluation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation


@dataclass(frozen=True)
class JournalPendulum:
    """`mass` [kg], principal `inertia` [kg m²] about the mass center, which starts at `center` [m]; the `axis`; bearing
    `radius`, `length` [m] and `thrust_radius` [m]; the friction law and `preload` [N]; gravity along −z."""

    mass: float = 2.0
    inertia: tuple[float, float, float] = (0.03, 0.05, 0.04)
    center: tuple[float, float, float] = (0.5, 0.1, 0.05)
    axis: tuple[float, float, float] = (0.0, 0.96, 0.28)
    radius: float = 0.03
    length: float = 0.2
    thrust_radius: float = 0.05
    coefficient: float = 0.2
    static: float = 0.3
    stribeck_speed: float = 0.05
    smoothing: float = 0.01
    viscous: float = 2.0
    preload: float = 1.0
    small_force: float = 1e-3
    weight: float = 9.81

    def grip(self, u: float) -> float:
        """The coefficient of friction at a speed of slip [m/s], with its sign."""
        fall = (self.static - self.coefficient) * np.exp(-((u / self.stribeck_speed) ** 2))
        return float((self.coefficient + fall) * np.tanh(u / self.smoothing))

    def torque(self, theta: float, rate: float, second: float) -> tuple[float, float]:
        """e · M, and the torque of friction about e [Nm] against the motion."""
        e = np.array(self.axis)
        turn = Rotation.from_rotvec(theta * e)
        r = turn.apply(self.center)
        R = turn.as_matrix()
        inertia = R @ np.diag(self.inertia) @ R.T + self.mass * (r @ r * np.eye(3) - np.outer(r, r))
        gravity = np.array([0.0, 0.0, -self.weight])
        omega, alpha = rate * e, second * e
        f = self.mass * (np.cross(alpha, r) + np.cross(omega, np.cross(omega, r)) - gravity)
        M = inertia @ alpha + np.cross(omega, inertia @ omega) - self.mass * np.cross(r, gravity)
        pair = np.cross(M, e) / self.length
        half = 0.5 * (f - f @ e * e)
        size = [np.sqrt(x @ x + self.small_force**2) - self.small_force for x in (half + pair, half - pair, f @ e * e)]
        slip, face = self.radius * rate, self.thrust_radius * rate
        journal = self.radius * (self.grip(slip) * (size[0] + size[1] + self.preload) + self.viscous * slip)
        return float(e @ M), float(journal + self.thrust_radius * self.grip(face) * size[2])

    def second_rate(self, theta: float, rate: float) -> float:
        """θ̈ [rad/s²]."""

        def left(second: float) -> float:
            own, friction = self.torque(theta, rate, second)
            return own + friction

        return float(brentq(left, -1e4, 1e4, xtol=1e-13, rtol=1e-14))

    def angle(self, times: list[float]) -> np.ndarray:
        """θ [rad] at some times after a start at rest."""
        motion = solve_ivp(
            lambda _, y: [y[1], self.second_rate(y[0], y[1])], (0.0, times[-1]), [0.0, 0.0], "DOP853",
            t_eval=times, rtol=1e-11, atol=1e-12,
        )  # fmt: skip
        return np.asarray(motion.y[0])
