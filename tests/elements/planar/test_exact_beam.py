"""Geometrically exact beam: statics, vibration, loads, against closed forms."""

import math

import numpy as np
import pytest

import flexmb as fm
from flexmb.model.functions.smooth_functions import Polynomial
from flexmb.testing import conformance
from tests.elements.planar.beam_references import (
    at,
    elastica,
    frequencies,
    kinetic_by_points,
    linear_response,
    rest,
    system_of,
)
from tests.models.cantilevers import CANTILEVER

SOFT = fm.planar.BeamProperties(EA=300.0, EI=2.0, rhoA=1.3, rhoI=0.4, GA=17.0)
SLENDER = fm.planar.BeamProperties(EA=1e7, EI=1.0, rhoA=1.0, rhoI=1e-9, GA=1e7)


def cantilever(properties=SOFT, length=1.7, elements=3, direction=0.4, **options):
    m = fm.PlanarModel("cantilever")
    tip = length * np.array([math.cos(direction), math.sin(direction)])
    return m, m.add_beam("rod", m.ground, tip, properties=properties, theory="exact", elements=elements, **options)


@pytest.mark.parametrize("damping", [None, fm.StiffnessProportional(0.07)])
def test_conformance(damping):
    m = fm.PlanarModel("m")
    beam = m.add_beam("rod", (0.2, 0.1), (1, 2), properties=SOFT, theory="exact", elements=2, damping=damping)
    conformance(beam)


@pytest.mark.parametrize("follower", [False, True])
def test_conformance_of_a_distributed_load(follower):
    m = fm.PlanarModel("m")
    beam = m.add_beam("rod", (0.2, 0.1), (1, 2), properties=SOFT, theory="exact", elements=2)
    conformance(
        m.distributed_load(
            beam, [[1.0, 2.0], [-3.0, 5.0]], factor=Polynomial([0.2, 1.0]), axes="section" if follower else "ground"
        )
    )


@pytest.mark.parametrize("elements", [1, 2, 5])
def test_small_deflection_is_exact_with_shear(elements):
    """Force P across, moment T at the tip: w = P L³/3EI + P L/GA + T L²/2EI, slope P L²/2EI + T L/EI."""
    m, beam = cantilever(elements=elements, direction=0.0)
    P, T, L, EI, GA = 0.3, 0.2, 1.7, 2.0, 17.0
    m.point_force(beam.end, (0.0, P))
    m.point_torque(beam.end, T)
    s = system_of(m)
    u, _ = linear_response(s)
    expected = P * L**3 / (3 * EI) + P * L / GA + T * L**2 / (2 * EI)
    assert u[at(s, "rod.end.y")] == pytest.approx(expected, rel=1e-11)
    assert u[at(s, "rod.end.angle")] == pytest.approx(P * L**2 / (2 * EI) + T * L / EI, rel=1e-11)


@pytest.mark.parametrize("elements", [1, 4])
def test_without_shear_stiffness_it_bends_like_a_slender_beam(elements):
    """GA not given: w = P L³/3EI, slope P L²/2EI, and nothing more."""
    m, beam = cantilever(fm.planar.BeamProperties(EA=300.0, EI=2.0, rhoA=1.3, rhoI=0.4), 1.7, elements, 0.0)
    m.point_force(beam.end, (0.0, 0.3))
    s = system_of(m)
    u, _ = linear_response(s)
    assert u[at(s, "rod.end.y")] == pytest.approx(0.3 * 1.7**3 / (3 * 2.0), rel=1e-11)
    assert u[at(s, "rod.end.angle")] == pytest.approx(0.3 * 1.7**2 / (2 * 2.0), rel=1e-11)


def test_elastica_under_a_tip_load():
    """α = P L²/EI = 4; the error falls with the square of the element's length."""
    errors = []
    for elements in (8, 16, 32):
        m, beam = cantilever(SLENDER, 1.0, elements, 0.0)
        m.point_force(beam.end, (0.0, 4.0), factor=Polynomial([0.0, 1.0]))
        s = system_of(m)
        q, _ = rest(s, steps=10)
        k = at(s, "rod.end.x")
        errors.append(np.abs(q[k : k + 3] - elastica(4.0)).max())
    assert 3.8 < errors[0] / errors[1] < 4.2 and 3.8 < errors[1] / errors[2] < 4.2
    assert errors[2] < 5e-4


