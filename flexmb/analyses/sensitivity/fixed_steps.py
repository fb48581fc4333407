"""Derivatives of runs with fixed steps of generalized-α, forwards or backwards in time.

The computed run itself is differentiated, with the generalized-α scheme at a fixed step h. So the results are the exact
derivatives of the numbers that `simulate` gives. With αm, αf, γ, β of the scheme
(:mod:`flexmb.solvers.methods.generalized_alpha`) and b = (1 − αm)/(1 − αf), a change of a parameter moves a step by

    δâ₁ = δq₁/(βh²) + ĉ,          ĉ = −(δq₀ + h δv₀ + h² (½ − β) δâ₀)/(βh²)
    δv₁ = γ/(βh) δq₁ + c_v,       c_v = δv₀ + h (1 − γ) δâ₀ + hγ ĉ
    δa₁ = b/(βh²) δq₁ + c_a,      c_a = ((1 − αm) ĉ + αm δâ₀ − αf δa₀)/(1 − αf)

    [S  Gᵀ] [δq₁]   [−∂r/∂θ − M c_a − D c_v]
    [G  0 ] [δλ₁] = [−∂g/∂θ                ],      S = b/(βh²) M + γ/(βh) D + K

with the exact tangents of the run. An orientation goes along q₁ = q₀ ∘ exp y, and changes by a small turn in its own
axes, δq₁ = exp(−y) δq₀ + T(y) δy. With u = T⁻¹ δq₁ in place of δq₁, and T⁻ᵀ δq₀ in place of δq₀ in ĉ, all formulas
hold, since T⁻¹ exp(−y) = T⁻ᵀ; only K and the second G then stand as K T and G T. The run begins as
:mod:`flexmb.analyses.sensitivity.start` says.

A velocity row A v + b = 0 (rolling) holds for the speeds v₁ of the recursion; divided by γ/(βh) it is the row

    (A + βh/γ ∂(A v + b)/∂q) δq₁ = −βh/γ (∂(A v + b)/∂θ + A c_v)

Where friction F follows from the joints' own forces, ∂F/∂λ is added to Gᵀ.

The direct method carries δ along, with one right-hand side for each parameter and step. The adjoint method goes
backward with the transposed matrices, and its march does not depend on the number of parameters (but each of them takes
four models, whose equations and outputs are evaluated along the run). For models of some twenty coordinates and five
parameters the direct method takes about as long as differences of whole runs, and needs no choice of their step; the
adjoint method, a loop in Python, takes ten times as long. The speeds in the results are projected onto ġ = 0, as in a
run. The change of the projection's direction is neglected: its factor is the error of the speeds in their constraints,
of order h² (and zero without constraints). Controllers that read speeds of mechanisms with joints pass that on to all
results.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmb.analyses.linear.outputs import Outputs
from flexmb.analyses.sensitivity.adjoint import AdjointMethod
from flexmb.analyses.sensitivity.direct import DirectMethod
from flexmb.analyses.sensitivity.over_time import Motion, Stretch
from flexmb.analyses.sensitivity.parameters import Parametrized
from flexmb.analyses.sensitivity.pieces import Piece, pieces_of
from flexmb.analyses.sensitivity.propagation import FixedSteps, Quantity, RunStates, time_weights
from flexmb.analyses.sensitivity.redundancy import refuse_not_unique
from flexmb.analyses.sensitivity.sampled import SampledRun
from flexmb.errors import RedundancyError, SolverError
from flexmb.solvers.simulate import simulate

#: order of the method
ORDER = 2


class FixedRun(NamedTuple):
    """A run with fixed steps: the model with its parameters, the run, its scheme, and its pieces with the states, the
    outputs and what controllers do."""

    whole: Parametrized
    run: Any
    scheme: FixedSteps
    parts: list[tuple[Piece, RunStates, Outputs]]
    sampled: SampledRun | None


def fixed_run(whole: Parametrized, outputs: list[Any], t_end: float, t_start: float, options: dict) -> FixedRun:
    """Simulate with fixed steps, and find what generalized-α had at each of them."""
    where, built = whole.where, whole.system.model
    step, rho = options["step"], options.get("spectral_radius", 0.8)
    tight = {"newton_tolerance": 1e-13} | options
    run = simulate(built, t_end, "generalized_alpha", t_start=t_start, progress=False, **tight)
    if run.status != "finished":
        raise SolverError(f"{where}: the run {run.message}")
    if run.statistics.divided:
        raise SolverError(f"{where}: the step of {step:g} s had to be divided; take a smaller one")
    scheme = FixedSteps(rho, step)
    found = pieces_of(run)
    if built.controllers and len(found) > 1:
        raise RedundancyError(
            f"{where}: of its redundant constraint rows others have to take part on the way, and derivatives "
            "through sampled controllers are computed with one choice only: remove redundant rows, by joints that "
            "leave more free, or end the run before"
        )
    sampled: SampledRun | None = None
    parts: list[tuple[Piece, RunStates, Outputs]] = []
    for piece in found:
        whole.use_rows(piece.kept)
        measured = Outputs(whole.system, outputs)
        refuse_not_unique(measured, run, where)
        if built.controllers:
            sampled = SampledRun(whole.system, run, step, where)
        track = RunStates.of(whole.system, run, scheme, piece, where, sampled)
        parts.append((piece, track, measured))
    return FixedRun(whole, run, scheme, parts, sampled)


def end_and_integrals(fixed: FixedRun, wanted: list[Quantity], derivatives: str) -> tuple[np.ndarray, np.ndarray]:
    """Values (j,) of quantities and their derivatives (j, p)."""
    t = fixed.run.t
    y = np.zeros((len(t), len(wanted)))
    for piece, track, outputs in fixed.parts:
        later = int(piece.first > 0)  # the first time of later pieces is the last one of the piece before
        own = outputs.values(track.t, track.q, track.kept, track.a, track.lam)
        y[piece.first + later : piece.last + 1] = own[later:]
    weights = time_weights(t)
    values = np.zeros(len(wanted))
    by_y = np.zeros_like(y)  # ∂(quantity)/∂y at each time, (k, j)
    for j, quantity in enumerate(wanted):
        if quantity.at_end:
            values[j], by_y[-1, j] = y[-1, j], 1.0
        else:
            values[j] = weights @ y[:, j] ** quantity.power
            by_y[:, j] = weights * (1.0 if quantity.power == 1 else 2.0 * y[:, j])
    chosen = DirectMethod if derivatives == "direct" else AdjointMethod
    pieces: list[Any] = []
    for piece, track, outputs in fixed.parts:
        own = by_y[piece.first : piece.last + 1].copy()
        own[0] *= piece.first == 0
        pieces.append(chosen(fixed.whole, track, fixed.scheme, outputs, own, fixed.sampled))
    return values, chosen.matrix(pieces)


def fixed_stretch(fixed: FixedRun) -> Stretch:
    """The states of the run, with their changes by all parameters."""
    if len(fixed.parts) > 1:
        raise RedundancyError(
            f"{fixed.whole.where}: of its redundant constraint rows others have to take part on the way, and "
            "derivatives over time are computed with one choice only: remove redundant rows, by joints that leave more "
            "free, or ask for the end of the run, final=…"
        )
    ((_, track, outputs),) = fixed.parts
    nothing = np.zeros((len(track.t), len(outputs.names)))
    method = DirectMethod(fixed.whole, track, fixed.scheme, outputs, nothing, fixed.sampled)
    changes = method.changes(method.first_start(), True)
    motion = Motion(track.t, track.q, track.kept, track.a, track.lam, *changes)
    return Stretch(fixed.whole.system, method.neighbors, motion, np.zeros(len(method.names)))
