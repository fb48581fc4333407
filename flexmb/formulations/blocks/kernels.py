"""What the kernels of a block compute from its equations M ẏ + h = Q + Σ Jᵀ F, with forces F on its handles.

M = Lᵀ D L, eliminated from the tips. With J' of handle a after elimination, W = D⁻¹ J'ᵀ and w = D⁻¹ (Q − h)', the
assembly of pieces needs, Takahashi (2012), (4.7) and (4.8),

    Φ_ab = J'_a W_b,    B_a = J'_a w + J̇ y

and behind it, with the forces found, (4.9) is ẏ = L⁻¹ (w + Σ W F).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from flexmb.formulations.blocks.derivation import Equations
from flexmb.formulations.blocks.expressions import Expression, Scalar, Sheet, inverse
from flexmb.formulations.blocks.programs import NoProgram, Program, program_of, read, without_constants
from flexmb.formulations.blocks.structure import Structure
from flexmb.formulations.blocks.vectors import ZERO, Vector, dot

#: arrays that the first kernel is given, one behind the other, with their sizes in space and in the plane
STATE = ("x", "u", "drives", "turn", "spin", "load", "gravity")


@dataclass(frozen=True)
class Programs:
    """The programs of a block: `once`, what follows from parameters alone; `forth`, Φ in `matrix`, and in `found` B,
    three numbers for each speed by which its pivot is judged, and ẏ of a block without handles, else what disassembly
    needs; `back`, ẏ from these and the forces on handles; and how many `statements` their derivation took."""

    once: Program
    forth: Program
    back: Program
    statements: int

    @property
    def operations(self) -> int:
        """Operations of a call of both kernels."""
        return self.forth.operations + self.back.operations

    def text(self) -> str:
        """All programs as text, and the number of statements."""
        programs = (program.text for program in (self.once, self.forth, self.back))
        return "\n\n".join([*programs, str(self.statements)])


def programs_in(text: str) -> Programs:
    """The programs that a text describes; NoProgram if it describes none."""
    parts = text.split("\n\n")
    if len(parts) != 4 or not parts[3].isdecimal():
        raise NoProgram(f"{len(parts)} parts")
    once, forth, back = (read(part) if part else Program((), ()) for part in parts[:3])
    return Programs(once, forth, back, int(parts[3]))


def places_of_state(structure: Structure) -> dict[str, int]:
    """Where the arrays of a state begin in what the first kernel is given; "" is the end."""
    planar = bool(structure.sense)
    sizes = {"x": structure.coordinates, "u": structure.speeds, "drives": structure.speeds,
             "turn": 2 if planar else 9, "spin": 1 if planar else 3, "load": structure.base,
             "gravity": 2 if planar else 3}  # fmt: skip
    if not structure.floating:
        sizes |= {"turn": 0, "spin": 0, "load": 0}
    found, at = {}, 0
    for name in STATE:
        found[name] = at
        at += sizes[name]
    return found | {"": at}


def derive(structure: Structure, budget: int) -> Programs:
    """The programs of a block; TooLarge if they need more statements than `budget`."""
    sheet = Sheet(budget)
    equations = Equations(structure, sheet)
    handles = structure.handles
    size, base = structure.base + structure.speeds, structure.base
    M, largest = equations.mass_matrix()
    Q: list[Scalar] = [sheet.symbol("load", i) for i in range(base)]
    Q += [sheet.symbol("drives", i) for i in range(structure.speeds)]
    right = [q - h for q, h in zip(Q, equations.bias())]
    diagonal = [M[k][k] for k in range(size)]
    jacobians, biases = zip(*(equations.handle(link) for link in handles)) if handles else ((), ())
    columns = [[J[i][k] for k in range(size)] for J in jacobians for i in range(6)]
    D, lower = _eliminate(M, right, columns)
    w, W = [right[k] * D[k] for k in range(size)], [[c[k] * D[k] for k in range(size)] for c in columns]
    checks = [x for k in range(size) for x in (M[k][k], diagonal[k], largest[k])]
    results: list[tuple[str, int, Scalar]] = []
    wide, rows = len(columns), range(size)
    for a in range(wide):
        for b in range(a + 1):
            entry = _sum(columns[a][k] * W[b][k] for k in rows)
            if structure.sense and base:
                entry = entry + dot(_out_of_plane(jacobians[a // 6], a % 6), _out_of_plane(jacobians[b // 6], b % 6))
            results += [("matrix", wide * a + b, entry)] + ([("matrix", wide * b + a, entry)] if a != b else [])
        results.append(("found", a, _sum((columns[a][k] * w[k] for k in rows), biases[a // 6][a % 6])))
    results += [("found", wide + i, x) for i, x in enumerate(checks)]
    at = wide + len(checks)
    if not handles:
        rates = _outwards(w, lower)
        results += [("found", at + k, rate) for k, rate in enumerate(rates)]
        back, behind = Program((), ()), 0
    else:
        kept = _Kept(at)
        again = Sheet(budget)
        F = [again.symbol("given", a) for a in range(wide)]
        total = [
            _sum((kept.of(again, W[a][k]) * F[a] for a in range(wide)), kept.of(again, w[k])) for k in rows
        ]  # fmt: skip
        rates = _outwards(total, [{i: kept.of(again, x) for i, x in row.items()} for row in lower])
        back = program_of(again, [("found", k, rate) for k, rate in enumerate(rates)])
        results += kept.results
        behind = len(again.statements)
    once, forth = without_constants(program_of(sheet, results), "parameters", "constants")
    most = max(len(sheet.statements), behind)
    return Programs(once, _with_given(forth, places_of_state(structure)), back, most)


def _out_of_plane(J: list[list[Scalar]], i: int) -> Vector:
    """How component i of [α; a] of a handle follows from αx, αy and az of the first link in the plane. Nothing moves
    so, and no force acts, but assembly asks for the inertia against it, which is one of each at the first link."""
    return (1.0, 0.0, 0.0) if i == 0 else (0.0, 1.0, 0.0) if i == 1 else (-J[3][0], -J[4][0], 1.0) if i == 5 else ZERO


def _sum(terms: Iterable[Scalar], start: Scalar = 0.0) -> Scalar:
    total = start
    for term in terms:
        total = total + term
    return total


def _eliminate(
    M: list[list[Scalar]], right: list[Scalar], columns: list[list[Scalar]]
) -> tuple[list[Scalar], list[dict[int, Scalar]]]:
    """Eliminate from the last row back, in place; returns D⁻¹ and the entries of L below its unit diagonal."""
    inverses: list[Scalar] = [0.0] * len(M)
    lower: list[dict[int, Scalar]] = [{} for _ in M]
    for k in range(len(M) - 1, -1, -1):
        inverses[k] = inverse(M[k][k])
        coupled = [i for i in range(k) if isinstance(M[k][i], Expression) or M[k][i] != 0.0]
        for i in coupled:
            share = lower[k][i] = M[k][i] * inverses[k]
            for j in coupled:
                if j <= i:
                    M[i][j] = M[i][j] - share * M[k][j]
            right[i] = right[i] - share * right[k]
            for column in columns:
                column[i] = column[i] - share * column[k]
    return inverses, lower


def _outwards(w: list[Scalar], lower: list[dict[int, Scalar]]) -> list[Scalar]:
    rates: list[Scalar] = []
    for k, row in enumerate(lower):
        rates.append(w[k] - _sum(share * rates[i] for i, share in row.items()))
    return rates


class _Kept:
    """Intermediates of the first kernel that the second one needs: results in `found` of the first, from an index
    on, and symbols `constants` of the second."""

    def __init__(self, first: int) -> None:
        self.first, self._places = first, dict[int, int]()
        self.results: list[tuple[str, int, Scalar]] = []

    def of(self, again: Sheet, x: Scalar) -> Scalar:
        """The same intermediate in the second program; numbers stay numbers, and −y is that of y."""
        if not isinstance(x, Expression):
            return x
        kind, *args = x.sheet.statements[x.index]
        if kind == "number":
            return float(args[0])
        if kind == "neg":
            return -self.of(again, x.sheet.expressions[args[0]])
        if x.index not in self._places:
            self._places[x.index] = self.first + len(self.results)
            self.results.append(("found", self._places[x.index], x))
        return again.symbol("constants", self._places[x.index])


def _with_given(program: Program, places: dict[str, int]) -> Program:
    """The program with all arrays of the state in one, `given`."""
    statements = tuple(
        ("symbol", "given", places[s[1]] + s[2]) if s[0] == "symbol" and s[1] in places else s
        for s in program.statements
    )
    return Program(statements, program.results)
