"""Assembly and disassembly: motions and joint forces of a slow, literal oracle and of the engine, in any order."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

import flexmb as fm
from flexmb.formulations.pieces import ada, dca
from flexmb.formulations.pieces.orders import Closing, in_halves
from flexmb.formulations.tree.moving import accelerate, move, moving_for
from tests.formulations import handle_oracle
from tests.models.linkages import (
    clamped_beam,
    closed_speeds,
    crank_and_rocker,
    engine_accelerations,
    four_bar,
    four_bar_with_a_beam,
)
from tests.models.trees import random_state, random_tree


def run(tree, room, x, u, tau=None, wrench=None, formulation=ada):
    """u̇, and joint forces about the origin of the ground."""
    n, ud = len(tree.links), np.zeros(tree.nv)
    tau = np.zeros(tree.nv) if tau is None else tau
    wrench = np.zeros((n, 6)) if wrench is None else wrench
    assert formulation.solve(tree.arrays, room, x, u, tau, wrench, ud) == 0
    forces = room.joints.forces.copy()
    places = room.moving.at[:, :3]
    forces[:, :3] += np.cross(places, forces[:, 3:])
    return ud, forces


def orders(rng, count):
    """Orders of closing: the usual one, one of chance, several at once, all at once."""
    chance = rng.permutation(count).tolist()
    half = count // 2
    return [None, [[j] for j in range(count)], [[j] for j in chance], [chance[:half], chance[half:]], [chance]]


@pytest.mark.parametrize("formulation", [ada, dca])
@pytest.mark.parametrize("seed", range(8))
def test_trees_move_as_the_oracle_says_in_any_order(formulation, seed):
    rng = np.random.default_rng(seed)
    tree = fm.Tree.of(random_tree(rng, 6, floating=seed % 2 == 1))
    x, u = random_state(rng, tree)
    tau, wrench = rng.normal(size=tree.nv), rng.normal(size=(6, 6))
    bodies, joints, _ = handle_oracle.mechanism(tree, x, u, tau, wrench)
    expected, reactions = handle_oracle.solve(bodies, joints, rng)
    by_motions, _ = handle_oracle.solve(bodies, joints, rng, "dca")
    size = np.abs(expected).max()
    assert by_motions == pytest.approx(expected, abs=1e-11 * size)
    for order in orders(rng, 6):
        room = formulation.room_for(tree, order)
        ud, forces = run(tree, room, x, u, tau, wrench, formulation)
        assert ud == pytest.approx(expected, abs=1e-11 * size)
        assert forces == pytest.approx(np.array([reactions[name] for name in tree.joints]), abs=1e-10)
        a = np.zeros((6, 6))
        moving = moving_for(tree.arrays)
        move(tree.arrays, moving, x, u)
        accelerate(tree.arrays, moving, ud, np.zeros(3), a)
        assert room.accelerations == pytest.approx(a, abs=1e-11 * max(size, 1.0))


@pytest.mark.parametrize("seed", range(3))
def test_accelerations_are_those_of_the_engine(seed):
    rng = np.random.default_rng(20 + seed)
    tree = fm.Tree.of(random_tree(rng, 5, floating=seed == 1))
    x, u = random_state(rng, tree)
    ud, _ = run(tree, ada.room_for(tree), x, u)
    expected = engine_accelerations(tree, x, u)
    assert tree.state(x, u, ud).a == pytest.approx(expected, abs=1e-10 * np.abs(expected).max())


def test_a_four_bar_in_space_closes_with_rows_that_depend_on_one_another():
    rng = np.random.default_rng(1)
    tree = fm.Tree.of(four_bar(0.75 * np.pi))
    x, _ = tree.start()
    # from rest φ̈ = 1.2 g sin φ of both cranks, B3 of Takahashi (2012)
    for order in [[[1, 2], [0, 3]], *orders(rng, 4)]:
        ud, _ = run(tree, ada.room_for(tree, order), x, np.zeros(3))
        assert ud == pytest.approx(8.324061028128039 * np.array([1.0, 1.0, -1.0]), abs=1e-12)
    room = ada.room_for(tree, [[2], [3], [0, 1]])
    run(tree, room, x, np.zeros(3))
    assert room.schedule.rows[[0, 1]].sum() == 10
    assert room.steps.rank[-1] == 7
    u = closed_speeds(tree, x, rng)
    ud, _ = run(tree, room, x, u)
    assert tree.state(x, u, ud).a == pytest.approx(engine_accelerations(tree, x, u), abs=1e-11)


def test_a_four_bar_at_its_fold_goes_on_along_its_branch():
    tree = fm.Tree.of(four_bar(0.5 * np.pi))
    x, _ = tree.start()
    u = 3.0 * np.array([1.0, 1.0, -1.0])  # the parallelogram stays one
    for order in orders(np.random.default_rng(0), 4):
        room = ada.room_for(tree, order)
        ud, _ = run(tree, room, x, u)
        assert ud == pytest.approx(1.2 * 9.81 * np.array([1.0, 1.0, -1.0]), abs=1e-11)
    assert room.steps.rank.tolist() == [16]  # 20 rows, of which one fewer counts than elsewhere


@pytest.mark.parametrize("formulation", [ada, dca])
@pytest.mark.parametrize("seed", range(3))
def test_loops_move_as_in_the_engine_in_any_order(formulation, seed):
    rng = np.random.default_rng(seed)
    tree = fm.Tree.of(crank_and_rocker(rng))
    x, _ = tree.start()
    u = closed_speeds(tree, x, rng)
    expected = engine_accelerations(tree, x, u)
    forces = []
    for order in orders(rng, 5):
        ud, found = run(tree, formulation.room_for(tree, order), x, u, formulation=formulation)
        assert tree.state(x, u, ud).a == pytest.approx(expected, abs=1e-10 * np.abs(expected).max())
        forces.append(found)
    assert forces == pytest.approx(np.array([forces[0]] * 5), abs=1e-10)  # no row is too many here


def test_loops_that_are_open_close_when_asked_to():
    tree = fm.Tree.of(four_bar(0.7))
    x, _ = tree.start()
    x = x + np.array([1e-3, -2e-3, 1e-3])
    u = np.array([0.0, 1e-3, 0.0])
    formulation = fm.formulation(tree, "ada")
    assert formulation.stabilize == (0.0, 0.0)
    a, b = formulation.stabilize = 20.0, 100.0
    ud = formulation(x, u)

    def gap(x, u):
        state = tree.state(x, u)
        return tree.system.constraint(0.0, state.q, state.v)

    g, gd, gamma = gap(x, u)
    state = tree.state(x, u, ud)
    opening = tree.system.jacobian(0.0, state.q) @ state.a - gamma
    rows = [k for k in range(len(g)) if abs(g[k]) > 1e-9]
    assert opening[rows] == pytest.approx((-a * gd - b * g)[rows], rel=1e-4)


def test_a_loop_of_the_plane():
    m = fm.PlanarModel("four-bar", gravity=(0, -9.81))
    up = np.array([np.sin(2.0), np.cos(2.0)])
    P = [np.zeros(2), up, up + [1, 0], np.array([1.0, 0.0])]
    bars = []
    for k, name in enumerate(("left", "top", "right")):
        d = P[k + 1] - P[k]
        bar = m.add_body(
            name, mass=1.0, inertia=1 / 12, position=tuple(0.5 * (P[k] + P[k + 1])), angle=np.arctan2(d[1], d[0])
        )
        bars.append((bar.attach("start", (-0.5, 0)), bar.attach("end", (0.5, 0))))
    m.revolute(m.ground, bars[0][0], name="A")
    m.revolute(bars[0][1], bars[1][0], name="B")
    m.revolute(bars[1][1], bars[2][0], name="C")
    m.revolute(m.ground.attach("foot", (1, 0)), bars[2][1], name="D")
    tree = fm.Tree.of(m)
    x, _ = tree.start()
    ud, _ = run(tree, ada.room_for(tree), x, np.zeros(3))
    assert tree.state(x, np.zeros(3), ud).a == pytest.approx(engine_accelerations(tree, x, np.zeros(3)), abs=1e-12)
    assert abs(ud[0]) == pytest.approx(1.2 * 9.81 * np.sin(2.0))


def test_a_link_without_inertia_is_refused_by_name():
    m = fm.SpatialModel("m")
    bob = m.add_frame("bob", position=(0, 0, 1))
    m.add_point_mass("bob mass", bob, 1.0)
    with pytest.raises(fm.errors.FormulationError, match=r"'bob'.*lagrange"):
        ada.room_for(fm.Tree.of(m))


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_two_threads_do_what_one_does(count, floating):
    rng = np.random.default_rng(count)
    tree = fm.Tree.of(random_tree(rng, count, floating=floating))
    x, u = random_state(rng, tree)
    tau, wrench = rng.normal(size=tree.nv), rng.normal(size=(count, 6))
    one, two = fm.formulation(tree, "ada"), fm.formulation(tree, "ada", threads=2)
    for _ in range(3):
        expected = one(x, u, tau, wrench)
        assert two(x, u, tau, wrench) == pytest.approx(expected, abs=1e-10 * np.abs(expected).max())
        assert two.forces == pytest.approx(one.forces, abs=1e-10 * np.abs(one.forces).max())
        u = -0.5 * u


def test_two_threads_share_a_tree_in_halves():
    chain = [Closing(k - 1, k, 1) for k in range(100)]
    halves = in_halves(chain)
    assert [len(own) for own in halves.links] == [50, 50]
    assert halves.cut == [50]
    star = [Closing(-1, 0, 6), *(Closing(0 if k % 10 == 1 else k - 1, k, 1) for k in range(1, 91))]
    halves = in_halves(star)
    assert [len(own) for own in halves.links] == [40, 51]
    steps = [halves.order[: halves.steps[0]], halves.order[halves.steps[0] : halves.steps[1]]]
    for own, links in zip(steps, halves.links):
        ends = {h for (k,) in own for h in (star[k].a, star[k].b)}
        assert ends <= {-1, *links}  # neither touches the other's links


def test_a_second_thread_ends_with_its_formulation():
    tree = fm.Tree.of(random_tree(np.random.default_rng(0), 9))
    before = threading.active_count()
    formulation = fm.formulation(tree, "ada", threads=2)
    formulation(*tree.start())
    assert threading.active_count() == before + 1
    helper = next(t for t in threading.enumerate() if t.name.endswith("(_help)"))
    del formulation
    gc.collect()
    helper.join(10.0)
    assert not helper.is_alive()


def test_loops_on_two_threads():
    rng = np.random.default_rng(4)
    tree = fm.Tree.of(crank_and_rocker(rng))
    x, _ = tree.start()
    u = closed_speeds(tree, x, rng)
    ud = fm.formulation(tree, "ada", threads=2)(x, u)
    assert ud == pytest.approx(fm.formulation(tree, "ada")(x, u), abs=1e-10 * np.abs(ud).max())


def test_orders_by_name_and_what_is_wrong_with_them():
    tree = fm.Tree.of(four_bar(0.7))
    x, _ = tree.start()
    u = np.array([0.5, 0.5, -0.5])
    expected = fm.formulation(tree, "ada")(x, u)
    for name in ("ada", "dca"):
        for order in (["C", "B", ["A", "D"]], [["A", "B", "C", "D"]], ["A", "B", "C", "D"]):
            assert fm.formulation(tree, name, joint_order=order)(x, u) == pytest.approx(expected, abs=1e-11)
    with pytest.raises(fm.errors.NamingError, match="E"):
        fm.formulation(tree, "ada", joint_order=["A", "B", "C", "E"])
    with pytest.raises(fm.errors.FormulationError, match=r"'D' 0 times"):
        fm.formulation(tree, "ada", joint_order=["A", "B", "C"])
    for order in (3, [1, 2], "A B", {"A": "B"}, [["A", 3]]):
        with pytest.raises(fm.FlexmbError, match="order of the joints of model"):
            fm.formulation(tree, "ada", joint_order=order)
    with pytest.raises(fm.errors.FormulationError, match="'ada' or 'dca'"):
        fm.formulation(random_tree(np.random.default_rng(0), 2), "aba", joint_order=["j0", "j1"])
    with pytest.raises(fm.errors.FormulationError, match="no loops"):
        fm.formulation(random_tree(np.random.default_rng(0), 2), "aba").stabilize = 1.0, 1.0
    with pytest.raises(fm.errors.FormulationError, match="threads"):
        fm.formulation(tree, "dca", threads=2)


def test_forces_at_a_joint_that_closes_a_loop_carry_its_link():
    """Newton and Euler for the rocker of a linkage, between its hinge and the joint that closes the loop."""
    rng = np.random.default_rng(2)
    tree = fm.Tree.of(crank_and_rocker(rng))
    x, _ = tree.start()
    u = closed_speeds(tree, x, rng)
    for name in ("ada", "dca"):
        formulation = fm.formulation(tree, name)
        state = tree.state(x, u, formulation(x, u))
        k = tree.links.index("rocker")
        rocker, body = state["rocker"], tree.model.components["rocker"]
        assert tree.chords == ["C"]
        assert tree.graph.chords[0].b == k
        given = formulation.forces[k] + formulation.loop_forces[0]
        wanted = body.mass * (rocker.acceleration - np.array(tree.model.gravity))
        assert given[3:] == pytest.approx(wanted, abs=1e-10)
        hinge, head = (state[frame].position - rocker.position for frame in ("rocker.foot", "rocker.head"))
        R = rocker.orientation.as_matrix()
        J, w, alpha = R @ body.tensor() @ R.T, rocker.angular_velocity, rocker.angular_acceleration
        moment = formulation.forces[k, :3] + formulation.loop_forces[0, :3]
        moment = moment + np.cross(hinge, formulation.forces[k, 3:]) + np.cross(head, formulation.loop_forces[0, 3:])
        assert moment == pytest.approx(J @ alpha + np.cross(w, J @ w), abs=1e-10)


@pytest.mark.parametrize("name", ["ada", "dca"])
@pytest.mark.parametrize("kind", ["weld", "revolute", "spherical", "plane"])
def test_beams_in_loops_move_as_in_the_engine(kind, name):
    model = four_bar_with_a_beam() if kind == "plane" else clamped_beam(kind)
    tree = fm.Tree.of(fm.System(model, dense_limit=1000))
    x, _ = tree.start()
    u = closed_speeds(tree, x, np.random.default_rng(0))
    expected = engine_accelerations(tree, x, u)
    found = tree.state(x, u, fm.formulation(tree, name)(x, u)).a
    assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()


def test_constraints_and_motions_leave_the_same_compliance():
    """W of (2.19) is that of (2.42), for any stiff side and joint."""
    rng = np.random.default_rng(0)
    for count in range(1, 6):
        root, S = rng.normal(size=(6, 6)), rng.normal(size=(6, count))
        stiff = root @ root.T + np.eye(6)
        joint = handle_oracle.Joint("j", -1, 0, S, np.zeros(6), np.zeros(count))
        of_constraints = joint.T @ np.linalg.inv(joint.T.T @ stiff @ joint.T) @ joint.T.T
        Y = np.linalg.inv(stiff)
        of_motions = Y - Y @ S @ np.linalg.inv(S.T @ Y @ S) @ S.T @ Y
        assert of_constraints == pytest.approx(of_motions, abs=1e-12)
