"""The spring in space against its law by vectors, and where its two points coincide."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.forces.spatial.spring_damper import SPATIAL_SPRING_DAMPER
from flexmb.model.functions.time_function import Constant
from tests.by_hand import Instance, agree, check_power, check_tangent, rotation

ARM_A, ARM_B = np.array([0.3, -0.5, 0.2]), np.array([-0.1, 0.4, 0.7])
K, C, FREE, PUSH = 30.0, 2.5, 0.8, 1.7


def spring(free: float = FREE, least: float = 1e-9, force: float = PUSH) -> Instance:
    p = [*ARM_A, *ARM_B, K, C, free, least, *Constant(force).slot()]
    return Instance(SPATIAL_SPRING_DAMPER, p, 2)


@pytest.mark.parametrize("seed", range(6))
def test_force_on_both_bodies(seed: int) -> None:
    """F = k (ℓ − ℓ₀) n − f n + c ℓ̇ n at both points; moments about the nodes, in the axes of the bodies."""
    instance = spring()
    q, v, a = instance.state(seed)
    check_tangent(instance, q, v, a)
    check_power(instance, q, v, a)
    A, B = rotation(q[3:7]), rotation(q[10:14])
    s_a, s_b = A.apply(ARM_A), B.apply(ARM_B)
    d = q[7:10] + s_b - q[:3] - s_a
    length = float(np.linalg.norm(d))
    n = d / length
    rate = v[6:9] + np.cross(B.apply(v[9:12]), s_b) - v[:3] - np.cross(A.apply(v[3:6]), s_a)
    F = (K * (length - FREE) - PUSH + C * (n @ rate)) * n
    r = instance.call("residual", q, v)[0]
    agree(r, np.concatenate([-F, -A.inv().apply(np.cross(s_a, F)), F, B.inv().apply(np.cross(s_b, F))]), 1e-13)
    energy = instance.call("energy", q, v)[0]
    agree(energy, [0.0, 0.5 * K * (length - FREE) ** 2, 0.0, C * (n @ rate) ** 2, PUSH * (n @ rate)], 1e-13)


@pytest.mark.parametrize("by", [0.0, 1e-10, 3e-9, 7e-9])
def test_on_both_sides_of_the_smallest_distance(by: float) -> None:
    """As in the plane, where both points lie in one: the same instance in the plane z = 0 of both."""
    m = fm.PlanarModel("plane")
    body = m.add_body("body", mass=1.0, inertia=1.0)
    flat = m.spring_damper(m.ground, body.frame, stiffness=K, damping=C, free_length=5.0, force=PUSH)
    s = fm.SpatialModel("space")
    ball = s.add_body("body", mass=1.0, inertia=(1.0, 1.0, 1.0))
    solid = s.spring_damper(s.ground, ball.frame, stiffness=K, damping=C, free_length=5.0, force=PUSH)
    results = []
    for component, place, plane in ((flat, [0.6 * by, 0.8 * by], 2), (solid, [0.6 * by, 0.8 * by, 0.0], 3)):
        system = fm.System(component.a.model)
        q, v = system.q0.copy(), np.zeros(system.n)
        q[:plane] = place
        v[:2] = 1.1, -2.3
        K_ = system.tangent(0.0, q, v, np.zeros(system.n), np.zeros(0), (0.0, 0.5, 1.0))
        results.append(
            (system.residual(0.0, q, v, np.zeros(system.n))[:2], np.asarray(K_)[:2, :2], system.energy(0.0, q, v))
        )
    for one, other in zip(*results):
        np.testing.assert_allclose(other, one, rtol=1e-12)


def test_frequencies_of_a_mass_on_three_springs() -> None:
    """Springs along three askew directions that are orthogonal: ω² = k_j/m along each."""
    turn = Rotation.from_rotvec([0.4, -0.7, 0.2])
    m = fm.SpatialModel("m")
    ball = m.add_body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1))
    for k, axis in zip((50.0, 80.0, 200.0), turn.as_matrix().T):
        m.spring_damper(m.ground.attach(f"p{k}", 3.0 * axis), ball.frame, stiffness=k)
    m.bushing(m.ground, ball.frame, stiffness=(0, 0, 0, 1e5, 1e5, 1e5))
    np.testing.assert_allclose(fm.modes(m).omegas[:3], np.sqrt([25.0, 40.0, 100.0]), rtol=1e-9)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"stiffness": -1.0}, "spring 'spring_damper 1': stiffness is -1; it must not be negative"),
        ({"damping": -2.0}, "spring 'spring_damper 1': damping is -2; it must not be negative"),
        ({"free_length": -0.1}, "spring 'spring_damper 1': free_length is -0.1; it must not be negative"),
        ({"force": math.sin}, "spring 'spring_damper 1': force is a function of Python"),
    ],
)
def test_wrong_numbers_are_named(options: dict[str, object], says: str) -> None:
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=2.0, inertia=(0.1, 0.1, 0.1))
    with pytest.raises(ModelError, match=says):
        m.spring_damper(m.ground, body.frame, **options)


def test_two_frames_of_one_body_and_a_force_of_the_plane_are_refused() -> None:
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=2.0, inertia=(0.1, 0.1, 0.1))
    with pytest.raises(ModelError, match=r"'body' and 'body.tip' are parts of the same body"):
        m.spring_damper(body.frame, body.attach("tip", (1, 0, 0)), stiffness=1.0)
    with pytest.raises(ModelError, match="Tire is of the plane, and model 'm' is one of space"):
        m.add(fm.planar.Tire(m.ground, body.frame, None, name="flat"))
    for name in ("SpringDamper", "TorsionSpring", "Bushing", "Motor", "JointStop", "DistributedLoad"):
        assert getattr(fm.planar, name) is getattr(fm.spatial, name)
