"""Vectors of kernels in compiled code whose entries are dual numbers
(:mod:`flexmb.kernels.dual_types`).

A kernel reads a coordinate as q[iq[i, k]]. The index that it gets for iq[i, k] here remembers k, the place of the
coordinate in its instance, which the compiler knows in most kernels; so it knows too in which directions the coordinate
changes. A coordinate that stands in an instance twice is two coordinates.

A number of an orientation changes with a small turn y in the body's own axes as  ∂(q ∘ exp y)/∂y_c = ½ q ∘ (0, e_c).
Number m of this is ± ½ q_(m xor (c + 1)); :data:`OPPOSITE` lists where the sign is minus.
"""

from __future__ import annotations

import operator
from functools import cache
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from flexmb.kernels.compilation import inlined
from flexmb.kernels.dual_outputs import (
    VECTOR,
    ColumnsRowType,
    ColumnsType,
    RatesRowType,
    RatesType,
    ScratchType,
    array_of,
    instance_of,
    keep_number,
    keep_rates,
    keep_scratch,
    number_so_far,
    rates_so_far,
    row_maker,
    scratch_entry,
)
from flexmb.kernels.dual_places import INDEX, PlaceType, local_of, number_at, number_of, place_at, teach_shapes
from flexmb.kernels.dual_types import (
    ALONG,
    LANES,
    DualType,
    OwnType,
    SlopesType,
    dual,
    everywhere,
    field,
    group_type,
    grouped,
    lay_out,
    made,
    maker,
    read,
)

#: The first places of each orientation among an instance's numbers in q and in v.
Orientations = tuple[tuple[int, int], ...]

#: the numbers m and columns c of an orientation whose entry of ½ q ∘ (0, e_c) has a minus
OPPOSITE = ((0, 0), (0, 1), (0, 2), (1, 1), (2, 2), (3, 0))


velocities_of, column_of, places_of, along_of = (read(name) for name in ("v", "c", "at", "along"))


# -- vectors --------------------------------------------------------------------------------------------------------


@lay_out
class SpeedsType(OwnType):
    """Speeds or accelerations, each of which changes in its own direction at a rate; column `first` is the first
    direction."""

    fields = (
        ("x", VECTOR), ("at", INDEX), ("i", types.int64), ("rate", types.float64), ("first", types.int64),
    )  # fmt: skip

    def __init__(self, number: DualType) -> None:
        super().__init__(f"speeds, {number}")
        self.number = number
        self.orientations: Orientations = ()


@lay_out
class CoordinatesType(OwnType):
    """Coordinates that change as their speeds say, at a rate; in one more direction, that of column c, if the numbers
    are of second order. `own` are halves of the numbers of orientations."""

    def __init__(self, number: DualType, orientations: Orientations) -> None:
        super().__init__(f"coordinates, {number}, with orientations at {orientations}")
        self.number, self.orientations = number, orientations
        self.fields = (
            ("x", VECTOR), ("at", INDEX), ("i", types.int64), ("rate", types.float64), ("first", types.int64),
            ("c", types.int64), ("own", types.UniTuple(types.float64, max(4 * len(orientations), 1))),
        )  # fmt: skip


@lay_out
class MovingType(OwnType):
    """Coordinates along the motion in which the speeds v stay the same, with their first and second rates."""

    fields = (("x", VECTOR), ("v", VECTOR), ("at", INDEX), ("along", INDEX), ("i", types.int64))
    number = ALONG

    def __init__(self, orientations: Orientations) -> None:
        super().__init__(f"moving coordinates with orientations at {orientations}")
        self.orientations = orientations


@lay_out
class UnitType(OwnType):
    """Speeds of an instance, of which that of column c is 1, all others are 0."""

    fields = (("c", types.int64),)


UNIT = UnitType("unit speed")


