"""Friction that truly sticks: what sticks and slides by every method, in plane and space, alone and together."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError, SolverError
from flexmb.joints.sticking import BACKWARD
from flexmb.testing.differences import random_state
from flexmb.testing.recorder import Recorder
from tests.models.rubbing import SMALL, pushed, sticking_crank, sticking_swing
from tests.solvers.comparison import done
from tests.solvers.every_method import METHODS


@pytest.mark.parametrize("method", METHODS)
def test_it_breaks_away_at_its_limit_and_not_before(method: str) -> None:
    solution = fm.simulate(pushed(fm.Polynomial([0.0, 10.0])), 0.6, method, progress=False)
    assert done(solution) == [("floor", "slides forward")]
    assert solution.events[0].t == pytest.approx(0.4, abs=1e-7)
    assert np.ptp(solution["block"].x[solution.t < 0.4]) < 1e-15
    assert solution["block"].vx[-1] > 0.0


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "dop853"])
def test_it_holds_without_creep(method: str) -> None:
    solution = fm.simulate(pushed(fm.Harmonic(3.9, 10.0)), 100.0, method, progress=False)
    assert not solution.events
    assert np.ptp(solution["block"].x) < 1e-15


@pytest.mark.parametrize("method", ["generalized_alpha", "radau"])
def test_long_steps_do_not_miss_that_it_breaks_away(method: str) -> None:
    """A force that exceeds the limit for moments only, while nothing else makes steps short."""
    solution = fm.simulate(pushed(fm.Harmonic(6.0, 10.0)), 2.0, method, progress=False)
    half = np.pi / 10.0  # of the period of the force
    slips = [e.t for e in solution.events if e.done[0] != "sticks"]
    assert len(slips) == 7
    assert np.diff(slips) == pytest.approx(half, abs=1e-4)
    assert solution.trustworthy


def test_a_block_that_is_shaken_in_a_long_run_does_not_change_at_one_instant() -> None:
    """400 rad/s for 3e5 s, of which the first 0.5 s are looked at."""
    m = pushed(fm.Harmonic(6.0, 400.0))
    m.add_body("clock", mass=1.0, inertia=1.0, position=(0.0, 1.0)).move((1.0, 0.0))
    m.point_force(m.frame("clock"), (0.0, 10.0))
    m.add_event(fm.crossing("clock.x", 0.5), fm.StopRun())
    solution = fm.simulate(m, 3e5, "radau", progress=False)
    assert solution.status == "stopped" and len(solution.events) > 50, solution.message


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "independent", "dop853"])
def test_a_block_on_a_block(method: str) -> None:
    """The lower one breaks away at 6 N; the upper one is carried along until 3 kg need 3.5 m/s²."""
    m = fm.PlanarModel("stack", gravity=(0, -10.0))
    lower = m.add_body("lower", mass=2.0, inertia=0.1)
    upper = m.add_body("upper", mass=1.0, inertia=0.1, position=(0, 0.2))
    m.prismatic(m.ground, lower.frame, friction=fm.JointFriction(0.2, length=0.2, **SMALL), name="floor")
    law = fm.JointFriction(0.3, static=0.35, length=0.1, **SMALL)
    m.prismatic(lower.attach("top", (0, 0.2)), upper.frame, friction=law, name="top")
    m.point_force(lower.frame, (1.0, 0), factor=fm.Polynomial([0, 10.0]))
    solution = fm.simulate(m, 2.0, method, progress=False)
    assert done(solution) == [("floor", "slides forward"), ("top", "slides backward")]
    assert [e.t for e in solution.events] == pytest.approx([0.6, 1.65], abs=1e-6)
    together = solution.t < 1.65
    assert np.allclose((solution["upper"].x - solution["lower"].x)[together], 0.0, atol=1e-13)
    assert solution["lower"].ax[-1] == pytest.approx((20.0 - 6.0 - 3.0) / 2.0, abs=0.02)


def test_joints_that_share_one_way_to_move_come_to_rest() -> None:
    ends = []
    for method in ("generalized_alpha", "radau", "dop853"):
        solution = fm.simulate(sticking_crank(0.15), 5.0, method, progress=False)
        assert solution.trustworthy
        assert np.ptp(solution["crank"].angle[solution.t > 3.0]) < 1e-12
        assert solution.energy.error < 1e-3
        ends.append(solution["crank"].angle[-1])
    assert np.ptp(ends) < 1e-3


def test_a_pendulum_turns_back_and_stops_in_plane_and_space() -> None:
    flat, solid = (
        fm.simulate(sticking_swing(space), 12.0, "radau", tolerance=1e-9, progress=False) for space in (False, True)
    )
    assert len(flat.events) == len(solid.events) == 9
    assert flat.events[-1].done == ["sticks"]
    assert [e.t for e in flat.events] == pytest.approx([e.t for e in solid.events], abs=1e-6)
    assert solid["bob"].z[-1] == pytest.approx(flat["bob"].y[-1], abs=1e-7)
    force, moment = flat.reaction("hinge")
    assert abs(moment[-1]) <= 0.78 * 0.1 * np.linalg.norm(force[-1])


@pytest.mark.parametrize(("verb", "more"), [("revolute", {}), ("prismatic", {}), ("screw", {"pitch": -0.3})])
def test_derivatives_of_bearings_that_stick(verb: str, more: dict[str, float]) -> None:
    m = fm.SpatialModel("pair")
    a, b = (m.add_body(name, mass=1.0, inertia=(0.1, 0.2, 0.25)) for name in "ab")
    law = fm.JointFriction(
        0.3, static=0.5, stribeck_speed=0.5, viscous=0.2, smoothing=0.0, preload=0.4, small_force=0.1, radius=0.7,
        length=0.4, thrust_radius=0.3,
    )  # fmt: skip
    ends = a.attach("p", (0.1, 0.2, 0.3)), b.attach("p", (-0.3, 0.1, 0.2))
    joint = getattr(m, verb)(*ends, axis="z", friction=law, **more)
    recorder = Recorder.of(joint)
    instance = recorder.instances_with("friction")[0]
    instance.parameters[-2] = BACKWARD
    n, rows = len(instance.columns), len(instance.rows)
    s = instance.at(random_state(recorder, 3))
    lam = np.random.default_rng(1).uniform(-3.0, 3.0, rows)

    def force(moves=None, v=s.v, lam=lam):
        q = s.q if moves is None else s.retracted(moves[None])[0]
        return instance.call("friction", 0.0, q, v, lam=lam)[0][:n]

    def differences(function, x):
        return np.array([(function(x + e) - function(x - e)) / 2e-6 for e in 1e-6 * np.eye(len(x))]).T

    by_v = instance.call("friction", 0.0, s.q, s.v, lam=lam, w=(0.0, 1.0, 0.0))[1]
    by_q = instance.call("friction", 0.0, s.q, s.v, lam=lam, w=(0.0, 0.0, 1.0))[1]
    by_lam = instance.call("friction", 0.0, s.q, s.v, lam=lam)[0][n:].reshape(rows, n).T
    assert np.allclose(by_v, differences(lambda x: force(v=x), s.v), atol=1e-7)
    assert np.allclose(by_q, differences(force, np.zeros(n)), atol=1e-7)
    assert np.allclose(by_lam, differences(lambda x: force(lam=x), lam), atol=1e-7)


def test_chosen_times_the_ledger_and_going_on() -> None:
    times = np.linspace(0.0, 2.0, 41)
    whole = fm.simulate(pushed(fm.Harmonic(6.0, 10.0)), 2.0, "radau", tolerance=1e-9, progress=False)
    chosen = fm.simulate(pushed(fm.Harmonic(6.0, 10.0)), 2.0, "radau", tolerance=1e-9, times=times, progress=False)
    assert np.allclose(chosen["block"].x, whole.at(times)["block"].x, atol=1e-12)
    lost = chosen.energy.dissipated[-1]
    assert lost == pytest.approx(whole.at(times).energy.dissipated[-1], rel=1e-12)
    fine = fm.simulate(pushed(fm.Harmonic(6.0, 10.0)), 2.0, "radau", tolerance=1e-12, progress=False)
    exact = fine.energy.dissipated[-1]
    simpson = 6e-8  # of some 560 steps; where the block starts and stops to slide each may be off by 1e-9
    assert lost == pytest.approx(exact, rel=simpson) and whole.energy.dissipated[-1] == pytest.approx(
        exact, rel=simpson
    )
    many = whole.at(np.linspace(0.0, 2.0, 4001)).energy.dissipated[-1]
    assert many == pytest.approx(exact, rel=1e-9)  # times cut steps, and the sum is the more exact for it
    first = fm.simulate(pushed(fm.Harmonic(6.0, 10.0)), 0.5, "radau", tolerance=1e-9, progress=False)
    rest = fm.simulate(
        pushed(fm.Harmonic(6.0, 10.0)), 2.0, "radau", tolerance=1e-9, initial=first, t_start=0.5, progress=False
    )
    assert rest["block"].x[-1] == pytest.approx(whole["block"].x[-1], abs=1e-8)


def test_a_lock_that_is_switched_off_lets_it_slide() -> None:
    m = fm.PlanarModel("release", gravity=(0, -9.81))
    block = m.add_body("block", mass=2.0, inertia=0.1, angle=-0.5)
    m.prismatic(m.ground, block.frame, axis=-0.5, friction=fm.JointFriction(0.3, length=0.2, **SMALL), name="slope")
    m.lock(m.ground, block.frame, "x", name="hold")
    m.add_event(0.5, fm.Switch(off="hold"))
    solution = fm.simulate(m, 1.0, progress=False)
    way = 0.5 * 9.81 * (np.sin(0.5) - 0.3 * np.cos(0.5)) * 0.25 * np.cos(0.5)
    assert solution["block"].x[-1] == pytest.approx(way, rel=1e-7)


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "independent", "dop853"])
def test_a_block_that_sticks_is_set_in_motion_by_an_impact(method: str) -> None:
    """A stone of 1 kg with 2 m/s is caught by a block of 2 kg that rests: the block carries its share of the weight."""
    m = fm.PlanarModel("hit", gravity=(0, -10.0))
    block = m.add_body("block", mass=2.0, inertia=0.1)
    m.prismatic(m.ground, block.frame, friction=fm.JointFriction(0.5, length=0.5, **SMALL), name="floor")
    stone = m.add_body("stone", mass=1.0, inertia=0.1, position=(-1.0, 0))
    m.prismatic(m.ground, stone.frame, name="rail")
    stone.frame.move((2.0, 0.0), 0.0)
    m.switch_off(m.lock(block.frame, stone.frame, "x", name="catch"))
    m.add_event(0.5, fm.Switch(on="catch"), name="hit")
    solution = fm.simulate(m, 1.5, method, progress=False)
    assert [e.done[0] for e in solution.events] == ["switched catch on", "slides forward", "sticks"]
    assert solution.events[0].lost == pytest.approx(0.5 * 2.0**2 * (1.0 - 1.0 / 3.0), rel=1e-9)
    assert solution.events[1].t == solution.events[0].t
    at_hit = solution.t == solution.t[np.argmin(np.diff(solution.t))]  # before, and behind with its friction
    assert solution["block.vx"][at_hit] == pytest.approx([0.0, 2.0 / 3.0], abs=1e-9)
    assert solution["block"].acceleration[at_hit, 0] == pytest.approx([0.0, -10.0 / 3.0], abs=1e-7)
    assert solution["block"].x[-1] == pytest.approx((2.0 / 3.0) ** 2 / (2.0 * 10.0 / 3.0), rel=1e-8)
    assert solution.energy.error < 1e-8


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "independent", "dop853"])
def test_a_guide_that_lets_go_while_it_slides(method: str) -> None:
    m = fm.PlanarModel("release", gravity=(0, -9.81))
    block = m.add_body("block", mass=2.0, inertia=0.1)
    block.frame.move((1.0, 0.0), 0.0)
    m.prismatic(m.ground, block.frame, friction=fm.JointFriction(0.3, length=0.2, **SMALL), name="floor")
    m.add_event(0.1, fm.Switch(off="floor"))
    solution = fm.simulate(m, 0.3, method, progress=False)
    a = 0.3 * 9.81
    assert solution["block"].x[-1] == pytest.approx(0.1 - 0.5 * a * 0.01 + (1.0 - 0.1 * a) * 0.2, rel=1e-8)
    assert solution["block"].y[-1] == pytest.approx(-0.5 * 9.81 * 0.04, rel=1e-8)


def test_what_analyses_say() -> None:
    model = pushed(fm.Constant(1.0))
    for analysis in (
        lambda: fm.linearize(model, "point_force 1.force", "block.x"),
        lambda: fm.modes(model),
        lambda: fm.equilibrium(model),
    ):
        with pytest.raises(ModelError, match="'floor' truly sticks"):
            analysis()


def test_bad_input() -> None:
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    law = fm.JointFriction(0.3, radius=0.1, smoothing=0.0)
    with pytest.raises(ModelError, match="one way to move"):
        m.cylindrical(m.ground, body.frame, axis="z", friction=law)
    with pytest.raises(ModelError, match="smoothing"):
        fm.JointFriction(0.3, smoothing=-1.0)


def test_a_guide_that_jams_as_it_slides_is_named() -> None:
    """What decelerates it, far from its axis, makes it lean on its bearing, and friction grows with that."""
    m = fm.PlanarModel("drawer", gravity=(0.0, -9.81))
    drawer = m.add_body("drawer", mass=1.0, inertia=1e-3, center=(0.0, 0.5))
    law = fm.JointFriction(0.6, length=0.1, **SMALL)
    m.prismatic(m.ground, drawer.frame, friction=law, name="rail")
    drawer.rigid_motion((1.0, 0.0), 0.0, (0.0, 0.0))
    with pytest.raises(SolverError, match=r"'rail': .* it jams"):
        fm.simulate(m, 1.0, progress=False)
