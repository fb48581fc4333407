"""ANCF cable: statics, vibration, frames on it, loads, against closed forms."""

import math

import numpy as np
import pytest

import flexmb as fm
from flexmb.forces.distributed_load import DistributedLoad
from flexmb.model.functions.smooth_functions import Polynomial
from flexmb.testing import conformance
from tests.elements.planar.beam_references import (
    at,
    elastica,
    frequencies,
    kinetic_by_points,
    linear_response,
    rest,
    stretching_elastica,
    system_of,
)
from tests.models.cantilevers import CANTILEVER

SOFT = fm.planar.BeamProperties(EA=300.0, EI=2.0, rhoA=1.3)
SLENDER = fm.planar.BeamProperties(EA=1e7, EI=1.0, rhoA=1.0)


def cantilever(properties=SOFT, length=1.7, elements=3, direction=0.4, **options):
    m = fm.PlanarModel("cantilever")
    tip = length * np.array([math.cos(direction), math.sin(direction)])
    beam = m.add_beam("rod", m.ground, tip, properties=properties, theory="ancf", elements=elements, **options)
    return m, beam


@pytest.mark.parametrize("damping", [None, fm.StiffnessProportional(0.07)])
def test_conformance(damping):
    _, beam = cantilever(elements=2, damping=damping)
    assert beam.end.name == "rod.end"
    conformance(beam)


@pytest.mark.parametrize("follower", [False, True])
def test_conformance_of_a_distributed_load(follower):
    m, beam = cantilever(elements=2)
    conformance(
        m.distributed_load(
            beam, [[1.0, 2.0], [-3.0, 5.0]], factor=Polynomial([0.2, 1.0]), axes="section" if follower else "ground"
        )
    )


def test_forces_are_those_of_exudyn():
    """Elastic and damping forces at a state far bent and stretched, by Exudyn 1.13 (ObjectANCFCable2D, full
    integration)."""
    m = fm.PlanarModel("m")
    m.add_beam(
        "rod",
        (0, 0),
        (1.7, 0),
        properties=SOFT,
        theory="ancf",
        elements=1,
        damping=fm.StiffnessProportional(0.07),
    )
    s = system_of(m)
    q = np.array([0.61, -0.77, 1.13, -0.17, 1.56, -0.06, 0.39, -0.07])
    v = np.array([-0.87, 3.32, 0.23, -0.35, -0.28, -0.67, -1.06, -0.39])
    x, y = 76.89477311246458, 74.73155174787304
    first, second = (25.090294874729235, 21.71933813828591), (-28.690452437036893, -26.667141804474113)
    force = s.residual(0.0, q, v, np.zeros(8))
    np.testing.assert_allclose(force, [x, y, *first, -x, -y, *second], rtol=1e-13)


@pytest.mark.parametrize("elements", [1, 4])
def test_small_deflection_is_that_of_the_beam(elements):
    """Force P across and moment T at the tip, linear: w = P L³/3EI + T L²/2EI, slope P L²/2EI + T L/EI."""
    m, beam = cantilever(elements=elements, direction=0.0)
    P, T, L, EI = 0.3, 0.2, 1.7, 2.0
    m.point_force(beam.end, (0.0, P))
    m.point_torque(beam.end, T)
    s = system_of(m)
    u, lam = linear_response(s)
    assert u[at(s, "rod.end.y")] == pytest.approx(P * L**3 / (3 * EI) + T * L**2 / (2 * EI), rel=1e-11)
    assert u[at(s, "rod.end.angle")] == pytest.approx(P * L**2 / (2 * EI) + T * L / EI, rel=1e-11)
    # the multipliers of the weld at the root are the reactions: force −P, moment −(P L + T)
    rows = [k for k, row in enumerate(s.rows) if row.name.startswith("start")]
    np.testing.assert_allclose(np.abs(lam[rows]), [0.0, P, P * L + T], atol=1e-10)


