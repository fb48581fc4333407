"""Materials, cross sections of beams, and the stiffness and mass that follow from both."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.hints import answers

#: other words for the constants of a material
_MATERIAL = {
    **dict.fromkeys(("E", "young", "youngs", "young_modulus", "elastic_modulus", "modulus"), "youngs_modulus"),
    **dict.fromkeys(("nu", "poisson", "poisson_ratio", "poissons"), "poissons_ratio"),
    **dict.fromkeys(("rho", "mass_density"), "density"),
    **dict.fromkeys(("G", "shear_modulus"), "youngs_modulus=… and poissons_ratio"),
}
#: and for the sizes of round sections
_ROUND = {"d": "diameter", "r": "radius"}
_TUBE = {
    **dict.fromkeys(("outer", "outer_radius", "diameter", "d", "radius", "r"), "outer_diameter"),
    **dict.fromkeys(("inner", "inner_radius", "thickness", "wall"), "inner_diameter"),
}


@answers(**_MATERIAL)
@dataclass(frozen=True)
class Material:
    """A linear elastic, isotropic material.

    Arguments: `density` ρ [kg/m³]; `youngs_modulus` E [Pa]; `poissons_ratio` ν [–] (for shear, G = E / 2(1+ν)).

    >>> Material(density=7850, youngs_modulus=205e9).shear_modulus
    78846153846.15384
    """

    density: float
    youngs_modulus: float
    poissons_ratio: float = 0.3
    name: str = "material"

    def __post_init__(self) -> None:
        where = f"material {checks.name(self.name, 'material')!r}"
        checks.check_fields(self, checks.positive, where, "density", "youngs_modulus")
        checks.check_fields(self, checks.number, where, "poissons_ratio")
        if not -1.0 < self.poissons_ratio <= 0.5:
            raise ModelError(f"{where}: poissons_ratio is {self.poissons_ratio:g}; it must lie in (-1, 0.5]")

    @property
    def shear_modulus(self) -> float:
        """G = E / 2(1+ν) [Pa]."""
        return self.youngs_modulus / (2.0 * (1.0 + self.poissons_ratio))


@answers(A="area", I="second_moment", Iz="second_moment", Iy="second_moment_y", J="torsion_constant")
@dataclass(frozen=True)
class Section:
    """A cross section. Its axes are y and z, x goes along the beam; a beam of the plane bends in x–y.

    Arguments: `area` A [m²]; `second_moment` Iz = ∫ y² dA [m⁴], about the axis normal to the plane of motion;
    `shear_coefficient` [–], the part of the area that carries shear along y; `outer_fiber` [m], the distance of the
    outermost fiber in the plane. In space also: `second_moment_y` Iy = ∫ z² dA [m⁴] (y and z are principal axes);
    `torsion_constant` J [m⁴], Saint-Venant's, so that GJ is the torque for a twist of 1 rad/m; `shear_coefficient_z`,
    that along z (the same as along y when not given); and, for stresses and pictures, the `radius` [m] of a round
    section or the corners (y, z) [m] of the `outline` of another one.

    >>> channel = Section(2e-4, 3e-8, second_moment_y=1e-8, torsion_constant=4e-10)
    >>> channel.second_moment, channel.shear_coefficient_z
    (3e-08, 0.8333333333333334)
    """

    area: float
    second_moment: float
    shear_coefficient: float = 5.0 / 6.0
    outer_fiber: float = 0.0
    second_moment_y: float | None = None
    torsion_constant: float | None = None
    shear_coefficient_z: float | None = None
    radius: float = 0.0
    outline: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        checks.check_fields(self, checks.positive, "section", "area", "second_moment", "shear_coefficient")
        checks.check_fields(self, checks.not_negative, "section", "outer_fiber", "radius")
        if self.shear_coefficient_z is None:
            object.__setattr__(self, "shear_coefficient_z", self.shear_coefficient)
        given = [what for what in ("second_moment_y", "torsion_constant") if getattr(self, what) is not None]
        checks.check_fields(self, checks.positive, "section", "shear_coefficient_z", *given)
        object.__setattr__(self, "outline", outline_of(self.outline, self.radius, "section"))


def outline_of(corners: Any, radius: float, where: str) -> tuple[tuple[float, float], ...]:
    """The corners (y, z) of an outline, checked; none of a section that is round."""
    wanted = "the corners of its outline, three points (y, z) or more"
    points = checks.numbers(corners, "outline", where, wanted)
    if not points.size:
        return ()
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 3:
        raise ModelError(f"{where}: outline must be {wanted}, not {checks.quoted(corners)}")
    if radius:
        raise ModelError(f"{where}: it has a radius, so it is round, and an outline; give one of both")
    return tuple((float(y), float(z)) for y, z in points)


@answers(**_ROUND)
class Circle(Section):
    """A full circle of a `diameter` or a `radius` [m].

    >>> round(Circle(diameter=0.01).area * 1e6, 4)
    78.5398
    """

    def __init__(self, *given: Any, diameter: float | None = None, radius: float | None = None) -> None:
        where = "circle section"
        checks.unnamed_sizes(given, where, "Circle(diameter={})", "Circle(radius={})")
        d = checks.whole_diameter(diameter, radius, where)
        A = math.pi * d * d / 4
        super().__init__(A, A * d * d / 16, 0.9, d / 2, A * d * d / 16, A * d * d / 8, radius=d / 2)


@answers(**_TUBE)
class Tube(Section):
    """A circular tube of `outer_diameter` and `inner_diameter` [m].

    >>> round(Tube(outer_diameter=0.03, inner_diameter=0.025).area * 1e6, 3)
    215.984
    """

    def __init__(self, *given: Any, outer_diameter: float | None = None, inner_diameter: float | None = None) -> None:
        where = "tube section"
        checks.unnamed_sizes(given, where, "Tube(outer_diameter={}, inner_diameter={})")
        o, i = checks.two_diameters(outer_diameter, inner_diameter, where)
        A = math.pi * (o * o - i * i) / 4
        bending = A * (o * o + i * i) / 16
        super().__init__(A, bending, 0.5, o / 2, bending, 2.0 * bending, radius=o / 2)


@answers(b="width", h="height")
class Rectangle(Section):
    """A rectangle; `height` [m] lies along y, in the plane of motion, `width` [m] along z, across it.

    Its torsion constant is Saint-Venant's, with a the longer and b the shorter side (Timoshenko and Goodier, Theory of
    Elasticity, 3rd ed., article 109):

        J = a b³ [1/3 − (64/π⁵)(b/a) Σ tanh(nπa/2b)/n⁵],  n = 1, 3, 5 …

    >>> round(Rectangle(1.0, 1.0).torsion_constant, 6), round(Rectangle(1.0, 0.1).torsion_constant * 1e3, 6)
    (0.140577, 0.312325)
    """

    def __init__(self, width: float, height: float) -> None:
        b = checks.positive(width, "width", "rectangle section")
        h = checks.positive(height, "height", "rectangle section")
        corners = ((h / 2, b / 2), (-h / 2, b / 2), (-h / 2, -b / 2), (h / 2, -b / 2))
        twisted = _torsion_of_rectangle(max(b, h), min(b, h))
        super().__init__(b * h, b * h * h * h / 12, 5.0 / 6.0, h / 2, h * b * b * b / 12, twisted, outline=corners)


def _torsion_of_rectangle(a: float, b: float) -> float:
    """J [m⁴] of a rectangle of the sides a ≥ b [m]."""
    series = sum(math.tanh(n * math.pi * a / (2.0 * b)) / n**5 for n in range(1, 400, 2))
    return a * b**3 * (1.0 / 3.0 - 64.0 / math.pi**5 * b / a * series)


class _Properties(Protocol):
    """Properties of beams in the plane or in space; `example` shows how they are made."""

    example: ClassVar[str]

    @classmethod
    def of(cls: type[Properties], material: Material, section: Section) -> Properties: ...


Properties = TypeVar("Properties", bound=_Properties)


def properties_from(
    family: type[Properties], material: Material | None, section: Section | None, properties: Any, where: str
) -> Properties:
    """The properties of a beam of the plane or of space (`family`) that a user gives, or those of the material and the
    section given; else an error that names `where`."""
    example = f"properties={family.example}"
    if properties is not None:
        if material is not None or section is not None:
            raise ModelError(f"{where}: give either a material and a section or properties, not both")
        if not isinstance(properties, family):
            # those of the other dimension have the same name, so the room is named too
            kind = getattr(properties, "example", "").partition("(")[0] or checks.quoted(properties)
            raise ModelError(f"{where}: properties are {kind}; give {example}")
        return properties
    if material is None or section is None:
        raise ModelError(f"{where}: give a material and a section, or {example}")
    if not isinstance(material, Material) or not isinstance(section, Section):
        wrong = section if isinstance(material, Material) else material
        raise ModelError(
            f"{where}: {checks.quoted(wrong)} is no {'section' if wrong is section else 'material'}; give e.g. "
            "material=Material(7850, 205e9), section=Circle(diameter=0.01)"
        )
    try:
        return family.of(material, section)
    except ModelError as error:
        raise ModelError(f"{where}: {error}") from None
