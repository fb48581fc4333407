"""Motor: a rotor that drives one frame against another through a reducer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.forces.planar.friction import ROTOR_FRICTION, Friction
from flexmb.forces.planar.pair_force import PairForce
from flexmb.joints.coordinates import COORDINATE_DRIVE
from flexmb.kernels.blocks import free
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.slots import strength_at
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.functions import as_function


@dataclass(eq=False)
class Motor(PairForce):
    """A motor whose stator sits on frame `a` and whose output drives frame `b`; Kobayashi (n.d.), §2.3.2, eq. (66).

    Its own coordinate φ is the angle of the rotor against the stator, on the motor's side of the reducer. The
    rotor's axis is normal to the plane, so that it turns in space at θ̇_a + φ̇. N is the gear ratio (turns of the
    motor for one turn of the output, negative when the reducer reverses), δ the twist of the reducer on its
    output side:

        δ = (φ − φ₀)/N − (θ_b − θ_a) + (θ_b − θ_a)₀
        T = ½ J (θ̇_a + φ̇)²,   U = ½ k δ²,   lost: c δ̇² + F φ̇,   input: τ φ̇

        φ:    J (φ̈ + θ̈_a) + M/N + F(φ̇) − τ = 0        with M = k δ + c δ̇
        θ_a:  J (φ̈ + θ̈_a) + M,    θ_b:  −M

    The stator feels −τ + F − (1 − 1/N) M, the reaction of motor and gear case. (The source's (66) has the
    rotor's inertia J on its own coordinate alone: with the stator on ground the two are the same.) The
    rotor's mass belongs to the body that carries it. At the start the reducer is not twisted. Without
    `stiffness` the reducer is rigid: the constraint δ = 0.

    The friction F acts between rotor and stator, on the motor's side of the reducer, where bearings, brushes and the
    fast stage of the reducer are; the output feels it N-fold. A number d is viscous friction, F = d φ̇; a
    :class:`flexmb.Friction` has Coulomb's and Stribeck's part too. If the friction is known at the output,
    divide torques by N and the viscous coefficient by N², and multiply speeds by N.

    The motor is driven by a torque, or by a given rotor angle (the constraint φ = α(t), and the rotor starts
    at α(0)). It does not hold the two frames together; add a revolute joint.

    Arguments: `name`; `a` stator; `b` output; `inertia` J of the rotor [kg m²]; `ratio` N [–]; `stiffness` k
    [Nm/rad] and `damping` c [Nms/rad] of the reducer on the output side; `friction` of the rotor, a number d
    [Nms/rad] or a `Friction`; `torque` τ [Nm] on the rotor or `angle` α [rad] of the rotor, a number or a function of
    time.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> arm = m.add_body("arm", mass=1.0, inertia=0.1)
    >>> hinge = m.revolute(m.ground, arm.frame)
    >>> m.motor(m.ground, arm.frame, inertia=1e-4, ratio=100.0, stiffness=500.0, torque=0.2).name
    'motor 1'
    """

    inertia: float = 0.0
    ratio: float = 1.0
    stiffness: float | None = None
    damping: float = 0.0
    friction: float | Friction = 0.0
    torque: Any = 0.0
    angle: Any = None
    kind = "motor"
    glyphs = ("motor",)
    strength = "torque"
    strength_unit = "Nm"
    prescribed = "angle"
    prescribed_unit = "rad"

    @property
    def measures_from_start(self) -> bool:
        return True  # the rotor stands where the mechanism starts

    def check(self) -> None:
        super().check()
        free = self.stiffness is not None and self.angle is None
        checks.check_fields(self, checks.positive if free else checks.not_negative, self.where, "inertia")
        checks.check_fields(self, checks.number, self.where, "ratio")
        checks.check_fields(self, checks.not_negative, self.where, "damping")
        if self.ratio == 0.0:
            raise ModelError(
                f"{self.where}: ratio is 0; give motor turns for a turn of the output, 1 without a reducer"
            )
        if self.stiffness is not None:
            checks.check_fields(self, checks.positive, self.where, "stiffness")
        elif self.damping > 0.0:
            raise ModelError(f"{self.where}: damping of a reducer that cannot twist; give its stiffness too")
        if not isinstance(self.friction, Friction):
            checks.check_fields(self, checks.not_negative, self.where, "friction")
        self.torque = as_function(self.torque, "torque", self.where)
        if self.angle is not None:
            self.angle = as_function(self.angle, "angle", self.where)

    def assemble(self, assembly: Assembler) -> None:
        turned = self.b.node.angle - self.a.node.angle
        rate = 0.0 if self.b.node.fixed else self.b.node.angular_velocity
        rate -= 0.0 if self.a.node.fixed else self.a.node.angular_velocity
        start = [0.0, self.ratio * rate]
        if self.angle is not None:
            start = [self.angle(0.0), self.angle.rate(0.0)]
        angles = [assembly.node(self.a.node)[1], assembly.node(self.b.node)[1]]
        rotor = assembly.coordinates(self, [free(["rotor"], "angle")], np.array(start[:1]), np.array(start[1:]))
        angles += rotor
        rest = start[0] / self.ratio - turned
        k = 0.0 if self.stiffness is None else self.stiffness
        viscous = self.friction.viscous if isinstance(self.friction, Friction) else self.friction
        own = [self.inertia, 1.0 / self.ratio, k, self.damping, viscous, rest, *assembly.strength(self).slot()]
        assembly.instance(self, MOTOR, angles, np.array(own), label="motor", strength=6)
        if isinstance(self.friction, Friction):
            # dry friction is a separate instance, so that a motor without it costs nothing more
            assembly.instance(self, ROTOR_FRICTION, rotor, self.friction.parameters(), label="friction")
        if self.stiffness is None:
            own = [1.0 / self.ratio, rest]
            assembly.instance(self, REDUCER, angles, np.array(own), [("reducer", "angle")], label="reducer")
        if self.angle is not None:
            own_angle = assembly.prescribed(self).parameters()
            row = [("rotor", "angle")]
            assembly.instance(self, COORDINATE_DRIVE, rotor, own_angle, row, label="drive", prescribed=0)


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n = p[i, 1]
        rate = v[iv[i, 2]]
        twist = n * q[iq[i, 2]] - q[iq[i, 1]] + q[iq[i, 0]] - p[i, 5]
        moment = p[i, 2] * twist + p[i, 3] * (n * rate - v[iv[i, 1]] + v[iv[i, 0]])
        spin = p[i, 0] * (a[iv[i, 2]] + a[iv[i, 0]])
        out[i, 0] = spin + moment
        out[i, 1] = -moment
        out[i, 2] = spin + n * moment + p[i, 4] * rate - strength_at(p[i], 6, t)


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n = p[i, 1]
        k = w[2] * p[i, 2] + w[1] * p[i, 3]
        m = w[0] * p[i, 0]
        K[i, 0, 0] += m + k
        K[i, 0, 1] -= k
        K[i, 0, 2] += m + n * k
        K[i, 1, 0] -= k
        K[i, 1, 1] += k
        K[i, 1, 2] -= n * k
        K[i, 2, 0] += m + n * k
        K[i, 2, 1] -= n * k
        K[i, 2, 2] += m + n * n * k + w[1] * p[i, 4]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n = p[i, 1]
        rate = v[iv[i, 2]]
        twist = n * q[iq[i, 2]] - q[iq[i, 1]] + q[iq[i, 0]] - p[i, 5]
        twist_rate = n * rate - v[iv[i, 1]] + v[iv[i, 0]]
        spin = rate + v[iv[i, 0]]
        out[i, 0] = 0.5 * p[i, 0] * spin * spin
        out[i, 1] = 0.5 * p[i, 2] * twist * twist
        out[i, 3] = p[i, 3] * twist_rate * twist_rate + p[i, 4] * rate * rate
        out[i, 4] = strength_at(p[i], 6, t) * rate


@kernel
def reducer_constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = p[i, 0] * q[iq[i, 2]] - q[iq[i, 1]] + q[iq[i, 0]] - p[i, 1]
        out[i, 1] = p[i, 0] * v[iv[i, 2]] - v[iv[i, 1]] + v[iv[i, 0]]


@kernel
def reducer_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = 1.0
        out[i, 1] = -1.0
        out[i, 2] = p[i, 0]


MOTOR = Kernels("motor", residual=residual, tangent=tangent, energy=energy)
REDUCER = Kernels("reducer", constraint=reducer_constraint, jacobian=reducer_jacobian)
