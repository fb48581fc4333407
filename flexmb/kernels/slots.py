"""Functions of time in the parameters of a kernel, and slots through which they are commanded from outside.

A function of time is a part of a parameter row. Layout, from index k on:

    kind, length, factor, data …        one term
    SUM, length, term, term, …          a sum of terms

`length` counts all numbers from k on that belong to the function, kind and length included. A slot has one number more,
before the function: the value commanded from outside.
"""

from __future__ import annotations

import math

import numpy as np

from flexmb.kernels.compilation import compiled

#: kinds of terms, and of a sum of them
SUM, POLYNOMIAL, SMOOTH_STEP, TRAPEZOID, HARMONIC, SPLINE, SPIN_UP, PULSE, LINES = range(9)
#: kind, length, factor, the time from which it counts, one coefficient
LENGTH_OF_CONSTANT = 5
_TWO_PI = 2.0 * math.pi


@compiled
def _polynomial(row, first, last, x):
    """Σ row[first + j] x^j with its two rates, by Horner's rule; coefficients at first..last − 1."""
    f = 0.0
    fd = 0.0
    fdd = 0.0
    for k in range(last - 1, first - 1, -1):
        fdd = fdd * x + 2.0 * fd
        fd = fd * x + f
        f = f * x + row[k]
    return f, fd, fdd


@compiled
def interval_in(row, low, high, x):
    """The last index from `low` on and before `high` whose entry in the ascending row[low] … row[high] is not above x;
    `low` if there is none."""
    while high - low > 1:
        middle = (low + high) // 2
        if x < row[middle]:
            high = middle
        else:
            low = middle
    return low


@compiled
def _is_on(row, k, t):
    """Whether a pulse is on: from its rise on, until before its fall. It never falls if its duration is 0, and rises
    only once if its period is 0."""
    if t < row[k]:
        return False
    if row[k + 1] == 0.0:
        return True
    if row[k + 2] == 0.0:
        return t < row[k] + row[k + 1]
    number = math.floor((t - row[k]) / row[k + 2])
    for near in range(int(number) - 1, int(number) + 2):  # the quotient is rounded
        rises = row[k] + abs(near * row[k + 2])  # not fused with the sum, so that kinks are the same to the last bit
        if near >= 0 and rises <= t < rises + row[k + 1]:
            return True
    return False


@compiled
def _on_lines(row, k, t):
    """Linear interpolation in a table: number of points at row[k], their times, their values. A time of the table
    belongs to the line after it."""
    n = int(row[k])
    first = k + 1
    values = k + 1 + n
    if t < row[first]:
        return row[values], 0.0, 0.0
    if t >= row[first + n - 1]:
        return row[values + n - 1], 0.0, 0.0
    low = interval_in(row, first, first + n - 1, t)
    at = values + low - first
    slope = (row[at + 1] - row[at]) / (row[low + 1] - row[low])
    return row[at] + slope * (t - row[low]), slope, 0.0


@compiled
def _one_term(row, k, last, t):
    """Value, rate and second rate of one term without its factor; its data are row[k] to row[last − 1]."""
    kind = int(row[k - 3])
    if kind == POLYNOMIAL:
        return _polynomial(row, k + 1, last, t - row[k])
    if kind == HARMONIC:
        frequency = row[k + 1]
        s = row[k] * math.sin(frequency * t + row[k + 2])
        c = row[k] * math.cos(frequency * t + row[k + 2])
        return row[k + 3] + s, frequency * c, -frequency * frequency * s
    if kind == SPLINE:
        n = int(row[k])
        low = k + 1
        high = k + n
        if t < row[low]:
            return row[k + n + 1], 0.0, 0.0
        if t > row[high]:
            f, _, _ = _polynomial(row, last - 4, last, row[high] - row[high - 1])
            return f, 0.0, 0.0
        low = interval_in(row, low, high, t)
        cubic = k + n + 1 + 4 * (low - k - 1)
        return _polynomial(row, cubic, cubic + 4, t - row[low])
    if kind == PULSE:
        return (row[k + 4] if _is_on(row, k, t) else row[k + 3]), 0.0, 0.0
    if kind == LINES:
        return _on_lines(row, k, t)
    x = t - row[k]
    T = row[k + 1]
    if kind == SMOOTH_STEP:
        step = row[k + 3] - row[k + 2]
        s = x / T
        if s <= 0.0:
            return row[k + 2], 0.0, 0.0
        if s >= 1.0:
            return row[k + 3], 0.0, 0.0
        f = s * s * s * (10.0 + s * (6.0 * s - 15.0))
        fd = 30.0 * s * s * (1.0 - s) * (1.0 - s)
        fdd = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s)
        return row[k + 2] + step * f, step * fd / T, step * fdd / (T * T)
    if x <= 0.0:
        return 0.0, 0.0, 0.0
    if kind == TRAPEZOID:
        top = row[k + 4]
        rest = T + row[k + 2] + row[k + 3] - x
        if x < T:
            return 0.5 * top * x * x / T, top * x / T, top / T
        if rest > row[k + 3]:
            return top * (x - 0.5 * T), top, 0.0
        if rest > 0.0:
            slowing = top / row[k + 3]
            return row[k + 5] - 0.5 * slowing * rest * rest, slowing * rest, -slowing
        return row[k + 5], 0.0, 0.0
    speed = row[k + 2]  # spin-up
    if x >= T:
        return speed * (x - 0.5 * T), speed, 0.0
    turn = _TWO_PI / T
    s = math.sin(0.5 * turn * x)
    return (
        speed / T * (0.5 * x * x - 2.0 * s * s / (turn * turn)),
        speed / T * (x - math.sin(turn * x) / turn),
        speed / T * 2.0 * s * s,
    )


def is_constant(rows: np.ndarray, k: int) -> np.ndarray:
    """Whether the functions whose parameters begin at rows[:, k] are constants: polynomials with one coefficient.

    >>> import flexmb as fm
    >>> rows = [f.parameters()[:5] for f in (fm.Constant(2.0), fm.Polynomial([0.0, 1.0]))]
    >>> is_constant(np.array(rows), 0).tolist()
    [True, False]
    """
    return (rows[:, k] == POLYNOMIAL) & (rows[:, k + 1] == LENGTH_OF_CONSTANT)


@compiled
def time_function(row, k, t):
    """f, ḟ, f̈ at time t of the function whose parameters begin at row[k]."""
    last = k + int(row[k + 1])
    if row[k] == SUM:
        k += 2
    f = 0.0
    fd = 0.0
    fdd = 0.0
    while k < last:
        end = k + int(row[k + 1])
        x, xd, xdd = _one_term(row, k + 3, end, t)
        f += row[k + 2] * x
        fd += row[k + 2] * xd
        fdd += row[k + 2] * xdd
        k = end
    return f, fd, fdd


@compiled
def strength_at(row, k, t):
    """The strength of a component at time t from its slot at row[k]: the value commanded from outside plus its own
    function of time; see :meth:`flexmb.model.functions.time_function.TimeFunction.slot`."""
    return row[k] + time_function(row, k + 1, t)[0]


@compiled
def tabulate(row, times, out):
    """Value, rate and second rate (3, n) at all times (n,)."""
    for i in range(times.size):
        out[0, i], out[1, i], out[2, i] = time_function(row, 0, times[i])
