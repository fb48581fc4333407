"""Sections of thin walls against closed forms of others, and sections as 6 × 6 matrices."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmb as fm
from flexmb.errors import ModelError


def cowper(m, n):
    """The shear coefficient of a thin I-section or box at ν = 0, Cowper (1966), table 1."""
    return 10 * (1 + 3 * m) ** 2 / (12 + 72 * m + 150 * m**2 + 90 * m**3 + 30 * n**2 * (m + m**2))


@pytest.mark.parametrize(("b", "h", "t"), [(0.1, 0.2, 1e-4), (0.3, 0.2, 2e-4), (0.02, 0.2, 1e-4)])
def test_shear_of_i_sections_and_boxes_is_cowpers(b, h, t):
    points = [(h / 2, 0), (-h / 2, 0), *((y, z) for y in (h / 2, -h / 2) for z in (b / 2, -b / 2))]
    two = fm.ThinWalls(points, [(0, 1, t), (2, 0, 2 * t), (3, 0, 2 * t), (4, 1, 2 * t), (5, 1, 2 * t)])
    assert two.shear_coefficient == pytest.approx(cowper(2 * b * 2 * t / (h * t), b / h), rel=1e-6)
    box = fm.HollowRectangle(b + t, h + t, t)
    assert box.shear_coefficient == pytest.approx(cowper(b / h, b / h), rel=1e-9)
    assert box.torsion_constant == pytest.approx(
        4 * (b * h) ** 2 * t / (2 * (b + h)) + 2 * (b + h) * t**3 / 3, rel=1e-12
    )


def test_the_shear_center_of_a_channel_is_that_of_the_textbook():
    # Timoshenko and Gere, Mechanics of Materials: e = 3 b² t_f/(h t_w + 6 b t_f) from the middle line of the web
    b, h, web, flange = 0.06, 0.1, 2e-5, 3e-5
    thin = fm.ThinWalls(
        [(h / 2, b), (h / 2, 0), (-h / 2, 0), (-h / 2, b)], [(0, 1, flange), (1, 2, web), (2, 3, flange)]
    )
    centroid = b * b * flange / (2 * b * flange + h * web)
    assert thin.shear_center[1] + centroid == pytest.approx(-3 * b * b * flange / (h * web + 6 * b * flange), rel=1e-6)
    assert thin.shear_center[0] == 0.0


def test_the_shear_center_of_an_angle_is_where_its_legs_meet():
    angle = fm.AngleSection(width=0.04, height=0.06, thickness=0.005)
    corner = np.array(angle.outline[0]) + 0.0025
    assert angle.shear_center == pytest.approx(corner.tolist(), abs=1e-15)
    # two rectangles: legs 60 × 5 and 35 × 5 mm with middles at (30, 2.5) and (2.5, 22.5) mm
    rectangles = [(0.06, 0.005, 0.03, 0.0025), (0.005, 0.035, 0.0025, 0.0225)]
    A = np.array([h * b for h, b, _, _ in rectangles])
    center = A @ [(y, z) for _, _, y, z in rectangles] / A.sum()
    yy, zz, yz = np.sum(
        [
            (
                a * (h * h / 12 + (y - center[0]) ** 2),
                a * (b * b / 12 + (z - center[1]) ** 2),
                a * (y - center[0]) * (z - center[1]),
            )
            for a, (h, b, y, z) in zip(A, rectangles)
        ],
        axis=0,
    )
    bending = angle.stiffness(fm.Material(1.0, 1.0))[4:, 4:]
    assert bending.ravel() == pytest.approx([zz, -yz, -yz, yy], rel=1e-12)
    assert angle.principal_angle == pytest.approx(math.radians(-23.77), abs=2e-4)
    assert angle.torsion_constant == pytest.approx((0.0575 + 0.0375) * 0.005**3 / 3)


def test_two_cells_share_the_torque():
    # a box with a wall in its middle, along which nothing flows by symmetry: the torsion of the box alone
    b, h, t = 0.2, 0.1, 1e-4
    points = [(h, -b), (h, 0), (h, b), (-h, b), (-h, 0), (-h, -b)]
    outer = [(k, (k + 1) % 6, t) for k in range(6)]
    box, divided = fm.ThinWalls(points, outer), fm.ThinWalls(points, [*outer, (1, 4, t)])
    assert divided.torsion_constant - 2 * h * t**3 / 3 == pytest.approx(box.torsion_constant, rel=1e-12)
    assert divided.shear_coefficient * divided.area > 1.2 * box.shear_coefficient * box.area


def test_an_ellipse_lies_between_what_is_known():
    circle = fm.Ellipse(0.02, 0.02, poissons_ratio=0.3)
    assert circle.torsion_constant == pytest.approx(fm.Circle(diameter=0.02).torsion_constant)
    assert circle.shear_coefficient == pytest.approx(6 * 1.3 / (7 + 1.8))
    assert fm.Circle(radius=0.01, poissons_ratio=0.3).shear_coefficient == pytest.approx(circle.shear_coefficient)
    full = fm.Tube(outer_diameter=0.02, inner_diameter=1e-6, poissons_ratio=0.3)
    thin = fm.Tube(outer_diameter=0.02, inner_diameter=0.02 - 1e-7, poissons_ratio=0.3)
    assert full.shear_coefficient == pytest.approx(circle.shear_coefficient, rel=1e-6)
    assert thin.shear_coefficient == pytest.approx(2 * 1.3 / (4 + 0.9), rel=1e-4)  # Cowper's of a thin round tube
    assert fm.Rectangle(0.01, 0.02, poissons_ratio=0.3).shear_coefficient == pytest.approx(13 / 15.3)


STEEL = fm.Material(7850, 210e9, 0.3)
SECTIONS = [
    fm.Rectangle(0.02, 0.05),
    fm.AngleSection(width=0.04, height=0.06, thickness=0.005),
    fm.Channel(width=0.05, height=0.1, web_thickness=0.004, flange_thickness=0.006),
    fm.ThinWalls([(0, 0), (0.1, 0), (0.1, 0.04), (0.03, -0.05)], [(0, 1, 0.003), (1, 2, 0.004), (0, 3, 0.002)]),
]


def strains_of(angle):
    """How strains and forces in axes that are turned by an angle about x follow from those in the others."""
    co, si = math.cos(angle), math.sin(angle)
    turn = np.array([[1, 0, 0], [0, co, si], [0, -si, co]])
    return np.kron(np.eye(2), turn)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, len(SECTIONS) - 1), st.floats(-10, 10), st.floats(-0.1, 0.1), st.floats(-0.1, 0.1))
def test_a_section_turned_and_moved_has_the_same_energy(which, angle, y, z):
    section = SECTIONS[which]
    C, M = section.stiffness(STEEL), section.inertia(STEEL)
    T = strains_of(angle)
    turned = section.turned(angle)
    for got, first in ((turned.stiffness(STEEL), C), (turned.inertia(STEEL), M)):
        size = np.sqrt(np.outer(np.diag(got), np.diag(got)))
        assert np.max(np.abs(got - T.T @ first @ T) / size) < 1e-9
    # moved by d, the section's own axis has the strains Γ + κ × d
    d = np.array([[0, -z, y], [z, 0, 0], [-y, 0, 0]])
    own = np.block([[np.eye(3), -d], [np.zeros((3, 3)), np.eye(3)]])
    moved = section.moved((y, z))
    for got, first in ((moved.stiffness(STEEL), C), (moved.inertia(STEEL), M)):
        size = np.sqrt(np.outer(np.diag(got), np.diag(got)))
        assert np.max(np.abs(got - own.T @ first @ own) / size) < 1e-9
    assert np.linalg.eigvalsh(M)[0] > 0.0
    assert -math.pi / 4 <= turned.principal_angle <= math.pi / 4


def test_turning_by_a_right_angle_exchanges_the_axes():
    flat, upright = fm.Rectangle(0.05, 0.02), fm.Rectangle(0.02, 0.05).turned(math.pi / 2)
    assert upright.principal_angle == 0.0
    assert upright.second_moment == flat.second_moment and upright.second_moment_y == flat.second_moment_y
    assert upright.outer_fiber == pytest.approx(0.01)
    assert fm.Rectangle(0.02, 0.02).turned(0.3).principal_angle == 0.0


def test_matrices_without_couplings_are_properties():
    given = fm.spatial.SectionMatrices.of(STEEL, fm.Rectangle(0.02, 0.05))
    wanted = fm.spatial.BeamProperties.of(STEEL, fm.Rectangle(0.02, 0.05))
    got = given.principal()
    for what in ("EA", "EIy", "EIz", "GJ", "rhoA", "rhoIy", "rhoIz", "polar_inertia", "GAy", "GAz"):
        assert getattr(got, what) == pytest.approx(getattr(wanted, what), rel=1e-12), what
    assert given.flexibility == pytest.approx(wanted.flexibility, rel=1e-12)
    assert given.mass_matrix == pytest.approx(wanted.mass_matrix, rel=1e-12)
    mast = fm.SpatialModel("mast")
    assert mast.add_beam("rod", mast.ground, (0, 0, 1), properties=given).properties.EIz == pytest.approx(wanted.EIz)


def test_beams_that_bend_in_principal_axes_refuse_what_they_cannot_take():
    m = fm.SpatialModel("m")
    angle = SECTIONS[1]
    for theory in ("cms", "floating"):
        with pytest.raises(
            ModelError, match=r"beam 'rod': .* its shear center is at .*, its principal axes are turned"
        ):
            m.add_beam("rod", m.ground, (1, 0, 0), material=STEEL, section=angle, theory=theory)
    matrices = fm.spatial.SectionMatrices.of(STEEL, fm.Rectangle(0.02, 0.05).moved((0.01, 0.0)))
    with pytest.raises(ModelError, match="beam 'rod': its section couples stretching and bending about z, "):
        m.add_beam("rod", m.ground, (1, 0, 0), properties=matrices)
    plane = fm.PlanarModel("p")
    with pytest.raises(ModelError, match=r"beam 'rod': .*its centroid is \(0\.01, 0\) m off the axis"):
        plane.add_beam("rod", (0, 0), (1, 0), material=STEEL, section=fm.Rectangle(0.02, 0.05).moved((0.01, 0.0)))
    # a shear center off the axis does not matter in the plane
    plane.add_beam("rod", (0, 0), (1, 0), material=STEEL, section=SECTIONS[2])
    assert SECTIONS[2].uncoupled().shear_center is None
    # an angle whose couplings are left out bends in its principal axes, along which the beam's axes lie
    alone = angle.uncoupled().turned(-angle.principal_angle)
    co, si = math.cos(angle.principal_angle), math.sin(angle.principal_angle)
    rod = m.add_beam("rod", m.ground, (1, 0, 0), material=STEEL, section=alone, y_axis=(0, co, si))
    bending = angle.stiffness(STEEL)[4:, 4:]  # the axis is at the centroid
    turn = np.array([[co, si], [-si, co]])
    assert np.diag([rod.properties.EIy, rod.properties.EIz]) == pytest.approx(turn @ bending @ turn.T, abs=1e-6)
    corner = np.array(alone.outline[0]) @ turn  # in axes of the ground
    assert corner == pytest.approx(angle.outline[0], abs=1e-15)


def good():
    return fm.spatial.SectionMatrices.of(STEEL, SECTIONS[3])


def changed(which, *entries):
    C, M = (np.array(x) for x in (good().stiffness_matrix, good().mass_matrix))
    for i, j, value in entries:
        (C if which == "stiffness" else M)[i, j] = value
    return lambda: fm.spatial.SectionMatrices(C, M)


BAD = [
    (lambda: fm.HollowRectangle(0.05, 0.1, 0.025), "hollow rectangle section: thickness 0.025 must be less than half"),
    (lambda: fm.HollowRectangle(-0.05, 0.1, 0.002), "width is -0.05; it must be positive"),
    (
        lambda: fm.DoubleTee(0.1, 0.2, 0.06, 0.01),
        "I-section: web_thickness 0.06 must be less than half of its width 0.1",
    ),
    (lambda: fm.Channel(0.1, 0.2, 0.01, 0.1), "U-section: flange_thickness 0.1 must be less than half of its height"),
    (lambda: fm.AngleSection(0.05, 0.1, 0.03), "L-section: thickness 0.03 must be less than half of its width 0.05"),
    (lambda: fm.Ellipse(0.05, 0.0), "ellipse section: height is 0; it must be positive"),
    (lambda: fm.Ellipse(0.05, 0.1, poissons_ratio=0.6), "poissons_ratio is 0.6"),
    (lambda: fm.Section(1e-4, 1e-9, 1.2), "shear_coefficient is 1.2; it is the part of the area .* 1 at most"),
    (
        lambda: fm.Section(1e-4, 1e-9, shear_coupling=1.3),
        "shear_coupling is 1.3; with it a shear force would do negative",
    ),
    (lambda: fm.Section(1e-4, 1e-9, centroid=(1, 2, 3)), "centroid must be 2 numbers"),
    (lambda: fm.Section(1e-4, 1e-9).stiffness(STEEL), "it has no second_moment_y and no torsion_constant"),
    (lambda: SECTIONS[0].stiffness("steel"), "'steel' is no material"),
    (lambda: fm.ThinWalls([(0, 0), (1, 0)], [(0, 1, 0.01)]), "all of its walls lie on one line; take Rectangle"),
    (lambda: fm.ThinWalls([(0, 0), (1, 0), (1, 1)], [(0, 1, 0.01)]), "point 2 is on no wall"),
    (lambda: fm.ThinWalls([(0, 0), (1, 0), (1, 1)], [(0, 3, 0.01)]), "give at most 2"),
    (lambda: fm.ThinWalls([(0, 0), (1, 0), (1, 1)], [(0, 1, 0.01), (1, 2, -1)]), "thickness of wall 1 is -1"),
    (lambda: fm.ThinWalls([(0, 0), (1, 0), (1, 1)], [(0, 1, 0.01), (1, 2, 1)]), "wall 1 is 1 m thick and 1 m long"),
    (
        lambda: fm.ThinWalls([(0, 0), (1, 0), (1, 1), (0, 1)], [(0, 1, 0.01), (2, 3, 0.01)]),
        "its walls are in pieces that do not touch",
    ),
    (lambda: fm.spatial.SectionMatrices(np.eye(5), np.eye(6)), r"stiffness_matrix must be a matrix \(6, 6\)"),
    (changed("stiffness", (0, 4, 1e6)), "stiffness_matrix is not symmetric: stretching and bending about y have"),
    (changed("stiffness", (3, 3, -1.0)), "its stiffness of torsion is -1; it must be positive"),
    (changed("stiffness", (0, 3, 1e9), (3, 0, 1e9)), "its stiffness is not positive: .*stretching"),
    (changed("mass", (0, 0, 0.0)), "mass_matrix has 0 kg/m; it must be positive"),
    (changed("mass", (0, 3, 1.0), (3, 0, 1.0)), r"mass_matrix\[0, 3\] is 1; a section has"),
    (changed("mass", (4, 4, -1.0)), "its inertia about the mass center .* is negative"),
]


@pytest.mark.parametrize(("make", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_what_is_wrong_is_said(make, message):
    with pytest.raises(ModelError, match=message):
        make()
