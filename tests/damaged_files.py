"""Good files of every kind that flexmb reads, and damage to their bytes, the same at every run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.bodies.full_models.read_matrices import pyyeti_nastran
from tests.models.worlds import STEEL, World, power

#: numbers that replace others in texts
NUMBERS = (b"nan", b"-1", b"0", b"1e999", b"3000000000", b"1000000000000000000000", b"x", b"")
#: how often each kind of damage is done
TIMES = 12

#: endings of files of surfaces
SURFACES = (".stl", ".obj", ".ply", ".vtu", ".vtk", ".msh")

#: writes the good files into a folder, and returns the one that is damaged
Write = Callable[[Path, World], Path]
Read = Callable[[Path], Any]

URDF = """<robot name="arm"><link name="base"/>
<link name="rod"><inertial><mass value="1.5"/><origin xyz="0 0 0.5"/>
<inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><box size="0.1 0.1 1.0"/></geometry></visual></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="10" velocity="2"/></joint></robot>"""


def _text(name: str, text: str) -> Write:
    def write(folder: Path, world: World) -> Path:
        (folder / name).write_text(text)
        return folder / name

    return write


def _calculix(ending: str) -> Write:
    texts = {
        ".inp": "*NODE\n7, 0, 0, 0\n9, 1, 0.5, 0\n*NSET, NSET=ENDS, GENERATE\n7, 9, 2\n",
        ".dof": "7.1 7.2 7.3 9.1 9.2 9.3\n",
        ".sti": "1 1 5.0\n1 4 -5.0\n4 4 5.0\n",
        ".mas": "".join(f"{k} {k} 2.0\n" for k in range(1, 7)),
    }

    def write(folder: Path, world: World) -> Path:
        for one, text in texts.items():
            (folder / f"job{one}").write_text(text)
        return folder / f"job{ending}"

    return write


def _nastran(damaged: str) -> Write:
    def write(folder: Path, world: World) -> Path:
        nastran = pyyeti_nastran()
        nastran.op4.write(str(folder / "ball.op4"), {"kaa": np.eye(6), "maa": 2.0 * np.eye(6)})
        nastran.bulk.wtgrids(str(folder / "ball.bdf"), [11], xyz=np.array([[0.5, 0.0, 0.0]]))
        (folder / "ball.pch").write_text(
            "DMIG    KAA            0       6       1       0                       6\n"
            + "".join(
                f"DMIG*   KAA                           11{k:16d}\n*                     11{k:16d}{1.0:16.9E}\n"
                for k in range(1, 7)
            )
            + "DMIG    MAA            0       6       1       0                       6\n"
            + "".join(
                f"DMIG*   MAA                           11{k:16d}\n*                     11{k:16d}{1.0:16.9E}\n"
                for k in range(1, 7)
            )
        )
        (folder / "ball.op2").write_bytes((folder / "ball.op4").read_bytes())
        return folder / f"ball{damaged}"

    return write


def _mesh(name: str) -> Write:
    def write(folder: Path, world: World) -> Path:
        import meshio

        corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], dtype=float)
        cells = [("triangle", np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]))]
        if name.startswith("solid"):
            cells = [("tetra", np.array([(0, 1, 2, 3)]))]
        mesh = meshio.Mesh(corners, cells)
        given = {"binary": True} if name.endswith((".stl", ".ply", ".vtk")) else {}
        given |= {"file_format": "gmsh22", "binary": False} if name.endswith(".msh") else {}
        mesh.write(folder / name, **given)
        return folder / name

    return write


def _matrices(name: str) -> Write:
    def write(folder: Path, world: World) -> Path:
        import scipy.io
        import scipy.sparse as sp

        A = sp.csr_matrix(np.diag([1.0, 2.0, 3.0]))
        scipy.io.mmwrite(folder / "K.mtx", A)
        scipy.io.mmwrite(folder / "dense.mtx", A.toarray())
        np.save(folder / "K.npy", A.toarray())
        sp.save_npz(folder / "sparse.npz", A)
        np.savez(folder / "all.npz", K=A.toarray(), M=A.toarray(), nodes=np.zeros((1, 3)))
        return folder / name

    return write


def _pair(path: Path) -> Any:
    return fm.bodies.read_matrices(path, path, np.zeros((1, 3)))


def _by_nastran(path: Path) -> Any:
    if path.suffix == ".bdf":
        return fm.bodies.read_nastran(path.with_suffix(".op4"), path)
    return fm.bodies.read_nastran(path, path.with_suffix(".bdf"))


def _by_calculix(path: Path) -> Any:
    return fm.bodies.read_calculix(path.with_suffix(""))


def _meshed(path: Path) -> Any:
    return fm.bodies.mesh_model(path, STEEL)


def _saved_study(folder: Path, world: World) -> Path:
    fm.study(power, fm.grid(x=[1.0, 2.0]), file=folder / "powers.study", workers=0, progress=False)
    return folder / "powers.study"


def _measured(folder: Path, world: World) -> Path:
    import pyuff

    path = folder / "modes.uff"
    file = pyuff.UFF(str(path))
    file.write_sets(
        pyuff.prepare_15(
            node_nums=[1, 2], def_cs=[0, 0], disp_cs=[0, 0], color=[0, 0], x=[0.0, 1.0], y=[0.0, 0.0], z=[0.0, 0.0]
        ),
        "overwrite",
    )
    file.write_sets(
        pyuff.prepare_55(
            model_type=1, analysis_type=2, data_ch=2, spec_data_type=8, data_type=2, n_data_per_node=3,
            load_case=1, mode_n=1, freq=10.0, modal_m=1.0, modal_damp_vis=0.01, modal_damp_his=0.0,
            node_nums=[1, 2], r1=[0.0, 1.0], r2=[0.0, 0.0], r3=[0.0, 0.0],
        ),
        "add",
    )  # fmt: skip
    return path


#: how a good file of each kind is written, and how it is read
FILES: dict[str, tuple[Write, Read]] = {
    "solution": (lambda folder, w: w.solution.save(folder / "run.h5"), fm.load),
    "reduced body": (lambda folder, w: fm.bodies.save(w.reduced, folder / "body.h5"), fm.bodies.load),
    "SID": (lambda folder, w: fm.bodies.write_sid(w.reduced, folder / "body.SID_FEM"), fm.bodies.read_sid),
    "study": (_saved_study, fm.load_study),
    "npz of matrices": (_matrices("all.npz"), fm.bodies.read_matrices),
    "Matrix Market": (_matrices("K.mtx"), _pair),
    "Matrix Market, dense": (_matrices("dense.mtx"), _pair),
    "npy": (_matrices("K.npy"), _pair),
    "sparse npz": (_matrices("sparse.npz"), _pair),
    **{f"CalculiX {x}": (_calculix(x), _by_calculix) for x in (".inp", ".dof", ".sti", ".mas")},
    **{f"Nastran {x}": (_nastran(x), _by_nastran) for x in (".op4", ".pch", ".bdf", ".op2")},
    **{f"surface {x}": (_mesh(f"surface{x}"), fm.read_surface) for x in SURFACES},
    **{f"mesh {x}": (_mesh(f"solid{x}"), _meshed) for x in (".vtu", ".msh", ".vtk", ".inp")},
    "URDF": (_text("arm.urdf", URDF), fm.read_urdf),
    "measured modes": (_measured, fm.bodies.MeasuredModes.read),
}  # fmt: skip


def damages(good: bytes, seed: int = 0) -> Iterator[tuple[str, bytes]]:
    """What is left of good bytes: nothing, a part, bits turned over, numbers replaced, other bytes altogether."""
    random = np.random.default_rng(seed)
    yield "empty", b""
    for part in (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98):
        yield f"first {part:.0%}", good[: int(part * len(good))]
    yield "without its last byte", good[:-1]
    yield "with more at its end", good + bytes(random.integers(0, 256, 64, dtype=np.uint8))
    yield "noise", bytes(random.integers(0, 256, 512, dtype=np.uint8))
    yield "zeros", bytes(len(good))
    for k in range(TIMES):
        changed = bytearray(good)
        span = len(good) if k % 2 else min(len(good), 256)
        for at in random.integers(0, span, 1 + k // 4):
            changed[at] ^= 1 << int(random.integers(0, 8))
        yield f"bits {k}", bytes(changed)
    tokens = list(re.finditer(rb"(?<![\w.])-?\d+(\.\d+)?([eE][-+]?\d+)?", good))
    if tokens and b"\0" not in good:
        for k in range(3 * TIMES):
            one = tokens[int(random.integers(0, len(tokens))) if k % 2 else min(k // 2, len(tokens) - 1)]
            new = NUMBERS[k % len(NUMBERS)]
            yield f"{one.group()!r} at {one.start()} as {new!r}", good[: one.start()] + new + good[one.end() :]
        lines = good.splitlines(keepends=True)
        for at in random.integers(0, len(lines), TIMES).tolist():
            yield f"without line {at}", b"".join(lines[:at] + lines[at + 1 :])
