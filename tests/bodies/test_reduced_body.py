"""Reduced bodies: the mass matrix of particles, and what is refused."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from flexmb.bodies import Interface, ReducedBody, UnitLoadStiffness
from flexmb.errors import ModelError
from tests.models.particles import Particles


@pytest.mark.parametrize("dimension", [2, 3])
def test_mass_matrix_is_that_of_particles(dimension: int) -> None:
    """The columns of the mass matrix, from the velocities of the particles themselves."""
    particles = Particles.random(dimension=dimension, modes=3, slaves=2, seed=4)
    body = particles.reduced()
    turns = {2: [lambda x: np.stack([-x[:, 1], x[:, 0]], 1)], 3: [lambda x, e=e: np.cross(e, x) for e in np.eye(3)]}
    N = len(particles.nodes)
    columns = [np.tile(e, (N, 1)) for e in np.eye(dimension)]
    columns += [turn(particles.nodes) for turn in turns[dimension]]
    columns += list(particles.shapes[:3])
    wanted = [[float(np.sum(x * (particles.m @ y))) for x in columns] for y in columns]
    assert np.allclose(body.mass_matrix, wanted, rtol=0.0, atol=1e-12 * np.max(np.abs(wanted)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mass": 0.0}, "mass is 0"),
        ({"mass": 0.1}, "not positive"),
        ({"stiffness": [1.0, -2.0, 3.0]}, "stiffness[1] is -2; every mode must be stiff"),
        ({"products": np.ones((6, 6, 3, 2))}, "products must be an array of shape (6, 6, 3, 3)"),
        ({"slaves": np.arange(18.0).reshape(2, 3, 3)}, "slaves is not symmetric"),
        ({"damping": [0.1, -0.1, 0.0]}, "damping must not be negative"),
        ({"unit_load_stiffness": UnitLoadStiffness(np.zeros((6, 3, 3)))}, "twice"),
        ({"interfaces": {"tip": Interface((0, 0, 0), np.eye(3), np.zeros((3, 2)), np.zeros((3, 2)))}}, "2 modes"),
        ({"orientation": 2.0 * np.eye(3)}, "no rotation matrix"),
    ],
)
def test_refused(change: dict[str, Any], message: str) -> None:
    body = Particles.random(modes=3, slaves=2, seed=4).reduced()
    names = ("mass", "first", "products", "stiffness", "slaves")
    with pytest.raises(ModelError, match=re.escape(message)):
        ReducedBody(**({name: getattr(body, name) for name in names} | change))


def test_products_must_be_of_one_mass() -> None:
    body = Particles.random(modes=3, slaves=2, seed=4).reduced()
    products = np.array(body.products)
    products[0, 1, 0, 2] += 1e-3
    with pytest.raises(ModelError, match="P_FG must be P_GFᵀ"):
        ReducedBody(body.mass, body.first, products, body.stiffness, body.slaves)
