"""What runs with default settings take, and their errors against tight runs of another method."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.validation.performance import default_settings, driven_base


@pytest.mark.parametrize("name", ["pendulum", "four-bar", "slider-crank", "two squares"])
def test_default_settings_keep_their_tolerance(name):
    build, end = default_settings.MODELS[name]
    end = min(end, 2.0)
    run = fm.simulate(build(), end, progress=False)
    tight = fm.simulate(build(), end, "generalized_alpha", tolerance=1e-6, progress=False)
    away = default_settings.away(fm.System(build()), run, tight, np.linspace(0.0, end, 21))
    assert run.trustworthy and away < 1e-5  # the error of the tight run, mostly
    assert run.statistics.steps < 0.05 * tight.statistics.steps


def test_the_table_has_a_row_for_each_setting():
    rows = default_settings.measure("four-bar", [{}, {"tolerance": 1e-3}])
    assert [row[:2] for row in rows] == [["four-bar", "default"], ["four-bar", "0.001"]]
    assert int(rows[0][2]) > int(rows[1][2]) and float(rows[0][6]) < 1e-6


def test_a_driven_base_moves_as_it_is_driven(capsys, monkeypatch):
    """It has its own benchmark; the arm on it, in joint coordinates, moves as in absolute ones."""
    runs = [
        fm.simulate(driven_base.arm("moving"), 0.5, progress=False, **how) for how in driven_base.FORMULATIONS.values()
    ]
    tips = [run["link 5"].position[-1] for run in runs]
    np.testing.assert_allclose(tips[0], tips[1], atol=1e-5)
    monkeypatch.setattr(driven_base, "SPAN", 0.05)
    driven_base.main(1)
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 12 and all("µs a step" in line for line in said)
