"""Bodies of any size: what is computed of a cantilever does not depend on the unit of length."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import skfem

import flexmb as fm
from flexmb import bodies

MATERIAL = fm.Material(density=7850.0, youngs_modulus=2e11, poissons_ratio=0.3)
QUIET = bodies.Reduction(inertia_loads=True, progress=False)


def cantilever(size):
    """A cantilever of the length `size` under a load at its tip that bends it to a like shape."""
    side = np.array([-0.05, 0.05])
    mesh = skfem.MeshHex.init_tensor(np.linspace(0, 1, 5), side, side)
    ends = {"foot": bodies.on_plane((0, 0, 0), (1, 0, 0)), "tip": bodies.on_plane((size, 0, 0), (1, 0, 0))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the units of the smallest
        reduced = bodies.from_mesh(mesh, MATERIAL, interfaces=ends, modes=4, scale=size, reduction=QUIET)
    model = fm.SpatialModel("model")
    body = model.add_modal_body("bar", reduced)
    model.weld(model.ground.attach("wall", body.at("foot").position), body.at("foot"))
    model.point_force(body.at("tip"), (0, 0, 1e5 * size**2))
    return model, reduced


@pytest.fixture(scope="module")
def wanted():
    model, reduced = cantilever(1.0)
    time = 2.0 / reduced.frequencies[0]
    return fm.equilibrium(model), fm.simulate(model, time, progress=False), fm.modes(fm.equilibrium(model)).frequencies


@pytest.mark.parametrize("size", [1e-5, 1e-3, 100.0])
def test_a_cantilever_of_any_size(size, wanted):
    rest, run, frequencies = wanted
    model, reduced = cantilever(size)
    found = fm.equilibrium(model)
    assert found.iterations == rest.iterations
    np.testing.assert_allclose(found["bar.tip.z"] / size, rest["bar.tip.z"], rtol=1e-9)
    here, there = found.solution["bar.stress_xx"], rest.solution["bar.stress_xx"]
    np.testing.assert_allclose(here.envelope, there.envelope, rtol=1e-7, atol=1e-7 * there.max())
    np.testing.assert_allclose(fm.modes(found).frequencies * size, frequencies, rtol=1e-7)
    moved = fm.simulate(model, 2.0 / reduced.frequencies[0], progress=False)
    assert abs(len(moved.t) - len(run.t)) <= 2
    np.testing.assert_allclose(moved["bar.tip"].position[-1, 2] / size, run["bar.tip"].position[-1, 2], rtol=1e-4)
