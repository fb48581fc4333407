"""Natural frequencies of a taut cable in Exudyn: its eigenvalue solver on its ANCF cable, hinged at both ends.

Exudyn writes mass and stiffness matrices in dense form and hands them to SciPy: `eigsh` with `useSparseSolver`, `eigh`
without it. The hinges are `constrainedCoordinates`, whose rows and columns it removes. The initial state is a uniform
strain, which is an equilibrium of this element.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from flexmb.errors import MissingExtraError


def cable_frequencies(
    elements: int, count: int, *, length: float, EA: float, EI: float, rhoA: float, strain: float, sparse: bool = True
) -> tuple[np.ndarray, float]:
    """The first circular frequencies (count,) [rad/s] of a cable stretched by a strain, and seconds of the solver,
    without building the model."""
    try:
        import exudyn as exu
    except ImportError as error:
        message = "this benchmark compares with Exudyn; install the peers extra: pip install flexmb[peers]"
        raise MissingExtraError(message) from error
    from exudyn.beams import GenerateStraightLineANCFCable2D
    from exudyn.utilities import Cable2D

    mbs: Any = exu.SystemContainer().AddSystem()
    cable = Cable2D(physicsMassPerLength=rhoA, physicsBendingStiffness=EI, physicsAxialStiffness=EA)
    GenerateStraightLineANCFCable2D(
        mbs,
        positionOfNode0=[0, 0, 0],
        positionOfNode1=[length, 0, 0],
        numberOfElements=elements,
        cableTemplate=cable,
        massProportionalLoad=[0, 0, 0],
    )
    mbs.Assemble()
    stretched = np.zeros((elements + 1, 4))  # displacements from the unstretched cable
    stretched[:, 0] = strain * np.linspace(0.0, length, elements + 1)
    stretched[:, 2] = strain
    mbs.systemData.SetODE2Coordinates(stretched.ravel().tolist(), configuration=exu.ConfigurationType.Initial)
    begun = time.perf_counter()
    values, _ = mbs.ComputeODE2Eigenvalues(
        useSparseSolver=sparse,
        numberOfEigenvalues=count,
        constrainedCoordinates=[0, 1, 4 * elements, 4 * elements + 1],
        useAbsoluteValues=False,
    )
    seconds = time.perf_counter() - begun
    return np.sqrt(np.sort(np.asarray(values))[:count]), seconds
