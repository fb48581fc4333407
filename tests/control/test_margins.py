"""Stability margins: closed forms, Nyquist's criterion by winding numbers, loops that more gain makes stable, steps."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.control import loop_at, stability_margins, transfer_function
from flexmb.errors import ControlError, ModelError


def winding(loop: fm.LinearModel, pole_at_origin: bool) -> float:
    """How often L goes clockwise around −1, on Nyquist's contour, with a small half circle right of the origin."""
    w = np.geomspace(1e-4, 1e4, 400001)
    s = 1j * w
    if pole_at_origin:
        s = np.concatenate([1e-4 * np.exp(1j * np.linspace(0.0, 0.5 * np.pi, 2001)), s])
    num, den = np.poly(loop.A - loop.B @ loop.C), np.poly(loop.A)  # 1 + L = num/den, for D = 0
    value = np.polyval(num, s) / np.polyval(den, s)
    return -2.0 * float(np.sum(np.angle(value[1:] / value[:-1]))) / (2.0 * np.pi)


def test_three_lags():
    found = stability_margins(transfer_function([4.0], [1.0, 3.0, 3.0, 1.0]))
    omega = np.sqrt(4.0 ** (2.0 / 3.0) - 1.0)
    assert found.stable and found.gain == pytest.approx(2.0, rel=1e-12) and found.gain_reduction == 0.0
    np.testing.assert_allclose(found.gain_crossovers, [omega], rtol=1e-12)
    assert found.phase == pytest.approx(np.pi - 3.0 * np.arctan(omega), rel=1e-12)
    assert found.delay == pytest.approx(found.phase / omega, rel=1e-12)
    assert found.encirclements == 0
    assert "×2 (6.02 dB)" in str(found)


def test_delay_margin_is_that_of_the_crossover_with_the_least_delay():
    """A light resonance crosses again at a high frequency: less phase is left at the first crossover, less delay at the
    last."""
    loop = transfer_function([1.0, 0.02, 0.04], [1.0, 0.02, 1.0, 0.0])
    loop = fm.LinearModel(loop.A, loop.B, 0.5 * loop.C, loop.D)
    found = stability_margins(loop)
    lags = np.mod(found.phases, 2.0 * np.pi)
    assert len(lags) == 3 and found.stable
    assert found.delay == pytest.approx(np.min(lags / found.gain_crossovers), rel=1e-12)
    assert np.argmin(lags / found.gain_crossovers) != np.argmin(np.abs(found.phases))
    s = 1j * found.gain_crossovers
    value = 0.5 * (s**2 + 0.02 * s + 0.04) / (s**3 + 0.02 * s**2 + s)
    np.testing.assert_allclose(np.abs(value), 1.0, rtol=1e-10)


def test_a_loop_that_is_unstable_when_open_needs_gain():
    found = stability_margins(transfer_function([2.0], [1.0, -1.0]))
    assert found.stable and found.gain == np.inf and found.gain_reduction == pytest.approx(0.5, rel=1e-12)
    assert found.open_unstable == 1 and found.encirclements == -1
    assert found.phase == pytest.approx(np.pi / 3.0, rel=1e-12)


def test_a_conditionally_stable_loop_has_a_range_of_gains():
    """k (s + 1)²/s³: Routh gives k > 1/2; with a lag 1/(1 + s/50)² there is an upper limit too."""
    numerator = 2.0 * np.poly([-1.0, -1.0]) * 2500.0
    denominator = np.polymul([1.0, 0, 0, 0], np.poly([-50.0, -50.0]))
    found = stability_margins(transfer_function(numerator, denominator))
    [(low, high)] = found.stable_gains
    poles = [np.roots(np.polyadd(denominator, k * numerator)).real.max() for k in (low, high)]
    np.testing.assert_allclose(poles, 0.0, atol=1e-7)
    assert found.gain == high and found.gain_reduction == low and low < 1.0 < high


def test_an_unstable_loop_says_so_and_what_gain_would_do():
    found = stability_margins(transfer_function([9.0], [1.0, 3.0, 3.0, 1.0]))
    assert not found.stable and found.closed_unstable == 2
    assert found.gain == pytest.approx(8.0 / 9.0, rel=1e-12) and np.isnan(found.phase) and np.isnan(found.delay)
    assert "not stable: 2 poles grow; stable with its gain multiplied by 0 … 0.8889" in str(found)
    never = stability_margins(transfer_function([1.0], [1.0, -1.0, 1.0]))
    assert never.stable_gains == [] and "no gain makes it stable" in str(never)


