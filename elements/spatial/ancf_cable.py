"""Cable in space in absolute nodal coordinates (ANCF), gradient deficient: it stretches and bends, and never twists.

A node has a place and a slope of the axis, (r, r'), six coordinates that are all added; between two nodes the axis is
the cubic of :mod:`flexmb.elements.hermite`, as that of the cable in the plane
(:mod:`flexmb.elements.planar.ancf_cable`). With p = r' and c = r'',

    ε = |p| − 1,     κ = p × c/|p|²,     strain energy ½ ∫ (EA ε² + EI κ·κ) dx

by Gauss quadrature with 5 points for ε and 3 for κ. κ is the turn by the undeformed
length, so that the material is that of the other beams however far it stretches. With e = c − (p·c/p²) p,

    φ = κ·κ = e·e/p²,     ½ ∂φ/∂p = −(φ p + (p·c/p²) e)/p²,     ½ ∂φ/∂c = e/p²

The mass matrix ρA ∫ NᵀN dx is constant, and so is the weight. The error falls with the fourth power of the element's
length; but a cubic cannot bend without stretching, so that long elements are too stiff where EA L² is much greater
than EI.

Damping adds EA β ε̇ to the axial force, and nothing to the moment: the rate of κ is none of the material alone, but also
of a turn of the whole, and no turn of the sections about the axis is known that would tell one from the other.

A cable knows no turn about its axis. It takes sections that bend alike in all planes, it carries no torque, and GJ does
not count. The frame of a place has three rows of position and two of direction, and spins freely about the axis; a
frame on which nothing else stands that would hold it or give it inertia has a sixth, by which it turns least from the
undeformed section (:mod:`flexmb.elements.spatial.ancf.places`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.elements.absolute_nodes import AbsoluteNodes
from flexmb.elements.beam import BeamElements, InteriorWeld
from flexmb.elements.hermite import AXIAL, BENDING, hermite_mass
from flexmb.elements.spatial.ancf.forces import SIDE_BY_SIDE, residual
from flexmb.elements.spatial.ancf.places import node_jacobian, node_point, point, point_jacobian, section
from flexmb.elements.spatial.ancf.shapes import BETA, EA, EI, GRAVITY, LENGTH, RHO_A, bending, local, summed
from flexmb.elements.spatial.ancf.tangent import BLOCKS, tangent
from flexmb.elements.spatial.attraction.cables import CableAttraction
from flexmb.elements.spatial.beam import Beam, BeamPoint
from flexmb.elements.spatial.interior import SPINNING_WELD, SPINNING_WELD_ROWS, weld_parameters
from flexmb.errors import ModelError
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.vectors import dot, plus
from flexmb.model.components import Assembler, Component
from flexmb.model.doubted import Assembled, Doubt
from flexmb.model.frames import FrameOrPoint
from flexmb.model.geometry.axes import SMALLEST_ANGLE
from flexmb.model.gravity.fields import CentralGravity
from flexmb.model.spatial_frames import Frame, SpatialNode

#: EIy and EIz that differ by less than this part of their sum are equal
ALIKE = 1e-6


@dataclass(eq=False)
class AncfCable(AbsoluteNodes, Beam):
    """Cable of ANCF elements in space: stretching and bending of any size, alike in all planes; no torsion, no shear,
    no rotary inertia.

    Its frames `start` and `end` are made, and welded to it, at their first use; ends that were given as frames are
    welded to those, which spin freely about its axis. The coordinates of node k are `name.nodek.x`, `.y`, `.z`, `.dx`,
    `.dy`, `.dz`.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> rope = fm.spatial.BeamProperties(EA=1e4, EIy=1.0, EIz=1.0, GJ=1.0, rhoA=0.5)
    >>> rod = m.add_beam("rod", (0, 0, 0), (2, 0, 0), properties=rope, theory="ancf", elements=8)
    >>> ball = m.spherical(m.ground, rod.start)
    >>> sorted(m.frames)
    ['ground', 'rod.start']
    """

    usual_elements = 8
    slope_limit = 0.25
    axis_alone = True
    #: a load along an element does work on its cubic; followers turn with the axis
    load_points = 5

    @property
    def kernels(self) -> Kernels:
        return SPATIAL_ANCF

    def section_mass(self, s: float) -> tuple[float, np.ndarray, np.ndarray]:
        return float(self.properties.rhoA), np.zeros(3), np.zeros((3, 3))  # its sections have no inertia of their own

    def attraction(self, gravity: CentralGravity) -> Component | None:
        return CableAttraction(self, gravity)

    @property
    def node_kernels(self) -> Kernels:
        return SPATIAL_ANCF_NODE

    def node_parameters(self) -> np.ndarray:
        return self.axes

    def check(self) -> None:
        super().check()
        EIy, EIz = float(self.properties.EIy), float(self.properties.EIz)
        if abs(EIy - EIz) > ALIKE * (EIy + EIz):
            raise ModelError(
                f"{self.where}: EIy is {EIy:g} and EIz {EIz:g}, but a cable knows no turn about its axis, so it must "
                "bend alike in all planes; take a round or square section, or theory='exact'"
            )

    def make_ends(self, start: FrameOrPoint, end: FrameOrPoint) -> list[Component]:
        for given, s in ((start, 0.0), (end, 1.0)):
            if isinstance(given, Frame):
                axes = self._against(given.node, self.axes)
                name = self.point_name(s)
                self.add_point(BeamPoint(name, self.model, given.node, given.offset, axes=axes, beam=self, s=s))
        return []

    def weld_of(self, point: BeamPoint) -> InteriorWeld:
        return self.interior_weld if self._spins_by_rows(point.node) else SPINNING

    def assemble(self, assembly: Assembler) -> None:
        bare = [p.node for p in self._points.values() if p.welded and p.is_entered and self._spins_by_rows(p.node)]
        for other in self.model.components.values():
            inside = [None] if getattr(other, "beam", None) is self else []
            if any(other.twists(node, self._direction) for node in [*bare, *inside]):
                raise ModelError(
                    f"{other.where}: it turns a frame of {self.where} about the axis of that, but a cable carries no "
                    "torque; let forces act on the axis, give a torque with axes='body' and no part along it, hold the "
                    "frame by a body or a joint, or take theory='exact'"
                )
        super().assemble(assembly)

    @property
    def _direction(self) -> np.ndarray:
        return np.asarray((self.ends[1] - self.ends[0]) / self.length)

    def _spins_by_rows(self, node: SpatialNode) -> bool:
        """Whether the weld of a node must have a row for its turn about the axis: nothing else holds that, or gives it
        inertia."""
        if node.fixed:
            return False
        others = list(self.model.components.values())
        before = others[: others.index(self)]
        if any(other.axis_alone and other.stands_on(node) for other in before):
            return False  # two cables in line, of which the first has the row
        return not any(other is not self and other.holds_turn(node, self._direction) for other in others)

    def holds_turn(self, node: Any, axis: np.ndarray) -> bool:
        return self.stands_on(node) and float(np.linalg.norm(np.cross(axis, self._direction))) > SMALLEST_ANGLE

    def slope_differences(self, system: Assembled, q: np.ndarray) -> np.ndarray:
        numbers = system.coordinates_of(self.name, SPATIAL_ANCF)
        first, last = q[:, numbers[:, 3:6]], q[:, numbers[:, 9:12]]
        sine = np.linalg.norm(np.cross(first, last), axis=-1)
        return np.asarray(np.arctan2(sine, np.sum(first * last, axis=-1)))

    def doubts(self, system: Assembled, q: np.ndarray) -> list[Doubt]:
        found = super().doubts(system, q)
        if self.damping_time:
            text = (
                f"{self.where}: damping acts on the stretching of a cable in space alone; theory='exact' damps bending"
            )
            found.append(Doubt(0, text))
        return found

    def elements_in(self, assembly: Assembler) -> BeamElements:
        numbers = self.numbers_in(assembly, self.node_coordinates)
        given = self.properties
        length, bending = self.length / int(self.elements), 0.5 * (given.EIy + given.EIz)
        p = np.array([*assembly.gravity, length, given.EA, bending, given.rhoA, self.damping_time, *self.axes])
        return BeamElements(np.hstack([numbers[:-1], numbers[1:]]), p, max(SIDE_BY_SIDE, BLOCKS))


#: the weld of a frame that spins about the axis by itself
SPINNING = InteriorWeld(SPINNING_WELD, SPINNING_WELD_ROWS, weld_parameters)


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        L = p[i, LENGTH]
        il = 1.0 / L
        beta = p[i, BETA]
        mass = p[i, RHO_A] * L
        for j in range(3):
            v0, v1, v2, v3 = v[iv[i, j]], v[iv[i, 3 + j]], v[iv[i, 6 + j]], v[iv[i, 9 + j]]
            m0, m1, m2, m3 = hermite_mass(mass / 420.0, L, v0, v1, v2, v3)
            out[i, 0] += 0.5 * (v0 * m0 + v1 * m1 + v2 * m2 + v3 * m3)
            center = 0.5 * (q[iq[i, j]] + q[iq[i, 6 + j]]) + L / 12.0 * (q[iq[i, 3 + j]] - q[iq[i, 9 + j]])
            out[i, 2] -= mass * p[i, GRAVITY + j] * center
        d, A, B = local(iq, i, il, q)
        d_v, A_v, B_v = local(iv, i, il, v)
        for k in range(5):
            h2, h4 = AXIAL[k, 0], AXIAL[k, 1]
            r, rate = plus(d, summed(h2, A, h4, B)), plus(d_v, summed(h2, A_v, h4, B_v))
            l = np.sqrt(dot(r, r))
            whole = AXIAL[k, 4] * p[i, EA] * L
            out[i, 1] += 0.5 * whole * (l - 1.0) ** 2
            out[i, 3] += beta * whole * (dot(r, rate) / l) ** 2
        for k in range(3):
            h2, h4, g2, g4 = BENDING[k, 0], BENDING[k, 1], BENDING[k, 2], BENDING[k, 3]
            squared = bending(plus(d, summed(h2, A, h4, B)), summed(g2, A, g4, B))[0]
            out[i, 1] += 0.5 * BENDING[k, 4] * p[i, EI] * il * squared


SPATIAL_ANCF = Kernels(
    "ANCF cable in space", residual, tangent, energy, point=point, section=section, point_jacobian=point_jacobian
)
SPATIAL_ANCF_NODE = Kernels("ANCF node in space", point=node_point, point_jacobian=node_jacobian)
