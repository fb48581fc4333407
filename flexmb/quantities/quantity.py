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
from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.blocks import Numbers, joined
from flexmb.kernels.compilation import compiled
from flexmb.kernels.completion import orientations_in
from flexmb.kernels.formula import SCRATCH, formula_address, gradient_address, gradient_of, value_at
from flexmb.quantities.given import Asked, Given
from flexmb.system.readings import COUNTED, FUNCTION_OF_STATE, Reading
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
    the same row; `given` is what the system has to find for it."""

    formula: Any
    coordinates: Sequence[Numbers]
    values: Sequence[float] | np.ndarray
    constant: float = 0.0
    rate: Any = None
    given: Given | None = None

    @property
    def numbers(self) -> Numbers:
        """The indices of its coordinates in q and of their speeds in v."""
        none = np.zeros(0, dtype=np.int64)
        q, v = joined(list(self.coordinates)) if self.coordinates else (none, none)
        return Numbers(q.astype(np.int64), v.astype(np.int64))

    def record(self, bias: float, where: str) -> tuple[np.ndarray, Numbers]:
        """Its numbers in a row of parameters (:mod:`flexmb.feedback.state_kernels`), and its coordinates."""
        numbers, values = self.numbers, np.asarray(self.values, dtype=float)
        width, turns = len(numbers.v), orientations_in(self.coordinates)
        slopes = gradient_address(self.formula, turns, width, where) if width else 0
        head = [formula_address(self.formula, where), slopes, len(numbers.q), width, len(values), self.constant + bias]
        return np.array([*head, *values]), numbers

    def reading(self, where: str, system: System) -> Reading:
        """The quantity as it stands in a table of readings."""
        numbers = self.numbers
        addresses = [formula_address(one, where) for one in (self.formula, self.rate) if one is not None]
        kind = FUNCTION_OF_STATE if self.rate is None else COUNTED
        asked = Asked(kind, [], [], 0) if self.given is None else self.given.asked(system, where)
        sizes = [len(numbers.q), len(numbers.v), len(self.values)]
        own = [*sizes, *numbers.q.tolist(), *numbers.v.tolist(), *addresses, *asked.numbers]
        return Reading(asked.kind, own, [self.constant, *self.values, *asked.values], asked.room)

    def slopes(self, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Slopes:
        """Its value and derivatives at a state with the coordinates of fixed frames, q (total_q,), v and a (total,)."""
        iq, iv = self.numbers
        row, by, scratch = np.asarray(self.values, dtype=float), np.zeros((3, len(iv))), np.zeros(SCRATCH)
        for w, out in zip(np.eye(3), by) if len(iv) else ():
            add_gradient = gradient_of(self.formula, orientations_in(self.coordinates), len(iv))
            add_gradient(row, iq[None, :], iv[None, :], t, q, v, a, w, out, scratch)
        return Slopes(self.constant + self.formula(row, iq, iv, t, q, v, a), iv, by[2], by[1], by[0])

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
        return out + (0.0 if rate else self.constant)

    def alone(self, given: np.ndarray) -> np.ndarray:
        """Its values (k,) for rows (k, …) of what the system has found, if it reads nothing else."""
        none, out = np.zeros((len(given), 0)), np.zeros(len(given))
        row, full = np.asarray(self.values, dtype=float), np.zeros((3, 0))
        where = formula_address(self.formula, "quantity")
        _over_times(where, row, *self.numbers, full, out.copy(), none, none, none, np.ascontiguousarray(given), out)
        return out + self.constant


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
