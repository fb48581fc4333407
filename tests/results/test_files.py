"""Writing files: full disks, links, devices, left-overs of killed processes, and impossible paths."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError, NamingError, ResultFileError
from flexmb.machine import files
from tests.results.mechanisms import flexible

pytest.importorskip("fcntl")


@pytest.fixture(scope="module")
def solution():
    return fm.simulate(flexible(elements=2), 0.1, step=0.002, progress=False)


@pytest.fixture(scope="module")
def whole(solution, tmp_path_factory):
    return solution.save(tmp_path_factory.mktemp("files") / "run.h5")


# -- no room ----------------------------------------------------------------------------------------------------------

#: a process whose files may have no more than 4 kB writes a solution in all ways; it prints each message, then lifts
#: the limit and saves again
FULL = """
import json, resource, sys, warnings
import matplotlib
import flexmb as fm
from flexmb.visual import View
matplotlib.use("Agg")
run, folder = fm.load(sys.argv[1]), sys.argv[2]
calls = {
    "run.h5": run.save,
    "table.csv": run.to_csv,
    "plot.png": lambda path: run.plot("rod.end.x", path=path),
    "plot.pdf": lambda path: run.plot("rod.end.x", path=path),
    "film.gif": lambda path: run.animate(path, fps=20),
    "film.mp4": lambda path: run.animate(path, fps=20),
    "numbers.xdmf": lambda path: fm.export_xdmf(run, path),
    "page.html": lambda path: View(run).html(path, pictures=3),
}
said = {}
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
for name, call in calls.items():
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        call(f"{folder}/{name}")
        said[name] = "nothing"
    except fm.FlexmbError as why:
        said[name] = f"{type(why).__name__}: {why}"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
run.save(f"{folder}/after.h5")
print(json.dumps(said))
"""


def test_where_there_is_no_room_the_old_files_stay_and_python_lives(whole, tmp_path):
    names = ("run.h5", "table.csv", "plot.png", "plot.pdf", "film.gif", "numbers.xdmf", "numbers_data.h5", "page.html")
    for name in names:
        (tmp_path / name).write_text(f"old {name}")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FULL, whole, tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr  # −11: the process was ended by h5py
    said = json.loads(done.stdout)
    for name, words in said.items():
        assert words.startswith("ResultFileError: ") and name.split(".")[0] in words, (name, words)
    size = float(re.search(r"it takes (\d+) kB, \d+ kB are missing; free as much", said["run.h5"])[1])
    assert size == pytest.approx(whole.stat().st_size / 1000, rel=0.15)
    for name in names:
        assert (tmp_path / name).read_text() == f"old {name}"
    assert {p.name for p in tmp_path.iterdir()} == {*names, "after.h5"}
    assert np.array_equal(fm.load(tmp_path / "after.h5").q, fm.load(whole).q)


def test_room_is_asked_for_before_anything_is_computed(solution, tmp_path, monkeypatch):
    path = solution.save(tmp_path / "run.h5")
    before, size = path.read_bytes(), path.stat().st_size
    monkeypatch.setattr(files.shutil, "disk_usage", lambda where: type("Disk", (), {"total": 10**9, "free": 1000})())
    monkeypatch.setattr(type(solution.source), "point", lambda *_: pytest.fail("beams were computed"))
    with pytest.raises(ResultFileError, match=rf"save .*run\.h5: there is no room on the disk of folder .*{tmp_path}"):
        solution.save(path)
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["run.h5"] and size > 1000


def test_what_is_said_of_the_size_is_right(solution, whole):
    from flexmb.results.store.writing import draft_of

    assert whole.stat().st_size / 1.15 < draft_of(solution, 21).size <= whole.stat().st_size


# -- what stands at the path ------------------------------------------------------------------------------------------


def test_links_stay_links(solution, tmp_path):
    (tmp_path / "deep").mkdir()
    for name, write in (("run.h5", solution.save), ("run.csv", solution.to_csv)):
        real, link, link_to_link = tmp_path / "deep" / name, tmp_path / name, tmp_path / f"2{name}"
        link.symlink_to(Path("deep") / name)
        link_to_link.symlink_to(link)
        write(link_to_link)  # the file is not there yet
        assert link.is_symlink() and link_to_link.is_symlink() and real.is_file() and not real.is_symlink()
        real.write_bytes(b"")
        write(link)
        assert link.is_symlink() and real.stat().st_size > 1000
    assert np.array_equal(fm.load(tmp_path / "2run.h5").q, solution.q)
    (tmp_path / "lost.h5").symlink_to(tmp_path / "none" / "run.h5")
    with pytest.raises(ResultFileError, match=r"this is a link to .*none/run\.h5', where no file can be"):
        solution.save(tmp_path / "lost.h5")
    (tmp_path / "round.h5").symlink_to(tmp_path / "round.h5")
    with pytest.raises(ResultFileError, match=r"round\.h5"):
        solution.save(tmp_path / "round.h5")
    assert (tmp_path / "lost.h5").is_symlink() and (tmp_path / "round.h5").is_symlink()


def test_permissions_are_kept_and_minded(solution, tmp_path):
    path = solution.save(tmp_path / "run.h5")
    path.chmod(0o640)
    assert stat.S_IMODE(solution.save(path).stat().st_mode) == 0o640
    fresh = solution.save(tmp_path / "fresh.h5")
    (tmp_path / "touched").touch()
    assert fresh.stat().st_mode == (tmp_path / "touched").stat().st_mode


def test_devices_and_pipes_are_refused(solution, tmp_path, monkeypatch):
    pipe, link = tmp_path / "pipe.png", tmp_path / "link.png"
    os.mkfifo(pipe)
    link.symlink_to("/dev/null")
    monkeypatch.setattr(files.os, "replace", lambda *_: pytest.fail("something was replaced"))
    for path, kind in ((pipe, "a pipe"), (link, "a device"), ("/dev/null", "a device"), ("/dev/stdout", "open")):
        with pytest.raises(ResultFileError, match=rf"save .*: this is .*{kind}.*give the name of a file"):
            solution.save(path)
    for path in (pipe, link):
        with pytest.raises(ResultFileError, match=r"picture .*: this is a (pipe|device), which no file can replace"):
            solution.plot("bob.x", path=path)
    assert pipe.is_fifo() and link.is_symlink() and {p.name for p in tmp_path.iterdir()} == {"pipe.png", "link.png"}


def test_tables_go_through_pipes_and_devices(solution, tmp_path):
    pipe, seen = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: seen.append(pipe.read_text()))
    reader.start()
    solution.to_csv(pipe, ["bob.x"])
    reader.join()
    assert pipe.is_fifo() and seen == [solution.to_csv(tmp_path / "table.csv", ["bob.x"]).read_text()]
    with pytest.raises(
        ResultFileError, match=r"table /dev/full: the file cannot be written \(No space left on device\)"
    ):
        solution.to_csv("/dev/full")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


# -- what killed processes leave --------------------------------------------------------------------------------------


KILLED = """
import sys
import flexmb as fm
from flexmb.machine import files
run = fm.load(sys.argv[1])
def wait(handle):
    print("writing", flush=True)
    sys.stdin.read()
