"""The base class of beams of the plane."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from flexmb.elements.beam import AnyBeam, InteriorWeld
from flexmb.elements.on_beam import OnBeam
from flexmb.elements.planar.interior import WELD, WELD_ROWS, weld_parameters
from flexmb.kernels.widths import PLANE
from flexmb.model.appearance import BeamPlace
from flexmb.model.frames import Frame, Node
from flexmb.model.geometry.planar_properties import BeamProperties


@dataclass(eq=False, repr=False)
class BeamPoint(OnBeam, Frame):
    """A place on a beam of the plane, see :class:`~flexmb.elements.on_beam.OnBeam`: a frame with the angle of the axis
    (of the section, where the theory has shear).

    >>> import flexmb as fm
    >>> from flexmb import examples
    >>> rod = examples.load("pendulum").build().components["rod"]
    >>> middle = rod.at(0.25)
    >>> middle.name, middle.s, middle.position.tolist()
    ('rod@0.25', 0.25, [0.25, 0.0])
    """

    beam: Any = None
    s: float = 0.0
    welded: bool = True


@dataclass(eq=False, repr=False)
class Beam(AnyBeam):
    """A straight uniform beam of the plane; see :meth:`flexmb.PlanarModel.add_beam`.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> rod = m.add_beam("rod", m.ground, (1, 0), properties=fm.planar.BeamProperties(EA=1e6, EI=10.0, rhoA=0.6))
    >>> weight = m.add_point_mass("weight", rod.at(0.25), 2.0)
    >>> sorted(m.frames), rod.at(1.0) is rod.end
    (['ground', 'rod.end', 'rod.start', 'rod@0.25'], True)
    """

    properties: BeamProperties
    family = BeamProperties
    example = BeamProperties.example
    interior_weld = InteriorWeld(WELD, WELD_ROWS, weld_parameters)

    @property
    def direction(self) -> float:
        """Undeformed direction [rad]."""
        (x0, y0), (x1, y1) = self.ends.tolist()
        return math.atan2(y1 - y0, x1 - x0)

    def new_node(self, position: np.ndarray, fixed: bool = False) -> Node:
        return Node(position, self.direction, fixed)

    def point_on(self, node: Node, s: float, *, welded: bool) -> BeamPoint:
        return BeamPoint(self.point_name(s), self.model, node, beam=self, s=s, welded=welded)

    def shear_left_out(self) -> Sequence[tuple[int, float, float]]:
        given = self.properties
        return [] if self.has_shear else [(list(PLANE.section).index("curvature"), float(given.EI), float(given.GA))]

    def turning_left_out(self) -> float:
        return 0.0 if self.has_shear else float(self.properties.rhoI / self.properties.rhoA)

    def place(self) -> BeamPlace:
        p = self.properties
        sizes = (float(p.EA), float(p.EI), float(p.area), float(p.outer_fiber))
        return BeamPlace(int(self.elements), self.length, *sizes)


Beam.common = frozenset(f.name for f in fields(Beam))
