"""Joint coordinates of a tree as independent ones: all of them are, and nothing depends on them but the bodies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.errors import SolverError
from flexmb.model.ways import FREE, POSITIONS, SLIDE, SPEEDS
from flexmb.solvers.independent.carried import Carried
from flexmb.solvers.independent.closing import Closing, PartlyFree
from flexmb.solvers.independent.partition import Partition
from flexmb.solvers.independent.square import Square
from flexmb.solvers.joint_motion.carried import stand_on
from flexmb.solvers.joint_motion.motion import JointMotion, refuse_rows, sizes
from flexmb.solvers.right_hand_side import RightHandSide
from flexmb.solvers.run import Run


class OfJoints(Partition):
    """In place of a partition, for the joint coordinates of the tree in the equations `f` of a run. In messages each is
    stood for by a coordinate of the system, of the link that its joint carries."""

    def __init__(self, run: Run, f: RightHandSide, names: Sequence[str] | None) -> None:
        system, self.joints = run.system, f.coordinates.joints
        where = f"simulate model {system.model.name!r}, method {run.statistics.method!r}"
        if names is not None:
            raise SolverError(
                f"{where}: coordinates and formulation are both given; all joint coordinates are independent"
            )
        refuse_rows(system, self.joints, run.statistics.method)
        self.system, self.weights = system, np.ones(system.n)
        whole = np.zeros((0, 2), dtype=np.int64)
        of_x, _ = sizes(self.joints, system.length_scale)
        positions, speeds = _stands_for(self.joints)
        none = np.zeros(0, dtype=np.int64)
        chart = PartlyFree(whole, run.q.copy(), np.zeros(system.n), np.zeros((0, 9)))
        self.carried: Carried = Carried(
            positions, none, len(positions), whole, chart, np.ones(0), of_x, np.zeros(system.nq), np.zeros(system.n)
        )
        self.dependent = self.dependent_speeds = none
        self.independent = self.independent_speeds = speeds
        nothing = Square.of(system, none, none)
        self.closing: Closing = Closing.of(system, nothing, nothing, chart)
        self.quality, self.stretch = [0.0], np.inf

    def start(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The numbers x of a state of the system."""
        stand_on(self.joints, q, v)
        return np.concatenate([self.joints.x, self.joints.u])

    def is_worn(self, of_positions: float, of_speeds: float, stretch: float) -> bool:
        """Never."""
        return False


def _stands_for(j: JointMotion) -> tuple[np.ndarray, np.ndarray]:
    """For each joint coordinate and each speed the number of a coordinate of the system that is measured as it is."""
    x, u = np.zeros(j.links.nq, dtype=np.int64), np.zeros(j.links.nv, dtype=np.int64)
    for k in range(len(j.links.parent)):
        place, turn = j.nodes.numbers_v[k, 0], j.nodes.numbers_v[k, -1]
        for s in range(j.links.first[k], j.links.first[k + 1]):
            kind, at_x, at_u = int(j.links.kind[s]), j.links.at_q[s], j.links.at_v[s]
            x[at_x : at_x + POSITIONS[kind]] = u[at_u : at_u + SPEEDS[kind]] = turn
            lengths = 1 if kind == SLIDE else 3 if kind == FREE else 0
            x[at_x : at_x + lengths] = u[at_u : at_u + lengths] = place
    return x, u
