"""All components of space, one of each family, and of each option that changes what its kernels do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.elements.spatial.offset_mass import SpatialMass
from flexmb.elements.spatial.rigid_body import RigidBody
from flexmb.model.components import Component
from tests.models import coupled, rolled
from tests.models.beams_in_space import beams
from tests.models.modal_bodies import modal_bodies_in_space
from tests.models.pairs_in_space import FULL, INERTIA, LEAN, WAVE, Make, Pair, coincident, grounded, pair
from tests.models.rolling import Turntable
from tests.models.states import states_in_space
from tests.models.surfaces import surfaces

#: laws whose jumps are smooth enough for differences
DRY = fm.JointFriction(
    0.3, static=0.4, stribeck_speed=2.0, viscous=0.2, smoothing=1.0, radius=0.2, length=0.5, thrust_radius=0.3,
    preload=0.7, small_force=0.5,
)  # fmt: skip

SHORT = fm.JointFriction(0.3, smoothing=1.0, radius=0.2, small_force=0.5)

#: soft and smooth enough for differences
TOUCH: dict[str, Any] = {"stiffness": 2.0, "damping": 0.01}

BRISTLES = fm.LuGre(stiffness=2.0, damping=0.7, viscous=0.1, coulomb=0.5, static=0.8, stribeck_speed=0.9)
RUB = fm.JointFriction(0.3, 0.4, stribeck_speed=6.0, smoothing=3.0)


def touching(shape_a: Any, shape_b: Any) -> tuple[str, dict[str, Any]]:
    """A contact of two shapes."""
    return "contact", {"shape_a": shape_a, "shape_b": shape_b, "friction": RUB, **TOUCH}


def hard(shape_a: Any, shape_b: Any) -> tuple[str, dict[str, Any]]:
    """A contact of two shapes that do not overlap."""
    return "contact", {"shape_a": shape_a, "shape_b": shape_b, "hard": True, "restitution": 0.5}


METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "Spherical": ("spherical", {}),
    "Spherical: friction": ("spherical", {"friction": SHORT}),
    "Revolute: friction": ("revolute", {"axis": (0.3, 0.2, 1.0), "friction": DRY}),
    "Revolute: short, friction": ("revolute", {"axis": (0.3, 0.2, 1.0), "count_turns": True, "friction": SHORT}),
    "Prismatic: friction": ("prismatic", {"axis": (0.3, -0.2, 0.4), "friction": DRY}),
    "Cylindrical: friction": ("cylindrical", {"axis": (0.3, -0.2, 0.4), "friction": DRY}),
    "Revolute": ("revolute", {"axis": (0.3, 0.2, 1.0)}),
    "Revolute: counted": ("revolute", {"axis": (0.3, 0.2, 1.0), "count_turns": True}),
    "Revolute: skew": (
        "revolute",
        {"axis": (0.3, 0.2, 1.0), "axis_b": lambda frames: leaning(frames, (0.3, 0.2, 1.0), 0.3)},
    ),
    "Weld": ("weld", {}),
    "Prismatic": ("prismatic", {"axis": (0.3, -0.2, 0.4)}),
    "Cylindrical": ("cylindrical", {"axis": (0.3, -0.2, 0.4), "count_turns": True}),
    "Universal": ("universal", {"axis": "x", "axis_b": lambda frames: square_to_x(frames, 0.5 * np.pi)}),
    "Universal: gimbal": ("universal", {"axis": "x", "axis_b": lambda frames: square_to_x(frames, 1.1), "angle": 1.1}),
    "PlanarJoint": ("planar_joint", {"axis": (0.3, 0.2, 1.0)}),
    "ParallelAxes": ("parallel_axes", {"axis": (0.3, 0.2, 1.0)}),
    "PointOnLine": ("point_on_line", {"axis": (0.3, 0.2, 1.0)}),
    "PointInPlane": ("point_in_plane", {"axis": (0.3, 0.2, 1.0)}),
    "Distance": ("distance", {"distance": 1.3}),
    "Lock: position": ("lock", {"coordinate": "position", "value": 0.3, "axis": (0.3, 0.2, 1.0)}),
    "Lock: angle": ("lock", {"coordinate": "angle", "value": 0.3, "axis": (0.3, 0.2, 1.0)}),
    "DriveAngle": ("drive_angle", {"angle": WAVE, "axis": "y"}),
    "TorsionSpring": ("torsion_spring", {"axis": (1, 2, 3), "stiffness": 3.0, "damping": 0.2, "free_angle": 0.1}),
    "SpringDamper": (
        "spring_damper",
        {"stiffness": 30.0, "damping": 0.7, "free_length": 0.4, "force": WAVE},
    ),
    "Motor": (
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
    "Motor: friction": (
        "motor",
        {
            "axis": "x",
            "inertia": 0.3,
            "ratio": 5.0,
            "stiffness": 30.0,
            "friction": fm.Friction(0.2, 0.3, 0.8, 0.01, smoothing=0.5),
        },
    ),
    "Motor: backlash": (
        "motor",
        {
            "axis": "x",
            "inertia": 0.3,
            "ratio": 5.0,
            "stiffness": 30.0,
            "damping": 0.4,
            "friction": BRISTLES,
            "backlash": 90.0,
        },
    ),
    "Backlash: at a side": ("backlash", {"axis": "x", "stiffness": 20.0, "damping": 3.0, "gap": 0.0}),
    "Motor: rigid reducer, given angle": ("motor", {"axis": "y", "inertia": 0.3, "ratio": 7.0, "angle": WAVE}),
    "Contact: half-space": touching(
        fm.HalfSpace((0.3, 0.2, 1), (0.0, -0.2, 0.1)), fm.Sphere(diameter=4.0, position=(0.1, 0.2, 0.1))
    ),
    "Contact: half-space on b": touching(None, fm.HalfSpace("x", (1.0, 0.2, 0.1))),
    "Contact: spheres": touching(fm.Sphere(diameter=2.6), fm.Sphere(diameter=2.0)),
    "Contact: cavity": touching(fm.Cavity(diameter=1.4), fm.Sphere(diameter=0.4)),
    "Contact: side": touching(fm.Cylinder(diameter=1.4, length=8.0, axis=(1, 2, 0.5)), fm.Sphere(diameter=3.0)),
    "Contact: end": touching(fm.Cylinder(diameter=8.0, length=1.0, axis=(1, 2, 0.5)), fm.Sphere(diameter=2.2)),
    "Contact: edge": touching(fm.Cylinder(diameter=0.2, length=0.1, axis=(1, 2, 0.5)), fm.Sphere(diameter=4.2)),
    "Contact: rims": touching(fm.HalfSpace("z", (0, 0, 0.6)), fm.Cylinder(diameter=1.0, length=1.5, axis=(1, 2, 0.5))),
    "Contact: apart": touching(fm.Cylinder(diameter=0.1, length=0.1), fm.Sphere(diameter=0.1)),
    "Contact: hard, half-space": hard(fm.HalfSpace((0.3, 0.2, -1), (0.0, -0.2, 9.0)), fm.Sphere(radius=0.1)),
    "Contact: hard, spheres": hard(fm.Sphere(radius=0.1), fm.Sphere(radius=0.1, position=(0.1, 0.2, 0.1))),
    "Contact: hard, cavity": hard(fm.Sphere(radius=0.1), fm.Cavity(radius=9.0)),
    "DistanceStop: upper": ("distance_stop", {"upper": 9.0, **TOUCH, "moved": {"upper": 0.9}}),
    "DistanceStop: lower": ("distance_stop", {"upper": 9.0, **TOUCH, "moved": {"lower": 3.0}}),
    "DistanceStop: hard": ("distance_stop", {"lower": 0.1, "upper": 9.0, "hard": True, "restitution": 0.5}),
    "Bushing": ("bushing", {"stiffness": FULL, "damping": FULL[::-1, ::-1] / 50.0}),
    "Bushing: free elsewhere": (
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


def leaning(frames: tuple[fm.planar.Frame, fm.planar.Frame], axis: tuple[float, ...], angle: float) -> np.ndarray:
    """A direction in the axes of frame b at an angle to one of frame a."""
    a, b = (frame.orientation for frame in frames)
    u = a.apply(axis) / np.linalg.norm(axis)
    normal = np.cross(u, (0.1, 0.8, -0.5))
    return b.inv().apply(Rotation.from_rotvec(angle * normal / np.linalg.norm(normal)).apply(u))


def square_to_x(frames: tuple[fm.planar.Frame, fm.planar.Frame], angle: float) -> np.ndarray:
    """The same, at an angle to the x-axis of frame a."""
    return leaning(frames, (1.0, 0.0, 0.0), angle)


#: loads on a frame off its node, with constant components and with functions of time
LOADS = {
    "PointForce": ("point_force", (3.0, -2.0, 1.5)),
    "PointForce: over time": ("point_force", (3.0, WAVE, fm.SmoothStep(0.0, 1.0, 0.0, 2.0) + WAVE)),
    "PointTorque": ("point_torque", (3.0, -2.0, 1.5)),
    "PointTorque: over time": ("point_torque", (fm.SmoothStep(0.0, 1.0, 0.0, 2.0) + WAVE, -2.0, WAVE)),
}


def load(method: str, given: Any, axes: str) -> Component:
    _, a, _ = pair()
    return getattr(a.model, method)(a, given, factor=WAVE, axes=axes)


# without arrays of their own, since compiled kernels are to make none
def one(t: float, x: fm.spatial.FrameState) -> Any:
    A, v, w = x.orientation, x.velocity, x.angular_velocity
    push = -3.0 * x.position[2]
    force = (push * A[0, 0] - 0.5 * v[1] * w[0], push * A[1, 0] - 0.5 * v[1] * w[1], push * A[2, 0])
    return force, (x.position[0] * v[2], A[2, 1] + t, -(w[0] ** 3))


def two(t: float, a: fm.spatial.FrameState, b: fm.spatial.FrameState) -> Any:
    x = 10.0 * (b.position[0] - a.position[0]) + 0.3 * (b.velocity[2] - a.velocity[2]) * a.orientation[0, 1]
    y = 2.0 * (b.angular_velocity[1] - a.angular_velocity[0]) * b.orientation[1, 2]
    return ((x, t, y), (y, x, 1.0)), ((-x, -t, -y), (-y, -x, -1.0))


def from_python(function: Callable[..., Any], compiled: bool) -> Component:
    m, a, b = pair()
    return m.python_force(a if function is one else [a, b], function, compiled=compiled)


def body() -> RigidBody:
    return pair()[0].components["a"]


def offset_body() -> RigidBody:
    """A body on a frame with an offset, whose node is not its mass center."""
    m, a, _ = pair()
    return m.add_body("off", mass=1.5, inertia=INERTIA / 10.0, center=(0.1, -0.2, 0.3), frame=a)


def shaped_body() -> RigidBody:
    """A body whose mass center is its node, though its frame is elsewhere."""
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
        m.add_point_mass("weight", a, 0.7)
    if which == "off its node":
        m.add_body("off", mass=1.5, inertia=INERTIA / 10.0, center=(0.1, -0.2, 0.3), frame=a)
    masses = [x for x in m.components.values() if isinstance(x, SpatialMass)]
    return [m.gravity_gradient(x, 5.0, center=(-2.0, 1.0, 3.0)) for x in masses][{"body": 0}.get(which, -1)]


#: an orbit so small that all terms of central gravity count
ORBIT = fm.spatial.CentralGravity(50.0, position=(6.0, 2.0, -4.0), velocity=(0.5, 2.0, 0.8))


#: a component's family, and that of what attracts it
ATTRACTIONS = {
    "CmsBeam": "CmsAttraction",
    "AncfCable": "CableAttraction",
    "ExactBeam": "SectionsAttraction",
    "FloatingBeam": "BeamAttraction",
    "ModalBody": "ModalAttraction",
}


def in_orbit(make: Make) -> Component:
    """What attracts a component in central gravity."""
    part = make()
    attraction = part.attraction(ORBIT)
    assert attraction is not None
    attraction.name = "gravity"
    return attraction


def held_center(make: Make) -> Component:
    """The attraction of a center in the model on a component."""
    part: Any = make()
    frames = part.frames() or [part.start]
    return frames[0].model.gravity_gradient(part, 50.0, center=(-6.0, -2.0, 4.0))


def plate(verb: str, **options: Any) -> Component:
    m, _, b = pair()
    return getattr(m, verb)(b, 0.6, axis=(0.1, 0.2, 1.0), **options)


def jet() -> Component:
    m, _, b = pair()
    return m.thruster(b, 3.0, f"{b.name}.x", opens=1.0, axis=(0.1, 0.2, 1.0), factor=WAVE)


def tank() -> Component:
    m, a, _ = pair()
    laws = [fm.Polynomial([0.1, 0.03]), 0.2, fm.Polynomial([0.0, -0.02])]
    turning = [fm.Polynomial([0.0, 0.02, 0.001]), fm.Polynomial([0.0, 0.03]), fm.Polynomial([0.0, 0.02, 0.0, 1e-4])]
    askew = a.attach("tank", (0.1, -0.2, 0.3), fm.rotation_vector((0.3, -0.2, 0.5)))
    return m.add_tank("tank", askew, 5.0, center=laws, inertia=turning)


def stop(joint: str, axis: Any, coordinate: str, limit: float) -> Component:
    """A stop that pushes from the start on."""
    m, a, b = coincident() if coordinate == "angle1" else pair()
    options = {"axis": axis}
    if joint == "universal":
        options["axis_b"] = square_to_x((a, b), 0.5 * np.pi)
    made = m.joint_stop(getattr(m, joint)(a, b, **options), lower=-9.0, coordinate=coordinate, **TOUCH)
    made.lower = limit
    return made


def hard_stop(coordinate: str) -> Component:
    m, a, b = pair()
    joint = m.cylindrical(a, b, axis=(0.3, 0.2, 1.0))
    return m.joint_stop(joint, lower=-9.0, upper=9.0, coordinate=coordinate, hard=True, restitution=0.5)


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
    return m.add(Table(m.ground, b, name="table"))


def catalog() -> dict[str, Make]:
    found: dict[str, Make] = {
        "RigidBody": body,
        "RigidBody: off its node": offset_body,
        "RigidBody: of a shape": shaped_body,
        "PointMass": point_mass,
        "Wheel": lambda: wheel(speed=40.0),
        "Wheel: with mass": lambda: wheel(speed=-30.0, mass=1.2, transverse=0.2),
        "ReactionWheel: torque": lambda: wheel(speed=5.0, torque=WAVE, friction=0.02),
        "ReactionWheel: with mass": lambda: wheel(mass=1.2, transverse=0.2, torque=0.3),
        "ReactionWheel: angle": lambda: wheel(angle=WAVE, friction=0.02),
        "GravityGradient": lambda: attracted("body"),
        "GravityGradient: off its node": lambda: attracted("off its node"),
        "GravityGradient: point mass": lambda: attracted("point mass"),
        "Turntable: velocity rows": turntable,
        "Drag": lambda: plate("drag", linear=2.0, square=1.1, skin=0.1, wind=(3.0, -2.0, 1.0)),
        "Drag: free molecules": lambda: plate("drag", molecular_speed=2.0, wall=0.7, wind=(3.0, -2.0, 1.0)),
        **surfaces(),
        "Thruster": jet,
        "Tank": tank,
        "SolarPressure": lambda: plate("solar_pressure", sun=(0.2, 0.3, 1.0), mirror=0.5, diffuse=0.3, pressure=WAVE),
        "ContactAmong": heap,
        "JointStop: angle": lambda: stop("revolute", (0.3, 0.2, 1.0), "angle", 0.8),
        "JointStop: position": lambda: stop("cylindrical", (0.3, 0.2, 1.0), "position", 1.5),
        "JointStop: angle of a cross": lambda: stop("universal", "x", "angle1", 0.8),
        "JointStop: hard, angle": lambda: hard_stop("angle"),
        "JointStop: hard, position": lambda: hard_stop("position"),
    }
    of_beams, of_modes = beams(), modal_bodies_in_space()
    found |= of_beams | of_modes
    for name in ("RigidBody", "RigidBody: off its node", "PointMass", "Wheel: with mass", "ReactionWheel: torque"):
        found[f"MassAttraction: {name}"] = lambda make=found[name]: in_orbit(make)
    for family, attraction in ATTRACTIONS.items():
        for name, make in (of_beams | of_modes).items():
            if name.startswith(family):
                found[f"{attraction}: {name}"] = lambda make=make: in_orbit(make)
    for family in ATTRACTIONS:
        name, make = next(x for x in (of_beams | of_modes).items() if x[0].startswith(family))
        found[f"GravityGradient: {name}"] = lambda make=make: held_center(make)
    found |= states_in_space()
    for function in (one, two):
        for compiled in (False, True):
            name = f"PythonForce: {function.__name__}, {'compiled' if compiled else 'plain'}"
            found[name] = lambda function=function, compiled=compiled: from_python(function, compiled)
    for family, (method, given) in LOADS.items():
        for axes in ("ground", "body"):
            found[f"{family}, {axes}"] = lambda method=method, given=given, axes=axes: load(method, given, axes)
    for family in METHODS:
        # those without length have a direction that no difference finds: tests/forces/spatial/test_spring_damper.py
        stretched = family.startswith(("Distance", "SpringDamper", "Contact"))
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
