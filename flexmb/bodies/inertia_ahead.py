"""Inertia of the part of a body ahead of a plane, of the forces of the nodes there, which have the arms of the nodes:
with ψ = Σ N_a and Φ = Σ N_a F_a of these nodes ∫ρψ, ∫ρψ F, ∫ρ Φ and ∫ρ Φ Fᵀ."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmb.bodies.full_models.cell_kinds import CORNERS, gauss_points, shape_functions
from flexmb.bodies.stresses import AT_ONCE


class PartAhead(NamedTuple):
    """Of fields F, the places X and the modes: `mass` [kg], `first` and `arms` (1 + n, d), `products` (1 + n, 1 + n,
    d, d)."""

    mass: float
    first: np.ndarray
    arms: np.ndarray
    products: np.ndarray


def part_ahead(mesh: Any, ahead: np.ndarray, modes: int) -> PartAhead:
    """The inertia of the nodes of a mesh by their weights `ahead` (N,), with the first so many of its modes.

    >>> import flexmb as fm, skfem
    >>> bar = skfem.MeshHex.init_tensor(np.linspace(0, 1, 3), np.array([0, 0.1]), np.array([0, 0.1]))
    >>> foot = {"foot": fm.bodies.on_plane((0, 0, 0), (1, 0, 0))}
    >>> mesh = fm.bodies.from_mesh(bar, fm.Material(7850, 205e9), interfaces=foot, modes=3).mesh
    >>> whole = part_ahead(mesh, np.ones(len(mesh.nodes)), 3)
    >>> round(whole.mass, 6), whole.first.shape, whole.products.shape
    (78.5, (4, 3), (4, 4, 3, 3))
    """
    d = mesh.nodes.shape[1]
    fields = np.concatenate([mesh.nodes[:, :, None], mesh.shapes[..., :modes]], axis=2).transpose(0, 2, 1)
    flat = np.concatenate([np.ones((len(fields), 1)), fields.reshape(len(fields), -1)], axis=1)
    total = np.zeros((flat.shape[1],) * 2)
    for (kind, numbers), own in zip(mesh.cells, mesh.elasticity, strict=True):
        shape = kind.rstrip("0123456789")
        order = 1 if numbers.shape[1] == len(CORNERS[shape]) else 2
        values = shape_functions(shape, order, gauss_points(shape, order)[0])[0]
        counted = numbers[np.any(ahead[numbers] > 0.0, axis=1)]
        step = max(1, AT_ONCE // (len(values) * flat.shape[1]))
        for start in range(0, len(counted), step):
            part = counted[start : start + step]
            mu = own.density * own.at_gauss_points(mesh.nodes[part], np.zeros((*part.shape, d, 0)))[2]
            F, G = (
                np.einsum("qa,eaf->eqf", values, x, optimize=True).reshape(-1, flat.shape[1])
                for x in (flat[part], flat[part] * ahead[part][..., None])
            )
            total += G.T @ (mu.reshape(-1, 1) * F)
    products = total[1:, 1:].reshape(1 + modes, d, 1 + modes, d).transpose(0, 2, 1, 3)
    first, arms = (x.reshape(1 + modes, d) for x in (total[0, 1:], total[1:, 0]))
    return PartAhead(float(total[0, 0]), first, arms, products)
