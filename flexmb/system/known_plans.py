"""What was assembled for choices of active components and constraint rows, so that a run that returns to one of them,
or the next run of a bound model, need not assemble it again."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeVar

import numpy as np

from flexmb.system.assembly import Assembly
from flexmb.system.plan import Compressed, Plan
from flexmb.system.planning import plan_of
from flexmb.system.switched import check_switchable, without

K = TypeVar("K")
V = TypeVar("V")

#: Choices that are remembered: components of a mechanism are switched to and fro, while rows are seldom exchanged.
REMEMBERED = 32


class KnownPlans:
    """The plans of the systems of one model, by their components and rows; all these systems share them, but for their
    parameters. Where components search for their pairs, runs change plans, and each system gets its own."""

    def __init__(self) -> None:
        self._assemblies: dict[frozenset[str], Assembly] = {}
        self._plans: dict[tuple[frozenset[str], bytes], tuple[Plan, Compressed | None]] = {}
        self._switchable: frozenset[str] = frozenset()

    def check_switchable(self, assembly: Assembly, names: Collection[str], dense_limit: int) -> None:
        """Refuse to switch off components that cannot be off, see
        :func:`flexmb.system.switched.check_switchable`."""
        check_switchable(assembly, sorted(frozenset(names) - self._switchable), dense_limit)
        self._switchable |= frozenset(names)

    def assembly(self, assembly: Assembly, off: Collection[str]) -> Assembly:
        """The assembly with these components excluded, and all others included."""
        key = frozenset(off)
        return self._assemblies.get(key) or _remember(self._assemblies, key, without(assembly, off))

    def plan(self, assembly: Assembly, kept: np.ndarray, dense_limit: int) -> tuple[Plan, Compressed | None]:
        """The plan of an assembly with the constraint rows `kept`, and the pattern of its matrix."""
        if assembly.searches:
            return plan_of(assembly, kept, dense_limit)
        key = assembly.off, np.asarray(kept, dtype=np.int64).tobytes()
        return self._plans.get(key) or _remember(self._plans, key, plan_of(assembly, kept, dense_limit))


def _remember(known: dict[K, V], key: K, value: V) -> V:
    """Put a value into a dict, and take out the oldest one if there are too many."""
    known[key] = value
    if len(known) > REMEMBERED:
        known.pop(next(iter(known)), None)
    return value
