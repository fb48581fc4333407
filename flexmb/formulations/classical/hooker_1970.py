r"""Hooker (1970): the attitude of a tree of rigid bodies in its smallest number of equations, torques of hinges
eliminated.

Angular velocities are those of the base and the rates of gimbal angles, ωⱼ = Σₖ εₖⱼ gₖ γ̇ₖ (2.1.9). Summed over all
that an axis carries, (2.1.8) is free of all torques of hinges but that about the axis (2.1.12):

    Σₖ aᵢₖ γ̈ₖ = gᵢ · Σⱼ εᵢⱼ E*ⱼ + τᵢ,   aᵢₖ = gᵢ · ΣΣ εᵢⱼ εₖₗ Φⱼₗ gₖ,   E*ⱼ = Eⱼ − Σₗ Φⱼₗ Σₖ εₖₗ γ̇ₖ ġₖ    (2.1.13)

a symmetric system of the order of the rotations. The rows of the base have its own axes in place of g: a₀₀, a₀ₖ, aᵢ₀ of
the survey. Of Ohkami et al. (1985) are the numbers of equations. Besides, it yields this matrix `a` and the barycentric
inertias Φ.
"""

from __future__ import annotations

import numpy as np

from flexmb.formulations.classical.barycentric import augmented, with_translation
from flexmb.formulations.classical.motion import Motion
from flexmb.formulations.classical.paper import Found, Paper
from flexmb.formulations.classical.scope import scope


def solve(motion: Motion) -> Found:
    """u̇ by (2.1.13)."""
    bodies = augmented(motion)
    g, of = motion.columns[bodies.turns, :3], motion.carried_by[bodies.turns]
    epsilon = motion.paths[of]  # εₖⱼ (r, n)
    B = epsilon[..., None] * g[:, None]  # what axis k does to body j
    E = bodies.E - np.einsum("jlab,lb->ja", bodies.Phi, bodies.beta)  # (2.1.11)
    a = np.einsum("ija,jlab,klb->ik", B, bodies.Phi, B, optimize=True)
    ud = np.zeros_like(motion.u)
    ud[bodies.turns] = np.linalg.solve(a, np.einsum("ija,ja->i", B, E) + motion.tau[bodies.turns])
    return Found(with_translation(motion, bodies, ud), {"a": a, "Phi": bodies.Phi})


#: Hooker (1970), in the table of formulations
PAPER: Paper = Paper(
    solve, scope("held base"), "Hooker (1970)",
    {"a": "the matrix (r, r) of (2.1.13)", "Phi": "inertias Φ (n, n, 3, 3) of augmented bodies"},
)  # fmt: skip
