"""Arms of links on hinges, one above the other."""

from __future__ import annotations

import flexmb as fm


def arm(lengths, axes="zyz"):
    """Links of some lengths [m] on hinges about z or y, straight up."""
    m = fm.SpatialModel("arm", gravity=(0, 0, -9.81))
    end, height = m.ground, 0.0
    for k, (length, axis) in enumerate(zip(lengths, axes)):
        link = m.add_body(f"link{k}", mass=1.0 + length, inertia=(0.1, 0.1, 0.02), position=(0, 0, height + length / 2))
        m.revolute(end, link.attach(f"near{k}", (0, 0, -length / 2)), axis=axis, name=f"hinge{k}")
        end, height = link.attach(f"far{k}", (0, 0, length / 2)), height + length
    return m
