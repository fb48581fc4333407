"""Signatures of operators that are remembered, and indices that do not wrap around."""

from __future__ import annotations

import operator

import numba
import numpy as np
import pytest
from numba import types
from numba.extending import overload

from flexmb.kernels import compilation
from flexmb.kernels.hooks import typed_operators

pytestmark = pytest.mark.skipif(compilation.INTERPRETED, reason="nothing is compiled")


def last(x, k):
    return x[-1], x[k]


@pytest.mark.skipif(numba.config.BOUNDSCHECK, reason="then it is an error")
def test_only_a_constant_counts_from_the_end_in_functions_of_flexmb():
    x = np.arange(5.0)[2:]
    ours = compilation.compiled(type(last)(last.__code__, {"__name__": "flexmb.made"}, "last"))
    assert ours(x, 1) == (4.0, 3.0)
    assert ours(x, -1) == (4.0, 1.0)  # the number before the beginning of x, which a caller must not ask for
    of_users = compilation.compiled(last)
    assert of_users(x, -1) == (4.0, 4.0)
    assert numba.njit(last)(x, -1) == (4.0, 4.0)


@pytest.mark.skipif(not numba.config.BOUNDSCHECK, reason="indices are not checked")
def test_with_checks_of_indices_any_other_negative_one_is_an_error():
    ours = compilation.compiled(type(last)(last.__code__, {"__name__": "flexmb.made"}, "last"))
    assert ours(np.arange(3.0), 1) == (2.0, 1.0)
    with pytest.raises(IndexError):
        ours(np.arange(3.0), -1)


def test_operators_that_are_registered_later_are_known():
    def shifted(x, k):
        return x << k

    assert numba.njit(shifted)(3, 1) == 6
    assert any(of.typing_key is operator.lshift for of, *_ in typed_operators._signatures)
    with pytest.raises(numba.TypingError):
        numba.njit(shifted)((1.0, 2.0), 1)

    @overload(operator.lshift)
    def _of_pairs(x, k):
        return (lambda x, k: (x[0] * 2.0**k, x[1] * 2.0**k)) if isinstance(x, types.UniTuple) else None

    assert numba.njit(shifted)((1.0, 2.0), 1) == (2.0, 4.0)
    assert numba.njit(shifted)(3, 1) == 6


@overload(operator.rshift)
def _quotient(x, y):
    return (lambda x, y: x[0] / y[0]) if isinstance(x, types.UniTuple) else None


@pytest.mark.parametrize("users_first", [True, False])
def test_a_call_gets_what_was_compiled_with_the_options_of_its_caller(users_first):
    """Division by zero is an error in a user's function, and infinity in a kernel, whichever is compiled first."""

    def quotient(x, y):
        return x >> y

    x, y = (1.0, 2.0, 3.0)[: 2 + users_first], (0.0, 1.0)  # other types, so that each case compiles anew
    of_user = numba.njit(error_model="python")(quotient)
    ours = compilation.compiled(quotient)
    if users_first:
        with pytest.raises(ZeroDivisionError):
            of_user(x, y)
    assert ours(x, y) == np.inf
    with pytest.raises(ZeroDivisionError):
        of_user(x, y)
