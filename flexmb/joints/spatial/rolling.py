"""Rolling without slip on a plane: a wheel and a sphere (:mod:`flexmb.joints.spatial.rows.rolling_rows`)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from flexmb.errors import ModelError
from flexmb.joints.spatial.joint import SpatialJoint
from flexmb.joints.spatial.lines import ball_lines, rim_lines
from flexmb.joints.spatial.rows.rolling_rows import FIRST, ROLLING, SECOND, SPHERE, SPIN, TOUCH, WHEEL, contact
from flexmb.joints.touching import NORMAL, friction_needed, pulling, refuse_gap
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import turned
from flexmb.kernels.vectors import NONE
from flexmb.model import checks
from flexmb.model.appearance import RoadPlace, ShownMotion
from flexmb.model.components import Assembler
from flexmb.model.doubted import Assembled, Doubt
from flexmb.model.orientations import rotation_of, scalar_first
from flexmb.model.pairs import pair_coordinates
from flexmb.model.spatial_frames import SpatialPair, axes_about, unit_axis

#: a wheel whose plane is nearer than this to the one it rolls on [rad] lies flat
FLAT = 0.02


def sines_between(
    pair: SpatialPair, kernels: Kernels, n: np.ndarray, u: np.ndarray, system: Assembled, q: np.ndarray
) -> np.ndarray:
    """The sine (k,) of the angle between a direction n on frame a and u on frame b at the coordinates q (k, total);
    `kernels` are those of the pair, which stand on both nodes first."""
    numbers = system.coordinates_of(pair.name, kernels)[0]
    on_a, on_b = (
        rotation_of(q[:, numbers[at : at + 4]]).apply(turned(tuple(frame.axes), tuple(x)))
        for at, frame, x in ((3, pair.a, n), (10, pair.b, u))
    )
    return np.asarray(np.linalg.norm(np.cross(on_a, on_b), axis=1))


def refuse_flat(pair: SpatialPair, n: np.ndarray, u: np.ndarray) -> None:
    """Refuse a wheel with the axis u (3,) on frame b that lies flat at the start on a plane with the normal n (3,) on
    frame a."""
    normal, axle = (turned(tuple(frame.quaternion), tuple(x)) for frame, x in ((pair.a, n), (pair.b, u)))
    sine = float(np.linalg.norm(np.cross(normal, axle)))
    if sine < FLAT:
        raise ModelError(
            f"{pair.where}: at the start the axle of frame {pair.b.name!r} is along the normal of the plane, to "
            f"{np.degrees(np.arcsin(sine)):.2g}°: the wheel lies flat, and no point is its lowest; raise it, or "
            "give the axis that it turns about, axle=…"
        )


def flat_limit(sine: float) -> str:
    """Limit that ends a run when a wheel lies flat: the sine of the angle between its axle and the normal."""
    if not sine < 5.0 * FLAT:
        return ""
    return "lies flat on its plane, where no point of its rim is the lowest; end the run before it falls over"


def flat_doubts(where: str, sines: np.ndarray) -> list[Doubt]:
    """A doubt if a wheel lies flat, by these sines (k,)."""
    flat = np.flatnonzero(sines < FLAT)
    if not len(flat):
        return []
    return [Doubt(int(flat[0]), f"{where}: the wheel lies flat on its plane, which its rim touches all around")]


@dataclass(eq=False)
class NoSlip(SpatialJoint):
    """Body b touches body a at one point, and does not slip there in some directions, or in none."""

    glyphs = ("rolling",)
    #: the surfaces, and the kinds of rows, their names and measures
    surfaces: ClassVar[float] = SPHERE
    ROWS: ClassVar[dict[float, tuple[str, str] | tuple[str, str, str]]] = {
        TOUCH: (NORMAL, "length"),
        FIRST: ("ahead", "length", "velocity"),
        SECOND: ("aside", "length", "velocity"),
        SPIN: ("spin", "angle", "velocity"),
    }

    def rows(self) -> list[float]:
        """The kinds of its rows, touching the first of them."""
        return [TOUCH, FIRST, SECOND]

    def on_a(self) -> tuple[np.ndarray, np.ndarray]:
        """Normal z and in-plane direction x (3,) of the plane, in the axes of frame a."""
        raise NotImplementedError

    def on_b(self) -> np.ndarray:
        """Axle (3,) of a wheel in the axes of frame b; None for a sphere."""
        return np.zeros(3)

    def sizes(self) -> tuple[float, float]:
        """The radius of b [m]; the crown radius of its tire, or the radius of a, negative inside."""
        return 0.0, 0.0

    def force_doubts(self, multipliers: np.ndarray, least: float) -> list[Doubt]:
        return pulling(self.where, multipliers[:, 0], least)

    def friction_needed(self, solution: Any) -> np.ndarray:
        """The force that keeps it from slipping in a solution, as a part (k,) of the normal force: the least
        coefficient of friction with which it does not slip."""
        return friction_needed(
            checks.solution(solution, self.where).multipliers_of(self.name),
            [self.ROWS[kind][0] for kind in self.rows()],
        )

    def contact_points(self, solution: Any) -> np.ndarray:
        """The places (k, 3) [m] where the bodies touch in a solution."""
        still = (1.0, 0.0, 0.0, 0.0)
        row = self._parameters(NONE, NONE, still, still)
        a, b = (checks.solution(solution, self.where).track(frame.name) for frame in (self.a, self.b))
        turns = [scalar_first(track.orientation).tolist() for track in (a, b)]
        places = zip(*turns, a.position.tolist(), b.position.tolist())
        found = [contact(row, *(tuple(x) for x in place), NONE, NONE, NONE, NONE)[1] for place in places]
        return np.array(found)

    def _parameters(self, arm_a: Any, arm_b: Any, axes_a: Any, axes_b: Any) -> np.ndarray:
        """Parameters of the rows, from the arms of both frames and their axes."""
        (z, x), on_b = self.on_a(), self.on_b()
        z, x = (np.array(turned(tuple(axes_a), tuple(u))) for u in (z, x))
        p = [self.surfaces, *arm_a, *arm_b, *z, *x, *turned(tuple(axes_b), tuple(on_b))]
        return np.array([*p, *self.sizes(), *self.rows()])

    def assemble(self, assembly: Assembler) -> None:
        p = self._parameters(self.a.offset, self.b.offset, self.a.axes, self.b.axes)
        coordinates = pair_coordinates(assembly, self.a, self.b)
        assembly.instance(self, ROLLING, coordinates, p, [self.ROWS[kind] for kind in self.rows()])


class Rolling(NoSlip):
    """Body b, with a radius, rolls on body a without slip."""

    #: [m], a field of what rolls
    radius: float
    #: what touches what, in messages
    touching: ClassVar[tuple[str, str]] = "the sphere", "the plane"

    def check(self) -> None:
        super().check()
        self.radius = checks.positive(self.radius, "radius", self.where)

    def sizes(self) -> tuple[float, float]:
        return self.radius, 0.0

    def gap(self) -> float:
        """The distance of the surfaces at the start [m]."""
        raise NotImplementedError

    def refuse_gap(self) -> None:
        """Refuse surfaces that do not touch at the start."""
        refuse_gap(self, self.gap(), self.radius, *self.touching)


@dataclass(eq=False)
class OnPlane(NoSlip):
    """Body b touches a plane through the origin of frame a.

    Arguments: `normal` of the plane: 'x', 'y', 'z' or a direction (3,), in the axes of frame a, towards b.
    """

    _: KW_ONLY
    normal: Any = "z"

    def check(self) -> None:
        super().check()
        unit_axis(self.normal, self.where, "normal")

    def on_a(self) -> tuple[np.ndarray, np.ndarray]:
        z = unit_axis(self.normal, self.where, "normal")
        return z, np.array(turned(axes_about(*z.tolist()), (1.0, 0.0, 0.0)))

    def road(self) -> RoadPlace | None:
        radius = self.sizes()[0]  # a blade has none, by which lines would be apart
        return RoadPlace(self.a.name, self.b.name, tuple(self.on_a()[0].tolist()), radius) if radius > 0.0 else None

    def height(self) -> float:
        """Height of the origin of frame b above the plane at the start [m]."""
        return float(self._normal_at_start() @ (self.b.position - self.a.position))

    def sine_at_start(self) -> float:
        """Sine of the angle between the axle and the normal at the start."""
        on_b = turned(tuple(self.b.quaternion), tuple(self.on_b()))
        return float(np.linalg.norm(np.cross(on_b, self._normal_at_start())))

    def _normal_at_start(self) -> np.ndarray:
        return np.array(turned(tuple(self.a.quaternion), tuple(self.on_a()[0])))

    def sines(self, system: Assembled, q: np.ndarray) -> np.ndarray:
        """Sines (k,) of the angles between the axle and the normal at the coordinates q (k, total)."""
        return sines_between(self, ROLLING, self.on_a()[0], self.on_b(), system, q)


@dataclass(eq=False)
class RollingWheel(OnPlane, Rolling):
    """A wheel rolls without slip on a plane: a disk about the origin of frame b, which touches a plane of frame a with
    the lowest point of its rim, however it leans. The plane may be that of the ground, or one of a body that moves.

    Its position row, 'normal', keeps the rim on the plane. Its two velocity rows keep its point of contact from
    slipping: 'ahead', along the trace of the wheel's plane, and 'aside', across it, which is the constraint of a knife
    edge. With the normal n, the wheel's axis u, its radius r, and the crown radius κ of its tire
    (:mod:`flexmb.joints.spatial.rows.rolling_rows`):

        σ = u · n,  s = √(1 − σ²),  the center is (r − κ) s + κ above the plane,  ahead is u × n/s,  aside n × (u × n)/s

    so that a wheel which turns forward about its axis rolls ahead. The force on the wheel is −λ times these directions:
    the plane's pressure on it is −λ of 'normal', in a solution 'road.normal_force'. A wheel that leans is
    singular where it lies flat.

    Arguments: `radius` r [m], to the outside of its tire; `axle`, the wheel's axis u: 'x', 'y', 'z' or a direction (3,)
    in the axes of frame b; `normal` of the plane, in the axes of frame a; `crown` κ [m] of the tire, whose section is a
    circle; 0, a sharp rim, when not given; `lateral`: with False it slips sideways without any friction, as a castor
    or a wheel with rollers on its rim does.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("coin", gravity=(0, 0, -9.81))
    >>> flat = fm.Cylinder(diameter=0.5, length=0.01, axis="y")
    >>> coin = m.add_body("coin", shape=flat, mass=1.0, position=(0, 0, 0.5))
    >>> road = m.rolling_wheel(m.ground, coin.frame, 0.5, axle="y", name="road")
    >>> [row.name for row in fm.System(m).rows]
    ['normal', 'ahead', 'aside']
    >>> system = fm.System(m)
    >>> system.constraint(0.0, system.q0, [2.0, 0, 0, 0, 3.0, 0])[1].tolist()  # 2 m/s ahead, it turns at 3 rad/s
    [0.0, 0.5, 0.0]
    """

    radius: float
    _: KW_ONLY
    axle: Any = "y"
    crown: float = 0.0
    lateral: bool = True
    surfaces: ClassVar[float] = WHEEL
    touching: ClassVar[tuple[str, str]] = "the wheel", "the plane"

    def check(self) -> None:
        super().check()
        self.crown = checks.not_negative(self.crown, "crown", self.where)
        if self.crown >= self.radius:
            raise ModelError(
                f"{self.where}: crown is {self.crown:g} m, and the radius of the whole wheel {self.radius:g} m; a tire "
                "is thinner than its wheel, and a ball rolls by rolling_sphere"
            )
        self.lateral = checks.flag(self.lateral, "lateral", self.where)
        refuse_flat(self, self.on_a()[0], self.on_b())
        self.refuse_gap()

    def rows(self) -> list[float]:
        return [TOUCH, FIRST, SECOND] if self.lateral else [TOUCH, FIRST]

    def on_b(self) -> np.ndarray:
        return unit_axis(self.axle, self.where, "axle", "b")

    def sizes(self) -> tuple[float, float]:
        return self.radius, self.crown

    def gap(self) -> float:
        return self.height() - (self.radius - self.crown) * self.sine_at_start() - self.crown

    def drawn(self, solution: ShownMotion) -> list[np.ndarray]:
        return rim_lines(solution, self.b, self.on_b(), self.radius, self.crown)

    def limit(self, system: Assembled, q: np.ndarray, v: np.ndarray) -> str:
        return flat_limit(self.sines(system, q[None])[0])

    def doubts(self, system: Assembled, q: np.ndarray) -> list[Doubt]:
        return flat_doubts(self.where, self.sines(system, q))


@dataclass(eq=False)
class RollingSphere(OnPlane, Rolling):
    """A sphere about the origin of frame b rolls without slip on a plane of frame a: of the ground, or of a body that
    moves, a turning table.

        n · (c − o) = r,    V = ċ + ω_b × (−r n) − (velocity of a there) = 0 across n

    The position row is 'normal', the velocity rows are 'ahead' and 'aside', along two directions fixed to a, and with
    `free_spin=False` also 'spin', n · (ω_b − ω_a) = 0. The force on the sphere is −λ times their directions.

    Arguments: `radius` r [m]; `normal` of the plane: 'x', 'y', 'z' or a direction (3,), in the axes of frame a, towards
    the sphere; `free_spin`: whether it may spin about the normal.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("ball", gravity=(0, 0, -9.81))
    >>> ball = m.add_body("ball", shape=fm.Sphere(diameter=0.1), mass=1.0, position=(0, 0, 0.1))
    >>> table = m.rolling_sphere(m.ground, ball.frame, 0.1, free_spin=False, name="table")
    >>> [row.name for row in fm.System(m).rows]
    ['normal', 'ahead', 'aside', 'spin']
    """

    radius: float
    _: KW_ONLY
    free_spin: bool = True

    def check(self) -> None:
        super().check()
        self.free_spin = checks.flag(self.free_spin, "free_spin", self.where)
        self.refuse_gap()

    def rows(self) -> list[float]:
        return super().rows() if self.free_spin else [*super().rows(), SPIN]

    def gap(self) -> float:
        return self.height() - self.radius

    def drawn(self, solution: ShownMotion) -> list[np.ndarray]:
        return ball_lines(solution, self.b, self.radius)
