"""Curved, twisted and tapered beams in space."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flexmb as fm
from flexmb import testing
from flexmb.elements.spatial.exact.helicoid import SECOND, TAPERED
from flexmb.elements.spatial.exact.parameters import Sections, Shape, element_parameters
from flexmb.errors import ModelError
from flexmb.model.orientations import rotation_of
from flexmb.results.pictures.magnified import magnified
from flexmb.testing.recorder import Recorder
from flexmb.validation import tapered_cantilever
from tests.models.curved_beams import ROUND, bent_pipe

CIRCLE = {"material": fm.Material(7850, 205e9, 0.3), "section": fm.Circle(diameter=0.02), "theory": "exact"}


def add(**given):
    """A beam of a steel rod in a model of its own."""
    return fm.SpatialModel("m").add_beam("rod", **CIRCLE | given)


def test_a_curved_beam_of_coupled_sections_that_vary_conforms():
    """All checks but that of strains of sections, which are compatible to the order of the element."""
    rod = bent_pipe()
    rod.at(0.3).attach("clip", (0.1, 0.05, -0.2))
    heavy, light, seeds = Recorder.of(rod, (0.3, -9.81, 0.7)), Recorder.of(rod), (0, 1)
    for check in (testing.check_tangent, testing.check_mass, testing.check_jacobian, testing.check_rates,
                  testing.check_point, testing.check_point_jacobian, testing.check_power):  # fmt: skip
        check(heavy, seeds)
    testing.check_rigid_motion(light, seeds)
    testing.check_momentum(light, seeds)


@pytest.mark.parametrize("axes", ["ground", "section"])
def test_a_load_along_a_curved_beam_that_tapers_conforms(axes):
    rod = bent_pipe()
    load = rod.model.distributed_load(rod, ((300.0, -200.0, 50.0), (40.0, 150.0, -300.0)), axes=axes)
    for check in (testing.check_tangent, testing.check_power):
        check(Recorder.of(load), (0, 1))


@pytest.mark.parametrize("axes", ["ground", "section"])
@pytest.mark.warns(fm.errors.AccuracyWarning, "bends too far")
def test_loads_along_a_helix_converge_with_the_fourth_power_of_the_length_of_elements(axes):
    """In axes of the ground as of the sections, which turn within an element more than its ends say."""
    given, tips = fm.spatial.BeamProperties(EA=1e5, EIy=1.0, EIz=4.0, GJ=1.2, rhoA=1.0, rhoIp=1e-2), []
    for elements in (4, 8, 16, 32):
        m = fm.SpatialModel("coil")
        foot = m.add_frame("foot", (0.3, 0, 0), fixed=True)
        axis = fm.Helix((0, 0, 0), (0.3, 0, 0), 4.0, 0.6)
        rod = m.add_beam("rod", foot, axis=axis, properties=given, theory="exact", elements=elements)
        m.distributed_load(rod, (0.1, 0.6, 0.8), axes=axes)
        tips.append(fm.equilibrium(m)["rod.end"].position)
    errors = np.linalg.norm(np.array(tips[:3]) - tips[3], axis=1)
    assert errors[1] < 2e-5
    assert errors[:2] / errors[1:] == pytest.approx(16.0, rel=0.15)


def test_an_undeformed_beam_has_no_forces():
    rod = bent_pipe(elements=5)
    rod.model.gravity = np.zeros(3)
    system = fm.System(rod.model)
    still = np.zeros(system.n)
    assert np.max(np.abs(system.residual(0.0, system.q0, still, still))) < 1e-9
    assert system.energy(0.0, system.q0, still)[1] < 1e-20


def test_a_helix_has_the_same_strains_in_every_element():
    """Curvature R/(R² + p²) and twist p/(R² + p²) with the section's y to the axis, whatever the length of elements."""
    rise = 0.3 / (2.0 * math.pi)
    square = 0.09 + rise**2
    twist = rise / square * 2.5 * math.sqrt(square)
    helix = fm.Helix(center=(0, 0, 0), start=(0.3, 0, 0), angle=2.5, pitch=0.3)
    rod = add(axis=helix, twist=twist, y_axis=(-1, 0, 0), elements=4)
    for e in range(4):
        shape = rod.course.shape(e)
        np.testing.assert_allclose(shape.strains, [1.0, 0.0, 0.0, rise / square, 0.0, 0.3 / square], atol=1e-10)
        np.testing.assert_allclose(shape.change, 0.0, atol=1e-10)
        np.testing.assert_allclose(shape.curvatures, shape.strains[None, 3:].repeat(2, axis=0), atol=1e-4)


