"""Arrows for what acts on a mechanism: applied loads and joint forces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmb.visual.loads import Load, applied_loads
from flexmb.visual.pieces import Arrow, Piece, Turning

if TYPE_CHECKING:
    from flexmb.results.solution import Solution
    from flexmb.visual.scales import Scales, Wish

#: a torque below this part of the largest one is not drawn, nor a force
LEAST = 1e-3
#: how far the bent arrow of the largest torque goes round [rad]
ROUND = 5.2


def loads(solution: Solution, wish: Wish) -> list[Load]:
    """Applied loads and reactions that are wished for."""
    found: list[Load] = []
    if wish.forces:
        factors = {name: np.interp(solution.t, *known) for name, known in wish.factors.items()}
        found += applied_loads(solution, factors, wish.moment)
    for name in wish.reactions:
        force, moment = solution.reaction(name)
        frame = solution.layout.pairs[name].b
        place = solution.track(frame).position
        found.append(Load(name, place, force))
        # what is left of a moment that the joint cannot carry is rounding
        if np.max(np.abs(moment), initial=0.0) > 1e-9 * np.max(np.abs(force), initial=0.0):
            found.append(Load(name, place, torques=moment))
    return found


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
