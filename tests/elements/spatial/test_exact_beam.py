"""Exact beam in space: order four, exact cases, any section, inertia, wrong input."""

import math
import re
import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb import testing
from flexmb.errors import AccuracyWarning, ModelError
from flexmb.spatial import ExactBeam
from tests.models.cantilevers import CANTILEVER

PRINCETON = {"EA": 2.84191e6, "GJ": 3.10338, "EIy": 36.2794, "EIz": 2.42873, "rhoA": 1.0, "rhoIp": 1e-4}
SHEAR = {"GAy": 6.40131e5, "GAz": 9.03881e5}


def cantilever(elements, length=1.0, **given):
    m = fm.SpatialModel("cantilever")
    properties = fm.spatial.BeamProperties(**given)
    end = (length, 0.0, 0.0)
    beam = m.add_beam("rod", m.ground, end, properties=properties, theory="exact", elements=elements, y_axis="y")
    return m, beam


def princeton_tip(elements, **shear):
    """The end of the beam of Bauchau et al. (2016) under 13.345 N at 45° to both axes of its section."""
    m, beam = cantilever(elements, 0.508, **PRINCETON, **shear)
    m.point_force(beam.end, 13.345 * np.array([0.0, math.sqrt(0.5), math.sqrt(0.5)]))
    return fm.equilibrium(m).solution[beam.end].position[0]


def test_the_error_of_large_bending_falls_with_the_fourth_power_of_the_length():
    """Against an exact rod, by shooting; a section 15 times as stiff in one plane, whose bending twists it."""
    exact = np.array([0.508 - 0.0303617829, 0.1565898721, 0.0153423485])
    errors = [np.linalg.norm(princeton_tip(n, **SHEAR) - exact) / 0.508 for n in (4, 8, 16)]
    assert errors[1] < 2e-6
    np.testing.assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 4.0, rtol=0, atol=0.05)


def test_sections_that_do_not_shear():
    exact = np.array([0.4776402381, 0.1565839325, 0.0153370554])  # an exact rod, by shooting
    np.testing.assert_allclose(princeton_tip(16), exact, rtol=0, atol=1e-7)


@pytest.mark.parametrize("elements", [3, 5])
def test_a_moment_rolls_it_into_a_circle_exactly(elements):
    m, beam = cantilever(elements, 1.0, EA=1e4, EIy=1.0, EIz=1.0, GJ=1.0, rhoA=1.0, rhoIp=1e-4, GAy=5e3, GAz=5e3)
    m.point_torque(beam.end, (0.0, 1.2 * math.pi, 1.6 * math.pi), axes="body")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)  # nodes that turn by 2.1 rad
        path = fm.equilibrium_path(m, steps=10, stability=False)
    np.testing.assert_allclose(path[beam.end].position[-1], 0.0, rtol=0, atol=1e-10)


def bent_too_far(**more):
    m, beam = cantilever(2, 1.0, EA=1e4, EIy=1.0, EIz=1.0, GJ=1.0, rhoA=1.0, rhoIp=1e-2, rhoIy=1e-3, rhoIz=1e-3)
    m.point_torque(beam.end, (0.0, 0.0, 8.0), axes="body", name="twist", **more)
    return m


TOO_FAR = "beam 'rod' bends too far for 2 elements: neighbouring sections are turned by 2.1.* take elements=9"


@pytest.mark.parametrize("method", ["radau", "generalized_alpha", "dop853"])
def test_a_run_ends_where_sections_turn_too_far_against_each_other(method):
    options = {"step": 1e-2} if method == "generalized_alpha" else {}
    with pytest.warns(fm.errors.DivergenceWarning, match=TOO_FAR):
        run = fm.simulate(bent_too_far(factor=fm.SmoothStep(0.0, 1.0, 0.0, 1.0)), 1.5, method, **options)
    assert run.status == "diverged" and 0.57 < run.t[-1] < 0.6
    assert re.search(TOO_FAR, run.message)


def test_statics_say_where_sections_turn_too_far_against_each_other():
    with pytest.raises(fm.errors.EquilibriumError, match=TOO_FAR):
        fm.equilibrium(bent_too_far())
    with (
        pytest.warns(AccuracyWarning, match="bends too far"),
        pytest.warns(fm.errors.DivergenceWarning, match=TOO_FAR),
    ):
        path = fm.equilibrium_path(bent_too_far(), steps=10, stability=False)
    assert path.status == "stopped" and re.search(TOO_FAR, path.message)


