"""A batch in a file: the same numbers as in memory, what is missing is done, and the files that are refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import flexmb as fm
from flexmb.batches.filed import columns
from flexmb.batches.identity import differences, identity_of
from flexmb.errors import FlexmbError, ModelError, ResultFileError
from tests.batches.swings import controlled, pendulum, quiet, whip

OUTPUTS = ["bob.y", "hinge.fx", "energy.kinetic"]
START = {"hinge.rate": [0.0, 1.0, 2.0, 3.0]}
GIVEN = {"outputs": OUTPUTS, "times": [0.05, 0.1], "threads": 2, "progress": False}


def swings(path=None, model=None, **other):
    given = {**GIVEN, "initial": START, **other}
    return quiet(fm.batch, model or pendulum(), 0.1, given.pop("method", "radau"), file=path, **given)


def alike(a, b):
    assert a.status.tolist() == b.status.tolist() and list(a.messages) == list(b.messages)
    for name in a.outputs:
        np.testing.assert_array_equal(a[name], b[name])


def test_the_numbers_are_those_in_memory(tmp_path):
    path = tmp_path / "swings.runs"
    there = swings()
    for _ in range(2):  # made, and read
        alike(swings(path), there)
    assert [p.name for p in tmp_path.iterdir()] == ["swings.runs"]
    table = fm.load_study(path)
    assert table["hinge.rate"].tolist() == START["hinge.rate"] and table["member"].tolist() == [0, 1, 2, 3]
    np.testing.assert_array_equal(table["bob.y"], there["bob.y"])
    assert table["ended"].tolist() == ["finished"] * 4
    np.testing.assert_array_equal(swings(path).solution(2)["bob.y"], there["bob.y"][2])


def test_laws_one_time_members_that_fail_and_that_stop(tmp_path):
    laws = [fm.control.LinearLaw(D=[[d]]) for d in (-1.0, -5.0, -9.0)]
    given = {"vary": {"servo.law": laws, "bob.mass": [2.0, float("nan"), -1.0]}, "initial": None, "step": 2e-3}
    given |= {"times": None, "second_run": False, "method": "generalized_alpha", "model": controlled()}
    there, path = swings(**given), tmp_path / "laws.runs"
    assert there.status.tolist() == ["finished", "failed", "failed"]
    for _ in range(2):
        alike(swings(path, **given), there)
    table = fm.load_study(path)
    assert table.parameter_names == ["member", "bob.mass"] and table["status"].tolist() == ["ok", "failed", "failed"]
    low = pendulum()
    low.add_event(fm.crossing("bob.angle", -0.01), fm.StopRun(), name="low")
    given = {"model": low, "times": [0.01, 0.1], "outputs": "bob.y"}
    there, path = swings(**given), tmp_path / "low.runs"
    assert "stopped" in there.status and np.isnan(there["bob.y"][0, 1])
    for _ in range(2):
        alike(swings(path, **given), there)


class Push:
    """A moment of 1 N m, which presses Ctrl-C when it is asked for the 400th time."""

    calls, stop_at = 0, 400

    def __call__(self, t, position, velocity):
        cls = type(self)
        cls.calls += 1
        if cls.calls == cls.stop_at:
            signal.raise_signal(signal.SIGINT)
        return 0.0, 0.0, 1.0


def pushed(push):
    m = fm.PlanarModel("slow")
    m.python_force(m.add_body("body", mass=1.0, inertia=1.0).frame, push)
    return m


def heavy(mass):
    """A body that falls to the side, in a model that takes its time."""
    time.sleep(float(os.environ.get("PAUSE", "0")))
    m = fm.PlanarModel("heavy", gravity=(1.0, 0.0))
    m.add_body("body", mass=mass, inertia=1.0)
    return m


def test_only_what_is_missing_is_done_after_ctrl_c(tmp_path):
    path, Push.calls, Push.stop_at = tmp_path / "slow.runs", 0, 400
    m = pushed(Push())
    given = {"step": 0.05, "second_run": False, "vary": {"body.mass": np.linspace(1, 2, 50)}, "progress": False}
    first = fm.batch(m, 1.0, "rkf45", outputs=["body.angle"], times=[0.0, 1.0], file=path, **given)
    finished = first.status == "finished"
    assert 1 < finished.sum() < 50 and first.message.startswith("interrupted")
    kept = fm.load_study(path)
    assert (kept["status"] == "ok").tolist() == finished.tolist() and kept.status == "interrupted"
    before, Push.stop_at = Push.calls, 0
    second = fm.batch(m, 1.0, "rkf45", outputs=["body.angle"], times=[0.0, 1.0], file=path, **given)
    assert set(second.status) == {"finished"} and second.message == ""
    again, Push.calls = Push.calls - before, 0
    fm.batch(m, 1.0, "rkf45", outputs=["body.angle"], times=[0.0, 1.0], **given)
    assert again < Push.calls - 100 * (finished.sum() - 1)  # 183 a member; the doubts of the first take a run
    np.testing.assert_allclose(second["body.angle"][:, 1], 0.5, rtol=1e-9)
    np.testing.assert_array_equal(second["body.angle"][finished], first["body.angle"][finished])


def many(path):
    return fm.batch(
        heavy,
        0.1,
        "rkf45",
        vary={"mass": np.arange(1.0, 201.0)},
        outputs=["body.x"],
        step=0.05,
        second_run=False,
        file=path,
        progress=False,
    )


def test_a_batch_that_is_killed_goes_on_where_it_was(tmp_path):
    path, script = tmp_path / "killed.runs", tmp_path / "script.py"
    script.write_text(f"from tests.batches.test_filed import many\nmany({str(path)!r})\n")
    root = Path(__file__).parent.parent.parent
    process = subprocess.Popen([sys.executable, script], env={**os.environ, "PYTHONPATH": str(root), "PAUSE": "0.05"})
    begun = time.perf_counter()
    while not path.exists():
        assert process.poll() is None and time.perf_counter() - begun < 200.0
        time.sleep(0.05)
    time.sleep(1.5)
    with pytest.raises(ResultFileError, match="running uses it"):
        many(path)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = int((fm.load_study(path)["status"] == "ok").sum())
    assert 0 < done < 200
    found = many(path)
    assert set(found.status) == {"finished"}
    np.testing.assert_allclose(found["body.x"][:, 0], 0.005, rtol=1e-12)


OTHER = [
    ({"method": "generalized_alpha"}, "method"),
    ({"times": [0.05, 0.09]}, "times"),
    ({"outputs": ["bob.y"]}, "outputs"),
    ({"tolerance": 1e-5}, "option 'tolerance'"),
    ({"redundant": "error"}, "choices"),
    ({"initial": {"hinge.rate": [0.0, 1.0, 2.0, 4.0]}}, "values of 'hinge.rate'"),
    ({"initial": {"hinge.rate": [0.0, 1.0]}}, "the number of members, values of 'hinge.rate'"),
    ({"model": pendulum(2.1)}, "the model"),
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "whole.runs"
    swings(path)
    return path


@pytest.mark.parametrize("other, named", OTHER)
def test_the_file_of_another_batch_is_refused_by_what_differs(whole, other, named):
    before = whole.read_bytes()
    with pytest.raises(ResultFileError) as error:
        swings(whole, **other)
    assert f"whole.runs: it belongs to another batch of model 'pendulum', which differs in {named}; " in str(
        error.value
    )
    assert whole.read_bytes() == before


def test_other_names_and_other_files_are_refused(whole, tmp_path):
    with pytest.raises(
        ResultFileError, match=r"its runs have the parameters member, hinge\.rate, not member, bob\.mass"
    ):
        swings(whole, initial=None, vary={"bob.mass": [1.0]})
    with pytest.raises(ResultFileError, match="holds runs of batch of model 'pendulum', not of batch of model 'whip'"):
        quiet(fm.batch, whip(), 0.1, vary={"tip.mass": [1.0]}, file=whole, progress=False)
    text = tmp_path / "notes.txt"
    text.write_text("no database at all, but long enough to be one\n" * 100)
    for path, words in ((text, "not a file of a study"), (tmp_path, "folder"), (tmp_path / "no" / "x", "no folder")):
        with pytest.raises(FlexmbError, match=words):
            swings(path)
    with pytest.raises(FlexmbError, match="path must be a text or a Path"):
        swings(5)
    with pytest.raises(ModelError, match="'member' is a column of the file already"):
        fm.batch(lambda member: pendulum(member), 0.1, vary={"member": [1.0]}, file=tmp_path / "m", progress=False)
    if os.geteuid():  # the superuser may write everywhere
        tmp_path.chmod(0o500)
        with pytest.raises(ResultFileError, match="cannot be opened or written"):
            swings(tmp_path / "new.runs")


@pytest.mark.parametrize("place", [30, 4097, 9000, -200])
def test_a_damaged_file_is_refused_or_as_it_was(whole, tmp_path, place):
    there, data = swings(), bytearray(whole.read_bytes())
    for k in range(40):
        data[place + k] ^= 0xFF
    path = tmp_path / "damaged.runs"
    path.write_bytes(data)
    try:
        after = swings(path)
    except ResultFileError as why:
        assert "damaged" in str(why) or "not a file of a study" in str(why) or "not one of a study" in str(why)
    else:
        alike(after, there)
    path.write_bytes(whole.read_bytes()[: len(data) // 2])
    with pytest.raises(ResultFileError, match="damaged"):
        swings(path)


def test_a_file_that_was_replaced_meanwhile_is_not_read(tmp_path):
    path = tmp_path / "swings.runs"
    runs = swings(path)
    path.unlink()
    swings(path, method="generalized_alpha", step=0.01)
    with pytest.raises(ResultFileError, match="differs in method, option 'step'"):
        runs["bob.y"]
    path.unlink()
    with pytest.raises(ResultFileError, match="no such file"):
        runs["bob.y"]


def test_memory_does_not_grow_with_outputs(tmp_path):
    """With 40 members of 2 MB each, a batch in a file holds those of less than WRITE_SECONDS and of its run."""
    m, n, times = fm.PlanarModel("falling", gravity=(1.0, 0.0)), 40, np.linspace(0.0, 1.0, 250_001)
    m.add_body("body", mass=1.0, inertia=1.0)
    given = {"vary": {"body.mass": np.arange(1.0, n + 1)}, "times": times, "outputs": ["body.x"], "threads": 1}
    tracemalloc.start()
    try:
        fm.batch(m, 1.0, "rkf45", step=0.25, second_run=False, progress=False, file=tmp_path / "m.runs", **given)
        all_of_it = n * len(times) * 8
        assert tracemalloc.get_traced_memory()[1] - _of_one_run(m, times) < 0.4 * all_of_it
    finally:
        tracemalloc.stop()
    assert (tmp_path / "m.runs").stat().st_size > all_of_it


def _of_one_run(model, times):
    """The memory [byte] that a single run takes."""
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    fm.simulate(model, 1.0, "rkf45", step=0.25, second_run=False, progress=False, times=times)["body.x"]
    return tracemalloc.get_traced_memory()[1] - before


def test_an_output_of_several_entries_has_a_column_for_each():
    whole = np.arange(6.0).reshape(3, 2)
    found = columns({"rod.strain": whole, "end": np.array([1.5])})
    assert list(found) == ["rod.strain[0]", "rod.strain[1]", "end"] and found["end"] == 1.5
    assert found["rod.strain[1]"].tolist() == [1.0, 3.0, 5.0]


def test_a_model_is_known_whatever_it_was_used_for():
    for build in (pendulum, whip, controlled, lambda: pushed(Push())):
        model = build()
        before = identity_of({"model": model})
        quiet(fm.simulate, model, 0.01, "generalized_alpha", step=5e-3, second_run=False, progress=False)
        assert identity_of({"model": model}) == before == identity_of({"model": build()})


def test_functions_are_known_by_what_they_do():
    def law(gain):
        return lambda t, y: -gain * y

    one, same, other = (identity_of({"law": law(g)}) for g in (1.0, 1.0, 2.0))
    assert one == same and differences(one, other) == ["law"]
    assert differences(one, identity_of({"law": lambda t, y: -2.0 * y})) == ["law"]
    assert differences(identity_of({"set": {"a", "b"}}), identity_of({"set": {"b", "a"}})) == []
    assert differences(identity_of({"x": np.zeros(2)}), identity_of({"x": np.zeros((2, 1))})) == ["x"]
