"""Linear models along runs: variational equations by hand, differences of two runs, coordinates that are carried along,
Floquet's multipliers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import flexmb as fm
from flexmb.analyses.linear.transport import magnus_exponent
from flexmb.errors import AccuracyWarning, ControlError, LinearModelError, ModelError, NamingError, SolverError

TIGHT = {"method": "radau", "tolerance": 1e-10, "progress": False}
G = 10.0


def swing(joint: str = "hinge") -> fm.PlanarModel:
    """A point mass that falls from the level and swings through, on a body hinged at the ground or on a rod."""
    model = fm.PlanarModel("swing", gravity=(0.0, -G))
    bob = model.add_body("bob", mass=1.0, inertia=0.0 if joint == "hinge" else 0.3, position=(1.0, 0.0))
    if joint == "hinge":
        model.revolute(model.ground, bob.attach("pivot", (-1.0, 0.0)), name="hinge")
    else:
        model.distance(model.ground, bob.frame, name="rod")
    return model


def by_hand(end: float) -> np.ndarray:
    """The transition matrix of θ̈ = −g cos θ about its motion."""

    def rates(t, y):
        A = np.array([[0.0, 1.0], [G * np.sin(y[0]), 0.0]])
        return [y[1], -G * np.cos(y[0]), *(A @ y[2:].reshape(2, 2)).ravel()]

    return solve_ivp(rates, (0.0, end), [0, 0, 1, 0, 0, 1], rtol=1e-12, atol=1e-12).y[2:, -1].reshape(2, 2)


def nominal(model, end: float, count: int = 11):
    return fm.simulate(model, end, **TIGHT).at(np.linspace(0.0, end, count))


def moved_by(model, run, along, size: float, x0, outputs):
    """The change of outputs by a disturbance of the start, over its size."""
    other = fm.simulate(model, float(run.t[-1]), initial=along.restore(size * x0), times=run.t, **TIGHT)
    return {name: (other[name] - run[name]) / size for name in outputs}


def test_magnus_is_of_fourth_order():
    def A(t):
        return np.array([[0.0, 1.0], [-1.0 - np.sin(3.0 * t), -0.2 * t]])

    import scipy.linalg

    def over(count):
        out, h = np.eye(2), 1.0 / count
        for k in range(count):
            out = scipy.linalg.expm(magnus_exponent(h, *(A((k + c) * h) for c in (0.0, 0.5, 1.0)))) @ out
        return out

    exact = solve_ivp(lambda t, y: (A(t) @ y.reshape(2, 2)).ravel(), (0, 1), [1, 0, 0, 1], rtol=1e-13, atol=1e-13)
    off = [np.abs(over(n) - exact.y[:, -1].reshape(2, 2)).max() for n in (8, 16)]
    assert 14.0 < off[0] / off[1] < 18.0


def test_a_swing_against_its_variational_equation():
    run = nominal(swing(), 1.2)
    along = fm.linearize(run, "bob.moment", ["bob.x", "hinge.fx"], along=True)
    assert along.states == ["bob.angle", "bob.angle rate"] and along.A.shape == (11, 2, 2) and len(along) == 2
    np.testing.assert_allclose(along.A[:, 1, 0], G * np.sin(run["bob.angle"]), atol=1e-8)
    np.testing.assert_allclose(along.C[:, 0, 0], -np.sin(run["bob.angle"]), atol=1e-8)
    np.testing.assert_allclose(along.transition(), by_hand(1.2), atol=1e-7)
    between = along.transition(0.31, 1.07)
    np.testing.assert_allclose(between @ along.transition(0.0, 0.31), along.transition(0.0, 1.07), atol=1e-7)
    np.testing.assert_allclose(along.transition(1.07, 0.31) @ between, np.eye(2), atol=1e-10)
    np.testing.assert_allclose(along.nominal_outputs[:, 0], run["bob.x"], atol=1e-8)
    frozen = along.at(0.6)
    assert frozen.states == along.states and frozen.A[1, 0] == pytest.approx(along.A[5, 1, 0], rel=1e-12)
    assert "2 states, 1 inputs, 2 outputs, 0 … 1.2 s" in repr(along) and "bob.angle" in along._repr_html_()


def test_directions_are_carried_along_where_no_coordinates_last():
    """On a rod neither x nor y determines the other throughout; the direction along the circle does."""
    run = nominal(swing("rod"), 1.2, 25)
    along = fm.linearize(run, along=True)
    assert along.states == ["direction 1", "bob.angle", "direction 1 rate", "bob.angle rate"]
    Φ = along.transition()
    np.testing.assert_allclose(Φ[np.ix_([0, 2], [0, 2])], by_hand(1.2), atol=1e-6)
    np.testing.assert_allclose(Φ[np.ix_([1, 3], [1, 3])], [[1.0, 1.2], [0.0, 1.0]], atol=1e-9)
    # A(t) is smooth, and is that of the coordinates given: integrated anew, it gives Φ
    A = CubicSpline(along.times, along.A)
    again = solve_ivp(
        lambda t, y: (A(t) @ y.reshape(4, 4)).ravel(), (0, 1.2), np.eye(4).ravel(), rtol=1e-10, atol=1e-10
    )
    np.testing.assert_allclose(again.y[:, -1].reshape(4, 4), Φ, atol=2e-4)
    with pytest.raises(SolverError, match=r"the coordinates bob.y, bob.angle do not determine the others"):
        fm.linearize(run, coordinates=["bob.y", "bob.angle"], along=True)


def test_carried_directions_of_bodies_that_turn_in_space(monkeypatch):
    """The transition over the same motion, in fixed and in carried coordinates, between the same displacements."""
    model = fm.SpatialModel("top", gravity=(0.0, 0.0, -G))
    body = model.add_body("body", mass=1.0, inertia=(0.1, 0.2, 0.25), position=(0.5, 0.0, 0.0))
    model.spherical(model.ground, body.attach("foot", (-0.5, 0.0, 0.0)), name="foot")
    body.move(angular_velocity=(2.0, 0.0, 3.0))
    run = nominal(model, 0.4, 5)
    fixed = fm.linearize(run, along=True)
    monkeypatch.setattr("flexmb.analyses.linear.nominal.FARTHEST", 0.0)
    carried = fm.linearize(run, along=True)
    assert carried.states[0] == "direction 1" and fixed.states[0] == "body.turn x"
    ends = []
    for along in (fixed, carried):
        P = [np.vstack([along.positions[k], along.speeds[k]]) for k in (0, -1)]
        ends.append(P[1] @ along.transition() @ np.linalg.pinv(P[0]))
    P = np.vstack([fixed.positions[0], fixed.speeds[0]])
    np.testing.assert_allclose(ends[0] @ P, ends[1] @ P, atol=1e-6)


@pytest.mark.parametrize("drive", [False, True])
def test_response_to_forces_and_drives(drive):
    def build(push):
        model = fm.PlanarModel("crane", gravity=(0.0, -G))
        cart = model.add_body("cart", mass=3.0, inertia=1.0)
        model.prismatic(model.ground, cart.frame, name="rail")
        bob = model.add_body("bob", mass=2.0, inertia=0.1, position=(np.sin(0.7), -np.cos(0.7)), angle=0.7)
        model.revolute(cart.frame, bob.attach("pivot", (0.0, 1.0)), name="hinge")
        if drive:
            model.drive_position(model.ground, cart.frame, fm.Polynomial([0.0, 0.0, 0.3 + 0.5 * push]), name="winch")
        else:
            model.point_force(cart.frame, (1.0, 0.0), factor=push, name="winch")
        return model

    run = nominal(build(0.0), 0.8)
    outputs = ["bob.x", "bob.vy", "hinge.fy"]
    along = fm.linearize(run, "winch", outputs, along=True)
    u = {"winch": np.ones(11)}
    small, off = along.response(u), []
    for size in (4e-2, 1e-2):
        other = fm.simulate(build(size), 0.8, times=run.t, **TIGHT)
        off.append([np.abs((other[name] - run[name]) / size - small[name]).max() for name in outputs])
    np.testing.assert_allclose(np.divide(*off), 4.0, rtol=0.1)
    np.testing.assert_allclose(along.response(np.ones((11, 1))).y, small.y)


def test_a_skate_has_fewer_speeds_than_places():
    model = fm.PlanarModel("skate")
    body = model.add_body("skate", mass=2.0, inertia=0.3)
    model.knife_edge(model.ground, body.attach("blade", (0.2, 0.0)), name="blade")
    body.move((1.0, -0.2), angular_velocity=1.0)
    run = nominal(model, 1.0)
    outputs = ["skate.x", "skate.vy", "skate.angle"]
    along = fm.linearize(run, [], outputs, along=True)
    assert len(along) == 5
    x0 = np.array([0.3, -0.2, 0.5, 0.4, -0.6])
    small = along.response(x0=x0)
    off = [moved_by(model, run, along, e, x0, outputs) for e in (2e-2, 5e-3)]
    ratios = [np.divide(*(np.abs(one[name] - small[name]).max() for one in off)) for name in outputs[:2]]
    np.testing.assert_allclose(ratios, 4.0, rtol=0.15)


def test_states_of_first_order_without_their_integrals():
    model = fm.PlanarModel("wheel", gravity=(0.0, -G))
    wheel = model.add_body("wheel", mass=1.0, inertia=1.0, position=(0.3, 0.0))
    model.revolute(model.ground, wheel.attach("axle", (-0.3, 0.0)), name="axle")
    motor = model.point_torque(wheel.frame, 0.0, name="motor")
    read = [fm.control.RelativeAngle(model.ground, wheel.frame)]
    model.add_states("lag", lambda t, y, x: [-5.0 * x[0] - 3.0 * y[0]], decide=lambda t, y, x: [x[0]], sensors=read,
                     commands=motor, start=0.2)  # fmt: skip
    run = nominal(model, 0.8)
    along = fm.linearize(run, along=True)
    assert along.states == ["wheel.angle", "wheel.angle rate", "lag.x1"]
    slope = 0.3 * G * np.sin(run["wheel.angle"]) / 1.09
    expected = np.array([[[0, 1, 0], [s, 0, 1 / 1.09], [-3.0, 0, -5.0]] for s in slope])
    np.testing.assert_allclose(along.A, expected, atol=1e-6)


def test_a_touch_whose_force_grows_from_zero():
    model = fm.PlanarModel("ball", gravity=(0.0, -G))
    ball = model.add_body("ball", mass=1.0, inertia=0.1, position=(0.0, 0.3))
    model.contact(model.ground, ball.frame, fm.HalfPlane("y"), stiffness=2000.0, name="floor")
    run = nominal(model, 0.5, 15)
    assert run["ball.vy"][-1] > 0.0
    along = fm.linearize(run, [], ["ball.y"], along=True)
    x0 = np.zeros(6)
    x0[along.states.index("ball.y")] = 1.0
    small = along.response(x0=x0)["ball.y"]
    off = np.abs(moved_by(model, run, along, 1e-4, x0, ["ball.y"])["ball.y"] - small).max()
    assert off < 2e-3 * np.abs(small).max()


# -- Floquet --------------------------------------------------------------------------------------------------------


def spinning() -> fm.SpatialModel:
    model = fm.SpatialModel("body")
    body = model.add_body("body", mass=1.0, inertia=(1.0, 2.0, 3.0))
    body.move(angular_velocity=(0.0, 2.0, 0.0))
    return model


def test_a_turn_changes_the_sign_of_a_quaternion():
    """Spin about the middle axis: λ² = Ω² (B − A)(C − B)/(A C); the other ten multipliers are 1."""
    found = fm.linearize(nominal(spinning(), np.pi, 7), along=True).floquet()
    sizes = np.sort(np.abs(found.multipliers))
    growth = np.exp(2.0 * np.sqrt(1.0 / 3.0) * np.pi)
    np.testing.assert_allclose([sizes[-1], sizes[0]], [growth, 1.0 / growth], rtol=1e-7)
    np.testing.assert_allclose(sizes[1:-1], 1.0, atol=1e-4)
    assert found.grows and not found.stable and "unstable" in str(found)
    assert found.exponents[0].real == pytest.approx(2.0 / np.sqrt(3.0), rel=1e-7)


def oscillator(damping: float = 0.0) -> fm.PlanarModel:
    model = fm.PlanarModel("oscillator")
    body = model.add_body("body", mass=1.0, inertia=0.1, position=(1.0, 0.0))
    model.prismatic(model.ground, body.frame, name="rail")
    place, seat = body.attach("place", (-1.0, 0.0)), model.ground
    model.bushing(seat, place, stiffness=(4.0, 0.0, 0.0), damping=(damping, 0.0, 0.0), name="spring")
    body.move((0.8, 0.0))
    return model


def test_what_is_no_period_is_refused_with_the_distance():
    along = fm.linearize(nominal(oscillator(), 4.0), along=True)
    with pytest.raises(LinearModelError, match=r"2 s are no period: .* the state changes by \d.*'body.x"):
        along.floquet(2.0)
    with pytest.raises(LinearModelError, match="longer than the run"):
        along.floquet(5.0)
    found = along.floquet(np.pi)
    assert found.along is not None and found.distance < 1e-6 and not found.grows and not found.stable
    with pytest.raises(ModelError, match="period"):
        along.floquet(-1.0)


# -- bad input --------------------------------------------------------------------------------------------------------


def test_bad_runs_and_arguments(tmp_path):
    run = nominal(oscillator(0.1), 1.0, 5)
    with pytest.raises(ModelError, match="takes a fresh solution"):
        fm.linearize(oscillator(), along=True)
    with pytest.raises(ModelError, match="no modes"):
        fm.linearize(run, "body.fx", "body.x", along=True, modes=2)
    with pytest.raises(NamingError, match="wind"):
        fm.linearize(run, "wind", along=True)
    with pytest.raises(ModelError, match="one time only"):
        fm.linearize(run.at([0.5]), along=True)
    along = fm.linearize(run, "body.fx", "body.x", along=True)
    with pytest.raises(ModelError, match="from 0 to 1 s"):
        along.transition(0.0, 3.0)
    with pytest.raises(ModelError, match=r"\(5, 1\) \(times, inputs\)"):
        along.response(np.zeros(3))
    with pytest.raises(NamingError, match=r"body\.fx"):
        along.response({"wind": np.zeros(5)})
    with pytest.raises(ModelError, match="x0"):
        along.response(x0=[1.0, 2.0, 3.0])


def test_events_and_controllers_are_refused_by_name():
    model = oscillator()
    model.add_event(0.3, fm.Switch(off="spring"), name="cut")
    with pytest.raises(LinearModelError, match="event 'cut' switches"):
        fm.linearize(fm.simulate(model, 1.0, **TIGHT), along=True)
    model = oscillator()
    model.add_event(fm.crossing("body.x", 1.1, "up"), fm.Note(), name="seen")
    assert len(fm.linearize(fm.simulate(model, 0.2, step=0.1, progress=False), along=True)) == 2
    model = oscillator()
    body = model.components["body"].frame
    push = model.point_force(body, (1.0, 0.0), factor=0.0, name="push")
    read = [fm.control.Speedometer(body, 0.0)]
    model.add_controller("servo", period=0.1, sensors=read, commands=push, law=[[-1.0]])
    with pytest.raises(ControlError, match="'servo', which act at instants"):
        fm.linearize(fm.simulate(model, 0.5, step=0.1, progress=False), along=True)
    with pytest.raises(ModelError, match=r"coordinates is 'body\.x'; give a list"):
        fm.linearize(nominal(oscillator(), 0.2, 3), "body.fx", "body.x", coordinates="body.x", along=True)


def pushed(force, factor=1.0):
    """A body on a rail under a force of its own, function of the place, and one of time."""
    model = fm.PlanarModel("pushed")
    body = model.add_body("body", mass=1.0, inertia=1.0)
    model.prismatic(model.ground, body.frame)
    body.move((1.0, 0.0))
    model.python_force(body.frame, lambda t, x, v: np.array([force(x[0]), 0.0, 0.0]), name="own")
    model.point_force(body.frame, (1.0, 0.0), factor=factor, name="push")
    return model


def test_a_force_that_jumps_with_the_place_is_refused_and_one_with_time_is_not():
    jumps = pushed(lambda x: -4.0 * x + (3.0 if x > 0.5003 else 0.0))
    with pytest.raises(
        LinearModelError, match=r"at t = 0\.\d+ s a force jumps \(seen in the acceleration of 'body.x'\)"
    ):
        fm.linearize(nominal(jumps, 1.5), along=True)
    steep = pushed(lambda x: -4.0 * x + 1.5 * np.tanh((x - 0.5003) / 1e-3))
    assert len(fm.linearize(nominal(steep, 0.6), along=True)) == 2
    along = fm.linearize(nominal(pushed(lambda x: -4.0 * x, fm.Step(0.31)), 1.0), along=True)
    wanted = [[np.cos(2.0), np.sin(2.0) / 2.0], [-2.0 * np.sin(2.0), np.cos(2.0)]]
    assert along.transition() == pytest.approx(np.array(wanted), abs=1e-6)


def test_times_too_far_apart_are_doubted():
    model = pushed(lambda x: -30.0 * x**3, 0.0)
    full = fm.linearize(nominal(model, 1.0), along=True).transition()
    close = fm.simulate(model, 1.0, times=np.linspace(0.0, 1.0, 41), **TIGHT)
    assert fm.linearize(close, along=True).transition() == pytest.approx(full, abs=1e-4)
    few = fm.simulate(model, 1.0, times=[0.0, 0.5, 1.0], **TIGHT)
    with pytest.warns(AccuracyWarning, match="too far apart to tell"):
        fm.linearize(few, along=True)
