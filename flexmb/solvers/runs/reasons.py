"""Why a run cannot go on from a state, in words: a component that gives NaN, a joint that jams, a limit that was
reached, or the range of a theory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.forces.callbacks import has_failed
from flexmb.solvers.events.jamming import jammed
from flexmb.system.bad_kernels import find_bad_kernel, reached_limit
from flexmb.system.doubts import component_doubts
from flexmb.system.system import System

#: A time with coordinates, speeds and accelerations.
TimedState = tuple[float, np.ndarray, np.ndarray, np.ndarray]


def reason(system: System, now: TimedState, others: Sequence[TimedState], lam: np.ndarray, why: str) -> str:
    """Why a run ends at its present state `now`, with multipliers `lam`, or in one of the `others` that were tried: the
    component that gives NaN there, a joint that jams, a limit; or else `why`."""
    states = (now, *others)
    for state in states:
        if has_failed(system.model.components.values()):
            return why
        said = find_bad_kernel(system, *state)
        if said:
            return said
    n, nq = system.n, system.nq
    jams = (jammed(system, t, q[:nq], v[:n], lam) for t, q, v, _ in states)
    held = next((what for what in jams if what), "")
    return held or reached_limit(system, now[1], now[2]) or _out_of_range(system, now[1], why)


def _out_of_range(system: System, q: np.ndarray, why: str) -> str:
    """Why the run ends, with the components in front that doubt the present state: what a method meets beyond the
    range of a theory, where motions may grow without bound, need be no property of the mechanism."""
    doubts = component_doubts(system, q[None, : system.nq])
    if not doubts:
        return why
    return (
        f"{'; '.join(doubts)}; beyond the range of a theory motions may grow without bound, and what the method "
        f"met then may say nothing of the mechanism: {why}"
    )
