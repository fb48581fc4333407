"""The modes that a command shall leave at rest: of numbers, of linear models, of a mechanism in its postures."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from flexmb.analyses.linear.linear_model import LinearModel
from flexmb.analyses.linear.linearize import linearize
from flexmb.analyses.linear.truncation import ORIGIN
from flexmb.analyses.vibration.complex_modes import ComplexModes
from flexmb.analyses.vibration.modes import Modes
from flexmb.errors import BalanceWarning, ControlError, FlexmbError, ModelError
from flexmb.model import checks
from flexmb.model.model import Model
from flexmb.results.solution import Solution
from flexmb.results.state import State
from flexmb.solvers.binding.initial_state import state_of

#: a pole that grows slower than this part of its size is one of rounding
ROUNDING = 1e-9
#: postures of a run in which its modes are found
POSTURES = 9


def swinging_poles(about: Any, where: str) -> np.ndarray:
    """The poles λ (c,) [rad/s] with Im λ > 0, slowest first, of what `about` says; a ControlError if one grows."""
    if isinstance(about, ComplexModes):
        poles = about.eigenvalues[~about.rigid]
    elif isinstance(about, Modes):
        if not about.stable:
            raise ControlError(
                f"{where}: the modes are about a state that the mechanism leaves; no shaper holds it there"
            )
        poles = 1j * np.asarray(about.omegas)
    elif isinstance(about, LinearModel):
        poles = about._continuous_poles
    elif isinstance(about, Model | State | Solution) or hasattr(about, "state"):
        return swinging_poles(_linear(about, where), where)
    else:
        poles = np.atleast_1d(given_poles(about, where)).ravel()
    size = np.abs(poles).max(initial=0.0)
    growing = poles[(poles.real > ROUNDING * np.abs(poles)) & (np.abs(poles) > ORIGIN * size)]
    if len(growing):
        worst = complex(growing[np.argmax(growing.real)])
        raise ControlError(
            f"{where}: the plant is unstable, its pole {worst:.4g} rad/s grows; a shaper feeds nothing back: close a "
            "loop that makes it stable first"
        )
    swings = poles[poles.imag > 1e-6 * np.abs(poles)]
    return np.asarray(swings[np.argsort(swings.imag)])


def given_poles(value: Any, where: str) -> np.ndarray:
    """Poles [rad/s] that are given as complex numbers, one or several."""
    try:
        if np.asarray(value).dtype.kind not in "iufc":  # texts of numbers, None
            raise TypeError
        poles = np.asarray(value, dtype=complex)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(
            f"{where}: {checks.quoted(value)} has no modes; give fm.modes(…), a linear model, a model, or poles "
            "[rad/s], e.g. −ζ ω + 1j ω √(1 − ζ²)"
        ) from None
    if not np.all(np.isfinite(poles)):
        raise ModelError(f"{where}: a pole is NaN or infinite")
    return poles


def _linear(about: Any, where: str) -> LinearModel:
    """The linear model of a mechanism in a state, with the loops that its controllers close."""
    state = state_of(about, where)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BalanceWarning)  # in motion the posture counts, not the balance
        return linearize(
            state, controllers="closed" if state.model.controllers and not state.held else "held", steady=False
        )


def chosen_poles(about: Any, modes: Any, along: Any, where: str) -> np.ndarray:
    """The poles (postures, modes) of the chosen modes, by their numbers, slowest first; one posture without a run."""
    given = [modes] if isinstance(modes, int | np.integer) else checks.listed(modes, "modes", where)
    numbers = [checks.count(k, "modes", where) for k in given]
    if not numbers or len(set(numbers)) < len(numbers):
        raise ControlError(
            f"{where}: modes is {checks.quoted(modes)}; give numbers of modes, each once, the slowest is 0"
        )
    found = []
    for place, poles in _postures(about, along, where):
        missing = [k for k in numbers if k >= len(poles)]
        if missing:
            raise ControlError(
                f"{where}: there is no mode number {missing[0]}{place}; {len(poles)} swing: "
                f"{', '.join(f'{p.imag / (2.0 * np.pi):.3g} Hz' for p in poles[:6]) or 'none'}"
            )
        found.append(poles[numbers])
    return np.array(found)


def _postures(about: Any, along: Any, where: str) -> list[tuple[str, np.ndarray]]:
    if along is None:
        return [("", swinging_poles(about, where))]
    run = checks.solution(along, f"{where}, along")
    if not isinstance(about, Model):
        raise ControlError(
            f"{where}: modes along a run are those of a model in the postures of the run; give the model, with the "
            "motors held or with the loops that hold them"
        )
    start = state_of(about, where)
    if start.system.names != run.coordinate_names:
        raise ControlError(
            f"{where}: the run is of a mechanism with other coordinates than model {about.name!r}; hold its motors by "
            "a lock, which adds none"
        )
    found = []
    for k in np.unique(np.linspace(0, len(run.t) - 1, POSTURES).round().astype(int)).tolist():
        zero = np.zeros(start.system.n)
        at = State(start.system, float(run.t[k]), run.q[k], zero, zero, np.zeros(start.system.m))
        try:
            found.append((f" at t = {run.t[k]:.4g} s", swinging_poles(at, where)))
        except FlexmbError as error:
            raise ControlError(f"{where}: at t = {run.t[k]:.4g} s: {error}") from error
    return found
