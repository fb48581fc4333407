"""A check, before something large is made, that it fits into the memory of the machine."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from flexmb.errors import SizeError, SizeWarning, warn

#: a warning comes when this part of the memory will be filled
WARNED_PART = 0.25
#: memory [bytes] that is assumed where the machine does not tell
ASSUMED_MEMORY = 16e9
_CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")


@cache
def machine_memory() -> float:
    """The memory of this machine, or the part that a container may use [bytes]; looked up once."""
    try:
        size = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        size = ASSUMED_MEMORY
    try:
        return min(size, float(_CONTAINER_LIMIT.read_text()))
    except (OSError, ValueError):  # no container, or 'max'
        return size


def is_much(needed: float) -> bool:
    """Whether so much memory [bytes] deserves a warning."""
    return needed > WARNED_PART * machine_memory()


def check_memory(needed: float, what: str, remedy: str, where: str) -> None:
    """Raise a SizeError if more memory is `needed` [bytes] than there is; warn if it is much of it.

    >>> check_memory(1e18, "1e+13 elements", "take fewer", "beam 'rod'")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    flexmb.errors.SizeError: beam 'rod': 1e+13 elements need about 1e+09 GB of memory, and there are ... GB; take fewer
    """
    if not is_much(needed):
        return
    there = machine_memory()
    text = f"{where}: {what} need about {needed / 1e9:.3g} GB of memory, and there are {there / 1e9:.3g} GB; {remedy}"
    if needed > there:
        raise SizeError(text)
    warn(text, SizeWarning)
