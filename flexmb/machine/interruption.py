"""Ctrl-C while compiled code runs.

Python handles a signal at the next Python instruction of the main thread. While compiled code calls a user's function
again and again, this is nearly always the first instruction of the callback. No exception can leave a callback: Python
prints it and goes on, and Ctrl-C is lost. So while flexmb listens, it also keeps a note of Ctrl-C. Inside a function
marked by :func:`callback` nothing is raised; loops ask for the note by :func:`raise_if_asked`. Nor is anything raised
below functions that are :func:`sheltered`, such as those that compile: LLVM takes over a module, and llvmlite notes
that in its next line. An exception between the two would leave the module with two owners, and both would free it.
"""

from __future__ import annotations

# `signal` looks each handler up in an enumeration, which takes twenty times as long as the call that it wraps.
import _signal  # type: ignore[import-not-found]
import threading
from collections.abc import Callable
from functools import wraps
from signal import SIGINT, default_int_handler
from types import CodeType, FrameType
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_callbacks: set[CodeType] = set()
_sheltered: set[CodeType] = set()
_asked = False
#: called when Ctrl-C is pressed while flexmb listens
when_asked: list[Callable[[], None]] = []


def callback(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a function that compiled code calls. It must begin with a `try` that calls :func:`raise_if_asked`."""
    _callbacks.add(function.__code__)
    return function


def is_callback(code: CodeType) -> bool:
    """Whether the code of a function is that of one which compiled code calls."""
    return code in _callbacks


def sheltered(function: Callable[P, R]) -> Callable[P, R]:
    """Let no Ctrl-C end a function, nor what it calls; only where flexmb listens, as in what is
    :func:`interruptible`."""
    _sheltered.add(function.__code__)
    return function


def raise_if_asked() -> None:
    """Raise KeyboardInterrupt if Ctrl-C was pressed since flexmb began to listen."""
    if _asked and threading.current_thread() is threading.main_thread():
        raise KeyboardInterrupt


def _note_request(number: int, frame: FrameType | None) -> None:
    global _asked
    _asked = True
    for ending in when_asked:
        ending()
    if frame is not None and is_callback(frame.f_code):
        return
    while frame is not None:
        if frame.f_code in _sheltered:
            return
        frame = frame.f_back
    raise KeyboardInterrupt


def clear_request() -> None:
    """Forget Ctrl-C, since the run has stopped; what follows shall not stop too."""
    global _asked
    _asked = False


def _listen() -> bool:
    """Begin to listen, in the main thread and if the user has no handler of his own; whether that is so."""
    global _asked
    if (
        threading.current_thread() is not threading.main_thread()
        or _signal.getsignal(SIGINT) is not default_int_handler
    ):
        return False
    _asked = False
    _signal.signal(SIGINT, _note_request)
    return True


def _listen_no_more() -> None:
    """Give Ctrl-C back to Python."""
    global _asked
    _signal.signal(SIGINT, default_int_handler)
    _asked = False


def interruptible(function: Callable[P, R]) -> Callable[P, R]:
    """A function that Ctrl-C ends by a KeyboardInterrupt, even where compiled code calls a user's function."""

    @wraps(function)
    def interruptible_function(*given: P.args, **named: P.kwargs) -> Any:
        listens = _listen()
        try:
            result = function(*given, **named)
            raise_if_asked()
            return result
        finally:
            if listens:
                _listen_no_more()

    return interruptible_function
