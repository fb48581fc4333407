"""Times of the pieces of a step of Radau IIA, in the loop of a run: corrections, matrices, and the end of a step."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple
from unittest import mock

import flexmb as fm
from flexmb.kernels.compilation import allocation_free
from flexmb.solvers.methods.radau import common_matrix as common
from flexmb.solvers.methods.radau import own_matrices
from flexmb.solvers.methods.radau import radau_run as run
from flexmb.solvers.methods.radau.first_guess import begin
from flexmb.solvers.methods.radau.stages import errors, put, spread
from flexmb.solvers.rows.index_one import speeds_and_accelerations
from flexmb.validation.performance.work_precision.pieces import least, nudge
from flexmb.validation.performance.work_precision.problems import Problem


class StepPieces(NamedTuple):
    """Times [s]: of the part of a stage in a correction of all three, with the errors of their equations and the
    solution for them; of a matrix, with its tangents and factors; and of what is made of the end of a step, speeds on
    their constraints and accelerations."""

    stage: float
    matrix: float
    end: float


def of_radau(problem: Problem, options: dict[str, Any], repeats: int) -> StepPieces:
    """Those of the step with which the first half of the motion ends, with a matrix as it had."""
    loop, h, t = _halfway(problem, options)
    corrections, matrices = (_own, _own_matrix) if loop.state.own > 0.0 else (_common, _common_matrix)
    begin(loop, h)
    spread(loop, h)
    matrix = least(repeats, matrices, loop, h, t)
    stage = least(repeats, corrections, loop, h, t) / 3.0
    put(loop, 2)
    return StepPieces(stage, matrix, least(repeats, _end, loop, t))


def _halfway(problem: Problem, options: dict[str, Any]) -> tuple[Any, float, float]:
    """The loop of a run of half the motion, its last step and its time."""
    caught: list[Any] = []
    advance = run.advance

    def caught_one(loop: Any, rows: Any) -> Any:
        caught[:] = [loop]
        return advance(loop, rows)

    with mock.patch.object(run, "advance", caught_one), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fm.simulate(problem.build(), 0.5 * problem.t_end, "radau", progress=False, **options)
    loop = caught[0]
    return loop, float(loop.state.h_done), float(loop.state.time)


@allocation_free
def _common(count, loop, h, t):
    for _ in range(count):
        errors(loop, h, t, False)
        common.correction(loop, h)


@allocation_free
def _own(count, loop, h, t):
    for _ in range(count):
        errors(loop, h, t, False)
        own_matrices.correction(loop, h)


@allocation_free
def _common_matrix(count, loop, h, t):
    for turn in range(count):
        nudge(turn, loop.motion.q)
        common.renew(loop, h, t)


@allocation_free
def _own_matrix(count, loop, h, t):
    for turn in range(count):
        nudge(turn, loop.motion.q)
        own_matrices.renew(loop, h, t)


@allocation_free
def _end(count, loop, t):
    end, lam = loop.end, loop.stages.lam[2]
    for turn in range(count):
        nudge(turn, end.q)
        speeds_and_accelerations(
            loop.plan, loop.scratch, loop.linear, loop.options.mass, t, end.q, end.v, end.a, lam, loop.work
        )  # fmt: skip
