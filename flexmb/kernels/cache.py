"""The disk cache of compiled kernels: its folder, its files, and its size.

The folder is the user's cache folder (`~/.cache/flexmb/kernels`, or its equivalent on the platform), never beside the
code; or the folder `flexmb` inside the one that the environment variable NUMBA_CACHE_DIR names. A file holds the
machine code of one function for one signature; its name ends in a digest of everything that the code depends on
(:mod:`flexmb.kernels.fingerprint`), of the processor and of the compiler's settings. So nothing ever needs updating:
changed code has another name. A file appears complete or not at all, and is used only if it is complete, so that any
number of processes may read and write. When all files together take more than :data:`ROOM`, those unused for longest
are deleted.

Numba's machine code is stored as a pickle, which can run any code when it is read. The folder is therefore private, and
one that others own or can write to is not used.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
import platformdirs

from flexmb import __version__
from flexmb.kernels.compiler import hooks
from flexmb.kernels.fingerprint import Untraceable, fingerprint
from flexmb.machine.interruption import raise_if_asked

if hooks is not None:  # plain Numba keeps nothing, and nothing is made for it ahead
    from flexmb.kernels.library.choice import Choice, choice

#: largest size of all cached kernels together [bytes]
ROOM = 256_000_000

SUFFIX = ".kernel"
#: name of the file of a library that was built on this machine
LIBRARY = "kernels.library"
_HEAD = b"flexmb kernel\n"
#: least time between updates of the time stamp of a file in use [s]
_DAY = 86400.0


# -- the folder -----------------------------------------------------------------------------------------------------


def folder() -> Path:
    """The folder of the cache, whether or not it exists."""
    return _folder(getattr(numba.config, "CACHE_DIR", ""))


@lru_cache(maxsize=4)
def _folder(chosen: str) -> Path:
    if chosen:
        return Path(chosen).absolute() / "flexmb"
    return platformdirs.user_cache_path("flexmb", appauthor=False) / "kernels"


def unusable(where: Path) -> str | None:
    """Why kernels cannot be kept in a folder, None if they can; the folder is created if it does not exist."""
    try:
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = where.stat()
    except OSError as error:
        return str(error.strerror or error)
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        return "it belongs to another user"
    if os.name == "posix" and status.st_mode & 0o022:
        return "other users can write to it"
    return None if os.access(where, os.W_OK | os.X_OK) else "it cannot be written to"


def _version() -> str:
    """Name of the inner folder, for this version of flexmb, Python and the compiler."""
    return f"{compiler_versions()}-numpy-{np.__version__}"


def compiler_versions() -> str:
    """The versions of flexmb, Python and the compiler."""
    python = f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}"
    return f"{__version__}-{python}-numba-{numba.__version__}-llvmlite-{llvmlite.__version__}"


@dataclass(frozen=True)
class KernelCache:
    """The folder of the cache and all its files."""

    folder: Path
    files: list[Path]

    @property
    def size(self) -> int:
        """Bytes in all."""
        return sum(size for _, size, _ in _by_age(self.files))


def kernel_cache() -> KernelCache:
    """The cached kernels, those of other versions of flexmb, Python and compiler included."""
    where = folder()
    return KernelCache(where, sorted(f for f in _files(where) if f.suffix == SUFFIX))


def is_kept(name: str) -> bool:
    """Whether machine code of a function, given by its module and name, is on this machine."""
    return file_name(name) in kept_names()


def kept_names() -> frozenset[str]:
    """Names of all functions of which there is machine code, as :func:`file_name` gives them."""
    library = chosen().library
    shipped = frozenset(key.rpartition("-")[0] for key in (library.functions if library else ()))
    with suppress(OSError), os.scandir(folder() / _version()) as found:
        return shipped.union(entry.name.rpartition("-")[0] for entry in found if entry.name.endswith(SUFFIX))
    return shipped


def file_name(name: str) -> str:
    """The beginning of the name of a file with machine code of a function, given by its module and name."""
    return re.sub(r"[^\w.]", "", name)[-100:]


def clear() -> int:
    """Delete the cached kernels, and a library built of them; returns the number of kernels deleted."""
    where = folder()
    files = list(_files(where))
    _remove(where, [*files, *where.glob(f"*/{LIBRARY}")])
    return len(files)


def _files(where: Path) -> Iterator[Path]:
    return (f for f in where.glob("*/*") if SUFFIX in f.suffixes)


def _by_age(files: list[Path]) -> list[tuple[float, int, Path]]:
    """Times of last use, sizes and paths of files, the oldest first."""
    found = []
    for file in files:
        with suppress(OSError):  # another process may have removed it
            status = file.stat()
            found.append((status.st_mtime, status.st_size, file))
    return sorted(found)


def _remove(where: Path, files: list[Path]) -> None:
    for file in files:
        with suppress(OSError):
            file.unlink()
    for inner in {file.parent for file in files}:
        with suppress(OSError):  # a folder that is not empty stays
            inner.rmdir()


def _make_room(where: Path) -> None:
    known = _by_age(list(_files(where)))
    surplus = sum(size for _, size, _ in known) - ROOM
    gone = []
    for _, size, file in known[:-1]:
        if surplus <= 0:
            break
        surplus -= size
        gone.append(file)
    _remove(where, gone)


# -- a file ---------------------------------------------------------------------------------------------------------


def _read(file: Path) -> bytes | None:
    """The contents of a file, None if it does not exist or is not complete."""
    try:
        with file.open("rb") as stream:
            found = stream.read()
            if time.time() - os.fstat(stream.fileno()).st_mtime > _DAY:
                with suppress(OSError):
                    os.utime(file)
    except OSError:
        return None
    size = len(_HEAD) + hashlib.sha256().digest_size
    data = memoryview(found)[size:]
    return bytes(data) if found[:size] == _HEAD + hashlib.sha256(data).digest() else None


def _write(file: Path, data: bytes) -> None:
    """Write a file so that it appears complete or not at all; a full or read-only disk does not stop the run."""
    part = file.with_name(f"{file.name}.{secrets.token_hex(6)}")
    try:
        file.parent.mkdir(mode=0o700, exist_ok=True)
        part.write_bytes(_HEAD + hashlib.sha256(data).digest() + data)
        part.replace(file)
    except OSError:
        with suppress(OSError):
            part.unlink()
        return
    _make_room(file.parent.parent)


# -- texts beside the machine code -----------------------------------------------------------------------------------


def kept_text(name: str) -> str | None:
    """A text that :func:`keep_text` stored under a name, None if there is none that is complete."""
    where = folder()
    data = None if _why_not(where) else _read(where / _version() / f"{name}{SUFFIX}")
    return None if data is None else data.decode("utf-8", "replace")


def keep_text(name: str, text: str) -> None:
    """Store a text under a name, beside the machine code that is made of it; not where nothing can be kept."""
    where = folder()
    if not _why_not(where):
        _write(where / _version() / f"{name}{SUFFIX}", text.encode())


# -- interface to Numba ---------------------------------------------------------------------------------------------

#: called with each compiled function that is asked for, the signature, and whether its machine code was kept
listeners: list[Callable[[Any, Any, bool], None]] = []


class Shelf:
    """The cached machine code of one function, with the interface of Numba's caches."""

    def __init__(self, dispatcher: Any) -> None:
        self._dispatcher = dispatcher
        self._anew = False
        self._wanted: dict[Any, Path | None] = {}

    @property
    def cache_path(self) -> str:
        """The folder, for the dispatcher's statistics."""
        return str(folder())

    def flush(self) -> None:
        """From now on ignore what is cached, and replace it."""
        self._anew = True

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The function compiled for a signature, None if it must be compiled."""
        raise_if_asked()  # Ctrl-C pressed while LLVM works ends the run before the next function
        _initialize()
        key = self._key(signature, target)
        library = chosen().library
        found = library.load(key, signature, target) if library and key and not self._anew else None
        file = _file(key)
        data = _read(file) if file is not None and not self._anew and found is None else None
        if data is not None:
            with suppress(Exception):  # a pickle may raise anything; what cannot be read is compiled again
                wanted, kept = pickle.loads(data)
                hooks.promise(wanted)
                found = hooks.again(target, *kept)
        for listener in listeners:
            listener(self._dispatcher, signature, found is not None)
        if found is not None:
            return found
        self._wanted[signature] = file
        _announce(self._dispatcher.py_func.__module__)
        hooks.renumber()
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Store a compiled function."""
        file = self._wanted.pop(signature, None)
        if file is not None and not compiled.lifted and not compiled.library.has_dynamic_globals:
            with suppress(Exception):  # it holds an object that cannot be pickled, so each process compiles it again
                _write(file, hooks.stored(compiled))

    def kept(self, signature: Any, target: Any) -> Any:
        """For a signature: the name under which machine code is kept, and what is kept, None if nothing is."""
        key = self._key(signature, target)
        file = _file(key)
        data = _read(file) if file is not None else None
        return key, None if data is None else pickle.loads(data)

    def _key(self, signature: Any, target: Any) -> str | None:
        try:
            digest = fingerprint(self._dispatcher, signature)
        except Untraceable:
            return None
        machine = repr((digest, hooks.processor(target), settings()))
        f = self._dispatcher.py_func
        name = file_name(f"{f.__module__}.{f.__qualname__}")
        return f"{name}-{hashlib.sha256(machine.encode()).hexdigest()[:32]}"


