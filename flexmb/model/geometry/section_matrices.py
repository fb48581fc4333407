"""Sections of beams in space by their stiffness and mass, 6 × 6 each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.geometry.made_of import note_made_of
from flexmb.model.geometry.sections import Material, Section, outline_of, properties_from
from flexmb.model.geometry.spatial_properties import BeamProperties
from flexmb.model.hints import AnswersCalls

#: strains in the order of the rows and columns of a stiffness
STRAINS = ("stretching", "shear along y", "shear along z", "torsion", "bending about y", "bending about z")
_MOTIONS = ("x", "y", "z", "turning about x", "turning about y", "turning about z")
#: an entry of this part of the root of both entries on the diagonal is a rounding error
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class SectionMatrices(metaclass=AnswersCalls):
    """A section of a beam in space by its 6 × 6 stiffness and mass, in the axes of the section, x along the beam.

    Arguments: `stiffness_matrix` (6, 6), symmetric and positive, by which the strains (Γx, Γy, Γz, κx, κy, κz) make the
    forces (N, Qy, Qz, T, My, Mz), see :meth:`flexmb.Section.stiffness`; `mass_matrix` (6, 6) of a unit of length, by
    which a section that moves with v and turns with ω has the momentum M (v, ω): [[μ, −μ c×], [μ c×, J − μ c× c×]] with
    the mass center c = (0, y, z) and the inertia J about it. For stresses and pictures: `area` [m²], and the `radius`
    [m] of a round section or the corners (y, z) [m] of the `outline` of another one.

    >>> import flexmb as fm
    >>> steel = fm.Material(density=7850, youngs_modulus=205e9)
    >>> channel = fm.Channel(width=0.05, height=0.1, web_thickness=0.004, flange_thickness=0.006)
    >>> given = fm.spatial.SectionMatrices.of(steel, channel)
    >>> (given.flexibility[1, 3] / given.flexibility[3, 3]).round(6)  # a shear force twists it, by its shear center
    np.float64(-0.034207)
    """

    example: ClassVar[str] = "fm.spatial.SectionMatrices(stiffness_matrix, mass_matrix)"
    stiffness_matrix: np.ndarray
    mass_matrix: np.ndarray
    area: float = 0.0
    radius: float = 0.0
    outline: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        where = "section matrices"
        for what, words in (("stiffness_matrix", STRAINS), ("mass_matrix", _MOTIONS)):
            given = _symmetric(getattr(self, what), what, words, where)
            given.flags.writeable = False
            object.__setattr__(self, what, given)
        _refuse_negative(self.stiffness_matrix, "stiffness", STRAINS, where)
        self._check_mass(where)
        checks.check_fields(self, checks.not_negative, where, "area", "radius")
        object.__setattr__(self, "outline", outline_of(self.outline, self.radius, where))

    def _check_mass(self, where: str) -> None:
        M, mu = self.mass_matrix, float(self.mass_matrix[0, 0])
        if not mu > 0.0:
            raise ModelError(f"{where}: mass_matrix has {mu:g} kg/m; it must be positive")
        y, z = self.mass_center
        c = np.array([[0.0, -z, y], [z, 0.0, 0.0], [-y, 0.0, 0.0]])
        wanted = np.block([[mu * np.eye(3), -mu * c]])
        # lengths are measured in the section's own size, the radius of gyration
        size = max(abs(y), abs(z), float(np.max(np.abs(np.diag(M)[3:]))) ** 0.5 / mu**0.5, 1e-300)
        wrong = np.abs(M[:3] - wanted) / (mu * np.array([1.0] * 3 + [size] * 3))
        if np.max(wrong) > ROUNDING:
            i, j = np.unravel_index(np.argmax(wrong), wrong.shape)
            raise ModelError(
                f"{where}: mass_matrix[{i}, {j}] is {M[i, j]:g}; a section has [[μ, −μ c×], [μ c×, J − μ c× c×]] "
                f"with a mass center c = (0, y, z), by which this entry is {wanted[i, j]:g}"
            )
        own = M[3:, 3:] + mu * c @ c
        least, most = np.linalg.eigvalsh(own)[[0, -1]]
        if least < -ROUNDING * max(float(most), mu * size * size):
            raise ModelError(
                f"{where}: its inertia about the mass center ({y:g}, {z:g}) is negative in a direction, {least:g}; "
                "add mass times the square of the distance where moments of inertia are those about the axis"
            )

    @cached_property
    def coupled(self) -> list[str]:
        """What it couples, in words; empty if nothing."""
        return [*couplings(self.stiffness_matrix, STRAINS), *couplings(self.mass_matrix, _MOTIONS)]

    @property
    def rhoA(self) -> float:
        """The mass by length [kg/m]."""
        return float(self.mass_matrix[0, 0])

    @property
    def mass_center(self) -> tuple[float, float]:
        """The mass center (y, z) [m] from the axis of the beam."""
        return float(self.mass_matrix[2, 3] / self.mass_matrix[0, 0]), float(
            self.mass_matrix[0, 4] / self.mass_matrix[0, 0]
        )

    @cached_property
    def flexibility(self) -> np.ndarray:
        """The flexibility (6, 6), the inverse of the stiffness."""
        scale = np.diag(self.stiffness_matrix) ** -0.5
        inverse = np.linalg.inv(scale[:, None] * self.stiffness_matrix * scale)
        return np.asarray(0.5 * scale[:, None] * (inverse + inverse.T) * scale)

    @classmethod
    def of(cls, material: Material, section: Section) -> SectionMatrices:
        """The matrices of a material and a section, of which all moments are known."""
        if not isinstance(section, Section):
            raise ModelError(
                f"section matrices: {checks.quoted(section)} is no section; give e.g. Circle(diameter=0.01)"
            )
        C, M = section.stiffness(material), section.inertia(material)
        made = cls(C, M, section.area, section.radius, section.outline)
        return note_made_of(made, cls.of, {"material": material, "section": section})

    def principal(self) -> BeamProperties:
        """The properties of a beam that bends in principal axes about its mass center; an error that names the
        couplings, if there are any.

        >>> import flexmb as fm
        >>> steel, strip = fm.Material(7850, 205e9), fm.Rectangle(width=0.001, height=0.02)
        >>> round(fm.spatial.SectionMatrices.of(steel, strip).principal().EIz, 3)
        136.667
        """
        if self.coupled:
            raise ModelError(
                f"its section couples {', '.join(self.coupled)}, which a beam that bends in principal axes about its "
                "centroid cannot take; take theory='exact'"
            )
        C, M = np.diag(self.stiffness_matrix).tolist(), np.diag(self.mass_matrix).tolist()
        (EA, GAy, GAz, GJ, EIy, EIz), (mu, _, _, p, y, z) = C, M
        return BeamProperties(EA, EIy, EIz, GJ, mu, y, z, p, GAy, GAz, self.area, self.radius, self.outline)


def properties_in_space(
    material: Material | None, section: Section | None, properties: Any, where: str, *, couplings: bool
) -> BeamProperties | SectionMatrices:
    """The properties of a beam in space that a user gives, or those of the material and the section given. What is
    coupled stays matrices for a beam that takes `couplings`, and is refused for the others; errors name `where`."""
    try:
        if couplings and properties is None and isinstance(material, Material) and isinstance(section, Section):
            if section.off_axis(plane=False):
                return SectionMatrices.of(material, section)
        if isinstance(properties, SectionMatrices) and material is None and section is None:
            return properties if couplings and properties.coupled else properties.principal()
    except ModelError as error:
        raise ModelError(f"{where}: {error}") from None
    return properties_from(BeamProperties, material, section, properties, where)


def couplings(matrix: np.ndarray, words: Sequence[str]) -> list[str]:
    """What a symmetric matrix couples, in words.

    >>> couplings(np.array([[2.0, 0.1], [0.1, 1.0]]), ("stretching", "torsion"))
    ['stretching and torsion']
    """
    size = np.sqrt(np.abs(np.diag(matrix)))
    least = ROUNDING * np.outer(size, size)
    n = len(matrix)
    return [f"{words[i]} and {words[j]}" for i in range(n) for j in range(i + 1, n) if abs(matrix[i, j]) > least[i, j]]


def _symmetric(given: Any, what: str, words: Sequence[str], where: str) -> np.ndarray:
    """A symmetric matrix (6, 6), checked, with the mean of what differs by rounding."""
    matrix = checks.numbers(given, what, where, "a matrix (6, 6)")
    if matrix.shape != (6, 6):
        raise ModelError(f"{where}: {what} must be a matrix (6, 6), not {checks.quoted(given)}")
    size = np.sqrt(np.abs(np.diag(matrix)))
    apart = np.abs(matrix - matrix.T) - ROUNDING * np.outer(size, size)
    if np.max(apart) > 0.0:
        i, j = (int(k) for k in np.unravel_index(np.argmax(apart), apart.shape))
        raise ModelError(
            f"{where}: {what} is not symmetric: {words[i]} and {words[j]} have {matrix[i, j]:g} in row {i} and "
            f"{matrix[j, i]:g} in row {j}"
        )
    return np.asarray(0.5 * (matrix + matrix.T))


def _refuse_negative(matrix: np.ndarray, what: str, words: Sequence[str], where: str) -> None:
    """Refuse a matrix that is not positive, and say for which combination."""
    diagonal = np.diag(matrix)
    if np.min(diagonal) <= 0.0:
        i = int(np.argmin(diagonal))
        raise ModelError(f"{where}: its {what} of {words[i]} is {diagonal[i]:g}; it must be positive")
    scale = diagonal**-0.5
    values, vectors = np.linalg.eigh(scale[:, None] * matrix * scale)
    if values[0] < 1e-14:
        shares = np.abs(vectors[:, 0])
        parts = [words[i] for i in np.argsort(-shares).tolist() if shares[i] > 0.2 * shares.max()]
        raise ModelError(
            f"{where}: its {what} is not positive: {' with '.join(parts)} costs no energy or gives some "
            f"(eigenvalue {values[0]:.2g} of the matrix scaled to a diagonal of ones)"
        )
