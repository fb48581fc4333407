"""The solver that the eigenvalue problems of small motions under constraints share.

    K φ = ω² M φ   and   (λ² M + λ C + K) φ = 0,   with G φ = 0

Both problems are inverted about a shift σ. The eigenvalues nearest to the shift then have the largest magnitude, and
the stiffest motions, whose eigenvalues may be 10¹² times as large, do not disturb them.

    small models  in the null space of G (:func:`flexmb.system.rank.free_motions`), all eigenvalues, dense
    large models  x = (K − σ M)⁻¹ M y by one sparse factorization of [K − σ M, Gᵀ; G, 0], whose solutions lie in the
                  null space, in Lanczos' or Arnoldi's iteration, see Lehoucq, Sorensen and Yang (1998)
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from flexmb.algebra import sparse_lu, sparse_solve, sparse_storage
from flexmb.algebra.factors import Solver, refined, saddle_solver
from flexmb.analyses.vibration.rotating import SmallMotions


def tangent_solver(motions: SmallMotions, shift: float) -> Solver | None:
    """b (n,) ↦ x with (K − σ M) x + Gᵀ μ = b, G x = 0 about rest; None where that is singular.

    A large system has its own sparse factorization, whose column order is known; it takes a tenth of SuperLU's time.
    """
    system = motions.system
    if system.pattern is None or motions.rotation is not None:
        K = sp.csc_array(motions.K - shift * motions.M if shift else motions.K)
        return saddle_solver(K, sp.csc_array(motions.G) if system.m else None)
    stiffness = float(np.max(np.abs(motions.K.diagonal()))) or 1.0
    A = system.matrix(motions.t, motions.q, *motions.rates, motions.lam, (-shift / stiffness, 0.0, 1.0 / stiffness))
    status, factor = sparse_lu.factorize_growing(system.linear.sparse, np.asarray(A.data))
    if status != sparse_storage.OK:
        return None
    work = np.zeros(A.shape[0])

    def solve_once(b: np.ndarray) -> np.ndarray:
        x = np.array(b, dtype=float)
        sparse_solve.solve(factor, x, work)
        return x

    return refined(A, solve_once, system.n, stiffness)
