"""Spring-dampers against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.testing import Recorder, derivative

PLACE = st.floats(-3.0, 3.0)
RATE = st.floats(-5.0, 5.0)


def between(**options: object) -> Recorder:
    """A spring from the ground to the origin of a body at (3, 4)."""
    m = fm.PlanarModel("m")
    body = m.add_body("body", mass=2.0, inertia=0.1, position=(3.0, 4.0))
    return Recorder.of(m.spring_damper(m.ground, body.frame, **options))


def on_body(recorder: Recorder, place: tuple[float, float], velocity: tuple[float, float] = (0.0, 0.0)) -> np.ndarray:
    """Force and moment (Fx, Fy, M) of the spring on the body at a place with a velocity."""
    q = np.array([0.0, 0.0, 0.0, *place, 0.0])
    v = np.array([0.0, 0.0, 0.0, *velocity, 0.0])
    return -recorder.residual(0.0, q, v, np.zeros(6))[3:]


def test_the_free_length_is_the_initial_distance() -> None:
    assert np.array_equal(on_body(between(stiffness=50.0), (3.0, 4.0)), np.zeros(3))
    assert on_body(between(stiffness=50.0), (6.0, 8.0)) == pytest.approx([-150.0, -200.0, 0.0], rel=1e-14)


def test_tension_compression_and_damping_along_the_line() -> None:
    recorder = between(stiffness=10.0, damping=2.0, free_length=2.0)
    # ℓ = 5, n = (0.6, 0.8), ℓ̇ = 0.6·1 + 0.8·2 = 2.2: F = 10·3 + 2·2.2
    assert on_body(recorder, (3.0, 4.0), (1.0, 2.0)) == pytest.approx([-34.4 * 0.6, -34.4 * 0.8, 0.0], rel=1e-14)
    assert on_body(recorder, (1.0, 0.0), (0.0, 7.0)) == pytest.approx([10.0, 0.0, 0.0], rel=1e-14)


def test_an_actuator_pushes_apart_and_puts_in_power() -> None:
    recorder = between(force=fm.Harmonic(0.0, 1.0, mean=30.0))
    assert on_body(recorder, (3.0, 4.0)) == pytest.approx([18.0, 24.0, 0.0], rel=1e-14)
    q, v = np.array([0.0, 0, 0, 3, 4, 0]), np.array([0.0, 0, 0, 3, 4, 0])
    assert recorder.energy(0.0, q, v) == pytest.approx([0.0, 0.0, 0.0, 0.0, 150.0], rel=1e-14)


@settings(deadline=None)
@given(PLACE, PLACE, RATE, RATE)
def test_free_length_zero_is_the_formula_of_the_source(x: float, y: float, u: float, w: float) -> None:
    k, c = 10.0, 1.0
    d, rate = np.array([x, y]), np.array([u, w])
    length = math.hypot(x, y)
    if 0.0 < length < 1e-8:
        return
    n = d / length if length else np.zeros(2)
    source = -k * d - (c * (n @ rate) * n if length else c * rate)
    got = on_body(between(stiffness=k, damping=c, free_length=0.0), (x, y), (u, w))[:2]
    assert got == pytest.approx(source, rel=1e-12, abs=1e-12)


def test_no_distance_damps_along_the_relative_velocity_and_stays_finite() -> None:
    recorder = between(stiffness=10.0, damping=3.0, free_length=2.0)
    assert on_body(recorder, (0.0, 0.0), (1.0, -2.0)) == pytest.approx([-3.0, 6.0, 0.0], rel=1e-14)
    q, v = np.zeros(6), np.array([0.0, 0, 0, 1, -2, 0])
    K = recorder.tangent(0.0, q, v, np.zeros(6), (0.0, 1.0, 1e-9))
    assert np.all(np.isfinite(K))
    assert recorder.energy(0.0, q, v)[[1, 3]] == pytest.approx([0.5 * 10.0 * 2.0 * (2.0 - 5e-9), 3.0 * 5.0], rel=1e-14)


@pytest.mark.parametrize("by", [1e-10, 3e-9, 7e-9])
def test_kernels_agree_on_both_sides_of_the_smallest_distance(by: float) -> None:
    """Tangent and power against differences where ε = 5e-9 m: the force is steep, but it is differentiable."""
    recorder = between(stiffness=10.0, damping=3.0, free_length=2.0, force=0.7)
    q, v = np.array([0.0, 0, 0, 0.6 * by, 0.8 * by, 0]), np.array([0.0, 0, 0, 1.1, -2.3, 0])
    free, still = slice(3, 5), np.zeros(6)
    K, D = (recorder.tangent(0.0, q, v, still, w)[free, free] for w in ((0, 0, 1.0), (0, 1.0, 0)))

    def force(x: np.ndarray) -> np.ndarray:
        return recorder.residual(0.0, np.array([0.0, 0, 0, *x, 0]), v, still)[free]

    def stored(h: float) -> np.ndarray:
        return np.array([recorder.energy(0.0, q + h * v, v)[1]])

    for j, along in enumerate(np.eye(2)):
        slope, error = derivative(lambda h, along=along: force(q[free] + h * along), 0.05 * by)
        assert K[:, j] == pytest.approx(slope, rel=1e-7, abs=10.0 * np.max(error))
        more = recorder.residual(0.0, q, v + np.array([0.0, 0, 0, *along, 0]), still)[free]
        assert D[:, j] == pytest.approx(more - force(q[free]), rel=1e-12, abs=1e-12)
    rate, _ = derivative(stored, 0.2 * abs(by - 5e-9), 3)
    lost, put_in = recorder.energy(0.0, q, v)[3:]
    # the energy is known to 20 J · 1e-16 only, in steps of 1e-9 s or less
    assert v[free] @ force(q[free]) == pytest.approx(rate[0] + lost - put_in, abs=5e-5)


def test_the_period_of_an_oscillator() -> None:
    """A mass on a spring: frequency √(k/m) from the matrices that the kernels give."""
    m = fm.PlanarModel("m")
    body = m.add_body("body", mass=2.0, inertia=0.1, position=(0.5, 0.0))
    spring = m.spring_damper(m.ground, body.frame, stiffness=50.0)
    parts = [Recorder.of(part) for part in (body, spring)]
    zero = [np.zeros(len(part.q)) for part in parts]
    mass = parts[0].tangent(0.0, parts[0].q, zero[0], zero[0], (1.0, 0.0, 0.0))[0, 0]
    K = parts[1].tangent(0.0, parts[1].q, zero[1], zero[1], (0.0, 0.0, 1.0))
    assert math.sqrt(K[3, 3] / mass) == pytest.approx(5.0, rel=1e-14)
    assert K[4, 4] == 0.0  # across an unstretched spring there is no stiffness


def test_a_lever_gives_the_moment_of_the_source() -> None:
    """The worked example: the spring sits on the corner (a, −a) of the second square."""
    m = fm.PlanarModel("m")
    square = m.add_body("square", mass=5.0, inertia=10.0 / 3.0, position=(3.0, 1.0))
    anchor = m.add_frame("anchor", (4.0, 0.0), fixed=True)
    recorder = Recorder.of(
        m.spring_damper(anchor, square.attach("corner", (1, -1)), stiffness=10, damping=1, free_length=0)
    )
    x, y, angle, u, w, om = 2.5, 0.7, 0.4, 0.3, -0.8, 1.1
    c, s = math.cos(angle), math.sin(angle)
    d = np.array([x + c + s - 4.0, y + s - c])
    rate = np.array([u - om * (s - c), w + om * (c + s)])
    n = d / np.linalg.norm(d)
    force = -10.0 * d - (n @ rate) * n
    moment = (c + s) * force[1] - (s - c) * force[0]
    q, v = np.array([4.0, 0, 0, x, y, angle]), np.array([0.0, 0, 0, u, w, om])
    assert -recorder.residual(0.0, q, v, np.zeros(6))[3:] == pytest.approx([*force, moment], rel=1e-13)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"stiffness": -1.0}, "spring 'spring_damper 1': stiffness is -1; it must not be negative"),
        ({"damping": math.nan}, "spring 'spring_damper 1': damping is nan; give a finite number"),
        ({"free_length": -0.1}, "spring 'spring_damper 1': free_length is -0.1; it must not be negative"),
        ({"force": math.sin}, "spring 'spring_damper 1': force is a function of Python"),
    ],
)
def test_wrong_numbers_are_named(options: dict[str, object], says: str) -> None:
    with pytest.raises(ModelError, match=says):
        between(**options)


def test_two_frames_of_one_body_are_refused() -> None:
    m = fm.PlanarModel("m")
    body = m.add_body("body", mass=2.0, inertia=0.1)
    with pytest.raises(ModelError, match=r"'body' and 'body.tip' are parts of the same body"):
        m.spring_damper(body.frame, body.attach("tip", (1, 0)), stiffness=1.0)
