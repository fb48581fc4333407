"""Beam in a floating frame with small deformation: linear in its turning frame, and therefore wrong in fast turning.

The body frame (R, θ) is the frame of the beam's start. In it the beam deflects across by the modes φk of the
clamped-free beam, ∫φj φk dx = L δjk; there is no stretching and no shortening:

    s = (x, Σ φk(x) ξk),    r = R + A(θ) s
    acceleration in body axes  u + s⊥ θ̈ − s θ̇² + (−2 θ̇ ẇ, ẅ),    u = Aᵀ(R̈ − gravity),   w = Σ φk ξk

With the integrals m = ρA L, Pk = ρA ∫φk dx = 2 m σk/λk, Hk = ρA ∫x φk dx = 2 m L/λk² and W = Σ Pk ξk:

    Fx = m ux − W θ̈ − ½ m L θ̇² − 2 θ̇ Ẇ
    Fy = m uy + ½ m L θ̈ − W θ̇² + Ẅ
    T  = −W ux + ½ m L uy + (m L²/3 + m Σξ²) θ̈ + 2 m θ̇ Σ ξ ξ̇ + Σ Hk ξ̈k
    Xk = Pk uy + Hk θ̈ + m ξ̈k − m θ̇² ξk + (EI λk⁴/L³) ξk + ck ξ̇k

The inertia is complete. The axial displacement due to bending is missing: −m θ̇² softens the beam, the tension of
the centrifugal force does not stiffen it, and a beam spun up beyond its first frequency diverges. This is the
classical error with which the other beam theories are compared (Kobayashi (n.d.), fig. 3). Do not use this beam
where θ̇ comes near its lowest frequency.

The element has no coordinates of the beam's end; the frame there is welded to it, as at any place along the beam
(:mod:`flexmb.elements.interior`). With y = w(x), e the x-axis of the body frame and n e turned by +90°,

    ∂r/∂(R, θ, ξk) = (I, A s⊥, n φk),   ∂²r/∂θ² = −A s,   ∂²r/∂θ∂ξk = −e φk,   ∂ψ/∂(θ, ξk) = (1, φk')

Sections have κ = w'' = Σ φk'' ξk and M = EI (κ + β κ̇), β of a damping proportional to stiffness. The modes have no
curvature at the free end. Under a moment at that end the error of M therefore falls only with the first power of their
number, and at the end itself not at all. The beam does not stretch: ε = 0, and there is no law for the axial force, nor
for the shear force.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from flexmb.elements.beam import BeamElements
from flexmb.elements.beam_load import BeamLoad
from flexmb.elements.beam_modes import clamped_free, clamped_free_values
from flexmb.elements.planar.floating_load import FLOATING_LOAD
from flexmb.elements.planar.framed_beam import FramedBeam
from flexmb.errors import ModelError
from flexmb.kernels.blocks import joined, modal
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import turned
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.damping import ModalDamping, StiffnessProportional
from flexmb.model.doubted import Assembled
from flexmb.model.flexible_bodies import FlexibleBody, Line
from flexmb.model.ways import about_z

# places of the parameters; after them, for each mode: P, H, stiffness, damping
GX, GY, LENGTH, MASS, TURN, MODES, EI, BETA = range(8)
TABLE = 8
WIDTH = 4


@dataclass(eq=False)
class FloatingBeam(FramedBeam):
    """Beam with small deflections in the frame of its start, for comparison: it fails in fast turning.

    Options: `modes`, number of clamped-free bending modes. Both kinds of damping act on these modes alone; the beam
    does not stretch, so there is no damping along it.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> given = fm.planar.BeamProperties(EA=1e6, EI=10.0, rhoA=0.6)
    >>> rod = m.add_beam("rod", m.ground, (1, 0), properties=given, theory="floating", modes=3)
    >>> fm.System(m).n
    6
    """

    modes: int = 2
    slope_limit = 0.2

    def make_finer(self) -> tuple[str, str]:
        before = int(self.modes)
        self.modes, self._made = 2 * before + (before == 0), {}
        return f"{before} modes", f"{self.modes} modes"

    def check(self) -> None:
        super().check()
        self.modes = checks.count(self.modes, "modes", self.where)
        if int(self.elements) != 1:
            raise ModelError(
                f"{self.where}: a floating beam is one element with clamped-free modes; leave out elements="
                f"{self.elements} and give more modes, or use theory='cms'"
            )
        if self.damping is not None and self.modes == 0:
            raise ModelError(f"{self.where}: damping has no effect on a floating beam without modes; give modes=…")
        if isinstance(self.damping, ModalDamping):
            self.damping.check(self.modes, self.where)

    @property
    def width(self) -> int:
        return 6 + self.modes

    def slope_differences(self, system: Assembled, q: np.ndarray) -> np.ndarray:
        own = system.instances_of(self.name)[0].coordinates[3:]
        slopes = np.array([self._shapes(s)[1 + self.modes :] for s in np.linspace(0.0, 1.0, 9)])
        return np.ptp(q[:, own] @ slopes.T, axis=1)[:, None]

    def remedy(self, elements: int) -> str:
        return "it is linear in the frame of its start; take theory='cms'"

    welded_ends = (1.0,)

    @property
    def kernels(self) -> Kernels:
        return FLOATING

    def elements_in(self, assembly: Assembler) -> BeamElements:
        n, L = self.modes, self.length
        m = self.properties.rhoA * L
        value = clamped_free_values(n)
        c = (-1.0) ** np.arange(n) * np.exp(-value)
        sigma = (1.0 - c) / (1.0 + c)
        stiffness = self.properties.EI * value**4 / L**3
        damping = np.zeros(n)
        if isinstance(self.damping, StiffnessProportional):
            damping = self.damping.beta * stiffness
        elif isinstance(self.damping, ModalDamping):
            damping = 2.0 * np.array(self.damping.values(n)) * np.sqrt(stiffness * m)
        table = np.column_stack([2 * m * sigma / value, 2 * m * L / value**2, stiffness, damping])
        own = self.numbers_in(assembly, self._own_coordinates)
        start = joined(assembly.node(self.chain[0])).v
        turn = self.node_turns()[0]
        p = np.array([*assembly.gravity, L, m, turn, n, self.properties.EI, self.damping_time, *table.ravel()])
        return BeamElements(np.concatenate([start, own])[None, :], p)

    def assemble_load(self, assembly: Assembler, load: BeamLoad) -> None:
        """Add a distributed load on the beam's coordinates, with as many Gauss points as its modes need."""
        own = self.numbers_in(assembly, self._own_coordinates)
        nodes, weights = np.polynomial.legendre.leggauss(10 + 3 * self.modes)
        places = 0.5 * (nodes + 1.0)
        forces = (0.5 * self.length * weights)[:, None] * load.line_load_at(places)
        points = [[*force, *self._shapes(s)] for s, force in zip(places, forces)]
        head = [self.node_turns()[0], self.modes, len(nodes), float(not load.fixed_in_space)]
        before = np.concatenate([head, np.ravel(points)])
        p = np.concatenate([before, assembly.strength(load).slot()])
        coordinates = np.concatenate([joined(assembly.node(self.chain[0])).v, own])
        assembly.instance(load, FLOATING_LOAD, coordinates, p, strength=len(before))

    def _own_coordinates(self, assembly: Assembler) -> np.ndarray:
        names = [f"bending{k + 1}" for k in range(self.modes)]
        return assembly.coordinates(self, [modal(names)], np.zeros(self.modes))[0].v

    def flexible_body(self, parameters: np.ndarray) -> FlexibleBody | None:
        if self.kernels is not FLOATING:  # a beam with equations of its own
            return None
        n, L, m = int(parameters[MODES]), parameters[LENGTH], parameters[MASS]
        P, H, stiffness, damping = parameters[TABLE:].reshape(n, WIDTH).T
        mass = m * np.eye(2 + n)
        mass[1, 1], mass[0, 1], mass[0, 2:], mass[1, 2:] = m * L * L / 3.0, 0.5 * m * L, P, H
        mass[1:, 0], mass[2:, 1] = mass[0, 1:], H
        none = np.zeros(3 + n)
        turn = np.array(about_z(-parameters[TURN]))
        sections = none[:3], none[3:], np.zeros((1, n, n)), none[:0]
        return FlexibleBody.along_line(turn, Line(1, n, 0), mass, *sections, stiffness, damping)

    def point_data(self, s: float) -> np.ndarray:
        """(x, φ1 …, φ1' …, φ1'' …) at x = s L, for the point and section kernels."""
        bends = [clamped_free(k + 1, s)[2] for k in range(self.modes)]
        return np.concatenate([self._shapes(s), np.array(bends).ravel() / self.length**2])

    def _shapes(self, s: float) -> np.ndarray:
        """(x, φ1 …, φ1' …) at x = s L."""
        modes = [clamped_free(k + 1, s) for k in range(self.modes)]
        return np.array([s * self.length, *[float(f[0]) for f in modes], *[float(f[1]) / self.length for f in modes]])


