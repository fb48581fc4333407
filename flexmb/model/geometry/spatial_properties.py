"""Stiffness and mass of beams in space."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.geometry.made_of import note_made_of
from flexmb.model.geometry.sections import Material, Section, outline_of
from flexmb.model.hints import AnswersCalls, answers


@answers(EI="EIy=… and EIz", GA="GAy=… and GAz", A="area")
@dataclass(frozen=True)
class BeamProperties(metaclass=AnswersCalls):
    """Stiffness and mass of a beam in space, in the axes of its section: x along the beam, y and z principal axes.

    Arguments: EA [N]; `EIz` [Nm²] of bending in x–y, `EIy` of bending in x–z; `GJ` [Nm²] of torsion (Saint-Venant); ρA
    [kg/m]; inertias of the turning section [kg m]: `rhoIy`, `rhoIz` of bending in x–z and x–y, and `rhoIp` about the
    axis (rhoIy + rhoIz when not given, and that of a homogeneous section, ρA (EIy + EIz)/EA, when these are not given
    either); shear stiffness `GAy`, `GAz` [N] (shear coefficients included), for theories
    with shear. For stresses and pictures: `area` [m²]; `radius` [m] of a round section, or the corners (y, z) [m] of
    the `outline` of another one. For heat: `thermal_expansion` ᾱ [1/K].

    >>> import flexmb as fm
    >>> strip = fm.spatial.BeamProperties.of(fm.Material(7850, 205e9), fm.Rectangle(0.001, 0.02))
    >>> round(strip.EIz, 3), round(strip.EIy, 3), round(strip.GJ, 3)
    (136.667, 0.342, 0.509)
    """

    example: ClassVar[str] = "fm.spatial.BeamProperties(EA, EIy, EIz, GJ, rhoA)"
    EA: float
    EIy: float
    EIz: float
    GJ: float
    rhoA: float
    rhoIy: float = 0.0
    rhoIz: float = 0.0
    rhoIp: float | None = None
    GAy: float = math.inf
    GAz: float = math.inf
    area: float = 0.0
    radius: float = 0.0
    outline: tuple[tuple[float, float], ...] = ()
    thermal_expansion: float = 0.0

    def __post_init__(self) -> None:
        where = "beam properties in space"
        checks.check_fields(self, checks.positive, where, "EA", "EIy", "EIz", "GJ", "rhoA")
        checks.check_fields(self, checks.not_negative, where, "rhoIy", "rhoIz", "area", "radius")
        checks.check_fields(self, checks.number, where, "thermal_expansion")
        if self.rhoIp is not None:
            checks.check_fields(self, checks.not_negative, where, "rhoIp")
        checks.check_fields(self, checks.positive_or_infinite, where, "GAy", "GAz")  # infinite without shear
        object.__setattr__(self, "outline", outline_of(self.outline, self.radius, where))

    @property
    def polar_inertia(self) -> float:
        """ρIp [kg m], the inertia of the section that turns about the axis."""
        if self.rhoIp is not None:
            return self.rhoIp
        return self.rhoIy + self.rhoIz or self.rhoA * (self.EIy + self.EIz) / self.EA

    @property
    def flexibility(self) -> np.ndarray:
        """The flexibility (6, 6) by which the forces (N, Qy, Qz, T, My, Mz) make strains; 0 where there is no shear."""
        stiffness = self.EA, self.GAy, self.GAz, self.GJ, self.EIy, self.EIz
        return np.diag([1.0 / value for value in stiffness])

    @property
    def mass_matrix(self) -> np.ndarray:
        """The mass (6, 6) of a unit of length: that of motion along x, y, z and of turning about these axes."""
        return np.diag([self.rhoA, self.rhoA, self.rhoA, self.polar_inertia, self.rhoIy, self.rhoIz])

    @classmethod
    def of(cls, material: Material, section: Section) -> BeamProperties:
        """The properties of a material and a section, of which all moments are known."""
        if not isinstance(material, Material) or not isinstance(section, Section):
            raise ModelError(
                f"beam properties in space: they are made of a Material and a Section, not of "
                f"{checks.quoted(material)} and {checks.quoted(section)}"
            )
        missing = [what for what in ("second_moment_y", "torsion_constant") if getattr(section, what) is None]
        if missing:
            raise ModelError(
                f"beam properties in space: the section has no {' and no '.join(missing)}; give "
                f"Section(…, {', '.join(f'{what}=…' for what in missing)}), or a Circle, a Tube or a Rectangle"
            )
        if off := section.off_axis(plane=False):
            raise ModelError(
                f"beam properties in space: a beam that bends in principal axes about its centroid cannot take this "
                f"section: {off}; leave couplings out by section.uncoupled(), take section.turned(-angle) where axes "
                "are turned, with the beam's y_axis turned by the angle, or take theory='exact', which takes any "
                "section"
            )
        E, G, rho = material.youngs_modulus, material.shear_modulus, material.density
        made = cls(
            EA=E * section.area,
            EIy=E * section.second_moment_y,  # type: ignore[operator]
            EIz=E * section.second_moment,
            GJ=G * section.torsion_constant,  # type: ignore[operator]
            rhoA=rho * section.area,
            rhoIy=rho * section.second_moment_y,  # type: ignore[operator]
            rhoIz=rho * section.second_moment,
            GAy=G * section.area * section.shear_coefficient,
            GAz=G * section.area * section.shear_coefficient_z,  # type: ignore[operator]
            area=section.area,
            radius=section.radius,
            outline=section.outline,
            thermal_expansion=material.thermal_expansion,
        )
        return note_made_of(made, cls.of, {"material": material, "section": section})
