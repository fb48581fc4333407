"""Drive of an orientation: that of one frame against another follows a rotation over time.

With A_a, A_b the orientations of the frames, A(t) the rotation prescribed, and unit quaternions p of its error

    p = (e₀, e) of  A(t)ᵀ A_aᵀ A_b,  e₀ ≥ 0,     g = 2 e

which is zero there alone, and near it the rotation vector of the error. With w the angular velocity of the axes that
are prescribed, in these, ω_b that of frame b in its own axes, and Ω that of A(t):

    2 ṗ = p ∘ ω_b − w ∘ p,   w = A(t)ᵀ A_aᵀ ω_a + Ω,   ẇ = (A(t)ᵀ A_aᵀ ω_a) × Ω + Ω̇  without accelerations
    ġ = (e₀ + ẽ) ω_b − (e₀ − ẽ) w,   γ = −g̈ from the rate of the line above
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.joints.spatial.joint import SpatialJoint
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotation_functions import rotation_function
from flexmb.kernels.rotations import (
    inverse,
    product,
    quaternion_at,
    quaternion_in,
    rotation_matrix,
    turned_back,
)
from flexmb.kernels.vectors import (
    add_block,
    combined,
    cross,
    dot,
    matrix_product,
    minus,
    outer,
    plus,
    put,
    tilde,
    times,
    transposed,
    vector_at,
    vector_in,
)
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.functions.rotations_over_time import checked_rotation, is_rotation, rotation_parameters
from flexmb.model.functions.smooth_functions import Polynomial
from flexmb.model.functions.time_function import TimeFunction, as_motion
from flexmb.model.pairs import pair_coordinates

#: parameters: the quaternions of both frames in their bodies, that of b turned back to the start if the rotation is
#: measured from there; the rotation over time
AXES_A, AXES_B, ROTATION = 0, 4, 8


@dataclass(eq=False)
class DriveRotation(SpatialJoint):
    """The orientation of frame b against frame a follows a rotation over time; their origins are free.

        A_aᵀ A_b = A(t)    (:mod:`flexmb.joints.spatial.drives.drive_rotation`), three rows

    The moment on b is −λ, in the axes of frame b.

    Arguments: `rotation`, with the axes of frame a as those of the observer, one of

    - rotations of SciPy at the `times` (n,) [s], rising: the spline between them has continuous angular velocity and
      acceleration (SciPy's RotationSpline); before and after it the orientation stays, so that a speed that the spline
      has at its ends jumps there;
    - three functions of time, or numbers: the Euler angles [rad] of a `sequence` (:func:`flexmb.euler_angles`), which
      may grow through any number of turns;
    - three functions of time without a sequence: the rotation vector [rad];
    - one orientation, a rotation of SciPy or a matrix (3, 3), which is held.

    `relative_to_start`: the rotation turns frame b on from its orientation in the model, A_aᵀ A_b = A(t) (A_aᵀ A_b)₀.

    >>> import flexmb as fm
    >>> from scipy.spatial.transform import Rotation
    >>> m = fm.SpatialModel("m")
    >>> tilt = Rotation.from_euler("X", 0.5)
    >>> dish = m.add_body("dish", mass=1.0, inertia=(0.1, 0.1, 0.2), orientation=tilt)
    >>> joint = m.spherical(m.ground, dish.frame)
    >>> turn = m.drive_rotation(m.ground, dish.frame, (fm.Polynomial([0, 3.0]), 0.5, 0.0), sequence="ZXZ", name="turn")
    >>> motion = fm.kinematics(m, 2.0, steps=4)
    >>> float(motion["dish"].angular_velocity[-1, 2].round(9))
    3.0
    """

    rotation: Any
    _: KW_ONLY
    times: Any = None
    sequence: str | None = None
    relative_to_start: bool = False
    glyphs = ("motor",)

    @property
    def measures_from_start(self) -> bool:
        return self.relative_to_start

    def functions(self) -> list[TimeFunction]:
        found = () if self.times is not None or is_rotation(self.rotation) else self.rotation
        return [f for f in found if isinstance(f, TimeFunction)]

    def kinks_until(self, t_end: float) -> list[float]:
        return super().kinks_until(t_end) if self.times is None else [float(self.times[0]), float(self.times[-1])]

    def check(self) -> None:
        super().check()
        self.relative_to_start = checks.flag(self.relative_to_start, "relative_to_start", self.where)
        given = self.rotation, self.times, self.sequence
        self.rotation, self.times = checked_rotation(*given, self.where, as_motion)

    def assemble(self, assembly: Assembler) -> None:
        axes_b = tuple(self.b.axes)
        if self.relative_to_start:
            start = product(inverse(tuple(self.a.quaternion)), tuple(self.b.quaternion))
            axes_b = product(axes_b, inverse(start))
        clock = assembly.held(Polynomial([0.0, 1.0]))
        turning = rotation_parameters(clock, self.rotation, self.times, self.sequence, self.where)
        p = np.concatenate([self.a.axes, axes_b, *turning])
        rows = [(f"turn {x}", "angle") for x in "xyz"]
        assembly.instance(self, ROTATION_DRIVE, pair_coordinates(assembly, self.a, self.b), p, rows)


@compiled
def _error(row, t, A, B):
    """p with e₀ ≥ 0, the quaternion from the axes prescribed to those of body a, and Ω, Ω̇."""
    D, omega, alpha = rotation_function(row, ROTATION, t)
    wanted = product(quaternion_in(row, AXES_A), D)
    p = product(inverse(product(A, wanted)), product(B, quaternion_in(row, AXES_B)))
    if p[0] < 0.0:
        p = (-p[0], -p[1], -p[2], -p[3])
    return p, wanted, omega, alpha


@compiled
def _after(p, y):
    """The vector part of p ∘ y for a quaternion p and a vector y, and the scalar part."""
    e = (p[1], p[2], p[3])
    return plus(times(p[0], y), cross(e, y)), -dot(e, y)


@compiled
def _before(y, p):
    """The vector part of y ∘ p, and the scalar part."""
    e = (p[1], p[2], p[3])
    return plus(times(p[0], y), cross(y, e)), -dot(e, y)


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        x, wanted, omega, alpha = _error(row, t, quaternion_at(q, iq[i], 3), quaternion_at(q, iq[i], 10))
        carried = turned_back(wanted, vector_at(v, iv[i], 3))
        w_a = plus(carried, omega)
        w_b = turned_back(quaternion_in(row, AXES_B), vector_at(v, iv[i], 9))
        forward, f0 = _after(x, w_b)
        backward, b0 = _before(w_a, x)
        rate = minus(forward, backward)
        xd = (0.5 * (f0 - b0), 0.5 * rate[0], 0.5 * rate[1], 0.5 * rate[2])
        rate_of_w = plus(cross(carried, omega), alpha)
        put(out[i], 0, (2.0 * x[1], 2.0 * x[2], 2.0 * x[3]))
        put(out[i], 3, rate)
        bent = plus(_before(rate_of_w, x)[0], _before(w_a, xd)[0])
        put(out[i], 6, minus(bent, _after(xd, w_b)[0]))


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        answer = out[i]
        x, wanted, _, _ = _error(row, t, quaternion_at(q, iq[i], 3), quaternion_at(q, iq[i], 10))
        e = (x[1], x[2], x[3])
        one = (x[0], 0.0, 0.0, 0.0, x[0], 0.0, 0.0, 0.0, x[0])
        to_a = rotation_matrix(wanted)
        to_b = rotation_matrix(quaternion_in(row, AXES_B))
        # 2 ∂e/∂y in the axes of the frames: (e₀ + ẽ) for b and −(e₀ − ẽ) for a
        by_b = combined(1.0, one, 1.0, tilde(e))
        by_a = combined(-1.0, one, 1.0, tilde(e))
        G_a = matrix_product(by_a, transposed(to_a))
        G_b = matrix_product(by_b, transposed(to_b))
        for k in range(3):
            put(answer, 12 * k + 3, (G_a[3 * k], G_a[3 * k + 1], G_a[3 * k + 2]))
            put(answer, 12 * k + 9, (G_b[3 * k], G_b[3 * k + 1], G_b[3 * k + 2]))
        # Gᵀ λ is e₀ λ − e × λ on b and −e₀ λ − e × λ on a, where 2 δe₀ = −e · (y_b − y_a)
        force = vector_in(lam[i], 0)
        moment = tilde(force)
        spread = outer(force, e)
        half = 0.5 * w[2]
        b_b = combined(-1.0, spread, 1.0, matrix_product(moment, by_b))
        b_a = combined(1.0, spread, 1.0, matrix_product(moment, by_a))
        a_b = combined(1.0, spread, 1.0, matrix_product(moment, by_b))
        a_a = combined(-1.0, spread, 1.0, matrix_product(moment, by_a))
        add_block(K[i], 9, 9, half, matrix_product(to_b, matrix_product(b_b, transposed(to_b))))
        add_block(K[i], 9, 3, half, matrix_product(to_b, matrix_product(b_a, transposed(to_a))))
        add_block(K[i], 3, 9, half, matrix_product(to_a, matrix_product(a_b, transposed(to_b))))
        add_block(K[i], 3, 3, half, matrix_product(to_a, matrix_product(a_a, transposed(to_a))))


#: Three rows on the orientations of two nodes.
ROTATION_DRIVE = Kernels("drive of an orientation", constraint=constraint, jacobian=jacobian)
