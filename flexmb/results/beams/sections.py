"""Strains, forces and stresses of the cross sections of a beam, over time.

Signs: the curvature κ is positive when the axis turns counter-clockwise on the way from start to end; axial force N and
stress are positive in tension; M = EI κ. A fiber at the distance y from the axis, positive to the left of the way from
start to end (the top of a beam that is drawn from left to right), has the stress

    σ(y) = N/A − M y/I,     1/I = E/EI,   E = EA/A

and `stress` is the largest |σ| of the section, |N|/A + |M| c/I, with c the distance of the outer fibers.

In space a section has the axes x along the beam, y and z. With the moments M_y = EIy κ_y and M_z = EIz κ_z about them,
a fiber at (y, z) has the stress

    σ = N/A + E (M_y z/EIy − M_z y/EIz),     E = EA/A

`stress` is the largest |σ| of the section: that at a corner of its outline, or of a round section of the radius r
|N|/A + E r √((M_y/EIy)² + (M_z/EIz)²). `shear_stress` is that of torsion at the rim of a round section,
|T| r/J, with J = A r² − A²/(2π) (Saint-Venant; a full circle, or a tube of that area). Both leave shear forces out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from flexmb.errors import ModelError, NamingError
from flexmb.kernels.widths import PLANE, SPACE
from flexmb.model.appearance import BeamPlace
from flexmb.results.layout import Layout
from flexmb.results.recorded import Recorded

STRESSES = ("stress_top", "stress_bottom", "stress")
SPATIAL_STRESSES = ("stress", "shear_stress")
#: what is the largest of several fibers, or of two signs
LARGEST = ("stress", "shear_stress")

#: the unit of every quantity of a section in the plane, and in space
SECTION_UNITS = {**PLANE.section, **dict.fromkeys(STRESSES, "Pa")}
SPATIAL_UNITS = {**SPACE.section, **dict.fromkeys(SPATIAL_STRESSES, "Pa")}


def section_units(layout: Layout) -> dict[str, str]:
    """The unit of every quantity of a section of a mechanism."""
    return SECTION_UNITS if layout.dimension == 2 else SPATIAL_UNITS


def section_values(solution: Recorded, beam: str, s: float, quantity: str) -> np.ndarray:
    """A quantity (k,) of the section at the point s of a beam."""
    values = _values(solution, beam, s, quantity)
    if solution.layout.dimension == 3 and quantity in SPATIAL_STRESSES:
        place = _spatial_sizes(solution, beam, s)
        found = _largest_stress if quantity == "stress" else _shear
        return found(solution, beam, place, values)
    if quantity in STRESSES:
        N, M = (_section_column(solution, beam, values, what) for what in ("axial_force", "bending_moment"))
        return stresses(N, M, _section_sizes(solution, beam))[STRESSES.index(quantity)]
    return _section_column(solution, beam, values, quantity)


def fiber_stress(solution: Recorded, beam: str, s: float, y: float, z: float) -> np.ndarray:
    """The stress (k,) [Pa] of the fiber at (y, z) [m] of a section in space."""
    if solution.layout.dimension != 3:
        raise ModelError(
            f"{solution.where}: fibers (y, z) are those of beams in space; in the plane ask for "
            f"{f'{beam}@{s:g}.stress_top'!r} or {f'{beam}@{s:g}.stress_bottom'!r}"
        )
    values, place = _values(solution, beam, s, "stress"), _spatial_sizes(solution, beam, s)
    return _stress_at(solution, beam, place, values, y, z)[:, 0]


def stress_near(solution: Recorded, beam: str, s: float, quantity: str) -> Callable[[Recorded], np.ndarray]:
    """A largest stress, 'stress' or 'shear_stress', as a smooth function of states near those of a solution: that of
    the fiber where it is the largest in these, with its sign there. It has the derivatives of the largest one, also
    where another fiber has nearly as much, and steps of differences would go beyond the kink between them."""
    values = _values(solution, beam, s, quantity)
    if solution.layout.dimension == 2:
        both = np.array([section_values(solution, beam, s, side) for side in STRESSES[:2]])
        at_top = np.abs(both[0]) >= np.abs(both[1])
        sign = np.sign(np.where(at_top, *both))
        return lambda near: sign * np.where(at_top, *(section_values(near, beam, s, side) for side in STRESSES[:2]))
    place = _spatial_sizes(solution, beam, s)
    if quantity == "shear_stress":
        sign = np.sign(_torsion_stress(solution, beam, place, values))
        return lambda near: (
            sign * _torsion_stress(near, beam, _spatial_sizes(near, beam, s), _values(near, beam, s, quantity))
        )
    if len(place.outline):
        found = _stress_at(solution, beam, place, values, *np.array(place.outline).T)
        corner = np.argmax(np.abs(found), axis=1)
        sign = np.sign(found[np.arange(len(corner)), corner])
    else:
        sign = np.where(_stress_at(solution, beam, place, values, 0.0, 0.0)[:, 0] < 0.0, -1.0, 1.0)
        My, Mz = (_section_column(solution, beam, values, f"bending_moment_{axis}") for axis in "yz")
        bent = np.stack((-Mz / place.EI, My / place.EIy), axis=1)
        size = np.linalg.norm(bent, axis=1, keepdims=True)
        across = sign[:, None] * bent / np.where(size > 0.0, size, 1.0)

    def near_these(near: Recorded) -> np.ndarray:
        own = _spatial_sizes(near, beam, s)
        fibers = np.array(own.outline)[corner] if len(own.outline) else own.radius * across
        found = _stress_at(near, beam, own, _values(near, beam, s, quantity), fibers[:, :1], fibers[:, 1:])
        return np.asarray(sign * found[:, 0])

    return near_these


def _values(solution: Recorded, beam: str, s: float, quantity: str) -> np.ndarray:
    """What the section kernel says at the point s of a beam (k, …)."""
    values = solution.source.section(solution, beam, s)
    if values is None:
        raise NamingError(
            f"{solution.where}: beam {beam!r} has no {quantity_label(quantity)}; its theory has no section kernel, or "
            "the file was written by a flexmb that kept no sections: run the model again"
        )
    return values


def stresses(N: np.ndarray, M: np.ndarray, beam: BeamPlace) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Stresses [Pa] of the top fiber, of the bottom fiber, and the largest of the section.

    >>> from flexmb.model.appearance import BeamPlace
    >>> strip = BeamPlace(1, 1.0, EA=2e5, EI=2e5 * 1e-4 / 12, area=1e-3, outer_fiber=5e-3)
    >>> [float(x) for x in stresses(np.array(10.0), np.array(0.0), strip)]
    [10000.0, 10000.0, 10000.0]
    """
    direct = N / beam.area
    bending = M * beam.outer_fiber * (beam.EA / beam.area) / beam.EI
    return direct - bending, direct + bending, np.abs(direct) + np.abs(bending)


