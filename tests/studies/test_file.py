"""The file of a study: the runs that survive, those that are repeated, and the files that are refused."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flexmb.errors import ResultFileError
from flexmb.studies.file import StudyFile
from flexmb.studies.parameters import grid
from flexmb.studies.study import load_study, study
from tests.studies import runs
from tests.studies.tables import same

pytestmark = pytest.mark.filterwarnings("ignore::flexmb.errors.StudyWarning")  # test_failures.py is about them


@pytest.mark.parametrize("workers", [0, 2])
def test_a_file_gives_back_the_table_bit_by_bit(tmp_path, workers):
    path = tmp_path / "all.study"
    found = study(runs.kinds, grid(x=range(5)), workers=workers, file=path)
    same(found, load_study(path))
    same(found, study(runs.kinds, grid(x=range(5)), workers=0))
    assert [p.name for p in tmp_path.iterdir()] == ["all.study"]


def test_only_what_is_missing_is_done_and_a_file_can_grow(tmp_path):
    path, log = tmp_path / "some.study", tmp_path / "log"
    first = [{"x": x, "log": str(log)} for x in (4, 2)]
    study(runs.counted, first, workers=0, file=path)
    more = [{"log": str(log), "x": x} for x in (1, 2, 3)]
    found = study(runs.counted, more, workers=0, file=path)
    assert found["x"].tolist() == [1, 2, 3] and found["y"].tolist() == [0.1, 0.2, 3 * 0.1]
    assert log.read_text().split() == ["4", "2", "1", "3"]
    assert load_study(path)["x"].tolist() == [4, 2, 1, 3]


def test_failed_runs_are_done_again_only_when_asked(tmp_path):
    path, mark = tmp_path / "f.study", tmp_path / "mark"
    mark.touch()
    parameters = grid(x=range(4), mark=str(mark))
    assert len(study(runs.failing_if, parameters, workers=0, file=path).failed) == 2
    mark.unlink()
    assert len(study(runs.failing_if, parameters, workers=0, file=path).failed) == 2
    found = study(runs.failing_if, parameters, workers=0, file=path, retry_failed=True)
    assert found["result"].tolist() == [0, 1, 2, 3]
    assert len(load_study(path).failed) == 0


def test_a_study_that_is_killed_goes_on_where_it_was(tmp_path):
    path, log = tmp_path / "killed.study", tmp_path / "log"
    log.touch()
    code = (
        "import sys; from flexmb.studies.study import study; from flexmb.studies.parameters import grid\n"
        "from tests.studies import runs\n"
        "if __name__ == '__main__':\n"
        f"    study(runs.counted, grid(x=range(40), log={str(log)!r}, seconds=0.03), workers=2, file={str(path)!r})\n"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    root = Path(__file__).parent.parent.parent
    process = subprocess.Popen([sys.executable, script], env={"PYTHONPATH": str(root), "PATH": ""})
    while len(log.read_text().split()) < 24:
        assert process.poll() is None
        time.sleep(0.01)
    with pytest.raises(ResultFileError, match="a study that is running uses it"):
        load_study(path)
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(0.5)  # its workers finish their runs
    kept = load_study(path)
    assert kept.status == "interrupted" and len(kept) == 40
    done = set(kept.ok["x"].tolist())
    assert 5 <= len(done) < 40
    log.write_text("")
    found = study(runs.counted, grid(x=range(40), log=str(log), seconds=0.03), workers=2, file=path)
    assert found["y"].tolist() == [x * 0.1 for x in range(40)]
    assert sorted(map(int, log.read_text().split())) == sorted(set(range(40)) - done)


def test_after_ctrl_c_the_file_is_whole(tmp_path):
    path = tmp_path / "stopped.study"
    study(runs.interrupting, grid(x=range(5)), workers=0, file=path)
    kept = load_study(path)
    assert kept["status"].tolist() == ["ok"] * 3 + ["missing"] * 2
    assert "2 runs are missing" in kept.message


@pytest.fixture
def whole(tmp_path):
    path = tmp_path / "whole.study"
    study(runs.kinds, grid(x=range(50)), workers=0, file=path)
    return path


def test_a_file_of_other_runs_is_refused(whole):
    with pytest.raises(ResultFileError, match=r"holds runs of tests\.studies\.runs\.kinds, not of .*one_number"):
        study(runs.one_number, grid(x=[1]), workers=0, file=whole)
    with pytest.raises(ResultFileError, match="have the parameters x, not diameter"):
        StudyFile(whole, function="tests.studies.runs.kinds", names=("diameter",))


@pytest.mark.parametrize("place", [0, 30, 100, 4097, 9000, 13000, -200])
def test_a_damaged_byte_is_never_taken_for_a_result(whole, place):
    """A damaged byte makes the file refused, or it lies in unused space and changes nothing."""
    before = load_study(whole)
    data = bytearray(whole.read_bytes())
    for k in range(40):
        data[place + k] ^= 0xFF
    whole.write_bytes(data)
    try:
        after = load_study(whole)
    except ResultFileError as why:
        assert "damaged" in str(why) or "not a file of a study" in str(why) or "not one of a study" in str(why)
    else:
        same(before, after)


def test_a_changed_number_is_found(whole):
    with sqlite3.connect(whole) as database:
        database.execute("UPDATE runs SET results = replace(results, '2.0', '2.5') WHERE position = 5")
    database.close()
    with pytest.raises(ResultFileError, match="run 4 does not fit its check sum"):
        load_study(whole)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.95])
def test_a_file_cut_short_is_refused(whole, share):
    data = whole.read_bytes()
    whole.write_bytes(data[: int(share * len(data))])
    with pytest.raises(ResultFileError, match=r"whole\.study: it is (damaged|empty)"):
        load_study(whole)


def test_other_files_are_refused(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("no database at all, but long enough to be one\n" * 100)
    with pytest.raises(ResultFileError, match="not a file of a study"):
        load_study(text)
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE runs (x)")
    database.close()
    with pytest.raises(ResultFileError, match="not one of a study"):
        study(runs.one_number, grid(x=[1]), workers=0, file=other)
    for path, words in ((tmp_path, "folder"), (tmp_path / "no" / "x", "no folder"), (tmp_path / "x", "no such file")):
        with pytest.raises(ResultFileError, match=words):
            load_study(path)


def test_a_file_of_a_newer_version_says_so(whole):
    with sqlite3.connect(whole) as database:
        database.execute("UPDATE about SET value = '99' WHERE key = 'format_version'")
    database.close()
    with pytest.raises(ResultFileError, match="it is of format 99"):
        load_study(whole)


def test_nothing_is_written_when_the_file_is_refused(whole):
    before = whole.read_bytes()
    with pytest.raises(ResultFileError):
        study(runs.one_number, grid(x=[1]), workers=0, file=whole)
    assert whole.read_bytes() == before
