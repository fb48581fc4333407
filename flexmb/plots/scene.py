"""What drawings and films show of a mechanism in the plane: lines and outlines over time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

#: lower left and upper right corner (2,) [m]
Extent = tuple[np.ndarray, np.ndarray]


@dataclass
class Scene:
    """A mechanism at times t (k,) [s]: points (k, p, 2) [m] of what moves, and (2,) of what stands still.

    `beams`: axes; `lines` of a user's own components; `bodies`: outlines (one point, a line, or a polygon); `arms`:
    rigid offsets on beams; `rods`: two points; `springs`: two points, or the corners of their coils; `pins`, `blocks`:
    one point; `guides`: paths (k, 2) of blocks; `grounds`: fixed places; `roads`: lines (2, 2) that stand still;
    `labels` of the axes; `labeled`: names of parts and joints, each with its place (2,); `names`: those of the entries
    of each list of moving ones; `colors` '#rrggbb' of parts and joints that a user gave, by name.
    """

    t: np.ndarray
    beams: list[np.ndarray] = field(default_factory=list)
    lines: list[np.ndarray] = field(default_factory=list)
    bodies: list[np.ndarray] = field(default_factory=list)
    arms: list[np.ndarray] = field(default_factory=list)
    rods: list[np.ndarray] = field(default_factory=list)
    springs: list[np.ndarray] = field(default_factory=list)
    pins: list[np.ndarray] = field(default_factory=list)
    blocks: list[np.ndarray] = field(default_factory=list)
    guides: list[np.ndarray] = field(default_factory=list)
    grounds: list[np.ndarray] = field(default_factory=list)
    roads: list[np.ndarray] = field(default_factory=list)
    labels: tuple[str, str] = ("x [m]", "y [m]")
    labeled: list[tuple[str, np.ndarray]] = field(default_factory=list)
    names: dict[str, list[str]] = field(default_factory=dict)
    colors: dict[str, str] = field(default_factory=dict)

    def put(self, kind: str, name: str, points: np.ndarray) -> None:
        """Append points (k, p, 2) [m] of a part or joint to one of the lists."""
        getattr(self, kind).append(points)
        self.names.setdefault(kind, []).append(name)

    def entries(self, kind: str) -> Iterator[tuple[np.ndarray, str]]:
        """The points (k, p, 2) [m] of the entries of a list, each with the color that a user gave it, or none."""
        several: list[np.ndarray] = getattr(self, kind)
        names = self.names.get(kind, [""] * len(several))  # a scene without names has none of these colors
        return zip(several, [self.colors.get(name, "") for name in names], strict=True)

    def moving(self) -> list[np.ndarray]:
        """The points (k, p, 2) of all that may move."""
        kinds = (self.beams, self.lines, self.bodies, self.arms, self.rods, self.springs, self.pins, self.blocks)
        return [x.reshape(len(self.t), -1, 2) for several in kinds for x in several]

    def bounds(self) -> Extent:
        """The corners of all that is shown, with a margin."""
        parts = [x.reshape(-1, 2) for x in (*self.moving(), *self.grounds, *self.roads)]
        points = np.concatenate(parts) if parts else np.zeros((1, 2))
        points = points[np.all(np.isfinite(points), axis=1)]
        low, high = points.min(axis=0), points.max(axis=0)
        size = max(float(np.max(high - low)), 1e-9)
        return low - 0.06 * size, high + 0.06 * size
