"""What a user meets when a run cannot be started or carried on."""

from __future__ import annotations

import os
import re
import signal
import threading
import warnings

import numpy as np
import pytest
import scipy.sparse

import flexmb as fm
from flexmb.errors import (
    DivergenceWarning,
    InitialConditionError,
    InitialConditionWarning,
    KernelError,
    ModelError,
    NamingError,
    RedundancyError,
    SolverError,
)
from flexmb.system.rank import redundant_rows
from tests.models.chains import chain
from tests.models.pendulums import flexible_pendulum


def test_redundant_joints_are_named():
    model = chain(2)
    model.revolute(model.ground, model.frame("link0.near"), name="again")
    with pytest.raises(RedundancyError, match=r"rank 4 of 6.*'again'.*'hinge0'.*remove one, or use redundant='remove'"):
        fm.simulate(model, 0.1, redundant="error", progress=False)
    with pytest.warns(
        fm.errors.RedundancyWarning, match=r"'again' \(row x\) with joint 'hinge0'.*'again' \(row y\)"
    ) as said:
        run = fm.simulate(model, 0.1, step=1e-3, progress=False)
    assert len(said) == 1
    np.testing.assert_allclose(run.q, fm.simulate(chain(2), 0.1, step=1e-3, progress=False).q, atol=1e-12)


def test_a_drive_left_out_as_redundant_must_not_contradict_the_others_later():
    model = chain(1)
    link = model.frame("link0")
    model.drive_angle(model.ground, link, fm.Constant(0.0), name="hold")
    model.drive_angle(model.ground, link, fm.Polynomial([0.0, 0.0, 0.0, 1.0]), name="move")
    with pytest.warns(DivergenceWarning, match="move.*contradicts"), pytest.warns(fm.errors.RedundancyWarning):
        run = fm.simulate(model, 1.0, step=1e-2, progress=False)
    assert run.status == "diverged" and run.t[-1] < 0.1


def test_sparse_rank_search_finds_the_same_rows(monkeypatch):
    from flexmb.algebra import rank

    model = chain(3)
    model.revolute(model.ground, model.frame("link0.near"), name="again")
    system = fm.System(model)
    rows = redundant_rows(system, 0.0, system.q0)
    G = scipy.sparse.csc_array(system.jacobian(0.0, system.q0))
    monkeypatch.setattr(rank, "LARGEST_DENSE", 0)
    found, _ = rank.dependent_rows(G)
    assert len(found) == len(rows) == 2
    kept = np.setdiff1d(np.arange(system.m), found)
    assert np.linalg.matrix_rank(G.toarray()[kept]) == len(kept)


def test_contradicting_joints_are_named():
    model = chain(1)
    model.revolute(model.ground.attach("elsewhere", (3.0, 0.0)), model.frame("link0.far"), name="far away")
    with pytest.raises(RedundancyError, match=r"'far away' \(row x\) with joint 'hinge0', off by .*contradict"):
        fm.simulate(model, 0.1, progress=False)


def test_joints_that_cannot_be_reached_are_named_with_their_distance():
    model = fm.PlanarModel("too short")
    before = model.ground
    for k in range(2):
        link = model.add_body(f"link{k}", mass=1.0, inertia=0.1, position=(k + 0.5, 0.1), angle=0.3 - 0.6 * k)
        model.revolute(before, link.attach("near", (-0.5, 0.0)), name=f"hinge{k}")
        before = link.attach("far", (0.5, 0.0))
    model.revolute(model.ground.attach("elsewhere", (3.0, 0.0)), before, name="far away")
    with pytest.raises(InitialConditionError, match=r"cannot be brought together.*far away \(x\) by -1"):
        fm.simulate(model, 0.1, progress=False)


def test_a_rough_sketch_is_assembled_with_a_warning():
    model = fm.PlanarModel("sketch", gravity=(0, -9.81))
    link = model.add_body("link", mass=1.0, inertia=0.1, position=(0.52, 0.03))
    model.revolute(model.ground, link.attach("near", (-0.5, 0.0)), name="hinge")
    with pytest.warns(InitialConditionWarning, match="sketch"):
        run = fm.simulate(model, 0.01, progress=False)
    assert run.statistics.position_correction > 1e-3
    near = run["link.near"].position[0]
    np.testing.assert_allclose(near, 0.0, atol=1e-11)


def test_initial_speeds_are_completed():
    model = chain(1)
    model.component("link0").move(angular_velocity=2.0)  # the joint asks for (0, 1) at the center
    run = fm.simulate(model, 0.01, progress=False)
    v = run["link0"]
    assert v.velocity[0, 1] == pytest.approx(0.5 * v.angular_velocity[0], abs=1e-11)
    assert run.statistics.velocity_correction > 0


def test_a_coordinate_without_inertia_is_named():
    model = chain(1)
    model.add_frame("loose", (2.0, 0.0))
    with pytest.raises(SolverError, match=r"loose\.x.*no inertia"):
        fm.simulate(model, 0.1, progress=False)


