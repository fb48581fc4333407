"""Bushing in space: springs and dampers in the axes of a frame, for three directions and three rotations."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import (
    inverse,
    inverse_rate_map,
    inverse_rate_map_change,
    log,
    product,
    quaternion_at,
    quaternion_in,
    rotation_matrix,
    turned,
    turned_back,
)
from flexmb.kernels.vectors import (
    add_block,
    applied,
    combined,
    cross,
    matrix_product,
    minus,
    plus,
    put,
    tilde,
    tilde_product,
    times,
    transposed,
    vector_at,
    vector_in,
)
from flexmb.model import checks
from flexmb.model.components import Assembled, Assembler, Doubt
from flexmb.model.orientations import Orientation, quaternion_of, rotation_of
from flexmb.model.pairs import pair_coordinates
from flexmb.model.spatial_frames import SpatialPair

#: parameters: the arms of the two frames (6), the quaternions of their axes in those of their bodies (8), the free
#: place of b (3), S (36), C (36); the orientation of b is that of its frame, turned back by the free rotation
ARM_A, ARM_B, AXES_A, AXES_B, FREE, STIFFNESS, DAMPING, LENGTH = 0, 3, 6, 10, 14, 17, 53, 89
#: scratch: B = ∂e/∂y (6, 12) | T (6, 12), the weighted derivative of (N, M) | D = ∂ė/∂y (6, 12) | e, ė, (N, M)
_T, _D, _E, WORK = 72, 144, 216, 234
#: rotation [rad] from which on results are doubted, a tenth before half a turn
LARGEST = 0.9 * math.pi


@dataclass(eq=False)
class Bushing(SpatialPair):
    """An elastic bearing between two frames in space, whose stiffness lies in the axes of frame a.

        e = (u − u₀, φ),   u = A_aᵀ (r_b − r_a),   exp φ = A_aᵀ A_b A₀ᵀ,   (N, M) = S e + C ė
        φ̇ = T⁻¹(φ) ω_b − T⁻ᵀ(φ) ω_a,   ω in the axes of the frames, b turned back by A₀

    N acts on a and −N on b, both at the point r_b; the moment T⁻¹(φ) M acts on a and −T⁻ᵀ(φ) M on b, each in its own
    axes. So forces and moments balance however large u and φ are. Strain energy ½ eᵀ S e, dissipated power ėᵀ C ė.
    The rotation vector φ goes the shorter way; beyond half a turn it jumps to the other side, and the moment with it; a
    run warns of rotations that come near.
    For turns about a hinge take a :class:`~flexmb.forces.torsion_spring.TorsionSpring`.

    Arguments: `name`; frames `a`, `b`; `stiffness` S, six numbers (along x, y, z [N/m], about x, y, z [Nm/rad]) or a
    symmetric matrix (6, 6) without negative eigenvalue; `damping` C, likewise; `free` u₀ (3,) [m] and
    `free_orientation` A₀, the place and orientation of b in the axes of a without force (those at the start when not
    given).

    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> m.bushing(m.ground, body.frame, stiffness=(1e5, 1e5, 1e5, 10.0, 10.0, 10.0)).matrix("stiffness").shape
    (6, 6)
    """

    _: KW_ONLY
    stiffness: Any = (0.0,) * 6
    damping: Any = (0.0,) * 6
    free: Any = None
    free_orientation: Orientation = None
    kind = "bushing"
    glyphs = ("bushing",)

    def check(self) -> None:
        super().check()
        self.matrix("stiffness")
        self.matrix("damping")
        if self.free is not None:
            self.free = checks.vector(self.free, "free", self.where, 3)
        quaternion_of(self.free_orientation, "free_orientation", self.where)

    def matrix(self, what: str) -> np.ndarray:
        """The matrix (6, 6) of 'stiffness' or 'damping'."""
        wanted = "six finite numbers (along x, y, z, about x, y, z) or a matrix (6, 6)"
        return checks.symmetric_matrix(getattr(self, what), what, self.where, 6, wanted)

    def assemble(self, assembly: Assembler) -> None:
        a, b = tuple(self.a.quaternion), tuple(self.b.quaternion)
        place = turned_back(a, tuple(self.b.position - self.a.position)) if self.free is None else self.free
        rest = product(inverse(a), b)
        if self.free_orientation is not None:
            rest = tuple(quaternion_of(self.free_orientation, "free_orientation", self.where))
        axes_b = product(tuple(self.b.axes), inverse(rest))
        S, C = (self.matrix(what).ravel() for what in ("stiffness", "damping"))
        p = np.concatenate([self.a.offset, self.b.offset, self.a.axes, axes_b, place, S, C])
        assembly.instance(self, SPATIAL_BUSHING, pair_coordinates(assembly, self.a, self.b), p, work=WORK)

    def doubts(self, system: Assembled, q: np.ndarray) -> list[Doubt]:
        """A warning if its rotation comes near half a turn, where the moment jumps."""
        (instance,) = system.instances_of(self.name)
        p, numbers = instance.parameters, instance.coordinates
        A = rotation_of(q[:, numbers[3:7]]) * rotation_of(p[AXES_A:AXES_B])
        B = rotation_of(q[:, numbers[10:14]]) * rotation_of(p[AXES_B:FREE])
        angles = (A.inv() * B).magnitude()
        if not np.max(angles) > LARGEST:
            return []
        text = (
            f"{self.where} turns by up to {np.max(angles):.3g} rad; at half a turn its moment jumps to the other side; "
            "for turns about a hinge take a torsion spring"
        )
        return [Doubt(int(np.argmax(angles > LARGEST)), text)]


@compiled
def _deformation(p, iq, iv, q, v, e):
    """Put e into e[0:6], ė into e[6:12] and (N, M) into e[12:18]."""
    A = quaternion_at(q, iq, 3)
    B = quaternion_at(q, iq, 10)
    axes_a = quaternion_in(p, AXES_A)
    axes_b = quaternion_in(p, AXES_B)
    omega_a = vector_at(v, iv, 3)
    omega_b = vector_at(v, iv, 9)
    # from the node of a to the point of b, and the rate of the distance seen from a, both in the axes of body a
    lever = turned_back(A, minus(plus(vector_at(q, iq, 7), turned(B, vector_in(p, ARM_B))), vector_at(q, iq, 0)))
    speed = plus(vector_at(v, iv, 6), turned(B, cross(omega_b, vector_in(p, ARM_B))))
    rate = plus(turned_back(A, minus(speed, vector_at(v, iv, 0))), cross(lever, omega_a))
    put(e, 0, minus(turned_back(axes_a, minus(lever, vector_in(p, ARM_A))), vector_in(p, FREE)))
    put(e, 6, turned_back(axes_a, rate))
    phi = log(product(inverse(product(A, axes_a)), product(B, axes_b)))
    Ti = inverse_rate_map(phi)
    put(e, 3, phi)
    put(e, 9, minus(applied(Ti, turned_back(axes_b, omega_b)), applied(transposed(Ti), turned_back(axes_a, omega_a))))
    for j in range(6):
        total = 0.0
        for k in range(6):
            total += p[STIFFNESS + 6 * j + k] * e[k] + p[DAMPING + 6 * j + k] * e[6 + k]
        e[12 + j] = total
    return A, B, axes_a, axes_b, lever


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        at_q = iq[i]
        at_v = iv[i]
        answer = out[i]
        A, B, axes_a, axes_b, lever = _deformation(row, at_q, at_v, q, v, work)
        Ti = inverse_rate_map(vector_in(work, 3))
        n = turned(axes_a, vector_in(work, 12))
        force = turned(A, n)
        moment = vector_in(work, 15)
        put(answer, 0, times(-1.0, force))
        put(answer, 3, minus(cross(n, lever), turned(axes_a, applied(Ti, moment))))
        put(answer, 6, force)
        at_b = cross(vector_in(row, ARM_B), turned_back(B, force))
        put(answer, 9, plus(at_b, turned(axes_b, applied(transposed(Ti), moment))))


@compiled
def _put_block(work, at, k, X):
    """Write a matrix into a (6, 12) one that begins at work[at]: its columns k … k + 2 and its first rows."""
    for r in range(3):
        for c in range(3):
            work[at + 12 * r + k + c] = X[3 * r + c]


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    e = work[_E:]
    for i in range(p.shape[0]):
        row = p[i]
        at_q = iq[i]
        at_v = iv[i]
        block = K[i]
        A, B, axes_a, axes_b, lever = _deformation(row, at_q, at_v, q, v, e)
        for j in range(_E):
            work[j] = 0.0
        omega_a = vector_at(v, at_v, 3)
        omega_b = vector_at(v, at_v, 9)
        arm_b = vector_in(row, ARM_B)
        Ra = rotation_matrix(A)
        Oa = rotation_matrix(axes_a)
        Ob = rotation_matrix(axes_b)
        Oat = transposed(Oa)
        from_ground = matrix_product(Oat, transposed(Ra))
        relative = matrix_product(transposed(Ra), rotation_matrix(B))
        moved = matrix_product(relative, tilde(arm_b))
        # u = O_aᵀ (R_aᵀ (r_b + R_b s_b − r_a) − s_a)
        _put_block(work, 0, 0, combined(-1.0, from_ground, 0.0, from_ground))
        _put_block(work, 0, 3, matrix_product(Oat, tilde(lever)))
        _put_block(work, 0, 6, from_ground)
        _put_block(work, 0, 9, combined(-1.0, matrix_product(Oat, moved), 0.0, Oat))
        # u̇ = O_aᵀ (V + lever × ω_a), V the velocity of the point of b, less that of node a, in the axes of body a
        spin = matrix_product(Oat, tilde(omega_a))
        carried = matrix_product(spin, transposed(Ra))
        shift = minus(vector_at(v, at_v, 6), vector_at(v, at_v, 0))
        V = plus(turned_back(A, shift), applied(relative, cross(omega_b, arm_b)))
        _put_block(work, _D, 0, carried)
        _put_block(work, _D, 3, combined(1.0, matrix_product(Oat, tilde(V)), -1.0, matrix_product(spin, tilde(lever))))
        _put_block(work, _D, 6, combined(-1.0, carried, 0.0, carried))
        swung = matrix_product(Oat, matrix_product(relative, tilde(cross(omega_b, arm_b))))
        _put_block(work, _D, 9, combined(-1.0, swung, 1.0, matrix_product(spin, moved)))
        # φ̇ = T⁻¹ O_bᵀ ω_b − T⁻ᵀ O_aᵀ ω_a, of which all but the angular velocities depends on φ alone
        phi = vector_in(e, 3)
        Ti = inverse_rate_map(phi)
        B_a = combined(-1.0, matrix_product(transposed(Ti), Oat), 0.0, Oat)
        B_b = matrix_product(Ti, transposed(Ob))
        _put_block(work, 36, 3, B_a)
        _put_block(work, 36, 9, B_b)
        change_a = inverse_rate_map_change(phi, turned_back(axes_a, omega_a), -1.0)
        change_b = inverse_rate_map_change(phi, turned_back(axes_b, omega_b), 1.0)
        change = combined(1.0, change_b, -1.0, change_a)
        _put_block(work, _D + 36, 3, matrix_product(change, B_a))
        _put_block(work, _D + 36, 9, matrix_product(change, B_b))
        for j in range(6):
            for n in range(12):
                total = 0.0
                for k in range(6):
                    S = row[STIFFNESS + 6 * j + k]
                    C = row[DAMPING + 6 * j + k]
                    total += (w[2] * S + w[1] * C) * work[12 * k + n] + w[2] * C * work[_D + 12 * k + n]
                work[_T + 12 * j + n] = total
        for k in range(6):
            for j in range(12):
                left = work[12 * k + j]
                if left != 0.0:
                    for n in range(12):
                        block[j, n] += left * work[_T + 12 * k + n]
        # (∂Bᵀ/∂y) (N, M) at fixed N and M
        n = turned(axes_a, vector_in(e, 12))
        n_b = turned_back(B, turned(A, n))
        turning = matrix_product(Ra, tilde(n))
        mixed = matrix_product(tilde(n), moved)
        add_block(block, 0, 3, w[2], turning)
        add_block(block, 3, 0, w[2], transposed(turning))
        add_block(block, 6, 3, -w[2], turning)
        add_block(block, 3, 6, -w[2], transposed(turning))
        add_block(block, 3, 3, w[2], tilde_product(n, lever))
        add_block(block, 9, 9, w[2], tilde_product(arm_b, n_b))
        add_block(block, 3, 9, -w[2], mixed)
        add_block(block, 9, 3, -w[2], transposed(mixed))
        moment = vector_in(e, 15)
        on_a = matrix_product(Oa, inverse_rate_map_change(phi, moment, 1.0))
        on_b = matrix_product(Ob, inverse_rate_map_change(phi, moment, -1.0))
        add_block(block, 3, 3, -w[2], matrix_product(on_a, B_a))
        add_block(block, 3, 9, -w[2], matrix_product(on_a, B_b))
        add_block(block, 9, 3, w[2], matrix_product(on_b, B_a))
        add_block(block, 9, 9, w[2], matrix_product(on_b, B_b))


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        at_q = iq[i]
        at_v = iv[i]
        answer = out[i]
        _deformation(row, at_q, at_v, q, v, work)
        for j in range(6):
            for k in range(6):
                answer[1] += 0.5 * work[j] * row[STIFFNESS + 6 * j + k] * work[k]
                answer[3] += work[6 + j] * row[DAMPING + 6 * j + k] * work[6 + k]


SPATIAL_BUSHING = Kernels("bushing in space", residual=residual, tangent=tangent, energy=energy)
