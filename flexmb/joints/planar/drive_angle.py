"""Drive of an angle: the angle between two frames follows a function of time."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from flexmb.joints.planar.joint import Joint
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.slots import time_function
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.functions.time_function import TimeFunction, as_motion


@dataclass(eq=False)
class DriveAngle(Joint):
    """The angle of frame b against frame a follows a function of time; their origins are free.

        g = θ_b − θ_a − f(t)

    Angles are counted through all turns, so f may grow without bound. The moment on b is −λ.

    Arguments: `angle` f(t) [rad], a number or a function of time; `relative_to_start`: f is added to the
    angle that the frames have in the model; where it is switched on in a run, the change of f to the angle that they
    have then.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=0.1)
    >>> hinge = m.revolute(m.ground, body.frame)
    >>> shaft = m.drive_angle(m.ground, body.frame, fm.SpinUp(speed=6.0, duration=15.0))
    >>> shaft.name
    'drive_angle 1'
    """

    angle: TimeFunction | float
    _: KW_ONLY
    relative_to_start: bool = False
    prescribed = "angle"
    prescribed_unit = "rad"
    glyphs = ("motor",)
    acts = ("angle",)

    @property
    def measures_from_start(self) -> bool:
        return self.relative_to_start

    def check(self) -> None:
        super().check()
        self.angle = as_motion(self.angle, "angle", self.where)
        self.relative_to_start = checks.flag(self.relative_to_start, "relative_to_start", self.where)

    def assemble(self, assembly: Assembler) -> None:
        f = assembly.prescribed(self)
        if self.relative_to_start:
            f = f + self.initial_angle
        self.add_instance(
            assembly, ANGLE, [("angle", "angle")], f.parameters(), prescribed=0, found=self.relative_to_start
        )


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        f, fd, fdd = time_function(p[i], 6, t)
        out[i, 0] = q[iq[i, 5]] - q[iq[i, 2]] + p[i, 5] - p[i, 2] - f
        out[i, 1] = v[iv[i, 5]] - v[iv[i, 2]] - fd
        out[i, 2] = fdd


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 2] = -1.0
        out[i, 5] = 1.0


#: One row, the angle between two frames; parameters: offsets (6), function of time.
ANGLE = Kernels("angle", constraint=constraint, jacobian=jacobian)
