"""The digest of a function changes with all that its machine code is made of, and with nothing else."""

from __future__ import annotations

import cProfile
import importlib
import pkgutil
import subprocess
import sys
from types import ModuleType

import numba
import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher
from numba.extending import overload, overload_attribute

import flexmb
from flexmb.kernels.cache import Shelf
from flexmb.kernels.contract import SIGNATURE
from flexmb.kernels.fingerprint import Untraceable, fingerprint

SOURCE = """
import math
from collections import namedtuple
from enum import IntEnum

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

import constants
from flexmb.kernels.compilation import allocation_free, compiled

FACTOR = 2.0
TABLE = np.array([1.0, 2.0])
Pair = namedtuple("Pair", "first second")
PAIR = Pair(1.0, (2, "two"))

class Kind(IntEnum):
    SOFT = 1

def one(context, builder, signature, args):
    return context.get_constant(types.float64, 1.0)

@intrinsic
def unit(typingctx):
    return types.float64(), lambda *given: one(*given)

@numba.njit(fastmath=False)
def plain(x, power=2):
    return x**power

def factory(k):
    @compiled
    def inside(x):
        return k * x
    return inside

@compiled
def deep(x):
    if int(x) == Kind.SOFT:
        raise ValueError("soft")
    return FACTOR * x + PAIR.first

scaled = factory(3.0)

@allocation_free
def outer(x):
    # a comment
    found = [plain(y) for y in (x, 2.0)]
    return deep(x) + scaled(found[0]) + TABLE[0] + constants.inner.GRAVITY + math.sin(x) + unit() + Pair(x, x).first

@compiled
def again(n):
    return 1 if n == 0 else n * again(n - 1)
"""


@pytest.fixture
def load(monkeypatch):
    """Functions of a module with a source, as they are in a new process."""

    def loaded(source: str, gravity: float = 9.81) -> ModuleType:
        constants, module = ModuleType("constants"), ModuleType("own_elements")
        constants.inner, constants.outer = ModuleType("inner"), constants
        constants.inner.GRAVITY = gravity
        monkeypatch.setitem(sys.modules, "constants", constants)
        monkeypatch.setitem(sys.modules, module.__name__, module)
        exec(compile(source, "<own elements>", "exec"), module.__dict__)
        return module

    return loaded


def _digest(module, name="outer", types=(numba.float64,)):
    return fingerprint(getattr(module, name), types)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("FACTOR * x + PAIR.first", "FACTOR * x - PAIR.first"),
        ("FACTOR = 2.0", "FACTOR = -2.0"),
        ("FACTOR = 2.0", "FACTOR = 2"),
        ("[1.0, 2.0]", "[1.0, 2.5]"),
        ("[1.0, 2.0]", "[[1.0, 2.0]]"),
        ("[1.0, 2.0]", "[1.0, 2.0], dtype=np.float32"),
        ('(2, "two")', '(2, "three")'),
        ('"first second"', '"second first"'),
        ("SOFT = 1", "SOFT = 3"),
        ("types.float64, 1.0", "types.float64, 2.0"),
        ("fastmath=False", "fastmath=True"),
        ("@numba.njit(fastmath=False)", "@allocation_free"),
        ("power=2", "power=3"),
        ("x**power", "x * power"),
        ("factory(3.0)", "factory(4.0)"),
        ("return k * x", "return k / x"),
        ("@allocation_free", "@compiled"),
        ('"soft"', '"hard"'),
        ("math.sin(x)", "math.cos(x)"),
        ("import math", "import cmath as math"),
        ("(x, 2.0)", "(x, 3.0)"),
    ],
)
def test_another_digest(load, old, new):
    assert SOURCE.count(old) == 1
    assert _digest(load(SOURCE.replace(old, new))) != _digest(load(SOURCE))


def test_values_of_other_modules_and_signatures_count(load):
    module = load(SOURCE)
    digest = _digest(module)
    assert _digest(load(SOURCE, gravity=9.80665)) != digest
    assert _digest(module, types=(numba.float32,)) != digest
    assert _digest(module, types=numba.float64(numba.float64)) != digest


