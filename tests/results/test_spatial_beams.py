"""Beams in space in solutions: forces and stresses of sections, along them, in files, tables and pictures."""

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError, NamingError

STEEL = fm.Material(7850, 205e9)
L = 1.2


def cantilever(section, theory="cms", gravity=(0.0, 0.0, 0.0), y_axis=None):
    m = fm.SpatialModel("m", gravity=gravity)
    return m, m.add_beam("rod", m.ground, (L, 0, 0), material=STEEL, section=section, theory=theory, y_axis=y_axis)


def test_forces_of_sections_of_a_cantilever_are_those_of_statics():
    """Small force F and torque T at the end, at s: torque T, M_y = −F_z (1 − s) L, M_z = F_y (1 − s) L, N = F_x."""
    m, rod = cantilever(fm.Circle(diameter=0.03))
    m.point_force(rod.end, (5.0, 2.0, -3.0))
    m.point_torque(rod.end, (4.0, 0.0, 0.0))
    rest = fm.equilibrium(m).solution
    for s in (0.0, 0.3, 1.0):
        at = f"rod@{s:g}"
        moments = [rest[f"{at}.{what}"][0] for what in ("torque", "bending_moment_y", "bending_moment_z")]
        # the bent shape adds products of forces and deflections of 1e-4 m
        np.testing.assert_allclose(moments, [4.0, 3.0 * (1 - s) * L, 2.0 * (1 - s) * L], rtol=0, atol=5e-3)
        assert rest[f"{at}.axial_force"][0] == pytest.approx(5.0, abs=2e-2)
        for axis, force in (("y", 2.0), ("z", -3.0)):
            assert rest[f"{at}.shear_force_{axis}"][0] == pytest.approx(force, abs=5e-3)
            GA = getattr(rod.properties, f"GA{axis}")
            assert rest[f"{at}.shear_{axis}"][0] == pytest.approx(force / GA, abs=5e-3 / GA)
    bending = rest.along("rod", "bending_moment_y", 5)[0]
    np.testing.assert_allclose(bending, 3.0 * L * (1 - np.linspace(0, 1, 5)), rtol=0, atol=5e-3)
    assert rest["rod@0.5.twist"][0] == pytest.approx(4.0 / rod.properties.GJ, rel=1e-3)


def test_stresses_of_a_rectangle_are_those_of_its_corners():
    """σ = N/A ± M_y (h/2)/Iy ± M_z (b/2)/Iz."""
    m, rod = cantilever(fm.Rectangle(width=0.01, height=0.03))
    m.point_force(rod.end, (50.0, 2.0, -0.3))
    rest = fm.equilibrium(m).solution
    N, My, Mz = (rest[f"rod@0.25.{what}"][0] for what in ("axial_force", "bending_moment_y", "bending_moment_z"))
    A, Iy, Iz = 3e-4, 0.03 * 0.01**3 / 12, 0.01 * 0.03**3 / 12
    largest = abs(N) / A + abs(My) * 0.005 / Iy + abs(Mz) * 0.015 / Iz
    assert rest["rod@0.25.stress"][0] == pytest.approx(largest, rel=1e-12)
    top = rest.fiber_stress("rod@0.25", (0.015, 0.0))[0]
    assert top == pytest.approx(N / A - Mz * 0.015 / Iz, rel=1e-12)
    assert rest.fiber_stress(rod.at(0.25), (0.0, -0.005))[0] == pytest.approx(N / A - My * 0.005 / Iy, rel=1e-12)
    # pushed to +y it bends so that the fiber at +y is pressed; pushed to −z, that at −z
    assert Mz > 0.0 and My > 0.0 and rest.fiber_stress("rod@0.25", (0.0, -0.005))[0] < N / A


@pytest.mark.parametrize(
    "section", [fm.Circle(diameter=0.03), fm.Tube(outer_diameter=0.03, inner_diameter=0.02)], ids=["circle", "tube"]
)
def test_stresses_of_a_round_section(section):
    """N/A + M r/I of the whole moment, and τ = T r/J, which for a full circle is 2T/(πr³)."""
    m, rod = cantilever(section)
    m.point_force(rod.end, (0.0, 3.0, -4.0))
    m.point_torque(rod.end, (10.0, 0, 0))
    rest = fm.equilibrium(m).solution
    N, My, Mz, T = (rest[f"rod@0.5.{x}"][0] for x in ("axial_force", "bending_moment_y", "bending_moment_z", "torque"))
    r, J = 0.015, section.torsion_constant
    wanted = abs(N) / section.area + np.hypot(My, Mz) * r / section.second_moment
    assert rest["rod@0.5.stress"][0] == pytest.approx(wanted, rel=1e-12)
    assert rest["rod@0.5.shear_stress"][0] == pytest.approx(abs(T) * r / J, rel=1e-12)


