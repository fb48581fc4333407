"""A model whose constants change from member to member, in one thread: its numbers for lanes."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from flexmb.batches.lane_image import Constants, LaneImage, NoLaneError
from flexmb.errors import FlexmbError
from flexmb.formulations.tree.inertial import massive
from flexmb.formulations.tree.masses import MassesAgain
from flexmb.formulations.tree.tree import Tree
from flexmb.model.model import Model
from flexmb.parameters.constants import ConstantsOf, MoreThanConstantsError
from flexmb.parameters.names import Parameter
from flexmb.parameters.structure import differ_in_numbers
from flexmb.solvers.coordinates.coordinates import coordinates_for
from flexmb.system.system import System


def touched_by(model: Model, system: System, parameter: Parameter, other: System) -> frozenset[str]:
    """The components of a `system` of a model that have other numbers in that of a model in which a parameter has
    another value. Raises a MoreThanConstantsError if these differ in more than constants."""
    same = differ_in_numbers(system, other) and system.length_scale == other.length_scale
    if not same or not all(np.array_equal(*x) for x in zip(_start(system), _start(other))):
        raise MoreThanConstantsError(f"{parameter.name!r} changes more than constants")
    pairs = zip(system.assembly.instance_series, other.assembly.instance_series)
    found = {one.owner.name for one, two in pairs if not np.array_equal(one.parameters, two.parameters)}
    return frozenset(found | ({parameter.of} & model.components.keys()))


def _start(system: System) -> tuple[np.ndarray, ...]:
    return system.initial, system.initial_speeds, system.scale, system.row_scale


class Varied:
    """A copy of a `model`, bound as the image of lanes, with other values of its `parameters`, on which the components
    `touched` depend; `rotations`: the option of the method. Raises a MoreThanConstantsError or a NoLaneError if not all
    that follows from them is known, so that each member has to be bound anew."""

    def __init__(
        self, image: LaneImage, model: Model, parameters: list[Parameter], touched: Collection[str],
        rotations: str | None,
    ) -> None:  # fmt: skip
        self.model, self._parameters = copy.deepcopy(model), parameters
        self.system = system = System(self.model)
        self._constants = ConstantsOf(system, touched)
        self._masses, self._massive = None, self._with_mass()
        if any(self.model.components[name].spins() for name in touched):
            raise NoLaneError("the angular momentum of a wheel of constant speed is kept")
        if image.in_joints:
            if not image.tells_masses:
                raise NoLaneError("the workspace of its formulation has masses of its own")
            angles = coordinates_for(rotations)
            tree = Tree.of(system, euler_angles=angles.sequence or None)
            self._masses = MassesAgain(system, tree.graph, tree.nodes)

    def constants(self, values: Mapping[str, Any], where: str) -> Constants:
        """The constants of a member with these values by name; a NoLaneError if it has to be bound anew."""
        try:
            for each in self._parameters:
                each.put(self.model, values[each.name], where)
            self._constants.put()
        except (MoreThanConstantsError, FlexmbError) as error:  # what is wrong with it is said where it is bound
            raise NoLaneError(str(error)) from None
        if self._with_mass() != self._massive:
            raise NoLaneError("other components have mass")
        return Constants(
            self._constants.places, self.system.plan.p[self._constants.places], self.system.mass_scale, self._masses
        )

    def _with_mass(self) -> list[bytes]:
        """Masks of the instances that may change, by whether they have mass."""
        return [massive(self.system, series).tobytes() for series in self._constants.series]
