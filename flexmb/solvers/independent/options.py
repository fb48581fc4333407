"""The options that integrators of the reduced equations share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Options(NamedTuple):
    """Tolerances, `atol` in model lengths and radians; names of the independent coordinates, which are chosen where
    none are given; the largest order of a formula; the longest step [s]."""

    rtol: float
    atol: float
    coordinates: Sequence[str] | None
    max_order: int
    max_step: float | None
