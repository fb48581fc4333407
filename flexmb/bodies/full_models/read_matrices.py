"""Stiffness and mass matrices of files: NumPy, Matrix Market, CalculiX and Nastran."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, NamedTuple

import numpy as np
import scipy
import scipy.sparse as sp

from flexmb.bodies.full_models.full_model import GENERALIZED
from flexmb.errors import MissingExtraError, ModelError
from flexmb.machine import files
from flexmb.machine.memory import check_memory
from flexmb.model import checks
from flexmb.model.hints import answers_calls

#: fewest bytes of an entry of Matrix Market, "1\\n", and of one with its row and column, "1 1\\n"
BYTES_OF_ENTRY, BYTES_OF_ENTRY_AT = 1, 4


class BodyMatrices(NamedTuple):
    """What :func:`flexmb.bodies.from_matrices` takes first: matrices, nodes, the node and direction of each
    coordinate, and sets of nodes by names: those of the file, and each node by its number there, such as "101".

    >>> BodyMatrices(np.eye(3), np.eye(3), np.zeros((1, 3)), None, None).nodes.shape
    (1, 3)
    """

    K: Any
    M: Any
    nodes: np.ndarray
    node_of: np.ndarray | None
    direction_of: np.ndarray | None
    sets: Mapping[str, np.ndarray] = MappingProxyType({})


@answers_calls
def read_matrices(path: str | Path, mass_path: str | Path | None = None, nodes: Any = None) -> BodyMatrices:
    """Matrices from a file of NumPy, or from two files of Matrix Market or SciPy.

    Arguments: `path`, an .npz file with K, M, nodes and, where needed, node_of and direction_of; or the file of K
    (.mtx, .npz of scipy.sparse, .npy), with that of M in `mass_path`, and `nodes` (N, d) [m].

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(f"{folder}/arm.npz", K=np.eye(3), M=np.eye(3), nodes=np.zeros((1, 3)))
    ...     read_matrices(f"{folder}/arm.npz").M.shape
    (3, 3)
    """
    source = files.path_to_read(path, "read_matrices")
    where = f"read_matrices {source}"
    if mass_path is not None:
        if nodes is None:
            raise ModelError(f"{where}: the files have no nodes; give nodes=… (N, d)")
        second = files.path_to_read(mass_path, "read_matrices")
        return BodyMatrices(
            _matrix(source, where), _matrix(second, where), checks.matrix(nodes, "nodes", where), None, None
        )
    with files.parsing(where, ModelError), np.load(source) as data:
        missing = [what for what in ("K", "M", "nodes") if what not in data]
        found = {what: data[what] for what in data if what in BodyMatrices._fields}
    if missing:
        raise ModelError(f"{where}: it has no {' and no '.join(missing)}; it needs arrays K, M and nodes")
    return BodyMatrices(found["K"], found["M"], found["nodes"], found.get("node_of"), found.get("direction_of"))


def _matrix(path: Path, where: str) -> Any:
    with files.parsing(f"{where}, {path.name}", ModelError):
        if path.suffix == ".mtx":
            _check_head(path, where)
            return sp.csr_matrix(scipy.io.mmread(path))
        return np.load(path) if path.suffix == ".npy" else sp.load_npz(path)


def _check_head(path: Path, where: str) -> None:
    """Refuse a file of Matrix Market whose head says more entries than its bytes can hold, before it is read."""
    rows, _, entries, kind, *_ = scipy.io.mminfo(path)
    size = path.stat().st_size
    least = BYTES_OF_ENTRY if kind == "array" else BYTES_OF_ENTRY_AT
    if entries * least > size:
        raise ModelError(
            f"{where}: the head of {path.name} says {entries} entries, which need {files.size_text(entries * least)}, "
            f"and the file has {files.size_text(size)}; it is cut short, or damaged"
        )
    check_memory(8.0 * (rows + 2.0 * entries), f"{rows} rows of {path.name}", "take another copy of the file", where)


@answers_calls
def read_calculix(job: str | Path) -> BodyMatrices:
    """Matrices that CalculiX wrote by `*FREQUENCY, SOLVER=MATRIXSTORAGE`: the files `job`.sti, .mas and .dof, and the
    nodes of `job`.inp with their sets, whose names are in capital letters.

    Coordinates that supports took away are missing there: a body to be reduced has none. Beams, shells and plane
    elements are refused: CalculiX makes solids of them, and its files do not say where the nodes of these are.

    >>> import tempfile
    >>> job = Path(tempfile.mkdtemp()) / "bar"
    >>> _ = job.with_suffix(".inp").write_text("*NODE\\n7, 0, 0, 0\\n9, 1, 0.5, 0\\n")
    >>> _ = job.with_suffix(".dof").write_text("7.1 7.2 7.3 9.1 9.2 9.3")
    >>> _ = job.with_suffix(".sti").write_text("1 1 5.0\\n1 4 -5.0\\n4 4 5.0\\n")
    >>> _ = job.with_suffix(".mas").write_text("".join(f"{k} {k} 2.0\\n" for k in range(1, 7)))
    >>> read_calculix(job).K.toarray()[3].tolist()
    [-5.0, 0.0, 0.0, 5.0, 0.0, 0.0]
    """
    base = files.path_from(job, "job", "read_calculix").with_suffix("")
    sources = [files.path_to_read(base.with_suffix(kind), "read_calculix") for kind in (".sti", ".mas", ".dof", ".inp")]
    where = f"read_calculix {base}"
    with files.parsing(where):
        numbers, directions = _coordinates(sources[2])
        places, sets = _inp_nodes(sources[3])
    n = len(numbers)
    missing = sorted(set(numbers) - set(places))
    if missing:
        raise ModelError(f"{where}: node {missing[0]} of {sources[2].name} is not in {sources[3].name}")
    if len(set(zip(numbers, directions, strict=True))) < n:
        pairs = list(zip(numbers, directions, strict=True))
        twice, along = next(pair for pair in pairs if pairs.count(pair) > 1)
        raise ModelError(
            f"{where}: {sources[2].name} has the coordinate {twice}.{along + 1} more than once: CalculiX made "
            "solids of beams, shells or plane elements, and does not say where their nodes are; give a job of solids"
        )
    own = sorted(set(numbers))
    index = {number: k for k, number in enumerate(own)}
    K, M = (_upper(path, n, where) for path in sources[:2])
    node_of = np.array([index[x] for x in numbers])
    named = {name: np.array([index[x] for x in members if x in index], dtype=int) for name, members in sets.items()}
    return BodyMatrices(
        K, M, np.array([places[x] for x in own]), node_of, np.array(directions), _by_number(own) | named
    )


def _coordinates(path: Path) -> tuple[list[int], list[int]]:
    """The node and the direction of each coordinate in a .dof file."""
    pairs = [line.split(".") for line in path.read_text(encoding="utf-8").split()]
    return [int(node) for node, _ in pairs], [int(direction) - 1 for _, direction in pairs]


def _by_number(numbers: Sequence[int]) -> dict[str, np.ndarray]:
    """Each node as a set by its number in a file."""
    return {str(number): np.array([k]) for k, number in enumerate(numbers)}


def _upper(path: Path, n: int, where: str) -> sp.csr_matrix:
    """A symmetric matrix of lines (row, column, value) of its upper triangle, counted from 1."""
    with files.parsing(f"{where}, {path.name}"):
        lines = checks.matrix(np.loadtxt(path, ndmin=2), "lines", path.name)
        if len(lines) and lines.shape[1] != 3:
            raise ModelError(f"{where}: lines of {path.name} have {lines.shape[1]} numbers; give row, column and value")
        row, column = (lines[:, k].astype(int) - 1 for k in (0, 1))
    if len(lines) and min(row.min(), column.min()) < 0:
        raise ModelError(f"{where}: {path.name} has a row or column below 1; it is damaged")
    if len(lines) and max(row.max(), column.max()) >= n:
        raise ModelError(f"{where}: {path.name} has {max(row.max(), column.max()) + 1} rows, and the .dof file {n}")
    A = sp.csr_matrix((lines[:, 2], (row, column)), shape=(n, n))
    return A + A.T - sp.diags(A.diagonal())


def _inp_nodes(path: Path) -> tuple[dict[int, tuple[float, float, float]], dict[str, list[int]]]:
    """Places of the nodes in an input file of CalculiX or Abaqus by their numbers, and its sets of nodes."""
    places: dict[int, tuple[float, float, float]] = {}
    sets: dict[str, list[int]] = {}
    for card, options, rows in _cards(path):
        own = sets.setdefault(options.get("NSET", ""), [])
        for row in rows if card in ("*NODE", "*NSET") else ():
            if card == "*NODE":
                parts = [*row, "0", "0"]
                places[int(row[0])] = (float(parts[1]), float(parts[2]), float(parts[3]))
                own.append(int(row[0]))
            elif "GENERATE" in options:
                first, last, step = (int(x) for x in (*row, "1")[:3])
                own += range(first, last + 1, step)
            else:
                for entry in row:
                    own += sets.get(entry.upper(), []) if not entry.isdigit() else [int(entry)]
    sets.pop("", None)
    return places, {name: sorted(set(numbers)) for name, numbers in sets.items() if numbers}


def _cards(path: Path) -> Iterator[tuple[str, dict[str, str], list[list[str]]]]:
    """The cards of an input file, each with its options and its rows of entries."""
    card = ""
    options: dict[str, str] = {}
    rows: list[list[str]] = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("**") or not line.strip():
            continue
        parts = [x.strip() for x in line.split(",")]
        if line.startswith("*"):
            yield card, options, rows
            card, rows = parts[0].upper(), []
            options = {k.strip().upper(): v.strip().upper() for k, _, v in (x.partition("=") for x in parts[1:])}
        else:
            rows.append([x for x in parts if x])
    yield card, options, rows


def pyyeti_nastran() -> ModuleType:
    """The readers of pyyeti, whose import leaves the way in which NumPy prints as it is."""
    try:
        with np.printoptions():
            import pyyeti.nastran
            import pyyeti.nastran.bulk
            import pyyeti.nastran.op2
            import pyyeti.nastran.op4
    except ImportError:
        raise MissingExtraError("files of Nastran need the package pyyeti: pip install 'flexmb[nastran]'") from None
    return pyyeti.nastran


@answers_calls
def read_nastran(
    matrices: str | Path, grids: str | Path, *, stiffness_name: str = "kaa", mass_name: str = "maa"
) -> BodyMatrices:
    """Matrices and nodes of Nastran, by pyyeti.

    Arguments: `matrices`, an .op4 or .op2 file, or a punch file with DMIG entries; `grids`, the .asm file of an
    external superelement, whose coordinates it lists, or a file of bulk data with GRID entries, each of which then has
    all six; the names `stiffness_name` and `mass_name` of both matrices.

    >>> import tempfile
    >>> nastran = pyyeti_nastran()
    >>> job = Path(tempfile.mkdtemp()) / "ball"
    >>> nastran.op4.write(str(job.with_suffix(".op4")), {"kaa": np.zeros((6, 6)), "maa": 2.0 * np.eye(6)})
    >>> nastran.bulk.wtgrids(str(job.with_suffix(".bdf")), [11], xyz=np.array([[0.5, 0.0, 0.0]]))
    >>> read_nastran(job.with_suffix(".op4"), job.with_suffix(".bdf")).nodes.tolist()
    [[0.5, 0.0, 0.0]]
    """
    nastran = pyyeti_nastran()
    source, places = (files.path_to_read(x, "read_nastran") for x in (matrices, grids))
    where = f"read_nastran {source}"
    for what, name in (("stiffness_name", stiffness_name), ("mass_name", mass_name)):
        checks.text(name, what, where)
    with files.parsing(where):
        found, index, tables = _nastran_matrices(nastran, source, stiffness_name)
    known = {name.lower(): value for name, value in found.items()}
    for name in (stiffness_name, mass_name):
        if name.lower() not in known:
            raise ModelError(
                f"{where}: it has no matrix {name!r}, only {', '.join(sorted(known)) or 'results'}{tables}; it needs "
                f"two matrices, as EXTSEOUT and DMIG write them, named {stiffness_name!r} and {mass_name!r}, or "
                "shapes and frequencies alone for from_modes"
            )
    K, M = (checks.matrix(known[name.lower()], name, where) for name in (stiffness_name, mass_name))
    with files.parsing(f"read_nastran {places}"):
        if places.suffix == ".asm":
            return _superelement(nastran, K, M, places)
        table = checks.matrix(nastran.bulk.rdgrids(str(places)), "grids", f"read_nastran {places}")
    if np.any(table[:, [1, 5]] != 0.0):
        turned = int(table[np.any(table[:, [1, 5]] != 0.0, axis=1)][0, 0])
        raise ModelError(f"{where}: grid {turned} has axes of its own; write it in the basic ones")
    table = table[np.argsort(table[:, 0])]
    number = {int(x): k for k, x in enumerate(table[:, 0])}
    if index is None:
        ids, directions = np.repeat(table[:, 0], 6).astype(int), np.tile(np.arange(6), len(table))
    else:
        ids, directions = (np.array([x[k] for x in index], dtype=int) for k in (0, 1))
        directions = directions - 1
    if len(ids) != K.shape[0]:
        raise ModelError(
            f"{where}: {stiffness_name} has {K.shape[0]} rows, and {len(table)} grids have {len(ids)} coordinates"
        )
    spoints = directions < 0
    missing = sorted({int(x) for x in ids[~spoints]} - set(number))
    if missing:
        raise ModelError(f"{where}: its grid {missing[0]} is not in {places.name}")
    node_of = np.array([-1 if alone else number[int(x)] for x, alone in zip(ids, spoints, strict=True)])
    named = _by_number([int(x) for x in table[:, 0]])
    return BodyMatrices(K, M, table[:, 2:5], node_of, np.where(spoints, GENERALIZED, directions), named)


def _nastran_matrices(nastran: ModuleType, source: Path, stiffness_name: str) -> tuple[dict[str, Any], Any, str]:
    """All matrices of a file by their names; the grids and directions of rows, if it has them; what a message says of
    its other tables."""
    if source.suffix == ".op4":
        return nastran.op4.read(str(source)), None, ""
    if source.suffix == ".op2":
        found = nastran.op2.rdmats(str(source))
        with nastran.op2.OP2(str(source)) as file:
            results = [name for name in file.dbnames if name not in found]
        return found, None, f"; its tables {', '.join(results)} are no matrices of the body" if results else ""
    entries = nastran.bulk.rddmig(str(source), square=True)
    index = next((t.index for name, t in entries.items() if name.lower() == stiffness_name.lower()), None)
    return {name: table.to_numpy() for name, table in entries.items()}, index, ""


def _superelement(nastran: ModuleType, K: np.ndarray, M: np.ndarray, path: Path) -> BodyMatrices:
    """Matrices of an external superelement, its grids turned into the basic axes."""
    uset = nastran.bulk.asm2uset(str(path))[0]
    ids = uset.index.get_level_values("id").to_numpy()
    directions = uset.index.get_level_values("dof").to_numpy()
    xyz = uset[["x", "y", "z"]].to_numpy()
    turn = np.eye(len(ids))
    nodes: list[np.ndarray] = []
    numbers: list[int] = []
    node_of = np.full(len(ids), -1)
    for first in np.flatnonzero(directions == 1):
        axes = xyz[first + 3 : first + 6]
        for k in (first, first + 3):
            turn[k : k + 3, k : k + 3] = axes
        node_of[first : first + 6] = len(nodes)
        nodes.append(xyz[first])
        numbers.append(int(ids[first]))
    order = np.where(directions > 0, directions - 1, GENERALIZED)
    return BodyMatrices(turn @ K @ turn.T, turn @ M @ turn.T, np.array(nodes), node_of, order, _by_number(numbers))
