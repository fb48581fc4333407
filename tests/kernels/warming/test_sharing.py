"""Lists of functions, shared by processes: from the command line, by Ctrl-C, and where nothing can be kept."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time

import numba
import pytest
from click.testing import CliRunner

from flexmb import errors
from flexmb.cli import main
from flexmb.kernels import cache
from flexmb.kernels.warming import sharing
from flexmb.kernels.warming.recorded import recorded
from flexmb.kernels.warming.sharing import compile_list
from flexmb.kernels.warming.workers import Worker

#: functions that are compiled in a moment
SMALL = ["flexmb.solvers.rows.index_one.norm", "flexmb.solvers.rows.singular_value.approaches"]


def _small():
    return [k for k, function in enumerate(recorded().functions) if function.name in SMALL]


def test_two_processes_share_a_list(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(sharing, "with_memory", lambda wanted: wanted)
    shown = []
    done = compile_list(_small(), 2, lambda progress: shown.append(progress.done))
    assert (done.total, done.done, done.gone, done.processes) == (len(_small()), len(_small()), 0, 2)
    assert done.new > 1 and shown == sorted(shown)
    assert set(SMALL) <= cache.kept_names()
    again = compile_list(_small(), 2)
    assert (again.new, again.there) == (0, len(_small()))


def test_without_memory_this_process_does_all(tmp_path, monkeypatch):
    monkeypatch.setattr(sharing, "with_memory", lambda wanted: 1)
    done = compile_list(_small()[:2], 8)
    assert done.processes == 1 and done.done == 2


def test_a_process_that_dies_ends_it_by_name(monkeypatch):
    class Dying(Worker):
        def tell(self, what):
            self.stop()

    monkeypatch.setattr(sharing, "with_memory", lambda wanted: wanted)
    monkeypatch.setattr(sharing, "Worker", Dying)
    with pytest.raises(errors.WarmUpError, match=r"ended after 0 of 2 functions.*fewer --processes"):
        compile_list(_small()[:2], 2)


def test_where_nothing_can_be_kept_it_says_why(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "file"))
    result = CliRunner().invoke(main, ["warm-up", "planar"])
    assert result.exit_code == 1
    assert "kernels cannot be kept in" in result.output and "NUMBA_CACHE_DIR" in result.output


def test_kinds_are_listed_and_a_wrong_one_is_told():
    listed = CliRunner().invoke(main, ["warm-up", "--list"]).output
    assert {"planar", "cms", "exact"} <= {line.split()[0] for line in listed.splitlines()}
    result = CliRunner().invoke(main, ["warm-up", "planer"])
    assert result.exit_code == 1 and "did you mean 'planar'" in result.output
    for wrong in ([], ["--all", "planar"]):
        result = CliRunner().invoke(main, ["warm-up", *wrong])
        assert result.exit_code == 1 and "give --all" in result.output


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C as a signal")
def test_ctrl_c_keeps_what_is_done(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "flexmb", "warm-up", "cms", "--processes", "2"]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    end = time.monotonic() + 900.0
    while not any(tmp_path.rglob(f"*{cache.SUFFIX}")) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60.0)
    assert process.returncode == 1 and re.search("stopped; what was compiled so far is kept", output)
    assert any(tmp_path.rglob(f"*{cache.SUFFIX}"))
    with pytest.raises(ProcessLookupError):  # nobody is left of it
        os.killpg(process.pid, 0)
