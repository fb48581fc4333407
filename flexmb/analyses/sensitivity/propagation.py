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
from flexmb.analyses.sensitivity.pieces import Piece, Restart, accelerations
from flexmb.analyses.sensitivity.redundancy import refuse_contradicting
from flexmb.analyses.sensitivity.start import Start, begun, start_derivatives
from flexmb.errors import ModelError, SolverError
from flexmb.model import checks
from flexmb.results.names import FORCES, PRESSING, quantities_shown
from flexmb.results.state import State, as_solution
from flexmb.solvers.generalized_alpha.state import Coefficients
from flexmb.system import linear
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
    def of(cls, system: System, run: Any, s: FixedSteps, piece: Piece, where: str) -> RunStates:
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
        v[0], alg[0] = begun(system, float(t[0]), q[0], kept[0], a[0], s)
        for k in range(len(h)):
            alg[k + 1] = ((1.0 - s.af) * a[k + 1] + s.af * a[k] - s.am * alg[k]) / (1.0 - s.am)
            v[k + 1] = v[k] + h[k] * ((1.0 - s.gamma) * alg[k] + s.gamma * alg[k + 1])
        y = np.zeros_like(v)
        y[1:] = system.difference(q[1:], q[:-1])
        return cls(t, q, v, kept, a, lam, y)

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
        self.system = outputs.system
        self.n, self.m = self.system.n, self.system.m
        self.names = list(whole.parameters)
        self.neighbours = [whole.neighbours(name).with_rows(self.system) for name in self.names]
        rows = (track.t, track.q, track.v, track.a, track.lam)
        kept = (track.t, track.q, track.kept, track.a, track.lam)
        k = len(track.t)
        self.right = np.zeros((len(self.names), k, self.n + 2 * self.m))
        self.explicit = np.zeros((len(self.names), k, len(outputs.names)))
        at_speed = self.system.at_speed
        #: how often speeds are moved onto their constraints, as in a run
        self.sweeps = SWEEPS if np.any(at_speed) else 1
        for p, (name, neighbours) in enumerate(zip(self.names, self.neighbours)):
            refuse_contradicting(neighbours, name, track.t, track.q, whole.where)
            self.right[p] = neighbours.derivative(lambda system: equations(system, *rows))
            if np.any(at_speed):  # what velocity rows say, for the speeds of the recursion, stands where others have g
                rates = self.right[p, :, self.n + self.m :][:, at_speed]
                self.right[p][:, self.n : self.n + self.m][:, at_speed] = rates / scheme.on[1]
            if self.m:
                self.right[p, :, self.n + self.m :] = neighbours.derivative(
                    lambda system: equations(system, *kept)[:, self.n + self.m :]
                )
            self.explicit[p] = explicit_derivative(outputs, neighbours, kept)

    def first_start(self) -> list[Start]:
        """The derivatives of the start of the run by each parameter."""
        t, q = float(self.track.t[0]), self.track.q[0]
        return [start_derivatives(neighbours, t, q, self.s) for neighbours in self.neighbours]

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
        factors = factorised(A, self.whole.where, "the matrix of a step is")
        return factors, M[:n, :n], (np.vstack if small else sp.vstack)([D[:n, :n], below])

    def rate_map(self, k: int) -> Any:
        """T(y) (n, n) of the step that ends at k; None where nothing turns in space."""
        if not len(self.system.orientations):
            return None
        one = np.eye(self.n) if self.system.pattern is None else sp.eye_array(self.n)
        return Chart(self.system, self.track.q[k]).along(one, self.track.y[k])


