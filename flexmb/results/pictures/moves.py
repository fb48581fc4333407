"""From where parts are to where they are shown, outward from what holds them.

A beam is in a loop if its ends are also joined by other parts or by the ground: then both ends stay where they are. Any
other beam is held by the section by which it is reached from the ground (from its start if nothing is fixed), and a
meshed body by the first of its interfaces that is reached; all that is joined to it elsewhere moves along as one rigid
body. Where a loop closes at a place within a beam, or at another interface of a body, the picture gapes. Parts that the
ground does not hold stay with the heaviest body among them if one of them is a meshed body, and that is shown about its
mean frame if it is meshed itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from flexmb.results.meaning import point_of
from flexmb.results.pictures.references import (
    FRAME,
    MEAN,
    Place,
    Poses,
    mesh_of,
    section,
    shown,
    still,
)
from flexmb.results.recorded import Recorded

#: a node by the numbers of its coordinates, all that is fixed as one, or a part that bends by its name
Part = tuple[int, ...] | str
GROUND: Part = ()
#: gaps smaller than this part of the size of a body are not seen
VISIBLE = 1e-3

Joined = dict[Part, list[tuple[Part, Place]]]


@dataclass
class Reference:
    """How a part that bends is shown: the move of what holds it, and the place `held` by which it is, NaN for a beam in
    a loop."""

    carrier: Poses
    held: Place


@dataclass
class Moves:
    """From where parts are to where they are shown: `of_parts` by node, the references of what bends by name, and the
    part from which each was reached last of all, `roots`."""

    of_parts: dict[Part, Poses]
    of_flexible: dict[str, Reference] = field(default_factory=dict)
    roots: dict[Part, Part] = field(default_factory=dict)


def moves(solution: Recorded, factor: float) -> Moves:
    """The moves of all nodes, beams and meshed bodies, outward from the ground."""
    joined = joints_between(solution)
    rest = still(len(solution.t), solution.layout.dimension)
    found = Moves({GROUND: rest}, roots={GROUND: GROUND})
    for first in [GROUND, *joined]:
        root = first
        if first != GROUND:
            if first in found.roots:
                continue
            root = _heaviest(solution, joined, first)
        if isinstance(root, str):
            start: Place = 0.0 if mesh_of(solution, root) is None else MEAN
            found.of_flexible[root] = Reference(rest, _held(joined, root, start))
        found.of_parts.setdefault(root, rest)
        found.roots[root] = root
        waiting = deque([root])
        while waiting:
            part = waiting.popleft()
            for other, place in joined.get(part, ()):
                if other in found.of_parts:
                    continue
                found.of_parts[other], found.roots[other] = found.of_parts[part], root
                if isinstance(other, str):  # what bends, reached at a place
                    found.of_flexible[other] = Reference(found.of_parts[part], _held(joined, other, place))
                elif isinstance(part, str):  # what is fastened to it at a place
                    reference = found.of_flexible[part]
                    if not (_is_loop(reference.held) and place in (0.0, 1.0)):
                        at = shown(solution, part, place, reference.held, factor)
                        found.of_parts[other] = reference.carrier @ at @ section(solution, part, place).inverse()
                waiting.append(other)
    return found


def gaps(solution: Recorded, found: Moves, factor: float) -> Iterator[str]:
    """Names of the places at which the picture gapes, at any of the times."""
    for part, others in joints_between(solution).items():
        if not isinstance(part, str):
            continue
        reference, size = found.of_flexible[part], _size(solution, part)
        for other, place in others:
            own = section(solution, part, place)
            at = reference.carrier @ shown(solution, part, place, reference.held, factor)
            apart = at.place - (found.of_parts[other] @ own).place
            if np.max(np.linalg.norm(apart, axis=1)) > VISIBLE * size:
                yield f"{part}.{place}" if isinstance(place, str) else f"{part}@{place:g}"


def joints_between(solution: Recorded) -> Joined:
    """The neighbors of each part, with the place on what bends if one of both does."""
    layout = solution.layout
    joined: Joined = {GROUND: []}

    def join(a: Part, b: Part, place: Place = 0.0) -> None:
        joined.setdefault(a, []).append((b, place))
        joined.setdefault(b, []).append((a, place))

    for frame in (*layout.frames, *layout.spatial):
        if (spot := point_of(layout, frame)) is not None:
            join(spot.beam, node_part(solution, frame), spot.s)
            continue
        body, _, interface = frame.rpartition(".")
        if frame in layout.bodies and mesh_of(solution, frame) is not None:
            join(frame, node_part(solution, frame), FRAME)
        elif body in layout.bodies and mesh_of(solution, body) is not None:
            join(body, node_part(solution, frame), interface)
    for name, pair in layout.pairs.items():
        a, b = (node_part(solution, frame) for frame in (pair.a, pair.b))
        if layout.rows_of(name) and layout.has_reaction(name) and a != b:
            join(a, b)
    return joined


def node_part(solution: Recorded, frame: str) -> Part:
    """The node of a frame among the parts."""
    layout = solution.layout
    return GROUND if layout.is_fixed(frame) else layout.node_of(frame)


def _heaviest(solution: Recorded, joined: Joined, first: Part) -> Part:
    """The part that stays where it is, of all that is joined to one, and not to the ground."""
    among, waiting = {first}, [first]
    while waiting:
        for other, _ in joined[waiting.pop()]:
            if other not in among:
                among.add(other)
                waiting.append(other)
    layout = solution.layout
    parts: dict[Part, float] = {}
    for name, body in layout.bodies.items():
        part: Part = node_part(solution, body.frame) if body.mesh is None else name
        if part in among:
            parts[part] = parts.get(part, 0.0) + body.mass
    if not any(isinstance(part, str) for part in parts):
        return first
    return max(parts, key=lambda part: parts[part])


def _held(joined: Joined, part: str, place: Place) -> Place:
    """The place by which a part is held that is reached at one; NaN for a beam that is in a loop."""
    if isinstance(place, str):
        return place
    seen: dict[Part, int] = {part: -1}
    for number, (first, _) in enumerate(joined[part]):
        if first in seen:
            return np.nan
        waiting = [first]
        while waiting:
            other = waiting.pop()
            if other not in seen:
                seen[other] = number
                waiting += [one for one, _ in joined[other] if one not in seen]
    return place


def _is_loop(held: Place) -> bool:
    return isinstance(held, float) and bool(np.isnan(held))


def _size(solution: Recorded, part: str) -> float:
    """The size [m] of a part that bends."""
    mesh = mesh_of(solution, part)
    if mesh is not None:
        return float(np.max(np.ptp(mesh.nodes, axis=0)))
    ends = [section(solution, part, end).place[0] for end in (0.0, 1.0)]
    return solution.layout.beams[part].length or float(np.linalg.norm(ends[1] - ends[0]))
