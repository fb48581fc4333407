"""Formulations of the equations of motion in joint coordinates, bound to a model: compiled functions for its
accelerations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmb.errors import FormulationError
from flexmb.formulations.arguments import forces_on, steps_of
from flexmb.formulations.binding import Bound, invoke
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.formulations.missing_inertia import without_inertia
from flexmb.formulations.newton_euler import joint_forces
from flexmb.formulations.tree.inertial import refuse_friction
from flexmb.formulations.tree.tree import Tree
from flexmb.model import checks


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
            raise without_inertia(tree, status, where, q, self.room)
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
