"""Kernels of states of first order and of what they command (:mod:`flexmb.feedback.states`).

With the readings y(t, q, v) of k sensors, n states x, which are speeds of coordinates of unit mass, and z = (y, x),

    ẋ − f(t, z) = 0,        r(s + u) − r(s),   u = g(t, z)

are added to the equations of motion: the first to those of the coordinates; the second to those of the coordinates of a
component whose residual is r(s) with the strength s. As a residual is linear in a strength, ∂r/∂s = r(s + 1) − r(s).
Derivatives of y are exact where those of the sensors are; those of f and g are exact where they are linear.

What sensors read of other components, forces, strains, energies, the system finds before
(:mod:`flexmb.system.finding`); it stands in `lam`: W numbers, then their derivatives by the speeds of the instance, row
by row.

Parameters: how many readings, states and commands; address and key of the function that gives f and g, zero where they
are linear; how many numbers the law has; where the slot of the command stands that is added to the first reading, zero
if there is none; which of the commands this is; how many coordinates and speeds, parameters and scratch numbers the
commanded instance has, the place of its strength, its addresses of residual, tangent and energy. Then the law, (B, A;
D, C) row by row; of each sensor the addresses of value and derivatives, its numbers of coordinates, speeds and values,
its bias, how many numbers it reads of those in `lam`, and the address of its derivatives by these (0: one number, by
which it is multiplied: whether its component is on), its values; the slot; the parameters of the commanded instance. An
instance stands on the coordinates of what it commands, of its sensors, of what they read of others, and of the states.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from flexmb.forces.callbacks import DERIVATIVES, FORCE, evaluate_at
from flexmb.kernels.compilation import inlined, kernel
from flexmb.kernels.contract import Kernels, Pattern, run_kernel
from flexmb.kernels.formula import SCRATCH, add_gradient_at, value_at
from flexmb.kernels.slots import strength_at
from flexmb.kernels.views import matrix_view, stack_view, vector_view
from flexmb.kernels.widths import ENERGY_WIDTH
from flexmb.system.whole import WIDTH

(
    READ, STATES, COMMANDS, ADDRESS, KEY, LAW, INPUT, WHICH, PLACES, SPEEDS, NUMBERS, OF_TARGET, STRENGTH, RESIDUAL,
    TANGENT, ENERGY, AT_TARGET, HEAD,
) = range(18)  # fmt: skip
#: what precedes the values of a sensor
VALUE, SLOPES, SENSOR_PLACES, SENSOR_SPEEDS, VALUES, BIAS, READS, BY_READ, SENSOR = range(9)
#: numbers of readings
_COUNTED = np.arange(WIDTH)
#: how many weights derivatives have
WEIGHTS = 3


@inlined
def _sizes(p, i):
    """How many numbers z and (f, g) have."""
    return int(p[i, READ] + p[i, STATES]), int(p[i, STATES] + p[i, COMMANDS])


@inlined
def law_size(inner, outer):
    """How many numbers in `work` z, (f, g) and their derivatives have, with room for others of each."""
    return 2 * inner + outer + outer * inner


@inlined
def read_width(lam, iv):
    """How many numbers in `lam` are read of other components."""
    return lam.shape[1] // (1 + iv.shape[1])


@inlined
def _read(p, i, iq, iv, t, q, v, a, lam, w, end, slopes, work):
    """Put z to the head of `work`; with `slopes` wd ∂y/∂v + wk ∂y/∂q of each sensor by its own speeds from `end` on,
    and behind those of all its derivatives by what it reads of other components. Returns the place among the speeds
    where those of the states begin."""
    at, at_q, at_v = HEAD + int(p[i, LAW]), int(p[i, PLACES]), int(p[i, SPEEDS])
    first, f, begin = at_v, 0, i * lam.shape[1]
    read, width, height = int(p[i, READ]), iv.shape[1], iq.shape[1]
    behind = end + width
    weights = vector_view(work, behind + read_width(lam, iv), WEIGHTS)
    for j in range(read):
        nq, nv, np_ = int(p[i, at + SENSOR_PLACES]), int(p[i, at + SENSOR_SPEEDS]), int(p[i, at + VALUES])
        own = vector_view(p, i * p.shape[1] + at + SENSOR, np_)
        places, speeds = i * height + at_q, i * width + at_v
        reads, by_read, factor, last = int(p[i, at + READS]), int(p[i, at + BY_READ]), 1.0, vector_view(a, 0, len(a))
        if by_read != 0:
            last = vector_view(lam, begin + f, reads)
        elif reads > 0:
            factor = lam[i, f]
        number = value_at(
            int(p[i, at + VALUE]), own, vector_view(iq, places, nq), vector_view(iv, speeds, nv), t, q, v, last
        )
        work[j] = factor * number + p[i, at + BIAS]
        if slopes:
            scratch = vector_view(work, behind + read_width(lam, iv) + WEIGHTS, SCRATCH)
            if nv > 0:
                by = vector_view(work, end + at_v - first, nv)
                by[:] = 0.0
                weights[0], weights[1], weights[2] = 0.0, factor * w[1], factor * w[2]
                add_gradient_at(
                    int(p[i, at + SLOPES]), own, matrix_view(iq, places, 1, nq), matrix_view(iv, speeds, 1, nv), t, q,
                    v, last, weights, by, scratch,
                )  # fmt: skip
            if by_read != 0:
                by = vector_view(work, behind + f, reads)
                by[:] = 0.0
                weights[0], weights[1], weights[2] = 1.0, 0.0, 0.0
                add_gradient_at(
                    by_read, own, matrix_view(iq, places, 1, nq), matrix_view(_COUNTED, 0, 1, reads), t, q, v, last,
                    weights, by, scratch,
                )  # fmt: skip
        at, at_q, at_v, f = at + SENSOR + np_, at_q + nq, at_v + nv, f + reads
    if p[i, INPUT] != 0.0:
        work[0] += strength_at(p[i], int(p[i, INPUT]), t)
    at_v = width - int(p[i, STATES])
    for c in range(int(p[i, STATES])):
        work[read + c] = v[iv[i, at_v + c]]
    return at_v


@inlined
def _decide(p, i, want, t, work):
    """Put f and g, and for DERIVATIVES ∂(f, g)/∂z, behind z into `work`."""
    inner, outer = _sizes(p, i)
    if p[i, ADDRESS] != 0.0:
        evaluate_at(int(p[i, ADDRESS]), int(p[i, KEY]), want, t, 1.0, vector_view(work, 0, len(work)))
        return
    for r in range(outer):
        total = 0.0
        for c in range(inner):
            by = p[i, HEAD + r * inner + c]
            total += by * work[c]
            work[inner + outer + r * inner + c] = by
        work[inner + r] = total


@inlined
def _add_slopes(p, i, iv, row, factor, before, lam, w, end, K, at_row, work):
    """Add `factor` times the derivatives of one of (f, g) by speeds and positions to a row of K."""
    inner, outer = _sizes(p, i)
    at, c, f, width = HEAD + int(p[i, LAW]), int(p[i, SPEEDS]), 0, iv.shape[1]
    first, W = c, read_width(lam, iv)
    slope = inner + outer + row * inner
    for j in range(int(p[i, READ])):
        by = factor * work[slope + j]
        for _ in range(int(p[i, at + SENSOR_SPEEDS])):
            K[i, at_row, c] += by * work[end + c - first]
            c += 1
        for _ in range(int(p[i, at + READS])):
            if p[i, at + BY_READ] != 0.0:
                by_read = by * work[end + width + f]
                for column in range(width) if by_read != 0.0 else range(0):
                    K[i, at_row, column] += by_read * lam[i, W + f * width + column]
            f += 1
        at += SENSOR + int(p[i, at + VALUES])
    for j in range(int(p[i, STATES])):
        K[i, at_row, before + j] += factor * work[slope + int(p[i, READ]) + j] * w[1]


@kernel
def states_residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        inner, outer = _sizes(p, i)
        first = _read(p, i, iq, iv, t, q, v, a, lam, w, law_size(inner, outer), False, work)
        _decide(p, i, FORCE, t, work)
        for c in range(int(p[i, STATES])):
            out[i, first + c] = -work[inner + c]


@kernel
def states_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    if w[1] == 0.0 and w[2] == 0.0:
        return  # the mass matrix alone is wanted
    for i in range(p.shape[0]):
        inner, outer = _sizes(p, i)
        end = law_size(inner, outer)
        first = _read(p, i, iq, iv, t, q, v, a, lam, w, end, True, work)
        _decide(p, i, DERIVATIVES, t, work)
        for c in range(int(p[i, STATES])):
            _add_slopes(p, i, iv, c, -1.0, first, lam, w, end, K, first + c, work)


@inlined
def _target(p, i, more, end, work):
    """Put the row of the commanded instance into `work` from `end` on, its strength raised by `more`; returns where its
    scratch begins."""
    n, at = int(p[i, NUMBERS]), int(p[i, AT_TARGET])
    for k in range(n):
        work[end + k] = p[i, at + k]
    work[end + int(p[i, STRENGTH])] += more
    return end + n


@inlined
def _run_target(role, p, i, iq, iv, t, q, v, a, w, end, room, out, K, work):
    """Call a kernel of the commanded instance, with the row at `end` and its scratch from `room` on."""
    run_kernel(
        int(p[i, role]),
        matrix_view(work, end, 1, int(p[i, NUMBERS])),
        matrix_view(iq, i * iq.shape[1], 1, int(p[i, PLACES])),
        matrix_view(iv, i * iv.shape[1], 1, int(p[i, SPEEDS])),
        t, q, v, a, matrix_view(work, 0, 1, 0), w, out, K, vector_view(work, room, len(work) - room),
    )  # fmt: skip


@inlined
def _difference(role, size, p, i, iq, iv, t, q, v, a, w, first, second, end, work):
    """Put r(s + first) − r(s + second) of a kernel of the commanded instance with `size` numbers into `work` from `end`
    on: residual or energy."""
    other, row = end + size, end + 2 * size
    none = stack_view(work, 0, 0, 0, 0)
    for k in range(2 * size):
        work[end + k] = 0.0
    room = _target(p, i, first, row, work)
    _run_target(role, p, i, iq, iv, t, q, v, a, w, row, room, matrix_view(work, end, 1, size), none, work)
    room = _target(p, i, second, row, work)
    _run_target(role, p, i, iq, iv, t, q, v, a, w, row, room, matrix_view(work, other, 1, size), none, work)
    for k in range(size):
        work[end + k] -= work[other + k]


@inlined
def _command(p, i, iq, iv, t, q, v, a, lam, w, work):
    """u of an instance."""
    inner, outer = _sizes(p, i)
    _read(p, i, iq, iv, t, q, v, a, lam, w, law_size(inner, outer), False, work)
    _decide(p, i, FORCE, t, work)
    return work[inner + int(p[i, STATES] + p[i, WHICH])]


@kernel
def command_residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        inner, outer = _sizes(p, i)
        end, size = law_size(inner, outer), int(p[i, SPEEDS])
        u = _command(p, i, iq, iv, t, q, v, a, lam, w, work)
        _difference(RESIDUAL, size, p, i, iq, iv, t, q, v, a, w, u, 0.0, end, work)
        for k in range(size):
            out[i, k] = work[end + k]


@kernel
def command_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    if w[1] == 0.0 and w[2] == 0.0:
        return  # a strength is no inertia
    for i in range(p.shape[0]):
        inner, outer = _sizes(p, i)
        end, size, row = law_size(inner, outer), int(p[i, SPEEDS]), int(p[i, STATES] + p[i, WHICH])
        first = _read(p, i, iq, iv, t, q, v, a, lam, w, end, True, work)
        _decide(p, i, DERIVATIVES, t, work)
        u, by = work[inner + row], end + iv.shape[1] + read_width(lam, iv) + WEIGHTS
        _difference(RESIDUAL, size, p, i, iq, iv, t, q, v, a, w, 1.0, 0.0, by, work)
        for k in range(size):
            _add_slopes(p, i, iv, row, work[by + k], first, lam, w, end, K, k, work)
        square, none = size * size, matrix_view(work, 0, 0, 1)
        for sign in range(2):
            for k in range(square):
                work[by + k] = 0.0
            room = _target(p, i, (1.0 - sign) * u, by + square, work)
            out_K = stack_view(work, by, 1, size, size)
            _run_target(TANGENT, p, i, iq, iv, t, q, v, a, w, by + square, room, none, out_K, work)
            for k in range(size):
                for c in range(size):
                    K[i, k, c] += (1.0 - 2.0 * sign) * work[by + k * size + c]


@kernel
def command_energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        inner, outer = _sizes(p, i)
        end = law_size(inner, outer)
        if p[i, ENERGY] != 0.0:
            u = _command(p, i, iq, iv, t, q, v, a, lam, w, work)
            _difference(ENERGY, ENERGY_WIDTH, p, i, iq, iv, t, q, v, a, w, u, 0.0, end, work)
            for k in range(ENERGY_WIDTH):
                out[i, k] = work[end + k]


def scratch(inner: int, outer: int, width: int, read: int, of_target: int, speeds: int, numbers: int) -> int:
    """How many scratch numbers an instance needs: with so many numbers in z and in (f, g), `width` speeds, numbers
    `read` of other components, and the scratch of the commanded instance, which has its own `speeds` and `numbers` of
    parameters."""
    law = 2 * inner + outer + outer * inner
    target = 2 * max(speeds, ENERGY_WIDTH) + speeds * speeds + numbers + of_target
    return law + width + read + WEIGHTS + max(SCRATCH, target) + 1


@lru_cache(maxsize=256)
def filling(kernels: Kernels, first: int, last: int, width: int) -> Kernels:
    """A family of kernels with `width` speeds that read other components: of K they fill the rows first to last − 1."""
    K = np.zeros((width, width), dtype=bool)
    K[first:last] = True
    return replace(kernels, pattern=Pattern(K, np.zeros((0, width), dtype=bool)))


#: What states change by.
STATE_RATES: Kernels = Kernels("states of first order", residual=states_residual, tangent=states_tangent)
#: What they command.
COMMAND: Kernels = Kernels(
    "command of states", residual=command_residual, tangent=command_tangent, energy=command_energy
)
