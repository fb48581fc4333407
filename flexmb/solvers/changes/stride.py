"""A stride: one long step across a singular position, with no stage near it.

Between its stages at 1/3 and at 3/5 of a step the method of Dormand and Prince evaluates nothing
(:mod:`flexmb.algebra.tableau`). A step with the singular position in the middle of this gap, at the fraction
MIDDLE of the step, evaluates accelerations no nearer to it than a seventh of its length. Its truncation error falls
with the ninth power of its length, while errors from round-off, divided by σ², grow as it gets shorter; the method's
own estimate contains both. For 40 parallelograms that move at 6 rad/s (:mod:`flexmb.validation.n_four_bar`) the best
steps last 0.05 s and leave errors of 1e-10 of the speeds; steps of 0.1 s leave 5e-9, and of 0.2 s 2e-6.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.algebra.precision import ROUNDING
from flexmb.algebra.tableau import DORMAND_PRINCE
from flexmb.solvers.rows.index_one import norm
from flexmb.solvers.rows.left_out import CLOSED
from flexmb.solvers.runs.right_hand_side import Accelerations
from flexmb.system.linear import solve

#: Place of the singular position in the step, as a fraction of it.
MIDDLE = 0.467
#: Both ends of a stride are projected onto the constraints to round-off, by at most SWEEPS corrections: near a singular
#: position, an error of the joints displaces the mechanism sideways by 1/σ times the error, and its speeds by 1/σ times
#: that.
SWEEPS = 4
#: Safety factor between estimated and true error of a stride: its stages violate the constraints a little, and
#: accelerations change fast there.
SAFETY = 20.0
#: A projection that moves a state further than this, in units of the model, may change the branch of the mechanism.
#: 1e-5 and 1e-2 make no difference to parallelograms.
MOVED = 1e-4


class Stride(NamedTuple):
    """The end of a step: its time [s], the state y on the constraints, and the errors of positions and of speeds, in
    units of the model."""

    t: float
    y: np.ndarray
    places: float
    speeds: float


def on_its_branch(f: Accelerations, y: np.ndarray, on: np.ndarray) -> bool:
    """Whether the projection of a state y onto the constraints, `on`, moved it by so little that it is on the same
    branch."""
    return bool(np.max(np.abs(on - y) / f.sizes()) < MOVED)


def stride(f: Accelerations, t: float, y: np.ndarray, t1: float) -> Stride:
    """The step from a state y that satisfies the constraints to time t1. Its errors are infinite if it could not be
    completed; otherwise the estimates E and F of the method are combined as usual, E²/√(E² + F²/100).

    Only the components of the errors along the constraints count. The components across the constraints are large,
    since near the singular position motions to other branches are nearly free, and the projection at the end removes
    them.
    """
    system, table, h = f.system, DORMAND_PRINCE, t1 - t
    none = Stride(t1, y, np.inf, np.inf)
    slopes = np.zeros((len(table.b), len(y)))
    for i, c in enumerate(table.c):
        slopes[i] = f.trial(t + c * h, y + h * (table.a[i, :i] @ slopes[:i]))
    there = y + h * (table.b @ slopes)
    if not np.isfinite(there).all():
        return none
    on, left, _ = f.project(t1, there, ROUNDING, SWEEPS)
    if not (left < CLOSED and on_its_branch(f, there, on)):
        return none
    f(t1, on)
    M = system.mass_matrix(t1, f.q[: system.nq], system.states_alone(f.v[: system.n])) / system.mass_scale
    sizes = np.zeros((2, 2))
    for kind, change in enumerate(h * (table.errors @ slopes)):
        for what, e in enumerate(f.small_changes(change)):
            x = np.zeros(system.plan.size)
            x[: system.n] = M @ e
            solve(system.plan, system.linear, x)
            sizes[what, kind] = norm(x, system.scale, system.n)
    places, speeds = (SAFETY * E * E / np.hypot(E, 0.1 * F) if E > 0.0 else 0.0 for E, F in sizes.tolist())
    return Stride(t1, on, places, speeds)
