"""Free motions of a mechanism, described."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.examples import slider_crank as example
from flexmb.system.mobility import describe_mobility, mobility_of_rigid_parts
from tests.models.chains import chain
from tests.models.pendulums import SOFT, flexible_pendulum


def loose(model: fm.PlanarModel) -> list[str]:
    system = fm.System(model)
    return describe_mobility(system, 0.0, system.q0)


def test_nothing_is_loose_in_a_driven_mechanism():
    assert loose(example.build("rigid")) == []


def test_mechanisms():
    assert loose(example.build("rigid", driven=False)) == ["'crank' turns, 'rod' turns"]
    assert len(loose(chain(3))) == 3
    body = fm.PlanarModel("m")
    body.add_body("stone", mass=1.0, inertia=0.1)
    assert sorted(loose(body)) == ["'stone' moves along x", "'stone' moves along y", "'stone' turns"]


@pytest.mark.parametrize("theory", ["cms", "ancf", "exact", "floating"])
def test_bending_is_told_from_moving(theory):
    moving, bending = loose(flexible_pendulum(theory))
    assert moving.startswith("'rod.start' turns") and bending == "beam 'rod' can deform"
    clamped = fm.PlanarModel("mast")
    clamped.add_beam("mast", clamped.ground, (0, 1), properties=SOFT, theory=theory)
    assert loose(clamped) == ["beam 'mast' can deform"]


def test_two_beams_on_one_node_move_as_one():
    model = fm.PlanarModel("frame")
    first = model.add_beam("first", (0, 0), (1, 0), properties=SOFT)
    model.add_beam("second", first.end, (1, 1), properties=SOFT)
    model.revolute(model.ground, first.start)
    shapes, flexible = mobility_of_rigid_parts(fm.System(model), 0.0, fm.System(model).q0)
    assert len(shapes) == 1 and flexible == ["beam 'first'", "beam 'second'"]


def test_redundant_rows_hold_no_more():
    model = chain(2)
    model.revolute(model.ground, model.frame("link0.near"), name="again")
    assert len(loose(model)) == 2


def test_large_systems_are_described_too(monkeypatch):
    from flexmb.algebra import rank

    model = chain(6)
    system = fm.System(model)
    small, _ = mobility_of_rigid_parts(system, 0.0, system.q0)
    monkeypatch.setattr(rank, "LARGEST_DENSE", 0)
    large, _ = mobility_of_rigid_parts(system, 0.0, system.q0)
    assert small.shape == large.shape == (6, 18)
    assert np.linalg.matrix_rank(np.vstack([small, large])) == 6
    G = system.jacobian(0.0, system.q0)
    np.testing.assert_allclose(large @ G.T, 0.0, atol=1e-12)
