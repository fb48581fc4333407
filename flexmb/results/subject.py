"""The subject of a view: what is to be seen, and the meaning of its times."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmb.results.recorded import Recorded

#: the duration of what has no seconds of its own, such as a load path, at speed 1 [s]
PATH_SECONDS = 5.0
#: the name of times that are those of a motion, with their unit
CLOCK = "t [s]"


def at_time(clock: str, number: str) -> str:
    """An instant in titles, by the name of the times with their unit.

    >>> at_time("t [s]", "0.50"), at_time("value of crank [rad]", "3.1"), at_time("point", "4")
    ('t = 0.50 s', 'value of crank = 3.1 rad', 'point = 4')
    """
    name, _, unit = clock.partition(" [")
    return f"{name} = {number} {unit.removesuffix(']')}".rstrip()


@dataclass(frozen=True, eq=False)
class Subject:
    """A solution to be shown; `clock`: the name of its times; `seconds`: the duration of the show (of the solution
    itself when None); `caption`: a text instead of times; `factors` of loads over its times by name, (times, factors);
    `load_time` [s]: the time at which loads as functions of time are evaluated (the times of the solution when None);
    `without_loads` and `without_joint_forces`: why it has none of them, empty if it has."""

    solution: Recorded
    clock: str = CLOCK
    seconds: float | None = None
    caption: str = ""
    factors: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    load_time: float | None = None
    without_loads: str = ""
    without_joint_forces: str = ""
