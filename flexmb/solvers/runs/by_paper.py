"""Runs by classical formulations: the equations of a paper, in NumPy, give the rates of joint speeds.

A paper's accelerations cost milliseconds; everything around them is as in other joint coordinates. At the ends of steps
the accelerations of all coordinates and the joint forces come from the components, as always, so that results and
events read the same quantities whatever the formulation. How far the paper's accelerations are from these is kept in
the report of the run.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.errors import FormulationError
from flexmb.formulations.kinds import Hybrid
from flexmb.formulations.papers import NAMES
from flexmb.formulations.tree.tree import Tree
from flexmb.machine.late_names import Choice
from flexmb.solvers.coordinates.coordinates import Coordinates
from flexmb.solvers.coordinates.joints.joint_forces import loose_rates
from flexmb.solvers.coordinates.joints.joint_state import put_accelerations
from flexmb.solvers.runs.run import Run
from flexmb.solvers.statuses import OK

if TYPE_CHECKING:
    from flexmb.formulations.classical_formulation import ClassicalFormulation

#: The formulations of papers, which few runs need.
_NEEDED = Choice({"papers": "flexmb.formulations.classical_formulation:ClassicalFormulation"})
#: The formulation whose joint coordinates, and further rows, serve a run by a classical one.
CARRIES = "aba"
#: Number of evaluations after which the length of a run is foretold, and the length [s] from which it is printed.
MEASURED, LONG = 20, 60.0
#: Steps still grow if the next one is this many times as long as the last.
GROWING = 2.0
#: Status of an evaluation whose equations have no solution.
NOT_DETERMINED = 1


def is_of_paper(formulation: str | Hybrid | None) -> bool:
    """Whether a formulation is a classical one, of a paper, in NumPy."""
    return isinstance(formulation, str) and formulation in NAMES


class ByPaper:
    """A classical formulation, by its `name`, in the joint coordinates of a run."""

    def __init__(self, run: Run, coordinates: Coordinates, name: str) -> None:
        self.run, self.name, self.joints = run, name, coordinates.joints
        tree = Tree.of(run.system, euler_angles=coordinates.sequence or None)
        self.formulation: ClassicalFormulation = _NEEDED["papers"](tree, name)
        self.evaluations, self.seconds, self._foretold = 0, 0.0, False
        #: why the last evaluation had no solution, in the words of the formulation
        self.why = ""
        self._a = np.zeros(run.system.plan.total)

    def rates(self, scratch: Any, t: float, q: np.ndarray, v: np.ndarray, alpha: float, beta: float) -> int:
        """Fill the rates of the joint speeds at the joint coordinates, to which q and v of the system belong; returns
        OK, or NOT_DETERMINED. `alpha`, `beta` [1/s]: coefficients of Baumgarte's stabilization."""
        begun = time.perf_counter()
        of, j = self.joints.formulation, self.joints
        self.formulation.stabilize = (2.0 * alpha, beta * beta)
        self.evaluations += 1
        try:
            of.ud[:] = self.formulation(of.x, of.u, t=t)
        except FormulationError as error:
            self.why = str(error)
            return NOT_DETERMINED
        finally:
            self.seconds += time.perf_counter() - begun
        if len(j.followers.loose):
            loose_rates(j, scratch, t, q, v, alpha, beta)
        return OK

    def compare(self, t: float, a: np.ndarray, v: np.ndarray) -> None:
        """Note how far the accelerations of the paper are from a, those of the components in the same state with
        speeds v: as a part of the largest so far, in units of the model."""
        put_accelerations(self.joints, self._a)
        system, report = self.run.system, self.run.report
        n, scale, span = system.n, system.scale, self.run.t_end - self.run.t_start
        fastest = float(np.max(np.abs(v[:n]) / scale, initial=0.0))
        largest = float(np.max(np.abs(a[:n]) / scale, initial=0.0))
        report.largest_acceleration = max(largest, fastest**2, report.largest_acceleration, 1.0 / span**2)
        apart = np.max(np.abs(self._a[:n] - a[:n]) / scale, initial=0.0) / report.largest_acceleration
        if apart > report.apart[0]:
            report.apart = float(apart), t

    def foretell(self, evaluations: int, last: float, step: float) -> None:
        """Print how long the run will take if that is long, as soon as that can be told: when the steps, which begin
        tiny, have stopped growing from the `last` size [s] to the next, `step` [s]. Each takes so many
        `evaluations`."""
        if self._foretold or self.evaluations < MEASURED or not 0.0 < step < GROWING * last:
            return
        self._foretold, run = True, self.run
        each = self.seconds / self.evaluations
        seconds = each * evaluations * (run.t_end - run.t) / step
        if seconds > LONG and run.report.progress:
            print(
                f"simulate model {run.system.model.name!r}: formulation {self.name!r} takes {1e3 * each:.2g} ms an "
                f"evaluation, and this run about {seconds:.2g} s in steps of {step:.2g} s; compiled formulations, such "
                f"as {CARRIES!r}, take a fraction of that",
                file=sys.stderr,
            )
