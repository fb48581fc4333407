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

import numpy as np
import pytest

import flexmb
from flexmb import errors

ROOT = Path(__file__).parent.parent
#: rooms with public names of their own
FACES = ("planar", "spatial", "control", "errors")


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
    names = getattr(room, "__all__", None) or [name for name, x in vars(room).items() if isinstance(x, type)]
    for name in names:
        text = (getattr(room, name).__doc__ or "").strip()
        assert text and not text.startswith(f"{name}("), name
    assert set(names) <= set(dir(room)) and f"    {room.__name__.partition('.')[2]} " in flexmb.__doc__


def test_few_names_stand_at_the_top():
    """What most scripts type; the same thing has one name in the plane and in space."""
    assert len(flexmb.__all__) <= 120
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
        if _one_letter_apart(a, b):
            # the one reason for such a pair: a function, and the class, with capitals, of what it gives
            assert a.lower() == b.replace("_", ""), (a, b)
            assert inspect.isclass(getattr(flexmb, a)) and inspect.isfunction(getattr(flexmb, b)), (a, b)
            assert inspect.signature(getattr(flexmb, b)).return_annotation == a, (a, b)


def test_names_are_completed_and_wrong_ones_corrected():
    assert sorted(dir(flexmb)) == sorted(flexmb.__all__)
    assert rlcompleter.Completer({"fm": flexmb}).attr_matches("fm.PlanarM")[0].startswith("fm.PlanarModel")
    result = subprocess.run([sys.executable, "-c", "import flexmb; flexmb.Circel"], capture_output=True, text=True)
    assert result.returncode == 1
    assert re.search(r"AttributeError: .*Circel.*Did you mean: 'Circle'\?$", result.stderr.strip())


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


def _readme_blocks():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert len(blocks) == 20
    return blocks


def test_the_readme_has_two_commands_each_alone_in_its_block():
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    demo, tests = [block.removesuffix("\n") for block in blocks]
    assert demo == "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/flexmb demo"
    assert tests.startswith(
        "python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]' && .venv/bin/python -m pytest"
    )
    assert "\n" not in tests


def test_pictures_of_the_readme_are_there_and_small():
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", (ROOT / "README.md").read_text())
    assert pictures
    for picture in pictures:
        assert 10_000 < (ROOT / picture).stat().st_size < 200_000


def test_the_examples_of_the_readme_run_one_after_the_other(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in _readme_blocks()[:-1]:
        exec(compile(block, "README.md", "exec"), names)
    assert capsys.readouterr().out.count("balance error") == 3
    assert (tmp_path / "swing.h5").is_file()
    # the rod starts level and at rest: the hinge carries part of the weight and nothing sideways
    weight = 9.81 * (1100 * 3.141592653589793 * 0.01**2 + 0.05)
    assert names["force"][0] == pytest.approx([0.0, names["solution"]["hinge.fy"][0]], abs=1e-6 * weight)
    assert 0.0 < names["force"][0, 1] < weight
    assert names["again"]["rod@0.5.y"] == pytest.approx(names["solution"]["rod@0.5.y"], abs=1e-12)
    # at rest it carries all of the weight; the mast buckles at Euler's load
    assert names["rest"]["hinge.fy"] == pytest.approx(weight, rel=1e-9)
    assert names["buckling"].factor == pytest.approx(3.141592653589793**2 / 4 * 5e7 * 7.853981634e-9, rel=1e-3)
    assert names["bent"].stable[-1]
    assert {"swing.png", "swing.html", "swing"} <= {path.name for path in tmp_path.iterdir()}
    swings = np.sqrt(1.5 * 9.81 / names["study"]["length"]) / (2.0 * np.pi)  # of a rigid rod
    assert names["study"]["frequency"] == pytest.approx(swings, rel=1e-3)
    assert np.linalg.norm(names["spun"]["top"].position[-1]) == pytest.approx(1.0, abs=1e-9)
    orbit = np.linalg.norm(names["run"]["hull"].position, axis=1)
    assert orbit == pytest.approx(names["radius"], abs=0.5) and names["run"].energy.error < 1e-8
    # m g r, C and A of the disk, and the speed at which it turns
    weight, polar, across, turning = 9.81 * 0.5, 0.125, 0.0625 + 0.01**2 / 12.0, 2.6
    wobble = np.sqrt((polar * (polar + 0.25) * turning**2 / across - weight) / (across + 0.25))
    assert np.max(names["ahead"].poles.imag) == pytest.approx(wobble, rel=1e-9)
    assert len(names["ahead"]) == 4
    # the door comes to its latch with the energy of its closer, and has nothing left behind it
    assert names["shut"].lost == pytest.approx(0.5 * 5.0 * (1.2**2 - 0.2**2), rel=1e-3)
    assert names["shut"].impulses["latch"][1] == pytest.approx(-7.0, rel=1e-3)
    assert 1.0 < names["night"]["door.angle"][-1] < 1.1
    # the parallelogram is laid flat again and again, and keeps its energy
    assert names["flat"] == pytest.approx([0.3143, 0.9428, 1.5713, 2.1999, 2.8284], abs=1e-4)
    assert np.ptp(names["motion"].energy.total) < 1e-8
    # the ball touches the floor, and the buffer holds the gate
    assert names["bounces"]["floor"].gap.min() < 0.0 < names["bounces"]["floor"].normal_force.max()
    assert names["bounces"]["buffer"].value.max() == pytest.approx(1.2, abs=0.05) and names["bounces"].trustworthy
    # the arm turns about its column, and falls
    assert names["robot"].positions(names["thrown"])["joint1"][-1] > 0.1 > names["robot"].positions()["joint1"]
    # the blade bends, lifted, and its shaft has turned as it is driven
    turned = names["turned"]
    angle = 6.0 * (0.5**2 - (1.0 - np.cos(np.pi)) / (2.0 * np.pi**2))
    np.testing.assert_allclose(turned["hub"].rotation_vector[-1], [0.0, 0.0, angle], atol=1e-6)
    assert turned.trustworthy and turned["blade@0.1.stress"].max() > 1e6
    # the drives that a motion needs are those that make it
    motion = (names[x] for x in ("q", "v", "vdot"))
    assert names["dynamics"].drives(*motion) == pytest.approx(names["tau"], abs=1e-12)
    assert names["folding"].trustworthy
    # the link comes to one radian and its vibration is gone
    assert names["moved"]["hub.angle"][-1] == pytest.approx(1.0, abs=1e-4)
    moved = names["moved"]
    shaking = abs(moved["link.end.ay"])
    assert shaking[moved.t > 1.9].max() < 0.01 * shaking.max()


def test_the_element_of_the_readme_runs_and_passes_the_conformance_suite(tmp_path):
    script = tmp_path / "drag.py"
    script.write_text(_readme_blocks()[-1] + "\nfrom flexmb.testing import conformance\nconformance(model)\n")
    result = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert float(result.stdout.split()[-1]) == pytest.approx(10 / 5**0.5, abs=1e-4)


def test_kernels_may_be_typed_in_at_a_prompt():
    code = _readme_blocks()[-1]
    result = subprocess.run([sys.executable, "-"], input=code, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert float(result.stdout.split()[-1]) == pytest.approx(10 / 5**0.5, abs=1e-4)
