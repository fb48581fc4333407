"""A run of a mechanism in space with a beam, a body that deforms and a spring."""

from __future__ import annotations

from dataclasses import replace

import flexmb as fm
from tests.models.particles import Particles


def mixed_run():
    """A mechanism in space with a beam, a body that deforms, a wheel and a spring."""
    reduced = Particles.random(seed=3, size=8).reduced()
    mesh = replace(reduced.mesh, cells=[("hexahedron", [range(8)])])
    m = fm.SpatialModel("mixed", gravity=(0.0, 0.0, -9.81))
    blob = m.add_modal_body("blob", replace(reduced, mesh=mesh), amplitudes=(0.2, -0.1, 0.3))
    blob.frame.move((0.4, 0.0, 0.2), (1.0, -2.0, 0.5))
    rubber = fm.Material(density=1200.0, youngs_modulus=2e7, poissons_ratio=0.45)
    arm = m.add_beam(
        "arm", (2, 0, 0), (3, 0, 0.3), material=rubber, section=fm.Rectangle(0.05, 0.03), theory="exact", elements=3
    )
    m.revolute(m.ground.attach("post", (2, 0, 0)), arm.start, axis="y", name="hinge")
    ball = m.add_body("ball", shape=fm.Sphere(diameter=0.2), mass=1.0, position=(3.0, 0.5, 0.3))
    m.spring_damper(arm.end, ball.frame, stiffness=100.0, free_length=0.3, name="coil")
    return fm.simulate(m, 0.3, progress=False)
