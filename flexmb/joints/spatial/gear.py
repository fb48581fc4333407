"""Gears, belts, rack and pinion: counted angles of wheels on carriers, coupled to one another or to a place.

Each wheel needs a joint of its own that holds its axis on the carrier; here its angle about that axis is counted
(:mod:`flexmb.joints.spatial.rows.counted_angle`) and coupled. So axes may lie in any directions, and carriers may move.
Where such a pair is switched on in a run, it couples the changes since then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.joints.coordinates import COUPLING, check_carried, checked_ratio
from flexmb.joints.spatial.joint import SpatialJoint, direction_in
from flexmb.joints.spatial.lines import FEWEST, belt_line, carried, fastened, gear_lines, rack_line, toothed
from flexmb.joints.spatial.rows.along import add_along, place_along
from flexmb.joints.spatial.rows.counted_angle import counted_angle
from flexmb.kernels.blocks import Numbers
from flexmb.kernels.rotations import turned
from flexmb.model import checks
from flexmb.model.appearance import ShownMotion
from flexmb.model.components import Assembler
from flexmb.model.spatial_frames import Frame, SpatialFrameLike, unit_axis


@dataclass(eq=False)
class _Wheels(SpatialJoint):
    """What couples wheels that turn on a carrier."""

    def frames(self) -> list[Any]:
        given = (getattr(self, "carrier", None), getattr(self, "carrier_b", None))
        return [self.a, self.b, *(frame for frame in given if frame is not None)]

    @property
    def carriers(self) -> tuple[Frame, Frame]:
        """The carrier of a, which is the ground when none is given, and that of b, the same when none is given."""
        ground: Any = self.a.model.ground
        first = getattr(self, "carrier", None) or ground
        return first, getattr(self, "carrier_b", None) or first

    def check(self) -> None:
        super().check()
        for wheel, carrier in zip((self.a, self.b), self.carriers):
            check_carried([wheel], carrier, self.where)

    def axis_of_b(self, axis: Any, axis_b: Any) -> np.ndarray:
        """The axis of b in its own axes (3,): that given, or the direction of a's axis at the start."""
        own = unit_axis(axis, self.where)
        if axis_b is None:
            return direction_in(self.b, self.a, own)
        return unit_axis(axis_b, self.where, "axis_b", "b")

    def turn(self, assembly: Assembler, wheel: Frame, axis: np.ndarray, name: str) -> Numbers:
        """The counted angle of a wheel on its carrier, about an axis (3,) of the wheel."""
        carrier = self.carriers[0 if wheel is self.a else 1]
        return counted_angle(assembly, self, carrier, wheel, direction_in(carrier, wheel, axis), name=name)

    def couple(self, assembly: Assembler, axes: Sequence[np.ndarray], weights: Sequence[float], measure: str) -> None:
        """Count the angles of a and b about their axes, and add the row by which their weighted sum is zero."""
        turns = [self.turn(assembly, w, u, f"turn_{k}") for w, u, k in zip((self.a, self.b), axes, "ab")]
        assembly.instance(self, COUPLING, turns, np.array([*weights, 0.0]), [("ratio", measure)], found=True)


