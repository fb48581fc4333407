"""Planar cable element in absolute nodal coordinates (ANCF), gradient deficient.

A node has a place and a slope of the axis, (x, y, x', y'). With ξ = x/L on an element, d = (r2 − r1)/L,
A = r1' − d and B = r2' − d, cubic Hermite interpolation reads

    r'  = d + h2 A + h4 B,     h2 = 1 − 4ξ + 3ξ²,   h4 = −2ξ + 3ξ²
    r'' = g2 A + g4 B,         g2 = (6ξ − 4)/L,     g4 = (6ξ − 2)/L

    ε = |r'| − 1,     κ = (r' × r'')/|r'|²,     strain energy ½ ∫ (EA ε² + EI κ²) dx

by Gauss quadrature with 5 points for ε and 3 for κ. The error falls with the fourth power of the element's
length. But long elements that bend far are too stiff where EA L² is much greater than EI, since a cubic
cannot bend without stretching: take shorter ones. The mass matrix ρA ∫ NᵀN dx is constant. Kelvin–Voigt
material adds EA β ε̇ and EI β κ̇ to the axial force and the moment. With
c̃ = (c_y, −c_x), p̃ = (−p_y, p_x), p = r', c = r'':

    ∂κ/∂p = (c̃ − 2κp)/p²,   ∂κ/∂c = p̃/p²
    ∂²κ/∂p² = (−2(c̃pᵀ + pc̃ᵀ)/p² + 8κ ppᵀ/p² − 2κ I)/p²,   ∂²κ/∂p∂c = (∂c̃/∂c − 2p p̃ᵀ/p²)/p²,   ∂²κ/∂c² = 0

Sections have N = EA (ε + β ε̇) and M = EI (κ + β κ̇) of the interpolated axis. A cubic is no circle: in an element that
bends by the angle φ, ε oscillates by about φ⁴/600 about its true value, and with a large EA this is a large error of N.
M is linear on an element and off by q L²/12 at its ends under a load q. There is no law for the shear force.

A node is no frame; the frames of the ends are welded to the cable like those of all its places
(:mod:`flexmb.elements.interior`). The stretch |r'| stays free; the last multiplier of a weld is the moment. For
the rate of the angle ψ of r', ψ̇ = r' × ṙ'/|r'|², with D the shapes in r' = D q:

    ∂ψ/∂r' = (−r'_y, r'_x)/|r'|²,   ∂²ψ/∂r'² = [[2 r'_x r'_y, r'_y² − r'_x²], [·, −2 r'_x r'_y]]/|r'|⁴
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from flexmb.elements.absolute_nodes import AbsoluteNodes
from flexmb.elements.beam import BeamElements
from flexmb.elements.beam_load import BeamLoad
from flexmb.elements.hermite import AXIAL, BENDING, hermite_mass
from flexmb.elements.planar.ancf.forces import SIDE_BY_SIDE, residual
from flexmb.elements.planar.ancf.heat import ANCF_HEAT
from flexmb.elements.planar.ancf.load import ANCF_LOAD
from flexmb.elements.planar.ancf.shapes import BETA, EA, EI, GX, LENGTH, RHO_A, local
from flexmb.elements.planar.ancf.tangent import BLOCKS, tangent
from flexmb.elements.planar.beam import Beam, BeamPoint
from flexmb.joints.planar.compound import Weld
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.model.components import Assembler
from flexmb.model.doubted import Assembled
from flexmb.model.frames import Frame, FrameOrPoint


@dataclass(eq=False)
class AncfCable(AbsoluteNodes, Beam):
    """Cable of ANCF elements: stretching and bending of any size, no shear, no rotary inertia.

    Its frames `start` and `end` are made, and welded to it, at their first use; ends that were
    given as frames are welded to those. The coordinates of node k are `name.nodek.x`, `.y`, `.dx`, `.dy`.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> given = fm.planar.BeamProperties(EA=1e4, EI=1.0, rhoA=0.5)
    >>> rod = m.add_beam("rod", (0, 0), (2, 0), properties=given, theory="ancf", elements=8)
    >>> hinge = m.revolute(m.ground, rod.start)
    >>> sorted(m.frames)
    ['ground', 'rod.start']
    """

    usual_elements = 8
    slope_limit = 0.25

    @property
    def kernels(self) -> Kernels:
        return ANCF

    @property
    def heat_kernels(self) -> Kernels:
        return ANCF_HEAT

    @property
    def node_kernels(self) -> Kernels:
        return ANCF_NODE

    def make_ends(self, start: FrameOrPoint, end: FrameOrPoint) -> list[Weld]:
        for given, s in ((start, 0.0), (end, 1.0)):
            if isinstance(given, Frame):
                turn = self.direction - given.node.angle
                self.add_point(BeamPoint(self.point_name(s), self.model, given.node, given.offset, turn, self, s))
        return []

    def slope_differences(self, system: Assembled, q: np.ndarray) -> np.ndarray:
        numbers = system.coordinates_of(self.name, ANCF)
        dx0, dy0, dx1, dy1 = (q[:, numbers[:, k]] for k in (2, 3, 6, 7))
        return np.abs(np.arctan2(dx0 * dy1 - dy0 * dx1, dx0 * dx1 + dy0 * dy1))

    def elements_in(self, assembly: Assembler) -> BeamElements:
        numbers = self.numbers_in(assembly, self.node_coordinates)
        given = self.properties
        length = self.length / int(self.elements)
        p = np.array([*assembly.gravity, length, given.EA, given.EI, given.rhoA, self.damping_time])
        return BeamElements(np.hstack([numbers[:-1], numbers[1:]]), p, max(SIDE_BY_SIDE, BLOCKS))

    def assemble_load(self, assembly: Assembler, load: BeamLoad) -> None:
        """Add a distributed load on the cable's coordinates."""
        count = int(self.elements)
        numbers = self.numbers_in(assembly, self.node_coordinates)
        density = load.line_load_at(np.linspace(0.0, 1.0, count + 1))
        head = np.tile([self.length / count, float(not load.fixed_in_space)], (count, 1))
        tail = np.tile(assembly.strength(load).slot(), (count, 1))
        p = np.hstack([head, density[:-1], density[1:], tail])
        assembly.series(load, ANCF_LOAD, np.hstack([numbers[:-1], numbers[1:]]), p, strength=6)


