"""Steps of explicit methods made again, for the states inside them.

A method of eighth order makes steps so long that no polynomial through positions, speeds and accelerations at their
ends is as accurate as they are. The step itself is: made again from the state at its start it has, at the cost of its
stages and of nothing that would have to be kept, the states inside it, by the method's own continuous form. In one step
its error is some ten times that of the step (of DOP853 the form is of seventh order, with an error of eighth order in a
step, that of the step is of ninth); two half steps, as they are made here, leave a part of that below one in thirty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmb.forces.callbacks import raise_failures
from flexmb.results.between_steps.nodes import MOST_PANELS, States, at_nodes, node_times, quaternions_of, unresolved
from flexmb.results.signals import ControlLog, held_commands
from flexmb.solvers.coordinates import coordinates_for, joint_coordinates
from flexmb.solvers.march.stops import behind_kink
from flexmb.solvers.scipy_methods.right_hand_side import Accelerations, SingularPositionError
from flexmb.system.sticking import sticking_places
from flexmb.system.system import System

#: A step that was made again may end this many tolerances from where it ended in the run.
ENDS_MEET = 1000.0
#: steps of the solver in one that is made again: it takes two, and near a singular position as many as one lets it
MOST_STEPS = 50
#: The last coefficients of the polynomials through nodes may be this part of the tolerance, or of the size as rounding.
RESOLVED, ROUNDING = 0.1, 1e-13


class StepsAgain:
    """Steps of an explicit method of SciPy, see :class:`flexmb.results.between_steps.nodes.StepAgain`. It computes with
    arrays of its own, so that it may be asked while a run goes on."""

    def __init__(
        self,
        method: Any,
        rtol: float,
        atol: float,
        alpha: float,
        beta: float,
        project: bool,
        rotations: str | None = None,
        formulation: str | None = None,
    ) -> None:
        """`method`: a class of SciPy; `atol` of what is carried, in units of its sizes; `alpha`, `beta` [1/s]:
        Baumgarte's; `project`: whether states are moved onto the constraints; `rotations`, `formulation`: what is
        carried, as the options of these names say."""
        self.method, self.rtol, self.atol = method, rtol, atol
        self.rotations, self.formulation = rotations, formulation
        self.alpha, self.beta, self.project = alpha, beta, project
        #: what controllers have commanded, which is held again in the steps
        self.logs: Sequence[ControlLog] = ()
        self._since: list[tuple[float, System]] = []
        self._kinks = np.zeros(0)
        self._latest: Accelerations | None = None
        self._latest_of: System | None = None

    def use(self, t: float, system: System, kinks: np.ndarray) -> None:
        """From this time on the run was one of this system; steps have ended beside kinks."""
        if len(kinks):
            self._kinks = np.union1d(self._kinks, kinks)
        self._since.append((t, system))
        self._latest = None

    def __call__(self, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> States | None:
        f = self._accelerations(float(t[0]))
        if sticking_places(f.system.assembly, f.system.plan):  # what stuck then and what slid is not known any more
            return None
        panels, p = 1, f.system.plan.p
        places, held = held_commands(self.logs, t[:1])
        commanded = p[places].copy()
        p[places] = held[0]
        try:
            while panels <= MOST_PANELS:
                found = self._made(f, t, q, v, node_times(t, panels))
                if found is None or self._resolved(f.system, t, q, v, found):
                    return found
                panels *= 2
            return None
        except (SingularPositionError, ValueError, ArithmeticError):
            return None
        finally:
            p[places] = commanded
            raise_failures(f.system.model.components.values())

    def _resolved(self, system: System, t: np.ndarray, q: np.ndarray, v: np.ndarray, inner: States) -> bool:
        """Whether positions and speeds are the polynomials through their nodes, to the tolerance."""
        n, allowed = system.n, max(RESOLVED * max(self.rtol, self.atol), ROUNDING)
        positions = at_nodes(q, inner.q, quaternions_of(system.orientations))[:, :n]
        for values, size in ((positions, system.scale), (at_nodes(v, inner.v), system.scale / np.ptp(t))):
            if np.any(unresolved(values) > allowed * np.maximum(size, np.max(np.abs(values), axis=0))):
                return False
        return True

    def _accelerations(self, t: float) -> Accelerations:
        """Those of the constraint rows that took part in the step from t."""
        number = max(k for k, (since, _) in enumerate(self._since) if k == 0 or since <= t)
        system = self._since[number][1]
        if self._latest is None or self._latest_of is not system:
            own = system.whole.with_rows(system.kept)
            carried = coordinates_for(self.rotations)
            if self.formulation is not None:
                carried = joint_coordinates(own, self.formulation, self.rotations)
            self._latest, self._latest_of = Accelerations(own, self.alpha, self.beta, carried), system
        return self._latest

    def _made(self, f: Accelerations, t: np.ndarray, q: np.ndarray, v: np.ndarray, times: np.ndarray) -> States | None:
        system, count, done = f.system, len(times), 0
        out = States(*(np.empty((count, width)) for width in (system.nq, system.n, system.n, system.m)))
        begun = behind_kink(self._kinks, float(t[0]), float(t[1]))
        half = 0.5 * float(t[1] - begun)
        atol = self.atol * f.sizes()
        options = {"first_step": half, "max_step": half, "rtol": self.rtol, "atol": atol}
        solver = self.method(f.trial, begun, f.carried(q[0], v[0]), t[1], **options)
        for _ in range(MOST_STEPS):
            if solver.status != "running":
                break
            solver.step()
            if solver.status == "failed" or not np.all(np.isfinite(solver.y)):
                return None
            last = done + int(np.searchsorted(times[done:], solver.t, side="right"))
            inside = solver.dense_output()(times[done:last]).T if last > done else ()
            for at, x in enumerate(inside, start=done):
                if self.project and system.m and not f.holds:
                    x, _, _ = f.project(times[at], x)
                f(max(times[at], begun), x)
                for row, value in zip(out, (f.q, f.v, f.a, f.lam)):
                    row[at] = value[: row.shape[1]]
            done = last
        f.motion(solver.y)  # angles at the end are those nearest to where it came
        end = f.carried(q[1], v[1])
        missed = np.abs(solver.y - end) / (atol + self.rtol * np.abs(end))
        if done < count or not np.max(missed) <= ENDS_MEET:
            return None
        return out._replace(multipliers=system.for_all_rows(out.multipliers))
