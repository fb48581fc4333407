r"""Hooker and Margulies (1965): the attitude of a tree of rigid bodies in absolute angular velocities, with the torques
of hinges as unknowns.

The hinge of body i constrains it by torques T^c along pc, all normals of its free axes gₖ; drives act along g*ₖ, for
which g*ₖ · gₗ = δₖₗ. The torque of the hinge is

    Σ g*ₖ τₖ + Σ pc T^c   on body i, and its opposite on the body that carries it.

With what they do not allow, (2.1.7c), the barycentric equations (2.1.8) are the linear system (2.1.7a)

    [Φ  −P; Pᵀ  0] [ω̇; T^c] = [E + drives; −Ṗᵀω]

of 3n + n_c unknowns; numbers of Ohkami et al. (1985). Normals follow from ġ: where the hinge turns by α_c without γ̈,
they may do the same, −Ṗᵀ(ωᵢ − ωₚ) = pᵀ α_c. Besides, it yields the torques of hinges.
"""

from __future__ import annotations

import numpy as np

from flexmb.formulations.classical.barycentric import augmented, with_translation
from flexmb.formulations.classical.motion import Motion
from flexmb.formulations.classical.paper import Found, Paper
from flexmb.formulations.classical.scope import scope


def solve(motion: Motion) -> Found:
    """ω̇ and T^c by (2.1.7a, c), and u̇ from them."""
    bodies, n = augmented(motion), motion.n
    torque, right, P, rate = np.zeros((n, 3)), bodies.E.copy(), [], []
    axes = [motion.columns[np.intersect1d(np.arange(len(motion.u))[own], bodies.turns)] for own in motion.hinge]
    for i, p in enumerate(motion.parents):
        own = np.intersect1d(np.arange(len(motion.u))[motion.hinge[i]], bodies.turns)
        reciprocal = np.linalg.pinv(axes[i][:, :3]).T  # g*
        torque[i] = motion.tau[own] @ reciprocal
        right[i] += torque[i]
        if p >= 0:
            right[p] -= torque[i]
        for normal in normals(axes[i][:, :3]):
            column = np.zeros((n, 3))
            column[i] = normal
            if p >= 0:
                column[p] = -normal
            P.append(column.ravel())
            rate.append((i, normal, normal @ motion.alpha_c[i]))
    A, many = np.array(P).reshape(len(P), 3 * n).T, len(P)
    Phi = bodies.Phi.transpose(0, 2, 1, 3).reshape(3 * n, 3 * n)
    full = np.block([[Phi, -A], [A.T, np.zeros((many, many))]])
    found = np.linalg.solve(full, np.concatenate([right.ravel(), [c for _, _, c in rate]]))
    omega_dot, ud = found[: 3 * n].reshape(n, 3), np.zeros_like(motion.u)
    for (i, normal, _), constraint in zip(rate, found[3 * n :]):
        torque[i] += constraint * normal
    for i, p in enumerate(motion.parents):
        own = np.intersect1d(np.arange(len(motion.u))[motion.hinge[i]], bodies.turns)
        relative = omega_dot[i] - (omega_dot[p] if p >= 0 else 0.0) - motion.alpha_c[i]
        ud[own] = np.linalg.pinv(axes[i][:, :3]).T @ relative
    return Found(
        with_translation(motion, bodies, ud), {"hinge torques": torque, "constraint torques": found[3 * n :]}
    )  # fmt: skip


def normals(axes: np.ndarray) -> np.ndarray:
    """Unit vectors (3 − r, 3) that are normal to r axes (r, 3) and to each other."""
    return np.linalg.svd(axes.reshape(-1, 3), full_matrices=True)[2][len(axes) :]


#: Hooker and Margulies (1965), in the table of formulations
PAPER: Paper = Paper(
    solve, scope("held base"), "Hooker and Margulies (1965)",
    {
        "hinge torques": "torques (n, 3) of the hinges on the bodies that they carry [Nm]",
        "constraint torques": "T^c along the normals of the axes, hinge by hinge",
    },
)  # fmt: skip
