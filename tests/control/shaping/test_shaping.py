"""Shapers cancel what they are to cancel, by closed forms and in a nonlinear run; what they cannot is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmb as fm
from flexmb.control.shaping.quiet_step import step_residual
from flexmb.errors import AccuracyWarning, ControlError, ModelError

poles = st.builds(
    lambda omega, zeta: complex(-zeta * omega, omega * np.sqrt(1.0 - zeta * zeta)),
    st.floats(0.5, 50.0),
    st.floats(0.0, 0.3),
)


def vibration(shaper: fm.control.InputShaper, pole: complex) -> float:
    """The amplitude behind the last impulse, of an oscillator that gets them, by its states."""
    A = np.array([[0.0, 1.0], [-(abs(pole) ** 2), 2.0 * pole.real]])
    values, vectors = np.linalg.eig(A)
    x, before = np.zeros(2, dtype=complex), 0.0
    for t, a in zip(shaper.times, shaper.amplitudes):
        x = vectors @ (np.exp(values * (t - before)) * np.linalg.solve(vectors, x)) + np.array([0.0, a])
        before = t
    # ξ and (ξ̇ + ζω ξ)/ω_d are the parts of the swing
    x = x.real
    return float(np.hypot(x[0] * pole.imag, x[1] - pole.real * x[0]))


@settings(max_examples=25, deadline=None)
@given(poles, st.sampled_from(["zv", "zvd", "ei"]), st.floats(0.01, 0.2))
def test_what_is_left_of_a_mode_is_what_the_kind_promises(pole, kind, tolerance):
    shaper = fm.control.input_shaper(kind, pole, tolerance=tolerance)
    assert shaper.amplitudes.sum() == pytest.approx(1.0, abs=1e-14)
    assert vibration(shaper, pole) == pytest.approx(shaper.residual(pole), abs=1e-10)
    assert shaper.residual(pole) == pytest.approx(tolerance if kind == "ei" else 0.0, abs=1e-12)


def test_parts_without_damping_are_the_published_ones():
    T = 2.0 * np.pi / 3.0
    ei = fm.control.input_shaper("ei", 3.0j, tolerance=0.05)
    assert ei.times == pytest.approx([0.0, 0.5 * T, T])
    assert ei.amplitudes == pytest.approx([0.25 * 1.05, 0.5 * 0.95, 0.25 * 1.05], abs=1e-14)
    assert fm.control.input_shaper("zvd", 3.0j).amplitudes == pytest.approx([0.25, 0.5, 0.25])


@settings(max_examples=20, deadline=None)
@given(poles)
def test_zvd_is_flat_at_its_frequency_and_ei_rises_to_its_tolerance_there_only(pole):
    h = 1e-5 * pole.imag
    shaper = fm.control.input_shaper("zvd", pole)
    assert shaper.residual(pole + 1j * h) < 1e-8
    ei = fm.control.input_shaper("ei", pole, tolerance=0.05)
    near = pole + 1j * pole.imag * np.linspace(-0.1, 0.1, 41)
    assert np.argmax(ei.residual(near)) == 20


def test_a_shaped_function_ends_where_it_ended_and_keeps_its_rates():
    shaper = fm.control.input_shaper("ei", [-0.1 + 4.0j])
    for given_ in (
        fm.SmoothStep(0.5, 1.0, 1.0, 3.0),
        fm.TrapezoidalSpeed(2.0, 0.5, 0.5, 0.5),
        fm.Spline([0.0, 1.0, 2.0], [0.0, 1.0, 3.0]),
        fm.Harmonic(0.3, 5.0, phase=0.2, mean=1.0) + fm.PiecewiseLinear([0.0, 1.0], [0.0, 2.0]),
    ):
        shaped = shaper(given_)
        t = np.linspace(-1.0, 6.0, 57)
        for what in ("__call__", "rate", "second_rate"):
            wanted = sum(a * getattr(given_, what)(t - s) for a, s in zip(shaper.amplitudes, shaper.times))
            assert getattr(shaped, what)(t) == pytest.approx(wanted, abs=1e-9)


def test_shapers_in_turn_are_one_and_impulses_at_one_time_too():
    first, second = fm.control.input_shaper("zv", 2.0j), fm.control.input_shaper("zv", 5.0j)
    both = first * second
    assert both.residual([2.0j, 5.0j]) == pytest.approx([0.0, 0.0], abs=1e-14)
    assert len(both.times) == 4
    twice = first * first
    assert twice.amplitudes == pytest.approx(fm.control.input_shaper("zvd", 2.0j).amplitudes)
    again = fm.control.input_shaper("zv", [2.0j, 5.0j], modes=[0, 1])
    assert again.times == pytest.approx(both.times)
    assert again.amplitudes == pytest.approx(both.amplitudes)
    assert str(first).startswith("ZV shaper: 0.5 at 0 s, 0.5 at 1.571 s")


def oscillator(**options: float) -> fm.PlanarModel:
    model = fm.PlanarModel("oscillator")
    body = model.add_body("body", mass=2.0, inertia=0.1)
    model.prismatic(model.ground, body.frame, name="slide")
    stiffness, damping = options.get("stiffness", 8.0), options.get("damping", 0.4)
    model.bushing(model.ground, body.frame, stiffness=(stiffness, 0.0, 0.0), damping=(damping, 0, 0))
    return model


def test_modes_are_found_in_whatever_has_them():
    model = oscillator()
    pole = -0.1 + 1j * np.sqrt(4.0 - 0.01)
    wanted = fm.control.input_shaper("zv", pole)
    for about in (model, fm.assemble(model), fm.linearize(model), fm.complex_modes(model), fm.equilibrium(model)):
        found = fm.control.input_shaper("zv", about)
        assert found.times == pytest.approx(wanted.times)
        assert found.amplitudes == pytest.approx(wanted.amplitudes)
    undamped = fm.control.input_shaper("zv", fm.modes(model))
    assert undamped.times == pytest.approx([0.0, 0.5 * np.pi])
    assert fm.control.input_shaper("zv", fm.linearize(model).discrete(0.01)).times == pytest.approx(wanted.times)


def arm(elbow: float = 0.3) -> fm.PlanarModel:
    """Two bodies, the first on a spring, the second turned by a drive: the frequency follows the posture."""
    model = fm.PlanarModel("arm")
    upper = model.add_body("upper", mass=2.0, inertia=0.1, center=(0.5, 0.0))
    fore = model.add_body("fore", mass=1.0, inertia=0.05, position=(1.0, 0.0), angle=elbow, center=(0.5, 0.0))
    model.revolute(model.ground, upper.frame, name="shoulder")
    model.torsion_spring(model.ground, upper.frame, stiffness=40.0)
    model.revolute(upper.attach("elbow", (1.0, 0.0)), fore.frame, name="elbow")
    model.drive_angle(upper.frame, fore.frame, fm.SmoothStep(0.0, 1.0, elbow, 2.0), name="drive")
    return model


def test_along_a_run_the_frequency_follows_the_posture():
    model = arm()
    run = fm.simulate(model, 1.0, step=0.01)
    with pytest.warns(AccuracyWarning, match="its modes change over .* zv shaper leaves"):
        shaper = fm.control.input_shaper("zv", model, along=run)
    first, last = (fm.modes(at).omegas.max() for at in (arm(0.3), arm(2.0)))
    assert shaper.poles.shape == (9, 1)
    assert shaper.poles[0, 0].imag == pytest.approx(first, rel=1e-3)
    assert shaper.poles[-1, 0].imag == pytest.approx(last, rel=1e-3)
    assert shaper.times[1] == pytest.approx(np.pi / (0.5 * (first + last)), rel=1e-2)


def test_a_smooth_step_is_as_long_as_its_frequency_wants():
    omega = 7.0
    step = fm.control.quiet_step([1j * omega])
    t = np.linspace(0.0, step.duration, 20001)
    transform = np.trapezoid(step.rate(t) * np.exp(1j * omega * t), t)
    assert abs(transform) < 1e-7
    assert step_residual(omega * 0.5) == pytest.approx(
        abs(
            np.trapezoid(
                fm.SmoothStep(0, 0.5).rate(0.5 * t / t[-1]) * np.exp(1j * omega * 0.5 * t / t[-1]), 0.5 * t / t[-1]
            )
        ),
        rel=1e-6,
    )
    slow = fm.control.quiet_step([1j * omega], 0.0, 2.0, jerk=1.0)
    assert 60.0 * 2.0 / slow.duration**3 <= 1.0
    both = fm.control.quiet_step([1j * omega, 3j * omega], modes=[0, 1], tolerance=1e-2)
    assert step_residual(3.0 * omega * both.duration) <= 1e-2


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"kind": "zw"}, ModelError, "kind is 'zw'"),
        ({"modes": 1}, ControlError, "there is no mode number 1; 1 swing: 0.318 Hz"),
        ({"modes": [0, 0]}, ControlError, "each once"),
        ({"modes": []}, ControlError, "each once"),
        ({"about": [-2.0]}, ControlError, "there is no mode number 0; 0 swing: none"),
        ({"about": [0.1 + 2.0j]}, ControlError, "the plant is unstable, its pole 0.1"),
        ({"about": "arm"}, ModelError, "has no modes"),
        ({"about": [np.nan]}, ModelError, "NaN"),
        ({"tolerance": 0.0}, ModelError, "must be positive"),
        ({"tolerance": 1.5}, ControlError, "below one"),
        ({"about": [-1.9 + 0.6j], "kind": "ei"}, ControlError, "decays below that by itself"),
    ],
)
def test_what_cannot_be_shaped_is_refused(arguments, error, words):
    with pytest.raises(error, match=words):
        fm.control.input_shaper(**{"kind": "zv", "about": oscillator(), **arguments})


def upright() -> fm.PlanarModel:
    """A pendulum that stands on its hinge."""
    model = fm.PlanarModel("upright", gravity=(0.0, -9.81))
    bob = model.add_body("bob", mass=1.0, inertia=0.1, position=(0.0, 1.0))
    model.revolute(model.ground, bob.attach("pivot", (0.0, -1.0)), name="hinge")
    return model


def test_an_unstable_mechanism_gets_no_shaper():
    with pytest.raises(ControlError, match="the plant is unstable"):
        fm.control.input_shaper("zv", upright())
    with pytest.raises(ControlError, match="the mechanism leaves"):
        fm.control.input_shaper("zv", fm.modes(upright()))
    with pytest.raises(ControlError, match="other coordinates"):
        fm.control.input_shaper("zv", oscillator(), along=fm.simulate(arm(), 0.02, step=0.01))
    with pytest.raises(ControlError, match="give the model"):
        fm.control.input_shaper("zv", 2.0j, along=fm.simulate(arm(), 0.02, step=0.01))
