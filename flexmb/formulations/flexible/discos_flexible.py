r"""DISCOS of Bodley et al. (1978) for flexible bodies: absolute speeds of bodies and modes, and multipliers.

Each body has U = [ω; v; ξ̇], ω and v in its own axes, and its own mass matrix; wheels on it add the rates of their
angles. Hinges of 0 to 6 freedoms, cut loops, drives and rolling are rows Σ bⱼ Uⱼ = α̇(t):

    m(ξ) U̇ = G + bᵀ λ,     G = [T; F; Q] − h − m [0; ω × v; 0]                                           (II-1), (II-63)
    λ = (Σ b m⁻¹ bᵀ)⁺ [α̈ − Σ (ḃ U + b m⁻¹ G)]                                                              (II-6)

with m and h of (★). A hinge stands on its body by W = [ψ*; φ_H + ψ* × z] of that one's modes, so that its rows along
all [p; e] that are normal to its free axes have these columns

    on the body [p; e] at O,    on the one that carries it −[p + (O − Oₚ) × e; e],    on the modes of that −[p; e]·W

Besides, it yields multipliers and the forces of hinges. Equations of Ohkami et al. (1985); rigid bodies, wheels and
starts are in :mod:`flexmb.formulations.classical.discos`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.formulations.classical.discos import REDUNDANT, locked
from flexmb.formulations.classical.paper import Found, Paper
from flexmb.formulations.classical.scope import scope
from flexmb.formulations.classical.topology import tilde
from flexmb.formulations.flexible.flexible_motion import FlexibleMotion


class Equations(NamedTuple):
    """m (N, N), G (N,), b (r, N) and α̈ − ḃU (r,), of N speeds of bodies, in their own axes, then of modes and wheels;
    of the r rows the first `hinged` are of hinges."""

    m: np.ndarray
    G: np.ndarray
    b: np.ndarray
    right: np.ndarray
    hinged: int


def solve(motion: FlexibleMotion) -> Found:
    """λ by (II-6), U̇ by (II-1), and u̇ of hinges, modes and wheels from these."""
    n, k = motion.n, motion.k
    equations = assemble(motion)
    L = np.linalg.cholesky(equations.m)
    free = np.linalg.solve(L, equations.G)
    B = np.linalg.solve(L, equations.b.T).T
    W, s, Vt = np.linalg.svd(B, full_matrices=False)
    keep = s > REDUNDANT * s[0] if len(s) else s > 0.0
    W, s, Vt = W[:, keep], s[keep], Vt[keep]
    off = (W.T @ (equations.right - B @ free)) / s
    multipliers = W @ (off / s)
    rates = np.linalg.solve(L.T, free + Vt.T @ off)
    own = rates[: 6 * n].reshape(n, 2, 3) @ motion.R.transpose(0, 2, 1)
    A = np.hstack([own[:, 0], own[:, 1] + np.cross(motion.omega, motion.v)])
    ud, forces, at = np.zeros_like(motion.u), np.zeros((n, 6)), 0
    ud[motion.speed], ud[motion.wheels.speed] = rates[6 * n : 6 * n + k], rates[6 * n + k :]
    for i, hinge in enumerate(motion.hinge):
        S, p = motion.columns[hinge], motion.parents[i]
        relative = A[i] - np.concatenate([motion.alpha_c[i], motion.a_c[i]]) - ud[motion.speed] @ motion.on[:, i]
        if p >= 0:
            relative = relative - _shifted(A[p], motion.O[i] - motion.O[p])
        ud[hinge] = np.linalg.pinv(S).T @ relative
        N = locked(S)
        forces[i] = multipliers[at : at + len(N)] @ N + motion.tau[hinge] @ np.linalg.pinv(S).T
        at += len(N)
    return Found(ud, {"multipliers": multipliers, "hinge forces": forces, "rank": np.array([len(s)])})


def assemble(motion: FlexibleMotion) -> Equations:
    """The equations of all bodies, and the rows of all hinges and of all that holds them besides."""
    n, k, wheels, of = motion.n, motion.k, motion.wheels, motion.of
    count = 6 * n + k + len(wheels.body)
    m, G, rows, right = np.zeros((count, count)), np.zeros(count), list[np.ndarray](), list[float]()
    h, h_xi = motion.with_speeds
    across = np.hstack([np.zeros((n, 3)), np.cross(motion.omega, motion.v)])  # a − R v°
    moving, on_modes = motion.inertia(across, np.zeros(k))
    push, drives = np.hstack([motion.T, motion.F]) - h - moving, _drives(motion)
    push, G[6 * n : 6 * n + k] = push + drives[0], motion.Q - h_xi - on_modes + drives[1]
    turn = [np.kron(np.eye(2), R) for R in motion.R]
    for i in range(n):
        own, s = slice(6 * i, 6 * i + 6), tilde(motion.s[i])
        full = np.block([[motion.J[i], s], [-s, motion.m[i] * np.eye(3)]])
        m[own, own], G[own] = turn[i].T @ full @ turn[i], turn[i].T @ push[i]
    modes = 6 * n + np.arange(k)
    m[np.ix_(modes, modes)] = motion.e
    for p, i in enumerate(of.tolist()):
        own = slice(6 * i, 6 * i + 6)
        m[own, 6 * n + p] = m[6 * n + p, own] = turn[i].T @ np.concatenate([motion.d[p], motion.sigma[p]])
    for w, body in enumerate(wheels.body.tolist()):
        at, own = 6 * n + k + w, slice(6 * body, 6 * body + 3)
        m[own, at] = m[at, own] = wheels.spin[w] * wheels.axis[w]
        m[at, at], G[at] = wheels.spin[w], motion.tau[wheels.speed[w]]

    def put_row(on_bodies: np.ndarray, of_modes: np.ndarray, of_wheels: np.ndarray, target: float) -> None:
        """A row Σ B A + Σ b ξ̈ + … = target of accelerations, in the speeds of the bodies."""
        own = [turn[i].T @ on_bodies[i] for i in range(n)]
        rows.append(np.concatenate([*own, of_modes, of_wheels]))
        right.append(target - float(np.sum(on_bodies * across)))

    for i, hinge in enumerate(motion.hinge):
        for six in locked(motion.columns[hinge]):
            put_row(*_relative(motion, i, six), np.zeros(len(wheels.body)), _bias(motion, i, six))
    hinged = len(rows)
    if motion.rows is not None:
        for B, b, c in zip(motion.rows.B, motion.rows.b, motion.rows.c):
            full, of_modes, target = B.copy(), b[motion.speed].copy(), float(c)
            for j in np.flatnonzero(b).tolist():
                i = int(motion.carried_by[j])
                if i >= 0:  # a hinge speed is what the bodies have
                    six = b[j] * np.linalg.pinv(motion.columns[motion.hinge[i]])[:, j - motion.hinge[i].start]
                    more, more_modes = _relative(motion, i, six)
                    full, of_modes, target = full + more, of_modes + more_modes, target + _bias(motion, i, six)
            put_row(full, of_modes, b[wheels.speed], target)
    return Equations(m, G, np.array(rows).reshape(-1, count), np.array(right), hinged)


def _shifted(A: np.ndarray, arm: np.ndarray) -> np.ndarray:
    return np.concatenate([A[:3], A[3:] + np.cross(A[:3], arm)])


def _relative(motion: FlexibleMotion, i: int, six: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[p; e] of the motion that hinge i allows, in rows of all bodies (n, 6) and of modes (k,)."""
    rows, p = np.zeros((motion.n, 6)), motion.parents[i]
    rows[i] = six
    if p >= 0:
        rows[p, :3] = -six[:3] - np.cross(motion.O[i] - motion.O[p], six[3:])
        rows[p, 3:] = -six[3:]
    return rows, -motion.on[:, i] @ six


