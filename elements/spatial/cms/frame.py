"""The chord frame of a CMS beam in space: its motion, that of the ends against it, and the forces on the nodes.

The frame E has its x-axis along the chord d = R₂ − R₁ = l e_x, and turns about it so that the twists of the two ends
against it are −φ and φ. With D = Eᵀḋ, w₁ and w₂ the angular velocities of the end sections in its axes, and u₁, u₂
their swings (:mod:`flexmb.elements.spatial.cms.swing`),

    l̇ = Dx,   Ωy = −Dz/l,   Ωz = Dy/l,   Ωx = ½ (p₁ + p₂),   φ̇ = ½ (p₂ − p₁),   pᵢ = wᵢx + Kᵢ uᵢ·(wᵢ − Ω)⊥

and u̇ᵢ from νᵢ = wᵢ − Ω. All of it is linear in z = (D, w₁, w₂), with coefficients that depend on l, u₁ and u₂ alone. A
variation of the nodes obeys the same equations, and vectors that stay in space change by −δΠ × their components, with
δΠ the turn of the frame; those that stay in the axes of node i by (δθᵢ − δΠ) × their components.
"""

from __future__ import annotations

import math

from flexmb.elements.spatial.cms.element import (
    ALONG_Y,
    ALONG_Z,
    AXES1,
    AXES2,
    AXIAL,
    FRAME,
    GRAVITY,
    KEPT,
    LENGTH,
    TORSION,
)
from flexmb.elements.spatial.cms.swing import (
    end_force,
    end_force_change,
    end_functions,
    swing_change,
    swing_rate,
    swing_second,
    twist_change,
    twist_rate,
    twist_second,
)
from flexmb.kernels.compilation import called, compiled, inlined
from flexmb.kernels.rotations import inverse, product, rotation_matrix, turned_back
from flexmb.kernels.vectors import applied, cross, dot, minus, plus, put, transposed, vector_in
from flexmb.kernels.views import matrix_view, vector_view

# places in the first numbers of `work`: matrices from the axes of the frame to those of the ground and of the two
# nodes; then the length of the chord, and vectors in the axes of the frame
TO_GROUND, TO_NODE1, TO_NODE2, CHORD = 0, 9, 18, 27
D, D_RATE, D_ABSOLUTE = 28, 31, 34  # Eᵀḋ, its rate, Eᵀd̈
OMEGA, ALPHA = 37, 40  # of the frame
W1, W2, ALPHA1, ALPHA2, W1_RATE, W2_RATE = (
    43,
    46,
    49,
    52,
    55,
    58,
)  # of the sections: ω, ω̇, rates of w
PUSH, SPEED = 61, 64  # Eᵀ(R̈₁ − gravity), EᵀṘ₁
END1, END2, QUATERNION = 67, 76, 85


@inlined
def nine(H, k):
    """Nine numbers, from H[k] on."""
    return H[k], H[k + 1], H[k + 2], H[k + 3], H[k + 4], H[k + 5], H[k + 6], H[k + 7], H[k + 8]


@inlined
def sizes(p, i):
    """Numbers of axial modes and of coordinates of bending along y, along z, and of torsion, and of c."""
    m = int(p[i, AXIAL])
    nv = 2 + int(p[i, ALONG_Y])
    nw = 2 + int(p[i, ALONG_Z])
    nt = 1 + int(p[i, TORSION])
    return m, nv, nw, nt, 1 + m + nv + nw + nt


@inlined
def _swing(x, ct, st):
    """u of the quaternion x = S ∘ Rx with the given cosine and sine of half of the twist."""
    scalar = x[0] * ct + x[1] * st
    sy = x[2] * ct - x[3] * st
    sz = x[3] * ct + x[2] * st
    sine = math.sqrt(sy * sy + sz * sz)
    factor = 2.0 if sine < 1e-9 else 2.0 * math.atan2(sine, scalar) / sine
    return factor * sz, -factor * sy


