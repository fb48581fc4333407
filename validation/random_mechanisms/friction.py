"""Random mechanisms whose joints truly stick: trees and loops of rigid bodies in plane and space, on hinges, slides,
slots and screws with dry friction by the joints' own forces, which gravity, springs, loads and drives move."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.random_mechanisms.in_space import INERTIAS
from flexmb.validation.random_mechanisms.making import Maker, Mechanism, Scales

#: a frame, and the place [m] and orientation that it has at the start
Seat = tuple[Any, np.ndarray, Rotation]


def with_sticking_joints(make: Maker, space: bool = True) -> Mechanism:
    """A tree of one to four bodies on the ground, which a rod may close to a loop, in space or in the plane."""
    scales = Scales.by_chance(make, 9.81)
    model: Any
    if space:
        model = make(fm.SpatialModel, "by chance", gravity=(0.0, 0.0, -9.81))
    else:
        model = make(fm.PlanarModel, "by chance", gravity=(0.0, -9.81))
    seats: list[Seat] = [(model.ground, np.zeros(3 if space else 2), Rotation.identity())]
    count = int(make.rng.integers(1, 5))
    for number in range(count):
        before = seats[-1] if make.chance(0.8) else make.choice(*seats)
        seats.append(_body(make, model, scales, before, number, space))
    frame, at, _ = seats[-1]
    if count > 1 and make.chance(0.25):
        post = make(model.ground.attach, "post", tuple(at + scales.length * _direction(make, space)))
        make(model.distance, post, frame)
    elif make.chance(0.3):
        stiffness = scales.force / scales.length * make.power(-1, 1)
        post = make(model.ground.attach, "post", tuple(at + scales.length * _direction(make, space)))
        make(model.spring_damper, post, frame, stiffness=stiffness, damping=0.05 * stiffness * scales.time)
    if make.chance(0.5):
        _load(make, model, scales, frame, space)
    if make.chance(0.4):
        turn = make.uniform(0.0, 2.0) / scales.time
        make(model.set_rigid_motion, angular_velocity=tuple(turn * _direction(make, True)) if space else turn)
    return Mechanism(model, scales.length, scales.time)


def _body(make: Maker, model: Any, scales: Scales, before: Seat, number: int, space: bool) -> Seat:
    """Add a body and the joint that carries it; its far end."""
    a, at, turn = before
    to = at + scales.length * make.uniform(0.5, 1.5) * _direction(make, space)
    middle, size = 0.5 * (at + to), float(np.linalg.norm(to - at))
    mass = scales.mass * make.uniform(0.3, 3.0)
    if space:
        own = Rotation.from_rotvec(make.uniform(0.0, np.pi) * _direction(make, True))
        inertia = mass * size**2 * np.array(make.choice(*INERTIAS))
        placed = {"position": tuple(middle), "orientation": own}
        body = make(model.add_body, f"link{number}", mass=mass, inertia=inertia, **placed)
        start, end = own.inv().apply(at - middle), own.inv().apply(to - middle)
    else:
        own = Rotation.identity()
        inertia = mass * size**2 * make.choice(1 / 12, 0.3)
        body = make(model.add_body, f"link{number}", mass=mass, inertia=inertia, position=tuple(middle))
        start, end = at - middle, to - middle
    _joint(make, model, scales, (a, at, turn), make(body.attach, "start", tuple(start)), number, space)
    return make(body.attach, "end", tuple(end)), to, own


def _joint(make: Maker, model: Any, scales: Scales, before: Seat, b: Any, number: int, space: bool) -> None:
    """A joint that sticks, in space about or along an axis that lies as it likes; some are driven, some have a
    spring."""
    a, at, turn = before
    if a is model.ground:
        a = make(model.ground.attach, f"foot{number}", tuple(at))
    static = make.power(-1.7, -0.4)
    law = make(
        fm.JointFriction,
        static * make.choice(1.0, make.uniform(0.6, 1.0)),
        static=static,
        stribeck_speed=0.1 * scales.length / scales.time,
        viscous=make.choice(0.0, 0.05 * scales.mass / scales.time),
        preload=make.choice(0.0, 0.0, 0.3 * scales.force),
        radius=scales.length * make.power(-2, -0.7),
        length=scales.length * make.power(-0.7, 0),
        small_force=1e-9 * scales.force,
        smoothing=0.0,
    )
    if not space:
        kind = make.choice("revolute", "revolute", "prismatic", "pin_in_slot")
        axis: Any = make.uniform(-np.pi, np.pi)
        make(getattr(model, kind), a, b, friction=law, **({"axis": axis} if kind != "revolute" else {}))
    else:
        kind = make.choice("revolute", "revolute", "prismatic", "screw")
        axis = tuple(turn.inv().apply(_direction(make, True)))
        more = (make.choice(-1.0, 1.0) * scales.length * make.power(-2, 0),) if kind == "screw" else ()
        make(getattr(model, kind), a, b, *more, axis=axis, friction=law)
    if kind in ("prismatic", "pin_in_slot") and make.chance(0.7):
        stiffness = scales.force / scales.length * make.power(-0.5, 1)
        turning = (0.0,) * (3 if space else 1)
        make(model.bushing, a, b, stiffness=(stiffness,) * (3 if space else 2) + turning)
    if number == 0 and kind == "revolute" and make.chance(0.2):
        wave = make(fm.Harmonic, amplitude=make.uniform(0.1, 1.0), frequency=make.uniform(0.5, 3.0) / scales.time)
        make(model.drive_angle, a, b, wave, **({"axis": axis} if space else {}))


def _load(make: Maker, model: Any, scales: Scales, frame: Any, space: bool) -> None:
    """A force or torque on the last body that waves, or grows until something breaks away."""
    factor = make.choice(
        lambda: make(fm.Harmonic, amplitude=1.0, frequency=make.power(-0.5, 1) / scales.time),
        lambda: make(fm.Polynomial, [0.0, 1.0 / scales.time]),
    )()
    size = make.power(-1, 0.5)
    if not space or make.chance(0.5):
        make(model.point_force, frame, tuple(size * scales.force * _direction(make, space)), factor=factor)
    else:
        make(model.point_torque, frame, tuple(size * scales.torque * _direction(make, True)), factor=factor)


def _direction(make: Maker, space: bool) -> np.ndarray:
    """A unit vector, all directions alike."""
    way = make.rng.normal(size=3 if space else 2)
    return np.asarray(way / np.linalg.norm(way))
