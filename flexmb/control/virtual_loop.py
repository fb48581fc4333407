"""Control by a virtual closed loop: an open chain that moves as if it were a mechanism with a loop.

A controller imagines the chain with joints that close it, and with springs and dampers that pull it where it shall go.
At each instant the equations of motion of this loop give accelerations, and the inverse dynamics of the real chain the
torques that cause them, Takahashi (2012), eqs. (7.1) to (7.5):

    (q̇, q) ↦ v̇ of the loop:  M v̇ + h = Cᵀ λ,   C v̇ = c − 2 α ġ − α² g
    τ = M_r v̇ + h_r            of the chain

so that the chain behaves as the loop does, without that anything holds its end. g are the rows that close the loop, ġ
and c their rates and what C v̇ must be. Torques are held from one instant to the next, and nothing real closes the loop:
without the second and third term errors of the first order in the period would add up. With them they decay at the rate
α (Baumgarte, 1972).

Joint coordinates that no actuator moves, such as those of a floating base, follow their own equations
(:mod:`flexmb.control.open_chain`): v̇ of the other ones is that of the loop.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.control.open_chain import OPEN, OpenChain
from flexmb.errors import ControlError
from flexmb.formulations.tree.tied import Tied
from flexmb.model import checks
from flexmb.model.model import Model
from flexmb.system.system import System

#: loops of up to so many unknowns have dense matrices: at each instant sparse ones take Python longer than the rest
DENSE_LIMIT = 500
#: singular values of the rows, in the norm of the mass matrix, below this part of the largest restrict nothing
NOTHING = 1e-7


class VirtualLoop(OpenChain):
    """The torques by which an open chain moves as if it were closed to a loop, see :mod:`flexmb.control.virtual_loop`.

    `open_chain`: a model of the chain, as the controller knows it, with its weight; `loop`: a model of the same bodies
    and joints, by the same names, with joints that close it, and with springs, dampers and loads that move it; give it
    weight only if the mechanism that is imagined shall sag. `stabilization` α [1/s].

    >>> import flexmb as fm
    >>> def pendulum(gravity, *, held):
    ...     m = fm.PlanarModel("pendulum", gravity=(0, -gravity))
    ...     rod = m.add_body("rod", mass=1.0, inertia=0.1, position=(1, 0))
    ...     hinge = m.revolute(m.ground, rod.attach("top", (-1, 0)), name="hinge")
    ...     if held:
    ...         m.torsion_spring(m.ground, rod.frame, stiffness=5.0, damping=5.0, free_angle=0.4)
    ...     else:
    ...         m.joint_force(hinge, 0.0, name="motor")
    ...     return m
    >>> law = fm.control.VirtualLoop(pendulum(9.81, held=False), pendulum(0.0, held=True))
    >>> law.accelerations([0.0], [0.0]).round(6)  # 5 · 0.4/1.1, as if it had no weight
    array([1.818182])
    >>> law.drives([0.0], [0.0]).round(6)  # and its weight
    array([11.81])
    """

    title = "virtual loop"

    def __init__(self, open_chain: Model, loop: Model, *, stabilization: float = 30.0) -> None:
        for what, model in (("open_chain", open_chain), ("loop", loop)):
            if not isinstance(model, Model):
                raise ControlError(f"virtual loop: {what} is {checks.quoted(model)}; give a model")
        super().__init__(open_chain, f"virtual loop {loop.name!r} of chain")
        self.stabilization = checks.not_negative(stabilization, "stabilization", self.where)
        self._chain, self._loop = self.tree.system, System(loop, dense_limit=DENSE_LIMIT)
        self._q, (self._v, self._a) = self._chain.initial.copy(), np.zeros((2, self._chain.plan.total))
        self._sort()
        self._check_loop()

    def _sort(self) -> None:
        """Which coordinates of the loop are those of the chain, and where; which are the loop's own, as the angles that
        springs and motors in space count; and which rows close the loop."""
        loop, chain = self._loop, self._chain
        given = np.append(self.tree.given, np.ones(chain.nq - chain.n, dtype=bool))  # the scalar parts of orientations
        self._loop_at_v, self._loop_at_q = (
            np.array([{n: k for k, n in enumerate(known) if given[k]}.get(name, -1) for name in names], dtype=np.int64)
            for names, known in ((loop.names, chain.names), (loop.coordinate_names, chain.coordinate_names))
        )
        self._tied = tied = Tied(loop, self._loop_at_v >= 0)
        missing = [loop.names[k] for k in np.setdiff1d(np.flatnonzero(self._loop_at_v < 0), tied.own)]
        if missing:
            raise ControlError(
                f"{self.where}: the loop has coordinates that the chain has not: {', '.join(missing[:4])}; build both "
                "of the same bodies and joints, by the same names"
            )
        met, joints = {*tied.rows.tolist()}, {*self.tree.joints}
        rows = [k for k, row in enumerate(loop.rows) if row.owner not in joints and k not in met]
        self._rows = np.array(rows, dtype=np.int64)
        self._units = loop.row_scale[rows]

    def _check_loop(self) -> None:
        """Refuse a loop that is open at the start of the chain."""
        if not len(self._rows):
            return
        place, speed = self._state(self.tree.start()[0], np.zeros(self.tree.nv))[:2]
        g = self._loop.constraint(0.0, place, speed)[0][self._rows] / self._units
        worst = int(np.argmax(np.abs(g)))
        if not abs(g[worst]) <= OPEN:
            row = self._loop.rows[self._rows[worst]]
            gap = abs(g[worst]) * self._units[worst]
            raise ControlError(
                f"{self.where}: joint {row.owner!r} does not close at the start of the chain: a gap of {gap:.3g} "
                f"{'m' if row.kind == 'length' else 'rad'} in {row.name!r}; place both in the same position"
            )

    def _state(self, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Coordinates, speeds, accelerations without those of the joints, and the speeds (n, nv) for each joint speed,
        of the loop in a state of the chain. Its own coordinates follow from their rows, angles within half a turn of
        those in its model."""
        loop, still = self._loop, np.zeros(self.tree.nv)
        n, J = loop.n, np.zeros((loop.n, self.tree.nv))
        given, moving = self._loop_at_q >= 0, self._loop_at_v >= 0
        for j, unit in enumerate(np.eye(self.tree.nv)):
            self.tree.put(x, unit, still, self._q, self._v, self._a)
            J[moving, j] = self._v[self._loop_at_v[moving]]
        self.tree.put(x, u, still, self._q, self._v, self._a)
        place, speed, rate = loop.q0.copy(), np.zeros(n), np.zeros(n)
        place[given] = self._q[self._loop_at_q[given]]
        speed[moving], rate[moving] = self._v[self._loop_at_v[moving]], self._a[self._loop_at_v[moving]]
        self._tied.put(0.0, place, speed, rate)
        self._tied.put_columns(0.0, place, J)
        return place, speed, rate, J

    def accelerations(self, q: Any, v: Any, t: float = 0.0) -> np.ndarray:
        """v̇ (nv,) of the virtual loop in joint coordinates q (nq,) and speeds v (nv,) of the chain, at a time [s]."""
        x, t = self.tree.position(q, self.where), checks.number(t, "t", self.where)
        place, speed, rate, J = self._state(x, checks.vector(v, "v", self.where, self.tree.nv))
        loop = self._loop
        both = loop.matrix(t, place, speed, rate, np.zeros(loop.m), (1.0, 0.0, 0.0))  # M and G
        M = J.T @ (both[: loop.n, : loop.n] @ J)
        force = -(J.T @ loop.residual(t, place, speed, rate))
        root = np.linalg.inv(np.linalg.cholesky(M)).T
        free = root.T @ force
        if not len(self._rows):
            return np.asarray(root @ free)
        g, rates, gamma = (row[self._rows] / self._units for row in loop.constraint(t, place, speed))
        G = both[loop.n :, : loop.n][self._rows] / self._units[:, None]
        C, c = G @ J @ root, gamma - G @ rate
        wanted = c - 2.0 * self.stabilization * rates - self.stabilization**2 * g
        held = np.linalg.lstsq(C, wanted - C @ free, rcond=NOTHING)[0]
        return np.asarray(root @ (free + held))
