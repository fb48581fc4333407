"""Motor in space: a rotor that drives one frame against another through a reducer, about an axis."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from flexmb.elements.spatial.rotor import ROTOR, TORQUE
from flexmb.forces.motor import GearedMotor
from flexmb.joints.spatial.rows.counted_angle import counted_angle
from flexmb.kernels.rotations import turned
from flexmb.model.appearance import PairPlace
from flexmb.model.components import Assembler
from flexmb.model.spatial_frames import SpatialPair, unit_axis


@dataclass(eq=False)
class Motor(GearedMotor, SpatialPair):
    """A motor whose stator sits on frame `a` and whose output drives frame `b` about an axis of a; in a plane across
    the axis it is the motor of the plane, :class:`~flexmb.forces.planar.motor.Motor`, Kobayashi (n.d.), eq. (66).

    Its own coordinates are the angle φ of the rotor against the stator, on the motor's side of the reducer, and the
    counted angle s of b against a (:mod:`flexmb.joints.spatial.rows.counted_angle`). The rotor turns about the unit
    vector u along the axis, which is fixed to a. With N the gear ratio (turns of the motor for one turn of the output,
    negative when the reducer reverses), δ the twist of the reducer on its output side, and h the angular momentum of
    the rotor about its axis:

        δ = (φ − φ₀)/N − s,   h = J (u · ω_a + φ̇)
        T = ½ J (u · ω_a + φ̇)²,   U = ½ k δ²,   lost: c δ̇² + F φ̇,   input: τ φ̇

        φ:    ḣ + M/N + F(φ̇) − τ = 0        with M = k δ + c δ̇
        s:    −M
        a:    u ḣ + ω_a × u h,   in the axes of its body:  the second term is the gyroscopic moment

    The row of s hands its force, M, on to the bodies: M u on b, −M u on a. The mass of the rotor, and its inertia
    across the axis, belong to the body that carries it. At the start the reducer is not twisted. Without `stiffness`
    the reducer is rigid: the constraint δ = 0. Friction and drive are those of the plane's motor. It does not hold the
    two frames together; add a revolute joint on the same axis.

    Arguments: `name`; `a` stator; `b` output; `inertia` J of the rotor about its axis [kg m²]; `ratio` N [–];
    `stiffness` k [Nm/rad] and `damping` c [Nms/rad] of the reducer on the output side; `friction` of the rotor, a
    number [Nms/rad] or a `Friction`; `torque` τ [Nm] on the rotor or `angle` α [rad] of the rotor, a number or a
    function of time; `axis`: 'x', 'y', 'z' or a direction (3,), in the axes of frame a.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> arm = m.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.02))
    >>> hinge = m.revolute(m.ground, arm.frame, axis="x")
    >>> drive = m.motor(m.ground, arm.frame, axis="x", inertia=1e-4, ratio=100.0, torque=0.2, name="drive")
    >>> solution = fm.simulate(m, 1.0, step=0.01, progress=False)
    >>> round(float(solution["arm.wx"][-1]), 6)  # N τ t/(I + N² J)
    18.181818
    """

    _: KW_ONLY
    axis: Any = "z"

    def check(self) -> None:
        super().check()
        unit_axis(self.axis, self.where)

    def place(self) -> PairPlace:
        return replace(super().place(), rotor=f"{self.name}.rotor")

    def assemble(self, assembly: Assembler) -> None:
        a, b = self.a.node, self.b.node
        axis = tuple(unit_axis(self.axis, self.where))
        omega_a, omega_b = (node.moving_at(node.position)[1] for node in (a, b))
        rate = float(np.dot(turned(tuple(self.a.quaternion), axis), omega_b - omega_a))
        s = counted_angle(assembly, self, self.a, self.b, self.axis)
        rotor, start = self.add_rotor(assembly, rate)
        own = [*turned(tuple(self.a.axes), axis), self.inertia, self.viscous_friction]
        p = np.array([*own, *assembly.strength(self).slot()])
        assembly.instance(self, ROTOR, [assembly.node(a)[1], rotor], p, label="motor", strength=TORQUE)
        self.add_dry_friction(assembly, rotor)
        self.add_reducer(assembly, [s, rotor], [-1.0], start / self.ratio)
        self.add_drive(assembly, rotor)
