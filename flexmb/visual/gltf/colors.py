"""Colors of surfaces in a glTF document: one for all, or a color at each point that shows a quantity.

The colors of glTF are linear, those of screens are sRGB (IEC 61966-2-1). A quantity that changes has the colors of its
mean at the points, and proper orthogonal modes of its colors as targets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flexmb.visual.gltf.modes import proper_modes
from flexmb.visual.gltf.targets import last_seen
from flexmb.visual.rendering.look import color_map, faded
from flexmb.visual.rendering.render import Coloring, Viewed, color_of
from flexmb.visual.stage.pieces import Ghost, Piece

#: the largest root mean square error of the colors of a picture, from 0 to 1, that targets of colors leave
COLOR_ERROR = 0.01
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
    shade = _shades(piece, view, view.coloring)
    if len(seen) == 1 or not piece.moves:
        return Painted(np.ones(3), shade(int(seen[0])), *nothing)
    mean, targets, weights = color_modes(shade, seen)
    return Painted(np.ones(3), mean, targets, weights[last_seen(on)])


def _shades(piece: Piece, view: Viewed, coloring: Coloring) -> Callable[[int], np.ndarray]:
    """The linear colors (p, 3) of the points of a piece at an instant."""
    colors, (low, high) = color_map(coloring.both_signs), coloring.limits

    def shade(k: int) -> np.ndarray:
        values = piece.values(k)
        assert values is not None
        part = np.clip((values * coloring.factor - low) / (high - low), 0.0, 1.0)
        own = colors(part)[:, :3]
        return linear(faded(own, view.look.background, view.look.pale) if isinstance(piece, Ghost) else own)

    return shade


def color_modes(shade: Callable[[int], np.ndarray], seen: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean (p, 3) of colors, targets (n, p, 3) with numbers up to ±1, and weights (k, n) at the instants `seen`
    (k,)."""
    some = seen[np.unique(np.linspace(0, len(seen) - 1, SAMPLED).round().astype(int))]
    mean = np.rint(255.0 * np.mean([shade(int(k)) for k in some], axis=0)) / 255.0  # as it is written
    modes, weights = proper_modes(
        lambda numbers: np.array([(shade(int(seen[k])) - mean).ravel() for k in numbers]),
        len(seen),
        COLOR_ERROR,
        lambda rest: np.sqrt(np.mean(rest**2, axis=1)),
    )
    reach = np.max(np.abs(modes), axis=1, initial=0.0)
    return mean, (modes / reach[:, None]).reshape(len(modes), *mean.shape), weights * reach
