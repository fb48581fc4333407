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
steps, "per_step" factorizes once a step, "full" in each iteration.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Sequence
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


def exudyn() -> Any:
    """Exudyn in its build without range checks, which is faster, if it was not imported before."""
    if "exudyn" not in sys.modules:
        sys.exudynFast = True  # type: ignore[attr-defined]
    try:
        return importlib.import_module("exudyn")
    except ImportError as error:
        message = "this benchmark compares with Exudyn; install the peers extra: pip install flexmb[peers]"
        raise MissingExtraError(message) from error


def straight_cable(
    length: float,
    elements: int,
    *,
    rhoA: float,
    EA: float,
    EI: float,
    gravity: float = 0.0,
    fixed: Sequence[int] = (0, 0, 0, 0),
    integration: int = 0,
) -> tuple[Any, Any, list[int]]:
    """Exudyn itself, a system with an ANCF cable from the origin along x, and the numbers of the cable's nodes.

    `fixed`: 1 for each coordinate of the first node that is held.
    """
    exu = exudyn()
    from exudyn.beams import GenerateStraightLineANCFCable2D
    from exudyn.utilities import Cable2D

    system = exu.SystemContainer().AddSystem()
    nodes = GenerateStraightLineANCFCable2D(
        system,
        positionOfNode0=[0, 0, 0],
        positionOfNode1=[length, 0, 0],
        numberOfElements=elements,
        cableTemplate=Cable2D(
            physicsMassPerLength=rhoA,
            physicsBendingStiffness=EI,
            physicsAxialStiffness=EA,
            useReducedOrderIntegration=integration,
        ),
        massProportionalLoad=[0, -gravity, 0],
        fixedConstraintsNode0=list(fixed),
    )[0]
    return exu, system, nodes


def quiet_settings(exu: Any, solver: str) -> Any:
    """Settings of a run with one thread that writes nothing, and with this solver for linear systems."""
    settings = exu.SimulationSettings()
    for part in (settings.timeIntegration, settings.staticSolver):
        part.verboseMode = 0
        part.verboseModeFile = 0
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


def converge_by_increment(newton: Any, tolerance: float) -> None:
    """Let Newton's method converge by the increment of the coordinates, instead of by the residual."""
    newton.relativeTolerance = tolerance
    newton.absoluteTolerance = tolerance
    # the name changed between versions
    setattr(newton, "residualMode" if hasattr(newton, "residualMode") else "newtonResidualMode", 1)


def dynamic_settings(
    exu: Any, steps: int, t_end: float, newton: str, tolerance: float, criterion: str, solver: str
) -> Any:
    """Settings of a run of fixed steps with generalized-α of radius 0.8."""
    if newton not in ("full", "per_step", "modified"):
        raise ValueError(f"newton is 'full', 'per_step' or 'modified', not {newton!r}")
    if criterion not in ("residual", "increment"):
        raise ValueError(f"criterion is 'residual' or 'increment', not {criterion!r}")
    settings = quiet_settings(exu, solver)
    integration = settings.timeIntegration
    integration.numberOfSteps = steps
    integration.endTime = t_end
    integration.newton.useModifiedNewton = newton != "full"
    integration.newton.modifiedNewtonJacUpdatePerStep = newton == "per_step"
    integration.newton.relativeTolerance = tolerance
    if criterion == "increment":
        converge_by_increment(integration.newton, tolerance)
    # a run that does not converge with the increment must fail, not creep on with a halved step
    integration.adaptiveStep = criterion == "residual"
    integration.generalizedAlpha.spectralRadius = 0.8
    return settings


def node_sensor(exu: Any, system: Any, node: int, quantity: str) -> Any:
    """A sensor of a quantity of a node, by its name in Exudyn."""
    from exudyn.utilities import SensorNode

    kind = getattr(exu.OutputVariableType, quantity)
    return system.AddSensor(SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=kind))


