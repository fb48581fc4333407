"""Studies whose function is wrong: what they say, when they stop, and what they refuse."""

from __future__ import annotations

import warnings

import pytest

import flexmb as fm
from tests.studies import runs


@pytest.mark.parametrize("workers", [0, 1])
def test_the_first_failure_is_shown_at_once_and_only_once(workers):
    with pytest.warns(fm.errors.StudyWarning) as caught:
        found = fm.study(runs.delicate, fm.grid(x=range(9)), workers=workers)
    assert len(found.failed) == 3
    assert [str(w.message).partition(" (")[0] for w in caught] == [
        "study of tests.studies.runs.delicate: The first failure, at x = 3: ValueError: three is too many"
    ]


def test_it_is_shown_while_other_runs_are_still_to_be_done():
    done = []

    def run(x):
        done.append(x)
        if x == 2:
            raise ValueError("two")
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("error", fm.errors.StudyWarning)
        with pytest.raises(fm.errors.StudyWarning, match="at x = 2: ValueError: two"):
            fm.study(run, fm.grid(x=range(9)), workers=0)
    assert done == [0, 1, 2]


@pytest.mark.filterwarnings("ignore::flexmb.errors.StudyWarning")
@pytest.mark.parametrize("workers", [0, 2])
def test_a_study_stops_when_its_first_runs_all_fail(tmp_path, workers):
    path = tmp_path / "wrong.study"
    with pytest.raises(fm.errors.StudyError, match=r"all of the first \d+ runs failed") as caught:
        fm.study(runs.good_above, fm.grid(x=range(900), least=1000), workers=workers, file=path)
    text = str(caught.value)
    assert "ValueError: too small (runs.py" in text and "at x = " in text
    assert "give_up=None" in text and "retry_failed=True" in text
    kept = fm.load_study(path)
    assert 20 <= len(kept.failed) == len(caught.value.study.failed) < 900
    assert caught.value.study.status == "interrupted"


@pytest.mark.filterwarnings("ignore::flexmb.errors.StudyWarning")
def test_it_goes_on_if_asked_or_if_any_run_has_succeeded(tmp_path):
    few = fm.grid(x=range(30), least=1000)
    assert len(fm.study(runs.good_above, few, workers=0, give_up=None).failed) == 30
    with pytest.raises(fm.errors.StudyError, match="the first 5 runs"):
        fm.study(runs.good_above, few, workers=0, give_up=5)
    assert len(fm.study(runs.good_above, few[:20], workers=0).failed) == 20  # none is left to be spared
    path = tmp_path / "some.study"
    one = fm.study(runs.good_above, [{"x": 1000, "least": 1000}], workers=0, file=path)
    assert len(one.ok) == 1
    found = fm.study(runs.good_above, [{"x": 1000, "least": 1000}, *few], workers=0, file=path)
    assert len(found.failed) == 30 and found.status == "finished"


def spelled(x):
    if x > 1:
        return dict(error=x)
    return {"y": x}


def spelled_inside(x):
    def helper():
        return {"status": x}

    return {"y": helper()["status"]}


def test_names_of_columns_are_refused_before_any_run():
    with pytest.raises(
        fm.errors.ModelError, match="the function returns 'error', which is the name of a column of every"
    ):
        fm.study(spelled, fm.grid(x=[1, 2]), workers=0)
    assert fm.study(spelled_inside, fm.grid(x=[1, 2]), workers=0)["y"].tolist() == [1, 2]
    with pytest.raises(fm.errors.ModelError, match="'status' is a column of every study already"):
        fm.study(lambda status: 1.0, fm.grid(status=[1, 2]), workers=0)
    with pytest.raises(fm.errors.ModelError, match="give_up is 0"):
        fm.study(runs.one_number, fm.grid(x=[1, 2]), workers=0, give_up=0)


@pytest.mark.parametrize("workers", [0, 1])
def test_names_that_only_a_run_shows_are_refused_at_the_first(tmp_path, workers):
    log, path = tmp_path / "log", tmp_path / "clash.study"
    with pytest.raises(
        fm.errors.ModelError, match="the run returned 'status', which is the name of a column of every study"
    ):
        fm.study(runs.clashing, fm.grid(x=range(5), log=str(log)), workers=workers, file=path)
    assert log.read_text().split() == ["0"]
    assert fm.load_study(path)["status"].tolist() == ["missing"] * 5


@pytest.mark.filterwarnings("ignore::flexmb.errors.StudyWarning")
def test_a_name_that_is_taken_only_now_and_then_is_a_row_with_its_error():
    found = fm.study(lambda x: {"x" if x == 2 else "y": x}, fm.grid(x=range(4)), workers=0)
    assert found["status"].tolist() == ["ok", "ok", "failed", "ok"]
    assert "'x', which is the name of a parameter already" in found["error"][2]
