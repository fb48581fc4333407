"""Mechanisms of the plane in planes of space that are turned at random: they must move as before."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.examples import four_bar, slider_crank, two_squares
from flexmb.model.frames import GivenMotion, rotation
from flexmb.validation import andrews
from flexmb.validation.registry import Check, case
from flexmb.validation.shapes import arms

SEED = 20260
#: options of each method, of which a step is said as a part of the run; the largest difference [m], [rad] with them,
#: and its cause
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "generalized_alpha": ({"step": 1e-3, "newton_tolerance": 1e-12}, 1e-9, "Newton's tolerance, 1000 steps"),
    "projection": ({"tolerance": 1e-11, "absolute_tolerance": 1e-13}, 1e-11, "tolerance 1e-11 a step"),
    "dop853": ({"tolerance": 1e-11}, 1e-11, "the tolerance"),
    "radau": ({"tolerance": 1e-10, "max_step": 2e-3}, 1e-10, "the tolerance"),
    "independent": ({"integrator": "radau", "tolerance": 1e-10}, 1e-10, "tolerance 1e-10 a step"),
}


def pendulum() -> fm.PlanarModel:
    """Two bodies in a row with springs and dampers."""
    model = fm.PlanarModel("pendulum", gravity=(0.0, -9.81))
    upper = model.add_body("upper", mass=2.0, inertia=0.3, position=(0.3, 0.0), angle=0.1)
    lower = model.add_body("lower", mass=1.0, inertia=0.05, position=(0.9, 0.2), angle=-0.7)
    knee = model.ground.attach("knee", (0.6, 0.1))
    pivot = model.add_frame("pivot", (0.0, 0.0), 0.4, fixed=True)
    model.revolute(pivot, _at(upper, "hip", pivot.position), name="hip")
    model.revolute(_at(upper, "end", knee.position), _at(lower, "start", knee.position), name="knee hinge")
    model.torsion_spring(pivot, upper.frame, stiffness=3.0, damping=0.1, free_angle=0.5, name="spring")
    model.bushing(knee, lower.frame, stiffness=(20.0, 8.0, 1.0), damping=(0.3, 0.1, 0.02), name="pad")
    model.set_rigid_motion(angular_velocity=-2.0)
    return model


def _at(body: fm.planar.RigidBody, name: str, place: np.ndarray) -> fm.planar.Frame:
    """A frame on a body at a place of the ground (2,) [m]."""
    return body.attach(name, tuple(rotation(-body.frame.angle) @ (place - body.frame.position)))


#: the mechanisms, and how long each runs [s]
MECHANISMS: dict[str, tuple[Callable[[], fm.PlanarModel], float]] = {
    "pendulum": (pendulum, 1.0),
    "four-bar": (four_bar.build, 1.0),
    "slider-crank, driven": (lambda: slider_crank.build("rigid"), 0.3),
    "slider-crank, free": (lambda: slider_crank.build("rigid", driven=False, start=1.0), 0.5),
    "two squares": (two_squares.build, 1.0),
    "squeezer": (andrews.build, 0.002),
}


class Tilted:
    """A planar model of rigid bodies, with their mass centers in their nodes, in a plane of space: `turn` from its axes
    to those of the ground, `shift` (3,) [m].

    Of the inertias about axes in the plane, which nothing depends on, those of plates are taken and changed a little.
    """

    def __init__(self, flat: fm.PlanarModel, turn: Rotation, shift: np.ndarray) -> None:
        self.flat, self.turn, self.shift = flat, turn, shift
        self.model = fm.SpatialModel(flat.name, gravity=turn.apply([*flat.gravity, 0.0]))
        self.plane = self.model.ground.attach("plane", shift, turn)
        self.frames: dict[str, Any] = {"plane": self.plane}
        for part in flat.components.values():
            if isinstance(part, fm.planar.RigidBody):
                self._add_body(part)
        for name, frame in flat.frames.items():
            if frame.node.fixed:
                place = (*frame.position, 0.0)
                self.frames[name] = self.plane.attach(f"fixed {name}", place, _about_z(frame.angle))
        for part in flat.components.values():
            if not isinstance(part, fm.planar.RigidBody):
                _COPIES[type(part)](self.model, part, self.frames)

    def _add_body(self, body: fm.planar.RigidBody) -> None:
        node = body.frame.node
        places = [(*frame.offset, 0.0) for frame in self.flat.frames.values() if frame.node is node]
        own = self.model.add_body(
            body.name, mass=body.mass, inertia=body.inertia * np.array([0.6, 0.5, 1.0]),
            position=self.at(node.position), orientation=self.turn * _about_z(node.angle), center=(0, 0, 0),
            shape=arms(places, 0.05),
        )  # fmt: skip
        motion = self.turn.apply([*node.velocity, 0.0]), self.turn.apply([0.0, 0.0, node.angular_velocity])
        if isinstance(node.given, GivenMotion):
            given = node.given.velocity, node.given.angular_velocity
            own.move(*(None if x is None else part for x, part in zip(given, motion)))
        elif node.given:
            own.move(*motion)
        for name, frame in self.flat.frames.items():
            if frame.node is node:
                turn = _about_z(frame.offset_angle)
                self.frames[name] = own.attach(f"at {name}", (*frame.offset, 0.0), turn)

    def at(self, places: np.ndarray) -> np.ndarray:
        """Places of the plane (…, 2) in space."""
        places = np.asarray(places)
        return self.turn.apply(np.concatenate([places, 0.0 * places[..., :1]], axis=-1)) + self.shift

    def apart(self, solution: fm.Solution, flat: fm.Solution) -> tuple[float, float]:
        """The largest differences of places [m] and of orientations [rad] of all frames on bodies."""
        places, turns = [0.0], [0.0]
        for name, frame in self.frames.items():
            if frame.node.fixed:
                continue
            track, known = solution[frame.name], flat[name]
            places.append(float(np.max(np.abs(track.position - self.at(known.position)))))
            off = self.turn * Rotation.from_rotvec(known.angle[:, None] * [0.0, 0.0, 1.0])
            turns.append(float(np.max((off.inv() * track.orientation).magnitude())))
        return max(places), max(turns)


def _about_z(angle: float) -> Rotation:
    return Rotation.from_rotvec([0.0, 0.0, angle])


def _in_the_plane(axis: float) -> tuple[float, float, float]:
    return float(np.cos(axis)), float(np.sin(axis)), 0.0


def _hinge(model: fm.SpatialModel, part: Any, frames: dict[str, Any]) -> None:
    model.revolute(frames[part.a.name], frames[part.b.name], axis="z", name=part.name)


def _guide(model: fm.SpatialModel, part: Any, frames: dict[str, Any]) -> None:
    model.prismatic(frames[part.a.name], frames[part.b.name], axis=_in_the_plane(part.axis), name=part.name)


def _torsion_spring(model: fm.SpatialModel, part: Any, frames: dict[str, Any]) -> None:
    free = 0.0 if part.free_angle is None else part.free_angle - part.initial_angle
    model.torsion_spring(
        frames[part.a.name], frames[part.b.name], stiffness=part.stiffness, damping=part.damping, free_angle=free,
        name=part.name,
    )  # fmt: skip


def _bushing(model: fm.SpatialModel, part: Any, frames: dict[str, Any]) -> None:
    (kx, ky, kt), (cx, cy, ct) = part.stiffness, part.damping
    stiffness, damping = (kx, ky, 0.0, 0.0, 0.0, kt), (cx, cy, 0.0, 0.0, 0.0, ct)
    model.bushing(frames[part.a.name], frames[part.b.name], stiffness=stiffness, damping=damping, name=part.name)


def _spring(model: fm.SpatialModel, part: Any, frames: dict[str, Any]) -> None:
    model.spring_damper(
        frames[part.a.name], frames[part.b.name], stiffness=part.stiffness, damping=part.damping,
        free_length=part.free_length, name=part.name,
    )  # fmt: skip


def _torque(model: fm.SpatialModel, part: Any, frames: dict[str, Any]) -> None:
    model.point_torque(frames[part.frame.name], (0.0, 0.0, part.torque), axes="body", name=part.name)


def _force(model: fm.SpatialModel, part: Any, frames: dict[str, Any]) -> None:
    force = np.array([*part.force, 0.0])
    if part.fixed_in_space:  # given in axes of the plane, which a frame on the ground has
        force = frames["plane"].orientation.apply(force)
    axes = "ground" if part.fixed_in_space else "body"
    model.point_force(frames[part.frame.name], force, factor=part.factor, axes=axes, name=part.name)


def _drive(model: fm.SpatialModel, part: Any, frames: dict[str, Any]) -> None:
    own = part.angle - (part.b.angle - part.a.angle)  # in space from the drawing on
    model.drive_angle(frames[part.a.name], frames[part.b.name], own, axis="z", name=part.name)


_COPIES: dict[type, Callable[[fm.SpatialModel, Any, dict[str, Any]], None]] = {
    fm.planar.Revolute: _hinge,
    fm.planar.Prismatic: _guide,
    fm.planar.TorsionSpring: _torsion_spring,
    fm.planar.Bushing: _bushing,
    fm.planar.SpringDamper: _spring,
    fm.planar.PointTorque: _torque,
    fm.planar.PointForce: _force,
    fm.planar.DriveAngle: _drive,
}


def planes() -> dict[str, tuple[Rotation, np.ndarray]]:
    """Turn and shift of a plane for each mechanism, the same ones each time."""
    rng = np.random.default_rng(SEED)
    return {name: (Rotation.random(random_state=rng), rng.uniform(-1.0, 1.0, 3)) for name in MECHANISMS}


def apart(name: str, method: str) -> tuple[float, float]:
    """How far a mechanism moves otherwise in its plane of space than as a planar model: places [m], angles [rad]."""
    build, t_end = MECHANISMS[name]
    tilted = Tilted(build(), *planes()[name])
    options = {key: value * t_end if "step" in key else value for key, value in METHODS[method][0].items()}
    times = np.linspace(0.0, t_end, 11)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.RedundancyWarning)  # of hinges on parallel axes
        flat = fm.simulate(build(), t_end, method, times=times, progress=False, **options)
        run = fm.simulate(tilted.model, t_end, method, times=times, progress=False, **options)
    return tilted.apart(run, flat)


@case("tilted-planes", draw=lambda: Tilted(four_bar.build(), *planes()["four-bar"]).model)
def compute() -> Iterator[Check]:
    """mechanisms of the plane, in planes of space that are turned at random: the same motion by each method"""
    source = "the model of the plane, by the same method"
    for name in MECHANISMS:
        for method, (_, allowed, why) in METHODS.items():
            for what, off in zip(("a place [m]", "an orientation [rad]"), apart(name, method)):
                yield Check(f"{name}, {method}: largest difference of {what}", off, 0.0, allowed, source, why)
