"""Distributed load on a beam, in the plane and in space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.elements.beam_load import BeamLoad
from flexmb.elements.load_along import add_load_along
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

    in the axes of the ground, or in those of the sections (`axes="section"`: x along the deformed axis), which turn
    with bending and twist. Its power ∫ q·ṙ L ds is input power. The beam theory turns it into forces on its own
    coordinates, which do the work ∫ q · δr L ds of the load on the displacement field of the element; a theory without
    kernels for it takes its places one by one (:mod:`flexmb.elements.load_along`). (As point forces
    at the same Gauss points, by `point_jacobian`, it took three times as long on a CMS element of the plane, six times
    on an ANCF element; and an exact beam follows its axis, not its sections.)

    Arguments: `beam`; `line_load` [N/m], (2,) x and y, in space (3,), or a row for the start and one for the
    end; `factor` f, a number or a function of time, which controllers and load paths command; `axes`: "ground" or
    "section".

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> given = fm.planar.BeamProperties(EA=1e5, EI=10.0, rhoA=1.0, rhoI=1e-3, GA=1e4)
    >>> rod = m.add_beam("rod", (0, 0), (2, 0), properties=given, theory="exact")
    >>> m.distributed_load(rod, ((0, 0), (0, -5)), name="snow").line_load.tolist()
    [[0.0, 0.0], [0.0, -5.0]]
    >>> m = fm.SpatialModel("m")
    >>> given = fm.spatial.BeamProperties(EA=1e6, EIy=10.0, EIz=20.0, GJ=15.0, rhoA=0.6)
    >>> rod = m.add_beam("rod", m.ground, (1, 0, 0), properties=given, theory="floating")
    >>> m.distributed_load(rod, ((0, 0, 0), (0, 0, -5)), name="snow").line_load.tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, -5.0]]
    """

    dimension = None

    @property
    def stands_in(self) -> int:
        return self.beam.model.dimension

    def check(self) -> None:
        self.parts()
        if self.stands_in == 3:
            self.beam.check_places(self.where)
        elif not self.beam.takes_loads():
            able = ", ".join(repr(name) for name, theory in BEAMS.items() if theory.takes_loads())
            raise ModelError(
                f"{self.where}: {self.beam.where} is a {type(self.beam).__name__}, which takes no distributed "
                f"load; use a theory that does ({able}), or point forces on its frames"
            )
        super().check()

    def assemble(self, assembly: Assembler) -> None:
        if self.beam.takes_loads():
            self.beam.assemble_load(assembly, self)
        else:
            add_load_along(assembly, self)

    def loads(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> list[Load]:
        shown: list[Load] = []
        places = solution.places(self.beam.name, SHOWN_PLACES)
        for s, load in zip(places.tolist(), self.line_load_at(places)):
            track: Any = solution.track(f"{self.beam.name}@{s!r}")
            if not self.fixed_in_space:
                load = turned(load, track.angle) if self.stands_in == 2 else track.orientation.apply(load)
            shown.append(Load(track.position, strength[:, None] * load, spread=True))
        return shown
