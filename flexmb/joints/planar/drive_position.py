"""Drive of a position: the position of one frame along an axis of another follows a function of time."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.joints.planar.joint import Joint
from flexmb.kernels.blocks import Numbers, free
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import frame_arm, turned
from flexmb.kernels.slots import time_function
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.frames import rotation
from flexmb.model.functions.time_function import Constant, TimeFunction, as_motion
from flexmb.model.pairs import pair_coordinates, pair_offsets


@dataclass(eq=False)
class DrivePosition(Joint):
    """The origin of frame b, measured along an axis of frame a, follows a function of time.

        g = e · (r_b − r_a) − f(t),    r = R + A u,    e = the axis, turning with frame a

    With D = r_b − R_a, the arm s_b = A_b u_b and n for e turned by +90°:

        G = [ −e,  n·D,  e,  −n·s_b ]        for (R_a, θ_a, R_b, θ_b)
        γ = f̈ − 2 ω_a n·(Ṙ_b − Ṙ_a) + ω_a² e·D − (2 ω_a − ω_b) ω_b e·s_b

    The force on b along the axis is −λ.

    Arguments: `position` f(t) [m], a number or a function of time; `axis`, the angle of the axis in frame a
    [rad]; `relative_to_start`: f is added to the position that the frames have in the model; where
    it is switched on in a run, the change of f to the position that they have then.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> slide = m.add_body("slide", mass=1.0, inertia=0.1, position=(0.2, 0))
    >>> rail = m.prismatic(m.ground, slide.frame)
    >>> push = m.drive_position(m.ground, slide.frame, fm.SmoothStep(0.0, 1.0, 0.2, 0.5))
    >>> fm.System(m).constraint(0.0, [0.2, 0, 0], [0, 0, 0])[0].tolist()
    [0.0, 0.0, 0.0]
    """

    position: TimeFunction | float
    _: KW_ONLY
    axis: float = 0.0
    relative_to_start: bool = False
    prescribed = "position"
    prescribed_unit = "m"
    acts = ("position",)

    @property
    def measures_from_start(self) -> bool:
        return self.relative_to_start

    def check(self) -> None:
        super().check()
        self.position = as_motion(self.position, "position", self.where)
        self.axis = checks.number(self.axis, "axis", self.where)
        self.relative_to_start = checks.flag(self.relative_to_start, "relative_to_start", self.where)

    def assemble(self, assembly: Assembler) -> None:
        f = assembly.prescribed(self)
        axis = rotation(self.axis)[:, 0]
        if self.relative_to_start:
            f = f + float(self.initial_position @ axis)
        add_along_axis(self, assembly, axis, "along", f, prescribed=0, found=self.relative_to_start)


def travel_at_start(owner: Any, axis: np.ndarray) -> tuple[float, float]:
    """The place of the origin of b along `axis` (2,), a unit vector in frame a, from the origin of that, at the start
    [m], and its rate."""
    e, place = rotation(owner.a.angle) @ axis, owner.b.position
    (beside, _), (speed, _) = (frame.node.moving_at(place) for frame in (owner.a, owner.b))
    return float(e @ (place - owner.a.position)), float(e @ (speed - beside))


def add_travel(owner: Any, assembly: Assembler, axis: np.ndarray) -> Numbers:
    """A new coordinate 'travel' of what acts between two frames: the place of the origin of b along `axis` (2,), a unit
    vector in frame a, from the origin of that. Its row hands forces on it to both frames."""
    start, rate = (np.array([x]) for x in travel_at_start(owner, axis))
    (travel,) = assembly.coordinates(owner, [free(["travel"], "length")], start, rate, given=False)
    add_along_axis(owner, assembly, axis, "travel", Constant(0.0), travel=travel, stays=True)
    return travel


def add_along_axis(
    joint: Any,
    assembly: Assembler,
    axis: np.ndarray,
    row: str,
    position: TimeFunction,
    travel: Numbers | None = None,
    **more: Any,
) -> None:
    """Add the instance that keeps the origin of b at a position along `axis` (2,), a unit vector in frame a; `travel`,
    if there is one, is a coordinate that is added to it."""
    p = np.concatenate([pair_offsets(joint.a, joint.b), rotation(joint.a.offset_angle) @ axis, position.parameters()])
    coordinates = [*pair_coordinates(assembly, joint.a, joint.b), *([] if travel is None else [travel])]
    assembly.instance(joint, ALONG, coordinates, p, [(row, "length")], **more)


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        f, fd, fdd = time_function(p[i], 8, t)
        ex, ey = turned(math.cos(q[iq[i, 2]]), math.sin(q[iq[i, 2]]), p[i, 6], p[i, 7])
        bx, by = frame_arm(p[i], 3, q[iq[i, 5]])
        along = ex * (q[iq[i, 3]] + bx - q[iq[i, 0]]) + ey * (q[iq[i, 4]] + by - q[iq[i, 1]])
        across = ex * (q[iq[i, 4]] + by - q[iq[i, 1]]) - ey * (q[iq[i, 3]] + bx - q[iq[i, 0]])
        ux = v[iv[i, 3]] - v[iv[i, 0]]
        uy = v[iv[i, 4]] - v[iv[i, 1]]
        wa = v[iv[i, 2]]
        wb = v[iv[i, 5]]
        arm_along = ex * bx + ey * by
        arm_across = ex * by - ey * bx
        out[i, 0] = along - (p[i, 6] * p[i, 0] + p[i, 7] * p[i, 1]) - f
        out[i, 1] = ex * ux + ey * uy - wb * arm_across + wa * across - fd
        out[i, 2] = fdd - 2.0 * wa * (ex * uy - ey * ux) + wa * wa * along - (2.0 * wa - wb) * wb * arm_along
        if iv.shape[1] > 6:
            out[i, 0] -= q[iq[i, 6]]
            out[i, 1] -= v[iv[i, 6]]


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        ex, ey = turned(math.cos(q[iq[i, 2]]), math.sin(q[iq[i, 2]]), p[i, 6], p[i, 7])
        bx, by = frame_arm(p[i], 3, q[iq[i, 5]])
        dx = q[iq[i, 3]] + bx - q[iq[i, 0]]
        dy = q[iq[i, 4]] + by - q[iq[i, 1]]
        out[i, 0] = -ex
        out[i, 1] = -ey
        out[i, 2] = ex * dy - ey * dx
        out[i, 3] = ex
        out[i, 4] = ey
        out[i, 5] = ey * bx - ex * by
        if iv.shape[1] > 6:
            out[i, 6] = -1.0
        force = w[2] * lam[i, 0]
        arm = force * (ex * bx + ey * by)
        for j in range(2):  # the axis turns with frame a: ∂e/∂θ_a = n
            n = force * (ex if j == 1 else -ey)
            K[i, j, 2] -= n
            K[i, 2, j] -= n
            K[i, 3 + j, 2] += n
            K[i, 2, 3 + j] += n
        K[i, 2, 2] -= force * (ex * dx + ey * dy)
        K[i, 2, 5] += arm
        K[i, 5, 2] += arm
        K[i, 5, 5] -= arm


#: One row, a coordinate along an axis, where there is one less a coordinate of its own; parameters: offsets (6), the
#: axis in node a (2), function of time.
ALONG = Kernels("along an axis", constraint=constraint, jacobian=jacobian)
