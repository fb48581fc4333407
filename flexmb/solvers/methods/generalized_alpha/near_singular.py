"""Steps of generalized-α must not end at a singular position, in which the constraints depend on one another.

Accelerations and multipliers are not determined there, nor is the projection of speeds onto ġ = 0. The method steps
over such a position, since the motion itself is smooth; a step that is cut to end at an event in it would restart the
motion from accelerations that are round-off divided by almost zero.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation import called
from flexmb.kernels.views import vector_view
from flexmb.solvers.methods.generalized_alpha.alpha_state import STANDING_MEMORY
from flexmb.solvers.rows.singular_value import put_any_combination, smallest_singular_value
from flexmb.solvers.statuses import NO_ROOM, OK, SINGULAR
from flexmb.system.evaluation import matrix
from flexmb.system.linear import factorize

#: A position is singular where σ is below this part of its largest value in the run.
SINGULAR_PART = 1e-3
#: Sweeps of inverse iteration, which starts from any combination of rows.
SWEEPS = 3


@called(float)
def _sigma(loop):
    """σ, the smallest singular value of G, from the present factors of eq. (14)."""
    sigma = np.inf
    u = vector_view(loop.work.b, 0, loop.plan.m)
    put_any_combination(u)
    for _ in range(SWEEPS):
        sigma = smallest_singular_value(loop.plan, loop.standing, loop.scales.rows, u, loop.work.x)
    return sigma


@called(None)
def note_sigma(loop):
    """Record σ of a position at which accelerations were computed."""
    if loop.plan.m > 0 and loop.crossings.side.shape[0] > 0:
        loop.state.widest = max(loop.state.widest, _sigma(loop))


@called(int)
def determined(loop, t):
    """Whether accelerations are determined at the end of the step: OK, SINGULAR, or NO_ROOM. The factors of the step
    are overwritten."""
    plan, trial, weights = loop.plan, loop.trial, loop.work.weights
    if plan.m == 0:
        return OK
    loop.state.h_matrix = 1e300
    for k in range(loop.memory.shape[1]):
        loop.memory[STANDING_MEMORY, k] = np.inf
    weights[0], weights[1], weights[2], weights[3] = 1.0 / loop.options.mass, 0.0, 0.0, 0.0
    matrix(plan, loop.scratch, t, trial.q, trial.kept, trial.a, trial.lam, weights, loop.standing.values)
    status = factorize(plan, loop.standing)
    if status == NO_ROOM:
        return NO_ROOM
    return SINGULAR if status != OK or _sigma(loop) < SINGULAR_PART * loop.state.widest else OK
