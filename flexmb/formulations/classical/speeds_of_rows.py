"""Rows beside the hinges in speeds, A u̇ = c: their forces, and the speeds that they leave independent; and what hinges
lock."""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr, solve_triangular

from flexmb.formulations.classical.motion import Motion

#: rows whose pivot is below this part of their size depend on others
DEPENDENT = 1e-10


def rows_in_speeds(motion: Motion) -> tuple[np.ndarray, np.ndarray]:
    """A (r, nv) and c (r,) of A u̇ = c, from the rows beside the hinges."""
    rows = motion.rows
    assert rows is not None
    V = motion.partial.reshape(len(motion.u), 6 * motion.n)
    B = rows.B.reshape(len(rows.B), 6 * motion.n)
    return B @ V.T + rows.b, rows.c - B @ motion.accelerations().ravel()


def forces_of_rows(motion: Motion, left: np.ndarray) -> np.ndarray:
    """Forces (n, 6) of rows beside the hinges, the smallest λ that do what is `left` (nv,) of the balance of speeds."""
    assert motion.rows is not None
    A, _ = rows_in_speeds(motion)
    lam = np.linalg.lstsq(A.T, left, rcond=1e-10)[0]
    return np.asarray(np.einsum("r,ria->ia", lam, motion.rows.B))


def independent(A: np.ndarray, c: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """W (nv, f) and x (nv,): u̇ = W u̇_n + x are all that obey A u̇ = c, Kane and Levinson (1980) (27). `size` is that of
    rows that hold something."""
    Q, R, order = qr(A, pivoting=True, mode="economic")
    rank = int(np.sum(np.abs(np.diag(R)) > DEPENDENT * size))
    m, n = order[:rank], order[rank:]
    W, x = np.zeros((A.shape[1], len(n))), np.zeros(A.shape[1])
    W[n, range(len(n))] = 1.0
    W[m] = -solve_triangular(R[:rank, :rank], R[:rank, rank:])
    x[m] = solve_triangular(R[:rank, :rank], Q[:, :rank].T @ c)
    return W, x


def locked(motion: Motion, S: np.ndarray) -> np.ndarray:
    """Unit vectors (…, 6) that are normal to the columns S (k, 6) of a hinge."""
    parts = kinds_of_motion(motion)
    normal = np.linalg.svd(S[:, parts], full_matrices=True)[2][len(S) :] if len(S) else np.eye(len(parts))
    found = np.zeros((len(normal), 6))
    found[:, parts] = normal
    return found


def kinds_of_motion(motion: Motion) -> list[int]:
    """The parts of [ω; v] that are not zero by the kind of model."""
    return [2, 3, 4] if motion.planar else list(range(6))