def test_distributed_load_bends_exactly():
    """q₀ to q₁ linear, small: w(L) = q₀ L⁴/8EI + (q₁ − q₀) 11 L⁴/120EI."""
    m, beam = cantilever(elements=3, direction=0.0)
    m.distributed_load(beam, [[0.0, 0.3], [0.0, 0.8]])
    s = system_of(m)
    assert "rod.end" not in m.frames  # a load needs no frame
    expected = (0.3 / 8 + 0.5 * 11 / 120) * 1.7**4 / 2.0
    assert linear_response(s)[0][at(s, "rod.node3.y")] == pytest.approx(expected, rel=1e-11)


def test_follower_load_has_the_axes_of_the_cable():
    """Of a straight cable at any angle: density (along, across) turned by it."""
    m, beam = cantilever(direction=2.2, length=1.5)
    load = m.distributed_load(beam, (2.0, -3.0), axes="section")
    s = system_of(m)
    zero = np.zeros(s.n)
    r = s.residual(0.0, s.q0, zero, zero)
    places = [at(s, f"rod.node{k}.x") for k in range(4)]
    total = -np.array([r[places].sum(), r[np.array(places) + 1].sum()])
    c, si = math.cos(2.2), math.sin(2.2)
    np.testing.assert_allclose(total, 1.5 * np.array([2 * c + 3 * si, 2 * si - 3 * c]), rtol=1e-13)
    assert isinstance(load, DistributedLoad)


def test_elastica_under_a_tip_load():
    """α = P L²/EI = 4, P/EA = 0.004; the error falls with the fourth power of the element's length."""
    np.testing.assert_allclose(stretching_elastica(4.0, 1e-12), elastica(4.0), atol=1e-10)  # the references agree
    exact, errors = stretching_elastica(4.0, 4e-3), []
    for elements in (16, 32):
        m, beam = cantilever(fm.planar.BeamProperties(EA=1e3, EI=1.0, rhoA=1.0), 1.0, elements, 0.0)
        m.point_force(beam.end, (0.0, 4.0), factor=Polynomial([0.0, 1.0]))
        s = system_of(m)
        q, _ = rest(s, steps=10)
        k = at(s, "rod.end.x")
        errors.append(np.abs(q[k : k + 3] - exact))
    assert np.all(errors[1] < 4e-8) and np.all(errors[0] / errors[1] > 15.0)


def test_end_moment_rolls_the_cable_up():
    """A moment 2π EI/L on the end closes a circle; the error falls with the fourth power of the
    element's length.

    (With a much greater EA coarse meshes lock before that: a cubic cannot bend far without stretching.)
    """
    errors = []
    for elements in (8, 16, 32):
        m, beam = cantilever(fm.planar.BeamProperties(EA=1e4, EI=1.0, rhoA=1.0), 1.0, elements, 0.0)
        m.point_torque(beam.end, Polynomial([0.0, 2 * math.pi]))
        s = system_of(m)
        q, _ = rest(s, steps=20)
        k = at(s, "rod.end.x")
        energy = s.energy(1.0, q, np.zeros(s.n))[1]
        errors.append([abs(q[k]), abs(q[k + 2] - 2 * math.pi), abs(energy - 2 * math.pi**2)])
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    assert np.all(ratios[0] > 14.0) and np.all((ratios[1] > 15.0) & (ratios[1] < 17.5))
    assert max(errors[2]) < 1e-3


def test_frequencies_of_a_cantilever():
    """Too high by (λ h/L)⁴/1440, the leading error of cubic elements with their consistent mass.

    EA is small, so that the round-off of the largest eigenvalue, which is axial, does not show in the first one.
    """
    m, _ = cantilever(fm.planar.BeamProperties(EA=1e4, EI=1.0, rhoA=1.0), 1.0, 16)
    error = np.sqrt(frequencies(system_of(m))[:3]) / CANTILEVER**2 - 1.0
    np.testing.assert_allclose(error, (CANTILEVER / 16) ** 4 / 1440, rtol=0.02)


def test_axial_frequencies():
    """(2k − 1) π/2 √(EA/ρA)/L, the error falls with the sixth power of the element's length."""
    errors = []
    for elements in (4, 8):
        m, _ = cantilever(fm.planar.BeamProperties(EA=1.0, EI=1.0, rhoA=1.0), 1.0, elements)
        squared = frequencies(system_of(m))
        exact = (np.array([1, 3]) * math.pi / 2) ** 2
        errors.append([np.min(np.abs(np.sqrt(squared / x) - 1.0)) for x in exact])
    assert errors[0][0] / errors[1][0] > 50 and errors[0][1] / errors[1][1] > 40
    assert errors[1][0] < 1e-9 and errors[1][1] < 6e-7


