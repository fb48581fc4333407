"""Spatial (six-dimensional) vectors in compiled code, angular part first: motions [ω; v] and forces [n; f] at a point.

A motion or a force is a pair of vectors, (angular, linear). Origin and axes are not stored: the caller knows them. Two
kinds of matrices map one to the other, both symmetric:

    inertia           (J, H, M): [J, H; Hᵀ, M], from accelerations to forces
    inverse inertia   (J, H, M) as well: [J, H; Hᵀ, M] from forces to accelerations

J and M are symmetric, six numbers xx, yy, zz, xy, xz, yz; H has nine, row by row. A change of origin is given by the
arm d from the new origin to the old one; with d̃ u = d × u

    motion    v_new = v + d × ω          X = [1, 0; d̃, 1]
    force     n_new = n + d × f          X* = [1, d̃; 0, 1] = X⁻ᵀ

as in Featherstone (2008), eqs. (2.24) and (2.25), where the arm has the opposite sign.
"""

from __future__ import annotations

from flexmb.kernels.compilation import compiled
from flexmb.kernels.vectors import applied, combined, cross, dot, matrix_in, plus, tilde, times, transposed

#: an inertia below this part of the one with which it is compared is round-off
NO_INERTIA = 1e-14
#: the zero six-vector
NOTHING = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


# -- symmetric matrices of three rows ----------------------------------------------------------------------------------


@compiled
def symmetric_applied(J, u):
    """J u."""
    return (
        J[0] * u[0] + J[3] * u[1] + J[4] * u[2],
        J[3] * u[0] + J[1] * u[1] + J[5] * u[2],
        J[4] * u[0] + J[5] * u[1] + J[2] * u[2],
    )


@compiled
def symmetric_turned(R, J):
    """R J Rᵀ."""
    x = symmetric_applied(J, (R[0], R[1], R[2]))
    y = symmetric_applied(J, (R[3], R[4], R[5]))
    z = symmetric_applied(J, (R[6], R[7], R[8]))
    return (
        R[0] * x[0] + R[1] * x[1] + R[2] * x[2],
        R[3] * y[0] + R[4] * y[1] + R[5] * y[2],
        R[6] * z[0] + R[7] * z[1] + R[8] * z[2],
        R[3] * x[0] + R[4] * x[1] + R[5] * x[2],
        R[6] * x[0] + R[7] * x[1] + R[8] * x[2],
        R[6] * y[0] + R[7] * y[1] + R[8] * y[2],
    )


@compiled
def symmetric_plus(A, x, B):
    """A + x B."""
    return (
        A[0] + x * B[0],
        A[1] + x * B[1],
        A[2] + x * B[2],
        A[3] + x * B[3],
        A[4] + x * B[4],
        A[5] + x * B[5],
    )


@compiled
def symmetric_square(u):
    """u uᵀ, as six numbers."""
    return u[0] * u[0], u[1] * u[1], u[2] * u[2], u[0] * u[1], u[0] * u[2], u[1] * u[2]


@compiled
def full(J):
    """The symmetric matrix J as nine numbers."""
    return J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]


@compiled
def tilde_symmetric(d, M):
    """d̃ M for a symmetric M, as nine numbers."""
    x, y, z = cross(d, (M[0], M[3], M[4])), cross(d, (M[3], M[1], M[5])), cross(d, (M[4], M[5], M[2]))
    return x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]


@compiled
def minus_tilde_twice(J, K, d):
    """J − K d̃ − (K d̃)ᵀ, which is symmetric."""
    return (
        J[0] - 2.0 * (K[1] * d[2] - K[2] * d[1]),
        J[1] - 2.0 * (K[5] * d[0] - K[3] * d[2]),
        J[2] - 2.0 * (K[6] * d[1] - K[7] * d[0]),
        J[3] - (K[2] * d[0] - K[0] * d[2]) - (K[4] * d[2] - K[5] * d[1]),
        J[4] - (K[0] * d[1] - K[1] * d[0]) - (K[7] * d[2] - K[8] * d[1]),
        J[5] - (K[3] * d[1] - K[4] * d[0]) - (K[8] * d[0] - K[6] * d[2]),
    )


