"""Demands of rows in one direction on a mechanism before its run begins: inertia, and no restitution where bodies
deform."""

from __future__ import annotations

import numpy as np

from flexmb.algebra.factors import dense
from flexmb.errors import ModelError
from flexmb.model.appearance import BeamPlace, BodyPlace
from flexmb.solvers.events.impacts.collision import Response
from flexmb.solvers.events.row_states import RowStates
from flexmb.solvers.events.stated_row import UnilateralRow
from flexmb.system.system import System

#: An impulse reaches a flexible body if a speed of it jumps by more than this part of the largest.
REACHED = 1e-9


def refuse_hard_rows(stated: RowStates, t: float, q: np.ndarray, v: np.ndarray) -> None:
    """Refuse hard stops that meet no inertia in a position q (total_q,), and restitution of those that strike flexible
    bodies."""
    system, where = stated.system, f"model {stated.system.model.name!r}"
    rows = [row for row in stated.rows if isinstance(row, UnilateralRow)]
    if not rows:
        return
    answer = Response(system, t, q, v, rows)
    G = abs(dense(system.jacobian(t, q[: system.nq])))
    for row, without in zip(rows, answer.immovable(system)):
        own = G[np.searchsorted(system.kept, row.rows[-1])]
        if without and own.sum() > own[row.speed]:  # or the ends of a rope meet, and it has no direction yet
            raise ModelError(
                f"{where}: {row.where} has no inertia behind it, or drives alone move what it limits, so that no "
                "impulse could stop it; put mass on it, or give the stop a stiffness in place of hard=True"
            )
    for row, jump in zip(rows, answer.X.T):
        reached = deformed(system, jump) if row.restitution > 0.0 else []
        if reached:
            raise ModelError(
                f"{where}: {row.where} has a restitution, but an impact deforms {reached[0]!r}: the waves in a "
                "flexible body are its restitution, and one at a single place has no limit for finer bodies; "
                "leave restitution out"
            )


def deformed(system: System, jump: np.ndarray) -> list[str]:
    """The names of the components that a jump of speeds (n,) deforms."""
    sizes = np.abs(jump) / system.scale
    reached, flexible = REACHED * np.max(sizes, initial=0.0), system.once("flexible", lambda: _flexible(system))
    return [name for name, own in flexible.items() if np.max(sizes[own], initial=0.0) > reached]


def _flexible(system: System) -> dict[str, np.ndarray]:
    """The numbers of the speeds of each component that deforms."""
    found = {}
    for name, component in system.model.components.items():
        place = component.place()
        if isinstance(place, BeamPlace) or (isinstance(place, BodyPlace) and place.mesh is not None):
            own = [i.speeds for i in system.assembly.instances_by_owner.get(name, [])]
            numbers = np.unique(np.concatenate(own)) if own else np.zeros(0, dtype=np.int64)
            found[name] = numbers[(numbers >= 0) & (numbers < system.n)]
    return found
