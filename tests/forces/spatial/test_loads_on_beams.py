"""Loads at places of beams in space and along them."""

import numpy as np
import pytest

import flexmb as fm
from flexmb.elements.spatial import BEAMS
from flexmb.elements.spatial.cms_beam import CmsBeam
from flexmb.testing import Recorder
from tests.models.cantilevers import CANTILEVER

GIVEN = fm.spatial.BeamProperties(EA=1e6, EIy=10.0, EIz=20.0, GJ=15.0, rhoA=0.6)
#: cables bend alike in all planes
ROUND = fm.spatial.BeamProperties(EA=1e6, EIy=10.0, EIz=10.0, GJ=15.0, rhoA=0.6)
theories = pytest.mark.parametrize("theory", BEAMS)
#: options with which each theory bends as closed forms say, to its last argument
EXACT = {
    "floating": ({"modes": 12, "torsion_modes": 1}, 3.4e-7),
    "cms": ({"modes": 2}, 1e-6),
    "exact": ({"elements": 16}, 1e-6),
    "ancf": ({"elements": 4}, 1e-6),
}


def given(theory):
    return ROUND if theory == "ancf" else GIVEN


def cantilever(theory, **options):
    m = fm.SpatialModel("m")
    return m, m.add_beam("rod", m.ground, (1, 0, 0), properties=given(theory), theory=theory, **options)


@theories
def test_a_load_along_the_beam_bends_it_in_both_planes(theory):
    """Uniform q: w(L) = q L⁴/8EI, and linear from zero at the start 11 q₁ L⁴/120 EI; EIz along y, EIy along z."""
    options, off = EXACT[theory]
    for density, part in (((0.0, 3e-3, -2e-3), 1 / 8), (((0, 0, 0), (0.0, 3e-3, -2e-3)), 11 / 120)):
        m, rod = cantilever(theory, **options)
        m.distributed_load(rod, density)
        rest = fm.equilibrium(m).solution
        assert rest["rod.end.y"][0] == pytest.approx(part * 3e-3 / given(theory).EIz, rel=off)
        assert rest["rod.end.z"][0] == pytest.approx(part * -2e-3 / given(theory).EIy, rel=off)


def test_forces_and_torques_at_places_bend_and_twist_by_the_series_of_modes():
    """w(L) = F L³/EI Σ 4/λ⁴ of a force at the end; φ(a) = M L/GJ Σ 2 sin²(w_k a)/w_k², w_k = (k − ½)π, of a torque."""
    a, F, M = 0.3, 1e-3, 2e-3
    m, rod = cantilever("floating", modes=3, torsion_modes=4)
    m.point_force(rod.end, (0.0, F, F))
    rest = fm.equilibrium(m).solution
    tip = np.sum(4.0 / CANTILEVER**4)
    assert rest["rod.end.y"][0] == pytest.approx(F / GIVEN.EIz * tip, rel=1e-6)
    assert rest["rod.end.z"][0] == pytest.approx(F / GIVEN.EIy * tip, rel=1e-6)
    w = (np.arange(4) + 0.5) * np.pi
    m, rod = cantilever("floating", modes=3, torsion_modes=4)
    m.point_torque(rod.at(a), (M, 0.0, 0.0))
    rest = fm.equilibrium(m).solution
    twist = M / GIVEN.GJ * np.sum(2.0 * np.sin(w * a) ** 2 / w**2)
    assert rest[f"rod@{a}"].rotation_vector[0, 0] == pytest.approx(twist, rel=1e-9)


@pytest.mark.parametrize("theory", [x for x in BEAMS if x != "ancf"])  # a cable takes no torque
@pytest.mark.parametrize("axes", ["ground", "body"])
def test_a_load_on_the_beam_is_that_on_a_node_welded_to_it(theory, axes):
    found = []
    for node in (False, True):
        m, rod = cantilever(theory)
        m.add_body("tip", mass=0.1, inertia=(1e-3, 1e-3, 1e-3), frame=rod.end)
        place = rod.at(0.3).attach("clip") if node else rod.at(0.3)
        m.point_force(place, (1.0, -2.0, 3.0), axes=axes, factor=fm.Harmonic(1.0, 30.0))
        m.point_torque(place, (-0.4, 0.3, 0.5), axes=axes)
        rest = fm.equilibrium(m).solution
        run = fm.simulate(m, 1e-2, "dop853", tolerance=1e-10, times=[0.005, 0.01], progress=False)
        found.append(np.concatenate([x["rod.end"].values[:, :13].ravel() for x in (rest, run)]))
        found.append(run.energy.input[-1:])
    np.testing.assert_allclose(found[0], found[2], rtol=0, atol=1e-7)
    np.testing.assert_allclose(found[1], found[3], rtol=1e-5)


