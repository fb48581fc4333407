"""A model as a graph: links that share their mass are groups."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.validation.random_mechanisms.trees_with_beams import (
    SOFT,
    bent_state,
    planar_beams,
    planar_places,
    spatial_beams,
    spatial_places,
)

MODELS = (
    planar_beams,
    lambda: planar_beams(3, floating=True),
    lambda: spatial_beams(np.random.default_rng(0)),
    lambda: planar_places(2, branch=True),
    lambda: planar_places(theory="floating"),
    lambda: spatial_places(np.random.default_rng(0), 2, branch=True, floating=True),
    lambda: spatial_places(np.random.default_rng(0), theory="floating"),
)


def test_nodes_of_beams_and_rotors_form_groups():
    tree = fm.Tree.of(spatial_beams(np.random.default_rng(0)))
    links, groups = tree.links, tree.graph.groups
    assert [links[group.links[0]] for group in groups] == ["rod.start", "hub", "cross", "leaf.start"]
    assert [[links[k] for k in group.links[1:]] for group in groups] == [
        ["rod.node1", "rod.end"], [], ["arm.end"], ["leaf.end"]
    ]  # fmt: skip
    assert [len(group.inner) for group in groups] == [10, 1, 4, 3]
    assert tree.names[-18:][10:14] == ["wheel.rotor", "arm.bending_y1", "arm.bending_z1", "arm.bending_z2"]
    assert tree.path("end") == ["hinge", "elbow", "ball", "sleeve"]
    assert tree.graph.others == []


@pytest.mark.parametrize("make", MODELS)
def test_joints_hold_and_coordinates_come_back_with_beams(make):
    rng = np.random.default_rng(1)
    tree = fm.Tree.of(make())
    x, u = bent_state(rng, tree)
    state = tree.state(x, u, rng.normal(size=tree.nv))
    g, gd, gamma = tree.system.constraint(0.0, state.q, state.v)
    assert np.abs(g).max(initial=0.0) < 1e-13
    assert np.abs(gd).max(initial=0.0) < 1e-12
    assert np.abs(tree.system.jacobian(0.0, state.q) @ state.a - gamma).max(initial=0.0) < 1e-11
    x_back, u_back = tree.of_system(tree.system.full_q(state.q), tree.system.full(state.v), x + 0.05)
    assert x_back == pytest.approx(x, abs=1e-12)
    assert u_back == pytest.approx(u, abs=1e-11)


def test_coordinates_beside_the_head_are_those_of_the_system():
    tree = fm.Tree.of(spatial_beams(np.random.default_rng(0)))
    state = tree.state(*bent_state(np.random.default_rng(2), tree))
    _, u = tree.of_state(state)
    for name, own in (("rod.end.x", "rod.end.node.x"), ("rod.node1.wz",) * 2, ("arm.torsion1",) * 2):
        assert u[tree.names.index(name)] == pytest.approx(state.v[tree.system.names.index(own)], abs=1e-13)


def test_a_beam_clamped_to_the_ground_hangs_there_by_its_own_nodes():
    m = fm.PlanarModel("m")
    rod = m.add_beam("rod", m.ground, (1.0, 0.0), material=SOFT, section=fm.Rectangle(0.01, 0.02))
    m.revolute(rod.end, m.add_body("tip", mass=1.0, inertia=0.1, position=(1.2, 0.0)).frame, name="hinge")
    tree = fm.Tree.of(m)
    assert tree.links == ["rod.end", "tip"]
    assert tree.path("tip") == ["rod.end.base", "hinge"]


def test_a_beam_with_joints_at_both_ends_closes_a_loop():
    m = fm.PlanarModel("m")
    rod = m.add_beam("rod", (0.0, 0.0), (1.0, 0.0), material=SOFT, section=fm.Rectangle(0.01, 0.02))
    m.revolute(m.ground, rod.start, name="left")
    m.revolute(m.ground.attach("there", (1.0, 0.0)), rod.end, name="right")
    tree = fm.Tree.of(m)
    assert tree.chords == ["right"]
    assert tree.loop("right") == ["left"]


def test_places_within_beams_are_links_that_move_as_these_do():
    tree = fm.Tree.of(spatial_places(np.random.default_rng(0), 2, branch=True))
    places = [tree.links[place.link] for place in tree.graph.places]
    assert places == ["rod@0.3", "rod@0.6", "rod@0.7"]
    assert tree.path("arm") == ["hinge", "elbow", "ball"]
    assert tree.path("leaf") == ["hinge", "leaf hinge"]
    assert tree.graph.others == []
    assert not any(name.startswith("rod@") for name in tree.names)


@pytest.mark.parametrize("theory", ["cms", "floating"])
def test_a_joint_at_a_place_alone_closes_a_loop_of_its_beam(theory):
    m = fm.PlanarModel("see-saw")
    rod = m.add_beam("rod", (-1.0, 0.0), (1.0, 0.0), material=SOFT, section=fm.Rectangle(0.01, 0.02), theory=theory)
    m.revolute(m.ground.attach("pedestal", (-0.1, 0.0)), rod.at(0.45), name="pivot")
    tree = fm.Tree.of(m)
    assert tree.chords == ["pivot"]
    assert tree.loop("pivot") == ["rod.start.base"]


def test_nodes_that_are_no_frames_or_do_not_move_are_refused_by_name():
    given = {"material": SOFT, "section": fm.Rectangle(0.01, 0.02)}
    m = fm.PlanarModel("m")
    rod = m.add_beam("rod", (0, 0), (1, 0), theory="ancf", elements=4, **given)
    m.revolute(m.ground, rod.start, name="hinge")
    with pytest.raises(
        fm.errors.FormulationError, match=r"'rod\.start' is welded to beam 'rod' by rows.* theory='cms'"
    ):
        fm.Tree.of(m)
    with pytest.raises(fm.errors.FormulationError, match="leave formulation out, whose absolute coordinates take it"):
        fm.simulate(m, 0.1, "dop853", formulation="aba")
    bridge = fm.PlanarModel("bridge")
    deck = bridge.add_beam("deck", bridge.ground, bridge.ground.attach("bank", (1, 0)), **given)
    hook = bridge.add_body("hook", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    bridge.revolute(deck.at(0.5), hook.frame, name="eye")
    with pytest.raises(
        fm.errors.FormulationError, match=r"'deck@0\.5' is welded to beam 'deck' .* two elements or more"
    ):
        fm.Tree.of(bridge)
