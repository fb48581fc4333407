"""The base class of forces between two frames of the plane."""

from __future__ import annotations

from dataclasses import dataclass

from flexmb.kernels.compilation import compiled
from flexmb.model.pairs import PlanarPair


@dataclass(eq=False)
class PairForce(PlanarPair):
    """A force between frames `a` and `b`; the force on b acts back on a."""

    kind = "force"


@compiled
def add_product(K, work, rows, n):
    """K += Bᵀ T for matrices (rows, n) that stand row by row in scratch space: B at its head, T behind it."""
    for k in range(rows):
        for i in range(n):
            left = work[k * n + i]
            if left != 0.0:
                for j in range(n):
                    K[i, j] += left * work[(rows + k) * n + j]
