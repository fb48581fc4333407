"""The state a run starts from: speeds that were given are kept, what cannot be kept is said."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import InitialConditionWarning, SolverError
from flexmb.solvers.binding.initial_state import initial_state
from flexmb.solvers.start.initial import consistent_state
from flexmb.system.system import System
from tests.models.parallelograms import four_bars


def pendulum(velocity: tuple[float, float] | None, angular_velocity: float | None = None) -> fm.PlanarModel:
    m = fm.PlanarModel("pendulum")
    bob = m.add_body("bob", mass=1.0, inertia=0.1, position=(1.0, 0.0))
    m.revolute(m.ground, bob.attach("pin", (-1.0, 0.0)))
    bob.move(velocity, angular_velocity)
    return m


def started(model: fm.PlanarModel) -> tuple[dict[str, float], list[str]]:
    """Speeds at the start, and what was warned of them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", InitialConditionWarning)
        state = initial_state(model)
    said = [str(w.message) for w in caught if w.category is InitialConditionWarning]
    return dict(zip(state.system.names, state.v)), said


@pytest.mark.parametrize(
    ("velocity", "angular_velocity", "turns"),
    [((0.0, 2.0), None, 2.0), (None, 3.0, 3.0), ((0.0, 2.0), 2.0, 2.0), ((0.0, 2.0), 2.0005, 2.00025)],
)
def test_a_speed_that_was_given_is_kept_and_the_others_found(velocity, angular_velocity, turns):
    v, said = started(pendulum(velocity, angular_velocity))
    assert v["bob.angle"] == pytest.approx(turns, rel=1e-12)
    assert v["bob.y"] == pytest.approx(turns, rel=1e-12)
    assert said == []


@pytest.mark.parametrize("dense", [True, False])
def test_a_crank_moves_its_mechanism_as_fast_as_was_given(dense, monkeypatch):
    """A slider-crank whose crank stands across: the slider is as fast as the pin, the rod does not turn."""
    if not dense:
        monkeypatch.setitem(fm.System.__init__.__kwdefaults__, "dense_limit", 0)
    m = fm.PlanarModel("slider-crank")
    reach = np.sqrt(0.3**2 - 0.1**2)
    crank = m.add_body("crank", mass=0.1, inertia=1e-3, position=(0.0, 0.05), angle=np.pi / 2)
    slope = -np.arcsin(0.1 / 0.3)
    rod = m.add_body("rod", mass=1.0, inertia=0.1, position=(reach / 2, 0.05), angle=slope)
    slider = m.add_body("slider", mass=2.0, inertia=0.1, position=(reach, 0.0))
    m.revolute(m.ground, crank.attach("o", (-0.05, 0.0)))
    m.revolute(crank.attach("a", (0.05, 0.0)), rod.attach("a", (-0.15, 0.0)))
    m.revolute(rod.attach("b", (0.15, 0.0)), slider.frame)
    m.prismatic(m.ground, slider.frame)
    crank.move(angular_velocity=10.0)
    v, said = started(m)
    assert v["crank.angle"] == pytest.approx(10.0, rel=1e-12)
    assert v["slider.x"] == pytest.approx(-1.0, rel=1e-9)
    assert v["rod.angle"] == pytest.approx(0.0, abs=1e-9)
    assert said == []


@pytest.mark.parametrize("turn", [(0.0, 0.0, 0.0), (0.0, 0.0, 0.7), (0.4, -1.1, 2.0)])
def test_speeds_that_contradict_each_other_are_compromised_alike_in_any_axes(turn):
    """(ω l − 2 m/s)²/l² + (ω − 3 rad/s)² is least at the mean, since l = 1 m is the largest distance in it."""
    turned = Rotation.from_rotvec(turn)
    m = fm.SpatialModel("pendulum")
    bob = m.add_body(
        "bob", mass=1.0, inertia=(0.1, 0.1, 0.1), position=turned.apply((1.0, 0.0, 0.0)), orientation=turned
    )
    m.revolute(m.ground.attach("post", (0.0, 0.0, 0.0), turned), bob.attach("pin", (-1.0, 0.0, 0.0)), axis="z")
    bob.move(turned.apply((0.0, 2.0, 0.0)), turned.apply((0.0, 0.0, 3.0)))
    with pytest.warns(InitialConditionWarning, match=r"do not fit the joints: .*'bob"):
        state = initial_state(m)
    np.testing.assert_allclose(turned.inv().apply(state["bob"].angular_velocity), (0.0, 0.0, 2.5), atol=1e-9)


def test_a_speed_that_does_not_fit_is_named_with_what_became_of_it():
    v, said = started(pendulum((1.5, 2.0)))
    assert v["bob.y"] == pytest.approx(2.0, rel=1e-12)
    assert len(said) == 1
    assert "'bob.x' was given 1.5 m/s and starts with 0 m/s" in said[0] and "bob.y" not in said[0]


