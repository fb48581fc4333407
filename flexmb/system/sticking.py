"""The state, sliding or sticking, of joints whose friction truly sticks (:mod:`flexmb.joints.sticking`), as a parameter
of the plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from flexmb.joints.sticking import FREE, KEPT
from flexmb.system.assembly import Assembly
from flexmb.system.instances import InstanceSeries
from flexmb.system.plan import NP, P_AT, Plan


def sticking_places(assembly: Assembly, plan: Plan) -> list[tuple[InstanceSeries, int]]:
    """The active instances of joints that stick, each with the index in the plan's parameters of its friction state."""
    found = []
    for series in assembly.instance_series:
        if series.state is not None and not series.off:
            group = plan.groups[series.group]
            found.append((series, int(group[P_AT] + series.place * group[NP]) + series.state))
    return found


def set_friction(assembly: Assembly, plan: Plan, states: float | np.ndarray) -> np.ndarray:
    """Set the friction state of all joints that stick; returns the states before."""
    if not plan.friction:
        return np.zeros(0)
    places = np.array([place for _, place in sticking_places(assembly, plan)], dtype=np.int64)
    before = plan.p[places]
    plan.p[places] = states
    return before


@contextmanager
def nothing_sticks(assembly: Assembly, plan: Plan) -> Iterator[None]:
    """Within this context no joint sticks. A sticking joint puts an inertia on its coordinate that is not a mass; with
    this context the coordinates with mass are found to be the same at all times of a run."""
    before = set_friction(assembly, plan, FREE)
    try:
        yield
    finally:
        set_friction(assembly, plan, before)


def keep_friction(assembly: Assembly, plan: Plan) -> np.ndarray:
    """Set all joints that stick to KEPT: their friction is the one stored in the multipliers, as after a run. Returns
    the states before."""
    return set_friction(assembly, plan, KEPT)
