"""Linear models whose coefficients change with time: small motions along a run of a mechanism.

Near a run the mechanism moves, to first order, by

    ẋ = A(t) x + B(t) u,    y = C(t) x + D(t) u

with the coefficients of :mod:`flexmb.analyses.linear.small_motions` at each instant and the coordinates of
:mod:`flexmb.analyses.linear.transport`. The transition matrix, x(t₁) = Φ(t₁, t₀) x(t₀), is the product of those of
steps, each by Magnus's series of fourth order (Blanes et al. (2009)), halved until two half steps agree with the whole
one. Over a step the coordinates are those of its start, held, and at its end they are exchanged for those of the next:
so Φ does not depend on how well the coordinates are carried along.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from flexmb.analyses.linear.floquet import Floquet, floquet
from flexmb.analyses.linear.linear_model import LinearModel, LinearRun
from flexmb.analyses.linear.nominal import Nominal
from flexmb.errors import ModelError
from flexmb.kernels.blocks import STATE
from flexmb.machine import reports
from flexmb.machine.interruption import interruptible
from flexmb.machine.threads import one_thread
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls
from flexmb.results.solution import Solution
from flexmb.results.state import State


@dataclass(frozen=True, eq=False)
class TimeVaryingModel(metaclass=AnswersCalls):
    """The linear model ẋ = A(t) x + B(t) u, y = C(t) x + D(t) u of small motions along a run, x, u and y measured from
    it.

    `times` (k,) [s]: those of the run; `A` (k, n, n), `B` (k, n, inputs), `C` (k, outputs, n), `D` (k, outputs,
    inputs); `states`, `inputs`, `outputs` their names, with `input_units`, `output_units`; a state 'direction 1' is a
    motion that joints leave free, in units of the mechanism's length and radians, where no coordinates of its own
    determine the motion throughout the run; `nominal_outputs` (k, outputs): those of the run; `positions`, `speeds`
    (k, n of the mechanism, n): δq and δv of a state vector.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("swing", gravity=(0, -10))
    >>> bob = m.add_body("bob", mass=1.0, inertia=0.0, position=(1, 0))
    >>> hinge = m.revolute(m.ground, bob.attach("pivot", (-1, 0)), name="hinge")
    >>> run = fm.simulate(m, 0.5, method="radau", tolerance=1e-9, progress=False).at(np.linspace(0.0, 0.5, 6))
    >>> along = fm.linearize(run, coordinates=["bob.angle"], along=True)
    >>> gain = 10.0 * np.sin(run["bob.angle"])  # θ̈ = −10 cos θ
    >>> np.abs(along.A[:, 1, 0] - gain).max() < 1e-9, along.states
    (np.True_, ['bob.angle', 'bob.angle rate'])
    """

    times: np.ndarray
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: list[str]
    inputs: list[str]
    outputs: list[str]
    input_units: list[str]
    output_units: list[str]
    nominal_outputs: np.ndarray = field(repr=False)
    positions: np.ndarray = field(repr=False)
    speeds: np.ndarray = field(repr=False)
    _nominal: Nominal = field(repr=False)
    _kept: np.ndarray = field(repr=False)
    _steps: dict[tuple[float, float], Any] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        size = f"{len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        return f"TimeVaryingModel({size}, {self.times[0]:g} … {self.times[-1]:g} s)"

    def _repr_html_(self) -> str:
        inputs = reports.table(["input", "unit"], list(zip(self.inputs, self.input_units)))
        outputs = reports.table(["output", "unit"], list(zip(self.outputs, self.output_units)))
        return reports.report(repr(self), [", ".join(self.states)], inputs, outputs)

    def __len__(self) -> int:
        return len(self.states)

    def at(self, t: float) -> LinearModel:
        """The linear model with the coefficients of one time [s] of the run.

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> run = fm.simulate(build(), 0.1, step=0.01, progress=False)
        >>> fm.linearize(run, "rod.end.fy", "rod.end.y", along=True).at(0.05)
        LinearModel(22 states, 1 inputs, 1 outputs)
        """
        return without_states(self._nominal.model(self._time(t, "t")), self._kept)

    @interruptible
    @one_thread
    def transition(self, t0: float | None = None, t1: float | None = None) -> np.ndarray:
        """Φ (n, n) with x(t1) = Φ x(t0), for times [s] within the run, which are its start and its end when not given.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("oscillator")
        >>> body = m.add_body("body", mass=1.0, inertia=0.1)
        >>> rail = m.prismatic(m.ground, body.frame)
        >>> spring = m.bushing(m.ground, body.frame, stiffness=(4.0, 0, 0))
        >>> body.move((1.0, 0.0))
        >>> along = fm.linearize(fm.simulate(m, 1.0, step=0.1, progress=False), along=True)
        >>> along.transition(0.0, 0.5).round(6).tolist()  # cos 1, sin 1/2
        [[0.540302, 0.420735], [-1.682942, 0.540302]]
        """
        a = float(self.times[0]) if t0 is None else self._time(t0, "t0")
        b = float(self.times[-1]) if t1 is None else self._time(t1, "t1")
        if b < a:
            return np.asarray(np.linalg.inv(self.transition(b, a)))
        inside = self.times[(self.times > a) & (self.times < b)].tolist()
        out = np.eye(len(self))
        for begin, end in zip([a, *inside], [*inside, b]):
            if end > begin:
                out = self._step(begin, end)[0] @ out
        return out

    @interruptible
    @one_thread
    def response(self, u: Any = None, x0: Any = None) -> LinearRun:
        """The motion at the `times` from the state vector `x0` (n,) at their first, zero when not given, under inputs
        `u` (k, inputs), straight lines between the times, or a mapping from names of inputs to (k,); exact for such
        inputs, to first order in both. Add `run.series(name).values` for the motion of the mechanism itself.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("cart")
        >>> cart = m.add_body("cart", mass=2.0, inertia=1.0)
        >>> rail = m.prismatic(m.ground, cart.frame)
        >>> cart.move((1.0, 0.0))
        >>> run = fm.simulate(m, 2.0, step=0.5, progress=False)
        >>> along = fm.linearize(run, "cart.fx", "cart.x", along=True)
        >>> along.response({"cart.fx": np.full(len(run.t), 2.0)})["cart.x"].round(6).tolist()  # t²/2
        [0.0, 0.125, 0.5, 1.125, 2.0]
        """
        where, k, i = self._nominal.where, len(self.times), len(self.inputs)
        given = np.zeros((k, i))
        if isinstance(u, Mapping):
            for name, values in u.items():
                place = self.inputs.index(checks.known(name, self.inputs, "input", where))
                given[:, place] = checks.vector(values, f"u[{name!r}]", where, k)
        elif u is not None:
            given = checks.numbers(u, "u", where, f"numbers, a row of {i} for each of the {k} times")
            if given.size != k * i:
                raise ModelError(f"{where}: u has the shape {given.shape}; it must be {(k, i)} (times, inputs)")
            given = given.reshape(k, i)
        x = np.zeros((k, len(self)))
        x[0] = 0.0 if x0 is None else checks.vector(x0, "x0", where, len(self))
        for j in range(k - 1):
            Φ, before, after = self._step(float(self.times[j]), float(self.times[j + 1]))
            x[j + 1] = Φ @ x[j] + before @ given[j] + after @ given[j + 1]
        y = np.einsum("koj,kj->ko", self.C, x) + np.einsum("koi,ki->ko", self.D, given)
        return LinearRun(self, self.times, x, y)

    def floquet(self, period: float | None = None) -> Floquet:
        """Floquet's multipliers of a periodic run: whether small motions about it grow from period to period.

        `period` [s]: the last so many seconds of the run are taken, all of it when not given. The state must be the
        same at both ends, but for whole turns; a period that is none is refused, with the distance of the states.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("oscillator")
        >>> body = m.add_body("body", mass=1.0, inertia=0.1)
        >>> rail = m.prismatic(m.ground, body.frame)
        >>> spring = m.bushing(m.ground, body.frame, stiffness=(4.0, 0, 0), damping=(0.4, 0, 0))
        >>> run = fm.simulate(m, 2.0, step=0.1, progress=False)  # it stays at rest
        >>> found = fm.linearize(run, along=True).floquet(1.5)
        >>> bool(found.stable), np.abs(found.multipliers).round(6).tolist()  # exp(−0.2 · 1.5)
        (True, [0.740818, 0.740818])
        """
        return floquet(self, period)

    def restore(self, x: Any, t: float | None = None) -> State:
        """The state of the mechanism that belongs to a state vector x (n,) at a time [s] of the run, its start when not
        given, e.g. to start a simulation of the disturbed mechanism.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("cart")
        >>> cart = m.add_body("cart", mass=2.0, inertia=1.0)
        >>> rail = m.prismatic(m.ground, cart.frame)
        >>> run = fm.simulate(m, 0.2, step=0.1, progress=False)
        >>> fm.linearize(run, along=True).restore([0.1, 3.0])["cart.vx"]
        3.0
        """
        x = checks.vector(x, "x", self._nominal.where, len(self))
        model = self.at(float(self.times[0]) if t is None else t)
        return model.restore(x)

    # -- parts --------------------------------------------------------------------------------------------------------

    def _time(self, given: Any, what: str) -> float:
        """A time within the run."""
        t = checks.number(given, what, self._nominal.where)
        begin, end = float(self.times[0]), float(self.times[-1])
        rounding = 1e-9 * (end - begin)
        if not begin - rounding <= t <= end + rounding:
            raise ModelError(f"{self._nominal.where}: {what} is {t:g} s; the run is from {begin:g} to {end:g} s")
        near = int(np.argmin(np.abs(self.times - t)))
        return float(self.times[near]) if abs(self.times[near] - t) <= rounding else t

    def _step(self, a: float, b: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Φ, Γ₀, Γ₁ between two times, computed once."""
        if (a, b) not in self._steps:
            Φ, before, after = self._nominal.step(a, b)
            self._steps[a, b] = Φ[np.ix_(self._kept, self._kept)], before[self._kept], after[self._kept]
        return self._steps[a, b]  # type: ignore[no-any-return]