def test_two_speeds_that_contradict_each_other_meet():
    _, said = started(pendulum((0.0, 2.0), 3.0))
    assert "'bob.angle' was given 3 rad/s and starts with 2.5 rad/s" in said[0]
    assert "'bob.y' was given 2 m/s and starts with 2.5 m/s" in said[0]


def test_a_speed_against_a_drive_is_named():
    m = pendulum(None, 3.0)
    m.drive_angle(m.ground, m.frame("bob"), fm.Polynomial([0.0, 1.0]))
    v, said = started(m)
    assert v["bob.angle"] == pytest.approx(1.0, rel=1e-12)
    assert "'bob.angle' was given 3 rad/s and starts with 1 rad/s" in said[0]


def test_a_speed_of_zero_that_was_given_is_given():
    """A bar between two hinges: the first link is driven, the second was given rest or nothing."""
    for speed, wanted in ((0.0, 0.0), (0.4, 0.4), (None, -1.5)):
        m = fm.PlanarModel("double pendulum")
        bars = [m.add_body(x, mass=1.0, inertia=1.0 / 12.0, position=(k, 0.0)) for k, x in ((0.5, "a"), (1.5, "b"))]
        m.revolute(m.ground, bars[0].attach("pin", (-0.5, 0.0)))
        m.revolute(bars[0].attach("end", (0.5, 0.0)), bars[1].attach("pin", (-0.5, 0.0)))
        m.drive_angle(m.ground, bars[0].frame, fm.Polynomial([0.0, 1.0]))
        bars[1].move(angular_velocity=speed)
        v, said = started(m)
        # what is not given is jerked: of the bar J ω + m l/2 v = 0 about its driven end, with v = 1 · 1 + ω/2
        assert v["b.angle"] == pytest.approx(wanted, abs=1e-12) and said == []


def test_a_motion_is_given_against_another_frame():
    for rate, wanted in ((0.0, 1.0), (0.5, 1.5)):
        m = fm.PlanarModel("double pendulum")
        bars = [m.add_body(x, mass=1.0, inertia=1.0 / 12.0, position=(k, 0.0)) for k, x in ((0.5, "a"), (1.5, "b"))]
        m.revolute(m.ground, bars[0].attach("pin", (-0.5, 0.0)))
        m.revolute(bars[0].attach("end", (0.5, 0.0)), bars[1].attach("pin", (-0.5, 0.0)))
        m.drive_angle(m.ground, bars[0].frame, fm.Polynomial([0.0, 1.0]))
        bars[1].move(angular_velocity=rate, against=bars[0].frame)
        v, said = started(m)
        assert v["b.angle"] == pytest.approx(wanted, abs=1e-12) and said == []


def test_the_velocity_of_a_frame_beside_the_mass_center_is_kept():
    """A bar that turns about a hinge: given is how fast its end goes, which its body has as its frame."""
    m = fm.SpatialModel("bar")
    bar = m.add_body("bar", mass=1.0, inertia=(0.01, 0.1, 0.1), center=(-0.5, 0.0, 0.0), position=(1.0, 0.0, 0.0))
    m.revolute(m.ground, bar.attach("pin", (-1.0, 0.0, 0.0)), axis="z")
    bar.move((0.0, 2.0, 0.0))
    state = initial_state(m)
    assert state["bar.vy"] == pytest.approx(2.0, rel=1e-12) and state["bar.wz"] == pytest.approx(2.0, rel=1e-12)


