"""Error against time of the spin-up beam in space: CMS elements and their modes, and Exudyn's ANCF cable.

python -m flexmb.validation.performance.spin_up_space_diagram flexmb-demo/spin-up-space.png

Each line is one discretization in space with finer and finer fixed steps: it falls until what is left is the error of
its elements, deeper before where the errors of steps and elements cancel. Runs that do not converge are left out. The
error is the larger one of the relative errors of the largest lag and the deepest flap, which the exact rod by
polynomials has to about 3e-5. The time of flexmb is that of the whole `simulate`, with assembly; the time of Exudyn is
that of its solver alone.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from flexmb.errors import AccuracyWarning
from flexmb.plots.figures import colors, picture
from flexmb.validation.performance import peer_exudyn_space
from flexmb.validation.performance.spin_up_space import ours
from flexmb.validation.performance.timing import timed
from flexmb.validation.references import spin_up_space as data
from flexmb.validation.spin_up_space import deflection

#: elements and modes a plane, and fixed steps [s], of flexmb's beam
OWN = tuple((elements, modes) for elements in (1, 2, 4) for modes in (1, 2))
STEPS = (0.025, 0.01, 0.005, 0.0025)
#: elements, useReducedOrderIntegration and numbers of steps of Exudyn's cable
PEERS = tuple((elements, integration) for elements in (2, 4, 8) for integration in (0, 2))
COUNTS = (250, 500, 1000, 2000, 4000, 8000)
INTEGRATIONS = {0: "standard", 1: "first reduced", 2: "reduced"}
#: the relative error to which the reference is known, and the largest one that is drawn
KNOWN, LARGEST = 3e-5, 0.3
REPEATS = 5


class Run(NamedTuple):
    """One run: which code, elements and modes a plane (own) or integration (peer), steps, error, shortest time [s]."""

    code: str
    elements: int
    kind: int
    steps: int
    error: float
    seconds: float


def error_of(t: np.ndarray, end: np.ndarray) -> float:
    """The larger relative error of lag and flap, of times (k,) and the end (k, 2) in the axes of the hub."""
    found = data.result(t, *end.T)
    return float(max(abs(found.lag / data.EXACT.lag - 1.0), abs(found.flap / data.EXACT.flap - 1.0)))


def _own(elements: int, modes: int, step: float) -> tuple[Run, Callable[[], float]]:
    run = ours(elements, modes, step)
    with warnings.catch_warnings():  # of steps that are too long, which belong to the diagram
        warnings.simplefilter("ignore", AccuracyWarning)
        solution = run()
    error = error_of(solution.t, deflection(solution))
    first = Run("flexmb", elements, modes, round(data.T_END / step), error, np.inf)
    return first, partial(timed, run)


def _peer(elements: int, integration: int, count: int) -> tuple[Run, Callable[[], float]] | None:
    """None if its steps are too long for Newton's method."""
    run = partial(peer_exudyn_space.spin_up, elements, count, integration=integration)
    try:
        t, end, seconds = run()
    except RuntimeError:  # Exudyn's SolverError
        return None
    first = Run("Exudyn", elements, integration, count, error_of(t, end), seconds)
    return first, lambda: run()[2]


def measure(
    own: Sequence[tuple[int, int]] = OWN,
    peers: Sequence[tuple[int, int]] = PEERS,
    steps: Sequence[float] = STEPS,
    counts: Sequence[int] = COUNTS,
    repeats: int = REPEATS,
) -> list[Run]:
    """All runs. Codes and settings take turns, so that the load of the machine is the same for all."""
    made = [_own(*which, step) for which in own for step in steps]
    made += [found for which in peers for count in counts if (found := _peer(*which, count)) is not None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)
        times = [[run() for _, run in made] for _ in range(repeats)]
    return [run._replace(seconds=min(of)) for (run, _), *of in zip(made, *times)]


