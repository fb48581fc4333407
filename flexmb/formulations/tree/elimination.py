"""The order in which unknowns of a group of links (:mod:`flexmb.formulations.groups`) are eliminated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmb.algebra.envelope import order_from
from flexmb.formulations.tree.graph import Group

if TYPE_CHECKING:
    from flexmb.formulations.tree.arrays import Nodes


def cliques_of(group: Group, speeds: np.ndarray, nodes: Nodes) -> list[list[int]]:
    """For each kernel instance of a group the unknowns that it couples: indices of nodes in the group, followed by
    indices of inner coordinates."""
    wide, count = nodes.numbers_v.shape[1], len(group.links)
    if group.hangs:  # its frame moves with all amplitudes
        return [list(range(1 + len(group.inner)))]
    numbers = enumerate(speeds.tolist())
    unit = {number: k // wide if k < wide * count else k - (wide - 1) * count for k, number in numbers}
    return [sorted({unit[k] for k in share.speeds.tolist() if k in unit}) for share in group.shares]


def order_of(group: Group, cliques: list[list[int]], plane: bool, with_places: bool) -> tuple[np.ndarray, np.ndarray]:
    """Elimination order of the unknowns of a group: the row of each in the factor, and for each row the first column of
    its envelope.

    In the plane the motions out of it (turns about x and y, displacement along z) are coupled with no others. For all
    nodes but the head they come first, and their rows contain little more than the diagonal, so that they cost no time.
    Interior points that carry links (`with_places`) couple the out-of-plane motions of all nodes.
    """
    count, inner = len(group.links), len(group.inner)
    if not plane:
        return order_from([6] * count + [1] * inner, cliques)
    of_plane, begin = order_from([3] * count + [1] * inner, cliques)
    size, beside = 6 * count + inner, 3 * (count - 1)
    place, begins = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    rows, out = 6 * np.arange(count)[:, None] + [2, 3, 4], 6 * np.arange(1, count)[:, None] + [0, 1, 5]
    place[rows.ravel()] = beside + of_plane[: 3 * count]
    place[out.ravel()] = np.arange(beside)
    place[6 * count :] = beside + of_plane[3 * count :]
    place[:6] = size - 6 + np.arange(6)
    begins[:beside] = np.arange(beside) // 3 * 3
    begins[beside : size - 6] = beside + begin[:-3]
    begins[size - 6 :] = size - 6
    begins[size - 4 : size - 1] = beside + begin[-3:]
    if with_places:
        begins[:beside] = begins[[-6, -5, -1]] = 0
    return place, begins