def test_axes_of_sections_do_not_turn_about_the_axis():
    """Once around a helix they turn against the radius by the torsion times the length."""
    helix = fm.Helix(center=(0, 0, 0), start=(1, 0, 0), angle=2.0 * math.pi, pitch=2.0)
    rod = add(axis=helix, y_axis="x")
    y = rotation_of(rod.axes_at(1.0)).apply([0.0, 1.0, 0.0])
    rise = 1.0 / math.pi
    wanted = 2.0 * math.pi * rise / math.sqrt(1.0 + rise**2)
    angle = math.atan2(float(y @ np.cross(rotation_of(rod.axes_at(1.0)).apply([1.0, 0, 0]), [1.0, 0, 0])), float(y[0]))
    assert math.remainder(angle + wanted, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-6)


def test_places_lie_where_their_welds_are_met():
    rod = bent_pipe()
    place = rod.at(0.37)
    place.enter()
    system = fm.System(rod.model)
    assert np.max(np.abs(system.constraint(0.0, system.q0, np.zeros(system.n))[0])) < 1e-14
    axis = fm.Arc((0, 0, 0), (1, 0, 0), math.pi / 2)
    for count in (4, 8):  # a cubic with the length of the arc for slopes is off by φ⁴/384 of the radius
        arc = add(axis=axis, elements=count)
        off = 1.0 - np.linalg.norm(arc.at(0.5 / count).position)
        assert off == pytest.approx((0.5 * math.pi / count) ** 4 / 384.0, rel=0.02)


def test_a_quarter_of_a_ring_under_a_force_across_its_plane():
    """Closed form by Castigliano: torque F R (1 − cos), moment F R sin, and shear."""
    R, F = 0.5, 1e-3
    m = fm.SpatialModel("hook")
    wall = m.add_frame("wall", (R, 0, 0), fixed=True)
    rod = m.add_beam("rod", wall, axis=fm.Arc((0, 0, 0), (R, 0, 0), math.pi / 2), **CIRCLE, elements=8)
    m.point_force(rod.end, (0.0, 0.0, F))
    rest = fm.equilibrium(m).solution
    given = fm.spatial.BeamProperties.of(CIRCLE["material"], CIRCLE["section"])
    quarter = math.pi / 4
    bent = F * R**3 * (quarter / given.EIy + (3.0 * quarter - 2.0) / given.GJ) + F * R * 2.0 * quarter / given.GAz
    assert rest["rod.end"].z[0] == pytest.approx(bent, rel=2e-5)
    for s in (0.0, 0.3, 0.55):
        left = math.pi / 2 * (1.0 - s)
        assert rest[f"rod@{s}.torque"][0] == pytest.approx(F * R * (1.0 - math.cos(left)), rel=2e-5)
        assert rest[f"rod@{s}.bending_moment_y"][0] == pytest.approx(-F * R * math.sin(left), rel=1e-6)
        assert rest[f"rod@{s}.strain"][0] == pytest.approx(0.0, abs=1e-12)
        assert rest[f"rod@{s}.curvature_z"][0] == pytest.approx(0.0, abs=1e-12)  # the change, not 1/R

    shown, bent_axis = magnified(rest, 1000.0).axis("rod", 5)[0], rest.axis("rod", 5)[0]
    places = np.array([rod.undeformed_at(s)[0] for s in np.linspace(0.0, 1.0, 5)])
    np.testing.assert_allclose(shown - places, 1000.0 * (bent_axis - places), rtol=0, atol=1e-7)


def test_joint_coordinates_take_it_as_a_link():
    m = fm.SpatialModel("arm", gravity=(0, 0, -9.81))
    base = m.add_frame("base", (0.3, 0, 0), fixed=True)
    helix = fm.Helix((0, 0, 0), (0.3, 0, 0), 1.0, pitch=-0.2)
    rod = m.add_beam("rod", axis=helix, properties=ROUND, theory="exact", elements=2, twist=0.5)
    m.revolute(base, rod.start, axis="y", name="hinge")
    ends = [
        fm.simulate(m, 0.1, step=0.002, **options)["rod.end"].position[-1] for options in ({}, {"formulation": "aba"})
    ]
    np.testing.assert_allclose(ends[1], ends[0], rtol=0, atol=1e-6)


