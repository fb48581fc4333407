"""Bodies of frames, of matrices, of modes and of substructures against each other and against closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.linalg
import scipy.sparse as sp
import skfem

import flexmb as fm
from flexmb import bodies
from flexmb.bodies import Member, frame_model, matrix_model
from flexmb.bodies.full_models.read_matrices import _inp_nodes, pyyeti_nastran
from flexmb.bodies.reducing.reduction import Reduction, reduce
from flexmb.validation.calculix_matrices import JOB
from tests.models.solid_bodies import ALUMINIUM, bracket_mesh

STEEL = fm.Material(density=7850.0, youngs_modulus=205e9, poissons_ratio=0.3)


def _critical(model, force):
    """The lowest factor of a force (n,) at which the frame, clamped at its first node, is no longer stable."""
    free = model.node_of != 0
    K = model.stiffness.toarray()[np.ix_(free, free)]
    u = np.zeros(len(free))
    u[free] = np.linalg.solve(K, force[free])
    S = model.stress_matrix(u).toarray()[np.ix_(free, free)]
    return 1.0 / scipy.linalg.eigh(-S, K, eigvals_only=True)[-1]


def test_second_order_of_beams_buckles_columns_and_strips():
    """The second order of strains of a cantilever: Euler's load, and that of Prandtl (1899) under a force across its
    tip."""
    p = fm.spatial.BeamProperties(EA=1e9, EIy=10.0, EIz=1e6, GJ=8.0, rhoA=1.0)
    strip = [Member(("a", "b"), properties=p, elements=12, y_axis=(0, 1, 0))]
    model = frame_model({"a": (0, 0, 0), "b": (2, 0, 0)}, strip)
    tip = np.flatnonzero(model.node_of == 1)
    pressed, bent = np.zeros(len(model.node_of)), np.zeros(len(model.node_of))
    pressed[tip[0]], bent[tip[1]] = -1.0, 1.0
    assert _critical(model, pressed) == pytest.approx(np.pi**2 * 10.0 / 16.0, rel=1e-5)
    assert _critical(model, bent) == pytest.approx(4.0126 * np.sqrt(80.0) / 4.0, rel=2e-3)


@pytest.mark.parametrize("d", [2, 3])
def test_a_straight_column_on_one_interface_buckles_at_its_load(d):
    """Its one interface holds it determinately; seen from there, a load along it has Euler's value."""
    ends = {"foot": np.zeros(d), "top": np.eye(d)[0]}
    column = [Member(("foot", "top"), STEEL, fm.Rectangle(height=0.02, width=0.01), elements=8)]
    load = {"push": bodies.NodalLoad("top", force=-np.eye(d)[0])}
    how = Reduction(reference="foot", progress=False)
    body = bodies.from_frame(ends, column, interfaces={"foot": "foot"}, loads=load, modes=10, reduction=how)
    found = 1.0 / scipy.linalg.eigh(body.loads["push"].second, np.diag(body.stiffness), eigvals_only=True)[-1]
    I = {2: 0.01 * 0.02**3, 3: 0.02 * 0.01**3}[d] / 12.0
    assert found == pytest.approx(np.pi**2 * 205e9 * I / 4.0, rel=1e-3)


def arm_of(elements):
    """A frame with one knee, of beams with shear and inertia of their sections."""
    places = {"foot": (0, 0, 0), "knee": (0, 0.1, 0.5), "hand": (0.4, 0.2, 0.6)}
    bar = fm.Rectangle(width=0.02, height=0.03)
    return frame_model(places, [Member(x, STEEL, bar, elements=elements) for x in (("foot", "knee"), ("knee", "hand"))])


@pytest.fixture(scope="module")
def arm():
    return arm_of(4)


