"""Forces of space as analyses, controllers and files see them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from tests.models.lifted import REDUCERS, TILT, lifted, planar, spatial

AXIS = np.array([2.0, 1.0, -2.0]) / 3.0
WAVE = fm.Harmonic(1.0, 7.0, 0.2)


@pytest.mark.parametrize("command", ["motor", "spring_damper 1", "point_force 1", "point_torque 1"])
def test_a_sampled_controller_commands_them_as_in_the_plane(command: str) -> None:
    logs = []
    for make in (planar, spatial):
        m = make(**REDUCERS["elastic"])
        motor: Any = m.component("motor")
        sensors = [fm.control.MotorAngle(motor), fm.control.MotorRate(motor), fm.control.Reference(1.0)]
        law = [[-0.04, -0.01, 0.3]]
        m.add_controller("servo", period=0.02, sensors=sensors, commands=command, law=law, delay=0.005)
        run = fm.simulate(m, 0.5, step=1e-3, newton_tolerance=1e-12, progress=False)
        logs.append((run.control["servo"], run["arm"].position[-1]))
    (flat, at), (solid, there) = logs
    assert np.ptp(flat.u) > 0.05
    np.testing.assert_allclose(solid.y, flat.y, atol=1e-7)
    np.testing.assert_allclose(solid.u, flat.u, atol=1e-8)
    np.testing.assert_allclose(there, lifted(at), atol=1e-8)


def held(**options: Any) -> fm.SpatialModel:
    """A body that a bushing holds, with an actuator along an askew line, a force and a torque."""
    m = fm.SpatialModel("held")
    body = m.add_body("body", mass=2.0, inertia=(0.2, 0.3, 0.4))
    stiffness = (300.0, 200.0, 250.0, 60.0, 50.0, 40.0)
    m.bushing(m.ground, body.frame, stiffness=stiffness, damping=np.array(stiffness) / 100.0)
    m.spring_damper(m.ground.attach("post", 2.0 * AXIS), body.frame, name="actuator", **options)
    m.point_force(body.frame, AXIS, factor=0.0, name="push")
    m.point_torque(body.frame, AXIS, factor=0.0, axes="body", name="twist")
    return m


def test_they_are_inputs_of_linear_models() -> None:
    """At rest ẍ = F/m and ω̇ = J⁻¹ M for each input; the actuator pushes the body away from its post."""
    inputs = ["actuator", "push", "twist", "body.fx", "body.my"]
    outputs = ["body.ax", "body.ay", "body.az", "body.alpha_x", "body.alpha_y", "body.alpha_z"]
    D = fm.linearize(held(), inputs, outputs).D
    wanted = np.zeros((6, 5))
    wanted[:3, 0], wanted[:3, 1], wanted[3:, 2] = -AXIS / 2.0, AXIS / 2.0, AXIS / [0.2, 0.3, 0.4]
    wanted[0, 3], wanted[4, 4] = 0.5, 1.0 / 0.3
    np.testing.assert_allclose(D, wanted, atol=1e-9)


def test_the_torque_of_a_motor_is_an_input() -> None:
    """Rotor J and arm I on a rigid reducer: s̈ = N τ/(I + N² J)."""
    m = fm.SpatialModel("servo")
    arm = m.add_body("arm", mass=1.0, inertia=(0.3, 0.3, 0.3))
    m.revolute(m.ground, arm.frame, axis=AXIS)
    m.motor(m.ground, arm.frame, axis=AXIS, inertia=2e-3, ratio=10.0, name="motor")
    model = fm.linearize(m, "motor", ["arm.alpha_x", "motor.turn"])
    assert model.D[0, 0] == pytest.approx(10.0 * AXIS[0] / (0.3 + 100.0 * 2e-3), rel=1e-9)


@pytest.mark.parametrize("load", ["actuator", "push", "twist"])
def test_load_paths_scale_them(load: str) -> None:
    """Small loads: displacement and rotation by the stiffness of the bushing, in proportion to the factor."""
    m = held(force=-1e-4) if load == "actuator" else held()
    if load != "actuator":
        m.component(load).factor = 1e-4
    path = fm.equilibrium_path(m, load, factor=3.0, steps=3, control="load")
    assert path.factor[-1] == pytest.approx(3.0)
    end = path.solution.at(path.solution.t[-1:])
    if load == "twist":
        got, wanted = end["body"].orientation[0].as_rotvec(), 3e-4 * AXIS / [60.0, 50.0, 40.0]
    else:
        got, wanted = end["body"].position[0], 3e-4 * AXIS / [300.0, 200.0, 250.0]
    np.testing.assert_allclose(got, wanted, rtol=1e-4)


def machine(
    stiffness: float, damping: float, free: float, push: float, inertia: float, ratio: float
) -> fm.SpatialModel:
    """A motor with an elastic reducer turns an arm on an askew hinge, with a spring to the ground and a force."""
    m = fm.SpatialModel("machine", gravity=(0.3, -0.5, -9.0))
    base = m.add_body("base", mass=2.0, inertia=(0.2, 0.3, 0.4))
    arm = m.add_body("arm", mass=1.0, inertia=(0.05, 0.06, 0.07), position=(0.5, 0.1, 0.0))
    m.spherical(m.ground, base.frame)
    m.bushing(m.ground, base.frame, stiffness=(0, 0, 0, 60.0, 50.0, 40.0))
    m.revolute(base.frame, arm.attach("root", (-0.5, -0.1, 0.0)), axis=AXIS)
    options = {"inertia": inertia, "ratio": ratio, "stiffness": 40.0, "damping": 0.3, "friction": 1e-3}
    m.motor(base.frame, arm.frame, axis=AXIS, torque=0.3 * WAVE, name="motor", **options)
    post, tip = m.ground.attach("post", (1.0, 0.5, 0.7)), arm.attach("tip", (0.2, 0.0, 0.1))
    m.spring_damper(post, tip, stiffness=stiffness, damping=damping, free_length=free, force=0.5 * WAVE)
    m.point_force(tip, (0.0, push, push * WAVE), axes="body")
    m.point_torque(base.frame, (0.2, 0.1, push))
    return m


def test_sensitivities_are_differences_of_runs() -> None:
    values = {"stiffness": 20.0, "damping": 0.8, "free": 0.4, "push": 0.7, "inertia": 2e-3, "ratio": 6.0}
    final = ["arm.x", "arm.vy", "base.wz"]
    step = 2e-3
    ways = ("direct", "adjoint")
    found = {x: fm.sensitivity(machine, values, 0.2, final=final, step=step, derivatives=x) for x in ways}
    size = np.abs(found["direct"].matrix).max(axis=0)
    np.testing.assert_allclose(found["adjoint"].matrix / size, found["direct"].matrix / size, atol=1e-6)
    for name, value in values.items():
        ends = []
        for sign in (1.0, -1.0):
            changed = {**values, name: value * (1.0 + 1e-4 * sign)}
            run = fm.simulate(machine(**changed), 0.2, step=step, newton_tolerance=1e-12, progress=False)
            ends.append(np.array([run[x][-1] for x in final]))
        slope = (ends[0] - ends[1]) / (2e-4 * value)
        got = [found["direct"][x, name] for x in final]
        np.testing.assert_allclose(got, slope, atol=2e-5 * np.max(np.abs(slope)))


def test_the_ledger_balances_and_files_keep_the_run(tmp_path: Path) -> None:
    m = machine(20.0, 0.8, 0.4, 0.7, 2e-3, 6.0)
    run = fm.simulate(m, 0.5, method="dop853", tolerance=1e-12, progress=False)
    energy = run.energy
    for part in (energy.kinetic, energy.strain, energy.potential, energy.dissipated, energy.input):
        assert np.ptp(part) > 1e-3
    assert np.max(np.abs(energy.balance)) < 1e-6 * energy.exchanged
    again = fm.load(run.save(tmp_path / "run.h5"))
    for name in ("arm.x", "base.wz", "motor.rotor", "motor.turn"):
        np.testing.assert_array_equal(again[name], run[name])
    np.testing.assert_allclose(again.energy.input, energy.input)


def test_a_small_motion_about_an_askew_axis_is_that_of_the_plane() -> None:
    """Frequencies of the mechanism at rest, with its springs and its reducer, in the plane and in a tilted plane."""
    omegas = []
    for make in (planar, spatial):
        m = make(ratio=-7.0, stiffness=20.0)
        for name in [c for c in m.components if c.startswith(("force", "torque"))]:
            m.components.pop(name)
        m.component("motor").torque = 0.0
        m.component("spring_damper 1").force = 0.0
        m.component("spring_damper 1").damping = 0.0
        omegas.append(fm.equilibrium(m).omega_squared)
    np.testing.assert_allclose(omegas[1], omegas[0], rtol=1e-8)
    assert TILT.magnitude() > 1.0
