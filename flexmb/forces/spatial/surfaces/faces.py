r"""Forces on the faces of bodies, rigid or by modes, in their own axes.

A face c with the area vector a, outwards, stands on a body with the field s = Σ f_F F, f = (1, η, ζ)
(:mod:`flexmb.elements.spatial.modal_body`); a rigid one has f = (1) alone. To first order in the modes

    a = a₀ + Σ a_k η_k,      a_k = ½ [(φ₂ − φ₁) × (X₃ − X₁) + (X₂ − X₁) × (φ₃ − φ₁)]      of a triangle

so that the force follows the face, and with F_c the mean of the corners

    on r: R Σ F,    on the turn: with B = Σ_F f_F W_F:  (B₃₂ − B₂₃, B₁₃ − B₃₁, B₂₁ − B₁₂),    on η: Aᵀ (tr W_k)_k
    W_F = Σ_c F (F_c)ᵀ,      A = [1; ηᵀT^m]

**A flat patch** of many faces, of the sum a = Σ a_c with the direction n̄ and the middle F̄, needs no loop over them:
with M = ∂F/∂a at n̄ and d̄, the force of each is M a_c up to the second order in how far its normal is from n̄, and

    Σ F = M a,      W_F = M B_Fᵀ,      B_F = Σ_c F_c a_cᵀ = B_F0 + Σ B_Fk η_k

All of it moves at the speed of its middle. A face alone is a patch of one, on which this is exact.

Forces are −p or −½ϱ times those of :mod:`flexmb.forces.spatial.surfaces.laws`, of the direction of the sun, d = Rᵀs,
or of the velocity against a gas, d = Rᵀ(ṙ − W) + ω × x + ẋ of the middle x = Σ f_F F̄. A tangent has no symmetry: the
loads follow the surface, and have no potential.
"""

from __future__ import annotations

import math
from typing import Any

from flexmb.elements.modal_amplitudes import fill_amplitudes
from flexmb.forces.spatial.surfaces.laws import (
    GAS,
    LIGHT,
    NEWTON,
    SurfaceLaw,
    across,
    change_of_M,
    on_ball,
    on_face,
    on_rod,
)
from flexmb.forces.spatial.surfaces.surroundings import LAW, flow, sunlight
from flexmb.forces.spatial.surfaces.surroundings import SIZE as AROUND
from flexmb.kernels.compilation import compiled, inlined, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, turned, turned_back
from flexmb.kernels.vectors import (
    IDENTITY,
    NONE,
    applied,
    combined,
    cross,
    dot,
    matrix_in,
    matrix_product,
    minus,
    outer,
    plus,
    put,
    times,
    transposed,
    vector_at,
    vector_in,
)

#: parameters: numbers of modes, slaves, patches, faces, rods and balls; what surrounds them; T^m; then the records
MODES, SLAVES, PATCHES, FACES, RODS, BALLS, SURROUNDINGS = range(7)
AT_T = SURROUNDINGS + AROUND
#: a record begins with two numbers of its finish; a patch or a face goes on with a₀ and a_k (1 + n, 3) and F̄ (many, 3),
#: a patch also with B_F0 and B_Fk (many, 1 + n, 9); a rod with its middle (3), axis (3) and D L, a ball with its middle
#: and π r²
OPTICS, AREA = 2, 2
ROD, BALL = 9, 6
#: numbers of the change along a coordinate besides one trace for each F: force (3), Σ f_F W_F (9)
OWN = 12


@inlined
def _sizes(p, i):
    """n and the number of all functions F; how long the records of a face and of a patch are; where they begin."""
    n, slaves = int(p[i, MODES]), int(p[i, SLAVES])
    many = 1 + n + slaves
    face = OPTICS + 3 * (1 + n) + 3 * many
    return n, many, face, face + 9 * many * (1 + n), AT_T + slaves * n * n


@inlined
def _rooms(n, many):
    """Offsets in `work`, behind f and its rates, of Tη and its rates, of W_F, of B_F of a patch, of the force, and of
    what changes along each coordinate."""
    at_W = 3 * many + 3 * (many - 1 - n) * n
    return 3 * many, at_W, at_W + 9 * many, at_W + 18 * many, at_W + 18 * many + 3


def scratch(n: int, slaves: int) -> int:
    """Count of the scratch numbers that the kernels need."""
    many = 1 + n + slaves
    return int(_rooms(n, many)[-1]) + (6 + n) * (OWN + many)


