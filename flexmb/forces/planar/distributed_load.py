"""Distributed load on a beam."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.elements.beam import BeamLoad
from flexmb.elements.planar import BEAMS
from flexmb.errors import ModelError
from flexmb.model.appearance import Load, ShownMotion
from flexmb.model.components import Assembler
from flexmb.model.frames import turned

#: number of arrows along the beam that show the load
SHOWN_PLACES = 9


@dataclass(eq=False)
class DistributedLoad(BeamLoad):
    """A force per undeformed length along a beam's axis, the same all along or linear from start to end.

        q(s, t) = f(t) [(1 − s) q₀ + s q₁],   s ∈ [0, 1]

    in the axes of space, or along and across the deformed axis (`axes="section"`). The beam theory turns it into forces
    on its own coordinates, which do the work ∫ q · δr L ds of the load on the displacement field of the element. (As
    point forces at the same Gauss points, by `point_jacobian`, it took three times as long on a CMS element, six times
    on an ANCF element; and an exact beam follows its axis, not its sections.)

    Arguments: `name`; `beam`; `line_load` [N/m], (2,) x and y, or (2, 2), a row for the start and one for the
    end; `factor` f, a number or a function of time; `axes`: "ground" or "section".

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> given = fm.planar.BeamProperties(EA=1e5, EI=10.0, rhoA=1.0, rhoI=1e-3, GA=1e4)
    >>> rod = m.add_beam("rod", (0, 0), (2, 0), properties=given, theory="exact")
    >>> m.distributed_load(rod, ((0, 0), (0, -5)), name="snow").line_load.tolist()
    [[0.0, 0.0], [0.0, -5.0]]
    """

    def check(self) -> None:
        if not self.beam.takes_loads():
            able = ", ".join(repr(name) for name, theory in BEAMS.items() if theory.takes_loads())
            raise ModelError(
                f"{self.where}: {self.beam.where} is a {type(self.beam).__name__}, which takes no distributed "
                f"load; use a theory that does ({able}), or point forces on its frames"
            )
        super().check()

    def assemble(self, assembly: Assembler) -> None:
        self.beam.assemble_load(assembly, self)

    def loads(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> list[Load]:
        beam = self.beam.name
        axis = solution.axis(beam, SHOWN_PLACES)
        angle = solution.along(beam, "angle", SHOWN_PLACES) if not self.fixed_in_space else np.zeros(axis.shape[:2])
        return [
            Load(axis[:, j], strength[:, None] * turned(load, angle[:, j]), spread=True)
            for j, load in enumerate(self.line_load_at(solution.places(beam, SHOWN_PLACES)))
        ]
