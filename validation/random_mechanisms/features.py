"""Random mechanisms with pairs of features, in the plane and in space: rigid bodies and beams on joints of all kinds
with smooth friction or friction that sticks, drives, sampled controllers, stops, contacts, wheels, and events that
switch springs, locks and joints."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.random_mechanisms.making import Maker, Mechanism, Scales
from flexmb.validation.random_mechanisms.trees import random_inertia

#: joints of the plane and of space, as often as they are named
PLANE = ("revolute", "revolute", "prismatic", "pin_in_slot")
SPACE = ("revolute", "revolute", "prismatic", "cylindrical", "universal", "spherical", "screw", "planar_joint")
#: joints with friction, and those of them that can stick
RUBBING = ("revolute", "prismatic", "pin_in_slot", "cylindrical", "spherical", "screw")
STICKING = ("revolute", "prismatic", "pin_in_slot", "screw")
#: features besides joints and their friction, of which a mechanism has two
FEATURES = ("drive", "controller", "switch", "crossing", "stop", "contact", "wheel", "spring", "beam", "torque", "none")


def features_in_the_plane(make: Maker) -> Mechanism:
    """A tree of bodies in the plane, or one with a loop, with two features."""
    return _Builder(make, 2).mechanism()


def features_in_space(make: Maker) -> Mechanism:
    """A tree of bodies in space, or one with a loop, with two features."""
    return _Builder(make, 3).mechanism()


class _Builder:
    """What is known while a mechanism is put together."""

    def __init__(self, make: Maker, dimension: int) -> None:
        self.make, self.space = make, dimension == 3
        gravity = make.choice(9.81, 9.81, 9.81, 0.0)
        self.scales = Scales.by_chance(make, gravity)
        down = (0.0, 0.0, -gravity) if self.space else (0.0, -gravity)
        self.model: Any = make(fm.SpatialModel if self.space else fm.PlanarModel, "by chance", gravity=down)
        self.bodies: list[Any] = []
        self.joints: list[tuple[str, Any]] = []
        self.controlled = self.stiff = False

    def mechanism(self) -> Mechanism:
        """Bodies, joints and features, one after the other."""
        make = self.make
        for k in range(int(make.rng.integers(1, 4))):
            carrier = int(make.rng.integers(-1, k)) if k else -1
            self._body(k, carrier)
        if len(self.bodies) > 1 and make.chance(0.25):
            place = self._attached(self.bodies[-1], "loop", 0.5)
            post = make(self.model.ground.attach, "post", self._far(place))
            make(self.model.distance, post, place)
        first, second = (str(f) for f in make.rng.choice(FEATURES, 2, replace=False))
        for feature in (first, second):
            getattr(self, f"_{feature}")()
        if make.chance(0.5):
            spin = make.uniform(-1.5, 1.5) / self.scales.time
            self._spin(spin)
        return Mechanism(self.model, self.scales.length, self.scales.time, self.controlled, stiff=self.stiff)

    # -- bodies and joints --------------------------------------------------------------------------------------------

    def _direction(self) -> np.ndarray:
        """A unit vector, all directions alike."""
        v = self.make.rng.normal(size=3 if self.space else 2)
        return np.asarray(v / np.linalg.norm(v))

    def _body(self, k: int, carrier: int) -> None:
        """A body whose frame may lie beside its mass center, on a joint with an earlier body or the ground."""
        make, scales = self.make, self.scales
        before = self.model.ground if carrier < 0 else self.bodies[carrier].frame
        seat = np.asarray(before.position) + scales.length * make.uniform(0.3, 1.0) * self._direction() * (k > 0)
        place = seat + scales.length * make.uniform(0.3, 1.0) * self._direction()
        mass = scales.mass * make.uniform(0.3, 3.0)
        unit = mass * scales.length**2
        center: dict[str, Any] = {}
        if make.chance(0.4):
            center = {"center": tuple(0.2 * scales.length * self._direction())}
        if self.space:
            own = Rotation.from_rotvec(make.uniform(0.0, np.pi) * self._direction())
            inertia = 0.3 * unit * random_inertia(make.rng)
            body = make(
                self.model.add_body, f"link{k}", mass=mass, inertia=inertia, position=tuple(place), orientation=own,
                **center,
            )  # fmt: skip
        else:
            angle = make.uniform(-np.pi, np.pi)
            body = make(
                self.model.add_body, f"link{k}", mass=mass, inertia=make.uniform(0.03, 0.3) * unit,
                position=tuple(place), angle=angle, **center,
            )  # fmt: skip
        kind = str(make.choice(*(SPACE if self.space else PLANE)))
        ends = [self._at(before, f"j{k}a", seat), self._at(body.frame, f"j{k}b", seat)]
        self.joints.append((kind, self._joint(kind, ends, k)))
        self.bodies.append(body)

    def _at(self, frame: Any, name: str, place: np.ndarray) -> Any:
        """A frame on the body of another, at a place of the ground, with the axes of the ground."""
        off = np.asarray(place) - np.asarray(frame.position)
        if self.space:
            turn = frame.orientation.inv()
            return self.make(frame.attach, name, tuple(turn.apply(off)), turn)
        c, s = np.cos(frame.angle), np.sin(frame.angle)
        return self.make(frame.attach, name, (c * off[0] + s * off[1], c * off[1] - s * off[0]), -frame.angle)

    def _joint(self, kind: str, ends: list[Any], k: int) -> Any:
        make, scales = self.make, self.scales
        more: dict[str, Any] = {"name": f"joint{k}"}
        if kind in RUBBING and make.chance(0.35):
            more["friction"] = self._friction(kind in STICKING and make.chance(0.6))
        if kind == "universal":
            return make(self.model.universal, *ends, axis="x", axis_b="y", **more)
        if kind in ("prismatic", "pin_in_slot") and not self.space:
            more["axis"] = make.uniform(-np.pi, np.pi)
        elif self.space and kind != "spherical":
            more["axis"] = tuple(self._direction())
        if kind == "screw":
            return make(self.model.screw, *ends, scales.length * make.choice(-1, 1) * make.power(-2, -0.3), **more)
        joint = make(getattr(self.model, kind), *ends, **more)
        if kind in ("prismatic", "cylindrical", "planar_joint", "pin_in_slot"):  # so that it does not fall for ever
            stiffness = scales.force / scales.length * make.power(0.5, 2.5)
            if self.space:
                make(self.model.bushing, *ends, stiffness=(stiffness,) * 3 + (0.0,) * 3)
            else:
                make(self.model.bushing, *ends, stiffness=(stiffness, stiffness, 0.0), damping=(0.0, 0.0, 0.0))
        return joint

    def _friction(self, sticks: bool) -> fm.JointFriction:
        make, scales = self.make, self.scales
        size = scales.length * make.power(-2, -0.7)
        coefficient = make.uniform(0.05, 0.4)
        speed = scales.length / scales.time
        more: dict[str, Any] = {}
        if make.chance(0.3):
            more = {"static": coefficient * make.uniform(1.0, 1.6), "stribeck_speed": 0.1 * speed}
        if make.chance(0.2):
            more["preload"] = scales.force * make.power(-1, 0.5)
        self.stiff |= not sticks
        smoothing = 0.0 if sticks else speed * make.power(-2.5, -1.5)
        of_size = {"radius": size, "length": scales.length * make.uniform(1.0, 3.0)}  # long bearings do not jam
        return self.make(fm.JointFriction, coefficient, smoothing=smoothing, **of_size, **more)

    def _attached(self, body: Any, name: str, size: float) -> Any:
        """A frame at a random place of a body."""
        return self.make(body.attach, name, tuple(size * self.scales.length * self._direction()))

    def _far(self, frame: Any) -> tuple[float, ...]:
        """A place of the ground some lengths from a frame."""
        away = self.scales.length * self.make.uniform(1.5, 3.0) * self._direction()
        return tuple(np.asarray(frame.position) + away)

    def _spin(self, spin: float) -> None:
        """Turn the whole at the start; joints that cannot turn so are corrected, or refuse it by name."""
        if self.space:
            self.make(self.model.set_rigid_motion, angular_velocity=tuple(spin * self._direction()))
        else:
            self.make(self.model.set_rigid_motion, angular_velocity=spin)

    # -- features -----------------------------------------------------------------------------------------------------

    def _none(self) -> None:
        """No feature."""

    def _motion(self, size: float) -> Any:
        """A function of time that begins at 0, of about a size."""
        make, time = self.make, self.scales.time
        wave = size * make.uniform(0.1, 0.7)
        return make.choice(
            lambda: make(fm.SmoothStep, 0.0, make.uniform(0.2, 2.0) * time, 0.0, wave),
            lambda: make(fm.Harmonic, amplitude=wave, frequency=make.uniform(0.2, 1.0) / time),
            lambda: make(fm.Polynomial, [0.0, wave / time]),
        )()

    def _drive(self) -> None:
        """A drive of the first joint, if it has one coordinate."""
        kind, joint = self.joints[0]
        if self.space:
            if kind in ("revolute", "prismatic"):
                size = 2.0 if kind == "revolute" else self.scales.length
                self.make(self.model.drive_joint, joint, self._motion(size))
        elif kind == "revolute":
            self.make(self.model.drive_angle, joint.a, joint.b, self._motion(2.0), relative_to_start=True)

    def _torque_on(self, name: str) -> tuple[Any, Any]:
        """A torque about the last joint that is a hinge, and the rate that goes with it; None, None without one."""
        hinges = [joint for kind, joint in self.joints if kind == "revolute"]
        if not hinges:
            return None, None
        if self.space:
            return self.make(self.model.joint_force, hinges[-1], 0.0, name=name), fm.control.JointRate(hinges[-1])
        a, b = hinges[-1].a, hinges[-1].b
        return self.make(self.model.point_torque, b, 0.0, name=name), fm.control.RelativeRate(a, b)

    def _controller(self) -> None:
        """A sampled brake of the last hinge, by gains, a law with memory or a function of Python."""
        make, scales = self.make, self.scales
        commanded, rate = self._torque_on("commanded")
        if commanded is None:
            return
        gain = scales.torque * scales.time * make.uniform(0.02, 0.3)
        law = make.choice(
            lambda: [[-gain]],
            lambda: make(fm.control.PythonLaw, lambda t, y: -gain * y, state_count=0),
            lambda: make(fm.control.LinearLaw, [[0.9]], [[0.1]], [[-gain]], [[0.0]]),
        )()
        make(
            self.model.add_controller, "brake", period=scales.time * make.choice(0.02, 0.037), sensors=[rate],
            commands="commanded", law=law, delay=make.choice(0.0, 0.005 * scales.time),
        )  # fmt: skip
        self.controlled = True

    def _torque(self) -> None:
        """A torque that waves on the last body."""
        make, scales = self.make, self.scales
        wave = make(fm.Harmonic, amplitude=1.0, frequency=make.uniform(0.1, 1.0) / scales.time)
        strength = scales.torque * make.uniform(-1, 1)
        if self.space:
            torque, axes = tuple(strength * self._direction()), make.choice("ground", "body")
            make(self.model.point_torque, self.bodies[-1].frame, torque, factor=wave, axes=axes)
        else:
            make(self.model.point_torque, self.bodies[-1].frame, strength * wave)

    def _spring(self) -> Any:
        """The spring from the ground to the last body."""
        make, scales = self.make, self.scales
        if "spring" in self.model.components:
            return self.model.components["spring"]
        place = self._attached(self.bodies[-1], "spring", 0.3)
        post = make(self.model.ground.attach, "hook", self._far(place))
        stiffness = scales.force / scales.length * make.power(-1, 2)
        damping = make.choice(0.0, 0.05) * stiffness * scales.time
        return make(self.model.spring_damper, post, place, stiffness=stiffness, damping=damping, name="spring")

    def _switch(self) -> None:
        """A spring that is cut at a time, or a joint that becomes stiff."""
        make, time = self.make, self.scales.time
        when = time * make.uniform(0.1, 0.8)
        kind, joint = self.joints[-1]
        if make.chance(0.5) or kind not in ("spherical", "universal", "revolute"):
            spring = self._spring()
            make(self.model.add_event, when=when, do=fm.Switch(off=spring), name="cut")
            return
        weld = make(self.model.weld, joint.a, joint.b, name="clutch")
        make(self.model.switch_off, weld)
        make(self.model.add_event, when=when, do=fm.Switch(on=weld, off=joint), name="catch")

    def _crossing(self) -> None:
        """A spring that is cut where the last body crosses a height; the event may never come."""
        make, scales = self.make, self.scales
        spring = self._spring()
        name = f"link{len(self.bodies) - 1}.{'z' if self.space else 'y'}"
        height = float(self.bodies[-1].frame.position[-1]) - scales.length * make.uniform(0.05, 0.3)
        when = make(fm.crossing, name, height, "down")
        make(self.model.add_event, when=when, do=fm.Switch(off=spring), once=True, name="falls")

    def _loss(self) -> dict[str, float]:
        """What impacts lose: a part at one speed, or nothing."""
        if self.make.chance(0.5):
            return {"damping": 0.0}
        return {"restitution": self.make.uniform(0.3, 0.9), "impact_speed": self.scales.length / self.scales.time}

    def _stop(self) -> None:
        """A rope from the ground to the last body."""
        make, scales = self.make, self.scales
        place = self._attached(self.bodies[-1], "rope", 0.3)
        post = make(self.model.ground.attach, "nail", self._far(place))
        length = float(np.linalg.norm(np.asarray(place.position) - np.asarray(post.position)))
        law: dict[str, Any] = {"stiffness": scales.force / scales.length**1.5 * make.power(1.5, 3.5)}
        law |= self._loss()
        make(self.model.distance_stop, post, place, upper=length * make.uniform(1.02, 1.3), **law)

    def _contact(self) -> None:
        """A floor below the last body, which is round."""
        make, scales = self.make, self.scales
        body = self.bodies[-1]
        radius = 0.1 * scales.length
        depth = scales.length * make.uniform(0.15, 0.6)
        floor = np.asarray(body.frame.position) - depth * np.eye(3 if self.space else 2)[-1]
        ground = make(self.model.ground.attach, "floor", tuple(floor))
        law: dict[str, Any] = {"stiffness": scales.force / scales.length**1.5 * make.power(3.5, 5)}
        law |= self._loss()
        plane, ball = (fm.HalfSpace("z"), fm.Sphere) if self.space else (fm.HalfPlane("y"), fm.Disk)
        make(self.model.contact, ground, body.frame, plane, ball(radius=radius), **law)

    def _wheel(self) -> None:
        """A wheel on the last body: in space a rotor of its own, in the plane the rotor of a motor."""
        make, scales = self.make, self.scales
        inertia = scales.mass * scales.length**2 * make.power(-3, -1)
        if self.space:
            own = {"mass": 0.1 * scales.mass, "inertia": inertia, "transverse": 0.6 * inertia}
            speed = make.uniform(-10.0, 10.0) / scales.time
            driven = {"torque": 0.05 * scales.torque, "friction": 0.05 * scales.torque * scales.time}
            seat = self._attached(self.bodies[-1], "axle", 0.3)
            driven = driven if make.chance(0.5) else {}
            make(self.model.add_wheel, "wheel", seat, **own, axis=tuple(self._direction()), speed=speed, **driven)
        else:
            kind, joint = self.joints[-1]
            if kind == "revolute":
                stiffness = make.choice(None, scales.torque * make.power(1, 3))
                torque = 0.3 * scales.torque * make.uniform(-1, 1)
                own = {"inertia": inertia, "ratio": make.choice(1.0, 5.0), "stiffness": stiffness, "torque": torque}
                make(self.model.motor, joint.a, joint.b, **own)

    def _beam(self) -> None:
        """A beam on the last body, by component modes."""
        make, scales = self.make, self.scales
        size = scales.length * make.uniform(0.5, 1.2)
        per_length = 0.3 * scales.mass / size
        bending = scales.force * size**2 * make.power(0.5, 2)
        turning = per_length * size**2 * 1e-4
        seat = self._attached(self.bodies[-1], "clamp", 0.2)
        end = np.asarray(seat.position) + size * self._direction()
        if self.space:
            own = make(
                fm.spatial.BeamProperties, EA=bending / size**2 * 1e3, EIy=bending, EIz=1.5 * bending, GJ=bending,
                rhoA=per_length, rhoIy=turning, rhoIz=turning,
            )  # fmt: skip
        else:
            own = make(fm.planar.BeamProperties, EA=bending / size**2 * 1e3, EI=bending, rhoA=per_length, rhoI=turning)
        self.stiff = True
        beam = make(self.model.add_beam, "rod", tuple(seat.position), tuple(end), properties=own, modes=1)
        make(self.model.weld, seat, beam.start)
