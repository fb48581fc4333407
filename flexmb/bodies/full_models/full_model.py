"""The full model of a body: nodes, coordinates, sparse matrices, and what its inertia and its strain need of them.

Whatever a body is made of, a mesh, a frame of beams or matrices of another program, its reduction begins with this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import scipy

from flexmb.bodies.full_models.frame_skin import Skin
from flexmb.bodies.stresses import ElasticCells
from flexmb.errors import ModelError
from flexmb.model import checks

#: K and M may differ from their transposes by this part of their largest entry
SYMMETRY = 1e-8
#: direction of coordinates that are no motion of a node, such as those of modes; their node is −1
GENERALIZED = 99


@dataclass(frozen=True, eq=False)
class MassField:
    """Where the mass of a body is: points whose displacements are linear in the coordinates, with a mass matrix m
    (P, P) that weighs every direction alike, M = Lᵀ (m ⊗ 1) L.

    Arguments: `positions` (P, d) [m]; `matrix`, m [kg]; `displacement`, L (P·d, n), None where coordinates are the
    translations of the points in turn; `arms` (P, d) [m], by which a point stands off the place of a section, and
    `turning` (P·r, n), the rotation vectors of these sections, both None for bodies of points alone.
    """

    positions: np.ndarray
    matrix: Any
    displacement: Any = None
    arms: np.ndarray | None = None
    turning: Any = None

    def moved(self, shapes: np.ndarray) -> np.ndarray:
        """Displacements of the points (P, d, k) in the shapes (n, k)."""
        values = shapes if self.displacement is None else self.displacement @ shapes
        return np.asarray(values.reshape(*self.positions.shape, shapes.shape[1]))


class PairStrains(Protocol):
    """Elements that know the second order of strains, ε₂(φ_i, φ_j), for pairs (p, 2) of shapes (n, k)."""

    def pair_forces(self, shapes: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """∫ σ(v) : ε₂ dV as forces (n, p) on v."""

    def pair_energies(self, shapes: np.ndarray, pairs: np.ndarray, fields: np.ndarray) -> np.ndarray:
        """∫ E_p : C : E_r dV (p, p) of E_p = ε₂ + ε₁ of a field (n, p)."""


@dataclass(frozen=True, eq=False)
class FullModel:
    """All coordinates of a body before its reduction.

    Arguments: `nodes` (N, d) [m]; `stiffness` K and `mass` M, sparse (n, n); `node_of` and `direction_of` (n,): the
    node that each coordinate belongs to, and its direction, translations from 0 on and rotations behind them;
    `mass_field`, None if M is not that of points; `stress_work`, a function of displacements (n, l) and shapes (n, k)
    that gives φᵀ K_σ(u_l) φ (l, k, k), and `stress_matrix`, one of a displacement (n,) that gives K_σ (n, n), both None
    where the strains are not known; `forces`, a function of displacements (n, k) that gives K u (n, k) with fewer
    digits lost than by K, and `pair_strains`, elements that know the second order of strains, None where there are
    none; `heated`, a function of a field of temperature and of where messages begin, see
    :mod:`flexmb.bodies.reducing.thermal_loads`, None too where it is not known; `sets`, numbers of nodes by names;
    `cells`, pairs of meshio's name and the nodes of each cell; `notes`, lines for the report; `points` (p,), nodes by
    the numbers of points in a file that has others for them, −1 where none or several are at its place; `elasticity`,
    what the stresses of each block of cells follow from, empty where they are not known; `skin`, a surface for pictures
    of a body whose cells have none.

    >>> two = FullModel(np.zeros((1, 2)), scipy.sparse.eye(2), scipy.sparse.eye(2), [0, 0], [0, 1])
    >>> two.rigid_modes().shape
    (2, 3)
    """

    nodes: Any
    stiffness: Any
    mass: Any
    node_of: Any
    direction_of: Any
    mass_field: MassField | None = None
    stress_work: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
    stress_matrix: Callable[[np.ndarray], Any] | None = None
    sets: Mapping[str, np.ndarray] = field(default_factory=dict)
    cells: Sequence[tuple[str, np.ndarray]] = ()
    notes: tuple[str, ...] = ()
    name: str = "body"
    points: np.ndarray | None = None
    forces: Callable[[np.ndarray], np.ndarray] | None = None
    heated: Callable[[Callable[[np.ndarray], np.ndarray], str], Any] | None = None
    pair_strains: PairStrains | None = None
    elasticity: tuple[ElasticCells, ...] = ()
    skin: Skin | None = None

    def __post_init__(self) -> None:
        where = f"body {self.name!r}"
        nodes = checks.matrix(self.nodes, "nodes", where)
        if nodes.shape[1] not in (2, 3):
            raise ModelError(f"{where}: its nodes have {nodes.shape[1]} coordinates; give 3, or 2 in the plane")
        put = object.__setattr__
        put(self, "nodes", nodes)
        put(self, "node_of", np.asarray(self.node_of, dtype=np.int64))
        put(self, "direction_of", np.asarray(self.direction_of, dtype=np.int64))
        for what in ("stiffness", "mass"):
            put(self, what, _symmetric(getattr(self, what), what, where, len(self.node_of)))
        if not np.all(self.mass.diagonal() >= 0.0):
            bad = int(np.argmin(self.mass.diagonal()))
            raise ModelError(
                f"{where}: its mass matrix is not positive: the coordinate {bad} has the mass "
                f"{self.mass.diagonal()[bad]:g}; take consistent masses, or others that are positive"
            )

    @property
    def dimension(self) -> int:
        """3 in space, 2 in the plane."""
        return int(self.nodes.shape[1])

    @property
    def condensed(self) -> bool:
        """Whether some of its coordinates are those of modes."""
        return bool(np.any(self.node_of < 0))

    def rigid_modes(self, about: Any = None) -> np.ndarray:
        """The rigid motions of small size (n, 6), in the plane (n, 3): unit translations, then unit turns about the
        point `about`, the origin if not given."""
        d = self.dimension
        r = 3 if d == 3 else 1
        arms = self.nodes[self.node_of] - (np.zeros(d) if about is None else np.asarray(about, dtype=float))
        turned = turned_by_units(arms)
        R = np.zeros((len(self.node_of), d + r))
        moving, turns = self.direction_of < d, (self.direction_of >= d) & (self.direction_of < GENERALIZED)
        rows, along = np.flatnonzero(moving), self.direction_of[moving]
        R[rows, along] = 1.0
        R[rows, d:] = turned[rows, along]
        turning = np.flatnonzero(turns)
        R[turning, self.direction_of[turning]] = 1.0
        return R

    def translations(self, shapes: np.ndarray) -> np.ndarray:
        """Displacements of the nodes (N, d, k) in the shapes (n, k); zero in directions that are no coordinates."""
        result = np.zeros((*self.nodes.shape, shapes.shape[1]))
        moving = self.direction_of < self.dimension
        result[self.node_of[moving], self.direction_of[moving]] = shapes[moving]
        return result

    def shown(self, shapes: np.ndarray) -> tuple[np.ndarray, list[tuple[str, np.ndarray]], np.ndarray]:
        """Nodes, cells and displacements of nodes in shapes (n, k), for pictures: those of the skin behind its own."""
        nodes, cells, moved = self.nodes, list(self.cells), self.translations(shapes)
        if self.skin is not None:
            of_skin = (self.skin.moved @ shapes).reshape(*self.skin.points.shape, shapes.shape[1])
            cells += [(kind, numbers + len(nodes)) for kind, numbers in self.skin.cells]
            nodes, moved = np.concatenate([nodes, self.skin.points]), np.concatenate([moved, of_skin])
        return nodes, cells, moved

    def check_connected(self, joined: Sequence[np.ndarray] = ()) -> None:
        """Refuse a body in several parts; `joined`, sets of nodes that are tied to each other.

        >>> unit = scipy.sparse.eye(6)
        >>> FullModel(np.eye(3)[:2], unit, unit, [0, 0, 0, 1, 1, 1], [0, 1, 2] * 2).check_connected()
        Traceback (most recent call last):
        flexmb.errors.ModelError: body 'body': it has 2 parts that are not connected, with 1, 1 nodes; reduce each of \
