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
    """u̇ from the balance of each hinge (2.6.7); bodies keep the shape that they have."""
    hinges = np.flatnonzero(motion.carried_by >= 0)
    row, of, none = motion.columns[hinges], motion.carried_by[hinges], np.zeros(motion.k)
    still, _ = motion.inertia(motion.accelerations(), none)
    beyond = motion.outboard_sums(np.hstack([motion.T, motion.F]) - still - motion.with_speeds[0])
    columns = motion.outboard_sums(motion.inertia(motion.partial[hinges], none)[0])
    M, ud = np.einsum("ra,sra->rs", row, columns[:, of]), np.zeros_like(motion.u)
    ud[hinges] = np.linalg.solve(M, np.einsum("ra,ra->r", row, beyond[of]) + motion.tau[hinges])
    return Found(ud, {"hinge forces": np.einsum("r,ria->ia", ud[hinges], columns) - beyond})


#: Ho (1977), in the table of formulations
PAPER: Paper = Paper(
    solve, scope("part of a base", "held base", classes="④"), "Ho (1977)",
    {"hinge forces": "[n; f] (n, 6) of the hinges on the bodies that they carry, at their hinge points"},
)  # fmt: skip
