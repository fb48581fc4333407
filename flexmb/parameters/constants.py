"""Components that are assembled again after their numbers have changed, for these numbers alone.

The rows of parameters of a component's instances are what its own `assemble` hands over. So a component whose mass or
stiffness has changed is asked for them again, and the rest of the model is not: its coordinates, its rows and the
instances of all others stay. Whatever else of it has changed, such as where it begins or how many instances it has, is
more than a constant, and refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NoReturn

import numpy as np

from flexmb.kernels.blocks import Block, Coordinates, Numbers
from flexmb.kernels.contract import Kernels
from flexmb.model.components import Component, Rows
from flexmb.system.assembly import Assembly
from flexmb.system.instances import InstanceSeries
from flexmb.system.plan import NP, P_AT
from flexmb.system.system import System


class MoreThanConstantsError(Exception):
    """Something besides constants has changed in a model. Caught inside flexmb: the model is then bound anew."""


class ConstantsOf:
    """The parameters of some components of a `system`, by their `names`, which can be assembled again after the numbers
    of these have changed: where they stand in the plan.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m", gravity=(0, -10))
    >>> body = m.add_body("body", mass=2.0, inertia=0.1)
    >>> system = fm.System(m)
    >>> body.mass = 3.0
    >>> ConstantsOf(system, ["body"]).put()
    >>> system.residual(0.0, system.q0, system.v0, [0, 0, 0]).tolist()
    [0.0, 30.0, 0.0]
    """

    def __init__(self, system: System, names: Collection[str]) -> None:
        self.system, every = system, system.model.components
        self._owners = [every[name] for name in every if name in names]
        self._sizes = [component.own_size for component in self._owners]
        self.series = [s for s in system.assembly.instance_series if s.owner.name in names]
        for series in self.series:
            series.parameters = series.parameters.copy()  # a component may keep its own array
        system.assembly.forget_instances()
        if system.assembly.searches or len(system.plan.p) > system.parameters:
            raise MoreThanConstantsError("components search for others, or read them")
        if any(s.rows.shape[1] or s.off for s in self.series):
            raise MoreThanConstantsError("rows of constraints have other numbers")
        groups = system.plan.groups
        firsts = [groups[s.group, P_AT] + s.place * groups[s.group, NP] for s in self.series]
        #: the indices in the plan of all their parameters
        self.places = np.concatenate(
            [np.arange(first, first + s.parameters.size) for first, s in zip(firsts, self.series)] or [np.zeros(0, int)]
        )

    def put(self) -> None:
        """Assemble the components again, and put what they say into the system and its instances. Raises a
        MoreThanConstantsError if they say other things than parameters, and a FlexmbError for values that are
        wrong."""
        assembly = self.system.assembly
        assembly.gravity = assembly.model.gravity.weight()
        again = _Again(assembly, self._owners, self.series)
        for component in self._owners:
            component.check()
            component.assemble(again)  # type: ignore[arg-type]
        again.end()
        if [component.own_size for component in self._owners] != self._sizes:
            raise MoreThanConstantsError("a component has another size")
        for series, parameters in zip(self.series, again.found):
            series.parameters[...] = parameters  # also those of its instances, which are parts of these
        parts = [series.parameters.ravel() for series in self.series]
        self.system.plan.p[self.places] = np.concatenate(parts) if parts else 0.0
        self.system.mass_scale = self.system.scale_of_masses()


class _Again:
    """The assembler as components see it that are assembled again: their coordinates are those that they have. `found`:
    the parameters of the `series` that are theirs, in their order."""

    def __init__(self, assembly: Assembly, owners: Sequence[Component], series: Sequence[InstanceSeries]) -> None:
        self._series = series
        self.gravity = assembly.gravity
        self.found: list[np.ndarray] = []
        self._added = {x.name: iter(assembly.added.get(x.name, ())) for x in owners}
        self._last: list[Callable[[], None]] = []
        self.node, self.own_coordinate, self.strength = assembly.node, assembly.own_coordinate, assembly.strength
        self.prescribed, self.held, self.commanded = assembly.prescribed, assembly.held, self._commanded

    def coordinates(
        self, owner: Component, blocks: Sequence[Block], initial: np.ndarray, speeds: np.ndarray | None = None, *,
        given: bool | None = None, sizes: np.ndarray | None = None,
    ) -> tuple[Numbers, ...]:  # fmt: skip
        """The coordinates that a component has, if they begin as they did."""
        before, numbers = next(self._added.get(owner.name, iter(())), (None, ()))
        if before is None or not _same(before, (initial, speeds, given, sizes)):
            raise MoreThanConstantsError(f"{owner.where} has coordinates that begin elsewhere")
        return numbers

    def at_last(self, put: Callable[[], None]) -> None:
        """Call `put` when all of them have been assembled."""
        self._last.append(put)

    def instance(
        self, owner: Component, kernels: Kernels, coordinates: Coordinates, parameters: np.ndarray,
        rows: Rows | None = None, work: int = 0, label: str = "", **said: Any,
    ) -> None:  # fmt: skip
        """Take the parameters of one instance."""
        self._take(owner, kernels, np.asarray(parameters, dtype=float)[None])

    def series(
        self, owner: Component, kernels: Kernels, coordinates: Numbers | np.ndarray, parameters: np.ndarray,
        work: int = 0, label: str = "", **said: Any,
    ) -> None:  # fmt: skip
        """Take the parameters of many instances."""
        if len(np.atleast_2d(coordinates.v if isinstance(coordinates, Numbers) else coordinates)):
            self._take(owner, kernels, np.asarray(parameters, dtype=float))

    def _take(self, owner: Component, kernels: Kernels, parameters: np.ndarray) -> None:
        series = self._series[len(self.found)] if len(self.found) < len(self._series) else None
        same = series is not None and owner is series.owner and kernels in (series.kernels, series.kernels.given)
        if series is None or not same or parameters.shape[-1] != series.parameters.shape[-1]:
            raise MoreThanConstantsError(f"{owner.where} has other instances of its kernels")
        if not np.isfinite(parameters).all():
            raise MoreThanConstantsError(f"{owner.where} has parameters that are not finite")
        self.found.append(np.broadcast_to(parameters, series.parameters.shape))

    def _commanded(self, component: Component) -> NoReturn:
        raise MoreThanConstantsError(f"it is read where the strength of {component.where} stands")

    def search(self, search: Any) -> NoReturn:
        """Refuse a component that searches among bodies, which changes the plan."""
        raise MoreThanConstantsError(f"{search.owner.where} searches among bodies")

    def read_by(self, finds: Any) -> NoReturn:
        """Refuse a component that reads others, whose values are kept behind the parameters."""
        raise MoreThanConstantsError("a component reads others")

    def end(self) -> None:
        """Call what was to be called at last; all instances must have come again."""
        for put in self._last:
            put()
        if len(self.found) != len(self._series) or any(next(left, None) for left in self._added.values()):
            raise MoreThanConstantsError("there are fewer instances or coordinates")


def _same(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether the initial values, speeds and sizes of coordinates are those of before."""
    return len(one) == len(other) and all(
        (a is None) == (b is None) and (a is None or np.array_equal(a, b)) for a, b in zip(one, other)
    )
