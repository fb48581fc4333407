"""An assembler that records the instances of a component, so that their kernels can be called one by one."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from flexmb.kernels.blocks import PLACE, Block, Coordinates, Numbers, free, joined, shape_of
from flexmb.kernels.completion import complete
from flexmb.kernels.contract import Kernels
from flexmb.kernels.widths import ENERGY_WIDTH
from flexmb.model.components import Component, Rows
from flexmb.model.frames import Node
from flexmb.model.functions.time_function import Constant, TimeFunction
from flexmb.model.handed_over import Commanded, Finds, Search
from flexmb.system.kernel_checks import check_found, check_prescribed, check_row, check_slot, checked_coordinates
from flexmb.system.numbering import Numbering
from flexmb.testing.motions import RigidMotion, TrialState
from flexmb.testing.recorded import Array, RecordedInstance, require

#: a slanted gravity [m/s²] in the plane and in space, for checks that weight does not disturb
SLANTED = {2: (0.7, -9.81), 3: (0.7, -0.4, -9.81)}


def dimension_of(component: Component) -> int:
    """Whether a component stands in the plane (2) or in space (3): as the models of its frames say."""
    model = getattr(component, "model", None)
    for frame in component.frames() if model is None else ():
        return frame.model.dimension
    if model is not None:
        return int(model.dimension)
    return max((dimension_of(part) for part in component.parts()), default=2)


@dataclass(eq=False)
class Recorder:
    """An assembler that records instances, so that their kernels can be called one by one.

    It numbers all coordinates in the order in which they come, including those of fixed frames; the scalar parts of
    orientations stand behind all others.

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
    #: random states by their seeds (:func:`flexmb.testing.random_state`)
    states: dict[int, TrialState] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.gravity = np.array(self.gravity, dtype=float)
        self._nodes: dict[int, tuple[Numbers, ...]] = {}
        self._owned: list[int] = []  # numbers of the component's own coordinates
        self._kept: list[Node] = []  # keeps the nodes alive, so that no two get the same id

    @classmethod
    def of(cls, component: Component, gravity: Any = None, stronger: float = 0.0) -> Recorder:
        """The recorder of one component, whose `rigid_motion` is checked; without gravity if none is given."""
        dimension = dimension_of(component)
        recorder = cls(np.zeros(dimension) if gravity is None else gravity, component=component, stronger=stronger)
        component.assemble(recorder)
        for instance in recorder.instances:
            instance.settle(recorder.numbering)
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
            self._nodes[id(node)] = self.numbering.add(stem, shape_of(node.blocks), *node.coordinates())
            self._kept.append(node)
        return self._nodes[id(node)]

    def coordinates(
        self,
        owner: Component,
        blocks: Sequence[Block],
        initial: Array,
        speeds: Array | None = None,
        *,
        given: bool | None = None,
        sizes: Array | None = None,
    ) -> tuple[Numbers, ...]:
        shape, values, rates, sets = checked_coordinates(owner, blocks, initial, speeds, len(self.gravity))
        first = len(self.numbering)
        numbers = self.numbering.add("", shape, values, rates, sets)
        if owner is self.component:
            self._owned += range(first, len(self.numbering))
        return numbers

    def own_coordinate(self, name: str) -> Numbers:
        """A coordinate that another component owns, which the recorder adds."""
        return self.numbering.add("", shape_of((free([name], "slope"),)), [0.3], [0.2])[0]

    def at_last(self, put: Callable[[], None]) -> None:
        require(False, f"{self.where}: it reads other components; check the matrix of a system that has them")

    def read_by(self, finds: Finds) -> list[Numbers]:
        return []

    def commanded(self, component: Component) -> list[Commanded]:
        """The instances of another component in which its strength stands."""
        before = len(self.instances)
        component.assemble(self)
        theirs = self.instances[before:]
        del self.instances[before:]
        found = [
            Commanded(i.kernels, i.given, i.parameters, i.strength, i.work) for i in theirs if i.strength is not None
        ]
        return found

    def strength(self, owner: Component) -> TimeFunction:
        return owner.function(str(owner.strength)) + Constant(self.stronger)

    def prescribed(self, owner: Component) -> TimeFunction:
        return owner.function(str(owner.prescribed))

    def held(self, function: TimeFunction) -> TimeFunction:
        return function

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
        reads: bool = False,
        state: int | None = None,
        stays: bool = False,
        found: bool = False,
        finds: Sequence[Finds] = (),
    ) -> None:
        kernels, work = complete(kernels, coordinates, rows, work, owner.where)
        if found:
            check_found(owner, rows or ())
        numbers = Numbers(*(np.array(x, dtype=np.int64) for x in joined(coordinates)))
        p = np.array(parameters, dtype=float)
        flat = p.ndim == numbers.q.ndim == numbers.v.ndim == 1
        require(flat, f"{owner.where}: parameters and coordinates must be vectors")
        if strength is not None:
            check_slot(owner, p[None, :], strength)
        if prescribed is not None:
            check_prescribed(owner, rows or (), prescribed)
        named = [check_row(owner.where, row) for row in rows or ()]
        if reads:
            named = [row for before in self.instances if before.owner is owner for row in before.rows]
        require(bool(np.all(np.isfinite(p))), f"{owner.where}: a parameter of {kernels.name!r} is not finite: {p}")
        recorded = RecordedInstance(owner, kernels, numbers, p, named, int(work), label, strength, found)
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
        p, numbers = np.asarray(parameters, dtype=float), joined(coordinates)
        count = len(numbers.v)
        require(
            numbers.v.ndim == 2 and len(numbers.q) == count and p.shape[:-1] in ((), (count,)),
            f"{owner.where}: a series of instances needs a row of coordinates and of parameters for each",
        )
        for k, own in enumerate(np.broadcast_to(p, (count, p.shape[-1]))):
            one = Numbers(numbers.q[k], numbers.v[k])
            self.instance(owner, kernels, one, own, None, work, label, strength=strength)

    def search(self, search: Search) -> None:
        where, nodes = search.owner.where, search.nodes
        require(
            0.0 < search.stride <= 0.25 * search.margin and len(nodes) == len(search.reach) == len(search.own),
            f"{where}: a search needs reach and numbers of each body, and a stride of at most a quarter of its margin",
        )
        for i, j in combinations(range(len(nodes)), 2):  # all pairs, near or not
            p = np.array(search.common, dtype=float)
            p[search.at[0]], p[search.at[1]] = search.own[i], search.own[j]
            blocks = [*self.node(nodes[i]), *self.node(nodes[j])]
            self.instance(search.owner, search.kernels, blocks, p, None, search.work)

    # the whole component

    def component_is(self, attribute: str) -> bool:
        """Whether the component has set an attribute: 'external' or 'fixed_in_space'."""
        return bool(getattr(self.component, attribute, False))

    def instances_with(self, *roles: str) -> list[RecordedInstance]:
        """The instances that have kernels of all these roles."""
        return [i for i in self.instances if all(getattr(i.kernels, role) is not None for role in roles)]

    def residual(self, t: float, q: Array, v: Array, a: Array) -> Array:
        """The sum of all residuals, on the recorder's coordinates."""
        r = np.zeros(len(v))
        for part in self.instances_with("residual"):
            c = part.columns
            np.add.at(r, c, part.call("residual", t, q[part.coordinates], v[c], a[c])[0])
        return r

    def tangent(self, t: float, q: Array, v: Array, a: Array, w: Iterable[float]) -> Array:
        """The sum of all tangents."""
        K = np.zeros((len(v), len(v)))
        for part in self.instances_with("tangent"):
            c = part.columns
            own = part.call("tangent", t, q[part.coordinates], v[c], a[c], w=w)[1]
            np.add.at(K, (c[:, None], c[None, :]), own)
        return K

    def energy(self, t: float, q: Array, v: Array) -> Array:
        """Kinetic, strain, potential energy, dissipated and input power (5,)."""
        total = np.zeros(ENERGY_WIDTH)
        for part in self.instances_with("energy"):
            total += part.call("energy", t, q[part.coordinates], v[part.columns])[0]
        return total

    def spin(self) -> Array:
        """Momenta (nv,) of what turns at a constant speed without a coordinate, see :meth:`Component.spins`."""
        momenta = np.zeros(len(self.v))
        for node, momentum, _ in self.component.spins() if self.component else ():
            momenta[joined(self.node(node)).v[3:6]] += momentum
        return momenta

    def state(self, t: float, q: Array, v: Array, a: Array) -> TrialState:
        """A state of the component."""
        return TrialState(t, q, v, a, self.numbering.orientations)

    # rigid motion

    def _check_rigid_motion(self, component: Component) -> None:
        """Check that `rigid_motion` gives the coordinates the speeds that their blocks say."""
        probes: list[Array] = []
        space = self.dimension == 3
        none, units = np.zeros(self.dimension), np.eye(self.dimension)
        still, spins = (none, units) if space else (0.0, [1.0])
        for velocity, spin in ((none, still), *((x, still) for x in units), *((none, x) for x in spins)):
            twin: Any = copy.deepcopy(component)
            twin.rigid_motion(velocity, spin, none)
            other = Recorder(self.gravity, component=twin)
            twin.assemble(other)
            probes.append(other.v)
        near = 1e-12 * (1.0 + np.max(np.abs(self.q), initial=0.0))
        for given, wanted in zip(probes[1:], self.rigid_speeds(self.q), strict=True):
            for k in self._owned:
                require(
                    abs(given[k] - probes[0][k] - wanted[k]) <= near,
                    f"{component.where}: its rigid_motion moves coordinate {self.names[k]!r} not as a rigid body",
                )

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space, as the blocks of the coordinates say."""
        return max(self.numbering.dimension, 2)

    @property
    def q(self) -> Array:
        """Coordinates at the start (nq,)."""
        return np.array(self.numbering.q)

    @property
    def v(self) -> Array:
        """Speeds at the start (nv,)."""
        return np.array(self.numbering.speeds)

    @property
    def names(self) -> list[str]:
        """Names of the speeds (nv,)."""
        return self.numbering.names

    @property
    def size(self) -> float:
        """A length of the component [m]: the greatest distance between two of its places, else 1."""
        places = self.q[self.numbering.numbers_of(PLACE, self.dimension)]
        gaps = np.linalg.norm(places[:, None] - places[None, :], axis=-1)
        spread = float(np.max(gaps, initial=0.0))
        return spread if spread > 1e-9 else 1.0

    @property
    def scales(self) -> Array:
        """The size of a moderate change of each coordinate (nv,): length, 1 rad or slope 1."""
        size = self.size
        return np.array([size if measure == "length" else 1.0 for measure in self.numbering.measures])

    def random_motion(self, rng: np.random.Generator, most: float) -> RigidMotion:
        """A rigid motion that turns by at most an angle and shifts by about the size of the component."""
        return RigidMotion.random(rng, self.dimension, most, self.size)

    def turned(self, x: Array, motion: RigidMotion) -> Array:
        """Speeds, accelerations or forces, turned with the whole mechanism."""
        return motion.of_speeds(self.numbering, x)

    def moved(self, q: Array, motion: RigidMotion) -> Array:
        """Coordinates after a rigid motion."""
        return motion.of_coordinates(self.numbering, q)

    def rigid_speeds(self, q: Array) -> Array:
        """(3, nv), in space (6, nv): speeds of unit translations along the axes, and of unit spin about the origin."""
        return self.numbering.rigid_motions(q)
