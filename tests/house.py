"""The house as its imports show it: rooms in their order, and who imports whom. Run, it draws the rooms:

python -m tests.house examples/pictures/rooms.png
"""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

ROOT = Path(__file__).parent.parent
#: rooms and the files between them, the foundations first; a room imports from those before it
ROOMS = """
    flexmb.errors flexmb.machine
    flexmb.kernels flexmb.algebra flexmb.model flexmb.bodies
    flexmb.joints flexmb.elements flexmb.forces
    flexmb.system flexmb.quantities flexmb.plots flexmb.results flexmb.feedback flexmb.planar flexmb.spatial
    flexmb.formulations flexmb.parameters
    flexmb.solvers.statuses
    flexmb.solvers.rows flexmb.solvers.events flexmb.solvers.coordinates flexmb.solvers.start flexmb.solvers.runs
    flexmb.solvers.changes flexmb.solvers.march flexmb.solvers.methods flexmb.solvers.binding flexmb.solvers
    flexmb.analyses flexmb.analyses.kinematics flexmb.analyses.statics flexmb.analyses.vibration flexmb.analyses.linear
    flexmb.analyses.sensitivity flexmb.control
    flexmb.studies flexmb.batches flexmb.io flexmb.visual flexmb.environments flexmb.testing
    flexmb.examples flexmb.validation flexmb.cli flexmb.__main__
""".split()
#: most lines of a file, and most files of a room
LONGEST, MOST_FILES = 400, 15
#: the verbs by which results show themselves: each calls up by one deferred line
VERBS = {
    "flexmb.results.pictures.shown": ("draw", "animate", "small_drawing", "view"),
    "flexmb.analyses.vibration.mode_shapes": ("plot",),
    "flexmb.bodies.measured_modes": ("plot",),
}
#: rooms that import matplotlib or pyvista
PICTURES = ("flexmb.plots", "flexmb.visual")
#: rooms that the picture leaves out, since they use the public names, as users do
OUTSIDE = ("flexmb.examples", "flexmb.validation")
#: name of the text in the picture's file that holds what was drawn
DATA = "rooms"
#: widths in the picture of a room and of an arrow that passes by, and half the height of a room, in floors
ROOM_WIDTH, ARROW_WIDTH, HALF_HEIGHT = 2.3, 0.35, 0.32

