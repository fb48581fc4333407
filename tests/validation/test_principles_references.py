"""Principles of mechanics by SymPy: the four propositions of Likins (1974) on small mechanisms; more are in the case
`principles`."""

from __future__ import annotations

import builtins

import numpy as np
import pytest

from flexmb.errors import MissingExtraError
from flexmb.validation.principles import compute, state
from flexmb.validation.references import principles
from flexmb.validation.references.principles import Particles, apart, product

sp = pytest.importorskip("sympy")
THIRTY = 1e-25


def test_1_each_body_by_newton_and_euler_is_lagrange_in_its_displacements():
    """Two bodies of two particles on a massless structure; q: x, y and angle of each."""
    one, inertia = Particles(6), sp.Rational(3, 7)
    for k in (0, 3):
        along = sp.Matrix([sp.cos(one.q[k + 2]), sp.sin(one.q[k + 2]), 0])
        for sign in (1, -1):
            place = sp.Matrix([one.q[k], one.q[k + 1], 0]) + sign * sp.sqrt(inertia / (k + 2)) * along
            one.add(sp.Rational(k + 2, 2), place, [0, 0, 0])
    stretch, turn = one.q[3] - one.q[0] + one.q[1] * one.q[4], one.q[5] - one.q[2]
    one.potential = 2 * stretch**2 + 3 * turn**2 + stretch * turn
    given = state(6)
    masses = sp.diag(2, 2, inertia, 5, 5, inertia)
    structure = sp.Matrix([one.potential]).jacobian(one.q).T
    newton_euler = one.numbers(masses * one.second + structure, *given)
    for rows in (one.lagrange(), one.dalembert()):
        assert apart(one.numbers(rows, *given), newton_euler) < THIRTY


@pytest.mark.parametrize("hinged", [False, True])
def test_2_and_3_the_moment_about_the_mass_center_is_kane_with_the_angular_velocity(hinged):
    """Of an elastic body, and of one on a rigid body: the first three rows are F = m a and M = Ḣ."""
    one, Y, W = principles.elastic_body(hinged)
    given = state(len(one.q))
    whole = one.numbers(principles.about_center(one), *given)
    assert apart(one.numbers(one.kane(W), *given)[:3], whole) < THIRTY
    if not hinged:
        assert apart(one.numbers(one.boltzmann_hamel(Y, W), *given)[:3], whole) < THIRTY
        assert apart(one.numbers(W * Y, *given), np.eye(4)) < THIRTY


def test_4_all_principles_have_the_same_rows():
    """Of a rigid body, with independent coordinates."""
    one, Y, W, arms = principles.rigid_body()
    given = state(3)
    lagrange, into = one.numbers(one.lagrange(), *given), one.numbers(W, *given)
    assert apart(one.numbers(one.dalembert(), *given), lagrange) < THIRTY
    assert apart(one.numbers(one.hamilton(), *given), lagrange) < THIRTY
    quasi = one.numbers(principles.newton_euler(one, arms), *given)
    assert apart(product(into, lagrange), quasi) < THIRTY
    for rows in (one.kane(W), one.boltzmann_hamel(Y, W), one.gibbs_appell(W)):
        assert apart(one.numbers(rows, *given), quasi) < THIRTY


def test_4_constraints_by_elimination_and_by_multipliers():
    """A point on a skate: ẋ sin θ = ẏ cos θ; ② is ⑤ where λ has no part."""
    one = Particles(3)
    x, y, theta = one.q
    for k in range(2):
        one.add(sp.Integer(k + 1), [x + k * sp.cos(theta), y + k * sp.sin(theta), 0], [1, k, 0])
    one.A = sp.Matrix([[sp.sin(theta), -sp.cos(theta), 0]])
    given = state(3)
    free = one.numbers(one.free_rates([1]), *given)
    assert apart(one.numbers(one.A, *given) @ free, np.zeros((1, 2))) < THIRTY
    constrained = one.numbers(one.dalembert_constrained([1]), *given)
    for rows in (one.lagrange(), one.hamilton()):
        assert apart(constrained, product(free, one.numbers(rows, *given))) < THIRTY


def test_closed_form_frequencies():
    assert principles.frequencies() == pytest.approx((6.3829787234, 20.282542886), rel=1e-10)


def test_without_sympy_it_says_what_to_install(monkeypatch):
    whole = builtins.__import__

    def without(name, *given, **named):
        if name == "sympy":
            raise ImportError(name)
        return whole(name, *given, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match="symbolic"):
        list(compute())
