"""Motions of the joints that leave the base alone: the reaction null space of a floating or a footed robot.

While the base rests, the momentum of all links about the origin of the base is that of the joints' motion,

    L = [moment of momentum; momentum] = M_c θ̇,      W = L̇ = M_c θ̈ + Ṁ_c θ̇

with the coupling inertia M_c (6, n), in the plane (3, n). The base has to be held by the force and the moment W,
besides those against the weight, or moves if nothing holds it. So motions with

    θ̈ = −M_c⁺ Ṁ_c θ̇ + (1 − M_c⁺ M_c) ζ

do nothing to the base, whatever ζ is: Takahashi (2012), eqs. (6.2) to (6.4). A task ẋ = J θ̇ is done by those of them
that can do it, ζ = (J N)⁺ (ẍ − J̇ θ̇ + J M_c⁺ Ṁ_c θ̇) with N = 1 − M_c⁺ M_c.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.algebra.least_norm import least_norm
from flexmb.errors import ControlError
from flexmb.formulations.dynamics import TreeDynamics
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.blocks import STATE
from flexmb.model import checks, given_names
from flexmb.model.hints import AnswersCalls
from flexmb.model.model import Model

#: singular values of the coupling inertia, and of a task in its null space, below this part of the largest are zero
NOTHING = 1e-9
#: of the six components of a wrench, moment first, those that a mechanism of the plane has
PLANAR = (2, 3, 4)


class ReactionNullSpace(metaclass=AnswersCalls):
    """Motions of the joints of a robot that leave its base alone, see :mod:`flexmb.control.reaction_null_space`.

    `model`: an open chain or tree with one body that floats, which is its base, or with links that hang on the ground,
    which is then the base. States are joint coordinates q (nq,) and speeds v (nv,) of the tree, with the base at rest;
    moments are about the mass center of the floating body, or the origin of the ground.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("satellite with an arm")
    >>> hull = m.add_body("hull", mass=50.0, inertia=10.0)
    >>> at = hull.attach("shoulder", (0.5, 0))
    >>> for k in range(5):
    ...     link = m.add_body(f"link {k}", mass=2.0, inertia=0.2, position=(1.0 + k, 0))
    ...     _ = m.revolute(at, link.attach("a", (-0.5, 0)), name=f"joint {k}")
    ...     at = link.attach("b", (0.5, 0))
    >>> space = fm.control.ReactionNullSpace(m)
    >>> q = [0, 0, 0, 0.1, 0.4, -0.3, 0.5, 0.2]
    >>> space.joints[0], space.motions(q).shape  # five joints, three equations
    ('joint 0.angle', (5, 2))
    >>> rate = space.motions(q) @ [0.3, 0.2]
    >>> acceleration = space.accelerations(q, [0, 0, 0, *rate])
    >>> bool(abs(space.base_force(q, [0, 0, 0, *rate], acceleration)).max() < 1e-12)
    True
    """

    def __init__(self, model: Model | Tree) -> None:
        self._dynamics = TreeDynamics(model)
        self.tree = self._dynamics.tree
        self.where = f"reaction null space of {self.tree.model.where}"
        if self.tree.chords:
            raise ControlError(
                f"{self.where}: it has loops, by {', '.join(self.tree.chords)}; give an open chain or tree"
            )
        floating = [name.partition(".base.")[0] for name in self.tree.names if ".base." in name]
        if len(set(floating)) > 1:
            raise ControlError(f"{self.where}: {', '.join(dict.fromkeys(floating))} float; give a robot with one base")
        states = {self.tree.system.names[k] for k in np.flatnonzero(self.tree.system.assembly.free.mask(STATE))}
        self._base = np.array([".base." in name for name in self.tree.names], dtype=bool)
        self._moved = ~self._base & [name not in states for name in self.tree.names]
        self.joints = [name for name, moved in zip(self.tree.names, self._moved) if moved]
        if not self.joints:
            raise ControlError(f"{self.where}: it has no joints")
        own: Any = self.tree.model
        self._components = list(PLANAR if own.dimension == 2 else range(6))
        every = [f"{what}.{axis}" for what in ("angular_momentum", "momentum") for axis in "xyz"]
        self._rows = ["angular_momentum", *every[3:5]] if own.dimension == 2 else every
        self._center: np.ndarray | None = None
        if floating:
            node = own.components[floating[0]].frame.node
            self._center = self.tree.system.assembly.node_numbers(node).q[: own.dimension]

    def coupling(self, q: Any) -> np.ndarray:
        """M_c (6, n), in the plane (3, n): moment of momentum and momentum about the base for each joint speed."""
        return self._dynamics.momentum_matrix(q, self._about(q))[self._components][:, self._moved]

    def motions(self, q: Any) -> np.ndarray:
        """An orthonormal basis N (n, k) of the joint speeds that leave the base alone."""
        return self._parts(self.coupling(q))[1]

    def _parts(self, coupling: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """M_c⁺ (n, 6) and N (n, k)."""
        U, s, Vt = np.linalg.svd(coupling)
        rank = int(np.sum(s > NOTHING * s[0]))
        self._refuse_none(rank)
        return Vt[:rank].T @ (U[:, :rank] / s[:rank]).T, Vt[rank:].T

    def _refuse_none(self, rank: int) -> None:
        """Refuse a coupling of this rank that leaves no motions."""
        if rank == len(self.joints):
            raise ControlError(
                f"{self.where}: no motion of its {rank} joints leaves the base alone; it takes more joints than the "
                f"{len(self._components)} components of force and moment"
            )

    def ratio(self, q: Any, follower: str, leader: str, quantity: str) -> float:
        """θ̇ of the joint `follower` for each unit of that of the joint `leader` that leaves a `quantity` zero while all
        other joints rest: "momentum.x", "angular_momentum.y" …, in the plane "angular_momentum"."""
        names = [name.rpartition(".")[0] for name in self.joints]
        for name in (follower, leader):
            given_names.known(name, names, "joint", self.where)
            if names.count(name) > 1:
                raise ControlError(f"{self.where}: joint {name!r} moves in several ways; one that follows has one")
        row = self.coupling(q)[self._rows.index(checks.choice(quantity, self._rows, "quantity", self.where))]
        by, other = row[names.index(follower)], row[names.index(leader)]
        if abs(by) <= NOTHING * float(np.max(np.abs(row))):
            raise ControlError(f"{self.where}: {follower!r} does not change {quantity} in this position")
        return float(-other / by)

    def accelerations(self, q: Any, v: Any, wanted: Any = None, *, task: Any = None, reached: Any = None) -> np.ndarray:
        """θ̈ (n,) that leaves the base alone, nearest to those `wanted` (n,), zero when not given; or with the Jacobian
        of a `task` (p, n) nearest to its accelerations `reached` ẍ − J̇ θ̇ (p,)."""
        if task is None:
            coupling, left, found = self.coupling(q), -self._bias(q, v), np.zeros(len(self.joints))
            own = 0.0 * found if wanted is None else checks.vector(wanted, "wanted", self.where, len(found))
            self._refuse_none(least_norm(coupling, left - coupling @ own, NOTHING, found))
            return np.asarray(own + found)
        bound, N = self._parts(self.coupling(q))
        must = -bound @ self._bias(q, v)
        J = np.asarray(task, dtype=float)
        if J.ndim != 2 or J.shape[1] != len(must):
            raise ControlError(
                f"{self.where}: task has the shape {J.shape}; give a row of {len(must)} numbers for each"
            )
        left = checks.vector(reached, "reached", self.where, len(J)) - J @ must
        return np.asarray(must + N @ (np.linalg.pinv(J @ N, rcond=NOTHING) @ left))

    def base_force(self, q: Any, v: Any, accelerations: Any) -> np.ndarray:
        """W (6,), in the plane (3,): moment and force that hold the base at rest, besides those against the weight."""
        return self.coupling(q) @ checks.vector(
            accelerations, "accelerations", self.where, len(self.joints)
        ) + self._bias(q, v)

    def _bias(self, q: Any, v: Any) -> np.ndarray:
        """Ṁ_c θ̇."""
        u = checks.vector(v, "v", self.where, self.tree.nv)
        if np.any(u[self._base]):
            raise ControlError(f"{self.where}: its base moves; these are motions that leave one at rest alone")
        rate = self._dynamics.momentum_rate(q, u, np.zeros(self.tree.nv), self._about(q))
        return np.asarray(rate[self._components])

    def _about(self, q: Any) -> np.ndarray:
        """The mass center of the base, or the origin of a fixed one (3,)."""
        place = np.zeros(3)
        if self._center is None:
            return place
        still = np.zeros(self.tree.nv)
        system = self.tree.system
        states = system.initial.copy(), *np.zeros((2, system.plan.total))
        self.tree.put(self.tree.position(q, self.where), still, still, *states)
        place[: len(self._center)] = states[0][self._center]
        return place
