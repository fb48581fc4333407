"""Processes that compile ahead of a run by themselves: when they start, what they are told, and that they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numba
import pytest

from flexmb import errors
from flexmb.kernels import cache, slots
from flexmb.kernels.warming import helpers
from flexmb.kernels.warming.functions import dispatcher_of
from flexmb.kernels.warming.helpers import Helpers, allowed
from flexmb.kernels.warming.recorded import recorded
from flexmb.kernels.warming.workers import HELPERS

#: a program that starts a helper, tells it what it asks for, and waits
STARTS = """
import time
from flexmb.kernels.warming.workers import Worker
worker = Worker([0, 1])
worker.tell({number})
print(worker.process.pid, flush=True)
time.sleep(600)
"""


class _Told:
    """A helper that notes what it is told."""

    def __init__(self, task):
        self.task, self.told, self.stopped, self.process = task, [], False, self
        self.returncode = None

    def tell(self, what):
        self.told.append(what)

    def wait(self):
        """It has not ended."""

    def stop(self):
        self.stopped = True


@pytest.fixture
def idle(monkeypatch, tmp_path):
    """A machine with four idle processors, on which nothing is compiled; the helpers that were started."""
    started = []
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.delenv(HELPERS, raising=False)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(helpers, "free_processors", lambda: 2)
    monkeypatch.setattr(helpers, "with_memory", lambda wanted: wanted)
    monkeypatch.setattr(helpers, "Worker", lambda task: started.append(_Told(task)) or started[-1])
    return started


def _ask(some, number, kept=False):
    """Ask for a function of the list."""
    function, types = recorded().functions[number], recorded().types
    arguments = tuple(types.kind(k) for k in function.arguments)
    dispatcher = dispatcher_of(function.place)
    if function.returns is None:
        some.note(getattr(dispatcher, "from_python", dispatcher), arguments, kept)
    else:
        asked = dispatcher if hasattr(dispatcher, "returns") else dispatcher.apart
        some.note(asked, numba.core.typing.signature(types.kind(function.returns), *arguments), kept)


def _run(name):
    return next(numbers for kind, numbers in recorded().runs if kind == name)


def test_they_start_when_much_is_lacking_and_hear_what_is_asked_for(idle):
    some, run = Helpers(), _run("cms")
    for number in run[:3]:
        _ask(some, number)
    assert [one.task for one in idle] == [[0, 2], [1, 2]]
    assert all(one.told == list(run[:3]) for one in idle)
    some.stop()
    assert all(one.stopped for one in idle)


def test_they_do_not_start_for_what_is_kept_or_not_listed_or_little(idle, monkeypatch):
    some, run = Helpers(), _run("cms")
    _ask(some, run[0], kept=True)
    some.note(slots.interval_in, (numba.types.float32,), False)
    assert not idle
    names = {cache.file_name(recorded().functions[number].name) for number in recorded().likely(run[:1])[5:]}
    monkeypatch.setattr(cache, "kept_names", lambda: frozenset(names))
    _ask(some, run[0])
    assert not idle


@pytest.mark.parametrize(
    ("name", "value"), [(HELPERS, "0"), ("PYTEST_XDIST_WORKER", "gw0")], ids=["switched off", "in a worker of tests"]
)
def test_the_environment_keeps_them_away(idle, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    some = Helpers()
    _ask(some, _run("cms")[0])
    assert not idle and allowed() == 0


def test_the_environment_says_how_many(idle, monkeypatch):
    monkeypatch.setenv(HELPERS, "5")
    monkeypatch.setattr(helpers, "free_processors", lambda: 0)
    _ask(Helpers(), _run("cms")[0])
    assert len(idle) == 5


def test_what_is_no_number_is_refused(idle, monkeypatch):
    monkeypatch.setenv(HELPERS, "many")
    with pytest.raises(errors.WarmUpError, match="FLEXMB_HELPERS is 'many'; give a number"):
        _ask(Helpers(), _run("cms")[0])


@pytest.mark.parametrize("what", ["free_processors", "with_memory"])
def test_none_start_without_free_processors_or_memory(idle, monkeypatch, what):
    monkeypatch.setattr(helpers, what, lambda *wanted: 0)
    _ask(Helpers(), _run("cms")[0])
    assert not idle


def test_none_start_where_nothing_can_be_kept(idle, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "file"))
    _ask(Helpers(), _run("cms")[0])
    assert not idle


def test_others_start_when_they_have_ended_and_much_is_lacking_again(idle):
    some = Helpers()
    _ask(some, _run("planar")[0])
    for one in idle:
        one.returncode = 0
    _ask(some, _run("exact")[0])
    assert len(idle) == 4 and idle[-1].told == [_run("exact")[0]]


def test_a_child_process_has_none(idle, monkeypatch):
    import multiprocessing

    monkeypatch.setattr(multiprocessing, "parent_process", lambda: object())
    assert allowed() == 0


def _until(condition, seconds=900.0):
    """Wait for a condition, at most so long."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    return condition()


def _is_there(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")
def test_a_helper_compiles_what_follows_and_ends_with_its_parent(tmp_path):
    number = _run("planar")[-4]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", STARTS.format(number=number)], env=environment, stdout=subprocess.PIPE, text=True
    ) as parent:
        pid = int(parent.stdout.readline())
        try:
            assert _is_there(pid)
            kept = _until(lambda: any(tmp_path.rglob(f"*{cache.SUFFIX}")))
        finally:
            parent.send_signal(signal.SIGKILL)
    assert kept
    assert _until(lambda: not _is_there(pid), 60.0)
