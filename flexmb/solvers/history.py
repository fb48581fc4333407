"""The steps of a run, kept in chunks that grow with it, and the memory that they will need."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.references import by_reference
from flexmb.model.memory import check_memory, is_much
from flexmb.system.system import System

#: bytes of a number
_NUMBER = 8
#: chunks are joined at the end, and for a moment everything is stored twice
_COPIES = 2
#: numbers that a chunk may hold
CHUNK_NUMBERS = 250_000


@by_reference
class SavedSteps(NamedTuple):
    """Times (k,), coordinates (k, nq), speeds, accelerations (k, n) and multipliers (k, m), a row a step."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray

    def part(self, first: int, last: int) -> SavedSteps:
        """The rows first..last."""
        return SavedSteps(*(x[first:last] for x in self))


class History:
    """Times (k,), coordinates (k, nq), speeds, accelerations (k, n) and multipliers (k, all rows) of the saved steps.
    What is kept has multipliers of the rows that take part; those of others are zero."""

    def __init__(self, system: System) -> None:
        self._parts: list[SavedSteps] = []
        self.use(system)

    def use(self, system: System) -> None:
        """From now on the rows of this system take part."""
        self.system = system
        self.widths = (system.nq, system.n, system.n, system.m)

    def room(self, rows: int = 4096) -> SavedSteps:
        """A new empty chunk for the compiled loop to fill."""
        rows = int(max(16, min(rows, CHUNK_NUMBERS // (sum(self.widths) + 1))))
        return SavedSteps(np.empty(rows), *(np.empty((rows, width)) for width in self.widths))

    def keep(self, chunk: SavedSteps, first: int, last: int) -> None:
        """Keep the rows first..last of a chunk."""
        if last > first:
            part = chunk.part(first, last)
            self._parts.append(part._replace(lam=self.system.for_all_rows(part.lam)))

    def append(self, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> None:
        """Keep one step."""
        rows = (x[None, :width].copy() for x, width in zip((q, v, a, lam), self.widths))
        self.keep(SavedSteps(np.array([t]), *rows), 0, 1)

    def arrays(self) -> SavedSteps:
        """All that was kept."""
        return SavedSteps(*(np.concatenate(column) for column in zip(*self._parts)))


def check_room_for_steps(system: System, span: float, options: dict[str, Any], where: str) -> None:
    """Refuse, or warn of, a run over `span` [s] whose steps are so short that what is kept of them fills the memory."""
    name = next((x for x in ("step", "max_step") if options.get(x)), None)
    if name is None:
        return
    every = options.get("save_every", 1)
    count = span / options[name] / every
    needed = _COPIES * _NUMBER * count * (1 + system.nq + 2 * system.n + system.m)
    if not is_much(needed):
        return
    check_memory(
        needed,
        f"{count:.3g} steps of {options[name] * every:g} s with {system.n} coordinates",
        f"take a longer {name}" + (", or a larger save_every" if "save_every" in options else ""),
        where,
    )
