"""Figures: shapes in pictures, without mass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from flexmb.elements.spatial.beam import Beam
from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.appearance import BodyPlace
from flexmb.model.components import Assembler, Component
from flexmb.model.geometry.shapes import Shape
from flexmb.model.spatial_frames import Frame


@dataclass(eq=False)
class Figure(Component):
    """A shape on a frame, fixed or moving, that pictures show, and that has neither mass nor force: the base of a
    machine, a table, a cover whose mass another body has.

    Arguments: `name`; `frame`; `shape`, a :class:`~flexmb.model.geometry.shapes.Shape` in the axes of the frame;
    `bends_along`: straight beams that start on the node of the frame, along which the shape bends. Each of its points
    goes along with the section that is next to it on the undeformed beams, and these are not drawn themselves.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> m.add_figure("table", m.ground, fm.Box((1.0, 0.6, 0.02), position=(0, 0, -0.01)))
    Figure('table', frame='ground', shape=Box(1, 0.6, 0.02))
    """

    name: str = field()
    frame: Frame
    shape: Shape
    bends_along: Sequence[Beam] = ()
    kind = "figure"
    only_drawn = True
    dimension = 3

    def frames(self) -> list[Frame]:  # type: ignore[override]
        return [self.frame]

    def check(self) -> None:
        if not isinstance(self.shape, Shape):
            raise ModelError(f"{self.where}: shape is {checks.quoted(self.shape)}; give a Box, a Cylinder, a Sphere, …")
        for beam in checks.several(self.bends_along, "bends_along", self.where):
            if not isinstance(beam, Beam):
                raise ModelError(f"{self.where}: bends_along has {checks.quoted(beam)}; give beams in space")
            if beam.start.node is not self.frame.node:
                raise ModelError(
                    f"{self.where}: {beam.where} starts on another node than frame {self.frame.name!r} stands on; give "
                    "a frame of the node where it starts"
                )
            if beam.place().curved:
                raise ModelError(f"{self.where}: {beam.where} is curved or twisted; a figure bends along straight ones")

    def place(self) -> BodyPlace:
        along = tuple(beam.name for beam in self.bends_along)
        return BodyPlace(self.frame.name, (0.0, 0.0, 0.0), 0.0, self.shape.drawn, along=along)

    def assemble(self, assembly: Assembler) -> None:
        """Add nothing: a figure has no mass and exerts no force."""
