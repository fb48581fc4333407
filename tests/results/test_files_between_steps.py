"""What a file gives between the steps of a run is what the run gives: pairs of features, by every method."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError, ResultFileError
from tests.models.modal_bodies import blob, flat_blob
from tests.models.tops import top

END, SWITCHED = 0.12, 0.053
LAW: dict[str, Any] = {"stiffness": 2e4, "restitution": 0.6, "impact_speed": 1.0}
METHODS: dict[str, dict[str, Any]] = {
    "generalized_alpha": {},
    "radau": {},
    "independent radau": {"integrator": "radau"},
    "cvode": {},
    "dop853": {},
    "rkf45": {"tolerance": 1e-6},
    "rkf45 fixed": {"step": 2e-4},
    "projection": {"tolerance": 1e-6},
    "baumgarte": {"tolerance": 1e-6},
    "rosenbrock": {"tolerance": 1e-6},
}
#: methods that run with joint coordinates, too
IN_JOINTS = ("generalized_alpha", "radau", "independent radau", "dop853", "rkf45")
FEATURES = ("drive", "wheel", "gear", "contact", "stop", "switch", "sticking", "event", "controller", "beam")
PAIRS = list(combinations(FEATURES, 2))


class Plane:
    """A mechanism in the plane of parts that know nothing of each other, a method for each feature."""

    def __init__(self, sticks: bool) -> None:
        self.m = m = fm.PlanarModel("some", gravity=(0, -9.81))
        self.bar, self.hinge = self.pendulum("bar", 0.0, friction=fm.JointFriction(0.3, radius=0.3, smoothing=0.0))
        if not sticks:
            self.hinge.friction = None
        m.add_event(fm.crossing("bar.y", 1.0), fm.Note(), name="never")

    def pendulum(self, name: str, y: float, **options: Any) -> Any:
        body = self.m.add_body(name, mass=1.0, inertia=0.1, position=(0.5, y))
        pivot = self.m.ground.attach(f"{name} pivot", (0, y))
        return body, self.m.revolute(pivot, body.attach("pivot", (-0.5, 0)), name=f"{name} hinge", **options)

    def drive(self) -> None:
        body, _ = self.pendulum("driven", -3.0)
        self.m.drive_angle(self.m.ground, body.frame, fm.Harmonic(0.8, 6.0), name="drive")

    def wheel(self) -> None:
        disk = self.m.add_body("disk", mass=0.5, inertia=0.01, position=(0.0, 3.1))
        disk.frame.move((0.5, 0), -5.0)
        self.m.rolling_on_line(self.m.ground.attach("track", (0, 3.0)), disk.frame, 0.1, name="roll")

    def gear(self) -> None:
        wheels = []
        for k, speed in enumerate((7.0, -3.5)):
            wheels.append(self.m.add_body(f"wheel {k}", mass=1.0, inertia=0.1, position=(-2.0 - 0.5 * k, 0)))
            self.m.revolute(self.m.ground.attach(f"axle {k}", (-2.0 - 0.5 * k, 0)), wheels[k].frame)
            wheels[k].frame.move((0, 0), speed)
        self.m.gear(wheels[0].frame, wheels[1].frame, ratio=-0.5, name="gear")

    def contact(self) -> None:
        ball = self.m.add_body("ball", mass=1.0, inertia=0.01, position=(2.0, 0.12))
        ball.frame.move((1.0, 0), 3.0)
        self.m.contact(
            self.m.ground, ball.frame, fm.HalfPlane(), fm.Disk(diameter=0.1), friction=0.3, name="touch", **LAW
        )

    def stop(self) -> None:
        _, hinge = self.pendulum("stopped", 5.0)
        self.m.joint_stop(hinge, lower=-0.03, name="stop", **LAW)

    def switch(self) -> None:
        stone = self.m.add_body("stone", mass=0.3, inertia=0.01, position=(-5.0, 0.0))
        stone.frame.move((0.2, 0.0))
        self.m.switch_off(self.m.weld(self.m.ground, stone.frame, name="hook"))
        self.m.add_event(SWITCHED, fm.Switch(on="hook"), name="catch")

    def sticking(self) -> None:
        """Its hinge has friction that truly sticks."""

    def event(self) -> None:
        self.m.add_event(fm.crossing("stone.y" if "stone" in self.m.frames else "bar.y", -0.03), fm.Note(), name="low")

    def controller(self) -> None:
        self.m.point_torque(self.bar.frame, 0.0, name="motor")
        angle = fm.control.RelativeAngle(self.m.ground, self.m.frames["bar.pivot"])
        self.m.add_controller("servo", period=0.03, sensors=angle, commands="motor", law=[[-30.0]])

    def beam(self) -> None:
        properties = fm.planar.BeamProperties(EA=1e3, EI=3.0, rhoA=0.6)
        rod = self.m.add_beam("rod", (0, -6), (1, -6), properties=properties, theory="cms")
        self.m.revolute(self.m.ground.attach("root", (0, -6)), rod.start, name="root hinge")


class Space(Plane):
    """The same in space, with a top."""

    def __init__(self, sticks: bool) -> None:
        self.m: Any = top()
        friction = fm.JointFriction(0.3, radius=0.3, length=0.3, smoothing=0.0) if sticks else None
        self.bar, self.hinge = self.pendulum("bar", 8.0, friction=friction)

    def pendulum(self, name: str, y: float, **options: Any) -> Any:
        body = self.m.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, y, 0))
        pivot = self.m.ground.attach(f"{name} pivot", (0, y, 0))
        own = body.attach("pivot", (-0.5, 0, 0))
        return body, self.m.revolute(pivot, own, axis=(0, -1, 0), name=f"{name} hinge", **options)

    def drive(self) -> None:
        _, hinge = self.pendulum("driven", -3.0)
        self.m.drive_angle(hinge.a, hinge.b, fm.Harmonic(0.8, 6.0), axis=(0, -1, 0), name="drive")

    def wheel(self) -> None:
        disk = self.m.add_body("disk", mass=0.5, inertia=(0.01, 0.01, 0.01), position=(0, 3.0, 0.1))
        disk.frame.move((0.5, 0, 0), (0, 5.0, 0.3))
        self.m.rolling_wheel(self.m.ground, disk.frame, 0.1, name="roll")

    def gear(self) -> None:
        wheels = []
        for k, speed in enumerate((7.0, -3.5)):
            place = (-2.0 - 0.5 * k, 0, 0)
            wheels.append(self.m.add_body(f"wheel {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=place))
            self.m.revolute(self.m.ground.attach(f"axle {k}", place), wheels[k].frame)
            wheels[k].frame.move((0, 0, 0), (0, 0, speed))
        self.m.gear(wheels[0].frame, wheels[1].frame, -0.5, carrier=self.m.ground, carrier_b=self.m.ground, name="gear")

    def contact(self) -> None:
        ball = self.m.add_body("ball", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(2.0, 0, 0.12))
        ball.frame.move((1.0, 0.2, 0), (3.0, 1.0, 0))
        self.m.contact(
            self.m.ground, ball.frame, fm.HalfSpace(), fm.Sphere(diameter=0.1), friction=0.3, name="touch", **LAW
        )

    def switch(self) -> None:
        stone = self.m.add_body("stone", mass=0.3, inertia=(0.01, 0.02, 0.03), position=(-5.0, 0, 0))
        stone.frame.move((0.2, 0, 0), (3.0, 1.0, 2.0))
        self.m.switch_off(self.m.weld(self.m.ground, stone.frame, name="hook"))
        self.m.add_event(SWITCHED, fm.Switch(on="hook"), name="catch")

    def event(self) -> None:
        self.m.add_event(fm.crossing("bar.z", -0.03), fm.Note(), name="low")

    def controller(self) -> None:
        self.m.point_torque(self.bar.frame, (0.0, -1.0, 0.0), factor=0.0, name="motor")
        angle = fm.control.JointAngle(self.hinge)
        self.m.add_controller("servo", period=0.03, sensors=angle, commands="motor", law=[[-30.0]])

    def beam(self) -> None:
        steel = fm.Material(density=785, youngs_modulus=5e6)
        rod = self.m.add_beam(
            "rod",
            (0, 0, -6),
            (1, 0, -6),
            material=steel,
            section=fm.Tube(outer_diameter=0.03, inner_diameter=0.025),
            modes=1,
        )
        self.m.revolute(self.m.ground.attach("root", (0, 0, -6)), rod.start, axis="y", name="root hinge")


def run(side: type[Plane], pair: tuple[str, ...], method: str, in_joints: bool) -> fm.Solution:
    parts = side("sticking" in pair)
    for feature in pair:
        getattr(parts, feature)()
    options = METHODS[method] | ({"formulation": "aba"} if in_joints else {})
    name = "independent" if method == "cvode" else method.split()[0]
    return fm.simulate(parts.m, END, name, progress=False, **options)


def assert_same_between(solution: fm.Solution, kept: fm.Solution) -> None:
    span = solution.t[-1] - solution.t[0]
    times = solution.t[0] + span * np.sort(np.append(np.random.default_rng(7).uniform(size=23), [0.0, 0.5, 1.0]))
    own, other = solution.at(times), kept.at(times)
    for what, rounding in (("q", 1e-13), ("v", 1e-11), ("a", 1e-9), ("multipliers", 1e-9)):  # of steps made again
        mine, theirs = getattr(own, what), getattr(other, what)
        np.testing.assert_allclose(theirs, mine, rtol=0, atol=rounding * max(1.0, np.max(np.abs(mine))), err_msg=what)
    for name in (*own.layout.frames, *own.layout.spatial):
        np.testing.assert_allclose(other[name].position, own[name].position, rtol=0, atol=1e-12)
        np.testing.assert_allclose(other[name].velocity, own[name].velocity, rtol=0, atol=1e-10)
    for name in own.layout.pairs:
        np.testing.assert_array_equal(other.is_on(name), own.is_on(name))
    for name in own.layout.beams:  # a file interpolates the points of beams themselves
        np.testing.assert_allclose(other[f"{name}@0.5"].position, own[f"{name}@0.5"].position, rtol=0, atol=1e-7)


@pytest.mark.filterwarnings("ignore::flexmb.errors.AccuracyWarning")  # of the energy of so short a motion
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("side", [Plane, Space])
def test_a_file_has_between_steps_what_the_run_has(side, method, tmp_path):
    sampled = method not in ("cvode", "projection", "baumgarte")
    number = list(METHODS).index(method) + (4 if side is Space else 0)
    own = PAIRS[number % len(METHODS) :: len(METHODS)]
    for k, pair in enumerate(own):
        pair = pair if sampled else tuple(x for x in pair if x != "controller")
        solution = run(side, pair, method, method in IN_JOINTS and k % 2 == 1)
        assert solution.status == "finished", (pair, solution.message)
        assert_same_between(solution, fm.load(solution.save(tmp_path / "run.h5")))


@pytest.fixture
def falling() -> fm.Solution:
    model = Space(sticks=False)
    model.beam()
    return fm.simulate(model.m, 0.02, "dop853", progress=False)


def test_files_without_states_inside_of_steps_have_polynomials(falling, tmp_path):
    whole, small = (falling.save(tmp_path / f"{inside}.h5", between_steps=inside) for inside in (True, False))
    assert small.stat().st_size < 0.3 * whole.stat().st_size
    assert_same_between(falling, fm.load(fm.load(whole).save(tmp_path / "again.h5")))
    kept, between = fm.load(small), 0.5 * (falling.t[1:] + falling.t[:-1])
    np.testing.assert_array_equal(kept.q, falling.q)
    np.testing.assert_allclose(kept.at(between).q, falling.at(between).q, rtol=0, atol=1e-5)
    with pytest.raises(ModelError, match="between_steps"):
        falling.save(small, between_steps="no")


def test_points_of_beams_and_forces_are_those_of_the_run(falling, tmp_path):
    """To the accuracy of the polynomials through nodes, at eighth order."""
    between = 0.3 * falling.t[1:] + 0.7 * falling.t[:-1]
    own, kept = falling.at(between), fm.load(falling.save(tmp_path / "run.h5")).at(between)
    for x, y in zip(own.reaction("root hinge"), kept.reaction("root hinge")):
        np.testing.assert_allclose(y, x, rtol=0, atol=1e-6 * np.max(np.abs(x)))
    np.testing.assert_allclose(kept["rod@0.5"].acceleration, own["rod@0.5"].acceleration, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(kept["rod@0.5.bending_moment_y"], own["rod@0.5.bending_moment_y"], atol=1e-6)


def test_commands_are_held_again_inside_of_steps():
    """J α = u − m g l cos θ, with the commands u of the log: behind each instant, too, where accelerations jump."""
    parts = Plane(sticks=False)
    parts.controller()
    times = np.linspace(0.001, 0.119, 96)
    run = fm.simulate(parts.m, END, "dop853", progress=False).at(times)
    torque = run.control["servo"].at("motor", times) - 9.81 * 0.5 * np.cos(run["bar"].angle)
    np.testing.assert_allclose(run["bar"].angular_acceleration, torque / 0.35, rtol=0, atol=1e-9)


def test_damaged_states_inside_of_steps_are_refused(falling, tmp_path):
    import h5py

    from flexmb.results.store import head

    for name, value in (("steps", 10**6), ("panels", 0), ("panels", 10**9)):
        path = falling.save(tmp_path / "run.h5")
        with h5py.File(path, "r+") as file:
            file[f"inside/{name}"][0] = value
        with open(path, "r+b") as file:
            head.seal(file, path.stat().st_size)
        with pytest.raises(ResultFileError, match="inside"):
            fm.load(path)


@pytest.mark.parametrize("method", ["generalized_alpha", "rkf45"])
@pytest.mark.parametrize("make", [blob, flat_blob])
def test_interfaces_on_which_nothing_stands_are_in_a_file(make, method, tmp_path):
    body = make(amplitudes=(0.2, -0.3, 0.1))
    body.at("a").enter()
    run = fm.simulate(body.model, 0.3, method, tolerance=1e-6, progress=False)
    once = fm.load(run.save(tmp_path / "once.h5"))
    twice = fm.load(once.save(tmp_path / "twice.h5"))
    times = np.linspace(0.0, 0.3, 37)
    for again in (once, twice):
        for name in ("blob.a", "blob.b"):
            assert np.array_equal(again[name].position, run[name].position)
            assert np.array_equal(again[name + ".ax"], run[name + ".ax"])
            assert np.allclose(again.at(times)[name].velocity, run.at(times)[name].velocity, rtol=0, atol=1e-7)
