"""How parameters change the state from which a run begins.

A model says where its parts stand and how fast they move, and joints move them to a consistent state, whose changes are
differences between neighboring models. At an equilibrium the speeds are zero, and its position changes with

    [K Gᵀ] [δq]     [∂(f + Gᵀ λ)/∂θ]
    [G 0 ] [δλ] = − [∂g/∂θ         ]

where K has the part of Gᵀ λ.
"""

from __future__ import annotations

import numpy as np

from flexmb.analyses.sensitivity.parameters import NeighboringSystems, Parametrized, equations
from flexmb.analyses.sensitivity.propagation import factorized
from flexmb.results.state import State
from flexmb.solvers.runs.run import Run
from flexmb.solvers.start.initial import consistent_state
from flexmb.system.chart import Chart
from flexmb.system.system import System


def starts(
    whole: Parametrized, run: Run, neighbors: list[NeighboringSystems], rest: State | None
) -> tuple[np.ndarray, np.ndarray]:
    """Changes (p, n) of position and speeds of the start of a run by each parameter; `rest`: the equilibrium at which
    it begins."""
    system, n = run.system, run.system.n
    if rest is not None:
        found = np.array([moved[:n] for moved in changes_of_rest(whole, rest, neighbors)])
        return found, np.zeros_like(found)
    chart = Chart(system, run.q[: system.nq].copy())

    def start(other: System) -> np.ndarray:
        q, v, *_ = consistent_state(other, run.t_start, other.q0, other.v0)
        return np.concatenate([chart.of(q[: other.nq]), v[: other.n]])

    both = np.array([near.derivative(start) for near in neighbors])
    return both[:, :n], both[:, n:]


def changes_of_rest(whole: Parametrized, state: State, neighbors: list[NeighboringSystems]) -> list[np.ndarray]:
    """Changes of position and multipliers (n + m,) of an equilibrium by each parameter."""
    system = whole.system
    A = system.matrix(state.t, state.q, state.v, state.a, state.lam, (0.0, 0.0, 1.0))
    factors = factorized(A, whole.where, "the equations of rest are")
    rows = (np.array([state.t]), *(x[None, :] for x in (state.q, state.v, state.a, state.lam)))
    size = system.n + system.m
    return [-factors.solve(near.derivative(lambda other: equations(other, *rows))[0][:size]) for near in neighbors]
