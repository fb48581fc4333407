"""Stability margins of a loop: by how much its gain, phase or delay may change before it becomes unstable.

A loop is a linear model L with one input and one output that negative feedback closes, u = −y. Its closed poles lie on
the border of stability where k e^(−jθ) L(jω) = −1 with a change k of the gain or a lag θ. So

    gain crossovers     |L(jω)| = 1:              the loop bears a lag θ = arg(−L), a delay θ/ω with 0 ≤ θ < 2π
    phase crossovers    L(jω) = −1/k, k > 0:      a pole crosses the border when the gain is multiplied by k

Crossovers are not looked for on a grid, which would overlook lightly damped modes between its points. The first are the
imaginary zeros of L(−s) L(s) − 1, the second those of L(s) − L(−s), as Boyd, Balakrishnan and Kabamba (1989) find where
a frequency response has a given size: eigenvalues of a pencil of twice the order of L. Between two such zeros neither
function changes its sign, so that signs between them tell crossovers from all else, and each crossover has a bracket.
Of several crossovers the least margin counts. How many poles are unstable for a gain k changes at phase crossovers
only: the ranges of gains that keep the loop stable are found by the poles for one gain between every two of them. They
are right for loops that are unstable when open, and for those that too little gain makes unstable.

A model in discrete time is mapped by w = (z − 1)/(z + 1), which takes the unit circle to the imaginary axis, with
ω = 2 arctan(Im w)/T.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg
import scipy.optimize

from flexmb.algebra.eigenvalues import in_like_units
from flexmb.analyses.linear.linear_model import LinearModel, check_linear
from flexmb.analyses.linear.truncation import ORIGIN
from flexmb.errors import ControlError
from flexmb.machine.threads import threads_by_size
from flexmb.model.hints import AnswersCalls, answers_calls
from flexmb.plots.words import words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: zeros whose frequencies differ by less than this part are one
SAME = 1e-7
#: a real part below this part of a pole's size is rounding
ROUNDING = 1e-9
#: points for each decade of a picture
POINTS = 300


@dataclass(frozen=True, eq=False)
class StabilityMargins(metaclass=AnswersCalls):
    """Margins of an `open_loop` that u = −y closes.

    `stable`: whether the closed loop is; `gain`: the factor k > 1 of the loop's gain that makes it unstable (infinite
    if none does), and `gain_reduction` the factor k < 1 below which it is (zero if none); `phase` [rad]: the least lag
    or lead that makes it unstable; `delay` [s]: the least delay. Where the closed loop is not stable, `phase`, `delay`
    and `gain_reduction` are NaN, and `gain` is the nearest factor from which on it is stable, NaN if there is none.

    `stable_gains`: all ranges (from, to) of factors of the gain for which the closed loop is stable; `gain_crossovers`
    (k,) [rad/s] with the `phases` (k,) of −L there, in (−π, π] [rad]; `phase_crossovers` (j,) [rad/s], zero and
    infinity among them, with the `factors` (j,) of the gain that bring the loop to the border there; `open_unstable`,
    `closed_unstable`: numbers of unstable poles.

    >>> from flexmb.control import stability_margins, transfer_function
    >>> found = stability_margins(transfer_function([4.0], [1.0, 3.0, 3.0, 1.0]))  # 4/(s + 1)³
    >>> round(found.gain, 9), round(float(found.phase_crossovers[0]), 9)  # 8/4 at √3
    (2.0, 1.732050808)
    """

    open_loop: LinearModel = field(repr=False)
    stable: bool
    gain: float
    gain_reduction: float
    phase: float
    delay: float
    stable_gains: list[tuple[float, float]]
    gain_crossovers: np.ndarray
    phases: np.ndarray
    phase_crossovers: np.ndarray
    factors: np.ndarray
    open_unstable: int
    closed_unstable: int

    @property
    def encirclements(self) -> int:
        """How often L(jω), from ω = −∞ to ∞, goes clockwise around −1: by Nyquist's criterion the unstable poles of the
        closed loop less those of the open one."""
        return self.closed_unstable - self.open_unstable

    def __str__(self) -> str:
        if not self.stable:
            growing = self.closed_unstable
            why = f"{growing} pole{'s grow' if growing > 1 else ' grows'}" if growing else "a motion of it never decays"
            how = f"the closed loop is not stable: {why}"
            ranges = ", ".join(f"{a:.4g} … {b:.4g}" for a, b in self.stable_gains)
            return f"{how}; {f'stable with its gain multiplied by {ranges}' if ranges else 'no gain makes it stable'}"
        return (
            f"gain ×{self.gain:.4g} ({_decibels(self.gain):.3g} dB), phase {np.degrees(self.phase):.4g}°, delay "
            f"{self.delay:.4g} s" + (f", gain not below ×{self.gain_reduction:.4g}" if self.gain_reduction else "")
        )

    # -- pictures -----------------------------------------------------------------------------------------------------

    def nyquist(
        self,
        path: Any = None,
        *,
        title: str | None = None,
        labels: Mapping[str, str] | None = None,
        x_label: str | None = None,
        y_label: str | None = None,
        ax: Any = None,
        background: str = "light",
    ) -> Figure:
        """Nyquist's picture: L(jω) in the complex plane, dashed for ω < 0, with the unit circle, the point −1 and the
        crossovers; written to `path` when one is given, on a 'light' or 'dark' `background`; `labels` replace the names
        'gain crossover', 'phase crossover'; `x_label`, `y_label` of the axes.
        `ax`: axes of your own to draw on, one for each panel from above.

        >>> from flexmb.control import stability_margins, transfer_function
        >>> figure = stability_margins(transfer_function([4.0], [1.0, 3.0, 3.0, 1.0])).nyquist()
        >>> figure.axes[0].get_xlabel()
        'real part'
        """
        from flexmb.plots.figures import target
        from flexmb.plots.loops import CROSSOVERS, nyquist

        given: dict[str, Any] = {"title": title, "labels": labels, "x_label": x_label, "y_label": y_label}
        said = words(self._title("Nyquist"), CROSSOVERS, "Nyquist plot", **given)
        return nyquist(self._curve(), *self._marks(), said, target(path, ax, "Nyquist plot"), background)

    def nichols(
        self,
        path: Any = None,
        *,
        title: str | None = None,
        labels: Mapping[str, str] | None = None,
        x_label: str | None = None,
        y_label: str | None = None,
        ax: Any = None,
        background: str = "light",
    ) -> Figure:
        """Nichols's picture: the size of L(jω) in decibels over its phase, with lines on which the closed loop
        L/(1 + L) has one size; arguments as those of :meth:`nyquist`.

        >>> from flexmb.control import stability_margins, transfer_function
        >>> figure = stability_margins(transfer_function([4.0], [1.0, 3.0, 3.0, 1.0])).nichols()
        >>> figure.axes[0].get_ylabel()
        '|L| [dB]'
        """
        from flexmb.plots.figures import target
        from flexmb.plots.loops import CROSSOVERS, nichols

        given: dict[str, Any] = {"title": title, "labels": labels, "x_label": x_label, "y_label": y_label}
        said = words(self._title("Nichols"), CROSSOVERS, "Nichols plot", **given)
        return nichols(self._curve(), *self._marks(), said, target(path, ax, "Nichols plot"), background)

    def _title(self, whose: str) -> str:
        return f"{whose}: {self.open_loop.outputs[0]} for {self.open_loop.inputs[0]}"

    def _curve(self) -> np.ndarray:
        """L(jω) (k,) for a picture, at ascending frequencies, close together around lightly damped poles."""
        loop = self.open_loop
        poles = loop.poles if loop.period is None else np.log(loop.poles.astype(complex) + 1e-300) / loop.period
        known = np.concatenate([self.gain_crossovers, self.phase_crossovers, np.abs(poles)])
        known = known[(known > 0.0) & np.isfinite(known)]
        low, high = (0.01 * known.min(), 100.0 * known.max()) if len(known) else (1e-2, 1e2)
        omega = [np.geomspace(low, high, int(POINTS * np.log10(high / low)))]
        for pole in poles[poles.imag > 0.0]:
            width = max(abs(pole.real), 1e-4 * abs(pole))
            omega.append(pole.imag + width * np.sinh(np.linspace(-6.0, 6.0, POINTS)))
        every = np.unique(np.concatenate(omega))
        every = every[(every >= low) & (every <= high)]
        if loop.period is not None:
            every = every[every < np.pi / loop.period]
        on_axis = [p.imag for p in poles if abs(p.real) <= ROUNDING * abs(p)]
        every = every[np.all(np.abs(every[:, None] - np.array(on_axis)[None, :]) > 1e-9 * every[:, None], axis=1)]
        return np.asarray(loop.response(every / (2.0 * np.pi)).values[:, 0, 0])

    def _marks(self) -> tuple[np.ndarray, np.ndarray]:
        """L (k,) at the gain crossovers, and L (j,) at the phase crossovers."""
        return -np.exp(1j * self.phases), -1.0 / self.factors + 0j


@answers_calls
@threads_by_size
def stability_margins(open_loop: LinearModel) -> StabilityMargins:
    """Gain, phase and delay margins of an `open_loop` with one input and one output, which u = −y closes; in continuous
    time, or in steps. A loop of several inputs and outputs is first cut at one of them, see
    :func:`flexmb.control.loop_at`.

    Of a loop in steps a delay margin is exact where it is a whole number of periods.

    >>> from flexmb.control import transfer_function
    >>> found = stability_margins(transfer_function([1.0], [1.0, 1.0, 0.0]))  # 1/(s (s + 1))
    >>> round(float(np.degrees(found.phase)), 3), found.gain  # arctan(1/ω), ω² (ω² + 1) = 1
    (51.827, inf)
    """
    where = "stability margins"
    check_linear(open_loop, "open_loop", where)
    loop = open_loop
    if loop.D.shape != (1, 1):
        raise ControlError(
            f"{where}: the loop has {len(loop.inputs)} inputs and {len(loop.outputs)} outputs; a loop is cut at one "
            "place: take loop.part(input, output), or fm.control.loop_at, which leaves the other loops closed"
        )
    if 1.0 + float(loop.D[0, 0]) == 0.0:
        raise ControlError(
            f"{where}: the loop answers at once with −1, so that it cannot be closed; let it pass a filter"
        )
    line = _Line(loop, where)
    omega, phases = line.gain_crossovers()
    at, factors = line.phase_crossovers()
    closed = line.unstable(1.0)
    ranges = _stable_gains(line, factors)
    stable = closed == 0 and any(low < 1.0 < high for low, high in ranges)
    gain, reduction, phase, delay = np.nan, np.nan, np.nan, np.nan
    if stable:
        reduction, gain = next(own for own in ranges if own[0] < 1.0 < own[1])
        phase = float(np.min(np.abs(phases), initial=np.inf))
        delay = float(np.min(np.mod(phases, 2.0 * np.pi) / omega, initial=np.inf))
        if abs(float(loop.D[0, 0])) >= 1.0 and loop.period is None:
            delay = 0.0  # as ω grows, −L turns through all phases with any delay
    elif ranges:
        edges = np.array([edge for own in ranges for edge in own if 0.0 < edge < np.inf])
        gain = float(edges[np.argmin(np.abs(np.log(edges)))]) if len(edges) else np.nan
    return StabilityMargins(
        loop, stable, gain, reduction, phase, delay, ranges, omega, phases, at, factors, line.open_unstable, closed
    )


def _stable_gains(line: _Line, factors: np.ndarray) -> list[tuple[float, float]]:
    """The ranges of factors k > 0 for which the closed loop is stable; edges are where that changes, and where
    1 + k D = 0, where the loop answers at once without a bound."""
    edges = np.unique(factors)
    edges = edges[np.concatenate([[True], np.diff(edges) > SAME * edges[1:]])] if len(edges) else edges
    inner = [0.5 * edges[0], *np.sqrt(edges[:-1] * edges[1:]), 2.0 * edges[-1]] if len(edges) else [1.0]
    ends = [0.0, *edges.tolist(), np.inf]
    found: list[tuple[float, float]] = []
    for low, high, k in zip(ends, ends[1:], inner):
        if line.unstable(float(k), marginal=True):
            continue
        if found and found[-1][1] == low and abs(1.0 + low * line.D) > SAME:
            found[-1] = found[-1][0], high
        else:
            found.append((low, high))
    return found


class _Line:
    """L on the border of stability: the imaginary axis of s, or of w for a loop in steps."""

    def __init__(self, loop: LinearModel, where: str) -> None:
        self.period = loop.period
        A, scale = in_like_units(loop.A)
        B, C, self.D = loop.B / scale[:, None], loop.C * scale, float(loop.D[0, 0])
        if self.period is not None:  # w = (z − 1)/(z + 1)
            one = np.eye(len(A))
            if len(A) and np.linalg.cond(A + one) > 1e12:
                raise ControlError(
                    f"{where}: the loop has a pole at −1, which alternates from step to step without decay; add "
                    "damping, or take a shorter period"
                )
            inverse = np.linalg.inv(A + one)
            self.D -= float((C @ inverse @ B)[0, 0])
            A, B, C = inverse @ (A - one), np.sqrt(2.0) * inverse @ B, np.sqrt(2.0) * C @ inverse
        # of equal size, so that the pencils below are scaled well
        size = np.sqrt(np.linalg.norm(C) / np.linalg.norm(B)) if np.any(B) and np.any(C) else 1.0
        self.A, self.B, self.C = A, B * size, C / size
        self.poles = np.linalg.eigvals(A)
        self.size = float(np.linalg.norm(A) + np.linalg.norm(self.B) * np.linalg.norm(self.C)) or 1.0
        self.at_origin = np.abs(self.poles) <= ORIGIN * self.size
        self.open_unstable = int(np.sum((self.poles.real > ROUNDING * np.abs(self.poles)) & ~self.at_origin))

    def unstable(self, k: float, marginal: bool = False) -> int:
        """How many poles of the loop closed with k times its gain grow; with `marginal` those that do not decay too."""
        through = 1.0 + k * self.D
        if through == 0.0:
            return len(self.A) + 1
        poles = np.linalg.eigvals(self.A - self.B @ (k / through * self.C))
        size = np.abs(poles)
        limit = ROUNDING * size
        grow = (poles.real >= -limit) | (size <= ORIGIN * ROUNDING * self.size) if marginal else poles.real > limit
        return int(np.sum(grow))

    def at(self, w: float) -> complex:
        """L at a point jw of the line."""
        try:
            return complex((self.C @ np.linalg.solve(1j * w * np.eye(len(self.A)) - self.A, self.B))[0, 0] + self.D)
        except np.linalg.LinAlgError:
            return complex(np.inf)

    def omega(self, w: Any) -> Any:
        """The frequency [rad/s] of points jw."""
        return w if self.period is None else 2.0 * np.arctan(w) / self.period

    def gain_crossovers(self) -> tuple[np.ndarray, np.ndarray]:
        """ω (k,) at which |L| = 1, and the phases (k,) of −L there."""
        A, B, C, D, n = self.A, self.B, self.C, self.D, len(self.A)
        double = np.block([[A, np.zeros((n, n))], [C.T @ C, -A.T]])
        zeros = self._zeros(double, np.vstack([B, D * C.T]), np.hstack([D * C, -B.T]), D * D - 1.0)
        points = self._changes(zeros, lambda w: float(np.log(max(abs(self.at(w)), 1e-300))))
        return self.omega(points), np.array([np.angle(-self.at(w)) for w in points])

    def phase_crossovers(self) -> tuple[np.ndarray, np.ndarray]:
        """ω (j,) at which L = −1/k with k > 0, and these factors (j,)."""
        A, B, C, n = self.A, self.B, self.C, len(self.A)
        double = np.block([[A, np.zeros((n, n))], [np.zeros((n, n)), -A.T]])
        zeros = self._zeros(double, np.vstack([B, C.T]), np.hstack([C, B.T]), 0.0)
        inner = [w for w in self._changes(zeros, self._lean) if np.isfinite(self.at(w))]
        ends = [0.0] if not self.at_origin.any() else []
        known = [(self.omega(w), self.at(w).real) for w in [*ends, *inner]]
        known.append((np.inf if self.period is None else np.pi / self.period, self.D))
        kept = [(omega, -1.0 / value) for omega, value in known if value < 0.0]
        return np.array([omega for omega, _ in kept]), np.array([k for _, k in kept])

    def _lean(self, w: float) -> float:
        """The sine of the phase of L, without rounding."""
        value = self.at(w)
        lean = value.imag / abs(value) if abs(value) > 0.0 else 0.0
        return lean if abs(lean) > 1e-13 else 0.0

    def _zeros(self, A: np.ndarray, B: np.ndarray, C: np.ndarray, D: float) -> np.ndarray:
        """Positive imaginary parts, ascending, of the zeros of D + C (s − A)⁻¹ B."""
        n = len(A)
        left = np.block([[A, B], [C, np.full((1, 1), D)]])
        right = np.zeros((n + 1, n + 1))
        right[:n, :n] = np.eye(n)
        alpha, beta = scipy.linalg.eigvals(left, right, homogeneous_eigvals=True)
        finite = np.abs(beta) > 1e-14 * np.abs(alpha) / self.size
        w = np.abs((alpha[finite] / beta[finite]).imag)
        w = np.sort(w[w > ORIGIN * ROUNDING * self.size])
        return w[np.concatenate([[True], np.diff(w) > SAME * w[1:]])] if len(w) else w

    def _changes(self, zeros: np.ndarray, value: Any) -> np.ndarray:
        """The points at which a function changes its sign, which it does at zeros and at poles only."""
        poles = np.unique(np.abs(self.poles[np.abs(self.poles.real) <= ROUNDING * np.abs(self.poles)]))
        known = np.unique(np.concatenate([zeros, poles[poles > 0.0]]))
        if not len(known):
            return np.zeros(0)
        between = np.array([0.5 * known[0], *np.sqrt(known[:-1] * known[1:]), 2.0 * known[-1]])
        signs = np.sign([value(w) for w in between])
        found = []
        for k in np.flatnonzero(signs[:-1] * signs[1:] < 0.0).tolist():
            w = float(scipy.optimize.brentq(value, between[k], between[k + 1], xtol=1e-15 * known[k], rtol=1e-14))
            if not len(poles) or np.min(np.abs(poles - w)) > SAME * w:
                found.append(w)
        return np.array(found)


def _decibels(factor: float) -> float:
    return 20.0 * float(np.log10(factor)) if factor > 0.0 else -np.inf
