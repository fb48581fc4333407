"""The fuzzer detects faults, and makes the same mechanisms again."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest

import flexmb as fm
from flexmb.validation import fuzz, fuzz_tasks
from flexmb.validation.random_mechanisms import KINDS, mechanism


def test_a_mechanism_is_always_the_same():
    one, other, next_one = (fm.System(mechanism(5, k).model) for k in (3, 3, 4))
    assert one.names == other.names
    np.testing.assert_array_equal(one.q0, other.q0)
    assert next_one.names != one.names or not np.array_equal(next_one.q0, one.q0)


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_have_mechanisms_of_their_own(kind):
    first, again = (mechanism(5, 3, kind) for _ in range(2))
    assert list(first.model.components) == list(again.model.components)
    np.testing.assert_array_equal(fm.System(first.model).q0, fm.System(again.model).q0)
    assert first.model.dimension == (3 if kind == "space" else 2)
    assert fm.System(first.model).at_speed.any() == (kind == "skates")


def test_momentum_that_is_lost_is_told():
    found = next(m for m in (mechanism(0, k, "space") for k in range(99)) if m.free)
    run = fm.simulate(found.model, 0.1 * found.time, progress=False)
    assert fuzz_tasks.momentum_lost(run, found.length) < 1e-6
    run.v[-1] *= 1.1
    assert fuzz_tasks.momentum_lost(run, found.length) > 1e-2


@pytest.mark.parametrize("number", [4, 7, 30, 54])
def test_mechanisms_on_knife_edges_and_in_space(number):
    """The last two have no freedom, and are at rest but for rounding: this method took that for a leap once."""
    for task, work in fuzz_tasks.tasks(0, number):
        if task.startswith(("space", "skates")):
            found = fuzz.run_task(number, task, work)
            assert found.outcome in ("right", "refused"), found


def test_wrong_arguments_are_of_one_call_only_and_are_refused_in_words():
    refused = 0
    for number in range(30):
        try:
            mechanism(5, number, wrong=True)
        except fm.FlexmbError:
            refused += 1
    assert refused > 10


@pytest.mark.parametrize(
    ("work", "outcome"),
    [
        (lambda: ("right", ""), "right"),
        (lambda: fm.PlanarModel("empty").frame("none"), "refused"),
        (lambda: {}["key"], "raw exception"),
    ],
)
def test_what_comes_of_a_task(work, outcome):
    found = fuzz.run_task(1, "some task", work)
    assert found.outcome == outcome and found.fault == (outcome == "raw exception")


def test_a_task_that_takes_too_long_is_stopped(monkeypatch):
    monkeypatch.setattr(fuzz, "PATIENCE", 0.2)

    def long():
        time.sleep(20.0)

    assert fuzz.run_task(1, "sleep", long).outcome == "stopped by the clock"


def test_results_that_cannot_be_are_faults():
    right, run = (fm.simulate(mechanism(0, 3).model, 0.01, progress=False) for _ in range(2))
    assert right.trustworthy and fuzz_tasks.verdict(right, "generalized_alpha", {}) == ("right", "")
    run.v[-1] *= 2.0
    assert fuzz_tasks.verdict(run, "generalized_alpha", {})[0] == "off balance"
    run.q[-1] = np.nan
    assert fuzz_tasks.verdict(run, "generalized_alpha", {})[0] == "not finite"


def test_methods_that_disagree_are_told(monkeypatch):
    monkeypatch.setattr(fuzz_tasks, "largest_difference", lambda *given: 0.1)
    monkeypatch.setattr(fuzz_tasks, "DISTURBANCE", 1e-3)
    outcome, text = fuzz_tasks.compare_methods(lambda: mechanism(0, 3), 0.01, "projection")
    assert outcome == "disagree" and "0.1 apart" in text


def _dying(pipe, seed):
    number = pipe.recv()
    pipe.send("a task")
    if number == 1:
        os._exit(3)
    pipe.send(fuzz.TaskOutcome(number, "a task", "right"))
    pipe.send(None)
    pipe.recv()


def test_processes_that_die_are_told_and_the_others_go_on(monkeypatch):
    monkeypatch.setattr(fuzz, "_work", _dying)
    report = fuzz.fuzz(3, workers=3)
    assert [(o.number, o.outcome) for o in report.outcomes] == [(0, "right"), (1, "died"), (2, "right")]
    assert [o.number for o in report.faults] == [1]
    tasks, kinds, table = report.table()
    assert tasks == ["a task"] and kinds == ["right", "died"] and table.tolist() == [[2, 1]]


def test_ctrl_c_leaves_a_report_of_what_was_done(monkeypatch):
    monkeypatch.setattr(fuzz, "_work", _dying)

    def pressed(count):
        raise KeyboardInterrupt

    report = fuzz.fuzz(5, first=2, workers=1, progress=pressed)
    assert [(o.number, o.outcome) for o in report.outcomes] == [(2, "right")]


@pytest.mark.parametrize(("seed", "number"), [(7, 12), (7, 34), (7, 284), (7, 687), (7, 1462), (2026, 1020)])
def test_mechanisms_that_went_wrong_once(seed, number):
    """A stiff damped start, a passage in the first step, a rotor that turns freely, a lock, an end hit exactly, a beam
    that its damping makes rigid."""
    for task, work in fuzz_tasks.tasks_in_the_plane(seed, number):
        outcome = fuzz.run_task(number, task, work)
        assert not outcome.fault, outcome