@inlined
def _against_chord(section1, section2, d, l):
    """The quaternion of the frame on a chord d of length l, half of the twist φ, and the swings u of the ends, whose
    sections have these quaternions."""
    tilted = turned_back(section1, d)
    s0 = max(math.sqrt(max(0.5 * (1.0 + tilted[0] / l), 0.0)), 1e-9)
    tilt = (s0, 0.0, -0.5 * tilted[2] / (l * s0), 0.5 * tilted[1] / (l * s0))
    swung = product(inverse(tilt), product(inverse(section1), section2))
    phi = math.atan2(swung[1], swung[0])
    ct, st = math.cos(0.5 * phi), math.sin(0.5 * phi)
    E = product(product(section1, tilt), (ct, st, 0.0, 0.0))
    back = inverse(E)
    return E, phi, _swing(product(back, section1), ct, -st), _swing(product(back, section2), ct, st)


@compiled
def slopes_of_ends(q, numbers, axes1, axes2, out):
    """Fill out (k, 5) with the slopes v' and w' of the first and of the last end against the chord, and half of the
    twist φ, at coordinates q (k, …) with these `numbers` of an element whose nodes have the sections `axes1` and
    `axes2` (4,)."""
    for k in range(q.shape[0]):
        x = q[k]
        d = x[numbers[7]] - x[numbers[0]], x[numbers[8]] - x[numbers[1]], x[numbers[9]] - x[numbers[2]]
        one = x[numbers[3]], x[numbers[4]], x[numbers[5]], x[numbers[6]]
        other = x[numbers[10]], x[numbers[11]], x[numbers[12]], x[numbers[13]]
        section1 = product(one, (axes1[0], axes1[1], axes1[2], axes1[3]))
        section2 = product(other, (axes2[0], axes2[1], axes2[2], axes2[3]))
        _, phi, u1, u2 = _against_chord(section1, section2, d, math.sqrt(dot(d, d)))
        out[k, 0], out[k, 1], out[k, 2], out[k, 3], out[k, 4] = u1[0], u1[1], u2[0], u2[1], phi


@inlined
def _rates(H, l, u1, u2, d, w1, w2):
    """Ω, u̇₁, u̇₂, φ̇ of z = (d, w₁, w₂); variations of a position just so."""
    f1, f2 = nine(H, END1), nine(H, END2)
    oy, oz = -d[2] / l, d[1] / l
    n1, n2 = (w1[1] - oy, w1[2] - oz), (w2[1] - oy, w2[2] - oz)
    p1, p2 = twist_rate(f1, u1, w1[0], n1), twist_rate(f2, u2, w2[0], n2)
    ox = 0.5 * (p1 + p2)
    s1, s2 = swing_rate(f1, u1, n1, w1[0] - ox), swing_rate(f2, u2, n2, w2[0] - ox)
    return (ox, oy, oz), s1, s2, 0.5 * (p2 - p1)


@inlined
def _changes(H, l, u1, u2, d, w1, w2, om, dl, du1, du2, dd, dw1, dw2):
    """Derivatives of Ω, u̇₁, u̇₂ and φ̇."""
    f1, f2 = nine(H, END1), nine(H, END2)
    oy, oz = (-dd[2] - om[1] * dl) / l, (dd[1] - om[2] * dl) / l
    n1, n2 = (w1[1] - om[1], w1[2] - om[2]), (w2[1] - om[1], w2[2] - om[2])
    dn1, dn2 = (dw1[1] - oy, dw1[2] - oz), (dw2[1] - oy, dw2[2] - oz)
    p1 = twist_change(f1, u1, n1, du1, dw1[0], dn1)
    p2 = twist_change(f2, u2, n2, du2, dw2[0], dn2)
    ox = 0.5 * (p1 + p2)
    s1 = swing_change(f1, u1, n1, w1[0] - om[0], du1, dn1, dw1[0] - ox)
    s2 = swing_change(f2, u2, n2, w2[0] - om[0], du2, dn2, dw2[0] - ox)
    return (ox, oy, oz), s1, s2, 0.5 * (p2 - p1)


