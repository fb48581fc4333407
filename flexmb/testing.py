"""The conformance suite: does a component's set of kernels tell one consistent story?

Whoever writes a component, here or in a package of their own, calls :func:`conformance` on one. Every check compares two
kernels, or a kernel with differences of another, at seeded random states; none knows what the component is. A failed
check is an AssertionError that names the component, the kernel, the entry and the two numbers.

A component may say two things about itself by class attributes: ``external = True`` (it acts from outside, as a load
does: its forces need not sum to zero) and ``fixed_in_space = True`` (it knows directions in space, so that turning the
whole state does not just turn its forces).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.model.components import Component
from flexmb.model.frames import Node

if TYPE_CHECKING:
    from flexmb.model.planar import PlanarModel
    from flexmb.system.kernels import Kernels

Array = np.ndarray
SEEDS = range(4)
TOLERANCE = 1e-7
#: what a kernel must not touch is filled with this
_SENTINEL = 1.2345678e99
_EYE = np.eye(3)


# -- recording ---------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Instance:
    """One instance of a kernel family as a component said it: `columns` are its coordinates in the recorder's."""

    owner: Component
    kernels: Kernels
    columns: Array
    parameters: Array
    rows: list[tuple[str, str]]
    work: int
    label: str

    def width(self, role: str) -> int:
        """How many numbers a kernel fills for each instance."""
        m, nv = len(self.rows), len(self.columns)
        return {"residual": nv, "tangent": 0, "energy": 5, "constraint": 3 * m, "jacobian": m * nv, "point": 9}[role]

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
        """`out` and `K` of a kernel at states q, v, a (nv,), or (n, nv) for n states in one call."""
        states = np.atleast_2d(q)
        n, nv = states.shape
        m = len(self.rows)

        def flat(x: Array | None, width: int) -> Array:
            return np.array(np.broadcast_to(np.zeros(width) if x is None else x, (n, width)), dtype=float)

        index = np.arange(n * nv, dtype=np.int64).reshape(n, nv)
        out = np.zeros((n, self.width(role)))
        K = np.zeros((n, nv, nv))
        scratch = np.full(max(self.work, 1), np.nan) if work is None else work
        getattr(self.kernels, role)(
            np.array(np.broadcast_to(self.parameters, (n, len(self.parameters)))), index, index.copy(), float(t),
            flat(states, nv).ravel(), flat(v, nv).ravel(), flat(a, nv).ravel(), flat(lam, m),
            np.array(tuple(w), dtype=float), out, K, scratch,
        )  # fmt: skip
        return (out[0], K[0]) if np.ndim(q) == 1 else (out, K)


