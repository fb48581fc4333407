"""Small mechanisms whose runs stop and go on, or are controlled: what a bound model begins anew with."""

from __future__ import annotations

from collections.abc import Callable

import flexmb as fm
from tests.models import rubbing

SPACE = {"inertia": (0.1, 0.2, 0.3)}


def latched() -> fm.PlanarModel:
    """A double pendulum whose lower bar is caught by a lock and let go again."""
    m = fm.PlanarModel("latched", gravity=(0.0, -9.81))
    upper = m.add_body("upper", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    lower = m.add_body("lower", mass=1.0, inertia=0.1, position=(1.5, 0.0))
    m.revolute(m.ground, upper.attach("o", (-0.5, 0.0)), name="shoulder")
    m.revolute(upper.attach("e", (0.5, 0.0)), lower.attach("e", (-0.5, 0.0)), name="elbow")
    latch = m.lock(upper.frame, lower.frame, "angle", name="latch")
    m.switch_off(latch)
    m.add_event(0.15, fm.Switch(on=latch), name="catches", once=True)
    m.add_event(fm.crossing("upper.angle", -0.6, "down"), fm.Switch(off=latch), name="lets go", once=True)
    motor = m.point_torque(upper.frame, 0.0, name="motor")
    assert motor.name == "motor"
    return m


def controlled() -> fm.PlanarModel:
    """An arm of two links, driven by a law with memory that reads a noisy sensor and acts with a delay."""
    m = fm.PlanarModel("controlled", gravity=(0.0, -9.81))
    last, links = m.ground, []
    for k in range(2):
        links.append(m.add_body(f"link {k}", mass=1.0, inertia=0.1, position=(0.5 + k, 0.0)))
        m.revolute(last, links[k].attach("a", (-0.5, 0.0)), name=f"hinge {k}")
        last = links[k].attach("b", (0.5, 0.0))
    motor = m.point_torque(links[0].frame, 0.0, name="motor")
    m.point_torque(links[1].frame, 0.0, name="wrist")
    rate = fm.control.RelativeRate(m.ground, links[0].frame, noise=0.01)
    law = fm.control.LinearLaw(A=[[0.9]], B=[[0.1]], C=[[-2.0]], D=[[-1.0]])
    m.add_controller("servo", period=0.01, sensors=rate, commands=motor, law=law, delay=0.015)
    return m


def bouncing() -> fm.PlanarModel:
    """A bob on a hinge with a stop, against which it bounces."""
    m = fm.PlanarModel("bouncing", gravity=(0.0, -9.81))
    bob = m.add_body("bob", mass=1.0, inertia=0.1, position=(1.0, 0.0))
    hinge = m.revolute(m.ground, bob.attach("pivot", (-1.0, 0.0)), name="hinge")
    m.joint_stop(hinge, lower=-0.4, stiffness=1e4, damping=20.0)
    m.point_torque(bob.frame, 0.0, name="motor")
    return m


def held_twice() -> fm.SpatialModel:
    """A door on two hinges, of whose rows five repeat others."""
    m = fm.SpatialModel("held twice", gravity=(0.0, -9.81, 0.0))
    door = m.add_body("door", mass=2.0, position=(0.5, 0.0, 0.0), **SPACE)
    for k, z in enumerate((-0.5, 0.5)):
        m.revolute(m.ground.attach(f"g{k}", (0.0, 0.0, z)), door.attach(f"d{k}", (-0.5, 0.0, z)), axis="z")
    m.point_torque(door.frame, (0.0, 0.0, 1.0), factor=0.0, name="motor")
    return m


#: models by what happens in them
STOPPING: dict[str, Callable[[], fm.Model]] = {
    "events": latched,
    "controllers": controlled,
    "friction that sticks": lambda: rubbing.pushed(fm.Harmonic(6.0, 12.0)),
    "contacts": bouncing,
    "redundant rows": held_twice,
}
