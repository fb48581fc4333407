"""Runge–Kutta–Fehlberg 4(5) with fixed steps, the loop compiled: for imitating a real-time loop.

The formulas are those of Fehlberg (1969). That of fifth order is advanced; the difference to the fourth is reported as
`step_error`. The index-1 form, Skyenginlab (n.d.), eq. (14), is used; with `project` each step is moved back onto the
constraints.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

import numpy as np

from flexmb.kernels.compilation import compiled
from flexmb.solvers.history import Rows
from flexmb.solvers.index_one import accelerations, project
from flexmb.solvers.passage import DEPTH, KEPT, LEAP, NEAR, Passage, approaches, leaps, margin
from flexmb.solvers.right_hand_side import RightHandSide
from flexmb.solvers.run import Run, states_ahead, work_arrays
from flexmb.system.evaluation import constraints
from flexmb.system.linear import NO_ROOM, OK

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

FINISHED, SINGULAR, WILD, ROOM, FLAT = range(5)
#: accuracy of a passage through a singular position, which fixed steps do not choose: what a step is off, in these
#: bounds, and what must do when the next step would meet it
PASSAGE, NOW = (1e-9, 1e-6), 1e-6
#: a step that is too long is halved so often at most, tried over so many steps, until its estimated error is below a
#: part of the model's length
HALVINGS, TRIED, FITS = 24, 64, 1e-4


@compiled
def _advance(
    plan,
    scratch,
    linear,
    mass,
    h,
    first,
    steps,
    t0,
    q,
    v,
    a,
    lam,
    kq,
    kv,
    ym,
    row_scale,
    work,
    project_each,
    drift,
    scale,
    rows,
    watch,
    saved,
):
    """Steps number first … first + steps − 1 of size h; returns (status, steps done).

    `rows` (m,) and `watch` (3,) look for singular positions: see the module `passage`.
    """
    T, Q, V, A, L = saved
    n, m = plan.n, plan.m
    qs, vs, as_ = ym
    for done in range(steps):
        t = t0 + (first + done) * h
        for stage in range(6):
            for i in range(n):
                dq = 0.0
                dv = 0.0
                for s in range(stage):
                    dq += _A[stage, s] * kq[s, i]
                    dv += _A[stage, s] * kv[s, i]
                qs[i] = q[i] + h * dq
                vs[i] = v[i] + h * dv
                if not abs(qs[i]) < 1e100 or not abs(vs[i]) < 1e100:
                    return WILD, done
            status = accelerations(plan, scratch, linear, mass, t + _C[stage] * h, qs, vs, as_, lam, work, 0.0, 0.0)
            if status != OK:
                return (ROOM if status == NO_ROOM else SINGULAR), done
            for i in range(n):
                kq[stage, i] = vs[i]
                kv[stage, i] = as_[i]
        for i in range(n):
            dq = 0.0
            dv = 0.0
            e = 0.0
            for s in range(6):
                dq += _B[s] * kq[s, i]
                dv += _B[s] * kv[s, i]
                e += _E[s] * kq[s, i]
            qs[i] = q[i] + h * dq
            vs[i] = v[i] + h * dv
            if not abs(qs[i]) < 1e100 or not abs(vs[i]) < 1e100:
                return WILD, done
            drift[2] = max(drift[2], abs(h * e) / scale[i])
        t += h
        if project_each and m > 0:
            status, _, _ = project(plan, scratch, linear, mass, t, qs, vs, lam, row_scale, work, 1e-12, 3, True)
            if status != OK:
                return (ROOM if status == NO_ROOM else SINGULAR), done
        for i in range(n):
            q[i] = qs[i]
            v[i] = vs[i]
        status = accelerations(plan, scratch, linear, mass, t, q, v, a, lam, work, 0.0, 0.0)
        if status != OK:
            return (ROOM if status == NO_ROOM else SINGULAR), done
        if m > 0:
            constraints(plan, scratch, t, q, v, work[5], work[6], work[2], work[3], work[4])
            for k in range(m):
                drift[0] = max(drift[0], abs(work[2][k]) / row_scale[k])
                drift[1] = max(drift[1], abs(work[3][k]) / row_scale[k])
        T[done] = t
        for i in range(n):
            Q[done, i] = q[i]
            V[done, i] = v[i]
            A[done, i] = a[i]
        for k in range(m):
            L[done, k] = lam[k]
        if m > 0:
            sigma = margin(plan, linear, row_scale, rows, work[1])
            due = approaches(watch, sigma)
            if sigma < DEPTH * watch[1] or (sigma < NEAR * watch[1] and leaps(h, kq[0], kv[0], v, a, scale, n)):
                return SINGULAR, done
            if due:
                return FLAT, done + 1
    return FINISHED, steps


def run_rkf45(run: Run, *, step: float = 1e-3, project: bool = True) -> None:
    """Fixed `step` [s]; the last one is as long as the others, so the run may end up to one step after t_end."""
    system = run.system
    count = int(np.ceil((run.t_end - run.t) / step - 1e-9))
    loop = _Loop(run, step, project, (run.q, run.v, run.a, run.lam))
    t0 = run.t
    recent: deque[tuple[Any, ...]] = deque([(t0, run.q.copy(), run.v.copy())], maxlen=KEPT)

    def advance() -> None:
        done = 0
        passage = _passage(run, [(run.t, run.q, run.v)], loop)
        loop.rows[:], loop.watch[:] = passage.u, passage.watch
        while done < count:
            chunk = run.history.room(min(count - done, 512))
            status, steps = loop.advance(t0, done, min(len(chunk[0]), count - done), chunk)
            run.history.keep(chunk, 0, steps)
            recent.extend(zip(*(x[max(0, steps - KEPT) : steps] for x in chunk[:3])))
            done += steps
            run.t = t0 + done * step
            if status == FLAT:
                if _passage(run, recent, loop).through():
                    done = round((run.t - t0) / step)
            elif status == SINGULAR or status == WILD:
                passage = _passage(run, recent, loop)
                run.diverged(passage.why() if passage.near else _too_long(run, loop), states_ahead(run, step))
                return
            elif status == ROOM:
                system.grow()
            run.statistics.steps = done
            run.show()

    run.guarded(advance)
    run.statistics.evaluations = 7 * run.statistics.steps
    drift = loop.drift
    run.statistics.step_error = float(drift[2])
    run.statistics.position_drift, run.statistics.velocity_drift = float(drift[0]), float(drift[1])


class _Loop:
    """The compiled loop with all that it needs besides the system: `state` (q, v, a, λ), which it moves, and
    `drift`: largest |g|, |ġ| and estimated error of a step."""

    def __init__(self, run: Run, step: float, project: bool, state: tuple[np.ndarray, ...]) -> None:
        system = self.system = run.system
        n, m, total = system.n, system.m, system.plan.total
        self.step, self.project, self.state = step, project, state
        self.slopes = np.zeros((2, 6, n))
        self.stage = (state[0].copy(), np.zeros(total), np.zeros(total))
        self.work, self.drift = work_arrays(system), np.zeros(3)
        self.rows, self.watch = np.full(m, 1.0 / np.sqrt(max(m, 1))), np.zeros(3)

    def advance(self, t0: float, first: int, steps: int, chunk: Rows) -> tuple[int, int]:
        """Steps number first … first + steps − 1 of the grid from t0; (status, steps done)."""
        s = self.system
        return _advance(  # type: ignore[no-any-return]
            s.plan,
            s.scratch,
            s.linear,
            s.mass_scale,
            self.step,
            first,
            steps,
            t0,
            *self.state,
            *self.slopes,
            self.stage,
            s.row_scale,
            self.work,
            self.project,
            self.drift,
            s.scale,
            self.rows,
            self.watch,
            chunk,
        )


def _passage(run: Run, recent: Iterable[tuple[Any, ...]], loop: _Loop) -> Passage:
    """A passage that has seen the latest states."""
    f, n = RightHandSide(run), run.system.n
    f.lam[:] = 0.0  # those of the run are no numbers after a step that failed
    error = float(np.clip(loop.drift[2], *PASSAGE))
    passage = Passage(run, f, error, error, loop.step)
    passage.watch[1] = loop.watch[1]
    for t, q, v in recent:
        f(float(t), np.concatenate([q[:n], v[:n]]))
        passage.see(float(t))
    sigmas = [x.sigma for x in passage.seen][-2:]
    if len(sigmas) == 2 and sigmas[1] < LEAP * (sigmas[0] - sigmas[1]):
        passage.rtol = passage.atol = max(error, NOW)
    return passage


def _too_long(run: Run, loop: _Loop) -> str:
    """That a step was too long, and one that does, at least for the next steps."""
    system, step = run.system, loop.step
    size = np.abs(loop.stage[0][: system.n]) / system.scale
    worst = int(np.argmax(np.where(np.isfinite(size), size, np.inf)))
    said = f"the step {step:g} s is too long, worst in {system.names[worst]!r}"
    shorter = step
    for _ in range(HALVINGS):
        shorter *= 0.5
        copy = _Loop(run, shorter, loop.project, tuple(x.copy() for x in (run.q, run.v, run.a, run.lam)))
        chunk = run.history.room(TRIED)
        status, _ = copy.advance(run.t, 0, len(chunk[0]), chunk)
        if status in (FINISHED, FLAT) and copy.drift[2] <= FITS:
            return f"{said}; take step={shorter:.1g}, or less"
    return f"{said}, and none that is shorter does"
