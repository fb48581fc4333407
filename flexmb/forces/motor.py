"""What a motor is told in the plane and in space."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from flexmb.errors import ModelError
from flexmb.forces.coordinate_spring import COORDINATE_SPRING
from flexmb.forces.friction import ROTOR_FRICTION, Friction
from flexmb.joints.coordinates import COORDINATE_DRIVE, COUPLING
from flexmb.kernels.blocks import Numbers, free
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.functions.time_function import TimeFunction, as_function, as_motion
from flexmb.model.pairs import PairComponent


@dataclass(eq=False)
class GearedMotor(PairComponent):
    """The base of motors whose stator sits on frame `a` and whose output drives frame `b` through a reducer.

    Arguments: `inertia` J of the rotor [kg m²]; `ratio` N [–]; `stiffness` k [Nm/rad] and `damping` c [Nms/rad] of the
    reducer on the output side; `friction` of the rotor, a number d [Nms/rad] or a `Friction`; `torque` τ [Nm] on the
    rotor or `angle` α [rad] of the rotor, a number or a function of time.
    """

    _: KW_ONLY
    inertia: float = 0.0
    ratio: float = 1.0
    stiffness: float | None = None
    damping: float = 0.0
    friction: float | Friction = 0.0
    torque: TimeFunction | float = 0.0
    angle: TimeFunction | float | None = None
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
            self.angle = as_motion(self.angle, "angle", self.where)

    @property
    def viscous_friction(self) -> float:
        """Its viscous part [Nms/rad]."""
        return self.friction.viscous if isinstance(self.friction, Friction) else self.friction

    def add_rotor(self, assembly: Assembler, rate: float) -> tuple[Numbers, float]:
        """The angle of the rotor against the stator, a new coordinate, and its value at the start, when b turns against
        a with the `rate` [rad/s]."""
        start = [0.0, self.ratio * rate]
        if self.angle is not None:
            angle = self.function("angle")
            start = [angle(0.0), angle.rate(0.0)]
        blocks = [free(["rotor"], "angle")]
        (rotor,) = assembly.coordinates(self, blocks, np.array(start[:1]), np.array(start[1:]), given=False)
        return rotor, start[0]

    def add_dry_friction(self, assembly: Assembler, rotor: Numbers) -> None:
        """The dry part of a `Friction`, as a separate instance, so that a motor without it costs nothing more."""
        if isinstance(self.friction, Friction):
            assembly.instance(self, ROTOR_FRICTION, rotor, self.friction.parameters(), label="friction")

    def add_reducer(self, assembly: Assembler, shafts: list[Numbers], weights: list[float], start: float) -> None:
        """The reducer: a spring, or a row where it is rigid, on its twist δ = (φ − φ₀)/N − s. The output's angle s is
        the sum of `shafts` with -`weights`; behind them comes the rotor, and `start` is δ without twist."""
        sum_of = [*weights, 1.0 / self.ratio, start]
        if self.stiffness is None:
            assembly.instance(self, COUPLING, shafts, np.array(sum_of), [("reducer", "angle")], label="reducer")
        else:
            p = np.array([self.stiffness, self.damping, *sum_of])
            assembly.instance(self, COORDINATE_SPRING, shafts, p, label="reducer")

    def add_drive(self, assembly: Assembler, rotor: Numbers) -> None:
        """The row by which the rotor follows its given angle, if it has one."""
        if self.angle is not None:
            own_angle = assembly.prescribed(self).parameters()
            row = [("rotor", "angle")]
            assembly.instance(self, COORDINATE_DRIVE, rotor, own_angle, row, label="drive", prescribed=0)
