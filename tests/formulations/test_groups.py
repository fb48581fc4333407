"""Beams and rotors in joint coordinates: formulations against dense matrices of the engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.formulations.condensing import answer, invert
from flexmb.formulations.coupling import add_forces
from flexmb.formulations.tree.moving import move, moving_for
from flexmb.kernels import rotations
from flexmb.validation.random_mechanisms.trees_with_beams import SOFT, bent_state, planar_beams, spatial_beams

STRIP = fm.Rectangle(width=0.02, height=0.02)
MODELS = {
    "plane": planar_beams,
    "plane, floating": lambda: planar_beams(3, floating=True),
    "space": lambda: spatial_beams(np.random.default_rng(0)),
    "space, floating": lambda: spatial_beams(np.random.default_rng(1), floating=True),
}


def dense_accelerations(tree: fm.Tree, x: np.ndarray, u: np.ndarray, tau: Any, wrench: Any) -> np.ndarray:
    """u̇ of JᵀMJ u̇ = τ + Jᵀ (w − M J̇ u − f), with J from the states for each speed alone."""
    system, links = tree.system, tree.arrays
    J = np.array([tree.state(x, e).v for e in np.eye(tree.nv)]).T
    state = tree.state(x, u)
    r = system.residual(0.0, state.q, state.v, state.a)
    M = system.mass_matrix(0.0, state.q)
    M = M if isinstance(M, np.ndarray) else M.toarray()
    moving = moving_for(links)
    power = np.zeros(tree.nv)
    for j, e in enumerate(np.eye(tree.nv)):
        move(links, moving, x, e)
        power[j] = np.sum(moving.motion * wrench)
    return np.asarray(np.linalg.solve(J.T @ M @ J, tau + power - J.T @ r))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("formulation", ["aba", "lagrange", "ada", "dca"])
def test_beams_accelerate_as_dense_matrices_of_the_engine_say(name, formulation):
    rng = np.random.default_rng(3)
    tree = fm.Tree.of(MODELS[name]())
    bound = fm.formulation(tree, formulation)
    for _ in range(3):
        x, u = bent_state(rng, tree)
        tau, wrench = rng.normal(size=tree.nv), rng.normal(size=(len(tree.links), 6))
        if tree.model.dimension == 2:
            wrench[:, [0, 1, 5]] = 0.0
        found = bound(x, u, tau, wrench)
        expected = dense_accelerations(tree, x, u, tau, wrench)
        assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()


def clamped(dimension: int) -> fm.PlanarModel | fm.SpatialModel:
    """One element from the ground to a node, which carries a pendulum: the element has no other coordinates."""
    space = dimension == 3
    model = fm.SpatialModel("mast", gravity=(0, 0, -9.81)) if space else fm.PlanarModel("mast", gravity=(0, -9.81))
    end, below, J = ((1, 0, 0), (0, 0, 0.5), (0.1, 0.1, 0.1)) if space else ((1, 0), (0, 0.5), 0.1)
    mast = model.add_beam("mast", model.ground, end, material=SOFT, section=STRIP, theory="exact", elements=1)
    bob = model.add_body("bob", mass=0.3, inertia=J, position=np.subtract(end, below))
    model.revolute(mast.end, bob.attach("eye", below), name="pin", **({"axis": "y"} if space else {}))
    return model


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("formulation", ["aba", "lagrange", "ada", "dca", "hybrid"])
def test_a_node_at_the_end_of_a_clamped_element_is_no_rigid_body(dimension, formulation):
    rng = np.random.default_rng(5)
    tree = fm.Tree.of(clamped(dimension))
    x, _ = tree.start()
    u, tau = 0.1 * rng.normal(size=(2, tree.nv))
    found = fm.formulation(tree, formulation)(x, u, tau)
    expected = dense_accelerations(tree, x, u, tau, np.zeros((len(tree.links), 6)))
    assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()


def test_a_run_with_a_clamped_element_is_that_in_absolute_coordinates():
    there, here = (fm.simulate(clamped(3), 0.05, tolerance=1e-8, **given) for given in ({}, {"formulation": "aba"}))
    assert np.abs(there["bob"].position[-1] - here["bob"].position[-1]).max() < 1e-7


@pytest.mark.parametrize("dimension", [2, 3])
def test_no_classical_formulation_takes_a_clamped_element(dimension):
    assert fm.formulations_of(clamped(dimension)).taken == ["aba", "lagrange", "ada", "dca", "hybrid"]


@pytest.mark.parametrize("name", MODELS)
def test_joints_that_hold_nothing_bear_nothing(name):
    """The free joints of nodes beside the heads have no forces."""
    tree = fm.Tree.of(MODELS[name]())
    x, u = bent_state(np.random.default_rng(4), tree)
    beside = tree.arrays.group < -1
    for formulation in ("aba", "lagrange", "ada", "dca"):
        bound = fm.formulation(tree, formulation)
        bound(x, u)
        assert np.abs(bound.forces[beside]).max() < 1e-12 * np.abs(bound.forces).max()


def test_the_force_in_a_hinge_of_a_beam_is_that_of_the_engine():
    m = fm.SpatialModel("m", gravity=(0.0, 0.0, -9.81))
    rod = m.add_beam("rod", (0, 0, 0), (1, 0, 0), material=SOFT, section=fm.Rectangle(0.02, 0.03))
    m.revolute(m.ground, rod.start, axis="y", name="hinge")
    m.add_body("tip", mass=1.0, inertia=(0.1, 0.2, 0.15), position=(1.2, 0, 0))
    m.weld(rod.end, m.frames["tip"], name="weld")
    tree = fm.Tree.of(fm.System(m, dense_limit=1000))
    x, u = bent_state(np.random.default_rng(5), tree)
    bound = fm.formulation(tree, "aba")
    ud = bound(x, u)
    state, system = tree.state(x, u, ud), tree.system
    G = system.jacobian(0.0, state.q)
    lam = np.linalg.lstsq(G.T, -system.residual(0.0, state.q, state.v, state.a), rcond=None)[0]
    node = tree.nodes.numbers_v[tree.links.index("rod.start"), :3]
    hinge = [k for k, row in enumerate(system.rows) if row.owner == "hinge"]
    assert bound.forces[tree.links.index("rod.start"), 3:] == pytest.approx(-(G[hinge].T @ lam[hinge])[node], abs=1e-8)


@pytest.mark.parametrize("name", ["plane", "space, floating"])
def test_handles_answer_forces_as_the_condensed_group_does(name):
    """Φ is what forces on the nodes do to their accelerations; and with the accelerations of a motion its forces."""
    rng = np.random.default_rng(8)
    tree = fm.Tree.of(MODELS[name]())
    bound = fm.formulation(tree, "lagrange")
    x, u = bent_state(rng, tree)
    ud = bound(x, u)
    links, groups, moving = tree.arrays, bound.room.groups, bound.room.moving
    still, tau = np.zeros((len(tree.links), 6)), np.zeros(tree.nv)
    forces, found, more = rng.normal(size=still.shape), still.copy(), still.copy()
    for g, group in enumerate(tree.graph.groups):
        wide = 6 * len(group.links)
        phi = np.zeros(wide * wide + 1)
        assert invert(links, groups, moving, g, phi, 1) == 0
        phi = phi[1:].reshape(wide, wide)
        answer(links, groups, moving, g, still, np.zeros((0, 6)), tau, bound.accelerations, found)
        answer(links, groups, moving, g, forces, np.zeros((0, 6)), tau, bound.accelerations, more)
        expected = phi @ forces[group.links].ravel()
        assert (more - found)[group.links].ravel() == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())
        # the forces that hold a group in the motion that it has leave it there
        F = np.zeros_like(still)
        at = tree.nv - links.joints.inner
        add_forces(links, groups, 1.0, bound.accelerations, ud, at, F, tau.copy(), at)
        answer(links, groups, moving, g, F, np.zeros((0, 6)), tau, bound.accelerations, found)
        assert np.abs(found[group.links]).max() < 1e-9 * np.abs(bound.accelerations).max()


def test_formulations_keep_nothing_from_one_call_to_the_next():
    tree = fm.Tree.of(MODELS["space"]())
    rng = np.random.default_rng(6)
    bound = fm.formulation(tree, "aba")
    first, second = bent_state(rng, tree), bent_state(rng, tree)
    before = bound(*first)
    bound(*second)
    assert np.array_equal(bound(*first), before)


def test_a_rotor_on_no_link_is_refused_by_name():
    m = fm.SpatialModel("m")
    rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.2, 0.2))
    m.revolute(m.ground, rod.frame, axis="z", name="hinge")
    m.motor(m.ground, rod.frame, axis="z", ratio=2.0, inertia=1e-3, name="drive")
    with pytest.raises(fm.errors.FormulationError, match="drive"):
        fm.formulation(m)


@pytest.mark.parametrize("name", MODELS)
def test_momentum_of_groups_is_that_of_the_engine(name):
    rng = np.random.default_rng(9)
    tree = fm.Tree.of(MODELS[name]())
    dynamics = fm.TreeDynamics(tree)
    x, u = bent_state(rng, tree)
    ud = rng.normal(size=tree.nv)
    state, system = tree.state(x, u, ud), tree.system
    momentum = dynamics.momentum(x, u, about=(0.0, 0.0, 0.0))
    expected = system.momentum(0.0, state.q, state.v)
    planar = tree.model.dimension == 2
    both = (momentum[[3, 4, 2]], expected) if planar else (momentum, np.roll(expected, 3))
    assert both[0] == pytest.approx(both[1], abs=1e-11)
    assert dynamics.momentum_matrix(x, about=(0.0, 0.0, 0.0)) @ u == pytest.approx(momentum, abs=1e-11)
    center = dynamics.mass_center(x, u, ud)
    assert center.velocity * sum_of_masses(tree) == pytest.approx(momentum[3:], abs=1e-11)
    h = 1e-5
    moved = [tree.of_system(*ahead(tree, state, s * h), x)[0] for s in (1.0, -1.0)]
    rate = (dynamics.mass_center(moved[0]).position - dynamics.mass_center(moved[1]).position) / (2.0 * h)
    assert rate == pytest.approx(center.velocity, abs=1e-7)
    tau = dynamics.drives(x, u, ud)
    later = [dynamics.momentum(y, u + s * h * ud, about=(0.0, 0.0, 0.0)) for y, s in zip(moved, (1.0, -1.0))]
    rate = dynamics.momentum_rate(x, u, ud, about=(0.0, 0.0, 0.0))
    assert (later[0] - later[1]) / (2.0 * h) == pytest.approx(rate, abs=1e-5 * np.abs(rate).max())
    M, h0 = dynamics.mass_matrix(x), dynamics.bias(x, u)
    assert M @ ud + h0 == pytest.approx(tau, abs=1e-10 * np.abs(tau).max())


def sum_of_masses(tree: fm.Tree) -> float:
    """The mass of all that moves with a tree."""
    system = tree.system
    along = system.rigid_motions(system.q0)[0]
    return float(along @ (system.mass_matrix(0.0, system.q0) @ along))


def ahead(tree: fm.Tree, state: fm.State, h: float) -> tuple[np.ndarray, np.ndarray]:
    """All coordinates a small time ahead, by speeds and accelerations, and speeds."""
    system = tree.system
    q = system.retract(state.q, h * state.v + 0.5 * h * h * state.a)
    return system.full_q(q), system.full(state.v)


@pytest.mark.parametrize("angle", [0.0, 2.5, 5.0])
def test_twists_of_beams_are_those_of_the_system_whatever_the_signs_of_quaternions(angle):
    """Turned far about an axis, quaternions of nodes have negative scalar parts; both nodes of a beam keep theirs."""
    turn = fm.euler_angles("XYZ", (angle, 0.3, -0.2))
    m = fm.SpatialModel("m")
    base = m.add_body("base", mass=1.0, inertia=(0.1, 0.2, 0.2), orientation=turn)
    m.add_beam("rod", base.attach("seat", (0.1, 0, 0)), turn.apply((1, 0, 0)), material=SOFT,
                     section=fm.Rectangle(0.02, 0.03))  # fmt: skip
    m.revolute(m.ground, base.frame, axis=turn.apply((1, 0, 0)), name="hinge")
    tree, axis = fm.Tree.of(m), turn.apply((1, 0, 0))
    system, formulation = tree.system, fm.formulation(tree)
    x, _ = tree.start()
    for spin in (0.0, 2.0, 4.0, 9.0):
        q, whole = system.full_q(system.q0), (np.cos(0.5 * spin), *(np.sin(0.5 * spin) * axis))
        for numbers in tree.nodes.numbers_q:
            q[numbers[:3]] = rotations.turned(whole, tuple(q[numbers[:3]]))
            q[numbers[3:]] = rotations.product(whole, tuple(q[numbers[3:]]))
        x[0] = spin
        found, _ = tree.of_system(q, np.zeros(system.plan.total), x)
        assert found[0] == pytest.approx(spin, abs=1e-12)
        assert np.abs(formulation(found, np.zeros(tree.nv))).max() < 1e-6  # nothing is strained
        back = tree.state(found).q
        assert system.energy(0.0, back, np.zeros(system.n))[1] < 1e-20


@pytest.mark.parametrize("formulation", ["aba", "lagrange", "ada", "dca"])
def test_euler_angles_of_joints_leave_nodes_of_beams_as_they_are(formulation):
    model = MODELS["space, floating"]()
    tree, by_angles = fm.Tree.of(model), fm.Tree.of(model, euler_angles="ZYX")
    x, u = bent_state(np.random.default_rng(10), tree)
    state = tree.state(x, u)
    y, w = by_angles.of_state(state)
    expected = tree.state(x, u, fm.formulation(tree, formulation)(x, u)).a
    found = by_angles.state(y, w, fm.formulation(by_angles, formulation)(y, w)).a
    assert np.abs(found - expected).max() < 1e-11 * np.abs(expected).max()
