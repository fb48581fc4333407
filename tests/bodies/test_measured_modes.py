"""Modes beside measured ones, universal files, counts of cycles and damage."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import skfem

import flexmb as fm
from flexmb import bodies
from flexmb.errors import MissingExtraError, ModelError


@pytest.fixture(scope="module")
def body() -> bodies.ReducedBody:
    bar = skfem.MeshHex.init_tensor(np.linspace(0, 1, 6), np.array([0, 0.1]), np.array([0, 0.05]))
    return bodies.from_mesh(bar, fm.Material(7850, 205e9), interfaces={}, modes=5, name="bar")


def test_criteria_do_not_depend_on_size_sign_and_phase():
    rng = np.random.default_rng(3)
    a = rng.normal(size=(20, 4))
    found = bodies.mac(a, a * [2.0, -1.0, 1j, 1e-6])
    np.testing.assert_allclose(np.diag(found), 1.0)
    np.testing.assert_allclose(bodies.mac(np.eye(3), np.eye(3)), np.eye(3))
    one = np.array([[1.0], [2.0]])
    assert bodies.mac(one, np.array([[2.0], [1.0]]))[0, 0] == pytest.approx(16.0 / 25.0)
    with pytest.raises(ModelError, match="same places"):
        bodies.mac(a, a[:5])
    with pytest.raises(ModelError, match="zero everywhere"):
        bodies.mac(a, 0.0 * a)


def test_modes_of_a_universal_file_are_paired(body, tmp_path):
    pyuff = pytest.importorskip("pyuff")
    rng = np.random.default_rng(0)
    places = body.mesh.nodes + body.origin
    chosen = np.sort(rng.choice(len(places), 30, replace=False))
    path, hertz = tmp_path / "modes.unv", body.frequencies / (2 * np.pi)
    unv = pyuff.UFF(str(path))
    x, y, z = (1e3 * places[chosen].T).tolist()
    zero = np.zeros(30, dtype=int)
    unv.write_sets(
        pyuff.prepare_15(node_nums=1 + chosen, def_cs=zero, disp_cs=zero, color=zero, x=x, y=y, z=z), "overwrite"
    )
    order = [2, 0, 1]
    for m, k in enumerate(order):
        shape = body.mesh.shapes[chosen, :, k] * -3.0 * (1.0 + 0.02 * rng.normal(size=(30, 3)))
        unv.write_sets(pyuff.prepare_55(
            id1="bar", id2="", id3="", id4="", id5="", model_type=1, analysis_type=2, data_ch=2, spec_data_type=8,
            data_type=2, n_data_per_node=3, r1=shape[:, 0], r2=shape[:, 1], r3=shape[:, 2], load_case=1, mode_n=m + 1,
            freq=0.97 * hertz[k], modal_m=1.0, modal_damp_vis=0.01, modal_damp_his=0.0, node_nums=1 + chosen,
        ), "add")  # fmt: skip
    measured = fm.bodies.MeasuredModes.read(path, scale=1e-3)
    np.testing.assert_allclose(measured.frequencies, 0.97 * hertz[order], rtol=1e-4)
    np.testing.assert_allclose(measured.damping, 0.01)
    found = fm.bodies.compare_modes(body, measured, most=4)
    assert found.pairs.tolist() == [[0, 1], [1, 2], [2, 0]]
    np.testing.assert_allclose(found.errors, 1 / 0.97 - 1, rtol=1e-3)
    assert min(found.mac[i, j] for i, j in found.pairs) > 0.98
    assert str(found).count("3.09 %") == 3
    found.plot(tmp_path / "mac.png")
    assert (tmp_path / "mac.png").stat().st_size > 5000
    with pytest.raises(ModelError, match=r"away from the mesh"):
        fm.bodies.compare_modes(body, fm.bodies.MeasuredModes.read(path))
    bad = path.read_text().replace(f"{1 + chosen[3]:10d}", f"{99999:10d}", 1)
    (tmp_path / "bad.unv").write_text(bad)
    with pytest.raises(ModelError, match="node numbers must match"):
        fm.bodies.MeasuredModes.read(tmp_path / "bad.unv")
    (tmp_path / "none.unv").write_text("hello")
    with pytest.raises(ModelError, match="universal file"):
        fm.bodies.MeasuredModes.read(tmp_path / "none.unv")


def test_what_cannot_be_compared_is_refused(body, monkeypatch, tmp_path):
    with pytest.raises(ModelError, match="do not fit"):
        fm.bodies.MeasuredModes([1.0], [0.0], np.zeros((2, 3)), np.zeros((3, 3, 1)), [1, 2])
    with pytest.raises(ModelError, match="with a mesh"):
        fm.bodies.compare_modes("bar", None)
    with pytest.raises(ModelError, match="no MeasuredModes"):
        fm.bodies.compare_modes(body, None)
    (tmp_path / "x.unv").write_text("")
    monkeypatch.setitem(sys.modules, "pyuff", None)
    with pytest.raises(MissingExtraError, match="measured"):
        fm.bodies.MeasuredModes.read(tmp_path / "x.unv")
    monkeypatch.setitem(sys.modules, "rainflow", None)
    with pytest.raises(MissingExtraError, match="fatigue"):
        bodies.rainflow_cycles([0.0, 1.0])


def test_cycles_and_damage():
    pytest.importorskip("rainflow")
    # the example of ASTM E1049-85, figure 6
    found = bodies.rainflow_cycles([-2.0, 1.0, -3.0, 5.0, -1.0, 3.0, -4.0, 4.0, -2.0])
    counts = {width: found[found[:, 0] == width, 2].sum() for width in np.unique(found[:, 0])}
    assert counts == {3.0: 0.5, 4.0: 1.5, 6.0: 0.5, 8.0: 1.0, 9.0: 0.5}
    one = bodies.damage([-1e8, 1e8] * 100, strength=1e8, cycles=1e6, exponent=5.0)
    assert one == pytest.approx(99.5e-6, rel=1e-12)
    assert bodies.damage([-2e8, 2e8] * 100, strength=1e8, cycles=1e6, exponent=5.0) == pytest.approx(32 * one)
    with pytest.raises(ModelError, match="exponent"):
        bodies.damage([0.0, 1.0], strength=1.0, cycles=1.0, exponent=0.1)
