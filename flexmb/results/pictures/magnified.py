"""Deformations of beams, shown so many times as large as they are.

The section at s of a beam has the place r and the orientation R. Its reference is a rigid one:

    held at s₀:  r̂ = r₀ + (s − s₀) L R₀ e_x,  R̂ = R₀;    in a loop:  r̂ = r_a + s (r_b − r_a),  R̂ e_x along r_b − r_a

and of a curved beam its undeformed shape, in place of the straight line. It is shown at r̂ + m (r − r̂), turned by m
times the angle of R̂ᵀ R from R̂. A beam is in a loop if its ends are also joined by other parts or by the ground: then
both ends stay where they are. Any other beam is held by the section s₀ by which it is reached from the ground (from its
start if nothing is fixed), and all that is joined to it elsewhere moves along as one rigid body. Where a loop closes at
a place within a beam, the picture gapes there.
"""

from __future__ import annotations

import copy
from collections import deque
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.orientations import rotation_of, scalar_first
from flexmb.results import names
from flexmb.results.meaning import point_of
from flexmb.results.recorded import Recorded

#: ends of an undeformed beam nearer to each other than this part of its length have no chord
CLOSED = 1e-9
#: a node by the numbers of its coordinates, all that is fixed as one, or a beam by its name
Part = tuple[int, ...] | str
GROUND: Part = ()


class Poses(NamedTuple):
    """Places (k, d) [m] and orientations at k times; in the plane the orientations are turns about z."""

    place: np.ndarray
    turn: Rotation

    def __matmul__(self, other: Poses) -> Poses:
        """Poses `other` that are given in the axes of these."""
        return Poses(self.place + self.turned(other.place), self.turn * other.turn)

    def turned(self, vectors: np.ndarray) -> np.ndarray:
        """Vectors (k, d) from the axes of the poses to those of the ground."""
        d = vectors.shape[1]
        return np.asarray(np.einsum("kij,kj->ki", self.turn.as_matrix()[:, :d, :d], vectors))

    def inverse(self) -> Poses:
        """The ground as seen from the poses."""
        back = Poses(np.zeros_like(self.place), self.turn.inv())
        return Poses(-back.turned(self.place), back.turn)


def checked_factor(magnify: Any, solution: Recorded) -> float:
    """The factor of deformations that a user gave."""
    factor = checks.positive(magnify, "magnify", f"picture of {solution.where}")
    if factor != 1.0 and not solution.layout.beams:
        raise ModelError(
            f"picture of {solution.where}: magnify shows deformations of beams larger, and the model has no beam; "
            "leave it out"
        )
    return factor


def with_factor(title: str, factor: float) -> str:
    """A title that says by how much deformations are magnified.

    >>> with_factor("blade", 50.0), with_factor("blade", 1.0)
    ('blade, deformation × 50', 'blade')
    """
    return title if factor == 1.0 else f"{title}, deformation × {factor:g}".removeprefix(", ")


def magnified(solution: Any, factor: float) -> Any:
    """A solution in whose pictures deformations are `factor` times as large. Its rates, forces and energies are those
    of the run."""
    if factor == 1.0:
        return solution
    moves = _moves(solution, factor)
    shown = copy.copy(solution)
    shown.q = solution.q.copy()
    layout = solution.layout
    for frame in (*layout.frames, *layout.spatial):
        numbers = layout.node_of(frame)
        if not layout.is_fixed(frame) and (move := moves.of_parts.get(numbers)) is not None:
            shown.q[:, numbers] = _numbers(move @ _node(solution, frame), solution.q[:, numbers])
    shown.source = _Magnified(solution, moves, factor)
    return shown


@dataclass
class _Reference:
    """How a beam is shown: the move of what holds it, and the section `held` by which it is, NaN in a loop."""

    carrier: Poses
    held: float


@dataclass
class _Moves:
    """From where parts are to where they are shown: `of_parts` by node, and the references of beams by name."""

    of_parts: dict[Part, Poses]
    of_beams: dict[str, _Reference]


