"""Shear forces of CMS beams in space balance the moments of sections, and say where modes know these too little."""

import warnings

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import AccuracyWarning

PLACES = (0.25, 0.5, 0.75)


def strip(force, ratio=20.0, theory="cms", damping=None, **options):
    """A strip of 1 m, so many times as stiff in bending along y as along z, pushed at its end."""
    m = fm.SpatialModel("m")
    given = fm.spatial.BeamProperties(
        EA=1e6, EIy=1.0, EIz=ratio, GJ=1.5, rhoA=0.5, rhoIp=1e-3, GAy=4e5, GAz=4e5, thermal_expansion=1e-3
    )
    rod = m.add_beam("rod", m.ground, (1, 0, 0), properties=given, theory=theory, damping=damping, **options)
    m.point_force(rod.end, force)
    return m, rod


def forces(solution, s, what="shear_force"):
    return np.array([solution[f"rod@{s!r}.{what}_{axis}"] for axis in "yz"])


@pytest.mark.filterwarnings("ignore:.*shear forces of beam 'rod'")
def test_shear_forces_balance_moments_in_motion_under_heat():
    """M' + κ × M + e_x × Q = 0, by differences of what neighboring sections say, damping and heat included."""
    m, rod = strip((0, 3.0, 1.0), damping=fm.StiffnessProportional(1e-3), torsion_modes=2)
    m.thermal_load(rod, 1.0, gradient=(30.0, 50.0), factor=fm.SmoothStep(0.0, 1.0, 0.0, 0.1))
    run = fm.simulate(m, 0.1, step=1e-3, progress=False)
    names, s, h = ("torque", "bending_moment_y", "bending_moment_z"), 0.3, 1e-4
    before, here, after = (np.array([run[f"rod@{x!r}.{name}"] for name in names]) for x in (s - h, s, s + h))
    kappa = np.array([run[f"rod@{s!r}.{name}"] for name in ("twist", "curvature_y", "curvature_z")])
    turned = (after - before) / (2 * h) + np.cross(kappa, here, axis=0)
    Q, size = forces(run, s), np.abs(forces(run, s)).max()
    np.testing.assert_allclose(Q, [-turned[2], turned[1]], rtol=0, atol=1e-5 * size)
    assert np.abs(kappa[0]).max() > 0.05


@pytest.mark.parametrize(("modes", "off"), [(1, 0.04), (2, 0.03), (8, 0.01)])
def test_the_shear_force_of_a_strip_that_is_bent_in_both_planes_is_the_force_at_its_end(modes, off):
    """In the axes of the section; what turns the section about its axis makes no force of its own."""
    force = np.array([0.0, 1.0, 0.3])
    m, _ = strip(force, modes=modes)
    with pytest.warns(AccuracyWarning, match="shear forces of beam 'rod'.* may be off by about 0.26 N.*theory='exact'"):
        rest = fm.equilibrium(m).solution
        found = [forces(rest, s)[:, 0] for s in PLACES]
        strains = np.array([forces(rest, s, "shear")[:, 0] for s in PLACES])
    wanted = [rest[f"rod@{s!r}"].orientation.inv().apply(force)[0, 1:] for s in PLACES]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=off)
    np.testing.assert_allclose(4e5 * strains, found, rtol=1e-9)


@pytest.mark.parametrize(
    ("force", "ratio", "theory"), [((0, 1.0, 0.3), 1.0, "cms"), ((0, 0, 1.0), 20.0, "cms"), ((0, 3, 1), 20.0, "exact")]
)
def test_nothing_is_said_of_round_rods_bending_in_one_plane_and_exact_beams(force, ratio, theory):
    m, _ = strip(force, ratio, theory)
    rest = fm.equilibrium(m).solution
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        forces(rest, 0.5)
        assert rest["rod@0.5.bending_moment_y"][0] < 0.0
