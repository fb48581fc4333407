"""Describing a motion: which parts of a mechanism a vector of speeds moves most."""

from __future__ import annotations

import numpy as np

from flexmb.system.system import System

#: a coordinate is named if it moves at least this part of the largest motion
LEAST_NAMED = 0.3
#: so many parts are named
MOST_NAMED = 4

_VERBS = {"x": "moves along x", "y": "moves along y", "angle": "turns"}


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
    for k in np.argsort(-size, kind="stable"):
        if size[k] < LEAST_NAMED:
            break
        owner, _, tag = system.names[k].rpartition(".")
        if tag in _VERBS:
            verb = _VERBS[tag]
        elif system.assembly.free.kinds[k].endswith("angle"):
            verb = f"turns ({tag})"
        else:
            verb = f"bends or stretches ({tag})"
        if owner not in verbs and len(verbs) == MOST_NAMED:
            break
        own_verbs = verbs.setdefault(owner, [])
        if verb not in own_verbs:
            own_verbs.append(verb)
    return ", ".join(f"{owner!r} {' and '.join(own_verbs)}" for owner, own_verbs in verbs.items())
