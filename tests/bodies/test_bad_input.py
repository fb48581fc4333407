"""What cannot become a reduced body is refused by name, with numbers."""

from __future__ import annotations

import warnings

import meshio
import numpy as np
import pytest
import scipy.sparse as sp
import skfem

import flexmb as fm
from flexmb import bodies
from flexmb.algebra.multifrontal import Cholesky
from flexmb.bodies import on_plane
from flexmb.bodies.body_of_mesh import mesh_model
from flexmb.errors import AccuracyWarning, ModelError, NamingError, SizeError
from flexmb.machine import memory

STEEL = fm.Material(density=7850.0, youngs_modulus=205e9)
BAR = skfem.MeshHex.init_tensor(np.linspace(0, 1, 3), np.array([0, 0.1]), np.array([0, 0.1]))
ROOT = on_plane((0, 0, 0), (1, 0, 0))


def bar(mesh=BAR, **options):
    given = {"interfaces": {"root": ROOT}, "modes": 2} | options
    return bodies.from_mesh(mesh, STEEL, **given)


def refused(words, call, *given, error=ModelError, **named):
    with pytest.raises(error, match=words):
        call(*given, **named)


def test_meshes():
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    refused("no volume elements, only triangle", bar, meshio.Mesh(corners, [("triangle", [[0, 1, 3]])]))
    refused("material is missing", bodies.from_mesh, BAR, None, interfaces={})
    refused("a mesh of scikit-fem or meshio is needed", bar, "no mesh".split())
    refused("poissons_ratio is 0.5", bodies.from_mesh, BAR, fm.Material(1000.0, 1e7, 0.5), interfaces={})
    flat = BAR.p.copy()
    flat[0] *= 1e-12
    refused("2 of 2 elements .0, 1. are degenerate", bar, type(BAR)(flat, BAR.t), interfaces={})
    turned = BAR.p.copy()
    turned[0, BAR.p[0] == 0.5] = 2.0  # the middle section beyond the end
    refused("1 of 2 elements .1. is inverted", bar, type(BAR)(turned, BAR.t))
    tets = BAR.to_meshtet()
    moved = tets.p.copy()
    moved[:, np.argmin(np.linalg.norm(moved.T - (0.5, 0.0, 0.0), axis=1))] = 0.9, 0.3, 0.05  # through its neighbors
    refused(r"of 12 elements .* inverted", bar, type(tets)(moved, tets.t))
    apart = BAR + BAR.translated((5.0, 0, 0)) + BAR.translated((9.0, 0, 0)).refined()
    refused("3 parts that are not connected, with 225, 45, 45 nodes", bar, apart)
    both = [("tetra", [[0, 1, 2, 3]]), ("wedge", [[0, 1, 2, 3, 3, 3]])]
    refused("an element is inverted or lies over its neighbors", bar, meshio.Mesh(corners, both))


def test_frames():
    properties = fm.planar.BeamProperties(EA=1e6, EI=10.0, rhoA=1.0)
    points, beam = {"a": (0.0, 0.0), "b": (1.0, 0.0)}, bodies.Member(("a", "b"), properties=properties)

    def frame(places=points, members=beam, **options):
        return bodies.from_frame(places, members, **({"interfaces": {"a": "a"}, "modes": 2} | options))

    assert frame().modes == 2
    refused("it would have no modes, since a single interface deforms nothing", frame, modes=0)
    refused("it would have no modes", bar, modes=0)
    refused("places must be given by names", frame, list(points.values()))
    refused("needs a name that is a text, not 1", frame, {1: (0.0, 0.0), 2: (1.0, 0.0)}, error=NamingError)
    refused("give a flexmb.bodies.Member, not 3", frame, members=3)
    refused("members must be a list", frame, members={"rod": beam})


