"""Derivatives of the results of a run with respect to named parameters.

The computed run itself is differentiated, with the generalized-α scheme at a fixed step h. So the results are the exact
derivatives of the numbers that `simulate` gives. With αm, αf, γ, β of the
scheme (:mod:`flexmb.solvers.generalized_alpha`) and b = (1 − αm)/(1 − αf), a change of a parameter moves a step by

    δâ₁ = δq₁/(βh²) + ĉ,          ĉ = −(δq₀ + h δv₀ + h² (½ − β) δâ₀)/(βh²)
    δv₁ = γ/(βh) δq₁ + c_v,       c_v = δv₀ + h (1 − γ) δâ₀ + hγ ĉ
    δa₁ = b/(βh²) δq₁ + c_a,      c_a = ((1 − αm) ĉ + αm δâ₀ − αf δa₀)/(1 − αf)

    [S  Gᵀ] [δq₁]   [−∂r/∂θ − M c_a − D c_v]
    [G  0 ] [δλ₁] = [−∂g/∂θ                ],      S = b/(βh²) M + γ/(βh) D + K

with the exact tangents of the run. The direct method carries δ along, with one right-hand side for each parameter and
step. The adjoint method goes backward with the transposed matrices, and its march does not depend on the number of
parameters (but each of them takes four models, whose equations and outputs are evaluated along the run). For models of
some twenty coordinates and five parameters the direct method takes about as long as differences of whole runs, and
needs no choice of their step; the adjoint method, a loop in Python, takes ten times as long. The speeds in the results
are projected onto ġ = 0, as in a run. The change of the projection's direction is neglected: its factor is the error of
the speeds in their constraints, of order h² (and zero without constraints).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.algebra.differences import OFFSETS, slope
from flexmb.algebra.factors import Factors
from flexmb.algebra.threads import one_thread
from flexmb.analyses.linear.outputs import Outputs
from flexmb.analyses.sensitivity.march import march
from flexmb.analyses.sensitivity.parameters import NeighbouringSystems, Parametrised, equations
from flexmb.analyses.statics.equilibrium import equilibrium
from flexmb.errors import ControlError, MissingExtraError, ModelError, SolverError
from flexmb.interruption import interruptible
from flexmb.model import checks
from flexmb.model.model import Model
from flexmb.results.names import FORCES
from flexmb.results.state import State, as_solution
from flexmb.solvers.initial import consistent_state
from flexmb.solvers.initial_state import regular_system
from flexmb.solvers.simulate import simulate
from flexmb.system import linear
from flexmb.system.system import System

METHODS = ("direct", "adjoint")
#: quantities that do not depend on speeds: places and joint forces
STILL = ("x", "y", "angle", *FORCES)


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """Values and derivatives of quantities by parameters.

    `quantities` by name with their `units`; `values` (k,); `parameters`, name to nominal value; `matrix` (k, p), the
    derivatives. `result["rod.end.y", "length"]` is one of them, dy/dp; `result.relative[...]` is (p/y) dy/dp.
    """

    quantities: list[str]
    units: list[str]
    parameters: dict[str, float]
    values: np.ndarray
    matrix: np.ndarray = field(repr=False)

    def __getitem__(self, names: tuple[str, str]) -> float:
        quantity, parameter = names
        for name, known, kind in (
            (quantity, self.quantities, "quantity"),
            (parameter, list(self.parameters), "parameter"),
        ):
            if name not in known:
                raise checks.unknown(name, known, kind, "sensitivity")
        return float(self.matrix[self.quantities.index(quantity), list(self.parameters).index(parameter)])

    @property
    def relative(self) -> Sensitivity:
        """Relative changes of the quantities per relative change of the parameters."""
        nominal = np.array(list(self.parameters.values()))
        with np.errstate(divide="ignore", invalid="ignore"):
            matrix = self.matrix * nominal / self.values[:, None]
        return Sensitivity(self.quantities, ["–"] * len(self.units), self.parameters, self.values, matrix)

    def to_pandas(self) -> Any:
        """The derivatives as a table, with a row for each quantity and a column for each parameter."""
        try:
            import pandas
        except ImportError as why:
            raise MissingExtraError("tables need the package pandas; install it: pip install 'flexmb[tables]'") from why
        return pandas.DataFrame(self.matrix, index=self.quantities, columns=list(self.parameters))

    def __str__(self) -> str:
        names = list(self.parameters)
        width = max(len(q) + len(u) + 3 for q, u in zip(self.quantities, self.units))
        head = " ".join([" " * width, f"{'value':>13}", *(f"{'d/d ' + name:>16}" for name in names)])
        rows = [
            " ".join([f"{f'{q} [{u}]':<{width}}", f"{value:13.6g}", *(f"{x:16.8g}" for x in row)])
            for q, u, value, row in zip(self.quantities, self.units, self.values, self.matrix)
        ]
        return "\n".join([head, *rows])


@interruptible
@one_thread
def sensitivity(
    build: Callable[..., Model],
    parameters: Mapping[str, float],
    t_end: float,
    *,
    final: Sequence[str] | str = (),
    integrals: Mapping[str, tuple[str, int]] | Sequence[str] | str = (),
    step: float,
    method: str = "direct",
    t_start: float = 0.0,
    spectral_radius: float = 0.8,
) -> Sensitivity:
    """Derivatives of outputs at the end of a run, and of integrals over it, by the parameters of a builder.

    Arguments: `build(**parameters)` returns a model; `parameters`: names and nominal values; `t_end`, `t_start` [s];
    `final`: outputs whose value at the end is wanted, e.g. 'rod.end.y', 'hinge.fx', 'rod@0.5.bending_moment';
    `integrals`: outputs to integrate over time (trapezoid rule on the steps), or a mapping from a name of your own to
    an output and the power 1 or 2 to which it is raised; `step` [s], fixed; `method`: "direct", for few parameters, or
    "adjoint", for many parameters and few quantities; `spectral_radius` as in :func:`flexmb.simulate`.

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
    whole = Parametrised(build, parameters, regular_system)
    system = whole.system
    if system.model.controllers:
        names = ", ".join(map(repr, system.model.controllers))
        raise ControlError(
            f"{whole.where}: it has the controller{'s' * (len(system.model.controllers) > 1)} {names}, and derivatives "
            "do not go through sampled commands; take differences of whole runs (flexmb.study), or leave it out"
        )
    wanted, labels, powers, at_end = _quantities(final, integrals, where)
    outputs = Outputs(system, wanted)
    run = simulate(
        system.model, t_end, t_start=t_start, step=step, spectral_radius=spectral_radius, newton_tolerance=1e-13,
        progress=False,
    )  # fmt: skip
    if run.status != "finished":
        raise SolverError(f"{whole.where}: the run {run.message}")
    scheme = _Scheme(spectral_radius, step)
    track = _Track.of(run, scheme, whole.where)
    y = outputs.values(track.t, track.q, track.kept, track.a, track.lam)
    weights = _time_weights(track.t)
    values = np.array([
        y[-1, j] if end else float(weights @ y[:, j] ** power) for j, (power, end) in enumerate(zip(powers, at_end))
    ])  # fmt: skip
    # ∂(quantity)/∂y at each time, (k, j)
    by_y = np.zeros_like(y)
    for j, (power, end) in enumerate(zip(powers, at_end)):
        if end:
            by_y[-1, j] = 1.0
        else:
            by_y[:, j] = weights * (1.0 if power == 1 else 2.0 * y[:, j])
    engine = _Direct if method == "direct" else _Adjoint
    matrix = engine(whole, track, scheme, outputs, by_y).matrix()
    units = [
        unit if end else f"{unit} s" if power == 1 else f"({unit})² s"
        for unit, power, end in zip(outputs.units, powers, at_end)
    ]
    return Sensitivity(labels, units, whole.parameters, values, matrix)


