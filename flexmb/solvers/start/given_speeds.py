"""The initial speeds that a user gave, as linear equations J v = w.

For a frame on a node n with the arm s, in ground axes:

    ṙ = ṙ_n + ω × s,    and as an observer on another frame a sees it,  ṙ − ṙ_a − ω_a × (r − r_a),   ω − ω_a

A given speed of zero counts as well: a robot with all rates given as zero starts rigid on a base that a drive moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy

from flexmb.kernels.rotations import turned
from flexmb.model.frames import Frame, GivenMotion, Node, rotation
from flexmb.model.orientations import rotation_of
from flexmb.solvers.rows.left_out import AT_REST
from flexmb.system.motions import MOST_NAMED
from flexmb.system.numbering import length_scale, widest
from flexmb.system.system import System

#: Changes of a given speed by more than this part of it are reported; the round-off of numbers typed by hand is
#: smaller.
NOTICEABLE_SPEED = 1e-3

_UNITS = {"length": "m/s", "angle": "rad/s"}


class Asked(NamedTuple):
    """One given velocity: its name in messages, its unit, the names of its components (none if it is one vector), the
    slice of its rows in J, and their values."""

    called: str
    unit: str
    parts: tuple[str, ...]
    rows: slice
    values: np.ndarray


class GivenSpeeds:
    """The matrix J (k, n) and the values w (k,) of the speeds given in a model, at the position q; `scale` (k,): scales
    of their errors. Speeds of places are measured by the largest distance in the model, so that those that contradict
    each other are compromised alike in any axes."""

    def __init__(self, system: System, q: np.ndarray) -> None:
        self.system, self.q = system, q
        self.length = length_scale(system.model, system.assembly.free, system.assembly.fixed, widest)
        self.asked: list[Asked] = []
        self._blocks: list[tuple[np.ndarray, np.ndarray]] = []  # indices (c,) of speeds, and the matrix (r, c) for them
        self._scales: list[float] = []
        for _, node in system.assembly.nodes.values():
            if node.fixed:
                continue
            if isinstance(node.given, GivenMotion):
                self._add_motion(node, node.given)
            elif node.given:
                self._add_speeds(system.assembly.node_numbers(node).v)
        self._add_speeds(np.array(system.assembly.given, dtype=np.int64))
        self.w = np.concatenate([np.zeros(0), *(x.values for x in self.asked)])
        self.scale = np.array(self._scales)

    @cached_property
    def J(self) -> scipy.sparse.csr_array:
        """The matrix J (k, n)."""
        if not self._blocks:
            return scipy.sparse.csr_array((0, self.system.n))
        entries = [(rows.ravel(), np.tile(numbers, len(rows))) for numbers, rows in self._blocks]
        at = np.repeat(np.arange(len(self.w)), [len(numbers) for numbers, rows in self._blocks for _ in rows])
        values, columns = (np.concatenate(x) for x in zip(*entries))
        free = columns < self.system.n
        return scipy.sparse.csr_array((values[free], (at[free], columns[free])), shape=(len(self.w), self.system.n))

    def changes(self, v: np.ndarray) -> list[str]:
        """For each given speed that the speeds v (n,) do not keep, a few words, the largest change first; changes of a
        given zero are compared with the fastest motion."""
        got, system = self.J @ v, self.system
        fastest = float(np.max(np.abs(np.concatenate([v, system.v0])) / np.tile(system.scale, 2), initial=0.0))
        found: list[tuple[float, str]] = []
        for asked in self.asked:
            now, scale = got[asked.rows], self.scale[asked.rows]
            for name, given, is_now, unit_scale in _numbers(asked, now, scale):
                change, size = abs(is_now - given) / unit_scale, abs(given) / unit_scale
                if change > NOTICEABLE_SPEED * (size or fastest):
                    is_now = is_now if abs(is_now) / unit_scale > AT_REST * fastest else 0.0
                    said = f"{name} was given {given:.4g} {asked.unit} and starts with {is_now:.4g} {asked.unit}"
                    found.append((change, said))
        return [said for _, said in sorted(found, key=lambda x: -x[0])]

    def _add_speeds(self, numbers: np.ndarray) -> None:
        """Add rows for speeds that are entries of v."""
        system = self.system
        for k in np.atleast_1d(numbers).tolist():
            unit = _UNITS.get(measure := system.assembly.free.measures[k], "1/s")
            scale = self.length if measure == "length" and k not in system.assembly.free.scales else system.scale[k]
            own = [(np.array([k]), np.ones((1, 1)))]
            self._put(f"{system.names[k]!r}", unit, (), own, system.v0[[k]], scale)

    def _add_motion(self, node: Node, given: GivenMotion) -> None:
        """Add rows for the motion of a frame, in ground axes."""
        system, frame, against = self.system, given.frame, given.against
        place, arm = self._place(frame)
        by_v, by_omega = self._rows(node, arm)
        own = system.assembly.node_numbers(node).v
        parts_v, parts_omega, axes = [(own, by_v)], [(own, by_omega)], None
        if against is not None:
            axes = self._axes(against)
            if not against.node.fixed:
                other = system.assembly.node_numbers(against.node).v
                of_node, _ = self._place(against, offset=False)
                carried, turning = self._rows(against.node, place - of_node)
                parts_v.append((other, -carried))
                parts_omega.append((other, -turning))
        names = ("x", "y", "angle") if system.model.dimension == 2 else ("x", "y", "z", "wx", "wy", "wz")
        d = system.model.dimension
        for value, parts, tags, unit, scale in (
            (given.velocity, parts_v, names[:d], "m/s", self.length),
            (given.angular_velocity, parts_omega, names[d:], "rad/s", 1.0),
        ):
            if value is None:
                continue
            x = np.atleast_1d(np.asarray(value, dtype=float))
            if axes is not None and len(x) > 1:
                x = axes @ x
            text = given.called if against is not None else f"{given.called!r}"
            self._put(text, unit, () if against is not None else tags, parts, x, scale, given.called)

    def _put(
        self, text: str, unit: str, tags: tuple[str, ...], parts: list[Any], values: np.ndarray, scale: float,
        called: str = "",
    ) -> None:  # fmt: skip
        first = len(self._scales)
        names = tuple(repr(f"{called}.{tag}") for tag in tags)
        self.asked.append(Asked(text, unit, names, slice(first, first + len(values)), np.asarray(values, dtype=float)))
        self._scales += [float(scale)] * len(values)
        self._blocks.append((np.concatenate([numbers for numbers, _ in parts]), np.hstack([rows for _, rows in parts])))

    def _place(self, frame: Frame, offset: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """The position of a frame, or of its node, and its arm from the node, in ground axes."""
        d = self.system.model.dimension
        coordinates = self._coordinates(frame.node)
        if d == 2:
            arm = rotation(float(coordinates[2])) @ frame.offset
        else:
            arm = np.array(turned(tuple(coordinates[3:].tolist()), tuple(np.asarray(frame.offset).tolist())))
        return coordinates[:d] + (arm if offset else 0.0), arm

    def _coordinates(self, node: Node) -> np.ndarray:
        """The coordinates of a node."""
        if node.fixed:
            return np.array(node.coordinates()[0])
        return self.q[self.system.assembly.node_numbers(node).q]

    def _axes(self, frame: Any) -> np.ndarray:
        """The axes of a frame, as columns in ground axes."""
        coordinates = self._coordinates(frame.node)
        if self.system.model.dimension == 2:
            return rotation(float(coordinates[2]) + frame.offset_angle)
        return np.asarray((rotation_of(coordinates[3:]) * rotation_of(frame.axes)).as_matrix())

    def _rows(self, node: Node, arm: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Matrices that give the velocity of a point with an arm from a node, and the angular velocity, from the speeds
        of the node."""
        if self.system.model.dimension == 2:
            return np.array([[1.0, 0.0, -arm[1]], [0.0, 1.0, arm[0]]]), np.array([[0.0, 0.0, 1.0]])
        R = rotation_of(self._coordinates(node)[3:]).as_matrix()
        across = np.cross(R.T, arm).T  # columns ω_k × s
        return np.hstack([np.eye(3), across]), np.hstack([np.zeros((3, 3)), R])


