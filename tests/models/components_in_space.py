"""All components of space, one of each family, and of each option that changes what its kernels do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.elements.spatial.rigid_body import SpatialBody
from flexmb.model.components import Component
from tests.models import coupled, rolled
from tests.models.beams_in_space import beams
from tests.models.pairs_in_space import FULL, INERTIA, LEAN, WAVE, Make, Pair, coincident, grounded, pair
from tests.models.rolling import Turntable

#: laws whose jumps are smooth enough for differences
DRY = fm.JointFriction(
    0.3, static=0.4, stribeck_speed=2.0, viscous=0.2, smoothing=1.0, radius=0.2, length=0.5, thrust_radius=0.3,
    preload=0.7, small_force=0.5,
)  # fmt: skip

SHORT = fm.JointFriction(0.3, smoothing=1.0, radius=0.2, small_force=0.5)

#: soft and smooth enough for differences
TOUCH: dict[str, Any] = {"stiffness": 2.0, "damping": 0.01}

RUB = fm.JointFriction(0.3, 0.4, stribeck_speed=6.0, smoothing=3.0)


def touching(shape_a: Any, shape_b: Any) -> tuple[str, dict[str, Any]]:
    """A contact of two shapes."""
    return "contact", {"shape_a": shape_a, "shape_b": shape_b, "friction": RUB, **TOUCH}


METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "Spherical": ("spherical", {}),
    "Spherical: friction": ("spherical", {"friction": SHORT}),
    "Hinge: friction": ("revolute", {"axis": (0.3, 0.2, 1.0), "friction": DRY}),
    "Hinge: short, friction": ("revolute", {"axis": (0.3, 0.2, 1.0), "count_turns": True, "friction": SHORT}),
    "SpatialPrismatic: friction": ("prismatic", {"axis": (0.3, -0.2, 0.4), "friction": DRY}),
    "Cylindrical: friction": ("cylindrical", {"axis": (0.3, -0.2, 0.4), "friction": DRY}),
    "Hinge": ("revolute", {"axis": (0.3, 0.2, 1.0)}),
    "Hinge: counted": ("revolute", {"axis": (0.3, 0.2, 1.0), "count_turns": True}),
    "Hinge: skew": (
        "revolute",
        {"axis": (0.3, 0.2, 1.0), "axis_b": lambda frames: leaning(frames, (0.3, 0.2, 1.0), 0.3)},
    ),
    "SpatialWeld": ("weld", {}),
    "SpatialPrismatic": ("prismatic", {"axis": (0.3, -0.2, 0.4)}),
    "Cylindrical": ("cylindrical", {"axis": (0.3, -0.2, 0.4), "count_turns": True}),
    "Universal": ("universal", {"axis": "x", "axis_b": lambda frames: square_to_x(frames, 0.5 * np.pi)}),
    "Universal: gimbal": ("universal", {"axis": "x", "axis_b": lambda frames: square_to_x(frames, 1.1), "angle": 1.1}),
    "PlanarJoint": ("planar", {"axis": (0.3, 0.2, 1.0)}),
    "ParallelAxes": ("parallel_axes", {"axis": (0.3, 0.2, 1.0)}),
    "PointOnLine": ("point_on_line", {"axis": (0.3, 0.2, 1.0)}),
    "PointInPlane": ("point_in_plane", {"axis": (0.3, 0.2, 1.0)}),
    "SpatialDistance": ("distance", {"distance": 1.3}),
    "SpatialLock: position": ("lock", {"coordinate": "position", "value": 0.3, "axis": (0.3, 0.2, 1.0)}),
    "SpatialLock: angle": ("lock", {"coordinate": "angle", "value": 0.3, "axis": (0.3, 0.2, 1.0)}),
    "DriveHinge": ("drive_angle", {"angle": WAVE, "axis": "y"}),
    "HingeSpring": ("torsion_spring", {"axis": (1, 2, 3), "stiffness": 3.0, "damping": 0.2, "free_angle": 0.1}),
    "SpatialSpringDamper": (
        "spring_damper",
        {"stiffness": 30.0, "damping": 0.7, "free_length": 0.4, "force": WAVE},
    ),
    "SpatialMotor": (
        "motor",
        {
            "axis": (1, -2, 0.5),
            "inertia": 0.3,
            "ratio": -7.0,
            "stiffness": 30.0,
            "damping": 0.2,
            "friction": 0.01,
            "torque": WAVE,
        },
    ),
    "SpatialMotor: friction": (
        "motor",
        {
            "axis": "x",
            "inertia": 0.3,
            "ratio": 5.0,
            "stiffness": 30.0,
            "friction": fm.Friction(0.2, 0.3, 0.8, 0.01, smoothing=0.5),
        },
    ),
    "SpatialMotor: rigid reducer, given angle": ("motor", {"axis": "y", "inertia": 0.3, "ratio": 7.0, "angle": WAVE}),
    "SpatialContact: half-space": touching(
        fm.HalfSpace((0.3, 0.2, 1), (0.0, -0.2, 0.1)), fm.Sphere(diameter=4.0, position=(0.1, 0.2, 0.1))
    ),
    "SpatialContact: half-space on b": touching(None, fm.HalfSpace("x", (1.0, 0.2, 0.1))),
    "SpatialContact: spheres": touching(fm.Sphere(diameter=2.6), fm.Sphere(diameter=2.0)),
    "SpatialContact: cavity": touching(fm.Cavity(diameter=1.4), fm.Sphere(diameter=0.4)),
    "SpatialContact: side": touching(fm.Cylinder(diameter=1.4, length=8.0, axis=(1, 2, 0.5)), fm.Sphere(diameter=3.0)),
    "SpatialContact: end": touching(fm.Cylinder(diameter=8.0, length=1.0, axis=(1, 2, 0.5)), fm.Sphere(diameter=2.2)),
    "SpatialContact: edge": touching(fm.Cylinder(diameter=0.2, length=0.1, axis=(1, 2, 0.5)), fm.Sphere(diameter=4.2)),
    "SpatialContact: rims": touching(
        fm.HalfSpace("z", (0, 0, 0.6)), fm.Cylinder(diameter=1.0, length=1.5, axis=(1, 2, 0.5))
    ),
    "SpatialContact: apart": touching(fm.Cylinder(diameter=0.1, length=0.1), fm.Sphere(diameter=0.1)),
    "SpatialDistanceStop: upper": ("stop_distance", {"upper": 9.0, **TOUCH, "moved": {"upper": 0.9}}),
    "SpatialDistanceStop: lower": ("stop_distance", {"upper": 9.0, **TOUCH, "moved": {"lower": 3.0}}),
    "SpatialBushing": ("bushing", {"stiffness": FULL, "damping": FULL[::-1, ::-1] / 50.0}),
    "SpatialBushing: free elsewhere": (
        "bushing",
        {
            "stiffness": (10.0, 20.0, 30.0, 3.0, 4.0, 5.0),
            "damping": (1.0, 2.0, 3.0, 0.1, 0.2, 0.3),
            "free": (0.1, 0.2, -0.1),
            "free_orientation": LEAN,
        },
    ),
}


def between(where: Callable[[], Pair], family: str) -> Component:
    m, a, b = where()
    method, options = METHODS[family]
    if "axis_b" in options:
        options = {**options, "axis_b": options["axis_b"]((a, b))}
    moved = options.get("moved", {})  # limits beyond which it then starts, and pushes
    made = getattr(m, method)(a, b, **{name: value for name, value in options.items() if name != "moved"})
    for name, limit in moved.items():
        setattr(made, name, limit)
    return made


def leaning(frames: tuple[fm.Frame, fm.Frame], axis: tuple[float, ...], angle: float) -> np.ndarray:
    """A direction in the axes of frame b at an angle to one of frame a."""
    a, b = (frame.orientation for frame in frames)
    u = a.apply(axis) / np.linalg.norm(axis)
    normal = np.cross(u, (0.1, 0.8, -0.5))
    return b.inv().apply(Rotation.from_rotvec(angle * normal / np.linalg.norm(normal)).apply(u))


def square_to_x(frames: tuple[fm.Frame, fm.Frame], angle: float) -> np.ndarray:
    """The same, at an angle to the x-axis of frame a."""
    return leaning(frames, (1.0, 0.0, 0.0), angle)


#: loads on a frame off its node, with constant components and with functions of time
LOADS = {
    "SpatialPointForce": ("point_force", (3.0, -2.0, 1.5)),
    "SpatialPointForce: over time": ("point_force", (3.0, WAVE, fm.SmoothStep(0.0, 1.0, 0.0, 2.0) + WAVE)),
    "SpatialPointTorque": ("point_torque", (3.0, -2.0, 1.5)),
    "SpatialPointTorque: over time": ("point_torque", (fm.SmoothStep(0.0, 1.0, 0.0, 2.0) + WAVE, -2.0, WAVE)),
}


def load(method: str, given: Any, axes: str) -> Component:
    _, a, _ = pair()
    return getattr(a.model, method)(a, given, factor=WAVE, axes=axes)


# without arrays of their own, since compiled kernels are to make none
def one(t: float, x: fm.FrameState) -> Any:
    A, v, w = x.orientation, x.velocity, x.angular_velocity
    push = -3.0 * x.position[2]
    force = (push * A[0, 0] - 0.5 * v[1] * w[0], push * A[1, 0] - 0.5 * v[1] * w[1], push * A[2, 0])
    return force, (x.position[0] * v[2], A[2, 1] + t, -(w[0] ** 3))


def two(t: float, a: fm.FrameState, b: fm.FrameState) -> Any:
    x = 10.0 * (b.position[0] - a.position[0]) + 0.3 * (b.velocity[2] - a.velocity[2]) * a.orientation[0, 1]
    y = 2.0 * (b.angular_velocity[1] - a.angular_velocity[0]) * b.orientation[1, 2]
    return ((x, t, y), (y, x, 1.0)), ((-x, -t, -y), (-y, -x, -1.0))


def from_python(function: Callable[..., Any], compiled: bool) -> Component:
    m, a, b = pair()
    return m.python_force(a if function is one else [a, b], function, compiled=compiled)


def body() -> SpatialBody:
    return pair()[0].components["a"]


def offset_body() -> SpatialBody:
    """A body on a frame with an offset, whose node is not its mass centre."""
    m, a, _ = pair()
    return m.add_body("off", mass=1.5, inertia=INERTIA / 10.0, center=(0.1, -0.2, 0.3), frame=a)


def shaped_body() -> SpatialBody:
    """A body whose mass centre is its node, though its frame is elsewhere."""
    shape = fm.Cylinder(diameter=0.3, length=0.8, axis=(1, 2, 3), position=(0.4, 0.1, 0.2))
    return pair()[0].add_body("can", shape=shape, density=20.0, position=(1.0, 2.0, 3.0), orientation=LEAN)


def point_mass() -> Component:
    m, a, _ = pair()
    return m.add_point_mass("weight", a, 0.7)


def wheel(**options: object) -> Component:
    m, a, _ = pair()
    return m.add_wheel("wheel", a, inertia=0.3, axis=(0.3, -0.2, 1.0), **options)


def attracted(which: str) -> Component:
    m, a, _ = pair()
    if which == "point mass":
        return m.gravity_gradient(m.add_point_mass("weight", a, 0.7), 5.0, center=(-2.0, 1.0, 3.0))
    if which == "off its node":
        body = m.add_body("off", mass=1.5, inertia=INERTIA / 10.0, center=(0.1, -0.2, 0.3), frame=a)
        return m.gravity_gradient(body, 5.0, center=(-2.0, 1.0, 3.0))
    return m.gravity_gradient(m.components["a"], 5.0, center=(-2.0, 1.0, 3.0))


def stop(joint: str, axis: Any, coordinate: str, limit: float) -> Component:
    """A stop that pushes from the start on."""
    m, a, b = coincident() if coordinate == "angle1" else pair()
    options = {"axis": axis}
    if joint == "universal":
        options["axis_b"] = square_to_x((a, b), 0.5 * np.pi)
    made = m.stop(getattr(m, joint)(a, b, **options), lower=-9.0, coordinate=coordinate, **TOUCH)
    made.lower = limit
    return made


def heap() -> Component:
    m, a, b = pair()
    c = m.add_body("third", mass=1.0, inertia=INERTIA, position=(0.3, -0.4, 0.2))
    places = (0.1, -0.2, 0.3), (0.0, 0.0, 0.0), (0.0, 0.3, -0.1)
    shapes = [fm.Sphere(diameter=size, position=place) for size, place in zip((7.0, 6.0, 8.0), places)]
    return m.contact_among([a, b, c.frame], shapes, friction=RUB, **TOUCH)


class Table(Turntable):
    """What drives it stands outside."""

    external = True


def turntable() -> Component:
    m, _, b = pair()
    return m.add(Table("table", m.ground, b))


def catalogue() -> dict[str, Make]:
    found: dict[str, Make] = {
        "SpatialBody": body,
        "SpatialBody: off its node": offset_body,
        "SpatialBody: of a shape": shaped_body,
        "SpatialPointMass": point_mass,
        "Wheel": lambda: wheel(speed=40.0),
        "Wheel: with mass": lambda: wheel(speed=-30.0, mass=1.2, transverse=0.2),
        "ReactionWheel: torque": lambda: wheel(speed=5.0, torque=WAVE, friction=0.02),
        "ReactionWheel: with mass": lambda: wheel(mass=1.2, transverse=0.2, torque=0.3),
        "ReactionWheel: angle": lambda: wheel(angle=WAVE, friction=0.02),
        "GravityGradient": lambda: attracted("body"),
        "GravityGradient: off its node": lambda: attracted("off its node"),
        "GravityGradient: point mass": lambda: attracted("point mass"),
        "Turntable: velocity rows": turntable,
        "SpatialContactAmong": heap,
        "SpatialJointStop: angle": lambda: stop("revolute", (0.3, 0.2, 1.0), "angle", 0.8),
        "SpatialJointStop: position": lambda: stop("cylindrical", (0.3, 0.2, 1.0), "position", 1.5),
        "SpatialJointStop: angle of a cross": lambda: stop("universal", "x", "angle1", 0.8),
    }
    found |= beams()
    for function in (one, two):
        for compiled in (False, True):
            name = f"SpatialPythonForce: {function.__name__}, {'compiled' if compiled else 'plain'}"
            found[name] = lambda function=function, compiled=compiled: from_python(function, compiled)
    for family, (method, given) in LOADS.items():
        for axes in ("ground", "body"):
            found[f"{family}, {axes}"] = lambda method=method, given=given, axes=axes: load(method, given, axes)
    for family in METHODS:
        # those without length have a direction that no difference finds: tests/forces/spatial/test_spring_damper.py
        stretched = family.startswith(("SpatialDistance", "SpatialSpringDamper", "SpatialContact"))
        for where in (pair, grounded) if stretched else (pair, coincident, grounded):
            found[f"{family}: {where.__name__}"] = lambda family=family, where=where: between(where, family)
    for families, places in (
        (coupled.ANYWHERE, (pair, coincident, grounded)),
        (coupled.APART, (pair, grounded)),
        (coupled.CARRIED, (pair, coincident)),
        (rolled.ROLLED, (pair, grounded)),
    ):
        for family, make in families.items():
            for where in places:
                found[f"{family}: {where.__name__}"] = lambda make=make, where=where: make(*where())
    return found