def test_end_moment_bends_to_a_polygon_of_equal_angles():
    """Under an end moment every element has the same curvature: exact angles with any number of elements."""
    m, beam = cantilever(SLENDER, 1.0, 5, 0.0)
    m.point_torque(beam.end, Polynomial([0.0, 2 * math.pi]))
    s = system_of(m)
    q, _ = rest(s, steps=20)
    k = at(s, "rod.end.x")
    np.testing.assert_allclose(q[k : k + 3], [0.0, 0.0, 2 * math.pi], atol=1e-9)


def test_frequencies_of_a_cantilever():
    errors = []
    for elements in (16, 32):
        m, _ = cantilever(fm.planar.BeamProperties(EA=1e5, EI=1.0, rhoA=1.0, rhoI=1e-7, GA=1e7), 1.0, elements)
        errors.append(np.sqrt(frequencies(system_of(m))[:2]) / CANTILEVER[:2] ** 2 - 1.0)
    ratio = errors[0] / errors[1]
    assert np.all((ratio > 3.8) & (ratio < 4.2)) and errors[1][0] < 1e-3


def test_kinetic_energy_is_that_of_the_points():
    m, beam = cantilever(elements=2)
    s = system_of(m)
    rng = np.random.default_rng(5)
    q, v = s.q0 + 0.1 * rng.normal(size=s.n), rng.normal(size=s.n)
    assert s.energy(0.0, q, v)[0] == pytest.approx(kinetic_by_points(s, beam, q, v, rhoI=0.4), rel=1e-12)


def test_distributed_load_adds_up():
    """Resultant and moment about the root of a load from q₀ to q₁: L (q₀ + q₁)/2, L² (q₀ + 2 q₁)/6."""
    m = fm.PlanarModel("m")
    beam = m.add_beam("rod", (0, 0), (1.7, 0), properties=SOFT, theory="exact", elements=3)
    m.distributed_load(beam, [[0.0, 0.3], [0.0, 0.8]])
    s = system_of(m)
    zero = np.zeros(s.n)
    force = -s.residual(0.0, s.q0, zero, zero)
    y = [k for k, name in enumerate(s.names) if name.endswith(".y")]
    x = np.array(y) - 1
    assert force[y].sum() == pytest.approx(1.7 * 0.55, rel=1e-13)
    assert force[y] @ s.q0[x] == pytest.approx(1.7**2 * 1.9 / 6, rel=1e-13)


def test_shared_frames_may_have_any_angle():
    """Where the end frames' axes point makes no difference to the beam."""
    forces = []
    for turns in ((0.0, 0.0), (1.3, -8.0)):
        m = fm.PlanarModel("m")
        a = m.add_body("a", mass=1.0, inertia=1.0, position=(0, 0), angle=turns[0])
        b = m.add_body("b", mass=1.0, inertia=1.0, position=(1, 1), angle=turns[1])
        m.add_beam("rod", a.frame, b.frame, properties=SOFT, theory="exact", elements=1)
        s = system_of(m)
        zero = np.zeros(s.n)
        push = np.array([0.1, -0.2, 0.3, 0.0, 0.1, -0.2])
        assert np.abs(s.residual(0.0, s.q0, zero, zero)).max() < 1e-13
        forces.append(s.residual(0.0, s.q0 + push, zero, zero))
    np.testing.assert_allclose(forces[0], forces[1], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("properties", "damping", "words"),
    [
        (fm.planar.BeamProperties(EA=1.0, EI=1.0, rhoA=1.0, GA=1.0), None, "rhoI"),
        (SOFT, fm.ModalDamping(0.01), "StiffnessProportional"),
    ],
)
def test_what_is_refused(properties, damping, words):
    with pytest.raises(fm.FlexmbError, match=rf"beam 'rod'.*{words}"):
        cantilever(properties, damping=damping)