@interruptible
@one_thread
def static_sensitivity(
    build: Callable[..., Model],
    parameters: Mapping[str, float],
    outputs: Sequence[str] | str,
    *,
    controllers: str = "refuse",
) -> Sensitivity:
    """Derivatives of outputs at the equilibrium of a mechanism:  [K Gᵀ; G 0] (δq, δλ) = −∂(f + Gᵀλ, g)/∂θ.

    Arguments: `build(**parameters)` returns a model; `parameters`: names and nominal values; `outputs` by name;
    `controllers`: "refuse" a model that has some, or leave their commands "held" at zero.

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
    whole = Parametrised(build, parameters, regular_system)
    measured = Outputs(whole.system, outputs)
    state = equilibrium(whole.system.model, controllers=controllers).state
    system, n = state.system, state.system.n
    A = system.matrix(state.t, state.q, state.v, state.a, state.lam, (0.0, 0.0, 1.0))
    factors = _factors(A, whole.where, "the equations of rest are")
    rows = (np.array([state.t]), *(x[None, :] for x in (state.q, state.v, state.a, state.lam)))
    by = measured.derivatives(state)
    matrix = np.zeros((len(measured.names), len(whole.parameters)))
    for k, name in enumerate(whole.parameters):
        neighbours = whole.neighbours(name)
        right = neighbours.derivative(lambda system: equations(system, *rows))[0]
        moved = -factors.solve(right[: n + system.m])
        matrix[:, k] = by.q @ moved[:n] + by.lam @ moved[n:] + _explicit_derivative(measured, neighbours, rows)[0]
    return Sensitivity(list(measured.names), list(measured.units), whole.parameters, by.y, matrix)


# -- what both methods need -------------------------------------------------------------------------------------------


class _Scheme:
    """The coefficients of generalized-α."""

    def __init__(self, rho: float, h: float) -> None:
        self.h = h
        self.am = (2.0 * rho - 1.0) / (rho + 1.0)
        self.af = rho / (rho + 1.0)
        self.gamma = 0.5 + self.af - self.am
        self.beta = 0.25 * (self.gamma + 0.5) ** 2
        self.b = (1.0 - self.am) / (1.0 - self.af)
        bh2 = self.beta * h * h
        #: ∂â₁/∂q₁, ∂v₁/∂q₁ and ∂a₁/∂q₁
        self.on = (1.0 / bh2, self.gamma / (self.beta * h), self.b / bh2)


@dataclass
class _Track:
    """A run at its steps: times, coordinates, speeds `v` of the recursion and `kept` speeds, accelerations and λ."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    kept: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    steps: np.ndarray

    @classmethod
    def of(cls, run: Any, s: _Scheme, where: str) -> _Track:
        h = np.diff(run.t)
        if np.any(np.abs(h[:-1] - s.h) > 1e-6 * s.h):
            raise SolverError(f"{where}: the step of {s.h:g} s had to be divided; take a smaller one")
        alg = np.empty_like(run.a)
        v = np.empty_like(run.v)
        alg[0], v[0] = run.a[0], run.v[0]
        for k in range(len(h)):
            before = alg[k]
            if abs(h[k] - s.h) > 1e-9 * s.h:  # a shorter last step
                before = run.a[k] + h[k] / s.h * (alg[k] - run.a[k])
            alg[k + 1] = ((1.0 - s.af) * run.a[k + 1] + s.af * run.a[k] - s.am * before) / (1.0 - s.am)
            v[k + 1] = v[k] + h[k] * ((1.0 - s.gamma) * before + s.gamma * alg[k + 1])
        if abs(h[-1] - s.h) > 1e-9 * s.h:
            raise SolverError(f"{where}: {run.t[-1] - run.t[0]:g} s are no whole number of steps of {s.h:g} s")
        return cls(run.t, run.q, v, run.v, run.a, run.multipliers, h)

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """Its arrays for compiled code."""
        return tuple(
            np.ascontiguousarray(x, dtype=float) for x in (self.t, self.q, self.v, self.kept, self.a, self.lam)
        )

    def state(self, system: System, k: int) -> tuple[Any, ...]:
        return float(self.t[k]), self.q[k], self.v[k], self.a[k], self.lam[k]