def unkept_speeds(system: System, q: np.ndarray, v: np.ndarray) -> list[str]:
    """The doubt about a start with speeds v (n,): a sentence that names the given speeds that are not kept, if any."""
    changes = GivenSpeeds(system, q).changes(v)
    return [f"at the start, speeds that were given are not kept: {listed(changes)}"] if changes else []


def listed(changes: list[str]) -> str:
    """The largest changes, and the number of the others, as text."""
    more = f"; and {len(changes) - MOST_NAMED} more" if len(changes) > MOST_NAMED else ""
    return "; ".join(changes[:MOST_NAMED]) + more


def _numbers(asked: Asked, now: np.ndarray, scale: np.ndarray) -> Iterator[tuple[str, float, float, float]]:
    """Components of a velocity, each with its name, the given value, the present value, and the scale; a vector without
    named components has one along its given direction (if that is zero, along the present one), and one across it."""
    if asked.parts or len(now) == 1:
        yield from zip(asked.parts or (asked.called,), asked.values.tolist(), now.tolist(), scale.tolist())
        return
    along = asked.values if np.any(asked.values) else now
    size = float(np.linalg.norm(along))
    if size > 0.0:
        e = along / size
        rest = float(np.linalg.norm(now - (now @ e) * e))
        yield asked.called, float(asked.values @ e), float(now @ e), float(scale[0])
        if rest > 0.0:
            yield f"{asked.called} across that", 0.0, rest, float(scale[0])
