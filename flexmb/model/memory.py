"""A word before something is made that does not fit into the memory of the machine."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from flexmb.errors import SizeError, SizeWarning, warn

#: what fills more than this part of the memory deserves a warning
MUCH = 0.25
#: memory [bytes] that is assumed where the machine does not say
USUAL = 16e9
_LIMIT = Path("/sys/fs/cgroup/memory.max")


@cache
def memory() -> float:
    """The memory of this machine, or what a container may have of it [bytes]; looked up once."""
    try:
        size = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        size = USUAL
    try:
        return min(size, float(_LIMIT.read_text()))
    except (OSError, ValueError):  # no container, or 'max'
        return size


def is_much(needed: float) -> bool:
    """Whether so much memory [bytes] deserves a warning."""
    return needed > MUCH * memory()


def check_memory(needed: float, what: str, remedy: str, where: str) -> None:
    """Refuse what needs more memory [bytes] than there is; warn of what needs much of it.

    >>> check_memory(1e18, "1e+13 elements", "take fewer", "beam 'rod'")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    flexmb.errors.SizeError: beam 'rod': 1e+13 elements need about 1e+09 GB of memory, and there are ... GB; take fewer
    """
    if not is_much(needed):
        return
    there = memory()
    said = f"{where}: {what} need about {needed / 1e9:.3g} GB of memory, and there are {there / 1e9:.3g} GB; {remedy}"
    if needed > there:
        raise SizeError(said)
    warn(said, SizeWarning)
