"""The Rosenbrock method: its coefficients, its order, what it does to stiff motion, and what a step costs."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import SolverError
from flexmb.solvers.methods import rosenbrock
from flexmb.solvers.methods.rosenbrock import GAMMA, ROSENBROCK
from flexmb.validation import heavy_top
from flexmb.validation.references import heavy_top as reference
from tests.models.cantilevers import strip
from tests.models.chains import chain
from tests.models.pendulums import swung
from tests.models.tops import top

COORDINATES = pytest.mark.parametrize("coordinates", [{}, {"formulation": "aba"}], ids=["bodies", "joints"])
#: α (4, 4), with γ_ij below the diagonal and γ on it (4, 4), and the weights of both methods
ALPHA, OFF = np.pad(rosenbrock._STAGES, ((0, 0), (1, 0), (0, 1)))
G = OFF + GAMMA * np.eye(4)
WEIGHTS = rosenbrock._B, rosenbrock._EMBEDDED


def run(model, t_end, **options):
    return fm.simulate(model, t_end, "rosenbrock", progress=False, **options)


def step_matrix(A, h):
    """R(hA) of the step y₁ = R(hA) y of a linear equation ẏ = A y, with the exact Jacobian."""
    n = len(A)
    stages = np.kron(np.eye(4), np.eye(n)) - np.kron(ALPHA + G, h * A)
    k = np.linalg.solve(stages, np.kron(np.ones((4, 1)), np.eye(n)))
    return np.eye(n) + h * A @ np.kron(WEIGHTS[0], np.eye(n)) @ k


@pytest.mark.parametrize("b, order", [(WEIGHTS[0], 3), (WEIGHTS[1], 2)], ids=["method", "embedded"])
def test_conditions_of_order_for_any_jacobian(b, order):
    """Hairer and Wanner (1991), IV.7: those of an explicit method, and zero for all trees with a node of J."""
    alpha, gamma = ALPHA.sum(axis=1), G.sum(axis=1)
    found, wanted = [b.sum(), b @ alpha, b @ gamma], [1.0, 1 / 2, 0.0]
    if order == 3:
        found += [b @ alpha**2, b @ ALPHA @ alpha, b @ ALPHA @ gamma, b @ G @ alpha, b @ G @ gamma]
        wanted += [1 / 3, 1 / 6, 0.0, 0.0, 0.0]
    np.testing.assert_allclose(found, wanted, atol=1e-14)


def test_it_is_l_stable():
    """|R| ≤ 1 on the imaginary axis, and R(∞) = 0; γ is the root for which its denominator allows that."""
    assert GAMMA**3 - 3.0 * GAMMA**2 + 1.5 * GAMMA - 1 / 6 == pytest.approx(0.0, abs=1e-15)
    largest = []
    for z in 1j * np.logspace(-2, 4, 200):
        k = np.linalg.solve(np.eye(4) - z * (ALPHA + G), np.ones(4))
        largest.append(abs(1.0 + z * WEIGHTS[0] @ k))
    assert max(largest) < 1.0 + 1e-12 and largest[-1] < 1e-3


@COORDINATES
def test_it_is_of_third_order(coordinates):
    errors = []
    for h in (1e-2, 5e-3):
        swing = run(chain(1), 2.0, step=h, second_run=False, **coordinates)
        errors.append(np.max(np.abs(swing["link0"].angle - swung(swing.t))))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(3.0, abs=0.1)
    assert errors[0] < 3e-4


@COORDINATES
def test_it_is_of_third_order_in_space(coordinates):
    errors = []
    for h in (1e-3, 5e-4):
        spin = run(heavy_top.build(), 0.2, step=h, second_run=False, **coordinates)
        errors.append(np.max(np.abs(spin["top"].position - reference.center(reference.motion(spin.t)[0]))))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(3.0, abs=0.2)


def test_a_top_in_euler_angles():
    """Of its joint; in absolute coordinates rates of angles are no displacements, and refused."""
    exact = fm.simulate(top(), 0.2, "dop853", tolerance=1e-10, progress=False)
    turned = run(top(), 0.2, tolerance=1e-5, formulation="aba", rotations="euler_angles:ZYX")
    assert np.max(np.abs(turned["top"].position[-1] - exact["top"].position[-1])) < 1e-4


@pytest.mark.filterwarnings("ignore::flexmb.errors.AccuracyWarning")  # it damps what is faster than the steps
@pytest.mark.parametrize("stiffness, damping", [(100.0, 0.0), (1e4, 30.0), (1e8, 1e5)])
def test_a_linear_oscillator_takes_the_steps_of_its_stability_function(stiffness, damping):
    m = fm.PlanarModel("oscillator")
    body = m.add_body("body", mass=2.0, inertia=1.0)
    m.prismatic(m.ground, body.frame)
    m.bushing(m.ground, body.frame, stiffness=(stiffness, 0.0, 0.0), damping=(damping, 0.0, 0.0))
    body.move((1.0, 0.0))
    swing = run(m, 1.0, step=0.02, second_run=False)
    A = np.array([[0.0, 1.0], [-stiffness / 2.0, -damping / 2.0]])
    R = step_matrix(A, 0.02)
    states = [np.array([0.0, 1.0])]
    for _ in range(50):
        states.append(R @ states[-1])
    np.testing.assert_allclose(swing["body.x"], np.array(states)[:, 0], atol=1e-9)


def test_each_step_costs_the_same():
    """In a stiff system too, where an explicit method cannot go on with this step."""
    bent = run(strip(4), 0.05, step=1e-3, second_run=False)
    counts = bent.statistics
    assert bent.status == "finished" and counts.iterations == 0
    assert counts.evaluations == 4 * counts.steps + 1 and counts.factorizations == counts.steps == 50
    exact = fm.simulate(strip(4), 0.05, "radau", tolerance=1e-8, progress=False)
    assert bent["strip.end.z"][-1] == pytest.approx(exact["strip.end.z"][-1], abs=1e-4)


def test_vibration_that_has_decayed_does_not_shorten_the_steps():
    """A body of 1 kg on 1e7 N/m with a damper is pushed slowly: its own vibration, of 3e3 rad/s, decays in 10 ms."""
    m = fm.PlanarModel("pushed")
    body = m.add_body("body", mass=1.0, inertia=1.0)
    m.prismatic(m.ground, body.frame)
    m.bushing(m.ground, body.frame, stiffness=(1e7, 0.0, 0.0), damping=(2e3, 0.0, 0.0))
    m.point_force(body.frame, (1e4, 0.0), factor=fm.SmoothStep(1.0, 2.0))
    pushed = run(m, 4.0, tolerance=1e-4)
    explicit = fm.simulate(m, 4.0, "rkf45", tolerance=1e-4, progress=False)
    assert pushed["body.x"][-1] == pytest.approx(1e-3, abs=1e-6)
    assert pushed.statistics.steps < 0.1 * explicit.statistics.steps


def test_the_error_of_fixed_steps_is_estimated():
    swing = run(chain(1), 2.0, step=2e-2)
    error = np.max(np.abs(swing["link0"].angle - swung(swing.t)))
    assert 0.5 * error < swing.statistics.estimated_error < 4.0 * error


def test_a_sparse_system():
    """Room for both factors grows when it is needed."""
    swing = run(chain(60), 0.05, tolerance=1e-6)
    exact = fm.simulate(chain(60), 0.05, "rkf45", step=1e-4, progress=False)
    assert np.max(np.abs(swing.q[-1] - exact.q[-1])) < 60.0 * 1e-6


def test_what_it_refuses():
    with pytest.raises(SolverError, match="in absolute coordinates method 'rosenbrock' knows no rotations"):
        run(top(), 0.1, rotations="euler_angles")
    with pytest.raises(SolverError, match="step and tolerance are both given"):
        run(chain(1), 0.1, step=1e-3, tolerance=1e-4)
    assert ROSENBROCK.implicit


def test_a_file_knows_it(tmp_path):
    swing = run(chain(1), 0.2)
    swing.save(tmp_path / "swing.h5")
    known = fm.load(tmp_path / "swing.h5")
    assert known.statistics.method == "rosenbrock"
    on = run(chain(1), 2.0, initial=known, t_start=0.2, tolerance=1e-5)
    assert on["link0"].angle[-1] == pytest.approx(swung(2.0), abs=1e-4)
