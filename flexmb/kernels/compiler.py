"""Which compiler makes machine code of functions: Numba with the hooks of :mod:`flexmb.kernels.hooks`, or plain Numba
(:mod:`flexmb.kernels.plain`), if the environment variable FLEXMB_PLAIN_NUMBA is 1, or if this version of Numba lacks a
place where a hook holds on."""

from __future__ import annotations

import os
from typing import Any

import numba

from flexmb.errors import CompilerWarning, warn
from flexmb.kernels.hooks.places import missing

__all__ = ["PLAIN", "Called", "Compiled", "Inlined", "Kernel", "call_address", "hooks", "machine_address"]


def _why_plain() -> str:
    """Why Numba is used without hooks, empty if it is used with them."""
    if os.environ.get("FLEXMB_PLAIN_NUMBA", "") not in ("", "0"):
        return "FLEXMB_PLAIN_NUMBA is set"
    absent = missing()
    if not absent:
        return ""
    more = f" and {len(absent) - 1} more" if len(absent) > 1 else ""
    why = f"Numba {numba.__version__} has no {absent[0]}{more}"
    warn(
        f"flexmb compiles by plain Numba, since {why}: results are right, but compiling takes several times as long, "
        "in every process anew; install a version of Numba that `pip install flexmb` allows",
        CompilerWarning,
    )
    return why


#: why Numba is used without hooks, empty if it is used with them
PLAIN = _why_plain()
#: what the disk cache asks of Numba, None without hooks
hooks: Any = None

if PLAIN:
    from flexmb.kernels.plain import Called, Compiled, Inlined, Kernel, call_address, machine_address
else:
    from flexmb.kernels.hooks import internals as hooks  # type: ignore[no-redef]
    from flexmb.kernels.hooks.calls import (  # type: ignore[assignment]
        Called,
        Compiled,
        Inlined,
        Kernel,
        call_address,
        machine_address,
    )