def test_what_cannot_be_known_is_refused_by_name():
    m, _ = cantilever(fm.Rectangle(0.01, 0.03))
    rest = fm.equilibrium(m).solution
    with pytest.raises(NamingError, match="'rod' is not round, and its torsion constant alone tells no shear stress"):
        rest["rod@0.5.shear_stress"]
    with pytest.raises(NamingError, match=r"'rod' is no point of a beam; give e.g. 'rod@0.3'"):
        rest.fiber_stress("rod", (0, 0))
    with pytest.raises(ModelError, match="fiber must be 2 numbers"):
        rest.fiber_stress("rod@0.5", ("x", 0))
    m, _ = cantilever(fm.Circle(diameter=0.03), theory="floating")
    with pytest.raises(NamingError, match="has no law for its axial force; use theory='cms'"):
        fm.equilibrium(m).solution["rod@0.5.stress"]
    with pytest.raises(
        NamingError, match=r"no law for its shear force y; use theory='cms' or 'exact' .*, or ask for the"
    ):
        fm.equilibrium(m).solution["rod@0.5.shear_force_y"]
    m = fm.SpatialModel("m")
    plain = fm.spatial.BeamProperties(EA=1e6, EIy=10.0, EIz=20.0, GJ=15.0, rhoA=0.6)
    m.add_beam("rod", m.ground, (1, 0, 0), properties=plain)
    with pytest.raises(ModelError, match="stresses of beam 'rod' need its area and radius, or an outline"):
        fm.equilibrium(m).solution["rod@0.5.stress"]
    with pytest.raises(
        NamingError, match=r"no law for its shear force y; use theory='cms' or 'exact' .*, or ask for the"
    ):
        fm.equilibrium(m).solution["rod@0.5.shear_force_y"]
    flat = fm.PlanarModel("flat")
    flat.add_beam("rod", flat.ground, (1, 0), properties=fm.planar.BeamProperties(1e6, 10.0, 0.6))
    with pytest.raises(ModelError, match=r"beams in space; in the plane ask for 'rod@0\.5\.stress_top'"):
        fm.equilibrium(flat).solution.fiber_stress("rod@0.5", (0, 0))


@pytest.fixture(scope="module")
def swing():
    m, rod = cantilever(fm.Rectangle(0.01, 0.03), gravity=(0, 0, -9.81), y_axis=(0, 1, 1))
    m.distributed_load(rod, ((0, 0, 0), (0, 30.0, 0)), axes="section")
    m.add_body("tip", mass=1.0, inertia=(1e-3, 1e-3, 1e-3), frame=rod.at(0.7).attach("clip", (0, 0.05, 0)))
    return fm.simulate(m, 0.05, step=1e-3, progress=False)


def test_files_keep_beams_in_space(swing, tmp_path):
    read = fm.load(swing.save(tmp_path / "run.h5"))
    for what in ("torque", "bending_moment_y", "bending_moment_z", "stress", "x", "e2", "wz"):
        np.testing.assert_array_equal(read.along("rod", what), swing.along("rod", what))
    assert read.layout.beams == swing.layout.beams and read.layout.beams["rod"].outline
    np.testing.assert_array_equal(read.fiber_stress("rod@0.5", (0, 0.005)), swing.fiber_stress("rod@0.5", (0, 0.005)))
    np.testing.assert_array_equal(read.energy.strain, swing.energy.strain)
    with pytest.raises(NamingError, match=r"holds beam 'rod' at the points .* only; 0\.33 is not one of them"):
        read["rod@0.33.torque"]


