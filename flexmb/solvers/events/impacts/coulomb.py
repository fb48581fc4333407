"""Contacts with friction at an instant: which of them part, stick, or slide which way, and their impulses.

With the impulses P and the speeds x = D P + b, where D = Wᵀ M⁻¹ W for normals n and slips t, and a coefficient μ,

    0 ≤ x_n ⊥ P_n ≥ 0,    −P_t ∈ μ P_n Sgn(x_t)

(Moreau (1988)); accelerations and forces in place of speeds and impulses say what follows from rest. The states are
sought by exchange: of those that contradict themselves the worst is changed. If that comes back to where it was, the
linear complementarity problem of Pfeiffer and Glocker (1996), with P_t = P_R − μ P_n and x_t = x_R − x_L,

    w = (x_n, x_R, 2 μ P_n − P_R) ≥ 0   ⊥   z = (P_n, P_R, x_L) ≥ 0

is solved by the pivots of Lemke (1965); at last all states of a few contacts are tried. Where contacts share what
moves, as the corners of a box, the impulses of those that stick or slide are the ones of least norm.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from flexmb.joints.sticking import BACKWARD, FORWARD, FREE, STICKS

#: contradictions below this part of the largest speed or impulse are rounding
SMALL = 1e-9
#: singular values below this part of the largest are zero
ZERO = 1e-11
#: entries below this are no pivots, of a problem with entries about 1; ratios that agree to TIE are equal
PIVOT, TIE = 1e-11, 1e-13
#: pivots after which Lemke's method goes in a circle, for each unknown
MOST_PIVOTS = 60
#: contacts of which all states are tried: 4⁴ are 256
MOST_TRIED = 4


class Problem(NamedTuple):
    """Contacts at an instant: D (r, r) and b (r,); for each of k contacts the numbers of its normal and of its slip, −1
    where it has no friction, and μ."""

    D: np.ndarray
    b: np.ndarray
    normals: np.ndarray
    slips: np.ndarray
    mu: np.ndarray


class Impulses(NamedTuple):
    """Impulses P (r,), the state of each contact, and whether P are the only ones in these states."""

    P: np.ndarray
    states: tuple[float, ...]
    unique: bool


def solved(problem: Problem, start: tuple[float, ...] | None = None) -> Impulses | None:
    """Impulses that contradict nothing, found from the states at the `start`, or else from that in which all that would
    come nearer stick; None if there are none.

    >>> one, other = np.array([0]), np.array([1])
    >>> found = solved(Problem(np.eye(2), np.array([-1.0, 0.2]), one, other, np.array([0.5])))
    >>> found.P.round(12).tolist(), found.states == (STICKS,)
    ([1.0, -0.2], True)
    >>> solved(Problem(np.eye(2), np.array([-1.0, 2.0]), one, other, np.array([0.5]))).P.round(12).tolist()
    [1.0, -0.5]
    """
    states = list(start or (STICKS if problem.b[n] < 0.0 else FREE for n in problem.normals))
    seen: set[tuple[float, ...]] = set()
    while tuple(states) not in seen:
        seen.add(tuple(states))
        found = in_states(problem, tuple(states))
        if found is None:
            break
        off, better = _wrong(problem, found)
        if not len(off) or off.max() <= SMALL:
            return found
        worst = int(off.argmax())
        states[worst] = better[worst]
    return _by_pivots(problem) or _any(problem)


def in_states(problem: Problem, states: tuple[float, ...]) -> Impulses | None:
    """The impulses with which the contacts keep these states; None if there are none."""
    D, b, normals, slips, mu = problem
    columns, rows = [], []
    for n, t, friction, state in zip(normals, slips, mu, states):
        if state == FREE:
            continue
        e = np.zeros(len(b))
        e[n] = 1.0
        if t >= 0 and state != STICKS:
            e[t] = -state * friction
        columns.append(e)
        rows.append(n)
        if t >= 0 and state == STICKS:
            columns.append(np.eye(len(b))[t])
            rows.append(t)
    if not columns:
        return Impulses(np.zeros(len(b)), states, True)
    C = np.array(columns).T
    A = (D @ C)[rows]
    size = np.sqrt(np.abs(np.diag(D)[rows]))
    x, _, rank, _ = np.linalg.lstsq(A / size[:, None] / size, -b[rows] / size, rcond=ZERO)
    P = C @ (x / size)
    if rank < len(rows) and np.max(np.abs((D @ P + b)[rows])) > SMALL * np.max(np.abs(b)):
        return None
    return Impulses(P, states, bool(rank == len(rows)))


def _any(problem: Problem) -> Impulses | None:
    """Impulses that contradict nothing, of all states of a few contacts: corners that restore different speeds cannot
    all stick, which leads both other searches astray."""
    if len(problem.normals) > MOST_TRIED:
        return None
    for states in product((STICKS, FORWARD, BACKWARD, FREE), repeat=len(problem.normals)):
        found = in_states(problem, states)
        if found is not None and _wrong(problem, found)[0].max() <= SMALL:
            return found
    return None


def _wrong(problem: Problem, found: Impulses) -> tuple[np.ndarray, list[float]]:
    """By how much each contact contradicts its state, as a part of the largest speed or impulse, and the state that is
    better."""
    D, b, normals, slips, mu = problem
    x, P = D @ found.P + b, found.P
    speed, impulse = np.max(np.abs([*x, *b]), initial=1e-300), np.max(np.abs(P), initial=1e-300)
    off, better = np.zeros(len(normals)), list(found.states)
    for k, (n, t, friction, state) in enumerate(zip(normals, slips, mu, found.states)):
        if state == FREE:
            off[k], better[k] = -x[n] / speed, STICKS
            continue
        off[k], better[k] = -P[n] / impulse, FREE
        if t < 0:
            continue
        if state == STICKS:
            beyond, instead = (abs(P[t]) - friction * P[n]) / impulse, FORWARD if P[t] < 0.0 else BACKWARD
        else:
            beyond, instead = -state * x[t] / speed, STICKS
        if beyond > off[k]:
            off[k], better[k] = beyond, instead
    return off, better


def _by_pivots(problem: Problem) -> Impulses | None:
    """The impulses by Lemke's method; None if it finds none."""
    D, b, normals, slips, mu = problem
    rough = slips >= 0
    k, r = len(normals), int(rough.sum())
    sizes = np.sqrt(np.maximum(np.diag(D), 1e-300))
    A, c = D / sizes[:, None] / sizes, b / sizes
    c = c / np.max(np.abs(c), initial=1e-300)
    n, t = normals, slips[rough]
    ratio = mu[rough] * sizes[t] / sizes[n[rough]]  # in units in which D has ones on its diagonal
    E = np.zeros((r, k))
    E[np.arange(r), np.flatnonzero(rough)] = ratio
    M, q = np.zeros((k + 2 * r, k + 2 * r)), np.zeros(k + 2 * r)
    M[:k, :k], M[:k, k : k + r] = A[np.ix_(n, n)] - A[np.ix_(n, t)] @ E, A[np.ix_(n, t)]
    M[k : k + r, :k], M[k : k + r, k : k + r] = A[np.ix_(t, n)] - A[np.ix_(t, t)] @ E, A[np.ix_(t, t)]
    M[k : k + r, k + r :], M[k + r :, :k], M[k + r :, k : k + r] = np.eye(r), 2.0 * E, -np.eye(r)
    q[:k], q[k : k + r] = c[n], c[t]
    z = lemke(M, q)
    if z is None:
        return None
    states, j = [], 0
    w = M @ z + q
    for i in range(k):
        if not z[i] > SMALL * max(1.0, float(np.max(z))):
            states.append(FREE)
            j += int(rough[i])
            continue
        state = STICKS
        if rough[i]:
            if w[k + j] > SMALL:
                state = FORWARD
            elif z[k + r + j] > SMALL:
                state = BACKWARD
            j += 1
        states.append(state)
    found = in_states(problem, tuple(states))
    if found is None:
        return None
    off, _ = _wrong(problem, found)
    return found if not len(off) or off.max() <= 1e3 * SMALL else None


