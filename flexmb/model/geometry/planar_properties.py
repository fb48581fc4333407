"""Stiffness and mass of beams in the plane."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.geometry.made_of import note_made_of
from flexmb.model.geometry.sections import Material, Section
from flexmb.model.hints import AnswersCalls, answers


@answers(GAs="GA", A="area")
@dataclass(frozen=True)
class BeamProperties(metaclass=AnswersCalls):
    """Stiffness and mass of a beam: EA [N], EI [Nm²], ρA [kg/m]; for theories with shear ρI [kg m] (inertia of the
    turning section) and GA [N] (shear stiffness, shear coefficient included; infinite, without shear, when not given).

    For stresses: area [m²] and outer_fiber [m], the distance of the outermost fiber on both sides; 0 where unknown. For
    heat: thermal_expansion ᾱ [1/K].

    >>> import flexmb as fm
    >>> fm.planar.BeamProperties.of(fm.Material(7850, 205e9), fm.Circle(diameter=0.01)).EI.__round__(2)
    100.63
    """

    example: ClassVar[str] = "fm.planar.BeamProperties(EA, EI, rhoA)"
    EA: float
    EI: float
    rhoA: float
    rhoI: float = 0.0
    GA: float = math.inf
    outer_fiber: float = 0.0
    area: float = 0.0
    thermal_expansion: float = 0.0

    def __post_init__(self) -> None:
        where = "beam properties"
        checks.check_fields(self, checks.positive, where, "EA", "EI", "rhoA")
        checks.check_fields(self, checks.not_negative, where, "rhoI", "outer_fiber", "area")
        checks.check_fields(self, checks.number, where, "thermal_expansion")
        checks.check_fields(self, checks.positive_or_infinite, where, "GA")  # infinite without shear

    @classmethod
    def of(cls, material: Material, section: Section) -> BeamProperties:
        """The properties of a material and a section."""
        if not isinstance(material, Material) or not isinstance(section, Section):
            raise ModelError(
                f"beam properties: they are made of a Material and a Section, not of {checks.quoted(material)} and "
                f"{checks.quoted(section)}"
            )
        if off := section.off_axis(plane=True):
            raise ModelError(
                f"beam properties: a beam of the plane cannot take this section: {off}; it bends in the plane about "
                "its centroid, so leave couplings out by section.uncoupled() and turn back what is turned"
            )
        made = cls(
            EA=material.youngs_modulus * section.area,
            EI=material.youngs_modulus * section.second_moment,
            rhoA=material.density * section.area,
            rhoI=material.density * section.second_moment,
            GA=material.shear_modulus * section.area * section.shear_coefficient,
            outer_fiber=section.outer_fiber,
            area=section.area,
            thermal_expansion=material.thermal_expansion,
        )
        return note_made_of(made, cls.of, {"material": material, "section": section})
