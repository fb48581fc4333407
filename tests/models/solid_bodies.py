"""Meshes of solid bodies that several tests reduce: a bracket of two plates, and a bar."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmb as fm
from flexmb import bodies

ALUMINIUM = fm.Material(density=2700.0, youngs_modulus=7e10, poissons_ratio=0.33)
INF = np.inf


def bracket_mesh(divisions: tuple[int, int, int] = (8, 6, 10)) -> Any:
    """An L of two plates, 0.1 × 0.06 × 0.008 m and 0.008 × 0.06 × 0.12 m, with so many bricks along x, y and z."""
    import skfem

    nx, ny, nz = divisions
    x = np.concatenate([[0.0], np.linspace(0.008, 0.1, nx + 1)])
    z = np.concatenate([[0.0], np.linspace(0.008, 0.12, nz + 1)])
    y, thick = np.linspace(0.0, 0.06, ny + 1), np.array([0.0, 0.008])
    return skfem.MeshHex.init_tensor(x, y, thick) + skfem.MeshHex.init_tensor(thick, y, z[1:])


#: patches of 20 nodes at the foot and high on the back, where something is bolted to it
PATCHES = {
    "A": bodies.on_plane((0, 0, 0), (0, 0, 1)) & bodies.in_box((0.0574, 0.0199, -INF), (0.0826, 0.0401, INF)),
    "B": bodies.on_plane((0, 0, 0), (1, 0, 0)) & bodies.in_box((-INF, 0.0199, 0.0853), (INF, 0.0401, 0.1083)),
}
