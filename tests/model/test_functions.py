"""Functions of time: values against plain formulas, rates against differences, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.interpolate import CubicSpline

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.kernels.compilation import compiled
from flexmb.kernels.slots import time_function
from flexmb.model.functions.time_function import as_function, as_motion

TIMES = np.array([0.0, 0.4, 1.0, 1.7, 2.5])
VALUES = np.array([1.0, -0.5, 0.3, 2.0, 1.1])


def trapezoid(t):
    """Distance 3 in 1 s up, 2 s level, 0.5 s down from t = 0.5, as the integral of the speed."""
    corners = [0.5, 1.5, 3.5, 4.0]
    speed = 3.0 / 2.75
    return quad(lambda x: np.interp(x, corners, [0, speed, speed, 0]), 0.0, t, points=corners, epsabs=1e-13)[0]


def spin_up(t):
    """4 rad/s within 3 s from t = 0.25, as the integral of the speed."""

    def speed(x):
        x = min(max(x - 0.25, 0.0), 3.0)
        return 4.0 / 3.0 * (x - 3.0 / (2 * math.pi) * math.sin(2 * math.pi * x / 3.0))

    return quad(speed, 0.0, t, points=[0.25, 3.25], epsabs=1e-13)[0]


def quintic(t):
    s = min(max((t - 0.5) / 2.0, 0.0), 1.0)
    return -1.0 + 4.0 * (10 * s**3 - 15 * s**4 + 6 * s**5)


#: function, plain formula, the times where a rate may jump
CASES = {
    "constant": (fm.Constant(2.5), lambda t: 2.5, []),
    "polynomial": (
        fm.Polynomial([1, -2, 0.5, 0.25], 0.3),
        lambda t: np.polyval([0.25, 0.5, -2, 1], t - 0.3),
        [],
    ),
    "smooth step": (fm.SmoothStep(0.5, 2.0, -1.0, 3.0), quintic, [0.5, 2.5]),
    "trapezoid": (fm.TrapezoidalSpeed(3.0, 1.0, 2.0, 0.5, t_start=0.5), trapezoid, [0.5, 1.5, 3.5, 4.0]),
    "harmonic": (fm.Harmonic(2.0, 3.0, 0.4, -1.0), lambda t: 2.0 * math.sin(3.0 * t + 0.4) - 1.0, []),
    "spin-up": (fm.SpinUp(4.0, 3.0, t_start=0.25), spin_up, [0.25, 3.25]),
    "spline": (
        fm.Spline(TIMES, VALUES),
        lambda t: float(CubicSpline(TIMES, VALUES)(min(max(t, 0.0), 2.5))),
        list(TIMES),
    ),
    "step": (fm.Step(0.7, -1.0, 2.0), lambda t: -1.0 if t < 0.7 else 2.0, [0.7]),
    "pulse": (fm.Pulse(0.5, 0.3, 4.0), lambda t: 4.0 * (0.5 <= t < 0.5 + 0.3), [0.5, 0.8]),
    "pulses": (
        fm.Pulse(0.25, 0.5, 2.0, period=1.5),
        lambda t: 2.0 * (t >= 0.25 and (t - 0.25) % 1.5 < 0.5),
        [0.25, 0.75, 1.75, 2.25, 3.25, 3.75, 4.75],
    ),
    "lines": (fm.PiecewiseLinear(TIMES, VALUES), lambda t: float(np.interp(t, TIMES, VALUES)), list(TIMES)),
    "sum": (
        3.0 + 2.0 * fm.Harmonic(1.0, 2.0) - fm.Polynomial([0.0, 1.0]) / 4.0 + 0.5 * fm.Spline(TIMES, VALUES),
        lambda t: (
            3.0 + 2.0 * math.sin(2.0 * t) - 0.25 * t + 0.5 * float(CubicSpline(TIMES, VALUES)(min(max(t, 0.0), 2.5)))
        ),
        list(TIMES),
    ),
}
each = pytest.mark.parametrize("name", CASES)


@each
def test_value(name):
    f, formula, corners = CASES[name]
    for t in [*np.linspace(-0.5, 5.0, 37), *corners]:
        assert f(t) == pytest.approx(formula(t), abs=1e-12)


@each
def test_rates(name):
    """First and second rate against differences of eighth order, away from corners."""
    f, _, corners = CASES[name]
    steps = 0.01 * np.arange(-4, 5)
    first = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / 0.01
    for t in np.linspace(-0.5, 5.0, 53):
        if all(abs(t - c) > 0.041 for c in corners):
            assert f.rate(t) == pytest.approx(first @ f(t + steps), abs=1e-11)
            assert f.second_rate(t) == pytest.approx(first @ f.rate(t + steps), abs=1e-11)


@pytest.mark.parametrize("name", ["smooth step", "spin-up"])
def test_smooth_ones_have_no_jump_in_second_rate(name):
    f, _, corners = CASES[name]
    for corner in corners:
        assert f.second_rate(corner - 1e-7) == pytest.approx(f.second_rate(corner + 1e-7), abs=1e-5)


def test_clamped_spline_comes_to_rest():
    f = fm.Spline(TIMES, VALUES, ends="clamped")
    assert f.rate(0.0) == pytest.approx(0.0, abs=1e-14) and f.rate(2.5) == pytest.approx(0.0, abs=1e-14)
    assert abs(fm.Spline(TIMES, VALUES).rate(2.5)) > 0.1  # the end itself belongs to the table
    assert fm.Spline(TIMES, VALUES).rate(2.5 + 1e-12) == 0.0


def test_natural_spline_is_straight_at_its_ends():
    f = fm.Spline(TIMES, VALUES, ends="natural")
    assert f.second_rate(0.0) == pytest.approx(0.0, abs=1e-13) and f.second_rate(2.5) == pytest.approx(0.0, abs=1e-13)
    assert abs(f.rate(0.0)) > 0.1 and abs(fm.Spline(TIMES, VALUES).second_rate(0.0)) > 0.1
    np.testing.assert_allclose(f(TIMES), VALUES, atol=1e-14)


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 40), st.floats(-1.0, 2.0), st.integers(0, 2**31))
def test_spline_finds_its_interval(points, part, seed):
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(1e-3, 1.0, points))
    values = rng.standard_normal(points)
    t = float(times[0] + part * (times[-1] - times[0]))
    expected = CubicSpline(times, values)(np.clip(t, times[0], times[-1]))
    assert fm.Spline(times, values)(t) == pytest.approx(float(expected), rel=1e-10, abs=1e-10)


def test_arrays_and_scalars():
    f = fm.Harmonic(1.0, 2.0)
    times = np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(f(times), np.sin(2 * times), atol=1e-15)
    assert isinstance(f(1), float) and f.rate(times[:, ::2]).shape == (2, 2)
    assert f([]).shape == (0,)


def test_arithmetic():
    f, g = fm.Harmonic(1.0, 2.0), fm.SmoothStep(0.0, 1.0)
    t = 0.3
    assert (-f)(t) == -f(t)
    assert (1 - f)(t) == pytest.approx(1 - f(t))
    assert (2.0 * (f + 2 * (g - 1)) / 4.0)(t) == pytest.approx(0.5 * (f(t) + 2 * (g(t) - 1)))
    assert isinstance(np.float64(2.0) * f, fm.TimeFunction) and (np.float64(2.0) * f)(t) == 2 * f(t)
    assert sum([f, g, f])(t) == pytest.approx(2 * f(t) + g(t))
    total = f + g
    assert (3.0 * total)(t) == pytest.approx(3.0 * (f(t) + g(t)))
    assert total(t) == pytest.approx(f(t) + g(t))  # scaling leaves the original alone


def test_numbers_of_any_type_are_kept_as_floats():
    travel = fm.TrapezoidalSpeed(np.float32(3.0), np.array(1.0), np.int64(2), 1)
    kept = [travel.distance, travel.accelerate, travel.cruise, travel.decelerate, travel.t_start]
    assert kept == [3.0, 1.0, 2.0, 1.0, 0.0] and {type(number) for number in kept} == {float}


@each
def test_parameters_stand_anywhere_in_a_row(name):
    f, formula, _ = CASES[name]
    own = f.parameters()
    assert own[1] == len(own)
    row = np.concatenate([np.full(6, np.nan), own, np.full(3, np.nan)])
    assert time_function(row, 6, 1.3)[0] == pytest.approx(formula(1.3), abs=1e-12)
    own[:] = 0.0  # `parameters` returns a copy
    assert f(1.3) == pytest.approx(formula(1.3), abs=1e-12)


@compiled
def from_matrix(p, t):
    return time_function(p[1], 2, t)


def test_from_a_kernel():
    f = fm.Polynomial([1.0, 2.0, 3.0])
    p = np.zeros((2, 2 + len(f.parameters())))
    p[1, 2:] = f.parameters()
    assert from_matrix(p, 2.0) == (17.0, 14.0, 6.0)


# -- spline_fit -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function, start, end",
    [
        (lambda t: math.exp(-t) * math.sin(5 * t), 0.0, 4.0),
        (lambda t: abs(t - 0.3), 0.0, 1.0),
        (lambda t: math.sin(32 * math.pi * t), 0.0, 1.0),  # zero at all first points
        (lambda t: 1e6 * math.tanh(t), -3.0, 3.0),
        (lambda t: 0.0, 5.0, 6.0),
    ],
)
def test_a_spline_fit_keeps_its_promise(function, start, end):
    f = fm.spline_fit(function, start, end, tolerance=1e-7)
    times = np.linspace(start, end, 3001)
    exact = np.array([function(t) for t in times])
    size = max(1.0, np.abs(exact).max())
    assert f.error <= 1e-7 * size
    assert np.abs(f(times) - exact).max() <= 1e-7 * size
    assert f(end + 1.0) == pytest.approx(exact[-1], abs=1e-9 * size)


def test_a_spline_fit_takes_points_where_they_are_needed():
    f = fm.spline_fit(lambda t: math.tanh(50 * (t - 0.5)), 0.0, 1.0)
    gaps = np.diff(f.times)
    assert gaps[np.searchsorted(f.times, 0.5)] < 0.02 * gaps[0]


@pytest.mark.parametrize(
    "function, message",
    [
        (lambda t: 1.0 / (t - 0.5), r"raised ZeroDivisionError at t = 0\.5"),
        (lambda t: math.nan if t > 0.2 else 0.0, r"the value at t = 0\.25 is nan"),
        (lambda t: "high", r"the value at t = 0 must be a number, not 'high'"),
        (lambda t: float(t > 0.3), r"largest error is 0\.\d+ at t = 0\.3"),
        (3.0, r"3\.0 is not a function"),
    ],
)
def test_a_spline_fit_says_what_is_wrong(function, message):
    with pytest.raises(ModelError, match=message):
        fm.spline_fit(function, 0.0, 1.0)


def test_a_spline_fit_needs_a_span():
    with pytest.raises(ModelError, match="end is 1; it must be later than t_start, 1"):
        fm.spline_fit(math.sin, 1.0, 1.0)


# -- what is refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: fm.Constant(math.inf), "Constant: value is inf"),
        (lambda: fm.Polynomial([]), "coefficients are empty"),
        (lambda: fm.Polynomial([1.0, math.nan]), r"coefficients\[1\] is nan"),
        (lambda: fm.SmoothStep(0.0, 0.0), "SmoothStep: duration is 0; it must be positive"),
        (lambda: fm.TrapezoidalSpeed(1.0, 0.0, 1.0, 1.0), "accelerate is 0"),
        (lambda: fm.TrapezoidalSpeed(1.0, 1.0, -1.0, 1.0), "cruise is -1"),
        (lambda: fm.Harmonic("a", 1.0), "amplitude must be a number"),
        (lambda: fm.SpinUp(1.0, -2.0), "SpinUp: duration is -2"),
        (lambda: fm.Spline([0, 1], [1, 2, 3]), "2 times and 3 values"),
        (lambda: fm.Spline([0, 1, 1], [1, 2, 3]), "after 1 comes 1"),
        (lambda: fm.Spline([0], [1]), "at least two points"),
        (lambda: fm.Spline([[0, 1]], [1, 2]), r"shape \(1, 2\)"),
        (lambda: fm.Spline([0, 1, 2], [1, 2, 3], ends="loose"), "ends is 'loose'; choose one of"),
        (lambda: fm.Step(math.nan), "Step: t_start is nan"),
        (lambda: fm.Pulse(0.0, 0.0), "Pulse: duration is 0; it must be positive"),
        (lambda: fm.Pulse(0.0, 0.5, 1.0, period=0.5), "period is 0.5 s; it must be longer than the duration, 0.5 s"),
        (lambda: fm.Pulse(0.0, 0.5, 1.0, period=0.0), "period is 0; it must be positive"),
        (lambda: fm.PiecewiseLinear([0, 1], [1, 2, 3]), "PiecewiseLinear: there are 2 times and 3 values"),
        (lambda: fm.PiecewiseLinear([0, 2, 1], [1, 2, 3]), "PiecewiseLinear: times must rise; after 2 comes 1"),
        (lambda: fm.Pulse(0.0, 1e-9, 1.0, period=2e-9).kinks_until(10.0), r"it rises 5e\+09 times until t = 10 s"),
        (
            lambda: as_motion(fm.Step(1.0), "angle", "drive 'd'"),
            "drive 'd': angle jumps by 1 at t = 1 s.*SmoothStep",
        ),
        (
            lambda: as_motion(fm.PiecewiseLinear([1, 2], [0, 3]), "angle", "drive 'd'"),
            "drive 'd': the rate of angle jumps by 3 at t = 1 s.*Spline",
        ),
        (lambda: fm.Harmonic(1, 1) * fm.Harmonic(1, 1), "only numbers can scale"),
        (lambda: fm.Harmonic(1, 1) / 0, "divisor is zero"),
        (lambda: fm.Harmonic(1, 1) + "x", "other summand must be a number"),
        (
            lambda: as_function(math.sin, "angle", "joint 'j'"),
            r"joint 'j': angle is a function of Python.*fm\.spline_fit",
        ),
        (lambda: as_function(None, "angle", "joint 'j'"), "joint 'j': angle must be a number, not None"),
    ],
)
def test_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_as_function():
    f = fm.Harmonic(1.0, 1.0)
    assert as_function(f, "angle", "here") is f
    assert as_function(2, "angle", "here")(5.0) == 2.0


def test_where_pieces_end():
    lift = 0.5 * fm.TrapezoidalSpeed(3.0, 1.0, 2.0, 0.5, t_start=0.5) + fm.SmoothStep(1.5, 2.0) - fm.Harmonic(1.0, 3.0)
    assert lift.kinks == [0.5, 1.5, 3.5, 4.0]
    assert fm.Polynomial([0.0, 1.0], t_start=1.0).kinks == fm.Constant(2.0).kinks == []
    assert fm.SpinUp(4.0, 3.0, t_start=0.25).kinks == [0.25, 3.25]
    assert (2.0 * fm.Spline(TIMES, VALUES)).kinks == [0.0, 2.5]
    assert (fm.Spline(TIMES, VALUES) / 3.0 - 1.0).kinks == [0.0, 2.5]


def test_kinks_of_components_are_those_of_their_functions():
    model = fm.PlanarModel("kinks")
    body = model.add_body("body", mass=1.0, inertia=1.0)
    assert model.point_force(body.frame, (1.0, 0.0), factor=fm.SmoothStep(1.5, 2.0)).kinks_until(-np.inf) == [1.5, 3.5]
    assert model.point_force(body.frame, (1.0, 0.0)).kinks_until(-np.inf) == [] == body.kinks_until(-np.inf)
    assert model.motor(model.ground, body.frame, torque=fm.Spline(TIMES, VALUES)).kinks_until(-np.inf) == [0.0, 2.5]
    assert model.drive_angle(model.ground, body.frame, fm.SpinUp(4.0, 3.0)).kinks_until(-np.inf) == [0.0, 3.0]


def test_pulses_rise_and_fall_where_their_kinks_are():
    """To the last bit, after many periods too, and with a start far away."""
    for f in (fm.Pulse(0.1, 0.3, 1.0, period=0.7), fm.Pulse(-1e4, 0.01, 1.0, period=0.03), fm.Pulse(1.0, 0.3)):
        some = np.array(f.kinks_until(2000.0))
        rises, falls = some[::2], some[1::2]
        assert np.all(f(rises) == 1.0) and np.all(f(np.nextafter(rises, -np.inf)) == 0.0)
        assert np.all(f(falls) == 0.0) and np.all(f(np.nextafter(falls, -np.inf)) == 1.0)
    assert fm.Pulse(0.0, 1.0, period=2.0).kinks_until(5.0) == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert fm.Pulse(0.0, 1.0, period=2.0).kinks == [0.0, 1.0] and fm.Step(2.0).kinks_until(1.0) == [2.0]


def test_jumps_that_cancel_are_none():
    level = fm.Step(1.0) - 0.5 * fm.Step(1.0, to_value=2.0) + fm.PiecewiseLinear([0.0, 1.0], [2.0, 2.0])
    assert level.jumps() == {} and as_motion(level, "angle", "drive") is level
    assert (3.0 * fm.Pulse(0.0, 1.0, 2.0)).jumps() == {0.0: (6.0, 0.0), 1.0: (-6.0, 0.0)}
    assert fm.Spline(TIMES, VALUES).jumps() == fm.TrapezoidalSpeed(1.0, 1.0, 1.0, 1.0).jumps() == {}


@pytest.mark.parametrize("f", [fm.Step(0.5), fm.Pulse(0.5, 0.1), fm.PiecewiseLinear([0.0, 1.0], [0.0, 1.0])])
def test_drives_do_not_follow_jumps(f):
    plane, space = fm.PlanarModel("plane"), fm.SpatialModel("space")
    body = plane.add_body("body", mass=1.0, inertia=0.1)
    box = space.add_body("box", mass=1.0, inertia=(0.1, 0.1, 0.1))
    hinge = space.revolute(space.ground, box.frame, axis="z")
    bob = space.add_body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1.0, 0.0, 0.0))
    for make in (
        lambda: plane.drive_angle(plane.ground, body.frame, f),
        lambda: plane.drive_position(plane.ground, body.frame, f),
        lambda: plane.drive_distance(plane.ground, body.attach("tip", (1.0, 0.0)), 1.0 + f),
        lambda: plane.motor(plane.ground, body.frame, angle=f),
        lambda: space.drive_joint(hinge, f),
        lambda: space.drive_angle(space.ground, bob.frame, f, axis="z"),
        lambda: space.drive_position(space.ground, bob.frame, (0.0, f, 0.0)),
        lambda: space.drive_rotation(space.ground, bob.frame, (0.0, f, 0.0)),
        lambda: space.motor(space.ground, box.frame, angle=f),
    ):
        with pytest.raises(ModelError, match=r"jumps by .* at t = .*use fm\.SmoothStep"):
            make()
