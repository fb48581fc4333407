"""Whether a stiffness derives from a potential: K = Kᵀ on the motions that joints leave free.

On all coordinates K need not be symmetric: a torque about an axis fixed to the ground has no potential in space, but it
has one if a hinge allows only rotations about this axis. So the symmetry of Zᵀ K Z decides, with G Z = 0, or in large
systems that of Wᵀ K W for some random motions W = P X, with the projection

    P = 1 − Gᵀ (G Gᵀ)⁻¹ G,      by   [1 Gᵀ; G 0] [W; Y] = [X; 0]
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.algebra.factors import Factors, bordered
from flexmb.system.rank import free_motions, scaled_rows
from flexmb.system.system import System

#: K is symmetric if no entry differs from its transpose by more than this fraction of the geometric mean of the
#: stiffnesses of its row and its column; compared with the largest one, an axial stiffness, all bending stiffnesses are
#: small
SYMMETRIC = 1e-8
#: a difference below this fraction is certainly round-off
ROUND_OFF = 1e-12
#: the stiffness of a row is taken to be at least this fraction of the largest, in units of the model
ROUND_OFF_ROW = 1e-8
#: up to LARGEST_DENSE free motions all of them are used, in larger systems RANDOM random ones
LARGEST_DENSE, RANDOM = 300, 4


def row_stiffness(system: System, K: Any) -> np.ndarray:
    """The stiffness (n,) of each row of K, in units of the model, and at least what round-off of other rows amounts
    to."""
    scaled = K * system.scale if isinstance(K, np.ndarray) else K @ sp.diags_array(system.scale)
    size = largest_by_row(scaled) * system.scale
    return np.asarray(np.maximum(size, max(ROUND_OFF_ROW * float(np.max(size, initial=0.0)), 1e-300)))


def asymmetry(system: System, K: Any) -> sp.coo_array:
    """|K − Kᵀ|, each entry as a fraction of the geometric mean of the stiffnesses of its row and its column."""
    off = sp.coo_array(abs(K - K.T))
    off.data = _in_stiffnesses(system, K, off)
    return off


def _in_stiffnesses(system: System, K: Any, N: sp.coo_array) -> np.ndarray:
    """The sizes of the entries of N as fractions of the geometric means of the stiffnesses of their rows and
    columns."""
    unit = system.scale / np.sqrt(row_stiffness(system, K))
    return np.asarray(np.abs(N.data) * unit[N.row] * unit[N.col])


def has_potential(system: System, K: Any, G: Any, where: str) -> bool:
    """Whether a stiffness K (n, n) is symmetric on the motions that the Jacobian G (m, n) leaves free."""
    return bool(np.max(asymmetry(system, K).data, initial=0.0) <= SYMMETRIC) or asymmetry_is_held(system, K, G, where)


def asymmetry_is_held(system: System, K: Any, G: Any, where: str) -> bool:
    """Whether K − Kᵀ vanishes on the motions that the Jacobian leaves free, compared with its own size, however small
    it is compared with K; entries that are round-off of their rows do not count."""
    if not system.m:
        return False
    N = sp.coo_array(K - K.T)
    N.data[_in_stiffnesses(system, K, N) <= ROUND_OFF] = 0.0
    seen = abs(_on_free_motions(system, N, G, where))
    size = np.max(np.abs(N.data) * system.scale[N.row] * system.scale[N.col], initial=0.0)
    return bool(np.max(seen, initial=0.0) <= SYMMETRIC * size)


def largest_by_row(K: Any) -> np.ndarray:
    """The largest absolute value in each row of a matrix, dense or sparse."""
    largest = abs(K).max(axis=1)
    return np.asarray(largest.toarray() if sp.issparse(largest) else largest, dtype=float).ravel()


def _on_free_motions(system: System, K: Any, G: Any, where: str) -> np.ndarray:
    """Zᵀ K Z with the free motions Z, all of them or some random ones."""
    n = system.n
    if n == system.m:
        return np.zeros((1, 1))
    if n - system.m <= LARGEST_DENSE:
        Z = free_motions(system, G, where)
    else:
        X = np.vstack([np.random.default_rng(0).normal(size=(n, RANDOM)), np.zeros((system.m, RANDOM))])
        rows = sp.csr_array(scaled_rows(system, G))
        Z = system.scale[:, None] * Factors(bordered(sp.eye_array(n), rows)).solve(X)[:n]
    return np.asarray(Z.T @ (K @ Z))
