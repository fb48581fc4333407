"""Integration of the reduced equations by CVODE, the BDF of variable order and step: the Gear method of Kobayashi
(n.d.).

CVODE calls Python for the rates and for their Jacobian, and returns after each step; Python passes each of these on to
one compiled function.

**Accuracy.** CVODE controls the error of a step. The errors of many steps add up: with CVODE's tolerances set to those
of the options, the largest error of a motion was up to 340 times `rtol` (a pendulum over 10 s; 29 times for the blade
that is spun up, 23 times for the four-bar linkage). So CVODE gets a part of them. With the part 0.02, the largest
errors of a coordinate over the run (in model lengths and rad) divided by `rtol`, and the numbers of evaluations, with
`atol` = `rtol`/100, are

    model                                  time    rtol 1e-3       1e-5            1e-7             1e-9
    pendulum                               10 s    1.2     763     1.6    1518     3.5     3067     4.9      6423
    four-bar linkage                       3 s     0.44    237     0.18    401     0.86     786     0.35     1673
    arm of two flexible links, driven      1 s     <0.01 18962     <0.01 26396     <0.01  38365     0.02    72018
    slider-crank, flexible rod, driven     1 s     <0.01 41325     <0.01 36915     0.06   40236     0.14    92853
    soft pendulum, 2 elements              2 s     0.13  11823     0.54  24810     0.92   55484     1.9    119838
    blade spun up, one element             20 s    0.85  82440     0.42  90504     0.47   91929     0.37    91715

and the errors are larger where the motion magnifies them: for Andrews' squeezer 6 times `rtol` at 1e-3, 70 times at
1e-8, 200 times at 1e-10; for 40 parallelograms that go over their top five times, 25 times at 1e-3 and 400 times at
1e-6. In both the error is in proportion to the part and to the number of steps, and this is about in proportion to
`rtol` to the power −0.15. So the part is PART at 1e-6 and changes with rtol^0.15 (:func:`part_of`), which takes up to
twice as many steps. No part is small enough for motions that depend even more sensitively on their start, such as that
of a double pendulum over a long time.

**Order.** Of the BDF formulas only those of orders 1 and 2 are stable on the whole imaginary axis, where undamped
vibration lies; with the others CVODE follows the fastest vibration with short steps, even if its amplitude is zero.
They are allowed nevertheless, since order 2 needs even shorter steps as soon as there is a motion to follow: the soft
pendulum at 1e-4 takes 17406 evaluations, with `max_order=2` 111419, and the pendulum at 1e-6 2144 and 24187, with an
error of 104 times `rtol`. Only for large tolerances and a vibration of zero amplitude is `max_order=2` better: the
blade at 1e-3 takes 82440 evaluations, with order 2 30559. With `max_order=3` vibrations grow more, and steps are a
fifth as long.

**Newton's matrix** contains the exact Jacobian (:mod:`flexmb.solvers.methods.independent.tangent`). With CVODE's
difference quotients the same runs take more evaluations: 24865 for 22611 (blade, 5 s, 1e-9), 12524 for 10423 (arm, 0.3
s, 1e-6), 39959 for 36618 (slider-crank, free, 0.3 s, 1e-6), 580 for 575 (four-bar).

**A new partition**, or a passage through a singular position, restarts CVODE at order 1. First steps other than its own
estimate do not shorten this phase: from 1/10 to 1/100000 of the last step the flat parallelogram takes 1304 to 1427
evaluations, and with its own 1361.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.algebra.precision import ROUNDING
from flexmb.solvers.changes.passage import Passage
from flexmb.solvers.coordinates.coordinates import JOINTS
from flexmb.solvers.march.march_in_python import MarchInPython, Steps
from flexmb.solvers.methods.independent.krylov import Preconditioner
from flexmb.solvers.methods.independent.partition import DEAD_CENTER, Partition
from flexmb.solvers.methods.independent.problem import Options, Problem
from flexmb.solvers.rows.singular_value import NEAR
from flexmb.solvers.runs.right_hand_side import RightHandSide
from flexmb.solvers.runs.run import Run

#: Above this number of independent coordinates the Newton equations are solved by preconditioned GMRES.
DENSE_LIMIT = 150
#: Allowed error of a step as a part of the tolerances: its value for rtol = 1e-6; the power of the tolerance with which
#: it falls, as the number of steps grows; and the smallest relative tolerance that CVODE can keep.
PART, STEPS_POWER, LEAST = 5e-4, 0.15, 1e-14


def part_of(rtol: float) -> float:
    """Allowed error of a step as a part of the tolerances.

    >>> round(part_of(1e-6), 6), round(part_of(1e-10), 6)
    (0.0005, 0.000126)
    """
    return float(max(PART * (rtol / 1e-6) ** STEPS_POWER, LEAST / rtol))


def by_cvode(run: Run, f: RightHandSide, problem: Problem, passage: Passage, options: Options) -> None:
    """Integrate to the end of the run, or until it diverges."""
    MarchInPython(_Cvode(run, f, problem, passage, options)).to_end()


class _Cvode(Steps):
    """CVODE's steps on the reduced equations of a problem."""

    def __init__(self, run: Run, f: RightHandSide, problem: Problem, passage: Passage, options: Options) -> None:
        super().__init__(run, f, passage)
        self.problem, self.options = problem, options

    def begin(self) -> None:
        from sksundae.cvode import CVODE

        run, problem, options = self.run, self.problem, self.options
        problem.stepped()
        part = part_of(options.rtol)
        given: dict[str, Any] = {"rtol": part * options.rtol, "atol": part * options.atol * problem.scale}
        given["max_order"] = options.max_order
        given["min_step"] = ROUNDING * max(abs(run.t), abs(run.t_end))
        given["max_step"] = max(options.max_step or run.t_end - run.t, given["min_step"])
        if len(problem.equations.fast) > DENSE_LIMIT and problem.f.coordinates.kind != JOINTS:
            given |= Preconditioner(problem).options()
        else:
            given["jacfn"] = problem.jacobian
        self.solver = CVODE(problem.derivative, max_num_steps=100_000, **given)
        self.solver.init_step(run.t, problem.start())

    def step(self, stop: float) -> str:
        self.stop, self.looked = stop, False
        self.result = self.solver.step(stop, "onestep", stop)
        self.t = float(self.result.t)
        if self.problem.interruption is not None:
            raise self.problem.interruption
        return "" if self.result.success and self.t > self.run.t else self._failure()

    def _failure(self) -> str:
        return str(self.f.trouble or f"CVODE: {self.result.message}")

    def _inside(self, t: float) -> np.ndarray:
        """The integrated numbers at a time within the step or at its end."""
        if t < self.t:
            self.looked = True
            return np.asarray(self.solver.step(t, "normal").y)
        if self.looked:  # after a time within the step, CVODE returns its end again
            self.looked = False
            return np.asarray(self.solver.step(self.stop, "onestep", self.stop).y)
        return np.asarray(self.result.y)

    def state_at(self, t: float) -> tuple[np.ndarray, ...]:
        f = self.f
        if not self.problem.reach(t, self._inside(t) if t < self.t else self.result.y):
            f.a[:] = np.nan
        return f.q, f.v, f.a, f.lam

    def arrive(self, t: float) -> str:
        passage = self.passage
        if not self.problem.arrive(t, self._inside(t)):
            return self._failure()
        found = self.problem.equations.found
        left = found.leapt and (passage.near or found.sigma < NEAR * passage.largest)
        return self._failure() if left else ""

    def note(self) -> None:
        found = self.problem.equations.found
        self.f.note(found.drift, found.rate_drift)
        self.passage.note(self.run.t, found.sigma)

    def stays(self) -> tuple[str, bool]:
        problem, options, largest = self.problem, self.options, self.passage.largest
        problem.stepped()
        why = at_dead_center(problem, options, largest)
        other = None if why else other_partition(self.run, problem, options, largest)
        if other is not None:
            problem.use(other)
            self.run.report.statistics.repartitions += 1
        return why, other is None