#: a room, or an arrow on a floor between its ends: (from, to, floor)
Place = str | tuple[str, str, int]
Point = tuple[float, float]


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts if parts[0] == "flexmb" else ("flexmb", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {_module(p): p for top in ("flexmb", "elements", "examples", "validation") for p in (ROOT / top).rglob("*.py")}
#: a thing that is imported when a user chooses it, as :class:`flexmb.machine.late_names.Choice` names it
CHOICE = re.compile(r"flexmb(\.\w+)+:\w+")


def imports() -> list[tuple[str, str, str]]:
    """(importing module, imported module, function in which the import stands, '' outside of all); what is imported
    only when it is first used, by its place or by the stub of a room, counts as imported outside of all."""
    found = []

    def visit(node: ast.AST, module: str, inside: str) -> None:
        for child in ast.iter_child_nodes(node):
            names = []
            if isinstance(child, ast.Import):
                names = [alias.name for alias in child.names]
            elif isinstance(child, ast.ImportFrom):
                base = child.module or ""
                if child.level:  # the file is the __init__ of a room, or its stub
                    base = importlib.util.resolve_name("." * child.level + base, module)
                names = [f"{base}.{alias.name}" for alias in child.names]
            elif isinstance(child, ast.Constant) and CHOICE.fullmatch(str(child.value)):
                found.append((module, child.value.partition(":")[0], ""))
            for name in names:
                if name.split(".")[0] == "flexmb":
                    while name not in FILES:
                        name = name.rpartition(".")[0]
                found.append((module, name, inside))
            deeper = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            visit(child, module, child.name if deeper else inside)

    for module, path in FILES.items():
        for file in (path, path.with_suffix(".pyi")):
            if file.exists():
                visit(ast.parse(file.read_text(encoding="utf-8")), module, "")
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
    """Imports of files of the house by one another, found once: whoever asks for files alone does not read them. The
    package itself, which offers names of all rooms, is in none."""
    return [(a, b, where) for a, b, where in imports() if b in FILES and b != a and "flexmb" not in (a, b)]


def long_files() -> dict[str, int]:
    """Lines of the files that are longer than one idea."""
    lines = {m: len(path.read_text(encoding="utf-8").splitlines()) for m, path in FILES.items()}
    return {module: count for module, count in sorted(lines.items()) if count > LONGEST}


def crowded_rooms() -> dict[str, int]:
    """Files in the rooms that have more than are seen at a glance, by folder."""
    files = (path for path in FILES.values() if path.name != "__init__.py")
    count = Counter(path.parent.relative_to(ROOT).as_posix() for path in files)
    return {room: number for room, number in sorted(count.items()) if number > MOST_FILES}


def twin_names() -> dict[str, list[str]]:
    """Files of one name in one tree of rooms, by tree and name; one for the plane beside one for space, or beside what
    both share, is no twin."""
    places: dict[str, set[str]] = {}
    for module in FILES:
        parts = [part for part in module.split(".")[1:] if part not in ("planar", "spatial")]
        if len(parts) > 1 and FILES[module].name != "__init__.py":
            places.setdefault(f"{parts[0]}: {parts[-1]}", set()).add(".".join(parts))
    return {name: sorted(found) for name, found in sorted(places.items()) if len(found) > 1}


def room_of(module: str) -> str:
    return max((room for room in ROOMS if f"{module}.".startswith(f"{room}.")), key=len)


def is_verb(importer: str, imported: str, where: str) -> bool:
    """Whether an import is a call from below to above, which only the verbs of results may make."""
    return where in VERBS.get(importer, ()) and imported.startswith(("flexmb.visual.", "flexmb.plots."))


def arrows_between_rooms() -> set[tuple[str, str]]:
    """(importing room, imported room), without those that follow from others."""
    found = {(room_of(a), room_of(b)) for a, b, where in inner() if not is_verb(a, b, where)}
    found = {(a, b) for a, b in found if a != b}
    beyond = {room: {b for a, b in found if a == room} for room in ROOMS}
    for room in ROOMS:  # the foundations first: what these reach is known
        for below in list(beyond[room]):
            beyond[room] |= beyond[below]
    return {(a, b) for a, b in found if not any(b in beyond[c] for x, c in found if x == a and c != b)}


def rooms_with_lines() -> dict[str, int]:
    """The lines of code in each room of several files, but for those outside that use the public names as users do."""
    every = [(m, file) for m, path in FILES.items() for file in (path, path.with_suffix(".pyi")) if file.exists()]
    files = {room: [file for m, file in every if m != "flexmb" and room_of(m) == room] for room in ROOMS}
    shown = [room for room in ROOMS if room not in OUTSIDE and len(files[room]) > 1]
    return {room: sum(len(f.read_text(encoding="utf-8").splitlines()) for f in files[room]) for room in shown}


def picture_data() -> dict[str, Any]:
    """What the picture of the rooms shows: lines of code, rounded to hundreds, and arrows."""
    lines = rooms_with_lines()
    arrows = [[a, b] for a, b in sorted(arrows_between_rooms()) if a in lines and b in lines]
    return {"lines": {room: round(count, -2) for room, count in lines.items()}, "arrows": arrows}


def data_in_picture(path: Path) -> dict[str, Any]:
    """The data from which a picture was drawn, as they stand in it; nothing in another picture."""
    with Image.open(path) as image:
        return json.loads(image.info.get(DATA, '{"lines": {}, "arrows": []}'))


def _layout(arrows: list[list[str]], rooms: Iterable[str]) -> tuple[dict[Place, Point], list[list[Place]]]:
    """Where rooms stand, each one floor above the highest that it stands on, and the places through which arrows go.

    An arrow over several floors has a place of its own, (from, to, floor), on each floor between, so that it passes by
    the rooms there. In each row, places go as near to the middle of those above and below as their widths allow.
    """
    floor: dict[str, int] = {}
    for room in rooms:
        floor[room] = 1 + max((floor[b] for a, b in arrows if a == room), default=-1)
    routes: list[list[Place]] = [
        [a, *((a, b, k) for k in range(floor[a] - 1, floor[b], -1)), b] for a, b in map(tuple, arrows)
    ]
    height = {place: floor[place] if isinstance(place, str) else place[2] for route in routes for place in route}
    beside: dict[Place, list[Place]] = {place: [] for place in height}
    for route in routes:
        for upper, lower in pairwise(route):
            beside[upper].append(lower)
            beside[lower].append(upper)
    rows = [[place for place in height if height[place] == level] for level in range(max(floor.values()) + 1)]
    x: dict[Place, float] = {place: float(k) for row in rows for k, place in enumerate(row)}
    for sweep in range(40):
        for row in rows if sweep % 2 else rows[::-1]:
            wish = {place: float(np.mean([x[other] for other in beside[place]])) for place in row}
            if sweep < 30:  # later the order stays
                row.sort(key=wish.__getitem__)
            half = [0.5 * (ROOM_WIDTH if isinstance(place, str) else ARROW_WIDTH) for place in row]
            left, right = [wish[place] for place in row], [wish[place] for place in row]
            for k in range(1, len(row)):
                left[k] = max(left[k], left[k - 1] + half[k - 1] + half[k])
                right[-1 - k] = min(right[-1 - k], right[-k] - half[-k] - half[-1 - k])
            x.update({place: 0.5 * (a + b) for place, a, b in zip(row, left, right)})
    return {place: (x[place], float(height[place])) for place in height}, routes


def draw(path: Path) -> None:
    """The rooms from the foundations up, with the lines of code in each and arrows to what they stand on."""
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path as Line

    from flexmb.plots.figures import colors, on_background

    data = picture_data()
    places, routes = _layout(data["arrows"], data["lines"])
    with on_background("light"):
        ink, quiet, *_ = colors()
    figure = Figure(figsize=(7.5, 10.0), layout="constrained")
    ax = figure.subplots()
    for route in routes:
        points = [places[place] for place in route]
        points[0] = (points[0][0], points[0][1] - HALF_HEIGHT)
        points[-1] = (points[-1][0], points[-1][1] + HALF_HEIGHT)
        steep = [points[0]]
        for (xa, ya), (xb, yb) in pairwise(points):  # each piece leaves and arrives upright
            steep += [(xa, 0.5 * (ya + yb)), (xb, 0.5 * (ya + yb)), (xb, yb)]
        curve = Line(steep, [Line.MOVETO] + [Line.CURVE4] * (len(steep) - 1))
        ax.add_patch(
            FancyArrowPatch(path=curve, arrowstyle="-|>", mutation_scale=9, color=quiet, linewidth=0.9, zorder=1)
        )
    for room, lines in data["lines"].items():
        text = f"{room.removeprefix('flexmb.').replace('.', ' · ')}\n{lines:,} lines"
        ax.text(
            *places[room], text, ha="center", va="center", color=ink, fontsize=8,
            bbox={"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": ink, "linewidth": 0.9},
        )  # fmt: skip
    xs, ys = zip(*places.values())
    ax.set_xlim(min(xs) - 0.5 * ROOM_WIDTH, max(xs) + 0.5 * ROOM_WIDTH)
    ax.set_ylim(-0.5, max(ys) + 0.5)
    ax.set_axis_off()
    figure.savefig(path, dpi=110, metadata={DATA: json.dumps(data)})


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
