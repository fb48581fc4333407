"""Rotations as functions of time in the parameters of a kernel: A(t) with its angular velocity and acceleration.

Layout, from index k on, after a function of time τ(t) at which the rotation is evaluated (:mod:`flexmb.kernels.slots`):

    TABLE, n, times (n), then for each interval a quaternion (4) and the cubics of a rotation vector (12)
    VECTOR, three functions            A = exp φ
    EULER, three axes (0, 1, 2), three functions     A = E₁ E₂ E₃, turns about these axes, each in the axes before it

In a table A = A_k exp φ with φ a cubic of τ − τ_k (lowest power first, three numbers each), as in SciPy's
RotationSpline; before and after the table A is constant. For A = exp φ, with x = φ · φ and T as in
:mod:`flexmb.kernels.rotations`:

    Ω = T φ̇ = φ̇ − a φ × φ̇ + b φ × (φ × φ̇),   a = (1 − cos φ)/φ²,  b = (φ − sin φ)/φ³
    Ω̇ = T φ̈ + ẋ (−a′ φ × φ̇ + b′ φ × (φ × φ̇)) + b φ̇ × (φ × φ̇),   a′, b′ their derivatives by x
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import compiled
from flexmb.kernels.euler_angles import angular_velocity, quaternion_of_angles
from flexmb.kernels.rotations import exp, product, quaternion_in
from flexmb.kernels.slots import interval_in, time_function
from flexmb.kernels.vectors import cross, cubics_in, dot, plus, times

#: kinds of rotations over time
TABLE, VECTOR, EULER = 0.0, 1.0, 2.0


@compiled
def map_coefficients(x):
    """a, b, a′, b′ as functions of x = φ²: T(φ) and its change are made of these."""
    if x < 1.0:
        a = 0.0
        b = 0.0
        a_x = 0.0
        b_x = 0.0
        power = 1.0  # (−x)ᵏ/(2k + 2)!
        slope = 0.0  # its derivative by x
        factor = 0.5
        for k in range(12):
            a += power * factor
            b += power * factor / (2.0 * k + 3.0)
            a_x += slope * factor
            b_x += slope * factor / (2.0 * k + 3.0)
            slope = -(k + 1.0) * power
            power = -x * power
            factor /= (2.0 * k + 3.0) * (2.0 * k + 4.0)
        return a, b, a_x, b_x
    angle = math.sqrt(x)
    sine = math.sin(angle) / angle
    half = math.sin(0.5 * angle)
    a = 2.0 * half * half / x
    b = (1.0 - sine) / x
    return a, b, 0.5 * (sine - 2.0 * a) / x, 0.5 * (a - 3.0 * b) / x


@compiled
def rotation_rates(phi, phid, phidd):
    """Ω and Ω̇ of exp φ, in the axes of the rotated frame."""
    a, b, a_x, b_x = map_coefficients(dot(phi, phi))
    xd = 2.0 * dot(phi, phid)
    f = cross(phi, phid)
    g = cross(phi, f)
    omega = plus(phid, plus(times(-a, f), times(b, g)))
    h = cross(phi, phidd)
    alpha = plus(phidd, plus(times(-a, h), times(b, cross(phi, h))))
    alpha = plus(alpha, plus(times(-xd * a_x, f), times(xd * b_x, g)))
    return omega, plus(alpha, times(b, cross(phid, f)))


@compiled
def _table(row, k, t):
    """A, Ω, Ω̇ of a table; its number of times is row[k]."""
    n = int(row[k])
    low = k + 1
    high = k + n
    still = t < row[low] or t > row[high]
    t = min(max(t, row[low]), row[high])
    low = interval_in(row, low, high, t)
    at = k + n + 1 + 16 * (low - k - 1)
    phi, phid, phidd = cubics_in(row, at + 4, t - row[low])
    A = product(quaternion_in(row, at), exp(phi))
    if still:
        return A, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    omega, alpha = rotation_rates(phi, phid, phidd)
    return A, omega, alpha


@compiled
def _three(row, k, t):
    """Values, rates and second rates of three functions, which begin at row[k]."""
    x, xd, xdd = time_function(row, k, t)
    k += int(row[k + 1])
    y, yd, ydd = time_function(row, k, t)
    k += int(row[k + 1])
    z, zd, zdd = time_function(row, k, t)
    return (x, y, z), (xd, yd, zd), (xdd, ydd, zdd)


@compiled
def _euler(row, k, t):
    """A, Ω, Ω̇ of three turns; their axes are row[k] … row[k + 2]."""
    axes = int(row[k]), int(row[k + 1]), int(row[k + 2])
    x, rates, second_rates = _three(row, k + 3, t)
    omega, alpha = angular_velocity(axes, x, rates, rates, second_rates)  # α is the change of ω in unit time
    return quaternion_of_angles(axes, x), omega, alpha


@compiled
def _vector(row, k, t):
    """A, Ω, Ω̇ of a rotation vector, whose functions begin at row[k]."""
    phi, phid, phidd = _three(row, k, t)
    omega, alpha = rotation_rates(phi, phid, phidd)
    return exp(phi), omega, alpha


@compiled
def rotation_function(row, k, t):
    """The quaternion of A(τ(t)), and its angular velocity and acceleration in the axes of the rotated frame; parameters
    begin at row[k].

    They are Ω τ̇ and Ω̇ τ̇² + Ω τ̈, with Ω and Ω̇ those of A(τ)."""
    f, fd, fdd = time_function(row, k, t)
    k += int(row[k + 1])
    if row[k] == TABLE:
        A, omega, alpha = _table(row, k + 1, f)
    elif row[k] == VECTOR:
        A, omega, alpha = _vector(row, k + 1, f)
    else:
        A, omega, alpha = _euler(row, k + 1, f)
    return A, times(fd, omega), plus(times(fd * fd, alpha), times(fdd, omega))
