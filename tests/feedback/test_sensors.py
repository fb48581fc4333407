"""Sensors read the same in the compiled loop, through a solution, and to first order in a linear model."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.quantities.places import InSystem
from flexmb.spatial import SpatialModel


def robot() -> tuple[fm.PlanarModel, list[fm.control.sensors.Sensor]]:
    """A geared link with a flexible one behind it, swinging under gravity."""
    model = fm.PlanarModel("robot", gravity=(0.0, -9.81))
    arm = model.add_body("arm", mass=1.0, inertia=0.1, position=(0.0, 0.0), center=(0.2, 0.0), angle=0.3)
    model.revolute(model.ground, arm.frame, name="shoulder")
    motor = model.motor(model.ground, arm.frame, inertia=1e-3, ratio=20.0, stiffness=500.0, damping=1.0, name="motor")
    elbow = arm.frame.attach("elbow", (0.4, 0.0), 0.2)
    given = fm.planar.BeamProperties(EA=1e5, EI=3.0, rhoA=0.5, outer_fiber=0.004)
    rod = model.add_beam("rod", elbow.position, elbow.position + [0.5, 0.1], properties=given, modes=2)
    model.revolute(elbow, rod.start, name="hinge")
    model.torsion_spring(elbow, rod.start, stiffness=20.0, name="coil")
    model.torsion_spring(model.ground, arm.frame, stiffness=100.0, name="holder")
    turn = {"resolution": 0.0, "noise": 0.0}
    sensors = [
        fm.control.RelativeAngle(elbow, rod.start, **turn),
        fm.control.RelativeRate(elbow, rod.start),
        fm.control.MotorAngle(motor),
        fm.control.MotorRate(motor),
        fm.control.Accelerometer(rod.end, 0.5 * np.pi),
        fm.control.Accelerometer(elbow, 0.4, with_gravity=True),
        fm.control.Speedometer(rod.end, -0.3),
        fm.control.StrainGauge(rod.at(0.3)),
        fm.control.Reference(fm.Harmonic(0.2, 3.0), 1),
    ]
    return model, sensors


def test_the_loop_reads_what_a_solution_shows():
    model, sensors = robot()
    model.add_controller("log", period=0.01, sensors=sensors, commands="motor", law=np.zeros((1, len(sensors))))
    solution = fm.simulate(model, 0.5, step=0.001, progress=False)
    log = solution.control["log"]
    at = np.searchsorted(solution.t, log.t - 1e-9)
    for k, sensor in enumerate(sensors):
        seen = sensor.readings(solution)[at]
        np.testing.assert_allclose(
            log.y[1:, k], seen[1:], rtol=1e-6, atol=1e-6 * np.abs(seen).max(), err_msg=sensor.name
        )
        assert np.ptp(seen) > 0.0


def test_an_offset_is_in_every_reading():
    model, sensors = robot()
    shifted = [dataclasses.replace(sensor, bias=0.75) for sensor in sensors]
    read = [*sensors, *shifted, fm.control.MotorAngle(sensors[2].motor, bias=0.75, resolution=0.5)]
    model.add_controller("log", period=0.01, sensors=read, commands="motor", law=np.zeros((1, len(read))))
    passed = shifted[0].readings(fm.assemble(model).solution)[0] - 0.001
    model.add_event(fm.crossing(shifted[0], passed), fm.Note())
    solution = fm.simulate(model, 0.1, step=0.001, progress=False)
    y, n = solution.control["log"].y, len(sensors)
    np.testing.assert_allclose(y[:, n : 2 * n], y[:, :n] + 0.75, rtol=0, atol=1e-12)
    np.testing.assert_allclose(y[:, -1], np.round((y[:, 2] + 0.75) / 0.5) * 0.5, rtol=0, atol=1e-12)
    for plain, more in zip(sensors, shifted):
        np.testing.assert_allclose(more.readings(solution), plain.readings(solution) + 0.75, rtol=1e-12)
    first = solution.events[0].t
    assert shifted[0].readings(solution.at([first]))[0] == pytest.approx(passed, abs=1e-9)
    plain_model, sensors = robot()
    rest, shifted = fm.equilibrium(plain_model), [dataclasses.replace(sensor, bias=0.75) for sensor in sensors]
    both = [np.array(fm.linearize(rest, "motor", several).C) for several in (sensors, shifted)]
    np.testing.assert_allclose(*both, rtol=1e-9, atol=1e-9 * np.abs(both[0]).max())
    with pytest.raises(ModelError, match="RelativeRate: bias must be a number, not 'up'"):
        fm.control.RelativeRate(model.ground, sensors[0].b, bias="up")


@pytest.mark.warns(fm.errors.AccuracyWarning, "is that of the mean axial force of an element")
def test_linear_models_take_sensors_as_outputs():
    model, sensors = robot()
    rest = fm.equilibrium(model)
    names = ["rod.end.vx", "rod.end.vy", "rod.end.angle", "motor.rotor rate", "rod@0.3.curvature", "rod@0.3.strain"]
    linear = fm.linearize(rest, "motor", [*sensors, *names])
    by = dict(zip(linear.outputs, linear.C))
    turn = rest["rod.end.angle"]
    c, s = np.cos(turn - 0.3), np.sin(turn - 0.3)
    np.testing.assert_allclose(by["velocity of rod.end"], c * by["rod.end.vx"] + s * by["rod.end.vy"], atol=1e-7)
    np.testing.assert_allclose(by["rate of motor"], by["motor.rotor rate"], atol=1e-12)
    strain = by["rod@0.3.strain"] - 0.004 * by["rod@0.3.curvature"]
    np.testing.assert_allclose(by["strain of rod@0.3"], strain, atol=1e-7)
    assert not by["rate of reference"].any()
    units = dict(zip(linear.outputs, linear.output_units))
    assert units["acceleration of rod.end"] == "m/s²" and units["angle of motor"] == "rad"


def test_sensors_of_another_model_are_refused():
    model, _ = robot()
    _, others = robot()
    with pytest.raises(ModelError, match="another model, which is called 'robot' too"):
        fm.linearize(fm.equilibrium(model), "motor", others[4])


def test_rates_of_coordinates_have_names():
    model, _ = robot()
    solution = fm.simulate(model, 0.05, step=0.001, progress=False)
    k = solution.layout.coordinates.index("motor.rotor")
    np.testing.assert_array_equal(solution["motor.rotor rate"], solution.v[:, k])
    assert solution.series("motor.rotor rate").unit == "rad/s"
    with pytest.raises(KeyError, match=r"motor\.rotor rate"):
        solution["motor.rotr rate"]


def test_hinges_in_space_that_count_their_turns():
    m = SpatialModel("fan")
    wheel = m.add_body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2))
    hinge = m.revolute(m.ground, wheel.frame, axis="z", count_turns=True, name="hinge")
    wheel.frame.move(angular_velocity=(0.0, 0.0, 30.0))
    sensors = fm.control.JointAngle(hinge), fm.control.JointRate(hinge)
    assert [sensor.name for sensor in sensors] == ["angle of hinge", "rate of hinge"]
    assert [sensor.unit for sensor in sensors] == ["rad", "rad/s"]
    solution = fm.simulate(m, 1.0, step=0.01, progress=False)
    turned, rate = (sensor.readings(solution) for sensor in sensors)
    np.testing.assert_allclose(turned, 30.0 * solution.t, rtol=0, atol=1e-9)
    np.testing.assert_allclose(rate, 30.0, rtol=0, atol=1e-9)
    system = fm.System(m)
    for sensor, values in zip(sensors, ((1.0, 0.0), (0.0, 1.0))):
        quantity = sensor.function_of_state(InSystem(system))
        assert quantity.numbers.q.tolist() == [system.names.index("hinge.turn")] and quantity.values == values
    m.torsion_spring(m.ground, wheel.frame, axis="z", stiffness=5.0)
    pull = m.point_torque(wheel.frame, (0.0, 0.0, 0.1), name="pull")
    m.add_controller("log", period=0.05, sensors=sensors, commands=pull, law=np.zeros((1, 2)))
    solution = fm.simulate(m, 1.0, step=0.01, progress=False)
    log = solution.control["log"]
    at = np.searchsorted(solution.t, log.t - 1e-9)
    np.testing.assert_allclose(log.y, np.column_stack([x.readings(solution)[at] for x in sensors]), rtol=0, atol=1e-9)
    np.testing.assert_allclose(log.y[:, 0], solution["hinge"].angle[at], rtol=0, atol=1e-9)
    with pytest.raises(ModelError, match="JointRate: 'hinge' is not a joint"):
        fm.control.JointRate("hinge")


@pytest.mark.parametrize("space", [False, True])
def test_a_sampled_gauge_and_sections_by_name_leave_out_heat_as_a_solution_does(space):
    steel = fm.Material(density=7850.0, youngs_modulus=2e11, poissons_ratio=0.3, thermal_expansion=1.2e-5)
    m = fm.SpatialModel("rod") if space else fm.PlanarModel("rod")
    end, across = ((1, 0, 0), (0, 1.0, 0)) if space else ((1, 0), (0, 1.0))
    section = fm.Rectangle(0.02, 0.01)
    rod = m.add_beam("rod", m.ground, end, material=steel, section=section, elements=2)
    place = {"fiber": (0.004, 0.002)} if space else {"height": 0.004}
    gradient = (200.0, 100.0) if space else 200.0
    m.thermal_load(rod, 30.0, gradient=gradient, factor=fm.Harmonic(1.0, 40.0), name="warm")
    moment = fm.control.NamedQuantity(m, f"rod@0.3.bending_moment{'_z' if space else ''}")
    sensors = [fm.control.StrainGauge(rod.at(0.3), **place), moment]
    push = m.point_force(rod.end, across, factor=0.0, name="push")
    m.add_controller("log", period=0.02, sensors=sensors, commands=push, law=np.zeros((1, 2)))
    run = fm.simulate(m, 0.1, step=0.001, progress=False)
    log = run.control["log"]
    rows = [int(np.argmin(np.abs(run.t - t))) for t in log.t]
    for k, sensor in enumerate(sensors):
        read = sensor.readings(run)
        np.testing.assert_allclose(log.y[:, k], read[rows], rtol=0, atol=1e-9 * np.max(np.abs(read)))
        assert np.ptp(log.y[:, k]) > 0.1 * np.max(np.abs(read)) > 0.0
