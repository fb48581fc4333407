r"""Frisch (1975), N-BOD: nested bodies, point masses, wheels; flexible ones without the coupling of ω̇ with the
deformation; forces of constraint of translation.

All that hinge k carries is a nest, of which the moment about the hinge and the sum of forces are taken. With r_kλ from
O_k to the deformed mass centers, A_n = σ_n/m, and Q_n, the integral ∫ρ × φ_n of the UNDEFORMED body about its mass
center °c,

    R_k = Σ [Iλ αλ + Iλ° ωλ + Σ Q_n ä_n + ωλ × (Iλ ωλ + Σ Q_n ȧ_n) + Σ_W J_S φ̈ h − Tλ + r_kλ × (mλ c̈λ − Fλ)]
    F_k = Σ (mλ c̈λ − Fλ)                                                          sums over all λ of nest k     (2.5.14)
    M_n = m A_n · (a + α × °c) + Q_n · α + Σ e_mn ä_m + h_n − Q

free axes of hinges have g·R_k + e·F_k = τ, a mode M_n + Σ W·[R_c; F_c] = 0 over the hinges c that stand on its body
(tables 2.5.7 to 2.5.11), a wheel J_S (φ̈ + h·α) = τ. The sum of forces of a nest is what the rows of translation are
kept for: besides, N-BOD yields the forces of constraint.

In all three places the paper has Q_n where the deformed body has

    Q_n + Σ a_m (z_mn − m A_m × A_n) in R and in the momentum,    Q_n + Σ a_m z_mn in M

so that accelerations have an error of first order in the amplitudes of modes, and the mass matrix is not symmetric.
There is none if bodies are rigid, or if the modes of each bend it in one plane, where z and A_m × A_n are zero. Numbers
of Ohkami et al. (1985), whose rows 2 to 4 of table 2.5.6 are lost, and derived anew.
"""

from __future__ import annotations

import numpy as np

from flexmb.formulations.classical.motion import Motion
from flexmb.formulations.classical.paper import Found, Paper
from flexmb.formulations.classical.scope import scope


def solve(motion: Motion) -> Found:
    """u̇ of hinges, modes and wheels from the nests."""
    nv, zero = len(motion.u), np.zeros(len(motion.u))
    right = -_rows(motion, motion.accelerations(), zero, True)
    matrix = _rows(motion, motion.partial, np.eye(nv), False).T
    drives = motion.tau.copy()
    drives[motion.speed] = 0.0  # Q has them
    ud = np.linalg.solve(matrix, right + drives)
    force = _nests(motion, motion.accelerations(ud), ud, True)[:, 3:]
    return Found(ud, {"hinge forces of translation": force, "mass matrix": matrix})


def _nests(motion: Motion, A: np.ndarray, ud: np.ndarray, whole: bool) -> np.ndarray:
    """[R; F] (…, n, 6) of all nests for accelerations A (…, n, 6) and ud (…, nv); not `whole` without loads and what
    speeds do."""
    w, xi, of, wheels = motion.omega, ud[..., motion.speed], motion.of, motion.wheels
    Q = motion.d0 - np.cross(_undeformed(motion)[of], motion.sigma0)
    force = motion.m[:, None] * motion.of_centers(A, xi, at_rest=not whole)
    moment = np.einsum("iab,...ib->...ia", motion.central, A[..., :3]) + motion.of_modes @ (xi[..., None] * Q)
    for body, axis, spin, speed in zip(wheels.body, motion.wheel_axes, wheels.spin, wheels.speed):
        moment[..., body, :] += spin * ud[..., speed, None] * axis
    if whole:
        rates = motion.rates
        at = np.einsum("pa,pa->p", motion.c[of], motion.sigma)[:, None, None] * np.eye(3)
        N = motion.N - at + np.einsum("pa,pb->pab", motion.sigma, motion.c[of])  # about the mass center
        changing = np.einsum("pab,pb->pa", N + np.swapaxes(N, 1, 2), w[of])  # Σ ȧ (N + Nᵀ) ω
        momentum = np.einsum("iab,ib->ia", motion.central, w) + motion.of_modes @ (rates[:, None] * Q)
        moment += motion.of_modes @ (rates[:, None] * changing) + np.cross(w, momentum)
        moment -= motion.about_centers
        force = force - motion.F
    return motion.outboard_sums(np.concatenate([moment + np.cross(motion.c, force), force], axis=-1))


def _undeformed(motion: Motion) -> np.ndarray:
    """°c (n, 3)."""
    return motion.s0 / np.where(motion.m > 0.0, motion.m, 1.0)[:, None]


def _rows(motion: Motion, A: np.ndarray, ud: np.ndarray, whole: bool) -> np.ndarray:
    """The rows (…, nv) of all hinges, modes and wheels."""
    of, wheels, rows = motion.of, motion.wheels, np.zeros_like(ud)
    nests, c = _nests(motion, A, ud, whole), _undeformed(motion)[of]
    hinged = np.flatnonzero(motion.carried_by >= 0)
    rows[..., hinged] = np.einsum("ja,...ja->...j", motion.columns[hinged], nests[..., motion.carried_by[hinged], :])
    Q = motion.d0 - np.cross(c, motion.sigma0)
    turning, shifting = A[..., of, :3], A[..., of, 3:]
    modes = np.einsum("pa,...pa->...p", motion.sigma, shifting + np.cross(turning, c))
    modes += np.einsum("pa,...pa->...p", Q, turning) + ud[..., motion.speed] @ motion.e
    modes += np.einsum("kxa,...xa->...k", motion.on, nests)
    along = np.einsum("wa,...wa->...w", motion.wheel_axes, A[..., wheels.body, :3])
    rows[..., wheels.speed] = wheels.spin * (ud[..., wheels.speed] + along)
    rows[..., motion.speed] = modes + (motion.with_speeds[1] - motion.Q if whole else 0.0)
    return rows


#: Frisch (1975), in the table of formulations
PAPER: Paper = Paper(
    solve,
    scope(
        "translations", "axes apart", "screws", "part of a base", "held base", "wheels", "massless", "plane",
        "flexible", "inner flexible", "flexible hinge points", classes="④",
    ),
    "Frisch (1975)",
    {
        "hinge forces of translation": "forces (n, 3) of the hinges on the bodies that they carry [N]",
        "mass matrix": "of free axes, modes and wheels (nv, nv)",
    },
)  # fmt: skip
