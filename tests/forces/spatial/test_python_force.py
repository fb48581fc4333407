"""Forces in Python, in space: what the function sees, the built-in force written again, and mistakes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import KernelError, ModelError
from flexmb.testing import Recorder, check_tangent

LEAN, ON_FRAME = Rotation.from_rotvec([0.3, -0.4, 0.5]), Rotation.from_rotvec([0.2, 0.9, -0.1])
STIFFNESS, DAMPING = 30.0, 0.8


def pulled(function: Callable[..., Any], **options: Any) -> tuple[fm.SpatialModel, fm.spatial.Frame]:
    m = fm.SpatialModel("m")
    stone = m.add_body("stone", mass=1.0, inertia=(0.1, 0.2, 0.25), position=(1.0, 2.0, 3.0), orientation=LEAN)
    stone.move((0.3, -0.2, 0.1), (0.5, 0.7, -0.9))
    tip = stone.attach("tip", (0.1, -0.3, 0.2), ON_FRAME)
    m.python_force(tip, function, name="pull", **options)
    return m, tip


def test_the_function_sees_the_frame() -> None:
    seen: list[fm.spatial.FrameState] = []

    def look(t: float, tip: fm.spatial.FrameState) -> Any:
        seen.append(tip)
        return np.zeros(3), np.zeros(3)

    m, tip = pulled(look)
    system = fm.System(m)
    seen.clear()
    system.residual(0.0, system.q0, system.v0, np.zeros(6))
    arm = LEAN.apply([0.1, -0.3, 0.2])
    np.testing.assert_allclose(seen[0].position, tip.position, atol=1e-14)
    np.testing.assert_allclose(seen[0].orientation, (LEAN * ON_FRAME).as_matrix(), atol=1e-14)
    np.testing.assert_allclose(seen[0].velocity, [0.3, -0.2, 0.1] + np.cross([0.5, 0.7, -0.9], arm), atol=1e-14)
    np.testing.assert_allclose(seen[0].angular_velocity, [0.5, 0.7, -0.9], atol=1e-14)


def spring(t: float, a: fm.spatial.FrameState, b: fm.spatial.FrameState) -> Any:
    d = b.position - a.position
    length = math.sqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2)
    n = d / length
    rate = (
        n[0] * (b.velocity[0] - a.velocity[0])
        + n[1] * (b.velocity[1] - a.velocity[1])
        + n[2] * (b.velocity[2] - a.velocity[2])
    )
    pull = (STIFFNESS * (length - 0.5) + DAMPING * rate) * n
    nothing = 0.0 * d
    return (pull, nothing), (-pull, nothing)


def swinging(kind: str) -> fm.SpatialModel:
    """Two bodies and a spring between points off their mass centers: built in, or from Python."""
    m = fm.SpatialModel("m")
    a = m.add_body("a", mass=2.0, inertia=(0.2, 0.3, 0.4))
    b = m.add_body("b", mass=1.0, inertia=(0.1, 0.2, 0.15), position=(1.0, 0.3, -0.2), orientation=LEAN)
    b.move((0.2, 0.1, -0.5), (1.0, -2.0, 0.5))
    ends = [a.attach("p", (0.1, 0.2, 0.0)), b.attach("p", (-0.2, 0.1, 0.1), ON_FRAME)]
    if kind == "built in":
        m.spring_damper(*ends, stiffness=STIFFNESS, damping=DAMPING, free_length=0.5)
    else:
        m.python_force(ends, spring, compiled=kind == "compiled")
    return m


@pytest.mark.parametrize("kind", ["plain", "compiled"])
def test_a_spring_in_python_is_the_built_in_one(kind: str) -> None:
    wanted, got = (
        fm.simulate(swinging(x), 1.0, step=5e-3, newton_tolerance=1e-12, progress=False) for x in ("built in", kind)
    )
    for name in ("a", "b"):
        np.testing.assert_allclose(got[name].position, wanted[name].position, atol=1e-9)
        assert np.max((got[name].orientation.inv() * wanted[name].orientation).magnitude()) < 1e-9
    lost = wanted.energy.dissipated[-1] + wanted.energy.strain[-1] - wanted.energy.strain[0]
    assert got.energy.input[-1] == pytest.approx(-lost, rel=1e-4)


def test_a_given_derivative() -> None:
    """A moment that turns the first axis of the frame towards x: M = A e₁ × k eₓ; moved by φ it changes by
    (φ × A e₁) × k eₓ. A force −c V drags."""

    def force(t: float, tip: fm.spatial.FrameState) -> Any:
        return -0.3 * tip.velocity, np.cross(tip.orientation[:, 0], [2.0, 0.0, 0.0])

    def derivative(t: float, tip: fm.spatial.FrameState) -> Any:
        by_place, by_speed = np.zeros((6, 6)), np.zeros((6, 6))
        by_speed[:3, :3] = -0.3 * np.eye(3)
        for k, phi in enumerate(np.eye(3)):
            by_place[3:, 3 + k] = np.cross(np.cross(phi, tip.orientation[:, 0]), [2.0, 0.0, 0.0])
        return by_place, by_speed

    m, _ = pulled(force, derivative=derivative)
    check_tangent(Recorder.of(m.component("pull")))


def nan_later(t: float, tip: fm.spatial.FrameState) -> Any:
    return (0.0, 0.0, math.nan if t > 0.3 else 0.0), (0.0, 0.0, 0.0)


@pytest.mark.warns(fm.errors.DivergenceWarning, "its residual gives nan")
def test_nan_ends_the_run_and_is_named_with_its_time() -> None:
    m, _ = pulled(nan_later)
    run = fm.simulate(m, 1.0, step=0.01, progress=False)
    assert run.status == "diverged" and 0.25 < run.t[-1] < 0.35
    assert "force 'pull'" in run.message and "0.3" in run.message


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda t, x: (0.0, 0.0, 0.0), r"force 'pull': its function gave \(0.0, 0.0, 0.0\); give \(force, moment\)"),
        (lambda t, x: ((0.0, 0.0), (0.0, 0.0, 0.0)), r"force 'pull': its function gave .*three numbers each"),
        (lambda t, x: None, "force 'pull': its function gave None"),
        (lambda t, x: 1.0 / 0.0, "force 'pull': its function raised ZeroDivisionError"),
        (lambda t, x, v: ((0, 0, 0), (0, 0, 0)), "force 'pull': its function raised TypeError"),
    ],
)
def test_wrong_values_are_named(function: Callable[..., Any], says: str) -> None:
    m, _ = pulled(function)
    with pytest.raises(KernelError, match=says):
        fm.simulate(m, 0.1, progress=False)


def short(t: float, tip: fm.spatial.FrameState) -> Any:
    return tip.velocity[:2], tip.velocity


def test_a_compiled_function_of_the_wrong_shape_is_named() -> None:
    with pytest.raises(ModelError, match=r"its function gave .*three numbers each"):
        pulled(short, compiled=True)


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ModelError, match="force 'pull': its function 5 is no function of"):
        pulled(5)  # type: ignore[arg-type]
    m, tip = pulled(lambda t, x: ((0, 0, 0), (0, 0, 0)))
    with pytest.raises(ModelError, match="frame 'ground' is fixed"):
        m.python_force(m.ground, spring)
    with pytest.raises(ModelError, match="it acts on no frame"):
        m.python_force([], spring)
    with pytest.raises(ModelError, match="PythonForce is of the plane"):
        m.add(fm.planar.PythonForce(tip, spring, name="flat"))
