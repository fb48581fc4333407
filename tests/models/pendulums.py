"""Pendulums: soft beams and rigid bars on a hinge, and how they swing."""

from __future__ import annotations

import numpy as np
from scipy.special import ellipj, ellipk

import flexmb as fm

SOFT = fm.planar.BeamProperties(EA=2000.0, EI=1.5, rhoA=0.4, rhoI=1e-5, GA=900.0)


def flexible_pendulum(theory: str = "cms", **options: object) -> fm.PlanarModel:
    """A soft beam hinged at its start, released level."""
    model = fm.PlanarModel("pendulum", gravity=(0.0, -9.81))
    rod = model.add_beam("rod", (0, 0), (1, 0), properties=SOFT, theory=theory, **options)
    model.revolute(model.ground, rod.start, name="hinge")
    return model


def pendulum() -> fm.PlanarModel:
    """A rigid bar of 1 kg and 0.1 kg m², its center 1 m from the hinge, released level."""
    model = fm.PlanarModel("pendulum", gravity=(0.0, -9.81))
    bob = model.add_body("bob", mass=1.0, inertia=0.1, position=(1.0, 0.0))
    model.revolute(model.ground, bob.attach("pivot", (-1.0, 0.0)), name="hinge")
    return model


def leaning_pendulum(angle=1.0):
    """A body of 2 kg that hangs 1 m below a hinge, let go at an angle [rad] from rest."""
    model = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    at = (np.sin(angle), -np.cos(angle))
    bob = model.add_body("bob", mass=2.0, inertia=0.1, position=at, angle=angle)
    model.revolute(model.ground, bob.frame.attach("pivot", (0, 1)), name="hinge")
    return model


def spinning(speed: float) -> fm.PlanarModel:
    """A bar on a hinge at its end, at a speed [rad/s]."""
    model = fm.PlanarModel("rotor", gravity=(0.0, -9.81))
    bar = model.add_body("bar", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    model.revolute(model.ground, bar.attach("axle", (-0.5, 0.0)))
    model.set_rigid_motion(angular_velocity=speed)
    return model


def swung(t):
    """The angle of a uniform rod of 1 m on a hinge at its end, released level: elliptic functions."""
    rate = np.sqrt(1.5 * 9.81)
    sn, *_ = ellipj(ellipk(0.5) - np.fmod(rate * t, 4.0 * ellipk(0.5)), 0.5)
    return 2.0 * np.arcsin(np.sqrt(0.5) * sn) - 0.5 * np.pi
