"""Materials, cross sections of beams, and the stiffness and mass that follow from both."""

from __future__ import annotations

import math
from dataclasses import dataclass

from flexmb.errors import ModelError
from flexmb.model import checks


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


@dataclass(frozen=True)
class Section:
    """A cross section: area A [m²], second moment of area I [m⁴] about the axis normal to the plane of motion,
    shear coefficient [–] (the part of the area that carries shear) and the distance of the outermost fibre [m]."""

    area: float
    second_moment: float
    shear_coefficient: float = 5.0 / 6.0
    outer_fibre: float = 0.0

    def __post_init__(self) -> None:
        checks.check_fields(self, checks.positive, "section", "area", "second_moment", "shear_coefficient")
        checks.check_fields(self, checks.not_negative, "section", "outer_fibre")


class Circle(Section):
    """A full circle of the given diameter [m].

    >>> round(Circle(0.01).area * 1e6, 4)
    78.5398
    """

    def __init__(self, diameter: float) -> None:
        d = checks.positive(diameter, "diameter", "circle section")
        A = math.pi * d * d / 4
        super().__init__(A, A * d * d / 16, 0.9, d / 2)


class Tube(Section):
    """A circular tube of outer and inner diameter [m]."""

    def __init__(self, outer: float, inner: float) -> None:
        o = checks.positive(outer, "outer diameter", "tube section")
        i = checks.positive(inner, "inner diameter", "tube section")
        if i >= o:
            raise ModelError(f"tube section: inner diameter {i:g} must be smaller than the outer one, {o:g}")
        A = math.pi * (o * o - i * i) / 4
        super().__init__(A, A * (o * o + i * i) / 16, 0.5, o / 2)


class Rectangle(Section):
    """A rectangle; `height` [m] lies in the plane of motion, `width` [m] across it."""

    def __init__(self, width: float, height: float) -> None:
        b = checks.positive(width, "width", "rectangle section")
        h = checks.positive(height, "height", "rectangle section")
        super().__init__(b * h, b * h * h * h / 12, 5.0 / 6.0, h / 2)


@dataclass(frozen=True)
class BeamProperties:
    """Stiffness and mass of a beam: EA [N], EI [Nm²], ρA [kg/m]; for some theories ρI [kg m] (inertia of the turning
    section) and GA [N] (shear stiffness, shear coefficient included).

    For stresses: area [m²] and outer_fibre [m], the distance of the outermost fibre on both sides; 0 where unknown.

    >>> BeamProperties.of(Material(7850, 205e9), Circle(0.01)).EI.__round__(2)
    100.63
    """

    EA: float
    EI: float
    rhoA: float
    rhoI: float = 0.0
    GA: float = math.inf
    outer_fibre: float = 0.0
    area: float = 0.0

    def __post_init__(self) -> None:
        where = "beam properties"
        checks.check_fields(self, checks.positive, where, "EA", "EI", "rhoA")
        checks.check_fields(self, checks.not_negative, where, "rhoI", "outer_fibre", "area")
        if not (isinstance(self.GA, float) and self.GA == math.inf):  # no shear
            checks.check_fields(self, checks.positive, where, "GA")

    @classmethod
    def of(cls, material: Material, section: Section) -> BeamProperties:
        """The properties of a material and a section."""
        if not isinstance(material, Material) or not isinstance(section, Section):
            raise ModelError(
                f"beam properties: they are made of a Material and a Section, not of {checks.quoted(material)} and "
                f"{checks.quoted(section)}"
            )
        return cls(
            EA=material.youngs_modulus * section.area,
            EI=material.youngs_modulus * section.second_moment,
            rhoA=material.density * section.area,
            rhoI=material.density * section.second_moment,
            GA=material.shear_modulus * section.area * section.shear_coefficient,
            outer_fibre=section.outer_fibre,
            area=section.area,
        )

    @classmethod
    def from_input(
        cls, material: Material | None, section: Section | None, properties: BeamProperties | None, where: str
    ) -> BeamProperties:
        """The properties that a user gives, or those of the material and section given; else an error that names
        `where`."""
        if properties is not None:
            if material is not None or section is not None:
                raise ModelError(f"{where}: give either a material and a section or properties, not both")
            return properties
        if material is None or section is None:
            raise ModelError(f"{where}: give a material and a section, or properties=BeamProperties(EA, EI, rhoA)")
        if not isinstance(material, Material) or not isinstance(section, Section):
            wrong = section if isinstance(material, Material) else material
            raise ModelError(
                f"{where}: {checks.quoted(wrong)} is no {'section' if wrong is section else 'material'}; give e.g. "
                "material=Material(7850, 205e9), section=Circle(0.01)"
            )
        return cls.of(material, section)
