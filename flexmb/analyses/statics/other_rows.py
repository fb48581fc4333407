"""Rest of mechanisms some of whose constraint rows were left out because they repeat others.

Rows that determine a mechanism in one position may depend on one another in another one, where those that were left out
have to take their part (:mod:`flexmb.solvers.changes.exchange`). Joint forces do not jump at such an exchange: the new
multipliers λ₁ push as the old ones did,

    G₁ᵀ λ₁ = G₀ᵀ λ₀,      by   [1 G₁ᵀ; G₁ 0] [x; λ₁] = [G₀ᵀ λ₀; 0]
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from flexmb.algebra.factors import Factors, bordered
from flexmb.analyses.statics.balance import Balance
from flexmb.solvers.changes.exchange import rows_instead
from flexmb.system.system import System


def exchanged(balance: Balance, q: np.ndarray, lam: np.ndarray) -> np.ndarray:
    """The multipliers (m,) that push as λ does, after rows were exchanged if some fade at the position q; zero where
    the new rows depend on one another and the matrix is singular."""
    rows = rows_instead(balance.system, balance.t, q)
    if rows is None:
        return lam
    push = balance.system.jacobian(balance.t, q).T @ lam
    balance.use_rows(rows)
    try:
        return multipliers_against(balance.system, balance.t, q, -push)
    except np.linalg.LinAlgError:
        return np.zeros(balance.m)


def multipliers_against(system: System, t: float, q: np.ndarray, f: np.ndarray) -> np.ndarray:
    """λ (m,) for which Gᵀ λ is nearest to −f, in scaled coordinates."""
    if not system.m:
        return np.zeros(0)
    G = system.jacobian(t, q)
    if isinstance(G, np.ndarray):
        return np.linalg.lstsq((G * system.scale).T, -f * system.scale, rcond=None)[0]
    GS = sp.csc_array(G @ sp.diags_array(system.scale))
    saddle = Factors(bordered(sp.eye_array(system.n), GS))
    return saddle.solve(np.concatenate([-f * system.scale, np.zeros(system.m)]))[system.n :]
