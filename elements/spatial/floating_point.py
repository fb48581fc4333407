"""Places and sections of the floating beam in space, see :mod:`flexmb.elements.spatial.floating_beam`."""

from __future__ import annotations

import math

from flexmb.kernels.compilation import compiled, inlined, kernel
from flexmb.kernels.rotations import product, quaternion_at, quaternion_in, turned, turned_back
from flexmb.kernels.vectors import cross, dot, plus, put, times, turning_acceleration, vector_at, vector_in
from flexmb.kernels.views import matrix_view

# places of the parameters behind those of the body, counted from its end
TURN, BENDING, TORSION, EIY, EIZ, GJ, BETA = -10, *range(-6, 0)


@inlined
def _turn_of(p, i):
    """The quaternion from the axes of the node to those of the body frame."""
    return quaternion_in(p[i], p.shape[1] + TURN)


@inlined
def unit(k):
    """The unit vector e_k."""
    return 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0


@compiled
def sum_of(w, at, x, numbers, first, n):
    """Σ w[at + k] x_k."""
    total = 0.0
    for k in range(n):
        total += w[at + k] * x[numbers[first + k]]
    return total


@compiled
def _axes_of(slope_y, slope_z):
    """The axis about which −w' turns, Rz e_y, and that of the twist, Rz Ry e_x."""
    c, s = math.cos(slope_y), math.sin(slope_y)
    cz, sz = math.cos(slope_z), math.sin(slope_z)
    return (-s, c, 0.0), (c * cz, s * cz, sz)


@compiled
def _half_turn(angle, axis):
    """The quaternion of a turn about a coordinate axis."""
    s = math.sin(0.5 * angle)
    e = unit(axis)
    return math.cos(0.5 * angle), s * e[0], s * e[1], s * e[2]


