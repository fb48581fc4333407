"""Motion in time: :func:`simulate`, with a choice of methods."""

from __future__ import annotations

from typing import Any

from flexmb.machine.interruption import interruptible
from flexmb.machine.threads import one_thread
from flexmb.model.hints import answers_calls
from flexmb.model.model import Model
from flexmb.results.solution import Solution
from flexmb.solvers.binding.bound import Bound, Choices
from flexmb.solvers.one_run import asked_of, checked_run


@answers_calls
@interruptible
@one_thread
def simulate(
    model: Model,
    t_end: float,
    method: str | None = None,
    *,
    t_start: float = 0.0,
    initial: Any = None,
    times: Any = None,
    redundant: str = "remove",
    gaps: str = "refuse",
    controllers: str = "continued",
    progress: bool = True,
    second_run: bool = True,
    **options: Any,
) -> Solution:
    """The motion of a model from `t_start` to `t_end` [s].

    `method` and its `options`; when not given it is "radau", or "generalized_alpha" if only that supports the options
    or the model: fixed steps, its other options, contacts among many bodies:

    - "generalized_alpha": implicit, on the DAE itself; `tolerance=0.0001`,
      or a fixed `step` [s]; `max_step` [s]; `spectral_radius=0.8` at infinity, with joints less than 1; of Newton's
      method `newton_tolerance` (when not given 1e-8, at tolerances below 1e-6 a hundredth of them; with a fixed step up
      to 1e-7, if that is a thousandth of the step's own error) and `max_iterations=20`; `save_every=1` (keep every n-th
      step); `rotations`
      with a `formulation`. It is of second order: for a soft beam that whips it needs some 10⁵ steps for each second of
      motion, with any beam theory, and "radau" a twentieth of them or less. It assumes that the errors of all steps add
      up. In a damped control loop they decay: if fast motion takes several steps per period of a controller, ten times
      the tolerance is mostly sufficient, or "radau", which takes one;
    - "newmark": Newmark's method with a fixed `step` [s], `beta=0.25` and `gamma=0.5` (the trapezoidal rule),
      generalized-α without its averages; `newton_tolerance`, `max_iterations=20`, `save_every=1`, `rotations` and
      `formulation` as there. It is of second order for γ = ½, where nothing is damped, and else of first order; nothing
      that is fast can grow if β ≥ ¼ (γ + ½)². With joints it needs β > γ/2, so not the trapezoidal rule, but in joint
      coordinates;
    - "radau": Radau IIA of fifth order on the DAE itself; `tolerance=1e-06`, `max_step` [s]; of Newton's method
      `newton_tolerance` (a part 3e-5 of the tolerance when not given;
      remaining errors add up, so that in a run of more than a hundred steps it is smaller, down to a fiftieth) and
      `max_iterations=12`; `rotations` with a `formulation`, whose equations are no DAE: it then works as "independent"
      with `integrator="radau"`;
    - "independent": coordinate partitioning and an `integrator="cvode"`, which is CVODE's BDF, or "radau", Radau IIA of
      fifth order, compiled, for up to 150 independent coordinates; `tolerance=1e-07`, `coordinates` (names, automatic
      when not given), `max_step` [s]; of CVODE `absolute_tolerance=1e-09` and `max_order=5`; `rotations` with a
      `formulation`, whose joint coordinates are then partitioned;
    - "baumgarte": index-1 form with `ode_method='DOP853'` of SciPy; `tolerance=1e-08`, `absolute_tolerance=1e-10`,
      `alpha=10.0` and `beta=10.0` [1/s], `max_step` [s], `rotations`, `formulation`;
    - "projection": positions and speeds projected after each step; `ode_method='DOP853'`, `tolerance=1e-08`,
      `absolute_tolerance=1e-10`, `max_step` [s], `rotations`, `formulation`; `momenta=False`,
      or True with `formulation="jerkovsky"`: the state is joint coordinates and hinge momenta;
    - "dop853": explicit, of order 8 (Dormand–Prince), compiled, for smooth motion and small errors; `tolerance=1e-06`,
      `max_step` [s]; `project=True`: positions and speeds
      projected after each step; `rotations`, `formulation`;
    - "rkf45": explicit, of order 5 (Fehlberg), compiled; fixed `step=0.001` [s], to imitate a real-time loop, or
      instead of it a `tolerance`, with `max_step` [s]; `project=True`: projected after each
      step; `rotations`, `formulation`;
    - "euler": semi-implicit Euler, of first order, compiled, with a fixed `step=0.001` [s]: one evaluation of the
      accelerations a step, and the energy of undamped motion does not drift. For learning, games and loops in real time
      in which the millisecond is given and an error of a percent is small; `project=True`: projected after each step;
      `rotations`, `formulation`;
    - "rosenbrock": linearly implicit, of third order (ROS34PW2), compiled; `tolerance=0.0001`, with `max_step` [s], or
      a fixed `step` [s]. Stiff springs and dampers do not shorten its steps, and each costs the same: one matrix and
      four evaluations of the accelerations, with no iterations, for loops in real time with stiff parts. Where a stiff
      part turns fast, steps are as short as its direction asks for. `project=True`: projected after each step;
      `formulation`, and with it `rotations`.

    `tolerance` is the error allowed for the result, in model lengths and radians, whatever the method; steps are chosen
    so that the errors of all of them stay within a few times of it. The methods that hand the motion to SciPy or CVODE
    measure it as a part of each coordinate, at most of the model's size or a radian, and allow `absolute_tolerance` (in
    the same units) besides.

    Sampled controllers run in all methods: steps end at their instants, and methods of several steps begin anew there,
    so that "independent" with its integrator="cvode" is slow where instants are close.

    `rotations` are the coordinates of orientations in a run, unit quaternions when not given: "euler_parameters", or
    "euler_angles" for the sequence 3-1-3, "euler_angles:ZYX" for another one (:func:`flexmb.euler_angles`), with their
    own rates, see :mod:`flexmb.solvers.coordinates.coordinates`. The motion is the same, but with Euler angles a run
    ends near positions where they are not determined, with a message. The default has no such positions. With a
    `formulation`, `rotations` applies to spherical joints and floating bases, and may be Euler angles.

    `formulation`: the name of a formulation (:func:`flexmb.formulation`), such as "aba", or one with its options,
    :class:`flexmb.Hybrid`, which then computes the accelerations; the method integrates joint coordinates of the
    mechanism as a tree (:class:`flexmb.Tree`) instead of those of its bodies, see
    :mod:`flexmb.solvers.coordinates.joints`. The motion, the joint forces and all other results are the same. All
    methods support closed loops, drives, gears, rolling wheels, and other constraints beyond those of a tree. With
    friction that depends on joint forces, all loops are closed by multipliers in every formulation.

    Classical formulations, such as "kane", move the mechanisms that their papers take (:func:`flexmb.formulations_of`),
    with `method="projection"`, the default then, or "baumgarte". Their equations are in NumPy and take milliseconds: a
    run takes seconds to minutes, which is foretold if it is more than one. At the end of each step their accelerations
    are compared with those of the components, and a difference above 1e-6 of the largest is a doubt.

    With fixed steps, the error of the motion is estimated (`solution.statistics.estimated_error`), if necessary by a
    second run with half the step, which takes twice as long as the first, and an error beyond 1e-2 is a doubt. Once a
    step is known to be short enough, `second_run=False` leaves it out; then `estimated_error` is NaN where only that
    run could tell. `solution.t` has the points of the grid, the end
    of the run and the instants of controllers and events; steps that had to be divided are counted in
    `solution.statistics.divided` and mentioned in `solution.message`.

    Other steps end where functions of time have kinks (:attr:`flexmb.TimeFunction.kinks`) and where contacts and stops
    touch, and accelerations are computed anew after these times: there a solution has two states, before and after the
    jump. Fixed steps stay on their grid, and lose their order where forces jump.

    `initial`: the state to start from instead of the model's own: a :class:`~flexmb.State`, an equilibrium, or a
    solution (its last time), also one from a file or from :meth:`flexmb.Solution.at`; the same components are active as
    there, and events that happen once do not happen again. A run up to a time and a run from there on are equivalent to
    one run, to the tolerance of the method. From a solution, sampled controllers continue too: commands are held or
    still delayed, laws and sensors keep their memory, noise continues, and clocks keep the time until the next instant,
    even if `t_start` is not the time of the solution. With `controllers="anew"` instead of "continued" they start at
    `t_start`, without memory and with no commands; so they do from any other `initial`, which has no controllers. For a
    time earlier than the end of a run the memory of laws and sensors is not known, and a
    :class:`~flexmb.errors.ControlError` is raised. `progress`: show a bar if the run takes more than a second.

    `times` [s]: the solution has exactly these times within the run, in rising order, instead of the steps of the
    method, which do not change. It is the same as from :meth:`flexmb.Solution.at`, about as accurate between steps as
    at their ends; memory does not grow with the number of steps, and `solution.energy` includes the work of all of
    them.

    `redundant`: "remove" redundant constraint rows, such as those of a door's second hinge, with a
    :class:`~flexmb.errors.RedundancyWarning` that names them, or "error" to refuse such joints. Rows that contradict
    others at the start, in positions, speeds or accelerations, are always refused. Rows that were left out are checked
    at every step, and the run ends if one is no longer satisfied; rows are exchanged when others are needed
    (`statistics.other_rows`). Joint forces that the motion does not determine are the smallest possible ones, see
    :meth:`~flexmb.Solution.unique_reactions`.

    `gaps`: initial positions that do not meet the joints are moved until they do, with an
    :class:`~flexmb.errors.InitialConditionWarning` that names the joints and their gaps [m] and [rad]; a move of more
    than a thousandth of the mechanism's size (or as many radians) is reported in `solution.doubts`. "refuse" starts
    that would have to be moved by more than a tenth, or "close" joints however wide their gaps are.

    Every method passes through singular positions, in which constraints depend on one another, such as a flat
    parallelogram, and stays on its branch of the mechanism, or ends there and names the joints.

    Events of the model (:meth:`flexmb.PlanarModel.add_event`) are located to the order of the method; steps end there,
    fixed ones too, and `solution.events` lists them.

    A run that diverges, or that Ctrl-C stops, returns its steps so far, with `solution.status` and `solution.message`.
    A run that reached its end, but whose motion may be wrong (energy that does not balance, beams bent beyond the range
    of their theory), warns with an :class:`~flexmb.errors.AccuracyWarning`; this concerns positions, speeds and
    energies, not the accelerations and joint forces of vibration that is faster than the steps. `solution.doubts` lists
    the reasons, and `solution.trustworthy` is then False. An exception in a user's Python function raises a
    KernelError, whose `solution` has the steps so far.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("falling", gravity=(0, -10))
    >>> body = m.add_body("stone", mass=1.0, inertia=0.1)
    >>> solution = fm.simulate(m, 1.0, step=0.01)
    >>> round(float(solution["stone"].position[-1, 1]), 6)
    -5.0
    >>> fm.simulate(m, 1.0, times=[0.2, 0.7])["stone"].y.round(6).tolist()
    [-0.2, -2.45]
    """
    bound = Bound(model, method, options, Choices(redundant, gaps, controllers, second_run), "simulate", again=False)
    return checked_run(bound, asked_of(bound, t_end, t_start, initial, times, progress))
