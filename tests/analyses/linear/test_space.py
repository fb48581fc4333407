"""Linear models of mechanisms in space, against differences of whole runs."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.spatial import SpatialModel
from tests.models.box_on_mounts import INERTIA, MASS, MOUNTS, TURN, Wrench, box, jacobian

NEAR = {
    "method": "projection",
    "ode_method": "DOP853",
    "tolerance": 1e-12,
    "absolute_tolerance": 1e-13,
    "progress": False,
}


#: a linear model restores positions that meet joints to first order, and the run closes the rest
CLOSED = pytest.mark.filterwarnings("ignore:.*did not meet the joints .gaps of joint 'spherical 1' by .*e-0[67] m")


def states_after(linear: fm.LinearModel, x: np.ndarray, t: float) -> np.ndarray:
    """(δq, δv) that a whole run has after a start moved by x, against one that is not moved; by a difference of fourth
    order."""
    system = linear.state.system
    ends = []
    still = fm.simulate(system.model, t, initial=linear.restore(0.0 * x), **NEAR)
    for share in (1.0, -1.0, 2.0, -2.0):
        run = fm.simulate(system.model, t, initial=linear.restore(share * x), **NEAR)
        y = system.difference(run.q[-1], still.q[-1])
        ends.append(np.concatenate([y, run.v[-1] - still.v[-1]]))
    return (8.0 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / 12.0


def test_about_rest_against_matrices_made_by_hand():
    damping = 0.004
    linear = fm.linearize(box(damping=damping), ["box.fx", "a.fz", "a.my"], ["box.x", "a.y", "a.vz", "box.wx", "b.ax"])
    n = 6
    M = np.diag([MASS] * 3 + INERTIA.tolist())
    K = sum(jacobian(arm).T @ np.diag(stiffness) @ jacobian(arm) for arm, stiffness in MOUNTS.values())
    J = {name: jacobian(MOUNTS[name][0]) for name in "ab"}
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -damping * np.linalg.solve(M, K)]])
    R = TURN.as_matrix()
    forces = np.column_stack([np.eye(6)[0], J["a"][2], np.append(np.zeros(3), R.T @ [0, 1, 0])])
    B = np.vstack([np.zeros((n, 3)), np.linalg.solve(M, forces)])
    np.testing.assert_allclose(linear.A, A, atol=1e-9 * np.abs(A).max())
    np.testing.assert_allclose(linear.B, B, atol=1e-10)
    zero = np.zeros(n)
    C = np.array([
        np.append(np.eye(6)[0], zero), np.append(J["a"][1], zero), np.append(zero, J["a"][2]),
        np.concatenate([zero, np.zeros(3), R[0]]), J["b"][0] @ A[n:],
    ])  # fmt: skip
    np.testing.assert_allclose(linear.C, C, atol=1e-8 * np.abs(C).max())
    D = np.zeros((5, 3))
    D[4] = J["b"][0] @ B[n:]
    np.testing.assert_allclose(linear.D, D, atol=1e-9)
    assert linear.states[3:5] == ["box.turn x", "box.turn y"] and linear.states[9] == "box.own wx"


def test_about_rest_against_whole_runs():
    model = box(gravity=(120.0, -90.0, -300.0), damping=0.004)
    model.add(Wrench(model.frames["b"], force=(1.0, 2.0, -1.0), moment=(0.3, 0.1, -0.2), factor=0.0, name="push"))
    rest = fm.equilibrium(model)
    assert (rest["box"].orientation * TURN.inv()).magnitude() > 0.2
    linear = fm.linearize(rest, "push", ["box.x"])
    end = 0.13
    flow = scipy.linalg.expm(end * linear.A)
    for k in (1, 4, 8, 11):
        x = 1e-3 * np.eye(12)[k] * (1.0 if k < 6 else 10.0)
        np.testing.assert_allclose(states_after(linear, x, end), flow @ x, atol=2e-8)
    # the push acts for a while
    pushed = []
    for factor in (1.0, -1.0):
        model.components["push"].factor = fm.Constant(factor)
        run = fm.simulate(model, end, initial=rest, **NEAR)
        pushed.append(np.append(rest.state.system.difference(run.q[-1], rest.state.q), run.v[-1]))
    model.components["push"].factor = fm.Constant(0.0)
    exact = np.linalg.solve(linear.A, (flow - np.eye(12)) @ linear.B[:, 0])
    np.testing.assert_allclose((pushed[0] - pushed[1]) / 2.0, exact, atol=1e-5 * np.abs(exact).max())


def test_a_free_body_that_spins():
    """About a principal axis a small wobble has the frequency Ω √((I₃ − I₁)(I₃ − I₂)/(I₁ I₂)) in the axes
    of the body; the place where it stands wobbles with that and with Ω."""
    spin, inertia = 7.0, np.array([0.5, 0.8, 1.1])
    model = SpatialModel("stone")
    stone = model.add_body("stone", mass=2.0, inertia=inertia, position=(0.3, 0.1, -0.2), orientation=TURN)
    stone.frame.move((1.0, -2.0, 0.5), TURN.apply([0.0, 0.0, spin]))
    with pytest.warns(fm.errors.BalanceWarning, match="one of a steady motion"):
        linear = fm.linearize(model, "stone.mx", ["stone.wx", "stone.e1"])
    wobble = spin * np.sqrt((inertia[2] - inertia[0]) * (inertia[2] - inertia[1]) / (inertia[0] * inertia[1]))
    values = np.sort(np.abs(np.linalg.eigvals(linear.A).imag))[-4:]
    np.testing.assert_allclose(values, np.sort([spin, spin, wobble, wobble]), rtol=1e-9)
    end = 0.4
    flow = scipy.linalg.expm(end * linear.A)
    for k in (3, 4, 5, 9, 10, 11):
        x = 1e-3 * np.eye(12)[k]
        np.testing.assert_allclose(states_after(linear, x, end), flow @ x, atol=3e-9)
    with pytest.raises(ModelError, match=r"modes of rest are no coordinates of a state in which bodies turn in space"):
        fm.linearize(model, "stone.mx", "stone.wx", modes=2)


@CLOSED
def test_a_top_at_one_instant():
    """About a motion A holds for an instant: x(h) = (1 + h A + …) x(0)."""
    model = SpatialModel("top", gravity=(0, 0, -9.81))
    top = model.add_body("top", mass=3.0, inertia=(0.3, 0.25, 0.4), position=(0.2, 0.1, 0.5), orientation=TURN)
    tip = top.frame.attach("tip", TURN.inv().apply((-0.2, -0.1, -0.5)))
    model.spherical(model.ground, tip)
    omega = np.array([2.0, -1.0, 9.0])
    top.frame.move(np.cross(omega, (0.2, 0.1, 0.5)), omega)
    linear = fm.linearize(model, "top.mx", ["top.x"])
    assert linear.A.shape == (6, 6)
    for k in range(6):
        x = 1e-3 * np.eye(6)[k]
        slopes = []
        for h in (2e-3, 1e-3):
            moved = states_after(linear, x, h)
            slopes.append((_as_states(linear, moved) - x) / h)
        np.testing.assert_allclose(2.0 * slopes[1] - slopes[0], linear.A @ x, atol=1e-6)


def _as_states(linear: fm.LinearModel, moved: np.ndarray) -> np.ndarray:
    """The states of changes (δq, δv) that joints allow."""
    names = linear.state.system.names
    own = [name.replace("turn ", "w") for name in linear.states[: len(linear.states) // 2]]
    k = np.array([names.index(name) for name in own])
    return np.concatenate([moved[k], moved[len(names) + k]])


def test_frequency_response_at_rest():
    model = box(damping=0.004)
    f = np.array([0.0, 1.0, 3.0])
    names = ["a.fz", "box.mx"], ["a.x", "box.wz", "c.az"]
    response = fm.frequency_response(model, *names, f)
    linear = fm.linearize(model, *names).response(f)
    np.testing.assert_allclose(response.values, linear.values, atol=1e-9 * np.abs(linear.values).max())


def test_a_driven_hinge_as_input():
    """The angle of a hinge about an axis across the weight of an arm: θ̈ is given, so the arm's place is."""
    model = SpatialModel("arm")
    arm = model.add_body("arm", mass=1.0, inertia=(0.1, 0.2, 0.3), position=(0.0, 1.0, 0.0))
    end = arm.frame.attach("end", (0.0, -1.0, 0.0))
    model.revolute(model.ground, end, axis="x")
    model.drive_angle(model.ground, end, fm.Polynomial([0.0, 2.0]), axis="x", name="motor")
    box_on = model.add_body("weight", mass=0.5, inertia=(0.1, 0.1, 0.1), position=(0.0, 2.0, 0.0))
    model.bushing(arm.frame, box_on.frame, stiffness=(90.0, 50.0, 70.0, 3.0, 2.0, 4.0), free=(0.0, 1.0, 0.0))
    with pytest.warns(fm.errors.BalanceWarning, match="one of a steady motion"):
        linear = fm.linearize(model, "motor", ["arm.wx", "arm.z"])
    assert linear.states[-1] == "motor rate" and linear.stable is not None
    wx = linear.outputs.index("arm.wx")
    np.testing.assert_allclose(linear.C[wx], np.eye(len(linear))[-1], atol=1e-9)
