"""The columns of tracks: the quantities of a frame, or of one that is seen from another, at all times in one loop."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from flexmb.kernels.widths import SIDES
from flexmb.model.appearance import PairPlace
from flexmb.quantities.of_frames import of_frame, of_planar_frame
from flexmb.quantities.of_joints import OWN_AXES, JointFrames
from flexmb.quantities.places import node_blocks
from flexmb.quantities.quantity import all_over, table_of
from flexmb.system.readings import Sensors

#: a number of coordinates and of speeds of a node, by how many a place has
_OF_NODE = {2: (3, 3), 3: (7, 6)}
_UNMOVED: tuple[tuple[float, ...], tuple[float, ...]] = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)


class _Nodes:
    """The places of nodes of which the numbers stand side by side; a frame is the number of its node."""

    def __init__(self, dimension: int) -> None:
        self.sizes = _OF_NODE[dimension]

    def blocks(self, frame: Any) -> list[Any]:
        nq, nv = self.sizes
        return node_blocks(np.arange(nq) + frame * nq, np.arange(nv) + frame * nv)


def frame_columns(t: np.ndarray, node: tuple[np.ndarray, ...], offset: Any, axes: Any = ()) -> np.ndarray:
    """The motion (k, …) of a frame that is fastened to a node, in the columns of a track: `node`: the node's own
    coordinates, speeds and accelerations (:mod:`flexmb.quantities.formulas`); `offset` and `axes` those of the frame on
    it, in the plane (ux, uy [m], angle [rad])."""
    return all_over(_table_of(tuple(offset), tuple(axes)), t, *node)


@lru_cache(maxsize=256)
def _table_of(offset: tuple[float, ...], axes: tuple[float, ...]) -> Sensors:
    """The readings of a frame that is fastened so to a node. A picture asks for the same frames many times, and to make
    their tables takes longer than to read a thousand instants."""
    d = 3 if len(axes) else 2
    blocks = _Nodes(d).blocks(0)
    of = [of_frame(blocks, offset, axes, x) if d == 3 else of_planar_frame(blocks, offset, x) for x in SIDES[d].point]
    return table_of(of)


def seen_columns(t: np.ndarray, track: tuple[np.ndarray, ...], frame: tuple[np.ndarray, ...]) -> np.ndarray:
    """The motion (k, …) of a place as an observer at another one sees it, of the motions of both as those of nodes."""
    d = 3 if track[0].shape[1] == 7 else 2
    axes = [_UNMOVED[1]] * 2 if d == 3 else []
    between = JointFrames("", PairPlace("", "", joint=OWN_AXES[d]), 1, 0, _UNMOVED[0], _UNMOVED[0], *axes)
    of = [between.seen(what, _Nodes(d)) for what in SIDES[d].point]  # type: ignore[arg-type]
    return all_over(table_of(of), t, *(np.hstack(both) for both in zip(track, frame)))
