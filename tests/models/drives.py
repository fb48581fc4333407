"""A crank that is driven as time goes, and a gear between two wheels."""

from __future__ import annotations

import flexmb as fm


def driven():
    """A drive that follows time, and a gear between two wheels."""
    m = fm.PlanarModel("driven", gravity=(0, -9.81))
    crank = m.add_body("crank", mass=1.0, inertia=0.1, position=(0.5, 0))
    rod = m.add_body("rod", mass=1.0, inertia=0.1, position=(1.5, 0))
    m.revolute(m.ground, crank.attach("start", (-0.5, 0)), name="first")
    m.revolute(crank.attach("end", (0.5, 0)), rod.attach("start", (-0.5, 0)), name="second")
    m.drive_angle(m.ground, crank.frame, fm.Harmonic(0.5, 4.0), name="drive")
    wheels = [m.add_body(f"wheel{k}", mass=1.0, inertia=0.2 + k, position=(k, 3)) for k in range(2)]
    for wheel in wheels:
        m.revolute(m.ground.attach(f"{wheel.name}.axle", wheel.frame.position), wheel.frame, name=f"{wheel.name}.hinge")
    m.gear(*(wheel.frame for wheel in wheels), 2.5, carrier=m.ground, name="gear")
    m.point_torque(wheels[0].frame, 1.0)
    return m
