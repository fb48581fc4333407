"""Bodies in their mean frames that hang by interfaces: the tree, its coordinates, and accelerations against the
engine."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import FlexmbError, FormulationError, ModelError, NamingError
from flexmb.validation.agreement import apart, reactions
from flexmb.validation.one_number import engine
from flexmb.validation.orbits.hull_and_panel import COMPILED, craft, errors, run_apart, state


def test_a_panel_that_hangs_by_an_interface_closes_no_loop():
    tree = fm.Tree.of(craft())
    assert not tree.chords
    assert tree.links == [
        "hull", "right panel.root", "right panel", "right panel.tip", "end", "left panel.root", "left panel",
    ]  # fmt: skip
    modes = len(tree.nodes.inner)
    assert tree.nv == 6 + 3 + 1 + modes
    assert tree.path("left panel") == ["hull.base", "hinge"]
    assert tree.path("end") == ["hull.base", "clamp", "ball"]
    x, u = state(tree)
    at = tree.state(x, u)
    g, rates, _ = at.system.constraint(0.0, at.q, at.v)
    assert np.abs(g).max() < 1e-14
    assert np.abs(rates).max() < 1e-13
    back = tree.of_state(at)
    assert np.allclose(back[0], x, atol=1e-13)
    assert np.allclose(back[1], u, atol=1e-12)


@pytest.mark.parametrize("loaded", [False, True])
def test_all_formulations_give_the_accelerations_of_the_engine(loaded):
    found = errors(True, loaded)
    wanted = {"kane", "discos", "singh-likins", "gibbs-appell", "boland-samin-willems"}
    assert wanted | (set() if loaded else set(COMPILED)) <= set(found)
    assert max(found.values()) < 1e-11, found


def test_panels_alone_are_appendages():
    """They carry nothing, so that papers of terminal flexible bodies take them."""
    found = errors(False, True)
    assert {"hooker-1975", "likins-1974"} <= set(found)
    assert max(found.values()) < 1e-11, found


def test_what_the_hinge_holds_is_what_the_engine_says():
    tree = fm.Tree.of(craft(False, loaded=True))
    x, u = state(tree)
    still = engine(tree, x, u, np.zeros(tree.nv))
    kane = fm.formulation(tree, "kane")
    kane(x, u)
    bodies = tree.arrays.place_of < 0
    held = np.array([not joint.endswith(".base") for joint in tree.joints]) & bodies
    known = reactions(tree, x, still.multipliers)[held]
    assert apart(kane.forces[held], known) < 1e-10


@pytest.mark.parametrize("hinge", ["motor", "driven"])
def test_runs_in_joint_coordinates_are_those_in_absolute_ones(hinge):
    off, moved = run_apart(hinge, 0.05)
    assert moved > 1e-5
    assert off < 1e-8


def test_a_body_on_the_interface_itself_hangs_with_it():
    """Mass on the node of the interface that is the head of the group."""
    m = craft()
    m.add_body("fitting", mass=0.3, inertia=(0.01, 0.02, 0.02), frame=m.component("left panel").at("root"))
    tree = fm.Tree.of(m)
    assert not tree.chords
    assert tree.nv == 10 + len(tree.nodes.inner)
    x, u = state(tree)
    tau = np.random.default_rng(0).normal(size=tree.nv)
    known = engine(tree, x, u, tau)
    for name in ("kane", "aba", "lagrange", "ada", "dca"):
        a = tree.state(x, u, fm.formulation(tree, name)(x, u, tau)).a
        assert apart(a[known.known], known.a[known.known]) < 1e-11, name


def test_dynamics_of_the_tree():
    """The mass matrix and the bias are those of the accelerations."""
    tree = fm.Tree.of(craft())
    x, u = state(tree)
    tau = np.random.default_rng(2).normal(size=tree.nv)
    dynamics = fm.TreeDynamics(tree)
    M, h = dynamics.mass_matrix(x), dynamics.bias(x, u)
    assert np.allclose(M, M.T)
    assert apart(np.linalg.solve(M, tau - h), fm.formulation(tree, "aba")(x, u, tau)) < 1e-10


def test_in_the_plane():
    """A reduced body of the plane on a slide."""
    tip = fm.bodies.Interface((1, 0), np.eye(2), [[0.1], [2]], [[3]], [[[-0.4]], [[0.2]]], [[[0.1]]])
    root = fm.bodies.Interface((-0.5, 0.1), np.eye(2), [[0.2], [-0.7]], [[0.5]], [[[0.3]], [[-0.2]]])
    P = np.diag([1.0, 0.2, 0, 1.0]).reshape(2, 2, 2, 2).transpose(0, 2, 1, 3)
    P = 0.5 * (P + P.transpose(1, 0, 3, 2))
    strip = fm.bodies.ReducedBody(2.0, np.zeros((2, 2)), P, stiffness=[40.0], interfaces={"root": root, "tip": tip})
    m = fm.PlanarModel("m", gravity=(0.3, -9.81))
    cart = m.add_body("cart", mass=1.0, inertia=0.3, position=(-0.5, 0.1))
    m.prismatic(m.ground, cart.frame, name="slide")
    body = m.add_modal_body("strip", strip, field="linear")
    m.revolute(cart.frame, body.at("root"), name="hinge")
    end = m.add_body("end", mass=0.4, inertia=0.1, position=(1.3, 0.2))
    m.revolute(body.at("tip"), end.attach("eye", (-0.3, -0.2)), name="joint")
    tree = fm.Tree.of(m)
    assert not tree.chords
    assert tree.nv == 4
    rng = np.random.default_rng(0)
    x, u, tau = 0.3 * rng.normal(size=4), rng.normal(size=4), rng.normal(size=4)
    known = engine(tree, x, u, tau)
    for name in ("aba", "lagrange", "ada", "dca"):
        a = tree.state(x, u, fm.formulation(tree, name)(x, u, tau)).a
        assert apart(a[known.known], known.a[known.known]) < 1e-12, name


def test_bad_input_is_refused_by_name():
    """Interfaces that there are not, two joints at one of them, and names of formulations."""
    m = craft(False)
    panel = m.component("right panel")
    with pytest.raises(NamingError, match=r"body 'right panel': there is no interface 'rot' \(did you mean 'root'"):
        panel.at("rot")
    with pytest.raises(ModelError, match=r"formulation is 'kaine'; choose one of .*'kane'"):
        fm.formulation(m, "kaine")
    m.revolute(m.component("hull").frame.attach("beside", (0.3, 0.0, 0.1)), panel.at("root"), axis="y", name="second")
    assert fm.Tree.of(m).chords == ["second"]
    for name in ("aba", "likins-1974"):
        with pytest.raises(FormulationError, match="'second'"):
            fm.formulation(m, name)


def test_modes_without_a_law_have_no_section_forces():
    solution = fm.simulate(craft(), 1e-3, progress=False)
    with pytest.raises(FlexmbError, match=r"'left panel\.root': there is no attribute 'axial_force'"):
        _ = solution["left panel.root"].axial_force
