"""Quantities by name, one of each kind, against closed forms in the plane and in space."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.registry import Check, Record, case

#: torque [Nm], inertia about the axis [kg m²], force along the rail [N], mass [kg], place of the rim on the wheel [m]
TORQUE, INERTIA, FORCE, MASS, RIM = 0.8, 0.4, 3.0, 2.0, 0.5
T_END, STEP = 1.5, 0.05
#: unit axis of the hinge and of the rail in space
AXIS = np.array([0.6, 0.0, 0.8])
#: constant spin of the ball [rad/s]
SPIN = np.array([0.3, -0.5, 0.4])


def plane() -> fm.PlanarModel:
    """A wheel on a hinge, and a block on a rail, both pushed steadily."""
    m = fm.PlanarModel("pushed steadily")
    wheel = m.add_body("wheel", mass=1.0, inertia=INERTIA, angle=0.7)
    wheel.attach("rim", (RIM, 0.0))
    m.joint_force(m.revolute(m.ground, wheel.frame, name="hinge"), TORQUE)
    block = m.add_body("block", mass=MASS, inertia=1.0, position=(0.0, 2.0))
    m.joint_force(m.prismatic(m.ground.attach("rail foot", (0.0, 2.0)), block.frame, axis=0.4, name="rail"), FORCE)
    return m


def space() -> fm.SpatialModel:
    """The same about and along an axis that stands askew, and a ball that spins."""
    m = fm.SpatialModel("pushed steadily in space")
    wheel = m.add_body("wheel", mass=1.0, inertia=(INERTIA, INERTIA, INERTIA), orientation=fm.rotation_vector(AXIS))
    across = wheel.frame.orientation.apply((0.0, RIM, 0.0), inverse=True)
    wheel.attach("rim", across)
    m.joint_force(m.revolute(m.ground, wheel.frame, axis=AXIS, name="hinge"), TORQUE)
    block = m.add_body("block", mass=MASS, inertia=(1.0, 1.0, 1.0), position=(0.0, 2.0, 0.0))
    m.joint_force(
        m.prismatic(m.ground.attach("rail foot", (0.0, 2.0, 0.0)), block.frame, axis=AXIS, name="rail"), FORCE
    )
    ball = m.add_body("ball", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0.0, 4.0, 0.0))
    m.spherical(m.ground.attach("socket", (0.0, 4.0, 0.0)), ball.frame, name="socket joint")
    ball.move((0.0, 0.0, 0.0), SPIN)
    return m


def _expected(t: float, turn: tuple[np.ndarray, np.ndarray], axis: np.ndarray) -> dict[str, float]:
    """Closed forms after the time t; `turn`: the directions of the rim at the start, and across it."""
    alpha, a = TORQUE / INERTIA, FORCE / MASS
    angle, omega, place, speed = 0.5 * alpha * t**2, alpha * t, 0.5 * a * t**2, a * t
    out = np.cos(angle) * turn[0] + np.sin(angle) * turn[1]
    along = np.cos(angle) * turn[1] - np.sin(angle) * turn[0]
    rim = {"": RIM * out, "v": RIM * omega * along, "a": RIM * (alpha * along - omega**2 * out)}
    found = {
        "hinge.angle": angle, "hinge.rate": omega, "hinge.acceleration": alpha,
        "rail.position": place, "rail.rate": speed, "rail.acceleration": a,
        "hinge.effort": TORQUE, "rail.effort": FORCE, "wheel.rim.speed": RIM * omega,
    }  # fmt: skip
    found |= {f"wheel.rim.{of}{x}": float(value) for of, vector in rim.items() for x, value in zip("xyz", vector)}
    if len(axis) == 3:
        found |= {f"socket joint.r{x}": float(value) for x, value in zip("xyz", SPIN * t)}
        found |= {f"socket joint.w{x}": float(value) for x, value in zip("xyz", SPIN)}
    for x, e in zip("xyz", axis):  # the block alone moves
        found |= {f"whole.momentum.{x}": MASS * speed * float(e), f"whole.force.{x}": FORCE * float(e)}
    found |= {f"hinge.f{x}": 0.0 for x in "xyz"[: len(axis)]}
    found |= {f"block.{x}": float(place * e) + (2.0 if x == "y" else 0.0) for x, e in zip("xyz", axis)}
    return found


@case("quantities", draw=space)
def compute() -> Iterator[Record]:
    """quantities by name, with their rates and accelerations, where the motion is known in closed form"""
    in_plane = np.array([np.cos(0.7), np.sin(0.7)]), np.array([-np.sin(0.7), np.cos(0.7)])
    start = np.array([0.0, 1.0, 0.0])
    in_space = start, np.cross(AXIS, start)
    flat = np.array([np.cos(0.4), np.sin(0.4)])
    cases: list[tuple[str, Any, Any, np.ndarray]] = [("plane", plane, in_plane, flat), ("space", space, in_space, AXIS)]
    for where, build, turn, axis in cases:
        model = build()
        sensors = [fm.control.NamedQuantity(model, name) for name in _expected(0.0, turn, axis)]
        push = (1.0, 0.0, 0.0)[: model.dimension]
        none = model.point_force(model.frame("wheel"), push, factor=0.0, name="none")
        law = np.zeros((1, len(sensors)))
        model.add_controller("log", period=0.5 * T_END, sensors=sensors, commands=none, law=law)
        run = fm.simulate(model, T_END, "radau", tolerance=1e-11, max_step=STEP, progress=False)
        why = "Radau's method, tolerance 1e-11"
        for name, value in _expected(T_END, turn, axis).items():
            yield Check(f"{where}: {name}", run[name][-1], value, 1e-9, "closed form", why)
        log = run.control["log"]
        for (name, value), read in zip(_expected(float(log.t[-1]), turn, axis).items(), log.y[-1]):
            yield Check(f"{where}: {name}, sampled at {log.t[-1]:g} s", read, value, 1e-9, "closed form", why)