def test_an_empty_model_says_so():
    with pytest.raises(ModelError, match="nothing that can move"):
        fm.simulate(fm.PlanarModel("empty"), 1.0)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"method": "generalised_alpha"}, SolverError, "did you mean 'generalized_alpha'"),
        ({"tolerence": 1e-3}, SolverError, "did you mean 'tolerance'"),
        ({"step": -1.0}, ModelError, "step"),
        ({"t_end": -1.0}, ModelError, "later than t_start"),
        ({"t_end": float("nan")}, ModelError, "t_end"),
        ({"method": "projection", "ode_method": "Euler"}, SolverError, "RK45"),
        ({"method": "independent", "coordinates": ["link9.angle"]}, NamingError, r"link0\.angle"),
        (
            {"method": "independent", "coordinates": ["link0.x", "link1.x", "link1.y"]},
            SolverError,
            "2 degrees of freedom",
        ),
        ({"method": "independent", "max_order": 7}, SolverError, "orders 1 to 5"),
        ({"save_every": 0}, ModelError, "save_every"),
        ({"spectral_radius": 1.5}, SolverError, "between 0 and 1"),
    ],
)
def test_wrong_arguments(arguments, error, message):
    arguments = {"t_end": 0.1} | arguments
    with pytest.raises(error, match=message):
        fm.simulate(chain(), progress=False, **arguments)


def test_divergence_keeps_what_there_is_and_says_where():
    model = fm.PlanarModel("runaway")
    stone = model.add_body("stone", mass=1.0, inertia=1.0, position=(1.0, 0.0))
    model.spring_damper(model.ground, stone.frame, stiffness=1e6, damping=0.0, free_length=0.5, name="stiff")
    with pytest.warns(DivergenceWarning, match="runaway"):
        run = fm.simulate(model, 100.0, "rkf45", step=0.1, progress=False)
    assert run.status == "diverged"
    assert "stone" in run.message
    assert len(run.t) > 1 and np.all(np.isfinite(run.q))


def test_interrupt_keeps_the_steps_done():
    fm.simulate(flexible_pendulum(), 10.0, step=1e-3, save_every=100, progress=False)  # compiled before the clock runs
    timer = threading.Timer(0.4, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = fm.simulate(flexible_pendulum(), 1e5, step=1e-3, save_every=100, progress=False)
    timer.cancel()
    assert run.status == "interrupted"
    assert 0.0 < run.t[-1] < 1e5
    assert "interrupted" in run.message


@pytest.mark.parametrize("method", ["generalized_alpha", "independent"])
def test_an_exception_late_in_a_run_leaves_the_steps_before_it(method):
    def force(t, position, velocity):
        return 1.0 / (0.5 - t) if t < 0.45 else 1.0 / 0.0, 0.0, 0.0

    model = fm.PlanarModel("cart")
    cart = model.add_body("cart", mass=1.0, inertia=1.0)
    model.python_force(cart.frame, force, name="wind")
    with pytest.raises(KernelError, match=r"wind.*ZeroDivisionError") as caught:
        fm.simulate(model, 1.0, method, progress=False)
    kept = caught.value.solution
    assert kept.status == "failed" and "ZeroDivisionError" in kept.message
    # x' = −ln(1 − 2t): of all that went before, nothing is lost
    assert 0.3 < kept.t[-1] <= 0.45
    early = kept.t < 0.4
    assert early.sum() > 5
    np.testing.assert_allclose(kept["cart.vx"][early], -np.log(1.0 - 2.0 * kept.t[early]), atol=2e-3)


@pytest.mark.parametrize("method", ["radau", "dop853", "generalized_alpha"])
def test_a_motion_beyond_the_range_of_a_theory_is_said_to_be_so(method):
    """A linear beam that a hub spins up beyond its first frequency goes away without bound; kilometers from there
    methods fail for one reason or another, none of which is a property of the mechanism."""
    model = fm.PlanarModel("blade")
    hub = model.add_body("hub", mass=1.0, inertia=0.1)
    model.revolute(model.ground, hub.frame)
    given = {"material": fm.Material(2700, 70e9), "section": fm.Circle(diameter=0.01)}
    model.add_beam("rod", hub.attach("root", (0.1, 0)), (1.1, 0), theory="floating", modes=2, **given)
    model.drive_angle(model.ground, hub.frame, fm.Polynomial([0.0, 0.0, 40.0]))
    with pytest.warns(DivergenceWarning):
        run = fm.simulate(model, 4.0, method, progress=False)
    assert run.status == "diverged" and np.abs(run["rod.end"].position[-1]).max() > 100.0
    said = r"s: beam 'rod' bends too far .* linear in the frame of its start; take theory='cms'; beyond the range of"
    assert re.search(said, run.message)
