"""Mechanisms of the plane, built in space in a plane that lies askew."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm

#: from the axes of the plane to those of space
TILT = Rotation.from_rotvec([0.7, -0.4, 1.1])
GRAVITY = np.array([1.0, -9.0])


def lifted(x):
    """Vectors (…, 2) of the plane, in space."""
    x = np.asarray(x, dtype=float)
    return TILT.apply(np.append(x, np.zeros((*x.shape[:-1], 1)), axis=-1))


WAVE = fm.Harmonic(2.0, 5.0, 0.4, 1.0)

SPRING = {"stiffness": 60.0, "damping": 1.5, "free_length": 0.9, "force": WAVE}


REDUCERS: dict[str, dict[str, Any]] = {
    "elastic": {"ratio": -7.0, "stiffness": 20.0, "damping": 0.1, "friction": 2e-3, "torque": 0.1 * WAVE},
    "rigid": {"ratio": 9.0, "torque": 0.05 * WAVE},
    "dry friction": {"ratio": 5.0, "torque": 0.1 * WAVE, "friction": fm.Friction(0.05, 0.08, 1.0, 1e-3, smoothing=0.1)},
    "given angle": {"ratio": 4.0, "stiffness": 90.0, "damping": 0.2, "angle": fm.SmoothStep(0.0, 0.6, 0.3, 2.0)},
}


def planar(**motor: Any) -> fm.PlanarModel:
    """A base on a hinge and an arm on the base, driven by a motor in between; a spring, a force in either axes, and a
    torque."""
    m = fm.PlanarModel("plane", gravity=GRAVITY)
    base = m.add_body("base", mass=1.5, inertia=0.2, position=(0.5, 0.0))
    arm = m.add_body("arm", mass=0.8, inertia=0.1, position=(1.3, 0.0), angle=0.3)
    base.move((0.0, 0.2), 0.4)
    arm.move((0.0, 0.52), 0.4)
    m.revolute(m.ground, base.attach("root", (-0.5, 0.0)))
    elbow, wrist = (
        base.attach("end", (0.5, 0.0)),
        arm.attach("top", Rotation.from_rotvec([0, 0, -0.3]).apply([-0.3, 0, 0])[:2]),
    )
    m.revolute(elbow, wrist)
    m.motor(elbow, wrist, inertia=4e-3, name="motor", **motor)
    m.spring_damper(m.ground.attach("post", (0.3, 1.0)), arm.attach("hook", (0.1, 0.2)), **SPRING)
    m.point_force(arm.attach("nose", (0.3, -0.1), 0.5), (2.0, -1.0), factor=WAVE, axes="body")
    m.point_force(m.frames["arm.hook"], (0.5, 1.5), factor=WAVE)
    m.point_torque(base.frame, 0.3 * WAVE)
    m.bushing(m.ground.attach("mount", (0.9, 0.1), 0.2), base.frame, stiffness=(5.0, 9.0, 4.0), damping=(0.2, 0.1, 0.3))
    m.torsion_spring(base.frame, arm.frame, stiffness=3.0, damping=0.1, free_angle=0.5)
    m.python_force(arm.frame, lambda t, x, v: (-0.3 * v[0] * abs(v[0]), 0.5 * x[0], -0.2 * v[2]), name="air")
    return m


def spatial(**motor: Any) -> fm.SpatialModel:
    """The same; the third axes of the bodies are across the plane."""
    m = fm.SpatialModel("space", gravity=lifted(GRAVITY))
    turn, across = Rotation.from_rotvec([0.0, 0.0, 0.3]), TILT.apply([0.0, 0.0, 1.0])
    base = m.add_body("base", mass=1.5, inertia=(0.15, 0.25, 0.2), position=lifted((0.5, 0.0)), orientation=TILT)
    tensor = (0.08, 0.06, 0.1)
    arm = m.add_body("arm", mass=0.8, inertia=tensor, position=lifted((1.3, 0.0)), orientation=TILT * turn)
    base.move(lifted((0.0, 0.2)), 0.4 * across)
    arm.move(lifted((0.0, 0.52)), 0.4 * across)
    m.revolute(m.ground, base.attach("root", (-0.5, 0.0, 0.0)), axis=across)
    elbow, wrist = base.attach("end", (0.5, 0.0, 0.0)), arm.attach("top", turn.inv().apply([-0.3, 0.0, 0.0]))
    m.revolute(elbow, wrist, axis="z")
    m.motor(elbow, wrist, axis="z", inertia=4e-3, name="motor", **motor)
    m.spring_damper(m.ground.attach("post", lifted((0.3, 1.0))), arm.attach("hook", (0.1, 0.2, 0.0)), **SPRING)
    nose = arm.attach("nose", (0.3, -0.1, 0.0), Rotation.from_rotvec([0.0, 0.0, 0.5]))
    m.point_force(nose, (2.0, -1.0, 0.0), factor=WAVE, axes="body")
    m.point_force(m.frames["arm.hook"], tuple(x * WAVE for x in lifted((0.5, 1.5))))
    m.point_torque(base.frame, across, factor=0.3 * WAVE)
    mount = m.ground.attach("mount", lifted((0.9, 0.1)), TILT * Rotation.from_rotvec([0.0, 0.0, 0.2]))
    m.bushing(mount, base.frame, stiffness=(5.0, 9.0, 0, 0, 0, 4.0), damping=(0.2, 0.1, 0, 0, 0, 0.3))
    m.torsion_spring(base.frame, arm.frame, axis="z", stiffness=3.0, damping=0.1, free_angle=0.2)  # from the start on
    m.python_force(arm.frame, air, name="air")
    return m


def air(t: float, arm: fm.spatial.FrameState) -> Any:
    """The force from Python of the plane, by components in the plane."""
    x, v = TILT.inv().apply(arm.position), TILT.inv().apply(arm.velocity)
    return TILT.apply([-0.3 * v[0] * abs(v[0]), 0.5 * x[0], 0.0]), -0.2 * arm.angular_velocity
