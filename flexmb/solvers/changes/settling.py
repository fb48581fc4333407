"""How a run goes on where rows change their states: joints stick or slide, gaps close, bounce or open.

:mod:`flexmb.solvers.events.row_states` finds the states and the impact before them; here a run takes them on, with the
records of what happened. An impact makes two states at one instant, as a switch does, and the ledger has its loss.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from flexmb.joints.gap_between import TOUCH
from flexmb.joints.sticking import BACKWARD, FORWARD, FREE, STICKS
from flexmb.results.events import EventRecord, Impulses
from flexmb.solvers.changes.joint_impulses import impulses_of_joints
from flexmb.solvers.events.choosing import Choice
from flexmb.solvers.events.impacts.collision import Collision
from flexmb.solvers.runs.run import Run
from flexmb.solvers.start.hard_rows import deformed

#: Words of event records for the new state of a joint, and for that of a row in one direction.
DONE = {STICKS: "sticks", FORWARD: "slides forward", BACKWARD: "slides backward"}
DONE_ONE_WAY = {STICKS: "closes", FREE: "opens"}
#: An impact on a flexible body is doubted if it loses more than this part of the kinetic energy.
MUCH = 0.01


def settles(run: Run, behind_switch: bool) -> bool:
    """Choose the states of all rows that have some from the present state on; if no choice is consistent, end the run
    and return False. `behind_switch`: the state saved last follows a switch, and its accelerations are known only after
    the choice."""
    rows, system = run.stated.rows, run.system
    changed, run.changed = run.changed, None
    if not rows:
        return True
    n, nq = system.n, system.nq
    before = run.stated.states
    if changed is None or len(changed) != len(rows):
        changed = np.zeros(len(rows), dtype=bool)
    _reach(run, run.events.left_of(changed & run.stated.one_way & (before == FREE)))
    state = (run.t, system.full_q(run.q[:nq]), system.full(run.v[:n]), run.lam)
    found = run.stated.settle(*state, changed)
    if isinstance(found, str):
        run.diverged(found)
        return False
    if found.collision is not None:
        _enter_impact(run, found, found.collision)
    for k in np.flatnonzero(found.states != before).tolist():
        if run.stated.rubbing[k] and FREE in (found.states[k], before[k]) and found.states[k] != STICKS:
            continue  # it follows the gap
        done = (DONE_ONE_WAY if run.stated.one_way[k] else DONE)[float(found.states[k])]
        run.events.records.append(_change(run, rows[k].name, _at_limit(run, k, done)))
    run.v[:n], run.a[:n], run.lam = found.v[:n], found.a[:n], found.lam
    if behind_switch and found.collision is None:
        run.history.take_back()
    run.history.append(run.t, run.q, run.v, run.a, run.lam)
    said = run.stated.endless(run.t, found.states != before, run.t_end - run.t_start)
    if said:
        run.diverged(said)
    return not said


def _reach(run: Run, left: float) -> None:
    """Move on to the instant at which a gap closes, just before which a step ends, at constant accelerations over the
    time that is `left` [s]."""
    n, nq = run.system.n, run.system.nq
    if not left > 0.0 or not run.t < run.t + left <= run.t_end:
        return
    v, a = run.v[:n].copy(), run.a[:n]
    run.q[:nq] = run.system.retract(run.q[:nq], left * (v + 0.5 * left * a))
    run.v[:n] = v + left * a
    run.t += left
    run.history.append(run.t, run.q, run.v, run.a, run.lam)


def _at_limit(run: Run, k: int, done: str) -> str:
    """The words for what row number k does, with the limit of its stop, or which of its corners."""
    if not (run.stated.one_way[k] or run.stated.rubbing[k]):
        return done
    at = run.stated.names(k - int(run.stated.rubbing[k])).rpartition(".")[2]
    return done if at == TOUCH else f"{done} at {at}"


def _enter_impact(run: Run, found: Choice, collision: Collision) -> None:
    """Enter an impact in the records, and what it loses in the ledger; the state saved last is that before it."""
    system, rows, n = run.system, run.stated.rows, run.system.n
    if run.history.newest < run.t:
        run.history.append(run.t, run.q, run.v, run.a, run.lam)
    motion = run.q[: system.nq].copy(), collision.v[:n].copy(), np.zeros(n)
    impulses = Impulses(partial(impulses_of_joints, system, run.t, motion, collision.on_rows))
    first = True
    _doubt_of_waves(run, found, collision)
    for k, P, lost in zip(found.struck.tolist(), collision.impulse, collision.lost):
        if not P > 0.0:
            continue
        record = _change(run, rows[k].name, _at_limit(run, k, "impact"))
        record.lost, record.impulses = float(lost), impulses if first else Impulses()
        if collision.lowered:
            record.done.append("restitution lowered, it would have gained energy")
        if not collision.unique:
            record.done.append("one of several impulses")
        if k in found.ended:
            record.done.append(f"bouncing ends at t = {found.ended[k]:.12g} s")
        run.events.records.append(record)
        first = False
    run.history.switch(system, np.array([0.0, 0.0, collision.work, float(collision.lost.sum())]))
    run.step = 0.0


def _doubt_of_waves(run: Run, found: Choice, collision: Collision) -> None:
    """Doubt an impact on a flexible body that has a restitution, which the start did not show, or that loses much: what
    is lost is the energy of waves that the body is too coarse to have."""
    system, n = run.system, run.system.n
    bodies = deformed(system, collision.v[:n] - run.v[:n])
    if not bodies:
        return
    lost = float(collision.lost.sum())
    part = lost / float(system.energy(run.t, run.q[: system.nq], run.v[:n])[0]) if lost > 0.0 else 0.0
    for row in (run.stated.rows[k] for k, P in zip(found.struck.tolist(), collision.impulse) if P > 0.0):
        if any(text.startswith(row.where) for text in run.events.doubts):
            continue
        if row.restitution > 0.0:
            run.events.doubts.append(
                f"{row.where} has a restitution, and its impact at t = {run.t:.6g} s deforms {bodies[0]!r}: waves in a "
                "flexible body are its restitution, and one at a single place has no limit for finer bodies; leave "
                "restitution out"
            )
        elif part > MUCH:
            run.events.doubts.append(
                f"{row.where} takes {100.0 * part:.2g} % of the kinetic energy in its impact at t = {run.t:.6g} s: "
                f"{bodies[0]!r} would keep it in waves, for which it is too coarse; take more elements or modes, or a "
                "stop with a stiffness"
            )


def _change(run: Run, name: str, done: str) -> EventRecord:
    """The record of a row that changes its state at the present time."""
    n, nq = run.system.n, run.system.nq
    every = run.system.for_all_rows(run.lam)
    state = (run.q[:nq].copy(), run.v[:n].copy(), run.a[:n].copy(), every)
    at = run.events.not_before_last(run.t)
    return EventRecord(name, at, "", at, "", [done], *state)