@called(None)
def motion(p, iq, iv, i, q, v, a, work):
    """Put the motion of the frame, and c with its rates (3, nc), into `work`."""
    m, nv, nw, nt, nc = sizes(p, i)
    H = vector_view(work, 0, FRAME)
    c = matrix_view(work, FRAME, 3, nc)
    Q1 = q[iq[i, 3]], q[iq[i, 4]], q[iq[i, 5]], q[iq[i, 6]]
    Q2 = q[iq[i, 10]], q[iq[i, 11]], q[iq[i, 12]], q[iq[i, 13]]
    C1 = p[i, AXES1], p[i, AXES1 + 1], p[i, AXES1 + 2], p[i, AXES1 + 3]
    C2 = p[i, AXES2], p[i, AXES2 + 1], p[i, AXES2 + 2], p[i, AXES2 + 3]
    section1, section2 = product(Q1, C1), product(Q2, C2)
    d = q[iq[i, 7]] - q[iq[i, 0]], q[iq[i, 8]] - q[iq[i, 1]], q[iq[i, 9]] - q[iq[i, 2]]
    l = math.sqrt(dot(d, d))
    E, phi, u1, u2 = _against_chord(section1, section2, d, l)
    axes = rotation_matrix(E)
    to_frame = transposed(axes)
    N1, N2 = rotation_matrix(product(inverse(Q1), E)), rotation_matrix(product(inverse(Q2), E))
    for k in range(9):
        H[TO_GROUND + k], H[TO_NODE1 + k], H[TO_NODE2 + k] = axes[k], N1[k], N2[k]
    H[CHORD] = l
    f1, f2 = end_functions(u1[0] * u1[0] + u1[1] * u1[1]), end_functions(u2[0] * u2[0] + u2[1] * u2[1])
    for k in range(9):
        H[END1 + k], H[END2 + k] = f1[k], f2[k]
    for k in range(4):
        H[QUATERNION + k] = E[k]

    vd = v[iv[i, 6]] - v[iv[i, 0]], v[iv[i, 7]] - v[iv[i, 1]], v[iv[i, 8]] - v[iv[i, 2]]
    ad = a[iv[i, 6]] - a[iv[i, 0]], a[iv[i, 7]] - a[iv[i, 1]], a[iv[i, 8]] - a[iv[i, 2]]
    dv, dva = applied(to_frame, vd), applied(to_frame, ad)
    back1, back2 = transposed(N1), transposed(N2)
    w1 = applied(back1, (v[iv[i, 3]], v[iv[i, 4]], v[iv[i, 5]]))
    w2 = applied(back2, (v[iv[i, 9]], v[iv[i, 10]], v[iv[i, 11]]))
    a1 = applied(back1, (a[iv[i, 3]], a[iv[i, 4]], a[iv[i, 5]]))
    a2 = applied(back2, (a[iv[i, 9]], a[iv[i, 10]], a[iv[i, 11]]))
    om, s1, s2, twisting = _rates(H, l, u1, u2, dv, w1, w2)
    dvr, w1r, w2r = minus(dva, cross(om, dv)), minus(a1, cross(om, w1)), minus(a2, cross(om, w2))
    al, ss1, ss2, ptwisting = _changes(H, l, u1, u2, dv, w1, w2, om, dv[0], s1, s2, dvr, w1r, w2r)
    put(H, D, dv)
    put(H, D_RATE, dvr)
    put(H, D_ABSOLUTE, dva)
    put(H, OMEGA, om)
    put(H, ALPHA, al)
    put(H, W1, w1)
    put(H, W2, w2)
    put(H, ALPHA1, a1)
    put(H, ALPHA2, a2)
    put(H, W1_RATE, w1r)
    put(H, W2_RATE, w2r)
    g = p[i, GRAVITY], p[i, GRAVITY + 1], p[i, GRAVITY + 2]
    put(H, PUSH, applied(to_frame, (a[iv[i, 0]] - g[0], a[iv[i, 1]] - g[1], a[iv[i, 2]] - g[2])))
    put(H, SPEED, applied(to_frame, (v[iv[i, 0]], v[iv[i, 1]], v[iv[i, 2]])))

    at_v, at_w, at_t = 1 + m, 1 + m + nv, 1 + m + nv + nw
    c[0, 0], c[1, 0], c[2, 0] = l - p[i, LENGTH], dv[0], dvr[0]
    for k in range(2):
        c[0, at_v + k], c[0, at_w + k] = (u1[0], u1[1]) if k == 0 else (u2[0], u2[1])
        c[1, at_v + k], c[1, at_w + k] = (s1[0], s1[1]) if k == 0 else (s2[0], s2[1])
        c[2, at_v + k], c[2, at_w + k] = (ss1[0], ss1[1]) if k == 0 else (ss2[0], ss2[1])
    c[0, at_t], c[1, at_t], c[2, at_t] = phi, twisting, ptwisting
    own = 0
    for k in range(1, nc):
        if k == at_v or k == at_v + 1 or k == at_w or k == at_w + 1 or k == at_t:
            continue
        c[0, k] = q[iq[i, 14 + own]]
        c[1, k] = v[iv[i, 12 + own]]
        c[2, k] = a[iv[i, 12 + own]]
        own += 1