def _moves(solution: Recorded, factor: float) -> _Moves:
    """The moves of all nodes and beams, outward from the ground."""
    joined = _joined(solution)
    k, d = len(solution.t), solution.layout.dimension
    still = Poses(np.zeros((k, d)), Rotation.identity(k))
    found = _Moves({GROUND: still}, {})
    for root in [GROUND, *joined]:
        if root != GROUND and (root in found.of_parts or root in found.of_beams):
            continue
        if isinstance(root, str):
            found.of_beams[root] = _Reference(still, _held(joined, root, 0.0))
        found.of_parts.setdefault(root, still)
        waiting = deque([root])
        while waiting:
            part = waiting.popleft()
            for other, s in joined.get(part, ()):
                if other in found.of_parts:
                    continue
                found.of_parts[other] = found.of_parts[part]
                if isinstance(other, str):  # a beam, reached at s
                    found.of_beams[other] = _Reference(found.of_parts[part], _held(joined, other, s))
                elif isinstance(part, str):  # what is fastened to a beam at s
                    reference = found.of_beams[part]
                    if not (np.isnan(reference.held) and s in (0.0, 1.0)):
                        section = _section(solution, part, s)
                        shown = _shown(solution, part, s, reference.held, factor)
                        found.of_parts[other] = reference.carrier @ shown @ section.inverse()
                waiting.append(other)
    return found


def _joined(solution: Recorded) -> dict[Part, list[tuple[Part, float]]]:
    """What each part is joined to, with the place s along a beam if one of both is a beam."""
    layout = solution.layout
    joined: dict[Part, list[tuple[Part, float]]] = {GROUND: []}

    def join(a: Part, b: Part, s: float = 0.0) -> None:
        joined.setdefault(a, []).append((b, s))
        joined.setdefault(b, []).append((a, s))

    def node(frame: str) -> Part:
        return GROUND if layout.is_fixed(frame) else layout.node_of(frame)

    for frame in (*layout.frames, *layout.spatial):
        if (spot := point_of(layout, frame)) is not None:
            join(spot.beam, node(frame), spot.s)
    for name, pair in layout.pairs.items():
        if layout.rows_of(name) and layout.has_reaction(name) and node(pair.a) != node(pair.b):
            join(node(pair.a), node(pair.b))
    return joined


def _held(joined: dict[Part, list[tuple[Part, float]]], beam: str, s: float) -> float:
    """The section by which a beam is held that is reached at s; NaN if it is in a loop."""
    seen: dict[Part, int] = {beam: -1}
    for number, (first, _) in enumerate(joined[beam]):
        if first in seen:
            return np.nan
        waiting = [first]
        while waiting:
            part = waiting.pop()
            if part not in seen:
                seen[part] = number
                waiting += [other for other, _ in joined[part] if other not in seen]
    return s


def _node(solution: Recorded, frame: str) -> Poses:
    """The poses of the node that carries a frame."""
    return _poses(names.node_motion(solution, frame)[0])


def _poses(rows: np.ndarray) -> Poses:
    """Poses from rows (k, 3) of x, y and angle, or (k, 7) of a place and a quaternion."""
    if rows.shape[1] == 7:
        return Poses(rows[:, 0:3], rotation_of(rows[:, 3:7]))
    return Poses(rows[:, 0:2], Rotation.from_rotvec(rows[:, 2:3] * [0.0, 0.0, 1.0]))


def _numbers(poses: Poses, rows: np.ndarray) -> np.ndarray:
    """Poses as rows like those that are given; angles of the plane are nearest to them."""
    if rows.shape[1] == 7:
        return np.column_stack([poses.place, scalar_first(poses.turn)])
    more = (poses.turn * _poses(rows).turn.inv()).as_rotvec()[:, 2]
    return np.column_stack([poses.place, rows[:, 2] + more])


def _section(solution: Recorded, beam: str, s: float) -> Poses:
    """The poses of the section at s of a beam."""
    return _poses(solution.source.point(solution, beam, s)[:, : solution.layout.widths.orientation.stop])


