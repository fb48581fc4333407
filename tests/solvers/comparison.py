"""Runs that are held against one another: fine ones, and whether two say the same."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm

TIMES = np.linspace(0.0, 0.8, 9)


#: options by which the error of a motion is below 1e-8
FINE = {
    "dop853": {"tolerance": 1e-10},
    "rkf45": {"tolerance": 1e-10},
    "projection": {"tolerance": 1e-11, "absolute_tolerance": 1e-12},
    "baumgarte": {"tolerance": 1e-11, "absolute_tolerance": 1e-12},
    "independent": {"tolerance": 1e-9},
    "independent, radau": {"tolerance": 1e-9, "integrator": "radau"},
    "radau": {"tolerance": 1e-10},
}


def run(model, method, formulation=None, t_end=0.8, times=TIMES, **more):
    """A fine run by a method, in absolute coordinates or by a formulation."""
    own = {} if formulation is None else {"formulation": formulation}
    return fm.simulate(
        model, t_end, method.partition(",")[0], times=times, progress=False, **{**FINE[method], **more}, **own
    )


def agree(one, other, tolerance=1e-7):
    """Whether two solutions say the same: coordinates, speeds, accelerations, joint forces and energies."""
    assert one.status == other.status == "finished"
    assert one.t == pytest.approx(other.t, abs=1e-12)
    for a, b in ((one.q, other.q), (one.v, other.v), (one.a, other.a), (one.multipliers, other.multipliers)):
        size = max(1.0, float(np.abs(a).max(initial=0.0)))
        assert np.abs(a - b).max(initial=0.0) <= tolerance * size
    assert one.energy.total == pytest.approx(other.energy.total, abs=1e-7 * max(1.0, np.abs(one.energy.kinetic).max()))


def done(solution: fm.Solution) -> list[tuple[str, str]]:
    """What the events of a run did, by the names of the events."""
    return [(e.name, e.done[0]) for e in solution.events]
