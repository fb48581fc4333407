"""Loads along beams, of the plane and of space, as the theories of beams see them."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.elements.beam import AnyBeam
from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.components import Component
from flexmb.model.functions.time_function import TimeFunction, as_function

#: axes in which loads along beams are given
SECTION_AXES = ("ground", "section")


@dataclass(eq=False)
class BeamLoad(Component):
    """A load along a beam as the beam theory sees it: the `line_load` [N/m] at start and end, (2, 2) or in space (2,
    3), its `factor`, and the `axes` in which it is given: "ground", or "section", with which it turns.
    :class:`flexmb.planar.DistributedLoad` is one."""

    beam: AnyBeam
    line_load: Any
    _: KW_ONLY
    factor: TimeFunction | float = 1.0
    axes: str = "ground"
    kind = "load"
    external = True
    strength = "factor"

    def parts(self) -> list[Component]:
        if not isinstance(self.beam, AnyBeam):
            raise ModelError(
                f"{self.where}: {checks.quoted(self.beam)} is not a beam; give what model.add_beam returned"
            )
        return [self.beam]

    def check(self) -> None:
        size = self.beam.model.dimension
        wanted = f"{size} numbers, or a row of {size} for the start and one for the end"
        ends = checks.numbers(self.line_load, "line_load", self.where, wanted)
        if ends.shape not in ((size,), (2, size)):
            raise ModelError(f"{self.where}: line_load must be {wanted}, not {checks.quoted(ends)}")
        self.line_load = np.broadcast_to(ends, (2, size)).copy()
        checks.choice(self.axes, SECTION_AXES, "axes", self.where)
        self.factor = as_function(self.factor, "factor", self.where)

    @property
    def fixed_in_space(self) -> bool:
        """Whether the load keeps its direction when the beam turns."""
        return self.axes == "ground"

    def line_load_at(self, s: np.ndarray) -> np.ndarray:
        """The load (k, 2) or (k, 3) [N/m], without the factor, at places s ∈ [0, 1] (k,) of the beam."""
        return (1.0 - s)[:, None] * self.line_load[0] + s[:, None] * self.line_load[1]
