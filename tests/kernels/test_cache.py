"""Where compiled kernels are kept, what comes back from there, and what is done with files that are no use."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from flexmb.cli import main
from flexmb.kernels import cache

USER = """
from flexmb.kernels.compilation import compiled

@compiled
def doubled(x):
    return 2.0 * x

print(doubled(1.5), sum(doubled.stats.cache_hits.values()))
"""
#: a kernel of flexmb's own
OWN = """
from flexmb.elements.planar import rigid_body
from flexmb.kernels.contract import address
print(address(rigid_body.residual) != 0, sum(rigid_body.residual.apart.stats.cache_hits.values()))
"""
PENDULUM = """
import flexmb as fm
model = fm.PlanarModel("pendulum", gravity=(0, -9.81))
rod = model.add_beam("rod", (0, 0), (1, 0), material=fm.Material(density=1100, youngs_modulus=5e7),
                     section=fm.Circle(diameter=0.02), modes=1)
model.revolute(model.ground, rod.start, name="hinge")
model.python_force(rod.end, lambda t, position, velocity: (-0.5 * velocity[0], 1.0, 0.0), compiled=True)
model.python_force(rod.start, lambda t, position, velocity: (0.0, 0.0, 0.1 * t))
solution = fm.simulate(model, 3e-3, step=1e-3)
print(*solution["rod.end"].position[-1])
"""


def _process(code: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code as a file in a folder, with a home there; what compiled functions are kept in is chosen by flexmb."""
    script = folder / "user.py"
    script.write_text(code)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "XDG"))}
    kept |= {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "caches"), **environment}
    result = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=kept, cwd=folder)
    assert result.returncode == 0, result.stderr
    return result


def _kept(folder: Path) -> list[Path]:
    return sorted(folder.rglob(f"*{cache.SUFFIX}"))


@pytest.mark.skipif(sys.platform != "linux", reason="other platforms have other folders for caches")
def test_kernels_lie_in_the_users_cache_and_nothing_beside_the_code(tmp_path):
    beside = {f for f in Path(cache.__file__).parents[1].rglob("*.nb[ic]")}
    assert _process(USER, tmp_path).stdout.split() == ["3.0", "0"]
    assert _process(USER, tmp_path).stdout.split() == ["3.0", "1"]
    (file,) = _kept(tmp_path)
    assert file.parent.parent == tmp_path / "caches" / "flexmb" / "kernels"
    assert file.name.startswith("__main__.doubled-")
    assert {f.name for f in tmp_path.iterdir()} == {"user.py", "caches"}
    assert set(Path(cache.__file__).parents[1].rglob("*.nb[ic]")) == beside
    assert (file.parent.parent.stat().st_mode & 0o777) == 0o700


def test_a_folder_may_be_named(tmp_path):
    chosen = tmp_path / "chosen"
    _process(USER, tmp_path, NUMBA_CACHE_DIR=str(chosen))
    (file,) = _kept(tmp_path)
    assert file.parent.parent == chosen / "flexmb"


def test_the_first_compilation_on_a_machine_is_told_once_for_each_kind(tmp_path):
    first, second = _process(OWN, tmp_path), _process(OWN, tmp_path)
    assert first.stdout.split() == ["True", "0"] and second.stdout.split() == ["True", "1"]
    assert first.stderr.count("compiling kernels of all mechanisms, once for this machine") == 1
    assert len(set(first.stderr.splitlines())) == len(first.stderr.splitlines()) == first.stderr.count("compiling")
    assert second.stderr == ""


def _cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _foreign(data: bytes) -> bytes:
    return b"some other program's file\n" * 40


def _signed(payload: bytes) -> bytes:
    return cache._HEAD + hashlib.sha256(payload).digest() + payload


def _no_pickle(data: bytes) -> bytes:
    return _signed(b"no pickle")


def _another_pickle(data: bytes) -> bytes:
    return _signed(pickle.dumps((1, 2, 3)))


def _turned(data: bytes) -> bytes:
    return data[:-40] + bytes(255 - b for b in data[-40:])


def _empty(data: bytes) -> bytes:
    return b""