def test_interfaces():
    refused("there is no node on the plane", bar, interfaces={"root": on_plane((7, 0, 0), (1, 0, 0))})
    line = on_plane((0, 0, 0), (1, 0, 0)) & on_plane((0, 0, 0), (0, 1, 0))
    refused("its 3 nodes lie in a line", bar, interfaces={"edge": line})
    refused("its 1 nodes are too few", bar, interfaces={"tip": bodies.nearest((1, 0, 0))})
    refused("there is no set of nodes 'rot'", bar, interfaces={"root": "rot"}, error=NamingError)
    refused("tied rigidly to the interfaces 'a' and 'b'", bar, interfaces={"a": ROOT, "b": ROOT})
    refused("'root' is given twice", bar, followers={"root": ROOT}, error=NamingError)
    refused("there is no interface 'tip'", bar, reduction=bodies.Reduction(reference="tip"), error=NamingError)


def test_numbers_of_modes():
    # 45 nodes, 9 of them tied: 108 coordinates
    refused("200 modes are asked for, and with its interfaces held it has 108", bar, modes=200)
    refused("modes is -1", bar, modes=-1)


def test_matrices():
    model = mesh_model(BAR, STEEL)
    K, M, nodes = model.stiffness.toarray(), model.mass.toarray(), model.nodes
    numbers = {"root": ROOT}

    def given(K=K, M=M, nodes=nodes, **options):
        return bodies.from_matrices(K, M, nodes, interfaces=numbers, **({"modes": 2} | options))

    skew = K.copy()
    skew[0, 5] += 0.1 * np.max(np.abs(K))
    refused(r"stiffness matrix is not symmetric: entries \(0, 5\)", given, K=skew)
    refused("mass.0, 0. is nan", given, M=np.where(M > 0, np.nan, M))
    light = M.copy()
    light[4, 4] = -1.0
    refused("mass matrix is not positive: the coordinate 4 has the mass -1", given, M=light)
    refused("has 135 rows, and its 44 nodes have 132 translations", given, nodes=nodes[:-1])
    refused(r"mass matrix has the shape \(132, 132\)", given, M=M[:132, :132])
    springs = K + np.eye(len(K)) * 1e-3 * np.max(K)
    refused("resists rigid motion: translation along x, translation along y", given, K=springs)
    refused("is not positive where its interfaces are held", given, K=-K)
    half, twice = model.node_of + 0.5 * (model.node_of == 44), np.where(model.direction_of == 2, 1, model.direction_of)
    refused("node_of has the entry 44.5", given, node_of=half, direction_of=model.direction_of)
    refused("node 0 has the direction 1 more than once", given, node_of=model.node_of, direction_of=twice)
    loose, rest = K.copy(), np.flatnonzero(model.node_of == 44)
    loose[rest], loose[:, rest] = 0.0, 0.0
    refused("2 parts that are not connected, with 44, 1 nodes", given, K=loose)
    # a chain of bars has motions without strain besides the rigid ones
    chain = np.kron([[1, -1, 0, 0], [-1, 2, -1, 0], [0, -1, 2, -1], [0, 0, -1, 1]], np.diag([1.0, 0.0]))
    places = np.column_stack([np.arange(4.0), np.zeros(4)])
    refused(
        "not positive|motions without strain", bodies.from_matrices, chain, np.eye(8), places, interfaces={}, modes=2
    )


def test_damping_of_other_numbers_of_modes():
    line = np.linspace(0, 1, 5)[:, None] * [1, 0]
    bent = np.stack([0 * line[:, 0], 1 - 6 * line[:, 0] * (1 - line[:, 0])], axis=1)[:, :, None]
    given = (line, bent, [80.0], np.full(5, 0.2))
    assert bodies.from_modes(*given, damping=0.02).damping.tolist() == [0.02]
    refused("damping must be an array of shape", bodies.from_modes, *given, damping=[0.1, 0.2])
    refused("damping must be an array of shape", bar, reduction=bodies.Reduction(damping=[0.1] * 3))
    refused("its shapes have no modes", bodies.from_modes, line, bent[:, :, :0], [], given[3])


def test_parallel_deformations_are_left_out_and_counted():
    """The deformation under a load of an interface's own static mode."""
    tip = on_plane((1, 0, 0), (1, 0, 0))
    push = {"push": bodies.NodalLoad(tip, force=(0, 1.0, 0)), "again": bodies.NodalLoad(tip, force=(0, 2.0, 0))}
    body = bar(loads=push)
    assert body.modes == 3
    assert "1 deformations left out as parallel to others" in body.report