def _directions(of: Any) -> Any:
    """What computes the slopes of the coordinate that stands at a place of its instance: of a speed or a coordinate
    that is its own direction a unit vector, of a number of an orientation those of all turns."""
    slopes = of.number.slope if isinstance(of.number.slope, SlopesType) else of.number.slope.slope

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        all_of, local = given
        first, rate = (field(context, builder, of, all_of, name) for name in ("first", "rate"))
        one = group_type()
        lanes = ir.VectorType(ir.IntType(64), LANES)
        zero = ir.Constant(one, [0.0] * LANES)

        def number(x: int) -> Any:
            return ir.Constant(ir.IntType(64), x)

        def entry(column: Any, x: Any, others: list[Any]) -> list[Any]:
            """x in the direction of a column."""
            here = everywhere(builder, builder.sub(column, first), lanes)
            filled = everywhere(builder, x, one)
            found = []
            for k, other in enumerate(others):
                own = ir.Constant(lanes, [LANES * k + j for j in range(LANES)])
                found.append(builder.select(builder.icmp_signed("==", here, own), filled, other))
            return found

        column = local
        for in_q, _ in of.orientations:
            behind = builder.icmp_signed(">=", local, number(in_q + 4))
            column = builder.sub(column, builder.zext(behind, ir.IntType(64)))
        found = entry(column, rate, [zero] * slopes.groups)
        own = field(context, builder, of, all_of, "own") if of.orientations else None
        for k, (in_q, in_v) in enumerate(of.orientations):
            m = builder.sub(local, number(in_q))
            turned = [zero] * slopes.groups
            for c in range(3):
                x = ir.Constant(ir.DoubleType(), 0.0)
                for each in range(4):
                    part = builder.extract_value(own, 4 * k + (each ^ (c + 1)))
                    if (each, c) in OPPOSITE:
                        part = builder.fneg(part)
                    x = builder.select(builder.icmp_signed("==", m, number(each)), part, x)
                turned = entry(number(in_v + c), builder.fmul(x, rate), turned)
            inside = builder.icmp_unsigned("<", m, number(4))
            found = [builder.select(inside, a, b) for a, b in zip(turned, found)]
        return grouped(builder, found)

    return slopes(of, types.int64), codegen


@intrinsic
def directions(typingctx: Any, of: Any, local: Any) -> Any:
    return _directions(of)


@inlined
def turn_of(m, c):  # type: ignore[no-untyped-def]
    """The sign of number m of ½ q ∘ (0, e_c), and the number of q that stands there."""
    minus = m == 0 or (m == 1 and c == 1) or (m == 2 and c == 2) or (m == 3 and c == 0)
    return (-0.5 if minus else 0.5), m ^ (c + 1)


def speeds_of(number: DualType) -> Any:
    """What makes speeds (x, at, i, rate, first) of instance i, whose indices are `at`, that change at a rate, each in
    its own direction, from column `first` on."""
    kind = SpeedsType(number)

    @intrinsic
    def made_of(typingctx: Any, x: Any, at: Any, i: Any, rate: Any, first: Any) -> Any:
        return maker(kind)

    return made_of


