"""Whether a run can be differentiated by its start: forces that jump in it, and times too far apart for what it does in
between.

Where a force jumps at a place or a speed, a disturbed motion comes there earlier or later, so that small motions jump
too, by what no linear model along the run has. Contacts, stops and friction grow from zero; a force of the user's own
may jump. The accelerations of the run show it: a step in which they change is halved, and of its halves the one in
which they change more, until the change is small or what is left is an instant. Jumps of functions of time come at
fixed times and do not matter to small motions.

A run with few of its steps is interpolated. Its speeds must change by what its accelerations say, by Simpson's rule
v₁ − v₀ = h/6 (a₀ + 4 a_½ + a₁), with a_½ of the interpolated state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from flexmb.results.solution import Solution
from flexmb.results.state import State

#: accelerations jump if they change in an instant by more than this part of the largest in the run
JUMP = 1e-3
#: an instant, as a part of the run
INSTANT = 1e-10
#: so many intervals are looked into: those in which accelerations change most, and more than in those beside
LOOKED = 5
#: speeds may differ by this part of the largest from what accelerations say
SPEEDS = 2e-3
#: in so many intervals speeds are compared
COMPARED = 20

#: the states of a run at some times
States = Callable[[np.ndarray], list[State]]


class Steps(NamedTuple):
    """Steps of a run: times `t` (k,) [s], speeds `v` and accelerations `a` (k, n), in scaled units, of what is between
    the times `begin` and `end` [s]; `change` (k − 1,): by how much the accelerations change in each at most."""

    t: np.ndarray
    v: np.ndarray
    a: np.ndarray
    scale: np.ndarray
    begin: float
    end: float
    change: np.ndarray


def steps_between(run: Solution, begin: float, end: float, scale: np.ndarray) -> Steps:
    """The steps of a run that reach into what is between two times [s]."""
    some = slice(int(np.searchsorted(run.t, begin, "right")) - 1, int(np.searchsorted(run.t, end)) + 1)
    v, a = run.v[some] / scale, run.a[some] / scale
    return Steps(run.t[some], v, a, scale, begin, end, np.max(np.abs(np.diff(a, axis=0)), axis=1, initial=0.0))


class Jump(NamedTuple):
    """A jump of accelerations at a time `t` [s], most of the coordinate of a `name`."""

    t: float
    name: str


def jump_in(run: Steps, states: States, kinks: Sequence[float]) -> Jump | None:
    """A jump of accelerations in a run, but for those in steps with one of the times `kinks`; None if none is found."""
    limit = JUMP * float(np.max(np.abs(run.a), initial=0.0))
    beside = np.concatenate([[0.0], run.change, [0.0]])
    alone = run.change - beside[:-2] - beside[2:]
    instant = INSTANT * (run.end - run.begin)
    for k in sorted({*np.argsort(run.change)[-LOOKED:].tolist(), *np.argsort(alone)[-LOOKED:].tolist()}):
        a, b = max(float(run.t[k]), run.begin), min(float(run.t[k + 1]), run.end)
        if run.change[k] <= limit or b <= a or any(a - instant <= t <= b + instant for t in kinks):
            continue
        jump = _jump_between(a, b, states, run.scale, limit, instant)
        if jump is not None:
            return jump
    return None


def _jump_between(a: float, b: float, states: States, scale: np.ndarray, limit: float, instant: float) -> Jump | None:
    first, last = states(np.array([a, b]))
    while True:
        change = np.abs(last.a - first.a) / scale
        if np.max(change) <= limit:
            return None
        if b - a <= instant:
            return Jump(b, first.system.names[int(np.argmax(change))])
        middle = 0.5 * (a + b)
        [at] = states(np.array([middle]))
        if np.max(np.abs(at.a - first.a) / scale) > np.max(np.abs(last.a - at.a) / scale):
            b, last = middle, at
        else:
            a, first = middle, at


def gap_in(run: Steps, states: States) -> float | None:
    """A time [s] around which the steps do not tell how the run moves; None if they do everywhere."""
    h = np.diff(run.t)
    fast = float(np.max(np.abs(run.v), initial=0.0))
    for k in np.argsort(run.change * h)[-COMPARED:][::-1].tolist():
        if h[k] > 0.0:
            middle = 0.5 * (run.t[k] + run.t[k + 1])
            [at] = states(np.array([middle]))
            off = run.v[k + 1] - run.v[k] - h[k] / 6.0 * (run.a[k] + 4.0 * at.a / run.scale + run.a[k + 1])
            if np.max(np.abs(off), initial=0.0) > SPEEDS * fast:
                return float(middle)
    return None
