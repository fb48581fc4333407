"""Import, first run with an empty kernel cache, and the start of later processes; the functions compiled, and their
times."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from typing import Any

from numba.core import event

#: number of functions in the table, those with the longest times
SHOWN = 30
_RUN = """
import time
begun, used = time.perf_counter(), time.process_time()
import flexmb as fm
imported = time.perf_counter() - begun
from flexmb.examples.pendulum import build
from flexmb.validation.performance.startup import Clock, table
clock = Clock()
used = time.process_time()
solution = fm.simulate(build(), 0.5, progress=False)
used = time.process_time() - used
print(f"import {imported:.3f} s, run {used:.2f} s of processor time, done after {time.perf_counter() - begun:.2f} s")
print(table(clock))
"""


class Clock(event.Listener):  # type: ignore[misc]
    """Listens to the compiler: processor time [s] of each function, without that of the functions compiled within
    it."""

    def __init__(self) -> None:
        self.own: dict[str, float] = {}
        self._begun: list[float] = []
        event.register("numba:compile", self)

    def on_start(self, event: Any) -> None:
        """Note the begin of a function."""
        self._begun.append(time.process_time())

    def on_end(self, event: Any) -> None:
        """Note the end of a function, and take its time off those of the functions that wait for it."""
        took = time.process_time() - self._begun.pop()
        function = event.data["dispatcher"].py_func
        name = f"{function.__module__}.{function.__name__}"
        self.own[name] = self.own.get(name, 0.0) + took
        self._begun = [begun + took for begun in self._begun]


def table(clock: Clock) -> str:
    """The compiled functions with their times, the longest first."""
    if not clock.own:
        return "nothing is compiled"
    longest = sorted(clock.own.items(), key=lambda item: -item[1])
    lines = [f"{took:7.2f} s  {name}" for name, took in longest[:SHOWN]]
    return "\n".join([*lines, f"{sum(clock.own.values()):7.2f} s  all {len(longest)} functions that are compiled"])


def main() -> None:
    """Print the times of a first and of later processes."""
    with tempfile.TemporaryDirectory() as cache:
        for label in ("first process", "second process", "third process"):
            begun = time.perf_counter()
            environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
            result = subprocess.run(
                [sys.executable, "-c", _RUN], env=environment, capture_output=True, text=True, check=True
            )
            print(f"{label}: {result.stdout.strip()}\nwhole process {time.perf_counter() - begun:.2f} s\n")


if __name__ == "__main__":
    main()
