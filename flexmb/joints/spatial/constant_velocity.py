"""Constant velocity joint: two shafts that meet at any angle turn at the same speed.

The joint allows those relative rotations whose rotation vector lies across the shafts. With u, the unit vector along
both shafts when they are in line, and e₀, e the relative quaternion (scalar first, in the axes that coincide then):

    g = 4 e₀ (e · u) = (R_a y)·(R_b x) − (R_a x)·(R_b y),    x, y across u, right-handed

Differentiated, with e · u = 0 and u_a, u_b along the two shafts:

    ġ = (ω_b − ω_a) · (u_a + u_b),    cos β = u_a · u_b

so the relative angular velocity stays in the plane that bisects the shafts, which is the condition of Hunt (1973) for
equal speeds at every bend β. In a joint with balls (Rzeppa) these lie in that plane; two Hooke joints with their forks
in one plane and a centered middle piece do the same. At β = 180° the row is lost.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.joints.spatial.pair_tables import ONE_POINT, AxisJoint
from flexmb.joints.spatial.rows.primitive_rows import (
    PrimitiveRow,
    add_dot_curvature,
    dot_row,
    dot_second_rate,
    relative_matrix,
)
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at
from flexmb.kernels.vectors import dot, minus, put, vector_at, vector_in
from flexmb.model.components import Assembler
from flexmb.model.pairs import pair_coordinates

#: parameters: x and y on a, x and y on b
X_A, Y_A, X_B, Y_B = 0, 3, 6, 9


@dataclass(eq=False)
class ConstantVelocity(AxisJoint):
    """The origins of two frames coincide, and two shafts through them turn at the same speed at every bend.

        g = (R_a y)·(R_b x) − (R_a x)·(R_b y)    (:mod:`flexmb.joints.spatial.constant_velocity`)

    x and y lie across the shafts and coincide when these are in line. The moment on b lies along the bisector of the
    shafts: −λ (u_a + u_b). Bends beyond a right angle are beyond every such joint; at 180° the speeds are free.

    Arguments: `axis`, the shaft on a: 'x', 'y', 'z' or a direction (3,) in the axes of frame a; `axis_b`, that on b
    which goes on in the same direction when the shafts are in line, in the axes of frame b: the same line at the start
    when not given. With shafts that start bent, the joint starts without twist.

    >>> import numpy as np
    >>> import flexmb as fm
    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> a = m.add_body("a", mass=1.0, inertia=(0.1, 0.1, 0.2))
    >>> b = m.add_body("b", mass=1.0, inertia=(0.2, 0.2, 0.2))
    >>> shaft = (np.sin(0.7), 0, np.cos(0.7))
    >>> joints = m.revolute(m.ground, a.frame, axis="z"), m.parallel_axes(m.ground, b.frame, axis=shaft)
    >>> ball = m.constant_velocity(a.frame, b.frame, axis="z", axis_b=shaft)
    >>> a.frame.move(angular_velocity=(0, 0, 3.0))
    >>> b.frame.move(angular_velocity=3.0 * np.array(shaft))
    >>> solution = fm.simulate(m, 2.0, step=0.01, progress=False)
    >>> speed = solution["b"].angular_velocity @ shaft
    >>> bool(np.max(np.abs(speed - 3.0)) < 1e-9)
    True
    """

    _: KW_ONLY
    axis_b: Any = None
    glyphs = ("cage",)
    coordinates = ("rx", "ry")

    def table(self) -> list[PrimitiveRow]:
        return ONE_POINT

    def assemble(self, assembly: Assembler) -> None:
        super().assemble(assembly)
        axes = self.axes()
        p = np.concatenate([*axes.on_a[:2], *axes.on_b[:2]])
        assembly.instance(self, HOMOKINETIC, pair_coordinates(assembly, self.a, self.b), p, [("twist", "angle")])


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        at_q = iq[i]
        answer = out[i]
        R = relative_matrix(quaternion_at(q, at_q, 3), quaternion_at(q, at_q, 10))
        omega_a = vector_at(v, iv[i], 3)
        omega_b = vector_at(v, iv[i], 9)
        for k in range(2):
            sign = 1.0 - 2.0 * k
            u = vector_in(row, Y_A - 3 * k)
            w_b = vector_in(row, X_B + 3 * k)
            value, along_a, along_b = dot_row(R, u, w_b)
            answer[0] += sign * value
            answer[1] += sign * (dot(along_a, omega_a) + dot(along_b, omega_b))
            answer[2] -= sign * dot_second_rate(R, u, w_b, omega_a, omega_b)


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        at_q = iq[i]
        R = relative_matrix(quaternion_at(q, at_q, 3), quaternion_at(q, at_q, 10))
        _, first_a, first_b = dot_row(R, vector_in(row, Y_A), vector_in(row, X_B))
        _, second_a, second_b = dot_row(R, vector_in(row, X_A), vector_in(row, Y_B))
        put(out[i], 3, minus(first_a, second_a))
        put(out[i], 9, minus(first_b, second_b))
        force = w[2] * lam[i, 0]
        add_dot_curvature(K[i], R, vector_in(row, Y_A), vector_in(row, X_B), force)
        add_dot_curvature(K[i], R, vector_in(row, X_A), vector_in(row, Y_B), -force)


#: One row: no twist between two shafts.
HOMOKINETIC = Kernels("constant velocity", constraint=constraint, jacobian=jacobian)
