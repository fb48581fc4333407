"""Formulations against the absolute coordinates of the engine, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import flexmb as fm
from flexmb.formulations.kinds import FORMULATIONS
from tests.models.trees import KINDS, join, random_state, random_tree


def absolute(tree: fm.Tree, x: np.ndarray, u: np.ndarray, tau: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """v̇ (nv,) of joint coordinates by the engine: M a + Gᵀλ = forces, G a = γ, in absolute coordinates."""
    system = tree.system
    state = tree.state(x, u)
    M, G = (sp.csr_array(x).toarray() for x in (system.mass_matrix(0.0, state.q), system.jacobian(0.0, state.q)))
    _, _, gamma = system.constraint(0.0, state.q, state.v)
    r = system.residual(0.0, state.q, state.v, np.zeros(system.n))
    # virtual power: motions of all coordinates for each joint speed
    columns = np.array([tree.state(x, e).v for e in np.eye(tree.nv)]).T
    applied = np.linalg.lstsq(columns.T, tau, rcond=None)[0]
    for k, link in enumerate(tree.graph.links):
        pose = link_pose(tree, x, k)
        n, f = wrench[k, :3], wrench[k, 3:]
        node = state[tree.links[k]]
        applied[link.numbers.v[:3]] += f
        moment = n + np.cross(pose - node.position, f)
        applied[link.numbers.v[3:]] += node.orientation.inv().apply(moment)
    m = len(gamma)
    K = np.block([[M, G.T], [G, np.zeros((m, m))]])
    a = np.linalg.lstsq(K, np.concatenate([applied - r, gamma]), rcond=1e-13)[0][: system.n]
    without = tree.state(x, u, np.zeros(tree.nv)).a
    return np.linalg.lstsq(columns, a - without, rcond=None)[0]


def link_pose(tree: fm.Tree, x: np.ndarray, k: int) -> np.ndarray:
    """The origin of a link."""
    from flexmb.formulations.tree.moving import move, moving_for

    moving = moving_for(tree.arrays)
    move(tree.arrays, moving, x, np.zeros(tree.nv))
    return moving.at[k, :3]


@pytest.mark.parametrize("name", FORMULATIONS)
@pytest.mark.parametrize("seed", range(12))
def test_accelerations_are_those_of_absolute_coordinates(name, seed):
    rng = np.random.default_rng(seed)
    tree = fm.Tree.of(random_tree(rng, 6, KINDS, floating=seed % 3 == 0))
    formulation = fm.formulation(tree, name)
    x, u = random_state(rng, tree)
    tau, wrench = rng.normal(size=tree.nv), rng.normal(size=(6, 6))
    wanted = absolute(tree, x, u, tau, wrench)
    assert formulation(x, u, tau, wrench) == pytest.approx(wanted, rel=1e-9, abs=1e-9 * np.abs(wanted).max())


def test_what_a_formulation_cannot_take_is_refused_by_name():
    m = fm.PlanarModel("bar", gravity=(0, -9.81))
    bar = m.add_body("bar", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    m.revolute(m.ground, bar.attach("left", (-0.5, 0)), name="hinge")
    m.revolute(m.ground.attach("wall", (1, 0)), bar.attach("right", (0.5, 0)), name="other")
    with pytest.raises(fm.errors.FormulationError, match="'other' closes a loop with 'hinge'"):
        fm.formulation(m, "aba")
    with pytest.raises(fm.errors.ModelError, match="abba"):
        fm.formulation(m, "abba")


def test_other_components_are_refused_by_name():
    m = fm.PlanarModel("bar")
    bar = m.add_body("bar", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    m.revolute(m.ground, bar.attach("left", (-0.5, 0)), name="hinge")
    m.torsion_spring(m.ground, bar.frame, stiffness=1.0, name="coil")
    with pytest.raises(fm.errors.FormulationError, match="coil"):
        fm.formulation(m, "lagrange")


@pytest.mark.parametrize("name", FORMULATIONS)
def test_friction_by_the_force_of_a_joint_is_refused_by_name(name):
    m = fm.PlanarModel("bar", gravity=(0, -9.81))
    bar = m.add_body("bar", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    m.revolute(m.ground, bar.attach("left", (-0.5, 0)), friction=fm.JointFriction(0.3, radius=0.1), name="hinge")
    with pytest.raises(fm.errors.FormulationError, match=r"'hinge' has friction by its own force"):
        fm.formulation(m, name)
    with pytest.raises(fm.errors.FormulationError, match=r"'hinge' has friction by its own force"):
        fm.Loops(m)


def test_a_hard_stop_is_refused_by_name():
    m = fm.PlanarModel("bar", gravity=(0, -9.81))
    bar = m.add_body("bar", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    hinge = m.revolute(m.ground, bar.attach("left", (-0.5, 0)), name="hinge")
    m.joint_stop(hinge, lower=-1.0, hard=True, name="rim")
    with pytest.raises(fm.errors.FormulationError, match=r"'rim' may close and push by a force, which is not known"):
        fm.formulation(m, "aba")
    with pytest.raises(fm.errors.FormulationError, match=r"'rim' breaks what it assumes, .* no gap closes"):
        fm.formulation(m, "kane")


@pytest.mark.parametrize("name", ["aba", "lagrange"])
def test_a_tip_without_inertia_is_named(name):
    """The link of Takahashi (2012), whose moment of inertia about its own axis is zero."""
    m = fm.SpatialModel("arm", gravity=(0, 0, -9.81))
    upper = m.add_body("upper", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, 0.5))
    m.revolute(m.ground, upper.attach("base", (0, 0, -0.5)), axis="y", name="shoulder")
    tip = m.add_body("tip", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, 1.5))
    m.revolute(upper.attach("end", (0, 0, 0.5)), tip.attach("start", (0, 0, -0.5)), axis="z", name="roll")
    tree = fm.Tree.of(m)  # a body of the model has to have some
    tree.arrays.inertia[1, 2] = 0.0
    with pytest.raises(fm.errors.FormulationError, match=r"link 'tip'.* joint 'roll'"):
        fm.formulation(tree, name)([0.3, 0.2], [0.0, 0.0])


@pytest.mark.parametrize("name", ["aba", "lagrange", "ada", "dca"])
def test_parallel_axes_of_euler_angles_are_named(name):
    m = fm.SpatialModel("top")
    m.add_body("top", mass=1.0, inertia=(0.1, 0.1, 0.2))
    formulation = fm.formulation(fm.Tree.of(m, euler_angles="ZYX"), name)
    with pytest.raises(fm.errors.FormulationError, match=r"Euler angles of joint 'top\.base' are parallel"):
        formulation([0.0, 0.0, 0.0, 0.3, 0.5 * np.pi, 0.2], np.zeros(6))
    assert formulation(np.zeros(6), np.zeros(6)) == pytest.approx(np.zeros(6))


def test_arrays_of_wrong_sizes_and_values_are_refused():
    rng = np.random.default_rng(0)
    tree = fm.Tree.of(random_tree(rng, 3, ("revolute",)))
    formulation = fm.formulation(tree)
    x, u = random_state(rng, tree)
    for q, v, tau, what in ((x[:2], u, u, "q must be 3"), (x, np.append(u, 1.0), u, "v must be 3"),
                            (x, u, u[:1], "tau must be 3"), (x, u * np.nan, u, "v")):  # fmt: skip
        with pytest.raises(fm.errors.ModelError, match=what):
            formulation(q, v, tau)
    with pytest.raises(fm.errors.ModelError, match="wrench"):
        formulation(x, u, u, np.zeros((2, 6)))
    plain = formulation(x, u)
    assert formulation(list(x), tuple(u)) == pytest.approx(plain, rel=1e-15)
    assert formulation(x[::-1][::-1], np.repeat(u, 2)[::2]) == pytest.approx(plain, rel=1e-15)


@pytest.mark.parametrize("name", FORMULATIONS)
def test_joint_forces_carry_what_hangs_on_them(name):
    rng = np.random.default_rng(2)
    tree = fm.Tree.of(random_tree(rng, 5))
    formulation = fm.formulation(tree, name)
    x, u = random_state(rng, tree)
    tau, wrench = rng.normal(size=tree.nv), rng.normal(size=(5, 6))
    ud = formulation(x, u, tau, wrench)
    state, forces = tree.state(x, u, ud), formulation.forces
    # momentum of all links about the origin of the ground changes by what the ground, gravity and the outside give
    rate, given = np.zeros((2, 6))
    for k, link in enumerate(tree.links):
        body, node = next(c for c in tree.model.components.values() if c.name == link), state[link]
        R, J = node.orientation.as_matrix(), body.tensor()
        w, alpha = node.angular_velocity, node.angular_acceleration
        J = R @ J @ R.T
        f = body.mass * (node.acceleration - np.array(tree.model.gravity))
        rate += np.concatenate([J @ alpha + np.cross(w, J @ w) + np.cross(node.position, f), f])
        at = link_pose(tree, x, k)
        onto = wrench[k] + (forces[k] if tree.arrays.parent[k] < 0 else 0.0)
        given += np.concatenate([onto[:3] + np.cross(at, onto[3:]), onto[3:]])
    assert given == pytest.approx(rate, abs=1e-10)


@pytest.mark.parametrize("name", FORMULATIONS)
def test_a_mechanism_that_cannot_move_has_accelerations_and_forces(name):
    m = fm.SpatialModel("shelf", gravity=(0, 0, -10.0))
    board = m.add_body("board", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    m.weld(m.ground, board.attach("wall", (-0.5, 0, 0)), name="bracket")
    formulation = fm.formulation(m, name)
    assert formulation([], []).shape == (0,)
    place = formulation.forces[0]
    at = link_pose(formulation.tree, np.zeros(0), 0)
    moment = place[:3] + np.cross(at, place[3:])
    assert [*moment, *place[3:]] == pytest.approx([0.0, -10.0, 0.0, 0.0, 0.0, 20.0], abs=1e-12)


def test_forces_are_those_of_the_last_call():
    m = fm.SpatialModel("m")
    ball = m.add_body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.prismatic(m.ground, ball.frame, axis="x")
    formulation, wrench = fm.formulation(m), np.zeros((1, 6))
    wrench[0, 5] = 3.0
    formulation([0.0], [0.0], None, wrench)
    wrench[:] = 7.0
    found = formulation.forces[0]
    assert sorted(np.abs(found).round(12)) == [0.0] * 5 + [3.0]
    formulation([0.0], [0.0])
    assert not formulation.forces.any()


def test_long_chains_keep_their_digits():
    rng = np.random.default_rng(1)
    tree = fm.Tree.of(random_tree(rng, 1, ("revolute",)))
    m = tree.model
    body = m.components["b0"]
    for k in range(1, 200):
        new = m.add_body(f"b{k}", mass=1.0, inertia=(0.1, 0.12, 0.05), position=body.frame.position + [0.0, 0.0, 0.3])
        join(m, rng, body.frame, new, "revolute", f"j{k}")
        body = new
    tree = fm.Tree.of(m)
    x, u = random_state(rng, tree)
    tau = rng.normal(size=tree.nv)
    vdot = fm.formulation(tree)(x, u, tau)
    force = np.abs(fm.TreeDynamics(tree).drives(x, 0.0 * u, np.abs(vdot))).max()
    assert fm.TreeDynamics(tree).drives(x, u, vdot) == pytest.approx(tau, abs=1e-12 * force)
    for name in ("lagrange", "ada", "dca"):
        assert fm.formulation(tree, name)(x, u, tau) == pytest.approx(vdot, abs=1e-13 * np.abs(vdot).max())


@pytest.mark.parametrize("count", [3, 20])
def test_a_heavy_body_at_the_end_of_light_links_keeps_its_digits(count):
    """Formulations that agree do so by different ways: three hinges hold it, twenty let it move freely."""
    ratio, rng = 1e9, np.random.default_rng(count)
    m = fm.SpatialModel("crane", gravity=(0, 0, -9.81))
    at = m.ground
    for k in range(count):
        size = ratio if k == count - 1 else 1.0
        inertia = tuple(size * x for x in (0.1, 0.12, 0.05))
        link = m.add_body(f"link{k}", mass=size, inertia=inertia, position=(0, 0, 0.3 * k + 0.15))
        m.revolute(at, link.attach(f"low{k}", (0, 0, -0.15)), axis="zyx"[k % 3], name=f"hinge{k}")
        at = link.attach(f"high{k}", (0, 0, 0.15))
    tree = fm.Tree.of(m)
    x, u = random_state(rng, tree)
    tau = rng.normal(size=tree.nv)
    vdot = fm.formulation(tree, "lagrange")(x, u, tau)
    size = np.abs(vdot).max()
    for name in ("aba", "ada", "dca"):
        exact = (name == "aba") == (count == 3)
        assert fm.formulation(tree, name)(x, u, tau) == pytest.approx(
            vdot, abs=(1e-13 if exact else 1e-15 * ratio) * size
        )


def test_a_beam_whose_ends_coincide_is_said():
    m, soft = fm.PlanarModel("arm"), fm.Material(density=1000, youngs_modulus=1e7)
    hub = m.add_body("hub", mass=1.0, inertia=0.1)
    m.revolute(m.ground, hub.frame, name="hinge")
    m.add_beam("rod", hub.frame, (1, 0), material=soft, section=fm.Circle(diameter=0.02))
    formulation = fm.formulation(m, "ada")
    assert np.isfinite(formulation(*formulation.tree.start())).all()
    with pytest.raises(
        fm.errors.FormulationError, match=r"the ends of a beam coincide at this q \(tree.start\(\) is where"
    ):
        formulation(np.zeros(formulation.tree.nq), np.zeros(formulation.tree.nv))
    dynamics, q, still = fm.TreeDynamics(formulation.tree), np.zeros(formulation.tree.nq), np.zeros(formulation.tree.nv)
    for ask in (
        lambda: dynamics.mass_matrix(q),
        lambda: dynamics.mass_center(q),
        lambda: dynamics.momentum_matrix(q),
        lambda: dynamics.jacobian(formulation.tree.model.components["rod"].at(0.5), q),
        lambda: dynamics.zero_moment_point(q, still, still, normal=(0, 1, 0)),
    ):
        with pytest.raises(fm.errors.FormulationError, match="not finite; the ends of a beam coincide at this q"):
            ask()
