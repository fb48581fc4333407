"""Libraries of kernels: what runs from them, and which are not used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from flexmb.errors import LibraryError
from flexmb.kernels.compilation import INTERPRETED
from flexmb.kernels.hooks import internals
from flexmb.kernels.library import choice, contents

pytestmark = pytest.mark.skipif(
    INTERPRETED or choice.why_not_here() is not None, reason="code for x86-64-v3 does not run here"
)

#: a program whose functions are all put into a library, by the address of one from the other, if it is given one
OWN = """
import sys
from pathlib import Path
import numpy as np
from numba import float64
from flexmb.errors import FlexmbError
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.library.building import build_library, prepare

@called(float)
def inner(x):
    return np.sin(x) / (1.0 + x * x)

@compiled
def outer(x):
    total = 0.0
    for k in range(len(x)):
        total += x[k] * inner(x[k])
    return total

@compiled
def root(x):
    if x < 0.0:
        raise ValueError("a negative number")
    return np.sqrt(x)

if len(sys.argv) > 1:
    prepare()
values = outer(np.linspace(0.1, 2.0, 37)), root(2.0)
try:
    root(-1.0)
except ValueError as error:
    print(error)
print(*map(float.hex, values), sum(outer.stats.cache_hits.values()))
if len(sys.argv) > 1:
    functions = [(f, r.signature if f is inner else r.signature.args)
                 for f in (inner, outer, root) for r in f.overloads.values()]
    path, left_out = build_library(functions, Path(sys.argv[1]))
    assert not left_out, left_out
"""
MECHANISM = """
import gc
import sys
from pathlib import Path
import flexmb as fm
from flexmb.kernels.hooks.calls import Compiled, Part
from flexmb.kernels.library.building import build_library, prepare

if len(sys.argv) > 1:
    prepare()
model = fm.PlanarModel("pendulum", gravity=(0, -9.81))
bob = model.add_body("bob", mass=1.0, inertia=0.1, position=(1, 0))
model.revolute(model.ground, bob.attach("hinge", (-1, 0)), name="hinge")
solution = fm.simulate(model, 0.1, method="dop853", progress=False)
print(*(x.hex() for x in solution["bob"].position[-1].tolist()))
if len(sys.argv) > 1:
    known = [f for f in gc.get_objects() if isinstance(f, Compiled) and not isinstance(f, Part)]
    functions = [(f, r.signature if f.targetoptions.get("no_cpython_wrapper") else r.signature.args)
                 for f in known for r in f.overloads.values()]
    path, left_out = build_library(functions, Path(sys.argv[1]))
    print(len(functions), *left_out)