def test_files_that_are_no_use_are_compiled_again_and_replaced(tmp_path):
    """Six functions in one program, whose files are each damaged in another way."""
    damages = [_cut, _foreign, _no_pickle, _another_pickle, _turned, _empty]
    names = [f"doubled{damage.__name__}" for damage in damages]
    code = "from flexmb.kernels.compilation import compiled\n"
    for name in names:
        code += f"@compiled\ndef {name}(x):\n    return 2.0 * x\n"
        code += f"print('{name}', {name}(1.5), sum({name}.stats.cache_hits.values()))\n"
    anew, kept = ([line for name in names for line in (name, "3.0", hits)] for hits in "01")
    assert _process(code, tmp_path).stdout.split() == anew
    files = {name: next(f for f in _kept(tmp_path) if f".{name}-" in f.name) for name in names}
    whole = {name: file.read_bytes() for name, file in files.items()}
    for damage, name in zip(damages, names, strict=True):
        files[name].write_bytes(damage(whole[name]))
    result = _process(code, tmp_path)
    assert result.stdout.split() == anew and result.stderr == ""
    assert _kept(tmp_path) == sorted(files.values())
    for name, file in files.items():
        assert len(file.read_bytes()) > len(whole[name]) // 2, name
    assert _process(code, tmp_path).stdout.split() == kept


def test_a_folder_where_nothing_can_be_kept(tmp_path):
    (tmp_path / "file").write_text("")
    result = _process(OWN, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "file"))
    assert result.stdout.split() == ["True", "0"]
    assert "in every process anew" in result.stderr and "NUMBA_CACHE_DIR" in result.stderr


@pytest.mark.skipif(os.name != "posix", reason="there are no such rights")
def test_a_folder_that_others_can_write_to_is_not_used(tmp_path):
    assert cache.unusable(tmp_path / "own") is None
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    assert cache.unusable(tmp_path / "open") == "other users can write to it"
    (tmp_path / "chosen" / "flexmb").mkdir(parents=True)
    (tmp_path / "chosen" / "flexmb").chmod(0o777)
    _process(USER, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "chosen"))
    assert _kept(tmp_path) == []


def test_kernels_that_were_not_used_for_longest_make_room(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "ROOM", 1000)
    version = tmp_path / "version"
    version.mkdir()
    long_ago = time.time() - 1e6
    for k in range(8):
        file = version / f"f{k}{cache.SUFFIX}"
        cache._write(file, b"x" * 200)
        os.utime(file, (long_ago + k, long_ago + k))
        if k == 2:
            assert cache._read(version / f"f0{cache.SUFFIX}") == b"x" * 200  # it was used: it is the youngest
    names = [f.name.removesuffix(cache.SUFFIX) for f in sorted(version.iterdir())]
    assert names == ["f0", "f5", "f6", "f7"]
    assert sum(f.stat().st_size for f in version.iterdir()) <= cache.ROOM
    cache._write(tmp_path / "newer" / f"g{cache.SUFFIX}", b"x" * 900)  # what has just been made stays
    assert [f.name for f in tmp_path.rglob("*") if f.is_file()] == [f"g{cache.SUFFIX}"]
    assert not version.exists()


def test_info_says_where_kernels_are_kept_and_clears_them(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "folder", lambda: tmp_path / "kernels")
    (tmp_path / "kernels" / "version").mkdir(parents=True, exist_ok=True)
    cache._write(tmp_path / "kernels" / "version" / f"f{cache.SUFFIX}", b"x" * 100)
    said = CliRunner().invoke(main, ["info", "--clear-cache"]).output
    assert f"1 kernels, 0.0 of at most 256 MB, in {tmp_path / 'kernels'}" in said and "deleted 1 kernels" in said
    assert _kept(tmp_path) == []
    (tmp_path / "kernels").rmdir()
    (tmp_path / "kernels").write_text("")
    assert "it is not used" in CliRunner().invoke(main, ["info"]).output


def test_the_same_motion_with_the_compiler_switched_off(tmp_path, capsys):
    exec(PENDULUM, {})
    expected = [float(x) for x in capsys.readouterr().out.split()]
    plain = _process(f"{PENDULUM}\nfrom flexmb.cli import main\nmain(['info'])\n", tmp_path, NUMBA_DISABLE_JIT="1")
    assert _kept(tmp_path) == []
    place, said = plain.stdout.split("\n", 1)
    assert [float(x) for x in place.split()] == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert "run as plain Python" in said
