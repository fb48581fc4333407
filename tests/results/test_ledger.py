"""The energy ledger: closed forms, its order, and the signs of work and losses."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.results.between_steps.interpolation import values_in_steps
from flexmb.results.energy.ledger import Part, estimated_error
from flexmb.system.kernel_calls import may_be_driven
from tests.models import stopping
from tests.results.mechanisms import pendulum

EXACT = {"tolerance": 1e-11, "absolute_tolerance": 1e-11}


def test_a_falling_stone():
    m = fm.PlanarModel("falling", gravity=(0, -10))
    m.add_body("stone", mass=2.0, inertia=0.1, position=(0, 3))
    e = fm.simulate(m, 1.0, step=0.1, progress=False).energy
    assert np.allclose(e.kinetic, 100.0 * e.t**2, rtol=1e-12)
    assert np.allclose(e.potential, 20.0 * (3.0 - 5.0 * e.t**2), rtol=1e-12)
    assert e.error < 1e-14 and not e.strain.any()


def test_the_balance_of_generalized_alpha_is_of_second_order():
    errors = [fm.simulate(pendulum(), 2.0, step=h, progress=False).energy.error for h in (0.01, 0.005, 0.0025)]
    assert 3.7 < errors[0] / errors[1] < 4.4
    assert 3.7 < errors[1] / errors[2] < 4.4


def test_a_damper_takes_what_the_oscillator_loses():
    m = fm.PlanarModel("oscillator")
    mass = m.add_body("mass", mass=1.0, inertia=0.1, position=(1, 0))
    m.prismatic(m.ground, mass.frame)
    mass.move((0.5, 0.0))
    m.spring_damper(m.ground, mass.frame, stiffness=25.0, damping=0.6, free_length=1.0)
    s = fm.simulate(m, 2.0, "projection", progress=False, **EXACT)
    e = s.energy
    w = np.sqrt(25.0 - 0.09)
    x = 0.5 / w * np.exp(-0.3 * s.t) * np.sin(w * s.t)
    v = 0.5 * np.exp(-0.3 * s.t) * (np.cos(w * s.t) - 0.3 / w * np.sin(w * s.t))
    assert np.allclose(e.kinetic, 0.5 * v**2, rtol=0, atol=1e-9)
    assert np.allclose(e.strain, 12.5 * x**2, rtol=0, atol=1e-9)
    assert np.allclose(e.dissipated, 0.125 - 0.5 * v**2 - 12.5 * x**2, rtol=0, atol=1e-5)
    fine = s.at(np.linspace(0, 2, 4001)).energy
    assert np.all(np.diff(fine.dissipated) >= 0.0)


def test_the_work_of_a_drive_is_the_energy_it_gives():
    """A wheel on a driven angle: work = ½ J ω²; a mass on a driven slide that also lifts it."""
    m = fm.PlanarModel("driven", gravity=(0, -9.81))
    wheel = m.add_body("wheel", mass=1.0, inertia=0.5)
    m.revolute(m.ground, wheel.frame)
    m.drive_angle(m.ground, wheel.frame, fm.Harmonic(0.3, 2.0))
    e = fm.simulate(m, 1.0, "projection", progress=False, max_step=0.01, tolerance=1e-9, absolute_tolerance=1e-9).energy
    assert np.allclose(e.drives, 0.25 * ((0.6 * np.cos(2 * e.t)) ** 2 - 0.36), rtol=0, atol=1e-7)
    assert not e.input.any() and e.error < 1e-6

    m = fm.PlanarModel("lift", gravity=(0, -9.81))
    load = m.add_body("load", mass=3.0, inertia=0.1)
    m.lock(m.ground, load.frame, "x")
    m.lock(m.ground, load.frame, "angle")
    m.drive_position(m.ground, load.frame, fm.Polynomial([0.0, 0.5]), axis=np.pi / 2)
    load.move((0.0, 0.5))
    e = fm.simulate(m, 2.0, step=0.05, progress=False).energy
    assert e.drives[-1] == pytest.approx(3.0 * 9.81 * 1.0, rel=1e-10)
    assert e.error < 1e-10


def test_the_work_of_a_motor_is_input():
    m = fm.PlanarModel("motor")
    wheel = m.add_body("wheel", mass=1.0, inertia=0.5)
    m.revolute(m.ground, wheel.frame)
    m.point_torque(wheel.frame, 2.0)
    e = fm.simulate(m, 1.0, step=0.02, progress=False).energy
    assert e.input[-1] == pytest.approx(2.0 * 0.5 * 4.0, rel=1e-9)  # τ θ, θ = ½ τ/J t²
    assert e.error < 1e-9 and not e.drives.any()


#: methods, and how exact the ledger is: that of "dop853" has one step of a quarter of a radian between two samples
COMMANDED = [
    ("dop853", {"tolerance": 1e-10}, 2e-5),
    ("rkf45", {"tolerance": 1e-10}, 1e-7),
    ("radau", {"tolerance": 1e-10}, 1e-7),
    ("independent", {"integrator": "radau", "tolerance": 1e-10}, 1e-7),
    ("generalized_alpha", {"step": 1e-3}, 1e-5),
]


def sampled_law(t: float, y: np.ndarray) -> list[float]:
    return [8.0 * np.cos(7.0 * t)]


@pytest.mark.filterwarnings("ignore::flexmb.errors.RedundancyWarning")
@pytest.mark.parametrize("hinges", [1, 2])
@pytest.mark.parametrize(("method", "options", "exact"), COMMANDED)
def test_drives_work_against_commands_that_jump(method, options, exact, hinges):
    """A wheel J whose angle is driven as A sin ωt, against a torque that is held from sample to sample: the drive gives
    the change of ½ J ω², less Σ u Δφ; a second hinge repeats the rows of the first."""
    J, A, w, period = 2.0, 0.5, 5.0, 0.05
    m = fm.PlanarModel("held")
    wheel = m.add_body("wheel", mass=1.0, inertia=J)
    for _ in range(hinges):
        m.revolute(m.ground, wheel.frame)
    m.drive_angle(m.ground, wheel.frame, fm.Harmonic(A, w))
    m.point_torque(wheel.frame, 0.0, name="brake")
    sensors = [fm.control.RelativeAngle(m.ground, wheel.frame)]
    m.add_controller("law", period=period, sensors=sensors, commands="brake", law=sampled_law)
    run = fm.simulate(m, 2.0, method, progress=False, **options)
    ends = period * np.arange(41)
    held = np.array([sampled_law(t, ends)[0] for t in ends[:-1]])
    given = np.concatenate([[0.0], np.cumsum(held * np.diff(A * np.sin(w * ends)))])
    wanted = 0.5 * J * (A * w) ** 2 * (np.cos(w * ends) ** 2 - 1.0) - given
    allowed = exact * np.max(np.abs(wanted))
    assert run.trustworthy and run.energy.error < exact
    np.testing.assert_allclose(run.energy.drives[-1], wanted[-1], rtol=0, atol=allowed)
    np.testing.assert_allclose(run.energy.input[-1], given[-1], rtol=0, atol=allowed)
    # between the samples too: a command goes on doing work until the next
    times = np.sort(np.concatenate([ends, ends[:-1] + 0.1 * period, ends[:-1] + 0.63 * period]))
    last = np.minimum(np.searchsorted(ends, times, side="right") - 1, 39)
    given = given[last] + held[last] * A * (np.sin(w * times) - np.sin(w * ends[last]))
    wanted = 0.5 * J * (A * w) ** 2 * (np.cos(w * times) ** 2 - 1.0) - given
    for chosen in (run.at(times), fm.simulate(m, 2.0, method, times=times, progress=False, **options)):
        np.testing.assert_allclose(chosen.energy.drives, wanted, rtol=0, atol=allowed)
        np.testing.assert_allclose(chosen.energy.input, given, rtol=0, atol=allowed)


@pytest.mark.parametrize("method", ["radau", "dop853", "generalized_alpha"])
def test_work_until_times_inside_of_steps_is_as_exact_as_until_their_ends(method):
    """m ẍ + d ẋ + k x = 0, whose losses are known: at a few times, each in another step, and at many."""
    m = fm.PlanarModel("oscillator")
    mass = m.add_body("mass", mass=1.0, inertia=0.1, position=(1, 0))
    m.prismatic(m.ground, mass.frame)
    mass.move((0.5, 0.0))
    m.spring_damper(m.ground, mass.frame, stiffness=25.0, damping=0.6, free_length=1.0)
    w = np.sqrt(25.0 - 0.09)

    def off(energy):
        x = 0.5 / w * np.exp(-0.3 * energy.t) * np.sin(w * energy.t)
        v = 0.5 * np.exp(-0.3 * energy.t) * (np.cos(w * energy.t) - 0.3 / w * np.sin(w * energy.t))
        return float(np.max(np.abs(energy.dissipated - (0.125 - 0.5 * v**2 - 12.5 * x**2))))

    options = {"step": 1e-3} if method == "generalized_alpha" else {"tolerance": 1e-7}
    run = fm.simulate(m, 2.0, method, progress=False, **options)
    inside = np.array([0.0, *(run.t[:-1] + 0.6 * np.diff(run.t))[::7]])
    at_ends = off(run.energy)
    assert 1e-8 < at_ends < 1e-4
    for times in (inside, np.array([0.0, 1.234]), run.t[::5]):
        for chosen in (run.at(times), fm.simulate(m, 2.0, method, times=times, progress=False, **options)):
            assert off(chosen.energy) <= 1.01 * at_ends
    again = run.at(inside).at([0.0, inside[-1]])  # of chosen times alone
    assert off(again.energy) <= 1.01 * at_ends
    many = run.at(np.linspace(0.0, 2.0, 4001)).energy
    assert off(many) < (1.01 if method == "generalized_alpha" else 0.2) * at_ends
    assert np.all(np.diff(many.dissipated) >= 0.0)


def test_friction_takes_what_the_commanded_force_of_its_bearing_says():
    """A wheel slows down in a bearing that a held force presses, out of balance so that the force of the joint changes
    with its angle."""
    m = fm.PlanarModel("rubbing")
    wheel = m.add_body("wheel", mass=2.0, inertia=0.5, position=(0.3, 0.0))
    hub = wheel.attach("hub", (-0.3, 0.0))
    friction = fm.JointFriction(0.3, radius=0.05, smoothing=1e-3)
    m.revolute(m.ground, hub, friction=friction)
    wheel.move(velocity=(0.0, 6.0), angular_velocity=20.0)
    m.point_force(hub, (0.0, 1.0), factor=0.0, name="press")
    sensors = [fm.control.RelativeAngle(m.ground, wheel.frame)]
    m.add_controller("law", period=0.02, sensors=sensors, commands="press", law=lambda t, y: [200.0 * np.sin(9.0 * t)])
    for method in ("dop853", "rkf45"):
        e = fm.simulate(m, 0.5, method, progress=False, tolerance=1e-10).energy
        assert e.dissipated[-1] > 0.1 * e.kinetic[0]
        assert e.error < 1e-6


def test_values_inside_of_unequal_steps():
    rng = np.random.default_rng(3)
    t = np.cumsum(rng.uniform(0.5, 1.5, 12))
    step = np.repeat(np.arange(11), 3)
    times = t[step] + np.tile([0.1, 0.5, 0.8], 11) * np.diff(t)[step]
    cubic = np.poly1d([1.0, -2.0, 0.5, 3.0])
    assert np.allclose(values_in_steps(cubic(t)[:, None], t, step, times)[:, 0], cubic(times), rtol=1e-12)
    line = np.array([0.0, 1.0, 1.0, 2.0])  # a jump at t = 1
    x, steps = np.array([0.0, 0.0, 5.0, 5.0])[:, None], np.arange(3)
    assert values_in_steps(x, line, steps, np.array([0.3, 1.0, 1.6]))[:, 0].tolist() == [0.0, 2.5, 5.0]
    assert values_in_steps(x[:2], line[:2], steps[:1], np.array([0.3]))[:, 0].tolist() == [0.0]
    assert values_in_steps(x[:1], line[:1], steps[:0], np.zeros(0)).shape == (0, 1)
    line[2], x[:, 0] = 1.001, [0.0, 2.0, 2.0, 5.0]  # steps of very different lengths
    assert values_in_steps(x, line, steps[:1], np.array([0.3]))[:, 0] == pytest.approx([0.6], rel=1e-14)


def test_a_step_beside_a_very_short_one_is_as_accurate_as_others():
    """The short one ends at an event, and the cubic goes through the next times on the other side."""
    t = np.array([0.0, 0.1, 0.2, 0.3, 0.3001, 0.3001, 0.3002, 0.4, 0.5, 0.6])
    times, step = np.array([0.25, 0.35]), np.array([2, 6])
    for power in range(4):
        assert np.allclose(values_in_steps((t**power)[:, None], t, step, times)[:, 0], times**power, rtol=1e-11)


def test_the_work_of_a_constant_force_is_force_times_way():
    """The error is small with any steps, and when rounding is the only motion of a locked mechanism."""
    model = fm.PlanarModel("pushed")
    body = model.add_body("body", mass=2.0, inertia=0.1)
    model.point_force(body.frame, (3.0, 0.0))
    model.bushing(model.ground, body.frame, stiffness=(50.0, 50.0, 1.0), damping=(0.3, 0.3, 0.1))
    run = fm.simulate(model, 2.0, step=0.1)
    assert run.energy.input == pytest.approx(3.0 * run["body.x"], abs=1e-14)
    locked = fm.PlanarModel("locked")
    body = locked.add_body("body", mass=2.0, inertia=0.1)
    locked.weld(locked.ground.attach("foot", (0.3, 0.1)), body.attach("corner", (0.3, 0.1)))
    locked.point_force(body.frame, (3e6, -1e5))
    for method in ("generalized_alpha", "projection"):
        run = fm.simulate(locked, 2.0, method)
        assert run.trustworthy and run.energy.error < 0.01 and np.max(np.abs(run.energy.input)) < 1e-6


def test_slow_motion_counts_the_work_of_loads_and_paths_of_equilibria_do_not():
    model = fm.PlanarModel("bent")
    properties = fm.planar.BeamProperties(EA=1e4, EI=1.0, rhoA=0.01)
    beam = model.add_beam("beam", model.ground, (1.0, 0.0), properties=properties, theory="ancf", elements=4)
    load = model.point_force(beam.end, (0.0, 1.0), factor=fm.SmoothStep(0.0, 1.0, 0.0, 1.0))
    slow = fm.quasi_static(model, 1.0, steps=40).energy
    assert slow.error < 1e-3 and slow.input[-1] == pytest.approx(slow.strain[-1], rel=1e-3) and slow.input[-1] > 0.1
    path = fm.equilibrium_path(model, load, t=1.0).solution.energy
    assert np.isnan(path.error) and "no time passes" in str(path)
    assert all(np.isfinite(getattr(path, what)).all() for what in ("strain", "dissipated", "input", "drives"))


def test_the_error_of_the_balance_is_estimated_from_a_few_instants():
    """m ẍ + d ẋ + k x = 0 at unequal instants, its energy and the power of its damper known: the work by the
    trapezoidal rule with rates of powers at both ends."""
    m = fm.PlanarModel("oscillator")
    mass = m.add_body("mass", mass=1.0, inertia=0.1, position=(1, 0))
    m.prismatic(m.ground, mass.frame)
    m.spring_damper(m.ground, mass.frame, stiffness=25.0, damping=0.6, free_length=1.0)
    system, places, held = fm.System(m), np.zeros(0, dtype=np.int64), np.zeros((49, 0))
    t = np.linspace(0.0, 1.0, 50) ** 1.3
    w = np.sqrt(25.0 - 0.09)
    x = 0.5 / w * np.exp(-0.3 * t) * np.sin(w * t)
    v = 0.5 * np.exp(-0.3 * t) * (np.cos(w * t) - 0.3 / w * np.sin(w * t))
    power = 0.6 * v**2
    rate, h = np.gradient(power, t), np.diff(t)
    lost = np.cumsum(0.5 * h * (power[:-1] + power[1:]) + h**2 / 12.0 * (rate[:-1] - rate[1:]))
    left = np.append(0.0, 0.5 * v[1:] ** 2 + 12.5 * x[1:] ** 2 - 0.125 + lost)
    exchanged = max(np.max(0.5 * v**2), np.max(12.5 * x**2), lost[-1])
    q, speeds, lam = np.zeros((50, 3)), np.zeros((50, 3)), np.zeros((50, 2))
    q[:, 0], speeds[:, 0] = 1.0 + x, v
    given = [Part(system, t, q, speeds, lambda picked: lam[picked], places, held, np.zeros(4))]
    assert estimated_error(given, 1.0) == pytest.approx(np.max(np.abs(left)) / exchanged, rel=1e-9)
    assert 1e-6 < np.max(np.abs(left)) / exchanged < 1e-4
    assert estimated_error(given, 1e-7) == np.inf  # it is larger than what is allowed, and a whole ledger has to tell
    t[20] = t[19]  # an event, at which powers may jump
    assert estimated_error(given, 1.0) == np.inf


def commanded(drive: bool = False) -> fm.PlanarModel:
    """A pendulum with a damper that a controller moves to and fro, on a base that may be driven."""
    m = fm.PlanarModel("commanded", gravity=(0, -9.81))
    base = m.add_body("base", mass=1.0, inertia=0.1)
    m.prismatic(m.ground, base.frame, name="rail")
    if drive:
        m.drive_position(m.ground, base.frame, fm.Harmonic(0.1, 3.0), name="drive")
    bob = m.add_body("bob", mass=1.0, inertia=0.1, position=(0.0, -0.5))
    m.revolute(base.frame, bob.attach("top", (0.0, 0.5)), name="hinge")
    m.torsion_spring(base.frame, bob.frame, stiffness=0.0, damping=0.2)
    m.point_torque(bob.frame, 0.0, name="motor")
    m.add_controller(
        "servo", period=0.01, commands="motor", sensors=fm.control.Reference(fm.Harmonic(3.0, 9.0)), law=[[1.0]]
    )
    return m


def test_the_error_of_the_balance_under_a_controller_is_estimated_from_its_steps():
    run = fm.simulate(commanded(), 1.0, "generalized_alpha", step=2e-3, progress=False)
    assert "energy" not in vars(run) and run.trustworthy, "its estimate suffices"
    assert run.energy.input[-1] > 0.1 and run.energy.dissipated[-1] > 0.01
    estimate = run.source.estimated_error(run, 1.0)
    assert estimate == pytest.approx(run.energy.error, abs=1e-3) and 0.0 < estimate < 5e-3
    assert run.source.estimated_error(run, 3.9 * estimate) == np.inf
    rough = fm.Solution(run.layout, run.source, run.t, run.q, 1.1 * run.v, run.a, run.basic_multipliers)
    rough.control = run.control
    assert rough.source.estimated_error(rough, 1.0) > 0.05, "speeds that are not those of the motion"
    driven = fm.simulate(commanded(drive=True), 0.1, "generalized_alpha", step=2e-3, progress=False)
    assert driven.source.estimated_error(driven, 1.0) == np.inf, "the work of a drive needs a whole ledger"
    assert driven.energy.drives[-1] != 0.0


def test_the_error_of_the_balance_is_estimated_where_components_are_switched():
    run = fm.simulate(stopping.STOPPING["events"](), 0.5, "radau", progress=False)
    assert len(run.source.epochs) == 3 and "energy" not in vars(run), "its estimate suffices"
    estimate = run.source.estimated_error(run, 1.0)
    assert run.energy.error <= estimate < 1e-3 and run.energy.switching[-1] > 0.0
    run.source.epochs[1].jump[3] *= 2.0
    assert run.source.estimated_error(run, 1.0) > 0.01, "energy that switching did not lose"


def place_along(function) -> fm.SpatialModel:
    """A slide whose travel an actuator counts, or that a drive holds at a place [m] in time."""
    m = fm.SpatialModel("slide", gravity=(1.0, 0.0, -9.81))
    cart = m.add_body("cart", mass=2.0, inertia=(0.1, 0.1, 0.1))
    rail = m.prismatic(m.ground, cart.frame, axis="x", name="rail")
    if function is None:
        m.joint_force(rail, 3.0, name="push")
    else:
        m.drive_position(m.ground, cart.frame, function, axis="x", name="drive")
    return m


@pytest.mark.parametrize(
    ("function", "moves"),
    [(None, False), (0.0, False), (fm.Harmonic(0.1, 3.0), True), (fm.Polynomial([0.0, 0.2]), True)],
)
def test_rows_work_where_their_function_of_time_is_no_constant(function, moves):
    """The row of a place along an axis reads the time; a counted travel and a drive that holds have constants there."""
    model = place_along(function)
    assert may_be_driven(fm.System(model).plan) == moves
    run = fm.simulate(model, 0.5, "radau", progress=False)
    assert run.energy.error < 1e-4 and (np.abs(run.energy.drives).max() > 1e-3) == moves


def test_the_ledger_reads_multipliers_only_where_rows_work(monkeypatch):
    """With other numbers in their place, it is the same, but where a drive works."""
    for function, same in ((None, True), (fm.Harmonic(0.1, 3.0), False)):
        run = fm.simulate(place_along(function), 0.5, "radau", progress=False)
        ends = np.zeros(len(run.t), dtype=bool)
        ends[[0, -1]] = True  # of these comes the energy that counts as rounding
        other = np.where(ends[:, None], run.basic_multipliers, 1.0)
        again = fm.Solution(run.layout, run.source, run.t, run.q, run.v, run.a, other)
        assert (again.energy.error == run.energy.error) == same
        assert np.array_equal(again.energy.total, run.energy.total)
