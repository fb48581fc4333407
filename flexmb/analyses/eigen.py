"""What the eigenvalue problems of small motions under constraints share.

    K φ = ω² M φ   and   (λ² M + λ C + K) φ = 0,   with G φ = 0

Both are solved inverted about a shift σ: what comes out with the largest magnitude lies nearest to the shift, and it is
not disturbed by the stiffest motions, whose eigenvalues may be 10¹² times as large.

    small models  in the null space of G (:func:`free_motions`), all eigenvalues, dense
    large models  x = (K − σ M)⁻¹ M y by one sparse factorisation of [K − σ M, Gᵀ; G, 0], whose solutions lie in the
                  null space, in Lanczos' or Arnoldi's iteration, see Lehoucq, Sorensen and Yang (1998)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.algebra.factors import Solver, dense, refined, saddle_solver
from flexmb.algebra.rank import orthonormal_null_space
from flexmb.analyses.rotating import SmallMotions
from flexmb.errors import RedundancyError
from flexmb.system import sparse_lu
from flexmb.system.system import System

#: degrees of freedom up to which all eigenvalues are computed, by dense matrices
LARGEST_DENSE = 150
#: φᵀ K φ below this many units of round-off of its terms is zero
ROUND_OFF = 10.0 * np.finfo(float).eps
#: directions whose inertia is this part of the others' have none
NO_INERTIA = 1e-12


def use_dense(dense: bool | None, size: int, count: int) -> bool:
    """Whether to compute all eigenvalues: as asked, or for small problems and where many are wanted."""
    if dense is not None:
        return dense
    return size <= LARGEST_DENSE or 3 * count > size


def round_off(K: Any, shapes: np.ndarray) -> np.ndarray:
    """How far φᵀ K φ (c,) may be off by the round-off of its terms."""
    size = np.abs(shapes)
    return ROUND_OFF * np.sum(size * (abs(K) @ size), axis=0)


def free_motions(system: System, G: Any, where: str) -> np.ndarray:
    """Z (n, n − m), dense: what a Jacobian leaves free, orthonormal in the scaled coordinates."""
    if not system.m:
        return np.diag(system.scale)
    scaled = dense(G) / system.row_scale[:, None] * system.scale
    try:
        return system.scale[:, None] * orthonormal_null_space(scaled)
    except np.linalg.LinAlgError:
        raise RedundancyError(
            f"{where}: constraint rows depend on each other in this position (singular position, or redundant joints); "
            "move away from it, or use redundant='remove'"
        ) from None


def inertia_rank(M: np.ndarray) -> int:
    """How many directions of a symmetric inertia matrix have inertia."""
    size = np.sqrt(np.maximum(np.diag(M), 0.0))
    size[size == 0.0] = 1.0
    return int(np.sum(np.linalg.eigvalsh(M / np.outer(size, size)) > NO_INERTIA))


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

    return refined(A, solve_once, system.n, worth)
