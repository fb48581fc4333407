"""Types of compiled functions as plain data, and back."""

from __future__ import annotations

import json

import pytest
from numba import typeof, types

from flexmb.kernels import slots
from flexmb.kernels.references import LentTuple
from flexmb.kernels.warming.types import NotListed, Types, found_at
from flexmb.solvers.march.clock import Clock
from flexmb.solvers.methods.radau.radau_state import End, Options


def _again(kind):
    """A type from the text that a list holds."""
    known = Types()
    number = known.number(kind)
    return Types(json.loads(json.dumps(known.described))).kind(number)


ROW = types.float64[::1]
READ = types.Array(types.float64, 2, "F", readonly=True, aligned=False)
KINDS = [
    types.float64,
    types.none,
    types.voidptr,
    ROW,
    READ,
    types.Array(types.complex128, 3, "A"),
    types.UniTuple(types.float64, 3),
    types.Tuple([types.int64, ROW, types.Tuple([types.boolean, types.boolean])]),
    types.Omitted(0.5),
    LentTuple(End, (ROW, ROW, ROW, ROW)),
    types.BaseTuple.from_types((ROW,) * 4, End),
    typeof(Clock.zeros()),
]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_types_come_back(kind):
    assert _again(kind) == kind and type(_again(kind)) is type(kind)


def test_each_type_is_described_once():
    known = Types()
    first = known.number(LentTuple(End, (ROW, ROW, ROW, ROW)))
    assert known.number(ROW) < first == known.number(LentTuple(End, (ROW, ROW, ROW, ROW)))
    assert known.described == [
        "float64", ["array", 0, 1, "C"], ["lent", "flexmb.solvers.methods.radau.radau_state:End", 1, 1, 1, 1]
    ]  # fmt: skip


def test_descriptions_of_one_list_are_taken_into_another():
    one, other = Types(), Types()
    other.number(types.int64)
    number = one.number(types.Tuple([types.float64, ROW]))
    assert other.kind(other.take(one, number)) == one.kind(number)


class Mine:
    """A class that is not of flexmb."""


@pytest.mark.parametrize("kind", [types.pyobject, types.Dummy("a user's own"), types.Set(types.int64)])
def test_what_a_list_cannot_hold_is_not_listed(kind):
    with pytest.raises(NotListed):
        Types().number(kind)


def test_a_class_with_other_fields_is_no_more_the_one_of_the_list():
    known = Types(["float64", ["lent", f"{Options.__module__}:{Options.__qualname__}", 0, 0]])
    with pytest.raises(NotListed, match="other fields"):
        known.kind(1)


@pytest.mark.parametrize("place", ["os:system", "flexmb.solvers.nowhere:f", "flexmb.kernels.cache:nothing", "flexmb"])
def test_a_list_names_what_flexmb_has_alone(place):
    with pytest.raises(NotListed):
        found_at(place)
    assert found_at("flexmb.kernels.warming.types:found_at") is found_at


def test_a_function_is_an_argument_by_its_place():
    assert _again(types.Dispatcher(slots.interval_in)).dispatcher is slots.interval_in
