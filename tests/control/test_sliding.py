"""Sliding mode: the surface is reached as asked, the law is the printed one, chatter ends in the layer."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import flexmb as fm
from flexmb.errors import ControlError, ModelError

GAIN, SURFACE, SWITCHING = np.array([[3.0, 2.5]]), np.array([[2.0, 1.0]]), np.array([[1.0, 0.5]])


def masses() -> fm.LinearModel:
    """Two masses with a spring, a force on each; all is seen."""
    A = np.zeros((4, 4))
    A[:2, 2:] = np.eye(2)
    A[2:, :2] = [[-9.0, 9.0], [3.0, -3.0]]
    B = np.zeros((4, 2))
    B[2, 0], B[3, 1] = 1.0, 1.0 / 3.0
    return fm.LinearModel(A, B, np.eye(4), np.zeros((4, 2)))


def test_the_surface_is_reached_at_the_rate_asked_for_and_kept():
    plant, r = masses(), 6.0
    design = fm.control.sliding_mode(plant, [5.0, 1.0, 0.1, 0.1], [1.0, 0.5], reaching=r)
    loop = plant.A - plant.B @ design.K_eq
    x0 = np.array([1.0, -0.5, 0.3, 2.0])
    for t in (0.2, 0.7):
        x = scipy.linalg.expm(t * loop) @ x0
        np.testing.assert_allclose(design.S @ x, np.exp(-r * t) * (design.S @ x0), rtol=1e-9)
    poles = np.linalg.eigvals(loop)
    assert np.sum(np.abs(poles + r) < 1e-6) == 2
    assert poles.real.max() < 0.0
    # on the surface the state stays there, whatever the rate
    on = scipy.linalg.null_space(design.S)[:, 0]
    np.testing.assert_allclose(design.S @ loop @ on, 0.0, atol=1e-10)


def test_all_states_as_outputs_give_the_gains_of_states():
    design = fm.control.sliding_mode(masses(), 1.0, 1.0, reaching=3.0)
    np.testing.assert_allclose(design.S_c, design.S, atol=1e-9)
    np.testing.assert_allclose(design.K_out, design.K_eq, atol=1e-8)
    np.testing.assert_allclose(design.reach, design.S @ masses().B, atol=1e-12)


def as_printed(e: np.ndarray, layer: float = 0.0) -> float:
    """Eq. (96): each gain by itself."""
    sigma = float(SURFACE[0] @ e)
    u = 0.0
    for j in range(2):
        k = GAIN[0, j]
        if sigma * e[j] > 0.0:
            k += SWITCHING[0, j] * min(1.0, abs(sigma) / layer if layer else 1.0)
        elif sigma * e[j] < 0.0:
            k -= SWITCHING[0, j] * min(1.0, abs(sigma) / layer if layer else 1.0)
        u -= k * e[j]
    return u


def wheel(law: object) -> fm.Solution:
    model = fm.PlanarModel("wheel")
    body = model.add_body("wheel", mass=2.0, inertia=1.0)
    model.revolute(model.ground, body.frame, name="axle")
    model.point_torque(body.frame, 0.0, name="motor")
    body.frame.move(angular_velocity=2.0)
    sensors = [fm.control.RelativeAngle(model.ground, body.frame), fm.control.RelativeRate(model.ground, body.frame)]
    model.add_controller("servo", period=0.01, sensors=sensors, commands="motor", law=law)
    return fm.simulate(model, 3.0, step=0.01, progress=False)


@pytest.mark.parametrize("layer", [0.0, 0.3])
def test_the_compiled_law_is_the_printed_one(layer):
    ours = wheel(fm.control.SlidingLaw(GAIN, SURFACE, SWITCHING, layer=layer))
    log = ours.control["servo"]
    np.testing.assert_allclose(log.u[:, 0], [as_printed(e, layer) for e in log.y], rtol=1e-12, atol=1e-14)
    theirs = wheel(lambda t, e: as_printed(e, layer))
    np.testing.assert_allclose(ours["wheel.angle"], theirs["wheel.angle"], atol=1e-12)
    assert abs(ours["wheel.angle"][-1]) < 0.02


def test_within_the_layer_the_command_does_not_jump():
    """At its own sliding surface the bare law switches from sample to sample, the one with a layer does not."""
    jumps = []
    for layer in (0.0, 0.5):
        u = wheel(fm.control.SlidingLaw(0.5 * GAIN, SURFACE, 6.0 * SWITCHING, layer=layer)).control["servo"].u[100:, 0]
        jumps.append(np.abs(np.diff(u)).max())
    assert jumps[1] < 0.1 * jumps[0]


def test_switching_takes_from_the_distance_to_the_surface():
    """What switches adds −Σ |s_i| Σ Δ_ij |e_j| to the rate of ½ σᵀσ, also where S B is not diagonal."""
    rng = np.random.default_rng(2)
    reach = np.array([[2.0, -1.5], [0.5, 1.0]])
    surface, switching = rng.normal(size=(2, 3)), np.abs(rng.normal(size=(2, 3)))
    law = fm.control.SlidingLaw(np.zeros((2, 3)), surface, switching, reach=reach)
    for _ in range(20):
        e = rng.normal(size=3)
        u = np.zeros((1, 2))
        law.kernel.py_func(
            law.parameters()[None], None, None, 0.0, None, None, None, None, e, u, None, np.zeros(law.memory)
        )
        sigma = surface @ e
        s = reach.T @ sigma
        assert sigma @ reach @ u[0] == pytest.approx(-np.abs(s) @ switching @ np.abs(e))


def test_errors_pass_filters_before_gains():
    period = 0.01
    low = fm.control.low_pass(0.02, 40.0)
    errors = fm.control.servo_errors(2, period, filters={1: low}, scale=[1.0, 2.0])
    t = period * np.arange(200)
    y, wanted = np.stack([np.sin(3 * t), np.cos(5 * t)], axis=1), np.stack([t, 0 * t], axis=1)
    run = low.simulate(t, (y - wanted)[:, 1])
    x, seen = np.zeros(len(errors.A)), []
    for now in np.hstack([y, wanted]):
        seen.append(errors.C @ x + errors.D @ now)
        x = errors.A @ x + errors.B @ now
    seen = np.array(seen)
    np.testing.assert_allclose(seen[:, 0], (y - wanted)[:, 0], atol=1e-14)
    start = np.exp(-t / 0.02) + np.exp(-0.7 * 40.0 * t)  # the filter itself starts with zero, a sample before the first
    assert np.all(np.abs(seen[:, 1] - 2.0 * run.y[:, 0]) < 2.0 * start + 1e-9)


def test_bad_input():
    plant = masses()
    with pytest.raises(ModelError, match="reaching"):
        fm.control.sliding_mode(plant, 1.0, 1.0, reaching=0.0)
    with pytest.raises(ControlError, match="continuous time"):
        fm.control.sliding_mode(plant.discrete(0.1), 1.0, 1.0, reaching=1.0)
    with pytest.raises(ModelError, match="switching has negative"):
        fm.control.SlidingLaw(GAIN, SURFACE, -SWITCHING)
    with pytest.raises(ModelError, match="surface has the shape"):
        fm.control.SlidingLaw(GAIN, SURFACE.T, SWITCHING)
    with pytest.raises(ModelError, match="layer"):
        fm.control.SlidingLaw(GAIN, SURFACE, SWITCHING, layer=-1.0)
    with pytest.raises(ModelError, match="3 errors; the gain"):
        fm.control.SlidingLaw(GAIN, SURFACE, SWITCHING, errors=fm.control.LinearLaw(D=np.eye(3)))
    with pytest.raises(ModelError, match="2 inputs and 1 outputs; there are 3 sensors"):
        fm.control.SlidingLaw(GAIN, SURFACE, SWITCHING).check(3, 1, "controller 'c'")
    with pytest.raises(ControlError, match="no reading 4"):
        fm.control.servo_errors(2, 0.01, filters={4: fm.control.low_pass(0.1, 1.0)})


def test_the_law_of_the_source_is_one_by_states_alone():
    plant = masses()
    design = fm.control.sliding_mode(plant, [5.0, 1.0, 0.1, 0.1], [1.0, 0.5], reaching=None)
    loop = plant.A - plant.B @ design.K_eq
    np.testing.assert_allclose(design.S @ loop, 0.0, atol=1e-10)  # σ̇ = 0, eq. (80)
    near = fm.control.sliding_mode(plant, [5.0, 1.0, 0.1, 0.1], [1.0, 0.5], reaching=1e-6)
    np.testing.assert_allclose(near.K_eq, design.K_eq, atol=1e-5)
    assert design.output_feedback().D.shape == (2, 4)
    with pytest.raises(ControlError, match=r"no law by outputs: .* has 2 poles at the origin.*state_law"):
        design.law()


def test_by_states_the_switched_gains_alone_bring_the_surface_to_zero():
    model = fm.PlanarModel("cart")
    cart = model.add_body("cart", mass=1.0, inertia=1.0)
    model.prismatic(model.ground, cart.frame)
    model.point_force(cart.frame, (1.0, 0.0), factor=0.0, name="motor")
    cart.move(velocity=(1.0, 0.0))
    plant = fm.linearize(fm.assemble(model), "motor", ["cart.x", "cart.vx"], steady=False)
    design = fm.control.sliding_mode(plant, [4.0, 0.0], 1.0, reaching=None)
    read = [fm.control.NamedQuantity(model, name) for name in ("cart.x", "cart.vx")]
    off = {}
    for switching in (0.0, 0.8):
        law = design.state_law(switching=switching)
        if model.controllers:
            run = fm.simulate(_with(model, law), 4.0, step=1e-3)
        else:
            model.add_controller("servo", period=1e-3, sensors=read, commands="motor", law=law)
            run = fm.simulate(model, 4.0, step=1e-3)
        sigma = np.column_stack([run["cart.x"], run["cart.vx"]]) @ design.S[0]
        off[switching] = abs(sigma[-1])
    assert off[0.0] == pytest.approx(abs(design.S[0, 1]), rel=1e-2)  # σ stays what it was
    # K_eq = (0, S₁/S₂) acts on the speed alone, which dies out as exp(−1.8 S₁/S₂ t): σ falls from S₂ v₀ to S₂ v₀/1.8
    assert off[0.8] == pytest.approx(abs(design.S[0, 1]) / 1.8, rel=1e-2)


def _with(model: fm.PlanarModel, law: object) -> fm.PlanarModel:
    model.controllers["servo"] = model.controllers["servo"].with_law(law)
    return model