@dataclass(eq=False)
class Gear(_Wheels):
    """Wheel b turns `ratio` times as much as wheel a, each about its own axis, which may be skew, on its carrier.

        g = s_b − i s_a,    s the counted angles on the carriers

    Only angles are coupled; the wheels need joints of their own to carry them. The moment on b about its axis is −λ,
    that on a about its own is i λ, and the carriers hold against them. With two carriers it couples any two hinges.

    Arguments: `ratio` i, not zero: −z_a/z_b for wheels with outer teeth, and for bevel wheels whose axes both point
    away from their apex; z_a/z_b for a ring; `axis`: 'x', 'y', 'z' or a direction (3,) in the axes of frame a;
    `axis_b`, in those of frame b (the direction of `axis` at the start when not given); `carrier`, a frame, the ground
    when not given; `carrier_b`, that of b if it is another one.

    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("bevel")
    >>> a = m.add_body("a", mass=1.0, inertia=(0.1, 0.1, 0.2), position=(0, 0, 0.2))
    >>> b = m.add_body("b", mass=1.0, inertia=(0.2, 0.1, 0.1), position=(0.4, 0, 0))
    >>> first = m.revolute(m.ground, a.attach("apex", (0, 0, -0.2)), axis="z")
    >>> second = m.revolute(m.ground, b.attach("apex", (-0.4, 0, 0)), axis="x")
    >>> pair = m.gear(a.frame, b.frame, -20 / 40, axis="z", axis_b="x", name="pair")
    >>> a.frame.move(angular_velocity=(0, 0, 2.0))
    >>> b.frame.move(angular_velocity=(-1.0, 0, 0))
    >>> import flexmb as fm
    >>> solution = fm.simulate(m, 10.0, step=0.05, progress=False)
    >>> [float(solution.coordinate(f"pair.turn_{k}")[-1].round(6)) for k in "ab"]
    [20.0, -10.0]
    """

    ratio: float
    _: KW_ONLY
    axis: Any = "z"
    axis_b: Any = None
    carrier: SpatialFrameLike | None = None
    carrier_b: SpatialFrameLike | None = None

    def check(self) -> None:
        super().check()
        self.ratio = checked_ratio(self.ratio, self.where)
        self.axis_of_b(self.axis, self.axis_b)

    def assemble(self, assembly: Assembler) -> None:
        axes = unit_axis(self.axis, self.where), self.axis_of_b(self.axis, self.axis_b)
        self.couple(assembly, axes, (-self.ratio, 1.0), "angle")

    def drawn(self, solution: ShownMotion) -> list[np.ndarray]:
        """Wheels with teeth, of the sizes at which they meet; nothing of what couples hinges of two carriers."""
        first, second = self.carriers
        if first.node is not second.node:
            return []
        wheels, own = (self.a, self.b), (unit_axis(self.axis, self.where), self.axis_of_b(self.axis, self.axis_b))
        axes = [np.array(turned(tuple(wheel.quaternion), tuple(u))) for wheel, u in zip(wheels, own)]
        lines = gear_lines(wheels, axes, self.ratio)
        return [carried(solution, wheel, line) for wheel, line in zip(wheels, lines)]


@dataclass(eq=False)
class Belt(_Wheels):
    """A belt that does not slip runs over pulleys a and b on a carrier; its length is kept.

        g = r_b s_b − (±) r_a s_a,    s the counted angles on the carrier, − for a crossed belt

    −λ [N] is the difference of the tensions of its two strands, which turns b forward by the moment −r_b λ. The pull of
    both on the bearings is left out.

    Arguments: `radius_a`, `radius_b` [m]; `axis`: 'x', 'y', 'z' or a direction (3,) in the axes of frame a; `axis_b`,
    in those of frame b (the direction of `axis` at the start when not given); `crossed`: the pulleys turn in opposite
    directions; `carrier`, a frame, the ground when not given.

    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> a = m.add_body("a", mass=1.0, inertia=(0.1, 0.1, 0.2))
    >>> b = m.add_body("b", mass=1.0, inertia=(0.1, 0.1, 0.2), position=(0.4, 0, 0))
    >>> belt = m.belt(a.frame, b.frame, 0.1, 0.2, axis="z")
    >>> import flexmb as fm
    >>> [row.where for row in fm.System(m).rows]
    ['belt 1 (turn_a)', 'belt 1 (turn_b)', 'belt 1 (ratio)']
    """

    radius_a: float
    radius_b: float
    _: KW_ONLY
    axis: Any = "z"
    axis_b: Any = None
    crossed: bool = False
    carrier: SpatialFrameLike | None = None

    def check(self) -> None:
        super().check()
        checks.check_fields(self, checks.positive, self.where, "radius_a", "radius_b")
        self.crossed = checks.flag(self.crossed, "crossed", self.where)
        self.axis_of_b(self.axis, self.axis_b)

    def assemble(self, assembly: Assembler) -> None:
        axes = unit_axis(self.axis, self.where), self.axis_of_b(self.axis, self.axis_b)
        self.couple(assembly, axes, (self.radius_a if self.crossed else -self.radius_a, self.radius_b), "length")

    def drawn(self, solution: ShownMotion) -> list[np.ndarray]:
        wheels, own = (self.a, self.b), (unit_axis(self.axis, self.where), self.axis_of_b(self.axis, self.axis_b))
        tracks: list[Any] = [solution.track(wheel.name) for wheel in wheels]
        places = np.stack([track.position for track in tracks], axis=1)
        axes = np.stack([track.orientation.apply(u) for track, u in zip(tracks, own)], axis=1)
        radii = self.radius_a, self.radius_b
        return [np.array([belt_line(place, axis, radii, self.crossed) for place, axis in zip(places, axes)])]


