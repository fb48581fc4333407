"""A quantity: one compiled function of time, coordinates, speeds and accelerations, with exact derivatives.

    y = c + h(t, q, v, a)

h is a formula (:mod:`flexmb.quantities.formulas`); a quantity is a formula, the coordinates that it reads, block by
block, and a row of parameters. The derivatives along q ∘ exp y, by v and by a are made of the formula by forward
differentiation (:mod:`flexmb.kernels.formula`).

Formulas have no memory. An angle that an orientation tells up to whole turns has a second formula, that of its rate,
from which whoever reads it one time after the other counts the turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.blocks import Numbers, joined
from flexmb.kernels.compilation import compiled
from flexmb.kernels.completion import orientations_in
from flexmb.kernels.formula import SCRATCH, add_gradient_at, formula_address, gradient_address, gradient_of, value_at
from flexmb.quantities import formulas
from flexmb.quantities.given import Asked, Given
from flexmb.system.found import Found, sum_of
from flexmb.system.instances import Instance
from flexmb.system.readings import COUNTED, FUNCTION_OF_STATE, NUMBERS_AT, VALUES_AT, Reading, Sensors, sensor_table
from flexmb.system.system import System


class Slopes(NamedTuple):
    """A quantity and its derivatives along q ∘ exp y, by v and by a, each (k,), by the speeds with the `numbers`
    (k,)."""

    value: float
    numbers: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray


@dataclass(frozen=True, eq=False)
class Quantity:
    """A quantity of a mechanism: a formula, the coordinates that it reads, block by block, the formula's row of
    `values`, and a `constant` that is added; `rate`, of an angle up to whole turns, is the formula of its rate, with
    the same row; `given` is what the system has to find for it; `owner`: the
    component whose law it is, the force of a contact: it is zero while that is switched off; `kind`: EULER of
    an angle that goes on together with two others."""

    formula: Any
    coordinates: Sequence[Numbers]
    values: Sequence[float] | np.ndarray
    constant: float = 0.0
    rate: Any = None
    given: Given | None = None
    owner: str = ""
    kind: int = FUNCTION_OF_STATE

    @cached_property
    def numbers(self) -> Numbers:
        """The indices of its coordinates in q and of their speeds in v."""
        none = np.zeros(0, dtype=np.int64)
        q, v = joined(list(self.coordinates)) if self.coordinates else (none, none)
        return Numbers(q.astype(np.int64), v.astype(np.int64))

    @cached_property
    def turns(self) -> Any:
        """The places of orientations among its coordinates."""
        return orientations_in(self.coordinates)

    def record(self, bias: float, where: str) -> tuple[np.ndarray, Numbers]:
        """Its numbers in a row of parameters (:mod:`flexmb.feedback.state_kernels`), and its coordinates."""
        numbers, values = self.numbers, np.asarray(self.values, dtype=float)
        width, turns, count = len(numbers.v), self.turns, self.reads
        slopes = gradient_address(self.formula, turns, width, where) if width else 0
        by_read = gradient_address(self.formula, turns, count, where) if self.given is not None else 0
        head = [formula_address(self.formula, where), slopes, len(numbers.q), width, len(values), self.constant + bias]
        return np.array([*head, count, by_read, *values]), numbers

    @property
    def reads(self) -> int:
        """How many numbers it reads of other components at every instant: what the system finds, or whether its
        owner is on."""
        return self.given.count if self.given is not None else int(bool(self.owner))

    def instances(self, assembly: Any) -> list[Instance]:
        """The instances that have to be asked for these."""
        return [] if self.given is None else self.given.instances(assembly)

    def found(self, system: System, where: str) -> Found:
        """What compiled code has to know to find these (:mod:`flexmb.system.found`)."""
        if self.given is None:
            return sum_of(system, [], 1, first=int(self.owner not in system.off))
        part = self.formula is formulas.part_of_given
        used = np.flatnonzero(self.values) if part else np.arange(self.reads)
        return self.given.found(system, where, used.tolist())

    def reading(self, where: str, system: System | None) -> Reading:
        """The quantity as it stands in a table of readings, of a system unless it is a function of the state alone."""
        if system is not None and self.owner in system.off:
            return NOTHING.reading(where, system)
        numbers = self.numbers
        addresses = [formula_address(one, where) for one in (self.formula, self.rate) if one is not None]
        kind = COUNTED if self.rate is not None and self.kind == FUNCTION_OF_STATE else self.kind
        asked = Asked(kind, [], [], 0)
        if self.given is not None:
            assert system is not None
            asked = self.given.asked(system, where)
        sizes = [len(numbers.q), len(numbers.v), len(self.values)]
        own = [*sizes, *numbers.q.tolist(), *numbers.v.tolist(), *addresses, *asked.numbers]
        return Reading(asked.kind, own, [self.constant, *self.values, *asked.values], asked.room, asked.kept)

    def slopes(self, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Slopes:
        """Its value and derivatives at a state with the coordinates of fixed frames, q (total_q,), v and a (total,)."""
        iq, iv = self.numbers
        row, by, scratch = np.asarray(self.values, dtype=float), np.zeros((3, len(iv))), np.zeros(SCRATCH)
        for w, out in zip(np.eye(3), by) if len(iv) else ():
            add_gradient = gradient_of(self.formula, self.turns, len(iv))
            add_gradient(row, iq[None, :], iv[None, :], t, q, v, a, w, out, scratch)
        return Slopes(self.constant + self.formula(row, iq, iv, t, q, v, a), iv, by[2], by[1], by[0])

    def along(self, system: System, t: np.ndarray, state: Sequence[np.ndarray], change: Sequence[np.ndarray]) -> Any:
        """Its changes (k,) at k times as q, v and a (k, …) change."""
        (iq, iv), out, where = self.numbers, np.zeros(len(t)), system.model.where
        if not len(iv) or self.owner in system.off:
            return out
        gradient = gradient_address(self.formula, self.turns, len(iv), where)
        full, moved = np.zeros((3, system.plan.total_q)), np.zeros(system.plan.total)
        full[0, system.nq :] = system.initial[system.nq :]
        numbers = np.asarray(self.values, dtype=float), iq[None, :], iv[None, :]
        scratch = np.zeros(len(iv)), np.zeros(SCRATCH)
        arrays = (np.ascontiguousarray(x, dtype=float) for x in (t, *state, *change))
        _along_times(gradient, *numbers, full, moved, np.eye(3), *scratch, *arrays, out)
        return out

    def over(self, solution: Any, *, rate: bool = False, given: np.ndarray | None = None) -> np.ndarray:
        """Its values (k,) at the times of a solution, or those of its `rate`; angles are up to whole turns. `given`:
        what the system has to find, if that is known already."""
        formula = self.rate if rate else self.formula
        fixed, k = solution.layout.fixed, len(solution.t)
        full, out = np.zeros((3, solution.q.shape[1] + len(fixed))), np.zeros(k)
        full[0, solution.q.shape[1] :] = fixed
        if given is None:
            given = np.zeros((0, 0)) if self.given is None else self.given.over(solution)
        states = solution.t, solution.q, solution.v, solution.a, given
        row = np.asarray(self.values, dtype=float)
        where = formula_address(formula, solution.where)
        _over_times(where, row, *self.numbers, full, *(np.ascontiguousarray(x, dtype=float) for x in states), out)
        if self.owner:
            out *= [self.owner not in off for off in solution.source.off(solution)]
        return out + (0.0 if rate else self.constant)

    def alone(self, given: np.ndarray) -> np.ndarray:
        """Its values (k,) for rows (k, …) of what the system has found, if it reads nothing else."""
        none, out = np.zeros((len(given), 0)), np.zeros(len(given))
        row, full = np.asarray(self.values, dtype=float), np.zeros((3, 0))
        where = formula_address(self.formula, "quantity")
        _over_times(where, row, *self.numbers, full, out.copy(), none, none, none, np.ascontiguousarray(given), out)
        return out + self.constant


@compiled
def _along_times(where, row, iq, iv, full, moved, weights, by, scratch, t, q, v, a, dq, dv, da, out):
    """out (k,): the changes of a formula at all times as q, v and a change by dq, dv and da (k, …); `full` as in
    :func:`_over_times`, `moved` with zeros for the entries of fixed frames at the tail."""
    for k in range(t.shape[0]):
        for i in range(q.shape[1]):
            full[0, i] = q[k, i]
        for i in range(v.shape[1]):
            full[1, i], full[2, i] = v[k, i], a[k, i]
        for what in range(3):
            change = da if what == 0 else dv if what == 1 else dq
            for i in range(change.shape[1]):
                moved[i] = change[k, i]
            by[:] = 0.0
            add_gradient_at(where, row, iq, iv, t[k], full[0], full[1], full[2], weights[what], by, scratch)
            for j in range(by.shape[0]):
                out[k] += by[j] * moved[iv[0, j]]


def table_of(quantities: Sequence[Any]) -> Sensors:
    """The table of quantities that are functions of the state."""
    return sensor_table([one.reading("a track", None) for one in quantities])


def all_over(table: Sensors, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """The values (k, m) of the quantities of a table at the states (k, …) of their coordinates alone."""
    out = np.zeros((len(t), len(table.table)))
    states = (np.ascontiguousarray(x, dtype=float) for x in (t, q, v, a))
    _all_over(table.table, table.numbers, table.values, *states, out)
    return out


@compiled
def _all_over(table, numbers, values, t, q, v, a, out):
    for j in range(out.shape[1]):
        i, p = table[j, NUMBERS_AT], table[j, VALUES_AT]
        nq, nv = numbers[i], numbers[i + 1]
        iq, iv = numbers[i + 3 : i + 3 + nq], numbers[i + 3 + nq : i + 3 + nq + nv]
        row, where = values[p + 1 : p + 1 + numbers[i + 2]], numbers[i + 3 + nq + nv]
        for k in range(out.shape[0]):
            out[k, j] = values[p] + value_at(where, row, iq, iv, t[k], q[k], v[k], a[k])


#: what is zero
NOTHING = Quantity(formulas.weighted_sum, [], ())  # type: ignore[has-type]


@compiled
def _over_times(where, row, iq, iv, full, t, q, v, a, given, out):
    """out (k,): the number of a formula at all times; `full` (3, total_q) holds q, v, a with the entries of fixed
    frames at the tail; `given` (k, …) is what it reads in the place of a, if there is any."""
    for k in range(t.shape[0]):
        for i in range(q.shape[1]):
            full[0, i] = q[k, i]
        for i in range(v.shape[1]):
            full[1, i], full[2, i] = v[k, i], a[k, i]
        last = given[k] if given.shape[0] > 0 else full[2]
        out[k] = value_at(where, row, iq, iv, t[k], full[0], full[1], last)
