"""Times of the pieces of a run that no method can do without: what is done once, and one evaluation of the equations.

An evaluation is repeated in compiled code, so that what Python takes to reach it does not count. The states differ a
little, as those of a run do, since factors of a matrix that is the same again are not made again. All times are those
of the processor, the least of several.
"""

from __future__ import annotations

import importlib
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import numpy as np

import flexmb as fm
from flexmb.kernels.compilation import allocation_free, inlined
from flexmb.solvers.coordinates.coordinates import joint_coordinates
from flexmb.solvers.coordinates.joints.joint_rates import joint_rates
from flexmb.solvers.rows.redundancy import independent_rows
from flexmb.solvers.runs.right_hand_side import Accelerations
from flexmb.system.accelerations import accelerations, factorize_mass, work_for
from flexmb.system.evaluation import add_constraint_forces, constraints, matrix, residual
from flexmb.validation.performance.work_precision import own
from flexmb.validation.performance.work_precision.lines import Setting
from flexmb.validation.performance.work_precision.problems import Problem

#: What is evaluated: accelerations of a state, and of that the matrix, with its factors; the same in joint coordinates,
#: by articulated bodies; the errors of the equations of an implicit method in a state, and their tangent.
ACCELERATIONS, MASS, FACTORS, BY_ABA = "accelerations", "their matrix", "with its factors", "rates of joints by aba"
ERRORS, TANGENT = "errors of a state", "their tangent"
#: the formulation that is timed
FORMULATION = "aba"
#: runs are repeated for so long [s]
LONGEST = 3.0
#: a run ends within its first steps if it is this part of the whole
SHORT = 1e-7
#: evaluations go on for so long [s] at a time, at least so many at once
SPAN, FEWEST = 1e-3, 10
#: by how much states differ [m, rad]
NUDGE = 1e-9

#: what is done once for a run, by module and name, and the part of a run that it is
PARTS = {
    ("binding.bound", "System"): "assembly",
    ("one_run", "check_start"): "start",
    ("one_run", "independent_rows"): "start",
    ("one_run", "consistent_state"): "start",
    ("one_run", "refuse_contradicting_rates"): "start",
    ("one_run", "doubts"): "checks",
}


@inlined
def nudge(turn, q):
    """Move all coordinates a little, to and fro."""
    way = NUDGE if turn % 2 == 0 else -NUDGE
    for i in range(q.shape[0]):
        q[i] += way


@allocation_free
def _accelerations(count, plan, scratch, linear, mass, t, q, v, a, lam, work):
    for turn in range(count):
        nudge(turn, q)
        accelerations(plan, scratch, linear, mass, t, q, v, a, lam, work, 0.0, 0.0)


@allocation_free
def _factors(count, plan, scratch, linear, mass, t, q, v, lam, work):
    for turn in range(count):
        nudge(turn, q)
        factorize_mass(plan, scratch, linear, mass, t, q, v, lam, work)


@allocation_free
def _matrix(count, plan, scratch, t, q, v, a, lam, weights, values):
    for _ in range(count):
        matrix(plan, scratch, t, q, v, a, lam, weights, values)


@allocation_free
def _errors(count, plan, scratch, t, q, v, a, lam, work):
    for _ in range(count):
        residual(plan, scratch, t, q, v, a, work.weights, work.r)
        if plan.m > 0:
            add_constraint_forces(plan, scratch, t, q, v, a, lam, work.weights, work.r)
            constraints(plan, scratch, t, q, v, a, work.weights, work.g, work.gd, work.gamma)


@allocation_free
def _rates(count, joints, scratch, t, q, v):
    for _ in range(count):
        joint_rates(joints, scratch, t, q, v, 0.0, 0.0)


