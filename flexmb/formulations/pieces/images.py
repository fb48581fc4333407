"""Joints that close loops, for formulations with pieces: each carries an image of a link that is already in the tree.

The image of link b is carried by link a through the joint. Its position, velocity and acceleration are known twice:
from the motion of b in the tree, and from the motion of a and the joint. Both must agree. With the motions S of the
joint and its reactions T (:mod:`flexmb.formulations.pieces.maps`), the loop is closed if

    Tᵀ (V̇ of b, at the image, − V̇ of the image for q̈ = 0) = 0
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from flexmb.formulations.spatial_algebra import put_six, six_in
from flexmb.formulations.tree.arrays import Links
from flexmb.formulations.tree.graph import GROUND, GraphJoint
from flexmb.formulations.tree.moving import carried_by_parent, move_link
from flexmb.formulations.tree.nodes import moved_by
from flexmb.formulations.tree.reading import apart, read_joint, read_speeds, speeds_of
from flexmb.formulations.tree.tree import Builder, Tree
from flexmb.kernels.compilation import called
from flexmb.kernels.references import by_reference
from flexmb.kernels.rotations import inverse, product, quaternion_in, turned
from flexmb.kernels.vectors import NONE, minus, plus, put, times, vector_in
from flexmb.model.ways import Quaternion, about_z


@by_reference
class Images(NamedTuple):
    """The links of a tree followed by the images, one for each joint that closes a loop, in `links`; coordinates and
    speeds of these joints follow those of the tree. Image k belongs to link of[k], −1 the ground; relative to that
    link's origin and axes it is at `place` (c, 3) with the unit quaternion `axes` (c, 4). Buffers: coordinates `x` and
    speeds `u` of all joints; loop errors `gap` (c, 6) and their rates `opening` (c, 6): rotation vector and
    displacement of b relative to the image, in ground axes; accelerations `bias` (c, 6) for u̇ = 0 of b less those of
    the image; `S` for the motions of one joint."""

    links: Links
    of: np.ndarray
    axes: np.ndarray
    place: np.ndarray
    x: np.ndarray
    u: np.ndarray
    gap: np.ndarray
    opening: np.ndarray
    bias: np.ndarray
    S: np.ndarray


def images_of(tree: Tree) -> Images:
    """The images of a tree; without loops its links alone."""
    graph, own, joints = tree.graph, tree.arrays, tree.arrays.joints
    n, count = len(own.parent), len(graph.chords)
    builder = Builder(tree.system, graph)
    builder.node_poses = [(tuple(a), p) for a, p in zip(tree.nodes.axes.tolist(), tree.nodes.place)]
    builder.names, builder.coordinate_names = list(tree.names), list(tree.coordinate_names)
    first = joints.first.tolist()
    axes, place = np.zeros((count, 4)), np.zeros((count, 3))
    for k, chord in enumerate(graph.chords):
        builder.add(chord)
        first.append(len(joints.kind) + len(builder.rows["kind"]))
        node_axes, node_place = builder.node_poses[n + k]
        if chord.b != GROUND:
            b_axes, b_place = builder.node_poses[chord.b]
        else:
            b_axes, b_place = _ground_pose(tree, chord)
        axes[k] = product(b_axes, inverse(node_axes))
        place[k] = b_place - np.array(turned(tuple(axes[k]), tuple(node_place)))
    rows = {name: np.array(builder.rows[name]) for name in builder.rows}
    shapes = {"axes": (-1, 4), "place": (-1, 3)}
    both: dict[str, Any] = {
        name: np.concatenate([old, rows[name].reshape(shapes.get(name, (-1,))).astype(old.dtype)])
        for name, old in ((name, getattr(joints, name)) for name in rows)
    }
    links = own._replace(
        parent=np.append(own.parent, [chord.a for chord in graph.chords]).astype(np.int64),
        joints=joints._replace(
            first=np.array(first, dtype=np.int64), **both,
            sense=np.append(joints.sense, np.ones(len(both["kind"]) - len(joints.sense))),
            nq=len(builder.coordinate_names), nv=len(builder.names),
        ),
        group=np.append(own.group, np.full(count, -1)).astype(np.int64),
        place_of=np.append(own.place_of, np.full(count, -1)).astype(np.int64),
    )  # fmt: skip
    return Images(
        links=links, of=np.array([chord.b for chord in graph.chords], dtype=np.int64), axes=axes, place=place,
        x=np.zeros(links.joints.nq), u=np.zeros(links.joints.nv), gap=np.zeros((count, 6)),
        opening=np.zeros((count, 6)), bias=np.zeros((count, 6)), S=np.zeros((12, 6)),
    )  # fmt: skip


def _ground_pose(tree: Tree, chord: GraphJoint) -> tuple[Quaternion, np.ndarray]:
    """Axes and position of the fixed node at the end b of a joint."""
    pair: Any = chord.component
    node = pair.b.node
    if tree.model.dimension == 2:
        return about_z(node.angle), np.append(node.position, 0.0)
    return tuple(node.orientation.tolist()), np.asarray(node.position, dtype=float)


@called(None)
def place_image(images, moving, k):
    """Evaluate image k when the links of the tree are in place. Coordinates and speeds of its joint become those
    closest to the motion of b in the tree; pose and motion in `moving` become those of the image. What the joint cannot
    follow is written to `gap`, its rate to `opening`; the acceleration of b less that of the image, where no joint
    accelerates, to `bias`; the motions of the joint to `S`."""
    links, row, b = images.links, moving.at.shape[0] - images.of.shape[0] + k, images.of[k]
    r, axes = vector_in(images.place[k], 0), quaternion_in(images.axes[k], 0)
    w, v, alpha, a = NONE, NONE, NONE, NONE
    if b >= 0:
        q = quaternion_in(moving.at[b], 3)
        d = turned(q, r)
        r, axes, (w, v) = plus(vector_in(moving.at[b], 0), d), product(q, axes), six_in(moving.motion, b)
        v, a = moved_by(w, alpha, v, a, d)
    d, turn = apart(links, moving.at, row, r, axes)
    read_joint(links, moving, row, d, turn, images.x, images.u)
    move_link(links, moving, row, images.x, images.u)
    before = carried_by_parent(links, moving, moving.motion, row)
    read_speeds(links, moving, row, (minus(w, before[0]), minus(v, before[1])), images.S, images.u)
    move_link(links, moving, row, images.x, images.u)
    # b minus image: the axes differ by a small rotation vector φ, whose quaternion is (1, ½ φ)
    off, motion = product(axes, inverse(quaternion_in(moving.at[row], 3))), six_in(moving.motion, row)
    put(images.gap[k], 0, times(math.copysign(2.0, off[0]), (off[1], off[2], off[3])))
    put(images.gap[k], 3, minus(r, vector_in(moving.at[row], 0)))
    put_six(images.opening, k, (minus(w, motion[0]), minus(v, motion[1])))
    bias = six_in(moving.bias, row)
    put_six(images.bias, k, (minus(alpha, bias[0]), minus(a, bias[1])))
    first = links.joints.at_v[links.joints.first[row]]
    for j in range(speeds_of(links.joints, row)):
        for c in range(6):
            images.S[j, c] = moving.columns[first + j, c]
