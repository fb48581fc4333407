"""States of first order beside a mechanism, such as those of filters and actuators: speeds of the tree that move no
body. Their rates follow from their own equations alone, ẋ = f, and what they command is among the loads, so that the
equations of papers need not know of them.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.blocks import STATE

#: arrays of a motion with a row for each speed
OF_SPEEDS = "u", "tau", "columns", "column_rates", "rates"


def states_beside(tree: Tree) -> list[int]:
    """Indices in the system of states that share no inertia with bodies, as the used mass of a tank does."""
    of_states = set(np.flatnonzero(tree.system.assembly.free.mask(STATE)).tolist())
    if not of_states:
        return []
    inertial = [set(share.speeds.tolist()) for share in tree.graph.shares if share.massive]
    shared = set[int]().union(*(speeds for speeds in inertial if not speeds <= of_states))
    return [number for number in tree.nodes.inner.tolist() if number in of_states - shared]


def speeds_beside(tree: Tree) -> np.ndarray:
    """Indices of these states among the speeds of the tree."""
    inner = tree.nodes.inner.tolist()
    return np.array([tree.nv - len(inner) + inner.index(number) for number in states_beside(tree)], dtype=int)


def without(motion: Any, states: np.ndarray) -> Any:
    """A motion without the speeds of states, which it has among its wheels, as inertia about no axis."""
    if not len(states):
        return motion
    kept, wheels = np.setdiff1d(np.arange(len(motion.u)), states), motion.wheels
    turning = ~np.isin(wheels.speed, states)
    of_wheels = {name: part[turning] for name, part in wheels._asdict().items()}
    of_wheels["speed"] = np.searchsorted(kept, of_wheels["speed"])
    less: dict[str, Any] = {f.name: getattr(motion, f.name)[kept] for f in fields(motion) if f.name in OF_SPEEDS}
    if motion.rows is not None:
        less["rows"] = motion.rows._replace(b=motion.rows.b[:, kept])
    if hasattr(motion, "speed"):  # of modes
        less["speed"] = np.searchsorted(kept, motion.speed)
    return replace(motion, wheels=wheels._replace(**of_wheels), **less)


def with_states(motion: Any, ud: np.ndarray, states: np.ndarray) -> np.ndarray:
    """u̇ (nv,) of a motion with states, from that of the other speeds."""
    wheels, found = motion.wheels, np.zeros(len(motion.u))
    found[np.setdiff1d(np.arange(len(found)), states)] = ud
    own = np.isin(wheels.speed, states)
    found[wheels.speed[own]] = motion.tau[wheels.speed[own]] / wheels.spin[own]
    return found
