"""A wheel with a motor as a task of control."""

from __future__ import annotations

import flexmb as fm


def wheel(**given):
    """The task; a torque u turns the wheel of 2 kg m² by ½ u t²/2."""
    m = fm.PlanarModel("wheel")
    body = m.add_body("wheel", mass=1.0, inertia=2.0)
    m.revolute(m.ground, body.frame, name="axle")
    m.point_torque(body.frame, 0.0, name="motor")
    arguments = {
        "commands": {"motor": (-4.0, 4.0)},
        "observations": ["axle.angle", "axle.rate"],
        "period": 0.1,
        "duration": 1.0,
        "reward": lambda now: -(now["axle.angle"] ** 2),
        "method": "rkf45",
        "options": {"step": 0.05},
    }
    return fm.environments.Task(model=m, **{**arguments, **given})
