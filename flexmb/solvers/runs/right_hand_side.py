"""The index-1 form as an ordinary differential equation  ẏ = f(t, y)  for methods written in Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import SolverError
from flexmb.formulations.kinds import Hybrid
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels import charts
from flexmb.solvers.coordinates.coordinates import (
    ANGLES,
    JOINTS,
    QUATERNIONS,
    Coordinates,
    carry,
    changes,
    coordinates_for,
    read,
    slopes,
)
from flexmb.solvers.coordinates.joints.joint_motion import sizes as sizes_of_joints
from flexmb.solvers.coordinates.joints.joint_rates import joint_forces, joint_rates
from flexmb.solvers.coordinates.joints.joint_state import put_accelerations, stand_on
from flexmb.solvers.rows.index_one import norm, project
from flexmb.solvers.rows.left_out import RowsFadeError, check_left_out
from flexmb.solvers.runs.by_paper import ByPaper, is_of_paper
from flexmb.solvers.runs.reasons import TimedState
from flexmb.solvers.runs.run import Run
from flexmb.solvers.runs.singular_angles import singular, singular_message
from flexmb.solvers.statuses import CONTRADICT, FADE, OK
from flexmb.system.accelerations import AccelerationsIn, with_room, work_for
from flexmb.system.system import System


class SingularPositionError(SolverError):
    """The constraint Jacobian loses rank during the motion."""


class SingularAnglesError(SingularPositionError):
    """Euler angles reach a position where they are not determined."""


class Accelerations:
    """f(t, y), and the state at which it was last evaluated: q, v (total,) with a and λ. Also projects states onto the
    constraints. y are positions and speeds in the given `coordinates` (:mod:`flexmb.solvers.coordinates.coordinates`),
    (q, v) by default."""

    def __init__(
        self, system: System, alpha: float = 0.0, beta: float = 0.0, coordinates: Coordinates | None = None
    ) -> None:
        self.system = system
        #: the classical formulation that gives the rates of joint speeds, None for compiled ones
        self.paper: ByPaper | None = None
        self.alpha, self.beta = alpha, beta
        self.coordinates = coordinates or coordinates_for(None)
        self._x, self._u, self._dx, self._du = np.zeros((4, system.nq))
        used: Any = slice(system.nq)
        if self.coordinates.kind == ANGLES:
            used = np.delete(np.arange(system.nq), system.orientations[:, 1])
        #: indices of the entries of x, and of u, that y contains, and number of those of x
        self.used, self.used_rates = used, used
        self._count = len(self._x[used])
        joints = self.coordinates.joints
        if self.coordinates.kind == JOINTS:
            self._count = joints.links.joints.nq
            self.used, self.used_rates = slice(self._count), slice(joints.links.joints.nv)
        #: whether a formulation yields accelerations, and no constraint is left to satisfy
        self.holds = self.coordinates.kind == JOINTS and joints.rows.closed == 0
        #: whether joint coordinates have to satisfy rows beyond those of the tree
        self.meets = self.coordinates.kind == JOINTS and joints.rows.meets == 1
        self.q, (self.v, self.a) = system.initial.copy(), np.zeros((2, system.plan.total))
        self.lam = np.zeros(system.m)
        self.work = work_for(system.plan)
        motion = self.q, self.v, self.a, self.lam
        self._accelerations = AccelerationsIn(system, *motion, self.work, float(alpha), float(beta))
        self.evaluations = 0
        #: last finite state whose accelerations are not finite
        self.suspect: TimedState | None = None
        self._trying = False
        #: why the last trial step was not possible
        self.trouble: SingularPositionError | None = None

    def trial(self, t: float, y: np.ndarray) -> np.ndarray:
        """f(t, y) in a trial step; NaN where it is not determined, upon which every method takes a shorter step."""
        self._trying = True
        try:
            return self(t, y)
        except SingularPositionError as error:
            self.trouble = error
            return np.full_like(y, np.nan)
        finally:
            self._trying = False

    def __call__(self, t: float, y: np.ndarray) -> np.ndarray:
        """ẏ = f(t, y)."""
        self._put(y)
        self._accelerate_here(t)
        system, carried = self.system, self.coordinates
        if carried.kind == QUATERNIONS:  # as below, without copies
            out = np.empty(len(y))
            charts.rates(system.orientations, system.n, np.ascontiguousarray(y), self.v, out)
            out[system.nq :] = self.a[: system.n]
            return out
        given = (self._x, self._u, self.v, self.a, self.alpha, self.beta)
        slopes(carried, system.orientations, system.n, *given, self._dx, self._du)
        return self._joined(self._dx, self._du)

    def _put(self, y: np.ndarray) -> None:
        """Compute the state q, v of y."""
        system, carried = self.system, self.coordinates
        if carried.kind == QUATERNIONS:  # as below, without copies
            self.q[: system.nq], self.v[: system.n] = y[: system.nq], y[system.nq :]
            if len(system.orientations):
                charts.normalize(system.orientations, self.q)
            return
        self._x[self.used], self._u[self.used_rates] = y[: self._count], y[self._count :]
        lost = singular(carried, system.orientations, self._x)
        if lost >= 0:
            raise SingularAnglesError(singular_message(system, carried, lost, self.q[: system.nq]))
        read(carried, system.orientations, system.n, self._x, self._u, self.q, self.v)

    def _joined(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        return np.concatenate([x[self.used], u[self.used_rates]])

    def carried(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """y for a state q (nq,), v (n,)."""
        if self.coordinates.kind == QUATERNIONS:
            return np.concatenate([q, v])
        x, u = self._x.copy(), np.zeros(self.system.nq)
        carry(self.coordinates, self.system.orientations, self.system.n, q, v, x, u)
        return self._joined(x, u)

    def sizes(self) -> np.ndarray:
        """Scales of the entries of y, in units of the model."""
        if self.coordinates.kind == JOINTS:
            return np.concatenate(sizes_of_joints(self.coordinates.joints, self.system.length_scale))
        scale, scalars = self.system.scale, np.ones(self.system.nq - self.system.n)
        sizes = np.concatenate([scale, scalars])
        return np.append(sizes, scale) if self.coordinates.kind == QUATERNIONS else self._joined(sizes, sizes)

    @property
    def places(self) -> int:
        """Number of the entries of y that are positions; the others are speeds."""
        return self.system.nq if self.coordinates.kind == QUATERNIONS else self._count

    def names(self) -> list[str]:
        """Names of the entries of y."""
        if self.coordinates.kind == JOINTS:
            tree = Tree.of(self.system, euler_angles=self.coordinates.sequence or None)
            loose = [self.system.names[k] for k in self.coordinates.joints.followers.loose]
            return [*tree.coordinate_names, *loose, *(f"{name} rate" for name in (*tree.names, *loose))]
        names = self.system.coordinate_names
        if self.coordinates.kind == QUATERNIONS:
            return [*names, *self.system.names]
        places = np.array(names)[self.used].tolist()
        return [*places, *(f"{name} rate" for name in places)]

    def motion(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q (nq,) and v (n,) for y."""
        self._put(y)
        return self.q[: self.system.nq].copy(), self.v[: self.system.n].copy()

    def small_changes(self, dy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The displacement (n,) of the position and the change (n,) of the speeds for a small change dy of the present
        state."""
        system, four = self.system, self.coordinates.kind == QUATERNIONS
        (dx, du), (move, change) = np.zeros((2, system.nq)), np.zeros((2, system.n))
        if four:
            dx[:], du[: system.n] = dy[: system.nq], dy[system.nq :]
        else:
            dx[self.used], du[self.used_rates] = dy[: self._count], dy[self._count :]
        x, u = (self.q, self.v) if four else (self._x, self._u)
        changes(self.coordinates, system.orientations, system.n, x, u, self.q, dx, du, move, change)
        return move, change

    def state(self) -> np.ndarray:
        """y for the present state."""
        return self.carried(self.q[: self.system.nq], self.v[: self.system.n])

    def rates(self) -> np.ndarray:
        """q̇ (nq,) at the present state."""
        system = self.system
        if not len(system.orientations):
            return self.v[: system.n].copy()
        out = np.empty(system.nq)
        charts.rates(system.orientations, system.n, self.q, self.v, out)
        return out

    def second_rates(self) -> np.ndarray:
        """q̈ (nq,) at the present state; for orientations ½ q ∘ α + ½ q̇ ∘ ω."""
        system = self.system
        out, of_rates = np.empty((2, system.nq))
        charts.rates(system.orientations, system.n, self.q, self.a, out)
        charts.rates(system.orientations, system.n, np.append(self.rates(), self.q[system.nq :]), self.v, of_rates)
        turning = np.unique(np.concatenate([system.orientations[:, :1] + np.arange(3), system.orientations[:, 1:]], 1))
        out[turning] += of_rates[turning]
        return out

    def accelerate(self, t: float) -> None:
        """Fill `a` and `lam` for the state in `q` and `v`."""
        if self.coordinates.kind == JOINTS:
            stand_on(self.coordinates.joints, self.q, self.v)
        self._accelerate_here(t)

    def _accelerate_here(self, t: float) -> None:
        """Fill `a` and `lam`, with joint coordinates, if they are used, already set."""
        if self.coordinates.kind == JOINTS:
            self._by_formulation(t)
        else:
            self._by_system(t)

    def _by_formulation(self, t: float) -> None:
        """Compute the accelerations by the formulation in joint coordinates."""
        self.evaluations += 1
        j, system = self.coordinates.joints, self.system
        given = (system.scratch, t, self.q, self.v, self.alpha, self.beta)
        status = joint_rates(j, *given) if self.paper is None else self.paper.rates(*given)
        if status == 0 and self._trying:
            return  # a trial step needs the rates of joint speeds only
        if status == 0 and (self.paper is not None or not self.holds):
            self._by_system(t)
            if self.paper is not None:
                self.paper.compare(t, self.a, self.v)
            return
        if status == 0:
            put_accelerations(j, self.a)
            if system.m:
                status = joint_forces(j, system.plan, system.scratch, t, self.q, self.v, self.a, self.lam)
        if status != 0:
            if np.isfinite(self.q).all() and np.isfinite(self.v).all():
                self.suspect = (t, self.q.copy(), self.v.copy(), np.zeros_like(self.a))
            raise SingularPositionError(
                f"at t = {t:g} s {self.paper.why}"
                if self.paper is not None
                else f"the mechanism may move without inertia at t = {t:g} s, or its joints jam: accelerations are not "
                "determined"
            )
        if not np.isfinite(self.a).all():
            self.lam[:] = 0.0

    def _by_system(self, t: float) -> None:
        self.evaluations += 1
        status = self._accelerations(t)
        if status != OK or not np.isfinite(self.a).all():
            if np.isfinite(self.q).all() and np.isfinite(self.v).all():
                self.suspect = (t, self.q.copy(), self.v.copy(), np.zeros_like(self.a))
            self.lam[:] = 0.0  # the next evaluation starts from these multipliers
        if status != OK:
            raise SingularPositionError(
                f"the constraints lose rank at t = {t:g} s (a singular position): accelerations are not determined"
            )

    def project(
        self, t: float, y: np.ndarray, tolerance: float = 1e-12, sweeps: int = 10
    ) -> tuple[np.ndarray, float, float]:
        """y projected onto g = 0 and ġ = 0, the remaining error of positions, and that of speeds; positions take at
        most `sweeps` corrections."""
        system = self.system
        self._put(y)
        args = (self.q, self.v, self.lam, system.row_scale, self.work, tolerance, sweeps, True)
        status, left, rate = with_room(system, project, t, *args)
        if status != OK:
            raise SingularPositionError(f"the constraints lose rank at t = {t:g} s (a singular position)")
        return self.state(), left, rate

    def drift(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        """Largest |g| and |ġ| of a state, in units of the model."""
        system = self.system
        if system.m == 0:
            return 0.0, 0.0
        g, gd, _ = system.constraint(t, q[: system.nq], v[: system.n])
        return float(norm(g, system.row_scale, system.m)), float(norm(gd, system.row_scale, system.m))


class RightHandSide(Accelerations):
    """The accelerations of a run, and methods that make the evaluated state a step of the run."""

    def __init__(
        self,
        run: Run,
        alpha: float = 0.0,
        beta: float = 0.0,
        coordinates: Coordinates | None = None,
        formulation: str | Hybrid | None = None,
    ) -> None:
        super().__init__(run.system, alpha, beta, coordinates)
        self.run = run
        if is_of_paper(formulation):
            self.paper = ByPaper(run, self.coordinates, str(formulation))
        self.q[:], self.lam[:] = run.q, run.lam

    def _accelerate_here(self, t: float) -> None:
        try:
            super()._accelerate_here(t)
        finally:
            self.run.suspect = self.suspect or self.run.suspect

    def step_to(self, t: float) -> None:
        """Make the present state, which was evaluated last, the next step of the run; raises a :class:`RowsFadeError`
        if the following steps need other constraint rows."""
        run = self.run
        found = OK
        if self.system.left_out:
            drift, _ = self.drift(t, self.q, self.v)
            system = self.system
            args = (self.q, self.v, system.scale, system.row_scale, drift)
            found = check_left_out(run.left_out, system.plan, system.scratch, system.linear, t, *args)
        if found == CONTRADICT:
            raise RowsFadeError(CONTRADICT)
        run.t = t
        run.q[:], run.v[:], run.a[:], run.lam[:] = self.q, self.v, self.a, self.lam
        run.history.append(t, self.q, self.v, self.a, self.lam)
        run.report.statistics.steps += 1
        if found == FADE:
            raise RowsFadeError(FADE)

    def note_drift(self) -> None:
        """Record the drift of the present state in the statistics."""
        self.note(*self.drift(self.run.t, self.q, self.v))

    def note(self, drift: float, rate: float) -> None:
        """Record a drift in the statistics."""
        statistics = self.run.report.statistics
        statistics.position_drift = max(statistics.position_drift, drift)
        statistics.velocity_drift = max(statistics.velocity_drift, rate)
