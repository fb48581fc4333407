"""Plates in a flow and in sunlight: conformance, terminal speed, balance of forces, momentum of light."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb import testing
from flexmb.errors import ModelError

LEAN = Rotation.from_rotvec([0.3, -0.4, 0.5])
LAWS = {"linear": {"linear": 4.0}, "square": {"square": 1.5}, "all": {"linear": 2.0, "square": 1.1, "skin": 0.1}}
SURFACES = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.5, 0.3)]


def plate(kind: Any, tilt: float = 0.0, **options: Any) -> tuple[fm.SpatialModel, Any]:
    """A body with a plate, the normal of which leans from z by `tilt` [rad] about x."""
    m = fm.SpatialModel("m", gravity=(0.0, 0.0, -9.81))
    turn = Rotation.from_rotvec([tilt, 0.0, 0.0])
    body = m.add_body("body", mass=2.0, inertia=(0.2, 0.3, 0.4), orientation=turn)
    return m, m.add(kind(body.frame, 0.6, name="plate", **options))


def on_body(m: fm.SpatialModel, velocity: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
    """The force of the plate on its body, in the axes of the ground."""
    m.gravity = np.zeros(3)
    m.components["body"].move(velocity)
    system = fm.System(m)
    return -system.residual(0.0, system.q0, system.v0, np.zeros(6))[:3]


def tilted(kind: Any, **options: Any) -> tuple[fm.SpatialModel, Any]:
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=2.0, inertia=(0.2, 0.3, 0.4), orientation=LEAN)
    frame = body.attach("panel", (0.1, -0.3, 0.2), Rotation.from_rotvec([0.2, 0.9, -0.1]))
    return m, m.add(kind(frame, 0.6, name="plate", **options))


@pytest.mark.parametrize("law", LAWS)
def test_a_plate_in_a_flow_conforms(law: str) -> None:
    options = {"square": 0.0, **LAWS[law]}
    m, own = tilted(fm.spatial.Drag, wind=(3.0, -2.0, 1.0), density=1.2, **options)
    testing.conformance(own)
    testing.check_system(m)


@pytest.mark.parametrize("sun", [(0.0, 0.3, 1.0), (0.0, 0.3, -1.0)])  # before and behind the plate
@pytest.mark.parametrize(("mirror", "diffuse"), SURFACES)
def test_a_plate_in_sunlight_conforms(mirror: float, diffuse: float, sun: Any) -> None:
    pressure = fm.Harmonic(0.5, 3.0, 0.2, 2.0)
    m, own = tilted(fm.spatial.SolarPressure, sun=sun, mirror=mirror, diffuse=diffuse, pressure=pressure)
    normal = fm.System(m).model.components["plate"].frame.quaternion
    lit = Rotation.from_quat(np.roll(normal, -1)).apply([0.0, 0.0, 1.0]) @ own.sun > 0.0
    assert lit == (sun[2] > 0.0)
    testing.conformance(own)
    testing.check_system(m)


def test_the_terminal_speed_of_a_falling_plate() -> None:
    """½ ϱ A (c₀ + c₁ + c₂) V² = m g; on the way v = V tanh(g t/V). The plate lies flat."""
    m, _ = plate(fm.spatial.Drag, linear=0.4, square=1.1, skin=0.05)
    run = fm.simulate(m, 4.0, method="dop853", tolerance=1e-10, progress=False)
    terminal = np.sqrt(2.0 * 9.81 / (0.5 * 1.2 * 0.6 * 1.55))
    np.testing.assert_allclose(run["body.vz"], -terminal * np.tanh(9.81 * run.t / terminal), rtol=1e-8, atol=1e-8)
    assert run.energy.dissipated[-1] == pytest.approx(
        2.0 * 9.81 * -run["body.z"][-1] - run["body.vz"][-1] ** 2, rel=1e-6
    )


@pytest.mark.parametrize("degrees", [0.0, 10.0, 45.0, 90.0])
def test_drag_and_lift_at_an_angle_of_attack(degrees: float) -> None:
    """The flow comes along −y with 5 m/s, the plate leans by α: c₁ gives lift sin α cos α and drag sin² α, c₂ the
    normal force sin² α, c₀ drag alone."""
    alpha, dynamic = np.radians(degrees), 0.5 * 1.2 * 0.6 * 25.0
    s, c = np.sin(alpha), np.cos(alpha)
    for linear, square, skin in ((4.0, 0.0, 0.0), (0.0, 1.5, 0.0), (0.0, 0.0, 0.2), (3.0, 0.7, 0.1)):
        m, _ = plate(fm.spatial.Drag, -alpha, wind=(0.0, -5.0, 0.0), linear=linear, square=square, skin=skin)
        normal_force = linear * s + square * s * s
        wanted = dynamic * np.array([0.0, -normal_force * s - skin, -normal_force * c])
        force = on_body(m)
        np.testing.assert_allclose(force, wanted, atol=1e-12)
        # the same when the plate moves and the air stands still
        still, _ = plate(fm.spatial.Drag, -alpha, linear=linear, square=square, skin=skin)
        np.testing.assert_allclose(on_body(still, (0.0, 5.0, 0.0)), force, atol=1e-12)


def light_by_hand(theta: float, mirror: float, diffuse: float) -> np.ndarray:
    """Momentum per area and pressure that light from the direction (sin θ, 0, cos θ) gives to a plate with the normal
    z: what comes less what goes, that of Lambert's reflection summed over the half sphere."""
    s = np.array([np.sin(theta), 0.0, np.cos(theta)])
    angles, weights = np.polynomial.legendre.leggauss(40)
    polar = 0.25 * np.pi * (angles + 1.0)
    brightness = np.cos(polar) * np.sin(polar) * 0.25 * np.pi * weights * 2.0 * np.pi
    scattered = (brightness / brightness.sum()) @ np.cos(polar) * np.array([0.0, 0.0, 1.0])
    mirrored = np.array([-s[0], 0.0, s[2]])
    return np.cos(theta) * (-s - mirror * mirrored - diffuse * scattered)


