"""Validation cases: quantities computed by flexmb, compared with references from elsewhere."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeAlias

#: All cases by name, in the order of their definition.
CASES: dict[str, Case] = {}


@dataclass(frozen=True)
class Check:
    """One number against its reference.

    `got` may differ from `reference` by `tolerance`; `source` says where the reference is from, and `because` the
    reason for the tolerance: the accuracy of the reference, or the error that a right program may have. The reference
    is 0 for a distance or an error that is zero in theory.

    `identified`: the model was fitted to the reference, so that the number proves nothing. Such a row is shown and not
    counted.
    """

    quantity: str
    got: float
    reference: float
    tolerance: float
    source: str
    because: str
    identified: bool = False

    @property
    def passed(self) -> bool:
        """Whether the number lies within the tolerance (NaN does not)."""
        return bool(abs(self.got - self.reference) <= self.tolerance)


@dataclass(frozen=True)
class Errors:
    """Errors of one quantity over steps, numbers of elements or tolerances, which the page of the case plots.

    `against` names these numbers, `x`, with their unit; by theory the errors go with x^`order`, which is negative where
    they fall with a larger x. They are shown and not checked: a :class:`Check` of the measured order says whether they
    are right.
    """

    quantity: str
    against: str
    x: Sequence[float]
    errors: Sequence[float]
    order: float


#: what a case yields
Record: TypeAlias = Check | Errors


@dataclass(frozen=True)
class Case:
    """A named case: what it is about, the function that computes its records, and a picture of its mechanism.

    `draw` gives the mechanism: a model, an equilibrium or another answer that :class:`flexmb.View` shows. `text` are
    further paragraphs about it, and `module` is the one that defines it.
    """

    name: str
    about: str
    compute: Callable[[], list[Record]]
    draw: Callable[[], Any] | None = None
    text: str = ""
    module: str = ""


def checks_of(records: Iterable[Record]) -> list[Check]:
    """The checks among the records of a case."""
    return [record for record in records if isinstance(record, Check)]


def errors_of(records: Iterable[Record]) -> list[Errors]:
    """The series of errors among the records of a case."""
    return [record for record in records if isinstance(record, Errors)]


def case(
    name: str, draw: Callable[[], Any] | None = None
) -> Callable[[Callable[[], Iterable[Record]]], Callable[[], list[Record]]]:
    """Register a function that yields checks and series of errors as the case of that name. The first paragraph of its
    docstring says what it is about; `draw` gives its mechanism."""

    def register(function: Callable[[], Iterable[Record]]) -> Callable[[], list[Record]]:
        @wraps(function)
        def compute() -> list[Record]:
            return list(function())

        about, _, text = inspect.cleandoc(function.__doc__ or "").partition("\n\n")
        CASES[name] = Case(name, " ".join(about.split()), compute, draw, text, function.__module__)
        return compute

    return register
