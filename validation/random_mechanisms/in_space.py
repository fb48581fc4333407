"""Random mechanisms in space: chains and loops of rigid bodies on spherical joints, hinges and bushings, with springs
and drives that count their turns, and with point masses, bodies and wheels fastened to them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.random_mechanisms.making import Maker, Mechanism, Scales

#: principal inertias over mass and square of the length: a box, a ball, a rod, a plate
INERTIAS = ((0.05, 0.08, 0.1), (0.1, 0.1, 0.1), (0.002, 0.084, 0.084), (0.05, 0.05, 0.1))


def in_space(make: Maker) -> Mechanism:
    """A chain of bodies that hangs on the ground, or is free, or is held at both ends."""
    gravity = make.choice(9.81, 9.81, 9.81, 0.0)
    scales = Scales.by_chance(make, gravity)
    free = make.chance(0.2)
    model = make(fm.SpatialModel, "by chance", gravity=(0.0, 0.0, 0.0 if free else -gravity))
    before, at, turn = model.ground, np.zeros(3), Rotation.identity()
    count = int(make.rng.integers(1, 5))
    for k in range(count):
        to = at + scales.length * make.uniform(0.5, 1.5) * _direction(make)
        middle, size = 0.5 * (at + to), float(np.linalg.norm(to - at))
        own = Rotation.from_rotvec(make.uniform(0.0, np.pi) * _direction(make))
        mass = scales.mass * make.uniform(0.3, 3.0)
        inertia = mass * size**2 * np.array(make.choice(*INERTIAS))
        name = f"link{k}"
        body = make(model.add_body, name, mass=mass, inertia=inertia, position=tuple(middle), orientation=own)
        start = make(body.attach, "start", own.inv().apply(at - middle))
        if k > 0 or not free:
            _joint(make, model, scales, before, start, turn, own, k)
        before, turn = make(body.attach, "end", own.inv().apply(to - middle)), own
        at = to
    if not free and count > 1 and make.chance(0.2):
        make(model.spherical, make(model.ground.attach, "wall", tuple(at)), before)
    elif not free and make.chance(0.3):
        stiffness = scales.force / scales.length * make.power(-1, 2)
        post = make(model.ground.attach, "post", tuple(at))
        make(model.bushing, post, before, stiffness=(stiffness,) * 3 + (0.0,) * 3)
    if free or make.chance(0.4):
        spin = make.uniform(0.0, 2.0) / scales.time * _direction(make)
        speed = scales.length / scales.time * _direction(make) * free
        make(model.set_rigid_motion, tuple(speed), tuple(spin))
    if make.chance(0.3):
        _load(make, model, scales, make.choice(*range(count)))
    return Mechanism(model, scales.length, scales.time, free=free)


def _load(make: Maker, model: Any, scales: Scales, number: int) -> None:
    """A point mass, a body or a wheel on one of the links."""
    seat = make(model.components[f"link{number}"].attach, "seat", tuple(0.3 * scales.length * _direction(make)))
    mass = scales.mass * make.uniform(0.1, 1.0)
    inertia = mass * (0.2 * scales.length) ** 2
    kind = make.choice("point", "body", "wheel", "rotor")
    if kind == "point":
        make(model.add_point_mass, "load", seat, mass)
    elif kind == "body":
        center = tuple(0.2 * scales.length * _direction(make))
        make(model.add_body, "load", mass=mass, inertia=(0.3 * inertia, inertia, inertia), center=center, frame=seat)
    else:
        own = {"mass": mass, "inertia": inertia, "transverse": 0.6 * inertia, "axis": tuple(_direction(make))}
        speed = make.uniform(-10.0, 10.0) / scales.time
        driven = {"torque": 0.1 * scales.torque, "friction": 0.1 * scales.torque * scales.time}
        make(model.add_wheel, "load", seat, **own, speed=speed, **(driven if kind == "rotor" else {}))


def _direction(make: Maker) -> np.ndarray:
    """A unit vector, all directions alike."""
    way = make.rng.normal(size=3)
    return np.asarray(way / np.linalg.norm(way))


def _joint(make: Maker, model: Any, scales: Scales, a: Any, b: Any, turn: Rotation, own: Rotation, number: int) -> None:
    """A joint between the ends of two bodies; `turn` and `own`: their axes at the start."""
    kind = make.choice("spherical", "hinge", "hinge", "door", "bushing")
    if kind == "spherical":
        make(model.spherical, a, b)
        if make.chance(0.3):
            stiffness = scales.torque * make.power(-1, 2)
            make(model.bushing, a, b, stiffness=(0.0,) * 3 + (stiffness,) * 3)
        return
    if kind == "bushing":
        stiffness, bending = scales.force / scales.length * make.power(1, 3), scales.torque * make.power(0, 3)
        stiff = (stiffness,) * 3 + (bending,) * 3
        part = make.choice(0.0, make.power(-3, -1)) * scales.time
        make(model.bushing, a, b, stiffness=stiff, damping=tuple(part * k for k in stiff))
        return
    direction = _direction(make)  # in the axes of the ground
    axis = turn.inv().apply(direction)
    make(model.revolute, a, b, axis=tuple(axis))
    if kind == "door":
        gap = 0.5 * scales.length * direction
        other = make(a.attach, f"second{number}", tuple(turn.inv().apply(gap)))
        make(model.revolute, other, make(b.attach, f"upper{number}", tuple(own.inv().apply(gap))), axis=tuple(axis))
    if make.chance(0.4):
        stiffness = scales.torque * make.power(-1, 3)
        damping = make.choice(0.0, 0.01) * stiffness * scales.time
        free_angle = make.choice(0.0, make.uniform(-10.0, 10.0))
        make(model.torsion_spring, a, b, axis=tuple(axis), stiffness=stiffness, damping=damping, free_angle=free_angle)
    if number == 0 and make.chance(0.25):
        way = make.choice(
            lambda: make(fm.SmoothStep, 0.0, make.uniform(0.2, 2.0) * scales.time, 0.0, make.uniform(-2, 2)),
            lambda: make(fm.Harmonic, amplitude=make.uniform(0.1, 1.0), frequency=0.3 / scales.time),
            lambda: make(fm.SpinUp, make.uniform(-3, 3) / scales.time, 2.0 * scales.time),
        )()
        make(model.drive_angle, a, b, way, axis=tuple(axis))