def _file(key: str | None) -> Path | None:
    where = folder()
    return None if key is None or _why_not(where) else where / _version() / f"{key}{SUFFIX}"


def settings() -> list[Any]:
    """Settings of the compiler that change machine code."""
    names = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "USING_SVML")
    return [getattr(numba.config, name, None) for name in names]


# -- the library ----------------------------------------------------------------------------------------------------


def library_file() -> Path:
    """Where a library lies that was built on this machine."""
    return folder() / _version() / LIBRARY


def begun() -> bool:
    """Whether this process has compiled or loaded functions."""
    return _initialize.cache_info().currsize > 0


def chosen() -> Choice:
    """The processor for which code is made, and the library of kernels that is used."""
    return choice(compiler_versions(), library_file())


@cache
def _initialize() -> None:
    """Prepare the process for loading code, only once. What compiling needs besides, Numba prepares when something is
    compiled; it takes longer than loading a hundred functions."""
    hooks.define_runtime()
    hooks.make_for(chosen().processor)
    if library := chosen().library:
        hooks.promise_all(library.wanted)


if hooks is not None:
    hooks.renumber()
_why_not = lru_cache(maxsize=4)(unusable)
_announced: set[str] = set()


def _announce(module: str | None) -> None:
    """Print what takes so long, once for each kind of kernels, when the first of flexmb's own is compiled."""
    root, _, inner = (module or "").partition(".")
    if root != "flexmb" or (kind := kind_of(inner)) in _announced:
        return
    why = _why_not(folder())
    kept = f", in every process anew: they cannot be kept in {folder()} ({why}); let NUMBA_CACHE_DIR name a folder"
    whole = "" if _announced else ", a minute for all at most"
    _announced.add(kind)
    print(f"flexmb: compiling kernels of {kind}{kept if why else f', once for this machine{whole}'} …", file=sys.stderr)


def kind_of(module: str) -> str:
    """The kind of the kernels of a module within flexmb, in words: components, a method, or all mechanisms.

    >>> kind_of("elements.spatial.cms_beam"), kind_of("solvers.radau.loop"), kind_of("system.evaluation")
    ('elements in space', 'radau', 'all mechanisms')
    """
    parts = module.split(".")
    if parts[0] in ("elements", "joints", "forces"):
        return parts[0] + {"planar": " in the plane", "spatial": " in space"}.get(parts[1], "")
    if parts[0] == "solvers" and len(parts) > 2:
        return "joint coordinates" if parts[1] == "joint_motion" else parts[1]
    return "joint coordinates" if parts[0] == "formulations" else "all mechanisms"
