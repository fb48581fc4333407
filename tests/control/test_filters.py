"""Filters: their frequency responses, plants behind them, and what cannot be a filter."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal
from hypothesis import given
from hypothesis import strategies as st

import flexmb as fm
from flexmb.errors import ControlError, ModelError, NamingError

T1, OMEGA, ZETA = 0.004, 150.0, 0.6


def by_hand(f: np.ndarray, derivative: bool) -> np.ndarray:
    """Kobayashi (n.d.), eq. (76), as it is printed."""
    s = 2j * np.pi * f
    low = OMEGA**2 / ((1.0 + T1 * s) * (s**2 + 2.0 * ZETA * OMEGA * s + OMEGA**2))
    return s * low if derivative else low


@pytest.mark.parametrize("derivative", [True, False])
def test_the_filter_of_the_source_has_its_frequency_response(derivative):
    f = np.geomspace(0.1, 1000.0, 40)
    made = (fm.control.differentiator if derivative else fm.control.low_pass)(T1, OMEGA, ZETA)
    np.testing.assert_allclose(made.response(f).values[:, 0, 0], by_hand(f, derivative), rtol=1e-10)
    assert len(made) == 3


@given(
    st.lists(st.floats(-3.0, 3.0), min_size=1, max_size=3),
    st.lists(st.floats(0.1, 3.0), min_size=2, max_size=4),
)
def test_any_proper_transfer_function(b, roots):
    a = np.poly(-np.array(roots))
    made = fm.control.transfer_function(b, a)
    s = 2j * np.pi * np.array([0.01, 0.2, 3.0])
    np.testing.assert_allclose(
        made.response([0.01, 0.2, 3.0]).values[:, 0, 0], np.polyval(b, s) / np.polyval(a, s), rtol=1e-8, atol=1e-10
    )


def test_a_numerator_of_full_degree_passes_directly():
    lead = fm.control.transfer_function([2.0, 1.0], [1.0, 3.0])
    assert lead.D.tolist() == [[2.0]]
    w, seen = scipy.signal.freqresp(lead.to_scipy(), w=[0.5, 5.0])
    np.testing.assert_allclose(seen, (2j * w + 1.0) / (1j * w + 3.0), rtol=1e-12)


def test_what_is_not_proper_is_told_with_the_remedy():
    with pytest.raises(ControlError, match=r"'rate'.*not proper.*degree 1.*degree 0.*\(1 \+ T s\)"):
        fm.control.transfer_function([1.0, 0.0], [1.0], name="rate")
    with pytest.raises(ControlError, match="denominator is zero"):
        fm.control.transfer_function([1.0], [0.0, 0.0])
    with pytest.raises(ModelError, match="finite"):
        fm.control.transfer_function([1.0], [np.nan, 1.0])
    with pytest.raises(ModelError, match="coefficients of s"):
        fm.control.transfer_function("s", [1.0])


def oscillator() -> fm.LinearModel:
    return fm.LinearModel(
        [[0, 1.0], [-9.0, -0.1]],
        [[0], [1.0]],
        np.eye(2),
        np.zeros((2, 1)),
        outputs=["x", "v"],
        operating_outputs=[2.0, 0],
    )


def test_outputs_behind_filters_respond_as_both_together():
    plant = oscillator()
    seen = fm.control.filtered(
        plant, {"v": fm.control.differentiator(T1, OMEGA, ZETA), "x": fm.control.low_pass(0.0, 2.0 * OMEGA, ZETA)}
    )
    f = np.array([0.1, 0.5, 5.0])
    alone, both = plant.response(f).values, seen.response(f).values
    np.testing.assert_allclose(both[:, 1, 0], alone[:, 1, 0] * by_hand(f, True), rtol=1e-10)
    assert len(seen) == 2 + 3 + 2
    assert seen.operating_outputs.tolist() == pytest.approx([2.0, 0.0])
    assert seen.controllable and seen.observable


def test_a_derivative_hides_what_stands_still():
    """Behind a differentiator alone, where a free mass is cannot be seen: its position is not observable."""
    mass = fm.LinearModel([[0, 1.0], [0, 0]], [[0], [1.0]], [[1.0, 0.0]], [[0.0]], outputs=["x"])
    assert mass.observable
    seen = fm.control.filtered(mass, {"x": fm.control.differentiator(T1, OMEGA, ZETA)})
    np.testing.assert_allclose(np.abs(seen.unobservable), [0.0], atol=1e-6)


def test_bad_filters_of_a_plant():
    with pytest.raises(NamingError, match="'w'"):
        fm.control.filtered(oscillator(), {"w": fm.control.low_pass(T1, OMEGA)})
    with pytest.raises(ControlError, match="one input and one output"):
        fm.control.filtered(oscillator(), {"v": oscillator()})
    with pytest.raises(ControlError, match="kind of time"):
        fm.control.filtered(oscillator(), {"v": fm.control.low_pass(T1, OMEGA).discrete(0.01)})
