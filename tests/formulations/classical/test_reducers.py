"""Motors with reducers: which classical formulations take them, with the accelerations of the engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import FormulationError


def arm(**reducer: Any) -> fm.SpatialModel:
    """Two links, with a geared motor in the second joint."""
    m = fm.SpatialModel("arm", gravity=(0, 0, -9.81))
    a = m.add_body("a", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    b = m.add_body("b", mass=1.0, inertia=(0.1, 0.2, 0.1), position=(1.5, 0, 0))
    m.revolute(m.ground, a.attach("start", (-0.5, 0, 0)), axis="y", name="shoulder")
    ends = a.attach("end", (0.5, 0, 0)), b.attach("start", (-0.5, 0, 0))
    m.revolute(*ends, axis=(0, 1, 1), name="elbow")
    m.motor(*ends, axis=(0, 1, 1), inertia=1e-2, ratio=50.0, torque=1.5, name="motor", **reducer)
    return m


@pytest.mark.parametrize(
    "reducer, takers", [({}, ["discos"]), ({"stiffness": 1e3, "damping": 1.0}, ["discos", "frisch"])]
)
def test_accelerations_are_those_of_the_engine(reducer: Any, takers: list[str]) -> None:
    m = arm(**reducer)
    tree, rng = fm.Tree.of(m), np.random.default_rng(0)
    q, v = rng.normal(size=3), rng.normal(size=3)
    if not reducer:
        q[2], v[2] = 50.0 * q[1], 50.0 * v[1]
    state = tree.state(q, v)
    system = state.system
    g, rates, _ = system.constraint(0.0, state.q, state.v)
    assert max(np.abs(g).max(), np.abs(rates).max()) < 1e-12  # the angle that a motor in space counts is tied too
    zero = np.zeros(system.n)
    A: Any = system.matrix(0.0, state.q, zero, zero, np.zeros(system.m), (1.0, 0.0, 0.0))
    right = np.concatenate([-system.residual(0.0, state.q, state.v, zero), system.constraint(0.0, state.q, state.v)[2]])
    found = np.linalg.solve(A if isinstance(A, np.ndarray) else A.toarray(), right)
    elbow, rotor = (found[system.names.index(f"motor.{name}")] for name in ("turn", "rotor"))
    for name in takers:
        assert fm.formulation(tree, name)(q, v)[1:] == pytest.approx([elbow, rotor], rel=1e-9)
    with pytest.raises(FormulationError, match=r"'motor' breaks what it assumes, .* choose .*'discos'"):
        fm.formulation(tree, "hooker-1970")


def test_a_rigid_reducer_prescribes_no_motion() -> None:
    found = str(fm.formulations_of(arm()))
    assert "prescribed" not in found and "'motor': it assumes that hinges alone hold the bodies" in found
