"""A digest of everything that the machine code of a function depends on.

Machine code contains the code of all functions that a function calls, and the values that it reads from its module are
constants in it. The digest of a function is therefore made of its byte code and options, of the values that it reads
(from its module, from modules that it names, from the function around it), of the fields of the named tuples that it is
given, and of the digests of all functions that it calls (for functions called by address, of their names alone). It
does not depend on the files in which these stand, or on whether they are in files at all: a helper that is edited,
imported from elsewhere or typed again into a notebook changes the digest, a comment or a moved file does not.

A function for which this cannot be followed (:class:`Untraceable`) has no digest, and its machine code is not kept.
"""

from __future__ import annotations

import dis
import hashlib
from collections.abc import Iterator
from enum import Enum
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numba import types
from numba.extending import is_jitted

from flexmb.kernels import references
from flexmb.kernels.compiler import Called, hooks
from flexmb.kernels.hooks.places import KNOWN

#: the digests that functions had when they were first compiled
_when_compiled: WeakKeyDictionary[Any, str] = WeakKeyDictionary()


class Untraceable(Exception):
    """The machine code depends on something whose changes the digest would not show."""


def fingerprint(dispatcher: Any, signature: Any) -> str:
    """The digest (hexadecimal) of a compiled function for a signature, or for a tuple of the types of arguments.

    >>> import numba
    >>> def scaled(factor):
    ...     return numba.njit(lambda x: factor * x)
    >>> same, again, other = (fingerprint(scaled(k), ()) for k in (2.0, 2.0, 3.0))
    >>> same == again, same == other
    (True, False)
    """
    trace = _Trace()
    return _digest([trace.value(dispatcher), trace.value(signature), *map(_code, hooks.CODE)])


def fingerprint_of_modules(*modules: ModuleType) -> str:
    """The digest (hexadecimal) of the code of some modules, which need not have their source."""
    loaders: list[tuple[str, Any]] = [(m.__name__, getattr(m.__spec__, "loader", None)) for m in modules]
    return _digest([_text(name, _code(loader.get_code(name))) for name, loader in loaders])


class _Trace:
    """Builds texts that contain everything on which machine code depends; for functions these are digests."""

    def __init__(self) -> None:
        self._done: dict[tuple[int, str], str] = {}
        self._open: list[Any] = []

    def value(self, x: Any, names: tuple[str, ...] = ()) -> str:
        """The text for a value; `names` are the attributes that a function reads from modules."""
        if x is None or x is Ellipsis or type(x) in (bool, int, float, complex, str, bytes):
            return f"{type(x).__name__} {x!r}"
        if hooks is not None and hooks.is_extended_function(x):
            raise Untraceable(f"{x!r} is a function that code outside of Numba explains to the compiler")
        if isinstance(x, Called) and self._open:  # its code is not part of that of its callers
            return _text(
                "called",
                x.py_func.__module__,
                x.py_func.__qualname__,
                self.value(x.returns),
                *map(_code, hooks.CODE_OF_CALLS),
            )
        if is_jitted(x):
            return self._dispatcher(x)
        if hooks is not None and isinstance(x, hooks.Intrinsic):
            return self._function(hooks.definition(x), "intrinsic")
        if isinstance(x, types.Type):
            return _type(x)
        if hooks is not None and isinstance(x, hooks.Signature):
            return _text("signature", self.value(x.return_type), self.value(x.args))
        if isinstance(x, Enum):
            return _text("enum", self._class(type(x)), x.name, self.value(x.value))
        if isinstance(x, (np.generic, np.ndarray)):
            if x.dtype.hasobject:
                raise Untraceable(f"an array of objects, {x!r}")
            layout = "F" if x.flags.f_contiguous and not x.flags.c_contiguous else "C"
            return _text(type(x).__name__, repr(x.dtype), repr(x.shape), layout, _digest(x.tobytes()))
        if isinstance(x, np.dtype):
            return repr(x)
        if isinstance(x, (tuple, list)):
            return _text(self._class(type(x)), *(self.value(item) for item in x))
        if isinstance(x, (set, frozenset)):
            return _text(self._class(type(x)), *sorted(self.value(item) for item in x))
        if isinstance(x, dict):
            return _text(self._class(type(x)), *(self.value(item) for pair in x.items() for item in pair))
        if isinstance(x, CodeType):
            return _code(x)
        if isinstance(x, ModuleType):
            return self._module(x, names)
        if isinstance(x, type):
            return self._class(x)
        if isinstance(x, FunctionType) and not _known(x.__module__):
            return self._function(x, "")
        name = getattr(x, "__qualname__", getattr(x, "__name__", None))
        if isinstance(name, str) and (isinstance(x, np.ufunc) or _known(getattr(x, "__module__", None))):
            return _text(type(x).__name__, str(getattr(x, "__module__", "")), name)
        raise Untraceable(f"{x!r}")

    def _dispatcher(self, x: Any) -> str:
        options = _text(*(f"{name}={self.value(value)}" for name, value in sorted(x.targetoptions.items())))
        digest = self._function(x.py_func, _text("compiled", options, self.value(x.locals)))
        if digest.startswith("itself"):
            return digest
        before = _when_compiled.get(x)
        if before != digest and getattr(x, "in_memory", bool(x.overloads)):
            # Machine code in memory does not change when its source does.
            if before is not None or not Path(x.py_func.__code__.co_filename).is_file():
                raise Untraceable(f"{x!r} has changed since it was compiled")
        _when_compiled[x] = digest
        return digest

    def _function(self, f: FunctionType, what: str) -> str:
        key = (id(f), what)
        if key in self._done:
            return self._done[key]
        if key in self._open:
            return f"itself, {len(self._open) - self._open.index(key)} up"
        self._open.append(key)
        try:
            code = f.__code__
            names = _names(code)
            parts = [what, str(f.__module__), f.__qualname__, _code(code)]
            parts += [self.value(f.__defaults__), self.value(f.__kwdefaults__)]
            for name, cell in zip(code.co_freevars, f.__closure__ or ()):
                try:
                    contents = cell.cell_contents
                except ValueError:
                    raise Untraceable(f"{name!r} of {f!r} has no value so far") from None
                parts.append(_text(name, self.value(contents, names)))
            for name in names:
                if hooks.is_extended_attribute(name):
                    raise Untraceable(f"attribute {name!r}, which code outside of Numba explains to the compiler")
                if name not in f.__globals__:
                    continue
                try:
                    parts.append(_text(name, self.value(f.__globals__[name], names)))
                except Untraceable:
                    if name in _globals(code):
                        raise
                    # The name is that of an attribute, and by chance also of something in the module.
        finally:
            self._open.pop()
        self._done[key] = _digest(parts)
        return self._done[key]

    def _module(self, x: ModuleType, names: tuple[str, ...]) -> str:
        if _known(x.__name__) or x in self._open:
            return _text("module", x.__name__)
        self._open.append(x)
        try:
            found = [_text(name, self.value(getattr(x, name), names)) for name in names if hasattr(x, name)]
        finally:
            self._open.pop()
        return _text("module", x.__name__, *found)

    def _class(self, x: type) -> str:
        # it carries the code by which it is explained to the compiler
        if issubclass(x, types.Type) and hasattr(x, "code"):
            return _text("class", x.__module__, x.__qualname__, *map(_code, x.code()))
        fields = getattr(x, "_fields", ()) if issubclass(x, tuple) else ()
        if not (_known(x.__module__) or fields or issubclass(x, (BaseException, Enum))):
            raise Untraceable(f"{x!r}")
        members = [_text(m.name, self.value(m.value)) for m in x] if issubclass(x, Enum) else ()
        return _text("class", x.__module__, x.__qualname__, repr(fields), *members)


