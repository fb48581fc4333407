"""One Ctrl-C ends a run, with the steps that it has, whatever is at work at that moment."""

from __future__ import annotations

import io
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from unittest import mock

import numpy as np
import pytest
from llvmlite import binding
from numba import float64, njit
from numba.core import base, typing
from numba.core.codegen import JITCodeLibrary

import flexmb as fm
from flexmb.feedback.laws import PythonLaw
from flexmb.feedback.sensors import RelativeRate
from flexmb.kernels import cache
from flexmb.kernels.compilation import OPTIONS
from flexmb.kernels.hooks.calls import Compiled, machine_address
from flexmb.machine import files, interruption
from flexmb.solvers.march.march_loop import REJECTED_IN_A_ROW
from flexmb.solvers.methods.explicit import explicit_run, runge_kutta
from flexmb.solvers.statuses import ASKED

LONG = {
    "generalized_alpha": {"step": 1e-3},
    "independent": {"tolerance": 1e-10, "absolute_tolerance": 1e-12, "max_step": 1e-3},
    "baumgarte": {"tolerance": 1e-10, "absolute_tolerance": 1e-12, "max_step": 1e-3},
    "projection": {"tolerance": 1e-10, "absolute_tolerance": 1e-12, "max_step": 1e-3},
    "rkf45": {"step": 1e-3},
    "radau": {"tolerance": 1e-9, "max_step": 1e-3},
    "dop853": {"max_step": 1e-3},
}


def pendulum() -> fm.PlanarModel:
    model = fm.PlanarModel("swing", gravity=(0.0, -9.81))
    body = model.add_body("body", mass=1.0, inertia=0.1, position=(1.0, 0.0))
    model.revolute(model.ground, body.attach("eye", (-1.0, 0.0)), name="hinge")
    return model


@interruption.callback
def pressed() -> None:
    """Ctrl-C where no exception can leave: it is noted."""
    signal.raise_signal(signal.SIGINT)


@pytest.fixture
def one_signal():
    """Press Ctrl-C once, after so many seconds."""
    timers = []

    def press(after: float) -> None:
        timer = threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT))
        timers.append(timer)
        timer.start()

    yield press
    for timer in timers:
        timer.cancel()


@pytest.mark.parametrize("method", LONG)
def test_in_a_run_with_a_force_in_python(method, one_signal):
    calls = itertools.count()

    def drag(t, position, velocity):
        if next(calls) == later:
            one_signal(0.01)
        return -0.01 * velocity[0], -0.01 * velocity[1], 0.0

    model, later = pendulum(), -1
    model.python_force(model.frame("body"), drag, name="drag")
    fm.simulate(model, 0.01, method, progress=False, **LONG[method])
    # on the way, however busy the machine is: Python sees a run of dop853 after some thousand steps
    later = next(calls) + (60_000 if method == "dop853" else 6_000)
    begun = time.perf_counter()
    run = fm.simulate(model, 2000.0, method, progress=False, **LONG[method])
    assert run.status == "interrupted" and 0.0 < run.t[-1] < 2000.0, (run.message, time.perf_counter() - begun)
    assert np.all(np.isfinite(run.q))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert fm.simulate(model, 0.01, method, progress=False, **LONG[method]).status == "finished"


def test_in_one_segment_of_many_steps():
    """Python's threads wait for the compiled loop, so another process presses Ctrl-C."""
    model, given = pendulum(), {"step": 1e-7, "save_every": 10**9, "progress": False}
    fm.simulate(model, 1e-6, "generalized_alpha", **given)
    press = f"import os, time; time.sleep(0.5); os.kill({os.getpid()}, {int(signal.SIGINT)})"
    with subprocess.Popen([sys.executable, "-c", press]):
        run = fm.simulate(model, 20.0, "generalized_alpha", **given)
    assert run.status == "interrupted" and run.t[-1] < 20.0, run.message


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "dop853"])
def test_in_a_force_no_shorter_step_is_sought(method):
    """Once Ctrl-C was pressed the force is NaN, as after every failure, and all steps fail, however short."""

    def drag(t, position, velocity):
        if t > 0.2:
            pressed()
        return 0.0, 0.0, 0.0

    model = pendulum()
    model.python_force(model.frame("body"), drag, name="drag")
    run = fm.simulate(model, 10.0, method, progress=False)
    assert run.status == "interrupted" and run.t[-1] < 0.25 and run.statistics.rejected <= 2 * REJECTED_IN_A_ROW


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "dop853"])
def test_in_the_function_of_an_event(method):
    def height(t, place, speed):
        if t > 0.2:
            pressed()
        return 1.0 + place[1] ** 2

    model = pendulum()
    model.add_event(fm.crossing(height, 0.0, frames=model.frame("body")), fm.Note(), "never")
    run = fm.simulate(model, 10.0, method, max_step=0.01, progress=False)
    assert run.status == "interrupted" and run.t[-1] < 0.25


