"""Methods of a user's own: their order, what they have from the loop, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.algebra.tableau import Tableau
from flexmb.errors import SolverError
from flexmb.kernels.compilation import called
from flexmb.solvers.methods.explicit.explicit_run import OneStepMethod
from flexmb.solvers.methods.explicit.explicit_step import (
    accelerate_stage,
    begin_step,
    combined_errors,
    fill,
    slopes_at,
)
from flexmb.solvers.methods.registry import METHODS
from flexmb.solvers.statuses import OK
from tests.models.chains import chain
from tests.models.pendulums import swung

#: Kutta's method of fourth order, with Simpson's weights, and none embedded
KUTTA = [[0, 0, 0, 0], [1 / 2, 0, 0, 0], [0, 1 / 2, 0, 0], [0, 0, 1, 0]], [1 / 6, 1 / 3, 1 / 3, 1 / 6]


@called(int)
def attempt(loop, t, h):
    """Explicit midpoint."""
    table, motion, stage = loop.method, loop.motion, loop.stage
    status = begin_step(loop)
    if status == OK:
        slopes_at(loop, 0, stage.x0, stage.u0, motion.v, motion.a)
        status = fill(loop, table.a[1], h)
    if status == OK:
        status = accelerate_stage(loop, t + 0.5 * h)
    if status == OK:
        slopes_at(loop, 1, stage.x, stage.u, stage.v, stage.a)
        status = fill(loop, table.b, h)
    return status


def midpoint():
    a, b, c = np.array([[0.0, 0.0], [0.5, 0.0]]), np.array([0.0, 1.0]), np.array([0.0, 0.5])
    record = Tableau(a, b, c, np.array([[-1.0, 1.0], [0.0, 0.0]]), order=2)
    return OneStepMethod(attempt, combined_errors, record, stages=2, of_tolerance=0.05)


def heun():
    return fm.runge_kutta([[0, 0], [1, 0]], [0.5, 0.5], order=2, embedded=[1, 0])


@pytest.fixture(autouse=True)
def added():
    fm.add_method("heun", heun())
    fm.add_method("midpoint", midpoint())
    fm.add_method("kutta", fm.runge_kutta(*KUTTA, order=4))


def measured_order(method, step, **options):
    errors = []
    for h in (step, 0.5 * step):
        run = fm.simulate(chain(1), 2.0, method, step=h, second_run=False, progress=False, **options)
        errors.append(np.max(np.abs(run["link0"].angle - swung(run.t))))
    return np.log2(errors[0] / errors[1])


@pytest.mark.parametrize("coordinates", [{}, {"formulation": "aba"}], ids=["bodies", "joints"])
@pytest.mark.parametrize("method, order, step", [("heun", 2, 2e-3), ("midpoint", 2, 2e-3), ("kutta", 4, 2e-2)])
def test_they_have_their_order(method, order, step, coordinates):
    assert measured_order(method, step, **coordinates) == pytest.approx(order, abs=0.2)


@pytest.mark.parametrize("method", ["heun", "midpoint"])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-4])
def test_they_follow_a_tolerance(method, tolerance):
    run = fm.simulate(chain(1), 2.0, method, tolerance=tolerance, progress=False)
    assert np.max(np.abs(run["link0"].angle - swung(run.t))) < 10.0 * tolerance
    assert run.statistics.method == method


def test_without_an_estimate_a_second_run_tells_the_error():
    run = fm.simulate(chain(1), 2.0, "kutta", step=0.1, progress=False)
    error = np.max(np.abs(run["link0"].angle - swung(run.t)))
    assert error < run.statistics.estimated_error < 2.0 * error  # a third of it more, as of a method of second order


def test_controllers_events_and_bound_models():
    model = chain(1)
    model.add_event(fm.crossing("link0.x", 0.0), fm.StopRun(), "lowest")
    model.point_torque(model.frame("link0"), 0.0, name="torque")
    rate = fm.control.RelativeRate(model.ground, model.frame("link0"))
    model.add_controller("brake", period=1e-2, sensors=[rate], commands="torque", law=[[-1.0]])
    runs = [fm.simulate(model, 5.0, "heun", tolerance=1e-6, progress=False)]
    runs += [fm.Simulator(model, "heun", tolerance=1e-6).run(5.0, progress=False)]
    exact = fm.simulate(model, 5.0, "dop853", tolerance=1e-10, progress=False)
    assert runs[0].status == "stopped" and runs[0].t[-1] == pytest.approx(exact.t[-1], abs=1e-5)
    assert np.array_equal(runs[0].q, runs[1].q)


def test_one_is_replaced_by_another_of_its_name():
    fm.add_method("heun", midpoint())
    assert measured_order("heun", 2e-3) == pytest.approx(2.0, abs=0.1)
    assert METHODS.about("heun").compiled and list(METHODS)[-1] == "kutta"


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: fm.add_method("rkf45", heun()), "'rkf45' is a method of flexmb; give yours another name"),
        (lambda: fm.add_method("mine", "heun"), "add_method: formula is 'heun'; give fm.runge_kutta"),
        (lambda: fm.runge_kutta([[0, 1], [1, 0]], [0.5, 0.5], order=2), "on or above its diagonal"),
        (lambda: fm.runge_kutta([[0, 0], [1, 0]], [0.5, 0.4], order=2), "the weights b add up to 0.9; they must add"),
        (lambda: fm.runge_kutta([[0, 0]], [0.5, 0.5], order=2), r"a has the shape \(1, 2\) and b \(2,\)"),
        (lambda: fm.runge_kutta([[0, 0], [1, 0]], [0.5, 0.5], order=2, embedded=[1]), "give as many weights as b has"),
        (lambda: fm.simulate(chain(1), 1.0, "heun"), "'heun' has no default step; give step=…, or tolerance=…"),
        (lambda: fm.simulate(chain(1), 1.0, "kutta", tolerance=1e-3), "'kutta' has no option 'tolerance'"),
        (lambda: fm.simulate(chain(1), 1.0, "heun", step=1e-3, tolerance=1e-3), "step and tolerance are both given"),
        (lambda: fm.simulate(chain(1), 1.0, "huen", step=1e-3), "no method 'huen' .did you mean 'heun'"),
    ],
)
def test_what_is_refused(call, says):
    with pytest.raises(SolverError, match=says):
        call()
