"""Pairs of frames in the plane for tests of components between them."""

from __future__ import annotations

import flexmb as fm


def pair() -> tuple[fm.PlanarModel, fm.planar.Frame, fm.planar.Frame]:
    """Two bodies that may go anywhere, and a frame off the node of each."""
    m = fm.PlanarModel("pair")
    a = m.add_body("a", mass=2.0, inertia=0.1, position=(1.0, 0.2))
    b = m.add_body("b", mass=3.0, inertia=0.2, position=(0.3, -0.5), angle=0.3)
    return m, a.attach("p", (0.1, 0.2), 0.3), b.attach("p", (-0.2, 0.1), -0.7)


def coincident() -> tuple[fm.PlanarModel, fm.planar.Frame, fm.planar.Frame]:
    """The same two bodies, with frames that share a place and an angle, so that joints are met at the
    start."""
    m, a, _ = pair()
    b = m.add_frame("c", tuple(a.position), a.angle)
    return m, a, b
