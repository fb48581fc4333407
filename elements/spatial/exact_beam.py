"""Geometrically exact beam in space, two nodes: it stretches, shears, bends and twists as far as it likes.

A section has a place r on the axis and an orientation Λ, x along the undeformed beam. Its strains are those of Simo
(1985), in its own axes:

    Γ = Λᵀ r' = (1 + ε, γy, γz),   κ̃ = Λᵀ Λ' (twist and curvatures),   (N, Qy, Qz, T, My, Mz) = C (Γ − Γ₀, κ − κ₀)

Three choices make an element of it:

- Between the nodes the axis is a helix and the section turns on steadily
  (:mod:`flexmb.elements.spatial.exact.helicoid`). The strains in the middle are exact for it, so circles and helices
  are, with any number of elements.
- An element without loads has a force that is constant and a moment that is linear. Their flexibility in the present
  state is the law (:mod:`flexmb.elements.spatial.exact.law`), in place of C alone. So a straight beam that is loaded at
  its nodes is exact in the linear range, nothing locks, and the error of large bending falls with L⁴. It takes C⁻¹
  alone: sections without shear (GA = ∞) are zeros in it.
- The mass follows a cubic whose slopes turn with the nodes (:mod:`flexmb.elements.spatial.exact.inertia`); so does the
  place r (:mod:`flexmb.elements.spatial.exact.places`). Frequencies of bending have errors that fall with L⁴.

Damping adds β times the rates of the strains with the stiffness of the undeformed element. Energies are those of the
equations: elastic forces have a potential, and lose nothing on the way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from flexmb.elements.beam import MEAN_AXIAL_FORCE, PEAK_TO_MEAN, BeamElements
from flexmb.elements.beam_load import BeamLoad
from flexmb.elements.spatial.attraction.exact_beams import SectionsAttraction
from flexmb.elements.spatial.beam import Beam
from flexmb.elements.spatial.exact.elastic import WORK, internal, internal_tangent, lost_power, on_nodes
from flexmb.elements.spatial.exact.heat import SPATIAL_EXACT_HEAT
from flexmb.elements.spatial.exact.heat import WORK as HEAT_WORK
from flexmb.elements.spatial.exact.helicoid import FARTHEST, LENGTH, SIZE
from flexmb.elements.spatial.exact.inertia import (
    add_forces,
    inertia_forces,
    inertia_tangent,
    kinetic_and_potential,
)
from flexmb.elements.spatial.exact.load import put_load
from flexmb.elements.spatial.exact.parameters import (
    Sections,
    Shape,
    element_parameters,
    mass_center,
    put_rounded_strains,
    rotary_inertia,
)
from flexmb.elements.spatial.exact.places import point, point_jacobian, section
from flexmb.errors import ModelError
from flexmb.kernels.blocks import Numbers, joined
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.vectors import minus, plus
from flexmb.model.components import Assembler, Component
from flexmb.model.doubted import Assembled
from flexmb.model.geometry.section_matrices import ROUNDING, SectionMatrices
from flexmb.model.geometry.spatial_properties import BeamProperties
from flexmb.model.gravity.fields import CentralGravity

#: a run that stops this near to the farthest turn, as a part of it, stops because of it
REACH = 0.95
#: a turn of less has no axis
TINY = 1e-300


@dataclass(eq=False)
class ExactBeam(Beam):
    """Beam of geometrically exact elements in space, with stretching, shear, torsion and bending of any size.

    Its sections need an inertia about the axis, ρIp. GAy and GAz may be infinite: the sections then stay normal to the
    axis.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> of = {"material": fm.Material(7850, 205e9), "section": fm.Circle(diameter=0.01)}
    >>> rod = m.add_beam("rod", m.ground, (1, 0, 0), **of, theory="exact", elements=4)
    >>> len(rod.nodes())
    4
    """

    #: BeamProperties, or SectionMatrices
    properties: Any
    family = BeamProperties, SectionMatrices
    takes_couplings = True
    takes_courses = True
    usual_elements = 8
    slope_limit = 0.7
    has_shear = True
    means = MEAN_AXIAL_FORCE | {"shear_force_y", "shear_force_z"}

    def check(self) -> None:
        super().check()
        if not self.rotary[0, 0] > ROUNDING * self.properties.mass_matrix[3, 3]:
            raise ModelError(
                f"{self.where}: the sections of an exact beam turn about its axis, but have no inertia; give "
                "BeamProperties(rhoIp=...), or a material and a section"
            )
        self.refuse_modal_damping("an exact beam")

    @property
    def width(self) -> int:
        return 12

    @property
    def kernels(self) -> Kernels:
        return SPATIAL_EXACT

    @property
    def heat_kernels(self) -> Kernels:
        return SPATIAL_EXACT_HEAT

    def heat_room(self, elements: BeamElements) -> int:
        return HEAT_WORK

    def heat_error(self, system: Assembled, q: np.ndarray, strains: np.ndarray) -> np.ndarray:
        """The strains that heat has too much of, as :mod:`flexmb.elements.spatial.exact.heat` says."""
        f = np.diag(self.flexibility)
        x, y, z = np.moveaxis(np.mean(self._turns_between(system, q) ** 2, axis=1), 1, 0) / 24.0
        parts = [(y * f[2] + z * f[1]) / f[0], (x * f[5] + z * f[3]) / f[4], (x * f[4] + y * f[3]) / f[5]]
        return np.asarray(np.abs(strains) * [1.0, *[self.length / 2.0] * 2] @ np.array(parts))

    @property
    def flexibility(self) -> np.ndarray:
        """The strains (Γ, κ) of a section by the stresses (n, m), (6, 6)."""
        return np.asarray(self.properties.flexibility)

    @property
    def rotary(self) -> np.ndarray:
        """The inertia (3, 3) [kg m] of a section about its mass centre, in the axes of the section."""
        return rotary_inertia(self.properties.mass_matrix)

    @property
    def mass_center(self) -> np.ndarray:
        """The mass centre (3,) [m] of a section against the axis, in the axes of the section."""
        return mass_center(self.properties.mass_matrix)

    def section_mass(self, s: float) -> tuple[float, np.ndarray, np.ndarray]:
        varies = self.course is not None and self.course.section is not None
        matrix = (self.course.section_at(s) if varies else self.properties).mass_matrix  # type: ignore[union-attr]
        return float(matrix[0, 0]), mass_center(matrix), rotary_inertia(matrix)

    def attraction(self, gravity: CentralGravity) -> Component | None:
        return SectionsAttraction(self, gravity)

    def elements_in(self, assembly: Assembler) -> BeamElements:
        nodes = [joined(assembly.node(node)) for node in self.chain]
        q, v = np.array([x.q for x in nodes]), np.array([x.v for x in nodes])
        numbers = Numbers(np.hstack([q[:-1], q[1:]]), np.hstack([v[:-1], v[1:]]))
        rows = self.rows_of_elements(partial(element_parameters, assembly.gravity, self.damping_time))
        if self.course is not None:
            places = np.array([np.concatenate([node.position, node.orientation]) for node in self.chain])
            for row, before, after in zip(rows, places[:-1], places[1:]):
                put_rounded_strains(row, np.concatenate([before, after]))
            # rows of uniform elements lack the matrix of those that taper, which is zero
            longest = SIZE if self.course.section is not None else max(map(len, rows))
            rows = [np.pad(row, (0, longest - len(row))) for row in rows]
        return BeamElements(numbers, np.array(rows), WORK)

    def rows_of_elements(self, row: Callable[[np.ndarray, Shape, Sections], np.ndarray]) -> list[np.ndarray]:
        """The parameters of all elements, by a function that makes those of one of the quaternions (2, 4) from its
        nodes to the sections, of its undeformed shape and of its sections."""
        turns = self.turns_of_elements()
        if self.course is not None:
            return [row(turn, self.course.shape(e), self._sections(e)) for e, turn in enumerate(turns)]
        # nodes that lie alike have rows that are alike: all but those at the ends
        pairs, which = np.unique(turns.reshape(-1, 8), axis=0, return_inverse=True)
        shape, sections = Shape(self.length / int(self.elements)), self._sections(0)
        rows = [row(pair.reshape(2, 4), shape, sections) for pair in pairs]
        return [rows[k] for k in which.ravel()]

    def assemble_load(self, assembly: Assembler, load: BeamLoad) -> None:
        put_load(self.length, self.stations, self.elements_of(assembly), assembly, load)

    def _sections(self, e: int) -> Sections:
        """The sections of an element."""
        if self.course is not None and self.course.section is not None:
            return self.course.sections(e)
        L = self.length * float(self.stations[e + 1] - self.stations[e])
        return Sections.uniform(L, self.flexibility, self.properties.rhoA, self.mass_center, self.rotary)

    def limit(self, system: Assembled, q: np.ndarray, v: np.ndarray) -> str:
        most = float(np.max(self.slope_differences(system, q[None])))
        if not most > REACH * FARTHEST:
            return ""
        count = int(self.elements)
        return (
            f"bends too far for {count} element{'s' if count > 1 else ''}: neighbouring sections are turned by "
            f"{most:.3g} rad against each other, and beyond {FARTHEST:g} rad the axis between them is not known; "
            f"{self.remedy(math.ceil(PEAK_TO_MEAN * count * most))}"
        )

    def slope_differences(self, system: Assembled, q: np.ndarray) -> np.ndarray:
        """The angles by which neighbouring sections are turned against each other."""
        return np.asarray(np.linalg.norm(self._turns_between(system, q), axis=2))

    def _turns_between(self, system: Assembled, q: np.ndarray) -> np.ndarray:
        """The turns (k, elements, 3) of neighbouring sections against each other, as rotation vectors in their axes."""
        turns = self.turns_of_elements()
        x = q[:, system.coordinates_of(self.name, SPATIAL_EXACT)]
        first, second = [_product(x[:, :, at : at + 4], turns[:, k]) for k, at in enumerate((3, 10))]
        between = _product(first * [1.0, -1.0, -1.0, -1.0], second)
        size = np.linalg.norm(between[..., 1:], axis=-1, keepdims=True)
        return np.asarray(2.0 * np.arctan2(size, between[..., :1]) / np.maximum(size, TINY) * between[..., 1:])


def _product(q: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Quaternions (…, 4), each followed by a turn (…, 4) within its axes."""
    e, f = q[..., 1:], turn[..., 1:]
    scalar = q[..., :1] * turn[..., :1] - np.sum(e * f, axis=-1, keepdims=True)
    return np.concatenate([scalar, q[..., :1] * f + turn[..., :1] * e + np.cross(e, f)], axis=-1)


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        force, moment, moment_two = on_nodes(p, i, iq, iv, q, v, True, work)
        inert, turning, inert_two, turning_two = inertia_forces(p, i, iq, iv, q, v, a)
        add_forces(
            out[i],
            minus(inert, force),
            plus(turning, moment),
            plus(inert_two, force),
            plus(turning_two, moment_two),
        )


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        if w[1] != 0.0 or w[2] != 0.0:
            internal_tangent(p, i, iq, iv, q, v, w[1], w[2], work, K[i])
        inertia_tangent(p, i, iq, iv, q, v, a, w[0], w[1], w[2], K[i])


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        twice = internal(p, i, iq, iv, q, v, False, work)[5]
        kinetic, potential = kinetic_and_potential(p, i, iq, iv, q, v)
        out[i, 0] = kinetic
        out[i, 1] = 0.5 * p[i, LENGTH] * twice
        out[i, 2] = potential
        out[i, 3] = lost_power(p, i, iq, iv, q, v)


SPATIAL_EXACT = Kernels(
    "exact beam in space",
    residual=residual,
    tangent=tangent,
    energy=energy,
    point=point,
    section=section,
    point_jacobian=point_jacobian,
)
