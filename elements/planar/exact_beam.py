"""Geometrically exact planar beam with shear, two nodes: Reissner (1972), Simo and Vu-Quoc (1986).

On an element of length L between the nodes (r1, θ1), (r2, θ2), with linear interpolation and one point of
integration, p = (r2 − r1)/L, ϑ = (θ1 + θ2)/2, e = (cos ϑ, sin ϑ) and n = e turned by +90°:

    Γ1 = p·e − 1,   Γ2 = p·n,   κ = (θ2 − θ1)/L,     strain energy ½ L (EA Γ1² + GA* Γ2² + EI κ²)
    N = EA (Γ1 + β Γ̇1),   Q = GA* (Γ2 + β Γ̇2),   M = EI (κ + β κ̇)
    forces on the nodes  ∓(N e + Q n),   moments  ½ L (N Γ2 − Q (1 + Γ1)) ∓ M

With one point, shear and stretching do not lock. Linear interpolation misses some flexibility in bending; it is
added to that of shear (residual bending flexibility, MacNeal (1978)):

    1/GA* = 1/GA + L²/(12 EI)

so that a straight beam loaded at its nodes bends exactly in the linear range; the error of large bending
falls with L². If no GA is given it is infinite, and the second term alone remains: the elements shear instead of
bending between their nodes, and less the shorter they are. The mass is ρA and ρI with linear shape
functions.

Sections: N and Q are constant on an element, and without forces between its nodes the moment is linear,
M(x) = M + (x − ½L)(N Γ2 − Q (1 + Γ1)); ε = Γ1, and κ(x) is the curvature of the elastic part of M(x). For small
deformation ½ ∫ (N²/EA + Q²/GA + M(x)²/EI) dx is then the strain energy above; 1/GA* follows from this.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from flexmb.elements.beam import MEAN_AXIAL_FORCE, BeamElements
from flexmb.elements.beam_load import BeamLoad
from flexmb.elements.heat import factor_at, forces_at, power_of
from flexmb.elements.planar.framed_beam import FramedBeam
from flexmb.errors import ModelError
from flexmb.kernels.blocks import joined
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.slots import strength_at
from flexmb.kernels.views import vector_view
from flexmb.model.components import Assembler
from flexmb.model.doubted import Assembled

# places of the parameters of an element
GX, GY, LENGTH, EA, GA, EI, RHO_A, RHO_I, BETA, TURN1, TURN2 = range(11)


@dataclass(eq=False)
class ExactBeam(FramedBeam):
    """Beam of geometrically exact elements, with stretching, shear and bending of any size. It needs ρI.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> of = {"material": fm.Material(7850, 205e9), "section": fm.Circle(diameter=0.01)}
    >>> rod = m.add_beam("rod", m.ground, (1, 0), **of, theory="exact", elements=4)
    >>> len(rod.nodes())
    4
    """

    usual_elements = 16
    slope_limit = 0.35
    has_shear = True
    means = MEAN_AXIAL_FORCE | {"shear_force"}

    def check(self) -> None:
        super().check()
        if not self.properties.rhoI > 0.0:
            raise ModelError(
                f"{self.where}: the sections of an exact beam turn, but have no inertia; give "
                "BeamProperties(rhoI=...), or a material and a section"
            )
        self.refuse_modal_damping("an exact beam")

    def slope_differences(self, system: Assembled, q: np.ndarray) -> np.ndarray:
        numbers = system.coordinates_of(self.name, EXACT)
        return np.abs(q[:, numbers[:, 5]] - q[:, numbers[:, 2]] - np.diff(self.node_turns()))

    @property
    def kernels(self) -> Kernels:
        return EXACT

    @property
    def heat_kernels(self) -> Kernels:
        return EXACT_HEAT

    def elements_in(self, assembly: Assembler) -> BeamElements:
        count = int(self.elements)
        L = self.length / count
        given = self.properties
        shear = 1.0 / (1.0 / given.GA + L**2 / (12.0 * given.EI))
        p = [*assembly.gravity, L, given.EA, shear, given.EI, given.rhoA, given.rhoI, self.damping_time]
        turns = np.asarray(self.node_turns())
        nodes = np.array([joined(assembly.node(node)).v for node in self.chain])
        parameters = np.column_stack([np.tile(p, (count, 1)), turns[:-1], turns[1:]])
        return BeamElements(np.hstack([nodes[:-1], nodes[1:]]), parameters)

    def assemble_load(self, assembly: Assembler, load: BeamLoad) -> None:
        """Add a distributed load on the beam's nodes; an element's axis is the line between its nodes."""
        count = int(self.elements)
        L = self.length / count
        density = load.line_load_at(np.linspace(0.0, 1.0, count + 1))
        forces = [L * (density[:-1] / 3.0 + density[1:] / 6.0), L * (density[:-1] / 6.0 + density[1:] / 3.0)]
        head = np.full((count, 1), float(not load.fixed_in_space))
        p = np.hstack([head, *forces, np.tile(assembly.strength(load).slot(), (count, 1))])
        places = np.array([assembly.node(node)[0].v for node in self.chain])
        assembly.series(load, EXACT_LOAD, np.hstack([places[:-1], places[1:]]), p, strength=5)


@compiled
def _strains(p, iq, i, q):
    """cos ϑ, sin ϑ, 1 + Γ1, Γ2, κ."""
    il = 1.0 / p[i, LENGTH]
    px = (q[iq[i, 3]] - q[iq[i, 0]]) * il
    py = (q[iq[i, 4]] - q[iq[i, 1]]) * il
    th1 = q[iq[i, 2]] - p[i, TURN1]
    th2 = q[iq[i, 5]] - p[i, TURN2]
    co = math.cos(0.5 * (th1 + th2))
    si = math.sin(0.5 * (th1 + th2))
    return co, si, co * px + si * py, co * py - si * px, (th2 - th1) * il


@compiled
def _rates(p, iv, i, v, co, si):
    """ṗ in section axes, ϑ̇, κ̇."""
    il = 1.0 / p[i, LENGTH]
    px = (v[iv[i, 3]] - v[iv[i, 0]]) * il
    py = (v[iv[i, 4]] - v[iv[i, 1]]) * il
    w1 = v[iv[i, 2]]
    w2 = v[iv[i, 5]]
    return co * px + si * py, co * py - si * px, 0.5 * (w1 + w2), (w2 - w1) * il


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        L = p[i, LENGTH]
        beta = p[i, BETA]
        co, si, stretch, shear, kappa = _strains(p, iq, i, q)
        N = stretch - 1.0
        Q = shear
        M = kappa
        if beta != 0.0:
            ve, vn, om, rate = _rates(p, iv, i, v, co, si)
            N += beta * (ve + om * shear)
            Q += beta * (vn - om * stretch)
            M += beta * rate
        N *= p[i, EA]
        Q *= p[i, GA]
        M *= p[i, EI]
        fx = co * N - si * Q
        fy = si * N + co * Q
        moment = 0.5 * L * (N * shear - Q * stretch)
        m = p[i, RHO_A] * L / 6.0
        J = p[i, RHO_I] * L / 6.0
        ax1 = a[iv[i, 0]] - p[i, GX]
        ay1 = a[iv[i, 1]] - p[i, GY]
        ax2 = a[iv[i, 3]] - p[i, GX]
        ay2 = a[iv[i, 4]] - p[i, GY]
        out[i, 0] = m * (2.0 * ax1 + ax2) - fx
        out[i, 1] = m * (2.0 * ay1 + ay2) - fy
        out[i, 2] = J * (2.0 * a[iv[i, 2]] + a[iv[i, 5]]) + moment - M
        out[i, 3] = m * (ax1 + 2.0 * ax2) + fx
        out[i, 4] = m * (ay1 + 2.0 * ay2) + fy
        out[i, 5] = J * (a[iv[i, 2]] + 2.0 * a[iv[i, 5]]) + moment + M


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        L = p[i, LENGTH]
        il = 1.0 / L
        beta = p[i, BETA]
        co, si, stretch, shear, _ = _strains(p, iq, i, q)
        ve, vn, om, _ = _rates(p, iv, i, v, co, si)
        wk = w[2]
        wb = wk + w[1] * beta
        b = wk * beta
        N = wk * p[i, EA] * (stretch - 1.0 + beta * (ve + om * shear))
        Q = wk * p[i, GA] * (shear + beta * (vn - om * stretch))
        # changes of N and Q with (p·e, p·n, ϑ)
        Ne = p[i, EA] * wb
        Nn = p[i, EA] * b * om
        Nt = p[i, EA] * (wb * shear + b * (vn - om * stretch))
        Qe = -p[i, GA] * b * om
        Qn = p[i, GA] * wb
        Qt = -p[i, GA] * (wb * stretch + b * (ve + om * shear))
        # changes of the force in section axes, which turn with ϑ, and of the moment N Γ2 − Q (1 + Γ1)
        te = Nt - Q
        tn = Qt + N
        Te = Ne * shear - Qe * stretch - Q
        Tn = Nn * shear - Qn * stretch + N
        Tt = Nt * shear - Qt * stretch - N * stretch - Q * shear
        # to global axes
        xe = (co * Ne - si * Qe) * il
        xn = (co * Nn - si * Qn) * il
        ye = (si * Ne + co * Qe) * il
        yn = (si * Nn + co * Qn) * il
        xx = co * xe - si * xn
        xy = si * xe + co * xn
        yx = co * ye - si * yn
        yy = si * ye + co * yn
        xt = 0.5 * (co * te - si * tn)
        yt = 0.5 * (si * te + co * tn)
        Tx = 0.5 * (co * Te - si * Tn)
        Ty = 0.5 * (si * Te + co * Tn)
        Tt *= 0.25 * L
        bend = p[i, EI] * wb * il
        m = w[0] * p[i, RHO_A] * L / 6.0
        J = w[0] * p[i, RHO_I] * L / 6.0
        for j in range(2):
            sj = 1.0 if j == 1 else -1.0
            for k in range(2):
                sk = 1.0 if k == 1 else -1.0
                both = sj * sk
                mass = 2.0 if j == k else 1.0
                r = 3 * j
                c = 3 * k
                K[i, r, c] += both * xx + mass * m
                K[i, r, c + 1] += both * xy
                K[i, r, c + 2] += sj * xt
                K[i, r + 1, c] += both * yx
                K[i, r + 1, c + 1] += both * yy + mass * m
                K[i, r + 1, c + 2] += sj * yt
                K[i, r + 2, c] += sk * Tx
                K[i, r + 2, c + 1] += sk * Ty
                K[i, r + 2, c + 2] += Tt + both * bend + mass * J


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        L = p[i, LENGTH]
        co, si, stretch, shear, kappa = _strains(p, iq, i, q)
        ve, vn, om, rate = _rates(p, iv, i, v, co, si)
        for j in range(3):
            v1 = v[iv[i, j]]
            v2 = v[iv[i, 3 + j]]
            density = p[i, RHO_A] if j < 2 else p[i, RHO_I]
            out[i, 0] += density * L / 6.0 * (v1 * v1 + v1 * v2 + v2 * v2)
        G1 = stretch - 1.0
        rate1 = ve + om * shear
        rate2 = vn - om * stretch
        out[i, 1] = 0.5 * L * (p[i, EA] * G1 * G1 + p[i, GA] * shear * shear + p[i, EI] * kappa * kappa)
        for j in range(2):
            out[i, 2] -= 0.5 * p[i, RHO_A] * L * p[i, GX + j] * (q[iq[i, j]] + q[iq[i, 3 + j]])
        lost = p[i, EA] * rate1 * rate1 + p[i, GA] * rate2 * rate2 + p[i, EI] * rate * rate
        out[i, 3] = p[i, BETA] * L * lost


@kernel
def point(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        for j in range(3):
            out[i, j] = (1.0 - w[0]) * q[iq[i, j]] + w[0] * q[iq[i, 3 + j]]
            out[i, 3 + j] = (1.0 - w[0]) * v[iv[i, j]] + w[0] * v[iv[i, 3 + j]]
            out[i, 6 + j] = (1.0 - w[0]) * a[iv[i, j]] + w[0] * a[iv[i, 3 + j]]
        out[i, 2] -= (1.0 - w[0]) * p[i, TURN1] + w[0] * p[i, TURN2]


@kernel
def point_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        for j in range(3):
            out[i, 7 * j] = 1.0 - w[0]
            out[i, 7 * j + 3] = w[0]


@kernel
def section(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        x = (w[0] - 0.5) * p[i, LENGTH]
        co, si, stretch, shear, kappa = _strains(p, iq, i, q)
        ve, vn, om, rate = _rates(p, iv, i, v, co, si)
        N = p[i, EA] * (stretch - 1.0)
        Q = p[i, GA] * shear
        out[i, 0] = stretch - 1.0
        out[i, 1] = kappa + x * (N * shear - Q * stretch) / p[i, EI]
        N += p[i, EA] * p[i, BETA] * (ve + om * shear)
        Q += p[i, GA] * p[i, BETA] * (vn - om * stretch)
        out[i, 2] = N
        out[i, 3] = Q
        out[i, 4] = p[i, EI] * (kappa + p[i, BETA] * rate) + x * (N * shear - Q * stretch)


EXACT = Kernels("exact beam", residual, tangent, energy, point=point, section=section, point_jacobian=point_jacobian)


# -- a distributed load --------------------------------------------------------------------------------------
# coordinates: x1, y1, x2, y2; parameters: follower, forces on the nodes (4,), the slot of its strength


@compiled
def _load_axes(p, i, iq, q):
    """Cosine and sine of the angle of the axes of the force, and the distance of the nodes."""
    if p[i, 0] == 0.0:
        return 1.0, 0.0, 1.0
    dx = q[iq[i, 2]] - q[iq[i, 0]]
    dy = q[iq[i, 3]] - q[iq[i, 1]]
    l = math.sqrt(dx * dx + dy * dy)
    return dx / l, dy / l, l


@kernel
def load_residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        f = strength_at(p[i], 5, t)
        co, si, _ = _load_axes(p, i, iq, q)
        for j in range(0, 4, 2):
            out[i, j] -= f * (co * p[i, 1 + j] - si * p[i, 2 + j])
            out[i, j + 1] -= f * (si * p[i, 1 + j] + co * p[i, 2 + j])


@kernel
def load_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        if p[i, 0] != 0.0:
            co, si, l = _load_axes(p, i, iq, q)
            f = w[2] * strength_at(p[i], 5, t) / l
            for j in range(0, 4, 2):
                # (fx, fy): minus the force turned by +90°; the angle changes by (−si, co)·(change of d)/l
                fx = f * (si * p[i, 1 + j] + co * p[i, 2 + j])
                fy = f * (si * p[i, 2 + j] - co * p[i, 1 + j])
                for k in range(0, 4, 2):
                    sign = 1.0 if k == 2 else -1.0
                    K[i, j, k] -= sign * si * fx
                    K[i, j, k + 1] += sign * co * fx
                    K[i, j + 1, k] -= sign * si * fy
                    K[i, j + 1, k + 1] += sign * co * fy


@kernel
def load_energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        f = strength_at(p[i], 5, t)
        co, si, _ = _load_axes(p, i, iq, q)
        for j in range(0, 4, 2):
            fx = f * (co * p[i, 1 + j] - si * p[i, 2 + j])
            fy = f * (si * p[i, 1 + j] + co * p[i, 2 + j])
            out[i, 4] += fx * v[iv[i, j]] + fy * v[iv[i, j + 1]]


EXACT_LOAD = Kernels("load on an exact beam", load_residual, load_tangent, load_energy)


# -- heat, see flexmb.elements.heat: the forces of the element with N and M of heat and without Q --------------------


@compiled
def _put_heat(p, i, iq, t, q, row):
    """Put the forces of heat into a row (6,)."""
    at, factor = forces_at(p, i), factor_at(p, i, 2, t)
    co, si, _, shear, _ = _strains(p, iq, i, q)
    N, M = -factor * p[i, at], -factor * p[i, at + 1]
    moment = 0.5 * p[i, LENGTH] * N * shear
    row[0], row[1], row[2] = -co * N, -si * N, moment - M
    row[3], row[4], row[5] = co * N, si * N, moment + M


@kernel
def heat_residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        _put_heat(p, i, iq, t, q, out[i])


@kernel
def heat_energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    row = vector_view(work, 0, 6)
    for i in range(p.shape[0]):
        _put_heat(p, i, iq, t, q, row)
        out[i, 4] = power_of(row, iv, i, v)


@kernel
def heat_section(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        at = forces_at(p, i)
        _, _, _, shear, _ = _strains(p, iq, i, q)
        change = (w[0] - 0.5) * p[i, LENGTH] * p[i, at] * shear
        out[i, 1] = change / p[i, EI]
        out[i, 2] = p[i, at]
        out[i, 4] = p[i, at + 1] + change


EXACT_HEAT = Kernels("heat on an exact beam", heat_residual, energy=heat_energy, section=heat_section)
