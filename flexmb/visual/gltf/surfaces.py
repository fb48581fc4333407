"""Surfaces in a glTF document: points, normals, colors and targets as accessors, and the meshes made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.visual.gltf.colors import Painted
from flexmb.visual.gltf.document import INDICES, VERTICES, Document
from flexmb.visual.gltf.tracks import BYTE, SHORT
from flexmb.visual.stage.meshes import vertex_normals

#: the extension by which coordinates of points have two bytes or one
QUANTIZED = "KHR_mesh_quantization"


@dataclass(frozen=True, eq=False)
class Targets:
    """The targets of a mesh: `attributes` of each as accessors, by the name of the attribute; `weights` (k, n); and
    names."""

    attributes: list[dict[str, int]]
    weights: np.ndarray
    names: list[str]


def indices(document: Document, faces: np.ndarray, count: int) -> int:
    """The accessor of the corners of faces (f, 3) among `count` points."""
    return document.numbers(faces.ravel(), "u2" if count < 65535 else "u4", INDICES)


def plain(document: Document, points: np.ndarray, faces: np.ndarray) -> dict[str, int]:
    """The attributes of points (p, 3) [m], with four bytes a number."""
    return {
        "POSITION": document.numbers(points, "f4", VERTICES, bounds=True),
        "NORMAL": document.numbers(vertex_normals(points, faces), "f4", VERTICES),
    }


def packed(document: Document, points: np.ndarray, faces: np.ndarray) -> tuple[dict[str, int], np.ndarray, float]:
    """The attributes of points (p, 3) with two bytes a number, ±1 for the faces of the cube around them; the middle
    (3,) [m] of this cube and half its edge [m], the shift and the scale of the node."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = 0.5 * (low + high), max(0.5 * float(np.max(high - low)), 1e-12)
    document.extensions.add(QUANTIZED)
    attributes = {
        "POSITION": document.numbers(
            np.rint(SHORT * (points - middle) / half), "i2", VERTICES, normalized=True, bounds=True
        ),
        "NORMAL": document.numbers(np.rint(BYTE * vertex_normals(points, faces)), "i1", VERTICES, normalized=True),
    }
    return attributes, middle, half


def plain_targets(document: Document, targets: np.ndarray, weights: np.ndarray, names: list[str]) -> Targets:
    """Targets (n, p, 3) [m], with four bytes a number, and their weights (k, n)."""
    rows = [{"POSITION": document.numbers(target, "f4", VERTICES, bounds=True)} for target in targets]
    return Targets(rows, weights, names)


def packed_targets(
    document: Document, targets: np.ndarray, weights: np.ndarray, names: list[str], half: float, tolerance: float
) -> Targets:
    """Targets (n, p, 3) [m] of a mesh with the scale `half`. One byte makes a number where the error of all targets
    together stays below a tolerance [m], else two. What moves no point has no target."""
    reach = np.max(np.abs(targets), axis=(1, 2), initial=0.0) if len(targets) else np.zeros(0)
    moved = reach * np.max(np.abs(weights), axis=0, initial=0.0)
    share = tolerance / max(len(targets), 1)
    rows, kept = [], np.flatnonzero(moved > 0.0)
    for j in kept:
        kind, one = ("i1", BYTE) if 0.5 * moved[j] / BYTE < share else ("i2", SHORT)
        numbers = np.rint(one * targets[j] / reach[j])
        rows.append({"POSITION": document.numbers(numbers, kind, VERTICES, normalized=True, bounds=True)})
    return Targets(rows, weights[:, kept] * reach[kept] / half, [names[j] for j in kept])


def surface(
    document: Document,
    name: str,
    attributes: dict[str, int],
    faces: np.ndarray,
    painted: Painted,
    targets: Targets | None = None,
) -> tuple[int, np.ndarray]:
    """The mesh of a surface, painted, with targets; and the weights (k, n) of all its targets, those of colors last."""
    count = document.lists["accessors"][attributes["POSITION"]]["count"]
    given = targets if targets is not None else Targets([], np.zeros((len(painted.weights), 0)), [])
    primitive: dict[str, Any] = {
        "attributes": dict(attributes),
        "indices": indices(document, faces, count),
        "material": document.material(painted.color),
    }
    rows, weights, names = list(given.attributes), given.weights, list(given.names)
    if painted.vertices is not None:
        primitive["attributes"]["COLOR_0"] = document.numbers(
            np.rint(255.0 * painted.vertices), "u1", VERTICES, normalized=True
        )
    if len(painted.targets):
        # readers take it for granted that all targets of a mesh have the same attributes
        still = document.zeros(count, "f4", bounds=True)
        rows = [{**row, "COLOR_0": document.zeros(count, "i1", normalized=True)} for row in rows]
        for target in painted.targets:
            rows.append(
                {
                    "POSITION": still,
                    "COLOR_0": document.numbers(np.rint(BYTE * target), "i1", VERTICES, normalized=True),
                }
            )
        weights = np.concatenate([weights, painted.weights], axis=1)
        names += [f"color {j + 1}" for j in range(len(painted.targets))]
    entry: dict[str, Any] = {"name": name, "primitives": [primitive]}
    if rows:
        primitive["targets"] = rows
        entry |= {"weights": weights[0].tolist(), "extras": {"targetNames": names}}
    return document.add("meshes", entry), weights
