"""The spin-up beam in space in Exudyn, Gerstmayr (2024), at its fastest settings.

ObjectANCFCable is the planar one of :mod:`~flexmb.validation.performance.peer_exudyn` in three dimensions: cubic
Hermite with r and r' in the nodes, energy ½ EA (|r'| − 1)² + ½ EI κ² with κ = |r' × r''|/|r'|², so that it bends alike
in all planes, and no torsion. The hub prescribes all three components of the first slope.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from flexmb.validation.performance.peer_exudyn import clamp_to_hub, dynamic_settings, exudyn, node_sensor
from flexmb.validation.references import spin_up_space as data

#: gravity of the cable pendulum [m/s²]
GRAVITY = (2.0, -5.0, -8.0)
#: arguments of `spin_up` that come within 0.5 % of the converged lag in the shortest time, with any integration and
#: with the standard one
FASTEST: dict[str, Any] = {"elements": 2, "steps": 500, "integration": 2}
FASTEST_STANDARD: dict[str, Any] = {"elements": 4, "steps": 500, "integration": 0}


def system(elements: int, integration: int) -> tuple[Any, Any, list[Any], Any]:
    """The assembled system, the sensor of its tip, the driving laws of
    :func:`~flexmb.validation.performance.peer_exudyn.clamp_to_hub`, and Exudyn."""
    exu = exudyn()
    from exudyn.beams import GenerateStraightLineANCFCable
    from exudyn.utilities import ObjectANCFCable

    mbs = exu.SystemContainer().AddSystem()
    cable = ObjectANCFCable(
        massPerLength=data.RHO_A, bendingStiffness=data.EI, axialStiffness=data.EA,
        useReducedOrderIntegration=integration,
    )  # fmt: skip
    nodes = GenerateStraightLineANCFCable(
        mbs, [0, 0, 0], [data.LENGTH, 0, 0], elements, cable, massProportionalLoad=[0, 0, data.WEIGHT],
        fixedConstraintsNode0=[1, 1, 1, 0, 0, 1],
    )[0]  # fmt: skip
    laws = clamp_to_hub(exu, mbs, nodes[0], (3, 4))
    sensor = node_sensor(exu, mbs, nodes[-1], "Position")
    mbs.Assemble()
    return mbs, sensor, laws, exu


def spin_up(
    elements: int,
    steps: int,
    newton: str = "full",
    tolerance: float = 1e-4,
    *,
    criterion: str = "increment",
    integration: int = 0,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Times (k,), lag and flap of the tip (k, 2) [m] and seconds of Exudyn's solver."""
    mbs, sensor, _laws, exu = system(elements, integration)
    solver = "EigenDense" if elements <= 8 else "EigenSparse"
    settings = dynamic_settings(exu, steps, data.T_END, newton, tolerance, criterion, solver)
    settings.solutionSettings.sensorsWritePeriod = 0.999 * data.T_END / steps
    begun = time.perf_counter()
    mbs.SolveDynamic(settings)
    seconds = time.perf_counter() - begun
    rows = mbs.GetSensorStoredData(sensor)
    angle, _, _ = data.hub(rows[:, 0])
    lag = np.cos(angle) * rows[:, 2] - np.sin(angle) * rows[:, 1]
    return rows[:, 0], np.column_stack([lag, rows[:, 3]]), seconds


def cable_pendulum(
    elements: int,
    newton: str = "modified",
    tolerance: float = 1e-4,
    *,
    criterion: str = "increment",
    integration: int = 0,
) -> tuple[np.ndarray, float]:
    """Tip position (3,) [m] after 200 steps of 1 ms and seconds of Exudyn's solver, both NaN when the solver gives up.

    Cable on a ball joint, 2 m long, 10 mm thick, E = 2e9 Pa, ρ = 7850 kg/m³, released level under :data:`GRAVITY`.
    """
    exu = exudyn()
    from exudyn.beams import GenerateStraightLineANCFCable
    from exudyn.utilities import ObjectANCFCable

    area, second = np.pi * 0.01**2 / 4, np.pi * 0.01**4 / 64
    mbs = exu.SystemContainer().AddSystem()
    cable = ObjectANCFCable(
        massPerLength=7850.0 * area, bendingStiffness=2e9 * second, axialStiffness=2e9 * area,
        useReducedOrderIntegration=integration,
    )  # fmt: skip
    nodes = GenerateStraightLineANCFCable(
        mbs, [0, 0, 0], [2.0, 0, 0], elements, cable, massProportionalLoad=list(GRAVITY),
        fixedConstraintsNode0=[1, 1, 1, 0, 0, 0],
    )[0]  # fmt: skip
    sensor = node_sensor(exu, mbs, nodes[-1], "Position")
    mbs.Assemble()
    settings = dynamic_settings(exu, 200, 0.2, newton, tolerance, criterion, "EigenSparse")
    settings.solutionSettings.sensorsWritePeriod = 0.2
    begun = time.perf_counter()
    try:
        mbs.SolveDynamic(settings)
    except ValueError:
        return np.full(3, np.nan), float("nan")
    seconds = time.perf_counter() - begun
    return np.asarray(mbs.GetSensorStoredData(sensor))[-1, 1:], seconds


def main() -> None:
    """Print the numbers for more and more elements: with 4000 steps, and extrapolated from 4000 and 8000 by the second
    order of the integration, which bending modes that the sudden weight excites do not quite follow."""
    for elements in (4, 8, 16):
        both = []
        for steps in (4000, 8000):
            t, end, _ = spin_up(elements, steps, tolerance=1e-8)
            both.append(data.result(t, end[:, 0], end[:, 1]).numbers)
        for label, numbers in (("4000 steps", both[0]), ("extrapolated", (4.0 * both[1] - both[0]) / 3.0)):
            print(f"{elements} elements, {label}:", *(f"{x:.6f}" for x in numbers), flush=True)


if __name__ == "__main__":
    main()
