"""Wheels and rotors on a body in space: a wheel of constant speed, and one that a torque or a motion drives.

A wheel is symmetric about its axis e, which is fixed to the body that carries it. So its inertia in the axes of that
body stays the same when it turns, and of its own turning with the speed Ω against the body only the angular momentum is
felt; Hughes (1986). With J₁ about its axis, J₂ across, and ω of the body in its own axes,

    T = ½ m |v|² + ½ J₂ |ω − (e·ω) e|² + ½ J₁ (e·ω + Ω)²

    on the body:  M = J₂ part and m as of any body  +  J₁ (e·ω̇ + Ω̇) e + ω × J₁ (e·ω + Ω) e
    on the rotor:  J₁ (e·ω̇ + Ω̇) = τ − d Ω
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.elements.spatial.offset_mass import SpatialMass, put_mass
from flexmb.elements.spatial.rotor import ROTOR, TORQUE
from flexmb.errors import ModelError
from flexmb.joints.coordinates import COORDINATE_DRIVE
from flexmb.kernels.blocks import free
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import turned
from flexmb.kernels.vectors import add_block, cross, put, tilde, vector_at, vector_in
from flexmb.model import checks
from flexmb.model.appearance import BodyPlace, BodyShape, SpinPlace
from flexmb.model.components import Assembler
from flexmb.model.functions.time_function import as_function
from flexmb.model.spatial_frames import unit_axis


@dataclass(eq=False)
class Wheel(SpatialMass):
    """A momentum wheel: it turns at a constant speed Ω against the body that carries it; Ω̇ = 0.

    It has no coordinate. Its drive holds the speed by the torque J₁ e·ω̇, and the work of that is among those of the
    `drives` in the energy ledger; its energy is part of the kinetic one.

    Arguments: `name`; `frame`, at the wheel's middle; `mass` [kg] and `inertia` J₁ [kg m²] about its axis; `axis`: 'x',
    'y', 'z' or a direction (3,), in the axes of the frame; `speed` Ω [rad/s], right-handed about the axis; `transverse`
    J₂ [kg m²], the inertia across the axis through its middle. Mass and transverse inertia are zero where the body that
    carries the wheel has these already. `shape`: as a picture shows it, in the axes of the frame
    (without it the disk that has its mass and inertia, or a small flywheel); pictures turn it.

    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("satellite")
    >>> hull = m.add_body("hull", mass=100.0, inertia=(20.0, 25.0, 30.0))
    >>> m.add_wheel("wheel", hull.frame, inertia=0.05, axis="y", speed=300.0).momentum().tolist()
    [0.0, 15.0, 0.0]
    """

    inertia: float
    axis: Any = "z"
    speed: float = 0.0
    transverse: float = 0.0
    shape: BodyShape | None = None
    kind = "wheel"

    @property
    def own_frame(self) -> None:  # type: ignore[override]
        """None: it turns on its frame, which is one of the body that carries it."""
        return None

    def direction(self) -> np.ndarray:
        """Axis of the wheel (3,) in the axes of the node."""
        return np.array(turned(tuple(self.frame.axes), tuple(unit_axis(self.axis, self.where))))

    def momentum(self) -> np.ndarray:
        """J₁ Ω e (3,) [kg m²/s] at the start, in the axes of the node: the angular momentum of its own turning."""
        return np.asarray(self.inertia * self.speed * self.direction())

    def node_tensor(self) -> np.ndarray:
        return self._tensor(self.inertia)

    def _tensor(self, axial: float) -> np.ndarray:
        along = np.outer(self.direction(), self.direction())
        return np.asarray(axial * along + self.transverse * (np.eye(3) - along))

    def check(self) -> None:
        checks.check_fields(self, checks.positive, self.where, "inertia")
        checks.check_fields(self, checks.number, self.where, "speed")
        checks.check_fields(self, checks.not_negative, self.where, "mass", "transverse")
        unit_axis(self.axis, self.where)
        if 0.0 < self.transverse < 0.5 * self.inertia * (1.0 - 1e-9):
            raise ModelError(
                f"{self.where}: inertia {self.inertia:g} about its axis is more than twice the transverse one, "
                f"{self.transverse:g}, which no wheel's is; a thin disk has just twice"
            )
        self.refuse_fixed()

    def place(self) -> BodyPlace:
        axis = tuple(unit_axis(self.axis, self.where).tolist())
        spin = SpinPlace(axis, float(self.inertia), float(self.transverse), *self._turning())
        return BodyPlace(self.frame.name, (0.0, 0.0, 0.0), float(self.mass), self.shape, spin=spin)

    def _turning(self) -> tuple[float, str]:
        """Constant speed [rad/s] of the wheel, and the name of the coordinate that is its angle, if any."""
        return float(self.speed), ""

    def spins(self) -> list[tuple[Any, np.ndarray, float]]:
        turns = self.speed != 0.0
        return [(self.frame.node, self.momentum(), 0.5 * self.inertia * self.speed**2)] if turns else []

    def assemble(self, assembly: Assembler) -> None:
        put_mass(self, assembly)
        assembly.instance(self, GYROSTAT, [assembly.node(self.frame.node)[1]], self.momentum(), label="spin")


@dataclass(eq=False)
class ReactionWheel(Wheel):
    """A wheel with the angle against the body that carries it as its own coordinate, `rotor`. A torque drives it, which
    controllers and inputs may command, or its angle is prescribed.

    Arguments: those of a :class:`Wheel`, with `speed` Ω [rad/s] that of the start; `torque` τ [Nm] from the body on the
    wheel, a number or a function of time; `friction` d [Nms/rad] of its bearings; `angle` [rad] that it follows, a
    number or a function of time, which says the speed too.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("satellite")
    >>> hull = m.add_body("hull", mass=100.0, inertia=(20.0, 25.0, 30.0))
    >>> wheel = m.add_wheel("wheel", hull.frame, inertia=0.05, axis="z", torque=0.3)
    >>> run = fm.simulate(m, 1.0, step=0.01)
    >>> round(float(run.series("wheel.rotor rate").values[-1]), 6)  # 0.3 (1/0.05 + 1/30), in one second
    6.01
    """

    torque: Any = 0.0
    friction: float = 0.0
    angle: Any = None
    strength = "torque"
    strength_unit = "Nm"
    prescribed = "angle"
    prescribed_unit = "rad"

    def check(self) -> None:
        super().check()
        checks.check_fields(self, checks.not_negative, self.where, "friction")
        self.torque = as_function(self.torque, "torque", self.where)
        if self.angle is not None:
            self.angle = as_function(self.angle, "angle", self.where)
            if self.speed != 0.0:
                raise ModelError(f"{self.where}: its angle says its speed; leave speed out")

    def _turning(self) -> tuple[float, str]:
        return 0.0, f"{self.name}.rotor"

    def spins(self) -> list[tuple[Any, np.ndarray, float]]:
        return []  # it has a coordinate

    def assemble(self, assembly: Assembler) -> None:
        if self.mass or self.transverse:
            put_mass(self, assembly, self._tensor(0.0))
        start = [0.0, self.speed]
        if self.angle is not None:
            start = [self.angle(0.0), self.angle.rate(0.0)]
        blocks, given = [free(["rotor"], "angle")], self.angle is None
        (rotor,) = assembly.coordinates(self, blocks, np.array(start[:1]), np.array(start[1:]), given=given)
        p = np.array([*self.direction(), self.inertia, self.friction, *assembly.strength(self).slot()])
        coordinates = [assembly.node(self.frame.node)[1], rotor]
        assembly.instance(self, ROTOR, coordinates, p, label="rotor", strength=TORQUE)
        if self.angle is not None:
            follows = assembly.prescribed(self).parameters()
            row = [("rotor", "angle")]
            assembly.instance(self, COORDINATE_DRIVE, rotor, follows, row, label="drive", prescribed=0)


@kernel
def spin_residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        put(out[i], 0, cross(vector_at(v, iv[i], 0), vector_in(p[i], 0)))


@kernel
def spin_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        add_block(K[i], 0, 0, -w[1], tilde(vector_in(p[i], 0)))


#: The angular momentum of a wheel of constant speed, on the orientation that carries it; parameters: J₁ Ω e (3).
GYROSTAT = Kernels("gyrostat", residual=spin_residual, tangent=spin_tangent)
