"""Sources of results beyond the coordinates of a solution: the system that was run, or a result file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from flexmb.errors import NamingError
from flexmb.results import loops
from flexmb.results.between_steps.interpolation import Interpolation
from flexmb.results.between_steps.multipliers import RowsOverTime
from flexmb.results.between_steps.nodes import States
from flexmb.results.energy.ledger import (
    ENTRIES,
    Ledger,
    Part,
    estimated_error,
    joined_ledgers,
    ledger,
    ledger_at,
    still_energy,
)
from flexmb.results.energy.powers import Steps, flows, inside_steps
from flexmb.results.recorded import Recorded
from flexmb.results.signals import held_commands
from flexmb.results.strengths import Factors, loads_of_heat, strength_over_time, times_of_loads
from flexmb.system.instances import Instance
from flexmb.system.kernel_calls import rows_work
from flexmb.system.node_forces import columns_on, putting_force
from flexmb.system.redundancy import least_multipliers, rows_not_unique
from flexmb.system.system import System
from flexmb.system.whole_tables import whole_over_time

#: largest number of points along a beam
MOST_PLACES = 100_000


class TakingPart(NamedTuple):
    """The active components from row `first` of a solution on: all but those named in `off`. `measured`: for components
    that measured their parameters when they were switched on, the parameters of each instance."""

    first: int
    off: frozenset[str] = frozenset()
    measured: Mapping[str, Sequence[np.ndarray]] = {}


class Source(Protocol):
    """Provides points and sections of beams, forces of joints and energies of a solution."""

    def places(self, beam: str, points: int) -> np.ndarray:
        """Positions s ∈ [0, 1] (p,) along a beam at which it can be drawn; `points` of them if the number can be
        chosen."""

    def point(self, solution: Recorded, beam: str, s: float) -> np.ndarray:
        """Motion of the point s of a beam, (k, 9), in space (k, 19)."""

    def section(self, solution: Recorded, beam: str, s: float) -> np.ndarray | None:
        """Strains and forces of the section at the point s of a beam, (k, 5), in space (k, 12); None if it has no
        sections."""

    def node_force(self, solution: Recorded, joint: str, frame: str, along: bool = False) -> np.ndarray:
        """The force of a joint on the node under a frame, and its moment about the node (k, 3); in space (k, 6), the
        force in ground axes and the moment in those of the node. `along`: of all that acts between its two bodies
        along its coordinates (:mod:`flexmb.system.node_forces`)."""

    def least_multipliers(self, solution: Recorded) -> np.ndarray:
        """The least-norm multipliers (k, m) of all constraint rows that hold the mechanism."""

    def rows_not_unique(self, solution: Recorded) -> list[int]:
        """Indices of the constraint rows whose multipliers the motion does not determine."""

    def ledger(self, solution: Recorded) -> Ledger:
        """The energy ledger."""

    def whole(self, solution: Recorded) -> np.ndarray | None:
        """The mechanism as a whole, (k, WIDTH), see :func:`flexmb.system.whole.whole_now`."""

    def between(self, solution: Recorded, b: Interpolation, there: tuple[States, np.ndarray]) -> Source:
        """The source of the solution at other times; `there` is the result of :meth:`Interpolation.states` for
        these."""

    def off(self, solution: Recorded) -> list[frozenset[str]]:
        """Names of the components that are switched off, at each of the k times."""

    def taking_part(self, solution: Recorded) -> list[TakingPart]:
        """The active components of each part of the run without switching."""


@dataclass(frozen=True, eq=False)
class Epoch:
    """A part of a run with the same active components: the index of its `first` row, its `system`, and the work `jump`
    (4,) [J] done instantaneously at its beginning, at the time `t` [s]: dissipated, input, of drives, and lost by
    switching. `exchanges`: times [s] at which the active constraint rows were exchanged, each with the indices of the
    rows active before it."""

    first: int
    system: System
    jump: np.ndarray = field(default_factory=lambda: np.zeros(4))
    t: float = -np.inf
    exchanges: tuple[tuple[float, np.ndarray], ...] = ()

    @property
    def rows(self) -> RowsOverTime:
        """The constraint rows active over time."""
        return *self.exchanges, (np.inf, self.system.kept)


class SystemSource:
    """The system of a solution, still in memory after the run. `work`, if the solution has only selected times of a
    run: the work dissipated, put in, done by drives and lost by switching until these times (k, 4) [J], or an object
    that computes it. `epochs`: the parts of a run in which components were switched; `system` is that of the last."""

    def __init__(
        self, system: System, work: np.ndarray | WorkBetween | None = None, epochs: Sequence[Epoch] = ()
    ) -> None:
        self.system, self.work = system, work
        self.epochs = list(epochs) or [Epoch(0, system)]
        #: of a load path the components that a factor scales, with its values (k,)
        self.factors: Factors = {}
        #: beams whose heat is being found, which strain gauges on them may command
        self._finding: set[str] = set()

    @property
    def commanded(self) -> Mapping[str, Any]:
        """What was added to the strengths of components in the run, by name: numbers or functions of time."""
        return self.system.commanded

    def parts(self, solution: Recorded) -> list[tuple[slice, Epoch]]:
        """For each epoch the rows of the solution that belong to it; epochs without rows are left out."""
        ends = [*(epoch.first for epoch in self.epochs[1:]), len(solution.t)]
        return [(slice(x.first, end), x) for x, end in zip(self.epochs, ends) if end > x.first]

    def off(self, solution: Recorded) -> list[frozenset[str]]:
        return [part.system.off for rows, part in self.parts(solution) for _ in range(rows.stop - rows.start)]

    def taking_part(self, solution: Recorded) -> list[TakingPart]:
        return [TakingPart(k.start, x.system.off, x.system.measured) for k, x in self.parts(solution)]

    def places(self, beam: str, points: int) -> np.ndarray:
        return np.linspace(0.0, 1.0, points).round(12)  # 0.35, not a neighboring float

    def point(self, solution: Recorded, beam: str, s: float) -> np.ndarray:
        motion = self._at_place(solution, beam, s, "point", loops.point_track, len(solution.layout.widths.point))
        if motion is None:
            raise NamingError(
                f"{solution.where}: beam {beam!r} is of a theory without a point kernel; ask for its frames"
            )
        return motion

    def section(self, solution: Recorded, beam: str, s: float) -> np.ndarray | None:
        width = len(solution.layout.widths.section)
        values = self._at_place(solution, beam, s, "section", loops.section_track, width)
        heat = loads_of_heat(solution, beam) if values is not None and beam not in self._finding else []
        if values is None or not heat:
            return values
        self._finding.add(beam)
        try:
            for load in heat:
                of_one = self._at_place(solution, beam, s, "section", loops.section_track, width, load.name)
                strength = strength_over_time(solution, load, times_of_loads(solution), self.factors)
                if of_one is not None:
                    values = values - (strength * solution.is_on(load))[:, None] * of_one
        finally:
            self._finding.discard(beam)
        return values

    def _at_place(
        self, solution: Recorded, beam: str, s: float, role: str, loop: Any, width: int, owner: str | None = None
    ) -> np.ndarray | None:
        """Output of the kernels of a role at all times (k, width) at the point s of a beam, by its own instances or
        those of an `owner` along it; None if these have no such kernel."""
        instances = [i for i in self.system.instances_of(owner or beam) if getattr(i.kernels, role) is not None]
        if not instances:
            return None
        component: Any = self.system.model.components[beam]
        element, local = component.locate(s)
        out = np.zeros((len(solution.t), width))
        loop(
            *_loop_arguments(self.system, instances[element]),
            *_states(solution),
            np.asarray(component.point_data(local), dtype=float),
            out,
        )
        return out

    def node_force(self, solution: Recorded, joint: str, frame: str, along: bool = False) -> np.ndarray:
        layout, times = solution.layout, times_of_loads(solution)
        numbers = np.array(layout.spatial[frame].speeds if frame in layout.spatial else layout.frames[frame].numbers)
        force = np.zeros((len(times), len(numbers)))
        for rows, part in self.parts(solution):
            system = part.system
            lam = np.ascontiguousarray(solution.multipliers[rows, system.whole.row_numbers])
            states = [np.ascontiguousarray(x[rows]) for x in (times, *_states(solution)[1:])]
            held = self._held_and_scaled(solution, rows, system)
            commanded = system.whole.plan.p[held[0]].copy()
            for i, parts in putting_force(system.assembly, joint, along):
                if not (columns := columns_on(i, numbers)):
                    continue
                out = np.zeros((len(lam), len(i.speeds)))
                loops.forces_of_instance(*_loop_arguments(system, i), parts, *states, lam, *held, np.zeros(3), out)
                for c, j in columns:
                    force[rows, c] -= out[:, j]
            system.whole.plan.p[held[0]] = commanded
        return force

    def _held_and_scaled(self, solution: Recorded, rows: slice, system: System) -> tuple[np.ndarray, np.ndarray]:
        """What controllers held, and what the factor of a load path adds to strengths, as
        :func:`~flexmb.results.signals.held_commands` gives it."""
        times = times_of_loads(solution)[rows]
        places, held = self._held_commands(solution, solution.t[rows])
        for name, factor in self.factors.items():
            component = system.model.components[name]
            if component.strength is not None:
                own = system.strength_places(name)
                added = (factor[rows] - 1.0) * component.function(component.strength)(times)
                places = np.concatenate([places, own])
                held = np.concatenate([held, np.repeat(added[:, None], len(own), axis=1)], axis=1)
        return places, held

    def least_multipliers(self, solution: Recorded) -> np.ndarray:
        s = solution
        if len(self.epochs) == 1:
            return least_multipliers(self.system, s.t, s.q, s.basic_multipliers)
        parts = self.parts(s)
        return np.concatenate([least_multipliers(x.system, s.t[k], s.q[k], s.basic_multipliers[k]) for k, x in parts])

    def rows_not_unique(self, solution: Recorded) -> list[int]:
        found = [rows_not_unique(x.system, solution.t[k], solution.q[k]) for k, x in self.parts(solution)]
        return sorted(set().union(*found))

    def ledger(self, solution: Recorded) -> Ledger:
        s, parts = solution, []
        if self.work is not None:
            work = self.work() if isinstance(self.work, WorkBetween) else self.work
            work = work - work[0]
            for k, part in self.parts(s):
                whole = part.system.whole
                places, held = self._held_commands(s, s.t[k])
                lam = s.basic_multipliers[k, whole.row_numbers]
                parts.append(ledger_at(whole, s.t[k], s.q[k], s.v[k], lam, places, held, work[k]))
            return joined_ledgers(parts, self._still_energy(s))
        jumps = [epoch.jump for epoch in self.epochs]
        for k, part in self.parts(s):
            ends = s._multipliers_at(np.array([k.start, k.stop - 1]))[:, part.system.whole.row_numbers]
            parts.append(ledger(part.system.whole, self.steps(s, k, part), ends))
        if len(parts) == 1 and not np.any(jumps):
            return parts[0]
        return joined_ledgers(parts, self._still_energy(s), np.array(jumps))

    def _still_energy(self, s: Recorded) -> float:
        ends = s._multipliers_at(np.array([0, len(s.t) - 1]))
        return still_energy(self.system, s.t, s.q, ends[:, self.system.row_numbers])

    def estimated_error(self, solution: Recorded, allowed: float) -> float:
        """An estimate of the error of the ledger's balance, see :func:`~flexmb.results.energy.ledger.estimated_error`;
        infinite where no estimate is possible."""
        s, parts = solution, []
        for k, epoch in self.parts(s):
            held = self._held_commands(s, s.t[k][:-1])
            multipliers = partial(_multipliers_from, s, k.start)
            parts.append(Part(epoch.system.whole, s.t[k], s.q[k], s.v[k], multipliers, *held, epoch.jump))
        return estimated_error(parts, allowed)

    def _held_commands(self, s: Recorded, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The indices (p,) of the kernels' parameters that controllers command, and the commands (k, p) held there from
        the times (k,) on."""
        return held_commands(list(s.control.values()), times)

    def steps(self, s: Recorded, k: slice, epoch: Epoch) -> Steps:
        """The steps between the times of an epoch."""
        whole, none = epoch.system.whole, np.zeros((k.stop - k.start, 0))
        lam = s.basic_multipliers[k, whole.row_numbers] if rows_work(whole.plan) else none
        return Steps(s.t[k], s.q[k], s.v[k], s.a[k], lam, epoch.rows, *self._held_commands(s, s.t[k][:-1]))

    def whole(self, solution: Recorded) -> np.ndarray:
        s = solution
        parts = [((x.system, s.t[k], s.q[k], s.v[k], s.a[k]), self._held_commands(s, s.t[k])) for k, x in self.parts(s)]
        return np.concatenate([whole_over_time(*states, *held) for states, held in parts])

    def between(self, solution: Recorded, b: Interpolation, there: tuple[States, np.ndarray]) -> SystemSource:
        work: np.ndarray | WorkBetween = WorkBetween(self, solution, b, there)
        if self.work is not None or solution.still:
            energy = solution.energy
            work = b.values(np.column_stack([getattr(energy, name) for name in ENTRIES[3:]]))
        beginnings = np.array([epoch.first for epoch in self.epochs])
        number = np.searchsorted(beginnings, b.left, side="right") - 1
        changes = np.flatnonzero(np.diff(number, prepend=-1))
        epochs = [Epoch(int(k), self.epochs[number[k]].system) for k in changes]
        found = SystemSource(epochs[-1].system, work, epochs)
        found.factors = {name: b.values(factor[:, None])[:, 0] for name, factor in self.factors.items()}
        return found


