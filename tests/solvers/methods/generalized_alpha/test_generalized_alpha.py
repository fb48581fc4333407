"""The loop of generalized-α: its grid of times, uneven steps, what rounding leaves, stiff and fine models."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.errors import DivergenceWarning
from flexmb.solvers.methods.generalized_alpha.alpha_state import Coefficients
from flexmb.validation import andrews, free_flight
from tests.models.chains import chain
from tests.models.pendulums import pendulum

# -- times ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("step", "t_end"), [(1e-5, 1.0), (1e-3, 100.0)])
def test_a_fixed_grid_is_no_running_sum(step, t_end):
    """After about 1e5 steps a sum of them lags by 1e-7 of one."""
    run = fm.simulate(pendulum(), t_end, step=step, progress=False)
    assert run.status == "finished"
    np.testing.assert_array_equal(run.t[:-1], step * np.arange(len(run.t) - 1))
    assert run.t[-1] == t_end
    assert run.statistics.steps == round(t_end / step)
    assert run.energy.error < 1e-5
    # the joint's force follows from the motion: m (a − g)
    force, _ = run.reaction("hinge")
    np.testing.assert_allclose(force, run["bob"].acceleration + [0.0, 9.81], atol=1e-3)


@pytest.mark.warns(fm.errors.AccuracyWarning, "its energy balance is off by")
def test_a_divided_step_meets_the_grid_again():
    """Four turns in a second, then at rest: the drive asks for more than half a radian in a step."""
    model = fm.PlanarModel("wheel")
    wheel = model.add_body("wheel", mass=1.0, inertia=0.1)
    model.revolute(model.ground, wheel.frame)
    model.drive_angle(model.ground, wheel.frame, fm.SmoothStep(0.2, 1.0, 0.0, 8.0 * np.pi))
    run = fm.simulate(model, 2.0, step=0.05, progress=False)
    assert np.array_equal(run.t, [*(0.05 * np.arange(40)), 2.0])
    assert 12 < run.statistics.divided < 18
    assert 8.0 * np.pi / 0.5 < run.statistics.steps < 150
    assert run["wheel.angle"][-1] == pytest.approx(8.0 * np.pi, abs=1e-9)


def test_save_every_counts_points_of_the_grid():
    model = pendulum()
    model.component("bob").frame.move(angular_velocity=0.0)
    run = fm.simulate(model, 1.05, step=0.01, save_every=10, progress=False)
    np.testing.assert_allclose(run.t, [*(0.1 * np.arange(11)), 1.05], atol=1e-12)


def exact_pendulum(t: np.ndarray, rate: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Angle and joint force (k, 2) of the pendulum, 1.1 θ̈ = −9.81 cos θ, at rising times."""
    run = solve_ivp(lambda _, y: [y[1], -9.81 / 1.1 * np.cos(y[0])], (0.0, t[-1]), [0.0, rate], "DOP853", t, rtol=1e-12,
                    atol=1e-13)  # fmt: skip
    angle, omega = run.y
    turn = -9.81 / 1.1 * np.cos(angle)
    c, s = np.cos(angle), np.sin(angle)
    force = np.stack([-turn * s - omega**2 * c, turn * c - omega**2 * s + 9.81], axis=1)
    return angle, force


@pytest.mark.parametrize("sliver", [0.4, 1e-2, 1e-4, 1e-6, 1e-8])
def test_a_tiny_last_step_leaves_the_joint_force_alone(sliver):
    step = 1e-3
    run = fm.simulate(pendulum(), 1.0 + sliver * step, step=step, progress=False)
    angle, force = exact_pendulum(run.t[-2:])
    np.testing.assert_allclose(run["bob"].angle[-2:], angle, atol=1e-5)
    np.testing.assert_allclose(run.reaction("hinge")[0][-2:], force, atol=2e-4)