def lemke(M: np.ndarray, q: np.ndarray) -> np.ndarray | None:
    """z (n,) with z ≥ 0 ⊥ M z + q ≥ 0 by the pivots of Lemke (1965); None if they end on a ray.

    >>> lemke(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -6.0])).round(12).tolist()
    [1.333333333333, 2.333333333333]
    """
    n = len(q)
    if np.min(q, initial=0.0) >= 0.0:
        return np.zeros(n)
    T = np.hstack([np.eye(n), -M, -np.ones((n, 1)), q[:, None]])
    basis, entering, row = list(range(n)), 2 * n, int(np.argmin(q))
    for _ in range(MOST_PIVOTS * n):
        leaving = basis[row]
        T[row] /= T[row, entering]
        others = np.flatnonzero(T[:, entering])
        others = others[others != row]
        T[others] -= T[others, entering][:, None] * T[row]
        basis[row] = entering
        if leaving == 2 * n:
            z = np.zeros(2 * n + 1)
            z[basis] = T[:, -1]
            return z[n : 2 * n]
        entering = leaving + n if leaving < n else leaving - n
        column = T[:, entering]
        able = column > PIVOT
        if not able.any():
            return None
        ratios = np.where(able, T[:, -1] / np.where(able, column, 1.0), np.inf)
        least = float(ratios.min())
        ties = np.flatnonzero(ratios <= least + TIE * (1.0 + abs(least)))
        row = next((int(i) for i in ties if basis[i] == 2 * n), int(ties[np.argmax(column[ties])]))
    return None
