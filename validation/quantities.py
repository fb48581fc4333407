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


#: place [m], angle [rad], velocity [m/s] and rate [rad/s] of a body between springs, dampers and a floor
PLACE, ANGLE, VELOCITY, RATE = np.array([0.3, 0.4]), 0.2, np.array([0.5, -0.1]), 0.6
#: stiffness and damping of a spring along a line and its free length, of one about an axis, of a bushing along x
LINE, TWIST, MOUNT = (30.0, 2.0, 0.35), (3.0, 0.5), (50.0, 4.0)
#: half the overlap with the floor [m], stiffness of that, radius of the body, coefficient and smoothing of friction
DEPTH, STIFF, RADIUS, MU, SMOOTH = 0.01, 1e4, 0.1, 0.3, 0.2
#: place and angle of an observer, who turns at this rate [rad/s]
OBSERVER, SEEN_AT, SEEN_RATE = np.array([1.0, 0.1]), 0.5, 0.7
#: heading of a wheel [rad], its velocity [m/s], the deflection of its tire [m], and radius [m]
HEADING, GOING, SUNK, WHEEL = 0.1, np.array([3.0, 0.5]), 0.005, 0.3
RUBBER = fm.TireLaw(load=100.0, cornering_stiffness=2e3, relaxation_length=0.3, vertical_stiffness=2e4)


def between(space: bool) -> Any:
    """A body between springs, dampers and a floor, one that an observer rides on, and a wheel, all moving along x and
    y and turning about z, in the plane or in space."""
    m: Any = fm.SpatialModel("between springs in space") if space else fm.PlanarModel("between springs")
    inertia: Any = (0.3, 0.3, 0.3) if space else 0.3

    def body(name: str, place: Any, angle: float, velocity: Any, rate: float, height: float = 0.0) -> Any:
        if not space:
            own = m.add_body(name, mass=2.0, inertia=inertia, position=tuple(place), angle=angle)
            own.frame.move(tuple(velocity), rate)
            return own.frame
        turned = fm.rotation_vector((0, 0, angle))
        own = m.add_body(name, mass=2.0, inertia=inertia, position=(*place, height), orientation=turned)
        own.move((*velocity, 0.0), (0.0, 0.0, rate))
        return own.frame

    on = body("on", PLACE, ANGLE, VELOCITY, RATE)
    body("observer", OBSERVER, SEEN_AT, (0.0, 0.0), SEEN_RATE)
    k, c, free = LINE
    m.spring_damper(m.ground, on, stiffness=k, damping=c, free_length=free, name="coil")
    m.torsion_spring(
        m.ground, on, stiffness=TWIST[0], damping=TWIST[1], name="twist", **({"axis": "z"} if space else {})
    )
    stiff, damped = ([of, 0.0, 0.0, *[0.0] * (3 if space else 0)] for of in MOUNT)
    m.bushing(m.ground, on, stiffness=stiff, damping=damped, free=(0.0, 0.0, 0.0), name="mount")
    under = (0.0, PLACE[1] - RADIUS + DEPTH, *([0.0] if space else []))
    shapes = (
        (fm.HalfSpace("y"), fm.Sphere(diameter=2 * RADIUS))
        if space
        else (fm.HalfPlane("y"), fm.Disk(diameter=2 * RADIUS))
    )
    rub = fm.JointFriction(MU, smoothing=SMOOTH)
    m.contact(m.ground.attach("floor", under), on, *shapes, stiffness=STIFF, friction=rub, name="touch")
    wheel = body("wheel", (5.0, 0.0), HEADING, GOING, 0.0, WHEEL - SUNK)
    m.tire(m.ground, wheel, RUBBER, *([WHEEL] if space else []), name="tire")
    return m


