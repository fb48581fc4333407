"""Variables with names that compiled code changes."""

from __future__ import annotations

import sys
from typing import NamedTuple

import pytest

from flexmb.kernels.compilation import allocation_free
from flexmb.kernels.references import by_reference
from flexmb.kernels.variables import Variables


class Clock(Variables):
    time: float
    steps: int


class Counter(Clock):
    rejected: int


@by_reference
class Lent(NamedTuple):
    counter: Counter
    size: float


@allocation_free
def count(lent):
    lent.counter.time += lent.size
    lent.counter.steps = lent.counter.rejected = lent.counter.steps + 2
    return lent.counter.steps


def test_compiled_code_changes_variables_that_are_lent_and_python_reads_them():
    counter = Counter.zeros()
    counter.steps = 5
    lent = Lent(counter, 0.25)
    holders = sys.getrefcount(counter)
    assert [count(lent) for _ in range(3)] == [7, 9, 11]
    assert (counter.time, counter.steps, counter.rejected) == (0.75, 11, 11)
    assert sys.getrefcount(counter) == holders


def test_variables_of_the_class_above_come_first_and_all_are_shown():
    assert Counter.fields == ("time", "steps", "rejected")
    assert repr(Counter.zeros()) == str(Counter.zeros()) == "Counter(time=0.0, steps=0, rejected=0)"


def test_a_variable_that_there_is_not_is_refused_by_name():
    with pytest.raises(AttributeError, match="Clock has no variable 'tim'; it has time, steps"):
        Clock.zeros().tim = 1.0


def test_compiled_code_finds_the_memory_of_variables_without_a_line_of_python():
    """Ctrl-C could end that line; Numba would ask the next record of a tuple nevertheless, and crash."""
    entered = []
    counter = Counter.zeros()
    sys.setprofile(lambda frame, event, arg: entered.append(frame.f_code.co_name) if event == "call" else None)
    try:
        assert counter.data.nbytes == 24
    finally:
        sys.setprofile(None)
    assert entered == []


def test_a_name_that_numpy_uses_is_refused():
    with pytest.raises(TypeError, match="'size' means something else"):
        type("Wrong", (Variables,), {"__annotations__": {"size": "float"}})


def test_annotations_may_be_types_or_their_names():
    made = type("Made", (Variables,), {"__annotations__": {"time": float, "steps": int, "step": "float"}})
    assert repr(made.zeros()) == "Made(time=0.0, steps=0, step=0.0)"
