"""Forces of sections that a beam theory knows as a mean over each of its elements, and how much they vary there.

Without axial modes an element stretches alike everywhere, so that its axial force N is one number. Weight and inertia
along it make the force vary:

    N' = ρA (r̈ − g) · t,   so that at its ends N differs from its mean by about ± ½ ρA l (r̈ − g) · t

with the element's length l, its direction t, and r̈ in its middle; across t the same is true of shear forces. For a
blade of one element that turns about its root N = ½ ρA Ω² (L² − x²), of which the mean is a third below the force at
the root.
"""

from __future__ import annotations

import numpy as np

from flexmb.errors import AccuracyWarning, warn
from flexmb.kernels.rotations import turned
from flexmb.results.beams.sections import STRESSES, section_values
from flexmb.results.recorded import Recorded

#: quantities of sections that are the axial force but for a factor, and all that follow from it
MEAN_AXIAL_FORCE = {"strain", "axial_force"}
OF_AXIAL_FORCE = {*MEAN_AXIAL_FORCE, *STRESSES}
#: part of the largest force by which it may vary from its mean without a warning
NOTICEABLE = 0.1
#: strain below which nothing is left but the rounding of positions
ROUNDING = 1e-15
#: elements of which the largest force is taken
ELEMENTS = 12


def is_mean(solution: Recorded, beam: str, quantity: str) -> bool:
    """Whether a quantity of a section, or a part of it, is a mean over an element."""
    component = None if solution.model is None else solution.model.components.get(beam)
    means: frozenset[str] = frozenset() if component is None else component.means
    return quantity in means or (quantity in OF_AXIAL_FORCE and "axial_force" in means)


def warn_if_it_varies(solution: Recorded, beam: str, s: float, quantity: str, strain: float = 0.0) -> None:
    """Warn where a force that is a mean over the element at s varies much along it, by more than a part of the largest
    one and of the force of a `strain` of which the quantity is a part."""
    if not len(solution.t) or not is_mean(solution, beam, quantity):
        return
    place = solution.layout.beams[beam]
    force = "axial_force" if quantity in OF_AXIAL_FORCE else quantity
    variation, largest = variation_of_force(solution, beam, s, force)
    matters = variation > max(NOTICEABLE * largest, NOTICEABLE * strain * place.EA, ROUNDING * place.EA) and largest > 0
    if matters and quantity in STRESSES:  # of which bending may make the most
        stress = float(np.max(np.abs(section_values(solution, beam, s, quantity))))
        matters = variation > NOTICEABLE * stress * place.area
    if matters:
        kind = "axial" if force == "axial_force" else "shear"
        warn(
            f"{solution.where}: {quantity} of beam {beam!r} is that of the mean {kind} force of an element, in this "
            f"beam up to {largest:.3g} N; weight and inertia make it vary by ±{variation:.3g} N between the ends of "
            f"the element; take more elements than {place.elements}, or the reaction of a joint at its end",
            AccuracyWarning,
        )


def variation_of_force(solution: Recorded, beam: str, s: float, force: str) -> tuple[float, float]:
    """By how much [N] the axial force, or a shear force, at the ends of the element at s differs from its mean, and the
    largest mean of the beam; over all times."""
    place, width, model = solution.layout.beams[beam], solution.layout.widths, solution.model
    assert model is not None
    component = model.components[beam]
    stations = component.stations  # type: ignore[attr-defined]
    middles, lengths = 0.5 * (stations[1:] + stations[:-1]), place.length * np.diff(stations)
    count, own = place.elements, component.locate(s)[0]  # type: ignore[attr-defined]
    motion = solution.source.point(solution, beam, float(middles[own]))
    pose = motion[:, width.orientation]
    across = force != "axial_force"
    if solution.layout.dimension == 2:
        angle = pose[:, 0] + (0.5 * np.pi if across else 0.0)
        t = np.column_stack([np.cos(angle), np.sin(angle)])
    else:
        axis = (0.0, float(force.endswith("y")), float(force.endswith("z"))) if across else (1.0, 0.0, 0.0)
        t = np.array([turned(tuple(e), axis) for e in pose.tolist()])
    rho = component.properties.rhoA  # type: ignore[attr-defined]
    gravity = model.gravity.acceleration(solution.t, motion[:, : solution.layout.dimension])
    change = rho * lengths[own] * np.einsum("kd,kd->k", motion[:, width.acceleration] - gravity, t)
    number, largest = list(width.section).index(force), 0.0
    for e in sorted({*np.linspace(0, count - 1, ELEMENTS).astype(int).tolist()}):
        values = solution.source.section(solution, beam, float(middles[e]))
        assert values is not None
        largest = max(largest, float(np.max(np.abs(values[:, number]))))
    return 0.5 * float(np.max(np.abs(change))), largest
