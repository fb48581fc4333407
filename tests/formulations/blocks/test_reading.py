"""The formulas of blocks: SymPy, LaTeX, C and numbers, against the dynamics of the tree."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys

import numpy as np
import pytest

import flexmb as fm
from tests.models.upright_arms import arm


@pytest.fixture(scope="module")
def made():
    tree = fm.Tree.of(arm((0.5, 0.4, 0.3)))
    return tree, fm.formulation(tree, fm.Hybrid(block=3)).blocks[0]


def state(seed, count=3):
    q, u, ud = np.random.default_rng(seed).normal(size=(3, count))
    named = {f"{name}{k + 1}": x for name, xs in (("q", q), ("u", u), ("ud", ud)) for k, x in enumerate(xs)}
    return q, u, ud, named


def test_numbers_are_those_of_the_dynamics_of_the_tree(made):
    tree, block = made
    dynamics, (q, u, ud, named) = fm.TreeDynamics(tree), state(1)
    assert block.mass_matrix.at(**named) == pytest.approx(dynamics.mass_matrix(q), rel=1e-13, abs=1e-14)
    assert block.bias.at(**named) == pytest.approx(dynamics.bias(q, u), rel=1e-13, abs=1e-13)
    assert block.equations.at(**named) == pytest.approx(dynamics.drives(q, u, ud), rel=1e-13, abs=1e-13)


def test_sympy_gives_the_same_numbers_with_and_without_intermediates(made):
    sympy = pytest.importorskip("sympy")
    _, block = made
    *_, named = state(2)
    values = {sympy.Symbol(name, real=True): x for name, x in (block.parameters | named | {"gz": -9.81}).items()}
    values |= {sympy.Symbol(name, real=True): 0.0 for name in ("gx", "gy")}
    for formulas in (block.mass_matrix, block.bias, block.equations):
        wanted = formulas.at(**named)
        assert np.array(formulas.sympy().subs(values), dtype=float).reshape(wanted.shape) == pytest.approx(wanted)
        pairs, matrix = formulas.named()
        known = dict(values)
        for symbol, value in pairs:
            known[symbol] = value.subs(known)
        assert np.array(matrix.subs(known), dtype=float).reshape(wanted.shape) == pytest.approx(wanted)


def test_a_double_pendulum_reads_as_in_the_textbook():
    sympy = pytest.importorskip("sympy")
    m = fm.PlanarModel("two rods", gravity=(0, -9.81))
    upper = m.add_body("upper", mass=1.0, inertia=0.1, position=(0.5, 0))
    lower = m.add_body("lower", mass=2.0, inertia=0.2, position=(1.5, 0))
    m.revolute(m.ground, upper.attach("top", (-0.5, 0)), name="shoulder")
    m.revolute(upper.attach("end", (0.5, 0)), lower.attach("begin", (-0.5, 0)), name="elbow")
    block = fm.formulation(m, "hybrid").blocks[0]
    J1, J2, m2, s2, length, q2 = (
        sympy.Symbol(x, real=True) for x in ("Jzz_1", "Jzz_2", "m_2", "sx_2", "px_2", "q2")
    )  # fmt: skip
    coupling = J2 + length * s2 * sympy.cos(q2)
    known = sympy.Matrix([[J1 + m2 * length**2 + 2 * coupling - J2, coupling], [coupling, J2]])
    assert sympy.simplify(block.mass_matrix.sympy() - known) == sympy.zeros(2, 2)
    text = block.equations.latex()
    assert text.startswith(r"\begin{aligned}") and r"\sin{\left(q_{2} \right)}" in text and "ud_{2}" in text


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_c_compiles_and_gives_the_same_numbers(made, tmp_path):
    _, block = made
    q, u, ud, named = state(3)
    source = tmp_path / "block.c"
    source.write_text("#include <math.h>\n" + block.equations.c() + "\n" + block.mass_matrix.c())
    library = tmp_path / "block.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, source, "-lm"], check=True)
    code, pointer = ctypes.CDLL(str(library)), ctypes.POINTER(ctypes.c_double)
    arrays = {"parameters": np.array(list(block.parameters.values())), "q": q, "u": u, "rates": ud,
              "gravity": np.array([0, 0, -9.81])}  # fmt: skip
    for formulas in (block.equations, block.mass_matrix):
        found = np.zeros(formulas.shape)
        head = next(line for line in formulas.c().splitlines() if line.startswith("void"))
        names = [part.split("*")[1] for part in head.split("(")[1].split(",")[:-1]]
        given = [*(arrays[name] for name in names), found]
        getattr(code, formulas.name)(*(array.ctypes.data_as(pointer) for array in given))
        assert found == pytest.approx(formulas.at(**named), rel=1e-14)


def test_a_symbol_without_a_value_is_named(made):
    _, block = made
    with pytest.raises(fm.errors.FormulationError, match="symbol 'q2' has no value"):
        block.mass_matrix.at(q3=0.0)
    with pytest.raises(fm.errors.NamingError, match="'q9'"):
        block.mass_matrix.at(q9=0.0)
    with pytest.raises(fm.errors.ModelError, match="q2"):
        block.mass_matrix.at(q2="much", q3=0.0)


def test_without_sympy_numbers_and_c_remain(made, monkeypatch):
    _, block = made
    monkeypatch.setitem(sys.modules, "sympy", None)
    for formulas in (block.mass_matrix.sympy, block.mass_matrix.named, block.mass_matrix.latex):
        with pytest.raises(fm.errors.MissingExtraError, match=r"flexmb\[symbolic\]"):
            formulas()
    assert "void mass_matrix(" in block.mass_matrix.c()


def test_formulas_that_would_fill_pages_are_refused():
    pytest.importorskip("sympy")
    block = fm.formulation(arm((0.5, 0.4, 0.3, 0.3, 0.2, 0.2), "zyzyzy"), fm.Hybrid(block=6)).blocks[0]
    with pytest.raises(fm.errors.FormulationError, match=r"take named\(\)"):
        block.mass_matrix.sympy()
    assert len(block.mass_matrix.named()[0]) < 400


def test_a_flexible_rod_reads_as_in_the_textbook():
    sympy = pytest.importorskip("sympy")
    m, given = fm.PlanarModel("rod", gravity=(0, -9.81)), fm.planar.BeamProperties(EA=1e6, EI=10.0, rhoA=0.6)
    rod = m.add_beam("rod", (0, 0), (1, 0), properties=given, theory="floating", modes=2)
    m.revolute(m.ground, rod.start, name="hinge")
    tree = fm.Tree.of(m)
    block = fm.formulation(tree, "hybrid").blocks[0]
    assert list(block.coordinates.values()) == ["hinge.angle", "rod.bending1", "rod.bending2"]
    J, H1, H2, N1, N2, q2, q3 = (
        sympy.Symbol(x, real=True) for x in ("Jb_1", "H1_1", "H2_1", "N11_1", "N22_1", "q2", "q3")
    )
    known = sympy.Matrix([[J + N1 * q2**2 + N2 * q3**2, H1, H2], [H1, N1, 0], [H2, 0, N2]])
    assert sympy.simplify(block.mass_matrix.sympy() - known) == sympy.zeros(3, 3)
    assert block.parameters["mb_1"] == pytest.approx(0.6) and block.parameters["Jb_1"] == pytest.approx(0.2)
    assert block.parameters["Ky1_1"] == pytest.approx(10.0 * 1.8751040687119611**4)
    q, u, ud, named = state(5)
    dynamics = fm.TreeDynamics(tree)
    assert block.equations.at(**named) == pytest.approx(dynamics.drives(q, u, ud), rel=1e-13)
    assert "void drives(" in block.equations.c() and r"q_{2}" in block.equations.latex()


def test_a_floating_block_has_the_motion_of_its_first_link():
    tree = fm.Tree.of(arm((0.5, 0.4, 0.3, 0.2), "zyzy"))
    block = fm.formulation(tree, fm.Hybrid(block=2)).blocks[1]
    assert block.links == ["link2", "link3"] and block.joints == ["hinge3"] and block.size == 7
    M = block.mass_matrix.at(
        q1=0.3, R11=1.0, R12=0.0, R13=0.0, R21=0.0, R22=1.0, R23=0.0, R31=0.0, R32=0.0, R33=1.0
    )  # fmt: skip
    assert M == pytest.approx(M.T, abs=1e-15) and np.linalg.eigvalsh(M)[0] > 0.0
    assert M[3:6, 3:6] == pytest.approx(2.5 * np.eye(3))  # the mass of both
