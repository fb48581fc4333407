"""Steps that follow the error: the error of the result is the tolerance, at kinks and from rest too."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import DivergenceWarning, SolverError
from flexmb.solvers.methods.explicit import explicit_run as run_module
from flexmb.solvers.methods.explicit import runge_kutta
from flexmb.solvers.methods.explicit.explicit_step import close, leave_errors_along
from flexmb.solvers.statuses import OK
from flexmb.validation import free_rotation, heavy_top, n_four_bar
from flexmb.validation.references import free_rotation as body
from flexmb.validation.references import heavy_top as top
from flexmb.validation.references import n_four_bar as windows
from tests.models.chains import chain
from tests.models.pendulums import swung

#: the largest error that a run may have, in units of its tolerance
WITHIN = 10.0


def four_bar():
    """A four-bar that falls, and whose output link swings to and fro."""
    m = fm.PlanarModel("four-bar", gravity=(0.0, -9.81))
    points = [(0.0, 0.0), (0.2, 0.35), (1.1, 0.6), (1.0, 0.0)]
    before = m.ground
    for k in range(3):
        (x0, y0), (x1, y1) = points[k], points[k + 1]
        length, middle = np.hypot(x1 - x0, y1 - y0), (0.5 * (x0 + x1), 0.5 * (y0 + y1))
        angle = float(np.arctan2(y1 - y0, x1 - x0))
        link = m.add_body(f"link{k}", mass=length, inertia=length**3 / 12, position=middle, angle=angle)
        m.revolute(before, link.attach("near", (-0.5 * length, 0.0)))
        before = link.attach("far", (0.5 * length, 0.0))
    m.revolute(before, m.ground.attach("post", points[-1]))
    return m


def error_of_the_pendulum(method, tolerance):
    run = fm.simulate(chain(1), 10.0, method, tolerance=tolerance, progress=False)
    return np.max(np.abs(run["link0"].angle - swung(run.t)))


def error_of_the_free_body(method, tolerance):
    run = fm.simulate(free_rotation.build(), 20.0, method, tolerance=tolerance, progress=False)
    q = body.orientation(body.INERTIA, body.START, run.t)
    return 2.0 * np.max(np.abs(run["body"].values[:, 3:7] - q))


def error_of_the_top():
    exact = top.center(top.motion(np.array([0.0, 1.0]))[0])[-1]

    def error(method, tolerance):
        run = fm.simulate(heavy_top.build(), 1.0, method, tolerance=tolerance, progress=False)
        return np.max(np.abs(run["top"].position[-1] - exact))

    return error


def error_at_the_end(build, t_end):
    exact = fm.simulate(build(), t_end, "projection", tolerance=1e-13, absolute_tolerance=1e-14, progress=False).q[-1]

    def error(method, tolerance):
        run = fm.simulate(build(), t_end, method, tolerance=tolerance, progress=False)
        return np.max(np.abs(run.q[-1] - exact))

    return error


@pytest.fixture(scope="module")
def errors():
    return {
        "pendulum": error_of_the_pendulum,
        "free body": error_of_the_free_body,
        "top": error_of_the_top(),
        "arm": error_at_the_end(chain, 2.0),
        "four-bar": error_at_the_end(four_bar, 5.0),
    }


@pytest.mark.parametrize("method", ["dop853", "rkf45", "rosenbrock"])
@pytest.mark.parametrize("name", ["pendulum", "free body", "top", "arm", "four-bar"])
def test_the_tolerance_is_the_error_of_the_result(name, method, errors):
    for tolerance in 10.0 ** -np.arange(3, {"dop853": 11, "rkf45": 9, "rosenbrock": 7}[method]):
        assert errors[name](method, tolerance) < WITHIN * tolerance


def test_states_between_the_steps_are_as_accurate():
    run = fm.simulate(chain(1), 10.0, "dop853", tolerance=1e-9, progress=False)
    times = np.linspace(0.0, 10.0, 400)
    assert np.max(np.abs(run.at(times)["link0"].angle - swung(times))) < WITHIN * 1e-9
    chosen = fm.simulate(chain(1), 10.0, "dop853", tolerance=1e-9, times=times, progress=False)
    assert np.max(np.abs(chosen["link0"].angle - swung(times))) < WITHIN * 1e-9


def test_long_runs_keep_the_tolerance():
    """470 rad; steps are shorter than in a short run."""
    run = fm.simulate(chain(1), 100.0, "dop853", tolerance=1e-10, progress=False)
    assert np.max(np.abs(run["link0"].angle - swung(run.t))) < 1e-10
    assert run.t[-1] == 100.0 and run.statistics.steps < 8000


@pytest.mark.parametrize(("tolerance", "allowed"), [(1e-6, 1e-5), (1e-8, 1e-7), (1e-10, 1e-5)])
def test_singular_positions(tolerance, allowed):
    """Ten times through a position in which the parallelograms could part: long steps go over it, and keep the
    tolerance; short ones stop there, where a passage is the last resort, with an error of its own."""
    run = fm.simulate(n_four_bar.build(2), 10.0, "dop853", tolerance=tolerance, progress=False)
    assert run.status == "finished"
    assert np.max(np.abs(run["post0"].angle - windows.motion(2, run.t)[0])) < allowed


@pytest.mark.parametrize("tolerance", [1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("method", ["dop853", "rkf45", "rosenbrock"])
def test_short_links_of_a_long_mechanism(method, tolerance):
    """Places are measured in model lengths, of 40 m; closing the joints turns rods of 1 m by what these are off."""
    run = fm.simulate(n_four_bar.build(40), 10.0, method, tolerance=tolerance, progress=False)
    assert np.max(np.abs(run["post0"].angle - windows.motion(40, run.t)[0])) < WITHIN * tolerance


def test_what_closing_leaves_of_an_error_lies_along_the_constraints():
    """Of errors across the rod of a pendulum nothing is left, of those along its path all, of the rest M's projection:
    1 m is the arm, m = 1 and J = 0.5, so that a place x = 1 alone becomes x = m/(m + J), and an angle as large."""
    model = fm.PlanarModel("pendulum", gravity=(0.0, -9.81))
    body = model.add_body("bob", mass=1.0, inertia=0.5, position=(0.0, -1.0))
    model.revolute(model.ground, body.attach("pin", (0.0, 1.0)), name="hinge")
    with mock.patch.object(run_module, "one_step_loop") as made:
        made.return_value.side_effect = runge_kutta.advance
        fm.simulate(model, 1e-9, "dop853", tolerance=1e-3, progress=False)
    loop = made.return_value.call_args.args[0]
    assert close(loop, 0.0, 1e-9, True, False) == OK
    given = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    left = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [2 / 3, 0.0, 2 / 3]])
    for error, expected in zip(given, left):
        for errors in (loop.stage.error_q, loop.stage.error_v):
            errors[:] = error
        leave_errors_along(loop, 0.0)
        np.testing.assert_allclose(loop.stage.error_q, [expected, expected], rtol=0.0, atol=1e-9)
        np.testing.assert_allclose(loop.stage.error_v, [expected, expected], rtol=0.0, atol=1e-9)


def test_a_sparse_system():
    """Room for its factors grows when it is needed."""
    run = fm.simulate(chain(60), 0.05, "dop853", tolerance=1e-9, progress=False)
    exact = fm.simulate(chain(60), 0.05, "rkf45", step=1e-4, progress=False)
    assert np.max(np.abs(run.q[-1] - exact.q[-1])) < 60.0 * WITHIN * 1e-9


@pytest.mark.parametrize("tolerance", [1e-4, 1e-7, 1e-10])
def test_a_force_that_jumps(tolerance):
    """The steps find the jump; it leaves an error of speed that lasts to the end."""
    m = fm.PlanarModel("pushed")
    stone = m.add_body("stone", mass=1.0, inertia=0.1)
    m.python_force(stone.frame, lambda t, place, speed: (10.0 if t > 1 / 3 else 0.0, 0.0, 0.0))
    run = fm.simulate(m, 1.0, "dop853", tolerance=tolerance, progress=False)
    assert run["stone"].position[-1, 0] == pytest.approx(5.0 * (2 / 3) ** 2, abs=WITHIN * tolerance)
    assert run.statistics.rejected > 5


@pytest.mark.parametrize("tolerance", [1e-4, 1e-8])
def test_a_drive_with_kinks_from_rest(tolerance):
    def driven(**options):
        m = fm.PlanarModel("driven")
        upper = m.add_body("upper", mass=1.0, inertia=0.1, position=(1.0, 0.0))
        lower = m.add_body("lower", mass=1.0, inertia=0.1, position=(2.5, 0.0))
        m.revolute(m.ground, upper.attach("near", (-1.0, 0.0)))
        m.revolute(upper.attach("far", (1.0, 0.0)), lower.attach("near", (-0.5, 0.0)))
        motion = fm.TrapezoidalSpeed(2.0, accelerate=0.3, cruise=0.3, decelerate=0.3)
        m.drive_angle(m.ground, upper.frame, motion)
        return fm.simulate(m, 2.0, "dop853", progress=False, **options)

    exact = driven(tolerance=1e-12, max_step=1e-3)
    assert np.max(np.abs(driven(tolerance=tolerance).q[-1] - exact.q[-1])) < WITHIN * tolerance


def test_what_rests_or_flies_takes_few_steps():
    still = fm.PlanarModel("still")
    still.add_body("stone", mass=1.0, inertia=0.1)
    flying = fm.PlanarModel("flying", gravity=(0.0, -9.81))
    flying.add_body("stone", mass=1.0, inertia=0.1).move((1000.0, 0.0))
    for model, end in ((still, (0.0, 0.0)), (flying, (1e4, -490.5))):
        run = fm.simulate(model, 10.0, "dop853", progress=False)
        assert run["stone"].position[-1] == pytest.approx(end, rel=1e-13) and run.statistics.steps < 50


def test_the_last_step_ends_at_the_end_and_none_is_longer_than_allowed():
    run = fm.simulate(chain(), 0.7, "dop853", max_step=0.01, progress=False)
    assert run.t[-1] == 0.7 and np.max(np.diff(run.t)) < 0.01 + 1e-15
    assert run.statistics.evaluations == 12 * (run.statistics.steps + run.statistics.rejected) + 1
    assert run.statistics.position_drift < 1e-12


def test_steps_that_shrink_to_nothing_end_the_run_with_a_reason():
    """A stone falls onto a center that attracts it; from 1 m it gets there after π/√8 s."""
    m = fm.PlanarModel("falling")
    stone = m.add_body("stone", mass=1.0, inertia=0.1, position=(1.0, 0.0))
    m.python_force(stone.frame, lambda t, place, speed: (-1.0 / place[0] ** 2, 0.0, 0.0))
    with pytest.warns(DivergenceWarning, match="worst in 'stone.x': something grows without bound .*generalized_alpha"):
        run = fm.simulate(m, 2.0, "dop853", progress=False)
    assert run.status == "diverged" and run.t[-1] == pytest.approx(np.pi / np.sqrt(8.0), abs=1e-6)


@pytest.mark.parametrize(
    ("method", "options", "says"),
    [
        ("dop853", {"tolerance": 0.0}, "tolerance is 0"),
        ("dop853", {"tolerance": 1e-14}, "tolerance is 1e-14, which rounding does not allow; 1e-13 can be reached"),
        ("dop853", {"step": 1e-3}, "method 'dop853' has no option 'step'"),
        ("rkf45", {"tolerance": 1e-15}, "1e-13 can be reached"),
        ("rkf45", {"step": 1e-3, "tolerance": 1e-6}, "step and tolerance are both given; give step for fixed steps"),
        ("rkf45", {"step": 1e-3, "max_step": 1e-2}, "step and max_step are both given"),
        ("rkf45", {"max_step": 1e-2}, "max_step bounds steps that follow the error; give tolerance as well"),
    ],
)
def test_options_that_contradict_one_another_are_refused(method, options, says):
    with pytest.raises((SolverError, fm.errors.ModelError), match=says):
        fm.simulate(chain(1), 0.1, method, progress=False, **options)