def _factors(A: Any, where: str, what: str) -> Factors:
    try:
        return Factors(A)
    except np.linalg.LinAlgError:
        raise SolverError(f"{where}: {what} singular") from None


class _Engine:
    """The part that both methods share: a run, with the derivatives of its equations by each parameter."""

    def __init__(self, whole: Parametrised, track: _Track, scheme: _Scheme, outputs: Outputs, by_y: np.ndarray) -> None:
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
            self.right[p] = neighbours.derivative(lambda system: equations(system, *rows))
            if self.m:
                self.right[p, :, self.n + self.m :] = neighbours.derivative(
                    lambda system: equations(system, *kept)[:, self.n + self.m :]
                )
            self.explicit[p] = _explicit_derivative(outputs, neighbours, kept)
            self.start.append(_initial_derivatives(neighbours, track.t[0]))

    def step_matrix(self, k: int) -> tuple[Factors, Any, Any]:
        """The factors of [S Gᵀ; G 0], and M and D, at the step that ends at k."""
        t, q, v, a, lam = self.track.state(self.system, k)
        _, on_v, on_a = self.s.on
        M = self.system.tangent(t, q, v, a, lam, (1.0, 0.0, 0.0))
        D = self.system.tangent(t, q, v, a, lam, (0.0, 1.0, 0.0))
        A = self.system.matrix(t, q, v, a, lam, (on_a, on_v, 1.0))
        return _factors(A, self.whole.where, "the matrix of a step is"), M, D