@kernel
def point(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n, nt = int(p[i, p.shape[1] + BENDING]), int(p[i, p.shape[1] + TORSION])
        answer = out[i]
        at_q, at_v = iq[i], iv[i]
        turn = _turn_of(p, i)
        E = product(quaternion_at(q, at_q, 3), turn)
        omega = turned_back(turn, vector_at(v, at_v, 3))
        alpha = turned_back(turn, vector_at(a, at_v, 3))
        s = (w[0], sum_of(w, 1, q, at_q, 7, n), sum_of(w, 1, q, at_q, 7 + n, n))
        sd = (0.0, sum_of(w, 1, v, at_v, 6, n), sum_of(w, 1, v, at_v, 6 + n, n))
        sdd = (0.0, sum_of(w, 1, a, at_v, 6, n), sum_of(w, 1, a, at_v, 6 + n, n))
        at = 1 + n
        slope_y, slope_z = sum_of(w, at, q, at_q, 7, n), sum_of(w, at, q, at_q, 7 + n, n)
        twist = sum_of(w, at + n, q, at_q, 7 + 2 * n, nt)
        about_y, about_x = _axes_of(slope_y, slope_z)
        about_z = (0.0, 0.0, 1.0)
        first = times(sum_of(w, at, v, at_v, 6, n), about_z)
        second = times(-sum_of(w, at, v, at_v, 6 + n, n), about_y)
        third = times(sum_of(w, at + n, v, at_v, 6 + 2 * n, nt), about_x)
        own = plus(first, plus(second, third))
        up = plus(
            times(sum_of(w, at, a, at_v, 6, n), about_z),
            plus(
                times(-sum_of(w, at, a, at_v, 6 + n, n), about_y),
                times(sum_of(w, at + n, a, at_v, 6 + 2 * n, nt), about_x),
            ),
        )
        up = plus(up, plus(cross(first, second), cross(plus(first, second), third)))
        bent = product(_half_turn(slope_y, 2), product(_half_turn(-slope_z, 1), _half_turn(twist, 0)))
        axes = product(E, bent)
        put(answer, 0, plus(vector_at(q, at_q, 0), turned(E, s)))
        for k in range(4):
            answer[3 + k] = axes[k]
        put(answer, 7, plus(vector_at(v, at_v, 0), turned(E, plus(sd, cross(omega, s)))))
        put(answer, 10, turned(E, plus(omega, own)))
        acceleration = plus(plus(sdd, times(2.0, cross(omega, sd))), turning_acceleration(omega, alpha, s))
        put(answer, 13, plus(vector_at(a, at_v, 0), turned(E, acceleration)))
        put(answer, 16, turned(E, plus(alpha, plus(up, cross(omega, own)))))


@kernel
def point_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    """The columns of J, in the axes of E:  R: 1; turn c of E: c × s and c; y_k: b e_y and b' e_z; z_k: b e_z and
    −b' Rz e_y; t_k: τ Rz Ry e_x."""
    for i in range(p.shape[0]):
        n, nt = int(p[i, p.shape[1] + BENDING]), int(p[i, p.shape[1] + TORSION])
        nv = 6 + 2 * n + nt
        wk = w[len(w) - 1]
        J = matrix_view(out[i], 0, 6, nv)
        at_q = iq[i]
        turn = _turn_of(p, i)
        E = product(quaternion_at(q, at_q, 3), turn)
        s = (w[0], sum_of(w, 1, q, at_q, 7, n), sum_of(w, 1, q, at_q, 7 + n, n))
        at = 1 + n
        slope_y, slope_z = sum_of(w, at, q, at_q, 7, n), sum_of(w, at, q, at_q, 7 + n, n)
        about_y, about_x = _axes_of(slope_y, slope_z)
        about_z = (0.0, 0.0, 1.0)
        force = turned_back(E, vector_in(lam[i], 0))
        moment = turned_back(E, vector_in(lam[i], 3))
        for j in range(nv):
            moving, turning = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            c = (0.0, 0.0, 0.0)
            # what the column changes: of s, and of the axes about which −w' and φ turn
            y_moves, x_moves = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            if j < 3:
                J[j, j] = 1.0
                continue
            if j < 6:
                c = turned_back(turn, unit(j - 3))
                moving, turning = cross(c, s), c
            elif j < 6 + n:
                slope = w[at + j - 6]
                moving, turning = times(w[1 + j - 6], unit(1)), times(slope, about_z)
                y_moves, x_moves = cross(turning, about_y), cross(turning, about_x)
            elif j < 6 + 2 * n:
                moving, turning = times(w[1 + j - 6 - n], unit(2)), times(-w[at + j - 6 - n], about_y)
                x_moves = cross(turning, about_x)
            else:
                turning = times(w[at + n + j - 6 - 2 * n], about_x)
            x, o = turned(E, moving), turned(E, turning)
            for k in range(3):
                J[k, j] = x[k]
                J[3 + k, j] = o[k]
            if wk == 0.0:
                continue
            df, dm = cross(force, c), cross(moment, c)
            shift = moving if j >= 6 else (0.0, 0.0, 0.0)
            change = turned(turn, plus(plus(cross(s, df), dm), cross(shift, force)))
            for k in range(3):
                K[i, 3 + k, j] += wk * change[k]
            for k in range(n):
                K[i, 6 + k, j] += wk * (w[1 + k] * df[1] + w[at + k] * dm[2])
                across = dot(about_y, dm) + dot(y_moves, moment)
                K[i, 6 + n + k, j] += wk * (w[1 + k] * df[2] - w[at + k] * across)
            for k in range(nt):
                K[i, 6 + 2 * n + k, j] += wk * w[at + n + k] * (dot(about_x, dm) + dot(x_moves, moment))


@kernel
def section(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n, nt = int(p[i, p.shape[1] + BENDING]), int(p[i, p.shape[1] + TORSION])
        at = 1 + 2 * n + nt
        beta = p[i, p.shape[1] + BETA]
        twist = sum_of(w, at + n, q, iq[i], 7 + 2 * n, nt)
        twisting = sum_of(w, at + n, v, iv[i], 6 + 2 * n, nt)
        about_y = -sum_of(w, at, q, iq[i], 7 + n, n)
        turning_y = -sum_of(w, at, v, iv[i], 6 + n, n)
        about_z = sum_of(w, at, q, iq[i], 7, n)
        turning_z = sum_of(w, at, v, iv[i], 6, n)
        put(out[i], 3, (twist, about_y, about_z))
        put(out[i], 6, (math.nan, math.nan, math.nan))
        out[i, 9] = p[i, p.shape[1] + GJ] * (twist + beta * twisting)
        out[i, 10] = p[i, p.shape[1] + EIY] * (about_y + beta * turning_y)
        out[i, 11] = p[i, p.shape[1] + EIZ] * (about_z + beta * turning_z)
