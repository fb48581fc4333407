"""Lock of one coordinate between two frames in space: along an axis, or about it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from flexmb.joints.coordinates import COORDINATE_DRIVE
from flexmb.joints.spatial.joint import HingeAxes
from flexmb.joints.spatial.pair_tables import LowerPair
from flexmb.joints.spatial.rows.along import place_along
from flexmb.joints.spatial.rows.counted_angle import counted_angle
from flexmb.joints.spatial.rows.primitive_rows import ALONG, PrimitiveRow
from flexmb.kernels.rotations import turned
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.functions.time_function import Constant
from flexmb.model.spatial_frames import unit_axis

_COORDINATES = ("x", "y", "z", "position", "angle")


@dataclass(eq=False)
class Lock(LowerPair):
    """One coordinate of frame b in the axes of frame a keeps its value.

        g = e · (r_b − r_a) − value,  e an axis of frame a;    or    g = s − value,  s the counted angle about the axis

    An angle is that by which b has turned against a since the start; it takes a hinge to hold its axis.

    Arguments: `coordinate`: 'x', 'y' or 'z' of frame a, 'position' along `axis`, or 'angle' about it; `value` [m or
    rad], that of the model when not given, or, where it is switched on in a run, the one that it then has; `axis`: 'x',
    'y', 'z' or a direction (3,), in the axes of frame a.

    >>> import flexmb as fm
    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(2, 5, 0))
    >>> joint = m.lock(m.ground, body.frame, "y")
    >>> fm.System(m).constraint(0.0, [2, 6, 0, 0, 0, 0, 1], [0] * 6)[0].tolist()
    [1.0]
    """

    coordinate: str
    value: float | None = None
    _: KW_ONLY
    axis: Any = "z"

    @property
    def measures_from_start(self) -> bool:
        return self.coordinate == "angle"

    def check(self) -> None:
        super().check()
        checks.choice(self.coordinate, _COORDINATES, "coordinate", self.where)
        unit_axis(self.axis, self.where)
        if self.value is not None:
            self.value = checks.number(self.value, "value", self.where)

    @property
    def _direction(self) -> Any:
        return self.coordinate if self.coordinate in ("x", "y", "z") else self.axis

    def axes(self) -> HingeAxes:
        return HingeAxes.between(self.a, self.b, self._direction, None, self.where)

    def table(self) -> list[PrimitiveRow]:
        if self.coordinate == "angle":
            return []
        axis = unit_axis(self._direction, self.where)
        value = place_along(self.a, self.b, axis) if self.value is None else self.value
        return [PrimitiveRow(self.coordinate, "length", ALONG, turned(tuple(self.a.axes), tuple(axis)), value=value)]

    def assemble(self, assembly: Assembler) -> None:
        if self.coordinate != "angle":
            super().assemble(assembly)
            return
        s = counted_angle(assembly, self, self.a, self.b, self.axis)
        p = Constant(0.0 if self.value is None else self.value).parameters()
        assembly.instance(self, COORDINATE_DRIVE, s, p, [("angle", "angle")], found=self.value is None)

    @property
    def finds(self) -> bool:
        return self.value is None
