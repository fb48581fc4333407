"""Materials, cross sections of beams, and the stiffness and mass that follow from both."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks, given_names
from flexmb.model.geometry.made_of import OfSizes
from flexmb.model.hints import AnswersCalls, answers

#: other words for the constants of a material
_MATERIAL = {
    **dict.fromkeys(("E", "young", "youngs", "young_modulus", "elastic_modulus", "modulus"), "youngs_modulus"),
    **dict.fromkeys(("nu", "poisson", "poisson_ratio", "poissons"), "poissons_ratio"),
    **dict.fromkeys(("rho", "mass_density"), "density"),
    **dict.fromkeys(("alpha", "cte", "expansion"), "thermal_expansion"),
    **dict.fromkeys(("G", "shear_modulus"), "youngs_modulus=… and poissons_ratio"),
}


@answers(**_MATERIAL)
@dataclass(frozen=True)
class Material(metaclass=AnswersCalls):
    """A linear elastic, isotropic material.

    Arguments: `density` ρ [kg/m³]; `youngs_modulus` E [Pa]; `poissons_ratio` ν [–] (for shear, G = E / 2(1+ν));
    `thermal_expansion` ᾱ [1/K], the strain for each kelvin, for loads of heat.

    >>> Material(density=7850, youngs_modulus=205e9).shear_modulus
    78846153846.15384
    """

    density: float
    youngs_modulus: float
    poissons_ratio: float = 0.3
    name: str = "material"
    thermal_expansion: float = 0.0

    def __post_init__(self) -> None:
        where = f"material {given_names.name(self.name, 'material')!r}"
        checks.check_fields(self, checks.positive, where, "density", "youngs_modulus")
        checks.check_fields(self, checks.number, where, "poissons_ratio", "thermal_expansion")
        if not -1.0 < self.poissons_ratio <= 0.5:
            raise ModelError(f"{where}: poissons_ratio is {self.poissons_ratio:g}; it must lie in (-1, 0.5]")

    @property
    def shear_modulus(self) -> float:
        """G = E / 2(1+ν) [Pa]."""
        return self.youngs_modulus / (2.0 * (1.0 + self.poissons_ratio))


@answers(A="area", I="second_moment", Iz="second_moment", Iy="second_moment_y", J="torsion_constant")
@dataclass(frozen=True)
class Section(OfSizes, metaclass=AnswersCalls):
    """A cross section. Its axes are y and z, x goes along the beam; a beam of the plane bends in x–y.

    Arguments: `area` A [m²]; `second_moment` Iz = ∫ y² dA [m⁴], about the axis normal to the plane of motion;
    `shear_coefficient` [–], the part of the area that carries shear along y; `outer_fiber` [m], the distance of the
    outermost fiber in the plane. In space also: `second_moment_y` Iy = ∫ z² dA [m⁴] (y and z are principal axes);
    `torsion_constant` J [m⁴], Saint-Venant's, so that GJ is the torque for a twist of 1 rad/m; `shear_coefficient_z`,
    that along z (the same as along y when not given); and, for stresses and pictures, the `radius` [m] of a round
    section or the corners (y, z) [m] of the `outline` of another one.

    For beams in space that take any section: `centroid` (y, z) [m] and `shear_center` (y, z) [m] (the centroid when not
    given) as they lie from the axis of the beam; `principal_angle` [rad], by which the principal axes y, z, to which
    second moments and shear coefficients belong, are turned about x; `shear_coupling` [–], by which a shear force along
    one of these axes shears the section along the other: A (γy, γz) G = [[1/k, c], [c, 1/k_z]] (Qy, Qz).

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
    centroid: tuple[float, float] = (0.0, 0.0)
    shear_center: tuple[float, float] | None = None
    principal_angle: float = 0.0
    shear_coupling: float = 0.0

    def __post_init__(self) -> None:
        checks.check_fields(self, checks.positive, "section", "area", "second_moment", "shear_coefficient")
        checks.check_fields(self, checks.not_negative, "section", "outer_fiber", "radius")
        if self.shear_coefficient_z is None:
            object.__setattr__(self, "shear_coefficient_z", self.shear_coefficient)
        given = [what for what in ("second_moment_y", "torsion_constant") if getattr(self, what) is not None]
        checks.check_fields(self, checks.positive, "section", "shear_coefficient_z", *given)
        for what in ("shear_coefficient", "shear_coefficient_z"):
            if getattr(self, what) > 1.0:
                raise ModelError(
                    f"section: {what} is {getattr(self, what):g}; it is the part of the area that carries shear, 1 at "
                    "most"
                )
        object.__setattr__(self, "outline", outline_of(self.outline, self.radius, "section"))
        for what in ("centroid", "shear_center"):
            place = getattr(self, what)
            if what == "centroid" or place is not None:
                y, z = checks.vector(place, what, "section", 2).tolist()
                object.__setattr__(self, what, (y, z))
        checks.check_fields(self, checks.number, "section", "principal_angle", "shear_coupling")
        assert self.shear_coefficient_z is not None
        if self.shear_coupling**2 * self.shear_coefficient * self.shear_coefficient_z >= 1.0:
            raise ModelError(
                f"section: shear_coupling is {self.shear_coupling:g}; with it a shear force would do negative work, so "
                "it must be below the root of 1/(shear_coefficient shear_coefficient_z)"
            )

    def stiffness(self, material: Material) -> np.ndarray:
        """The stiffness (6, 6) by which strains make forces, (N, Qy, Qz, T, My, Mz) = C (Γx, Γy, Γz, κx, κy, κz).

        A point (y, z) of the section moves with Γ + κ × (0, y, z). With the centroid (yc, zc) and the shear center
        (ys, zs), C is that of the energy

            ½ [EA (Γx + zc κy − yc κz)² + γᵀ GA_s γ + GJ κx² + EIy κy'² + EIz κz'²],   γ = (Γy − zs κx, Γz + ys κx)

        with curvatures κy', κz' about the principal axes, and A_s of both shear coefficients and their coupling.

        >>> import flexmb as fm
        >>> steel = fm.Material(density=7850, youngs_modulus=200e9, poissons_ratio=0.25)
        >>> above = fm.Rectangle(width=0.02, height=0.03).moved((0.1, 0.0))  # its centroid lies above the beam's axis
        >>> (above.stiffness(steel)[0] / 1e6).round(3).tolist()
        [120.0, 0.0, 0.0, 0.0, 0.0, -12.0]
        """
        self._complete("stiffness")
        E, G = _of(material).youngs_modulus, material.shear_modulus
        co, si = math.cos(self.principal_angle), math.sin(self.principal_angle)
        (yc, zc), (ys, zs) = self.centroid, self.shear_center or self.centroid
        P = np.zeros((6, 6))  # strains of the energy by strains
        P[0, [0, 4, 5]] = 1.0, zc, -yc
        P[1, 1:4] = co, si, ys * si - zs * co
        P[2, 1:4] = -si, co, ys * co + zs * si
        P[3, 3] = 1.0
        P[4:, 4:] = [[co, si], [-si, co]]
        D = np.diag([self.area, 0, 0, 0, self.second_moment_y, self.second_moment]) * E  # type: ignore[list-item]
        D[3, 3] = G * self.torsion_constant  # type: ignore[operator]
        shear = [[1.0 / self.shear_coefficient, self.shear_coupling], [self.shear_coupling, 0.0]]
        shear[1][1] = 1.0 / self.shear_coefficient_z  # type: ignore[operator]
        D[1:3, 1:3] = G * self.area * np.linalg.inv(shear)
        C = P.T @ D @ P
        return np.asarray(0.5 * (C + C.T))

    def inertia(self, material: Material) -> np.ndarray:
        """The mass (6, 6) of a unit of length [kg/m, kg, kg m] by which a section that moves with v and turns with ω
        has the momentum M (v, ω), in the section's axes, with its mass center at the centroid.

        >>> import flexmb as fm
        >>> fm.Circle(diameter=0.02).moved((0.0, 0.1)).inertia(fm.Material(1000.0, 1e9))[4].round(4).tolist()
        [0.0314, 0.0, 0.0, 0.0, 0.0031, 0.0]
        """
        self._complete("inertia")
        co, si = math.cos(self.principal_angle), math.sin(self.principal_angle)
        turn = np.array([[1.0, 0.0, 0.0], [0.0, co, -si], [0.0, si, co]])
        y, z = self.second_moment, float(self.second_moment_y)  # type: ignore[arg-type]
        own = turn @ np.diag([y + z, z, y]) @ turn.T
        return _of(material).density * np.asarray(mass_matrix(self.area, self.centroid, own))

    def turned(self, angle: float) -> Section:
        """The section turned by an angle [rad] about the axis of the beam, from y towards z.

        >>> import flexmb as fm
        >>> plank = fm.Rectangle(width=0.2, height=0.02).turned(math.pi / 2)
        >>> round(plank.second_moment / fm.Rectangle(width=0.02, height=0.2).second_moment, 12), plank.principal_angle
        (1.0, 0.0)
        """
        self._complete("turned")
        angle = checks.number(angle, "angle", "section")
        total = self.principal_angle + angle
        quarters = math.floor(total / (0.5 * math.pi) + 0.5)
        given = self._fields()
        if quarters % 2:
            for one, other in (("second_moment", "second_moment_y"), ("shear_coefficient", "shear_coefficient_z")):
                given[one], given[other] = given[other], given[one]
            given["shear_coupling"] = -self.shear_coupling
        rest = total - quarters * 0.5 * math.pi
        alike = self.second_moment == self.second_moment_y and self.shear_coefficient == self.shear_coefficient_z
        given["principal_angle"] = 0.0 if abs(rest) < 1e-14 or (alike and not self.shear_coupling) else rest
        co, si = math.cos(angle), math.sin(angle)
        return self._placed(given, lambda y, z: (co * y - si * z, si * y + co * z))

    def moved(self, offset: tuple[float, float]) -> Section:
        """The section moved by an `offset` (y, z) [m] against the axis of the beam.

        >>> import flexmb as fm
        >>> fm.Circle(diameter=0.02).moved((0.0, 0.1)).centroid
        (0.0, 0.1)
        """
        dy, dz = checks.vector(offset, "offset", "section", 2).tolist()
        given = self._fields()
        if self.radius and (dy or dz):  # round no longer about the axis
            corners = np.linspace(0.0, 2.0 * math.pi, 48, endpoint=False)
            given |= {"radius": 0.0, "outline": self.radius * np.column_stack([np.cos(corners), np.sin(corners)])}
        return self._placed(given, lambda a, b: (a + dy, b + dz))

    def uncoupled(self) -> Section:
        """The section with its centroid moved to the axis of the beam, the shear center put there too, and without
        coupling of shear along y and z: for beams that bend about one axis and twist about the same. That a force
        through the centroid twists the section is then left out knowingly. Principal axes stay where they are.

        >>> import flexmb as fm
        >>> fm.Circle(diameter=0.02).moved((0.0, 0.1)).uncoupled().centroid
        (0.0, 0.0)
        """
        centered = self.moved((-self.centroid[0], -self.centroid[1]))
        return Section(**{**centered._fields(), "shear_center": None, "shear_coupling": 0.0})

    def off_axis(self, *, plane: bool) -> str:
        """What of it a beam that bends in principal axes about its centroid cannot take, in words; empty if nothing: a
        beam of the plane (`plane`) does not twist and bends one way only."""
        size = math.sqrt(self.area)
        far = [abs(x) > 1e-9 * size for x in (*self.centroid, *(self.shear_center or self.centroid))]
        words = []
        if far[0] or (far[1] and not plane):
            words.append(f"its centroid is {_pair(self.centroid)} m off the axis")
        if (far[2] or far[3]) and not plane and self.shear_center not in (None, self.centroid):
            words.append(f"its shear center is at {_pair(self.shear_center)} m")  # type: ignore[arg-type]
        if abs(self.principal_angle) > 1e-9:
            words.append(f"its principal axes are turned by {self.principal_angle:.4g} rad")
        if abs(self.shear_coupling) > 1e-9:
            words.append("its shear along y and z is coupled")
        return ", ".join(words)

    def _fields(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(Section)}

    def _placed(self, given: dict[str, Any], place: Any) -> Section:
        """A section of the fields `given`, with all of its points placed anew."""
        if self.shear_center is not None:
            given["shear_center"] = place(*self.shear_center)
        given["centroid"] = place(*self.centroid)
        given["outline"] = tuple(place(y, z) for y, z in given["outline"])
        if given["outline"] and self.outer_fiber:
            given["outer_fiber"] = max(abs(y) for y, _ in given["outline"])
        return Section(**given)

    def _complete(self, what: str) -> None:
        missing = [name for name in ("second_moment_y", "torsion_constant") if getattr(self, name) is None]
        if missing:
            raise ModelError(f"section, {what}: it has no {' and no '.join(missing)}; give {'=…, '.join(missing)}=…")


def _pair(place: tuple[float, float]) -> str:
    return f"({place[0]:.4g}, {place[1]:.4g})"


def _of(material: Material) -> Material:
    if not isinstance(material, Material):
        raise ModelError(f"section: {checks.quoted(material)} is no material; give e.g. Material(7850, 205e9)")
    return material


def mass_matrix(mass: float, center: tuple[float, float], own: np.ndarray) -> np.ndarray:
    """The mass (6, 6) of a section with a mass center (y, z) and the inertia `own` (3, 3) about it."""
    c = np.array([[0.0, -center[1], center[0]], [center[1], 0.0, 0.0], [-center[0], 0.0, 0.0]])  # c × of (0, y, z)
    return np.block([[mass * np.eye(3), -mass * c], [mass * c, own - mass * c @ c]])


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
