"""Events within a step across a singular position, in which a method evaluates nothing
(:mod:`flexmb.solvers.changes.passage`), or within a step that cannot end at them
(:mod:`flexmb.solvers.methods.generalized_alpha.near_singular`).

The times of these events, and the states in which they happen, are interpolated between the ends of the step, including
the accelerations, which the equations do not determine there. If an event ends the method, since it ends the run or
switches components, its state becomes a step of the run. This state is projected onto the constraints, since near a
singular position motions to other branches are nearly free, and joints that are open by a little would soon be far off.
A run that continues from it with other components reports that it may be on another branch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from flexmb.algebra.precision import ROUNDING
from flexmb.results.between_steps.interpolation import QUINTIC, Interpolation
from flexmb.results.between_steps.nodes import States
from flexmb.solvers.changes.stride import MOVED, SWEEPS
from flexmb.solvers.events.crossing_state import EventsDueError
from flexmb.solvers.events.run_events import Due
from flexmb.solvers.runs.history import SavedSteps
from flexmb.solvers.runs.right_hand_side import Accelerations, RightHandSide, SingularPositionError
from flexmb.solvers.runs.run import Run


class Way(NamedTuple):
    """An interval of the run: the times (2,) of its ends [s], the states and the values of all events (2, events)
    there."""

    t: np.ndarray
    states: States
    values: np.ndarray


def way_between(run: Run, f: Accelerations, *ends: tuple[float, np.ndarray]) -> Way:
    """The interval between two ends, each a time and a state y of the equations; `f` is left at the second end."""
    found, values = [], []
    for t, y in ends:
        f(t, y)
        found.append((f.q[: f.system.nq].copy(), *(x[: f.system.n].copy() for x in (f.v, f.a)), f.lam.copy()))
        values.append(run.events.values(t, f.q, f.v, f.a, f.lam))
    return Way(np.array([t for t, _ in ends]), States(*(np.array(x) for x in zip(*found))), np.array(values))


def let_happen(run: Run, f: Accelerations, way: Way, numbers: list[int], *, counted: bool = False) -> None:
    """Perform the events with these numbers, which are within the interval; raises an :class:`EventsDueError` if the
    method has to end at one. `counted`: the method has counted the interval as a step."""
    dated = sorted(
        (float(scipy.optimize.brentq(_value, *way.t, args=(run, way, k), xtol=ROUNDING)), k) for k in numbers
    )
    for t, k in dated:
        side = float(np.sign(way.values[1, k]))
        if not run.events.pass_through(k, side):
            continue
        state = _state(run, way, t)
        if run.act([Due(k, t, side)], *state):
            run.events.stand_at(k, side)
            run.report.statistics.steps += 0 if counted else 1
            _stand(run, f, t, state)
            raise EventsDueError


def let_passed_happen(run: Run, rows: SavedSteps) -> None:
    """Perform the events within a step whose ends are these two `rows`, without those just before its end; raises an
    :class:`EventsDueError` if the method has to end at one."""
    if not run.events.might_have_passed() or len(rows.t) < 2 or not rows.t[0] < rows.t[1]:
        return
    system, values = run.system, []
    for t, q, v, a, lam in zip(*rows):
        values.append(run.events.values(t, system.full_q(q), system.full(v), system.full(a), lam))
    way = Way(rows.t, States(*rows[1:]), np.array(values))
    passed = run.events.take_passed(float(way.t[1] - way.t[0]), *way.values)
    if passed:
        let_happen(run, RightHandSide(run), way, passed, counted=True)


def _stand(run: Run, f: Accelerations, t: float, state: States) -> None:
    """Make a state within the interval, projected onto the constraints, a step of the run."""
    q, v, a, lam = state
    n, nq = run.system.n, run.system.nq
    try:
        there = f.motion(f.project(t, f.carried(q, v), ROUNDING, SWEEPS)[0])
        if _size(run, there[0] - q) <= MOVED:
            q = there[0]
            if _size(run, there[1] - v) <= MOVED * _size(run, v):  # rows that fade do not determine speeds
                v = there[1]
    except SingularPositionError:
        pass
    for _, record in run.switching:
        run.events.doubts.append(
            f"event {record.name!r} switches components at t = {t:.9g} s, on the way over a singular position, where "
            "other branches of the mechanism are near: the motion behind it may be off, or that of another branch; "
            "switch before that position, or well behind it"
        )
    run.t, run.q[:nq], run.v[:n], run.a[:n], run.lam[:] = t, q, v, a, lam
    run.history.append(t, run.q, run.v, run.a, run.lam)


def _size(run: Run, y: np.ndarray) -> float:
    """The largest entry of a move, or of speeds, in units of the model."""
    return float(np.max(np.abs(y[: run.system.n]) / run.system.scale, initial=0.0))


def _state(run: Run, way: Way, t: float) -> States:
    """q, v, a and λ at a time within the interval."""
    between = Interpolation(way.t, np.array([t]), "way", QUINTIC)
    there, _ = between.states(way.states, run.system.orientations)
    return States(*(x[0] for x in there))


def _value(t: float, run: Run, way: Way, k: int) -> float:
    """The value of event k at a time within the interval."""
    if t in way.t:
        return float(way.values[way.t.tolist().index(t), k])
    system, (q, v, a, lam) = run.system, _state(run, way, t)
    return run.events.values(t, system.full_q(q), system.full(v), system.full(a), lam)[k]
