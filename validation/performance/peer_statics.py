"""The static benchmark in Exudyn: a clamped ANCF cable under an end force, the element of `peer_exudyn`.

Its static solver raises loads over `steps` load steps, with Newton's method in each. Which number of steps, Newton
method and tolerance is the fastest depends on the load, so the benchmark tries them.
"""

from __future__ import annotations

import time

import numpy as np

from flexmb.validation.performance.peer_exudyn import converge_by_increment, quiet_settings, straight_cable


def cantilever(
    elements: int,
    properties: tuple[float, float, float],
    force: float,
    steps: int,
    *,
    newton: str = "full",
    tolerance: float = 1e-8,
) -> tuple[np.ndarray, float]:
    """Tip (2,) [m] of a cantilever of 1 m with (EA, EI, ρA) under a force across its end, and seconds from
    assembling to the answer; NaN when it gives up."""
    EA, EI, density = properties
    exu, system, nodes = straight_cable(1.0, elements, rhoA=density, EA=EA, EI=EI, fixed=(1, 1, 0, 1))
    from exudyn.utilities import LoadForceVector, MarkerNodePosition

    marker = system.AddMarker(MarkerNodePosition(nodeNumber=nodes[-1]))
    system.AddLoad(LoadForceVector(markerNumber=marker, loadVector=[0, force, 0]))
    begun = time.perf_counter()
    system.Assemble()
    settings = quiet_settings(exu, "EigenSparse")
    static = settings.staticSolver
    static.numberOfLoadSteps = steps
    static.newton.useModifiedNewton = newton == "modified"
    static.newton.maxIterations = 50
    converge_by_increment(static.newton, tolerance)
    static.adaptiveStep = False
    try:
        system.SolveStatic(settings, showHints=False, showCausingItems=False)
    except (ValueError, SystemExit):
        return np.full(2, np.nan), float("nan")
    seconds = time.perf_counter() - begun
    return np.asarray(system.GetNodeOutput(nodes[-1], exu.OutputVariableType.Position))[:2], seconds
