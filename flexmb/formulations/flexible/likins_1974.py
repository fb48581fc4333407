r"""Likins (1974): rigid bodies on line hinges, each of which may carry appendages and rotors, by barycenters.

Hinges stand on rigid parts. The mass center of a body was at o_k, fixed in its rigid part; it is where −c^k = ∫u dm/m_k
says now. With the vectors D^kr from o_k (2.1.3), K^k = Σ m_r (D^kr² 1 − D^kr D^krᵀ), J, N, d about o_k, Φ = K + J, and
integrals over all appendages, all hinge forces leave the equations

    m Ẍ = F (9),     Σ_k W^k = 0 (31),     τ_s + g_s · Σ_k ε_sk W^k = 0 (32)

    W^k = T^k + Σ_r D^kr × F^r + c^k × ((m_k/m) F − F^k) + Σ_r m_r D^kr × c̈^r
        + m_k c^k × Σ_r (D̈^rk + (m_r/m) c̈^r) + m Σ_{r≠k} D^kr × D̈^rk
        − Φ ω̇ − ω × Φ ω − Σ ξ̇ (N + Nᵀ) ω − Σ d_p ξ̈_p − ω × Σ d_p ξ̇_p − Σ 𝒥 φ̈ b − ω × h                           (33)

    D̈^rk = ω̇^r × D^rk + ω^r × (ω^r × D^rk),      c̈ = c°° + 2 ω × c° + ω̇ × c + ω × (ω × c),   m c° = −Σ σ_p ξ̇_p

An appendage obeys the row of its modes in (★) with the acceleration Ẍ + Σ_s (D̈^sk + (m_s/m) c̈^s) of o_k, and a rotor
τ = 𝒥 (φ̈ + b·ω̇) (36). Hinges of two and three axes are line hinges with massless bodies between them, which add nothing
to (31) and (32). Besides, it yields what substructures are: c^k, Φ, and the torques of hinges, −Σ ε_sk W^k. Numbers of
Ohkami et al. (1985), where (6) has ċ^k, (12) m_r in the bracket of c^k, (23) D̈^kr, and (33) mixes what m_k c^k takes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.formulations.classical.barycentric import to_hinges
from flexmb.formulations.classical.motion import Motion
from flexmb.formulations.classical.paper import Found, Paper
from flexmb.formulations.classical.scope import scope
from flexmb.formulations.classical.topology import barycenters, tilde
from flexmb.formulations.flexible.singh_likins import free_shifts


def solve(motion: Motion) -> Found:
    """ω̇ of each base, γ̈, ξ̈ and φ̈ together, tree by tree: column by column from unit accelerations."""
    ud, n = np.zeros_like(motion.u), motion.n
    torques, shift, Phi = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3, 3))
    for root in motion.topology.references:
        tree = _Tree(motion, root)
        turns = np.flatnonzero(tree.inside[motion.carried_by] & (motion.carried_by >= 0))
        turns = np.setdiff1d(turns, tree.shifts)
        wheels = motion.wheels.speed[tree.inside[motion.wheels.body]]
        columns = np.concatenate([turns, motion.speed[tree.modes], wheels])
        unit = np.eye(len(ud))[columns]
        right = -tree.rows(turns, np.zeros((1, len(ud))), True)[0]
        matrix = tree.rows(turns, unit, False).T
        ud[columns] = np.linalg.solve(matrix, right)
        ud[tree.shifts] = tree.base(ud)
        W, _, _ = tree.substructures(ud[None], True)
        torques[tree.bodies] = -(motion.paths[np.ix_(tree.bodies, tree.bodies)] @ W[0])
        shift[tree.bodies], Phi[tree.bodies] = tree.c, tree.Phi
    return Found(ud, {"hinge torques": torques, "shifts of mass centers": shift, "Phi": Phi})


class _Rates(NamedTuple):
    """ω̇ (…, b, 3), D̈ (…, b, b, 3), c̈ (…, b, 3) and ξ̈ (…, k) of the b bodies of a tree."""

    omega: np.ndarray
    D: np.ndarray
    c: np.ndarray
    xi: np.ndarray


class _Tree:
    """The substructures of one tree that floats."""

    def __init__(self, motion: Motion, root: int) -> None:
        self.motion, self.root = motion, root
        self.bodies = np.array(motion.topology.outboard(root))
        self.inside = np.append(motion.paths[root] == 1, False)  # the last one for columns of no body
        self.modes = np.flatnonzero(self.inside[motion.of])
        self.of = np.searchsorted(self.bodies, motion.of[self.modes])
        self.shifts = free_shifts(motion, root)
        self.m, self.w = motion.m[self.bodies], motion.omega[self.bodies]
        self.whole = self.m.sum()
        self.heavy = np.where(self.m > 0.0, self.m, 1.0)
        arm = motion.s0[self.bodies] / self.heavy[:, None]  # o − O
        self.c = arm - motion.c[self.bodies]
        o = motion.O.copy()
        o[self.bodies] += arm
        self.D = barycenters(self.m, to_hinges(motion, self.bodies, motion.O, o))
        X, c = tilde(self.D), tilde(self.c)
        J = motion.central[self.bodies] - self.m[:, None, None] * (c @ c)
        self.Phi = J - np.einsum("r,krab,krbc->kac", self.m, X, X, optimize=True)
        # integrals about o
        self.sigma, at = motion.sigma[self.modes], arm[self.of]
        self.d = motion.d[self.modes] - np.cross(at, self.sigma)
        moved = np.einsum("pa,pa->p", at, self.sigma)[:, None, None] * np.eye(3)
        self.N = motion.N[self.modes] - moved + np.einsum("pa,pb->pab", self.sigma, at)
        self.z, self.rates = motion.z[np.ix_(self.modes, self.modes)], motion.rates[self.modes]
        # loads: what drives the base acts at its hinge point
        F = motion.F.copy()
        F[root] += np.linalg.solve(motion.columns[self.shifts, 3:], motion.tau[self.shifts])
        self.F = F[self.bodies]
        self.T = motion.T[self.bodies] - np.cross(motion.c[self.bodies], self.F)

    def rates_for(self, ud: np.ndarray, whole: bool) -> _Rates:
        """The rates for accelerations ud (…, nv); not `whole` without what speeds do."""
        motion, w, of = self.motion, self.w, self.of
        own = np.zeros((*ud.shape[:-1], motion.n, 3))
        turning = ud[..., :, None] * motion.columns[:, :3]
        for i, hinge in enumerate(motion.hinge):
            own[..., i, :] = turning[..., hinge, :].sum(axis=-2) + (motion.alpha_c[i] if whole else 0.0)
        omega = np.einsum("ij,...ia->...ja", motion.paths, own)[..., self.bodies, :]  # (35)
        xi = ud[..., motion.speed[self.modes]]
        members = (np.arange(len(self.bodies))[:, None] == of) / self.heavy[:, None]
        D = np.cross(omega[..., :, None, :], self.D)
        c = np.cross(omega, self.c) - np.einsum("bp,...p,pa->...ba", members, xi, self.sigma)
        if whole:
            D = D + np.cross(w[:, None], np.cross(w[:, None], self.D))
            moving = -members @ (self.rates[:, None] * self.sigma)
            c = c + 2.0 * np.cross(w, moving) + np.cross(w, np.cross(w, self.c))
        return _Rates(omega, D, c, xi)

    def substructures(self, ud: np.ndarray, whole: bool) -> tuple[np.ndarray, np.ndarray, _Rates]:
        """W (…, b, 3), and the accelerations of o (…, b, 3) and all rates; not `whole` without loads and speeds."""
        motion, w, of, m = self.motion, self.w, self.of, self.m
        rates = self.rates_for(ud, whole)
        others = self.D * (1.0 - np.eye(len(m)))[..., None]
        o = rates.D.sum(axis=-3) + (m / self.whole @ rates.c)[..., None, :]  # but for Ẍ
        W = np.cross(self.D, (m[:, None] * rates.c)[..., None, :, :]).sum(axis=-2)
        W += m[:, None] * np.cross(self.c, o)
        W += self.whole * np.cross(others, np.swapaxes(rates.D, -3, -2)).sum(axis=-2)
        W -= np.einsum("kab,...kb->...ka", self.Phi, rates.omega)
        members = (np.arange(len(m))[:, None] == of).astype(float)
        W -= np.einsum("kp,...p,pa->...ka", members, rates.xi, self.d)
        wheels = motion.wheels
        for i, (body, speed) in enumerate(zip(wheels.body, wheels.speed)):
            if self.inside[body]:
                at = int(np.searchsorted(self.bodies, body))
                W[..., at, :] -= wheels.spin[i] * ud[..., speed, None] * motion.wheel_axes[i]
        if whole:
            total = self.F.sum(axis=0)
            W += self.T + np.cross(self.D, self.F).sum(axis=1)
            W += np.cross(self.c, (m / self.whole)[:, None] * total - self.F)
            W -= np.cross(w, np.einsum("kab,kb->ka", self.Phi, w))
            both = np.einsum("kp,pab,kb->ka", members * self.rates, self.N + np.swapaxes(self.N, 1, 2), w)
            W -= both + np.cross(w, (members * self.rates) @ self.d)
            o = o + total / self.whole
        return W, o, rates

    def rows(self, turns: np.ndarray, ud: np.ndarray, whole: bool) -> np.ndarray:
        """Rows (…, turns + modes + wheels) that are zero for the true motion, (31), (32), of appendages and (36)."""
        motion, w, of = self.motion, self.w, self.of
        W, o, rates = self.substructures(ud, whole)
        sums = np.einsum("sk,...ka->...sa", motion.paths[np.ix_(motion.carried_by[turns], self.bodies)], W)
        hinges = np.einsum("sa,...sa->...s", motion.columns[turns, :3], sums)
        modes = np.einsum("pa,...pa->...p", self.sigma, o[..., of, :])
        modes += np.einsum("pa,...pa->...p", self.d, rates.omega[..., of, :])
        modes += rates.xi @ motion.e[np.ix_(self.modes, self.modes)]
        mine = np.flatnonzero(self.inside[motion.wheels.body])
        spin, at = motion.wheels.spin[mine], np.searchsorted(self.bodies, motion.wheels.body[mine])
        speeds = motion.wheels.speed[mine]
        along = np.einsum("wa,...wa->...w", motion.wheel_axes[mine], rates.omega[..., at, :])
        wheels = spin * (ud[..., speeds] + along)
        if whole:
            hinges = hinges + motion.tau[turns]
            modes -= np.einsum("pa,pab,pb->p", w[of], self.N, w[of])
            modes += 2.0 * np.einsum("pa,q,qpa->p", w[of], self.rates, self.z) - motion.Q[self.modes]
            wheels = wheels - motion.tau[speeds]
        return np.concatenate([-hinges, modes, wheels], axis=-1)

    def base(self, ud: np.ndarray) -> np.ndarray:
        """The accelerations of the shifts of the base, from that of o."""
        _, o, rates = self.substructures(ud[None], True)
        i, motion = int(np.searchsorted(self.bodies, self.root)), self.motion
        arm, w = motion.s0[self.root] / self.heavy[i], motion.omega[self.root]
        a = o[0, i] - np.cross(rates.omega[0, i], arm) - np.cross(w, np.cross(w, arm)) - motion.a_c[self.root]
        return np.asarray(np.linalg.solve(motion.columns[self.shifts, 3:].T, a))


#: Likins (1974), in the table of formulations
PAPER: Paper = Paper(
    solve, scope("part of a base", "flexible", "inner flexible", "wheels", "massless", classes="②"), "Likins (1974)",
    {
        "hinge torques": "torques (n, 3) of the hinges on the bodies that they carry [Nm]",
        "shifts of mass centers": "c (n, 3) from the deformed mass centers to the undeformed ones [m]",
        "Phi": "inertias Φ (n, 3, 3) of substructures with what hinges on them, about the undeformed mass centers",
    },
)  # fmt: skip
