"""Whether a stiffness has a potential: K = Kᵀ on the motions that joints leave free.

Of all coordinates K need not be symmetric: a torque about an axis of the ground has no potential in space, and yet it
has one on a hinge about this axis. So Zᵀ K Z is what counts, with G Z = 0, or in large systems Wᵀ K W for some random
motions W = P X, with the projection

    P = 1 − Gᵀ (G Gᵀ)⁻¹ G,      by   [1 Gᵀ; G 0] [W; Y] = [X; 0]
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.algebra.factors import Factors, bordered
from flexmb.system.rank import free_motions, scaled_rows
from flexmb.system.system import System

#: K is symmetric if no entry differs from its mirror by more than this part of the largest one
SYMMETRIC = 1e-8
#: free motions up to which all of them are looked at; random ones in larger systems
LARGEST_DENSE, RANDOM = 300, 4


def is_symmetric(K: Any) -> bool:
    """Whether a matrix is symmetric, as the stiffness of conservative forces is."""
    return bool(abs(K - K.T).max() <= SYMMETRIC * max(abs(K).max(), 1e-300))


def has_potential(system: System, K: Any, G: Any, where: str) -> bool:
    """Whether a stiffness K (n, n) is symmetric on the motions that the Jacobian G (m, n) leaves free."""
    return is_symmetric(K) or bool(system.m and is_symmetric(_on_free_motions(system, K, G, where)))


def asymmetry_is_held(system: System, K: Any, G: Any, where: str) -> bool:
    """Whether the motions that the Jacobian leaves free see nothing of K − Kᵀ, however small that is beside K."""
    if not system.m:
        return False
    off = abs(_on_free_motions(system, K - K.T, G, where))
    scaled = sp.coo_array(K - K.T)
    size = np.max(np.abs(scaled.data) * system.scale[scaled.row] * system.scale[scaled.col], initial=0.0)
    return bool(np.max(off, initial=0.0) <= SYMMETRIC * size)


def _on_free_motions(system: System, K: Any, G: Any, where: str) -> np.ndarray:
    """Zᵀ K Z with the free motions Z, all or some random ones."""
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
