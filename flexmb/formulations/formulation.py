"""Formulations of the equations of motion in joint coordinates, bound to a model: compiled functions for its
accelerations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmb.errors import FormulationError, ModelError
from flexmb.formulations import aba, hybrid, lagrange
from flexmb.formulations.binding import Bound, FormulationKind, invoke
from flexmb.formulations.blocks.reading import SymbolicBlock
from flexmb.formulations.newton_euler import joint_forces
from flexmb.formulations.pieces import ada, dca
from flexmb.formulations.pieces.reactions import put_forces
from flexmb.formulations.pieces.threads import TwoThreads
from flexmb.formulations.tree.inertial import refuse_friction
from flexmb.formulations.tree.tree import Tree
from flexmb.formulations.tree.turns import parallel_axes
from flexmb.model import checks
from flexmb.model.model import Model

#: the formulations by name
FORMULATIONS: dict[str, FormulationKind] = {
    "aba": aba.FORMULATION,
    "lagrange": lagrange.FORMULATION,
    "ada": ada.FORMULATION,
    "dca": dca.FORMULATION,
    "hybrid": hybrid.FORMULATION,
}
#: two axes count as parallel if the sine of their angle is below this
PARALLEL = 1e-6


def formulation(
    model: Model | Tree,
    name: str = "aba",
    *,
    joint_order: Sequence[str | Sequence[str]] | None = None,
    threads: int = 1,
    block: int | None = None,
    budget: int = hybrid.BUDGET,
) -> Formulation:
    """The accelerations of a mechanism as a function of arrays, v̇ = formulation(q, v, tau), compiled.

    `name` of the formulation: "aba", articulated bodies, whose time grows linearly with the number of links;
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

    `block`, for "hybrid": the largest number of links in a block; chosen by the number of operations when not given. A
    block is derived once for its structure, and kept on disk; one whose derivation takes more than `budget` statements
    is left to numbers, with a warning. See :class:`flexmb.HybridFormulation`.
    """
    tree = model if isinstance(model, Tree) else Tree.of(model)
    if name == "hybrid" and threads == 1 and joint_order is None:
        return HybridFormulation(tree, block, budget)
    if block is not None:
        raise FormulationError(f"formulation {name!r} of {tree.model.where}: block is for 'hybrid' in its own order")
    return (
        Formulation(tree, name, joint_order) if threads == 1 else FormulationOnThreads(tree, name, joint_order, threads)
    )


class Formulation:
    """A formulation bound to the tree of a model: v̇ (nv,) = formulation(q, v, tau, wrench) for joint coordinates q
    (nq,), speeds v (nv,), drives tau (nv,) [N, N m] along the speeds, and external forces `wrench` (n, 6), [n; f] on
    each link at its origin in ground axes; tau and wrench are zero when not given. The result is a new array at each
    call.

    Functions compiled by Numba can call its attribute `solve(links, room, q, v, tau, wrench, vdot)`, with its
    attributes `links` and `room` as arguments: it fills vdot (nv,) and returns zero, or another number if it fails.
    Arrays are not checked there.

    >>> import numba
    >>> import numpy as np
    >>> import flexmb as fm
    >>> m = fm.SpatialModel("pendulum", gravity=(0, 0, -9.81))
    >>> rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, -1))
    >>> hinge = m.revolute(m.ground, rod.attach("top", (0, 0, 1)), axis="y", name="hinge")
    >>> formulation = fm.formulation(m)
    >>> solve = formulation.solve
    >>> @numba.njit
    ... def fall(links, room, q, v, tau, wrench, vdot, step, count):
    ...     for _ in range(count):
    ...         if solve(links, room, q, v, tau, wrench, vdot) != 0:
    ...             return
    ...         v += step * vdot
    ...         q += step * v
    >>> q, v, tau, vdot = np.zeros((4, 1))
    >>> q[0] = 1.5
    >>> fall(formulation.links, formulation.room, q, v, tau, np.zeros((1, 6)), vdot, 1e-4, 10_000)
    >>> q.round(3), vdot.round(3)
    (array([-1.281]), array([8.546]))
    """

    def __init__(self, tree: Tree, name: str = "aba", joint_order: Sequence[str | Sequence[str]] | None = None) -> None:
        where = f"formulation of {tree.model.where}"
        self.kind = FORMULATIONS[checks.choice(name, FORMULATIONS, "name", where)]
        self.name, self.tree = name, tree
        self._refuse()
        self.solve, self.links, self.room = self.kind.solve, tree.arrays, self._room(joint_order)
        self._no_tau, self._no_wrench = np.zeros(tree.nv), np.zeros((len(tree.arrays.parent), 6))
        self._wrench = self._no_wrench
        self._forces = self._no_wrench.copy()
        self._bound = Bound(self.kind, tree.arrays, self.room)
        self._place, self._size = self._bound.place, tree.nv

    def _room(self, joint_order: Sequence[str | Sequence[str]] | None) -> Any:
        if joint_order is None:
            return self.kind.room_for(self.tree)
        if not self.kind.takes_orders:
            those = " or ".join(repr(name) for name, kind in FORMULATIONS.items() if kind.takes_orders)
            raise FormulationError(f"formulation {self.name!r} of {self.tree.model.where}: an order is for {those}")
        return self.kind.room_for(self.tree, steps_of(self.tree, joint_order))

    def __call__(self, q: Any, v: Any, tau: Any = None, wrench: Any = None) -> np.ndarray:
        """The accelerations v̇ (nv,)."""
        tau = self._no_tau if tau is None else tau
        outside = self._no_wrench if wrench is None else wrench
        result = np.empty(self._size)
        try:
            if not invoke(self._place, q, v, tau, outside, result):
                self._wrench = outside if wrench is None else wrench.copy()
                return result
        except (TypeError, ValueError, AttributeError):  # arguments that compiled code does not take
            pass
        return self._with_care(q, v, tau, outside)

    @property
    def accelerations(self) -> np.ndarray:
        """[α; a] (n, 6) of the links at their origins in the last call, in ground axes."""
        found: np.ndarray = self.room.accelerations
        return found.copy()

    @property
    def forces(self) -> np.ndarray:
        """[n; f] (n, 6) on the links at their origins from the joints that carry them, in the last call, in ground
        axes."""
        if self.kind.gives_forces:
            found: np.ndarray = self.room.forces
            return found.copy()
        room = self.room
        joint_forces(self.tree.arrays, room.moving, room.groups, room.accelerations, self._wrench, self._forces)
        return self._forces.copy()

    @property
    def stabilize(self) -> tuple[float, float]:
        """a [1/s] and b [1/s²] of the stabilization of Baumgarte (1972): gaps u of loops close as ü = −a u̇ − b u. Zero
        by default; the gap of an open loop then does not close."""
        self._refuse_without_loops()
        return float(self.room.stabilize[0]), float(self.room.stabilize[1])

    @stabilize.setter
    def stabilize(self, rates: tuple[float, float]) -> None:
        self._refuse_without_loops()
        where = f"formulation {self.name!r} of {self.tree.model.where}"
        self.room.stabilize[:] = checks.vector(rates, "stabilize", where, 2)

    @property
    def loop_forces(self) -> np.ndarray:
        """[n; f] (c, 6) of the c joints that close loops, `tree.chords`, in the last call: on the link of their frame
        b, about the origin of the joint on it, in ground axes. Where the motion does not determine them they are the
        least-norm ones of each step in which a loop is closed."""
        self._refuse_without_loops()
        found: np.ndarray = self.room.loop_forces
        return found.copy()

    def _refuse_without_loops(self) -> None:
        if not self.kind.takes_loops:
            raise FormulationError(f"formulation {self.name!r} of {self.tree.model.where}: it takes no loops")

    def _with_care(self, q: Any, v: Any, tau: Any, wrench: Any) -> np.ndarray:
        """Accelerations for arguments that must be converted first, or for which the compiled call failed: checks them
        and raises the error that says why."""
        tree, where = self.tree, f"formulation {self.name!r} of {self.tree.model.where}"
        q = tree.position(q, where)
        v, tau = (checks.vector(x, what, where, tree.nv) for x, what in ((v, "v"), (tau, "tau")))
        self._wrench = forces_on(tree, wrench, where)
        result = np.zeros(tree.nv)
        status = self._solve(q, v, tau, self._wrench, result)
        if status:
            raise without_inertia(tree, status, where, q)
        if not checks.all_finite(result):
            raise FormulationError(f"{where}: accelerations are not finite; speeds or drives are too large")
        return result

    def _solve(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray, wrench: np.ndarray, result: np.ndarray) -> int:
        return int(self.kind.solve(self.tree.arrays, self.room, q, v, tau, wrench, result))

    def _refuse(self) -> None:
        graph, where = self.tree.graph, f"formulation {self.name!r} of {self.tree.model.where}"
        if graph.chords and not self.kind.takes_loops:
            chord = graph.chords[0].name
            loop = ", ".join(map(repr, self.tree.loop(chord)))
            other = [name for name, kind in FORMULATIONS.items() if kind.takes_loops]
            raise FormulationError(
                f"{where}: joint {chord!r} closes a loop with {loop}, and this formulation takes trees; "
                + (f"choose {' or '.join(map(repr, other))}" if other else "open the loop")
            )
        refuse_friction(self.tree.system, where)
        if graph.others:
            names = ", ".join(repr(c.name) for c in graph.others[:5])
            raise FormulationError(
                f"{where}: it does not know {names}; leave out what is neither body nor joint and hand over its forces "
                "as `tau` or `wrench`, or simulate the model, which does so"
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

    def __init__(self, tree: Tree, block: int | None = None, budget: int = hybrid.BUDGET) -> None:
        where = f"formulation 'hybrid' of {tree.model.where}"
        self._largest = block if block is None else checks.count(block, "block", where, least=1)
        self._budget = checks.count(budget, "budget", where, least=1)
        super().__init__(tree, "hybrid")

    def _room(self, joint_order: Any) -> Any:
        self._cut = hybrid.derived(self.tree, self._largest, self._budget)
        return hybrid.room_with(self.tree, self._cut)

    @property
    def blocks(self) -> list[SymbolicBlock]:
        """The blocks, from the ground on. Links in none of them are pieces of assembly."""
        return [hybrid.symbolic_block(self.tree, block) for block in self._cut.blocks]

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


def steps_of(tree: Tree, order: Sequence[str | Sequence[str]]) -> list[list[int]]:
    """An order of joints, given by names, as lists of their indices; the joints that close loops are numbered after
    those of the tree."""
    where, names = f"order of the joints of {tree.model.where}", [*tree.joints, *tree.chords]
    steps = [checks.several(step, "a step", where) for step in checks.several(order, "order", where)]
    given = [name for step in steps for name in step]
    for name in given:
        checks.known(name, names, "joint", where)
    wrong = [name for name in names if given.count(name) != 1]
    if wrong:
        count = given.count(wrong[0])
        raise FormulationError(f"{where}: it has to have each joint once, and has {wrong[0]!r} {count} times")
    return [[names.index(name) for name in step] for step in steps if step]


def forces_on(tree: Tree, wrench: Any, where: str) -> np.ndarray:
    """External forces on the links of a tree (n, 6), checked."""
    shape = len(tree.arrays.parent), 6
    wanted = f"numbers of shape {shape}, [n; f] on each link"
    found = checks.numbers(wrench, "wrench", where, wanted)
    if found.shape != shape:
        raise ModelError(f"{where}: wrench must be {wanted}, not of shape {found.shape}")
    return found


def without_inertia(tree: Tree, status: int, where: str, q: np.ndarray) -> FormulationError:
    """The error for a link that its joint can move without any inertia at joint coordinates q (nq,); `status` is what a
    formulation returned."""
    link, joint = tree.links[status - 1], tree.joints[status - 1]
    if tree.arrays.place_of[status - 1] >= 0:
        others = " or ".join(repr(name) for name, kind in FORMULATIONS.items() if not kind.takes_loops)
        return FormulationError(
            f"{where}: assembly takes what stands at {link!r}, a place within a beam, for a body of its own, which has "
            f"no inertia against all motions; give it mass and moments of inertia about all axes, or take {others}, "
            f"which ask for none there{_of_beams(tree)}"
        )
    if parallel_axes(tree.arrays.joints, q, PARALLEL) == status - 1:
        return FormulationError(
            f"{where}: the first and the last axis of the Euler angles of joint {joint!r} are parallel, so that their "
            "rates are not determined; take quaternions, as trees without euler_angles do"
        )
    return FormulationError(
        f"{where}: link {link!r}, with all that it carries, has no inertia against a motion that joint {joint!r} "
        f"allows; give it mass, or a moment of inertia about that axis{_of_beams(tree)}"
    )


def _of_beams(tree: Tree) -> str:
    """For a tree with beams, the other possible cause of a singular inertia: coinciding ends, as at coordinates that
    are all zero."""
    return (
        "; or the ends of a beam coincide at this q (tree.start() is where the model stands)"
        if tree.graph.groups
        else ""
    )
