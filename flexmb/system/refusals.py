"""What of a system an analysis may not be able to take, refused by name."""

from __future__ import annotations

import numpy as np

from flexmb.errors import ModelError
from flexmb.joints.unilateral import is_unilateral
from flexmb.kernels.blocks import STATE
from flexmb.system.sticking import sticking_places
from flexmb.system.system import System


def refuse_velocity_rows(system: System, where: str) -> None:
    """Refuse rows that constrain speeds and no positions, and all that the other functions of this file refuse, for an
    analysis of positions alone."""
    refuse_sticking(system, where)
    refuse_searches(system, where)
    _refuse_states(system, where)
    owners = dict.fromkeys(row.owner for row in system.rows if row.level == "velocity")
    if owners:
        names = ", ".join(system.model.components[name].where for name in owners)
        raise ModelError(
            f"{where}: {names} constrain{'s' * (len(owners) == 1)} speeds and no positions (velocity rows), which "
            "this analysis cannot take; leave such joints out, or use fm.simulate or fm.linearize"
        )


def refuse_sticking(system: System, where: str) -> None:
    """Refuse friction that truly sticks, and hard stops, for an analysis in which forces must be smooth functions of
    the motion."""
    stated = [series for series, _ in sticking_places(system.assembly, system.plan)]
    hard = ", ".join(dict.fromkeys(series.owner.where for series in stated if is_unilateral(series)))
    if hard:
        raise ModelError(
            f"{where}: {hard} may close and open, and speeds jump where it closes, so that motions near one another "
            "need not have the same rows and small ones have no linear equations; use fm.simulate, take a stop with a "
            "stiffness, or leave it out"
        )
    names = ", ".join(series.owner.where for series in stated)
    if names:
        raise ModelError(
            f"{where}: the friction of {names} truly sticks (smoothing=0): at rest it holds with any force up to its "
            "limit, so that equilibria are not single places and small motions have no linear equations; give it a "
            "smoothing, or leave the friction out"
        )


def refuse_searches(system: System, where: str, instead: str = "let them touch by contacts of two frames each") -> None:
    """Refuse components that are on and search for pairs of bodies, for an analysis in which the pattern of the matrix
    cannot change; `instead` is the advice in the message."""
    for search in system.assembly.searches:
        if search.owner.name not in system.off:
            raise ModelError(
                f"{where}: the pairs of {search.owner.where} change as bodies move, and the pattern of the matrix with "
                f"them, which it cannot take; {instead}"
            )


def _refuse_states(system: System, where: str) -> None:
    """Refuse states of equations of first order, for an analysis in which speeds are zero, or all that changes are
    positions."""
    integrals = np.flatnonzero(system.assembly.free.mask(STATE))
    if len(integrals):
        own = set(integrals.tolist())
        owner = next(s.owner for s in system.assembly.every_series if own & set(s.coordinates.v.ravel().tolist()))
        follow = "follow" if owner.kind == "states" else "follows"
        raise ModelError(
            f"{where}: {owner.where} {follow} equations of first order, which this analysis does not know; use "
            "fm.simulate or fm.linearize, or leave them out"
        )
