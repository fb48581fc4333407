"""For which processor code is made, and whether a library of the package's kernels is used.

Machine code is made for the processor at hand. A library is made for all processors that are not older than some ten
years, and code for another processor may differ in the last bits of its results, since products are fused with sums and
loops are divided as the processor likes it. So where a library is used, everything is compiled for its level, and a
result does not depend on which function came from where.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import NamedTuple

from flexmb.errors import LibraryError
from flexmb.kernels.hooks.generator import INDEPENDENT
from flexmb.kernels.hooks.internals import chosen_by_user, conventions, features
from flexmb.kernels.library.contents import Library, Unusable, read

#: environment variables: the file of a library, or nothing for none; and the processor
FILE, PROCESSOR = "FLEXMB_LIBRARY", "FLEXMB_PROCESSOR"
#: the level of processors: those with AVX2 and fused products, Intel's since 2013 and AMD's since 2015
LEVEL = "x86-64-v3"
NATIVE = "native"
#: what a processor of this level can do, in LLVM's words
_NEEDED = "avx avx2 bmi bmi2 cmov cx16 f16c fma lzcnt movbe popcnt sahf sse3 sse4.1 sse4.2 ssse3 xsave".split()
#: the library that comes with a wheel
SHIPPED = Path(__file__).with_name("kernels.library")


class Choice(NamedTuple):
    """The processor for which code is made, None for the one at hand; the library that is used, if there is one; and if
    there is one that is not used, which, and why."""

    processor: str | None
    library: Library | None
    unused: str | None


def why_not_here() -> str | None:
    """Why this process cannot use code for processors of the level, None if it can."""
    if not INDEPENDENT:
        return "it is for Linux on x86-64, with llvmlite 0.48 or newer"
    if chosen_by_user():
        return "NUMBA_CPU_NAME, NUMBA_CPU_FEATURES or NUMBA_ENABLE_AVX chooses another processor"
    found = features()
    missing = [name for name in _NEEDED if not found.get(name)]
    return f"this processor lacks {', '.join(missing)}" if missing else None


def users(compiler: str, processor: str = LEVEL) -> dict[str, str]:
    """For whom a library is: the versions of flexmb, Python and the compiler, the processor, and how the compiler calls
    functions and lays out arrays."""
    return {"version": compiler, "processor": processor, **conventions()}


@cache
def choice(compiler: str, built: Path) -> Choice:
    """What this process uses; `built` is where a library is that was built on this machine."""
    wanted = os.environ.get(PROCESSOR, "")
    if wanted not in ("", NATIVE, LEVEL):
        raise LibraryError(f"{PROCESSOR} is {wanted!r}; give {NATIVE} or {LEVEL}")
    why = why_not_here()
    if wanted == LEVEL and why is not None:
        raise LibraryError(f"{PROCESSOR} is {LEVEL}, but {why.replace('it is', 'that is')}; give {NATIVE}")
    unused = []
    for path in (p for p in _places(built) if p.exists()):
        try:
            if wanted == NATIVE or why:
                raise Unusable(why or f"{PROCESSOR} is {NATIVE}")
            return Choice(LEVEL, read(path, users(compiler)), None)
        except (Unusable, OSError) as error:
            unused.append(f"{path} is not used: {error}")
    return Choice(LEVEL if wanted == LEVEL else None, None, "; ".join(unused) or None)


def _places(built: Path) -> list[Path]:
    if FILE in os.environ:
        return [Path(os.environ[FILE])] if os.environ[FILE] else []
    return [SHIPPED, built]
