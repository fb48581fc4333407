"""Derivatives of the equations of motion by parameters in compiled code: the constants of neighboring models.

Of a model with another value of a parameter only some instances of kernels have other constants. These alone are
evaluated: groups of them refer to the numbers and rows of the model itself, and to constants of their own, which stand
behind those of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from flexmb.algebra.differences import OFFSETS, ONE_SIDED_WEIGHTS, WEIGHTS
from flexmb.analyses.sensitivity.parameters import NeighboringSystems
from flexmb.kernels.compilation import called
from flexmb.kernels.references import by_reference
from flexmb.system.evaluation import add_constraint_forces, constraints, residual
from flexmb.system.plan import (
    COUNT,
    GMAP_AT,
    IQ_AT,
    IV_AT,
    MAP_AT,
    N_COLUMNS,
    NP,
    NQ,
    NV,
    P_AT,
    ROW_AT,
    ROWS,
    Plan,
)
from flexmb.system.system import System

#: values of a parameter at which equations are evaluated at most
VALUES = 5


@by_reference
class Neighbors(NamedTuple):
    """The neighboring models of p parameters. `plan`: the instances of one of them, as many as its groups have room
    for; `table` (rows, columns): the groups of all of them, those of value k of parameter j from `first`[j, k] to
    `first`[j, k + 1]; `weights` (p, VALUES) of the differences; `copied` (places, 2): constants of the run, and where
    the neighbors have them too, since commands change them; `tails` (p, VALUES, fixed): positions of fixed frames.
    Scratch: `q` (total_q,), `r` (total,), g, ġ and γ (3, m), `rates` (2, m) and zeros (total,)."""

    plan: Plan
    table: np.ndarray
    first: np.ndarray
    weights: np.ndarray
    copied: np.ndarray
    tails: np.ndarray
    q: np.ndarray
    r: np.ndarray
    rows: np.ndarray
    rates: np.ndarray
    zero: np.ndarray


def neighbors_of(
    system: System, parameters: Sequence[NeighboringSystems], commanded: np.ndarray | None = None
) -> tuple[Neighbors, dict[int, np.ndarray]]:
    """The neighboring models of a system, by each parameter; and where they have their own values of each of the
    `commanded` constants of the run, (p, VALUES) by its place."""
    slots = {
        place: np.full((len(parameters), VALUES), -1) for place in ([] if commanded is None else commanded.tolist())
    }
    plan, count = system.plan, len(parameters)
    own = len(plan.p)
    table: list[np.ndarray] = []
    first, weights = np.zeros((count, VALUES + 1), dtype=np.int64), np.zeros((count, VALUES))
    tails = np.tile(system.initial[plan.nq :], (count, VALUES, 1))
    blocks, copied, at = [plan.p], [np.column_stack([np.arange(own)] * 2)], own
    for j, near in enumerate(parameters):
        weights[j, : len(near.systems)] = _weights(len(near.systems), near.h)
        moved = np.any([other.initial[plan.nq :] != system.initial[plan.nq :] for other in near.systems], axis=0)
        other_constants = np.asarray(np.any([other.plan.p != plan.p for other in near.systems], axis=0))
        other_constants[list(slots)] = True
        parts = _differing(plan, other_constants, plan.nq + np.flatnonzero(moved))
        for k, other in enumerate(near.systems):
            first[j, k] = len(table)
            tails[j, k] = other.initial[plan.nq :]
            for part, places in parts:
                row, block = part.copy(), other.plan.p[places]
                row[P_AT] = at
                table.append(row)
                blocks.append(block)
                own_slots = np.isin(places, list(slots))
                for i in np.flatnonzero(own_slots):
                    slots[int(places[i])][j, k] = at + i
                same = np.flatnonzero((block == plan.p[places]) & ~own_slots)
                copied.append(np.column_stack([places[same], at + same]))
                at += len(block)
        first[j, len(near.systems) :] = len(table)
    room = int(np.max(np.diff(first, axis=1), initial=1)) if count else 1
    groups = np.zeros((max(room, 1), N_COLUMNS), dtype=np.int64)
    small = plan._replace(groups=groups, p=np.concatenate(blocks))
    rows = np.array(table, dtype=np.int64).reshape(-1, N_COLUMNS)
    m, total = plan.m, plan.total
    found = Neighbors(
        small, rows, first, weights, np.concatenate(copied), tails, np.zeros(plan.total_q), np.zeros(total),
        np.zeros((3, m)), np.zeros((2, m)), np.zeros(total),
    )  # fmt: skip
    return found, slots


def _weights(count: int, h: float) -> np.ndarray:
    """Weights of the values of a difference."""
    own = WEIGHTS if count == len(OFFSETS) else (-sum(ONE_SIDED_WEIGHTS), *ONE_SIDED_WEIGHTS)
    return np.array(own) / (12.0 * h)


def _differing(plan: Plan, other: np.ndarray, moved: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Runs of instances some of whose constants are `other` ones, or which stand on fixed coordinates that `moved`: a
    row of groups, and the places of their constants."""
    found = []
    for row in plan.groups:
        count, width, nq = row[COUNT], row[NP], row[NQ]
        if not count:
            continue
        places = row[P_AT] + np.arange(count * width).reshape(count, width)
        numbers = plan.numbers[row[IQ_AT] : row[IQ_AT] + count * nq].reshape(count, nq)
        differ = other[places].any(axis=1) | np.isin(numbers, moved).any(axis=1)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], differ, [False]])))
        for low, high in edges.reshape(-1, 2).tolist():
            part = row.copy()
            part[COUNT] = high - low
            for begins, size in ((IQ_AT, nq), (IV_AT, row[NV]), (ROW_AT, row[ROWS])):
                part[begins] += low * size
            part[MAP_AT] = part[GMAP_AT] = 0  # matrices of neighbors are never asked for
            found.append((part, places[low:high].ravel()))
    return found


