"""A worker process: it loads a function, receives parameters and sends back outcomes."""

from __future__ import annotations

import contextlib
import pickle
import signal
import sys
from collections.abc import Callable
from functools import lru_cache
from multiprocessing.connection import Connection
from typing import Any

from flexmb.machine.progress import NoTerminal
from flexmb.studies.outcomes import run_chunk


@lru_cache(maxsize=8)
def loaded(function: bytes) -> Callable[..., Any]:
    """The function that was sent, loaded once in each process."""
    run: Callable[..., Any] = pickle.loads(function)
    return run


class Sent:
    """A function in the form in which it is sent to the processes of an executor, which load it when they call it."""

    def __init__(self, function: bytes):
        self._function = function

    def __call__(self, **parameters: Any) -> Any:
        return loaded(self._function)(**parameters)


def serve_runs(pipe: Connection, function: bytes) -> None:
    """Send "" when ready, or the reason why not; then receive lists of parameters and send their outcomes, until the
    pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process of the study
    sys.stderr = NoTerminal(sys.stderr)  # type: ignore[assignment]
    try:
        run = loaded(function)
    except Exception as why:
        pipe.send(f"{type(why).__name__}: {why}")
        return
    with contextlib.suppress(EOFError, OSError):  # the process of the study is gone
        pipe.send("")
        while True:
            pipe.send(run_chunk(run, pipe.recv()))
