"""A model as a tree: joint coordinates and states of the mechanism say the same."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.formulations.tree.turns import parallel_axes
from tests.models.trees import KINDS, join, random_inertia, random_state, random_tree


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_joints_hold_in_every_position_of_the_tree(kind, seed):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 3, (kind,), floating=seed == 2)
    tree = fm.Tree.of(m)
    x, u = random_state(rng, tree)
    ud = rng.normal(size=tree.nv)
    state = tree.state(x, u, ud)
    g, gd, gamma = tree.system.constraint(0.0, state.q, state.v)
    assert np.abs(g).max(initial=0.0) < 1e-13
    assert np.abs(gd).max(initial=0.0) < 1e-12
    G = tree.system.jacobian(0.0, state.q)
    assert np.abs(G @ state.a - gamma).max(initial=0.0) < 1e-11


@pytest.mark.parametrize("seed", range(6))
def test_coordinates_come_back_from_a_state(seed):
    rng = np.random.default_rng(seed)
    tree = fm.Tree.of(random_tree(rng, 6, floating=seed % 2 == 1))
    x, u = random_state(rng, tree)
    state = tree.state(x, u)
    near = x + 0.1 * rng.normal(size=tree.nq)
    x_back, u_back = tree.of_system(tree.system.full_q(state.q), tree.system.full(state.v), near)
    assert x_back == pytest.approx(x, abs=1e-12)
    assert u_back == pytest.approx(u, abs=1e-11)


def test_speeds_are_the_rates_of_coordinates():
    rng = np.random.default_rng(7)
    tree = fm.Tree.of(random_tree(rng, 5))
    x, u = random_state(rng, tree)
    h = 1e-6
    single = [k for k, name in enumerate(tree.names) if not name.split(".")[-1].startswith("w")]
    positions = [tree.coordinate_names.index(tree.names[k]) for k in single]
    u = np.where(np.isin(np.arange(tree.nv), single), u, 0.0)
    ahead, behind = x.copy(), x.copy()
    ahead[positions] += h * u[single]
    behind[positions] -= h * u[single]
    q = [tree.state(y).q for y in (ahead, behind)]
    rate = tree.system.difference(q[0], q[1]) / (2.0 * h)
    assert rate == pytest.approx(tree.state(x, u).v, abs=1e-8)


def test_angles_of_the_plane_are_those_between_frames_and_count_turns():
    m = fm.PlanarModel("arm", gravity=(0, -9.81))
    one = m.add_body("one", mass=1.0, inertia=0.1, position=(0.5, 0.0), angle=0.0)
    two = m.add_body("two", mass=1.0, inertia=0.1, position=(1.0, 0.5), angle=0.5 * np.pi)
    m.revolute(m.ground, one.attach("l", (-0.5, 0)), name="first")
    m.revolute(two.attach("l", (-0.5, 0)), one.attach("r", (0.5, 0)), name="second")
    tree = fm.Tree.of(m)
    assert tree.names == ["first.angle", "second.angle"]
    assert tree.start()[0] == pytest.approx([0.0, -0.5 * np.pi])  # of the first body against the second
    x = np.array([7.0, -9.0])
    state = tree.state(x, [1.0, 2.0])
    assert state["one.angle"] == pytest.approx(7.0)
    assert state["two.angle"] == pytest.approx(16.0)
    assert np.abs(tree.system.constraint(0.0, state.q, state.v)[0]).max() < 1e-14
    back = tree.of_state(state)
    assert back[0] == pytest.approx(x)
    assert back[1] == pytest.approx([1.0, 2.0])


def test_a_slider_of_the_plane_and_a_free_body():
    m = fm.PlanarModel("m")
    slide = m.add_body("slide", mass=1.0, inertia=0.1, position=(1.0, 1.0), angle=0.3)
    m.prismatic(m.ground, slide.frame, axis=0.25 * np.pi, name="rail")
    pin = m.add_body("pin", mass=1.0, inertia=0.1, position=(2.0, 2.0), angle=0.2)
    m.pin_in_slot(slide.frame, pin.frame, axis=0.25 * np.pi - 0.3, name="slot")
    free = m.add_body("free", mass=1.0, inertia=0.1, position=(5.0, 6.0), angle=4.0)
    tree = fm.Tree.of(m)
    assert tree.start()[0] == pytest.approx([2**0.5, 2**0.5, -0.1, 5.0, 6.0, 4.0 - 2.0 * np.pi])
    rng = np.random.default_rng(0)
    x, u, ud = rng.normal(size=(3, 6))
    state = tree.state(x, u, ud)
    g, gd, gamma = tree.system.constraint(0.0, state.q, state.v)
    assert max(np.abs(g).max(), np.abs(gd).max()) < 1e-13
    assert tree.system.jacobian(0.0, state.q) @ state.a == pytest.approx(gamma, abs=1e-12)
    assert tree.of_state(state)[0] == pytest.approx(x)
    assert free.frame.name in tree.links


def test_joints_with_coordinates_of_their_own_fill_them():
    rng = np.random.default_rng(3)
    m = fm.SpatialModel("m")
    one = m.add_body("one", mass=1.0, inertia=random_inertia(rng), position=(1, 0, 0))
    two = m.add_body("two", mass=1.0, inertia=random_inertia(rng), position=(2, 1, 0))
    m.revolute(m.ground, one.frame, axis=(1, 2, 3), count_turns=True, name="hinge")
    join(m, rng, one.frame, two, "screw", "thread")
    tree = fm.Tree.of(m)
    x = np.array([20.0, -15.0])
    state = tree.state(x, [1.0, 2.0])
    assert state["hinge.turn"] == pytest.approx(20.0)
    assert np.abs(tree.system.constraint(0.0, state.q, state.v)[0]).max() < 1e-12
    assert tree.of_state(state)[0] == pytest.approx(x)  # through all turns


def test_paths_and_loops():
    m = fm.PlanarModel("four-bar")
    bars = [
        m.add_body(name, mass=1.0, inertia=0.1, position=at, angle=angle)
        for name, at, angle in (("left", (0, 0.5), np.pi / 2), ("top", (0.5, 1), 0.0), ("right", (1, 0.5), np.pi / 2))
    ]
    ends = [(bar.attach("start", (-0.5, 0)), bar.attach("end", (0.5, 0))) for bar in bars]
    m.revolute(m.ground, ends[0][0], name="A")
    m.revolute(ends[0][1], ends[1][0], name="B")
    m.revolute(ends[1][1], ends[2][1], name="C")
    m.revolute(m.ground.attach("D0", (1, 0)), ends[2][0], name="D")
    tree = fm.Tree.of(m)
    assert tree.chords == ["C"]
    assert tree.path("top") == ["A", "B"]
    assert tree.loop("C") == ["B", "A", "D"]
    with pytest.raises(fm.errors.NamingError, match="topp"):
        tree.path("topp")


@pytest.mark.parametrize("sequence", ["ZYX", "ZXZ", "xyz", "YZX"])
def test_euler_angles_of_a_floating_base_and_of_ball_joints(sequence):
    rng = np.random.default_rng(5)
    m = random_tree(rng, 4, ("spherical", "revolute"), floating=True)
    tree, by_quaternions = fm.Tree.of(m, euler_angles=sequence), fm.Tree.of(m)
    assert tree.nq == tree.nv == by_quaternions.nv
    x, (u, ud) = rng.uniform(0.3, 1.2, tree.nq), rng.normal(size=(2, tree.nv))
    state = tree.state(x, u, ud)
    g, gd, gamma = tree.system.constraint(0.0, state.q, state.v)
    assert max(np.abs(g).max(), np.abs(gd).max()) < 1e-12
    assert tree.system.jacobian(0.0, state.q) @ state.a == pytest.approx(gamma, abs=1e-11)
    back = tree.of_system(tree.system.full_q(state.q), tree.system.full(state.v), x + 0.1)
    assert back[0] == pytest.approx(x, abs=1e-12)
    assert back[1] == pytest.approx(u, abs=1e-11)
    h = 1e-6
    ahead, behind = (tree.state(x + s * h * u).q for s in (1.0, -1.0))
    assert tree.system.difference(ahead, behind) / (2 * h) == pytest.approx(state.v, abs=1e-8)


def test_euler_angles_are_those_of_rotations():
    m = fm.SpatialModel("plane")
    turn = fm.euler_angles("ZYX", (0.3, -0.7, 1.1))
    m.add_body("plane", mass=1.0, inertia=(0.1, 0.2, 0.3), position=(1, 2, 3), orientation=turn)
    tree = fm.Tree.of(m, euler_angles="ZYX")
    assert tree.names == [f"plane.base.{name}" for name in ("x", "y", "z", "angle1", "angle2", "angle3")]
    assert tree.start()[0] == pytest.approx([1.0, 2.0, 3.0, 0.3, -0.7, 1.1])
    with pytest.raises(fm.errors.ModelError, match="ZZX"):
        fm.Tree.of(m, euler_angles="ZZX")


def test_parallel_axes_of_euler_angles_are_found():
    m = fm.SpatialModel("m")
    m.add_body("one", mass=1.0, inertia=(0.1, 0.2, 0.3))
    m.add_body("two", mass=1.0, inertia=(0.1, 0.2, 0.3))
    tree = fm.Tree.of(m, euler_angles="ZYX")
    x = np.array([0, 0, 0, 0.3, 0.2, 0.1, 0, 0, 0, 0.3, 0.5 * np.pi - 1e-4, 0.1])
    assert parallel_axes(tree.arrays.joints, x, 1e-3) == 1
    assert parallel_axes(tree.arrays.joints, x, 1e-5) == -1


@pytest.mark.parametrize("way", ["aba", "lagrange", "ada", "dca", "state", "dynamics", "loops"])
def test_a_quaternion_of_zeros_is_named(way):
    m = fm.SpatialModel("top")
    body = m.add_body("body", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0, 0, 1))
    m.spherical(m.ground, body.attach("tip", (0, 0, -1)), name="ball")
    tree = fm.Tree.of(m)
    asks = {"state": tree.state, "dynamics": fm.TreeDynamics(tree).mass_matrix, "loops": fm.Loops(tree).sigma}
    ask = asks[way] if way in asks else lambda q: fm.formulation(tree, way)(q, np.zeros(3))
    with pytest.raises(
        fm.errors.FormulationError, match=r"the quaternion q\[0:4\], of which 'ball.e0' is the first, is zero"
    ):
        ask(np.zeros(4))
    ask([0.0, 2.0, 0.0, 0.0])


def test_a_model_without_links_is_refused():
    m = fm.PlanarModel("cable")
    rubber = fm.Material(density=1000, youngs_modulus=1e6)
    m.add_beam("rod", m.ground, (1, 0), material=rubber, section=fm.Circle(diameter=0.02), theory="ancf")
    with pytest.raises(fm.errors.FormulationError, match="tree of model 'cable': it has no links"):
        fm.Tree.of(m)
    with pytest.raises(fm.errors.FormulationError, match="tree of model 'cable': it has no links"):
        fm.simulate(m, 0.1, formulation="aba")


def test_what_is_no_way_to_make_a_tree_is_refused():
    m = fm.PlanarModel("disk")
    m.add_body("disk", mass=1.0, inertia=1.0)
    with pytest.raises(fm.errors.ModelError, match=r"made of a model by fm.Tree.of\(model\)"):
        fm.Tree(m)
    with pytest.raises(
        fm.errors.ModelError, match="tree of model 'disk': it has no option 'rotations'; its only one is euler"
    ):
        fm.Tree.of(m, rotations="ZYX")
    assert copy.copy(fm.Tree.of(m)).names == fm.Tree.of(m).names


def test_quaternions_begin_with_the_scalar_and_speeds_stand_in_the_axes_that_the_docstring_says():
    m = fm.SpatialModel("m")
    base = m.add_body("base", mass=1.0, inertia=(1, 2, 3))
    arm = m.add_body("arm", mass=1.0, inertia=(1, 2, 3))
    m.spherical(base, arm, name="ball")
    tree = fm.Tree.of(m)
    assert tree.names[:3] == ["base.base.x", "base.base.y", "base.base.z"]
    turn, further = (Rotation.from_rotvec(x) for x in ([0.3, -0.8, 0.5], [-1.0, 0.2, 0.4]))
    scalar_first = [np.roll(x.as_quat(), 1) for x in (turn, further)]
    q = np.concatenate([[1.0, 2.0, 3.0], *scalar_first])
    v = np.array([0.1, 0.2, 0.3, 1.0, -2.0, 0.5, 0.4, 0.7, -0.6])
    state = tree.state(q, v)
    seen, hung = state["base"], state["arm"]
    assert np.allclose(seen.velocity, v[:3]) and np.allclose(seen.angular_velocity, turn.apply(v[3:6]))
    both = turn * further
    assert (seen.orientation * turn.inv()).magnitude() < 1e-12 and (hung.orientation * both.inv()).magnitude() < 1e-12
    assert np.allclose(hung.angular_velocity, turn.apply(v[3:6]) + both.apply(v[6:]))


def test_what_actuators_and_springs_in_space_count_follows_the_joints():
    m = fm.SpatialModel("crane", gravity=(0, 0, -9.81))
    cart = m.add_body("cart", mass=1.0, inertia=(1, 1, 1))
    m.joint_force(m.prismatic(m.ground, cart.frame, axis="x", name="rail"), 0.0, name="push")
    load = m.add_body("load", mass=1.0, inertia=(1, 1, 1), position=(0, 0, -1))
    hinge = m.revolute(cart.frame, load.attach("top", (0, 0, 1)), axis="y", name="hinge")
    m.joint_force(hinge, 0.0, name="turn", damping=0.5)
    m.torsion_spring(cart.frame, load.frame, axis="y", stiffness=2.0, name="spring")
    tree = fm.Tree.of(m)
    state, system = tree.state([0.5, 0.7], [0.3, -0.4], [0.1, 0.2]), tree.system
    for values, push, turn in ((state.q, 0.5, 0.7), (state.v, 0.3, -0.4), (state.a, 0.1, 0.2)):
        found = dict(zip(system.names, values))
        assert found["push.travel"] == pytest.approx(push, abs=1e-12)
        assert found["turn.turn"] == pytest.approx(turn, abs=1e-12)
        assert found["spring.turn"] == pytest.approx(turn, abs=1e-12)
    gaps, rates, _ = system.constraint(0.0, state.q, state.v)
    assert np.abs(np.concatenate([gaps, rates])).max() < 1e-12


def apart(gap: float, *, loop: bool = False) -> fm.SpatialModel:
    """A rod on a hinge with a bob, which is drawn by a gap [m] beside the end to which it is welded; or with a rod back
    to the ground that misses its hinge there by this gap."""
    m = fm.SpatialModel("apart", gravity=(0, 0, -9.81))
    rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    m.revolute(m.ground, rod.attach("root", (-0.5, 0, 0)), axis="y", name="hinge")
    bob = m.add_body("bob", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(1.0 + (0.0 if loop else gap), 0, 0))
    tip = rod.attach("tip", (0.5, 0, 0))
    if loop:
        m.revolute(tip, bob.frame, axis="y", name="joint")
        wall = m.ground.attach("wall", (1.0 - gap, 0, 0.5))
        m.revolute(wall, bob.attach("foot", (0, 0, 0.5)), axis="y", name="closing")
    else:
        m.weld(tip, bob.frame, name="joint")
    return m


@pytest.mark.filterwarnings("ignore::flexmb.errors.RedundancyWarning")
@pytest.mark.parametrize("loop", [False, True])
def test_a_start_that_joints_do_not_fit_is_refused_or_named_as_for_runs(loop):
    for gap in (0.6, 0.3):
        m = apart(gap, loop=loop)
        with pytest.raises(fm.errors.InitialConditionError, match=f"'{'closing' if loop else 'joint'}' by {gap:g} m"):
            fm.simulate(m, 0.1)
        for ask in (fm.TreeDynamics, fm.formulation, fm.Loops, fm.formulations_of):
            with pytest.raises(fm.errors.InitialConditionError, match=f"'{'closing' if loop else 'joint'}' by {gap:g}"):
                ask(m)
    for ask in (fm.TreeDynamics, fm.Loops, fm.formulations_of):
        with pytest.warns(fm.errors.InitialConditionWarning, match="by 0.01 m"):
            ask(apart(0.01, loop=loop))
        ask(apart(0.0, loop=loop))
    # a tree of one's own is taken as it is, with its joints closed
    hung = fm.TreeDynamics(fm.Tree.of(apart(1.0)))
    assert hung.mass_matrix([0.0]) == pytest.approx(fm.TreeDynamics(apart(0.0)).mass_matrix([0.0]))
