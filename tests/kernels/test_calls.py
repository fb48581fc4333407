"""Functions that compiled code calls by their address, and named tuples that it is lent by theirs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

import flexmb as fm
from flexmb.examples.four_bar import build
from flexmb.kernels.calls import Called
from flexmb.kernels.compilation import INTERPRETED, allocation_free, called, inlined
from flexmb.kernels.references import by_reference

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")


@by_reference
class Inner(NamedTuple):
    x: np.ndarray
    n: int


@by_reference
class Outer(NamedTuple):
    inner: Inner
    y: np.ndarray
    factor: float
    back: bool


@called(float)
def add_up(outer, from_):
    total = 0.0
    for i in range(from_, outer.inner.n):
        outer.y[i] += outer.factor * outer.inner.x[i]
        total += outer.y[i]
    return total


@called((int, float, bool))
def all_of(outer):
    return outer.inner.n, add_up(outer, 1), outer.back


@called(None)
def wrong(outer):
    outer.nowhere[0] = 1.0


@allocation_free
def run(outer, harm):
    total = add_up(outer, 0)
    n, rest, back = all_of(outer)
    if harm:
        wrong(outer)
    return total, n, rest, back


def lent(back=True):
    return Outer(Inner(np.array([1.0, 2.0, 4.0]), 3), np.array([0.5, 0.5, 0.5]), 2.0, back)


def test_what_is_called_and_lent_is_what_python_does():
    outer = lent()
    assert run(outer, False) == (1.5 + 14.0, 3, 1.0 + 24.0, True)
    np.testing.assert_array_equal(outer.y, [2.5, 8.5, 16.5])
    assert run(lent(back=False), False)[3] is False


def test_many_callers_share_one_function_and_none_is_compiled_before_it_is_reached():
    run(lent(), False)
    assert len(add_up.overloads) == len(all_of.overloads) == 1
    assert not wrong.overloads


def test_what_goes_wrong_when_a_function_is_reached_is_raised():
    with pytest.raises(TypingError, match="nowhere"):
        run(lent(), True)
    assert run(lent(), False)[1] == 3


def test_python_calls_the_same_code():
    outer = lent()
    assert add_up(outer, 0) == 15.5
    assert add_up(outer, True) == 13.0 + 12.0  # another type of argument is another function
    assert len(add_up.overloads) == 2


def test_parts_of_the_loop_are_compiled_for_one_signature_each():
    from flexmb.algebra import dense_lu
    from flexmb.solvers import index_one
    from flexmb.solvers.generalized_alpha import loop, newton, pieces, times
    from flexmb.system import accelerations, evaluation, linear

    fm.simulate(build(), 0.1, progress=False)
    fm.simulate(build(), 0.1, step=1e-2, progress=False)
    parts = [x for room in (loop, newton, pieces, times, index_one, accelerations, evaluation, linear, dense_lu)
             for x in vars(room).values() if isinstance(x, Called)]  # fmt: skip
    assert len(parts) > 30
    # what solves linear equations has one more for complex numbers, of which the stages of Radau IIA make use
    real = [[types for types in part.overloads if "complex" not in str(types)] for part in parts]
    assert max(map(len, real)) == 1


@inlined
def square(x):
    return x * x


@inlined
def fourth_power(x):
    return square(square(x))


def test_python_runs_as_python_what_only_compiled_code_contains():
    assert fourth_power(3) == 81
    assert not fourth_power.overloads
