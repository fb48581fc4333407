"""Arguments of verbs by their names, as random mechanisms take them: a new joint or force whose arguments are called as
those of others is drawn without a word. What a verb takes otherwise stands behind its own name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.random_mechanisms.building import Builder

#: joints whose frame b is so far from frame a along the last axis of this, in lengths of the mechanism
GAPS: dict[str, float] = {
    **{"distance": 0.5, "drive_distance": 0.5, "rolling_on_line": 0.3, "rolling_wheel": 0.3, "rolling_sphere": 0.3},
    **{"rolling_on_circle": 0.8, "rolling_on_sphere": 0.8, "rolling_on_cylinder": 0.8},
}
#: arguments that are always given
ALWAYS = ("coordinate", "other_coordinate", "carrier", "center", "relative_to_start")
#: part of the mechanisms in which an argument is given that has a default
OFTEN = 0.6


def motion(b: Builder, size: float) -> Any:
    """A function of time that begins at 0, of about a size."""
    make, time = b.make, b.world.time
    wave = size * make.uniform(0.1, 0.7)
    return make.choice(
        lambda: make(fm.SmoothStep, 0.0, make.uniform(0.2, 2.0) * time, 0.0, wave),
        lambda: make(fm.Harmonic, amplitude=wave, frequency=make.uniform(0.2, 1.0) / time),
        lambda: make(fm.Polynomial, [0.0, wave / time]),
    )()


def factor(b: Builder) -> Any:
    """A factor that is 1, or waves, or acts for a while."""
    make, time = b.make, b.world.time
    return make.choice(
        lambda: 1.0,
        lambda: make(fm.Harmonic, amplitude=1.0, frequency=make.uniform(0.1, 1.0) / time),
        lambda: make(fm.Pulse, 0.1 * time, 0.3 * time, 1.0),
    )()


def _stiffness(b: Builder, unit: float, low: float = -0.5, high: float = 2.0) -> float:
    return unit * b.make.power(low, high)


def _each(b: Builder, place: float, turn: float) -> tuple[float, ...]:
    """A number for each direction and each turn of a bushing."""
    return (place,) * b.dimension + (turn,) * (3 if b.dimension == 3 else 1)


def _friction(b: Builder) -> Any:
    """Friction of a joint, smooth or dry."""
    make, w = b.make, b.world
    coefficient, speed = make.uniform(0.05, 0.4), w.length / w.time
    more: dict[str, Any] = {"stribeck_speed": 0.1 * speed, "small_force": 1e-9 * w.force}
    if make.chance(0.3):
        more["static"] = coefficient * make.uniform(1.0, 1.6)
    if make.chance(0.2):
        more["preload"] = w.force * make.power(-1, 0.5)
    sticks = b.verb in STICKING and make.chance(0.6)
    b.stiff |= not sticks
    more["smoothing"] = 0.0 if sticks else speed * make.power(-2.5, -1.5)
    of_size = {"radius": w.length * make.power(-2, -0.7), "length": w.length * make.uniform(1.0, 3.0)}
    return make(fm.JointFriction, coefficient, **of_size, **more)  # long bearings do not jam


def _viscous(b: Builder) -> Any:
    """Friction on a coordinate of a joint."""
    speed = b.unit_of_coordinate / b.world.time
    return b.make(fm.Friction, coulomb=0.1 * b.force_of_coordinate, smoothing=0.05 * speed)


def _loss(b: Builder) -> dict[str, Any]:
    """What impacts lose: a part at one speed, or nothing."""
    if b.make.chance(0.5):
        return {"damping": 0.0}
    return {"restitution": b.make.uniform(0.3, 0.9), "impact_speed": b.world.length / b.world.time}


def _contact(b: Builder) -> dict[str, Any]:
    """A round body above a floor."""
    plane, ball = (fm.HalfSpace("z"), fm.Sphere) if b.dimension == 3 else (fm.HalfPlane("y"), fm.Disk)
    stiffness = _stiffness(b, b.world.force / b.world.length**1.5, 3.5, 5.0)
    shapes = {"shape_a": plane, "shape_b": b.make(ball, radius=0.1 * b.world.length)}
    return {**shapes, "stiffness": stiffness, **_loss(b)}


def _heap(b: Builder) -> dict[str, Any]:
    """Round bodies among themselves."""
    ball = b.make(fm.Sphere if b.dimension == 3 else fm.Disk, radius=0.15 * b.world.length)
    return {"shapes": ball, "stiffness": _stiffness(b, b.world.force / b.world.length**1.5, 3.0, 4.0), **_loss(b)}


def _rope(b: Builder) -> dict[str, Any]:
    """A rope from a post."""
    stiffness = _stiffness(b, b.world.force / b.world.length**1.5, 1.5, 3.5)
    return {"upper": b.apart * b.make.uniform(1.02, 1.3), "stiffness": stiffness, **_loss(b)}


def _stop(b: Builder) -> dict[str, Any]:
    """A stop of a joint's coordinate, on one side or on both."""
    unit = b.unit_of_coordinate
    ends = {"upper": unit * b.make.uniform(0.1, 0.8)}
    if b.make.chance(0.5):
        ends["lower"] = -unit * b.make.uniform(0.1, 0.8)
    stiffness = _stiffness(b, b.force_of_coordinate / unit**1.5, 1.5, 3.0)
    return {**ends, "stiffness": stiffness, "coordinate": b.coordinate, **_loss(b)}


