"""The package as a newcomer meets it: import, names, documentation that runs."""

from __future__ import annotations

import doctest
import importlib
import inspect
import itertools
import pkgutil
import re
import rlcompleter
import subprocess
import sys
from pathlib import Path

import pytest

import flexmb
from docs.tools.pages import blocks
from flexmb import errors

ROOT = Path(__file__).parent.parent
#: rooms with public names of their own
FACES = ("planar", "spatial", "bodies", "control", "environments", "formulations", "errors")


def _modules():
    names = ["flexmb"]
    for name in ("flexmb", "flexmb.elements", "flexmb.examples", "flexmb.validation"):
        package = importlib.import_module(name)
        for found in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not found.name.endswith("__main__"):
                names.append(found.name)
    return sorted(set(names))


def test_import_is_light():
    code = (
        "import sys, flexmb; print([m for m in ('numba', 'scipy', 'numpy', 'matplotlib', 'h5py') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_the_source_that_is_not_installed_says_so():
    """As where Python is started in the folder of the source, and another one is installed."""
    code = "import sys; sys.meta_path = [x for x in sys.meta_path if 'editable' not in repr(x).lower()]; import flexmb"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert "ImportError: flexmb: " in result.stderr and "start Python in another folder" in result.stderr


@pytest.mark.parametrize("name", flexmb.__all__)
def test_public_names_exist_and_are_documented(name):
    value = getattr(flexmb, name)
    if name == "__version__":
        return
    text = (value.__doc__ or "").strip()
    assert text and not text.startswith(f"{name}(")  # a dataclass without a docstring has its signature there


@pytest.mark.parametrize("room", FACES)
def test_names_of_rooms_are_sorted_and_documented(room):
    room = getattr(flexmb, room)
    own = [name for name, x in vars(room).items() if isinstance(x, type) and x.__module__ == room.__name__]
    names = getattr(room, "__all__", own)
    for name in names:
        text = (getattr(room, name).__doc__ or "").strip()
        assert text and not text.startswith(f"{name}("), name
    assert set(names) <= set(dir(room)) and f"    {room.__name__.partition('.')[2]} " in flexmb.__doc__


def test_few_names_stand_at_the_top():
    """What most scripts type; the same thing has one name in the plane and in space."""
    assert len(flexmb.__all__) <= 152
    assert not [name for name in (*flexmb.planar.__all__, *flexmb.spatial.__all__) if re.match("Planar|Spatial", name)
                and name not in ("PlanarModel", "SpatialModel", "PlanarJoint")]  # fmt: skip


def test_public_names_are_sorted_by_room_and_each_room_says_what_is_in_it():
    head, faces, *rooms, version = (ROOT / "flexmb" / "__init__.pyi").read_text().split("\n\n")
    assert head.startswith("# ") and version == "__version__: str\n"
    names = [re.fullmatch(r"from \. import (\w+) as \1", line)[1] for line in faces.splitlines()]
    assert names == sorted(FACES)
    order = []
    for room in rooms:
        comment, *lines = room.splitlines()
        order.append(comment[2:].partition(": ")[0])
        assert re.fullmatch(r"# \w+: .+", comment) and lines
        found = [re.fullmatch(rf"from (\.{order[-1]}(?:\.\w+)*) import (\w+) as \2", line) for line in lines]
        assert all(found), comment
        modules = [match[1] for match in found]
        assert modules == sorted(modules), comment
        names += [match[2] for match in found]
    assert order == sorted(set(order))
    assert sorted(names) == sorted(set(names)) == sorted(set(flexmb.__all__) - {"__version__"})


def test_every_error_and_warning_is_public():
    kinds = {
        name: kind
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, Exception) and kind.__module__ == errors.__name__
    }
    assert {"FlexmbError", "ModelError", "AccuracyWarning"} <= kinds.keys()
    assert all(getattr(flexmb.errors, name) is kind for name, kind in kinds.items())


def _one_letter_apart(a, b):
    """Whether at most one letter that is put in, left out or changed makes one name of the other; capitals are small
    letters here, and underscores are left out."""
    a, b = sorted([a.lower().replace("_", ""), b.lower().replace("_", "")], key=len)
    if len(b) - len(a) > 1:
        return False
    k = next((k for k, (x, y) in enumerate(zip(a, b)) if x != y), len(a))
    return a[k + 1 :] == b[k + 1 :] if len(a) == len(b) else a[k:] == b[k + 1 :]