def test_while_a_step_that_is_short_enough_is_sought(monkeypatch):
    model = pendulum()
    model.torsion_spring(model.ground, model.frame("body"), stiffness=1e6)
    given = {"step": 0.05, "progress": False}
    with pytest.warns(fm.errors.DivergenceWarning, match="is too long"):
        fm.simulate(model, 5.0, "rkf45", **given)

    def pressed_in_trials(loop, saved):
        return (ASKED, 0) if len(saved.t) == explicit_run.TRIED else runge_kutta.advance(loop, saved)

    monkeypatch.setattr(explicit_run, "one_step_loop", lambda *functions: pressed_in_trials)
    assert fm.simulate(model, 5.0, "rkf45", **given).status == "interrupted"


def test_in_a_run_with_a_law_in_python(one_signal):
    model = pendulum()
    model.point_torque(model.frame("body"), 0.0, name="torque")
    sensors = [RelativeRate(model.ground, model.frame("body"))]
    calls, later = itertools.count(), -1

    def brake(t, y):
        if next(calls) == later:
            one_signal(0.01)
        return [-0.1 * y[0]]

    model.add_controller("brake", period=1e-3, sensors=sensors, commands="torque", law=PythonLaw(brake))
    fm.simulate(model, 0.01, step=1e-3, progress=False)
    later = next(calls) + 6000  # on the way, however busy the machine is
    run = fm.simulate(model, 2000.0, step=1e-3, progress=False)
    assert run.status == "interrupted" and 0.0 < run.t[-1] < 2000.0
    assert len(run.control["brake"].t) > 1


def test_a_signal_at_the_first_instruction_of_a_callback_is_not_lost():
    """There no exception could leave it: it is noted, and raised where it is asked for."""

    @interruption.interruptible
    def analysis() -> None:
        pressed()
        with pytest.raises(KeyboardInterrupt):
            interruption.raise_if_asked()
        interruption.clear_request()
        interruption.raise_if_asked()

    analysis()


def test_a_signal_while_machine_code_is_handed_over_waits():
    """LLVM asks for machine code by a function of Python, and crashed where that ended by an exception."""
    engine = binding.ExecutionEngine
    given = (engine._raw_object_cache_getbuffer.__code__, engine._raw_object_cache_notify.__code__)
    assert interruption._sheltered.issuperset(given)

    def handed_over() -> str:
        signal.raise_signal(signal.SIGINT)
        return "code"

    def asked_for_code() -> str:
        return handed_over()

    with mock.patch.object(interruption, "_sheltered", {asked_for_code.__code__}):

        @interruption.interruptible
        def analysis() -> None:
            assert asked_for_code() == "code"
            with pytest.raises(KeyboardInterrupt):
                interruption.raise_if_asked()
            with pytest.raises(KeyboardInterrupt):
                handed_over()
            interruption.clear_request()

        analysis()


@pytest.mark.parametrize("listening", [False, True], ids=["outside of a run", "in a run"])
def test_a_signal_while_llvm_takes_over_a_module_waits(listening, monkeypatch):
    """Behind an exception there a module had two owners, both freed it, and the process died."""
    link, taken = binding.ffi.lib.LLVMPY_LinkModules, []
    Compiled(lambda x: x, targetoptions=OPTIONS)(1.0)  # the compiler has learned its functions

    def interrupted_link(target, source, text):
        failed = link(target, source, text)
        taken.append(source)
        if len(taken) == 1:
            signal.raise_signal(signal.SIGINT)
        return failed

    monkeypatch.setitem(binding.ffi.lib._fntab, "LLVMPY_LinkModules", interrupted_link)
    function = Compiled(lambda x: x + 1.5, targetoptions=OPTIONS)  # not kept on disk

    def analysis() -> float:
        return function(1.0)

    with pytest.raises(KeyboardInterrupt):
        (interruption.interruptible(analysis) if listening else analysis)()
    owned = [module for module in taken if not module.closed]
    for module in owned:
        module.detach()
    assert taken and not owned
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert function(1.0) == 2.5