def test_a_frame_in_matrices_is_the_same_body():
    """Its matrices have rotary inertia and do not say how elements move inside; all else is the same."""
    how = Reduction(field="linear", estimate=False)
    arm = arm_of(16)
    frame = reduce(arm, {"hand": "hand"}, 5, how)
    given = bodies.from_matrices(arm.stiffness, arm.mass, arm.nodes, interfaces={"hand": [2]}, modes=5, reduction=how)
    assert given.frequencies == pytest.approx(frame.frequencies, rel=1e-9)
    assert np.allclose(given.modal_mass, np.eye(5), atol=1e-9)
    for a, b in ((0, 1), (0, 3), (1, 1), (1, 2)):
        scale = np.sqrt(np.trace(frame.products[a, a]) * np.trace(frame.products[b, b]))
        assert np.allclose(given.products[a, b], frame.products[a, b], atol=4e-4 * scale)
    assert np.allclose(given.products[0, 0], frame.products[0, 0], atol=1e-9 * np.trace(frame.products[0, 0]))
    assert np.allclose(given.interfaces["hand"].rotation, frame.interfaces["hand"].rotation, atol=1e-7)


def test_masses_of_points_are_found_in_matrices():
    solid = bodies.mesh_model(bracket_mesh((1, 1, 1)), ALUMINIUM)
    n = len(solid.node_of)
    order = np.random.default_rng(0).permutation(n)
    mixed = matrix_model(
        solid.stiffness[order][:, order], solid.mass[order][:, order], solid.nodes, solid.node_of[order],
        solid.direction_of[order],
    )  # fmt: skip
    assert mixed.mass_field is not None and "exact" in mixed.notes[0]
    how = Reduction(field="linear", estimate=False)
    one, other = (reduce(x, {"foot": bodies.on_plane((0, 0, 0), (0, 0, 1))}, 4, how) for x in (solid, mixed))
    assert other.frequencies == pytest.approx(one.frequencies, rel=1e-8)
    assert np.allclose(other.products, one.products, atol=1e-8)


def test_modes_alone_are_the_body_that_they_come_from(arm):
    frame = reduce(arm, {}, 4, Reduction(estimate=False))
    masses = np.random.default_rng(3).uniform(0.1, 1.0, len(arm.nodes))
    nodes, shapes = frame.mesh.nodes[: len(masses)], frame.mesh.shapes[: len(masses)]  # without the outline's points
    given = bodies.from_modes(nodes, shapes, frame.frequencies, masses, interfaces={})
    assert given.mass == pytest.approx(np.sum(masses))
    assert np.allclose(given.modal_mass, np.eye(4), atol=1e-12)
    assert np.allclose(given.first, 0.0, atol=1e-12)
    with pytest.raises(fm.errors.ModelError, match="nearly parallel"):
        bodies.from_modes(nodes, shapes[:, :, [0, 0]], [1.0, 2.0], masses)


def test_two_halves_joined_are_the_whole():
    """A bar of two halves, tied along the whole section between them, against one bar that is tied there too."""
    bar = skfem.MeshHex.init_tensor(np.linspace(0, 1, 5), np.array([0, 0.05]), np.array([0, 0.08]))
    halves = {x: bodies.mesh_model(bar.translated((at, 0, 0)), STEEL) for x, at in (("left", 0.0), ("right", 1.0))}
    middle = bodies.on_plane((1, 0, 0), (1, 0, 0))
    how = Reduction(estimate=False)
    joined = bodies.from_substructures(
        halves, {"weld": [("left", middle), ("right", middle)]},
        interfaces={"root": ("left", bodies.on_plane((0, 0, 0), (1, 0, 0)))}, modes=6, reduction=how,
    )  # fmt: skip
    long = skfem.MeshHex.init_tensor(np.linspace(0, 2, 9), np.array([0, 0.05]), np.array([0, 0.08]))
    ties = {"weld": middle, "root": bodies.on_plane((0, 0, 0), (1, 0, 0))}
    whole = bodies.from_mesh(long, STEEL, interfaces=ties, modes=6, reduction=how)
    assert joined.frequencies == pytest.approx(whole.frequencies, rel=1e-7)
    for name in ties:
        one, other = (np.abs(x.interfaces[name].translation2).max(axis=(1, 2)) for x in (joined, whole))
        assert one == pytest.approx(other, rel=1e-2)


def test_files_of_matrices(tmp_path, arm):
    np.savez(tmp_path / "arm.npz", K=arm.stiffness.toarray(), M=arm.mass.toarray(), nodes=arm.nodes)
    found = bodies.read_matrices(tmp_path / "arm.npz")
    assert np.array_equal(found.K, arm.stiffness.toarray()) and found.node_of is None
    scipy.io.mmwrite(tmp_path / "K.mtx", arm.stiffness)
    sp.save_npz(tmp_path / "M.npz", arm.mass)
    found = bodies.read_matrices(tmp_path / "K.mtx", tmp_path / "M.npz", arm.nodes)
    assert abs(found.K - arm.stiffness).max() == 0.0 and abs(found.M - arm.mass).max() == 0.0
    with pytest.raises(fm.errors.ModelError, match="no nodes"):
        bodies.read_matrices(tmp_path / "K.mtx", tmp_path / "M.npz")


