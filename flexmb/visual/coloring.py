"""The scale of colors of a view: its title with a unit, and its limits."""

from __future__ import annotations

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.plots.words import power_of, with_unit
from flexmb.results.beams.along import along_units
from flexmb.results.beams.sections import quantity_label
from flexmb.results.pictures.deforming import DEFORMATION, DEFORMATION_LABEL
from flexmb.results.pictures.displacement import DISPLACEMENT
from flexmb.results.recorded import Recorded
from flexmb.results.tracks.stress_track import STRESS_LABELS, stress_names
from flexmb.visual.rendering.render import Coloring
from flexmb.visual.stage.scales import Selection


def coloring_of(
    solution: Recorded,
    selection: Selection,
    limits: tuple[float, float],
    given: tuple[float, float] | None,
    where: str,
) -> Coloring | None:
    """The scale of what a view colors, if it does, between limits, or those that a user gave."""
    quantity = selection.quantity
    if quantity is None:
        return None
    low, high = limits if given is None else checks.vector(given, "color_limits", where).tolist()
    if not low < high:
        raise ModelError(f"{where}: color_limits are {low:g} and {high:g}; give the lower one first")
    units = dict.fromkeys(stress_names(solution.layout.dimension), "Pa")
    units |= {DEFORMATION: "m", DISPLACEMENT: "m"}
    unit = {**units, **along_units(solution.layout)}[quantity]
    power = power_of(max(abs(low), abs(high)), unit)
    factor = 10.0**-power
    known = STRESS_LABELS | {DEFORMATION: DEFORMATION_LABEL}
    label = known.get(quantity, quantity_label(quantity))
    if selection.displaced is not None:
        label = selection.displaced.label()
    return Coloring(with_unit(label, unit, power), factor, (low * factor, high * factor))
