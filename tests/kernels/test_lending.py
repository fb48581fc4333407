"""Named tuples that are lent once for many calls."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from flexmb.kernels.compilation import INTERPRETED, called
from flexmb.kernels.lending import Lent
from flexmb.kernels.references import by_reference
from flexmb.kernels.variables import Variables


class Memory(Variables):
    last: float
    calls: int


@by_reference
class Inner(NamedTuple):
    numbers: np.ndarray
    count: int
    memory: Memory


@by_reference
class Outer(NamedTuple):
    factor: float
    table: np.ndarray
    inner: Inner
    whole: np.ndarray


@called(int)
def work(outer, t):
    """Sums everything that it is lent, and changes an array."""
    total = outer.inner.count
    for i in range(outer.table.shape[0]):
        for j in range(outer.table.shape[1]):
            total += outer.table[i, j] * outer.whole[j]
    outer.inner.memory.calls += 1
    outer.inner.memory.last = t
    for k in range(outer.inner.numbers.shape[0]):
        outer.inner.numbers[k] *= outer.factor * t
    return int(total)


def lent() -> Outer:
    table = np.arange(6.0).reshape(2, 3)
    return Outer(2.0, table, Inner(np.array([1.0, 3.0]), 100, Memory.zeros()), np.array([1, 10, 100]))


def test_fields_of_all_kinds_are_read_where_they_are():
    outer = lent()
    call = Lent(work, outer)
    assert call(1.5) == 100 + (10 + 200) + (3 + 40 + 500)
    assert call(1.0) == 853
    assert outer.inner.numbers.tolist() == [6.0, 18.0]
    assert (outer.inner.memory.calls, outer.inner.memory.last) == (2, 1.0)
    outer.table[:] = 0.0
    assert call(1.0) == 100


@pytest.mark.skipif(INTERPRETED, reason="Python is lent anything")
def test_what_has_no_place_in_memory_is_named():
    with pytest.raises(TypeError, match=r"Outer\.factor is 'two'; give a number, an array, variables or a lent tuple"):
        Lent(work, lent()._replace(factor="two"))
    with pytest.raises(TypeError, match=r"Inner\.count is 1j"):
        Lent(work, lent()._replace(inner=Inner(np.zeros(1), 1j, Memory.zeros())))


@by_reference
class Flagged(NamedTuple):
    """A truth value among numbers."""

    first: float
    flag: bool
    inner: Inner
    last: float


@called(int)
def flagged(given, t):
    """Reads numbers before and behind a truth value, and one within."""
    return int(given.first + (10.0 if given.flag else 20.0) + given.last + given.inner.count + t)


@pytest.mark.skipif(INTERPRETED, reason="Python has no such memory")
def test_numbers_can_be_changed_between_calls_and_truth_values_are_lent():
    inner = lent().inner
    for flag, expected in ((True, 10), (False, 20)):
        call = Lent(flagged, Flagged(1.0, flag, inner, 3.0))
        assert call(0.0) == 104 + expected
        call.number("first").value = 2.0
        assert call(0.0) == 105 + expected
        call.number("last").value = 4.0
        assert call(0.0) == 106 + expected
    call = Lent(work, lent())
    call.number("factor").value = 10.0
    assert call(1.0) == 853 and call.lent.inner.numbers.tolist() == [10.0, 30.0]