@called(None)
def copy_constants(near, p):
    """Let the neighbors have the constants of the run, which commands change."""
    for k in range(near.copied.shape[0]):
        near.plan.p[near.copied[k, 1]] = p[near.copied[k, 0]]


@called(bool)
def _take(near, j, k, q):
    """Make value k of parameter j the present neighbor, at position q; returns whether it differs from the model."""
    begin, count, groups = near.first[j, k], near.first[j, k + 1] - near.first[j, k], near.plan.groups
    for i in range(groups.shape[0]):
        if i < count:
            for c in range(groups.shape[1]):
                groups[i, c] = near.table[begin + i, c]
        else:
            groups[i, COUNT] = 0
    nq = near.plan.nq
    for i in range(nq):
        near.q[i] = q[i]
    for i in range(near.plan.total_q - nq):
        near.q[nq + i] = near.tails[j, k, i]
    return count > 0


@called(None)
def row_rates(plan, scratch, t, q, v, a, zero, w, g, gd, gamma, rates):
    """rates (2, m): G v + g_t, and γ − G a. G a is found as a difference of G v + g_t, which is linear in v."""
    constraints(plan, scratch, t, q, a, zero, w, g, gd, gamma)
    for i in range(plan.m):
        rates[1, i] = -gd[i]
    constraints(plan, scratch, t, q, zero, zero, w, g, gd, gamma)
    for i in range(plan.m):
        rates[1, i] += gd[i]
    constraints(plan, scratch, t, q, v, zero, w, g, gd, gamma)
    for i in range(plan.m):
        rates[0, i] = gd[i]
        rates[1, i] += gamma[i]


@called(None)
def by_parameter(near, scratch, j, t, q, v, a, lam, w, r, g, rates, of_accelerations):
    """Derivatives by parameter j at a fixed state: r (total,) of M a + f + Gᵀ λ, g (m,), and rates (2, m) of
    :func:`row_rates`, those `of_accelerations` only if they are asked for."""
    plan, m = near.plan, near.plan.m
    r[:] = 0.0
    g[:] = 0.0
    rates[:] = 0.0
    for k in range(near.weights.shape[1]):
        weight = near.weights[j, k]
        if weight == 0.0 or not _take(near, j, k, q):
            continue
        residual(plan, scratch, t, near.q, v, a, w, near.r)
        if m > 0:
            add_constraint_forces(plan, scratch, t, near.q, v, a, lam, w, near.r)
            near.rows[:] = 0.0
            g_of, gd, gamma = near.rows[0], near.rows[1], near.rows[2]
            if of_accelerations:
                row_rates(plan, scratch, t, near.q, v, a, near.zero, w, g_of, gd, gamma, near.rates)
            else:
                constraints(plan, scratch, t, near.q, v, near.zero, w, g_of, gd, gamma)
                for i in range(m):
                    near.rates[0, i], near.rates[1, i] = gd[i], 0.0
        for i in range(plan.total):
            r[i] += weight * near.r[i]
        for i in range(m):
            g[i] += weight * near.rows[0, i]
            rates[0, i] += weight * near.rates[0, i]
            rates[1, i] += weight * near.rates[1, i]
