"""Vectors and matrices of space inside kernels: tuples of three numbers, and of nine, row by row; no arrays."""

from __future__ import annotations

from flexmb.kernels.compilation import compiled

#: the unit matrix
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
#: the zero vector
NONE = (0.0, 0.0, 0.0)


@compiled
def dot(a, b):
    """a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@compiled
def cross(a, b):
    """a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@compiled
def plus(a, b):
    """a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@compiled
def minus(a, b):
    """a − b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@compiled
def times(x, a):
    """x a, for a number x."""
    return x * a[0], x * a[1], x * a[2]


@compiled
def turning_acceleration(omega, alpha, s):
    """α × s + ω × (ω × s)."""
    return plus(cross(alpha, s), cross(omega, cross(omega, s)))


@compiled
def applied(A, u):
    """A u."""
    return (
        A[0] * u[0] + A[1] * u[1] + A[2] * u[2],
        A[3] * u[0] + A[4] * u[1] + A[5] * u[2],
        A[6] * u[0] + A[7] * u[1] + A[8] * u[2],
    )


@compiled
def transposed(A):
    """Aᵀ."""
    return A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]


@compiled
def matrix_product(A, B):
    """A B."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@compiled
def combined(x, A, y, B):
    """x A + y B, for numbers x and y."""
    return (
        x * A[0] + y * B[0],
        x * A[1] + y * B[1],
        x * A[2] + y * B[2],
        x * A[3] + y * B[3],
        x * A[4] + y * B[4],
        x * A[5] + y * B[5],
        x * A[6] + y * B[6],
        x * A[7] + y * B[7],
        x * A[8] + y * B[8],
    )


@compiled
def tilde(u):
    """ũ, the matrix of the cross product: ũ x = u × x."""
    return 0.0, -u[2], u[1], u[2], 0.0, -u[0], -u[1], u[0], 0.0


@compiled
def tilde_product(u, v):
    """ũ ṽ = v uᵀ − (u · v) 1."""
    s = dot(u, v)
    return (
        v[0] * u[0] - s,
        v[0] * u[1],
        v[0] * u[2],
        v[1] * u[0],
        v[1] * u[1] - s,
        v[1] * u[2],
        v[2] * u[0],
        v[2] * u[1],
        v[2] * u[2] - s,
    )


@compiled
def outer(u, v):
    """u vᵀ."""
    return (
        u[0] * v[0],
        u[0] * v[1],
        u[0] * v[2],
        u[1] * v[0],
        u[1] * v[1],
        u[1] * v[2],
        u[2] * v[0],
        u[2] * v[1],
        u[2] * v[2],
    )


# -- rows of arrays --------------------------------------------------------------------------------------------------


@compiled
def vector_in(row, k):
    """Three numbers of a row of parameters, from row[k] on."""
    return row[k], row[k + 1], row[k + 2]


@compiled
def matrix_in(row, k):
    """Nine numbers of a row of parameters, from row[k] on: a matrix, row by row."""
    return (
        row[k], row[k + 1], row[k + 2], row[k + 3], row[k + 4], row[k + 5], row[k + 6], row[k + 7], row[k + 8]
    )  # fmt: skip


@compiled
def cubics_in(row, k, x):
    """A vector that is a cubic of x, and its two derivatives; its twelve coefficients, lowest power first, begin at
    row[k]."""
    c1, c2, c3 = vector_in(row, k + 3), vector_in(row, k + 6), vector_in(row, k + 9)
    value = plus(vector_in(row, k), times(x, plus(c1, times(x, plus(c2, times(x, c3))))))
    rate = plus(c1, times(x, plus(times(2.0, c2), times(3.0 * x, c3))))
    return value, rate, plus(times(2.0, c2), times(6.0 * x, c3))


@compiled
def vector_at(x, numbers, k):
    """Three coordinates or speeds of the system, with the indices numbers[k], numbers[k + 1], numbers[k + 2]."""
    return x[numbers[k]], x[numbers[k + 1]], x[numbers[k + 2]]


@compiled
def put(row, k, u):
    """Write a vector to row[k : k + 3]."""
    row[k] = u[0]
    row[k + 1] = u[1]
    row[k + 2] = u[2]


@compiled
def add_block(K, i, j, x, A):
    """K[i : i + 3, j : j + 3] += x A."""
    for r in range(3):
        K[i + r, j] += x * A[3 * r]
        K[i + r, j + 1] += x * A[3 * r + 1]
        K[i + r, j + 2] += x * A[3 * r + 2]
