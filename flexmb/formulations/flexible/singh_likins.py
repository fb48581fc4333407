r"""Singh and Likins (1983), TREETOPS: flexible bodies by partial velocities, with the mass center of the whole.

Of a tree that floats freely the speeds are those of its mass center, Ṙᶜ, of the root, ω¹, of modes and of hinges. With
V' the partial velocities of the bodies as the material point of the root stands still, and the root turns about it,

    Vⱼᵏ = V'ⱼᵏ − V̄ⱼ,    V̄ⱼ = (1/m) Σₗ [mₗ V'ⱼˡ + ωⱼˡ × sₗ + Σ σ_p ∂ξ̇_p/∂wⱼ]

and unit vectors for Ṙᶜ, for which all ωⱼ are zero. So m R̈ᶜ = ΣF stands alone, and the rows of all other speeds, table
2.10.3, with h of (★)

    Σ_k {Vⱼ·[m a + α × s + Σ σ_p ξ̈_p + h_v − F] + ωⱼ·[s × a + J α + Σ d_p ξ̈_p + h_ω − T]
         + Σ_p (∂ξ̇_p/∂wⱼ) [σ_p·a + d_p·α + Σ e_pq ξ̈_q + h_ξp − Q_p]} = τⱼ

do not know it. Trees on the ground have V' alone. Equations of Ohkami et al. (1985), of whose table 2.10.4 the row of
ω¹ is incomplete for relative speeds. It treats chains; trees obey the same. Besides, it yields the partial velocities
Vⱼ and the acceleration of the mass center.
"""

from __future__ import annotations

import numpy as np

from flexmb.formulations.classical.motion import Motion
from flexmb.formulations.classical.paper import Found, Paper
from flexmb.formulations.classical.scope import scope


def solve(motion: Motion) -> Found:
    """The rates of the speeds of the paper, and u̇ from these."""
    V, unit = motion.partial.copy(), np.eye(len(motion.u))[:, motion.speed]
    A, (h, h_xi) = motion.accelerations(), motion.with_speeds
    kept, every = np.ones(len(motion.u), dtype=bool), np.arange(len(motion.u))
    center, F = np.zeros((len(motion.topology.references), 3)), motion.F.copy()
    momentum, moved = motion.inertia(V, unit)[0][..., 3:], motion.inertia(A, np.zeros(motion.k))[0][:, 3:]
    for r, root in enumerate(motion.topology.references):
        shifts, bodies = free_shifts(motion, root), motion.topology.outboard(root)
        if not len(shifts):
            continue
        others, mass = np.setdiff1d(every, shifts), motion.m[bodies].sum()
        mean = momentum[others][:, bodies].sum(axis=1) / mass  # V̄ⱼ
        V[np.ix_(others, np.array(bodies), np.arange(3, 6))] -= mean[:, None]
        F[root] += np.linalg.solve(motion.columns[shifts, 3:], motion.tau[shifts])  # drives of the base
        center[r] = F[bodies].sum(axis=0) / mass
        # as long as no speed but Ṙᶜ changes, the mass center has this acceleration
        A[bodies, 3:] += center[r] - (moved[bodies] + h[bodies, 3:]).sum(axis=0) / mass
        kept[shifts] = False
    rows, ud = np.flatnonzero(kept), np.zeros_like(motion.u)
    six, Q = motion.inertia(V[rows], unit[rows])
    M = np.einsum("ria,sia->rs", V[rows], six, optimize=True) + unit[rows] @ Q.T
    six, Q = motion.inertia(A, np.zeros(motion.k))
    right = np.einsum("ria,ia->r", V[rows], np.hstack([motion.T, F]) - six - h)
    right += unit[rows] @ (motion.Q - Q - h_xi) + np.where(np.isin(rows, motion.speed), 0.0, motion.tau[rows])
    ud[rows] = np.linalg.solve(M, right)
    A += np.einsum("r,ria->ia", ud[rows], V[rows])
    for root in motion.topology.references:  # its shifts are what else its acceleration has
        own = every[motion.hinge[root]]
        shifts = free_shifts(motion, root)
        left = A[root, 3:] - motion.a_c[root] - ud[own] @ motion.columns[own, 3:]
        ud[shifts] = np.linalg.solve(motion.columns[shifts, 3:].T, left) if len(shifts) else 0.0
    return Found(ud, {"partial velocities": V, "mass center": center})


def free_shifts(motion: Motion, root: int) -> np.ndarray:
    """The speeds of a root that floats freely along the axes of the ground; none if it is held in any direction."""
    own = np.arange(len(motion.u))[motion.hinge[root]]
    columns = motion.columns[own]
    shifts = own[~np.any(columns[:, :3] != 0.0, axis=1)]
    return shifts if len(shifts) == 3 else shifts[:0]


#: Singh and Likins (1983), in the table of formulations
PAPER: Paper = Paper(
    solve,
    scope(
        "translations", "screws", "axes apart", "part of a base", "held base", "flexible", "inner flexible",
        "flexible hinge points", classes="④",
    ),
    "Singh and Likins (1983)",
    {
        "partial velocities": "[ωⱼ; Vⱼ] (nv, n, 6) of the bodies at their hinge points, without those of Ṙᶜ",
        "mass center": "acceleration R̈ᶜ (trees, 3) of each tree that floats freely",
    },
)  # fmt: skip
