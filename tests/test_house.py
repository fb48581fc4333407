"""Imports run down from room to room, and no files import one another in a circle, not even for types."""

from __future__ import annotations

import ast
import json
import pkgutil
import re
from graphlib import CycleError, TopologicalSorter

from numba.core.codegen import JITCodeLibrary
from numba.core.registry import CPUDispatcher

from flexmb.kernels.hooks.places import PLACES
from tests import house
from tests.house import (
    FILES,
    PICTURES,
    ROOMS,
    ROOT,
    VERBS,
    arrows_between_rooms,
    data_in_picture,
    inner,
    is_verb,
    picture_data,
    room_of,
    rooms_with_lines,
)

#: decorators of functions that become machine code
COMPILING = re.compile(r"^(compiled|allocation_free|unlocked|inlined|kernel|called)\b")

#: what Numba and llvmlite document for whoever extends or calls them
DOCUMENTED = re.compile(
    r"^(numba(\.[a-z]\w*)?|numba\.extending\.[A-Za-z]\w*|numba\.types\.\w+|numba\.core\.(cgutils|event)"
    r"|numba\.core\.errors\.\w+|numba\.core\.imputils\.impl_ret_borrowed|numba\.core\.typeconv\.Conversion"
    r"|numba\.core\.typing\.templates\.AttributeTemplate|numba\.core\.runtime\.rtsys|llvmlite(\.ir)?)$"
)


def test_every_room_is_in_the_list():
    assert all(any(f"{m}.".startswith(f"{room}.") for room in ROOMS) for m in FILES if m != "flexmb")


def test_imports_run_down():
    up = [
        f"{a} imports {b}"
        for a, b, where in inner()
        if ROOMS.index(room_of(b)) > ROOMS.index(room_of(a)) and not is_verb(a, b, where)
    ]
    assert not up, "\n".join(sorted(set(up)))


def test_no_circle_of_files():
    arrows: dict[str, set[str]] = {module: set() for module in FILES}
    for a, b, where in inner():
        if not is_verb(a, b, where):
            arrows[a].add(b)
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        raise AssertionError(" ← ".join(error.args[1])) from None


def test_verbs_close_circles_of_results_and_their_pictures_alone():
    """What a verb shows itself with knows no analysis and no solver, or those would be in a circle with all results."""

    def reached(start: str, arrows: list[tuple[str, str]]) -> set[str]:
        found, new = set(), {start}
        while new:
            found |= new
            new = {b for a, b in arrows if a in new} - found
        return found

    down = [(a, b) for a, b, _ in inner()]
    for module in VERBS:
        circle = reached(module, down) & reached(module, [(b, a) for a, b in down])
        assert len(circle) == 1 or {room_of(m) for m in circle} <= {"flexmb.results", "flexmb.visual"}, sorted(circle)


def test_what_waits_in_a_function_is_heavy():
    """Only packages that take long to import, and the rooms that import these, are imported late: no file of the house
    is, lest it hide a circle. The command line, over which there is nothing, imports what a command needs."""
    late = [
        f"{a}: {b} in {where}()"
        for a, b, where in inner()
        if where and a != "flexmb.cli" and not (room_of(b) in PICTURES and room_of(b) != room_of(a))
    ]
    assert not late, "\n".join(sorted(late))


def test_only_constants_count_from_the_end_of_arrays_in_compiled_functions():
    """Indices do not wrap around in them (:mod:`flexmb.kernels.hooks.typed_operators`); what is negative without a sign
    that one can read is found by the tests with checks of indices."""
    wrong = []
    texts = {module: file.read_text(encoding="utf-8") for module, file in FILES.items()}
    for module, text in texts.items():
        if not re.search(r"^\s*@" + COMPILING.pattern[1:], text, re.M):  # to parse a file takes longest
            continue
        functions = (f for f in ast.walk(ast.parse(text)) if isinstance(f, ast.FunctionDef))
        for function in functions:
            if not any(COMPILING.search(ast.unparse(decorator)) for decorator in function.decorator_list):
                continue
            places = (x.slice for x in ast.walk(function) if isinstance(x, ast.Subscript))
            for place in (one for x in places for one in (x.elts if isinstance(x, ast.Tuple) else [x])):
                negative = isinstance(place, ast.UnaryOp) and isinstance(place.op, ast.USub)
                if negative and not isinstance(place.operand, ast.Constant):
                    wrong.append(f"{module}, line {place.lineno}: {ast.unparse(place)}")
    assert not wrong, "\n".join(wrong)


