r"""Ho (1977), the direct path: sums along the paths from the main body, in its rigid part.

The position of a body is the sum of arms on its direct path (2.6.1), its angular velocity the sum of hinge rates there
(2.6.2). Its inertia has, with loads, the resultant about its hinge Oⱼ

    F^Iⱼ = −(mⱼ aⱼ + αⱼ × sⱼ + ωⱼ × (ωⱼ × sⱼ)) + Fⱼ
    T^Iⱼ = −(sⱼ × aⱼ + Jⱼ αⱼ + ωⱼ × Jⱼ ωⱼ) + Tⱼ + cⱼ × Fⱼ                                                   (2.6.4)

with s = m c and J about the hinge, and each hinge u balances all that lies beyond it:

    gᵤ · Σ (T^Iⱼ + (Oⱼ − Oᵤ) × F^Iⱼ) + τᵤ = 0 over j ≥ u,     Σ F^Iⱼ = 0    (2.6.7), (2.6.5)

Besides, it yields the forces and torques of all hinges, which are these sums. The survey, Ohkami et al. (1985), says of
the inertia in (2.6.4) that it is about the mass center; it is about the hinge.
"""

from __future__ import annotations

import numpy as np

from flexmb.formulations.classical.motion import Motion
from flexmb.formulations.classical.paper import Found, Paper
from flexmb.formulations.classical.scope import scope


def solve(motion: Motion) -> Found:
    """u̇ from the balance of each hinge (2.6.7)."""
    still, V, of = motion.accelerations(), motion.partial, motion.carried_by
    s = motion.m[:, None] * motion.c

    def resultant(alpha: np.ndarray, a: np.ndarray) -> np.ndarray:
        """[T; F] (…, n, 6) of the inertia of all bodies without speeds."""
        F = -(motion.m[:, None] * a + np.cross(alpha, s))
        T = -(np.cross(s, a) + np.einsum("iab,...ib->...ia", motion.J, alpha))
        return np.concatenate([T, F], axis=-1)

    def of_paths(own: np.ndarray) -> np.ndarray:
        """The sums (…, n, 6) over all bodies whose direct path has a hinge, about that hinge."""
        T = own[..., :3] + np.cross(motion.O, own[..., 3:])
        total = np.einsum("ui,...ia->...ua", motion.paths, np.concatenate([T, own[..., 3:]], axis=-1))
        total[..., :3] -= np.cross(motion.O, total[..., 3:])
        return np.asarray(total)

    w = motion.omega
    gyroscopic = np.hstack(
        [np.cross(w, np.einsum("iab,ib->ia", motion.J, w)), np.cross(w, np.cross(w, s))]
    )  # fmt: skip
    loads = np.hstack([motion.T + np.cross(motion.c, motion.F), motion.F])
    beyond = of_paths(resultant(still[:, :3], still[:, 3:]) - gyroscopic + loads)
    columns = of_paths(resultant(V[..., :3], V[..., 3:]))
    row = motion.columns
    M = -np.einsum("ra,sra->rs", row, columns[:, of])
    ud = np.linalg.solve(M, np.einsum("ra,ra->r", row, beyond[of]) + motion.tau)
    forces = -(beyond + np.einsum("r,ria->ia", ud, columns))
    return Found(ud, {"hinge forces": forces})


#: Ho (1977), in the table of formulations
PAPER: Paper = Paper(
    solve, scope("part of a base", "held base", classes="④"), "Ho (1977)",
    {"hinge forces": "[n; f] (n, 6) of the hinges on the bodies that they carry, at their hinge points"},
)  # fmt: skip
