"""How changes of parameters are carried through the steps of a run, forwards or backwards in time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from flexmb.algebra.factors import Factors, bordered
from flexmb.analyses.linear.outputs import Outputs, made_sensor
from flexmb.analyses.sensitivity.parameters import NeighboringSystems, Parametrized, accelerations, equations
from flexmb.analyses.sensitivity.pieces import Piece, Restart
from flexmb.analyses.sensitivity.redundancy import refuse_contradicting
from flexmb.analyses.sensitivity.sampled import ByParameter, SampledRun
from flexmb.analyses.sensitivity.start import Start, begun, start_derivatives
from flexmb.errors import ModelError, SolverError
from flexmb.model import checks, given_names
from flexmb.model.model import Model
from flexmb.results.meaning import FORCES, PRESSING
from flexmb.results.names import quantities_shown
from flexmb.results.state import as_solution
from flexmb.solvers.methods.generalized_alpha.alpha_state import Coefficients
from flexmb.system.chart import Chart
from flexmb.system.system import System

#: how often speeds are moved onto constraints of which some are velocity rows
SWEEPS = 3
#: quantities that do not depend on speeds: places and joint forces
STILL = (*quantities_shown(2), *quantities_shown(3), *FORCES[2], *FORCES[3], *PRESSING)


class FixedSteps:
    """The coefficients of generalized-α at a fixed step h [s]."""

    def __init__(self, rho: float, h: float) -> None:
        self.h = h
        self.am, self.af, self.gamma, self.beta, on_alg, self.error, _ = Coefficients.of(rho)
        bh2 = self.beta * h * h
        #: ∂â₁/∂q₁, ∂v₁/∂q₁ and ∂a₁/∂q₁
        self.on = (1.0 / bh2, self.gamma / (self.beta * h), on_alg / bh2)


@dataclass
class RunStates:
    """A run at its steps: times, coordinates, speeds `v` of the recursion and `kept` speeds, accelerations and λ; and
    `y` (k, n), the vectors by which the steps moved the position."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    kept: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    y: np.ndarray

    @classmethod
    def of(
        cls, system: System, run: Any, s: FixedSteps, piece: Piece, where: str, sampled: SampledRun | None = None
    ) -> RunStates:
        """The states of a piece of a run, in which the rows of the system took part."""
        rows = slice(piece.first, piece.last + 1)
        t, q, kept, a = run.t[rows], run.q[rows], run.v[rows], run.a[rows].copy()
        h = np.diff(t)
        if np.any(np.abs(h[:-1] - s.h) > 1e-6 * s.h):
            raise SolverError(f"{where}: the step of {s.h:g} s had to be divided; take a smaller one")
        if abs(h[-1] - s.h) > 1e-9 * s.h:
            raise SolverError(f"{where}: {run.t[-1] - run.t[0]:g} s are no whole number of steps of {s.h:g} s")
        lam = np.ascontiguousarray(run.basic_multipliers[rows][:, system.row_numbers])
        if piece.first > 0:
            a[0], lam[0] = accelerations(system, float(t[0]), q[0], kept[0])
        alg = np.empty_like(a)
        v = np.empty_like(kept)
        #: accelerations with which steps begin: where commands come into effect, others than those with which they end
        after = a.copy()
        for k, jump in ({} if sampled is None else sampled.jumps).items():
            after[k] = jump.a
        v[0], alg[0] = begun(system, float(t[0]), q[0], kept[0], after[0], s)
        for k in range(len(h)):
            if k > 0 and sampled is not None and k in sampled.jumps:
                alg[k] = after[k] + (s.am - s.af) * (a[k] - after[k - 1])
            alg[k + 1] = ((1.0 - s.af) * a[k + 1] + s.af * after[k] - s.am * alg[k]) / (1.0 - s.am)
            v[k + 1] = v[k] + h[k] * ((1.0 - s.gamma) * alg[k] + s.gamma * alg[k + 1])
        y = np.zeros_like(v)
        y[1:] = system.difference(q[1:], q[:-1])
        return cls(t, q, v, kept, a, lam, y)

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """Arrays of the quantity for compiled code."""
        return tuple(
            np.ascontiguousarray(x, dtype=float) for x in (self.t, self.q, self.v, self.kept, self.a, self.lam, self.y)
        )


def factorized(A: Any, where: str, what: str) -> Factors:
    """The factors of a matrix; a SolverError that says `what` is singular."""
    try:
        return Factors(A)
    except np.linalg.LinAlgError:
        raise SolverError(f"{where}: {what} singular") from None