def test_the_same_digest_where_nothing_counts(load):
    digest = _digest(load(SOURCE))
    assert _digest(load(SOURCE)) == digest
    assert _digest(load("\n# begins later\n" + SOURCE.replace("# a comment", "# another comment"))) == digest
    assert _digest(load(SOURCE + "\nFURTHER = object()\nfound = first = object()\n")) == digest  # attributes, locals
    assert _digest(load(SOURCE), "again") == _digest(load(SOURCE), "again")


def test_a_digest_is_the_same_in_every_process():
    code = (
        "from flexmb.kernels.fingerprint import fingerprint as f; from flexmb.kernels.contract import SIGNATURE;"
        "from flexmb.elements.planar import rigid_body as r; print(f(r.residual, SIGNATURE))"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(2)]
    rigid_body = importlib.import_module("flexmb.elements.planar.rigid_body")
    assert {run.stdout.strip() for run in runs} == {fingerprint(rigid_body.residual, SIGNATURE)}


def test_fields_of_named_tuples_that_are_given_count():
    from collections import namedtuple

    kinds = [numba.typeof(namedtuple("Given", fields)(1.0, 2.0)) for fields in ("a b", "b a", "a b")]
    f = numba.njit(lambda given: given.a)
    first, turned, same = (fingerprint(f, (kind,)) for kind in kinds)
    assert str(kinds[0]) == str(kinds[1]) and first != turned and first == same


def _overloaded(x):
    return x


class _Object:
    gravity = 9.81


THING, OBJECTS = _Object(), np.array([None])


def _unbound():
    @numba.njit
    def f(x):
        return later(x)

    if f is None:
        later = f
    return f


@pytest.mark.parametrize(
    "function",
    [
        lambda x: _overloaded(x),
        lambda x: x.own_attribute,
        lambda x: THING.gravity,
        lambda x: OBJECTS[0],
        lambda x: _Object(),
        _unbound(),
    ],
    ids=["overload", "attribute", "object", "array of objects", "class", "unbound"],
)
def test_what_cannot_be_followed_is_told(function):
    overload(_overloaded)(lambda x: lambda x: 2 * x)
    overload_attribute(numba.types.Float, "own_attribute")(lambda x: lambda x: 2 * x)
    with pytest.raises(Untraceable):
        fingerprint(function if isinstance(function, Dispatcher) else numba.njit(function), ())


def test_what_was_compiled_before_a_change_is_not_taken_for_what_it_would_be_now(load):
    module = load(SOURCE)
    before = _digest(module)
    assert module.deep(0.0) == 1.0
    module.FACTOR = 3.0
    with pytest.raises(Untraceable, match="has changed since it was compiled"):
        _digest(module)
    module.FACTOR = 2.0
    assert _digest(module) == before
    # one that was compiled unseen, and stands in no file in which one would not change it under way
    module = load(SOURCE)
    module.plain(2.0)
    with pytest.raises(Untraceable):
        _digest(module)


def test_a_call_under_a_profiler_changes_nothing():
    function = numba.njit(lambda x: 2.0 * x)
    before, flags = fingerprint(function, ()), function.py_func.__code__.co_flags
    with cProfile.Profile():
        assert function(2.0) == 4.0
    assert function.py_func.__code__.co_flags != flags  # Numba has overwritten them
    assert fingerprint(function, ()) == before


def test_all_machine_code_of_the_package_is_kept():
    for package in ("flexmb", "flexmb.elements", "flexmb.examples", "flexmb.validation"):
        for found in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if not found.name.endswith("__main__"):
                importlib.import_module(found.name)
    package = flexmb.__name__
    modules = [module for name, module in sys.modules.items() if name.split(".")[0] == package]
    own = list({id(x): x for module in modules for x in vars(module).values() if isinstance(x, Dispatcher)}.values())
    own = [x for x in own if x.py_func.__module__.split(".")[0] == package and "<locals>" not in x.py_func.__qualname__]
    assert len(own) > 150
    for dispatcher in own:
        assert isinstance(dispatcher._cache, Shelf), dispatcher
        assert len(fingerprint(dispatcher, SIGNATURE)) == 64
