"""The benchmark models in Exudyn (Gerstmayr, Multibody System Dynamics 60, 2024), at its fastest settings.

ANCFCable2D has the strains of :class:`flexmb.elements.AncfCable`: |r'| − 1 and (r' × r'')/|r'|², and with
`useReducedOrderIntegration=0` its Gauss points, so that both codes solve the same equations.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from flexmb.errors import MissingExtraError
from flexmb.validation.references import spin_up as data


def _exudyn() -> Any:
    try:
        import exudyn
    except ImportError as error:
        raise MissingExtraError("this benchmark compares with Exudyn; install it: pip install flexmb[peers]") from error
    return exudyn


def _settings(exu: Any, steps: int, t_end: float, newton: str, tolerance: float, radius: float, large: bool) -> Any:
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = t_end
    settings.timeIntegration.newton.useModifiedNewton = newton == "modified"
    settings.timeIntegration.newton.relativeTolerance = tolerance
    settings.timeIntegration.generalizedAlpha.spectralRadius = radius
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.verboseModeFile = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.solutionInformation = ""
    settings.displayStatistics = False
    settings.displayComputationTime = False
    settings.parallel.numberOfThreads = 1
    kinds = exu.LinearSolverType
    settings.linearSolverType = kinds.EigenSparse if large else kinds.EXUdense
    return settings


def spin_up(
    elements: int, steps: int, newton: str = "full", tolerance: float = 1e-4
) -> tuple[np.ndarray, np.ndarray, float]:
    """Times (k,), tip deflection in the hub frame (k,) [m] and seconds of Exudyn's solver."""
    exu = _exudyn()
    from exudyn.beams import GenerateStraightLineANCFCable2D
    from exudyn.utilities import (
        Cable2D,
        CoordinateConstraint,
        MarkerNodeCoordinate,
        NodePointGround,
        SensorNode,
    )

    container = exu.SystemContainer()
    mbs = container.AddSystem()
    cable = Cable2D(
        physicsMassPerLength=data.RHO_A,
        physicsBendingStiffness=data.EI,
        physicsAxialStiffness=data.EA,
        useReducedOrderIntegration=0,
    )
    made = GenerateStraightLineANCFCable2D(
        mbs,
        positionOfNode0=[0, 0, 0],
        positionOfNode1=[data.LENGTH, 0, 0],
        numberOfElements=elements,
        cableTemplate=cable,
        massProportionalLoad=[0, 0, 0],
        fixedConstraintsNode0=[1, 1, 0, 0],
    )
    nodes = made[0]
    ground = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=mbs.AddNode(NodePointGround()), coordinate=0))

    def along(mbs: Any, t: float, item: int, offset: float) -> float:
        return float(np.cos(_hub(t))) - 1.0

    def across(mbs: Any, t: float, item: int, offset: float) -> float:
        return float(np.sin(_hub(t)))

    for coordinate, law in ((2, along), (3, across)):
        marker = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=coordinate))
        mbs.AddObject(CoordinateConstraint(markerNumbers=[ground, marker], offsetUserFunction=law))
    sensor = mbs.AddSensor(
        SensorNode(nodeNumber=nodes[-1], storeInternal=True, outputVariableType=exu.OutputVariableType.Position)
    )
    mbs.Assemble()
    settings = _settings(exu, steps, data.T_END, newton, tolerance, 0.8, large=elements > 16)
    settings.solutionSettings.sensorsWritePeriod = data.T_END / steps
    begun = time.perf_counter()
    mbs.SolveDynamic(settings)
    seconds = time.perf_counter() - begun
    rows = mbs.GetSensorStoredData(sensor)
    angle, _, _ = data.hub(rows[:, 0])
    return rows[:, 0], np.cos(angle) * rows[:, 2] - np.sin(angle) * rows[:, 1], seconds


def _hub(t: float) -> float:
    w, T = data.SPEED, data.DURATION
    if t >= T:
        return w * T / 2 + w * (t - T)
    c = 2.0 * np.pi / T
    return w / T * (t * t / 2 + (np.cos(c * t) - 1.0) / c**2)


def cable_pendulum(
    elements: int, newton: str = "modified", tolerance: float = 1e-5, steps: int = 200, t_end: float = 0.2
) -> tuple[np.ndarray, float]:
    """Tip position (2,) [m] at the end and seconds of Exudyn's solver; NaN when the solver gives up."""
    exu = _exudyn()
    from exudyn.beams import GenerateStraightLineANCFCable2D
    from exudyn.utilities import Cable2D, SensorNode

    container = exu.SystemContainer()
    mbs = container.AddSystem()
    area, second = np.pi * 0.01**2 / 4, np.pi * 0.01**4 / 64
    cable = Cable2D(
        physicsMassPerLength=7850.0 * area,
        physicsBendingStiffness=2e9 * second,
        physicsAxialStiffness=2e9 * area,
        useReducedOrderIntegration=0,
    )
    made = GenerateStraightLineANCFCable2D(
        mbs,
        positionOfNode0=[0, 0, 0],
        positionOfNode1=[2.0, 0, 0],
        numberOfElements=elements,
        cableTemplate=cable,
        massProportionalLoad=[0, -9.81, 0],
        fixedConstraintsNode0=[1, 1, 0, 0],
    )
    sensor = mbs.AddSensor(
        SensorNode(nodeNumber=made[0][-1], storeInternal=True, outputVariableType=exu.OutputVariableType.Position)
    )
    mbs.Assemble()
    settings = _settings(exu, steps, t_end, newton, tolerance, 0.8, large=True)
    settings.solutionSettings.sensorsWritePeriod = t_end
    begun = time.perf_counter()
    try:
        mbs.SolveDynamic(settings)
    except ValueError:
        return np.full(2, np.nan), float("nan")
    seconds = time.perf_counter() - begun
    return np.asarray(mbs.GetSensorStoredData(sensor)[-1, 1:3]), seconds
