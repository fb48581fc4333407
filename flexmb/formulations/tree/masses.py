"""Mass, first moment and inertia tensor of every single link, read from the mass matrix of the system."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from flexmb.formulations.tree.graph import Graph
from flexmb.kernels.blocks import Numbers
from flexmb.kernels.rotations import rotation_matrix, turned
from flexmb.model.ways import Quaternion, about_z
from flexmb.system.system import System

_AXES = range(3)


def own_inertias(system: System, graph: Graph, node_poses: Sequence[tuple[Quaternion, np.ndarray]]) -> np.ndarray:
    """Mass, first moment and inertia tensor (n, 10) of the links, about their origins and in their axes; zero for links
    on which the masses of groups stand. `node_poses`: axes and position of the node on each link."""
    out, blocks = np.zeros((len(graph.links), 10)), _mass_blocks(system, graph)
    planar = system.model.dimension == 2
    bearers = {k for group in graph.groups for k in group.bearers}
    for k in (k for k in range(len(graph.links)) if k not in bearers):
        mass, moment, tensor = about_node(system, graph.links[k].numbers, blocks[k])
        axes, place = node_poses[k]
        R = np.array(rotation_matrix(axes)).reshape(3, 3)
        out[k] = moved_inertia(mass, moment, tensor, R, place, planar)
    return out


def about_node(system: System, at: Numbers, block: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, first moment (3,) and inertia tensor (3, 3) about a node, in its axes, from the mass matrix `block` of its
    coordinates."""
    if system.model.dimension == 2:
        s = np.array([block[1, 2], -block[0, 2], 0.0])  # the column of the angle is m (−s_y, s_x) in the ground
        s = np.array(turned(about_z(-system.initial[at.q[2]]), tuple(s)))
        return float(block[0, 0]), s, np.diag(np.full(3, block[2, 2]))
    R = np.array(rotation_matrix(tuple(system.initial[at.q[3:]]))).reshape(3, 3)
    skew = -R.T @ block[:3, 3:]
    return float(block[0, 0]), np.array([skew[2, 1], skew[0, 2], skew[1, 0]]), block[3:, 3:]


def _mass_blocks(system: System, graph: Graph) -> np.ndarray:
    """The diagonal blocks (n, 6, 6), or (n, 3, 3) in the plane, of the initial mass matrix for the node of each
    link."""
    every = [link.numbers.v for link in graph.links]
    size = len(every[0]) if every else 0
    blocks = np.zeros((len(every), size, size))
    matrix = system.mass_matrix(0.0, system.q0)
    if isinstance(matrix, np.ndarray):
        for k, numbers in enumerate(every):
            blocks[k] = matrix[numbers[:, None], numbers]
        return blocks
    owner, local = np.full((2, system.n), -1)
    for k, numbers in enumerate(every):
        owner[numbers], local[numbers] = k, np.arange(size)
    mass = scipy.sparse.coo_array(matrix)
    row, column = mass.coords
    own = (owner[row] == owner[column]) & (owner[row] >= 0)
    row, column = row[own], column[own]
    np.add.at(blocks, (owner[row], local[row], local[column]), mass.data[own])
    return blocks


def moved_inertia(
    mass: float, moment: np.ndarray, tensor: np.ndarray, R: np.ndarray, place: np.ndarray, planar: bool
) -> np.ndarray:
    """Mass, first moment and inertia tensor (10,) about the origin of a link, from those about its node, which is at
    `place` on the link with the axes R. In the plane only the moment of inertia about z matters; it is used for all
    three axes."""
    s = R @ moment  # m times the arm from the node to the mass center, in the axes of the link
    J = R @ tensor @ R.T
    about = mass * place + s

    def square(u: np.ndarray, w: np.ndarray) -> np.ndarray:
        along, a, b = float(u @ w), u.tolist(), w.tolist()
        return np.array([[(i == j) * along - 0.5 * (a[i] * b[j] + b[i] * a[j]) for j in _AXES] for i in _AXES])

    J = J + mass * square(place, place) + 2.0 * square(place, s)
    if planar:
        J = J[2, 2] * np.eye(3)
    return np.array([mass, *about, J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
