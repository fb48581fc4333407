"""The mesh of a reduced body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.bodies.meshes.fixed_arrays import fixed, fixed_array
from flexmb.bodies.stresses import ElasticCells
from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls


@dataclass(frozen=True, eq=False)
class BodyMesh(metaclass=AnswersCalls):
    """The mesh of a reduced body, for pictures and stresses.

    Arguments: `nodes` (N, d) [m] in the reference frame; `cells`, pairs of meshio's name of a cell and the numbers of
    its nodes (cells, nodes of each); `shapes` (N, d, n), the modes at the nodes; `slave_shapes` (N, d, n_s), none when
    not given; `elasticity` of each block of cells, without which nobody knows its stresses; `left_out` (p, c, 12),
    in the plane (p, c, 4) [Pa]: the stresses that the modes leave out, where they are largest, under inertia loads of
    1 m/s² along each axis, 1 rad/s² about each, and of ω_iω_j = 1 rad²/s² in the order of
    :data:`flexmb.bodies.fields.PAIRS`, None where not estimated; `finishes` (f, 10) of the triangles of its
    surface, the numbers of the outer side and of the inner one, as :func:`flexmb.bodies.painted` gives them.

    >>> import numpy as np
    >>> corners = [(0, 0), (1, 0), (0, 1)]
    >>> BodyMesh(corners, [("triangle", [[0, 1, 2]])], np.zeros((3, 2, 4))).cells[0][0]
    'triangle'
    """

    nodes: Any
    cells: Any
    shapes: Any
    slave_shapes: Any = None
    elasticity: tuple[ElasticCells, ...] = ()
    left_out: Any = None
    finishes: Any = None

    def __post_init__(self) -> None:
        where = "mesh of a reduced body"
        nodes = checks.matrix(self.nodes, "nodes", where)
        N, d = nodes.shape
        shapes = checks.numbers(self.shapes, "shapes", where, "an array of shape (N, d, n)")
        if shapes.ndim != 3:
            raise ModelError(f"{where}: shapes must be an array of shape {(N, d, 'n')}, not {shapes.shape}")
        slaves = np.zeros((N, d, 0)) if self.slave_shapes is None else np.asarray(self.slave_shapes, dtype=float)
        cells = []
        for one in checks.listed(self.cells, "cells", where):
            kind, numbers = checks.pair(one, "a block of cells", where)
            block = np.array(numbers, dtype=np.int64)
            if block.ndim != 2 or (block.size and not 0 <= block.min() <= block.max() < N):
                raise ModelError(f"{where}: cells {kind!r} name nodes that do not exist; there are {N}, from 0 on")
            cells.append((str(kind), fixed(block)))
        object.__setattr__(self, "nodes", fixed(nodes))
        object.__setattr__(self, "cells", tuple(cells))
        object.__setattr__(self, "shapes", fixed_array(shapes, "shapes", where, (N, d, shapes.shape[2])))
        if slaves.ndim != 3:
            raise ModelError(f"{where}: slave_shapes must be an array of shape {(N, d, 'n_s')}, not {slaves.shape}")
        object.__setattr__(self, "slave_shapes", fixed_array(slaves, "slave_shapes", where, (N, d, slaves.shape[2])))
        own = tuple(self.elasticity)
        if own and [x.gradients.shape[1:] for x in own] != [(block.shape[1], d) for _, block in cells]:
            raise ModelError(
                f"{where}: its elasticity is that of {len(own)} blocks of cells, and it has {len(cells)}, or cells "
                "with other numbers of nodes; give the one that belongs to each block"
            )
        object.__setattr__(self, "elasticity", own)
        if self.left_out is not None:
            sizes = (len(self.left_out), *((6, 12) if d == 3 else (4, 4)))
            object.__setattr__(self, "left_out", fixed_array(self.left_out, "left_out", where, sizes))
        if self.finishes is not None:
            given = checks.numbers(self.finishes, "finishes", where, "an array of shape (f, 10)")
            object.__setattr__(self, "finishes", fixed_array(given, "finishes", where, (len(given), 10)))
