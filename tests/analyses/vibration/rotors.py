"""A chain of bodies on a driven hub, in the plane and in a tilted plane of space."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm

TURN, SHIFT = Rotation.from_rotvec([0.7, -0.4, 1.1]), np.array([1.0, 2.0, -0.5])
AXIS = TURN.apply((0.0, 0.0, 1.0))
STIFFNESS, DAMPING = (500.0, 800.0, 15.0), (0.5, 0.3, 0.02)


def flat_chain(speed):
    model = fm.PlanarModel("chain")
    hub = model.add_body("hub", mass=1.0, inertia=0.5)
    model.revolute(model.ground, hub.frame)
    model.drive_angle(model.ground, hub.frame, fm.Polynomial([0.0, speed]), name="motor")
    last, x = hub.attach("root", (0.3, 0.1)), 0.3
    for k in range(3):
        body = model.add_body(f"b{k}", mass=0.4 - 0.1 * k, inertia=0.02, position=(x + 0.2, 0.1))
        model.bushing(last, body.attach(f"in{k}", (-0.2, 0.0)), stiffness=STIFFNESS, damping=DAMPING)
        last, x = body.attach(f"out{k}", (0.2, 0.0)), x + 0.4
    return model


def tilted_chain(speed, damped=True):
    model = fm.SpatialModel("chain")
    base = model.add_frame("base", SHIFT, orientation=TURN, fixed=True)
    hub = model.add_body("hub", mass=1.0, inertia=(0.3, 0.4, 0.5), position=SHIFT, orientation=TURN)
    model.revolute(base, hub.frame, axis="z")
    model.drive_angle(base, hub.frame, fm.Polynomial([0.0, speed]), axis="z", name="motor")
    last, x = hub.attach("root", (0.3, 0.1, 0.0)), 0.3
    stiffness = (*STIFFNESS[:2], 1e3, 40.0, 50.0, STIFFNESS[2])
    damping = np.multiply(damped, (*DAMPING[:2], 0.4, 0.01, 0.01, DAMPING[2]))
    for k in range(3):
        place = SHIFT + TURN.apply((x + 0.2, 0.1, 0.0))
        inertia = (0.01, 0.03, 0.02)
        body = model.add_body(f"b{k}", mass=0.4 - 0.1 * k, inertia=inertia, position=place, orientation=TURN)
        model.bushing(last, body.attach(f"in{k}", (-0.2, 0.0, 0.0)), stiffness=stiffness, damping=damping)
        last, x = body.attach(f"out{k}", (0.2, 0.0, 0.0)), x + 0.4
    return model