def evaluations(problem: Problem, repeats: int) -> dict[str, float]:
    """The time [s] of one of each, in the middle of the motion; no rates of joints where the mechanism is no tree."""
    model = problem.build()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = fm.simulate(model, 0.5 * problem.t_end, "generalized_alpha", progress=False)
        whole = fm.System(model)
        system = independent_rows(whole, 0.0, whole.q0, "remove")
    t, last = float(run.t[-1]), (run.q[-1], run.v[-1])
    f = _standing(Accelerations(system), t, last)
    plan, scratch, linear, mass = system.plan, system.scratch, system.linear, system.mass_scale
    work = work_for(plan)
    a, lam, values = f.a.copy(), f.lam.copy(), np.zeros_like(linear.values)
    state = (t, f.q, f.v)
    mass_alone = np.array([1.0 / mass, 0.0, 0.0, 0.0])
    all_three = np.array([1.0 / mass, 1.0, 1.0, 1.0])
    found = {
        ACCELERATIONS: least(repeats, _accelerations, plan, scratch, linear, mass, *state, a, lam, work),
        MASS: least(repeats, _matrix, plan, scratch, *state, work.zero, lam, mass_alone, values),
        FACTORS: least(repeats, _factors, plan, scratch, linear, mass, *state, lam, work),
        ERRORS: least(repeats, _errors, plan, scratch, *state, a, lam, work),
        TANGENT: least(repeats, _matrix, plan, scratch, *state, a, lam, all_three, values),
    }
    try:
        formulation = _standing(Accelerations(system, coordinates=joint_coordinates(system, FORMULATION)), t, last)
    except fm.FlexmbError:
        return found
    joints = formulation.coordinates.joints
    return found | {BY_ABA: least(repeats, _rates, joints, scratch, t, formulation.q, formulation.v)}


def _standing(f: Accelerations, t: float, state: tuple[np.ndarray, np.ndarray]) -> Accelerations:
    """The accelerations in this state, with room for all factors."""
    f.q[: f.system.nq], f.v[: f.system.n] = state
    f.accelerate(t)
    return f


def least(repeats: int, loop: Callable[..., None], *given: Any) -> float:
    """The time [s] of one turn of a compiled loop, the least of several."""
    count, best = FEWEST, np.inf
    loop(1, *given)  # loads it
    for turn in range(repeats + 1):
        begun = time.process_time()
        loop(count, *given)
        seconds = (time.process_time() - begun) / count
        if turn == 0:
            count = max(FEWEST, round(SPAN / max(seconds, 1e-9)))
        else:
            best = min(best, seconds)
    return best


@dataclass
class Once:
    """The time [s] of what is done once in a run: beside its `method`, and of that the `parts`, of which the rest are
    arrays and names of the run and of its solution; and by the method before its first step, without the evaluations of
    that step. And how many matrices an implicit method makes in each of its steps."""

    beside: float = np.inf
    parts: dict[str, float] = field(default_factory=dict)
    method: float = np.inf
    matrices: float = 0.0

    @property
    def rest(self) -> float:
        """What no part is [s]."""
        return self.beside - sum(self.parts.values())

    @property
    def seconds(self) -> float:
        """All of it [s]."""
        return self.beside + self.method


def once(problem: Problem, method: str, setting: Setting, each: float, repeats: int, limit: float) -> Once:
    """What is done once in a run of a method: the least of several runs, fewer where they are long, and of as many that
    end within their first steps. `each`: the time [s] of an evaluation."""
    best, begun = Once(), time.process_time()
    for turn in range(repeats + 1):  # the first loads compiled code
        if turn > 1 and time.process_time() - begun > LONGEST:
            break
        with timed_parts() as parts:
            run, whole, alone = own.timed(problem.build(), problem.t_end, method, limit, setting.options)
        best.matrices = run.statistics.factorizations / run.statistics.steps
        if whole - alone < best.beside:
            best.beside, best.parts = whole - alone, dict(parts)
        short, _, alone = own.timed(problem.build(), SHORT * problem.t_end, method, limit, setting.options)
        best.method = min(best.method, max(0.0, alone - own.evaluations_of(short) * each))
    return best


@contextmanager
def timed_parts(parts: Mapping[tuple[str, str], str] = PARTS) -> Iterator[dict[str, float]]:
    """The times [s] of the `parts` of the runs within: functions by their modules among the solvers and their names."""
    spent = dict.fromkeys(parts.values(), 0.0)

    def measured(itself: Callable[..., Any], part: str) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            begun = time.process_time()
            try:
                return itself(*given, **named)
            finally:
                spent[part] += time.process_time() - begun

        return call

    with ExitStack() as patches:
        for (where, name), part in parts.items():
            module = importlib.import_module(f"flexmb.solvers.{where}")
            patches.enter_context(mock.patch.object(module, name, measured(getattr(module, name), part)))
        yield spent