def test_units_and_orders_that_are_doubtful():
    with pytest.warns(AccuracyWarning, match="it is 1000 m long; if its mesh is in millimeters, say scale=1e-3"):
        bar(scale=1000.0)
    tons = fm.Material(density=7.85e-9, youngs_modulus=205e3)
    with pytest.warns(AccuracyWarning, match="sound in its material would run at 5.11e.06 m/s"):
        bodies.from_mesh(BAR, tons, interfaces={"root": ROOT}, modes=2)
    with pytest.warns(AccuracyWarning, match=r"lowest frequency be about \d+ % too high"):
        bar(order=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", AccuracyWarning)
        bar()


def test_factors_that_do_not_fit(monkeypatch):
    """The memory of the factors is known before they are computed, and refused with its number."""
    monkeypatch.setattr("flexmb.algebra.multifrontal.LITTLE", 0.0)
    monkeypatch.setattr(memory, "machine_memory", lambda: 1e5)
    line = sp.diags([-np.ones(999), 2.5 * np.ones(1000), -np.ones(999)], [-1, 0, 1]).tocsr()
    refused("factors of its stiffness matrix, with 1000 coordinates and .* entries, need", Cholesky, line,
            np.arange(1000.0)[:, None], "body 'big'", error=SizeError)  # fmt: skip


def test_what_is_given_by_names_and_options():
    for what in ("interfaces", "followers", "loads"):
        refused(f"{what} must be given by names", bar, **{what: [ROOT]})
    refused("interfaces must be given by names", bar, interfaces=None)
    refused(r"reduction must be a flexmb.bodies.Reduction", bar, reduction={})
    refused(r"reduction must be a flexmb.bodies.Reduction", bar, reduction="free")
    refused("give the full model of a mesh", bodies.appendage_matrices, bar(), ROOT, (0, 0, 1))


def test_substructures():
    end, far = on_plane((1, 0, 0), (1, 0, 0)), on_plane((2, 0, 0), (1, 0, 0))
    left, right = (mesh_model(BAR.translated((x, 0, 0)), STEEL) for x in (0, 1))
    parts, welds = {"left": left, "right": right}, {"weld": [("left", end), ("right", end)]}

    def joined(parts=parts, welds=welds, **options):
        return bodies.from_substructures(parts, welds, modes=1, **options)

    assert list(joined(interfaces={"tip": ("right", far)}).interfaces) == ["weld", "tip"]
    refused("'weld' is given twice", joined, interfaces={"weld": ("right", far)}, error=NamingError)
    refused("interface 'tip': give pairs", joined, interfaces={"tip": far})
    refused("weld 'weld': give pairs", joined, welds={"weld": ["left", end]})
    refused("weld 'weld': give pairs", joined, welds={"weld": 5})
    refused("has 1 ends", joined, welds={"weld": [("left", end)]})
    refused("welds must be given by names", joined, welds=[("left", end)])
    refused("substructures must be given by names", joined, [left, right])
    refused("its part 'right' must be a model of", joined, {"left": left, "right": BAR})


def test_stresses_of_what_is_not_there():
    body = bar()
    refused("node is 9999; give at most 44", bodies.gauge_modes, body.mesh, 9999, (1, 0, 0))
    refused("node is 0.5", bodies.gauge_modes, body.mesh, 0.5, (1, 0, 0))
    refused("has no mesh", bodies.gauge_modes, None, 0, (1, 0, 0))
    refused("modes is 99; give at most 2", bodies.stress_modes, body.mesh, 99)
    refused("modes is 99; give at most 2", bodies.cut, body.mesh, (0.5, 0, 0), (1, 0, 0), 99)
    model = fm.SpatialModel("model")
    model.add_modal_body("bar", body, amplitudes=(1e-6, 0.0))
    track = fm.assemble(model).solution["bar.von_mises"]
    for k in (1, 0.5, -2, None, True):
        refused("there is no instant", track.nodes, k)
        refused("there is no instant", track.elements, k)
    np.testing.assert_array_equal(track.nodes(0), track.nodes(-1))
