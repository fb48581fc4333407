"""Grids and samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from flexmb.errors import ModelError
from flexmb.studies.parameters import checked_runs, from_key, grid, random_parameters, run_key


def test_a_grid_has_every_combination_once_the_last_axis_fastest():
    runs = grid(a=np.array([1.0, 2.0]), b=range(3), c="steel")
    assert [(r["a"], r["b"], r["c"]) for r in runs] == [(a, b, "steel") for a in (1.0, 2.0) for b in (0, 1, 2)]
    assert {type(r["a"]) for r in runs} == {float} and {type(r["b"]) for r in runs} == {int}


@pytest.mark.parametrize("method", ["random", "latin", "sobol"])
def test_samples_are_reproducible_and_stay_in_their_ranges(method):
    ranges = {"a": (-1.0, 3.0), "b": (1e-3, 1e3, "log"), "c": ["x", "y"], "d": stats.randint(2, 5)}
    runs = random_parameters(64, seed=3, method=method, **ranges)
    assert runs == random_parameters(64, seed=3, method=method, **ranges)
    assert runs != random_parameters(64, seed=4, method=method, **ranges)
    assert all(-1.0 <= r["a"] <= 3.0 and 1e-3 <= r["b"] <= 1e3 for r in runs)
    assert {r["c"] for r in runs} == {"x", "y"}
    assert {r["d"] for r in runs} == {2, 3, 4} and type(runs[0]["d"]) is int


@pytest.mark.parametrize("method", ["latin", "sobol"])
def test_even_samples_have_one_value_in_each_slice_of_every_parameter(method):
    n = 32
    runs = random_parameters(n, method=method, a=(0.0, 1.0), b=(1.0, np.exp(1.0), "log"), c=stats.norm())
    for unit in (
        [r["a"] for r in runs],
        np.log([r["b"] for r in runs]),
        stats.norm().cdf([r["c"] for r in runs]),
    ):
        assert sorted((np.array(unit) * n).astype(int)) == list(range(n))


def test_random_samples_are_those_of_numpy():
    runs = random_parameters(5, seed=7, a=(0.0, 2.0))
    assert [r["a"] for r in runs] == (2.0 * np.random.default_rng(7).random(5)).tolist()


def test_half_of_a_log_uniform_sample_lies_below_the_geometric_mean():
    runs = random_parameters(1000, method="latin", k=(1.0, 1e6, "log"))
    assert sum(r["k"] < 1e3 for r in runs) == 500


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: grid(a=[]), "'a' has no values"),
        (lambda: grid(a=[np.nan]), "'a' is NaN"),
        (lambda: grid(a=[object()]), "a parameter is a number"),
        (lambda: random_parameters(0, a=(0, 1)), "at least 1"),
        (lambda: random_parameters(3), "no parameter"),
        (lambda: random_parameters(3, method="halton", a=(0, 1)), "'latin'"),
        (lambda: random_parameters(3, a=(2.0, 1.0)), "goes from 2 to 1"),
        (lambda: random_parameters(3, a=(0.0, 1.0, "log")), "must be positive"),
        (lambda: random_parameters(3, a="wide"), "give (low, high)"),
        (lambda: checked_runs({"a": [1, 2]}, "study"), "a list of dicts"),
        (lambda: checked_runs([], "study"), "no parameters"),
        (lambda: checked_runs([{"a": 1}, {"b": 1}], "study"), "run 0 and run 1 differ in having 'a', 'b'"),
        (lambda: checked_runs([3], "study"), "parameters of run 0"),
    ],
)
def test_bad_parameters_are_named(call, words):
    with pytest.raises(ModelError) as caught:
        call()
    assert words in str(caught.value)


plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()


@given(st.dictionaries(st.text(), plain | st.tuples(plain, plain)))
def test_a_key_gives_back_the_parameters_exactly(run):
    back = from_key(run_key(run))
    assert repr(sorted(back.items())) == repr(sorted(run.items()))


def test_keys_do_not_depend_on_the_order_of_names_but_on_every_bit():
    assert run_key({"a": 1.0, "b": 2}) == run_key({"b": 2, "a": 1.0})
    assert run_key({"a": 0.3}) != run_key({"a": 0.1 + 0.2})
