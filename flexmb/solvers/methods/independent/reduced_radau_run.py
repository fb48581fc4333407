"""A run with Radau IIA on the reduced equations: its options, the memory of its loop, and its driver in Python.

The formula, the step size control and the meaning of the tolerance are the same as for the method `radau`
(:mod:`flexmb.solvers.methods.radau.radau_run`), but the unknowns are the independent coordinates: the matrices are
small if these are few, but each evaluation has to solve for the dependent ones. Where stiff members turn and dependent
coordinates bend with them, the matrix is poorer than that of the DAE: there a step takes ten iterations, elsewhere
three.

**Accuracy.** Largest error as a multiple of `rtol`, and evaluations; for the top and the flexible models except the
blade, the error at the end:

    model                                  time    rtol 1e-3       1e-5            1e-7            1e-9
    pendulum                               10 s    0.17   1267     0.36   3009     0.52   7450     1.2   18354
    heavy top                              0.5 s   0.51   1135     0.87   2699     0.69   7093     0.48  18952

    model                                  time    rtol 1e-4       1e-6            by CVODE at 1e-6
    blade spun up, one element             20 s    0.05  22470     0.91  27511     2.8   90489
    slider-crank, flexible rod, driven     1 s     0.30   5660     0.29  12737     <0.01 32630
    slider-crank, flexible rod, free       0.3 s   0.23   1619     1.9   11152     <0.01 45852
    soft pendulum, 2 elements              0.5 s   0.70   2745     0.61   7844     0.08   9893

The error of a step includes that of the dependent coordinates. If charts and partitions have to be changed every few
steps, as for two bodies on skew hinges, the error after 3 s is 12 times `rtol` at 1e-5, 8 times at 1e-7 and 3 times at
1e-9. A parallelogram that goes through flat, and slowly through upright, has up to 17 times `rtol`; a passage through a
singular position adds an error of about 1e-7.
"""

from __future__ import annotations

import numpy as np

from flexmb.errors import SolverError
from flexmb.solvers.changes.passage import Passage
from flexmb.solvers.changes.trail import ERROR_IN_HASTE, Trail
from flexmb.solvers.coordinates.coordinates import JOINTS
from flexmb.solvers.march.clock import AT_START
from flexmb.solvers.march.stops import Scales
from flexmb.solvers.march.times import first_step
from flexmb.solvers.methods.independent.cvode import DENSE_LIMIT, at_dead_center, other_partition
from flexmb.solvers.methods.independent.partition import DEAD_CENTER, FURTHER, WEAK
from flexmb.solvers.methods.independent.problem import Options, Problem
from flexmb.solvers.methods.independent.reduced_radau_loop import advance
from flexmb.solvers.methods.independent.reduced_radau_step import Reached, ReducedLoop, Stages
from flexmb.solvers.methods.radau import radau_run as radau
from flexmb.solvers.methods.radau.radau_state import NO_RANK, Counts, End, State
from flexmb.solvers.runs.right_hand_side import RightHandSide
from flexmb.solvers.runs.run import Run
from flexmb.solvers.statuses import DIVERGED, PASSAGE_DUE, WORN

#: Most iterations of Newton's method in a step, and the part of the tolerance that it may leave: with 1e-5, the error
#: of the blade that is spun up is halved, but the run takes more than twice the time.
ITERATIONS, NEWTON = 12, 1e-3
#: Factor on NEWTON with joint friction, since each correction then removes only a part of the error.
RUBBING = 0.1
#: Allowed error of a passage through a singular position, as a part of the tolerance.
OF_PASSAGE = 0.02


