"""Timing of one call."""

from __future__ import annotations

import time
from collections.abc import Callable


def timed(run: Callable[[], object]) -> float:
    """Seconds that a call takes; the codes of a comparison are called in turn, and the shortest times compared."""
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun
