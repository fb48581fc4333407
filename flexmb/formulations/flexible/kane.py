r"""Kane and Levinson (1980): generalized speeds, partial velocities, generalized forces.

Velocities are linear in the generalized speeds, which are the joint speeds and the rates of modes here. With the
partial velocities Vᵣ = ∂(ω, v, ξ̇)/∂uᵣ of all bodies at their hinge points and the equation (★) of each, of mass matrix
Mᵢ, speeds hᵢ, loads Lᵢ,

    Fᵣ = Σ Vᵣ·Lᵢ + τᵣ,    F*ᵣ = −Σ Vᵣ·(Mᵢ Aᵢ + hᵢ),    Fᵣ + F*ᵣ = 0    (2.10.10)

Of rigid bodies, about mass centers, that is Fᵣ = Σ (vᶜᵣ·R + ωᵣ·T), F*ᵣ = −Σ [vᶜᵣ·m a + ωᵣ·(I α + ω × I ω)].

What hinges do without power is in no Fᵣ. Where further constraints A u + B = 0 hold, integrable or not, dependent
speeds follow from the independent ones, u_m = −A_mm⁻¹ (A_mn u_n + B) (27), and these have the partial velocities
Wᵀ [Vᵣ; V_m] with W = [1; −A_mm⁻¹ A_mn]: a rolling wheel, a driven hinge and a cut loop need no multipliers. Which
speeds are dependent is chosen by pivots. Besides, it yields the partial velocities and both generalized forces. Numbers
of equations are those of Ohkami et al. (1985).
"""

from __future__ import annotations

import numpy as np

from flexmb.formulations.classical.motion import Motion
from flexmb.formulations.classical.paper import Found, Paper
from flexmb.formulations.classical.scope import scope
from flexmb.formulations.classical.speeds_of_rows import independent, rows_in_speeds


def solve(motion: Motion) -> Found:
    """u̇ by (2.10.10), of the independent speeds and then of all."""
    active = active_forces(motion)
    M, bias = mass_and_bias(motion)
    if motion.rows is None:
        ud = np.linalg.solve(M, active - bias)
    else:
        A, c = rows_in_speeds(motion)
        W, particular = independent(A, c, float(np.max(np.abs(motion.rows.B), initial=1.0)))
        ud = W @ np.linalg.solve(W.T @ M @ W, W.T @ (active - bias - M @ particular)) + particular
    return Found(
        ud, {"partial velocities": motion.partial, "active forces": active, "inertia forces": -(M @ ud + bias)}
    )  # fmt: skip


def active_forces(motion: Motion) -> np.ndarray:
    """Fᵣ (nv,)."""
    F = np.einsum("ria,ia->r", motion.partial, np.hstack([motion.T, motion.F])) + motion.tau
    F[motion.speed] += motion.Q - motion.tau[motion.speed]  # which Q has already
    return np.asarray(F)


def mass_and_bias(motion: Motion) -> tuple[np.ndarray, np.ndarray]:
    """Σ Vᵣ·Mᵢ Vₛ (nv, nv) and Σ Vᵣ·(Mᵢ bᵢ + hᵢ) (nv,), bᵢ the accelerations for u̇ = 0."""
    V, unit = motion.partial, np.eye(len(motion.u))[:, motion.speed]
    six, xi = motion.inertia(V, unit)
    M = np.einsum("ria,sia->rs", V, six, optimize=True) + unit @ xi.T
    still, still_xi = motion.inertia(motion.accelerations(), np.zeros(motion.k))
    h, h_xi = motion.with_speeds
    return M, np.einsum("ria,ia->r", V, still + h) + unit @ (still_xi + h_xi)


#: Kane and Levinson (1980), in the table of formulations
PAPER: Paper = Paper(
    solve,
    scope(
        "translations", "screws", "axes apart", "part of a base", "held base", "nonholonomic", "drives",
        "further rows", "loops", "plane", "flexible", "inner flexible", "flexible hinge points", classes="⑤",
    ),
    "Kane and Levinson (1980)",
    {
        "partial velocities": "[ωᵣ; vᵣ] (nv, n, 6) at hinge points",
        "active forces": "Fᵣ (nv,)",
        "inertia forces": "F*ᵣ (nv,); F + F* is what further rows do",
    },
)  # fmt: skip
