"""Diagrams of the arm's motions: accelerations, angles, loops."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import flexmb as fm
from flexmb.examples.two_link_arm.arm import RATIO
from flexmb.examples.two_link_arm.control import CONTROLLERS, JointMotion
from flexmb.examples.two_link_arm.motions import PHASE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, QUIET, SHADE = "#22303c", "#8a97a3", "#f2f4f7"
FIRST, SECOND = "#0b3c5d", "#d95f02"
COLORS = {"local feedback": "#8a97a3", "SOFB": "#d95f02", "SOSMC": "#0b3c5d"}


def accelerations(few: fm.Solution, many: fm.Solution, path: Path) -> Path:
    """The tip's acceleration along y by one CMS element and by cable elements, figs. 6(b), 7(b); their difference."""
    figure = _figure(8.0, 4.6)
    ax, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    _prepare(ax, 3.0 * PHASE)
    _prepare(below, 3.0 * PHASE)
    ax.plot(many.t, many["tip.ay"], color=SECOND, linewidth=2.6, label="16 ANCF elements a link")
    ax.plot(few.t, few["tip.ay"], "--", color=FIRST, linewidth=1.4, label="one CMS element a link, two bending modes")
    ax.set(ylabel="acceleration of\nthe tip, y [m/s²]")
    low, high = ax.get_ylim()
    ax.set_ylim(low, high + 0.22 * (high - low))
    ax.legend(frameon=False, loc="upper right", ncols=2, fontsize=9)
    difference = 1e3 * (few["tip.ay"] - many.at(few.t)["tip.ay"])
    below.plot(few.t, difference, color=INK, linewidth=0.8)
    reach = 1.3 * np.abs(difference[few.t > 3.0 * PHASE]).max()
    below.set(xlim=(0.0, few.t[-1]), ylim=(-reach, reach), xlabel="time [s]", ylabel="difference\n[mm/s²]")
    return _write(figure, path)


def controllers(runs: dict[str, fm.Solution], motion: JointMotion, path: Path) -> Path:
    """Joint angles and the tip's acceleration under the three controllers: figs. 10 to 12, or 13 to 15."""
    figure = _figure(11.0, 4.8)
    axes = figure.subplots(2, 3, sharex=True, sharey="row")
    for column, name in enumerate(CONTROLLERS):
        run, upper, lower = runs[name], axes[0, column], axes[1, column]
        for ax in (upper, lower):
            _prepare(ax, 3.0 * motion.phase)
        for motor, color, style in (("shoulder", FIRST, "-"), ("elbow", SECOND, "--")):
            upper.plot(run.t, np.degrees(run[f"{motor} motor.rotor"] / RATIO), style, color=color, label=motor)
        upper.set_title(name, color=INK, fontsize=11)
        lower.plot(run.t, run["tip.ay"], color=INK, linewidth=0.9)
        lower.set(xlabel="time [s]", xlim=(0.0, run.t[-1]))
    axes[0, 0].set_ylabel("joint angle [°]")
    axes[0, 0].legend(frameon=False, loc="lower right", fontsize=9)
    axes[1, 0].set_ylabel("acceleration of\nthe tip, y [m/s²]")
    return _write(figure, path)


def residues(runs: dict[str, fm.Solution], phase: float, path: Path) -> Path:
    """The decay of vibration: the envelope of the tip's acceleration after the motion, on a logarithmic scale."""
    figure = _figure(8.0, 3.8)
    ax = figure.subplots()
    _prepare(ax, 3.0 * phase)
    for name, run in runs.items():
        size = np.hypot(run["tip.ax"], run["tip.ay"])
        half = round(0.25 / (run.t[1] - run.t[0]))
        padded = np.concatenate([np.full(half, size[0]), size, np.full(half, size[-1])])
        envelope = np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1).max(axis=1)
        base = next(key for key in COLORS if name.startswith(key))
        ax.semilogy(run.t, envelope, "-" if name == base else "--", color=COLORS[base], label=name)
    ax.axvline(4.0, color=QUIET, linewidth=0.8)
    ax.set(xlabel="time [s]", ylabel="amplitude of the tip's\nacceleration [m/s²]", xlim=(0.0, run.t[-1]))
    ax.legend(frameon=False, fontsize=9, loc="lower left")
    return _write(figure, path)


def heavier(runs: dict[str, tuple[fm.Solution, fm.Solution]], motion: JointMotion, path: Path) -> Path:
    """The tip's acceleration with the nominal tip mass and with 20 % more: figs. 16 and 17."""
    figure = _figure(9.5, 3.2)
    axes = figure.subplots(1, len(runs), sharey=True)
    for ax, (name, (nominal, more)) in zip(axes, runs.items()):
        _prepare(ax, 3.0 * motion.phase)
        ax.plot(nominal.t, nominal["tip.ay"], color=QUIET, linewidth=1.6, label="nominal")
        ax.plot(more.t, more["tip.ay"], color=FIRST, linewidth=0.9, label="tip mass +20 %")
        ax.set_title(name, color=INK, fontsize=11)
        ax.set(xlabel="time [s]", xlim=(0.0, nominal.t[-1]))
    axes[0].set_ylabel("acceleration of\nthe tip, y [m/s²]")
    axes[0].legend(frameon=False, fontsize=9)
    return _write(figure, path)


def _figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), dpi=140, layout="constrained")


def _prepare(ax: Axes, moving: float) -> None:
    ax.axvspan(0.0, moving, color=SHADE, zorder=0)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(QUIET)
    ax.tick_params(colors=INK, labelsize=9)


def _write(figure: Figure, path: Path) -> Path:
    figure.savefig(path, facecolor="white")
    return path
