"""Standard input data (SID): what is written comes back, other writers' orders are found, and damage is named."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import numpy as np
import pytest
import skfem

import flexmb as fm
from flexmb import bodies
from flexmb.bodies.files.sid_text import parsed
from flexmb.errors import ModelError, ResultFileError

STEEL = fm.Material(density=7850.0, youngs_modulus=2e11, poissons_ratio=0.3)


def arm(field: str = "unit-loads") -> bodies.ReducedBody:
    side = np.array([-0.01, 0.01]), np.array([-0.005, 0.005])
    ends = {
        "foot": bodies.Tie(
            bodies.on_plane((0, 0, 0), (1, 0, 0)), orientation=fm.axes_along(z=(0, 1, 0), x=(0, 0, 1)).as_matrix()
        ),
        "tip": bodies.on_plane((0.4, 0, 0), (1, 0, 0)),
    }
    how = bodies.Reduction(field=field, damping=0.01, estimate=False, progress=False)
    mesh = skfem.MeshHex.init_tensor(np.linspace(0, 0.4, 6), *side)
    return bodies.from_mesh(mesh, STEEL, interfaces=ends, modes=3, reduction=how)


@pytest.fixture(scope="module")
def body() -> bodies.ReducedBody:
    return arm()


@pytest.fixture(scope="module")
def text(body, tmp_path_factory) -> str:
    return bodies.write_sid(body, tmp_path_factory.mktemp("sid") / "arm.SID_FEM", comment="an arm").read_text()


def read(text: str, folder) -> bodies.ReducedBody:
    path = folder / "other.SID_FEM"
    path.write_text(text)
    return bodies.read_sid(path)


def same(one: bodies.ReducedBody, two: bodies.ReducedBody, tolerance=1e-12) -> None:
    for name in ("translation", "rotation", "translation2", "rotation2", "orientation", "position"):
        for key in two.interfaces:
            a, b = (getattr(x.interfaces[key], name) for x in (one, two))
            np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * max(np.abs(b).max(), 1e-30))
    for name in ("mass_matrix", "stiffness", "damping"):
        a, b = getattr(one, name), getattr(two, name)
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * np.abs(b).max())


def test_a_body_comes_back(body, text, tmp_path):
    again = read(text, tmp_path)
    same(again, body)
    assert again.mass == body.mass and "an arm" in again.report
    linear = arm("linear")
    one = bodies.read_sid(bodies.write_sid(linear, tmp_path / "linear.SID_FEM"))
    assert one.unit_load_stiffness is None
    np.testing.assert_allclose(one.products, linear.products, rtol=0, atol=1e-12 * np.abs(linear.products).max())


def test_orders_of_other_writers_are_found(body, text, tmp_path):
    wanted = read(text, tmp_path)
    swap = {"5": "6", "6": "5"}
    inside = ""
    lines = []
    n = body.modes
    for line in text.splitlines():
        name = line.strip()
        inside = name if name in ("J", "Oe", "Ge") else "" if name.startswith("end") else inside
        entry = re.match(r"(\s*m([01])\()([\d ,]+)(\).*)", line)
        if entry:
            index = [x.strip() for x in entry[3].split(",")]
            if inside == "J":
                index[0] = swap.get(index[0], index[0])
            if inside == "Oe":
                index[-1] = swap.get(index[-1], index[-1])
            if inside == "Ge":  # sorted by axes
                mode, axis = divmod(int(index[1]) - 1, 3)
                index[1] = str(axis * n + mode + 1)
            if entry[2] == "1":
                index = [index[0], index[2], index[1]]  # the mode last
            line = f"{entry[1]}{','.join(index)}{entry[4]}".replace("D+", "E+").replace("D-", "E-")
        lines.append(line)
    other = read("\n".join(lines), tmp_path)
    same(other, wanted, 1e-15)
    np.testing.assert_allclose(other.products, wanted.products, rtol=0, atol=1e-15 * np.abs(wanted.products).max())
    np.testing.assert_allclose(
        other.unit_load_stiffness.acceleration, wanted.unit_load_stiffness.acceleration, rtol=0, atol=1e-12
    )


def test_a_file_of_another_program(tmp_path):
    data = gzip.decompress((Path(__file__).parent / "files" / "beam.SID_FEM.gz").read_bytes()).decode()
    found = read(data, tmp_path)
    content = parsed(data, "beam")
    stated = [float(re.search(r":\s*([\d.]+)\s*Hz", name)[1]) for name in content.modes]
    np.testing.assert_allclose(found.frequencies / (2 * np.pi), stated, atol=6e-4)
    assert found.mass == 12.5604 and found.modes == 11 and len(found.interfaces) == 2
    assert "Cr is taken" in found.report  # its Gr has masses lumped at nodes
    node = content.nodes[0]
    np.testing.assert_array_equal(found.interfaces[node.name].translation, node.series["phi"].m0)
    model = fm.SpatialModel("beam of another program")
    model.add_modal_body("beam", found, field="linear", geometric_stiffness=True)
    np.testing.assert_allclose(fm.modes(model, 9).frequencies[6:], stated[:3], atol=6e-4)


def damaged(text: str, pattern: str, new) -> str:
    found = re.sub(pattern, new, text, count=1, flags=re.S)
    assert found != text
    return found


def test_damage_is_named(body, text, tmp_path):
    cases = {
        r"line 1.*numbers of nodes": lambda t: "hello\n" + t,
        r"no entry of J|no number": lambda t: damaged(t, r"(\n\s+J\n.*?m0\([^=]*=)[^\n]*", r"\1 many"),
        r"outside of Ct": lambda t: damaged(t, r"(\n\s+Ct\n.*?)m0\(\s*\d+", r"\1m0( 99"),
        r"file ends": lambda t: t[: len(t) // 2].rsplit("\n", 1)[0],
        r"Ke are missing|where 'end modal'|series Ke": lambda t: damaged(t, r"\n\s+Ke\n.*?end Ke", ""),
        r"no series of a body": lambda t: t.replace("end Me", "end Me\n  Quatsch ="),
        r"first line says": lambda t: damaged(t, r"^\s*2", "    3"),
        r"J and Gr disagree": lambda t: damaged(t, r"\n\s+Gr\n.*?end Gr", lambda m: m[0].replace("D-", "D+")),
        r"Ge does not change": lambda t: damaged(t, r"(\n\s+Ge\n.*?m0\([^=]*=\s*)-?\d\.\d+D-\d+", r"\1 7.0D+01"),
        r"numbers are not those of a body": lambda t: damaged(t, r"(Ke\n.*?m0\([^=]*= *)(\d)", r"\1-\2"),
        r"two of its nodes": lambda t: t.replace("= tip", "= foot"),
    }
    for pattern, change in cases.items():
        with pytest.raises(ModelError) as caught:
            read(change(text), tmp_path)
        assert re.search(pattern, str(caught.value), re.S), pattern
    (tmp_path / "picture.png").write_bytes(bytes(range(256)))
    with pytest.raises(ResultFileError, match="as text"):
        bodies.read_sid(tmp_path / "picture.png")
    flat = bodies.ReducedBody(2.0, np.zeros((1, 2)), np.eye(2)[None, None], stiffness=[])
    with pytest.raises(ModelError, match="plane"):
        bodies.write_sid(flat, tmp_path / "flat.SID_FEM")
    with pytest.raises(ModelError, match=r"no flexmb\.bodies\.ReducedBody"):
        bodies.write_sid("arm", tmp_path / "arm.SID_FEM")
