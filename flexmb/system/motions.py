"""Describe a motion in words: the parts of a mechanism that a vector of speeds moves most."""

from __future__ import annotations

import numpy as np

from flexmb.system.system import System

#: a coordinate is named if its motion is at least this fraction of the largest
LEAST_NAMED = 0.3
#: largest number of parts, joints or changes that a message names
MOST_NAMED = 4

_AXES = ("x", "y", "z")


def describe_motion(system: System, shape: np.ndarray) -> str:
    """A text that describes a motion (n,), the part that moves most first.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("stone", mass=1.0, inertia=0.1)
    >>> describe_motion(fm.System(m), np.array([1.0, 0.0, 0.5]))
    "'stone' moves along x and turns"
    """
    size = np.abs(shape) / system.scale
    if not np.any(size > 0.0):
        return "none"
    size = size / size.max()
    verbs: dict[str, list[str]] = {}
    # among motions that differ by rounding only, turns come first, then the order of the coordinates decides
    for k in np.lexsort((~system.turning, -np.round(size, 6))):
        if size[k] < LEAST_NAMED:
            break
        owner, verb = _described(system, k)
        if owner not in verbs and len(verbs) == MOST_NAMED:
            break
        own_verbs = verbs.setdefault(owner, [])
        if verb not in own_verbs:
            own_verbs.append(verb)
    return ", ".join(f"{owner!r} {' and '.join(own_verbs)}" for owner, own_verbs in verbs.items())


def _described(system: System, k: int) -> tuple[str, str]:
    """The part that owns coordinate k, and a verb for its change."""
    owner, _, tag = system.names[k].rpartition(".")
    kind, axis = system.assembly.free.kind_of(k)
    match kind:
        case "place":
            return owner, f"moves along {_AXES[axis]}"
        case "angle":
            return owner, "turns"
        case "orientation":
            return owner, f"turns about its {_AXES[axis]}"
    turns = system.assembly.free.measures[k] == "angle"
    return owner, f"turns ({tag})" if turns else f"bends or stretches ({tag})"
