"""Hard stops of joints and of distances, in the plane and in space, against closed forms."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

import flexmb as fm
from flexmb.algebra.factors import dense
from flexmb.errors import ModelError, SolverError
from flexmb.solvers.events.impacts.collision import Meeting, collide
from flexmb.solvers.events.row_states import RowStates
from flexmb.system.system import System

G = 9.81
quiet: dict[str, Any] = {"progress": False}
#: a run in absolute coordinates and in those of joints, by methods that follow their error and by fixed steps
HOWS: list[dict[str, Any]] = [
    {"method": "radau"},
    {"method": "radau", "formulation": "aba"},
    {"method": "dop853"},
    {"method": "dop853", "formulation": "aba"},
    {"method": "generalized_alpha", "step": 1e-3},
]


def ball(restitution: float = 0.7, space: bool = False) -> Any:
    """A ball that falls along a guide from 1 m to a floor."""
    if space:
        s = fm.SpatialModel("ball", gravity=(0, 0, -G))
        body = s.add_body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1.0))
        guide = s.prismatic(s.ground, body.frame, axis="z", name="guide")
        s.joint_stop(guide, lower=0.0, hard=True, restitution=restitution, name="floor")
        return s
    m = fm.PlanarModel("ball", gravity=(0, -G))
    body = m.add_body("ball", mass=2.0, inertia=0.1, position=(0, 1.0))
    guide = m.prismatic(m.ground, body.frame, axis=0.5 * math.pi, name="guide")
    m.joint_stop(guide, lower=0.0, hard=True, restitution=restitution, name="floor")
    return m


@pytest.mark.parametrize("how", HOWS)
def test_a_ball_bounces_to_its_rest(how: dict[str, Any]) -> None:
    e = 0.7
    run = fm.simulate(ball(e), 3.0, **how, **quiet)
    assert run.status == "finished"
    impacts = [record for record in run.events if record.done[0] == "impact at lower"]
    speed, t, times, losses = math.sqrt(2.0 * G), math.sqrt(2.0 / G), [], []
    for _ in range(10):
        times.append(t)
        losses.append((1.0 - e**2) * speed**2)
        speed *= e
        t += 2.0 * speed / G
    assert [record.t for record in impacts[:10]] == pytest.approx(times, abs=1e-10)
    assert [record.lost for record in impacts[:10]] == pytest.approx(losses, rel=1e-9)
    impulse, moment = impacts[0].impulses["floor"]
    assert impulse == pytest.approx([0.0, 2.0 * (1.0 + e) * math.sqrt(2.0 * G)], rel=1e-9)
    assert moment == pytest.approx(0.0, abs=1e-12)
    # infinitely many impacts end at √(2 h/g) (1 + e)/(1 − e)
    ends = float(impacts[-1].done[1].removeprefix("bouncing ends at t = ").removesuffix(" s"))
    assert ends == pytest.approx(2.5586339656, abs=4e-9)
    assert run.events[-1].done == ["closes at lower"]
    assert run["floor.force"][-1] == pytest.approx(2.0 * G, rel=1e-12)
    assert run["ball.y"].min() > -1e-12 and run.energy.error < 1e-8
    assert sum(record.lost for record in run.events) == pytest.approx(2.0 * G, rel=1e-9)


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("space", [False, True])
def test_a_pendulum_at_a_stop(space: bool, how: dict[str, Any]) -> None:
    if space:
        s = fm.SpatialModel("pendulum", gravity=(0, -G, 0))
        bob = s.add_body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0))
        hinge = s.revolute(s.ground, bob.attach("pin", (-1, 0, 0)), axis="z", name="hinge")
        s.joint_stop(hinge, lower=-1.0, hard=True, restitution=0.5, coordinate="angle", name="stop")
        m: Any = s
    else:
        m = fm.PlanarModel("pendulum", gravity=(0, -G))
        plank = m.add_body("bob", mass=1.0, inertia=0.1, position=(1, 0))
        hinge = m.revolute(m.ground, plank.attach("pin", (-1, 0)), name="hinge")
        m.joint_stop(hinge, lower=-1.0, hard=True, restitution=0.5, name="stop")
    run = fm.simulate(m, 1.0, **how, **quiet)
    J = 1.1
    omega = math.sqrt(2.0 * G * math.sin(1.0) / J)
    first = quad(lambda x: 2.0 * x / math.sqrt(2.0 * G * math.sin(x * x) / J), 0.0, 1.0)[0]
    record = run.events[0]
    allowed = 2e-6 if "step" in how else 5e-9
    assert record.t == pytest.approx(first, abs=allowed)
    assert record.lost == pytest.approx(0.5 * J * omega**2 * 0.75, rel=10 * allowed)
    _, moment = record.impulses["stop"]
    turn = moment[2] if space else moment
    assert turn == pytest.approx(1.5 * J * omega, rel=10 * allowed)
    # the axis bears what the stop's couple does not: m v of the centre jumps
    on_hinge, _ = record.impulses["hinge"]
    assert np.linalg.norm(on_hinge) == pytest.approx(1.5 * omega, rel=10 * allowed)
    behind = run.at([record.t + 1e-9])
    assert behind["stop.rate"][0] == pytest.approx(0.5 * omega, rel=1e-5)


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("space", [False, True])
def test_a_rope_tightens(space: bool, how: dict[str, Any]) -> None:
    if space:
        s = fm.SpatialModel("rope", gravity=(0, 0, -G))
        bob = s.add_body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.3, 0, 0))
        s.distance_stop(s.ground, bob.frame, upper=0.5, hard=True, name="rope")
        m: Any = s
    else:
        m = fm.PlanarModel("rope", gravity=(0, -G))
        stone = m.add_body("bob", mass=1.0, inertia=0.1, position=(0.3, 0))
        m.distance_stop(m.ground, stone.frame, upper=0.5, hard=True, name="rope")
    run = fm.simulate(m, 1.0, **how, **quiet)
    # it falls by 0.4 m beside its post; of its speed v the rope, 4 : 3 to the side, takes 0.8 v
    v = math.sqrt(0.8 * G)
    assert run.events[0].t == pytest.approx(math.sqrt(0.8 / G), abs=1e-9)
    assert run.events[0].lost == pytest.approx(0.5 * (0.8 * v) ** 2, rel=1e-8)
    assert [record.done for record in run.events] == [["impact at upper"], ["closes at upper"]]
    length = run["rope.value"]
    assert length.max() < 0.5 + 1e-7 and length[-1] == pytest.approx(0.5, abs=1e-7)
    assert run["rope.force"].max() <= 1e-9 and run["rope.force"].min() < -G
    assert run.energy.error < 1e-4


@pytest.mark.parametrize("method", ["radau", "dop853"])
def test_a_row_of_balls_that_touch_is_struck_at_once(method: str) -> None:
    m = fm.PlanarModel("row")
    bodies = [m.add_body(f"b{k}", mass=1.0, inertia=0.1, position=(0.2 * k, 0)) for k in range(5)]
    for k, body in enumerate(bodies):
        m.prismatic(m.ground, body.frame, name=f"guide{k}")
    for k, (one, two) in enumerate(itertools.pairwise(bodies)):
        m.distance_stop(one.frame, two.frame, lower=0.2, hard=True, restitution=1.0, name=f"pair{k}")
    bodies[0].frame.move(velocity=(1.0, 0))
    run = fm.simulate(m, 0.5, method, **quiet)
    speeds = [run[f"b{k}.vx"][-1] for k in range(5)]
    assert speeds == pytest.approx([-0.6, 0.4, 0.4, 0.4, 0.4], abs=1e-12)
    # with gaps they strike in turn, and the last goes on with all of the speed
    for k, body in enumerate(bodies):
        body.frame.node.position[0] = (0.2 + 1e-4) * k
    run = fm.simulate(m, 0.5, method, **quiet)
    assert [run[f"b{k}.vx"][-1] for k in range(5)] == pytest.approx([0.0, 0.0, 0.0, 0.0, 1.0], abs=1e-10)


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("twice", [False, True])
def test_a_block_is_lifted_off_its_floor(twice: bool, how: dict[str, Any]) -> None:
    m = fm.PlanarModel("lifted", gravity=(0, -G))
    block = m.add_body("block", mass=1.0, inertia=0.1)
    guide = m.prismatic(m.ground, block.frame, axis=0.5 * math.pi, name="guide")
    for name in ("floor", "again")[: 1 + twice]:
        m.joint_stop(guide, lower=0.0, hard=True, name=name)
    m.point_force(block.frame, (0, 1.0), factor=fm.Harmonic(12.0, 1.0))
    run = fm.simulate(m, 2.5, **how, **quiet)
    leaves = math.asin(G / 12.0)
    assert [record.done for record in run.events] == [["opens at lower"]]
    assert run.events[0].t == pytest.approx(leaves, abs=2e-8)
    assert run["floor.force"][0] + (run["again.force"][0] if twice else 0.0) == pytest.approx(G, rel=1e-12)
    # ÿ = 12 sin t − g from there on
    tau = 2.5 - leaves
    y = 12.0 * (math.sin(leaves) - math.sin(2.5) + tau * math.cos(leaves)) - 0.5 * G * tau**2
    assert run["block.y"][-1] == pytest.approx(y, abs=2e-3 if "step" in how else 1e-6)


def test_between_two_limits() -> None:
    m = fm.PlanarModel("cage")
    block = m.add_body("block", mass=1.0, inertia=0.1)
    guide = m.prismatic(m.ground, block.frame, name="guide")
    m.joint_stop(guide, lower=-0.5, upper=0.5, hard=True, restitution=1.0, name="cage")
    block.frame.move(velocity=(1.0, 0))
    run = fm.simulate(m, 10.0, **quiet)
    assert [record.t for record in run.events] == pytest.approx(np.arange(0.5, 10.0), abs=1e-11)
    assert [record.done[0][-5:] for record in run.events] == ["upper", "lower"] * 5
    assert run["block.x"][-1] == pytest.approx(0.0, abs=1e-11) and run.energy.error < 1e-12


def test_friction_that_sticks_beside_a_stop_and_a_switch() -> None:
    m = fm.PlanarModel("both", gravity=(0, -G))
    block = m.add_body("block", mass=1.0, inertia=0.1)
    guide = m.prismatic(m.ground, block.frame, friction=fm.JointFriction(0.2, length=1.0, smoothing=0.0), name="guide")
    m.joint_stop(guide, upper=0.5, hard=True, restitution=0.5, name="wall")
    block.frame.move(velocity=(2.0, 0))
    m.add_event(1.0, fm.Switch(off="wall"), name="open")
    for method in ("radau", "dop853"):
        run = fm.simulate(m, 2.0, method, **quiet)
        # it brakes by μ g on its way to the wall, comes back with half of the speed, and stops
        hits = math.sqrt(4.0 - 2.0 * 0.2 * G * 0.5)
        back = 0.5 * hits
        assert run.events[0].t == pytest.approx((2.0 - hits) / (0.2 * G), abs=1e-9)
        assert run["block.x"][-1] == pytest.approx(0.5 - back**2 / (0.4 * G), abs=1e-9)
        assert abs(run["block.vx"][-1]) < 1e-15 and run.energy.error < 1e-6
        assert [record.name for record in run.events][:4] == ["wall", "guide", "guide", "open"]


def test_files_going_on_and_chosen_times(tmp_path: Path) -> None:
    m = ball()
    run = fm.simulate(m, 3.0, "dop853", **quiet)
    loaded = fm.load(run.save(tmp_path / "ball.h5"))
    assert [record.done for record in loaded.events] == [record.done for record in run.events]
    assert [record.lost for record in loaded.events] == [record.lost for record in run.events]
    assert loaded["floor.force"] == pytest.approx(run["floor.force"]) and loaded["floor"].place.law is None
    np.testing.assert_allclose(loaded.events[3].impulses["floor"][0], run.events[3].impulses["floor"][0])
    assert loaded.energy.error == pytest.approx(run.energy.error)
    # behind an impact, in flight, and at rest
    for t in (run.events[1].t, 1.3, 2.8):
        later = fm.simulate(m, 3.0, "dop853", initial=run.at([t]), t_start=t, **quiet)
        assert later["ball.y"][-1] == pytest.approx(run["ball.y"][-1], abs=1e-9)
        assert later["floor.force"][-1] == pytest.approx(2.0 * G, rel=1e-9)
    times = np.linspace(0.0, 3.0, 31)
    chosen = fm.simulate(m, 3.0, "dop853", times=times, **quiet)
    np.testing.assert_allclose(chosen["ball.y"], run.at(times)["ball.y"], atol=1e-9)


def test_what_is_refused() -> None:
    m = ball()
    guide = m.components["guide"]
    for more, said in (
        ({}, "has no stiffness; give stiffness=.*or hard=True"),
        ({"hard": True, "stiffness": 1e3}, "does not give way and has no stiffness; leave it out"),
        ({"hard": True, "damping": 1.0, "exponent": 2.0}, "has no damping, exponent; leave them out"),
        ({"hard": True, "restitution": 1.5}, r"restitution is 1.5; it must lie in \[0, 1\]"),
        ({"hard": True, "restitution": -0.5}, "restitution"),
        ({"hard": True, "impact_speed": 1.0}, "impact_speed"),
        ({"hard": 1.5}, "hard"),
    ):
        with pytest.raises(ModelError, match=said):
            m.joint_stop(guide, lower=-1.0, name="other", **more)
    with pytest.raises(ModelError, match="beyond lower"):
        m.joint_stop(guide, lower=2.0, hard=True, name="high")
    with pytest.raises(SolverError, match="method 'projection' knows no impacts, which stop 'floor' may have"):
        fm.simulate(m, 1.0, "projection", **quiet)
    for analysis in (fm.equilibrium, fm.modes, fm.linearize):
        with pytest.raises(ModelError, match="stop 'floor' may close and open"):
            analysis(m)


def test_what_has_no_inertia_or_deforms_is_refused() -> None:
    m = fm.PlanarModel("driven")
    slide = m.add_body("slide", mass=1.0, inertia=0.1)
    rail = m.prismatic(m.ground, slide.frame, name="rail")
    m.drive_position(m.ground, slide.frame, fm.Polynomial([0.0, 1.0]))
    m.joint_stop(rail, upper=0.5, hard=True, name="end")
    with pytest.raises(ModelError, match="stop 'end' has no inertia behind it"):
        fm.simulate(m, 1.0, **quiet)
    for restitution in (0.0, 0.5):
        b = fm.PlanarModel("bar", gravity=(0, -G))
        steel = fm.planar.BeamProperties(EA=1e5, EI=10.0, rhoA=0.5)
        rod = b.add_beam("rod", (0, 0), (1, 0), properties=steel, elements=2)
        b.revolute(b.ground, rod.start, name="hinge")
        b.distance_stop(b.ground, rod.end, lower=0.9, upper=2.0, hard=True, restitution=restitution, name="rope")
        if restitution:
            with pytest.raises(ModelError, match="stop 'rope' has a restitution, but an impact deforms 'rod'"):
                fm.simulate(b, 0.1, **quiet)
        else:
            run = fm.simulate(b, 0.01, **quiet)
            assert run.status == "finished" and run.trustworthy


def test_an_impact_on_a_coarse_bar_is_doubted() -> None:
    # a free bar of one element loses at a wall what its end had: m_c = .2887 of its mass, consistent
    b = fm.PlanarModel("bar")
    steel = fm.planar.BeamProperties(EA=1.0, EI=1.0, rhoA=1.0)
    rod = b.add_beam("rod", (0, 0), (1, 0), properties=steel, elements=1)
    b.set_rigid_motion(velocity=(1.0, 0.0), components=[rod])
    b.distance_stop(b.ground.attach("wall", (3.0, 0.0)), rod.end, lower=1.5, hard=True, name="wall")
    with pytest.warns(UserWarning, match="stop 'wall' takes .* % of the kinetic energy"):
        run = fm.simulate(b, 0.8, **quiet)
    assert run.events[0].t == pytest.approx(0.5, abs=1e-9) and run.energy.error < 1e-5


def test_restitution_against_what_bends_only_since_it_was_fastened_is_doubted() -> None:
    b = fm.PlanarModel("lift", gravity=(0, -G))
    car = b.add_body("car", mass=1.0, inertia=0.1, position=(0, 1))
    guide = b.prismatic(b.ground, car.frame, axis=0.5 * np.pi, name="guide")
    b.joint_stop(guide, lower=0.0, hard=True, restitution=0.5, name="floor")
    steel = fm.planar.BeamProperties(EA=1e5, EI=10.0, rhoA=0.5)
    rod = b.add_beam("rod", (0, 1), (1, 1), properties=steel, elements=1)
    b.switch_off(b.weld(car.frame, rod.start, name="bolt"))
    b.add_event(0.1, fm.Switch(on="bolt"))
    with pytest.warns(UserWarning, match="stop 'floor' has a restitution, and its impact at .* deforms 'rod'"):
        run = fm.simulate(b, 0.5, "radau", **quiet)
    assert not run.trustworthy


def chain(seed: int) -> tuple[System, list[Any], np.ndarray]:
    """A chain of links with hard stops in every joint and ropes across, at a random state, all at their limits."""
    rng = np.random.default_rng(seed)
    m, last, place = fm.PlanarModel("chain"), None, np.zeros(2)
    for k in range(4):
        angle = float(rng.uniform(-1.0, 1.0))
        ahead = place + 0.5 * np.array([math.cos(angle), math.sin(angle)])
        link = m.add_body(f"link{k}", mass=float(rng.uniform(0.2, 3.0)), inertia=0.05, position=ahead, angle=angle)
        before = m.ground if last is None else last.attach(f"right{k}", (0.5, 0))
        joint = m.revolute(before, link.attach(f"left{k}", (-0.5, 0)), name=f"joint{k}")
        m.joint_stop(joint, lower=joint.initial_angle, hard=True, restitution=float(rng.uniform()), name=f"stop{k}")
        if k > 1:
            far = float(np.linalg.norm(link.frame.position))
            m.distance_stop(
                m.ground, link.frame, upper=far, hard=True, restitution=float(rng.uniform()), name=f"rope{k}"
            )
        place, last = place + 2.0 * (ahead - place), link
    system = System(m)
    rows = RowStates(system).rows
    v = rng.normal(size=system.n)
    G_, M = dense(system.jacobian(0.0, system.q0)), dense(system.mass_matrix(0.0, system.q0))
    K = np.block([[M, G_.T], [G_, np.zeros((system.m, system.m))]])
    v -= np.linalg.solve(K, np.concatenate([np.zeros(system.n), G_ @ v]))[: system.n]
    return system, rows, v


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000))
def test_impacts_never_gain_energy(seed: int) -> None:
    system, rows, v = chain(seed)
    at = 0.0, system.full_q(system.q0), system.full(v)
    meeting = Meeting(system, *at, rows, [None] * len(rows))
    found = collide(system, meeting, *at, 1.0)
    M = dense(system.mass_matrix(0.0, system.q0))
    before, after = (0.5 * x @ M @ x for x in (v, found.v[: system.n]))
    assert after <= before * (1.0 + 1e-9)
    assert found.lost.sum() == pytest.approx(before - after, abs=1e-9 * before)
    assert found.after.min() >= -1e-8 and found.impulse.min() >= 0.0
    # M (v⁺ − v⁻) + Gᵀ Λ = W P
    W = np.zeros((system.n, len(rows)))
    W[[row.speed for row in rows], np.arange(len(rows))] = 1.0
    G_ = dense(system.jacobian(0.0, system.q0))
    left = M @ (found.v[: system.n] - v) + G_.T @ found.on_rows - W @ found.impulse
    assert np.max(np.abs(left)) < 1e-9 * max(1.0, found.impulse.max())
    assert np.linalg.eigvalsh(meeting.normal)[0] > -1e-10
