"""The time that a task computes: that of the processor, without compiling.

What has to be compiled depends on the mechanisms that came before, and Ctrl-C waits until a function is compiled.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event

#: what ends a process that computes for too long, whatever its compiled code does, where the operating system has it
ALARM: Any = getattr(signal, "ITIMER_PROF", None)


class _Compiling(event.Listener):  # type: ignore[misc]
    """Adds up the processor time of compilations [s]; one within another counts once."""

    def __init__(self) -> None:
        self.total, self._begun, self._depth = 0.0, 0.0, 0

    def on_start(self, event: Any) -> None:
        if self._depth == 0:
            self._begun = time.process_time()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.total += time.process_time() - self._begun

    def so_far(self) -> float:
        """The time of all compilations, and of the one that goes on."""
        return self.total + (time.process_time() - self._begun if self._depth else 0.0)


_compiling = _Compiling()
event.register("numba:compile", _compiling)


def computed() -> float:
    """The time that this process has computed [s]."""
    return time.process_time() - _compiling.so_far()


@contextmanager
def limited(patience: float, grace: float = float("inf")) -> Iterator[None]:
    """Send a Ctrl-C if what stands in the `with` block computes for longer than `patience` [s], and end the process if
    it goes on for `grace` [s] more."""
    done, begun, compiled = threading.Event(), computed(), _compiling.so_far()
    ends = ALARM is not None and grace < float("inf")

    def set_alarm() -> None:
        signal.setitimer(ALARM, max(patience + grace - (computed() - begun), 1e-3))

    def watch() -> None:
        nonlocal compiled
        asked = False
        while not done.wait(0.05):
            if not asked and computed() - begun > patience:
                asked = True
                os.kill(os.getpid(), signal.SIGINT)
            if ends and _compiling.so_far() > compiled:
                compiled = _compiling.so_far()
                set_alarm()

    if ends:
        set_alarm()
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
        if ends:
            signal.setitimer(ALARM, 0.0)
