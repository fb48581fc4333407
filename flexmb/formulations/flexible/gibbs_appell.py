r"""Gibbs and Appell: the energy of accelerations, and its derivatives.

With A = (α, a, ξ̈) of each body and M, h of its equation (★),

    𝒮(u̇) = Σ [½ A · M A + A · h],    ∂𝒮/∂u̇ᵣ = Qᵣ

of rigid bodies Σ [½ m |aᶜ|² + ½ α · I α + α · (ω × I ω)]. 𝒮 is a quadratic function of u̇, so that its derivatives by
differences are exact: with steps eᵣ along single u̇ᵣ

    ∂𝒮/∂u̇ᵣ(0) = ½ [𝒮(eᵣ) − 𝒮(−eᵣ)],    ∂²𝒮/∂u̇ᵣ∂u̇ₛ = 𝒮(eᵣ + eₛ) − 𝒮(eᵣ) − 𝒮(eₛ) + 𝒮(0)

The steps change 𝒮 by about as much as one another, so that rounding of heavy freedoms is not the inertia of light ones.
No velocity is differentiated. Besides, it yields the function itself and the constraint of Gauss, 𝒮 − Q · u̇, which is
least for the true motion. 𝒮 is taken without its value for u̇ = 0, which the derivatives do not need.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmb.formulations.classical.motion import Motion
from flexmb.formulations.classical.paper import Found, Paper
from flexmb.formulations.classical.scope import scope
from flexmb.formulations.flexible.kane import active_forces


def least(function: Callable[[np.ndarray], np.ndarray], Q: np.ndarray) -> np.ndarray:
    """u̇ (nv,) for which 𝒮 − Q · u̇ is least; the `function` gives 𝒮 (k,) of k motions (k, nv)."""
    nv = len(Q)
    zero = float(function(np.zeros((1, nv)))[0])
    bent = function(np.eye(nv)) + function(-np.eye(nv)) - 2.0 * zero
    step = np.diag(np.sqrt((abs(zero) or 1.0) / np.where(bent > 0.0, bent, 1.0)))
    forward, backward = function(step), function(-step)
    gradient, second = 0.5 * (forward - backward), np.zeros((nv, nv))
    for r in range(nv):
        second[r] = function(step + step[r]) - forward - forward[r] + zero
    return np.asarray(step @ np.linalg.solve(0.5 * (second + second.T), step @ Q - gradient))


def solve(motion: Motion) -> Found:
    """u̇ from the derivatives of 𝒮."""
    h, h_xi = motion.with_speeds
    at_rest, on_modes_at_rest = motion.inertia(motion.accelerations(), np.zeros(motion.k))

    def appell(ud: np.ndarray) -> np.ndarray:
        """𝒮 (m,) of m motions ud (m, nv), less that at rest."""
        change, xi = np.einsum("mr,ria->mia", ud, motion.partial, optimize=True), ud[:, motion.speed]
        six, on_modes = motion.inertia(change, xi)
        linear = np.einsum("mia,ia->m", change, at_rest + h) + xi @ (on_modes_at_rest + h_xi)
        return np.asarray(linear + 0.5 * np.einsum("mia,mia->m", change, six) + 0.5 * np.sum(xi * on_modes, axis=1))

    Q = active_forces(motion)
    ud = least(appell, Q)
    own = appell(ud[None])
    return Found(ud, {"gibbs function": own, "gauss constraint": own - Q @ ud, "generalized forces": Q})


#: Gibbs and Appell, in the table of formulations
PAPER: Paper = Paper(
    solve,
    scope(
        "translations", "screws", "axes apart", "part of a base", "held base", "plane", "flexible", "inner flexible",
        "flexible hinge points", classes="④",
    ),
    "Gibbs (1879) and Appell (1900)",
    {
        "gibbs function": "𝒮(u̇) − 𝒮(0) (1,)",
        "gauss constraint": "𝒮 − Q · u̇ (1,), which is least for the true motion",
        "generalized forces": "Q (nv,)",
    },
)  # fmt: skip
