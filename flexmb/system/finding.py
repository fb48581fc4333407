"""What a kernel reads of other components, found for it before it runs, with the derivatives.

A state of first order may read the force of a spring, a strain of a beam, the momentum of the whole. Its kernel sees
coordinates alone; so the kernels of those components run first, with the parameters that they have then, and it gets
what they say in the place of multipliers: W numbers f, and behind these, row by row, wd ∂f/∂v + wk ∂f/∂q by its own
speeds. The derivatives of forces are those of the tangents. Those of points, sections and energies, which have none,
are central differences of fourth order over the coordinates of one instance; of speeds these are polynomials of the
second degree, for which the differences are exact.
"""

from __future__ import annotations

import math

from flexmb.algebra.differences import OFFSETS, WEIGHTS
from flexmb.kernels.compilation import called
from flexmb.kernels.rotations import product
from flexmb.kernels.slots import strength_at
from flexmb.kernels.views import vector_view
from flexmb.system.plan import COLUMNS, FOUND, HEAD, NUMBERS, NV, READS, SIZE, VALUES
from flexmb.system.runs import COUNT, RUN, SLOPES, SPEEDS, SPEEDS_AT, VALUE, call_run
from flexmb.system.whole import ROOM, WIDTH, whole_now, whole_slopes

#: of each thing that a kernel reads: its kind; how many integers and values it has, and how many numbers it gives
KIND, INTEGERS, OWN_VALUES, GIVES, READ = range(5)
#: kinds: sums of what kernels say; the mechanism as a whole
SUMS, AS_WHOLE = 0, 1
#: of each run in a sum, behind the run: how many numbers its kernel fills; where among the values the place along a
#: beam stands that it takes, and how long that is; the parameter that is the strength of heat, −1 for none; the sign;
#: how many pairs of numbers follow, of f and of what the kernel fills; behind these how many runs act on the last
#: coordinate of a row, and each of these with the place of that coordinate in it
FILLS, PLACE_AT, PLACE, STRENGTH, SIGN, PAIRS, BEHIND = range(6 + 1)
#: steps of the differences in units of the coordinates' sizes
STEP = 2e-4


@called(int)
def find(plan, scratch, group, slopes, t, q, v, a, w):
    """Fill the buffer, scratch.lam, with what the kernel of a group reads, and with the derivatives if `slopes`;
    returns how many numbers these are."""
    numbers, buffer, at = plan.numbers, scratch.lam, plan.groups[group, FOUND]
    nv, W = plan.groups[group, NV], numbers[at + NUMBERS]
    whole = W * (1 + nv)
    for k in range(whole if slopes else W):
        buffer[k] = 0.0
    columns, values, f, own = at + numbers[at + COLUMNS], numbers[at + VALUES], 0, at + HEAD
    room = vector_view(buffer, whole, numbers[at + SIZE] - whole)
    for _ in range(numbers[at + READS]):
        if numbers[own + KIND] == AS_WHOLE:
            _whole(plan, scratch, own + READ, values, columns, f, W, nv, slopes, t, q, v, a, w, room)
        else:
            _sum(plan, scratch, own + READ, values, columns, f, W, nv, slopes, t, q, v, a, w, room)
        f += numbers[own + GIVES]
        values += numbers[own + OWN_VALUES]
        own += READ + numbers[own + INTEGERS]
    return whole


@called(None)
def _whole(plan, scratch, at, values, columns, f, W, nv, slopes, t, q, v, a, w, room):
    """Integers from `at` on: what is asked for, and the table of the whole; values: what of it is known."""
    n, numbers, asked = plan.total, plan.numbers, plan.numbers[at]
    found = vector_view(scratch.lam, f, WIDTH)
    whole_now(plan, scratch, numbers, at + 1, asked, plan.p, values, t, q, v, a, vector_view(room, 0, ROOM * n), found)
    if slopes:
        weights = vector_view(room, ROOM * n, 3)
        weights[0], weights[1], weights[2] = 0.0, w[1], w[2]
        more = vector_view(room, ROOM * n + 3, 6 * nv)
        whole_slopes(
            plan, scratch, numbers, at + 1, asked, plan.p, values, t, q, v, a, weights, numbers, columns, nv, room,
            more, vector_view(scratch.lam, W + f * nv, WIDTH * nv),
        )  # fmt: skip


