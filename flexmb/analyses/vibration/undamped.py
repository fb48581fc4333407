"""Eigenvalues ω² of small undamped motions under constraints: K φ = ω² M φ, G φ = 0.

Motions that nothing resists make K singular. Their φᵀ K φ is zero to round-off, which tells them from slow vibrations.
The shift then moves below zero, by as much as the slowest vibration is above it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from flexmb.algebra.eigenvalues import NO_INERTIA, ROUND_OFF, inertia_rank, round_off, use_dense
from flexmb.analyses.vibration.eigen import tangent_solver
from flexmb.analyses.vibration.rotating import SmallMotions
from flexmb.errors import SolverError
from flexmb.machine.threads import threads_for
from flexmb.model import checks
from flexmb.system.rank import free_motions

#: error of the vectors of Lanczos' iteration; that of the eigenvalues is below its square
TOLERANCE = 1e-10
#: largest relative error of an eigenvector in its equation
WORST_RESIDUAL = 1e-5
#: ω² that are apart by more than this factor are not found at once without a shift
APART = 1e10
#: restarts of Lanczos' iteration after which another shift is tried: in the first attempt, and in later ones
FEW_RESTARTS, MANY_RESTARTS = 8, 100


class Undamped:
    """The eigenvalues ω² (c,) of K φ = ω² M φ, ascending, with their shapes (n, c), φᵀ M φ = 1."""

    def __init__(self, motions: SmallMotions, count: int, dense: bool | None, where: str) -> None:
        self.where, self.count, self.motions = where, count, motions
        freedom = motions.system.n - motions.system.m
        self.dense = use_dense(checks.flag_or_none(dense, "dense", where), freedom, count)
        with threads_for(freedom if self.dense else 0):
            solver = _DenseSymmetric(motions, where) if self.dense else _SparseSymmetric(motions, where)
            self.values, self.shapes = self._solve(solver)

    def _solve(self, solver: Any) -> tuple[np.ndarray, np.ndarray]:
        shift = 0.0
        for attempt in range(5):
            outcome = solver.eigenvalues_near(shift, self.count, many_restarts=attempt > 0)
            if isinstance(outcome, float):  # no eigenvalues, but the next shift to try
                shift = outcome
                continue
            values, shapes, shift = outcome
            unsure = round_off(self.motions.K, shapes) + ROUND_OFF * 20.0 * abs(shift)
            # where stiff directions spoil ω², φᵀ K φ still tells a motion that nothing resists
            resisted = np.abs(np.einsum("ij,ij->j", shapes, self.motions.K @ shapes))
            zero = np.minimum(np.abs(values), resisted) <= unsure
            elastic = np.abs(values[~zero])
            slowest = float(elastic.min()) if len(elastic) else 1e-6 * solver.typical
            if not zero.any() or -shift > 1e-3 * slowest:
                break
            shift = -slowest
        else:
            raise SolverError(
                f"{self.where}: the stiffness matrix cannot be factorized near any shift; check the model for parts "
                "whose stiffness or mass is many powers of ten from that of the others"
            )
        self.round_off, self.is_zero = unsure, zero
        return values, shapes


class _DenseSymmetric:
    def __init__(self, motions: SmallMotions, where: str) -> None:
        self.where = where
        self.Z = Z = free_motions(motions.system, motions.G, where)
        self.K, self.M = _symmetric_part(Z.T @ (motions.K @ Z)), _symmetric_part(Z.T @ (motions.M @ Z))
        self.finite = inertia_rank(self.M)
        self.typical = float(np.max(np.abs(np.diag(self.K)), initial=0.0) / max(np.max(np.diag(self.M)), 1e-300)) or 1.0

    def eigenvalues_near(
        self, shift: float, count: int, many_restarts: bool
    ) -> tuple[np.ndarray, np.ndarray, float] | float:
        """The lowest eigenvalues with their shapes, and a shift below all of them."""
        try:
            with np.errstate(all="ignore"):
                inverse, y = scipy.linalg.eigh(self.M, self.K - shift * self.M)
        except np.linalg.LinAlgError:
            shift = self._shift_below_all()
            inverse, y = scipy.linalg.eigh(self.M, self.K - shift * self.M)
        keep = np.argsort(-inverse)[: min(count, self.finite)]
        if shift == 0.0 and len(keep) and inverse[keep[0]] > APART * abs(inverse[keep[-1]]):
            # The slowest may be a zero that rounding made positive, beside which nothing is left of the others.
            return self.eigenvalues_near(self._shift_below_all(), count, many_restarts)
        return shift + 1.0 / inverse[keep], self.Z @ (y[:, keep] / np.sqrt(inverse[keep])), shift

    def _shift_below_all(self) -> float:
        """A shift below all eigenvalues, by as much as the slowest vibration is above zero."""
        trace = 0.0 if self.finite == len(self.M) else NO_INERTIA * np.max(np.diag(self.M))
        values = scipy.linalg.eigh(self.K, self.M + trace * np.eye(len(self.M)), eigvals_only=True)
        noise = 1e-12 * np.max(np.abs(values))
        elastic = np.abs(values[np.abs(values) > noise])
        lowest = float(min(values[0], 0.0))
        return 2.0 * lowest - (float(elastic.min()) if len(elastic) else 1e-6 * self.typical)


class _SparseSymmetric:
    def __init__(self, motions: SmallMotions, where: str) -> None:
        self.motions, self.where = motions, where
        self.K, self.M = sp.csc_array(motions.K), sp.csc_array(motions.M)
        self.typical = float(np.max(np.abs(self.K.diagonal()))) / max(float(self.M.diagonal().max()), 1e-300)

    def eigenvalues_near(
        self, shift: float, count: int, many_restarts: bool
    ) -> tuple[np.ndarray, np.ndarray, float] | float:
        """The eigenvalues nearest to the shift, with their shapes and the shift; if the iteration does not converge,
        another shift to try."""
        n = self.motions.system.n
        solve = tangent_solver(self.motions, shift)
        another = -1e-9 * self.typical if shift == 0.0 else 100.0 * shift
        if solve is None:
            return another
        operator = sp.linalg.LinearOperator((n, n), matvec=lambda b: solve(b.ravel()), dtype=float)
        restarts = MANY_RESTARTS if many_restarts else FEW_RESTARTS
        options = {"sigma": shift, "which": "LM", "tol": TOLERANCE, "maxiter": restarts}
        begin = solve(self.M @ np.random.default_rng(0).normal(size=n))
        try:
            values, shapes = sp.linalg.eigsh(self.K, count, self.M, OPinv=operator, v0=begin, **options)
        except sp.linalg.ArpackNoConvergence as stopped:
            # The lowest are so far from the others that round-off hides these, so the next shift is further away.
            converged = np.abs(stopped.eigenvalues)
            return min(another, -float(converged.max())) if len(converged) and shift == 0.0 else another
        except (sp.linalg.ArpackError, RuntimeError):
            return another
        order = np.argsort(values)
        values, shapes = values[order], shapes[:, order]
        again = np.column_stack([solve(self.M @ shape) for shape in shapes.T]) * (values - shift)
        missed = np.linalg.norm(shapes - again, axis=0) / np.linalg.norm(shapes, axis=0)
        if np.all(missed <= WORST_RESIDUAL):
            return values, shapes, shift
        return -float(np.abs(values).max()) if shift == 0.0 else another


def _symmetric_part(A: np.ndarray) -> np.ndarray:
    return 0.5 * (A + A.T)