@pytest.mark.parametrize("elements", [1, 3])
def test_small_deflections_are_exact_with_any_number_of_elements(elements):
    """P L³/3EI + P L/GA in both planes, M L/GJ and N L/EA."""
    given = {"EA": 40.0, "GAy": 7.0, "GAz": 11.0, "GJ": 3.0, "EIy": 5.0, "EIz": 2.0, "rhoA": 1.0, "rhoIp": 1.0}
    m, beam = cantilever(elements, 1.5, **given)
    small = 1e-8
    m.point_force(beam.end, (small, 2.0 * small, -small))
    m.point_torque(beam.end, (small, 0.0, 0.0))
    end = fm.equilibrium(m).solution[beam.end]
    bent = [1.5 / 40.0, 2.0 * (1.5**3 / 6.0 + 1.5 / 7.0), -(1.5**3 / 15.0 + 1.5 / 11.0)]
    np.testing.assert_allclose((end.position[0] - [1.5, 0.0, 0.0]) / small, bent, rtol=1e-5)
    assert end.rotation_vector[0, 0] / small == pytest.approx(1.5 / 3.0, rel=1e-5)


def test_forces_of_sections_are_those_of_equilibrium():
    """A dead force bends it far; everywhere the section carries it, with its arm."""
    m, beam = cantilever(4, 0.508, **PRINCETON, **SHEAR)
    force = np.array([1.0, 9.0, -6.0])
    m.point_force(beam.end, force)
    rest = fm.equilibrium(m).solution
    tip = rest[beam.end].position[0]
    for s in (0.0, 0.2, 0.5, 0.83):
        place = beam.at(s)
        track = rest[place]
        back = track.orientation[0].inv()
        wanted = np.concatenate([back.apply(force), back.apply(np.cross(tip - track.position[0], force))])
        got = rest.source.section(rest, "rod", s)[0, 6:]
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    ("end", "force", "kind"), [((0.0, 0.0, -1.0), "axial_force", "axial"), ((1.0, 0.0, 0.0), "shear_force_z", "shear")]
)
def test_forces_that_weight_makes_vary_are_said_to_be_means(end, force, kind):
    """ρA g L of 19.62 N at the root, of which an element of half the length knows three quarters."""
    given = fm.spatial.BeamProperties(EA=1e6, EIy=1e4, EIz=1e4, GJ=1e4, rhoA=2.0, rhoIp=1e-3)
    m = fm.SpatialModel("m", gravity=(0.0, 0.0, -9.81))
    m.add_beam("rod", m.ground, end, properties=given, theory="exact", elements=2)
    rest = fm.equilibrium(m).solution
    with pytest.warns(AccuracyWarning, match=rf"of the mean {kind} force of an element.* ±4\.9\d* N between"):
        found = rest[f"rod@0.0.{force}"]
    assert abs(found[0]) == pytest.approx(0.75 * 2.0 * 9.81, rel=1e-5)


class General(ExactBeam):
    """A section with every coupling, a mass centre off its axis and a full inertia."""

    @property
    def flexibility(self):
        A = np.random.default_rng(3).normal(size=(6, 6))
        return np.linalg.inv(A @ A.T + 6.0 * np.eye(6)) / 50.0

    @property
    def rotary(self):
        B = np.random.default_rng(4).normal(size=(3, 3))
        return 0.01 * (B @ B.T + np.eye(3))

    @property
    def mass_center(self):
        return np.array([0.0, 0.1, -0.2])


def test_the_kernels_take_any_section():
    given = fm.spatial.BeamProperties(EA=1e3, EIy=0.4, EIz=1.3, GJ=0.5, rhoA=1.7, rhoIp=0.03)
    m = fm.SpatialModel("m")
    damping = fm.StiffnessProportional(0.05)
    beam = General.build(m, "rod", (0.1, 0.2, 0.3), (1.0, -0.3, 0.8), given, 1, damping)
    testing.conformance(beam)


def rods(section, count, **options):
    m = fm.SpatialModel("m")
    steel = fm.Material(7850, 205e9)
    start, end = options.pop("start", m.ground), options.pop("end", (1.0, 0.0, 0.0))
    return m, m.add_beam("rod", start, end, material=steel, section=section, theory="exact", elements=count, **options)


