"""An arm that bends, as a state of its model: what pictures and names of results ask."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.formulations.flex_arm.chain import GROUND, Chain
from flexmb.formulations.flex_arm.motion import ArmMotion
from flexmb.model.model import Model
from flexmb.model.orientations import scalar_first
from flexmb.results.state import State
from flexmb.system.system import System


def state_of(
    model: Model, chain: Chain, motion: ArmMotion, shifts: dict[str, np.ndarray], q: np.ndarray, t: float
) -> State:
    """The state of a model at rest with small motions q (size,) about its nominal one at a time t [s]: places by the
    `shifts` (6, size) of its frames, modes of links by their compatibility."""
    system = System(model)
    place = system.initial[: system.nq].copy()
    for name in _on_nodes(model, chain):
        k, frame = chain.frames[name]
        at, (shift, turn) = motion.links[k], np.split(shifts[name] @ q, 2)
        R = at.R.value
        axes = Rotation.from_rotvec(turn) * Rotation.from_matrix(R @ frame.axes)
        numbers = system.assembly.node_numbers(model.frames[name].node).q
        place[numbers] = [*(at.o.value + R @ frame.position + shift), *scalar_first(axes)]
    names = {name: number for number, name in enumerate(system.coordinate_names)}
    for link, at in zip(chain.links, motion.links, strict=True):
        for j, amplitude in enumerate((link.A @ at.B.value @ q)[6:]):
            place[names[f"{link.name}.mode{j + 1}"]] = amplitude
    still = np.zeros(system.n)
    return State(system, t, place, still, still.copy(), np.zeros(system.m))


def _on_nodes(model: Model, chain: Chain) -> list[str]:
    """For each node of the links the name of a frame that stands on it without an offset."""
    found = dict[int, str]()
    for name, (k, _) in chain.frames.items():
        frame: Any = model.frames[name]
        node = frame.node
        same = np.array_equal(frame.position, node.position) and np.array_equal(frame.quaternion, node.orientation)
        if k != GROUND and same:
            found.setdefault(id(node), name)
    return list(found.values())