def test_stresses_and_pictures_take_the_section_of_each_place(tmp_path):
    m = fm.SpatialModel("cone")
    round_bar = {"material": fm.Material(7850, 205e9), "section": lambda s: fm.Circle(diameter=0.02 * (1.0 - 0.5 * s))}
    bar = m.add_beam("bar", m.ground, (1.0, 0, 0), **round_bar, theory="exact")
    m.point_force(bar.end, (100.0, 0.0, 0.0))
    rest = fm.equilibrium(m).solution
    for s in (0.0, 0.3, 1.0):
        assert rest[f"bar@{s}.stress"][0] == pytest.approx(100.0 / (math.pi * (0.01 * (1.0 - 0.5 * s)) ** 2), rel=1e-6)
    taper = np.array(bar.place().taper)
    np.testing.assert_allclose(taper[:, 1], (1.0 - 0.5 * taper[:, 0]) / 0.75, rtol=1e-9)
    rest.save(tmp_path / "cone.h5")
    again = fm.load(tmp_path / "cone.h5")
    assert again.layout.beams["bar"].taper == bar.place().taper
    with pytest.raises(ModelError, match="a file does not hold the sections of beam 'bar', which vary along it"):
        again["bar@0.5.stress"]


def test_elements_end_where_the_section_jumps_and_at_kinks():
    stepped = add(start=(0, 0, 0), end=(1, 0, 0), section=lambda s: fm.Circle(diameter=0.02 if s < 0.37 else 0.03))
    assert np.min(np.abs(stepped.stations - 0.37)) < 1e-12
    corner = add(axis=fm.Polyline(((0, 0, 0), (1, 0, 0), (1, 3, 0))))
    assert 0.25 in corner.stations
    assert corner.at(0.25).position.tolist() == [1.0, 0.0, 0.0]
    # section axes ahead of the kink, so x is along the second line
    np.testing.assert_allclose(corner.at(0.25).orientation.apply([1.0, 0, 0]), [0.0, 1.0, 0.0], atol=1e-12)
    assert corner.locate(0.25)[1] == 0.0


def test_a_stepped_bar_of_one_beam_is_that_of_two():
    m = fm.SpatialModel("m")
    steel, thick, thin = CIRCLE["material"], fm.Circle(diameter=0.02), fm.Circle(diameter=0.01)
    one = m.add_beam("one", m.ground, (1.0, 0, 0), material=steel, theory="exact", elements=2,
                     section=lambda s: thick if s < 0.4 else thin)  # fmt: skip
    first = m.add_beam("first", m.ground, (0.4, 0, 0), material=steel, section=thick, theory="exact", elements=1)
    last = m.add_beam("last", first.end, (1.0, 0, 0), material=steel, section=thin, theory="exact", elements=1)
    for beam in (one, last):
        m.point_force(beam.end, (0.0, 1.0, 2.0))
    rest = fm.equilibrium(m).solution
    np.testing.assert_allclose(rest["one.end"].position, rest["last.end"].position, rtol=0, atol=1e-10)


