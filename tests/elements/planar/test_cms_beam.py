"""The CMS beam: frequencies, stiffness, damping, points."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.linalg

import flexmb as fm
from flexmb.elements.cms_shapes import element_shapes
from flexmb.errors import ModelError
from tests.models.pendulums import SOFT


def _matrices(model):
    system = fm.System(model)
    zero, none = np.zeros(system.n), np.zeros(system.m)
    weights = ((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0))
    return system, [np.asarray(system.tangent(0.0, system.q0, zero, zero, none, w)) for w in weights]


def test_frequencies_agree_with_the_published_table():
    from flexmb.validation.beam_frequencies import compute

    for check in compute():
        assert check.passed, check


@pytest.mark.parametrize("axial", ["chord", "mean", "second_order"])
def test_small_static_deflections_are_those_of_beam_theory(axial):
    model = fm.PlanarModel("cantilever")
    beam = model.add_beam("beam", model.ground, (2.0, 0.0), properties=SOFT, axial=axial, axial_modes=1, modes=1)
    system, (_, _, K) = _matrices(model)
    load = np.zeros(system.n)
    load[system.names.index("beam.end.y")] = 1e-3
    q = np.linalg.solve(K, load)
    wanted = 1e-3 * 2.0**3 / (3 * SOFT.EI) + 1e-3 * 2.0 / SOFT.GA
    assert q[system.names.index("beam.end.y")] == pytest.approx(wanted, rel=1e-12)
    assert q[system.names.index("beam.end.angle")] == pytest.approx(1e-3 * 2.0**2 / (2 * SOFT.EI), rel=1e-12)
    assert beam.length == 2.0


def test_axial_modes_lower_the_axial_frequency_towards_the_rod():
    exact = np.pi / 2 * np.sqrt(SOFT.EA / SOFT.rhoA)
    errors = []
    for modes in range(3):
        model = fm.PlanarModel("rod")
        model.add_beam("rod", model.ground, (1.0, 0.0), properties=SOFT, modes=0, axial_modes=modes)
        system, (M, _, K) = _matrices(model)
        axial = [k for k, name in enumerate(system.names) if name.endswith(".x") or "axial" in name]
        omega = np.sqrt(scipy.linalg.eigvalsh(K[np.ix_(axial, axial)], M[np.ix_(axial, axial)])[0])
        errors.append(omega / exact - 1)
    assert 0 < errors[2] < errors[1] < 0.02 < errors[0]


def test_modal_damping_gives_each_mode_its_ratio():
    ratios = (0.01, 0.02, 0.05)
    model = fm.PlanarModel("free")
    model.add_beam("beam", (0, 0), (1, 0), properties=SOFT, modes=1, damping=fm.ModalDamping(ratios))
    _, (M, C, K) = _matrices(model)
    squared, modes = scipy.linalg.eigh(K, M)
    for k, ratio in enumerate((*ratios, 0.05)):
        phi = modes[:, 3 + k]
        assert phi @ C @ phi == pytest.approx(2 * ratio * np.sqrt(squared[3 + k]), rel=1e-9)
    rigid = modes[:, :3]
    assert np.max(np.abs(C @ rigid)) < 1e-9 * np.max(np.abs(C))


def test_stiffness_proportional_damping():
    model = fm.PlanarModel("free")
    model.add_beam("beam", (0, 0), (1, 1), properties=SOFT, modes=2, damping=fm.StiffnessProportional(0.01))
    _, (_, C, K) = _matrices(model)
    np.testing.assert_allclose(C, 0.01 * K, atol=1e-9 * np.max(np.abs(K)))


@pytest.mark.parametrize("shear", [0.0, 1e-4, 0.3])
def test_shapes_are_integrated_to_round_off_and_scale_with_the_length(shear):
    shapes = element_shapes(3.0, 1, 3, "second_order", shear)
    dense = np.polynomial.legendre.leggauss(80)
    eta, weights = 0.5 * (dense[0] + 1), 0.5 * dense[1]
    exact = shapes.products(eta, weights)
    got = shapes.products(shapes.x / 3.0, shapes.weights / 3.0)
    np.testing.assert_allclose(got, exact, atol=1e-11 * np.max(np.abs(exact)))
    unit = element_shapes(1.0, 1, 3, "second_order", shear)
    assert len(unit.x) == len(shapes.x)
    np.testing.assert_allclose(unit.x * 3.0, shapes.x)


def test_shortening_is_that_of_the_bent_axis():
    """The tip moves back by ½∫w'² where no axial force acts: H keeps the strain uniform and the ends in place."""
    shapes = element_shapes(2.0, 0, 2, "second_order")
    ends = shapes.at(np.array([0.0, 1.0]))[:, -16:]
    np.testing.assert_allclose(ends, 0.0, atol=1e-12)
    eta = np.linspace(0, 1, 2001)
    rows = shapes.at(eta)
    slope = rows[:, 6:10]
    g = np.array([0.1, -0.2, 0.03, 0.01])
    stretch = np.cumsum((slope @ g) ** 2) * (2.0 / 2000)
    wanted = 0.5 * (eta * stretch[-1] - stretch)
    got = 0.5 * np.einsum("nij,i,j->n", rows[:, 10:].reshape(-1, 4, 4), g, g)
    np.testing.assert_allclose(got, wanted, atol=2e-5)


