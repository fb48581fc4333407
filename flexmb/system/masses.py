"""Which components have mass, by what their kernels do when everything is accelerated alike."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.blocks import PLACE
from flexmb.model.components import Component
from flexmb.system import evaluation
from flexmb.system.assembly import Assembly
from flexmb.system.kernel_calls import RESIDUAL
from flexmb.system.plan import KERNEL_AT, SEARCH, Plan, Scratch


def components_with_mass(assembly: Assembly, plan: Plan, scratch: Scratch) -> list[Component]:
    """The components, but for loads, whose kernels give a force where all places have one acceleration."""
    size, still = assembly.model.dimension, np.zeros(plan.total)
    carried, weights = still.copy(), np.zeros(4)
    for numbering, first in ((assembly.free, 0), (assembly.fixed, plan.n)):
        carried[first + numbering.numbers_of(PLACE, size).ravel()] = 1.0
    found: dict[str, Component] = {}
    for i in assembly.instances:
        group = plan.groups[i.group]
        if i.owner.name in found or i.owner.external or group[KERNEL_AT + RESIDUAL] == 0 or group[SEARCH] != 0:
            continue
        forces = np.zeros((2, len(i.speeds)))
        for out, a in zip(forces, (still, carried)):
            state = (0.0, assembly.initial, still, a, np.zeros(plan.m))
            evaluation.instance_force(plan, scratch, i.group, i.place, evaluation.RESIDUAL_TOO, *state, weights, out)
        if not np.array_equal(*forces):
            found[i.owner.name] = i.owner
    return list(found.values())


def refuse_forgotten_masses(assembly: Assembly, plan: Plan, scratch: Scratch) -> None:
    """Let each component that is the gravity of all masses refuse a model in which it does not act on one."""
    asking = [component for component in assembly.model.components.values() if component.attracts]
    masses = components_with_mass(assembly, plan, scratch) if asking else []
    for component in asking:
        component.check_masses(masses)