"""


def _environment(**environment: str) -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith("FLEXMB_")} | environment


def _run(code: str, folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code as a file in a folder."""
    script = folder / "user.py"
    script.write_text(code)
    command = [sys.executable, str(script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=_environment(**environment), cwd=folder)
    assert done.returncode == 0, done.stderr
    return done


def _caches(folder: Path, library: Path | None = None) -> dict[str, str]:
    """The environment in which kernels are kept in a folder, and read from a library."""
    return {"NUMBA_CACHE_DIR": str(folder / "caches"), **({} if library is None else {choice.FILE: str(library)})}


def _info(path: Path) -> str:
    command = [sys.executable, "-m", "flexmb", "info"]
    environment = _environment(**_caches(path.parent, path))
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A library of three functions, and what they give when they are compiled for its processors."""
    folder = tmp_path_factory.mktemp("small")
    path = folder / "library" / "small.library"
    return path, _run(OWN, folder, str(path), **_caches(folder)).stdout


def test_what_comes_from_a_library_is_what_is_compiled_for_its_processors(small, tmp_path):
    path, compiled = small
    assert compiled.splitlines()[0] == "a negative number" and compiled.endswith(" 0\n")
    used = _run(OWN, tmp_path, **_caches(tmp_path, path)).stdout
    assert used == compiled[:-2] + "1\n"
    assert not list(tmp_path.rglob("*.kernel"))
    assert f"library: 3 kernels, 0.0 MB, in {path}\nkernels are compiled for x86-64-v3 processors" in _info(path)


def test_a_library_without_a_cache(small, tmp_path):
    """Where nothing can be kept, kernels still come from the library."""
    (tmp_path / "file").write_text("")
    used = _run(OWN, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "file"), **{choice.FILE: str(small[0])})
    assert used.stdout == small[1][:-2] + "1\n" and used.stderr == ""


def test_a_function_that_has_changed_since_is_compiled(small, tmp_path):
    changed = OWN.replace("1.0 + x * x", "2.0 + x * x")
    used = _run(changed, tmp_path, **_caches(tmp_path, small[0])).stdout
    without = _run(
        changed, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "other"), **{choice.PROCESSOR: choice.LEVEL}
    ).stdout
    assert used[:-2] == without[:-2] != small[1][:-2]
    assert [f.name.partition("-")[0] for f in tmp_path.glob("caches/**/*.kernel")] == ["__main__.inner"]


def _index(path: Path) -> tuple[dict[str, object], bytes]:
    data = path.read_bytes()
    begin = contents._BEGIN + contents._LENGTH
    end = begin + int.from_bytes(data[contents._BEGIN : begin], "big")
    return json.loads(data[begin:end]), data[end:]


def _changed(path: Path, what: str, value: str) -> None:
    index, code = _index(path)
    index["users"][what] = value
    contents.write(path, index, code)


DAMAGES = {
    "damaged": (lambda path: path.write_bytes(path.read_bytes()[:-1] + b"?"), "it is damaged, or no library"),
    "cut": (lambda path: path.write_bytes(path.read_bytes()[:-9]), "it is damaged, or no library"),
    "empty": (lambda path: path.write_bytes(b""), "it is damaged, or no library"),
    "foreign": (lambda path: path.write_bytes(b"some other program's file\n" * 40), "it is damaged, or no library"),
    "version": (lambda path: _changed(path, "version", "0.0.1-cpython-311"), "its version: 0.0.1-cpython-311; needed"),
    "processor": (lambda path: _changed(path, "processor", "x86-64-v4"), "its processor: x86-64-v4; needed here: x86"),
    "calls": (lambda path: _changed(path, "calls", "i32 ()"), "its calls: i32 (); needed here: i32 (double*"),
    "arrays": (lambda path: _changed(path, "arrays", "{i8*}"), "its arrays: {i8*}; needed here: {i8*, i8*"),
    "writable": (lambda path: path.chmod(0o666), "other users can write to"),
    "folder": (lambda path: path.parent.chmod(0o777), "other users can write to"),
    "a folder": (lambda path: (path.unlink(), path.mkdir()), "Is a directory"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_libraries_that_are_not_used(damage, small, tmp_path):
    change, message = DAMAGES[damage]
    path = tmp_path / "library" / "other.library"
    path.parent.mkdir()
    path.write_bytes(small[0].read_bytes())
    change(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(choice.FILE, str(path))
        patch.delenv(choice.PROCESSOR, raising=False)
        made = choice.choice.__wrapped__(_index(small[0])[0]["users"]["version"], tmp_path / "none")
    assert made.processor is None and made.library is None
    assert made.unused.startswith(f"{path} is not used: ") and message in made.unused


def test_a_library_that_is_not_used_is_said_and_code_is_compiled_as_without_it(small, tmp_path):
    path = tmp_path / "other.library"
    path.write_bytes(small[0].read_bytes()[:-1])
    assert f"kernels are compiled for this processor\n  {path} is not used: it is damaged" in _info(path)
    used = _run(OWN, tmp_path, **_caches(tmp_path, path))
    assert used.stdout.endswith(" 0\n") and len(list(tmp_path.glob("caches/**/*.kernel"))) == 3


def test_who_can_use_a_library(monkeypatch, small, tmp_path):
    version = _index(small[0])[0]["users"]["version"]
    monkeypatch.setenv(choice.FILE, str(small[0]))
    monkeypatch.setenv(choice.PROCESSOR, "")

    def made() -> choice.Choice:
        return choice.choice.__wrapped__(version, tmp_path / "none")

    assert made().library is not None and made().processor == choice.LEVEL
    monkeypatch.setenv(choice.PROCESSOR, choice.NATIVE)
    assert made().library is None and "FLEXMB_PROCESSOR is native" in made().unused
    monkeypatch.setenv(choice.PROCESSOR, "i386")
    with pytest.raises(LibraryError, match="FLEXMB_PROCESSOR is 'i386'; give native or x86-64-v3"):
        made()
    monkeypatch.setenv(choice.PROCESSOR, "")
    monkeypatch.setenv(choice.FILE, "")
    assert made() == (None, None, None)
    monkeypatch.setenv(choice.FILE, str(small[0]))
    older = {name: name != "avx2" for name in internals.features()}
    monkeypatch.setattr(choice, "features", lambda: older)
    assert made().processor is None and "this processor lacks avx2" in made().unused
    monkeypatch.setenv(choice.PROCESSOR, choice.LEVEL)
    with pytest.raises(LibraryError, match="this processor lacks avx2"):
        made()
    monkeypatch.setenv(choice.PROCESSOR, "")
    monkeypatch.setattr(choice, "chosen_by_user", lambda: True)
    assert made().library is None and "NUMBA_CPU_NAME" in made().unused


def test_a_mechanism_runs_from_a_library_alone(tmp_path):
    """Its bits are those of code compiled for the processors of the library; nothing is compiled."""
    path = tmp_path / "mechanism.library"
    built = _run(MECHANISM, tmp_path, str(path)).stdout.splitlines()
    used = _run(MECHANISM, tmp_path, **_caches(tmp_path, path))
    assert used.stdout.splitlines() == built[:1]
    assert used.stderr == "" and not list(tmp_path.rglob("*.kernel"))
    assert int(built[1]) > 20


WARM_UP = """
import sys
from flexmb.kernels.warming import recorded

whole, small = recorded.recorded(), recorded.Recorded()
small.add("small", whole.types, whole.functions[:1])
recorded.recorded = lambda: small
from flexmb.cli import main
main(["warm-up", "small", "--library", "--out", sys.argv[1], "--processes", "1"], standalone_mode=False)
"""


def test_the_command_builds_a_library_of_listed_functions(tmp_path):
    path = tmp_path / "listed.library"
    said = _run(WARM_UP, tmp_path, str(path), **_caches(tmp_path)).stdout
    assert "compiled 1 functions" in said and f"wrote {path}, 0.0 MB" in said
    assert f"library: 1 kernels, 0.0 MB, in {path}" in _info(path)
