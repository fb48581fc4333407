"""Closing of states, the partition and the accuracy of runs in independent coordinates."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import SolverError
from flexmb.examples.four_bar import build as four_bar
from flexmb.examples.pendulum import build as soft_pendulum
from flexmb.solvers.coordinates.independent.closing import close_state
from flexmb.solvers.methods.independent.partition import Partition
from flexmb.solvers.statuses import OK
from flexmb.validation.references import parallelogram
from tests.models.chains import askew, chain
from tests.models.parallelograms import falling, four_bars
from tests.models.vehicles import train


@pytest.mark.parametrize("build", [lambda: chain(3), lambda: train(2), lambda: train(12), four_bar, askew])
def test_a_state_is_closed_along_its_dependent_coordinates(build):
    system = fm.System(build())
    partition = Partition(system, 0.0, system.full_q(system.q0))
    n, nq, rng = system.n, system.nq, np.random.default_rng(1)
    q, v, a, lam = system.full_q(system.q0), system.full(system.v0), system.full(np.zeros(n)), np.zeros(system.m)
    q[:nq] = system.retract(q[:nq], 1e-2 * rng.uniform(-1.0, 1.0, n) * system.scale)
    v[:n] += rng.uniform(-1.0, 1.0, n)
    given = partition.carried.positions(q), v[partition.independent_speeds]
    assert close_state(partition.closing, 0.3, q, v, a, lam) == OK
    g, gd, gamma = system.constraint(0.3, q[:nq], v[:n])
    g[system.at_speed] = 0.0
    for left, scale in ((g, 1e-12), (gd, 1e-10), (system.jacobian(0.3, q[:nq]) @ a[:n] - gamma, 1e-9)):
        np.testing.assert_allclose(left, 0.0, atol=scale * system.length_scale)
    np.testing.assert_allclose(system.residual(0.3, q[:nq], v[:n], a[:n], lam), 0.0, atol=1e-7)
    np.testing.assert_allclose(partition.carried.positions(q), given[0], atol=1e-14)
    np.testing.assert_array_equal(v[partition.independent_speeds], given[1])


@pytest.mark.parametrize("rtol", [1e-3, 1e-5, 1e-7, 1e-9])
def test_the_error_of_a_run_is_at_most_ten_times_the_tolerance(rtol):
    options = {"tolerance": rtol, "absolute_tolerance": 1e-2 * rtol, "progress": False}
    run = fm.simulate(four_bar(), 3.0, "independent", **options)
    assert np.max(np.abs(0.5 * np.pi - run["left"].angle - parallelogram.angle(run.t))) < 10.0 * rtol
    run = fm.simulate(chain(1), 10.0, "independent", **options)
    exact = fm.simulate(chain(1), 10.0, "projection", tolerance=1e-12, absolute_tolerance=1e-14, progress=False)
    assert np.max(np.abs(run.at(exact.t)["link0"].angle - exact["link0"].angle)) < 10.0 * rtol


def test_a_tolerance_that_cannot_be_reached_is_refused():
    with pytest.raises(SolverError, match=r"tolerance is 1e-11; method 'independent' reaches 1e-10 at best"):
        fm.simulate(chain(1), 1.0, "independent", tolerance=1e-11, progress=False)


def test_integrators_have_names():
    with pytest.raises(fm.errors.ModelError, match="integrator is 'gear'; choose one of 'cvode', 'radau'"):
        fm.simulate(chain(1), 1.0, "independent", integrator="gear", progress=False)


def test_a_partition_is_kept_where_no_other_is_better():
    """At flat all columns of G fade; a crank's angle is a good coordinate before and behind."""
    run = fm.simulate(four_bars(1), 4.0, "independent", progress=False)
    assert run.statistics.repartitions == 0
    assert np.max(np.abs(run["crank0"].angle - falling(1, run.t))) < 1e-4


def test_coordinates_that_wear_out_are_not_chosen_again():
    """A rod that turns about a pin, its places chosen at first: the second choice is its angle, which lasts."""
    model = chain(1)
    model.component("link0").move((0.0, 2.0), 4.0)
    system = fm.System(model)
    first = Partition(system, 0.0, system.full_q(system.q0), weights=np.array([1.0, 1.0, 4.0]))
    assert [system.names[k] for k in first.independent] != ["link0.angle"]
    lasting = first
    for angle in np.linspace(0.0, 4.0 * np.pi, 400):
        q = system.full_q(np.array([0.5 * np.cos(angle), 0.5 * np.sin(angle), angle]))
        v, a, lam = system.full(np.zeros(3)), system.full(np.zeros(3)), np.zeros(system.m)
        assert close_state(lasting.closing, 0.0, q, v, a, lam) == OK
        if lasting.is_worn(lasting.closing.positions.pivots, 1.0, 0.0):
            lasting = lasting.better(0.0, q) or lasting
    assert [system.names[k] for k in lasting.independent] == ["link0.angle"]


def test_the_exact_jacobian_saves_evaluations(monkeypatch):
    import sksundae.cvode

    counts = []
    original = sksundae.cvode.CVODE
    for drop in (False, True):
        if drop:
            without = lambda f, *, jacfn, **options: original(f, **options)  # noqa: E731
            monkeypatch.setattr(sksundae.cvode, "CVODE", without)
        run = fm.simulate(soft_pendulum(), 0.5, "independent", progress=False)
        counts.append(run.statistics.evaluations / run.statistics.steps)  # how many steps there are is left to chance
        assert (run.statistics.jacobians == 0) == drop
    assert counts[0] < 0.9 * counts[1]
