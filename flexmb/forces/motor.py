"""What a motor is told in the plane and in space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.forces.friction import ROTOR_FRICTION, Friction
from flexmb.joints.coordinate_drive import COORDINATE_DRIVE
from flexmb.kernels.blocks import Numbers, free
from flexmb.kernels.contract import Kernels
from flexmb.model import checks
from flexmb.model.components import Assembler, PairComponent
from flexmb.model.functions import as_function


@dataclass(eq=False)
class GearedMotor(PairComponent):
    """The base of motors whose stator sits on frame `a` and whose output drives frame `b` through a reducer.

    Arguments: `inertia` J of the rotor [kg m²]; `ratio` N [–]; `stiffness` k [Nm/rad] and `damping` c [Nms/rad] of the
    reducer on the output side; `friction` of the rotor, a number d [Nms/rad] or a `Friction`; `torque` τ [Nm] on the
    rotor or `angle` α [rad] of the rotor, a number or a function of time.
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

    def assemble_on(
        self,
        assembly: Assembler,
        carrier: Sequence[Numbers],
        shafts: Sequence[Numbers],
        turned: float,
        rate: float,
        motor: Kernels,
        reducer: Kernels,
        own: Sequence[float] = (),
    ) -> None:
        """Add the rotor and what acts on it.

        The family `motor` stands on the coordinates of the `carrier`, those of the `shafts` and the angle of the rotor;
        its parameters are its `own`, then J, 1/N, k, c, the viscous friction, the rest angle of the reducer and the
        slot of the torque. The family `reducer`, with 1/N and the rest angle, holds a reducer without `stiffness`.
        `turned` [rad] and `rate` [rad/s] are the angle and the speed of b against a at the start."""
        start = [0.0, self.ratio * rate]
        if self.angle is not None:
            start = [self.angle(0.0), self.angle.rate(0.0)]
        (rotor,) = assembly.coordinates(self, [free(["rotor"], "angle")], np.array(start[:1]), np.array(start[1:]))
        rest = start[0] / self.ratio - turned
        k = 0.0 if self.stiffness is None else self.stiffness
        viscous = self.friction.viscous if isinstance(self.friction, Friction) else self.friction
        before = [*own, self.inertia, 1.0 / self.ratio, k, self.damping, viscous, rest]
        p = np.array([*before, *assembly.strength(self).slot()])
        assembly.instance(self, motor, [*carrier, *shafts, rotor], p, label="motor", strength=len(before))
        if isinstance(self.friction, Friction):
            # dry friction is a separate instance, so that a motor without it costs nothing more
            assembly.instance(self, ROTOR_FRICTION, rotor, self.friction.parameters(), label="friction")
        if self.stiffness is None:
            held = np.array([1.0 / self.ratio, rest])
            assembly.instance(self, reducer, [*shafts, rotor], held, [("reducer", "angle")], label="reducer")
        if self.angle is not None:
            own_angle = assembly.prescribed(self).parameters()
            row = [("rotor", "angle")]
            assembly.instance(self, COORDINATE_DRIVE, rotor, own_angle, row, label="drive", prescribed=0)
