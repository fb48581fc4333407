"""Handles, joints and pieces of a tree, and the workspace of the formulations with pieces."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.errors import FormulationError
from flexmb.formulations.groups import Groups, groups_for
from flexmb.formulations.pieces.images import Images, images_of
from flexmb.formulations.pieces.orders import Closing, Schedule
from flexmb.formulations.tree.arrays import Moving
from flexmb.formulations.tree.moving import moving_for
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.references import by_reference
from flexmb.model.ways import SPEEDS


@by_reference
class Room(NamedTuple):
    """Workspace for a mechanism in pieces. `images`: the links and the images of loop joints; `schedule`; `inverse`
    (n, 6): J⁻¹ of each link about its mass centre, in its axes.

    Handle h, of a link or, after all links, of an interior point of a beam, is the entry entry[h] of piece piece[h].
    Interior point c has the entry place_entry[c], and `on_places` (C, 6) are the forces on these points.

    Buffers: `phi`, Φ of all pieces; `B` and `F` (entries, 6); reactions `T` of the rows and their forces on the
    handles, `inner` and `outer` (rows, 6); `T_a` and motions `S` (speeds, 6); `right` (rows,), right-hand sides and
    then y; `lam` (rows,), λ; `kept`, `factor`, `order` and `rank` of each step, kept for disassembly.

    Results: `all_forces` (joints, 6) of each joint on b, about its origin on b; its first rows are `forces` (n, 6), of
    the joints that carry links, the others `loop_forces`, of those that close loops. `accelerations` (n, 6) of the
    links. `pivot` (steps,): the smallest accepted pivot of loop-closing rows, relative to its value between free links.

    `stabilise` (2,): a [1/s] and b [1/s²] with which gaps u of loops close, ü = −a u̇ − b u."""

    moving: Moving
    images: Images
    schedule: Schedule
    groups: Groups
    inverse: np.ndarray
    piece: np.ndarray
    entry: np.ndarray
    place_entry: np.ndarray
    on_places: np.ndarray
    phi: np.ndarray
    B: np.ndarray
    F: np.ndarray
    T: np.ndarray
    inner: np.ndarray
    outer: np.ndarray
    T_a: np.ndarray
    S: np.ndarray
    all_forces: np.ndarray
    scale: np.ndarray
    right: np.ndarray
    lam: np.ndarray
    kept: np.ndarray
    factor: np.ndarray
    more: np.ndarray
    order: np.ndarray
    rank: np.ndarray
    wrench: np.ndarray
    forces: np.ndarray
    loop_forces: np.ndarray
    accelerations: np.ndarray
    found: np.ndarray
    pivot: np.ndarray
    stabilise: np.ndarray


def handles_of_places(tree: Tree) -> list[int]:
    """Handles of interior points of beams: the index of the link that is welded there, or, where this link belongs to a
    group itself, a handle of its own after those of all links, to which the link is then welded."""
    found, behind = [], len(tree.links)
    for place in tree.graph.places:
        if tree.arrays.group[place.link] == -1:
            found.append(place.link)
        else:
            found.append(behind)
            behind += 1
    return found


def closings(tree: Tree) -> list[Closing]:
    """The joints of a tree followed by those that close loops."""
    found: list[Closing] = []
    handle = {place.link: h for place, h in zip(tree.graph.places, handles_of_places(tree))}
    for k, joint in enumerate((*tree.graph.joints, *tree.graph.chords)):
        ways = sum(SPEEDS[motion.kind] for motion in joint.ways.motions)
        if k not in handle:
            found.append(Closing(joint.a, joint.b, ways, chord=k >= len(tree.links)))
        elif handle[k] == k:
            found.append(Closing(joint.a, joint.b, 6))  # the handle is the link itself: there is nothing to close
        else:
            found.append(Closing(handle[k], joint.b, 0))
    return found


def pieces_of(tree: Tree) -> list[list[int]]:
    """The handles of each initial piece: of each group with its interior points, then of every other link."""
    places = list(zip(tree.graph.places, handles_of_places(tree)))
    found = [
        [*group.links, *(h for place, h in places if place.group == g)] for g, group in enumerate(tree.graph.groups)
    ]
    taken = {h for piece in found for h in piece}
    return [*found, *([k] for k in range(len(tree.links)) if k not in taken)]


def room_of(tree: Tree, schedule: Schedule) -> Room:
    """Workspace for a tree and a schedule."""
    images, s = images_of(tree), schedule
    n, joints = len(tree.links), len(images.links.parent)
    entries, steps, rows = int(s.entry_first[-1]), len(s.loop), int(s.rows.sum())
    beyond = 6 * entries  # blocks of six columns are read as full rows, the last of them past the end
    all_forces = np.zeros((joints, 6))
    pieces, of_places = pieces_of(tree), handles_of_places(tree)
    piece, entry = np.zeros((2, max([n - 1, *of_places]) + 1), dtype=np.int64)
    for p, own in enumerate(pieces):
        piece[own], entry[own] = p, np.arange(len(own)) + s.entry_first[p]
    return Room(
        moving=moving_for(tree.arrays, images.links), images=images, schedule=s, groups=groups_for(tree),
        inverse=_inverses(tree), piece=piece, entry=entry, place_entry=entry[np.array(of_places, dtype=np.int64)],
        on_places=np.zeros((len(of_places), 6)), phi=np.zeros(s.phi_at[-1] + beyond), B=np.zeros((entries, 6)),
        F=np.zeros((entries, 6)), T=np.zeros((rows, 6)), inner=np.zeros((rows, 6)), outer=np.zeros((rows, 6)),
        T_a=np.zeros((images.links.nv, 6)), S=np.zeros((images.links.nv, 6)), scale=np.zeros(rows),
        right=np.zeros(rows), lam=np.zeros(rows), kept=np.zeros(s.kept_at[-1] + beyond),
        factor=np.zeros(s.factor_at[-1]), more=np.zeros(s.factor_at[-1]), order=np.zeros(rows, dtype=np.int64),
        rank=np.zeros(steps, dtype=np.int64), wrench=np.zeros((n, 6)), forces=all_forces[:n],
        loop_forces=all_forces[n:], all_forces=all_forces, accelerations=np.zeros((n, 6)), found=np.zeros((n, 6)),
        pivot=np.ones(steps), stabilise=np.zeros(2),
    )  # fmt: skip


def _inverses(tree: Tree) -> np.ndarray:
    """J⁻¹ (n, 6) of each single link about its mass centre: xx, yy, zz, xy, xz, yz."""
    found = np.zeros((len(tree.links), 6))
    links = tree.arrays
    for k, name in enumerate(tree.links):
        if links.group[k] != -1 or links.place_of[k] >= 0:
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
                'it some, or take formulation="lagrange"'
            )
        A = np.linalg.inv(about)
        found[k] = A[0, 0], A[1, 1], A[2, 2], A[0, 1], A[0, 2], A[1, 2]
    return found
