"""Linear models: A, B, C, D with names and units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.signal

from flexmb.algebra.eigenvalues import in_like_units
from flexmb.analyses.linear import truncation
from flexmb.analyses.linear.exchanged import Exchanged
from flexmb.analyses.linear.frequency_response import FrequencyResponse, checked_frequencies, response_values
from flexmb.analyses.linear.reach import unreached_poles
from flexmb.analyses.vibration.complex_modes import damping_ratios
from flexmb.errors import LinearModelError, ModelError
from flexmb.machine import reports
from flexmb.machine.threads import threads_by_size
from flexmb.model import checks, given_times
from flexmb.model.hints import AnswersCalls
from flexmb.results.state import State

#: the largest number of states of which a notebook shows the poles unasked
MOST_STATES = 200
#: steps of a step response if only its end is given
STEPS = 500


def check_linear(value: Any, what: str, where: str, *needs: str) -> None:
    """Raise an error if a value is not a linear model, or has none of what is needed: "inputs" or "outputs"."""
    if not isinstance(value, LinearModel):
        raise ModelError(f"{where}: {what} must be a linear model, e.g. of fm.linearize, not {checks.quoted(value)}")
    value.needs(where, *needs)


@dataclass(frozen=True, eq=False)
class LinearModel(Exchanged):
    """A linear model ẋ = A x + B u,  y = C x + D u,  measured from an operating point.

    `A` (k, k), `B` (k, inputs), `C` (outputs, k), `D` (outputs, inputs); `states`, `inputs`, `outputs` their names,
    with `input_units`, `output_units` (in space 'steer.angle' is a coordinate of a joint, 'box.turn x' a small turn of
    a body about its own axis x, 'box.own wx' the angular velocity about it); `operating_outputs` (outputs,): the values
    of the outputs at the operating point; `state`: that point, where the model comes from a mechanism, with
    `positions`, `speeds` (n, k): δq and δv of a state vector; `period` [s] of a model in discrete time,
    x[i+1] = A x[i] + B u[i], None of one in continuous time.

    >>> import numpy as np
    >>> oscillator = LinearModel([[0, 1], [-4.0, -0.4]], [[0], [1.0]], [[1.0, 0]], [[0.0]])
    >>> oscillator.stable, oscillator.natural_frequencies.round(6).tolist(), oscillator.damping.round(6).tolist()
    (True, [2.0, 2.0], [0.1, 0.1])
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    input_units: list[str] = field(default_factory=list)
    output_units: list[str] = field(default_factory=list)
    operating_outputs: np.ndarray = field(default_factory=lambda: np.zeros(0))
    state: State | None = field(default=None, repr=False)
    positions: np.ndarray | None = field(default=None, repr=False)
    speeds: np.ndarray | None = field(default=None, repr=False)
    period: float | None = None

    def __post_init__(self) -> None:
        where = "linear model"
        wanted = "a matrix of finite numbers"
        for what in "ABCD":
            value = checks.numbers(getattr(self, what), what, where, wanted)
            if value.ndim != 2:
                raise ModelError(f"{where}: {what} must be {wanted}, not {checks.quoted(value)}")
            object.__setattr__(self, what, value)
        if self.period is not None:
            checks.check_fields(self, checks.positive, where, "period")
        k, i, o = len(self.A), self.B.shape[1], len(self.C)
        for what, shape in {"A": (k, k), "B": (k, i), "C": (o, k), "D": (o, i)}.items():
            if getattr(self, what).shape != shape:
                raise ModelError(f"{where}: {what} has the shape {getattr(self, what).shape}; it must be {shape}")
        for what, stem, count in (("states", "x", k), ("inputs", "u", i), ("outputs", "y", o)):
            object.__setattr__(self, what, self._checked_texts(what, count) or [f"{stem}{j + 1}" for j in range(count)])
        for what, count in (("input_units", i), ("output_units", o)):
            object.__setattr__(self, what, self._checked_texts(what, count) or ["–"] * count)
        at = checks.row(self.operating_outputs, "operating_outputs", where)
        at = checks.vector(at if at.size else np.zeros(o), "operating_outputs", where, o)
        object.__setattr__(self, "operating_outputs", at)

    def _checked_texts(self, what: str, count: int) -> list[str]:
        """Names or units, checked: `count` of them, or none."""
        given = checks.several(getattr(self, what), what, "linear model")
        wrong = [x for x in given if not isinstance(x, str)]
        if wrong:
            raise ModelError(f"linear model: {what} must be texts, not {checks.quoted(wrong[0])}")
        if given and len(given) != count:
            raise ModelError(f"linear model: {len(given)} {what.replace('_', ' ')} are given; it has {count}")
        return given

    def needs(self, where: str, *what: str) -> None:
        """Raise a LinearModelError if it has none of its "inputs" or "outputs", where they are needed.

        >>> free = LinearModel([[-1.0]], np.zeros((1, 0)), [[1.0]], np.zeros((1, 0)), outputs=["x"])
        >>> free.needs("Bode plot", "inputs", "outputs")
        Traceback (most recent call last):
        flexmb.errors.LinearModelError: Bode plot: the linear model has no inputs; name some in fm.linearize, inputs=[…]
        """
        missing = [name for name in what if not getattr(self, name)]
        if missing:
            raise LinearModelError(
                f"{where}: the linear model has no {' and no '.join(missing)}; name some in fm.linearize, "
                f"{', '.join(f'{name}=[…]' for name in missing)}"
            )

    def __repr__(self) -> str:
        kind = "" if self.period is None else f", every {self.period:g} s"
        return f"LinearModel({len(self)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs{kind})"

    # -- properties ---------------------------------------------------------------------------------------------------

    @cached_property
    @threads_by_size
    def poles(self) -> np.ndarray:
        """Eigenvalues of A (k,) in ascending size [rad/s]; in discrete time those of one step."""
        values = np.linalg.eigvals(self.A)
        return values[np.lexsort((values.imag, np.abs(values).round(10)))]

    @property
    def stable(self) -> bool:
        """Whether all motions die out."""
        if self.period is not None:
            return bool(np.all(np.abs(self.poles) < 1.0))
        return bool(np.all(truncation.decays(self.A, self.poles)))

    @property
    def natural_frequencies(self) -> np.ndarray:
        """|λ| of each pole [rad/s] (k,)."""
        return np.abs(self._continuous_poles)

    @property
    def damping(self) -> np.ndarray:
        """Damping ratio −Re λ/|λ| of each pole (k,); 0 for poles at the origin."""
        return damping_ratios(self._continuous_poles)

    @property
    def _continuous_poles(self) -> np.ndarray:
        return self.poles if self.period is None else np.log(self.poles.astype(complex)) / self.period

    @cached_property
    def uncontrollable(self) -> np.ndarray:
        """Poles that no input reaches (Popov, Belevitch and Hautus: [A − λ, B] loses rank), each once."""
        return unreached_poles(self.A, self.B)

    @cached_property
    def unobservable(self) -> np.ndarray:
        """Poles that no output shows ([A − λ; C] loses rank), each once."""
        return unreached_poles(self.A.T, self.C.T)

    @property
    def controllable(self) -> bool:
        """Whether the inputs reach every state."""
        return len(self.uncontrollable) == 0

    @property
    def observable(self) -> bool:
        """Whether the outputs show every state."""
        return len(self.unobservable) == 0

    def __len__(self) -> int:
        return len(self.A)

    def __str__(self) -> str:
        kind = "continuous" if self.period is None else f"every {self.period:g} s"
        lines = [f"Linear model, {kind}: {len(self)} states, {'stable' if self.stable else 'not stable'}"]
        for what, names, units in (
            ("inputs", self.inputs, self.input_units), ("outputs", self.outputs, self.output_units)
        ):  # fmt: skip
            lines.append(f"  {what}: {', '.join(f'{n} [{u}]' for n, u in zip(names, units)) or 'none'}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = ["output", "unit", "at the operating point"]
        outputs = reports.table(head, list(zip(self.outputs, self.output_units, self.operating_outputs)))
        inputs = reports.table(["input", "unit"], list(zip(self.inputs, self.input_units)))
        if len(self) > MOST_STATES and "poles" not in vars(self):
            return reports.report(repr(self), ["poles are computed when they are asked for"], inputs, outputs)
        columns = zip(self.poles, self.natural_frequencies, self.damping)
        unit = "[rad/s]" if self.period is None else "of one step"
        poles = reports.table([f"pole {unit}", "natural frequency [rad/s]", "damping ζ [–]"], list(columns))
        return reports.report_of(str(self).split("\n", 1)[0], inputs, outputs, poles)

    # -- parts --------------------------------------------------------------------------------------------------------

    def part(
        self, inputs: Sequence[str] | str | None = None, outputs: Sequence[str] | str | None = None
    ) -> LinearModel:
        """The model with some of its inputs and outputs, in the order given.

        >>> two = LinearModel([[-1.0]], [[3.0, 4.0]], [[1.0]], [[0.0, 0.0]], inputs=["motor", "wind"])
        >>> two.part("wind").B.tolist(), two.part(["wind", "motor"]).B.tolist()
        ([[4.0]], [[4.0, 3.0]])
        """
        i = _numbers(self.inputs, inputs, "input")
        o = _numbers(self.outputs, outputs, "output")
        return replace(
            self,
            B=self.B[:, i],
            C=self.C[o],
            D=self.D[np.ix_(o, i)],
            inputs=[self.inputs[j] for j in i],
            outputs=[self.outputs[j] for j in o],
            input_units=[self.input_units[j] for j in i],
            output_units=[self.output_units[j] for j in o],
            operating_outputs=self.operating_outputs[o],
        )

    def transformed(self, T: np.ndarray, left: np.ndarray, names: Sequence[str]) -> LinearModel:
        """The model in other states z, with x = T z and z = left x; with fewer states it is a projection.

        >>> meters = LinearModel([[-1.0]], [[2.0]], [[1.0]], [[0.0]], states=["x [m]"])
        >>> millimeters = meters.transformed(np.array([[1e-3]]), np.array([[1e3]]), ["x [mm]"])
        >>> millimeters.B.tolist(), millimeters.C.tolist()
        ([[2000.0]], [[0.001]])
        """
        return replace(
            self,
            A=left @ self.A @ T,
            B=left @ self.B,
            C=self.C @ T,
            states=list(names),
            positions=None if self.positions is None else self.positions @ T,
            speeds=None if self.speeds is None else self.speeds @ T,
        )

    def closed(self, gain: Any) -> LinearModel:
        """The loop closed by u = −gain y + r, `gain` (inputs, outputs); its inputs are r, under the same names.

        >>> import numpy as np
        >>> mass = LinearModel([[0, 1.0], [0, 0]], [[0], [1.0]], np.eye(2), np.zeros((2, 1)))
        >>> mass.closed([[4.0, 4.0]]).poles.real.round(6).tolist()
        [-2.0, -2.0]
        """
        self.needs("closed loop", "inputs", "outputs")
        F = checks.matrix(gain, "gain", "closed loop")
        o, i = self.D.shape
        if F.shape != (i, o):
            raise ModelError(f"closed loop: the gain has the shape {F.shape}; it must be {(i, o)} (inputs, outputs)")
        # u = −F (C x + D u) + r
        through = np.eye(i) + F @ self.D
        if np.linalg.cond(through) > 1e12:
            raise LinearModelError("closed loop: outputs that answer at once to the inputs make it singular")
        E = np.linalg.inv(through)
        u = -E @ F @ self.C
        return replace(self, A=self.A + self.B @ u, B=self.B @ E, C=self.C + self.D @ u, D=self.D @ E)

    # -- time ---------------------------------------------------------------------------------------------------------

    @threads_by_size
    def discrete(self, period: float, hold: str = "zero") -> LinearModel:
        """The model at instants `period` [s] apart, exact for inputs that are constant between them (`hold` "zero"),
        or that change along straight lines ("first").

        >>> sampled = LinearModel([[-2.0]], [[2.0]], [[1.0]], [[0.0]]).discrete(0.5)
        >>> sampled.A.round(6).tolist(), sampled.B.round(6).tolist()  # exp(-1), 1 - exp(-1)
        ([[0.367879]], [[0.632121]])
        """
        if self.period is not None:
            raise LinearModelError("linear model: discrete is for models in continuous time; this one has steps")
        period = checks.positive(period, "period", "linear model")
        checks.choice(hold, ("zero", "first"), "hold", "linear model")
        *balanced, scale = self._balanced()
        A, B, C, D, _ = scipy.signal.cont2discrete(
            (*balanced, self.D), period, method="zoh" if hold == "zero" else "foh"
        )
        A, B, C = scale[:, None] * A / scale, scale[:, None] * B, C / scale
        sampled = replace(self, A=A, B=B, C=C, D=D, period=period)
        # with "first" the states contain a part of the input, so they are not those of the mechanism
        return replace(sampled, positions=None, speeds=None) if hold == "first" else sampled

    @threads_by_size
    def simulate(self, times: Any, u: Any, x0: Any = None) -> LinearRun:
        """Outputs for inputs `u` (k, inputs) at evenly spaced `times` (k,) [s], straight lines between them; `x0` the
        states at the start. Exact for such inputs.

        >>> run = LinearModel([[-2.0]], [[2.0]], [[1.0]], [[0.0]]).simulate([0.0, 0.5, 1.0], [0.0, 0.0, 0.0], x0=[1.0])
        >>> run["y1"].round(6).tolist()  # exp(-2 t)
        [1.0, 0.367879, 0.135335]
        """
        times = given_times.times(times, "times", "linear model")
        u = checks.numbers(u, "u", "linear model", "an array with a row for each time")
        if not len(times):
            raise ModelError("linear model: there is no time in times; give one or more")
        if u.ndim == 0 or len(u) != len(times):
            raise ModelError(
                f"linear model: u has {len(u) if u.ndim else 0} rows; there are {times.size} times: give a row for each"
            )
        u = u.reshape(len(times), -1)
        if u.shape[1] != self.B.shape[1]:
            raise ModelError(f"linear model: u has {u.shape[1]} columns; the model has {self.B.shape[1]} inputs")
        start = np.zeros(len(self)) if x0 is None else checks.vector(x0, "x0", "linear model", len(self))
        h = float(np.diff(times).mean()) if len(times) > 1 else 1.0
        if len(times) > 1:
            if h <= 0.0 or np.ptp(np.diff(times)) > 1e-6 * h:
                raise ModelError("linear model: the times must be evenly spaced, and ascend")
            if self.period is not None and abs(h - self.period) > 1e-6 * self.period:
                raise ModelError(f"linear model: it is one of steps of {self.period:g} s; the times have others")
        if self.period is not None:  # in units of steps, since time/period may round down to one step less
            _, y, x = scipy.signal.dlsim((self.A, self.B, self.C, self.D, 1.0), u, x0=start)
        else:
            A, B, C, scale = self._balanced()
            _, y, x = scipy.signal.lsim((A, B, C, self.D), u, h * np.arange(len(times)), start / scale)
            x, y = scale * x.reshape(len(times), -1), y.reshape(len(times), -1)
        return LinearRun(self, times, x, y)

    def step(self, times: Any, input: str | None = None) -> LinearRun:
        """The outputs for a unit step of an input (the first when not named); `times` (k,) [s], or the last
        time.

        >>> LinearModel([[-2.0]], [[2.0]], [[1.0]], [[0.0]]).step([0.0, 0.5, 1.0])["y1"].round(6).tolist()
        [0.0, 0.632121, 0.864665]
        """
        self.needs("step of a linear model", "inputs")
        if checks.shape_of(times) == ():
            times = np.linspace(0.0, checks.positive(times, "times", "linear model"), STEPS + 1)
        times = given_times.times(times, "times", "linear model")
        u = np.zeros((len(times), self.B.shape[1]))
        u[:, 0 if input is None else _numbers(self.inputs, [input], "input")[0]] = 1.0
        return self.simulate(times, u)

    def restore(self, x: Any) -> State:
        """The state of the mechanism that belongs to a state vector x (k,), e.g. to start a simulation.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("cart")
        >>> cart = m.add_body("cart", mass=2.0, inertia=1.0)
        >>> rail = m.prismatic(m.ground, cart.frame)
        >>> start = fm.linearize(m, "cart.fx", "cart.x").restore([0.1, 3.0])
        >>> fm.simulate(m, 0.2, step=0.1, initial=start)["cart.x"].round(6).tolist()
        [0.1, 0.4, 0.7]
        """
        if self.state is None or self.positions is None or self.speeds is None:
            raise LinearModelError("linear model: it does not come from a mechanism, or its states no longer do")
        x = checks.vector(x, "x", "linear model", len(self))
        s = self.state
        return State(s.system, s.t, s.system.retract(s.q, self.positions @ x), s.v + self.speeds @ x, s.a, s.lam)

    # -- frequency, and smaller models --------------------------------------------------------------------------------

    def response(self, frequencies: Any) -> FrequencyResponse:
        """The frequency response C (jω − A)⁻¹ B + D at `frequencies` (k,) [Hz].

        >>> response = LinearModel([[-2.0]], [[2.0]], [[1.0]], [[0.0]]).response([0.0, 1.0 / np.pi])
        >>> response.magnitude.ravel().round(6).tolist()
        [1.0, 0.707107]
        """
        self.needs("frequency response", "inputs", "outputs")
        f = checked_frequencies(frequencies)
        values = response_values(self.A, self.B, self.C, self.D, self.period, f)
        return FrequencyResponse(f, values, self.inputs, self.outputs, self.input_units, self.output_units)

    def modal(self, count: int, *, correction: bool = True) -> LinearModel:
        """The `count` slowest modes (a conjugate pair counts as one), see
        :func:`flexmb.analyses.linear.truncation.modal`.

        >>> plant = LinearModel(np.diag([-1.0, -100.0]), np.ones((2, 1)), np.ones((1, 2)), [[0.0]])
        >>> slow = plant.modal(1)
        >>> slow.poles.round(6).tolist(), slow.D.round(6).tolist()  # what the fast mode holds still gives at once
        ([-1.0], [[0.01]])
        """
        return truncation.modal(self, count, checks.flag(correction, "correction", "linear model"))

    def balanced(self, order: int | None = None, *, tolerance: float | None = None) -> LinearModel:
        """The balanced truncation, see :func:`flexmb.analyses.linear.truncation.balanced`.

        >>> plant = LinearModel(np.diag([-1.0, -100.0]), np.ones((2, 1)), np.ones((1, 2)), [[0.0]])
        >>> plant.hankel_singular_values.round(4).tolist(), plant.balanced(1)
        ([0.5002, 0.0048], LinearModel(1 states, 1 inputs, 1 outputs))
        """
        return truncation.balanced(self, order, tolerance)

    def observed(self) -> LinearModel:
        """The part that the outputs see, exactly, see :func:`flexmb.analyses.linear.truncation.observed`.

        >>> free = LinearModel([[0, 1.0], [0, -3.0]], [[0], [1.0]], [[0, 1.0]], [[0.0]])  # its place is not seen
        >>> free.observed().poles.round(6).tolist()
        [-3.0]
        """
        return truncation.observed(self)

    @cached_property
    def balance(self) -> Any:
        """The transformation that balances the model, see :mod:`flexmb.analyses.linear.truncation`; computed once."""
        self.needs("balanced truncation", "inputs", "outputs")
        return truncation.balance(self)

    @cached_property
    def hankel_singular_values(self) -> np.ndarray:
        """Hankel singular values of the stable part, the largest first."""
        return np.asarray(self.balance[1])

    def _balanced(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """A, B, C in units of the states in which A is balanced and its exponential accurate; and these units."""
        A, scale = in_like_units(self.A)
        return A, self.B / scale[:, None], self.C * scale, scale


@dataclass(frozen=True, eq=False)
class LinearRun(metaclass=AnswersCalls):
    """The motion of a linear model: times `t` (k,), states `x` (k, states), outputs `y` (k, outputs), all measured from
    the operating point, or from the run along which the model is. `run["rod.end.y"]` is one output by name.

    >>> import flexmb as fm
    >>> lag = fm.LinearModel([[-1.0]], [[1.0]], [[1.0]], [[0.0]], outputs=["x"])
    >>> run = lag.step(20.0)
    >>> round(float(run["x"][-1]), 6), run.t[[0, -1]].tolist()
    (1.0, [0.0, 20.0])
    """

    model: Any = field(repr=False)
    t: np.ndarray
    x: np.ndarray
    y: np.ndarray

    def __getitem__(self, name: str) -> np.ndarray:
        return self.y[:, _numbers(self.model.outputs, name, "output")[0]]

    def __repr__(self) -> str:
        return f"LinearRun({len(self.t)} times, {self.t[0]:g} … {self.t[-1]:g} s, outputs {self.model.outputs})"


def _numbers(known: list[str], asked: Sequence[str] | str | None, kind: str) -> list[int]:
    """The places of the names asked for among those known; all places when none are."""
    if asked is None:
        return list(range(len(known)))
    names = [asked] if isinstance(asked, str) else checks.listed(asked, f"{kind}s", "linear model")
    return [known.index(checks.known(name, known, kind, "linear model")) for name in names]