class _Reduced(radau.RadauDriver):
    """Driver of Radau IIA on the reduced equations; it makes a new loop for each partition."""

    def __init__(self, run: Run, f: RightHandSide, problem: Problem, passage: Passage, options: Options) -> None:
        self.run, self.f, self.problem, self.given = run, f, problem, options
        span = run.t_end - run.t_start
        longest = options.max_step or span
        if not len(problem.equations.x):
            longest = min(longest, span / radau.FOLLOWED)
        newton = NEWTON * (RUBBING if run.system.plan.friction else 1.0)
        self.options = radau.options_for(run, options.rtol, longest, newton * options.rtol, ITERATIONS, near=np.inf)
        self.state, self.counts = State.zeros(), Counts.zeros()
        self.state.step = min(run.step or first_step(run, options.rtol, 5), longest)
        self.state.left = 1.0
        self.watch, self.kinks, self.crossings = passage.watch.copy(), run.kinks(), run.crossings(True)
        super().__init__(run, advance, self.loop_from_here())
        self.trail = Trail(run, self.watch, problem.equations.u, OF_PASSAGE * options.rtol, f=f)

    def loop_from_here(self) -> ReducedLoop:
        """The loop from the present state of the run, in the present partition of the problem."""
        run, problem, system, state = self.run, self.problem, self.run.system, self.state
        problem.stepped()
        problem.refresh()
        x, e, closing = problem.start(), problem.equations, problem.equations.closing
        state.time = run.t
        state.h_matrix = 1e300
        state.anew, state.aged = AT_START, 1.0
        return ReducedLoop(
            closing.plan, closing.scratch, closing.linear, closing.work, e, problem.tangent, run.sampling, self.options,
            Scales(system.scale, system.row_scale, system.turning),
            Reached(run.q, run.v, run.v, run.a, run.lam, x, np.zeros(len(x)), np.zeros((3, len(x)))),
            Stages.of(len(x)), End(*e.now), self.where_worn(), self.watch, run.left_out, state,
            self.counts, self.kinks, self.crossings,
        )  # fmt: skip

    def where_worn(self) -> np.ndarray:
        """The pivots (2,) and the stretch at which the loop is to ask for another partition."""
        partition = self.problem.partition
        quality = np.array([0.0, 0.0, DEAD_CENTER * partition.stretch])
        if self.given.coordinates is None:
            quality[: len(partition.quality)] = WEAK * np.array(partition.quality)
            quality[2] = FURTHER * partition.stretch
        return quality

    def grow(self) -> None:
        self.problem.grow()
        closing = self.problem.equations.closing
        self.loop = self.loop._replace(
            plan=closing.plan, scratch=closing.scratch, linear=closing.linear, work=closing.work,
            equations=self.problem.equations, tangent=self.problem.tangent,
        )  # fmt: skip
        self.state.h_matrix = 1e300
        self.state.aged = 1.0

    def resumes(self, status: int) -> bool:
        run, state, trail = self.run, self.state, self.trail
        assert trail is not None
        if status == DIVERGED:
            if not run.system.m or not trail.last_resort():
                return False
            state.step = self.shortest_behind * (run.t_end - run.t_start)
        elif status == PASSAGE_DUE:
            trail.through()
        elif status != WORN or at_dead_center(self.problem, self.given, float(self.watch[1])):
            return False
        other = other_partition(run, self.problem, self.given, float(self.watch[1]))
        if other is not None:
            self.problem.use(other)
            run.report.statistics.repartitions += 1
        self.loop = self.loop_from_here()
        trail.rows = self.problem.equations.u
        return True

    def why(self, status: int) -> str:
        """Why a run ended early, in words."""
        dead_center = at_dead_center(self.problem, self.given, float(self.watch[1]), FURTHER)
        if dead_center:
            return dead_center
        assert self.trail is not None
        last = self.trail.passage(ERROR_IN_HASTE)
        if last.near:
            return last.why()
        lost = str(self.f.trouble or self.problem.lost()) if int(self.state.culprit) == NO_RANK else ""
        return lost or super().why(status)


def by_radau(run: Run, f: RightHandSide, problem: Problem, passage: Passage, options: Options) -> None:
    """Integrate to the end of the run, or until it diverges."""
    count = len(problem.equations.fast)
    where = f"simulate model {run.system.model.name!r}"
    if count > DENSE_LIMIT:
        whose, other = "independent", "integrator='cvode', or method 'radau', whose matrices are sparse"
        if f.coordinates.kind == JOINTS:
            whose, other = "independent joint", "method 'independent', or leave formulation out"
        raise SolverError(
            f"{where}: it has {count} {whose} coordinates, and integrator 'radau' works with dense matrices of up to "
            f"{DENSE_LIMIT}; take {other}"
        )
    if options.max_order != 5:
        raise SolverError(
            f"{where}: max_order is {options.max_order}, and integrator 'radau' has order 5; leave it out, or take "
            "integrator='cvode'"
        )
    driver = _Reduced(run, f, problem, passage, options)
    try:
        driver.to_end()
    finally:
        driver.report()
