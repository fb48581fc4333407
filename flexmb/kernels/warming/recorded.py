"""The list that comes with the package: the compiled functions that mechanisms of each kind ask for, in their order.

It was recorded in runs of small mechanisms, of the demos and of the pages of the documentation (`python -m
tests.recording` in the sources). A run asks first for kernels of its components, then for what all mechanisms share,
then for its method, and at last for what its results need.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from flexmb.kernels.warming.functions import Function
from flexmb.kernels.warming.types import Types

#: runs are alike that have asked for such a part of what a run asks for as the run that is most like it
ALIKE = 0.9
FILE = Path(__file__).with_name("functions.json")


@dataclass
class Recorded:
    """Descriptions of types, functions, and runs: the name of the kind of mechanism, and the numbers of the functions
    in the order in which the run asked for them."""

    types: Types = field(default_factory=Types)
    functions: list[Function] = field(default_factory=list)
    runs: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The kinds of mechanisms, each once."""
        return list(dict.fromkeys(name for name, _ in self.runs))

    def numbers_of(self, names: Iterable[str]) -> list[int]:
        """The numbers of the functions that mechanisms of some kinds ask for, each once."""
        wanted = set(names)
        return list(dict.fromkeys(number for name, numbers in self.runs if name in wanted for number in numbers))

    def add(self, name: str, types: Types, functions: Iterable[Function]) -> None:
        """Add a run, recorded with its own descriptions of types."""
        known, numbers = {function: k for k, function in enumerate(self.functions)}, []
        for place, returns, arguments in functions:
            here, *others = (None if k is None else self.types.take(types, k) for k in (returns, *arguments))
            function = Function(place, here, tuple(k for k in others if k is not None))
            if function not in known:
                known[function] = len(self.functions)
                self.functions.append(function)
            numbers.append(known[function])
        self.runs.append((name, tuple(numbers)))

    def likely(self, asked: Iterable[int]) -> list[int]:
        """The numbers of the functions that a run probably asks for, in their order, if it has asked for some: those of
        which at least half of the recorded runs that are most like it have asked."""
        so_far = set(asked)
        shared = [len(so_far.intersection(numbers)) for _, numbers in self.runs]
        alike = [run for (_, run), count in zip(self.runs, shared) if count >= ALIKE * max(shared)]
        places: dict[int, list[float]] = {}
        for run in alike:
            for at, number in enumerate(run):
                places.setdefault(number, []).append(at / len(run))
        mean = {number: sum(at) / len(at) for number, at in places.items() if 2 * len(at) >= len(alike)}
        return sorted(mean, key=mean.__getitem__)

    def without(self, names: Iterable[str]) -> Recorded:
        """The list without the runs of some kinds of mechanisms, and without what no other run asks for."""
        gone, left = set(names), Recorded()
        for name, numbers in self.runs:
            if name not in gone:
                left.add(name, self.types, (self.functions[k] for k in numbers))
        return left

    def text(self) -> str:
        """The list as a text, which :func:`read` reads."""
        parts = {"types": self.types.described, "functions": self.functions, "runs": self.runs}
        return "{\n" + ",\n".join(map(_listed, parts, parts.values())) + "\n}\n"


def _listed(name: str, items: Iterable[Any]) -> str:
    """A named list, an item a line."""
    return f' "{name}": [\n' + ",\n".join(f"  {json.dumps(item)}" for item in items) + "\n ]"


def read(text: str) -> Recorded:
    """The list that a text holds.

    >>> read(Recorded().text())
    Recorded(types=Types([]), functions=[], runs=[])
    """
    data = json.loads(text)
    functions = [
        Function(_tuples(place), returns, _tuples(arguments)) for place, returns, arguments in data["functions"]
    ]
    return Recorded(Types(data["types"]), functions, [(name, _tuples(numbers)) for name, numbers in data["runs"]])


def _tuples(x: Any) -> Any:
    return tuple(_tuples(item) for item in x) if isinstance(x, list) else x


@cache
def recorded() -> Recorded:
    """The list that comes with the package."""
    return read(FILE.read_text(encoding="utf-8"))
