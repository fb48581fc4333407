"""What a tree answers against differences, against its other answers and against the engine."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import flexmb as fm
from flexmb.validation.random_mechanisms.trees_with_beams import bent_state, planar_beams, spatial_beams
from tests.models.trees import random_state, random_tree


@pytest.fixture(params=range(6), name="case")
def _case(request):
    rng = np.random.default_rng(request.param)
    tree = fm.Tree.of(random_tree(rng, 5, floating=request.param % 2 == 0))
    return rng, tree, fm.TreeDynamics(tree), *random_state(rng, tree)


@pytest.mark.parametrize("name", ["aba", "lagrange"])
def test_drives_undo_accelerations(case, name):
    rng, tree, dynamics, x, u = case
    tau, wrench = rng.normal(size=tree.nv), rng.normal(size=(5, 6))
    ud = fm.formulation(tree, name)(x, u, tau, wrench)
    assert dynamics.drives(x, u, ud, wrench) == pytest.approx(tau, abs=1e-11)
    M, h = dynamics.mass_matrix(x), dynamics.bias(x, u, wrench)
    assert M @ ud + h == pytest.approx(tau, abs=1e-11)
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0.0


def test_kinetic_energy_is_that_of_the_engine(case):
    _, tree, dynamics, x, u = case
    state = tree.state(x, u)
    wanted = tree.system.energy(0.0, state.q, state.v)[0]
    assert 0.5 * u @ dynamics.mass_matrix(x) @ u == pytest.approx(wanted, rel=1e-12)


def test_jacobians_of_frames_give_motions_of_the_engine(case):
    rng, tree, dynamics, x, u = case
    tips = [tree.model.frames[name].attach(f"{name}.tip", rng.normal(size=3)) for name in tree.links]
    ud = rng.normal(size=tree.nv)
    state = tree.state(x, u, ud)
    for tip in tips:
        J, rate = dynamics.jacobian(tip, x), dynamics.jacobian_rate(tip.name, x, u)
        node = state[tip.name]
        assert J @ u == pytest.approx([*node.angular_velocity, *node.velocity], abs=1e-11)
        assert J @ ud + rate @ u == pytest.approx([*node.angular_acceleration, *node.acceleration], abs=1e-11)


def test_poses_of_frames_are_those_of_the_engine(case):
    rng, tree, dynamics, x, u = case
    askew = fm.rotation_vector(tuple(rng.normal(size=3)))
    tips = [tree.model.frames[name].attach(f"{name}.askew", rng.normal(size=3), askew) for name in tree.links]
    state = tree.state(x, u)
    for tip in [*tips, tree.model.ground]:
        pose, track = dynamics.pose(tip, x), state[tip.name]
        assert pose.position == pytest.approx(track.position, abs=1e-12)
        assert pose.axes == pytest.approx(track.orientation.as_matrix(), abs=1e-12)


def test_poses_in_the_plane_count_turns():
    m = fm.PlanarModel("arm")
    upper = m.add_body("upper", mass=1.0, inertia=0.1, position=(1, 0), angle=0.3)
    m.revolute(m.ground, upper.attach("a", (-1, 0), angle=0.4), name="shoulder")
    fore = m.add_body("fore", mass=1.0, inertia=0.1, position=(3, 0))
    m.revolute(fore.attach("b", (-1, 0)), upper.attach("c", (1, 0)), name="elbow")
    tip = fore.attach("tip", (0.2, 0.1), angle=-0.7)
    dynamics, q = fm.TreeDynamics(fm.Tree.of(m)), [9.0, 5.0]  # which closes the joints
    state, pose = dynamics.tree.state(q), dynamics.pose(tip, q)
    assert pose.position == pytest.approx([*state["fore.tip"].position, 0.0], abs=1e-12)
    assert pose.angle == pytest.approx(state["fore.tip"].angle, abs=1e-12)
    assert pose.axes[:2, 0] == pytest.approx([np.cos(pose.angle), np.sin(pose.angle)], abs=1e-12)
    rail = m.add_frame("rail", (0.3, 0.4), angle=8.0, fixed=True)
    assert dynamics.pose(rail, q).angle == 8.0
    assert dynamics.pose("rail", q).position.tolist() == [0.3, 0.4, 0.0]


def test_rates_of_jacobians_are_differences(case):
    rng, tree, dynamics, x, u = case
    tip = tree.model.frames[tree.links[-1]].attach("tip", rng.normal(size=3))
    h = 1e-6
    ahead, behind = (dynamics.jacobian(tip, step(tree, x, u, s)) for s in (h, -h))
    rate = dynamics.jacobian_rate(tip, x, u)
    assert rate == pytest.approx((ahead - behind) / (2.0 * h), abs=1e-7)


def step(tree: fm.Tree, x: np.ndarray, u: np.ndarray, h: float) -> np.ndarray:
    """Coordinates a short time later, to second order."""
    state = tree.state(x, u)
    v = tree.system.full(state.v)
    q = tree.system.retract(state.q, h * state.v + 0.5 * h**2 * state.a)
    return tree.of_system(tree.system.full_q(q), v, x)[0]


def test_momentum_is_that_of_the_bodies(case):
    rng, tree, dynamics, x, u = case
    ud = rng.normal(size=tree.nv)
    state = tree.state(x, u, ud)
    bodies = [(c, state[c.name]) for c in tree.model.components.values() if c.kind == "body"]
    mass = sum(c.mass for c, _ in bodies)
    center = dynamics.mass_center(x, u, ud)
    for found, what in zip(center, ("position", "velocity", "acceleration")):
        wanted = sum(c.mass * getattr(node, what) for c, node in bodies) / mass
        assert found == pytest.approx(wanted, abs=1e-11)
    for about in (None, rng.normal(size=3)):
        at = center.position if about is None else about
        L, dL = np.zeros((2, 3))
        for c, node in bodies:
            R = node.orientation.as_matrix()
            J, w, alpha = R @ c.tensor() @ R.T, node.angular_velocity, node.angular_acceleration
            L += J @ w + np.cross(node.position - at, c.mass * node.velocity)
            dL += J @ alpha + np.cross(w, J @ w) + np.cross(node.position - at, c.mass * node.acceleration)
        momentum, rate = dynamics.momentum(x, u, about), dynamics.momentum_rate(x, u, ud, about)
        assert momentum == pytest.approx([*L, *(mass * center.velocity)], abs=1e-11)
        assert rate == pytest.approx([*dL, *(mass * center.acceleration)], abs=1e-11)
        assert dynamics.momentum_matrix(x, about) @ u == pytest.approx(momentum, abs=1e-11)


def test_zero_moment_point_of_a_cart_with_a_mass_on_top():
    """x = l − l̈ h/g, where the mass l ahead at the height h is pushed forward after Kajita et al. (2003)."""
    m = fm.SpatialModel("cart", gravity=(0, 0, -9.81))
    mass = m.add_body("mass", mass=3.0, inertia=(1e-9, 1e-9, 1e-9), position=(0, 0, 0.8))
    m.prismatic(m.ground.attach("start", (0, 0, 0.8)), mass.frame, axis="x", name="rail")
    dynamics = fm.TreeDynamics(m)
    point = dynamics.zero_moment_point([0.1], [0.0], [2.0])
    assert point == pytest.approx([0.1 - 2.0 * 0.8 / 9.81, 0.0, 0.0], abs=1e-12)
    point = dynamics.zero_moment_point([0.1], [0.0], [2.0], height=0.3)
    assert point == pytest.approx([0.1 - 2.0 * 0.5 / 9.81, 0.0, 0.3], abs=1e-12)
    push = np.array([[0.0, 0.0, 0.0, 6.0, 0.0, 0.0]])  # from outside, so that the floor need not
    assert dynamics.zero_moment_point([0.1], [0.0], [2.0], wrench=push) == pytest.approx([0.1, 0.0, 0.0], abs=1e-12)


def test_a_floor_that_does_not_press_and_frames_elsewhere_are_refused():
    m = fm.SpatialModel("ball", gravity=(0, 0, -9.81))
    m.add_body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1))
    dynamics = fm.TreeDynamics(m)
    x, u = dynamics.tree.start()
    with pytest.raises(fm.errors.FormulationError, match="does not press"):
        dynamics.zero_moment_point(x, u, [0, 0, -9.81, 0, 0, 0])
    with pytest.raises(fm.errors.FormulationError, match="no frame of this model"):
        dynamics.jacobian(fm.SpatialModel("other").ground, x)
    assert not dynamics.jacobian(m.ground, x).any()


@pytest.mark.parametrize("floating", [False, True])
def test_beams_have_mass_matrix_drives_and_jacobians_of_the_engine(floating):
    tree = fm.Tree.of(spatial_beams(np.random.default_rng(5), floating=floating))
    dynamics, rng = fm.TreeDynamics(tree), np.random.default_rng(6)
    x, u = bent_state(rng, tree)
    ud, tau = rng.normal(size=(2, tree.nv))
    state = tree.state(x, u, ud)
    M = dynamics.mass_matrix(x)
    wanted = tree.system.energy(0.0, state.q, state.v)[0]
    assert 0.5 * u @ M @ u == pytest.approx(wanted, rel=1e-11)
    found = fm.formulation(tree, "aba")(x, u, tau)
    assert dynamics.drives(x, u, found) == pytest.approx(tau, abs=1e-8 * np.abs(found).max())
    frame = tree.links[-1]
    J, rate = dynamics.jacobian(frame, x), dynamics.jacobian_rate(frame, x, u)
    node = state[frame]
    assert J @ u == pytest.approx([*node.angular_velocity, *node.velocity], abs=1e-10)
    assert J @ ud + rate @ u == pytest.approx([*node.angular_acceleration, *node.acceleration], abs=1e-10)


@pytest.mark.parametrize("planar", [True, False])
def test_jacobians_of_places_along_beams(planar):
    rng = np.random.default_rng(8)
    m = planar_beams() if planar else spatial_beams(rng)
    place = m.components["two" if planar else "arm"].at(0.3)
    tree = fm.Tree.of(m)
    x, u = bent_state(rng, tree)
    dynamics, state = fm.TreeDynamics(tree), tree.state(x, u)
    track = state[place.name]
    moving = dynamics.jacobian(place, x) @ u
    wanted = [0.0, 0.0, track.angular_velocity] if planar else [*track.angular_velocity]
    wanted += [*track.velocity, 0.0] if planar else [*track.velocity]
    assert moving == pytest.approx(wanted, abs=1e-12)
    with pytest.raises(fm.errors.FormulationError, match="a place along a beam"):
        dynamics.jacobian_rate(place, x, u)


def test_threads_that_ask_one_object_get_their_own_answers(case, quickly_changing_threads):
    """They share the memory in which compiled code reads and writes."""
    rng, tree, dynamics, x, u = case
    states = [(x, u, rng.normal(size=tree.nv)), (tree.start()[0], 2.0 * u, rng.normal(size=tree.nv))]
    wanted = [dynamics.drives(*state) for state in states]

    def off(k: int) -> int:
        return sum(not np.array_equal(dynamics.drives(*states[k]), wanted[k]) for _ in range(2000))

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(off, (0, 1))) == [0, 0]