# -- the element ---------------------------------------------------------------------------------------------
# coordinates: x1, y1, x1', y1', x2, y2, x2', y2'


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        L = p[i, LENGTH]
        il = 1.0 / L
        beta = p[i, BETA]
        mass = p[i, RHO_A] * L
        kinetic = 0.0
        for j in range(2):
            v0 = v[iv[i, j]]
            v1 = v[iv[i, 2 + j]]
            v2 = v[iv[i, 4 + j]]
            v3 = v[iv[i, 6 + j]]
            m0, m1, m2, m3 = hermite_mass(mass / 420.0, L, v0, v1, v2, v3)
            kinetic += 0.5 * (v0 * m0 + v1 * m1 + v2 * m2 + v3 * m3)
            center = 0.5 * (q[iq[i, j]] + q[iq[i, 4 + j]]) + L / 12.0 * (q[iq[i, 2 + j]] - q[iq[i, 6 + j]])
            out[i, 2] -= mass * p[i, GX + j] * center
        dx, dy, ax, ay, bx, by = local(iq, i, il, q)
        ddx, ddy, dax, day, dbx, dby = local(iv, i, il, v)
        strain = 0.0
        lost = 0.0
        for k in range(5):
            h2, h4 = AXIAL[k, 0], AXIAL[k, 1]
            rx = dx + h2 * ax + h4 * bx
            ry = dy + h2 * ay + h4 * by
            vx = ddx + h2 * dax + h4 * dbx
            vy = ddy + h2 * day + h4 * dby
            l = math.sqrt(rx * rx + ry * ry)
            rate = (rx * vx + ry * vy) / l
            strain += AXIAL[k, 4] * p[i, EA] * L * (l - 1.0) ** 2
            lost += AXIAL[k, 4] * p[i, EA] * L * rate * rate
        for k in range(3):
            h2, h4, g2, g4 = BENDING[k, 0], BENDING[k, 1], BENDING[k, 2], BENDING[k, 3]
            rx = dx + h2 * ax + h4 * bx
            ry = dy + h2 * ay + h4 * by
            cx = g2 * ax + g4 * bx
            cy = g2 * ay + g4 * by
            vx = ddx + h2 * dax + h4 * dbx
            vy = ddy + h2 * day + h4 * dby
            i2 = 1.0 / (rx * rx + ry * ry)
            kappa = (rx * cy - ry * cx) * i2
            rate = (cy - 2.0 * kappa * rx) * vx - (cx + 2.0 * kappa * ry) * vy
            rate = (rate + rx * (g2 * day + g4 * dby) - ry * (g2 * dax + g4 * dbx)) * i2
            strain += BENDING[k, 4] * p[i, EI] * il * kappa * kappa
            lost += BENDING[k, 4] * p[i, EI] * il * rate * rate
        out[i, 0] = kinetic
        out[i, 1] = 0.5 * strain
        out[i, 3] = beta * lost