@pytest.mark.parametrize("degrees", [0.0, 30.0, 60.0, 90.0])
@pytest.mark.parametrize(("mirror", "diffuse"), SURFACES)
def test_light_gives_its_momentum(mirror: float, diffuse: float, degrees: float) -> None:
    theta = np.radians(degrees)
    sun = (np.sin(theta), 0.0, np.cos(theta))
    m, _ = plate(fm.spatial.SolarPressure, sun=sun, mirror=mirror, diffuse=diffuse, pressure=3.0)
    np.testing.assert_allclose(on_body(m), 3.0 * 0.6 * light_by_hand(theta, mirror, diffuse), atol=1e-12)


def test_a_black_back_and_an_eclipse() -> None:
    m, _ = plate(fm.spatial.SolarPressure, sun=(0.0, 0.1, -1.0), pressure=3.0)
    assert not on_body(m).any()
    m, own = plate(
        fm.spatial.SolarPressure, sun=(0.0, 0.0, 1.0), mirror=1.0, pressure=fm.SmoothStep(1.0, 1.0, 4.0, 0.0)
    )
    m.gravity = np.zeros(3)
    run = fm.simulate(m, 3.0, step=1e-3, progress=False)
    assert run["body.vz"][-1] == pytest.approx(-2.0 * 0.6 * 4.0 * 1.5 / 2.0, rel=1e-6)
    assert run.energy.input[-1] == pytest.approx(run["body.vz"][-1] ** 2, rel=1e-6)
    (shown,) = own.loads(run, run.t, own.pressure(run.t))
    np.testing.assert_allclose(shown.forces[0], [0.0, 0.0, -2.0 * 0.6 * 4.0])


@pytest.mark.parametrize(
    ("kind", "options", "says"),
    [
        (fm.spatial.Drag, {"density": -1.0}, "force 'plate': density is -1"),
        (fm.spatial.Drag, {"wind": (1.0, 2.0)}, "force 'plate': wind must be 3 numbers"),
        (
            fm.spatial.SolarPressure,
            {"mirror": 0.8, "diffuse": 0.3},
            "force 'plate': mirror and diffuse are 0.8 and",
        ),
        (fm.spatial.SolarPressure, {"sun": (0.0, 0.0, 0.0)}, "force 'plate': length of the direction to the sun is 0"),
    ],
)
def test_wrong_data_are_named(kind: Any, options: dict[str, Any], says: str) -> None:
    with pytest.raises(ModelError, match=says):
        plate(kind, **options)


def test_a_plate_stands_on_a_beam() -> None:
    m = fm.SpatialModel("boom")
    steel = fm.Material(density=7850, youngs_modulus=205e9)
    boom = m.add_beam("boom", m.ground, (2.0, 0, 0), material=steel, section=fm.Rectangle(0.03, 0.03), elements=4)
    own = m.drag(boom.at(0.6), 0.5, axis="z", wind=(0.0, 0.0, 10.0))
    rest = fm.equilibrium(m).solution
    (load,) = own.loads(rest, rest.t, np.ones(1))
    push = 0.5 * 1.2 * 0.5 * 2.0 * 100.0
    assert load.forces[0, 2] == pytest.approx(push, rel=2e-3)  # the boom is bent a little
    assert rest["boom.end.z"][0] > 0.0
