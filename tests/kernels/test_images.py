"""Copies of named tuples of arrays as they were at one instant."""

from typing import NamedTuple

import numpy as np

from flexmb.kernels.images import Image
from flexmb.kernels.variables import Variables


class Clock(Variables):
    time: float
    steps: int


class Inner(NamedTuple):
    numbers: np.ndarray
    matrix: np.ndarray


class Outer(NamedTuple):
    inner: Inner
    part: np.ndarray
    clock: Clock
    empty: np.ndarray
    size: int


class Parameters(NamedTuple):
    p: np.ndarray


def outer() -> Outer:
    numbers, clock = np.arange(6.0), Clock.zeros()
    clock.time, clock.steps = 0.5, 3
    matrix = np.arange(6).reshape(2, 3).T
    return Outer(Inner(numbers, matrix), numbers[2:4], clock, np.zeros((0, 2)), 7)


def test_copies_are_parts_of_one_another_as_the_arrays_were():
    one = outer()
    image = Image(one)
    one.inner.numbers[:] = one.clock.time = -1.0
    (copy,) = image.copies()
    (other,) = Image(copy).copies()  # of arrays that lie in one piece of memory
    for made in (copy, other):
        made.part[0] = 9.0
        assert made.inner.numbers.tolist() == [0.0, 1.0, 9.0, 3.0, 4.0, 5.0]
        assert made.inner.matrix.tolist() == [[0, 3], [1, 4], [2, 5]] and made.inner.matrix.flags.f_contiguous
        assert (made.clock.time, made.clock.steps, made.size) == (0.5, 3, 7) and isinstance(made.clock, Clock)
        assert made.empty.shape == (0, 2)
        made.clock.steps = 4
    assert image.copies()[0].part[0] == 2.0 and image.copies()[0].clock.steps == 3


def test_arrays_beside_are_shared():
    p = np.arange(4.0)
    image = Image(Inner(p[1:3], np.eye(2)), beside=Parameters(p))
    now = Parameters(np.full(4, 5.0))
    (copy,) = image.copies(now)
    now.p[2] = 8.0
    assert copy.numbers.tolist() == [5.0, 8.0] and copy.matrix.tolist() == [[1.0, 0.0], [0.0, 1.0]]
