"""The attraction of a center that is held in a model, as what attracts its parts knows it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.model.gravity import falling


@dataclass(frozen=True)
class HeldCenter:
    """A center of attraction at a place (3,) [m] of a model, with `mu` [m³/s²]: −μ d/|d|³ on all that it attracts.

    It answers what :class:`flexmb.spatial.CentralGravity` answers to the components that attract
    (:mod:`flexmb.elements.spatial.attraction`); the model's origin stands still beside it.

    >>> HeldCenter(4.0, (1.0, 2.0, 3.0)).parameters[:4].tolist()
    [-4.0, -1.0, -2.0, -3.0]
    """

    mu: float
    center: tuple[float, float, float]
    #: it is a point
    radius = None

    @property
    def position(self) -> np.ndarray:
        """The place (3,) of the model's origin from the center."""
        return -np.array(self.center)

    @property
    def parameters(self) -> np.ndarray:
        """The row of numbers that compiled code takes, as :mod:`flexmb.model.gravity.falling` says."""
        row = np.zeros(falling.SIZE)
        row[falling.MU], row[falling.PLACE : falling.SPEED] = -self.mu, self.position
        return row