class DirectMethod(_Method):
    """The direct method: compiled code carries the changes along."""

    @classmethod
    def matrix(cls, pieces: list[Any]) -> np.ndarray:
        """The derivatives (quantities, parameters) by the methods of all pieces of a run."""
        starts, out = pieces[0].first_start(), 0.0
        ends: list[tuple[np.ndarray, np.ndarray]] = []
        for piece in pieces:
            if piece is not pieces[0]:
                again = piece.restart()
                starts = [again.carried_on(x, *state) for x, state in zip(piece.neighbours, ends)]
            own, ends = piece.forward(starts, piece is not pieces[-1])
            out = out + own
        return np.asarray(out)

    def forward(self, starts: list[Start], goes_on: bool) -> tuple[np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
        """What a piece adds to the derivatives (quantities, parameters), and the changes of position and kept speeds
        (n,) at its end by each parameter, exact if the run `goes_on`."""
        s, n, m = self.s, self.n, self.m
        count, k = len(self.names), len(self.track.t)
        system, total = self.system, self.system.plan.total
        size = s.on[2] * system.mass_scale
        coefficients = np.array([s.h, s.am, s.af, s.gamma, s.beta, *s.on, size])
        maps = np.zeros((len(system.orientations), 9))
        change = np.zeros((4, count, n))
        results = (*(np.zeros((count, k, n)) for _ in range(3)), np.zeros((count, k, m)))
        for p, start in enumerate(starts):
            for out, value in zip(results, (start.q, start.kept, start.a, start.lam)):
                out[p, 0] = value
            change[:, p] = start.q, start.v, start.a, start.alg
        full, moved = np.zeros((3, system.plan.total_q)), np.zeros((2, system.plan.total_q))
        full[0] = moved[0] = system.initial
        pattern = system.pattern
        indptr, indices = (np.zeros(1, dtype=np.int64),) * 2 if pattern is None else (pattern.indptr, pattern.indices)
        speeds = goes_on or any(
            name.rpartition(".")[2] not in STILL and name not in system.coordinate_names for name in self.outputs.names
        )
        first = change.copy()
        while True:
            change[:] = first
            buffers = (
                np.zeros((count, n + m)), np.zeros(max(system.plan.size, total)), np.zeros(n), np.zeros(4),
                np.zeros((3, m)), np.zeros(m), np.zeros((2, n)), np.zeros(len(system.linear.values)), maps,
            )  # fmt: skip
            status = march(
                system.plan, system.scratch, system.linear, np.asarray(indptr, dtype=np.int64),
                np.asarray(indices, dtype=np.int64), full, moved, self.track.arrays, self.right, coefficients, speeds,
                self.sweeps, system.scale, change, results, buffers,
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
        return out, [(results[0][p, -1], results[1][p, -1]) for p in range(count)]


class AdjointMethod(_Method):
    """The adjoint method: backward with the transposed matrices."""

    @classmethod
    def matrix(cls, pieces: list[Any]) -> np.ndarray:
        """The derivatives (quantities, parameters) by the methods of all pieces of a run."""
        last = pieces[-1]
        ends = np.zeros((2, last.n, last.by_y.shape[1]))
        out: np.ndarray = np.zeros((last.by_y.shape[1], len(last.names)))
        for piece in reversed(pieces):
            own, Lq, Lv, La, Lalg = piece.backward(*ends)
            out += own
            if piece is pieces[0]:
                out += piece.by_start(Lq, Lv, La, Lalg)
                continue
            again = piece.restart()
            for p, neighbours in enumerate(piece.neighbours):
                da, dv, dalg = again.by_parameter(neighbours)
                out[:, p] += La.T @ da + Lv.T @ dv + Lalg.T @ dalg
            by_q, by_v = again.carried_back(La, Lv, Lalg)
            ends = np.array([Lq + by_q, by_v])
        return out

    def by_start(self, Lq: np.ndarray, Lv: np.ndarray, La: np.ndarray, Lalg: np.ndarray) -> np.ndarray:
        """What the start of the run adds to the derivatives (quantities, parameters)."""
        out = np.zeros((self.by_y.shape[1], len(self.names)))
        rows = self._state_derivatives(0)
        for p, d in enumerate(self.first_start()):
            out[:, p] = self.by_y[0] * self.explicit[p, 0]
            out[:, p] += Lq.T @ d.q + Lv.T @ d.v + La.T @ d.a + Lalg.T @ d.alg
            out[:, p] += rows.q @ d.q + rows.v @ d.kept + rows.a @ d.a + rows.lam @ d.lam
        return out

    def backward(self, end_q: np.ndarray, end_v: np.ndarray) -> tuple[np.ndarray, ...]:
        """What a piece adds to the derivatives (quantities, parameters), and the derivatives (n, j) of all that comes
        from its start on by q, v̂, a and â there; those by q and kept v at its end of what comes later are given."""
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
            later = i == k - 1 and bool(end_q.any() or end_v.any())
            if later or np.any(self.by_y[i]):
                rows = self._state_derivatives(i)
                if later:
                    rows = rows._replace(q=rows.q + end_q.T, v=rows.v + end_v.T)
                Yv = rows.v
                for _ in range(self.sweeps if m and Yv.any() else 0):
                    # kept speeds are projected: δv − x, with x from the same factors
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
            pv = Lv - D.T @ x
            palg = Lalg + h * s.gamma * pv + (1.0 - s.am) / (1.0 - s.af) * pa
            Lq = -on_alg * (palg if T is None else solved_with(T, palg))
            Lv, La, Lalg = (
                pv - h * on_alg * palg,
                -s.af / (1.0 - s.af) * pa,
                h * (1.0 - s.gamma) * pv + s.am / (1.0 - s.af) * pa - h * h * (0.5 - s.beta) * on_alg * palg,
            )
        return out, Lq, Lv, La, Lalg

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
