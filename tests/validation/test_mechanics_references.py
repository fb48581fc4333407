"""The references of beams and mechanisms: CMS elements in other coordinates, exact rods, beams in a row, linkages."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.validation import andrews, two_link_arm
from flexmb.validation.references import andrews as squeezer
from flexmb.validation.references import clamped_beam, n_four_bar, parallelogram
from flexmb.validation.references import two_link_arm as row
from flexmb.validation.references.cms_beam import CmsCantilever
from flexmb.validation.references.exact_rod import ExactRod
from flexmb.validation.references.mathematics import gauss


def test_gauss_integrates_from_zero_to_each_point():
    x, weight, integral = gauss(6)
    np.testing.assert_allclose(integral @ x**5, x**6 / 6, atol=1e-15)
    assert weight @ x**11 == pytest.approx(1 / 12, rel=1e-14)


def test_more_elements_come_to_the_cantilever_from_above():
    exact = clamped_beam.frequencies(3, 1.0, 1.0, 1.0)
    off = [CmsCantilever(n, 2).frequencies()[:3] / exact - 1.0 for n in (1, 2, 4)]
    assert np.all(off[0] > off[1]) and np.all(off[1] > off[2]) and np.all(off[2] > 0.0)
    assert np.all(off[2] < 5e-5)


@pytest.mark.parametrize("axial", ["chord", "mean", "second_order"])
def test_forces_of_an_element_are_the_gradient_of_its_energy(axial):
    """The derivative of the energy of the springs less the work of a dead end force, by differences."""
    beam = CmsCantilever(2, 1, axial, EA=50.0)
    q = 0.1 * np.random.default_rng(3).standard_normal(beam.size)
    load = np.array([0.3, -0.7])

    def energy(q):
        return 0.5 * q @ beam.stiffness @ q - beam.place(q[None, :])[1][0, :2] @ load

    step = 1e-5 * np.eye(beam.size)
    slopes = [(energy(q + e) - energy(q - e)) / 2e-5 for e in step]
    np.testing.assert_allclose(beam.forces(q, load), slopes, atol=1e-8)


def test_a_cantilever_under_an_end_force_bends_as_the_linear_theory_says():
    beam = CmsCantilever(1, 0, EA=1e4)
    place = beam.place(beam.at_rest(np.array([0.0, 1e-4]))[None, :])[1][0]
    assert place[1] == pytest.approx(1e-4 / 3.0, rel=1e-6)
    assert place[2] == pytest.approx(1e-4 / 2.0, rel=1e-6)


def test_a_bar_in_steady_rotation_stretches_as_the_linear_theory_says():
    """(EA u')' + ρA Ω² (x + u) = 0: the end is at tan(kL)/k with k² = ρA Ω²/EA."""
    beam = CmsCantilever(32, 0, EA=1e3)
    end = beam.place(beam.at_rest(np.zeros(2), speed=3.0)[None, :])[1][0]
    k = 3.0 / np.sqrt(1e3)
    assert end[0] == pytest.approx(np.tan(k) / k, rel=1e-5)


def test_an_exact_rod_swings_like_a_cantilever():
    rod = ExactRod(1.0, 1e4, 1.0, 1.0, bending=5, stretching=2)
    h = 1e-6
    still = (0j, 0j, 0.0, 0.0, 0.0)
    columns = [rod.acceleration(0.0, h * e, np.zeros(rod.size), lambda t: still) / h for e in np.eye(rod.size)]
    squares = np.sort(-np.linalg.eigvals(np.array(columns).T).real)
    np.testing.assert_allclose(np.sqrt(squares[:2]), clamped_beam.frequencies(2, 1.0, 1.0, 1.0), rtol=2e-4)


def test_an_exact_rod_in_steady_rotation_does_not_know_that_it_turns():
    rod = ExactRod(2.0, 1e3, 1.0, 1.0, bending=3, stretching=4)
    steady = lambda t: (0j, 0j, 0.4 * t, 0.4, 0.0)  # noqa: E731
    n = rod.size
    force = rod.acceleration(0.0, np.zeros(n), np.zeros(n), steady)
    assert np.abs(force[:3]).max() < 1e-12 < np.abs(force[3:]).max()  # it stretches and does not bend


def test_two_beams_in_a_row_without_masses_are_one():
    found = row.frequencies([0.3, 0.5], [2.0, 2.0], [0.5, 0.5], [0.0, 0.0], [0.0, 0.0], 3, 400.0)
    np.testing.assert_allclose(2 * np.pi * found, clamped_beam.frequencies(3, 0.8, 2.0, 0.5), rtol=1e-11)


def test_a_light_beam_with_a_heavy_end_is_a_spring():
    found = row.frequencies([0.5, 0.5], [2.0, 2.0], [1e-9, 1e-9], [0.0, 3.0], [0.0, 0.0], 1)
    assert 2 * np.pi * found[0] == pytest.approx(np.sqrt(3 * 2.0 / 3.0), rel=1e-8)  # √(3 EI/(m L³))


def test_roots_are_those_of_the_exponentials():
    class Run:
        t = np.arange(0.0, 2.0, 1e-3)

        def __getitem__(self, name):
            return np.exp(-0.5 * self.t) * np.cos(14.0 * self.t) + 0.2 * np.exp(-2.0 * self.t) * np.sin(40.0 * self.t)

    found = sorted(two_link_arm.roots(Run(), 0.2, 1.8, 4), key=lambda x: x.imag)
    np.testing.assert_allclose(found, [-0.5 + 14.0j, -2.0 + 40.0j], rtol=1e-8)


def test_the_squeezers_angles_go_both_ways_and_its_loops_close():
    np.testing.assert_allclose(squeezer.of_mechanism(squeezer.of_bodies(squeezer.START)), squeezer.START, atol=1e-15)
    model = andrews.build()
    ends = {name: frame.position for name, frame in model.frames.items() if name.endswith(".P")}
    assert len(ends) == 4
    for place in ends.values():
        np.testing.assert_allclose(place, next(iter(ends.values())), atol=1e-15)


def test_one_window_is_the_parallelogram():
    inertia, moment = n_four_bar.coefficients(1)
    assert moment / inertia == pytest.approx(1.2 * parallelogram.G, rel=1e-14)
    t = np.linspace(0.0, 3.0, 31)
    phi, rate = n_four_bar.motion(2, t)
    energy = n_four_bar.energy(2, phi, rate)
    np.testing.assert_allclose(energy, energy[0], rtol=1e-10)