@dataclass(eq=False)
class RackAndPinion(_Wheels):
    """Rack b travels by `radius` times the angle by which pinion a turns, both on a carrier.

        g = u · (r_b − r_c) − r s_a − (its value at the start),    u a direction of the carrier c, s_a a counted angle

    Pinion and rack need joints of their own that guide them on the carrier. The force on the rack along u is −λ, the
    moment on the pinion about its axis r λ.

    Arguments: `radius` r [m] of the pinion; `axis`, that of the pinion: 'x', 'y', 'z' or a direction (3,) in the axes
    of frame a; `along`, the way of the rack when the pinion turns forward, in the axes of frame b: across the axis, as
    axis × (direction from the pinion's center to the rack); `carrier`, a frame, the ground when not given.

    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> pinion = m.add_body("pinion", mass=1.0, inertia=(0.1, 0.1, 0.2))
    >>> rack = m.add_body("rack", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, -0.1, 0))
    >>> teeth = m.rack_and_pinion(pinion.frame, rack.frame, 0.1, axis="z", along="x")
    >>> import flexmb as fm
    >>> [row.where for row in fm.System(m).rows]
    ['rack_and_pinion 1 (turn)', 'rack_and_pinion 1 (ratio)']
    """

    radius: float
    _: KW_ONLY
    axis: Any = "z"
    along: Any = "x"
    carrier: SpatialFrameLike | None = None

    def check(self) -> None:
        super().check()
        self.radius = checks.positive(self.radius, "radius", self.where)
        tilt = float(self._way() @ direction_in(self.carriers[0], self.a, unit_axis(self.axis, self.where)))
        if abs(tilt) > 1e-9:
            raise ModelError(
                f"{self.where}: along, the way of the rack, must lie across the axis of the pinion; their angle is "
                f"{np.degrees(np.arccos(np.clip(tilt, -1.0, 1.0))):.6g}°"
            )

    def _way(self) -> np.ndarray:
        """The way of the rack in the axes of the carrier."""
        return direction_in(self.carriers[0], self.b, unit_axis(self.along, self.where, "along", "b"))

    def assemble(self, assembly: Assembler) -> None:
        carrier, way = self.carriers[0], self._way()
        s = self.turn(assembly, self.a, unit_axis(self.axis, self.where), "turn")
        start = place_along(carrier, self.b, way)
        add_along(assembly, self, carrier, self.b, way, "ratio", start, s, self.radius, found=True)

    def drawn(self, solution: ShownMotion) -> list[np.ndarray]:
        """The teeth of the pinion, and those of the rack as far as they mesh and by two radii further."""
        axis = np.array(turned(tuple(self.a.quaternion), tuple(unit_axis(self.axis, self.where))))
        way = np.array(turned(tuple(self.carriers[0].quaternion), tuple(self._way())))
        out = np.cross(way, axis)
        point = self.a.position + self.radius * out
        count, pitch = FEWEST, 2.0 * np.pi * self.radius / FEWEST
        pinion = fastened(self.a, toothed(self.a.position, axis, point, count, 0.9 * pitch / np.pi, 0.0))
        carrier, rack = (solution.track(frame.name) for frame in (self.carriers[0], self.b))
        seen: Any = carrier
        moved = seen.orientation.inv().apply(rack.position - seen.position) @ self._way()
        start = place_along(self.carriers[0], self.b, self._way())
        reach = float(start - np.max(moved)) - 2.0 * self.radius, float(start - np.min(moved)) + 2.0 * self.radius
        line = fastened(self.b, rack_line(point, way, out, pitch, reach))
        return [carried(solution, self.a, pinion), carried(solution, self.b, line)]
