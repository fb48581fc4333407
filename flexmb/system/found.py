"""What instances read of other components, as tables for compiled code (:mod:`flexmb.system.finding`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from flexmb.errors import ModelError
from flexmb.system.finding import AS_WHOLE, SUMS, find
from flexmb.system.instances import Instance
from flexmb.system.kernel_calls import RESIDUAL, TANGENT
from flexmb.system.plan import FOUND, HEAD, NV, Plan
from flexmb.system.runs import run_of
from flexmb.system.whole import MORE_ROOM, ROOM


class Found(NamedTuple):
    """How something is found: its kind, its integers and its values, and how many numbers it gives."""

    kind: int
    numbers: list[int]
    values: list[float]
    gives: int


class Share(NamedTuple):
    """The share of one instance in a sum of what kernels say: the kernel's `role`, how many numbers it `fills`, which
    of these are added to which numbers of the sum, `pairs` (of the sum, of the kernel); a `sign`, or the index in the
    plan's parameters of a `strength` besides; `at` and `size`: where among the values the place along a beam stands;
    `behind`: of a row, all other instances that act on its last coordinate."""

    instance: Instance
    role: int
    fills: int
    pairs: Sequence[tuple[int, int]]
    sign: int = 1
    strength: int = -1
    at: int = 0
    size: int = 0
    behind: Sequence[Instance] = ()


def sum_of(
    system: Any, shares: Sequence[Share], count: int, values: Sequence[float] = (), first: int = 0, where: str = ""
) -> Found:
    """A sum of what kernels say, `count` numbers, of which the first begins at `first`."""
    numbers = [first, 0]
    for share in shares:
        i = share.instance
        if i.off:
            continue
        groups = [i.group, *(other.group for other in share.behind)]
        if any(s.finds and s.group in groups for s in system.assembly.instance_series):
            raise ModelError(
                f"{where}: what commands {i.owner.where} at this instant follows from readings of other components "
                "itself; let that command follow states alone"
            )
        numbers[1] += 1
        slopes = TANGENT if share.role == RESIDUAL else -1
        numbers += run_of(system.plan, i.group, i.place, 1, share.role, slopes)
        numbers += [share.fills, share.at, share.size, share.strength, share.sign, len(share.pairs)]
        numbers += [*(x for pair in share.pairs for x in pair), len(share.behind)]
        for other in share.behind:
            numbers += run_of(system.plan, other.group, other.place, 1, RESIDUAL, TANGENT)
            numbers.append(int(np.flatnonzero(other.speeds == i.speeds[-1])[0]))
    sizes = np.ones(system.plan.total)
    sizes[: system.n] = system.scale
    return Found(SUMS, numbers, [*values, *sizes.tolist()], count)


def with_found(system: Any, plan: Plan) -> Plan:
    """The plan of a system in which is known where each instance finds what it reads. Values are appended to its
    parameters, unless these have them already."""
    reading = [series for series in system.assembly.instance_series if series.finds]
    if not reading:
        return plan
    total, groups = plan.total, plan.groups.copy()
    numbers, turns = plan.numbers[:-total].tolist(), plan.numbers[-total:]
    values: list[float] = []
    first = system.parameters
    for series in reading:
        where = f"{series.owner.where}"
        every = [one.found(system, where) for one in series.finds]
        nv, at = int(groups[series.group, NV]), len(numbers)
        found = sum(one.gives for one in every)
        room = max(_room(one.kind, plan, nv) for one in every)
        own = [x for one in every for x in (one.kind, len(one.numbers), len(one.values), one.gives, *one.numbers)]
        columns = np.full(total, -1)
        columns[series.coordinates.v[0]] = np.arange(nv)
        numbers += [found, HEAD + len(own), first + len(values), len(every), found * (1 + nv) + room, *own, *columns]
        groups[series.group, FOUND] = at
        values += [x for one in every for x in one.values]
    p = plan.p if len(plan.p) > first else np.concatenate([plan.p, values])
    return plan._replace(groups=groups, numbers=np.concatenate([np.array(numbers, dtype=np.int64), turns]), p=p)


def _room(kind: int, plan: Plan, nv: int) -> int:
    """How many scratch numbers it takes to find something and its derivatives."""
    return ROOM * plan.total + 3 + MORE_ROOM * nv if kind == AS_WHOLE else max(plan.total, plan.total_q) + 8


def refuse_accelerations(system: Any) -> None:
    """Refuse readings that follow from accelerations, in which an equation of first order has no part."""
    plan, buffer = system.plan, system.scratch.lam
    v, a = np.random.default_rng(0).normal(size=(2, plan.total))
    for series in system.assembly.instance_series:
        if not series.finds or series.off:
            continue
        count, found = sum(one.found(system, series.owner.where).gives for one in series.finds), []
        for moved in (0.0 * a, a):
            find(plan, system.scratch, series.group, False, 0.0, system.initial, v, moved, system.scratch.still)
            found.append(buffer[:count].copy())
        if not np.array_equal(found[0], found[1], equal_nan=True):
            raise ModelError(f"{series.owner.where}: a reading {DETERMINED}")


#: why states of first order do not read accelerations and what follows from them
DETERMINED = (
    "comes out of the same equations as the rates of states of first order, as accelerations and the forces of joints "
    "do: a rate that follows from it would be one more algebraic unknown; let a sampled controller read it, "
    "model.add_controller, or for an acceleration filter the velocity, by s/(T s + 1)"
)
