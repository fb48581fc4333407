"""Sections of outlines by finite elements, against closed forms."""

import math
import sys

import numpy as np
import pytest

import flexmb as fm

STEEL = fm.Material(7850, 210e9, 0.3)


@pytest.fixture
def solver():
    pytest.importorskip("sectionproperties")


def test_an_angle_is_that_of_thin_walls_but_for_its_corner(solver):
    # the theory of thin walls leaves out what lies beyond middle lines: some parts of thickness/leg, here 1/12
    thin = fm.AngleSection(width=0.04, height=0.06, thickness=0.005)
    found = fm.section_of_outline(thin.outline)
    for what, off in (
        ("area", 1e-12),
        ("second_moment", 1e-12),
        ("second_moment_y", 1e-12),
        ("principal_angle", 1e-12),
    ):
        assert getattr(found, what) == pytest.approx(getattr(thin, what), rel=off)
    # Young and Budynas (2002), table 10.1: two rectangles, and a circle of the diameter D in the corner
    D = 2 * (0.01 - math.sqrt(2) * 0.005)
    legs = 0.06 * (1 / 3 - 0.21 / 12) + 0.035 * (1 / 3 - 0.105 / 7)
    assert found.torsion_constant == pytest.approx(legs * 0.005**3 + 0.07 * D**4, rel=1e-2)
    # as the package itself finds it from the corner of the angle, with another mesh
    corner = np.array(thin.outline[0])
    assert found.shear_center - corner == pytest.approx([2.981e-3, 2.475e-3], abs=3e-5)


def test_a_rectangle_turned_and_off_the_axis(solver):
    corners = np.array(fm.Rectangle(0.01, 0.02).turned(0.4).moved((0.03, 0.0)).outline)
    found = fm.section_of_outline(corners)
    assert found.principal_angle == pytest.approx(0.4)
    assert found.centroid == pytest.approx((0.03, 0.0))
    assert found.torsion_constant == pytest.approx(fm.Rectangle(0.01, 0.02).torsion_constant, rel=1e-4)
    assert [found.shear_coefficient, found.shear_coefficient_z] == pytest.approx([5 / 6, 5 / 6], rel=1e-4)
    assert found.shear_center is None and found.shear_coupling == 0.0


def test_a_tube_of_an_outline_with_a_hole(solver):
    box = fm.HollowRectangle(0.05, 0.1, 0.004)
    found = fm.section_of_outline(box.outline, [np.array(box.outline) * [0.092 / 0.1, 0.042 / 0.05]])
    assert found.area == pytest.approx(box.area) and found.second_moment == pytest.approx(box.second_moment)
    # as the package itself finds it with another mesh; the theory of thin walls has 2 % less
    assert found.torsion_constant == pytest.approx(1.13e-6, rel=2e-3)


def test_regions_of_one_material_are_one_section(solver):
    lower = [(0.0, 0.01), (-0.002, 0.01), (-0.002, -0.01), (0.0, -0.01)]
    upper = [(0.01, 0.01), (0.0, 0.01), (0.0, -0.01), (0.01, -0.01)]
    found = fm.section_of_regions([(lower, STEEL), (upper, STEEL)])
    whole = fm.Rectangle(0.02, 0.012).moved((0.004, 0.0))
    C = whole.stiffness(STEEL)
    stretched = [0, 4, 5]  # shear needs Poisson's ratio
    assert found.stiffness_matrix[np.ix_(stretched, stretched)] == pytest.approx(
        C[np.ix_(stretched, stretched)], rel=1e-9
    )
    assert found.mass_matrix == pytest.approx(whole.inertia(STEEL), rel=1e-9, abs=1e-15)
    about_shear_center = found.stiffness_matrix[3, 3] - found.stiffness_matrix[2, 3] ** 2 / found.stiffness_matrix[2, 2]
    assert about_shear_center == pytest.approx(STEEL.shear_modulus * whole.torsion_constant, rel=1e-3)