def test_tables_and_diagrams_of_beams_in_space(swing, tmp_path):
    data = swing.to_xarray(beams=["rod"], points=5)
    assert data["rod.torque"].dims == ("time", "s") and data["rod.torque"].attrs["units"] == "Nm"
    assert data["rod.shear_force_y"].attrs["units"] == "N"
    np.testing.assert_array_equal(data["rod.bending_moment_z"], swing.along("rod", "bending_moment_z", 5))
    swing.plot_along("rod", "stress", path=tmp_path / "along.png")
    assert (tmp_path / "along.png").stat().st_size > 5000


def test_the_ledger_has_the_energies_of_the_beam(swing):
    """Balance, and the power of the follower load by the speeds of its places."""
    ledger = swing.energy
    assert np.abs(ledger.error).max() < 1e-3 * ledger.kinetic.max()
    nodes, weights = np.polynomial.legendre.leggauss(8)
    power = 0.0
    for x, weight in zip(0.5 * (nodes + 1), 0.5 * L * weights):
        track = swing[f"rod@{float(x)!r}"]
        power = power + weight * x * 30.0 * np.sum(track.orientation.apply((0, 1, 0)) * track.velocity, axis=1)
    work = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(swing.t) * (power[1:] + power[:-1]))])
    np.testing.assert_allclose(ledger.input, work, rtol=0, atol=2e-3 * np.abs(work).max())


@pytest.mark.warns(fm.errors.AccuracyWarning, "its energy balance is off by")
def test_strain_gauges_in_space():
    m, rod = cantilever(fm.Rectangle(0.01, 0.03))
    m.point_force(rod.end, (50.0, 2.0, -0.3))
    gauge = fm.control.StrainGauge(rod.at(0.25), fiber=(0.015, -0.005))
    rest = fm.equilibrium(m)
    stress = rest.solution.fiber_stress("rod@0.25", (0.015, -0.005))
    np.testing.assert_allclose(gauge.readings(rest.solution), stress / STEEL.youngs_modulus, rtol=1e-12)
    force = m.point_force(rod.end, (0, 0, 1.0), factor=0.0)
    m.add_controller("c", period=1e-2, sensors=gauge, commands=force, law=[[1e3]])
    run = fm.simulate(m, 0.05, step=1e-3, progress=False)
    log = run.control["c"]
    at = [int(np.argmin(np.abs(run.t - t))) for t in log.t]
    np.testing.assert_allclose(log.y[:, 0], gauge.readings(run)[at], rtol=0, atol=1e-15)
    with pytest.raises(ModelError, match=r"strain of rod@0\.25: a beam in space has fibers at \(y, z\); give fiber="):
        fm.control.StrainGauge(rod.at(0.25), height=0.01)
    with pytest.raises(ModelError, match="fiber must be 2 numbers"):
        fm.control.StrainGauge(rod.at(0.25), fiber=(1, 2, 3))


def test_rigid_motions_of_beams_have_no_strain_and_all_momentum():
    m = fm.SpatialModel("m")
    rod = m.add_beam("rod", (0, 0, 0), (0.6, 0.8, 0.3), material=STEEL, section=fm.Rectangle(0.01, 0.03), elements=2)
    velocity, omega, about = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.8, -0.5]), np.array([0.2, 0.0, 0.1])
    m.set_rigid_motion(velocity, omega, about)
    s = fm.System(m)
    mass, middle = rod.properties.rhoA * rod.length, 0.5 * np.array([0.6, 0.8, 0.3])
    momentum = s.momentum(0.0, s.q0, s.v0)
    linear = mass * (velocity + np.cross(omega, middle - about))
    np.testing.assert_allclose(momentum[:3], linear, rtol=1e-9)
    axes = rod.start.orientation
    own = np.array([rod.properties.polar_inertia, rod.properties.rhoIy, rod.properties.rhoIz]) * rod.length
    J = np.diag(own + mass * rod.length**2 / 12 * np.array([0.0, 1.0, 1.0]))
    spin = axes.apply(J @ axes.inv().apply(omega)) + np.cross(middle, linear)
    np.testing.assert_allclose(momentum[3:], spin, rtol=1e-9)
    kinetic, strain = s.energy(0.0, s.q0, s.v0)[:2]
    center = velocity + np.cross(omega, middle - about)
    turning = omega @ axes.apply(J @ axes.inv().apply(omega))
    assert kinetic == pytest.approx(0.5 * mass * center @ center + 0.5 * turning, rel=1e-9) and abs(strain) < 1e-15