@dataclass
class WorkBetween:
    """Computes the work (p, 4) [J] of a run until times between its steps, in the order of ENTRIES, when it is called;
    `there` is the result of :meth:`Interpolation.states` for these times."""

    source: SystemSource
    solution: Recorded
    b: Interpolation
    there: tuple[States, np.ndarray]

    def __call__(self) -> np.ndarray:
        out, until = np.zeros((len(self.b.times), 4)), np.zeros(4)
        for k, epoch in self.source.parts(self.solution):
            until += epoch.jump
            whole = epoch.system.whole
            asked, inside, places = inside_steps(self.b, self.there, whole.row_numbers, k.start, k.stop)
            work = flows(whole, self.source.steps(self.solution, k, epoch), inside).work()
            out[asked] = until + work[places]
            until += work[-1]
        return out


def _multipliers_from(solution: Recorded, first: int, rows: np.ndarray) -> np.ndarray:
    """The multipliers (p, m) of some of the rows of a solution, counted from the `first`."""
    return solution._multipliers_at(first + rows)


def _loop_arguments(system: System, instance: Instance) -> tuple:
    """The first arguments of the loops over times in :mod:`flexmb.results.loops`."""
    system = system.whole
    full = np.zeros((3, system.plan.total_q))
    full[0] = system.initial
    return system.plan, system.scratch, instance.group, instance.place, full


def _states(solution: Recorded) -> tuple[np.ndarray, ...]:
    """Times, coordinates, speeds and accelerations as contiguous arrays."""
    return tuple(np.ascontiguousarray(x) for x in (solution.t, solution.q, solution.v, solution.a))
