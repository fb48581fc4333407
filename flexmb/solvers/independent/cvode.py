"""The reduced equations by CVODE, variable-order, variable-step BDF: the Gear method of Kobayashi (n.d.).

CVODE calls Python for the rates and for their Jacobian, and returns after each step; what Python then does is one
compiled call each.

**Accuracy.** CVODE controls the error of a step. The errors of many steps add up: with its own tolerances as the
options say, the largest error of a motion was up to 340 times `rtol` (a pendulum over 10 s; 29 times for the blade that
is spun up, 23 times for the four-bar linkage). So it gets a part of them. Were that part always 0.02, the largest
errors of a coordinate over the run (in model lengths and rad) by `rtol`, and evaluations, with `atol` = `rtol`/100,
would be

    model                                  time    rtol 1e-3       1e-5            1e-7             1e-9
    pendulum                               10 s    1.2     763     1.6    1518     3.5     3067     4.9      6423
    four-bar linkage                       3 s     0.44    237     0.18    401     0.86     786     0.35     1673
    arm of two flexible links, driven      1 s     <0.01 18962     <0.01 26396     <0.01  38365     0.02    72018
    slider-crank, flexible rod, driven     1 s     <0.01 41325     <0.01 36915     0.06   40236     0.14    92853
    soft pendulum, 2 elements              2 s     0.13  11823     0.54  24810     0.92   55484     1.9    119838
    blade spun up, one element             20 s    0.85  82440     0.42  90504     0.47   91929     0.37    91715

and more where errors grow: for Andrews' squeezer 6 times `rtol` at 1e-3, 70 times at 1e-8, 200 times at 1e-10; for 40
parallelograms that go over their top five times, 25 times at 1e-3 and 400 times at 1e-6. In both the error is in
proportion to the part and to the number of steps, which is about in proportion to `rtol` to the power −0.15. So the
part is PART at 1e-6, and falls with that power (:func:`part_of`), which takes up to twice as many steps. No part holds
for motions that depend even more sensitively on their start, as that of a double pendulum over a long time does.

**Order.** Of the BDF formulas only those of orders 1 and 2 are stable on the whole imaginary axis, where undamped
vibration lies; with the others CVODE follows the fastest vibration with short steps, whether it moves or not. They are
allowed all the same, since order 2 needs even shorter ones as soon as something is to be followed: the soft pendulum
at 1e-4 takes 17406 evaluations, with `max_order=2` 111419, and the pendulum at 1e-6 2144 and 24187, with an error of
104 times `rtol`. Only for large tolerances and a vibration that does not move is `max_order=2` better: the blade at
1e-3 takes 82440 evaluations, with order 2 30559. With `max_order=3` vibrations grow more, and steps are a fifth as
long.

**Newton's matrix** has the exact Jacobian (:mod:`flexmb.solvers.independent.tangent`). With CVODE's difference
quotients the same runs take more evaluations: 24865 for 22611 (blade, 5 s, 1e-9), 12524 for 10423 (arm, 0.3 s, 1e-6),
39959 for 36618 (slider-crank, free, 0.3 s, 1e-6), 580 for 575 (four-bar).

**A new partition**, or a passage through a singular position, starts CVODE again at order 1. First steps other than
its own estimate do not make that shorter: from 1/10 to 1/100000 of the last step the flat parallelogram takes 1304 to
1427 evaluations, and with its own 1361.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.solvers.coordinates import JOINTS
from flexmb.solvers.events.crossings import hop, keep_end, watch_from
from flexmb.solvers.events.run_events import step_end
from flexmb.solvers.independent.krylov import Preconditioner
from flexmb.solvers.independent.partition import DEAD_CENTRE, Partition
from flexmb.solvers.independent.problem import Options, Problem
from flexmb.solvers.march.stops import behind_kink, next_kink
from flexmb.solvers.rows.passage import NEAR, Passage
from flexmb.solvers.run import Run
from flexmb.solvers.scipy_methods.right_hand_side import RightHandSide

#: above this many independent coordinates the Newton equations are solved by preconditioned GMRES
DENSE_LIMIT = 150
#: adding less than this part of a time to it does not change it
ROUNDING = 1e-15
#: The part of the tolerances that the error of a step may have, at 1e-6; the power of a tolerance by which it falls, as
#: the number of steps grows; and the least relative tolerance that CVODE keeps.
PART, STEPS_POWER, LEAST = 5e-4, 0.15, 1e-14


def part_of(rtol: float) -> float:
    """The part of the tolerances that the error of a step may have.

    >>> round(part_of(1e-6), 6), round(part_of(1e-10), 6)
    (0.0005, 0.000126)
    """
    return float(max(PART * (rtol / 1e-6) ** STEPS_POWER, LEAST / rtol))


def by_cvode(run: Run, f: RightHandSide, problem: Problem, passage: Passage, options: Options) -> None:
    """To the end of the run, or until it diverges."""
    found, solver, kinks = problem.equations.found, _start(run, problem, options), run.kinks()
    system, watched = run.system, run.crossings(True)
    if len(watched.side):
        size = 1e-3 * (run.t_end - run.t)
        watch_from(watched, system.plan, system.scratch, run.t, run.q, run.v, run.a, run.lam, size)

    looked = False

    def state_at(t: float) -> tuple[np.ndarray, ...]:
        """q, v, a, λ inside the last step."""
        nonlocal looked
        looked = looked or t < result.t
        y = result.y if t == result.t else solver.step(t, "normal").y
        if not problem.reach(t, y):
            f.a[:] = np.nan
        return f.q, f.v, f.a, f.lam

    while run.t < run.t_end:
        looked, begun, stop = False, run.t, float(next_kink(kinks, run.t, run.t_end))
        result = solver.step(stop, "onestep", stop)
        if problem.interruption is not None:
            raise problem.interruption
        t, y = float(result.t), result.y
        if len(watched.side) and result.success and t > run.t:
            t = step_end(watched, system, run.t, t, state_at)
            if t < result.t:
                y = solver.step(t, "normal").y
            elif looked:  # behind a time inside of the step CVODE returns its end once more
                y = solver.step(stop, "onestep", stop).y
        arrived = bool(result.success) and t > run.t and problem.arrive(t, y)
        if arrived and found.leapt:
            arrived = not (passage.near or found.sigma < NEAR * passage.largest)
        if not arrived:
            run.diverged(passage.why() if passage.near else str(f.trouble or f"CVODE: {result.message}"))
            return
        f.step_to(t)
        f.note(found.drift, found.rate_drift)
        if len(watched.side) and keep_end(watched, system.plan, run.lam):
            run.happen(run.q, run.v, run.a, run.lam)
        passage.note(t, found.sigma)
        through = passage.due and passage.through()
        if not through and passage.too_near:
            run.diverged(passage.why())
            return
        problem.stepped()
        dead_centre = at_dead_centre(problem, options, passage.largest)
        if dead_centre:
            run.diverged(dead_centre)
            return
        other = other_partition(run, problem, options, passage.largest)
        if other is not None:
            problem.use(other)
            found = problem.equations.found
            run.statistics.repartitions += 1
        behind = float(behind_kink(kinks, run.t, run.t_end))
        at_kink = behind > run.t
        touched = watched.state.hop > 0.0
        if touched:
            behind = float(hop(watched, system.plan, run.t, run.q, run.v, run.a))
            f.q[:], f.v[:] = run.q, run.v
        if at_kink or touched:
            run.t = behind
            f.accelerate(behind)
            run.a[:], run.lam[:] = f.a, f.lam
            run.history.append(behind, f.q, f.v, f.a, f.lam)
            problem.stepped()
        if (at_kink or touched or through) and len(watched.side):
            watch_from(watched, system.plan, system.scratch, run.t, run.q, run.v, run.a, run.lam, t - begun)
        if other is not None or through or at_kink or t < result.t or touched:
            solver = _start(run, problem, options)
        run.show()


def _start(run: Run, problem: Problem, options: Options) -> Any:
    """CVODE at the present state of the run."""
    from sksundae.cvode import CVODE

    part = part_of(options.rtol)
    given: dict[str, Any] = {"rtol": part * options.rtol, "atol": part * options.atol * problem.scale}
    given["max_order"] = options.max_order
    given["min_step"] = ROUNDING * max(abs(run.t), abs(run.t_end))
    given["max_step"] = max(options.max_step or run.t_end - run.t, given["min_step"])
    if len(problem.equations.fast) > DENSE_LIMIT and problem.f.coordinates.kind != JOINTS:
        given |= Preconditioner(problem).options()
    else:
        given["jacfn"] = problem.jacobian
    solver = CVODE(problem.derivative, max_num_steps=100_000, **given)
    solver.init_step(run.t, problem.start())
    return solver


def other_partition(run: Run, problem: Problem, options: Options, largest: float) -> Partition | None:
    """Another partition where the present one should not be kept; `largest`: σ of the constraints at its largest, since
    near a singular position all partitions fade."""
    partition, found = problem.partition, problem.equations.found
    if partition.carried.chart_ends:
        return partition.again(run.t, run.q, partition.weights, options.coordinates)
    near = found.sigma < NEAR * largest
    worn = partition.is_worn(found.of_positions, found.of_speeds, found.stretch)
    if options.coordinates is None and worn and not near:
        return partition.better(run.t, run.q)
    return None


def at_dead_centre(problem: Problem, options: Options, largest: float, beyond: float = DEAD_CENTRE) -> str:
    """What to say where coordinates that were given by name do not determine the others any more; "" elsewhere, also
    near singular positions of the mechanism, where none do. The others have to move `beyond` so many times as far as at
    the start."""
    found, partition = problem.equations.found, problem.partition
    if options.coordinates is None or found.sigma < NEAR * largest:
        return ""
    if found.stretch <= beyond * partition.stretch:
        return ""
    return (
        f"coordinates={list(options.coordinates)} do not determine the others here, which move "
        f"{found.stretch / partition.stretch:.0f} times as far with them as at the start (a dead centre, where a "
        "coordinate turns back); give others, or none, which are then exchanged on the way"
    )
