"""Every entry of the reference has an example that runs; those of docstrings run with the tests of the package."""

from __future__ import annotations

import importlib
import inspect

import pytest

import flexmb as fm
from docs.tools import reference

#: all public names but single errors and warnings, which say their cause and what to do
ENTRIES = [f"{room}.{name}" for room in reference.ROOMS if room != "flexmb.errors" for name in reference.names(room)]
#: models and results, whose pages show their methods
SHOWN = (
    fm.PlanarModel, fm.SpatialModel, fm.Robot, fm.Solution, fm.Motion, fm.Study, fm.LinearModel,
    fm.FrequencyResponse, fm.Modes, fm.ComplexModes, fm.ModeShape, fm.Campbell, fm.Equilibrium, fm.EquilibriumPath,
    fm.CriticalPoint, fm.Sensitivity, fm.State, fm.Support, fm.ControlLog, fm.control.Regulator,
    fm.control.LinearRun, fm.control.SlidingDesign,
)  # fmt: skip
METHODS = [
    (kind, name)
    for kind in SHOWN
    for name, value in inspect.getmembers_static(kind)
    if not name.startswith("_") and callable(getattr(kind, name)) and not isinstance(value, property)
]


def has_example(thing: object) -> bool:
    return ">>> " in (inspect.getdoc(thing) or "")


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_has_an_example(name):
    room, _, last = name.rpartition(".")
    thing = getattr(importlib.import_module(room), last)
    if isinstance(thing, type) and issubclass(thing, Exception):
        pytest.skip("its page says its cause and what to do")
    assert has_example(thing), f"{name} has no example: add one (>>>) to its docstring"


@pytest.mark.parametrize("kind, name", METHODS, ids=[f"{kind.__name__}.{name}" for kind, name in METHODS])
def test_a_method_has_an_example(kind, name):
    assert has_example(getattr(kind, name)), f"{kind.__name__}.{name} has no example: add one (>>>) to its docstring"


def test_what_is_missing_is_found():
    assert len(ENTRIES) > 200 and len(METHODS) > 150
    assert not has_example(fm.errors.warn) and has_example(fm.simulate)


def test_the_room_of_errors_shows_errors_and_warnings_alone():
    assert sorted(dir(fm.errors)) == sorted(reference.names("flexmb.errors"))
