"""Derivatives of the results of a run with respect to named parameters.

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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.analyses.linear.outputs import Outputs
from flexmb.analyses.sensitivity.adjoint import AdjointMethod
from flexmb.analyses.sensitivity.direct import DirectMethod
from flexmb.analyses.sensitivity.parameters import Parametrized, equations
from flexmb.analyses.sensitivity.pieces import Piece, pieces_of
from flexmb.analyses.sensitivity.propagation import (
    FixedSteps,
    RunStates,
    explicit_derivative,
    factorized,
    quantities,
    time_weights,
)
from flexmb.analyses.sensitivity.redundancy import refuse_contradicting, refuse_not_unique
from flexmb.analyses.sensitivity.sampled import SampledRun
from flexmb.analyses.statics.equilibrium import equilibrium
from flexmb.errors import MissingExtraError, ModelError, RedundancyError, SolverError
from flexmb.machine import reports
from flexmb.machine.interruption import interruptible
from flexmb.machine.threads import one_thread
from flexmb.model import checks, given_names
from flexmb.model.hints import AnswersCalls, answers_calls
from flexmb.model.model import Model
from flexmb.solvers.events.jamming import refuse_joint_friction
from flexmb.solvers.simulate import simulate
from flexmb.system.refusals import refuse_searches, refuse_sticking, refuse_velocity_rows

METHODS = ("direct", "adjoint")


@dataclass(frozen=True, eq=False)
class Sensitivity(metaclass=AnswersCalls):
    """Values and derivatives of quantities by parameters.

    `quantities` by name with their `units`; `values` (k,); `parameters`, name to nominal value; `matrix` (k, p), the
    derivatives. `result["rod.end.y", "length"]` is one of them, dy/dp; `result.relative[...]` is (p/y) dy/dp.

    >>> import flexmb as fm
    >>> def build(stiffness):
    ...     m = fm.PlanarModel("scale", gravity=(0, -10))
    ...     pan = m.add_body("pan", mass=2.0, inertia=1.0)
    ...     spring = m.bushing(m.ground, pan.frame, stiffness=(1.0, stiffness, 1.0))
    ...     return m
    >>> found = fm.static_sensitivity(build, {"stiffness": 100.0}, "pan.y")
    >>> found.values.round(9).tolist(), round(found.relative["pan.y", "stiffness"], 9)
    ([-0.2], -1.0)
    """

    quantities: list[str]
    units: list[str]
    parameters: dict[str, float]
    values: np.ndarray
    matrix: np.ndarray = field(repr=False)

    def __getitem__(self, names: tuple[str, str]) -> float:
        quantity, parameter = names
        given_names.known(quantity, self.quantities, "quantity", "sensitivity")
        given_names.known(parameter, self.parameters, "parameter", "sensitivity")
        return float(self.matrix[self.quantities.index(quantity), list(self.parameters).index(parameter)])

    @property
    def relative(self) -> Sensitivity:
        """Relative changes of the quantities per relative change of the parameters."""
        nominal = np.array(list(self.parameters.values()))
        with np.errstate(divide="ignore", invalid="ignore"):
            matrix = self.matrix * nominal / self.values[:, None]
        return Sensitivity(self.quantities, ["–"] * len(self.units), self.parameters, self.values, matrix)

    def to_pandas(self) -> Any:
        """The derivatives as a table, with a row for each quantity and a column for each parameter.

        >>> import flexmb as fm
        >>> def build(stiffness):
        ...     m = fm.PlanarModel("scale", gravity=(0, -10))
        ...     pan = m.add_body("pan", mass=2.0, inertia=1.0)
        ...     spring = m.bushing(m.ground, pan.frame, stiffness=(1.0, stiffness, 1.0))
        ...     return m
        >>> found = fm.static_sensitivity(build, {"stiffness": 100.0}, "pan.y")
        >>> found.to_pandas().shape
        (1, 1)
        """
        try:
            import pandas
        except ImportError as why:
            raise MissingExtraError("tables need the package pandas; install it: pip install 'flexmb[tables]'") from why
        return pandas.DataFrame(self.matrix, index=self.quantities, columns=list(self.parameters))

    def __repr__(self) -> str:
        return f"Sensitivity({self.quantities} by {list(self.parameters)})"

    def _repr_html_(self) -> str:
        head = ["quantity", "unit", "value", *(f"d/d {name}" for name in self.parameters)]
        rows = [(q, u, x, *d) for q, u, x, d in zip(self.quantities, self.units, self.values, self.matrix)]
        return reports.report("Sensitivity", [], reports.table(head, rows))

    def __str__(self) -> str:
        names = list(self.parameters)
        width = max(len(q) + len(u) + 3 for q, u in zip(self.quantities, self.units))
        head = " ".join([" " * width, f"{'value':>13}", *(f"{'d/d ' + name:>16}" for name in names)])
        rows = [
            " ".join([f"{f'{q} [{u}]':<{width}}", f"{value:13.6g}", *(f"{x:16.8g}" for x in row)])
            for q, u, value, row in zip(self.quantities, self.units, self.values, self.matrix)
        ]
        return "\n".join([head, *rows])


@answers_calls
@interruptible
@one_thread
def sensitivity(
    model: Callable[..., Model],
    parameters: Mapping[str, float],
    t_end: float,
    *,
    final: Sequence[Any] | Any = (),
    integrals: Mapping[str, tuple[Any, int]] | Sequence[Any] | Any = (),
    step: float,
    method: str = "direct",
    t_start: float = 0.0,
    spectral_radius: float = 0.8,
    redundant: str = "remove",
) -> Sensitivity:
    """Derivatives of outputs at the end of a run, and of integrals over it, by the parameters of a builder.

    Arguments: `build(**parameters)` returns a model; `parameters`: names and nominal values; `t_end`, `t_start` [s];
    `final`: outputs whose value at the end is wanted, e.g. 'rod.end.y', 'hinge.fx', 'rod@0.5.bending_moment', or a
    function of the model that returns a sensor, such as one of your own (:class:`flexmb.control.OwnSensor`);
    `integrals`: outputs to integrate over time (trapezoid rule on the steps), or a mapping from a name of your own to
    an output and the power 1 or 2 to which it is raised; `step` [s], fixed; `method`: "direct", for few parameters, or
    "adjoint", for many parameters and few quantities; `spectral_radius` and `redundant` as in :func:`flexmb.simulate`.

    Where constraint rows that repeat others are left out, forces that the motion does not determine have no derivatives
    and are refused, and so is a parameter whose change makes such rows contradict one another. Where others of these
    rows take part on the way, derivatives go on with them (:mod:`flexmb.analyses.sensitivity.pieces`).

    Controllers with linear laws are a part of the run: their gains, references and sensors may depend on parameters.
    Periods and delays must be whole numbers of steps, and sensors without resolution; noise stays the same, and
    commands at their limits are held, see :mod:`flexmb.analyses.sensitivity.sampled`.

    >>> import flexmb as fm
    >>> def build(mass, stiffness):
    ...     m = fm.PlanarModel("oscillator")
    ...     body = m.add_body("body", mass=mass, inertia=1.0)
    ...     rail = m.prismatic(m.ground, body.frame)
    ...     spring = m.bushing(m.ground, body.frame, stiffness=(stiffness, 0, 0))
    ...     body.move((1.0, 0.0))
    ...     return m
    >>> found = fm.sensitivity(build, {"mass": 1.0, "stiffness": 4.0}, 1.0, final="body.x", step=1e-3)
    >>> exact = 0.25 * (np.cos(2.0) - np.sin(2.0) / 2.0) * 0.5  # d/dk of sin(ωt)/ω
    >>> bool(abs(found["body.x", "stiffness"] - exact) < 1e-6)
    True
    """
    where = "sensitivity"
    checks.choice(method, METHODS, "method", where)
    step = checks.positive(step, "step", where)
    whole = Parametrized(model, parameters)
    built = whole.system.model
    refuse_sticking(whole.system, whole.where)
    refuse_searches(whole.system, whole.where)
    if built.controllers:
        refuse_joint_friction(whole.system, whole.where)
    instants = [f"the {x.where}" for x in built.events.values()]
    instants += [f"the {x.where}" for x in built.components.values() if x.switches_itself]
    if instants:
        raise SolverError(
            f"{whole.where}: it has {', '.join(instants)}, and derivatives do not go through instants that move with "
            "the parameters; take differences of whole runs (flexmb.study), or leave events and jets out"
        )
    wanted = quantities(final, integrals, built, where)
    run = simulate(
        built, t_end, t_start=t_start, step=step, spectral_radius=spectral_radius, redundant=redundant,
        newton_tolerance=1e-13, progress=False,
    )  # fmt: skip
    if run.status != "finished":
        raise SolverError(f"{whole.where}: the run {run.message}")
    if run.statistics.divided:
        raise SolverError(f"{where}: the step of {step:g} s had to be divided; take a smaller one")
    scheme = FixedSteps(spectral_radius, step)
    found = pieces_of(run)
    if built.controllers and len(found) > 1:
        raise RedundancyError(
            f"{whole.where}: of its redundant constraint rows others have to take part on the way, and derivatives "
            "through sampled controllers are computed with one choice only: remove redundant rows, by joints that "
            "leave more free, or end the run before"
        )
    sampled: SampledRun | None = None
    parts: list[tuple[Piece, RunStates, Outputs]] = []
    y = np.zeros((len(run.t), len(wanted)))
    for piece in found:
        whole.use_rows(piece.kept)
        outputs = Outputs(whole.system, [quantity.output for quantity in wanted])
        refuse_not_unique(outputs, run, whole.where)
        if built.controllers:
            sampled = SampledRun(whole.system, run, step, whole.where)
        track = RunStates.of(whole.system, run, scheme, piece, whole.where, sampled)
        later = int(piece.first > 0)  # the first time of later pieces is the last one of the piece before
        own = outputs.values(track.t, track.q, track.kept, track.a, track.lam)
        y[piece.first + later : piece.last + 1] = own[later:]
        parts.append((piece, track, outputs))
    weights = time_weights(run.t)
    values = np.zeros(len(wanted))
    by_y = np.zeros_like(y)  # ∂(quantity)/∂y at each time, (k, j)
    for j, quantity in enumerate(wanted):
        if quantity.at_end:
            values[j], by_y[-1, j] = y[-1, j], 1.0
        else:
            values[j] = weights @ y[:, j] ** quantity.power
            by_y[:, j] = weights * (1.0 if quantity.power == 1 else 2.0 * y[:, j])
    chosen = DirectMethod if method == "direct" else AdjointMethod
    pieces: list[Any] = []
    for piece, track, outputs in parts:
        own = by_y[piece.first : piece.last + 1].copy()
        own[0] *= piece.first == 0
        pieces.append(chosen(whole, track, scheme, outputs, own, sampled))
    matrix = chosen.matrix(pieces)
    labels, units = zip(*((quantity.label, quantity.unit(unit)) for quantity, unit in zip(wanted, outputs.units)))
    return Sensitivity(list(labels), list(units), whole.parameters, values, matrix)


@answers_calls
@interruptible
@one_thread
def static_sensitivity(
    model: Callable[..., Model],
    parameters: Mapping[str, float],
    outputs: Sequence[Any] | Any,
    *,
    controllers: str = "refuse",
    redundant: str = "remove",
) -> Sensitivity:
    """Derivatives of outputs at the equilibrium of a mechanism:  [K Gᵀ; G 0] (δq, δλ) = −∂(f + Gᵀλ, g)/∂θ.

    Arguments: `build(**parameters)` returns a model; `parameters`: names and nominal values; `outputs` by name, or
    functions of the model that return a sensor;
    `controllers`: "refuse" a model that has some, or leave their commands "held" at zero; `redundant` as in
    :func:`sensitivity`.

    >>> import flexmb as fm
    >>> def build(stiffness):
    ...     m = fm.PlanarModel("scale", gravity=(0, -10))
    ...     pan = m.add_body("pan", mass=2.0, inertia=1.0)
    ...     spring = m.bushing(m.ground, pan.frame, stiffness=(1.0, stiffness, 1.0))
    ...     return m
    >>> found = static_sensitivity(build, {"stiffness": 100.0}, "pan.y")  # y = −m g/k
    >>> round(found["pan.y", "stiffness"], 12)
    0.002
    """
    whole = Parametrized(model, parameters)
    refuse_velocity_rows(whole.system, whole.where)
    state = equilibrium(whole.system.model, controllers=controllers, redundant=redundant).state
    whole.use_rows(state.system.kept)
    system, n = whole.system, whole.system.n
    measured = Outputs(system, outputs)
    if not measured.names:
        raise ModelError(f"{whole.where}: name at least one output, outputs='rod.end.y'")
    refuse_not_unique(measured, state.solution, whole.where)
    A = system.matrix(state.t, state.q, state.v, state.a, state.lam, (0.0, 0.0, 1.0))
    factors = factorized(A, whole.where, "the equations of rest are")
    rows = (np.array([state.t]), *(x[None, :] for x in (state.q, state.v, state.a, state.lam)))
    by = measured.derivatives(state)
    matrix = np.zeros((len(measured.names), len(whole.parameters)))
    for k, name in enumerate(whole.parameters):
        neighbors = whole.neighbors(name)
        refuse_contradicting(neighbors, name, rows[0], rows[1], whole.where)
        right = neighbors.derivative(lambda system: equations(system, *rows))[0]
        moved = -factors.solve(right[: n + system.m])
        matrix[:, k] = by.q @ moved[:n] + by.lam @ moved[n:] + explicit_derivative(measured, neighbors, rows)[0]
    return Sensitivity(list(measured.names), list(measured.units), whole.parameters, by.y, matrix)
