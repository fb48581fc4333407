"""Bushing: springs and dampers in the axes of a frame, for two directions and the angle."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.forces.planar.pair_force import PairForce, add_product
from flexmb.kernels.compilation import compiled, inlined, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import pair_arms, separation
from flexmb.model import checks
from flexmb.model.components import Assembler


@dataclass(eq=False)
class Bushing(PairForce):
    """An elastic bearing between two frames, whose stiffness lies in the axes of frame a.

        u = A_aᵀ (r_b − r_a),   δ = θ_b − θ_a,   e = (u, δ) − e₀,   (N, M) = S e + C ė

    N (in the axes of a) and M act on a, −N and −M on b, all at the point r_b, so that forces and moments
    balance however large u is. Strain energy ½ eᵀ S e, dissipated power ėᵀ C ė.

    Arguments: `name`; frames `a`, `b`; `stiffness` S, three numbers (x [N/m], y [N/m], angle [Nm/rad]) or a
    symmetric matrix (3, 3) without negative eigenvalue; `damping` C, likewise; `free` e₀ (3,) [m, m, rad],
    the position without force (the initial one when not given).

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=0.1)
    >>> m.bushing(m.ground, body.frame, stiffness=(1e5, 1e5, 10.0)).matrix("stiffness").shape
    (3, 3)
    """

    _: KW_ONLY
    stiffness: Any = (0.0, 0.0, 0.0)
    damping: Any = (0.0, 0.0, 0.0)
    free: Any = None
    kind = "bushing"
    glyphs = ("bushing",)

    def check(self) -> None:
        super().check()
        self.matrix("stiffness")
        self.matrix("damping")
        if self.free is not None:
            self.free = checks.vector(self.free, "free", self.where, 3)

    def matrix(self, what: str) -> np.ndarray:
        """The matrix (3, 3) of 'stiffness' or 'damping'."""
        wanted = "three finite numbers (x, y, angle) or a matrix (3, 3)"
        return checks.symmetric_matrix(getattr(self, what), what, self.where, 3, wanted)

    def assemble(self, assembly: Assembler) -> None:
        c, s = math.cos(self.a.angle), math.sin(self.a.angle)
        d = self.b.position - self.a.position
        initial = [c * d[0] + s * d[1], c * d[1] - s * d[0], self.initial_angle]
        rest = initial if self.free is None else self.free
        own = np.concatenate([rest, self.matrix("stiffness").ravel(), self.matrix("damping").ravel()])
        self.add_instance(assembly, BUSHING, parameters=own, work=63)


@inlined
def deformation(p, iq, iv, q, v, e):
    """Put e into e[0:3] and ė into e[3:6]; return cosine and sine of the angle of frame a, the arms of both frames, and
    d = r_b − r_a."""
    c = math.cos(q[iq[2]] + p[2])
    s = math.sin(q[iq[2]] + p[2])
    ax, ay, bx, by = pair_arms(p, iq, q)
    dx, dy, ex, ey = separation(iq, iv, q, v, ax, ay, bx, by)
    wa = v[iv[2]]
    ex += wa * dy
    ey -= wa * dx
    e[0] = c * dx + s * dy - p[6]
    e[1] = c * dy - s * dx - p[7]
    e[2] = q[iq[5]] + p[5] - q[iq[2]] - p[2] - p[8]
    e[3] = c * ex + s * ey
    e[4] = c * ey - s * ex
    e[5] = v[iv[5]] - wa
    return c, s, ax, ay, bx, by, dx, dy


@compiled
def resultant(p, e, n):
    """Put S e + C ė, in the axes of frame a, into e[n : n + 3]."""
    for j in range(3):
        e[n + j] = 0.0
        for k in range(3):
            e[n + j] += p[9 + 3 * j + k] * e[k] + p[18 + 3 * j + k] * e[3 + k]


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        c, s, ax, ay, bx, by, dx, dy = deformation(p[i], iq[i], iv[i], q, v, work)
        resultant(p[i], work, 6)
        fx = c * work[6] - s * work[7]
        fy = s * work[6] + c * work[7]
        out[i, 0] = -fx
        out[i, 1] = -fy
        out[i, 2] = (ay + dy) * fx - (ax + dx) * fy - work[8]
        out[i, 3] = fx
        out[i, 4] = fy
        out[i, 5] = bx * fy - by * fx + work[8]


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    # work: B = ∂e/∂q (3, 6) | T (3, 6), the weighted derivative of (N, M) | D = ∂ė/∂q (3, 6) | e, ė, (N, M)
    e = work[54:]
    for i in range(p.shape[0]):
        c, s, ax, ay, bx, by, dx, dy = deformation(p[i], iq[i], iv[i], q, v, e)
        wa = v[iv[i, 2]]
        wb = v[iv[i, 5]]
        resultant(p[i], e, 6)
        sx = ax + dx
        sy = ay + dy
        for j in range(54):
            work[j] = 0.0
        work[0] = -c
        work[1] = -s
        work[2] = c * sy - s * sx
        work[3] = c
        work[4] = s
        work[5] = s * bx - c * by
        work[6] = s
        work[7] = -c
        work[8] = -s * sy - c * sx
        work[9] = -s
        work[10] = c
        work[11] = c * bx + s * by
        work[14] = -1.0
        work[17] = 1.0
        # ∂u̇/∂q with u̇ = A_aᵀ (Ṙ_b − Ṙ_a − ω_a s⊥ + ω_b b⊥): turning A_a, then moving s and b
        work[36 + 2] = e[4]
        work[42 + 2] = -e[3]
        for j in range(2):
            # δs = δR_b − δR_a + b⊥ δθ_b, and −(δs)⊥ in the axes of a: (x, y) of a vector's ⊥ is (−y, x)
            work[36 + j] = wa * work[6 + j]
            work[42 + j] = -wa * work[j]
            work[39 + j] = wa * work[9 + j]
            work[45 + j] = -wa * work[3 + j]
        # A_aᵀ b = (b1, b2) = (work[11], −work[5]); the columns of θ_b are (ω_a − ω_b) b
        work[41] = (wa - wb) * work[11]
        work[47] = -(wa - wb) * work[5]
        for j in range(3):
            for n in range(6):
                total = 0.0
                for k in range(3):
                    S = p[i, 9 + 3 * j + k]
                    C = p[i, 18 + 3 * j + k]
                    total += (w[2] * S + w[1] * C) * work[6 * k + n] + w[2] * C * work[36 + 6 * k + n]
                work[18 + 6 * j + n] = total
        add_product(K[i], work, 3, 6)
        # Σ N_k ∂B_k/∂q, symmetric: the second derivative of u at fixed N
        n1 = w[2] * e[6]
        n2 = w[2] * e[7]
        fx = c * n1 - s * n2
        fy = s * n1 + c * n2
        K[i, 0, 2] += fy
        K[i, 2, 0] += fy
        K[i, 1, 2] -= fx
        K[i, 2, 1] -= fx
        K[i, 3, 2] -= fy
        K[i, 2, 3] -= fy
        K[i, 4, 2] += fx
        K[i, 2, 4] += fx
        K[i, 2, 2] -= fx * sx + fy * sy
        K[i, 5, 5] -= fx * bx + fy * by
        K[i, 2, 5] += fx * bx + fy * by
        K[i, 5, 2] += fx * bx + fy * by


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        deformation(p[i], iq[i], iv[i], q, v, work)
        for j in range(3):
            for k in range(3):
                out[i, 1] += 0.5 * work[j] * p[i, 9 + 3 * j + k] * work[k]
                out[i, 3] += work[3 + j] * p[i, 18 + 3 * j + k] * work[3 + k]


BUSHING = Kernels("bushing", residual=residual, tangent=tangent, energy=energy)