@compiled
def _sum(row, at, n, q, at_q):
    """u₀ + Σ u_k η_k of vectors from row[at] on."""
    u = vector_in(row, at)
    for k in range(n):
        u = plus(u, times(q[at_q[7 + k]], vector_in(row, at + 3 * (1 + k))))
    return u


@compiled
def _weighted(row, at, many, work, first):
    """Σ f_F u_F, with the f from work[first] on, of vectors from row[at] on."""
    u = NONE
    for F in range(many):
        u = plus(u, times(work[first + F], vector_in(row, at + 3 * F)))
    return u


@compiled
def _of_slaves(row, at, n, many, j, work, first):
    """Σ_m (T^mη)_j u_m of the slaves, with Tη, or its rate, from work[first] on."""
    u = NONE
    for m in range(many - 1 - n):
        u = plus(u, times(work[first + m * n + j], vector_in(row, at + 3 * (1 + n + m))))
    return u


@inlined
def _axis(j):
    """The unit vector along an axis."""
    return 1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0


@inlined
def _add_nine(work, at, x, A):
    """work[at : at + 9] += x A."""
    for k in range(9):
        work[at + k] += x * A[k]


@compiled
def _fill_moments(row, at, n, many, q, at_q, work, at_P):
    """Fill B_F of a patch, whose B_F0 and B_Fk begin at row[at]."""
    for F in range(many):
        first = at + 9 * (1 + n) * F
        for c in range(9):
            total = row[first + c]
            for k in range(n):
                total += q[at_q[7 + k]] * row[first + 9 * (1 + k) + c]
            work[at_P + 9 * F + c] = total


@compiled
def _add_patch(n, many, x, M, work):
    """Add a patch with the force x M a to W."""
    _, at_W, at_P, _, _ = _rooms(n, many)
    for F in range(many):
        _add_nine(work, at_W + 9 * F, x, matrix_product(M, transposed(matrix_in(work, at_P + 9 * F))))


@compiled
def _add_patch_change(row, moments, n, many, x, dM, wk, M, j, work, own):
    """Add how the W_F of a patch change along a coordinate, by dM and, along a mode, by that of B_F."""
    _, _, at_P, _, _ = _rooms(n, many)
    for F in range(many):
        D = matrix_product(dM, transposed(matrix_in(work, at_P + 9 * F)))
        if j >= 6:
            of_mode = transposed(matrix_in(row, moments + 9 * (1 + n) * F + 9 * (j - 5)))
            D = combined(1.0, D, wk, matrix_product(M, of_mode))
        _add_nine(work, own + 3, x * work[F], D)
        work[own + OWN + F] += x * (D[0] + D[4] + D[8])


@compiled
def _add_point(row, middle, n, many, f, work):
    """Add a force at one place to W."""
    _, at_W, _, _, _ = _rooms(n, many)
    for F in range(many):
        _add_nine(work, at_W + 9 * F, 1.0, outer(f, vector_in(row, middle + 3 * F)))


@compiled
def _add_point_change(row, middle, many, df, x, work, own):
    """Add how W changes along a coordinate by that of a force at the place x."""
    _add_nine(work, own + 3, 1.0, outer(df, x))
    for F in range(many):
        work[own + OWN + F] += dot(df, vector_in(row, middle + 3 * F))


@compiled
def _traces(work, n, many, k):
    """Σ_F A_Fk tr W_F."""
    at_B, at_W, _, _, _ = _rooms(n, many)
    own = at_W + 9 * (1 + k)
    total = work[own] + work[own + 4] + work[own + 8]
    for m in range(many - 1 - n):
        own = at_W + 9 * (1 + n + m)
        total += work[at_B + m * n + k] * (work[own] + work[own + 4] + work[own + 8])
    return total


@compiled
def _moment(B):
    """Σ x × F from B = Σ F xᵀ."""
    return B[7] - B[5], B[2] - B[6], B[3] - B[1]


@compiled
def _whole(work, n, many):
    """The force, and the moment by Σ f_F W_F, in the axes of the body."""
    _, at_W, _, at_F, _ = _rooms(n, many)
    B = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for F in range(many):
        B = combined(1.0, B, work[F], matrix_in(work, at_W + 9 * F))
    return vector_in(work, at_F), _moment(B)


