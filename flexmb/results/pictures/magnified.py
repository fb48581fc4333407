"""Deformations of beams and of meshed bodies, shown so many times as large as they are: about what holds each,
:mod:`flexmb.results.pictures.references`, outward from the ground, :mod:`flexmb.results.pictures.moves`."""

from __future__ import annotations

import copy
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.results.pictures.moves import Moves, gaps, moves
from flexmb.results.pictures.references import FRAME, Poses, node, numbers_of, section, shown, undeformed
from flexmb.results.recorded import Recorded

#: the number of places at which a picture gapes that its title names
MOST_NAMED = 2


def checked_factor(magnify: Any, solution: Recorded) -> float:
    """The factor of deformations that a user gave."""
    factor = checks.positive(magnify, "magnify", f"picture of {solution.where}")
    layout = solution.layout
    if factor != 1.0 and not layout.beams and all(body.mesh is None for body in layout.bodies.values()):
        raise ModelError(
            f"picture of {solution.where}: magnify shows deformations of beams and of bodies with a mesh larger, and "
            "the model has none; leave it out"
        )
    return factor


def with_factor(title: str, factor: float, gaping: tuple[str, ...] = ()) -> str:
    """A title that says by how much deformations are magnified, and where the picture gapes for it.

    >>> with_factor("blade", 50.0), with_factor("blade", 1.0), with_factor("rod", 5.0, ("rod.right",))
    ('blade, deformation × 50', 'blade', 'rod, deformation × 5, gaping at rod.right')
    """
    if factor == 1.0:
        return title
    where = ", ".join(gaping[:MOST_NAMED]) + (" …" if len(gaping) > MOST_NAMED else "")
    return f"{title}, deformation × {factor:g}{f', gaping at {where}' if where else ''}".removeprefix(", ")


def magnified(solution: Any, factor: float) -> Any:
    """A solution in whose pictures deformations are `factor` times as large. Its rates, forces and energies are those
    of the run."""
    return solution if factor == 1.0 else with_moves(solution, moves(solution, factor), factor)


def with_moves(solution: Any, found: Moves, factor: float) -> Any:
    """A solution whose parts are moved to where they are shown."""
    seen = copy.copy(solution)
    seen.q = solution.q.copy()
    layout = solution.layout
    for frame in (*layout.frames, *layout.spatial):
        numbers = layout.node_of(frame)
        if not layout.is_fixed(frame) and (move := found.of_parts.get(numbers)) is not None:
            seen.q[:, numbers] = numbers_of(move @ node(solution, frame), solution.q[:, numbers])
    seen.source = Magnified(solution, found, factor)
    return seen


def gaping(solution: Any) -> tuple[str, ...]:
    """Names of the places at which a picture of a magnified solution gapes."""
    return solution.source.gaping if isinstance(solution.source, Magnified) else ()


class Magnified:
    """The source of a solution whose deformations are shown larger: points of beams and meshes are where they are
    shown, all else is that of the run."""

    def __init__(self, solution: Recorded, found: Moves, factor: float) -> None:
        self.run, self.moves, self._factor = solution, found, factor

    @cached_property
    def gaping(self) -> tuple[str, ...]:
        """Names of the places at which the picture gapes."""
        return tuple(gaps(self.run, self.moves, self._factor))

    def places(self, beam: str, points: int) -> np.ndarray:
        return np.asarray(self.run.source.places(beam, points))

    def point(self, solution: Recorded, beam: str, s: float) -> np.ndarray:
        rows = self.run.source.point(self.run, beam, s).copy()
        reference, place = self.moves.of_flexible.get(beam), slice(0, self.run.layout.widths.orientation.stop)
        if reference is not None:
            at = reference.carrier @ shown(self.run, beam, s, reference.held, self._factor)
            rows[:, place] = numbers_of(at, rows[:, place])
        return np.asarray(rows)

    def mesh(self, body: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The place p (k, d) and the matrices A and B (k, d, d) by which the mesh of a body is shown: what is at X + u
        in the axes of its frame is shown at p + A X + B u."""
        reference = self.moves.of_flexible[body]
        bare: Poses = section(self.run, body, reference.held) @ undeformed(self.run, body, FRAME, reference.held)
        own = bare.inverse() @ section(self.run, body, FRAME)
        at, m = reference.carrier @ bare, self._factor
        bends = m * at.axes @ own.axes
        return at.place + at.turned(m * own.place), (1.0 - m) * at.axes + bends, bends

    def __getattr__(self, name: str) -> Any:
        """What the source of the run answers, asked of the run."""
        asked = getattr(self.__dict__["run"].source, name)
        return (lambda _, *given: asked(self.run, *given)) if callable(asked) else asked
