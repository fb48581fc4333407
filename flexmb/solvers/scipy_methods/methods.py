"""Index-1 form with any ODE method of SciPy: stabilised after Baumgarte, or projected after each step.

Baumgarte (1972) replaces G a = γ by  g̈ + 2α ġ + β² g = 0  (Skyenginlab (n.d.), eqs. (15)-(17)).  Projection moves each
accepted step the shortest way, measured by the mass matrix, onto g = 0 and ġ = 0; BDF takes the moved point into its
history, which keeps its order, see Eich (1993); LSODA starts again when the drift has grown.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from flexmb.errors import SolverError
from flexmb.forces.callbacks import has_failed
from flexmb.model import checks
from flexmb.solvers.events.crossings import hop, keep_end, watch_from
from flexmb.solvers.events.run_events import step_end
from flexmb.solvers.march.stops import behind_kink, next_kink
from flexmb.solvers.rows.passage import Passage
from flexmb.solvers.rows.stride import on_its_branch
from flexmb.solvers.run import Run
from flexmb.solvers.scipy_methods.creeping import Creeping
from flexmb.solvers.scipy_methods.right_hand_side import RightHandSide, SingularAnglesError, SingularPositionError
from flexmb.solvers.scipy_methods.steps_again import StepsAgain
from flexmb.solvers.singular_angles import coordinates_of

#: implicit methods of SciPy keep a dense Jacobian of all coordinates and speeds
LARGEST_IMPLICIT = 1000
#: a step that fails is tried again at most this often, each time shorter by this factor
RETRIES, SHORTER = 6, 0.1
#: orders of the methods; of methods of variable order, that to which their steps are interpolated
ORDERS = {"RK23": 3, "RK45": 5, "DOP853": 8, "Radau": 5, "BDF": 5, "LSODA": 5}
#: The part of the tolerances that the error of a step may have, and the least relative one that SciPy takes. The errors
#: of many steps add up, and grow with the motion: with the tolerances as they are, the largest error of a run was up to
#: 19 times `rtol` for two squares on a spring and damper, 545 times for 40 parallelograms that go over their top five
#: times (:mod:`flexmb.validation.n_four_bar`).
PART, LEAST = 0.005, 2.3e-14
#: explicit methods whose steps are made again for the states inside them
AGAIN = ("RK45", "DOP853")


def run_baumgarte(
    run: Run,
    *,
    ode_method: str = "DOP853",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    alpha: float = 10.0,
    beta: float = 10.0,
    max_step: float | None = None,
    rotations: str | None = None,
    formulation: str | None = None,
) -> None:
    """Eq. (17) with `alpha`, `beta` [1/s]; in joint coordinates for loops and all rows beyond those of a tree."""
    f = RightHandSide(run, alpha, beta, coordinates_of(run, rotations, formulation))
    _run(run, f, ode_method, rtol, atol, max_step, False, rotations, formulation)


def run_projection(
    run: Run,
    *,
    ode_method: str = "DOP853",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    max_step: float | None = None,
    rotations: str | None = None,
    formulation: str | None = None,
) -> None:
    """Eq. (14), each step projected."""
    f = RightHandSide(run, coordinates=coordinates_of(run, rotations, formulation))
    _run(run, f, ode_method, rtol, atol, max_step, not f.holds, rotations, formulation)


def _run(
    run: Run,
    f: RightHandSide,
    ode_method: str,
    rtol: float,
    atol: float,
    max_step: float | None,
    projecting: bool,
    rotations: str | None,
    formulation: str | None,
) -> None:
    import scipy.integrate as si

    methods = {name: getattr(si, name) for name in ORDERS}
    if not isinstance(ode_method, str) or ode_method not in methods:
        raise SolverError(
            f"{run.statistics.method}: no ODE method {checks.quoted(ode_method)}; choose one of {', '.join(methods)}"
        )
    system, n = run.system, run.system.n
    of_passage = PART * rtol, PART * atol
    rtol, atol = max(PART * rtol, LEAST), PART * atol
    if ode_method in ("Radau", "BDF", "LSODA") and n > LARGEST_IMPLICIT:
        raise SolverError(
            f"{run.statistics.method}: {ode_method} would need a dense Jacobian of {2 * n} unknowns; use "
            "method='generalized_alpha', which works on sparse matrices, or an explicit ode_method"
        )
    absolute = atol * f.sizes()
    options: dict[str, Any] = {"rtol": rtol, "atol": absolute, "max_step": max_step or np.inf}
    y = f.carried(run.q[: system.nq], run.v[:n])
    history = run.history
    history.order = ORDERS[ode_method]
    if ode_method in AGAIN:
        if not isinstance(history.again, StepsAgain):
            method, carried = methods[ode_method], (rotations, formulation)
            history.again = StepsAgain(method, rtol, atol, f.alpha, f.beta, projecting, *carried)
        history.again.use(run.t, system, run.kinks())

    kinks, watched = run.kinks(), run.crossings(True)

    def start(t: float, state: np.ndarray, first_step: float | None = None) -> Any:
        """The method from a time to the next kink, where it has to start again, or to the end."""
        t = float(behind_kink(kinks, t, run.t_end))
        stop = float(next_kink(kinks, t, run.t_end))
        if first_step is not None:
            first_step = min(first_step, stop - t)
        return methods[ode_method](f.trial, t, state, stop, first_step=first_step, **options)

    def state_at(inside: Any, end: tuple[float, np.ndarray], t: float) -> tuple[np.ndarray, ...]:
        """q, v, a, λ inside a step, or at its end."""
        state = inside(t) if t < end[0] else end[1]
        try:
            if projecting and system.m:
                state, _, _ = f.project(t, state)
            f(t, state)
        except SingularAnglesError:
            raise
        except SingularPositionError:
            f.a[:] = np.nan
        return f.q, f.v, f.a, f.lam

    def work() -> None:
        try:
            steps()
        except SingularAnglesError as error:
            run.diverged(str(error))

    def steps() -> None:
        nonlocal y
        solver = start(run.t, y)
        passage, creeping = Passage(run, f, *of_passage), Creeping(f)
        f.accelerate(run.t)
        passage.see(run.t)
        shorter, length = 0, (run.t_end - run.t) * 1e-3
        if len(watched.side):
            watch_from(watched, system.plan, system.scratch, run.t, f.q, f.v, f.a, f.lam, length)
        span = run.t_end - run.t
        while run.t < run.t_end:
            _measure(solver, f, rtol, atol, span, creeping)
            try:
                message = solver.step()
                failed = solver.status == "failed" or not np.all(np.isfinite(solver.y)) or not solver.t > run.t
            except (ValueError, ArithmeticError) as error:  # of linear algebra that meets NaN
                message, failed = str(error), True
            if failed:
                shorter += 1
                if has_failed(system.model.components.values()):
                    return
                if shorter <= RETRIES and not passage.near:
                    solver = start(run.t, y, length * SHORTER**shorter)
                    continue
                if isinstance(f.trouble, SingularAnglesError):
                    raise f.trouble
                run.diverged(passage.why() if passage.near else _failure(run, f, ode_method, solver, message))
                return
            shorter, length, f.trouble = 0, solver.t - run.t, None
            y, t = solver.y.copy(), solver.t
            if len(watched.side):
                inside = solver.dense_output()
                t = step_end(watched, system, run.t, t, partial(state_at, inside, (solver.t, y)))
                y = y if t == solver.t else inside(t)
            # the history of LSODA lies in compiled work arrays: it starts again, so only when the drift has grown
            if (
                projecting
                and system.m
                and (ode_method != "LSODA" or max(f.drift(t, *f.motion(y))) > 100.0 * (rtol + atol))
            ):
                try:
                    on, _, _ = f.project(t, y)
                except SingularAnglesError:
                    raise
                except SingularPositionError:
                    run.diverged(passage.why())
                    return
                if t != solver.t and not on_its_branch(f, y, on):  # an event in a singular position
                    on[f.places :] = y[f.places :]
                y = on
                if t == solver.t:
                    solver = start(t, y) if ode_method == "LSODA" else _moved(solver, y, f, ode_method)
            try:
                f(t, y)
            except SingularAnglesError:
                raise
            except SingularPositionError as error:
                run.diverged(str(error))
                return
            f.step_to(t)
            happened = len(watched.side) > 0 and keep_end(watched, system.plan, f.lam)
            cut = t != solver.t or happened or watched.state.hop > 0.0
            f.note_drift()
            if happened:
                run.happen(run.q, run.v, run.a, run.lam)
            passage.see(run.t)
            if passage.due and passage.through():
                y = f.state()
                solver = start(run.t, y)
                if len(watched.side):
                    watch_from(watched, system.plan, system.scratch, run.t, f.q, f.v, f.a, f.lam, length)
            elif passage.too_near:
                run.diverged(passage.why())
                return
            elif cut and run.t < run.t_end:
                behind = hop(watched, system.plan, t, f.q, f.v, f.a)
                y = f.state()
                solver = start(behind, y)
                f(behind, y)
                watch_from(watched, system.plan, system.scratch, behind, f.q, f.v, f.a, f.lam, length)
            elif run.t == solver.t_bound < run.t_end:
                behind = float(behind_kink(kinks, run.t, run.t_end))
                f(behind, y)
                run.t, run.a[:], run.lam[:] = behind, f.a, f.lam
                run.history.append(behind, f.q, f.v, f.a, f.lam)
                solver = start(behind, y) if behind < run.t_end else solver
            run.show()

    run.guarded(work)
    run.statistics.evaluations += f.evaluations


def _measure(solver: Any, f: RightHandSide, rtol: float, atol: float, span: float, creeping: Creeping) -> None:
    """Let the method allow a part of each number as its error, up to that part of the model's size, or for speeds of
    this times the largest speed in units of the model.

    A part of the number alone would not do: an angle that has counted thirty radians would be allowed thirty times as
    much. And the estimate of DOP853 is E²/√(E² + F²/100), with the norms E and F of two errors. Where that of the
    speeds in E goes through zero, as it does in every mechanism with one freedom, E is what the places tell. If these
    count for little against the speeds in F, a step is taken whose error is a hundred times the one allowed.
    """
    if not hasattr(solver, "atol"):  # LSODA keeps the tolerances with which it began
        return
    system, size = f.system, f.sizes()
    most = size.copy()
    most[f.places :] *= max(float(np.max(np.abs(f.run.v[: system.n]) / system.scale)), 1.0 / span)
    allowed = atol * size + rtol * np.minimum(np.abs(solver.y), most)
    solver.rtol, solver.atol = LEAST, creeping.least(solver.t, solver.y, solver.h_abs, allowed)


def _failure(run: Run, f: RightHandSide, ode_method: str, solver: Any, message: str | None) -> str:
    """Why a method can make no further step."""
    if f.trouble is not None:
        return f"{ode_method}: {f.trouble}, in steps however short"
    bad = np.flatnonzero(~np.isfinite(solver.y))
    where = f" in {f.names()[bad[0]]!r}" if len(bad) else ""
    return f"{ode_method} failed{where}: {message or 'the state is not finite'}"


def _moved(solver: Any, y: np.ndarray, f: RightHandSide, ode_method: str) -> Any:
    """The solver with its last point replaced by y."""
    shift = y - solver.y
    solver.y = y
    if ode_method == "BDF":
        solver.D[: solver.order + 2] += shift  # every backward difference contains the newest value once
    else:
        solver.f = f.trial(solver.t, y)
    return solver
