r"""Gibbs and Appell for flexible bodies: the energy of accelerations, and its derivatives.

With A = (α, a, ξ̈) of each body and M, h of its equation (★),

    𝒮(u̇) = Σ [½ A · M A + A · h],    ∂𝒮/∂u̇ᵣ = Qᵣ

is a quadratic function of u̇ whose derivatives by differences are exact, as among rigid bodies
(:mod:`flexmb.formulations.classical.gibbs_appell`).
"""

from __future__ import annotations

import numpy as np

from flexmb.formulations.classical.gibbs_appell import least
from flexmb.formulations.classical.paper import Found, Paper
from flexmb.formulations.classical.scope import scope
from flexmb.formulations.flexible.flexible_motion import FlexibleMotion
from flexmb.formulations.flexible.kane_flexible import active_forces


def solve(motion: FlexibleMotion) -> Found:
    """u̇ from the derivatives of 𝒮."""
    still, (h, h_xi) = motion.accelerations(), motion.with_speeds

    def appell(ud: np.ndarray) -> np.ndarray:
        """𝒮 (m,) of m motions ud (m, nv)."""
        A, xi = still + np.einsum("mr,ria->mia", ud, motion.partial, optimize=True), ud[:, motion.speed]
        six, Q = motion.inertia(A, xi)
        return np.asarray(np.einsum("mia,mia->m", A, 0.5 * six + h) + np.einsum("mk,mk->m", xi, 0.5 * Q + h_xi))

    Q = active_forces(motion)
    ud = least(appell, Q)
    own = appell(ud[None]) - appell(np.zeros((1, len(ud))))
    return Found(ud, {"gibbs function": own, "gauss constraint": own - Q @ ud, "generalized forces": Q})


#: Gibbs and Appell for flexible bodies
PAPER: Paper = Paper(
    solve,
    scope(
        "translations", "screws", "axes apart", "part of a base", "held base", "flexible", "inner flexible",
        "flexible hinge points", classes="④",
    ),
    "Gibbs (1879) and Appell (1900)",
    {
        "gibbs function": "𝒮(u̇) − 𝒮(0) (1,)",
        "gauss constraint": "𝒮 − Q · u̇ (1,), which is least for the true motion",
        "generalized forces": "Q (nv,)",
    },
)  # fmt: skip
