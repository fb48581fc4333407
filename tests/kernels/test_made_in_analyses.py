"""Kernels that are made by differentiation in sensitivities, joint coordinates, switching and under commands: the same
results as with kernels written by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.forces import spring_damper
from flexmb.joints import distance
from flexmb.joints.planar import drive_position
from flexmb.joints.spatial import lower_pairs
from flexmb.kernels import Kernels
from flexmb.kernels.compilation import INTERPRETED
from flexmb.kernels.contract import MADE
from flexmb.validation.performance.joints_by_positions import ALONG, LENGTH, LENGTH_IN_SPACE, ONE_PLACE

pytestmark = pytest.mark.skipif(INTERPRETED, reason="whole runs are for compiled kernels")

#: families by hand, where they stand, and what is made in their place
FAMILIES: list[tuple[dict[Any, Any], Any, Kernels]] = [
    (distance.KERNELS, 2, LENGTH),
    (distance.KERNELS, 3, LENGTH_IN_SPACE),
    (vars(drive_position), "ALONG", ALONG),
    (vars(lower_pairs), "ONE_POINT_PAIR", ONE_PLACE),
    (spring_damper.KERNELS, 2, replace(spring_damper.KERNELS[2], tangent=None)),
    (spring_damper.KERNELS, 3, replace(spring_damper.KERNELS[3], tangent=None)),
]


@pytest.fixture
def both(monkeypatch):
    """What a function gives with kernels written by hand, and with those that are made."""

    def results(of: Any) -> tuple[Any, Any]:
        by_hand = of()
        for place, name, family in FAMILIES:
            monkeypatch.setitem(place, name, family)
        return by_hand, of()

    return results


def made(model: Any, name: str) -> bool:
    """Whether the first instance of a component has a kernel that is made."""
    kernels = fm.System(model).instances_of(name)[0].kernels
    return any(x is not None and MADE in x.py_func.__qualname__ for x in (kernels.tangent, kernels.jacobian))


def rods(length: float = 1.0, stiffness: float = 20.0, mass: float = 1.0) -> fm.PlanarModel:
    """A body that hangs on two rods and a spring, and a slider that drives one of their ends."""
    m = fm.PlanarModel("rods", gravity=(0.0, -9.81))
    slider = m.add_body("slider", mass=0.5, inertia=0.1)
    m.lock(m.ground, slider.frame, "y", name="height")
    m.lock(m.ground, slider.frame, "angle", name="level")
    m.drive_position(m.ground, slider.frame, fm.Harmonic(0.1, 3.0) + 0.0, axis=0.0, name="push")
    plate = m.add_body("plate", mass=mass, inertia=0.2, position=(0.4, -length))
    left, right = plate.attach("left", (-0.4, 0.0)), plate.attach("right", (0.4, 0.1))
    m.distance(slider.frame, left, distance=length, name="rod")
    m.distance(m.ground.attach("hook", (0.9, 0.1)), right, distance=float(np.hypot(0.1, length)), name="other")
    m.spring_damper(m.ground.attach("wall", (2.0, -1.0)), right, stiffness=stiffness, damping=0.3, name="spring")
    return m


def balls(arm: float = 0.3, stiffness: float = 30.0) -> fm.SpatialModel:
    """Two bodies on balls, a rod that closes the loop, and a spring."""
    m = fm.SpatialModel("balls", gravity=(0.0, 0.0, -9.81))
    one = m.add_body("one", mass=1.0, inertia=(0.1, 0.2, 0.15), position=(arm, 0.0, 0.0))
    two = m.add_body("two", mass=0.7, inertia=(0.1, 0.1, 0.05), position=(2.0 * arm, 0.2, -0.3))
    m.spherical(m.ground, one.attach("root", (-arm, 0.0, 0.0)), name="ball")
    m.spherical(one.attach("tip", (arm, 0.0, 0.0)), two.attach("top", (0.0, -0.2, 0.3)), name="next")
    low = two.attach("low", (0.1, 0.1, -0.2))
    m.distance(m.ground.attach("hook", (1.2, 0.0, 0.1)), low, name="rod")
    m.spring_damper(m.ground.attach("wall", (0.0, 1.0, -1.0)), low, stiffness=stiffness, damping=0.3, name="spring")
    one.frame.move(angular_velocity=(0.5, -0.3, 0.2))
    return m


def test_they_are_made(both) -> None:
    def of() -> list[bool]:
        plane, space = rods(), balls()
        names = ((plane, "push"), (plane, "rod"), (plane, "spring"), (space, "ball"), (space, "rod"), (space, "spring"))
        return [made(*which) for which in names]

    by_hand, differentiated = both(of)
    assert not any(by_hand) and all(differentiated)


@pytest.mark.parametrize("method", ["direct", "adjoint"])
def test_sensitivities(both, method) -> None:
    def of() -> np.ndarray:
        given = {"length": 1.0, "stiffness": 20.0, "mass": 1.0}
        plane = fm.sensitivity(
            rods, given, 0.2, final=["plate.x", "plate.angle"], integrals=["plate.y"], step=5e-3, derivatives=method
        )
        where = {"arm": 0.3, "stiffness": 30.0}
        space = fm.sensitivity(balls, where, 0.1, final=["two.x", "one.wy"], step=5e-3, derivatives=method)
        return np.concatenate([plane.matrix.ravel(), space.matrix.ravel()])

    by_hand, differentiated = both(of)
    assert np.all(np.abs(by_hand).reshape(-1)[:4] > 1e-6)
    np.testing.assert_allclose(differentiated, by_hand, rtol=1e-7, atol=1e-9)


def test_sensitivities_at_an_equilibrium(both) -> None:
    def of() -> np.ndarray:
        def scale(stiffness: float, length: float) -> fm.PlanarModel:
            m = fm.PlanarModel("scale", gravity=(0.0, -9.81))
            bob = m.add_body("bob", mass=1.0, inertia=0.1, position=(0.6, -0.8))
            m.distance(m.ground, bob.frame, distance=length)
            m.torsion_spring(m.ground, bob.frame, stiffness=1.0)
            m.spring_damper(m.ground.attach("wall", (2.0, 0.0)), bob.frame, stiffness=stiffness, free_length=0.5)
            return m

        return fm.static_sensitivity(scale, {"stiffness": 20.0, "length": 1.0}, ["bob.x", "bob.y"]).matrix

    by_hand, differentiated = both(of)
    np.testing.assert_allclose(differentiated, by_hand, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("make", [rods, balls])
@pytest.mark.parametrize("formulation", ["aba", "lagrange"])
def test_joint_coordinates(both, make, formulation) -> None:
    """Rods and drives close loops there."""

    def of() -> np.ndarray:
        return fm.simulate(make(), 0.2, formulation=formulation, tolerance=1e-9, progress=False)[PLATE[make]].position

    by_hand, differentiated = both(of)
    np.testing.assert_allclose(differentiated[-1], by_hand[-1], rtol=1e-7, atol=1e-8)


PLATE = {rods: "plate", balls: "two"}


@pytest.mark.parametrize("method", ["radau", "generalized_alpha", "independent"])
@pytest.mark.parametrize("space", [False, True])
def test_a_rod_that_is_switched_on_holds_what_it_finds(both, space, method) -> None:
    def of() -> tuple[float, ...]:
        m: Any = (fm.SpatialModel if space else fm.PlanarModel)("docking")
        inertia: Any = (0.1, 0.2, 0.3) if space else 0.1
        bodies = [m.add_body(name, mass=1.0, inertia=inertia, position=((k, 0.2 * k, 0)[: m.dimension]))
                  for k, name in enumerate("ab")]  # fmt: skip
        bodies[1].frame.move((0.3, 0.5, 0.0)[: m.dimension])
        rod = m.distance(bodies[0].frame, bodies[1].attach("port", (0.1, 0.2, 0.3)[: m.dimension]), name="rod")
        m.switch_off(rod)
        m.add_event(0.3, fm.Switch(on="rod"))
        solution = fm.simulate(m, 0.6, method, tolerance=1e-8, progress=False)
        return solution.energy.error, *solution["b"].position[-1], *solution["a"].velocity[-1]

    by_hand, differentiated = both(of)
    np.testing.assert_allclose(differentiated, by_hand, rtol=1e-6, atol=1e-8)


def test_a_drive_that_is_switched_on_goes_on_from_what_it_finds(both) -> None:
    def of() -> np.ndarray:
        m = fm.PlanarModel("rail")
        body = m.add_body("body", mass=1.0, inertia=0.1, position=(0.2, 0.0))
        body.frame.move((0.5, 0.0))
        m.prismatic(m.ground, body.frame)
        push = m.drive_position(m.ground, body.frame, fm.Polynomial([0.0, 0.7]), relative_to_start=True, name="push")
        m.switch_off(push)
        m.add_event(0.3, fm.Switch(on="push"))
        return fm.simulate(m, 0.6, progress=False)["body"].position[-1]

    by_hand, differentiated = both(of)
    np.testing.assert_allclose(differentiated, by_hand, atol=1e-9)
    assert differentiated[0] == pytest.approx(0.2 + 0.5 * 0.3 + 0.7 * 0.3, abs=1e-6)


@pytest.mark.parametrize("method", ["radau", "generalized_alpha", "dop853"])
def test_commands_reach_a_force(both, method) -> None:
    def of() -> np.ndarray:
        m = rods()
        sensor = fm.control.RelativeAngle(m.ground, m.components["plate"].frame)
        m.add_controller("servo", period=0.02, sensors=[sensor], commands="spring", law=[[50.0]])
        solution = fm.simulate(m, 0.2, method, tolerance=1e-8, progress=False)
        return np.array([*solution["plate"].position[-1], *solution["slider"].velocity[-1]])

    by_hand, differentiated = both(of)
    np.testing.assert_allclose(differentiated, by_hand, rtol=1e-6, atol=1e-8)


def test_linear_models_have_inputs_of_forces_and_drives(both) -> None:
    def of() -> np.ndarray:
        linear = fm.linearize(rods(), inputs=["spring", "push"], outputs=["plate.x"])
        return np.concatenate([np.linalg.eigvals(linear.A).real, linear.B.ravel(), linear.D.ravel()])

    by_hand, differentiated = both(of)
    np.testing.assert_allclose(differentiated, by_hand, rtol=1e-7, atol=1e-8)
