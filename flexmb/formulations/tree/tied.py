"""Coordinates that rows tie to others, such as the angle that a joint in space counts and the travel of an actuator.

A tree gives the coordinates of nodes and of its joints. Where a row has one coordinate s more than these,

    g(q, s) = 0,    s = s(q),    ∂g/∂s ṡ = −ġ,    ∂g/∂s s̈ = γ − G a,

it determines s and holds nothing: whoever counts it among the rows that hold the mechanism takes a freedom too many.
Rows follow one another, as the angle of a rotor behind a reducer follows a counted angle. A row with nothing but s, as
that of a drive, ties s to nothing, and holds.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import scipy

from flexmb.algebra.factors import dense
from flexmb.system.system import System


class Tied:
    """The coordinates `own` (k,) of a system that as many of its `rows` (k,) tie to those `given` (n,), a mask; rows
    `besides`, which given coordinates meet by themselves, tie nothing. Indices are the same in q and in v."""

    def __init__(self, system: System, given: np.ndarray, besides: Iterable[int] = ()) -> None:
        self.system = system
        known, besides = given.copy(), {*besides}
        G = scipy.sparse.csr_array(system.jacobian(0.0, system.q0))
        left = [
            (k, G.indices[first:last][G.data[first:last] != 0.0])
            for k, (first, last) in enumerate(zip(G.indptr, G.indptr[1:]))
            if k not in besides and system.rows[k].level == "position" and not known[G.indices[first:last]].all()
        ]
        own, rows, before = list[int](), list[int](), -1
        while len(own) != before:
            before = len(own)
            for k, numbers in left:
                if len(numbers) > 1 and len(new := numbers[~known[numbers]]) == 1:
                    own.append(int(new[0]))
                    rows.append(k)
                    known[new] = True
        self.own, self.rows = np.array(own, dtype=np.int64), np.array(rows, dtype=np.int64)

    def put(self, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
        """Write the own coordinates, speeds and accelerations that follow from the given ones in q (nq,), v (n,) and a
        (n,) at a time [s]; angles within half a turn of those in q."""
        if not len(self.own):
            return
        own, rows, system = self.own, self.rows, self.system
        hold = self._hold(t, q)[0]
        q[own] -= hold @ system.constraint(t, q, v)[0][rows]
        hold, G = self._hold(t, q)
        v[own] -= hold @ system.constraint(t, q, v)[1][rows]
        a[own] += hold @ (system.constraint(t, q, v)[2][rows] - G @ a)

    def put_columns(self, t: float, q: np.ndarray, J: np.ndarray) -> None:
        """Write the rows of the own speeds into J (n, …), the speeds of the system for some unit speeds."""
        if len(self.own):
            hold, G = self._hold(t, q)
            J[self.own] = 0.0
            J[self.own] = -hold @ (G @ J)

    def _hold(self, t: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(∂g/∂s)⁻¹ (k, k) and the rows G (k, n)."""
        G = dense(self.system.jacobian(t, q))[self.rows]
        return np.linalg.inv(G[:, self.own]), G
