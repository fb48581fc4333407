"""Beams of the plane in planes of space that are turned at random: they must bend and move as before."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.registry import Check, case

SEED = 15
GRAVITY = (1.0, -9.81)
EA, EI, RHO_A = 2e4, 6.0, 0.8
#: what the plane knows nothing of
EIy, GJ = 9.0, 4.0


class Plane:
    """Verbs of the plane. The same verbs in a plane of space are those of :class:`PlaneOfSpace`."""

    def __init__(self, gravity: tuple[float, float]) -> None:
        self.model: Any = fm.PlanarModel("beams", gravity=gravity)
        self.ground: Any = self.model.ground

    def frame(self, base: Any, name: str, place: tuple[float, float]) -> Any:
        """A frame at a place of the axes of a frame or body."""
        return base.attach(name, place)

    def body(self, name: str, mass: float, inertia: float, place: tuple[float, float] = (0.0, 0.0)) -> Any:
        """A body at a place."""
        return self.model.add_body(name, mass=mass, inertia=inertia, position=place)

    def on(self, frame: Any, name: str, mass: float, inertia: float) -> None:
        """A body on a frame."""
        self.model.add_body(name, mass=mass, inertia=inertia, frame=frame)

    def beam(self, name: str, start: Any, end: Any, **options: Any) -> Any:
        """A beam between frames or places."""
        given = fm.planar.BeamProperties(EA=EA, EI=EI, rhoA=RHO_A)
        return self.model.add_beam(name, start, end, properties=given, **options)

    def hinge(self, a: Any, b: Any, name: str) -> None:
        """A hinge."""
        self.model.revolute(a, b, name=name)

    def guide(self, a: Any, b: Any, name: str) -> None:
        """A guide along x."""
        self.model.prismatic(a, b, name=name)

    def drive(self, a: Any, b: Any, law: Any) -> None:
        """A driven angle."""
        self.model.drive_angle(a, b, law, name="motor")

    def force(self, frame: Any, force: tuple[float, float], follower: bool = False) -> None:
        """A force."""
        self.model.point_force(frame, force, axes="body" if follower else "ground", name="push")

    def torque(self, frame: Any, torque: float) -> None:
        """A torque."""
        self.model.point_torque(frame, torque, name="turn")

    def load(self, beam: Any, density: Any) -> None:
        """A load along a beam, from its start to its end."""
        self.model.add(fm.planar.DistributedLoad(beam, line_load=density, name="load"))

    def throw(self, velocity: tuple[float, float], spin: float) -> None:
        """All moves as one rigid body."""
        self.model.set_rigid_motion(velocity, spin)

    def turn_end(self, beam: Any, more: float) -> None:
        """The end of a beam turns faster."""
        beam.end.node.angular_velocity += more

    def places(self, answer: Any, name: str) -> np.ndarray:
        """The places of a frame (k, 2), in the axes of the plane."""
        return np.atleast_2d(answer[name].position)

    def angles(self, answer: Any, name: str) -> np.ndarray:
        """The angles of a frame (k,)."""
        return np.atleast_1d(answer[name].angle)


class PlaneOfSpace(Plane):
    """The same verbs in the plane x–y of axes that stand at `shift` (3,) and are turned by `turn`."""

    def __init__(self, gravity: tuple[float, float], turn: Rotation, shift: np.ndarray) -> None:
        self.turn, self.shift = turn, shift
        self.model = fm.SpatialModel("beams", gravity=turn.apply([*gravity, 0.0]))
        self.ground = self.model.ground.attach("plane", shift, turn)

    def _at(self, place: Any) -> Any:
        return self.turn.apply([*place, 0.0]) + self.shift if isinstance(place, tuple) else place

    def frame(self, base: Any, name: str, place: tuple[float, float]) -> Any:
        return base.attach(name, (*place, 0.0))

    def body(self, name: str, mass: float, inertia: float, place: tuple[float, float] = (0.0, 0.0)) -> Any:
        inertias = inertia * np.array([0.6, 0.5, 1.0])
        return self.model.add_body(
            name, mass=mass, inertia=inertias, position=self._at(place), orientation=self.turn
        )  # fmt: skip

    def on(self, frame: Any, name: str, mass: float, inertia: float) -> None:
        self.model.add_body(name, mass=mass, inertia=inertia * np.array([0.6, 0.5, 1.0]), frame=frame)

    def beam(self, name: str, start: Any, end: Any, **options: Any) -> Any:
        given = fm.spatial.BeamProperties(EA=EA, EIy=EIy, EIz=EI, GJ=GJ, rhoA=RHO_A, rhoIp=1e-3)
        y = np.cross(self.turn.apply([0.0, 0.0, 1.0]), self._place(end) - self._place(start))
        return self.model.add_beam(name, self._at(start), self._at(end), properties=given, y_axis=y, **options)

    def _place(self, end: Any) -> np.ndarray:
        return np.asarray(self._at(end) if isinstance(end, tuple) else end.position)

    def hinge(self, a: Any, b: Any, name: str) -> None:
        self.model.revolute(a, b, axis="z", name=name)

    def guide(self, a: Any, b: Any, name: str) -> None:
        self.model.prismatic(a, b, axis="x", name=name)

    def drive(self, a: Any, b: Any, law: Any) -> None:
        self.model.drive_angle(a, b, law, axis="z", name="motor")

    def force(self, frame: Any, force: tuple[float, float], follower: bool = False) -> None:
        vector = np.array([*force, 0.0])
        axes, given = ("body", vector) if follower else ("ground", self.turn.apply(vector))
        self.model.point_force(frame, given, axes=axes, name="push")

    def torque(self, frame: Any, torque: float) -> None:
        self.model.point_torque(frame, (0.0, 0.0, torque), axes="body", name="turn")

    def load(self, beam: Any, density: Any) -> None:
        rows = [self.turn.apply([*row, 0.0]) for row in density]
        self.model.distributed_load(beam, rows, name="load")

    def throw(self, velocity: tuple[float, float], spin: float) -> None:
        velocities = self.turn.apply([*velocity, 0.0]), self.turn.apply([0.0, 0.0, spin])
        self.model.set_rigid_motion(*velocities, about=self.shift)

    def turn_end(self, beam: Any, more: float) -> None:
        beam.end.node.angular_velocity = beam.end.node.angular_velocity + self.turn.apply([0.0, 0.0, more])

    def places(self, answer: Any, name: str) -> np.ndarray:
        found = np.atleast_2d(answer[name].position)
        flat = self.turn.inv().apply(found - self.shift)
        assert np.max(np.abs(flat[:, 2])) < 1e-9  # it remains in its plane
        return np.asarray(flat[:, :2])

    def angles(self, answer: Any, name: str) -> np.ndarray:
        orientation = answer[name].orientation
        turns = (self.turn.inv() * orientation).as_rotvec()
        return np.atleast_1d(turns[..., 2])


def pendulum(plane: Plane, **options: Any) -> list[str]:
    """A beam on a hinge with a body on its end and a follower force inside."""
    beam = plane.beam("beam", (0.0, 0.0), (1.2, 0.3), **options)
    plane.hinge(plane.ground, beam.start, "hinge")
    plane.on(beam.end, "bob", 0.5, 0.02)
    plane.force(beam.at(0.4), (0.3, -2.0), follower=True)
    return ["beam.end", beam.at(0.4).name]


def driven(plane: Plane, **options: Any) -> list[str]:
    """A beam that a hub spins up, with a torque on its end."""
    beam = plane.beam("beam", (0.0, 0.0), (1.0, 0.0), **options)
    plane.hinge(plane.ground, beam.start, "hub")
    plane.drive(plane.ground, beam.start, fm.SpinUp(6.0, 0.5))
    plane.torque(beam.end, 0.4)
    return ["beam.end"]


def crank(plane: Plane, **options: Any) -> list[str]:
    """A slider-crank with a flexible rod, thrown by its crank."""
    disk = plane.body("disk", 1.0, 0.1)
    plane.hinge(plane.ground, disk.frame, "bearing")
    pin = plane.frame(disk, "pin", (0.2, 0.0))
    slider = plane.body("slider", 0.5, 0.1, (1.0, 0.0))
    rod = plane.beam("rod", (0.2, 0.0), (1.0, 0.0), **options)
    plane.hinge(pin, rod.start, "crank pin")
    plane.hinge(slider.frame, rod.end, "slider pin")
    plane.guide(plane.ground, slider.frame, "guide")
    plane.torque(disk.frame, 1.5)
    return ["slider", "rod.end"]


def thrown(plane: Plane, **options: Any) -> list[str]:
    """A free beam that spins while its end turns faster."""
    beam = plane.beam("beam", (0.0, 0.0), (1.0, 0.0), **options)
    plane.throw((3.0, 1.0), 8.0)
    plane.turn_end(beam, 2.0)
    return ["beam.start", "beam.end"]


def cantilever(plane: Plane, **options: Any) -> list[str]:
    """A cantilever under its weight, a load along it and a force on its end."""
    beam = plane.beam("beam", plane.ground, (1.0, 0.0), **options)
    plane.load(beam, ((1.0, -3.0), (2.0, 5.0)))
    plane.force(beam.end, (-2.0, 4.0))
    return ["beam.end"]


CMS: dict[str, Any] = {"theory": "cms", "modes": 2}
#: mechanism, options of its beam, damping
MOVING: dict[str, tuple[Callable[..., list[str]], dict[str, Any]]] = {
    "pendulum, 2 elements": (pendulum, {**CMS, "elements": 2, "axial_modes": 1, "damping": 1e-3}),
    "spun up, 'second_order'": (driven, CMS),
    "spun up, 'mean'": (driven, {**CMS, "axial": "mean"}),
    "spun up, 'chord'": (driven, {**CMS, "axial": "chord"}),
    "spun up, floating": (driven, {"theory": "floating", "modes": 3}),
    "slider-crank": (crank, {**CMS, "modes": 1}),
    "thrown": (thrown, {**CMS, "modes": 3}),
}
#: options of each method, of 0.5 s in all; the largest difference and its cause
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "generalized_alpha": ({"step": 2e-3, "newton_tolerance": 1e-12}, 1e-9, "Newton's tolerance, 250 steps"),
    "radau": ({"tolerance": 1e-8}, 1e-9, "the same steps, Newton's tolerance"),
}


def pair(build: Callable[..., list[str]], number: int, **options: Any) -> tuple[Plane, Plane, list[str]]:
    """A mechanism in the plane and in one of space, and the names of the frames that are compared."""
    rng = np.random.default_rng(SEED + number)
    damping = options.pop("damping", None)
    if damping:
        options["damping"] = fm.StiffnessProportional(damping)
    flat = Plane(GRAVITY)
    deep = PlaneOfSpace(GRAVITY, Rotation.random(random_state=rng), rng.uniform(-1.0, 1.0, 3))
    names = build(flat, **options)
    if build(deep, **options) != names:
        raise AssertionError("frames have the same names in plane and space")
    return flat, deep, names


def apart(flat: Plane, deep: Plane, names: list[str], answers: tuple[Any, Any]) -> tuple[float, float]:
    """The largest differences of places [m] and angles [rad] in two answers."""
    places, angles = [], []
    for name in names:
        places.append(np.max(np.abs(flat.places(answers[0], name) - deep.places(answers[1], name))))
        off = flat.angles(answers[0], name) - deep.angles(answers[1], name)
        angles.append(np.max(np.abs(np.angle(np.exp(1j * off)))))
    return float(max(places)), float(max(angles))


@case("tilted-beams", draw=lambda: pair(driven, 5, **CMS)[1].model)
def compute() -> Iterator[Check]:
    """beams of the plane in planes of space: motions, rest, modes and interior forces as in the plane"""
    source, what = "the model of the plane, in the same way", ("a place [m]", "an angle [rad]")
    times = np.linspace(0.0, 0.5, 11)
    for k, (name, (build, options)) in enumerate(MOVING.items()):
        for method, (more, allowed, why) in METHODS.items():
            flat, deep, names = pair(build, k, **options)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of redundant rows of hinges, and of beams that bend far
                runs = [fm.simulate(x.model, 0.5, method, times=times, progress=False, **more) for x in (flat, deep)]
            for kind, off in zip(what, apart(flat, deep, names, (runs[0], runs[1]))):
                yield Check(f"{name}, {method}: largest difference of {kind}", off, 0.0, allowed, source, why)
    for k, axial in enumerate(("second_order", "mean", "chord")):
        flat, deep, names = pair(cantilever, 20 + k, **CMS, elements=2, axial=axial)
        rests = fm.equilibrium(flat.model), fm.equilibrium(deep.model)
        for kind, off in zip(what, apart(flat, deep, names, rests)):
            yield Check(f"cantilever, '{axial}', at rest: difference of {kind}", off, 0.0, 1e-9, source, "Newton's")
        planar, all_of_it = (
            np.asarray(fm.modes(rest, fm.System(x.model).n).frequencies) for rest, x in zip(rests, (flat, deep))
        )
        nearest = np.array([all_of_it[np.argmin(np.abs(all_of_it - f))] for f in planar])
        off = float(np.max(np.abs(nearest / planar - 1.0)))
        about = f"cantilever, '{axial}': frequencies about rest, largest relative difference"
        yield Check(about, off, 0.0, 1e-10, source, "solvers of eigenvalues")
