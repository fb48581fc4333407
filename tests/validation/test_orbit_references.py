"""References of craft in orbit, against numbers that were made in 50 digits or by other means."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from flexmb.validation.orbits import closed_forms


@pytest.mark.parametrize("angle", [0.2, 0.7, 1.2])
def test_the_period_of_large_pitch_is_that_of_its_energy(angle):
    """T = 4 ∫ dθ/√(3 (sin² θ₀ − sin² θ)), with sin θ = sin θ₀ sin u."""
    s = np.sin(angle)
    wanted = quad(lambda u: 4.0 / np.sqrt(3.0 * (1.0 - (s * np.sin(u)) ** 2)), 0.0, 0.5 * np.pi, epsabs=1e-13)[0]
    assert closed_forms.pitch_period(angle) == pytest.approx(wanted, rel=1e-12)


def test_a_stiff_spring_leaves_the_pitch_of_a_rod():
    length, slow, fast = closed_forms.dumbbell(1e4)
    assert (length, slow) == (pytest.approx(1.0, abs=1e-7), pytest.approx(np.sqrt(3.0), rel=1e-7))
    assert fast == pytest.approx(np.sqrt(1e8 + 4.0 - 3.0), rel=1e-12)


def test_a_free_beam_pitches_as_a_rod_and_becomes_a_string_or_a_stiff_beam():
    """√3 for any EI; a string has ω² = 3 n (n + 1)/2; a stiff beam (β L)⁴ EI + 3 c with c = 3.0497641364."""
    for EI in (1e-3, 0.1, 10.0):
        assert closed_forms.free_beam(EI, 1)[0] == pytest.approx(np.sqrt(3.0), rel=1e-9)
    np.testing.assert_allclose(closed_forms.free_beam(0.0, 4) ** 2, [3.0, 9.0, 18.0, 30.0], rtol=1e-8)
    stiff = closed_forms.free_beam(100.0, 2)[1] ** 2 - 100.0 * 4.7300407449**4
    assert stiff == pytest.approx(3.0 * 3.0497641364, rel=1e-3)


def test_a_nearly_circular_ellipse_forces_a_pitch_of_its_eccentricity():
    """θ'' + 3 θ = 2 e sin ν: θ = e sin ν."""
    first, largest = closed_forms.periodic_pitch(1e-4)
    assert (first, largest) == (pytest.approx(1e-4, rel=4e-4), pytest.approx(1e-4, rel=4e-4))