def _stress_at(solution: Recorded, beam: str, place: BeamPlace, values: np.ndarray, y: Any, z: Any) -> np.ndarray:
    """The stresses (k, f) [Pa] of fibers at y and z [m], (f,) or (k, f), of a section in space."""
    _require_sizes(solution, beam, place, "stresses", ("area",))
    forces = ("axial_force", "bending_moment_y", "bending_moment_z")
    N, My, Mz = (_section_column(solution, beam, values, what) for what in forces)
    bending = (My / place.EIy)[:, None] * z - (Mz / place.EI)[:, None] * y
    return np.asarray((N / place.area)[:, None] + place.EA / place.area * bending)


def _largest_stress(solution: Recorded, beam: str, place: BeamPlace, values: np.ndarray) -> np.ndarray:
    if len(place.outline):
        return np.max(np.abs(_stress_at(solution, beam, place, values, *np.array(place.outline).T)), axis=1)
    _require_sizes(solution, beam, place, "stresses", ("area", "radius"))
    direct = _stress_at(solution, beam, place, values, 0.0, 0.0)[:, 0]
    My, Mz = (_section_column(solution, beam, values, f"bending_moment_{axis}") for axis in "yz")
    return np.abs(direct) + place.EA / place.area * place.radius * np.hypot(My / place.EIy, Mz / place.EI)


