"""The mission: its run, with diagrams, the orbit in its plane, a picture, a film and a page; and a quicker slew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import flexmb as fm
from flexmb.examples.spacecraft import slew
from flexmb.examples.spacecraft.craft import BURNS, FIRED, LASTS, START, SUN, T_END, TURN, build, tip

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _history(solution: fm.Solution, orbit: fm.spatial.Orbit) -> Figure:
    """The turn, the wheels, the tip of the boom, and where the hull is off the orbit; shadow and jet as bands."""
    from matplotlib.figure import Figure

    t, hull = solution.t, solution["hull"]
    figure = Figure(figsize=(8.0, 8.4), layout="constrained")
    turn, wheels, bent, off = axes = figure.subplots(4, sharex=True)
    step = fm.SmoothStep(START, LASTS, 0.0, np.degrees(TURN))
    turn.plot(t, [step(x) for x in t], "--", color="0.5", label="wanted")
    turn.plot(t, np.degrees(hull.orientation.magnitude()), label="turned")
    for axis in "xyz":
        wheels.plot(t, solution[f"wheel {axis}.rotor rate"], label=f"wheel {axis}")
    for letter, values in zip("yz", 1e3 * tip(solution).T):
        bent.plot(t, values, label=letter)
    for letter, values in zip("xyz", hull.position.T):
        off.plot(t, values, label=letter)
    for ax in axes:
        ax.axvspan(FIRED, FIRED + BURNS, color="tab:red", alpha=0.2, linewidth=0.0, label="jet" if ax is turn else None)
        if (dark := t[orbit.light < 0.5]).size:
            ax.axvspan(dark[0], t[-1], color="0.5", alpha=0.2, linewidth=0.0, label="shadow" if ax is turn else None)
        ax.legend(frameon=False, loc="upper left", ncols=4)
        ax.margins(x=0.0, y=0.15)
    turn.set(ylabel="angle [°]")
    wheels.set(ylabel="wheels [rad/s]")
    bent.set(ylabel="tip of the boom [mm]")
    off.set(ylabel="hull off the orbit [m]", xlabel="t [s]")
    figure.align_ylabels(axes)
    return figure


def run(out: Path) -> list[Path]:
    """The mission, with diagrams, its orbit, a picture, a film, and a page; a quicker slew, plain and shaped."""
    from matplotlib import style

    solution = fm.simulate(build(4, 3), T_END, tolerance=1e-6, times=np.linspace(0.0, T_END, 601))
    print(solution)
    orbit = fm.spatial.orbit(solution, sun=SUN)
    left = np.degrees(solution["hull"].orientation[-1].magnitude() - TURN)
    bent = np.linalg.norm(tip(solution), axis=1)
    print(f"turned by {np.degrees(TURN):g}°, off by {left:.1e}°; the tip swings by {1e3 * bent.max():.1f} mm")
    elements = orbit.elements
    print(f"the jet changes half the axis of the orbit by {elements.axis[-1] - elements.axis[0]:.1f} m")
    sets = solution.t[orbit.light < 0.5]
    print(f"its sun sets {sets[0]:.1f} s after the start, {solution.t[-1]:.0f} s are flown")

    view = solution.view(orbit=orbit, magnify=100.0, camera=(1.7, -1.3, 0.8))
    picture = view.screenshot(out / "spacecraft.png", time=152.0, size=(1200, 800))
    film = view.movie(out / "spacecraft.gif", fps=10, pace=25.0, size=(640, 428))
    page = view.html(out / "spacecraft.html", pictures=121, pace=25.0)
    plane = out / "spacecraft-orbit.png"
    orbit.plot(plane)
    history = out / "spacecraft-mission.png"
    with style.context("flexmb.plots.light"):
        _history(solution, orbit).savefig(history, dpi=140)
        quick = slew.report(out / "spacecraft-slew.png")
    return [picture, film, page, plane, history, quick, solution.save(out / "spacecraft.h5")]
