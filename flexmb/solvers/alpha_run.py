"""Runs of the generalized-α loop, segment by segment."""

from __future__ import annotations

import time

import numpy as np

from flexmb.errors import SolverError
from flexmb.solvers import generalized_alpha as loop
from flexmb.solvers.divergence import of_newton, of_runaway
from flexmb.solvers.run import SEGMENT_SECONDS, Run
from flexmb.system.linear import enlarged, linear_for


def run_generalized_alpha(
    run: Run,
    *,
    tolerance: float = 1e-6,
    step: float | None = None,
    max_step: float | None = None,
    spectral_radius: float = 0.8,
    newton_tolerance: float | None = None,
    max_iterations: int = 20,
    save_every: int = 1,
) -> None:
    """Fixed `step` [s] when given, else steps whose error stays below `tolerance` (of the model's length; radians)."""
    if not 0.0 <= spectral_radius <= 1.0:
        raise SolverError(f"generalized_alpha: spectral_radius is {spectral_radius:g}; it must lie between 0 and 1")
    system = run.system
    n, m, total, size = system.n, system.m, system.plan.total, system.plan.size
    span = run.t_end - run.t
    first = step or _first_step(run, tolerance, span)
    limit = max_step or span
    newton = newton_tolerance or (1e-8 if step else min(1e-8, 1e-2 * tolerance))
    options = np.zeros(12)
    options[loop.RHO] = spectral_radius
    options[loop.TOLERANCE] = tolerance
    options[loop.NEWTON] = newton
    options[loop.NEWTON_FLOOR] = newton if newton_tolerance else 1e-11
    options[loop.T_END] = run.t_end
    options[loop.H_FIXED] = step or 0.0
    options[loop.T_START] = run.t
    options[loop.H_MAX] = limit
    options[loop.H_MIN] = 1e-10 * span
    options[loop.MASS] = system.mass_scale
    options[loop.MAX_ITERATIONS] = max_iterations
    options[loop.SAVE_EVERY] = save_every
    state = np.zeros(12)
    state[loop.TIME] = run.t
    state[loop.STEP] = state[loop.H_OLD] = min(first, limit)
    state[loop.H_MATRIX] = 1e300
    state[loop.LAST_ERROR] = 1.0
    counts = np.zeros(5, dtype=np.int64)
    alg = run.a.copy()
    memory = np.full((2, 3), np.inf)
    buffers = (
        *(np.zeros(total) for _ in range(4)),
        np.zeros(m),
        np.zeros(total),
        np.zeros(max(size, total)),
        *(np.zeros(m) for _ in range(3)),
        *(np.zeros(total) for _ in range(4)),
        np.zeros(m),
        np.zeros(3),
    )
    statistics = run.statistics
    standing = linear_for(system.plan, system.pattern) if len(run.sampling.controllers) else system.linear

    def work() -> None:
        nonlocal standing
        chunk = run.history.room()
        filled = 0
        batch = 64
        while True:
            stop = min(filled + batch, len(chunk[0]))
            begun = time.perf_counter()
            room = tuple(x[filled:stop] for x in chunk)
            status, rows = loop.advance(
                system.plan,
                system.scratch,
                system.linear,
                standing,
                run.sampling,
                options,
                state,
                counts,
                run.q,
                run.v,
                run.a,
                alg,
                run.lam,
                system.scale,
                system.turning,
                system.row_scale,
                memory,
                buffers,
                room,
            )
            run.history.keep(chunk, filled, filled + rows)
            filled += rows
            run.t = float(state[loop.TIME])
            took = time.perf_counter() - begun
            batch = int(min(max(batch * SEGMENT_SECONDS / max(took, 1e-4), 1), 1_000_000))
            if status == loop.DONE:
                return
            if status == loop.DIVERGED:
                k = int(state[loop.CULPRIT])
                tried = [(run.t + float(state[loop.H_OLD]), buffers[0], buffers[1], buffers[2])]
                name = system.names[k] if k < n else system.rows[k - n].where
                why = f"Newton's method does not converge with any step, worst in {name!r}"
                run.diverged(why + of_newton(run), tried)
                return
            if status == loop.TOO_FAST:
                name = system.names[int(state[loop.CULPRIT])]
                speed = abs(float(run.v[int(state[loop.CULPRIT])]))
                run.diverged(f"{name!r} turns at {speed:.3g} rad/s, too fast to follow{of_newton(run)}")
                return
            if status == loop.RUNAWAY:
                run.diverged(of_runaway(run))
                return
            if status == loop.CONTROL_FAILED:
                run.diverged(run.controller_failure())
                return
            if status == loop.OUT_OF_ROOM:
                system.grow()
                memory[:] = np.inf
                standing = enlarged(standing) if len(run.sampling.controllers) else system.linear
                state[loop.H_MATRIX] = 1e300
            if filled == len(chunk[0]):
                chunk = run.history.room(2 * len(chunk[0]))
                filled = 0
            run.show()

    run.guarded(work)
    statistics.steps = int(counts[loop.STEPS])
    statistics.rejected = int(counts[loop.REJECTED])
    statistics.iterations = int(counts[loop.ITERATIONS])
    statistics.factorisations = int(counts[loop.FACTORISATIONS])
    statistics.position_drift = float(state[loop.DRIFT])
    statistics.velocity_drift = float(state[loop.VELOCITY_DRIFT])


def _first_step(run: Run, tolerance: float, span: float) -> float:
    """A step over which the motion changes by about the tolerance's cube root of the model's size."""
    n = run.system.n
    scale = run.system.scale
    speed = float(np.max(np.abs(run.v[:n]) / scale))
    turn = float(np.sqrt(np.max(np.abs(run.a[:n]) / scale)))
    rate = max(speed, turn, 1.0 / span)
    return min(0.1 * tolerance ** (1.0 / 3.0) / rate, span / 10)