def _text(*parts: str) -> str:
    """Several parts as one text that shows where each begins and ends."""
    return repr(parts)


def _digest(of: list[str] | bytes) -> str:
    return hashlib.sha256(of if isinstance(of, bytes) else repr(of).encode("utf-8", "surrogatepass")).hexdigest()


def _known(module: Any) -> bool:
    return isinstance(module, str) and module.partition(".")[0] in KNOWN


# -- byte code ------------------------------------------------------------------------------------------------------


def _inner(code: CodeType) -> Iterator[CodeType]:
    """A code object and those of the functions defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _inner(constant)


#: digests of code by its identity, with the code, which keeps that valid
_digests_of_code: dict[int, tuple[CodeType, str]] = {}


def _code(code: CodeType) -> str:
    """The digest of byte code as it was when it was first asked for: under a profiler Numba overwrites the flags of
    each function that Python calls."""
    if id(code) not in _digests_of_code:
        _digests_of_code[id(code)] = code, _digest_of_code(code)
    return _digests_of_code[id(code)][1]


def _digest_of_code(code: CodeType) -> str:
    trace = _Trace()
    return _digest(
        [
            code.co_code.hex(),
            *(trace.value(constant) for constant in code.co_consts),
            repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)),
            repr((code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)),
            code.co_exceptiontable.hex(),
        ]
    )


@cache
def _type(x: types.Type) -> str:
    trace = _Trace()
    if isinstance(x, references.LentTuple):
        return _digest(["reference", trace.value(x.key), *map(_code, references.CODE)])
    if hasattr(x, "code"):  # it carries the code by which it is explained to the compiler
        return _digest([type(x).__name__, trace.value(x.key), *map(_code, x.code())])
    if isinstance(x, (types.ClassType, types.ClassInstanceType)) or not _known(type(x).__module__):
        raise Untraceable(f"the type {x}")
    return _digest([type(x).__name__, trace.value(x.key)])


@cache
def _names(code: CodeType) -> tuple[str, ...]:
    """Names of globals and attributes that the code reads."""
    return tuple(sorted({name for part in _inner(code) for name in part.co_names}))


@cache
def _globals(code: CodeType) -> frozenset[str]:
    """Names of globals alone that the code reads."""
    asks = ("LOAD_GLOBAL", "LOAD_NAME")
    return frozenset(i.argval for part in _inner(code) for i in dis.get_instructions(part) if i.opname in asks)
