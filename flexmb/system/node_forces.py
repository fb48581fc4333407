"""The force on the node of frame b of a component: its own, or that of all that acts between its two bodies.

Of an instance of kernels count its friction, and the parts that are said: the force Gᵀ λ of its rows, and its residual.
What has no rows, a spring or a contact, puts on frames what its residual says.
"""

from __future__ import annotations

import numpy as np

from flexmb.model.appearance import PairPlace
from flexmb.model.components import Component
from flexmb.system.assembly import Assembly
from flexmb.system.evaluation import RESIDUAL_TOO, ROWS_TOO
from flexmb.system.instances import Instance
from flexmb.system.system import System


def putting_force(assembly: Assembly, joint: str, along: bool) -> list[tuple[Instance, int]]:
    """The instances that put a force on the node of a joint or of another component, and which of their parts count.
    `along`: of all components between its two bodies, but without the joint's own rows, which do no work along its
    coordinates."""
    if not along:
        every = assembly.instances_by_owner.get(joint, [])
        bearing = [i for i in every if i.kernels.bears]
        return [
            (i, ROWS_TOO | (RESIDUAL_TOO if i.kernels.reacts or not bearing else 0))
            for i in bearing or every
            if not i.off
        ]
    found = [(i, 0) for i in assembly.instances_by_owner.get(joint, []) if i.kernels.friction is not None and not i.off]
    for component in between_bodies(assembly, joint):
        own = assembly.instances_by_owner.get(component.name, [])
        found += [(i, ROWS_TOO | RESIDUAL_TOO) for i in own if not i.off]
    return found


def between_bodies(assembly: Assembly, joint: str) -> list[Component]:
    """The components, but for the joint itself, that stand between the two bodies of a joint."""
    places, frames, components = assembly.places, assembly.model.frames, assembly.model.components

    def nodes(name: str) -> set[int]:
        place = places.get(name)
        return {id(frames[end].node) for end in (place.a, place.b)} if isinstance(place, PairPlace) else set()

    own = nodes(joint)
    return [component for name, component in components.items() if name != joint and nodes(name) == own]


def columns_on(instance: Instance, speeds: np.ndarray) -> list[tuple[int, int]]:
    """For the numbers `speeds` of a node's speeds: which of them stand in an instance, and where in it."""
    return [(c, int(j)) for c, number in enumerate(speeds) for j in np.flatnonzero(instance.speeds == number)]


def force_table(system: System, joint: str, speeds: np.ndarray, along: bool) -> tuple[list[int], int]:
    """What compiled code knows of these instances: how many numbers the node has, how many instances there are, and of
    each its group and place, which parts count, how many numbers it has, and which of these are those of the node; and
    the largest of their numbers."""
    found: list[int] = []
    putting = [(i, parts, columns_on(i, speeds)) for i, parts in putting_force(system.assembly, joint, along)]
    putting = [(i, parts, columns) for i, parts, columns in putting if columns]
    for i, parts, columns in putting:
        found += [i.group, i.place, parts, len(i.speeds), len(columns), *(x for pair in columns for x in pair)]
    room = max((len(i.speeds) for i, _, _ in putting), default=0)
    return [len(speeds), len(putting), *found], room