def test_two_layers_bend_about_the_neutral_axis(solver):
    # E-weighted moments by hand: layers 2 mm and 10 mm high, 20 mm wide, E in the ratio 70 : 1
    hard, soft = fm.Material(7850, 210e9), fm.Material(1200, 3e9)
    lower = [(0.0, 0.01), (-0.002, 0.01), (-0.002, -0.01), (0.0, -0.01)]
    upper = [(0.01, 0.01), (0.0, 0.01), (0.0, -0.01), (0.01, -0.01)]
    found = fm.section_of_regions([(lower, hard), (upper, soft)])
    EA = 210e9 * 4e-5 + 3e9 * 2e-4
    axis = (-210e9 * 4e-5 * 0.001 + 3e9 * 2e-4 * 0.005) / EA
    EI = 210e9 * (0.02 * 0.002**3 / 3) + 3e9 * (0.02 * 0.01**3 / 3) - EA * axis**2
    assert found.stiffness_matrix[0, 0] == pytest.approx(EA)
    assert found.stiffness_matrix[0, 5] == pytest.approx(-EA * axis)
    assert found.stiffness_matrix[5, 5] - EA * axis**2 == pytest.approx(EI)
    assert found.mass_center[0] == pytest.approx((-7850 * 4e-5 * 0.001 + 1200 * 2e-4 * 0.005) / (7850 * 4e-5 + 0.24))


@pytest.mark.warns(fm.errors.AccuracyWarning, "is that of the mean axial force of an element")
def test_a_strip_of_two_layers_bends_when_it_is_pulled(solver):
    """An exact beam pulled on the interface, off its neutral axis by e: u = F L (1/EA + e²/EI), w = F e L²/2EI."""
    hard, soft = fm.Material(7850, 210e9), fm.Material(1200, 3e9)
    lower = [(0.0, 0.01), (-0.002, 0.01), (-0.002, -0.01), (0.0, -0.01)]
    upper = [(0.01, 0.01), (0.0, 0.01), (0.0, -0.01), (0.01, -0.01)]
    m = fm.SpatialModel("m")
    given = fm.section_of_regions([(lower, hard), (upper, soft)])
    rod = m.add_beam("rod", m.ground, (0.5, 0, 0), properties=given, theory="exact", elements=2, y_axis="y")
    m.point_force(rod.end, (1e-3, 0.0, 0.0))
    EA = 210e9 * 4e-5 + 3e9 * 2e-4
    e = (-210e9 * 4e-5 * 0.001 + 3e9 * 2e-4 * 0.005) / EA
    EI = 210e9 * (0.02 * 0.002**3 / 3) + 3e9 * (0.02 * 0.01**3 / 3) - EA * e**2
    moved = fm.equilibrium(m)[rod.end].position - [0.5, 0, 0]
    wanted = 1e-3 * np.array([0.5 * (1.0 / EA + e**2 / EI), 0.125 * e / EI, 0.0])
    assert moved == pytest.approx(wanted, rel=1e-5, abs=1e-16)
    run = fm.simulate(m, 0.001)
    assert run.status == "finished" and run["rod@0.5.strain"].shape == run.t.shape


def test_what_is_wrong_is_said(solver):
    square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    half = [(0.5, 0.0), (1.5, 0.0), (1.5, 1.0), (0.5, 1.0)]
    far = [(3.0, 0.0), (4.0, 0.0), (4.0, 1.0), (3.0, 1.0)]
    soft = fm.Material(1000, 1e9, 0.4)
    for make, message in (
        (lambda: fm.section_of_outline([(0, 0), (1, 1), (1, 0), (0, 1)]), "outline of region 0 crosses itself"),
        (lambda: fm.section_of_outline([(0, 0), (1, 1)]), "three points"),
        (lambda: fm.section_of_outline(square, mesh_area=-1.0), "mesh_area is -1"),
        (lambda: fm.section_of_outline(square, [half]), "or a hole leaves it"),
        (lambda: fm.section_of_regions([(square, STEEL), (half, STEEL)]), "regions overlap"),
        (lambda: fm.section_of_regions([(square, STEEL), (far, STEEL)]), "regions do not touch along a line"),
        (lambda: fm.section_of_regions([(square, STEEL), (half, soft)]), "Poisson's ratios are 0.3, 0.4"),
        (lambda: fm.section_of_regions([square]), "region 0 is no pair"),
        (lambda: fm.section_of_regions([]), "give regions"),
    ):
        with pytest.raises(fm.errors.ModelError, match=message):
            make()


def test_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sectionproperties", None)
    with pytest.raises(fm.errors.MissingExtraError, match=r"pip install 'flexmb\[sections\]'"):
        fm.section_of_outline([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)])