def test_a_turned_section_is_one_with_turned_axes():
    strip, angle = fm.Rectangle(width=0.02, height=0.05), 0.3
    found = []
    for section, y_axis in ((strip.turned(angle), "y"), (strip, (0.0, math.cos(angle), math.sin(angle)))):
        m, beam = rods(section, 3, y_axis=y_axis)
        m.point_force(beam.end, (1e3, 3e4, -1e4))
        frequencies = fm.modes(rods(section, 3, y_axis=y_axis)[0], 5).frequencies
        found.append([*fm.equilibrium(m).solution[beam.end].position[0], *frequencies])
    np.testing.assert_allclose(*found, rtol=1e-7)


def test_a_section_off_the_axis_vibrates_as_one_on_it_does():
    """Clamped as a whole, it does not know through which of its points the axis of the beam goes."""
    tube, bare = fm.Tube(outer_diameter=0.05, inner_diameter=0.04), []
    for section in (tube, tube.moved((0.1, -0.06))):
        bare.append(np.asarray(fm.modes(rods(section, 16)[0], 5).frequencies))
    np.testing.assert_allclose(bare[1], bare[0], rtol=2e-4)


def test_a_force_at_the_centroid_of_a_channel_twists_it_about_its_shear_center():
    channel = fm.Channel(width=0.05, height=0.1, web_thickness=0.004, flange_thickness=0.006)
    m, beam = rods(channel, 1, y_axis="y")
    m.point_force(beam.end, (0.0, 1e-4, 0.0))
    rest = fm.equilibrium(m).solution
    twist = 1e-4 * -channel.shear_center[1] / (fm.Material(7850, 205e9).shear_modulus * channel.torsion_constant)
    assert abs(rest[beam.end].rotation_vector[0, 0]) == pytest.approx(abs(twist), rel=1e-5)
    with pytest.raises(ModelError, match=r"stresses of beam 'rod' need its area.*a section without couplings"):
        rest["rod@0.5.stress"]
    with pytest.raises(ModelError, match=r"^beam 'other': .*its shear center.*theory='exact', which takes any section"):
        m.add_beam("other", m.ground, (0, 1, 0), material=fm.Material(7850, 205e9), section=channel)


class Composite(ExactBeam):
    """A section whose torsion and bending are coupled: the cantilever of BeamDyn's manual."""

    @property
    def flexibility(self):
        turning = 1e3 * np.array([[16.96, 17.61, -0.351], [17.61, 59.12, -0.37], [-0.351, -0.37, 141.47]])
        return np.block(
            [
                [np.diag(1e-3 / np.array([1368.17, 88.56, 38.78])), np.zeros((3, 3))],
                [np.zeros((3, 3)), np.linalg.inv(turning)],
            ]
        )


def test_a_section_of_coupled_torsion_and_bending():
    """Order four against an exact rod, by shooting: 150 N bend it and so twist it."""
    exact = np.array([-0.0902726627566, -0.0647488486259, 1.2297364829237])
    given = fm.spatial.BeamProperties(EA=1368e3, EIy=59e3, EIz=141e3, GJ=17e3, rhoA=1.0, rhoIp=0.01)
    errors = []
    for elements in (4, 8, 16):
        m = fm.SpatialModel("m")
        beam = Composite.build(m, "rod", m.ground, (10.0, 0.0, 0.0), given, elements, None, y_axis="y")
        m.point_force(beam.end, (0.0, 0.0, 150.0))
        errors.append(np.linalg.norm(fm.equilibrium(m).solution[beam.end].position[0] - [10.0, 0.0, 0.0] - exact))
    np.testing.assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 4.0, rtol=0, atol=0.1)
    assert errors[-1] < 2e-8 * 10.0


