"""Result files: what comes back, and what is said of files that are not whole."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import NamingError, ResultFileError
from flexmb.results import files
from flexmb.results.store import head
from tests.results.mechanisms import flexible


@pytest.fixture(scope="module")
def solution():
    return fm.simulate(flexible(elements=2), 0.1, step=0.005, progress=False)


@pytest.fixture(scope="module")
def whole(solution, tmp_path_factory):
    return solution.save(tmp_path_factory.mktemp("files") / "run.h5")


def test_everything_comes_back_bit_by_bit(solution, whole):
    back = fm.load(whole)
    for name in ("t", "q", "v", "a", "multipliers"):
        assert np.array_equal(getattr(back, name), getattr(solution, name))
    assert back.coordinate_names == solution.coordinate_names
    assert back.statistics == solution.statistics and back.status == "finished" and back.model is None
    for name in ("rod.end", "bob", "bob.left", "ground", "rod@0", "rod@0.05", "rod@0.35", "rod@1"):
        assert np.array_equal(back[name].values, solution[name].values), name
    assert np.array_equal(back["rod.end.y"], solution["rod.end.y"])
    for joint in ("hinge", "seam"):
        for a, b in zip(back.reaction(joint), solution.reaction(joint)):
            assert np.array_equal(a, b)
    assert np.array_equal(back.multipliers_of("seam"), solution.multipliers_of("seam"))
    assert np.array_equal(back.energy.balance, solution.energy.balance)
    assert str(back) == str(solution)
    assert np.array_equal(back.axis("rod"), solution.axis("rod", 21))


def test_a_loaded_solution_lives_on(solution, whole, tmp_path):
    back = fm.load(fm.load(whole).save(tmp_path / "again.h5"))
    times = [0.012, 0.031]
    assert np.allclose(back.at(times)["bob.left.y"], solution.at(times)["bob.left.y"], rtol=1e-14)
    assert np.allclose(back.at(times)["rod@0.5"].position, solution.at(times)["rod@0.5"].position, rtol=0, atol=1e-7)
    with pytest.raises(NamingError, match=r"0\.05.*0\.33 is not one of them"):
        back["rod@0.33"]
    with pytest.raises(NamingError, match=r"only that on 'bob\.left'"):
        back.reaction("seam", on="rod.end")


def test_the_file_describes_itself(whole):
    with h5py.File(whole) as file:
        assert file.attrs["format"] == "flexmb solution" and file.attrs["format_version"] == head.FORMAT_VERSION
        assert file.attrs["flexmb_version"] == fm.__version__
        assert file.attrs["model"] == "flexible" and "rad" in file.attrs["units"]
        assert file["statistics"].attrs["method"] == "generalized_alpha"
        assert file["beams/0"].attrs["columns"][0] == "x"
        assert file["coordinates"].dtype == np.float64


def test_a_file_that_is_cut_short(whole, tmp_path):
    data = whole.read_bytes()
    path = tmp_path / "short.h5"
    lengths = [
        0,
        1,
        8,
        100,
        511,
        2048,
        *(int(len(data) * part) for part in (0.1, 0.5, 0.9, 0.999)),
        len(data) - 1,
    ]
    for length in lengths:
        path.write_bytes(data[:length])
        with pytest.raises(ResultFileError, match=r"short\.h5"):
            fm.load(path)


def test_a_damaged_number_is_noticed(solution, whole, tmp_path):
    data = bytearray(whole.read_bytes())
    place = bytes(data).find(solution.v[5].tobytes())
    assert place > 0
    data[place + 3] ^= 4
    path = tmp_path / "damaged.h5"
    path.write_bytes(data)
    with pytest.raises(ResultFileError, match="damaged"):
        fm.load(path)


def altered(whole, tmp_path, change):
    path = tmp_path / "altered.h5"
    path.write_bytes(whole.read_bytes())
    with h5py.File(path, "r+") as file:
        change(file)
    with open(path, "r+b") as raw:
        head.seal(raw, path.stat().st_size)
    return path


def drop(name):
    return lambda file: file.__delitem__(name)


def replace(name, values):
    def change(file):
        del file[name]
        file[name] = values

    return change


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda file: file.attrs.__setitem__("format_version", head.FORMAT_VERSION + 1), "newer flexmb"),
        (lambda file: file.attrs.__setitem__("format", "other"), "not a solution of flexmb"),
        (drop("speeds"), "'speeds' is missing"),
        (drop("frames"), "is missing"),
        (replace("speeds", np.zeros((3, 2))), "shape"),
        (replace("time", np.zeros(3, dtype=np.float32)), "float32"),
        (replace("time", "text"), "instead of numbers"),
        (replace("accelerations", h5py.ExternalLink("elsewhere.h5", "x")), "another place"),
        (replace("frames/numbers", np.full((4, 3), 1000)), "shape|coordinates that there are not"),
    ],
)
def test_files_that_do_not_fit(whole, tmp_path, change, words):
    with pytest.raises(ResultFileError, match=words):
        fm.load(altered(whole, tmp_path, change))


def test_no_file_and_no_hdf5(tmp_path):
    with pytest.raises(ResultFileError, match="no such file"):
        fm.load(tmp_path / "nothing.h5")
    path = tmp_path / "text.h5"
    path.write_text("t,x\n0,1\n" * 1000)
    with pytest.raises(ResultFileError, match="not an HDF5 file"):
        fm.load(path)


def test_the_old_file_survives_a_failure(solution, tmp_path, monkeypatch):
    path = solution.save(tmp_path / "run.h5")
    before = path.read_bytes()

    def broken(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "sync", broken)
    with pytest.raises(ResultFileError, match=r"no room.*free"):
        solution.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["run.h5"]
    with pytest.raises(ResultFileError, match="no folder"):
        solution.save(tmp_path / "none" / "run.h5")
