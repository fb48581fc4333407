"""Named tuples that are passed to compiled code by address.

Numba passes a tuple to a function number by number. A system with its buffers is several hundred numbers: passing them
on takes longer, at each call, than many a function works, and the code for it takes long to compile. The numbers of a
class marked with :func:`by_reference` are written to memory once, when Python calls; from then on only the address is
passed, and code that needs a field reads it from there. Compiled code creates no such tuples.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from flexmb.kernels.variables import Variables

T = TypeVar("T")
_Template: Any = AttributeTemplate


class LentTuple(types.Type):  # type: ignore[misc]
    """The Numba type of such an address: a named tuple of the class `of`, whose fields have the types `fields`."""

    #: mark by which code generators recognize this type
    lent = True

    def __init__(self, of: type, fields: tuple[Any, ...]) -> None:
        self.of, self.fields = of, fields
        super().__init__(f"{of.__name__}({', '.join(map(str, fields))})")

    @property
    def mangling_args(self) -> tuple[str, tuple[Any, ...]]:
        """A short name for symbols."""
        return self.of.__name__, ()

    @property
    def key(self) -> tuple[Any, ...]:
        return self.of, self.fields

    def __hash__(self) -> int:
        """The hash of its key, which depends on all fields, computed once."""
        if "_hash" not in self.__dict__:
            self._hash = hash(self.key)
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or super().__eq__(other)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}  # it differs between processes


#: flags of an array that count for its type: contiguous by rows or by columns, aligned, writeable
_LAYOUT = 0x1 | 0x2 | 0x100 | 0x400
#: the usual types of numbers, of which NumPy has one object each, and a code for each above dimension and flags
_USUAL = [np.dtype(kind) for kind in (np.float64, np.int64, np.complex128, np.bool_, np.uint8)]
_CODES = {id(kind): -1 - ((k + 1) << 20) for k, kind in enumerate(_USUAL)}
#: classes of numbers that are the same to Numba
_FLOATS = float, np.float64
#: marked classes, the numbers of kinds of their tuples, and the types of these by number
_marked: set[type] = set()
_numbers: dict[Any, int] = {}
_next = count()
_known: dict[int, LentTuple] = {}


def by_reference(of: type[T]) -> type[T]:
    """Mark a class of named tuples to be passed by address. They remember the number of their kind, since to find it
    anew at each call takes longer than many a function works; it means nothing to other processes."""
    own = {name: getattr(of, name) for name in ("__module__", "__qualname__", "__doc__", "__annotations__")}
    written = {name: value for name, value in vars(of).items() if _module_of(value) == of.__module__}
    marked = type(of.__name__, (of,), {**written, **own, "__getstate__": _nothing_kept})
    _marked.add(marked)

    @typeof_impl.register(marked)
    def reference(value: Any, c: Any) -> LentTuple:
        number = _number_of(value)
        if number not in _known:
            _known[number] = LentTuple(marked, tuple(typeof_impl(field, c) for field in value))
        return _known[number]

    return marked


def _module_of(value: Any) -> str | None:
    """The module in which a method, a property or a class method was written: whoever reads the documentation of the
    marked class finds there what stands in its source."""
    function = getattr(value, "__func__", getattr(value, "fget", value))
    return getattr(function, "__module__", None)


def _nothing_kept(value: Any) -> None:
    """What a copy or a pickle has beside the fields."""


def _number_of(value: Any) -> int:
    """The number of the kind of a tuple, which determines its type. Numba makes and compares a type for each array, of
    which a mechanism in joint coordinates has more than a hundred."""
    number: int | None = value.__dict__.get("_number")
    if number is None:
        key = type(value), *[_array_kind(x) if type(x) is np.ndarray else kind_of(x) for x in value]
        number = value.__dict__["_number"] = _numbers.setdefault(key, next(_next))
    return number


def _array_kind(x: np.ndarray) -> Any:
    """A key for the type of an array: mostly one number, which is quickly compared."""
    dtype, flags = x.dtype, x.flags.num & _LAYOUT
    code = _CODES.get(id(dtype))
    return (dtype, x.ndim, flags) if code is None else code + (x.ndim << 12) + flags


def kind_of(value: Any) -> Any:
    """A key that determines Numba's type of a value, found in a hundredth of the time."""
    kind = type(value)
    if kind is np.ndarray:
        return _array_kind(value)
    if kind in _FLOATS:
        return float
    if kind is int:
        return int, value.bit_length() < 64
    if kind is bool:
        return bool
    if kind in _marked:
        return value.__dict__.get("_number") or _number_of(value)
    if isinstance(value, Variables):  # of which each class has one layout
        return kind
    return typeof(value)