def test_files_of_calculix(tmp_path):
    """Upper triangles counted from 1, coordinates as node.direction, nodes of the input file."""
    (tmp_path / "bar.inp").write_text("*HEADING\n*NODE, NSET=all\n7, 0., 0., 0.\n9, 1., 0.5\n*ELEMENT\n1, 7, 9\n")
    (tmp_path / "bar.dof").write_text("7.1\n7.2\n7.3\n9.1\n9.2\n9.3\n")
    (tmp_path / "bar.sti").write_text("1 1 5.\n1 4 -5.\n4 4 5.\n")
    (tmp_path / "bar.mas").write_text("".join(f"{k} {k} 2.\n" for k in range(1, 7)))
    found = bodies.read_calculix(tmp_path / "bar")
    assert found.K.toarray()[3].tolist() == [-5.0, 0.0, 0.0, 5.0, 0.0, 0.0]
    assert found.nodes.tolist() == [[0.0, 0.0, 0.0], [1.0, 0.5, 0.0]]
    assert found.node_of.tolist() == [0, 0, 0, 1, 1, 1] and found.direction_of.tolist() == [0, 1, 2] * 2


def test_sets_of_nodes_of_files(arm):
    """Interfaces of matrices by names: sets of CalculiX's deck, its numbers of nodes, sets that are given; rigidly and
    on average."""
    found = bodies.read_calculix(JOB)
    assert found.sets["ROOT"].tolist() == [0, 1, 2, 3] and len(found.sets["ALL"]) == 28
    by_name = bodies.from_matrices(*found, interfaces={"root": "ROOT"}, modes=3)
    by_number = bodies.from_matrices(*found, interfaces={"root": ["101", "102", "103", "104"]}, modes=3)
    by_place = bodies.from_matrices(*found, interfaces={"root": bodies.on_plane((0, 0, 0), (1, 0, 0))}, modes=3)
    for other in (by_number, by_place):
        assert np.array_equal(by_name.frequencies, other.frequencies)
    tip = {"root": "ROOT", "tip": bodies.Tie(["125", "126", "127", "128"], average=True)}
    body = bodies.from_matrices(*found, interfaces=tip, modes=3)
    # a mean of nodes does not stiffen: its modes are those of the body with the root alone, and the tip's static ones
    assert body.interfaces["tip"].position + body.origin == pytest.approx([0.3, 0.02, 0.015], abs=1e-9)
    assert body.frequencies[0] <= by_name.frequencies[0]
    K, M = arm.stiffness, arm.mass
    given = bodies.from_matrices(K, M, arm.nodes, sets={"start": [0]}, interfaces={"a": "start"}, modes=2)
    wanted = bodies.from_matrices(K, M, arm.nodes, interfaces={"a": [0]}, modes=2)
    assert np.array_equal(given.frequencies, wanted.frequencies)
    with pytest.raises(fm.errors.NamingError, match="no set of nodes '999'"):
        bodies.from_matrices(*found, interfaces={"root": "999"}, modes=3)
    with pytest.raises(fm.errors.ModelError, match="set 'a': it names a node 99"):
        bodies.from_matrices(K, M, arm.nodes, sets={"a": [99]}, interfaces={}, modes=2)


def test_cards_of_an_input_file(tmp_path):
    """Sets by numbers, by a range, of other sets and of the nodes of a card."""
    (tmp_path / "a.inp").write_text(
        "*NODE, NSET=First\n1, 0.\n2, 1., 2.\n** a remark\n*Node\n3, 1., 2., 3.\n*NODE PRINT, NSET=First\nU\n"
        "*NSET, NSET=some, GENERATE\n1, 3, 2\n*nset, nset=both\nSome, 2\n*NSET, NSET=none\n"
    )
    places, sets = _inp_nodes(tmp_path / "a.inp")
    assert places == {1: (0.0, 0.0, 0.0), 2: (1.0, 2.0, 0.0), 3: (1.0, 2.0, 3.0)}
    assert sets == {"FIRST": [1, 2], "SOME": [1, 3], "BOTH": [1, 2, 3]}