@pytest.mark.parametrize("period", [1e-3, 0.7e-3, 1.000001e-3, 0.99999e-3, 3.14159e-3])
@pytest.mark.parametrize("options", [{"step": 1e-3}, {"tolerance": 1e-6}])
def test_instants_of_controllers_off_the_grid_leave_no_noise(period, options):
    """A controller that commands nothing: its instants divide steps in all proportions."""
    model = pendulum()
    torque = model.point_torque(model.frame("bob"), 0.0, name="torque")
    idle = [[0.0]]
    model.add_controller("idle", period=period, sensors=[fm.control.Reference(1.0)], commands=torque, law=idle)
    run = fm.simulate(model, 1.0, "generalized_alpha", progress=False, **options)
    angle, force = exact_pendulum(run.t)
    np.testing.assert_allclose(run["bob"].angle, angle, atol=3e-5)
    np.testing.assert_allclose(run.reaction("hinge")[0], force, atol=5e-3)
    # noise of a tiny step shows as a force that jumps from one time to the next
    jumps = np.abs(np.diff(run.reaction("hinge")[0] - force, axis=0)).max()
    assert jumps < 2e-3


def test_commands_that_change_at_each_step_cost_no_order():
    """A wheel on a spring with a held braking torque, solved exactly from instant to instant."""
    errors = []
    for step in (0.01, 0.005):
        model = fm.PlanarModel("wheel")
        wheel = model.add_body("wheel", mass=1.0, inertia=1.0)
        model.revolute(model.ground, wheel.frame)
        model.torsion_spring(model.ground, wheel.frame, stiffness=50.0, free_angle=0.0)
        wheel.move(angular_velocity=1.0)
        torque = model.point_torque(wheel.frame, 0.0, name="brake")
        rate = fm.control.RelativeRate(model.ground, wheel.frame)
        model.add_controller("brake", period=0.01, sensors=[rate], commands=torque, law=[[-0.5]])
        run = fm.simulate(model, 2.0, step=step, progress=False)
        # the same with the exact motion between instants
        w = np.sqrt(50.0)
        c, s = np.cos(w * 0.01), np.sin(w * 0.01)
        angle, speed = 0.0, 1.0
        for _ in range(200):
            u = -0.5 * speed / 50.0
            angle, speed = u + (angle - u) * c + speed / w * s, -(angle - u) * w * s + speed * c
        errors.append(abs(run["wheel.angle"][-1] - angle))
    assert errors[1] < 0.3 * errors[0]


def test_a_turn_that_no_fixed_step_follows_is_told_with_one_that_would():
    model = fm.PlanarModel("top")
    wheel = model.add_body("wheel", mass=1.0, inertia=0.1, position=(-0.01, 0.0))
    model.revolute(model.ground, wheel.attach("rim", (0.01, 0.0)))
    wheel.move(velocity=(0.0, -1e5), angular_velocity=1e7)
    says = r"'wheel.angle' turns at .*e\+0. rad/s, too fast for a step of 0.01 s.*take one of .*e-"
    with pytest.warns(DivergenceWarning, match=says):
        fm.simulate(model, 0.1, step=0.01, progress=False)