them alone, or join their nodes
        """
        if self.condensed:
            return  # its modes connect everything
        pattern = scipy.sparse.coo_matrix(self.stiffness)
        N = len(self.nodes)
        rows, columns = self.node_of[pattern.row], self.node_of[pattern.col]
        rows = np.concatenate([rows, *joined])
        columns = np.concatenate([columns, *(np.full(len(nodes), nodes[0]) for nodes in joined)])
        graph = scipy.sparse.coo_matrix((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(N, N))
        parts, of = scipy.sparse.csgraph.connected_components(graph, directed=False)
        if parts > 1:
            sizes = np.sort(np.bincount(of))[::-1]
            shown = ", ".join(map(str, sizes[:6])) + (", …" if parts > 6 else "")
            raise ModelError(
                f"body {self.name!r}: it has {parts} parts that are not connected, with {shown} nodes; reduce each of "
                "them alone, or join their nodes"
            )


def turned_by_units(arms: np.ndarray) -> np.ndarray:
    """e_j × y for the unit turns j: (…, d, r) of arms y (…, d).

    >>> turned_by_units(np.array([0.0, 1.0, 0.0]))[:, 0] @ [0.0, 0.0, 5.0]
    np.float64(5.0)
    """
    if arms.shape[-1] == 2:
        return np.stack([-arms[..., 1], arms[..., 0]], axis=-1)[..., None]
    zero = np.zeros(arms.shape[:-1])
    x, y, z = arms[..., 0], arms[..., 1], arms[..., 2]
    columns = [np.stack(c, axis=-1) for c in ((zero, -z, y), (z, zero, -x), (-y, x, zero))]
    return np.stack(columns, axis=-1)


def _symmetric(matrix: Any, what: str, where: str, n: int) -> scipy.sparse.csr_matrix:
    A = checks.sparse_matrix(matrix, what, where)
    if A.shape != (n, n):
        raise ModelError(
            f"{where}: its {what} matrix has the shape {A.shape}, and its nodes have {n} coordinates; give one row and "
            "column for each coordinate"
        )
    largest, off = float(abs(A).max()), abs(A - A.T)
    if off.nnz and off.max() > SYMMETRY * largest:
        row, column = divmod(int(off.argmax()), n)
        raise ModelError(
            f"{where}: its {what} matrix is not symmetric: entries ({row}, {column}) and ({column}, {row}) differ by "
            f"{off.max():.3g}, the largest entry being {largest:.3g}"
        )
    return (A + A.T) * 0.5
