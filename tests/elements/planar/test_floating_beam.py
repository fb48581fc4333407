"""Floating-frame beam: modes, coupling, the end frame, and the error of the theory in fast turning."""

import math

import numpy as np
import pytest

import flexmb as fm
from flexmb.model.functions.smooth_functions import Polynomial
from flexmb.testing import conformance
from tests.elements.planar.beam_references import at, frequencies, kinetic_by_points, linear_response, system_of
from tests.models.cantilevers import CANTILEVER

GIVEN = fm.planar.BeamProperties(EA=300.0, EI=2.0, rhoA=1.3)


def cantilever(length=1.7, direction=0.4, **options):
    m = fm.PlanarModel("cantilever")
    tip = length * np.array([math.cos(direction), math.sin(direction)])
    return m, m.add_beam("rod", m.ground, tip, properties=GIVEN, theory="floating", **options)


@pytest.mark.parametrize("damping", [None, fm.StiffnessProportional(0.07), fm.ModalDamping((0.01, 0.05))])
def test_conformance(damping):
    m = fm.PlanarModel("m")
    conformance(m.add_beam("rod", (0.2, 0.1), (1, 2), properties=GIVEN, theory="floating", modes=3, damping=damping))


@pytest.mark.parametrize("follower", [False, True])
def test_conformance_of_a_distributed_load(follower):
    m = fm.PlanarModel("m")
    beam = m.add_beam("rod", (0.2, 0.1), (1, 2), properties=GIVEN, theory="floating")
    conformance(
        m.distributed_load(
            beam, [[1.0, 2.0], [-3.0, 5.0]], factor=Polynomial([0.2, 1.0]), axes="section" if follower else "ground"
        )
    )


def test_frequencies_are_exact():
    m, _ = cantilever(modes=3)
    exact = CANTILEVER**4 * GIVEN.EI / (GIVEN.rhoA * 1.7**4)
    np.testing.assert_allclose(frequencies(system_of(m)), exact, rtol=1e-9)


def test_spin_softens_by_the_whole_centrifugal_force():
    """The error of the theory: held at the hub and spinning, ω² = ω₀² − Ω² and not ω₀² + 0.193 Ω²."""
    m = fm.PlanarModel("m")
    hub = m.add_body("hub", mass=1.0, inertia=1.0)
    m.add_beam("rod", hub.frame, (1.7, 0.0), properties=GIVEN, theory="floating", modes=3)
    s = system_of(m)
    own = [at(s, f"rod.bending{k}") for k in (1, 2, 3)]
    v = np.zeros(s.n)
    v[at(s, "hub.angle")] = 3.0
    zero = np.zeros(s.n)
    mass, stiffness = (
        s.tangent(0.0, s.q0, v, zero, np.zeros(s.m), w)[np.ix_(own, own)] for w in ((1, 0, 0), (0, 0, 1))
    )
    exact = CANTILEVER**4 * GIVEN.EI / (GIVEN.rhoA * 1.7**4) - 9.0
    np.testing.assert_allclose(np.diag(stiffness) / np.diag(mass), exact, rtol=1e-8)
    assert np.abs(stiffness - np.diag(np.diag(stiffness))).max() == 0.0


def test_tip_force_and_moment_act_through_the_end_frame():
    """Deflection by two modes: w = P L³/EI Σ 4/λ⁴ (the series of 1/3)."""
    m, beam = cantilever(direction=0.0)
    m.point_force(beam.end, (0.0, 0.3))
    s = system_of(m)
    u, _ = linear_response(s)
    k = at(s, "rod.end.y")
    assert u[k] == pytest.approx(0.3 * 1.7**3 / GIVEN.EI * np.sum(4.0 / CANTILEVER[:2] ** 4), rel=1e-9)


def test_distributed_load_bends_it():
    """Uniform q, twelve modes: w(L) = q L⁴/8EI. The modes' shares ± 4 σ/λ⁵ alternate, so that what is left
    out is less than the first of them, 32/λ₁₃⁵ = 3.4e-7 of the sum."""
    m, beam = cantilever(direction=0.0, modes=12)
    m.distributed_load(beam, (0.0, 0.4))
    s = system_of(m)
    assert linear_response(s)[0][at(s, "rod.end.y")] == pytest.approx(0.4 * 1.7**4 / (8 * GIVEN.EI), rel=3.4e-7)


def test_inertia_is_that_of_the_points():
    m = fm.PlanarModel("m")
    beam = m.add_beam("rod", (0.2, 0.1), (1, 2), properties=GIVEN, theory="floating", modes=4)
    s = system_of(m)
    rng = np.random.default_rng(5)
    q, v = s.q0 + 0.3 * rng.normal(size=s.n), rng.normal(size=s.n)
    assert s.energy(0.0, q, v)[0] == pytest.approx(kinetic_by_points(s, beam, q, v), rel=1e-12)


def test_modal_damping_has_the_given_ratios():
    m, _ = cantilever(modes=3, damping=fm.ModalDamping((0.01, 0.05)))
    s = system_of(m)
    own = [at(s, f"rod.bending{k}") for k in (1, 2, 3)]
    zero = np.zeros(s.n)
    M, D, K = (
        np.diag(s.tangent(0.0, s.q0, zero, zero, np.zeros(s.m), w))[own] for w in ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    )
    np.testing.assert_allclose(D / (2 * np.sqrt(K * M)), [0.01, 0.05, 0.05], rtol=1e-13)


def test_several_elements_are_refused():
    with pytest.raises(fm.FlexmbError, match=r"beam 'rod'.*give more modes"):
        cantilever(elements=2)
