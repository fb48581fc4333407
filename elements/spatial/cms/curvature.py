"""Curvatures of a CMS beam in space, exact for sections that are turned by S(u) Rx(φ), with two derivatives.

With u = (v', w'), s = u' along the beam, and Stumpff's functions c_k of x = u·u (c₁ = sin θ/θ, …), R' = R κ̃ gives

    κ₁ = φ' − c₂ (u₁ s₂ − u₂ s₁),   h = c₁ s + c₃ (u·s) u,   κ₂ = h₁ sin φ − h₂ cos φ,   κ₃ = h₁ cos φ + h₂ sin φ

about x, y and z. To second order these are
κ₁ = φ' − ½ (v' w'' − w' v''), κ₂ = −w'' + φ v'', κ₃ = v'' + φ w''. Local variables are (u₁, u₂, s₁, s₂, φ, φ').
"""

from __future__ import annotations

import math

from flexmb.elements.spatial.cms.swing import second_rates, stumpff, stumpff_rates
from flexmb.kernels.compilation import called


@called(None)
def curvature_gradient(x, kappa, B):
    """κ (3,) and its gradient B (3, 6) by the local variables x (6,)."""
    u0, u1, s0, s1 = x[0], x[1], x[2], x[3]
    c = stumpff(u0 * u0 + u1 * u1)
    r = stumpff_rates(c)
    dt, cr = u0 * s0 + u1 * s1, u0 * s1 - u1 * s0
    co, si = math.cos(x[4]), math.sin(x[4])
    h0, h1 = c[1] * s0 + c[3] * dt * u0, c[1] * s1 + c[3] * dt * u1
    kappa[0] = x[5] - c[2] * cr
    kappa[1] = -h1 * co + h0 * si
    kappa[2] = h0 * co + h1 * si
    B[0, 0] = -2.0 * r[2] * u0 * cr - c[2] * s1
    B[0, 1] = -2.0 * r[2] * u1 * cr + c[2] * s0
    B[0, 2] = c[2] * u1
    B[0, 3] = -c[2] * u0
    B[0, 4] = 0.0
    B[0, 5] = 1.0
    # gradients of h0 and h1, turned by φ
    a, b = 2.0 * r[1], 2.0 * r[3] * dt
    for k in range(4):
        if k < 2:
            u, s = x[k], x[k + 2]
            g0 = a * u * s0 + (b * u + c[3] * s) * u0
            g1 = a * u * s1 + (b * u + c[3] * s) * u1
            if k == 0:
                g0 += c[3] * dt
            else:
                g1 += c[3] * dt
        else:
            g0 = c[3] * x[k - 2] * u0
            g1 = c[3] * x[k - 2] * u1
            if k == 2:
                g0 += c[1]
            else:
                g1 += c[1]
        B[1, k] = -g1 * co + g0 * si
        B[2, k] = g0 * co + g1 * si
    B[1, 4], B[1, 5] = kappa[2], 0.0
    B[2, 4], B[2, 5] = -kappa[1], 0.0


@called(None)
def curvature_hessian(x, kappa, B, m0, m1, m2, A):
    """A (6, 6) = Σ m_j ∂²κ_j/∂x²; κ and B are those of :func:`curvature_gradient`."""
    c = stumpff(x[0] * x[0] + x[1] * x[1])
    r = stumpff_rates(c)
    q = second_rates(r)
    dt, cr = x[0] * x[2] + x[1] * x[3], x[0] * x[3] - x[1] * x[2]
    co, si = math.cos(x[4]), math.sin(x[4])
    # in the axes without twist: Σ m_j κ_j = n · h
    n0, n1 = m2 * co + m1 * si, m2 * si - m1 * co
    ns, nu = n0 * x[2] + n1 * x[3], n0 * x[0] + n1 * x[1]
    for i in range(6):
        for j in range(6):
            A[i, j] = 0.0
    for i in range(2):
        ui, si_, ni = x[i], x[i + 2], n0 if i == 0 else n1
        cri = x[3] if i == 0 else -x[2]
        for j in range(2):
            uj, sj, nj = x[j], x[j + 2], n0 if j == 0 else n1
            crj = x[3] if j == 0 else -x[2]
            crjs = x[0] if j == 1 else -x[1]  # by s_j
            same = 1.0 if i == j else 0.0
            # (c₂ cr), with its sign; c₁ n·s; c₃ dt n·u
            twist = (2.0 * r[2] * same + 4.0 * q[2] * ui * uj) * cr + 2.0 * r[2] * (ui * crj + uj * cri)
            A[i, j] = (2.0 * r[1] * same + 4.0 * q[1] * ui * uj) * ns
            A[i, j] += (2.0 * r[3] * same + 4.0 * q[3] * ui * uj) * dt * nu
            A[i, j] += 2.0 * r[3] * (ui * (sj * nu + dt * nj) + uj * (si_ * nu + dt * ni)) + c[3] * (si_ * nj + sj * ni)
            A[i, j] -= m0 * twist
            sign = 0.0 if i == j else (1.0 if i == 0 else -1.0)  # ∂² cr/∂u_i ∂s_j
            mixed = 2.0 * r[1] * ui * nj + 2.0 * r[3] * ui * uj * nu + c[3] * (same * nu + uj * ni)
            mixed -= m0 * (2.0 * r[2] * ui * crjs + c[2] * sign)
            A[i, 2 + j] = mixed
            A[2 + j, i] = mixed
    for k in range(4):
        A[4, k] = m1 * B[2, k] - m2 * B[1, k]
        A[k, 4] = A[4, k]
    A[4, 4] = -m1 * kappa[1] - m2 * kappa[2]
