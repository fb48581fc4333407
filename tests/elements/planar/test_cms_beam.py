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


def test_shapes_are_integrated_to_round_off_and_scale_with_the_length():
    shapes = element_shapes(3.0, 1, 3, "second_order")
    dense = np.polynomial.legendre.leggauss(80)
    eta, weights = 0.5 * (dense[0] + 1), 0.5 * dense[1]
    exact = shapes.products(eta, weights)
    got = shapes.products(shapes.x / 3.0, shapes.weights / 3.0)
    np.testing.assert_allclose(got, exact, atol=1e-11 * np.max(np.abs(exact)))
    unit = element_shapes(1.0, 1, 3, "second_order")
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
