"""Result files: what they give back, and the errors for damaged files."""

from __future__ import annotations

import tracemalloc

import h5py
import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import NamingError, ResultFileError
from flexmb.machine import files
from flexmb.results.store import head
from tests.models.modal_bodies import blob
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
        back.reaction("seam", frame="rod.end")


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


def test_a_changed_byte_is_noticed_wherever_it_stands(solution, whole, tmp_path):
    data = whole.read_bytes()
    path = tmp_path / "damaged.h5"
    wanted = {
        "a number": solution.v[5].tobytes(),
        "a name": b"bob.left",
        "a unit": b"angles in rad",
        "the statistics": b"generalized_alpha",
        "their numbers": np.array(solution.statistics.step_error).tobytes(),
        "the status": b"finished",
        "the first lines": fm.__version__.encode(),
        "how long it is": str(len(data)).encode(),
        "the beginning of HDF5": b"\x89HDF",
    }
    places = {what: data.find(found) for what, found in wanted.items()}
    assert min(places.values()) >= 0
    everywhere = np.random.default_rng(1).integers(head.LENGTH, len(data), 40).tolist()
    for place in (*places.values(), *everywhere, len(data) - 1):
        damaged = bytearray(data)
        damaged[place] ^= 4
        path.write_bytes(damaged)
        with pytest.raises(ResultFileError, match=r"damaged\.h5: the file is damaged|cut short"):
            fm.load(path)
    path.write_bytes(data + b"\0")
    with pytest.raises(ResultFileError, match="does not fit its check sum"):
        fm.load(path)


def test_a_file_cut_short_says_how_much_is_there(whole, tmp_path):
    path = tmp_path / "short.h5"
    path.write_bytes(whole.read_bytes()[:12345])
    with pytest.raises(ResultFileError, match=r"cut short: 12\.3 kB of [\d.]+ kB are there; take another copy"):
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


def test_places_within_a_body_that_there_is_not(tmp_path):
    path = fm.simulate(blob().model, 0.01, step=0.01, progress=False).save(tmp_path / "run.h5")

    def change(file):
        file["interior/0"].attrs["name"] = "glob"

    with pytest.raises(ResultFileError, match=r"interior/0.*has places of 'glob'"):
        fm.load(altered(path, tmp_path, change))


def declared(name, **how):
    """A block that states a size which the file does not have."""

    def change(file):
        if name in file:
            del file[name]
        file.create_dataset(name, **how)

    return change


TEXT = h5py.string_dtype()


def one_text_many_times(file):
    """A block whose entries all point to the same long text."""
    del file["doubts"]
    block = file.create_dataset("doubts", data=np.array(["long" * 10_000] + ["x"] * 4_999, dtype=object), dtype=TEXT)
    file.flush()
    place = block.id.get_offset()
    with open(file.filename, "r+b") as raw:
        raw.seek(place)
        first = raw.read(16)
        raw.seek(place)
        raw.write(first * 5_000)


def one_block_many_times(file):
    for k in range(1, 200):
        file[f"beams/{k}"] = file["beams/0"]


@pytest.mark.parametrize(
    "change, words",
    [
        (declared("doubts", shape=(200_000_000,), dtype=TEXT), "'doubts' is not all there"),
        (declared("doubts", shape=(200_000_000,), dtype=TEXT, chunks=(1000,)), "'doubts' is not all there"),
        (
            declared("doubts", shape=(10,), maxshape=(None,), dtype=TEXT, chunks=(100_000_000,)),
            "'doubts' is not all there",
        ),
        (declared("doubts", shape=(10,), dtype=TEXT), "'doubts' is not all there"),
        (declared("time", shape=(200_000_000,), dtype="f8"), "'time' is not all there"),
        (declared("time", shape=(200_000_000,), dtype="f8", chunks=(1000,)), "'time' is not all there"),
        (declared("time", data=np.zeros(2_000_000), compression="gzip"), "'time' is compressed"),
        (declared("time", data=np.zeros(100), external=[("elsewhere.bin", 0, 800)]), "'time' is not a plain data set"),
        (lambda file: file.attrs.__setitem__("model", np.zeros(1000)), "'model' is more than one value"),
        (one_text_many_times, "'doubts' and what is before it are more than the file has bytes"),
        (one_block_many_times, "are more than the file has bytes"),
    ],
)
def test_what_a_file_says_of_its_sizes_is_held_against_its_own(whole, tmp_path, monkeypatch, change, words):
    monkeypatch.chdir(tmp_path)
    path = altered(whole, tmp_path, change)
    tracemalloc.start()
    try:
        with pytest.raises(ResultFileError, match=words):
            fm.load(path)
        assert tracemalloc.get_traced_memory()[1] < 20 * path.stat().st_size + 2_000_000
    finally:
        tracemalloc.stop()


def test_texts_without_end(whole, tmp_path):
    """A heap of texts that states no remaining room, in which HDF5 itself would search for ever."""
    data = bytearray(whole.read_bytes())
    heap = data.find(b"GCOL\x01")
    piece, end = heap + 16, heap + int.from_bytes(data[heap + 8 : heap + 16], "little")
    while data[piece]:
        piece += 16 + -(-int.from_bytes(data[piece + 8 : piece + 16], "little") // 8) * 8
    assert int.from_bytes(data[piece + 8 : piece + 16], "little") == end - piece > 16
    data[piece + 8 : piece + 16] = bytes(8)
    path = tmp_path / "endless.h5"
    path.write_bytes(data)
    with open(path, "r+b") as raw:
        head.seal(raw, len(data))
    with pytest.raises(ResultFileError, match="its texts do not fit together"):
        fm.load(path)


def test_files_say_the_levels_of_rows(tmp_path):
    """A skate with a pin: two position rows and a velocity row; files without levels load all the same."""
    model = fm.PlanarModel("skate")
    skate = model.add_body("skate", mass=1.0, inertia=0.1)
    model.knife_edge(model.ground, skate.frame, name="edge")
    rod = model.add_body("rod", mass=1.0, inertia=0.1)
    model.revolute(skate.frame, rod.frame, name="pin")
    skate.move((1.0, 0.0), 0.5)
    rod.move((1.0, 0.0), 0.0)
    run = fm.simulate(model, 0.1, progress=False)
    path = run.save(tmp_path / "skate.h5")
    again = fm.load(path)
    levels = dict(zip([owner for owner, _, _ in again.layout.rows], again.layout.levels))
    assert levels == {"edge": "velocity", "pin": "position"} and again.layout.levels == run.layout.levels
    with h5py.File(path) as file:
        assert [text.decode() for text in file["names/levels"]] == run.layout.levels
    run.layout.levels = []
    older = fm.load(run.save(tmp_path / "older.h5"))
    assert older.layout.levels == [] and np.array_equal(older["edge.fy"], run["edge.fy"])


def test_heads_of_other_formats(whole, tmp_path):
    path = tmp_path / "other.h5"
    for version, instead in ((9, "use a newer flexmb"), (6, "run the model again")):
        head_of = f"flexmb solution\nformat {version}\nflexmb 7.5\nsum of another kind\n".encode()
        path.write_bytes(head_of.ljust(512, b"\0") + bytes(9))
        with pytest.raises(ResultFileError, match=rf"written in format {version} by flexmb 7\.5, .* {instead}"):
            fm.load(path)
    path.write_bytes(whole.read_bytes()[512:])
    with pytest.raises(ResultFileError, match="this HDF5 file has no head"):
        fm.load(path)


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
