"""Pictures of loops: Nyquist's and Nichols's."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from flexmb.plots.figures import Target, colors, picture, whole
from flexmb.plots.labels import legend
from flexmb.plots.words import Words

#: names of the marked points of both pictures
CROSSOVERS = ("gain crossover", "phase crossover")
#: what is farther from the origin than this is not shown in Nyquist's picture
FARTHEST = 4.0
#: sizes [dB] of the closed loop on the lines of Nichols's picture, and the range of |L| [dB] that it shows at most
CLOSED = (-12.0, -6.0, -3.0, 0.0, 3.0, 6.0, 12.0)
DEEPEST, HIGHEST = -40.0, 60.0


def nyquist(
    curve: np.ndarray,
    at_gain: np.ndarray,
    at_phase: np.ndarray,
    words: Words,
    path: Target,
    background: str,
) -> Figure:
    """L(jω) (k,) of a loop and its mirror image, with the point −1, the unit circle, and L at the crossovers of gain
    and of phase."""
    with picture(path, (5.6, 5.2), background) as figure:
        ax = figure.subplots()
        look = colors()
        turn = np.exp(1j * np.linspace(0.0, 2.0 * np.pi, 361))
        ax.plot(turn.real, turn.imag, color=look.quiet, linewidth=1.0, linestyle=(0, (5, 3)))
        ax.axhline(0.0, color=look.quiet, linewidth=0.6)
        ax.axvline(0.0, color=look.quiet, linewidth=0.6)
        ax.plot(curve.real, curve.imag, color=look.lines[0], linewidth=1.8)
        ax.plot(curve.real, -curve.imag, color=look.lines[0], linewidth=1.2, linestyle=(0, (4, 2.5)))
        _marks(ax, [at_gain.real, at_phase.real], [at_gain.imag, at_phase.imag], words)
        ax.plot(-1.0, 0.0, "+", color=look.ink, markersize=11, markeredgewidth=1.8, zorder=4)
        seen = np.concatenate([curve[np.abs(curve) < FARTHEST], at_phase[np.abs(at_phase) < FARTHEST], [-1.6, 1.2]])
        wide = float(max(np.ptp(seen.real), 2.0 * np.max(np.abs(seen.imag), initial=1.2))) * 0.55
        middle = 0.5 * float(seen.real.min() + seen.real.max())
        ax.set(xlim=(middle - wide, middle + wide), ylim=(-wide, wide), aspect="equal", title=words.title)
        _axes(ax, "real part", "imaginary part", words)
        legend(ax)
    return whole(figure)


def nichols(
    curve: np.ndarray,
    at_gain: np.ndarray,
    at_phase: np.ndarray,
    words: Words,
    path: Target,
    background: str,
) -> Figure:
    """|L| [dB] over the phase of L [°] for L(jω) (k,) of a loop at ascending ω, the critical points, lines on which
    |L/(1 + L)| has one size, and L at the crossovers of gain and of phase."""
    with picture(path, (6.6, 5.0), background) as figure:
        ax = figure.subplots()
        look = colors()
        size = _decibels(curve)
        phase = np.degrees(np.unwrap(np.angle(curve)))
        phase -= 360.0 * np.round((phase[:1] + 90.0) / 360.0)  # a phase that begins nearest to −90°
        shown = (size > DEEPEST) & (size < HIGHEST)
        low, high = float(size[shown].min(initial=-20.0)), float(size[shown].max(initial=20.0))
        inside = phase[shown] if shown.any() else phase
        first = 360.0 * np.floor(float(inside.min(initial=-181.0)) / 360.0)
        last = max(360.0 * np.ceil(float(inside.max(initial=-179.0)) / 360.0), first + 360.0)
        for turn in np.arange(first, last, 360.0):
            _closed_lines(ax, turn, low, high)
            ax.plot(turn + 180.0, 0.0, "+", color=look.ink, markersize=11, markeredgewidth=1.8, zorder=4)
        ax.plot(phase, size, color=look.lines[0], linewidth=1.8, zorder=3)
        points = [np.concatenate([_near(curve, phase, x) for x in part]) if len(part) else np.zeros(0)
                  for part in (at_gain, at_phase)]  # fmt: skip
        _marks(ax, points, [_decibels(at_gain), _decibels(at_phase)], words)
        ax.set(xlim=(first, last), ylim=(low - 4.0, high + 4.0), title=words.title)
        ax.set_xticks(np.arange(first, last + 1.0, 90.0 if last - first <= 720.0 else 180.0))
        _axes(ax, "phase of L [°]", "|L| [dB]", words)
        legend(ax)
    return whole(figure)


def _decibels(values: np.ndarray) -> np.ndarray:
    return np.asarray(20.0 * np.log10(np.maximum(np.abs(values), 1e-300)))


def _near(curve: np.ndarray, phase: np.ndarray, value: complex) -> np.ndarray:
    """The phase [°] of a value (1,) of L, on the turn on which the curve comes nearest to it."""
    k = int(np.argmin(np.abs(np.log(curve / value))))
    own = float(np.degrees(np.angle(value)))
    return np.array([own + 360.0 * np.round((phase[k] - own) / 360.0)])


def _closed_lines(ax: Axes, turn: float, low: float, high: float) -> None:
    """Lines of |T| = M with T = L/(1 + L), so L = T/(1 − T), over the phases from `turn` to `turn` + 360°."""
    quiet = colors().quiet
    for size in CLOSED:
        T = 10.0 ** (size / 20.0) * np.exp(1j * np.linspace(1e-3, 2.0 * np.pi - 1e-3, 721))
        L = T / (1.0 - T)
        x, y = np.degrees(np.mod(np.angle(L), 2.0 * np.pi)) + turn, _decibels(L)
        jump = np.flatnonzero(np.abs(np.diff(x)) > 180.0) + 1
        ax.plot(np.insert(x, jump, np.nan), np.insert(y, jump, np.nan), color=quiet, linewidth=0.7, zorder=1)
        # small loops have their sizes on top, open lines at the edge of the picture, those of 0 dB high up
        high_up = np.abs(y - 0.7 * high) + 1e3 * (x < turn + 180.0)
        place = -y if size > 0.0 else np.abs(x - turn - 340.0) if size < 0.0 else high_up
        k = int(np.argmin(place))
        if low < y[k] < high:
            ax.annotate(
                f"{size:+.0f} dB" if size else "0 dB", (x[k], y[k]), xytext=(0, 1), textcoords="offset points",
                color=quiet, fontsize=7, ha="center", va="bottom",
            )  # fmt: skip


def _marks(ax: Axes, x: list[np.ndarray], y: list[np.ndarray], words: Words) -> None:
    """Dots at the gain crossovers, rings at the phase crossovers."""
    look = colors()
    styles: list[dict[str, Any]] = [
        {"color": look.lines[1]},
        {"color": look.paper, "markeredgecolor": look.lines[1], "markeredgewidth": 1.5},
    ]
    for k, name in enumerate(CROSSOVERS):
        if len(x[k]):
            ax.plot(x[k], y[k], "o", markersize=6, zorder=5, label=words.name(name), **styles[k])


def _axes(ax: Axes, x: str, y: str, words: Words) -> None:
    given = words.y_label_of(0, 1)
    ax.set_xlabel(x if words.x_label is None else words.x_label)
    ax.set_ylabel(y if given is None else given)
