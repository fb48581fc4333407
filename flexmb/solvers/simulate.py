"""Motion in time: one function, many methods."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from flexmb.control.controller import sampling_for
from flexmb.errors import (
    AccuracyWarning,
    DivergenceWarning,
    FlexmbError,
    KernelError,
    ModelError,
    SolverError,
    SwitchingError,
    warn,
)
from flexmb.machine.interruption import clear_request, interruptible
from flexmb.machine.threads import one_thread
from flexmb.model import checks
from flexmb.model.model import Model
from flexmb.results.solution import Solution
from flexmb.results.statistics import Statistics
from flexmb.solvers.at_times import AtTimes
from flexmb.solvers.events.actions import check_switches, goes_on
from flexmb.solvers.explicit.explicit_run import run_dop853, run_rkf45
from flexmb.solvers.generalized_alpha.alpha_run import run_generalized_alpha
from flexmb.solvers.history import History, check_room_for_steps
from flexmb.solvers.independent.independent_run import run_independent
from flexmb.solvers.options import checked_options, names_of_options
from flexmb.solvers.radau_in_joints import run_radau
from flexmb.solvers.rows.left_out import refuse_contradicting_rates
from flexmb.solvers.rows.redundancy import REDUNDANT, independent_rows
from flexmb.solvers.run import Run
from flexmb.solvers.scipy_methods.methods import run_baumgarte, run_projection
from flexmb.solvers.second_run import note_error
from flexmb.solvers.start.given_speeds import unkept_speeds
from flexmb.solvers.start.going_on import CONTROLLERS, Beginning, beginning
from flexmb.solvers.start.initial import consistent_state
from flexmb.solvers.start.moved_start import GAPS
from flexmb.solvers.trust import doubts
from flexmb.system.bad_kernels import check_start
from flexmb.system.sampling import Sampling
from flexmb.system.system import System

#: Methods by name; each takes a Run and its own options.
METHODS: dict[str, Callable[..., None]] = {
    "generalized_alpha": run_generalized_alpha,
    "radau": run_radau,
    "independent": run_independent,
    "baumgarte": run_baumgarte,
    "projection": run_projection,
    "dop853": run_dop853,
    "rkf45": run_rkf45,
}
#: methods in which sampled controllers run, besides `independent` by the integrator of this name
SAMPLED = ("generalized_alpha", "radau", "dop853", "rkf45")
SAMPLED_INTEGRATOR = "radau"


@interruptible
@one_thread
def simulate(
    model: Model,
    t_end: float,
    method: str | None = None,
    *,
    t_start: float = 0.0,
    start: Any = None,
    times: Any = None,
    redundant: str = "remove",
    gaps: str = "refuse",
    controllers: str = "continued",
    progress: bool = True,
    **options: Any,
) -> Solution:
    """The motion of a model from `t_start` to `t_end` [s].

    `method` and its `options`; when not given it is "radau", or "generalized_alpha" for what only that has: fixed
    steps, its other options, contacts among many bodies:

    - "generalized_alpha": implicit, on the DAE itself; `tolerance=0.0001` of the result (in model
      lengths and radians), or a fixed `step` [s]; `max_step` [s]; `spectral_radius=0.8` at infinity; of Newton's method
      `newton_tolerance` (when not given 1e-8, at smaller tolerances a hundredth of them; with a fixed step up to 1e-7
      where this is a thousandth of the step's own error) and `max_iterations=20`; `save_every=1` (keep each n-th
      step); `rotations` with a `formulation`. It is of second order: a soft beam that whips takes it some 10⁵ steps for
      each second of motion, by any theory of beams, and "radau" a twentieth of them or less. Errors of all steps are
      taken to add up. A damped loop with sampled controllers forgets them: where fast motion takes several steps a
      period, ten times the tolerance mostly serves it as well, or "radau", which takes one;
    - "radau": Radau IIA of fifth order on the DAE itself; `tolerance=1e-06` of the result (in model
      lengths and radians), `max_step` [s]; of Newton's method `newton_tolerance` (a part 3e-5 of the tolerance when
      not given; what it leaves adds up, so that in more than a hundred steps each leaves less, down to a fiftieth) and
      `max_iterations=12`; `rotations` with a `formulation`, which leaves no DAE: its steps are then those of
      "independent" with `integrator="radau"`;
    - "independent": coordinate partitioning and an `integrator="cvode"`, which is CVODE's BDF, or "radau", Radau IIA
      of fifth order, compiled, for up to 150 independent coordinates; `rtol=1e-07` of the error of the motion (in model
      lengths and radians), `coordinates` (names, automatic when not given), `max_step` [s]; of CVODE `atol=1e-09` (the
      same) and `max_order=5`; `rotations` with a `formulation`, of which the coordinates are those of joints;
    - "baumgarte": index-1 form with `ode_method='DOP853'` of SciPy; `rtol=1e-08` of numbers up to the model's size or
      a radian, `atol=1e-10`, `alpha=10.0` and `beta=10.0` [1/s], `max_step` [s], `rotations`, `formulation`;
    - "projection": positions and speeds projected after each step; `ode_method='DOP853'`, `rtol=1e-08`, `atol=1e-10`,
      `max_step` [s], `rotations`, `formulation`;
    - "dop853": explicit, of order 8 (Dormand–Prince), compiled, for smooth motion and small errors; `tolerance=1e-06`
      of the error of the result (in model lengths and radians), `max_step` [s]; `project=True`: positions and speeds
      projected after each step; `rotations`, `formulation`;
    - "rkf45": explicit, of order 5 (Fehlberg), compiled; fixed `step=0.001` [s], for imitating a real-time loop, or
      instead of it a `tolerance` of the error of the result, with `max_step` [s]; `project=True`: projected after each
      step; `rotations`, `formulation`.

    Sampled controllers run in "generalized_alpha", "radau", "dop853" and "rkf45", and in "independent" with
    integrator="radau".

    `rotations` are the coordinates that orientations have in a run, those of the kernels when not given:
    "euler_parameters", or "euler_angles" of the sequence 3-1-3, "euler_angles:ZYX" of another one
    (:func:`flexmb.euler_angles`), with their own rates, see :mod:`flexmb.solvers.coordinates`. The motion is the same;
    but near positions where Euler angles are not determined it ends, with a message. The default has no such positions.
    With a `formulation` they are the coordinates of spherical joints and of floating bases, and may be Euler angles.

    `formulation`: the name of a road (:func:`flexmb.road`), such as "aba", by which the accelerations come then; the
    method carries joint coordinates of the mechanism as a tree (:class:`flexmb.Tree`) in place of those of its bodies,
    see :mod:`flexmb.solvers.joint_motion`. The motion, the joint forces and all of the solution are the same. All
    methods take loops, drives, gears, wheels that roll, and other rows beyond those of a tree. With friction by the
    joints' own forces all loops are closed by multipliers, whatever the road.

    Of fixed steps the error of the motion is estimated (`solution.statistics.estimated_error`), where need be by a
    second run in half the step, and doubted beyond 1e-2. `solution.t` has the grid that was asked for, the end of the
    run and the instants of controllers and events; steps that had to be divided in between are counted in
    `solution.statistics.divided`, and `solution.message` says so.

    Steps that follow their error end where functions of time have kinks (:attr:`flexmb.TimeFunction.kinks`) and where
    contacts and stops touch, and accelerations are found anew behind them: there a solution has two states, before and
    behind what jumps. Fixed steps stay on their grid, and lose their order where forces jump.

    `start`: the state to start from instead of the model's own: a :class:`~flexmb.State`, an equilibrium, or a
    solution (its last time), also one of a file or of :meth:`flexmb.Solution.at`; those components take part that do
    so there, and events that happen once do not happen again. A run up to a time and one from there on are then one
    run, to the tolerance of the method. From a solution sampled controllers go on too: their commands are held, or on
    their way, their laws and sensors remember, their noise goes on, and their clocks keep the time until the next
    instant, also if `t_start` is another time than that of the solution. With `controllers="anew"` instead of
    "continued" they begin at `t_start`, without memory and with no commands; and so they do from any other `start`,
    which says nothing of controllers. At an earlier time than the end of a run what laws and sensors remembered is
    not known, and a :class:`~flexmb.errors.ControlError` says so. `progress`: a bar on runs over a second.

    `times` [s]: the solution has exactly these times within the run, in rising order, in place of the steps of the
    method, which stay as they are. It is that of :meth:`flexmb.Solution.at`, about as accurate between steps as at
    their ends; memory does not grow with the number of steps, and `solution.energy` counts the work of all of them.

    `redundant`: "remove" constraint rows that repeat others, as those of a door's second hinge do, with a
    :class:`~flexmb.errors.RedundancyWarning` that names them, or "error" to refuse such joints. Rows that contradict
    others at the start, in positions, speeds or accelerations, are always refused. Rows that were left out are checked
    at every step, and the run ends where one no longer holds; where others are needed they are exchanged
    (`statistics.other_rows`). Forces that the motion does not determine are the smallest that hold the mechanism, see
    :meth:`~flexmb.Solution.unique_reactions`.

    `gaps`: initial positions that do not meet the joints are moved until they do, with an
    :class:`~flexmb.errors.InitialConditionWarning` that names the joints and their gaps [m] and [rad]; a move of more
    than a thousandth of the mechanism's size (or as many radians) is one of `solution.doubts`. "refuse" starts that
    would have to be moved by more than a tenth, or "close" joints however wide their gaps are.

    Every method goes through positions in which constraints depend on one another, as those of a parallelogram that
    lies flat do, on the branch of the mechanism on which it is, or ends there and names the joints.

    Events of the model (:meth:`flexmb.PlanarModel.add_event`) are found to the order of the method; steps end there,
    fixed ones too, and what happened stands in `solution.events`.

    A run that diverges, or that Ctrl-C stops, returns what it has, with `solution.status` and `solution.message`. One
    that came to its end, but whose motion may be wrong (energy that does not balance, beams bent beyond the range of
    their theory), warns with an :class:`~flexmb.errors.AccuracyWarning`; that is said of places, speeds and energies,
    not of what vibration faster than the steps leaves in accelerations and joint forces. The reasons stand in
    `solution.doubts`, and
    `solution.trustworthy` is then False. An exception in a function of Python is a KernelError, whose `solution` is
    what the run had.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("falling", gravity=(0, -10))
    >>> body = m.add_body("stone", mass=1.0, inertia=0.1)
    >>> solution = fm.simulate(m, 1.0, step=0.01)
    >>> round(float(solution["stone"].position[-1, 1]), 6)
    -5.0
    >>> fm.simulate(m, 1.0, times=[0.2, 0.7])["stone"].y.round(6).tolist()
    [-0.2, -2.45]
    """
    if not isinstance(model, Model):
        raise ModelError(f"simulate: {checks.quoted(model)} is not a model; give a PlanarModel or a SpatialModel")
    where = f"simulate model {model.name!r}"
    if method is not None and not isinstance(method, str):
        hint = f"write step={method:g} for a fixed step" if isinstance(method, float) else "options have names"
        raise SolverError(
            f"{where}: method, the third argument, is {checks.quoted(method)}; give one of {', '.join(METHODS)}; {hint}"
        )
    if method is not None and method not in METHODS:
        raise SolverError(
            f"{where}: there is no method {checks.quoted(method)}{checks.similar(method, METHODS)}; "
            f"choose one of {', '.join(METHODS)}"
        )
    t_start = checks.number(t_start, "t_start", where)
    t_end = checks.number(t_end, "t_end", where)
    if t_end <= t_start:
        raise ModelError(f"{where}: t_end is {t_end:g}; it must be later than t_start, {t_start:g}")
    checks.choice(redundant, REDUNDANT, "redundant", where)
    checks.choice(gaps, GAPS, "gaps", where)
    checks.choice(controllers, CONTROLLERS, "controllers", where)
    progress = checks.flag(progress, "progress", where)
    if times is not None:
        times = checks.rising_times(times, t_start, t_end, where)
        if "save_every" in options:
            raise SolverError(f"{where}: save_every keeps steps, and times has its own; give one of them")
    whole = System(model)
    method = method or _method_for(whole, options)
    options = checked_options(method, METHODS[method], options, where)
    asked = _Asked(model, method, options, t_start, t_end, start, redundant, gaps, controllers, where)
    run, at_start = _performed(asked, whole, times, progress)
    if run.status == "diverged":
        warn(f"model {model.name!r} {run.message}", DivergenceWarning)
    solution = run.solution()
    if run.status in ("finished", "stopped"):
        try:
            if options.get("step"):
                solution.doubts += _error_of_fixed_steps(run, solution, asked)
            solution.doubts += doubts(run, solution, options)
        except KeyboardInterrupt:
            clear_request()
            solution.status, solution.message = "interrupted", "interrupted while its accuracy was being checked"
    for doubt in solution.doubts:
        warn(f"model {model.name!r}: {doubt}", AccuracyWarning)
    solution.doubts[:0] = at_start  # which were warned of then
    return solution


def _method_for(whole: System, options: dict[str, Any]) -> str:
    """The method of a run for which none was chosen.

    Radau's, since it is of fifth order: with default settings it takes a seventh of the steps of generalized-α or less,
    to a sixth of its error or less (:mod:`flexmb.validation.performance.default_settings`). Generalized-α has options
    that it lacks, and takes components that search for their pairs.
    """
    own, radau = (names_of_options(METHODS[name]) for name in ("generalized_alpha", "radau"))
    return "generalized_alpha" if whole.assembly.searches or set(options) & (own - radau) else "radau"


class _Asked(NamedTuple):
    """What a caller of :func:`simulate` asked for, checked."""

    model: Model
    method: str
    options: dict[str, Any]
    t_start: float
    t_end: float
    start: Any
    redundant: str
    gaps: str
    controllers: str
    where: str


def _performed(asked: _Asked, whole: System, times: np.ndarray | None, progress: bool) -> tuple[Run, list[str]]:
    """A run of the whole system of a model, and what is doubtful about its start, which was warned of."""
    model, method, options, t_start, t_end, start, redundant, gaps, controllers, where = asked
    check_room_for_steps(whole, t_end - t_start, options, times, where)
    check_switches(whole)
    joints = check_start(whole, t_start)
    begin = Beginning(whole, whole.q0, whole.v0)
    if start is not None:
        begin = beginning(whole, start, controllers, where)
    system = independent_rows(begin.system, t_start, begin.q, redundant, joints if start is None else None)
    q, v, a, lam, moved, speeded = consistent_state(system, t_start, begin.q, begin.v, gaps, of_model=start is None)
    refuse_contradicting_rates(system, t_start, q[: system.nq], v[: system.n], a[: system.n])
    unkept = unkept_speeds(system, q[: system.nq], v[: system.n]) if start is None and speeded > 0.0 else []
    history = History(system) if times is None else AtTimes(system, times)
    history.append(t_start, q, v, a, lam)
    statistics = Statistics(method=method, position_correction=moved.size, velocity_correction=speeded)
    run = Run(system, t_start, t_end, q, v, a, lam, history, statistics, progress, redundant=redundant)
    run.events.past = begin.past
    run.events.check_start(system, t_start, (q, v, a, lam), continued=start is not None)
    run.states, run.doubts = begin.states, list(begin.doubts)
    if model.controllers:
        run.sampling = _sampling(run, method, options.get("integrator"), where)
    if isinstance(history, AtTimes):
        history.logs = lambda: list(run.logs().values())
    try:
        with run:
            METHODS[method](run, **options)
            while goes_on(run):
                METHODS[method](run, **options)
    except (KernelError, SwitchingError) as error:
        if run.history.entered > 1:
            run.status, run.message = "failed", str(error)
            error.solution = run.solution()
        raise
    if run.status == "finished" and statistics.divided:
        run.message = (
            f"{statistics.divided} of its steps of {options['step']:g} s were divided, since angles turn too far in "
            "them or Newton's method did not converge"
        )
    return run, [*moved.doubts, *unkept]


def _error_of_fixed_steps(run: Run, solution: Solution, asked: _Asked) -> list[str]:
    """Estimate the error of a run of fixed steps, if need be by a second run; why that one cannot be compared."""

    def again(step: float, times: np.ndarray) -> Solution:
        options = asked.options | {"step": step}
        if "save_every" in options:
            options["save_every"] = 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _performed(asked._replace(options=options), System(asked.model), times, False)[0].solution()

    try:
        said = note_error(run, solution, asked.options["step"], again)
    except FlexmbError as error:
        said = f"half the step leads to another end: {error}"
    return [said] if said else []


def _sampling(run: Run, method: str, integrator: Any, where: str) -> Sampling:
    """The model's controllers as the compiled loop sees them."""
    if method not in SAMPLED and not (method == "independent" and integrator == SAMPLED_INTEGRATOR):
        other = f"integrator={SAMPLED_INTEGRATOR!r}, or " if method == "independent" else ""
        raise SolverError(
            f"{where}: sampled controllers run in the compiled loops of {', '.join(map(repr, SAMPLED))}; take {other}"
            f"one of these methods, not {method!r}"
        )
    controllers = list(run.system.model.controllers.values())
    return sampling_for(run.system, controllers, run.t_start, run.t_end, run.states)
