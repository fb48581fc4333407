"""Motions in words: which parts of a mechanism a vector of speeds moves most."""

from __future__ import annotations

import numpy as np

from flexmb.system.system import System

#: a coordinate that moves less than this part of the one that moves most is not worth a word
WORTH_SAYING = 0.3
#: parts that are named
AT_MOST = 4

_VERBS = {"x": "moves along x", "y": "moves along y", "angle": "turns"}


def describe_motion(system: System, shape: np.ndarray) -> str:
    """A motion (n,) in words, the part that moves most first.

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
        if size[k] < WORTH_SAYING:
            break
        owner, _, tag = system.names[k].rpartition(".")
        if tag in _VERBS:
            verb = _VERBS[tag]
        elif system.assembly.free.kinds[k].endswith("angle"):
            verb = f"turns ({tag})"
        else:
            verb = f"bends or stretches ({tag})"
        if owner not in verbs and len(verbs) == AT_MOST:
            break
        said = verbs.setdefault(owner, [])
        if verb not in said:
            said.append(verb)
    return ", ".join(f"{owner!r} {' and '.join(said)}" for owner, said in verbs.items())
