"""Runge–Kutta–Fehlberg 4(5) with fixed steps, the loop compiled: for imitating a real-time loop.

The formulas are those of Fehlberg (1969). The state goes on by that of fifth order; its difference from that of fourth
order is reported as `step_error`. The index-1 form, Skyenginlab (n.d.), eq. (14), is used; with `project` each step is
moved back onto the constraints.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.charts import normalise, rates
from flexmb.kernels.compilation import allocation_free, called
from flexmb.kernels.references import by_reference
from flexmb.solvers.index_one import Work, accelerations, norm, project, work_for
from flexmb.solvers.left_out import CONTRADICT, FADE, HOLD, LeftOut, RowsFadeError, check_left_out
from flexmb.solvers.passage import DEPTH, KEPT, LEAP, NEAR, Passage, approaches, leaps, smallest_singular_value
from flexmb.solvers.right_hand_side import RightHandSide
from flexmb.solvers.run import Run, states_ahead
from flexmb.system.evaluation import constraints
from flexmb.system.linear import NO_ROOM, OK, Linear
from flexmb.system.plan import Plan, Scratch

_A = np.array(
    [
        [0, 0, 0, 0, 0],
        [1 / 4, 0, 0, 0, 0],
        [3 / 32, 9 / 32, 0, 0, 0],
        [1932 / 2197, -7200 / 2197, 7296 / 2197, 0, 0],
        [439 / 216, -8, 3680 / 513, -845 / 4104, 0],
        [-8 / 27, 2, -3544 / 2565, 1859 / 4104, -11 / 40],
    ]
)
_B = np.array([16 / 135, 0, 6656 / 12825, 28561 / 56430, -9 / 50, 2 / 55])
_E = _B - np.array([25 / 216, 0, 1408 / 2565, 2197 / 4104, -1 / 5, 0])
_C = np.array([0, 1 / 4, 3 / 8, 12 / 13, 1, 1 / 2])

#: how a step or several ended; PASSAGE_DUE: a passage through a singular position is to be tried; ROWS_…: other
#: constraint rows are needed
FINISHED, SINGULAR, OUT_OF_BOUNDS, OUT_OF_ROOM, PASSAGE_DUE, ROWS_FADE, ROWS_CONTRADICT = range(7)
#: The error that a passage through a singular position may have: that of a step, within these bounds; at least the last
#: number where the next step would meet the position.
PASSAGE_ERRORS, ERROR_IN_HASTE = (1e-9, 1e-6), 1e-6
#: A step that is too long is halved at most this often, and tried for this many steps, until its estimated error is
#: below this part of the model's length.
HALVINGS, TRIED, FITS = 24, 64, 1e-4


@by_reference
class FehlbergLoop(NamedTuple):
    """All that the compiled loop works with: the state, which it changes; slopes (6, nq) and (6, n) of the stages, the
    state at one of them, the speeds before the step; `drift` (3,): largest |g|, |ġ| and estimated error of a step;
    `rows` (m,) and `watch` (3,) look for singular positions, see :mod:`flexmb.solvers.passage`."""

    plan: Plan
    scratch: Scratch
    linear: Linear
    mass: float
    step: float
    project: bool
    scale: np.ndarray
    row_scale: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    kq: np.ndarray
    kv: np.ndarray
    stage_q: np.ndarray
    stage_v: np.ndarray
    stage_a: np.ndarray
    v_before: np.ndarray
    work: Work
    drift: np.ndarray
    rows: np.ndarray
    watch: np.ndarray
    left_out: LeftOut


def _loop(run: Run, step: float, project: bool, state: tuple[np.ndarray, ...]) -> FehlbergLoop:
    s, (q, v, a, lam) = run.system, state
    kq, kv = np.zeros((6, s.nq)), np.zeros((6, s.n))
    rows = np.full(s.m, 1.0 / np.sqrt(max(s.m, 1)))
    return FehlbergLoop(
        s.plan, s.scratch, s.linear, s.mass_scale, step, project, s.scale, s.row_scale, q, v, a, lam, kq, kv,
        q.copy(), np.zeros_like(v), np.zeros_like(a), v.copy(), work_for(s.plan), np.zeros(3), rows, np.zeros(3),
        run.left_out,
    )  # fmt: skip


@called(bool)
def _fill_stage(loop, weights, stages):
    """Fill the stage with the state to which the first `stages` slopes lead; whether its numbers are in bounds."""
    h, q, v = loop.step, loop.stage_q, loop.stage_v
    for i in range(loop.plan.nq):
        dq = 0.0
        for s in range(stages):
            dq += weights[s] * loop.kq[s, i]
        q[i] = loop.q[i] + h * dq
        if not abs(q[i]) < 1e100:
            return False
    for i in range(loop.plan.n):
        dv = 0.0
        for s in range(stages):
            dv += weights[s] * loop.kv[s, i]
        v[i] = loop.v[i] + h * dv
        if not abs(v[i]) < 1e100:
            return False
    if loop.plan.orientations.shape[0] > 0:
        normalise(loop.plan.orientations, q)
    return True


@called(int)
def _accelerate(loop, t, q, v, a):
    """Accelerations of a state; FINISHED, OUT_OF_ROOM or SINGULAR."""
    status = accelerations(loop.plan, loop.scratch, loop.linear, loop.mass, t, q, v, a, loop.lam, loop.work, 0.0, 0.0)
    return FINISHED if status == OK else OUT_OF_ROOM if status == NO_ROOM else SINGULAR


@called(int)
def _step(loop, t):
    """One step from t; FINISHED, OUT_OF_ROOM, SINGULAR or OUT_OF_BOUNDS."""
    h, n = loop.step, loop.plan.n
    q, v, a = loop.stage_q, loop.stage_v, loop.stage_a
    for stage in range(6):
        if not _fill_stage(loop, _A[stage], stage):
            return OUT_OF_BOUNDS
        status = _accelerate(loop, t + _C[stage] * h, q, v, a)
        if status != FINISHED:
            return status
        rates(loop.plan.orientations, n, q, v, loop.work.aux)
        for i in range(loop.plan.nq):
            loop.kq[stage, i] = loop.work.aux[i]
        for i in range(n):
            loop.kv[stage, i] = a[i]
    if not _fill_stage(loop, _B, 6):
        return OUT_OF_BOUNDS
    for i in range(n):
        error = 0.0
        for s in range(6):
            error += _E[s] * loop.kq[s, i]
        loop.drift[2] = max(loop.drift[2], abs(h * error) / loop.scale[i])
    return _keep(loop, t + h)


@called(int)
def _keep(loop, t):
    """Move to the last stage, or to where the constraints are met; FINISHED, OUT_OF_ROOM or SINGULAR."""
    plan, scratch, work, drift = loop.plan, loop.scratch, loop.work, loop.drift
    q, v = loop.stage_q, loop.stage_v
    if loop.project and plan.m > 0:
        status, _, _ = project(
            plan, scratch, loop.linear, loop.mass, t, q, v, loop.lam, loop.row_scale, work, 1e-12, 3, True
        )
        if status != OK:
            return OUT_OF_ROOM if status == NO_ROOM else SINGULAR
    for i in range(plan.nq):
        loop.q[i] = q[i]
    for i in range(plan.n):
        loop.v_before[i] = loop.v[i]
        loop.v[i] = v[i]
    status = _accelerate(loop, t, loop.q, loop.v, loop.a)
    if status == FINISHED and plan.m > 0:
        constraints(plan, scratch, t, loop.q, loop.v, work.zero, work.weights, work.g, work.gd, work.gamma)
        drift[0] = max(drift[0], norm(work.g, loop.row_scale, plan.m))
        drift[1] = max(drift[1], norm(work.gd, loop.row_scale, plan.m))
    if status == FINISHED and loop.left_out.weights.shape[0] > 0:
        off = norm(work.g, loop.row_scale, plan.m)
        found = check_left_out(
            loop.left_out, plan, scratch, loop.linear, t, loop.q, loop.v, loop.scale, loop.row_scale, off
        )
        return FINISHED if found == HOLD else ROWS_FADE if found == FADE else ROWS_CONTRADICT
    return status


@allocation_free
def _advance(loop, t0, first, steps, saved):
    """Steps number first … first + steps − 1 of the grid from t0; (status, steps done)."""
    n, m, h, watch = loop.plan.n, loop.plan.m, loop.step, loop.watch
    for done in range(steps):
        t = t0 + (first + done) * h
        status = _step(loop, t)
        if status != FINISHED and status != ROWS_FADE:
            return status, done
        saved.t[done] = t + h
        for i in range(loop.plan.nq):
            saved.q[done, i] = loop.q[i]
        for i in range(n):
            saved.v[done, i] = loop.v[i]
            saved.a[done, i] = loop.a[i]
        for k in range(m):
            saved.lam[done, k] = loop.lam[k]
        if status == ROWS_FADE:
            return ROWS_FADE, done + 1
        if m > 0:
            sigma = smallest_singular_value(loop.plan, loop.linear, loop.row_scale, loop.rows, loop.work.x)
            due = approaches(watch, sigma)
            leapt = sigma < NEAR * watch[1] and leaps(h, loop.v_before, loop.kv[0], loop.v, loop.a, loop.scale, n)
            if sigma < DEPTH * watch[1] or leapt:
                return SINGULAR, done
            if due:
                return PASSAGE_DUE, done + 1
    return FINISHED, steps


def run_rkf45(run: Run, *, step: float = 1e-3, project: bool = True) -> None:
    """Fixed `step` [s]; the last one is as long as the others, so the run may end up to one step after t_end."""
    system = run.system
    run.history.order = 5
    count = int(np.ceil((run.t_end - run.t) / step - 1e-9))
    loop = _loop(run, float(step), bool(project), (run.q, run.v, run.a, run.lam))
    t0 = run.t
    recent: deque[tuple[Any, ...]] = deque([(t0, run.q[: system.nq].copy(), run.v[: system.n].copy())], maxlen=KEPT)

    before = run.statistics.steps

    def advance() -> None:
        done = 0
        passage = _passage(run, [(run.t, run.q, run.v)], loop)
        loop.rows[:], loop.watch[:] = passage.u, passage.watch
        while done < count:
            chunk = run.history.room(min(count - done, 512))
            now = loop._replace(linear=system.linear)
            status, steps = _advance(now, t0, done, min(len(chunk.t), count - done), chunk)
            run.history.keep(chunk, 0, steps)
            recent.extend(zip(*(x[max(0, steps - KEPT) : steps] for x in chunk[:3])))
            done += steps
            run.t = t0 + done * step
            if status == PASSAGE_DUE:
                if _passage(run, recent, loop).through():
                    done = round((run.t - t0) / step)
            elif status == SINGULAR or status == OUT_OF_BOUNDS:
                passage = _passage(run, recent, loop)
                run.diverged(passage.why() if passage.near else _too_long(run, loop), states_ahead(run, step))
                return
            elif status == OUT_OF_ROOM:
                system.grow()
            run.statistics.steps = before + done
            if status == ROWS_FADE or status == ROWS_CONTRADICT:
                _, run.q[: system.nq], run.v[: system.n] = recent[-1]
                raise RowsFadeError(FADE if status == ROWS_FADE else CONTRADICT)
            run.show()

    run.guarded(advance)
    run.statistics.evaluations = 7 * run.statistics.steps
    drift = loop.drift
    s = run.statistics
    s.step_error = max(s.step_error, float(drift[2]))
    s.position_drift, s.velocity_drift = max(s.position_drift, float(drift[0])), max(s.velocity_drift, float(drift[1]))


def _passage(run: Run, recent: Iterable[tuple[Any, ...]], loop: FehlbergLoop) -> Passage:
    """A passage that has seen the latest states."""
    f, n, nq = RightHandSide(run), run.system.n, run.system.nq
    f.lam[:] = 0.0  # after a step that failed, those of the run are not finite
    error = float(np.clip(loop.drift[2], *PASSAGE_ERRORS))
    passage = Passage(run, f, error, error, loop.step)
    passage.watch[1] = loop.watch[1]
    for t, q, v in recent:
        f(float(t), np.concatenate([q[:nq], v[:n]]))
        passage.see(float(t))
    sigmas = [x.sigma for x in passage.seen][-2:]
    if len(sigmas) == 2 and sigmas[1] < LEAP * (sigmas[0] - sigmas[1]):
        passage.rtol = passage.atol = max(error, ERROR_IN_HASTE)
    return passage


def _too_long(run: Run, loop: FehlbergLoop) -> str:
    """A message that the step was too long, with a length that serves at least for the next steps."""
    system, step = run.system, loop.step
    size = np.abs(loop.stage_q[: system.n]) / system.scale
    worst = int(np.argmax(np.where(np.isfinite(size), size, np.inf)))
    said = f"the step {step:g} s is too long, worst in {system.names[worst]!r}"
    shorter = step
    for _ in range(HALVINGS):
        shorter *= 0.5
        copy = _loop(run, shorter, loop.project, (run.q.copy(), run.v.copy(), run.a.copy(), run.lam.copy()))
        chunk = run.history.room(TRIED)
        status, _ = _advance(copy, run.t, 0, len(chunk.t), chunk)
        if status in (FINISHED, PASSAGE_DUE) and copy.drift[2] <= FITS:
            return f"{said}; take step={shorter:.1g}, or less"
    return f"{said}, and none that is shorter does"