@compiled
def _put_columns(p, i, turn, wk, work, K):
    """Subtract from K what changes along each coordinate."""
    n, many, _, _, _ = _sizes(p, i)
    at_B, at_W, _, at_F, at_C = _rooms(n, many)
    force = vector_in(work, at_F)
    for j in range(6 + n):
        own = at_C + j * (OWN + many)
        df, dB = vector_in(work, own), matrix_in(work, own + 3)
        if 3 <= j < 6:
            df = plus(df, times(wk, cross(_axis(j - 3), force)))
        if j >= 6:
            dB = combined(1.0, dB, wk, matrix_in(work, at_W + 9 * (j - 5)))
            for m in range(many - 1 - n):
                dB = combined(1.0, dB, wk * work[at_B + m * n + j - 6], matrix_in(work, at_W + 9 * (1 + n + m)))
        df, dm = turned(turn, df), _moment(dB)
        for r in range(3):
            K[i, r, j] -= df[r]
            K[i, 3 + r, j] -= dm[r]
        for k in range(n):
            total = work[own + OWN + 1 + k]
            for m in range(many - 1 - n):
                total += work[at_B + m * n + k] * work[own + OWN + 1 + n + m]
                if j >= 6:
                    W = at_W + 9 * (1 + n + m)
                    T = p[i, AT_T + (m * n + k) * n + j - 6]
                    total += wk * T * (work[W] + work[W + 4] + work[W + 8])
            K[i, 6 + k, j] -= total


