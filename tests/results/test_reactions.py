"""Forces of joints against Newton's and Euler's laws."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.control import TorqueMeter
from flexmb.errors import NamingError
from tests.results.mechanisms import flexible, pendulum

G = np.array([0.0, -9.81])


def test_the_hinge_of_a_rigid_pendulum():
    s = fm.simulate(pendulum(), 1.5, "dop853", progress=False, tolerance=1e-11)
    force, moment = s.reaction("hinge")
    theta = s["bob"].angle
    e = np.column_stack([np.cos(theta), np.sin(theta)])
    across = np.column_stack([-e[:, 1], e[:, 0]])
    omega2 = -2 * 2.0 * 9.81 * np.sin(theta) / 2.1
    alpha = -2.0 * 9.81 * np.cos(theta) / 2.1
    expected = 2.0 * (alpha[:, None] * across - omega2[:, None] * e - G)
    assert np.allclose(force, expected, rtol=0, atol=2e-8)
    assert np.allclose(moment, 0.0, atol=1e-12)
    back, _ = s.reaction("hinge", frame="ground")
    assert np.allclose(back, -force, rtol=0, atol=1e-12)
    assert np.array_equal(s.multipliers_of("hinge"), s.multipliers)


def test_a_weld_of_two_instances_moves_the_moment_to_the_frame():
    """Only the weld and its weight act on the body at the tip."""
    s = fm.simulate(flexible(), 0.4, step=0.002, progress=False)
    force, moment = s.reaction("seam")
    bob = s["bob"]
    arm = s["bob.left"].position - bob.position
    assert np.allclose(force, 1.0 * (bob.acceleration - G), rtol=0, atol=1e-8)
    about_center = moment + arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0]
    assert np.allclose(about_center, 0.1 * bob.angular_acceleration, rtol=0, atol=1e-8)
    assert np.ptp(moment) > 0.1
    other, turned = s.reaction(s.model.component("seam"), frame=s.model.component("rod").end)
    assert np.allclose(other, -force, rtol=0, atol=1e-10) and np.allclose(turned, -moment, rtol=0, atol=1e-6)


def test_a_drive_is_a_moment():
    m = fm.PlanarModel("shaft")
    wheel = m.add_body("wheel", mass=1.0, inertia=0.5)
    m.revolute(m.ground, wheel.frame)
    m.drive_angle(m.ground, wheel.frame, fm.Harmonic(0.3, 2.0), name="drive")
    s = fm.simulate(m, 1.0, "projection", progress=False)
    force, moment = s.reaction("drive")
    assert np.allclose(moment, -0.5 * 0.3 * 4.0 * np.sin(2.0 * s.t), rtol=0, atol=1e-9)
    assert not force.any()


def test_of_a_beam_one_must_say_the_frame():
    m = fm.PlanarModel("cable", gravity=(0, -9.81))
    rod = m.add_beam(
        "rod", m.ground, (1, 0), properties=fm.planar.BeamProperties(EA=1e4, EI=1.0, rhoA=0.5), theory="ancf"
    )
    s = fm.simulate(m, 0.01, step=0.001, progress=False)
    with pytest.raises(NamingError, match="frame="):
        s.reaction("rod")
    with pytest.raises(NamingError, match=r"'rod\.end'|'rod\.start'"):
        s.reaction("rod", frame="rod.stat")
    assert np.isfinite(s.reaction("rod", frame=rod.start)[0]).all()


def driven_by_a_motor(space, *, carried=False, **more):
    """An arm with a heavy bob that a motor drives, from the ground or from a carrier on a bearing, whose axis goes
    through the mass center of the carrier."""
    z = (0.0,) if space else ()
    m = (fm.SpatialModel if space else fm.PlanarModel)("m", gravity=(0.0, -9.81, *z))
    inertia = (lambda value: (value,) * 3) if space else (lambda value: value)
    arm = m.add_body("arm", mass=1.0, inertia=inertia(0.1), position=(1.0, 0.0, *z))
    stator = m.ground
    if carried:
        stator = m.add_body("carrier", mass=2.0, inertia=inertia(0.3)).frame
        m.revolute(m.ground, stator, name="bearing")
    m.revolute(stator, arm.attach("pivot", (-1.0, 0.0, *z)), name="hinge")
    m.motor(stator, arm.frame, inertia=0.01, ratio=50.0, name="motor", **more)
    return m


@pytest.mark.parametrize("reducer", [{}, {"stiffness": 5000.0, "damping": 0.5}])
@pytest.mark.parametrize("space", [False, True])
def test_a_motor_bears_what_the_weight_asks_for(space, reducer):
    rest = fm.equilibrium(driven_by_a_motor(space, angle=0.3, **reducer))
    moment = 9.81 * np.cos(rest["hinge.angle" if space else "arm.angle"])
    assert rest["motor.mz" if space else "motor.moment"] == pytest.approx(moment, rel=1e-9)
    force, own = rest.reaction("motor")
    assert np.allclose(force, 0.0) and np.allclose(own, (0, 0, moment) if space else moment, rtol=1e-9)
    _, against = rest.reaction("motor", rest.solution.layout.pairs["motor"].a)
    assert np.allclose(against, -own, rtol=1e-9)


@pytest.mark.parametrize("reducer", [{}, {"stiffness": 5000.0, "damping": 0.5}])
@pytest.mark.parametrize("space", [False, True])
def test_a_motor_on_a_carrier_turns_it_alone(space, reducer):
    """About its bearing nothing acts on the carrier but the motor: reaction of the reducer and of the rotor."""
    model = driven_by_a_motor(space, carried=True, angle=fm.Harmonic(5.0, 6.0), **reducer)
    run = fm.simulate(model, 0.2, "radau", tolerance=1e-8, progress=False)
    moment, rate = run.reaction("motor", "carrier")[1], run["carrier"].angular_acceleration
    assert np.allclose(moment, 0.3 * rate, rtol=1e-9, atol=1e-9)
    of_b = run.series("motor.mz" if space else "motor.moment").values
    assert np.abs(of_b).max() > 1.0
    assert np.allclose(TorqueMeter(model.components["motor"]).readings(run), of_b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("space", [False, True])
def test_a_motor_that_only_its_torque_drives_has_a_reaction_too(space, tmp_path):
    model = driven_by_a_motor(space, carried=True, torque=fm.Harmonic(0.2, 30.0), stiffness=5000.0, damping=0.5)
    run = fm.simulate(model, 0.2, "radau", tolerance=1e-8, progress=False)
    moment, rate = run.reaction("motor", "carrier")[1], run["carrier"].angular_acceleration
    assert np.allclose(moment, 0.3 * rate, rtol=1e-9, atol=1e-9)
    name = "motor.mz" if space else "motor.moment"
    arm, carrier = run["arm"], run["carrier"]
    turned = (arm.orientation * carrier.orientation.inv()).as_rotvec()[:, 2] if space else arm.angle - carrier.angle
    turning = arm.angular_velocity - carrier.angular_velocity
    twist = run["motor.rotor"] / 50.0 - turned
    rates = run["motor.rotor rate"] / 50.0 - (turning[:, 2] if space else turning)
    assert np.allclose(run[name], 5000.0 * twist + 0.5 * rates, rtol=1e-6, atol=1e-6) and np.ptp(run[name]) > 1.0
    again = fm.load(run.save(tmp_path / "run.h5"))
    assert np.array_equal(again[name], run[name])
    assert np.allclose(TorqueMeter(model.components["motor"]).readings(run), run[name], rtol=1e-12, atol=1e-12)
    model.add_event(fm.crossing(TorqueMeter(model.components["motor"]), 0.5 * run[name].max(), "up"), fm.StopRun())
    assert fm.simulate(model, 0.2, "radau", progress=False).status == "stopped"


def test_the_spring_of_a_reducer_gives_no_impulse():
    model = driven_by_a_motor(False, carried=True, stiffness=5000.0, angle=0.3)
    model.switch_off(model.lock(model.ground, model.components["carrier"].frame, "angle", name="brake"))
    model.add_event(0.1, fm.Switch(on="brake"), name="halt")
    run = fm.simulate(model, 0.2, "radau", tolerance=1e-6, progress=False)
    assert abs(run.events[0].impulses["brake"][1]) > 1e-3
    assert run.events[0].impulses["motor"][1] == pytest.approx(0.0, abs=1e-12)