def clamp_to_hub(exu: Any, system: Any, node: int, slope: tuple[int, int]) -> list[Any]:
    """Prescribe the slope of a node as the hub of the spin-up turns, by the numbers of its x and y among the node's
    coordinates. Returns the driving laws, which Exudyn does not keep alive itself: symbolic functions that it evaluates
    without Python."""
    from exudyn.utilities import CoordinateConstraint, CreateSymbolicUserFunction, MarkerNodeCoordinate, NodePointGround

    ground = system.AddMarker(MarkerNodeCoordinate(nodeNumber=system.AddNode(NodePointGround()), coordinate=0))
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

    laws = []
    for coordinate, law in zip(slope, (along, across)):
        marker = system.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate))
        item = system.AddObject(CoordinateConstraint(markerNumbers=[ground, marker]))
        laws.append(CreateSymbolicUserFunction(system, law, "offsetUserFunction", item))
        system.SetObjectParameter(item, "offsetUserFunction", laws[-1])
    return laws


def spin_up_system(
    elements: int, integration: int, coordinates: bool = False, assembled: bool = True
) -> tuple[Any, Any, list[Any], Any]:
    """The system, `assembled` or not; the sensor of its tip, of places or of displacements (`coordinates`); the driving
    laws of :func:`clamp_to_hub`; and Exudyn."""
    exu, system, nodes = straight_cable(
        data.LENGTH, elements, rhoA=data.RHO_A, EA=data.EA, EI=data.EI, fixed=(1, 1, 0, 0), integration=integration
    )
    laws = clamp_to_hub(exu, system, nodes[0], (2, 3))
    sensor = node_sensor(exu, system, nodes[-1], "Coordinates" if coordinates else "Position")
    if assembled:
        system.Assemble()
    return system, sensor, laws, exu


def spin_up(
    elements: int,
    steps: int,
    newton: str = "full",
    tolerance: float = 1e-4,
    *,
    criterion: str = "residual",
    integration: int = 0,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Times (k,), tip deflection in the hub frame (k,) [m] and seconds of Exudyn's solver.

    The solver of linear systems is the fastest one for the size.
    """
    system, sensor, _laws, exu = spin_up_system(elements, integration)
    solver = "EigenDense" if elements <= 16 else "EigenSparse"
    settings = dynamic_settings(exu, steps, data.T_END, newton, tolerance, criterion, solver)
    settings.solutionSettings.sensorsWritePeriod = 0.999 * data.T_END / steps
    begun = time.perf_counter()
    system.SolveDynamic(settings)
    seconds = time.perf_counter() - begun
    rows = system.GetSensorStoredData(sensor)
    angle, _, _ = data.hub(rows[:, 0])
    return rows[:, 0], np.cos(angle) * rows[:, 2] - np.sin(angle) * rows[:, 1], seconds


def cable_pendulum(
    elements: int, newton: str = "modified", tolerance: float = 1e-5, *, criterion: str = "residual"
) -> tuple[np.ndarray, float]:
    """Tip position (2,) [m] after 200 steps of 1 ms and seconds of Exudyn's solver, both NaN when the solver gives up.

    Hinged ANCF cable, 2 m long, 10 mm thick, E = 2e9 Pa, ρ = 7850 kg/m³, released level under gravity.
    """
    area, second = np.pi * 0.01**2 / 4, np.pi * 0.01**4 / 64
    exu, system, nodes = straight_cable(
        2.0, elements, rhoA=7850.0 * area, EA=2e9 * area, EI=2e9 * second, gravity=9.81, fixed=(1, 1, 0, 0)
    )
    sensor = node_sensor(exu, system, nodes[-1], "Position")
    system.Assemble()
    settings = dynamic_settings(exu, 200, 0.2, newton, tolerance, criterion, "EigenSparse")
    settings.solutionSettings.sensorsWritePeriod = 0.2
    begun = time.perf_counter()
    try:
        system.SolveDynamic(settings)
    except ValueError:
        return np.full(2, np.nan), float("nan")
    seconds = time.perf_counter() - begun
    return np.asarray(system.GetSensorStoredData(sensor)[-1, 1:3]), seconds


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
