"""One-sided conditions with a symmetric matrix: all of them hold, whatever the rank."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flexmb.solvers.events.impacts.one_sided import one_sided


@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(1, 6))
def test_all_conditions_hold(seed, k, rank):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(k, rank))
    D, b = root @ root.T, root @ rng.normal(size=rank)
    x = one_sided(D, b).x
    slack, size = D @ x + b, np.max(np.abs(b))
    assert x.min() >= 0.0 and slack.min() >= -1e-8 * size
    assert abs(x @ slack) <= 1e-8 * size * max(1.0, x.max())


def test_a_load_is_shared_where_it_may_be_shared():
    found = one_sided(np.ones((4, 4)), np.full(4, -8.0))
    assert found.x == pytest.approx(np.full(4, 2.0)) and not found.unique
    assert one_sided(np.eye(2), np.array([-1.0, 3.0])).x.tolist() == [1.0, 0.0]
    assert one_sided(np.eye(2), np.array([1.0, 3.0])).x.tolist() == [0.0, 0.0]
