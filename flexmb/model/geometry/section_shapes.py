"""Cross sections in closed form: circle, tube, rectangle, ellipse."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.geometry import diameters
from flexmb.model.geometry.sections import Section
from flexmb.model.hints import answers

#: other words for the sizes of round sections
_ROUND = {"d": "diameter", "r": "radius"}
_TUBE = {
    **dict.fromkeys(("outer", "outer_radius", "diameter", "d", "radius", "r"), "outer_diameter"),
    **dict.fromkeys(("inner", "inner_radius", "thickness", "wall"), "inner_diameter"),
}


@answers(**_ROUND)
class Circle(Section):
    """A full circle of a `diameter` or a `radius` [m].

    With a `poissons_ratio` ν its shear coefficient is 6 (1 + ν)/(7 + 6 ν), Cowper (1966), in place of 0.9.

    >>> round(Circle(diameter=0.01).area * 1e6, 4)
    78.5398
    """

    def __init__(
        self,
        *given: Any,
        diameter: float | None = None,
        radius: float | None = None,
        poissons_ratio: float | None = None,
    ) -> None:
        where = "circle section"
        diameters.unnamed_sizes(given, where, "Circle(diameter={})", "Circle(radius={})")
        d = diameters.whole_diameter(diameter, radius, where)
        A = math.pi * d * d / 4
        nu = _poissons_ratio(poissons_ratio, where)
        k = 0.9 if nu is None else 6.0 * (1.0 + nu) / (7.0 + 6.0 * nu)
        super().__init__(A, A * d * d / 16, k, d / 2, A * d * d / 16, A * d * d / 8, radius=d / 2)


@answers(**_TUBE)
class Tube(Section):
    """A circular tube of `outer_diameter` and `inner_diameter` [m].

    With a `poissons_ratio` ν its shear coefficient for any wall is, by Cowper (1966), in place of 0.5 for a thin one:

        6 (1 + ν) (1 + m²)² / [(7 + 6 ν) (1 + m²)² + (20 + 12 ν) m²],   m = inner/outer diameter

    >>> round(Tube(outer_diameter=0.03, inner_diameter=0.025).area * 1e6, 3)
    215.984
    """

    def __init__(
        self,
        *given: Any,
        outer_diameter: float | None = None,
        inner_diameter: float | None = None,
        poissons_ratio: float | None = None,
    ) -> None:
        where = "tube section"
        diameters.unnamed_sizes(given, where, "Tube(outer_diameter={}, inner_diameter={})")
        o, i = diameters.two_diameters(outer_diameter, inner_diameter, where)
        A = math.pi * (o * o - i * i) / 4
        bending = A * (o * o + i * i) / 16
        nu, m = _poissons_ratio(poissons_ratio, where), (i / o) ** 2
        k = 0.5
        if nu is not None:
            k = 6.0 * (1 + nu) * (1 + m) ** 2 / ((7 + 6 * nu) * (1 + m) ** 2 + (20 + 12 * nu) * m)
        super().__init__(A, bending, k, o / 2, bending, 2.0 * bending, radius=o / 2)


@answers(b="width", h="height")
class Rectangle(Section):
    """A rectangle; `height` [m] lies along y, in the plane of motion, `width` [m] along z, across it.

    Its torsion constant is Saint-Venant's, with a the longer and b the shorter side (Timoshenko and Goodier, Theory of
    Elasticity, 3rd ed., article 109):

        J = a b³ [1/3 − (64/π⁵)(b/a) Σ tanh(nπa/2b)/n⁵],  n = 1, 3, 5 …

    With a `poissons_ratio` ν its shear coefficients are 10 (1 + ν)/(12 + 11 ν), Cowper (1966), in place of 5/6.

    >>> round(Rectangle(1.0, 1.0).torsion_constant, 6), round(Rectangle(1.0, 0.1).torsion_constant * 1e3, 6)
    (0.140577, 0.312325)
    """

    def __init__(self, width: float, height: float, poissons_ratio: float | None = None) -> None:
        b = checks.positive(width, "width", "rectangle section")
        h = checks.positive(height, "height", "rectangle section")
        corners = ((h / 2, b / 2), (-h / 2, b / 2), (-h / 2, -b / 2), (h / 2, -b / 2))
        twisted = _torsion_of_rectangle(max(b, h), min(b, h))
        nu = _poissons_ratio(poissons_ratio, "rectangle section") or 0.0  # 10/12 is the 5/6 of ν = 0
        k = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu)
        super().__init__(b * h, b * h * h * h / 12, k, h / 2, h * b * b * b / 12, twisted, outline=corners)


@answers(b="width", h="height")
class Ellipse(Section):
    """An ellipse; `height` [m] lies along y, in the plane of motion, `width` [m] along z, across it.

    Its torsion constant is exact, π a³ b³/(a² + b²) with the half axes a and b (Timoshenko and Goodier, Theory of
    Elasticity, 3rd ed., article 104). Its shear coefficient along a is, by Cowper (1966) with ν = `poissons_ratio`,

        12 (1 + ν) a² (3 a² + b²) / [(40 + 37 ν) a⁴ + (16 + 10 ν) a² b² + ν b⁴]

    >>> strut = Ellipse(width=0.02, height=0.06)
    >>> round(strut.area * 1e4, 4), round(strut.shear_coefficient, 4), round(strut.shear_coefficient_z, 4)
    (9.4248, 0.8936, 0.7826)
    """

    def __init__(self, width: float, height: float, poissons_ratio: float = 0.0) -> None:
        where = "ellipse section"
        z, y = (checks.positive(x, what, where) / 2 for x, what in ((width, "width"), (height, "height")))
        nu = _poissons_ratio(poissons_ratio, where) or 0.0
        A = math.pi * y * z
        turns = np.linspace(0.0, 2.0 * math.pi, 48, endpoint=False)
        corners = tuple((y * math.cos(a), z * math.sin(a)) for a in turns)
        k, k_z = (
            12
            * (1 + nu)
            * a**2
            * (3 * a**2 + b**2)
            / ((40 + 37 * nu) * a**4 + (16 + 10 * nu) * (a * b) ** 2 + nu * b**4)
            for a, b in ((y, z), (z, y))
        )
        J = math.pi * (y * z) ** 3 / (y * y + z * z)
        super().__init__(A, A * y * y / 4, k, y, A * z * z / 4, J, k_z, outline=corners)


def _poissons_ratio(given: float | None, where: str) -> float | None:
    """Poisson's ratio of which shear coefficients are wanted, checked."""
    if given is None:
        return None
    nu = checks.number(given, "poissons_ratio", where)
    if not 0.0 <= nu <= 0.5:
        raise ModelError(f"{where}: poissons_ratio is {nu:g}; shear coefficients are known for 0 to 0.5")
    return nu


def _torsion_of_rectangle(a: float, b: float) -> float:
    """J [m⁴] of a rectangle of the sides a ≥ b [m]."""
    series = sum(math.tanh(n * math.pi * a / (2.0 * b)) / n**5 for n in range(1, 400, 2))
    return a * b**3 * (1.0 / 3.0 - 64.0 / math.pi**5 * b / a * series)
