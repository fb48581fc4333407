"""The mission of the demo, with few elements, is that of the reference."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.examples import spacecraft
from flexmb.examples.spacecraft import slew
from flexmb.validation.orbits.spacecraft import HULL, TIMES, TIP, TURNED


def test_few_elements_show_the_mission():
    run = fm.simulate(spacecraft.build(4, 3), spacecraft.T_END, tolerance=1e-6, progress=False, times=[0, *TIMES])
    assert run.trustworthy
    np.testing.assert_allclose(run["hull"].position[1:], HULL, rtol=0, atol=1e-6)
    turned = run["hull"].orientation.as_quat(scalar_first=True)
    np.testing.assert_allclose(turned[1:], TURNED, rtol=0, atol=2e-7)
    np.testing.assert_allclose(spacecraft.tip(run)[1:], TIP, rtol=0, atol=1e-5)
    # the sun sets by the shadow of a cylinder: |r − (r·s) s| = R where r·s < 0
    late = run.model.gravity.origin(t := np.linspace(210.0, 220.0, 2001))[0]
    sun = np.array(spacecraft.SUN) / np.linalg.norm(spacecraft.SUN)
    beside = np.linalg.norm(late - np.outer(late @ sun, sun), axis=1)
    sets = t[np.argmax(beside < spacecraft.EARTH)]
    light = fm.spatial.orbit(run, sun=spacecraft.SUN).at([sets - 8.0, sets + 8.0]).light
    assert light[0] > 0.7 and light[1] < 0.3


def test_a_shaped_slew_leaves_the_boom_at_rest():
    """At its own frequency it keeps less than a twentieth of what the plain slew leaves."""
    runs, poles = slew.slews()
    plain, shaped = (slew.swing(run, poles) for run in runs.values())
    assert slew.of_boom(poles) == pytest.approx(-0.0763 + 0.8038j, abs=1e-3)
    assert plain > 0.02 and shaped < 0.05 * plain
