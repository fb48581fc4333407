"""Steps of explicit methods, repeated to obtain the states within them.

A method of eighth order makes steps so long that no polynomial through positions, speeds and accelerations at their
ends is as accurate as the steps. Repeating the step from the state at its start gives the states within it, by the
continuous extension of the method, at the cost of its stages and without any stored data. Over one step the error of
the extension is some ten times that of the step (for DOP853 it is of seventh order, with an error of eighth order in a
step, whereas that of the step is of ninth); with two half steps instead, it is less than a thirtieth of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmb.algebra.precision import SUMMED_ROUNDING
from flexmb.forces.callbacks import raise_failures
from flexmb.formulations.kinds import Hybrid
from flexmb.results.between_steps.nodes import MOST_PANELS, States, at_nodes, node_times, quaternions_of, unresolved
from flexmb.results.signals import ControlLog, held_commands
from flexmb.solvers.coordinates.coordinates import coordinates_for, joint_coordinates
from flexmb.solvers.events.kinks import behind_kink, next_kink
from flexmb.solvers.runs.right_hand_side import Accelerations, SingularPositionError
from flexmb.system.sticking import sticking_places
from flexmb.system.system import System

#: A repeated step may end this many tolerances away from where it ended in the run.
ENDS_MEET = 1000.0
#: Most steps of the solver for one repeated step: it takes two, and near a singular position as many as allowed.
MOST_STEPS = 50
#: So many numbers of repeated steps are kept (32 MB), before all are forgotten.
MOST_NUMBERS = 4_000_000
#: The last coefficients of the polynomials through nodes may be this part of the tolerance, or round-off of the size.
RESOLVED = 0.1


class StepsAgain:
    """Repeats steps of an explicit method of SciPy, see :class:`flexmb.results.between_steps.nodes.StepAgain`. It has
    its own arrays, so that it may be called while a run is in progress."""

    def __init__(
        self,
        method: Any,
        rtol: float,
        atol: float,
        alpha: float,
        beta: float,
        project: bool,
        rotations: str | None = None,
        formulation: str | Hybrid | None = None,
    ) -> None:
        """`method`: a class of SciPy; `atol`: in units of the scales of the state; `alpha`, `beta` [1/s]: those of
        Baumgarte; `project`: whether states are projected onto the constraints; `rotations`, `formulation`: the
        coordinates of the state, as in the options of these names."""
        self.method, self.rtol, self.atol = method, rtol, atol
        self.rotations, self.formulation = rotations, formulation
        self.alpha, self.beta, self.project = alpha, beta, project
        #: commands of the controllers, which are held again in repeated steps
        self.logs: Sequence[ControlLog] = ()
        #: the states inside of steps that have been repeated, by times and start, and how many numbers these are: a
        #: page, a picture and a file all ask for the same
        self._known: dict[tuple[bytes, ...], States] = {}
        self._numbers = 0
        self._since: list[tuple[float, System]] = []
        self._kinks = np.zeros(0)
        self._latest: Accelerations | None = None
        self._latest_of: System | None = None

    def use(self, t: float, system: System, kinks: np.ndarray) -> None:
        """Record that from time t on the run used this system, and that steps ended next to these kinks."""
        if len(kinks):
            self._kinks = np.union1d(self._kinks, kinks)
        self._since.append((t, system))
        self._latest = None

    def __call__(self, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> States | None:
        key = t.tobytes(), q[0].tobytes(), v[0].tobytes()
        if (known := self._known.get(key)) is None and (known := self._again(t, q, v)) is not None:
            size = sum(x.size for x in known)
            if self._numbers + size > MOST_NUMBERS:
                self._known, self._numbers = {}, 0
            self._known[key], self._numbers = known, self._numbers + size
        return known

    def _again(self, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> States | None:
        f = self._accelerations(float(t[0]))
        if sticking_places(f.system.assembly, f.system.plan):  # which joints stuck then is not known any more
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
        """Whether the polynomials through the nodes represent positions and speeds to the tolerance."""
        n, allowed = system.n, max(RESOLVED * max(self.rtol, self.atol), SUMMED_ROUNDING)
        positions = at_nodes(q, inner.q, quaternions_of(system.orientations))[:, :n]
        for values, size in ((positions, system.scale), (at_nodes(v, inner.v), system.scale / np.ptp(t))):
            if np.any(unresolved(values) > allowed * np.maximum(size, np.max(np.abs(values), axis=0))):
                return False
        return True

    def _accelerations(self, t: float) -> Accelerations:
        """The accelerations with the constraint rows that were in use in the step from t."""
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
        stop = float(next_kink(self._kinks, begun, float(t[1])))
        half = 0.5 * (stop - begun)
        atol = self.atol * f.sizes()
        options = {"first_step": half, "max_step": half, "rtol": self.rtol, "atol": atol}
        solver = self.method(f.trial, begun, f.carried(q[0], v[0]), stop, **options)
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
