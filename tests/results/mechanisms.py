"""Small mechanisms for the tests of results."""

from __future__ import annotations

import flexmb as fm

ROD = fm.planar.BeamProperties(EA=1e5, EI=3.0, rhoA=0.6)


def pendulum(length=1.0, mass=2.0, inertia=0.1):
    """A rigid pendulum that falls from the horizontal; its body's frame is the center of mass."""
    m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    bob = m.add_body("bob", mass=mass, inertia=inertia, position=(length, 0))
    m.revolute(m.ground, bob.attach("pivot", (-length, 0), 0.3), name="hinge")
    return m


def flexible(theory="cms", elements=1):
    """A flexible pendulum with a body welded to its tip."""
    m = fm.PlanarModel("flexible", gravity=(0, -9.81))
    rod = m.add_beam("rod", (0, 0), (1, 0), properties=ROD, theory=theory, elements=elements)
    bob = m.add_body("bob", mass=1.0, inertia=0.1, position=(1.2, 0.1))
    m.revolute(m.ground, rod.start, name="hinge")
    m.weld(rod.end, bob.attach("left", (-0.2, -0.1)), name="seam")
    return m
