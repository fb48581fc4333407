"""The bicycle of the demo: its matrices are those of the benchmark, its linear model is its motion nearby."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.algebra.factors import dense
from flexmb.examples import bicycle
from flexmb.validation.references.bicycle import Bicycle


def test_matrices_of_the_reference_are_those_printed():
    M, C1, K0, K2 = Bicycle().matrices()
    np.testing.assert_allclose(M, [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]], rtol=1e-12)
    np.testing.assert_allclose(K0, [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]], rtol=1e-12)
    np.testing.assert_allclose(K2, [[0.0, 76.59734589573222], [0.0, 2.65431523794604]], rtol=1e-12)
    np.testing.assert_allclose(C1, [[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]], rtol=1e-12)
    assert Bicycle().weave_speed() == pytest.approx(4.29238253634111, abs=1e-11)
    assert Bicycle().capsize_speed() == pytest.approx(6.02426201538837, abs=1e-11)


@pytest.mark.parametrize("speed", [0.0, 1e-9, 0.3, 3.7, 7.0, 300.0])
def test_eigenvalues_of_four_bodies_are_those_of_the_reference(speed):
    np.testing.assert_allclose(bicycle.eigenvalues(speed), Bicycle().eigenvalues(speed), atol=1e-10)


def test_no_row_repeats_another():
    system = fm.System(bicycle.build(5.0))
    assert system.left_out == 0 and system.n - system.m == 3 and int(np.sum(system.at_speed)) == 4
    rank = np.linalg.matrix_rank(dense(system.jacobian(0.0, system.q0)))
    assert rank == system.m


def test_the_linear_model_is_the_motion_near_the_steady_one():
    """Differences of fourth order of whole runs, with the cyclic states too, which the place as an output keeps."""
    near = {
        "method": "projection",
        "ode_method": "DOP853",
        "tolerance": 1e-12,
        "absolute_tolerance": 1e-13,
        "progress": False,
    }
    outputs = ["steering.angle", "rear wheel.y", "frame.y", "front wheel hub.rate"]
    linear = fm.linearize(bicycle.build(5.0), "frame.mx", outputs, steady=True)
    assert len(linear) == 7
    t = np.linspace(0.0, 0.6, 13)
    rng = np.random.default_rng(4)
    x = 1e-4 * rng.standard_normal(len(linear))
    runs = []
    for share in (1.0, -1.0, 2.0, -2.0):
        run = fm.simulate(linear.state.model, t[-1], initial=linear.restore(share * x), times=t, **near)
        runs.append(np.column_stack([run[name] for name in outputs]))
    slope = (8.0 * (runs[0] - runs[1]) - (runs[2] - runs[3])) / 12.0
    small = linear.simulate(t, np.zeros((len(t), 1)), x).y
    np.testing.assert_allclose(slope, small, atol=2e-8)


def test_a_bicycle_that_is_pushed_comes_upright_and_keeps_its_energy():
    run = fm.simulate(bicycle.build(4.6, push=0.5), 12.0, progress=False)
    assert run.trustworthy and np.ptp(run.energy.total) < 1e-3
    assert abs(run["steering.angle"][-1]) < 2e-3 < np.max(np.abs(run["steering.angle"]))
    slow = fm.simulate(bicycle.build(3.8, push=0.01), 5.0, progress=False)
    assert np.max(np.abs(slow["steering.angle"][slow.t > 4.0])) > 2.0 * np.max(
        np.abs(slow["steering.angle"][slow.t < 1.0])
    )


def test_eigenvalues_need_a_steady_motion():
    with pytest.raises(fm.errors.LinearModelError, match="no steady motion"):
        fm.linearize(bicycle.build(4.6, push=0.5), "frame.mx", ["steering.angle"], steady=True)