@called(None)
def _sum(plan, scratch, at, values, columns, f, W, nv, slopes, t, q, v, a, w, room):
    """Integers from `at` on: what the first number is before anything is added; how many runs there are, and these;
    values: places along beams, then the sizes of all coordinates, by the numbers of their speeds."""
    numbers, buffer = plan.numbers, scratch.lam
    none = vector_view(buffer, 0, 0)
    buffer[f] += numbers[at]
    own = at + 2
    for _ in range(numbers[at + 1]):
        more = own + RUN
        fills, pairs = numbers[more + FILLS], more + BEHIND
        factor = 1.0 * numbers[more + SIGN]
        if numbers[more + STRENGTH] >= 0:
            factor *= strength_at(plan.p, numbers[more + STRENGTH], t)
        size, behind = numbers[more + PLACE], pairs + 2 * numbers[more + PAIRS]
        if numbers[behind] > 0:
            _through_row(plan, scratch, own, behind, factor, columns, f, W, nv, slopes, t, q, v, a, w, room)
            own = behind + 1 + numbers[behind] * (RUN + 1)
            continue
        place = vector_view(plan.p, values + numbers[more + PLACE_AT], size) if size > 0 else scratch.still
        for i in range(numbers[own + COUNT]):
            call_run(plan, scratch, numbers, own, VALUE, i, i + 1, fills, 0, t, q, v, a, none, place)
            for k in range(numbers[more + PAIRS]):
                buffer[f + numbers[pairs + 2 * k]] += factor * scratch.out[numbers[pairs + 2 * k + 1]]
            if slopes and numbers[own + SLOPES] != 0:
                _add_tangent(plan, scratch, own, i, factor, columns, f, W, nv, t, q, v, a, w, room)
            elif slopes:
                sizes = numbers[at - READ + OWN_VALUES] - plan.total + values
                _add_differences(plan, scratch, own, i, factor, place, sizes, columns, f, W, nv, t, q, v, a, w, room)
        own = behind + 1


@called(None)
def _through_row(plan, scratch, own, behind, factor, columns, f, W, nv, slopes, t, q, v, a, w, room):
    """Add the force Gᵀ λ of a row whose last coordinate has no inertia: with r, what acts on that coordinate, its own
    equation is  r + G_s λ = 0."""
    numbers, buffer, more, n = plan.numbers, scratch.lam, own + RUN, plan.numbers[own + SPEEDS]
    none, force = vector_view(buffer, 0, 0), 0.0
    for k in range(numbers[behind]):
        other = behind + 1 + k * (RUN + 1)
        call_run(
            plan, scratch, numbers, other, VALUE, 0, 1, numbers[other + SPEEDS], 0, t, q, v, a, none, scratch.still
        )
        force += scratch.out[numbers[other + RUN]]
    G, lam, weights = vector_view(room, 0, n), vector_view(room, n, 1), vector_view(room, n + 1, 3)
    lam[0], weights[0], weights[1], weights[2] = 0.0, 0.0, w[1], w[2]
    call_run(plan, scratch, numbers, own, VALUE, 0, 1, n, n, t, q, v, a, lam, scratch.still)
    for j in range(n):
        G[j] = scratch.out[j]
    lam[0] = -force / G[n - 1]
    count, pairs = numbers[more + PAIRS], more + BEHIND
    for k in range(count):
        buffer[f + numbers[pairs + 2 * k]] += factor * lam[0] * G[numbers[pairs + 2 * k + 1]]
    if not slopes:
        return
    call_run(plan, scratch, numbers, own, VALUE, 0, 1, n, n, t, q, v, a, lam, weights)
    for c in range(n):
        column = numbers[columns + numbers[numbers[own + SPEEDS_AT] + c]]
        for k in range(count) if column >= 0 else range(0):
            row, filled = numbers[pairs + 2 * k], numbers[pairs + 2 * k + 1]
            buffer[W + (f + row) * nv + column] += factor * scratch.K[filled * n + c]
    for k in range(numbers[behind]):
        other = behind + 1 + k * (RUN + 1)
        size, at = numbers[other + SPEEDS], numbers[other + RUN]
        call_run(plan, scratch, numbers, other, SLOPES, 0, 1, 0, size, t, q, v, a, none, weights)
        for c in range(size):
            column = numbers[columns + numbers[numbers[other + SPEEDS_AT] + c]]
            by = -factor * scratch.K[at * size + c] / G[n - 1]
            for j in range(count) if column >= 0 else range(0):
                row, filled = numbers[pairs + 2 * j], numbers[pairs + 2 * j + 1]
                buffer[W + (f + row) * nv + column] += by * G[filled]


