"""A strip of bricks of 27 nodes that a dead force on its end bends: the full solution by scikit-fem, without flexmb.

The material is that of Saint-Venant and Kirchhoff, S = λ tr E 1 + 2 μ E with E = ½ (FᵀF − 1); the virtual
work ∫ S : sym(Fᵀ ∇v) dV is that of a uniform traction on the end. The root is held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

LENGTH, WIDTH, THICKNESS = 1.0, 0.03, 0.01
E, NU = 7e10, 0.3
#: EI [Nm²] of bending in z and in y
EIY, EIZ = E * WIDTH * THICKNESS**3 / 12.0, E * THICKNESS * WIDTH**3 / 12.0
BRICKS = 20


@dataclass(frozen=True)
class Bent:
    """The mean displacement (3,) [m] of the nodes of the end under a `force` (3,) [N]."""

    force: tuple[float, float, float]
    end: tuple[float, float, float]


#: as `python -m flexmb.validation.references.strip_of_bricks` prints them, in two minutes each
SOLUTIONS = (
    Bent((0.0, 0.0, 0.3 * EIY), (-5.83065657e-03, 0.0, 9.83109121e-02)),
    Bent((0.0, 0.0, 0.75 * EIY), (-3.35623831e-02, 0.0, 2.33980542e-01)),
    Bent((0.0, 0.1 * EIZ, 0.3 * EIY), (-0.00670663, 0.03365204, 0.09978887)),
    Bent((0.0, 0.2 * EIZ, 0.6 * EIY), (-0.02809625, 0.07037629, 0.20166483)),
)


def solve(force: Sequence[float], steps: int = 6) -> np.ndarray:
    """The mean displacement (3,) [m] of the nodes of the end."""
    import skfem
    from skfem.helpers import ddot, eye, grad, trace, transpose

    lam, mu = E * NU / (1 + NU) / (1 - 2 * NU), E / 2 / (1 + NU)
    x = np.linspace(0.0, LENGTH, BRICKS + 1)
    mesh = skfem.MeshHex.init_tensor(x, np.array([-0.5, 0.5]) * WIDTH, np.array([-0.5, 0.5]) * THICKNESS)
    basis = skfem.Basis(mesh, skfem.ElementVector(skfem.ElementHex2()), intorder=5)
    end = skfem.FacetBasis(mesh, basis.elem, facets=mesh.facets_satisfying(lambda p: np.isclose(p[0], LENGTH)))
    area = WIDTH * THICKNESS

    def stress(strain: Any) -> Any:
        return lam * eye(trace(strain), 3) + 2.0 * mu * strain

    def product(a: Any, b: Any) -> Any:
        return np.einsum("ki...,kj...->ij...", a, b)

    @skfem.LinearForm
    def inner(v: Any, w: Any) -> Any:
        H = grad(w["u"])
        strain = 0.5 * (H + transpose(H) + product(H, H))
        return ddot(stress(strain), grad(v) + product(H, grad(v)))

    @skfem.BilinearForm
    def slope(u: Any, v: Any, w: Any) -> Any:
        H, A = grad(w["u"]), grad(u)
        strain = 0.5 * (H + transpose(H) + product(H, H))
        change = A + product(H, A)
        change = 0.5 * (change + transpose(change))
        return ddot(stress(change), grad(v) + product(H, grad(v))) + ddot(stress(strain), product(A, grad(v)))

    @skfem.LinearForm
    def pull(v: Any, w: Any) -> Any:
        return sum(force[k] / area * v[k] for k in range(3))

    load, u = pull.assemble(end), np.zeros(basis.N)
    held = basis.get_dofs(lambda p: np.isclose(p[0], 0.0)).all()
    free = np.setdiff1d(np.arange(basis.N), held)
    for part in np.linspace(0.0, 1.0, steps + 1)[1:]:
        for _ in range(30):
            now = basis.interpolate(u)
            off = part * load - inner.assemble(basis, u=now)
            K = slope.assemble(basis, u=now)
            y = skfem.solve(*skfem.condense(K, off, D=held))
            u = u + y
            if np.max(np.abs(y[free])) < 1e-13:
                break
    on_end = np.isclose(basis.doflocs[0], LENGTH)
    direction = np.zeros(basis.N, dtype=int)
    for local, dofs in enumerate(basis.element_dofs):
        direction[dofs] = local % 3
    return np.array([u[on_end & (direction == k)].mean() for k in range(3)])


def main() -> None:
    """Print the displacements of the end that the case `fe-static-bend` compares."""
    for given in SOLUTIONS:
        print(given.force, *(f"{x:.8e}" for x in solve(given.force)))


if __name__ == "__main__":
    main()
