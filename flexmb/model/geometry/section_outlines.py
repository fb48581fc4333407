"""Sections from their outlines, of one or several materials, by the package sectionproperties.

Area, moments and mass are those of the polygons, exact. Torsion constant, shear center and shear flexibility are found
by finite elements of the package: Saint-Venant's torsion and, with Poisson's ratio, the flow of shear (Pilkey (2002)).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from flexmb.errors import MissingExtraError, ModelError
from flexmb.model import checks
from flexmb.model.geometry.section_matrices import SectionMatrices
from flexmb.model.geometry.sections import Material, Section, mass_matrix, outline_of
from flexmb.model.geometry.thin_walls import Moments, WallConstants, polygon_moments, walled
from flexmb.model.hints import answers_calls

#: the area of the largest triangle of a mesh, as a part of the area of the section
MESH_AREA = 1e-3
#: below these a shear center's distance from the centroid, in sizes of the section, and a coupling are mesh errors
CENTERED, UNCOUPLED = 1e-4, 1e-3


class Region(NamedTuple):
    """A piece of a section, of one material: the corners of its outline and of its holes, its material."""

    outline: np.ndarray
    holes: tuple[np.ndarray, ...]
    material: Material | None

    @property
    def moments(self) -> Moments:
        """The moments of its area."""
        return summed([1.0, *(-1.0 for _ in self.holes)], [polygon_moments(x) for x in (self.outline, *self.holes)])


@answers_calls
def section_of_outline(outline: Any, holes: Sequence[Any] = (), mesh_area: float | None = None) -> Section:
    """The section with corners (y, z) [m] of its `outline` and of its `holes`; the beam's axis goes through (0, 0).

    The finite elements are triangles of `mesh_area` [m²] at most, a thousandth of the section's area when not given.
    Shear coefficients are those of Poisson's ratio 0. A shear center within 10⁻⁴ of the section's size from the
    centroid, and a coupling of shear below 10⁻³, are errors of the mesh, and left out. It needs the package
    sectionproperties, which `pip install 'flexmb[sections]'` brings. :meth:`flexmb.Section.uncoupled` puts the
    centroid on the axis.

    >>> square = section_of_outline([(0.01, 0.01), (-0.01, 0.01), (-0.01, -0.01), (0.01, -0.01)])
    >>> round(square.torsion_constant / 0.02**4, 4), round(square.shear_coefficient, 4)
    (0.1406, 0.8333)
    """
    where = "section_of_outline"
    region = _region((outline, checks.listed(holes, "holes", where)), None, where)
    _check([region], where)
    moments = region.moments
    constants = _solved([region], [1.0], moments.area, mesh_area, 0.0, where)
    return _section(moments, constants, region.outline)


@answers_calls
def section_of_regions(
    regions: Sequence[tuple[Any, Material] | tuple[Any, Sequence[Any], Material]], mesh_area: float | None = None
) -> SectionMatrices:
    """The 6 × 6 stiffness and mass of a section of several materials that are bonded: `regions` are pairs (outline,
    material) or (outline, holes, material) with corners (y, z) [m]; the axis of the beam goes through (0, 0).

    All materials need the same Poisson's ratio: only then is the section's problem of torsion and shear that of the
    package sectionproperties, which this needs. `mesh_area` [m²] is that of :func:`section_of_outline`.

    >>> import flexmb as fm
    >>> hard, soft = fm.Material(7850, 210e9), fm.Material(1200, 3e9)
    >>> lower = [(0.0, 0.01), (-0.002, 0.01), (-0.002, -0.01), (0.0, -0.01)]
    >>> upper = [(0.01, 0.01), (0.0, 0.01), (0.0, -0.01), (0.01, -0.01)]
    >>> two = fm.section_of_regions([(lower, hard), (upper, soft)])
    >>> (two.stiffness_matrix[0, [0, 5]] / 1e3).round(3).tolist()  # it bends when it is stretched on the axis
    [9000.0, 5.4]
    """
    where = "section_of_regions"
    pieces = checks.listed(regions, "regions", where)
    if not pieces:
        raise ModelError(f"{where}: give regions, pairs (outline, material)")
    found = []
    for k, given in enumerate(pieces):
        if not isinstance(given, Sequence) or len(given) not in (2, 3) or not isinstance(given[-1], Material):
            raise ModelError(f"{where}: region {k} is no pair (outline, material) and no (outline, holes, material)")
        holes = checks.listed(given[1], f"holes of region {k}", where) if len(given) == 3 else []
        found.append(_region((given[0], holes), given[-1], f"{where}: region {k}"))
    materials = [region.material for region in found if region.material is not None]
    ratios = sorted({m.poissons_ratio for m in materials})
    if len(ratios) > 1:
        raise ModelError(
            f"{where}: Poisson's ratios are {', '.join(f'{nu:g}' for nu in ratios)}; torsion and shear of a section of "
            "several materials are solved for one, so give all of them the same"
        )
    _check(found, where)
    nu = ratios[0]
    E, each = [m.youngs_modulus for m in materials], [region.moments for region in found]
    reference = max(E)
    weighted = summed([value / reference for value in E], each)
    constants = _solved(found, [value / reference for value in E], weighted.area, mesh_area, nu, where)
    C = _section(weighted, constants, ()).stiffness(Material(1.0, reference, nu))
    mass = summed([m.density for m in materials], each)
    own = np.diag([mass.yy + mass.zz, mass.zz, mass.yy])
    own[1, 2] = own[2, 1] = -mass.yz
    y, z = (float(x) for x in mass.centroid)
    return SectionMatrices(C, mass_matrix(mass.area, (y, z), own), area=sum(m.area for m in each))


def _section(moments: Moments, constants: WallConstants, corners: Any) -> Section:
    """The section at its place, without what is an error of the mesh."""
    given = walled(moments, constants, corners)
    if given["shear_center"] is not None and np.hypot(*given["shear_center"]) < CENTERED * moments.area**0.5:
        given["shear_center"] = None
    if abs(given["shear_coupling"]) < UNCOUPLED:
        given["shear_coupling"] = 0.0
    y, z = moments.centroid.tolist()
    return Section(**given).moved((y, z))


def summed(weights: Sequence[float], each: Sequence[Moments]) -> Moments:
    """The moments of areas with weights, about their common centroid."""
    areas = [w * m.area for w, m in zip(weights, each)]
    center = np.sum([a * m.centroid for a, m in zip(areas, each)], axis=0) / sum(areas)
    yy, zz, yz = np.sum([_about(center, w, m) for w, m in zip(weights, each)], axis=0).tolist()
    return Moments(float(sum(areas)), center, yy, zz, yz)


def _about(center: np.ndarray, weight: float, m: Moments) -> list[float]:
    y, z = m.centroid - center
    return [weight * (m.yy + m.area * y * y), weight * (m.zz + m.area * z * z), weight * (m.yz + m.area * y * z)]


def _region(given: tuple[Any, Sequence[Any]], material: Material | None, where: str) -> Region:
    """A region, checked: its outline is simple, and its holes lie in it."""
    outline, *holes = (np.array(outline_of(corners, 0.0, where)) for corners in (given[0], *given[1]))
    if not len(outline) or not all(len(hole) for hole in holes):
        raise ModelError(f"{where}: an outline has no corners; give three points (y, z) or more")
    return Region(outline, tuple(holes), material)


def _packages() -> tuple[Any, Any, Any]:
    """What meshes and solves a section: shapely, and two rooms of sectionproperties."""
    try:
        import shapely
        from sectionproperties import analysis, pre
    except ImportError:
        raise MissingExtraError(
            "section_of_outline: torsion and shear of an outline are solved by the package sectionproperties, which is "
            "not installed: pip install 'flexmb[sections]'"
        ) from None
    return shapely, pre, analysis


def _check(regions: Sequence[Region], where: str) -> None:
    """Refuse outlines that are no area, regions that overlap, and regions that do not touch."""
    shapely, _, _ = _packages()
    shapes = [shapely.Polygon(region.outline, region.holes) for region in regions]
    for k, shape in enumerate(shapes):
        if not shape.is_valid:
            raise ModelError(f"{where}: the outline of region {k} crosses itself, or a hole leaves it")
    total = float(sum(shape.area for shape in shapes))
    whole = shapely.union_all(shapes)
    if abs(whole.area - total) > 1e-9 * total:
        raise ModelError(f"{where}: regions overlap; give outlines that only touch")
    if whole.geom_type != "Polygon":
        raise ModelError(f"{where}: its regions do not touch along a line, so they are no one section")


def _solved(
    regions: Sequence[Region], moduli: Sequence[float], area: float, mesh_area: float | None, nu: float, where: str
) -> WallConstants:
    """Torsion constant, shear center and shear flexibility of regions with `moduli` (relative), by finite elements;
    `area` is the sum of their areas times these moduli."""
    shapely, pre, analysis = _packages()
    total = sum(region.moments.area for region in regions)
    largest = MESH_AREA * total if mesh_area is None else checks.positive(mesh_area, "mesh_area", where)
    size = total**0.5  # the package works on a section of about one unit
    geometry = None
    for region, modulus in zip(regions, moduli):
        matter = pre.Material("region", modulus, nu, 1.0, 1.0, "grey")
        holes = [hole / size for hole in region.holes]
        piece = pre.Geometry(shapely.Polygon(region.outline / size, holes), material=matter)
        geometry = piece if geometry is None else geometry + piece
    assert geometry is not None
    geometry.create_mesh([largest / total])
    section = analysis.Section(geometry)
    section.calculate_geometric_properties()
    section.calculate_warping_properties()
    found = section.section_props
    flexibility = np.array([[1.0 / found.a_sx, 1.0 / found.a_sxy], [1.0 / found.a_sxy, 1.0 / found.a_sy]])
    center = np.array(section.get_sc()) * size
    return WallConstants(float(found.j) * size**4, center, flexibility * area / size**2)
