"""A spacecraft in orbit against the same run without gravity, in turn, by theories of its beams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flexmb as fm
from flexmb.examples.spacecraft import build
from flexmb.validation.performance.timing import timed

#: theory of the beams, numbers of elements of the boom and of a panel, and tolerance
CASES = (("exact", 16, 10, 1e-9), ("exact", 8, 6, 1e-7), ("cms", 1, 1, 1e-7), ("floating", 1, 1, 1e-7))
#: how long each craft flies [s], and how often
SECONDS, TIMES = 60.0, 5


def flight(gravity: bool, theory: str, elements: tuple[int, int], tolerance: float) -> Callable[[], Any]:
    """A run of a model that is bound now, to be called."""
    m = build(*elements, theory)
    if not gravity:
        m.gravity = (0, 0, 0)
    simulator = fm.Simulator(m, "radau", tolerance=tolerance)
    return lambda: simulator.run(SECONDS, progress=False)


def main() -> None:
    """Print times, steps, iterations and ratios."""
    for theory, boom, panel, tolerance in CASES:
        flights = [flight(gravity, theory, (boom, panel), tolerance) for gravity in (False, True)]
        seconds, runs = [float("inf")] * 2, [x() for x in flights]
        for _ in range(TIMES):
            seconds = [min(best, timed(x)) for best, x in zip(seconds, flights)]
        steps, evaluations = ([getattr(run.statistics, what) for run in runs] for what in ("steps", "evaluations"))
        print(
            f"{theory}, {boom} + 2 × {panel} elements, tolerance {tolerance:g}: {seconds[0]:.3f} s without gravity, "
            f"{seconds[1]:.3f} s with it, {seconds[1] / seconds[0]:.2f} times; steps {steps}, evaluations {evaluations}"
        )


if __name__ == "__main__":
    main()