files.sync = wait
run.save(sys.argv[2])
"""


def test_what_a_killed_save_left_is_removed_and_what_is_being_written_is_not(solution, whole, tmp_path):
    path = tmp_path / "run.h5"
    path.write_bytes(b"old")
    (tmp_path / ".run.h5.k3x_09ab.part").write_bytes(b"left by a version that did not lock")
    keep = [".run.h5.part", ".other.h5.k3x_09ab.part", "run.h5.part", ".run.h5.k3x_09ab.part.txt"]
    for name in keep:
        (tmp_path / name).touch()
    pipe = subprocess.PIPE
    command = [sys.executable, "-W", "ignore", "-c", KILLED, whole, path]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as other:
        assert other.stdout.readline() == "writing\n"
        parts = set(tmp_path.glob(".run.h5.????????.part.h5"))
        assert len(parts) == 1 and not (tmp_path / ".run.h5.k3x_09ab.part").exists()
        solution.save(path)
        assert set(tmp_path.glob(".run.h5.????????.part.h5")) == parts  # it is not ours
        other.send_signal(signal.SIGKILL)
    assert set(tmp_path.glob(".run.h5.????????.part.h5")) == parts
    solution.save(path)
    assert {p.name for p in tmp_path.iterdir()} == {"run.h5", *keep}


def test_an_interrupt_leaves_nothing(solution, tmp_path, monkeypatch):
    path = solution.save(tmp_path / "run.h5")
    before = path.read_bytes()

    def interrupted(handle):
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "sync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        solution.save(path)
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["run.h5"]


def test_long_names(solution, tmp_path):
    name = "é" * 125 + ".h5"  # 253 bytes of the 255 that a name may have
    assert np.array_equal(fm.load(solution.save(tmp_path / name)).q, solution.q)
    with pytest.raises(ResultFileError, match="too long"):
        solution.save(tmp_path / ("x" * 300))


# -- paths, names and times that cannot be ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", [None, 5, float("nan"), b"run.h5", "", "a\0b", "\ud800", ["run.h5"]])
def test_paths_that_cannot_be(solution, path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    calls = [
        (solution.save, "save"),
        (solution.to_csv, "table"),
        (solution.animate, "film"),
        (fm.load, "load"),
        (lambda path: fm.export_vtk(solution, path), "export"),
        (lambda path: fm.export_xdmf(solution, path), "export to"),
    ]
    if path is not None:
        calls.append((lambda path: solution.plot("bob.x", path=path), "picture"))
    for call, what in calls:
        with pytest.raises(
            ModelError, match=rf"^{what}: (path|folder) .*(must be a text or a Path|leave it out|give the)"
        ):
            call(path)
    assert not list(tmp_path.iterdir())


def test_folders_that_are_not_there(solution, tmp_path):
    (tmp_path / "file").write_text("")
    for call in (solution.save, solution.to_csv, lambda path: solution.plot("bob.x", path=path)):
        with pytest.raises(ResultFileError, match=r"there is no folder '.*none'; make it first"):
            call(tmp_path / "none" / "x.png")
        with pytest.raises(ResultFileError, match="is a file, not a folder"):
            call(tmp_path / "file" / "x.png")
        with pytest.raises(ResultFileError, match="this is a folder; give the name of a file"):
            call(tmp_path)
    with pytest.raises(ResultFileError, match="this is a folder"):
        fm.load(tmp_path)
    with pytest.raises(ResultFileError, match=r"there is no folder '.*none'"):
        fm.load(tmp_path / "none" / "run.h5")
    with pytest.raises(ResultFileError, match="this is a device"):
        fm.load("/dev/zero")


NO_NAMES = [None, 5, float("nan"), [], {"a": 1}, ["x"], "nothing", "a\0b", b"x", np.zeros(0), object()]


def test_names_that_cannot_be(solution):
    asked = [
        solution.__getitem__,
        solution.track,
        solution.series,
        solution.coordinate,
        solution.axis,
        solution.places,
        solution.reaction,
        solution.multipliers_of,
        solution.spectrum,
        solution.plot_phase,
        solution.control.__getitem__,
        lambda name: solution.along(name, "y"),
        lambda name: solution.along("rod", name),
        lambda name: solution.relative("bob", name),
    ]
    for ask in asked:
        for name in NO_NAMES:
            with pytest.raises(NamingError, match=r"solution"):
                ask(name)
    assert np.array_equal(solution.axis(solution.model.components["rod"]), solution.axis("rod"))


@pytest.mark.parametrize("times", [None, "0.01", "x", float("nan"), [0.0, float("inf")], True, 1j, [None], [], [[0.1]]])
def test_times_that_cannot_be(solution, times):
    with pytest.raises(ModelError, match=r"solution 'flexible': .*(time)"):
        solution.at(times)
    if times is not None:
        for picture in (solution.draw, lambda times: solution.plot_along("rod", "y", times)):
            with pytest.raises(ModelError, match=r"solution 'flexible': .*(time)"):
                picture(times)


def test_sizes_that_cannot_be(solution, tmp_path):
    for size in (5, "x", (1,), (0, 5), (1e9, 5), (float("nan"), 5)):
        for picture in (solution.draw, lambda size: solution.animate(tmp_path / "film.gif", size=size)):
            with pytest.raises(ModelError, match=r"solution 'flexible': size"):
                picture(size=size)
    with pytest.raises(ModelError, match=r"pictures, of at most .*; give fewer"):
        solution.animate(tmp_path / "film.gif", pace=1e-12)
    with pytest.raises(ModelError, match="rate is 1e\\+30 Hz"):
        solution.spectrum("bob.x", sampling_rate=1e30)
    with pytest.raises(ModelError, match="points is 1e\\+30; give a whole number"):
        solution.save(tmp_path / "run.h5", points=1e30)


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "\0"])
def test_names_that_no_file_can_hold(name):
    m = fm.PlanarModel("m")
    body = m.add_body("body", mass=1.0, inertia=1.0)
    for give in (
        fm.PlanarModel,
        lambda name: m.add_body(name, mass=1.0, inertia=1.0),
        lambda name: m.add_frame(name, (0, 0)),
        lambda name: m.revolute(m.ground, body.frame, name=name),
        lambda name: body.attach(name, (0, 0)),
    ):
        with pytest.raises(NamingError, match="its name holds a character that cannot be printed"):
            give(name)
