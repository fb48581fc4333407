"""A quantity: one compiled function of time, coordinates, speeds and accelerations, with exact derivatives.

    y = c + h(t, q, v, a)

Each is of a family of kernels (:mod:`flexmb.quantities.families`) that put one number into their `out`; a quantity is a
family, the coordinates that it reads, block by block, and a row of parameters. The derivatives along q ∘ exp y, by v
and by a are made of the family by forward differentiation (:mod:`flexmb.kernels.derivatives`).

Kernels have no memory. An angle that an orientation tells up to whole turns has a second family, that of its rate, from
which whoever reads it one time after the other counts the turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.blocks import Numbers, joined
from flexmb.kernels.compilation import compiled
from flexmb.kernels.completion import complete
from flexmb.kernels.contract import Kernels, checked_address, run_kernel
from flexmb.kernels.views import matrix_view
from flexmb.system.readings import COUNTED, FUNCTION_OF_STATE, Reading


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
    """A quantity of a mechanism: a family of kernels with one number, the coordinates that it reads, block by block,
    the family's row of `values`, and a `constant` that is added; `rate`, of an angle up to whole turns, is the family
    of its rate, with the same row."""

    kernels: Kernels
    coordinates: Sequence[Numbers]
    values: Sequence[float] | np.ndarray
    constant: float = 0.0
    rate: Kernels | None = None

    @property
    def numbers(self) -> Numbers:
        """The indices of its coordinates in q and of their speeds in v."""
        none = np.zeros(0, dtype=np.int64)
        return joined(list(self.coordinates)) if self.coordinates else Numbers(none, none)

    def record(self, bias: float, where: str) -> tuple[np.ndarray, Numbers, int]:
        """Its numbers in a row of parameters (:mod:`flexmb.feedback.state_kernels`), its coordinates, and how many
        scratch numbers it needs."""
        values, constant = np.asarray(self.values, dtype=float), self.constant + bias
        numbers = self.numbers
        if not self.coordinates:
            head = [checked_address(self.kernels, "residual", where), 0, 0, 0, len(values), constant]
            return np.array([*head, *values]), numbers, 1
        whole, work = complete(self.kernels, list(self.coordinates), (), 0, where)
        addresses = [checked_address(whole, role, where) for role in ("residual", "tangent")]
        head = [*addresses, len(numbers.q), len(numbers.v), len(values), constant]
        return np.array([*head, *values]), numbers, work + len(numbers.v) ** 2

    def reading(self, where: str) -> Reading:
        """The quantity as it stands in a table of readings."""
        numbers = self.numbers
        addresses = [checked_address(self.kernels, "residual", where)]
        if self.rate is not None:
            addresses.append(checked_address(self.rate, "residual", where))
        sizes = [len(numbers.q), len(numbers.v), len(self.values)]
        kind = FUNCTION_OF_STATE if self.rate is None else COUNTED
        given = [*sizes, *numbers.q.tolist(), *numbers.v.tolist(), *addresses]
        return Reading(kind, [int(x) for x in given], [self.constant, *self.values])

    def slopes(self, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, where: str) -> Slopes:
        """Its value and derivatives at a state with the coordinates of fixed frames, q (total_q,), v and a (total,)."""
        iq, iv = self.numbers
        whole, work = complete(self.kernels, list(self.coordinates), (), 0, where) if len(iv) else (self.kernels, 0)
        p, width = np.asarray(self.values, dtype=float)[None, :], len(iv)
        given = p, iq[None, :].astype(np.int64), iv[None, :].astype(np.int64), t, q, v, a, np.zeros((1, 0))
        scratch, out, none = np.zeros(work + 1), np.zeros((1, 1)), np.zeros((1, 0, 0))
        whole.residual(*given, np.zeros(4), out, none, scratch)
        found = []
        for which in (2, 1, 0):
            w, K = np.zeros(4), np.zeros((1, width, width))
            w[which] = 1.0
            if width:
                whole.tangent(*given, w, np.zeros((1, 0)), K, scratch)
            found.append(K[0, :1].reshape(-1))
        return Slopes(self.constant + float(out[0, 0]), iv, *found)

    def over(self, solution: Any, *, rate: bool = False) -> np.ndarray:
        """Its values (k,) at the times of a solution, or those of its `rate`; angles are up to whole turns."""
        kernels = self.rate if rate else self.kernels
        assert kernels is not None
        fixed, k = solution.layout.fixed, len(solution.t)
        full, out = np.zeros((3, solution.q.shape[1] + len(fixed))), np.zeros((k, 1))
        full[0, solution.q.shape[1] :] = fixed
        p = np.asarray(self.values, dtype=float)[None, :]
        numbers = (np.asarray(x, dtype=np.int64)[None, :] for x in self.numbers)
        states = (np.ascontiguousarray(x, dtype=float) for x in (solution.t, solution.q, solution.v, solution.a))
        where = checked_address(kernels, "residual", solution.where)
        _over_times(where, p, *numbers, full, *states, np.zeros(8), out)
        return out[:, 0] + (0.0 if rate else self.constant)


@compiled
def _over_times(where, p, iq, iv, full, t, q, v, a, room, out):
    """out (k, 1): the number of a kernel at all times; `full` (3, total_q) holds q, v, a with the entries of fixed
    frames at the tail."""
    none = room.reshape((8, 1, 1))[:0]
    for k in range(t.shape[0]):
        for i in range(q.shape[1]):
            full[0, i] = q[k, i]
        for i in range(v.shape[1]):
            full[1, i], full[2, i] = v[k, i], a[k, i]
        run_kernel(
            where, p, iq, iv, t[k], full[0], full[1], full[2], matrix_view(room, 0, 1, 0), room[:4],
            matrix_view(out, k, 1, 1), none, room[4:],
        )  # fmt: skip
