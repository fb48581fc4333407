"""Events on the way over a singular position, on which a method evaluates nothing (:mod:`flexmb.solvers.rows.passage`),
or in whose step none can end (:mod:`flexmb.solvers.generalized_alpha.near_singular`).

They are dated by what is interpolated between the two ends of the way, and so is the state in which they happen, with
its accelerations, which the equations do not determine there. One that ends the method, since it ends the run or
switches components, makes that state a step of the run. It is put onto the constraints, for near a singular position
motions to other branches are nearly free, and joints that are open by a little would soon be far off. A run that goes
on from there with other components says that it may be on another branch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from flexmb.results.between_steps.interpolation import Interpolation
from flexmb.results.between_steps.nodes import States
from flexmb.solvers.events.crossing_state import EventsDueError
from flexmb.solvers.events.run_events import Due
from flexmb.solvers.history import SavedSteps
from flexmb.solvers.rows.stride import MOVED, SWEEPS, TIGHT
from flexmb.solvers.run import Run
from flexmb.solvers.scipy_methods.right_hand_side import Accelerations, RightHandSide, SingularPositionError

#: the order of a method whose steps are interpolated by quintic polynomials
ORDER = 5


class Way(NamedTuple):
    """The times (2,) of its two ends, the states there, and the numbers of all events there (2, events)."""

    t: np.ndarray
    states: States
    values: np.ndarray


def way_between(run: Run, f: Accelerations, *ends: tuple[float, np.ndarray]) -> Way:
    """The way between two ends, times and states y of the equations; these are at the second end then."""
    found, values = [], []
    for t, y in ends:
        f(t, y)
        found.append((f.q[: f.system.nq].copy(), *(x[: f.system.n].copy() for x in (f.v, f.a)), f.lam.copy()))
        values.append(run.events.values(t, f.q, f.v, f.a, f.lam))
    return Way(np.array([t for t, _ in ends]), States(*(np.array(x) for x in zip(*found))), np.array(values))


def let_happen(run: Run, f: Accelerations, way: Way, numbers: list[int], *, counted: bool = False) -> None:
    """Let the events of these numbers happen, which are on the way; an :class:`EventsDueError` if the method has to
    end there. `counted`: the method has counted the way as a step."""
    dated = sorted((float(brentq(_value, *way.t, args=(run, way, k), xtol=1e-15)), k) for k in numbers)
    for t, k in dated:
        side = float(np.sign(way.values[1, k]))
        if not run.events.pass_through(k, side):
            continue
        state = _state(run, way, t)
        if run.act([Due(k, t, side)], *state):
            run.events.stand_at(k, side)
            run.statistics.steps += 0 if counted else 1
            _stand(run, f, t, state)
            raise EventsDueError


def let_passed_happen(run: Run, rows: SavedSteps) -> None:
    """Let the events happen that are within a step, at the ends of which these two `rows` are; those at its end, which
    is just before them, are left. An :class:`EventsDueError` if the method has to end there."""
    if not run.events.events or len(rows.t) < 2 or not rows.t[0] < rows.t[1]:
        return
    system, values = run.system, []
    for t, q, v, a, lam in zip(*rows):
        values.append(run.events.values(t, system.full_q(q), system.full(v), system.full(a), lam))
    way = Way(rows.t, States(*rows[1:]), np.array(values))
    passed = run.events.take_passed(float(way.t[1] - way.t[0]), *way.values)
    if passed:
        let_happen(run, RightHandSide(run), way, passed, counted=True)


def _stand(run: Run, f: Accelerations, t: float, state: States) -> None:
    """Make a state on the way, moved onto the constraints, a step of the run."""
    q, v, a, lam = state
    n, nq = run.system.n, run.system.nq
    try:
        there = f.motion(f.project(t, f.carried(q, v), TIGHT, SWEEPS)[0])
        if np.max(np.abs(there[0] - q)[:n] / run.system.scale, initial=0.0) <= MOVED:
            q, v = there
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


def _state(run: Run, way: Way, t: float) -> States:
    """q, v, a and λ at a time on the way."""
    between = Interpolation(way.t, np.array([t]), "way", ORDER)
    there, _ = between.states(way.states, run.system.orientations)
    return States(*(x[0] for x in there))


def _value(t: float, run: Run, way: Way, k: int) -> float:
    """The number of an event at a time on the way."""
    if t in way.t:
        return float(way.values[way.t.tolist().index(t), k])
    system, (q, v, a, lam) = run.system, _state(run, way, t)
    return run.events.values(t, system.full_q(q), system.full(v), system.full(a), lam)[k]
