"""Mass, first moment and inertia tensor of every single link, read from the mass matrix of the system."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from flexmb.formulations.tree.arrays import Links, Nodes
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
    for k in _single(graph):
        out[k] = _own_inertia(system, graph.links[k].numbers, blocks[k], *node_poses[k])
    return out


def _single(graph: Graph) -> list[int]:
    """The links on which the masses of no group stand."""
    bearers = {k for group in graph.groups for k in group.bearers}
    return [k for k in range(len(graph.links)) if k not in bearers]


def _own_inertia(
    system: System, numbers: Numbers, block: np.ndarray, axes: Quaternion, place: np.ndarray
) -> np.ndarray:
    R = np.array(rotation_matrix(axes)).reshape(3, 3)
    return moved_inertia(*about_node(system, numbers, block), R, place, system.model.dimension == 2)


class MassesAgain:
    """The masses of the single links of a tree, found again after constants of its `system` have changed: those of the
    links whose own masses have. `nodes`: those of the tree's links."""

    def __init__(self, system: System, graph: Graph, nodes: Nodes) -> None:
        self._system, self._graph = system, graph
        self._poses: list[tuple[Quaternion, np.ndarray]] = [
            (tuple(axes), place) for axes, place in zip(nodes.axes.tolist(), nodes.place)
        ]
        self._single, self._blocks = _single(graph), _mass_blocks(system, graph)
        self._inertia = own_inertias(system, graph, self._poses)

    def put(self, links: Links) -> None:
        """Fill the masses of `links`, and gravity."""
        system, before, graph = self._system, self._blocks, self._graph
        self._blocks = blocks = _mass_blocks(system, graph)
        for k in self._single:
            if not np.array_equal(blocks[k], before[k]):
                self._inertia[k] = _own_inertia(system, graph.links[k].numbers, blocks[k], *self._poses[k])
        links.mass[:], links.moment[:] = self._inertia[:, 0], self._inertia[:, 1:4]
        links.inertia[:] = self._inertia[:, 4:]
        links.gravity[: system.model.dimension] = system.model.gravity.weight()


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
