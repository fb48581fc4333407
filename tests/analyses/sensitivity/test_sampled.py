"""Sensitivities through sampled controllers, in the plane and in space, against differences of whole runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmb as fm

SATELLITE = {"inertia": 1.0, "stiff": 0.4, "damp": 0.8, "angle": 0.5, "target": 0.2}
SEEN = ["hull.e2", "hull.wx", "hull.alpha_z", "wheel x.rotor rate"]
END, STEP = 0.6, 0.01


def satellite(
    inertia: float, stiff: float, damp: float, angle: float, target: float, *, integral: float = 0.0,
    delay: float = 0.0, limits: Any = None, on_ball: bool = False, shaken: float = 0.0, noise: float = 0.0
) -> fm.SpatialModel:  # fmt: skip
    """A satellite, free or on a ball joint, whose wheels follow a moving reference; a slower controller has a jet."""
    m = fm.SpatialModel("satellite", gravity=(0, 0, -1.0) if on_ball else (0, 0, 0))
    start = fm.rotation_vector((angle, -0.4, 0.7))
    foot = np.array([0.1, 0.05, -0.2])
    place = -start.apply(foot) if on_ball else np.zeros(3)
    hull = m.add_body("hull", mass=5.0, inertia=(inertia, 0.8, 1.2), orientation=start, position=place)
    if on_ball:
        m.spherical(m.ground, hull.frame.attach("foot", foot))
    for axis in "xyz":
        m.add_wheel(f"wheel {axis}", hull.frame, inertia=0.01, axis=axis, torque=0.0, speed=30.0)
    m.point_torque(hull.frame, (0.0, 0, 1.0), axes="body", factor=0.0, name="jet")
    wanted = (fm.Polynomial([0.0, target]), 0.0, fm.Harmonic(target, 2.0))
    sensors: list[fm.control.Sensor] = [
        fm.control.AttitudeError(hull.frame, x, reference=wanted, noise=noise) for x in "xyz"
    ]
    sensors += [fm.control.Gyro(hull.frame, axis) for axis in "xyz"]
    gain = np.hstack([stiff * np.eye(3), damp * np.eye(3)])
    if shaken:
        sensors.append(fm.control.Accelerometer(hull.frame.attach("imu", (0.3, 0.2, 0.1)), "y", with_gravity=True))
        gain = np.hstack([gain, [[0.05 * shaken], [0.02], [0.0]]])
    law: Any = gain
    if integral:
        law = fm.control.LinearLaw(np.eye(3), 0.05 * np.eye(3, len(gain[0])), integral * np.eye(3), gain)
    wheels = [f"wheel {axis}" for axis in "xyz"]
    m.add_controller("wheels", period=0.05, sensors=sensors, commands=wheels, law=law, delay=delay, limits=limits)
    jets = [[-0.1 * damp]]
    m.add_controller("jets", period=0.1, sensors=fm.control.Gyro(hull.frame, "z"), commands="jet", law=jets, delay=0.02)
    return m


def differences(
    build: Callable[..., Any], nominal: dict[str, float], names: list[str], part: float, step: float = STEP
) -> np.ndarray:
    """Differences of fourth order of whole runs, (k, p)."""

    def values(**parameters: float) -> np.ndarray:
        run = fm.simulate(build(**parameters), END, step=step, newton_tolerance=1e-13, progress=False)
        weights = np.full(len(run.t), step)
        weights[[0, -1]] *= 0.5
        return np.array([*(run[name][-1] for name in names), weights @ run[names[0]] ** 2])

    columns = []
    for name, value in nominal.items():
        h = part * value
        ends = [values(**{**nominal, name: value + k * h}) for k in (1, -1, 2, -2)]
        columns.append((8.0 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / (12.0 * h))
    return np.array(columns).T


@pytest.mark.parametrize(
    ("options", "part", "allowed"),
    [
        ({}, 1e-3, 1e-9),
        ({"delay": 0.02, "integral": 0.3, "shaken": 1.0}, 1e-3, 1e-9),
        ({"delay": 0.06, "noise": 0.01}, 1e-3, 1e-9),
        ({"limits": [[-0.1, 0.1]] * 3}, 1e-5, 1e-7),  # corners lie closer than a thousandth
        # kept speeds are exact to order h², and noisy beyond 1e-9
        ({"on_ball": True, "shaken": 1.0, "integral": 0.2}, 3e-3, 5e-5),
    ],
)
def test_both_methods_against_whole_runs(options, part, allowed):
    def build(**parameters: float) -> fm.SpatialModel:
        return satellite(**parameters, **options)

    wanted = {"final": SEEN, "integrals": {"square": (SEEN[0], 2)}, "step": STEP}
    direct = fm.sensitivity(build, SATELLITE, END, **wanted)
    adjoint = fm.sensitivity(build, SATELLITE, END, derivatives="adjoint", **wanted)
    expected = differences(build, SATELLITE, SEEN, part)
    size = np.abs(expected).max(axis=1, keepdims=True)
    assert np.abs((direct.matrix - expected) / size).max() < allowed
    np.testing.assert_allclose(adjoint.matrix / size, direct.matrix / size, rtol=0, atol=1e-9)


def arm(stiffness: float, gain: float, mass: float, **options: Any) -> fm.PlanarModel:
    """A bar on a hinge whose torque is commanded by its angle and the force of the hinge."""
    m = fm.PlanarModel("arm", gravity=(0.0, -9.81))
    bar = m.add_body("bar", mass=mass, inertia=0.1, position=(0.5, 0.0))
    hinge = m.revolute(m.ground, bar.attach("pivot", (-0.5, 0.0)), name="hinge")
    m.torsion_spring(m.ground, bar.frame, stiffness=stiffness, damping=0.05)
    push = m.point_torque(bar.frame, 0.0, name="push")
    sensors = [
        fm.control.RelativeAngle(m.ground, bar.frame),
        fm.control.LoadCell(hinge, 0.3),
        fm.control.Reference(fm.Harmonic(gain, 3.0)),
    ]
    options = {"law": [[-gain, 0.02, 1.0]], "period": 0.05, **options}
    m.add_controller("servo", sensors=sensors, commands=push, **options)
    return m


ARM = {"stiffness": 2.0, "gain": 8.0, "mass": 1.0}


def test_in_the_plane():
    """With joints the kept speeds, from which accelerations jump, are exact to the order h²."""
    names, errors = ["bar.angle", "bar.ax", "hinge.fy"], []
    for step in (STEP, 0.25 * STEP):
        direct, adjoint = (
            fm.sensitivity(arm, ARM, END, final=names, step=step, derivatives=x).matrix for x in ("direct", "adjoint")
        )
        expected = differences(arm, ARM, names, 1e-3, step)[:-1]
        size = np.abs(expected).max(axis=1, keepdims=True)
        np.testing.assert_allclose(adjoint / size, direct / size, rtol=0, atol=1e-9)
        errors.append(np.abs((direct - expected) / size).max())
    assert errors[0] < 2e-4 and errors[1] < errors[0] / 10.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"law": lambda t, y: [0.0]}, "the law of controller 'servo' is PythonLaw, whose derivatives are not known"),
        ({"period": 0.025}, "the period of controller 'servo', 0.025 s, is no whole number of steps of 0.01 s"),
        ({"delay": 0.013}, "the delay of controller 'servo', 0.013 s, is no whole number"),
    ],
)
def test_what_has_no_derivative_is_refused(options, message):
    def build(**parameters: float) -> fm.PlanarModel:
        return arm(**parameters, **options)

    with pytest.raises(fm.errors.ControlError, match=message):
        fm.sensitivity(build, ARM, END, final="bar.angle", step=STEP)


def test_resolutions_and_other_periods_are_refused():
    def coarse(stiffness: float) -> fm.PlanarModel:
        m = arm(stiffness, 8.0, 1.0)
        servo = m.controllers["servo"]
        servo.sensors[0] = fm.control.RelativeAngle(m.ground, m.frame("bar"), resolution=0.01)
        return m

    with pytest.raises(fm.errors.ControlError, match="reads 'angle of bar against ground' in steps of its resolution"):
        fm.sensitivity(coarse, {"stiffness": 2.0}, END, final="bar.angle", step=STEP)

    def later(wait: float) -> fm.PlanarModel:
        return arm(2.0, 8.0, 1.0, delay=wait)

    with pytest.raises(
        fm.errors.ControlError, match="with another 'wait' controller 'servo' has another period, delay"
    ):
        fm.sensitivity(later, {"wait": 0.02}, END, final="bar.angle", step=STEP)


def coin(mass: float, gain: float, speed: float) -> fm.SpatialModel:
    """A disk that rolls ahead, whose spin and acceleration are read."""
    m = fm.SpatialModel("coin", gravity=(0, 0, -9.81))
    disk = m.add_body("disk", shape=fm.Cylinder(diameter=1.0, length=0.05, axis="y"), mass=mass, position=(0, 0, 0.5))
    m.rolling_wheel(m.ground, disk.frame, 0.5, axle="y")
    disk.move(velocity=(0.5 * speed, 0, 0), angular_velocity=(0.1, speed, 0.1))
    push = m.point_torque(disk.frame, (0, 1.0, 0.3), axes="body", factor=0.0, name="push")
    read = [fm.control.Gyro(disk.frame, "y"), fm.control.Accelerometer(disk.frame, "x")]
    m.add_controller("servo", period=0.05, sensors=read, commands=push, law=[[-gain, 0.1 * gain]], delay=0.02)
    return m


@pytest.mark.warns(fm.errors.InitialConditionWarning, "the initial speeds do not fit the joints")
def test_what_rolls():
    nominal, names, errors = {"mass": 1.0, "gain": 0.3, "speed": 4.0}, ["disk.x", "disk.wy", "disk.az"], []
    for step in (STEP, 0.25 * STEP):
        direct, adjoint = (
            fm.sensitivity(coin, nominal, END, final=names, step=step, derivatives=x).matrix
            for x in ("direct", "adjoint")
        )
        expected = differences(coin, nominal, names, 1e-3, step)[:-1]
        size = np.abs(expected).max(axis=1, keepdims=True)
        np.testing.assert_allclose(adjoint / size, direct / size, rtol=0, atol=1e-9)
        errors.append(np.abs((direct - expected) / size).max())
    assert errors[0] < 3e-4 and errors[1] < errors[0] / 10.0


def test_friction_by_the_joints_own_force_with_controllers_is_refused():
    def build(mass: float) -> fm.SpatialModel:
        m = fm.SpatialModel("arm", gravity=(0, 0, -9.81))
        bar = m.add_body("bar", mass=mass, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
        end = bar.attach("end", (-0.5, 0, 0))
        hinge = m.revolute(m.ground, end, axis="y", friction=fm.JointFriction(0.1, radius=0.02), name="hinge")
        push = m.point_torque(bar.frame, (0, 1.0, 0), factor=0.0, name="push")
        m.add_controller("servo", period=0.05, sensors=fm.control.JointRate(hinge), commands=push, law=[[-1.0]])
        return m

    with pytest.raises(fm.errors.ModelError, match="joint 'hinge' has friction by the joint's own force"):
        fm.sensitivity(build, {"mass": 1.0}, END, final="bar.x", step=STEP)