def face_kernels(name: str, law: SurfaceLaw, around: Any, moves: bool) -> Kernels:
    """The kernels of a law with what is around the faces; `moves`: it is of their velocity."""
    flat, rod, ball = law.flat, law.rod, law.ball

    @compiled
    def middle_of(row, middle, many, iv_row, v, base, work):  # type: ignore[no-untyped-def]
        """The middle x of a record, and d there."""
        x = _weighted(row, middle, many, work, 0)
        if moves:
            spinning = plus(cross(vector_at(v, iv_row, 3), x), _weighted(row, middle, many, work, many))
            return x, plus(base, spinning)
        return x, base

    @compiled
    def change_of_d(row, middle, n, many, j, w, turn, base, omega, x, work):  # type: ignore[no-untyped-def]
        """Change of d along a coordinate."""
        if j < 3:
            return times(w[1], turned_back(turn, _axis(j))) if moves else NONE
        if j < 6:
            d = times(w[2], cross(base, _axis(j - 3)))
            return plus(d, times(w[1], cross(_axis(j - 3), x))) if moves else d
        if not moves:
            return NONE
        at_B = _rooms(n, many)[0]
        X = plus(vector_in(row, middle + 3 * (j - 5)), _of_slaves(row, middle, n, many, j - 6, work, at_B))
        rate = _of_slaves(row, middle, n, many, j - 6, work, at_B + (many - 1 - n) * n)
        return plus(times(w[1], X), times(w[2], plus(cross(omega, X), rate)))

    @compiled
    def push(row, at, kind, d, n, q, at_q):  # type: ignore[no-untyped-def]
        """Action on the record of a flat part (0), a rod (1) or a ball (2): the size by which it counts, the force,
        N, M and the normal of a flat one, α to β'', and whether it does."""
        if kind == 1:
            t = vector_in(row, at + OPTICS + 3)
            f, N = on_rod(rod(row, SURROUNDINGS + LAW, at, across(d, t)[1]), d, t)
            return row[at + OPTICS + 6], f, N, IDENTITY, NONE, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), True
        if kind == 2:
            size = math.sqrt(dot(d, d))
            f, N = on_ball(ball(row, SURROUNDINGS + LAW, at, size), d, size)
            return row[at + OPTICS + 3], f, N, IDENTITY, NONE, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), True
        a = _sum(row, at + AREA, n, q, at_q)
        area = math.sqrt(dot(a, a))
        if area == 0.0:
            return area, NONE, IDENTITY, IDENTITY, NONE, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), False
        unit = times(1.0 / area, a)
        six = flat(row, SURROUNDINGS + LAW, at, dot(d, unit))
        f, N, M = on_face(six, d, unit)
        return area, f, N, M, unit, six, six[1] != 0.0 or six[4] != 0.0

    @compiled
    def act(p, i, iq, iv, t, q, v, a, w, columns, work):  # type: ignore[no-untyped-def]
        """Fill f and its rates, W and the force, and if there shall be `columns` how these change along each
        coordinate; the orientation of the body."""
        n, many, face, patch, at = _sizes(p, i)
        at_B, at_W, at_P, at_F, at_C = _rooms(n, many)
        row, at_q, width = p[i], iq[i], OWN + many
        fill_amplitudes(row, n, many, AT_T, at_B, at_q, 7, iv[i], 6, q, v, a, work)
        for k in range(at_W, at_C + (6 + n) * width if columns else at_C):
            work[k] = 0.0
        scale, fixed = around(row, SURROUNDINGS, t)
        turn, omega = quaternion_at(q, at_q, 3), vector_at(v, iv[i], 3)
        base = turned_back(turn, minus(vector_at(v, iv[i], 0), fixed) if moves else fixed)
        for group in range(4 if scale != 0.0 else 0):
            kind = max(group - 1, 0)
            length = patch if group == 0 else face if group == 1 else ROD if group == 2 else BALL
            for _ in range(int(row[PATCHES + group])):
                middle = at + (AREA + 3 * (1 + n) if kind == 0 else OPTICS)
                x, d = middle_of(row, middle, many, iv[i], v, base, work)
                area, f, N, M, unit, six, acts = push(row, at, kind, d, n, q, at_q)
                moments = middle + 3 * many
                if acts:
                    f = times(scale * area, f)
                    put(work, at_F, plus(vector_in(work, at_F), f))
                    if group == 0:
                        _fill_moments(row, moments, n, many, q, at_q, work, at_P)
                        _add_patch(n, many, scale, M, work)
                    else:
                        _add_point(row, middle, n, many, f, work)
                if acts and columns:
                    for j in range(0 if moves else 3, 6 + n):
                        own = at_C + j * width
                        dd = change_of_d(row, middle, n, many, j, w, turn, base, omega, x, work)
                        da = NONE
                        if kind == 0 and j >= 6:
                            da = times(w[2], vector_in(row, at + AREA + 3 * (j - 5)))
                        df = times(scale, plus(times(area, applied(N, dd)), applied(M, da)))
                        put(work, own, plus(vector_in(work, own), df))
                        if group == 0:
                            dn = times(1.0 / area, minus(da, times(dot(unit, da), unit)))
                            dM = change_of_M(six, d, unit, dd, dn)
                            _add_patch_change(row, moments, n, many, scale, dM, w[2], M, j, work, own)
                        else:
                            _add_point_change(row, middle, many, df, x, work, own)
                at += length
        return turn, fixed

    @kernel
    def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        for i in range(p.shape[0]):
            n, many, _, _, _ = _sizes(p, i)
            turn, _ = act(p, i, iq, iv, t, q, v, a, w, False, work)
            force, moment = _whole(work, n, many)
            put(out[i], 0, times(-1.0, turned(turn, force)))
            put(out[i], 3, times(-1.0, moment))
            for k in range(n):
                out[i, 6 + k] = -_traces(work, n, many, k)

    @kernel
    def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        for i in range(p.shape[0] if w[2] != 0.0 or (moves and w[1] != 0.0) else 0):
            turn, _ = act(p, i, iq, iv, t, q, v, a, w, True, work)
            _put_columns(p, i, turn, w[2], work, K)

    @kernel
    def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        for i in range(p.shape[0]):
            n, many, _, _, _ = _sizes(p, i)
            turn, fixed = act(p, i, iq, iv, t, q, v, a, w, False, work)
            force, moment = _whole(work, n, many)
            force = turned(turn, force)
            power = dot(force, vector_at(v, iv[i], 0)) + dot(moment, vector_at(v, iv[i], 3))
            for k in range(n):
                power += _traces(work, n, many, k) * v[iv[i, 6 + k]]
            carried = dot(force, fixed) if moves else power  # by what flows; the rest is lost against it
            out[i, 3], out[i, 4] = carried - power, carried

    return Kernels(name, residual=residual, tangent=tangent, energy=energy)


LIT_FACES = face_kernels("sunlight on faces", LIGHT, sunlight, False).standing_at(__name__, "LIT_FACES")
NEWTON_FACES = face_kernels("drag of faces by Newton's law", NEWTON, flow, True).standing_at(__name__, "NEWTON_FACES")
GAS_FACES = face_kernels("free molecules on faces", GAS, flow, True).standing_at(__name__, "GAS_FACES")
