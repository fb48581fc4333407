"""The base class of forces between two frames."""

from __future__ import annotations

from dataclasses import dataclass

from flexmb.errors import ModelError
from flexmb.kernels.compilation import compiled
from flexmb.model.components import PairComponent


@dataclass(eq=False)
class PairForce(PairComponent):
    """A force between frames `a` and `b`; the force on b acts back on a."""

    kind = "force"
    dimension = 2

    def check(self) -> None:
        if self.a.node is self.b.node:
            raise ModelError(
                f"{self.where}: frames {self.a.name!r} and {self.b.name!r} are parts of the same body; "
                "a force between them does nothing"
            )


@compiled
def add_product(K, work, rows, n):
    """K += Bᵀ T for matrices (rows, n) that stand row by row in scratch space: B at its head, T behind it."""
    for k in range(rows):
        for i in range(n):
            left = work[k * n + i]
            if left != 0.0:
                for j in range(n):
                    K[i, j] += left * work[(rows + k) * n + j]