def test_a_signal_while_machine_code_is_asked_for_waits(monkeypatch):
    """The address is found before Ctrl-C is answered."""
    function = Compiled(lambda x: x + 2.5, targetoptions=OPTIONS)
    function.apart = function  # no version of its own
    call = float64(float64)
    find = JITCodeLibrary.get_pointer_to_function
    found = []

    def interrupted_find(library, name):
        signal.raise_signal(signal.SIGINT)
        found.append(find(library, name))
        return found[-1]

    function.apart.compile(call)
    monkeypatch.setattr(JITCodeLibrary, "get_pointer_to_function", interrupted_find)
    with pytest.raises(KeyboardInterrupt):
        machine_address(function, call)
    assert len(found) == 1 and found[0] > 0
    monkeypatch.undo()
    assert machine_address(function, call) == found[0]


@pytest.mark.parametrize("context", [typing.BaseContext, base.BaseContext])
def test_a_signal_while_the_compiler_learns_functions_leaves_it_whole(context):
    """What is newly registered comes from generators, which an exception ends for good."""
    assert context.refresh.__code__ in interruption._sheltered


def test_the_compiler_goes_on_behind_a_signal_while_it_learns_functions(monkeypatch):
    def streamed():
        signal.raise_signal(signal.SIGINT)
        yield from ()

    target = njit(lambda x: x).targetdescr.typing_context
    monkeypatch.setattr(target, "load_additional_registries", lambda: list(streamed()))

    @interruption.interruptible
    def analysis() -> None:
        target.refresh()
        with pytest.raises(KeyboardInterrupt):
            interruption.raise_if_asked()
        interruption.clear_request()

    analysis()
    monkeypatch.undo()
    assert njit(lambda x: x + 1.5)(1.0) == 2.5


def test_a_signal_that_waits_is_answered_before_the_next_function_is_compiled():
    shelf = cache.Shelf(njit(lambda x: x))

    @interruption.interruptible
    def analysis() -> None:
        pressed()
        with pytest.raises(KeyboardInterrupt):
            shelf.load_overload((float64,), None)
        interruption.clear_request()

    analysis()


def test_a_signal_while_hdf5_writes_leaves_a_whole_file(tmp_path, monkeypatch):
    """HDF5 takes an exception of a file for an error of its own, and went on to others."""
    run, written = fm.simulate(pendulum(), 0.1, progress=False), itertools.count()

    class Raw(io.FileIO):
        def write(self, data):
            if next(written) == 1:
                signal.raise_signal(signal.SIGINT)
            return super().write(data)

    new = files._new_part

    def interrupted_part(real):
        raw, part = new(real)
        raw.close()
        return Raw(part, "r+"), part

    monkeypatch.setattr(files, "_new_part", interrupted_part)
    with pytest.raises(KeyboardInterrupt):
        run.save(tmp_path / "run.h5")
    assert next(written) > 2
    np.testing.assert_array_equal(fm.load(tmp_path / "run.h5").q, run.q)


def test_in_an_analysis_with_a_force_in_python():
    """It is raised there: an analysis that is not done has no result."""
    calls = 0

    def pull(t, position, velocity):
        nonlocal calls
        calls += 1
        if calls == 20:
            signal.raise_signal(signal.SIGINT)
        return 0.1, 0.0, 0.0

    model = pendulum()
    model.python_force(model.frame("body"), pull, name="pull")
    with pytest.raises(KeyboardInterrupt):
        for _ in range(20):
            fm.equilibrium(model)
    assert calls >= 20 and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_the_user_stays():
    heard = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        model = pendulum()
        model.python_force(
            model.frame("body"), lambda t, x, v: (signal.raise_signal(signal.SIGINT) or 0.0, 0.0, 0.0), name="f"
        )
        assert fm.simulate(model, 0.01, step=1e-2, progress=False).status == "finished"
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard
