"""The arm of the batches by Exudyn 1.13 (Gerstmayr 2023): a kinematic tree, and many runs by its processes.

Exudyn builds and assembles each member in Python; its `ProcessParameterList` shares members among processes.
"""

from __future__ import annotations

import importlib
import resource
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmb.validation.performance.arm import GRAVITY, INERTIA, LENGTH, MASS, axis


def end_of_member(given: dict[str, Any]) -> list[float]:
    """The joint angles (joints,) at the end: Exudyn's function of a member, which is `given` by its start, angles and
    rates (2, joints), the name of the solver, the number of steps, and the end of the run [s]."""
    exu: Any = importlib.import_module("exudyn")
    items: Any = importlib.import_module("exudyn.utilities")
    x, u = given["start"]
    count = len(x)
    system = exu.SystemContainer().AddSystem()
    system.AddObject(items.ObjectGround())
    own = items.NodeGenericODE2(
        referenceCoordinates=[0] * count, initialCoordinates=list(x), initialCoordinates_t=list(u),
        numberOfODE2Coordinates=count,
    )  # fmt: skip
    node, kinds = system.AddNode(own), {"z": exu.JointType.RevoluteZ, "y": exu.JointType.RevoluteY}
    tree = items.ObjectKinematicTree(
        nodeNumber=node, jointTypes=[kinds[axis(k)] for k in range(count)], linkParents=list(range(-1, count - 1)),
        jointTransformations=exu.Matrix3DList([np.eye(3)] * count),
        jointOffsets=exu.Vector3DList([[0, 0, LENGTH if k else 0.0] for k in range(count)]),
        linkInertiasCOM=exu.Matrix3DList([np.diag(INERTIA)] * count),
        linkCOMs=exu.Vector3DList([np.array([0, 0, 0.5 * LENGTH])] * count), linkMasses=[MASS] * count,
        baseOffset=[0, 0, 0], gravity=list(GRAVITY),
    )  # fmt: skip
    system.AddObject(tree)
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = given["steps"], given["t_end"]
    settings.timeIntegration.verboseMode, settings.displayComputationTime = 0, False
    settings.solutionSettings.writeSolutionToFile = settings.solutionSettings.writeInitialValues = False
    settings.solutionSettings.sensorsWritePeriod = given["t_end"]
    system.SolveDynamic(settings, solverType=getattr(exu.DynamicSolverType, given["solver"]))
    return list(system.GetNodeOutput(node, exu.OutputVariableType.Coordinates))


def ends(
    starts: Sequence[tuple[np.ndarray, np.ndarray]], solver: str, steps: int, t_end: float, processes: int
) -> np.ndarray:
    """The joint angles (members, joints) at the end of all members, in so many processes; 1: in this one."""
    processing: Any = importlib.import_module("exudyn.processing")
    of = {"solver": solver, "steps": steps, "t_end": t_end}
    members = [{"start": start, "computationIndex": k, **of} for k, start in enumerate(starts)]
    several = {"useMultiProcessing": processes > 1, "numberOfThreads": processes}
    return np.array(processing.ProcessParameterList(end_of_member, members, showProgress=False, **several))


def processor_time() -> float:
    """Processor time [s] of this process, and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
