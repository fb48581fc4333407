"""A stride: one long step over a singular position, none of whose stages is near it.

Between its stages at 1/3 and at 3/5 of a step the method of Dormand and Prince evaluates nothing
(:mod:`flexmb.solvers.explicit.tableau`). A step that has the singular position in the middle of this gap, at MIDDLE of
its way, asks for accelerations at a seventh of its length from there at the nearest. Its truncation error falls with
the ninth power of its length, and that of rounding, divided by σ², grows as it gets shorter; the method's own estimate
knows both. On 40 parallelograms that move at 6 rad/s (:mod:`flexmb.validation.n_four_bar`) the best steps are of 0.05 s
and leave 1e-10 of the speeds; steps of 0.1 s leave 5e-9, and of 0.2 s 2e-6.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.solvers.explicit.tableau import DORMAND_PRINCE
from flexmb.solvers.rows.index_one import norm
from flexmb.solvers.rows.left_out import CLOSED
from flexmb.solvers.scipy_methods.right_hand_side import Accelerations
from flexmb.system.linear import solve

#: where in the step the singular position is
MIDDLE = 0.467
#: Both ends of a stride are put onto the constraints to rounding: an error of the joints moves a mechanism near a
#: singular position 1/σ times as far to the side, and there it changes the speeds by 1/σ times that.
TIGHT, SWEEPS = 1e-15, 4
#: So much larger than its estimate the error may be: stages that are off the constraints meet accelerations that change
#: fast there.
SAFETY = 20.0
#: What moves further onto the constraints, in units of the model, may come to another branch of the mechanism. 1e-5 and
#: 1e-2 make no difference to parallelograms.
MOVED = 1e-4


class Stride(NamedTuple):
    """The end of a step: its time, its state y on the constraints, and the errors of its positions and of its speeds,
    in units of the model."""

    t: float
    y: np.ndarray
    places: float
    speeds: float


def on_its_branch(f: Accelerations, y: np.ndarray, on: np.ndarray) -> bool:
    """Whether a state y that was put `on` the constraints moved by so little that it is on the same branch."""
    return bool(np.max(np.abs(on - y) / f.sizes()) < MOVED)


def stride(f: Accelerations, t: float, y: np.ndarray, t1: float) -> Stride:
    """The step from a state y, which meets the constraints, to the time t1. Errors are infinite where it comes to no
    end; otherwise they are the estimates E and F of the method, made into one as always, E²/√(E² + F²/100).

    Only their parts along the constraints count. Those across them are large, since near the singular position the
    motions to other branches are nearly free, and are taken away at the end."""
    system, table, h = f.system, DORMAND_PRINCE, t1 - t
    none = Stride(t1, y, np.inf, np.inf)
    slopes = np.zeros((len(table.b), len(y)))
    for i, c in enumerate(table.c):
        slopes[i] = f.trial(t + c * h, y + h * (table.a[i, :i] @ slopes[:i]))
    there = y + h * (table.b @ slopes)
    if not np.isfinite(there).all():
        return none
    on, left, _ = f.project(t1, there, TIGHT, SWEEPS)
    if not (left < CLOSED and on_its_branch(f, there, on)):
        return none
    f(t1, on)
    M = system.mass_matrix(t1, f.q[: system.nq]) / system.mass_scale
    sizes = np.zeros((2, 2))
    for kind, change in enumerate(h * (table.errors @ slopes)):
        for what, e in enumerate(f.small_changes(change)):
            x = np.zeros(system.plan.size)
            x[: system.n] = M @ e
            solve(system.plan, system.linear, x)
            sizes[what, kind] = norm(x, system.scale, system.n)
    places, speeds = (SAFETY * E * E / np.hypot(E, 0.1 * F) if E > 0.0 else 0.0 for E, F in sizes.tolist())
    return Stride(t1, on, places, speeds)
