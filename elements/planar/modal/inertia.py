"""Forces of a reduced body in the plane, see :mod:`flexmb.elements.planar.modal_body`: the parameters of an instance,
its residual, its tangent and its energies."""

from __future__ import annotations

import math

from flexmb.elements.modal_amplitudes import fill_amplitudes
from flexmb.kernels.compilation import compiled, inlined, kernel
from flexmb.kernels.views import vector_view

# places of the parameters; behind them c_F (2 each), t_FG, x_FG, T^m (n, n), stiffness and damping of each mode
GRAVITY, MODES, SLAVES, MASS, FIRST = 0, 2, 3, 4, 5


# -- kernels: in `work` f, ḟ, f̈; then τ, τ̇, τ̈ of each function and κ, κ̇, κ̈; and Tη, Tη̇, Tη̈ (n_s, n) -----------------


@inlined
def sizes(p, i):
    """Numbers n of modes and of all functions F; where t, T, and stiffness begin."""
    n, slaves = int(p[i, MODES]), int(p[i, SLAVES])
    many = 1 + n + slaves
    at_t = FIRST + 2 * many
    at_T = at_t + 2 * many * many
    return n, many, at_t, at_T, at_T + slaves * n * n


def scratch(n: int, slaves: int) -> int:
    """How many numbers of scratch the kernels need."""
    many = 1 + n + slaves
    return 9 * many + 3 * slaves * n + many * many + many * n


@compiled
def inertia(p, iq, iv, i, q, v, a, work):
    """Fill all of `work` up to Tη̈; returns ω, α, u, and c with its rates."""
    n, many, at_t, at_T, _ = sizes(p, i)
    fill_amplitudes(p[i], n, many, at_T, 9 * many, iq[i], 3, iv[i], 3, q, v, a, work)
    start = i * p.shape[1] + at_t
    for which in range(2):
        x = vector_view(work, (3 + 3 * which) * many, many)
        y = vector_view(work, (4 + 3 * which) * many, many)
        z = vector_view(work, (5 + 3 * which) * many, many)
        for F in range(many):
            x[F] = 0.0
            y[F] = 0.0
            z[F] = 0.0
        for G in range(many):
            f, fd, fdd = work[G], work[many + G], work[2 * many + G]
            row = vector_view(p, start + (which * many + G) * many, many)
            for F in range(many):
                x[F] += f * row[F]
                y[F] += fd * row[F]
                z[F] += fdd * row[F]
    cx, cy, cxd, cyd, cxdd, cydd = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for F in range(many):
        x, y = p[i, FIRST + 2 * F], p[i, FIRST + 2 * F + 1]
        cx += work[F] * x
        cy += work[F] * y
        cxd += work[many + F] * x
        cyd += work[many + F] * y
        cxdd += work[2 * many + F] * x
        cydd += work[2 * many + F] * y
    co, si = math.cos(q[iq[i, 2]]), math.sin(q[iq[i, 2]])
    ax, ay = a[iv[i, 0]] - p[i, GRAVITY], a[iv[i, 1]] - p[i, GRAVITY + 1]
    ux, uy = co * ax + si * ay, co * ay - si * ax
    return co, si, v[iv[i, 2]], a[iv[i, 2]], ux, uy, cx, cy, cxd, cyd, cxdd, cydd


