"""Contact between shapes on two frames: of points, round bodies, half-spaces and cavities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.forces.contact_force import (
    FORCE,
    GAP,
    KIND,
    LIMITS,
    NORMAL,
    PLACE,
    PUSH,
    VELOCITY,
    WORK,
    gaps_between,
    in_node_axes,
    see,
    touch,
)  # fmt: skip
from flexmb.forces.contact_geometry import BALL_BALL, CAVITY_BALL, CYLINDER_BALL, HALF_SPACE_BALL, HALF_SPACE_RIM
from flexmb.forces.contact_law import HardOrGiving, checked_friction, friction_numbers, rubs
from flexmb.forces.planar.contact import CONTACT
from flexmb.forces.spatial.contact import SPATIAL_CONTACT
from flexmb.joints.friction import JointFriction
from flexmb.joints.gap_between import add_gaps
from flexmb.joints.unilateral import MISPLACED, beyond_limit, overlaps
from flexmb.kernels.compilation import compiled
from flexmb.kernels.vectors import dot, put, vector_in
from flexmb.model.appearance import ContactPlace, Load, PairPlace, ShownMotion
from flexmb.model.components import Assembler, Component
from flexmb.model.doubted import Assembled, Doubt, gap_history
from flexmb.model.frames import Frame
from flexmb.model.geometry.contact_shapes import ContactShape, Stands, standing
from flexmb.model.pairs import PairComponent, pair_coordinates
from flexmb.model.spatial_frames import across, looks_like

#: what may touch, by what stands on the first body and on the second
PAIRS = {
    ("half-space", "ball"): HALF_SPACE_BALL,
    ("ball", "ball"): BALL_BALL,
    ("cavity", "ball"): CAVITY_BALL,
    ("cylinder", "ball"): CYLINDER_BALL,
    ("half-space", "cylinder"): HALF_SPACE_RIM,
    ("half-space", "corners"): HALF_SPACE_BALL,
    ("ball", "corners"): BALL_BALL,
    ("cavity", "corners"): CAVITY_BALL,
    ("cylinder", "corners"): CYLINDER_BALL,
}
#: kernels in the plane and in space
KERNELS = {2: CONTACT, 3: SPATIAL_CONTACT}
#: shapes on which a normal force acts through their middle
ROUND = ("ball", "cavity")
#: k, n and d of a hard contact, which has no law, and numbers of friction that do nothing
NO_LAW = [0.0, 1.0, 0.0, *friction_numbers(None)]
#: overlaps are doubted beyond this part of the radius
LARGEST_OVERLAP = 0.5
#: columns of :func:`histories`: gap, its rate, normal force, n (3), place (3), force on the second body (3)
COLUMNS = 12
#: columns of the motion of a body: place (3), quaternion (4), velocity (3), angular velocity (3), axes of the ground
MOTION = 13


@dataclass(eq=False)
class Contact(HardOrGiving, PairComponent):
    """Shapes on two frames push each other apart where they overlap, and rub; in the plane and in space.

    The normal force is N = k δⁿ max(0, 1 + d δ̇) with the overlap δ by Hunt and Crossley (1975), see
    :mod:`flexmb.forces.contact_law`, which says what d a restitution means; friction is N μ(|v|) against the sliding
    velocity v, smooth at v = 0 as :class:`flexmb.JointFriction` says. Both act midway between the two surfaces.

    In the plane a point or a :class:`flexmb.Disk` touches a point, a disk, a :class:`flexmb.HalfPlane` or the wall of a
    :class:`flexmb.Cavity`. :class:`flexmb.Corners` are several points of one body, each with the stiffness k.

    In space a point or a :class:`flexmb.Sphere` touches a point, a sphere, a :class:`flexmb.HalfSpace`, the wall of a
    :class:`flexmb.Cavity`, or the side, the ends and the edges of a :class:`flexmb.Cylinder`. A cylinder touches a
    half-space by the lowest points of its two edges, each with the stiffness k: it rolls on its side, on an edge, and
    stands on its end (see :mod:`flexmb.forces.contact_geometry` for how). Its side is straight between the edges.
    Friction acts against the sliding velocity, a vector in the plane of contact. There is no moment about the normal.

    Arguments: frames `a`, `b`; `shape_a`, `shape_b` on them, None for a point at the origin of the frame;
    `stiffness` k [N/mⁿ], see :func:`flexmb.hertz`; `exponent` n, 1.5; `damping` d [s/m], or `restitution` with the
    `impact_speed` [m/s] for which it holds; `friction`, a coefficient or a
    :class:`flexmb.JointFriction` (coefficient, static, stribeck_speed, smoothing). Or `hard`: the shapes do not
    overlap, and speeds jump where they meet (:mod:`flexmb.joints.gap_between`), with `restitution` e, 0 when not
    given, and in the plane a `friction` that truly sticks, a coefficient or a JointFriction with smoothing=0.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m", gravity=(0, -9.81))
    >>> ball = m.add_body("ball", mass=1.0, inertia=4e-3, position=(0, 0.5))
    >>> floor = m.contact(m.ground, ball.frame, fm.HalfPlane("y"), fm.Disk(diameter=0.2), stiffness=1e6, name="floor")
    >>> solution = fm.simulate(m, 0.4, progress=False)
    >>> floor = solution["floor"]
    >>> float(floor.gap[0].round(9)), bool(floor.touching[-1]), float(floor.gap.min().round(4))
    (0.4, False, -0.01)
    """

    shape_a: ContactShape
    shape_b: ContactShape = None
    _: KW_ONLY
    friction: float | JointFriction | None = None
    dimension = None
    kind = "contact"

    def check(self) -> None:
        super().check()
        self.refuse_fixed_frames()
        self.friction = checked_friction(self.friction, self.where, self.hard)
        swapped, rows = self.pairs()
        if self.hard:
            self._check_hard(swapped, rows)

    def _check_hard(self, swapped: bool, rows: list[list[float]]) -> None:
        """Refuse what no hard contact can be."""
        if self.stands_in == 3 and self._rubs():
            raise ModelError(
                f"{self.where}: a hard contact in space slides without friction; leave friction out, or give the "
                "contact a stiffness in place of hard=True"
            )
        if len(rows) > 1 and "half-space" not in [stands.what for stands in self.shapes()]:
            raise ModelError(
                f"{self.where}: hard corners touch a half-plane or a half-space; give points on frames of their own, "
                "one contact each"
            )
        if rows[0][KIND] not in LIMITS:
            raise ModelError(
                f"{self.where}: the normal of a cylinder leaps at its edges, and a hard contact needs a smooth gap; "
                "give points, spheres, half-spaces, corners or cavities, or a contact with a stiffness"
            )
        bodies = self._bodies(swapped)
        for gap in gaps_between(*bodies, rows):
            gap.refuse_overlap(self.where, *bodies)

    def _bodies(self, swapped: bool) -> tuple[Frame, Frame]:
        """The frames in the order of the pairs."""
        return (self.b, self.a) if swapped else (self.a, self.b)

    def _rubs(self) -> bool:
        """Whether it has friction."""
        return rubs(self.friction, self.where, self.hard)

    def shapes(self) -> tuple[Stands, Stands]:
        """The shapes as contacts compute with them."""
        one = standing(self.shape_a, self.stands_in, "shape_a", self.where)
        return one, standing(self.shape_b, self.stands_in, "shape_b", self.where)

    def pairs(self) -> tuple[bool, list[list[float]]]:
        """Whether the first body of the pairs is b, and the parameters of each pair, in the axes of the frames."""
        one, other = self.shapes()
        swapped = (one.what, other.what) not in PAIRS
        first, second = (other, one) if swapped else (one, other)
        kind = PAIRS.get((first.what, second.what))
        if kind is None:
            raise ModelError(
                f"{self.where}: it is not known how a {one.what} and a {other.what} touch; points and balls touch "
                "points, balls, half-spaces, cavities and cylinders, and a cylinder touches half-spaces too"
            )
        if kind == BALL_BALL and first.radius + second.radius == 0.0:
            raise ModelError(f"{self.where}: two points do not touch; give one of them a shape")
        if kind == CAVITY_BALL and second.radius >= first.radius:
            raise ModelError(
                f"{self.where}: a ball of diameter {2.0 * second.radius:g} m does not fit into a cavity of diameter "
                f"{2.0 * first.radius:g} m"
            )
        ends = [0.0] if kind != HALF_SPACE_RIM else [-second.half, second.half]
        places = second.points if second.points is not None else [second.point + x * second.direction for x in ends]
        sizes = [first.radius, second.radius, first.half]
        rows = [[float(kind), *first.point, *first.direction, *on_b, *second.direction, *sizes] for on_b in places]
        law = NO_LAW if self.hard else [*self.law(), *friction_numbers(checked_friction(self.friction, self.where))]
        return swapped, [[float(x) for x in (*row, *law)] for row in rows]

    def twists(self, node: Any, axis: np.ndarray) -> bool:
        """What pushes a ball acts through its middle; the wall of a cavity too. Friction turns."""
        if not super().twists(node, axis) or node is None:
            return False
        frames: list[Any] = self.frames()
        return self._rubs() or any(
            stands.what not in ROUND or frame.node.is_lever(frame.arm + frame.on_node(stands.point), axis)
            for frame, stands in zip(frames, self.shapes())
            if frame.node is node
        )

    def assemble(self, assembly: Assembler) -> None:
        swapped, rows = self.pairs()
        a, b = self._bodies(swapped)
        if not self.hard:
            add_pairs(assembly, self, a, b, rows)
            return
        law = checked_friction(self.friction, self.where, True) if self._rubs() else None
        add_gaps(assembly, self, a, b, gaps_between(a, b, rows), self.restitution or 0.0, law)

    def misplaced(self, system: Assembled, q: np.ndarray) -> str:
        """Shapes that are brought together at the start may overlap."""
        beyond = beyond_limit(system, self.name, q)
        return f"{self.where}: its shapes overlap by {beyond:.3g} m there" if beyond > MISPLACED else ""

    def doubts(self, system: Assembled, q: np.ndarray) -> list[Doubt]:
        """A warning if a round shape overlaps by a large part of its radius."""
        radii = [stands.radius for stands in self.shapes() if stands.what != "cavity" and stands.radius > 0.0]
        if self.hard:
            return overlaps(system, self.name, self.where, q)
        for i in system.instances_of(self.name) if radii else ():
            depth = -gap_history(i, q)
            if np.max(depth, initial=0.0) > LARGEST_OVERLAP * min(radii):
                text = (
                    f"{self.where}: the shapes overlap by up to {np.max(depth):.3g} m, and the law is for overlaps "
                    f"that are small against the radius, {min(radii):.3g} m; take a larger stiffness, or a smaller step"
                )
                return [Doubt(int(np.argmax(depth > LARGEST_OVERLAP * min(radii))), text)]
        return []

    def place(self) -> PairPlace:
        swapped, rows = self.pairs()
        return PairPlace(self.a.name, self.b.name, contact=ContactPlace(tuple(map(tuple, rows)), swapped))

    def drawn(self, solution: ShownMotion) -> Sequence[np.ndarray]:
        lines, dimension = [], self.stands_in
        shapes = self.shapes()
        room = max(stands.radius + stands.half for stands in shapes)
        for frame, stands, other in zip((self.a, self.b), shapes, (self.b, self.a)):
            kind = {"ball": "sphere", "cylinder": "cylinder"}.get(stands.what, "")
            if dimension == 3 and kind and looks_like(frame, kind, 2.0 * stands.radius, stands.point):
                continue
            seen, against = motion_of(solution.track(frame.name)), motion_of(solution.track(other.name))
            if stands.what == "half-space":
                same = self._on_one_plane(solution, frame, stands, seen)
                if same[0][0] is not self:  # drawn by another contact
                    continue
                against = np.concatenate([motion_of(solution.track(on_it.name)) for _, on_it, _ in same])
                room, seen = max(reach for _, _, reach in same), np.tile(seen, (len(same), 1))
            for own in outlines(stands, seen, against, dimension, room):
                line = on_ground(seen[: len(solution.t)], own)[..., :dimension]
                lines.append(line[0] if frame.node.fixed else line)
        return lines

    def _on_one_plane(
        self, solution: ShownMotion, frame: Frame, stands: Stands, seen: np.ndarray
    ) -> list[tuple[Contact, Frame, float]]:
        """All contacts of the model whose half-space has the plane of this one, each with the frame of what touches it
        and how far that reaches [m]."""

        def plane(motion: np.ndarray, one: Stands) -> np.ndarray:
            point, ahead = on_ground(motion[:1], np.array([one.point, one.point + one.direction]))[0]
            return np.append(ahead - point, (ahead - point) @ point)

        found, own = [], plane(seen, stands)
        for component in self.a.model.components.values():
            if not isinstance(component, Contact):
                continue
            shapes = component.shapes()
            room = max(one.radius + one.half for one in shapes)
            for on, one, other in zip((component.a, component.b), shapes, (component.b, component.a)):
                near = on.node is frame.node or (on.node.fixed and frame.node.fixed)
                if one.what == "half-space" and near:
                    if np.allclose(plane(motion_of(solution.track(on.name)), one), own, rtol=0.0, atol=1e-9):
                        found.append((component, other, room))
        return found

    def loads(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> Sequence[Load]:
        place = self.place().contact
        assert place is not None
        a, b = (motion_of(solution.track(frame.name)) for frame in (self.a, self.b))
        found, dimension = histories(place, a, b), self.stands_in
        return [Load(x[:, 6 : 6 + dimension], x[:, 9 : 9 + dimension]) for x in found]


def add_pairs(assembly: Assembler, owner: Component, a: Frame, b: Frame, rows: list[list[float]]) -> None:
    """Add pairs of shapes on two frames, with their parameters in the axes of the frames."""
    for row in rows:
        p = in_node_axes(row, a, b)
        assembly.instance(owner, KERNELS[owner.stands_in], pair_coordinates(assembly, a, b), p, work=WORK)


def motion_of(track: Any) -> np.ndarray:
    """The motion (k, 13) of a frame in the plane or in space, from its track."""
    position = track.position
    k = len(position)
    motion = np.zeros((k, MOTION))
    if position.shape[1] == 3:
        motion[:, :7], motion[:, 7:10] = track.values[:, :7], track.velocity
        motion[:, 10:] = track.angular_velocity
        return motion
    motion[:, :2], motion[:, 7:9] = position, track.velocity
    motion[:, 3], motion[:, 6], motion[:, 12] = (
        np.cos(0.5 * track.angle),
        np.sin(0.5 * track.angle),
        track.angular_velocity,
    )
    return motion


def histories(place: ContactPlace, a: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
    """What each pair of a contact does (k, 12), from the motions of its frames: gap, rate of the gap, normal force,
    normal, place, and the force, all for the force on b."""
    first, second = (b, a) if place.swapped else (a, b)
    found = []
    for row in place.rows:
        out = np.zeros((len(a), COLUMNS))
        _history(np.array(row), np.ascontiguousarray(first), np.ascontiguousarray(second), np.zeros(WORK), out)
        if place.swapped:
            out[:, 3:6] *= -1.0
            out[:, 9:12] *= -1.0
        found.append(out)
    return found


@compiled
def _history(row, a, b, work, out):
    for i in range(out.shape[0]):
        x, y = a[i], b[i]
        see(row, work, vector_in(x, 0), (x[3], x[4], x[5], x[6]), vector_in(y, 0), (y[3], y[4], y[5], y[6]))
        touch(row, work, vector_in(x, 7), vector_in(x, 10), vector_in(y, 7), vector_in(y, 10))
        n = vector_in(work, NORMAL)
        out[i, 0] = work[GAP]
        out[i, 1] = dot(n, vector_in(work, VELOCITY))
        out[i, 2] = work[PUSH]
        put(out[i], 3, n)
        put(out[i], 6, vector_in(work, PLACE))
        put(out[i], 9, vector_in(work, FORCE))


# -- how it is drawn -------------------------------------------------------------------------------------------------

_TURN = np.linspace(0.0, 2.0 * np.pi, 49)


def on_ground(motion: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points (p, 3) in the axes of a frame, at its places: (k, p, 3)."""
    e0, e = motion[:, 3, None, None], motion[:, None, 4:7]
    x = np.cross(e, points[None])
    return np.asarray(motion[:, None, :3] + points + 2.0 * (e0 * x + np.cross(e, x)))


