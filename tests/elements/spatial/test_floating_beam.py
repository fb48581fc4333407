"""Floating beam in space: modes, its plane against the planar one, damping, where it leaves its range."""

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg

import flexmb as fm
from flexmb.algebra.factors import dense
from flexmb.kernels.rotations import rotation_matrix
from tests.models.cantilevers import CANTILEVER

L = 1.7
GIVEN = fm.spatial.BeamProperties(EA=300.0, EIy=5.0, EIz=2.0, GJ=1.1, rhoA=1.3, rhoIp=0.02)
END = L * np.array([math.cos(0.4), math.sin(0.4), 0.0])


def cantilever(given=GIVEN, **options):
    m = fm.SpatialModel("cantilever")
    return m, m.add_beam("rod", m.ground, END, properties=given, theory="floating", **options)


def linear(system, weights):
    zero = np.zeros(system.n)
    return system.tangent(0.0, system.q0, zero, zero, np.zeros(system.m), weights)


def frequencies(system):
    T = scipy.linalg.null_space(system.jacobian(0.0, system.q0))
    K, M = (T.T @ linear(system, w) @ T for w in ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0)))
    return np.sort(scipy.linalg.eigh(0.5 * (K + K.T), M, eigvals_only=True))


def test_frequencies_are_exact():
    """Euler and Bernoulli's beam in two planes, λ⁴ EI/(ρA L⁴); Saint-Venant's shaft, ((k − ½)π/L)² GJ/ρIp."""
    m, _ = cantilever(modes=3, torsion_modes=2)
    bending = np.concatenate([CANTILEVER**4 * EI / (GIVEN.rhoA * L**4) for EI in (GIVEN.EIz, GIVEN.EIy)])
    torsion = ((np.arange(2) + 0.5) * np.pi / L) ** 2 * GIVEN.GJ / 0.02
    np.testing.assert_allclose(frequencies(fm.System(m)), np.sort([*bending, *torsion]), rtol=1e-9)


def test_rotary_inertia_lowers_them_by_rayleigh():
    """ω² = k/(m + ρI ∫b'²/L): for one mode exactly that of its shape; ∫₀¹ b'² = 4.64778 L⁻¹ with ∫b² = L (Blevins,
    Formulas for Natural Frequency and Mode Shape, table 8-1b)."""
    given = fm.spatial.BeamProperties(EA=300.0, EIy=5.0, EIz=2.0, GJ=1.1, rhoA=1.3, rhoIy=0.03, rhoIz=0.07)
    m, _ = cantilever(given, modes=1, torsion_modes=0)
    by_plane = [
        CANTILEVER[0] ** 4 * EI / L**4 / (1.3 + rhoI * 4.64778 / L**2) for EI, rhoI in ((2.0, 0.07), (5.0, 0.03))
    ]
    np.testing.assert_allclose(frequencies(fm.System(m)), by_plane, rtol=1e-6)


@pytest.mark.parametrize("plane", ["xy", "xz"])
@pytest.mark.warns(fm.errors.AccuracyWarning, "bends too far")
def test_in_a_plane_it_is_the_planar_beam(plane):
    """A hub that is driven and falls, with a beam and a load: the same numbers as in the plane, which the section's y,
    or its z, lies in."""
    planar = fm.planar.BeamProperties(EA=300.0, EI=2.0, rhoA=1.3)
    flat = fm.PlanarModel("flat", gravity=(0.0, -9.81))
    hub = flat.add_body("hub", mass=1.0, inertia=0.4)
    rod = flat.add_beam("rod", hub.frame, (L, 0.0), properties=planar, theory="floating", modes=3)
    flat.revolute(flat.ground, hub.frame)
    flat.point_torque(hub.frame, fm.Harmonic(3.0, 5.0))
    flat.distributed_load(rod, ((0.0, 0.0), (0.0, 1.0)), axes="section")
    flat.add_body("tip", mass=0.2, inertia=0.01, frame=rod.end)
    reference = fm.simulate(flat, 0.5, step=1e-3, progress=False)

    in_xy = plane == "xy"
    m = fm.SpatialModel("m", gravity=(0.0, -9.81, 0.0))
    given = fm.spatial.BeamProperties(EA=300.0, EIy=77.0, EIz=2.0, GJ=1.1, rhoA=1.3)
    if not in_xy:
        given = fm.spatial.BeamProperties(EA=300.0, EIy=2.0, EIz=77.0, GJ=1.1, rhoA=1.3)
    hub = m.add_body("hub", mass=1.0, inertia=(1.0, 1.0, 0.4))
    y_axis, density = ("y", (0.0, 1.0, 0.0)) if in_xy else ("z", (0.0, 0.0, -1.0))
    rod = m.add_beam("rod", hub.frame, (L, 0, 0), properties=given, theory="floating", modes=3, y_axis=y_axis)
    m.revolute(m.ground, hub.frame)
    m.point_torque(hub.frame, (0, 0, fm.Harmonic(3.0, 5.0)))
    m.distributed_load(rod, ((0, 0, 0), density), axes="section")
    inertia = (1.0, 1.0, 0.01) if in_xy else (1.0, 0.01, 1.0)  # in axes of the section
    m.add_body("tip", mass=0.2, inertia=inertia, frame=rod.end)
    run = fm.simulate(m, 0.5, step=1e-3, progress=False)
    for place in ("rod.end", "rod@0.5"):
        # the steps of both end where Newton's corrections are below the same tolerance, not at the same bit
        np.testing.assert_allclose(run[place].position[:, :2], reference[place].position, rtol=0, atol=1e-9)
        assert np.abs(run[place].position[:, 2]).max() < 1e-12
    # about the normal of the plane, which is z of the section, or its y
    found = run["rod@0.3.bending_moment_z" if in_xy else "rod@0.3.bending_moment_y"]
    np.testing.assert_allclose(found, reference["rod@0.3.bending_moment"], rtol=0, atol=1e-7)


