"""The house: imports run down from room to room, and no files import one another in a circle, not even for types."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: rooms and the files between them, the foundations first; a room imports from those before it
ROOMS = """
    flexmb.errors flexmb.interruption
    flexmb.kernels flexmb.algebra flexmb.model
    flexmb.joints flexmb.elements flexmb.forces
    flexmb.system flexmb.plots flexmb.results flexmb.control flexmb.planar flexmb.solvers
    flexmb.analyses flexmb.analyses.statics flexmb.analyses.kinematics flexmb.analyses.vibration flexmb.analyses.linear
    flexmb.analyses.sensitivity flexmb.control.design
    flexmb.studies flexmb.io flexmb.visual flexmb.testing
    flexmb.examples flexmb.validation flexmb.cli flexmb.__main__
""".split()
#: the verbs by which a result shows itself call up, by one deferred line each
VERBS = ("plot", "draw", "animate", "view")
#: what takes long to import and is imported where it is used
HEAVY = "matplotlib pyvista vtk meshio meshlane h5py sksundae imageio imageio_ffmpeg PIL pandas xarray control rich"


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts if parts[0] == "flexmb" else ("flexmb", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {_module(p): p for top in ("flexmb", "elements", "examples", "validation") for p in (ROOT / top).rglob("*.py")}


def _imports() -> list[tuple[str, str, str]]:
    """(importing module, imported module, function in which the import stands, '' outside of all)."""
    found = []

    def visit(node: ast.AST, module: str, inside: str) -> None:
        for child in ast.iter_child_nodes(node):
            names = []
            if isinstance(child, ast.Import):
                names = [alias.name for alias in child.names]
            elif isinstance(child, ast.ImportFrom):
                base = child.module or ""
                if child.level:  # FILES[module] is an __init__
                    base = f"{module}.{base}".strip(".")
                names = [f"{base}.{alias.name}" for alias in child.names]
            for name in names:
                if name.split(".")[0] == "flexmb":
                    while name not in FILES:
                        name = name.rpartition(".")[0]
                found.append((module, name, inside))
            deeper = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            visit(child, module, child.name if deeper else inside)

    for module, path in FILES.items():
        visit(ast.parse(path.read_text(encoding="utf-8")), module, "")
    return found


IMPORTS = _imports()
INNER = [(a, b, where) for a, b, where in IMPORTS if b in FILES and b not in (a, "flexmb")]


def _room(module: str) -> str:
    return max((room for room in ROOMS if f"{module}.".startswith(f"{room}.")), key=len)


def _is_verb(importer: str, imported: str, where: str) -> bool:
    return where.startswith(VERBS) and imported.startswith(("flexmb.plots", "flexmb.visual"))


def test_every_room_is_in_the_list():
    assert all(any(f"{m}.".startswith(f"{room}.") for room in ROOMS) for m in FILES if m != "flexmb")


def test_imports_run_down():
    up = [
        f"{a} imports {b}"
        for a, b, where in INNER
        if ROOMS.index(_room(b)) > ROOMS.index(_room(a)) and not _is_verb(a, b, where)
    ]
    assert not up, "\n".join(sorted(set(up)))


def test_no_circle_of_files():
    arrows: dict[str, set[str]] = {module: set() for module in FILES}
    for a, b, where in INNER:
        if not _is_verb(a, b, where):
            arrows[a].add(b)
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        raise AssertionError(" ← ".join(error.args[1])) from None


def test_what_waits_in_a_function_is_heavy():
    heavy = HEAVY.split()
    early = [
        f"{a}: {b} in {where}()"
        for a, b, where in IMPORTS
        if where and not _is_verb(a, b, where) and b.split(".")[0] not in heavy
    ]
    assert not early, "\n".join(sorted(early))
