"""The rows of a model that hold besides the joints of its tree, in joint coordinates: those of joints that close loops,
gears and couplings. Drives do not hold: which motion they would need is the question."""

from __future__ import annotations

import numpy as np

from flexmb.formulations.tree.loops import Loops
from flexmb.formulations.tree.tree import Tree

#: entries of rows below this, in units of the model, are rounding
NOTHING = 1e-9


class HoldingRows(Loops):
    """The rows that positions of a tree have to meet, one after another."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        components, within = tree.model.components, {*tree.joints}
        besides = tree.rows_of_places().union(tree.tied.rows.tolist())
        self.rows = np.array(
            [
                k
                for k, row in enumerate(self.system.rows)
                if row.owner not in within and k not in besides and row.level == "position"
                if getattr(components.get(row.owner), "prescribed", None) is None
            ],
            dtype=np.int64,
        )
        self._units = self.system.row_scale[self.rows]

    def _refuse(self) -> None:
        """Positions ask for no forces, so that friction and rows of all kinds are welcome."""

    def leave_out(self, moving: np.ndarray) -> np.ndarray:
        """Leave out the rows that no speed of a mask `moving` (nv,) reaches, directly or through other rows, such as
        those of the fingers of a hand whose arm is moved; return the mask of the speeds that the others reach."""
        reached, C = moving.copy(), np.abs(self.at(self.tree.start()[0]).C) > NOTHING
        before = -1
        while before != int(reached.sum()):
            before = int(reached.sum())
            reached |= np.any(C[np.any(C[:, reached], axis=1)], axis=0)
        kept = np.any(C[:, reached], axis=1)
        self.rows, self._units = self.rows[kept], self._units[kept]
        return reached

    def put(self, x: np.ndarray, e: np.ndarray, J: np.ndarray) -> None:
        """Write the errors (m,) and the Jacobian (m, nv) at joint coordinates x."""
        rows = self.at(x)
        e[:], J[:] = rows.g, rows.C
