"""Components that are switched off: they keep their coordinates and parameters, but enter no equation."""

from __future__ import annotations

import copy
from collections.abc import Collection
from dataclasses import replace

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import given_names
from flexmb.model.gravity.attracted import attracted_by
from flexmb.system import evaluation
from flexmb.system.assembly import Assembly
from flexmb.system.linear import diagonal
from flexmb.system.plan import scratch_for
from flexmb.system.planning import plan_of


def without(assembly: Assembly, off: Collection[str]) -> Assembly:
    """The assembly with the components `off` excluded, and all others included. Indices of coordinates and parameters
    do not change; rows are those of the components that are on, and of instances that stay."""
    other = copy.copy(assembly)
    other.forget_instances()
    other.off = frozenset(off)
    stay = np.array([row.owner not in other.off for row in assembly.every_row], dtype=bool)
    for series in assembly.every_series:
        if series.stays:
            stay[series.rows.ravel()] = True
    numbers = np.full(len(stay), -1, dtype=np.int64)
    other.row_numbers = np.flatnonzero(stay)
    numbers[stay] = np.arange(len(other.row_numbers))
    other.rows = [assembly.every_row[k] for k in other.row_numbers]
    other.instance_series = [
        replace(s, rows=numbers[s.rows], off=s.owner.name in other.off and not s.stays) for s in assembly.every_series
    ]
    return other


def check_switchable(assembly: Assembly, names: Collection[str], dense_limit: int) -> None:
    """Refuse to switch off unknown components, those that own coordinates which nothing else would hold, and those with
    inertia, whose momentum would be lost."""
    model = assembly.model
    for name in names:
        component = model.components[
            given_names.known(name, model.components, "component", f"{model.where}: switch off")
        ]
        own = [series for series in assembly.every_series if series.owner.name == name]
        if (part := attracted_by(model, component)) is not None:
            raise ModelError(
                f"{component.where} cannot be switched off: the central gravity of the model attracts all that has "
                f"mass, and so {part.where}"
            )
        if name in assembly.added and not any(series.stays for series in own):
            raise ModelError(
                f"{component.where} cannot be switched off: it owns coordinates, which nothing would hold or move "
                "then; switch the joints between bodies, or take a joint without coordinates of its own"
            )
        if component.only_drawn:
            raise ModelError(f"{component.where} cannot be switched off: it takes no part anyway; remove it")
        inertia = any(series.kernels.tangent is not None for series in own) and _has_inertia(
            assembly, name, dense_limit
        )
        if inertia or component.spins():
            raise ModelError(
                f"{component.where} cannot be switched off: it has inertia, and the momentum in it would be lost; "
                "switch off the joints that hold it"
            )


def _has_inertia(assembly: Assembly, name: str, dense_limit: int) -> bool:
    """Whether the mass matrix of a component is not zero in the initial position."""
    plan, pattern = plan_of(without(assembly, set(assembly.model.components) - {name}), None, dense_limit)
    values = np.zeros(plan.nnz)
    scratch = scratch_for(plan, assembly.work, assembly.model.dimension)
    rest, weights = np.zeros(plan.total), np.array([1.0, 0.0, 0.0, 0.0])
    evaluation.matrix(plan, scratch, 0.0, assembly.initial, rest, rest, np.zeros(plan.m), weights, values)
    if pattern is None:
        return bool(np.any(values.reshape(plan.size, plan.size)[: plan.n, : plan.n]))
    return bool(np.any(diagonal(plan, pattern, values)))
