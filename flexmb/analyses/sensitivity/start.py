"""How a run of generalized-α begins, and the derivatives of that by parameters.

The recursion does not start with the speeds v and accelerations a of the first instant themselves
(:func:`flexmb.solvers.methods.generalized_alpha.alpha_pieces.start_again`). With the rate j = d(γ − G a)/dt at fixed a,
a step h, the error C of the scheme, and corrections that are the shortest in the norm of the mass matrix,

    â = a + (αm − αf) h ȧ,   G ȧ = j,        v̂ = v + δv,   G δv = −(ġ + C h² j − h²/12 G (a × v))

where a × v counts at orientations only. Velocity rows are met by v̂ itself: δv makes no error in them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmb.algebra.factors import saddle_factors
from flexmb.analyses.sensitivity.parameters import NeighboringSystems
from flexmb.analyses.sensitivity.sampled import SampledRun
from flexmb.kernels import charts
from flexmb.solvers.start.initial import consistent_state
from flexmb.system.chart import Chart
from flexmb.system.system import System

#: the rate j is a difference of second order over twice this part of the step
SHARE = 0.1


class Start(NamedTuple):
    """The first instant of a run, or derivatives of it: position, speeds `kept`, accelerations, multipliers; and `v`
    and `alg`, with which the recursion begins. What controllers do then: the accelerations `after` they have acted,
    their `commands`, their `memory`."""

    q: np.ndarray
    kept: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    v: np.ndarray
    alg: np.ndarray
    after: np.ndarray
    commands: np.ndarray
    memory: np.ndarray


def begun(system: System, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, s: Any) -> tuple[np.ndarray, ...]:
    """v̂ and â (n,) of a run that begins at a state, with the steps of a scheme s."""
    n, m, h = system.n, system.m, s.h
    if not m:
        return v.copy(), a.copy()
    ends = []
    for ahead in (SHARE * h, 2.0 * SHARE * h):
        place = system.retract(q, ahead * v + 0.5 * ahead**2 * a)
        gamma = system.constraint(t + ahead, place, v + ahead * a)[2]
        ends.append(gamma - system.jacobian(t + ahead, place) @ a)
    jerk = (2.0 * ends[0] - 0.5 * ends[1]) / (SHARE * h)
    turning = np.zeros(n)
    charts.add_turning(system.orientations, h * h, np.ascontiguousarray(a), np.ascontiguousarray(v), turning)
    G = system.jacobian(t, q)
    rates = system.constraint(t, q, v)[1] + np.where(system.at_speed, 0.0, s.error * h * h * jerk - G @ turning)
    mass = system.mass_scale
    right = np.zeros((n + m, 2))
    right[n:, 0], right[n:, 1] = jerk, -rates
    moved = saddle_factors(system.mass_matrix(t, q) / mass, G).solve(right)[:n]
    return v + moved[:, 1], a + (s.am - s.af) * h * moved[:, 0]


def start_derivatives(
    neighbors: NeighboringSystems, t: float, q: np.ndarray, s: Any, sampled: SampledRun | None = None
) -> Start:
    """The derivatives of the start by a parameter; that of the position q (nq,) is a small motion (n,) of it.
    `sampled`: the controllers of the run."""
    chart = Chart(neighbors.systems[0], q)
    n, m = neighbors.systems[0].n, neighbors.systems[0].m
    ends = np.cumsum([n, n, n, m, n, n, n, 0 if sampled is None else sampled.count])
    none = np.zeros(0)

    def values(system: System) -> np.ndarray:
        q, v, a, lam, _, _ = consistent_state(system, t, system.q0, system.v0)
        place, v, a = q[: system.nq], v[:n], a[:n]
        after, *acted = (a, none, none) if sampled is None else sampled.first(system, t, place, v, a, lam)
        return np.concatenate([chart.of(place), v, a, lam, *begun(system, t, place, v, after, s), after, *acted])

    return Start(*np.split(neighbors.derivative(values), ends))