def other_partition(run: Run, problem: Problem, options: Options, largest: float) -> Partition | None:
    """Another partition if the present one should be replaced, else None; `largest` is the largest σ of the constraints
    in the run, since near a singular position all partitions are poor."""
    partition, found = problem.partition, problem.equations.found
    if partition.carried.chart_ends:
        return partition.again(run.t, run.q, partition.weights, options.coordinates)
    near = found.sigma < NEAR * largest
    worn = partition.is_worn(found.of_positions, found.of_speeds, found.stretch)
    if options.coordinates is None and worn and not near:
        return partition.better(run.t, run.q)
    return None


def at_dead_center(problem: Problem, options: Options, largest: float, beyond: float = DEAD_CENTER) -> str:
    """Message that the coordinates given by name no longer determine the others, as at a dead center; "" if they do,
    also near singular positions of the mechanism, where no coordinates do. It applies if the others move more than
    `beyond` times as far as at the start."""
    found, partition = problem.equations.found, problem.partition
    if options.coordinates is None or found.sigma < NEAR * largest:
        return ""
    if found.stretch <= beyond * partition.stretch:
        return ""
    return (
        f"coordinates={list(options.coordinates)} do not determine the others here, which move "
        f"{found.stretch / partition.stretch:.0f} times as far with them as at the start (a dead center, where a "
        "coordinate turns back); give others, or none, which are then exchanged on the way"
    )
