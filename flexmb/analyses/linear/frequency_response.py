"""Frequency responses of linear models, and of large mechanisms without a linear model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from flexmb.algebra.eigenvalues import in_like_units
from flexmb.algebra.factors import Factors, bordered
from flexmb.analyses.linear.inputs import chosen_inputs
from flexmb.analyses.linear.outputs import chosen_outputs
from flexmb.analyses.statics.rotation import check_orbit
from flexmb.errors import LinearModelError, ModelError, NamingError
from flexmb.kernels.compilation import compiled
from flexmb.machine import reports
from flexmb.machine.interruption import interruptible
from flexmb.machine.threads import one_thread, threads_by_size
from flexmb.model import checks, given_names
from flexmb.model.hints import AnswersCalls, answers_calls
from flexmb.plots.words import words
from flexmb.results.state import State
from flexmb.solvers.binding.initial_state import analyzed_state
from flexmb.system.refusals import refuse_velocity_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class FrequencyResponse(metaclass=AnswersCalls):
    """Complex amplitudes `values` (k, outputs, inputs) of the outputs for inputs of amplitude one at `frequencies` (k,)
    [Hz]. `response["rod.end.y", "push"]` is the one (k,) of an output for an input.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("oscillator")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1)
    >>> slide = m.prismatic(m.ground, body.frame, name="slide")
    >>> spring = m.bushing(m.ground, body.frame, stiffness=(8.0, 0.0, 0.0), damping=(0.8, 0.0, 0.0))
    >>> response = fm.frequency_response(m, "body.fx", "body.x", [0.0, 1.0])
    >>> response["body.x", "body.fx"].real.round(6).tolist()[0], response.magnitude.shape
    (0.125, (2, 1, 1))
    """

    frequencies: np.ndarray
    values: np.ndarray
    inputs: list[str]
    outputs: list[str]
    input_units: list[str]
    output_units: list[str]

    def __getitem__(self, names: tuple[str, str]) -> np.ndarray:
        if isinstance(names, str):
            if len(self.inputs) > 1:
                raise NamingError(f"frequency response: name an input too, response[{names!r}, {self.inputs[0]!r}]")
            names = names, self.inputs[0]
        output_name, input_name = names
        given_names.known(output_name, self.outputs, "output", "frequency response")
        given_names.known(input_name, self.inputs, "input", "frequency response")
        return self.values[:, self.outputs.index(output_name), self.inputs.index(input_name)]

    @property
    def magnitude(self) -> np.ndarray:
        """Amplitudes (k, outputs, inputs)."""
        return np.abs(self.values)

    @property
    def phase(self) -> np.ndarray:
        """Phases (k, outputs, inputs) [rad], without jumps along the frequencies."""
        return np.unwrap(np.angle(self.values), axis=0)

    def __repr__(self) -> str:
        f = self.frequencies
        return f"FrequencyResponse({self.outputs} for {self.inputs}, {len(f)} frequencies {f[0]:g} … {f[-1]:g} Hz)"

    def _repr_html_(self) -> str:
        f = self.frequencies
        at = np.argmax(self.magnitude, axis=0)
        rows = [
            (output, into, f"{unit}/{of}", self.magnitude[at[k, j], k, j], f[at[k, j]])
            for k, (output, unit) in enumerate(zip(self.outputs, self.output_units))
            for j, (into, of) in enumerate(zip(self.inputs, self.input_units))
        ]
        head = ["output", "input", "unit", "largest magnitude", "at [Hz]"]
        title = f"Frequency response: {len(f)} frequencies, {f[0]:g} … {f[-1]:g} Hz"
        return reports.report(title, [], reports.table(head, rows))

    def bode(
        self,
        path: Any = None,
        *,
        title: str | None = None,
        labels: Mapping[str, str] | None = None,
        x_label: str | None = None,
        y_label: str | Sequence[str] | None = None,
        ax: Any = None,
        background: str = "light",
    ) -> Figure:
        """Magnitude and phase over frequency: a column for each input, a row of panels for each unit of the outputs;
        written to `path` when one is given, on a 'light' or 'dark' `background`; `title` of the whole; `labels`: texts
        that replace names of inputs and outputs; `x_label`, `y_label` (one for each row of panels) of the axes.
        `ax`: axes of your own to draw on, one for each panel from above.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("oscillator")
        >>> body = m.add_body("body", mass=2.0, inertia=0.1)
        >>> slide = m.prismatic(m.ground, body.frame, name="slide")
        >>> spring = m.bushing(m.ground, body.frame, stiffness=(8.0, 0.0, 0.0), damping=(0.8, 0.0, 0.0))
        >>> response = fm.frequency_response(m, "body.fx", "body.x", [0.1, 0.3, 1.0])
        >>> len(response.bode().axes)
        2
        """
        given: dict[str, Any] = {"title": title, "labels": labels, "x_label": x_label, "y_label": y_label}
        return self.bode_against({}, "", path, ax=ax, background=background, **given)

    def bode_against(
        self,
        others: dict[str, FrequencyResponse],
        name: str = "full",
        path: Any = None,
        *,
        title: str | None = None,
        labels: Mapping[str, str] | None = None,
        x_label: str | None = None,
        y_label: str | Sequence[str] | None = None,
        ax: Any = None,
        background: str = "light",
    ) -> Figure:
        """The same with other responses of the same inputs and outputs, under the names given.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("oscillator")
        >>> body = m.add_body("body", mass=2.0, inertia=0.1)
        >>> slide = m.prismatic(m.ground, body.frame, name="slide")
        >>> spring = m.bushing(m.ground, body.frame, stiffness=(8.0, 0.0, 0.0), damping=(0.8, 0.0, 0.0))
        >>> response = fm.frequency_response(m, "body.fx", "body.x", [0.1, 0.3, 1.0])
        >>> coarse = fm.frequency_response(m, "body.fx", "body.x", [0.1, 1.0])
        >>> len(response.bode_against({"two frequencies": coarse}).axes)
        2
        """
        from flexmb.plots.figures import target
        from flexmb.plots.frequencies import bode

        own = checks.text(name, "name", "Bode plot")
        responses = {own: self, **checks.by_names(others, "others", "Bode plot")}
        for other in responses.values():
            if not isinstance(other, FrequencyResponse):
                raise ModelError(f"Bode plot: {checks.quoted(other)} is no frequency response")
        if any((other.inputs, other.outputs) != (self.inputs, self.outputs) for other in responses.values()):
            raise ModelError("Bode plot: the responses have other inputs and outputs; take the same part of each")
        curves = [(label, r.frequencies, r.magnitude, r.phase) for label, r in responses.items()]
        inputs, outputs = zip(self.inputs, self.input_units), zip(self.outputs, self.output_units)
        known = [*self.inputs, *self.outputs, *responses]
        given = {"title": title, "labels": labels, "x_label": x_label, "y_label": y_label}
        return bode(
            curves,
            list(inputs),
            list(outputs),
            words("", known, "Bode plot", **given),
            target(path, ax, "Bode plot"),
            background,
        )


@threads_by_size
def response_values(
    A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray, period: float | None, f: np.ndarray
) -> np.ndarray:
    """C (jω − A)⁻¹ B + D at frequencies f (k,) [Hz], by a Hessenberg form of A, for which each frequency takes
    n² operations; with a `period` [s] C (exp(jωT) − A)⁻¹ B + D."""
    s = 2j * np.pi * f if period is None else np.exp(2j * np.pi * f * period)
    H = A
    if len(A) > 1:
        balanced, scale = in_like_units(A)
        H, Q = scipy.linalg.hessenberg(balanced, calc_q=True)
        B, C = Q.T @ (B / scale[:, None]), (C * scale) @ Q
    solved = np.zeros((len(f), len(A), B.shape[1]), dtype=complex)
    k = int(_solve_hessenberg(np.ascontiguousarray(H), np.ascontiguousarray(B), s.astype(complex), solved))
    if k >= 0:
        raise LinearModelError(
            f"frequency response: the model has a pole at {f[k]:g} Hz, where its response is infinite; leave that "
            "frequency out, or add damping"
        )
    return np.asarray(C @ solved + D)


@compiled
def _solve_hessenberg(H, B, s, X):
    """X (k, n, i) with (s − H) X = B at each s (k,), by elimination with row exchanges; H has one diagonal below its
    main one. Returns the number of the first s at which the matrix is singular, or −1."""
    n, width = B.shape
    A = np.empty((n, n), dtype=np.complex128)
    for f in range(s.shape[0]):
        Y = X[f]
        for i in range(n):
            for j in range(n):
                A[i, j] = -H[i, j]
            A[i, i] += s[f]
            for j in range(width):
                Y[i, j] = B[i, j]
        largest, least = 0.0, np.inf
        for k in range(n):
            if k + 1 < n:
                if abs(A[k + 1, k]) > abs(A[k, k]):
                    for j in range(k, n):
                        A[k, j], A[k + 1, j] = A[k + 1, j], A[k, j]
                    for j in range(width):
                        Y[k, j], Y[k + 1, j] = Y[k + 1, j], Y[k, j]
                if A[k + 1, k] != 0.0:
                    share = A[k + 1, k] / A[k, k]
                    for j in range(k, n):
                        A[k + 1, j] -= share * A[k, j]
                    for j in range(width):
                        Y[k + 1, j] -= share * Y[k, j]
            largest = max(largest, abs(A[k, k]))
            least = min(least, abs(A[k, k]))
        if least <= 1e-15 * largest:
            return f
        for j in range(width):
            for i in range(n - 1, -1, -1):
                total = Y[i, j]
                for k in range(i + 1, n):
                    total -= A[i, k] * Y[k, j]
                Y[i, j] = total / A[i, i]
    return -1


@answers_calls
@interruptible
@one_thread
def frequency_response(
    model: Any,
    inputs: Sequence[Any] | Any,
    outputs: Sequence[str] | str,
    frequencies: Any,
    *,
    controllers: str = "refuse",
) -> FrequencyResponse:
    """The frequency response of a mechanism at rest, with all its coordinates and without a linear model:

        [−ω² M + jω D + K, Gᵀ; G, 0] [δq; δλ] = [B; −E/ω²]

    Each frequency takes one sparse factorization. A drive's input is its acceleration, as in :func:`flexmb.linearize`.

    Arguments: `model`: a model, a state, a solution (its last time) or an equilibrium, at rest; `inputs`, `outputs` by
    name; `frequencies` (k,) [Hz]; `controllers`: "refuse" a model that has some, or leave their commands "held".

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("cart")
    >>> cart = m.add_body("cart", mass=2.0, inertia=1.0)
    >>> rail = m.prismatic(m.ground, cart.frame)
    >>> spring = m.bushing(m.ground, cart.frame, stiffness=(8.0, 0, 0), damping=(0.4, 0, 0))
    >>> found = frequency_response(m, "cart.fx", "cart.x", [0.0, 1.0 / np.pi])  # at rest, and at resonance
    >>> found["cart.x", "cart.fx"].round(9).tolist()
    [(0.125+0j), -1.25j]
    """
    state = analyzed_state(model, "frequency response", controllers)
    where = f"frequency response of model {state.model.name!r}"
    refuse_velocity_rows(state.system, where)
    if state.system.model.gravity.is_central:
        check_orbit(state.system.model.gravity, np.zeros(3), where)
    if state.v.any():
        raise ModelError(f"{where}: the state moves; give one at rest, or use linearize(...).response(...)")
    f = checked_frequencies(frequencies)
    forcing = chosen_inputs(state, inputs, where)
    measured = chosen_outputs(state.system, outputs, where)
    for what, names in (("input", forcing.asked), ("output", measured.names)):
        if not names:
            raise NamingError(f"{where}: name at least one {what}")
    system, n, m = state.system, state.system.n, state.system.m
    M, D, K = map(sp.csc_array, inertia_damping_stiffness(state))
    G = sp.csc_array(system.jacobian(state.t, state.q)) if m else None
    by = measured.derivatives(state)
    forces, driven = forcing.B.shape[1], forcing.E.shape[1]
    if driven and np.any(f == 0.0):
        raise ModelError(f"{where}: at 0 Hz a drive's acceleration has no amplitude; give frequencies above zero")
    size = float(np.max(np.abs(K.diagonal()), initial=0.0)) or 1.0
    values = np.empty((len(f), len(measured.names), forces + driven), dtype=complex)
    for k, omega in enumerate(2.0 * np.pi * f):
        A = K - omega**2 * M + 1j * omega * D
        right = np.zeros((n + m, forces + driven), dtype=complex)
        right[:n, :forces] = forcing.B
        if driven:
            right[n:, forces:] = -size * forcing.E / omega**2
        try:
            x = Factors(A if G is None else bordered(A, size * G)).solve(right)
        except np.linalg.LinAlgError:
            raise LinearModelError(
                f"{where}: at {f[k]:g} Hz nothing resists the motion, or it has no damping at a resonance"
            ) from None
        q, lam = x[:n], size * x[n:]
        values[k] = by.q @ q + 1j * omega * (by.v @ q) - omega**2 * (by.a @ q) + by.lam @ lam
    units = [forcing.units[j] for j in forcing.order]
    return FrequencyResponse(f, values[:, :, forcing.order], forcing.asked, measured.names, units, measured.units)


def inertia_damping_stiffness(state: State) -> tuple[Any, ...]:
    """M, D = ∂r/∂v and K = ∂r/∂q, (n, n) each, at a state."""
    at = (state.t, state.q, state.v, state.a, state.lam)
    return tuple(state.system.tangent(*at, w) for w in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))


def checked_frequencies(given: Any) -> np.ndarray:
    """Frequencies (k,) [Hz], checked."""
    f = checks.row(given, "frequencies", "frequency response")
    if np.any(f < 0.0):
        raise ModelError("frequency response: give frequencies [Hz], a list of numbers that are not negative")
    return f
