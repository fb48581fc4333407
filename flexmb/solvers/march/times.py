"""Times that every method needs of a run: its ends, fixed steps, the distance within which instants are one, and the
shortest step."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.algebra.precision import TIME_ROUNDING
from flexmb.solvers.march.in_lanes import FirstStep
from flexmb.solvers.runs.run import Run
from flexmb.system.sampling import PERIOD, TOGETHER

#: Shortest step as a part of the run; a step shorter than the round-off of both its ends is lost in it.
SHORTEST = 1e-10


def times_of(run: Run, step: float | None = None, shortest: float = SHORTEST) -> dict[str, Any]:
    """The options of a method that concern time, as the march expects them, and the shortest step [s]; `step` is the
    size of fixed steps [s]."""
    rounding = 2.0 * TIME_ROUNDING * max(abs(run.t), abs(run.t_end))
    periods = [*run.sampling.times[:, PERIOD].tolist(), *([step] if step else [])]
    return {
        "t_start": float(run.t_start),
        "t_end": float(run.t_end),
        "step": float(step or 0.0),
        "together": max(TOGETHER * min(periods), rounding) if periods else 0.0,
        "shortest": max(shortest * (run.t_end - run.t_start), rounding),
    }


def grid_at(run: Run, step: float | None) -> float:
    """Index of the last point of the grid of fixed steps that the run has passed; `step` [s] is its spacing."""
    return float(np.floor((run.t - run.t_start) / step + TOGETHER)) if step else 0.0


def first_step(run: Run, tolerance: float, order: int) -> float:
    """Size [s] of the first step of a method of the given order: over it the motion changes by tolerance^(1/order),
    about, of the model's size or of a radian; at most a tenth of the run."""
    n, scale, span = run.system.n, run.system.scale, run.t_end - run.t_start
    speed = float(np.max(np.abs(run.v[:n]) / scale))
    turn = float(np.sqrt(np.max(np.abs(run.a[:n]) / scale)))
    return min(_reach(tolerance, order) / max(speed, turn, 1.0 / span), span / 10)


def first_of(run: Run, tolerance: float, order: int, longest: float) -> FirstStep:
    """How a lane finds the first step of a run as :func:`first_step` does; `longest` [s]: no step is longer."""
    return FirstStep(_reach(tolerance, order), run.t_end - run.t_start, longest)


def _reach(tolerance: float, order: int) -> float:
    """The part of the model's size, or of a radian, by which the motion may change over the first step."""
    return float(0.1 * tolerance ** (1.0 / order))
