"""A run up to a time and one from there on are one run: controllers that go on, from solutions and from files."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ControlError

PERIOD, END = 0.05, 0.6
METHODS: dict[str, dict[str, Any]] = {
    "generalized_alpha": {"tolerance": 1e-6},
    "radau": {"tolerance": 1e-9},
    "dop853": {"tolerance": 1e-9},
    "rkf45": {"tolerance": 1e-9},
    "rosenbrock": {"tolerance": 1e-7},
    "independent": {"integrator": "radau", "tolerance": 1e-9},
}
FIXED = {"generalized_alpha": 2e-5}  # the recursion of the accelerations begins anew where a run does
LAWS: dict[str, Any] = {
    "gain": [[-30.0, -5.0]],
    "states": fm.control.LinearLaw(
        [[1.0, 0.1], [0.0, 0.7]], [[0.05, 0.0], [1.0, 0.3]], [[-4.0, -1.0]], [[-30.0, -5.0]]
    ),
    "sliding": fm.control.SlidingLaw(
        [[30.0, 5.0]], [[3.0, 1.0]], [[4.0, 0.5]], layer=0.5,
        errors=fm.control.LinearLaw([[0.5]], [[0.5, 0.0]], [[0.2], [0.0]], [[1.0, 0.0], [0.0, 1.0]]),
    ),
}  # fmt: skip


def integral(t: float, y: np.ndarray, x: np.ndarray) -> np.ndarray:
    x[0] += PERIOD * y[0]
    return -20.0 * x - 30.0 * y[:1] - 5.0 * y[1:2]


def arm(dimension: int, law: Any, delay: float = 0.0, noise: float = 0.0, speed: float = 0.0) -> Any:
    """A bar on a hinge with a motor, which a controller lets turn; it counts turns in space."""
    if dimension == 2:
        m: Any = fm.PlanarModel("arm", gravity=(0, -9.81))
        bar = m.add_body("bar", mass=2.0, inertia=0.1, position=(0.3, 0))
        pivot = bar.attach("pivot", (-0.3, 0))
        m.revolute(m.ground, pivot, name="hinge")
        m.point_torque(bar.frame, 0.0, name="motor")
        bar.frame.move((0.0, 0.3 * speed), speed)
        sensors: list[fm.control.Sensor] = [
            fm.control.RelativeAngle(m.ground, pivot, noise=noise),
            fm.control.RelativeRate(m.ground, pivot),
        ]
    else:
        m = fm.SpatialModel("arm", gravity=(0, 0, -9.81))
        bar = m.add_body("bar", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0.3, 0, 0))
        hinge = m.revolute(m.ground, bar.attach("pivot", (-0.3, 0, 0)), axis=(0, -1, 0), name="hinge")
        m.point_torque(bar.frame, (0.0, -1.0, 0.0), factor=0.0, name="motor")
        bar.frame.move((0.0, 0.0, 0.3 * speed), (0.0, -speed, 0.0))
        sensors = [fm.control.JointAngle(hinge, noise=noise), fm.control.JointRate(hinge)]
    m.add_controller("servo", period=PERIOD, sensors=sensors, commands="motor", law=law, delay=delay, seed=3)
    return m


def halves(
    build: Any, middle: float, method: str, folder: Path, **options: Any
) -> tuple[fm.Solution, list[fm.Solution]]:
    """A run without a break, and its second parts, which go on from a solution and from a file."""
    options |= {"progress": False}
    whole, first = (fm.simulate(build(), t, method, **options) for t in (END, middle))
    starts = (first, fm.load(first.save(folder / "first.h5")))
    return whole, [fm.simulate(build(), END, method, initial=x, t_start=middle, **options) for x in starts]


def assert_one_run(whole: fm.Solution, rest: fm.Solution, atol: float) -> None:
    np.testing.assert_allclose(rest.q[-1], whole.q[-1], rtol=0, atol=atol)
    np.testing.assert_allclose(rest.v[-1], whole.v[-1], rtol=0, atol=30.0 * atol)
    own, other = rest.control["servo"], whole.control["servo"]
    later = other.t >= rest.t[0] - 1e-9
    np.testing.assert_allclose(own.t, other.t[later], rtol=0, atol=1e-12)
    for mine, theirs in ((own.y, other.y), (own.u, other.u)):
        np.testing.assert_allclose(mine, theirs[later], rtol=0, atol=1e3 * atol)
    t = np.array([rest.t[0], rest.t[0] + 0.3 * PERIOD, END])
    np.testing.assert_allclose(own.at("motor", t), other.at("motor", t), rtol=0, atol=1e3 * atol)
    assert not rest.doubts and rest.energy.error < 1e-2


@pytest.mark.parametrize("formulation", [None, "aba"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_run_goes_on_at_and_between_instants(dimension, method, formulation, tmp_path):
    options = METHODS[method] | ({} if formulation is None else {"formulation": formulation})
    for middle, delay in ((0.3, 0.0), (0.32, 1.4 * PERIOD)):
        build = lambda delay=delay: arm(dimension, LAWS["states"], delay, 0.01)  # noqa: E731
        whole, parts = halves(build, middle, method, tmp_path, **options)
        for rest in parts:
            assert_one_run(whole, rest, FIXED.get(method, 1e-8))


@pytest.mark.parametrize("law", LAWS)
def test_every_law_goes_on(law, tmp_path):
    whole, parts = halves(lambda: arm(2, LAWS[law]), 0.3, "dop853", tmp_path, tolerance=1e-10)
    for rest in parts:
        assert_one_run(whole, rest, 1e-10)


def test_sensors_go_on_counting_turns(tmp_path):
    """The bar turns by more than ten radians: an angle that was counted anew would be off by 2 π."""
    build = lambda: arm(3, [[0.0, -0.01]], speed=30.0)  # noqa: E731
    whole, parts = halves(build, 0.3, "dop853", tmp_path, tolerance=1e-9)
    assert whole.control["servo"].y[-1, 0] > 4.0 * np.pi
    for rest in parts:
        assert_one_run(whole, rest, 1e-7)


def test_a_chain_of_runs_whose_delay_is_longer_than_each():
    options: dict[str, Any] = {"progress": False, "tolerance": 1e-10}
    whole = fm.simulate(arm(2, LAWS["states"], 3.5 * PERIOD, 0.01), END, "dop853", **options)
    part = fm.simulate(arm(2, LAWS["states"], 3.5 * PERIOD, 0.01), 0.1, "dop853", **options)
    for begin, end in ((0.1, 0.22), (0.22, 0.35), (0.35, END)):
        model = arm(2, LAWS["states"], 3.5 * PERIOD, 0.01)
        part = fm.simulate(model, end, "dop853", initial=pickle.loads(pickle.dumps(part)), t_start=begin, **options)
    assert_one_run(whole, part, 1e-9)


def test_functions_of_python_go_on_with_their_states(tmp_path):
    whole, parts = halves(
        lambda: arm(2, fm.control.PythonLaw(integral, state_count=1)), 0.3, "dop853", tmp_path, tolerance=1e-10
    )
    for rest in parts:
        assert_one_run(whole, rest, 1e-10)


def test_a_memory_that_is_not_known_is_doubted_by_name(tmp_path):
    memory = [0.0]

    def law(t: float, y: np.ndarray) -> list[float]:
        memory[0] += PERIOD * y[0]
        return [-20.0 * memory[0] - 30.0 * y[0] - 5.0 * y[1]]

    options: dict[str, Any] = {"progress": False, "tolerance": 1e-10}
    model = arm(2, law)
    whole = fm.simulate(model, END, "dop853", **options)
    memory[0] = 0.0
    first = fm.simulate(model, 0.3, "dop853", **options)
    kept = fm.load(first.save(tmp_path / "first.h5"))
    assert_one_run(whole, fm.simulate(model, END, "dop853", initial=first, t_start=0.3, **options), 1e-10)
    for start in (first, kept):  # the function has seen later instants by now
        with pytest.warns(fm.errors.AccuracyWarning, match="controller 'servo': its law is a function of Python"):
            assert not fm.simulate(model, END, "dop853", initial=start, t_start=0.3, **options).trustworthy
    plain = arm(2, fm.control.PythonLaw(lambda t, y: [-30.0 * y[0] - 5.0 * y[1]], state_count=0))
    first = fm.simulate(plain, 0.3, "dop853", **options)
    fm.simulate(plain, END, "dop853", **options)
    assert fm.simulate(plain, END, "dop853", initial=first, t_start=0.3, **options).trustworthy


def test_from_the_middle_of_a_run_what_is_known_goes_on_and_the_rest_is_named():
    options: dict[str, Any] = {"progress": False, "tolerance": 1e-10}
    for middle in (0.3, 0.32):
        whole = fm.simulate(arm(2, LAWS["gain"], 1.4 * PERIOD, 0.01), END, "dop853", **options)
        model = arm(2, LAWS["gain"], 1.4 * PERIOD, 0.01)
        rest = fm.simulate(model, END, "dop853", initial=whole.at([middle]), t_start=middle, **options)
        assert_one_run(whole, rest, 1e-8)
    remembers = fm.simulate(arm(2, LAWS["states"]), END, "dop853", **options)
    with pytest.raises(ControlError, match=r"'servo' stands at t = 0\.6 s.*at t = 0\.3 s the memory of its law"):
        fm.simulate(arm(2, LAWS["states"]), END, initial=remembers.at([0.3]), t_start=0.3)
    counts = fm.simulate(arm(3, LAWS["gain"]), END, "dop853", **options)
    with pytest.raises(ControlError, match="the turns that its sensor 'angle of hinge' has counted"):
        fm.simulate(arm(3, LAWS["gain"]), END, initial=counts.at([0.3]), t_start=0.3)
    with pytest.raises(ControlError, match="another law's memory"):
        fm.simulate(arm(2, LAWS["gain"]), 1.0, initial=remembers, t_start=END)


def test_controllers_begin_anew_where_that_is_asked_for():
    options: dict[str, Any] = {"progress": False, "tolerance": 1e-10}
    first = fm.simulate(arm(2, LAWS["states"]), 0.32, "dop853", **options)
    anew = fm.simulate(arm(2, LAWS["states"]), END, "dop853", initial=first, controllers="anew", **options)
    later = fm.simulate(arm(2, LAWS["states"]), 1.0, "dop853", initial=first, t_start=0.4, **options)
    assert anew.control["servo"].t[0] == 0.0 and anew.control["servo"].earlier is None
    assert later.control["servo"].t[0] == pytest.approx(0.4 + 0.03, abs=1e-12)  # as long after the start as before


def test_events_that_happen_once_do_not_happen_again(tmp_path):
    """A ball on a spring passes through the same height each period of 0.2 s; the chain of runs has it once."""
    m = fm.PlanarModel("ball")
    ball = m.add_body("ball", mass=1.0, inertia=0.1)
    ball.frame.move((1.0, 0.0))
    m.spring_damper(m.ground.attach("wall", (-5.0, 0.0)), ball.frame, stiffness=(10.0 * np.pi) ** 2, name="spring")
    m.add_event(fm.crossing("ball.x", 0.01, "up"), fm.Note(), name="first", once=True)
    m.add_event(fm.crossing("ball.x", 0.01, "up"), fm.Note(), name="each")
    part = fm.simulate(m, 0.15, "dop853", progress=False)
    assert sorted(x.name for x in part.events) == ["each", "first"]
    for end in (0.35, 0.55):
        kept = fm.load(part.save(tmp_path / f"{end}.h5"))
        part = fm.simulate(m, end, "dop853", initial=kept, t_start=end - 0.2, progress=False)
        assert [x.name for x in part.events] == ["each"] and part.earlier_events == sorted({"each", "first"})
