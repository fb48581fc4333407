"""Pendulums that batches run, and calls without warnings."""

from __future__ import annotations

import warnings

import flexmb as fm

STEEL = fm.Material(density=7850, youngs_modulus=205e9)


def pendulum(mass=2.0):
    m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    bob = m.add_body("bob", mass=mass, inertia=0.1, position=(1, 0))
    m.revolute(m.ground, bob.attach("pivot", (-1, 0)), name="hinge")
    m.point_torque(bob.frame, 0.0, name="motor")
    return m


def whip():
    m = fm.PlanarModel("whip", gravity=(0, -9.81))
    rod = m.add_beam("rod", (0, 0), (1, 0), material=STEEL, section=fm.Circle(diameter=0.01), modes=1)
    m.revolute(m.ground, rod.start, name="hinge")
    m.add_point_mass("tip", rod.end, 0.1)
    return m


def controlled():
    m = pendulum()
    sensors = [fm.control.RelativeRate(m.ground, m.frame("bob"), noise=0.01)]
    m.add_controller("servo", period=0.01, sensors=sensors, commands=["motor"], law=fm.control.LinearLaw(D=[[-1.0]]))
    return m


def quiet(function, *given, **named):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*given, **named)
