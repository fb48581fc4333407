"""A classical formulation bound to the tree of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmb.errors import FormulationError
from flexmb.forces.callbacks import raise_failures
from flexmb.formulations.arguments import forces_on
from flexmb.formulations.classical.first_order import speeds_beside, with_states, without
from flexmb.formulations.classical.motion import Rows
from flexmb.formulations.classical.motion_reader import Reader
from flexmb.formulations.classical.paper import Found
from flexmb.formulations.classical.scope import COMPILED_LOOPS, COMPILED_TREES, Obstacle, obstacles, why_not
from flexmb.formulations.formulation import Formulation
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.formulations.papers import NAMES, paper_for
from flexmb.formulations.tree.tree import Tree
from flexmb.model import checks


def takes(name: str, found: list[Obstacle]) -> frozenset[str]:
    """What a formulation takes of the features of mechanisms, of one that has those which were found."""
    if name in FORMULATIONS:
        kind = FORMULATIONS[name]
        return (COMPILED_LOOPS if kind.takes_loops else COMPILED_TREES) - ({"massless"} if kind.inverts else set())
    return paper_for(name, found).scope.takes


class ClassicalFormulation(Formulation):
    """A formulation of the survey of Ohkami et al. (1985) bound to the tree of a model: v̇ (nv,) = formulation(q, v,
    tau, wrench, t), as every :class:`flexmb.formulations.Formulation`, in NumPy and by the equations of its paper. The
    forces of the model's components at the time t [s] are loads, which compiled formulations leave to the caller;
    wheels of constant speed are too. Those that take drives, rolling or loops need q and v that obey these; for
    rigid bodies :func:`flexmb.formulations.flexible.discos.consistent_start` finds them.

    `yields`: what the paper gives beside accelerations, arrays by name, of the last call; `about` says what they are.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("pendulum", gravity=(0, 0, -9.81))
    >>> rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, -1))
    >>> hinge = m.revolute(m.ground, rod.attach("top", (0, 0, 1)), axis="y", name="hinge")
    >>> spring = m.torsion_spring(m.ground, rod.frame, axis="y", stiffness=2.0)
    >>> ho = fm.formulation(m, "ho")
    >>> ho([0.5], [0.0]).round(6)  # −(m g l sin 0.5 + 0.5 · 2)/(J + m l²)
    array([-5.184695])
    >>> list(ho.yields), ho.about["hinge forces"]
    (['hinge forces'], '[n; f] (n, 6) of the hinges on the bodies that they carry, at their hinge points')
    """

    def __init__(
        self, tree: Tree, name: str, joint_order: Sequence[str | Sequence[str]] | None = None, threads: int = 1
    ) -> None:
        self.name, self.tree = name, tree
        where = f"formulation {name!r} of {tree.model.where}"
        if joint_order is not None or threads != 1:
            raise FormulationError(f"{where}: joint_order and threads are for 'ada' and 'dca'")
        found = obstacles(tree)
        self.paper = paper_for(name, found)
        broken = self.paper.scope.broken(found)
        if broken:
            raise FormulationError(f"{where}: {why_not(broken[0])}; {_who_does(found)}")
        #: what the entries of `yields` are
        self.about: dict[str, str] = dict(self.paper.yields)
        self.yields: dict[str, np.ndarray] = {}
        self._read: Any = (self.paper.reads or Reader)(tree)
        self._no_tau, self._no_wrench = np.zeros(tree.nv), np.zeros((len(tree.links), 6))
        self._accelerations, self._forces = self._no_wrench.copy(), self._no_wrench.copy()
        self._stabilize = (0.0, 0.0)
        self._states = speeds_beside(tree)

    def __call__(self, q: Any, v: Any, tau: Any = None, wrench: Any = None, t: float = 0.0) -> np.ndarray:
        """The accelerations v̇ (nv,)."""
        where = f"formulation {self.name!r} of {self.tree.model.where}"
        whole = self.motion(q, v, tau, wrench, t)
        motion = whole if self.paper.reads else without(whole, self._states)
        if any(self._stabilize) and motion.rows is not None:
            motion.rows = _stabilized(motion.rows, *self._stabilize)
        try:
            found: Found = self.paper.solve(motion)
        except np.linalg.LinAlgError:
            raise FormulationError(
                f"{where}: its equations are singular at this q; a body moves without inertia, or the axes of a hinge "
                "are parallel"
            ) from None
        if not checks.all_finite(found.ud):
            raise FormulationError(f"{where}: accelerations are not finite; speeds or drives are too large")
        self.yields = found.yields
        self._accelerations, self._forces = self._read.answers(motion, found.ud, found.yields.get("hinge forces"))
        return found.ud if motion is whole else with_states(whole, found.ud, self._states)

    def motion(self, q: Any, v: Any, tau: Any = None, wrench: Any = None, t: float = 0.0) -> Any:
        """The motion that the equations of the paper take: places, axes, speeds and loads of all bodies in a state, a
        :class:`flexmb.formulations.classical.motion.Motion`."""
        tree, where = self.tree, f"formulation {self.name!r} of {self.tree.model.where}"
        x = tree.position(q, where)
        u = checks.vector(v, "v", where, tree.nv)
        drives = self._no_tau if tau is None else checks.vector(tau, "tau", where, tree.nv)
        outside = self._no_wrench if wrench is None else forces_on(tree, wrench, where)
        motion = self._read(x, u, drives, outside, checks.number(t, "t", where))
        raise_failures(tree.model.components.values())  # what a user's force raised explains more than what follows
        return motion

    @property
    def stabilize(self) -> tuple[float, float]:
        """a [1/s] and b [1/s²] of the stabilization of Baumgarte (1972): errors g of the rows beside the hinges decay
        as g̈ = −a ġ − b g, errors ġ of rows of speeds as g̈ = −½ a ġ. Zero by default."""
        return self._stabilize

    @stabilize.setter
    def stabilize(self, rates: tuple[float, float]) -> None:
        where = f"formulation {self.name!r} of {self.tree.model.where}"
        a, b = checks.vector(rates, "stabilize", where, 2)
        self._stabilize = float(a), float(b)

    @property
    def accelerations(self) -> np.ndarray:
        """[α; a] (n, 6) of the links at their origins in the last call, in ground axes."""
        return self._accelerations.copy()

    @property
    def forces(self) -> np.ndarray:
        """[n; f] (n, 6) on the links at their origins from the joints that carry them, in the last call, in ground
        axes: those of the paper if it yields them, else from its accelerations."""
        return np.array(self._forces)

    def _refuse_without_loops(self) -> None:
        where = f"formulation {self.name!r} of {self.tree.model.where}"
        raise FormulationError(f"{where}: loop_forces are of 'ada' and 'dca'; it has `yields`")


def _stabilized(rows: Rows, a: float, b: float) -> Rows:
    """Rows whose errors decay, after Baumgarte."""
    return rows._replace(c=rows.c - np.where(rows.of_positions, a, 0.5 * a) * rows.rates - b * rows.g)


def _who_does(found: list[Obstacle]) -> str:
    features = {obstacle.feature for obstacle in found}
    others = [name for name in (*FORMULATIONS, *NAMES) if features <= takes(name, found)]
    if others:
        return f"choose {' or '.join(map(repr, others))}"
    return "no formulation takes it; simulate the model without one"
