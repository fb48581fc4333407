"""The tables of numbers: against SciPy's, and against the conditions of order."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import DOP853

from flexmb.algebra.tableau import DORMAND_PRINCE, FEHLBERG


def test_dormand_prince_has_the_numbers_of_scipy():
    table = DORMAND_PRINCE
    for ours, theirs in zip(
        (table.a, table.b, table.c, *table.errors), (DOP853.A, DOP853.B, DOP853.C, DOP853.E5[:12], DOP853.E3[:12])
    ):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("table", [FEHLBERG, DORMAND_PRINCE])
def test_conditions_of_quadrature_and_of_linear_equations(table):
    """Σ b cʲ = 1/(j + 1) and bᵀ Aʲ 1 = 1/(j + 1)! to the order of the method; stages are consistent."""
    np.testing.assert_allclose(table.a.sum(axis=1), table.c, atol=1e-14)
    power, factorial = np.ones(len(table.b)), 1.0
    for j in range(table.order):
        factorial *= j + 1
        assert table.b @ table.c**j == pytest.approx(1.0 / (j + 1), abs=2e-14)
        assert table.b @ power == pytest.approx(1.0 / factorial, abs=2e-14)
        power = table.a @ power
    assert np.abs(table.errors.sum(axis=1)) == pytest.approx(0.0, abs=1e-14)
