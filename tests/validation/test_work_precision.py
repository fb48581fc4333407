"""The measurement of error against time runs on a quick problem, and its references are what they say."""

from __future__ import annotations

import csv
import json
import math

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import SolverError
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.solvers.methods.registry import METHODS
from flexmb.validation.performance.work_precision import bounds, own, pieces, references
from flexmb.validation.performance.work_precision.__main__ import main
from flexmb.validation.performance.work_precision.diagram import draw
from flexmb.validation.performance.work_precision.lines import Point
from flexmb.validation.performance.work_precision.measure import time_at
from flexmb.validation.performance.work_precision.problems import PROBLEMS
from flexmb.validation.performance.work_precision.recorded import recorded
from flexmb.validation.performance.work_precision.summary import ratios
from flexmb.validation.references import andrews

#: these methods have fixed steps alone, which are measured in absolute coordinates
ADAPTIVE = {method for method in METHODS if METHODS.about(method).usual}


def test_a_quick_measurement_is_drawn_and_written(tmp_path, capsys):
    arguments = ["--problems", "andrews", "--methods", "projection", "SciPy DOP853", "--quick", "--formulations"]
    points = main([*arguments, "--pictures", str(tmp_path / "pictures"), "--out", str(tmp_path)])
    assert {(point.code, point.method) for point in points} == {("flexmb", "projection"), ("SciPy", "DOP853")}
    for code in ("flexmb", "SciPy"):
        errors = [point.error for point in points if point.code == code]
        assert len(errors) == 5 and errors[-1] < 0.1 * errors[0] < 1e-3
    assert all(point.error_by_tolerance == point.error / point.tolerance for point in points)
    assert "largest error by tolerance" in capsys.readouterr().out
    with (tmp_path / "points.csv").open(encoding="utf-8") as file:
        assert [float(row["error"]) for row in csv.DictReader(file)] == [point.error for point in points]
    said = json.loads((tmp_path / "work_precision.json").read_text(encoding="utf-8"))
    assert len(said["points"]) == 10 and len(said["comparison"]) == 7
    assert (tmp_path / "pictures" / "andrews.png").stat().st_size > 10_000


def test_every_line_is_drawn(tmp_path):
    points = [
        Point("two-squares", own.CODE, line.method, 1e-3, "", error, 1.0, error, 0.0, 1e-3 / error, 1e-3 / error, 1, 1)
        for line in own.lines(PROBLEMS["two-squares"], 4.0)
        for error in (1e-3, 1e-5)
    ]
    figure = draw(points, "two-squares", tmp_path / "two-squares.png")
    drawn = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert sorted(drawn) == sorted({point.method.replace("_", " ") for point in points})


def test_every_method_has_an_accuracy_and_goes_by_every_formulation_that_is_measured():
    problem = PROBLEMS["two-squares"]
    lines = {line.method.removesuffix(own.FIXED) for line in own.lines(problem, 4.0)}
    by_formulation = {
        f"{method}{own.BY_FORMULATION}{formulation}" for method in ADAPTIVE for formulation in own.FORMULATIONS_HERE
    }
    assert lines == set(METHODS) | by_formulation | {f"independent{own.COMPILED}"}
    assert set(own.FORMULATIONS_HERE) <= set(FORMULATIONS)


def test_a_line_by_a_formulation_carries_joint_coordinates():
    """Both plates hang on hinges, so a run in their angles holds them to the last digit without any correction."""
    line = next(
        line for line in own.lines(PROBLEMS["two-squares"], 4.0) if line.method == f"dop853{own.BY_FORMULATION}aba"
    )
    setting = next(setting for setting in line.settings if setting.tolerance == 1e-6)
    assert setting.options == {"tolerance": 1e-6, "formulation": "aba"}
    outcome = line.run(setting, 10.0, math.inf)
    np.testing.assert_allclose(outcome.observed[-1], references.load("two-squares")[-1], rtol=0.0, atol=1e-5)
    assert 0.0 < outcome.seconds_alone <= outcome.seconds


def test_a_method_that_refuses_a_model_is_named(monkeypatch, capsys):
    def refuse(*given, **named):
        raise SolverError("too many arms")

    monkeypatch.setattr(fm, "simulate", refuse)
    assert not main(["--problems", "two-squares", "--methods", "flexmb projection", "--quick"])
    assert "too many arms" in capsys.readouterr().out


