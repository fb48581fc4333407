"""Settings of all tests: random examples are the same in every run, and no test asserts a time. With `--bounds` a part
of them runs (:mod:`tests.bounds`), with checks of indices, and fails if it does not reach every compiled function; with
`--smoke` a few (:mod:`tests.smoke`)."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import pytest
from hypothesis import settings

from flexmb.kernels.warming.workers import HELPERS
from flexmb.solvers.methods.registry import METHODS
from tests import bounds
from tests.smoke import SMOKE

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")

#: names of the compiled functions that the processes of pytest-xdist have reached
_elsewhere: set[str] = set()
#: names of those that no process has reached
_missing: list[str] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "run the tests that reach all compiled functions, with checks of indices (NUMBA_BOUNDSCHECK=1)"
    parser.addoption("--bounds", action="store_true", help=text)
    parser.addoption("--smoke", action="store_true", help="run a few tests of everything (tests/smoke.py)")


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell: tests press Ctrl-C
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("smoke"):
        config.args[:] = [f"{Path(__file__).parent / test}" for test in SMOKE]
    os.environ.setdefault(HELPERS, "0")  # what is compiled by whom does not depend on the load of the machine
    if config.getoption("bounds"):
        if not numba.config.BOUNDSCHECK:
            raise pytest.UsageError("--bounds checks indices where NUMBA_BOUNDSCHECK=1 is set; set it")
        config.args[:] = [f"{Path(__file__).parent / test}" for test in bounds.PART]


@pytest.fixture(autouse=True)
def _methods_of_a_test() -> Iterator[None]:
    """Methods that a test or an example adds are forgotten behind it."""
    known = list(METHODS)
    yield
    for name in [name for name in METHODS if name not in known]:
        METHODS.take_away(name)


@pytest.fixture(autouse=True)
def _warnings_that_are_expected(request: pytest.FixtureRequest) -> Iterator[None]:
    """What `@pytest.mark.warns(kind, text, …)` says: the test warns so, where its parameters have the values that are
    given by name, a value or a tuple of several."""
    given = getattr(request.node, "callspec", None)
    with contextlib.ExitStack() as expected:
        for mark in request.node.iter_markers("warns"):
            kind, text = mark.args
            wanted = {name: value if isinstance(value, tuple) else (value,) for name, value in mark.kwargs.items()}
            if all(given.params[name] in values for name, values in wanted.items()):
                expected.enter_context(pytest.warns(kind, match=text))
        yield


@pytest.fixture
def quickly_changing_threads() -> Iterator[None]:
    """Python changes from thread to thread as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    """Matplotlib keeps all figures that a process has made, and warns when they are many."""
    yield
    if (pyplot := sys.modules.get("matplotlib.pyplot")) is not None:
        pyplot.close("all")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """While tests are collected Python does not look for garbage, nor among the tests afterwards."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Of the slowest tests nothing is said where none is slow."""
    reports = [report for kind in terminalreporter.stats.values() for report in kind]
    if all(getattr(report, "duration", 0.0) < config.getoption("durations_min") for report in reports):
        config.option.durations = None


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    _elsewhere.update(getattr(node, "workeroutput", {}).get("reached", ()))


def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    if not config.getoption("bounds"):
        return
    if hasattr(config, "workeroutput"):
        config.workeroutput["reached"] = sorted(bounds.reached())
        return
    _missing[:] = sorted(bounds.functions().keys() - bounds.reached() - _elsewhere) if session.testscollected else []
    if _missing:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_unconfigure() -> None:
    """What was not reached stands behind everything else, where one looks for the reason."""
    if _missing:
        print("", *_missing, sep="\nnot reached with checks of indices: ")
        print("enter a test that runs them in PART of tests/bounds.py")
