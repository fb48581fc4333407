"""What rounding leaves: of the corrections of Newton's method, and of the error of a step.

A coordinate has a rounding error ε |q|, a stiff force therefore an error K ε |q|, and a constraint one of ε times the
lengths in it, which a position near a singular one divides by its least singular value σ. No correction becomes smaller
than what those errors cause. When corrections stop shrinking, the residual is evaluated once more with all coordinates
off by a unit in their last place, and constraints off by theirs. If the correction for the difference is as large as
those that were made, the state is as good as it can be; if it is not, the iteration has failed.

**Near a singular position** rounding leaves ε/σ in Δq, thus ε/(σ βh²) in accelerations, and the recursion passes that
on, at first magnified, for as long as some forty steps. A shorter step would leave more: an error that rounding has
made must not shorten it. What a unit in the last place of the constraints comes to is found with the factors of each
step that is so short that this may count.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.generalized_alpha.alpha_equations import power_of_correction, right_hand_side
from flexmb.solvers.rows.index_one import last_place, norm
from flexmb.system.linear import solve

#: Corrections that do not shrink are due to rounding if they are smaller than this multiple of the measured effect of
#: rounding. A measurement serves for this many steps of about the same size.
ROUNDING_FACTOR, ROUNDING_STEPS = 4.0, 200.0
#: half a unit in the last place of one
HALF_UNIT = 1.1e-16
#: a step that is allowed a larger error than this does not end so near to a singular position that rounding counts
UNSEEN = 1e-9
#: Rounding that leaves more than so many times the least that it left in the run is that of a singular position.
SINGULAR = 10.0
#: what is left in Δq shows in the error of this and of later steps so many times, and by this part less in each of them
MAGNIFIED, FADES = 50.0, 0.9


@inlined
def _last_place_of_row(loop, k):
    """A rounding error of a constraint; patterns alternate, since a single one may have no part that σ divides."""
    return HALF_UNIT * (0.5 + last_place(2 * k + loop.counts.steps % 2)) * loop.scales.rows[k]


@called(None)
def measure_rounding(loop, h, t):
    """Note in `state` how large the corrections are that rounding errors of coordinates and constraints cause."""
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
def rounding_known(state, h):
    """Whether the effect of rounding was measured lately, for a step of about this size."""
    return state.floor_left > 0.0 and abs(h / state.floor_step - 1.0) < 0.5


@inlined
def is_rounding(state, size, power):
    """Whether corrections of this size and power are as small as those that rounding causes."""
    return size <= ROUNDING_FACTOR * state.floor and power <= ROUNDING_FACTOR * state.floor_power


@called(None)
def _as_rounding(loop, x):
    """Make a combination of position rows in x as large as rounding errors that look like chance are along it."""
    plan, rows, n = loop.plan, loop.scales.rows, loop.plan.n
    total = 0.0
    for k in range(plan.m):
        x[n + k] = x[n + k] * rows[k] if plan.at_speed[k] < 0 else 0.0
        total += x[n + k] * x[n + k]
    for k in range(plan.m):
        x[n + k] *= HALF_UNIT * rows[k] / math.sqrt(total) if total > 0.0 else 0.0


@called(float)
def hidden_by_rounding(loop, allowed):
    """The error of a step that rounding may have made near a singular position, if that is more than is `allowed`;
    0 elsewhere."""
    plan, state, x, n = loop.plan, loop.state, loop.work.b, loop.plan.n
    if plan.m == 0 or allowed > UNSEEN:
        return 0.0
    for k in range(plan.m):
        x[n + k] = _last_place_of_row(loop, k)
    for sweep in range(2):  # the multipliers of the first solution are the combination of rows that is nearly singular
        for i in range(n):
            x[i] = 0.0
        solve(plan, loop.linear, x)
        if sweep == 0:
            _as_rounding(loop, x)
    left = norm(x, loop.scales.coordinates, n)
    if state.least_left == 0.0 or left < state.least_left:
        state.least_left = left
    state.left = max(FADES * state.left, left if left > SINGULAR * state.least_left else 0.0)
    return MAGNIFIED * state.left if MAGNIFIED * state.left > allowed else 0.0