def test_it_turns_as_a_rigid_body_of_its_mass_does():
    """T = ½ m v² + ½ ωᵀ I ω of a straight beam with an eccentric mass and a full inertia of its sections."""
    given = fm.spatial.BeamProperties(EA=1e3, EIy=0.4, EIz=1.3, GJ=0.5, rhoA=1.7, rhoIp=0.03)
    beam = General.build(fm.SpatialModel("m"), "rod", (0, 0, 0), (2.0, 0, 0), given, 3, None, y_axis="y")
    system = fm.System(beam.model)
    rng = np.random.default_rng(0)
    shift, spin = rng.normal(size=(2, 3))
    v = np.zeros(system.n)
    for k, node in enumerate(beam.nodes()):
        v[6 * k : 6 * k + 6] = np.concatenate([shift + np.cross(spin, node.position), spin])
    x, w = np.polynomial.legendre.leggauss(3)
    kinetic = 0.0
    for s, weight in zip(1.0 + x, w):
        speed = shift + np.cross(spin, np.array([s, 0.0, 0.0]) + beam.mass_center)
        kinetic += 0.5 * weight * (1.7 * speed @ speed + spin @ beam.rotary @ spin)
    assert system.energy(0.0, system.q0, v)[0] == pytest.approx(kinetic, rel=1e-12)


def test_errors_of_frequencies_fall_with_the_fourth_power_of_the_length():
    """Euler and Bernoulli's cantilever, √(EI/ρA) λ²/L², in both planes, and a shaft, √(GJ/ρIp) π/2L."""
    errors = []
    for elements in (2, 4, 8):
        m, _ = cantilever(elements, 1.0, EA=1e7, EIy=1.0, EIz=4.0, GJ=0.5, rhoA=1.0, rhoIp=1e-4)
        found = 2.0 * np.pi * np.asarray(fm.modes(m, 6).frequencies)
        wanted = CANTILEVER[0] ** 2 * np.array([1.0, 2.0]), 0.5 * math.pi * math.sqrt(0.5 / 1e-4)
        shaft = np.abs(found - wanted[1]).min() / wanted[1]
        errors.append([*(np.abs(found[:2] / wanted[0] - 1.0)), shaft])
    ratios = np.log2(np.array(errors[:-1]) / errors[1:])
    np.testing.assert_allclose(ratios, 4.0, rtol=0, atol=0.15)
    assert np.max(errors[-1]) < 4e-6


def test_rates_of_strain_damp_as_the_material_does():
    """Kelvin and Voigt: a vibration of the frequency ω has the damping ratio ½βω; a rigid motion loses nothing."""
    m, beam = cantilever(4, 1.0, EA=1e5, EIy=1.0, EIz=4.0, GJ=0.5, rhoA=1.0, rhoIp=1e-2)
    beam.damping = fm.StiffnessProportional(2e-3)
    found = fm.complex_modes(m, 4).eigenvalues
    omega = 2.0 * np.pi * np.asarray(fm.modes(m, 4).frequencies)
    np.testing.assert_allclose(-found.real / np.abs(found), 1e-3 * omega, rtol=1e-6)


def test_wrong_input_is_refused_by_name():
    m = fm.SpatialModel("m")
    given = {"EA": 1e6, "EIy": 10.0, "EIz": 20.0, "GJ": 15.0, "rhoA": 0.6}
    still = fm.spatial.BeamProperties(**given, rhoIp=0.0)
    with pytest.raises(ModelError, match=r"^beam 'rod': the sections .* have no inertia; give BeamProperties\(rhoIp"):
        m.add_beam("rod", m.ground, (1, 0, 0), properties=still, theory="exact")
    with pytest.raises(ModelError, match=r"^beam 'rod': an exact beam has no modes to damp; .*StiffnessProportional"):
        m.add_beam(
            "rod", m.ground, (1, 0, 0), properties=fm.spatial.BeamProperties(**given), theory="exact",
            damping=fm.ModalDamping(0.02),
        )  # fmt: skip
    assert not m.components


def test_neighbouring_nodes_that_turn_too_far_are_named():
    m, beam = cantilever(2, 1.0, EA=1e4, EIy=1.0, EIz=1.0, GJ=1.0, rhoA=1.0, rhoIp=1e-4)
    m.point_torque(beam.end, (0.0, 0.0, 4.0))
    with pytest.warns(AccuracyWarning, match=r"beam 'rod' bends too far for 2 elements.*2 rad.*take elements=12"):
        path = fm.equilibrium_path(m, steps=10, stability=False)
    turn = Rotation.from_rotvec([0.0, 0.0, 4.0])
    assert (path[beam.end].orientation[-1] * turn.inv()).magnitude() < 1e-9
