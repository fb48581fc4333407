"""Arrows for what acts on a mechanism: applied loads and joint forces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from flexmb.model.appearance import Load
from flexmb.results.solution import Solution
from flexmb.visual.loads import applied_loads, reactions
from flexmb.visual.pieces import Arrow, Piece, Turning

if TYPE_CHECKING:
    from flexmb.visual.scales import Scales, Wish

#: a torque below this part of the largest one is not drawn, nor a force
LEAST = 1e-3
#: how far the bent arrow of the largest torque goes round [rad]
ROUND = 5.2


def loads(solution: Solution, wish: Wish) -> Iterator[tuple[str, str, Load]]:
    """The name, the role and each of the applied loads and reactions that are wished for."""
    if wish.forces:
        for name, given in applied_loads(solution, wish).items():
            yield from ((name, "force", load) for load in given)
    for name in wish.reactions:
        yield from ((name, "reaction", load) for load in reactions(solution, name))


def glyphs(load: Load, name: str, role: str, scales: Scales) -> list[Piece]:
    """The arrows of a load."""
    u = scales.unit
    found: list[Piece] = []
    if load.forces is not None:
        largest = scales.density if load.spread else scales.force
        longest, radius = (0.1 * u, 0.0034 * u) if load.spread else (0.2 * u, 0.0055 * u)
        if largest > 0.0:
            vectors = load.forces * (longest / largest)
            vectors[np.hypot(*vectors.T) < LEAST * longest] = 0.0
            # a distributed load presses on the beam; a force pulls at its point
            tails = load.places - vectors if load.spread else load.places
            found.append(Arrow.of(name, role, tails, vectors, radius))
    if load.torques is not None and scales.torque > 0.0:
        part = load.torques / scales.torque
        sweeps = np.where(np.abs(part) < LEAST, 0.0, ROUND * np.sign(part) * np.sqrt(np.abs(part)))
        kind = "torque" if role == "force" else role
        found.append(Turning.of(name, kind, load.places, sweeps, 0.06 * u, 0.0048 * u))
    return found