def test_no_two_public_names_are_one_letter_apart():
    assert _one_letter_apart("sample", "sampled") and _one_letter_apart("Gear", "gears")
    assert _one_letter_apart("EquilibriumPath", "equilibrium_path") and _one_letter_apart("Joint", "Point")
    assert not _one_letter_apart("Motion", "Motor") and not _one_letter_apart("load", "equilibrium_path")
    for a, b in itertools.combinations(sorted(flexmb.__all__), 2):
        # a room, which cannot be called, may have the plural of the function that chooses from it
        if _one_letter_apart(a, b) and not (inspect.ismodule(getattr(flexmb, b)) and b == f"{a}s"):
            # the one reason for such a pair: a function, and the class, with capitals, of what it gives
            assert a.lower() == b.replace("_", ""), (a, b)
            assert inspect.isclass(getattr(flexmb, a)) and inspect.isfunction(getattr(flexmb, b)), (a, b)
            assert inspect.signature(getattr(flexmb, b)).return_annotation == a, (a, b)


def test_names_are_completed_and_wrong_ones_corrected():
    assert sorted(dir(flexmb)) == sorted(flexmb.__all__)
    assert rlcompleter.Completer({"fm": flexmb}).attr_matches("fm.PlanarM")[0].startswith("fm.PlanarModel")
    result = subprocess.run([sys.executable, "-c", "import flexmb; flexmb.Circel"], capture_output=True, text=True)
    assert result.returncode == 1
    assert re.search(r"UnknownAttributeError: flexmb: .*'Circel' .did you mean 'Circle'", result.stderr.strip())


def test_rooms_that_are_no_names_are_imported_by_their_own():
    code = "from flexmb import elements, examples, testing, validation; print(testing.conformance.__name__)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "conformance"


@pytest.mark.parametrize("name", _modules())
def test_docstring_examples_run(name):
    module = importlib.import_module(name)
    assert module.__doc__ and module.__doc__.strip()
    result = doctest.testmod(module)
    assert result.failed == 0
    # none is passed over, as those of an object that doctest does not look into would be
    assert result.attempted == inspect.getsource(module).count(">>> ")


README = (ROOT / "README.md").read_text(encoding="utf-8")
#: the page that has the component of a user's own
COMPONENTS = (ROOT / "docs" / "how-to" / "components.md").read_text(encoding="utf-8")


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 150


def test_the_readme_has_two_commands_each_alone_in_its_block():
    blocks = re.findall(r"```sh\n(.*?)```", README, re.S)
    demo, tests = [block.removesuffix("\n") for block in blocks]
    assert demo == "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/flexmb demo"
    assert tests.startswith(
        "python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]' && .venv/bin/python -m pytest"
    )
    assert "\n" not in tests


def test_pictures_of_the_readme_are_there_and_small():
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", README)
    assert pictures
    for picture in pictures:
        assert 10_000 < (ROOT / picture).stat().st_size < 200_000


def test_the_ten_lines_of_the_readme_run(capsys, tmp_path, monkeypatch):
    (block,) = blocks(README)
    assert len(block.code.splitlines()) <= 10
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(block.code, "README.md", "exec"), names)
    assert capsys.readouterr().out.count("balance error") == 1
    solution = names["solution"]
    assert solution.trustworthy and solution["rod.end"].position[-1] == pytest.approx([0.0674, -0.9970], abs=1e-4)
    # what the sentence behind it names
    for call in re.findall(r"`((?:solution|fm)\.[^`]+)`", README):
        if call.startswith("solution.") or "load" in call:
            eval(call, names)
    assert {path.name for path in tmp_path.iterdir()} >= {"swing.png", "swing.gif", "swing.h5"}


def test_a_run_whose_kernels_are_kept_prepares_neither_the_compiler_nor_scipys_matrices():
    (block,) = blocks(README)
    names = "numba.np.npyimpl", "scipy.sparse", "scipy.linalg"
    asked = f"import sys; print([name for name in {names} if name in sys.modules])"
    script = [sys.executable, "-c", f"{block.code}\n{asked}"]
    for _ in range(2):  # the first may compile
        run = subprocess.run(script, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]" and not run.stderr


def _component():
    """The block of a user's own component."""
    return next(block.code for block in blocks(COMPONENTS) if "class CubicDrag" in block.code)


def test_the_component_of_the_page_runs_and_passes_the_conformance_suite(tmp_path):
    script = tmp_path / "drag.py"
    script.write_text(_component() + "\nfrom flexmb.testing import conformance\nconformance(model)\n")
    result = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert float(result.stdout.split()[-1]) == pytest.approx(10 / 5**0.5, abs=1e-4)


def test_kernels_may_be_typed_in_at_a_prompt():
    result = subprocess.run([sys.executable, "-"], input=_component(), capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert float(result.stdout.split()[-1]) == pytest.approx(10 / 5**0.5, abs=1e-4)
