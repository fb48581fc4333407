"""Events: the times at which quantities cross values, and what is done then."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError
from tests.models.pendulums import leaning_pendulum
from tests.models.stones import stone

#: methods with their options, and the error that the time of a crossing of a parabola may have
METHODS = {
    "generalized_alpha": ({}, 1e-13),
    "generalized_alpha, fixed": ({"step": 0.01}, 1e-13),
    "radau": ({}, 1e-13),
    "dop853": ({}, 1e-13),
    "rkf45": ({"tolerance": 1e-8}, 1e-13),
    "rkf45, fixed": ({"step": 0.01}, 1e-13),
    "rosenbrock": ({}, 1e-13),
    "rosenbrock, fixed": ({"step": 0.01}, 1e-13),
    "independent": ({}, 1e-6),
    "independent, radau": ({"integrator": "radau"}, 1e-12),
    "baumgarte": ({}, 1e-12),
    "projection": ({}, 1e-12),
    "projection, LSODA": ({"ode_method": "LSODA"}, 1e-7),
    "projection, BDF": ({"ode_method": "BDF"}, 1e-7),
    "projection, Radau": ({"ode_method": "Radau"}, 1e-12),
}


def run(model, t_end, method, **options):
    return fm.simulate(model, t_end, method.partition(",")[0], progress=False, **METHODS[method][0], **options)


@pytest.mark.parametrize("method", METHODS)
def test_a_stone_falls_through_a_height_at_the_right_time(method):
    model = stone()
    model.add_event(fm.crossing("stone.y", 0.25, "down"), fm.StopRun(), "landing")
    solution = run(model, 1.0, method)
    exact = np.sqrt(2 * 0.75 / 10)
    (event,) = solution.events
    assert abs(event.t - exact) <= METHODS[method][1]
    assert solution.status == "stopped" and "'landing'" in solution.message and solution.trustworthy
    assert abs(solution.t[-1] - exact) < 1e-6 and abs(solution["stone.y"][-1] - 0.25) < 1e-6
    assert (event.name, event.quantity, event.value, event.direction) == ("landing", "stone.y", 0.25, "down")
    assert event.done == ["stopped"] and abs(event.v[1] + 10 * exact) < 1e-5


@pytest.mark.parametrize("method", METHODS)
def test_all_passages_of_a_throw_are_noted_in_their_order(method):
    """Two heights near the top are each passed twice, some within one step; a time; a speed."""
    model = stone(0.0, 3.0)
    model.add_event(fm.crossing("stone.y", 0.44), fm.Note(), "near the top")
    model.add_event(fm.crossing("stone.y", 0.4), fm.Note(), "lower")
    model.add_event(0.123, fm.Note(), "time")
    model.add_event(fm.crossing("stone.vy", 0.0, "down"), fm.Note(), "top")
    model.add_event(fm.crossing("stone.vy", 0.0, "up"), fm.Note(), "never")
    model.add_event(5.0, fm.Note(), "too late")
    solution = run(model, 1.0, method)
    passed = [(0.123, "time"), (0.3, "top")]
    for height, name in ((0.44, "near the top"), (0.4, "lower")):
        passed += [((3 + s * np.sqrt(9 - 20 * height)) / 10, name) for s in (-1, 1)]
    passed.sort()
    assert [event.name for event in solution.events] == [name for _, name in passed]
    assert np.allclose([event.t for event in solution.events], [t for t, _ in passed], rtol=0, atol=1e-6)
    assert solution.status == "finished" and solution.t[-1] == 1.0
    assert [event.direction for event in solution.events if event.name == "lower"] == ["up", "down"]


def _time_through_bottom(method, **options):
    model = leaning_pendulum()
    model.add_event(fm.crossing("bob.x", 0.0, "down"), fm.StopRun())
    solution = fm.simulate(model, 1.5, method, progress=False, **options)
    position = solution["bob"].position[-1]
    assert abs(np.hypot(*position) - 1.0) < 1e-8  # the state is on the constraints
    return float(solution.events[0].t)


def _quarter_period():
    """Of a pendulum with ω² = m g l/(J + m l²), from an angle of 1 rad: K(sin ½)/ω."""
    from scipy.special import ellipk

    return ellipk(np.sin(0.5) ** 2) / np.sqrt(2 * 9.81 / 2.1)


@pytest.mark.parametrize(
    ("method", "option", "values", "order"),
    [
        ("generalized_alpha", "step", (0.02, 0.01, 0.005), 2),
        ("rkf45", "step", (0.08, 0.04, 0.02), 5),
    ],
)
def test_times_converge_as_the_method_does(method, option, values, order):
    errors = [abs(_time_through_bottom(method, **{option: h}) - _quarter_period()) for h in values]
    assert errors[0] / errors[1] > 0.7 * 2**order and errors[1] / errors[2] > 0.6 * 2**order


@pytest.mark.parametrize(
    ("method", "options", "allowed"),
    [
        ("generalized_alpha", {"tolerance": 1e-6}, 1e-5),
        ("radau", {"tolerance": 1e-9}, 1e-9),
        ("dop853", {"tolerance": 1e-10}, 1e-9),
        ("independent", {"integrator": "radau", "tolerance": 1e-9}, 1e-8),
        ("independent", {"tolerance": 1e-9}, 1e-7),
        ("projection", {}, 1e-8),
        ("baumgarte", {}, 1e-8),
    ],
)
def test_the_quarter_period_of_a_large_swing(method, options, allowed):
    assert abs(_time_through_bottom(method, **options) - _quarter_period()) < allowed


def test_quantities_by_name_sensor_and_function_are_the_same():
    times = []
    for when in (
        lambda m: fm.crossing("hinge.angle", -1.0, "down"),
        lambda m: fm.crossing("bob.angle", 0.0, "down"),
        lambda m: fm.crossing(fm.control.RelativeAngle(m.ground, m.component("hinge").b), 0.0, "down"),
        lambda m: fm.crossing(lambda t, place, speed: place[2], 0.0, "down", frames=m.frames["bob"]),
        lambda m: fm.crossing(lambda t, place, speed: place[0][2] - place[1][2], 0.0, "down",
                              frames=[m.frames["bob"], m.ground]),
    ):  # fmt: skip
        model = leaning_pendulum()
        model.add_event(when(model), fm.StopRun())
        times.append(fm.simulate(model, 1.5, "radau", progress=False).events[0].t)
    assert np.ptp(times) < 1e-12


def test_rates_sliders_reactions_and_energies():
    model = leaning_pendulum()
    model.add_event(fm.crossing("hinge.rate", -2.0, "down"), fm.Note(), "rate")
    model.add_event(fm.crossing("hinge.force", 30.0, "up"), fm.Note(), "force")
    model.add_event(fm.crossing("energy.kinetic", 5.0, "up"), fm.Note(), "energy")
    solution = fm.simulate(model, 0.55, "radau", tolerance=1e-9, progress=False)
    at = {event.name: solution.at([event.t]) for event in solution.events}
    assert abs(at["rate"]["bob.angular_velocity"][0] + 2.0) < 1e-6
    assert abs(at["force"]["hinge.force"][0] - 30.0) < 1e-4
    assert abs(at["energy"].energy.kinetic[0] - 5.0) < 1e-6
    slide = fm.PlanarModel("slide")
    block = slide.add_body("block", mass=1.0, inertia=1.0)
    slide.prismatic(slide.ground, block.frame, name="rail")
    block.move((2.0, 0.0))
    slide.add_event(fm.crossing("rail.position", 1.0), fm.StopRun())
    assert abs(fm.simulate(slide, 1.0, progress=False).events[0].t - 0.5) < 1e-12


def test_angles_in_space_count_their_turns():
    model = fm.SpatialModel("wheel")
    wheel = model.add_body("wheel", mass=1.0, inertia=(1.0, 1.0, 1.0))
    model.revolute(model.ground, wheel.frame, axis="z", name="hinge")
    wheel.move(angular_velocity=(0, 0, 2.0))
    for turns in (0.5, 1.0, 1.5):
        model.add_event(fm.crossing("hinge.angle", 2 * np.pi * turns), fm.Note(), f"{turns}")
    model.add_event(
        fm.crossing(lambda t, state: state.orientation[0, 0], 0.0, "down", frames=wheel.frame), fm.Note(), "cosine"
    )
    for method in ("generalized_alpha", "radau", "dop853", "independent"):
        solution = fm.simulate(model, 5.0, method, progress=False)
        times = [e.t for e in solution.events if e.name != "cosine"]
        assert np.allclose(times, np.pi * np.array([0.5, 1.0, 1.5]), rtol=0, atol=1e-5), method
        cosines = [e.t for e in solution.events if e.name == "cosine"]
        assert np.allclose(cosines, np.pi * (0.25 + np.arange(2)), rtol=0, atol=1e-5), method


def test_events_at_the_start_and_at_the_end():
    for vy, direction in ((-1.0, "both"), (-1.0, "down"), (1.0, "up")):
        model = stone(1.0, vy)
        model.add_event(fm.crossing("stone.y", 1.0, direction), fm.Note(), "here")
        with pytest.raises(ModelError, match=r"event 'here': stone\.y is at its value 1 at the start"):
            fm.simulate(model, 1.0, progress=False)
    model = stone(1.0, 2.0)
    model.add_event(fm.crossing("stone.y", 1.0, "down"), fm.Note())
    assert [round(e.t, 9) for e in fm.simulate(model, 1.0, progress=False).events] == [0.4]
    for y in (0.5, 1.0):  # beyond, and at rest there
        model = stone(y)
        model.add_event(fm.crossing("stone.y", 1.0), fm.Note())
        assert fm.simulate(model, 1.0, progress=False).events == []
    model = stone()
    model.add_event(0.0, fm.Note(), "now")
    with pytest.raises(ModelError, match="event 'now': it is at t = 0 s, the start"):
        fm.simulate(model, 1.0, progress=False)
    model = stone()
    model.add_event(1.0, fm.Note(), "end")
    model.add_event(fm.crossing("stone.y", -4.0 - 1e-9), fm.Note(), "just behind")
    assert [e.name for e in fm.simulate(model, 1.0, progress=False).events] == ["end"]


def test_a_run_goes_on_behind_the_event_that_stopped_it():
    model = stone()
    model.add_event(fm.crossing("stone.y", 0.25, "down"), fm.StopRun(), "half way")
    model.add_event(fm.crossing("stone.y", -1.0, "down"), fm.StopRun(), "ground")
    first = fm.simulate(model, 1.0, progress=False)
    rest = fm.simulate(model, 1.0, initial=first, t_start=float(first.t[-1]), progress=False)
    assert [e.name for e in rest.events] == ["ground"] and abs(rest.events[0].t - np.sqrt(0.4)) < 1e-9


def test_an_event_may_happen_once():
    model = stone(0.0, 3.0)
    model.add_event(fm.crossing("stone.y", 0.4), fm.Note(), once=True)
    assert len(fm.simulate(model, 1.0, progress=False).events) == 1


@pytest.mark.parametrize("method", METHODS)
def test_docking_and_release_keep_momentum(method):
    model = fm.PlanarModel("docking")
    a = model.add_body("a", mass=2.0, inertia=0.1)
    b = model.add_body("b", mass=1.0, inertia=0.2, position=(1, 0))
    a.move((1.0, 0.5))
    b.move((-1.0, 0.1))
    model.switch_off(model.weld(a.frame, b.frame, name="hook"))
    distance = fm.crossing(lambda t, place, speed: place[1][0] - place[0][0], 0.5, "down", frames=[a.frame, b.frame])
    model.add_event(distance, fm.Switch(on="hook"), "dock")
    model.add_event(0.6, fm.Switch(off=["hook"]), "release")
    model.add_event(fm.crossing("hook.force", 1e-6), fm.Note(), "load")
    solution = run(model, 1.0, method)
    assert [e.name for e in solution.events] == ["dock", "load", "release", "load"]
    dock, _, release, _ = solution.events
    assert abs(dock.t - 0.25) < 1e-6 and release.t == 0.6
    assert dock.on == ("hook",) and release.off == ("hook",) and list(dock.impulses) == ["hook"]
    for way in "xy":
        momentum = 2.0 * solution[f"a.v{way}"] + solution[f"b.v{way}"]
        assert np.ptp(momentum) < 1e-6
    lost = -np.min(np.diff(solution.energy.kinetic))
    assert abs(dock.lost - lost) < 1e-4 and abs(solution.energy.balance).max() < 1e-5


def _relay(band):
    """A force holds a falling stone at a speed, by two switches; between them the speed moves by `band`."""
    model = stone()
    force = model.point_force(model.components["stone"].frame, (0.0, 20.0), name="lift")
    model.switch_off(force)
    model.add_event(fm.crossing("stone.vy", -0.5, "down"), fm.Switch(on="lift"), "on")
    model.add_event(fm.crossing("stone.vy", -0.5 + band, "up"), fm.Switch(off="lift"), "off")
    return model


@pytest.mark.parametrize(("method", "allowed"), [("generalized_alpha", 1e-9), (None, 1e-8)])
def test_many_events_that_switch(method, allowed):
    solution = fm.simulate(_relay(0.05), 1.0, method, progress=False)
    times = 0.05 + 0.005 * np.arange(191)
    found = np.array([event.t for event in solution.events])
    assert solution.status == "finished" and np.allclose(found, times, rtol=0, atol=allowed)
    assert np.allclose(np.diff(found), 0.005, rtol=0, atol=1e-10)


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "dop853", "projection"])
def test_events_that_accumulate_end_the_run_by_name(method):
    with pytest.warns(fm.errors.DivergenceWarning, match=r"event 'on' has happened 50 times since t = 0\.05"):
        solution = fm.simulate(_relay(1e-9), 1.0, method, progress=False)
    assert solution.status == "diverged" and abs(solution.t[-1] - 0.05) < 1e-6 and len(solution.t) < 250


def test_fixed_steps_stay_on_their_grid():
    for method in ("generalized_alpha", "rkf45"):
        model = stone()
        model.add_event(fm.crossing("stone.y", 0.25), fm.Note())
        t = fm.simulate(model, 1.0, method, step=0.01, progress=False).t
        others = np.abs(t / 0.01 - np.round(t / 0.01)) > 1e-9
        assert np.count_nonzero(others) == 1 and len(t) == 102
    kept = fm.simulate(model, 1.0, step=0.01, save_every=10, progress=False).t
    assert len(kept) == 12  # the event has its row


def test_chosen_times_and_controllers_stay():
    def arm(event):
        model = fm.PlanarModel("arm")
        arm = model.add_body("arm", mass=1.0, inertia=1.0)
        model.revolute(model.ground, arm.frame, name="hinge")
        motor = model.point_torque(arm.frame, 0.0, name="motor")
        sensors = [
            fm.control.RelativeAngle(model.ground, arm.frame),
            fm.control.RelativeRate(model.ground, arm.frame),
            fm.control.Reference(1.0),
        ]
        model.add_controller("servo", period=0.01, sensors=sensors, commands=motor, law=[[-4.0, -4.0, 4.0]])
        if event:
            model.add_event(fm.crossing("hinge.angle", 0.3333), fm.Note(), "third")
        return model

    for options in ({}, {"step": 0.005}, {"method": "radau"}, {"method": "dop853"}):
        plain = fm.simulate(arm(False), 2.0, progress=False, **options)
        found = fm.simulate(arm(True), 2.0, times=[0.5, 1.5], progress=False, **options)
        assert found.t.tolist() == [0.5, 1.5]
        assert np.allclose(found["arm.angle"], plain.at([0.5, 1.5])["arm.angle"], rtol=0, atol=2e-3)
        (event,) = found.events
        assert abs(plain.at([event.t])["arm.angle"][0] - 0.3333) < 2e-3
        assert np.array_equal(found.control["servo"].t, plain.control["servo"].t)


def test_driven_mechanisms_without_freedom_have_events():
    model = fm.PlanarModel("driven")
    crank = model.add_body("crank", mass=1.0, inertia=1.0)
    hinge = model.revolute(model.ground, crank.frame, name="hinge")
    model.drive_angle(hinge.a, hinge.b, fm.Polynomial([0.0, 2.0]))
    model.add_event(fm.crossing("hinge.angle", 1.0), fm.StopRun())
    solution = fm.simulate(model, 1.0, "independent", progress=False)
    assert solution.status == "stopped" and abs(solution.events[0].t - 0.5) < 1e-9


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "independent", "projection", "rkf45", "dop853"])
def test_events_before_in_and_behind_a_singular_position(method):
    """A parallelogram that swings through flat, and an event there."""
    from tests.models.parallelograms import falling, four_bars

    options = {"step": 1e-3} if method in ("rkf45", "generalized_alpha") else {}
    model = four_bars(1)
    for angle in (0.3, 0.0, -0.3, -np.pi / 2):
        model.add_event(fm.crossing("crank0.angle", angle, "down"), fm.Note(), f"{angle:g}", once=True)
    solution = fm.simulate(model, 1.5, method, progress=False, **options)
    t = np.linspace(0.0, 1.5, 150_001)
    angles = falling(1, t)
    assert [event.name for event in solution.events] == ["0.3", "0", "-0.3", f"{-np.pi / 2:g}"]
    for event in solution.events:
        exact = np.interp(-event.value, -angles[: np.argmin(angles)], t[: np.argmin(angles)])
        assert abs(event.t - exact) < 1e-3, event


#: by method: options, and how well it dates events by them and by default [s]
ACROSS = {
    "independent": ({"tolerance": 1e-3}, 1e-4, 1e-7), "projection": ({"tolerance": 1e-3}, 1e-4, 1e-7),
    "baumgarte": ({"tolerance": 1e-3}, 1e-4, 1e-7), "rkf45": ({"tolerance": 1e-3}, 1e-4, 1e-7),
    "dop853": ({"tolerance": 1e-3}, 1e-4, 1e-7), "radau": ({"tolerance": 1e-3}, 1e-4, 1e-7),
    "generalized_alpha": ({"tolerance": 1e-3}, 1e-4, 2e-5),
}  # fmt: skip


def when(count, angles, t_end):
    """The instants at which the cranks of parallelograms pass angles, (k,) for each."""
    from tests.models.parallelograms import falling

    t = np.linspace(0.0, t_end, 100_001)
    passed = falling(count, t)
    found = []
    for angle in angles:
        at = np.flatnonzero((passed[:-1] > angle) & (passed[1:] <= angle))
        found.append(t[at] + (t[at + 1] - t[at]) * (passed[at] - angle) / (passed[at] - passed[at + 1]))
    return found


@pytest.mark.parametrize("method", ACROSS)
@pytest.mark.parametrize("angle", [0.3, 0.1, 0.03, 0.0, -0.05])
def test_events_on_the_way_over_a_singular_position(method, angle):
    """No step ends there; by its own ends they would be dated 0.01 to 0.09 s late."""
    from tests.models.parallelograms import four_bars

    options, near, _ = ACROSS[method]
    model = four_bars(2)
    model.add_event(fm.crossing("crank0.angle", angle, "down"), fm.Note(), "there")
    solution = fm.simulate(model, 0.9, method, progress=False, **options)
    (exact,) = when(2, [angle], 0.9)
    assert [event.t for event in solution.events] == pytest.approx(exact, abs=near)
    assert solution.events[0].q[2] == pytest.approx(angle, abs=1e-6)


@pytest.mark.parametrize("method", ACROSS)
@pytest.mark.parametrize("count", [1, 2])
def test_each_event_near_singular_positions_happens_once(method, count):
    """Those at the end of a step from which a passage begins too."""
    from tests.models.parallelograms import four_bars

    model, angles = four_bars(count), [0.3, 0.03, 0.003, 0.0, -0.003, -0.3, 0.02 - np.pi, -np.pi, -0.02 - np.pi]
    for k, angle in enumerate(angles):
        model.add_event(fm.crossing("crank0.angle", angle, "down"), fm.Note(), f"{k}")
    solution = fm.simulate(model, 3.0, method, progress=False)
    assert solution.status == "finished" and solution.trustworthy
    for k, exact in enumerate(when(count, angles, 3.0)):
        assert [event.t for event in solution.events if event.name == f"{k}"] == pytest.approx(
            exact, abs=ACROSS[method][2]
        )


@pytest.mark.parametrize("method", ACROSS)
def test_an_event_ends_a_run_on_the_way_over_a_singular_position(method):
    from tests.models.parallelograms import falling, four_bars

    t = np.linspace(0.0, 3.0, 100_001)
    for angle in (0.003, 0.0):
        model, there = four_bars(2), when(2, [angle], 3.0)[0][0]
        model.add_event(fm.crossing("crank0.angle", angle, "down"), fm.StopRun(), "there")
        solution = fm.simulate(model, 3.0, method, progress=False)
        assert solution.status == "stopped" and len(solution.events) == 1
        assert solution["crank0.angle"][-1] == pytest.approx(angle, abs=1e-6)
        assert solution.t[-1] == pytest.approx(there, abs=ACROSS[method][2])
        speed = np.interp(there, t, np.gradient(falling(2, t), t))
        assert solution["crank0"].angular_velocity[-1] == pytest.approx(speed, rel=1e-4)


def test_a_joint_is_switched_off_on_the_way_over_a_singular_position():
    """All methods go on alike, and those that end no step there say that other branches are near."""
    from tests.models.parallelograms import four_bars

    ends = []
    for method in ("radau", "baumgarte", "dop853", "projection", "generalized_alpha"):
        model = four_bars(2)
        model.add_event(fm.crossing("crank0.angle", 0.003, "down"), fm.Switch(off=["revolute 7"]), "there")
        said = (
            nullcontext() if method == "generalized_alpha" else pytest.warns(fm.errors.AccuracyWarning, match="branch")
        )
        with said:
            solution = fm.simulate(model, 1.2, method, progress=False)
        assert solution.status == "finished" and [event.off for event in solution.events] == [("revolute 7",)]
        ends.append(solution["crank0.angle"][-1])
    assert ends[:4] == pytest.approx([ends[0]] * 4, abs=1e-5) and ends[4] == pytest.approx(ends[0], abs=1e-3)
    assert ends[:2] == pytest.approx([ends[0]] * 2, abs=1e-7)


@pytest.mark.parametrize(
    "options", [*({"step": 1e-3 * k} for k in (1.01, 1.02, 1.06, 0.25)), *({"tolerance": x} for x in (1.2e-6, 7e-4))]
)
def test_an_event_in_a_singular_position_leaves_the_motion_alone(options):
    from tests.models.parallelograms import falling, four_bars

    errors = []
    for noted in (False, True):
        model = four_bars(1)
        if noted:
            model.add_event(fm.crossing("crank0.angle", 0.0, "down"), fm.Note(), "flat")
        solution = fm.simulate(model, 1.0, "generalized_alpha", progress=False, **options)
        errors.append(abs(solution["crank0.angle"][-1] - falling(1, solution.t)[-1]))
    assert solution.status == "finished" and [event.name for event in solution.events] == ["flat"]
    assert errors[1] < 1.5 * errors[0]


def test_files_keep_events(tmp_path):
    model = fm.PlanarModel("docking")
    a = model.add_body("a", mass=2.0, inertia=0.1)
    b = model.add_body("b", mass=1.0, inertia=0.2, position=(1, 0))
    a.move((1.0, 0.5))
    model.switch_off(model.weld(a.frame, b.frame, name="hook"))
    model.add_event(fm.crossing("a.x", 0.5), [fm.Note(), fm.Switch(on="hook")], "dock")
    model.add_event(0.75, fm.StopRun(), "enough")
    solution = fm.simulate(model, 1.0, progress=False)
    back = fm.load(solution.save(tmp_path / "run.h5"))
    assert back.status == "stopped" and back.message == solution.message and str(back) == str(solution)
    assert len(back.events) == len(solution.events) == 2
    for one, other in zip(back.events, solution.events):
        assert repr(one) == repr(other)
        for what in ("t", "value", "direction", "quantity", "done", "on", "off", "lost"):
            assert getattr(one, what) == getattr(other, what), what
        for what in ("q", "v", "a", "multipliers"):
            assert np.array_equal(getattr(one, what), getattr(other, what)), what
        assert one.impulses.keys() == other.impulses.keys()
        for name, (force, moment) in one.impulses.items():
            assert np.array_equal(force, other.impulses[name][0]) and moment == other.impulses[name][1]
    assert fm.load(back.save(tmp_path / "again.h5")).events[0].impulses.keys() == {"hook"}
