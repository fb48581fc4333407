"""All formulations give one number: random trees and loops, as hypothesis finds them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmb as fm
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.validation.agreement import absolute, apart, loops, reactions
from tests.models.trees import KINDS, random_planar_tree, random_state, random_tree


@st.composite
def mechanisms(draw):
    """A random tree of some kinds of joints, in plane or space, and what is random about its state."""
    rng = np.random.default_rng(draw(st.integers(0, 1 << 20)))
    if draw(st.booleans()):
        return fm.Tree.of(random_planar_tree(rng, draw(st.integers(1, 8)), floating=draw(st.booleans()))), rng
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=4))
    return fm.Tree.of(random_tree(rng, draw(st.integers(1, 8)), tuple(kinds), floating=draw(st.booleans()))), rng


@settings(max_examples=25, deadline=None)
@given(mechanisms())
def test_every_formulation_agrees_with_the_engine(mechanism):
    tree, rng = mechanism
    x, u = random_state(rng, tree)
    tau = rng.normal(size=tree.nv)
    a, _ = absolute(tree, x, u, tau)
    still, lam = absolute(tree, x, u, np.zeros(tree.nv))
    held = np.array([not joint.endswith(".base") for joint in tree.joints])
    known = reactions(tree, x, lam)[held]
    for name in FORMULATIONS:
        formulation = fm.formulation(tree, name)
        assert apart(tree.state(x, u, formulation(x, u)).a, still) < 1e-10
        assert apart(formulation.forces[held], known) < 1e-10
        assert apart(tree.state(x, u, formulation(x, u, tau)).a, a) < 1e-10


@pytest.mark.parametrize("seed", range(4))
def test_formulations_that_close_loops_agree_with_the_engine(seed):
    tree, rng = loops(seed)
    closing = fm.Loops(tree)
    x, u = closing.closed(closing.moved(tree.start()[0], 0.2 * rng.normal(size=tree.nv)), rng.normal(size=tree.nv))
    a, lam = absolute(tree, x, u, np.zeros(tree.nv))
    assert apart(tree.state(x, u, closing.accelerations(x, u)).a, a) < 1e-10
    for name in (name for name, kind in FORMULATIONS.items() if kind.takes_loops):
        formulation = fm.formulation(tree, name)
        assert apart(tree.state(x, u, formulation(x, u)).a, a) < 1e-10
        assert apart(formulation.forces, reactions(tree, x, lam)) < 1e-10 or closing.rank < len(closing.rows)
