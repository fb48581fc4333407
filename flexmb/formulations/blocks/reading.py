"""The equations of a block as formulas to read: SymPy, LaTeX, C.

They are derived anew, by the recursions that the kernels are made of, with all parameters as symbols. Numbers for a
symbol are given by its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from flexmb.errors import FormulationError, MissingExtraError
from flexmb.formulations.blocks.derivation import IN_PLANE, Equations
from flexmb.formulations.blocks.expressions import Scalar, Sheet
from flexmb.formulations.blocks.programs import Program, program_of
from flexmb.formulations.blocks.structure import Structure
from flexmb.model import checks, given_names
from flexmb.model.hints import AnswersCalls

#: operations of the largest formula that is written without intermediates
LARGEST = 10_000
_C = {"+": "{} + {}", "-": "{} - {}", "*": "{} * {}", "neg": "-{}", "inv": "1.0 / {}", "sin": "sin({})",
      "cos": "cos({})"}  # fmt: skip


class Formulas:
    """A vector or a matrix of formulas in named symbols, with intermediates.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> rod = m.add_body("rod", mass=2.0, inertia=0.1, position=(0.5, 0))
    >>> hinge = m.revolute(m.ground, rod.attach("top", (-0.5, 0)), name="hinge")
    >>> block = fm.formulation(m, "hybrid").blocks[0]
    >>> block.equations.sympy()
    Matrix([[Jzz_1*ud1 + sx_1*(gx*sin(q1) - gy*cos(q1))]])
    >>> block.equations.at(q1=0.0, ud1=0.0)
    array([9.81])
    >>> print(block.mass_matrix.c())
    /* mass_matrix[1], row by row, from
       parameters: m_1, sx_1, Jzz_1
    */
    void mass_matrix(const double *parameters, double *mass_matrix)
    {
        mass_matrix[0] = parameters[2];
    }
    """

    def __init__(
        self, name: str, where: str, program: Program, dimensions: tuple[int, ...], symbol_names: Names
    ) -> None:
        self.name, self.program, self.shape = name, program, dimensions
        self._where, self._names = f"{name} of {where}", symbol_names

    @property
    def symbols(self) -> list[str]:
        """Names of the symbols in the formulas."""
        return [self._names.of[symbol] for symbol in self.program.symbols()]

    def at(self, **numbers: float) -> np.ndarray:
        """The formulas in numbers. Symbols are given by name; parameters that are not given have those of the model,
        and gravity too."""
        given: dict[str, dict[int, float]] = {}
        for name in numbers:
            given_names.known(name, list(self._names.known), "symbol", self._where)
        for array, index in self.program.symbols():
            name = self._names.of[array, index]
            value = numbers.get(name, self._names.values.get(name))
            if value is None:
                raise FormulationError(f"{self._where}: symbol {name!r} has no value; give one, {name}=…")
            given.setdefault(array, {})[index] = checks.number(value, name, self._where)
        return np.reshape(self.program.values(given)["result"], self.shape)

    def named(self) -> tuple[list[tuple[Any, Any]], Any]:
        """Intermediates, pairs of a SymPy symbol and an expression in symbols and earlier ones, and the SymPy matrix of
        the formulas in these. An expression that is used once has no name."""
        sympy = _sympy(self._where)
        used = [0] * len(self.program.statements)
        for kind, *args in self.program.statements:
            for a in args if kind not in ("symbol", "number") else ():
                used[a] += 1
        pairs: list[tuple[Any, Any]] = []
        values: list[Any] = []
        for k, statement in enumerate(self.program.statements):
            value = self._expression(sympy, statement, values)
            if used[k] > 1 and statement[0] not in ("symbol", "number", "neg"):
                pairs.append((sympy.Symbol(f"t{len(pairs) + 1}", real=True), value))
                value = pairs[-1][0]
            values.append(value)
        return pairs, self._matrix(sympy, values)

    def sympy(self) -> Any:
        """The formulas as a SymPy matrix, without intermediates."""
        sympy, sizes = _sympy(self._where), list[int]()
        for kind, *args in self.program.statements:
            sizes.append(1 if kind in ("symbol", "number") else 1 + sum(sizes[a] for a in args))
        size = sum(sizes[of] for _, _, of in self.program.results)
        if size > LARGEST:
            raise FormulationError(
                f"{self._where}: without intermediates it has {size} operations, more than {LARGEST}; take named(), "
                "whose intermediates are written once, or a smaller block"
            )
        values: list[Any] = []
        for statement in self.program.statements:
            values.append(self._expression(sympy, statement, values))
        return self._matrix(sympy, values)

    def latex(self) -> str:
        """The formulas as LaTeX, behind their intermediates, one a line."""
        sympy, (pairs, matrix) = _sympy(self._where), self.named()
        rows = [rf"{sympy.latex(symbol)} &= {sympy.latex(value)} \\" for symbol, value in pairs]
        name = rf"\text{{{self.name.replace('_', ' ')}}}"
        return "\n".join([r"\begin{aligned}", *rows, rf"{name} &= {sympy.latex(matrix)}", r"\end{aligned}"])

    def c(self) -> str:
        """A C function that computes the formulas, from arrays of symbols; it needs math.h alone."""
        statements, arrays = self.program.statements, dict.fromkeys(array for array, _ in self.program.symbols())
        words: list[str] = []
        lines: list[str] = []
        for k, (kind, *args) in enumerate(statements):
            if kind == "symbol":
                words.append(f"{_array(args[0])}[{args[1]}]")
            elif kind == "number":
                words.append(repr(args[0]))
            else:
                lines.append(f"    const double t{k} = {_C[kind].format(*(words[a] for a in args))};")
                words.append(f"t{k}")
        for _, index, of in self.program.results:
            lines.append(f"    {self.name}[{index}] = {words[of]};")
        given = "".join(f"const double *{_array(array)}, " for array in arrays)
        said = [f"   {_array(a)}: {', '.join(self._names.in_array(a))}" for a in arrays]
        count = int(np.prod(self.shape))
        head = (
            [f"/* {self.name}[{count}], row by row, from", *said, "*/"] if arrays else [f"/* {self.name}[{count}] */"]
        )
        return "\n".join([*head, f"void {self.name}({given}double *{self.name})", "{", *lines, "}"])

    def _expression(self, sympy: Any, statement: tuple[Any, ...], values: list[Any]) -> Any:
        kind, *args = statement
        if kind == "symbol":
            return sympy.Symbol(self._names.of[args[0], args[1]], real=True)
        if kind == "number":
            number = args[0]
            return sympy.Integer(int(number)) if number == int(number) else sympy.Float(number)
        a = values[args[0]]
        if kind in "+-*":
            b = values[args[1]]
            return a + b if kind == "+" else a - b if kind == "-" else a * b
        return {"neg": lambda: -a, "inv": lambda: 1 / a, "sin": lambda: sympy.sin(a), "cos": lambda: sympy.cos(a)}[
            kind
        ]()

    def _matrix(self, sympy: Any, values: list[Any]) -> Any:
        rows, columns = self.shape if len(self.shape) == 2 else (self.shape[0], 1)
        return sympy.Matrix(rows, columns, [values[of] for _, _, of in sorted(self.program.results, key=_index)])

    def __repr__(self) -> str:
        return f"Formulas({self.name!r}, shape={self.shape}, operations={self.program.operations})"


def _index(result: tuple[str, int, int]) -> int:
    return result[1]


def _array(name: str) -> str:
    return {"x": "q"}.get(name, name)


def _sympy(where: str) -> Any:
    try:
        import sympy
    except ImportError:
        raise MissingExtraError(
            f"{where}: formulas are written by SymPy, which is not installed: pip install 'flexmb[symbolic]'; c() and "
            "at() need none"
        ) from None
    return sympy


class Names:
    """The names of the symbols of a block: the parameters of its links, numbered from 1; q1, q2, … and u1, u2, … the
    coordinates and speeds of its joints, ud1, ud2, … the rates of these; gx, gy, gz gravity. Of the first link of a
    floating block, in ground axes: R11 to R33 its orientation, in the plane c0 and s0, the cosine and sine of its
    angle; wx, wy, wz its angular velocity, alx to az its accelerations."""

    def __init__(self, structure: Structure, parameters: Iterable[float], gravity: Iterable[float]) -> None:
        planar, base = bool(structure.sense), structure.base
        own = ["alx", "aly", "alz", "ax", "ay", "az"]
        first = [own[k] for k in IN_PLANE] if base == 3 else own[:base]
        speeds = range(1, structure.speeds + 1)
        self._arrays: dict[str, list[str]] = {
            "parameters": structure.parameters(),
            "x": [f"q{k}" for k in range(1, structure.coordinates + 1)],
            "u": [f"u{k}" for k in speeds],
            "rates": [*first, *(f"ud{k}" for k in speeds)],
            "turn": ["c0", "s0"] if planar else [f"R{i}{j}" for i in "123" for j in "123"],
            "spin": ["wz"] if planar else ["wx", "wy", "wz"],
            "gravity": ["gx", "gy"] if planar else ["gx", "gy", "gz"],
        }
        self.of = {(array, k): name for array, names in self._arrays.items() for k, name in enumerate(names)}
        self.known = {name for names in self._arrays.values() for name in names}
        self.values: dict[str, float] = {
            **dict(zip(self._arrays["parameters"], map(float, parameters))),
            **dict(zip(self._arrays["gravity"], map(float, gravity))),
        }

    def in_array(self, array: str) -> list[str]:
        """The names of the entries of an array."""
        return self._arrays[array]


class SymbolicBlock(metaclass=AnswersCalls):
    """A block of a hybrid formulation: the names of its `links` and of its `joints`, and its equations of motion
    M u̇ + h = τ as formulas. `joints` leaves out the one that carries a floating block: its first link has the
    accelerations [α; a] of its origin as unknowns, before those of the joints, and forces [n; f] in place of drives, in
    ground axes. `parameters` (dict): the numbers of the symbols in its model. First moments s = m c [kg m] and moments
    of inertia J [kg m²] are about the origins of links, in their axes, which follow their joints; p [m] is where a
    joint's motion stands in the link before it, E its axes there. Of a flexible body on a link, undeformed: mb, sb and
    Jb its mass, first moment and moment of inertia along x, B and b the axes and the place of its frame; Pj, Hj and Nij
    are ρA ∫ bj dx, ρA ∫ x bj dx and ρA ∫ bi bj dx of the functions of bending; V and W of the inertia of its
    sections, ρI_z and ρI_y ∫ f g dx of 1 (0), slopes of bending bj' (j), functions of torsion (tk); K and C stiffness
    and damping of amplitudes. A link within it stands at l, where b, d and w are the values and slopes of bending and
    the values of torsion. `coordinates` (dict): what q1, q2, … are.
    `operations` (int): how many its kernels take.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("pendulum")
    >>> rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, -1))
    >>> hinge = m.revolute(m.ground, rod.attach("top", (0, 0, 1)), axis="y", name="hinge")
    >>> block = fm.formulation(m, "hybrid").blocks[0]
    >>> block.links, block.joints, list(block.coordinates.values())
    (['rod'], ['hinge'], ['hinge.angle'])
    """

    def __init__(
        self, links: list[str], joints: list[str], structure: Structure, numbers: Mapping[str, Any], operations: int
    ) -> None:
        self.links, self.joints, self.operations = links, joints, operations
        self._structure = structure
        self._names = Names(structure, numbers["parameters"], numbers["gravity"])
        self.coordinates = dict(zip(self._names.in_array("x"), numbers["coordinates"]))
        self._where = f"block {links[0]!r}"

    @property
    def parameters(self) -> dict[str, float]:
        """The numbers of the parameters, by the names of their symbols."""
        return {name: self._names.values[name] for name in self._structure.parameters()}

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return self._structure.base + self._structure.speeds

    @property
    def mass_matrix(self) -> Formulas:
        """M (N, N)."""
        sheet = Sheet()
        M, _ = Equations(self._structure, sheet).mass_matrix()
        entries = [M[max(i, j)][min(i, j)] for i in range(self.size) for j in range(self.size)]
        return self._formulas("mass_matrix", sheet, entries, (self.size, self.size))

    @property
    def bias(self) -> Formulas:
        """h (N,): gravity and forces that depend on speeds."""
        sheet = Sheet()
        return self._formulas("bias", sheet, Equations(self._structure, sheet).bias(), (self.size,))

    @property
    def equations(self) -> Formulas:
        """M u̇ + h (N,), the drives τ that a motion needs, by one recursion."""
        sheet = Sheet()
        drives = Equations(self._structure, sheet, rates=True).bias()
        return self._formulas("drives", sheet, drives, (self.size,))

    def _formulas(self, name: str, sheet: Sheet, entries: list[Scalar], shape: tuple[int, ...]) -> Formulas:
        program = program_of(sheet, [("result", k, entry) for k, entry in enumerate(entries)])
        return Formulas(name, self._where, program, shape, self._names)

    def __repr__(self) -> str:
        return f"SymbolicBlock({', '.join(map(repr, self.links))}, operations={self.operations})"