def test_a_problem_without_a_reference_is_named(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(references, "FOLDER", tmp_path)
    assert not main(["--problems", "andrews", "--quick"])
    assert "andrews: left out, it has no reference; make it by: python -m" in capsys.readouterr().out


def test_a_run_that_takes_too_long_is_cut_off(capsys):
    assert not main(
        ["--problems", "two-squares", "--methods", "flexmb independent", "--quick", "--limit", "1e-3", "--formulations"]
    )
    assert "cut off, tolerance 1e-02: more than 0.001 s" in capsys.readouterr().out


def test_bounds_are_of_what_was_measured(tmp_path, capsys):
    # a limit that leaves time for whoever compiles first
    quick = ["--problems", "andrews", "--quick", "--limit", "120"]
    arguments = [*quick, "--methods", "flexmb dop853", "flexmb radau", "SciPy DOP853"]
    main([*arguments, "--out", str(tmp_path), "--formulations"])
    said = json.loads((tmp_path / "work_precision.json").read_text(encoding="utf-8"))
    compared = {row["error"]: row for row in said["comparison"] if row["own"]}
    capsys.readouterr()
    found = bounds.main(["--from", str(tmp_path / "work_precision.json"), *quick])
    assert [bound.error for bound in found] == list(compared) and len(found) >= 2
    for bound in found:
        row, once = compared[bound.error], bound.once
        assert (bound.method, bound.peer) == (row["own"], row["peer"] or "")
        assert 0.0 < sum(once.parts.values()) < once.beside <= once.seconds
        assert set(once.parts) == set(pieces.PARTS.values()) and min(once.parts.values()) > 0.0
        assert 0.0 < once.seconds < bound.least and bound.seconds == row["own_seconds"]
        counts = [(p["steps"], p["evaluations"]) for p in said["points"] if p["method"] == bound.method]
        for value, counted in zip((bound.steps, bound.evaluations), np.transpose(counts)):
            assert counted.min() - 1e-9 <= value <= counted.max() + 1e-9
        if bound.peer:
            assert bound.ratio == pytest.approx(row["peer_seconds"] / bound.least)
    text = capsys.readouterr().out
    assert "one evaluation [µs]: accelerations" in text and "done once" not in text
    assert text.count(" at most ") == sum(bool(bound.peer) for bound in found)


def test_implicit_methods_are_bound_by_matrices_and_ends_of_steps_too():
    once = pieces.Once(1e-3, {"assembly": 4e-4}, 2e-4, matrices=0.5)
    times = {
        "peer": "Exudyn generalized-α",
        "peer_steps": 80.0,
        "peer_seconds": 2e-2,
        "peer_alone": 1.9e-2,
        "seconds": 5e-3,
    }
    bound = bounds.Bound("cable", 1e-3, "radau", 40.0, 300.0, 2e-6, 2e-5, 5e-6, once, seconds_alone=4e-3, **times)
    assert once.rest == pytest.approx(6e-4) and once.seconds == pytest.approx(1.2e-3)
    assert bound.least == pytest.approx(1.2e-3 + 300 * 2e-6 + 20 * 2e-5 + 40 * 5e-6)
    assert bound.ratio == pytest.approx(2e-2 / 2.4e-3) and bound.ratio_alone == pytest.approx(19e-3 / 1.2e-3)


def test_bounds_without_a_measurement_are_named(tmp_path, capsys):
    file = tmp_path / "work_precision.json"
    file.write_text(json.dumps({"points": []}), encoding="utf-8")
    assert not bounds.main(["--from", str(file), "--problems", "cable"])
    assert "cable: left out, no file has it" in capsys.readouterr().out


@pytest.mark.parametrize("name", [name for name in PROBLEMS if references.known(name)])
def test_references_are_confirmed_and_begin_where_the_problem_does(name):
    problem = PROBLEMS[name]
    said = json.loads((references.FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert said["command"] == f"{references.COMMAND} {name}"
    assert said["apart by"] <= references.AGREEMENT
    np.testing.assert_allclose(said["times"], problem.times, rtol=1e-15)
    observed = references.load(name)
    assert observed.shape[0] == len(problem.times)
    at_start = own.simulated(problem.build(), 1e-6 * problem.t_end, "generalized_alpha", math.inf, {})
    np.testing.assert_allclose(problem.observe(at_start, problem.length)[0], observed[0], atol=1e-12)


def test_the_reference_of_andrews_mechanism_ends_where_the_published_one_does():
    angles = references.load("andrews")[-1, 2::3]
    published = andrews.of_bodies(andrews.END)[[0, 2, 4, 6]]
    np.testing.assert_allclose(angles, published, atol=2e-9)


def test_times_between_points_are_straight_in_the_logarithms():
    def point(error: float, seconds: float) -> Point:
        return Point("", "", "", 0.0, "", error, 0.0, 0.0, 0.0, seconds, seconds, 0, 0)

    points = [point(1e-2, 1.0), point(1e-4, 8.0), point(1e-3, 9.0), point(1e-6, 32.0)]
    assert time_at(points, 1e-5) == pytest.approx(16.0)
    assert time_at(points, 1e-3) == pytest.approx(8.0**0.5)
    assert time_at(points, 0.1) == 1.0
    assert time_at(points, 1e-7) == math.inf


@pytest.mark.parametrize("tolerance", [1e-2, 1e-3, 1e-4])
def test_the_row_of_parallelograms_ends_within_ten_tolerances(tolerance):
    """At the quarters of its run, as the measurement has it: the end of a run each."""
    problem, reference = PROBLEMS["n-four-bar"], references.load("n-four-bar")
    for end in problem.ends:
        run = fm.simulate(problem.build(), end, tolerance=tolerance, progress=False)
        row = int(np.argmin(np.abs(problem.times - end)))
        observed = problem.observe(run.at([end]), problem.length)[0]
        assert np.max(np.abs(observed - reference[row])) < 10.0 * tolerance


def test_the_recorded_points_are_those_of_all_problems() -> None:
    points = recorded()
    assert {point.problem for point in points} == set(PROBLEMS)
    assert {point.code for point in points} >= {"flexmb", "Exudyn", "SciPy"}
    lines = ratios(points).splitlines()
    assert len(lines) == 1 + len(PROBLEMS) and all("not reached" not in line[:30] for line in lines)