def along_run(
    solution: Solution, inputs: Sequence[Any] | Any, outputs: Sequence[Any] | Any, coordinates: Sequence[str] | None
) -> TimeVaryingModel:
    """The linear model along a run; see :func:`flexmb.linearize`."""
    asked, measured = (list(x) if isinstance(x, list | tuple) else [x] for x in (inputs, outputs))
    nominal = Nominal(solution, asked, measured, coordinates)
    models = [nominal.model(float(t)) for t in nominal.times]
    first = models[0]
    assert first.state is not None
    system = first.state.system
    integrals = {system.names[k] for k in np.flatnonzero(system.assembly.free.mask(STATE)).tolist()}
    kept = np.array([k for k, name in enumerate(first.states) if name not in integrals], dtype=np.int64)
    models = [without_states(model, kept) for model in models]
    first = models[0]

    def over_time(what: str) -> np.ndarray:
        return np.array([getattr(model, what) for model in models])

    return TimeVaryingModel(
        nominal.times,
        over_time("A"),
        over_time("B"),
        over_time("C"),
        over_time("D"),
        first.states,
        first.inputs,
        first.outputs,
        first.input_units,
        first.output_units,
        over_time("operating_outputs"),
        over_time("positions"),
        over_time("speeds"),
        nominal,
        kept,
    )


def without_states(model: LinearModel, kept: np.ndarray) -> LinearModel:
    """The model with some of its states, which the others do not move."""
    if len(kept) == len(model):
        return model
    assert model.positions is not None and model.speeds is not None
    return replace(
        model, A=model.A[np.ix_(kept, kept)], B=model.B[kept], C=model.C[:, kept],
        states=[model.states[k] for k in kept], positions=model.positions[:, kept], speeds=model.speeds[:, kept],
    )  # fmt: skip
