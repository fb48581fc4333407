"""Reports on a start whose positions had to be moved to close the joints: how far, and which joints were open.

All functions that move initial positions onto the constraints report it by :func:`reported_move`: with a warning that
names the open joints; with a doubt that the result keeps, if something was moved by more than a thousandth of the
mechanism's size (or as many radians); and with an error beyond a tenth, unless the caller allowed it by gaps="close".
Such a large move usually means that a joint connects other frames than intended. Those who take joints as closed
wherever the bodies were drawn, such as trees of joint coordinates, ask :func:`refuse_gaps`.

Where flexible bodies, moved as rigid ones, do not meet the joints, closing them strains these, and the start is refused
too if they miss by more than a thousandth of the size: what is 10 mm off would strain a steel bracket of half a metre
beyond its strength.

A move that is due to the positions that drives prescribe at the start leads to a warning only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.errors import InitialConditionError, InitialConditionWarning, warn
from flexmb.kernels.widths import ENERGY_WIDTH
from flexmb.model.components import Component
from flexmb.system.evaluation import energies
from flexmb.system.mobility import flexible_bodies
from flexmb.system.motions import MOST_NAMED
from flexmb.system.system import System

#: Options: refuse a start that would be moved by more than REFUSED, or close the joints however wide their gaps are.
GAPS = ("refuse", "close")
#: Moves beyond which there is a warning, a doubt and an error, in units of the model's length, and radians.
NOTICEABLE, DOUBTFUL, REFUSED = 1e-6, 1e-3, 0.1
#: Joints whose gaps are below this part of the widest gap of a drive are not the cause of the move.
OF_DRIVES = 1e-2

_UNITS = {"length": "m", "angle": "rad"}
_ADVICE = (
    "see whether the joints join the frames that were meant (a joint joins the origins of its frames; attach gives "
    "frames elsewhere), give positions that fit, or find them by fm.assemble from a rough sketch"
)


class Move(NamedTuple):
    """The move of a start: its `size` in units of the model's length, and radians, and the `doubts` that the result
    keeps."""

    size: float = 0.0
    doubts: tuple[str, ...] = ()


class Gap(NamedTuple):
    """The gap of a joint: the joint's name in messages, the gap in words, whether the joint is a drive, and the size of
    the gap in units of the model's length, and radians."""

    where: str
    text: str
    drives: bool
    size: float


def gaps_of(system: System, t: float, q: np.ndarray) -> list[Gap]:
    """The gaps (in m and rad) of joints and drives in a position q (nq,), widest first, without those below
    NOTICEABLE."""
    whole = system.whole
    g = np.where(whole.at_speed, 0.0, whole.constraint(t, q, np.zeros(whole.n))[0])
    owners: dict[str, list[int]] = {}
    for k, row in enumerate(whole.rows):
        owners.setdefault(row.owner, []).append(k)
    found = []
    for name, rows in owners.items():
        size = float(np.max(np.abs(g[rows]) / whole.row_scale[rows]))
        if not size > NOTICEABLE:
            continue
        parts = []
        for kind, unit in _UNITS.items():
            own = [k for k in rows if whole.rows[k].kind == kind]
            wide = float(np.linalg.norm(g[own]))
            if len(own) and wide > NOTICEABLE * whole.row_scale[own[0]]:
                parts.append(f"{wide:.3g} {unit}")
        component = whole.model.components[name]
        found.append(Gap(component.where, " and ".join(parts) or f"{size:.3g}", _drives(component), size))
    return sorted(found, key=lambda gap: -gap.size)


def _drives(component: Component) -> bool:
    """Whether a joint prescribes a motion: a drive, or a joint with functions of time or with a rotation over time,
    whose beginning and end are kinks."""
    return component.is_drive or bool(component.functions()) or bool(component.kinks_until(-np.inf))


