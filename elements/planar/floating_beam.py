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

These are the equations of a reduced body with a linear field, whose kernels it has
(:mod:`flexmb.elements.planar.modal_body`), with c = (½ m L, 0), (0, Pk), t = m diag(L²/3, 1, …), x₀ₖ = Hk, all in the
axes of the node at its start. The element has no coordinates of the beam's end; the frame there is welded to it, as at
any place along the beam (:mod:`flexmb.elements.interior`): at (x, w), turned by w'.

Sections have κ = w'' = Σ φk'' ξk and M = EI (κ + β κ̇), β of a damping proportional to stiffness. The modes have no
curvature at the free end. Under a moment at that end the error of M therefore falls only with the first power of their
number, and at the end itself not at all. The beam does not stretch: ε = 0, and there is no law for the axial force, nor
for the shear force.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.elements.beam import BeamElements
from flexmb.elements.beam_load import BeamLoad
from flexmb.elements.beam_modes import clamped_free, clamped_free_values
from flexmb.elements.load_along import add_load_along
from flexmb.elements.planar.framed_beam import FramedBeam
from flexmb.elements.planar.modal.inertia import FIRST, MASS, energy, residual, scratch, sizes, tangent
from flexmb.elements.planar.modal.places import SHAPES, point, point_jacobian, section
from flexmb.errors import ModelError
from flexmb.kernels.blocks import joined, modal
from flexmb.kernels.contract import Kernels
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.damping import ModalDamping, StiffnessProportional
from flexmb.model.doubted import Assembled
from flexmb.model.flexible_bodies import FlexibleBody, FlexiblePlace, Line
from flexmb.model.frames import rotation
from flexmb.model.ways import about_z


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
        slopes = np.array([self._shapes(s)[1] for s in np.linspace(0.0, 1.0, 9)])
        return np.ptp(q[:, own] @ slopes.T, axis=1)[:, None]

    def remedy(self, elements: int) -> str:
        return "it is linear in the frame of its start; take theory='cms'"

    welded_ends = (1.0,)

    @property
    def kernels(self) -> Kernels:
        return FLOATING

    @property
    def load_points(self) -> int:
        """Gauss points for a linear load on its modes."""
        return 10 + 3 * self.modes

    def assemble_load(self, assembly: Assembler, load: BeamLoad) -> None:
        """Add a distributed load on the beam's coordinates, place by place."""
        add_load_along(assembly, load)

    def elements_in(self, assembly: Assembler) -> BeamElements:
        n, L, given = self.modes, self.length, self.properties
        m, value = given.rhoA * L, clamped_free_values(n)
        c = (-1.0) ** np.arange(n) * np.exp(-value)
        sigma = (1.0 - c) / (1.0 + c)
        first, straight, crossed = np.zeros((1 + n, 2)), m * np.eye(1 + n), np.zeros((1 + n, 1 + n))
        first[0, 0], straight[0, 0] = 0.5 * m * L, m * L * L / 3.0
        first[1:, 1], crossed[0, 1:] = 2.0 * m * sigma / value, 2.0 * m * L / value**2
        crossed[1:, 0] = -crossed[0, 1:]
        stiffness = given.EI * value**4 / L**3
        damping = np.zeros(n)
        if isinstance(self.damping, StiffnessProportional):
            damping = self.damping.beta * stiffness
        elif isinstance(self.damping, ModalDamping):
            damping = 2.0 * np.array(self.damping.values(n)) * np.sqrt(stiffness * m)
        head = [*assembly.gravity, n, 0, m, *(first @ self._axes.T).ravel(), *straight.ravel(), *crossed.ravel()]
        law = [0.0, 0.0, 0.0, 0.0, 0.0, given.EI, self.damping_time]  # of the moment alone, by the curvature
        start = joined(assembly.node(self.chain[0])).v
        own = self.numbers_in(assembly, self._own_coordinates)
        p = np.concatenate([head, stiffness, damping, law])
        return BeamElements(np.concatenate([start, own])[None, :], p, scratch(n, 0))

    @property
    def _axes(self) -> np.ndarray:
        """The axes of the body frame in those of the node at its start (2, 2)."""
        return np.asarray(rotation(-self.node_turns()[0]))

    def _own_coordinates(self, assembly: Assembler) -> np.ndarray:
        names = [f"bending{k + 1}" for k in range(self.modes)]
        return assembly.coordinates(self, [modal(names)], np.zeros(self.modes))[0].v

    def flexible_body(self, parameters: np.ndarray) -> FlexibleBody | None:
        if self.kernels is not FLOATING:  # a beam with equations of its own
            return None
        _, many, at_t, _, at_K = sizes(parameters[None, :], 0)
        n, first = many - 1, parameters[FIRST:at_t].reshape(many, 2) @ self._axes
        straight, crossed = parameters[at_t : at_t + 2 * many * many].reshape(2, many, many)
        mass = np.empty((2 + n, 2 + n))
        mass[0, 0], mass[0, 1], mass[0, 2:] = parameters[MASS], first[0, 0], first[1:, 1]
        mass[1:, 0], mass[1:, 1:] = mass[0, 1:], straight
        mass[1, 2:] = mass[2:, 1] = crossed[0, 1:]
        turn = np.array(about_z(-self.node_turns()[0]))
        stiffness, damping = parameters[at_K : at_K + 2 * n].reshape(2, n)
        return FlexibleBody.along_line(turn, Line(1, n, 0), [mass], stiffness, damping, self._place_of)

    def _place_of(self, data: np.ndarray) -> FlexiblePlace:
        """The place with the data of the point kernel, in the axes of the body frame."""
        n, back = self.modes, self._axes.T
        across = (back @ data[SHAPES : SHAPES + 2 * n].reshape(2, n))[1]
        return Line(1, n, 0).place(back[0] @ data[:2], across, data[SHAPES + 2 * n : SHAPES + 3 * n])

    def point_data(self, s: float) -> np.ndarray:
        """Data of the place x = s L for the point and section kernels, with κ = Σ φk'' ξk."""
        n, L, A = self.modes, self.length, self._axes
        shapes, slopes, bends = self._shapes(s)
        moving = A @ np.stack([np.zeros(n), shapes])
        own = [*(A[:, 0] * s * L), -self.node_turns()[0], *moving.ravel(), *slopes, *np.zeros(3 * n * n + n)]
        return np.concatenate([own, bends])

    def _shapes(self, s: float) -> np.ndarray:
        """Modes and their first and second derivatives (3, n) at x = s L."""
        found = np.array([clamped_free(k + 1, s) for k in range(self.modes)], float).reshape(self.modes, 3).T
        return np.asarray(found / self.length ** np.arange(3)[:, None])


FLOATING = Kernels(
    "floating beam", residual, tangent, energy, point=point, section=section, point_jacobian=point_jacobian
)