def outlines(stands: Stands, own: np.ndarray, other: np.ndarray, dimension: int, room: float) -> list[np.ndarray]:
    """Lines (p, 3) that show a shape, in the axes of its frame; a half-space as far as the other body comes, and by
    `room` [m] further."""
    if stands.what == "half-space":
        return [_ground(stands, own, other, dimension, room)]
    if stands.points is not None:
        return [np.concatenate([stands.points, stands.points[:1]])] if dimension == 2 else []
    if stands.radius == 0.0:
        return []
    circle = stands.radius * np.stack([np.cos(_TURN), np.sin(_TURN), 0.0 * _TURN], axis=1)
    if stands.what == "cylinder":
        ring = stands.point + circle[:, :2] @ np.array(across(stands.direction))
        return [ring + side * stands.half * stands.direction for side in (-1.0, 1.0)]
    rings = [circle] if dimension == 2 else [np.roll(circle, k, axis=1) for k in range(3)]
    mark = [np.array([[0.0, 0.0, 0.0], [stands.radius, 0.0, 0.0]])] if stands.what == "ball" and dimension == 2 else []
    return [stands.point + line for line in rings + mark]


def _ground(stands: Stands, own: np.ndarray, other: np.ndarray, dimension: int, room: float) -> np.ndarray:
    """A line, or in space a square, as far as the other body comes along it."""
    n = stands.direction
    along = np.array([[-n[1], n[0], 0.0]] if dimension == 2 else across(n))
    e0, e = own[:, 3:4], -own[:, 4:7]
    d = other[:, :3] - own[:, :3]
    x = np.cross(e, d)
    seen = (d + 2.0 * (e0 * x + np.cross(e, x)) - stands.point) @ along.T
    high, low = np.nanmax(seen, axis=0), np.nanmin(seen, axis=0)
    margin = room + 0.1 * float(np.max(high - low))
    low, high = low - margin, high + margin
    if dimension == 2:
        return stands.point + np.array([low, high]) @ along
    corners = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]], [low[0], low[1]]])
    return stands.point + corners @ along
