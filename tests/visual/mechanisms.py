"""Small mechanisms for the tests of pictures."""

from __future__ import annotations

import numpy as np

import flexmb as fm

ALUMINUM = fm.Material(density=2700.0, youngs_modulus=70e9)


def pendulum():
    """A soft rod with a bob at its end."""
    plastic = fm.Material(density=1100.0, youngs_modulus=5e7)
    m = fm.PlanarModel("pendulum", gravity=(0.0, -9.81))
    rod = m.add_beam("rod", (0, 0), (1, 0), material=plastic, section=fm.Circle(diameter=0.03), modes=2)
    m.revolute(m.ground, rod.start, name="hinge")
    m.add_point_mass("bob", rod.end, 0.05)
    return m


def yard():
    """A mechanism with nearly everything that can be drawn; beam and ramps are soft enough to move visibly."""
    m = fm.PlanarModel("yard", gravity=(0.0, -9.81))
    beam = m.add_beam(
        "jib", (0, 0), (1, 0), material=ALUMINUM, section=fm.Rectangle(0.02, 0.03), theory="exact", elements=4
    )
    m.weld(m.ground, beam.start, name="clamp")
    car = m.add_body("car", mass=1.0, inertia=0.01, position=(1.3, 0.3))
    m.prismatic(m.ground.attach("rail", (1.3, 0.3)), car.frame, axis=0.5, name="slide")
    m.spring_damper(beam.end, car.frame, stiffness=200.0, damping=1.0, name="spring")
    crank = m.add_body("crank", mass=1.0, inertia=0.01, position=(0.4, 0.7))
    rim = crank.attach("rim", (0.15, 0.0))
    hub = m.ground.attach("hub", (0.4, 0.7))
    m.revolute(hub, crank.frame, name="axle")
    m.torsion_spring(hub, crank.frame, stiffness=2.0, name="coil")
    m.motor(hub, crank.frame, inertia=1e-4, torque=0.1, name="motor", stiffness=10.0)
    m.point_torque(rim, 1.5, name="twist")
    plate = m.add_body("plate", mass=1.0, inertia=0.1, position=(0.9, 0.8))
    corner = plate.attach("corner", (-0.1, 0.1))
    plate.attach("other", (0.1, 0.0))
    plate.attach("low", (-0.1, -0.1))
    m.bushing(m.ground.attach("mount", (0.9, 0.8)), plate.frame, stiffness=(500.0, 500.0, 5.0), name="mount")
    m.distance(rim, corner, name="link")
    m.point_force(beam.end, (0.0, -80.0), name="push")
    m.distributed_load(beam, ((0.0, -300.0), (0.0, -100.0)), name="snow")
    m.python_force(plate.frame, lambda t, position, velocity: (-3.0 * velocity[0], 7.0, 0.0), name="drag")
    return m


def times(solution, count=5):
    """Times from start to end that are no steps of the run."""
    return np.linspace(solution.t[0], solution.t[-1], count) * 0.983
