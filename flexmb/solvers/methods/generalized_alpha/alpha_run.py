"""A run with generalized-α: its options, the memory of its loop, and its driver in Python."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from flexmb.errors import SolverError
from flexmb.formulations.kinds import Hybrid
from flexmb.solvers.march.clock import AT_START
from flexmb.solvers.march.driver import Driver
from flexmb.solvers.march.in_lanes import FirstStep
from flexmb.solvers.march.stops import Scales
from flexmb.solvers.march.times import first_of, first_step, grid_at, times_of
from flexmb.solvers.methods.generalized_alpha.alpha_joint_loop import run_in_joints
from flexmb.solvers.methods.generalized_alpha.alpha_loop import IN_LANES, advance
from flexmb.solvers.methods.generalized_alpha.alpha_newton import FRESH_STEPS
from flexmb.solvers.methods.generalized_alpha.alpha_state import (
    UNEVEN_STEPS,
    Coefficients,
    Counts,
    Loop,
    Options,
    State,
    motion_of,
    trial_for,
)
from flexmb.solvers.methods.generalized_alpha.alpha_steps import LARGEST_TURN, MOST_PARTS
from flexmb.solvers.methods.generalized_alpha.share import bends, share
from flexmb.solvers.runs.reasons import TimedState
from flexmb.solvers.runs.run import Run
from flexmb.solvers.runs.singular_angles import coordinates_of, refuse_rotations
from flexmb.solvers.statuses import DIVERGED, TOO_FAST
from flexmb.system.accelerations import work_for
from flexmb.system.linear import SMALL, enlarged, linear_for

#: Error of a step, in units of the scales, below which the estimate cannot be distinguished from round-off.
ROUNDING = 1e-12
#: What becomes of the forces of joints. With G q = 0 at the end of each step, its speed and acceleration along a row of
#: G follow from those before by a matrix with the trace 2 − (γ + ½)/β and the determinant 1 + (½ − γ)/β, whose
#: eigenvalues are −1, a double one, for γ = ½, β = ¼, and beyond −1 for less β.
_GROWING = "joint forces alternate from step to step and grow, however short the steps are"


def run_generalized_alpha(
    run: Run,
    *,
    tolerance: float = 1e-4,
    step: float | None = None,
    max_step: float | None = None,
    spectral_radius: float = 0.8,
    newton_tolerance: float | None = None,
    max_iterations: int = 20,
    save_every: int = 1,
    rotations: str | None = None,
    formulation: str | Hybrid | None = None,
) -> None:
    """Simulate with fixed steps of size `step` [s] if given, else with steps whose error stays below `tolerance` (of
    the model's length; radians)."""
    scheme = Coefficients.of(float(spectral_radius))
    if spectral_radius == 1.0 and run.system.m and formulation is None:
        raise SolverError(
            f"simulate model {run.system.model.name!r}: spectral_radius is 1, with which {_GROWING}; give one "
            "below, such as 0.9, or a formulation in joint coordinates"
        )
    _run(
        run, scheme, tolerance, step, max_step, newton_tolerance, max_iterations, save_every, rotations, formulation
    )  # fmt: skip


def run_newmark(
    run: Run,
    *,
    step: float | None = None,
    beta: float = 0.25,
    gamma: float = 0.5,
    newton_tolerance: float | None = None,
    max_iterations: int = 20,
    save_every: int = 1,
    rotations: str | None = None,
    formulation: str | Hybrid | None = None,
) -> None:
    """Simulate by Newmark's method (1959) with fixed steps of size `step` [s]; of second order for γ = ½."""
    where = f"simulate model {run.system.model.name!r}: method 'newmark'"
    if step is None:
        raise SolverError(f"{where} has fixed steps; give step=…, or take 'generalized_alpha', which follows its error")
    if gamma < 0.5:
        raise SolverError(f"{where}: gamma is {gamma:g}; below ½ all motion grows without end")
    if beta == 0.0:
        raise SolverError(f"{where}: beta is 0, which is explicit; take 'rkf45' or 'dop853'")
    if 2.0 * beta <= gamma and run.system.m and formulation is None:
        raise SolverError(
            f"{where}: beta is {beta:g}, not above half of gamma, {gamma:g}, with which {_GROWING}; give more, such as "
            "beta=0.3025, gamma=0.6, which damp them too, a formulation in joint coordinates, or take "
            "'generalized_alpha'"
        )
    _run(
        run, Coefficients.of_newmark(float(beta), float(gamma)), 1e-4, step, None, newton_tolerance, max_iterations,
        save_every, rotations, formulation,
    )  # fmt: skip
    if gamma > 0.5:  # of first order, and the estimate is for second order
        run.report.order_of_fixed, run.report.carried_error = 1, math.inf


def _run(
    run: Run,
    scheme: Coefficients,
    tolerance: float,
    step: float | None,
    max_step: float | None,
    newton_tolerance: float | None,
    max_iterations: int,
    save_every: int,
    rotations: str | None,
    formulation: str | Hybrid | None,
) -> None:
    """A run with these coefficients."""
    system = run.system
    span = run.t_end - run.t_start
    longest = max_step or span
    first = min(step or run.step or first_step(run, tolerance, 2), longest)
    if formulation is not None:
        run_in_joints(
            run, coordinates_of(run, rotations, formulation), tolerance, step, max_step, scheme,
            newton_tolerance, max_iterations, save_every, first,
        )  # fmt: skip
        return
    refuse_rotations(run, rotations)
    controlled = len(run.sampling.controllers) > 0
    options = Options(
        tolerance=float(tolerance),
        allowed=share(system) * float(tolerance) / span,
        newton=float(newton_tolerance or (1e-8 if step else min(1e-8, 1e-2 * tolerance))),
        newton_exact=int(newton_tolerance is not None),
        longest=float(longest),
        mass=float(system.mass_scale),
        length=float(system.length_scale),
        iterations=int(max_iterations),
        save_every=int(save_every),
        own_standing=int(controlled),
        rigid=int(not bends(system)),
        careful=int(controlled or system.plan.size <= SMALL),
        **times_of(run, step),
    )
    state = State.zeros()
    state.time = run.t
    state.step = state.h_last = first
    state.h_matrix = 1e300
    state.last_error = 1.0
    state.fresh_span = FRESH_STEPS
    state.jump = UNEVEN_STEPS  # as at every start
    state.anew = AT_START
    state.grid = grid_at(run, step)
    motion = motion_of(system.plan, run.q, run.v, run.a, run.lam)
    scales = Scales(system.scale, system.row_scale, system.turning)
    standing = linear_for(system.plan, system.pattern) if controlled else system.linear
    loop = Loop(
        system.plan, system.scratch, system.linear, standing, run.sampling, scheme, options, scales, motion,
        trial_for(system.plan, run.q), work_for(system.plan), state, Counts.zeros(), np.array([[np.inf] * 3] * 2),
        np.zeros(0) if step else run.kinks(), run.left_out, run.crossings(not step),
    )  # fmt: skip
    _Absolute(run, advance, loop, save_every).drive()


class _Absolute(Driver):
    """Driver of generalized-α in absolute coordinates."""

    in_lanes = IN_LANES

    def first(self) -> FirstStep:
        options = self.loop.options
        return FirstStep() if options.step else first_of(self.run, options.tolerance, 2, options.longest)

    def grow(self) -> None:
        loop, system = self.loop, self.run.system
        system.grow()
        loop.memory[:] = np.inf
        standing = system.linear
        if loop.options.own_standing:
            same = system.plan is loop.plan
            standing = enlarged(loop.standing) if same else linear_for(system.plan, system.pattern)
        self.loop = loop._replace(plan=system.plan, linear=system.linear, standing=standing)
        self.state.h_matrix = 1e300

    def march(self) -> int:
        try:
            return super().march()
        finally:  # the run keeps the speeds projected onto their constraints
            self.run.v -= self.loop.motion.off
            self.loop.motion.off[:] = 0.0

    def tried(self) -> Iterable[TimedState]:
        trial = self.loop.trial
        return [(self.run.t + float(self.state.h_last), trial.q, trial.v, trial.a)]

    def why(self, status: int) -> str:
        options, said = self.loop.options, super().why(status)
        if status == DIVERGED and not options.step and options.allowed * float(self.state.step) < ROUNDING:
            asked = f"tolerance={options.tolerance:g}"
            said += f"; rounding does not allow the steps that {asked} asks for: take method='radau'"
        return said

    def trouble(self, status: int) -> str:
        """Why the method cannot go on, in words."""
        run, options, culprit = self.run, self.loop.options, int(self.state.culprit)
        if culprit < 0:
            return "the constraints lose rank (a singular position): accelerations are not determined"
        name = self.name_of(culprit)
        if status == TOO_FAST:
            speed = abs(float(run.v[culprit])) + 0.5 * options.step * abs(float(run.a[culprit]))
            if options.step:
                return (
                    f"{name!r} turns at {speed:.3g} rad/s, too fast for a step of {options.step:g} s, which would have "
                    f"to be divided by more than {MOST_PARTS}; take one of {LARGEST_TURN / speed:.1g} s"
                )
            return f"{name!r} turns at {speed:.3g} rad/s, too fast to follow"
        return f"Newton's method does not converge with any step, worst in {name!r}"
