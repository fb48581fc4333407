r"""Frisch (1975), N-BOD, in its rigid part: nested bodies, point masses, wheels; forces of constraint of translation.

All that hinge k carries is a nest, of which the moment about the hinge and the sum of forces are taken. With
r_kλ = Cλ − O_k, relative angular velocities ω̃ᵢ and translations βᵢ of hinges, inertial rates ω̃̇ᵢ = Σ gγ̈ + Σ ġγ̇,

    Σᵢ [Σ (Iλ + mλ (r_iλᵀ r_kλ 1 − r_iλ r_kλᵀ))] ω̃̇ᵢ + Σ mλ r_kλ × (β̈₁ + Σ β°°ᵢ) + Σ_W J_S φ̈ h
       = Σ [Tλ + r_kλ × (Fλ − mλ 𝐜λ) − ωλ × (Iλ ωλ + Σ_W J_S φ̇ h)] + torque of the hinge    (2.5.14)

sums over all bodies λ of nest k, and of those that are in nest i too in the first one; 𝐜λ is the acceleration of Cλ
that is left without ω̃̇ and β°°. Free axes qₖ of the hinge project it. A wheel about h obeys J_S (φ̈ + h · Σ ω̃̇) = τ.
A hinge that shifts has the sum of forces of its nest along its axes, Σ mλ c̈λ − Σ Fλ, which for all other hinges is what
the rows of translation are kept for: besides, N-BOD yields the forces of constraint. Row numbers of Ohkami et al.
(1985); its rows 2 to 4 are derived anew.
"""

from __future__ import annotations

import numpy as np

from flexmb.formulations.classical.motion import Motion
from flexmb.formulations.classical.paper import Found, Paper
from flexmb.formulations.classical.scope import scope
from flexmb.formulations.classical.topology import tilde


def solve(motion: Motion) -> Found:
    """u̇ of hinges and wheels from the nests."""
    m, epsilon, wheels = motion.m, motion.paths, motion.wheels
    of, nv = motion.carried_by, len(motion.u)
    r = (motion.C[None] - motion.O[:, None]) * epsilon[..., None]  # r_kλ of the bodies of nest k
    X = tilde(r)
    turning = np.einsum("kl,il,lab->kiab", epsilon, epsilon, motion.I, optimize=True)
    turning -= np.einsum("l,klab,ilbc->kiac", m, X, X, optimize=True)
    nested = epsilon * m
    shared = np.einsum("kl,il->ki", nested, epsilon)  # mass that nests k and i share
    moments = np.einsum("kla,il->kia", r * m[:, None], epsilon)  # Σ mλ r_kλ over both
    still = motion.accelerations()
    rest = motion.of_centers(still) - np.einsum("ila,il->la", np.cross(motion.alpha_c[:, None], r), epsilon)  # 𝐜λ
    force = motion.F - m[:, None] * rest
    nest_torque = epsilon @ (motion.T - motion.gyroscopic) + np.cross(r, force[None]).sum(axis=1)
    nest_force = epsilon @ force

    hinged = np.flatnonzero(of >= 0)
    g, e, at = motion.columns[hinged, :3], motion.columns[hinged, 3:], of[hinged]
    pairs = np.ix_(at, at)
    M = np.zeros((nv, nv))
    turn_shift = np.cross(moments[pairs], e[None])  # Σ mλ r_kλ × e of hinge i
    block = np.einsum("ka,kiab,ib->ki", g, turning[pairs], g, optimize=True) + np.einsum("ka,kia->ki", g, turn_shift)
    block += np.einsum("ia,ika->ki", g, np.cross(moments[pairs], e[None]))
    block += (e @ e.T) * shared[pairs]
    M[np.ix_(hinged, hinged)] = block
    right = motion.tau.copy()
    known = np.einsum("kiab,ib->ka", turning, motion.alpha_c, optimize=True)  # what Σ ġγ̇ takes
    known_force = np.cross(motion.alpha_c[None], np.swapaxes(moments, 0, 1)).sum(axis=1)
    right[hinged] += np.einsum("ka,ka->k", g, (nest_torque - known)[at])
    right[hinged] += np.einsum("ka,ka->k", e, (nest_force - known_force)[at])
    for w, speed in enumerate(wheels.speed.tolist()):
        h, J, body = motion.wheel_axes[w], wheels.spin[w], wheels.body[w]
        M[hinged, speed] = M[speed, hinged] = J * (g @ h) * epsilon[at, body]
        M[speed, speed] = J
        right[speed] -= J * (h @ (epsilon[:, body] @ motion.alpha_c))
    ud = np.linalg.solve(M, right)
    centers = motion.of_centers(motion.accelerations(ud))
    return Found(ud, {"hinge forces of translation": epsilon @ (m[:, None] * centers - motion.F), "mass matrix": M})


#: Frisch (1975), in the table of formulations
PAPER: Paper = Paper(
    solve,
    scope("translations", "axes apart", "screws", "part of a base", "held base", "wheels", "massless", classes="④"),
    "Frisch (1975)",
    {
        "hinge forces of translation": "forces (n, 3) of the hinges on the bodies that they carry [N]",
        "mass matrix": "of free axes and wheels (nv, nv)",
    },
)  # fmt: skip
