"""Runge–Kutta–Fehlberg 4(5) with fixed steps, the loop compiled: for imitating a real-time loop.

The fifth-order formula is advanced; the difference to the fourth is reported as `step_error`. The index-1 form
(source 001, (14)) is used; with `project` each step is moved back onto the constraints.
"""

from __future__ import annotations

import numpy as np

from flexmb.errors import SolverError
from flexmb.solvers.index_one import accelerations, project
from flexmb.solvers.run import Run, states_ahead, work_arrays
from flexmb.system.evaluation import constraints
from flexmb.system.kernels import compiled
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

FINISHED, FULL, SINGULAR, WILD, ROOM = range(5)


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
    saved,
):
    """Steps number first … first + steps − 1 of size h; returns (status, steps done)."""
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
    return FINISHED, steps


def run_rkf45(run: Run, *, step: float = 1e-3, project: bool = True) -> None:
    """Fixed `step` [s]; the last one is as long as the others, so the run may end up to one step after t_end."""
    if step <= 0.0:
        raise SolverError(f"rkf45: step is {step:g}; it must be positive")
    system, n, total = run.system, run.system.n, run.system.plan.total
    count = int(np.ceil((run.t_end - run.t) / step - 1e-9))
    kq, kv = np.zeros((2, 6, n))
    stage = (run.q.copy(), np.zeros(total), np.zeros(total))
    work, drift, t0 = work_arrays(system), np.zeros(3), run.t

    def advance() -> None:
        done = 0
        while done < count:
            chunk = run.history.room(min(count - done, 512))
            status, steps = _advance(
                system.plan,
                system.scratch,
                system.linear,
                system.mass_scale,
                step,
                done,
                min(len(chunk[0]), count - done),
                t0,
                run.q,
                run.v,
                run.a,
                run.lam,
                kq,
                kv,
                stage,
                system.row_scale,
                work,
                project,
                drift,
                system.scale,
                chunk,
            )
            run.history.keep(chunk, 0, steps)
            done += steps
            run.t = t0 + done * step
            if status == SINGULAR:
                run.diverged("the constraints lose rank (a singular position)", states_ahead(run, step))
                return
            if status == WILD:
                size = np.abs(stage[0][:n]) / system.scale
                worst = int(np.argmax(np.where(np.isfinite(size), size, np.inf)))
                run.diverged(
                    f"the step {step:g} s is too long here, worst in {system.names[worst]!r}; take a shorter one",
                    states_ahead(run, step),
                )
                return
            if status == ROOM:
                system.grow()
            run.statistics.steps = done
            run.show()

    run.guarded(advance)
    run.statistics.evaluations = 7 * run.statistics.steps
    run.statistics.step_error = float(drift[2])
    run.statistics.position_drift, run.statistics.velocity_drift = float(drift[0]), float(drift[1])
