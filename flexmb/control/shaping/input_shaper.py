"""Input shaping: a command is divided into delayed parts whose vibrations cancel each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np

from flexmb.control.shaping.swinging import chosen_poles, given_poles
from flexmb.errors import AccuracyWarning, ControlError, warn
from flexmb.model import checks
from flexmb.model.functions.time_function import TimeFunction, as_function
from flexmb.model.hints import AnswersCalls, answers_calls

#: times of impulses closer than this part of the whole are one
TOGETHER = 1e-12


@dataclass(frozen=True, eq=False)
class InputShaper(metaclass=AnswersCalls):
    """Impulses by which a command is shaped: `amplitudes` (k,) [–], which sum up to one, at the `times` (k,) [s].

    `shaper(f)` is the shaped function of time Σ A_i f(t − t_i), longer by the last time; `poles` (postures, modes)
    [rad/s]: the modes for which it was made; `kind`. Shapers in turn are one: `first * second`.

    >>> import flexmb as fm
    >>> shaper = fm.control.input_shaper("zv", [-0.1 + 2.0j])
    >>> way = shaper(fm.SmoothStep(0.0, 1.0))
    >>> shaper.times.round(4).tolist(), round(float(way(10.0)), 12)
    ([0.0, 1.5708], 1.0)
    """

    times: np.ndarray
    amplitudes: np.ndarray
    poles: np.ndarray = field(repr=False)
    kind: str = ""

    def __call__(self, function: Any) -> TimeFunction:
        """The shaped function of time."""
        given = as_function(function, "function", "input shaper")
        parts = [float(a) * given.delayed(float(t)) for a, t in zip(self.amplitudes, self.times)]
        return reduce(lambda f, g: f + g, parts)

    def __mul__(self, other: Any) -> InputShaper:
        if not isinstance(other, InputShaper):
            return NotImplemented
        times, amplitudes = _product((self.times, self.amplitudes), (other.times, other.amplitudes))
        kind = self.kind if self.kind == other.kind else f"{self.kind} {other.kind}"
        several = self.poles.shape[0] == other.poles.shape[0]
        poles = np.hstack([self.poles, other.poles] if several else [self.poles[:1], other.poles[:1]])
        return InputShaper(times, amplitudes, poles, kind)

    def residual(self, pole: Any) -> Any:
        """The vibration of a mode that is left behind, as a part of the vibration of an impulse that is not shaped,
        Singer and Seering (1990):

            V = exp(−ζω t_n) |Σ A_i exp(ζω t_i) exp(j ω_d t_i)|,    pole λ = −ζω + j ω_d [rad/s], one or several

        >>> import flexmb as fm
        >>> shaper = fm.control.input_shaper("ei", [3.0j], tolerance=0.05)
        >>> shaper.residual([3.0j, 3.3j]).round(6).tolist()
        [0.05, 0.024305]
        """
        given = given_poles(pole, "input shaper")
        lam = given[..., None]
        shift = (self.times - self.times[-1]) if len(self.times) else self.times
        found = np.abs(np.sum(self.amplitudes * np.exp(-lam.real * shift - 1j * lam.imag * shift), axis=-1))
        return float(found) if given.ndim == 0 else found

    def __str__(self) -> str:
        parts = ", ".join(f"{a:.4g} at {t:.4g} s" for a, t in zip(self.amplitudes, self.times))
        return f"{self.kind.upper()} shaper: {parts}"


@answers_calls
def input_shaper(kind: str, about: Any, modes: Any = 0, *, along: Any = None, tolerance: float = 0.05) -> InputShaper:
    """The shaper of a kind that keeps modes from vibrating behind a command. With K = exp(−π ζ/√(1 − ζ²)) and half the
    damped period τ = π/ω_d the parts are at 0, τ and 2τ:

        "zv"    1, K, over 1 + K: no vibration at the mode, Smith (1957), Singer and Seering (1990)
        "zvd"   1, 2K, K², over (1 + K)²: nor to the first order of an error of its frequency, Singer and Seering (1990)
        "ei"    1, 2cK, K², over 1 + 2cK + K², c = (2K² − V (1 + K²))/(2K² + 2KV): V = `tolerance` at the mode, and none
                at two frequencies beside it, so that the range with less is widest

    Without damping "ei" is that of Singhose, Seering and Singer (1994), who find its parts for damped modes by numbers;
    in this closed form the two frequencies without vibration have the decay ζω of the mode. Shapers of several modes
    are applied in turn.

    Arguments: `kind`; `about`: a model (about its start, with the loops that its controllers close), a state, a linear
    model, :func:`flexmb.modes`, :func:`flexmb.complex_modes`, or poles [rad/s]; `modes`: numbers of the modes that
    swing, the slowest is 0; `along`: a run, through whose postures the modes of the model are followed; each is shaped
    in the middle of the range of its frequency, and a warning says what the ends of the range leave if that is more
    than `tolerance`.

    What the modes are of must be what the command moves: an arm whose motors are held, or the closed loop of its
    servos. The command itself may be anything, since a shaper changes no more than its times.

    >>> shaper = input_shaper("zvd", [-0.2 + 4.0j])
    >>> print(shaper)
    ZVD shaper: 0.2907 at 0 s, 0.4969 at 0.7854 s, 0.2123 at 1.571 s
    >>> bool(shaper.residual(-0.2 + 4.0j) < 1e-15)
    True
    """
    where = "input shaper"
    checks.choice(kind, _SHAPERS, "kind", where)
    V = checks.positive(tolerance, "tolerance", where)
    if V >= 1.0:
        raise ControlError(f"{where}: tolerance is {V:g}; it is a part of what is left unshaped, below one")
    poles = chosen_poles(about, modes, along, where)
    shaper: InputShaper | None = None
    for column in poles.T:
        middle = complex(
            float(column.real.mean()), 0.5 * float(column.imag.min() + column.imag.max())
        )  # in the middle of its range
        zeta, omega = -middle.real / abs(middle), middle.imag
        K = float(np.exp(-np.pi * zeta / np.sqrt(1.0 - zeta * zeta)))
        parts = np.array(_SHAPERS[kind](K, V))
        if not np.all(np.isfinite(parts)):
            raise ControlError(
                f"{where}: a mode with the damping ratio {zeta:.3g} has no EI shaper with the tolerance {V:g}: it "
                "decays below that by itself; take 'zv'"
            )
        times = np.arange(len(parts)) * np.pi / omega
        own = InputShaper(times, parts / parts.sum(), column[:, None], kind)
        shaper = own if shaper is None else shaper * own
    assert shaper is not None
    worst = float(np.max(shaper.residual(poles)))
    if len(poles) > 1 and worst > 1.001 * V:
        low, high = poles.imag.min(axis=0) / (2.0 * np.pi), poles.imag.max(axis=0) / (2.0 * np.pi)
        ranges = ", ".join(f"{a:.3g} to {b:.3g} Hz" for a, b in zip(low, high))
        warn(
            f"{where}: along the run its modes change over {ranges}, and at an end of that the {kind} shaper leaves "
            f"{100.0 * worst:.3g} % of the vibration; take 'ei' with a larger tolerance, or a posture alone",
            AccuracyWarning,
        )
    return shaper


def _zv(K: float, V: float) -> list[float]:
    return [1.0, K]


def _zvd(K: float, V: float) -> list[float]:
    return [1.0, 2.0 * K, K * K]


def _ei(K: float, V: float) -> list[float]:
    c = (2.0 * K * K - V * (1.0 + K * K)) / (2.0 * K * K + 2.0 * K * V)
    return [1.0, 2.0 * c * K, K * K] if c > -1.0 else [np.nan] * 3


_SHAPERS: dict[str, Callable[[float, float], list[float]]] = {"zv": _zv, "zvd": _zvd, "ei": _ei}


def _product(
    first: tuple[np.ndarray, np.ndarray], second: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """The impulses of two shapers in turn; impulses at one time are one."""
    times = np.add.outer(first[0], second[0]).ravel()
    amplitudes = np.multiply.outer(first[1], second[1]).ravel()
    order = np.argsort(times, kind="stable")
    times, amplitudes = times[order], amplitudes[order]
    new = np.concatenate([[True], np.diff(times) > TOGETHER * max(float(times[-1]), 1e-300)])
    return times[new], np.add.reduceat(amplitudes, np.flatnonzero(new))
