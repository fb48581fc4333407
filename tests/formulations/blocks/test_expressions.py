"""Expressions that share their parts, programs made of them, and their machine code."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexmb.formulations.blocks.expressions import Expression, Sheet, TooLarge, cosine, inverse, sine
from flexmb.formulations.blocks.machine import address_of, run_at
from flexmb.formulations.blocks.programs import NoProgram, program_of, read, without_constants
from flexmb.kernels.compilation import compiled

NUMBERS = np.array([0.7, -1.3, 2.1])
LEAVES = st.one_of(st.sampled_from([0.0, 1.0, -1.0, 2.5, -0.5]), st.sampled_from([0, 1, 2]))
TREES = st.recursive(
    LEAVES, lambda inner: st.tuples(st.sampled_from(["+", "-", "*", "sin", "neg"]), inner, inner), max_leaves=12
)


def of(tree, leaves):
    """The value of a tree of operations, of numbers or expressions."""
    if not isinstance(tree, tuple):
        return leaves[tree] if isinstance(tree, int) else tree
    kind, a, b = tree[0], of(tree[1], leaves), of(tree[2], leaves)
    if kind == "sin":
        return sine(a)
    return -a if kind == "neg" else a + b if kind == "+" else a - b if kind == "-" else a * b


@compiled
def _run(address, constants, given, matrix, found):
    run_at(address, constants, given, matrix, found)


@settings(max_examples=60, deadline=None)
@given(TREES)
def test_expressions_have_the_values_of_the_numbers(tree):
    sheet = Sheet()
    x = of(tree, [sheet.symbol("x", k) for k in range(3)])
    wanted = of(tree, NUMBERS.tolist())
    program = program_of(sheet, [("found", 0, x)])
    assert program.values({"x": NUMBERS})["found"][0] == pytest.approx(wanted, rel=1e-12, abs=1e-12)
    assert read(program.text) == program


def test_what_follows_from_constants_is_computed_once():
    sheet = Sheet()
    p, x = sheet.symbol("p", 0), sheet.symbol("given", 0)
    program = program_of(sheet, [("found", 0, x * (p * p + 1.0) + sine(x)), ("found", 1, cosine(p)), ("found", 2, 3.0)])
    once, rest = without_constants(program, "p", "constants")
    constants = once.values({"p": [1.7]})["constants"]
    found = rest.values({"constants": constants, "given": [0.4]})["found"]
    assert found == pytest.approx([0.4 * (1.7**2 + 1.0) + math.sin(0.4), math.cos(1.7), 3.0], rel=1e-15)
    assert {array for array, _ in rest.symbols()} == {"constants", "given"}
    assert all(statement[0] != "cos" for statement in rest.statements)


def test_machine_code_does_what_python_does():
    sheet = Sheet()
    a, b = sheet.symbol("constants", 0), sheet.symbol("given", 1)
    entries = [a * b - sine(b), inverse(a + b), -cosine(a), a - 0.25 * b]
    program = program_of(sheet, [("matrix" if k == 0 else "found", k, x) for k, x in enumerate(entries)])
    constants, numbers, matrix, found = np.array([0.3]), np.array([0.0, 1.9]), np.zeros(1), np.zeros(4)
    _run(address_of(program.text), constants, numbers, matrix, found)
    known = program.values({"constants": constants, "given": numbers})
    assert [*matrix, *found[1:]] == pytest.approx([known["matrix"][0], *known["found"][1:]], rel=1e-15)


def test_equal_parts_are_one_statement_and_zeros_vanish():
    sheet = Sheet()
    x, y = sheet.symbol("x", 0), sheet.symbol("x", 1)
    first = x * y + x
    count = len(sheet.statements)
    assert (y * x + x).index == first.index and len(sheet.statements) == count
    assert x * 0.0 == 0.0 and x - x == 0.0 and 0.0 + x is x and inverse(0.0) == 0.0
    product = (-x) * (-y)
    assert isinstance(product, Expression) and product.index == (x * y).index


def test_a_budget_ends_a_derivation():
    sheet = Sheet(budget=3)
    x = sheet.symbol("x", 0)
    with pytest.raises(TooLarge):
        sine(x * x) + x


@pytest.mark.parametrize(
    "text", ["", "run rm", "+ 0 1", "symbol x -1", "number nan?", "symbol x 0\nto found 0 1", "to found x 0", "sin"]
)
def test_a_text_that_is_no_program_is_refused(text):
    with pytest.raises(NoProgram):
        read(text)
