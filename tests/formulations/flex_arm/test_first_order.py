"""FLEX-ARM's matrices against sums over particles, of places that are linear in the coordinates and of all of them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexmb as fm
from tests.formulations.flex_arm.particle_arm import GRAVITY, ParticleArm

T = 0.4
#: second derivatives by nine points
WEIGHTS = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560])
FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
POINTS, H = np.arange(-4, 5), 0.01


@cache
def arm(branching: bool) -> ParticleArm:
    return ParticleArm(branching)


@cache
def flex(second_order: bool, branching: bool = False) -> fm.formulations.FlexArm:
    return fm.formulations.FlexArm(arm(branching).model, second_order=second_order)


def deviations(t: float, branching: bool = False) -> np.ndarray:
    """y by the coordinates of FLEX-ARM: rows of joints, then amplitudes."""
    of = flex(False, branching)
    eta = [B[6:] for name, B in of.compatibility(t).items() if name != "weight"]
    return np.vstack([of.deviation("waist", t), of.deviation("elbow", t), *eta])


def work(q: np.ndarray, linear: bool, branching: bool) -> np.ndarray:
    """Σ m (∂r/∂y)ᵀ (r̈ − g) + K η + D η̇ for q(t) (3, size), its value and rates at T."""
    own = arm(branching)
    size = 2 + own.modes[-1]
    times = T + H * POINTS
    ys = [deviations(t, branching) @ (q[0] + (t - T) * q[1] + 0.5 * (t - T) ** 2 * q[2]) for t in times.tolist()]
    if linear:
        r = [
            own.stacked(t, np.zeros(size)) + own.jacobian(t, np.zeros(size)) @ y for t, y in zip(times, ys, strict=True)
        ]
        J = own.jacobian(T, np.zeros(size))
    else:
        r = [own.stacked(t, y) for t, y in zip(times, ys, strict=True)]
        J = own.jacobian(T, ys[4])
    a = WEIGHTS @ np.array(r) / H**2 - np.tile(GRAVITY, len(r[0]) // 3)
    rate = FIRST @ np.array(ys) / H
    stiffness = np.concatenate([[0, 0], *(p.stiffness for p in own.parts)])
    damping = np.concatenate([[0, 0], *(body.damping_of_modes() for body in own.bodies)])
    return J.T @ own.mass @ a + stiffness * ys[4] + damping * rate


@pytest.mark.parametrize("second_order", [False, True], ids=["as in the paper", "second order"])
@pytest.mark.parametrize("branching", [False, True], ids=["chain", "branching"])
def test_the_equations_are_those_of_particles_to_first_order(second_order: bool, branching: bool) -> None:
    of = flex(second_order, branching)
    system, Y = of.matrices(T), deviations(T, branching)
    rng = np.random.default_rng(0)
    zero = work(np.zeros((3, len(of.coordinates))), not second_order, branching)
    torques = np.where(np.arange(len(zero)) < 2, zero, 0.0)  # of the rigid arm
    assert system.Q == pytest.approx(-Y.T @ (zero - torques), abs=1e-9)
    for _ in range(2):
        q = rng.normal(size=(3, len(of.coordinates)))
        found = system.M @ q[2] + system.G @ q[1] + system.K @ q[0]
        if second_order:
            e = 2e-3
            sums = [work(x * e * q, False, branching) for x in (1, -1, 2, -2)]
            wanted = (8.0 * (sums[0] - sums[1]) - (sums[2] - sums[3])) / (12.0 * e)
        else:
            wanted = work(q, True, branching) - zero
        assert found == pytest.approx(Y.T @ wanted, abs=2e-7 * np.abs(found).max())


def test_the_paper_leaves_much_of_the_stiffness_of_joints_out() -> None:
    """On deviations of joints, which have no stiffness of their own, the sum that is missing is as large as the rest;
    beside the stiffness of modes it is small."""
    plain, full = flex(False).matrices(T).K, flex(True).matrices(T).K
    back = np.linalg.inv(deviations(T))
    plain, full = back.T @ plain @ back, back.T @ full @ back
    assert np.abs(plain - full)[:2, :2].max() > 0.3 * np.abs(full[:2, :2]).max()
    assert np.allclose(full - plain, (full - plain).T, atol=1e-9)
