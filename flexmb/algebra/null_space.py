"""The motions that joints leave free: a basis Z (n, n − m) of all δq with G δq = 0.

The last columns of the orthogonal matrix of a QR factorisation of Gᵀ, with coordinates and rows scaled to the size of
the mechanism, span them: with q = S q̂ and row scales r,  (G S / r)ᵀ = Q [R; 0],  Z = S Q₂. So Z is orthonormal in the
scaled coordinates. See Kim and Vanderploeg (1986).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from flexmb.errors import RedundancyError

if TYPE_CHECKING:
    from flexmb.system.system import System

#: a diagonal of the triangular factor this much smaller than the first one is zero
RELATIVE_RANK = 1e-9


def null_space(system: System, t: float, q: np.ndarray) -> np.ndarray:
    """Z (n, n − m) with G(q, t) Z = 0, of full rank; dense.

    Arguments: `system`; `t` [s]; `q` (n,). Constraint rows must not depend on each other.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("pendulum")
    >>> bob = m.add_body("bob", mass=2.0, inertia=0.1, position=(1, 0))
    >>> hinge = m.revolute(m.ground, bob.attach("pivot", (-1, 0)))
    >>> system = fm.System(m)
    >>> z = null_space(system, 0.0, system.q0)[:, 0]
    >>> (z / z[2]).round(12).tolist()
    [0.0, 1.0, 1.0]
    """
    if system.m == 0:
        return np.diag(system.scale)
    G = system.jacobian(t, np.asarray(q, dtype=float))
    dense = G if isinstance(G, np.ndarray) else G.toarray()
    return scaled_null_space(dense, system.scale, system.row_scale, f"model {system.model.name!r}")


def scaled_null_space(G: np.ndarray, scale: np.ndarray, row_scale: np.ndarray, where: str) -> np.ndarray:
    """The same for a given Jacobian (m, n)."""
    m = len(G)
    Q, R, _ = scipy.linalg.qr((G / row_scale[:, None] * scale).T, pivoting=True)
    diagonal = np.abs(np.diag(R))
    if m and (m > G.shape[1] or diagonal[-1] <= RELATIVE_RANK * diagonal[0]):
        raise RedundancyError(
            f"{where}: constraint rows depend on each other in this position (singular position, or redundant joints); "
            "move away from it, or use redundant='remove'"
        )
    return scale[:, None] * Q[:, m:]
