"""An assembler that records the instances of a component, and finds how its coordinates take part in a rigid motion."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.kernels.contract import Kernels
from flexmb.kernels.widths import ENERGY_WIDTH, widths
from flexmb.model.components import Component
from flexmb.model.frames import Node
from flexmb.model.functions import Constant, TimeFunction
from flexmb.system.kernel_checks import KINDS, check_prescribed, check_slot

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
    rows: list[tuple[str, str]]
    work: int
    label: str
    strength: int | None = None

    def where(self, role: str) -> str:
        """The kernel of a role as messages name it."""
        label = f" {self.label!r}" if self.label else ""
        return f"{self.owner.where}{label}: kernel {self.kernels.name!r}, {role}"

    def width(self, role: str) -> int:
        """The number of values that a kernel fills for each instance."""
        return widths(len(self.columns), len(self.rows))[role]

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
        m = len(self.rows)

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
            flat(lam, m),
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
    names: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    instances: list[RecordedInstance] = field(default_factory=list)
    component: Component | None = None
    #: this number is added to the strength of components
    stronger: float = 0.0

    def __post_init__(self) -> None:
        self.gravity = np.array(self.gravity, dtype=float)
        self.q = np.zeros(0)
        self.v = np.zeros(0)
        self._nodes: dict[int, Array] = {}
        self._kept: list[Node] = []  # keeps the nodes alive, so that no two get the same id
        self._owned = np.zeros(0, dtype=bool)
        self._places: Array = np.zeros((0, 2), dtype=int)
        self._vectors: Array = np.zeros((0, 2), dtype=int)
        self._angles: Array = np.zeros(0, dtype=int)

    @classmethod
    def of(cls, component: Component, gravity: Any = (0.0, 0.0), stronger: float = 0.0) -> Recorder:
        """The recorder of one component, with the part of its coordinates in a rigid motion."""
        recorder = cls(gravity, component=component, stronger=stronger)
        component.assemble(recorder)
        for instance in recorder.instances:
            columns = instance.columns
            require(
                columns.size == 0 or 0 <= columns.min() <= columns.max() < len(recorder.q),
                f"{component.where}: instance of {instance.kernels.name!r} has coordinates not its own",
            )
        recorder._learn_rigid_motion(component)
        return recorder

    @property
    def where(self) -> str:
        """The component as messages name it."""
        return self.component.where if self.component else "component"

    # the assembler's side

    def _append(self, names: Iterable[str], kinds: Iterable[str], q: Array, v: Array, owned: bool) -> Array:
        first = len(self.q)
        self.names += names
        self.kinds += kinds
        self.q = np.append(self.q, q)
        self.v = np.append(self.v, v)
        self._owned = np.append(self._owned, np.full(len(q), owned))
        return np.arange(first, len(self.q))

    def node(self, node: Node) -> Array:
        if id(node) not in self._nodes:
            stem = f"node {len(self._nodes) + 1}"
            self._nodes[id(node)] = self._append(
                [f"{stem} {what}" for what in ("x", "y", "angle")],
                ["length", "length", "angle"],
                np.array([*node.position, node.angle]),
                np.array([*node.velocity, node.angular_velocity]),
                False,
            )
            self._kept.append(node)
        return self._nodes[id(node)].copy()

    def coordinates(
        self, owner: Component, names: list[str], kinds: list[str], initial: Array, speeds: Array | None = None
    ) -> Array:
        initial = np.asarray(initial, dtype=float)
        speeds = np.zeros(len(initial)) if speeds is None else np.asarray(speeds, dtype=float)
        require(
            len(names) == len(kinds) == len(initial) == len(speeds),
            f"{owner.where}: {len(names)} names, {len(kinds)} kinds, {len(initial)} initial values and "
            f"{len(speeds)} speeds for its coordinates; these must be as many",
        )
        for kind in kinds:
            require(kind in KINDS, f"{owner.where}: unknown kind of coordinate {kind!r}")
        return self._append([str(name) for name in names], kinds, initial, speeds, True)

    def strength(self, owner: Component) -> TimeFunction:
        return owner.function(str(owner.strength)) + Constant(self.stronger)

    def prescribed(self, owner: Component) -> TimeFunction:
        return owner.function(str(owner.prescribed))

    def instance(
        self,
        owner: Component,
        kernels: Kernels,
        coordinates: Array,
        parameters: Array,
        rows: list[tuple[str, str]] | None = None,
        work: int = 0,
        label: str = "",
        *,
        strength: int | None = None,
        prescribed: int | None = None,
    ) -> None:
        columns = np.array(coordinates, dtype=np.int64)
        p = np.array(parameters, dtype=float)
        require(p.ndim == 1 and columns.ndim == 1, f"{owner.where}: parameters and coordinates must be vectors")
        check_slot(owner, p[None, :], strength)
        check_prescribed(owner, len(rows or ()), prescribed)
        require(bool(np.all(np.isfinite(p))), f"{owner.where}: a parameter of {kernels.name!r} is not finite: {p}")
        recorded = RecordedInstance(owner, kernels, columns, p, list(rows or []), int(work), label, strength)
        self.instances.append(recorded)

    def series(
        self,
        owner: Component,
        kernels: Kernels,
        coordinates: Array,
        parameters: Array,
        work: int = 0,
        label: str = "",
        *,
        strength: int | None = None,
    ) -> None:
        p = np.asarray(parameters, dtype=float)
        require(
            np.ndim(coordinates) == 2 and p.shape[:-1] in ((), (len(coordinates),)),
            f"{owner.where}: a series of instances needs a row of coordinates and of parameters for each",
        )
        for numbers, own in zip(coordinates, np.broadcast_to(p, (len(coordinates), p.shape[-1]))):
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

    def _learn_rigid_motion(self, component: Component) -> None:
        """Find which coordinates are places (x, y), vectors (x, y) and absolute angles. Those of nodes are known; those
        that a component owns show it by the speeds that its `rigid_motion` gives them."""
        probes = []
        for velocity, spin in (((0.0, 0.0), 0.0), ((1.0, 0.0), 0.0), ((0.0, 1.0), 0.0), ((0.0, 0.0), 1.0)):
            twin = copy.deepcopy(component)
            twin.rigid_motion(np.array(velocity), spin, np.zeros(2))
            other = Recorder(self.gravity)
            twin.assemble(other)
            probes.append(other.v)
        along_x, along_y, spin_rate = (speeds - probes[0] for speeds in probes[1:])
        places = [numbers[:2] for numbers in self._nodes.values()]
        angles = [int(numbers[2]) for numbers in self._nodes.values()]
        vectors = []
        owned = [int(i) for i in np.flatnonzero(self._owned)]
        near = 1e-12 * (1.0 + np.max(np.abs(self.q), initial=0.0))
        while owned:
            i = owned.pop(0)
            j = owned[0] if owned else -1
            # whether i and the next one turn as the coordinates x and y of a place or of a vector do
            turns = j >= 0 and abs(spin_rate[i] + self.q[j]) <= near and abs(spin_rate[j] - self.q[i]) <= near
            what = f"{component.where}: its rigid_motion moves coordinate {self.names[i]!r} not as a rigid body"
            if along_x[i] == 1.0 and along_y[i] == 0.0:
                require(j >= 0 and along_y[j] == 1.0 and along_x[j] == 0.0, what + " (x without y)")
                require(turns, what)
                places.append(np.array([i, owned.pop(0)]))
                continue
            require(along_x[i] == 0.0 and along_y[i] == 0.0, what)
            if spin_rate[i] == 0.0 and (j < 0 or self.kinds[i] != "slope" or spin_rate[j] == 0.0):
                continue
            if self.kinds[i] == "angle":
                require(spin_rate[i] == 1.0, what)
                angles.append(i)
                continue
            require(turns, what)
            vectors.append(np.array([i, owned.pop(0)]))
        self._places = np.array(places, dtype=int).reshape(-1, 2)
        self._vectors = np.array(vectors, dtype=int).reshape(-1, 2)
        self._angles = np.array(angles, dtype=int)

    @property
    def size(self) -> float:
        """A length of the component [m]: the greatest distance between two of its places, else 1."""
        xy = self.q[self._places]
        spread = float(np.max(np.hypot(*(xy[:, None] - xy[None, :]).T))) if len(xy) else 0.0
        return spread if spread > 1e-9 else 1.0

    @property
    def scales(self) -> Array:
        """The size of a moderate change of each coordinate: length, 1 rad or slope 1."""
        return np.array([self.size if kind == "length" else 1.0 for kind in self.kinds])

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
        y[self._angles] += angle
        return y

    def rigid_speeds(self, q: Array) -> Array:
        """(3, nv): the speeds of unit translations along x and y and of unit spin about the origin."""
        z = np.zeros((3, len(q)))
        z[0, self._places[:, 0]] = 1.0
        z[1, self._places[:, 1]] = 1.0
        for pairs in (self._places, self._vectors):
            z[2, pairs[:, 0]] = -q[pairs[:, 1]]
            z[2, pairs[:, 1]] = q[pairs[:, 0]]
        z[2, self._angles] = 1.0
        return z