def reported_move(
    system: System, t: float, before: np.ndarray, after: np.ndarray, gaps: str, where: str, misfit: float = 0.0
) -> Move:
    """Report the move of a start from the position `before` to `after` (nq,), in which the joints are closed: with a
    warning, a doubt, or an InitialConditionError. `gaps` is one of GAPS; `misfit`, the error of joints, in units of the
    model's length, and radians, that no rigid motion of flexible bodies closes."""
    change = system.difference(after, before)
    size = float(np.max(np.abs(change) / system.scale, initial=0.0))
    if not size > NOTICEABLE:
        return Move(size)
    found = gaps_of(system, t, before)
    opened = _named(found)
    moved = f"moved by up to {_largest_moves(system, change)}"
    driven = max((gap.size for gap in found if gap.drives), default=0.0)
    of_joints = any(not gap.drives and gap.size > OF_DRIVES * driven for gap in found)
    if misfit > NOTICEABLE:
        strain = _strain_energy(system, t, after) - _strain_energy(system, t, before)
        moved += f", and flexible bodies strained by {strain:.3g} J"
    if of_joints and DOUBTFUL < misfit and size <= REFUSED and gaps == "refuse":
        raise InitialConditionError(
            f"{where}: the initial positions do not meet the joints ({opened}), and flexible bodies cannot meet them "
            f"as they are: the mechanism would be {moved}; give positions and lengths that fit, or ask for the strain "
            "by gaps='close' of simulate"
        )
    if of_joints and size > REFUSED and gaps == "refuse":
        raise InitialConditionError(
            f"{where}: the initial positions do not meet the joints ({opened}); to close them the mechanism would be "
            f"{moved}, which is more than a tenth of its size, or of a radian: {_ADVICE}, or ask for the move by "
            "gaps='close' of simulate, kinematics or equilibrium"
        )
    warn(
        f"{where}: the initial positions did not meet the joints ({opened}) and were {moved}; give positions that fit "
        "to keep them",
        InitialConditionWarning,
    )
    doubtful = of_joints and size > DOUBTFUL
    return Move(size, (f"its start was {moved} to close {opened}; give positions that fit",) if doubtful else ())


def refuse_gaps(system: System, where: str) -> None:
    """Warn of a start of which joints, but not drives, are open, or refuse it as runs do, for those who take joints as
    closed wherever the bodies were drawn."""
    found = [gap for gap in gaps_of(system, 0.0, system.q0) if not gap.drives]
    if not found:
        return
    text = f"{where}: the initial positions do not meet the joints ({_named(found)})"
    if found[0].size > REFUSED:
        raise InitialConditionError(f"{text}, by more than a tenth of its size, or of a radian: {_ADVICE}")
    warn(f"{text}, which are taken as closed; give positions that fit", InitialConditionWarning)


def _named(found: list[Gap]) -> str:
    """The widest gaps in words."""
    named = ", ".join(f"{gap.where} by {gap.text}" for gap in found[:MOST_NAMED])
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return f"gaps of {named}{more}" if named else "gaps of joints"


def _strain_energy(system: System, t: float, q: np.ndarray) -> float:
    """The strain energy [J] of flexible bodies in a position q (nq,)."""
    own = {i.group for component, _ in flexible_bodies(system) for i in system.instances_of(component.name)}
    plan = system.plan._replace(groups=system.plan.groups[sorted(own)])
    still, found = np.zeros(system.plan.total), np.zeros(ENERGY_WIDTH)
    energies(plan, system.scratch, t, system.full_q(q), still, still, np.zeros(4), found)
    return float(found[1])


def _largest_moves(system: System, change: np.ndarray) -> str:
    """The largest displacement [m] and the largest rotation [rad] in a change of position (n,), with the names of their
    coordinates."""
    parts = []
    measures = np.array(system.assembly.free.measures)
    for measure, unit in _UNITS.items():
        own = np.flatnonzero(measures == measure)
        if len(own) and abs(change[k := int(own[np.argmax(np.abs(change[own]))])]) > NOTICEABLE * system.scale[k]:
            parts.append(f"{abs(change[k]):.3g} {unit} ({system.names[k]!r})")
    worst = int(np.argmax(np.abs(change) / system.scale))
    return " and ".join(parts) or f"{abs(change[worst]):.3g} ({system.names[worst]!r})"