# -- motions and forces ------------------------------------------------------------------------------------------------


@compiled
def sum_of(a, b):
    """a + b, of two six-vectors."""
    return plus(a[0], b[0]), plus(a[1], b[1])


@compiled
def multiple(x, a):
    """x a, of a six-vector."""
    return times(x, a[0]), times(x, a[1])


@compiled
def power(motion, force):
    """ω · n + v · f."""
    return dot(motion[0], force[0]) + dot(motion[1], force[1])


@compiled
def motion_at(motion, d):
    """X m: a motion about a new origin; d is the arm from the new origin to the old one."""
    return motion[0], plus(motion[1], cross(d, motion[0]))


@compiled
def force_at(force, d):
    """X* f: a force about a new origin; d is the arm from the new origin to the old one."""
    return plus(force[0], cross(d, force[1])), force[1]


@compiled
def turned_six(R, six):
    """A motion or a force in other axes: R applied to both parts."""
    return applied(R, six[0]), applied(R, six[1])


@compiled
def motion_cross(V, m):
    """V × m = [ω × m₀; ω × m₁ + v × m₀]: the rate of a motion vector that is constant in a frame moving with V."""
    return cross(V[0], m[0]), plus(cross(V[0], m[1]), cross(V[1], m[0]))


@compiled
def force_cross(V, f):
    """V ×* f = [ω × n + v × f; ω × f] = −(V×)ᵀ f: the rate of a force vector that is constant in a frame moving with
    V."""
    return plus(cross(V[0], f[0]), cross(V[1], f[1])), cross(V[0], f[1])


# -- inertias ----------------------------------------------------------------------------------------------------------


@compiled
def rigid_inertia(mass, moment, J):
    """The inertia of a rigid body from its mass, first moment m c and inertia tensor J about the origin."""
    zero = 0.0 * mass
    return J, tilde(moment), (mass, mass, mass, zero, zero, zero)


@compiled
def inertia_about_center(mass, moment, J):
    """The inertia tensor about the mass center from that about the origin: J − m (c² 1 − c cᵀ)."""
    k = 1.0 / mass
    square = k * dot(moment, moment)
    J = symmetric_plus(J, k, symmetric_square(moment))
    return J[0] - square, J[1] - square, J[2] - square, J[3], J[4], J[5]


@compiled
def inverse_rigid_inertia(mass, moment, J):
    """Φ = [J_C⁻¹, J_C⁻¹ c̃ᵀ; c̃ J_C⁻¹, 1/m + c̃ J_C⁻¹ c̃ᵀ]: Takahashi (2012), eq. (A.34), its arm pointing from the center
    to the origin."""
    c = times(1.0 / mass, moment)
    K = symmetric_inverse(inertia_about_center(mass, moment, J))
    zero = 0.0 * mass
    return force_to_motion_at((K, tilde((zero, zero, zero)), (1.0 / mass, 1.0 / mass, 1.0 / mass, zero, zero, zero)), c)


@compiled
def symmetric_inverse(J):
    """J⁻¹, by cofactors."""
    a = J[1] * J[2] - J[5] * J[5]
    b = J[4] * J[5] - J[3] * J[2]
    c = J[3] * J[5] - J[4] * J[1]
    k = 1.0 / (J[0] * a + J[3] * b + J[4] * c)
    return (
        k * a,
        k * (J[0] * J[2] - J[4] * J[4]),
        k * (J[0] * J[1] - J[3] * J[3]),
        k * b,
        k * c,
        k * (J[3] * J[4] - J[0] * J[5]),
    )


@compiled
def inertia_applied(A, motion):
    """A m, the force for a motion m; with an inverse inertia A the motion for a force m."""
    J, H, M = A
    return (
        plus(symmetric_applied(J, motion[0]), applied(H, motion[1])),
        plus(applied(transposed(H), motion[0]), symmetric_applied(M, motion[1])),
    )


