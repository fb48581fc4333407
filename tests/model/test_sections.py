"""Cross sections and the stiffness and mass of beams."""

import math

import pytest

import flexmb as fm

# Timoshenko and Goodier, Theory of Elasticity, 3rd ed., article 109: J = k a b³
TORSION = {1.0: 0.1406, 1.2: 0.166, 1.5: 0.196, 2.0: 0.229, 2.5: 0.249, 3.0: 0.263, 4.0: 0.281, 5.0: 0.291, 10.0: 0.312}


@pytest.mark.parametrize("ratio", TORSION)
def test_the_torsion_constant_of_a_rectangle_is_that_of_the_table_either_way_round(ratio):
    for section in (fm.Rectangle(0.02 * ratio, 0.02), fm.Rectangle(0.02, 0.02 * ratio)):
        assert section.torsion_constant == pytest.approx(TORSION[ratio] * ratio * 0.02**4, abs=6e-4 * ratio * 0.02**4)


def test_a_thin_strip_twists_like_a_third_of_a_b_cubed():
    strip = fm.Rectangle(1.0, 1e-4)
    assert strip.torsion_constant == pytest.approx((1.0 - 0.63025e-4) / 3.0 * 1e-12, rel=1e-8)


def test_moments_of_sections_about_both_axes():
    flat = fm.Rectangle(0.03, 0.01)
    assert flat.second_moment == pytest.approx(0.03 * 0.01**3 / 12)
    assert flat.second_moment_y == pytest.approx(0.01 * 0.03**3 / 12)
    tube, core = fm.Tube(outer_diameter=0.03, inner_diameter=0.02), fm.Circle(diameter=0.02)
    assert tube.torsion_constant + core.torsion_constant == pytest.approx(math.pi * 0.03**4 / 32)
    assert tube.second_moment_y == tube.second_moment == pytest.approx(tube.torsion_constant / 2)


def test_round_sections_say_what_their_size_is():
    assert fm.Circle(radius=0.01) == fm.Circle(diameter=0.02)
    assert fm.Circle(diameter=0.02).second_moment == pytest.approx(math.pi * 0.02**4 / 64)
    for wrong, message in (
        (lambda: fm.Circle(0.05), r"circle section: .* write Circle\(diameter=0\.05\) or Circle\(radius=0\.05\)"),
        (lambda: fm.Circle(), "circle section: it has no size; give diameter=… or radius=…"),
        (lambda: fm.Circle(diameter=0.1, radius=0.05), "it has a diameter and a radius; give one of both"),
        (lambda: fm.Tube(0.05, 0.04), r"write Tube\(outer_diameter=0\.05, inner_diameter=0\.04\)"),
        (lambda: fm.Tube(0.05), r"write Tube\(outer_diameter=0\.05, inner_diameter=…\)"),
        (lambda: fm.Tube(outer_diameter=0.05), "give outer_diameter=… and inner_diameter=…"),
    ):
        with pytest.raises(fm.errors.ModelError, match=message):
            wrong()


def test_properties_in_space_follow_from_material_and_section():
    steel = fm.Material(7850, 210e9, 0.25)
    given = fm.spatial.BeamProperties.of(steel, fm.Rectangle(0.03, 0.01))
    assert given.EIy == pytest.approx(9.0 * given.EIz)
    assert given.GJ == pytest.approx(84e9 * fm.Rectangle(0.03, 0.01).torsion_constant)
    assert given.polar_inertia == given.rhoIy + given.rhoIz
    assert max(y for y, _ in given.outline) == 0.005 and max(z for _, z in given.outline) == 0.015


def test_what_is_missing_or_wrong_is_said():
    steel = fm.Material(7850, 210e9)
    with pytest.raises(fm.errors.ModelError, match="no second_moment_y and no torsion_constant; give Section"):
        fm.spatial.BeamProperties.of(steel, fm.Section(1e-4, 1e-9))
    with pytest.raises(fm.errors.ModelError, match="GJ is 0"):
        fm.spatial.BeamProperties(EA=1.0, EIy=1.0, EIz=1.0, GJ=0.0, rhoA=1.0)
    with pytest.raises(fm.errors.ModelError, match="rhoIp is -1"):
        fm.spatial.BeamProperties(EA=1.0, EIy=1.0, EIz=1.0, GJ=1.0, rhoA=1.0, rhoIp=-1.0)
    with pytest.raises(fm.errors.ModelError, match="three points"):
        fm.Section(1e-4, 1e-9, outline=((0.0, 0.0), (1.0, 0.0)))
    with pytest.raises(fm.errors.ModelError, match=r"outline must be the corners .* not None"):
        fm.Section(1e-4, 1e-9, outline=None)
    with pytest.raises(fm.errors.ModelError, match="one of both"):
        fm.Section(1e-4, 1e-9, radius=0.1, outline=((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)))
    with pytest.raises(fm.errors.ModelError, match="torsion_constant"):
        fm.Section(1e-4, 1e-9, torsion_constant=-1.0)
    flat = fm.PlanarModel("flat")
    with pytest.raises(
        fm.errors.ModelError, match=r"beam .rod.: properties are .*properties=fm\.planar\.BeamProperties\(EA, EI"
    ):
        flat.add_beam("rod", (0, 0), (1, 0), properties=fm.spatial.BeamProperties(1.0, 1.0, 1.0, 1.0, 1.0))