def coordinates_of(number: DualType, orientations: Orientations) -> Any:
    """What makes coordinates (x, at, i, rate, first, c) of instance i, whose indices are `at`, that change at a rate
    along all columns from `first` on, and along column c if the numbers are of second order."""
    kind = CoordinatesType(number, orientations)
    given = kind(*(of for _, of in kind.fields[:-1]))

    @intrinsic
    def made_of(typingctx: Any, x: Any, at: Any, i: Any, rate: Any, first: Any, c: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            numbers = [in_q + k for in_q, _ in orientations for k in range(4)]
            own = cgutils.get_null_value(context.get_value_type(dict(kind.fields)["own"]))
            for k, place in enumerate(numbers):
                at = _entry_at(context, builder, INDEX, values[1], values[2], place)
                x = _entry_at(context, builder, VECTOR, values[0], at)
                own = builder.insert_value(own, builder.fmul(x, ir.Constant(ir.DoubleType(), 0.5)), k)
            return made(context, builder, kind, (*values, own))

        return given, codegen

    return made_of


def _entry_at(context: Any, builder: Any, kind: Any, of: Any, row: Any, column: int | None = None) -> Any:
    """An entry of a vector, or of a row of a matrix."""
    array = context.make_array(kind)(context, builder, of)
    at = row
    if column is not None:
        width = builder.extract_value(array.shape, 1)
        at = builder.add(builder.mul(row, width), ir.Constant(ir.IntType(64), column))
    return builder.load(builder.gep(array.data, [at]))


def moving_of(orientations: Orientations) -> Any:
    """Compiled function that makes the coordinates (x, v, iq, iv, i) along the motion of instance i."""
    kind = MovingType(orientations)

    @intrinsic
    def made_of(typingctx: Any, x: Any, v: Any, at: Any, along: Any, i: Any) -> Any:
        return maker(kind)

    return made_of


@intrinsic
def unit(typingctx: Any, c: Any) -> Any:
    """Speeds of which that of column c is 1; −1 is no column."""
    return maker(UNIT)


# -- entries --------------------------------------------------------------------------------------------------------


def _entry(of, at):  # type: ignore[no-untyped-def]
    return dual(array_of(of)[number_of(at)], directions(of, local_of(at)))


def _entry_by_number(of, at):  # type: ignore[no-untyped-def]
    x, own, i = array_of(of)[at], places_of(of), instance_of(of)
    for k in range(own.shape[1]):
        if own[i, k] == at:
            return dual(x, directions(of, k))
    return dual(x, 0.0 * directions(of, 0))


def _entry_at_speed(orientations: Orientations) -> Any:
    """The entry of coordinates of second order."""
    turns = orientations or ((-9, -9),)

    def entry(of, at):  # type: ignore[no-untyped-def]
        local, c = local_of(at), column_of(of)
        x, lanes = array_of(of)[number_of(at)], directions(of, local)
        behind = 0
        for in_q, in_v in turns:
            if in_q <= local < in_q + 4:
                if in_v <= c < in_v + 3:
                    sign, other = turn_of(local - in_q, c - in_v)
                    beside = array_of(of)[places_of(of)[instance_of(of), in_q + other]]
                    return dual(dual(x, lanes), dual(sign * beside, sign * directions(of, in_q + other)))
                return dual(dual(x, lanes), dual(0.0, 0.0 * lanes))
            if local >= in_q + 4 and in_q >= 0:
                behind += 1
        return dual(dual(x, lanes), dual(1.0 if local - behind == c else 0.0, 0.0 * lanes))

    return entry


def _moving_entry(orientations: Orientations) -> Any:
    """q, q̇ and q̈ where v stays the same: of an orientation q̇ = ½ q ∘ (0, ω), q̈ = −¼ |ω|² q."""
    turns = orientations or ((-9, -9),)

    def entry(of, at):  # type: ignore[no-untyped-def]
        local, q, v = local_of(at), array_of(of), velocities_of(of)
        iq, iv, i = places_of(of), along_of(of), instance_of(of)
        x, behind = q[number_of(at)], 0
        for in_q, in_v in turns:
            if in_q <= local < in_q + 4:
                rate, square = 0.0, 0.0
                for c in range(3):
                    sign, other = turn_of(local - in_q, c)
                    omega = v[iv[i, in_v + c]]
                    rate += sign * omega * q[iq[i, in_q + other]]
                    square += omega * omega
                return dual(dual(x, rate), dual(rate, -0.25 * square * x))
            if local >= in_q + 4 and in_q >= 0:
                behind += 1
        speed = v[iv[i, local - behind]]
        return dual(dual(x, speed), dual(speed, 0.0))

    return entry


def _of_unit(of, at):  # type: ignore[no-untyped-def]
    return 1.0 if local_of(at) == column_of(of) else 0.0


def _in_row(of, at):  # type: ignore[no-untyped-def]
    return of[at[0]][at[1]]


def _keep_in_row(of, at, y):  # type: ignore[no-untyped-def]
    of[at[0]][at[1]] = y


def _get(of, at):  # type: ignore[no-untyped-def]
    if not isinstance(of, OwnType):
        return number_at if isinstance(at, PlaceType) and isinstance(of, types.Array) and of.ndim == 1 else None
    pair = isinstance(at, types.BaseTuple)
    if place_at(of, pair) is not None:
        return place_at(of, pair)
    if isinstance(of, (ColumnsType, RatesType)):
        return _in_row if pair else row_maker(of)
    if isinstance(of, ScratchType):
        return scratch_entry(of.number)
    if isinstance(of, ColumnsRowType):
        return number_so_far(of.number)
    if isinstance(of, RatesRowType):
        return rates_so_far
    if isinstance(at, PlaceType):
        if isinstance(of, MovingType):
            return _moving_entry(of.orientations)
        if isinstance(of, CoordinatesType) and isinstance(of.number.slope, DualType):
            return _entry_at_speed(of.orientations)
        return {UnitType: _of_unit, CoordinatesType: _entry, SpeedsType: _entry}.get(type(of))
    if isinstance(of, (CoordinatesType, SpeedsType)) and isinstance(of.number.slope, SlopesType):
        return _entry_by_number if isinstance(at, types.Integer) else None
    return None


def _set(of, at, y):  # type: ignore[no-untyped-def]
    if isinstance(of, (ColumnsType, RatesType)):
        return _keep_in_row
    if isinstance(of, ColumnsRowType):
        return keep_number(of.number)
    if isinstance(of, ScratchType):
        return keep_scratch(of.number)
    return keep_rates if isinstance(of, RatesRowType) else None


@cache
def teach_entries() -> None:
    """Tell the compiler how entries of these are read and set."""
    overload(operator.getitem)(_get)
    overload(operator.setitem)(_set)
    teach_shapes()
