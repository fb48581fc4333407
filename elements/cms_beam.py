"""Planar beam by component mode synthesis, its large rotation coupled exactly.

Coordinates: the end nodes U = (x1, y1, θ1, x2, y2, θ2) and modal coordinates ξ = (ξx, ξy) of the axial and bending
eigenmodes of the clamped-clamped beam (source 004, (1)-(13)). The body frame lies on the chord d = R2 − R1 = l e(θ):

    c = (ū3, ū4, ū6, ξ),   ū3 = θ1 − θ,  ū4 = l − L,  ū6 = θ2 − θ                                       (9)
    s = (x + η ū4 + Φx ξx + ½ gᵀ H g,  b·g),   g = (ū3, ū6, ξy),   r = R1 + A(θ) s                      (4)
    b = (L(η − 2η² + η³), L(−η² + η³), Φy),   S(x) = ∫₀ˣ b'b'ᵀ dx,   H(x) = η S(L) − S(x)              (10)-(13)

The quadratic term is the shortening that bending causes; it keeps the axial strain uniform, so that the varying
centrifugal tension enters through inertia. Strain energy:

    ½ EA L ε² + ½ EI/L (ū3, ū6)[[4, 2], [2, 4]](ū3, ū6)ᵀ + ½ Σ k ξ²,   ε = ū4/L + ½ gᵀ S(L) g / L       (38), (47)

`axial="second_order"` is all of this; "mean" leaves H out of s; "chord" leaves S(L) out of ε too, which is the source
to the letter.

Sections have the strains of this energy, and β of a damping proportional to stiffness:

    N = EA (ε + Φx'·ξx + β (ū̇4/L + Φx'·ξ̇x)),   κ = b''·g,   M = EI (κ + β κ̇)

With "chord", ε is ū4/L alone. The bending modes stand for what the two cubics of the end angles leave out, as a series:
a moment that the cubics have (linear along the element) is exact; others converge slowest at the ends of the element,
where the error of M falls with the second power of the number of modes, as it does with that of elements.
There is no law for the shear force.

How the kernels work. In the coordinates y = (R1, θ, c) the beam is a body in a floating frame, and s is linear in the
amplitudes ζ = (l; ξx; ½ g_i², g_i g_j) of the functions X = (η; Φx; H_ii, H_ij) and in g, of b:

    s = (X·ζ, b·g),    r̈ in body axes = (ax + X·A + b·B,  ay + X·D + b·C)
    A = ζ̈ − θ̇² ζ,   B = −(θ̈ g + 2 θ̇ ġ),   C = g̈ − θ̇² g,   D = θ̈ ζ + 2 θ̇ ζ̇

so all of the inertia is in one constant matrix, the integrals of the products of the functions (1, X, b). (Twenty Gauss
points do the same three times slower.) θ and l depend on the nodes through d only; with complex numbers
d = l e^{iθ}, and V, W = ḋ, d̈ turned into body axes, for a variation ζ of d in body axes:

    θ̇ = Vy/l,   θ̈ = Wy/l − 2 Vx Vy/l²,   l̇ = Vx,   l̈ = Wx + Vy²/l
    δθ = ζy/l,   δl = ζx,   δθ̇ = −Im(Vζ)/l²,   δl̇ = Vy ζy/l
    δθ̈ = Im(−Wζ/l² + 2V²ζ/l³),   δl̈ = (Wy − 2 Vx Vy/l) ζy/l − Vy² ζx/l²

θ is never computed as an angle: ū3 is minus the angle of d against node 1, between −π and π, and ū6 = θ2 − θ1 + ū3; so
a beam may turn a thousand times.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexmb.elements.beam import FramedBeam
from flexmb.elements.beam_modes import clamped_clamped_values
from flexmb.elements.cms_shapes import ElementShapes, damping_matrix, element_shapes
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.damping import StiffnessProportional
from flexmb.system.kernels import Kernels, compiled, kernel

if TYPE_CHECKING:
    from flexmb.forces.distributed_load import DistributedLoad

# where the parameters of an instance stand
GX, GY, LENGTH, EA, EI, RHO_A, TURN1, TURN2, AXIAL, BENDING, FUNCTIONS, FIELD, DAMPED, BETA = range(14)
TABLE = 14
FIELDS = ("chord", "mean", "second_order")


@dataclass(eq=False)
class CmsBeam(FramedBeam):
    """Beam of component modes; one element does what takes a cable of finite elements eight.

    The field is of second order in the slopes against the chord, so an element may bend until its end slopes differ by
    about a radian and a half; a beam that rolls up or buckles far needs two or three elements.

    Options: `modes`, number of bending modes an element; `axial_modes`; `axial`, the axial field: 'second_order',
    'mean' or 'chord' (see the module's text).

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> rod = m.add_beam("rod", (0, 0), (1, 0), properties=fm.BeamProperties(EA=1e6, EI=10.0, rhoA=0.6), modes=2)
    >>> rod.length
    1.0
    """

    modes: int = 2
    axial_modes: int = 0
    axial: str = "second_order"

    def check(self) -> None:
        super().check()
        self.modes = checks.count(self.modes, "modes", self.where)
        self.axial_modes = checks.count(self.axial_modes, "axial_modes", self.where)
        checks.choice(self.axial, FIELDS, "axial", self.where)

    def assemble(self, assembly: Assembler) -> None:
        count = int(self.elements)
        L = self.length / count
        shapes = element_shapes(L, self.axial_modes, self.modes, self.axial)
        gram = self.properties.rhoA * shapes.gram
        table = np.concatenate([self._table(shapes), gram.ravel()])
        turns = self.node_turns()
        coordinates = self.numbers_in(assembly, self._element_coordinates)
        n = coordinates.shape[1]
        for e in range(count):
            head = np.zeros(TABLE)
            head[[GX, GY]] = assembly.gravity
            head[[LENGTH, EA, EI, RHO_A]] = L, self.properties.EA, self.properties.EI, self.properties.rhoA
            head[[TURN1, TURN2]] = turns[e], turns[e + 1]
            head[[AXIAL, BENDING, FUNCTIONS]] = self.axial_modes, self.modes, len(gram)
            head[[FIELD, DAMPED]] = FIELDS.index(self.axial), self.damping is not None
            head[BETA] = self.damping.beta if isinstance(self.damping, StiffnessProportional) else 0.0
            p = np.concatenate([head, table])
            assembly.instance(self, CMS, coordinates[e], p, work=n * n + 40 * n + 24 * len(gram))

    def assemble_load(self, assembly: Assembler, load: DistributedLoad) -> None:
        """Put a distributed load on the beam's coordinates."""
        from flexmb.elements.cms_load import put_load

        L = self.length / int(self.elements)
        shapes = element_shapes(L, self.axial_modes, self.modes, self.axial)
        put_load(self, shapes, self.numbers_in(assembly, self._element_coordinates), assembly, load)

    def _element_coordinates(self, assembly: Assembler) -> np.ndarray:
        """Numbers (elements, n) of the coordinates of all elements."""
        count = int(self.elements)
        numbers = []
        for e in range(count):
            nodes = [assembly.node(node) for node in self.chain[e : e + 2]]
            tag = "" if count == 1 else f"element{e}."
            names = [f"{tag}axial{k + 1}" for k in range(self.axial_modes)]
            names += [f"{tag}bending{k + 1}" for k in range(self.modes)]
            own = assembly.coordinates(self, names, ["length"] * len(names), np.zeros(len(names)))
            numbers.append(np.concatenate([*nodes, own]))
        return np.array(numbers)

    def point_data(self, s: float) -> np.ndarray:
        """Shape values at a local place s ∈ [0, 1] of an element, for the point and section kernels."""
        shapes = element_shapes(self.length / int(self.elements), self.axial_modes, self.modes, self.axial)
        eta = np.array([s])
        return np.concatenate([shapes.at(eta).ravel(), shapes.strains(eta).ravel()])

    def _table(self, shapes: ElementShapes) -> np.ndarray:
        p, L = self.properties, shapes.length
        k_axial = p.EA / L * (np.arange(1, self.axial_modes + 1) * math.pi) ** 2 / 2
        k_bending = p.EI / L**3 * clamped_clamped_values(self.modes) ** 4
        S = np.zeros_like(shapes.S_end) if self.axial == "chord" else shapes.S_end
        damping = damping_matrix(shapes, p, self.damping, k_axial, k_bending)
        return np.concatenate([k_axial, k_bending, S.ravel(), damping.ravel()])


# -- kernels --------------------------------------------------------------------------------------------------------
# `work` begins with c, ċ, c̈ (3 nl) and g, ġ, g̈ (3 ng); nl local coordinates, ng bending ones, nf functions.


@compiled
def _motion(p, iq, iv, i, q, v, a, work):
    """Local coordinates and their rates into work; returns cos θ, sin θ, l, V, W, θ̇, θ̈, R̈1 − gravity in body axes."""
    L = p[i, LENGTH]
    m = int(p[i, AXIAL])
    n = int(p[i, BENDING])
    nl = 3 + m + n
    dx = q[iq[i, 3]] - q[iq[i, 0]]
    dy = q[iq[i, 4]] - q[iq[i, 1]]
    l = math.sqrt(dx * dx + dy * dy)
    co = dx / l
    si = dy / l
    th1 = q[iq[i, 2]] - p[i, TURN1]
    c1 = math.cos(th1)
    s1 = math.sin(th1)
    turn = math.atan2(c1 * si - s1 * co, c1 * co + s1 * si)
    dvx = v[iv[i, 3]] - v[iv[i, 0]]
    dvy = v[iv[i, 4]] - v[iv[i, 1]]
    dax = a[iv[i, 3]] - a[iv[i, 0]]
    day = a[iv[i, 4]] - a[iv[i, 1]]
    Vx = co * dvx + si * dvy
    Vy = co * dvy - si * dvx
    Wx = co * dax + si * day
    Wy = co * day - si * dax
    om = Vy / l
    al = Wy / l - 2.0 * Vx * Vy / (l * l)
    work[0] = -turn
    work[1] = l - L
    work[2] = q[iq[i, 5]] - p[i, TURN2] - th1 - turn
    work[nl] = v[iv[i, 2]] - om
    work[nl + 1] = Vx
    work[nl + 2] = v[iv[i, 5]] - om
    work[2 * nl] = a[iv[i, 2]] - al
    work[2 * nl + 1] = Wx + Vy * Vy / l
    work[2 * nl + 2] = a[iv[i, 5]] - al
    for k in range(m + n):
        work[3 + k] = q[iq[i, 6 + k]]
        work[nl + 3 + k] = v[iv[i, 6 + k]]
        work[2 * nl + 3 + k] = a[iv[i, 6 + k]]
    ng = 2 + n
    for order in range(3):
        at = 3 * nl + order * ng
        work[at] = work[order * nl]
        work[at + 1] = work[order * nl + 2]
        for k in range(n):
            work[at + 2 + k] = work[order * nl + 3 + m + k]
    ax = a[iv[i, 0]] - p[i, GX]
    ay = a[iv[i, 1]] - p[i, GY]
    return co, si, l, Vx, Vy, Wx, Wy, om, al, co * ax + si * ay, co * ay - si * ax


@compiled
def _stretching(p, i, S, ng, work, g_at, L):
    """Mean quadratic stretch ½ gᵀ S g / L."""
    total = 0.0
    for j in range(ng):
        for k in range(ng):
            total += work[g_at + j] * p[i, S + j * ng + k] * work[g_at + k]
    return 0.5 * total / L


@compiled
def _c_of_g(k, m):
    """Number in c of the k-th entry of g."""
    return 2 * k if k < 2 else 1 + m + k


@compiled
def _pair(j, k, ng):
    """Number of the pair {j, k} among the pairs in the order (0, 0), (0, 1), …, (1, 1), …"""
    if j > k:
        j, k = k, j
    return j * ng - (j * (j - 1)) // 2 + k - j


@compiled
def _amplitudes(m, ng, second, l, work, at):
    """ζ, ζ̇, ζ̈ (3 nx) into work[at:]; returns nx."""
    nl = 1 + m + ng
    g = 3 * nl
    nx = 1 + m
    if second:
        nx += (ng * (ng + 1)) // 2
    for order in range(3):
        work[at + order * nx] = work[order * nl + 1]
        for k in range(m):
            work[at + order * nx + 1 + k] = work[order * nl + 3 + k]
    work[at] = l
    if second:
        place = at + 1 + m
        for j in range(ng):
            for k in range(j, ng):
                half = 0.5 if j == k else 1.0
                gj, gk = work[g + j], work[g + k]
                vj, vk = work[g + ng + j], work[g + ng + k]
                work[place] = half * gj * gk
                work[place + nx] = half * (gj * vk + vj * gk)
                work[place + 2 * nx] = half * (gj * work[g + 2 * ng + k] + 2.0 * vj * vk + work[g + 2 * ng + j] * gk)
                place += 1
    return nx


@compiled
def _loads(p, i, gram, nf, field, load, work):
    """Integrals of the functions times the field with the coefficients work[field:], into work[load:]."""
    for e in range(nf):
        work[load + e] = 0.0
    for f in range(nf):
        amplitude = work[field + f]
        if amplitude != 0.0:
            row = gram + f * nf
            for e in range(nf):
                work[load + e] += p[i, row + e] * amplitude


@compiled
def _acceleration(nx, ng, nl, om, al, ax, ay, zeta, u, work):
    """Coefficients of the acceleration in body axes: x into work[u:], y into work[u + nf:]."""
    g = 3 * nl
    w = u + 1 + nx + ng
    work[u] = ax
    work[w] = ay
    for e in range(nx):
        work[u + 1 + e] = work[zeta + 2 * nx + e] - om * om * work[zeta + e]
        work[w + 1 + e] = al * work[zeta + e] + 2.0 * om * work[zeta + nx + e]
    for b in range(ng):
        work[u + 1 + nx + b] = -al * work[g + b] - 2.0 * om * work[g + ng + b]
        work[w + 1 + nx + b] = work[g + 2 * ng + b] - om * om * work[g + b]


@compiled
def _project(m, nx, ng, nl, second, zeta, load, out, stride, work):
    """Loads of a field on the coordinates (R1 in body axes, θ, c): work[out], work[out + stride], …"""
    g = 3 * nl
    nf = 1 + nx + ng
    X = load + 1
    Y = load + nf + 1 + nx
    work[out] = work[load]
    work[out + stride] = work[load + nf]
    moment = 0.0
    for e in range(nx):
        moment += work[zeta + e] * work[load + nf + 1 + e]
    for b in range(ng):
        moment -= work[g + b] * work[load + 1 + nx + b]
    work[out + 2 * stride] = moment
    c = out + 3 * stride
    work[c + stride] = work[X]
    for k in range(m):
        work[c + (3 + k) * stride] = work[X + 1 + k]
    for j in range(ng):
        total = work[Y + j]
        if second:
            for k in range(ng):
                total += work[g + k] * work[X + 1 + m + _pair(j, k, ng)]
        work[c + _c_of_g(j, m) * stride] = total


@compiled
def _elastic(p, i, m, ng, nl, S, damping, r, Sg, work):
    """Elastic and damping forces on c, added to work[r:]; S g into work[Sg:]; returns the axial force."""
    g = 3 * nl
    L = p[i, LENGTH]
    strain = work[1] / L
    if p[i, FIELD] > 0.0:
        for j in range(ng):
            total = 0.0
            for k in range(ng):
                total += p[i, S + j * ng + k] * work[g + k]
            work[Sg + j] = total
            strain += 0.5 * work[g + j] * total / L
    N = p[i, EA] * strain
    work[r] += p[i, EI] / L * (4.0 * work[0] + 2.0 * work[2])
    work[r + 1] += N
    work[r + 2] += p[i, EI] / L * (2.0 * work[0] + 4.0 * work[2])
    for k in range(3, nl):
        work[r + k] += p[i, TABLE + k - 3] * work[k]
    if p[i, FIELD] > 0.0:
        for j in range(ng):
            work[r + _c_of_g(j, m)] += N * work[Sg + j]
    if p[i, DAMPED] != 0.0:
        for j in range(nl):
            total = 0.0
            for k in range(nl):
                total += p[i, damping + j * nl + k] * work[nl + k]
            work[r + j] += total
    return N


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        m = int(p[i, AXIAL])
        n = int(p[i, BENDING])
        nf = int(p[i, FUNCTIONS])
        second = p[i, FIELD] == 2.0
        nl = 3 + m + n
        ng = 2 + n
        S = TABLE + m + n
        damping = S + ng * ng
        gram = damping + nl * nl
        zeta = 3 * nl + 3 * ng
        co, si, l, Vx, Vy, Wx, Wy, om, al, ax, ay = _motion(p, iq, iv, i, q, v, a, work)
        nx = _amplitudes(m, ng, second, l, work, zeta)
        u = zeta + 3 * nx
        load = u + 2 * nf
        y = load + 2 * nf  # forces on R1 in body axes, θ, c
        _acceleration(nx, ng, nl, om, al, ax, ay, zeta, u, work)
        _loads(p, i, gram, nf, u, load, work)
        _loads(p, i, gram, nf, u + nf, load + nf, work)
        _project(m, nx, ng, nl, second, zeta, load, y, 1, work)
        r = y + 3
        _elastic(p, i, m, ng, nl, S, damping, r, y + 3 + nl, work)

        # back to the nodes
        Fx = work[y]
        Fy = work[y + 1]
        tau = (work[y + 2] - work[r] - work[r + 2]) / l
        N = work[r + 1]
        ex = co * N - si * tau
        ey = si * N + co * tau
        out[i, 0] = co * Fx - si * Fy - ex
        out[i, 1] = si * Fx + co * Fy - ey
        out[i, 2] = work[r]
        out[i, 3] = ex
        out[i, 4] = ey
        out[i, 5] = work[r + 2]
        for k in range(3, nl):
            out[i, 3 + k] = work[r + k]


@compiled
def _add_bending_column(m, nx, ng, nl, second, j, om, al, wm, wd, wk, factor, du, work):
    """Add the weighted gradient of the acceleration by g_j, times a factor, to the coefficients in work[du:]."""
    g = 3 * nl
    nf = 1 + nx + ng
    dw = du + nf
    work[du + 1 + nx + j] -= factor * (al * wk + 2.0 * om * wd)
    work[dw + 1 + nx + j] += factor * (wm - om * om * wk)
    if second:
        for k in range(ng):
            e = 2 + m + _pair(j, k, ng)
            g0, g1, g2 = work[g + k], work[g + ng + k], work[g + 2 * ng + k]
            work[du + e] += factor * ((wm - om * om * wk) * g0 + 2.0 * wd * g1 + wk * g2)
            work[dw + e] += factor * ((al * wk + 2.0 * om * wd) * g0 + 2.0 * om * wk * g1)


@compiled
def _add_turning_column(nx, ng, nl, om, wm, wd, factor, zeta, du, work):
    """The same by θ, as far as it acts through θ̇ and θ̈."""
    g = 3 * nl
    dw = du + 1 + nx + ng
    for e in range(nx):
        work[du + 1 + e] -= factor * 2.0 * om * wd * work[zeta + e]
        work[dw + 1 + e] += factor * (wm * work[zeta + e] + 2.0 * wd * work[zeta + nx + e])
    for b in range(ng):
        work[du + 1 + nx + b] -= factor * (wm * work[g + b] + 2.0 * wd * work[g + ng + b])
        work[dw + 1 + nx + b] -= factor * 2.0 * om * wd * work[g + b]


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    wm = w[0]
    wd = w[1]
    wk = w[2]
    for i in range(p.shape[0]):
        L = p[i, LENGTH]
        m = int(p[i, AXIAL])
        n = int(p[i, BENDING])
        nf = int(p[i, FUNCTIONS])
        second = p[i, FIELD] == 2.0
        nl = 3 + m + n
        ng = 2 + n
        ny = 3 + nl
        S = TABLE + m + n
        damping = S + ng * ng
        gram = damping + nl * nl
        zeta = 3 * nl + 3 * ng
        co, si, l, Vx, Vy, Wx, Wy, om, al, ax, ay = _motion(p, iq, iv, i, q, v, a, work)
        nx = _amplitudes(m, ng, second, l, work, zeta)
        u = zeta + 3 * nx
        load = u + 2 * nf
        y = load + 2 * nf
        Sg = y + ny
        du = Sg + ng
        dload = du + 2 * nf
        P = dload + 2 * nf  # (ny, ny): rows and columns (R1 in body axes, θ, c), all weights in
        X = P + ny * ny  # (4, ny): columns of M for θ and l, and of D for them
        _acceleration(nx, ng, nl, om, al, ax, ay, zeta, u, work)
        _loads(p, i, gram, nf, u, load, work)
        _loads(p, i, gram, nf, u + nf, load + nf, work)
        _project(m, nx, ng, nl, second, zeta, load, y, 1, work)

        # a column at a time: the gradient of the acceleration, its loads, and these on the coordinates
        for column in range(ny + 4):
            for e in range(du, dload):
                work[e] = 0.0
            if column == 0:
                work[du] = wm
            elif column == 1:
                work[du + nf] = wm
            elif column == 2:
                work[du] = wk * ay
                work[du + nf] = -wk * ax
                _add_turning_column(nx, ng, nl, om, wm, wd, 1.0, zeta, du, work)
            elif column == 3:
                _add_bending_column(m, nx, ng, nl, second, 0, om, al, wm, wd, wk, 1.0, du, work)
            elif column == 5:
                _add_bending_column(m, nx, ng, nl, second, 1, om, al, wm, wd, wk, 1.0, du, work)
            elif column == 4 or column < 6 + m:
                e = 1 if column == 4 else column - 4
                work[du + e] = wm - om * om * wk
                work[du + nf + e] = al * wk + 2.0 * om * wd
            elif column < ny:
                _add_bending_column(m, nx, ng, nl, second, column - 4 - m, om, al, wm, wd, wk, 1.0, du, work)
            elif column == ny or column == ny + 2:
                # θ turns the frame and takes away from ū3 and ū6
                mass = 1.0 if column == ny else 0.0
                rate = 1.0 - mass
                _add_turning_column(nx, ng, nl, om, mass, rate, 1.0, zeta, du, work)
                _add_bending_column(m, nx, ng, nl, second, 0, om, al, mass, rate, 0.0, -1.0, du, work)
                _add_bending_column(m, nx, ng, nl, second, 1, om, al, mass, rate, 0.0, -1.0, du, work)
            elif column == ny + 1:
                work[du + 1] = 1.0
            else:
                work[du + nf + 1] = 2.0 * om
            _loads(p, i, gram, nf, du, dload, work)
            _loads(p, i, gram, nf, du + nf, dload + nf, work)
            if column < ny:
                _project(m, nx, ng, nl, second, zeta, dload, P + column, ny, work)
            else:
                _project(m, nx, ng, nl, second, zeta, dload, X + (column - ny) * ny, 1, work)
        # what the loads do when the shapes of the coordinates change with them
        line = P + 2 * ny + 3
        work[line + 1] += wk * work[load + nf + 1]
        for k in range(m):
            work[line + 3 + k] += wk * work[load + nf + 2 + k]
        for j in range(ng):
            total = -work[load + 1 + nx + j]
            if second:
                for k in range(ng):
                    e = 2 + m + _pair(j, k, ng)
                    total += work[3 * nl + k] * work[load + nf + e]
                    work[P + (3 + _c_of_g(j, m)) * ny + 3 + _c_of_g(k, m)] += wk * work[load + e]
            work[line + _c_of_g(j, m)] += wk * total

        # elastic forces and damping on c
        r = y + 3
        N = _elastic(p, i, m, ng, nl, S, damping, r, Sg, work)
        EIL = p[i, EI] / L
        C = P + 3 * ny + 3  # the corner of P that belongs to c
        work[C] += 4.0 * wk * EIL
        work[C + 2] += 2.0 * wk * EIL
        work[C + 2 * ny] += 2.0 * wk * EIL
        work[C + 2 * ny + 2] += 4.0 * wk * EIL
        work[C + ny + 1] += wk * p[i, EA] / L
        for k in range(3, nl):
            work[C + k * ny + k] += wk * p[i, TABLE + k - 3]
        if p[i, FIELD] > 0.0:
            for j in range(ng):
                cj = _c_of_g(j, m)
                coupling = wk * p[i, EA] / L * work[Sg + j]
                work[C + ny + cj] += coupling
                work[C + cj * ny + 1] += coupling
                for k in range(ng):
                    work[C + cj * ny + _c_of_g(k, m)] += wk * N * p[i, S + j * ng + k] + coupling * work[Sg + k]
        if p[i, DAMPED] != 0.0:
            for j in range(nl):
                for k in range(nl):
                    work[C + j * ny + k] += wd * p[i, damping + j * nl + k]
                work[X + 2 * ny + 3 + j] -= p[i, damping + j * nl] + p[i, damping + j * nl + 2]
                work[X + 3 * ny + 3 + j] += p[i, damping + j * nl + 1]

        # columns: from (R1, θ, c) to (R1, d, θ1, θ2, ξ) in body axes; the new columns replace old ones in place:
        # 0, 1: R1;  2: dy (θ / l);  3: θ1;  4: dx (l);  5: θ2;  6..: ξ
        il = 1.0 / l
        # second-order parts of θ and l: rates along ζx and ζy
        tdx = -Vy * il * il
        tdy = -Vx * il * il
        ldy = Vy * il
        tax = -Wy * il * il + 4.0 * Vx * Vy * il**3
        tay = -Wx * il * il + 2.0 * (Vx * Vx - Vy * Vy) * il**3
        lax = -Vy * Vy * il * il
        lay = Wy * il - 2.0 * Vx * Vy * il * il
        for j in range(ny):
            row = P + j * ny
            mt = work[X + j]
            ml = work[X + ny + j]
            dt = work[X + 2 * ny + j]
            dl = work[X + 3 * ny + j]
            theta = work[row + 2] - work[row + 3] - work[row + 5]
            first_t = 2.0 * wd * mt + wk * dt
            first_l = 2.0 * wd * ml + wk * dl
            work[row + 2] = theta * il + first_t * tdy + first_l * ldy + wk * (mt * tay + ml * lay)
            work[row + 4] += first_t * tdx + wk * (mt * tax + ml * lax)
        # the body axes turn: θ column of A F
        work[P + 2] -= wk * work[y + 1] * il
        work[P + ny + 2] += wk * work[y] * il
        # rows in the same manner, with the change of the map itself
        tau = (work[y + 2] - work[r] - work[r + 2]) * il
        N = work[r + 1]
        for j in range(ny):
            work[P + 2 * ny + j] = (work[P + 2 * ny + j] - work[P + 3 * ny + j] - work[P + 5 * ny + j]) * il
        work[P + 4 * ny + 2] -= wk * tau * il
        work[P + 2 * ny + 2] += wk * N * il
        work[P + 2 * ny + 4] -= wk * tau * il

        # global axes and nodes: rows first
        for j in range(P, P + ny):
            r0 = work[j]
            r1 = work[j + ny]
            n0 = co * work[j + 4 * ny] - si * work[j + 2 * ny]
            n1 = si * work[j + 4 * ny] + co * work[j + 2 * ny]
            work[j] = co * r0 - si * r1 - n0
            work[j + ny] = si * r0 + co * r1 - n1
            work[j + 4 * ny] = n0
            work[j + 2 * ny] = n1
        for j in range(ny):
            # row j of P belongs to this place of the instance
            row = P + j * ny
            place = j
            if j == 2:
                place = 4
            elif j == 3:
                place = 2
            elif j == 4:
                place = 3
            r0 = work[row]
            r1 = work[row + 1]
            n0 = co * work[row + 4] - si * work[row + 2]
            n1 = si * work[row + 4] + co * work[row + 2]
            K[i, place, 0] += co * r0 - si * r1 - n0
            K[i, place, 1] += si * r0 + co * r1 - n1
            K[i, place, 2] += work[row + 3]
            K[i, place, 3] += n0
            K[i, place, 4] += n1
            for k in range(5, ny):
                K[i, place, k] += work[row + k]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        L = p[i, LENGTH]
        m = int(p[i, AXIAL])
        n = int(p[i, BENDING])
        nf = int(p[i, FUNCTIONS])
        second = p[i, FIELD] == 2.0
        nl = 3 + m + n
        ng = 2 + n
        g = 3 * nl
        S = TABLE + m + n
        damping = S + ng * ng
        gram = damping + nl * nl
        zeta = 3 * nl + 3 * ng
        co, si, l, Vx, Vy, Wx, Wy, om, al, ax, ay = _motion(p, iq, iv, i, q, v, a, work)
        nx = _amplitudes(m, ng, second, l, work, zeta)
        u = zeta + 3 * nx
        load = u + 2 * nf
        # velocity in body axes, as coefficients of the functions
        work[u] = co * v[iv[i, 0]] + si * v[iv[i, 1]]
        work[u + nf] = co * v[iv[i, 1]] - si * v[iv[i, 0]]
        for e in range(nx):
            work[u + 1 + e] = work[zeta + nx + e]
            work[u + nf + 1 + e] = om * work[zeta + e]
        for b in range(ng):
            work[u + 1 + nx + b] = -om * work[g + b]
            work[u + nf + 1 + nx + b] = work[g + ng + b]
        _loads(p, i, gram, nf, u, load, work)
        _loads(p, i, gram, nf, u + nf, load + nf, work)
        kinetic = 0.0
        for e in range(2 * nf):
            kinetic += 0.5 * work[u + e] * work[load + e]
        # first moments of the mass in body axes: the first row of the matrix of integrals
        sx = 0.0
        sy = 0.0
        for e in range(nx):
            sx += p[i, gram + 1 + e] * work[zeta + e]
        for b in range(ng):
            sy += p[i, gram + 1 + nx + b] * work[g + b]
        mass = p[i, gram]
        potential = -p[i, GX] * (mass * q[iq[i, 0]] + co * sx - si * sy)
        potential -= p[i, GY] * (mass * q[iq[i, 1]] + si * sx + co * sy)
        strain = work[1] / L
        if p[i, FIELD] > 0.0:
            strain += _stretching(p, i, S, ng, work, g, L)
        c0 = work[0]
        c2 = work[2]
        elastic = 0.5 * p[i, EA] * L * strain * strain + 2.0 * p[i, EI] / L * (c0 * c0 + c0 * c2 + c2 * c2)
        for k in range(m + n):
            elastic += 0.5 * p[i, TABLE + k] * work[3 + k] ** 2
        lost = 0.0
        if p[i, DAMPED] != 0.0:
            for j in range(nl):
                for k in range(nl):
                    lost += work[nl + j] * p[i, damping + j * nl + k] * work[nl + k]
        out[i, 0] = kinetic
        out[i, 1] = elastic
        out[i, 2] = potential
        out[i, 3] = lost


@kernel
def point(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        m = int(p[i, AXIAL])
        n = int(p[i, BENDING])
        second = p[i, FIELD] == 2.0
        nl = 3 + m + n
        ng = 2 + n
        g_at = 3 * nl
        co, si, l, Vx, Vy, Wx, Wy, om, al, ax, ay = _motion(p, iq, iv, i, q, v, a, work)
        # the shape values come through w: x, η, Φx, b, b', H
        sx = w[0] + w[1] * work[1]
        vx = w[1] * work[nl + 1]
        bx = w[1] * work[2 * nl + 1]
        for k in range(m):
            sx += w[2 + k] * work[3 + k]
            vx += w[2 + k] * work[nl + 3 + k]
            bx += w[2 + k] * work[2 * nl + 3 + k]
        sy = 0.0
        vy = 0.0
        by = 0.0
        turn = 0.0
        turn1 = 0.0
        turn2 = 0.0
        for k in range(ng):
            b = w[2 + m + k]
            slope = w[2 + m + ng + k]
            sy += b * work[g_at + k]
            vy += b * work[g_at + ng + k]
            by += b * work[g_at + 2 * ng + k]
            turn += slope * work[g_at + k]
            turn1 += slope * work[g_at + ng + k]
            turn2 += slope * work[g_at + 2 * ng + k]
        if second:
            H = 2 + m + 2 * ng
            for j in range(ng):
                for k in range(ng):
                    h = w[H + j * ng + k]
                    sx += 0.5 * h * work[g_at + j] * work[g_at + k]
                    vx += h * work[g_at + j] * work[g_at + ng + k]
                    bx += h * (work[g_at + j] * work[g_at + 2 * ng + k] + work[g_at + ng + j] * work[g_at + ng + k])
        out[i, 0] = q[iq[i, 0]] + co * sx - si * sy
        out[i, 1] = q[iq[i, 1]] + si * sx + co * sy
        out[i, 2] = q[iq[i, 2]] - p[i, TURN1] - work[0] + turn
        ux = vx - om * sy
        uy = vy + om * sx
        out[i, 3] = v[iv[i, 0]] + co * ux - si * uy
        out[i, 4] = v[iv[i, 1]] + si * ux + co * uy
        out[i, 5] = om + turn1
        ux = bx - al * sy - om * om * sx - 2.0 * om * vy
        uy = by + al * sx - om * om * sy + 2.0 * om * vx
        out[i, 6] = a[iv[i, 0]] + co * ux - si * uy
        out[i, 7] = a[iv[i, 1]] + si * ux + co * uy
        out[i, 8] = al + turn2


@kernel
def section(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        L = p[i, LENGTH]
        m = int(p[i, AXIAL])
        ng = 2 + int(p[i, BENDING])
        nl = 1 + m + ng
        g = 3 * nl
        _motion(p, iq, iv, i, q, v, a, work)
        # behind the shape values of the point: Φx', b''
        at = 2 + m + 2 * ng + ng * ng
        strain = work[1] / L
        rate = work[nl + 1] / L
        for k in range(m):
            strain += w[at + k] * work[3 + k]
            rate += w[at + k] * work[nl + 3 + k]
        if p[i, FIELD] > 0.0:
            strain += _stretching(p, i, TABLE + nl - 3, ng, work, g, L)
        kappa = 0.0
        turning = 0.0
        for k in range(ng):
            kappa += w[at + m + k] * work[g + k]
            turning += w[at + m + k] * work[g + ng + k]
        out[i, 0] = strain
        out[i, 1] = kappa
        out[i, 2] = p[i, EA] * (strain + p[i, BETA] * rate)
        out[i, 3] = math.nan
        out[i, 4] = p[i, EI] * (kappa + p[i, BETA] * turning)


CMS = Kernels("CMS beam", residual, tangent, energy, point=point, section=section)
