"""Euler angles of spherical joints and floating bases in joint coordinates: the motion is that of quaternions."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import DivergenceWarning
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.validation.random_mechanisms.trees_with_beams import SOFT
from tests.models.arms import arm, robot
from tests.models.trees import random_tree
from tests.solvers.comparison import FINE, agree, run


def tilted():
    """A floating body that leans and carries a second one on a hinge."""
    m = fm.SpatialModel("tilted", gravity=(0.3, 0.2, -1.0))
    turn = fm.euler_angles("XYZ", (0.9, 0.7, -0.4))
    hull = m.add_body("hull", mass=2.0, inertia=(0.2, 0.3, 0.4), orientation=turn)
    flap = m.add_body("flap", mass=0.5, inertia=(0.05, 0.06, 0.07), position=turn.apply((1, 0, 0)), orientation=turn)
    m.revolute(hull.attach("edge", (0.5, 0, 0)), flap.attach("edge", (-0.5, 0, 0)), axis="y", name="hinge")
    for body in (hull, flap):
        body.frame.move(np.cross((0.3, -0.5, 0.6), body.frame.position), (0.3, -0.5, 0.6))
    m.spring_damper(m.ground.attach("hook", (0, 2, 0)), flap.frame, stiffness=20.0, damping=0.3, name="rope")
    return m


def loop():
    """A loop of hinges, a cross and two balls, on a base that floats."""
    m = fm.SpatialModel("loop", gravity=(0.3, 0.2, -9.81))
    base = m.add_body("base", mass=5.0, inertia=(0.5, 0.6, 0.7))
    one = m.add_body("one", mass=1.0, inertia=(0.1, 0.1, 0.02), position=(0, 0, 0.5))
    two = m.add_body("two", mass=1.0, inertia=(0.02, 0.1, 0.1), position=(0.5, 0, 1.0))
    three = m.add_body("three", mass=1.0, inertia=(0.1, 0.1, 0.02), position=(1.0, 0, 0.5))
    m.revolute(base.frame, one.attach("low", (0, 0, -0.5)), axis="y", name="hinge")
    m.spherical(one.attach("high", (0, 0, 0.5)), two.attach("left", (-0.5, 0, 0)), name="ball")
    m.universal(two.attach("right", (0.5, 0, 0)), three.attach("high", (0, 0, 0.5)), axis="y", axis_b="x", name="cross")
    m.spherical(base.attach("far", (1, 0, 0)), three.attach("low", (0, 0, -0.5)), name="foot")
    for body in (base, one, two, three):
        body.frame.move(np.cross((0.2, -0.4, 0.5), body.frame.position), (0.2, -0.4, 0.5))
    m.spring_damper(m.ground.attach("hook", (0, 2, 0)), two.frame, stiffness=20.0, damping=0.3, name="rope")
    return m


@pytest.mark.parametrize("method", FINE)
@pytest.mark.parametrize(("make", "sequence"), [(robot, "YXZ"), (robot, "zyx"), (tilted, "ZXZ"), (tilted, "yzy")])
def test_the_motion_is_that_of_quaternions(make, sequence, method):
    agree(run(make(), method), run(make(), method, "aba", rotations=f"euler_angles:{sequence}"))


def test_generalized_alpha_makes_the_same_steps():
    """Its recursion is in joint speeds, which are rates of angles here: another one, of the same order."""
    wanted = run(robot(), "dop853")
    off = []
    for step in (2e-3, 1e-3):
        given = {"step": step, "progress": False, "formulation": "aba", "rotations": "euler_angles:ZYX"}
        found = fm.simulate(robot(), 0.8, **given)
        off.append(np.abs(found.q[-1] - wanted.q[-1]).max())
    assert off[1] < 1e-5
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_every_formulation(formulation):
    for seed in range(2):
        m = random_tree(np.random.default_rng(seed), 5, ("spherical", "revolute", "universal"), floating=seed == 1)
        agree(run(m, "dop853"), run(m, "dop853", formulation, rotations="euler_angles:XYZ"))


@pytest.mark.parametrize("formulation", ["aba", "ada"])
@pytest.mark.parametrize("method", FINE)
def test_loops(method, formulation):
    agree(run(loop(), method), run(loop(), method, formulation, rotations="euler_angles:YXZ"))


def test_a_base_that_is_a_beam():
    """Its further nodes keep quaternions."""
    m = fm.SpatialModel("beam", gravity=(0, 0, -9.81))
    rod = m.add_beam("rod", (0, 0, 0), (0.5, 0, 0), material=SOFT, section=fm.Rectangle(0.03, 0.04), elements=2)
    weight = m.add_body("weight", mass=0.2, inertia=(1e-3, 1e-3, 1e-3), position=(0.5, 0, -0.1))
    m.spherical(rod.end, weight.attach("top", (0, 0, 0.1)), name="ball")
    m.set_rigid_motion((0, 0, 0), (1.0, 2.0, 3.0))
    options = {"times": np.linspace(0.0, 0.02, 5), "t_end": 0.02, "tolerance": 1e-9}
    one, other = run(m, "dop853", **options), run(m, "dop853", "aba", rotations="euler_angles:XYZ", **options)
    assert np.abs(one.q - other.q).max() < 1e-8
    assert np.abs(one.a - other.a).max() < 1e-7 * np.abs(one.a).max()


def test_angles_go_through_many_turns():
    m = fm.SpatialModel("spin")
    wheel = m.add_body("wheel", mass=1.0, inertia=(0.2, 0.2, 0.3))
    m.spherical(m.ground, wheel.frame, name="ball")
    wheel.frame.move((0, 0, 0), (0.0, 0.0, 30.0))
    found = run(m, "dop853", "aba", rotations="euler_angles:ZYX")
    assert found["wheel"].euler_angles("ZYX")[-1, 0] == pytest.approx(24.0, abs=1e-7)


def test_a_run_that_a_switch_cuts_goes_on():
    m = robot()
    m.add_event(0.3, fm.Switch(off=["rope"]), name="cut")
    agree(run(m, "dop853"), run(m, "dop853", "aba", rotations="euler_angles:ZYX"))


# -- singular positions ----------------------------------------------------------------------------------------------


def turning(joint):
    """A body that turns about x at 2 rad/s: one that is free, whose θ of 3-1-3 goes from 0.5 rad to π in 1.3208 s, or
    one on a ball, whose middle angle of ZXY goes from 0 to ½π in 0.7854 s."""
    m = fm.SpatialModel("turning")
    turn = fm.euler_angles("ZXZ", (0, 0.0 if joint else 0.5, 0))
    body = m.add_body("body", mass=1.0, inertia=(0.2, 0.3, 0.4), orientation=turn)
    if joint:
        m.spherical(m.ground, body.frame, name="ball")
    body.move(angular_velocity=(2.0, 0, 0))
    return m


SHORTLY = [
    ("generalized_alpha", {}),
    ("generalized_alpha", {"step": 1e-2}),
    ("radau", {}),
    ("independent", {}),
    ("independent", {"integrator": "radau"}),
    ("projection", {}),
    ("projection", {"ode_method": "BDF"}),
    ("baumgarte", {"ode_method": "RK45"}),
    ("dop853", {}),
    ("rkf45", {"step": 1e-2}),
    ("rkf45", {"tolerance": 1e-8}),
]


@pytest.mark.parametrize(
    ("joint", "sequence", "whose", "when", "middle"),
    [(False, "ZXZ", "'body'", 0.5 * (np.pi - 0.5), "3.1"), (True, "ZXY", "joint 'ball'", 0.25 * np.pi, "1.5")],
)
@pytest.mark.parametrize(("method", "options"), SHORTLY)
def test_a_run_ends_before_a_singular_position(method, options, joint, sequence, whose, when, middle):
    wanted = rf"stopped at t = \d\.\d* s: the Euler angles '{sequence}' of {whose} are at a singular position: the "
    wanted += rf"middle one is {middle}\d* rad.*take another sequence, such as rotations='euler_angles:[XYZ]{{3}}', or "
    given = {"formulation": "aba", "progress": False, **options}
    with pytest.warns(DivergenceWarning, match=wanted + "leave rotations"):
        found = fm.simulate(turning(joint), 2.0, method, rotations=f"euler_angles:{sequence}", **given)
    assert found.status == "diverged"
    assert when - 0.02 < found.t[-1] < when and len(found) > 3
    np.testing.assert_allclose(found["body"].rotation_vector[:, 0], found.t * 2.0 + 0.5 * (not joint), atol=1e-6)
    other = found.message.partition("euler_angles:")[2][:3]
    again = fm.simulate(turning(joint), 2.0, method, rotations=f"euler_angles:{other}", **given)
    assert again.status == "finished"


def test_fixed_steps_do_not_leap_over_a_singular_position():
    """With 0.7 rad in a step no stage is near it."""
    with pytest.warns(DivergenceWarning, match="'ZXZ' of 'body' are at a singular position"):
        given = {"step": 0.35, "rotations": "euler_angles:ZXZ", "progress": False, "formulation": "aba"}
        found = fm.simulate(turning(False), 3.0, "rkf45", **given)
    assert found.t[-1] == pytest.approx(1.05)


def test_a_start_at_a_singular_position_is_refused():
    m = fm.SpatialModel("m")
    m.add_body("body", mass=1.0, inertia=(0.2, 0.3, 0.4))
    for method in ("generalized_alpha", "radau", "independent", "projection", "dop853", "rkf45"):
        with pytest.raises(
            fm.errors.SolverError, match="at the start the Euler angles 'ZXZ' of 'body' are at a singular"
        ):
            fm.simulate(m, 1.0, method, rotations="euler_angles", formulation="aba")
    assert fm.simulate(m, 0.1, rotations="euler_angles:XYZ", formulation="aba", progress=False).status == "finished"


def test_another_start_than_that_of_the_model():
    """The model stands where angles are not determined, and the run does not start there."""
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=1.0, inertia=(0.2, 0.3, 0.4))
    body.move(angular_velocity=(2.0, 0.1, 0.2))
    start = run(m, "dop853", t_end=0.4, times=[0.0, 0.4])
    given = {"t_start": 0.4, "initial": start, "t_end": 0.9, "times": [0.4, 0.9]}
    agree(run(m, "dop853", **given), run(m, "dop853", "aba", rotations="euler_angles:ZXZ", **given))


# -- refusals --------------------------------------------------------------------------------------------------------


def test_refusals_say_what_to_do():
    with pytest.raises(fm.errors.SolverError, match="rotations is for models in space"):
        fm.simulate(arm(), 0.1, rotations="euler_angles:ZYX", formulation="aba")
    with pytest.raises(
        fm.errors.SolverError, match=r"'euler_parameters', and in joint coordinates .* leave rotations out"
    ):
        fm.simulate(robot(), 0.1, "dop853", rotations="euler_parameters", formulation="aba")
