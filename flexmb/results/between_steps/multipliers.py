"""Multipliers at the beginning and inside of every step of a run, from those that were kept at its end.

Where sampled controllers change what they command, forces jump, and accelerations and multipliers with them. The
steps of a run keep those before the jump. Those behind it follow from the equations of motion, see
:mod:`flexmb.system.accelerations`, with the new commands and the same coordinates and speeds, which do not jump.
So do those inside of steps, at the coordinates and speeds there: few steps lie between two changes, and a polynomial
through so few, which begins or ends at a jump, is less accurate than the motion. The cubic through four times near
serves where no command changes, and where the equations do not say.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.results import loops
from flexmb.results.between_steps.interpolation import values_in_steps
from flexmb.system.accelerations import work_for
from flexmb.system.sticking import sticking_places
from flexmb.system.system import System

#: the numbers of the constraint rows, among all, that take part in a run until such times, the last of them infinite
RowsOverTime = Sequence[tuple[float, np.ndarray]]


def commands_changed(held: np.ndarray) -> np.ndarray:
    """Whether commands, held (k − 1, p) in each step, have changed at its beginning (k − 1,); at the first, as soon as
    there are some."""
    changed = np.zeros(len(held), dtype=bool)
    changed[1:] = (held[1:] != held[:-1]).any(axis=1)
    changed[:1] = held.shape[1] > 0
    return changed


class StepMultipliers:
    """The multipliers (k − 1, m) of a run's steps: its `system` with all rows, the `rows` that took part, the
    times t (k,), and `lam` (k, m), those that were kept; `places` (p,) and `held` (k − 1, p):
    what controllers hold in each step in these places among the parameters of the kernels."""

    def __init__(
        self,
        system: System,
        rows: RowsOverTime,
        t: np.ndarray,
        lam: np.ndarray,
        places: np.ndarray,
        held: np.ndarray,
    ) -> None:
        self.system, self.rows, self.t, self.lam, self.places, self.held = system, rows, t, lam, places, held
        self.jumped = commands_changed(held)

    def starts(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """At the beginning of the steps, where the run has such coordinates (k − 1, nq) and speeds (k − 1, n)."""
        starts = self.lam[:-1].copy()
        starts[self.jumped] = self.lam[1:][self.jumped]
        return self._solved(self.jumped, np.arange(len(starts)), self.t[:-1], q, v, starts)

    def inside(
        self, starts: np.ndarray, step: np.ndarray, times: np.ndarray, q: np.ndarray, v: np.ndarray
    ) -> np.ndarray:
        """At times (p,), each in the step of this number (p,): from those at the beginnings, and from coordinates and
        speeds there (p rows)."""
        inner = np.flatnonzero(self.jumped[1:]) + 1
        both = np.insert(self.lam, inner + 1, starts[inner], axis=0)  # before and behind each jump
        both[0] = starts[0]
        known = np.insert(self.t, inner + 1, self.t[inner])
        there = values_in_steps(both, known, step + np.searchsorted(inner, step, side="right"), times)
        return self._solved(np.full(len(step), len(inner) > 0), step, times, q, v, there)

    def _solved(
        self, which: np.ndarray, step: np.ndarray, t: np.ndarray, q: np.ndarray, v: np.ndarray, lam: np.ndarray
    ) -> np.ndarray:
        """Multipliers (p, m) in steps of these numbers (p,), of some from the equations of motion at these states, and
        the given ones where the equations do not determine them, as in a singular position. Those of joints that stick
        depend on what their friction did, which is not kept."""
        if not which.any() or sticking_places(self.system.assembly, self.system.plan):
            return lam
        choice = np.searchsorted([until for until, _ in self.rows], self.t[step + 1])
        for number, (_, kept) in enumerate(self.rows):
            own = np.flatnonzero(which & (choice == number))
            if len(own):
                whole = len(kept) == self.system.m
                system = self.system if whole else self.system.with_rows(kept)
                found = np.ascontiguousarray(lam[own][:, kept])
                _solve(system, t[own], q[own], v[own], self.places, self.held[step[own]], found)
                lam[np.ix_(own, kept)] = found
        return lam


def _solve(
    system: System, t: np.ndarray, q: np.ndarray, v: np.ndarray, places: np.ndarray, held: np.ndarray, lam: np.ndarray
) -> None:
    """Put the multipliers of states into lam (k, m), where controllers hold `held` (k, p)."""
    full = np.zeros((3, system.plan.total_q))
    full[0] = system.initial
    done, work, mass = 0, work_for(system.plan), system.mass_scale
    while True:
        states = (x[done:] for x in (t, q, v))
        own = (places, held[done:], np.zeros(system.m), lam[done:])
        done += loops.multipliers(system.plan, system.scratch, system.linear, mass, full, *states, work, *own)
        if done == len(t):
            return
        system.grow()
