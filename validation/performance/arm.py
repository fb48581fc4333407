"""An arm of equal links in hinges, with axes along z and along y in turn: what comparisons of formulations work on."""

from __future__ import annotations

import flexmb as fm

LENGTH, MASS, INERTIA, GRAVITY = 0.3, 1.0, (0.1, 0.12, 0.05), (0.0, 0.0, -9.81)


def axis(k: int) -> str:
    """The axis of a hinge."""
    return "zy"[k % 2]


def arm(count: int) -> fm.SpatialModel:
    """The arm of so many links, upright."""
    m = fm.SpatialModel(f"arm of {count} links", gravity=GRAVITY)
    at = m.ground
    for k in range(count):
        link = m.add_body(f"link {k}", mass=MASS, inertia=INERTIA, position=(0.0, 0.0, (k + 0.5) * LENGTH))
        m.revolute(at, link.attach(f"low {k}", (0.0, 0.0, -0.5 * LENGTH)), axis=axis(k), name=f"hinge {k}")
        at = link.attach(f"high {k}", (0.0, 0.0, 0.5 * LENGTH))
    return m
