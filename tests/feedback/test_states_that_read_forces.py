"""States of first order that read forces, energies and momenta of other components, against closed forms and against
the balance of the same run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.validation.random_mechanisms.one_of_each import plane, space

RADAU: dict[str, Any] = {"method": "radau", "tolerance": 1e-10, "progress": False}
MASS, STIFF, DAMPED, FREE, START = 2.0, 8.0, 0.6, 2.5, 3.3


def read(m: Any, *names: str) -> list[fm.control.NamedQuantity]:
    return [fm.control.NamedQuantity(m, name) for name in names]


def summed(m: Any, *names: str, start: Any = None) -> Any:
    """States that sum quantities over time."""
    one, none = np.eye(len(names)), np.zeros((len(names), len(names)))
    law = fm.LinearModel(none, one, one, none)
    return m.add_states("sum", law, sensors=read(m, *names), start=start)


def cart(start: float = START) -> fm.PlanarModel:
    """A cart on a spring with a damper, stretched at the start."""
    m = fm.PlanarModel("cart")
    body = m.add_body("cart", mass=MASS, inertia=1.0, position=(start, 0.0))
    m.prismatic(m.ground, body.frame)
    m.spring_damper(m.ground, body.frame, stiffness=STIFF, damping=DAMPED, free_length=FREE, name="coil")
    return m


NAMES = {
    plane: (
        "coil.tension", "coil.fx", "twist.effort", "motor.effort", "mount.y_effort", "hinge.effort", "buffer.gap",
        "slot.position_effort", "rod@0.5.x", "rod@0.5.bending_moment", "energy.total", "whole.center_of_mass.x",
        "whole.angular_momentum", "whole.velocity.y",
    ),
    space: (
        "coil.tension", "coil.fy", "twist.effort", "motor.effort", "mount.rx_effort", "hinge.effort", "buffer.force",
        "cross.angle2_effort", "rod@0.5.vy", "rod@0.5.curvature_z", "energy.kinetic", "whole.center_of_mass.z",
        "whole.angular_momentum.x", "whole.momentum.y",
    ),
}  # fmt: skip


@pytest.mark.parametrize("build", [plane, space])
def test_rows_of_newtons_matrix_are_derivatives_of_the_rates(build: Any) -> None:
    m = build()
    summed(m, *NAMES[build])
    system = fm.System(m)
    rng = np.random.default_rng(3)
    q = system.retract(system.q0, 1e-3 * system.scale * rng.normal(size=system.n))
    v, a, lam = system.v0 + 0.1 * rng.normal(size=system.n), rng.normal(size=system.n), np.zeros(system.m)
    rows = [k for k, name in enumerate(system.names) if name.startswith("sum.")]
    assert len(rows) == len(NAMES[build])
    for of_speed in (True, False):
        K = system.matrix(0.0, q, v, a, lam, (0.0, 1.0, 0.0) if of_speed else (0.0, 0.0, 1.0))
        K = (K.toarray() if hasattr(K, "toarray") else K)[rows, : system.n]
        slopes = np.zeros_like(K)
        for j, size in enumerate(system.scale):
            step = (1e-2 if of_speed else 1e-4) * size
            for weight, count in ((8.0, 1.0), (-8.0, -1.0), (-1.0, 2.0), (1.0, -2.0)):
                y = np.zeros(system.n)
                y[j] = count * step
                moved = (q, v + y) if of_speed else (system.retract(q, y), v)
                slopes[:, j] += weight * system.residual(0.0, *moved, a)[rows] / (12.0 * step)
        largest = np.max(np.abs(slopes), axis=1, keepdims=True)
        np.testing.assert_allclose(K / np.maximum(largest, 1.0), slopes / np.maximum(largest, 1.0), atol=2e-7)


@pytest.mark.parametrize(
    "method, formulation",
    [
        ("radau", ""), ("generalized_alpha", ""), ("dop853", ""), ("independent", ""), ("rkf45", "aba"),
        ("radau", "aba"), ("dop853", "dca"),
    ],
)  # fmt: skip
def test_the_power_of_a_spring_is_what_it_stores_and_loses(method: str, formulation: str) -> None:
    m = cart()

    def power(t: float, y: Any, x: Any) -> Any:
        return [-y[0] * y[1], DAMPED * y[1] ** 2]

    m.add_states("work", power, sensors=read(m, "coil.tension", "coil.length_rate"), start=[0.0, 0.0])
    more: dict[str, Any] = {"step": 2e-4} if method == "generalized_alpha" else {"tolerance": 1e-9}
    more |= {"formulation": formulation} if formulation else {}
    run = fm.simulate(m, 2.0, method, progress=False, **more)
    given, lost = run["work.x1"][-1], run["work.x2"][-1]
    stored = run.energy.strain[-1] - run.energy.strain[0]
    assert stored < -0.1 and lost > 0.1
    assert given == pytest.approx(-stored - lost, abs=1e-6)
    assert lost == pytest.approx(-stored - run.energy.kinetic[-1], abs=1e-6)


def test_a_filter_on_a_force_follows_the_exact_solution() -> None:
    m, delay = cart(), 0.2
    law = fm.control.transfer_function([1.0], [delay, 1.0])
    m.add_states("filter", law, sensors=read(m, "coil.tension"))
    run = fm.simulate(m, 2.0, **RADAU)
    # u = x − free length, u̇, and x = T f of the filtered force f: ẋ = k u + c u̇ − x/T
    A = np.array([
        [0.0, 1.0, 0.0], [-STIFF / MASS, -DAMPED / MASS, 0.0], [STIFF, DAMPED, -1.0 / delay],
    ])  # fmt: skip
    u, _, x = scipy.linalg.expm(2.0 * A) @ [START - FREE, 0.0, 0.0]
    assert run["cart.x"][-1] == pytest.approx(FREE + u, abs=1e-8)
    assert run["filter.x1"][-1] == pytest.approx(x, abs=1e-7)
    m = cart(FREE)
    m.point_force(m.frame("cart"), (1.0, 0.0), factor=0.0, name="push")
    m.add_states("filter", law, sensors=read(m, "coil.tension"))
    linear = fm.linearize(m, "push", ["filter.x1"])
    np.testing.assert_allclose(linear.A, A, atol=1e-9)


@pytest.mark.parametrize("at_once", [True, False])
def test_a_command_that_follows_a_force(at_once: bool) -> None:
    """A force −κ times that of the spring acts as a stiffer spring; after a filter, with a delay."""
    m, gain, delay = cart(), 0.5, 0.1
    push = m.point_force(m.frame("cart"), (1.0, 0.0), factor=0.0, name="push")
    law = fm.control.transfer_function([-gain * delay, -gain] if at_once else [-gain], [delay, 1.0])
    m.add_states("filter", law, sensors=read(m, "coil.tension"), commands=push)
    run = fm.simulate(m, 1.5, **RADAU)
    factor = 1.0 + gain if at_once else 1.0
    A = np.zeros((3, 3))
    A[0, 1], A[1, :2] = 1.0, (-factor * STIFF / MASS, -factor * DAMPED / MASS)
    if not at_once:
        A[1, 2], A[2] = -gain / MASS, (STIFF / delay, DAMPED / delay, -1.0 / delay)
    u = (scipy.linalg.expm(1.5 * A) @ [START - FREE, 0.0, 0.0])[0]
    assert run["cart.x"][-1] == pytest.approx(FREE + u, abs=1e-8)


def test_of_two_commands_one_follows_a_force_at_once_and_one_after_a_delay() -> None:
    m, gain, delay = cart(), 0.5, 0.1
    pushes = [m.point_force(m.frame("cart"), (1.0, 0.0), factor=0.0, name=name) for name in ("late", "at once")]
    law = fm.LinearModel(
        np.array([[-1.0 / delay]]), np.array([[1.0 / delay]]), np.array([[-gain], [0.0]]), np.array([[0.0], [-gain]])
    )
    m.add_states("filter", law, sensors=read(m, "coil.tension"), commands=pushes)
    run = fm.simulate(m, 1.5, **RADAU)
    A, both = np.zeros((3, 3)), 1.0 + gain
    A[0, 1], A[1] = 1.0, (-both * STIFF / MASS, -both * DAMPED / MASS, -gain / MASS)
    A[2] = STIFF / delay, DAMPED / delay, -1.0 / delay
    u = (scipy.linalg.expm(1.5 * A) @ [START - FREE, 0.0, 0.0])[0]
    assert run["cart.x"][-1] == pytest.approx(FREE + u, abs=1e-8)


def flown() -> fm.SpatialModel:
    """Two bodies on a spring and a flexible rod, thrown without gravity."""
    m = fm.SpatialModel("flown")
    turned = fm.rotation_vector((0.2, -0.3, 0.4))
    for name, place in (("one", (0.0, 0.0, 0.0)), ("other", (1.0, 0.2, 0.0))):
        body = m.add_body(name, mass=1.5, inertia=(0.1, 0.2, 0.3), position=place, orientation=turned)
        body.move((0.3, -0.2, 0.1), (0.5, 0.4, -0.3))
    m.spring_damper(m.frame("one"), m.frame("other"), stiffness=30.0, free_length=0.8, name="coil")
    steel = fm.Material(density=7850.0, youngs_modulus=2e9)
    m.add_beam("rod", m.frame("other"), (1.5, 0.2, 0.0), material=steel, section=fm.Rectangle(0.02, 0.02), modes=1)
    return m


def test_momentum_moves_the_mass_center() -> None:
    m = flown()
    axes = "xyz"
    summed(m, *(f"whole.momentum.{x}" for x in axes), *(f"whole.velocity.{x}" for x in axes))
    run = fm.simulate(m, 0.5, "radau", tolerance=1e-9, progress=False)
    for k, x in enumerate(axes):
        way = run[f"whole.center_of_mass.{x}"][-1] - run[f"whole.center_of_mass.{x}"][0]
        assert run[f"sum.x{k + 1}"][-1] == pytest.approx(float(run["whole.mass"][0]) * way, abs=1e-7)
        assert run[f"sum.x{k + 4}"][-1] == pytest.approx(way, abs=1e-8)


def test_what_is_conserved_grows_with_time() -> None:
    m = flown()
    summed(m, "energy.total", "whole.angular_momentum.x")
    run = fm.simulate(m, 0.5, "radau", tolerance=1e-9, progress=False)
    assert run["sum.x1"][-1] == pytest.approx(0.5 * float(run["energy.total"][0]), rel=1e-6)
    assert run["sum.x2"][-1] == pytest.approx(0.5 * float(run["whole.angular_momentum.x"][0]), rel=1e-6)


def test_the_heat_of_a_motor_follows_the_torque_that_a_controller_commands() -> None:
    """A sampled controller changes the torque of a motor without inertia, which the state sees at once."""
    m = fm.PlanarModel("drive")
    arm = m.add_body("arm", mass=1.0, inertia=0.2)
    m.revolute(m.ground, arm.frame, name="hinge")
    motor = m.motor(m.ground, arm.frame, ratio=2.0, name="motor")
    wanted = fm.control.Reference(fm.Harmonic(1.0, 3.0, np.pi / 2))
    m.add_controller("servo", period=0.1, sensors=[wanted], commands=motor, law=[[0.4]])
    m.add_states("heat", lambda t, y, x: [y[0] ** 2], sensors=read(m, "motor.effort"), start=0.0)
    run = fm.simulate(m, 1.0, step=1e-2, progress=False)
    torques = 2.0 * run.control["servo"].u[:10, 0]
    assert np.ptp(torques) > 0.5
    assert run["heat.x1"][-1] == pytest.approx(0.1 * np.sum(torques**2), rel=1e-9)


def test_what_is_switched_off_has_no_force() -> None:
    m = cart()
    summed(m, "coil.tension")
    m.add_event(0.4, fm.Switch(off=["coil"]), "cut")
    run = fm.simulate(m, 1.0, **RADAU)
    off = run.t > 0.41
    assert np.ptp(run["sum.x1"][off]) < 1e-9 < abs(run["sum.x1"][-1])


def test_the_force_of_a_contact_that_is_switched_off_is_none() -> None:
    m = fm.PlanarModel("ball", gravity=(0, -9.81))
    ball = m.add_body("ball", mass=1.5, inertia=0.01, position=(0.0, 0.099))
    shapes = fm.HalfPlane(), fm.Disk(diameter=0.2)
    m.contact(m.ground, ball.frame, *shapes, stiffness=1e4, name="floor")
    summed(m, "floor.normal_force")
    m.add_event(0.05, fm.Switch(off=["floor"]), "gone")
    run = fm.simulate(m, 0.1, **RADAU)
    assert run["sum.x1"][-1] == pytest.approx(1.5 * (run["ball.vy"][-1] + 9.81 * 0.1), abs=1e-9)


@pytest.mark.parametrize(
    "name, why",
    [
        ("hinge.fx", "joint 'hinge': its force is that of a constraint, and comes out of the same equations"),
        ("arm.tip.ax", "arm.tip.ax: what it reads comes out of the same equations"),
        ("whole.zmp.x", "the force that carries the whole comes out of the same equations"),
        ("whole.margin", "the force that carries the whole comes out of the same equations"),
        ("rod@0.5.ax", "states 'sum': a reading comes out of the same equations"),
    ],
)
def test_what_comes_out_of_the_equations_of_motion_is_refused(name: str, why: str) -> None:
    m = plane()
    summed(m, name)
    with pytest.raises(ModelError, match=why):
        fm.System(m)


def test_readings_of_what_follows_readings_at_once_are_refused() -> None:
    m = cart()
    push = m.point_force(m.frame("cart"), (1.0, 0.0), factor=0.0, name="push")
    m.add_states("at once", lambda t, y, x: [0.0], sensors=read(m, "coil.tension"), commands=push, start=0.0,
                 decide=lambda t, y, x: [y[0]])  # fmt: skip
    summed(m, "energy.total")
    with pytest.raises(ModelError, match="what commands load 'push' at this instant follows from readings"):
        fm.System(m)


@pytest.mark.parametrize("method", ["radau", "generalized_alpha", "rkf45", "independent"])
def test_works_of_springs_that_are_switched_again_and_again_are_what_they_store(method):
    """A run returns twice to each choice of components; what states find is then that of these components."""
    m = fm.PlanarModel("cars")
    near = m.add_body("near", mass=3.0, inertia=0.5, position=(0.2, 0.0))
    far = m.add_body("far", mass=1.0, inertia=0.2, position=(1.5, 0.0))
    for car in (near, far):
        m.prismatic(m.ground, car.frame, axis=0.0)
    between = near.frame, far.frame, 200.0, 1.0
    behind = m.ground.attach("behind", (-2.0, 0.0)), near.frame, 100.0, 2.0
    for name, (a, b, stiffness, length) in {"one": between, "two": behind}.items():
        m.spring_damper(a, b, stiffness=stiffness, free_length=length, name=name)
        pull, rate = (fm.control.NamedQuantity(m, f"{name}.{what}") for what in ("tension", "length_rate"))
        m.add_states(f"work of {name}", lambda t, y, x: [y[0] * y[1]], sensors=[pull, rate], start=0.0, names=["W"])
    m.switch_off(m.lock(m.ground, far.frame, coordinate="x", name="hold"))
    switches = [0.2, 0.4, 0.6, 0.8]
    for k, t in enumerate(switches):
        m.add_event(t, fm.Switch(**{("off", "on")[k % 2]: "two"}), name=f"spring {k}")
        m.add_event(t + 0.1, fm.Switch(**{("on", "off")[k % 2]: "hold"}), name=f"hold {k}")
    # of second order: two hundred thousand steps at 1e-9
    options = {"rkf45": {"step": 1e-4}, "generalized_alpha": {"tolerance": 1e-7}}.get(method, {"tolerance": 1e-9})
    run = fm.simulate(m, 1.0, method, progress=False, **options)
    assert run.status == "finished" and len(run.events) == 8
    at = {t: run.at([t]) for t in (0.0, *switches, 1.0)}

    def stored(name, stiffness, t):
        return 0.5 * stiffness * at[t][f"{name}.elongation"][0] ** 2

    pieces = [(0.0, 0.2), (0.4, 0.6), (0.8, 1.0)]
    second = sum(stored("two", 100.0, end) - stored("two", 100.0, start) for start, end in pieces)
    assert run["work of one.W"][-1] == pytest.approx(stored("one", 200.0, 1.0) - stored("one", 200.0, 0.0), abs=1e-7)
    assert run["work of two.W"][-1] == pytest.approx(second, abs=1e-7)
    assert abs(second) > 0.1
