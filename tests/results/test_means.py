"""Axial forces that are means over elements say so, and warn where they vary."""

import warnings

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import AccuracyWarning

RHO_A, SPEED, LENGTH = 2.0, 5.0, 1.5


def blade(space, elements, **options):
    """A stiff blade that turns about its root, N = ½ ρA Ω² (L² − x²)."""
    if space:
        model = fm.SpatialModel("blade")
        given = fm.spatial.BeamProperties(EA=1e9, EIy=1e5, EIz=1e5, GJ=1e5, rhoA=RHO_A, rhoIy=1e-3, rhoIz=1e-3)
        hub = model.add_body("hub", mass=1.0, inertia=(1.0, 1.0, 1.0))
        model.revolute(model.ground, hub.frame, axis="z")
        model.drive_angle(model.ground, hub.frame, fm.Polynomial([0.0, SPEED]), axis="z")
        end = (LENGTH, 0, 0)
    else:
        model = fm.PlanarModel("blade")
        given = fm.planar.BeamProperties(EA=1e9, EI=1e5, rhoA=RHO_A, rhoI=1e-3)
        hub = model.add_body("hub", mass=1.0, inertia=1.0)
        model.revolute(model.ground, hub.frame)
        model.drive_angle(model.ground, hub.frame, fm.Polynomial([0.0, SPEED]))
        end = (LENGTH, 0)
    model.add_beam("rod", hub.frame, end, properties=given, elements=elements, **options)
    return fm.equilibrium(model, spin=SPEED).solution


@pytest.mark.parametrize("space", [False, True])
def test_a_mean_axial_force_says_so(space):
    root = 0.5 * RHO_A * (SPEED * LENGTH) ** 2
    coarse = blade(space, 1)
    with pytest.warns(AccuracyWarning, match=r"mean axial force of an element.*vary by ±28.1 N"):
        series = coarse.series("rod@0.0.axial_force")
    assert series.values[0] == pytest.approx(2.0 / 3.0 * root, rel=1e-3)  # a third below that at the root
    assert series.mean and "element mean" in series.axis[0]
    with pytest.warns(AccuracyWarning, match="vary by"):
        figure = coarse.plot_along("rod", "axial_force")
    assert figure.axes[0].get_ylabel() == "axial force, element mean [N]"
    with warnings.catch_warnings():
        warnings.simplefilter("error", AccuracyWarning)
        fine = blade(space, 12)
        assert fine["rod@1.0.axial_force"][0] > 0.0
        assert fine["rod@0.0.axial_force"][0] == pytest.approx(root, rel=0.1)
        assert not coarse.series("rod@0.5." + ("bending_moment_z" if space else "bending_moment")).mean
        assert not blade(space, 1, axial_modes=2).series("rod@0.0.axial_force").mean
    assert np.isfinite(fine["rod@0.0.axial_force"]).all()
