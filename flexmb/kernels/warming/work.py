"""What a worker does, in its own process: read what its parent says, and compile."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

from flexmb.kernels import cache
from flexmb.kernels.warming.functions import compile_function
from flexmb.kernels.warming.recorded import recorded

#: a helper that has nothing to do waits so long [s] for its parent to ask for more
PATIENCE = 20.0
#: priority of helpers below that of other programs
NICE = 5
#: what became of a function: it is compiled now, its machine code was there, there is no such function any more
NEW, THERE, GONE = "new", "there", "gone"

Said = SimpleQueue[Any]


def work() -> None:
    """Do what the parent says, until it has nothing more to say or ends."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    answers = os.dup(1)
    sys.stdout = sys.stderr
    heard: Said = SimpleQueue()
    threading.Thread(target=_listen, args=(heard,), daemon=True).start()
    settings, task = heard.get(), heard.get()
    if settings != json.loads(json.dumps(cache.settings())):  # the parent could not use what is compiled here
        os._exit(0)
    if task == "each":
        while True:
            os.write(answers, json.dumps(compile_number(heard.get())).encode() + b"\n")
    _compile_ahead(heard, *task)
    os._exit(0)


def _listen(heard: Said) -> None:
    """Pass on what the parent says; end the process when the pipe is closed."""
    with suppress(Exception):
        for line in sys.stdin.buffer:
            heard.put(json.loads(line))
    os._exit(0)


def compile_number(number: int) -> str:
    """Compile a function of the list into the cache; what became of it."""
    missed: list[Any] = []

    def note(dispatcher: Any, signature: Any, kept: bool) -> None:
        if not kept:
            missed.append(dispatcher)

    cache.listeners.append(note)
    try:
        compile_function(recorded().functions[number], recorded().types)
    except Exception:  # the list may be of an earlier state of the sources; a run says what is wrong with a kernel
        return GONE
    finally:
        cache.listeners.remove(note)
    return NEW if missed else THERE


def _compile_ahead(heard: Said, which: int, of: int) -> None:
    """Compile what is likely to follow on what the parent asks for, the last first: the parent comes from the other
    end. `which` of so many helpers this is: each has functions of its own, and then takes those of others."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    asked: set[int] = set()
    likely: list[int] = []
    done: set[int] = set()
    todo: list[int] = []
    while True:
        said = _heard(heard, 0.0 if todo else PATIENCE)
        if not said and not todo:
            return
        asked.update(said)
        if not asked.issubset(likely):
            likely = recorded().likely(asked)
        todo = [number for number in likely if number not in done and number not in asked]
        if todo:
            number = next((n for n in reversed(todo) if n % of == which), todo[-1])
            compile_number(number)
            done.add(number)


def _heard(heard: Said, seconds: float) -> list[int]:
    """All that the parent has said; waits at most so long for the first."""
    said: list[int] = []
    with suppress(Empty):
        said.append(heard.get(timeout=seconds) if seconds else heard.get_nowait())
        while True:
            said.append(heard.get_nowait())
    return said
