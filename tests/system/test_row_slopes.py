"""Slopes of rows, made instance by instance, against differences of the whole system's rows."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.algebra.differences import OFFSETS, slope
from flexmb.joints.pair_joint import PairJoint
from flexmb.system.row_slopes import STEP, row_slopes
from tests.models import components, components_in_space

#: beads at both ends of a wire
ENDS = {"first": 0.0, "last": 1.0}


def of_the_whole(system: fm.System, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """H, ∂(γ − G a)/∂q and ∂γ/∂v (3, m, n), coordinate by coordinate."""
    out = np.zeros((3, system.m, system.n))
    for j, unit in enumerate(np.eye(system.n)):

        def at(way: float, unit: np.ndarray = unit) -> np.ndarray:
            moved = system.retract(q, way * unit)
            _, rate, gamma = system.constraint(t, moved, v)
            return np.array([rate, gamma - system.jacobian(t, moved) @ a])

        h = system.scale[j]
        out[:2, :, j] = slope([at(x * STEP * h) for x in OFFSETS], STEP * h)
        out[2, :, j] = slope([system.constraint(t, q, v + x * h * unit)[2] for x in OFFSETS], h)
    return out


@pytest.mark.parametrize("catalog", [components.catalog, components_in_space.catalog], ids=["plane", "space"])
def test_they_are_those_of_the_whole_system(catalog):
    rng = np.random.default_rng(5)
    compared = 0
    for name, make in catalog().items():
        joint = make()
        system = fm.System(joint.a.model) if isinstance(joint, PairJoint) else None
        if system is None or not system.m:
            continue
        q = system.retract(system.q0, 0.1 * system.scale * rng.uniform(-1.0, 1.0, system.n))
        v, a = system.scale * rng.uniform(-1.0, 1.0, (2, system.n))
        expected = of_the_whole(system, 0.3, q, v, a)
        for found, one in zip(row_slopes(system, 0.3, q, v, a), expected, strict=True):
            size = np.max(np.abs(one), initial=1.0)
            np.testing.assert_allclose(found, one, rtol=0, atol=2e-10 * size, err_msg=name)
        compared += 1
    assert compared > 10


def test_to_one_side_where_a_curve_ends():
    m = fm.SpatialModel("wire")
    beads = [m.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=(x, 0.0, 0.0)) for name, x in ENDS.items()]
    for bead in beads:
        m.point_on_curve(m.ground, bead.frame, [(0.0, 0.0, 0.0), (0.5, 0.2, 0.0), (1.0, 0.0, 0.0)])
    system = fm.System(m)
    v, a = np.random.default_rng(2).uniform(-1.0, 1.0, (2, system.n))
    found = row_slopes(system, 0.0, system.q0, v, a)
    # a little within both ends
    inside = system.q0.copy()
    for number, name in enumerate(system.names):
        if name.endswith("position"):
            inside[number] += 1e-9 if system.q0[number] < 0.5 else -1e-9
    for x, y in zip(found, row_slopes(system, 0.0, inside, v, a), strict=True):
        np.testing.assert_allclose(x, y, rtol=0, atol=1e-6)
