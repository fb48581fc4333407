"""What components say of positions that they cannot stand for: beams bent beyond the range of their theory."""

from __future__ import annotations

import numpy as np

from flexmb.errors import AccuracyWarning, warn
from flexmb.model.components import Component
from flexmb.system.system import System

#: a motion is looked at in at most so many of its rows
ROWS = 200


def spread(count: int, most: int) -> np.ndarray:
    """Numbers of at most so many of `count` rows, from the first to the last.

    >>> spread(3, 5).tolist(), spread(9, 5).tolist()
    ([0, 1, 2], [0, 2, 4, 6, 8])
    """
    return np.arange(count) if count <= most else np.linspace(0, count - 1, most).astype(int)


def component_doubts(system: System, q: np.ndarray, when: str = "", values: np.ndarray | None = None) -> list[str]:
    """Why positions q (k, n) may be wrong, in the words of the components concerned, with the first of the `values`
    (k,) at which they are, if `when` says what those are: "t = {:.3g} s"."""
    said: list[str] = []
    full = None
    for component in system.model.components.values():
        if type(component).doubts is Component.doubts:
            continue
        if full is None:
            picked = spread(len(q), ROWS)
            full = np.concatenate([q[picked], np.tile(system.initial[system.n :], (len(picked), 1))], axis=1)
        for doubt in component.doubts(system, full):
            since = "" if values is None else f", from {when.format(values[picked[doubt.first]])} on"
            said.append(f"{doubt.text}{since}")
    return said


def warn_of_doubts(system: System, q: np.ndarray, where: str, when: str = "", values: np.ndarray | None = None) -> None:
    """Warn of positions q (k, n) that components cannot stand for."""
    for doubt in component_doubts(system, q, when, values):
        warn(f"{where}: {doubt}", AccuracyWarning)