def _bias(motion: FlexibleMotion, i: int, six: np.ndarray) -> float:
    return float(six @ np.concatenate([motion.alpha_c[i], motion.a_c[i]]))


def _drives(motion: FlexibleMotion) -> tuple[np.ndarray, np.ndarray]:
    """What drives of hinges do on bodies (n, 6) and modes (k,)."""
    on_bodies, on_modes = np.zeros((motion.n, 6)), np.zeros(motion.k)
    for i, hinge in enumerate(motion.hinge):
        six = motion.tau[hinge] @ np.linalg.pinv(motion.columns[hinge]).T
        rows, of_modes = _relative(motion, i, six)
        on_bodies, on_modes = on_bodies + rows, on_modes + of_modes
    return on_bodies, on_modes


#: Bodley et al. (1978) for flexible bodies
PAPER: Paper = Paper(
    solve,
    scope(
        "translations", "screws", "axes apart", "part of a base", "held base", "loops", "nonholonomic", "drives",
        "further rows", "wheels", "flexible", "inner flexible", "flexible hinge points", classes="⑤",
    ),
    "Bodley et al. (1978)",
    {
        "multipliers": "λ of hinges, body by body, and of further rows; the smallest ones where rows are redundant",
        "hinge forces": "[n; f] (n, 6) of the hinges on the bodies that they carry, at their hinge points",
        "rank": "number of independent rows (1,)",
    },
)  # fmt: skip
