"""Arrows for what acts on a mechanism: applied loads and joint forces."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flexmb.model.appearance import Load
from flexmb.plots.words import number_with_unit
from flexmb.results.recorded import Recorded
from flexmb.visual.stage.loads import applied_loads, reactions
from flexmb.visual.stage.pieces import Arrow, BentArrow, Piece
from flexmb.visual.stage.placing import Z, in_space
from flexmb.visual.stage.scales import PictureScales, Selection

#: a force or a torque below this part of the largest one is not drawn
SMALLEST = 1e-3
#: the angle of the bent arrow of the largest torque [rad]
LARGEST_SWEEP = 5.2


def selected_loads(solution: Recorded, selection: Selection) -> Iterator[tuple[str, str, Load]]:
    """The applied loads and reactions that are selected, each with its name and its role."""
    if selection.forces:
        for name, several in applied_loads(solution, selection).items():
            yield from ((name, "force", load) for load in several)
    for name in selection.reactions:
        yield from ((name, "reaction", load) for load in reactions(solution, name))


def arrows(load: Load, name: str, role: str, scales: PictureScales) -> list[Piece]:
    """The arrows that show a load."""
    u, places = scales.unit, in_space(load.places)
    pieces: list[Piece] = []
    if load.forces is not None:
        largest = scales.density if load.spread else scales.force
        longest, radius = (0.1 * u, 0.0034 * u) if load.spread else (0.2 * u, 0.0055 * u)
        if largest > 0.0:
            vectors = in_space(load.forces * (longest / largest))
            vectors[np.linalg.norm(vectors, axis=1) < SMALLEST * longest] = 0.0
            # arrows of a distributed load end at the beam; the arrow of a force starts at its point
            tails = places - vectors if load.spread else places
            pieces.append(Arrow.of(name, role, tails, vectors, radius))
    if load.torques is not None and scales.torque > 0.0:
        part = turning(load.torques) / scales.torque
        size = np.linalg.norm(part, axis=1, keepdims=True)
        sweeps = LARGEST_SWEEP * part / np.sqrt(np.where(size < SMALLEST, np.inf, size))
        kind = "torque" if role == "force" else role
        pieces.append(BentArrow.of(name, kind, places, sweeps, 0.06 * u, 0.0048 * u))
    return pieces


def arrow_scale(scales: PictureScales) -> str:
    """What the longest arrows of a picture stand for: force, distributed load and torque; empty if there are none.

    >>> zero = np.zeros(3)
    >>> arrow_scale(PictureScales(1.0, 12345.0, 0.0, 0.5, zero, zero))
    'longest arrows: force 12.3 kN, torque 0.5 Nm'
    """
    largest = (("force", scales.force, "N"), ("load", scales.density, "N/m"), ("torque", scales.torque, "Nm"))
    said = [f"{what} {number_with_unit(size, unit)}" for what, size, unit in largest if size > 0.0]
    return f"longest arrow{'s' if len(said) > 1 else ''}: {', '.join(said)}" if said else ""


def turning(torques: np.ndarray) -> np.ndarray:
    """Torques (k,) of the plane as vectors (k, 3) along z; those of space as they are."""
    return torques if torques.ndim == 2 else torques[:, None] * Z
