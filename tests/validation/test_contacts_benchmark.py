"""The benchmark of contacts among many balls runs, and its two ways to the same balls give one motion."""

import re

import pytest

import flexmb as fm
from flexmb.validation.performance.contacts import QUICK, build, main


def test_it_prints_a_line_for_each_number_of_balls_and_method(capsys):
    main(["--quick"])
    head, *lines = capsys.readouterr().out.splitlines()
    assert "ms a step" in head
    assert [line.split()[:2] for line in lines] == [
        [method, str(balls)] for method in ("generalized_alpha", "dop853") for balls in (4, 27)
    ]
    assert all(re.search(r"\d+\.\d times$", line) for line in lines)


def test_both_ways_are_one_motion():
    runs = (fm.simulate(build(QUICK[-1], way), 0.02, method="dop853", progress=False) for way in (True, False))
    searched, pairs = runs
    for ball in ("ball (0, 0, 0)", "ball (1, 1, 1)", "ball (2, 0, 1)"):
        assert searched[ball].position[-1] == pytest.approx(pairs[ball].position[-1], abs=1e-9)