@pytest.mark.parametrize("shear", [1e-6, 0.02, 1.0, 1e4])
def test_shapes_with_shear_are_those_of_timoshenko(shear):
    """w' = ψ − (EI/GA) ψ'', ends that stay, turns of the ends as given, a stiffness that couples the ends alone, and
    w'w'ᵀ − γγᵀ, γ = w' − ψ, for the derivative of S. With hardly any shear they are those without."""
    L, h = 1.7, 1e-5
    shapes = element_shapes(L, 0, 3, "second_order", shear)
    eta = np.linspace(0.05, 0.95, 7)
    bent, more, less = (shapes.bent(x) for x in (eta, eta + h, eta - h))
    size = np.max(np.abs(bent.slope))
    for value, rate in ((1, 0), (3, 2), (4, 3)):  # each is the slope of the one before
        change = (more[rate] - less[rate]) / (2.0 * h * L)
        np.testing.assert_allclose(change, bent[value], atol=1e-7 * np.max(np.abs(bent[value])))
    np.testing.assert_allclose(bent.slope, bent.turn - shear * L**2 * bent.change, atol=1e-14 * size)
    ends = shapes.bent(np.array([0.0, 1.0]))
    np.testing.assert_allclose(ends.deflection, 0.0, atol=1e-12)
    np.testing.assert_allclose(ends.turn, np.eye(2, 5), atol=1e-12 * size)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    whole = shapes.bent(0.5 * (nodes + 1.0))
    weights = 0.5 * L * weights[:, None]
    energy = whole.bend.T @ (weights * whole.bend) + shear * L**2 * whole.change.T @ (weights * whole.change)
    wanted = np.zeros((5, 5))
    near, far = shapes.end_factors
    wanted[:2, :2] = np.array([[near, far], [far, near]]) / L
    wanted[range(2, 5), range(2, 5)] = shapes.bending_factors / L**3
    np.testing.assert_allclose(energy, wanted, atol=1e-11 * np.max(np.abs(wanted)))
    gamma = bent.slope - bent.turn

    def stretch(x):
        return np.multiply.outer(x, shapes.S_end) - shapes.at(x)[:, 12:].reshape(7, 5, 5)

    S = stretch(eta + h), stretch(eta - h)
    products = np.einsum("ni,nj->nij", bent.slope, bent.slope) - np.einsum("ni,nj->nij", gamma, gamma)
    np.testing.assert_allclose((S[0] - S[1]) / (2.0 * h * L), products, atol=1e-7 * size**2)
    plain, thin = element_shapes(L, 0, 3, "second_order"), element_shapes(L, 0, 3, "second_order", 1e-13)
    np.testing.assert_allclose(thin.at(eta), plain.at(eta), atol=1e-8)


THICK = fm.planar.BeamProperties(EA=1e5, EI=2.0, rhoA=1.3, rhoI=0.1, GA=60.0)


def test_a_thick_column_buckles_as_haringx_says():
    """Shear softens: P = ½ GA (√(1 + 4 P_E/GA) − 1), less than P_E, the load of Euler; for 2 elements of 3 modes."""
    model = fm.PlanarModel("column")
    rod = model.add_beam("rod", model.ground, (0.0, 1.0), properties=THICK, elements=2, modes=3)
    euler = np.pi**2 * THICK.EI / 4.0
    model.point_force(rod.end, (0.0, -euler))
    found = fm.equilibrium_path(model, factor=1.2).critical[0].factor
    wanted = 0.5 * THICK.GA / euler * (np.sqrt(1.0 + 4.0 * euler / THICK.GA) - 1.0)
    assert wanted < 0.95 and found == pytest.approx(wanted, rel=3e-4)


def test_sections_that_turn_have_inertia():
    """A free thick beam that turns has ½ (ρA L³/12 + ρI L) Ω²; without shear it is Euler's and Bernoulli's beam."""
    for shear in (True, False):
        model = fm.PlanarModel("free")
        model.add_beam("rod", (-0.6, 0.0), (0.6, 0.0), properties=THICK, shear=shear)
        model.set_rigid_motion((0.0, 0.0), 2.0)
        system = fm.System(model)
        inertia = THICK.rhoA * 1.2**3 / 12.0 + (THICK.rhoI * 1.2 if shear else 0.0)
        kinetic = system.energy(0.0, system.q0, system.v0)[0]
        assert kinetic == pytest.approx(0.5 * inertia * 4.0, rel=1e-12)