@inlined
def column_of(k, m, nv, nw):
    """Number in c of the modal coordinate k."""
    if k < m:
        return 1 + k
    if k < m + nv - 2:
        return 3 + k
    if k < m + nv + nw - 4:
        return 5 + k
    return 6 + k


# numbers that a column keeps: turn of the frame, turns of the nodes against it, changes of PUSH, Ω, and its rate
TURN, TURN1, TURN2, DPUSH, DOMEGA, DALPHA = range(0, KEPT, 3)


@called(None)
def moved(H, c, m, nv, nw, k, wm, wd, wk, kept, dc):
    """Change of the motion when the nodes move along coordinate k of z = (d, θ₁, θ₂) in the axes of the frame: by wk,
    with wd in the speeds and wm in the accelerations. Fills `kept` (18,) and what changes of `dc` (3, nc)."""
    at_v, at_w, at_t = 1 + m, 1 + m + nv, 1 + m + nv + nw
    l = H[CHORD]
    u1, u2 = (c[0, at_v], c[0, at_w]), (c[0, at_v + 1], c[0, at_w + 1])
    s1, s2 = (c[1, at_v], c[1, at_w]), (c[1, at_v + 1], c[1, at_w + 1])
    along = (1.0 if k % 3 == 0 else 0.0, 1.0 if k % 3 == 1 else 0.0, 1.0 if k % 3 == 2 else 0.0)
    zero = (0.0, 0.0, 0.0)
    ed = along if k < 3 else zero
    e1 = along if 3 <= k < 6 else zero
    e2 = along if k >= 6 else zero
    d, da = vector_in(H, D), vector_in(H, D_ABSOLUTE)
    w1, w2, w1r, w2r = vector_in(H, W1), vector_in(H, W2), vector_in(H, W1_RATE), vector_in(H, W2_RATE)
    om, al = vector_in(H, OMEGA), vector_in(H, ALPHA)
    f1, f2 = nine(H, END1), nine(H, END2)

    # the position
    turn, x1, x2, twist = _rates(
        H, l, u1, u2, (wk * ed[0], wk * ed[1], wk * ed[2]), (wk * e1[0], wk * e1[1], wk * e1[2]),
        (wk * e2[0], wk * e2[1], wk * e2[2]),
    )  # fmt: skip
    turn1 = (wk * e1[0] - turn[0], wk * e1[1] - turn[1], wk * e1[2] - turn[2])
    turn2 = (wk * e2[0] - turn[0], wk * e2[1] - turn[1], wk * e2[2] - turn[2])
    dl = wk * ed[0]
    # speeds
    vd = _moved(d, turn, -1.0, wd, ed)
    v1, v2 = _moved(w1, turn1, 1.0, wd, e1), _moved(w2, turn2, 1.0, wd, e2)
    dom, y1, y2, twisting = _changes(H, l, u1, u2, d, w1, w2, om, dl, x1, x2, vd, v1, v2)
    # accelerations
    ad = minus(_moved(da, turn, -1.0, wm, ed), plus(cross(dom, d), cross(om, vd)))
    a1 = minus(_moved(vector_in(H, ALPHA1), turn1, 1.0, wm, e1), plus(cross(dom, w1), cross(om, v1)))
    a2 = minus(_moved(vector_in(H, ALPHA2), turn2, 1.0, wm, e2), plus(cross(dom, w2), cross(om, v2)))
    ldot, dldot = d[0], vd[0]
    dal_y = (-ad[2] - al[1] * dl - dom[1] * ldot - om[1] * dldot) / l
    dal_z = (ad[1] - al[2] * dl - dom[2] * ldot - om[2] * dldot) / l
    n1, n2 = (w1[1] - om[1], w1[2] - om[2]), (w2[1] - om[1], w2[2] - om[2])
    t1, t2 = (w1r[1] - al[1], w1r[2] - al[2]), (w2r[1] - al[1], w2r[2] - al[2])
    m1, m2 = (v1[1] - dom[1], v1[2] - dom[2]), (v2[1] - dom[1], v2[2] - dom[2])
    g1, g2 = (a1[1] - dal_y, a1[2] - dal_z), (a2[1] - dal_y, a2[2] - dal_z)
    p1 = twist_second(f1, u1, n1, s1, t1, x1, m1, y1, a1[0], g1)
    p2 = twist_second(f2, u2, n2, s2, t2, x2, m2, y2, a2[0], g2)
    dal_x = 0.5 * (p1 + p2)
    z1 = swing_second(f1, u1, n1, w1[0] - om[0], s1, t1, w1r[0] - al[0], x1, m1, v1[0] - dom[0], y1, g1, a1[0] - dal_x)
    z2 = swing_second(f2, u2, n2, w2[0] - om[0], s2, t2, w2r[0] - al[0], x2, m2, v2[0] - dom[0], y2, g2, a2[0] - dal_x)
    put(kept, TURN, turn)
    put(kept, TURN1, turn1)
    put(kept, TURN2, turn2)
    put(kept, DPUSH, cross(vector_in(H, PUSH), turn))
    put(kept, DOMEGA, dom)
    put(kept, DALPHA, (dal_x, dal_y, dal_z))
    dc[0, 0], dc[1, 0], dc[2, 0] = dl, dldot, ad[0]
    dc[0, at_v], dc[0, at_w], dc[0, at_v + 1], dc[0, at_w + 1] = x1[0], x1[1], x2[0], x2[1]
    dc[1, at_v], dc[1, at_w], dc[1, at_v + 1], dc[1, at_w + 1] = y1[0], y1[1], y2[0], y2[1]
    dc[2, at_v], dc[2, at_w], dc[2, at_v + 1], dc[2, at_w + 1] = z1[0], z1[1], z2[0], z2[1]
    dc[0, at_t], dc[1, at_t], dc[2, at_t] = twist, twisting, 0.5 * (p2 - p1)


