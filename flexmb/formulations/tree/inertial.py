"""Which kernel instances of a system have mass, and assembly plans restricted to some of the instances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from flexmb.errors import FormulationError
from flexmb.joints.unilateral import is_unilateral
from flexmb.kernels.compilation import allocation_free
from flexmb.model.components import Component
from flexmb.system.evaluation import residual
from flexmb.system.instances import InstanceSeries
from flexmb.system.kernel_calls import CONSTRAINT, FRICTION, JACOBIAN, RESIDUAL, TANGENT, call_kernel
from flexmb.system.plan import (
    BLOCK,
    COUNT,
    FILLED,
    GMAP_AT,
    IQ_AT,
    IV_AT,
    KERNEL_AT,
    MAP_AT,
    NP,
    NQ,
    NV,
    P_AT,
    ROW_AT,
    ROWS,
    VELOCITY_ROWS,
    Plan,
)
from flexmb.system.sticking import nothing_sticks
from flexmb.system.system import System


class Share(NamedTuple):
    """One kernel instance of a system: the component that owns it, the indices of its speeds, its kernel group in the
    plan and its position there, whether it has mass, whether it is the angular momentum of wheels of constant speed,
    and whether it has constraint rows."""

    owner: Component
    speeds: np.ndarray
    group: int
    place: int
    massive: bool
    spins: bool
    constrains: bool


def parameters_of(system: System, share: Share) -> np.ndarray:
    """The parameters of a kernel instance."""
    row = system.plan.groups[share.group]
    first = row[P_AT] + share.place * row[NP]
    return system.plan.p[first : first + row[NP]]


def shares_of(system: System) -> list[Share]:
    """All active kernel instances of a system. Whether one has mass is found from its mass matrix in the initial
    position."""
    plan, shares = system.plan, []
    for series in system.assembly.instance_series:
        if series.off:
            continue
        found = massive(system, series)
        constrains = series.rows.shape[1] > 0
        able = not constrains and bool(plan.groups[series.group, KERNEL_AT + RESIDUAL] and series.owner.spins())
        for k in range(len(series)):
            place = series.place + k
            share = Share(series.owner, series.coordinates.v[k], series.group, place, bool(found[k]), False, constrains)
            shares.append(share._replace(spins=able and not share.massive and _only_spins(system, share)))
    return shares


def massive(system: System, series: InstanceSeries) -> np.ndarray:
    """A mask (k,) of the instances of a series that have mass."""
    plan, found = system.plan, np.zeros(len(series), dtype=np.bool_)
    rest, w = np.zeros(plan.total), np.array([1.0, 0.0, 0.0, 0.0])
    if plan.groups[series.group, KERNEL_AT + TANGENT]:
        with nothing_sticks(system.assembly, plan):
            _find_masses(plan, system.scratch, series.group, series.place, system.initial, rest, w, found)
    return found


def _only_spins(system: System, share: Share) -> bool:
    """Whether the force of an instance is ω × h, with the angular momenta h that its owner says, and nothing else."""
    v, r = np.random.default_rng(0).normal(size=(2, system.plan.total))
    wanted = np.zeros(system.plan.total)
    for node, momentum, _ in share.owner.spins():
        at = system.assembly.node_numbers(node).v[3:6]
        wanted[at] += np.cross(v[at], momentum)
    a, weights = np.zeros(system.plan.total), np.zeros(4)
    residual(plan_of(system.plan, [share], rows=False), system.scratch, 0.0, system.initial, v, a, weights, r)
    return bool(np.allclose(r, wanted, rtol=1e-12, atol=0.0))


def refuse_friction(system: System, where: str) -> None:
    """Refuse joints whose friction depends on their own reaction, and hard stops: their forces are known only together
    with the accelerations."""
    if system.plan.friction:
        rubs = next(s for s in system.assembly.instance_series if s.kernels.friction is not None and not s.off)
        does = "may close and push by a force" if is_unilateral(rubs) else "has friction by its own force"
        raise FormulationError(
            f"{where}: {rubs.owner.where} {does}, which is not known before the accelerations are; fm.simulate takes "
            "it, also with a formulation"
        )


@allocation_free
def _find_masses(plan, scratch, group, place, q, rest, w, found):
    """Mark in `found` those instances of a kernel group, from `place` on, whose mass matrix has a nonzero entry."""
    square = plan.groups[group, NV] * plan.groups[group, NV]
    for first in range(0, found.shape[0], BLOCK):
        last = min(first + BLOCK, found.shape[0])
        call_kernel(plan, scratch, TANGENT, group, place + first, place + last, 0, True, 0.0, q, rest, rest, w)
        for i in range(last - first):
            for k in range(square):
                if scratch.K[i * square + k] != 0.0:
                    found[first + i] = True


def plan_of(plan: Plan, shares: Sequence[Share], rows: bool = True) -> Plan:
    """A plan that assembles only the given instances. It shares the parameters of the full plan, so that a command set
    in one acts in both; indices of coordinates, rows and matrix entries are unchanged. Without `rows`, constraints and
    the friction that depends on them are left out."""
    groups = []
    ordered = sorted((share.group, share.place) for share in shares)
    at = 0
    while at < len(ordered):
        group, first = ordered[at]
        end = at
        while end < len(ordered) and ordered[end] == (group, first + end - at):
            end += 1
        row = plan.groups[group].copy()
        row[COUNT] = end - at
        for where, width in ((P_AT, NP), (IQ_AT, NQ), (IV_AT, NV), (ROW_AT, ROWS)):
            row[where] += first * row[width]
        row[MAP_AT] += first * row[FILLED]
        row[GMAP_AT] += first * 2 * row[ROWS] * row[NV]
        if not rows:
            for role in (CONSTRAINT, JACOBIAN, FRICTION):
                row[KERNEL_AT + role] = 0
            row[VELOCITY_ROWS] = 0
        groups.append(row)
        at = end
    table = np.array(groups, dtype=np.int64).reshape(-1, plan.groups.shape[1])
    friction = int(np.count_nonzero(table[:, KERNEL_AT + FRICTION])) if rows else 0
    return plan._replace(groups=table, friction=friction)
