"""Models in space with many components at once, and with two on the same coordinates, against the conformance suite."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb import testing
from flexmb.forces.bushing import Bushing
from flexmb.model.components import Component
from flexmb.spatial import SpatialModel
from flexmb.testing import Recorder
from tests.models.components_in_space import between
from tests.models.pairs_in_space import FULL, WAVE, coincident, pair
from tests.models.rolling import Turntable


class Inner(Bushing):
    """A bushing between two frames of one body, whose coordinates come twice; what it does to them sums up to zero."""

    def check(self) -> None:
        """Two frames of one body will do."""


def inner(m: SpatialModel) -> Component:
    body = m.components["a"]
    far = body.attach("far", (-0.3, 0.5, 0.2), Rotation.from_rotvec([0.2, 0.1, -0.3]))
    return m.add(Inner(body.frame, far, stiffness=FULL, damping=FULL / 50.0, free=(0.1, 0.2, 0.3), name="inner"))


def robot() -> SpatialModel:
    """A spherical joint, a driven hinge with a spring on it, a bushing between two bodies and one on a single body."""
    m, a, b = coincident()
    m.gravity = np.array([0.3, -0.4, -9.81])
    m.spherical(m.ground, m.components["a"].attach("foot", (0.0, 0.0, -1.0)))
    m.revolute(a, b, axis=(0.3, 0.2, 1.0))
    m.torsion_spring(a, b, axis=(0.3, 0.2, 1.0), stiffness=3.0, damping=0.2)
    m.drive_angle(a, b, WAVE, axis=(0.3, 0.2, 1.0))
    m.bushing(a, b, stiffness=FULL, damping=FULL / 50.0)
    inner(m)
    m.add_wheel("momentum wheel", b, inertia=0.1, axis="y", speed=30.0, mass=0.5, transverse=0.07)
    m.add_wheel("reaction wheel", b, inertia=0.1, axis=(1, 2, 3), speed=3.0, torque=WAVE, friction=0.01)
    m.add_point_mass("weight", a, 0.3)
    m.add(Turntable(m.ground, m.components["b"].frame, name="table"))
    return m


@pytest.mark.parametrize("dense_limit", [0, 1000])
def test_a_whole_model(dense_limit: int) -> None:
    testing.check_system(fm.System(robot(), dense_limit=dense_limit))


def test_what_stands_twice_on_the_same_coordinates_is_summed_up() -> None:
    m, _, _ = pair()
    inner(m)
    system = fm.System(m)
    assert [len(np.unique(i.speeds)) for i in system.instances_of("inner")] == [6]
    recorder = Recorder.of(m.components["inner"])
    testing.check_shapes(recorder)
    testing.check_tangent(recorder)
    state = testing.random_state(recorder, 0)
    own = recorder.instances[0].at(state)
    acting = recorder.instances[0].call("residual", state.t, own.q, own.v, own.a)[0]
    total = recorder.residual(state.t, state.q, state.v, state.a)
    assert np.max(np.abs(acting)) > 1.0 and np.max(np.abs(total)) < 1e-13 * np.max(np.abs(acting))
    m.components.pop("inner")
    alone = fm.System(m)
    q = system.retract(system.q0, np.linspace(-0.3, 0.4, system.n))
    r = [x.residual(0.0, q, np.ones(x.n), np.zeros(x.n)) for x in (system, alone)]
    np.testing.assert_allclose(r[0], r[1], atol=1e-12 * np.max(FULL))


def test_trial_states_have_unit_quaternions() -> None:
    recorder = Recorder.of(between(coincident, "Revolute"))
    assert recorder.q.shape == (14,) and recorder.v.shape == (12,)
    instance = recorder.instances[0]
    for seed in range(4):
        state = testing.random_state(recorder, seed)
        own = instance.at(state)
        for s in (state, own, state.later(0.1)):
            for first, scalar in s.orientations:
                assert abs(np.linalg.norm(s.q[[scalar, first, first + 1, first + 2]]) - 1.0) < 1e-14
        assert own.q[instance.order].tolist() == [
            *state.q[[0, 1, 2, 12, 3, 4, 5]].tolist(), *state.q[[6, 7, 8, 13, 9, 10, 11]].tolist()
        ]  # fmt: skip
