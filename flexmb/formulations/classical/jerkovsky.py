r"""Jerkovsky (1978): a tree of rigid bodies with hinges of up to six freedoms, by a transformation operator.

Absolute velocities of the bodies σ = (ω, vᶜ) are σ = A σ̄ of the relative ones σ̄ = (Ω, U), U the rate of the hinge as
seen from the body that carries it, and these are σ̄ = Â_f σ̂_f of the rates of free axes:

    A = [π, 0; (πᵢⱼ (Cᵢ − Oⱼ)~ᵀ), π],     Ȧ = [0, 0; (πᵢⱼ (vᶜᵢ − vᴼⱼ)~ᵀ), 0]                                  (2.8.6)

With μ = diag(I, m), what bodies feel beside μσ̇, Y = (ω × Iω, 0), and loads K, the velocity form is

    Â_fᵀAᵀ μ A Â_f σ̂̇_f + Â_fᵀAᵀ [Y + μ (Ȧ σ̄ + A Â̇ σ̂)] = Â_fᵀAᵀ K + τ                                          (2.8.31)

and the momentum form, of the momenta Ḡ = Aᵀ μ σ = (Hⱼ, Pⱼ) of each body with all that it carries,

    d/dt (g·Hⱼ + e·Pⱼ) = ġ·Hⱼ + ė·Pⱼ + g·(L̄ⱼ − vᴼⱼ × Pⱼ) + e·F̄ⱼ + τ                                            (2.8.29)
    Â_fᵀAᵀ μ A Â_f σ̂_f = Ĝ_f    (2.8.30)

in which no inertia is differentiated: momenta are the state, and velocities follow. Besides, Jerkovsky yields the
forces of hinges, rows of Aᵀ (μσ̇ + Y − K) before they are projected, and the momenta. Equations of Ohkami et al. (1985).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.formulations.classical.motion import Motion
from flexmb.formulations.classical.paper import Found, Paper
from flexmb.formulations.classical.scope import scope
from flexmb.formulations.classical.topology import tilde


class Operators(NamedTuple):
    """A, Ȧ and μ (6n, 6n), Â_f (6n, nv)."""

    A: np.ndarray
    A_rate: np.ndarray
    mu: np.ndarray
    hinges: np.ndarray


def operators(motion: Motion) -> Operators:
    """The transformation operator of a motion and its rate, masses and hinge axes."""
    n, pi = motion.n, motion.paths.T
    A, rate, mu = np.zeros((6 * n, 6 * n)), np.zeros((6 * n, 6 * n)), np.zeros((6 * n, 6 * n))
    A[: 3 * n, : 3 * n] = A[3 * n :, 3 * n :] = np.kron(pi, np.eye(3))
    speed = motion.v + np.cross(motion.omega, motion.c)
    arm, arm_rate = (motion.O + motion.c)[:, None] - motion.O[None], speed[:, None] - motion.v[None]
    A[3 * n :, : 3 * n] = _flat(-pi[..., None, None] * tilde(arm))
    rate[3 * n :, : 3 * n] = _flat(-pi[..., None, None] * tilde(arm_rate))
    for i in range(n):
        mu[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = motion.central[i]
    mu[3 * n :, 3 * n :] = np.diag(np.repeat(motion.m, 3))
    hinges = np.zeros((6 * n, len(motion.u)))
    for i, own in enumerate(motion.hinge):
        hinges[3 * i : 3 * i + 3, own] = motion.columns[own, :3].T
        hinges[3 * (n + i) : 3 * (n + i) + 3, own] = motion.columns[own, 3:].T
    return Operators(A, rate, mu, hinges)


def _flat(blocks: np.ndarray) -> np.ndarray:
    n = len(blocks)
    return np.asarray(blocks.transpose(0, 2, 1, 3).reshape(3 * n, 3 * n))


def solve(motion: Motion) -> Found:
    """u̇ by the velocity form (2.8.31)."""
    op, n = operators(motion), motion.n
    relative = op.hinges @ motion.u  # σ̄
    speed = motion.v.copy()
    for i, p in enumerate(motion.parents):
        speed[i] -= motion.v[p] if p >= 0 else 0.0
    across = np.zeros((n, 3))
    for i, p in enumerate(motion.parents):
        if p >= 0:
            across[i] = np.cross(motion.omega[p], speed[i])
    still = np.concatenate([motion.alpha_c.ravel(), (motion.a_c - across).ravel()])  # Â̇ σ̂
    K = np.concatenate([motion.about_centers.ravel(), motion.F.ravel()])
    turning = np.cross(motion.omega, np.einsum("iab,ib->ia", motion.central, motion.omega))
    Y = np.concatenate([turning.ravel(), np.zeros(3 * n)])
    whole = op.A @ op.hinges
    bias = Y + op.mu @ (op.A_rate @ relative + op.A @ still)
    ud = np.linalg.solve(whole.T @ op.mu @ whole, whole.T @ (K - bias) + motion.tau)
    forces = op.A.T @ (op.mu @ whole @ ud + bias - K)
    momenta = momenta_of(motion)
    return Found(
        ud,
        {
            "hinge forces": np.hstack([forces[: 3 * n].reshape(n, 3), forces[3 * n :].reshape(n, 3)]),
            "momenta": momenta.of_nests, "hinge momenta": momenta.along_hinges, "hinge momentum rates": momenta.rates,
        },
    )  # fmt: skip


class Momenta(NamedTuple):
    """[Hⱼ; Pⱼ] (n, 6), Ĝ_f (nv,) and its rate (nv,)."""

    of_nests: np.ndarray
    along_hinges: np.ndarray
    rates: np.ndarray


def momenta_of(motion: Motion) -> Momenta:
    """The momenta Ḡ = Aᵀ μ σ of a motion, and by (2.8.29) how they change."""
    op, n, of = operators(motion), motion.n, motion.carried_by
    G = op.A.T @ (op.mu @ (op.A @ (op.hinges @ motion.u)))
    both = np.hstack([G[: 3 * n].reshape(n, 3), G[3 * n :].reshape(n, 3)])
    loads = motion.outboard_sums(np.hstack([motion.T, motion.F]))
    loads[:, :3] -= np.cross(motion.v, both[:, 3:])
    rates = np.einsum("ra,ra->r", motion.column_rates, both[of]) + np.einsum("ra,ra->r", motion.columns, loads[of])
    return Momenta(both, op.hinges.T @ G, rates + motion.tau)


def speeds(motion: Motion, momenta: np.ndarray) -> np.ndarray:
    """σ̂_f (nv,) of hinge momenta Ĝ_f (nv,), by (2.8.30); only the position of the motion is used."""
    op = operators(motion)
    whole = op.A @ op.hinges
    return np.asarray(np.linalg.solve(whole.T @ op.mu @ whole, momenta))


#: Jerkovsky (1978), in the table of formulations
PAPER: Paper = Paper(
    solve,
    scope("translations", "screws", "axes apart", "part of a base", "held base", classes="① (⑤)"),
    "Jerkovsky (1978)",
    {
        "hinge forces": "[n; f] (n, 6) of the hinges on the bodies that they carry, at their hinge points",
        "momenta": "[Hⱼ; Pⱼ] (n, 6) of each body with all that it carries, about its hinge point",
        "hinge momenta": "Ĝ_f (nv,), their parts along free axes",
        "hinge momentum rates": "d/dt Ĝ_f (nv,), by the momentum form",
    },
)  # fmt: skip
