"""Forces of inertia of the floating beam in space, see :mod:`flexmb.elements.spatial.floating_beam`: the parameters of
an instance, its residual and its tangent."""

from __future__ import annotations

from flexmb.kernels.compilation import compiled, inlined, kernel
from flexmb.kernels.rotations import product, quaternion_at, quaternion_in, turned, turned_back
from flexmb.kernels.vectors import cross, minus, plus, put, times, turning_acceleration, vector_at, vector_in

# places of the parameters; behind them, for each mode of bending: ∫b dx' = b(L), stiffness for EI = 1, damping along y
# and along z; of torsion: ∫τ dx, ∫τ² dx, stiffness, damping; then the matrices ρA ∫F G dx and ∫b' b' dx
GRAVITY, LENGTH, TURN, BENDING, TORSION, RHO_IP, RHO_IY, RHO_IZ, EIY, EIZ, GJ, BETA = 0, 3, 4, *range(8, 17)
TABLE = 17
BENDING_ROW, TORSION_ROW = 4, 4


# -- kernels: in `work` vectors of the functions F, 3 numbers each ----------------------------------------------------


@inlined
def sizes(p, i):
    """Numbers of modes of bending in a plane, and of torsion; where the tables of both and the two matrices begin."""
    n, nt = int(p[i, BENDING]), int(p[i, TORSION])
    twisted = TABLE + BENDING_ROW * n
    gram = twisted + TORSION_ROW * nt
    return n, nt, twisted, gram, gram + (2 + n) * (2 + n)


@inlined
def across(x, numbers, first, n, k):
    """The vector of b_k: its amplitudes along y and z."""
    return 0.0, x[numbers[first + k]], x[numbers[first + n + k]]


@compiled
def momentum(p, i, numbers, rates, spin):
    """h of the sections for amplitudes that change at `rates` and the angular velocity `spin`."""
    n, nt, twisted, _, _ = sizes(p, i)
    L = p[i, LENGTH]
    x, y, z = L * spin[0], L * spin[1], L * spin[2]
    for k in range(n):
        tip = p[i, TABLE + BENDING_ROW * k]
        y -= tip * rates[numbers[6 + n + k]]
        z += tip * rates[numbers[6 + k]]
    for k in range(nt):
        x += p[i, twisted + TORSION_ROW * k] * rates[numbers[6 + 2 * n + k]]
    return p[i, RHO_IP] * x, p[i, RHO_IY] * y, p[i, RHO_IZ] * z


@compiled
def forces(p, i, work, accelerations, at_forces):
    """f_F of a_F."""
    n, _, _, at, _ = sizes(p, i)
    for F in range(2 + n):
        x, y, z = 0.0, 0.0, 0.0
        for G in range(2 + n):
            g = p[i, at + F * (2 + n) + G]
            x += g * work[accelerations + 3 * G]
            y += g * work[accelerations + 3 * G + 1]
            z += g * work[accelerations + 3 * G + 2]
        put(work, at_forces + 3 * F, (x, y, z))


@compiled
def _inertia(p, iq, iv, i, q, v, a, work):
    """Fill a_F and f_F; the axes E, ω, α, and the moment on the turn of E."""
    n, _, _, _, _ = sizes(p, i)
    row = p[i]
    turn = quaternion_in(row, TURN)
    E = product(quaternion_at(q, iq[i], 3), turn)
    omega = turned_back(turn, vector_at(v, iv[i], 3))
    alpha = turned_back(turn, vector_at(a, iv[i], 3))
    put(work, 0, turned_back(E, minus(vector_at(a, iv[i], 0), vector_in(row, GRAVITY))))
    put(work, 3, turning_acceleration(omega, alpha, (1.0, 0.0, 0.0)))
    for k in range(n):
        s = across(q, iq[i], 7, n, k)
        coriolis = times(2.0, cross(omega, across(v, iv[i], 6, n, k)))
        own = plus(across(a, iv[i], 6, n, k), coriolis)
        put(work, 6 + 3 * k, plus(own, turning_acceleration(omega, alpha, s)))
    f = 3 * (2 + n)
    forces(p, i, work, 0, f)
    moment = cross((1.0, 0.0, 0.0), vector_in(work, f + 3))
    for k in range(n):
        moment = plus(moment, cross(across(q, iq[i], 7, n, k), vector_in(work, f + 6 + 3 * k)))
    h = momentum(p, i, iv[i], v, omega)
    moment = plus(moment, plus(momentum(p, i, iv[i], a, alpha), cross(omega, h)))
    return turn, E, omega, alpha, moment


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n, nt, twisted, _, at = sizes(p, i)
        answer = out[i]
        turn, E, omega, alpha, moment = _inertia(p, iq, iv, i, q, v, a, work)
        f = 3 * (2 + n)
        put(answer, 0, turned(E, vector_in(work, f)))
        put(answer, 3, turned(turn, moment))
        for k in range(n):
            row = TABLE + BENDING_ROW * k
            y, z = 0.0, 0.0
            for j in range(n):
                y += p[i, at + k * n + j] * a[iv[i, 6 + j]]
                z += p[i, at + k * n + j] * a[iv[i, 6 + n + j]]
            y = p[i, RHO_IZ] * (y + p[i, row] * alpha[2])
            z = p[i, RHO_IY] * (z - p[i, row] * alpha[1])
            y += p[i, EIZ] * p[i, row + 1] * q[iq[i, 7 + k]] + p[i, row + 2] * v[iv[i, 6 + k]]
            z += p[i, EIY] * p[i, row + 1] * q[iq[i, 7 + n + k]] + p[i, row + 3] * v[iv[i, 6 + n + k]]
            answer[6 + k] = work[f + 6 + 3 * k + 1] + y
            answer[6 + n + k] = work[f + 6 + 3 * k + 2] + z
        for k in range(nt):
            row = twisted + TORSION_ROW * k
            own = 6 + 2 * n + k
            turning = p[i, RHO_IP] * (p[i, row] * alpha[0] + p[i, row + 1] * a[iv[i, own]])
            answer[own] = turning + p[i, row + 2] * q[iq[i, 1 + own]] + p[i, row + 3] * v[iv[i, own]]


