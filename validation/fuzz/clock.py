"""The time that a task computes: that of the processor, without compiling.

What has to be compiled depends on the mechanisms that came before, and Ctrl-C waits until a function is compiled.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from numba.core import event

_system: Any = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None
#: whether the operating system sends signals by the time of the processor. A thread of Python could not: while compiled
#: code runs, it waits for the lock of the interpreter
KNOWN = hasattr(_system, "timer_create")


class _Event(ctypes.Structure):
    """What a timer does (``struct sigevent``): it sends a signal to the process."""

    _fields_ = (
        *(("value", ctypes.c_void_p), ("signal", ctypes.c_int), ("notify", ctypes.c_int)),
        ("others", ctypes.c_byte * 48),
    )


class _Times(ctypes.Structure):
    """Period and remaining time of a timer (``struct itimerspec``), each in seconds and nanoseconds."""

    _fields_ = (
        *(("period", ctypes.c_long), ("period_ns", ctypes.c_long)),
        *(("left", ctypes.c_long), ("left_ns", ctypes.c_long)),
    )


class _Timer:
    """Sends this process a signal when it has computed for some time."""

    def __init__(self, sent: int, seconds: float) -> None:
        self._number, self._left = ctypes.c_void_p(), _Times(0, 0, int(seconds), int(seconds % 1.0 * 1e9))
        what = _Event(signal=sent)
        _check(_system.timer_create(time.CLOCK_PROCESS_CPUTIME_ID, ctypes.byref(what), ctypes.byref(self._number)))

    def go_on(self) -> None:
        _check(_system.timer_settime(self._number, 0, ctypes.byref(self._left), None))

    def pause(self) -> None:
        """Stop, and keep what is left: nothing, once the signal is sent."""
        _check(_system.timer_settime(self._number, 0, ctypes.byref(_Times()), ctypes.byref(self._left)))

    def delete(self) -> None:
        _check(_system.timer_delete(self._number))


def _check(failed: int) -> None:
    if failed:
        raise OSError(ctypes.get_errno(), "a timer of the processor's time")


class _Timers(event.Listener):  # type: ignore[misc]
    """The timers that run; they pause while functions are compiled."""

    def __init__(self) -> None:
        self.running: list[_Timer] = []
        self._depth = 0

    def on_start(self, event: Any) -> None:
        self._depth += 1
        if self._depth == 1:
            for timer in self.running:
                timer.pause()

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            for timer in self.running:
                timer.go_on()

    @contextmanager
    def send(self, sent: int, seconds: float) -> Iterator[None]:
        """Send this signal if what stands in the `with` block computes for so long."""
        timer = _Timer(sent, seconds)
        self.running.append(timer)
        timer.go_on()
        try:
            yield
        finally:
            self.running.remove(timer)
            timer.delete()


_timers = _Timers()
event.register("numba:compile", _timers)


@contextmanager
def limited(patience: float, grace: float = float("inf")) -> Iterator[None]:
    """Send a Ctrl-C if what stands in the `with` block computes for longer than `patience` [s], and end the process if
    it goes on for `grace` [s] more; where the operating system has no such timers, let it go on."""
    with ExitStack() as timers:
        if KNOWN:
            timers.enter_context(_timers.send(signal.SIGINT, patience))
            if grace < float("inf"):
                timers.enter_context(_timers.send(signal.SIGPROF, patience + grace))
        yield
