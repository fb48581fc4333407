"""Assembly: from a model's names to numbered coordinates, groups of instances and the pattern of the matrix."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from flexmb.errors import ModelError
from flexmb.model.components import Component
from flexmb.model.frames import Node
from flexmb.model.functions import Constant, as_function
from flexmb.system.kernel_checks import (
    check_coordinates,
    check_family,
    check_reach,
    check_row,
    check_sizes,
    checked_address,
)
from flexmb.system.kernels import ROLES, Kernels
from flexmb.system.plan import GMAP_AT, KERNEL_AT, MAP_AT, N_COLUMNS, NV, ROWS, Plan, fill_maps

if TYPE_CHECKING:
    from flexmb.model.planar import PlanarModel

#: up to this many unknowns the matrix is kept dense
DENSE_LIMIT = 48
_NO_ROWS = np.zeros(0, dtype=np.int64)


@dataclass
class Instance:
    """One instance of a kernel family: whose it is, where its coordinates are, and where the plan keeps it."""

    owner: Component
    kernels: Kernels
    coordinates: np.ndarray
    parameters: np.ndarray
    rows: np.ndarray
    label: str
    work: int = 0
    group: int = -1
    place: int = -1


@dataclass(slots=True)
class Coordinate:
    """One coordinate: its name for messages and files, its kind and its initial values."""

    name: str
    kind: str
    value: float
    speed: float


@dataclass
class Row:
    """One constraint row: which joint it belongs to, its name and its kind."""

    owner: str
    name: str
    kind: str

    @property
    def where(self) -> str:
        return f"{self.owner} ({self.name})"


@dataclass
class Assembly:
    """Collects what the components of a model say; see :class:`flexmb.model.components.Assembler`."""

    model: PlanarModel
    #: what controllers hold, by the name of the component that they command; zero when not said
    held: dict[str, float] = field(default_factory=dict)
    instances: list[Instance] = field(default_factory=list)
    free: list[Coordinate] = field(default_factory=list)
    fixed: list[Coordinate] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    work: int = 1

    def __post_init__(self) -> None:
        self.model.check()
        commanded = [name for controller in self.model.controllers.values() for name in controller.commands]
        self.held = dict.fromkeys(commanded, 0.0) | self.held
        self.gravity = self.model.gravity
        self._nodes: dict[int, np.ndarray] = {}
        self._node_names: dict[int, str] = {}
        self._checked: set[tuple[int, bool]] = set()
        for frame in self.model.frames.values():
            if id(frame.node) not in self._node_names or frame.is_node:
                self._node_names.setdefault(id(frame.node), frame.name)
        for component in self.model.components.values():
            for k, node in enumerate(component.nodes()):
                self._node_names.setdefault(id(node), f"{component.name}.node{k}")
            before = len(self.instances)
            with self._held_part(component):
                component.assemble(self)
            if len(self.instances) == before:
                raise ModelError(f"{component.where}: its assemble() put in no instance of any kernel family")
        for frame in self.model.frames.values():
            self.node(frame.node)
        self._number_fixed()

    @contextmanager
    def _held_part(self, component: Component) -> Iterator[None]:
        """The component, for a moment, with what a controller holds as one more term of its strength."""
        if component.name not in self.held:
            yield
            return
        given = getattr(component, str(component.strength))
        own = as_function(given, str(component.strength), component.where)
        setattr(component, str(component.strength), own + Constant(self.held[component.name]))
        try:
            yield
        finally:
            setattr(component, str(component.strength), given)

    # -- what components say ------------------------------------------------------------------------------------------

    def node(self, node: Node) -> np.ndarray:
        """Numbers (3,) of a node's coordinates; those of fixed nodes are negative until all are known."""
        if id(node) not in self._nodes:
            name = self._node_names.get(id(node), "node")
            values = [*node.position, node.angle]
            speeds = [*node.velocity, node.angular_velocity]
            into = self.fixed if node.fixed else self.free
            first = len(into)
            for tag, kind, value, speed in zip("x y angle".split(), "length length angle".split(), values, speeds):
                into.append(Coordinate(f"{name}.{tag}", kind, float(value), 0.0 if node.fixed else float(speed)))
            numbers = np.arange(first, first + 3)
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
        first = len(self.free)
        values = np.asarray(initial, float)
        rates = np.zeros(len(names)) if speeds is None else np.asarray(speeds, float)
        check_coordinates(owner.where, names, kinds, values, rates)
        for name, kind, value, speed in zip(names, kinds, values, rates):
            self.free.append(Coordinate(f"{owner.name}.{name}", kind, float(value), float(speed)))
        return np.arange(first, len(self.free))

    def instance(
        self,
        owner: Component,
        kernels: Kernels,
        coordinates: np.ndarray,
        parameters: np.ndarray,
        rows: list[tuple[str, str]] | None = None,
        work: int = 0,
        label: str = "",
    ) -> int:
        """Put in one instance of a kernel family; returns its number."""
        parameters = np.asarray(parameters, dtype=float)
        if not np.isfinite(parameters).all():
            raise ModelError(f"{owner.where}: its parameters hold NaN or infinity (entry {_first_bad(parameters)})")
        coordinates = np.asarray(coordinates, dtype=np.int64)
        family = (id(kernels), bool(rows))
        if family not in self._checked:
            check_family(owner.where, kernels, len(rows or ()))
            self._checked.add(family)
        check_sizes(owner.where, parameters, coordinates, -len(self.fixed), len(self.free))
        numbers = np.arange(len(self.rows), len(self.rows) + len(rows)) if rows else _NO_ROWS
        for row in rows or ():
            self.rows.append(Row(owner.name, *check_row(owner.where, row)))
        self.work = max(self.work, work)
        self.instances.append(Instance(owner, kernels, coordinates, parameters, numbers, label or owner.name, work))
        return len(self.instances) - 1

    # -- what the system takes ----------------------------------------------------------------------------------------

    def _number_fixed(self) -> None:
        """Fixed coordinates stand at the tail of q, behind the free ones."""
        n = len(self.free)
        for instance in self.instances:
            c = instance.coordinates
            if c.size and c.min() < 0:
                instance.coordinates = np.where(c < 0, n - 1 - c, c)

    def node_numbers(self, node: Node) -> np.ndarray:
        """Final numbers (3,) of a node's coordinates."""
        c = self.node(node)
        return np.where(c < 0, len(self.free) - 1 - c, c)

    def plan(
        self, kept_rows: np.ndarray | None = None, dense_limit: int = DENSE_LIMIT
    ) -> tuple[Plan, sp.csc_array | None]:
        """The flat plan, and for a large system the pattern of its matrix (compressed sparse columns).

        `kept_rows`: which constraint rows take part (all when not given).
        """
        n = len(self.free)
        total = n + len(self.fixed)
        kept = np.arange(len(self.rows)) if kept_rows is None else kept_rows
        row_number = np.full(len(self.rows) + 1, -1, dtype=np.int64)
        row_number[kept] = np.arange(len(kept))
        m = len(kept)
        size = n + m
        dense = size <= dense_limit

        by_family: dict[tuple, list[Instance]] = {}
        for instance in self.instances:
            sizes = (len(instance.parameters), len(instance.coordinates), len(instance.rows))
            by_family.setdefault((id(instance.kernels), *sizes), []).append(instance)
        groups = np.zeros((len(by_family), N_COLUMNS), dtype=np.int64)
        p, index, rows = [], [], []
        initial = np.array([c.value for c in self.free + self.fixed])
        speeds = np.array([c.speed for c in self.free + self.fixed])
        at = {"p": 0, "index": 0, "rows": 0, "map": 0, "gmap": 0}
        for g, members in enumerate(by_family.values()):
            first = members[0]
            np_, nv, mi = len(first.parameters), len(first.coordinates), len(first.rows)
            count = len(members)
            for place, instance in enumerate(members):
                instance.group, instance.place = g, place
            groups[g, :KERNEL_AT] = (
                count, np_, nv, nv, mi, at["p"], at["index"], at["index"], at["rows"], at["map"], at["gmap"]
            )  # fmt: skip
            groups[g, KERNEL_AT:] = [checked_address(first, role) for role in ROLES]
            check_reach(first, initial, speeds)
            p += [i.parameters for i in members]
            index += [i.coordinates for i in members]
            rows += [row_number[i.rows] for i in members]
            at["p"] += count * np_
            at["index"] += count * nv
            at["rows"] += count * mi
            at["map"] += count * nv * nv
            at["gmap"] += 2 * count * mi * nv
        assert groups.shape[0] == 0 or (groups[:, [NV, ROWS, MAP_AT, GMAP_AT]] >= 0).all()

        numbers, row_numbers = _joined(index, np.int64), _joined(rows, np.int64)
        kmap, gmap = np.empty(at["map"], dtype=np.int64), np.empty(at["gmap"], dtype=np.int64)
        fill_maps(groups, numbers, row_numbers, n, size, dense, kmap, gmap)
        pattern = None
        if dense:
            nnz = size * size
        else:
            keys = np.concatenate([kmap, gmap])
            used = keys >= 0
            unique, inverse = np.unique(keys[used], return_inverse=True)
            keys[used] = inverse
            kmap, gmap = keys[: len(kmap)], keys[len(kmap) :]
            nnz = len(unique)
            columns = np.searchsorted(unique // size, np.arange(size + 1)).astype(np.int64)
            pattern = sp.csc_array((np.ones(nnz), (unique % size).astype(np.int64), columns), shape=(size, size))
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
    return np.ascontiguousarray(np.concatenate(parts) if parts else np.zeros(0), dtype=kind)


def _first_bad(values: np.ndarray) -> int:
    return int(np.flatnonzero(~np.isfinite(values))[0])