def alike(value: T, other: T) -> T:
    """A tuple, whose arrays have the layouts of those of another tuple of its class."""
    value.__dict__.update(other.__dict__)
    return value


def passed_by_address(values: Sequence[Any]) -> bool:
    """Whether some of the values are passed by address."""
    return any(type(value) in _marked for value in values)


@register_model(LentTuple)
class _Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.IntType(8).as_pointer())


def structure_of(context: Any, kind: LentTuple) -> Any:
    """The memory layout of a tuple."""
    return ir.LiteralStructType([context.get_value_type(field) for field in kind.fields])


@unbox(LentTuple)
def _to_memory(kind: LentTuple, value: Any, c: Any) -> Any:
    builder = c.builder
    room = cgutils.alloca_once(builder, structure_of(c.context, kind))
    failed = cgutils.false_bit
    for k, field in enumerate(kind.fields):
        item, place = c.pyapi.tuple_getitem(value, k), cgutils.gep_inbounds(builder, room, 0, k)
        if isinstance(field, types.Array):  # passed without reference counting too
            adapt = ir.FunctionType(ir.IntType(32), [c.pyapi.pyobj, c.pyapi.voidptr])
            adaptor = cgutils.get_or_insert_function(builder.module, adapt, "numba_adapt_ndarray")
            error = builder.call(adaptor, [item, builder.bitcast(place, c.pyapi.voidptr)])
            failed = builder.or_(failed, cgutils.is_not_null(builder, error))
        else:
            native = c.unbox(field, item)
            builder.store(native.value, place)
            if native.cleanup is not None:  # a record stays where it is for as long as the tuple holds it
                native.cleanup()
            failed = builder.or_(failed, native.is_error)
    # The compiler must regard this as a new address, or it would assume that it knows what is stored there.
    kept = ir.FunctionType(c.pyapi.voidptr, [c.pyapi.voidptr])
    address = builder.asm(kept, "", "=r,0,~{memory}", [builder.bitcast(room, c.pyapi.voidptr)], True)
    return NativeValue(address, is_error=failed)


@infer_getattr
class _Attributes(_Template):  # type: ignore[misc]
    key = LentTuple

    def generic_resolve(self, kind: LentTuple, name: str) -> Any:
        names = kind.of._fields  # type: ignore[attr-defined]
        return kind.fields[names.index(name)] if name in names else None


def _leaves(builder: Any, place: Any) -> Any:
    """The value at an address, read number by number. All loads are marked as invariant: nothing changes the tuple
    while compiled code uses it."""
    kind = place.type.pointee
    if isinstance(kind, (ir.LiteralStructType, ir.ArrayType)):
        value = ir.Constant(kind, ir.Undefined)
        for k in range(len(kind.elements) if isinstance(kind, ir.LiteralStructType) else kind.count):
            value = builder.insert_value(value, _leaves(builder, cgutils.gep_inbounds(builder, place, 0, k)), k)
        return value
    value = builder.load(place)
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


@lower_getattr_generic(LentTuple)
def _read(context: Any, builder: Any, kind: LentTuple, value: Any, name: str) -> Any:
    number = kind.of._fields.index(name)  # type: ignore[attr-defined]
    structure = builder.bitcast(value, structure_of(context, kind).as_pointer())
    place = cgutils.gep_inbounds(builder, structure, 0, number)
    return impl_ret_borrowed(context, builder, kind.fields[number], _leaves(builder, place))


#: the generated code for named tuples depends on these functions
CODE = [f.__code__ for f in (structure_of, _to_memory, _leaves, _read)]