@compiled
def _sums(p, i, iq, iv, q, v, a):
    """W, Ẇ, Ẅ, Σ H ξ̈, Σ ξ², Σ ξ ξ̇."""
    W = W1 = W2 = H2 = square = mixed = 0.0
    for k in range(int(p[i, MODES])):
        x = q[iq[i, 3 + k]]
        x1 = v[iv[i, 3 + k]]
        x2 = a[iv[i, 3 + k]]
        P = p[i, TABLE + WIDTH * k]
        W += P * x
        W1 += P * x1
        W2 += P * x2
        H2 += p[i, TABLE + WIDTH * k + 1] * x2
        square += x * x
        mixed += x * x1
    return W, W1, W2, H2, square, mixed


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        L = p[i, LENGTH]
        m = p[i, MASS]
        co = math.cos(q[iq[i, 2]] - p[i, TURN])
        si = math.sin(q[iq[i, 2]] - p[i, TURN])
        om = v[iv[i, 2]]
        al = a[iv[i, 2]]
        gx = a[iv[i, 0]] - p[i, GX]
        gy = a[iv[i, 1]] - p[i, GY]
        ux = co * gx + si * gy
        uy = co * gy - si * gx
        W, W1, W2, H2, square, mixed = _sums(p, i, iq, iv, q, v, a)
        fx = m * ux - W * al - 0.5 * m * L * om * om - 2.0 * om * W1
        fy = m * uy + 0.5 * m * L * al - W * om * om + W2
        out[i, 0], out[i, 1] = turned(co, si, fx, fy)
        out[i, 2] = 0.5 * m * L * uy - W * ux + m * (L * L / 3.0 + square) * al + 2.0 * m * om * mixed + H2
        for k in range(int(p[i, MODES])):
            at = TABLE + WIDTH * k
            out[i, 3 + k] = (
                p[i, at] * uy
                + p[i, at + 1] * al
                + m * a[iv[i, 3 + k]]
                + (p[i, at + 2] - m * om * om) * q[iq[i, 3 + k]]
                + p[i, at + 3] * v[iv[i, 3 + k]]
            )


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    wm = w[0]
    wd = w[1]
    wk = w[2]
    for i in range(p.shape[0]):
        L = p[i, LENGTH]
        m = p[i, MASS]
        half = 0.5 * m * L
        co = math.cos(q[iq[i, 2]] - p[i, TURN])
        si = math.sin(q[iq[i, 2]] - p[i, TURN])
        om = v[iv[i, 2]]
        al = a[iv[i, 2]]
        gx = a[iv[i, 0]] - p[i, GX]
        gy = a[iv[i, 1]] - p[i, GY]
        ux = co * gx + si * gy
        uy = co * gy - si * gx
        W, W1, W2, _, square, mixed = _sums(p, i, iq, iv, q, v, a)
        K[i, 0, 0] += wm * m
        K[i, 1, 1] += wm * m
        # column θ: the force turns with the frame, u turns against it
        fx = -W * al - half * om * om - 2.0 * om * W1
        fy = half * al - W * om * om + W2
        tx = -wm * W - 2.0 * wd * (half * om + W1) - wk * fy
        ty = wm * half - 2.0 * wd * W * om + wk * fx
        K[i, 0, 2] += co * tx - si * ty
        K[i, 1, 2] += si * tx + co * ty
        inertia = m * (L * L / 3.0 + square)
        K[i, 2, 0] -= wm * (W * co + half * si)
        K[i, 2, 1] += wm * (half * co - W * si)
        K[i, 2, 2] += wm * inertia + 2.0 * wd * m * mixed - wk * (half * ux + W * uy)
        for k in range(int(p[i, MODES])):
            at = TABLE + WIDTH * k
            P = p[i, at]
            H = p[i, at + 1]
            x = q[iq[i, 3 + k]]
            x1 = v[iv[i, 3 + k]]
            tx = -P * (2.0 * wd * om + wk * al)
            ty = P * (wm - wk * om * om)
            K[i, 0, 3 + k] += co * tx - si * ty
            K[i, 1, 3 + k] += si * tx + co * ty
            K[i, 2, 3 + k] += wm * H + 2.0 * wd * m * om * x + wk * (2.0 * m * (x * al + om * x1) - P * ux)
            K[i, 3 + k, 0] -= wm * P * si
            K[i, 3 + k, 1] += wm * P * co
            K[i, 3 + k, 2] += wm * H - 2.0 * wd * m * om * x - wk * P * ux
            K[i, 3 + k, 3 + k] += wm * m + wd * p[i, at + 3] + wk * (p[i, at + 2] - m * om * om)


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        L = p[i, LENGTH]
        m = p[i, MASS]
        co = math.cos(q[iq[i, 2]] - p[i, TURN])
        si = math.sin(q[iq[i, 2]] - p[i, TURN])
        om = v[iv[i, 2]]
        ux = co * v[iv[i, 0]] + si * v[iv[i, 1]]
        uy = co * v[iv[i, 1]] - si * v[iv[i, 0]]
        W, W1, _, _, square, _ = _sums(p, i, iq, iv, q, v, a)
        kinetic = 0.5 * m * (ux * ux + uy * uy) + 0.5 * m * (L * L / 3.0 + square) * om * om
        kinetic += 0.5 * m * L * uy * om - W * ux * om + W1 * uy
        strain = 0.0
        lost = 0.0
        for k in range(int(p[i, MODES])):
            at = TABLE + WIDTH * k
            x = q[iq[i, 3 + k]]
            x1 = v[iv[i, 3 + k]]
            kinetic += (0.5 * m * x1 + p[i, at + 1] * om) * x1
            strain += 0.5 * p[i, at + 2] * x * x
            lost += p[i, at + 3] * x1 * x1
        out[i, 0] = kinetic
        out[i, 1] = strain
        out[i, 2] = -p[i, GX] * (m * (q[iq[i, 0]] + 0.5 * L * co) - si * W)
        out[i, 2] -= p[i, GY] * (m * (q[iq[i, 1]] + 0.5 * L * si) + co * W)
        out[i, 3] = lost