@called(None)
def _add_tangent(plan, scratch, own, i, factor, columns, f, W, nv, t, q, v, a, w, room):
    """Add the derivatives of the residual of instance i of a run."""
    numbers, buffer, more, n = plan.numbers, scratch.lam, own + RUN, plan.numbers[own + SPEEDS]
    weights = vector_view(room, 0, 3)
    weights[0], weights[1], weights[2] = 0.0, w[1], w[2]
    call_run(plan, scratch, numbers, own, SLOPES, i, i + 1, 0, n, t, q, v, a, vector_view(buffer, 0, 0), weights)
    for c in range(n):
        column = numbers[columns + numbers[numbers[own + SPEEDS_AT] + i * n + c]]
        for k in range(numbers[more + PAIRS]) if column >= 0 else range(0):
            row, filled = numbers[more + BEHIND + 2 * k], numbers[more + BEHIND + 2 * k + 1]
            buffer[W + (f + row) * nv + column] += factor * scratch.K[filled * n + c]


@called(None)
def _move(plan, number, step, q, moved):
    """moved = q with the coordinate of a speed with this number changed by a step along q ∘ exp y."""
    for k in range(plan.total_q):
        moved[k] = q[k]
    for k in range(plan.orientations.shape[0]):
        first, scalar = plan.orientations[k, 0], plan.orientations[k, 1]
        if 0 <= number - first < 3:
            c, s, axis = math.cos(0.5 * step), math.sin(0.5 * step), number - first
            e = (c, s if axis == 0 else 0.0, s if axis == 1 else 0.0, s if axis == 2 else 0.0)
            turned = product((q[scalar], q[first], q[first + 1], q[first + 2]), e)
            moved[scalar], moved[first], moved[first + 1], moved[first + 2] = turned
            return
    moved[number] += step


@called(None)
def _add_differences(plan, scratch, own, i, factor, place, sizes, columns, f, W, nv, t, q, v, a, w, room):
    """Add the derivatives of what the kernel of instance i of a run fills, by differences."""
    numbers, buffer, more, n = plan.numbers, scratch.lam, own + RUN, plan.numbers[own + SPEEDS]
    moved, none, fills = vector_view(room, 0, plan.total_q), vector_view(buffer, 0, 0), numbers[more + FILLS]
    for c in range(n):
        number = numbers[numbers[own + SPEEDS_AT] + i * n + c]
        column = numbers[columns + number]
        if column < 0:
            continue
        for of_speed in range(2):
            step = plan.p[sizes + number] * (1.0 if of_speed == 1 else STEP)
            weight = (w[1] if of_speed == 1 else w[2]) / (12.0 * step)
            for j in range(4) if weight != 0.0 else range(0):
                if of_speed == 1:
                    for k in range(plan.total):
                        moved[k] = v[k]
                    moved[number] += OFFSETS[j] * step
                    call_run(plan, scratch, numbers, own, VALUE, i, i + 1, fills, 0, t, q, moved, a, none, place)
                else:
                    _move(plan, number, OFFSETS[j] * step, q, moved)
                    call_run(plan, scratch, numbers, own, VALUE, i, i + 1, fills, 0, t, moved, v, a, none, place)
                for k in range(numbers[more + PAIRS]):
                    row, filled = numbers[more + BEHIND + 2 * k], numbers[more + BEHIND + 2 * k + 1]
                    buffer[W + (f + row) * nv + column] += factor * weight * WEIGHTS[j] * scratch.out[filled]