def _load(b: Builder, what: str, unit: float) -> dict[str, Any]:
    """A load along axes of the ground or of its body, with a factor where its verb takes one."""
    if what == "torque" and b.dimension == 2:
        return {what: motion(b, unit)}
    axes = b.make.choice("ground", "section" if what == "line_load" else "body")
    load = unit * b.make.uniform(0.2, 1.0) * b.direction()
    return {what: tuple(b.world.direction(load) if axes == "ground" else load), "axes": axes, "factor": factor(b)}


def _heat(b: Builder) -> dict[str, Any]:
    """A temperature and a gradient of a beam, or one of both."""
    gradient = b.make.uniform(-50.0, 50.0) / b.world.length
    several = tuple((gradient * b.direction())[:2]) if b.dimension == 3 else gradient
    return {
        "temperature": b.make.choice(0.0, b.make.uniform(-40.0, 40.0)),
        "gradient": b.make.choice(0.0, several),
        "factor": factor(b),
    }


def _tire(b: Builder) -> dict[str, Any]:
    w = b.world
    law = b.make(
        fm.TireLaw, load=w.force, cornering_stiffness=8.0 * w.force, relaxation_length=0.3 * w.length, friction=0.8,
        smoothing=0.02 * w.length / w.time, vertical_stiffness=20.0 * w.force / w.length,
        vertical_damping=0.5 * w.force * w.time / w.length,
    )  # fmt: skip
    b.stiff = True
    return {"tire": law, **({"radius": 0.3 * w.length} if b.dimension == 3 else {})}


def _motor(b: Builder) -> dict[str, Any]:
    """A rotor behind a reducer, stiff or soft, with friction or without."""
    w, make = b.world, b.make
    return {
        "inertia": w.mass * w.length**2 * make.power(-3, -1), "ratio": make.choice(1.0, 5.0, -3.0),
        "torque": motion(b, 0.3 * w.torque), "friction": make.choice(0.0, _viscous(b)),
        "stiffness": make.choice(None, w.torque * make.power(0.5, 3.0)),
        **({"axis": tuple(b.direction())} if b.dimension == 3 else {}),
    }  # fmt: skip


def _drag(b: Builder) -> dict[str, Any]:
    w = b.world
    wind = w.direction(b.direction()) * w.length / w.time
    return {
        "area": 0.3 * w.length**2, "density": w.mass / w.length**3, "linear": 0.5, "square": 1.0, "skin": 0.05,
        "wind": tuple(wind), "axis": tuple(b.direction()),
    }  # fmt: skip


def _sun(b: Builder) -> dict[str, Any]:
    w = b.world
    return {
        "area": 0.3 * w.length**2, "sun": tuple(w.direction(b.direction())), "mirror": 0.3, "diffuse": 0.2,
        "pressure": 2.0 * w.force / w.length**2, "axis": tuple(b.direction()),
    }  # fmt: skip


def _jet(b: Builder) -> dict[str, Any]:
    """A jet that opens where the speed of its frame along its axis is low, so that it pushes and lets go."""
    w, axis = b.world, tuple(b.direction())
    law = b.make(fm.control.Speedometer, b.frame, axis)
    fast = 0.3 * w.length / w.time
    more: dict[str, Any] = {"exhaust": 30.0 * w.length / w.time, "tank": b.tank} if b.tank is not None else {}
    return {
        "thrust": 0.3 * w.force, "law": law, "opens": fast, "closes": 0.3 * fast, "axis": tuple(-np.array(axis)),
        "pulse": 0.05 * w.time, **more,
    }  # fmt: skip


def _python(b: Builder) -> dict[str, Any]:
    """A drag by a function of Python."""
    strength = 0.1 * b.world.mass / b.world.time

    def plane(t: float, x: Any, v: Any) -> tuple[float, float, float]:
        return -strength * v[0], -strength * v[1], 0.0

    def space(t: float, x: Any) -> Any:
        v = x.velocity
        return (-strength * v[0], -strength * v[1], -strength * v[2]), (0.0, 0.0, 0.0)

    return {"function": space if b.dimension == 3 else plane}


def _curve(b: Builder) -> list[tuple[float, ...]]:
    """Points through the origin of frame a."""
    return [tuple(b.world.length * s * np.array(x)) for s in (-1, 0, 1) for x in [(1.0, 0.4 * s, 0.5)]]


