"""How changes of parameters are carried through the steps of a run, forwards or backwards in time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from flexmb.algebra.differences import OFFSETS, slope
from flexmb.algebra.factors import Factors, bordered
from flexmb.analyses.linear.outputs import Outputs
from flexmb.analyses.sensitivity.march import march
from flexmb.analyses.sensitivity.parameters import NeighbouringSystems, Parametrised, equations
from flexmb.analyses.sensitivity.redundancy import refuse_contradicting
from flexmb.analyses.sensitivity.start import begun, start_derivatives
from flexmb.errors import ModelError, SolverError
from flexmb.model import checks
from flexmb.results.names import FORCES, PRESSING, quantities_shown
from flexmb.results.state import State, as_solution
from flexmb.solvers.generalized_alpha.state import Coefficients
from flexmb.system import linear
from flexmb.system.chart import Chart
from flexmb.system.system import System

#: quantities that do not depend on speeds: places and joint forces
STILL = (*quantities_shown(2), *quantities_shown(3), *FORCES[2], *FORCES[3], *PRESSING)


class FixedSteps:
    """The coefficients of generalized-α at a fixed step h [s]."""

    def __init__(self, rho: float, h: float) -> None:
        self.h = h
        self.am, self.af, self.gamma, self.beta, on_alg, self.error = Coefficients.of(rho)
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
    def of(cls, system: System, run: Any, s: FixedSteps, where: str) -> RunStates:
        h = np.diff(run.t)
        if np.any(np.abs(h[:-1] - s.h) > 1e-6 * s.h):
            raise SolverError(f"{where}: the step of {s.h:g} s had to be divided; take a smaller one")
        alg = np.empty_like(run.a)
        v = np.empty_like(run.v)
        v[0], alg[0] = begun(system, float(run.t[0]), run.q[0], run.v[0], run.a[0], s)
        for k in range(len(h)):
            before = alg[k]
            if abs(h[k] - s.h) > 1e-9 * s.h:  # a shorter last step
                before = run.a[k] + h[k] / s.h * (alg[k] - run.a[k])
            alg[k + 1] = ((1.0 - s.af) * run.a[k + 1] + s.af * run.a[k] - s.am * before) / (1.0 - s.am)
            v[k + 1] = v[k] + h[k] * ((1.0 - s.gamma) * before + s.gamma * alg[k + 1])
        if abs(h[-1] - s.h) > 1e-9 * s.h:
            raise SolverError(f"{where}: {run.t[-1] - run.t[0]:g} s are no whole number of steps of {s.h:g} s")
        y = np.zeros_like(run.v)
        y[1:] = system.difference(run.q[1:], run.q[:-1])
        lam = np.ascontiguousarray(run.basic_multipliers[:, system.row_numbers])
        return cls(run.t, run.q, v, run.v, run.a, lam, y)

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """Its arrays for compiled code."""
        return tuple(
            np.ascontiguousarray(x, dtype=float) for x in (self.t, self.q, self.v, self.kept, self.a, self.lam, self.y)
        )


def factorised(A: Any, where: str, what: str) -> Factors:
    """The factors of a matrix; a SolverError that says `what` is singular."""
    try:
        return Factors(A)
    except np.linalg.LinAlgError:
        raise SolverError(f"{where}: {what} singular") from None


class _Method:
    """The part that both methods share: a run, with the derivatives of its equations by each parameter."""

    def __init__(
        self, whole: Parametrised, track: RunStates, scheme: FixedSteps, outputs: Outputs, by_y: np.ndarray
    ) -> None:
        self.whole, self.track, self.s, self.outputs, self.by_y = whole, track, scheme, outputs, by_y
        self.system = whole.system
        self.n, self.m = self.system.n, self.system.m
        self.names = list(whole.parameters)
        rows = (track.t, track.q, track.v, track.a, track.lam)
        kept = (track.t, track.q, track.kept, track.a, track.lam)
        k = len(track.t)
        self.right = np.zeros((len(self.names), k, self.n + 2 * self.m))
        self.explicit = np.zeros((len(self.names), k, len(outputs.names)))
        self.start = []
        for p, name in enumerate(self.names):
            neighbours = whole.neighbours(name)
            refuse_contradicting(neighbours, name, track.t, track.q, whole.where)
            self.right[p] = neighbours.derivative(lambda system: equations(system, *rows))
            if self.m:
                self.right[p, :, self.n + self.m :] = neighbours.derivative(
                    lambda system: equations(system, *kept)[:, self.n + self.m :]
                )
            self.explicit[p] = explicit_derivative(outputs, neighbours, kept)
            self.start.append(start_derivatives(neighbours, float(track.t[0]), track.q[0], scheme))

    def step_matrix(self, k: int, T: Any) -> tuple[Factors, Any, Any]:
        """The factors of [S Gᵀ; G T 0], and M and D, at the step that ends at k, with T of :meth:`rate_map`."""
        track = self.track
        state = (float(track.t[k]), track.q[k], track.v[k], track.a[k], track.lam[k])
        _, on_v, on_a = self.s.on
        M, D = (self.system.tangent(*state, weights) for weights in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
        if T is None:
            A = self.system.matrix(*state, (on_a, on_v, 1.0))
        else:
            K, G = self.system.tangent(*state, (0.0, 0.0, 1.0)), self.system.jacobian(state[0], state[1])
            A = bordered(on_a * M + on_v * D + K @ T, G @ T, G.T)
        return factorised(A, self.whole.where, "the matrix of a step is"), M, D

    def rate_map(self, k: int) -> Any:
        """T(y) (n, n) of the step that ends at k; None where nothing turns in space."""
        if not len(self.system.orientations):
            return None
        one = np.eye(self.n) if self.system.pattern is None else sp.eye_array(self.n)
        return Chart(self.system, self.track.q[k]).along(one, self.track.y[k])


class DirectMethod(_Method):
    """The direct method: compiled code carries the changes along."""

    def matrix(self) -> np.ndarray:
        s, n, m = self.s, self.n, self.m
        count, k = len(self.names), len(self.track.t)
        system, total = self.system, self.system.plan.total
        size = s.on[2] * system.mass_scale
        coefficients = np.array([s.h, s.am, s.af, s.gamma, s.beta, *s.on, size])
        maps = np.zeros((len(system.orientations), 9))
        change = np.zeros((4, count, n))
        results = (*(np.zeros((count, k, n)) for _ in range(3)), np.zeros((count, k, m)))
        for p, start in enumerate(self.start):
            for out, value in zip(results, (start.q, start.kept, start.a, start.lam)):
                out[p, 0] = value
            change[:, p] = start.q, start.v, start.a, start.alg
        full, moved = np.zeros((3, system.plan.total_q)), np.zeros((2, system.plan.total_q))
        full[0] = moved[0] = system.initial
        pattern = system.pattern
        indptr, indices = (np.zeros(1, dtype=np.int64),) * 2 if pattern is None else (pattern.indptr, pattern.indices)
        speeds = any(
            name.rpartition(".")[2] not in STILL and name not in system.coordinate_names for name in self.outputs.names
        )
        first = change.copy()
        while True:
            change[:] = first
            buffers = (
                np.zeros((count, n + m)), np.zeros(max(system.plan.size, total)), np.zeros(n), np.zeros(3),
                np.zeros((3, m)), np.zeros(m), np.zeros((2, n)), np.zeros(len(system.linear.values)), maps,
            )  # fmt: skip
            status = march(
                system.plan, system.scratch, system.linear, np.asarray(indptr, dtype=np.int64),
                np.asarray(indices, dtype=np.int64), full, moved, self.track.arrays, self.right, coefficients, speeds,
                system.scale, change, results, buffers,
            )  # fmt: skip
            if status != linear.NO_ROOM:
                break
            system.grow()
        if status != linear.OK:
            raise SolverError(f"{self.whole.where}: the matrix of a step is singular")
        out = np.zeros((self.by_y.shape[1], count))
        for p in range(count):
            y = self.explicit[p] + _output_changes(self.outputs, self.track, *(x[p] for x in results))
            out[:, p] = np.sum(self.by_y * y, axis=0)
        return out


class AdjointMethod(_Method):
    """The adjoint method: backward with the transposed matrices."""

    def matrix(self) -> np.ndarray:
        s, n, m, h = self.s, self.n, self.m, self.s.h
        on_alg, on_v, on_a = s.on
        quantities, count = self.by_y.shape[1], len(self.names)
        Lq, Lv, La, Lalg = np.zeros((4, n, quantities))
        out = np.zeros((quantities, count))
        k = len(self.track.t)
        for i in range(k - 1, 0, -1):
            T = self.rate_map(i)
            factors, M, D = self.step_matrix(i, T)
            Llam = np.zeros((m, quantities))
            if np.any(self.by_y[i]):
                rows = self._state_derivatives(i)
                Yv = rows.v
                if m and Yv.any():  # kept speeds are projected: δv − x, with x from the same factors
                    turned = Yv.T if T is None else T.T @ Yv.T
                    back = factors.solve_transposed(np.vstack([turned, np.zeros((m, quantities))]))[n:]
                    G, H = _rate_rows(self.system, self.track, i)
                    out -= back.T @ self.right[:, i, n + m :].T
                    Lq -= H.T @ back
                    Yv = Yv - back.T @ G
                Lq, Lv, La = Lq + rows.q.T, Lv + Yv.T, La + rows.a.T
                Llam = rows.lam.T
                out += np.einsum("j,pj->jp", self.by_y[i], self.explicit[:, i])
            w = (Lq if T is None else T.T @ Lq) + on_alg * Lalg + on_v * Lv + on_a * La
            x = factors.solve_transposed(np.vstack([w, Llam]))
            mu = x[:n]
            out -= x.T @ self.right[:, i, : n + m].T
            pa = La - M.T @ mu
            pv = Lv - D.T @ mu
            palg = Lalg + h * s.gamma * pv + (1.0 - s.am) / (1.0 - s.af) * pa
            Lq = -on_alg * (palg if T is None else solved_with(T, palg))
            Lv, La, Lalg = (
                pv - h * on_alg * palg,
                -s.af / (1.0 - s.af) * pa,
                h * (1.0 - s.gamma) * pv + s.am / (1.0 - s.af) * pa - h * h * (0.5 - s.beta) * on_alg * palg,
            )
        rows = self._state_derivatives(0)
        out += np.einsum("j,pj->jp", self.by_y[0], self.explicit[:, 0])
        for p, d in enumerate(self.start):
            out[:, p] += Lq.T @ d.q + Lv.T @ d.v + La.T @ d.a + Lalg.T @ d.alg
            out[:, p] += rows.q @ d.q + rows.v @ d.kept + rows.a @ d.a + rows.lam @ d.lam
        return out

    def _state_derivatives(self, i: int) -> Any:
        """Derivatives of the quantities by the state at time number i, (quantities, n) each."""
        track = self.track
        by = self.outputs.derivatives(
            State(self.system, float(track.t[i]), track.q[i], track.kept[i], track.a[i], track.lam[i])
        )
        share = self.by_y[i][:, None]
        return by._replace(q=share * by.q, v=share * by.v, a=share * by.a, lam=share * by.lam)


class Quantity(NamedTuple):
    """What is differentiated: an output at the end of the run, or the integral over time of a power of it."""

    label: str
    output: str
    power: int = 1
    at_end: bool = True

    def unit(self, of_output: str) -> str:
        """Its unit, from that of the output."""
        if self.at_end:
            return of_output
        return f"{of_output} s" if self.power == 1 else f"({of_output})² s"


def quantities(final: Any, integrals: Any, where: str) -> list[Quantity]:
    """The quantities that a user asks for, checked."""
    found = [Quantity(name, name) for name in ([final] if isinstance(final, str) else final)]
    if isinstance(integrals, str):
        integrals = [integrals]
    if not isinstance(integrals, Mapping):
        integrals = {f"∫ {name} dt": (name, 1) for name in integrals}
    for label, given in integrals.items():
        name, power = (given, 1) if isinstance(given, str) else given
        if power not in (1, 2):
            raise ModelError(f"{where}: integral {label!r}: the power is {power!r}; give 1 or 2")
        found.append(Quantity(label, name, int(power), at_end=False))
    if not found:
        raise ModelError(f"{where}: name at least one output, final='rod.end.y' or integrals=[...]")
    checks.all_different([quantity.label for quantity in found], "quantity", where)
    return found


def time_weights(t: np.ndarray) -> np.ndarray:
    """The weights (k,) of the trapezoid rule."""
    h = np.diff(t)
    weights = np.zeros(len(t))
    weights[:-1] += 0.5 * h
    weights[1:] += 0.5 * h
    return weights


def explicit_derivative(outputs: Outputs, neighbours: NeighbouringSystems, rows: tuple[np.ndarray, ...]) -> np.ndarray:
    """∂y/∂θ (k, j) at fixed states: outputs depend on offsets of frames and stiffnesses of sections directly."""

    def values(system: System) -> np.ndarray:
        solution = as_solution(system, *rows)
        return np.stack([solution.series(name).values for name in outputs.names], axis=1)

    return np.asarray(neighbours.derivative(values))


def _output_changes(
    outputs: Outputs, track: RunStates, dq: np.ndarray, dv: np.ndarray, da: np.ndarray, dlam: np.ndarray
) -> np.ndarray:
    """The change of the outputs (k, j) along changes of the states, by differences of fourth order."""
    size = np.max(np.abs(dq) / outputs.system.scale, initial=0.0)
    for change, own in ((dv, track.kept), (da, track.a), (dlam, track.lam)):
        size = max(size, np.max(np.abs(change), initial=0.0) / max(np.max(np.abs(own), initial=0.0), 1.0))
    if size == 0.0:
        return np.zeros((len(track.t), len(outputs.names)))
    h = 1e-3 / size
    pairs = ((track.kept, dv), (track.a, da), (track.lam, dlam))
    ends = []
    for offset in OFFSETS:
        moved = outputs.system.retract(track.q, offset * h * dq)
        ends.append(outputs.values(track.t, moved, *(x + offset * h * dx for x, dx in pairs)))
    return np.asarray(slope(ends, h))


def solved_with(T: Any, x: np.ndarray) -> np.ndarray:
    """T⁻¹ x."""
    return np.asarray(Factors(T).solve(x))


def _rate_rows(system: System, track: RunStates, i: int) -> tuple[Any, np.ndarray]:
    """G, and ∂(G v + g_t)/∂q by differences of fourth order, (m, n) each."""
    t, q, v = float(track.t[i]), track.q[i], track.kept[i]
    H = np.zeros((system.m, system.n))
    for j, unit in enumerate(np.eye(system.n)):
        h = 1e-3 * system.scale[j]
        H[:, j] = slope([system.constraint(t, system.retract(q, offset * h * unit), v)[1] for offset in OFFSETS], h)
    return system.jacobian(t, q), H
