"""Kinds of joints that are switched in a run, in the plane and in space, and what analyses make of it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import SwitchingError
from flexmb.solvers.binding.initial_state import state_of
from flexmb.validation.references.deployment import Chain, deploy
from tests.solvers.switching_runs import run_with


def satellites(joint: str) -> fm.SpatialModel:
    m = fm.SpatialModel("satellites")
    a = m.add_body("a", mass=2.0, inertia=(0.3, 0.4, 0.5))
    turned = Rotation.from_euler("xyz", [0.2, 0.4, -0.3])
    b = m.add_body("b", mass=3.0, inertia=(0.5, 0.6, 0.9), position=(1.4, 0.2, 0.1), orientation=turned)
    a.frame.move((1.0, 0.2, 0.1), (0.5, 0.1, 0.3))
    b.frame.move((-0.5, 0.1, 0.0), (-0.8, 0.2, 0.4))
    m.switch_off(getattr(m, joint)(a.attach("port", (0.3, 0, 0)), b.attach("port", (-0.3, 0.0, 0.1)), name="dock"))
    return m


@pytest.mark.parametrize("joint", ["weld", "distance"])
@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "independent", "baumgarte", "projection", "dop853"])
def test_what_holds_what_it_finds_in_space(joint, method):
    solution, (docked, _) = run_with(satellites(joint), 2.0, [(0.5, ["dock"], ()), (1.2, (), ["dock"])], method)
    system, first = solution.source.system, solution.source.epochs[1].first
    before, behind = (system.momentum(solution.t[k], solution.q[k], solution.v[k]) for k in (first - 1, first))
    np.testing.assert_allclose(behind, before, rtol=0, atol=1e-15)
    lost = {"weld": 1.4997505591335707, "distance": 0.20804042021586622}[joint]
    assert docked.lost == pytest.approx(lost, rel=1e-5) and docked.moved == 0.0
    assert solution.energy.error < 3e-4 and not solution.doubts
    track_a, track_b = (solution[f"{name}.port"].position for name in "ab")
    apart = np.linalg.norm(track_b - track_a, axis=1)[first : solution.source.epochs[2].first]
    assert np.ptp(apart) < 1e-7


def test_a_weld_in_space_holds_bodies_that_face_each_other():
    m = fm.SpatialModel("half turn")
    a = m.add_body("a", mass=2.0, inertia=(0.3, 0.4, 0.5))
    b = m.add_body("b", mass=3.0, inertia=(0.5, 0.6, 0.9), position=(1.0, 0.0, 0.0))
    b.frame.move(angular_velocity=(0.0, 0.0, np.pi))
    m.switch_off(m.weld(a.frame, b.frame, name="weld"))
    solution, (event,) = run_with(m, 2.0, [(1.0, ["weld"], ())])  # b has made half a turn
    assert not solution.doubts and event.lost > 0.0
    first = solution.source.epochs[1].first
    against = (solution["a"].orientation.inv() * solution["b"].orientation)[first:]
    np.testing.assert_allclose(np.abs(against.as_rotvec()[:, 2]), np.pi, rtol=0, atol=1e-7)


def test_a_joint_that_would_close_upside_down_is_refused():
    m = fm.SpatialModel("upside-down")
    b = m.add_body("b", mass=3.0, inertia=(0.5, 0.6, 0.9))
    b.frame.move(angular_velocity=(np.pi, 0.0, 0.0))
    m.switch_off(m.revolute(m.ground, b.frame, axis="z", name="hinge"))
    with pytest.raises(SwitchingError, match="'hinge': frame 'b' stands upside-down"):
        run_with(m, 2.0, [(1.0, ["hinge"], ())])


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "independent", "dop853"])
@pytest.mark.parametrize("space", [False, True])
def test_a_clutch_shares_the_momentum_of_its_wheels(space, method):
    m = fm.SpatialModel("clutch") if space else fm.PlanarModel("clutch")
    inertia = [(0.2, 0.2, 0.2), (0.2, 0.2, 0.3)] if space else [0.2, 0.3]
    place = (0.4, 0.0, 0.0) if space else (0.4, 0.0)
    a = m.add_body("a", mass=1.0, inertia=inertia[0])
    b = m.add_body("b", mass=1.0, inertia=inertia[1], position=place)
    m.revolute(m.ground, a.frame)
    m.revolute(m.ground.attach("second", place), b.frame)
    a.frame.move(angular_velocity=(0, 0, 10.0) if space else 10.0)
    m.switch_off(m.gear(a.frame, b.frame, -0.5, name="pair"))
    solution, events = run_with(m, 3.0, [(1.0, ["pair"], ()), (2.0, (), ["pair"]), (2.5, ["pair"], ())], method)
    speed = 10.0 * 0.2 / (0.2 + 0.25 * 0.3)
    rate = "wz" if space else "angular_velocity"
    assert getattr(solution["a"], rate)[-1] == pytest.approx(speed, rel=1e-7)
    assert getattr(solution["b"], rate)[-1] == pytest.approx(-0.5 * speed, rel=1e-7)
    assert [x.lost for x in events] == pytest.approx([10.0 - 0.5 * 0.275 * speed**2, 0.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "independent", "dop853"])
def test_drives_put_in_half_of_their_work_and_lose_the_other(method):
    m = fm.PlanarModel("drive")
    body = m.add_body("body", mass=1.0, inertia=0.3)
    m.revolute(m.ground, body.frame)
    options = {"relative_to_start": True, "name": "drive"}
    m.switch_off(m.drive_angle(m.ground, body.frame, fm.Polynomial([0, 3.0]), **options))
    solution, (event, _) = run_with(m, 2.0, [(1.0, ["drive"], ()), (1.5, (), ["drive"])], method)
    assert solution["body"].angle[-1] == pytest.approx(3.0, rel=1e-7)  # it goes on from where it is
    assert (event.work, event.lost) == pytest.approx((0.3 * 9.0, 0.5 * 0.3 * 9.0))
    assert solution.energy.drives[-1] == pytest.approx(2.7) and solution.energy.error < 1e-7


def test_velocity_rows_take_their_part_in_an_impact():
    m = fm.PlanarModel("skate")
    body = m.add_body("body", mass=2.0, inertia=0.3)
    body.frame.move((1.0, 2.0), 1.0)
    m.switch_off(m.knife_edge(m.ground, body.attach("edge", (0.3, 0)), name="blade"))
    solution, (event, _) = run_with(m, 2.0, [(0.5, ["blade"], ()), (1.5, (), ["blade"])])
    k = solution.source.epochs[1].first
    angle = solution["body"].angle[k]
    across = np.array([-np.sin(angle), np.cos(angle)])
    off = across @ [1.0, 2.0] + 0.3  # speed of the blade to the side
    assert event.lost == pytest.approx(0.5 * off**2 / (1.0 / 2.0 + 0.09 / 0.3), rel=1e-9)
    assert solution.energy.error < 1e-8


@pytest.mark.filterwarnings("ignore::flexmb.errors.RedundancyWarning")
def test_redundant_joints_share_an_impulse_evenly():
    m = fm.SpatialModel("door", gravity=(0, 0, -9.81))
    door = m.add_body("door", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    for name, z in (("low", -0.5), ("up", 0.5)):
        m.revolute(m.ground.attach(f"post {name}", (0, 0, z)), door.attach(name, (-0.5, 0, z)), name=f"hinge {name}")
    m.switch_off(m.component("hinge up"))
    m.switch_off(m.lock(m.ground, door.frame, "y", name="stop"))
    door.frame.move((0, 1.0, 0), (0, 0, 2.0))
    solution, (silent, stopped) = run_with(m, 1.0, [(0.3, ["hinge up"], ()), (0.5, ["stop"], ())])
    assert silent.lost == pytest.approx(0.0, abs=1e-9)  # it fits, and nothing jumps
    low, up = (stopped.impulses[f"hinge {name}"][0] for name in ("low", "up"))
    np.testing.assert_allclose(low, up, rtol=1e-6, atol=1e-8)
    assert stopped.lost == pytest.approx(0.5 * (0.1 + 0.5) * 4.0, rel=1e-6)
    assert solution.joints_not_unique == ["hinge low", "hinge up"]


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "dop853", "independent"])
def test_the_lock_of_a_hinge_in_space_counts_on(method):
    m = fm.SpatialModel("door", gravity=(0, 0, -9.81))
    door = m.add_body("door", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    edge = door.attach("edge", (-0.5, 0, 0))
    m.revolute(m.ground, edge, axis="y", name="hinge")
    m.switch_off(m.lock(m.ground, edge, "angle", axis="y", name="latch"))
    plan = [(0.4, ["latch"], ()), (1.0, (), ["latch"]), (1.3, ["latch"], ())]
    solution, events = run_with(m, 2.0, plan, method)
    angle, held = solution["hinge"].angle, solution.is_on("latch")
    np.testing.assert_allclose(solution.coordinate("latch.turn"), angle, rtol=0, atol=1e-8)
    for epoch, last in ((1, solution.source.epochs[2].first), (3, len(solution))):
        assert np.ptp(angle[solution.source.epochs[epoch].first : last]) < 1e-9
    assert angle[-1] == pytest.approx(1.4518595, abs=3e-4) and held[-1]
    assert solution.energy.error < 1e-3 and events[1].lost == 0.0


@pytest.mark.parametrize(("method", "exact"), [("radau", 1e-7), ("dop853", 1e-7), ("independent", 1e-6)])
def test_panels_that_latch_one_after_the_other(method, exact):
    chain = Chain()
    known = deploy(chain, 6.0)
    plan = [(t, [f"latch {k}"], ()) for k, t, _ in known.latched]
    solution, events = run_with(panels(chain), 6.0, plan, method)
    for event, (_, _, lost) in zip(events, known.latched):
        assert event.lost == pytest.approx(lost, abs=10.0 * exact)
    assert solution["panel 3"].angle[-1] == pytest.approx(known.theta[-1], abs=exact)
    assert solution.energy.error < 1e-6 and np.max(np.abs(solution.v[-1])) < 1e-6


def panels(chain: Chain) -> fm.PlanarModel:
    m = fm.PlanarModel("panels")
    hub = m.add_body("hub", mass=chain.hub[0], inertia=chain.hub[1])
    edge, place, angle = hub.attach("edge", (chain.hub[2], 0)), np.array([chain.hub[2], 0.0]), 0.0
    for k, (folded, stiffness, free) in enumerate(zip(chain.folded, chain.springs, chain.free), 1):
        angle += folded
        along = chain.length * np.array([np.cos(angle), np.sin(angle)])
        panel = m.add_body(
            f"panel {k}", mass=chain.mass, inertia=chain.inertia, position=place + 0.5 * along, angle=angle
        )
        root, place = panel.attach("root", (-0.5 * chain.length, 0)), place + along
        m.revolute(edge, root)
        m.torsion_spring(edge, root, stiffness=stiffness, free_angle=free, damping=chain.damping)
        m.switch_off(m.lock(edge, root, "angle", value=0.0, name=f"latch {k}"))
        edge = panel.attach("tip", (0.5 * chain.length, 0))
    return m


def test_several_instants_at_once_and_both_sides_of_a_jump():
    m = fm.PlanarModel("m")
    x = m.add_body("x", mass=2.0, inertia=0.3)
    y = m.add_body("y", mass=1.0, inertia=0.2, position=(1.0, 0.0))
    x.frame.move((1.0, 0.5), 0.3)
    m.switch_off(m.weld(x.frame, y.frame, name="w"))
    m.switch_off(m.distance(x.frame, y.attach("e", (0, 0.4)), name="r"))
    plan = [(1e-9, ["r"], ()), (0.5, ["w"], ["r"]), (0.5, (), ["w"]), (1.0 - 1e-9, ["w"], ())]
    solution, events = run_with(m, 1.0, plan, "radau")
    t = np.linspace(0.0, 1.0, 11)
    some, _ = run_with(m, 1.0, plan, "radau", times=t)
    np.testing.assert_allclose(some.v, solution.at(t).v, rtol=0, atol=1e-12)
    assert solution.energy.error < 1e-9 and some.energy.switching[-1] == pytest.approx(sum(x.lost for x in events))
    rows = np.flatnonzero(solution.t == 0.5)
    assert len(rows) == 3
    np.testing.assert_array_equal(solution.at([0.5, 0.5]).v, solution.v[rows[[0, 2]]])
    assert solution.at([0.5, 0.5]).is_on("r").tolist() == [True, False]


@pytest.mark.warns(fm.errors.BalanceWarning, "the state is not an equilibrium")
def test_analyses_start_with_what_is_on():
    m = fm.PlanarModel("m", gravity=(0, -9.81))
    body = m.add_body("body", mass=2.0, inertia=0.3, position=(1, 0))
    m.revolute(m.ground, body.attach("pivot", (-1, 0)), name="hinge")
    m.torsion_spring(m.ground, body.frame, stiffness=30.0)
    load = m.point_torque(body.frame, 0.0, name="load")
    latch = m.lock(m.ground, body.frame, "angle", name="latch")
    m.switch_off(latch)
    at_rest = fm.equilibrium(m)
    assert at_rest["body"].angle == pytest.approx(-0.55562, abs=1e-5)
    assert at_rest.reaction("latch") == (pytest.approx([0.0, 0.0]), 0.0)
    assert fm.linearize(at_rest, ["load"], ["body.angle"]).A.shape == (2, 2)
    solution, _ = run_with(m, 1.0, [(0.3, [latch], ())])
    assert state_of(solution, "x").system.off == frozenset() and state_of(solution.at([0.2]), "x").system.off == {
        "latch"
    }
    with pytest.raises(fm.errors.ModelError, match="leave it no freedom"):
        fm.linearize(solution, ["load"], ["body.angle"])
    m.switch_on(latch)
    assert fm.equilibrium(m)["body"].angle == pytest.approx(0.0, abs=1e-9)
    m.switch_off(load)
    m.switch_off(latch)
    with pytest.raises(fm.errors.ModelError, match="'load' is off, and acts on nothing"):
        fm.linearize(m, ["load"], ["body.angle"])


def test_what_owns_coordinates_or_inertia_stays_on():
    m = fm.PlanarModel("m")
    body = m.add_body("body", mass=2.0, inertia=0.3)
    motor = m.motor(m.ground, body.frame, torque=1.0, inertia=0.1, name="motor")
    for part, why in ((motor, "it owns coordinates"), (body, "it has inertia")):
        m.switch_off(part)
        with pytest.raises(fm.errors.ModelError, match=f"{part.name}' cannot be switched off: {why}"):
            fm.System(m)
        with pytest.raises(fm.errors.ModelError, match="is off already"):
            m.switch_off(part)
        m.switch_on(part)
        with pytest.raises(fm.errors.ModelError, match="is on already"):
            m.switch_on(part)


def test_what_is_left_without_inertia_is_named():
    m = fm.PlanarModel("m", gravity=(0, -9.81))
    body = m.add_body("body", mass=2.0, inertia=0.3)
    slider = m.add_frame("slider", (1, 0))
    m.weld(body.attach("end", (1, 0)), slider, name="weld")
    m.spring_damper(m.ground, slider, stiffness=3.0)
    with pytest.raises(SwitchingError, match=r"what is left cannot move on: .*'slider.x'.* has no inertia"):
        run_with(m, 1.0, [(0.3, (), ["weld"])])
