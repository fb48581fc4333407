"""Which components have mass, by what their kernels do when everything is accelerated.

Any flag of a component may be wrong, and a mass beside the mechanism too (`external`, `only_reads`, switched off); so
all are asked by their kernels: with the coordinates accelerated by e, twice the kinetic energy of speeds e is
e · (r(e) − r(0)) = e · M e, which no mass leaves zero. Coordinates of states have unit mass that means nothing and are
not accelerated. Searches are not asked, as their pairs come and go: a :class:`flexmb.model.handed_over.Search` is by
its contract without inertia.
"""

from __future__ import annotations

import numpy as np

from flexmb.errors import ModelError
from flexmb.kernels.blocks import PLACE, STATE
from flexmb.model.components import Component
from flexmb.model.gravity.attracted import is_attracted
from flexmb.system import evaluation
from flexmb.system.assembly import Assembly
from flexmb.system.kernel_calls import RESIDUAL
from flexmb.system.plan import KERNEL_AT, SEARCH, Plan, Scratch

#: an angular acceleration [rad/s²] of all orientations, across no axis that anyone gives
TURNED = (1.0, 2.0**0.5, 3.0**0.5)


def components_with_mass(assembly: Assembly, plan: Plan, scratch: Scratch, everything: bool = False) -> list[Component]:
    """The components whose kernels give a force where all places have one acceleration; `everything`: or where all
    orientations have one, or any coordinate but states."""
    size, still = assembly.model.dimension, np.zeros(plan.total)
    carried, weights = still.copy(), np.zeros(4)
    for numbering, first in ((assembly.free, 0), (assembly.fixed, plan.n)):
        if everything:
            carried[first : first + len(numbering)] = ~numbering.mask(STATE)
            carried[first + numbering.orientations[:, :1] + np.arange(3)] = TURNED
        carried[first + numbering.numbers_of(PLACE, size).ravel()] = 1.0
    found: dict[str, Component] = {}
    for i in assembly.instances:
        group = plan.groups[i.group]
        if i.owner.name in found or group[KERNEL_AT + RESIDUAL] == 0 or group[SEARCH] != 0:
            continue
        forces = np.zeros((2, len(i.speeds)))
        for out, a in zip(forces, (still, carried)):
            state = (0.0, assembly.initial, still, a, np.zeros(plan.m))
            evaluation.instance_force(plan, scratch, i.group, i.place, evaluation.RESIDUAL_TOO, *state, weights, out)
        if np.any((forces[1] != forces[0]) & (carried[i.speeds] != 0.0)):
            found[i.owner.name] = i.owner
    return list(found.values())


def _refuse_unattracted_masses(assembly: Assembly, plan: Plan, scratch: Scratch) -> None:
    """Refuse a model with central gravity in which something has inertia and does not say how it is attracted."""
    model = assembly.model
    left = [x for x in components_with_mass(assembly, plan, scratch, everything=True) if not is_attracted(model, x)]
    if left:
        raise ModelError(
            f"{model.where}: its central gravity attracts all that has mass, and "
            f"{', '.join(x.where for x in left)} {'does' if len(left) == 1 else 'do'} not say how; give "
            f"{', '.join(dict.fromkeys(type(x).__name__ for x in left))} a method `attraction` "
            "(flexmb.Component.attraction), or make bodies and beams of it"
        )


def refuse_forgotten_masses(assembly: Assembly, plan: Plan, scratch: Scratch) -> None:
    """Let each component that is the gravity of all masses refuse a model in which it does not act on one."""
    if assembly.model.gravity.is_central:
        _refuse_unattracted_masses(assembly, plan, scratch)
    asking = [component for component in assembly.model.components.values() if component.attracts]
    masses = components_with_mass(assembly, plan, scratch) if asking else []
    for component in asking:
        component.check_masses(masses)
