"""Doubts: components report positions outside the validity of their theory, such as a beam that is bent too far, and
positions that cannot be the intended ones, such as a hinge closed upside-down."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmb.errors import AccuracyWarning, warn
from flexmb.model.components import Component
from flexmb.system.shear import coupling_doubt, shear_doubt
from flexmb.system.system import System

#: largest number of positions of a motion that are checked
MOST_CHECKED = 200
#: forces below this fraction of the largest one are rounding errors
NO_FORCE = 1e-6


def spread_rows(count: int, most: int) -> np.ndarray:
    """Indices of at most `most` of `count` rows, evenly spread from the first to the last.

    >>> spread_rows(3, 5).tolist(), spread_rows(9, 5).tolist()
    ([0, 1, 2], [0, 2, 4, 6, 8])
    """
    return np.arange(count) if count <= most else np.arange(most) * (count - 1) // (most - 1)


def component_doubts(system: System, q: np.ndarray, when: str = "", values: np.ndarray | None = None) -> list[str]:
    """Warnings of components about positions q (k, n).

    With `values` (k,) each text names the value from which on it applies; `when` is its format, such as "t = {:.3g} s".
    """
    texts: list[str] = []
    full = None
    for component in system.model.components.values():
        if type(component).doubts is Component.doubts or component.name in system.off:
            continue
        if full is None:
            picked = spread_rows(len(q), MOST_CHECKED)
            full = np.empty((len(picked), system.plan.total_q))
            full[:, : system.nq], full[:, system.nq :] = q[picked], system.initial[system.nq :]
        for doubt in component.doubts(system, full):
            since = "" if values is None else f", from {when.format(values[picked[doubt.first]])} on"
            texts.append(f"{doubt.text}{since}")
    shear = [shear_doubt(system, q), coupling_doubt(system, q)] if len(q) else []
    return [*texts, *filter(None, shear)]


def force_doubts(
    system: System,
    multipliers: Callable[[], np.ndarray],
    when: str = "",
    values: np.ndarray | None = None,
) -> list[str]:
    """Warnings of components about the multipliers (k, m) of all rows of a mechanism. `multipliers` is called only if a
    component checks them, since they are costly where rows are redundant. `when` and `values` (k,) as in
    :func:`component_doubts`."""
    texts: list[str] = []
    asked = {
        name: component
        for name, component in system.model.components.items()
        if type(component).force_doubts is not Component.force_doubts
    }
    if not asked:
        return texts
    forces = multipliers()
    largest = float(np.max(np.abs(forces), initial=0.0, where=np.isfinite(forces)))
    least = NO_FORCE * max(largest, NO_FORCE * system.mass_scale * system.length_scale)
    for name, component in asked.items():
        own = [k for k, row in enumerate(system.assembly.every_row) if row.owner == name]
        for doubt in component.force_doubts(forces[:, own], least):
            since = "" if values is None else f", from {when.format(values[doubt.first])} on"
            texts.append(f"{doubt.text}{since}")
    return texts


def misplaced(system: System, q: np.ndarray) -> str:
    """The text of a component for which a position q (nq,) cannot be the intended one, although its joints are closed;
    empty if there is none."""
    for component in system.model.components.values():
        asked = type(component).misplaced is not Component.misplaced and component.name not in system.off
        if asked and (text := component.misplaced(system, system.full_q(q))):
            return text
    return ""


def warn_of_doubts(
    system: System,
    q: np.ndarray,
    multipliers: Callable[[], np.ndarray],
    where: str,
    when: str = "",
    values: np.ndarray | None = None,
) -> None:
    """Issue the warnings of components about positions q (k, n), and about the multipliers (k, m) of all rows of a
    mechanism."""
    for doubt in component_doubts(system, q, when, values) + force_doubts(system, multipliers, when, values):
        warn(f"{where}: {doubt}", AccuracyWarning)
