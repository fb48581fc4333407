"""A study whose function is a batch: the numbers of single runs, in this process and in others, and its file."""

from __future__ import annotations

import functools
import signal
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError, NamingError, ResultFileError
from tests.batches.swings import pendulum, quiet

GIVEN = {"times": [0.05, 0.1], "outputs": ["bob.y", "hinge.fx"]}
RUNS = fm.grid(**{"bob.mass": [1.0, 2.0], "hinge.rate": [0.0, 1.0, 2.0]})


def of(model, method="radau", **other):
    return functools.partial(fm.batch, model, 0.1, method, **{**GIVEN, **other})


def study(run, runs=RUNS, **named):
    return quiet(fm.study, run, runs, progress=False, **named)


@pytest.fixture(scope="module")
def singles():
    found = []
    for row in RUNS:
        m = pendulum(row["bob.mass"])
        state = fm.Tree.of(m).state([0.0], [row["hinge.rate"]])
        found.append(quiet(fm.simulate, m, 0.1, "radau", times=GIVEN["times"], initial=state, progress=False))
    return found


def check(found, singles):
    assert found.status == "finished" and set(found["status"]) == {"ok"} and set(found["ended"]) == {"finished"}
    for name in GIVEN["outputs"]:
        np.testing.assert_array_equal(found[name], [alone[name] for alone in singles])


@pytest.mark.parametrize("workers", [None, 0, 2])
def test_the_numbers_are_those_of_single_runs(singles, workers):
    check(study(of(pendulum()), workers=workers), singles)


def test_an_executor_does_it_too(singles):
    with ProcessPoolExecutor(1) as executor:
        check(study(of(pendulum(), threads=1), executor=executor), singles)


def test_only_what_is_missing_is_done(singles, tmp_path):
    path = tmp_path / "s.sqlite"
    first = study(of(pendulum()), RUNS[:2], file=path)
    assert len(first) == 2
    check(study(of(pendulum(), threads=1), file=path), singles)
    assert len(fm.load_study(path)) == 6
    before = path.read_bytes()
    for run, named in (
        (of(pendulum(), "generalized_alpha", step=0.01), "method, step"),
        (of(pendulum(), times=[0.1]), "times"),
        (of(pendulum(3.0)), "model"),
    ):
        with pytest.raises(ResultFileError, match=f"another batch of model 'pendulum', which differs in {named};"):
            study(run, file=path)
    assert path.read_bytes() == before


def test_members_fail_alone(singles):
    runs = [{"bob.mass": m, "hinge.rate": 0.0} for m in (1.0, -1.0, 2.0)]
    found = study(of(pendulum()), runs)
    assert found["status"].tolist() == ["ok", "failed", "ok"]
    assert "mass is -1; it must be positive" in found.outcomes[1].error
    np.testing.assert_array_equal(found.ok["bob.y"], [singles[0]["bob.y"], singles[3]["bob.y"]])


def test_ctrl_c_keeps_the_members_that_are_finished():
    m, calls = fm.PlanarModel("slow"), []

    def push(t, position, velocity):
        calls.append(t)
        if len(calls) == 700:
            signal.raise_signal(signal.SIGINT)
        return 0.0, 0.0, 1.0

    m.python_force(m.add_body("body", mass=1.0, inertia=1.0).frame, push)
    run = functools.partial(fm.batch, m, 1.0, "rkf45", step=0.05, second_run=False, threads=30)
    found = study(run, [{"body.mass": x} for x in np.linspace(1.0, 2.0, 30)])
    assert found.status == "interrupted" and 1 < len(found.ok) < 30
    assert set(found["status"]) == {"ok", "missing"}


class Scale:
    """A function without a hash."""

    __hash__ = None

    def __call__(self, factor, x):
        return {"y": factor * x}


def test_a_partial_of_something_else_is_a_function_as_before():
    assert study(functools.partial(Scale(), 2.0), fm.grid(x=[1.0, 2.0]), workers=0)["y"].tolist() == [2.0, 4.0]


def test_a_builder_makes_the_models_of_a_study():
    found = study(of(pendulum, outputs="hinge.fy", times=None), fm.grid(mass=[1.0, 2.0]), workers=0)
    for k, mass in enumerate((1.0, 2.0)):
        alone = quiet(fm.simulate, pendulum(mass), 0.1, "radau", times=[0.1], progress=False)
        assert found["hinge.fy"][k] == alone["hinge.fy"][0]


@pytest.mark.parametrize(
    "run, runs, error, text",
    [
        (of(pendulum(), vary={"bob.mass": [1.0]}), RUNS, ModelError, "vary is said by the study"),
        (
            functools.partial(fm.batch, pendulum()),
            RUNS,
            ModelError,
            r"give functools\.partial\(fm\.batch, model, t_end",
        ),
        (of(pendulum()), [{"bob.weight": 1.0}], NamingError, "no parameter of 'bob' 'weight'"),
        (of(pendulum(), outputs="hinge.rate"), RUNS, ModelError, "cannot be called 'hinge.rate', which is the name of"),
    ],
)
def test_wrong_input(run, runs, error, text):
    with pytest.raises(error, match=text):
        study(run, runs)
