"""Finishes of surfaces: what they do with light, with heat, and with the molecules of a gas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls


def check_parts_of_light(mirror: float, diffuse: float, where: str) -> None:
    """Refuse a surface that reflects more light than falls on it."""
    if mirror + diffuse > 1.0:
        raise ModelError(
            f"{where}: mirror and diffuse are {mirror:g} and {diffuse:g}; together at most 1 of the light is reflected"
        )


@dataclass(frozen=True)
class SurfaceFinish(metaclass=AnswersCalls):
    """The finish of a surface: of the light that falls on it, the part `mirror` is reflected as by a mirror, the part
    `diffuse` in all directions by Lambert's law, and the rest, `absorbed`, is heat; `emissivity`, by which it radiates;
    `accommodation`, of molecules of a thin gas that meet it, of their momentum along the normal σ_n and along the
    surface σ_t: (1, 1) where all leave as the wall has them, (0, 0) at a mirror. All are between 0 and 1.

    >>> import flexmb as fm
    >>> white = fm.spatial.SurfaceFinish(mirror=0.1, diffuse=0.65, emissivity=0.9)
    >>> round(white.absorbed, 9)
    0.25
    """

    mirror: float = 0.0
    diffuse: float = 0.0
    emissivity: float = 0.0
    accommodation: Any = (1.0, 1.0)

    def __post_init__(self) -> None:
        where = type(self).__name__
        checks.check_fields(self, checks.not_negative, where, "mirror", "diffuse", "emissivity")
        if self.emissivity > 1.0:
            raise ModelError(f"{where}: emissivity is {self.emissivity:g}; a black surface has 1, and none has more")
        both = checks.vector(self.accommodation, "accommodation", where, 2)
        if np.any(both < 0.0) or np.any(both > 1.0):
            raise ModelError(
                f"{where}: accommodation is {checks.quoted(self.accommodation)}; give σ_n and σ_t, from 0 to 1"
            )
        object.__setattr__(self, "accommodation", tuple(both.tolist()))
        check_parts_of_light(self.mirror, self.diffuse, where)

    @property
    def absorbed(self) -> float:
        """The part of the light that becomes heat, 1 − mirror − diffuse."""
        return 1.0 - self.mirror - self.diffuse

    @property
    def numbers(self) -> list[float]:
        """Mirror, diffuse, emissivity, σ_n and σ_t."""
        return [self.mirror, self.diffuse, self.emissivity, *self.accommodation]


#: where in :attr:`SurfaceFinish.numbers` that stands which a law reads, of light ϱ_s and ϱ_d, of gas σ_n and σ_t; how
#: many numbers these are
OF_LIGHT, OF_GAS, WIDTH = (0, 1), (3, 4), 5
