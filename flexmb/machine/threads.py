"""The number of threads of BLAS.

The matrices of mechanisms are small. Threads that share the work on one wait for each other again and again; where
other programs keep the cores busy each wait may last a time slice of the scheduler, and eigenvalues of some hundred
rows take ten times as long as with one thread. So analyses let BLAS use one thread, except for dense matrices larger
than :data:`LARGE`, and then restore the number that they found.

The number of threads of BLAS belongs to the process, while any of its Python threads may run an analysis: BLAS has one
thread as long as any of them requests it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sized
from contextlib import contextmanager
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

#: largest number of rows of a dense matrix on which one thread works
LARGE = 1000

P = ParamSpec("P")
R = TypeVar("R")


class _Wishes(threading.local):
    """The requests of a Python thread: one thread of BLAS, and whether also for large matrices."""

    one = False
    always = False


_wishes = _Wishes()
_lock = threading.Lock()
#: number of Python threads that request one thread of BLAS; earlier numbers of threads as (library, threads)
_wanted = 0
_before: list[tuple[Any, int]] = []


def _libraries() -> list[Any]:
    """The BLAS libraries of NumPy and SciPy that are loaded so far: each has its own, and SciPy's comes with its linear
    algebra, which many runs do not need."""
    import numpy  # noqa: F401

    return _libraries_with("scipy.linalg" in sys.modules)


@cache
def _libraries_with(scipy: bool) -> list[Any]:
    from threadpoolctl import ThreadpoolController

    found = list(ThreadpoolController().select(user_api="blas").lib_controllers)
    known = _libraries_with(False) if scipy else []
    return [*known, *(new for new in found if new.filepath not in {library.filepath for library in known})]


def _want(one: bool) -> None:
    """Request or release one thread of BLAS for this Python thread; the first request sets it, the last release
    restores it."""
    global _wanted, _before
    if one == _wishes.one and (not one or len(_before) == len(_libraries())):
        return
    with _lock:
        _wanted += one - _wishes.one
        _wishes.one = one
        if one:
            for library in _libraries()[len(_before) :]:  # also those that came since the first request
                _before.append((library, library.get_num_threads()))
                if _before[-1][1] > 1:
                    library.set_num_threads(1)
        elif _wanted == 0:
            for library, threads in _before:
                if threads > 1:
                    library.set_num_threads(threads)
            _before = []


@contextmanager
def threads_for(size: int) -> Iterator[None]:
    """Context with the right number of BLAS threads for dense matrices with `size` rows: one for small and for sparse
    ones (size 0), all available ones for large ones."""
    before = _wishes.one
    _want(_wishes.always or size <= LARGE)
    try:
        yield
    finally:
        _want(before)


@contextmanager
def always_one_thread() -> Iterator[None]:
    """Context with one thread of BLAS whatever the size, for runs that already share the cores."""
    before = _wishes.always
    _wishes.always = True
    try:
        with threads_for(0):
            yield
    finally:
        _wishes.always = before


def one_thread(function: Callable[P, R]) -> Callable[P, R]:
    """Decorator: BLAS has one thread in the function, except where it calls :func:`threads_for` itself."""

    @wraps(function)
    def alone(*given: P.args, **named: P.kwargs) -> R:
        before = _wishes.one
        _want(True)
        try:
            return function(*given, **named)
        finally:
            _want(before)

    return alone


def threads_by_size(function: Callable[P, R]) -> Callable[P, R]:
    """Decorator: BLAS has in the function the right number of threads for matrices of the length of its first
    argument."""

    @wraps(function)
    def right(*given: P.args, **named: P.kwargs) -> R:
        first: Any = given[0] if given else next(iter(named.values()))
        with threads_for(len(first) if isinstance(first, Sized) else 0):
            return function(*given, **named)

    return right


_turn = threading.RLock()


def in_turn(function: Callable[P, R]) -> Callable[P, R]:
    """Decorator: threads that call such functions wait for one another. For those that write their arguments into
    memory that compiled code reads, and read the results from there: Python may change threads in between."""

    @wraps(function)
    def waiting(*given: P.args, **named: P.kwargs) -> R:
        with _turn:
            return function(*given, **named)

    return waiting
