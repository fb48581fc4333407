"""A CMS element that is bent far beyond its range: its motion stays bounded, and a warning comes."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.elements.cms_folds import (
    CHORD,
    SHORTENED,
    SLOPES,
    folding_by_chord,
    folding_by_shortening,
    folding_by_slopes,
    shortening,
)
from flexmb.errors import AccuracyWarning

SOFT = fm.planar.BeamProperties(EA=5e3, EI=0.05, rhoA=0.1)


def rolled_up(elements: int = 1, end: float = 5.0) -> fm.PlanarModel:
    """A clamped rod whose end is turned by a drive."""
    model = fm.PlanarModel("rolled up")
    rod = model.add_beam("rod", model.ground, (1, 0), properties=SOFT, elements=elements)
    model.drive_angle(model.ground, rod.end, fm.SmoothStep(0, 1, 0, end))
    return model


@pytest.mark.parametrize("end", [5.0, -9.0, 30.0])
def test_one_element_that_is_rolled_up_stays_where_a_beam_would(end):
    with pytest.warns(AccuracyWarning, match=r"beam 'rod' bends too far for 1 element.*elements="):
        run = fm.simulate(rolled_up(end=end), 1.2, progress=False)
    assert run.status == "finished" and not run.trustworthy
    assert run.energy.error < 1e-2
    # the work is of the size of the bending energy, and the end is no further away than the length
    assert run.energy.exchanged < 0.5 * SOFT.EI * end**2 * (3.0 if abs(end) < 10.0 else 100.0)
    assert np.max(np.hypot(*run["rod.end"].position.T)) < 1.05


def test_the_number_of_elements_in_the_warning_is_enough():
    fine = fm.simulate(rolled_up(24), 1.2, progress=False)
    with pytest.warns(AccuracyWarning, match=r"take elements=(\d+)") as warned:
        fm.simulate(rolled_up(), 1.2, progress=False)
    count = int(str(warned[0].message).split("take elements=")[1].split(",")[0])
    with pytest.warns(AccuracyWarning, match=f"bends too far for {count} elements"):  # by little
        run = fm.simulate(rolled_up(count), 1.2, progress=False)
    np.testing.assert_allclose(run["rod.end"].position[-1], fine["rod.end"].position[-1], atol=0.03)


@pytest.mark.parametrize("theory, elements", [("ancf", 4), ("exact", 4), ("cms", 1), ("floating", 1)])
def test_each_theory_warns_beyond_its_range(theory, elements):
    model = fm.PlanarModel("bent")
    properties = fm.planar.BeamProperties(EA=1e4, EI=1.0, rhoA=1.0, rhoI=1e-5)
    rod = model.add_beam("rod", model.ground, (1, 0), properties=properties, theory=theory, elements=elements)
    force = model.point_force(rod.end, (0.0, 12.0), name="load")
    with pytest.warns(AccuracyWarning, match=r"equilibrium of model 'bent': beam 'rod' bends too far for .*take "):
        fm.equilibrium(model)
    with pytest.warns(AccuracyWarning, match=r"load path .*beam 'rod' bends too far.*from load factor 0\.\d+ on"):
        fm.equilibrium_path(model, force, stability=False)
    with pytest.warns(AccuracyWarning, match=r"beam 'rod' bends too far.*from t = 0\.\d+ s on"):
        fm.simulate(model, 1.0, progress=False)


def test_beams_within_their_range_do_not_warn(recwarn):
    for theory in ("cms", "ancf", "exact"):
        model = fm.PlanarModel("bent")
        properties = fm.planar.BeamProperties(EA=1e4, EI=1.0, rhoA=1.0, rhoI=1e-5)
        rod = model.add_beam("rod", model.ground, (1, 0), properties=properties, theory=theory)
        model.point_force(rod.end, (0.0, 2.0))
        rest = fm.equilibrium(model)
        assert rest["rod.end.y"] == pytest.approx(0.4935, abs=0.005)  # elastica, PL²/EI = 2
        assert rod.elements == {"cms": 1, "ancf": 8, "exact": 16}[theory]
    assert not [w for w in recwarn if issubclass(w.category, AccuracyWarning)]


def test_nothing_changes_within_the_range():
    for q in (0.0, 0.3, SHORTENED):
        assert shortening.py_func(q) == (q, 1.0, 0.0) and folding_by_shortening(q) == (0.0, 0.0, 0.0)
    assert folding_by_slopes(SLOPES) == folding_by_slopes(-3.0) == folding_by_chord(CHORD, 1.0) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("function", "places"),
    [
        (lambda x: shortening(x), (0.55, 0.9, 3.0)),
        (lambda x: folding_by_shortening(x), (0.55, 0.9, 3.0)),
        (lambda x: folding_by_slopes(x), (4.2, -5.0, 6.1)),
        (lambda x: folding_by_chord(x, 1.0), (0.09, 0.05, 0.02)),
    ],
)
def test_derivatives_are_those_of_the_energies(function, places):
    for x in places:
        h = 1e-4 * abs(x)
        value = [function(x + k * h) for k in (-2, -1, 1, 2)]
        for order in (0, 1):
            slope = (value[0][order] - 8 * value[1][order] + 8 * value[2][order] - value[3][order]) / (12 * h)
            assert function(x)[order + 1] == pytest.approx(slope, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("axial", ["chord", "mean", "second_order"])
@pytest.mark.parametrize("damping", [None, fm.StiffnessProportional(1e-3)])
@pytest.mark.parametrize("state", [(-2.2, 2.4, 1.0), (2.3, 2.4, 1.0), (0.1, 0.2, 0.05), (2.0, 3.0, 0.06)])
def test_tangents_are_exact_beyond_the_range(axial, damping, state):
    model = fm.PlanarModel("folded", gravity=(1.0, -9.0))
    soft = fm.planar.BeamProperties(EA=50.0, EI=0.5, rhoA=0.4)
    model.add_beam("rod", (0, 0), (1, 0), properties=soft, axial=axial, axial_modes=1, damping=damping)
    system = fm.System(model)
    rng = np.random.default_rng(5)
    q, v, a = 0.03 * rng.normal(size=system.n), rng.normal(size=system.n), rng.normal(size=system.n)
    q[2] += state[0]
    q[5] += state[1]
    q[3] += state[2]
    for which, weights in enumerate(((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))):
        exact = system.tangent(0.0, q, v, a, np.zeros(0), weights)
        h = 1e-4 if state[2] > 0.5 else 1e-5
        found = np.zeros_like(exact)
        for j in range(system.n):
            for offset, weight in ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0)):
                moved = [q.copy(), v.copy(), a.copy()]
                moved[which][j] += offset * h
                found[:, j] += weight / (12.0 * h) * system.residual(0.0, *moved)
        np.testing.assert_allclose(found, exact, atol=1e-7 * np.max(np.abs(exact)))
