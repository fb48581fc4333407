"""Contacts, stops, joints that stick, rolling, tires, events and switched joints in one run: what its results say."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import SolverError

LAW: dict[str, Any] = {"stiffness": 2e5, "restitution": 0.6, "impact_speed": 1.0}
RUBBER = fm.TireLaw(
    load=50.0, cornering_stiffness=600.0, relaxation_length=0.1, vertical_stiffness=2e4, vertical_damping=20.0
)
SMOOTH = fm.JointFriction(0.3, radius=0.02, length=0.1)
STICKS = fm.JointFriction(0.2, radius=0.1, length=0.3, smoothing=0.0)
#: series over time of every kind
NAMES = ("touch.gap", "touch.normal_force", "stop.value", "stop.force", "rope.force", "tire.aside", "hinge.moment",
         "slide.fx", "hook.fx", "roll.force", "energy.dissipated", "energy.total")  # fmt: skip
TIMES = np.linspace(0.0, 0.8, 17)


def plane() -> fm.PlanarModel:
    m = fm.PlanarModel("everything", gravity=(0.0, -9.81))
    ball = m.add_body("ball", mass=1.0, inertia=0.01, position=(2.0, 0.3))
    ball.frame.move((1.0, 0.0), 3.0)
    m.contact(m.ground, ball.frame, fm.HalfPlane(), fm.Disk(diameter=0.1), friction=0.3, name="touch", **LAW)
    bar = m.add_body("bar", mass=1.0, inertia=0.1, position=(0.5, 1.0))
    post, pivot = m.ground.attach("post", (0, 1.0)), bar.attach("pivot", (-0.5, 0))
    m.joint_stop(m.revolute(post, pivot, friction=SMOOTH, name="hinge"), lower=-0.6, name="stop", **LAW)
    block = m.add_body("block", mass=1.0, inertia=0.1, position=(0.0, -1.0))
    m.prismatic(m.ground.attach("rail", (0, -1.0)), block.frame, friction=STICKS, name="slide")
    block.frame.move((1.0, 0.0))
    stone = m.add_body("stone", mass=0.3, inertia=0.01, position=(-2.0, 0.0))
    m.distance_stop(m.ground.attach("eye", (-2.0, 1.0)), stone.frame, upper=1.2, name="rope", **LAW)
    m.switch_off(m.lock(m.ground, stone.frame, "x", name="hook"))
    stone.frame.move((0.2, 0.0))
    disk = m.add_body("disk", mass=0.5, inertia=0.01, position=(0.0, 3.1))
    disk.frame.move((0.5, 0.0), -5.0)
    m.rolling_on_line(m.ground.attach("track", (0, 3.0)), disk.frame, 0.1, name="roll")
    cart = m.add_body("cart", mass=5.0, inertia=0.4, position=(0, -30))
    cart.frame.move((3.0, 0.1), 0.5)
    m.tire(m.ground, cart.frame, RUBBER, name="tire")
    return m


def space() -> fm.SpatialModel:
    m = fm.SpatialModel("everything", gravity=(0.0, 0.0, -9.81))
    round_body = (0.01, 0.01, 0.01)
    ball = m.add_body("ball", mass=1.0, inertia=round_body, position=(2.0, 0.0, 0.3))
    ball.frame.move((1.0, 0.2, 0.0), (3.0, 1.0, 0.0))
    m.contact(m.ground, ball.frame, fm.HalfSpace(), fm.Sphere(diameter=0.1), friction=0.3, name="touch", **LAW)
    bar = m.add_body("bar", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 1.0))
    post, pivot = m.ground.attach("post", (0, 0, 1.0)), bar.attach("pivot", (-0.5, 0, 0))
    m.joint_stop(m.revolute(post, pivot, axis="y", friction=SMOOTH, name="hinge"), upper=0.6, name="stop", **LAW)
    block = m.add_body("block", mass=1.0, inertia=round_body, position=(0.0, 0.0, -1.0))
    m.prismatic(m.ground.attach("rail", (0, 0, -1.0)), block.frame, axis="x", friction=STICKS, name="slide")
    block.frame.move((1.0, 0.0, 0.0))
    stone = m.add_body("stone", mass=0.3, inertia=round_body, position=(-2.0, 0.0, 0.0))
    m.distance_stop(m.ground.attach("eye", (-2.0, 0, 1.0)), stone.frame, upper=1.2, name="rope", **LAW)
    m.switch_off(m.lock(m.ground, stone.frame, "x", name="hook"))
    stone.frame.move((0.2, 0.0, 0.0))
    disk = m.add_body("disk", mass=0.5, inertia=round_body, position=(0.0, 3.0, 0.1))
    disk.frame.move((0.5, 0.0, 0.0), (0.0, 5.0, 0.0))
    m.rolling_wheel(m.ground, disk.frame, 0.1, name="roll")
    cart = m.add_body("cart", mass=5.0, inertia=(0.4, 0.4, 0.4), position=(0, -30, 0.2975))
    cart.frame.move((3.0, 0.1, 0.0), (0.0, 10.0, 0.0))
    m.tire(m.ground, cart.frame, RUBBER, 0.3, crown=0.02, name="tire")
    return m


def build(dimension: int) -> Any:
    m: Any = plane() if dimension == 2 else space()
    m.add_event(0.35, fm.Switch(on="hook"), name="catch")
    height = "ball.y" if dimension == 2 else "ball.z"
    m.add_event(fm.crossing(height, 0.15, "down"), fm.Note(), name="low")
    m.add_event(fm.crossing("slide.fx", -1.0), fm.Note(), name="jump")
    return m


def run(dimension: int, **options: Any) -> fm.Solution:
    return fm.simulate(build(dimension), 0.8, "radau", tolerance=1e-8, progress=False, **options)


@pytest.fixture(scope="module", params=[2, 3], ids=["plane", "space"])
def solution(request: pytest.FixtureRequest) -> fm.Solution:
    return run(request.param)


def numbers(track: Any) -> dict[str, np.ndarray]:
    found = {x: getattr(track, x, None) for x in dir(track) if not x.startswith("_")}
    return {name: x for name, x in found.items() if isinstance(x, np.ndarray) and x.dtype.kind in "fb"}


def assert_same(own: fm.Solution, other: fm.Solution) -> None:
    """All that can be asked of a run is the same in another one."""
    for what in ("t", "q", "v", "a", "multipliers"):
        np.testing.assert_array_equal(getattr(own, what), getattr(other, what))
    tracks = ["touch", "stop", "rope", *own.layout.frames, *own.layout.spatial]
    for name in tracks + ([] if own.layout.dimension == 2 else ["hinge", "slide"]):
        again = numbers(other[name])
        for what, x in numbers(own[name]).items():
            np.testing.assert_allclose(again[what], x, rtol=1e-12, atol=1e-12, err_msg=f"{name} {what}")
    for name in NAMES:
        np.testing.assert_allclose(other[name], own[name], rtol=1e-12, atol=1e-9, err_msg=name)
    for joint in ("hinge", "slide", "hook", "roll"):
        for mine, again in zip(own.reaction(joint), other.reaction(joint)):
            np.testing.assert_allclose(again, mine, rtol=1e-12, atol=1e-9, err_msg=joint)
        np.testing.assert_array_equal(own.is_on(joint), other.is_on(joint))
    assert [vars_of(x) for x in own.events] == [vars_of(x) for x in other.events]
    assert own.doubts == other.doubts and own.energy.error == pytest.approx(other.energy.error, abs=1e-9)


def vars_of(event: Any) -> list[Any]:
    plain = [event.name, event.t, event.quantity, event.value, event.direction, event.done, event.on, event.off]
    arrays = [event.q, event.v, event.a, event.multipliers, *(x for pair in event.impulses.values() for x in pair)]
    return [*plain, event.lost, list(event.impulses), *(np.asarray(x).tolist() for x in arrays)]


def test_events_and_the_ledger(solution: fm.Solution) -> None:
    names = [x.name for x in solution.events]
    # what slides elsewhere goes on while the hook is switched on; at rest its friction falls from its limit to nothing
    assert names == ["low", "catch", "slide", "jump"]
    assert solution.events[3].t == pytest.approx(solution.events[2].t, abs=1e-11)
    assert solution.events[1].lost == pytest.approx(solution.energy.switching[-1], rel=1e-12) and not solution.doubts
    assert solution.energy.error < 1e-5
    assert solution["slide.fx"][[0, -1]] == pytest.approx([-0.2 * 9.81, 0.0], abs=1e-9)
    assert np.min(solution["touch.gap"]) < 0.0 and np.min(solution["rope.force"]) < 0.0
    assert np.max(np.abs(solution["stop.force"])) > 0.0


def test_files_and_pickles_hold_all_of_it(solution: fm.Solution, tmp_path: Path) -> None:
    kept = fm.load(solution.save(tmp_path / "run.h5"))
    assert_same(solution, kept)
    assert_same(solution, fm.load(kept.save(tmp_path / "again.h5")))
    assert_same(solution, pickle.loads(pickle.dumps(solution)))
    np.testing.assert_array_equal(kept.to_pandas(list(NAMES)), solution.to_pandas(list(NAMES)))
    assert solution.to_csv(tmp_path / "run.csv").stat().st_size > 0


def test_chosen_times_are_those_of_the_run(solution: fm.Solution) -> None:
    between = solution.at(TIMES)
    assert_same(between, run(solution.layout.dimension, times=TIMES))
    at = solution.events[1].t
    rows = np.flatnonzero(np.abs(solution.t - at) < 1e-11)[[0, -1]]  # before and behind what was switched
    assert solution.is_on("hook")[rows].tolist() == [False, True]
    both = solution.at([at, at])
    assert both.is_on("hook").tolist() == [False, True] and solution.at([at]).is_on("hook").all()
    np.testing.assert_allclose(both.v, solution.v[rows], rtol=0, atol=1e-9)


def test_one_row_a_segment_gives_the_same_run(solution: fm.Solution, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flexmb.solvers.march.driver.MOST_ROWS", 1)
    dimension = solution.layout.dimension
    assert_same(solution.at(TIMES), run(dimension, times=TIMES))


def test_runs_go_on_from_behind_events(solution: fm.Solution, tmp_path: Path) -> None:
    dimension = solution.layout.dimension
    first = fm.simulate(build(dimension), 0.6, "radau", tolerance=1e-8, progress=False)
    kept = fm.load(solution.save(tmp_path / "run.h5")).at([0.6])  # it knows where the hook has caught the stone
    for start in (first, solution.at([0.6]), fm.load(first.save(tmp_path / "first.h5")), kept):
        rest = run(dimension, initial=start, t_start=0.6)
        assert rest.is_on("hook").all() and rest.energy.error < 1e-5 and not rest.events
        np.testing.assert_allclose(rest.q[-1], solution.q[-1], rtol=0, atol=1e-6)
        assert rest["slide.fx"] == pytest.approx(np.zeros(len(rest)), abs=1e-9)  # it sticks from the first


def test_a_model_moves_again_as_it_did_and_so_do_copies(solution: fm.Solution) -> None:
    model: Any = solution.source.system.model  # which has run
    for other in (pickle.loads(pickle.dumps(copy.deepcopy(model))), model):
        again = fm.simulate(other, 0.8, "radau", tolerance=1e-8, progress=False)
        np.testing.assert_array_equal(again.q, solution.q)


def test_diagrams_show_what_events_cut(solution: fm.Solution) -> None:
    assert len(solution.plot(*NAMES).axes) >= 4


@pytest.mark.warns(fm.errors.AccuracyWarning, "its energy balance is off by")
def test_saving_some_steps_keeps_those_of_events() -> None:
    some = fm.simulate(build(2), 0.8, step=2e-3, save_every=25, progress=False)
    every = fm.simulate(build(2), 0.8, step=2e-3, progress=False)
    assert [vars_of(x) for x in some.events] == [vars_of(x) for x in every.events]
    for event in some.events:
        assert np.min(np.abs(some.t - event.t)) < 1e-11
    np.testing.assert_array_equal(some.q[-1], every.q[-1])
    assert not every.doubts and [x for x in some.doubts if "save_every" in x] == some.doubts != []
    with pytest.raises(SolverError, match="save_every"):
        run(2, save_every=7)