@inlined
def moved_column(H, c, m, nv, nw, k, wm, wd, wk, kept, dc):
    """The same for column k of the tangent: place of the first node, (d, θ₁, θ₂), and amplitudes of the modes; what the
    other columns left in `kept` and `dc` is cleared."""
    for j in range(KEPT):
        kept[j] = 0.0
    for order in range(3):
        for j in range(dc.shape[1]):
            dc[order, j] = 0.0
    if k < 3:
        kept[DPUSH + k] = wm
    elif k < 12:
        moved(H, c, m, nv, nw, k - 3, wm, wd, wk, kept, dc)
    else:
        at = column_of(k - 12, m, nv, nw)
        dc[0, at], dc[1, at], dc[2, at] = wk, wd, wm


@inlined
def _moved(x, turn, sign, weight, along):
    """sign · turn × x + weight · along."""
    y = cross(turn, x)
    return sign * y[0] + weight * along[0], sign * y[1] + weight * along[1], sign * y[2] + weight * along[2]


# -- forces: y (6 + nc) on R₁, Π and c, z (9) on d, θ₁, θ₂, all in the axes of the frame ----------------------------


@called(None)
def on_nodes(H, c, m, nv, nw, y, z):
    """Forces z of the moment and of the forces on c in y."""
    at_v, at_w, at_t = 7 + m, 7 + m + nv, 7 + m + nv + nw
    l = H[CHORD]
    u1, u2 = (c[0, at_v - 6], c[0, at_w - 6]), (c[0, at_v - 5], c[0, at_w - 5])
    fu1, fu2 = (y[at_v], y[at_w]), (y[at_v + 1], y[at_w + 1])
    b1 = fu1[1] * u1[0] - fu1[0] * u1[1]
    b2 = fu2[1] * u2[0] - fu2[0] * u2[1]
    Mx = y[3] - b1 - b2
    pi1, pi2 = 0.5 * (Mx - y[at_t]), 0.5 * (Mx + y[at_t])
    m1, m2 = end_force(nine(H, END1), u1, fu1, pi1), end_force(nine(H, END2), u2, fu2, pi2)
    z[0] = y[6]
    z[1] = (y[5] - m1[1] - m2[1]) / l
    z[2] = -(y[4] - m1[0] - m2[0]) / l
    z[3], z[4], z[5] = pi1 + b1, m1[0], m1[1]
    z[6], z[7], z[8] = pi2 + b2, m2[0], m2[1]


