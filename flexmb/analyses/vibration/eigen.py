"""What the eigenvalue problems of small motions under constraints share.

    K φ = ω² M φ   and   (λ² M + λ C + K) φ = 0,   with G φ = 0

Both are solved inverted about a shift σ: what comes out with the largest magnitude lies nearest to the shift, and it is
not disturbed by the stiffest motions, whose eigenvalues may be 10¹² times as large.

    small models  in the null space of G (:mod:`flexmb.algebra.null_space`), all eigenvalues, dense
    large models  x = (K − σ M)⁻¹ M y by one sparse factorisation of [K − σ M, Gᵀ; G, 0], whose solutions lie in the
                  null space, in Lanczos' or Arnoldi's iteration, see Lehoucq, Sorensen and Yang (1998)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from flexmb.algebra import sparse_lu
from flexmb.algebra.null_space import null_space
from flexmb.analyses.vibration.rotating import SmallMotions


def dense_null_space(motions: SmallMotions, where: str) -> np.ndarray:
    """Z (n, n − m), dense."""
    system = motions.system
    if not system.m:
        return np.diag(system.scale)
    G = motions.G if isinstance(motions.G, np.ndarray) else motions.G.toarray()
    return null_space(G, system.scale, system.row_scale, where)


Solver = Callable[[np.ndarray], np.ndarray]


def tangent_solver(motions: SmallMotions, shift: float) -> Solver | None:
    """b (n,) ↦ x with (K − σ M) x + Gᵀ μ = b, G x = 0 about rest; None where that is singular.

    A large system has its own sparse factorisation, whose column order is known; it takes a tenth of SuperLU's time.
    """
    system = motions.system
    if system.pattern is None or motions.rotation is not None:
        K = sp.csc_array(motions.K - shift * motions.M if shift else motions.K)
        return saddle_solver(K, sp.csc_array(motions.G) if system.m else None)
    worth = float(np.max(np.abs(motions.K.diagonal()))) or 1.0
    A = system.matrix(motions.t, motions.q, *motions.rates, motions.lam, (-shift / worth, 0.0, 1.0 / worth))
    status, factor = sparse_lu.factorise_growing(system.linear.sparse, np.asarray(A.data))
    if status != sparse_lu.OK:
        return None
    work = np.zeros(A.shape[0])

    def solve_once(b: np.ndarray) -> np.ndarray:
        x = np.array(b, dtype=float)
        sparse_lu.solve(factor, x, work)
        return x

    return _checked(A, solve_once, system.n, worth)


def saddle_solver(A: sp.csc_array, G: sp.csc_array | None) -> Solver | None:
    """b (n,) ↦ x with A x + Gᵀ μ = b, G x = 0; None where that is singular.

    The rows of G are scaled to the size of A, so that pivots are chosen by what they are worth.
    """
    n = A.shape[0]
    if G is not None:
        worth = float(np.max(np.abs(A.diagonal()))) or 1.0
        A = sp.csc_array(sp.block_array([[A, worth * G.T], [worth * G, None]]))
    A.eliminate_zeros()
    try:
        lu = sp.linalg.splu(A, permc_spec="COLAMD", diag_pivot_thresh=0.1)
    except RuntimeError:
        return None
    return _checked(A, lu.solve, n, 1.0)


def _checked(A: sp.csc_array, solve_once: Solver, n: int, worth: float) -> Solver | None:
    """The solver of the first n unknowns, with a step of refinement if the factors need it."""
    m = A.shape[0] - n
    b0 = np.concatenate([np.random.default_rng(1).normal(size=n), np.zeros(m)])
    x0 = solve_once(b0)
    if not np.all(np.isfinite(x0)):
        return None
    refine = np.linalg.norm(A @ x0 - b0) > 1e-12 * np.linalg.norm(abs(A) @ np.abs(x0) + np.abs(b0))

    def solve(b: np.ndarray) -> np.ndarray:
        right = np.concatenate([b, np.zeros(m)]) / worth
        x = solve_once(right)
        if refine:
            x += solve_once(right - A @ x)
        return x[:n]

    return solve
