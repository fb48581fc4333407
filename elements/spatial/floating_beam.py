"""Beam in space in a floating frame with small deformation: linear in its turning frame, and wrong in fast turning.

The body frame (R, E) is that of the beam's start, E with the axes of the section there. In it the beam deflects by the
modes b_k of the clamped-free beam in both planes and twists by those of a shaft that is held at one end, τ_k =
sin (k − ½)π x/L; there is no stretching and no shortening:

    s = (x, Σ b_k y_k, Σ b_k z_k),    φ = Σ τ_k t_k,    r = R + E s

So s is linear in functions F = (1, x, b_k) with vectors s_F = (0; e_x; (0, y_k, z_k)). With ω and α of E in its own
axes and u = Eᵀ(R̈ − gravity), the acceleration is Σ F a_F, and its forces are f_F = ρA Σ ∫F G dx a_G:

    a_1 = u,   a_F = s̈_F + 2 ω × ṡ_F + α × s_F + ω × (ω × s_F)
    on R: E f_1,    on the turn of E: Σ s_F × f_F,    on y_k, z_k: the parts of f_F across

Sections turn by v' = Σ b_k' y_k about z and −w' about y, and by φ about x. Their inertia has the angular momentum

    h = (ρIp (L ω_x + Σ ∫τ_k dx ṫ_k),  ρIy (L ω_y − Σ b_k(L) ż_k),  ρIz (L ω_z + Σ b_k(L) ẏ_k))

of which ḣ + ω × h is the moment. The inertia is complete. The axial displacement due to bending is missing, so the
tension of the centrifugal force does not stiffen the beam, as in the plane
(:mod:`flexmb.elements.planar.floating_beam`, Kobayashi (n.d.), fig. 3): do not use it where it turns nearly as fast as
its lowest frequency.

The frame of its end, as any place along it, is welded to it. A section there has the axes E Rz(v') Ry(−w') Rx(φ).
Curvatures are κ₁ = φ', κ₂ = −w'', κ₃ = v''; there is no law for the axial and the shear forces.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from flexmb.elements.beam import BeamElements
from flexmb.elements.beam_modes import clamped_free, clamped_free_values
from flexmb.elements.spatial.beam import Beam
from flexmb.elements.spatial.floating_inertia import (
    BENDING_ROW,
    EIY,
    EIZ,
    GRAVITY,
    LENGTH,
    RHO_IP,
    RHO_IY,
    RHO_IZ,
    TABLE,
    TORSION_ROW,
    TURN,
    across,
    forces,
    momentum,
    residual,
    sizes,
    tangent,
)
from flexmb.elements.spatial.floating_point import point, point_jacobian, section
from flexmb.errors import ModelError
from flexmb.kernels.blocks import Numbers, joined, modal
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import product, quaternion_at, quaternion_in, turned, turned_back
from flexmb.kernels.vectors import cross, dot, plus, put, times, vector_at, vector_in
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.damping import ModalDamping
from flexmb.model.doubted import Assembled
from flexmb.model.flexible_bodies import FlexibleBody, FlexiblePlace, Line


@dataclass(eq=False)
class FloatingBeam(Beam):
    """Beam in space with small deflections in the frame of its start, for comparison: it fails in fast turning.

    Options: `modes`, number of clamped-free bending modes in each of both planes; `torsion_modes`. Both kinds of
    damping act on these modes alone.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> given = fm.spatial.BeamProperties(EA=1e6, EIy=10.0, EIz=20.0, GJ=15.0, rhoA=0.6)
    >>> rod = m.add_beam("rod", m.ground, (1, 0, 0), properties=given, theory="floating", modes=3)
    >>> fm.System(m).n
    13
    """

    modes: int = 2
    torsion_modes: int = 1
    slope_limit = 0.2
    welded_ends = (1.0,)

    def make_finer(self) -> tuple[str, str]:
        before = int(self.modes), int(self.torsion_modes)
        self.modes, self.torsion_modes = (2 * x + (x == 0) for x in before)
        self._made = {}
        return f"{before[0]} and {before[1]} modes", f"{self.modes} and {self.torsion_modes} modes"

    def check(self) -> None:
        super().check()
        self.modes = checks.count(self.modes, "modes", self.where)
        self.torsion_modes = checks.count(self.torsion_modes, "torsion_modes", self.where)
        if int(self.elements) != 1:
            raise ModelError(
                f"{self.where}: a floating beam is one element with clamped-free modes; leave out elements="
                f"{self.elements} and give more modes, or use theory='cms'"
            )
        if self.damping is not None and self._own == 0:
            raise ModelError(f"{self.where}: damping has no effect on a floating beam without modes; give modes=…")
        if isinstance(self.damping, ModalDamping):
            self.damping.check(self._own, self.where)

    @property
    def _own(self) -> int:
        """The number of its modes."""
        return 2 * self.modes + self.torsion_modes

    @property
    def width(self) -> int:
        return 12 + self._own

    @property
    def load_points(self) -> int:  # type: ignore[override]
        """Gauss points for a linear load on its modes: for two of bending off by 3e-12, for more by less."""
        return 6 + 2 * max(self.modes, self.torsion_modes)

    @property
    def mass_points(self) -> int:  # type: ignore[override]
        return self.load_points

    @property
    def kernels(self) -> Kernels:
        return FLOATING

    def slope_differences(self, system: Assembled, q: np.ndarray) -> np.ndarray:
        n = self.modes
        own = system.instances_of(self.name)[0].coordinates[7:]
        slopes = np.array([self._bending(s)[1] for s in np.linspace(0.0, 1.0, 9)]).reshape(9, n)
        across = np.hypot(q[:, own[:n]] @ slopes.T, q[:, own[n : 2 * n]] @ slopes.T)
        twist = np.abs(q[:, own[2 * n :]]).sum(axis=1)
        return np.maximum(across.max(axis=1), twist)[:, None]

    def remedy(self, elements: int) -> str:
        return "it is linear in the frame of its start; take theory='cms'"

    def elements_in(self, assembly: Assembler) -> BeamElements:
        n, nt, L, given = self.modes, self.torsion_modes, self.length, self.properties
        value, waves = clamped_free_values(n), (np.arange(nt) + 0.5) * math.pi
        bent, twisted = value**4 / L**3, given.GJ * waves**2 / (2.0 * L)
        gram, slopes = self._integrals()
        damping = self._damping(given.EIz * bent, given.EIy * bent, twisted)
        tip = np.array([float(clamped_free(k + 1, 1.0)[0]) for k in range(n)])
        of_bending = np.column_stack([tip, bent, damping[:n], damping[n : 2 * n]])
        of_torsion = np.column_stack([L / waves, np.full(nt, 0.5 * L), twisted, damping[2 * n :]])
        values = [given.polar_inertia, given.rhoIy, given.rhoIz, given.EIy, given.EIz, given.GJ, self.damping_time]
        head = [*assembly.gravity, L, *self.node_turns()[0], n, nt, *values]
        p = np.concatenate([head, of_bending.ravel(), of_torsion.ravel(), given.rhoA * gram.ravel(), slopes.ravel()])
        start = joined(assembly.node(self.chain[0]))
        own = self._coordinates(assembly)
        numbers = Numbers(np.concatenate([start.q, own.q])[None, :], np.concatenate([start.v, own.v])[None, :])
        return BeamElements(numbers, p, 12 * (2 + n))

    def _coordinates(self, assembly: Assembler) -> Numbers:
        """Numbers of its modal coordinates."""
        n, nt = self.modes, self.torsion_modes
        kinds = [("bending_y", n), ("bending_z", n), ("torsion", nt)]
        names = [f"{kind}{k + 1}" for kind, count in kinds for k in range(count)]
        return assembly.coordinates(self, [modal(names)], np.zeros(len(names)))[0]

    def _damping(self, along_y: np.ndarray, along_z: np.ndarray, twisted: np.ndarray) -> np.ndarray:
        """The damping of each mode, of the stiffness of each."""
        stiffness = np.concatenate([along_y, along_z, twisted])
        if not isinstance(self.damping, ModalDamping):
            return self.damping_time * stiffness
        L, given = self.length, self.properties
        turning = np.full(self.torsion_modes, 0.5 * given.polar_inertia * L)
        mass = np.concatenate([np.full(2 * self.modes, given.rhoA * L), turning])
        order = np.argsort(np.divide(stiffness, mass, out=np.full(len(mass), np.inf), where=mass > 0.0), kind="stable")
        ratios = np.empty(len(mass))
        ratios[order] = self.damping.values(len(mass))  # lowest frequency first
        return 2.0 * ratios * np.sqrt(stiffness * mass)

    def _integrals(self) -> tuple[np.ndarray, np.ndarray]:
        """∫F G dx (2 + n, 2 + n) and ∫b' b' dx (n, n), by Gauss points enough for all its modes."""
        n, L = self.modes, self.length
        nodes, weights = np.polynomial.legendre.leggauss(20 + 6 * n)
        places, weights = 0.5 * (nodes + 1.0), 0.5 * L * weights
        shapes, slopes = (np.array(x).reshape(len(places), n) for x in zip(*(self._bending(s) for s in places)))
        F = np.column_stack([np.ones(len(places)), L * places, shapes])
        return F.T @ (weights[:, None] * F), slopes.T @ (weights[:, None] * slopes)

    def _bending(self, s: float) -> tuple[np.ndarray, np.ndarray]:
        """The modes of bending and their slopes at x = s L."""
        modes = np.array([clamped_free(k + 1, s)[:2] for k in range(self.modes)]).reshape(self.modes, 2)
        return modes[:, 0], modes[:, 1] / self.length

    def flexible_body(self, parameters: np.ndarray) -> FlexibleBody | None:
        if self.kernels is not FLOATING:  # a beam with equations of its own
            return None
        row = parameters
        n, nt, twisted, gram, at = sizes(row[None, :], 0)
        own = row[TABLE:twisted].reshape(n, BENDING_ROW).T
        of_torsion = row[twisted:gram].reshape(nt, TORSION_ROW).T
        sections = row[LENGTH] * row[[RHO_IP, RHO_IY, RHO_IZ]]
        momenta = np.concatenate([row[RHO_IZ] * own[0], -row[RHO_IY] * own[0], row[RHO_IP] * of_torsion[0]])
        stiffness = np.concatenate([row[EIZ] * own[1], row[EIY] * own[1], of_torsion[2]])
        damping = np.concatenate([own[2], own[3], of_torsion[3]])
        slopes = row[[RHO_IZ, RHO_IY], None, None] * row[at : at + n * n].reshape(n, n)
        mass = row[gram:at].reshape(2 + n, 2 + n)
        turn, twists = row[TURN : TURN + 4], row[RHO_IP] * of_torsion[1]
        line = Line(2, n, nt)

        def place(data: np.ndarray) -> FlexiblePlace:
            return line.place(data[0], *np.split(data[1 : 1 + 2 * n + nt], [n, 2 * n]))

        return FlexibleBody.along_line(turn, line, mass, sections, momenta, slopes, twists, stiffness, damping, place)

    def point_data(self, s: float) -> np.ndarray:
        """(x, b, b', τ, b'', τ') at x = s L, for the point and section kernels."""
        L, waves = self.length, (np.arange(self.torsion_modes) + 0.5) * math.pi
        bent = np.array([clamped_free(k + 1, s)[2] for k in range(self.modes)]).ravel() / L**2
        return np.concatenate([[s * L], *self._bending(s), np.sin(waves * s), bent, waves / L * np.cos(waves * s)])


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n, nt, twisted, gram, at = sizes(p, i)
        row = p[i]
        turn = quaternion_in(row, TURN)
        E = product(quaternion_at(q, iq[i], 3), turn)
        omega = turned_back(turn, vector_at(v, iv[i], 3))
        put(work, 0, turned_back(E, vector_at(v, iv[i], 0)))
        put(work, 3, cross(omega, (1.0, 0.0, 0.0)))
        first = (row[gram + 1], 0.0, 0.0)
        elastic, lost = 0.0, 0.0
        for k in range(n):
            s = across(q, iq[i], 7, n, k)
            sd = across(v, iv[i], 6, n, k)
            put(work, 6 + 3 * k, plus(sd, cross(omega, s)))
            first = plus(first, times(row[gram + 2 + k], s))
            own = TABLE + BENDING_ROW * k
            elastic += 0.5 * row[own + 1] * (row[EIZ] * s[1] * s[1] + row[EIY] * s[2] * s[2])
            lost += row[own + 2] * sd[1] * sd[1] + row[own + 3] * sd[2] * sd[2]
        forces(p, i, work, 0, 3 * (2 + n))
        kinetic = dot(omega, momentum(p, i, iv[i], v, omega))
        for k in range(3 * (2 + n)):
            kinetic += work[k] * work[3 * (2 + n) + k]
        for k in range(n):
            own = TABLE + BENDING_ROW * k
            y, z = v[iv[i, 6 + k]], v[iv[i, 6 + n + k]]
            kinetic += row[own] * (row[RHO_IZ] * y * omega[2] - row[RHO_IY] * z * omega[1])
            for j in range(n):
                squares = row[RHO_IZ] * y * v[iv[i, 6 + j]] + row[RHO_IY] * z * v[iv[i, 6 + n + j]]
                kinetic += row[at + k * n + j] * squares
        for k in range(nt):
            own = twisted + TORSION_ROW * k
            twist, rate = q[iq[i, 7 + 2 * n + k]], v[iv[i, 6 + 2 * n + k]]
            kinetic += row[RHO_IP] * rate * (row[own] * omega[0] + row[own + 1] * rate)
            elastic += 0.5 * row[own + 2] * twist * twist
            lost += row[own + 3] * rate * rate
        place = plus(times(row[gram], vector_at(q, iq[i], 0)), turned(E, first))
        out[i, 0] = 0.5 * kinetic
        out[i, 1] = elastic
        out[i, 2] = -dot(vector_in(row, GRAVITY), place)
        out[i, 3] = lost


FLOATING = Kernels(
    "floating beam in space",
    residual=residual,
    tangent=tangent,
    energy=energy,
    point=point,
    section=section,
    point_jacobian=point_jacobian,
)
