"""Four numbers at a time, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.kernels.compilation import allocation_free
from flexmb.kernels.fours import subtract_columns


@allocation_free
def _one(w, value, x):
    subtract_columns(w, 3, value, (5,), (x[0],))


@allocation_free
def _three(w, value, x):
    subtract_columns(w, 1, value, (0, 9, 4), (x[0], x[1], x[2]))


@pytest.mark.parametrize("kind", [float, complex])
def test_columns_are_subtracted(kind):
    rng = np.random.default_rng(1)

    def numbers(count):
        return rng.standard_normal(count) + (1j * rng.standard_normal(count) if kind is complex else 0.0)

    w, value, x = numbers(9), numbers(13), numbers(3)
    for subtract, first, columns in ((_one, 3, (5,)), (_three, 1, (0, 9, 4))):
        wanted, got = w.copy(), w.copy()
        for column, factor in zip(columns, x, strict=False):
            for k in range(4):
                wanted[first + k] -= value[column + k] * factor
        subtract(got, value, x)
        np.testing.assert_allclose(got, wanted, rtol=1e-14, atol=1e-14)
        others = np.r_[0:first, first + 4 : 9]
        np.testing.assert_array_equal(got[others], w[others])
