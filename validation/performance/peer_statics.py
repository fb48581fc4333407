"""The static benchmark in Exudyn: a clamped ANCF cable under an end force, the element of `peer_exudyn`.

Its static solver raises loads over `steps` load steps, with Newton's method in each. Which number of steps,
Newton method and criterion is the fastest depends on the load, so the benchmark tries them.
"""

from __future__ import annotations

import time

import numpy as np

from flexmb.validation.performance.peer_exudyn import _exudyn


def cantilever(
    elements: int,
    properties: tuple[float, float, float],
    force: float,
    steps: int,
    *,
    newton: str = "full",
    criterion: str = "increment",
    tolerance: float = 1e-8,
) -> tuple[np.ndarray, float]:
    """Tip (2,) [m] of a cantilever of 1 m with (EA, EI, ρA) under a force across its end, and seconds from
    assembling to the answer; NaN when it gives up."""
    exu = _exudyn()
    from exudyn.beams import GenerateStraightLineANCFCable2D
    from exudyn.utilities import Cable2D, LoadForceVector, MarkerNodePosition

    EA, EI, density = properties
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    cable = Cable2D(physicsMassPerLength=density, physicsBendingStiffness=EI, physicsAxialStiffness=EA)
    made = GenerateStraightLineANCFCable2D(
        mbs,
        positionOfNode0=[0, 0, 0],
        positionOfNode1=[1.0, 0, 0],
        numberOfElements=elements,
        cableTemplate=cable,
        massProportionalLoad=[0, 0, 0],
        fixedConstraintsNode0=[1, 1, 0, 1],
    )
    last = made[0][-1]
    mbs.AddLoad(
        LoadForceVector(markerNumber=mbs.AddMarker(MarkerNodePosition(nodeNumber=last)), loadVector=[0, force, 0])
    )
    begun = time.perf_counter()
    mbs.Assemble()
    settings = exu.SimulationSettings()
    static = settings.staticSolver
    static.numberOfLoadSteps = steps
    static.newton.useModifiedNewton = newton == "modified"
    static.newton.relativeTolerance = tolerance
    static.newton.absoluteTolerance = tolerance
    static.newton.maxIterations = 50
    if criterion == "increment":
        name = "residualMode" if hasattr(static.newton, "residualMode") else "newtonResidualMode"
        setattr(static.newton, name, 1)
    static.adaptiveStep = False
    static.verboseMode = 0
    static.verboseModeFile = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.solutionInformation = ""
    settings.displayStatistics = False
    settings.displayComputationTime = False
    settings.parallel.numberOfThreads = 1
    if hasattr(settings, "linearSolver"):
        settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse
        settings.linearSolver.reuseAnalyzedPattern = True
    else:
        settings.linearSolverType = exu.LinearSolverType.EigenSparse
    try:
        mbs.SolveStatic(settings, showHints=False, showCausingItems=False)
        seconds = time.perf_counter() - begun
        tip = np.asarray(mbs.GetNodeOutput(last, exu.OutputVariableType.Position))[:2]
    except (ValueError, SystemExit):
        seconds, tip = float("nan"), np.full(2, np.nan)
    return tip, seconds
