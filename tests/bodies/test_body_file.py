"""Reduced bodies in HDF5 files: nothing is lost, and what is wrong with a file is said by name."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import h5py
import numpy as np
import pytest
import skfem

import flexmb as fm
from flexmb import bodies
from flexmb.errors import ModelError, ResultFileError

STEEL = fm.Material(density=7850.0, youngs_modulus=2e11, poissons_ratio=0.3)


@pytest.fixture(scope="module")
def body() -> bodies.ReducedBody:
    side = np.array([-0.01, 0.01])
    ends = {name: bodies.on_plane((x, 0, 0), (1, 0, 0)) for name, x in (("foot", 0.0), ("tip", 0.5))}
    push = {"push": bodies.NodalLoad(bodies.on_plane((0.25, 0, 0), (1, 0, 0)), force=(0, 0, 1.0))}
    how = bodies.Reduction(inertia_loads=True, damping=0.02, progress=False)
    mesh = skfem.MeshHex.init_tensor(np.linspace(0, 0.5, 7), side, side)
    return bodies.from_mesh(mesh, STEEL, interfaces=ends, loads=push, modes=3, reduction=how)


def pendulum(reduced: bodies.ReducedBody, **options) -> fm.Solution:
    model = fm.SpatialModel("pendulum", gravity=(0, 0, -9.81))
    rod = model.add_modal_body("rod", reduced, **options)
    model.revolute(model.ground.attach("axle", rod.at("foot").position), rod.at("foot"), axis="y")
    return fm.simulate(model, 0.05, step=1e-3, progress=False)


def _assert_same(found, wanted) -> None:
    """Every field of a body and of its parts."""
    assert type(found) is type(wanted)
    if is_dataclass(wanted):
        for one in fields(wanted):
            _assert_same(getattr(found, one.name), getattr(wanted, one.name))
    elif isinstance(wanted, dict | list | tuple):
        assert len(found) == len(wanted)
        pairs = zip(found.items(), wanted.items()) if isinstance(wanted, dict) else zip(found, wanted)
        for one, other in pairs:
            _assert_same(one, other)
    else:
        np.testing.assert_array_equal(found, wanted)


def test_a_body_comes_back_with_every_bit(body, tmp_path):
    again = bodies.load(bodies.save(body, tmp_path / "rod.h5"))
    _assert_same(again, body)
    assert np.any(body.quartic) and list(again.interfaces) == ["foot", "tip"]
    np.testing.assert_array_equal(bodies.stress_modes(again.mesh).nodal, bodies.stress_modes(body.mesh).nodal)
    np.testing.assert_array_equal(pendulum(again).q, pendulum(body).q)


def test_bodies_of_unit_loads_of_the_plane_and_without_mesh(tmp_path):
    mesh = skfem.MeshQuad.init_tensor(np.linspace(0, 1, 5), np.array([0, 0.05]))
    how = bodies.Reduction(field="unit-loads", estimate=False, progress=False)
    foot = {"foot": bodies.on_plane((0, 0), (1, 0))}
    flat = bodies.from_mesh(mesh, STEEL, interfaces=foot, modes=2, thickness=0.01, reduction=how)
    again = bodies.load(bodies.save(flat, tmp_path / "flat.h5"))
    np.testing.assert_array_equal(again.unit_load_stiffness.spin, flat.unit_load_stiffness.spin)
    P = np.zeros((2, 2, 3, 3))
    P[0, 0], P[1, 1] = np.diag([0.3, 0.2, 0.1]), np.diag([0.0, 1.0, 0.0])
    bare = bodies.ReducedBody(2.0, np.zeros((2, 3)), P, stiffness=[1e4])
    assert bodies.load(bodies.save(bare, tmp_path / "bare.h5")).mesh is None


def test_what_is_wrong_with_a_file_is_said(body, tmp_path):
    good = bodies.save(body, tmp_path / "rod.h5")
    with pytest.raises(ModelError, match=r"no flexmb\.bodies\.ReducedBody"):
        bodies.save(body.mesh, tmp_path / "mesh.h5")
    data = bytearray(good.read_bytes())
    place = data.find(np.float64(body.stiffness[1]).tobytes())
    data[place] ^= 1
    (tmp_path / "changed.h5").write_bytes(data)
    with pytest.raises(ResultFileError, match="check sum"):
        bodies.load(tmp_path / "changed.h5")
    (tmp_path / "short.h5").write_bytes(data[: len(data) // 2])
    with pytest.raises(ResultFileError, match="cannot be read"):
        bodies.load(tmp_path / "short.h5")
    with pytest.raises(ResultFileError, match="no reduced body"):
        bodies.load(pendulum(body).save(tmp_path / "run.h5"))
    with h5py.File(good, "a") as file:
        file.attrs["format_version"] = 99
    with pytest.raises(ResultFileError, match="newer"):
        bodies.load(good)
    again = bodies.save(body, tmp_path / "rod.h5")
    with h5py.File(again, "a") as file:
        del file["body/slaves"]
    with pytest.raises(ResultFileError, match="check sum"):
        bodies.load(again)
    again = bodies.save(body, tmp_path / "rod.h5")
    with h5py.File(again, "a") as file:
        file["body/stiffness"][0] = -1.0
    with pytest.raises(ResultFileError, match="check sum"):
        bodies.load(again)
