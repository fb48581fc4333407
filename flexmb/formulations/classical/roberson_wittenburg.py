r"""Roberson and Wittenburg (1966): the equations of Hooker and Margulies, written by the matrices of the graph.

With the incidence matrix S of the arcs and its left inverse T, TS = 1, the torque Lᵃ of an arc on the body that it
leaves enters all bodies by S, and relative angular velocities Ωᵃ of the hinges give those of the bodies by T:

    Φ ω̇ = E + S L,     ω = ω₀ − Tᵀ Ω,   Ωᵃ = Σ gₖ γ̇ₖ

T from the left isolates each hinge, T (Φ ω̇ − E) = L: the torque of an arc is the sum over all bodies beyond it. Its
projections on the free axes of the hinge, −gₖ · Lᵃ = τₖ, and on those of the base, in the sum over all bodies, are as
many equations as rotations. Besides, the paper yields the torques of all hinges from the same product. Its matrices are
those of :class:`flexmb.Topology`; Φ and E are those of augmented bodies (2.1.2), Ohkami et al. (1985).
"""

from __future__ import annotations

import numpy as np

from flexmb.formulations.classical.barycentric import augmented, with_translation
from flexmb.formulations.classical.motion import Motion
from flexmb.formulations.classical.paper import Found, Paper
from flexmb.formulations.classical.scope import scope


def solve(motion: Motion) -> Found:
    """u̇ from the projected rows of the arcs."""
    bodies, n, graph = augmented(motion), motion.n, motion.topology
    unit = np.eye(3)
    T = np.kron(graph.path_to_reference, unit)  # (3a, 3n)
    whole = np.kron(graph.paths[graph.references], unit)  # the sum over each tree
    rows = np.vstack([-T, whole])  # the torque of each hinge on the body that it carries
    heads = [*graph.heads, *graph.references]
    of = motion.carried_by[bodies.turns]
    p = np.zeros((len(rows), len(of)))  # axes of hinges
    for k, (column, body) in enumerate(zip(bodies.turns, of)):
        at = 3 * heads.index(body)
        p[at : at + 3, k] = motion.columns[column, :3]
    Phi = bodies.Phi.transpose(0, 2, 1, 3).reshape(3 * n, 3 * n)
    velocities = rows.T @ p  # ω = rowsᵀ Ω
    still = Phi @ bodies.beta.ravel() - bodies.E.ravel()
    ud = np.zeros_like(motion.u)
    ud[bodies.turns] = np.linalg.solve(
        p.T @ (rows @ (Phi @ velocities)), motion.tau[bodies.turns] - p.T @ (rows @ still)
    )
    torques = np.zeros((n, 3))
    torques[heads] = (rows @ (Phi @ (velocities @ ud[bodies.turns]) + still)).reshape(-1, 3)
    return Found(with_translation(motion, bodies, ud), {"hinge torques": torques})


#: Roberson and Wittenburg (1966), in the table of formulations
PAPER: Paper = Paper(
    solve, scope("held base"), "Roberson and Wittenburg (1966)",
    {"hinge torques": "torques −Lᵃ (n, 3) of the hinges on the bodies that they carry [Nm]"},
)  # fmt: skip
