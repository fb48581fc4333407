"""Forces and torques in space: their axes, their work, and wrong data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import ModelError

LEAN, ON_FRAME = Rotation.from_rotvec([0.3, -0.4, 0.5]), Rotation.from_rotvec([0.2, 0.9, -0.1])
WAVE = fm.Harmonic(1.3, 2.5, 0.3, 0.4)


def loaded(method: str, load: object, **options: object) -> tuple[fm.SpatialModel, fm.spatial.RigidBody]:
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=2.0, inertia=(0.2, 0.3, 0.4), position=(1, 2, 3), orientation=LEAN)
    body.move((0.3, -0.2, 0.1), (0.5, 0.7, -0.9))
    frame = body.attach("tip", (0.1, -0.3, 0.2), ON_FRAME)
    getattr(m, method)(frame, load, name="load", **options)
    return m, body


@pytest.mark.parametrize("axes", ["ground", "body"])
@pytest.mark.parametrize("method", ["point_force", "point_torque"])
def test_force_moment_and_power(method: str, axes: str) -> None:
    t, given = 0.7, (3.0, WAVE, -2.0)
    m, _ = loaded(method, given, factor=2.0 * WAVE, axes=axes)
    system = fm.System(m)
    r = -system.residual(t, system.q0, system.v0, np.zeros(6))
    gyroscopic = np.cross(
        LEAN.inv().apply([0.5, 0.7, -0.9]), np.array([0.2, 0.3, 0.4]) * LEAN.inv().apply([0.5, 0.7, -0.9])
    )
    load = 2.0 * WAVE(t) * np.array([3.0, WAVE(t), -2.0])
    load = (LEAN * ON_FRAME).apply(load) if axes == "body" else load
    arm, omega = LEAN.apply([0.1, -0.3, 0.2]), np.array([0.5, 0.7, -0.9])
    if method == "point_force":
        wanted, moment, power = load, np.cross(arm, load), load @ ([0.3, -0.2, 0.1] + np.cross(omega, arm))
    else:
        wanted, moment, power = np.zeros(3), load, load @ omega
    np.testing.assert_allclose(r[:3], wanted, atol=1e-13)
    np.testing.assert_allclose(r[3:] + gyroscopic, LEAN.inv().apply(moment), atol=1e-13)
    assert system.energy(t, system.q0, system.v0)[4] == pytest.approx(power, rel=1e-13)


def test_a_thruster_in_its_body_runs_in_a_circle() -> None:
    """A force across the path that turns with the body at ω = v/r: F = m v²/r keeps it on a circle."""
    m = fm.SpatialModel("circle")
    body = m.add_body("body", mass=2.0, inertia=(0.2, 0.3, 0.4), position=(3.0, 0.0, 0.0))
    body.move((0.0, 6.0, 0.0), (0.0, 0.0, 2.0))
    m.point_force(body.frame, (-2.0 * 12.0, 0.0, 0.0), axes="body")
    run = fm.simulate(m, 2.0, method="dop853", tolerance=1e-10, progress=False)
    wanted = 3.0 * np.stack([np.cos(2.0 * run.t), np.sin(2.0 * run.t), 0.0 * run.t], axis=1)
    np.testing.assert_allclose(run["body"].position, wanted, atol=1e-8)


def test_a_torque_spins_up_a_free_body() -> None:
    """About a principal axis, in the axes of either: ω = ∫M dt/J; its work is the kinetic energy."""
    torque = fm.SmoothStep(0.0, 1.0, 0.0, 3.0)
    for axes, given in (("body", (0.0, torque, 0.0)), ("ground", LEAN.apply([0.0, 1.0, 0.0]))):
        m = fm.SpatialModel("spin")
        body = m.add_body("body", mass=2.0, inertia=(0.2, 0.3, 0.4), orientation=LEAN)
        m.point_torque(body.frame, given, factor=1.0 if axes == "body" else torque, axes=axes)
        run = fm.simulate(m, 1.0, step=1e-3, progress=False)
        np.testing.assert_allclose(run["body"].angular_velocity[-1], LEAN.apply([0.0, 5.0, 0.0]), atol=1e-6)
        assert run.energy.input[-1] == pytest.approx(0.5 * 0.3 * 25.0, rel=1e-6)


def test_functions_in_components_have_their_kinks() -> None:
    m, _ = loaded("point_force", (0.0, fm.SmoothStep(0.25, 0.5), fm.SpinUp(1.0, 2.0)), factor=fm.SmoothStep(0.1, 0.2))
    assert sorted(m.component("load").kinks_until(-np.inf)) == pytest.approx([0.0, 0.1, 0.25, 0.3, 0.75, 2.0])


def test_loads_that_pictures_show() -> None:
    m, _ = loaded("point_force", (1.0, 0.0, 0.0), factor=WAVE, axes="body")
    run = fm.simulate(m, 0.1, step=0.01, progress=False)
    (shown,) = m.component("load").loads(run, run.t, WAVE(run.t))
    wanted = (run["body"].orientation * ON_FRAME).apply([1.0, 0.0, 0.0]) * WAVE(run.t)[:, None]
    np.testing.assert_allclose(shown.forces, wanted, atol=1e-12)


@pytest.mark.parametrize(
    ("load", "options", "says"),
    [
        ((1.0, 2.0), {}, "load 'load': force must be 3 numbers"),
        ((1.0, math.nan, 0.0), {}, r"load 'load': force\[1\] is nan"),
        ((1.0, WAVE), {}, "load 'load': force must be 3 numbers or functions of time, not 2 of them"),
        ((1.0, "x", WAVE), {}, r"load 'load': force\[1\] must be a number, not 'x'"),
        ((1.0, math.sin, 0.0), {}, r"load 'load': force\[1\] is a function of Python"),
        (WAVE, {}, "load 'load': force must be 3 numbers"),
        ((1.0, 0.0, 0.0), {"axes": "joint"}, "load 'load': axes is 'joint'; choose one of 'ground', 'body'"),
        ((1.0, 0.0, 0.0), {"factor": math.sin}, "load 'load': factor is a function of Python"),
    ],
)
def test_wrong_data_are_named(load: object, options: dict[str, object], says: str) -> None:
    with pytest.raises(ModelError, match=says):
        loaded("point_force", load, **options)


def test_a_fixed_frame_is_refused() -> None:
    m = fm.SpatialModel("m")
    with pytest.raises(ModelError, match="frame 'ground' is fixed; what acts there moves nothing"):
        m.point_torque(m.ground, (1, 0, 0))
