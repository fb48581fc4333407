"""Undamped modes: closed forms, dense against sparse, invariance, shapes by name, errors."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

import flexmb as fm
from flexmb.analyses.statics.equilibrium import equilibrium
from flexmb.analyses.vibration.modes import modes
from flexmb.errors import BalanceWarning, ModelError, RedundancyError, SolverError
from flexmb.solvers.binding.initial_state import initial_state
from flexmb.system.rank import free_motions
from flexmb.validation.references import clamped_beam

LENGTH, EI, RHO_A = 1.5, 2.0, 0.5
GIVEN = fm.planar.BeamProperties(EA=1e7, EI=EI, rhoA=RHO_A, rhoI=1e-7)
#: theory, elements, options, error of the first three frequencies of a clamped-free beam
THEORIES = [
    ("cms", 1, {"modes": 3}, 2e-3),
    ("ancf", 16, {}, 5e-5),
    ("exact", 60, {}, 1.5e-3),
]


def beam(theory="ancf", elements=16, start=(0.0, 0.0), end=(LENGTH, 0.0), clamped=True, given=GIVEN, **options):
    model = fm.PlanarModel("beam")
    turn = math.atan2(end[1] - start[1], end[0] - start[0])
    frame = model.ground if start == (0.0, 0.0) and turn == 0.0 else model.add_frame("wall", start, turn, fixed=True)
    model.add_beam(
        "beam", frame if clamped else start, end, properties=given, theory=theory, elements=elements, **options
    )
    return model


@pytest.mark.parametrize(("theory", "elements", "options", "error"), THEORIES)
def test_clamped_free_beam(theory, elements, options, error):
    found = modes(beam(theory, elements, **options), 3)
    wanted = clamped_beam.frequencies(3, LENGTH, EI, RHO_A)
    assert np.all(np.abs(found.omegas / wanted - 1.0) < error)
    assert found.stable and not found.rigid.any()
    M = found.state.system.mass_matrix(0.0, found.state.q)
    assert np.allclose(found.shapes.T @ M @ found.shapes, np.eye(3), atol=1e-9)


@pytest.mark.parametrize(("theory", "elements", "options", "error"), THEORIES)
def test_hinged_beam(theory, elements, options, error):
    """ω_k = (kπ/L)² √(EI/ρA); the far end slides, so the beam does not stretch."""
    model = fm.PlanarModel("hinged")
    rod = model.add_beam("rod", (0, 0), (LENGTH, 0), properties=GIVEN, theory=theory, elements=elements, **options)
    model.revolute(model.ground, rod.start)
    model.pin_in_slot(model.ground, rod.end)
    found = modes(model, 3)
    wanted = (np.arange(1, 4) * math.pi / LENGTH) ** 2 * math.sqrt(EI / RHO_A)
    # the two cubics and three modes of one CMS element are least exact for free end rotations
    assert np.all(np.abs(found.omegas / wanted - 1.0) < 5.0 * error)


@pytest.mark.parametrize(("theory", "elements", "options", "error"), THEORIES)
def test_free_beam_has_three_rigid_motions(theory, elements, options, error):
    found = modes(beam(theory, elements, clamped=False, **options), 5)
    assert found.rigid.tolist() == [True] * 3 + [False] * 2
    assert np.all(found.omegas[:3] == 0.0) and found.stable
    wanted = clamped_beam.frequencies(2, LENGTH, EI, RHO_A, "free-free")
    assert np.all(np.abs(found.omegas[3:] / wanted - 1.0) < 4.0 * error)
    motions = found.state.system.rigid_motions(found.state.q)
    within, *_ = np.linalg.lstsq(motions.T, found.shapes[:, :3], rcond=None)
    # the slopes of cables are coordinates too, and turn along
    assert np.allclose(motions.T @ within, found.shapes[:, :3], atol=1e-6 * np.abs(found.shapes[:, :3]).max())


def test_double_pendulum():
    """Two point masses on rods: (2 ± √2) g/L for equal masses and lengths."""
    model = fm.PlanarModel("double pendulum", gravity=(0, -9.81))
    upper = model.add_body("upper", mass=1.0, inertia=0.0, position=(0, -0.7))
    lower = model.add_body("lower", mass=1.0, inertia=0.0, position=(0, -1.4))
    model.revolute(model.ground, upper.attach("top", (0, 0.7)), name="a")
    model.revolute(upper.frame, lower.attach("top", (0, 0.7)), name="b")
    found = modes(model, 2)
    wanted = np.sqrt(9.81 / 0.7 * np.array([2 - math.sqrt(2), 2 + math.sqrt(2)]))
    assert np.allclose(found.omegas, wanted, rtol=1e-12)
    first = found.shape(0)
    assert math.isclose(first["lower"][0] / first["upper"][0], 1 + math.sqrt(2), rel_tol=1e-12)
    assert first["lower"][0] > 0.0


def test_upside_down_it_is_unstable():
    model = fm.PlanarModel("inverted", gravity=(0, -9.81))
    bob = model.add_body("bob", mass=1.0, inertia=0.0, position=(0, 0.7))
    model.revolute(model.ground, bob.attach("foot", (0, -0.7)))
    found = modes(model, 1)
    assert math.isclose(found.omega_squared[0], -9.81 / 0.7, rel_tol=1e-12)
    assert not found.stable and np.isnan(found.frequencies[0])
    assert "unstable" in str(found) and "'bob' turns and moves along x" in str(found)


def test_string_frequencies_from_joint_forces():
    """A chain of hinged links held up by its weight alone: the first frequency of a hanging chain, ½ j₀₁ √(g/L)."""
    links, length = 150, 2.0
    h = length / links
    model = fm.PlanarModel("chain", gravity=(0, -9.81))
    before = model.ground
    for k in range(links):
        link = model.add_body(f"link{k}", mass=h, inertia=h**3 / 12, position=(0, -(k + 0.5) * h))
        model.revolute(before, link.attach("top", (0, h / 2)), name=f"hinge{k}")
        before = link.attach("bottom", (0, -h / 2))
    sparse = modes(model, 3, dense=False)
    assert not sparse.dense
    wanted = 0.5 * np.array([2.404825557695773, 5.520078110286311, 8.653727912911013]) * math.sqrt(9.81 / length)
    assert np.all(np.abs(sparse.omegas / wanted - 1.0) < 3.0 / links**2 * np.array([1, 5, 15]))
    dense = modes(model, 3, dense=True)
    assert np.allclose(sparse.omegas, dense.omegas, rtol=1e-9)
    size = np.abs(dense.shapes).max()
    assert np.allclose(sparse.shapes, dense.shapes, atol=1e-8 * size)


@pytest.mark.parametrize("clamped", [True, False])
@pytest.mark.parametrize("theory", ["ancf", "exact"])
def test_dense_and_sparse_agree(theory, clamped):
    stout = fm.planar.BeamProperties(EA=1e4, EI=EI, rhoA=RHO_A, rhoI=1e-4)
    model = beam(theory, 24, clamped=clamped, given=stout)
    dense, sparse = (modes(model, 6, dense=d) for d in (True, False))
    assert dense.dense and not sparse.dense
    assert np.array_equal(dense.rigid, sparse.rigid)
    elastic = ~dense.rigid
    assert np.allclose(dense.omegas[elastic], sparse.omegas[elastic], rtol=1e-9)
    size = np.abs(dense.shapes).max()
    assert np.allclose(dense.shapes[:, elastic], sparse.shapes[:, elastic], atol=1e-7 * size)


@settings(max_examples=8, deadline=None, derandomize=True)
@given(angle=st.floats(-3.1, 3.1), x=st.floats(-2, 2), y=st.floats(-2, 2))
def test_placement_does_not_matter(angle, x, y):
    end = (x + LENGTH * math.cos(angle), y + LENGTH * math.sin(angle))
    for theory, elements in (("ancf", 6), ("cms", 1), ("exact", 8)):
        here = modes(beam(theory, elements), 3).omegas
        there = modes(beam(theory, elements, (x, y), end), 3).omegas
        assert np.allclose(there, here, rtol=1e-9)


def test_motion_and_shape_by_name():
    found = modes(beam("ancf", 16), 2)
    swing = found.motion(0, 0.2, count=5)
    tip = swing["beam.end"]
    assert math.isclose(swing.t[-1], 1.0 / found.frequencies[0])
    assert math.isclose(abs(tip.y[0]), 0.2, rel_tol=1e-12)
    assert np.allclose(tip.y, tip.y[0] * np.array([1, 0, -1, 0, 1]), atol=1e-12)
    # a cantilever's shape: w(L/2)/w(L) = 0.33952 in the first mode
    shape = found.shape(0)
    beta = clamped_beam.characteristic_values(1)[0]
    sigma = (math.cosh(beta) + math.cos(beta)) / (math.sinh(beta) + math.sin(beta))

    def w(s):
        z = beta * s
        return math.cosh(z) - math.cos(z) - sigma * (math.sinh(z) - math.sin(z))

    assert math.isclose(shape["beam@0.5"][1] / shape["beam.end"][1], w(0.5) / w(1.0), rel_tol=1e-4)


def test_pictures(tmp_path):
    found = modes(beam("ancf", 8), 4)
    figure = found.plot((0, 2), path=tmp_path / "modes.png")
    assert (tmp_path / "modes.png").stat().st_size > 1000
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert titles == [f"mode {k}: {found.frequencies[k]:.4g} Hz" for k in (0, 2)]


def test_too_many_modes():
    model = beam("cms", 1, modes=3)
    with pytest.raises(ModelError, match="has 6 degrees of freedom; 20 modes were asked for; ask for at most 6"):
        modes(model, 20)
    assert len(modes(model, 6)) == 6
    found = modes(model, 6)
    for which, said in ((6, "6"), (-7, "-7"), (1.5, "1.5"), ("first", "'first'"), (None, "None"), (True, "True")):
        with pytest.raises(ModelError, match=f"no mode {said}; they are counted from 0 to 5"):
            found.shape(which)
    for which, said in (([0, 6], "no mode 6"), ("first", "no mode 'first'"), ([], "no mode in the list")):
        with pytest.raises(ModelError, match=said):
            found.plot(which)


def test_coordinates_without_inertia():
    """A frame without mass between two springs of 8 N/m in line: together 4 N/m, and no mode of its own."""
    model = fm.PlanarModel("in line")
    middle = model.add_frame("middle", (1, 0))
    end = model.add_body("end", mass=2.0, inertia=1.0, position=(2, 0))
    model.bushing(model.ground, middle, stiffness=(8.0, 1e3, 1e3), free=(1.0, 0.0, 0.0))
    model.bushing(middle, end.frame, stiffness=(8.0, 1e3, 1e3), free=(1.0, 0.0, 0.0))
    found = modes(equilibrium(model), 3)
    assert math.isclose(found.omegas[0], math.sqrt(4.0 / 2.0), rel_tol=1e-12)
    with pytest.raises(ModelError, match="3 of its degrees of freedom have inertia; 5 modes were asked for"):
        modes(equilibrium(model), 5)


def test_follower_forces_are_not_symmetrized():
    model = beam()
    model.point_force(model.component("beam").end, (-1e-3, 0.0), axes="body", name="thrust")
    with pytest.raises(SolverError, match=r"stiffness is not symmetric .* use complex_modes"):
        modes(equilibrium(model), 2)


def dead_load_frequency(p):
    """The first frequency of a cantilever under a dead load p < π²/4 at its end, L = EI = ρA = 1.

    The shapes are those of Beck's column; at the end the third derivative is −p times the first one.
    """

    def determinant(omega):
        whole = math.sqrt(p * p / 4 + omega * omega)
        a, b = math.sqrt(whole + p / 2), math.sqrt(whole - p / 2)
        r = b / a
        bend = [b**2 * math.cosh(b) + a**2 * math.cos(a), b**2 * math.sinh(b) + r * a**2 * math.sin(a)]
        shear = [
            b**3 * math.sinh(b) - a**3 * math.sin(a) + p * (b * math.sinh(b) + a * math.sin(a)),
            b**3 * math.cosh(b) + r * a**3 * math.cos(a) + p * (b * math.cosh(b) - r * a * math.cos(a)),
        ]
        return bend[0] * shear[1] - bend[1] * shear[0]

    return brentq(determinant, 0.01, 3.6, xtol=1e-13)


def test_dead_load_is_symmetric_and_lowers_the_frequency():
    for share in (0.3, 0.9):
        p = share * math.pi**2 / 4
        model = beam("ancf", 12)
        model.point_force(model.component("beam").end, (-p * EI / LENGTH**2, 0.0), name="weight")
        found = modes(equilibrium(model), 1)
        assert math.isclose(found.omegas[0], dead_load_frequency(p) * math.sqrt(EI / RHO_A) / LENGTH**2, rel_tol=1e-5)


def test_state_out_of_balance_is_said():
    model = fm.PlanarModel("soft", gravity=(0, -9.81))
    model.add_beam("beam", model.ground, (1.5, 0), properties=GIVEN, modes=2)
    with pytest.warns(BalanceWarning, match=r"not an equilibrium .* give fm\.equilibrium\(model\) in its place"):
        modes(model, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        modes(equilibrium(model), 2)


def test_spinning_state_is_sent_to_complex_modes():
    model = fm.PlanarModel("spinning")
    hub = model.add_body("hub", mass=1.0, inertia=1.0)
    model.revolute(model.ground, hub.frame)
    model.drive_angle(model.ground, hub.frame, fm.Polynomial([0.0, 3.0]))
    model.add_body("free", mass=1.0, inertia=1.0, position=(0, 0))
    spinning = initial_state(model)
    spinning.v[spinning.system.names.index("free.angle")] = 3.0
    with pytest.raises(SolverError, match=r"turns steadily at 3 rad/s, .* complex_modes"):
        modes(spinning, 1)


def test_free_motions():
    model = fm.PlanarModel("two links")
    a = model.add_body("a", mass=1.0, inertia=0.1, position=(1, 0))
    b = model.add_body("b", mass=1.0, inertia=0.1, position=(2, 1), angle=0.3)
    model.revolute(model.ground, a.attach("left", (-1, 0)))
    model.distance(a.frame, b.frame)
    system = fm.System(model)
    Z = free_motions(system, system.jacobian(0.0, system.q0), "links")
    assert Z.shape == (6, 3)
    assert np.allclose(system.jacobian(0.0, system.q0) @ Z, 0.0, atol=1e-14)
    assert np.linalg.matrix_rank(Z) == 3
    again = fm.PlanarModel("twice")
    body = again.add_body("body", mass=1.0, inertia=1.0)
    again.revolute(again.ground, body.frame, name="one")
    again.revolute(again.ground, body.frame, name="two")
    twice = fm.System(again)
    with pytest.raises(RedundancyError, match="depend on each other"):
        free_motions(twice, twice.jacobian(0.0, twice.q0), "twice")