@kernel
def point(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    x = w[0]
    h2 = 1.0 - 4.0 * x + 3.0 * x * x
    h4 = -2.0 * x + 3.0 * x * x
    n3 = x * x * (3.0 - 2.0 * x)
    n1 = 1.0 - n3
    n2 = x * (1.0 - x) * (1.0 - x)
    n4 = x * x * (x - 1.0)
    for i in range(p.shape[0]):
        L = p[i, LENGTH]
        il = 1.0 / L
        for j in range(2):
            out[i, j] = n1 * q[iq[i, j]] + n3 * q[iq[i, 4 + j]] + L * (n2 * q[iq[i, 2 + j]] + n4 * q[iq[i, 6 + j]])
            out[i, 3 + j] = n1 * v[iv[i, j]] + n3 * v[iv[i, 4 + j]] + L * (n2 * v[iv[i, 2 + j]] + n4 * v[iv[i, 6 + j]])
            out[i, 6 + j] = n1 * a[iv[i, j]] + n3 * a[iv[i, 4 + j]] + L * (n2 * a[iv[i, 2 + j]] + n4 * a[iv[i, 6 + j]])
        dx, dy, ax, ay, bx, by = local(iq, i, il, q)
        rx = dx + h2 * ax + h4 * bx
        ry = dy + h2 * ay + h4 * by
        dx, dy, ax, ay, bx, by = local(iv, i, il, v)
        vx = dx + h2 * ax + h4 * bx
        vy = dy + h2 * ay + h4 * by
        dx, dy, ax, ay, bx, by = local(iv, i, il, a)
        i2 = 1.0 / (rx * rx + ry * ry)
        turn = (rx * vy - ry * vx) * i2
        out[i, 2] = math.atan2(ry, rx)
        out[i, 5] = turn
        out[i, 8] = (
            rx * (dy + h2 * ay + h4 * by) - ry * (dx + h2 * ax + h4 * bx) - 2.0 * turn * (rx * vx + ry * vy)
        ) * i2


@kernel
def point_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    x = w[0]
    wk = w[len(w) - 1]
    n3 = x * x * (3.0 - 2.0 * x)
    h2 = 1.0 - 4.0 * x + 3.0 * x * x
    h4 = -2.0 * x + 3.0 * x * x
    for i in range(p.shape[0]):
        L = p[i, LENGTH]
        il = 1.0 / L
        dx, dy, ax, ay, bx, by = local(iq, i, il, q)
        rx = dx + h2 * ax + h4 * bx
        ry = dy + h2 * ay + h4 * by
        i2 = 1.0 / (rx * rx + ry * ry)
        N = (1.0 - n3, L * x * (1.0 - x) * (1.0 - x), n3, L * x * x * (x - 1.0))
        D = ((h2 + h4 - 1.0) * il, h2, (1.0 - h2 - h4) * il, h4)
        for k in range(4):
            out[i, 2 * k] = N[k]
            out[i, 8 + 2 * k + 1] = N[k]
            out[i, 16 + 2 * k] = -ry * i2 * D[k]
            out[i, 16 + 2 * k + 1] = rx * i2 * D[k]
        if wk != 0.0:
            bend = wk * lam[i, 2] * i2 * i2
            xx = 2.0 * bend * rx * ry
            xy = bend * (ry * ry - rx * rx)
            for j in range(4):
                for k in range(4):
                    both = D[j] * D[k]
                    K[i, 2 * j, 2 * k] += both * xx
                    K[i, 2 * j, 2 * k + 1] += both * xy
                    K[i, 2 * j + 1, 2 * k] += both * xy
                    K[i, 2 * j + 1, 2 * k + 1] -= both * xx


@kernel
def section(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    x = w[0]
    h2 = 1.0 - 4.0 * x + 3.0 * x * x
    h4 = -2.0 * x + 3.0 * x * x
    for i in range(p.shape[0]):
        il = 1.0 / p[i, LENGTH]
        g2 = (6.0 * x - 4.0) * il
        g4 = (6.0 * x - 2.0) * il
        dx, dy, ax, ay, bx, by = local(iq, i, il, q)
        rx = dx + h2 * ax + h4 * bx
        ry = dy + h2 * ay + h4 * by
        cx = g2 * ax + g4 * bx
        cy = g2 * ay + g4 * by
        dx, dy, ax, ay, bx, by = local(iv, i, il, v)
        vx = dx + h2 * ax + h4 * bx
        vy = dy + h2 * ay + h4 * by
        l = math.sqrt(rx * rx + ry * ry)
        i2 = 1.0 / (l * l)
        kappa = (rx * cy - ry * cx) * i2
        turning = (cy - 2.0 * kappa * rx) * vx - (cx + 2.0 * kappa * ry) * vy
        turning = (turning + rx * (g2 * ay + g4 * by) - ry * (g2 * ax + g4 * bx)) * i2
        out[i, 0] = l - 1.0
        out[i, 1] = kappa
        out[i, 2] = p[i, EA] * (l - 1.0 + p[i, BETA] * (rx * vx + ry * vy) / l)
        out[i, 3] = math.nan
        out[i, 4] = p[i, EI] * (kappa + p[i, BETA] * turning)


# -- a node alone, as the place of a frame: x, y, x', y' -------------------------------------------------------------


@kernel
def node_point(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        for j in range(2):
            out[i, j] = q[iq[i, j]]
            out[i, 3 + j] = v[iv[i, j]]
            out[i, 6 + j] = a[iv[i, j]]
        rx, ry = q[iq[i, 2]], q[iq[i, 3]]
        vx, vy = v[iv[i, 2]], v[iv[i, 3]]
        i2 = 1.0 / (rx * rx + ry * ry)
        turn = (rx * vy - ry * vx) * i2
        out[i, 2] = math.atan2(ry, rx)
        out[i, 5] = turn
        out[i, 8] = (rx * a[iv[i, 3]] - ry * a[iv[i, 2]] - 2.0 * turn * (rx * vx + ry * vy)) * i2


@kernel
def node_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    wk = w[len(w) - 1]
    for i in range(p.shape[0]):
        rx, ry = q[iq[i, 2]], q[iq[i, 3]]
        i2 = 1.0 / (rx * rx + ry * ry)
        out[i, 0] = 1.0
        out[i, 5] = 1.0
        out[i, 10] = -ry * i2
        out[i, 11] = rx * i2
        bend = wk * lam[i, 2] * i2 * i2
        if bend != 0.0:
            K[i, 2, 2] += 2.0 * bend * rx * ry
            K[i, 2, 3] += bend * (ry * ry - rx * rx)
            K[i, 3, 2] += bend * (ry * ry - rx * rx)
            K[i, 3, 3] -= 2.0 * bend * rx * ry


ANCF_NODE = Kernels("ANCF node", point=node_point, point_jacobian=node_jacobian)
ANCF = Kernels("ANCF cable", residual, tangent, energy, point=point, section=section, point_jacobian=point_jacobian)