@inlined
def unit(k):
    """The unit vector e_k."""
    return 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    """Column by column: the residual along a change of one coordinate by wk, of its speed by wd, its acceleration by
    wm. A turn by y of the node is one by c = C⁻¹ y of E, so that u changes by u × c and E f by E (c × f)."""
    for i in range(p.shape[0]):
        n, nt, twisted, _, at = sizes(p, i)
        turn, E, omega, alpha, _ = _inertia(p, iq, iv, i, q, v, a, work)
        h = momentum(p, i, iv[i], v, omega)
        f = 3 * (2 + n)
        da = 2 * f
        df = 3 * f
        for j in range(6 + 2 * n + nt):
            push, spin, spin_up = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            c = (0.0, 0.0, 0.0)
            if j < 3:
                push = times(w[0], turned_back(E, unit(j)))
            elif j < 6:
                c = turned_back(turn, unit(j - 3))
                push = times(w[2], cross(vector_in(work, 0), c))
                spin = times(w[1], c)
                spin_up = times(w[0], c)
            axis = 1 if j < 6 + n else 2
            mode = (j - 6 if axis == 1 else j - 6 - n) if 6 <= j < 6 + 2 * n else -1
            put(work, da, push)
            x = (1.0, 0.0, 0.0)
            bent = plus(cross(spin, cross(omega, x)), cross(omega, cross(spin, x)))
            put(work, da + 3, plus(cross(spin_up, x), bent))
            for k in range(n):
                s = across(q, iq[i], 7, n, k)
                change = plus(cross(spin_up, s), plus(cross(spin, cross(omega, s)), cross(omega, cross(spin, s))))
                change = plus(change, times(2.0, cross(spin, across(v, iv[i], 6, n, k))))
                if k == mode:
                    e = unit(axis)
                    change = plus(change, times(w[0], e))
                    change = plus(change, times(2.0 * w[1], cross(omega, e)))
                    change = plus(change, times(w[2], turning_acceleration(omega, alpha, e)))
                put(work, da + 6 + 3 * k, change)
            forces(p, i, work, da, df)
            force = vector_in(work, df)
            moment = cross(x, vector_in(work, df + 3))
            for k in range(n):
                moment = plus(moment, cross(across(q, iq[i], 7, n, k), vector_in(work, df + 6 + 3 * k)))
            if mode >= 0:
                moment = plus(moment, times(w[2], cross(unit(axis), vector_in(work, f + 6 + 3 * mode))))
            # of the sections: L, and of a mode of bending or torsion its own part
            own = (0.0, 0.0, 0.0)
            if mode >= 0:
                tip = p[i, TABLE + BENDING_ROW * mode]
                own = (0.0, 0.0, p[i, RHO_IZ] * tip) if axis == 1 else (0.0, -p[i, RHO_IY] * tip, 0.0)
            elif j >= 6:
                own = (p[i, RHO_IP] * p[i, twisted + TORSION_ROW * (j - 6 - 2 * n)], 0.0, 0.0)
            L = p[i, LENGTH]
            sections = (L * p[i, RHO_IP], L * p[i, RHO_IY], L * p[i, RHO_IZ])
            dh = (sections[0] * spin[0], sections[1] * spin[1], sections[2] * spin[2])
            dh = plus(dh, times(w[1], own))
            up = (sections[0] * spin_up[0], sections[1] * spin_up[1], sections[2] * spin_up[2])
            moment = plus(moment, plus(plus(up, times(w[0], own)), plus(cross(spin, h), cross(omega, dh))))
            if j >= 3 and j < 6:
                force = plus(force, times(w[2], cross(c, vector_in(work, f))))
            force = turned(E, force)
            moment = turned(turn, moment)
            for k in range(3):
                K[i, k, j] += force[k]
                K[i, 3 + k, j] += moment[k]
            for k in range(n):
                row = TABLE + BENDING_ROW * k
                y = work[df + 6 + 3 * k + 1] + p[i, RHO_IZ] * p[i, row] * spin_up[2]
                z = work[df + 6 + 3 * k + 2] - p[i, RHO_IY] * p[i, row] * spin_up[1]
                if mode >= 0:
                    inertia = w[0] * p[i, at + k * n + mode]
                    y += p[i, RHO_IZ] * inertia if axis == 1 else 0.0
                    z += p[i, RHO_IY] * inertia if axis == 2 else 0.0
                if k == mode and axis == 1:
                    y += w[2] * p[i, EIZ] * p[i, row + 1] + w[1] * p[i, row + 2]
                if k == mode and axis == 2:
                    z += w[2] * p[i, EIY] * p[i, row + 1] + w[1] * p[i, row + 3]
                K[i, 6 + k, j] += y
                K[i, 6 + n + k, j] += z
            for k in range(nt):
                row = twisted + TORSION_ROW * k
                twist = p[i, RHO_IP] * p[i, row] * spin_up[0]
                if j == 6 + 2 * n + k:
                    twist += w[0] * p[i, RHO_IP] * p[i, row + 1] + w[2] * p[i, row + 2] + w[1] * p[i, row + 3]
                K[i, 6 + 2 * n + k, j] += twist
