"""Processes that compile ahead of a run, by themselves, where processors are free.

The first run of a mechanism on a machine asks for a hundred functions and more, one after another, and Numba compiles
one at a time. Other processes can compile others meanwhile: the list of what runs ask for
(:mod:`flexmb.kernels.warming.recorded`) says what is likely to follow. A helper begins with what is needed last, while
the run comes from the other end, and takes from the cache what is there. What it asks for before that is there, it
compiles as if there were no helpers: it waits for none.

Helpers start when a run lacks many functions of the list, and processors and memory are free for them, but not in
worker processes, nor where nothing can be kept. The environment variable FLEXMB_HELPERS gives their number instead, 0
for none.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from contextlib import suppress
from typing import Any

from flexmb.errors import WarmUpError
from flexmb.kernels import cache
from flexmb.kernels.warming.functions import Function, described
from flexmb.kernels.warming.recorded import recorded
from flexmb.kernels.warming.types import NotListed
from flexmb.kernels.warming.workers import HELPERS, Worker, command, with_memory
from flexmb.machine import interruption
from flexmb.machine.processors import free_processors

#: helpers at most: each compiles again a part of what functions have in common
MOST = 3
#: helpers start when a run lacks so many functions; they take a second or two to start
MANY = 20


class Helpers:
    """The helpers of this process."""

    def __init__(self) -> None:
        self._workers: list[Worker] = []
        self._asked: list[int] = []
        self._numbers: dict[Function, int] = {}
        self._may = True

    def note(self, dispatcher: Any, signature: Any, kept: bool) -> None:
        """A function is asked for: start helpers if it is time to, and tell them."""
        if kept or not self._may:
            return
        number = self._number(dispatcher, signature)
        if number is None:
            return
        if all(worker.process.returncode is not None for worker in self._workers):
            self.stop()
        if self._workers:
            for worker in self._workers:
                worker.tell(number)
        elif threading.current_thread() is threading.main_thread():
            self._asked.append(number)
            self._start()

    def _number(self, dispatcher: Any, signature: Any) -> int | None:
        """The number of a function in the list."""
        known = recorded()
        if not self._numbers:
            self._numbers = {function: k for k, function in enumerate(known.functions)}
        try:
            function = described(dispatcher, signature, known.types)
        except NotListed:
            return None
        return None if function is None else self._numbers.get(function)

    def _start(self) -> None:
        """Start helpers, if this process may have some, and much is lacking."""
        wanted = allowed()
        self._may = wanted != 0
        count = with_memory(min(MOST, free_processors()) if wanted is None else wanted)
        if count == 0 or lacking(recorded().likely(self._asked)) < MANY:
            return
        with suppress(OSError):  # no more processes
            for k in range(count):
                worker = Worker([k, count])
                threading.Thread(target=worker.process.wait, daemon=True).start()  # it leaves nothing when it ends
                self._workers.append(worker)
                for number in self._asked:
                    worker.tell(number)
        self._asked = []

    def stop(self) -> None:
        """End all helpers; what they have compiled is kept."""
        for worker in self._workers:
            worker.stop()
        self._workers = []


def allowed() -> int | None:
    """How many helpers this process may have, None if that depends on what is free."""
    chosen = os.environ.get(HELPERS, "").strip()
    if chosen and not chosen.isdecimal():
        raise WarmUpError(f"the environment variable {HELPERS} is {chosen!r}; give a number of processes, 0 for none")
    parent = getattr(sys.modules.get("multiprocessing"), "parent_process", lambda: None)
    child = parent() is not None or "PYTEST_XDIST_WORKER" in os.environ
    if child or not command() or cache.unusable(cache.folder()):
        return 0
    return int(chosen) if chosen else None


def lacking(numbers: list[int]) -> int:
    """How many of these functions of the list have no machine code in the cache, of any version of their sources."""
    kept = cache.kept_names()
    return sum(cache.file_name(recorded().functions[number].name) not in kept for number in numbers)


_helpers = Helpers()


def help_runs() -> None:
    """Let helpers compile ahead of the runs of this process."""
    cache.listeners.append(_helpers.note)
    interruption.when_asked.append(_helpers.stop)
    atexit.register(_helpers.stop)
