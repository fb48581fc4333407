"""Displacements of beams and meshed bodies: from where points would be if nothing bent, or from where they were.

The rigid picture of a mechanism has its joints as they are, and nothing in it bends: it is the picture magnified by 0
(:mod:`flexmb.results.pictures.references`). Against the ground a point at r is displaced by r − r̂ from its place there.
Against a frame it is displaced from its place in the rigid picture that is moved as a whole so that the frame stands
where it is; against the start, from where it was when the run began.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import given_names
from flexmb.results import names
from flexmb.results.pictures.magnified import Magnified, with_moves
from flexmb.results.pictures.moves import GROUND, Moves, Part, moves, node_part
from flexmb.results.pictures.references import amplitudes, poses_of
from flexmb.results.recorded import Recorded

#: the quantity of a point of a beam or of a mesh that colors it: how far it is from where it would be
DISPLACEMENT = "displacement"
#: what displacements are taken against besides frames
FROM_GROUND, FROM_START = "ground", "start"


@dataclass(frozen=True, eq=False)
class Apart:
    """The displacements a + A X + B u − r₀ (N, d) [m] of the points of a mesh. They are at X, and moved by u, in the
    axes of the body's frame. `shift` is a (k, d), `turn` A and `bends` B (k, d, d). `start`, of which r₀ follows, has
    the amplitudes of the modes, the place and the axes of the frame at the start; r₀ is zero where it is None."""

    shift: np.ndarray
    turn: np.ndarray
    bends: np.ndarray
    start: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None


@dataclass(frozen=True, eq=False)
class Displaced:
    """The thing that displacements are taken `against`: the ground, the start, or a frame by its name; `start`: the
    solution at its first time."""

    against: str
    start: Recorded

    def label(self, what: str = DISPLACEMENT) -> str:
        """The displacement as pictures name it."""
        if self.against == FROM_START:
            return f"{what} since the start"
        return f"{what} against {'the ground' if self.against == FROM_GROUND else self.against}"

    def of_mesh(self, solution: Recorded, body: str) -> Apart:
        """The displacements of a meshed body at the times of a solution."""
        run = _run(solution)
        place, axes = _frame(run, body)
        if self.against == FROM_START:
            mesh = run.layout.bodies[body].mesh
            assert mesh is not None
            first, own = _frame(self.start, body)
            return Apart(place, axes, axes, (amplitudes(self.start, mesh)[0], first[0], own[0]))
        rigid = Magnified(run, self._rigid(run), 0.0)
        at, turn, _ = rigid.mesh(body)
        return Apart(place - at, axes - turn, axes)

    def of_beam(self, solution: Recorded, beam: str, points: int) -> np.ndarray:
        """Displacements (k, p) [m] of the points of a beam's axis."""
        run = _run(solution)
        now = run.axis(beam, points)
        rigid = self.start if self.against == FROM_START else with_moves(run, self._rigid(run), 0.0)
        return np.asarray(np.linalg.norm(now - rigid.axis(beam, points), axis=2))

    def check(self, parts: tuple[str, ...], where: str) -> None:
        """Refuse what is not known, and parts that are not joined to what their displacements are taken against."""
        run = self.start
        if self.against == FROM_START:
            return
        root = GROUND if self.against == FROM_GROUND else _node(run, self.against, where)
        found = moves(run, 0.0)
        apart = [part for part in parts if found.roots.get(part) != found.roots.get(root)]
        if apart:
            known = "the ground" if self.against == FROM_GROUND else f"frame {self.against!r}"
            raise ModelError(
                f"{where}: nothing that holds joins {apart[0]!r} to {known}, so that it is displaced against it by its "
                "whole motion; give against= a frame of what it is joined to, its own name, or 'start'"
            )

    def _rigid(self, run: Recorded) -> Moves:
        """The moves to the rigid picture, in which the frame stands where it is."""
        found = moves(run, 0.0)
        if self.against == FROM_GROUND:
            return found
        back = found.of_parts.get(_node(run, self.against, run.where))
        if back is None:
            return found
        again = back.inverse()
        for part, move in found.of_parts.items():
            found.of_parts[part] = again @ move
        for reference in found.of_flexible.values():
            reference.carrier = again @ reference.carrier
        return found


def _run(solution: Recorded) -> Recorded:
    """The solution itself of one that is shown larger."""
    return solution.source.run if isinstance(solution.source, Magnified) else solution


def _frame(solution: Recorded, body: str) -> tuple[np.ndarray, np.ndarray]:
    """Places (k, d) and axes (k, d, d) of the frame of a meshed body."""
    poses = poses_of(names.node_motion(solution, solution.layout.bodies[body].frame)[0])
    return poses.place, poses.axes


def _node(solution: Recorded, against: str, where: str) -> Part:
    """The node of a frame that a user gave."""
    layout = solution.layout
    frame = layout.bodies[against].frame if against in layout.bodies else against
    known = [*layout.frames, *layout.spatial]
    if frame not in known:
        raise given_names.unknown(against, [*known, FROM_START], "frame to take displacements against", where)
    return node_part(solution, frame)


def displaced_against(solution: Recorded, against: Any, where: str) -> Displaced:
    """The thing against which a user wants displacements; the ground when not given."""
    name = FROM_GROUND if against is None else names.key_name(solution, against)
    return Displaced(name, solution.at(solution.t[:1]))
