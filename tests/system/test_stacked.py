"""Several states at once say what each says alone."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.examples import spin_up
from flexmb.kernels.charts import retract
from flexmb.system.evaluation import add_constraint_forces, add_residual, constraints
from flexmb.system.kernel_calls import CONSTRAINT, JACOBIAN, RESIDUAL
from flexmb.system.plan import BLOCK, COUNT, KERNEL_AT
from flexmb.system.stacked import copy_parameters, stacked
from flexmb.validation import heavy_top, n_four_bar
from tests.models.vehicles import train

COPIES = 3


def rubbing():
    """A drawer that rubs by the force of its rail, and a push that depends on time."""
    m = fm.SpatialModel("drawer", gravity=(0.0, 1.0, -9.81))
    body = m.add_body("body", mass=2.0, inertia=(0.01, 0.02, 0.03), position=(0.3, 0.0, 0.0))
    m.prismatic(m.ground, body.frame, friction=fm.JointFriction(0.3, length=0.1), name="rail")
    m.point_force(body.frame, (fm.Harmonic(amplitude=0.4, frequency=0.5), 0.0, 0.0), name="push")
    return m


def slide():
    """A block that rubs on a slope: in the plane friction is a component of its own."""
    m = fm.PlanarModel("slide", gravity=(0.0, -9.81))
    block = m.add_body("block", mass=1.0, inertia=0.1)
    m.prismatic(m.ground, block.frame, axis=-0.9, friction=fm.JointFriction(0.2, radius=0.1, length=0.3))
    return m


MODELS = {
    "blade": lambda: spin_up.build(),
    "velocity rows": lambda: train(2),
    "top": lambda: heavy_top.build(),
    "friction": rubbing,
    "friction in the plane": slide,
    "many": lambda: n_four_bar.build(12),
}


def values(system, plan, scratch, t, q, v, a, lam):
    """r, g, ġ and γ of a plan at a state; nothing where it has nothing to say."""
    r, w = np.zeros(plan.total), np.zeros(4)
    g, gd, gamma = np.zeros((3, plan.m))
    add_residual(plan, scratch, t, q, v, a, w, r)
    add_constraint_forces(plan, scratch, t, q, v, a, lam, w, r)
    constraints(plan, scratch, t, q, v, a, w, g, gd, gamma)
    return r, g, gd, gamma


@pytest.mark.parametrize("name", MODELS)
def test_it_says_what_each_state_says_alone(name):
    system = fm.System(MODELS[name]())
    plan, random = system.plan, np.random.default_rng(3)
    stack = stacked(plan, system.scratch, COPIES)
    copy_parameters(plan, stack)
    q0 = system.full_q(system.q0)
    q, v, a = np.array([q0] * COPIES), *np.zeros((2, COPIES, plan.total))
    for s in range(COPIES):
        retract(plan.orientations, plan.n, q0, 0.1 * random.normal(size=plan.n), q[s])
    v[:, : plan.n], a[:, : plan.n] = random.normal(size=(2, COPIES, plan.n))
    lam, times = random.normal(size=(COPIES, plan.m)), (0.1, 0.2, 0.4)
    # that kernels which are evaluated together are told no time shows if they read it
    whole = values(system, stack.plan, stack.scratch, np.nan, q.ravel(), v.ravel(), a.ravel(), lam.ravel())
    for s, t in enumerate(times):
        alone = values(system, plan, system.scratch, t, q[s], v[s], a[s], lam[s])
        rest = values(system, stack.rest, system.scratch, t, q[s], v[s], a[s], lam[s])
        for together, further, wanted in zip(whole, rest, alone):
            part = together.reshape(COPIES, -1)[s]
            assert np.isfinite(part).all()
            np.testing.assert_allclose(
                part + further, wanted, rtol=1e-12, atol=1e-12 * (1.0 + abs(wanted).max(initial=0))
            )


def test_what_reads_the_time_rubs_or_is_many_is_evaluated_state_by_state():
    asked = [KERNEL_AT + role for role in (RESIDUAL, CONSTRAINT, JACOBIAN)]

    def counts(name):
        system = fm.System(MODELS[name]())
        stack = stacked(system.plan, system.scratch, COPIES)
        kernels = [int((plan.groups[:, asked] != 0).sum()) for plan in (system.plan, stack.plan, stack.rest)]
        assert kernels[0] == kernels[1] + kernels[2]
        assert (stack.plan.groups[:, COUNT] <= BLOCK).all() and stack.plan.friction == 0
        return kernels[1:]

    # of the blade the element and the joint; its drive follows a function of time, but not the Jacobian of it
    assert counts("blade") == [4, 1]
    assert counts("friction") == [1, 3]  # the body; the rail and the push
    together, alone = counts("many")
    assert together == 0 and alone > 0


def test_parameters_are_copied_anew():
    system = fm.System(rubbing())
    stack = stacked(system.plan, system.scratch, COPIES)
    system.plan.p[:] = np.arange(len(system.plan.p), dtype=float)
    copy_parameters(system.plan, stack)
    (begins, source, count) = stack.copied[0]
    for s in range(COPIES):
        assert np.array_equal(
            stack.plan.p[begins + s * count : begins + (s + 1) * count], system.plan.p[source : source + count]
        )
