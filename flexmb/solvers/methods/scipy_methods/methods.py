"""The index-1 form with any ODE method of SciPy: stabilized after Baumgarte, or projected after each step.

Baumgarte (1972) replaces G a = γ by  g̈ + 2α ġ + β² g = 0  (Skyenginlab (n.d.), eqs. (15)-(17)).  Projection moves the
end of each accepted step onto g = 0 and ġ = 0, by the shortest displacement in the metric of the mass matrix. BDF then
uses the projected point in its history, which preserves its order, see Eich (1993); LSODA is projected and restarted
only when the drift has grown.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import KernelError, SolverError
from flexmb.forces.callbacks import has_failed
from flexmb.formulations.kinds import Hybrid
from flexmb.model import checks
from flexmb.solvers.changes.passage import Passage
from flexmb.solvers.changes.stride import on_its_branch
from flexmb.solvers.events.run_events import FIRST_STEPS
from flexmb.solvers.march.march_in_python import MarchInPython, Steps
from flexmb.solvers.methods.scipy_methods.creeping import Creeping
from flexmb.solvers.methods.scipy_methods.steps_again import StepsAgain
from flexmb.solvers.runs.by_paper import CARRIES, is_of_paper
from flexmb.solvers.runs.in_momenta import InMomenta
from flexmb.solvers.runs.right_hand_side import RightHandSide, SingularAnglesError, SingularPositionError
from flexmb.solvers.runs.run import Run
from flexmb.solvers.runs.singular_angles import coordinates_of

#: Most coordinates with implicit methods of SciPy, which keep a dense Jacobian for all coordinates and speeds.
LARGEST_IMPLICIT = 1000
#: A step that fails is tried again at most RETRIES times, each time shorter by the factor SHORTER.
RETRIES, SHORTER = 6, 0.1
#: Orders of the methods; for methods of variable order, the order to which results are interpolated.
ORDERS = {"RK23": 3, "RK45": 5, "DOP853": 8, "Radau": 5, "BDF": 5, "LSODA": 5}
#: Allowed error of a step as a part of the tolerances, and the smallest relative tolerance that SciPy accepts. The
#: errors of many steps add up, and grow with the motion: with the tolerances themselves, the largest error of a run was
#: up to 19 times `rtol` for two squares on a spring and damper, 545 times for 40 parallelograms that go over their top
#: five times (:mod:`flexmb.validation.n_four_bar`).
PART, LEAST = 0.005, 2.3e-14
#: Explicit methods whose steps are repeated to obtain states within them.
AGAIN = ("RK45", "DOP853")


def run_baumgarte(
    run: Run,
    *,
    ode_method: str = "DOP853",
    tolerance: float = 1e-8,
    absolute_tolerance: float = 1e-10,
    alpha: float = 10.0,
    beta: float = 10.0,
    max_step: float | None = None,
    rotations: str | None = None,
    formulation: str | Hybrid | None = None,
) -> None:
    """Simulate eq. (17) with `alpha`, `beta` [1/s]; in joint coordinates they apply to the constraint rows beyond those
    of the tree."""
    f = RightHandSide(run, alpha, beta, coordinates_of(run, rotations, formulation), formulation)
    _run(run, f, ode_method, tolerance, absolute_tolerance, max_step, False, rotations, formulation)


def run_projection(
    run: Run,
    *,
    ode_method: str = "DOP853",
    tolerance: float = 1e-8,
    absolute_tolerance: float = 1e-10,
    max_step: float | None = None,
    rotations: str | None = None,
    formulation: str | Hybrid | None = None,
    momenta: bool = False,
) -> None:
    """Simulate eq. (14), with each step projected onto the constraints. `momenta`: in joint coordinates and hinge
    momenta."""
    coordinates = coordinates_of(run, rotations, formulation)
    if momenta:
        f: RightHandSide = InMomenta(run, coordinates, formulation)
    else:
        f = RightHandSide(run, coordinates=coordinates, formulation=formulation)
    _run(run, f, ode_method, tolerance, absolute_tolerance, max_step, not f.holds, rotations, formulation)


def _run(
    run: Run,
    f: RightHandSide,
    ode_method: str,
    rtol: float,
    atol: float,
    max_step: float | None,
    projecting: bool,
    rotations: str | None,
    formulation: str | Hybrid | None,
) -> None:
    import scipy.integrate as si

    methods = {name: getattr(si, name) for name in ORDERS}
    if not isinstance(ode_method, str) or ode_method not in methods:
        method = run.report.statistics.method
        raise SolverError(f"{method}: no ODE method {checks.quoted(ode_method)}; choose one of {', '.join(methods)}")
    system, n = run.system, run.system.n
    passage = Passage(run, f, PART * rtol, PART * atol)
    rtol, atol = max(PART * rtol, LEAST), PART * atol
    if ode_method in ("Radau", "BDF", "LSODA") and n > LARGEST_IMPLICIT:
        raise SolverError(
            f"{run.report.statistics.method}: {ode_method} would need a dense Jacobian of {2 * n} unknowns; use "
            "method='generalized_alpha', which works on sparse matrices, or an explicit ode_method"
        )
    history = run.history
    history.order = ORDERS[ode_method]
    if ode_method in AGAIN:
        if not isinstance(history.again, StepsAgain):
            method, carried = methods[ode_method], (rotations, CARRIES if is_of_paper(formulation) else formulation)
            history.again = StepsAgain(method, rtol, atol, f.alpha, f.beta, projecting, *carried)
        history.again.use(run.t, system, run.kinks())
    steps = _OfSciPy(run, f, passage, methods[ode_method], rtol, atol, max_step, projecting and system.m > 0)

    def work() -> None:
        f.accelerate(run.t)
        passage.see(run.t)
        MarchInPython(steps).to_end()

    run.guarded(work)
    run.report.statistics.evaluations += f.evaluations


class _OfSciPy(Steps):
    """Steps of an ODE class of SciPy; `projecting`: their ends are projected onto the constraints."""

    def __init__(
        self,
        run: Run,
        f: RightHandSide,
        passage: Passage,
        method: Any,
        rtol: float,
        atol: float,
        max_step: float | None,
        projecting: bool,
    ) -> None:
        super().__init__(run, f, passage)
        self.method, self.rtol, self.atol, self.projecting = method, rtol, atol, projecting
        self.name: str = method.__name__
        self.options: dict[str, Any] = {"rtol": rtol, "atol": atol * f.sizes(), "max_step": max_step or np.inf}
        self.creeping, self.span = Creeping(f), run.t_end - run.t
        self.length, self.goes_on = FIRST_STEPS * self.span, True
        #: the method, None until the first step after a start; continuous extension of the last step, None until it is
        #: needed
        self.solver: Any = None
        self._form: Any = None

    def begin(self) -> None:
        self.y = self.f.carried(self.run.q[: self.run.system.nq], self.run.v[: self.run.system.n])
        self.solver = None

    def _begin(self, stop: float, first_step: float | None = None) -> None:
        """Start the method at the present time with the state y; its steps end at `stop`."""
        t = self.run.t
        first_step = None if first_step is None else min(first_step, stop - t)
        self.solver = self.method(self.f.trial, t, self.y, stop, first_step=first_step, **self.options)

    def _resume(self, stop: float) -> None:
        """Let the method go on to a later `stop`; LSODA keeps the old one in compiled work arrays and starts again."""
        if self.name == "LSODA":
            self.solver = None
        else:
            self.solver.t_bound, self.solver.status = stop, "running"

    def step(self, stop: float) -> str:
        run, f = self.run, self.f
        if self.solver is not None and self.solver.status == "finished":  # at an instant that changed no force
            self._resume(stop)
        if self.solver is None:
            self._begin(stop)
        before = f.evaluations
        for shorter in range(1, RETRIES + 2):
            _measure(self.solver, f, self.rtol, self.atol, self.span, self.creeping)
            try:
                message = self.solver.step()
                end = self.solver.t
                failed = self.solver.status == "failed" or not np.all(np.isfinite(self.solver.y)) or not end > run.t
            except KernelError:  # a function of the user's
                raise
            except (ValueError, ArithmeticError) as error:  # linear algebra met NaN
                message, failed = str(error), True
            if not failed:
                self.length, f.trouble, self.t, self.y = end - run.t, None, float(end), self.solver.y.copy()
                self._form = None
                if f.paper is not None:
                    f.paper.foretell(f.evaluations - before, self.length, getattr(self.solver, "h_abs", self.length))
                return ""
            if shorter > RETRIES or self.passage.near or has_failed(run.system.model.components.values()):
                break
            self._begin(stop, self.length * SHORTER**shorter)
        if isinstance(f.trouble, SingularAnglesError):
            return str(f.trouble)
        return _failure(run, f, self.name, self.solver, message)

    def _inside(self, t: float) -> np.ndarray:
        """The state y within the step or at its end."""
        if t == self.t:
            return self.y
        self._form = self._form or self.solver.dense_output()
        return np.asarray(self._form(t))

    def state_at(self, t: float) -> tuple[np.ndarray, ...]:
        f, state = self.f, self._inside(t)
        try:
            if self.projecting:
                state, _, _ = f.project(t, state)
            f(t, state)
        except SingularAnglesError:
            raise
        except SingularPositionError:
            f.a[:] = np.nan
        return f.q, f.v, f.a, f.lam

    def arrive(self, t: float) -> str:
        f, self.y, self.goes_on = self.f, self._inside(t), True
        # The history of LSODA is in compiled work arrays and cannot be changed: it has to start again, so only when the
        # drift has grown.
        if self.projecting and (
            self.name != "LSODA" or max(f.drift(t, *f.motion(self.y))) > 100.0 * (self.rtol + self.atol)
        ):
            on, _, _ = f.project(t, self.y)
            if t < self.t and not on_its_branch(f, self.y, on):  # an event in a singular position: speeds stay
                on[f.places :] = self.y[f.places :]
            self.y = on
            if self.name == "LSODA":
                self.goes_on = False
            elif t == self.t:
                _moved(self.solver, self.y, f, self.name)
        f(t, self.y)
        return ""

    def note(self) -> None:
        self.f.note_drift()
        self.passage.see(self.run.t)

    def stays(self) -> tuple[str, bool]:
        return "", self.goes_on


def _measure(solver: Any, f: RightHandSide, rtol: float, atol: float, span: float, creeping: Creeping) -> None:
    """Set the error allowed for each entry of y: a part of the entry, but at most that part of the model's size, or for
    speeds of the model's size times the largest speed in units of the model.

    A part of the entry alone would be wrong: an angle of thirty radians would be allowed thirty times the error. And
    the estimate of DOP853 is E²/√(E² + F²/100), with the norms E and F of two errors. Where the error of speeds in E
    passes through zero, as in every mechanism with one degree of freedom, only positions contribute to E. If their
    weights were small in comparison with those of the speeds in F, steps would be accepted whose error is a hundred
    times the one allowed.
    """
    if not hasattr(solver, "atol"):  # LSODA cannot change its tolerances
        return
    system, size = f.system, f.sizes()
    most = size.copy()
    most[f.places :] *= max(float(np.max(np.abs(f.run.v[: system.n]) / system.scale)), 1.0 / span)
    allowed = atol * size + rtol * np.minimum(np.abs(solver.y), most)
    solver.rtol, solver.atol = LEAST, creeping.least(solver.t, solver.y, solver.h_abs, allowed)


def _failure(run: Run, f: RightHandSide, ode_method: str, solver: Any, message: str | None) -> str:
    """Why a method cannot make a further step, in words."""
    if f.trouble is not None:
        return f"{ode_method}: {f.trouble}, in steps however short"
    bad = np.flatnonzero(~np.isfinite(solver.y))
    where = f" in {f.names()[bad[0]]!r}" if len(bad) else ""
    return f"{ode_method} failed{where}: {message or 'the state is not finite'}"


def _moved(solver: Any, y: np.ndarray, f: RightHandSide, ode_method: str) -> None:
    """Let the solver continue from y instead of the end of its last step."""
    shift = y - solver.y
    solver.y = y
    if ode_method == "BDF":
        solver.D[: solver.order + 2] += shift  # every backward difference contains the newest value once
    else:
        solver.f = f.trial(solver.t, y)
