"""Newton's method for F(x) = 0, in two variants.

Far from a solution any solution will do, and the path to it may be long (:func:`damped`). A slender beam is stiff along
its axis and soft across it: a step that bends it by a finite angle stretches it too, and the next step takes that back.
A line search that demands progress of every step would therefore creep along the straight tangent. So the corrections
may grow for a few steps (the watchdog technique, Chamberlain et al. (1982)); if none of these steps comes closer than
the best point so far, the search returns to that point and continues along its direction with half the length. While
corrections shrink fast the matrix is kept.

Along a path the solution must be the intended one (:func:`contracting`): the guess is near, and the iteration must
contract from the first correction on, so that no other solution is near, see Deuflhard (2004), §4.4.

Two similar iterations are found elsewhere. Joints that may depend on one another have no regular matrix, and are closed
by the Levenberg–Marquardt method (:mod:`flexmb.solvers.start.movable_parts`); the corrector of motion in time is
compiled into its loop.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

#: after more than this many corrections without progress the search returns to the best point
PATIENCE = 5
#: each return halves the corrections; the search fails when they would be shorter than this fraction of their full
#: length
SMALLEST_SHARE = 1e-4
#: The matrix may be kept when corrections are smaller than this. Larger ones stretch the beams that they bend, which
#: changes the matrix too much.
KEPT_BELOW = 1e-3
#: why an iteration ended without a solution
NOT_FINITE, SINGULAR, NO_DESCENT, TOO_MANY = range(1, 5)


#: moves x by a correction, whose length may differ from that of x: orientations do not move by addition
Move = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Equations(Protocol):
    """F(x) = 0, with factors of ∂F/∂x."""

    def residual(self, x: np.ndarray) -> np.ndarray:
        """F at x."""

    def factorize(self, x: np.ndarray) -> bool:
        """Factorize ∂F/∂x at x; False if it is singular."""

    def solve(self, b: np.ndarray) -> np.ndarray:
        """(∂F/∂x)⁻¹ b, with the last factors."""

    def size(self, change: np.ndarray) -> float:
        """A norm of a change of x."""


@dataclass
class Ended:
    """The result of an iteration; `failure` is 0, or the reason why there is no solution."""

    x: np.ndarray
    failure: int = 0
    iterations: int = 0
    factorizations: int = 0


def damped(
    equations: Equations, x: np.ndarray, tolerance: float, largest: float, most: int, move: Move = operator.add
) -> Ended:
    """Search for a solution from a guess x, with at most `most` corrections, none of them longer than `largest`. It is
    found when a correction is below the `tolerance`. `move(x, correction)` returns the corrected x."""
    ended = Ended(x.copy())
    share, waited = 1.0, 0
    best, best_size = ended.x, np.inf
    previous = np.inf
    kept = False  # whether factors of an earlier point are used
    while ended.iterations < most:
        F = equations.residual(ended.x)
        if not np.all(np.isfinite(F)):
            return replace(ended, failure=NOT_FINITE)
        if not kept:
            if not equations.factorize(ended.x):
                return replace(ended, failure=SINGULAR)
            ended.factorizations += 1
        ended.iterations += 1
        step = -equations.solve(F)
        size = equations.size(step)
        if not np.isfinite(size):
            return replace(ended, failure=SINGULAR)
        rounded = size <= 1e4 * tolerance and size > 0.5 * previous  # corrections are round-off
        if size <= tolerance or (rounded and not kept):
            ended.x = move(ended.x, step)
            return ended
        if kept and size > 0.2 * previous:  # the kept factors are too old
            kept, previous = False, np.inf
            continue
        if size < best_size:
            best, best_size, waited = ended.x, size, 0
            share = min(1.0, 2.0 * share)
        else:
            waited += 1
            if waited > PATIENCE:
                share, waited = 0.5 * share, 0
                if share < SMALLEST_SHARE:
                    return replace(ended, failure=NO_DESCENT)
                ended.x, previous, kept = best, np.inf, False
                continue
        damping = min(share, largest / size)
        ended.x = move(ended.x, damping * step)
        kept = damping == 1.0 and size < 0.1 * previous and size < KEPT_BELOW
        previous = size
    return replace(ended, failure=TOO_MANY)


@dataclass(frozen=True)
class Contraction:
    """The conditions that a contracting iteration must meet.

    A correction is the last one if it is below `tolerance`, or if it is below `rounded` but not below the fraction
    `stalled` of the one before, so that it is round-off. Any other must be below `largest`, and below the fraction
    `factor` of the one before. The iteration also ends when the next correction, estimated from the last two, would be
    below `enough`.
    """

    tolerance: float
    rounded: float
    stalled: float
    largest: float
    factor: float = np.inf
    enough: float = 0.0
    most: int = 12


def contracting(
    correction: Callable[[np.ndarray], np.ndarray | None],
    x: np.ndarray,
    size: Callable[[np.ndarray], float],
    rule: Contraction,
    move: Move = operator.add,
) -> tuple[np.ndarray | None, float, int]:
    """The solution near a guess x, None if it is not certain to be the intended one; the size of the first correction
    (the largest allowed if there is none); and the number of corrections. `correction(x)` returns None at a singular x;
    `move(x, correction)` returns the corrected x.

    >>> rule = Contraction(1e-14, 1e-10, 0.1, 0.5, 0.5)
    >>> x, first, count = contracting(lambda x: 1.0 / x - 0.5 * x, np.array([1.5]), lambda x: float(abs(x[0])), rule)
    >>> bool(abs(x[0] - 2.0**0.5) < 1e-15), round(first, 6), count
    (True, 0.083333, 5)
    """
    previous = first = np.inf
    for k in range(rule.most):
        step = correction(x)
        if step is None:
            return None, rule.largest, k + 1
        now = size(step)
        if k == 0:
            first = now
        last = now <= rule.tolerance or (now <= rule.rounded and now > rule.stalled * previous)
        if not last and not now <= min(rule.largest, rule.factor * previous):
            return None, first, k + 1
        x = move(x, step)
        # Quadratic convergence makes the next correction about s³/previous²; the first one has no previous one.
        coming = now**3 / previous**2 if k else 1e3 * now**2
        if last or coming <= rule.enough:
            return x, first, k + 1
        previous = now
    return None, first, rule.most