def _between(space: bool) -> dict[str, float]:
    """What these do at the start."""
    length = float(np.linalg.norm(PLACE))
    pulled = LINE[0] * (length - LINE[2]) + LINE[1] * float(PLACE @ VELOCITY) / length
    N = STIFF * DEPTH**1.5
    slip = VELOCITY[0] + RATE * (RADIUS - 0.5 * DEPTH)
    d, c, s = PLACE - OBSERVER, np.cos(SEEN_AT), np.sin(SEEN_AT)
    seen = np.array([[c, s], [-s, c]]) @ (VELOCITY - SEEN_RATE * np.array([-d[1], d[0]]))
    ahead, aside = np.array([np.cos(HEADING), np.sin(HEADING)]), np.array([-np.sin(HEADING), np.cos(HEADING)])
    along = -MOUNT[0] * PLACE[0] - MOUNT[1] * VELOCITY[0]
    return {
        "coil.length": length, "coil.elongation": length - LINE[2], "coil.tension": pulled,
        "coil.fx": -pulled * PLACE[0] / length, "coil.force": abs(pulled),
        "coil.length_rate": PLACE @ VELOCITY / length,
        "twist.effort": -TWIST[1] * RATE, "twist.rate": RATE, "mount.x_effort": along, "mount.fx": along,
        "touch.gap": -DEPTH, "touch.normal_force": N, "touch.fy": N, "touch.slip_speed": abs(slip),
        "touch.friction_force": N * MU * np.tanh(abs(slip) / SMOOTH), "on seen from observer.vx": seen[0],
        "on seen from observer.vy": seen[1], "on seen from observer.speed": float(np.linalg.norm(seen)),
        "tire.rolling": GOING @ ahead, "tire.slip_aside": GOING @ aside, "tire.load": 100.0,
    }  # fmt: skip


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


def _summed(t: float, axis: np.ndarray) -> dict[str, float]:
    """Quantities summed over time from the start to t, by closed forms."""
    alpha, a = TORQUE / INERTIA, FORCE / MASS
    ball = 0.5 * SPIN @ SPIN * t if len(axis) == 3 else 0.0
    found = {
        "hinge.effort": TORQUE * t, "rail.effort": FORCE * t, "rail.rate": 0.5 * a * t**2,
        "energy.kinetic": (0.5 * INERTIA * alpha**2 + 0.5 * MASS * a**2) * t**3 / 3.0 + ball,
    }  # fmt: skip
    return found | {f"whole.momentum.{x}": 0.5 * FORCE * t**2 * float(e) for x, e in zip("xyz", axis)}


def _states(model: Any, names: list[str]) -> None:
    """States of first order that sum quantities over time."""
    one, none = np.eye(len(names)), np.zeros((len(names), len(names)))
    sensors = [fm.control.NamedQuantity(model, name) for name in names]
    model.add_states("sum", fm.LinearModel(none, one, one, none), sensors=sensors)


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
        model, sums = build(), _summed(T_END, axis)
        _states(model, list(sums))
        run = fm.simulate(model, T_END, "radau", tolerance=1e-11, max_step=STEP, progress=False)
        for k, (name, value) in enumerate(sums.items()):
            yield Check(
                f"{where}: {name}, summed by a state", run[f"sum.x{k + 1}"][-1], value, 1e-9, "closed form", why
            )
    for space_too in (False, True):
        where, model = "space" if space_too else "plane", between(space_too)
        names = list(_between(space_too))
        sensors = [fm.control.NamedQuantity(model, name) for name in names]
        push = (1.0, 0.0, 0.0)[: model.dimension]
        none = model.point_force(model.frame("observer"), push, factor=0.0, name="none")
        model.add_controller("log", period=1e-3, sensors=sensors, commands=none, law=np.zeros((1, len(sensors))))
        run = fm.simulate(model, 2e-3, step=1e-3, progress=False)
        why = "of the start, round-off"
        for (name, value), read in zip(_between(space_too).items(), run.control["log"].y[0]):
            yield Check(f"{where}: {name}", run[name][0], value, 1e-12, "closed form", why)
            yield Check(f"{where}: {name}, sampled at 0 s", read, value, 1e-12, "closed form", why)
        model = between(space_too)
        _states(model, names)
        run = fm.simulate(model, 1e-3, step=1e-3, progress=False)
        for k, (name, value) in enumerate(_between(space_too).items()):
            rate = run.a[0, run.layout.coordinates.index(f"sum.x{k + 1} integral")]
            yield Check(f"{where}: {name}, the rate of a state", rate, value, 1e-12, "closed form", why)
