"""Interfaces of a reduced body in space, see :mod:`flexmb.elements.spatial.modal_body`.

The kernels take as `w` for an interface its place X (3), the quaternion Λ₀ of its axes (4), Φ (3, n), Φʳ (3, n), T (3,
n, n) and Tʳ (3, n, n); in `work` they keep D and W (6, n), and 18 numbers.
"""

from __future__ import annotations

from flexmb.elements.modal_amplitudes import fill_rates, fill_slopes
from flexmb.elements.spatial.modal.inertia import MODES
from flexmb.kernels.compilation import compiled, inlined, kernel
from flexmb.kernels.rotations import (
    exp,
    product,
    quaternion_at,
    quaternion_in,
    rate_map,
    rate_map_change,
    turned,
    turned_back,
)
from flexmb.kernels.vectors import (
    applied,
    cross,
    dot,
    plus,
    put,
    times,
    transposed,
    turning_acceleration,
    vector_at,
    vector_in,
)
from flexmb.kernels.views import matrix_view

#: where in `w` the axes and Φ begin
AXES, SHAPES = 3, 7


@compiled
def _moved(w, n, q, at_q, work):
    """Fill D and W, (6, n); returns p − X and ψ."""
    fill_slopes(w, SHAPES, 6, n, q, at_q, 7, work)
    return vector_in(work, 6 * n), vector_in(work, 6 * n + 3)


@inlined
def _column(work, n, c, k):
    """A column of D (c = 0) or of W (c = 3)."""
    return work[c * n + k], work[(c + 1) * n + k], work[(c + 2) * n + k]


@kernel
def point(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n = int(p[i, MODES])
        answer, at_q, at_v = out[i], iq[i], iv[i]
        R = quaternion_at(q, at_q, 3)
        omega, alpha = vector_at(v, at_v, 3), vector_at(a, at_v, 3)
        moved, psi = _moved(w, n, q, at_q, work)
        s = plus(vector_in(w, 0), moved)
        at = fill_rates(w, SHAPES, 6, n, v, a, at_v, 6, work)
        sd, rate = vector_in(work, at), vector_in(work, at + 3)
        sdd, up = vector_in(work, at + 6), vector_in(work, at + 9)
        back = times(-1.0, psi)
        V = rate_map(back)
        own = applied(V, rate)
        axes = product(R, product(exp(psi), quaternion_in(w, AXES)))
        put(answer, 0, plus(vector_at(q, at_q, 0), turned(R, s)))
        for k in range(4):
            answer[3 + k] = axes[k]
        put(answer, 7, plus(vector_at(v, at_v, 0), turned(R, plus(sd, cross(omega, s)))))
        put(answer, 10, turned(R, plus(omega, own)))
        swung = plus(plus(sdd, times(2.0, cross(omega, sd))), turning_acceleration(omega, alpha, s))
        put(answer, 13, plus(vector_at(a, at_v, 0), turned(R, swung)))
        own_up = plus(applied(V, up), rate_map_change(back, rate, times(-1.0, rate)))
        put(answer, 16, turned(R, plus(alpha, plus(own_up, cross(omega, own)))))


@kernel
def point_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    """With f̂ = Rᵀf and m̂ = Rᵀm:  Jᵀ(f, m) = (f, p × f̂ + m̂, Dᵀf̂ + WᵀVᵀm̂);  f̂ changes by f̂ × y when the frame turns
    by y, and Vᵀm̂ = T(ψ) m̂ by ∂(T(ψ) m̂)/∂ψ W."""
    for i in range(p.shape[0]):
        n = int(p[i, MODES])
        nv = 6 + n
        wk = w[len(w) - 1]
        J = matrix_view(out[i], 0, 6, nv)
        at_q = iq[i]
        R = quaternion_at(q, at_q, 3)
        moved, psi = _moved(w, n, q, at_q, work)
        s = plus(vector_in(w, 0), moved)
        V = rate_map(times(-1.0, psi))
        force, moment = turned_back(R, vector_in(lam[i], 0)), turned_back(R, vector_in(lam[i], 3))
        on_turn = applied(transposed(V), moment)
        for j in range(nv):
            if j < 3:
                J[j, j] = 1.0
                continue
            c = (1.0 if j == 3 else 0.0, 1.0 if j == 4 else 0.0, 1.0 if j == 5 else 0.0)
            moving, turning, along = cross(c, s), c, (0.0, 0.0, 0.0)
            if j >= 6:
                moving, along = _column(work, n, 0, j - 6), _column(work, n, 3, j - 6)
                turning = applied(V, along)
            x, o = turned(R, moving), turned(R, turning)
            for k in range(3):
                J[k, j] = x[k]
                J[3 + k, j] = o[k]
            if wk == 0.0:
                continue
            # what the column changes of f̂, of Vᵀm̂, and of the moment on the frame
            df = cross(force, c)
            dm = applied(transposed(V), cross(moment, c))
            lever = plus(cross(s, df), cross(moment, c))
            if j >= 6:
                dm, lever = rate_map_change(psi, moment, along), cross(moving, force)
            for k in range(3):
                K[i, 3 + k, j] += wk * lever[k]
            for k in range(n):
                bent = dot(df, _column(work, n, 0, k)) + dot(dm, _column(work, n, 3, k))
                if j >= 6:
                    own = SHAPES + 6 * n + k * n + j - 6
                    bent += force[0] * w[own] + force[1] * w[own + n * n] + force[2] * w[own + 2 * n * n]
                    own += 3 * n * n
                    bent += on_turn[0] * w[own] + on_turn[1] * w[own + n * n] + on_turn[2] * w[own + 2 * n * n]
                K[i, 6 + k, j] += wk * bent
