"""Colors of surfaces in a glTF document: one for all, or a color at each point that shows a quantity.

The colors of glTF are linear, those of screens are sRGB (IEC 61966-2-1). A quantity that changes has the colors of its
mean at the points, and proper orthogonal modes of its colors as targets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.visual.gltf.modes import proper_modes
from flexmb.visual.gltf.targets import last_seen
from flexmb.visual.rendering.look import color_map, faded
from flexmb.visual.rendering.render import Coloring, Viewed, color_of
from flexmb.visual.stage.pieces import Ghost, Piece

#: the largest root mean square error of the colors of a picture, from 0 to 1, that targets of colors leave
COLOR_ERROR = 0.01
#: the number of colors of the color map, as pages have it
COLORS = 256
#: the number of pictures whose mean is that of the colors
SAMPLED = 32


@dataclass(frozen=True, eq=False)
class Painted:
    """The color (3,) of a surface; or that of its points, `vertices` (p, 3), with `targets` (n, p, 3) and their weights
    (k, n), and then `color` is white. All are linear."""

    color: np.ndarray
    vertices: np.ndarray | None
    targets: np.ndarray
    weights: np.ndarray


def linear(colors: np.ndarray) -> np.ndarray:
    """Colors of screens, from 0 to 1, as linear ones.

    >>> linear(np.array([0.0, 0.04, 0.5, 1.0])).round(4).tolist()
    [0.0, 0.0031, 0.214, 1.0]
    """
    return np.where(colors <= 0.04045, colors / 12.92, ((np.maximum(colors, 0.04045) + 0.055) / 1.055) ** 2.4)


def painted(piece: Piece, view: Viewed, on: np.ndarray) -> Painted:
    """How a piece is painted at the instants (k,) at which it is `on`; between them it stays as it was last."""
    nothing, seen = (np.zeros((0, 0, 3)), np.zeros((len(on), 0))), np.flatnonzero(on)
    if view.coloring is None or piece.values(int(seen[0])) is None:
        return Painted(linear(color_of(piece, view.look)), None, *nothing)
    indices = color_indices(piece, view.coloring, seen if piece.moves else seen[:1])
    colors = color_map(view.coloring.both_signs)(np.linspace(0.0, 1.0, COLORS))[:, :3]
    table = linear(faded(colors, view.look.background, view.look.pale) if isinstance(piece, Ghost) else colors)
    if len(indices) == 1:
        return Painted(np.ones(3), table[indices[0]], *nothing)
    mean, targets, weights = color_modes(indices, table.astype(np.float32))
    return Painted(np.ones(3), mean, targets, weights[last_seen(on)])


def color_indices(piece: Piece, coloring: Coloring, seen: np.ndarray) -> np.ndarray:
    """The numbers (k, p) of the colors of the points of a piece at instants (k,), among :data:`COLORS`."""
    low, high = coloring.limits
    rows = []
    for k in seen:
        values = piece.values(int(k))
        assert values is not None
        part = np.clip((values * coloring.factor - low) / (high - low), 0.0, 1.0)
        rows.append(np.rint((COLORS - 1) * part).astype(np.uint8))
    return np.array(rows)


def color_modes(indices: np.ndarray, table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean (p, 3) of colors with numbers (k, p) in a table (c, 3), targets (n, p, 3) with numbers up to ±1, and
    weights (k, n)."""
    some = np.unique(np.linspace(0, len(indices) - 1, SAMPLED).round().astype(int))
    mean = np.rint(255.0 * np.mean(np.take(table, indices[some], axis=0), axis=0)) / np.float32(
        255.0
    )  # as it is written
    modes, weights = proper_modes(
        lambda numbers: (np.take(table, indices[numbers], axis=0) - mean).reshape(len(numbers), -1),
        len(indices),
        COLOR_ERROR,
        lambda rest: np.sqrt(np.mean(rest**2, axis=1)),
    )
    reach = np.max(np.abs(modes), axis=1, initial=0.0)
    return mean, (modes / reach[:, None]).reshape(len(modes), *mean.shape), weights * reach