def _shown(solution: Recorded, beam: str, s: float, held: float, factor: float) -> Poses:
    """The poses at which the section at s of a beam is shown that is held by a section, or is in a loop."""
    section = _section(solution, beam, s)
    start = _section(solution, beam, 0.0 if np.isnan(held) else held)
    along = _undeformed(solution, beam, s, 0.0 if np.isnan(held) else held)
    if np.isnan(held):
        chord, whole = _section(solution, beam, 1.0).place - start.place, _undeformed(solution, beam, 1.0, 0.0).place
        far = np.linalg.norm(whole, axis=1, keepdims=True)
        if np.min(far) > CLOSED * (solution.layout.beams[beam].length or 1.0):  # a ring has no chord
            along = Poses(along.place * np.linalg.norm(chord, axis=1, keepdims=True) / far, along.turn)
            start = Poses(start.place, _turn_onto(start.turned(whole), chord) * start.turn)
    own = start.inverse() @ section
    bent = (along.turn.inv() * own.turn).as_rotvec()
    deformed = Poses(along.place + factor * (own.place - along.place), along.turn * Rotation.from_rotvec(factor * bent))
    return start @ deformed


def _undeformed(solution: Recorded, beam: str, s: float, first: float) -> Poses:
    """The poses of the section at s of an undeformed beam in the axes of the section `first`."""
    k, d, place = len(solution.t), solution.layout.dimension, solution.layout.beams[beam]
    if not place.curved:
        along = np.zeros((k, d))
        ends = [_section(solution, beam, end).place[0] for end in (0.0, 1.0)]
        along[:, 0] = (s - first) * (place.length or float(np.linalg.norm(ends[1] - ends[0])))
        return Poses(along, Rotation.identity(k))
    if solution.model is None:
        raise ModelError(
            f"picture of {solution.where}: a file does not hold the undeformed shape of beam {beam!r}, which is "
            "curved; leave magnify out, or run the model again"
        )
    component: Any = solution.model.components[beam]
    own, other = (_poses(np.tile(np.concatenate(component.undeformed_at(z)), (k, 1))) for z in (s, first))
    return other.inverse() @ own


def _turn_onto(given: np.ndarray, chord: np.ndarray) -> Rotation:
    """The least turn that brings vectors (k, d) onto directions (k, d)."""
    first = np.zeros((len(given), 3))
    first[:, : given.shape[1]] = given / np.maximum(np.linalg.norm(given, axis=1, keepdims=True), 1e-300)
    wanted = np.zeros_like(first)
    wanted[:, : chord.shape[1]] = chord / np.maximum(np.linalg.norm(chord, axis=1, keepdims=True), 1e-300)
    across = np.cross(first, wanted)
    sine = np.linalg.norm(across, axis=1, keepdims=True)
    angle = np.arctan2(sine, np.sum(first * wanted, axis=1, keepdims=True))
    return Rotation.from_rotvec(across * np.where(sine > 0.0, angle / np.where(sine > 0.0, sine, 1.0), 1.0))


class _Magnified:
    """The source of a solution whose deformations are shown larger: points of beams are where they are shown, all else
    is that of the run."""

    def __init__(self, solution: Recorded, moves: _Moves, factor: float) -> None:
        self._run, self._moves, self._factor = solution, moves, factor

    def places(self, beam: str, points: int) -> np.ndarray:
        return np.asarray(self._run.source.places(beam, points))

    def point(self, solution: Recorded, beam: str, s: float) -> np.ndarray:
        rows = self._run.source.point(self._run, beam, s).copy()
        reference, place = self._moves.of_beams.get(beam), slice(0, self._run.layout.widths.orientation.stop)
        if reference is not None:
            shown = reference.carrier @ _shown(self._run, beam, s, reference.held, self._factor)
            rows[:, place] = _numbers(shown, rows[:, place])
        return np.asarray(rows)

    def __getattr__(self, name: str) -> Any:
        """What the source of the run answers, asked of the run."""
        asked = getattr(self.__dict__["_run"].source, name)
        return (lambda _, *given: asked(self._run, *given)) if callable(asked) else asked
