"""Sensors in space read the same in the compiled loops, through a solution, and to first order in a linear model; and
what closed forms say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import ModelError


def chain() -> tuple[fm.SpatialModel, list[fm.control.Sensor]]:
    """A body on an oblique hinge, another one in a sleeve on it, a third that flies; and sensors of every kind."""
    m = fm.SpatialModel("arm", gravity=(0.3, 0.2, -9.81))
    turned = fm.rotation_vector((0.1, 0.2, 0.3))
    a = m.add_body("a", mass=2.0, inertia=(0.1, 0.2, 0.15), position=(0.5, 0, 0), orientation=turned)
    root = a.frame.attach("root", (-0.5, 0, 0), fm.rotation_vector((0.3, -0.2, 0.1)))
    foot = m.ground.attach("foot", root.position, fm.rotation_vector((0.5, 0.1, 0)))
    hinge = m.revolute(foot, root, axis=(1, 0.5, 0.2), name="hinge")
    tip = a.frame.attach("tip", (0.4, 0, 0.1))
    b = m.add_body("b", mass=1.0, inertia=(0.05, 0.02, 0.04), position=tip.position + [0.3, 0, 0])
    sleeve = m.cylindrical(tip, b.frame.attach("end b", (-0.3, 0, 0)), axis=(0, 1, 0.3), name="sleeve")
    m.bushing(a.frame, b.frame, stiffness=(200.0,) * 3 + (5.0,) * 3, damping=(0.5,) * 6)
    c = m.add_body("c", mass=0.5, inertia=(0.01, 0.02, 0.015), position=(2, 1, 0.5))
    c.move((0.2, 0.3, 3.0), (3.0, 9.0, -5.0))
    m.point_torque(a.frame, (0, 0, 1.0), name="pull")
    end = b.frame.attach("end", (0.2, 0.1, 0.05), fm.rotation_vector((0.3, 0.4, 0.5)))
    way = {"reference": [fm.Polynomial(x) for x in ([0.1, 0.2], [0.0, 0.1], [0.2, -0.3])]}
    places = Rotation.from_rotvec([[0, 0, 0], [0.3, 0.1, 0.2], [0.5, 0.1, 0.6]])
    spline = {"reference": places, "times": [0, 0.2, 0.5]}
    sensors: list[fm.control.Sensor] = []
    for axis in ("x", "z", (0, 0.6, 0.8)):
        sensors += [fm.control.Gyro(end, axis), fm.control.Accelerometer(end, axis), fm.control.Speedometer(end, axis)]
        sensors += [fm.control.AttitudeError(end, axis), fm.control.AttitudeError(c.frame, axis, against=end, **way)]
        sensors += [fm.control.AttitudeRate(end, axis, against=c.frame, sequence="ZYX", **way)]
        sensors += [fm.control.AttitudeRate(b.frame, axis, **spline)]
    sensors += [fm.control.Accelerometer(root, "y", with_gravity=True)]
    sensors += [fm.control.StarTracker(c.frame, k) for k in range(4)]
    sensors += [fm.control.AttitudeAngle(frame, "ZYX", k) for k in (1, 2, 3) for frame in (c.frame, end)]
    sensors += [fm.control.AttitudeAngle(c.frame, "xyz", 3, against=end)]
    sensors += [
        fm.control.JointAngle(hinge),
        fm.control.JointRate(hinge),
        fm.control.JointAngle(sleeve),
        fm.control.JointRate(sleeve),
    ]
    sensors += [fm.control.JointPosition(sleeve), fm.control.JointSpeed(sleeve), fm.control.RangeFinder(m.ground, end)]
    sensors += [fm.control.RangeRate(c.frame, end)]
    sensors += [fm.control.LoadCell(hinge, axis) for axis in "xyz"] + [
        fm.control.TorqueMeter(hinge, axis) for axis in "xy"
    ]
    sensors += [fm.control.LoadCell(sleeve, (0.6, 0, 0.8)), fm.control.TorqueMeter(sleeve, "y")]
    return m, sensors


@pytest.mark.parametrize(("method", "options"), [("generalized_alpha", {"step": 1e-3}), ("radau", {}), ("dop853", {})])
def test_the_loops_read_what_a_solution_shows(method, options):
    m, sensors = chain()
    m.add_controller("log", period=0.01, sensors=sensors, commands="pull", law=np.zeros((1, len(sensors))))
    solution = fm.simulate(m, 0.5, method, progress=False, **options)
    log = solution.control["log"]
    at = np.searchsorted(solution.t, log.t - 1e-9)
    for k, sensor in enumerate(sensors):
        seen = sensor.readings(solution)[at]
        size = np.abs(seen).max()
        np.testing.assert_allclose(log.y[1:, k], seen[1:], rtol=0, atol=1e-9 * size, err_msg=sensor.name)
        assert np.ptp(seen) > 1e-3 * size


def test_linear_models_follow_small_changes_of_readings():
    m, sensors = chain()
    sensors = [
        x for x in sensors if not isinstance(x, fm.control.AttitudeRate)
    ]  # those of no velocity depend on no position
    state = fm.simulate(m, 0.2, step=1e-3, progress=False)
    linear = fm.linearize(state, "pull", sensors, steady=False)
    h, speeds = 1e-6, np.random.default_rng(0).normal(size=linear.positions.shape[1])
    system, (q, v) = linear.state.system, (linear.state.q, linear.state.v)
    ends = []
    for sign in (1.0, -1.0):
        x = sign * h * speeds
        moved = _state(linear.state, system.retract(q, linear.positions @ x), v + linear.speeds @ x)
        moved = fm.simulate(m, 0.2 + 1e-9, step=1e-9, t_start=0.2, initial=moved, progress=False)
        ends.append(np.array([sensor.readings(moved)[0] for sensor in sensors]))
    slope = (ends[0] - ends[1]) / (2.0 * h)
    expected = linear.C @ speeds
    np.testing.assert_allclose(expected, slope, rtol=0, atol=2e-5 * np.abs(expected).max())


def _state(state, q, v):
    from flexmb.solvers.start.initial import consistent_state

    system = state.system
    q, v, a, lam, _, _ = consistent_state(system, state.t, q, v, of_model=False)
    return fm.State(system, state.t, q[: system.nq], v[: system.n], a[: system.n], lam)


def test_closed_forms():
    m = fm.SpatialModel("drum", gravity=(0, 0, -10.0))
    drum = m.add_body("drum", mass=2.0, inertia=(0.1, 0.1, 0.2))
    hinge = m.revolute(m.ground, drum.frame, axis="z", name="hinge")
    rim = drum.attach("rim", (0.3, 0.4, 0.0))
    drum.move(angular_velocity=(0, 0, 3.0))
    turns = fm.simulate(m, 2.0, step=0.01, progress=False)
    t = turns.t

    def near(sensor, expected):
        np.testing.assert_allclose(sensor.readings(turns), np.broadcast_to(expected, t.shape), rtol=0, atol=1e-8)

    near(fm.control.Gyro(rim), 3.0)
    near(fm.control.Accelerometer(rim, (-0.6, -0.8, 0)), 9.0 * 0.5)  # towards the axis
    near(fm.control.Accelerometer(rim, "z", with_gravity=True), 10.0)
    near(fm.control.Speedometer(rim, (-0.8, 0.6, 0)), 3.0 * 0.5)
    near(fm.control.JointAngle(hinge), 3.0 * t)
    near(fm.control.JointRate(hinge), 3.0)
    near(fm.control.LoadCell(hinge, "z"), 20.0)
    near(fm.control.LoadCell(hinge, "x"), 0.0)
    near(fm.control.RangeFinder(m.ground, rim), 0.5)
    near(fm.control.AttitudeAngle(rim, "ZYX", 1), 3.0 * t)
    near(fm.control.StarTracker(rim, 3), np.sin(1.5 * t))
    near(fm.control.AttitudeError(rim), np.angle(np.exp(3j * t)))
    near(fm.control.AttitudeRate(rim, reference=(0.0, 0.0, fm.Polynomial([0.0, 1.0]))), 2.0)


@pytest.mark.warns(fm.errors.AccuracyWarning, "the estimated error of its motion")
def test_turns_that_readings_leave_in_doubt_end_the_run():
    m = fm.SpatialModel("fan")
    wheel = m.add_body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2))
    hinge = m.revolute(m.ground, wheel.frame, axis="z", name="hinge")
    m.torsion_spring(m.ground, wheel.frame, axis="z", stiffness=10.0)  # 7.07 rad/s
    wheel.move(angular_velocity=(0, 0, 50.0))
    pull = m.point_torque(wheel.frame, (0, 0, 0.0), name="pull")
    read = [fm.control.JointAngle(hinge)]
    m.add_controller("rare", period=1.0, sensors=read, commands=pull, law=[[0.0]])
    with pytest.warns(fm.errors.DivergenceWarning, match="turns of the angle of hinge are in doubt: in a period"):
        run = fm.simulate(m, 20.0, step=0.01, progress=False)
    assert run.status != "finished"
    m.controllers["rare"].period = 0.05
    often = fm.simulate(m, 5.0, step=0.01, progress=False)
    log = often.control["rare"]
    seen = read[0].readings(often)[np.searchsorted(often.t, log.t - 1e-9)]
    np.testing.assert_allclose(log.y[:, 0], seen, rtol=0, atol=1e-9)
    assert log.y[:, 0].max() > 6.9 and log.y[:, 0].min() < -6.9


@pytest.mark.parametrize("attitude", [False, True])
def test_an_angle_that_agrees_with_its_rates_by_chance_is_in_doubt(attitude):
    m = fm.SpatialModel("fan")
    wheel = m.add_body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2))
    hinge = m.revolute(m.ground, wheel.frame, axis="z", name="hinge")
    m.torsion_spring(m.ground, wheel.frame, axis="z", stiffness=10.0)  # 9/8 of a period in each of the controller
    wheel.move(angular_velocity=(0, 0, 16.0))
    pull = m.point_torque(wheel.frame, (0, 0, 0.0), name="pull")
    read = fm.control.AttitudeAngle(wheel.frame, "ZYX", 1) if attitude else fm.control.JointAngle(hinge)
    m.add_controller("rare", period=1.0, sensors=[read], commands=pull, law=[[0.0]])
    with pytest.warns(fm.errors.DivergenceWarning, match="in doubt"):
        assert fm.simulate(m, 20.0, step=0.01, progress=False).status != "finished"


def test_a_universal_joint_has_two_angles():
    m = fm.SpatialModel("shafts")
    a = m.add_body("a", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b = m.add_body("b", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.revolute(m.ground, a.frame, axis="z")
    cross = m.universal(a.frame, b.frame, axis="x", axis_b="y", name="cross")
    b.move(angular_velocity=(0.5, 0.2, 0))
    pull = m.point_torque(a.frame, (0, 0, 0.1), name="pull")
    with pytest.raises(ModelError, match="joint 'cross' has several: angle1, angle2; say which, coordinate="):
        fm.control.JointAngle(cross)
    read = [x(cross, f"angle{k}") for x in (fm.control.JointAngle, fm.control.JointRate) for k in (1, 2)]
    m.add_controller("log", period=0.01, sensors=read, commands=pull, law=np.zeros((1, 4)))
    run = fm.simulate(m, 1.0, step=0.01, progress=False)
    seen = np.column_stack([sensor.readings(run)[:-1] for sensor in read])
    np.testing.assert_allclose(run.control["log"].y, seen, rtol=0, atol=1e-9)
    assert np.all(np.ptp(seen, axis=0) > 1e-2)


def test_events_count_the_turns_of_a_sensor():
    m = fm.SpatialModel("fan")
    wheel = m.add_body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2))
    hinge = m.revolute(m.ground, wheel.frame, axis="z", name="hinge")
    wheel.move(angular_velocity=(0, 0, 5.0))
    m.add_event(fm.crossing(fm.control.JointAngle(hinge), 8.0), fm.StopRun(), name="there")
    run = fm.simulate(m, 5.0, progress=False)
    assert [round(event.t, 6) for event in run.events] == [1.6]


def test_events_count_the_turns_of_an_euler_angle():
    m = fm.SpatialModel("ship")
    hull = m.add_body("hull", mass=1.0, inertia=(0.1, 0.2, 0.2))
    hull.move(angular_velocity=(0, 5.0, 0))
    roll = fm.control.AttitudeAngle(hull.frame, "YXZ", 1)
    pitch = fm.control.AttitudeAngle(hull.frame, "ZYX", 2)  # beyond a quarter of a turn, too
    for sensor, value in ((roll, 8.0), (roll, 0.5), (pitch, 2.0), (pitch, 6.0)):
        m.add_event(fm.crossing(sensor, value), fm.Note(), name=f"{sensor.sequence} at {value}")
    run = fm.simulate(m, 2.0, progress=False)
    assert [(event.name, round(event.t, 6)) for event in run.events] == [
        ("YXZ at 0.5", 0.1), ("ZYX at 2.0", 0.4), ("ZYX at 6.0", 1.2), ("YXZ at 8.0", 1.6)
    ]  # fmt: skip


@pytest.mark.warns(fm.errors.RedundancyWarning, "joints constrain the same motion")
def test_a_load_cell_refuses_a_joint_that_is_switched_on_beside_its_own():
    m = fm.SpatialModel("scale", gravity=(0, 0, -10.0))
    load = m.add_body("load", mass=2.0, inertia=(1, 1, 1))
    cell, other = (m.weld(m.ground, load.frame, name=name) for name in ("cell", "other"))
    motor = m.point_torque(load.frame, (0, 0, 1.0), factor=0.0, name="motor")
    m.switch_off(other)
    sensors = [fm.control.LoadCell(cell, "z")]
    m.add_controller("reader", period=0.01, sensors=sensors, commands=motor, law=[[0.0]])
    assert fm.simulate(m, 0.05, progress=False).control["reader"].y[-1] == pytest.approx([20.0])
    m.add_event(0.035, fm.Switch(on=other))
    with pytest.raises(fm.errors.SwitchingError, match="does not determine the force of joint 'cell'"):
        fm.simulate(m, 0.05, progress=False)


def test_events_refuse_an_euler_angle_that_is_not_determined():
    m = fm.SpatialModel("ship")
    hull = m.add_body("hull", mass=1.0, inertia=(0.1, 0.2, 0.2))
    hull.move(angular_velocity=(0, 2.5 * np.pi, 0))
    m.add_event(fm.crossing(fm.control.AttitudeAngle(hull.frame, "ZYX", 1), 0.5), fm.Note())
    with pytest.raises(fm.errors.SolverError, match=r"Euler angle ZYX1 of hull is not determined at t = 0\.2 s"):
        fm.simulate(m, 1.0, step=0.1, progress=False)
    m.add_event(fm.crossing(fm.control.AttitudeAngle(hull.frame, "ZXZ", 1), 0.5), fm.Note())
    with pytest.raises(fm.errors.SolverError, match="Euler angle ZXZ1 of hull is not determined at t = 0 s"):
        fm.simulate(m, 1.0, progress=False)


@pytest.mark.parametrize(
    ("sensor", "message"),
    [
        (
            lambda w: fm.control.RelativeAngle(w.m.ground, w.body.frame),
            "measures in the plane only; in space take JointAngle",
        ),
        (lambda w: fm.control.RelativeRate(w.m.ground, w.body.frame), r"in space take JointRate\(joint\) or Gyro"),
        (lambda w: fm.control.Gyro(w.body.frame, "w"), "axis is 'w'; give 'x', 'y', 'z'"),
        (lambda w: fm.control.Gyro(w.flat.frame, "x"), "is in the plane, where turns are about z; leave out axis='x'"),
        (lambda w: fm.control.Accelerometer(w.body.frame, (0, 0, 0)), "direction has no direction"),
        (lambda w: fm.control.Speedometer(w.body.frame, "x", with_gravity=True), "a velocity has no gravity in it"),
        (lambda w: fm.control.AttitudeError(w.flat.frame), "is in the plane, where one angle says"),
        (lambda w: fm.control.AttitudeError(w.m.ground, "x"), "are parts of one body"),
        (lambda w: fm.control.AttitudeError(w.body.frame, reference=(1, 0, 0, 0)), "is 4 functions of time"),
        (lambda w: fm.control.StarTracker(w.body.frame, 4), "number is 4"),
        (lambda w: fm.control.AttitudeAngle(w.body.frame, "ZZX", 1), "turns about one axis twice"),
        (lambda w: fm.control.AttitudeAngle(w.body.frame, "ZYX", 0), "number is 0"),
        (lambda w: fm.control.JointAngle(w.rail), r"has other coordinates \(position\); take JointPosition"),
        (lambda w: fm.control.JointPosition(w.hinge), r"has other coordinates \(angle\); take JointAngle"),
        (
            lambda w: fm.control.JointAngle(w.ball),
            r"take JointPosition\(joint\), or AttitudeError\(b, axis, against=a\)",
        ),
        (lambda w: fm.control.JointAngle(w.spring), "is no joint with a coordinate; take AttitudeError"),
        (lambda w: fm.control.LoadCell(w.body), "is not between two frames"),
        (lambda w: fm.control.RangeFinder(w.body.frame, w.body.attach("side")), "are parts of the same body"),
        (lambda w: fm.control.TorqueMeter(w.flat_hinge, "x"), "is in the plane, where moments are about z"),
    ],
)
def test_wrong_sensors_are_refused(workshop, sensor, message):
    with pytest.raises(ModelError, match=message):
        sensor(workshop)


class Workshop:
    def __init__(self) -> None:
        self.m = fm.SpatialModel("m")
        self.body, other, third, last = (
            self.m.add_body(name, mass=1.0, inertia=(1, 1, 1), position=(k, 0, 0)) for k, name in enumerate("abcd")
        )
        self.hinge = self.m.revolute(self.m.ground, self.body.frame)
        self.rail = self.m.prismatic(self.m.ground, other.frame)
        self.ball = self.m.spherical(self.m.ground, third.frame)
        self.spring = self.m.spring_damper(self.m.ground, last.frame, stiffness=1.0, free_length=3.0)
        plane = fm.PlanarModel("plane")
        self.flat = plane.add_body("flat", mass=1.0, inertia=1.0)
        self.flat_hinge = plane.revolute(plane.ground, self.flat.frame)


@pytest.fixture
def workshop() -> Workshop:
    return Workshop()


@pytest.mark.warns(fm.errors.RedundancyWarning, "joints constrain the same motion")
def test_forces_that_are_not_determined_are_refused():
    m = fm.SpatialModel("door")
    door = m.add_body("door", mass=10.0, inertia=(1, 1, 1))
    hinges = [m.revolute(m.ground.attach(f"g{z}", (0, 0, z)), door.frame.attach(f"d{z}", (0, 0, z))) for z in (0, 1)]
    push = m.point_torque(door.frame, (0, 0, 1.0), name="push")
    m.add_controller("c", period=0.1, sensors=fm.control.LoadCell(hinges[0], "x"), commands=push, law=[[0.0]])
    with pytest.raises(ModelError, match="the motion does not determine the force of joint 'revolute 1'"):
        fm.simulate(m, 1.0, progress=False)


def test_forces_and_distances_in_the_plane():
    m = fm.PlanarModel("crane", gravity=(0, -10.0))
    boom = m.add_body("boom", mass=2.0, inertia=0.5, position=(1.0, 0))
    hinge = m.revolute(m.ground, boom.attach("root", (-1.0, 0)), name="hinge")
    load = m.add_body("load", mass=1.0, inertia=0.1, position=(2.0, 0.5), angle=0.3)
    slide = m.prismatic(boom.attach("tip", (1.0, 0.5)), load.frame, name="slide")
    m.bushing(boom.frame, load.frame, stiffness=(100.0, 0, 0))
    pull = m.point_torque(boom.frame, 1.0, name="pull")
    read = [
        fm.control.LoadCell(hinge, 0.4),
        fm.control.LoadCell(slide, 0.5 * np.pi),
        fm.control.TorqueMeter(slide),
        fm.control.Gyro(boom.frame),
    ]
    read += [
        fm.control.RangeFinder(m.ground, load.frame),
        fm.control.RangeRate(m.ground, load.attach("hook", (0.1, 0.2))),
    ]
    m.add_controller("log", period=0.01, sensors=read, commands=pull, law=np.zeros((1, len(read))))
    run = fm.simulate(m, 0.5, "radau", times=np.arange(0.0, 0.505, 0.01), progress=False)
    seen = np.column_stack([sensor.readings(run)[:-1] for sensor in read])
    size = np.abs(seen).max(axis=0)
    assert np.abs((run.control["log"].y - seen)[1:] / size).max() < 1e-6
    assert np.all(np.ptp(seen, axis=0) > 1e-2 * size)
