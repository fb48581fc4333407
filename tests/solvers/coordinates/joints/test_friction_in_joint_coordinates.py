"""Friction by the joints' own forces in joint coordinates: the motion, the forces and the events of absolute ones."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.joints.sticking import STICKS
from flexmb.solvers.coordinates.joints.followers import followers_of
from flexmb.system.sticking import set_friction, sticking_places
from tests.models.four_bars import four_bar_that_rubs
from tests.models.rubbing import arm_that_goes_out, block_on_rail, door, pushed, sticking_crank, sticking_swing
from tests.solvers.comparison import FINE, agree, done, run
from tests.solvers.every_method import METHODS as ALL
from tests.solvers.every_method import METHODS_WITH_OPTIONS

TIMES = np.linspace(0.0, 0.5, 6)
GIVEN: dict[str, Any] = {"t_end": 0.5, "times": TIMES}


def in_plane():
    """An arm with a slider, with friction in all joints."""
    m = fm.PlanarModel("arm", gravity=(0, -9.81))
    upper = m.add_body("upper", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    lower = m.add_body("lower", mass=0.8, inertia=0.08, position=(1.0, -0.4), angle=-0.5 * np.pi)
    slide = m.add_body("slide", mass=0.3, inertia=0.02, position=(1.0, -0.5), angle=0.2)
    shaft = fm.JointFriction(0.3, static=0.35, radius=0.05, smoothing=0.2, stribeck_speed=0.8, viscous=0.5)
    rail = fm.JointFriction(0.3, length=0.3, smoothing=0.2)
    m.revolute(m.ground, upper.attach("start", (-0.5, 0)), name="shoulder", friction=shaft)
    m.revolute(lower.attach("start", (-0.4, 0)), upper.attach("end", (0.5, 0)), name="elbow", friction=shaft)
    m.prismatic(lower.frame, slide.frame, axis=0.0, name="rail", friction=rail)
    m.spring_damper(m.ground.attach("hook", (2, 0)), slide.frame, stiffness=30.0, damping=0.5, name="spring")
    return m


def in_space():
    """A chain by a hinge, a slide, a ball and a sleeve, all with friction."""
    m = fm.SpatialModel("chain", gravity=(1.0, 0.5, -9.8))

    def law(**more):
        return fm.JointFriction(0.1, static=0.12, smoothing=0.05, stribeck_speed=0.5, **more)

    bodies = [
        m.add_body(f"body{k}", mass=1 + 0.3 * k, inertia=(0.1, 0.12, 0.05), position=(0.5 + k, 0.1 * k, 0.2 * k))
        for k in range(4)
    ]
    starts = [body.attach("start", (-0.5, 0.0, -0.1)) for body in bodies]
    ends = [m.ground.attach("foot", (0.0, 0.0, -0.1)), *(body.attach("end", (0.5, 0.1, 0.1)) for body in bodies)]
    m.revolute(ends[0], starts[0], axis="y", name="hinge", friction=law(radius=0.05, length=0.5))
    m.prismatic(starts[1], ends[1], axis=(0, 1, 1), name="slide", friction=law(radius=0.2, length=0.6))
    m.spherical(ends[2], starts[2], name="ball", friction=law(radius=0.05))
    m.cylindrical(ends[3], starts[3], axis="x", name="sleeve", friction=law(radius=0.05, length=0.5))
    m.spring_damper(m.ground.attach("hook", (0, 2, 0)), bodies[3].frame, stiffness=30.0, damping=0.3)
    for one, two in ((0, 1), (2, 3)):
        m.spring_damper(bodies[one].frame, bodies[two].frame, stiffness=300.0, damping=3.0)
    return m


@cache
def absolute(make, method):
    """A run in absolute coordinates, which all formulations are held against."""
    return run(make(), method, **GIVEN)


@cache
def absolute_swing(space, method):
    return fm.simulate(sticking_swing(space), 11.0, method, progress=False, **FINE[method])


@pytest.mark.parametrize("make", [in_plane, in_space])
@pytest.mark.parametrize("method", FINE)
def test_trees(method, make):
    """`radau` is held against another method: on the DAE it keeps fewer digits at such tolerances."""
    other = "dop853" if method == "radau" else method
    finest = {"tolerance": 1e-10} if method == "independent, radau" else {}
    agree(run(make(), other, **GIVEN, **finest), run(make(), method, "aba", **GIVEN, **finest))


@pytest.mark.parametrize("make", [in_plane, in_space])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_every_formulation(formulation, make):
    agree(absolute(make, "dop853"), run(make(), "dop853", formulation, **GIVEN))


def test_generalized_alpha():
    for make in (in_plane, in_space, four_bar_that_rubs):
        wanted = absolute(make, "dop853")
        off = []
        for step in (1e-3, 5e-4):
            found = fm.simulate(make(), 0.5, step=step, progress=False, formulation="aba", times=TIMES)
            off.append(np.abs(found.q - wanted.q).max())
        assert off[1] < 1e-5
        assert off[0] / off[1] == pytest.approx(4.0, rel=0.15)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("method", FINE)
def test_loops(method, formulation):
    one = absolute(four_bar_that_rubs, "dop853" if "radau" in method else method)
    other = run(four_bar_that_rubs(), method, formulation, **GIVEN)
    agree(one, other)
    assert one.energy.dissipated[-1] > 0.01 * np.max(one.energy.kinetic)
    assert np.ptp(one["left"].angle) > 0.2


def test_friction_takes_the_energy_that_the_ledger_says():
    found = run(in_plane(), "dop853", "aba", t_end=0.5, times=None)
    assert found.energy.dissipated[-1] > 0.1
    assert found.energy.error < 1e-5


def test_rows_that_repeat_others_elsewhere():
    m = door(None)
    stone = m.add_body("stone", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(3.0, 0.0, 0.0))
    friction = fm.JointFriction(0.2, smoothing=1e-3, small_force=1e-6)
    m.prismatic(m.ground, stone.frame, axis="x", friction=friction, name="rail")
    stone.frame.move((1.0, 0.0, 0.0))
    with pytest.warns(fm.errors.RedundancyWarning):
        found = fm.simulate(m, 0.1, "dop853", progress=False, formulation="aba")
    assert found["stone"].velocity[-1, 0] == pytest.approx(1.0 - 0.2 * 9.81 * 0.1, rel=1e-6)


def test_a_controller_pushes_a_block():
    m = block_on_rail()
    m.add_controller("push more", period=0.01, sensors=fm.control.Reference(0.1), commands="push", law=[[2.0]])
    one, other = (
        fm.simulate(m, 0.5, "dop853", tolerance=1e-10, progress=False, **more) for more in ({}, {"formulation": "aba"})
    )
    assert other["block"].velocity[-1, 0] == pytest.approx(one["block"].velocity[-1, 0], abs=1e-9)
    assert other.energy.dissipated[-1] == pytest.approx(one.energy.dissipated[-1], rel=1e-6)


@pytest.mark.parametrize(("method", "options"), METHODS_WITH_OPTIONS)
def test_a_joint_that_jams_ends_the_run_by_its_name(method, options):
    with pytest.warns(fm.errors.DivergenceWarning):
        found = fm.simulate(arm_that_goes_out(), 1.0, method, progress=False, formulation="aba", **options)
    assert found.status == "diverged"
    assert "joint 'rail' jams at t = 0.66" in found.message
    assert found.t[-1] == pytest.approx(2.0 / 3.0, abs=2e-3)


# -- what truly sticks -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ALL)
def test_it_breaks_away_at_its_limit(method):
    found = fm.simulate(pushed(fm.Polynomial([0.0, 10.0])), 0.6, method, progress=False, formulation="aba")
    assert done(found) == [("floor", "slides forward")]
    assert found.events[0].t == pytest.approx(0.4, abs=1e-7)
    assert np.ptp(found["block"].x[found.t < 0.4]) < 1e-15
    assert found["block"].vx[-1] > 0.0


@pytest.mark.parametrize(("method", "formulation"), [("dop853", "aba"), ("dop853", "dca"), ("independent", "aba")])
@pytest.mark.parametrize("space", [False, True])
def test_a_pendulum_turns_back_and_stops(space, method, formulation):
    one = absolute_swing(space, method)
    other = fm.simulate(sticking_swing(space), 11.0, method, progress=False, **FINE[method], formulation=formulation)
    assert done(one) == done(other) and done(one)[-1][1] == "sticks"
    assert [e.t for e in other.events] == pytest.approx([e.t for e in one.events], abs=1e-6)
    assert other.q[-1] == pytest.approx(one.q[-1], abs=1e-7)
    assert other.multipliers[-1] == pytest.approx(one.multipliers[-1], abs=1e-5)


def test_a_crank_comes_to_rest():
    """All four joints of a loop stick, of which two or more have to give way."""
    one, other = (
        fm.simulate(sticking_crank(0.15), 5.0, "dop853", progress=False, **more)
        for more in ({}, {"formulation": "ada"})
    )
    assert other.status == "finished"
    assert np.ptp(other["crank"].angle[other.t > 3.0]) < 1e-12
    assert other["crank"].angle[-1] == pytest.approx(one["crank"].angle[-1], abs=1e-3)


def test_a_pin_sticks_in_the_slot_that_closes_a_loop():
    """How far the pin is along the slot is no linear function of the angles of crank and lever: it is carried."""

    def quick_return():
        m = fm.PlanarModel("quick return", gravity=(0, -9.81))
        sticking_crank = m.add_body("crank", mass=1.0, inertia=0.1, position=(0.1, 1.0))
        lever = m.add_body("lever", mass=1.0, inertia=0.1, position=(0.1, 0.5), angle=np.arctan2(1.0, 0.2))
        m.revolute(m.ground.attach("center", (0, 1.0)), sticking_crank.attach("o", (-0.1, 0)), name="shaft")
        m.revolute(m.ground.attach("foot", (0, 0)), lever.attach("p", (-np.hypot(0.1, 0.5), 0)), name="foot hinge")
        law = fm.JointFriction(0.2, smoothing=0.0)
        m.pin_in_slot(lever.frame, sticking_crank.attach("pin", (0.1, 0)), friction=law, name="slot")
        m.point_torque(sticking_crank.frame, fm.Harmonic(6.0, 3.0))
        return m

    one, other = (
        fm.simulate(quick_return(), 1.0, "rkf45", step=1e-3, progress=False, **more)
        for more in ({}, {"formulation": "dca"})
    )
    assert done(one) == done(other) and len(done(one)) == 2
    assert [e.t for e in other.events] == pytest.approx([e.t for e in one.events], abs=1e-7)
    agree(one, other)


def two_hinges():
    """A chain that swings down and comes to rest in its second hinge."""
    m = fm.SpatialModel("two hinges", gravity=(0, 0, -9.81))
    law = fm.JointFriction(0.2, radius=0.03, length=0.1, smoothing=0.0)
    upper = m.add_body("upper", mass=2.0, inertia=(0.02, 0.03, 0.02), position=(0.3, 0, 0))
    lower = m.add_body("lower", mass=1.0, inertia=(0.01, 0.02, 0.02), position=(0.6, 0.1, 0))
    m.revolute(m.ground, upper.attach("start", (-0.3, 0, 0)), axis="y", friction=law, name="shoulder")
    end, start = upper.attach("end", (0.3, 0, 0)), lower.attach("start", (0, -0.1, 0))
    m.revolute(end, start, axis="x", friction=law, name="elbow")
    return m


def test_what_sticks_is_the_same_tree():
    """The inertia of what sticks is no mass: a tree that is made while joints stick has no links more."""
    system = fm.System(two_hinges())
    free = fm.Tree.of(system)
    set_friction(system.assembly, system.plan, STICKS)
    for place in (place for _, place in sticking_places(system.assembly, system.plan)):
        system.plan.p[place + 1] = 1e8  # the inertia of what sticks
    stuck = fm.Tree.of(system)
    assert (stuck.joints, stuck.nv, stuck.nodes.own.tolist()) == (free.joints, free.nv, free.nodes.own.tolist())
    assert followers_of(system, stuck, "").follower.tolist() == followers_of(system, free, "").follower.tolist()
    assert set_friction(system.assembly, system.plan, STICKS).tolist() == [STICKS, STICKS]


@pytest.mark.parametrize("formulation", ["aba", "ada"])
@pytest.mark.parametrize("method", ["radau", "independent"])
def test_two_hinges_in_independent_coordinates(method, formulation):
    """The independent coordinates are chosen again when the second hinge comes to rest."""
    wanted = fm.simulate(two_hinges(), 0.6, "dop853", tolerance=1e-9, progress=False)
    found = fm.simulate(two_hinges(), 0.6, method, progress=False, formulation=formulation, tolerance=1e-8)
    assert done(wanted) == done(found) == [("elbow", "sticks")]
    assert found.events[0].t == pytest.approx(wanted.events[0].t, abs=1e-7)
    for name in ("upper", "lower"):
        assert found[name].position[-1] == pytest.approx(wanted[name].position[-1], abs=1e-7)


@pytest.mark.parametrize("method", ["radau", "independent", "dop853"])
def test_the_travel_of_a_joint_that_closes_a_loop_where_the_start_is_moved(method):
    """A wedge on a ramp bears a slide by an upright guide; the pin of the slide is in a level slot. The given positions
    miss the ramp by 0.02 m. The travel of the guide is how far the slide stands above the wedge."""
    m = fm.PlanarModel("wedge", gravity=(0, -9.81))
    ramp = 0.4
    wedge = m.add_body("wedge", mass=2.0, inertia=0.1, position=(0.5 * np.cos(ramp), 0.5 * np.sin(ramp) + 0.02))
    slide = m.add_body("slide", mass=1.0, inertia=0.1, position=(0.9, 0.8))
    law = fm.JointFriction(0.1, smoothing=0.0, length=0.4)
    m.prismatic(m.ground, wedge.frame, axis=ramp, name="ramp")
    m.prismatic(wedge.frame, slide.frame, axis=np.pi / 2, name="top", friction=law)
    m.pin_in_slot(m.ground.attach("slot", (0.0, 0.8)), slide.frame, name="level")
    with pytest.warns(fm.errors.InitialConditionWarning):
        found = fm.simulate(m, 0.3, method, gaps="close", progress=False, formulation="aba")
    assert np.ptp(found["wedge"].x) > 0.05
    rose = found["slide"].y - found["wedge"].y
    np.testing.assert_allclose(found.coordinate("top.travel"), rose, rtol=0, atol=1e-9)


@pytest.mark.parametrize("formulation", [None, "aba"])
@pytest.mark.parametrize("method", ["dop853", "rkf45", "radau"])
def test_a_slide_on_a_turning_arm_breaks_away_at_the_instant_of_a_command(method, formulation):
    """The held push on a slide jumps beyond what friction holds, u + m ω² r > μ m g. What friction has left jumps
    through zero then, and its rate behind that is rounding."""
    options = {} if formulation is None else {"formulation": formulation}
    for k in (2, 7, 9, 12):
        turn = Rotation.random(random_state=k)
        axis = turn.apply([0.0, 0.0, 1.0])
        m = fm.SpatialModel("arm", gravity=turn.apply([0.0, 0.0, -10.0]))
        arm = m.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), orientation=turn)
        m.revolute(m.ground, arm.frame, axis=axis)
        m.drive_angle(m.ground, arm.frame, fm.Polynomial([0.0, 2.0]), axis=axis)
        place = turn.apply([0.5, 0.0, 0.0])
        slide = m.add_body("slide", mass=1.0, inertia=(0.1, 0.1, 0.1), position=place, orientation=turn)
        law = fm.JointFriction(0.5, smoothing=0.0, radius=0.1, length=0.2)
        m.prismatic(arm.attach("rail", (0.5, 0.0, 0.0)), slide.frame, axis="x", name="rail", friction=law)
        arm.frame.move((0.0, 0.0, 0.0), 2.0 * axis)
        slide.frame.move(turn.apply([0.0, 1.0, 0.0]), 2.0 * axis)
        m.point_force(slide.frame, (1.0, 0.0, 0.0), factor=0.0, axes="body", name="push")
        sensors = fm.control.Reference(0.0)
        m.add_controller("law", period=0.05, sensors=sensors, commands="push", law=lambda t, y: [3.2 * (t > 0.09)])
        found = fm.simulate(m, 0.3, method, progress=False, **options)
        assert found.status == "finished" and done(found) == [("rail", "slides forward")]
        assert found.events[0].t == pytest.approx(0.1, abs=1e-8)
