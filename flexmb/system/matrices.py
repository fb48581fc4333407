"""The matrices of a system: Newton's matrix, its parts, and the Jacobian of the constraints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import compress
from typing import Any

import numpy as np
import scipy

from flexmb.kernels.references import alike
from flexmb.system import evaluation, linear
from flexmb.system.assembly import Assembly
from flexmb.system.friction import add_friction_to_matrix
from flexmb.system.linear import Linear
from flexmb.system.near import lacks
from flexmb.system.plan import ROWS, Compressed, Plan, Scratch


class Matrices(ABC):
    """The matrices of a :class:`~flexmb.system.system.System`."""

    n: int
    m: int
    plan: Plan
    scratch: Scratch
    linear: Linear
    pattern: Compressed | None
    assembly: Assembly
    #: coordinates (total_q,) with which the model begins, the size of changes (n,) of each, and of a length
    initial: np.ndarray
    scale: np.ndarray
    length_scale: float
    _zero: np.ndarray
    _weights: np.ndarray
    #: the groups of the plan, and those among them that have constraint rows, once they were asked for
    _joined: tuple[np.ndarray | None, np.ndarray]

    @abstractmethod
    def full(self, x: np.ndarray) -> np.ndarray:
        """Speeds (n,) with those of what is clamped, (total,)."""

    @abstractmethod
    def full_q(self, q: np.ndarray) -> np.ndarray:
        """Coordinates (nq,) with those of what is clamped, (total_q,)."""

    @abstractmethod
    def grow(self) -> None:
        """Enlarge the room for the factors."""

    def matrix(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        a: np.ndarray,
        lam: np.ndarray,
        weights: tuple[float, ...],
    ) -> np.ndarray | scipy.sparse.csc_array:
        """[wm M + wd D + wk K, Gᵀ; G, 0] with weights (wm, wd, wk): a dense array when small, sparse when large. A
        fourth weight multiplies ∂ġ/∂q, which is added to the velocity rows of G. Friction F that depends on the joints'
        own forces is part of D and K, and ∂F/∂λ is added to Gᵀ."""
        return self.shaped(self._matrix_values(t, q, v, a, lam, weights))

    def matrix_array(
        self, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray, weights: tuple[float, ...]
    ) -> np.ndarray:
        """The matrix of :meth:`matrix` as an array: for systems so small that sparse matrices cost more than zeros."""
        return self._as_array(self._matrix_values(t, q, v, a, lam, weights))

    def _matrix_values(self, t: float, q: Any, v: Any, a: Any, lam: Any, weights: Any) -> np.ndarray:
        motion = (float(t), self.full_q(q), self.full(v), self.full(a))
        given = (np.ascontiguousarray(lam, dtype=float), np.array(weights, dtype=float))
        values = self._filled(*motion, *given)
        if self.plan.friction:
            add_friction_to_matrix(self.plan, self.scratch, *motion, *given, 1.0, values)
        return values

    def _filled(self, *given: Any) -> np.ndarray:
        """The values of the matrix, with entries for all pairs that touch."""
        while True:
            values = np.zeros(len(self.linear.values))
            evaluation.matrix(self.plan, self.scratch, *given, values)
            if not lacks(self.plan.near):
                return values
            self.grow()

    def shaped(self, values: np.ndarray) -> np.ndarray | scipy.sparse.csc_array:
        """The matrix (n + m, n + m) with the given values, in the order of the plan."""
        if self.pattern is None:
            return values.reshape(self.plan.size, self.plan.size)
        columns, rows = self.pattern
        return scipy.sparse.csc_array((values, rows, columns), shape=(self.plan.size, self.plan.size))

    def _as_array(self, values: np.ndarray) -> np.ndarray:
        """The matrix (n + m, n + m) with the given values, as an array."""
        size = self.plan.size
        if self.pattern is None:
            return values.reshape(size, size)
        starts, rows = self.pattern
        out = np.zeros((size, size))
        out[rows, np.repeat(np.arange(size), np.diff(starts))] = values
        return out

    def tangent(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        a: np.ndarray,
        lam: np.ndarray,
        weights: tuple[float, float, float],
    ) -> np.ndarray | scipy.sparse.csc_array:
        """wm M + wd D + wk K, (n, n)."""
        return self.matrix(t, q, v, a, lam, weights)[: self.n, : self.n]

    def diagonal(self, q: np.ndarray, weights: tuple[float, float, float], t: float = 0.0) -> np.ndarray:
        """The diagonal (n,) of wm M + wd D + wk K at rest, without forces in the joints."""
        return self._diagonal_at(float(t), self.full_q(q), weights)

    def _diagonal_at(self, t: float, q: np.ndarray, weights: tuple[float, float, float]) -> np.ndarray:
        """The diagonal of :meth:`diagonal`, for all coordinates q (total_q,)."""
        rest = (self._zero, self._zero, np.zeros(self.m), np.array(weights, dtype=float))
        values = self._filled(t, q, *rest)
        return linear.diagonal(self.plan, self.pattern, values)

    def scale_of_masses(self) -> float:
        """The largest mass [kg] that is accelerated along a length in the initial position, with the parameters as they
        are now; where none is, the largest inertia."""
        masses = self._diagonal_at(0.0, self.initial, (1.0, 0.0, 0.0))
        of_lengths = masses * (self.scale / self.length_scale) ** 2  # of amplitudes by their own sizes
        is_length = [measure == "length" for measure in self.assembly.free.measures]
        largest = max(compress(of_lengths.tolist(), is_length), default=0.0)
        return largest if largest > 0 else float(masses.max() or 1.0)

    def jacobian(self, t: float, q: np.ndarray) -> np.ndarray | scipy.sparse.csc_array:
        """G, (m, n)."""
        return self.jacobian_in(self._jacobian_values(t, q))

    def jacobian_array(self, t: float, q: np.ndarray) -> np.ndarray:
        """G, (m, n), as an array."""
        return self._as_array(self._jacobian_values(t, q))[self.n :, : self.n]

    def _jacobian_values(self, t: float, q: np.ndarray) -> np.ndarray:
        values = np.zeros(len(self.linear.values))
        groups, those = self._joined
        if groups is not self.plan.groups:
            groups = self.plan.groups
            self._joined = groups, (those := groups[groups[:, ROWS] > 0])
        joints = alike(self.plan._replace(groups=those), self.plan)
        rest = (self._zero, self._zero, np.zeros(self.m), self._weights)
        evaluation.matrix(joints, self.scratch, float(t), self.full_q(q), *rest, values)
        return values

    def jacobian_in(self, values: np.ndarray) -> np.ndarray | scipy.sparse.csc_array:
        """G, (m, n), extracted from the values of the whole matrix."""
        return self.shaped(values)[self.n :, : self.n]

    def mass_matrix(self, t: float, q: np.ndarray, v: np.ndarray | None = None) -> np.ndarray | scipy.sparse.csc_array:
        """M, (n, n). Where it depends on states of first order, as on the used mass of a tank, these are taken from the
        speeds v (n,), and are zero without them."""
        zero = np.zeros(self.n)
        return self.tangent(t, q, zero if v is None else v, zero, np.zeros(self.m), (1.0, 0.0, 0.0))
