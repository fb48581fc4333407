"""Ctrl-C while compiled code runs.

Python gives a signal to a function of Python, at the next instruction of the main thread. While compiled code calls a
user's function again and again, that is nearly always the first one of the callback, from which no exception can leave:
Python prints it and goes on. So while flexmb listens, Ctrl-C is noted as well, the functions that compiled code calls
are told apart as :func:`callback`, in which it is not raised, and loops ask for it by :func:`check`.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import CodeType, FrameType
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_callbacks: set[CodeType] = set()
_asked = False


def callback(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a function that compiled code calls. It begins with a `try`, and with :func:`check` in it."""
    _callbacks.add(function.__code__)
    return function


def check() -> None:
    """Raise KeyboardInterrupt if Ctrl-C was pressed since flexmb began to listen."""
    if _asked and threading.current_thread() is threading.main_thread():
        raise KeyboardInterrupt


def _note(number: int, frame: FrameType | None) -> None:
    global _asked
    _asked = True
    if frame is None or frame.f_code not in _callbacks:
        raise KeyboardInterrupt


def heard() -> None:
    """Ctrl-C has been obeyed; what follows is not to be stopped by it."""
    global _asked
    _asked = False


@contextmanager
def listening() -> Iterator[None]:
    """Within this, no Ctrl-C is lost, unless the user has a handler of his own or it is not the main thread."""
    global _asked
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield
        return
    _asked = False
    signal.signal(signal.SIGINT, _note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _asked = False


def interruptible(function: Callable[P, R]) -> Callable[P, R]:
    """A function that Ctrl-C ends by a KeyboardInterrupt, even where compiled code calls a user's function."""

    @wraps(function)
    def heedful(*given: P.args, **named: P.kwargs) -> Any:
        with listening():
            result = function(*given, **named)
            check()
            return result

    return heedful
