"""Blocks of links by formulas, joined by assembly: any cut gives the accelerations and forces of other formulations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import flexmb as fm
from flexmb.elements.planar.floating_beam import FLOATING, FloatingBeam
from flexmb.formulations import hybrid
from flexmb.formulations.blocks.flexible import flexible_of
from flexmb.formulations.blocks.reading import SymbolicBlock
from flexmb.validation.agreement import absolute, apart, loops, reactions
from flexmb.validation.hybrid_modelling import bent, flexible_tree
from flexmb.validation.performance.hybrid import flexible_arm
from flexmb.validation.random_mechanisms.trees import random_planar_tree, random_state, random_tree
from flexmb.validation.random_mechanisms.trees_with_beams import bent_state, planar_places, spatial_beams
from tests.models.upright_arms import arm


def compared(tree, name, block, state, rng, forces=True):
    """The largest differences from another formulation, of accelerations and of joint forces."""
    x, u = state
    tau, wrench = rng.normal(size=tree.nv), rng.normal(size=(len(tree.links), 6))
    if tree.model.dimension == 2:
        wrench[:, [0, 1, 5]] = 0.0
    known, found = fm.formulation(tree, name), fm.formulation(tree, fm.Hybrid(block=block))
    vdot = known(x, u, tau, wrench)
    size = max(1.0, np.abs(vdot).max(initial=0.0))
    assert found(x, u, tau, wrench) == pytest.approx(vdot, abs=1e-11 * size)
    assert found.accelerations == pytest.approx(known.accelerations, abs=1e-11 * size * 10)
    if forces:
        assert found.forces == pytest.approx(known.forces, abs=1e-11 * max(size, np.abs(known.forces).max()))
    return found


@pytest.mark.parametrize("block", [2, 3, 9])
@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("grow", [random_tree, random_planar_tree])
def test_trees_in_any_cut(grow, floating, block):
    rng = np.random.default_rng(7)
    tree = fm.Tree.of(grow(rng, 9, floating=floating))
    found = compared(tree, "aba", block, random_state(rng, tree), rng)
    assert max(len(one.links) for one in found.blocks) <= block
    assert bool(found.room.blocks.whole) == (block == 9)


@pytest.mark.parametrize("block", [2, 4, 7])
@pytest.mark.parametrize("seed", [0, 1, 3, 7])
def test_loops_in_any_cut(seed, block):
    """Loops inside a block, between blocks, and between blocks on the ground."""
    tree, rng = loops(seed)
    closing = fm.Loops(tree)
    x, u = closing.closed(closing.moved(tree.start()[0], 0.2 * rng.normal(size=tree.nv)), rng.normal(size=tree.nv))
    a, lam = absolute(tree, x, u, np.zeros(tree.nv))
    formulation = fm.formulation(tree, fm.Hybrid(block=block))
    assert apart(tree.state(x, u, formulation(x, u)).a, a) < 1e-10
    assert closing.rank < len(closing.rows) or apart(formulation.forces, reactions(tree, x, lam)) < 1e-10


@pytest.mark.parametrize("build", [lambda rng: spatial_beams(rng, floating=True), lambda rng: planar_places(2, True)])
def test_beams_stay_pieces_of_their_own(build):
    rng = np.random.default_rng(3)
    tree = fm.Tree.of(build(rng))
    compared(tree, "lagrange", 4, bent_state(rng, tree), rng, forces=False)


@pytest.mark.parametrize("model", [flexible_tree(), flexible_arm(2)], ids=["plane", "space"])
@pytest.mark.parametrize("block", [1, 2, 8])
def test_flexible_links_in_any_cut(model, block):
    """Hubs, masses and joints at ends and within, beams that go on from beams."""
    rng, tree = np.random.default_rng(3), fm.Tree.of(model)
    found = compared(tree, "aba", block, bent(rng, tree), rng)
    assert bool(found.room.blocks.whole) == (block == 8)
    held = {link for one in found.blocks for link in one.links}
    assert held >= {link for link in tree.links if "long" in link or "short" in link or "rod" in link}


def test_a_loop_through_a_flexible_link():
    m, given = fm.PlanarModel("four bars", gravity=(0, -9.81)), fm.planar.BeamProperties(EA=1e6, EI=50.0, rhoA=0.6)
    crank = m.add_body("crank", mass=1.0, inertia=0.1, position=(0, 0.5), angle=np.pi / 2)
    rocker = m.add_body("rocker", mass=1.0, inertia=0.1, position=(1.5, 0.5), angle=np.pi / 2)
    coupler = m.add_beam("coupler", (0, 1), (1.5, 1), properties=given, theory="floating", modes=1)
    m.revolute(m.ground, crank.attach("low", (-0.5, 0)), name="first")
    m.revolute(crank.attach("high", (0.5, 0)), coupler.start, name="second")
    m.revolute(coupler.end, rocker.attach("up", (0.5, 0)), name="third")
    m.revolute(m.ground.attach("right", (1.5, 0)), rocker.attach("down", (-0.5, 0)), name="fourth")
    tree, rng = fm.Tree.of(m), np.random.default_rng(8)
    closing = fm.Loops(tree)
    x, u = closing.closed(closing.moved(tree.start()[0], 0.05 * rng.normal(size=tree.nv)), rng.normal(size=tree.nv))
    a, _ = absolute(tree, x, u, np.zeros(tree.nv))
    formulation = fm.formulation(tree, "hybrid")
    assert apart(tree.state(x, u, formulation(x, u)).a, a) < 1e-10
    assert formulation.blocks[0].links == ["crank", "coupler.start", "coupler.end"]


def test_flexible_links_beside_beams_of_which_there_are_no_formulas():
    m, given = fm.PlanarModel("beams", gravity=(0, -9.81)), fm.planar.BeamProperties(EA=1e6, EI=50.0, rhoA=0.6)
    first = m.add_beam("first", (0, 0), (1, 0.5), properties=given, theory="floating", modes=1)
    m.revolute(m.ground, first.start, name="root")
    second = m.add_beam("second", (1, 0.5), (2, 0.5), properties=given, theory="cms", modes=1)
    m.revolute(first.end, second.start, name="middle")
    third = m.add_beam("third", (2, 0.5), (3, 0.5), properties=given, theory="floating", modes=1)
    m.revolute(second.end, third.start, name="last")
    m.add_beam("fourth", third.end, (4, 0.5), properties=given, theory="cms", modes=1)  # no joint between them
    rng, tree = np.random.default_rng(2), fm.Tree.of(m)
    found = compared(tree, "aba", 8, bent(rng, tree), rng)
    assert [block.links for block in found.blocks] == [["first.start", "first.end"]]


def test_a_beam_with_kernels_of_its_own_stays_a_piece_of_numbers(monkeypatch):
    tree = fm.Tree.of(flexible_tree())
    monkeypatch.setattr(FloatingBeam, "kernels", property(lambda self: replace(FLOATING)))
    assert not flexible_of(tree).bodies


def test_a_budget_too_small_for_one_block_is_enough_for_smaller_ones():
    tree = fm.Tree.of(flexible_arm(2))
    whole = fm.formulation(tree, fm.Hybrid(block=8))
    (one,) = whole._cut.blocks
    budget = one.programs.statements - 1
    with pytest.warns(fm.errors.SizeWarning, match="left to numbers"):
        assert fm.formulation(tree, fm.Hybrid(block=8, budget=budget)).blocks == []
    cut = fm.formulation(tree, fm.Hybrid(budget=budget))
    assert [len(block.links) for block in cut.blocks] == [4]
    rng = np.random.default_rng(1)
    state = bent(rng, tree)
    assert cut(*state) == pytest.approx(whole(*state), rel=1e-10, abs=1e-9)


def test_without_a_size_a_small_tree_is_one_block():
    tree = fm.Tree.of(arm([0.3] * 6, "zyxzyx"))
    assert [len(block.links) for block in fm.formulation(tree, "hybrid").blocks] == [6]


def test_gravity_may_change_from_call_to_call():
    m = fm.SpatialModel("pendulum", gravity=(0, 0, -9.81))
    rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, -1))
    m.revolute(m.ground, rod.attach("top", (0, 0, 1)), axis="y", name="hinge")
    formulation, vdot = fm.formulation(m, "hybrid"), np.zeros(1)
    links = formulation.links._replace(gravity=np.array([1.62, 0.0, 0.0]))
    assert (
        formulation.solve(links, formulation.room, np.zeros(1), np.zeros(1), np.zeros(1), np.zeros((1, 6)), vdot) == 0
    )
    assert vdot == pytest.approx([-1.62 / 1.1])


def test_a_block_beyond_its_budget_is_left_to_numbers():
    rng = np.random.default_rng(2)
    tree = fm.Tree.of(arm([0.3] * 6, "zyxzyx"))
    with pytest.warns(fm.errors.SizeWarning, match="need more than 500 statements, and its links are left to numbers"):
        formulation = fm.formulation(tree, fm.Hybrid(block=6, budget=500))
    assert formulation.blocks == []
    x, u = random_state(rng, tree)
    assert formulation(x, u) == pytest.approx(fm.formulation(tree, "ada")(x, u), rel=1e-14)


def test_a_motion_without_inertia_is_named():
    m = fm.SpatialModel("arm")
    one = m.add_body("one", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    two = m.add_frame("two", position=(1.0, 0, 0))
    m.add_point_mass("weight", two, 1.0)
    m.revolute(m.ground, one.attach("near", (-0.5, 0, 0)), axis="z", name="first")
    m.revolute(one.attach("far", (0.5, 0, 0)), two, axis="x", name="idle")
    with pytest.raises(fm.errors.FormulationError, match=r"'two'.*'idle'"):
        fm.formulation(m, "hybrid")(np.zeros(2), np.zeros(2))


@pytest.mark.parametrize(
    ("options", "text"), [({"block": 0}, "block"), ({"block": 2.5}, "block"), ({"budget": 0}, "budget")]
)
def test_wrong_sizes_are_refused(options, text):
    with pytest.raises(fm.errors.FlexmbError, match=text):
        fm.Hybrid(**options)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"threads": 2}, "threads are 1, or 2 for the formulation 'ada'"),
        ({"joint_order": ["first"]}, "an order is for 'ada' or 'dca'"),
    ],
)
def test_wrong_options_are_refused(options, text):
    tree = fm.Tree.of(random_tree(np.random.default_rng(4), 2))
    with pytest.raises(fm.errors.FlexmbError, match=text):
        fm.formulation(tree, fm.Hybrid(block=2), **options)


def test_a_run_is_that_of_other_formulations():
    model = random_tree(np.random.default_rng(51), 5, floating=True)
    ends = [
        fm.simulate(model, 0.2, "dop853", formulation=one, tolerance=1e-11, progress=False).q[-1]
        for one in ("aba", "hybrid", fm.Hybrid(block=2))
    ]
    assert ends[1] == pytest.approx(ends[0], abs=1e-9) and ends[2] == pytest.approx(ends[0], abs=1e-9)


def test_options_of_runs_are_checked():
    model = arm([0.3] * 6, "zyxzyx")
    with pytest.warns(fm.errors.SizeWarning, match="more than 100 statements"):
        fm.simulate(model, 0.01, "dop853", formulation=fm.Hybrid(6, budget=100), progress=False)
    with pytest.raises(fm.errors.ModelError, match="block"):
        fm.Hybrid(block=0)
    with pytest.raises(fm.errors.FlexmbError, match="formulation"):
        fm.simulate(model, 0.01, "dop853", formulation=fm.Hybrid, progress=False)


def test_blocks_grow_from_the_ground():
    tree = fm.Tree.of(random_tree(np.random.default_rng(5), 9))
    parent = tree.arrays.parent
    for size in (1, 2, 4):
        for own in hybrid.grown(tree, size):
            assert len(own) <= size and all(parent[k] in own for k in own[1:])
    assert isinstance(fm.formulation(tree, fm.Hybrid(block=2)).blocks[0], SymbolicBlock)