def draw(runs: Sequence[Run], path: Path | None) -> Any:
    """Lines of one color for each number of our elements, and broken lines in ink for the peer's; marks are full for
    two modes a plane and for the standard integration."""
    with picture(path, (7.4, 4.6), "light") as figure:
        ax = figure.subplots()
        look = colors()
        counts = sorted({run.elements for run in runs})
        for code, elements, kind in dict.fromkeys(run[:3] for run in runs):
            line = sorted((run for run in runs if run[:3] == (code, elements, kind)), key=lambda run: run.steps)
            line = [run for run in line if run.error < LARGEST]
            number = counts.index(elements)
            several = "s" * (elements > 1)
            if code == "flexmb":
                color = look.lines[number % len(look.lines)]
                style: dict[str, Any] = {"color": color, "linewidth": 1.7, "linestyle": "-" if kind > 1 else "--"}
                style |= {"marker": "osD^v"[number % 5], "markerfacecolor": color if kind > 1 else look.paper}
                label = f"{elements} CMS element{several}, {kind} mode{'s' * (kind > 1)} a plane"
            else:
                style = {"color": look.ink, "linewidth": 0.8, "linestyle": "-." if kind == 0 else ":"}
                style |= {"marker": "osD^v"[number % 5], "markerfacecolor": look.ink if kind == 0 else look.paper}
                label = f"Exudyn, {elements} cable element{several}, {INTEGRATIONS[kind]}"
            errors = [max(run.error, KNOWN) for run in line]
            milliseconds = [1e3 * run.seconds for run in line]
            ax.plot(milliseconds, errors, label=label, markersize=4.8, zorder=3.0 if code == "flexmb" else 2.0, **style)
        ax.axhline(KNOWN, color=look.quiet, linewidth=0.8)
        ax.annotate(
            "digits of the reference", (0.0, KNOWN), xycoords=("axes fraction", "data"), xytext=(4, 4),
            textcoords="offset points", color=look.quiet, fontsize="small",
        )  # fmt: skip
        ax.set(xscale="log", yscale="log", xlabel="time of a run [ms]", ylabel="relative error of lag and flap")
        ax.set_title("Blade spun up under its weight: elements, modes and steps")
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, handlelength=3.6, labelspacing=0.75)
    return figure


def fastest(runs: Sequence[Run], error: float) -> dict[str, Run]:
    """Of each code, and for the peer's standard integration, the run that is at least so exact in the shortest time."""
    kinds = {
        "flexmb": lambda run: run.code == "flexmb",
        "Exudyn": lambda run: run.code == "Exudyn",
        "Exudyn, standard integration": lambda run: run.code == "Exudyn" and run.kind == 0,
    }
    found = {}
    for name, belongs in kinds.items():
        good = [run for run in runs if belongs(run) and run.error <= error]
        if good:
            found[name] = min(good, key=lambda run: run.seconds)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and draw."""
    parser = argparse.ArgumentParser(prog="python -m flexmb.validation.performance.spin_up_space_diagram")
    parser.add_argument("picture", type=Path, help="the diagram: .png, .pdf or .svg")
    parser.add_argument("--repeats", type=int, default=REPEATS, help=f"runs of each point ({REPEATS})")
    given = parser.parse_args(arguments)
    runs = measure(repeats=given.repeats)
    for run in runs:
        kind = f"{run.kind} modes a plane" if run.code == "flexmb" else f"{INTEGRATIONS[run.kind]} integration"
        print(
            f"{run.code}, {run.elements} el., {kind}, {run.steps} steps: error {100 * run.error:.4f} %, "
            f"{1e3 * run.seconds:.1f} ms"
        )
    for error in (5e-3, 1e-3, 3e-4):
        for name, run in fastest(runs, error).items():
            print(f"to {100 * error:g} %: {name} {1e3 * run.seconds:.1f} ms, {run.elements} el., {run.steps} steps")
    draw(runs, given.picture)


if __name__ == "__main__":
    main()
