"""The house as its imports show it: rooms in their order, and who imports whom. Run, it draws the rooms:

python -m tests.house examples/pictures/rooms.png
"""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: rooms and the files between them, the foundations first; a room imports from those before it
ROOMS = """
    flexmb.errors flexmb.interruption
    flexmb.kernels flexmb.algebra flexmb.model
    flexmb.joints flexmb.elements flexmb.forces
    flexmb.system flexmb.plots flexmb.results flexmb.control flexmb.planar flexmb.spatial
    flexmb.formulations flexmb.solvers
    flexmb.analyses flexmb.analyses.kinematics flexmb.analyses.statics flexmb.analyses.vibration flexmb.analyses.linear
    flexmb.analyses.sensitivity flexmb.control.design
    flexmb.studies flexmb.io flexmb.visual flexmb.testing
    flexmb.examples flexmb.validation flexmb.cli flexmb.__main__
""".split()
#: the verbs by which results show themselves: each calls up by one deferred line
VERBS = {"flexmb.results.shown": ("draw", "animate", "view"), "flexmb.analyses.vibration.mode_shapes": ("plot",)}
#: rooms that import matplotlib or pyvista
PICTURES = ("flexmb.plots", "flexmb.visual")


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts if parts[0] == "flexmb" else ("flexmb", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {_module(p): p for top in ("flexmb", "elements", "examples", "validation") for p in (ROOT / top).rglob("*.py")}


def imports() -> list[tuple[str, str, str]]:
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


def imports_of_tests() -> list[tuple[str, str]]:
    """(importing module, imported module) of the folder of tests."""
    paths = (ROOT / "tests").rglob("*.py")
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in paths}
    found = []
    for module, path in modules.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "tests":
                names = {f"{node.module}.{alias.name}" for alias in node.names}
                found += [(module, name) for name in sorted({n if n in modules else node.module for n in names})]
            elif isinstance(node, ast.Import):
                found += [(module, alias.name) for alias in node.names if alias.name in modules]
    return found


@cache
def inner() -> list[tuple[str, str, str]]:
    """Imports of files of the house by one another, found once: whoever asks for files alone does not read them."""
    return [(a, b, where) for a, b, where in imports() if b in FILES and b not in (a, "flexmb")]


def room_of(module: str) -> str:
    return max((room for room in ROOMS if f"{module}.".startswith(f"{room}.")), key=len)


def is_verb(importer: str, imported: str, where: str) -> bool:
    """Whether an import is a call from below to above, which only the verbs of results may make."""
    return where in VERBS.get(importer, ()) and imported.startswith("flexmb.visual.")


def arrows_between_rooms() -> set[tuple[str, str]]:
    """(importing room, imported room), without those that follow from others."""
    found = {(room_of(a), room_of(b)) for a, b, where in inner() if not is_verb(a, b, where)}
    found = {(a, b) for a, b in found if a != b}
    beyond = {room: {b for a, b in found if a == room} for room in ROOMS}
    for room in ROOMS:  # the foundations first: what these reach is known
        for below in list(beyond[room]):
            beyond[room] |= beyond[below]
    return {(a, b) for a, b in found if not any(b in beyond[c] for x, c in found if x == a and c != b)}


def draw(path: Path) -> None:
    """The rooms from the foundations up, with the lines of code in each and arrows to what they stand on."""
    from matplotlib.figure import Figure

    from flexmb.plots.figures import colours, on_background

    files = {room: [file for m, file in FILES.items() if m != "flexmb" and room_of(m) == room] for room in ROOMS}
    outside = ("flexmb.examples", "flexmb.validation")  # they use the public names, as users do
    shown = [r for r in ROOMS if r not in outside and len(files[r]) > 1]
    arrows = [(a, b) for a, b in sorted(arrows_between_rooms()) if a in shown and b in shown]
    floor: dict[str, int] = {}
    for room in shown:
        floor[room] = 1 + max((floor[b] for a, b in arrows if a == room), default=-1)
    place: dict[str, tuple[float, float]] = {}
    for level in range(max(floor.values()) + 1):
        row = [room for room in shown if floor[room] == level]
        # each room near the middle of those that it stands on
        middle = {room: [place[b][0] for a, b in arrows if a == room] or [0.0] for room in row}
        row.sort(key=lambda room: sum(middle[room]) / len(middle[room]))
        for k, room in enumerate(row):
            place[room] = (2.6 * (k - 0.5 * (len(row) - 1)), float(level))
    with on_background("light"):
        ink, quiet, *_ = colours()
    figure = Figure(figsize=(7.5, 9.0), layout="constrained")
    ax = figure.subplots()
    for a, b in arrows:
        (xa, ya), (xb, yb) = place[a], place[b]
        bend = 0.0 if abs(ya - yb) < 1.5 else 0.2 if xa <= xb else -0.2
        style = {"arrowstyle": "-|>", "color": quiet, "linewidth": 0.9, "connectionstyle": f"arc3,rad={bend}"}
        ax.annotate("", (xb, yb + 0.3), (xa, ya - 0.3), arrowprops=style)
    for room, (x, y) in place.items():
        lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files[room])
        text = f"{room.removeprefix('flexmb.').replace('.', ' · ')}\n{lines:,} lines"
        ax.text(
            x, y, text, ha="center", va="center", color=ink, fontsize=9,
            bbox={"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": ink, "linewidth": 0.9},
        )  # fmt: skip
    ax.set_xlim(-5.0, 5.0)
    ax.set_ylim(-0.6, max(floor.values()) + 0.6)
    ax.set_axis_off()
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
