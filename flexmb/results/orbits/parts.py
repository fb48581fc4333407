"""Mass, mass center and momenta of some components of a motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.kernels.blocks import PLACE
from flexmb.model.components import Component
from flexmb.results.solution import Solution
from flexmb.system import evaluation
from flexmb.system.kernel_calls import RESIDUAL
from flexmb.system.plan import KERNEL_AT, SEARCH
from flexmb.system.system import System


def of_parts(solution: Solution, parts: Sequence[Component]) -> np.ndarray:
    """Sums of some components, at all times (k, 10): mass, first moment about the model's origin (3), momentum (3),
    angular momentum about that origin (3), by the forces of their kernels along rigid motions: M x = r(x) − r(0)."""
    assert solution.model is not None
    system = System(solution.model)
    plan, names = system.plan, {part.name for part in parts}
    own = [
        i
        for i in system.assembly.instances
        if i.owner.name in names
        and plan.groups[i.group][KERNEL_AT + RESIDUAL] != 0
        and plan.groups[i.group][SEARCH] == 0
    ]
    spins = [spin for part in parts for spin in part.spins()]
    free, fixed = system.assembly.free, system.assembly.fixed
    along = np.zeros((2, plan.total))  # everything along x, and along y
    for numbering, first in ((free, 0), (fixed, plan.n)):
        for out, axis in zip(along, (0, 1)):
            out[first + numbering.numbers_of(PLACE, 3)[:, axis]] = 1.0
    out = np.zeros((len(solution.t), 10))
    for k, t in enumerate(solution.t.tolist()):
        q, v = system.full_q(solution.q[k]), system.full(solution.v[k])
        forces = np.zeros((3, plan.total))
        for i in own:
            found = np.zeros((4, len(i.speeds)))
            for into, a in zip(found, (np.zeros(plan.total), v, *along)):
                state = (t, q, system.full(system.states_alone(v[: plan.n])), a, np.zeros(plan.m))
                evaluation.instance_force(
                    plan, system.scratch, i.group, i.place, evaluation.RESIDUAL_TOO, *state, np.zeros(4), into
                )
            for into, one in zip(forces, found[1:] - found[0]):
                np.add.at(into, i.speeds, one)
        for node, momentum, _ in spins:
            forces[0][system.assembly.node_numbers(node).v[3:6]] += momentum
        motions = free.rigid_motions(solution.q[k])
        moved, x, y = (motions @ force[: plan.n] for force in forces)
        if fixed.dimension:
            held = fixed.rigid_motions(system.initial[plan.nq :])
            moved, x, y = (a + held @ force[plan.n :] for a, force in zip((moved, x, y), forces))
        # along x: (m, 0, 0) and m c × e_x = (0, m c_z, −m c_y); along y: m c × e_y = (−m c_z, 0, m c_x)
        out[k] = [x[0], y[5], -x[5], x[4], *moved]
    return out
