"""Assembly: from a model's names to numbered coordinates, groups of instances and the pattern of the matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from flexmb.errors import KernelError, ModelError
from flexmb.kernels.contract import ROLES, Kernels
from flexmb.model import checks
from flexmb.model.components import Component
from flexmb.model.frames import Node
from flexmb.model.functions import TimeFunction
from flexmb.model.model import Model
from flexmb.system.instances import Instance, InstanceSeries
from flexmb.system.kernel_checks import (
    check_coordinates,
    check_family,
    check_numbers,
    check_prescribed,
    check_reach,
    check_row,
    check_slot,
    checked_address,
)
from flexmb.system.plan import N_COLUMNS, Plan, compress, fill_maps

#: up to this many unknowns the matrix is kept dense
DENSE_LIMIT = 48


@dataclass
class Coordinates:
    """Coordinates in the order of their numbers: names for messages and files, kinds, initial values, speeds."""

    names: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    speeds: list[float] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.names)

    def add(self, names: list[str], kinds: list[str], values: list[float], speeds: list[float]) -> np.ndarray:
        """Append coordinates; returns their numbers."""
        first = len(self.names)
        self.names += names
        self.kinds += kinds
        self.values += values
        self.speeds += speeds
        return np.arange(first, len(self.names))


@dataclass
class Row:
    """One constraint row: which joint it belongs to, its name and its kind."""

    owner: str
    name: str
    kind: str

    @property
    def where(self) -> str:
        return f"{self.owner} ({self.name})"


@dataclass(frozen=True)
class Overrides:
    """Strengths and prescribed motions, by the names of components, and a `gravity` (2,) [m/s²] that an analysis puts
    in place of the model's own."""

    strengths: Mapping[str, TimeFunction] = field(default_factory=dict)
    prescribed: Mapping[str, TimeFunction] = field(default_factory=dict)
    gravity: np.ndarray | None = None


NO_OVERRIDES: Overrides = Overrides()


