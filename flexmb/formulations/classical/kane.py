r"""Kane and Levinson (1980): generalized speeds, partial velocities, generalized forces.

Velocities are linear in the generalized speeds, vᶜ = Σ vᶜᵣ uᵣ and ω = Σ ωᵣ uᵣ, which are the joint speeds here. With
the force R and the torque T on each body about its mass center,

    Fᵣ = Σ (vᶜᵣ · R + ωᵣ · T) + τᵣ,    F*ᵣ = −Σ [vᶜᵣ · m a + ωᵣ · (I α + ω × I ω)],    Fᵣ + F*ᵣ = 0    (2.10.10)

What hinges do without power is in no Fᵣ. Where further constraints A u + B = 0 hold, integrable or not, dependent
speeds follow from the independent ones, u_m = −A_mm⁻¹ (A_mn u_n + B) (27), and these have the partial velocities
Wᵀ [vᵣ; ωᵣ] with W = [1; −A_mm⁻¹ A_mn]: a rolling wheel, a driven hinge and a cut loop need no multipliers. Which speeds
are dependent is chosen by pivots. Besides, it yields the partial velocities and both generalized forces. Numbers of
equations are those of Ohkami et al. (1985).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import qr, solve_triangular

from flexmb.formulations.classical.motion import Motion
from flexmb.formulations.classical.paper import Found, Paper
from flexmb.formulations.classical.scope import scope

#: rows whose pivot is below this part of their size depend on others
DEPENDENT = 1e-10


def solve(motion: Motion) -> Found:
    """u̇ by (2.10.10), of the independent speeds and then of all."""
    V = motion.at_center
    still = motion.accelerations()
    a = motion.of_centers(still)
    active = np.einsum("ria,ia->r", V, np.hstack([motion.T, motion.F])) + motion.tau
    R = motion.m[:, None] * a
    T = np.einsum("iab,ib->ia", motion.I, still[:, :3]) + motion.gyroscopic
    bias = np.einsum("ria,ia->r", V, np.hstack([T, R]))
    turned = np.einsum("iab,rib->ria", motion.I, V[:, :, :3])
    M = np.einsum("ria,sia->rs", V[:, :, :3], turned, optimize=True)
    M += np.einsum("i,ria,sia->rs", motion.m, V[:, :, 3:], V[:, :, 3:], optimize=True)
    if motion.rows is None:
        ud = np.linalg.solve(M, active - bias)
    else:
        A, c = rows_in_speeds(motion)
        W, particular = independent(A, c, float(np.max(np.abs(motion.rows.B), initial=1.0)))
        reduced = W.T @ M @ W
        ud = W @ np.linalg.solve(reduced, W.T @ (active - bias - M @ particular)) + particular
    return Found(
        ud, {"partial velocities": V, "active forces": active, "inertia forces": -(M @ ud + bias)}
    )  # fmt: skip


def rows_in_speeds(motion: Any) -> tuple[np.ndarray, np.ndarray]:
    """A (r, nv) and c (r,) of A u̇ = c, from the rows beside the hinges, of rigid bodies or of flexible ones."""
    rows = motion.rows
    V = motion.partial.reshape(len(motion.u), 6 * motion.n)
    B = rows.B.reshape(len(rows.B), 6 * motion.n)
    return B @ V.T + rows.b, rows.c - B @ motion.accelerations().ravel()


def forces_of_rows(motion: Any, left: np.ndarray) -> np.ndarray:
    """Forces (n, 6) of rows beside the hinges, the smallest λ that do what is `left` (nv,) of the balance of speeds."""
    A, _ = rows_in_speeds(motion)
    lam = np.linalg.lstsq(A.T, left, rcond=1e-10)[0]
    return np.asarray(np.einsum("r,ria->ia", lam, motion.rows.B))


def independent(A: np.ndarray, c: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """W (nv, f) and x (nv,): u̇ = W u̇_n + x are all that obey A u̇ = c (27). `size` is that of rows that hold
    something."""
    Q, R, order = qr(A, pivoting=True, mode="economic")
    rank = int(np.sum(np.abs(np.diag(R)) > DEPENDENT * size))
    m, n = order[:rank], order[rank:]
    W, x = np.zeros((A.shape[1], len(n))), np.zeros(A.shape[1])
    W[n, range(len(n))] = 1.0
    W[m] = -solve_triangular(R[:rank, :rank], R[:rank, rank:])
    x[m] = solve_triangular(R[:rank, :rank], Q[:, :rank].T @ c)
    return W, x


#: Kane and Levinson (1980), in the table of formulations
PAPER: Paper = Paper(
    solve,
    scope(
        "translations", "screws", "axes apart", "part of a base", "held base", "nonholonomic", "drives",
        "further rows", "loops",
    ),
    "Kane and Levinson (1980)",
    {
        "partial velocities": "[ωᵣ; vᵣ] (nv, n, 6) at mass centers",
        "active forces": "Fᵣ (nv,)",
        "inertia forces": "F*ᵣ (nv,); F + F* is what further rows do",
    },
)  # fmt: skip
