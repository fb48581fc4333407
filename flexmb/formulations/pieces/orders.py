"""The order in which the joints of a mechanism are closed, and the index tables that follow from it.

At first each link is a piece of its own. Closing a joint joins the pieces on its two sides to one; of their handles,
those with joints that are still open are kept. Any order gives the same motion: Yamane and Nakamura (2002). From the
leaves to the root each piece keeps one handle, which is the least work; joints that close loops wait until both sides
are in one piece. Several joints may be closed at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from flexmb.kernels.references import by_reference

#: index of the ground among the handles
GROUND = -1


@dataclass(frozen=True)
class Closing:
    """A joint between handles a and b, −1 the ground, with `ways` degrees of freedom; `chord`: whether it closes a
    loop."""

    a: int
    b: int
    ways: int
    chord: bool = False


@by_reference
class Schedule(NamedTuple):
    """Which joints are closed when, as index tables. Step s closes the joints
    joint[joint_first[s] : joint_first[s + 1]] between the pieces piece[piece_first[s] : piece_first[s + 1]] and makes
    piece n + s of them, with n pieces at first. `loop` (steps,): whether it closes a loop, so that its rows may be
    dependent. The handles of piece p are the entries entry_first[p] to entry_first[p + 1] − 1; each becomes entry `to`
    of the next piece, −1 if it is not kept, and its columns in the rows of the step begin at `column`. Joint j is
    between the entries `inner` and `outer` (joints,), −1 the ground, and has `rows` rows from row_first[j] on; the rows
    of a step are consecutive. The square Φ of piece p begins at phi_at[p]; what a step keeps for disassembly begins at
    kept_at[s] and factor_at[s]."""

    joint_first: np.ndarray
    joint: np.ndarray
    piece_first: np.ndarray
    piece: np.ndarray
    loop: np.ndarray
    entry_first: np.ndarray
    to: np.ndarray
    column: np.ndarray
    inner: np.ndarray
    outer: np.ndarray
    row_first: np.ndarray
    rows: np.ndarray
    phi_at: np.ndarray
    kept_at: np.ndarray
    factor_at: np.ndarray


def from_the_leaves(joints: Sequence[Closing]) -> list[list[int]]:
    """The joints of a tree, each with the index of the link that it carries, from the last one back; joints that close
    loops follow as soon as both sides are in one piece, those to the ground at the end."""
    tree = [j for j, joint in enumerate(joints) if not joint.chord]
    waiting = [j for j, joint in enumerate(joints) if joint.chord]
    groups = _Groups(1 + max((max(joint.a, joint.b) for joint in joints), default=0))
    order = []
    for j in reversed(tree):
        order.append([j])
        if joints[j].a != GROUND:
            groups.join(joints[j].a, joints[j].b)
        for chord in list(waiting):
            a, b = joints[chord].a, joints[chord].b
            if GROUND not in (a, b) and groups.of(a) == groups.of(b):
                order.append([chord])
                waiting.remove(chord)
    return [*order, *([chord] for chord in waiting)]


class Halves(NamedTuple):
    """An order of closing joints for two threads. Its steps 0 to steps[0] − 1 and steps[0] to steps[1] − 1 belong to
    two sets of `links` that are connected only by the joints carrying the links `cut`, which are closed afterwards."""

    order: list[list[int]]
    steps: tuple[int, int]
    links: tuple[list[int], list[int]]
    cut: list[int]


def in_halves(joints: Sequence[Closing]) -> Halves:
    """Split a tree for two threads: some limbs, assembled from their tips to their roots, and the rest of the tree,
    assembled from the ground and all other tips towards the point where the first limb was cut. Loops are closed at the
    end."""
    tree = [joint for joint in joints if not joint.chord]
    n = len(tree)
    size = np.ones(n, dtype=int)
    for k in range(n - 1, -1, -1):
        if tree[k].a != GROUND:
            size[tree[k].a] += size[k]
    cut: list[int] = []
    limb = np.zeros(n, dtype=bool)  # links on a limb
    path = np.zeros(n, dtype=bool)  # links that carry one
    wanted = n // 2
    for k in sorted(range(n), key=lambda k: (-size[k], k)):
        if wanted and size[k] <= wanted and not limb[k] and not path[k] and not (tree[k].a == GROUND and size[k] == n):
            cut.append(k)
            wanted -= size[k]
            limb[k] = True
            for j in range(k + 1, n):
                limb[j] = limb[j] or (tree[j].a != GROUND and limb[tree[j].a] and j not in cut)
            j = k
            while tree[j].a != GROUND:
                j = tree[j].a
                path[j] = True
        if len(cut) == 4:
            break
    outer = [[k] for k in range(n - 1, -1, -1) if limb[k] and k not in cut]
    rest = [k for k in range(n) if not limb[k]]
    inner = [[k] for k in _towards(tree, rest, tree[cut[0]].a if cut else GROUND)]
    closing = [[k] for k in cut] + [[j] for j, joint in enumerate(joints) if joint.chord]
    outer, inner, closing = ([step for step in steps if joints[step[0]].ways < 6] for steps in (outer, inner, closing))
    links = ([k for k in range(n) if limb[k]], rest)
    return Halves([*outer, *inner, *closing], (len(outer), len(outer) + len(inner)), links, cut)


def _towards(tree: Sequence[Closing], links: list[int], port: int) -> list[int]:
    """The joints of these links in an order in which the link `port` is the last one added to its piece."""
    on_path = set()
    k = port
    while k != GROUND:
        on_path.add(k)
        k = tree[k].a
    beside = [k for k in reversed(links) if k not in on_path]
    return [*beside, *(k for k in links if k in on_path)]


class _Groups:
    """Connected components by union-find."""

    def __init__(self, count: int) -> None:
        self.parent = list(range(count))

    def of(self, k: int) -> int:
        while self.parent[k] != k:
            self.parent[k] = self.parent[self.parent[k]]
            k = self.parent[k]
        return k

    def join(self, a: int, b: int) -> bool:
        """Unite the components of a and b; returns whether they were different."""
        a, b = self.of(a), self.of(b)
        self.parent[a] = b
        return a != b


def schedule(
    pieces: Sequence[Sequence[int]],
    joints: Sequence[Closing],
    order: Sequence[Sequence[int]],
    all_ways: bool = False,
    grounded: Sequence[int] = (),
) -> Schedule:
    """The schedule for an order of closing joints, lists of joint indices, and pieces with the given handles. With
    `all_ways` a joint that closes no loop has six rows, otherwise one for each constrained direction. `grounded`:
    handles that joints inside their pieces connect to the ground already."""
    handles = max((h for piece in pieces for h in piece), default=-1) + 1
    left = np.zeros(handles, dtype=int)  # number of joints still open at each handle
    for joint in joints:
        for h in (joint.a, joint.b):
            if h != GROUND:
                left[h] += 1
    order = [[j for j in step if joints[j].ways < 6] for step in order]
    order = [step for step in order if step]
    for joint in joints:
        if joint.ways == 6:  # a free joint constrains nothing: there is nothing to close
            left[[h for h in (joint.a, joint.b) if h != GROUND]] -= 1
    loop, together = [], _Groups(handles + 1)
    for piece in pieces:
        for h in piece[1:]:
            together.join(piece[0], h)
    for h in grounded:
        together.join(h, handles)
    entries: list[list[int]] = [list(piece) for piece in pieces]
    first = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces], dtype=int)]).tolist()
    where = {h: (p, first[p] + i) for p, piece in enumerate(entries) for i, h in enumerate(piece)}
    to, column = [-1] * first[-1], [0] * first[-1]
    inner, outer = np.full(len(joints), -1), np.full(len(joints), -1)
    row_first, rows, row = np.zeros(len(joints), dtype=np.int64), np.zeros(len(joints), dtype=np.int64), 0
    joint_list: list[int] = []
    piece_list: list[int] = []
    joint_first, piece_first = [0], [0]
    kept_at, factor_at = [0], [0]
    for step in order:
        closes = [not together.join(*(h if h != GROUND else handles for h in (joints[j].a, joints[j].b))) for j in step]
        loop.append(any(closes))
        taken: list[int] = []
        count = 0
        for j in step:
            for ends, h in ((inner, joints[j].a), (outer, joints[j].b)):
                if h == GROUND:
                    continue
                left[h] -= 1
                p, ends[j] = where[h]
                if p not in taken:
                    taken.append(p)
            rows[j] = 6 if all_ways and not loop[-1] else 6 - joints[j].ways
            row_first[j] = row + count
            count += rows[j]
        row += count
        kept: list[int] = []
        width = 0
        for p in taken:
            for i, h in enumerate(entries[p]):
                e = first[p] + i
                column[e] = width
                width += 6
                if left[h]:
                    to[e] = first[-1] + len(kept)
                    kept.append(h)
        for i, h in enumerate(kept):
            where[h] = (len(entries), first[-1] + i)
        entries.append(kept)
        first.append(first[-1] + len(kept))
        to += [-1] * len(kept)
        column += [0] * len(kept)
        joint_list += step
        joint_first.append(len(joint_list))
        piece_list += taken
        piece_first.append(len(piece_list))
        kept_at.append(kept_at[-1] + count * width)
        factor_at.append(factor_at[-1] + count * count)
    phi_at = np.concatenate([[0], np.cumsum([36 * len(piece) ** 2 for piece in entries], dtype=int)])
    numbers = (joint_first, joint_list, piece_first, piece_list, loop, first, to, column, inner, outer, row_first, rows)
    return Schedule(*(np.array(x, dtype=np.int64) for x in (*numbers, phi_at, kept_at, factor_at)))
