"""Events that cannot be, functions of events that fail, and analyses that know no events."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import KernelError, ModelError, NamingError, SolverError
from tests.models.pendulums import leaning_pendulum
from tests.models.stones import stone


def test_a_function_that_fails_is_named():
    model = stone()

    def broken(t, place, speed):
        if t > 0.2:
            raise ZeroDivisionError("no height")
        return place[1]

    model.add_event(fm.crossing(broken, 0.0, frames=model.frames["stone"]), fm.Note(), "bad")
    for method in ("generalized_alpha", "radau", "independent", "projection"):
        with pytest.raises(KernelError, match="event 'bad': its function raised ZeroDivisionError: no height"):
            fm.simulate(model, 1.0, method, progress=False)
    model = stone()
    model.add_event(fm.crossing(lambda t, place, speed: "high", 0.0, frames=model.frames["stone"]), fm.Note(), "bad")
    with pytest.raises(KernelError, match="event 'bad': its function gave 'high'; give one number"):
        fm.simulate(model, 1.0, progress=False)


def test_wrong_events_are_refused_by_name():
    model = stone()
    for when, do, said in (
        ("stone.y", fm.Note(), r"write when=fm\.crossing"),
        (fm.crossing("stone.y"), fm.StopRun, "no action.*parentheses"),
        (fm.crossing("stone.y"), [], "nothing is done"),
        (fm.crossing("stone.y"), "stop", "no action"),
        (fm.crossing("stone.y"), fm.Switch(on="hook"), "component"),
        (np.nan, fm.Note(), "when"),
    ):
        with pytest.raises(ModelError, match=said):
            model.add_event(when, do, "wrong")
    for call, said in (
        (lambda: fm.crossing(3.0), "3.0 is no quantity"),
        (lambda: fm.crossing("stone.y", direction="left"), "direction"),
        (lambda: fm.crossing(lambda t: t), "needs frames"),
        (lambda: fm.crossing("stone.y", frames=model.ground), "functions of Python"),
        (lambda: fm.Switch(), "nothing is to be switched"),
        (lambda: fm.Switch(on="a", off="a"), "on and off"),
    ):
        with pytest.raises(ModelError, match=said):
            call()
    model.add_event(fm.crossing("stone.z", 0.5), fm.Note(), "unknown")
    with pytest.raises(NamingError, match=r"event 'unknown'.*stone\.z"):
        fm.simulate(model, 1.0, progress=False)
    with pytest.raises(NamingError, match="there is an event 'unknown' already"):
        model.add_event(0.5, fm.Note(), "unknown")
    model = stone()
    model.add_event(fm.crossing("energy.balance", 0.5), fm.Note(), "sum")
    with pytest.raises(ModelError, match=r"event 'sum': 'energy\.balance' is no quantity of a state"):
        fm.simulate(model, 1.0, progress=False)


def test_analyses_leave_events_out_or_refuse_them():
    model = leaning_pendulum(0.0)
    model.add_event(fm.crossing("hinge.angle", 0.1), fm.StopRun(), "stop")
    assert len(fm.modes(model).frequencies) == 1
    with pytest.raises(SolverError, match="event 'stop'"):
        fm.sensitivity(lambda mass: model, {"mass": 1.0}, 1.0, final="bob.x", step=0.01)
