"""What runs and equilibria say of CMS beams in space beyond their range."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import flexmb as fm
from flexmb.elements.spatial.cms_beam import CmsBeam


def test_a_shaft_that_is_twisted_too_far_warns() -> None:
    m = fm.SpatialModel("shaft")
    given = fm.spatial.BeamProperties(1e6, 10.0, 10.0, 2.0, 1.0, rhoIp=0.1)
    rod = m.add_beam("rod", m.ground, (1, 0, 0), properties=given, damping=fm.StiffnessProportional(0.2))
    m.point_torque(rod.end, (11.5, 0.0, 0.0), factor=fm.SmoothStep(0.0, 1.0, 0.0, 1.0))
    message = r"beam 'rod' is twisted too far for 1 element: by up to 5\.[56]\d* rad .* take elements=2, from t = \d"
    with pytest.warns(fm.errors.AccuracyWarning, match=message):
        fm.simulate(m, 3.0, progress=False)


@pytest.mark.parametrize("build", ["clamped", "hinged", "thrown"])
def test_a_soft_beam_beyond_its_range_moves_on_and_warns_once_with_default_settings(build: str) -> None:
    given = fm.spatial.BeamProperties(1e4, 0.1, 0.2, 0.12, 0.5, rhoIp=1e-4)
    m = fm.SpatialModel("soft", gravity=(0.0, 0.0, -9.81))
    rod = m.add_beam("rod", (0, 0, 0), (1.0, 0.2, 0.1), properties=given)
    if build == "clamped":
        m.weld(m.ground, rod.start)
    elif build == "hinged":
        m.revolute(m.ground, rod.start, axis="y")
    else:
        m.set_rigid_motion((0.0, 0.0, 5.0), (3.0, 8.0, 5.0))
        rod.end.node.angular_velocity = rod.end.node.angular_velocity + np.array([2.0, -25.0, 10.0])
    message = r"beam 'rod' bends too far for 1 element: slopes .* differ by up to \d.* take elements=\d+, from t = \d"
    with pytest.warns(fm.errors.AccuracyWarning, match=message) as said:
        run = fm.simulate(m, 1.2, progress=False)
    assert len(said) == 1
    assert np.all(np.isfinite(run.q)) and run.energy.strain.min() >= 0.0
    assert np.abs(run.energy.balance).max() < 1e-2 * run.energy.kinetic.max()


def test_a_run_warns_of_slopes_beyond_the_range() -> None:
    m = fm.SpatialModel("m")
    given = fm.spatial.BeamProperties(1e5, 1.0, 1.0, 1.0, 1.0)
    rod = CmsBeam.build(m, "rod", m.ground, (1, 0, 0), given, 1, None, y_axis="y")
    m.point_force(rod.end, (0, 4.0, 4.0))
    with pytest.warns(fm.errors.AccuracyWarning, match=r"beam 'rod' bends too far for 1 element: .* take elements=\d"):
        fm.equilibrium(m)
    m.components[next(name for name in m.components if name != "rod")].factor = 0.1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fm.equilibrium(m)


def bent_while_twisted(theory, elements, EIz=20.0, GJ=1.3):
    """The end of a rod of 1 m that a torque twists by 4.5 rad and a force bends along its easy side."""
    m = fm.SpatialModel("strip")
    given = fm.spatial.BeamProperties(1e6, 1.0, EIz, GJ, 1.0, rhoIp=1e-3)
    rod = m.add_beam("rod", m.ground, (1, 0, 0), properties=given, theory=theory, elements=elements)
    rising = fm.SmoothStep(0.0, 1.0, 0.0, 1.0)
    m.point_torque(rod.end, (4.5 * given.GJ, 0, 0), factor=rising)
    m.point_force(rod.end, (0, 0.7, 1.0), factor=rising)
    return fm.quasi_static(m, 1.0, steps=20)["rod.end"].position[-1]


def test_a_strip_that_bends_while_it_is_twisted_warns_and_a_round_rod_does_not() -> None:
    message = r"beam 'rod' bends, and is twisted too far for 1 element: .* may be off by \d.* take elements=3, or"
    with pytest.warns(fm.errors.AccuracyWarning, match=message):
        found = bent_while_twisted("cms", 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wanted = bent_while_twisted("exact", 16)
        assert np.linalg.norm(bent_while_twisted("cms", 3) - wanted) < 1e-3
        round_rod = bent_while_twisted("cms", 1, 1.0, 0.77) - bent_while_twisted("exact", 16, 1.0, 0.77)
        assert np.linalg.norm(round_rod) < 1e-3
    assert np.linalg.norm(found - wanted) > 0.02
