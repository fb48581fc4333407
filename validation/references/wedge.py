"""What friction holds, and what it does not: a block on an incline, a wedge under a load, a guide pushed off its axis.

**Incline** at the angle α: the block holds if  tan α ≤ μ_S;  sliding, it falls with  g (sin α − μ cos α).

**Wedge**: a load of weight m g is guided upright and rests on the face, at the angle α, of a wedge of mass M which
slides on a smooth floor. Friction on the face alone keeps the wedge from being driven out: it does if  tan α ≤ μ_S,
whatever the load (self-locking). Else, with x the way of the wedge and x tan α that of the load,

    M ẍ = N (sin α − μ cos α),    m ẍ tan α = m g − N (cos α + μ sin α)

**Guide**: a slider of length L is pushed along its axis by a force P whose line lies a distance d from the axis.
It leans on its two ends with P d/L each, so that friction is 2 μ P d/L, and no push moves it if  2 μ_S d ≥ L.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Incline:
    """`angle` α [rad], coefficient μ of `sliding` friction, `weight` g [m/s²]."""

    angle: float
    sliding: float
    weight: float = 9.81

    @property
    def acceleration(self) -> float:
        """Down the incline, of a block that slides down [m/s²]."""
        return float(self.weight * (np.sin(self.angle) - self.sliding * np.cos(self.angle)))


@dataclass(frozen=True)
class Wedge:
    """`angle` α of the face [rad], coefficient μ of `sliding` friction on it, masses M of the `wedge` and m of the
    `load` [kg], `weight` g [m/s²]."""

    angle: float
    sliding: float
    wedge: float = 2.0
    load: float = 5.0
    weight: float = 9.81

    @property
    def normal(self) -> float:
        """The force N across the face [N] while it slides out."""
        s, c = np.sin(self.angle), np.cos(self.angle)
        drive = s - self.sliding * c
        return float(
            self.load * self.weight / (c + self.sliding * s + self.load / self.wedge * np.tan(self.angle) * drive)
        )

    @property
    def acceleration(self) -> float:
        """Of the wedge [m/s²]."""
        return float(self.normal * (np.sin(self.angle) - self.sliding * np.cos(self.angle)) / self.wedge)

    @property
    def holding(self) -> float:
        """The force across the face [N] while friction holds the load."""
        return float(self.load * self.weight * np.cos(self.angle))


@dataclass(frozen=True)
class Guide:
    """`push` P [N], `offset` d of its line and `length` L of the slider [m], its `mass` [kg], coefficient μ of
    `sliding` friction; no gravity."""

    offset: float
    sliding: float
    push: float = 30.0
    length: float = 0.1
    mass: float = 1.5

    @property
    def friction(self) -> float:
        """The force of friction while it slides [N]."""
        return 2.0 * self.sliding * self.push * self.offset / self.length

    @property
    def acceleration(self) -> float:
        """Along the push [m/s²], if friction is less than the push."""
        return (self.push - self.friction) / self.mass
