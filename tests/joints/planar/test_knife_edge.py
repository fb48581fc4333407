"""The knife edge: what it forbids and what it leaves free, its force, and messages."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import InitialConditionWarning, ModelError, RedundancyError
from flexmb.solvers.binding.initial_state import initial_state
from flexmb.validation.references.skate import Incline, Sleigh
from flexmb.validation.references.trailer import Trailer
from flexmb.validation.skate import on_incline, side_force, sleigh
from flexmb.validation.trailer import trailer


def floe():
    """A skater on a floe that floats freely, both turning."""
    m = fm.PlanarModel("floe")
    ice = m.add_body("ice", mass=30.0, inertia=4.0, position=(0.4, -0.2), angle=0.3)
    skater = m.add_body("skater", mass=2.0, inertia=0.2, position=(1.0, 0.5), angle=1.1, center=(0.2, -0.1))
    m.knife_edge(ice.frame, skater.attach("toe", (0.3, 0.1), 0.2), angle=0.35, name="blade")
    ice.rigid_motion((0.1, 0.2), -0.4, ice.frame.position)
    skater.rigid_motion((1.0, 0.5), 0.8, skater.frame.position)
    return m


def test_the_blade_leaves_momentum_and_energy_as_they_are():
    m = floe()
    with pytest.warns(InitialConditionWarning, match="'skater.x' was given 1 m/s and starts with"):
        run = fm.simulate(m, 3.0, "rkf45", step=2e-3, progress=False)
    system = fm.System(m)
    momentum = np.array([system.momentum(*state) for state in zip(run.t, run.q, run.v)])
    np.testing.assert_allclose(momentum, momentum[[0]].repeat(len(run.t), 0), atol=1e-11)
    np.testing.assert_allclose(run.energy.total, run.energy.total[0], rtol=1e-12)
    assert abs(run.energy.kinetic[-1] / run.energy.kinetic[0] - 1.0) < 1e-12
    assert np.max(np.abs(run.multipliers)) > 0.1


def test_the_blade_slips_neither_over_the_ground_nor_over_a_body():
    with pytest.warns(InitialConditionWarning):
        run = fm.simulate(floe(), 1.0, progress=False)
    toe, ice = run["skater.toe"], run["ice"]
    arm = toe.position - ice.position
    under = ice.velocity + ice.angular_velocity[:, None] * np.column_stack([-arm[:, 1], arm[:, 0]])
    heading = toe.angle + 0.35
    across = np.column_stack([-np.sin(heading), np.cos(heading)])
    slip = np.einsum("ij,ij->i", toe.velocity - under, across)
    np.testing.assert_allclose(slip, 0.0, atol=1e-11)
    assert (
        np.max(np.abs(np.einsum("ij,ij->i", toe.velocity - under, np.column_stack([across[:, 1], -across[:, 0]]))))
        > 0.5
    )


def test_any_place_can_be_reached_so_that_no_position_is_lost():
    """A skate that starts beside its later track, or turned, is not moved; only its speed is."""
    m = on_incline(Incline())
    m.components["skate"].rigid_motion((1.0, 1.0), 0.0, (0.0, 0.0))
    with pytest.warns(
        InitialConditionWarning, match="do not fit the joints: 'skate.y' was given 1 m/s and starts with 0"
    ):
        state = initial_state(m)
    np.testing.assert_allclose(state.q, 0.0, atol=1e-15)
    np.testing.assert_allclose(state.v, [1.0, 0.0, 0.0], atol=1e-9)


def test_speeds_that_are_not_given_follow_from_those_that_are():
    m = trailer(Trailer(start=0.7), wheels=1)
    state = initial_state(m)
    rate = -1.5 / 2.0 * np.sin(0.7)
    assert state.v[2] == pytest.approx(rate, abs=1e-12)
    np.testing.assert_allclose(state.q, np.array([*(-2.0 * np.array([np.cos(0.7), np.sin(0.7)])), 0.7]), atol=1e-12)


def test_two_wheels_of_one_axle_are_one_too_many():
    data = Trailer()
    with pytest.raises(RedundancyError, match=r"joint 'right' \(row across\) with joint 'left'; remove one"):
        fm.simulate(trailer(data), 1.0, redundant="error", progress=False)
    with pytest.warns(fm.errors.RedundancyWarning, match=r"joint 'right' \(row across\) with joint 'left'"):
        both = fm.simulate(trailer(data), 1.0, step=5e-3, progress=False)
    one = fm.simulate(trailer(data, wheels=1), 1.0, step=5e-3, progress=False)
    np.testing.assert_allclose(both.q, one.q, atol=1e-9)
    np.testing.assert_allclose(both["left.fx"] + both["right.fx"], one["wheel.fx"], atol=1e-7)
    np.testing.assert_allclose(both["left.fx"], both["right.fx"], atol=1e-9)  # the smallest forces
    assert [row.owner for row in both.source.system.rows] == ["left", "tow", "rail"]
    assert both.joints_not_unique == ["left", "right"] and both.unique_reactions("tow")


@pytest.mark.parametrize("first", ["blade", "rail"])
def test_a_blade_along_a_slide_is_left_out_and_not_the_slide(first):
    m = fm.PlanarModel("slide", gravity=(1.0, -9.81))
    body = m.add_body("body", mass=2.0, inertia=0.1)
    if first == "blade":
        m.knife_edge(m.ground, body.frame, name="blade")
    m.prismatic(m.ground, body.frame, name="rail")
    if first == "rail":
        m.knife_edge(m.ground, body.frame, name="blade")
    with pytest.raises(RedundancyError, match=r"joint 'blade' \(row across\) with joint 'rail'"):
        fm.simulate(m, 1.0, redundant="error", progress=False)
    with pytest.warns(fm.errors.RedundancyWarning):
        run = fm.simulate(m, 1.0, progress=False)
    assert [row.owner for row in run.source.system.rows] == ["rail", "rail"]
    assert run["body.x"][-1] == pytest.approx(0.5, abs=1e-6)


@pytest.mark.warns(fm.errors.RedundancyWarning, "joints constrain the same motion")
def test_a_row_that_was_left_out_and_no_longer_holds_ends_the_run():
    """A second blade, in line with the first at the start only: it turns against the body, at once or soon."""
    m, wheel = _steered(fm.Polynomial([0.0, 0.3]))
    wheel.rigid_motion((1.0, 0.0), 0.3, (0.0, 0.0))
    with (
        pytest.warns(fm.errors.RedundancyWarning),
        pytest.raises(RedundancyError, match=r"wheel edge .* in the accelerations"),
    ):
        fm.simulate(m, 1.0, progress=False)
    m, wheel = _steered(fm.Polynomial([0.0, 0.0, 0.0, 30.0]))
    wheel.rigid_motion((1.0, 0.0), 0.0, (0.0, 0.0))
    with pytest.warns(
        fm.errors.DivergenceWarning, match="wheel edge .across. was left out as redundant and contradicts"
    ):
        run = fm.simulate(m, 1.0, progress=False)
    assert run.status == "diverged" and run.t[-1] < 0.02


def _steered(angle):
    m = fm.PlanarModel("steered")
    body = m.add_body("body", mass=2.0, inertia=0.1)
    wheel = m.add_body("wheel", mass=0.1, inertia=0.01)
    m.revolute(body.frame, wheel.frame, name="pin")
    m.drive_angle(body.frame, wheel.frame, angle, name="steering")
    m.knife_edge(m.ground, body.frame, name="blade")
    m.knife_edge(m.ground, wheel.frame, name="wheel edge")
    body.rigid_motion((1.0, 0.0), 0.0, (0.0, 0.0))
    return m, wheel


@pytest.mark.parametrize(
    ("what", "analysis"),
    [
        ("equilibrium", fm.equilibrium),
        ("equilibrium", lambda m: fm.quasi_static(m, 1.0)),
        ("modes", fm.modes),
        ("complex modes", fm.complex_modes),
        ("modes", lambda m: fm.linearize(m, "sleigh.fx", "sleigh.x", modes=1)),
        ("kinematics", lambda m: fm.kinematics(m, 1.0)),
        ("frequency response", lambda m: fm.frequency_response(m, "sleigh.fx", "sleigh.x", [1.0])),
        ("sensitivity", lambda m: fm.static_sensitivity(lambda a: m, {"a": 1.0}, "sleigh.x")),
    ],
)
def test_analyses_of_positions_refuse_it_by_name(what, analysis):
    with pytest.raises(ModelError, match=f"^{what} of .*: joint 'blade' constrains speeds and no positions"):
        analysis(sleigh(Sleigh(speed=0.0, spin=0.0)))


def test_load_paths_refuse_it():
    m = sleigh(Sleigh(speed=0.0, spin=0.0))
    m.point_force(m.frames["sleigh"], (1.0, 0.0), name="push")
    with pytest.raises(ModelError, match=r"load path of model .* joint 'blade' constrains speeds"):
        fm.equilibrium_path(m, "push", factor=1.0)


def test_a_sketch_closes_the_joints_and_leaves_the_blade_alone():
    m = fm.PlanarModel("sketch")
    body = m.add_body("body", mass=1.0, inertia=0.1, position=(0.9, 0.2))
    m.revolute(m.ground, body.attach("pin", (-1.0, 0.0)), name="pin")
    m.knife_edge(m.ground, body.frame, name="blade")  # along the arm, which could turn without it
    state = fm.assemble(m)
    assert np.hypot(*state.q[:2]) == pytest.approx(1.0, abs=1e-12)


def test_a_solution_keeps_the_force_in_its_file(tmp_path):
    data = Sleigh()
    run = fm.simulate(sleigh(data), 1.0, "rkf45", step=2e-3, progress=False)
    np.testing.assert_allclose(side_force(run, "sleigh"), data.force(run.t), atol=1e-11)
    run.save(tmp_path / "sleigh.h5")
    again = fm.load(tmp_path / "sleigh.h5")
    assert np.array_equal(again["blade.fy"], run["blade.fy"])


def test_the_blade_is_drawn_along_its_heading():
    m = sleigh(Sleigh())
    run = fm.simulate(m, 1.0, progress=False)
    lines = m.components["blade"].drawn(run)
    along = lines[0][:, 1] - lines[0][:, 0]
    np.testing.assert_allclose(np.arctan2(along[:, 1], along[:, 0]), run["sleigh.angle"], atol=1e-12)
    run.draw()


def test_it_says_what_is_wrong():
    m = fm.PlanarModel("m")
    body = m.add_body("body", mass=1.0, inertia=0.1)
    with pytest.raises(ModelError, match="joint 'edge': frames 'body' and 'body' are parts of the same body"):
        m.knife_edge(body.frame, body.frame, name="edge")
    with pytest.raises(ModelError, match="joint 'edge': angle"):
        m.knife_edge(m.ground, body.frame, angle="forward", name="edge")
