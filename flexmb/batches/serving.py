"""How members of a batch are served in lanes: which lanes there are, and what each member puts into its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from flexmb.batches.lane_image import Constants, LaneImage, NoLaneError
from flexmb.batches.lane_runs import LaneRuns
from flexmb.batches.members import Members
from flexmb.batches.outputs import Outputs
from flexmb.batches.varied import Varied, touched_by
from flexmb.errors import FlexmbError, StudyWarning, silent, warn
from flexmb.feedback.controller import Controller, sampling_for
from flexmb.parameters.constants import MoreThanConstantsError
from flexmb.parameters.names import Parameter, changed, parameter
from flexmb.parameters.structure import are_alike
from flexmb.results.solution import Solution
from flexmb.solvers.binding.bound import Bound
from flexmb.solvers.one_run import Asked
from flexmb.system.system import System


class Serving:
    """The lanes of a batch whose first member is bound as `base`; `bound(k)`: member k, bound.

    Members that differ in starts, laws and constants are served by lanes of one `image`. Each of the others gets an
    image of its own, or needs Python.
    """

    def __init__(
        self, members: Members, base: Bound, asked: Asked, outputs: Outputs, stopped: Callable[[], bool],
        bound: Callable[[int], Bound],
    ) -> None:  # fmt: skip
        self._members, self._base, self._asked, self._outputs = members, base, asked, outputs
        self._stopped, self._bound = stopped, bound
        self._own = [] if members.builds else [parameter(base.model, name, members.where) for name in members.values]
        #: the parameters that are no laws
        self._constants = [x for x in self._own if not self._is_law(x)]
        #: the components whose numbers depend on these; None: something else does
        self._touched = None if members.builds else self._components()
        self.image = self._image_of(base, asked)

    def _is_law(self, of: Parameter) -> bool:
        return of.of in self._base.model.controllers and of.path == ("law",)

    def _components(self) -> frozenset[str] | None:
        """The components whose numbers depend on the parameters; None if more than numbers do. Parameters on which the
        equations of motion do not depend are warned of, since all members would be the same in them."""
        touched: frozenset[str] | None = frozenset()
        model = self._base.model
        before = System(model) if self._constants else None
        for of in self._constants:
            others = self._others(of)
            try:
                if before is None or others is None or of.of in model.controllers:
                    raise MoreThanConstantsError
                found = [touched_by(model, before, of, other) for other in others]
                touched = None if touched is None else touched.union(*found)
            except MoreThanConstantsError:
                touched = None
            if before is not None and others and of.of not in model.controllers and are_alike(before, others[0]):
                warn(
                    f"{self._members.where}: no number in the equations of motion depends on {of.name!r}, so that "
                    "members move alike whatever it is",
                    StudyWarning,
                )
        return touched

    def _others(self, of: Parameter) -> list[System] | None:
        """Systems of the base with the values of the first and the last member that differ in a parameter and can be
        built; None if none of those that differ can."""
        members, model, now = self._members, self._base.model, of.value(self._base.model)
        own, column = [k for k in range(members.count) if not members.flaw(k)], members.values[of.name]
        differ = [k for k in own if not np.array_equal(column[k], now)]
        found: dict[int, System] = {}
        for order in (differ, differ[::-1]):
            for k in order:
                try:
                    found[k] = found.get(k) or System(changed(model, {of.name: column[k]}, members.where))
                    break
                except FlexmbError:  # said where that member runs
                    continue
        return [*found.values()] if found or not differ else None

    def _image_of(self, bound: Bound, asked: Asked) -> LaneImage | None:
        """The image of lanes of a bound member; None if it needs Python."""
        try:
            with silent():
                return LaneImage(bound, asked)
        except (NoLaneError, FlexmbError):  # what is wrong with a member is said where it runs
            return None

    def server(self) -> Server:
        """A server of members, for one thread."""
        varied = None
        if self.image is not None and self._touched is not None and self._constants:
            try:
                rotations = self._base.options.get("rotations")
                varied = Varied(self.image, self._base.model, self._constants, self._touched, rotations)
            except (NoLaneError, MoreThanConstantsError, FlexmbError):
                pass
        return Server(self, varied)

    @property
    def own_each(self) -> bool:
        """Whether each member is bound anew."""
        return self._members.builds or bool(self._constants)

    def lane_of(self, image: LaneImage | None, system: System | None = None) -> LaneRuns:
        """A lane of an image, also for members with other constants, which are those of a `system`."""
        assert image is not None
        outputs, times = self._outputs, self._asked.times
        assert times is not None
        return LaneRuns(image, times, outputs.forces, outputs.work, self._stopped, system)

    def bound_anew(self, k: int) -> LaneRuns | None:
        """A lane for member k alone; None if it needs Python."""
        with silent():
            bound = self._bound(k)
            asked = self._asked._replace(start=self._members.start_of(k, bound.model, lambda: bound.system({})))
            image = self._image_of(bound, asked)
        return None if image is None else self.lane_of(image)

    def start_of(self, k: int, system: System | None) -> tuple[Any, Any]:
        """Positions and speeds from which member k begins; None for those of the image."""
        base = self._base
        start = self._members.start_of(k, base.model, lambda: system or base.system({}))
        return (None, None) if start is None else (start.q, start.v)

    def values(self, k: int) -> dict[str, Any]:
        """Values of the parameters of member k."""
        return {of.name: self._members.values[of.name][k] for of in self._own}

    def sampling(self, k: int, varied: Varied | None) -> Any:
        """The controllers of member k as arrays, if something of theirs is its own; None if those of the image serve
        it. `varied`: the model with its constants."""
        model, image, asked = varied.model if varied else self._base.model, self.image, self._asked
        laws = {of.of: self._members.values[of.name][k] for of in self._own if self._is_law(of)}
        if not model.controllers or not (laws or varied):
            return None
        own: dict[str, Controller] = {name: model.controllers[name].with_law(law) for name, law in laws.items()}
        controllers = [own.get(name, c) for name, c in model.controllers.items()]
        if any(c.calls_python for c in controllers):
            raise NoLaneError
        assert image is not None
        return sampling_for(varied.system if varied else image.system, controllers, asked.t_start, asked.t_end, {})


class Server:
    """Runs members in lanes, one after the other; `varied`: the model whose constants members change."""

    def __init__(self, serving: Serving, varied: Varied | None) -> None:
        self._serving, self._varied, self._lane = serving, varied, None
        self._system = None if varied is None else varied.system
        if varied is not None or not serving.own_each:
            self._lane = serving.lane_of(serving.image, self._system)

    def solution(self, k: int, where: str) -> tuple[Solution, str] | None:
        """Member k, to be read before the next one, and the message about its run; None if it needs Python."""
        serving, lane = self._serving, self._lane
        if lane is not None:
            try:
                constants: Constants | None = None
                if self._varied is not None:
                    constants = self._varied.constants(serving.values(k), where)
                start = serving.start_of(k, self._system)
                found = lane.run(*start, serving.sampling(k, self._varied), constants)
                return None if found is None else (found, lane.message)
            except NoLaneError:
                if self._varied is None:
                    return None
        alone = serving.bound_anew(k)
        found = None if alone is None else alone.run(None, None, None)
        return None if found is None or alone is None else (found, alone.message)
