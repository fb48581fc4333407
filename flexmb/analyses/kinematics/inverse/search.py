"""Records of a search for joint coordinates: the tree and its targets as arrays, the errors of the frames with their
Jacobian, linear equations, limits; compiled. :mod:`~flexmb.analyses.kinematics.inverse.searching` has the formulas."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from flexmb.algebra.semidefinite import factor_semidefinite, solve_semidefinite
from flexmb.formulations.spatial_algebra import six_in
from flexmb.formulations.tree.arrays import Links, Moving
from flexmb.formulations.tree.coordinates import move
from flexmb.formulations.tree.moving import move as move_links
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.references import by_reference
from flexmb.kernels.rotations import inverse, log, product, quaternion_in, turned
from flexmb.kernels.variables import Variables
from flexmb.kernels.vectors import cross, minus, plus, vector_in

#: A coordinate this near to a limit [rad] is at it.
AT_LIMIT = 1e-12


class Progress(Variables):
    """Progress of a search: its `phase`; `steps` and `sweeps` of this phase, `total` of all; the `attempt`, and of how
    many, `most`; 1 + the attempt that `found` a solution; the damping μ and by what the next failure multiplies it,
    `growth`; ½ |e|² at x, `cost`, and by how much the step should lower it, `predicted`; of the steps towards the goal
    the `share` s and the `distance`; the `least` ½ |e|² and the nearest distance of all attempts so far."""

    phase: int
    steps: int
    sweeps: int
    total: int
    attempt: int
    most: int
    found: int
    damping: float
    growth: float
    cost: float
    predicted: float
    share: float
    distance: float
    least: float


@by_reference
class Search(NamedTuple):
    """A tree, its targets, limits and goal, and the workspace of a search.

    F frames: `link` (F,), `place` (F, 3) and `axes` (F, 4), unit quaternions, on it; `turns` (F,), how many rows hold
    its orientation, none, one (the plane) or all three; `wanted` (F, 7), place and unit quaternion. Errors of places
    are multiplied by `unit` [1/m]. n speeds: `at_q` (n,), where the coordinate of a turn or a slide stands, else −1;
    `lower`, `upper` (n,) limits; `ease` (n,), M, zero for a coordinate that stays; `eased` (n,), W⁻¹. `goal` (nq,), r;
    `starts` (…, n + 1), where further attempts begin: what part of the interval between limits about the first start
    each coordinate has behind it, and how far these limits are from that start at most [rad or m].

    `e`, `J` at `x`, `e_trial`, `J_trial` at `trial`; `first` and `best` (nq,), where the first attempt begins, and the
    best end of all. `fixed` (n,) marks coordinates held at a limit; `away` (n,) is r ⊖ x, `before` and `moved` (n,) the
    last projected way and the last step on it, `still` (n,) are zeros; `step` (n,), `A` (m, m), `C` (m, n + m),
    `longer` (n + m,), `order` (2 m,), `pivots` and `y` (m,) are scratch.
    """

    links: Links
    moving: Moving
    progress: Progress
    dimension: int
    unit: float
    link: np.ndarray
    place: np.ndarray
    axes: np.ndarray
    turns: np.ndarray
    wanted: np.ndarray
    at_q: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    ease: np.ndarray
    eased: np.ndarray
    goal: np.ndarray
    starts: np.ndarray
    x: np.ndarray
    trial: np.ndarray
    first: np.ndarray
    best: np.ndarray
    e: np.ndarray
    J: np.ndarray
    e_trial: np.ndarray
    J_trial: np.ndarray
    fixed: np.ndarray
    away: np.ndarray
    step: np.ndarray
    before: np.ndarray
    moved: np.ndarray
    A: np.ndarray
    C: np.ndarray
    longer: np.ndarray
    order: np.ndarray
    pivots: np.ndarray
    y: np.ndarray
    still: np.ndarray


def scratch(nq: int, n: int, m: int) -> dict[str, np.ndarray]:
    """The workspace of a search with nq coordinates, n speeds and m rows, by names."""
    found = {name: np.zeros(nq) for name in ("x", "trial", "first", "best")}
    found |= {name: np.zeros(m) for name in ("e", "e_trial", "pivots", "y")}
    found |= {name: np.zeros((m, n)) for name in ("J", "J_trial")}
    found |= {name: np.zeros(n) for name in ("away", "step", "before", "moved", "still")}
    found |= {"A": np.zeros((m, m)), "C": np.zeros((m, n + m)), "longer": np.zeros(n + m)}
    return found | {"fixed": np.zeros(n, dtype=np.int64), "order": np.zeros(2 * m, dtype=np.int64)}


@called(None)
def evaluate(s):
    """Move the links to `trial`, and fill in the errors of the frames and their Jacobian."""
    links, moving, row = s.links, s.moving, 0
    move_links(links, moving, s.trial, s.still)
    for f in range(s.link.shape[0]):
        k, many, turns = s.link[f], s.dimension, s.turns[f]
        q = quaternion_in(moving.at[k], 3)
        p = plus(vector_in(moving.at[k], 0), turned(q, vector_in(s.place[f], 0)))
        off = log(product(product(q, quaternion_in(s.axes[f], 0)), inverse(quaternion_in(s.wanted[f], 3))))
        for i in range(many):
            s.e_trial[row + i] = (p[i] - s.wanted[f, i]) * s.unit
        for i in range(turns):
            s.e_trial[row + many + i] = off[i + 3 - turns]
        for i in range(many + turns):
            for j in range(links.joints.nv):
                s.J_trial[row + i, j] = 0.0
        here = k
        while here >= 0:
            arm = minus(p, vector_in(moving.at[here], 0))
            for j in range(moving.speeds[here], moving.speeds[here + 1]):
                turning, shifting = six_in(moving.columns, j)
                along = plus(shifting, cross(turning, arm))
                for i in range(many):
                    s.J_trial[row + i, j] = along[i] * s.unit
                for i in range(turns):
                    s.J_trial[row + many + i, j] = turning[i + 3 - turns]
            here = links.parent[here]
        row += many + turns


@inlined
def largest_of(e):
    largest = 0.0
    for i in range(e.shape[0]):
        if not abs(e[i]) <= largest:
            largest = abs(e[i]) if e[i] == e[i] else math.inf
    return largest


@inlined
def half_square(e):
    total = 0.0
    for i in range(e.shape[0]):
        total += 0.5 * e[i] * e[i]
    return total


@called(None)
def take_trial(s):
    """Take `trial` and its equations for x and those of it."""
    for i in range(s.x.shape[0]):
        s.x[i] = s.trial[i]
    for i in range(s.e.shape[0]):
        s.e[i] = s.e_trial[i]
        for j in range(s.J.shape[1]):
            s.J[i, j] = s.J_trial[i, j]


@called(None)
def solve(s, J, b, ease, damping):
    """Overwrite b (m,) by −(J M Jᵀ + μ)⁻¹ b with the coordinates that are not fixed; μ is `damping` times the largest
    diagonal. Dependent rows are left out."""
    m, n, largest = J.shape[0], J.shape[1], 0.0
    for i in range(m):
        for k in range(i + 1):
            total = 0.0
            for j in range(n):
                if s.fixed[j] == 0:
                    total -= ease[j] * J[i, j] * J[k, j]
            s.A[i, k] = s.A[k, i] = total
        largest = max(largest, -s.A[i, i])
    for i in range(m):
        s.A[i, i] -= damping * largest
    rank = factor_semidefinite(s.A, m, s.order, s.pivots)
    solve_semidefinite(s.A, rank, s.order, s.pivots, b)


@called(bool)
def fix_at_limits(s, x):
    """Fix the coordinates at a limit that `step` would leave; whether there are new ones."""
    new = False
    for j in range(s.step.shape[0]):
        at = s.at_q[j]
        if at >= 0 and s.fixed[j] == 0:
            low, high = x[at] - s.lower[j] <= AT_LIMIT, s.upper[j] - x[at] <= AT_LIMIT
            if (low and s.step[j] < 0.0) or (high and s.step[j] > 0.0):
                s.fixed[j] = 1
                new = True
    return new


@called(float)
def room_for_step(s, x, length):
    """The part of `step`, at most so long [rad], up to the first limit."""
    share, largest = 1.0, 0.0
    for j in range(s.step.shape[0]):
        largest = max(largest, abs(s.step[j]))
    if largest > length:
        share = length / largest
    for j in range(s.step.shape[0]):
        at = s.at_q[j]
        if at >= 0 and s.step[j] != 0.0:
            room = (s.lower[j] if s.step[j] < 0.0 else s.upper[j]) - x[at]
            if room / s.step[j] < share:
                share = max(room / s.step[j], 0.0)
    return share


@called(None)
def put_within(s, x):
    """Move x by `step` to `trial`, not beyond limits."""
    move(s.links.joints, x, s.step, s.trial)
    for j in range(s.step.shape[0]):
        at = s.at_q[j]
        if at >= 0:
            s.trial[at] = min(max(s.trial[at], s.lower[j]), s.upper[j])
