"""Round-off in the corrections of Newton's method and in the estimated error of a step.

A coordinate has the round-off ε |q|, a stiff force therefore an error K ε |q|, and a constraint an error of ε times the
lengths in it, which near a singular position is divided by the smallest singular value σ of G. Corrections do not
become smaller than those that these errors cause. When corrections stop shrinking, the residual is evaluated again with
all coordinates changed by a unit in their last place, and the constraints by theirs. If the correction for the
difference is as large as the last one, the state is as accurate as it can be; if not, the iteration has failed.

**Near a singular position** the round-off of Δq is ε/σ, that of accelerations ε/(σ βh²), and the recursion passes it
on, at first magnified, for some forty steps. A shorter step would have more of it: so an error that is due to round-off
must not shorten the step. The effect of a unit in the last place of the constraints is computed with the factors of
each step that is short enough for it to matter.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.march.newton import ROUNDING_FACTOR, ROUNDING_STEPS
from flexmb.solvers.methods.generalized_alpha.alpha_equations import power_of_correction, right_hand_side
from flexmb.solvers.rows.index_one import last_place, norm
from flexmb.system.linear import solve

#: Half a unit in the last place of the number one.
HALF_UNIT = 1.1e-16
#: Where the error allowed in a step is larger than this, in units of the scales, round-off near singular positions is
#: negligible.
UNSEEN = 1e-9
#: Round-off in Δq counts as that of a singular position if it is more than this many times the smallest of the run.
SINGULAR_AT = 10.0
#: Round-off in Δq appears in the estimated error of this and of the following steps MAGNIFIED times, and falls by the
#: factor FADES from step to step.
MAGNIFIED, FADES = 50.0, 0.9


@inlined
def _last_place_of_row(loop, k):
    """Round-off of a constraint row. Two sign patterns alternate from step to step, since a single one might have no
    component in the direction that σ divides."""
    return HALF_UNIT * (0.5 + last_place(2 * k + loop.counts.steps % 2)) * loop.scales.rows[k]


@called(None)
def measure_rounding(loop, h, t):
    """Measure the corrections, in both norms, that round-off of coordinates and constraints causes, for steps of size
    h."""
    plan, state, trial, work = loop.plan, loop.state, loop.trial, loop.work
    n = plan.n
    right_hand_side(loop, h, t)
    for i in range(plan.size):
        work.x[i] = work.b[i]
    for i in range(n):
        work.aux[i] = trial.q[i]
        trial.q[i] *= 1.0 + 2.3e-16 * last_place(i)
    right_hand_side(loop, h, t)
    for i in range(n):
        trial.q[i] = work.aux[i]
    for i in range(plan.size):
        work.b[i] -= work.x[i]
    for k in range(plan.m):
        if plan.at_speed[k] < 0:
            work.b[n + k] += _last_place_of_row(loop, k)
    for i in range(plan.size):
        work.x[i] = work.b[i]
    solve(plan, loop.linear, work.x)
    state.floor = norm(work.x, loop.scales.coordinates, n)
    state.floor_power = power_of_correction(loop)
    state.floor_step = h
    state.floor_left = ROUNDING_STEPS if state.hidden == 0.0 else 1.0


@inlined
def is_rounding(state, size, power):
    """Whether corrections of this size and power are as small as those that round-off causes."""
    return size <= ROUNDING_FACTOR * state.floor and power <= ROUNDING_FACTOR * state.floor_power


@called(None)
def _as_rounding(loop, x):
    """Scale the combination of position rows in x to the size that random round-off of the rows has along it."""
    plan, rows, n = loop.plan, loop.scales.rows, loop.plan.n
    total = 0.0
    for k in range(plan.m):
        x[n + k] = x[n + k] * rows[k] if plan.at_speed[k] < 0 else 0.0
        total += x[n + k] * x[n + k]
    for k in range(plan.m):
        x[n + k] *= HALF_UNIT * rows[k] / math.sqrt(total) if total > 0.0 else 0.0


@called(float)
def hidden_by_rounding(loop, allowed):
    """Estimated error of a step that round-off may cause near a singular position, if it exceeds `allowed`; 0
    elsewhere."""
    plan, state, x, n = loop.plan, loop.state, loop.work.b, loop.plan.n
    if plan.m == 0 or allowed > UNSEEN:
        return 0.0
    for k in range(plan.m):
        x[n + k] = _last_place_of_row(loop, k)
    for sweep in range(2):  # the multipliers of the first solution give the nearly singular combination of rows
        for i in range(n):
            x[i] = 0.0
        solve(plan, loop.linear, x)
        if sweep == 0:
            _as_rounding(loop, x)
    left = norm(x, loop.scales.coordinates, n)
    if state.least_left == 0.0 or left < state.least_left:
        state.least_left = left
    state.left = max(FADES * state.left, left if left > SINGULAR_AT * state.least_left else 0.0)
    return MAGNIFIED * state.left if MAGNIFIED * state.left > allowed else 0.0
