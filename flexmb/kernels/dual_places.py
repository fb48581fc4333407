"""Indices of an instance's coordinates in compiled code, each of which remembers where in its instance it stands."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core.typeconv import Conversion
from numba.extending import intrinsic, lower_cast, overload_attribute

from flexmb.kernels.dual_types import OwnType, field, lay_out, maker, read

INDEX = types.Array(types.int64, 2, "C")


@lay_out
class PlacesType(OwnType):
    """The indices iq or iv of one instance, as an array of one row."""

    fields = (("x", INDEX), ("i", types.int64))


@lay_out
class PlacesRowType(OwnType):
    """That row."""

    fields = (("x", INDEX), ("i", types.int64))


@lay_out
class PlaceType(OwnType):
    """An index, and where in its instance it stands."""

    fields = (("number", types.int64), ("local", types.int64))

    def can_convert_to(self, typingctx: Any, other: Any) -> Any:
        return Conversion.safe if isinstance(other, types.Integer) else None


PLACES, PLACES_ROW, PLACE = PlacesType("places"), PlacesRowType("row of places"), PlaceType("place")


@lower_cast(PlaceType, types.Integer)
def _to_number(context: Any, builder: Any, given: Any, wanted: Any, of: Any) -> Any:
    return context.cast(builder, field(context, builder, given, of, "number"), types.int64, wanted)


@intrinsic
def places(typingctx: Any, x: Any, i: Any) -> Any:
    """The indices of instance i."""
    return maker(PLACES)


@intrinsic
def _places_row(typingctx: Any, x: Any, i: Any) -> Any:
    return maker(PLACES_ROW)


@intrinsic
def _place(typingctx: Any, number: Any, local: Any) -> Any:
    return maker(PLACE)


_array_of, _instance_of, number_of, local_of = (read(name) for name in ("x", "i", "number", "local"))


def number_at(of, at):  # type: ignore[no-untyped-def]
    return of[number_of(at)]


def _place_in_row(of, at):  # type: ignore[no-untyped-def]
    local = at + _array_of(of).shape[1] if at < 0 else at
    return _place(_array_of(of)[_instance_of(of), local], local)


def _place_in_pair(of, at):  # type: ignore[no-untyped-def]
    return of[0][at[1]]


def _row_of_places(of, at):  # type: ignore[no-untyped-def]
    return _places_row(_array_of(of), _instance_of(of))


def place_at(of: Any, pair: bool) -> Any:
    """How an entry of indices is read, by one number or by a pair; None if `of` are no indices."""
    if isinstance(of, PlacesType):
        return _place_in_pair if pair else _row_of_places
    return _place_in_row if isinstance(of, PlacesRowType) else None


def teach_shapes() -> None:
    """Tell the compiler how many indices an instance has."""
    overload_attribute(PlacesType, "shape")(lambda of: lambda of: (1, _array_of(of).shape[1]))
    overload_attribute(PlacesType, "size")(lambda of: lambda of: _array_of(of).shape[1])
    overload_attribute(PlacesRowType, "shape")(lambda of: lambda of: (_array_of(of).shape[1],))
    overload_attribute(PlacesRowType, "size")(lambda of: lambda of: _array_of(of).shape[1])
