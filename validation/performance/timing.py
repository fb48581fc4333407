"""Time and memory of one call."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path


def timed(run: Callable[[], object]) -> float:
    """The time of a call [s]. A comparison calls the codes in turn, and compares the shortest times."""
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


def growth(run: Callable[[], object]) -> float:
    """Memory [MB] that a call needs at its peak beyond that of the process before; NaN without /proc."""
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    try:
        reset.write_text("5")  # the peak is counted from here
        before = _kilobytes(status, "VmRSS")
        run()
        return (_kilobytes(status, "VmHWM") - before) / 1024.0
    except OSError:
        run()
        return float("nan")


def _kilobytes(status: Path, entry: str) -> int:
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith(entry))
