"""Rotations of space inside kernels: quaternions and rotation vectors, as tuples of numbers.

A unit quaternion (e₀, e₁, e₂, e₃), scalar first, transforms vectors from body axes to ground axes: R u = q ∘ u ∘ q⁻¹; q
and −q are the same rotation. A rotation vector φ is a turn by the angle |φ| about its own direction. A body that turns
by φ, given in its own axes, goes from q to q ∘ exp φ. Its angular velocity ω in its own axes and the rate of φ
determine each other; with φ̃ u = φ × u:

    ω = T(φ) φ̇,     T(φ) = 1 − (1 − cos φ)/φ² φ̃ + (φ − sin φ)/φ³ φ̃²
    φ̇ = T⁻¹(φ) ω,   T⁻¹(φ) = 1 + ½ φ̃ + c φ̃²,   c = (1 − ½ φ cot ½φ)/φ²

    R(φ) = Tᵀ T⁻¹ = T⁻¹ Tᵀ,   Tᵀ(φ) = T(−φ)

T is the sum of (−φ̃)ᵏ/(k + 1)!, the integral of exp(−s φ̃) over 0 ≤ s ≤ 1, and φ̃³ = −φ² φ̃ sums it up.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import compiled
from flexmb.kernels.vectors import combined, cross, dot, outer, tilde, tilde_product

#: |B₂ₖ|/(2k)! with Bernoulli's numbers, k = 1 …: the series of c in powers of φ²
_BERNOULLI = (
    1.0 / 12.0,
    1.0 / 720.0,
    1.0 / 30240.0,
    1.0 / 1209600.0,
    1.0 / 47900160.0,
    691.0 / 1307674368000.0,
    1.0 / 74724249600.0,
    3617.0 / 10670622842880000.0,
    43867.0 / 5109094217170944000.0,
    174611.0 / 802857662698291200000.0,
)


# -- quaternions -----------------------------------------------------------------------------------------------------


@compiled
def quaternion_in(row, k):
    """Four numbers of a row of parameters, from row[k] on."""
    return row[k], row[k + 1], row[k + 2], row[k + 3]


@compiled
def put_quaternion(row, k, q):
    """Write four numbers into row[k : k + 4]."""
    row[k], row[k + 1], row[k + 2], row[k + 3] = q[0], q[1], q[2], q[3]


@compiled
def quaternion_at(x, numbers, k):
    """Four coordinates of the system, with the indices numbers[k] … numbers[k + 3]."""
    return x[numbers[k]], x[numbers[k + 1]], x[numbers[k + 2]], x[numbers[k + 3]]


@compiled
def product(p, q):
    """p ∘ q: first the turn q, then the turn p, both about fixed axes."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@compiled
def inverse(q):
    """q⁻¹ of a unit quaternion."""
    return q[0], -q[1], -q[2], -q[3]


@compiled
def turned(q, u):
    """R u: a vector from body axes to ground axes."""
    e = (q[1], q[2], q[3])
    x = cross(e, u)
    y = cross(e, x)
    return u[0] + 2.0 * (q[0] * x[0] + y[0]), u[1] + 2.0 * (q[0] * x[1] + y[1]), u[2] + 2.0 * (q[0] * x[2] + y[2])


@compiled
def turned_back(q, u):
    """Rᵀ u: a vector from ground axes to body axes."""
    return turned(inverse(q), u)


@compiled
def rotation_matrix(q):
    """R of a unit quaternion."""
    e0, e1, e2, e3 = q
    return (
        1.0 - 2.0 * (e2 * e2 + e3 * e3),
        2.0 * (e1 * e2 - e0 * e3),
        2.0 * (e1 * e3 + e0 * e2),
        2.0 * (e1 * e2 + e0 * e3),
        1.0 - 2.0 * (e1 * e1 + e3 * e3),
        2.0 * (e2 * e3 - e0 * e1),
        2.0 * (e1 * e3 - e0 * e2),
        2.0 * (e2 * e3 + e0 * e1),
        1.0 - 2.0 * (e1 * e1 + e2 * e2),
    )


