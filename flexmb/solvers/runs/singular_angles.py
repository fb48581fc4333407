"""The coordinates of a run for its options, and singular positions of Euler angles: their detection and messages."""

from __future__ import annotations

import numpy as np

from flexmb.errors import SolverError
from flexmb.formulations.kinds import Hybrid
from flexmb.formulations.tree.graph import GROUND
from flexmb.formulations.tree.tree import Tree
from flexmb.formulations.tree.turns import beyond_parallel
from flexmb.kernels.compilation import called
from flexmb.kernels.euler_angles import angles_of, distance_from_singular, quaternion_of_angles
from flexmb.model.ways import TURN
from flexmb.solvers.coordinates.coordinates import ANGLES, JOINTS, Coordinates, carry, coordinates_for
from flexmb.solvers.coordinates.joints.joint_motion import NEAREST
from flexmb.solvers.coordinates.joints.joint_state import stand_on
from flexmb.solvers.runs.by_paper import CARRIES, is_of_paper
from flexmb.solvers.runs.run import Run
from flexmb.system.system import System


def coordinates_of(run: Run, rotations: str | None, formulation: str | Hybrid | None = None) -> Coordinates:
    """The coordinates of a run for the options `rotations` and `formulation`; raises a SolverError if they do not suit
    its model or its start."""
    system, where = run.system, f"simulate model {run.system.model.name!r}"
    if rotations and system.model.dimension == 2:
        raise SolverError(f"{where}: rotations is for models in space; in the plane an angle says how a body is turned")
    if formulation is None:
        coordinates = coordinates_for(rotations)
    elif rotations == "euler_parameters":
        raise SolverError(
            f"{where}: rotations is 'euler_parameters', and in joint coordinates turns about a point are unit "
            "quaternions, which are Euler parameters; leave rotations out, or give Euler angles, such as "
            "'euler_angles:ZYX'"
        )
    else:
        carrying = CARRIES if is_of_paper(formulation) else formulation
        coordinates = run.motions.coordinates(system, carrying, rotations)
        if len(coordinates.joints.rubbing.lam):  # iterations for friction start from known forces
            coordinates.joints.rubbing.lam[:] = run.lam
    if coordinates.sequence and run.history.entered < 2:
        (x, u), q = np.zeros((2, max(system.nq, coordinates.joints.links.joints.nq))), system.full_q(run.q[: system.nq])
        carry(coordinates, system.orientations, system.n, q, system.full(run.v[: system.n]), x, u)
        lost = singular(coordinates, system.orientations, x)
        if lost >= 0:
            raise SolverError(f"{where}: at the start {singular_message(system, coordinates, lost, q)}")
    return coordinates


def refuse_rotations(run: Run, rotations: str | None) -> None:
    """Raise an error if `rotations` is given for a method that supports it in joint coordinates only, in a run without
    these."""
    if rotations:
        method = run.report.statistics.method
        raise SolverError(
            f"simulate model {run.system.model.name!r}: in absolute coordinates method {method!r} knows no rotations; "
            "give a formulation, in whose joint coordinates it does, or take method 'dop853', 'rkf45', 'projection' or "
            "'baumgarte', or leave rotations out"
        )


@called(int)
def singular(coordinates, orientations, x):
    """Index of the first orientation, or of the first link whose joint has Euler angles, that is at a singular position
    of its Euler angles or beyond it; −1 if there is none."""
    if coordinates.kind == ANGLES:
        axes = coordinates.axes[0], coordinates.axes[1], coordinates.axes[2]
        for k in range(orientations.shape[0]):
            i = orientations[k, 0]
            s = distance_from_singular(axes, (x[i], x[i + 1], x[i + 2]))
            if not coordinates.sign * s >= NEAREST:
                return k
    if coordinates.kind == JOINTS:
        return beyond_parallel(coordinates.joints.links.joints, coordinates.joints.last.side, x, NEAREST)
    return -1


def singular_message(system: System, coordinates: Coordinates, number: int, q: np.ndarray) -> str:
    """Message that Euler angles reach a singular position; `number` is the index from :func:`singular`, and the first
    nq entries of q are the last position before it."""
    axes = tuple(coordinates.axes.tolist())
    if coordinates.kind == JOINTS:
        tree, angles = Tree.of(system), _angles_of_joints(system, coordinates, q)
        joint = tree.graph.joints[number]
        base = joint.a == GROUND and joint.component is None
        whose = repr(tree.links[number]) if base else f"joint {joint.name!r}"
        every, middle = [quaternion_of_angles(axes, three) for three in angles.values()], angles[number][1]
    else:
        every = [tuple(q[[scalar, first, first + 1, first + 2]]) for first, scalar in system.orientations.tolist()]
        whose = repr(system.names[system.orientations[number, 0]].rpartition(".")[0])
        middle = angles_of(axes, every[number])[1]
    return (
        f"the Euler angles {coordinates.sequence!r} of {whose} are at a singular position: the middle one is "
        f"{middle:.4g} rad, the first and the last axis are parallel, and two angles are not determined; take another "
        f"sequence, such as rotations='euler_angles:{_best_sequence(every)}', or leave rotations out: the default has "
        "no such positions"
    )


def _angles_of_joints(system: System, coordinates: Coordinates, q: np.ndarray) -> dict[int, tuple[float, ...]]:
    """The Euler angles of joints in a position q of the system, by the indices of their links."""
    j, found = coordinates.joints, {}
    j.x[:] = np.nan_to_num(j.x)  # angles are found nearest to these, which may be from a failed trial
    stand_on(j, system.full_q(q[: system.nq]), np.zeros(system.plan.total))
    for k, (first, last) in enumerate(zip(j.links.joints.first[:-1], j.links.joints.first[1:])):
        turns = [s for s in range(first, last) if j.links.joints.kind[s] == TURN]
        if len(turns) == 3:
            found[k] = tuple(j.x[j.links.joints.at_q[turns]].tolist())
    return found


def _best_sequence(every: list[tuple[float, ...]]) -> str:
    """The sequence of Euler angles whose singular positions are farthest from all of these orientations."""

    def distance(axes: tuple[int, int, int]) -> float:
        return min(abs(distance_from_singular(axes, angles_of(axes, one))) for one in every)

    sequences = [(i, j, k) for i in range(3) for j in range(3) for k in range(3) if i != j != k]
    return "".join("XYZ"[axis] for axis in max(sequences, key=distance))
