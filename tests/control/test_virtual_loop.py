"""An open chain moves as the loop that its controller imagines."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import flexmb as fm
from flexmb import errors
from flexmb.examples import virtual_loop as arm
from flexmb.validation.references import virtual_loop as reference


def test_the_end_stands_still_and_the_crank_follows_its_equation():
    run = arm.controlled(arm.four_bar(), arm.FOUR_BAR, 1.0, period=4e-3)
    end = run["link 4.end 4"].position
    assert np.abs(end - end[0]).max() < 4e-5
    exact = reference.four_bar_angle(run.t, float(arm.FOUR_BAR[0]), arm.LEVEL)
    assert 0.5 * np.pi - run["link 1.angle"] == pytest.approx(exact, abs=5e-3)


def test_accelerations_are_those_of_the_closed_mechanism():
    """In a state that meets the loop, whatever the stabilization is."""
    loop = arm.four_bar()
    laws = [fm.control.VirtualLoop(arm.chain(), loop, stabilization=alpha) for alpha in (0.0, 30.0)]
    q, rate = laws[0].tree.start()[0], 0.7
    v = rate * np.array([1.0, -1.0, 1.0, -1.0])  # cranks turn alike, coupler and last link do not turn
    phi = arm.FOUR_BAR[0]
    one, two = (law.accelerations(q, v) for law in laws)
    assert one == pytest.approx(two, abs=1e-9)
    # counterclockwise: 5/3 φ̈ = −5 φ̇ − 5 φ, with φ clockwise
    assert one[0] == pytest.approx(-(-5.0 * (-rate) - 5.0 * phi) / (5.0 / 3.0), rel=1e-9)
    assert one == pytest.approx(one[0] * np.array([1.0, -1.0, 1.0, -1.0]), abs=1e-9)
    # the motors of the chain make them, against its weight
    tau = laws[0].drives(q, v)
    bare = fm.PlanarModel("without motors", gravity=(0, -arm.GRAVITY))
    arm.links(bare, arm.FOUR_BAR, motors=False)
    assert fm.formulation(bare, "aba")(q, v, tau) == pytest.approx(one, abs=1e-9)


def test_a_chain_in_space_and_one_that_floats():
    def chain(floating, closed, motors=True):
        m = fm.SpatialModel("chain")
        at = m.ground
        if floating:
            at = m.add_body("base", mass=5.0, inertia=(1, 1, 1)).frame
        for k in range(3):
            link = m.add_body(f"link {k}", mass=1.0, inertia=(0.1, 0.1, 0.05), position=(0.5 + k, 0, 0))
            joint = m.revolute(at, link.attach(f"a {k}", (-0.5, 0, 0)), axis="zyz"[k], name=f"joint {k}")
            at = link.attach(f"b {k}", (0.5, 0, 0))
            if motors:
                m.joint_force(joint, 0.0, name=f"motor {k}")
            if k == 0 and closed:
                held = m.ground if not floating else m.frames["base"]
                m.torsion_spring(held, link.frame, axis="z", stiffness=3.0, free_angle=0.2)
        return m

    law = fm.control.VirtualLoop(chain(False, False), chain(False, True, motors=False))
    q, v = np.array([0.1, -0.2, 0.3]), np.array([0.2, 0.1, -0.3])
    tau, moved = law.drives(q, v), law.accelerations(q, v)
    assert fm.formulation(chain(False, False, motors=False), "aba")(q, v, tau) == pytest.approx(moved, abs=1e-9)
    with_motors = fm.control.VirtualLoop(chain(False, False), chain(False, True))  # whose angles hold nothing
    assert with_motors.accelerations(q, v) == pytest.approx(moved, abs=1e-12)
    law = fm.control.VirtualLoop(chain(True, False), chain(True, True))
    q, v = law.tree.start()
    v = np.random.default_rng(1).normal(size=law.tree.nv)
    tau, moved = law.drives(q, v), law.accelerations(q, v)
    assert np.count_nonzero(tau) == 3  # nothing pushes the base
    assert fm.formulation(chain(True, False, motors=False), "aba")(q, v, tau)[-3:] == pytest.approx(
        moved[-3:], abs=1e-9
    )


def test_wrong_input_is_refused():
    with pytest.raises(fm.errors.ControlError, match=r"does not close at the start of the chain: a gap of 1\.3 m"):
        fm.control.VirtualLoop(arm.chain(arm.SLIDER_CRANK), arm.four_bar())
    with pytest.raises(fm.errors.ControlError, match="the chain has loops of its own"):
        fm.control.VirtualLoop(arm.four_bar(), arm.four_bar())
    with pytest.raises(fm.errors.ControlError, match="coordinates that the chain has not"):
        other = fm.PlanarModel("other")
        stone = other.add_body("stone", mass=1.0, inertia=1.0)
        other.joint_force(other.revolute(other.ground, stone.frame), 0.0)
        fm.control.VirtualLoop(other, arm.four_bar())
    law = fm.control.VirtualLoop(arm.chain(), arm.four_bar())
    with pytest.raises(fm.errors.ControlError, match="no joint 'joint 1'"):
        law.control(fm.PlanarModel("other"), period=1e-3)
    with pytest.raises(fm.FlexmbError, match="stabilization"):
        fm.control.VirtualLoop(arm.chain(), arm.four_bar(), stabilization=-1.0)
    sprung = arm.chain()
    sprung.torsion_spring(sprung.ground, sprung.frames["link 1"], stiffness=1.0, name="spring")
    with pytest.raises(fm.errors.ControlError, match="spring 'spring', and its force would be missing"):
        fm.control.VirtualLoop(sprung, arm.four_bar())
    damped = arm.chain()
    damped.components["motor 2"].damping = 0.1
    with pytest.raises(fm.errors.ControlError, match="its damping and friction would be missing"):
        fm.control.VirtualLoop(damped, arm.four_bar())


def test_a_loop_without_inertia_is_refused():
    def two_turns_about_one_axis(motors):
        m = fm.PlanarModel("two turns", gravity=(0, 0))
        ring = m.add_body("ring", mass=1e-30, inertia=1e-30)
        rod = m.add_body("rod", mass=1.0, inertia=0.1, position=(1, 0))
        joints = (
            m.revolute(m.ground, ring.frame, name="a"),
            m.revolute(ring.frame, rod.attach("top", (-1, 0)), name="b"),
        )
        for joint in joints if motors else ():
            m.joint_force(joint, 0.0)
        return m

    law = fm.control.VirtualLoop(two_turns_about_one_axis(True), two_turns_about_one_axis(False))
    with pytest.raises(errors.ControlError, match="the loop can move without any inertia; give its bodies"):
        law.accelerations([0.0, 0.0], [0.0, 0.0])


def test_threads_that_ask_one_law_get_their_own_answers(quickly_changing_threads):
    """Runs of one model in two threads share its law."""
    law = fm.control.VirtualLoop(arm.chain(), arm.four_bar())
    rng, start = np.random.default_rng(0), law.tree.start()[0]
    states = [(start + 0.01 * rng.normal(size=4), rng.normal(size=4)) for _ in range(2)]
    wanted = [law.drives(*state) for state in states]

    def off(k: int) -> int:
        return sum(not np.array_equal(law.drives(*states[k]), wanted[k]) for _ in range(2000))

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(off, (0, 1))) == [0, 0]
