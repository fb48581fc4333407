"""What demos wait for, with kernels on disk: processor time of each, and the five modules that take most of it.

    python -m flexmb.validation.performance.around              all demos, files and pages
    python -m flexmb.validation.performance.around bicycle      some of them

Each demo runs in a process of its own, and once more if something was compiled. Every few milliseconds of processor
time the innermost module of flexmb that is at work is noted with the time since the last note: what compiled code,
Matplotlib or VTK need belongs to the module that called them. Imports of other packages stand apart: a second demo in
one process does not wait for them.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from types import FrameType

from flexmb.examples import DEMOS, load
from flexmb.machine import interruption
from flexmb.validation.performance import saved
from flexmb.validation.performance.startup import Clock

#: processor time between two notes [s], and the number of modules in a line
STEP, SHOWN = 0.004, 5
_RUN = """
import sys
from flexmb.validation.performance.around import measured
measured(*sys.argv[1:])
"""
IMPORTS = "imports"


class Sampler:
    """Notes the processor time [s] of each module between its making and `stop`."""

    def __init__(self) -> None:
        self.parts: defaultdict[str, float] = defaultdict(float)
        self._last = time.process_time()
        signal.signal(signal.SIGPROF, self._note)
        signal.setitimer(signal.ITIMER_PROF, STEP, STEP)

    def _note(self, number: int, frame: FrameType | None) -> None:
        now = time.process_time()
        self.parts[module_at_work(frame)] += now - self._last
        self._last = now

    def stop(self) -> None:
        """End the notes."""
        signal.setitimer(signal.ITIMER_PROF, 0.0)


def module_at_work(frame: FrameType | None) -> str:
    """The innermost module of flexmb on the stack of a frame, without the name of the package. The time of compiled
    code is noted in a function of Python that it calls, if there is one: it belongs to the caller."""
    if frame is not None and interruption.is_callback(frame.f_code):
        frame = frame.f_back
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith("importlib."):
            return IMPORTS
        if name.startswith("flexmb."):
            return str(name.removeprefix("flexmb."))
        frame = frame.f_back
    return "others"


def measured(name: str, out: str) -> None:
    """Run a demo, and print how many functions were compiled, its processor time, that of imports, and its parts."""
    begun = time.process_time()
    sampler, clock = Sampler(), Clock()
    load(name).run(Path(out))
    sampler.stop()
    others = os.times()
    helpers = others.children_user + others.children_system
    imports = sampler.parts.pop(IMPORTS, 0.0)
    own = time.process_time() - begun - imports + helpers
    parts = sorted({**sampler.parts, "helping processes": helpers}.items(), key=lambda part: -part[1])
    print(len(clock.own), own, imports, *(f"{part}={took}" for part, took in parts[:SHOWN]), sep="\t")


def line(name: str) -> str:
    """The line of a demo in the table: from a process that compiled nothing, if a second one does not."""
    for _ in range(2):
        with tempfile.TemporaryDirectory() as out:
            command = [sys.executable, "-c", _RUN, name, out]
            environment = {**os.environ, "MPLBACKEND": "Agg"}
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        compiled, own, imports, *parts = done.stdout.splitlines()[-1].split("\t")
        if compiled == "0":
            break
    shares = (part.rpartition("=") for part in parts)
    listed = "  ".join(f"{part} {float(took):.2f}" for part, _, took in shares)
    again = f"   ({compiled} functions compiled)" if compiled != "0" else ""
    return f"{name:16s}{float(own):7.2f} s, imports {float(imports):.2f}   {listed}{again}"


def main() -> None:
    """Print the table; of all demos with what files and pages cost behind it."""
    for name in sys.argv[1:] or DEMOS:
        print(line(name), flush=True)
    if not sys.argv[1:]:
        saved.main()


if __name__ == "__main__":
    main()
