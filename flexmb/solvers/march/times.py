"""The times that every method knows of a run: its ends, fixed steps, which instants are one, and the shortest step."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.solvers.run import Run
from flexmb.system.sampling import PERIOD

#: instants that are nearer to each other than this part of a fixed step, or of a controller's period, are one
TOGETHER = 1e-6
#: the shortest step, as a part of the run; and of a time, where a step is not told from rounding of the time
SHORTEST, OF_TIME = 1e-10, 8e-15


def times_of(run: Run, step: float | None = None, shortest: float = SHORTEST) -> dict[str, Any]:
    """Times of a run with fixed steps of this size [s], or with others: those that the march expects among the options
    of a method, and the shortest step."""
    rounding = OF_TIME * max(abs(run.t), abs(run.t_end))
    periods = [*run.sampling.times[:, PERIOD].tolist(), *([step] if step else [])]
    return {
        "t_start": float(run.t_start),
        "t_end": float(run.t_end),
        "step": float(step or 0.0),
        "together": max(TOGETHER * min(periods), rounding) if periods else 0.0,
        "shortest": max(shortest * (run.t_end - run.t_start), rounding),
    }


def grid_at(run: Run, step: float | None) -> float:
    """The number of the last point of the grid of fixed steps [s] that the run has passed."""
    return float(np.floor((run.t - run.t_start) / step + TOGETHER)) if step else 0.0


def first_step(run: Run, tolerance: float, order: int) -> float:
    """A first step [s] for a method of an order: one over which the motion changes by a part of the model's size, or of
    a radian, whose power of that order is about the tolerance; a tenth of the run at most."""
    n, scale, span = run.system.n, run.system.scale, run.t_end - run.t_start
    speed = float(np.max(np.abs(run.v[:n]) / scale))
    turn = float(np.sqrt(np.max(np.abs(run.a[:n]) / scale)))
    return min(0.1 * tolerance ** (1.0 / order) / max(speed, turn, 1.0 / span), span / 10)
