"""A sensor on a beam: a strain gauge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.elements.planar.beam import BeamPoint
from flexmb.elements.spatial.beam import BeamPoint as SpatialBeamPoint
from flexmb.errors import ModelError
from flexmb.feedback.sensors import Sensor
from flexmb.model import checks
from flexmb.model.components import Component
from flexmb.quantities.of_system import of_section
from flexmb.quantities.places import Places
from flexmb.quantities.quantity import Quantity
from flexmb.results.beams.means import warn_if_it_varies
from flexmb.results.solution import Solution


@dataclass(frozen=True, eq=False)
class StrainGauge(Sensor):
    """The strain [–] of a fiber of a beam along it, at a point of it. In the plane ε − κ h, with h [m] the `height` of
    the fiber above the axis (that of the outermost one, when not given). In space ε − κ_z y + κ_y z, with `fiber` its
    place (y, z) [m] in the axes of the section. (A gauge that is glued on askew would measure twist too.)

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("cantilever")
    >>> steel = fm.Material(density=7850, youngs_modulus=205e9)
    >>> rod = m.add_beam("rod", m.ground, (1, 0), material=steel, section=fm.Rectangle(0.02, 0.02), elements=2)
    >>> load = m.point_force(rod.end, (0, -10.0))
    >>> gauge = fm.control.StrainGauge(rod.at(0.01), 0.01)
    >>> round(float(gauge.readings(fm.equilibrium(m).solution)[0]) * 1e6)  # millionths; the upper fiber is in tension
    36
    """

    point: BeamPoint | SpatialBeamPoint
    height: float | None = None
    fiber: Sequence[float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._must_be((BeamPoint, SpatialBeamPoint), self.point, "point of a beam; give one, e.g. beam.at(0.1)")
        if isinstance(self.point, SpatialBeamPoint):
            if self.fiber is None or self.height is not None:
                raise ModelError(
                    f"{self.name}: a beam in space has fibers at (y, z); give fiber=(y, z), in the axes of its "
                    "section, and no height"
                )
            object.__setattr__(self, "fiber", checks.vector(self.fiber, "fiber", self.name, 2))
        elif self.fiber is not None:
            raise ModelError(f"{self.name}: fiber is the place of a fiber in space; in the plane give its height")
        elif self.height is not None:
            checks.check_fields(self, checks.number, type(self).__name__, "height")

    @property
    def name(self) -> str:
        return f"strain of {self.point.name}"

    def parts(self) -> list[Component]:
        return [self.point.beam]

    @property
    def _height(self) -> float:
        if self.height is not None:
            return self.height
        height = self.point.beam.properties.outer_fiber
        if not height > 0.0:
            raise ModelError(f"{self.name}: the height of its fiber is unknown; give height=…, or the beam a section")
        return height

    @property
    def _factors(self) -> dict[str, float]:
        """Factor with which each strain of the section enters the reading."""
        if self.fiber is None:
            return {"strain": 1.0, "curvature": -self._height}
        y, z = (float(x) for x in self.fiber)
        return {"strain": 1.0, "curvature_y": z, "curvature_z": -y}

    def function_of_state(self, places: Places) -> Quantity:
        return of_section(self.point.beam.model.dimension, self.point.beam.name, self.point.s, self._factors)

    def measured(self, solution: Solution) -> np.ndarray:
        strain = super().measured(solution)
        largest = float(np.max(np.abs(strain), initial=0.0))
        warn_if_it_varies(solution, self.point.beam.name, self.point.s, "strain", largest)
        return strain
