"""A wheel that a sampled controller turns, and its motion by hand."""

from __future__ import annotations

import numpy as np

import flexmb as fm

PERIOD, DELAY, INERTIA = 0.02, 0.005, 0.4
GAINS = np.array([-40.0, -6.0, 40.0])


def wheel(gains=GAINS, **options):
    model = fm.PlanarModel("wheel")
    body = model.add_body("body", mass=1.0, inertia=INERTIA)
    model.revolute(model.ground, body.frame)
    motor = model.point_torque(body.frame, 0.0, name="motor")
    sensors = [
        fm.control.RelativeAngle(model.ground, body.frame),
        fm.control.RelativeRate(model.ground, body.frame),
        fm.control.Reference(1.0),
    ]
    model.add_controller("servo", period=PERIOD, sensors=sensors, commands=motor, law=[list(gains)], **options)
    return model


def by_hand(count):
    """Angle, rate and command at each instant: the torque of the instant before acts until the delay has passed."""
    angle = rate = before = 0.0
    rows = []
    for _ in range(count):
        torque = GAINS @ (angle, rate, 1.0)
        rows.append((angle, rate, torque))
        for u, h in ((before, DELAY), (torque, PERIOD - DELAY)):
            angle += rate * h + 0.5 * u / INERTIA * h * h
            rate += u / INERTIA * h
        before = torque
    return np.array(rows)
