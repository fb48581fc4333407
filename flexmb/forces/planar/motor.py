"""Motor: a rotor that drives one frame against another through a reducer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.forces.motor import GearedMotor
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.slots import strength_at
from flexmb.model.components import Assembler
from flexmb.model.pairs import PlanarPair


@dataclass(eq=False)
class Motor(GearedMotor, PlanarPair):
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

    def assemble(self, assembly: Assembler) -> None:
        a, b = self.a.node, self.b.node
        rate = b.moving_at(b.position)[1] - a.moving_at(a.position)[1]
        shafts = [assembly.node(a)[1], assembly.node(b)[1]]
        rotor, start = self.add_rotor(assembly, rate)
        p = np.array([self.inertia, self.viscous_friction, *assembly.strength(self).slot()])
        assembly.instance(self, ROTOR, [shafts[0], rotor], p, label="motor", strength=2)
        self.add_dry_friction(assembly, rotor)
        self.add_reducer(assembly, [*shafts, rotor], [1.0, -1.0], start / self.ratio - (b.angle - a.angle))
        self.add_drive(assembly, rotor)


# -- the rotor, on θ_a and φ; parameters: J, d, the slot of the torque ------------------------------------------------


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        spin = p[i, 0] * (a[iv[i, 1]] + a[iv[i, 0]])
        out[i, 0] = spin
        out[i, 1] = spin + p[i, 1] * v[iv[i, 1]] - strength_at(p[i], 2, t)


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        m = w[0] * p[i, 0]
        K[i, 0, 0] += m
        K[i, 0, 1] += m
        K[i, 1, 0] += m
        K[i, 1, 1] += m + w[1] * p[i, 1]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        rate = v[iv[i, 1]]
        spin = rate + v[iv[i, 0]]
        out[i, 0] = 0.5 * p[i, 0] * spin * spin
        out[i, 3] = p[i, 1] * rate * rate
        out[i, 4] = strength_at(p[i], 2, t) * rate


ROTOR = Kernels("rotor", residual=residual, tangent=tangent, energy=energy)
