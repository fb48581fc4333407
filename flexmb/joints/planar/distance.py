"""Distance between the origins of two frames: a massless rod, or a cylinder of prescribed length."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from flexmb.errors import ModelError
from flexmb.joints.coordinates import checked_distance
from flexmb.joints.planar.joint import Joint
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import pair_arms, separation
from flexmb.kernels.slots import time_function
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.functions.time_function import Constant, TimeFunction


@dataclass(eq=False)
class Distance(Joint):
    """The origins of two frames keep their distance: a massless rod with hinges.

        g = |d| − L,    d = (R_b + A_b u_b) − (R_a + A_a u_a)

    The force along the rod is −λ (pushing the frames apart when positive).

    Arguments: `distance` L [m], above zero; that of the model when not given, or, where it is switched on in a
    run, the one that it finds.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=0.1, position=(3, 4))
    >>> rod = m.distance(m.ground, body.frame)
    >>> fm.System(m).jacobian(0.0, [3, 4, 0]).tolist()
    [[0.6, 0.8, 0.0]]
    """

    distance: float | None = None
    glyphs = ("rod",)

    def check(self) -> None:
        super().check()
        if self.distance is not None:
            self.distance = checks.positive(self.distance, "distance", self.where)
        _check_apart(self)

    def assemble(self, assembly: Assembler) -> None:
        length = _initial_distance(self) if self.distance is None else self.distance
        rows = [("distance", "length")]
        self.add_instance(assembly, DISTANCE, rows, Constant(length).parameters(), 6, found=self.distance is None)


@dataclass(eq=False)
class DriveDistance(Joint):
    """The distance between the origins of two frames follows a function of time: a cylinder.

        g = |d| − f(t),    d = (R_b + A_b u_b) − (R_a + A_a u_a),    u = d/|d|,  w = u turned by +90°
        γ = f̈ − (w·ḋ)²/|d| − ω_a² u·s_a + ω_b² u·s_b,    s = A u the arms of the frames

    The force along the cylinder is −λ (pushing the frames apart when positive).

    Arguments: `distance` f(t) [m], a function of time that stays above zero.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> boom = m.add_body("boom", mass=1.0, inertia=0.1, position=(3, 4))
    >>> cylinder = m.drive_distance(m.ground, boom.frame, fm.SmoothStep(0.0, 2.0, 5.0, 6.0))
    >>> fm.System(m).constraint(2.0, [3, 4, 0], [0, 0, 0])[0].tolist()
    [-1.0]
    """

    distance: TimeFunction | float
    prescribed = "distance"
    prescribed_unit = "m"
    glyphs = ("rod",)

    def check(self) -> None:
        super().check()
        self.distance = checked_distance(self.distance, self.where)
        _check_apart(self)

    def assemble(self, assembly: Assembler) -> None:
        f = assembly.prescribed(self)
        self.add_instance(assembly, DISTANCE, [("distance", "length")], f.parameters(), 6, prescribed=0)


def _initial_distance(joint: Joint) -> float:
    """Distance of the origins, as the model describes them [m]."""
    return float(np.linalg.norm(joint.initial_position))


def _check_apart(joint: Joint) -> None:
    """Refuse two points that start in one place, since no direction joins them."""
    size = max(float(np.linalg.norm(u)) for f in joint.frames() for u in (f.position, f.offset))
    if _initial_distance(joint) <= 1e-12 * size:  # nothing but round-off
        raise ModelError(
            f"{joint.where}: frames {joint.a.name!r} and {joint.b.name!r} start at the same point, so the "
            f"direction between them is unknown; place them apart, or use revolute to keep them together"
        )


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        f, fd, fdd = time_function(p[i], 6, t)
        ax, ay, bx, by = pair_arms(p[i], iq[i], q)
        dx, dy, vx, vy = separation(iq[i], iv[i], q, v, ax, ay, bx, by)
        wa = v[iv[i, 2]]
        wb = v[iv[i, 5]]
        length = math.hypot(dx, dy)
        ux = dx / length
        uy = dy / length
        across = ux * vy - uy * vx
        out[i, 0] = length - f
        out[i, 1] = ux * vx + uy * vy - fd
        turning = wb * wb * (ux * bx + uy * by) - wa * wa * (ux * ax + uy * ay)
        out[i, 2] = fdd - across * across / length + turning


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        ax, ay, bx, by = pair_arms(p[i], iq[i], q)
        dx, dy, _, _ = separation(iq[i], iv[i], q, v, ax, ay, bx, by)
        length = math.hypot(dx, dy)
        ux = dx / length
        uy = dy / length
        a_along = ux * ax + uy * ay
        b_along = ux * bx + uy * by
        out[i, 0] = -ux
        out[i, 1] = -uy
        out[i, 2] = ux * ay - uy * ax
        out[i, 3] = ux
        out[i, 4] = uy
        out[i, 5] = uy * bx - ux * by
        # K = λ (c cᵀ/|d| + u·∂²d/∂q²) with c = w·∂d/∂q, how the rod's direction turns
        force = w[2] * lam[i, 0]
        work[0] = uy
        work[1] = -ux
        work[2] = -a_along
        work[3] = -uy
        work[4] = ux
        work[5] = b_along
        for j in range(6):
            for k in range(6):
                K[i, j, k] += force / length * work[j] * work[k]
        K[i, 2, 2] += force * a_along
        K[i, 5, 5] -= force * b_along


#: One row, the distance between two points; parameters: offsets (6), function of time.
DISTANCE = Kernels("distance", constraint=constraint, jacobian=jacobian)