def test_spin_softens_by_the_whole_centrifugal_force():
    """The error of the theory: ω² = ω₀² − Ω² in the plane of rotation, not ω₀² + 0.193 Ω²; across it ω² = ω₀², not
    ω₀² + 1.193 Ω². Of a beam whose sections have no inertia."""
    m = fm.SpatialModel("m")
    hub = m.add_body("hub", mass=1.0, inertia=(1.0, 1.0, 1.0))
    thin = replace(GIVEN, rhoIp=0.0)
    m.add_beam("rod", hub.frame, (L, 0, 0), properties=thin, theory="floating", modes=2, torsion_modes=0)
    s = fm.System(m)
    own = [s.names.index(f"rod.bending_{axis}{k}") for axis in "yz" for k in (1, 2)]
    v = np.zeros(s.n)
    v[s.names.index("hub.wz")] = 3.0
    zero = np.zeros(s.n)
    M, K = (dense(s.tangent(0.0, s.q0, v, zero, np.zeros(s.m), w))[np.ix_(own, own)] for w in ((1, 0, 0), (0, 0, 1)))
    still = [CANTILEVER[:2] ** 4 * EI / (GIVEN.rhoA * L**4) for EI in (GIVEN.EIz, GIVEN.EIy)]
    np.testing.assert_allclose(np.diag(K) / np.diag(M), np.concatenate([still[0] - 9.0, still[1]]), rtol=1e-8)