def test_kinetic_energy_is_that_of_the_points():
    m, beam = cantilever(elements=2)
    s = system_of(m)
    rng = np.random.default_rng(5)
    q, v = s.q0 + 0.1 * rng.normal(size=s.n), rng.normal(size=s.n)
    assert s.energy(0.0, q, v)[0] == pytest.approx(kinetic_by_points(s, beam, q, v), rel=1e-12)


def test_damping_is_proportional_to_stiffness():
    m, _ = cantilever(elements=2, damping=fm.StiffnessProportional(0.03))
    s = system_of(m)
    zero = np.zeros(s.n)
    D, K = (s.tangent(0.0, s.q0, zero, zero, np.zeros(s.m), w) for w in ((0, 1, 0), (0, 0, 1)))
    np.testing.assert_allclose(D, 0.03 * K, atol=1e-12 * np.abs(K).max())


def test_no_strain_and_no_force_undeformed():
    m, _ = cantilever(elements=5, direction=1.1)
    s = system_of(m)
    zero = np.zeros(s.n)
    assert np.abs(s.residual(0.0, s.q0, zero, zero)).max() < 1e-12
    assert np.all(np.isfinite(s.tangent(0.0, s.q0, zero, zero, np.zeros(s.m), (1, 1, 1))))


def test_frames_are_made_at_their_first_use():
    m = fm.PlanarModel("m")
    beam = m.add_beam("rod", (1.0, 2.0), (1.0, 4.0), properties=SOFT, theory="ancf", elements=2)
    assert sorted(m.frames) == ["ground"] and system_of(m).m == 0
    m.set_rigid_motion((1.0, 0.0), 2.0, about=(1.0, 2.0))
    end = beam.end
    assert beam.end is end and sorted(m.frames) == ["ground", "rod.end"]
    np.testing.assert_allclose([*end.position, end.angle], [1.0, 4.0, math.pi / 2])
    np.testing.assert_allclose([*end.node.velocity, end.node.angular_velocity], [1.0 - 4.0, 0.0, 2.0])
    s = system_of(m)
    assert s.m == 3
    g, rate, _ = s.constraint(0.0, s.q0, s.v0)
    assert np.abs(g).max() < 1e-15 and np.abs(rate).max() < 1e-15


@pytest.mark.parametrize("turn", [0.0, 1.0, 3.0, -9.0])
def test_a_given_frame_of_any_angle_is_welded(turn):
    m = fm.PlanarModel("m")
    body = m.add_body("body", mass=1.0, inertia=0.1, position=(0.5, 0.2), angle=turn)
    place = body.attach("place", (0.3, -0.4), 0.7)
    beam = m.add_beam("rod", place, (3.0, 1.0), properties=SOFT, theory="ancf", elements=1)
    assert beam.start.node is body.frame.node
    np.testing.assert_allclose(beam.start.position, place.position, atol=1e-15)
    assert math.remainder(beam.start.angle - beam.direction, 2 * math.pi) == pytest.approx(0.0, abs=1e-14)
    s = system_of(m)
    assert s.m == 3 and s.n == 3 + 8
    assert np.abs(s.constraint(0.0, s.q0, s.v0)[0]).max() < 1e-14


def test_locate():
    _, beam = cantilever(elements=4)
    assert beam.locate(0.0) == (0, 0.0) and beam.locate(1.0) == (3, 1.0)
    assert beam.locate(0.3) == (1, pytest.approx(0.2))


def test_modal_damping_is_refused():
    with pytest.raises(fm.FlexmbError, match=r"beam 'rod'.*StiffnessProportional"):
        cantilever(damping=fm.ModalDamping(0.01))


def test_a_refused_cable_leaves_no_frames():
    m = fm.PlanarModel("m")
    with pytest.raises(fm.FlexmbError, match="length is zero"):
        m.add_beam("rod", m.ground, (0.0, 0.0), properties=SOFT, theory="ancf")
    assert sorted(m.frames) == ["ground"] and not m.components
