"""Interfaces of a reduced body in the plane, see :mod:`flexmb.elements.planar.modal_body`.

The kernels take as `w` for an interface its place X (2), its angle, Φ (2, n), Φʳ (n), T (2, n, n) and Tʳ (n, n), and
for a section behind these the strains of unit amplitudes; in `work` they keep D and W (3, n), and 9 numbers.
"""

from __future__ import annotations

import math

from flexmb.elements.modal_amplitudes import fill_rates, fill_section, fill_slopes
from flexmb.elements.planar.modal.inertia import MODES, sizes
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.views import matrix_view

#: where in `w` the angle and Φ begin
ANGLE, SHAPES = 2, 3


@compiled
def _place(w, n, q, at_q, work):
    """Fill D and W, (3, n); returns p and the angle against the frame."""
    fill_slopes(w, SHAPES, 3, n, q, at_q, 3, work)
    return w[0] + work[3 * n], w[1] + work[3 * n + 1], w[ANGLE] + work[3 * n + 2]


@kernel
def point(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n = int(p[i, MODES])
        sx, sy, turn = _place(w, n, q, iq[i], work)
        at = fill_rates(w, SHAPES, 3, n, v, a, iv[i], 3, work)
        co, si = math.cos(q[iq[i, 2]]), math.sin(q[iq[i, 2]])
        om, al = v[iv[i, 2]], a[iv[i, 2]]
        vx, vy = work[at] - om * sy, work[at + 1] + om * sx
        bx = work[at + 3] - 2.0 * om * work[at + 1] - al * sy - om * om * sx
        by = work[at + 4] + 2.0 * om * work[at] + al * sx - om * om * sy
        out[i, 0] = q[iq[i, 0]] + co * sx - si * sy
        out[i, 1] = q[iq[i, 1]] + si * sx + co * sy
        out[i, 2] = q[iq[i, 2]] + turn
        out[i, 3] = v[iv[i, 0]] + co * vx - si * vy
        out[i, 4] = v[iv[i, 1]] + si * vx + co * vy
        out[i, 5] = om + work[at + 2]
        out[i, 6] = a[iv[i, 0]] + co * bx - si * by
        out[i, 7] = a[iv[i, 1]] + si * bx + co * by
        out[i, 8] = al + work[at + 5]


@kernel
def point_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    """With f̂ = Rᵀf:  Jᵀ(f, m) = (f, p × f̂ + m, Dᵀf̂ + W m)."""
    for i in range(p.shape[0]):
        n = int(p[i, MODES])
        wk = w[len(w) - 1]
        J = matrix_view(out[i], 0, 3, 3 + n)
        sx, sy, _ = _place(w, n, q, iq[i], work)
        co, si = math.cos(q[iq[i, 2]]), math.sin(q[iq[i, 2]])
        J[0, 0] = J[1, 1] = J[2, 2] = 1.0
        J[0, 2], J[1, 2] = -(si * sx + co * sy), co * sx - si * sy
        for k in range(n):
            x, y = work[k], work[n + k]
            J[0, 3 + k], J[1, 3 + k], J[2, 3 + k] = co * x - si * y, si * x + co * y, work[2 * n + k]
        if wk == 0.0:
            continue
        fx, fy = co * lam[i, 0] + si * lam[i, 1], co * lam[i, 1] - si * lam[i, 0]
        K[i, 2, 2] -= wk * (sx * fx + sy * fy)
        for k in range(n):
            across = wk * (work[k] * fy - work[n + k] * fx)
            K[i, 2, 3 + k] += across
            K[i, 3 + k, 2] += across
            for j in range(n):
                own = SHAPES + 3 * n + k * n + j
                bent = fx * w[own] + fy * w[own + n * n] + lam[i, 2] * w[own + 2 * n * n]
                K[i, 3 + k, 3 + j] += wk * bent


@kernel
def section(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    """Two strains, and three forces by their law."""
    for i in range(p.shape[0]):
        n, _, _, _, at_K = sizes(p, i)
        fill_section(p[i], at_K + 2 * n, w, SHAPES + 3 * (n + n * n), 2, 3, n, q, iq[i], v, iv[i], 3, 3, out[i])