@pytest.mark.parametrize("damping", [fm.ModalDamping((0.01, 0.02, 0.03, 0.04, 0.05)), fm.ModalDamping(0.01)])
def test_modal_damping_has_the_given_ratios(damping):
    """In the order of frequencies, of both planes and torsion together."""
    m, _ = cantilever(modes=2, torsion_modes=1, damping=damping)
    s = fm.System(m)
    own = [k for k, name in enumerate(s.names) if "bending" in name or "torsion" in name]
    M, D, K = (np.diag(linear(s, w))[own] for w in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    order = np.argsort(K / M)
    np.testing.assert_allclose((D / (2 * np.sqrt(K * M)))[order], damping.values(5), rtol=1e-12)


def test_damping_of_stiffness_is_in_the_section_forces():
    beta = 0.07
    m, _ = cantilever(modes=2, torsion_modes=2, damping=fm.StiffnessProportional(beta))
    s = fm.System(m)
    own = [k for k, name in enumerate(s.names) if "bending" in name or "torsion" in name]
    D, K = (np.diag(linear(s, w))[own] for w in ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    np.testing.assert_allclose(D, beta * K, rtol=1e-12)


@pytest.mark.parametrize("rhoIp", [None, 0.05])
def test_inertia_is_that_of_the_points_of_its_sections(rhoIp):
    """Kinetic energy by points of the field: two along each axis of a section, those along the beam with the mass that
    a polar inertia beside ρIy + ρIz asks for."""
    given = replace(GIVEN, rhoIy=0.013, rhoIz=0.021, rhoIp=rhoIp)
    m = fm.SpatialModel("m")
    hub = m.add_body("hub", mass=1.0, inertia=(1.0, 1.0, 1.0))
    rod = m.add_beam("rod", hub.frame, END, properties=given, theory="floating", modes=2, torsion_modes=2)
    s, rng = fm.System(m), np.random.default_rng(5)
    own = s.names.index("rod.bending_y1") + np.arange(6)
    q, v = s.q0.copy(), rng.normal(size=s.n)
    q[own] = 0.2 * rng.normal(size=6)
    x, rate = q[own], v[own]
    polar = 0.034 if rhoIp is None else rhoIp
    J = np.array([polar, 0.013, 0.021])
    second = 0.5 * J.sum() - J
    axes = np.array(rotation_matrix(tuple(rod.node_turns()[0]))).reshape(3, 3)
    w, speed = v[3:6], v[:3]

    def energy_of(place, moving, mass):
        """½ m |ṙ|² in the axes of the hub, which are those of the ground."""
        r, rd = axes @ place, axes @ moving
        return 0.5 * mass * np.sum((speed + np.cross(w, r) + rd) ** 2)

    total, (nodes, weights) = 0.0, np.polynomial.legendre.leggauss(40)
    for node, weight in zip(nodes, weights):
        data = rod.point_data(0.5 * (node + 1.0))
        along, b, slope, tau = data[0], data[1:3], data[3:5], data[5:7]
        field = []
        for amplitude, still in ((x, 1.0), (rate, 0.0)):
            y, z, t = amplitude[:2], amplitude[2:4], amplitude[4:]
            turn = np.array([tau @ t, -slope @ z, slope @ y])
            middle = np.array([along * still, b @ y, b @ z])
            field.append((middle, [still * e + np.cross(turn, e) for e in np.eye(3)]))
        (place, arms), (moving, turning) = field
        part = 0.5 * L * weight
        total += energy_of(place, moving, part * given.rhoA)
        for k in range(3):  # of second moments alone: what is left of ± ε
            for sign in (1.0, -1.0):
                here = energy_of(place + sign * arms[k], moving + sign * turning[k], part)
                total += 0.5 * second[k] * (here - energy_of(place, moving, part))
    hub_alone = 0.5 * (speed @ speed + w @ w)
    assert s.energy(0.0, q, v)[0] == pytest.approx(hub_alone + total, rel=1e-12)


def test_momentum_and_energy_of_a_free_beam_are_kept():
    m = fm.SpatialModel("m")
    given = fm.spatial.BeamProperties(EA=1e4, EIy=5.0, EIz=2.0, GJ=1.1, rhoA=1.3, rhoIy=0.01, rhoIz=0.02)
    rod = m.add_beam("rod", (0, 0, 0), END, properties=given, theory="floating")
    m.add_body("tip", mass=0.5, inertia=(0.02, 0.03, 0.04), frame=rod.end)
    m.set_rigid_motion(velocity=(1.0, 0.0, 0.5), angular_velocity=(0.3, 0.8, -0.5))
    m.point_torque(rod.end, (0.3, 0.2, 0.1), axes="body", factor=fm.SmoothStep(0.0, 0.2, 1.0, 0.0))
    run = fm.simulate(m, 1.0, "dop853", tolerance=1e-10, progress=False)
    s, late = fm.System(m), run.t > 0.25
    momentum = np.array([s.momentum(0.0, q, v) for q, v in zip(run.q[late], run.v[late])])
    assert np.ptp(momentum, axis=0).max() < 1e-8
    assert np.ptp((run.energy.kinetic + run.energy.strain)[late]) < 1e-8


def test_it_warns_of_bending_beyond_its_range():
    m, rod = cantilever()
    m.point_force(rod.end, (0.0, 0.0, 3.0))
    with pytest.warns(
        fm.errors.AccuracyWarning, match=r"beam 'rod' bends too far.*linear in the frame of its start.*'cms'"
    ):
        run = fm.simulate(m, 1.0, step=2e-3, progress=False)
    assert len(run.doubts) == 1


def test_wrong_options_are_refused():
    with pytest.raises(fm.FlexmbError, match=r"beam 'rod'.*give more modes"):
        cantilever(elements=2)
    with pytest.raises(fm.FlexmbError, match=r"beam 'rod': modes is -1"):
        cantilever(modes=-1)
    with pytest.raises(fm.FlexmbError, match=r"beam 'rod': torsion_modes is 1\.5"):
        cantilever(torsion_modes=1.5)
    with pytest.raises(fm.FlexmbError, match=r"damping has no effect on a floating beam without modes"):
        cantilever(modes=0, torsion_modes=0, damping=fm.ModalDamping(0.1))
    with pytest.raises(fm.FlexmbError, match=r"its modal damping has 6 ratios, an element has 5 modes"):
        cantilever(damping=fm.ModalDamping((0.1,) * 6))
    with pytest.raises(fm.FlexmbError, match=r"damping must be ModalDamping\(ratio\) or StiffnessProportional"):
        cantilever(damping=0.1)
