"""Times as a user gives them: a run whose time cannot go on is refused at once."""

from __future__ import annotations

import math

import pytest

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.model import given_times


def falling() -> fm.PlanarModel:
    m = fm.PlanarModel("falling", gravity=(0, -10))
    m.add_body("stone", mass=1.0, inertia=0.1)
    return m


@pytest.mark.parametrize(
    ("ask", "step"),
    [
        (lambda: fm.simulate(falling(), 1e30), "1 s"),
        (lambda: fm.simulate(falling(), 1e30, "projection"), "1 s"),
        (lambda: fm.simulate(falling(), 1e13 + 1.0, step=1e-4, t_start=1e13, progress=False), "0.0001 s"),
        (lambda: fm.simulate(falling(), 1e13 + 1.0, "dop853", tolerance=1e-6, max_step=1e-4, t_start=1e13), "0.0001 s"),
        (lambda: fm.kinematics(falling(), 1e30, steps=2), "1 s"),
        (lambda: fm.quasi_static(falling(), 1e30, steps=2), "1 s"),
        (lambda: fm.spline_fit(math.sin, 0.0, 1e30), "1 s"),
    ],
)
def test_time_that_cannot_go_on_is_refused_before_the_run(ask, step):
    with pytest.raises(ModelError, match=f"time cannot go on by a step of {step}; give times nearer to zero"):
        ask()


def test_floats_are_a_second_apart_to_two_to_the_53():
    assert given_times.span(0.0, math.nextafter(2.0**53, 0.0), "run") == (0.0, 2.0**53 - 1.0)
    for start, end in ((0.0, 2.0**53), (-(2.0**53), 0.0)):
        with pytest.raises(ModelError, match="are 2 apart"):
            given_times.span(start, end, "run")
    assert given_times.span(0.0, 1e30, "run", 1e20) == (0.0, 1e30)


def test_a_span_ends_after_its_start():
    with pytest.raises(ModelError, match="run: t_end is 1; it must be later than t_start, 1"):
        given_times.span(1, 1, "run")
