"""Joint coordinates x (nq,) and joint speeds u (nv,) as a Lie group: how an increment y (nv,) moves x, and ẋ from u and
back.

Angles, displacements and inner coordinates have ẋ = u. A ball joint, and a free joint after its position, has a unit
quaternion in x and the angular velocity ω, in the axes of b, in u:

    x ∘ exp y,      ẋ = ½ x ∘ ω,      ω = 2 x⁻¹ ∘ ẋ
"""

from __future__ import annotations

from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.rotations import exp, inverse, log, normalized, product, put_quaternion, quaternion_in
from flexmb.kernels.vectors import put, vector_in
from flexmb.model.ways import BALL, FIXED, FREE


@inlined
def _parts(joints, s):
    """Layout of joint motion s: how many coordinates have ẋ = u; where its coordinates and its speeds begin; whether a
    quaternion follows."""
    kind = joints.kind[s]
    plain = 3 if kind == FREE else 0 if kind == BALL or kind == FIXED else 1
    return plain, joints.at_q[s], joints.at_v[s], kind == BALL or kind == FREE


@called(None)
def move(joints, x0, y, x):
    """x = x₀ ∘ exp y."""
    for s in range(joints.kind.shape[0]):
        plain, i, k, turns = _parts(joints, s)
        for c in range(plain):
            x[i + c] = x0[i + c] + y[k + c]
        if turns:
            put_quaternion(x, i + plain, product(quaternion_in(x0, i + plain), exp(vector_in(y, k + plain))))
    for i in range(joints.inner):
        x[joints.nq - 1 - i] = x0[joints.nq - 1 - i] + y[joints.nv - 1 - i]


@called(None)
def increment(joints, x0, x, y):
    """The increment y (nv,) of at most half a turn with x = x₀ ∘ exp y, for quaternions of unit length."""
    for s in range(joints.kind.shape[0]):
        plain, i, k, turns = _parts(joints, s)
        for c in range(plain):
            y[k + c] = x[i + c] - x0[i + c]
        if turns:
            put(y, k + plain, log(product(inverse(quaternion_in(x0, i + plain)), quaternion_in(x, i + plain))))
    for i in range(joints.inner):
        y[joints.nv - 1 - i] = x[joints.nq - 1 - i] - x0[joints.nq - 1 - i]


@called(None)
def normalize(joints, x):
    """Scale the quaternions in x to unit length."""
    for s in range(joints.kind.shape[0]):
        plain, i, _, turns = _parts(joints, s)
        if turns:
            put_quaternion(x, i + plain, normalized(quaternion_in(x, i + plain)))


@called(None)
def rates_of(joints, x, u, dx):
    """ẋ (nq,) from speeds u (nv,); quaternions are not normalized first."""
    for s in range(joints.kind.shape[0]):
        plain, i, k, turns = _parts(joints, s)
        for c in range(plain):
            dx[i + c] = u[k + c]
        if turns:
            wx, wy, wz = vector_in(u, k + plain)
            put_quaternion(dx, i + plain, product(quaternion_in(x, i + plain), (0.0, 0.5 * wx, 0.5 * wy, 0.5 * wz)))
    for i in range(joints.inner):
        dx[joints.nq - 1 - i] = u[joints.nv - 1 - i]


@called(None)
def speeds_of_rates(joints, x, dx, u):
    """u (nv,) from rates ẋ (nq,); quaternions may have any length."""
    for s in range(joints.kind.shape[0]):
        plain, i, k, turns = _parts(joints, s)
        for c in range(plain):
            u[k + c] = dx[i + c]
        if turns:
            p = quaternion_in(x, i + plain)
            _, wx, wy, wz = product((p[0], -p[1], -p[2], -p[3]), quaternion_in(dx, i + plain))
            length = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]
            put(u, k + plain, (2.0 * wx / length, 2.0 * wy / length, 2.0 * wz / length))
    for i in range(joints.inner):
        u[joints.nv - 1 - i] = dx[joints.nq - 1 - i]
