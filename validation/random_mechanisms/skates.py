"""Random mechanisms on knife edges: sledges with trailers, seen from above or on an incline."""

from __future__ import annotations

import numpy as np

import flexmb as fm
from flexmb.validation.random_mechanisms.making import Maker, Mechanism, Scales


def on_skates(make: Maker) -> Mechanism:
    """A row of bodies on pins, most of them on a knife edge, with springs between them."""
    gravity = make.choice(9.81, 0.0, 0.0)
    scales = Scales.by_chance(make, gravity)
    model = make(fm.PlanarModel, "by chance", gravity=(0.0, -gravity))
    heading = make.uniform(-np.pi, np.pi)
    way = np.array([np.cos(heading), np.sin(heading)])
    before = None
    at = np.zeros(2)
    for k in range(int(make.rng.integers(1, 5))):
        size, mass = scales.length * make.uniform(0.5, 1.5), scales.mass * make.uniform(0.3, 3.0)
        turn = heading + make.uniform(-0.5, 0.5) * (k > 0)
        along = np.array([np.cos(turn), np.sin(turn)])
        middle = at - 0.5 * size * along
        inertia = mass * size**2 * make.choice(1 / 12, 0.3)
        body = make(model.add_body, f"sledge{k}", mass=mass, inertia=inertia, position=tuple(middle), angle=turn)
        front = make(body.attach, "front", (0.5 * size, 0.0))
        if before is not None:
            make(model.revolute, before, front)
            if make.chance(0.5):
                stiffness = scales.torque * make.power(-1, 3)
                damping = make.choice(0.0, 0.01) * stiffness * scales.time
                make(model.torsion_spring, before, front, stiffness=stiffness, damping=damping)
        if k == 0 or make.chance(0.7):
            blade = make(body.attach, "blade", (size * make.uniform(-0.5, 0.2), size * make.choice(0.0, 0.2)))
            make(model.knife_edge, model.ground, blade, angle=make.choice(0.0, 0.0, make.uniform(-1.0, 1.0)))
        before = make(body.attach, "back", (-0.5 * size, 0.0))
        at = at - size * along
    if make.chance(0.3):
        post = make(model.ground.attach, "post", tuple(scales.length * np.array([make.uniform(-3, 3), 2.0])))
        stiffness = scales.force / scales.length * make.power(-1, 2)
        make(model.spring_damper, post, front, stiffness=stiffness)
    if make.chance(0.8):
        speed = make.uniform(-2.0, 2.0) * scales.length / scales.time
        turning = make.choice(0.0, make.uniform(-1.0, 1.0) / scales.time)
        make(model.set_rigid_motion, tuple(speed * way), turning)
    return Mechanism(model, scales.length, scales.time)
