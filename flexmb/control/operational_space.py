"""Operational space: a frame of a chain follows a wanted motion, and what other joints do besides does not disturb it.

With the position x of the frame, ẋ = J q̇, the error e = x_d − x and the wanted acceleration a = ẍ_d + K_d ė + K_p e,
the torques are, by Khatib (1987), eqs. (51) to (55),

    Λ = (J M⁻¹ Jᵀ)⁻¹,       J̄ = M⁻¹ Jᵀ Λ
    τ = Jᵀ F + (1 − Jᵀ J̄ᵀ) τ₀ + h,       F = Λ (a − J̇ q̇)

so that ẍ = a, whatever τ₀ is: J̄ is the inverse of J in the norm of the mass matrix, and what is left of τ₀ makes no
acceleration of the frame. τ₀ = M (q̈_p + K_d ė_p + K_p e_p) pulls the joints to a posture; without one it takes speeds
away in the null space, which would otherwise drift.

Computed is all of this in A = D J L⁻ᵀ = U σ Vᵀ, M = L Lᵀ, with D = 1 for rows of places and the size of the mechanism
for those of turns. Where the smallest σ is less than a part `singular` of the largest, the chain is singular for the
task: no finite torque gives an acceleration in that direction. With `damped` its σ⁻¹ becomes σ/σ_s², with σ_s that
part of the largest (after Nakamura and Hanafusa (1986)), in that direction alone.

In space the error of an orientation is the vector of the rotation R_d Rᵀ, in the axes of the ground, with the rate
ω_d − ω; of an error about a steady axis it is the angle.

With coordinates that no actuator moves, M, h and J are those of the moved ones, J* = J_a − J_u M_uu⁻¹ M_ua, on a base
that floats the generalized Jacobian of Umetani and Yoshida (1989); :mod:`flexmb.control.open_chain` has the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.control.gains import Gains, checked_gains
from flexmb.control.open_chain import Moved, OpenChain
from flexmb.control.references import Motions, WantedRotation, joint_motions, place_motions, planar_angle
from flexmb.errors import ControlError
from flexmb.model import checks
from flexmb.model.frames import Frame, meant_frame
from flexmb.model.functions.time_function import TimeFunction
from flexmb.model.model import Model

#: by default speeds in the null space fall at this rate [1/s]
DRIFT = 2.0


class Task(NamedTuple):
    """The frame's equations in a state: J* (p, n) and the acceleration for v̇_a = 0 (p,); A = D J* L⁻ᵀ = U σ Vᵀ with all
    rows of Vᵀ; L⁻ᵀ (n, n)."""

    jacobian: np.ndarray
    bias: np.ndarray
    U: np.ndarray
    sigma: np.ndarray
    Vt: np.ndarray
    root: np.ndarray


class OperationalSpace(OpenChain):
    """The torques by which a frame of an open chain follows a wanted motion, see
    :mod:`flexmb.control.operational_space`.

    `open_chain`: a model of the chain, as the controller knows it, with its weight, and a `joint_force` at each joint
    that has a motor; `frame` of a link; `wanted`: functions of time, or numbers, of the components of its position in
    ground axes, or a solution that has the frame; `gains` of its errors, :class:`flexmb.control.Gains`.

    `rotation`: the wanted orientation, if it is to be held too; in the plane an angle, a number or function of time, in
    space as :meth:`flexmb.SpatialModel.drive_rotation` takes it, with its `times` or its `sequence`; or a solution.

    Of the joints that are left: `posture`, wanted motions as those of :class:`flexmb.control.ComputedTorque`, with
    `posture_gains`; `torques`, a function τ₀(q, v, t) of torques (n,) of the moved joints besides. Without posture the
    `posture_gains` are 0 and 2/s. `singular`: the smallest singular value, as a part of the largest, at which the chain
    is singular for the task; with `damped` it goes on there.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("arm", gravity=(0, -10.0))
    >>> upper = m.add_body("upper", mass=1.0, inertia=0.1, position=(0.5, 0))
    >>> fore = m.add_body("fore", mass=1.0, inertia=0.1, position=(1.0, 0.5), angle=1.5707963267948966)
    >>> shoulder = m.revolute(m.ground, upper.attach("a", (-0.5, 0)), name="shoulder")
    >>> elbow = m.revolute(upper.attach("b", (0.5, 0)), fore.attach("c", (-0.5, 0)), name="elbow")
    >>> motors = [m.joint_force(joint, 0.0) for joint in (shoulder, elbow)]
    >>> hand = fore.attach("hand", (0.5, 0))
    >>> law = fm.control.OperationalSpace(m, hand, (1.0, 1.1), fm.control.Gains.of(10.0))
    >>> q = law.tree.start()[0]
    >>> law.errors(q, [0.0, 0.0])[0].round(6) + 0.0
    array([0. , 0.1])
    >>> vdot = law.accelerations(q, [0.0, 0.0])
    >>> (fm.TreeDynamics(m).jacobian(hand, q) @ vdot).round(6)[3:5] + 0.0  # 10² · 0.1 upwards
    array([ 0., 10.])
    """

    title = "operational space"

    def __init__(
        self,
        open_chain: Model,
        frame: Frame | str,
        wanted: Any,
        gains: Gains,
        *,
        rotation: Any = None,
        times: Any = None,
        sequence: str | None = None,
        posture: Any = None,
        posture_gains: Gains | None = None,
        torques: Callable[[np.ndarray, np.ndarray, float], Any] | None = None,
        singular: float = 1e-3,
        damped: bool = False,
    ) -> None:
        super().__init__(open_chain, "operational space of chain")
        own: Any = open_chain
        dimension = own.dimension
        self._frame: Any = own.frame(frame) if isinstance(frame, str) else meant_frame(frame, self.where)
        self._dynamics.pose(self._frame, self.tree.start()[0])  # refuses what is no frame of a link
        self.frame = self._frame.name
        if self._frame.node.fixed:
            raise ControlError(f"{self.where}: {self._frame.where} is fixed to the ground; give one of a link")
        self._dynamics.jacobian_rate(self._frame, *self.tree.start())  # refuses frames of which no rates are known
        self.wanted = Motions(place_motions(wanted, self.frame, dimension, self.where))
        self._rows = list(range(3, 3 + dimension))
        self._rotation: TimeFunction | WantedRotation | None = None
        if rotation is not None:
            self._rows += [2] if dimension == 2 else [0, 1, 2]
            if dimension == 2:
                if times is not None or sequence is not None:
                    raise ControlError(f"{self.where}: times and sequence are those of rotations in space")
                self._rotation = planar_angle(rotation, self.frame, self.where)
            else:
                self._rotation = WantedRotation(rotation, times, sequence, self.frame, self.where)
        elif times is not None or sequence is not None:
            raise ControlError(f"{self.where}: times and sequence are those of a rotation, and none is given")
        self._units = np.ones(len(self._rows))
        self._units[dimension:] = self.tree.system.length_scale
        self.gains = checked_gains(gains, len(self._rows), self.where)
        self.singular = checks.positive(singular, "singular", self.where)
        if self.singular >= 1.0:
            raise ControlError(f"{self.where}: singular is {self.singular:g}; give a part of the largest, less than 1")
        self.damped = checks.flag(damped, "damped", self.where)
        self._left_over(posture, posture_gains, torques)

    def _left_over(self, posture: Any, posture_gains: Gains | None, torques: Any) -> None:
        """Check what the joints shall do besides the task."""
        joints, rows = len(self.coordinates), len(self._rows)
        if rows > joints:
            raise ControlError(
                f"{self.where}: the task has {rows} rows, and actuators move {joints} joints; leave out rotation, or "
                "give a chain with more motors"
            )
        if rows == joints and (posture is not None or torques is not None or posture_gains is not None):
            raise ControlError(
                f"{self.where}: the null space has dimension zero, since the task has as many rows as actuators move "
                f"joints, {rows}; leave out posture, posture_gains and torques"
            )
        if torques is not None and not callable(torques):
            raise ControlError(f"{self.where}: torques is {checks.quoted(torques)}; give a function τ(q, v, t)")
        if posture is not None and posture_gains is None:
            raise ControlError(f"{self.where}: a posture wants posture_gains")
        self._torques, self.posture = torques, None
        if posture is not None:
            self.posture = Motions(joint_motions(posture, self._sensors(), self.where, "posture"))
        self.posture_gains = Gains(0.0, DRIFT)
        if posture_gains is not None:
            self.posture_gains = checked_gains(posture_gains, joints, self.where, "posture_gains")
            if posture is None and (callable(posture_gains.position) or np.any(posture_gains.position)):
                raise ControlError(f"{self.where}: posture_gains pull by their position to a posture; give one, or 0.0")

    def errors(self, q: Any, v: Any, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """e and ė of the task, at a time [s]: positions first, then the angle or the rotation vector."""
        e, rate, _ = self._errors(q, v, t)
        return e, rate

    def _errors(self, q: Any, v: Any, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """e, ė and ẍ_d."""
        pose = self._dynamics.pose(self._frame, q)
        speed = (self._dynamics.jacobian(self._frame, q) @ checks.vector(v, "v", self.where, self.tree.nv))[self._rows]
        count, wanted = len(self.wanted), self._rotation
        place, rate, ahead = self.wanted.at(checks.number(t, "t", self.where))
        e = place - pose.position[:count]
        if isinstance(wanted, WantedRotation):
            R, omega, alpha = wanted(t)
            turn = Rotation.from_matrix(R @ pose.axes.T).as_rotvec()
            e, rate, ahead = (np.concatenate(pair) for pair in ((e, turn), (rate, omega), (ahead, alpha)))
        elif wanted is not None:
            e, rate = np.append(e, wanted(t) - pose.angle), np.append(rate, wanted.rate(t))
            ahead = np.append(ahead, wanted.second_rate(t))
        return e, rate - speed, ahead

    def _task(self, q: Any, v: Any, equations: Moved) -> Task:
        moved, left = self.moved, ~self.moved
        J = self._dynamics.jacobian(self._frame, q)[self._rows]
        bias = (self._dynamics.jacobian_rate(self._frame, q, v) @ np.asarray(v, dtype=float))[self._rows]
        own = J[:, moved] - J[:, left] @ equations.follow
        root = np.linalg.inv(np.linalg.cholesky(equations.mass)).T
        U, sigma, Vt = np.linalg.svd(self._units[:, None] * (own @ root))
        return Task(own, bias + J[:, left] @ equations.free, U, sigma, Vt, root)

    def inertia(self, q: Any) -> np.ndarray:
        """Λ (p, p), the inertia that the frame opposes to a force, in the rows of the task."""
        task = self._task(q, np.zeros(self.tree.nv), self._equations(q, np.zeros(self.tree.nv)))
        self._inverse(task, refuse=True)
        half = (task.U / task.sigma).T @ np.diag(self._units)
        return np.asarray(half.T @ half)

    def _inverse(self, task: Task, *, refuse: bool) -> np.ndarray:
        """σ⁻¹ (p,), damped where the chain is nearly singular for the task, or a ControlError."""
        sigma, least = task.sigma, self.singular * task.sigma[0]
        if refuse and sigma[-1] < least:
            raise ControlError(
                f"{self.where}: the chain is singular for the task of {self.frame!r}: the smallest singular value is "
                f"{sigma[-1]:.3g}, and the largest {sigma[0]:.3g} (in 1/√kg); lead it around this position, or give "
                "damped=True"
            )
        return np.asarray(sigma / np.maximum(sigma, least) ** 2)

    def accelerations(self, q: Any, v: Any, t: float = 0.0) -> np.ndarray:
        """v̇ (nv,) in joint coordinates q (nq,) and speeds v (nv,) of the chain, at a time [s]."""
        equations = self._equations(q, v)
        task = self._task(q, v, equations)
        e, rate, ahead = self._errors(q, v, t)
        position_gain, rate_gain = self.gains.at(q, v, t, len(e), self.where)
        wanted = self._units * (ahead + rate_gain @ rate + position_gain @ e - task.bias)
        y = task.Vt[: len(e)].T @ (self._inverse(task, refuse=not self.damped) * (task.U.T @ wanted))
        free = task.Vt[len(e) :]
        if len(free):
            y = y + free.T @ (free @ self._besides(q, v, t, task.root))
        return self._whole(q, v, task.root @ y)

    def _besides(self, q: Any, v: Any, t: float, root: np.ndarray) -> np.ndarray:
        """L⁻¹ τ₀ (n,)."""
        if self.posture is None:
            u = np.asarray(v, dtype=float)[self.moved]
            wanted = -self.posture_gains.at(q, v, t, len(u), self.where)[1] @ u
        else:
            wanted = self._follow(self.posture, self.posture_gains, q, v, t)
        found = np.linalg.solve(root, wanted)
        if self._torques is not None:
            given = checks.vector(self._torques(q, v, t), "torques", self.where, len(wanted))
            found = found + root.T @ given
        return np.asarray(found)
