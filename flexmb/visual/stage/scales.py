"""The selection of what a picture shows, and its sizes, which are the same at all instants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from flexmb.results.pictures.displacement import Displaced
from flexmb.results.recorded import Recorded


@dataclass(frozen=True)
class Selection:
    """What a picture shows: the `quantity` that colors beams, and the beams that it colors; whether applied loads are
    drawn (`forces`), and the joints whose `reactions` are; what displacements are taken against, `displaced`;
    `factors` of loads by name, (times, factors);
    `load_time` [s]: the time at which loads as functions of time are evaluated (the times of the solution when None);
    `points` along a beam."""

    quantity: str | None = None
    colored: tuple[str, ...] = ()
    forces: bool = False
    reactions: tuple[str, ...] = ()
    factors: Mapping[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    load_time: float | None = None
    points: int = 41
    displaced: Displaced | None = None

    def color_along(self, solution: Recorded, beam: str, points: int) -> np.ndarray:
        """The quantity (k, p) that colors a beam."""
        if self.displaced is not None:
            return self.displaced.of_beam(solution, beam, points)
        assert self.quantity is not None
        return solution.along(beam, self.quantity, points)


class Slide(NamedTuple):
    """How a joint slides in a run: the travel of its frame b along the axis, from and to [m], the direction (3,) of the
    axis in frame a, and in space the corners (2,) [m] of its travel across it, along the second and third of the axes
    :func:`~flexmb.visual.stage.placing.along` that direction."""

    first: float
    last: float
    direction: np.ndarray
    low: np.ndarray
    high: np.ndarray


@dataclass(frozen=True)
class PictureScales:
    """Sizes that are the same at all instants: `unit`, the size of the mechanism [m]; the `force` [N], `density` [N/m]
    and `torque` [Nm] of the longest arrows; `low`, `high`, the corners of all that is shown (3,) [m]; `limits` of the
    quantity; `slides` by name; `up` (3,): the direction that is up; `thickness_factor`: the factor of all
    thicknesses; `marked`: the round bodies that turn, by name; `hinges`: between which places on the axis of a hinge in
    space its bodies are [m], by name."""

    unit: float
    force: float
    density: float
    torque: float
    low: np.ndarray
    high: np.ndarray
    limits: tuple[float, float] = (0.0, 1.0)
    slides: Mapping[str, Slide] = field(default_factory=dict)
    up: np.ndarray = field(default_factory=lambda: np.array([0.0, 1.0, 0.0]))
    thickness_factor: float = 1.0
    marked: frozenset[str] = frozenset()
    hinges: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def thickness(self) -> float:
        """The size to which all thicknesses are proportional [m]."""
        return self.thickness_factor * self.unit