@called(None)
def on_nodes_change(H, c, m, nv, nw, y, z, dc, dy, dz):
    """Change of :func:`on_nodes` when c changes by dc (3, nc) and y by dy; z is its result."""
    at_v, at_w, at_t = 7 + m, 7 + m + nv, 7 + m + nv + nw
    l, dl = H[CHORD], dc[0, 0]
    u1, u2 = (c[0, at_v - 6], c[0, at_w - 6]), (c[0, at_v - 5], c[0, at_w - 5])
    x1, x2 = (dc[0, at_v - 6], dc[0, at_w - 6]), (dc[0, at_v - 5], dc[0, at_w - 5])
    fu1, fu2 = (y[at_v], y[at_w]), (y[at_v + 1], y[at_w + 1])
    g1, g2 = (dy[at_v], dy[at_w]), (dy[at_v + 1], dy[at_w + 1])
    b1 = fu1[1] * u1[0] - fu1[0] * u1[1]
    b2 = fu2[1] * u2[0] - fu2[0] * u2[1]
    db1 = g1[1] * u1[0] - g1[0] * u1[1] + fu1[1] * x1[0] - fu1[0] * x1[1]
    db2 = g2[1] * u2[0] - g2[0] * u2[1] + fu2[1] * x2[0] - fu2[0] * x2[1]
    Mx, dMx = y[3] - b1 - b2, dy[3] - db1 - db2
    pi1, pi2 = 0.5 * (Mx - y[at_t]), 0.5 * (Mx + y[at_t])
    dpi1, dpi2 = 0.5 * (dMx - dy[at_t]), 0.5 * (dMx + dy[at_t])
    m1 = end_force_change(nine(H, END1), u1, fu1, pi1, x1, g1, dpi1)
    m2 = end_force_change(nine(H, END2), u2, fu2, pi2, x2, g2, dpi2)
    dz[0] = dy[6]
    dz[1] = (dy[5] - m1[1] - m2[1] - z[1] * dl) / l
    dz[2] = (m1[0] + m2[0] - dy[4] - z[2] * dl) / l
    dz[3], dz[4], dz[5] = dpi1 + db1, m1[0], m1[1]
    dz[6], dz[7], dz[8] = dpi2 + db2, m2[0], m2[1]
