"""The formulation of a mechanism by its name: compiled ones, blocks of formulas, two threads, and classical ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmb.errors import FormulationError
from flexmb.formulations import hybrid
from flexmb.formulations.blocks.reading import SymbolicBlock
from flexmb.formulations.classical_formulation import ClassicalFormulation
from flexmb.formulations.formulation import Formulation
from flexmb.formulations.kinds import FORMULATIONS, Hybrid
from flexmb.formulations.papers import NAMES
from flexmb.formulations.pieces.reactions import put_forces
from flexmb.formulations.pieces.threads import TwoThreads
from flexmb.formulations.tree.tree import Tree
from flexmb.model import checks
from flexmb.model.hints import answers_calls
from flexmb.model.model import Model


@answers_calls
def formulation(
    model: Model | Tree,
    formulation: str | Hybrid = "aba",
    *,
    joint_order: Sequence[str | Sequence[str]] | None = None,
    threads: int = 1,
) -> Formulation:
    """The accelerations of a mechanism as a function of arrays, v̇ = formulation(q, v, tau), compiled.

    `formulation`, by its name: "aba", articulated bodies, whose time grows linearly with the number of links;
    "lagrange", mass matrix and bias; "ada", assembly and disassembly with joint forces as unknowns; "dca", divide and
    conquer with the motions of joints; "hybrid", blocks of links whose equations are derived as formulas and compiled,
    joined as by "ada". The last three take loops. All keep fourteen digits for chains of 1000 links, "hybrid" some
    twelve in blocks of eight. If a link is r times as heavy as those that carry it, "aba" has errors of up to 1e-15 r
    where these let it move freely (more than six hinges), "hybrid" of 5e-15 r if they are all in one block, "ada" and
    "dca" where they do not (fewer); "lagrange" keeps fourteen digits up to r = 1e9 in both cases.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("pendulum", gravity=(0, 0, -9.81))
    >>> rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, -1))
    >>> hinge = m.revolute(m.ground, rod.attach("top", (0, 0, 1)), axis="y", name="hinge")
    >>> formulation = fm.formulation(m, "aba")
    >>> formulation([0.5 * 3.141592653589793], [0.0]).round(6)  # −m g l/(J + m l²)
    array([-8.918182])

    `joint_order`, for "ada" and "dca": the names of the joints in the order in which they are closed, an inner list for
    several at once; the result does not depend on it. `threads=2`, for "ada" and rigid links, gives each of two threads
    half of the links, which pays from some 700 links on where both cores are free: 1.1 times as fast for 1000, 1.2
    times for 3000.

    >>> fm.formulation(m, "ada", joint_order=["hinge"])([0.5 * 3.141592653589793], [0.0]).round(6)
    array([-8.918182])

    :class:`flexmb.Hybrid` in place of the name "hybrid" says how large its blocks may be; see
    :class:`flexmb.formulations.HybridFormulation`.

    The classical formulations, such as "hooker-1970" or "kane", are NumPy, one paper a file, and give what their papers
    give besides (:class:`flexmb.formulations.ClassicalFormulation`); some take flexible bodies with modes, in space.
    :func:`flexmb.formulations_of` says which of all take a model.

    >>> classical = fm.formulation(m, "hooker-1970")
    >>> classical([0.5 * 3.141592653589793], [0.0]).round(6), classical.yields["a"].round(6)
    (array([-8.918182]), array([[1.1]]))
    """
    tree = Tree.fitting(model)
    where = f"formulation of {tree.model.where}"
    options = formulation if isinstance(formulation, Hybrid) else Hybrid()
    asked = options.name if formulation is options else formulation
    name = checks.choice(asked, (*FORMULATIONS, *NAMES), "formulation", where)
    checks.count(threads, "threads", where, least=1)
    if name == options.name and threads == 1 and joint_order is None:
        return HybridFormulation(tree, options)
    if name in NAMES:
        return ClassicalFormulation(tree, name, joint_order, threads)
    return (
        Formulation(tree, name, joint_order) if threads == 1 else FormulationOnThreads(tree, name, joint_order, threads)
    )


class HybridFormulation(Formulation):
    """A formulation whose links are put together in `blocks`: their equations of motion were derived as formulas, which
    can be read, :class:`flexmb.SymbolicBlock`.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("pendulum", gravity=(0, 0, -9.81))
    >>> rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, -1))
    >>> hinge = m.revolute(m.ground, rod.attach("top", (0, 0, 1)), axis="y", name="hinge")
    >>> formulation = fm.formulation(m, "hybrid")
    >>> formulation([0.5 * 3.141592653589793], [0.0]).round(6)
    array([-8.918182])
    >>> formulation.blocks
    [SymbolicBlock('rod', operations=8)]
    """

    def __init__(self, tree: Tree, options: Hybrid) -> None:
        self._options = options
        super().__init__(tree, options.name)

    def _room(self, joint_order: Any) -> Any:
        self._cut = hybrid.derived(self.tree, self._options.block, self._options.budget)
        return hybrid.room_with(self.tree, self._cut)

    @property
    def blocks(self) -> list[SymbolicBlock]:
        """The blocks, from the ground on. Links in none of them are pieces of assembly."""
        return [hybrid.symbolic_block(self.tree, block, self._cut) for block in self._cut.blocks]

    @property
    def forces(self) -> np.ndarray:
        """[n; f] (n, 6) on the links at their origins from the joints that carry them, in the last call, in ground
        axes."""
        put_forces(self.tree.arrays, self.room, self._wrench, self._forces)
        return self._forces.copy()


class FormulationOnThreads(Formulation):
    """A formulation on two threads, see :mod:`flexmb.formulations.pieces.threads`."""

    def __init__(self, tree: Tree, name: str, joint_order: Sequence[str | Sequence[str]] | None, threads: int) -> None:
        where = f"formulation {name!r} of {tree.model.where}"
        if threads != 2 or name != "ada" or joint_order is not None or tree.graph.groups:
            raise FormulationError(
                f"{where}: threads are 1, or 2 for the formulation 'ada' in its own order through rigid links, not "
                f"{threads!r}"
            )
        super().__init__(tree, name)
        self._two = TwoThreads(tree)
        self.room = self._two.room

    def __call__(self, q: Any, v: Any, tau: Any = None, wrench: Any = None) -> np.ndarray:
        """The accelerations v̇ (nv,)."""
        tau = self._no_tau if tau is None else tau
        return self._with_care(q, v, tau, self._no_wrench if wrench is None else wrench)

    def _solve(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray, wrench: np.ndarray, result: np.ndarray) -> int:
        return self._two(q, v, tau, wrench, result)
