"""Scalar expressions that share their parts: the named intermediates of a derivation.

A derivation in vectors and matrices, done with these in place of numbers, leaves a list of statements, each one
operation of earlier ones. Equal operations of equal arguments are one statement; zeros and ones disappear as they
arise; statements that no result needs are left out. So common subexpressions need no search afterwards, and nothing is
ever expanded.

>>> from flexmb.formulations.blocks.expressions import Sheet
>>> sheet = Sheet()
>>> x = sheet.symbol("x", 0)
>>> 0.0 * x, 1.0 * x is x, x - x
(0.0, True, 0.0)
>>> (2.0 * x) is (x * 2.0), len(sheet.statements)
(True, 3)
"""

from __future__ import annotations

import math
from typing import Any, Union

#: operations of two arguments and of one, as statements name them
TWO, ONE = frozenset("+-*"), frozenset(("neg", "inv", "sin", "cos"))
#: a number known beforehand, or one that a statement computes
Scalar = Union[float, "Expression"]


class TooLarge(Exception):
    """A derivation has more statements than its budget allows. Users never see it."""


class Sheet:
    """The statements of a derivation, in the order in which they can be computed: ("symbol", array, index), ("number",
    value), or an operation with the indices of its arguments. More than `budget` statements raise TooLarge."""

    def __init__(self, budget: int = 1_000_000) -> None:
        self.statements: list[tuple[Any, ...]] = []
        self.expressions: list[Expression] = []
        self.budget = budget
        self._known: dict[tuple[Any, ...], Expression] = {}

    def symbol(self, array: str, index: int) -> Expression:
        """An entry of an array that is given when the statements are computed."""
        return self.state(("symbol", array, index))

    def number(self, value: float) -> Expression:
        """A number as a statement."""
        return self.state(("number", float(value)))

    def state(self, statement: tuple[Any, ...]) -> Expression:
        """The expression that a statement computes; an equal statement is not repeated."""
        known = self._known.get(statement)
        if known is None:
            if len(self.statements) >= self.budget:
                raise TooLarge
            known = self._known[statement] = Expression(self, len(self.statements))
            self.statements.append(statement)
            self.expressions.append(known)
        return known

    def index_of(self, x: Scalar) -> int:
        """The number of the statement that computes x."""
        return x.index if isinstance(x, Expression) else self.number(x).index


class Expression:
    """The result of statement `index` of a sheet; arithmetic with it adds statements."""

    __slots__ = ("index", "sheet")

    def __init__(self, sheet: Sheet, index: int) -> None:
        self.sheet, self.index = sheet, index

    @property
    def _negated(self) -> Expression | None:
        """y, if this is −y."""
        statement = self.sheet.statements[self.index]
        return self.sheet.expressions[statement[1]] if statement[0] == "neg" else None

    def _of_two(self, kind: str, other: Scalar) -> Expression:
        a, b = self.index, self.sheet.index_of(other)
        return self.sheet.state((kind, min(a, b), max(a, b)) if kind in "+*" else (kind, a, b))

    def __neg__(self) -> Expression:
        kept = self._negated
        return self.sheet.state(("neg", self.index)) if kept is None else kept

    def __add__(self, other: Scalar) -> Scalar:
        if not isinstance(other, Expression):
            return self if other == 0.0 else self._of_two("+", other)
        minus = other._negated
        if minus is not None:
            return self - minus
        minus = self._negated
        if minus is not None:
            return other - minus
        return self._of_two("+", other)

    def __sub__(self, other: Scalar) -> Scalar:
        if not isinstance(other, Expression):
            return self + (-other)
        if other.index == self.index:
            return 0.0
        minus = other._negated
        if minus is not None:
            return self + minus
        minus = self._negated
        if minus is not None:
            return -(minus + other)
        return self._of_two("-", other)

    def __mul__(self, other: Scalar) -> Scalar:
        if not isinstance(other, Expression):
            if other == 0.0:
                return 0.0
            if other == 1.0:
                return self
            if other < 0.0:
                return -(self * -other)
        for one, two in ((self, other), (other, self)):
            minus = one._negated if isinstance(one, Expression) else None
            if minus is not None:
                return -(minus * two)
        return self._of_two("*", other)

    def __radd__(self, other: float) -> Scalar:
        return self + other

    def __rsub__(self, other: float) -> Scalar:
        return -self + other

    def __rmul__(self, other: float) -> Scalar:
        return self * other

    def function(self, kind: str) -> Expression:
        """An operation of one argument."""
        return self.sheet.state((kind, self.index))


def inverse(x: Scalar) -> Scalar:
    """1/x; that of the number 0 is 0, as for a pivot that a check refuses."""
    if isinstance(x, Expression):
        return x.function("inv")
    return 1.0 / x if x != 0.0 else 0.0


def sine(x: Scalar) -> Scalar:
    """sin x."""
    return x.function("sin") if isinstance(x, Expression) else math.sin(x)


def cosine(x: Scalar) -> Scalar:
    """cos x."""
    return x.function("cos") if isinstance(x, Expression) else math.cos(x)
