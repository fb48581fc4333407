"""Lock: one coordinate between two frames is held."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.joints.base import Joint
from flexmb.joints.drive_angle import ANGLE
from flexmb.joints.drive_position import put_along
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.functions import Constant

_COORDINATES = ("x", "y", "angle")


@dataclass(eq=False)
class Lock(Joint):
    """One coordinate of frame b in the axes of frame a keeps its value.

        g = e · (r_b − r_a) − value,  e the x- or y-axis of frame a;    or    g = θ_b − θ_a − value

    Arguments: `coordinate`, 'x', 'y' or 'angle'; `value` [m or rad], that of the model when not given.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=0.1, position=(2, 5))
    >>> joint = m.lock(m.ground, body.frame, "y")
    >>> fm.System(m).constraint(0.0, [2, 6, 0], [0, 0, 0])[0].tolist()
    [1.0]
    """

    coordinate: str
    value: float | None = None

    def check(self) -> None:
        super().check()
        checks.choice(self.coordinate, _COORDINATES, "coordinate", self.where)
        if self.value is not None:
            self.value = checks.number(self.value, "value", self.where)

    def assemble(self, assembly: Assembler) -> None:
        k = _COORDINATES.index(self.coordinate)
        initial = [*self.initial_position.tolist(), self.initial_angle][k]
        held = Constant(initial if self.value is None else self.value)
        if self.coordinate == "angle":
            self.put(assembly, ANGLE, [("angle", "angle")], held.parameters())
        else:
            put_along(self, assembly, np.eye(2)[k], self.coordinate, held)