def test_a_wedge_is_exact_under_a_force_on_its_tip():
    tip = fm.equilibrium(tapered_cantilever.build(4)).solution["wedge.end"].y[0]
    assert tip == pytest.approx(tapered_cantilever.deflection(), rel=2e-6)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"start": (0, 0, 0), "end": (1, 0, 0), "section": lambda s: fm.Circle(diameter=0.02 * (1.0 - s))},
         r"^beam 'rod': its section at s = 1: circle section: diameter is 0; it must be positive"),
        ({"start": (0, 0, 0), "end": (1, 0, 0), "section": lambda s: fm.Circle(diameter=0.02 * (1.0 - 1.5 * s))},
         r"^beam 'rod': its section at s = 0\.6.*must be positive"),
        ({"axis": 3}, r"axis is 3; give fm\.Arc"),
        ({}, "give both its start and its end, or an axis"),
        ({"start": (0, 0, 0), "end": (0, 0, 0), "twist": 1.0}, "its length is zero"),
        ({"start": (0, 0, 0), "end": (1, 0, 0), "twist": math.nan}, "twist is nan"),
        ({"start": (0, 0, 0), "end": (1, 0, 0), "twist": lambda s: float(s > 0.4)}, r"its twist jumps at s = 0\.4"),
        ({"start": (0, 0, 0), "end": (1, 0, 0), "twist": 20.0, "elements": 4},
         r"its sections turn by 5 rad from s = 0 to 0\.25, one element .*take elements=40"),
        ({"axis": fm.Arc((0, 0, 0), (1, 0, 0), 1.0), "theory": "cms"}, "a CmsBeam is straight and uniform; take"),
        ({"axis": fm.Arc((0, 0, 0), (1, 0, 0), 1.0), "start": (0, 0, 0)}, "its start is at .* but its axis starts at"),
        ({"axis": fm.Arc((0, 0, 0), (1, 0, 0), 1.0), "y_axis": "y"}, "y_axis is along the start of its axis"),
        ({"axis": fm.Polyline(((0, 0, 0), (1, 0, 0), (1, 1, 0)), fillet=0.1), "elements": 2},
         r"elements is 2, but they end where .* at s = 0\.4.*take elements=3 at least"),
    ],
)  # fmt: skip
def test_bad_input_is_named(given, message):
    with pytest.raises(ModelError, match=message):
        add(**given)


@pytest.mark.parametrize("elements", [5, 6])
def test_a_beam_that_tapers_on_one_side_of_a_jump_and_is_uniform_on_the_other(elements):
    """It rests as two beams do, each with the sections of its own part."""

    def section(s):
        return fm.Rectangle(height=0.02 * (1.0 - 0.3 * s) if s < 0.45 else 0.012, width=0.02)

    of = {"material": fm.Material(density=7850, youngs_modulus=210e9, poissons_ratio=0.3), "theory": "exact"}
    ends = []
    for parts in (1, 2):
        model = fm.SpatialModel("step")
        if parts == 1:
            last = model.add_beam("beam", model.ground, (1, 0, 0), section=section, elements=elements, **of)
        else:
            taper = {"section": lambda s: section(0.45 * s), "elements": elements - 3}
            first = model.add_beam("first", model.ground, (0.45, 0, 0), **taper, **of)
            last = model.add_beam("last", first.end, (1, 0, 0), section=section(1.0), elements=3, **of)
        model.point_force(last.end, (10.0, 20.0, -30.0))
        ends.append(fm.equilibrium(model)[last.end.name].position)
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)


def test_sensitivity_by_a_taper_that_is_zero():
    """The builder's uniform beam and its tapered neighbors are one model with other numbers."""

    def build(taper):
        model = fm.SpatialModel("horn")
        of = {"material": fm.Material(density=7850, youngs_modulus=210e9, poissons_ratio=0.3), "theory": "exact"}
        section = lambda s: fm.Rectangle(height=0.02 * (1.0 - taper * s), width=0.02)  # noqa: E731
        beam = model.add_beam("beam", model.ground, (1, 0, 0), section=section, elements=3, **of)
        model.point_force(beam.end, (0, 20.0, 0))
        return model

    found = fm.static_sensitivity(build, {"taper": 0.0}, "beam.end.y")
    sides = [fm.equilibrium(build(taper))["beam.end"].position[1] for taper in (-1e-3, 1e-3)]
    assert found["beam.end.y", "taper"] == pytest.approx((sides[1] - sides[0]) / 2e-3, rel=1e-5)


def test_an_element_that_is_thin_in_its_middle_is_not_uniform():
    """Where the flexibility is a parabola about the middle, its first moment is zero, and its second one counts."""
    ends, uniform = np.tile([1.0, 0.0, 0.0, 0.0], (2, 1)), Sections.uniform(0.5, np.eye(6), 1.0, np.zeros(3), np.eye(3))
    thin = uniform.flexibility * np.array([1.0, 1.0, 0.8])[:, None, None]
    rows = [
        element_parameters(np.zeros(3), 0.0, ends, Shape(0.5), uniform._replace(flexibility=moments))
        for moments in (uniform.flexibility, thin)
    ]
    assert [row[TAPERED] for row in rows] == [0.0, 1.0]
    np.testing.assert_array_equal(rows[1][SECOND:], [*thin[2].ravel(), *np.zeros(36)])