def _shear(solution: Recorded, beam: str, place: BeamPlace, values: np.ndarray) -> np.ndarray:
    return np.abs(_torsion_stress(solution, beam, place, values))


def _torsion_stress(solution: Recorded, beam: str, place: BeamPlace, values: np.ndarray) -> np.ndarray:
    if len(place.outline):
        raise NamingError(
            f"{solution.where}: the section of beam {beam!r} is not round, and its torsion constant alone tells no "
            f"shear stress; take its torque, e.g. '{beam}@0.5.torque', and the formula of its shape"
        )
    _require_sizes(solution, beam, place, "shear stresses", ("area", "radius"))
    A, r = place.area, place.radius
    if A > np.pi * r * r * (1.0 + 1e-9):
        raise ModelError(
            f"{solution.where}: beam {beam!r} has the area {A:g} m², more than the circle of its radius {r:g} m, so it "
            "is no round section; give it an outline"
        )
    torque = _section_column(solution, beam, values, "torque")
    return torque * r / (A * r * r - A * A / (2.0 * np.pi))


def quantity_label(quantity: str) -> str:
    """The name of a quantity in labels and messages."""
    return quantity.replace("_", " ")


def _section_column(solution: Recorded, beam: str, values: np.ndarray, quantity: str) -> np.ndarray:
    """A column of the section values. If the theory of the beam has no law for it, that is an error."""
    column = values[:, list(solution.layout.widths.section).index(quantity)]
    plane = solution.layout.dimension == 2
    turning = 1 if plane else 3  # a curvature, which no theory leaves out
    if len(column) and np.all(np.isnan(column)) and not np.all(np.isnan(values[:, turning])):
        shear = quantity.startswith("shear_force")
        if shear:
            advice = "use theory='cms' or 'exact' and give the section its shear stiffness GA"
        else:
            advice = "use theory='cms', 'exact' or 'ancf'"
        raise NamingError(
            f"{solution.where}: the theory of beam {beam!r} has no law for its {quantity_label(quantity)}; {advice}, "
            "or ask for the reaction of a joint at its end"
        )
    return column


def _section_sizes(solution: Recorded, beam: str) -> BeamPlace:
    """The sizes of a beam's section, all of them known."""
    sizes = solution.layout.beams[beam]
    missing = [what for what in ("area", "outer_fiber") if not getattr(sizes, what) > 0.0]
    if missing:
        raise ModelError(
            f"{solution.where}: stresses of beam {beam!r} need its {' and '.join(missing)}; give "
            f"fm.planar.BeamProperties({', '.join(f'{what}=…' for what in missing)}), or a material and a section"
        )
    return sizes


def _spatial_sizes(solution: Recorded, beam: str, s: float) -> BeamPlace:
    """The sizes of the section of a beam in space at s."""
    sizes = solution.layout.beams[beam]
    if not sizes.taper:
        return sizes
    if solution.model is None:
        raise ModelError(
            f"{solution.where}: a file does not hold the sections of beam {beam!r}, which vary along it; ask for its "
            "forces and moments, or run the model again"
        )
    found: BeamPlace = solution.model.components[beam].sizes_at(s)  # type: ignore[attr-defined]
    return found


def _require_sizes(solution: Recorded, beam: str, sizes: BeamPlace, of: str, needed: tuple[str, ...]) -> None:
    """Refuse stresses of a section of which a size is not known."""
    missing = [what for what in needed if not getattr(sizes, what) > 0.0]
    if missing:
        or_outline = ", or an outline" if of == "stresses" and "radius" in missing else ""
        raise ModelError(
            f"{solution.where}: {of} of beam {beam!r} need its {' and '.join(missing)}{or_outline}; give "
            f"fm.spatial.BeamProperties({', '.join(f'{what}=…' for what in missing)}), or a material and a "
            "section without couplings"
        )
