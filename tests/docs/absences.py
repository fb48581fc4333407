"""What pages say that there is not, or is refused, each with a snippet that shows it.

Each snippet is a function that fails where the program has what a page says that it has not;
:mod:`tests.docs.test_absences` says for which sentences they stand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb import control
from flexmb.formulations import FlexArm

STEEL = fm.Material(density=7850, youngs_modulus=205e9, poissons_ratio=0.3, thermal_expansion=1.2e-5)
ROUND = fm.Circle(diameter=0.02)
STICKS = fm.JointFriction(0.1, radius=0.01, smoothing=0)
FRICTION = fm.JointFriction(0.1, radius=0.01, length=0.1)


def refused(ask: Callable[[], Any], *words: str) -> None:
    """What is asked for is refused, by a message with these words."""
    with pytest.raises(fm.FlexmbError) as error:
        ask()
    assert all(word in str(error.value) for word in words), str(error.value)


def nowhere(*words: str) -> Callable[[], None]:
    """A snippet: no public name has one of these words in it."""

    def snippet() -> None:
        models = (fm.PlanarModel, fm.SpatialModel, fm.Tree, fm.TreeDynamics, fm.View, fm.Solution)
        rooms = (fm, fm.control, fm.bodies, fm.planar, fm.spatial, fm.formulations, *models)
        names = {name.lower() for room in rooms for name in dir(room) if not name.startswith("_")}
        assert not [name for name in names for word in words if word in name]

    return snippet


def pendulum(**joint: Any) -> tuple[fm.PlanarModel, Any]:
    """A rod on a hinge, with a torque that may be commanded."""
    model = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    rod = model.add_body("rod", mass=1.0, inertia=0.1, position=(0.5, 0))
    model.revolute(model.ground, rod.attach("top", (-0.5, 0)), name="hinge", **joint)
    model.point_torque(rod.frame, 0.0, name="motor")
    return model, rod


def swing(**joint: Any) -> tuple[fm.SpatialModel, Any, Any]:
    """A rod on a hinge in space, with a torque in it that may be commanded."""
    model = fm.SpatialModel("swing", gravity=(0, 0, -9.81))
    rod = model.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    hinge = model.revolute(model.ground, rod.attach("top", (-0.5, 0, 0)), axis="y", name="hinge", **joint)
    model.joint_force(hinge, 0.0, name="motor")
    return model, rod, hinge


def sampled(model: Any, sensor: Any, command: Any = "motor", law: Any = ((0.0,),), period: float = 0.01) -> Any:
    """The model, with a controller."""
    model.add_controller("servo", period=period, sensors=sensor, commands=command, law=law)
    return model


def jet(**tank: Any) -> fm.SpatialModel:
    """A body with a jet that is open, of a tank if its mass is given."""
    model = fm.SpatialModel("craft")
    hull = model.add_body("hull", mass=20.0, inertia=(80, 80, 1))
    given = {"tank": model.add_tank("fuel", hull.frame, **tank), "exhaust": 2000.0} if tank else {}
    model.thruster(hull.frame, 40.0, control.Reference(1.0), opens=0.5, axis="z", name="jet", **given)
    return model


def door(mass: float = 20.0, **joints: Any) -> fm.SpatialModel:
    """A door on two hinges."""
    model = fm.SpatialModel("house", gravity=(0, 0, -9.81))
    leaf = model.add_body("door", mass=mass, inertia=(5.0, 0.6, 5.0), position=(0.4, 0, 1.0))
    for name, z in (("low hinge", 0.3), ("high hinge", 1.7)):
        seat = model.ground.attach(f"seat of {name}", (0, 0, z))
        model.revolute(seat, leaf.frame.attach(f"eye of {name}", (-0.4, 0, z - 1.0)), axis="z", name=name, **joints)
    return model


def sensitivity(build: Callable[[float], Any], final: str) -> Any:
    return fm.sensitivity(build, {"parameter": 1.0}, 0.01, final=final, step=1e-3)


def beam(theory: str, **given: Any) -> Any:
    """A beam in space of a theory, 1 m long unless it has an axis."""
    model = fm.SpatialModel("beam")
    end = () if "axis" in given else ((1, 0, 0),)
    return model.add_beam("beam", model.ground, *end, **{"material": STEEL, "section": ROUND, **given}, theory=theory)


def motions_that_jump() -> None:
    def along(model: Any) -> Any:
        return fm.linearize(fm.simulate(model, 0.2, tolerance=1e-7), along=True)

    refused(lambda: along(pendulum()[0]).floquet(), "no period", "the state changes by")
    model, rod = pendulum()
    refused(lambda: along(sampled(model, control.RelativeRate(model.ground, rod.frame))), "controllers 'servo'")
    refused(lambda: along(jet()), "thruster 'jet'")
    model, rod = pendulum()
    model.add_event(0.1, fm.Switch(off=model.torsion_spring(model.ground, rod.frame, stiffness=1.0)))
    refused(lambda: along(model), "event 'event 1'")
    jumping, rod = pendulum()
    jumping.python_force(rod.frame, lambda t, place, rate: (0.0, 0.0, 1.0 if place[2] > -0.1 else 0.0))
    refused(lambda: along(jumping), "a force jumps")


def bases_on_rails() -> None:
    model = fm.SpatialModel("cart")
    cart = model.add_body("cart", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.prismatic(model.ground, cart.frame, axis="x", name="rail")
    refused(lambda: fm.formulation(model, "hooker-1970"), "'rail' breaks what it assumes, that the base shifts freely")


def flex_arms() -> None:
    boom = fm.spatial.ArmLink("boom", material=STEEL, section=fm.Tube(outer_diameter=0.06, inner_diameter=0.05))

    def flex(kinds: str = "RR", also: Callable[[Any], Any] = lambda arm: None) -> Any:
        arm = fm.denavit_hartenberg([[0, 0.5, 0, 0.5 * math.pi], [0, 0, 1.2, 0]], links=[None, boom], kinds=kinds)
        for joint in arm.moving:
            arm.drive(joint.name, fm.SmoothStep(0.0, 0.8, 0.0, 0.8))
        also(arm)
        return FlexArm(arm, servos=math.inf)

    flex()
    refused(lambda: flex("PR"), "Prismatic")
    refused(lambda: flex(also=lambda arm: arm.point_force(arm.links["tool"], (0, 0, -1.0))), "PointForce")
    switched = lambda arm: arm.add_event(0.1, fm.Switch(off=arm.point_force(arm.links["tool"], (0, 0, 1.0))))  # noqa: E731
    refused(lambda: flex(also=switched), "event 'event 1'")
    weight = lambda arm: arm.point_force(arm.links["tool"], (0, 0, 1.0), factor=0.0)  # noqa: E731
    refused(lambda: flex(also=lambda arm: sampled(arm, control.Reference(1.0), weight(arm))), "'servo'")


def jets() -> None:
    model = jet()
    model.add_event(0.1, fm.Switch(off="jet"))
    refused(lambda: fm.simulate(model, 0.2), "valve moves by its law alone")
    rocket = jet(mass=80.0, inertia=(60, 60, 4))
    for analysis in (fm.equilibrium, fm.modes, fm.complex_modes, lambda model: fm.kinematics(model, 1.0, steps=2)):
        refused(lambda analysis=analysis: analysis(rocket), "tank 'fuel'")
    refused(
        lambda: sensitivity(lambda parameter: jet(mass=80.0 * parameter, inertia=(60, 60, 4)), "hull.z"),
        "thruster 'jet'",
    )


def joint_friction() -> None:
    with pytest.warns(fm.errors.RedundancyWarning):
        refused(lambda: fm.simulate(door(friction=FRICTION), 0.1), "which is not determined")
    stuck, _ = pendulum(friction=STICKS)
    for analysis in (fm.equilibrium, fm.modes, lambda model: fm.linearize(model, "motor", "rod.angle")):
        refused(lambda analysis=analysis: analysis(stuck), "truly sticks")


def states() -> None:
    lag = control.transfer_function([1.0], [0.05, 1.0])
    model, rod = pendulum()
    model.add_states("lag", lag, sensors=control.RelativeRate(model.ground, rod.frame), commands="motor")
    for analysis in (fm.equilibrium, fm.modes):
        refused(lambda analysis=analysis: analysis(model), "states 'lag'")
    turn = control.Gyro

    def read(sensor: Callable[[Any, Any, Any], Any]) -> Any:
        whole, rod, hinge = swing()
        whole.add_states("lag", lag, sensors=sensor(whole, rod, hinge), commands="motor")
        return fm.simulate(whole, 0.01)

    assert read(lambda model, rod, hinge: turn(rod.frame, "z")).status == "finished"
    for sensor in (
        lambda model, rod, hinge: turn(rod.frame, "z", noise=0.1),
        lambda model, rod, hinge: turn(rod.frame, "z", resolution=0.1),
        lambda model, rod, hinge: control.Accelerometer(rod.frame, "x"),
        lambda model, rod, hinge: control.LoadCell(hinge, "x"),
        lambda model, rod, hinge: control.WeightedSum([turn(rod.frame, "z")], [1.0]),
        lambda model, rod, hinge: control.AttitudeAngle(rod.frame, "ZYX", 1),
        lambda model, rod, hinge: control.WholeSensor(model, "force.x"),
        lambda model, rod, hinge: control.NamedQuantity(model, "whole.zmp.x"),
        lambda model, rod, hinge: control.JointAngle(hinge),
    ):
        refused(lambda sensor=sensor: read(sensor), "states")
    assert read(lambda model, rod, hinge: control.WholeSensor(model, "mass")).status == "finished"


def arm(also: Callable[[Any, Any], Any] = lambda model, rod: None, **joints: Any) -> tuple[fm.PlanarModel, Any]:
    """Two rods, outstretched, with motors."""
    model = fm.PlanarModel("arm")
    at = model.ground
    for k in range(2):
        rod = model.add_body(f"rod {k}", mass=1.0, inertia=0.1, position=(k + 0.5, 0))
        model.joint_force(model.revolute(at, rod.attach(f"a{k}", (-0.5, 0)), **joints), 0.0)
        at = rod.attach(f"b{k}", (0.5, 0))
    also(model, rod.frame)
    return model, at


def slow_sampling() -> None:
    def swinging(damping: float, reach: float) -> Any:
        A = [[0.0, 1.0], [-400.0, -damping]]
        return control.kalman(fm.LinearModel(A, [[0.0], [reach]], [[1.0, 0.0]], [[0.0]]), np.eye(2), 1e-4, 0.5)

    refused(lambda: swinging(0.0, 1.0), "too long for modes", "3.18 Hz")
    assert len(swinging(30.0, 1.0).poles) == len(swinging(0.1, 0.0).poles) == 2


def inverse_dynamics() -> None:
    gains = control.Gains.of(10.0)
    loaded, _ = arm(lambda model, rod: model.point_force(rod, (1.0, 0.0)))
    refused(lambda: control.ComputedTorque(loaded, [0.0, 0.0], gains), "load 'point_force 1'")
    for spring in ({"stiffness": 1.0}, {"stiffness": 0.0, "damping": 1.0}):
        held, _ = arm(lambda model, rod, spring=spring: model.torsion_spring(model.ground, rod, **spring))
        refused(lambda held=held: control.ComputedTorque(held, [0.0, 0.0], gains), "spring 'torsion_spring 1'")
    refused(lambda: control.ComputedTorque(arm(friction=FRICTION)[0], [0.0, 0.0], gains), "friction")
    model, hand = arm()
    refused(lambda: control.OperationalSpace(model, hand, [2.0, 0.0], gains, rotation=0.0), "3 rows", "2 joints")
    task = lambda **given: control.OperationalSpace(model, hand, [2.0, 0.0], gains, **given)  # noqa: E731
    refused(lambda: task().drives(np.zeros(2), np.zeros(2), 0.0), "singular", "smallest singular value is 0")
    assert np.all(np.isfinite(task(damped=True).drives(np.zeros(2), np.zeros(2), 0.0)))


def events() -> None:
    def with_event(crossing: fm.Crossing, also: Callable[[Any, Any], Any] = lambda model, rod: None) -> fm.PlanarModel:
        model, rod = pendulum()
        also(model, rod)
        model.add_event(crossing, fm.StopRun())
        return model

    ahead, down = fm.crossing("rod.angle", 0.0, "up"), fm.crossing("rod.angle", -1.0, "down")
    refused(lambda: fm.simulate(with_event(ahead, lambda _, rod: rod.move(angular_velocity=1.0)), 0.1), "at the start")
    model = with_event(down)
    rest = fm.equilibrium(model)
    assert abs(rest["rod.angle"] + 0.5 * math.pi) < 1e-6  # beyond the crossing
    assert len(fm.modes(rest)) == 1 and len(fm.linearize(rest, "motor", "rod.angle")) == 2
    driven = with_event(down, lambda model, rod: model.drive_angle(model.ground, rod.frame, fm.SmoothStep(0, 1, 0, -2)))
    assert fm.kinematics(driven, 1.0, steps=4).status == "finished"
    refused(lambda: sensitivity(lambda parameter: with_event(down), "rod.angle"), "event 'event 1'")
    beam_model = beam("cms").model
    for model, name in ((pendulum()[0], "rod"), (beam_model, "beam")):
        model.add_event(0.05, fm.Switch(off=name))
        refused(lambda model=model: fm.simulate(model, 0.1), "cannot be switched off")


def methods() -> None:
    refused(lambda: fm.simulate(pendulum()[0], 0.1, "auto"), "there is no method 'auto'")
    refused(lambda: fm.simulate(pendulum()[0], 0.1, "newmark", step=1e-3), "not above half of gamma")
    refused(lambda: fm.simulate(pendulum()[0], 0.1, step=1e-3, spectral_radius=1.0), "spectral_radius")


def going_on() -> None:
    def servo(**given: Any) -> fm.PlanarModel:
        model, rod = pendulum()
        return sampled(model, control.RelativeRate(model.ground, rod.frame), **given)

    first = fm.simulate(servo(), 0.1)
    refused(lambda: fm.simulate(servo(period=0.02), 0.2, initial=first, t_start=0.1), "another period")
    law = lambda t, y: [0.0]  # noqa: E731
    first = fm.simulate(servo(law=law), 0.1)
    with pytest.warns(fm.errors.AccuracyWarning, match="whether that remembers"):
        assert not fm.simulate(servo(law=law), 0.2, initial=first, t_start=0.1).trustworthy


def gaps() -> None:
    model, rod = pendulum()
    far = model.add_body("far", mass=1.0, inertia=0.1, position=(5, 5))
    model.revolute(rod.attach("end", (0.5, 0)), far.frame)
    for ask in (lambda: fm.simulate(model, 0.1), lambda: fm.formulation(model), lambda: fm.TreeDynamics(model)):
        refused(ask, "more than a tenth")
    assert fm.Tree.of(model).system.model is model


def strained_starts() -> None:
    clamped = beam("cms")
    clamped.model.revolute(clamped.model.ground.attach("wall", (1.01, 0, 0)), clamped.end, axis="y")
    refused(lambda: fm.simulate(clamped.model, 1e-4), "flexible bodies strained by")


def attraction() -> None:
    def orbit(*other: Callable[[Any], Any]) -> fm.SpatialModel:
        model = fm.SpatialModel("orbit")
        hull = model.add_body("hull", mass=10.0, inertia=(1.0, 1.5, 0.8), position=(100.0, 0.0, 0.0))
        hull.move((0.0, 1.0, 0.0))
        model.gravity_gradient(hull, 100.0)
        for add in other:
            add(model)
        return model

    assert fm.simulate(orbit(), 0.1).status == "finished"
    refused(lambda: fm.simulate(orbit(lambda m: m.add_body("part", mass=1.0, inertia=(1, 1, 1))), 0.1), "'part'")
    refused(lambda: fm.simulate(orbit(lambda m: m.add_tank("fuel", m.frames["hull"], 2.0)), 0.1), "'fuel'")


def turns() -> None:
    model = fm.SpatialModel("spinning")
    wheel = model.add_body("wheel", mass=1.0, inertia=(1, 1, 1))
    model.revolute(model.ground, wheel.frame, axis="z", name="axle")
    wheel.move(angular_velocity=(0, 0, 100.0))
    model.torsion_spring(model.ground, wheel.frame, stiffness=0.0, damping=1.0, axis="z")
    refused(lambda: fm.simulate(model, 3.0, times=[0.0, 1.5, 3.0])["axle.angle"], "how many turns", "count_turns=True")


def redundant_rows() -> None:
    refused(lambda: fm.simulate(door(), 0.1, redundant="error"), "joint 'high hinge'")
    model, rod = pendulum()
    for rate in (1.0, 2.0):
        model.drive_angle(model.ground, rod.frame, fm.Polynomial([0, rate]))
    with pytest.warns(fm.errors.RedundancyWarning):
        refused(lambda: fm.simulate(model, 0.1), "contradicts the others")


def derivatives() -> None:
    with pytest.warns(fm.errors.RedundancyWarning):
        refused(lambda: sensitivity(lambda parameter: door(parameter), "low hinge.fz"), "does not determine")
    servo = lambda joint: sampled(pendulum(friction=joint)[0], control.Reference(1.0))  # noqa: E731
    for build, final, word in (
        (lambda parameter: jet(), "hull.z", "thruster 'jet'"),
        (lambda parameter: heap(), "ball 0.z", "contact_among 1"),
        (lambda parameter: pendulum(friction=STICKS)[0], "rod.angle", "truly sticks"),
        (lambda parameter: servo(FRICTION), "rod.angle", "friction"),
    ):
        refused(lambda build=build, final=final: sensitivity(build, final), word)
    assert np.all(np.isfinite(sensitivity(lambda parameter: pendulum(friction=FRICTION)[0], "rod.angle").matrix))


def derivatives_at_events() -> None:
    """A stone that just reaches a height, at which a force is switched on."""

    def thrown(height: float) -> fm.PlanarModel:
        model = fm.PlanarModel("thrown", gravity=(0, -10.0))
        stone = model.add_body("stone", mass=1.0, inertia=1.0)
        stone.move((0.0, 2.0))
        wind = model.point_force(stone.frame, (1.0, 0.0), factor=1.0, name="wind")
        model.switch_off(wind)
        model.add_event(fm.crossing("stone.y", height, "up"), fm.Switch(on=wind), name="top", once=True)
        return model

    refused(lambda: fm.sensitivity(thrown, {"height": 0.1995}, 1.0, final="stone.x"), "event 'top' touches its value")
    with pytest.warns(fm.errors.AccuracyWarning, match="event 'top' is about to turn back"):
        fm.sensitivity(thrown, {"height": 0.197}, 1.0, final="stone.x")


def heap() -> fm.SpatialModel:
    """Two balls that may touch."""
    model = fm.SpatialModel("heap", gravity=(0, 0, -9.81))
    ball, frames = fm.Sphere(diameter=0.02), []
    for k in range(2):
        frames.append(model.add_body(f"ball {k}", shape=ball, density=2500, position=(0, 0, 0.021 * k)).frame)
    model.contact_among(frames, ball, stiffness=1e5, damping=0.5)
    return model


def heaps() -> None:
    for given in ({"method": "radau"}, {"method": "independent"}, {"method": "dop853", "formulation": "aba"}):
        refused(lambda given=given: fm.simulate(heap(), 0.01, **given), "contact_among 1")


def rolling() -> None:
    def disk(*inertia: float) -> fm.SpatialModel:
        model = fm.SpatialModel("disk", gravity=(0, 0, -9.81))
        body = model.add_body("disk", mass=1.0, inertia=inertia, position=(0, 0, 0.5))
        model.rolling_wheel(model.ground, body.frame, 0.5, axle="y")
        body.move(velocity=(1.3, 0, 0), angular_velocity=(0, 2.6, 0))
        return model

    def steady(model: fm.SpatialModel) -> fm.LinearModel:
        return fm.linearize(model, "disk.mx", "disk.wz", steady=True)

    assert len(steady(disk(0.1, 0.15, 0.1))) == 4
    refused(lambda: steady(disk(0.1, 0.15, 0.08)), "no constant coefficients", "they differ by")
    for analysis in (fm.equilibrium, fm.modes):
        refused(lambda analysis=analysis: analysis(disk(0.1, 0.15, 0.1)), "constrains speeds and no positions")


def learning() -> None:
    def env(model: fm.PlanarModel) -> Any:
        return fm.environments.Env(
            fm.environments.Task(
                model=model, commands={"motor": (-1, 1)}, observations=["hinge.angle"], period=0.1, duration=1.0,
                reward=lambda now: now.t, method="rkf45",
            )
        )  # fmt: skip

    model = pendulum()[0]
    model.add_event(0.5, fm.Note())
    refused(lambda: env(model), "events", "flexmb.Simulator")
    lazy, rod = pendulum()
    lazy.point_torque(rod.frame, 0.0, name="brake")
    law = fm.control.PythonLaw(lambda t, y: -y)
    sensor = fm.control.NamedQuantity(lazy, "hinge.rate")
    lazy.add_controller("brake", period=0.01, sensors=sensor, commands="brake", law=law)
    refused(lambda: env(lazy), "Python", "flexmb.Simulator")
    refused(lambda: env(pendulum(friction=STICKS)[0]), "flexmb.Simulator")
    env(pendulum()[0])