@theories
@pytest.mark.parametrize("follower", [False, True])
def test_a_load_along_a_free_beam_moves_its_center(theory, follower):
    """m r̈ = ∫ q dx, turned with the sections if the load follows them; the power is that of the speeds."""
    m = fm.SpatialModel("m")
    rod = m.add_beam("rod", (0, 0, 0), (1, 2, 0.5), properties=given(theory), theory=theory)
    density = ((1.0, 0.0, 2.0), (-3.0, 1.0, 0.0))
    m.distributed_load(rod, density, axes="section" if follower else "ground", factor=0.5)
    s = fm.System(m)
    run = fm.simulate(m, 1e-3, step=1e-4, progress=False)
    total = 0.5 * np.mean(density, axis=0) * rod.length
    if follower:
        total = rod.start.orientation.apply(total)
    momentum = np.array([s.momentum(0.0, q, v)[:3] for q, v in zip(run.q, run.v)])
    np.testing.assert_allclose(momentum[-1] / run.t[-1], total, rtol=0, atol=1e-3 if follower else 1e-6)
    ledger = run.energy
    assert ledger.input[-1] == pytest.approx(ledger.kinetic[-1] + ledger.strain[-1], rel=1e-3)


@pytest.mark.parametrize("follower", [False, True])
@pytest.mark.parametrize("axial", ["chord", "mean", "second_order"])
def test_a_theorys_own_load_is_that_of_forces_at_gauss_points(follower, axial, monkeypatch):
    """Forces, tangent and power of a beam of component modes against the kernel of its places, at as many points."""
    rng = np.random.default_rng(3)
    found = []
    for own in (True, False):
        m = fm.SpatialModel("m")
        options = {"elements": 2, "modes": (2, 1), "torsion_modes": 2, "axial_modes": 1, "axial": axial}
        rod = m.add_beam("rod", (0.1, 0.2, -0.3), (1.0, 0.5, 0.2), properties=GIVEN, theory="cms", **options)
        load = m.distributed_load(rod, ((1, -3, 2), (2, 5, -1)), axes="section" if follower else "ground", factor=0.7)
        if not own:
            monkeypatch.setattr(CmsBeam, "takes_loads", classmethod(lambda cls: False))
            monkeypatch.setattr(CmsBeam, "load_points", len(rod.element.shapes.x))
        found.append(Recorder.of(load, (0.0, 0.0, -9.81)).instances)
    assert found[0][0].kernels is not found[1][0].kernels
    for mine, other in zip(*found):
        n = len(mine.columns)
        turns = 0.4 * rng.normal(size=(2, 4)) + (1.0, 0, 0, 0)
        turns /= np.linalg.norm(turns, axis=1)[:, None]
        q = 0.1 * rng.normal(size=n + 2)
        q[6:9] += (0.45, 0.15, 0.25)
        for at, (scalar, *vector) in zip((3, 9), turns):
            q[at : at + 3], q[n + at // 9] = vector, scalar
        v, a = rng.normal(size=(2, n))
        for role, part in (("residual", 0), ("energy", 0), ("tangent", 1)):
            given = {"w": (0.3, 0.2, 0.6)} if role == "tangent" else {}
            x, y = (one.call(role, 0.0, q, v, a, **given)[part] for one in (mine, other))
            assert np.max(np.abs(y)) > 0.1
            assert np.max(np.abs(x - y)) < 1e-12 * np.max(np.abs(y))


@theories
def test_a_dead_load_has_a_path_and_a_factor(theory):
    m, rod = cantilever(theory)
    snow = m.distributed_load(rod, (0.0, 0.0, -1.0), factor=0.01, name="snow")
    path = fm.equilibrium_path(m, snow, factor=2.0)
    assert path.solution["rod.end.z"][-1] == pytest.approx(2.0 * fm.equilibrium(m).solution["rod.end.z"][0], rel=1e-5)
    linear = fm.linearize(fm.equilibrium(m), snow, "rod.end.z")
    assert linear.B.any()


@pytest.mark.parametrize(
    ("density", "said"),
    [
        ((1, 2), "line_load must be 3 numbers, or a row of 3 for the start and one for the end"),
        (((1, 2, 3),), "line_load must be 3 numbers"),
        ((1, 2, np.nan), r"line_load\[2\] is nan"),
        ("x", "line_load must be 3 numbers"),
    ],
)
def test_a_wrong_density_is_refused(density, said):
    m, rod = cantilever("floating")
    with pytest.raises(fm.errors.ModelError, match=f"load 'distributed_load 1': {said}"):
        m.distributed_load(rod, density)


def test_what_is_no_beam_takes_no_load():
    m, rod = cantilever("floating")
    for thing in (rod.end, "rod", m.ground):
        with pytest.raises(
            fm.errors.ModelError, match=r"load 'distributed_load \d'.* is not a beam; give what model.add_beam returned"
        ):
            m.distributed_load(thing, (0, 0, 1))
    with pytest.raises(fm.errors.ModelError, match="another model"):
        fm.SpatialModel("m").distributed_load(rod, (0, 0, 1))
    with pytest.raises(fm.errors.ModelError, match="axes is 3"):
        m.distributed_load(rod, (0, 0, 1), axes=3)
