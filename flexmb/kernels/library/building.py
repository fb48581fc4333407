"""Build a library of the kernels that the disk cache holds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from flexmb.errors import LibraryError
from flexmb.kernels import cache
from flexmb.kernels.library import choice
from flexmb.kernels.library.contents import Function, write
from flexmb.kernels.library.objects import machine_object
from flexmb.kernels.warming.functions import called_with
from flexmb.kernels.warming.recorded import recorded
from flexmb.kernels.warming.types import NotListed, Types


def prepare() -> None:
    """From now on compile for the processors of a library, in this process, which must not have compiled anything, and
    in those that it starts."""
    os.environ[choice.PROCESSOR], os.environ[choice.FILE] = choice.LEVEL, ""
    choice.choice.cache_clear()
    if (why := cache.unusable(cache.folder())) is not None:
        raise LibraryError(
            f"a library is built of cached kernels, which cannot be kept in {cache.folder()}: {why}; let "
            "NUMBA_CACHE_DIR name a folder"
        )
    if cache.begun() and cache.chosen().processor != choice.LEVEL:
        raise LibraryError("this process has compiled kernels already; build a library in a new process")


def recorded_functions(numbers: Iterable[int]) -> Iterator[tuple[Any, Any]]:
    """Functions of the list that comes with the package, as :func:`build_library` takes them."""
    for number in numbers:
        with suppress(NotListed):  # the list may be of an earlier state of the sources
            yield called_with(recorded().functions[number], recorded().types)


def build_library(functions: Iterable[tuple[Any, Any]], path: Path | None = None) -> tuple[Path, list[str]]:
    """Build a library of compiled functions, each given with the types of its arguments, or with a signature if it is
    called by its address; after :func:`prepare`. They are compiled if they are not in the disk cache. Returns its path
    (where flexmb finds it, if none is given), and which functions were left out, and why."""
    path = cache.library_file() if path is None else path
    types, wanted, index, code, left_out = Types(), {}, {}, bytearray(), []
    for function, given in functions:
        try:
            found = machine_object(function, given)
            asked = {f"{n:x}": (module, name, [*map(types.number, of)]) for n, (module, name, of) in found.asks.items()}
            result = types.number(found.result)
        except (LibraryError, NotListed) as error:
            left_out.append(f"{function.py_func.__module__}.{function.py_func.__qualname__}: {error}")
            continue
        wanted.update(asked)
        where = len(code), len(found.code)
        index[found.key] = Function(where, found.defines, (*found.place, found.symbol), result, found.environments)
        code += found.code
    users = choice.users(cache.compiler_versions())
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write(path, {"users": users, "types": types.described, "wanted": wanted, "functions": index}, bytes(code))
    return path, left_out
