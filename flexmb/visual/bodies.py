"""The pieces of rigid bodies and rigid arms."""

from __future__ import annotations

import numpy as np

from flexmb.results import names
from flexmb.results.outlines import carriers
from flexmb.results.solution import Solution
from flexmb.visual import meshes
from flexmb.visual.pieces import Piece, Rigid


def bodies(solution: Solution, unit: float) -> list[Piece]:
    """Bodies and rigid offsets on beams: plates around all that is fastened to their node. A body of one point is
    a ball, or a disc if it turns on a pin. Of several in one place, each is smaller than the one before."""
    layout = solution.layout
    blocks = {layout.frames[pair.b].numbers for pair in layout.pairs.values() if "slider" in pair.glyphs}
    on_pins = {
        layout.frames[x].numbers for pair in layout.pairs.values() if "pin" in pair.glyphs for x in (pair.a, pair.b)
    }
    r = 0.019 * unit
    pieces: list[Piece] = []
    taken: dict[tuple[float, ...], int] = {}
    number = 0
    for carrier in carriers(solution):
        half = unit * (0.0125, 0.0105, 0.0145)[number % 3]
        places = names.node_columns(solution, carrier.numbers)[:, 0:3]
        if not carrier.body:
            mesh = meshes.plate(carrier.shape, 0.55 * r, 0.7 * half)
            pieces.append(Rigid.of(carrier.name, "arm", mesh, places))
        elif len(carrier.shape) > 1:
            pieces.append(Rigid.of(carrier.name, "body", meshes.plate(carrier.shape, r, half), places, number))
        elif carrier.numbers not in blocks:  # a slider draws its own block
            path = carrier.outline(solution)[:, 0]
            spot = tuple((path[[0, -1]] / unit).round(6).ravel().tolist())
            earlier = taken.get(spot, 0)
            taken[spot] = earlier + 1
            shrink = 0.84**earlier
            if carrier.numbers in on_pins:
                mesh = meshes.cylinder(0.0342 * shrink, 0.0165 - 0.005 * shrink)
            else:
                mesh = meshes.ball(0.0285 * shrink)
            path = np.column_stack([path, places[:, 2]])
            pieces.append(Rigid.of(carrier.name, "body", mesh, path, number, size=unit))
        number += carrier.body
    return pieces
