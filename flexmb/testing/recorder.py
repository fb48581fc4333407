"""An assembler that records the instances of a component, so that their kernels can be called one by one."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.kernels.blocks import ANGLE, PLACE, VECTOR, Block, Coordinates, Numbers, joined
from flexmb.kernels.contract import Kernels
from flexmb.kernels.widths import ENERGY_WIDTH, POINT_ROWS, widths
from flexmb.model.components import Component, Rows
from flexmb.model.frames import Node
from flexmb.model.functions import Constant, TimeFunction
from flexmb.system.kernel_checks import check_blocks, check_coordinates, check_prescribed, check_row, check_slot
from flexmb.system.numbering import Numbering

Array = np.ndarray
#: weights (wm, wd, wk) that choose one part of a tangent
UNIT = np.eye(3)


def require(holds: bool, message: str) -> None:
    """Raise an AssertionError with the message unless the condition holds."""
    if not holds:
        raise AssertionError(message)


@dataclass(eq=False)
class RecordedInstance:
    """One kernel instance that a component added; `columns` are the numbers of its coordinates among the recorder's."""

    owner: Component
    kernels: Kernels
    columns: Array
    parameters: Array
    rows: list[tuple[str, str, str]]
    work: int
    label: str
    strength: int | None = None

    def where(self, role: str) -> str:
        """The kernel of a role as messages name it."""
        label = f" {self.label!r}" if self.label else ""
        return f"{self.owner.where}{label}: kernel {self.kernels.name!r}, {role}"

    @property
    def at_speed(self) -> Array:
        """Which of the rows (m,) are velocity rows."""
        return np.array([level == "velocity" for _, _, level in self.rows], dtype=bool)

    def width(self, role: str) -> int:
        """The number of values that a kernel fills for each instance."""
        return widths(len(self.columns), len(self.rows), int(np.sum(self.at_speed)))[role]

    def jacobian(self, t: float, q: Array, v: Array | None = None) -> Array:
        """G, (m, nv), at a state, or (n, m, nv) at n states."""
        m, nv = len(self.rows), len(self.columns)
        out = self.call("jacobian", t, q, v)[0]
        return out[..., : m * nv].reshape(*out.shape[:-1], m, nv)

    def multipliers(self, role: str) -> int:
        """The number of values that a kernel takes in `lam` for each instance."""
        return POINT_ROWS if role == "point_jacobian" else len(self.rows)

    def call(
        self,
        role: str,
        t: float,
        q: Array,
        v: Array | None = None,
        a: Array | None = None,
        lam: Array | None = None,
        w: Iterable[float] = (0.0, 0.0, 0.0),
        work: Array | None = None,
    ) -> tuple[Array, Array]:
        """`out` and `K` of a kernel at a state q, v, a (nv,), or at states (n, nv) in one call."""
        states = np.atleast_2d(q)
        n, nv = states.shape

        def flat(x: Array | None, width: int) -> Array:
            return np.array(np.broadcast_to(np.zeros(width) if x is None else x, (n, width)), dtype=float, order="C")

        index = np.arange(n * nv, dtype=np.int64).reshape(n, nv)
        out = np.zeros((n, self.width(role)))
        K = np.zeros((n, nv, nv))
        scratch = np.full(max(self.work, 1), np.nan) if work is None else work
        getattr(self.kernels, role)(
            np.array(np.broadcast_to(self.parameters, (n, len(self.parameters))), order="C"),
            index,
            index.copy(),
            float(t),
            flat(states, nv).ravel(),
            flat(v, nv).ravel(),
            flat(a, nv).ravel(),
            flat(lam, self.multipliers(role)),
            np.array(tuple(w), dtype=float),
            out,
            K,
            scratch,
        )
        return (out[0], K[0]) if np.ndim(q) == 1 else (out, K)


