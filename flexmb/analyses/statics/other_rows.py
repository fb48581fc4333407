"""Rest of mechanisms some of whose constraint rows were left out because they repeat others.

Rows that determine a mechanism in one position may depend on one another in another one, where those that were left out
have to take their part (:mod:`flexmb.system.redundancy`). Joint forces do not jump at such an exchange: the new
multipliers λ₁ push as the old ones did,

    G₁ᵀ λ₁ = G₀ᵀ λ₀,      by   [1 G₁ᵀ; G₁ 0] [x; λ₁] = [G₀ᵀ λ₀; 0]
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from flexmb.algebra.factors import Factors, bordered
from flexmb.analyses.statics.balance import Balance
from flexmb.solvers.initial_state import FADED
from flexmb.system.redundancy import other_rows
from flexmb.system.system import System


def rows_fade(balance: Balance, q: np.ndarray) -> np.ndarray | None:
    """The numbers, among all, of the rows that should take part at a position; None where those of now may stay."""
    system = balance.system
    if not system.left_out or not np.all(np.isfinite(q)):
        return None
    rows, share = other_rows(system, balance.t, q)
    return None if share <= FADED or np.array_equal(rows, system.kept) else rows


def exchanged(balance: Balance, q: np.ndarray, lam: np.ndarray) -> np.ndarray:
    """The multipliers (m,) that push as λ does, after rows were exchanged if some fade at the position q."""
    rows = rows_fade(balance, q)
    if rows is None:
        return lam
    before = balance.system
    balance.use_rows(rows)
    return as_pushed(before, lam, balance.system, balance.t, q)


def as_pushed(before: System, lam: np.ndarray, system: System, t: float, q: np.ndarray) -> np.ndarray:
    """The multipliers (m,) of a system that push as those of another choice of rows do; zero where there are none."""
    if np.array_equal(before.kept, system.kept):
        return lam
    G, n = system.jacobian(t, q), system.n
    push = before.jacobian(t, q).T @ lam
    if isinstance(G, np.ndarray):
        one, scaled = np.eye(n), G * system.scale
    else:
        one, scaled = sp.eye_array(n), G @ sp.diags_array(system.scale)
    try:
        x = Factors(bordered(one, scaled)).solve(np.concatenate([system.scale * push, np.zeros(system.m)]))
    except np.linalg.LinAlgError:
        return np.zeros(system.m)
    return x[n:]
