"""Studies: the processes that run them, failures, and the final table."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

from flexmb.errors import FlexmbError, ModelError
from flexmb.studies.parameters import grid, random_parameters
from flexmb.studies.study import study
from tests.studies import runs
from tests.studies.tables import same

pytestmark = pytest.mark.filterwarnings("ignore::flexmb.errors.StudyWarning")  # test_failures.py is about them


def test_processes_give_the_table_of_this_process_bit_by_bit():
    parameters = random_parameters(12, seed=2, diameter=(0.01, 0.03), length=(0.5, 1.5))
    here = study(runs.swing, parameters, workers=0)
    assert len(here.ok) == 12 and here.status == "finished"
    same(here, study(runs.swing, parameters, workers=2))
    # softer and longer rods fall no faster than a rigid one, by about g t²/2 · 3/2 at the tip
    assert np.all((here["tip"] < 0.0) & (here["tip"] > -1.6 * 9.81 * 0.1**2 / 2))
    assert here["height"].shape == (12, 21) and np.array_equal(here["height"][:, -1], here["tip"])


def test_every_kind_of_result_has_its_column():
    found = study(runs.kinds, grid(x=[2, 0, 3]), workers=0)
    assert found["square"].dtype == np.int64 and found["square"].tolist() == [4, 0, 9]
    assert found["root"].tolist() == [2**0.5, 0.0, 3**0.5]
    assert found["odd"].dtype == bool and found["odd"].tolist() == [False, False, True]
    assert found["name"].tolist() == ["run ‘2’", "run ‘0’", "run ‘3’"]
    assert found["powers"].tolist() == [[2, 4, 8], [0, 0, 0], [3, 9, 27]]
    assert [len(v) for v in found["long"]] == [2, 0, 3]
    assert study(runs.one_number, grid(x=[1.5]), workers=0)["result"].tolist() == [3.0]
    same(found, study(runs.kinds, grid(x=[2, 0, 3]), workers=1))


def test_the_same_parameters_twice_are_computed_once(tmp_path):
    log = tmp_path / "log"
    found = study(runs.counted, [{"x": x, "log": str(log)} for x in (1, 2, 1)], workers=0)
    assert found["x"].tolist() == [1, 2, 1] and found["y"].tolist() == [0.1, 0.2, 0.1]
    assert log.read_text().split() == ["1", "2"]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_run_that_fails_is_a_row_with_its_error_and_the_others_are_there(workers):
    found = study(runs.delicate, grid(x=range(9)), workers=workers)
    assert found["status"].tolist() == ["failed" if x in (3, 5, 7) else "ok" for x in range(9)]
    np.testing.assert_array_equal(found["y"], [0, 1, 2, np.nan, 4, np.nan, 6, np.nan, 8])
    errors = dict(zip(found["x"].tolist(), found["error"].tolist()))
    assert errors[3].startswith("ValueError: three is too many (runs.py, line ")
    assert "returned dict as 'y'" in errors[5]
    assert errors[7].startswith("SystemExit: 4")
    assert {errors[x] for x in range(9) if x not in (3, 5, 7)} == {""}
    assert found.failed["x"].tolist() == [3, 5, 7]
    assert "3 failed" in str(found) and "three is too many" in str(found)


def test_a_run_whose_process_dies_is_found_and_no_other_is_lost():
    """Many short runs are sent at once, so that runs that die share a chunk with others."""
    found = study(runs.deadly, grid(x=range(60), culprits=[(11, 40)]), workers=2)
    assert found.status == "finished"
    assert [x for x, s in zip(found["x"], found["status"]) if s == "died"] == [11, 40]
    assert found.ok["y"].tolist() == [10 * x for x in range(60) if x not in (11, 40)]
    assert "exit code 17" in found[11]["error"] and "signal 9" in found[40]["error"]


def test_the_first_run_may_die():
    found = study(runs.deadly, grid(x=[1], culprits=[(1,)]), workers=1)
    assert found["status"].tolist() == ["died"]


def test_a_run_that_dies_with_others_and_once_alone_is_tried_again(tmp_path):
    found = study(runs.deadly_once, grid(x=range(3), mark=str(tmp_path / "mark")), workers=1)
    # so few runs are sent alone from the start, so this one has had both its tries
    assert found["status"].tolist() == ["ok", "ok", "died"]
    again = study(runs.deadly_once, grid(x=range(3), mark=str(tmp_path / "mark")), workers=1)
    assert again["y"].tolist() == [0, 10, 20]


def test_workers_use_one_thread_and_this_process_is_left_as_it_was(monkeypatch):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    assert study(runs.threads, grid(x=[1]), workers=1)["result"].tolist() == ["1"]
    assert "OPENBLAS_NUM_THREADS" not in os.environ


def test_two_processes_work_at_the_same_time_and_neither_is_this_one(tmp_path):
    found = study(runs.meeting, grid(x=range(3), folder=str(tmp_path)), workers=2)
    assert found["status"].tolist() == ["ok"] * 3
    assert found["result"][1] != found["result"][2] and os.getpid() not in found["result"]


def test_executors_of_concurrent_futures_give_the_same_table():
    parameters = grid(x=range(30))
    here = study(runs.kinds, parameters, workers=0)
    with ThreadPoolExecutor(3) as threads:
        same(here, study(runs.kinds, parameters, executor=threads))
        assert study(lambda x: x + 1.0, grid(x=[1.0]), executor=threads)["result"].tolist() == [2.0]


def test_a_given_pool_that_breaks_ends_the_study_with_what_it_has():
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = study(runs.deadly, grid(x=range(30), culprits=[(29,)]), executor=pool)
    assert found.status == "interrupted" and "executor" in found.message
    assert found["status"].tolist().count("ok") >= 1 and found[29]["status"] == "missing"


def test_ctrl_c_in_this_process_keeps_what_is_done_and_not_what_was_cut_short():
    before = signal.getsignal(signal.SIGINT)
    found = study(runs.interrupting, grid(x=range(6)), workers=0)
    assert found.status == "interrupted" and "3 runs are missing" in found.message
    assert found["status"].tolist() == ["ok"] * 3 + ["missing"] * 3
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_with_processes_keeps_what_is_done(tmp_path):
    log = tmp_path / "log"
    log.touch()

    def press():
        while log.read_text().count("\n") < 3:
            pass
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    found = study(runs.counted, grid(x=range(400), log=str(log), seconds=0.05), workers=2)
    thread.join()
    assert found.status == "interrupted"
    counts = found["status"].tolist()
    assert 1 <= counts.count("ok") < 400 and counts.count("ok") + counts.count("missing") == 400


def nested(held):
    def inner(x):
        return {"result": x, "type": type(held).__name__, "process": os.getpid()}

    return inner


def test_functions_that_no_module_has_are_sent_with_their_code():
    shift = 2.5
    found = study(lambda x: x + shift, grid(x=[1, 2]), workers=1)
    assert found["result"].tolist() == [3.5, 4.5]
    found = study(nested([]), grid(x=[1]), workers=1)
    assert found["type"].tolist() == ["list"] and found["process"][0] != os.getpid()
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert study(lambda x: x + shift, grid(x=[1, 2]), executor=pool)["result"].tolist() == [3.5, 4.5]


def test_without_the_package_that_sends_code_it_is_told_which_one_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    assert study(runs.one_number, grid(x=[1]), workers=1)["status"].tolist() == ["ok"]
    with pytest.raises(ModelError, match=r"a function inside of 'nested' cannot be sent .* top level of a module"):
        study(nested([]), grid(x=[1]), workers=1)
    monkeypatch.delattr(sys.modules["__main__"], "__file__", raising=False)
    typed = nested([])
    typed.__module__, typed.__qualname__ = "__main__", "swing"
    with pytest.raises(FlexmbError, match=r"'swing' was typed into Python.*pip install cloudpickle"):
        study(typed, grid(x=[1]), workers=1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: study(nested(threading.Lock()), grid(x=[1]), workers=1), "a function inside of 'nested'"),
        (lambda: study(3, grid(x=[1])), "must be a function"),
        (lambda: study(runs.one_number, grid(y=[1])), "do not fit the function"),
        (lambda: study(runs.one_number, grid(x=[1]), executor=3), "int is no executor"),
        (lambda: study(runs.one_number, grid(x=[1]), executor=3, workers=2), "give one of the two"),
        (lambda: study(runs.one_number, grid(x=[1]), workers=-1), "workers is -1"),
    ],
)
def test_what_cannot_be_run_is_told_before_anything_runs(call, words):
    with pytest.raises(ModelError) as caught:
        call()
    assert words in str(caught.value)


def test_a_partial_can_be_sent():
    found = study(partial(runs.swing, 0.02), grid(length=[1.0]), workers=1)
    assert found.name == "tests.studies.runs.swing(0.02)" and found["status"].tolist() == ["ok"]


def test_a_script_without_a_guard_is_told_what_it_lacks(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from flexmb.studies.parameters import grid\n"
        "from flexmb.studies.study import study\n"
        "def f(x): return x\n"
        "print(study(f, grid(x=[1]), workers=1))\n"
    )
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert ended.returncode == 1 and '__name__ == "__main__"' in ended.stderr.splitlines()[-1]
