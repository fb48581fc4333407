"""Assembly: from a model's components to numbered coordinates, instances of kernel families and constraint rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.errors import KernelError, ModelError
from flexmb.kernels.blocks import Block, Coordinates, Numbers, joined, shape_of
from flexmb.kernels.completion import complete
from flexmb.kernels.contract import Kernels
from flexmb.model import checks
from flexmb.model.components import Component, Rows
from flexmb.model.frames import Node
from flexmb.model.functions.time_function import Constant, TimeFunction
from flexmb.model.handed_over import Commanded, Finds, Search
from flexmb.model.model import Model
from flexmb.system.instances import Instance, InstanceSeries, Row
from flexmb.system.kernel_checks import (
    check_family,
    check_found,
    check_numbers,
    check_prescribed,
    check_row,
    check_slot,
    checked_coordinates,
)
from flexmb.system.numbering import Numbering, in_a_row, named_nodes
from flexmb.system.undeformed import hold_undeformed


@dataclass(frozen=True)
class Overrides:
    """What an analysis changes in a model: strengths and prescribed motions by the names of components; a `gravity`
    (2,) or (3,) [m/s²]; `held_at`: the time [s] at which all other functions of time are frozen; `undeformed`: whether
    flexible bodies keep their undeformed shapes (:mod:`flexmb.system.undeformed`)."""

    strengths: Mapping[str, TimeFunction] = field(default_factory=dict)
    prescribed: Mapping[str, TimeFunction] = field(default_factory=dict)
    gravity: np.ndarray | None = None
    held_at: float | None = None
    undeformed: bool = False


NO_OVERRIDES: Overrides = Overrides()


@dataclass
class Assembly:
    """Coordinates, instances and rows that components add; see :class:`flexmb.model.components.Assembler`."""

    model: Model
    overrides: Overrides = NO_OVERRIDES
    instance_series: list[InstanceSeries] = field(default_factory=list)
    free: Numbering = field(default_factory=Numbering)
    fixed: Numbering = field(default_factory=lambda: Numbering(fixed=True))
    rows: list[Row] = field(default_factory=list)
    searches: list[Search] = field(default_factory=list)
    work: int = 1

    def __post_init__(self) -> None:
        #: where results find the components that have a place
        self.places = self.model.check()
        self.gravity = self.model.gravity.weight() if self.overrides.gravity is None else self.overrides.gravity
        #: names of the components that are switched off
        self.off: frozenset[str] = frozenset()
        #: what was made once for all systems of it, whichever components are off, see :meth:`System.once`
        self.made: dict[object, object] = {}
        self._requested: set[tuple[str, str]] = set()
        #: the coordinates that components own, by their names: initial values, speeds, whether these were given, and
        #: sizes, as each call of :meth:`coordinates` had them, with the indices that it returned
        self.added: dict[str, list[tuple[tuple[Any, ...], tuple[Numbers, ...]]]] = {}
        self._nodes: dict[int, tuple[Numbers, ...]] = {}
        self._final: dict[int, Numbers] = {}
        self._last: list[Callable[[], None]] = []
        #: indices in v of coordinates of components whose initial speeds a user gave
        self.given: list[int] = []
        #: all nodes by their ids, each with the name of its coordinates
        self.nodes = named_nodes(self.model)
        for component in self.model.components.values():
            before, searches = len(self.instance_series), len(self.searches)
            component.assemble(self)
            put_in = len(self.instance_series) > before or len(self.searches) > searches
            if not put_in and not component.only_drawn:
                raise ModelError(f"{component.where}: its assemble() put in no instance of any kernel family")
            if self.overrides.undeformed:
                hold_undeformed(component, self.instance_series[before:], self.free, self)
        for put in self._last:
            put()
        self.forget_instances()
        for what, replaced in (("strength", self.overrides.strengths), ("prescribed", self.overrides.prescribed)):
            for name in replaced:
                if (name, what) not in self._requested:
                    raise ModelError(
                        f"{self.model.components[name].where}: its {what} cannot be changed, since its assemble() does "
                        f"not ask for it; take assembly.{what}(self) in place of the field"
                    )
        for frame in self.model.frames.values():
            self.node(frame.node)
        # the final index in v of each provisional one; −1 is the last entry
        n, total = len(self.free), len(self.free) + len(self.fixed)
        self._order = np.arange(total)
        self._order[n:] = np.arange(total - 1, n - 1, -1)
        final = self._all_final([*((series.coordinates,) for series in self.instance_series), *self._nodes.values()])
        for series, numbers in zip(self.instance_series, final):
            series.coordinates = numbers
        self._final = dict(zip(self._nodes, final[len(self.instance_series) :]))
        #: the constraint rows of all components, and the indices among them of `rows`, the active ones
        self.every_row, self.row_numbers = self.rows, np.arange(len(self.rows))
        self.every_series = self.instance_series
        self.initial = np.array(self.free.q + self.fixed.q)
        self.initial_speeds = np.array(self.free.speeds + self.fixed.speeds)

    # -- what components call -----------------------------------------------------------------------------------------

    def node(self, node: Node) -> tuple[Numbers, ...]:
        """Indices of a node's coordinate blocks; those of a fixed node are negative until all are numbered."""
        numbers = self._nodes.get(id(node))
        if numbers is None:
            name = self.nodes[id(node)][0] if id(node) in self.nodes else "node"
            into = self.fixed if node.fixed else self.free
            numbers = self._nodes[id(node)] = into.add(f"{name}.", shape_of(node.blocks), *node.coordinates())
        return numbers

    def coordinates(
        self,
        owner: Component,
        blocks: Sequence[Block],
        initial: np.ndarray,
        speeds: np.ndarray | None = None,
        *,
        given: bool | None = None,
        sizes: np.ndarray | None = None,
    ) -> tuple[Numbers, ...]:
        """Indices of new coordinates that a component owns, for each block."""
        shape, values, rates, sets = checked_coordinates(owner, blocks, initial, speeds, self.model.dimension)
        if given is not False:
            self.given += [k for k, rate in enumerate(rates, start=len(self.free)) if given or rate != 0.0]
        if sizes is not None:
            self.free.scales |= dict(enumerate(np.asarray(sizes, dtype=float).tolist(), start=len(self.free)))
        numbers = self.free.add(f"{owner.name}.", shape, values, rates, sets)
        said = tuple(x.copy() if isinstance(x, np.ndarray) else x for x in (initial, speeds, given, sizes))
        self.added.setdefault(owner.name, []).append((said, numbers))
        return numbers

    def own_coordinate(self, name: str) -> Numbers:
        """Indices of a coordinate that a component owns, by its name."""
        own = np.array([self.free.names.index(name)])
        return Numbers(own, own)

    def at_last(self, put: Callable[[], None]) -> None:
        """Call `put` when all components have been assembled."""
        self._last.append(put)

    def read_by(self, finds: Finds) -> list[Numbers]:
        """The free coordinates of the instances that have to be asked for what is read, each once."""
        self.forget_instances()
        every = finds.instances(self)
        q, v = (np.unique(np.concatenate([np.zeros(0, int), *x])) for x in
                ([i.coordinates for i in every], [i.speeds for i in every]))  # fmt: skip
        return [Numbers(q[q >= 0], v[v >= 0])]

    def commanded(self, component: Component) -> list[Commanded]:
        """The kernel instances in which the strength of a component stands."""
        return [
            Commanded(s.kernels, Numbers(s.coordinates.q[k], s.coordinates.v[k]), s.parameters[k], s.strength, s.work)
            for s in self.instance_series
            if s.owner is component and s.strength is not None
            for k in range(len(s))
        ]

    def strength(self, owner: Component) -> TimeFunction:
        """The function of time that scales the action of a component."""
        self._requested.add((owner.name, "strength"))
        return self.overrides.strengths.get(owner.name) or owner.function(str(owner.strength))

    def prescribed(self, owner: Component) -> TimeFunction:
        """The motion that a component prescribes."""
        self._requested.add((owner.name, "prescribed"))
        return self.overrides.prescribed.get(owner.name) or owner.function(str(owner.prescribed))

    def held(self, function: TimeFunction) -> TimeFunction:
        """A function of time, or the constant that it has at the time `held_at`."""
        at = self.overrides.held_at
        return function if at is None else Constant(float(function(at)))

    def instance(
        self,
        owner: Component,
        kernels: Kernels,
        coordinates: Coordinates,
        parameters: np.ndarray,
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
        """Add one instance of a kernel family."""
        kernels, work = complete(kernels, coordinates, rows, work, owner.where)
        parameters, numbers = np.asarray(parameters, dtype=float), joined(coordinates)
        if not parameters.ndim == numbers.v.ndim == 1:
            what, values = ("coordinates", numbers.v) if parameters.ndim == 1 else ("parameters", parameters)
            raise KernelError(f"{owner.where}: its {what} have the shape {values.shape}; give one row of numbers")
        rows, first = rows or (), len(self.rows)
        if prescribed is not None:
            check_prescribed(owner, rows, prescribed)
        own_rows = np.arange(first, first + len(rows))[None, :]
        if reads:
            own_rows = np.array([[k for k, row in enumerate(self.rows) if row.owner == owner.name]], dtype=np.int64)
        self._put(owner, kernels, numbers, parameters[None, :], own_rows, work, label, strength, prescribed)
        if found:
            check_found(owner, rows)
        self.instance_series[-1].stays, self.instance_series[-1].found = stays, found
        self.instance_series[-1].finds = finds
        self.instance_series[-1].state = state
        if rows:
            where = owner.where
            own = [Row(owner.name, *check_row(where, row)) for row in rows]
            self.instance_series[-1].velocity_rows = [row.level for row in own].count("velocity")
            self.rows += own

    def series(
        self,
        owner: Component,
        kernels: Kernels,
        coordinates: Numbers | np.ndarray,
        parameters: np.ndarray,
        work: int = 0,
        label: str = "",
        *,
        strength: int | None = None,
    ) -> None:
        """Add many instances of a kernel family without constraints at once, such as the elements of a beam."""
        kernels, work = complete(kernels, coordinates, (), work, owner.where)
        parameters, numbers = np.asarray(parameters, dtype=float), joined(coordinates)
        count = len(numbers.v)
        if numbers.v.ndim != 2 or parameters.shape[:-1] not in ((), (count,)) or not parameters.ndim:
            raise KernelError(
                f"{owner.where}: its coordinates have the shape {numbers.v.shape} and its parameters the shape "
                f"{parameters.shape}; give a row of each for every instance, or one row of parameters for all of them"
            )
        if count:
            if parameters.ndim == 1:
                parameters = np.repeat(parameters[None, :], count, axis=0)
            rows = np.zeros((count, 0), dtype=np.int64)
            self._put(owner, kernels, numbers, parameters, rows, work, label, strength)

    def search(self, search: Search) -> None:
        """Add a kernel family that acts between those pairs of many bodies that are near each other."""
        where = search.owner.where
        check_family(where, search.kernels, 0)
        if any(other.owner is search.owner for other in self.searches):
            raise KernelError(f"{where}: its assemble() searches among bodies twice; make it two components")
        for node in search.nodes:
            self.node(node)
        self.work = max(self.work, search.work)
        self.searches.append(search)

    def _put(
        self,
        owner: Component,
        kernels: Kernels,
        coordinates: Numbers,
        parameters: np.ndarray,
        rows: np.ndarray,
        work: int,
        label: str,
        strength: int | None,
        prescribed: int | None = None,
    ) -> None:
        if not checks.all_finite(parameters):
            entry = np.argwhere(~np.isfinite(parameters))[0, 1]
            raise ModelError(f"{owner.where}: its parameters hold NaN or infinity (entry {entry})")
        where, count = owner.where, rows.shape[1]
        reads = isinstance(kernels, Kernels) and kernels.constraint is None and kernels.friction is not None
        check_family(where, kernels, 0 if reads else count)
        # copies, with a row for each instance, since the component may change its own arrays
        v = np.array(coordinates.v, dtype=np.int64, ndmin=2)
        same = coordinates.q is coordinates.v
        numbers = Numbers(v if same else np.array(coordinates.q, dtype=np.int64, ndmin=2), v)
        if strength is not None:
            check_slot(owner, parameters, strength)
        if not same or self.free.scalars or self.fixed.scalars:  # others are checked together, by `_all_final`
            check_numbers(where, numbers, self.free, self.fixed)
        self.work = max(self.work, work)
        name = label or owner.name
        self.instance_series.append(
            InstanceSeries(owner, kernels, numbers, parameters, rows, name, work, strength, prescribed)
        )

    # -- results for the system ---------------------------------------------------------------------------------------

    @cached_property
    def instances(self) -> list[Instance]:
        """All instances in the order in which they were added; available once the plan is made."""
        return [series.instance(k) for series in self.instance_series for k in range(len(series))]

    @cached_property
    def instances_by_owner(self) -> dict[str, list[Instance]]:
        """The instances by the names of their components."""
        found: dict[str, list[Instance]] = {}
        for instance in self.instances:
            found.setdefault(instance.owner.name, []).append(instance)
        return found

    def forget_instances(self) -> None:
        """Forget the instances, to which others are added."""
        for cached in ("instances", "instances_by_owner"):
            self.__dict__.pop(cached, None)

    def _all_final(self, given: list[tuple[Numbers, ...]]) -> list[Numbers]:
        """Final indices for several lists of blocks, each list joined: fixed coordinates come after the free ones, −1
        becomes n, −2 becomes n + 1."""
        parts = [numbers for blocks in given for numbers in blocks]
        v = in_a_row([part.v for part in parts], np.int64)
        lowest, highest = checks.extremes(v) if v.size else (0, -1)
        if lowest < -len(self.fixed) or highest >= len(self.free):
            for series in self.instance_series:
                check_numbers(series.owner.where, series.coordinates, self.free, self.fixed)
        all_v = all_q = self._order[v]
        same = not self.free.scalars and all(part.q is part.v for part in parts)
        if not same:
            q = in_a_row([part.q for part in parts], np.int64)
            all_q = self.free.with_scalars(self.fixed, q, np.where(q < 0, self.free.sizes[0] - 1 - q, q))
        found, at_q, at_v = [], 0, 0
        for blocks in given:
            end_q, end_v = at_q + sum(part.q.size for part in blocks), at_v + sum(part.v.size for part in blocks)
            shape = (*blocks[0].v.shape[:-1], -1)
            own = all_v[at_v:end_v].reshape(shape)
            found.append(Numbers(own, own) if same else Numbers(all_q[at_q:end_q].reshape(shape), own))
            at_q, at_v = end_q, end_v
        return found

    def node_numbers(self, node: Node) -> Numbers:
        """Final indices of a node's coordinates."""
        if id(node) not in self._nodes:
            name = next((f.name for f in self.model.frames.values() if f.node is node), "of another model")
            raise ModelError(
                f"{self.model.where}: frame {checks.quoted(name)} came into the model after this system was made; ask "
                "for the place first, then solve"
            )
        return self._final[id(node)]

    def bodies_of(self, name: str) -> Numbers:
        """Final indices (N, …) of the coordinates of the bodies among which a component searches for pairs."""
        (search,) = (search for search in self.searches if search.owner.name == name)
        numbers = [self.node_numbers(node) for node in search.nodes]
        return Numbers(np.array([n.q for n in numbers]), np.array([n.v for n in numbers]))
