"""Compiled functions as plain data: named as a run asks for them, found again, and compiled into the cache."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import numba
import numpy as np
import pytest

from flexmb.algebra import dense_lu
from flexmb.elements.planar import rigid_body
from flexmb.forces.coordinate_force import COORDINATE_SPRING
from flexmb.kernels import cache, kernel, slots
from flexmb.kernels.compilation import compiled
from flexmb.kernels.contract import ALL_ROLES, Kernels, address
from flexmb.kernels.derivatives import tangent_of
from flexmb.kernels.warming.functions import Function, compile_function, dispatcher_of, place_of_kernel
from flexmb.kernels.warming.recording import recording
from flexmb.kernels.warming.types import NotListed, Types

SHORT = np.array([0.0, 1.0, 3.0])


@pytest.fixture
def nothing_kept(monkeypatch, tmp_path):
    """A cache in which nothing is kept so far."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    return tmp_path


def _fresh(function):
    """A compiled function of the package that this process has not compiled so far."""
    function.overloads.clear()
    for name in ("part", "apart", "from_python"):
        function.__dict__.pop(name, None)
    function.addresses.clear()
    return function


def test_a_function_that_python_calls_is_compiled_from_what_is_noted(nothing_kept, monkeypatch):
    with recording() as noted:
        assert _fresh(slots.interval_in)(SHORT, 0, 2, 2.0) == 1
    (function,) = noted.functions
    assert function.place == "flexmb.kernels.slots:interval_in" and function.returns is None
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(nothing_kept / "another"))
    assert "flexmb.kernels.slots.interval_in" not in cache.kept_names()
    _fresh(slots.interval_in)
    compile_function(function, Types(noted.types.described))
    assert "flexmb.kernels.slots.interval_in" in cache.kept_names()


def test_kernels_are_asked_for_by_address():
    with recording() as noted:
        kernel_ = _fresh(rigid_body.residual)
        from flexmb.kernels.compilation import SIGNATURE
        from flexmb.kernels.hooks.calls import machine_address

        assert machine_address(kernel_, SIGNATURE)
    (function,) = noted.functions
    assert function.place == f"{rigid_body.residual.py_func.__module__}:residual"
    assert noted.types.kind(function.returns) == numba.types.none and len(function.arguments) == 12
    assert dispatcher_of(function.place) is rigid_body.residual


def test_functions_that_callers_call_by_address_are_noted_under_their_own_signature():
    matrix, pivots = np.eye(2), np.zeros(2, dtype=np.int64)
    with recording() as noted:
        _fresh(dense_lu.factor)(matrix, 2, pivots)
    python, called = noted.functions
    assert python.place == called.place == "flexmb.algebra.dense_lu:factor"
    assert python.returns is None and noted.types.kind(called.returns) == numba.types.float64


def test_a_kernel_that_is_made_of_another_is_made_again():
    made = tangent_of(rigid_body.residual, (), 3)
    with recording() as noted:
        address(made)
    (function,) = noted.functions
    place = f"{rigid_body.residual.py_func.__module__}:residual"
    assert function.place == ("flexmb.kernels.derivatives:tangent_of", place, (), 3)
    again = dispatcher_of(function.place)
    assert again is not made and again.py_func.__code__ is made.py_func.__code__
    assert again is dispatcher_of(function.place)


def _families():
    """The families of kernels that stand in the files of the package, alone or in tuples."""
    for room in map(import_module, ("flexmb.elements", "flexmb.joints", "flexmb.forces", "flexmb.feedback")):
        for file in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            for value in vars(import_module(file.name)).values():
                found = value if isinstance(value, tuple) else (value,)
                yield from (family for family in found if isinstance(family, Kernels))


def test_all_kernels_of_the_package_have_places_those_that_functions_make_too():
    kernels = {getattr(family, role) for family in _families() for role in ALL_ROLES} - {None}
    found = {place_of_kernel(kernel_.py_func) for kernel_ in kernels}
    assert "flexmb.forces.planar.contact:CONTACT.switches" in found and len(found) == len(kernels) > 150
    assert all(dispatcher_of(place) in kernels for place in found)


def test_what_is_made_of_a_kernel_that_a_function_has_made_is_noted():
    made = tangent_of(COORDINATE_SPRING.residual, (), 2)
    with recording() as noted:
        address(made)
    (function,) = noted.functions
    residual = "flexmb.forces.coordinate_force:COORDINATE_SPRING.residual"
    assert function.place == ("flexmb.kernels.derivatives:tangent_of", residual, (), 2)
    assert function.name == residual.replace(":", ".") and not noted.left_out
    assert dispatcher_of(function.place).py_func.__code__ is made.py_func.__code__


def test_what_is_not_of_flexmb_is_not_noted():
    @kernel
    def mine(p, iq, iv, t, q, v, a, lam, w, out, K, work):
        out[0, 0] = 1.0

    @compiled
    def twice(x):
        return 2.0 * x

    with recording() as noted:
        assert address(mine) and twice(1.5) == 3.0
    assert not noted.functions and len(noted.left_out) == 2


@pytest.mark.parametrize("place", ["flexmb.kernels.slots:SUM", "flexmb.kernels.slots:no_more", "numpy:linalg.solve"])
def test_what_there_is_no_more_is_not_compiled(place):
    with pytest.raises(NotListed):
        compile_function(Function(place, None, ()), Types())