class _Direct(_Engine):
    """The direct method: compiled code carries the changes along."""

    def matrix(self) -> np.ndarray:
        s, n, m = self.s, self.n, self.m
        count, k = len(self.names), len(self.track.t)
        system, total = self.system, self.system.plan.total
        size = s.on[2] * system.mass_scale
        coefficients = np.array([s.h, s.am, s.af, s.gamma, s.beta, *s.on, size])
        change = np.zeros((4, count, n))
        results = (*(np.zeros((count, k, n)) for _ in range(3)), np.zeros((count, k, m)))
        for p, start in enumerate(self.start):
            for out, value in zip(results, start):
                out[p, 0] = value
            change[0, p], change[1, p], change[2, p], change[3, p] = start[0], start[1], start[2], start[2]
        full, moved = np.zeros((3, total)), np.zeros((2, total))
        full[0] = moved[0] = system.initial
        pattern = system.pattern
        indptr, indices = (np.zeros(1, dtype=np.int64),) * 2 if pattern is None else (pattern.indptr, pattern.indices)
        speeds = any(name.rpartition(".")[2] not in STILL and name not in system.names for name in self.outputs.names)
        first = change.copy()
        while True:
            change[:] = first
            buffers = (
                np.zeros((count, n + m)), np.zeros(max(system.plan.size, total)), np.zeros(n), np.zeros(3),
                np.zeros((3, m)), np.zeros(m),
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


class _Adjoint(_Engine):
    """The adjoint method: backward with the transposed matrices."""

    def matrix(self) -> np.ndarray:
        s, n, m, h = self.s, self.n, self.m, self.s.h
        on_alg, on_v, on_a = s.on
        quantities, count = self.by_y.shape[1], len(self.names)
        Lq, Lv, La, Lalg = np.zeros((4, n, quantities))
        out = np.zeros((quantities, count))
        k = len(self.track.t)
        for i in range(k - 1, 0, -1):
            factors, M, D = self.step_matrix(i)
            Llam = np.zeros((m, quantities))
            if np.any(self.by_y[i]):
                rows = self._state_derivatives(i)
                Yv = rows.v
                if m and Yv.any():  # kept speeds are projected: δv − x, with x from the same factors
                    back = factors.solve_transposed(np.vstack([Yv.T, np.zeros((m, quantities))]))[n:]
                    G, H = _rate_rows(self.system, self.track, i)
                    out -= back.T @ self.right[:, i, n + m :].T
                    Lq -= H.T @ back
                    Yv = Yv - back.T @ G
                Lq, Lv, La = Lq + rows.q.T, Lv + Yv.T, La + rows.a.T
                Llam = rows.lam.T
                out += np.einsum("j,pj->jp", self.by_y[i], self.explicit[:, i])
            w = Lq + on_alg * Lalg + on_v * Lv + on_a * La
            x = factors.solve_transposed(np.vstack([w, Llam]))
            mu = x[:n]
            out -= x.T @ self.right[:, i, : n + m].T
            pa = La - M.T @ mu
            pv = Lv - D.T @ mu
            palg = Lalg + h * s.gamma * pv + (1.0 - s.am) / (1.0 - s.af) * pa
            Lq = -on_alg * palg
            Lv, La, Lalg = (
                pv - h * on_alg * palg,
                -s.af / (1.0 - s.af) * pa,
                h * (1.0 - s.gamma) * pv + s.am / (1.0 - s.af) * pa - h * h * (0.5 - s.beta) * on_alg * palg,
            )
        rows = self._state_derivatives(0)
        out += np.einsum("j,pj->jp", self.by_y[0], self.explicit[:, 0])
        for p, (dq, dv, da, dlam) in enumerate(self.start):
            out[:, p] += (Lq.T + rows.q) @ dq + (Lv.T + rows.v) @ dv + (La.T + Lalg.T + rows.a) @ da + rows.lam @ dlam
        return out

    def _state_derivatives(self, i: int) -> Any:
        """Derivatives of the quantities by the state at time number i, (quantities, n) each."""
        track = self.track
        by = self.outputs.derivatives(
            State(self.system, float(track.t[i]), track.q[i], track.kept[i], track.a[i], track.lam[i])
        )
        share = self.by_y[i][:, None]
        return by._replace(q=share * by.q, v=share * by.v, a=share * by.a, lam=share * by.lam)


def _quantities(final: Any, integrals: Any, where: str) -> tuple[list[str], list[str], list[int], list[bool]]:
    """Names of outputs, their labels and powers, and whether each is taken at the end."""
    ends = [final] if isinstance(final, str) else list(final)
    if isinstance(integrals, str):
        integrals = [integrals]
    if not isinstance(integrals, Mapping):
        integrals = {f"∫ {name} dt": (name, 1) for name in integrals}
    wanted, labels = list(ends), list(ends)
    powers, at_end = [1] * len(ends), [True] * len(ends)
    for label, given in integrals.items():
        name, power = (given, 1) if isinstance(given, str) else given
        if power not in (1, 2):
            raise ModelError(f"{where}: integral {label!r}: the power is {power!r}; give 1 or 2")
        wanted.append(name)
        labels.append(label)
        powers.append(int(power))
        at_end.append(False)
    if not wanted:
        raise ModelError(f"{where}: name at least one output, final='rod.end.y' or integrals=[...]")
    checks.all_different(labels, "quantity", where)
    return wanted, labels, powers, at_end


def _time_weights(t: np.ndarray) -> np.ndarray:
    """The weights (k,) of the trapezoid rule."""
    h = np.diff(t)
    weights = np.zeros(len(t))
    weights[:-1] += 0.5 * h
    weights[1:] += 0.5 * h
    return weights


def _explicit_derivative(outputs: Outputs, neighbours: NeighbouringSystems, rows: tuple[np.ndarray, ...]) -> np.ndarray:
    """∂y/∂θ (k, j) at fixed states: outputs depend on offsets of frames and stiffnesses of sections directly."""

    def values(system: System) -> np.ndarray:
        solution = as_solution(system, *rows)
        return np.stack([solution.series(name).values for name in outputs.names], axis=1)

    return np.asarray(neighbours.derivative(values))


def _initial_derivatives(neighbours: NeighbouringSystems, t: float) -> tuple[np.ndarray, ...]:
    """∂(q, v, a, λ)/∂θ at the start."""

    def values(system: System) -> np.ndarray:
        q, v, a, lam, _, _ = consistent_state(system, float(t), system.q0, system.v0)
        n = system.n
        return np.concatenate([q[:n], v[:n], a[:n], lam])

    n = neighbours.systems[0].n
    by = neighbours.derivative(values)
    return by[:n], by[n : 2 * n], by[2 * n : 3 * n], by[3 * n :]


def _output_changes(
    outputs: Outputs, track: _Track, dq: np.ndarray, dv: np.ndarray, da: np.ndarray, dlam: np.ndarray
) -> np.ndarray:
    """The change of the outputs (k, j) along changes of the states, by differences of fourth order."""
    size = np.max(np.abs(dq) / outputs.system.scale, initial=0.0)
    rates = [np.max(np.abs(x), initial=0.0) / max(np.max(np.abs(y), initial=0.0), 1.0)
             for x, y in ((dv, track.kept), (da, track.a), (dlam, track.lam))]  # fmt: skip
    size = max(size, *rates)
    if size == 0.0:
        return np.zeros((len(track.t), len(outputs.names)))
    h = 1e-3 / size
    ends = []
    for offset in OFFSETS:
        e = offset * h
        rows = (track.q + e * dq, track.kept + e * dv, track.a + e * da, track.lam + e * dlam)
        ends.append(outputs.values(track.t, *rows))
    return np.asarray(slope(ends, h))


def _rate_rows(system: System, track: _Track, i: int) -> tuple[Any, np.ndarray]:
    """G, and ∂(G v + g_t)/∂q by differences of fourth order, (m, n) each."""
    t, q, v = float(track.t[i]), track.q[i], track.kept[i]
    H = np.zeros((system.m, system.n))
    for j in range(system.n):
        h = 1e-3 * system.scale[j]
        ends = []
        for offset in OFFSETS:
            moved = q.copy()
            moved[j] += offset * h
            ends.append(system.constraint(t, moved, v)[1])
        H[:, j] = slope(ends, h)
    return system.jacobian(t, q), H
