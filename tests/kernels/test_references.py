"""Named tuples that are passed to compiled code by address, whose types are found once."""

from __future__ import annotations

import copy
import pickle
from typing import NamedTuple

import numpy as np
import pytest

from flexmb.kernels.compilation import allocation_free, called
from flexmb.kernels.references import by_reference, kind_of


@by_reference
class Inner(NamedTuple):
    numbers: np.ndarray


@by_reference
class Outer(NamedTuple):
    inner: Inner
    factor: float


@allocation_free
def total(outer, more):
    found = 0.0
    for i in range(outer.inner.numbers.shape[0]):
        found += outer.factor * outer.inner.numbers[i]
    return found + more


@called(float)
def last(outer, more):
    return outer.inner.numbers[outer.inner.numbers.shape[0] - 1] + more


def test_arrays_of_other_kinds_are_read_as_they_are():
    """Each layout, in turn and again, with arguments of other types too: a type that is remembered for the wrong
    arguments would read other memory."""
    every = np.arange(8.0)
    readonly = every.copy()
    readonly.flags.writeable = False
    kinds = every, every[::2], every[::-1], every[1:], readonly, np.arange(8)
    for numbers in kinds * 3:
        for more in (1, 1.0, np.float64(1.0), True):
            outer = Outer(Inner(numbers), 2.0)
            assert total(outer, more) == 2.0 * numbers.sum() + 1.0
            assert total(outer._replace(factor=3.0), more) == 3.0 * numbers.sum() + 1.0
            assert total(outer, more=more) == 2.0 * numbers.sum() + 1.0
            assert last(outer, more) == numbers[-1] + 1.0


def test_kinds_differ_as_types_do():
    """Tuples with a nested array of another layout are of another kind, and alike ones of the same."""
    every = np.arange(8.0)
    kinds = [kind_of(Outer(Inner(x), 2.0)) for x in (every, every[::2], np.arange(8), every.reshape(2, 4))]
    assert len(set(kinds)) == 4
    assert kind_of(Outer(Inner(every[2:5]), 7.0)) == kinds[0]
    assert kind_of(Outer(Inner(every), 2)) != kinds[0]


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_number_of_a_kind_is_neither_copied_nor_kept(again):
    """It means nothing in another process."""
    outer = Outer(Inner(np.arange(3.0)), 2.0)
    kind_of(outer)
    assert outer.__dict__ and outer.inner.__dict__
    other = again(outer)
    assert type(other) is Outer
    assert not other.__dict__
    assert total(other, 0.0) == 6.0


def test_exceptions_of_compiled_code_and_wrong_calls_are_those_of_any_call():
    """Also where the types are known."""
    outer = Outer(Inner(np.arange(3.0)), 2.0)
    for _ in range(3):
        assert total(outer, 0.0) == 6.0
        with pytest.raises(TypeError, match="argument"):
            total(outer)
