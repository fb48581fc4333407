"""Contacts among many round bodies, of which any two may touch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import scipy

from flexmb.errors import ModelError
from flexmb.forces.contact import KERNELS, LARGEST_OVERLAP, motion_of, on_ground, outlines
from flexmb.forces.contact_force import KIND, ON_A, ON_B, RADIUS_A, RADIUS_B, STIFFNESS, WIDTH, WORK
from flexmb.forces.contact_geometry import BALL_BALL
from flexmb.forces.contact_law import OneSided, checked_friction, friction_numbers, rubs
from flexmb.joints.friction import JointFriction
from flexmb.model import checks
from flexmb.model.appearance import ShownMotion
from flexmb.model.components import Assembler
from flexmb.model.doubted import Assembled, Doubt
from flexmb.model.frames import Frame
from flexmb.model.geometry.contact_shapes import ContactShape, Stands, standing
from flexmb.model.handed_over import Search
from flexmb.model.spatial_frames import looks_like

#: of the mean radius: how near bodies are kept in the list, and how far one may go in a step
MARGIN, STRIDE = 0.5, 0.1
#: nearer than this, in the same unit, is about to touch
ALMOST = 1e-3
#: room for so many pairs for each body: equal balls have 6 that touch, equal disks 3, and some more are near
PAIRS_IN_SPACE, PAIRS_IN_THE_PLANE = 12, 8


@dataclass(eq=False)
class ContactAmong(OneSided):
    """Disks in the plane, or balls in space, of which any two may touch, found by a search: a step costs a time in
    proportion to their number, where each has few that are near. The force between two is that of
    :class:`~flexmb.forces.contact.Contact`.

    The search is by cells as large as the largest body, so sizes should not differ by more than a few times. Steps that
    follow their error are so short that none moves by more than a tenth of the mean radius. An implicit method has the
    net of all that touch in its matrix, whose factors fill where bodies are packed, in space above all; take "dop853"
    for such.

    Arguments: `bodies`, a list of frames, one of each body; `shapes`, a :class:`flexmb.Disk`, in space a
    :class:`flexmb.Sphere`, for all of them or a list of one for each; `stiffness` … `friction` as of a contact; `room`
    for so many pairs that are near each other at one time, 8 for each disk when not given (12 for each ball in space).

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> disks = [m.add_body(f"disk {k}", mass=1.0, inertia=5e-3, position=(0.19 * k, 0)) for k in range(5)]
    >>> heap = m.contact_among([body.frame for body in disks], fm.Disk(diameter=0.2), stiffness=1e6, name="heap")
    >>> system = fm.System(m)
    >>> float(system.energy(0.0, system.q0, system.v0)[1].round(6))  # four pairs touch: 4 k δ^2.5/2.5
    16.0
    """

    bodies: Sequence[Any]
    shapes: ContactShape | Sequence[ContactShape]
    _: KW_ONLY
    friction: float | JointFriction | None = None
    room: int | None = None
    dimension = None
    kind = "contacts"

    def frames(self) -> list[Frame]:
        return checks.listed(self.bodies, "bodies", self.where)

    def check(self) -> None:
        super().check()
        if isinstance(self.bodies, str) or not isinstance(self.bodies, Sequence) or len(self.bodies) < 2:
            raise ModelError(f"{self.where}: bodies is {checks.brief(self.bodies)}; give a list of two frames or more")
        for frame in self.bodies:
            if frame.node.fixed:
                raise ModelError(
                    f"{self.where}: frame {frame.name!r} is fixed in space; a floor or a wall touches each of the "
                    "bodies by a contact of its own"
                )
        seen: dict[int, str] = {}
        for frame in self.bodies:
            if id(frame.node) in seen:
                raise ModelError(
                    f"{self.where}: frames {seen[id(frame.node)]!r} and {frame.name!r} are parts of the same body; "
                    "give one frame of each body"
                )
            seen[id(frame.node)] = frame.name
        self.friction = checked_friction(self.friction, self.where)
        if self.room is not None:
            self.room = checks.count(self.room, "room", self.where, least=1)
        self.balls()

    def twists(self, node: Any, axis: np.ndarray) -> bool:
        if not super().twists(node, axis) or node is None:
            return False
        return rubs(self.friction, self.where) or any(
            node.is_lever(frame.arm + frame.on_node(ball.point), axis)
            for frame, ball in zip(self.bodies, self.balls())
            if frame.node is node
        )

    def balls(self) -> list[Stands]:
        """The shape of each body as contacts compute with it."""
        many = isinstance(self.shapes, Sequence) and not isinstance(self.shapes, str)
        given = list(self.shapes) if many else [self.shapes]  # type: ignore[arg-type]
        if many and len(given) != len(self.bodies):
            raise ModelError(
                f"{self.where}: {len(given)} shapes for {len(self.bodies)} bodies; give one for all, or one for each"
            )
        found = []
        for shape in given:
            stands = standing(shape, self.stands_in, "shapes", self.where)
            if stands.what != "ball" or stands.radius == 0.0:
                what = "point" if stands.what == "ball" else stands.what
                raise ModelError(
                    f"{self.where}: a {what} is among its shapes; it knows balls (Sphere, in the plane Disk); let "
                    "other shapes touch by contacts of two frames"
                )
            found.append(stands)
        return found if many else found * len(self.bodies)

    def numbers_of_bodies(self) -> np.ndarray:
        """The middle, in the axes of the node, and the radius of each body (N, 4) [m]."""
        places = [(frame.arm + frame.on_node(ball.point)).tolist() for frame, ball in zip(self.bodies, self.balls())]
        return np.array([[*place, ball.radius] for place, ball in zip(places, self.balls())])

    @property
    def most_pairs(self) -> int:
        """For how many pairs there is room."""
        bodies, each = len(self.bodies), PAIRS_IN_SPACE if self.stands_in == 3 else PAIRS_IN_THE_PLANE
        return min(self.room or each * bodies, bodies * (bodies - 1) // 2)

    def assemble(self, assembly: Assembler) -> None:
        own, common = self.numbers_of_bodies(), np.zeros(WIDTH)
        common[KIND] = BALL_BALL
        common[STIFFNESS:] = [*self.law(), *friction_numbers(checked_friction(self.friction, self.where))]
        nodes = [frame.node for frame in self.bodies]
        at = np.array([*range(ON_A, ON_A + 3), RADIUS_A]), np.array([*range(ON_B, ON_B + 3), RADIUS_B])
        count, room = len(nodes), self.most_pairs
        # where there is room for all pairs, all of them are near, and stay so
        size = math.inf if room == count * (count - 1) // 2 else float(np.mean(own[:, 3]))
        sizes = {"margin": MARGIN * size, "stride": STRIDE * size, "room": room, "work": WORK}
        assembly.search(Search(self, KERNELS[self.stands_in], nodes, reach_of(own), own, at, common, **sizes))  # type: ignore[arg-type]

    def doubts(self, system: Assembled, q: np.ndarray) -> list[Doubt]:
        """A warning if two bodies overlap by a large part of the smaller radius."""
        radii = np.array([ball.radius for ball in self.balls()])
        parts, depths = system.deepest(self.name, q, radii)
        if np.max(parts, initial=0.0) <= LARGEST_OVERLAP:
            return []
        text = (
            f"{self.where}: two bodies overlap by up to {np.max(depths):.3g} m, {np.max(parts):.0%} of the smaller "
            "radius, and the law is for small overlaps; take a larger stiffness, or a smaller step"
        )
        return [Doubt(int(np.argmax(parts > LARGEST_OVERLAP)), text)]

    def drawn(self, solution: ShownMotion) -> Sequence[np.ndarray]:
        lines, dimension = [], self.stands_in
        for frame, ball in zip(self.bodies, self.balls()):
            if dimension == 3 and looks_like(frame, "sphere", 2.0 * ball.radius, ball.point):
                continue
            seen = motion_of(solution.track(frame.name))
            lines += [on_ground(seen, own)[..., :dimension] for own in outlines(ball, seen, seen, dimension, 0.0)]
        return lines

    def limit(self, system: Assembled, q: np.ndarray, v: np.ndarray) -> str:
        places = q[system.bodies_of(self.name)[:, : self.stands_in]]
        if not np.all(np.isfinite(places)):
            return ""
        reach = reach_of(self.numbers_of_bodies())
        almost = ALMOST * reach.mean()
        i, j = scipy.spatial.cKDTree(places).query_pairs(2.0 * reach.max() + almost, output_type="ndarray").T
        gaps = np.linalg.norm(places[i] - places[j], axis=1) - reach[i] - reach[j]
        pairs, room = int(np.sum(gaps < almost)), self.most_pairs
        if pairs <= room:
            return ""
        return f"has {pairs} pairs that touch, and room for {room}; give room={math.ceil(1.5 * pairs)}"


def reach_of(own: np.ndarray) -> np.ndarray:
    """Reach (N,) [m] from their nodes of balls with these middles and radii (N, 4)."""
    return np.asarray(np.linalg.norm(own[:, :3], axis=1) + own[:, 3])
