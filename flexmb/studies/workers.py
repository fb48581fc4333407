"""A worker process: it receives parameters and sends back outcomes."""

from __future__ import annotations

import contextlib
import pickle
import signal
import sys
from multiprocessing.connection import Connection
from typing import Any

from flexmb.studies.outcomes import run_chunk


class NoTerminal:
    """A stream that claims to be no terminal, so that runs within a study draw no progress bars of their own."""

    def __init__(self, stream: Any):
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def isatty(self) -> bool:
        """False: no terminal."""
        return False


def serve_runs(pipe: Connection, function: bytes) -> None:
    """Send "" when ready, or the reason why not; then receive lists of parameters and send their outcomes, until the
    pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process of the study
    sys.stderr = NoTerminal(sys.stderr)  # type: ignore[assignment]
    try:
        run = pickle.loads(function)
    except Exception as why:
        pipe.send(f"{type(why).__name__}: {why}")
        return
    with contextlib.suppress(EOFError, OSError):  # the process of the study is gone
        pipe.send("")
        while True:
            pipe.send(run_chunk(run, pipe.recv()))