#: values of arguments by their names, and by names of verbs where these differ; `None`: it keeps its default. What
#: stands behind `verb.*` gives all that belongs together of this verb
VALUES: dict[str, Callable[[Builder], Any] | None] = {
    "axis": lambda b: b.make.uniform(-np.pi, np.pi) if b.dimension == 2 else tuple(b.direction()),
    "universal.axis": None,
    "rolling_on_line.axis": None,
    "rolling_on_sphere.axis": None,
    "rack_and_pinion.axis": None,
    "point_on_line.axis": lambda b: tuple(b.direction()),
    "count_turns": lambda b: True,
    "friction": _friction,
    "joint_force.friction": _viscous,
    "ratio": lambda b: b.make.choice(-1.7, 0.6, 2.0, 5.0),
    "pitch": lambda b: b.world.length * b.make.choice(-1, 1) * b.make.power(-2, -0.3),
    "radius": lambda b: 0.3 * b.world.length,
    "radius_a": lambda b: 0.5 * b.world.length,
    "radius_b": lambda b: 0.4 * b.world.length,
    "through": _curve,
    "coordinate": lambda b: b.coordinate,
    "other": lambda b: b.other[1],
    "other_coordinate": lambda b: b.other[2],
    "lock.coordinate": lambda b: b.make.choice(*("xy" if b.dimension == 2 else "xyz"), "angle"),
    "relative_to_start": lambda b: True,
    "drive_angle.angle": lambda b: motion(b, 2.0),
    "drive_position.position": lambda b: motion(b, b.world.length),
    "drive_distance.distance": lambda b: motion(b, 0.3 * b.world.length) + b.apart,
    "drive_rotation.rotation": lambda b: tuple(motion(b, 1.0) for _ in range(3)),
    "motion": lambda b: motion(b, b.unit_of_coordinate),
    "carrier": lambda b: b.base,
    "coupling.ratio": lambda b: b.make.choice(-0.7, 1.5),
    "stiffness": lambda b: _stiffness(b, b.world.force / b.world.length),
    "backlash.stiffness": lambda b: _stiffness(b, b.world.torque),
    "torsion_spring.stiffness": lambda b: _stiffness(b, b.world.torque),
    "bushing.stiffness": lambda b: _each(
        b, _stiffness(b, b.world.force / b.world.length), _stiffness(b, b.world.torque)
    ),
    "damping": lambda b: 0.05 * b.world.force * b.world.time / b.world.length,
    "backlash.damping": lambda b: 0.05 * b.world.torque * b.world.time,
    "gap": lambda b: b.make.power(-3.0, -1.0),
    "backlash.load": lambda b: 0.0,
    "torsion_spring.damping": lambda b: 0.05 * b.world.torque * b.world.time,
    "bushing.damping": lambda b: _each(
        b, 0.05 * b.world.force * b.world.time / b.world.length, 0.05 * b.world.torque * b.world.time
    ),
    "joint_force.damping": lambda b: 0.05 * b.force_of_coordinate * b.world.time / b.unit_of_coordinate,
    "joint_force.force": lambda b: motion(b, b.force_of_coordinate),
    "free_length": lambda b: b.apart * b.make.uniform(0.5, 1.2),
    "force": lambda b: motion(b, b.world.force),
    "mu": lambda b: 0.3 * b.world.length**3 / b.world.time**2,
    "center": lambda b: tuple(b.world.place([2.0, 1.0, 0.5])),
    "load_name": lambda b: b.make.choice(*b.loads),
    "factor": factor,
    "crown": lambda b: 0.0,
    "point_force.*": lambda b: _load(b, "force", b.world.force),
    "point_torque.*": lambda b: _load(b, "torque", b.world.torque),
    "distributed_load.*": lambda b: _load(b, "line_load", b.world.force / b.world.length),
    "thermal_load.*": _heat,
    "contact.*": _contact,
    "rolling_on_cylinder.*": lambda b: {"axis": "x"},
    "motor.*": _motor,
    "contact_among.*": _heap,
    "distance_stop.*": _rope,
    "joint_stop.*": _stop,
    "tire.*": _tire,
    "drag.*": _drag,
    "solar_pressure.*": _sun,
    "thruster.*": _jet,
    "python_force.*": _python,
}
#: joints that can stick
STICKING = ("revolute", "prismatic", "pin_in_slot", "screw")


def arguments(b: Builder, verb: str, given: int) -> dict[str, Any]:
    """Values for the arguments of a verb behind the first `given` ones."""
    parameters = list(inspect.signature(getattr(type(b.model), verb)).parameters.values())[1 + given :]
    together = VALUES.get(f"{verb}.*")
    found: dict[str, Any] = together(b) if together is not None else {}
    for p in parameters:
        value = VALUES.get(f"{verb}.{p.name}", VALUES.get(p.name))
        if p.name in found or (b.dimension == 2 and p.default == "z"):
            continue
        if p.default is p.empty:
            if value is None:
                raise LookupError(f"nothing is known of argument {p.name!r} of {verb}; enter it in VALUES")
            found[p.name] = value(b)
        elif p.name in b.left_out:
            continue
        elif value is not None and together is None and (p.name in ALWAYS or b.make.chance(OFTEN)):
            found[p.name] = value(b)
    return found


def coordinates_of(joint: Any) -> list[str]:
    """The coordinates of a joint that are one angle or one place."""
    place = joint.place()
    named = getattr(joint, "coordinates", ()) or (getattr(place, "joint", None) and place.joint.coordinates) or ()
    return [name for name in named if name in ("angle", "angle1", "angle2", "position", "x", "y", "z")]