class Method:
    """The part that both methods share: a run, with the derivatives of its equations by each parameter."""

    def __init__(
        self,
        whole: Parametrized,
        track: RunStates,
        scheme: FixedSteps,
        outputs: Outputs,
        by_y: np.ndarray,
        sampled: SampledRun | None = None,
    ) -> None:
        self.sampled = sampled
        self.parts: list[ByParameter] = []
        at_ends = equations if sampled is None else sampled.equations
        self.whole, self.track, self.s, self.outputs, self.by_y = whole, track, scheme, outputs, by_y
        self.system = outputs.system
        self.n, self.m = self.system.n, self.system.m
        self.names = list(whole.parameters)
        self.neighbors = [whole.neighbors(name).with_rows(self.system) for name in self.names]
        rows = (track.t, track.q, track.v, track.a, track.lam)
        kept = (track.t, track.q, track.kept, track.a, track.lam)
        k = len(track.t)
        self.right = np.zeros((len(self.names), k, self.n + 2 * self.m))
        self.explicit = np.zeros((len(self.names), k, len(outputs.names)))
        at_speed = self.system.at_speed
        #: how often speeds are moved onto their constraints, as in a run
        self.sweeps = SWEEPS if np.any(at_speed) else 1
        for p, (name, neighbors) in enumerate(zip(self.names, self.neighbors)):
            refuse_contradicting(neighbors, name, track.t, track.q, whole.where)
            self.right[p] = neighbors.derivative(lambda system: at_ends(system, *rows))
            if np.any(at_speed):  # what velocity rows say, for the speeds of the recursion, stands where others have g
                rates = self.right[p, :, self.n + self.m :][:, at_speed]
                self.right[p][:, self.n : self.n + self.m][:, at_speed] = rates / scheme.on[1]
            if self.m:
                self.right[p, :, self.n + self.m :] = neighbors.derivative(
                    lambda system: equations(system, *kept)[:, self.n + self.m :]
                )
            self.explicit[p] = explicit_derivative(outputs, neighbors, kept)
            if sampled is not None:
                self.parts.append(sampled.by_parameter(neighbors, name))

    def first_start(self) -> list[Start]:
        """The derivatives of the start of the run by each parameter."""
        t, q = float(self.track.t[0]), self.track.q[0]
        return [start_derivatives(neighbors, t, q, self.s, self.sampled) for neighbors in self.neighbors]

    def restart(self) -> Restart:
        """The start of this piece behind an exchange of rows."""
        return Restart(self.system, float(self.track.t[0]), self.track.q[0], self.track.kept[0], self.s)

    def step_matrix(self, k: int, T: Any) -> tuple[Factors, Any, Any]:
        """The factors of [S Gᵀ + ∂F/∂λ; G T 0], and M and D, at the step that ends at k, with T of :meth:`rate_map`. D
        has the velocity rows A below its own, multiplied by βh/γ, zero for other rows."""
        track, n = self.track, self.n
        state = (float(track.t[k]), track.q[k], track.v[k], track.a[k], track.lam[k])
        _, on_v, on_a = self.s.on
        M, D = (self.system.matrix(*state, weights) for weights in ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0)))
        A = self.system.matrix(*state, (on_a, on_v, 1.0, 1.0 / on_v))
        at_speed = self.system.at_speed / on_v
        small = isinstance(D, np.ndarray)
        below = at_speed[:, None] * D[n:, :n] if small else sp.diags_array(at_speed) @ D[n:, :n]
        if T is not None:
            S = on_a * M[:n, :n] + on_v * D[:n, :n]
            own = below * on_v  # velocity rows themselves do not turn with the unknowns
            A = bordered(S + (A[:n, :n] - S) @ T, own + (A[n:, :n] - own) @ T, A[:n, n:])
        factors = factorized(A, self.whole.where, "the matrix of a step is")
        return factors, M[:n, :n], (np.vstack if small else sp.vstack)([D[:n, :n], below])

    def rate_map(self, k: int) -> Any:
        """T(y) (n, n) of the step that ends at k; None where nothing turns in space."""
        if not len(self.system.orientations):
            return None
        one = np.eye(self.n) if self.system.pattern is None else sp.eye_array(self.n)
        return Chart(self.system, self.track.q[k]).along(one, self.track.y[k])


class Quantity(NamedTuple):
    """What is differentiated: an output at the end of the run, or the integral over time of a power of it."""

    label: str
    output: Any
    power: int = 1
    at_end: bool = True

    def unit(self, of_output: str) -> str:
        """Unit of the quantity, from the unit of the output."""
        if self.at_end:
            return of_output
        return f"{of_output} s" if self.power == 1 else f"({of_output})² s"


def quantities(final: Any, integrals: Any, model: Model, where: str) -> list[Quantity]:
    """The quantities of a model that a user asks for, checked."""
    found = [Quantity(name, output) for name, output in named_outputs(final, "final", model, where)]
    if not isinstance(integrals, Mapping):
        named = named_outputs(integrals, "integrals", model, where)
        integrals = {f"∫ {name} dt": (output, 1) for name, output in named}
    for label, given in integrals.items():
        name, power = (
            (given, 1)
            if isinstance(given, str) or callable(given)
            else checks.pair(given, f"integral {label!r}", where)
        )
        if not isinstance(power, int) or power not in (1, 2):
            raise ModelError(f"{where}: integral {label!r}: the power is {power!r}; give 1 or 2")
        found.append(Quantity(label, name, int(power), at_end=False))
    if not found:
        raise ModelError(f"{where}: name at least one output, final='rod.end.y' or integrals=[...]")
    given_names.all_different([quantity.label for quantity in found], "quantity", where)
    return found


def named_outputs(given: Any, what: str, model: Model, where: str) -> list[tuple[str, Any]]:
    """Outputs, one or several, with their names; those of a sensor that a function of the model makes are its own."""
    outputs = [given] if isinstance(given, str) or callable(given) else checks.listed(given, what, where)
    return [
        (made_sensor(x, model, where).name, x) if callable(x) else (checks.text(x, what, where), x) for x in outputs
    ]


def time_weights(t: np.ndarray) -> np.ndarray:
    """The weights (k,) of the trapezoid rule."""
    h = np.diff(t)
    weights = np.zeros(len(t))
    weights[:-1] += 0.5 * h
    weights[1:] += 0.5 * h
    return weights


def explicit_derivative(outputs: Outputs, neighbors: NeighboringSystems, rows: tuple[np.ndarray, ...]) -> np.ndarray:
    """∂y/∂θ (k, j) at fixed states: outputs depend on offsets of frames and stiffnesses of sections directly."""
    near = outputs.near(as_solution(outputs.system, *rows))
    return np.asarray(neighbors.derivative(lambda system: near(as_solution(system, *rows))))