@dataclass(eq=False)
class Recorder:
    """An assembler that keeps what components say, so that their kernels can be called one by one.

    It numbers all coordinates in the order in which they come, those of fixed frames too.

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
    instances: list[Instance] = field(default_factory=list)
    component: Component | None = None

    def __post_init__(self) -> None:
        self.gravity = np.array(self.gravity, dtype=float)
        self.q = np.zeros(0)
        self.v = np.zeros(0)
        self._nodes: dict[int, Array] = {}
        self._kept: list[Node] = []  # so that an id stays one node's
        self._owned = np.zeros(0, dtype=bool)
        self._places: Array = np.zeros((0, 2), dtype=int)
        self._vectors: Array = np.zeros((0, 2), dtype=int)
        self._angles: Array = np.zeros(0, dtype=int)

    @classmethod
    def of(cls, component: Component, gravity: Any = (0.0, 0.0)) -> Recorder:
        """What one component says, and how its coordinates take part in a rigid motion."""
        recorder = cls(gravity, component=component)
        component.assemble(recorder)
        for instance in recorder.instances:
            columns = instance.columns
            _require(
                columns.size == 0 or 0 <= columns.min() <= columns.max() < len(recorder.q),
                f"{component.where}: instance of {instance.kernels.name!r} has coordinates that it did not ask for",
            )
        recorder._learn_rigid_motion(component)
        return recorder

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
                [f"{stem} {what}" for what in ("x", "y", "angle")], ["length", "length", "angle"],
                np.array([*node.position, node.angle]), np.array([*node.velocity, node.angular_velocity]), False,
            )  # fmt: skip
            self._kept.append(node)
        return self._nodes[id(node)].copy()

    def coordinates(
        self, owner: Component, names: list[str], kinds: list[str], initial: Array, speeds: Array | None = None
    ) -> Array:
        initial = np.asarray(initial, dtype=float)
        speeds = np.zeros(len(initial)) if speeds is None else np.asarray(speeds, dtype=float)
        _require(
            len(names) == len(kinds) == len(initial) == len(speeds),
            f"{owner.where}: {len(names)} names, {len(kinds)} kinds, {len(initial)} initial values and {len(speeds)} "
            "speeds for its coordinates; these must be as many",
        )
        for kind in kinds:
            _require(kind in ("length", "angle", "slope"), f"{owner.where}: unknown kind of coordinate {kind!r}")
        return self._append([str(name) for name in names], kinds, initial, speeds, True)

    def instance(
        self,
        owner: Component,
        kernels: Kernels,
        coordinates: Array,
        parameters: Array,
        rows: list[tuple[str, str]] | None = None,
        work: int = 0,
        label: str = "",
    ) -> int:
        columns = np.array(coordinates, dtype=np.int64)
        p = np.array(parameters, dtype=float)
        _require(p.ndim == 1 and columns.ndim == 1, f"{owner.where}: parameters and coordinates must be vectors")
        _require(bool(np.all(np.isfinite(p))), f"{owner.where}: a parameter of {kernels.name!r} is not finite: {p}")
        self.instances.append(Instance(owner, kernels, columns, p, list(rows or []), int(work), label))
        return len(self.instances) - 1

    # the whole component

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
        total = np.zeros(5)
        for part in self.instances:
            if part.kernels.energy is not None:
                total += part.call("energy", t, q[part.columns], v[part.columns])[0][0:5]
        return total

    # rigid motion

    def _learn_rigid_motion(self, component: Component) -> None:
        """Find which coordinates are places (x, y), vectors (x, y) and absolute angles. Nodes are known; what a component
        owns is told by the speeds that its `rigid_motion` gives."""
        probes = []
        for velocity, spin in (((0.0, 0.0), 0.0), ((1.0, 0.0), 0.0), ((0.0, 1.0), 0.0), ((0.0, 0.0), 1.0)):
            twin = copy.deepcopy(component)
            twin.rigid_motion(np.array(velocity), spin, np.zeros(2))
            other = Recorder(self.gravity)
            twin.assemble(other)
            probes.append(other.v)
        along_x, along_y, spin_rate = (speeds - probes[0] for speeds in probes[1:])
        places, vectors, angles = [], [], []
        for numbers in self._nodes.values():
            places.append(numbers[:2])
            angles.append(int(numbers[2]))
        owned = [int(i) for i in np.flatnonzero(self._owned)]
        while owned:
            i = owned.pop(0)
            j = owned[0] if owned else -1
            near = 1e-12 * (1.0 + np.max(np.abs(self.q)))
            what = f"{component.where}: rigid_motion gives coordinate {self.names[i]!r} speeds that are no rigid motion"
            if along_x[i] == 1.0 and along_y[i] == 0.0:
                _require(j >= 0 and along_y[j] == 1.0 and along_x[j] == 0.0, what + " (x without y)")
                turns = abs(spin_rate[i] + self.q[j]) <= near and abs(spin_rate[j] - self.q[i]) <= near
                _require(turns, what)
                places.append(np.array([i, j]))
                owned.pop(0)
                continue
            _require(along_x[i] == 0.0 and along_y[i] == 0.0, what)
            if spin_rate[i] == 0.0 and (j < 0 or self.kinds[i] != "slope" or spin_rate[j] == 0.0):
                continue
            if self.kinds[i] == "angle":
                _require(spin_rate[i] == 1.0, what)
                angles.append(i)
                continue
            turns = j >= 0 and abs(spin_rate[i] + self.q[j]) <= near and abs(spin_rate[j] - self.q[i]) <= near
            _require(turns, what)
            vectors.append(np.array([i, j]))
            owned.pop(0)
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


# -- states and differences ---------------------------------------------------------------------------------------------


@dataclass
class State:
    """A random state of a component."""

    t: float
    q: Array
    v: Array
    a: Array

    def at(self, columns: Array) -> State:
        return State(self.t, self.q[columns], self.v[columns], self.a[columns])

    def later(self, h: float) -> State:
        """The state a time h later, with constant accelerations."""
        return State(self.t + h, self.q + h * (self.v + 0.5 * h * self.a), self.v + h * self.a, self.a)


def random_state(recorder: Recorder, seed: int) -> State:
    """A state near the initial one, then moved rigidly to anywhere. Odd seeds are nearer (1 % of the even ones), and
    from the third on the motion is so fast that inertia forces are of the size of the elastic ones."""
    rng = np.random.default_rng(seed)
    amounts = {"length": 0.1 * recorder.size, "angle": 0.3, "slope": 0.2}
    size = np.array([amounts[kind] for kind in recorder.kinds]) * (0.01 if seed % 2 else 1.0)
    q = recorder.q + size * rng.uniform(-1.0, 1.0, len(size))
    q = recorder.moved(q, rng.uniform(-3.0, 3.0), recorder.size * rng.uniform(-1.0, 1.0, 2))
    scales = recorder.scales
    v = scales * rng.uniform(-1.0, 1.0, len(size))
    a = scales * rng.uniform(-1.0, 1.0, len(size))
    t = float(rng.uniform(0.1, 0.9))
    if seed % 4 >= 2:
        zero = np.zeros(len(q))
        still = recorder.residual(t, q, zero, zero)
        inertia = recorder.residual(t, q, zero, a) - still
        ratio = np.linalg.norm(scales * still) / max(float(np.linalg.norm(scales * inertia)), 1e-300)
        speed = float(np.clip(np.sqrt(ratio), 1.0, 1e4)) if np.any(inertia) else 3.0
        v *= speed
        a *= speed**2
    return State(t, q, v, a)


def derivative(f: Callable[[float], Array], step: float, levels: int = 6) -> tuple[Array, Array]:
    """df/dx at 0 and an estimate of its error, entry by entry: central differences with steps halved again and again,
    extrapolated to zero (Ridders).

    >>> value, error = derivative(lambda x: np.array([np.exp(x), np.sin(2 * x)]), 0.1)
    >>> bool(np.max(np.abs(value - [1.0, 2.0])) < 1e-11)
    True
    """
    best = error = np.zeros(0)
    before: list[Array] = []
    for k in range(levels):
        h = step / 2.0**k
        line = [(f(h) - f(-h)) / (2.0 * h)]
        for j in range(1, k + 1):
            line.append(line[j - 1] + (line[j - 1] - before[j - 1]) / (4.0**j - 1.0))
            guess = np.maximum(np.abs(line[j] - line[j - 1]), np.abs(line[j] - before[j - 1]))
            if j == k == 1:
                best, error = line[j], guess
            else:
                better = guess < error
                best = np.where(better, line[j], best)
                error = np.where(better, guess, error)
        before = line
    return best, error


def _time_step(state: State, scales: Array) -> float:
    fastest = max(1.0, *(np.abs(state.v) / scales), *np.sqrt(np.abs(state.a) / scales))
    return float(0.02 / fastest)


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise AssertionError(message)


def _compare(
    message: Callable[[tuple[int, ...]], str],
    given: Array,
    found: Array,
    error: Array | float,
    tolerance: float,
    units: Array | float = 1.0,
    noise: Array | float = 0.0,
) -> None:
    """Every given number against the found one: within `tolerance` of the number itself, or within the `error` of the
    differences, but not more than 1e-6 of the largest number (`units` make them comparable), or within the rounding
    `noise` of the terms that it is a sum of."""
    given, found = np.atleast_1d(given), np.atleast_1d(found)
    units = np.broadcast_to(np.asarray(units, dtype=float), given.shape)
    largest = max(float(np.max(np.abs(given) * units, initial=0.0)), float(np.max(np.abs(found) * units, initial=0.0)))
    doubt = np.minimum(10.0 * np.asarray(error), 1e-6 * largest / units) + 1e-12 * largest / units + noise
    allowed = tolerance * np.maximum(np.abs(given), np.abs(found)) + doubt
    wrong = ~(np.abs(given - found) <= allowed)
    if np.any(wrong):
        where = np.argwhere(wrong)
        off = [np.abs(given[tuple(k)] - found[tuple(k)]) * units[tuple(k)] for k in where]
        k = tuple(int(i) for i in where[int(np.nanargmax([np.inf if np.isnan(x) else x for x in off]))])
        raise AssertionError(f"{message(k)} is {given[k]:.10g}, but it must be {found[k]:.10g}")


def _recorders(part: Component | PlanarModel | Recorder, gravity: Any = (0.7, -9.81)) -> list[Recorder]:
    if isinstance(part, Recorder):
        return [part]
    if isinstance(part, Component):
        return [Recorder.of(part, gravity)]
    return [Recorder.of(component, gravity) for component in part.components.values()]


def _having(recorder: Recorder, *roles: str) -> list[Instance]:
    return [i for i in recorder.instances if all(getattr(i.kernels, role) is not None for role in roles)]


def _says(part: Instance, role: str) -> str:
    label = f" {part.label!r}" if part.label else ""
    return f"{part.owner.where}{label}: kernel {part.kernels.name!r}, {role}"


def _is(recorder: Recorder, attribute: str) -> bool:
    return bool(getattr(recorder.component, attribute, False))


Part = "Component | PlanarModel | Recorder"


# -- checks of single kernels -------------------------------------------------------------------------------------------


def check_tangent(part: Component | PlanarModel | Recorder, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """∂residual/∂a, ∂residual/∂v and ∂residual/∂q against differences, and their weighted sum against its parts."""
    for recorder in _recorders(part):
        for instance in _having(recorder, "residual"):
            _require(instance.kernels.tangent is not None, f"{_says(instance, 'residual')} comes without a tangent")
            for seed in seeds:
                _check_tangent(recorder, instance, random_state(recorder, seed), tol)


def _check_tangent(recorder: Recorder, instance: Instance, whole: State, tol: float) -> None:
    names = [recorder.names[c] for c in instance.columns]
    scales = recorder.scales[instance.columns]
    units = scales[:, None] * scales[None, :]
    s = whole.at(instance.columns)
    steps = {
        "a": np.diag(np.maximum(scales, np.abs(s.a))),
        "v": np.diag(np.maximum(scales, np.abs(s.v))),
        "q": np.diag(scales),
    }
    parts = []
    for k, letter in enumerate("avq"):
        K = instance.call("tangent", s.t, s.q, s.v, s.a, w=_EYE[k])[1]

        def r(h: float, letter: str = letter) -> Array:
            moved = [x + (h * steps[letter] if name == letter else 0.0) for name, x in (("q", s.q), ("v", s.v), ("a", s.a))]
            states = [np.broadcast_to(x, steps[letter].shape) for x in moved]
            return instance.call("residual", s.t, states[0], states[1], states[2])[0]

        found, error = derivative(r, 0.02)
        span = np.diag(steps[letter])
        _compare(
            lambda e, letter=letter: f"{_says(instance, 'tangent')}: ∂r[{names[e[0]]}]/∂{letter}[{names[e[1]]}]",
            K, (found / span[:, None]).T, (error / span[:, None]).T, tol, units,
        )  # fmt: skip
        parts.append(K)
    w = np.array([0.7, 1.3, -0.4])
    together = instance.call("tangent", s.t, s.q, s.v, s.a, w=w)[1]
    total = sum(wk * K for wk, K in zip(w, parts, strict=True))
    size = np.max(np.abs(np.array(parts)), axis=0)
    _compare(
        lambda e: f"{_says(instance, 'tangent')} with weights {w.tolist()}: entry [{names[e[0]]}, {names[e[1]]}]",
        together, np.asarray(total), 0.0, 1e-10, units, 1e-13 * size,
    )  # fmt: skip


def check_jacobian(part: Component | PlanarModel | Recorder, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """G against ∂g/∂q and ∂ġ/∂v, and the K of the Jacobian against ∂(Gᵀλ)/∂q."""
    for recorder in _recorders(part):
        for instance in _having(recorder, "constraint"):
            _require(instance.kernels.jacobian is not None, f"{_says(instance, 'constraint')} comes without a jacobian")
            for seed in seeds:
                _check_jacobian(recorder, instance, random_state(recorder, seed).at(instance.columns), seed, tol)


def _check_jacobian(recorder: Recorder, instance: Instance, s: State, seed: int, tol: float) -> None:
    names = [recorder.names[c] for c in instance.columns]
    scales = recorder.scales[instance.columns]
    m, nv = len(instance.rows), len(instance.columns)
    lam = np.random.default_rng(seed).uniform(-1.0, 1.0, m)
    move = np.diag(scales)

    def entry(e: tuple[int, ...]) -> str:
        return f"{_says(instance, 'jacobian')}: ∂g[{instance.rows[e[0]][0]}]/∂[{names[e[1]]}]"

    out, K = instance.call("jacobian", s.t, s.q, s.v, lam=lam, w=_EYE[2])
    G = out.reshape(m, nv)
    found, error = derivative(lambda h: instance.call("constraint", s.t, s.q + h * move, s.v)[0][:, : m], 0.02)
    if _geometric(instance, s):
        _compare(entry, G, (found / scales[:, None]).T, (error / scales[:, None]).T, tol, scales[None, :])
    still = np.broadcast_to(s.q, (nv, nv))
    found, error = derivative(lambda h: instance.call("constraint", s.t, still, s.v + h * move)[0][:, m : 2 * m], 1.0)
    _compare(lambda e: entry(e) + " (as ∂ġ/∂v)", G, (found / scales[:, None]).T, (error / scales[:, None]).T, tol,
             scales[None, :])  # fmt: skip

    def force(h: float) -> Array:
        rows = instance.call("jacobian", s.t, s.q + h * move, np.broadcast_to(s.v, (nv, nv)), lam=lam)[0]
        return np.einsum("nmj,m->nj", rows.reshape(nv, m, nv), lam)

    found, error = derivative(force, 0.02)
    _compare(
        lambda e: f"{_says(instance, 'jacobian')}: K = ∂(Gᵀλ)/∂q, entry [{names[e[0]]}, {names[e[1]]}]",
        K, (found / scales[:, None]).T, (error / scales[:, None]).T, tol, scales[:, None] * scales[None, :],
    )  # fmt: skip


def _geometric(instance: Instance, s: State) -> bool:
    """Whether the rows have a position error at all; nonholonomic rows leave g at zero."""
    m = len(instance.rows)
    return bool(np.any(instance.call("constraint", s.t, s.q, s.v)[0][:m]))


def check_rates(part: Component | PlanarModel | Recorder, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """ġ against the change of g along a motion, and γ = G a − d(ġ)/dt."""
    for recorder in _recorders(part):
        for instance in _having(recorder, "constraint", "jacobian"):
            m, nv = len(instance.rows), len(instance.columns)
            for seed in seeds:
                whole = random_state(recorder, seed)
                h = _time_step(whole, recorder.scales)
                s = whole.at(instance.columns)

                def values(x: float, s: State = s, instance: Instance = instance) -> Array:
                    moved = s.later(x)
                    return instance.call("constraint", moved.t, moved.q, moved.v)[0]

                def row(e: tuple[int, ...], what: str, instance: Instance = instance) -> str:
                    return f"{_says(instance, 'constraint')}: {what}[{instance.rows[e[0]][0]}]"

                now = values(0.0)
                rate, error = derivative(values, h)
                G = instance.call("jacobian", s.t, s.q, s.v)[0].reshape(m, nv)
                if _geometric(instance, s):
                    _compare(lambda e: row(e, "ġ"), now[m : 2 * m], rate[:m], error[:m], tol)  # noqa: B023
                pull = np.abs(G) @ np.abs(s.a) + np.abs(now[2 * m :])
                _compare(lambda e: row(e, "γ"), now[2 * m :], G @ s.a - rate[m : 2 * m],  # noqa: B023
                         error[m : 2 * m], tol, noise=1e-13 * pull)  # fmt: skip


def check_mass(part: Component | PlanarModel | Recorder, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """The mass matrix is what the residual is linear in; it is symmetric, has no negative eigenvalue, and ½ vᵀ M v is
    the kinetic energy."""
    for recorder in _recorders(part):
        for instance in _having(recorder, "residual", "tangent"):
            names = [recorder.names[c] for c in instance.columns]
            scales = recorder.scales[instance.columns]
            units = scales[:, None] * scales[None, :]
            for seed in seeds:
                s = random_state(recorder, seed).at(instance.columns)
                M = instance.call("tangent", s.t, s.q, s.v, s.a, w=_EYE[0])[1]
                with_a = instance.call("residual", s.t, s.q, s.v, s.a)[0]
                without = instance.call("residual", s.t, s.q, s.v)[0]
                noise = 1e-13 * (np.abs(M) @ np.abs(s.a) + np.abs(without))

                def entry(e: tuple[int, ...], names: list[str] = names, instance: Instance = instance) -> str:
                    return f"{_says(instance, 'tangent')}: mass matrix [{', '.join(names[i] for i in e)}]"

                def sum_(e: tuple[int, ...], names: list[str] = names, instance: Instance = instance) -> str:
                    return f"{_says(instance, 'residual')}: the part linear in a, row [{names[e[0]]}],"

                _compare(sum_, with_a - without, M @ s.a, 0.0, tol, scales, noise)
                _compare(entry, M, M.T, 0.0, 1e-10, units)
                lowest = np.linalg.eigvalsh(M * units)[0]
                top = float(np.max(np.abs(M * units)))
                _require(lowest >= -1e-10 * top, f"{_says(instance, 'tangent')}: the mass matrix has the eigenvalue "
                         f"{lowest:.6g} (largest entry {top:.6g}); kinetic energy cannot be negative")  # fmt: skip
                if instance.kernels.energy is not None:
                    kinetic = instance.call("energy", s.t, s.q, s.v)[0][0]
                    _compare(
                        lambda e, instance=instance: f"{_says(instance, 'energy')}: kinetic energy",
                        kinetic, 0.5 * s.v @ M @ s.v, 0.0, 1e-9, noise=1e-13 * np.abs(s.v) @ np.abs(M) @ np.abs(s.v),
                    )  # fmt: skip


def check_point(part: Component | PlanarModel | Recorder, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """Rates and second rates of points are the derivatives of their places; a point moves rigidly with the whole."""
    for recorder in _recorders(part):
        for instance in _having(recorder, "point"):
            for seed in seeds:
                whole = random_state(recorder, seed)
                h = _time_step(whole, recorder.scales)
                s = whole.at(instance.columns)
                for along in (0.0, 0.31, 0.77, 1.0):
                    _check_point(recorder, instance, whole, s, h, along, tol)


def _check_point(
    recorder: Recorder, instance: Instance, whole: State, s: State, h: float, along: float, tol: float
) -> None:
    def point(s: State) -> Array:
        return instance.call("point", s.t, s.q, s.v, s.a, w=(along, 0.0, 0.0))[0]

    now = point(s)

    def motion(x: float) -> Array:
        there = point(s.later(x))
        there[2] = now[2] + (there[2] - now[2] + np.pi) % (2.0 * np.pi) - np.pi
        return there

    what = ("x", "y", "angle", "rate of x", "rate of y", "rate of angle", "second rate of x", "second rate of y",
            "second rate of angle")  # fmt: skip
    rate, error = derivative(motion, h)
    units = np.tile([1.0, 1.0, recorder.size], 2)

    def entry(e: tuple[int, ...]) -> str:
        return f"{_says(instance, 'point')}: {what[3 + e[0]]} at {along:g}"

    for first in (0, 3):
        _compare(lambda e, f=first: entry((e[0] + f,)), now[3 + first : 6 + first], rate[first : first + 3],
                 error[first : first + 3], tol, units[first : first + 3])  # fmt: skip
    turn, shift = 0.8, np.array([0.3, -0.6]) * recorder.size
    q = recorder.moved(whole.q, turn, shift)[instance.columns]
    there = instance.call("point", s.t, q, w=(along, 0.0, 0.0))[0][:3]
    c, sn = np.cos(turn), np.sin(turn)
    x, y, angle = now[:3]
    place = np.array([c * x - sn * y + shift[0], sn * x + c * y + shift[1]])
    _compare(lambda e: f"{_says(instance, 'point')}: {'xy'[e[0]]} at {along:g} after a rigid motion", there[:2], place,
             0.0, 1e-10, noise=1e-12 * recorder.size)  # fmt: skip
    off = (there[2] - angle - turn + np.pi) % (2.0 * np.pi) - np.pi
    _require(abs(off) < 1e-9, f"{_says(instance, 'point')}: the angle at {along:g} turns by {turn + off:.10g} when the "
             f"whole turns by {turn:g}")  # fmt: skip


def check_shapes(part: Component | PlanarModel | Recorder, seeds: Iterable[int] = SEEDS) -> None:
    """Kernels write into their own rows only, leave what they are given as it was, add to K, take instances one by one,
    and do not depend on what the scratch space holds."""
    for recorder in _recorders(part):
        for instance in recorder.instances:
            for role in ("residual", "tangent", "energy", "constraint", "jacobian", "point"):
                if getattr(instance.kernels, role) is not None:
                    for seed in seeds:
                        _check_shapes(recorder, instance, role, seed)


def _check_shapes(recorder: Recorder, instance: Instance, role: str, seed: int) -> None:
    n, nv, m = 3, len(instance.columns), len(instance.rows)
    states = [random_state(recorder, seed + k).at(instance.columns) for k in range(n)]
    rng = np.random.default_rng(seed)
    t = states[0].t
    w = np.array([0.3, 0.8, 1.7])
    lam = rng.uniform(-1.0, 1.0, (n, m))
    square = role in ("tangent", "jacobian")
    total = n * nv + 5
    index = rng.permutation(total)[: n * nv].reshape(n, nv).astype(np.int64)
    q, v, a = (np.full(total, np.nan) for _ in range(3))
    for k, s in enumerate(states):
        q[index[k]], v[index[k]], a[index[k]] = s.q, s.v, s.a
    p = np.tile(instance.parameters, (n, 1))
    given = (p, index, q, v, a, lam, w)
    kept = [x.copy() for x in given]
    width = instance.width(role)
    out = np.full((n + 2, width), _SENTINEL)
    out[1:-1] = 0.0
    before = rng.uniform(-1.0, 1.0, (n, nv, nv)) if square else np.zeros((n, 0, 0))
    K = np.full((n + 2, nv, nv), _SENTINEL) if square else np.zeros((n + 2, 0, 0))
    K[1:-1] = before
    scratch = np.append(rng.uniform(-1e3, 1e3, instance.work), np.full(8, _SENTINEL))
    getattr(instance.kernels, role)(p, index, index.copy(), t, q, v, a, lam, w, out[1:-1], K[1:-1], scratch)
    says = _says(instance, role)
    for x, y, name in zip(given, kept, ("p", "iq", "q", "v", "a", "lam", "w"), strict=True):
        _require(np.array_equal(x, y, equal_nan=True), f"{says} changes {name}, which is only lent to it")
    _require(bool(np.all(out[[0, -1]] == _SENTINEL)), f"{says} writes into `out` outside its {width} numbers")
    _require(bool(np.all(K[[0, -1]] == _SENTINEL)), f"{says} writes into K outside its own matrix")
    _require(bool(np.all(scratch[instance.work :] == _SENTINEL)),
             f"{says} writes past the {instance.work} scratch numbers that it asked for")  # fmt: skip
    for k, s in enumerate(states):
        alone, matrix = instance.call(role, t, s.q, s.v, s.a, lam[k], w)
        size = np.max(np.abs(alone), initial=0.0)
        _compare(lambda e, k=k: f"{says}: out[{k}, {e[0]}] among {n} instances and with other scratch contents",
                 out[1 + k], alone, 0.0, 1e-12, noise=1e-12 * size)  # fmt: skip
        if square:
            size = np.max(np.abs(matrix), initial=1.0)
            _compare(lambda e, k=k: f"{says}: what is added to K[{k}, {e[0]}, {e[1]}] among {n} instances",
                     K[1 + k] - before[k], matrix, 0.0, 1e-12, noise=1e-12 * size)  # fmt: skip


# -- checks of mechanics ------------------------------------------------------------------------------------------------


def check_rigid_motion(part: Component | PlanarModel | Recorder, seeds: Iterable[int] = SEEDS) -> None:
    """A rigid motion of the initial state, many turns too, changes neither strain energy nor strain forces, and a rigid
    spin dissipates nothing."""
    for recorder in _recorders(part, (0.0, 0.0)):
        if not _having(recorder, "residual"):
            continue
        where = f"{recorder.component.where}" if recorder.component else "component"
        zero = np.zeros(len(recorder.q))
        scales = recorder.scales
        stiffness = np.abs(recorder.tangent(0.0, recorder.q, zero, zero, _EYE[2])) * np.outer(scales, scales)
        noise = 1e-11 * float(np.max(stiffness, initial=0.0))
        first = recorder.residual(0.0, recorder.q, zero, zero)
        strain = recorder.energy(0.0, recorder.q, zero)[1]
        for seed in seeds:
            rng = np.random.default_rng(seed)
            turn = float(rng.uniform(-12.0, 12.0))
            q = recorder.moved(recorder.q, turn, recorder.size * rng.uniform(-1.0, 1.0, 2))
            now = recorder.energy(0.0, q, zero)[1]
            _require(abs(now - strain) <= noise, f"{where}: the strain energy goes from {strain:.10g} to {now:.10g} when the "
                     f"initial state is moved rigidly (turned by {turn:.3g})")  # fmt: skip
            if not _is(recorder, "external"):
                r = recorder.residual(0.0, q, zero, zero)
                expected = recorder.turned(first, turn)
                _compare(lambda e: f"{where}: strain force [{recorder.names[e[0]]}] of the rigidly moved initial state",  # noqa: B023
                         r, expected, 0.0, 1e-9, noise=noise / scales)  # fmt: skip
                spin = np.array([*rng.uniform(-1.0, 1.0, 2) * recorder.size, 1.0]) @ recorder.rigid_speeds(q)
                lost = recorder.energy(0.0, q, spin)[3]
                damping = np.abs(recorder.tangent(0.0, q, spin, zero, _EYE[1])) * np.outer(scales, scales)
                _require(abs(lost) <= 1e-12 * float(np.max(damping, initial=0.0)),
                         f"{where}: a rigid spin of 1 rad/s dissipates {lost:.6g} W; it must dissipate nothing")  # fmt: skip


def check_momentum(part: Component | PlanarModel | Recorder, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """Inner forces sum to zero and have no moment: the rows that move the whole are the rates of linear and angular
    momentum. Mass and mass centre are the same in whatever way they are asked for, and a rigid spin needs exactly the
    centripetal force. Constraint forces balance one another. Left out for components with ``external = True``."""
    for recorder in _recorders(part, (0.0, 0.0)):
        if _is(recorder, "external"):
            continue
        for seed in seeds:
            if _having(recorder, "residual"):
                _check_momentum(recorder, seed, tol)
            _check_reaction_balance(recorder, seed)


_WHOLE = ("force along x", "force along y", "moment about the origin")


def _check_momentum(recorder: Recorder, seed: int, tol: float) -> None:
    where = recorder.component.where if recorder.component else "component"
    s = random_state(recorder, seed)
    h = _time_step(s, recorder.scales)

    def momentum(x: float) -> Array:
        now = s.later(x)
        M = recorder.tangent(now.t, now.q, now.v, now.a, _EYE[0])
        return recorder.rigid_speeds(now.q) @ M @ now.v

    r = recorder.residual(s.t, s.q, s.v, s.a)
    z = recorder.rigid_speeds(s.q)
    rate, error = derivative(momentum, h)
    size = np.abs(z) @ np.abs(r)
    _compare(
        lambda e: f"{where}: the rows that move the whole, {_WHOLE[e[0]]}: the sum of the residual,",
        z @ r, rate, error, tol, np.array([recorder.size, recorder.size, 1.0]), 1e-12 * size,
    )  # fmt: skip
    M = recorder.tangent(s.t, s.q, s.v, s.a, _EYE[0])
    if not np.any(M):
        return
    B = z @ M @ z.T
    noise = 1e-13 * np.abs(z) @ np.abs(M) @ np.abs(z.T)
    names = ("x", "y", "spin")
    mass = B[0, 0]
    first = recorder.tangent(0.0, recorder.q, np.zeros(len(s.q)), np.zeros(len(s.q)), _EYE[0])
    z0 = recorder.rigid_speeds(recorder.q)
    _compare(lambda e: f"{where}: mass felt by a translation ({names[e[0]]}, {names[e[1]]})", B[:2, :2],
             (z0 @ first @ z0.T)[0, 0] * np.eye(2), 0.0, 1e-10, noise=10.0 * noise[:2, :2])  # fmt: skip
    center = np.array([B[1, 2], -B[0, 2]]) / mass if mass > 0.0 else np.zeros(2)
    omega = 1.7
    spin = omega * z[2]
    inward = np.zeros(len(s.q))
    for pairs in (recorder._places, recorder._vectors):
        inward[pairs] = -(omega**2) * s.q[pairs]
    zero = np.zeros(len(s.q))
    needed = recorder.residual(s.t, s.q, spin, inward) - recorder.residual(s.t, s.q, zero, zero)
    moving = np.abs(z) @ np.abs(needed)
    _compare(
        lambda e: f"{where}: spinning rigidly at {omega} rad/s about the origin, {_WHOLE[e[0]]}",
        z @ needed, np.array([*(-(omega**2) * mass * center), 0.0]),
        0.0, 1e-9, noise=1e-11 * (size + moving),
    )  # fmt: skip


def _check_reaction_balance(recorder: Recorder, seed: int) -> None:
    rng = np.random.default_rng(seed)
    q = recorder.moved(recorder.q, float(rng.uniform(-3.0, 3.0)), recorder.size * rng.uniform(-1.0, 1.0, 2))
    z = recorder.rigid_speeds(q)
    zero = np.zeros(len(q))
    for instance in _having(recorder, "constraint", "jacobian"):
        c = instance.columns
        m = len(instance.rows)
        g = instance.call("constraint", 0.0, q[c], zero[c])[0][:m]
        G = instance.call("jacobian", 0.0, q[c], zero[c])[0].reshape(m, -1)
        size = np.abs(G) @ np.abs(z[:, c].T)
        free = np.abs(g) <= 1e-9 * recorder.size
        whole = G @ z[:, c].T
        whole[~free, 2] = 0.0
        _compare(lambda e, i=instance: f"{_says(i, 'jacobian')}: row {i.rows[e[0]][0]!r}, {_WHOLE[e[1]]} of the reactions",
                 whole, np.zeros((m, 3)), 0.0, 0.0, noise=1e-11 * size)  # fmt: skip


def check_power(part: Component | PlanarModel | Recorder, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """v · residual = d/dt (kinetic + strain + potential) + dissipated − input, along a smooth motion; what is dissipated
    is not negative."""
    for recorder in _recorders(part):
        if not _having(recorder, "residual"):
            continue
        where = recorder.component.where if recorder.component else "component"
        for seed in seeds:
            s = random_state(recorder, seed)

            def stored(x: float, s: State = s, recorder: Recorder = recorder) -> Array:
                now = s.later(x)
                return np.array([np.sum(recorder.energy(now.t, now.q, now.v)[:3])])

            rate, error = derivative(stored, _time_step(s, recorder.scales))
            e = recorder.energy(s.t, s.q, s.v)
            r = recorder.residual(s.t, s.q, s.v, s.a)
            noise = 1e-12 * (np.abs(s.v) @ np.abs(r))
            _compare(lambda _, where=where: f"{where}: power of the residual", np.array([s.v @ r]), rate + e[3] - e[4], error,
                     tol, noise=noise)  # fmt: skip
            _require(e[3] >= -1e-12 * abs(s.v @ r), f"{where}: dissipated power is {e[3]:.6g} W; it must not be negative")


def check_frame_indifference(part: Component | PlanarModel | Recorder, seeds: Iterable[int] = SEEDS) -> None:
    """Turning and shifting the whole state turns the residual and leaves the energies. Left out for components with
    ``fixed_in_space = True``."""
    for recorder in _recorders(part, (0.0, 0.0)):
        if _is(recorder, "fixed_in_space") or not _having(recorder, "residual"):
            continue
        where = recorder.component.where if recorder.component else "component"
        for seed in seeds:
            s = random_state(recorder, seed)
            rng = np.random.default_rng(seed + 1000)
            turn = float(rng.uniform(-9.0, 9.0))
            q = recorder.moved(s.q, turn, recorder.size * rng.uniform(-1.0, 1.0, 2))
            v, a = recorder.turned(s.v, turn), recorder.turned(s.a, turn)
            r = recorder.residual(s.t, s.q, s.v, s.a)
            scales = recorder.scales
            stiffness = np.abs(recorder.tangent(s.t, s.q, s.v, s.a, _EYE[2]) * scales)
            noise = 1e-13 * (np.sum(stiffness, axis=1) + np.max(np.abs(r) * scales) / scales)
            noise = recorder.turned(noise, 0.0) + np.max(noise * scales) / scales
            _compare(lambda k: f"{where}: residual [{recorder.names[k[0]]}] after turning the whole by {turn:.4g}",  # noqa: B023
                     recorder.residual(s.t, q, v, a), recorder.turned(r, turn), 0.0, 1e-9, noise=noise)  # fmt: skip
            e, f = recorder.energy(s.t, s.q, s.v), recorder.energy(s.t, q, v)
            what = ("kinetic energy", "strain energy", "potential energy", "dissipated power", "input power")
            allowed = np.array([0.0, np.sum(stiffness * scales[:, None]), 0.0, 0.0, 0.0]) * 1e-13
            _compare(lambda k: f"{where}: {what[k[0]]} after turning the whole by {turn:.4g}",  # noqa: B023
                     f, e, 0.0, 1e-9, noise=allowed)  # fmt: skip


def conformance(
    part: Component | PlanarModel, seeds: Iterable[int] = SEEDS, gravity: Any = (0.7, -9.81), tol: float = TOLERANCE
) -> None:
    """Every check that applies to a component, or to each component of a model.

    `gravity` (2,) [m/s²] is used where weight is no obstacle to the check; `seeds` choose the random states; `tol` is the
    relative agreement asked for between a derivative and differences.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> conformance(m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1)))
    """
    seeds = tuple(seeds)
    components = [part] if isinstance(part, Component) else list(part.components.values())
    for component in components:
        heavy = Recorder.of(component, gravity)
        light = Recorder.of(component)
        check_shapes(heavy, seeds)
        check_tangent(heavy, seeds, tol)
        check_mass(heavy, seeds, tol)
        check_jacobian(heavy, seeds, tol)
        check_rates(heavy, seeds, tol)
        check_point(heavy, seeds, tol)
        check_power(heavy, seeds, tol)
        check_rigid_motion(light, seeds)
        check_momentum(light, seeds, tol)
        check_frame_indifference(light, seeds)
