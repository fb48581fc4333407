"""Shear forces that balance the moments of sections, and how far off they may be.

A beam of modes knows the moments of its sections well, and their change along it less well. Where a section that is
stiffer one way than the other bends while it is twisted, its shapes have to make up for the turn of the axes: what they
balance is  D = |EIz − EIy| |κx| √(κy² + κz²),  in a strip many times its shear force. Against exact beams, with EIz/EIy
from 1/20 to 100, shear forces are off by 0.1 to 1.4 times the largest D, most near the ends of elements, far less in
their middle; without modes, by up to 2.3 times. More elements do not help, as the energy of shear takes the change of
v'' for that of κz, which short elements feel.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import AccuracyWarning, warn
from flexmb.results.beams.means import ELEMENTS, NOTICEABLE
from flexmb.results.recorded import Recorded


def warn_if_twisted(solution: Recorded, beam: str, quantity: str) -> None:
    """Warn where a shear force or shear strain of a beam may be off by a notable part of its largest shear force."""
    component: Any = None if solution.model is None else solution.model.components.get(beam)
    if component is None or not component.shear_of_moments or not len(solution.t):
        return
    columns = list(solution.layout.widths.section)
    forces = [columns.index(f"shear_force_{axis}") for axis in "yz"]
    strains = [columns.index(f"shear_{axis}") for axis in "yz"]
    if quantity not in columns or columns.index(quantity) not in (*forces, *strains):
        return
    twist, *bends = (columns.index(what) for what in ("twist", "curvature_y", "curvature_z"))
    given, count = component.properties, solution.layout.beams[beam].elements
    apart, off, largest = abs(given.EIz - given.EIy), 0.0, 0.0
    for e in sorted({*np.linspace(0, count - 1, ELEMENTS).astype(int).tolist()}):
        for part in (0.0, 0.5, 1.0):
            values = solution.source.section(solution, beam, (e + part) / count)
            balanced = apart * np.abs(values[:, twist]) * np.linalg.norm(values[:, bends], axis=1)
            off = max(off, float(np.max(balanced)))
            if part == 0.5:
                largest = max(largest, float(np.max(np.linalg.norm(values[:, forces], axis=1))))
    if off > NOTICEABLE * largest > 0.0:
        warn(
            f"{solution.where}: shear forces of beam {beam!r}, up to {largest:.3g} N in the middle of its elements, "
            f"may be off by about {off:.2g} N, most near the ends of elements: their modes tell too little of how "
            "moments change along a section that is stiffer one way than the other and bends while it is twisted; take "
            "theory='exact', or the reaction of a joint at its end",
            AccuracyWarning,
        )