def test_derivatives_by_what_makes_the_shapes():
    """Of w = F L³/(3 EI) + F L/GA of a square section: relative ones by length and height with the share r of shear."""

    def build(length, height, youngs_modulus):
        model = fm.PlanarModel("cantilever")
        section, steel = fm.Rectangle(height, height), fm.Material(7850.0, youngs_modulus)
        rod = model.add_beam("rod", model.ground, (length, 0.0), material=steel, section=section)
        model.point_force(rod.end, (0.0, 1e-3))
        return model

    given = {"length": 1.0, "height": 0.3, "youngs_modulus": 2e11}
    found = fm.static_sensitivity(build, given, "rod.end.y")
    bending, shear = 4.0 / 0.3**4, 2.6 * 1.2 / 0.3**2
    r = shear / (bending + shear)
    wanted = [3.0 - 2.0 * r, -4.0 + 2.0 * r, -1.0]
    assert [found.relative["rod.end.y", name] for name in given] == pytest.approx(wanted, abs=1e-5)


def test_beams_on_frames_of_any_angle_are_stress_free():
    model = fm.PlanarModel("m")
    body = model.add_body("body", mass=1.0, inertia=1.0, position=(1, 1), angle=2.0)
    model.add_beam("arm", body.frame, (2.0, 3.0), properties=SOFT, elements=3)
    system = fm.System(model)
    zero = np.zeros(system.n)
    assert np.max(np.abs(system.residual(0.0, system.q0, zero, zero))) < 1e-9
    assert system.energy(0.0, system.q0, zero)[1] < 1e-20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"modes": -1}, "modes"),
        ({"modes": 1.5}, "whole number"),
        ({"axial": "full"}, "'chord', 'mean', 'second_order'"),
        ({"elements": 0}, "elements"),
        ({"mode": 2}, "did you mean 'modes'"),
    ],
)
def test_wrong_options_are_named(options, message):
    model = fm.PlanarModel("m")
    with pytest.raises(ModelError, match=message):
        model.add_beam("beam", (0, 0), (1, 0), properties=SOFT, **options)
    assert "beam" not in model.components and sorted(model.frames) == ["ground"]


@pytest.mark.parametrize("EA", [1e6, 1e8])
def test_a_sagging_beam_is_damped_as_its_material_says(EA):
    """One element against 32 exact ones: damping acts on the strain of the axis, not on the shortening of the chord."""

    def ratio(theory: str, elements: int) -> float:
        m = fm.PlanarModel("cantilever", gravity=(0.0, -9.81))
        shear = {"GA": EA / 2.6} if theory == "exact" else {}
        given = fm.planar.BeamProperties(EA=EA, EI=5.0, rhoA=0.6, rhoI=1e-7, **shear)
        rod = m.add_beam(
            "rod", (0, 0), (1, 0), theory=theory, properties=given, elements=elements,
            damping=fm.StiffnessProportional(1e-4),
        )  # fmt: skip
        m.weld(m.ground, rod.start)
        rest = fm.equilibrium(m)
        assert rest["rod.end.y"] < -0.1
        found = fm.complex_modes(rest, 1)
        return float(found.damping[0] / (0.5e-4 * abs(found.eigenvalues[0])))

    assert ratio("cms", 1) == pytest.approx(ratio("exact", 32), rel=0.01)


def test_slopes_within_elements_in_any_pose():
    """Against its chord an element without shear has the slopes a (1 − 4η + 3η²) + b (3η² − 2η) of the turns a and b of
    its ends, wherever it is and however often it has turned; 9 places are looked at."""
    model = fm.PlanarModel("m")
    rod = model.add_beam("rod", (0.0, 0.0), (2.0, 1.0), properties=SOFT, modes=0, elements=2, shear=False)
    system, eta = fm.System(model), np.linspace(0.0, 1.0, 9)
    start, turns = np.arctan2(1.0, 2.0), np.array([0.1, -0.4, 0.3])
    for whole in (0.0, 2.0, 13.0, -40.0):  # radians by which all of it has turned
        chord = start + whole
        along = np.array([np.cos(chord), np.sin(chord)])
        q = np.concatenate([[*(7.0 + k * along), chord + turn] for k, turn in enumerate(turns)])
        slopes = [a * (1 - 4 * eta + 3 * eta**2) + b * (3 * eta**2 - 2 * eta) for a, b in pairwise(turns)]
        wanted = [np.ptp(slope) for slope in slopes]
        assert np.allclose(rod.slope_differences(system, q[None]), wanted, rtol=0, atol=1e-12)