def test_beams_of_calculix_are_refused(tmp_path):
    """Their nodes appear several times in the .dof file, as in its own test `boxprofile`."""
    (tmp_path / "box.inp").write_text("*NODE\n1, 0., 0., 0.\n2, 1., 0., 0.\n")
    (tmp_path / "box.dof").write_text("1.1\n1.2\n1.1\n2.1\n")
    for kind in (".sti", ".mas"):
        (tmp_path / f"box{kind}").write_text("1 1 1.\n")
    with pytest.raises(fm.errors.ModelError, match=r"box\.dof has the coordinate 1\.1 more than once"):
        bodies.read_calculix(tmp_path / "box")


def test_results_of_nastran_are_no_matrices():
    """One op2 file of Nastran in pyyeti's tests has results alone, another a stiffness matrix without a mass."""
    folder = Path(pyyeti_nastran().__file__).parent.parent / "tests" / "nas2cam_extseout"
    with pytest.raises(
        fm.errors.ModelError, match=r"only results; its tables .*BGPDTS, EQEXINS, DIT, OUGV1, .* are no"
    ):
        bodies.read_nastran(folder / "inboard.op2", folder / "inboard.dat")
    with pytest.raises(fm.errors.ModelError, match="no matrix 'maa', only khh"):
        bodies.read_nastran(folder / "assemble.op2", folder / "assemble.dat", stiffness_name="khh")


def test_bulk_data_of_nastran(tmp_path, arm):
    """DMIG entries and op4 files with grids of bulk data, which pyyeti wrote."""
    nastran = pyyeti_nastran()
    bulk, op4 = nastran.bulk, nastran.op4
    pandas = pytest.importorskip("pandas")
    numbers = np.arange(len(arm.nodes)) * 2 + 11
    index = pandas.MultiIndex.from_product([numbers, range(1, 7)], names=["id", "dof"])
    K, M = arm.stiffness.toarray(), arm.mass.toarray()
    tables = {name: pandas.DataFrame(A, index=index, columns=index) for name, A in (("kaa", K), ("maa", M))}
    bulk.wtdmig(str(tmp_path / "arm.pch"), tables)
    bulk.wtgrids(str(tmp_path / "arm.bdf"), numbers, xyz=arm.nodes)
    op4.write(str(tmp_path / "arm.op4"), {"kaa": K, "maa": M})
    for name in ("arm.pch", "arm.op4"):
        found = bodies.read_nastran(tmp_path / name, tmp_path / "arm.bdf")
        assert np.allclose(found.K, K, atol=1e-8 * np.max(K)) and np.allclose(found.M, M, atol=1e-8 * np.max(M))
        assert np.allclose(found.nodes, arm.nodes, atol=1e-7)
        assert np.array_equal(found.node_of, arm.node_of) and np.array_equal(found.direction_of, arm.direction_of)
    with pytest.raises(fm.errors.ModelError, match="no matrix 'kxx', only kaa, maa"):
        bodies.read_nastran(tmp_path / "arm.op4", tmp_path / "arm.bdf", stiffness_name="kxx")


def test_a_reduced_body_of_nastran():
    """The model `outboard` of pyyeti's tests: frequencies, mass and mass center that Nastran printed."""
    folder = Path(pyyeti_nastran().__file__).parent.parent / "tests" / "nas2cam_extseout"
    matrices = bodies.read_nastran(
        folder / "outboard.op4", folder / "outboard.asm", stiffness_name="kxx", mass_name="mxx"
    )
    each = {f"grid {k}": [k] for k in range(4)}
    body = bodies.from_matrices(*matrices, interfaces=each, modes=22)
    wanted = [1.7577, 1.7929, 3.6493, 4.1494, 7.0254, 7.2543, 11.0705]
    assert body.frequencies[:7] / (2 * np.pi) == pytest.approx(wanted, rel=1e-4)
    assert body.mass == pytest.approx(1.590384, rel=1e-6)
    assert body.origin == pytest.approx([184.63979671, 150.0, 150.0], abs=1e-6)
    assert "first order" in body.report
