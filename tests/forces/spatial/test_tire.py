"""Wheels on tires in space."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import FlexmbError, ModelError, NamingError
from flexmb.forces.spatial.tire import SPATIAL_TIRE

RADIUS, MASS, GRAVITY = 0.3, 20.0, 9.81
LOAD = MASS * GRAVITY
RUBBER = {
    "load": LOAD,
    "cornering_stiffness": 2e3,
    "relaxation_length": (0.2, 0.3),
    "longitudinal_stiffness": 3e3,
    "friction": 0.8,
    "vertical_stiffness": 2e4,
    "vertical_damping": 100.0,
    "tread_damping": 50.0,
}
DEPTH = LOAD / RUBBER["vertical_stiffness"]
LOADED = RADIUS - DEPTH
OPTIONS = {
    "generalized_alpha": {"step": 1e-3},
    "independent": {},
    "baumgarte": {},
    "projection": {},
    "rkf45": {},
    "radau": {},
    "dop853": {},
}


def wheel(velocity=(0, 0, 0), spin=0.0, slope=0.0, height=LOADED, **data):
    """A wheel that stays upright."""
    m = fm.SpatialModel("wheel", gravity=(GRAVITY * np.sin(slope), 0, -GRAVITY * np.cos(slope)))
    body = m.add_body("wheel", mass=MASS, inertia=(0.5, 0.9, 0.5), position=(0, 0, height))
    body.frame.move(velocity, (0, spin, 0))
    m.parallel_axes(m.ground, body.frame, axis="y")
    tire = m.tire(m.ground, body.frame, fm.TireLaw(**{**RUBBER, **data}), RADIUS, name="tire")
    return m, body, tire


def steered(angle, speed, **data):
    """A wheel that is led along x, turned by an angle from the start on, with its tread undeflected."""
    m = fm.SpatialModel("steered")
    car = m.add_body("car", mass=10.0, inertia=(1, 1, 1), position=(0, 0, LOADED))
    turn = Rotation.from_euler("z", angle)
    rolls = m.add_body("wheel", mass=MASS, inertia=(0.5, 0.9, 0.5), position=(0, 0, LOADED), orientation=turn)
    post = m.add_frame("post", (0, 0, LOADED), fixed=True)
    m.prismatic(post, car.frame, axis="x")
    m.drive_position(post, car.frame, fm.Polynomial([0.0, speed]), axis="x")
    m.revolute(car.frame, rolls.frame, axis=turn.apply([0, 1, 0]))
    car.frame.move((speed, 0, 0))
    rolls.frame.move((speed, 0, 0), speed * np.cos(angle) / LOADED * turn.apply([0, 1, 0]))
    return m, m.tire(m.ground, rolls.frame, fm.TireLaw(**{**RUBBER, **data}), RADIUS, name="tire")


@pytest.mark.parametrize("method", OPTIONS)
def test_the_side_force_comes_along_the_way(method):
    """After a step of the steering angle: u = V_s/c (1 − exp(−c t)), c = |V_x|/σ + k |V_s|/(μ N)."""
    angle, speed, tiny = -0.05, 12.0, 1e-6
    m, tire = steered(angle, speed, tread_damping=0.0, smoothing=tiny)
    run = fm.simulate(m, 0.3, method, progress=False, **OPTIONS[method])
    rolls, slips = speed * np.cos(angle), -speed * np.sin(angle)
    stiffness = RUBBER["cornering_stiffness"] / 0.3
    c = rolls / 0.3 + stiffness * slips / (0.8 * LOAD)
    forces = tire.forces(run)
    off = 1e-3 if method == "generalized_alpha" else 1e-4
    np.testing.assert_allclose(forces.aside, -stiffness * slips / c * (1.0 - np.exp(-c * run.t)), atol=off * LOAD)
    np.testing.assert_allclose(forces.aside[-1], -tire.tire.side_force(slips / rolls), rtol=1e-4)
    np.testing.assert_allclose(forces.load, LOAD, rtol=1e-6)
    np.testing.assert_allclose(forces.rolling, rolls, rtol=1e-6)
    np.testing.assert_allclose(forces.slip_aside, slips, rtol=1e-6)
    np.testing.assert_allclose(forces.place[:, 2], 0.0, atol=1e-9)
    assert not np.any(run.multipliers_of("tire"))  # its rows put no force on anything


def test_the_methods_keep_their_order():
    angle, speed, tiny = -0.05, 12.0, 1e-6
    m, _ = steered(angle, speed, tread_damping=0.0, smoothing=tiny)
    rolls, slips = speed * np.cos(angle), -speed * np.sin(angle)
    c = rolls / 0.3 + RUBBER["cornering_stiffness"] / 0.3 * slips / (0.8 * LOAD)
    errors = []
    for step in (4e-3, 2e-3, 1e-3):
        run = fm.simulate(m, 0.3, step=step, progress=False)
        wanted = -slips / c * (1.0 - np.exp(-c * run.t))
        errors.append(np.max(np.abs(run.coordinate("tire.aside") - wanted)))
    np.testing.assert_allclose(np.log2(np.array(errors)[:-1] / errors[1:]), 2.0, atol=0.05)


@pytest.mark.parametrize("method", ["radau", "generalized_alpha", "independent"])
@pytest.mark.parametrize(("speed", "spin"), [(5.0, -30.0), (0.0, 60.0), (-4.0, 0.0)])
def test_sliding_ends_in_rolling(method, speed, spin):
    """The angular momentum about the road stays; friction is μ N while it slides."""
    m, _, tire = wheel((speed, 0, 0), spin)
    run = fm.simulate(m, 5.0, method, progress=False, **OPTIONS[method])
    track = run["wheel"]
    whole = MASS * LOADED * track.velocity[:, 0] + 0.9 * track.angular_velocity[:, 1]
    np.testing.assert_allclose(whole, whole[0], atol=0.01 * np.max(np.abs(whole)) + 0.05)
    np.testing.assert_allclose(track.velocity[-1, 0], LOADED * track.angular_velocity[-1, 1], atol=2e-3)
    forces = tire.forces(run)
    k = int(np.searchsorted(run.t, 0.1))
    np.testing.assert_allclose(abs(forces.ahead[k]), 0.8 * LOAD, rtol=0.1)
    assert np.all(np.hypot(forces.ahead, forces.aside) < 0.85 * forces.load)
    assert run.energy.error < 1e-3 and np.all(np.diff(run.energy.dissipated) > -1e-6)


def test_at_a_stand_it_is_a_spring():
    """A wheel that is braked on a slope does not creep away."""
    slope = 0.2
    m, body, tire = wheel(slope=slope)
    slide = m.add_frame("slide", (0, 0, LOADED), fixed=True)
    m.lock(slide, body.frame, "angle", axis="y")
    run = fm.simulate(m, 20.0, "radau", progress=False)
    wanted = MASS * GRAVITY * np.sin(slope) / (3e3 / 0.2 * np.cos(slope))
    np.testing.assert_allclose(run.coordinate("tire.ahead")[-1], -wanted, rtol=1e-3)
    np.testing.assert_allclose(tire.forces(run).ahead[-1], -MASS * GRAVITY * np.sin(slope), rtol=1e-3)
    late = run.t > 10.0
    assert np.ptp(run["wheel"].x[late]) < 1e-6


def test_it_leaves_the_road_and_comes_back():
    m, _, tire = wheel((2.0, 0, 0), height=0.6)
    run = fm.simulate(m, 4.0, "radau", progress=False)
    forces = tire.forces(run)
    assert np.all(forces.load >= 0.0) and forces.load[0] == 0.0
    np.testing.assert_allclose(run["wheel"].z[-1], LOADED, atol=1e-3)
    # it is spun up by the road
    np.testing.assert_allclose(run["wheel"].velocity[-1, 0], LOADED * run["wheel"].angular_velocity[-1, 1], atol=1e-3)
    assert run.energy.error < 1e-5


def test_a_wheel_that_leans_is_steered():
    m = fm.SpatialModel("free", gravity=(0, 0, -GRAVITY))
    turn = Rotation.from_euler("x", 0.05)
    body = m.add_body("wheel", mass=MASS, inertia=(0.5, 0.9, 0.5), position=(0, 0, LOADED), orientation=turn)
    body.frame.move((6.0, 0, 0), 6.0 / LOADED * turn.apply([0, 1, 0]))
    m.tire(m.ground, body.frame, fm.TireLaw(**RUBBER), RADIUS, crown=0.03)
    run = fm.simulate(m, 1.0, "radau", progress=False)
    # its top leans to the right, and it turns that way
    assert run["wheel"].y[-1] < -0.01 and run["wheel"].velocity[-1, 1] < -0.1
    assert run.energy.error < 1e-6


@pytest.mark.warns(fm.errors.BalanceWarning, "the state is one of a steady motion")
def test_linear_model_of_a_rolling_wheel():
    """Sideways a wheel is a mass on a tread that is left behind: s² + V/σ s + C/(σ m) = 0."""
    m, _, _ = wheel((6.0, 0, 0), 6.0 / LOADED, tread_damping=0.0, smoothing=1e-4)
    linear = fm.linearize(m, "wheel.fy", "wheel.y")
    assert len(linear) == 4 + 4 + 2  # places and speeds of the wheel, and two deflections
    wanted = np.roots([1.0, 6.0 / 0.3, 2e3 / (0.3 * MASS)])
    assert all(np.min(np.abs(linear.poles - pole)) < 1e-5 for pole in wanted)
    assert np.all(linear.poles.real < 1e-6)


def test_statics_says_that_it_cannot():
    m, _, _ = wheel()
    with pytest.raises(FlexmbError, match="tire"):
        fm.equilibrium(m)


def test_its_rows_have_no_reaction(tmp_path):
    m, _, tire = wheel((3.0, 0.0, 0.0), 10.0)
    run = fm.simulate(m, 0.1, progress=False)
    filed = fm.load(run.save(tmp_path / "run.h5"))
    for solution in (run, filed):
        for on in (None, "wheel", "ground"):
            with pytest.raises(NamingError, match=r"'tire' is a tire.*tire\.forces\(solution\)"):
                solution.reaction("tire", frame=on)
        with pytest.raises(NamingError, match=r"tire\.fx"):
            solution["tire.fx"]
    assert np.array_equal(tire.forces(filed).load, tire.forces(run).load)


def test_bad_input():
    m = fm.SpatialModel("bad")
    body = m.add_body("wheel", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0.3))
    for data, text in (
        ({"load": 0.0}, "load is 0"),
        ({"cornering_stiffness": -1.0}, "cornering_stiffness is -1"),
        ({"longitudinal_stiffness": 0.0}, "longitudinal_stiffness is 0"),
        ({"relaxation_length": (0.1, 0.0)}, "relaxation_length is 0"),
        ({"relaxation_length": (0.1, 0.2, 0.3)}, "relaxation_length has 3 numbers"),
        ({"friction": 0.0}, "friction is 0"),
        ({"vertical_stiffness": None}, "no vertical_stiffness"),
        ({"vertical_damping": -1.0}, "vertical_damping is -1"),
        ({"tread_damping": -1.0}, "tread_damping is -1"),
        ({"smoothing": 0.0}, "smoothing is 0"),
    ):
        with pytest.raises(ModelError, match=text):
            m.tire(m.ground, body.frame, fm.TireLaw(**{**RUBBER, **data}), RADIUS)
    rubber = fm.TireLaw(**RUBBER)
    for given, options, text in (
        ((rubber, 0.0), {}, "radius is 0"),
        ((rubber, 0.3), {"crown": 0.3}, "thinner than its wheel"),
        ((rubber, 0.3), {"axle": "z"}, "lies flat"),
        (("rubber", 0.3), {}, "give a flexmb.TireLaw"),
    ):
        with pytest.raises(ModelError, match=text):
            m.tire(m.ground, body.frame, *given, **options)


def test_a_wheel_that_falls_over_ends_the_run_by_its_name():
    lean = 0.2
    m = fm.SpatialModel("wheel", gravity=(0, 0, -GRAVITY))
    turn = Rotation.from_euler("x", lean)
    body = m.add_body("wheel", mass=MASS, inertia=(0.5, 0.9, 0.5), position=(0, 0, 0.29), orientation=turn)
    tire = m.tire(m.ground, body.frame, fm.TireLaw(**RUBBER), RADIUS, name="tire")
    with pytest.warns(fm.errors.DivergenceWarning, match="tire 'tire' lies flat on its plane"):
        run = fm.simulate(m, 1.0, progress=False)
    assert run.status == "diverged" and 0.4 < run.t[-1] < 0.7
    system = fm.System(m)
    upright, flat = system.full_q(system.q0), system.full_q(system.q0).copy()
    numbers = system.coordinates_of("tire", SPATIAL_TIRE)[0][10:14]
    flat[numbers] = Rotation.from_euler("x", 0.5 * np.pi).as_quat()[[3, 0, 1, 2]]
    (doubt,) = tire.doubts(system, np.array([upright, flat, flat]))
    assert doubt.first == 1 and "lies flat on its plane" in doubt.text
    with pytest.raises(ModelError, match=r"tire 'level': at the start the axle of frame 'wheel' .* lies flat"):
        m.tire(m.ground, body.frame, fm.TireLaw(**RUBBER), RADIUS, normal=turn.apply([0, 1, 0]), name="level")
    with pytest.raises(ModelError, match="'fixed'"):
        m.tire(m.ground, m.add_frame("post", (0, 0, LOADED), fixed=True), fm.TireLaw(**RUBBER), RADIUS, name="fixed")


def test_the_arrow_of_a_tire_is_the_force_on_the_wheel():
    """With its weight it is what accelerates a free wheel; it starts where the tire touches."""
    m = fm.SpatialModel("wheel", gravity=(0.0, 0.0, -9.81))
    wheel = m.add_body("wheel", mass=20.0, inertia=(0.5, 1.0, 0.5), position=(0.0, 0.0, 0.3))
    rubber = fm.TireLaw(load=200.0, cornering_stiffness=2e3, relaxation_length=0.3, vertical_stiffness=2e4)
    tire = m.tire(m.ground, wheel.frame, rubber, 0.3, crown=0.05, name="tire")
    wheel.move((5.0, 1.0, 0.0), (0.1, 5.0 / 0.3, 0.2))
    run = fm.simulate(m, 0.3, "dop853", tolerance=1e-10, progress=False)
    (load,) = tire.loads(run, run.t, np.ones(len(run.t)))
    assert np.abs(load.forces[:, 1]).max() > 50.0
    assert np.allclose(load.forces, 20.0 * (run["wheel"].acceleration + [0.0, 0.0, 9.81]), atol=1e-6)
    assert np.allclose(load.places, tire.forces(run).place)
    tread, *_ = tire.drawn(run)
    assert np.allclose(np.linalg.norm(tread - run["wheel"].position[:, None], axis=2), 0.3)
