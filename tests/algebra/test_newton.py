"""Newton's method on equations whose solutions are known."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.algebra.newton import NO_DESCENT, NOT_FINITE, SINGULAR, TOO_MANY, Contraction, contracting, damped


class Curve:
    """One equation f(x) = 0, with its derivative; counts its factorizations."""

    def __init__(self, f, slope):
        self.f, self.slope, self.made = f, slope, 0

    def residual(self, x):
        return self.f(x)

    def factorize(self, x):
        self.made += 1
        self.now = self.slope(x)
        return bool(self.now[0] != 0.0)

    def solve(self, b):
        return b / self.now

    def size(self, change):
        return float(np.abs(change).max())


ARC = Curve(np.arctan, lambda x: 1.0 / (1.0 + x * x))
START = np.array([3.0])


def test_a_damped_iteration_arrives_where_the_plain_one_flies_away():
    x = START
    for _ in range(5):
        x = x - np.arctan(x) * (1.0 + x * x)
    assert abs(x[0]) > 1e3
    ended = damped(ARC, START, 1e-12, largest=0.5, most=60)
    assert ended.failure == 0 and abs(ended.x[0]) < 1e-14
    # no step may be longer than allowed: it takes six at least to go from 3 to 0
    assert 6 < ended.iterations < 30 and START[0] == 3.0


def test_the_matrix_is_kept_near_the_solution():
    cube = Curve(lambda x: x**3 - 8.0, lambda x: 3.0 * x * x)
    ended = damped(cube, np.array([2.01]), 1e-14, largest=1.0, most=60)
    assert ended.x[0] == pytest.approx(2.0, abs=1e-14)
    assert ended.factorizations == cube.made < ended.iterations


def test_corrections_may_grow_for_a_while():
    """Across a stiff valley: with x₂ = x₁² the first step makes F ten thousand times as large."""

    class Valley:
        def residual(self, x):
            return np.array([1.0 - x[0], 1e4 * (x[1] - x[0] ** 2)])

        def factorize(self, x):
            self.J = np.array([[-1.0, 0.0], [-2e4 * x[0], 1e4]])
            return True

        def solve(self, b):
            return np.linalg.solve(self.J, b)

        def size(self, change):
            return float(np.abs(change).max())

    ended = damped(Valley(), np.array([-1.2, 1.44]), 1e-12, largest=np.inf, most=10)
    assert ended.failure == 0 and ended.x.tolist() == pytest.approx([1.0, 1.0], abs=1e-14)


@pytest.mark.parametrize(
    ("curve", "start", "failure"),
    [
        (Curve(np.sqrt, lambda x: 0.5 / np.sqrt(x)), 1.0, NOT_FINITE),
        (Curve(lambda x: x * x + 1.0, lambda x: 2.0 * x), 0.0, SINGULAR),
        (Curve(lambda x: np.exp(-x), lambda x: -np.exp(-x)), 0.0, NO_DESCENT),
        (Curve(lambda x: x, lambda x: 2.0 + 0.0 * x), 1e9, TOO_MANY),
    ],
    ids=["not finite", "singular", "no descent", "too many"],
)
def test_why_there_is_no_solution(curve, start, failure):
    with np.errstate(invalid="ignore"):
        assert damped(curve, np.array([start]), 1e-12, largest=2.0, most=200).failure == failure


def test_a_step_that_never_comes_nearer_is_taken_by_half():
    """Towards the root of ∛x whole steps go to and fro, each twice as far as the last; half of one comes nearer."""
    kink = Curve(np.cbrt, lambda x: np.cbrt(x) / (3.0 * x))
    ended = damped(kink, np.array([0.5]), 1e-10, largest=10.0, most=200)
    assert ended.failure == 0 and abs(ended.x[0]) < 1e-6


def rule(**changed):
    return Contraction(
        **{"tolerance": 1e-14, "rounded": 1e-10, "stalled": 0.1, "largest": 0.5, "factor": 0.25} | changed
    )


def root(x):
    """The correction towards √2."""
    return -(x * x - 2.0) / (2.0 * x)


def length(change):
    return float(np.abs(change).max())


def test_a_contracting_iteration_says_how_far_it_had_to_go():
    x, first, count = contracting(root, np.array([1.5]), length, rule())
    assert x[0] == pytest.approx(np.sqrt(2.0), abs=1e-15)
    assert first == pytest.approx(0.25 / 3.0) and count == 5
    # what the last correction would have been is known from the two before
    assert contracting(root, np.array([1.5]), length, rule(enough=1e-15))[2] == 4


@pytest.mark.parametrize("start", [0.5, -1.5e-3, 40.0])
def test_what_begins_far_away_is_refused(start):
    x, first, count = contracting(root, np.array([start]), length, rule())
    assert x is None and count == 1 and first == pytest.approx(abs(start * start - 2.0) / (2.0 * abs(start)))


def test_what_does_not_contract_or_is_singular_is_refused():
    slow, _, count = contracting(lambda x: -0.3 * x, np.array([1.0]), length, rule())
    assert slow is None and count == 2
    assert contracting(lambda x: None, np.array([1.0]), length, rule()) == (None, 0.5, 1)
    none, _, count = contracting(lambda x: -0.8 * x, np.array([0.1]), length, rule(most=3))
    assert none is None and count == 3