@compiled
def inertia_at(A, d):
    """X* A X⁻¹: an inertia about a new origin; d is the arm from the new origin to the old one.

    The blocks become H + d̃ M and J − K d̃ − (K d̃)ᵀ, with K = H + ½ d̃ M."""
    J, H, M = A
    G = tilde_symmetric(d, M)
    return minus_tilde_twice(J, combined(1.0, H, 0.5, G), d), combined(1.0, H, 1.0, G), M


@compiled
def force_to_motion_at(A, d):
    """X Φ Xᵀ: an inverse inertia about a new origin. Its blocks transform as those of an inertia with J and M
    exchanged."""
    J, H, M = A
    M, H, J = inertia_at((M, transposed(H), J), d)
    return J, transposed(H), M


@compiled
def inertia_turned(R, A):
    """An inertia or inverse inertia in other axes."""
    J, H, M = A
    x, y, z = applied(R, (H[0], H[3], H[6])), applied(R, (H[1], H[4], H[7])), applied(R, (H[2], H[5], H[8]))
    rows = applied(R, (x[0], y[0], z[0])), applied(R, (x[1], y[1], z[1])), applied(R, (x[2], y[2], z[2]))
    return symmetric_turned(R, J), (*rows[0], *rows[1], *rows[2]), symmetric_turned(R, M)


@compiled
def inertia_plus(A, B):
    """A + B."""
    return symmetric_plus(A[0], 1.0, B[0]), combined(1.0, A[1], 1.0, B[1]), symmetric_plus(A[2], 1.0, B[2])


@compiled
def inertia_without(A, x, U):
    """A − x U Uᵀ with a six-vector U: an inertia less its projection on one joint motion."""
    n, f = U
    s, g = times(x, n), times(x, f)
    J, H, M = A
    return (
        (
            J[0] - s[0] * n[0],
            J[1] - s[1] * n[1],
            J[2] - s[2] * n[2],
            J[3] - s[0] * n[1],
            J[4] - s[0] * n[2],
            J[5] - s[1] * n[2],
        ),
        (
            H[0] - s[0] * f[0],
            H[1] - s[0] * f[1],
            H[2] - s[0] * f[2],
            H[3] - s[1] * f[0],
            H[4] - s[1] * f[1],
            H[5] - s[1] * f[2],
            H[6] - s[2] * f[0],
            H[7] - s[2] * f[1],
            H[8] - s[2] * f[2],
        ),
        (
            M[0] - g[0] * f[0],
            M[1] - g[1] * f[1],
            M[2] - g[2] * f[2],
            M[3] - g[0] * f[1],
            M[4] - g[0] * f[2],
            M[5] - g[1] * f[2],
        ),
    )


# -- rows of arrays ----------------------------------------------------------------------------------------------------


@compiled
def six_in(array, k):
    """The six-vector in a row of an array (n, 6)."""
    return (array[k, 0], array[k, 1], array[k, 2]), (array[k, 3], array[k, 4], array[k, 5])


@compiled
def symmetric_in(array, k):
    """The symmetric matrix in a row of an array (n, 6)."""
    return array[k, 0], array[k, 1], array[k, 2], array[k, 3], array[k, 4], array[k, 5]


@compiled
def nine_in(array, k):
    """The matrix in a row of an array (n, 9)."""
    return matrix_in(array[k], 0)


@compiled
def put_six(array, k, six):
    """Write a six-vector into a row of an array (n, 6)."""
    for i in range(3):
        array[k, i] = six[0][i]
        array[k, 3 + i] = six[1][i]


@compiled
def put_numbers(array, k, numbers):
    """Write a vector or a matrix into a row of an array."""
    for i in range(len(numbers)):
        array[k, i] = numbers[i]


@compiled
def inertia_in(array, k):
    """The inertia in a row of an array (n, 21)."""
    a = array[k]
    return (
        (a[0], a[1], a[2], a[3], a[4], a[5]),
        (a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14]),
        (a[15], a[16], a[17], a[18], a[19], a[20]),
    )


@compiled
def put_inertia(array, k, A):
    """Write an inertia into a row of an array (n, 21)."""
    J, H, M = A
    for i in range(6):
        array[k, i] = J[i]
        array[k, 15 + i] = M[i]
    for i in range(9):
        array[k, 6 + i] = H[i]
