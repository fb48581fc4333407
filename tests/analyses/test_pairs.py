"""Every analysis with every kind of component: right, by another way to the same number, or refused by name.

A bar on a hinge with a torsion spring, and one component more. (Controllers have a file of their own.)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import SolverError
from flexmb.examples.own_elements.wall import Wall


def base(stiffness: float) -> tuple[fm.PlanarModel, fm.planar.Frame, fm.planar.Frame]:
    """The model, the bar's frame and its tip."""
    model = fm.PlanarModel("pair", gravity=(0.0, -9.81))
    bar = model.add_body("bar", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    model.revolute(model.ground, bar.attach("pivot", (-0.5, 0.0)), name="hinge")
    model.torsion_spring(model.ground, bar.frame, stiffness=stiffness, damping=0.4, free_angle=0.5)
    return model, bar.frame, bar.attach("tip", (0.5, 0.0))


def motor(model, bar, tip):
    model.motor(
        model.ground,
        bar,
        inertia=2e-4,
        ratio=20.0,
        stiffness=60.0,
        damping=0.2,
        friction=1e-3,
        torque=0.1,
        name="motor",
    )


def friction(model, bar, tip):
    dry = fm.Friction(coulomb=0.02, static=0.03, viscous=1e-4, smoothing=0.05)
    model.motor(model.ground, bar, inertia=2e-4, ratio=20.0, friction=dry, torque=0.05, name="motor")


def driven_motor(model, bar, tip):
    model.motor(
        model.ground, bar, inertia=2e-4, ratio=20.0, stiffness=60.0, damping=0.2, angle=fm.Constant(1.0), name="motor"
    )


def drive(model, bar, tip):
    second = model.add_body("second", mass=0.5, inertia=0.02, position=(1.0, -0.3))
    model.revolute(tip, second.attach("top", (0.0, 0.3)))
    model.drive_angle(bar, second.frame, fm.Constant(0.2), name="drive")


def python_force(model, bar, tip):
    model.python_force(tip, lambda t, x, v: (-3.0 * x[1] - 0.2 * v[0], 2.0 * x[0] - 0.3 * v[1], -0.1 * x[2] ** 3))


def follower(model, bar, tip):
    model.point_force(tip, (1.0, 3.0), axes="body", name="push")


def wall(model, bar, tip):
    """A one-sided part, touched at rest."""
    model.add(Wall(tip, 0.05, (0.0, -0.55), (0.0, 1.0), 400.0, 0.3, name="stop"))


def loaded_beam(model, bar, tip):
    rod = model.add_beam("rod", tip, (1.6, 0.0), properties=fm.planar.BeamProperties(EA=1e4, EI=4.0, rhoA=0.2))
    model.distributed_load(rod, (0.0, -1.0), axes="section", name="wind")


def mount(model, bar, tip):
    second = model.add_body("second", mass=0.5, inertia=0.02, position=(1.0, 0.0))
    model.bushing(tip, second.frame, stiffness=(300.0, 200.0, 8.0), damping=(1.0, 1.0, 0.1))
    model.spring_damper(model.ground.attach("eye", (1.0, 1.0)), second.frame, stiffness=10.0, damping=0.2)


def touch(model, bar, tip):
    """A disk that rests against a ceiling, on which it would rub."""
    ceiling = fm.HalfPlane((0.0, -1.0), (0.0, 0.07))
    model.contact(
        model.ground, tip, ceiling, fm.Disk(diameter=0.02), stiffness=2e3, damping=40.0, friction=0.3, name="touch"
    )


def stop(model, bar, tip):
    model.joint_stop(model.component("hinge"), upper=0.05, stiffness=400.0, damping=8.0, name="stop")


def rope(model, bar, tip):
    eye = model.ground.attach("eye", (1.0, -1.0))
    model.distance_stop(eye, tip, upper=1.05, stiffness=2e3, damping=40.0, name="rope")


def bearing(model, bar, tip):
    model.component("hinge").friction = fm.JointFriction(
        0.3, static=0.4, stribeck_speed=0.5, radius=0.02, smoothing=0.05
    )


def unlatched(model, bar, tip):
    model.switch_off(model.weld(model.ground, bar, name="latch"))


def disk(model, bar, tip):
    disk = model.add_body("disk", mass=0.5, inertia=0.01, position=(0.8, 0.1))
    model.rolling_on_line(bar, disk.frame, 0.1)
    model.spring_damper(bar, disk.frame, stiffness=200.0, damping=1.0, free_length=0.3)


COMPONENTS: dict[str, Callable] = {
    f.__name__: f
    for f in (
        *(motor, friction, driven_motor, drive, python_force, follower, wall, loaded_beam, mount),
        *(touch, stop, rope, bearing, unlatched, disk),
    )
}
#: these touch on the way, where differences over a wide change see that the stiffness sets in
TOUCHING = ("touch", "stop", "rope")
#: at rest it has forces without a potential: eigenvalues of K alone say nothing of them (of a mechanism with a single
#: way to move all forces have one)
NO_POTENTIAL = ("loaded_beam",)


def build(name: str, stiffness: float = 12.0) -> fm.PlanarModel:
    model, bar, tip = base(stiffness)
    COMPONENTS[name](model, bar, tip)
    model.point_torque(bar, 0.0, name="disturbance")
    return model


@pytest.fixture(scope="module")
def rests() -> dict[str, fm.Equilibrium]:
    return {name: fm.equilibrium(build(name)) for name in COMPONENTS}


each = pytest.mark.parametrize("name", COMPONENTS)


@each
def test_equilibrium_stays_where_it_is(name, rests):
    run = fm.simulate(build(name), 2.0, initial=rests[name], step=1e-3, progress=False)
    np.testing.assert_allclose(run.q[-1], rests[name].state.q, atol=1e-9)


@each
@pytest.mark.warns(fm.errors.AccuracyWarning, "the shapes overlap by up to", name="touch")
def test_paths_and_slow_motions_end_in_the_equilibrium(name):
    model = build(name)
    model.component("disturbance").torque = fm.Polynomial([0.0, 1.5])
    at_end = fm.equilibrium(model, t=1.0)
    slow = fm.quasi_static(model, 1.0, steps=8)
    np.testing.assert_allclose(slow.q[-1], at_end.state.q, atol=1e-8)
    model = build(name)
    model.component("disturbance").torque = fm.Constant(1.5)
    path = fm.equilibrium_path(model, "disturbance", stability=False)
    assert path.status == "finished"
    np.testing.assert_allclose(path.points[-1].q, at_end.state.q, atol=1e-8)


@each
def test_linear_models_move_as_the_mechanism_near_rest(name, rests):
    rest = rests[name]
    linear = fm.linearize(rest, "disturbance", ["bar.tip.y", "bar.angular_velocity"])
    # the two slowest motions: faster ones ask for shorter steps than a test can afford
    values, shapes = np.linalg.eig(linear.A)
    slow = np.argsort(np.abs(values))[:4]
    x = np.real(shapes[:, slow] @ np.array([1.0, 1.0, 0.3j, -0.3j])[: len(slow)])
    x *= 1e-6 / np.max(np.abs(x))
    state = linear.restore(x)
    run = fm.simulate(build(name), 0.3, initial=state, step=1e-5, save_every=1000, progress=False)
    t = run.t
    seen = linear.simulate(t, np.zeros((len(t), 1)), x)
    for output in linear.outputs:
        moved = run[output] - rest[output]
        # the second order of a motion of 1e-6, times what makes it sharp (dry friction of 0.05 rad/s on the rotor)
        np.testing.assert_allclose(moved, seen[output], atol=3e-4 * np.max(np.abs(seen[output])) + 1e-11)


@each
def test_complex_modes_and_frequency_responses_are_those_of_the_linear_model(name, rests):
    linear = fm.linearize(rests[name], "disturbance", "bar.tip.y")
    poles = linear.poles
    found = fm.complex_modes(rests[name], len(linear) // 2).eigenvalues
    for pole in found:
        assert np.min(np.abs(poles - pole)) < 1e-7 * max(np.max(np.abs(poles)), 1.0)
    f = [0.1, 0.7, 2.3]
    whole = fm.frequency_response(rests[name], "disturbance", "bar.tip.y", f)
    np.testing.assert_allclose(
        whole["bar.tip.y", "disturbance"], linear.response(f)["bar.tip.y", "disturbance"], rtol=1e-7
    )


@each
def test_modes_are_those_without_damping_or_are_refused(name, rests):
    rest = rests[name]
    if name in NO_POTENTIAL:
        with pytest.raises(SolverError, match="complex_modes"):
            fm.modes(rest, 1)
        return
    found = fm.modes(rest, 1)
    system, s = rest.state.system, rest.state
    M, K, G = (
        system.mass_matrix(0.0, s.q),
        system.tangent(0.0, s.q, s.v, s.a, s.lam, (0, 0, 1.0)),
        system.jacobian(0, s.q),
    )
    Z = np.linalg.svd(G)[2][system.m :].T
    exact = np.sort(np.linalg.eigvals(np.linalg.solve(Z.T @ M @ Z, Z.T @ K @ Z)).real)
    assert found.omega_squared[0] == pytest.approx(exact[0], rel=1e-9)


@each
def test_static_sensitivities_are_differences_of_equilibria(name):
    found = fm.static_sensitivity(
        lambda stiffness: build(name, stiffness), {"stiffness": 12.0}, ["bar.tip.y", "hinge.fy"]
    )
    ends = [fm.equilibrium(build(name, 12.0 + e)) for e in (-1e-3, 1e-3)]
    for output in ("bar.tip.y", "hinge.fy"):
        difference = (ends[1][output] - ends[0][output]) / 2e-3
        assert found[output, "stiffness"] == pytest.approx(difference, rel=2e-5, abs=1e-9)


@each
@pytest.mark.parametrize("derivatives", ["direct", "adjoint"])
@pytest.mark.warns(fm.errors.InitialConditionWarning, "the initial positions did not meet the joints", name="drive")
@pytest.mark.warns(fm.errors.AccuracyWarning, "the shapes overlap by up to", name="touch")
def test_sensitivities_are_differences_of_runs(name, derivatives):
    final, step = ["bar.tip.y", "bar.angular_velocity"], 1e-3
    found = fm.sensitivity(
        lambda stiffness: build(name, stiffness),
        {"stiffness": 12.0},
        0.3,
        final=final,
        step=step,
        derivatives=derivatives,
    )
    ends, e = [], 1e-5 if name in TOUCHING else 1e-3
    for sign in (-1, 1):
        ends.append(fm.simulate(build(name, 12.0 + sign * e), 0.3, step=step, newton_tolerance=1e-13, progress=False))
    for output in final:
        difference = (ends[1][output][-1] - ends[0][output][-1]) / (2 * e)
        assert found[output, "stiffness"] == pytest.approx(difference, rel=2e-5, abs=1e-7)


@each
@pytest.mark.warns(fm.errors.InitialConditionWarning, "the initial positions did not meet the joints", name="drive")
@pytest.mark.warns(fm.errors.AccuracyWarning, "the shapes overlap by up to", name="touch")
def test_kinematics_gives_the_forces_that_the_motion_takes(name):
    """With the freedom of the bar driven; what is still free then is named."""
    way = fm.Polynomial([0.0, 0.2, 0.3])

    def driven() -> fm.PlanarModel:
        model = build(name)
        model.drive_angle(model.ground, model.frame("bar"), way, name="arm drive")
        return model

    if name in ("motor", "loaded_beam", "mount", "disk"):
        with pytest.raises(SolverError, match=r"'motor' turns|'rod' can deform|'second' moves|'disk' turns"):
            fm.kinematics(driven(), 0.5, steps=5, progress=False)
        return
    motion = fm.kinematics(driven(), 0.5, steps=5, progress=False)
    run = fm.simulate(driven(), 0.5, step=5e-4, progress=False)
    np.testing.assert_allclose(motion["bar.angle"][-1], run["bar.angle"][-1], atol=1e-9)
    force = run["arm drive.moment"][-1]
    assert motion["arm drive.moment"][-1] == pytest.approx(force, rel=1e-4, abs=1e-4)
