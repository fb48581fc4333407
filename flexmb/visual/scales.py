"""What is to be seen of a mechanism, and the sizes of a picture that do not change from instant to instant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Wish:
    """What is to be seen: the quantity that colours beams and the beams it colours; whether applied loads are, and of
    which joints the reactions; factors of loads by name, (order, factor), and the time [s] at which functions of time
    are read (those of the solution when None)."""

    quantity: str | None = None
    coloured: tuple[str, ...] = ()
    forces: bool = False
    reactions: tuple[str, ...] = ()
    factors: Mapping[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    moment: float | None = None
    points: int = 41


@dataclass(frozen=True)
class Scales:
    """Sizes that do not change from instant to instant: `unit`, the size of the mechanism [m]; what the longest arrows
    stand for [N], [N/m], [Nm]; `low`, `high`, corners of all that is seen (2,) [m]; `limits` of the quantity;
    `slides` by name: how far their blocks go, from and to [m], and the direction of their axis in frame a [rad];
    `slim`: by which all thicknesses are multiplied."""

    unit: float
    force: float
    density: float
    torque: float
    low: np.ndarray
    high: np.ndarray
    limits: tuple[float, float] = (0.0, 1.0)
    slides: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    slim: float = 1.0

    @property
    def thick(self) -> float:
        """The size that thicknesses go with [m]."""
        return self.slim * self.unit
