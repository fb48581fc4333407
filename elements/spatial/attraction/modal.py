"""The attraction of a reduced body in space by its mass products.

With f = (1, η, ζ), c = Σ f_F c_F, p_F = Σ f_G P_GF and S = Σ f_F p_F, the body is attracted as a small one is
(:mod:`flexmb.elements.spatial.attraction.pull`), and its amplitudes by

    Q = Aᵀ (c_F·g + tr(G p_F))_F,     tr(G p) = −k (tr p − 3 n·p n),     A = [1; ηᵀT^m]

In the kernels of inertia (:mod:`flexmb.elements.spatial.modal_body`) this is u = Rᵀ(r̈ − g) and 𝒲 = α̃ + ω̃ω̃ − G: so it
is complete, with the geometric stiffness of gravity, in linear and in quadratic fields. Along η_j the moments change by
δc = Σ A_Fj c_F and δS = X + Xᵀ, X = Σ A_Fj p_F, so F and M by those of a body with these moments; and Q_F by
Σ_G A_Gj tr(G P_GF).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.elements.modal_amplitudes import fill_amplitudes
from flexmb.elements.spatial.attraction.pull import (
    Attraction,
    extent_energy,
    extent_power,
    moved,
    pull,
    pull_change,
    seen,
    unit,
)
from flexmb.kernels.blocks import Numbers, joined
from flexmb.kernels.compilation import compiled, inlined, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, turned, turned_back
from flexmb.kernels.vectors import (
    NONE,
    applied,
    combined,
    cross,
    dot,
    matrix_in,
    plus,
    put,
    times,
    transposed,
    vector_at,
    vector_in,
)
from flexmb.model.components import Assembler
from flexmb.model.gravity.falling import MU, SIZE, attraction_rate, origin, potential, power

#: parameters behind those of the field: numbers of modes and slaves, the mass; then c_F (3 each), P_FG (9 each), T^m
MODES, SLAVES, MASS, FIRST = SIZE, SIZE + 1, SIZE + 2, SIZE + 3
_EMPTY = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(eq=False)
class ModalAttraction(Attraction):
    """The attraction of a body with modes in a floating frame, whose `shown_body` is a
    :class:`flexmb.bodies.ReducedBody`.

    >>> import flexmb as fm, numpy as np
    >>> P = np.zeros((2, 2, 3, 3))
    >>> P[0, 0], P[1, 1] = np.diag([0.3, 0.2, 0.1]), np.diag([0.0, 1.0, 0.0])
    >>> plate = fm.bodies.ReducedBody(2.0, np.zeros((2, 3)), P, stiffness=[1e4])
    >>> m = fm.SpatialModel("craft", gravity=fm.spatial.CentralGravity(4.0, (4.0, 0, 0), (0, 1.0, 0)))
    >>> body = m.add_modal_body("plate", plate, field="linear")
    >>> system = fm.System(m)
    >>> moved = system.q0 + [0, 0, 0, 0, 0, 0, 0.1, 0]
    >>> float(system.residual(0.0, moved, system.v0, np.zeros(7))[6])  # (1e4 + μ/ρ³) 0.1
    1000.00625
    """

    def assemble(self, assembly: Assembler) -> None:
        elements, body = self.of.elements_of(assembly), self.of.shown_body()
        n, slaves = body.modes, len(body.slaves)
        head = [*self.gravity.parameters, n, slaves, body.mass]
        p = np.concatenate([head, body.first.ravel(), body.products.ravel(), body.slaves.ravel()])
        numbers = joined(elements.coordinates)
        own = Numbers(numbers.q[7:], numbers.v[6:])
        blocks = [*assembly.node(self.of.frame.node), own]
        assembly.instance(self, ATTRACTED_BODY, blocks, p, work=scratch(n, slaves))


@inlined
def _sizes(p, i):
    """Numbers n of modes and of all functions F; where P and T begin in a row."""
    n, slaves = int(p[i, MODES]), int(p[i, SLAVES])
    many = 1 + n + slaves
    at_P = FIRST + 3 * many
    return n, many, at_P, at_P + 9 * many * many


@inlined
def _rooms(n, many):
    """Offsets in `work`, behind f and its rates, of p_F, tr(G p_F) + c_F·g, Tη, tr(G P_GF), and Σ_G A_Gj tr(G P_GF)
    (many, n)."""
    at_Q = 12 * many
    at_B = at_Q + many
    at_E = at_B + 3 * (many - 1 - n) * n
    return 3 * many, at_Q, at_B, at_E, at_E + many * many


def scratch(n: int, slaves: int) -> int:
    """How many numbers of scratch the kernels need."""
    many = 1 + n + slaves
    return int(_rooms(n, many)[-1]) + many * n


@compiled
def _trace(P, n, k):
    """tr(G P)."""
    return -k * (P[0] + P[4] + P[8] - 3.0 * dot(n, applied(P, n)))


@compiled
def _fill(p, i, iq, iv, t, q, v, a, work):
    """Fill f, p_F and Tη; c, S, the orientation, the origin with its speed, and the field in the axes of the body."""
    n, many, at_P, at_T = _sizes(p, i)
    at_p, at_Q, at_B, _, _ = _rooms(n, many)
    fill_amplitudes(p[i], n, many, at_T, at_B, iq[i], 7, iv[i], 6, q, v, a, work)
    turn, x = quaternion_at(q, iq[i], 3), vector_at(q, iq[i], 0)
    o, od = origin(p[i], 0, t)
    field = seen(p[i, MU], o, x, turn)
    c, S = NONE, _EMPTY
    for F in range(many):
        own = at_p + 9 * F
        for j in range(9):
            total = 0.0
            for G in range(many):
                total += work[G] * p[i, at_P + (G * many + F) * 9 + j]
            work[own + j] = total
        of_shape, first = matrix_in(work, own), vector_in(p[i], FIRST + 3 * F)
        c, S = plus(c, times(work[F], first)), combined(1.0, S, work[F], of_shape)
        work[at_Q + F] = dot(first, field[0]) + _trace(of_shape, field[1], field[2])
    return c, S, turn, o, od, x, field


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n, many, _, _ = _sizes(p, i)
        _, at_Q, at_B, _, _ = _rooms(n, many)
        c, S, turn, _, _, _, field = _fill(p, i, iq, iv, t, q, v, a, work)
        force, moment = pull(p[i, MASS], c, S, *field)
        put(out[i], 0, times(-1.0, turned(turn, force)))
        put(out[i], 3, times(-1.0, moment))
        for k in range(n):
            total = work[at_Q + 1 + k]
            for m in range(many - 1 - n):
                total += work[at_Q + 1 + n + m] * work[at_B + m * n + k]
            out[i, 6 + k] = -total


@compiled
def _along_frame(p, i, w, c, S, turn, field, work, K):
    """Add the columns of the frame."""
    n, many, _, _ = _sizes(p, i)
    at_p, _, at_B, _, _ = _rooms(n, many)
    force, _ = pull(p[i, MASS], c, S, *field)
    along, k = field[1], field[2]
    for j in range(6):
        if j < 3:
            e, y = turned_back(turn, unit(j)), NONE
        else:
            e, y = NONE, unit(j - 3)
        df, dm = pull_change(p[i, MASS], c, S, *field, e, y)
        on_place = turned(turn, plus(df, cross(y, force)))
        for r in range(3):
            K[i, r, j] -= w * on_place[r]
            K[i, 3 + r, j] -= w * dm[r]
        dg, dn, dk = moved(e, y, *field)
        for F in range(1, many):
            P = matrix_in(work, at_p + 9 * F)
            Pn = applied(P, along)
            change = dot(vector_in(p[i], FIRST + 3 * F), dg) - dk * (P[0] + P[4] + P[8] - 3.0 * dot(along, Pn))
            change = w * (change + 3.0 * k * (dot(dn, Pn) + dot(along, applied(P, dn))))
            if F <= n:
                K[i, 5 + F, j] -= change
            else:
                for r in range(n):
                    K[i, 6 + r, j] -= change * work[at_B + (F - 1 - n) * n + r]


@compiled
def _along_modes(p, i, w, turn, field, work, K):
    """Add the columns of η."""
    n, many, at_P, at_T = _sizes(p, i)
    at_p, at_Q, at_B, at_E, at_X = _rooms(n, many)
    g, along, k, rho = field
    for F in range(1, many):
        for G in range(1, many):
            work[at_E + F * many + G] = _trace(matrix_in(p[i], at_P + (G * many + F) * 9), along, k)
    for j in range(n):
        first, X = vector_in(p[i], FIRST + 3 * (1 + j)), matrix_in(work, at_p + 9 * (1 + j))
        for m in range(many - 1 - n):
            b, own = work[at_B + m * n + j], 1 + n + m
            first = plus(first, times(b, vector_in(p[i], FIRST + 3 * own)))
            X = combined(1.0, X, b, matrix_in(work, at_p + 9 * own))
        force, moment = pull(0.0, first, combined(1.0, X, 1.0, transposed(X)), g, along, k, rho)
        force = turned(turn, force)
        for r in range(3):
            K[i, r, 6 + j] -= w * force[r]
            K[i, 3 + r, 6 + j] -= w * moment[r]
        for F in range(1, many):
            row = at_E + F * many
            total = work[row + 1 + j]
            for m in range(many - 1 - n):
                total += work[row + 1 + n + m] * work[at_B + m * n + j]
            work[at_X + F * n + j] = total
    for r in range(n):
        for j in range(n):
            total = work[at_X + (1 + r) * n + j]
            for m in range(many - 1 - n):
                own = 1 + n + m
                total += work[at_B + m * n + r] * work[at_X + own * n + j]
                total += work[at_Q + own] * p[i, at_T + (m * n + r) * n + j]
            K[i, 6 + r, 6 + j] -= w * total


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0] if w[2] != 0.0 else 0):
        c, S, turn, _, _, _, field = _fill(p, i, iq, iv, t, q, v, a, work)
        _along_frame(p, i, w[2], c, S, turn, field, work, K)
        _along_modes(p, i, w[2], turn, field, work, K)


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        c, S, turn, o, od, x, field = _fill(p, i, iq, iv, t, q, v, a, work)
        g, n, k, rho = field
        mu, m = p[i, MU], p[i, MASS]
        out[i, 2] = m * potential(mu, o, x) - dot(g, c) + extent_energy(S, n, k)
        rate = turned_back(turn, attraction_rate(mu, o, od, x))
        out[i, 4] = m * power(mu, o, od, x) - dot(rate, c) + extent_power(S, n, k, rho, turned_back(turn, od))


#: On the coordinates of a reduced body: those of its frame, and its amplitudes.
ATTRACTED_BODY = Kernels("central gravity on a reduced body", residual=residual, tangent=tangent, energy=energy)
