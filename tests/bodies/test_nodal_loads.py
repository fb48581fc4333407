"""Loads on nodes, however few."""

from __future__ import annotations

import numpy as np
import pytest
import skfem

import flexmb as fm
from flexmb import bodies
from flexmb.bodies.reducing.nodal_loads import spread


def test_a_force_takes_one_node_or_a_line_of_them() -> None:
    mesh = skfem.MeshQuad.init_tensor(np.linspace(0, 1, 3), np.array([0, 0.1]))
    model = bodies.mesh_model(mesh, fm.Material(7850, 205e9, 0.3), thickness=0.01)
    loads = {"one": bodies.NodalLoad([1], (3.0, -2.0)), "two": bodies.NodalLoad([2, 0], (0, 4.0), weights=[1, 3])}
    found = spread(model, loads)[0]
    places = zip(model.node_of, model.direction_of)
    row = {(int(node), int(direction)): k for k, (node, direction) in enumerate(places)}
    assert found[[row[1, 0], row[1, 1]], 0] == pytest.approx([3.0, -2.0])
    assert found[[row[2, 1], row[0, 1]], 1] == pytest.approx([1.0, 3.0])  # weights go with the numbers as given
    assert np.count_nonzero(found) == 4
    pairs = [bodies.NodalLoad([k, 5 - k], moment=1.0, weights=w) for k, w in ((2, [1, 3]), (3, [3, 1]))]
    turned = spread(model, dict(zip("ab", pairs)))[0]
    assert np.any(turned[:, 0]) and turned[:, 0] == pytest.approx(turned[:, 1])
    for wrong in ([1, -1], [1.5], [99]):
        with pytest.raises(fm.errors.ModelError, match=rf"it names a node {wrong[-1]:g}"):
            spread(model, {"x": bodies.NodalLoad(wrong, (1, 0))})
    with pytest.raises(fm.errors.ModelError, match="its 1 nodes are too few"):
        spread(model, {"turn": bodies.NodalLoad([1], moment=2.0)})
