"""Note which compiled functions a run asks for, in their order, for the list that comes with the package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flexmb.kernels import cache
from flexmb.kernels.warming.functions import Function, described
from flexmb.kernels.warming.types import NotListed, Types


class Recording:
    """What is asked for while :func:`recording`: functions in their order, the descriptions of their types, and why
    some are not listed."""

    def __init__(self) -> None:
        self.types = Types()
        self.functions: dict[Function, None] = {}
        self.left_out: list[str] = []

    def note(self, dispatcher: Any, signature: Any, kept: bool) -> None:
        """A function is asked for."""
        try:
            function = described(dispatcher, signature, self.types)
        except NotListed as error:
            self.left_out.append(str(error))
        else:
            if function is not None:
                self.functions[function] = None


@contextmanager
def recording() -> Iterator[Recording]:
    """Note the functions that are asked for in the context. Those that this process has in memory are not asked for
    again: record in a process that has just begun."""
    noted = Recording()
    cache.listeners.append(noted.note)
    try:
        yield noted
    finally:
        cache.listeners.remove(noted.note)