@compiled
def normalized(q):
    """A quaternion of length 1 with the direction of q."""
    s = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return s * q[0], s * q[1], s * q[2], s * q[3]


@compiled
def exp(phi):
    """The unit quaternion of a rotation vector: cos ½φ, and φ sin(½φ)/φ."""
    half = 0.5 * math.sqrt(dot(phi, phi))
    if half < 1e-8:  # sin x / x is 1 to round-off, and the square above may have lost its digits
        return 1.0, 0.5 * phi[0], 0.5 * phi[1], 0.5 * phi[2]
    s = 0.5 * math.sin(half) / half
    return math.cos(half), s * phi[0], s * phi[1], s * phi[2]


@compiled
def log(q):
    """The rotation vector of a unit quaternion or of its negative, of at most half a turn.

    The angle is 2 atan(|e|/|e₀|), which is exact near zero and near half a turn, where an arc cosine or an arc sine
    loses half of the digits."""
    s = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    k = 2.0 if s < 1e-8 else 2.0 * math.atan2(s, abs(q[0])) / s
    if q[0] < 0.0:
        k = -k
    return k * q[1], k * q[2], k * q[3]


@compiled
def counted_log(q, near):
    """The rotation vector of a unit quaternion with its sign and all whole turns: the φ + 4πk n that is closest to the
    rotation vector `near` along the axis n."""
    s = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    angle = 2.0 * math.atan2(s, q[0])
    axis, length = (q[1], q[2], q[3]), s
    if s < 1e-8:  # the quaternion does not determine an axis
        length = math.sqrt(dot(near, near))
        if length < 1.0:
            return 2.0 * q[1], 2.0 * q[2], 2.0 * q[3]
        axis = near
    along = dot(axis, near) / length
    angle += 4.0 * math.pi * math.floor((along - angle) / (4.0 * math.pi) + 0.5)
    k = angle / length
    return k * axis[0], k * axis[1], k * axis[2]


# -- rotation vectors and angular velocity ---------------------------------------------------------------------------


@compiled
def rate_map(phi):
    """T(φ): from φ̇ to the angular velocity in the axes of the body, for q = q₀ ∘ exp φ."""
    squared = dot(phi, phi)
    angle = math.sqrt(squared)
    s = 1.0 if angle < 1e-8 else math.sin(0.5 * angle) / (0.5 * angle)
    a = 0.5 * s * s
    if angle < 0.5:
        b = 1.0  # 6 (φ − sin φ)/φ³ = 1 − φ²/(4·5) (1 − φ²/(6·7) (…)), the next term is below 1e-20
        for k in range(16, 2, -2):
            b = 1.0 - squared / (k * (k + 1.0)) * b
        b /= 6.0
    else:
        b = (angle - math.sin(angle)) / (squared * angle)
    return (
        1.0 - b * (phi[1] * phi[1] + phi[2] * phi[2]),
        b * phi[0] * phi[1] + a * phi[2],
        b * phi[0] * phi[2] - a * phi[1],
        b * phi[0] * phi[1] - a * phi[2],
        1.0 - b * (phi[0] * phi[0] + phi[2] * phi[2]),
        b * phi[1] * phi[2] + a * phi[0],
        b * phi[0] * phi[2] + a * phi[1],
        b * phi[1] * phi[2] - a * phi[0],
        1.0 - b * (phi[0] * phi[0] + phi[1] * phi[1]),
    )