@dataclass(eq=False)
class Recorder:
    """An assembler that records instances, so that their kernels can be called one by one.

    It numbers all coordinates in the order in which they come, including those of fixed frames.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1)
    >>> recorder = Recorder.of(body)
    >>> recorder.residual(0.0, recorder.q, recorder.v, np.array([1.0, 0.0, 0.0])).tolist()
    [2.0, 0.0, 0.0]
    """

    gravity: Array = field(default_factory=lambda: np.zeros(2))
    numbering: Numbering = field(default_factory=Numbering)
    instances: list[RecordedInstance] = field(default_factory=list)
    component: Component | None = None
    #: this number is added to the strength of components
    stronger: float = 0.0

    def __post_init__(self) -> None:
        self.gravity = np.array(self.gravity, dtype=float)
        self._nodes: dict[int, tuple[Numbers, ...]] = {}
        self._owned: list[int] = []  # numbers of the component's own coordinates
        self._kept: list[Node] = []  # keeps the nodes alive, so that no two get the same id

    @classmethod
    def of(cls, component: Component, gravity: Any = (0.0, 0.0), stronger: float = 0.0) -> Recorder:
        """The recorder of one component, whose `rigid_motion` is checked."""
        recorder = cls(gravity, component=component, stronger=stronger)
        component.assemble(recorder)
        for instance in recorder.instances:
            columns = instance.columns
            require(
                columns.size == 0 or 0 <= columns.min() <= columns.max() < len(recorder.q),
                f"{component.where}: instance of {instance.kernels.name!r} has coordinates not its own",
            )
        recorder._check_rigid_motion(component)
        return recorder

    @property
    def where(self) -> str:
        """The component as messages name it."""
        return self.component.where if self.component else "component"

    # the assembler's side

    def node(self, node: Node) -> tuple[Numbers, ...]:
        if id(node) not in self._nodes:
            stem = f"node {len(self._nodes) + 1} "
            self._nodes[id(node)] = self.numbering.add(stem, node.blocks, *node.coordinates())
            self._kept.append(node)
        return self._nodes[id(node)]

    def coordinates(
        self, owner: Component, blocks: Sequence[Block], initial: Array, speeds: Array | None = None
    ) -> tuple[Numbers, ...]:
        values = np.asarray(initial, dtype=float)
        sets = len(values) if values.ndim == 2 else 0
        width = sum(len(block.names) for block in blocks)
        rates = np.zeros(max(sets, 1) * width) if speeds is None else np.asarray(speeds, dtype=float)
        check_blocks(owner, blocks)
        check_coordinates(owner, blocks, values, rates)
        first = len(self.numbering)
        numbers = self.numbering.add("", blocks, values.ravel().tolist(), rates.ravel().tolist(), sets)
        if owner is self.component:
            self._owned += range(first, len(self.numbering))
        return numbers

    def strength(self, owner: Component) -> TimeFunction:
        return owner.function(str(owner.strength)) + Constant(self.stronger)

    def prescribed(self, owner: Component) -> TimeFunction:
        return owner.function(str(owner.prescribed))

    def instance(
        self,
        owner: Component,
        kernels: Kernels,
        coordinates: Coordinates,
        parameters: Array,
        rows: Rows | None = None,
        work: int = 0,
        label: str = "",
        *,
        strength: int | None = None,
        prescribed: int | None = None,
    ) -> None:
        columns = np.array(joined(coordinates).v, dtype=np.int64)
        p = np.array(parameters, dtype=float)
        require(p.ndim == 1 and columns.ndim == 1, f"{owner.where}: parameters and coordinates must be vectors")
        check_slot(owner, p[None, :], strength)
        check_prescribed(owner, rows or (), prescribed)
        named = [check_row(owner.where, row) for row in rows or ()]
        require(bool(np.all(np.isfinite(p))), f"{owner.where}: a parameter of {kernels.name!r} is not finite: {p}")
        recorded = RecordedInstance(owner, kernels, columns, p, named, int(work), label, strength)
        self.instances.append(recorded)

    def series(
        self,
        owner: Component,
        kernels: Kernels,
        coordinates: Numbers | Array,
        parameters: Array,
        work: int = 0,
        label: str = "",
        *,
        strength: int | None = None,
    ) -> None:
        p, columns = np.asarray(parameters, dtype=float), joined(coordinates).v
        require(
            columns.ndim == 2 and p.shape[:-1] in ((), (len(columns),)),
            f"{owner.where}: a series of instances needs a row of coordinates and of parameters for each",
        )
        for numbers, own in zip(columns, np.broadcast_to(p, (len(columns), p.shape[-1]))):
            self.instance(owner, kernels, numbers, own, None, work, label, strength=strength)

    # the whole component

    def component_is(self, attribute: str) -> bool:
        """Whether the component has set an attribute: 'external' or 'fixed_in_space'."""
        return bool(getattr(self.component, attribute, False))

    def instances_with(self, *roles: str) -> list[RecordedInstance]:
        """The instances that have kernels of all these roles."""
        return [i for i in self.instances if all(getattr(i.kernels, role) is not None for role in roles)]

    def residual(self, t: float, q: Array, v: Array, a: Array) -> Array:
        """The sum of all residuals, on the recorder's coordinates."""
        r = np.zeros(len(q))
        for part in self.instances:
            if part.kernels.residual is not None:
                c = part.columns
                np.add.at(r, c, part.call("residual", t, q[c], v[c], a[c])[0])
        return r

    def tangent(self, t: float, q: Array, v: Array, a: Array, w: Iterable[float]) -> Array:
        """The sum of all tangents."""
        K = np.zeros((len(q), len(q)))
        for part in self.instances:
            if part.kernels.tangent is not None:
                c = part.columns
                np.add.at(K, (c[:, None], c[None, :]), part.call("tangent", t, q[c], v[c], a[c], w=w)[1])
        return K

    def energy(self, t: float, q: Array, v: Array) -> Array:
        """Kinetic, strain, potential energy, dissipated and input power (5,)."""
        total = np.zeros(ENERGY_WIDTH)
        for part in self.instances:
            if part.kernels.energy is not None:
                total += part.call("energy", t, q[part.columns], v[part.columns])[0][:ENERGY_WIDTH]
        return total

    # rigid motion

    def _check_rigid_motion(self, component: Component) -> None:
        """Check that `rigid_motion` gives the coordinates the speeds that their blocks say."""
        probes = []
        for velocity, spin in (((0.0, 0.0), 0.0), ((1.0, 0.0), 0.0), ((0.0, 1.0), 0.0), ((0.0, 0.0), 1.0)):
            twin = copy.deepcopy(component)
            twin.rigid_motion(np.array(velocity), spin, np.zeros(2))
            other = Recorder(self.gravity, component=twin)
            twin.assemble(other)
            probes.append(other.v)
        near = 1e-12 * (1.0 + np.max(np.abs(self.q), initial=0.0))
        for given, wanted in zip(probes[1:], self.rigid_speeds(self.q)):
            for k in self._owned:
                require(
                    abs(given[k] - probes[0][k] - wanted[k]) <= near,
                    f"{component.where}: its rigid_motion moves coordinate {self.names[k]!r} not as a rigid body",
                )

    @property
    def q(self) -> Array:
        """Coordinates at the start."""
        return self.numbering.q

    @property
    def v(self) -> Array:
        """Speeds at the start."""
        return self.numbering.v

    @property
    def names(self) -> list[str]:
        """Names of the coordinates."""
        return self.numbering.names

    @property
    def _places(self) -> Array:
        return self.numbering.numbers_of(PLACE, 2)

    @property
    def _vectors(self) -> Array:
        return self.numbering.numbers_of(VECTOR, 2)

    @property
    def size(self) -> float:
        """A length of the component [m]: the greatest distance between two of its places, else 1."""
        xy = self.q[self._places]
        spread = float(np.max(np.hypot(*(xy[:, None] - xy[None, :]).T))) if len(xy) else 0.0
        return spread if spread > 1e-9 else 1.0

    @property
    def scales(self) -> Array:
        """The size of a moderate change of each coordinate: length, 1 rad or slope 1."""
        return np.array([self.size if measure == "length" else 1.0 for measure in self.numbering.measures])

    def turned(self, x: Array, angle: float) -> Array:
        """Speeds, accelerations or forces, turned with the whole mechanism."""
        y = x.copy()
        c, s = np.cos(angle), np.sin(angle)
        for pairs in (self._places, self._vectors):
            y[pairs[:, 0]] = c * x[pairs[:, 0]] - s * x[pairs[:, 1]]
            y[pairs[:, 1]] = s * x[pairs[:, 0]] + c * x[pairs[:, 1]]
        return y

    def moved(self, q: Array, angle: float, shift: Array) -> Array:
        """Coordinates after a rigid motion: a turn about the origin, then a shift."""
        y = self.turned(q, angle)
        y[self._places] += shift
        y[self.numbering.numbers_of(ANGLE, 1)] += angle
        return y

    def rigid_speeds(self, q: Array) -> Array:
        """(3, nv): the speeds of unit translations along x and y and of unit spin about the origin."""
        return self.numbering.rigid_motions(q)
