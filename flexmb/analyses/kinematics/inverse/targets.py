"""Target poses of frames, as users give them, and places of these frames on the links of a tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.errors import FormulationError, ModelError
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.rotations import product, turned
from flexmb.model import checks
from flexmb.model.orientations import quaternion_of, scalar_first
from flexmb.model.ways import about_z


@dataclass(frozen=True, eq=False)
class Targets:
    """The `frames` by name, each on a `link` (F,) at a `place` (F, 3) with `axes` (F, 4); `turns` (F,), how many rows
    hold its orientation; `wanted` (k, F, 7), poses; whether there are `many` of them."""

    frames: list[str]
    link: np.ndarray
    place: np.ndarray
    axes: np.ndarray
    turns: np.ndarray
    wanted: np.ndarray
    many: bool


def targets_of(tree: Tree, given: Any, where: str) -> Targets:
    """Given targets: poses by frames or their names."""
    if not isinstance(given, Mapping) or not given:
        raise ModelError(f"{where}: targets are {checks.quoted(given)}; give poses by frames, {{'hand': (x, y, z)}}")
    dimension = tree.system.model.dimension
    frames: list[str] = []
    places, poses, turns = [], [], []
    for key, pose in given.items():
        frame = _frame(tree, key, where)
        if frame.name in frames:
            raise ModelError(f"{where}: frame {frame.name!r} is given twice; give it once")
        frames.append(frame.name)
        places.append(_on_link(tree, frame, where))
        read = _planar_pose if dimension == 2 else _spatial_pose
        points, quaternions = read(pose, f"{where}: the pose of {frame.name!r}")
        poses.append((points, quaternions))
        turns.append(0 if quaternions is None else 2 * dimension - 3)
    many = any(points.ndim == 2 for points, _ in poses)
    counts = {len(points) for points, _ in poses if points.ndim == 2}
    if len(counts) > 1:
        numbers = ", ".join(f"{len(p)} of {f!r}" for f, (p, _) in zip(frames, poses) if p.ndim == 2)
        raise ModelError(f"{where}: there are different numbers of poses, {numbers}; give as many of each, or one")
    count = counts.pop() if counts else 1
    wanted = np.zeros((count, len(frames), 7))
    wanted[:, :, 3] = 1.0
    for f, (points, quaternions) in enumerate(poses):
        wanted[:, f, :3] = points
        if quaternions is not None:
            wanted[:, f, 3:] = quaternions
    return Targets(
        frames, np.array([k for k, _, _ in places], dtype=np.int64), np.array([p for _, p, _ in places]),
        np.array([a for _, _, a in places]), np.array(turns, dtype=np.int64), wanted, many,
    )  # fmt: skip


def _frame(tree: Tree, key: Any, where: str) -> Any:
    """A frame of the model, by its name or itself."""
    if isinstance(key, str):
        return tree.model.frame(key)
    frame = getattr(key, "own_frame", None) or key
    if getattr(frame, "model", None) is not tree.model:
        raise ModelError(f"{where}: {checks.quoted(key)} is no frame of this model; give a frame or its name")
    return frame


def _on_link(tree: Tree, frame: Any, where: str) -> tuple[int, np.ndarray, tuple[float, ...]]:
    """The link of a frame, and its place and axes there."""
    number = {id(link.node): k for k, link in enumerate(tree.graph.links)}
    if frame.node.fixed or id(frame.node) not in number:
        why = "is fixed" if frame.node.fixed else "is a place along a beam, which bends"
        raise FormulationError(
            f"{where}: {frame.where} {why}; no joint angles bring it anywhere; give a frame on a link"
        )
    k, nodes = number[id(frame.node)], tree.nodes
    offset = tuple(np.append(frame.offset, 0.0)[:3].tolist())
    axes = tuple(frame.axes.tolist()) if tree.system.model.dimension == 3 else about_z(frame.offset_angle)
    place = nodes.place[k] + np.array(turned(tuple(nodes.axes[k]), offset))
    return k, place, product(tuple(nodes.axes[k].tolist()), axes)


def _spatial_pose(given: Any, where: str) -> tuple[np.ndarray, np.ndarray | None]:
    """Places (3,) or (k, 3) and the quaternions, scalar first, if an orientation is given."""
    position, orientation = given, None
    if isinstance(given, tuple | list) and len(given) == 2:
        position, orientation = given
    points = checks.numbers(position, "its position", where, "three numbers, or a row of three for each pose")
    if points.ndim not in (1, 2) or points.shape[-1] != 3 or not points.size:
        raise ModelError(
            f"{where}: its position has the shape {points.shape}; give (x, y, z), or ((x, y, z), Rotation), or k of "
            "them"
        )
    if orientation is None:
        return points, None
    several = isinstance(orientation, Rotation) and not orientation.single
    if not several and len(checks.shape_of(orientation) or ()) == 3:
        orientation, several = Rotation.from_matrix(np.asarray(orientation, dtype=float)), True
    if not several:
        return points, quaternion_of(orientation, "its orientation", where)
    quaternions = scalar_first(orientation)
    if points.ndim == 1:
        points = np.tile(points, (len(quaternions), 1))
    if len(points) != len(quaternions):
        raise ModelError(
            f"{where}: there are {len(points)} positions and {len(quaternions)} orientations; give as many of each"
        )
    return points, quaternions


def _planar_pose(given: Any, where: str) -> tuple[np.ndarray, np.ndarray | None]:
    """Places with z = 0, and the quaternions about z, if an angle is given."""
    numbers = checks.numbers(given, "it", where, "(x, y), (x, y, angle), or a row of these for each pose")
    if numbers.ndim not in (1, 2) or numbers.shape[-1] not in (2, 3) or not numbers.size:
        raise ModelError(f"{where}: it has the shape {numbers.shape}; give (x, y) or (x, y, angle), or k of them")
    points = np.zeros((*numbers.shape[:-1], 3))
    points[..., :2] = numbers[..., :2]
    if numbers.shape[-1] == 2:
        return points, None
    half = 0.5 * numbers[..., 2]
    quaternions = np.zeros((*numbers.shape[:-1], 4))
    quaternions[..., 0], quaternions[..., 3] = np.cos(half), np.sin(half)
    return points, quaternions
