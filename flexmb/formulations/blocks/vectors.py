"""Vectors and matrices of expressions: three and nine scalars, symmetric matrices six (xx, yy, zz, xy, xz, yz)."""

from __future__ import annotations

from collections.abc import Sequence

from flexmb.formulations.blocks.expressions import Scalar

Vector = tuple[Scalar, Scalar, Scalar]
Matrix = Sequence[Scalar]
Symmetric = Sequence[Scalar]

ZERO: Vector = (0.0, 0.0, 0.0)
UNIT: Matrix = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def plus(a: Vector, b: Vector) -> Vector:
    """a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def minus(a: Vector, b: Vector) -> Vector:
    """a − b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def times(x: Scalar, a: Vector) -> Vector:
    """x a."""
    return x * a[0], x * a[1], x * a[2]


def dot(a: Vector, b: Vector) -> Scalar:
    """a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def applied(R: Matrix, a: Vector) -> Vector:
    """R a."""
    return dot((R[0], R[1], R[2]), a), dot((R[3], R[4], R[5]), a), dot((R[6], R[7], R[8]), a)


def transposed(R: Matrix) -> Matrix:
    """Rᵀ."""
    return R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]


def back(R: Matrix, a: Vector) -> Vector:
    """Rᵀ a."""
    return applied(transposed(R), a)


def product(A: Matrix, B: Matrix) -> Matrix:
    """A B."""
    columns = [(B[k], B[3 + k], B[6 + k]) for k in range(3)]
    return tuple(dot((A[3 * i], A[3 * i + 1], A[3 * i + 2]), column) for i in range(3) for column in columns)


def symmetric_applied(J: Symmetric, a: Vector) -> Vector:
    """J a."""
    return dot((J[0], J[3], J[4]), a), dot((J[3], J[1], J[5]), a), dot((J[4], J[5], J[2]), a)


def symmetric_turned(R: Matrix, J: Symmetric) -> Symmetric:
    """R J Rᵀ."""
    x, y, z = (symmetric_applied(J, (R[3 * i], R[3 * i + 1], R[3 * i + 2])) for i in range(3))
    rows = [(R[0], R[1], R[2]), (R[3], R[4], R[5]), (R[6], R[7], R[8])]
    return dot(rows[0], x), dot(rows[1], y), dot(rows[2], z), dot(rows[1], x), dot(rows[2], x), dot(rows[2], y)


def turned_about_z(c: Scalar, s: Scalar, J: Symmetric) -> Symmetric:
    """R J Rᵀ for a turn about z with the cosine c and the sine s, with w = s (Jxx − Jyy) + 2 c Jxy."""
    w = s * (J[0] - J[1]) + 2.0 * (c * J[3])
    return J[0] - s * w, J[1] + s * w, J[2], c * w - J[3], c * J[4] - s * J[5], s * J[4] + c * J[5]


def about_another_point(m: Scalar, s: Vector, J: Symmetric, d: Vector) -> tuple[Vector, Symmetric]:
    """First moment and inertia about a point from which the arm to the old one is d: s + m d and
    J + m (d² 1 − d dᵀ) + 2 d · s 1 − d sᵀ − s dᵀ."""
    both = plus(s, times(m, d))
    x, y, z = (d[k] * (s[k] + both[k]) for k in range(3))
    return both, (
        J[0] + (y + z), J[1] + (x + z), J[2] + (x + y),
        J[3] - (d[0] * both[1] + s[0] * d[1]), J[4] - (d[0] * both[2] + s[0] * d[2]),
        J[5] - (d[1] * both[2] + s[1] * d[2]),
    )  # fmt: skip


def quaternion_matrix(w: Scalar, x: Scalar, y: Scalar, z: Scalar, twice: Scalar) -> Matrix:
    """The rotation of a quaternion of any length, with `twice` = 2 / |q|²."""
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    wx, wy, wz = w * x, w * y, w * z
    return (
        1.0 - twice * (yy + zz), twice * (xy - wz), twice * (xz + wy),
        twice * (xy + wz), 1.0 - twice * (xx + zz), twice * (yz - wx),
        twice * (xz - wy), twice * (yz + wx), 1.0 - twice * (xx + yy),
    )  # fmt: skip
