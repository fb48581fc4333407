"""Processes that compile functions of the list into the cache, told what to do through a pipe.

A worker is a new Python process that imports what it compiles, and nothing of its parent's program. It ends when its
pipe is closed, even while LLVM works, and so with its parent, however that ends; Ctrl-C on the terminal ends it at
once. Nothing is lost by that: a file of the cache appears complete or not at all.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba

from flexmb.kernels import cache
from flexmb.machine.processors import free_memory

#: the environment variable that says how many processes may help a run, see :mod:`flexmb.kernels.warming.helpers`
HELPERS = "FLEXMB_HELPERS"
#: memory [bytes] that a worker needs
MEMORY = 6e8
#: what a worker runs: it looks for modules where its parent does
_PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.stdin.buffer.readline())
from flexmb.kernels.warming.work import work
work()
"""


def command() -> list[str]:
    """The command that starts this Python anew, empty where flexmb runs within a program that is no Python."""
    if getattr(sys, "frozen", False) or not Path(sys.executable or "").stem.lower().startswith("python"):
        return []
    options = (["-B"] if sys.dont_write_bytecode else []) + sys.flags.optimize * ["-O"]
    return [sys.executable, *options]


def with_memory(wanted: int) -> int:
    """How many of so many workers have the memory that they need."""
    return max(0, min(wanted, int(free_memory() / MEMORY)))


class Worker:
    """A process that compiles. It is told its `task` first: "each" to answer for each function that it is told, or what
    :mod:`flexmb.kernels.warming.helpers` says."""

    def __init__(self, task: Any) -> None:
        environment = {**os.environ, HELPERS: "0"}
        if chosen := getattr(numba.config, "CACHE_DIR", ""):
            environment["NUMBA_CACHE_DIR"] = str(chosen)
        answers = subprocess.PIPE if task == "each" else subprocess.DEVNULL
        self.process = subprocess.Popen(
            [*command(), "-c", _PROGRAM], env=environment, stdin=subprocess.PIPE, stdout=answers,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        for said in (sys.path, cache.settings(), task):
            self.tell(said)

    def tell(self, what: Any) -> None:
        """Send it something, as JSON, if it is still there."""
        stream: Any = self.process.stdin
        with suppress(OSError, ValueError):  # it has ended, or its pipe is closed
            stream.write(json.dumps(what).encode() + b"\n")
            stream.flush()

    def answer(self) -> Any:
        """What it answers, None if it has ended."""
        stream: Any = self.process.stdout
        line = stream.readline()
        return json.loads(line) if line.endswith(b"\n") else None

    def stop(self) -> None:
        """End it at once; it may have ended before."""
        with suppress(OSError):
            self.process.kill()
        with suppress(OSError, RuntimeError):  # nobody reads it; or Ctrl-C came while something is written to it
            self.process.stdin.close()  # type: ignore[union-attr]
