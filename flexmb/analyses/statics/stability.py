"""Stability of an equilibrium: the lowest eigenvalues of its stiffness against its inertia, K φ = ω² M φ with G φ = 0.

An equilibrium is stable where all ω² are positive; the wheels of gyrostats do not count, with which it may be so
elsewhere too. Coordinates without inertia are given a trace of inertia, which does
not change the signs. Follower forces make K unsymmetric. Then the ω² with the lowest real parts are taken, and the
mechanism flutters where some ω² are complex, even if their real parts are positive.

A path needs values that pass zero smoothly and that cost little, so this file uses the factors of the path itself.
:func:`flexmb.modes` answers the same question about a single state with more digits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from flexmb.algebra.eigenvalues import LARGEST_DENSE, round_off
from flexmb.algebra.factors import dense
from flexmb.analyses.statics.balance import Balance
from flexmb.system.potential import has_potential
from flexmb.system.rank import free_motions

#: inertia given to a coordinate that has none, as a part of the mechanism's inertia
TRACE = 1e-12
#: an energy differs from zero for certain if it exceeds the round-off of its terms by this factor
CERTAIN = 5.0
#: what moves by less than this part of the most in a shape is round-off of the shape, whose energy says nothing
UNSEEN = 1e-10
#: an ω² is complex if its imaginary part exceeds this part of its size
COMPLEX = 1e-6


class LowestEigenvalues(NamedTuple):
    """The lowest ω² (c,) [1/s²], their shapes (n, c), and whether each is certain not to be zero (c,): its energy
    φᵀ K φ is compared with the round-off of the terms."""

    values: np.ndarray
    shapes: np.ndarray
    certain: np.ndarray
    #: whether some ω² are complex, which only follower forces can cause
    flutters: bool = False

    @property
    def downhill(self) -> bool:
        """Whether some motion leads away, downhill."""
        return bool(np.any((self.values < 0.0) & self.certain))

    @property
    def free(self) -> list[int]:
        """Numbers of the motions that nothing resists."""
        return np.flatnonzero(~self.certain).tolist()


def lowest_eigenvalues(balance: Balance, q: np.ndarray, lam: np.ndarray, count: int = 3) -> LowestEigenvalues:
    """The `count` lowest eigenvalues at an equilibrium, or all if there are fewer; in steady rotation those of motions
    beside the cyclic ones, whose zeros would be round-off that changes its sign."""
    n, m, system = balance.n, balance.m, balance.system
    freedom = n - m - balance.cyclic.shape[1]
    if freedom <= 0:
        return no_eigenvalues(n)
    count = min(count, freedom)
    trace = TRACE * system.mass_scale * (system.length_scale / system.scale) ** 2
    K, M = (balance.tangent(q, lam, weights) for weights in ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0)))
    if freedom <= LARGEST_DENSE:
        M = M + np.diag(trace)
        values, shapes = _dense(balance, q, dense(K), dense(M), count)
    else:
        M = M + sp.diags_array(trace)
        values, shapes = _sparse(balance, q, lam, K, M, count)
    flutters = bool(np.any(np.abs(values.imag) > COMPLEX * np.abs(values)))
    order = np.argsort(values.real, kind="stable")[:count]
    values, shapes = values.real[order], shapes.real[:, order]
    size = np.abs(shapes) / system.scale[:, None]
    seen = np.where(size > UNSEEN * np.max(size, axis=0, initial=0.0), shapes, 0.0)
    unseen = np.abs(shapes - seen)
    noise = CERTAIN * round_off(K, shapes), CERTAIN * round_off(K, seen) + _work(abs(K), unseen)
    certain = (np.abs(_work(K, shapes)) > noise[0]) & (np.abs(_work(K, seen)) > noise[1])
    return LowestEigenvalues(values, shapes, certain, flutters)


def _work(A: Any, shapes: np.ndarray) -> np.ndarray:
    """φᵀ A φ of each shape (c,)."""
    return np.einsum("nc,nc->c", shapes, A @ shapes)


def no_eigenvalues(n: int) -> LowestEigenvalues:
    """No eigenvalues."""
    return LowestEigenvalues(np.zeros(0), np.zeros((n, 0)), np.zeros(0, dtype=bool))


def _dense(balance: Balance, q: np.ndarray, K: np.ndarray, M: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    system = balance.system
    G = system.jacobian(balance.t, q) if system.m else np.zeros((0, system.n))
    Z = free_motions(system, G, f"model {system.model.name!r}")
    cyclic = balance.cyclic_now(q)
    if cyclic.shape[1]:  # K z = 0: the eigenvalues are those across z, φᵀ M z = 0
        Z = Z @ scipy.linalg.null_space((M @ cyclic).T @ Z)
    free_K, free_M = Z.T @ K @ Z, Z.T @ M @ Z
    if has_potential(system, K, G, system.model.name):
        _, shapes = scipy.linalg.eigh(
            0.5 * (free_K + free_K.T), 0.5 * (free_M + free_M.T), subset_by_index=[0, count - 1]
        )
        shapes = Z @ shapes
        # Rayleigh's quotient is free of the round-off of the stiffest motions, which the solver's values contain.
        return _work(K, shapes) / _work(M, shapes), shapes
    values, shapes = scipy.linalg.eig(free_K, free_M)  # all eigenvalues, since any pair may flutter
    return values, Z @ shapes


def _sparse(
    balance: Balance, q: np.ndarray, lam: np.ndarray, K: sp.sparray, M: sp.sparray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues by shift and inversion with the factors of the tangent; the multipliers keep the shapes on the
    constraints."""
    n = balance.n
    shift = 0.0
    for _ in range(4):
        if balance.factorize(q, lam, shift):
            break
        shift = 1e-6 * balance.stiffness / balance.system.mass_scale if shift == 0.0 else 10.0 * shift

    def inverse(b: np.ndarray) -> np.ndarray:
        return balance.solve(np.concatenate([b.ravel(), np.zeros(balance.m)]))[:n]

    cyclic = balance.cyclic_now(q)
    if cyclic.shape[1]:
        across = _across_cyclic(inverse, cyclic, K + shift * M, M)
    else:
        across = inverse

    operator = sp.linalg.LinearOperator((n, n), matvec=across, dtype=float)
    begin = across(M @ np.random.default_rng(0).normal(size=n))
    symmetric = has_potential(balance.system, K, balance.system.jacobian(balance.t, q), balance.system.model.name)
    solve = sp.linalg.eigsh if symmetric else sp.linalg.eigs
    values, shapes = solve(K, k=count, M=M, sigma=-shift, OPinv=operator, v0=begin)
    return values, shapes


def _across_cyclic(
    inverse: Callable[[np.ndarray], np.ndarray], z: np.ndarray, A: sp.sparray, M: sp.sparray
) -> Callable[[np.ndarray], np.ndarray]:
    """w with A w + M z ν = b, zᵀ M w = 0, by the x with A x + hᵀ μ = b that rows h which hold the cyclic motions
    z (n, k) leave: x − X ν has μ = 0 if X belongs to b = M z."""
    push = M @ z
    X = np.array([inverse(column) for column in push.T]).T
    share = np.linalg.inv(z.T @ (push - A @ X))
    mass = np.linalg.inv(z.T @ push)

    def across(b: np.ndarray) -> np.ndarray:
        x = inverse(b)
        w = x - X @ (share @ (z.T @ (b.ravel() - A @ x)))
        return np.asarray(w - z @ (mass @ (push.T @ w)))

    return across
