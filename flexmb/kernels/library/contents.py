"""The file of a library: what it holds, and whether it can be used here.

    "flexmb library\\n"     and a digest of all that follows
    the length of the index
    the index, as JSON     who can use it; types; what its code asks for; functions by their keys
    machine code           an object for each function

Nothing in it is run when it is read. A function is found by its key, the name that its file in the disk cache would
have: a function that has been changed since has another key, and is compiled.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from flexmb.kernels.hooks.pipeline import from_object
from flexmb.kernels.warming.types import NotListed, Types

_HEAD = b"flexmb library\n"
_BEGIN = len(_HEAD) + hashlib.sha256().digest_size
#: how many bytes tell the length of the index
_LENGTH = 8


class Function(NamedTuple):
    """The index's entry of a function: where its code begins and how long it is, the names that the code defines, the
    function's module and its names in Python and in the code, the number of the type of its result, and the variables
    of the code for modules of Python with the names of these, its own first."""

    code: tuple[int, int]
    defines: list[str]
    place: tuple[str, str, str]
    result: int
    environments: list[tuple[str, str]]


class Unusable(Exception):
    """Why a library is not used."""


@dataclass(frozen=True)
class Library:
    """A library that can be used, in memory."""

    path: Path
    types: Types
    wanted: Mapping[int, Any]
    functions: dict[str, Any]
    code: memoryview

    def load(self, key: str, given: Any, target: Any) -> Any:
        """The compiled function with a key, for a signature or the types of arguments; None if it is not there."""
        if key not in self.functions:
            return None
        function = Function(*self.functions[key])
        begin, length = function.code
        try:
            result = self.types.kind(function.result)
        except NotListed:
            return None
        return from_object(
            target, bytes(self.code[begin : begin + length]), function.defines, function.place, result,
            getattr(given, "args", given), function.environments,
        )  # fmt: skip


class _Requests(Mapping[int, Any]):
    """What the code of a library asks for, by numbers; types are made when they are needed."""

    def __init__(self, listed: dict[str, Any], types: Types) -> None:
        self._listed, self._types = {int(number, 16): entry for number, entry in listed.items()}, types

    def __getitem__(self, number: int) -> Any:
        module, name, arguments = self._listed[number]
        return module, name, tuple(map(self._types.kind, arguments))

    def __iter__(self) -> Iterator[int]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)


def write(path: Path, index: dict[str, Any], code: bytes) -> None:
    """Write a library, so that it appears complete or not at all."""
    text = json.dumps(index, separators=(",", ":")).encode()
    rest = len(text).to_bytes(_LENGTH, "big") + text + code
    part = path.with_name(f"{path.name}.{secrets.token_hex(6)}")
    try:
        part.write_bytes(_HEAD + hashlib.sha256(rest).digest() + rest)
        part.chmod(0o644)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def read(path: Path, users: dict[str, str]) -> Library:
    """Read a library; :class:`Unusable` if it is damaged, if others can write to it, or if it is for others than these
    users."""
    for place in (path.resolve().parent, path):
        status = place.stat()
        if hasattr(os, "geteuid") and status.st_uid not in (0, os.geteuid()):
            raise Unusable(f"{place} belongs to another user")
        if status.st_mode & 0o022:
            raise Unusable(f"other users can write to {place}")
    data = memoryview(path.read_bytes())
    if bytes(data[:_BEGIN]) != _HEAD + hashlib.sha256(data[_BEGIN:]).digest():
        raise Unusable("it is damaged, or no library")
    code = _BEGIN + _LENGTH + int.from_bytes(data[_BEGIN : _BEGIN + _LENGTH], "big")
    index = json.loads(bytes(data[_BEGIN + _LENGTH : code]))
    for what, wanted in users.items():
        if (found := index["users"].get(what)) != wanted:
            raise Unusable(f"its {what}: {found}; needed here: {wanted}")
    types = Types(index["types"])
    return Library(path, types, _Requests(index["wanted"], types), index["functions"], data[code:])