@kernel
def point(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        co = math.cos(q[iq[i, 2]] - p[i, TURN])
        si = math.sin(q[iq[i, 2]] - p[i, TURN])
        om = v[iv[i, 2]]
        al = a[iv[i, 2]]
        n = int(p[i, MODES])
        x = w[0]
        y = y1 = y2 = turn = turn1 = turn2 = 0.0
        for k in range(n):
            shape, slope = w[1 + k], w[1 + n + k]
            y += shape * q[iq[i, 3 + k]]
            y1 += shape * v[iv[i, 3 + k]]
            y2 += shape * a[iv[i, 3 + k]]
            turn += slope * q[iq[i, 3 + k]]
            turn1 += slope * v[iv[i, 3 + k]]
            turn2 += slope * a[iv[i, 3 + k]]
        out[i, 0] = q[iq[i, 0]] + co * x - si * y
        out[i, 1] = q[iq[i, 1]] + si * x + co * y
        out[i, 2] = q[iq[i, 2]] - p[i, TURN] + turn
        vx = -om * y
        vy = om * x + y1
        out[i, 3] = v[iv[i, 0]] + co * vx - si * vy
        out[i, 4] = v[iv[i, 1]] + si * vx + co * vy
        out[i, 5] = om + turn1
        bx = -al * y - om * om * x - 2.0 * om * y1
        by = al * x - om * om * y + y2
        out[i, 6] = a[iv[i, 0]] + co * bx - si * by
        out[i, 7] = a[iv[i, 1]] + si * bx + co * by
        out[i, 8] = al + turn2


@kernel
def point_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    wk = w[len(w) - 1]
    nv = iv.shape[1]
    n = nv - 3
    for i in range(p.shape[0]):
        co = math.cos(q[iq[i, 2]] - p[i, TURN])
        si = math.sin(q[iq[i, 2]] - p[i, TURN])
        x = w[0]
        y = 0.0
        along = wk * (co * lam[i, 0] + si * lam[i, 1])
        for k in range(n):
            shape = w[1 + k]
            y += shape * q[iq[i, 3 + k]]
            out[i, 3 + k] = -si * shape
            out[i, nv + 3 + k] = co * shape
            out[i, 2 * nv + 3 + k] = w[1 + n + k]
            K[i, 2, 3 + k] -= along * shape
            K[i, 3 + k, 2] -= along * shape
        sx = co * x - si * y
        sy = si * x + co * y
        out[i, 0] = 1.0
        out[i, 2] = -sy
        out[i, nv + 1] = 1.0
        out[i, nv + 2] = sx
        out[i, 2 * nv + 2] = 1.0
        K[i, 2, 2] -= wk * (sx * lam[i, 0] + sy * lam[i, 1])


@kernel
def section(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        kappa = rate = 0.0
        n = int(p[i, MODES])
        for k in range(n):
            bend = w[1 + 2 * n + k]
            kappa += bend * q[iq[i, 3 + k]]
            rate += bend * v[iv[i, 3 + k]]
        out[i, 1] = kappa
        out[i, 2] = math.nan
        out[i, 3] = math.nan
        out[i, 4] = p[i, EI] * (kappa + p[i, BETA] * rate)


FLOATING = Kernels(
    "floating beam", residual, tangent, energy, point=point, section=section, point_jacobian=point_jacobian
)
