"""Rolling without slip on round bodies: on and in spheres and cylinders
(:mod:`flexmb.joints.spatial.rows.rolling_rows`)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from flexmb.errors import ModelError
from flexmb.joints.spatial.joint import HingeAxes, direction_in
from flexmb.joints.spatial.lines import ball_lines, drum_lines, rim_lines
from flexmb.joints.spatial.pair_tables import add_table, tilts
from flexmb.joints.spatial.rolling import Rolling
from flexmb.joints.spatial.rows.rolling_rows import BALL, DRUM, FIRST, SECOND, SPIN, TOUCH
from flexmb.joints.touching import NORMAL
from flexmb.kernels.rotations import turned_back
from flexmb.model import checks
from flexmb.model.appearance import ShownMotion
from flexmb.model.components import Assembler
from flexmb.model.spatial_frames import unit_axis

#: a sphere does not start nearer than this to a pole of another one [rad]
NEAR_POLE = 1e-6


@dataclass(eq=False)
class OnRound(Rolling):
    """Body b rolls on a round body a, or inside it, about an axis of frame a."""

    radius_a: float
    radius: float
    _: KW_ONLY
    axis: Any = "z"
    inside: bool = False
    free_spin: bool = True
    ROWS: ClassVar[dict[float, tuple[str, str] | tuple[str, str, str]]] = {
        TOUCH: (NORMAL, "length"),
        FIRST: ("around", "length", "velocity"),
        SECOND: ("along", "length", "velocity"),
        SPIN: ("spin", "angle", "velocity"),
    }

    def check(self) -> None:
        super().check()
        self.radius_a = checks.positive(self.radius_a, "radius_a", self.where)
        self.inside = checks.flag(self.inside, "inside", self.where)
        self.free_spin = checks.flag(self.free_spin, "free_spin", self.where)
        if self.inside and self.radius >= self.radius_a:
            raise ModelError(
                f"{self.where}: what rolls has the radius {self.radius:g} m and does not fit into a body of "
                f"{self.radius_a:g} m; give a smaller one, or inside=False"
            )
        self.axis_of_a()
        self.refuse_gap()

    def axis_of_a(self) -> np.ndarray:
        """The axis (3,) about which directions are measured, in the axes of frame a."""
        return unit_axis(self.axis, self.where)

    def rows(self) -> list[float]:
        return super().rows() if self.free_spin else [*super().rows(), SPIN]

    def on_a(self) -> tuple[np.ndarray, np.ndarray]:
        return self.axis_of_a(), np.zeros(3)

    def sizes(self) -> tuple[float, float]:
        return self.radius, -self.radius_a if self.inside else self.radius_a

    def gap(self) -> float:
        between = float(np.linalg.norm(self._between()))
        return self.radius_a - self.radius - between if self.inside else between - self.radius_a - self.radius

    def _between(self) -> np.ndarray:
        """From the middle of a to that of b, at the start in the axes of frame a."""
        return np.array(turned_back(tuple(self.a.quaternion), tuple(self.b.position - self.a.position)))


@dataclass(eq=False)
class RollingOnSphere(OnRound):
    """A sphere about the origin of frame b rolls without slip on one about that of frame a, or inside a hollow one.

        |c − o| = R + r  outside,    R − r  inside

    Its position row is 'normal', its velocity rows are 'around' the axis of a and 'along' its meridians, and with
    `free_spin=False` also 'spin', n · (ω_b − ω_a) = 0. The force on b is −λ times their directions. They change over at
    the two poles, where the axis leaves body a, and are not defined right there.

    Arguments: `radius` r of b [m]; `radius_a` R of a [m]; `axis` of directions on a, 'x', 'y', 'z' or a direction (3,)
    in the axes of frame a; when not given, it is across the plane in which b moves at the start, or falls if it rests;
    `inside`; `free_spin`: whether it may spin about the normal.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("bowl", gravity=(0, 0, -9.81))
    >>> ball = m.add_body("ball", shape=fm.Sphere(diameter=0.1), mass=1.0, position=(0.4, 0, -0.3))
    >>> bowl = m.rolling_on_sphere(m.ground, ball.frame, 0.6, 0.1, inside=True, name="bowl")
    >>> [row.name for row in fm.System(m).rows], bowl.axis_of_a().tolist()
    (['normal', 'around', 'along'], [0.0, 1.0, 0.0])
    """

    _: KW_ONLY
    axis: Any = None
    surfaces: ClassVar[float] = BALL
    touching: ClassVar[tuple[str, str]] = "the sphere", "the sphere"

    def check(self) -> None:
        super().check()
        between = self._between()
        if np.linalg.norm(np.cross(self.axis_of_a(), between)) < NEAR_POLE * np.linalg.norm(between):
            raise ModelError(
                f"{self.where}: at the start frame {self.b.name!r} is at a pole of its axis, where no direction is "
                "around it; give another axis"
            )

    def drawn(self, solution: ShownMotion) -> list[np.ndarray]:
        return [*ball_lines(solution, self.a, self.radius_a), *ball_lines(solution, self.b, self.radius)]

    def axis_of_a(self) -> np.ndarray:
        if self.axis is not None:
            return super().axis_of_a()
        n = self._between()
        if not n.any():
            return np.array([0.0, 0.0, 1.0])
        n /= np.linalg.norm(n)
        to_a = tuple(self.a.quaternion)
        for ahead in (self._leaving(), self.a.model.gravity.weight()):
            axis = np.cross(n, turned_back(to_a, tuple(ahead.tolist())))
            size = np.linalg.norm(axis)
            if size > 1e-6 * np.linalg.norm(ahead):
                return np.asarray(axis / size)
        axis = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
        return np.asarray(axis / np.linalg.norm(axis))

    def _leaving(self) -> np.ndarray:
        """The velocity (3,) of the middle of b at the start, as seen from body a, in the axes of the ground."""
        (beside, _), (velocity, _) = (frame.node.moving_at(self.b.position) for frame in (self.a, self.b))
        return np.asarray(velocity - beside)


@dataclass(eq=False)
class RollingOnCylinder(OnRound):
    """A wheel, a roller or a sphere about the origin of frame b rolls without slip on a cylinder about an axis through
    the origin of frame a, a drum, or inside a hollow one.

        |D| = R + r  outside,    R − r  inside,    D the part of c − o across the axis

    Its position row is 'normal', its velocity rows are 'around' the axis and 'along' it, and with `free_spin=False`
    also 'spin', n · (ω_b − ω_a) = 0. The force on b is −λ times their directions. What rolls is round in all
    directions, a sphere; so are wheels and rollers whose axes stay parallel to that of the cylinder. Either other
    joints keep them so, or this one does, with `parallel=True`, by the rows 'tilt 1' and 'tilt 2' of parallel axes.

    Arguments: `radius` r of b [m]; `radius_a` R of the cylinder [m]; `axis` of the cylinder: 'x', 'y', 'z' or a
    direction (3,) in the axes of frame a; `inside`; `free_spin`: whether it may spin about the normal; `parallel`.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("mill", gravity=(0, 0, -9.81))
    >>> drum = fm.Cylinder(diameter=0.1, length=0.3, axis="y")
    >>> roller = m.add_body("roller", shape=drum, mass=1.0, position=(0, 0, -0.4))
    >>> mill = m.rolling_on_cylinder(m.ground, roller.frame, 0.5, 0.1, axis="y", inside=True, parallel=True)
    >>> [row.name for row in fm.System(m).rows]
    ['normal', 'around', 'along', 'tilt 1', 'tilt 2']
    """

    _: KW_ONLY
    parallel: bool = False
    surfaces: ClassVar[float] = DRUM
    touching: ClassVar[tuple[str, str]] = "the wheel", "the cylinder"

    def check(self) -> None:
        super().check()
        self.parallel = checks.flag(self.parallel, "parallel", self.where)
        if self.parallel and not self.free_spin:
            raise ModelError(
                f"{self.where}: with parallel axes it cannot spin about the normal anyway; leave out free_spin=False"
            )

    def _between(self) -> np.ndarray:
        axis, between = self.axis_of_a(), super()._between()
        return np.asarray(between - (axis @ between) * axis)

    def assemble(self, assembly: Assembler) -> None:
        super().assemble(assembly)
        if self.parallel:
            axes = HingeAxes.between(self.a, self.b, self.axis, None, self.where)
            add_table(assembly, self, self.a, self.b, tilts(axes))

    def drawn(self, solution: ShownMotion) -> list[np.ndarray]:
        axis = self.axis_of_a()
        drum = drum_lines(solution, self.a, self.b, axis, self.radius_a, 2.0 * self.radius)
        if self.parallel:
            own = direction_in(self.b, self.a, axis)
            return [*drum, *rim_lines(solution, self.b, own, self.radius, 0.0)]
        return drum