@inlined
def _power_of(p, i, F, many, om, al, ux, uy, work):
    """h_F = u·c_F + α κ_F − ω² τ_F + 2 ω κ̇_F + τ̈_F."""
    linear = ux * p[i, FIRST + 2 * F] + uy * p[i, FIRST + 2 * F + 1]
    turning = al * work[6 * many + F] - om * om * work[3 * many + F] + 2.0 * om * work[7 * many + F]
    return linear + turning + work[5 * many + F]


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n, many, _, _, at_K = sizes(p, i)
        co, si, om, al, ux, uy, cx, cy, cxd, cyd, cxdd, cydd = inertia(p, iq, iv, i, q, v, a, work)
        m = p[i, MASS]
        fx = m * ux - al * cy - om * om * cx - 2.0 * om * cyd + cxdd
        fy = m * uy + al * cx - om * om * cy + 2.0 * om * cxd + cydd
        out[i, 0] = co * fx - si * fy
        out[i, 1] = si * fx + co * fy
        moment = cx * uy - cy * ux
        for F in range(many):
            turning = al * work[3 * many + F] + 2.0 * om * work[4 * many + F] - work[8 * many + F]
            moment += work[F] * turning
        out[i, 2] = moment
        for k in range(n):
            elastic = p[i, at_K + k] * work[1 + k] + p[i, at_K + n + k] * work[many + 1 + k]
            out[i, 3 + k] = _power_of(p, i, 1 + k, many, om, al, ux, uy, work) + elastic
        for s in range(many - 1 - n):
            h = _power_of(p, i, 1 + n + s, many, om, al, ux, uy, work)
            for k in range(n):
                out[i, 3 + k] += h * work[9 * many + s * n + k]


@compiled
def _modes_by_modes(p, i, w, om, al, ux, uy, work, K):
    """Add the rows of η in the columns of η: Σ A_Fi A_Gj E_GF with E = (wk α + 2 wd ω) x + (wm − wk ω²) t, the change
    of A with the speeds, and the slaves' forces times T."""
    n, many, at_t, at_T, at_K = sizes(p, i)
    slaves = many - 1 - n
    at_B = 9 * many
    rate, second = at_B + slaves * n, at_B + 2 * slaves * n
    at_E = at_B + 3 * slaves * n
    at_X = at_E + many * many
    cross, straight = w[2] * al + 2.0 * w[1] * om, w[0] - w[2] * om * om
    own_t, own_x = i * p.shape[1] + at_t, i * p.shape[1] + at_t + many * many
    E = vector_view(work, at_E, many * many)
    t, x = vector_view(p, own_t, many * many), vector_view(p, own_x, many * many)
    for k in range(many * many):  # by [F, G]: x_GF = −x_FG
        E[k] = straight * t[k] - cross * x[k]
    for F in range(1, many):
        row = at_X + F * n
        for j in range(n):
            work[row + j] = E[F * many + 1 + j]
        for s in range(slaves):
            e, k = E[F * many + 1 + n + s], (1 + n + s) * many + F
            d = 2.0 * w[2] * om * x[k] + 2.0 * w[1] * t[k]
            for j in range(n):
                b = s * n + j
                work[row + j] += e * work[at_B + b] + d * work[rate + b] + w[2] * t[k] * work[second + b]
    for j in range(n):
        for k in range(n):
            K[i, 3 + j, 3 + k] += work[at_X + (1 + j) * n + k]
        K[i, 3 + j, 3 + j] += w[2] * p[i, at_K + j] + w[1] * p[i, at_K + n + j]
    for s in range(slaves):
        h = w[2] * _power_of(p, i, 1 + n + s, many, om, al, ux, uy, work)
        for j in range(n):
            b = work[at_B + s * n + j]
            for k in range(n):
                K[i, 3 + j, 3 + k] += b * work[at_X + (1 + n + s) * n + k] + h * p[i, at_T + (s * n + j) * n + k]


