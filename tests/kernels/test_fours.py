"""Four numbers at a time, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.kernels.compilation import allocation_free
from flexmb.kernels.fours import add_columns, add_row, add_rows, add_two_rows, subtract_columns, wide


@allocation_free
def _one(w, value, x):
    subtract_columns(w, 3, value, (5,), (x[0],))


@allocation_free
def _three(w, value, x):
    subtract_columns(w, 1, value, (0, 9, 4), (x[0], x[1], x[2]))


@allocation_free
def _added(w, value, x):
    add_columns(w, 1, value, (0, 9, 4), (x[0], x[1], x[2]))


@allocation_free
def _rows(rows, x, one, two, all_of_them):
    """To the second row of three arrays: a row, two, and as many as x has."""
    width, flat = rows.shape[1], rows.reshape(rows.size)
    add_row(x[0], flat, width, one, width, width)
    add_two_rows(x[0], x[1], flat, 0, 3 * width, two, width, width)
    add_rows(x, flat, width, all_of_them, width, width)


@pytest.mark.parametrize("kind", [float, complex])
def test_columns_are_subtracted_or_added(kind):
    rng = np.random.default_rng(1)

    def numbers(count):
        return rng.standard_normal(count) + (1j * rng.standard_normal(count) if kind is complex else 0.0)

    w, value, x = numbers(9), numbers(13), numbers(3)
    for change, sign, first, columns in ((_one, -1, 3, (5,)), (_three, -1, 1, (0, 9, 4)), (_added, 1, 1, (0, 9, 4))):
        wanted, got = w.copy(), w.copy()
        for column, factor in zip(columns, x, strict=False):
            for k in range(4):
                wanted[first + k] += sign * value[column + k] * factor
        change(got, value, x)
        np.testing.assert_allclose(got, wanted, rtol=1e-14, atol=1e-14)
        others = np.r_[0:first, first + 4 : 9]
        np.testing.assert_array_equal(got[others], w[others])


@pytest.mark.parametrize("count", [2, 4, 7])
@pytest.mark.parametrize("size", [3, 4, 9])
def test_rows_are_added(count, size):
    rng = np.random.default_rng([count, size])
    width = wide(size)
    assert size <= width < size + 4 and width % 4 == 0
    rows, x = rng.standard_normal((count + 3, width)), rng.standard_normal(count)
    before = rng.standard_normal((3, 3, width))
    after = before.copy()
    _rows(rows, x, *(a.reshape(-1) for a in after))
    wanted = before.copy()
    wanted[0, 1] += x[0] * rows[1]
    wanted[1, 1] += x[0] * rows[0] + x[1] * rows[3]
    wanted[2, 1] += x @ rows[1 : 1 + count]
    np.testing.assert_allclose(after, wanted, rtol=1e-13, atol=1e-13)
