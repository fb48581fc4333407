"""Stability of an equilibrium: the lowest eigenvalues of its stiffness against its inertia, K φ = ω² M φ with G φ = 0.

An equilibrium is stable where all ω² are positive. Coordinates without inertia are given a trace of it, which leaves
the signs as they are. Follower forces make K unsymmetric: then the ω² with the lowest real parts are taken, and where
some ω² are complex the mechanism flutters, however positive their real parts are.

Along a path what is wanted are values that pass zero smoothly, cheaply, with the factors of the path itself: hence not
:func:`flexmb.modes`, which answers the same question about a single state with more digits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from flexmb.algebra.eigenvalues import LARGEST_DENSE, round_off
from flexmb.algebra.factors import dense
from flexmb.analyses.statics.balance import Balance
from flexmb.system.rank import free_motions

#: part of the mechanism's inertia that a coordinate without any is given
TRACE = 1e-12
#: an energy this many times the round-off of its terms is one
CERTAIN = 5.0
#: an imaginary part of this size of an ω² is one
COMPLEX = 1e-6


class Lowest(NamedTuple):
    """The lowest ω² (c,) [1/s²], their shapes (n, c), and whether each tells from round-off (c,): the energy φᵀ K φ is
    compared with the sum of the sizes of its terms."""

    values: np.ndarray
    shapes: np.ndarray
    certain: np.ndarray
    #: whether some ω² are complex: with follower forces only
    flutters: bool = False

    @property
    def downhill(self) -> bool:
        """Whether some motion leads down."""
        return bool(np.any((self.values < 0.0) & self.certain))

    @property
    def free(self) -> list[int]:
        """Which motions nothing resists."""
        return np.flatnonzero(~self.certain).tolist()


def lowest(balance: Balance, q: np.ndarray, lam: np.ndarray, count: int = 3) -> Lowest:
    """The lowest eigenvalues at an equilibrium, all there are if there are fewer than `count`."""
    n, m, system = balance.n, balance.m, balance.system
    freedom = n - m
    if freedom == 0:
        return nothing(n)
    count = min(count, freedom)
    trace = TRACE * system.mass_scale * (system.length_scale / system.scale) ** 2
    M = balance.tangent(q, lam, (1.0, 0.0, 0.0)) + (
        np.diag(trace) if freedom <= LARGEST_DENSE else sp.diags_array(trace)
    )
    K = balance.tangent(q, lam, (0.0, 0.0, 1.0))
    if freedom <= LARGEST_DENSE:
        values, shapes = _dense(balance, q, dense(K), dense(M), count)
    else:
        values, shapes = _sparse(balance, q, lam, K, M, count)
    flutters = bool(np.any(np.abs(values.imag) > COMPLEX * np.abs(values)))
    order = np.argsort(values.real, kind="stable")[:count]
    values, shapes = values.real[order], shapes.real[:, order]
    energy = np.abs(np.sum(shapes * (K @ shapes), axis=0))
    return Lowest(values, shapes, energy > CERTAIN * round_off(K, shapes), flutters)


def nothing(n: int) -> Lowest:
    """No eigenvalues."""
    return Lowest(np.zeros(0), np.zeros((n, 0)), np.zeros(0, dtype=bool))


def _dense(balance: Balance, q: np.ndarray, K: np.ndarray, M: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    system = balance.system
    Z = free_motions(system, system.jacobian(balance.t, q), f"model {system.model.name!r}")
    free_K, free_M = Z.T @ K @ Z, Z.T @ M @ Z
    if symmetric(free_K):
        _, shapes = scipy.linalg.eigh(
            0.5 * (free_K + free_K.T), 0.5 * (free_M + free_M.T), subset_by_index=[0, count - 1]
        )
        shapes = Z @ shapes
        # the solver's values are off by the round-off of the stiffest motions, which Rayleigh's quotient does not feel
        return np.sum(shapes * (K @ shapes), axis=0) / np.sum(shapes * (M @ shapes), axis=0), shapes
    values, shapes = scipy.linalg.eig(free_K, free_M)  # all of them: any pair may flutter
    return values, Z @ shapes


def _sparse(
    balance: Balance, q: np.ndarray, lam: np.ndarray, K: sp.sparray, M: sp.sparray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Shift and invert with the factors of the tangent; multipliers keep the solutions on the constraints."""
    n = balance.n
    shift = 0.0
    for _ in range(4):
        if balance.factorise(q, lam, shift):
            break
        shift = 1e-6 * balance.stiffness / balance.system.mass_scale if shift == 0.0 else 10.0 * shift

    def inverse(b: np.ndarray) -> np.ndarray:
        return balance.solve(np.concatenate([b.ravel(), np.zeros(balance.m)]))[:n]

    operator = sp.linalg.LinearOperator((n, n), matvec=inverse, dtype=float)
    begin = inverse(M @ np.random.default_rng(0).normal(size=n))
    solve = sp.linalg.eigsh if symmetric(K) else sp.linalg.eigs
    values, shapes = solve(K, k=count, M=M, sigma=-shift, OPinv=operator, v0=begin)
    return values, shapes


def symmetric(K: np.ndarray | sp.sparray) -> bool:
    """Whether a stiffness matrix is one of conservative forces."""
    return bool(abs(K - K.T).max() <= 1e-8 * max(abs(K).max(), 1e-300))