def test_private_parts_of_numba_are_touched_by_the_hooks_alone():
    """Other files import what Numba documents, and ask its objects for nothing else."""
    hooked = {name for names in PLACES.values() for name in names} | set(dir(CPUDispatcher)) | set(dir(JITCodeLibrary))
    private = {name for name in hooked if re.match("_[^_]", name)}
    suspicious = re.compile(rf"\b(numba|llvmlite|{'|'.join(private)})\b")
    wrong = []
    for module, file in FILES.items():
        text = file.read_text(encoding="utf-8")
        if module.startswith("flexmb.kernels.hooks") or not suspicious.search(text):
            continue
        nodes = list(ast.walk(ast.parse(text)))
        own = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        own |= {x.attr for x in nodes if isinstance(x, ast.Attribute) and ast.unparse(x.value) == "self"}
        for node in nodes:
            if isinstance(node, ast.Attribute):
                names = [node.attr] if node.attr in private - own else []
            elif isinstance(node, ast.Import | ast.ImportFrom):
                room = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
                names = [room + alias.name for alias in node.names]
                names = [x for x in names if x.startswith(("numba.", "llvmlite.")) and not DOCUMENTED.search(x)]
            else:
                continue
            wrong += [f"{module}, line {node.lineno}: {name}" for name in names]
    assert not wrong, "\n".join(wrong)
    assert "_compiling_counter" in private


def test_tests_share_what_lies_above_them_or_among_the_models():
    """No test file is another one's library: what two of them use is a helper of a folder that they have in common."""
    wrong = []
    for importer, imported in house.imports_of_tests():
        room, _, name = imported.rpartition(".")
        shared = room == "tests.models" or f"{importer}.".startswith(f"{room}.")
        if name.startswith("test_") or not shared:
            wrong.append(f"{importer} imports {imported}")
    assert not wrong, "\n".join(wrong)


def test_pages_for_the_browser_are_no_strings_of_python():
    texts = {module: path.read_text(encoding="utf-8") for module, path in FILES.items()}
    assert not [module for module, text in texts.items() if re.search(r"<(html|style|script|canvas)\b", text)]


def test_a_file_is_one_idea_and_a_room_is_seen_at_a_glance():
    """Files of at most 400 lines, rooms of at most 15 files, no name twice in a tree of rooms. What is larger today may
    only shrink; what is mended leaves the list."""
    known = json.loads((ROOT / "tests" / "too_large.json").read_text(encoding="utf-8"))
    found = {"files": house.long_files(), "rooms": house.crowded_rooms()}
    found["names"] = {name: len(places) for name, places in house.twin_names().items()}
    for kind, today in found.items():
        grown = {name: (known[kind].get(name), size) for name, size in today.items() if size > known[kind].get(name, 0)}
        assert not grown, f"{kind} that are larger than they were, (before, now): {grown}"
        mended = sorted(known[kind].keys() - today)
        assert not mended, f"take these {kind} out of tests/too_large.json: {mended}"
    assert not [name for kind in known.values() for name in kind if "solvers" in name]


def test_numbers_at_the_top_of_solvers_have_their_reason_beside_them():
    """A comment above each constant of a method says what it is, and why it is no other number."""
    bare = []
    for module, file in FILES.items():
        if not module.startswith("flexmb.solvers."):
            continue
        text = file.read_text(encoding="utf-8")
        lines = text.splitlines()
        for node in ast.parse(text).body:
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            numbers = isinstance(value, ast.Constant | ast.Tuple | ast.Dict | ast.UnaryOp | ast.BinOp) and any(
                isinstance(x, ast.Constant) and type(x.value) in (int, float) for x in ast.walk(value)
            )
            if numbers and not lines[node.lineno - 2].startswith("#"):
                bare.append(f"{module}, line {node.lineno}: {lines[node.lineno - 1]}")
    assert not bare, "\n".join(bare)


def test_the_drawing_needs_what_there_is(tmp_path):
    assert all(ROOMS.index(a) > ROOMS.index(b) for a, b in arrows_between_rooms())
    house.draw(tmp_path / "rooms.png")
    assert (tmp_path / "rooms.png").stat().st_size > 10_000
    assert data_in_picture(tmp_path / "rooms.png") == picture_data()


def test_the_picture_in_the_readme_is_that_of_today():
    """Its rooms and arrows are those of the sources, and its lines of code differ from theirs by little."""
    data, lines = data_in_picture(ROOT / "examples" / "pictures" / "rooms.png"), rooms_with_lines()
    remedy = "draw it anew: python -m tests.house examples/pictures/rooms.png"
    assert "flexmb.formulations" in lines
    assert data["lines"].keys() == lines.keys(), remedy
    assert data["arrows"] == picture_data()["arrows"], remedy
    both = {room: (data["lines"][room], now) for room, now in lines.items()}
    assert not {room: (a, b) for room, (a, b) in both.items() if abs(a - b) > 100 + 0.1 * a}, remedy


def test_references_in_docstrings_lead_somewhere():
    reference = re.compile(r":(?:mod|func|class|meth|data|attr):`~?(flexmb[\w.]+)`")
    names = {name for path in FILES.values() for name in reference.findall(path.read_text(encoding="utf-8"))}
    assert len(names) > 50
    for name in names:
        pkgutil.resolve_name(name)
