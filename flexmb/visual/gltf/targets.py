"""Shapes that change: a mean shape and few targets that are added to it with weights that change over time.

The surface of a body that deforms has its modes as targets, once, with their amplitudes as weights,

    r(t) = r̄ + Σ φ_i η_i(t) + Σ ψ_m ½ η(t)ᵀT^mη(t),

and of the slave shapes ψ_m, whose amplitudes are products of those of the modes, as few combinations as keep the
picture. Any other piece that changes its shape, such as a coil spring or an arrow, goes along in the rigid frame that
fits it best (Kabsch 1976), and its targets in this frame are proper orthogonal modes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.results.pictures.deforming import DeformingMesh
from flexmb.visual.gltf.modes import proper_modes
from flexmb.visual.stage.placing import in_space


@dataclass(frozen=True, eq=False)
class Shape:
    """A shape in its frame: `places` (k, 3) [m] and `turns` (k, 4), scalar last, of the frame; `mean` (p, 3) [m];
    `targets` (n, p, 3) with their `weights` (k, n) and names."""

    places: np.ndarray
    turns: np.ndarray
    mean: np.ndarray
    targets: np.ndarray
    weights: np.ndarray
    names: list[str]


def shape_of_mesh(mesh: DeformingMesh, tolerance: float) -> Shape:
    """The surface of a body that deforms; what is left out of its slave shapes is less than a tolerance [m]."""
    amplitudes = mesh.shown.amplitudes(mesh.eta)
    n = mesh.eta.shape[1]
    shapes = in_space(np.moveaxis(mesh.shown.shapes, 2, 0))
    combined, histories = fewest(shapes[n:], amplitudes[:, n:], tolerance)
    d = mesh.place.shape[1]
    axes = np.tile(np.eye(3), (len(mesh.place), 1, 1))
    axes[:, :d, :d] = mesh.axes
    return Shape(
        in_space(mesh.place),
        Rotation.from_matrix(axes).as_quat(),
        in_space(mesh.shown.nodes),
        np.concatenate([shapes[:n], combined]),
        np.concatenate([amplitudes[:, :n], histories], axis=1),
        [*mesh.shown.modes, *(f"{mesh.name} products {j + 1}" for j in range(len(combined)))],
    )


def fewest(shapes: np.ndarray, amplitudes: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """Shapes (r, p, 3) and amplitudes (k, r) whose products add up to those of shapes (m, p, 3) and amplitudes (k, m)
    within a tolerance, as few as a singular value decomposition of the amplitudes gives.

    >>> t = np.linspace(0.0, 1.0, 9)[:, None]
    >>> few, over_time = fewest(np.ones((3, 1, 3)), np.hstack([t, 2.0 * t, -t]), 1e-9)
    >>> few.shape, bool(np.allclose(np.einsum("kr,rpd->kpd", over_time, few)[:, 0, 0], 2.0 * t[:, 0]))
    ((1, 1, 3), True)
    """
    if not shapes.size:
        return shapes[:0], amplitudes[:, :0]
    reach = np.max(np.linalg.norm(shapes, axis=2), axis=1)
    reach[reach == 0.0] = 1.0
    u, s, vt = np.linalg.svd(amplitudes * reach, full_matrices=False)
    over_time = u * s
    # a row that is left out moves no point by more than its amplitude times the sum of its shares
    each = np.max(np.abs(over_time), axis=0) * np.sum(np.abs(vt), axis=1)
    left_out = np.cumsum(each[::-1])[::-1]
    count = int(np.sum(left_out > tolerance))
    return np.tensordot(vt[:count] / reach, shapes, axes=1), over_time[:, :count]


def shape_of_points(points: np.ndarray, on: np.ndarray, tolerance: float) -> Shape:
    """A piece by its points (s, p, 3) [m] at the s instants of (k,) at which it is `on`; between them it stays as it
    was last. No coordinate of a point is farther off than a tolerance [m]."""
    last = last_seen(on)
    middles = points.mean(axis=1)
    centered = points - middles[:, None]
    # the largest of all shapes is the template, since the smallest, such as a short arrow, may be a point
    template = centered[np.argmax(np.sum(centered**2, axis=(1, 2)))]
    turns = best_turns(centered, template)
    local = np.einsum("kpi,kij->kpj", centered, turns)
    mean = local.mean(axis=0)
    flat = (local - mean).reshape(len(local), -1)
    modes, weights = proper_modes(lambda k: flat[k], len(flat), tolerance, lambda rest: np.max(np.abs(rest), axis=1))
    targets = modes.reshape(-1, *mean.shape)
    names = [f"shape {j + 1}" for j in range(len(targets))]
    return Shape(middles[last], Rotation.from_matrix(turns).as_quat()[last], mean, targets, weights[last], names)


def last_seen(on: np.ndarray) -> np.ndarray:
    """The place (k,), in the row of instants at which something is `on`, of the last of them up to each instant; of the
    first one before that.

    >>> last_seen(np.array([False, True, False, True])).tolist()
    [0, 0, 0, 1]
    """
    return np.maximum(np.cumsum(on) - 1, 0)


def best_turns(shapes: np.ndarray, template: np.ndarray) -> np.ndarray:
    """The rotation matrices (k, 3, 3) that bring a template (p, 3) nearest to shapes (k, p, 3), all with the middle 0.

    >>> quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    >>> corner = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [-1.0, -1.0, 1.0]])
    >>> np.abs(best_turns((corner @ quarter.T)[None], corner)[0].round(9)).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    u, _, vt = np.linalg.svd(np.einsum("kpi,pj->kij", shapes, template))
    u[:, :, 2] *= np.sign(np.linalg.det(u @ vt))[:, None]
    return np.asarray(u @ vt)
