"""The references of beams in space: numbers from elsewhere, energies, closed forms against polynomials."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

from flexmb.validation.references import clamped_beam, elastica, shafts, spin_up, spin_up_space, strip, torsion_bending
from flexmb.validation.references.angle_frame import AngleFrame
from flexmb.validation.references.directed_rod import DirectedRod
from flexmb.validation.references.exact_rod import ExactRod
from flexmb.validation.references.mathematics import gauss, legendre
from flexmb.validation.references.rod_in_space import RodInSpace, path


@pytest.mark.parametrize(
    ("stiffness", "place"),
    [((0.8, 1.0, 1.0), (0.94894552, 0.24374308, 0.15233942)), ((0.5, 0.4, 1.0), (0.8899675, 0.23644976, 0.34007182))],
)
def test_skew_rods_end_where_others_found_them(stiffness, place):
    end, turn = RodInSpace(1.0, *stiffness).end(np.array([0.0, 0.8, 0.5]))
    np.testing.assert_allclose(end, place, atol=6e-9)
    np.testing.assert_allclose(turn.T @ turn, np.eye(3), atol=1e-11)


def test_a_rod_in_a_plane_is_the_elastica_and_rolls_into_a_circle():
    slope = 1.0
    end, turn = RodInSpace(1.0, 0.3, 0.7, 1.0).end(np.array([0.0, elastica.force(slope), 0.0]))
    np.testing.assert_allclose(end, [*elastica.tip(slope), 0.0], atol=1e-10)
    assert np.arctan2(turn[1, 0], turn[0, 0]) == pytest.approx(slope, abs=1e-10)
    end, _ = RodInSpace(1.0, 0.3, 0.7, 1.0).end(np.zeros(3), np.array([0.0, 0.0, 2.0 * np.pi]))
    np.testing.assert_allclose(end, 0.0, atol=1e-10)


def test_the_princeton_beam():
    """Without its small shear deformation."""
    rod = RodInSpace(0.508, 3.10338, 36.2794, 2.42873, 2.84191e6)
    end, _ = rod.end(4.448 * np.sqrt(0.5) * np.array([0.0, 1.0, 1.0]))
    np.testing.assert_allclose(end - [0.508, 0.0, 0.0], [-0.0037469809, 0.0560560049, 0.0039651646], atol=3e-6)


def test_strips_buckle_at_the_known_loads():
    assert strip.tip_load() == pytest.approx(4.012599343578901, abs=1e-12)
    assert strip.weight() == pytest.approx(7.837347438943484, abs=1e-12)
    assert strip.moment(2.0, 3.0, 5.0) == pytest.approx(0.5 * np.pi * np.sqrt(15.0), rel=1e-14)
    bent = [
        RodInSpace(1.0, 1e-3, 1e-3, EIz).buckling_force(np.array([0.0, 1.0, 0.0]), 3.9e-3, 4.1e-3) for EIz in (1, 100)
    ]
    off = np.array(bent) * 1e3 - strip.tip_load()
    assert off[1] == pytest.approx(0.01 * off[0], rel=0.01)  # the less it bends in its plane, the nearer
    assert strip.Strip(1.0, 0.2, 0.5, 1.0, 0.1, strip.tip_load() * np.sqrt(0.1)).omega_squared(1)[0] == pytest.approx(
        0.0, abs=1e-11
    )
    still = strip.Strip(1.0, 0.2, 0.5, 1.0, 0.1).omega_squared(1)[0]
    assert still == pytest.approx(clamped_beam.frequencies(1, 1.0, 0.2, 1.0)[0] ** 2, rel=1e-10)


def test_a_path_goes_on_along_its_branch():
    rod, across = RodInSpace(1.0, 1e-3, 1e-3, 1.0), 1e-3
    places = path(rod, lambda f: f * 1e-3 * np.array([0.0, -1.0, across]), np.array([2.0, 3.6, 4.0, 4.1]))
    assert np.all(np.diff([z for _, _, z in places]) > 0.0)


def test_bars_and_shafts():
    z = shafts.bar(3, 1.0, 1.0, 1.0, 0.7)
    np.testing.assert_allclose(z * np.tan(z), 1.0 / 0.7, rtol=1e-11)
    np.testing.assert_allclose(shafts.bar(3, 1.0, 1.0, 1.0), np.pi * np.array([0.5, 1.5, 2.5]), rtol=1e-14)
    np.testing.assert_allclose(shafts.bar_by_ritz(40, 1.0, 1.0, 1.0)[:2], np.pi * np.array([0.5, 1.5]), rtol=1e-4)
    np.testing.assert_allclose(shafts.bar_by_powers(8, 1.0, 1.0, 1.0)[:2], np.pi * np.array([0.5, 1.5]), rtol=1e-7)
    A = np.pi * 0.05**2
    given = (2.0, 2.1e11 * A * 0.05**2 / 4.0, 7850.0 * A, 7850.0 * A * 0.05**2 / 4.0)
    known = {1: (320.34468706, -317.26518466), 2: (1278.41524375, -1266.15387255)}
    for n, values in known.items():
        np.testing.assert_allclose(shafts.rayleigh(n, *given, 1000.0), values, atol=1e-8)
    assert shafts.rayleigh(1, *given)[0] == pytest.approx(318.80121752, abs=1e-8)
    for n in (1, 2):
        forward, backward = shafts.critical_speeds(n, *given)
        assert shafts.rayleigh(n, *given, forward)[0] == pytest.approx(forward, rel=1e-12)
        assert shafts.rayleigh(n, *given, backward)[1] == pytest.approx(-backward, rel=1e-12)


def test_a_body_beside_the_axis_by_polynomials():
    e = torsion_bending.EccentricBody(1.0, 1.0, 0.3, 1.0, 0.01, 0.5, 0.2, 0.03, 0.02)
    n = 12
    x, weight, _ = gauss(30)
    p0, p1, p2 = (legendre(n, x, order).T for order in range(3))
    end0, end1 = (legendre(n, np.ones(1), order)[0] for order in range(2))
    w, bend, phi, twist = x**2 * p0, 2.0 * p0 + 4.0 * x * p1 + x**2 * p2, x * p0, p0 + x * p1
    slope, zero = 2.0 * end0 + end1, np.zeros((n, n))
    K = np.block([[(bend * weight) @ bend.T, zero], [zero, 0.3 * (twist * weight) @ twist.T]])
    moved = np.concatenate([end0, 0.2 * end0])
    M = np.block(
        [
            [(w * weight) @ w.T + 0.02 * np.outer(slope, slope), zero],
            [zero, 0.01 * (phi * weight) @ phi.T + 0.03 * np.outer(end0, end0)],
        ]
    ) + 0.5 * np.outer(moved, moved)
    wanted = np.sqrt(eigh(K, M, eigvals_only=True)[:5])
    np.testing.assert_allclose(e.frequencies(5, 40.0), wanted, rtol=1e-9)


def test_bending_in_both_planes_twists():
    """The exact rod under a small force."""
    rod, force, twists = RodInSpace(1.0, 0.5, 0.4, 1.0), np.array([0.0, 0.8, 0.5]), []
    for part in (0.05, 0.025):
        _, R = rod.end(part * force, parts=1)
        twists.append(np.arctan2(R[2, 1] - R[1, 2], R[1, 1] + R[2, 2]) / part**2)
    wanted = torsion_bending.twist(0.8, 0.5, 1.0, 0.5, 0.4, 1.0)
    assert (4.0 * twists[1] - twists[0]) / 3.0 == pytest.approx(wanted, rel=1e-6)


def test_a_directed_rod_keeps_its_energy():
    rod = DirectedRod(2.0, 1e3, 5.0, 1.0, -1.62, 4, 2)
    rng = np.random.default_rng(1)
    q, v = 0.1 * rng.normal(size=rod.size), rng.normal(size=rod.size)
    a = rod.acceleration(q, v, 0.0, 0.0)
    h = 1e-5
    after, before = (rod.energy(q + s * v + 0.5 * s**2 * a, v + s * a) for s in (h, -h))
    assert (after - before) / (2.0 * h) == pytest.approx(0.0, abs=1e-4)


def test_a_directed_rod_without_weight_is_the_planar_one():
    given = (spin_up.LENGTH, spin_up.EA, spin_up.EI, spin_up.RHO_A)
    deep, flat = DirectedRod(*given, bending=3, stretching=2), ExactRod(*given, 3, 2)
    rng = np.random.default_rng(2)
    direction, strain = 1e-6 * rng.normal(size=3), 1e-5 * rng.normal(size=2)
    spin, second = 2.0, 0.3
    zero = np.zeros(3)
    found = deep.acceleration(np.array([*direction, *zero, *strain]), np.zeros(8), spin, second)
    known = flat.acceleration(0.0, np.array([*direction, *strain]), np.zeros(5), lambda t: (0j, 0j, 0.0, spin, second))
    np.testing.assert_allclose(found[[0, 1, 2, 6, 7]], known, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found[3:6], 0.0, atol=1e-9)


def test_rods_and_cables_have_the_same_largest_lag_and_flap():
    exact, cable = spin_up_space.EXACT, spin_up_space.CABLE[16]
    assert exact.lag == pytest.approx(cable.lag, abs=1e-4)
    assert exact.flap == pytest.approx(cable.flap, abs=1e-5)
    found = spin_up_space.result(np.linspace(0, 20, 2001), -np.linspace(0, 1, 2001), np.zeros(2001))
    assert found.later[0] == pytest.approx((-0.25, 0.0))


def test_an_angle_frame_under_a_small_force_across_it():
    """w = F (2 L³/3EIy + L³/GJ): both legs bend, the first twists; u = F L³/3EIz + F L³/EIz in the plane."""
    leg = RodInSpace(2.0, GJ=3.0, EIy=5.0, EIz=7.0)
    place, _ = AngleFrame(leg).end(np.array([0.0, 0.0, 1e-5]), np.zeros(3))
    assert place[2] == pytest.approx(1e-5 * (16.0 / 15.0 + 8.0 / 3.0), rel=1e-7)
    place, _ = AngleFrame(leg).end(np.array([1e-5, 0.0, 0.0]), np.zeros(3))
    assert place[0] - 2.0 == pytest.approx(1e-5 * (8.0 / 21.0 + 8.0 / 7.0), rel=1e-4)
