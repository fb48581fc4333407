"""What is frozen of runs tells a change of the motion from code that has only moved."""

from __future__ import annotations

import flexmb as fm
from flexmb.examples import four_bar
from tests.frozen import differences, outcome


def runs(method, **options):
    return {"four-bar": outcome(lambda: fm.simulate(four_bar.build(), 0.2, method, progress=False, **options), 600.0)}


def test_runs_that_are_the_same_do_not_differ_and_others_are_told():
    known = runs("radau")
    assert differences(known, runs("radau")) == []
    (line,) = differences(known, runs("radau", tolerance=1e-9))
    assert line.startswith("four-bar: ") and "at the end; steps " in line
    assert differences(known, {}) == ["four-bar: finished:  -> does not run any more: "]


def test_runs_that_are_refused_are_kept_with_their_message():
    refused = runs("dop853", tolerance=-1.0)
    assert refused["four-bar"]["refused"] == "ModelError" and "tolerance" in refused["four-bar"]["message"]
    assert differences(refused, runs("dop853", tolerance=-1.0)) == []