@compiled
def _frame_by_modes(p, i, w, co, si, om, al, ux, uy, work, K):
    """Add the rows of the frame in the columns of η."""
    n, many, _, _, _ = sizes(p, i)
    slaves = many - 1 - n
    at_B = 9 * many
    rate, second = at_B + slaves * n, at_B + 2 * slaves * n
    cross, straight = w[2] * al + 2.0 * w[1] * om, w[0] - w[2] * om * om
    for j in range(n):
        fx, fy, moment = 0.0, 0.0, 0.0
        for s in range(-1, slaves):
            F, b, bd, bdd = 1 + j, 1.0, 0.0, 0.0
            if s >= 0:
                F = 1 + n + s
                b, bd, bdd = work[at_B + s * n + j], work[rate + s * n + j], work[second + s * n + j]
            x, y = p[i, FIRST + 2 * F], p[i, FIRST + 2 * F + 1]
            turned = b * cross + 2.0 * w[2] * om * bd
            along = b * straight + 2.0 * w[1] * bd + w[2] * bdd
            fx += along * x - turned * y
            fy += along * y + turned * x
            tau, kappa = work[3 * many + F], work[6 * many + F]
            still = 2.0 * al * tau + 2.0 * om * work[4 * many + F] - work[8 * many + F] + x * uy - y * ux
            moment += w[2] * (b * still + 2.0 * om * bd * tau + bdd * kappa)
            moment += w[1] * (2.0 * om * b * tau + 2.0 * bd * kappa) + w[0] * b * kappa
        K[i, 0, 3 + j] += co * fx - si * fy
        K[i, 1, 3 + j] += si * fx + co * fy
        K[i, 2, 3 + j] += moment


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    """Column by column in the frame's coordinates: a turn by wk changes u by −wk u⊥ and turns the force."""
    for i in range(p.shape[0]):
        n, many, _, _, _ = sizes(p, i)
        co, si, om, al, ux, uy, cx, cy, cxd, cyd, cxdd, cydd = inertia(p, iq, iv, i, q, v, a, work)
        _modes_by_modes(p, i, w, om, al, ux, uy, work, K)
        _frame_by_modes(p, i, w, co, si, om, al, ux, uy, work, K)
        m = p[i, MASS]
        fx = m * ux - al * cy - om * om * cx - 2.0 * om * cyd + cxdd
        fy = m * uy + al * cx - om * om * cy + 2.0 * om * cxd + cydd
        tau, tau_rate = 0.0, 0.0
        for F in range(many):
            tau += work[F] * work[3 * many + F]
            tau_rate += work[F] * work[4 * many + F]
        for j in range(3):
            dx, dy, up, spin, squared, turn = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            if j == 0:
                dx, dy = w[0] * co, -w[0] * si
            elif j == 1:
                dx, dy = w[0] * si, w[0] * co
            else:
                dx, dy = w[2] * uy, -w[2] * ux
                up, spin, squared, turn = w[0], w[1], 2.0 * w[1] * om, w[2]
            gx = m * dx - up * cy - squared * cx - 2.0 * spin * cyd - turn * fy
            gy = m * dy + up * cx - squared * cy + 2.0 * spin * cxd + turn * fx
            K[i, 0, j] += co * gx - si * gy
            K[i, 1, j] += si * gx + co * gy
            K[i, 2, j] += cx * dy - cy * dx + up * tau + 2.0 * spin * tau_rate
            for F in range(1, many):
                linear = dx * p[i, FIRST + 2 * F] + dy * p[i, FIRST + 2 * F + 1]
                h = linear + up * work[6 * many + F] - squared * work[3 * many + F]
                h += 2.0 * spin * work[7 * many + F]
                if F <= n:
                    K[i, 2 + F, j] += h
                else:
                    for k in range(n):
                        K[i, 3 + k, j] += h * work[9 * many + (F - 1 - n) * n + k]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n, many, _, _, at_K = sizes(p, i)
        co, si, om, _, _, _, cx, cy, cxd, cyd, _, _ = inertia(p, iq, iv, i, q, v, v, work)
        vx, vy = v[iv[i, 0]], v[iv[i, 1]]
        wx, wy = co * vx + si * vy, co * vy - si * vx
        kinetic = p[i, MASS] * (wx * wx + wy * wy) + 2.0 * (wx * (cxd - om * cy) + wy * (cyd + om * cx))
        for F in range(many):
            kinetic += om * om * work[F] * work[3 * many + F] + 2.0 * om * work[many + F] * work[6 * many + F]
            kinetic += work[many + F] * work[4 * many + F]
        elastic, lost = 0.0, 0.0
        for k in range(n):
            elastic += 0.5 * p[i, at_K + k] * work[1 + k] * work[1 + k]
            lost += p[i, at_K + n + k] * work[many + 1 + k] * work[many + 1 + k]
        x = p[i, MASS] * q[iq[i, 0]] + co * cx - si * cy
        y = p[i, MASS] * q[iq[i, 1]] + si * cx + co * cy
        out[i, 0] = 0.5 * kinetic
        out[i, 1] = elastic
        out[i, 2] = -p[i, GRAVITY] * x - p[i, GRAVITY + 1] * y
        out[i, 3] = lost
