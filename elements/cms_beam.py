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

How the kernels work. In the coordinates y = (R1, θ, c) the beam is a body in a floating frame, with s quadratic in c.
Its inertia is integrated exactly by Gauss points, whose shape values are computed once; their number is the smallest
that gives all products of shapes to round-off. θ and l depend on the nodes through d only; with complex numbers
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
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from flexmb.elements.beam import FramedBeam
from flexmb.elements.beam_modes import clamped_clamped, clamped_clamped_values
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.damping import ModalDamping, StiffnessProportional
from flexmb.system.kernels import Kernels, compiled, kernel

if TYPE_CHECKING:
    from flexmb.forces.distributed_load import DistributedLoad

# where the parameters of an instance stand
GX, GY, LENGTH, EA, EI, RHO_A, TURN1, TURN2, AXIAL, BENDING, POINTS, FIELD, DAMPED = range(13)
TABLE = 13
FIELDS = ("chord", "mean", "second_order")


@dataclass(eq=False)
class CmsBeam(FramedBeam):
    """Beam of component modes; one element does what takes a cable of finite elements eight.

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
        table = self._table(shapes)
        turns = self.node_turns()
        coordinates = self.numbers_in(assembly, self._element_coordinates)
        n = coordinates.shape[1]
        for e in range(count):
            head = np.zeros(TABLE)
            head[[GX, GY]] = assembly.gravity
            head[[LENGTH, EA, EI, RHO_A]] = L, self.properties.EA, self.properties.EI, self.properties.rhoA
            head[[TURN1, TURN2]] = turns[e], turns[e + 1]
            head[[AXIAL, BENDING, POINTS]] = self.axial_modes, self.modes, len(shapes.x)
            head[[FIELD, DAMPED]] = FIELDS.index(self.axial), self.damping is not None
            p = np.concatenate([head, table])
            assembly.instance(self, CMS, coordinates[e], p, work=n * n + 40 * n + 20)

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
        """Shape values at a local place s ∈ [0, 1] of an element, for the point kernel."""
        L = self.length / int(self.elements)
        return element_shapes(L, self.axial_modes, self.modes, self.axial).at(np.array([s])).ravel()

    def _table(self, shapes: ElementShapes) -> np.ndarray:
        p, L = self.properties, shapes.length
        k_axial = p.EA / L * (np.arange(1, self.axial_modes + 1) * math.pi) ** 2 / 2
        k_bending = p.EI / L**3 * clamped_clamped_values(self.modes) ** 4
        S = np.zeros_like(shapes.S_end) if self.axial == "chord" else shapes.S_end
        points = np.column_stack([p.rhoA * shapes.weights, shapes.at(shapes.x / L)])
        damping = self._damping_matrix(shapes, k_axial, k_bending)
        return np.concatenate([k_axial, k_bending, S.ravel(), damping.ravel(), points.ravel()])

    def _damping_matrix(self, shapes: ElementShapes, k_axial: np.ndarray, k_bending: np.ndarray) -> np.ndarray:
        """Dissipative force = C ċ on the local coordinates c; rigid motion has ċ = 0."""
        p, L, m = self.properties, shapes.length, self.axial_modes
        n = 3 + m + self.modes
        K = np.zeros((n, n))
        K[np.ix_([0, 2], [0, 2])] = p.EI / L * np.array([[4.0, 2.0], [2.0, 4.0]])
        K[1, 1] = p.EA / L
        K[range(3, n), range(3, n)] = np.concatenate([k_axial, k_bending])
        if self.damping is None:
            return np.zeros((n, n))
        if isinstance(self.damping, StiffnessProportional):
            return self.damping.beta * K
        assert isinstance(self.damping, ModalDamping)
        # free vibration modes of the element, in its nodal and modal coordinates (x1, y1, θ1, x2, y2, θ2, ξ)
        T = np.zeros((n, n + 3))  # c = T u
        T[0, [1, 2, 4]] = 1 / L, 1.0, -1 / L
        T[1, [0, 3]] = -1.0, 1.0
        T[2, [1, 4, 5]] = 1 / L, -1 / L, 1.0
        T[range(3, n), range(6, n + 3)] = 1.0
        mass = np.zeros((n + 3, n + 3))
        for weight, row in zip(shapes.weights, shapes.at(shapes.x / L)):
            x, eta = row[0], row[1]
            jx = np.zeros(n + 3)
            jy = np.zeros(n + 3)
            jx[0], jy[1] = 1.0, 1.0
            jy[[1, 4]] += np.array([-1.0, 1.0]) * x / L
            c_x, c_y = np.zeros(n), np.zeros(n)
            c_x[1], c_x[3 : 3 + m] = eta, row[2 : 2 + m]
            c_y[[0, 2, *range(3 + m, n)]] = row[2 + m : 4 + m + self.modes]
            jx += c_x @ T
            jy += c_y @ T
            mass += p.rhoA * weight * (np.outer(jx, jx) + np.outer(jy, jy))
        import scipy.linalg

        squared, modes = scipy.linalg.eigh(T.T @ K @ T, mass)
        ratios = self.damping.values(n)
        C = np.zeros((n + 3, n + 3))
        for k in range(n):  # the three lowest are the rigid motions
            momentum = mass @ modes[:, 3 + k]
            C += 2.0 * ratios[k] * math.sqrt(squared[3 + k]) * np.outer(momentum, momentum)
        back = np.linalg.pinv(T)
        return back.T @ C @ back


class ElementShapes:
    """Shape functions of an element of length L and the Gauss points that integrate all their products.

    A row of values is (x, η, Φx (m), b (g), b' (g), H (g, g)) with g = 2 + number of bending modes.
    """

    def __init__(self, length: float, axial: int, bending: int, field: str) -> None:
        self.length, self.axial, self.bending, self.field = length, axial, bending, field
        self.S_end = self._stretch(np.ones(1))[0]
        eta, weights = _quadrature(axial, bending, field)
        self.x, self.weights = length * eta, length * weights

    def at(self, eta: np.ndarray) -> np.ndarray:
        """Rows of values (n, width) at the places η (n,)."""
        b, slope = self._bending(eta)
        if self.field == "second_order":
            H = eta[:, None, None] * self.S_end - self._stretch(eta)
        else:
            H = np.zeros((len(eta), b.shape[1], b.shape[1]))
        sines = np.sin(np.outer(eta, np.arange(1, self.axial + 1) * math.pi))
        return np.column_stack([eta * self.length, eta, sines, b, slope, H.reshape(len(eta), -1)])

    def _bending(self, eta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Deflection and slope dw/dx of static and dynamic bending modes, (n, g) each."""
        L = self.length
        b = [L * (eta - 2 * eta**2 + eta**3), L * (-(eta**2) + eta**3)]
        slope = [1 - 4 * eta + 3 * eta**2, -2 * eta + 3 * eta**2]
        for k in range(1, self.bending + 1):
            shape, shape1, _ = clamped_clamped(k, eta)
            b.append(shape)
            slope.append(shape1 / L)
        return np.column_stack(b), np.column_stack(slope)

    def _stretch(self, eta: np.ndarray) -> np.ndarray:
        """S(x) = ∫₀ˣ b'b'ᵀ dx at the places η (n,); (n, g, g)."""
        nodes, weights = _gauss(20 + 8 * self.bending)
        _, slope = self._bending(np.outer(eta, nodes).ravel())
        slope = slope.reshape(len(eta), len(nodes), -1)
        return np.einsum("n,p,npi,npj->nij", self.length * eta, weights, slope, slope, optimize=True)

    def products(self, eta: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Integrals of the products of all displacement shapes by a quadrature on [0, 1]."""
        values = self.at(eta)
        g = 2 + self.bending
        used = np.delete(values, np.s_[2 + self.axial + g : 2 + self.axial + 2 * g], axis=1)
        used = np.column_stack([np.ones(len(eta)), used])
        return np.einsum("p,pi,pj->ij", weights, used, used)


@lru_cache(maxsize=64)
def element_shapes(length: float, axial: int, bending: int, field: str) -> ElementShapes:
    """The shapes of an element, remembered: beams are made of equal elements, and studies of similar models."""
    return ElementShapes(length, axial, bending, field)


@lru_cache(maxsize=64)
def _quadrature(axial: int, bending: int, field: str) -> tuple[np.ndarray, np.ndarray]:
    """The fewest Gauss points on [0, 1] that integrate all products of shapes to round-off."""
    unit = ElementShapes.__new__(ElementShapes)
    unit.length, unit.axial, unit.bending, unit.field = 1.0, axial, bending, field
    unit.S_end = unit._stretch(np.ones(1))[0]
    exact = unit.products(*_gauss(40 + 8 * (axial + bending)))
    size = np.sqrt(np.abs(np.diag(exact)))
    size[size == 0] = 1.0
    count = 4
    while np.max(np.abs(unit.products(*_gauss(count)) - exact) / np.outer(size, size)) > 1e-12:
        count += 1
    return _gauss(count)


@lru_cache(maxsize=128)
def _gauss(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss' quadrature on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return 0.5 * (nodes + 1.0), 0.5 * weights


# -- kernels --------------------------------------------------------------------------------------------------------
# In `work`, from WORK_C on: c, ċ, c̈ (3 nl), g, ġ, g̈ (3 ng), H g, H ġ, H g̈ (3 ng), then r_c (nl).


@compiled
def _motion(p, iq, iv, i, q, v, a, work):
    """Local coordinates and their rates into work; returns cos θ, sin θ, l, V, W, θ̇, θ̈ and R̈1 − gravity in body axes."""
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
def _point_fields(p, i, at, m, ng, second, work, g_at, h_at):
    """Local position, velocity and own acceleration s̈ at a Gauss point; H g, H ġ, H g̈ into work."""
    nl = 1 + m + ng
    x = p[i, at]
    eta = p[i, at + 1]
    sx = x + eta * work[1]
    vx = eta * work[nl + 1]
    bx = eta * work[2 * nl + 1]
    for k in range(m):
        phi = p[i, at + 2 + k]
        sx += phi * work[3 + k]
        vx += phi * work[nl + 3 + k]
        bx += phi * work[2 * nl + 3 + k]
    sy = 0.0
    vy = 0.0
    by = 0.0
    for k in range(ng):
        b = p[i, at + 2 + m + k]
        sy += b * work[g_at + k]
        vy += b * work[g_at + ng + k]
        by += b * work[g_at + 2 * ng + k]
    if second:
        H = at + 2 + m + 2 * ng
        for j in range(ng):
            h0 = 0.0
            h1 = 0.0
            h2 = 0.0
            for k in range(ng):
                value = p[i, H + j * ng + k]
                h0 += value * work[g_at + k]
                h1 += value * work[g_at + ng + k]
                h2 += value * work[g_at + 2 * ng + k]
            work[h_at + j] = h0
            work[h_at + ng + j] = h1
            work[h_at + 2 * ng + j] = h2
            sx += 0.5 * h0 * work[g_at + j]
            vx += h0 * work[g_at + ng + j]
            bx += h0 * work[g_at + 2 * ng + j] + h1 * work[g_at + ng + j]
    return sx, sy, vx, vy, bx, by


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


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        L = p[i, LENGTH]
        m = int(p[i, AXIAL])
        n = int(p[i, BENDING])
        points = int(p[i, POINTS])
        second = p[i, FIELD] == 2.0
        nl = 3 + m + n
        ng = 2 + n
        S = TABLE + m + n
        damping = S + ng * ng
        at = damping + nl * nl
        width = 3 + m + 2 * ng + ng * ng
        g_at = 3 * nl
        h_at = g_at + 3 * ng
        r_at = h_at + 3 * ng
        co, si, l, Vx, Vy, Wx, Wy, om, al, ax, ay = _motion(p, iq, iv, i, q, v, a, work)

        # elastic forces on c
        c0 = work[0]
        c2 = work[2]
        strain = work[1] / L
        if p[i, FIELD] > 0.0:
            strain += _stretching(p, i, S, ng, work, g_at, L)
        N = p[i, EA] * strain
        work[r_at] = p[i, EI] / L * (4.0 * c0 + 2.0 * c2)
        work[r_at + 1] = N
        work[r_at + 2] = p[i, EI] / L * (2.0 * c0 + 4.0 * c2)
        for k in range(m + n):
            work[r_at + 3 + k] = p[i, TABLE + k] * work[3 + k]
        if p[i, FIELD] > 0.0:
            for j in range(ng):
                total = 0.0
                for k in range(ng):
                    total += p[i, S + j * ng + k] * work[g_at + k]
                work[r_at + _c_of_g(j, m)] += N * total
        if p[i, DAMPED] != 0.0:
            for j in range(nl):
                total = 0.0
                for k in range(nl):
                    total += p[i, damping + j * nl + k] * work[nl + k]
                work[r_at + j] += total

        # inertia
        Fx = 0.0
        Fy = 0.0
        moment = 0.0
        for point in range(points):
            row = at + point * width
            sx, sy, vx, vy, bx, by = _point_fields(p, i, row + 1, m, ng, second, work, g_at, h_at)
            mass = p[i, row]
            fx = mass * (ax - sy * al + bx - sx * om * om - 2.0 * om * vy)
            fy = mass * (ay + sx * al + by - sy * om * om + 2.0 * om * vx)
            Fx += fx
            Fy += fy
            moment += sx * fy - sy * fx
            work[r_at + 1] += p[i, row + 2] * fx
            for k in range(m):
                work[r_at + 3 + k] += p[i, row + 3 + k] * fx
            b = row + 3 + m
            if second:
                for k in range(ng):
                    work[r_at + _c_of_g(k, m)] += p[i, b + k] * fy + work[h_at + k] * fx
            else:
                for k in range(ng):
                    work[r_at + _c_of_g(k, m)] += p[i, b + k] * fy

        # back to the nodes
        tau = (moment - work[r_at] - work[r_at + 2]) / l
        N = work[r_at + 1]
        ex = co * N - si * tau
        ey = si * N + co * tau
        out[i, 0] = co * Fx - si * Fy - ex
        out[i, 1] = si * Fx + co * Fy - ey
        out[i, 2] = work[r_at]
        out[i, 3] = ex
        out[i, 4] = ey
        out[i, 5] = work[r_at + 2]
        for k in range(m + n):
            out[i, 6 + k] = work[r_at + 3 + k]


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    wm = w[0]
    wd = w[1]
    wk = w[2]
    for i in range(p.shape[0]):
        L = p[i, LENGTH]
        m = int(p[i, AXIAL])
        n = int(p[i, BENDING])
        points = int(p[i, POINTS])
        second = p[i, FIELD] == 2.0
        nl = 3 + m + n
        ng = 2 + n
        ny = 3 + nl
        S = TABLE + m + n
        damping = S + ng * ng
        at = damping + nl * nl
        width = 3 + m + 2 * ng + ng * ng
        g_at = 3 * nl
        h_at = g_at + 3 * ng
        r_at = h_at + 3 * ng
        P = r_at + nl  # (ny, ny): rows and columns (R1 in body axes, θ, c), all weights in
        X = P + ny * ny  # (4, ny): columns of M for θ and l, and of D for them
        col = X + 4 * ny  # (2, ny): weighted gradient of the acceleration of a point
        shape = col + 2 * ny  # (2, nl): ∂s/∂c
        for k in range(P, shape + 2 * nl):
            work[k] = 0.0
        co, si, l, Vx, Vy, Wx, Wy, om, al, ax, ay = _motion(p, iq, iv, i, q, v, a, work)

        # inertia
        Fx = 0.0
        Fy = 0.0
        moment = 0.0
        for k in range(nl):
            work[r_at + k] = 0.0
        work[col] = wm
        work[col + ny + 1] = wm
        for point in range(points):
            row = at + point * width
            sx, sy, vx, vy, bx, by = _point_fields(p, i, row + 1, m, ng, second, work, g_at, h_at)
            mass = p[i, row]
            fx = mass * (ax - sy * al + bx - sx * om * om - 2.0 * om * vy)
            fy = mass * (ay + sx * al + by - sy * om * om + 2.0 * om * vx)
            Fx += fx
            Fy += fy
            moment += sx * fy - sy * fx
            work[shape + 1] = p[i, row + 2]
            for k in range(m):
                work[shape + 3 + k] = p[i, row + 3 + k]
            for k in range(ng):
                work[shape + nl + _c_of_g(k, m)] = p[i, row + 3 + m + k]
                if second:
                    work[shape + _c_of_g(k, m)] = work[h_at + k]
            work[col + 2] = -wm * sy - 2.0 * wd * (om * sx + vy) + wk * ay
            work[col + ny + 2] = wm * sx - 2.0 * wd * (om * sy - vx) - wk * ax
            for k in range(nl):
                ux = work[shape + k]
                uy = work[shape + nl + k]
                work[col + 3 + k] = wm * ux - 2.0 * wd * om * uy - wk * (al * uy + om * om * ux)
                work[col + ny + 3 + k] = wm * uy + 2.0 * wd * om * ux + wk * (al * ux - om * om * uy)
                work[r_at + k] += ux * fx + uy * fy
            if second:
                for k in range(ng):
                    j = col + 3 + _c_of_g(k, m)
                    work[j] += 2.0 * wd * work[h_at + ng + k] + wk * work[h_at + 2 * ng + k]
                    work[j + ny] += 2.0 * wk * om * work[h_at + ng + k]
            # rows R1, θ, c of P
            for j in range(ny):
                gx = mass * work[col + j]
                gy = mass * work[col + ny + j]
                work[P + j] += gx
                work[P + ny + j] += gy
                work[P + 2 * ny + j] += sx * gy - sy * gx
                for k in range(nl):
                    work[P + (3 + k) * ny + j] += work[shape + k] * gx + work[shape + nl + k] * gy
            for k in range(nl):
                work[P + 2 * ny + 3 + k] += wk * (work[shape + k] * fy - work[shape + nl + k] * fx)
            if second:
                H = row + 3 + m + 2 * ng
                for j in range(ng):
                    line = P + (3 + _c_of_g(j, m)) * ny + 3
                    for k in range(ng):
                        work[line + _c_of_g(k, m)] += wk * p[i, H + j * ng + k] * fx
            # columns of M and D that go with θ and l: θ turns the frame and takes away from ū3 and ū6
            tx = -sy - work[shape] - work[shape + 2]
            ty = sx - work[shape + nl] - work[shape + nl + 2]
            dx = -2.0 * (om * sx + vy) + 2.0 * om * (work[shape + nl] + work[shape + nl + 2])
            dy = -2.0 * (om * sy - vx) - 2.0 * om * (work[shape] + work[shape + 2])
            if second:
                dx -= 2.0 * (work[h_at + ng] + work[h_at + ng + 1])
            eta = p[i, row + 2]
            for column in range(4):
                if column == 0:
                    gx, gy = mass * tx, mass * ty
                elif column == 1:
                    gx, gy = mass * eta, 0.0
                elif column == 2:
                    gx, gy = mass * dx, mass * dy
                else:
                    gx, gy = 0.0, 2.0 * mass * om * eta
                line = X + column * ny
                work[line] += gx
                work[line + 1] += gy
                work[line + 2] += sx * gy - sy * gx
                for k in range(nl):
                    work[line + 3 + k] += work[shape + k] * gx + work[shape + nl + k] * gy

        # elastic forces and damping on c
        c0 = work[0]
        c2 = work[2]
        strain = work[1] / L
        if p[i, FIELD] > 0.0:
            strain += _stretching(p, i, S, ng, work, g_at, L)
        N = p[i, EA] * strain
        EIL = p[i, EI] / L
        work[r_at] += EIL * (4.0 * c0 + 2.0 * c2)
        work[r_at + 1] += N
        work[r_at + 2] += EIL * (2.0 * c0 + 4.0 * c2)
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
                total = 0.0
                for k in range(ng):
                    total += p[i, S + j * ng + k] * work[g_at + k]
                work[h_at + j] = total
                work[r_at + _c_of_g(j, m)] += N * total
            for j in range(ng):
                cj = _c_of_g(j, m)
                coupling = wk * p[i, EA] / L * work[h_at + j]
                work[C + ny + cj] += coupling
                work[C + cj * ny + 1] += coupling
                for k in range(ng):
                    work[C + cj * ny + _c_of_g(k, m)] += (
                        wk * N * p[i, S + j * ng + k] + coupling * work[h_at + k]
                    )
        if p[i, DAMPED] != 0.0:
            for j in range(nl):
                total = 0.0
                for k in range(nl):
                    value = p[i, damping + j * nl + k]
                    total += value * work[nl + k]
                    work[C + j * ny + k] += wd * value
                work[r_at + j] += total
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
        work[P + 2] -= wk * Fy * il
        work[P + ny + 2] += wk * Fx * il
        # rows in the same manner, with the change of the map itself
        tau = (moment - work[r_at] - work[r_at + 2]) * il
        N = work[r_at + 1]
        for j in range(ny):
            work[P + 2 * ny + j] = (work[P + 2 * ny + j] - work[P + 3 * ny + j] - work[P + 5 * ny + j]) * il
        work[P + 4 * ny + 2] -= wk * tau * il
        work[P + 2 * ny + 2] += wk * N * il
        work[P + 2 * ny + 4] -= wk * tau * il

        # global axes and nodes
        for j in range(ny):
            jj = j
            # rows first: column j of P, in the order of P
            r0 = work[P + j]
            r1 = work[P + ny + j]
            d0 = work[P + 4 * ny + j]
            d1 = work[P + 2 * ny + j]
            n0 = co * d0 - si * d1
            n1 = si * d0 + co * d1
            work[P + jj] = co * r0 - si * r1 - n0
            work[P + ny + jj] = si * r0 + co * r1 - n1
            work[P + 4 * ny + jj] = n0
            work[P + 2 * ny + jj] = n1
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
            d0 = work[row + 4]
            d1 = work[row + 2]
            n0 = co * d0 - si * d1
            n1 = si * d0 + co * d1
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
        second = p[i, FIELD] == 2.0
        nl = 3 + m + n
        ng = 2 + n
        S = TABLE + m + n
        damping = S + ng * ng
        at = damping + nl * nl
        width = 3 + m + 2 * ng + ng * ng
        g_at = 3 * nl
        h_at = g_at + 3 * ng
        co, si, l, Vx, Vy, Wx, Wy, om, al, ax, ay = _motion(p, iq, iv, i, q, v, a, work)
        ux = co * v[iv[i, 0]] + si * v[iv[i, 1]]
        uy = co * v[iv[i, 1]] - si * v[iv[i, 0]]
        kinetic = 0.0
        potential = 0.0
        for point in range(int(p[i, POINTS])):
            row = at + point * width
            sx, sy, vx, vy, bx, by = _point_fields(p, i, row + 1, m, ng, second, work, g_at, h_at)
            mass = p[i, row]
            kinetic += 0.5 * mass * ((ux - om * sy + vx) ** 2 + (uy + om * sx + vy) ** 2)
            potential -= mass * p[i, GX] * (q[iq[i, 0]] + co * sx - si * sy)
            potential -= mass * p[i, GY] * (q[iq[i, 1]] + si * sx + co * sy)
        strain = work[1] / L
        if p[i, FIELD] > 0.0:
            strain += _stretching(p, i, S, ng, work, g_at, L)
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


CMS = Kernels("CMS beam", residual, tangent, energy, point=point)
