"""Natural frequencies of a taut cable in Exudyn: its eigenvalue solver on its ANCF cable, hinged at both ends.

Exudyn writes mass and stiffness matrices in dense form and hands them to SciPy's `eigsh`, by `useSparseSolver`. The
hinges are `constrainedCoordinates`, whose rows and columns it removes. The initial state is a uniform strain, which is
an equilibrium of this element.
"""

from __future__ import annotations

import time

import numpy as np

from flexmb.validation.performance.peer_exudyn import straight_cable


def cable_frequencies(
    elements: int, count: int, *, length: float, EA: float, EI: float, rhoA: float, strain: float
) -> tuple[np.ndarray, float]:
    """The first circular frequencies (count,) [rad/s] of a cable stretched by a strain, and seconds of the solver,
    without building the model."""
    exu, system, _ = straight_cable(length, elements, rhoA=rhoA, EA=EA, EI=EI)
    system.Assemble()
    stretched = np.zeros((elements + 1, 4))  # displacements from the unstretched cable
    stretched[:, 0] = strain * np.linspace(0.0, length, elements + 1)
    stretched[:, 2] = strain
    system.systemData.SetODE2Coordinates(stretched.ravel().tolist(), configuration=exu.ConfigurationType.Initial)
    begun = time.perf_counter()
    values, _ = system.ComputeODE2Eigenvalues(
        useSparseSolver=True,
        numberOfEigenvalues=count,
        constrainedCoordinates=[0, 1, 4 * elements, 4 * elements + 1],
        useAbsoluteValues=False,
    )
    seconds = time.perf_counter() - begun
    return np.sqrt(np.sort(np.asarray(values))[:count]), seconds
