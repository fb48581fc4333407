"""A result file as the source of what a solution has beyond its coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from flexmb.errors import NamingError
from flexmb.kernels.widths import SPACE
from flexmb.results.between_steps.interpolation import Interpolation
from flexmb.results.between_steps.nodes import States, StoredSteps, through_nodes
from flexmb.results.energy.ledger import ENTRIES, Ledger
from flexmb.results.recorded import Recorded
from flexmb.results.sources import TakingPart


@dataclass
class FileSource:
    """The contents of a result file beside the coordinates."""

    path: str
    #: s (p,), motion (p, k, …); bodies with places that have no node are among them, with numbers of these for s
    beams: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    #: by joint, and whether it is what acts along its coordinates, the frame, force and moment (k, …)
    forces: dict[tuple[str, bool], tuple[str, np.ndarray]] = field(default_factory=dict)
    energy: dict[str, np.ndarray] = field(default_factory=dict)
    of_whole: np.ndarray | None = None
    still: float = 0.0
    sections: dict[str, np.ndarray] = field(default_factory=dict)  # strains and forces (p, k, …)
    not_unique: list[int] = field(default_factory=list)  # rows whose multipliers are not unique
    epochs: list[TakingPart] = field(default_factory=lambda: [TakingPart(0)])
    #: steps with known states inside, and the entries of `beams`, `sections` and `forces` at the nodes of these steps
    inside: StoredSteps | None = None
    inside_beams: dict[str, np.ndarray] = field(default_factory=dict)
    inside_sections: dict[str, np.ndarray] = field(default_factory=dict)
    inside_forces: dict[tuple[str, bool], np.ndarray] = field(default_factory=dict)
    inside_whole: np.ndarray | None = None

    def off(self, solution: Recorded) -> list[frozenset[str]]:
        ends = [*(epoch.first for epoch in self.epochs[1:]), len(solution.t)]
        return [epoch.off for epoch, end in zip(self.epochs, ends) for _ in range(end - epoch.first)]

    def taking_part(self, solution: Recorded) -> list[TakingPart]:
        return self.epochs

    def places(self, beam: str, points: int) -> np.ndarray:
        return self.beams[beam][0]

    def point(self, solution: Recorded, beam: str, s: float) -> np.ndarray:
        return self.beams[beam][1][self._place_number(solution, beam, s)]

    def section(self, solution: Recorded, beam: str, s: float) -> np.ndarray | None:
        return self.sections[beam][self._place_number(solution, beam, s)] if beam in self.sections else None

    def _place_number(self, solution: Recorded, beam: str, s: float) -> int:
        """The index of the point s among those that the file holds for a beam."""
        places = self.beams[beam][0]
        near = np.flatnonzero(np.abs(places - s) < 1e-9)
        if not len(near):
            raise NamingError(
                f"{solution.where}: file {self.path} holds beam {beam!r} at the points "
                f"{', '.join(f'{x:g}' for x in places)} only; {s:g} is not one of them"
            )
        return int(near[0])

    def node_force(self, solution: Recorded, joint: str, frame: str, along: bool = False) -> np.ndarray:
        known, values = self.forces.get((joint, along), ("", None))
        if values is None or known != frame:
            raise NamingError(
                f"{solution.where}: file {self.path} holds no force of {joint!r} on frame {frame!r}"
                + (f", only that on {known!r}" if known else "")
            )
        return values

    def least_multipliers(self, solution: Recorded) -> np.ndarray:
        return solution.basic_multipliers

    def rows_not_unique(self, solution: Recorded) -> list[int]:
        return self.not_unique

    def ledger(self, solution: Recorded) -> Ledger:
        columns = {name: self.energy[name] for name in ENTRIES}
        return Ledger(t=solution.t, still=self.still, **columns)

    def whole(self, solution: Recorded) -> np.ndarray | None:
        return self.of_whole

    def between(self, solution: Recorded, b: Interpolation, there: tuple[States, np.ndarray]) -> FileSource:
        return FileSource(
            self.path,
            {name: (s, self._tracks(b, name, motion)) for name, (s, motion) in self.beams.items()},
            {
                name: (frame, self._values(b, x, self.inside_forces.get(name)))
                for name, (frame, x) in self.forces.items()
            },
            {name: b.values(x) for name, x in self.energy.items()},
            None if self.of_whole is None else self._values(b, self.of_whole, self.inside_whole),
            self.still,
            {name: self._along(b, name, values) for name, values in self.sections.items()},
            self.not_unique,
            self._epochs_at(b),
        )

    def _tracks(self, b: Interpolation, name: str, motion: np.ndarray) -> np.ndarray:
        """The motion (p, r, …) of points of a beam at other times."""
        inner = self.inside_beams.get(name, [None] * len(motion))
        turning = [list(range(7)[SPACE.orientation])] if motion.shape[2] == len(SPACE.point) else []
        return np.array([self._inside(b, b.track(x), x, own, turning) for x, own in zip(motion, inner)])

    def _along(self, b: Interpolation, name: str, values: np.ndarray) -> np.ndarray:
        """Strains and forces (p, r, …) of sections of a beam at other times."""
        inner = self.inside_sections.get(name, [None] * len(values))
        return np.array([self._values(b, x, own) for x, own in zip(values, inner)])

    def _values(self, b: Interpolation, x: np.ndarray, inner: np.ndarray | None) -> np.ndarray:
        """Values (k, …) without known rates, at other times; `inner` are those at the nodes of steps."""
        return self._inside(b, b.values(x), x, inner)

    def _inside(
        self,
        b: Interpolation,
        there: np.ndarray,
        x: np.ndarray,
        inner: np.ndarray | None,
        quaternions: Sequence[Sequence[int]] = (),
    ) -> np.ndarray:
        """The interpolated values `there`, replaced by polynomials through the nodes in steps with known states
        inside."""
        if self.inside is not None and inner is not None:
            for rows in b.rows_by_step():
                ends = [b.left[rows[0]], b.right[rows[0]]]
                if (own := self.inside.nodes.get(int(ends[0]))) is not None:
                    there[rows] = through_nodes(x[ends], inner[own], b.part[rows], quaternions)
        return there

    def _epochs_at(self, b: Interpolation) -> list[TakingPart]:
        """The epochs of the solution at other times."""
        number = np.searchsorted([epoch.first for epoch in self.epochs], b.left, side="right") - 1
        changes = np.flatnonzero(np.diff(number, prepend=-1))
        return [self.epochs[number[k]]._replace(first=int(k)) for k in changes]
