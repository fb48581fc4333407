r"""Hooker (1975): a tree of rigid bodies with flexible ones at its ends, in its smallest number of equations.

Moments are taken about hinge points, without barycenters. With Xᵢ = Oᵢ − O₁, Yᵢ = Xᵢ + cᵢ, hinge rates Ω̇ᵢ = Σ γ̈ g, what
is left of the accelerations without them, Ψᵢ = Σ γ̇ ġ on the path and Wᵢ of the hinge point,
Vᵢ = Wᵢ + ωᵢ × (ωᵢ × cᵢ) + Ψᵢ × cᵢ, and sums over all that hinge i carries, f its flexible bodies,

    m ρ̈ − Σᵢ [Σ mⱼ (Yⱼ − Xᵢ)] × Ω̇ᵢ + Σ σ_p ξ̈_p = Σ (Fⱼ − mⱼ Vⱼ) − 2 Σ_f ω_f × Σ σ_p ξ̇_p                        (2.4.5)

    gᵢ · {[Σ mⱼ (Yⱼ − Xᵢ)] × ρ̈ + Σₗ Σ [Iⱼ − mⱼ (Yⱼ − Xᵢ)~ (Yⱼ − Xₗ)~] Ω̇ₗ + Σ_f [(X_f − Xᵢ) × σ_p + d_p] ξ̈_p}
       = τᵢ + gᵢ · {Σ [Tⱼ + (Yⱼ − Xᵢ) × Fⱼ − ωⱼ × Iⱼ ωⱼ − Iⱼ Ψⱼ − mⱼ (Yⱼ − Xᵢ) × Vⱼ]
                    − Σ_f [2 Σ ξ̇_p N_p ω_f + (X_f − Xᵢ) × (2 ω_f × Σ σ_p ξ̇_p)]}                                  (2.4.8)

    σ_p·ρ̈ + Σᵢ [(X_f − Xᵢ) × σ_p + d_p]·Ω̇ᵢ + Σ e_pq ξ̈_q
       = Q_p + ω_f·N_p ω_f − 2 ω_f·Σ ξ̇_q z_qp − σ_p·W_f − d_p·Ψ_f                                               (2.4.10)

a symmetric system of the order of the freedoms, which it yields as `matrix`. O₁ of a tree on the ground has no ρ̈. Here
Q has the elastic forces. Of Ohkami et al. (1985), where (2.4.5) has λ ≤ ν, Ψ lacks a dot and (2.4.10) has ξ for ξ̇.
"""

from __future__ import annotations

import numpy as np

from flexmb.formulations.classical.motion import Motion
from flexmb.formulations.classical.paper import Found, Paper
from flexmb.formulations.classical.scope import scope
from flexmb.formulations.classical.topology import tilde
from flexmb.formulations.flexible.singh_likins import free_shifts


def solve(motion: Motion) -> Found:
    """ρ̈, γ̈ and ξ̈ together."""
    m, epsilon, f, w = motion.m, motion.paths, motion.of, motion.omega
    graph, every = motion.topology, np.arange(len(motion.u))
    floats = [(root, shifts) for root in graph.references if len(shifts := free_shifts(motion, root))]
    shifting = np.array([j for _, shifts in floats for j in shifts], dtype=int)
    turns = np.setdiff1d(every[motion.carried_by >= 0], shifting)
    g, of = motion.columns[turns, :3], motion.carried_by[turns]
    # geometry: Yⱼ − Xᵢ of all that hinge i carries, X_f − Xᵢ of its flexible bodies
    C = motion.O + motion.c
    r = (C[None] - motion.O[:, None]) * epsilon[..., None]
    X = tilde(r)
    arms = motion.O[f][None] - motion.O[:, None]
    carried = epsilon[:, f]
    first = np.einsum("j,ija->ia", m, r)
    turning = np.einsum("ij,lj,jab->ilab", epsilon, epsilon, motion.central, optimize=True)
    turning -= np.einsum("j,ijab,ljbc->ilac", m, X, X, optimize=True)
    bending = (np.cross(arms, motion.sigma[None]) + motion.d) * carried[..., None]
    # what is left of accelerations, and loads about mass centers
    still = motion.accelerations()
    Psi, W = still[:, :3], still[:, 3:]
    V = W + np.cross(w, np.cross(w, motion.c)) + np.cross(Psi, motion.c)
    F, T = motion.F - m[:, None] * V, motion.about_centers
    T = T - np.cross(w, np.einsum("jab,jb->ja", motion.central, w)) - np.einsum("jab,jb->ja", motion.central, Psi)
    rates, N = motion.rates, np.einsum("pab,pb->pa", motion.N, w[f])
    coriolis = 2.0 * np.cross(w[f], rates[:, None] * motion.sigma)
    torque = epsilon @ T + np.cross(r, F[None]).sum(axis=1)
    torque -= np.einsum("ip,ipa->ia", carried, 2.0 * rates[:, None] * N + np.cross(arms, coriolis))
    on_modes = motion.Q + np.einsum("pa,pa->p", w[f], N)
    on_modes -= 2.0 * np.einsum("pa,q,qpa->p", w[f], rates, motion.z)
    on_modes -= np.einsum("pa,pa->p", motion.sigma, W[f]) + np.einsum("pa,pa->p", motion.d, Psi[f])

    three, size = 3 * len(floats), 3 * len(floats) + len(turns) + motion.k
    M, right = np.zeros((size, size)), np.zeros(size)
    t, x = slice(three, three + len(turns)), slice(three + len(turns), size)
    M[t, t] = np.einsum("ka,klab,lb->kl", g, turning[np.ix_(of, of)], g, optimize=True)
    M[t, x] = np.einsum("ka,kpa->kp", g, bending[of])
    M[x, x] = motion.e
    right[t] = np.einsum("ka,ka->k", g, torque[of]) + motion.tau[turns]
    right[x] = on_modes
    for k, (root, shifts) in enumerate(floats):
        own, inside, with_modes = slice(3 * k, 3 * k + 3), epsilon[root], epsilon[root][f]
        M[own, own] = (inside @ m) * np.eye(3)
        M[own, t] = (-np.cross(first[of], g) * inside[of][:, None]).T
        M[own, x] = (motion.sigma * with_modes[:, None]).T
        push = np.linalg.solve(motion.columns[shifts, 3:], motion.tau[shifts])
        right[own] = inside @ F - with_modes @ coriolis + push
    M = np.triu(M) + np.triu(M, 1).T
    found = np.linalg.solve(M, right)
    ud = np.zeros_like(motion.u)
    ud[turns], ud[motion.speed] = found[t], found[x]
    for k, (_, shifts) in enumerate(floats):
        ud[shifts] = np.linalg.solve(motion.columns[shifts, 3:].T, found[3 * k : 3 * k + 3])
    return Found(ud, {"matrix": M})


#: Hooker (1975), in the table of formulations
PAPER: Paper = Paper(
    solve, scope("held base", "flexible", classes="②"), "Hooker (1975)",
    {"matrix": "of ρ̈ of each floating base, of γ̈ and of ξ̈, in this order"},
)  # fmt: skip