@pytest.mark.parametrize(
    "numerator, denominator, origin",
    [
        ([9.0], [1.0, 3.0, 3.0, 1.0], False),
        ([4.0], [1.0, 3.0, 3.0, 1.0], False),
        ([2.0], [1.0, -1.0], False),
        ([1.0, 0.4], [1.0, 0.03, 4.0, 0.0], True),
        ([3.0, 1.0, 5.0], [1.0, -0.5, 4.0, 1.0, 2.0], False),
    ],
)
def test_encirclements_are_winding_numbers(numerator, denominator, origin):
    loop = transfer_function(numerator, denominator)
    assert stability_margins(loop).encirclements == round(winding(loop, origin))


def test_light_damping_hides_no_crossover():
    """A mode with a damping ratio of 1e-7 that peaks over one, between the points of any grid."""
    loop = transfer_function(np.polymul([0.3], [1.0]), np.polymul([1.0, 1.0], [1.0, 2e-7 * 40.0, 1600.0]) / 1600.0)
    found = stability_margins(loop)
    assert len(found.gain_crossovers) == 2
    assert not found.stable and 0.0 < found.gain < 1e-4


def test_steps():
    """A gain k on an integrator, sampled: closed pole 1 − k T. With a period of delay z² − z + k T."""
    T, k = 0.1, 4.0
    plain = fm.LinearModel([[1.0]], [[T * k]], [[1.0]], [[0.0]], period=T)
    found = stability_margins(plain)
    assert found.gain == pytest.approx(2.0 / (k * T), rel=1e-12)
    assert found.phase_crossovers[0] == pytest.approx(np.pi / T, rel=1e-12)
    omega = 2.0 * np.arcsin(0.5 * k * T) / T
    np.testing.assert_allclose(found.gain_crossovers, [omega], rtol=1e-12)
    assert found.phase == pytest.approx(0.5 * np.pi - 0.5 * omega * T, rel=1e-12)
    late = fm.LinearModel([[1.0, T * k], [0.0, 0.0]], [[0.0], [1.0]], [[1.0, 0.0]], [[0.0]], period=T)
    found = stability_margins(late)
    assert found.gain == pytest.approx(1.0 / (k * T), rel=1e-12)
    np.testing.assert_allclose(found.phase_crossovers[0], np.pi / (3.0 * T), rtol=1e-12)
    assert found.phase == pytest.approx(0.5 * np.pi - 1.5 * omega * T, rel=1e-12)


def test_direct_answers_leave_no_room_for_delay():
    found = stability_margins(fm.LinearModel([[-1.0]], [[1.0]], [[1.0]], [[1.5]]))
    assert found.stable and found.delay == 0.0
    with pytest.raises(ControlError, match="cannot be closed"):
        stability_margins(fm.LinearModel([[-1.0]], [[1.0]], [[1.0]], [[-1.0]]))


def test_bad_loops():
    two = fm.LinearModel([[-1.0]], [[1.0, 1.0]], [[1.0]], [[0.0, 0.0]])
    with pytest.raises(ControlError, match="cut at one place"):
        stability_margins(two)
    with pytest.raises(ModelError, match="must be a linear model"):
        stability_margins(3.0)
    with pytest.raises(ControlError, match="pole at −1"):
        stability_margins(fm.LinearModel([[-1.0]], [[1.0]], [[1.0]], [[0.0]], period=1.0))


def test_pictures(tmp_path):
    found = stability_margins(loop_at(transfer_function([1.0, 0.4], [1.0, 0.03, 4.0, 0.0]), "u1", [[0.3]]))
    for picture in (found.nyquist, found.nichols):
        figure = picture(tmp_path / "loop.png", labels={"gain crossover": "size one"}, background="dark")
        assert (tmp_path / "loop.png").stat().st_size > 1000
        labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
        assert labels[0] == "size one"
    with pytest.raises(ModelError, match="labels"):
        found.nyquist(labels=3)


def test_a_loop_that_is_singular_at_a_factor_is_stable_on_both_sides_of_it_only():
    loop = fm.LinearModel(np.zeros((0, 0)), np.zeros((0, 1)), np.zeros((1, 0)), np.array([[-2.0]]))
    found = stability_margins(loop)
    assert found.stable_gains == [(0.0, 0.5), (0.5, np.inf)]
    assert found.gain_reduction == 0.5
