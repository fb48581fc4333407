"""Motions with orientations: every method keeps its order and unit quaternions, at any number of turns."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.spatial import SpatialModel
from flexmb.system.accelerations import work_for
from flexmb.validation import free_rotation, heavy_top
from flexmb.validation.references import free_rotation as body
from flexmb.validation.references import heavy_top as top
from tests.models.chains import askew

#: options of each method that come within 1e-6 m of the heavy top's place after 0.2 s, 30 rad
ACCURATE = {
    "projection": {"tolerance": 1e-9, "absolute_tolerance": 1e-11},
    "baumgarte": {"tolerance": 1e-9, "absolute_tolerance": 1e-11},
    "rkf45": {"step": 5e-4},
    "dop853": {"tolerance": 1e-8},
    "independent": {"tolerance": 1e-8, "absolute_tolerance": 1e-10},
    "generalized_alpha": {"step": 2e-5},
    "radau": {"tolerance": 1e-7},
}


def quaternions(solution, name):
    return solution[name].values[:, 3:7]


def longest_off_unit(solution, name):
    return float(np.max(np.abs(np.linalg.norm(quaternions(solution, name), axis=1) - 1.0)))


@pytest.mark.parametrize("method", ACCURATE)
def test_every_method_follows_a_top_at_150_radians_a_second(method):
    solution = fm.simulate(heavy_top.build(), 0.2, method, progress=False, **ACCURATE[method])
    q, omega = top.motion(solution.t)
    assert np.max(np.abs(solution["top"].position - top.center(q))) < 1e-6
    assert np.max(np.abs(solution.v[:, 3:6] - omega)) < 2e-5
    # forces swing at 150 rad/s between ±320 N: 2e-5 of an error of ω is 1e-5 of them
    assert np.max(np.abs(-solution.multipliers - top.force(q, omega))) < 5e-3
    assert longest_off_unit(solution, "top") < 4e-16
    assert solution.energy.error < 1e-6


def test_generalized_alpha_is_of_second_order_in_places_speeds_and_multipliers():
    errors = []
    for step in (1e-3, 5e-4):
        solution = fm.simulate(heavy_top.build(), 0.1, step=step, progress=False)
        q, omega = top.motion(solution.t)
        held = np.abs(-solution.multipliers - top.force(q, omega))
        place = np.abs(solution["top"].position - top.center(q))
        speed = np.abs(solution.v[:, 3:6] - omega)
        errors.append([np.max(place), np.max(speed), np.max(held), np.max(held[1])])
    orders = np.log2(np.array(errors[0]) / errors[1])
    # of λ from the first step on; the largest error of all steps is there
    assert orders == pytest.approx([2.0, 2.0, 2.0, 2.0], abs=0.03)


def test_order_of_a_free_body():
    errors = []
    for step in (2e-2, 1e-2):
        solution = fm.simulate(free_rotation.build(), 4.0, step=step, progress=False)
        q = body.orientation(body.INERTIA, body.START, solution.t)
        errors.append(np.max(np.abs(quaternions(solution, "body") - q)))
        assert longest_off_unit(solution, "body") < 4e-16
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.02)


@pytest.mark.parametrize(("step", "most"), [(2e-3, 2.2), (1e-3, 2.2)])
def test_iterations_where_a_step_turns_far(step, most):
    """0.3 and 0.15 rad a step; without T on the constraint rows it would be 12 and 8."""
    solution = fm.simulate(heavy_top.build(), 0.2, step=step, progress=False)
    assert solution.statistics.iterations < most * solution.statistics.steps


def shaft(stiffness):
    """Two bodies that spin together about z, on a rotational spring between them, and one of them is out of line."""
    m = SpatialModel("shaft")
    a = m.add_body("a", mass=1.0, inertia=(1.0, 1.0, 1.6))
    tilt = Rotation.from_rotvec([0.0, 0.1, 0.0])
    b = m.add_body("b", mass=1.0, inertia=(0.5, 0.6, 0.9), position=(0.0, 0.0, 0.3), orientation=tilt)
    for part in (a, b):
        part.move(np.cross((0.0, 0.5, 30.0), part.frame.position) + (0.3, -0.2, 0.1), (0.0, 0.5, 30.0))
    m.bushing(a.frame, b.frame, stiffness=(1e3, 1e3, 1e3, *stiffness), free_orientation=np.eye(3), free=(0.0, 0.0, 0.3))
    return m


@pytest.mark.warns(fm.errors.AccuracyWarning, "its energy balance is off by")
@pytest.mark.warns(fm.errors.AccuracyWarning, "the estimated error of its motion")
def test_bodies_on_a_stiff_rotational_spring_that_spins():
    """√(k/J) h is about 1, and 0.15 rad a step."""
    stiff = (2e4, 3e4, 2.5e4)
    exact = fm.simulate(shaft(stiff), 0.1, "projection", tolerance=1e-11, absolute_tolerance=1e-13, progress=False)
    errors = []
    for step in (5e-5, 2.5e-5):
        solution = fm.simulate(shaft(stiff), 0.1, step=step, spectral_radius=1.0, progress=False)
        errors.append(np.max(np.abs(quaternions(solution, "b")[-1] - quaternions(exact, "b")[-1])))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)
    coarse = fm.simulate(shaft(stiff), 0.5, step=5e-3, progress=False)
    assert coarse.statistics.rejected == 0 and coarse.statistics.factorizations < coarse.statistics.steps / 10


def test_momentum_of_free_bodies_stays():
    """Linear momentum to round-off; the moment of momentum, whose axes turn, as accurately as the method is."""
    lost = []
    for method, options in (
        ("projection", {"tolerance": 1e-10, "absolute_tolerance": 1e-12}),
        ("generalized_alpha", {"step": 1e-4}),
    ):
        solution = fm.simulate(shaft((2e2, 3e2, 2.5e2)), 0.2, method, progress=False, **options)
        system = fm.System(solution.model)
        momenta = np.array([system.momentum(t, q, v) for t, q, v in zip(solution.t, solution.q, solution.v)])
        lost.append(np.max(np.abs(momenta - momenta[0]), axis=0) / np.linalg.norm(momenta[0]))
    assert np.max(np.array(lost)[:, :3]) < 1e-14
    assert np.max(lost[0]) < 1e-11 and np.max(lost[1]) < 1e-6


def wound(turns, axis=(0.3, 0.5, 1.0)):
    """A rotor on a hinge that lies askew, on a spring wound up by many turns: s̈ = s₀ − s."""
    m = SpatialModel("wound")
    rotor = m.add_body("rotor", mass=1.0, inertia=(0.2, 0.3, 0.25), position=(0.1, 0.2, 0.3))
    n = np.array(axis) / np.linalg.norm(axis)
    inertia = n @ np.diag([0.2, 0.3, 0.25]) @ n
    post = m.ground.attach("post", (0.1, 0.2, 0.3))
    m.revolute(post, rotor.frame, axis=axis, name="hinge")
    m.torsion_spring(post, rotor.frame, axis=axis, stiffness=inertia, free_angle=2.0 * np.pi * turns, name="spiral")
    return m


@pytest.mark.parametrize(
    ("method", "options", "off"),
    [
        ("generalized_alpha", {"step": 1e-3}, 1e-5),
        ("projection", {"tolerance": 1e-9, "absolute_tolerance": 1e-9}, 1e-5),
        ("rkf45", {"step": 1e-3}, 1e-4),
        ("dop853", {}, 1e-8),
        ("independent", {"tolerance": 1e-8, "absolute_tolerance": 1e-8}, 1e-4),
        ("radau", {"tolerance": 1e-6}, 1e-5),
    ],
)
def test_a_hinge_counts_its_turns(method, options, off):
    """100 turns in a quarter of the period."""
    solution = fm.simulate(wound(100), 0.5 * np.pi, method, progress=False, **options)
    exact = 200.0 * np.pi * (1.0 - np.cos(solution.t))
    assert np.max(np.abs(solution.coordinate("spiral.turn") - exact)) < off * 200.0 * np.pi
    turned = solution["rotor"].orientation[-1].as_rotvec()
    left = exact[-1] - 200.0 * np.pi
    assert np.linalg.norm(turned) == pytest.approx(abs(left), abs=off * 200.0 * np.pi)


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "independent", "projection"])
def test_a_hinge_counts_a_thousand_turns(method):
    solution = fm.simulate(wound(1000), 0.5 * np.pi, method, progress=False)
    s = solution.coordinate("spiral.turn")
    assert s[-1] == pytest.approx(2000.0 * np.pi, rel=1e-6)
    assert longest_off_unit(solution, "rotor") < 4e-16
    if method == "independent":  # of which the counted angle is carried, a smooth function, and no orientation
        assert solution.statistics.steps < 4000  # four a turn, where an orientation needs more than twenty


def test_a_driven_hinge_follows_through_many_turns():
    """50 turns; the moment of the drive is J f̈ about the axis."""
    m = SpatialModel("driven")
    rotor = m.add_body("rotor", mass=1.0, inertia=(0.2, 0.3, 0.25), orientation=Rotation.from_rotvec([0.3, 0.2, 0.1]))
    m.revolute(m.ground, rotor.frame, axis="x", name="hinge")
    angle = fm.SmoothStep(0.0, 2.0, 0.0, 100.0 * np.pi)
    m.drive_angle(m.ground, rotor.frame, angle, axis="x", name="drive")
    solution = fm.simulate(m, 2.0, step=1e-3, progress=False)
    wanted = np.array([angle(t) for t in solution.t])
    assert np.max(np.abs(solution.coordinate("drive.turn") - wanted)) < 1e-9
    axis = rotor.frame.orientation.inv().apply([1.0, 0.0, 0.0])
    inertia = axis @ np.diag([0.2, 0.3, 0.25]) @ axis
    moment = -solution.multipliers_of("drive")[:, 1]
    second = np.array([angle.second_rate(t) for t in solution.t])
    assert np.max(np.abs(moment - inertia * second)) < 1e-3 * inertia * np.max(np.abs(second))
    turned = solution["rotor"].orientation[-1] * solution["rotor"].orientation[0].inv()
    assert np.linalg.norm(turned.as_rotvec()) < 1e-8


@pytest.mark.parametrize(("method", "allowed"), {"projection": 1e-6, "baumgarte": 1e-6, "independent": 1e-4}.items())
def test_even_turning_stays_accurate_at_default_tolerances(method, allowed):
    m = SpatialModel("wheel")
    m.add_body("wheel", mass=1.0, inertia=(1.0, 1.0, 2.0))
    m.set_rigid_motion(angular_velocity=(0.0, 0.0, 1.0))
    solution = fm.simulate(m, 100.0, method, progress=False)
    wanted = Rotation.from_rotvec([0.0, 0.0, 100.0])
    assert (wanted.inv() * solution["wheel"].orientation[-1]).magnitude() < allowed


def test_independent_coordinates_given_by_name_turn_beyond_their_charts():
    """Two hinges that lie askew; the first turns by more than 10 rad, a chart ends at 2 rad."""
    m = askew()
    exact = fm.simulate(m, 2.0, "projection", tolerance=1e-11, absolute_tolerance=1e-13, progress=False)
    named = {"tolerance": 1e-9, "absolute_tolerance": 1e-11, "coordinates": ["upper.wz", "lower.wy"]}
    solution = fm.simulate(m, 2.0, "independent", progress=False, **named)
    assert solution.status == "finished" and solution.statistics.repartitions > 4
    np.testing.assert_allclose(solution["lower"].position[-1], exact["lower"].position[-1], atol=1e-6)


def test_rkf45_has_room_for_the_rates_of_many_orientations():
    m = SpatialModel("swarm")
    for k in range(12):
        m.add_body(f"body {k}", mass=1.0, inertia=(1.0, 1.0, 2.0), position=(k, 0, 0))
    m.set_rigid_motion(angular_velocity=(0.0, 0.0, 1.0))
    system = fm.System(m)
    assert system.nq > system.plan.total  # more rates of coordinates than speeds, fixed frames included
    assert len(work_for(system.plan).aux) >= system.nq
    solution = fm.simulate(m, 0.1, "rkf45", step=0.01, progress=False)
    assert solution["body 11"].orientation[-1].as_rotvec() == pytest.approx([0.0, 0.0, 0.1], abs=1e-12)