@dataclass
class Assembly:
    """What the components of a model give, numbered; see :class:`flexmb.model.components.Assembler`."""

    model: Model
    overrides: Overrides = NO_OVERRIDES
    instance_series: list[InstanceSeries] = field(default_factory=list)
    free: Coordinates = field(default_factory=Coordinates)
    fixed: Coordinates = field(default_factory=Coordinates)
    rows: list[Row] = field(default_factory=list)
    work: int = 1

    def __post_init__(self) -> None:
        self.model.check()
        self.gravity = self.model.gravity if self.overrides.gravity is None else self.overrides.gravity
        self._requested: set[tuple[str, str]] = set()
        self._nodes: dict[int, np.ndarray] = {}
        self._node_names: dict[int, str] = {}
        self._checked: set[tuple[int, bool]] = set()
        for frame in self.model.frames.values():
            if id(frame.node) not in self._node_names or frame.is_node:
                self._node_names.setdefault(id(frame.node), frame.name)
        for component in self.model.components.values():
            for k, node in enumerate(component.nodes()):
                self._node_names.setdefault(id(node), f"{component.name}.node{k}")
            before = len(self.instance_series)
            component.assemble(self)
            if len(self.instance_series) == before:
                raise ModelError(f"{component.where}: its assemble() put in no instance of any kernel family")
        for what, replaced in (("strength", self.overrides.strengths), ("prescribed", self.overrides.prescribed)):
            for name in replaced:
                if (name, what) not in self._requested:
                    raise ModelError(
                        f"{self.model.components[name].where}: its {what} cannot be changed, since its assemble() does "
                        f"not ask for it; take assembly.{what}(self) in place of the field"
                    )
        for frame in self.model.frames.values():
            self.node(frame.node)
        self._number_fixed()
        self.initial = np.array(self.free.values + self.fixed.values)
        self.initial_speeds = np.array(self.free.speeds + self.fixed.speeds)

    # -- what components say ------------------------------------------------------------------------------------------

    def node(self, node: Node) -> np.ndarray:
        """Numbers (3,) of a node's coordinates; a fixed node has negative ones until all are numbered."""
        if id(node) not in self._nodes:
            name = self._node_names.get(id(node), "node")
            values = [*np.asarray(node.position, dtype=float).tolist(), float(node.angle)]
            speeds = [0.0] * 3
            if not node.fixed:
                speeds = [*np.asarray(node.velocity, dtype=float).tolist(), float(node.angular_velocity)]
            names = [f"{name}.x", f"{name}.y", f"{name}.angle"]
            into = self.fixed if node.fixed else self.free
            numbers = into.add(names, ["length", "length", "angle"], values, speeds)
            self._nodes[id(node)] = -1 - numbers if node.fixed else numbers
        return self._nodes[id(node)]

    def coordinates(
        self,
        owner: Component,
        names: list[str],
        kinds: list[str],
        initial: np.ndarray,
        speeds: np.ndarray | None = None,
    ) -> np.ndarray:
        """Numbers of new coordinates that a component owns."""
        values = np.asarray(initial, float)
        rates = np.zeros(len(names)) if speeds is None else np.asarray(speeds, float)
        check_coordinates(owner.where, names, kinds, values, rates)
        return self.free.add([f"{owner.name}.{name}" for name in names], kinds, values.tolist(), rates.tolist())

    def strength(self, owner: Component) -> TimeFunction:
        """How strongly a component acts."""
        self._requested.add((owner.name, "strength"))
        return self.overrides.strengths.get(owner.name) or owner.function(str(owner.strength))

    def prescribed(self, owner: Component) -> TimeFunction:
        """The motion that a component prescribes."""
        self._requested.add((owner.name, "prescribed"))
        return self.overrides.prescribed.get(owner.name) or owner.function(str(owner.prescribed))

    def instance(
        self,
        owner: Component,
        kernels: Kernels,
        coordinates: np.ndarray,
        parameters: np.ndarray,
        rows: list[tuple[str, str]] | None = None,
        work: int = 0,
        label: str = "",
        *,
        strength: int | None = None,
        prescribed: int | None = None,
    ) -> None:
        """Put in one instance of a kernel family."""
        parameters, coordinates = np.asarray(parameters, dtype=float), np.asarray(coordinates)
        for what, values in (("parameters", parameters), ("coordinates", coordinates)):
            if values.ndim != 1:
                raise KernelError(f"{owner.where}: its {what} have the shape {values.shape}; give one row of numbers")
        first = len(self.rows)
        count = len(rows or ())
        check_prescribed(owner, count, prescribed)
        self._put(owner, kernels, coordinates[None, :], parameters[None, :], count, work, label, strength, prescribed)
        if rows:
            where = owner.where
            self.rows += [Row(owner.name, *check_row(where, row)) for row in rows]
            self.instance_series[-1].rows[0] = np.arange(first, len(self.rows))

    def series(
        self,
        owner: Component,
        kernels: Kernels,
        coordinates: np.ndarray,
        parameters: np.ndarray,
        work: int = 0,
        label: str = "",
        *,
        strength: int | None = None,
    ) -> None:
        """Put in many instances of a kernel family without constraints at once, as a beam puts in its elements."""
        parameters, coordinates = np.asarray(parameters, dtype=float), np.asarray(coordinates)
        if coordinates.ndim != 2 or parameters.shape[:-1] not in ((), (len(coordinates),)) or not parameters.ndim:
            raise KernelError(
                f"{owner.where}: its coordinates have the shape {coordinates.shape} and its parameters the shape "
                f"{parameters.shape}; give a row of each for every instance, or one row of parameters for all of them"
            )
        if len(coordinates):
            if parameters.ndim == 1:
                parameters = np.broadcast_to(parameters, (len(coordinates), len(parameters)))
            self._put(owner, kernels, coordinates, parameters, 0, work, label, strength)

    def _put(
        self,
        owner: Component,
        kernels: Kernels,
        coordinates: np.ndarray,
        parameters: np.ndarray,
        rows: int,
        work: int,
        label: str,
        strength: int | None,
        prescribed: int | None = None,
    ) -> None:
        if not checks.all_finite(parameters):
            entry = np.argwhere(~np.isfinite(parameters))[0, 1]
            raise ModelError(f"{owner.where}: its parameters hold NaN or infinity (entry {entry})")
        family = (id(kernels), bool(rows))
        if family not in self._checked:
            check_family(owner.where, kernels, rows)
            self._checked.add(family)
        numbers = np.array(coordinates, dtype=np.int64)  # a copy, since the component may change its own array
        check_slot(owner, parameters, strength)
        check_numbers(owner.where, numbers, -len(self.fixed), len(self.free))
        self.work = max(self.work, work)
        own_rows = np.zeros((len(numbers), rows), dtype=np.int64)
        name = label or owner.name
        self.instance_series.append(
            InstanceSeries(owner, kernels, numbers, parameters, own_rows, name, work, strength, prescribed)
        )

    # -- what the system takes ----------------------------------------------------------------------------------------

    @cached_property
    def instances(self) -> list[Instance]:
        """All instances, in the order in which they were put in; available once the plan is made."""
        return [series.instance(k) for series in self.instance_series for k in range(len(series.coordinates))]

    def _number_fixed(self) -> None:
        """Fixed coordinates stand at the tail of q, behind the free ones: −1 becomes n, −2 becomes n + 1."""
        n = len(self.free)
        total = n + len(self.fixed)
        final = np.concatenate([np.arange(n), np.arange(total - 1, n - 1, -1)])  # index −1 is the last entry
        for series in self.instance_series:
            series.coordinates = final[series.coordinates]

    def node_numbers(self, node: Node) -> np.ndarray:
        """Final numbers (3,) of a node's coordinates."""
        c = self.node(node)
        return len(self.free) - 1 - c if c[0] < 0 else c.copy()

    def plan(
        self, kept_rows: np.ndarray | None = None, dense_limit: int = DENSE_LIMIT
    ) -> tuple[Plan, sp.csc_array | None]:
        """The flat plan, and for a large system the pattern of its matrix (compressed sparse columns).

        `kept_rows`: numbers of the constraint rows that take part (all when not given).
        """
        n = len(self.free)
        total = n + len(self.fixed)
        row_number = None  # every row keeps its number
        m = len(self.rows)
        if kept_rows is not None:
            m = len(kept_rows)
            row_number = np.full(len(self.rows), -1, dtype=np.int64)
            row_number[kept_rows] = np.arange(m)
        size = n + m
        dense = size <= dense_limit

        by_family: dict[tuple, list[InstanceSeries]] = {}
        for series in self.instance_series:
            sizes = (series.parameters.shape[1], series.coordinates.shape[1], series.rows.shape[1])
            by_family.setdefault((id(series.kernels), *sizes), []).append(series)
        table = []
        p, index, rows = [], [], []
        at = {"p": 0, "index": 0, "rows": 0, "map": 0, "gmap": 0}
        for g, ((_, np_, nv, mi), members) in enumerate(by_family.items()):
            count = 0
            for series in members:
                series.group, series.place = g, count
                count += len(series.coordinates)
            first = members[0].instance(0)
            places = [at["p"], at["index"], at["index"], at["rows"], at["map"], at["gmap"]]
            table.append([count, np_, nv, nv, mi, *places, *(checked_address(first, role) for role in ROLES)])
            check_reach(first, self.initial, self.initial_speeds)
            p += [s.parameters.ravel() for s in members]
            index += [s.coordinates.ravel() for s in members]
            rows += [s.rows.ravel() if row_number is None else row_number[s.rows.ravel()] for s in members]
            at["p"] += count * np_
            at["index"] += count * nv
            at["rows"] += count * mi
            at["map"] += count * nv * nv
            at["gmap"] += 2 * count * mi * nv
        groups = np.array(table, dtype=np.int64).reshape(len(table), N_COLUMNS)

        numbers, row_numbers = _joined(index, np.int64), _joined(rows, np.int64)
        maps = np.empty(at["map"] + at["gmap"], dtype=np.int64)
        kmap, gmap = maps[: at["map"]], maps[at["map"] :]
        fill_maps(groups, numbers, row_numbers, n, size, dense, kmap, gmap)
        pattern = None
        if dense:
            nnz = size * size
        else:
            columns = np.empty(size + 1, dtype=np.int64)
            inner = np.empty(len(maps), dtype=np.int64)
            nnz = compress(maps, size, columns, inner, np.empty((4, len(maps)), dtype=np.int64))
            pattern = sp.csc_array((np.ones(nnz), inner[:nnz].copy(), columns), shape=(size, size))
        plan = Plan(
            groups,
            _joined(p, float),
            numbers,
            row_numbers,
            kmap,
            gmap,
            n,
            total,
            m,
            size,
            int(dense),
            nnz,
        )
        return plan, pattern


def _joined(parts: list[np.ndarray], kind: type) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=kind)
