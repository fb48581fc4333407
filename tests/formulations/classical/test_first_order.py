"""States of first order beside what a paper moves: their rates, and forces that they command."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import FormulationError, SolverError
from flexmb.formulations.classical.first_order import speeds_beside, states_beside
from flexmb.formulations.papers import NAMES
from flexmb.validation.agreement import solved
from flexmb.validation.formulations import kinds
from flexmb.validation.formulations.pairs import ROUGH

LAW = fm.control.transfer_function([-3.0, 0.5], [0.2, 0.4, 1.0])


def lagging(m: fm.SpatialModel, joint: str, on: fm.spatial.Frame) -> None:
    """A torque on a frame that follows the rate of a joint by two states."""
    motor = m.point_torque(on, (0.3, 0.5, -0.2), factor=0.0, name="motor")
    rate = fm.control.JointRate(m.component(joint))
    m.add_states("lag", LAW, sensors=rate, commands=motor)


def rigid() -> fm.SpatialModel:
    return kinds.rigid_tree(lambda m: lagging(m, "joint of b", m.frame("b")))


def loop() -> fm.SpatialModel:
    m = kinds.loop()
    lagging(m, "joint of b", m.frame("b"))
    return m


def wheel() -> fm.SpatialModel:
    m = kinds.rigid_tree(kinds.wheel)
    lagging(m, "joint of b", m.frame("c"))
    return m


def bending(build: Any) -> fm.SpatialModel:
    m = build()
    lagging(m, "hinge", m.frame("hull"))
    return m


BUILDS = {
    "rigid": rigid,
    "loop": loop,
    "wheel": wheel,
    "mean frame": partial(bending, kinds.mean_frame),
    "interface": partial(bending, kinds.interface),
}


@pytest.mark.parametrize("what", BUILDS)
def test_rates_of_states_and_of_bodies_are_those_of_the_engine(what):
    """In a state of chance that obeys the rows, with states that are not zero."""
    m = BUILDS[what]()
    after = fm.simulate(m, 0.05, "dop853", tolerance=1e-9, progress=False)
    tree = fm.Tree.of(m)
    x, u = tree.of_system(after.q[-1], after.v[-1])
    own = speeds_beside(tree)
    assert [tree.names[k] for k in own] == ["lag.x1 integral", "lag.x2 integral"]
    u[own] = 0.7, -1.3
    state = tree.state(x, u)
    known, _ = solved(tree, x, state.q, state.v, np.zeros(tree.nv))
    taken = [name for name in fm.formulations_of(m).taken if name in NAMES]
    assert len(taken) >= 3
    for name in taken:
        a = tree.state(x, u, fm.formulation(tree, name)(x, u)).a
        drops_terms = name in ROUGH and what in ("mean frame", "interface")
        at: Any = states_beside(tree) if drops_terms else slice(None)
        np.testing.assert_allclose(a[at], known[at], atol=1e-11 * np.abs(known).max(), err_msg=name)


def test_a_run_by_a_paper_has_the_states_of_the_compiled_one():
    options: dict[str, Any] = {"tolerance": 1e-6, "progress": False}
    run = fm.simulate(rigid(), 0.3, formulation="hooker-1970", **options)
    exact = fm.simulate(rigid(), 0.3, "dop853", tolerance=1e-10, progress=False)
    assert run.trustworthy
    np.testing.assert_allclose(run["lag.x1"][-1], exact["lag.x1"][-1], atol=1e-8)
    np.testing.assert_allclose(run.q[-1], exact.q[-1], atol=1e-8)


def test_the_used_mass_of_a_tank_is_none_of_these():
    m = kinds.rigid_tree(kinds.tank)
    assert not states_beside(fm.Tree.of(m))
    with pytest.raises(FormulationError, match="'fuel' breaks what it assumes, that bodies keep their masses"):
        fm.formulation(m, "kane")


def test_states_have_no_momenta():
    with pytest.raises(SolverError, match=r"'lag.x1' has no momentum; leave momenta out"):
        fm.simulate(rigid(), 0.1, formulation="jerkovsky", momenta=True)