@pytest.mark.warns(fm.errors.AccuracyWarning, "its energy balance is off by")
@pytest.mark.warns(fm.errors.AccuracyWarning, "the estimated error of its motion")
def test_a_long_step_follows_a_fast_turn():
    """1000 rad/s with a step of 5 ms: five radians a step."""
    model = fm.PlanarModel("rotor", gravity=(0.0, -9.81))
    rotor = model.add_body("rotor", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    model.revolute(model.ground, rotor.attach("axle", (-0.5, 0.0)))
    model.set_rigid_motion(angular_velocity=1000.0)
    run = fm.simulate(model, 0.1, step=5e-3, progress=False)
    assert run.statistics.divided == 20 and run.statistics.steps >= 200
    assert run["rotor.angle"][-1] == pytest.approx(100.0, rel=0.03)


# -- stiff and fine models --------------------------------------------------------------------------------------------


def stiff_pendulum(EA: float, elements: int) -> fm.PlanarModel:
    """A rod of 1 m and 1 kg that is as good as rigid, released level."""
    stiff = fm.planar.BeamProperties(EA=EA, EI=EA / 1000.0, rhoA=1.0, rhoI=1e-3, GA=0.3 * EA)
    model = fm.PlanarModel("stiff pendulum", gravity=(0.0, -9.81))
    rod = model.add_beam("rod", (0, 0), (1, 0), properties=stiff, theory="exact", elements=elements)
    model.revolute(model.ground, rod.start, name="hinge")
    return model


def rigid_rod() -> fm.Solution:
    model = fm.PlanarModel("rigid rod", gravity=(0.0, -9.81))
    rod = model.add_body("rod", mass=1.0, inertia=1.0 / 12.0 + 1e-3, position=(0.5, 0.0))
    model.revolute(model.ground, rod.attach("start", (-0.5, 0.0)))
    rod.attach("end", (0.5, 0.0))
    return fm.simulate(model, 1.0, "projection", tolerance=1e-11, absolute_tolerance=1e-12, progress=False)


@pytest.mark.parametrize("elements", [1, 8, 32])
@pytest.mark.parametrize("EA", [1e8, 1e9, 1e10, 1e11])
def test_the_stiffer_a_rod_the_nearer_to_a_rigid_one(EA, elements):
    run = fm.simulate(stiff_pendulum(EA, elements), 1.0, "generalized_alpha", progress=False)
    assert run.status == "finished"
    assert run.energy.error < 3e-4
    # finite elements with linear shapes have 1 + 1/(2 n²) times the inertia about the end... of a rigid rod exactly one
    np.testing.assert_allclose(run["rod.end"].position[-1], rigid_rod()["rod.end"].position[-1], atol=2e-3)
    assert run.statistics.rejected <= 10


def cable(elements: int) -> fm.PlanarModel:
    """Length 2 m, diameter 10 mm, E = 2e9 Pa, hinged and released level."""
    model = fm.PlanarModel("cable", gravity=(0.0, -9.81))
    material, section = fm.Material(density=7850.0, youngs_modulus=2e9), fm.Circle(diameter=0.01)
    rope = model.add_beam("rope", (0, 0), (2, 0), material=material, section=section, theory="ancf", elements=elements)
    model.revolute(model.ground, rope.start)
    return model


@pytest.mark.parametrize("options", [{"step": 1e-3}, {"step": 1e-5}, {"step": 1e-3, "newton_tolerance": 1e-13}, {}])
@pytest.mark.warns(fm.errors.AccuracyWarning, "bends without shear", options={"step": 1e-5})
def test_a_fine_cable_steps_like_a_coarse_one(options):
    """The first millisecond of 64 and of 4096 elements: rounding is three thousand times as large in the second."""
    t_end = 3e-4 if options.get("step") == 1e-5 else 0.03
    coarse, fine = (fm.simulate(cable(n), t_end, "generalized_alpha", progress=False, **options) for n in (64, 4096))
    assert fine.status == "finished"
    steps, fewest = fine.statistics.steps, coarse.statistics.steps
    assert steps <= 1.6 * fewest
    assert fine.statistics.rejected <= 0.2 * steps
    assert fine.statistics.iterations <= 5 * steps
    assert fine.energy.error < 1e-4
    np.testing.assert_allclose(fine["rope.end"].position[-1], coarse["rope.end"].position[-1], atol=1e-5)


def test_a_solution_a_turn_further_is_not_taken():
    """The equations of a step have others, in which nodes have turned once more and fly."""
    asked = {"tolerance": 1e-5, "newton_tolerance": 1e-12}
    run = fm.simulate(stiff_pendulum(1e11, 32), 0.2, "generalized_alpha", progress=False, **asked)
    assert np.abs(np.diff(run.q[:, run.layout.coordinates.index("rod.end.angle")])).max() < 0.5
    assert run.energy.error < 3e-4
    assert run.statistics.steps < 200


def test_coefficients_are_those_of_chung_and_hulbert():
    for rho in (0.0, 0.4, 1.0):
        scheme = Coefficients.of(rho)
        am, af = scheme.alpha_m, scheme.alpha_f
        assert scheme.gamma == pytest.approx(0.5 - am + af)
        assert scheme.beta == pytest.approx(0.25 * (1.0 - am + af) ** 2)
        assert scheme.on_a == pytest.approx((1.0 - am) / (1.0 - af))


def test_joint_forces_are_of_second_order():
    """From the first step on, from a start that turns already."""
    errors = []
    for step in (4e-3, 2e-3, 1e-3):
        model = pendulum()
        model.set_rigid_motion(angular_velocity=3.0)
        run = fm.simulate(model, 0.04, step=step, progress=False)
        errors.append(np.abs(run.reaction("hinge")[0] - exact_pendulum(run.t, 3.0)[1]).max())
    assert errors[0] > 3.5 * errors[1] > 12.0 * errors[2]


# -- the error that was asked for -------------------------------------------------------------------------------------


@pytest.mark.parametrize("tolerance", [1e-3, 1e-4, 1e-5])
def test_the_tolerance_is_the_error(tolerance):
    """Of a pendulum over a short and a long run, and of a chain and a squeezer in which errors grow."""
    for t_end in (2.0, 40.0):
        run = fm.simulate(pendulum(), t_end, "generalized_alpha", tolerance=tolerance, progress=False)
        assert np.max(np.abs(run["bob.angle"] - exact_pendulum(run.t)[0])) < 10.0 * tolerance
    for build, t_end in ((chain, 3.0), (andrews.build, 0.03)):
        exact = fm.simulate(build(), t_end, "radau", tolerance=1e-9, progress=False)
        run = fm.simulate(build(), t_end, "generalized_alpha", tolerance=tolerance, progress=False)
        assert np.max(np.abs(run.q[-1] - exact.q[-1])) < 10.0 * tolerance


def blade(length: float) -> fm.PlanarModel:
    """An undamped blade on a hinge, whose tip is pushed at once; in all lengths the motion is the same in units of the
    time in which stretching runs through it."""
    model = fm.PlanarModel("blade", gravity=(0, 0))
    width, height, modulus = 0.02 * length, 0.005 * length, 70e9
    material, section = fm.Material(2700.0, modulus, poissons_ratio=0.33), fm.Rectangle(width, height)
    rod = model.add_beam("rod", (0, 0), (length, 0), material=material, section=section)
    model.revolute(model.ground, rod.start)
    model.point_force(rod.end, (0, 0.05 * modulus * width * height**3 / 12 / length**2))
    return model


def test_steps_do_not_depend_on_units():
    """The same motion in lengths from hundredths of a millimeter to kilometers, in times as much shorter and longer."""
    waves = 200.0 * np.sqrt(2700.0 / 70e9)
    runs = {
        size: fm.simulate(blade(size), size * waves, "generalized_alpha", progress=False) for size in (1e-5, 1.0, 1e3)
    }
    usual = runs[1.0]
    for size, run in runs.items():
        assert run.statistics.steps == pytest.approx(usual.statistics.steps, rel=1e-2)
        np.testing.assert_allclose(run["rod.end"].position[-1] / size, usual["rod.end"].position[-1], atol=1e-8)


def test_vibration_that_does_not_matter_is_not_followed():
    """A thrown strip of 32 elements, with waves of stretching of 1e5 rad/s."""
    model = free_flight.build("ancf", 32)
    run = fm.simulate(model, 0.2, "generalized_alpha", progress=False)
    assert run.statistics.steps < 2000
    fixed = fm.simulate(model, 0.2, step=2.5e-5, progress=False)
    assert np.max(np.abs(run["strip.end"].position[-1] - fixed["strip.end"].position[-1])) < 1e-4


def test_steps_end_at_kinks_of_functions_of_time():
    """A body is pushed by a force that grows, stays and falls: it has a closed form, and few steps are rejected."""
    model = fm.PlanarModel("pushed")
    body = model.add_body("body", mass=2.0, inertia=1.0)
    push = fm.TrapezoidalSpeed(3.0, 0.25, 0.5, 0.25, t_start=0.125)
    model.point_force(body.frame, (1.0, 0.0), factor=push)
    run = fm.simulate(model, 1.5, "generalized_alpha", progress=False)
    assert np.min(np.abs(run.t[:, None] - push.kinks), axis=0) == pytest.approx(0.0, abs=1e-14)
    assert run.statistics.rejected <= 4
    way = solve_ivp(lambda t, y: [y[1], 0.5 * push(t)], (0, 1.5), [0, 0], max_step=1e-3, rtol=1e-9)
    assert run["body.x"][-1] == pytest.approx(way.y[0, -1], abs=1e-3)
    stepped = fm.simulate(model, 1.5, step=0.1, progress=False)
    np.testing.assert_allclose(stepped.t, 0.1 * np.arange(16), atol=1e-12)


def test_a_tolerance_that_rounding_does_not_allow_is_named():
    with pytest.warns(DivergenceWarning, match="rounding does not allow the steps that tolerance=1e-12 asks for"):
        fm.simulate(andrews.build(), 0.03, "generalized_alpha", tolerance=1e-12, progress=False)
