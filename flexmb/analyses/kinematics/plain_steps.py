"""The steps of a driven path that meet nothing: compiled, for small systems, whose matrices are dense.

They are those of :mod:`flexmb.analyses.kinematics.driven_path`, by the same rules. Where a step fails, or may meet a
singular position, they end, and the path itself looks at what is there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmb.algebra import dense_lu
from flexmb.algebra.newton import Contraction
from flexmb.kernels.charts import retract
from flexmb.kernels.compilation import called, compiled, inlined
from flexmb.kernels.references import by_reference
from flexmb.solvers.rows.index_one import norm
from flexmb.system.evaluation import constraints, matrix
from flexmb.system.plan import ROWS, Plan
from flexmb.system.system import System

#: positions that are looked at behind the last one; steps of one call
BEHIND, MOST = 41, 64
#: places in `known` of a position: sign of det G, size of G⁻¹
SIGN, INVERSE_SIZE = range(2)
#: places in `counts`
ITERATIONS, FACTORIZATIONS = range(2)


@by_reference
class Path(NamedTuple):
    """A driven system of n rows: the plan of its joints, scales of coordinates and rows, a vector `probe` (n,), and
    scratch: full coordinates (total_q,), speeds and zeros (total,), corrections and vectors (n,), errors g, ġ and γ,
    the values of the whole matrix, the factors of G (n, n) in units of the scales, and their pivots; `counts` of
    iterations and factorizations."""

    plan: Plan
    scale: np.ndarray
    row_scale: np.ndarray
    probe: np.ndarray
    q: np.ndarray
    v: np.ndarray
    zero: np.ndarray
    x: np.ndarray
    y: np.ndarray
    g: np.ndarray
    gd: np.ndarray
    gamma: np.ndarray
    weights: np.ndarray
    values: np.ndarray
    factors: np.ndarray
    pivots: np.ndarray
    counts: np.ndarray


def path_of(system: System, probe: np.ndarray) -> Path:
    """The path of a system with dense matrices."""
    plan, n = system.plan, system.n
    joints = plan._replace(groups=plan.groups[plan.groups[:, ROWS] > 0])
    x, y, g, gd, gamma = np.zeros((5, n))
    v, zero = np.zeros((2, plan.total))
    return Path(
        joints, system.scale, system.row_scale, probe, system.initial.copy(), v, zero, x, y, g, gd, gamma, np.zeros(4),
        np.zeros(plan.size * plan.size), np.zeros((n, n)), np.zeros(n, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
    )  # fmt: skip


@called(float)
def _factorize(path, scratch, t):
    """Factorize G at the position of the path; the sign of its determinant, 0 where it is singular."""
    plan, A, n = path.plan, path.factors, path.plan.n
    path.counts[FACTORIZATIONS] += 1
    matrix(plan, scratch, t, path.q, path.zero, path.zero, path.g, path.weights, path.values)
    for k in range(n):
        for j in range(n):
            A[k, j] = path.values[(n + k) * plan.size + j] / path.row_scale[k] * path.scale[j]
    if not dense_lu.factor(A, n, path.pivots) > 0.0:
        return 0.0
    sign = 1.0
    for k in range(n):
        if A[k, k] < 0.0:
            sign = -sign
        if path.pivots[k] != k:
            sign = -sign
    return sign


@inlined
def _solve(path, rows, x):
    """x (n,) with G x = rows, in the units of the coordinates."""
    for k in range(path.plan.n):
        x[k] = rows[k] / path.row_scale[k]
    dense_lu.solve(path.factors, path.plan.n, path.pivots, x)
    for k in range(path.plan.n):
        x[k] *= path.scale[k]


@called((bool, float))
def _newton(path, scratch, t, rule):
    """Bring the position of the path onto it by contracting corrections, and tell whether it is there; and the size of
    the first correction. See :func:`flexmb.algebra.newton.contracting`."""
    n = path.plan.n
    previous = first = np.inf
    for k in range(rule.most):
        constraints(path.plan, scratch, t, path.q, path.zero, path.zero, path.weights, path.g, path.gd, path.gamma)
        if _factorize(path, scratch, t) == 0.0:
            return False, rule.largest
        path.counts[ITERATIONS] += 1
        _solve(path, path.g, path.x)
        for i in range(n):
            path.x[i] = -path.x[i]
        now = norm(path.x, path.scale, n)
        if k == 0:
            first = now
        last = now <= rule.tolerance or (now <= rule.rounded and now > rule.stalled * previous)
        if not last and not now <= min(rule.largest, rule.factor * previous):
            return False, first
        retract(path.plan.orientations, n, path.q, path.x, path.q)
        coming = now * now * now / (previous * previous) if k > 0 else 1e3 * now * now
        if last or coming <= rule.enough:
            return True, first
        previous = now
    return False, first


@called(bool)
def _rates(path, scratch, t, v, a, known):
    """Fill rates v and a (n,) of the position of the path, and what is `known` of G there; False if it is singular."""
    n = path.plan.n
    known[SIGN] = _factorize(path, scratch, t)
    if known[SIGN] == 0.0:
        return False
    constraints(path.plan, scratch, t, path.q, path.zero, path.zero, path.weights, path.g, path.gd, path.gamma)
    _solve(path, path.gd, v)
    for i in range(n):
        v[i] = -v[i]
        path.v[i] = v[i]
    constraints(path.plan, scratch, t, path.q, path.v, path.zero, path.weights, path.g, path.gd, path.gamma)
    _solve(path, path.gamma, a)
    _solve(path, path.probe, path.x)
    known[INVERSE_SIZE] = norm(path.x, path.scale, n)
    return norm(v, path.scale, n) < np.inf and norm(a, path.scale, n) < np.inf


@called(bool)
def _passes(T, known, last, count, large):
    """Whether the way from a position to the next may meet a singular one; `count`: how many are known behind it. See
    :meth:`flexmb.analyses.kinematics.driven_path.DrivenPath.passes_singularity`."""
    new, before = last + 1, last - 1 if count > 0 else last
    usual = np.inf
    for k in range(last - count, last + 1):
        usual = min(usual, known[k, INVERSE_SIZE])
    own, behind, ahead = known[last, INVERSE_SIZE], known[before, INVERSE_SIZE], known[new, INVERSE_SIZE]
    if known[new, SIGN] != known[last, SIGN] or ahead > large * usual:
        return True
    if own > 10.0 * usual:
        if own > max(behind, ahead):
            return True
        if behind < own:
            fall = (1.0 / behind - 1.0 / own) / (T[last] - T[before])
            return fall * (T[new] - T[last]) > 1.0 / own
    return False


@compiled
def _march(path, scratch, target, rule, large, shortest, briefest, first, T, Q, V, A, known):
    """Steps from the position in row `first` towards t = target, a row each; returns the number of the last row.
    `known` has the rows before too."""
    n, nq = path.plan.n, path.plan.nq
    last = first
    while last + 1 < T.shape[0] and T[last] != target:
        h = target - T[last]
        while True:
            t = target if h == target - T[last] else T[last] + h
            for i in range(n):
                path.y[i] = h * V[last, i]
                path.x[i] = path.y[i] + 0.5 * h * h * A[last, i]
            way = max(norm(path.x, path.scale, n), norm(path.y, path.scale, n))
            found = False
            if way <= rule.largest:
                for i in range(nq):
                    path.q[i] = Q[last, i]
                retract(path.plan.orientations, n, path.q, path.x, path.q)
                found, off = _newton(path, scratch, t, rule)
                way = max(way, off)
                found = found and _rates(path, scratch, t, V[last + 1], A[last + 1], known[last + 1])
            if found:
                break
            if way < shortest or abs(h) < briefest:
                return last
            h *= 0.5
        T[last + 1] = t
        if _passes(T, known, last, min(last, BEHIND - 1), large):
            return last
        for i in range(nq):
            Q[last + 1, i] = path.q[i]
        last += 1
    return last


class PlainSteps:
    """Plain steps of a path; `rule`: that of its iteration; `large`, `shortest`, `span`: see
    :mod:`flexmb.analyses.kinematics.driven_path`."""

    def __init__(
        self, system: System, probe: np.ndarray, rule: Contraction, large: float, shortest: float, span: float
    ) -> None:
        self.system = system
        self._path = path_of(system, probe)
        self._scratch = system.scratch
        self._rule = _Rule(
            rule.tolerance, rule.rounded, rule.stalled, rule.largest, rule.factor, rule.enough, rule.most
        )
        self._limits = large, shortest, 1e-13 * span
        rows = BEHIND + MOST
        self._T, self._known = np.zeros(rows), np.zeros((rows, 2))
        self._Q, self._V, self._A = np.zeros((rows, system.nq)), np.zeros((rows, system.n)), np.zeros((rows, system.n))

    def towards(self, target: float, trail: list[Any]) -> tuple[list[tuple[Any, ...]], int, int]:
        """The steps from the end of a trail towards a t: (t, q, v, a, sign, size of G⁻¹) of each; and how many
        iterations and factorizations they took."""
        first = len(trail) - 1
        for k, p in enumerate(trail):
            self._T[k], self._known[k, SIGN], self._known[k, INVERSE_SIZE] = p.t, p.sign, p.inverse_size
        self._Q[first], self._V[first], self._A[first] = trail[-1].q, trail[-1].v, trail[-1].a
        arrays = self._T, self._Q, self._V, self._A, self._known
        self._path.counts[:] = 0
        last = int(_march(self._path, self._scratch, target, self._rule, *self._limits, first, *arrays))
        rows = slice(first + 1, last + 1)
        T, Q, V, A = (x[rows].copy() for x in (self._T, self._Q, self._V, self._A))
        known = self._known[rows].tolist()
        found = [(float(t), q, v, a, *said) for t, q, v, a, said in zip(T, Q, V, A, known)]
        return found, *self._path.counts.tolist()


class _Rule(NamedTuple):
    """:class:`flexmb.algebra.newton.Contraction` for compiled code."""

    tolerance: float
    rounded: float
    stalled: float
    largest: float
    factor: float
    enough: float
    most: int
