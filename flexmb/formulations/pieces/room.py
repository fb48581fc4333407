"""Handles, joints and pieces of a tree, and the workspace of the formulations with pieces."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.errors import FormulationError
from flexmb.formulations.groups import Groups, groups_for
from flexmb.formulations.pieces.images import Images, images_of
from flexmb.formulations.pieces.orders import GROUND, Closing, Schedule
from flexmb.formulations.pieces.symbolic import NO_BLOCKS, Blocks, Cut, blocks_for
from flexmb.formulations.tree.arrays import Moving
from flexmb.formulations.tree.moving import moving_for
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.references import by_reference
from flexmb.model.ways import SPEEDS


@by_reference
class Handles(NamedTuple):
    """Handle h, of a link or, after all links, of an interior point of a beam, belongs to piece piece[h] and has the
    index entry[h] among the entries of all pieces. Interior point c has the index place_entry[c], and `on_places` (C,
    6) are the forces on these points. `phi`: Φ of all pieces; `B` and `F` (entries, 6); `found` (n, 6): accelerations
    of the links in groups."""

    piece: np.ndarray
    entry: np.ndarray
    place_entry: np.ndarray
    on_places: np.ndarray
    phi: np.ndarray
    B: np.ndarray
    F: np.ndarray
    found: np.ndarray


@by_reference
class JointMaps(NamedTuple):
    """Reactions `T` of the rows of joints, and their forces on the handles on both sides, `inner` on a and `outer` on b
    (rows, 6); `T_a` and motions `S` (speeds, 6); `forces` (joints, 6) of each joint on b, about its origin on b."""

    T: np.ndarray
    inner: np.ndarray
    outer: np.ndarray
    T_a: np.ndarray
    S: np.ndarray
    forces: np.ndarray


@by_reference
class Steps(NamedTuple):
    """Results of assembly that disassembly needs: `right` (rows,), right-hand sides and then y; `lam` (rows,), λ;
    `kept`, `factor`, `order` and `rank` of each step. `pivot` (steps,): the smallest accepted pivot of loop-closing
    rows, relative to its value between free links, the `scale` (rows,); `more`: workspace."""

    scale: np.ndarray
    right: np.ndarray
    lam: np.ndarray
    kept: np.ndarray
    factor: np.ndarray
    more: np.ndarray
    order: np.ndarray
    rank: np.ndarray
    pivot: np.ndarray


@by_reference
class Room(NamedTuple):
    """Workspace for a mechanism in pieces. `images`: the links and the images of loop joints; `schedule`; `blocks` that
    were derived as expressions; `inverse` (n, 6): J⁻¹ of each single link about its mass center, in its axes; `wrench`
    (n, 6), known forces on links.

    Results: `forces` (n, 6) of the joints that carry links and `loop_forces` of the joints that close loops, both parts
    of the array in `joints`; `accelerations` (n, 6) of the links.

    `stabilize` (2,): a [1/s] and b [1/s²] with which gaps u of loops close, ü = −a u̇ − b u.
    """

    moving: Moving
    images: Images
    schedule: Schedule
    groups: Groups
    blocks: Blocks
    inverse: np.ndarray
    handles: Handles
    joints: JointMaps
    steps: Steps
    wrench: np.ndarray
    forces: np.ndarray
    loop_forces: np.ndarray
    accelerations: np.ndarray
    stabilize: np.ndarray


def handles_of_places(tree: Tree) -> list[int]:
    """Handles of interior points of beams: the index of the link that is welded to the point; if this link belongs to a
    group itself, the point has a handle of its own, after the handles of all links, to which the link is welded."""
    found, behind = [], len(tree.links)
    for place in tree.graph.places:
        if tree.arrays.group[place.link] == -1:
            found.append(place.link)
        else:
            found.append(behind)
            behind += 1
    return found


def closings(tree: Tree, blocks: Cut = NO_BLOCKS) -> list[Closing]:
    """The joints of a tree followed by those that close loops; nothing closes those inside `blocks`."""
    found: list[Closing] = []
    handle = {place.link: h for place, h in zip(tree.graph.places, handles_of_places(tree))}
    for k, joint in enumerate((*tree.graph.joints, *tree.graph.chords)):
        ways = sum(SPEEDS[motion.kind] for motion in joint.ways.motions)
        if k in blocks.inner:
            found.append(Closing(GROUND, GROUND, 6))
        elif k not in handle:
            found.append(Closing(joint.a, joint.b, ways, chord=k >= len(tree.links)))
        elif handle[k] == k:
            found.append(Closing(joint.a, joint.b, 6))  # the handle is the link itself: there is nothing to close
        else:
            found.append(Closing(handle[k], joint.b, 0))
    return found


def pieces_of(tree: Tree, blocks: Cut = NO_BLOCKS) -> list[list[int]]:
    """The handles of each initial piece: first each group with its interior points, then each block, then each other
    link."""
    places = list(zip(tree.graph.places, handles_of_places(tree)))
    within = {k for block in blocks.blocks for k in block.links}
    found = [
        [*group.links, *(h for place, h in places if place.group == g)]
        for g, group in enumerate(tree.graph.groups)
        if group.links[0] not in within
    ]
    found += blocks.handles
    taken = {h for piece in found for h in piece} | within
    return [*found, *([k] for k in range(len(tree.links)) if k not in taken)]


def room_of(tree: Tree, schedule: Schedule, blocks: Cut = NO_BLOCKS) -> Room:
    """Workspace for a tree whose joints are closed in the order of `schedule`."""
    images, s = images_of(tree), schedule
    n, joints = len(tree.links), len(images.links.parent)
    entries, steps, rows = int(s.entry_first[-1]), len(s.loop), int(s.rows.sum())
    beyond = 6 * entries  # blocks of six columns are read as full rows, the last of them past the end
    all_forces = np.zeros((joints, 6))
    pieces, of_places = pieces_of(tree, blocks), handles_of_places(tree)
    piece, entry = np.zeros((2, max([n - 1, *of_places]) + 1), dtype=np.int64)
    for p, own in enumerate(pieces):
        piece[own], entry[own] = p, np.arange(len(own)) + s.entry_first[p]
    (B, F), (T, inner, outer) = np.zeros((2, entries, 6)), np.zeros((3, rows, 6))
    (T_a, S), (scale, right, lam) = np.zeros((2, images.links.joints.nv, 6)), np.zeros((3, rows))
    factor, more = np.zeros((2, s.factor_at[-1]))
    kept, order, rank = (
        np.zeros(s.kept_at[-1] + beyond),
        np.zeros(rows, dtype=np.int64),
        np.zeros(steps, dtype=np.int64),
    )
    place_entry, on_places = entry[np.array(of_places, dtype=np.int64)], np.zeros((len(of_places), 6))
    return Room(
        moving_for(tree.arrays, images.links), images, s, groups_for(tree),
        blocks_for(tree, blocks), _inverses(tree, blocks),
        Handles(piece, entry, place_entry, on_places, np.zeros(s.phi_at[-1] + beyond), B, F, found=np.zeros((n, 6))),
        JointMaps(T, inner, outer, T_a, S, all_forces),
        Steps(scale, right, lam, kept, factor, more, order, rank, pivot=np.ones(steps)),
        np.zeros((n, 6)), all_forces[:n], all_forces[n:], np.zeros((n, 6)), np.zeros(2),
    )  # fmt: skip


def _inverses(tree: Tree, blocks: Cut) -> np.ndarray:
    """J⁻¹ (n, 6) of each single link outside of blocks about its mass center: xx, yy, zz, xy, xz, yz."""
    found = np.zeros((len(tree.links), 6))
    links, within = tree.arrays, {k for block in blocks.blocks for k in block.links}
    for k, name in enumerate(tree.links):
        if links.group[k] != -1 or links.place_of[k] >= 0 or k in within:
            continue
        m, s = links.mass[k], links.moment[k]
        xx, yy, zz, xy, xz, yz = links.inertia[k]
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        about = J - (s @ s * np.eye(3) - np.outer(s, s)) / m if m > 0 else J
        least = np.linalg.eigvalsh(about)[0]
        if not m > 0 or not least > 1e-13 * max(np.trace(about), np.trace(J)):
            what = "mass" if not m > 0 else "moment of inertia about one of its axes"
            raise FormulationError(
                f"{tree.model.where}: link {name!r} has no {what}, and handles need the inverse of its inertia; give "
                "it some, or take 'aba', 'lagrange' or 'hybrid', which ask for none where joints hold it"
            )
        A = np.linalg.inv(about)
        found[k] = A[0, 0], A[1, 1], A[2, 2], A[0, 1], A[0, 2], A[1, 2]
    return found
