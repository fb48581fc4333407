"""A worker process: what it is sent, what it sends back."""

from __future__ import annotations

import contextlib
import pickle
import signal
import sys
from multiprocessing.connection import Connection
from typing import Any

from flexmb.studies.outcomes import attempt


class NoTerminal:
    """A stream that says it is no terminal: runs within a study draw no progress bars of their own."""

    def __init__(self, stream: Any):
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def isatty(self) -> bool:
        """No."""
        return False


def serve(pipe: Connection, function: bytes) -> None:
    """Send "" when ready, or why not; then take lists of parameters and send their outcomes, until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asked
    sys.stderr = NoTerminal(sys.stderr)  # type: ignore[assignment]
    try:
        run = pickle.loads(function)
    except Exception as why:
        pipe.send(f"{type(why).__name__}: {why}")
        return
    with contextlib.suppress(EOFError, OSError):  # the process that asked is gone
        pipe.send("")
        while True:
            pipe.send(attempt(run, pipe.recv()))
