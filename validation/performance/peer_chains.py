"""The chains of bricks in Exudyn: rigid bodies in spherical joints, by its implicit generalized-α with modified
Newton's method on sparse matrices, and the residual as the criterion. Of 10 and of 100 bricks, dense matrices, full
Newton's method and increments as the criterion took longer for ends as near; a tolerance of 1e-2 leaves more than
1e-4 m there, and fails for 1000."""

from __future__ import annotations

import time
from itertools import product
from typing import Any

import numpy as np

from flexmb.validation.performance.peer_exudyn import dynamic_settings, exudyn

#: kinds of nodes and tolerances of Newton's method, one pair of which is the fastest for each length
SETTINGS = tuple(product(("RotationEulerParameters", "RotationRotationVector"), (1e-3, 1e-4)))


def chain(
    count: int,
    brick: tuple[float, float, float],
    density: float,
    gravity: tuple[float, float, float],
    t_end: float,
    steps: int,
    *,
    node: str,
    tolerance: float,
) -> tuple[np.ndarray, float]:
    """The far end (3,) [m] of the chain at the end, and the processor time [s] of Exudyn's solver alone."""
    exu = exudyn()
    from exudyn.utilities import InertiaCuboid, MarkerBodyRigid, ObjectGround, SphericalJoint

    system = exu.SystemContainer().AddSystem()
    length = brick[0]
    inertia = InertiaCuboid(density=density, sideLengths=list(brick))
    ground = system.AddObject(ObjectGround())
    marker = system.AddMarker(MarkerBodyRigid(bodyNumber=ground, localPosition=[0, 0, 0]))
    body: Any = None
    for k in range(count):
        body = system.CreateRigidBody(
            inertia=inertia,
            nodeType=getattr(exu.NodeType, node),
            referencePosition=[(k + 0.5) * length, 0, 0],
            gravity=list(gravity),
            returnDict=True,
            show=False,
        )
        left, right = (
            system.AddMarker(MarkerBodyRigid(bodyNumber=body["bodyNumber"], localPosition=[s * length, 0, 0]))
            for s in (-0.5, 0.5)
        )
        system.AddObject(SphericalJoint(markerNumbers=[marker, left]))
        marker = right
    system.Assemble()
    settings = dynamic_settings(exu, steps, t_end, "modified", tolerance, "residual", "EigenSparse")
    begun = time.process_time()
    system.SolveDynamic(settings)
    seconds = time.process_time() - begun
    kind = exu.OutputVariableType.Position
    end = system.GetObjectOutputBody(body["bodyNumber"], kind, localPosition=[0.5 * length, 0, 0])
    return np.asarray(end), seconds
