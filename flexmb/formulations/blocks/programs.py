"""Straight-line programs: the statements that some results need, as data and as text.

A program has statements, each an operation of earlier ones, and results, each an entry of an array that is computed. As
text it has one line for each, which holds names of operations and numbers only: reading it executes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flexmb.formulations.blocks.expressions import ONE, TWO, Scalar, Sheet

#: a result: the array, the index in it, and the number of the statement that computes it
Result = tuple[str, int, int]


class NoProgram(Exception):
    """A text is no program. Users never see it."""


@dataclass(frozen=True)
class Program:
    """Statements as in :class:`flexmb.formulations.blocks.expressions.Sheet`, and the results that they compute."""

    statements: tuple[tuple[Any, ...], ...]
    results: tuple[Result, ...]

    @cached_property
    def operations(self) -> int:
        """Number of operations."""
        return sum(statement[0] not in ("symbol", "number") for statement in self.statements)

    def count(self, array: str) -> int:
        """Number of entries of an array that is computed."""
        return 1 + max((index for name, index, _ in self.results if name == array), default=-1)

    def symbols(self) -> list[tuple[str, int]]:
        """The entries of arrays that have to be given."""
        return [(statement[1], statement[2]) for statement in self.statements if statement[0] == "symbol"]

    @cached_property
    def text(self) -> str:
        """The program as text."""
        lines = [" ".join(map(_word, statement)) for statement in self.statements]
        return "\n".join([*lines, *(f"to {array} {index} {of}" for array, index, of in self.results)])

    def values(self, given: Mapping[str, Any]) -> dict[str, list[float]]:
        """The arrays that are computed, from those that are given, in Python."""
        v: list[float] = []
        for kind, *args in self.statements:
            v.append(float(given[args[0]][args[1]]) if kind == "symbol" else _DO[kind](v, *args))
        found: dict[str, list[float]] = {
            array: [0.0] * self.count(array) for array in {array for array, _, _ in self.results}
        }
        for array, index, of in self.results:
            found[array][index] = v[of]
        return found


def _word(x: Any) -> str:
    return x.hex() if isinstance(x, float) else str(x)


def _inverse(x: float) -> float:
    return 1.0 / x if x != 0.0 else math.copysign(math.inf, x)


_DO: dict[str, Callable[..., float]] = {
    "number": lambda v, x: x,
    "+": lambda v, a, b: v[a] + v[b],
    "-": lambda v, a, b: v[a] - v[b],
    "*": lambda v, a, b: v[a] * v[b],
    "neg": lambda v, a: -v[a],
    "inv": lambda v, a: _inverse(v[a]),
    "sin": lambda v, a: math.sin(v[a]),
    "cos": lambda v, a: math.cos(v[a]),
}  # fmt: skip


def program_of(sheet: Sheet, results: Iterable[tuple[str, int, Scalar]]) -> Program:
    """The program that computes some results; other statements of the sheet are left out."""
    wanted = [(array, index, sheet.index_of(x)) for array, index, x in results]
    needed = [False] * len(sheet.statements)
    for _, _, of in wanted:
        needed[of] = True
    for k in range(len(needed) - 1, -1, -1):
        if needed[k] and sheet.statements[k][0] not in ("symbol", "number"):
            for a in sheet.statements[k][1:]:
                needed[a] = True
    return _only(sheet.statements, needed, wanted)


def _only(statements: Iterable[tuple[Any, ...]], needed: list[bool], results: list[Result]) -> Program:
    place: dict[int, int] = {}
    kept: list[tuple[Any, ...]] = []
    for k, (kind, *args) in enumerate(statements):
        if needed[k]:
            place[k] = len(kept)
            kept.append((kind, *args) if kind in ("symbol", "number") else (kind, *(place[a] for a in args)))
    return Program(tuple(kept), tuple((array, index, place[of]) for array, index, of in results))


def without_constants(program: Program, constant: str, name: str) -> tuple[Program, Program]:
    """Two programs in place of one: what follows from the array `constant` alone, as results in the array `name`; and
    the rest, in which that array is given."""
    alone = [False] * len(program.statements)
    for k, (kind, *args) in enumerate(program.statements):
        alone[k] = args[0] == constant if kind == "symbol" else kind == "number" or all(alone[a] for a in args)
    border: dict[int, int] = {}
    for k, (kind, *args) in enumerate(program.statements):
        if not alone[k]:
            for a in args if kind != "symbol" else ():
                if alone[a] and program.statements[a][0] != "number":
                    border.setdefault(a, len(border))
    for _, _, of in program.results:
        if alone[of] and program.statements[of][0] != "number":
            border.setdefault(of, len(border))
    once, rest = Sheet(), Sheet()
    early, late = ([rest.number(0.0)] * len(program.statements) for _ in range(2))
    for k, (kind, *args) in enumerate(program.statements):
        plain = kind in ("symbol", "number")
        if alone[k]:
            early[k] = once.state((kind, *args) if plain else (kind, *(early[a].index for a in args)))
        if k in border:
            late[k] = rest.symbol(name, border[k])
        elif plain or not alone[k]:
            late[k] = rest.state((kind, *args) if plain else (kind, *(late[a].index for a in args)))
    first = program_of(once, [(name, place, early[k]) for k, place in border.items()])
    return first, program_of(rest, [(array, index, late[of]) for array, index, of in program.results])


def read(text: str) -> Program:
    """The program that a text describes; NoProgram if it describes none."""
    statements, results = lines_of(text)
    return Program(tuple(statements), tuple(results))


def lines_of(text: str) -> tuple[list[tuple[Any, ...]], list[Result]]:
    """The statements and results that a text describes; NoProgram if it describes none."""
    statements: list[tuple[Any, ...]] = []
    results: list[Result] = []
    try:
        for line in text.split("\n"):
            kind, *args = line.split(" ")
            if kind == "to":
                array, index, of = args
                results.append((array, _place(index, 1 << 30), _place(of, len(statements))))
            elif kind in TWO:
                a, b = args
                statements.append((kind, _place(a, len(statements)), _place(b, len(statements))))
            elif kind in ONE:
                (a,) = args
                statements.append((kind, _place(a, len(statements))))
            elif kind == "symbol":
                array, index = args
                statements.append((kind, array, _place(index, 1 << 30)))
            elif kind == "number":
                (a,) = args
                statements.append((kind, float.fromhex(a)))
            else:
                raise NoProgram(f"no operation {kind!r}")
    except (ValueError, OverflowError) as error:
        raise NoProgram(str(error)) from None
    return statements, results


def _place(word: str, end: int) -> int:
    number = int(word)
    if not 0 <= number < end:
        raise NoProgram(f"no index {word}")
    return number
