"""Materials: density and stiffness."""

from __future__ import annotations

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
