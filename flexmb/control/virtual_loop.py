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

from functools import cached_property
from typing import Any

import numpy as np

from flexmb.control import imagined
from flexmb.control.imagined import NO_INERTIA, NOT_MOVED, TIED, Imagined
from flexmb.control.open_chain import OPEN, OpenChain
from flexmb.errors import ControlError
from flexmb.formulations.tree.tied import Tied
from flexmb.kernels.lending import Lent
from flexmb.machine.threads import in_turn
from flexmb.model import checks
from flexmb.model.model import Model
from flexmb.system.kernel_calls import CONSTRAINT, JACOBIAN
from flexmb.system.plan import COUNT, KERNEL_AT, ROW_AT, ROWS, Plan
from flexmb.system.system import System


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
        self._chain, self._loop = self.tree.system, System(loop, dense_limit=0)
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
        self._ask(self._put_loop, *self.tree.start(), 0.0)
        loop, found = self._loop, self._imagined
        g = loop.constraint(0.0, found.q[: loop.nq], found.v[: loop.n])[0][self._rows] / self._units
        worst = int(np.argmax(np.abs(g)))
        if not abs(g[worst]) <= OPEN:
            row = self._loop.rows[self._rows[worst]]
            gap = abs(g[worst]) * self._units[worst]
            raise ControlError(
                f"{self.where}: joint {row.owner!r} does not close at the start of the chain: a gap of {gap:.3g} "
                f"{'m' if row.kind == 'length' else 'rad'} in {row.name!r}; place both in the same position"
            )

    @cached_property
    def _imagined(self) -> Imagined:
        """Chain and loop, for compiled equations."""
        loop, chain, asked = self._loop, self._chain, self._answers.asked
        n, m, nv, rows, own = loop.n, loop.m, self.tree.nv, len(self._rows), len(self._tied.own)
        assert loop.pattern is not None
        same_q, same_v = (
            np.column_stack([np.flatnonzero(at >= 0), at[at >= 0]]) for at in (self._loop_at_q, self._loop_at_v)
        )
        motion, rates = np.zeros((3, loop.plan.total)), np.zeros((2, chain.plan.total))
        begin, row = loop.pattern
        return Imagined(
            asked, self.tree.nodes, chain.initial.copy(), rates[0], rates[1],
            self._closing_plan(), loop.scratch, begin, row, np.zeros(loop.plan.nnz),
            same_q, same_v, self._tied.own, self._tied.rows, self._rows, self._units, np.array([self.stabilization]),
            loop.initial.copy(), loop.initial.copy(), motion[0], motion[1], motion[2], np.zeros(m), np.zeros(4),
            np.array([1.0, 0.0, 0.0, 0.0]), np.zeros((3, m)), np.zeros(m), np.zeros(loop.plan.total),
            np.zeros((n, nv)), np.zeros((m, nv)), np.zeros((n, nv)), np.zeros((nv, nv)), np.arange(-1, nv - 1),
            np.zeros((rows, nv)), np.zeros(rows), np.zeros(nv), np.zeros((len(self.tree.links), 6)),
            np.zeros((own, own)), np.zeros(own, dtype=np.int64), np.zeros(own), np.zeros(nv),
        )  # fmt: skip

    def _closing_plan(self) -> Plan:
        """The plan of the loop, with no groups of rows but those that close it or tie its own coordinates: the chain
        fulfils the others."""
        plan, needed = self._loop.plan, [*self._rows.tolist(), *self._tied.rows.tolist()]
        groups = plan.groups.copy()
        for group in groups:
            rows = plan.rows[group[ROW_AT] : group[ROW_AT] + group[COUNT] * group[ROWS]]
            if not np.isin(rows, needed).any():
                group[[KERNEL_AT + CONSTRAINT, KERNEL_AT + JACOBIAN]] = 0
        return plan._replace(groups=groups)

    @cached_property
    def _put_loop(self) -> Lent:
        return Lent(imagined.put_loop, self._imagined)

    @cached_property
    def _accelerate(self) -> Lent:
        return Lent(imagined.accelerations, self._imagined)

    @cached_property
    def _drive(self) -> Lent:
        return Lent(imagined.drives, self._imagined)

    def _ask(self, question: Lent, q: Any, v: Any, t: float) -> None:
        """Let compiled equations answer in a state, or refuse it."""
        self._write(q, v)
        failed = question(checks.number(t, "t", self.where))
        if failed == NO_INERTIA:
            raise ControlError(f"{self.where}: the loop can move without any inertia; give its bodies mass and inertia")
        if failed == TIED:
            owners = ", ".join(dict.fromkeys(self._loop.rows[k].owner for k in self._tied.rows))
            raise ControlError(f"{self.where}: the coordinates of {owners} do not follow from those of the chain here")
        if failed == NOT_MOVED:
            self._refuse_left()

    @in_turn
    def accelerations(self, q: Any, v: Any, t: float = 0.0) -> np.ndarray:
        """v̇ (nv,) of the virtual loop in joint coordinates q (nq,) and speeds v (nv,) of the chain, at a time [s]."""
        self._ask(self._accelerate, q, v, t)
        return self._imagined.vdot.copy()

    @in_turn
    def drives(self, q: Any, v: Any, t: float = 0.0) -> np.ndarray:
        """τ (nv,) of the chain that causes the accelerations of the loop; zero for coordinates that no actuator
        moves."""
        self._ask(self._drive, q, v, t)
        return self._tau()
