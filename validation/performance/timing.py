"""Fair timing: the best of several runs of each code, the codes in turn."""

from __future__ import annotations

import time
from collections.abc import Callable


def seconds(run: Callable[[], object], repeats: int = 5) -> float:
    """The shortest of several runs [s]."""
    best = float("inf")
    for _ in range(repeats):
        begun = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - begun)
    return best
