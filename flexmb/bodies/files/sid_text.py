"""The text of standard input data (SID) of flexible bodies, after Wallrapp (1993): blocks of Taylor series in the
modes.

    nodes modes :comment
    part
         new modal
              refmod … end refmod            mass, nelastq, ielastq ( k) = name of a mode
              frame
                   new node = name           rframe; origin, phi, psi, AP, sigma
                   end node
              end frame
              mdCM, J, Ct, Cr, Me, Gr, Ge, Oe, ksigma, Ke, De
         end modal
    end part

Each series M₀ + Σ_k M₁_k q_k has order, nrow, ncol, nq, nqn, structure (0 zero, 1 diagonal, 2 symmetric, 3 full, 4
unit), and entries m0( i, j) and m1( i, k, j) that are not zero; exponents may be those of Fortran, 1.0D+02. Writers do
not agree about the place of the mode k among the indices of m1: here it is the second, and files that have it last are
known by their origins of nodes, of which j is 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from flexmb.errors import ModelError

#: the series of a node, and those of the body, in the order of the file
OF_NODE = ("origin", "phi", "psi", "AP", "sigma")
OF_BODY = ("mdCM", "J", "Ct", "Cr", "Me", "Gr", "Ge", "Oe", "ksigma", "Ke", "De")
_ENTRY = re.compile(r"m([01])\s*\(\s*([\d\s,]+)\)\s*=\s*(\S+)")
_NUMBERS = ("order", "nrow", "ncol", "nq", "nqn", "structure")


@dataclass
class Series:
    """A series M₀ + Σ_k M₁_k q_k: `m0` (r, c) and `m1` (r, n, c), the mode second; `raw`, its entries of first order as
    they stand in a file, by their three indices."""

    m0: np.ndarray
    m1: np.ndarray
    raw: dict[tuple[int, ...], float] = field(default_factory=dict)


@dataclass
class SidNode:
    """A node: its name, and its series by name."""

    name: str
    series: dict[str, Series]


@dataclass
class SidText:
    """All that a file says: a comment, the mass [kg], names of modes, nodes, and the series of the body by name."""

    comment: str
    mass: float
    modes: list[str]
    nodes: list[SidNode]
    series: dict[str, Series]


class _Lines:
    """The lines of a file with their numbers, without blanks."""

    def __init__(self, text: str, where: str) -> None:
        self.lines = [(k, x.strip()) for k, x in enumerate(text.splitlines(), 1) if x.strip()]
        self.at, self.where = 0, where

    def fail(self, what: str) -> ModelError:
        number = self.lines[min(self.at, len(self.lines) - 1)][0] if self.lines else 0
        return ModelError(f"{self.where}, line {number}: {what}; give the SID file as it was written")

    def peek(self) -> str:
        if self.at >= len(self.lines):
            raise self.fail("the file ends here, inside of a block")
        return self.lines[self.at][1]

    def next(self) -> str:
        line = self.peek()
        self.at += 1
        return line

    def expect(self, word: str) -> str:
        """The line that begins with a word; what stands behind its '='."""
        line = self.next()
        if not re.match(rf"{re.escape(word)}\b", line):
            self.at -= 1
            raise self.fail(f"{line[:40]!r} stands where {word!r} must")
        return line.partition("=")[2].strip()

    def number(self, word: str) -> float:
        return self.value(self.expect(word))

    def value(self, text: str) -> float:
        try:
            found = float(text.replace("D", "E").replace("d", "e"))
        except ValueError:
            found = np.nan
        if not np.isfinite(found):
            self.at -= 1
            raise self.fail(f"{text[:40]!r} is no number")
        return found


def parsed(text: str, where: str) -> SidText:
    """The content of a SID text.

    >>> try:
    ...     parsed("no SID at all", "body 'beam'")
    ... except ModelError as error:
    ...     print(str(error)[:58])
    body 'beam', line 1: 'no SID at all' does not begin with t
    """
    lines = _Lines(text, where)
    head = lines.next() if lines.lines else ""
    counts = re.match(r"(\d+)\s+(\d+)", head)
    if counts is None:
        lines.at = 0
        raise lines.fail(f"{head[:40]!r} does not begin with the numbers of nodes and of modes")
    nodes, n = int(counts[1]), int(counts[2])
    for words in ("part", "new modal", "refmod"):
        lines.expect(words)
    mass, stated = lines.number("mass"), int(lines.number("nelastq"))
    if stated != n:
        raise lines.fail(f"nelastq is {stated}, and the first line says {n} modes")
    modes = []
    while lines.peek().startswith("ielastq"):
        modes.append(lines.next().partition("=")[2].strip())
    if len(modes) != n:
        raise lines.fail(f"{len(modes)} modes have names, of {n}")
    lines.expect("end refmod")
    lines.next() if lines.peek() == "new frame" else lines.expect("frame")
    found = list(_nodes(lines, n))
    if len(found) != nodes:
        raise lines.fail(f"there are {len(found)} nodes, and the first line says {nodes}")
    lines.expect("end frame")
    series = {}
    while not lines.peek().startswith("end modal"):
        name = lines.peek().partition("=")[0].strip()
        if name not in OF_BODY:
            raise lines.fail(f"{name[:40]!r} is no series of a body; these are {', '.join(OF_BODY)}")
        series[name] = _series(lines, name, n)
    missing = [name for name in OF_BODY if name not in series and name not in ("ksigma", "De")]
    if missing:
        raise lines.fail(f"the series {', '.join(missing)} are missing")
    lines.expect("end modal")
    lines.expect("end part")
    _sort_indices([*series.values(), *(x for node in found for x in node.series.values())], found, n, lines)
    return SidText(head.partition(":")[2].strip(), mass, modes, found, series)


def _nodes(lines: _Lines, n: int) -> Iterator[SidNode]:
    while lines.peek().startswith("new node"):
        name = lines.expect("new node")
        lines.expect("rframe")
        series = {}
        while not lines.peek().startswith("end node"):
            what = lines.peek().partition("=")[0].strip()
            if what not in OF_NODE:
                raise lines.fail(f"{what[:40]!r} is no series of a node; these are {', '.join(OF_NODE)}")
            series[what] = _series(lines, what, n)
        lines.expect("end node")
        missing = [what for what in OF_NODE[:4] if what not in series]
        if missing:
            raise lines.fail(f"node {name!r} has no {', '.join(missing)}")
        yield SidNode(name, series)


def _series(lines: _Lines, name: str, n: int) -> Series:
    """One block of a series."""
    lines.expect(name)
    given = {}
    for word in _NUMBERS:
        given[word] = int(lines.number(word))
    rows, columns = given["nrow"], given["ncol"]
    if not (0 <= rows <= max(6, 3 * n, n) and 0 <= columns <= max(6, 3 * n)) or given["nq"] not in (0, n):
        raise lines.fail(f"{name} has {rows} rows, {columns} columns and {given['nq']} modes, of {n}")
    m0 = np.zeros((rows, columns))
    if given["structure"] == 4:
        m0 = np.eye(rows, columns)
    raw: dict[tuple[int, ...], float] = {}
    while not lines.peek().startswith("end"):
        line = lines.next()
        entry = _ENTRY.match(line)
        if entry is None:
            lines.at -= 1
            raise lines.fail(f"{line[:40]!r} is no entry of {name}")
        index, value = tuple(int(lines.value(k)) - 1 for k in entry[2].split(",")), lines.value(entry[3])
        fits = len(index) == 2 + int(entry[1]) and min(index) >= 0
        if entry[1] == "0":
            if not fits or index[0] >= rows or index[1] >= columns:
                lines.at -= 1
                raise lines.fail(f"the indices of {line[:40]!r} are outside of {name}, {rows} × {columns}")
            m0[index] = value
        elif not fits or index[0] >= rows or max(index[1:]) >= max(n, columns):
            lines.at -= 1
            raise lines.fail(f"the indices of {line[:40]!r} are outside of {name}, {rows} × {columns} for {n} modes")
        else:
            raw[index] = value
    if given["structure"] == 2:  # one triangle is enough
        m0 = np.where(m0 != 0.0, m0, m0.T)
    lines.expect("end")
    return Series(m0, np.zeros((rows, n, columns)), raw)


def _sort_indices(every: list[Series], nodes: list[SidNode], n: int, lines: _Lines) -> None:
    """Put entries of first order into arrays with the mode second, by the order of indices of this file."""
    origins = [index for node in nodes for index in node.series["origin"].raw]
    second = {index[1] for index in origins}
    last = bool(origins) and second == {0} and any(index[2] > 0 for index in origins)
    for series in every:
        for (i, j, k), value in series.raw.items():
            mode, column = (k, j) if last else (j, k)
            if mode >= n or column >= series.m0.shape[1]:
                raise lines.fail(
                    f"the indices m1({i + 1}, {j + 1}, {k + 1}) do not fit those of other entries; the mode is the "
                    f"{'last' if last else 'second'} one in this file"
                )
            series.m1[i, mode, column] = value


def written(content: SidText) -> str:
    """The text of a SID file, the mode second among the indices of m1, 17 digits, of which nothing is lost."""
    n = len(content.modes)
    comment = " ".join(content.comment.split())
    lines = [f"{len(content.nodes):5d}{n:5d}   :{comment}", " part ", "      new modal", "           refmod "]
    lines += [_line(16, "mass", _text(content.mass)), _line(16, "nelastq", f"{n:5d}")]
    lines += [_line(16, f"ielastq ({k:4d})", name) for k, name in enumerate(content.modes, 1)]
    lines += ["           end refmod ", "           frame "]
    for node in content.nodes:
        lines += [_line(16, "new node", node.name), _line(21, "rframe", "body ref")]
        for name in OF_NODE:
            if name in node.series:
                lines += _block(name, node.series[name], 21, n)
        lines.append("                end node")
    lines.append("           end frame ")
    for name in OF_BODY:
        if name in content.series:
            lines += _block(name, content.series[name], 11, n)
    return "\n".join([*lines, "      end modal ", " end part ", ""])


def _block(name: str, series: Series, indent: int, n: int) -> list[str]:
    rows, columns = series.m0.shape
    order = int(bool(np.any(series.m1)))
    structure = 3 if np.any(series.m0) or order else 0
    numbers = (order, rows, columns, n, 0, structure)
    lines = [" " * indent + name, *(_line(26, word, f"{x:5d}") for word, x in zip(_NUMBERS, numbers, strict=True))]
    for i, j in zip(*np.nonzero(series.m0), strict=True):
        lines.append(_line(26, f"m0({i + 1:3d},{j + 1:3d})", _text(series.m0[i, j])))
    for i, k, j in zip(*np.nonzero(series.m1), strict=True):
        lines.append(_line(26, f"m1({i + 1:3d},{k + 1:3d},{j + 1:3d})", _text(series.m1[i, k, j])))
    return [*lines, " " * indent + f"end {name}"]


def _line(indent: int, name: str, value: str) -> str:
    return f"{' ' * indent + name:<48}= {value}"


def _text(x: float) -> str:
    return f"{x:.16E}".replace("E", "D")
