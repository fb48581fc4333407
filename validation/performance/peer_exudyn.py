"""The benchmark models in Exudyn, Gerstmayr (2024), at its fastest settings.

The following defines the equations that both codes must solve; an implementation of exactly this agrees with
Exudyn 1.13 in the tip position of the cable pendulum to 1e-15 m (16 elements, all three integrations,
radius 0.8 and 0.5).

Element (ObjectANCFCable2D): cubic Hermite, nodal coordinates (x, y, r'x, r'y), r' by arc length.
    axial strain      ε = |r'| − 1,   energy ½ EA ε²
    curvature         κ = (r' × r'')/|r'|²,   energy ½ EI κ²
    quadrature        useReducedOrderIntegration = 0: Gauss, 5 points for ε, 3 for κ ("order 9", "order 5")
                      1: Gauss, 4 points for ε and 2 for κ
                      2: Simpson (Lobatto, both ends and the middle) for ε, Gauss with 2 points for κ
    mass              consistent, Gauss with 4 points (exact), constant
    gravity           massProportionalLoad: the consistent nodal loads ∫ Sᵀ ρA g dx, slopes included
    hinge             x = y = 0 of the first node with Lagrange multipliers; its slope is free
    clamped hub       both components of the first slope are prescribed as (cos θ, sin θ), so that ε = 0 there

Generalized-α of Arnold and Brüls (2007), ρ the spectral radius, defaults useNewmark and
useIndex2Constraints off:
    αm = (2ρ − 1)/(ρ + 1),  αf = ρ/(ρ + 1),  γ = ½ + αf − αm,  β = ¼ (γ + ½)²
    start             q̈0 from [M Gᵀ; G 0] at rest, and the same vector as first algorithmic acceleration
    constraints       at position level (index 3)
    prediction        q̈ = 0 at the new time

Newton. By default convergence is the 2-norm of the residual in newtons against its first value in the
step (residualMode 0); residualMode 1 takes the increment of the coordinates instead. In the residual,
forces of the size EA times round-off stay above a tight tolerance: the solver stops at 256 elements with
1e-8 and at 1024 elements with 1e-7, and the spin-up beam with 8 elements and 1e-4 succeeds only because
the solver halves the step again and again, which takes nearly all its time. With the increment neither
happens. So `criterion="increment"` is the fair setting. "modified" Newton keeps its matrix over
steps, "per_step" factorises once a step, "full" in each iteration.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import MissingExtraError
from flexmb.validation.references import spin_up as data

#: Arguments of `spin_up` that come within 0.3 % of the converged deflection in the shortest time, with any
#: integration that the peer offers and with its standard one. The whole curves are within 0.2 % and 0.5 % of the
#: deflection of the converged one.
SPIN_UP_FASTEST: dict[str, Any] = {
    "elements": 2, "steps": 700, "newton": "full", "tolerance": 1e-4,
    "criterion": "increment", "integration": 2,
}  # fmt: skip
SPIN_UP_FASTEST_STANDARD: dict[str, Any] = {
    "elements": 5, "steps": 700, "newton": "full", "tolerance": 1e-4,
    "criterion": "increment", "integration": 0,
}  # fmt: skip
#: Arguments of `cable_pendulum` besides the elements that come in the shortest time within 1e-5 m of its own
#: converged tip, and within 1e-6 m.
CABLE_FASTEST: dict[str, Any] = {"newton": "modified", "tolerance": 1e-4, "criterion": "increment"}
CABLE_FASTEST_1E6: dict[str, Any] = {"newton": "modified", "tolerance": 1e-4, "criterion": "residual"}


@dataclass(frozen=True)
class CableRun:
    """A run of the cable pendulum: tip (2,) [m] at its end and seconds, both NaN if the solver stopped early."""

    tip: np.ndarray
    seconds: float
    iterations: int
    jacobians: int
    reached: float

    @property
    def finished(self) -> bool:
        """Whether the solver came to the end."""
        return bool(np.isfinite(self.seconds))


def _exudyn() -> Any:
    try:
        import exudyn
    except ImportError as error:
        message = "this benchmark compares with Exudyn; install the peers extra: pip install flexmb[peers]"
        raise MissingExtraError(message) from error
    return exudyn


def _settings(
    exu: Any,
    steps: int,
    t_end: float,
    newton: str,
    tolerance: float,
    criterion: str,
    radius: float,
    solver: str,
) -> Any:
    if newton not in ("full", "per_step", "modified"):
        raise ValueError(f"newton is 'full', 'per_step' or 'modified', not {newton!r}")
    if criterion not in ("residual", "increment"):
        raise ValueError(f"criterion is 'residual' or 'increment', not {criterion!r}")
    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.numberOfSteps = steps
    integration.endTime = t_end
    integration.newton.useModifiedNewton = newton != "full"
    integration.newton.modifiedNewtonJacUpdatePerStep = newton == "per_step"
    integration.newton.relativeTolerance = tolerance
    if criterion == "increment":
        integration.newton.absoluteTolerance = tolerance
        # the name changed between versions
        name = "residualMode" if hasattr(integration.newton, "residualMode") else "newtonResidualMode"
        setattr(integration.newton, name, 1)
    # a run that does not converge with the increment must fail, not creep on with a halved step
    integration.adaptiveStep = criterion == "residual"
    integration.generalizedAlpha.spectralRadius = radius
    integration.verboseMode = 0
    integration.verboseModeFile = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.solutionInformation = ""
    settings.displayStatistics = False
    settings.displayComputationTime = False
    settings.parallel.numberOfThreads = 1
    kind = getattr(exu.LinearSolverType, solver)
    if hasattr(settings, "linearSolver"):
        settings.linearSolver.solverType = kind
        settings.linearSolver.reuseAnalyzedPattern = True
    else:
        settings.linearSolverType = kind
    return settings


def spin_up(
    elements: int,
    steps: int,
    newton: str = "full",
    tolerance: float = 1e-4,
    *,
    criterion: str = "residual",
    integration: int = 0,
    radius: float = 0.8,
    solver: str | None = None,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Times (k,), tip deflection in the hub frame (k,) [m] and seconds of Exudyn's solver.

    `solver`: "EXUdense", "EigenDense" or "EigenSparse"; the fastest for the size when not given. The driving
    law is a symbolic function that Exudyn evaluates without Python.
    """
    exu = _exudyn()
    from exudyn.beams import GenerateStraightLineANCFCable2D
    from exudyn.utilities import (
        Cable2D,
        CoordinateConstraint,
        CreateSymbolicUserFunction,
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
        useReducedOrderIntegration=integration,
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
    symbolic = exu.symbolic

    def hub(t: Any) -> Any:
        w, T = data.SPEED, data.DURATION
        c = 2.0 * np.pi / T
        ramp = w / T * (t * t / 2 + (symbolic.cos(c * t) - 1.0) / c**2)
        return symbolic.IfThenElse(t < T, ramp, w * T / 2 + w * (t - T))

    def along(mbs: Any, t: Any, item: Any, offset: Any) -> Any:
        return symbolic.cos(hub(t)) - 1.0

    def across(mbs: Any, t: Any, item: Any, offset: Any) -> Any:
        return symbolic.sin(hub(t))

    laws = []  # Exudyn does not keep them alive itself
    for coordinate, law in ((2, along), (3, across)):
        marker = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=coordinate))
        item = mbs.AddObject(CoordinateConstraint(markerNumbers=[ground, marker]))
        laws.append(CreateSymbolicUserFunction(mbs, law, "offsetUserFunction", item))
        mbs.SetObjectParameter(item, "offsetUserFunction", laws[-1])
    sensor = mbs.AddSensor(
        SensorNode(nodeNumber=nodes[-1], storeInternal=True, outputVariableType=exu.OutputVariableType.Position)
    )
    mbs.Assemble()
    solver = solver or ("EigenDense" if elements <= 16 else "EigenSparse")
    settings = _settings(exu, steps, data.T_END, newton, tolerance, criterion, radius, solver)
    settings.solutionSettings.sensorsWritePeriod = 0.999 * data.T_END / steps
    begun = time.perf_counter()
    mbs.SolveDynamic(settings)
    seconds = time.perf_counter() - begun
    rows = mbs.GetSensorStoredData(sensor)
    angle, _, _ = data.hub(rows[:, 0])
    return rows[:, 0], np.cos(angle) * rows[:, 2] - np.sin(angle) * rows[:, 1], seconds


