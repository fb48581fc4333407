"""What a solution tells of a beam as a whole: its bent axis, quantities along it, stresses of its fibers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmb.errors import NamingError
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls
from flexmb.results import names
from flexmb.results.beams import along, sections
from flexmb.results.meaning import point_of
from flexmb.results.recorded import Recorded
from flexmb.results.sources import MOST_PLACES


class BeamResults(metaclass=AnswersCalls):
    """The beams of a :class:`~flexmb.results.solution.Solution`."""

    def axis(self: Recorded, beam: str, points: int = 41) -> np.ndarray:
        """The bent axis of a beam, (k, p, 2) [m], in space (k, p, 3), at its :meth:`places`.

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> fm.simulate(build(), 0.1, step=0.01).axis("rod", points=3)[-1, 1:].round(2).tolist()
        [[0.5, -0.05], [1.0, -0.05]]
        """
        places, name = self.places(beam, points), names.beam_name(self, beam)
        part = self.layout.widths.position
        return np.stack([self.source.point(self, name, float(s))[:, part] for s in places], axis=1)

    def places(self: Recorded, beam: str, points: int = 21) -> np.ndarray:
        """Places s ∈ [0, 1] (p,) along a beam, as fractions of its length: `points` of them; in a solution from a file,
        those of the file.

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> fm.simulate(build(), 0.1, step=0.01).places("rod", points=5).tolist()
        [0.0, 0.25, 0.5, 0.75, 1.0]
        """
        points = checks.count(points, "points", self.where, least=2, most=MOST_PLACES)
        return self.source.places(names.beam_name(self, beam), points)

    def along(self: Recorded, beam: str, quantity: str, points: int = 21) -> np.ndarray:
        """A quantity along a beam, (k, p), at its :meth:`places`: 'bending_moment', 'stress', 'vy' or any other
        quantity of a point. Where two elements meet, the value is that of the element ahead.

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> moment = fm.simulate(build(), 0.1, step=0.01).along("rod", "bending_moment", points=41)
        >>> moment.shape, float(moment.max().round(2))
        ((11, 41), 0.13)
        """
        return along.along(self, names.beam_name(self, beam), quantity, self.places(beam, points))

    def fiber_stress(self: Recorded, point: Any, fiber: Sequence[float]) -> np.ndarray:
        """The stress σ (k,) [Pa] of the `fiber` at (y, z) [m], in the axes of the section, at a point of a beam in
        space ('rod@0.3', or what `rod.at(0.3)` returned); positive in tension, see
        :mod:`flexmb.results.beams.sections`. The largest of the section is the quantity 'rod@0.3.stress'.

        >>> import flexmb as fm
        >>> m = fm.SpatialModel("cantilever")
        >>> steel, bar = fm.Material(7800.0, 2e11), fm.Rectangle(width=0.02, height=0.01)
        >>> beam = m.add_beam("beam", (0, 0, 0), (1, 0, 0), material=steel, section=bar)
        >>> clamp = m.weld(m.ground, beam.start)
        >>> load = m.point_force(beam.end, (0, 0, -10.0))
        >>> float(fm.equilibrium(m).solution.fiber_stress(beam.at(0.0), (0.0, 0.005))[0].round(-5))
        7500000.0
        """
        place = point_of(self.layout, names.key_name(self, point))
        if place is None:
            raise NamingError(f"{self.where}: {checks.quoted(point)} is no point of a beam; give e.g. 'rod@0.3'")
        y, z = checks.vector(fiber, "fiber", self.where, 2).tolist()
        return sections.fiber_stress(self, place.beam, place.s, y, z)
