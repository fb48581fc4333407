"""Minimal coordinates of linear models: some of the mechanism's own coordinates, or modes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from flexmb.algebra.factors import Factors, bordered
from flexmb.algebra.rank import LARGEST_DENSE
from flexmb.analyses.vibration.modes import modes
from flexmb.errors import ModelError
from flexmb.kernels.blocks import STATE
from flexmb.results.state import State
from flexmb.solvers.methods.independent.partition import (
    LEAST_PIVOT,
    dependent_positions,
    dependent_speeds,
    not_enough,
)
from flexmb.system.system import System

#: A has all degrees of freedom up to this number of them
LARGEST = 3000


@dataclass
class Basis:
    """Minimal coordinates: Z (n, f) with names of its columns; `lift` applies R to right-hand sides x (m, k) and gives
    δq (n, k) with G δq = x; `gather` applies Rᵀ. `of_positions`: the basis of positions, where that of speeds is
    another one; `numbers`: those of the coordinates that are the columns' own. Where coordinates are sums over those of
    the mechanism: `left` L (f, n), with L Z = 1 and L R = 0, and its rate."""

    Z: np.ndarray
    names: list[str]
    lift: Callable[[np.ndarray], np.ndarray]
    gather: Callable[[np.ndarray], np.ndarray]
    of_positions: Basis | None = None
    numbers: np.ndarray | None = None
    dependent: np.ndarray | None = None
    left: np.ndarray | None = None
    left_rate: np.ndarray | None = None


def basis_of_coordinates(state: State, names: Sequence[str] | None, where: str) -> Basis:
    """Independent coordinates as a basis: R moves the dependent ones only."""
    system = state.system
    freedom = system.n - int(np.sum(~system.at_speed))
    if freedom == 0:
        raise ModelError(f"{where}: joints and drives leave it no freedom; see kinematics")
    if freedom > LARGEST:
        raise ModelError(
            f"{where}: it has {freedom} degrees of freedom; give modes=…, a number of modes to keep, or use "
            "frequency_response, which takes all of them"
        )
    if names is not None:  # of states of first order all are independent, and nobody needs to name them
        integrals = [system.names[k] for k in np.flatnonzero(system.assembly.free.mask(STATE))]
        names = [*names, *(name for name in integrals if name not in names)]
    G = system.jacobian_array(state.t, state.q)
    own = G if G.size <= LARGEST_DENSE else system.jacobian(state.t, state.q)
    dependent = dependent_positions(system, own, names)
    positions = _along_rows(system, G[~system.at_speed], dependent)
    if not system.at_speed.any():
        return positions
    whole = _along_rows(system, G, dependent_speeds(system, own, dependent, state.t, state.q))
    whole.of_positions = positions
    return whole


def _along_rows(system: System, G: np.ndarray, dependent: np.ndarray) -> Basis:
    """The basis of the motions that some rows leave free, where so many columns are dependent."""
    is_free = np.ones(system.n, dtype=bool)
    is_free[dependent] = False
    independent = np.flatnonzero(is_free)
    Z = np.zeros((system.n, len(independent)))
    Z[independent, np.arange(len(independent))] = 1.0
    try:
        factors = Factors(np.ascontiguousarray(G[:, dependent]))
    except np.linalg.LinAlgError:
        factors = None
    if factors is None or factors.pivots < LEAST_PIVOT:
        raise not_enough(system, [system.names[k] for k in independent])
    Z[dependent] = -factors.solve(G[:, independent])

    def lift(x: np.ndarray) -> np.ndarray:
        out = np.zeros((system.n, x.shape[1]))
        out[dependent] = factors.solve(x)
        return out

    chosen = [system.names[k] for k in independent]
    return Basis(Z, chosen, lift, lambda x: factors.solve_transposed(x[dependent]), None, independent, dependent)


def basis_in_axes(state: State, like: Basis, T: np.ndarray) -> Basis:
    """The basis of a later state with the same independent coordinates, in axes in which a change x is T x."""
    system = state.system
    G = system.jacobian_array(state.t, state.q) @ T.T

    def turned_back(rows: np.ndarray, own: Basis) -> Basis:
        assert own.dependent is not None
        b = _along_rows(system, rows, own.dependent)
        return replace(b, Z=T.T @ b.Z, lift=lambda x: T.T @ b.lift(x), gather=lambda x: b.gather(T @ x))

    whole = turned_back(G, like)
    if like.of_positions is not None:
        whole.of_positions = turned_back(G[~system.at_speed], like.of_positions)
    return whole


def basis_of_sums(G: np.ndarray, left: np.ndarray, left_rate: np.ndarray, names: list[str]) -> Basis:
    """The basis of the motions that rows G (m, n) leave free, in coordinates L δq with L (n − m, n)."""
    m = len(G)
    both = np.vstack([G, left])
    size = np.linalg.norm(both, axis=1)
    inverse = np.linalg.inv(both / size[:, None]) / size
    R, Z = inverse[:, :m], inverse[:, m:]
    return Basis(Z, names, lambda x: R @ x, lambda x: R.T @ x, left=left, left_rate=left_rate)


def basis_of_modes(state: State, count: int) -> Basis:
    """The lowest modes as a basis: R is the shortest motion, in scaled coordinates."""
    system = state.system
    shapes = modes(state, count).shapes
    names = [f"mode {k}" for k in range(count)]
    scale = sp.diags_array(system.scale)
    GS = sp.csc_array(sp.csc_array(system.jacobian(state.t, state.q)) @ scale)
    n, m = system.n, system.m
    solve = Factors(bordered(sp.eye_array(n), GS)).solve

    def lift(x: np.ndarray) -> np.ndarray:
        return scale @ solve(np.vstack([np.zeros((n, x.shape[1])), x]))[:n]

    def gather(x: np.ndarray) -> np.ndarray:
        return solve(np.vstack([scale @ x, np.zeros((m, x.shape[1]))]))[n:]

    return Basis(shapes, names, lift, gather)
