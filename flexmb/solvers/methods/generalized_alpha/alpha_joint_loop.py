"""Generalized-α in joint coordinates: the compiled loop over its steps, and a run with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.coordinates.coordinates import Coordinates
from flexmb.solvers.coordinates.joints.joint_motion import sizes
from flexmb.solvers.coordinates.joints.joint_state import rates_of_speeds, read_joints, stand_on, take_unseen
from flexmb.solvers.march.in_lanes import FirstStep, in_lanes, look_at_rows
from flexmb.solvers.march.step_size import NO_CHANGE
from flexmb.solvers.march.times import first_of, times_of
from flexmb.solvers.methods.explicit.explicit_loop import find_anew, look_ahead
from flexmb.solvers.methods.explicit.explicit_run import LoopDriver, loop_of
from flexmb.solvers.methods.explicit.explicit_state import Options, Stage
from flexmb.solvers.methods.explicit.explicit_step import check_rows, close, keep, unforced
from flexmb.solvers.methods.explicit.step_control import FAILED_FACTOR
from flexmb.solvers.methods.generalized_alpha.alpha_in_joints import (
    Memory,
    NewtonMatrices,
    Recursion,
    attempt,
    carried_error,
    keep_recursion,
    local_error,
)
from flexmb.solvers.methods.generalized_alpha.alpha_state import Coefficients
from flexmb.solvers.methods.generalized_alpha.alpha_step import alpha_of
from flexmb.solvers.methods.generalized_alpha.share import share
from flexmb.solvers.runs.reasons import TimedState
from flexmb.solvers.runs.run import Run, states_ahead
from flexmb.solvers.runs.singular_angles import singular_message
from flexmb.solvers.statuses import FAILED, NO_ROOM, OK

#: Error to which the joints that close loops are closed at the end of a step, and the error allowed for a passage
#: through a singular position, both in units of the model.
CLOSED, PASSAGE_ERROR = 1e-12, 1e-8


@called(int)
def _end(loop, t, h):
    """Close the loops at the end of the step and compute its accelerations and u̇; returns OK, or why the step cannot
    be accepted."""
    j, stage = loop.coordinates.joints, loop.stage
    if unforced(loop):
        take_unseen(j, stage.x, stage.u, stage.q, stage.v)
    else:
        read_joints(j, stage.x, stage.u, stage.q, stage.v)
    status = close(loop, t, h, True, True)
    if status == OK and j.rows.closed == 1 and j.rows.meets == 0:
        stand_on(j, stage.q, stage.v)
        rates_of_speeds(j, stage.q, stage.v, stage.a)
    return status


@called(int)
def _find_anew(loop, t):
    """Compute accelerations from the equations of motion and start the recursion again; returns OK, or why there
    are none."""
    loop.method.memory.again = loop.method.memory.aged = 1.0
    return find_anew(loop, t)


@called(int)
def _solve(loop, h, t, at_stop):
    """Solve for the end of a step; returns OK, FAILED or NO_ROOM."""
    status = attempt(loop, loop.state.time, h)
    if status == OK:
        status = _end(loop, t, h)
    if status == OK:
        return OK
    return NO_ROOM if status == NO_ROOM else FAILED


@inlined
def _end_of(loop, h, t):
    """Positions, speeds, accelerations and multipliers at the end of the step."""
    return loop.stage.q, loop.stage.v, loop.stage.a, loop.stage.lam


@called(None)
def _accept(loop, h, found):
    """Make the end of the step the present state."""
    keep_recursion(loop, h)
    keep(loop)
    look_ahead(loop, found)


@inlined
def _no_change(loop):
    """Up to which factor a longer step is not tried, and whether round-off hides the error."""
    return NO_CHANGE, False


def _loop() -> Any:
    """The compiled loop, made of the functions of joint coordinates."""
    return alpha_of(
        _find_anew, _solve, local_error, _end_of, check_rows, carried_error, _accept, _no_change, failed=FAILED_FACTOR
    )


@called(None)
def _ready(lane, t, first):
    """Put the position at the start into the stage."""
    loop = lane.loop
    for i in range(loop.stage.q.shape[0]):
        loop.stage.q[i] = loop.motion.q[i]
    if first > 0.0:
        loop.state.step = first
    look_at_rows(lane.start, loop, t)


advance = _loop()
IN_LANES = in_lanes(advance, _ready)


def run_in_joints(
    run: Run,
    coordinates: Coordinates,
    tolerance: float,
    step: float | None,
    max_step: float | None,
    scheme: Coefficients,
    newton_tolerance: float | None,
    max_iterations: int,
    save_every: int,
    first: float,
) -> None:
    """Run generalized-α with a formulation in joint coordinates, `coordinates`; `first` is the size of the first step
    [s]."""
    system, j, span = run.system, coordinates.joints, run.t_end - run.t_start
    options = Options(
        span=float(span), allowed=float(tolerance), longest=float(max_step or span), closed=CLOSED, project=True,
        save_every=int(save_every), **times_of(run, step),
    )  # fmt: skip
    nq, nv, total = j.links.joints.nq, j.links.joints.nv, system.plan.total
    memory = Memory.zeros()
    memory.aged = memory.again = memory.h_matrix = 1.0
    Fx, Fu, S, P = np.zeros((4, nv, nv))
    newton = NewtonMatrices(
        Fx, Fu, S, np.zeros(nv, dtype=np.int64), P, np.zeros(nv, dtype=np.int64), np.zeros(nq), np.zeros(nv),
        sizes(j, system.length_scale)[1],
        accuracy=float(newton_tolerance or (1e-8 if step else min(1e-8, 1e-2 * tolerance))),
        iterations=int(max_iterations),
    )  # fmt: skip
    alg, alg1, slope, y, ud, b = np.zeros((6, nv))
    recursion = Recursion(
        scheme, alg, alg1, slope, y, ud, b, memory, newton,
        allowed=share(system) * float(tolerance) / span, order=2,
    )  # fmt: skip
    table = np.zeros((1, 1))
    stage = Stage(
        np.zeros(nq), np.zeros(nv), np.zeros(nq), np.zeros(nv), run.q.copy(), np.zeros(total), np.zeros(total),
        np.zeros(system.m), table, table, table, table,
    )  # fmt: skip
    loop = loop_of(run, recursion, coordinates, options, stage)
    loop.state.step = first
    _InJoints(run, advance, loop, save_every).drive()


class _InJoints(LoopDriver):
    """Driver of generalized-α in joint coordinates."""

    in_lanes = IN_LANES

    def first(self) -> FirstStep:
        options = self.loop.options
        return FirstStep() if options.step else first_of(self.run, options.allowed, 2, options.longest)

    passage_error = PASSAGE_ERROR

    def tried(self) -> Iterable[TimedState]:
        return states_ahead(self.run, self.loop.options.step or self.run.step)

    def trouble(self, status: int) -> str:
        """Why the method cannot go on, in words."""
        if self.state.lost >= 0.0:
            return singular_message(self.run.system, self.loop.coordinates, int(self.state.lost), self.run.q)
        return "Newton's method does not converge with any step in joint coordinates"