@compiled
def _inverse_coefficients(squared):
    """c of T⁻¹ and (dc/dφ)/φ, as functions of φ²."""
    c = 0.0
    d = 0.0
    if squared < 1.0:
        for k in range(len(_BERNOULLI) - 1, -1, -1):
            d = d * squared + c
            c = c * squared + _BERNOULLI[k]
        return c, 2.0 * d
    angle = math.sqrt(squared)
    cot = 1.0 / math.tan(0.5 * angle)
    c = (1.0 - 0.5 * angle * cot) / squared
    return c, (0.25 * (1.0 + cot * cot) - 0.5 * cot / angle - 2.0 * c) / squared


@compiled
def inverse_rate_map(phi):
    """T⁻¹(φ): from the angular velocity in the axes of the body to φ̇; |φ| is below a whole turn."""
    c, _ = _inverse_coefficients(dot(phi, phi))
    return (
        1.0 - c * (phi[1] * phi[1] + phi[2] * phi[2]),
        c * phi[0] * phi[1] - 0.5 * phi[2],
        c * phi[0] * phi[2] + 0.5 * phi[1],
        c * phi[0] * phi[1] + 0.5 * phi[2],
        1.0 - c * (phi[0] * phi[0] + phi[2] * phi[2]),
        c * phi[1] * phi[2] - 0.5 * phi[0],
        c * phi[0] * phi[2] - 0.5 * phi[1],
        c * phi[1] * phi[2] + 0.5 * phi[0],
        1.0 - c * (phi[0] * phi[0] + phi[1] * phi[1]),
    )


@compiled
def inverse_rate_map_change(phi, m, turn):
    """∂(T⁻¹(φ) m)/∂φ at fixed m for `turn` = 1, ∂(T⁻ᵀ(φ) m)/∂φ for `turn` = −1.

    T⁻¹ m = m ± ½ φ × m + c φ × (φ × m)
    ∂/∂φ: ∓½ m̃ − c ((φ × m)~ + φ̃ m̃) + c′/φ (φ × (φ × m)) φᵀ
    """
    c, d = _inverse_coefficients(dot(phi, phi))
    f = cross(phi, m)
    h = -0.5 * turn
    skew = tilde((h * m[0] - c * f[0], h * m[1] - c * f[1], h * m[2] - c * f[2]))
    rest = combined(-c, tilde_product(phi, m), d, outer(cross(phi, f), phi))
    return combined(1.0, skew, 1.0, rest)


@compiled
def rate_map_change(phi, m, x):
    """(∂T(φ)/∂φ · x) m: the change of T(φ) m = m − a φ × m + b φ × (φ × m) as φ changes by x."""
    squared = dot(phi, phi)
    if squared < 1.0:  # a = Σ (−φ²)ᵏ/(2k + 2)!, b = Σ (−φ²)ᵏ/(2k + 3)!, and (da/dφ)/φ, (db/dφ)/φ
        a, b, da, db = 0.5, 1.0 / 6.0, 0.0, 0.0
        power, factor = 1.0, 0.5
        for k in range(1, 11):
            factor /= -(2.0 * k + 1.0) * (2.0 * k + 2.0)
            da += 2.0 * k * power * factor
            db += 2.0 * k * power * factor / (2.0 * k + 3.0)
            power *= squared
            a += power * factor
            b += power * factor / (2.0 * k + 3.0)
    else:
        angle = math.sqrt(squared)
        sine, versed = math.sin(angle), 1.0 - math.cos(angle)
        a, b = versed / squared, (angle - sine) / (squared * angle)
        da = (angle * sine - 2.0 * versed) / (squared * squared)
        db = (angle * versed - 3.0 * (angle - sine)) / (squared * squared * angle)
    along = dot(phi, x)
    f = cross(phi, m)
    y, z, u, w = cross(phi, f), cross(x, m), cross(x, f), cross(phi, cross(x, m))
    da, db = da * along, db * along
    return (
        b * (u[0] + w[0]) + db * y[0] - da * f[0] - a * z[0],
        b * (u[1] + w[1]) + db * y[1] - da * f[1] - a * z[1],
        b * (u[2] + w[2]) + db * y[2] - da * f[2] - a * z[2],
    )
