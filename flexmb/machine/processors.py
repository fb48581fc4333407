"""How many processors of this machine are free for further processes, and how much of its memory."""

from __future__ import annotations

import os
import time
from pathlib import Path

from flexmb.machine.memory import machine_memory

_LOAD, _QUOTA = Path("/proc/loadavg"), Path("/sys/fs/cgroup/cpu.max")
_MEMORY, _CONTAINER = Path("/proc/meminfo"), Path("/sys/fs/cgroup/memory.stat")
#: part of the memory that is assumed to be free where the machine does not tell
ASSUMED_FREE = 0.25
#: the time [s] over which the load of a machine is averaged
_MINUTE = 60.0


def processors() -> float:
    """The number of processors that this process may use; a container may have a part of one."""
    count = float(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    try:
        quota, period = _QUOTA.read_text().split()
        return min(count, float(quota) / float(period))
    except (OSError, ValueError):  # no container, or 'max'
        return count


def busy_processors() -> float:
    """The number of processors at work for others than this process, over the last minute, or at this moment if that is
    more."""
    try:
        load = os.getloadavg()[0] - min(1.0, time.process_time() / _MINUTE)
    except (AttributeError, OSError):  # Windows does not tell
        return 0.0
    try:
        now = float(_LOAD.read_text().split()[3].partition("/")[0]) - 1.0
    except (OSError, ValueError, IndexError):
        now = 0.0
    return max(load, now, 0.0)


def free_processors() -> int:
    """The number of processors that have nothing to do beside this process."""
    return max(0, round(processors() - 1.0 - busy_processors()))


def free_memory() -> float:
    """The memory [bytes] that further processes can have."""
    whole = machine_memory()
    free = _number_in(_MEMORY, "MemAvailable:", 1024.0)
    taken = _number_in(_CONTAINER, "anon", 1.0)
    return ASSUMED_FREE * whole if free is None else min(free, whole - (taken or 0.0))


def _number_in(file: Path, name: str, unit: float) -> float | None:
    """The number in the line of a file that begins with a name."""
    try:
        lines = (line.split() for line in file.read_text().splitlines())
        return next(unit * float(line[1]) for line in lines if line[0] == name)
    except (OSError, ValueError, IndexError, StopIteration):
        return None
