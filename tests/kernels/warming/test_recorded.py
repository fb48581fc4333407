"""The list that comes with the package is of these sources: its functions are there, with the arguments and types that
they have today, and runs ask for what it says."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest
from numba import typeof, types

from flexmb.kernels.compilation import Kernel
from flexmb.kernels.hooks.calls import Called, Compiled
from flexmb.kernels.references import LentTuple
from flexmb.kernels.variables import Variables
from flexmb.kernels.warming.functions import dispatcher_of
from flexmb.kernels.warming.recorded import Recorded, read, recorded
from flexmb.kernels.warming.types import Types, found_at
from tests import recording
from tests.house import ROOT

REMEDY = "the list is of earlier sources; record these kinds anew: python -m tests.recording"


def _kinds_that_ask_for(number):
    return sorted({name for name, numbers in recorded().runs if number in numbers})


@pytest.mark.parametrize("number", range(0, len(recorded().functions), 100))
def test_functions_are_there_with_their_arguments(number):
    known = recorded()
    for k, function in list(enumerate(known.functions))[number : number + 100]:
        where = f"{function.place}: {REMEDY} {' '.join(_kinds_that_ask_for(k))}"
        dispatcher = dispatcher_of(function.place)
        assert isinstance(dispatcher, Compiled), where
        arguments = [known.types.kind(n) for n in function.arguments]
        given = inspect.signature(dispatcher.py_func).parameters
        assert len(arguments) == len(given), where
        if function.returns is not None and isinstance(dispatcher, Called):
            assert dispatcher.returns == known.types.kind(function.returns), where
        if isinstance(dispatcher, Kernel):
            assert tuple(arguments) == dispatcher.signature.args, where


def _matches(kind, said, module):
    """Whether a type is that of an annotation in a module."""
    if said.startswith("np.ndarray"):
        return isinstance(kind, types.Array)
    if said in ("float", "int", "bool"):
        return kind == typeof({"float": 0.0, "int": 0, "bool": False}[said])
    of = getattr(module, said, None)
    if isinstance(of, type) and issubclass(of, Variables):
        return kind == typeof(of.zeros())
    return said == "Any" or (isinstance(kind, LentTuple) and kind.of.__name__ == said)


def test_named_tuples_have_the_fields_that_they_have_today():
    known = recorded()
    for k, description in enumerate(known.types.described):
        if description[0] != "lent":
            continue
        of, kind = found_at(description[1]), known.types.kind(k)
        for name, field in zip(of._fields, kind.fields, strict=True):
            said = of.__annotations__[name]
            said = getattr(said, "__forward_arg__", said)
            assert _matches(field, said, sys.modules[of.__module__]), (
                f"{description[1]}.{name} is {field}, not {said}; {REMEDY}"
            )


def test_the_kinds_in_the_list_are_those_that_are_recorded():
    names = set(recorded().names)
    assert recording.KINDS.keys() <= names, f"{REMEDY} --missing"
    assert names <= recording.runs().keys(), f"{REMEDY}"


@pytest.mark.parametrize("name", ["planar", "equilibrium"])
def test_runs_ask_for_what_the_list_says(name, tmp_path):
    known = recorded()
    runs = [numbers for kind, numbers in known.runs if kind == name]
    for number, run in enumerate(runs):
        file = tmp_path / "run.json"
        command = [sys.executable, "-m", "tests.recording", "--run", name, str(number), str(file)]
        subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
        now = read(file.read_text(encoding="utf-8"))
        listed = Recorded()
        listed.add(name, known.types, (known.functions[k] for k in run))
        both = Recorded()
        both.add("list", listed.types, listed.functions)
        both.add("now", now.types, now.functions)
        (_, before), (_, after) = both.runs
        other = {both.functions[k].name for k in set(before) ^ set(after)}
        assert not other, f"{sorted(other)}; {REMEDY} {name}"


def test_a_list_is_read_as_it_was_written():
    some = recorded().without([name for name in recorded().names if name not in ("planar", "exact")])
    again = read(some.text())
    assert again.text() == some.text() and again.names == ["planar", "exact"]
    assert set(some.numbers_of(["planar"])) <= set(range(len(some.functions)))
    assert len(some.functions) < len(recorded().functions)
    assert len({*some.functions}) == len(some.functions)


def _small():
    """Three runs: two ask for the second function after the first."""
    known, all_types = Recorded(), Types()
    number = all_types.number(types.float64)
    a, b, c, d = (
        recorded().functions[0]._replace(place=f"flexmb.m:{name}", returns=None, arguments=(number,)) for name in "abcd"
    )
    known.add("one", all_types, [a, b])
    known.add("two", all_types, [a, b, c])
    known.add("three", all_types, [d, c])
    return known


def test_what_is_likely_to_follow_is_what_the_run_most_like_it_asked_for_and_what_most_did():
    known = _small()
    assert [known.functions[k].name[-1] for k in known.likely([0])] == ["c", "a", "b"]
    assert [known.functions[k].name[-1] for k in known.likely([3])] == ["d", "c"]
    assert [known.functions[k].name[-1] for k in known.likely([0, 2])] == ["a", "b", "c"]
