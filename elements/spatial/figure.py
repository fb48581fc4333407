"""Figures: shapes in pictures, without mass."""

from __future__ import annotations

from dataclasses import dataclass, field

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

    Arguments: `name`; `frame`; `shape`, a :class:`~flexmb.model.geometry.shapes.Shape` in the axes of the frame.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> m.add_figure("table", m.ground, fm.Box((1.0, 0.6, 0.02), position=(0, 0, -0.01)))
    Figure('table', frame='ground', shape=Box(1, 0.6, 0.02))
    """

    name: str = field()
    frame: Frame
    shape: Shape
    kind = "figure"
    only_drawn = True
    dimension = 3

    def frames(self) -> list[Frame]:  # type: ignore[override]
        return [self.frame]

    def check(self) -> None:
        if not isinstance(self.shape, Shape):
            raise ModelError(f"{self.where}: shape is {checks.quoted(self.shape)}; give a Box, a Cylinder, a Sphere, …")

    def place(self) -> BodyPlace:
        return BodyPlace(self.frame.name, (0.0, 0.0, 0.0), 0.0, self.shape.drawn)

    def assemble(self, assembly: Assembler) -> None:
        """Add nothing: a figure has no mass and exerts no force."""
