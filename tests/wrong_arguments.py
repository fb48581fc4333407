"""Wrong kinds for every argument of every public callable, and what comes of them. Run, it prints what was tried:

python -m tests.wrong_arguments
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import signal
import tempfile
import traceback
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

import flexmb as fm
from tests.good_calls import Missing, good_call
from tests.models.worlds import World
from tests.public_arguments import public_callables, public_objects

#: seconds that a call may take that ought to be refused
PATIENCE = 10.0


#: how many kinds are tried of arguments of pictures, where not all are
DRAWN = 2
#: what begins the text of a callable for which no right call is known
NOT_MADE = "no right call"


class TooLong(BaseException):
    """A call with a wrong argument that goes on and on."""


def _wrong(of: World) -> dict[str, Callable[[], Any]]:
    """What is given in place of a right argument, new for every call."""
    return {
        "None": lambda: None,
        "text": lambda: "nonsense",
        "empty text": lambda: "",
        "number": lambda: 1.5,
        "zero": lambda: 0,
        "negative": lambda: -1.0,
        "NaN": lambda: float("nan"),
        "huge": lambda: 10**30,
        "bool": lambda: True,
        "complex": lambda: 1j,
        "bytes": lambda: b"\xff\0",
        "list": list,
        "ragged list": lambda: [[1.0], [2.0, 3.0]],
        "list of texts": lambda: ["nonsense", "more"],
        "list of None": lambda: [None, None],
        "array": lambda: np.zeros((2, 3, 4)),
        "row with NaN": lambda: np.array([1.0, np.nan, 2.0]),
        "dict": lambda: {"a": 1.0},
        "dict of None": lambda: {None: None},
        "function": lambda: lambda: 1.0,
        "object": object,
        "class": lambda: object,
        "foreign frame": lambda: of.foreign.frames["stranger"],
        "foreign frame in space": lambda: of.foreign_in_space.frames["stranger"],
        "material": lambda: fm.Material(density=1.0, youngs_modulus=1.0),
    }


KINDS = tuple(_wrong(World()))


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@cache
def callables() -> dict[str, tuple[Any, Callable[..., Any], inspect.Signature]]:
    """(class, function, signature) by name, each function once though several classes inherit it."""
    found, seen = {}, set()
    objects = public_objects()
    by_own_class = sorted(public_callables().items(), key=lambda item: item[0].startswith("fm.Robot."))
    for name, signature in by_own_class:
        owner, _, method = name.rpartition(".")
        of = objects.get(owner)
        if inspect.isclass(of) and name not in objects:
            function = inspect.getattr_static(of, method)
            inner = inspect.unwrap(getattr(function, "__func__", function))
            if inner in seen:
                continue
            seen.add(inner)
            found[name] = (of, function, signature)
        else:
            found[name] = (None, objects[name], signature)
    return found


def _place(error: BaseException) -> str:
    """The file of flexmb and the line in which an error was raised."""
    frames = [
        f for f in traceback.extract_tb(error.__traceback__) if "/flexmb/" in f.filename or "/elements/" in f.filename
    ]
    return f"({'/'.join(frames[-1].filename.split('/')[-3:])}:{frames[-1].lineno})" if frames else ""


@dataclasses.dataclass
class Tried:
    """Calls of one callable: the kinds tried for each argument, and raw errors as texts."""

    name: str
    good: str = ""
    refused: int = 0
    taken: int = 0
    raw: list[str] = dataclasses.field(default_factory=list)
    kinds: dict[str, list[str]] = dataclasses.field(default_factory=dict)


def _outcome(call: Callable[[], Any]) -> BaseException | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with _limited(PATIENCE):
                call()
        except (Exception, TooLong) as error:
            return error
    return None


def _some(kinds: list[str], count: int | None, key: str) -> list[str]:
    """So many of the kinds, the same ones for each key; all if no number is given."""
    if count is None or count >= len(kinds):
        return kinds
    return np.random.default_rng(zlib.crc32(key.encode())).choice(kinds, count, replace=False).tolist()


def tried(name: str, count: int | None = None) -> Tried:
    """Wrong kinds for each argument of a callable, `count` of them or all; the other arguments are right."""
    result = Tried(name)
    world = World()
    try:
        call = good_call(name, callables()[name], world)
    except (Missing, Exception) as why:
        result.good = f"{NOT_MADE}: {type(why).__name__}: {why}"
        return result
    error = _outcome(lambda: call({}))
    if error is not None:
        result.good = f"{type(error).__name__}: {error}"
        if not isinstance(error, fm.FlexmbError):
            result.raw.append(f"right arguments: {result.good}")
    for argument in call.arguments:
        kinds = [kind for kind in _wrong(world) if not call.skips(argument, kind)]
        for kind in _some(kinds, count if count is None or not call.draws else DRAWN, f"{name} {argument}"):
            make = _wrong(world)[kind]
            error = _outcome(lambda: call({argument: make()}))  # noqa: B023
            result.kinds.setdefault(kind, []).append(argument)
            if error is None:
                result.taken += 1
            elif isinstance(error, fm.FlexmbError):
                result.refused += 1
            else:
                result.raw.append(f"{argument} = {kind}: {type(error).__name__}: {error} {_place(error)}")
    return result


def main() -> None:
    """Print the table: for each callable how many wrong arguments were refused and taken, and raw errors."""
    import matplotlib

    matplotlib.use("Agg")
    width = max(map(len, callables()))
    print(f"{len(callables())} callables, for each argument: {', '.join(KINDS)}")
    print(f"{'':{width}}  arguments  refused  taken  raw")
    for name in callables():
        found = tried(name)
        arguments = len({argument for those in found.kinds.values() for argument in those})
        numbers = f"{arguments:9d}  {found.refused:7d}  {found.taken:5d}  {len(found.raw):3d}"
        print(f"{name:{width}}  {numbers}  {found.good[:80]}")
        for text in found.raw:
            print(f"    {text}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        main()
