"""The reference of the slider-crank in space: numbers computed elsewhere, derivatives, energy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmb.algebra.differences import derivative
from flexmb.validation.references import spatial_slider_crank as reference
from flexmb.validation.references.spatial_slider_crank import Place


def test_it_has_the_known_numbers():
    phi, rate = reference.motion(np.array([0.0, *reference.PLACES]))
    for angle, known in zip(phi[1:], reference.PLACES.values()):
        assert Place(angle).x == pytest.approx(known, abs=1e-12)
    assert reference.SPEED * Place(0.0).rod_turning[0] == pytest.approx(reference.ROD_START, abs=1e-14)
    energies = [Place(angle).energy(speed) for angle, speed in zip(phi, rate)]
    np.testing.assert_allclose(energies, energies[0], rtol=1e-11)


@pytest.mark.parametrize("phi", [0.0, 0.7, 2.5, 4.0])
def test_velocities_are_derivatives_of_places(phi):
    here = Place(phi)
    for value, known in (
        (lambda h: np.array([Place(phi + h).x]), here.slider_speed[:1]),
        (lambda h: Place(phi + h).slider_speed[:1], here.slider_speed[1:]),
        (lambda h: Place(phi + h).pin, here.pin_speed[0]),
        (lambda h: Place(phi + h).pin_speed[0], here.pin_speed[1]),
        (lambda h: Rotation.from_matrix(Place(phi + h).axes @ here.axes.T).as_rotvec(), here.rod_turning[0]),
        (lambda h: Place(phi + h).rod_turning[0], here.rod_turning[1]),
        (lambda h: np.array([0.5 * Place(phi + h).inertia()[0]]), np.array([here.inertia()[1]])),
    ):
        found, error = derivative(value, 0.05)
        assert np.max(np.abs(found - known)) < 1e-10 + 10 * np.max(error)


@pytest.mark.parametrize("phi", [0.0, 1.3])
def test_rod_is_held_by_its_cross(phi):
    axes = Place(phi).axes
    np.testing.assert_allclose(axes.T @ axes, np.eye(3), atol=1e-15)
    assert abs(axes[0, 1]) < 1e-16
