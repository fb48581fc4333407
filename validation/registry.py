"""Validation cases: quantities computed by flexmb, compared with references from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

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
class Case:
    """A named case: what it is about, and the function that computes its checks."""

    name: str
    about: str
    compute: Callable[[], list[Check]]


def case(name: str) -> Callable[[Callable[[], Iterable[Check]]], Callable[[], list[Check]]]:
    """Register a function that yields checks as the case of that name; the first line of its docstring says what it is
    about."""

    def register(function: Callable[[], Iterable[Check]]) -> Callable[[], list[Check]]:
        def compute() -> list[Check]:
            return list(function())

        CASES[name] = Case(name, (function.__doc__ or "").strip().splitlines()[0], compute)
        return compute

    return register
