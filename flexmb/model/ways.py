"""How the frames of a joint may move against each other: motions, one behind the other, from its axes on a to those
on b.

    pose of the axes on b = (pose of the axes on a) ∘ Z₁ ∘ motion₁(x₁) ∘ Z₂ ∘ motion₂(x₂) …

Zₖ is the constant pose of the axes of a motion in what comes before it. A hinge is one turn, a cylindrical joint a
slide and a turn about the same axis, a universal joint two turns about skew axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.kernels.rotations import inverse, product, turned

#: kinds of motion: none; a turn about z, a slide along z, both of them by a pitch; about a point; any
FIXED, TURN, SLIDE, SCREW, BALL, FREE = range(6)
#: how many numbers each has in positions and in speeds
POSITIONS, SPEEDS = (0, 1, 1, 1, 4, 7), (0, 1, 1, 1, 3, 6)

#: an axis this near to those about which a joint turns [rad] is one of them
SMALL = 1e-9

Quaternion = tuple[float, ...]
NO_TURN: Quaternion = (1.0, 0.0, 0.0, 0.0)
ORIGIN: tuple[float, ...] = (0.0, 0.0, 0.0)
#: unit quaternions to axes whose z is what was x, and whose z is what was y; and to z the other way round
Z_ALONG_X: Quaternion = (0.5, 0.5, 0.5, 0.5)
Z_ALONG_Y: Quaternion = (0.5, -0.5, -0.5, -0.5)
TURNED_OVER: Quaternion = (0.0, 1.0, 0.0, 0.0)
_Z_ALONG = (Z_ALONG_X, Z_ALONG_Y, NO_TURN)


@dataclass(frozen=True)
class Motion:
    """A primitive motion: its kind; the unit quaternion (4,) from its axes to those of what comes before, and its
    origin (3,) [m] there; its pitch [m/rad], of a screw; what its coordinate is called; and the coordinate of the
    mechanism with the same value, if the joint has one of its own."""

    kind: int
    axes: Quaternion = NO_TURN
    place: tuple[float, ...] = ORIGIN
    pitch: float = 0.0
    name: str = ""
    own: str = ""


@dataclass(frozen=True)
class Ways:
    """The motions of a joint; its axes, as unit quaternions (4,), and its origins (3,) [m] in the axes of the nodes
    under frames a and b. In the plane nodes are bodies that move in z = 0 and turn about z."""

    axes_a: Quaternion
    place_a: tuple[float, ...]
    motions: tuple[Motion, ...]
    axes_b: Quaternion
    place_b: tuple[float, ...]


def about_z(angle: float) -> Quaternion:
    """The unit quaternion of a turn about z by an angle [rad]."""
    return (float(np.cos(0.5 * angle)), 0.0, 0.0, float(np.sin(0.5 * angle)))


def about_y(angle: float) -> Quaternion:
    """The unit quaternion of a turn about y by an angle [rad]."""
    return (float(np.cos(0.5 * angle)), 0.0, float(np.sin(0.5 * angle)), 0.0)


def reversed_ways(ways: Ways) -> Ways:
    """The same joint from b to a. Coordinates of single motions keep their values: axes that are turned over turn and
    slide the other way. Those about a point become those of a against b."""
    motions: list[Motion] = []
    axes, place = NO_TURN, ORIGIN  # of what comes before, in that which came before it, backwards
    for motion in reversed(ways.motions):
        over = motion.kind in (TURN, SLIDE, SCREW)
        before = product(axes, TURNED_OVER) if over else axes
        motions.append(Motion(motion.kind, before, place, motion.pitch, motion.name, motion.own))
        # behind the motion: back over, then the inverse of its constant pose
        axes, place = _behind(motion, over)
    return Ways(ways.axes_b, ways.place_b, _closed(motions, axes, place), ways.axes_a, ways.place_a)


def turns_about(ways: Ways, orientation: Sequence[float], axis: np.ndarray) -> bool:
    """Whether the joint leaves its frames free at the start to turn against each other about an axis (3,), in axes of
    the ground; given the orientation (4,) of the node under frame a."""
    axes, free = product(tuple(orientation), ways.axes_a), np.zeros((0, 3))
    for motion in ways.motions:
        axes = product(axes, motion.axes)
        if motion.kind in (BALL, FREE):
            return True
        if motion.kind in (TURN, SCREW):
            free = np.vstack([free, turned(axes, (0.0, 0.0, 1.0))])
    left = axis - free.T @ np.linalg.lstsq(free.T, axis, rcond=None)[0] if len(free) else axis
    return bool(np.linalg.norm(left) < SMALL)


def by_angles(ways: Ways, axes: Sequence[int]) -> Ways:
    """The same joint with three turns in place of each motion about a point, Euler angles about axes (0, 1, 2 for x, y,
    z) that turn along; and of a free motion with three slides before them."""
    motions: list[Motion] = []
    for motion in ways.motions:
        if motion.kind not in (BALL, FREE):
            motions.append(motion)
            continue
        before, place = motion.axes, motion.place
        if motion.kind == FREE:
            for name in "xyz":
                motions.append(Motion(SLIDE, product(before, Z_ALONG_X), place, name=name))
                before, place = NO_TURN, ORIGIN
        for k, axis in enumerate(axes):
            to = product(before, _Z_ALONG[axis])
            motions.append(Motion(TURN, to, place, name=f"angle{k + 1}"))
            before, place = inverse(_Z_ALONG[axis]), ORIGIN
        motions.append(Motion(FIXED, before))
    return Ways(ways.axes_a, ways.place_a, tuple(motions), ways.axes_b, ways.place_b)


def _behind(motion: Motion, over: bool) -> tuple[Quaternion, tuple[float, ...]]:
    back = inverse(motion.axes)
    place = np.negative(turned(back, motion.place))
    if over:
        back = product(TURNED_OVER, back)  # turned over twice is a whole turn
        place = np.array(turned(TURNED_OVER, tuple(place.tolist())))
    return back, tuple(place.tolist())


def _closed(motions: Sequence[Motion], axes: Quaternion, place: tuple[float, ...]) -> tuple[Motion, ...]:
    """Motions with the constant pose that is left behind the last one, as a fixed motion where there is any."""
    if np.allclose(np.abs(axes), NO_TURN, rtol=0.0, atol=1e-15) and not any(place):
        return tuple(motions)
    return (*motions, Motion(FIXED, axes, place))