def cable_pendulum(
    elements: int,
    newton: str = "modified",
    tolerance: float = 1e-5,
    steps: int = 200,
    t_end: float = 0.2,
    *,
    criterion: str = "residual",
    radius: float = 0.8,
    integration: int = 0,
    solver: str = "EigenSparse",
) -> tuple[np.ndarray, float]:
    """Tip position (2,) [m] at the end and seconds of Exudyn's solver; NaN when the solver gives up."""
    run = cable_pendulum_run(
        elements, newton, tolerance, steps, t_end,
        criterion=criterion, radius=radius, integration=integration, solver=solver,
    )  # fmt: skip
    return run.tip, run.seconds


def cable_pendulum_run(
    elements: int,
    newton: str = "modified",
    tolerance: float = 1e-5,
    steps: int = 200,
    t_end: float = 0.2,
    *,
    criterion: str = "residual",
    radius: float = 0.8,
    integration: int = 0,
    solver: str = "EigenSparse",
) -> CableRun:
    """Hinged ANCF cable, 2 m long, 10 mm thick, E = 2e9 Pa, ρ = 7850 kg/m³, released level under gravity."""
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
        useReducedOrderIntegration=integration,
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
    settings = _settings(exu, steps, t_end, newton, tolerance, criterion, radius, solver)
    settings.solutionSettings.sensorsWritePeriod = t_end
    begun = time.perf_counter()
    try:
        mbs.SolveDynamic(settings)
        seconds = time.perf_counter() - begun
        tip = np.asarray(mbs.GetSensorStoredData(sensor)[-1, 1:3])
    except ValueError:
        seconds, tip = float("nan"), np.full(2, np.nan)
    state = mbs.sys["dynamicSolver"].it
    return CableRun(tip, seconds, int(state.newtonStepsCount), int(state.newtonJacobiCount), float(state.currentTime))


def main() -> None:
    """Print the results of the spin-up beam for more and more elements, each extrapolated from two steps by the second
    order of the integration."""
    for elements in (2, 4, 8, 16, 32):
        results = []
        for steps in (8000, 16000):
            t, w, _ = spin_up(elements, steps, tolerance=1e-8, criterion="increment")
            results.append(np.array([*data.largest(t, w), data.amplitude(t, w)]))
        deflection, when, late = (4.0 * results[1] - results[0]) / 3.0
        print(f"{elements} elements: {deflection:.7f} m at {when:.5f} s, amplitude {late:.7f} m after 15 s", flush=True)


if __name__ == "__main__":
    main()
