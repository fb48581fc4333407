"""Beam in space in a floating frame with small deformation: linear in its turning frame, and wrong in fast turning.

The body frame (R, E) is that of the beam's start, E with the axes of the section there. In it the beam deflects by the
modes b_k of the clamped-free beam in both planes and twists by those of a shaft that is held at one end, τ_k =
sin (k − ½)π x/L; there is no stretching and no shortening:

    s = (x, Σ b_k y_k, Σ b_k z_k),    φ = Σ τ_k t_k,    r = R + E s

Sections turn by v' = Σ b_k' y_k about z and −w' about y, and by φ about x, so that a point (y, z) of one is at

    s = (x, Σ b_k y_k, Σ b_k z_k) + y (1 e_y − v' e_x + φ e_z) + z (1 e_z − w' e_x − φ e_y)

which is linear in the amplitudes; where ρIp is not ρIy + ρIz, a part x (1 e_x + v' e_y + w' e_z) belongs to it. So the
beam has the equations of a reduced body with a linear field, and its kernels
(:mod:`flexmb.elements.spatial.modal_body`), with the products of this field in the axes of the node. The inertia is
complete, that of its sections too. The axial displacement due to bending is missing, so the tension of the centrifugal
force does not stiffen the beam, as in the plane (:mod:`flexmb.elements.planar.floating_beam`, Kobayashi (n.d.), fig.
3): do not use it where it turns nearly as fast as its lowest frequency.

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
from flexmb.elements.spatial.floating_point import point, point_jacobian, section
from flexmb.elements.spatial.modal.inertia import FIRST, MASS, energy, residual, scratch, sizes
from flexmb.elements.spatial.modal.tangent import tangent
from flexmb.errors import ModelError
from flexmb.kernels.blocks import Numbers, joined, modal
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import rotation_matrix
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.damping import ModalDamping
from flexmb.model.doubted import Assembled
from flexmb.model.flexible_bodies import FlexibleBody, FlexiblePlace, Line

#: products of mass below this part of the largest are zero but for rounding
ROUNDING = 1e-14


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
        stiffness = np.concatenate([given.EIz * bent, given.EIy * bent, twisted])
        turn, line, none = self.node_turns()[0], Line(2, n, nt), np.zeros(self._own)
        middle, sections = self._integrals()
        # second moments of sections, of which those that are flat have none along the beam
        inertia = np.array([given.polar_inertia, given.rhoIy, given.rhoIz])
        along_x, along_y, along_z = 0.5 * np.sum(inertia) - inertia
        products = [given.rhoA * middle, along_y * sections, along_z * sections]
        products[0][1:, 1:] += along_x * sections[: 1 + n, : 1 + n]
        body = FlexibleBody.along_line(turn, line, products, none, none, self._place_of)
        # in the axes of the node
        C = np.array(rotation_matrix(tuple(turn.tolist()))).reshape(3, 3)
        first, P = body.first @ C.T, C @ body.products @ C.T
        head = [*assembly.gravity, self._own, 0, body.mass]
        tail = [*turn, n, nt, given.EIy, given.EIz, given.GJ, self.damping_time]
        p = np.concatenate([head, first.ravel(), P.ravel(), stiffness, self._damping(stiffness), tail])
        start = joined(assembly.node(self.chain[0]))
        own = self._coordinates(assembly)
        numbers = Numbers(np.concatenate([start.q, own.q])[None, :], np.concatenate([start.v, own.v])[None, :])
        return BeamElements(numbers, p, scratch(self._own, 0))

    def _coordinates(self, assembly: Assembler) -> Numbers:
        """Numbers of its modal coordinates."""
        n, nt = self.modes, self.torsion_modes
        kinds = [("bending_y", n), ("bending_z", n), ("torsion", nt)]
        names = [f"{kind}{k + 1}" for kind, count in kinds for k in range(count)]
        return assembly.coordinates(self, [modal(names)], np.zeros(len(names)))[0]

    def _damping(self, stiffness: np.ndarray) -> np.ndarray:
        """The damping of each mode, of the stiffness of each."""
        if not isinstance(self.damping, ModalDamping):
            return np.asarray(self.damping_time * stiffness)
        L, given = self.length, self.properties
        turning = np.full(self.torsion_modes, 0.5 * given.polar_inertia * L)
        mass = np.concatenate([np.full(2 * self.modes, given.rhoA * L), turning])
        order = np.argsort(np.divide(stiffness, mass, out=np.full(len(mass), np.inf), where=mass > 0.0), kind="stable")
        ratios = np.empty(len(mass))
        ratios[order] = self.damping.values(len(mass))  # lowest frequency first
        return 2.0 * ratios * np.sqrt(stiffness * mass)

    def _integrals(self) -> tuple[np.ndarray, np.ndarray]:
        """∫F G dx of the functions 1, x, b of the middle and 1, b', τ of sections, by Gauss points enough for all."""
        n, nt, L = self.modes, self.torsion_modes, self.length
        nodes, weights = np.polynomial.legendre.leggauss(20 + 6 * max(n, nt))
        places, weights = 0.5 * (nodes + 1.0), 0.5 * L * weights
        shapes, slopes = (np.array(x).reshape(len(places), n) for x in zip(*(self._bending(s) for s in places)))
        one, twists = np.ones(len(places)), np.sin(np.outer(places, (np.arange(nt) + 0.5) * math.pi))
        functions = np.column_stack([one, L * places, shapes]), np.column_stack([one, slopes, twists])
        middle, sections = (F.T @ (weights[:, None] * F) for F in functions)
        return middle, sections

    def _bending(self, s: float) -> tuple[np.ndarray, np.ndarray]:
        """The modes of bending and their slopes at x = s L."""
        modes = np.array([clamped_free(k + 1, s)[:2] for k in range(self.modes)]).reshape(self.modes, 2)
        return modes[:, 0], modes[:, 1] / self.length

    def flexible_body(self, parameters: np.ndarray) -> FlexibleBody | None:
        if self.kernels is not FLOATING:  # a beam with equations of its own
            return None
        row = parameters
        n, many, at_P, at_T, at_K = sizes(row[None, :], 0)
        turn, line = self.node_turns()[0], Line(2, self.modes, self.torsion_modes)
        C = np.array(rotation_matrix(tuple(turn.tolist()))).reshape(3, 3)
        first, P = row[FIRST:at_P].reshape(many, 3) @ C, C.T @ row[at_P:at_T].reshape(many, many, 3, 3) @ C
        P[np.abs(P) < ROUNDING * np.max(np.abs(P))] = 0.0
        stiffness, damping = row[at_K : at_K + 2 * n].reshape(2, n)
        return FlexibleBody(turn, row[MASS], first, P, np.zeros((0, n, n)), stiffness, damping, self._place_of, line)

    def _place_of(self, data: np.ndarray) -> FlexiblePlace:
        """The place with the data of the point kernel."""
        n, nt = self.modes, self.torsion_modes
        return Line(2, n, nt).place(data[0], *np.split(data[1 : 1 + 2 * n + nt], [n, 2 * n]))

    def point_data(self, s: float) -> np.ndarray:
        """(x, b, b', τ, b'', τ') at x = s L, for the point and section kernels."""
        L, waves = self.length, (np.arange(self.torsion_modes) + 0.5) * math.pi
        bent = np.array([clamped_free(k + 1, s)[2] for k in range(self.modes)]).ravel() / L**2
        return np.concatenate([[s * L], *self._bending(s), np.sin(waves * s), bent, waves / L * np.cos(waves * s)])


FLOATING = Kernels(
    "floating beam in space",
    residual=residual,
    tangent=tangent,
    energy=energy,
    point=point,
    section=section,
    point_jacobian=point_jacobian,
)
