"""The linear bicycle of Whipple, as Meijaard, Papadopoulos, Ruina and Schwab (2007) write it.

Lean φ to the right and steer δ to the right of a bicycle with the speed v obey

    M q̈ + v C₁ q̇ + (g K₀ + v² K₂) q = 0,    q = (φ, δ)

with the matrices of their appendix A, made here from the 25 parameters: axes x forward and z down, a wheelbase w, a
trail c, an inclination λ of the steering axis, wheels R (rear) and F (front), the rear frame B with its rider, and the
front frame H. The weave speed is the one from which the real part of the complex pair is negative, the capsize speed
the one at which the determinant of g K₀ + v² K₂ is zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq


@dataclass(frozen=True)
class Bicycle:
    """The benchmark's parameters in kg, m, rad: masses, places (x, z) of mass centers, inertia (xx, zz, xz), and the
    polar inertia of the wheels."""

    w: float = 1.02
    c: float = 0.08
    lam: float = np.pi / 10.0
    g: float = 9.81
    r_r: float = 0.3
    m_r: float = 2.0
    i_r: tuple[float, float] = (0.0603, 0.12)
    m_b: float = 85.0
    at_b: tuple[float, float] = (0.3, -0.9)
    i_b: tuple[float, float, float] = (9.2, 2.8, 2.4)
    m_h: float = 4.0
    at_h: tuple[float, float] = (0.9, -0.7)
    i_h: tuple[float, float, float] = (0.05892, 0.00708, -0.00756)
    r_f: float = 0.35
    m_f: float = 3.0
    i_f: tuple[float, float] = (0.1405, 0.28)

    def matrices(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """M, C₁, K₀, K₂, (2, 2) each."""
        w, c, m_r, m_b, m_h, m_f = self.w, self.c, self.m_r, self.m_b, self.m_h, self.m_f
        (x_b, z_b), (x_h, z_h), sin, cos = self.at_b, self.at_h, np.sin(self.lam), np.cos(self.lam)
        # the whole bicycle
        m_t = m_r + m_b + m_h + m_f
        x_t = (x_b * m_b + x_h * m_h + w * m_f) / m_t
        z_t = (-self.r_r * m_r + z_b * m_b + z_h * m_h - self.r_f * m_f) / m_t
        t_xx = self.i_r[0] + self.i_b[0] + self.i_h[0] + self.i_f[0]
        t_xx += m_r * self.r_r**2 + m_b * z_b**2 + m_h * z_h**2 + m_f * self.r_f**2
        t_xz = self.i_b[2] + self.i_h[2] - m_b * x_b * z_b - m_h * x_h * z_h + m_f * w * self.r_f
        t_zz = self.i_r[0] + self.i_b[1] + self.i_h[1] + self.i_f[0] + m_b * x_b**2 + m_h * x_h**2 + m_f * w**2
        # what is steered
        m_a = m_h + m_f
        x_a, z_a = (x_h * m_h + w * m_f) / m_a, (z_h * m_h - self.r_f * m_f) / m_a
        a_xx = self.i_h[0] + self.i_f[0] + m_h * (z_h - z_a) ** 2 + m_f * (self.r_f + z_a) ** 2
        a_xz = self.i_h[2] - m_h * (x_h - x_a) * (z_h - z_a) + m_f * (w - x_a) * (self.r_f + z_a)
        a_zz = self.i_h[1] + self.i_f[0] + m_h * (x_h - x_a) ** 2 + m_f * (w - x_a) ** 2
        u = (x_a - w - c) * cos - z_a * sin
        a_ll = m_a * u**2 + a_xx * sin**2 + 2.0 * a_xz * sin * cos + a_zz * cos**2
        a_lx = -m_a * u * z_a + a_xx * sin + a_xz * cos
        a_lz = m_a * u * x_a + a_xz * sin + a_zz * cos
        mu = c / w * cos
        s_r, s_f = self.i_r[1] / self.r_r, self.i_f[1] / self.r_f
        s_t, s_a = s_r + s_f, m_a * u + mu * m_t * x_t
        coupled = a_lx + mu * t_xz
        M = np.array([[t_xx, coupled], [coupled, a_ll + 2.0 * mu * a_lz + mu**2 * t_zz]])
        K0 = np.array([[m_t * z_t, -s_a], [-s_a, -s_a * sin]])
        K2 = np.array([[0.0, (s_t - m_t * z_t) / w * cos], [0.0, (s_a + s_f * sin) / w * cos]])
        across = mu * s_t + s_f * cos
        C1 = np.array([
            [0.0, across + t_xz / w * cos - mu * m_t * z_t], [-across, a_lz / w * cos + mu * (s_a + t_zz / w * cos)]
        ])  # fmt: skip
        return M, C1, K0, K2

    def eigenvalues(self, speed: float) -> np.ndarray:
        """The four eigenvalues at a speed, in the order of their real parts."""
        M, C1, K0, K2 = self.matrices()
        inverse = np.linalg.inv(M)
        stiffness, damping = inverse @ (self.g * K0 + speed**2 * K2), speed * inverse @ C1
        values = np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], [-stiffness, -damping]]))
        return np.asarray(values[np.lexsort((values.imag, values.real.round(9)))])

    def weave_speed(self) -> float:
        """The speed [m/s] at which the real part of the complex pair goes through zero."""

        def growth(speed: float) -> float:
            values = self.eigenvalues(speed)
            return float(values[np.argmax(values.imag)].real)

        return float(brentq(growth, 3.0, 5.0, xtol=1e-13))

    def capsize_speed(self) -> float:
        """The speed [m/s] at which an eigenvalue is zero."""
        _, _, K0, K2 = self.matrices()
        return float(brentq(lambda v: np.linalg.det(self.g * K0 + v * v * K2), 5.0, 7.0, xtol=1e-13))