def test_a_wheel_that_was_given_rest_rests_on_a_hull_that_a_drive_turns():
    m = fm.SpatialModel("satellite")
    hull = m.add_body("hull", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.add_wheel("wheel", hull.frame, inertia=0.1, speed=0.0, torque=0.0)
    hinge = m.revolute(m.ground, hull.frame, axis="z")
    m.drive_joint(hinge, fm.Polynomial([0.0, 3.0]))
    state = initial_state(m)
    assert state["hull.wz"] == pytest.approx(3.0, rel=1e-12)
    assert state["wheel.rotor rate"] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("beam", ["cms", "ancf"])
def test_a_beam_that_was_given_rest_rests_beside_a_driven_body(beam):
    """Two beams on a hinged hub: the speeds of one are given, those of the hub follow from a drive."""
    m = fm.PlanarModel("hub")
    hub = m.add_body("hub", mass=1.0, inertia=0.1)
    m.revolute(m.ground, hub.frame)
    m.drive_angle(m.ground, hub.frame, fm.Polynomial([0.0, 2.0]))
    steel, ends = fm.Material(7850, 205e9), ((0.2, 0.0), (1.2, 0.0))
    rod = m.add_beam("rod", *ends, material=steel, section=fm.Circle(diameter=0.01), theory=beam, elements=2)
    m.revolute(hub.attach("pin", (0.2, 0.0)), rod.start)
    m.set_rigid_motion((0.0, 0.4), 0.0, components=[rod])
    state = initial_state(m)
    speeds = [state[f"rod@{s}.vy"] for s in (0.5, 1.0)]
    np.testing.assert_allclose(speeds, 0.4, atol=1e-9)


def test_a_given_speed_that_is_not_kept_is_a_doubt():
    m = pendulum((0.0, 2.0), 0.0)
    with pytest.warns(InitialConditionWarning, match=r"'bob\.angle' was given 0 rad/s and starts with 1 rad/s"):
        run = fm.simulate(m, 0.1, progress=False)
    assert not run.trustworthy and "'bob.angle' was given 0 rad/s" in run.doubts[0]


def test_inertia_that_is_only_small_is_said_to_be():
    m = fm.PlanarModel("m")
    m.add_body("grain", mass=1.0, inertia=1e-18)
    m.add_body("stone", mass=2.0, inertia=1.0, position=(1.0, 1.0))
    with pytest.raises(SolverError, match=r"'grain.angle' has an inertia of only 5e-19 of that of 'stone.x'.*more"):
        fm.simulate(m, 0.1, progress=False)


def test_a_motion_without_inertia_is_named():
    m = fm.PlanarModel("m")
    m.add_body("stone", mass=2.0, inertia=1.0, position=(1.0, 1.0))
    tip = m.add_frame("tip", (0.5, 0.0))
    m.revolute(m.ground, tip.attach("pin", (-0.5, 0.0)))
    with pytest.raises(
        SolverError, match=r"a motion that no joint prevents \(of 'tip.angle', 'tip.y'\) has no inertia"
    ):
        fm.simulate(m, 0.1, progress=False)


def held_in_the_plane(mass, inertia, reach=1.0):
    """A body on a hinge, which a drive turns."""
    m = fm.PlanarModel("held")
    body = m.add_body("arm", mass=mass, inertia=inertia, position=(reach, 0.0))
    m.revolute(m.ground, body.attach("pin", (-reach, 0.0)))
    m.drive_angle(m.ground, body.frame, fm.Polynomial([0.0, 1.0]))
    return m


def held_in_space(mass, inertia, reach=1.0):
    """The same in space, where the angle of the drive is a coordinate without inertia."""
    m = fm.SpatialModel("held")
    body = m.add_body("arm", mass=mass, inertia=(inertia, inertia, inertia), position=(reach, 0.0, 0.0))
    m.revolute(m.ground, body.attach("pin", (-reach, 0.0, 0.0)))
    m.drive_angle(m.ground, body.frame, fm.Polynomial([0.0, 1.0]))
    return m


@pytest.mark.parametrize("held", [held_in_the_plane, held_in_space])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            (1e-308, 0.25),
            r"no motion free.*'arm\.x' has an inertia of only 4e-308 of that of 'arm\.\w+', lost in rounding",
        ),
        ((1e300, 0.25, 1e6), r"the inertia of coordinate 'arm\.x' exceeds all numbers; check masses and lengths"),
    ],
    ids=["too small a mass", "too large a mass"],
)
def test_inertias_that_rounding_loses_where_nothing_can_move_are_named(held, given, message):
    with pytest.raises(SolverError, match=message):
        fm.simulate(held(*given), 0.1, progress=False)


def test_joints_are_brought_together_beside_a_tire():
    """The deflection of a tire has no inertia, and only a row of speeds holds it."""
    m = fm.PlanarModel("pendulum and cart")
    bob = m.add_body("bob", mass=1.0, inertia=0.1, position=(1.00001, 0.0))
    m.revolute(m.ground, bob.attach("pin", (-1.0, 0.0)))
    cart = m.add_body("cart", mass=5.0, inertia=0.4, position=(0.0, 2.0))
    cart.frame.move((3.0, 0.1), 0.5)
    m.tire(m.ground, cart.frame, fm.TireLaw(load=50.0, cornering_stiffness=600.0, relaxation_length=0.1), name="tire")
    with pytest.warns(InitialConditionWarning, match="1e-05"):
        state = initial_state(m)
    assert np.hypot(*state.q[:2]) == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_array_equal(state.q[3:6], (0.0, 2.0, 0.0))


def test_joints_that_lose_rank_where_a_run_begins_are_named_though_the_model_stands_elsewhere():
    system, flat = System(four_bars(1)), System(four_bars(1, crank=0.0))
    with pytest.raises(fm.errors.RedundancyError, match=r"constrain the same motion in this position \(rank 7 of 8\)"):
        consistent_state(system, 0.0, flat.q0, flat.v0, of_model=False)
