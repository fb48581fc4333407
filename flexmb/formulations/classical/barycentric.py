r"""Augmented bodies: the rotation of a tree of rigid bodies without hinge forces, for the formulations by barycenters.

Of a tree that floats freely, with hinges that only turn, about barycenters, Hooker and Margulies (1965):

    Σⱼ Φᵢⱼ ω̇ⱼ = Eᵢ + Tᴴᵢ                                                                                    (2.1.8)
    Eᵢ = Tᵢ − ωᵢ × Φᵢᵢ ωᵢ + Σⱼ Dᵢⱼ × Fⱼ + Σⱼ m Dᵢⱼ × (ωⱼ × (ωⱼ × Dⱼᵢ)), j ≠ i in the last sum               (2.1.2)

Of a tree whose base hinge stands on the ground, with ℓᵢⱼ from Oᵢ to the next hinge towards an outer body j, ℓᵢᵢ = cᵢ,
and δᵢ = −Σ mⱼ ℓᵢⱼ over these, which is the same for a ground of infinite mass:

    Φᵢᵢ = Iᵢ + Σ mⱼ (ℓᵢⱼ² 1 − ℓᵢⱼ ℓᵢⱼᵀ),   Φᵢⱼ = ℓ̃ᵢⱼ δ̃ⱼ for i < j, δ̃ᵢ ℓ̃ⱼᵢ for j < i, else 0
    Eᵢ = Tᵢ − ωᵢ × Φᵢᵢ ωᵢ + Σ ℓᵢⱼ × Fⱼ + Σ ℓᵢⱼ × (ωⱼ × (ωⱼ × δⱼ)) over outer j + Σ δᵢ × (ωⱼ × (ωⱼ × ℓⱼᵢ)) over inner j

Tᴴᵢ are the torques of hinges on body i. Several trees do not see each other. Equations are numbered as in Ohkami et al.
(1985).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.formulations.classical.motion import Motion
from flexmb.formulations.classical.topology import augmented_inertias, barycenters, tilde


class Augmented(NamedTuple):
    """Φ (n, n, 3, 3) and E (n, 3) of a motion; the columns of its hinges that turn, and those that shift its bases,
    `turns` and `shifts`; the rates Σ ġ γ̇ on the path to each body, `beta` (n, 3)."""

    Phi: np.ndarray
    E: np.ndarray
    turns: np.ndarray
    shifts: np.ndarray
    beta: np.ndarray


def augmented(motion: Motion) -> Augmented:
    """The augmented bodies of a motion whose hinges turn, and whose bases shift freely or not at all."""
    n, graph = motion.n, motion.topology
    Phi, E = np.zeros((n, n, 3, 3)), np.zeros((n, 3))
    shifting = np.any(motion.columns[:, 3:] != 0.0, axis=1) & ~np.any(motion.columns[:, :3] != 0.0, axis=1)
    for root in graph.references:
        bodies = np.array(graph.outboard(root))
        own = np.arange(len(motion.u))[motion.hinge[root]]
        part = _floating if np.any(shifting[own]) else _anchored
        at = np.ix_(bodies, bodies)
        F, T = motion.F[bodies].copy(), motion.about_centers[bodies]
        push = motion.tau[own[shifting[own]]] @ motion.columns[own[shifting[own]], 3:] if len(own) else np.zeros(3)
        F[0] += push  # the drives of the base act at its hinge point
        T[0] -= np.cross(motion.c[root], push)
        Phi[at], E[bodies] = part(motion, bodies, F, T)
    columns = np.arange(len(motion.u))
    return Augmented(
        Phi, E, columns[~shifting], columns[shifting], np.asarray(motion.paths.T @ motion.alpha_c)
    )  # fmt: skip


def _floating(motion: Motion, bodies: np.ndarray, F: np.ndarray, T: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    m, w = motion.m[bodies], motion.omega[bodies]
    D = barycenters(m, to_hinges(motion, bodies))
    Phi, n = augmented_inertias(m, motion.central[bodies], D), len(m)
    E = T - np.cross(w, np.einsum("iiab,ib->ia", Phi, w)) + np.cross(D, F[None]).sum(axis=1)
    back = np.swapaxes(D, 0, 1)  # Dⱼᵢ at [i, j]
    spin = m.sum() * np.cross(D, np.cross(w[None], np.cross(w[None], back)))
    spin[range(n), range(n)] = 0.0
    return Phi, E + spin.sum(axis=1)


def _anchored(motion: Motion, bodies: np.ndarray, F: np.ndarray, T: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    m, w, c = motion.m[bodies], motion.omega[bodies], motion.c[bodies]
    outer = motion.paths[np.ix_(bodies, bodies)] == 1  # [i, j]: i ≤ j
    L = to_hinges(motion, bodies) + c[:, None]  # from Oᵢ
    L *= outer[..., None]
    delta, n = -np.einsum("j,ijx->ix", m, L), len(m)
    strictly = outer & ~np.eye(n, dtype=bool)
    X, Y = tilde(L), tilde(delta)
    Phi = strictly[..., None, None] * (X @ Y[None])
    Phi = Phi + np.swapaxes(np.swapaxes(Phi, 0, 1), -1, -2)
    Phi[range(n), range(n)] = motion.central[bodies] - np.einsum("j,ijab,ijbc->iac", m, X, X)
    E = T - np.cross(w, np.einsum("iiab,ib->ia", Phi, w)) + np.cross(L, F[None]).sum(axis=1)
    outward = np.cross(L, np.cross(w, np.cross(w, delta))[None]) * strictly[..., None]
    back = np.swapaxes(L, 0, 1)  # ℓⱼᵢ at [i, j]
    inward = np.cross(delta[:, None], np.cross(w[None], np.cross(w[None], back))) * strictly.T[..., None]
    return Phi, E + outward.sum(axis=1) + inward.sum(axis=1)


def to_hinges(
    motion: Motion,
    bodies: np.ndarray,
    O: np.ndarray | None = None,
    C: np.ndarray | None = None,
) -> np.ndarray:
    """L (k, k, 3) among the bodies of a tree: from Cᵢ to the hinge of i that leads to j; its rates, where those of
    hinge points O and mass centers C are given in their place."""
    paths = motion.paths[np.ix_(bodies, bodies)]
    O = (motion.O if O is None else O)[bodies]
    C = (motion.O + motion.c if C is None else C)[bodies]
    place = {body: k for k, body in enumerate(bodies.tolist())}
    k = len(bodies)
    L = np.broadcast_to((O - C)[:, None], (k, k, 3)).copy()  # inwards: its own hinge
    for child, body in enumerate(bodies.tolist()):
        i = place.get(motion.parents[body], -1)
        if i >= 0:
            L[i, paths[child] == 1] = O[child] - C[i]
    L[range(k), range(k)] = 0.0
    return L


def with_translation(motion: Motion, found: Augmented, ud: np.ndarray) -> np.ndarray:
    """u̇ of `ud` completed by that of the bases that float, m R̈ = ΣF."""
    graph = motion.topology
    centers = motion.of_centers(motion.accelerations(ud), ud[motion.speed])
    for root in graph.references:
        own = np.intersect1d(np.arange(len(motion.u))[motion.hinge[root]], found.shifts)
        if not len(own):
            continue
        bodies = graph.outboard(root)
        e, m = motion.columns[own, 3:], motion.m[bodies]
        needed = motion.F[bodies].sum(axis=0) + motion.tau[own] @ e - m @ centers[bodies]
        ud[own] = e @ needed / m.sum()
    return ud
