"""All components of the plane, one of each family, and of each option that changes what its kernels do."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

import flexmb as fm
from flexmb.elements.planar import BEAMS
from flexmb.joints.pair_joint import PairJoint
from flexmb.model.components import Component
from flexmb.model.frames import rotation
from flexmb.model.functions.smooth_functions import Harmonic
from tests.models.modal_bodies import modal_bodies
from tests.models.pairs import coincident, pair

WAVE = Harmonic(1.3, 2.5, 0.3, 0.4)

#: soft and smooth enough for differences
TOUCH = {"stiffness": 2.0, "damping": 0.01}

BRISTLES = fm.LuGre(stiffness=2.0, damping=0.7, viscous=0.1, coulomb=0.5, static=0.8, stribeck_speed=0.9)
DRY = fm.Friction(0.2, 0.3, 0.8, 0.01, smoothing=0.5)
RUB = fm.JointFriction(0.3, 0.4, stribeck_speed=6.0, smoothing=3.0)

FULL = np.array([[100.0, 20.0, 3.0], [20.0, 80.0, -5.0], [3.0, -5.0, 7.0]])

Make = Callable[[], Component]


def bodies() -> dict[str, Make]:
    def make(**options: object) -> Component:
        return fm.PlanarModel("m").add_body("body", mass=2.0, inertia=0.1, **options)

    return {
        "RigidBody": make,
        "RigidBody: off its mass center": lambda: make(center=(0.2, -0.1), position=(0.4, 0.1), angle=0.6),
        "RigidBody: point mass": lambda: point_mass(),
    }


def point_mass() -> Component:
    m = fm.PlanarModel("m")
    return m.add_point_mass("mass", m.add_frame("f", (1.0, 2.0)).attach("g", (0.3, 0.1), 0.4), 3.0)


def beams() -> dict[str, Make]:
    thick = fm.planar.BeamProperties(EA=2e4, EI=3.0, rhoA=0.6, rhoI=2e-3, GA=5e3)
    thin = fm.planar.BeamProperties.of(fm.Material(7850, 205e9), fm.Circle(diameter=0.01))
    found: dict[str, Make] = {}

    def add(theory: str, tag: str, properties: fm.planar.BeamProperties, **options: object) -> None:
        def make() -> Component:
            m = fm.PlanarModel("m")
            one = {"elements": 1} | options
            return m.add_beam("rod", (0.1, 0.2), (1.0, 0.5), theory=theory, properties=properties, **one)

        found[f"{BEAMS[theory].__name__}: {tag}"] = make

    for theory, family in BEAMS.items():
        add(theory, "thin", thin)
        add(theory, "thick, damped", thick, damping=fm.StiffnessProportional(1e-3))
        if theory != "floating":  # one element by its nature
            add(theory, "three elements", thick, elements=3)
        if "modes" in family.options():
            add(theory, "four modes", thick, modes=4)
            add(theory, "modal damping", thick, damping=fm.ModalDamping((0.01, 0.02)))
    return found


#: arguments of a joint besides its two frames, for each case that its kernels treat apart
JOINTS: dict[str, list[dict[str, object]]] = {
    "DriveAngle": [{"angle": WAVE}],
    "DriveDistance": [{"distance": WAVE}],
    "DrivePosition": [{"position": WAVE, "axis": 0.4}],
    "Gear": [{"ratio": -2.5}, {"ratio": 1.5, "carrier": True}],
    "KnifeEdge": [{"angle": 0.4}],
    "Lock": [{"coordinate": "x"}, {"coordinate": "y", "value": 0.3}, {"coordinate": "angle"}],
    "PinInSlot": [{"axis": 0.7}, {"axis": 0.7, "friction": fm.JointFriction(0.3, static=0.4, smoothing=5e-3)}],
    "Prismatic": [{"axis": 0.7}, {"axis": 0.7, "friction": fm.JointFriction(0.3, length=0.2)}],
    "Revolute": [{}, {"friction": fm.JointFriction(0.3, radius=0.02)}],
}


#: joints that touch at the start, and the place of their frame b in the axes of frame a
TOUCHING = {
    "RollingOnCircle": ({"radius": 0.2, "radius_a": 0.5}, (0.42, -0.56)),
    "RollingOnCircle: inside": ({"radius": 0.2, "radius_a": 0.5, "inside": True}, (0.18, -0.24)),
    "RollingOnLine": (
        {"radius": 0.2, "axis": 0.3},
        (math.cos(0.3) - 0.2 * math.sin(0.3), math.sin(0.3) + 0.2 * math.cos(0.3)),
    ),
}

#: joints between places that must be apart
APART = ("Distance", "DriveDistance")


def joints() -> dict[str, Make]:
    found: dict[str, Make] = {}
    for name in fm.planar.__all__:
        family = getattr(fm.planar, name)
        if not issubclass(family, PairJoint) or family is fm.planar.Joint or name in TOUCHING:
            continue
        for options in JOINTS.get(name, [{}]):
            for where in (pair, coincident):
                if where is coincident and name in APART:
                    continue

                def make(family: type = family, options: dict = options, where: Callable = where) -> Component:
                    m, a, b = where()
                    given = dict(options)
                    if "carrier" in given:
                        given["carrier"] = m.add_body("carrier", mass=1.0, inertia=0.1, angle=0.2).frame
                    return m.add(family(a, b, name="joint", **given))

                found[f"{name}: {where.__name__} {options or ''}"] = make
    for name, (options, place) in TOUCHING.items():

        def touching(name: str = name, options: dict = options, place: tuple = place) -> Component:
            m, a, b = pair()
            apart = a.position + rotation(a.angle) @ place - b.position
            middle = b.attach("middle", tuple(rotation(b.angle).T @ apart), 0.4)
            return m.add(getattr(fm.planar, name.split(":")[0])(a, middle, name="joint", **options))

        found[name] = touching
    return found


def forces() -> dict[str, Make]:
    def between(method: str, **options: object) -> Make:
        def make() -> Component:
            m, a, b = pair()
            return getattr(m, method)(a, b, **options)

        return make

    def touching(shape_a: object, shape_b: object) -> Make:
        def make() -> Component:
            m, a, b = pair()
            return m.contact(a, b, shape_a, shape_b, friction=RUB, **TOUCH)

        return make

    def stop(joint: str, **limits: float) -> Make:
        def make() -> Component:
            m, a, b = pair()
            if joint == "distance":
                stop = m.distance_stop(a, b, upper=9.0, **TOUCH)
            else:
                stop = m.joint_stop(getattr(m, joint)(a, b), lower=-9.0, upper=9.0, **TOUCH)
            for name, limit in limits.items():
                setattr(stop, name, limit)  # it starts beyond, and pushes
            return stop

        return make

    def hard(shape_a: object, shape_b: object) -> Make:
        rubs = fm.JointFriction(0.3, static=0.4, smoothing=0.0)
        return between("contact", shape_a=shape_a, shape_b=shape_b, hard=True, restitution=0.5, friction=rubs)

    def hard_stop(joint: str) -> Component:
        m, a, b = pair()
        return m.joint_stop(getattr(m, joint)(a, b), lower=-9.0, upper=9.0, hard=True, restitution=0.5)

    def slipping(moving: bool) -> Make:
        def make() -> Component:
            m, a, b = pair()
            rubber = fm.TireLaw(40.0, 300.0, (0.2, 0.5), friction=0.8, tread_damping=3.0, smoothing=20.0)
            return m.tire(a if moving else m.ground, b, rubber, angle=0.4)

        return make

    def actuator(joint: str, friction: fm.Friction | fm.LuGre = DRY) -> Component:
        m, a, b = pair()
        return m.joint_force(getattr(m, joint)(a, b, name="elbow"), WAVE, damping=0.3, friction=friction)

    def on(method: str, *values: object, **options: object) -> Make:
        def make() -> Component:
            m, a, _ = pair()
            return getattr(m, method)(a, *values, **options)

        return make

    return {
        "SpringDamper": between("spring_damper", stiffness=20.0, damping=3.0, free_length=0.3, force=WAVE),
        "SpringDamper: free length zero": between("spring_damper", stiffness=20.0, damping=3.0, free_length=0.0),
        "Tire": slipping(True),
        "Tire: on the ground": slipping(False),
        "TorsionSpring": between("torsion_spring", stiffness=20.0, damping=3.0, free_angle=0.3),
        "Bushing": between("bushing", stiffness=(10.0, 20.0, 3.0), damping=(1.0, 2.0, 3.0), free=(0.1, 0.2, 0.3)),
        "Contact: half-plane": touching(
            fm.HalfPlane((0.3, 1), (0.0, -0.2)), fm.Disk(diameter=0.8, position=(0.1, 0.2))
        ),
        "Contact: half-plane on b": touching(None, fm.HalfPlane("x", (1.0, 0.3))),
        "Contact: disks": touching(fm.Disk(diameter=1.4), fm.Disk(diameter=1.0, position=(0.2, 0.1))),
        "Contact: cavity": touching(fm.Cavity(diameter=1.4), fm.Disk(diameter=0.6)),
        "Contact: apart": touching(fm.Disk(diameter=0.1), fm.Disk(diameter=0.1)),
        "Contact: corners": touching(fm.HalfPlane((0.3, 1), (0.0, -0.2)), fm.Corners([(0.1, -0.2), (0.0, -0.4)])),
        "Contact: hard, half-plane": hard(fm.HalfPlane((-1.0, -0.3)), fm.Disk(radius=0.1, position=(0.1, 0.2))),
        "Contact: hard, disks": hard(fm.Disk(radius=0.3), fm.Disk(radius=0.2, position=(0.2, 0.1))),
        "Contact: hard, cavity": hard(fm.Disk(radius=0.2, position=(0.2, 0.1)), fm.Cavity(radius=3.0)),
        "Contact: hard, corners": hard(fm.Corners([(0.1, 0.2), (-0.3, 0.1)]), fm.HalfPlane((1.0, 0.3), (0.1, 0.0))),
        "DistanceStop: upper": stop("distance", upper=0.4),
        "DistanceStop: lower": stop("distance", lower=1.8),
        "DistanceStop: hard": between("distance_stop", lower=0.1, upper=9.0, hard=True, restitution=0.5),
        "JointForce": lambda: actuator("revolute"),
        "JointForce: along": lambda: actuator("prismatic"),
        "JointForce: bristles": lambda: actuator("revolute", BRISTLES),
        "JointForce: bristles along": lambda: actuator("prismatic", BRISTLES),
        "Backlash: in the gap": between("backlash", stiffness=20.0, damping=3.0, gap=90.0),
        "Backlash: at a side": between("backlash", stiffness=20.0, damping=3.0, gap=0.0),
        "Motor: backlash": between(
            "motor", inertia=0.01, ratio=-7.0, stiffness=30.0, damping=0.2, friction=BRISTLES, backlash=90.0
        ),
        "JointStop: angle": stop("revolute", upper=-0.9),
        "JointStop: position": stop("prismatic", lower=0.4),
        "JointStop: hard, angle": lambda: hard_stop("revolute"),
        "JointStop: hard, position": lambda: hard_stop("prismatic"),
        "Bushing: full": between("bushing", stiffness=FULL, damping=FULL[::-1, ::-1] / 50.0),
        "Motor": between("motor", inertia=0.01, ratio=-7.0, stiffness=30.0, damping=0.2, friction=0.01, torque=WAVE),
        "Motor: friction": between(
            "motor", inertia=0.01, ratio=5.0, stiffness=30.0, friction=fm.Friction(0.2, 0.3, 0.8, 0.01, smoothing=0.5)
        ),
        "Motor: rigid reducer, given angle": between("motor", inertia=0.01, ratio=7.0, angle=WAVE),
        "PointForce": on("point_force", (3.0, -4.0), factor=WAVE),
        "PointForce: follower": on("point_force", (3.0, -4.0), factor=WAVE, axes="body"),
        "PointTorque": on("point_torque", WAVE),
        "PythonForce": on(
            "python_force", lambda t, x, v: (math.cos(t) - 2.0 * v[0], -3.0 * math.sin(x[1]), x[2] * v[2])
        ),
    }


def loads() -> dict[str, Make]:
    """Distributed loads on those beams that take them."""
    found: dict[str, Make] = {}
    for theory, family in BEAMS.items():
        for follower in (False, True):
            if not family.takes_loads():
                continue

            def make(theory: str = theory, follower: bool = follower) -> Component:
                m = fm.PlanarModel("m")
                p = fm.planar.BeamProperties(EA=2e4, EI=3.0, rhoA=0.6, rhoI=2e-3, GA=5e3)
                rod = m.add_beam("rod", (0.1, 0.2), (1.0, 0.5), theory=theory, properties=p)
                return m.distributed_load(
                    rod, ((1.0, -3.0), (2.0, 5.0)), factor=WAVE, axes="section" if follower else "ground"
                )

            found[f"DistributedLoad: {family.__name__}{', follower' if follower else ''}"] = make
    for theory in ("cms", "exact", "ancf"):

        def heated(theory: str = theory) -> Component:
            m = fm.PlanarModel("m")
            p = fm.planar.BeamProperties(EA=2e4, EI=3.0, rhoA=0.6, rhoI=2e-3, GA=5e3, thermal_expansion=1e-3)
            rod = m.add_beam("rod", (0.1, 0.2), (1.0, 0.5), theory=theory, properties=p, **BEAMS_OF.get(theory, {}))
            return m.thermal_load(rod, 20.0, -90.0, factor=WAVE)

        found[f"ThermalLoad: {BEAMS[theory].__name__}"] = heated
    return found


def places() -> dict[str, Make]:
    """Beams with frames welded to places inside of elements, and loads there."""
    found: dict[str, Make] = {}
    p = fm.planar.BeamProperties(EA=2e4, EI=3.0, rhoA=0.6, rhoI=2e-3, GA=5e3)

    def beam(theory: str) -> fm.planar.Beam:
        m = fm.PlanarModel("m")
        return m.add_beam("rod", (0.1, 0.2), (1.0, 0.5), theory=theory, properties=p, **BEAMS_OF.get(theory, {}))

    def welded(theory: str) -> Component:
        rod = beam(theory)
        rod.at(0.3).attach("clip", (0.1, 0.05))
        rod.at(0.85).enter()
        return rod

    def loaded(theory: str, method: str, *values: object, **options: object) -> Component:
        rod = beam(theory)
        return getattr(rod.model, method)(rod.at(0.3), *values, **options)

    for theory, family in BEAMS.items():
        name = family.__name__
        found[f"{name}: welded places"] = partial(welded, theory)
        found[f"PointTorque: {name}"] = partial(loaded, theory, "point_torque", WAVE)
        for follower in (False, True):
            tag = ", follower" if follower else ""
            push = partial(
                loaded, theory, "point_force", (3.0, -4.0), factor=WAVE, axes="body" if follower else "ground"
            )
            found[f"PointForce: {name}{tag}"] = push
    return found


#: options of the beams whose places are tested
BEAMS_OF: dict[str, dict[str, int]] = {"cms": {"elements": 2, "axial_modes": 1}, "ancf": {"elements": 3}}


def heap() -> Component:
    m, a, b = pair()
    c = m.add_body("third", mass=1.0, inertia=0.1, position=(0.3, -0.4), angle=0.6)
    shapes = [fm.Disk(radius=2.5, position=(0.1, -0.2)), fm.Disk(radius=2.0), fm.Disk(radius=3.0, position=(0.0, 0.3))]
    return m.contact_among([a, b, c.frame], shapes, friction=RUB, **TOUCH)


def catalog() -> dict[str, Make]:
    """One maker for each family, and for each option that changes what its kernels do."""
    return bodies() | beams() | modal_bodies() | joints() | forces() | loads() | places() | {"ContactAmong": heap}
