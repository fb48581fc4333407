"""Materials: density and stiffness."""

from __future__ import annotations

from dataclasses import dataclass

from flexmb.errors import ModelError
from flexmb.model import checks


@dataclass(frozen=True)
class Material:
    """A linear elastic, isotropic material.

    Arguments: `density` ρ [kg/m³], `youngs_modulus` E [Pa], `poissons_ratio` ν [–] (for shear, G = E / 2(1+ν)).

    >>> Material(density=7850, youngs_modulus=205e9).shear_modulus
    78846153846.15384
    """

    density: float
    youngs_modulus: float
    poissons_ratio: float = 0.3
    name: str = "material"

    def __post_init__(self) -> None:
        where = f"material {self.name!r}"
        checks.positive(self.density, "density", where)
        checks.positive(self.youngs_modulus, "youngs_modulus", where)
        if not -1.0 < checks.number(self.poissons_ratio, "poissons_ratio", where) <= 0.5:
            raise ModelError(f"{where}: poissons_ratio is {self.poissons_ratio:g}; it must lie in (-1, 0.5]")

    @property
    def shear_modulus(self) -> float:
        """G = E / 2(1+ν) [Pa]."""
        return self.youngs_modulus / (2.0 * (1.0 + self.poissons_ratio))
