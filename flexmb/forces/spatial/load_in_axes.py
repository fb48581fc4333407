"""Three components of a force or a torque, each a number or a function of time, along the axes of the ground or of a
frame: their row of parameters, and their values in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.kernels.compilation import compiled
from flexmb.kernels.slots import strength_at, time_function
from flexmb.model import checks
from flexmb.model.functions.time_function import as_function

#: parameters: the arm of the frame (3) and its axes (4) in those of its body, whether the load is in the frame's axes,
#: its components (3) if they are constant, where the functions of the three begin if they are not (else 0), the slot of
#: the factor
ARM, TURN, IN_BODY, CONSTANT, FUNCTIONS, FACTOR = 0, 3, 7, 8, 11, 12


def three_components(given: Any, what: str, where: str) -> Any:
    """Three numbers as an array, three functions of time as a tuple."""
    some = list(given) if isinstance(given, list | tuple) else []
    if not any(callable(x) for x in some):
        return checks.vector(given, what, where, 3)
    if len(some) != 3:
        raise ModelError(f"{where}: {what} must be 3 numbers or functions of time, not {len(some)} of them")
    return tuple(as_function(x, f"{what}[{k}]", where) for k, x in enumerate(some))


def load_parameters(arm: Iterable[float], axes: Iterable[float], in_body: bool, load: Any, slot: Any) -> np.ndarray:
    """The row of a load with the checked components `load`, on a frame with this arm and these axes on its node."""
    before = [*arm, *axes, float(in_body)]
    if isinstance(load, np.ndarray):
        return np.concatenate([before, load, [0.0], slot])
    behind = FACTOR + len(slot)
    return np.concatenate([before, np.zeros(3), [behind], slot, *(f.parameters() for f in load)])


@compiled
def given_load(row, t):
    """The three components at time t, in the axes in which they are given."""
    factor = strength_at(row, FACTOR, t)
    first = int(row[FUNCTIONS])
    if first == 0:
        return factor * row[CONSTANT], factor * row[CONSTANT + 1], factor * row[CONSTANT + 2]
    second = first + int(row[first + 1])
    third = second + int(row[second + 1])
    x = time_function(row, first, t)[0]
    y = time_function(row, second, t)[0]
    z = time_function(row, third, t)[0]
    return factor * x, factor * y, factor * z
