"""What runs on blades: a car with trailers, and a skate."""

from __future__ import annotations

import flexmb as fm


def train(trailers: int) -> fm.PlanarModel:
    """A car with a spring to steer by, and trailers behind it on a slope: position and velocity rows in one chain."""
    m = fm.PlanarModel("train", gravity=(0.6, -0.4))
    tow = m.add_body("car", mass=3.0, inertia=0.4, center=(0.1, 0.05))
    m.knife_edge(m.ground, tow.attach("axle", (-0.2, 0.0)), name="car axle")
    m.point_force(tow.frame, (2.0, 0.0), axes="body", name="thrust")
    m.point_torque(tow.frame, fm.Harmonic(amplitude=0.4, frequency=0.5), name="wheel")
    last = tow.attach("hook", (-0.5, 0.0))
    for k in range(trailers):
        x = last.position[0]
        body = m.add_body(f"wagon{k}", mass=1.0 + 0.3 * k, inertia=0.1, position=(x - 0.6, 0.0), center=(0.15, -0.05))
        m.revolute(last, body.attach("front", (0.6, 0.0)), name=f"hinge{k}")
        m.torsion_spring(last, body.frames()[0], stiffness=0.2, damping=0.05, name=f"spring{k}")
        m.knife_edge(m.ground, body.frame, name=f"axle{k}")
        last = body.attach("hook", (-0.3, 0.0))
    for component in m.components.values():
        component.rigid_motion((0.5, 0.0), 0.0, (0.0, 0.0))
    return m


def skate():
    """A skate on a blade that drags a second body on a hinge, which is twisted."""
    m = fm.PlanarModel("skate")
    one = m.add_body("one", mass=1.0, inertia=0.1, position=(0.5, 0))
    two = m.add_body("two", mass=1.0, inertia=0.1, position=(1.5, 0))
    m.knife_edge(m.ground, one.frame, name="edge")
    m.revolute(one.attach("end", (0.5, 0)), two.attach("start", (-0.5, 0)), name="hinge")
    one.frame.move((1.0, 0.0), 1.0)
    two.frame.move((1.0, 1.0), 1.0)
    m.point_torque(two.frame, 0.3)
    return m
