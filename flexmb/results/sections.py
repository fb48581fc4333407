"""Strains, forces and stresses of the cross sections of a beam, over time.

Signs: the curvature κ is positive when the axis turns counter-clockwise on the way from start to end; axial force N and
stress are positive in tension; M = EI κ. A fibre at the distance y from the axis, positive to the left of the way from
start to end (the top of a beam that is drawn from left to right), has the stress

    σ(y) = N/A − M y/I,     1/I = E/EI,   E = EA/A

and `stress` is the largest |σ| of the section, |N|/A + |M| c/I, with c the distance of the outer fibres.
"""

from __future__ import annotations

import numpy as np

from flexmb.errors import ModelError, NamingError
from flexmb.kernels.widths import PLANE, SPACE
from flexmb.model.appearance import BeamPlace
from flexmb.results.layout import Layout
from flexmb.results.recorded import Recorded

STRESSES = ("stress_top", "stress_bottom", "stress")

#: the unit of every quantity of a section in the plane
SECTION_UNITS = {**PLANE.section, **dict.fromkeys(STRESSES, "Pa")}


def section_units(layout: Layout) -> dict[str, str]:
    """The unit of every quantity of a section of a mechanism."""
    return SECTION_UNITS if layout.dimension == 2 else SPACE.section


def section_values(solution: Recorded, beam: str, s: float, quantity: str) -> np.ndarray:
    """A quantity (k,) of the section at the point s of a beam."""
    values = solution.source.section(solution, beam, s)
    if values is None:
        raise NamingError(
            f"{solution.where}: beam {beam!r} has no {quantity_label(quantity)}; its theory has no section kernel, or "
            "the file was written by a flexmb that kept no sections: run the model again"
        )
    if quantity in STRESSES:
        N, M = (_section_column(solution, beam, values, what) for what in ("axial_force", "bending_moment"))
        return stresses(N, M, _section_sizes(solution, beam))[STRESSES.index(quantity)]
    return _section_column(solution, beam, values, quantity)


def stresses(N: np.ndarray, M: np.ndarray, beam: BeamPlace) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Stresses [Pa] of the top fibre, of the bottom fibre, and the largest of the section.

    >>> from flexmb.model.appearance import BeamPlace
    >>> strip = BeamPlace(1, 1.0, EA=2e5, EI=2e5 * 1e-4 / 12, area=1e-3, outer_fibre=5e-3)
    >>> [float(x) for x in stresses(np.array(10.0), np.array(0.0), strip)]
    [10000.0, 10000.0, 10000.0]
    """
    direct = N / beam.area
    bending = M * beam.outer_fibre * (beam.EA / beam.area) / beam.EI
    return direct - bending, direct + bending, np.abs(direct) + np.abs(bending)


def quantity_label(quantity: str) -> str:
    """The name of a quantity in labels and messages."""
    return quantity.replace("_", " ")


def _section_column(solution: Recorded, beam: str, values: np.ndarray, quantity: str) -> np.ndarray:
    """A column of the section values. If the theory of the beam has no law for it, that is an error."""
    column = values[:, list(solution.layout.widths.section).index(quantity)]
    if (
        solution.layout.dimension == 2
        and len(column)
        and np.all(np.isnan(column))
        and not np.all(np.isnan(values[:, 1]))
    ):
        advice = "use theory='exact'" if quantity == "shear_force" else "use theory='cms', 'exact' or 'ancf'"
        raise NamingError(
            f"{solution.where}: the theory of beam {beam!r} has no law for its {quantity_label(quantity)}; {advice}, "
            "or ask for the reaction of a joint at its end"
        )
    return column


def _section_sizes(solution: Recorded, beam: str) -> BeamPlace:
    """The sizes of a beam's section, all of them known."""
    sizes = solution.layout.beams[beam]
    missing = [what for what in ("area", "outer_fibre") if not getattr(sizes, what) > 0.0]
    if missing:
        raise ModelError(
            f"{solution.where}: stresses of beam {beam!r} need its {' and '.join(missing)}; give "
            f"BeamProperties({', '.join(f'{what}=…' for what in missing)}), or a material and a section"
        )
    return sizes
