"""Functions that compiled code calls by their address, and named tuples that it is lent by theirs."""

from __future__ import annotations

import gc
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numba
import numpy as np
import pytest
from llvmlite import binding
from numba.core import event
from numba.core.errors import TypingError

from flexmb.kernels.compilation import INTERPRETED, SIGNATURE, allocation_free, called, compiled, inlined, kernel
from flexmb.kernels.contract import address
from flexmb.kernels.references import by_reference

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")


@by_reference
class Inner(NamedTuple):
    x: np.ndarray
    n: int


@by_reference
class Outer(NamedTuple):
    inner: Inner
    y: np.ndarray
    factor: float
    back: bool


@called(float)
def add_up(outer, from_):
    total = 0.0
    for i in range(from_, outer.inner.n):
        outer.y[i] += outer.factor * outer.inner.x[i]
        total += outer.y[i]
    return total


@called((int, float, bool))
def all_of(outer):
    return outer.inner.n, add_up(outer, 1), outer.back


@called(None)
def wrong(outer):
    outer.nowhere[0] = 1.0


@allocation_free
def run(outer, harm):
    total = add_up(outer, 0)
    n, rest, back = all_of(outer)
    if harm:
        wrong(outer)
    return total, n, rest, back


def lent(back=True):
    return Outer(Inner(np.array([1.0, 2.0, 4.0]), 3), np.array([0.5, 0.5, 0.5]), 2.0, back)


def test_what_is_called_and_lent_is_what_python_does():
    outer = lent()
    assert run(outer, False) == (1.5 + 14.0, 3, 1.0 + 24.0, True)
    np.testing.assert_array_equal(outer.y, [2.5, 8.5, 16.5])
    assert run(lent(back=False), False)[3] is False


def test_many_callers_share_one_function_and_none_is_compiled_before_it_is_reached():
    run(lent(), False)
    assert len(add_up.overloads) == len(all_of.overloads) == 1
    assert not wrong.overloads


def test_what_goes_wrong_when_a_function_is_reached_is_raised():
    with pytest.raises(TypingError, match="nowhere"):
        run(lent(), True)
    assert run(lent(), False)[1] == 3


def test_python_calls_the_same_code():
    outer = lent()
    assert add_up(outer, 0) == 15.5
    assert add_up(outer, True) == 13.0 + 12.0  # another type of argument is another function
    assert len(add_up.overloads) == 2


#: two runs, and the most signatures for which a function of the rooms that they use has been compiled
SIGNATURES = """
import flexmb as fm
from flexmb.algebra import dense_lu
from flexmb.examples.four_bar import build
from flexmb.kernels.hooks.calls import Called
from flexmb.solvers.methods.generalized_alpha import alpha_loop, alpha_newton, alpha_pieces, alpha_steps
from flexmb.solvers.rows import index_one
from flexmb.system import accelerations, evaluation, linear

fm.simulate(build(), 0.1, "generalized_alpha", progress=False)
fm.simulate(build(), 0.1, "generalized_alpha", step=1e-2, progress=False)
rooms = alpha_loop, alpha_newton, alpha_pieces, alpha_steps, index_one, accelerations, evaluation, linear, dense_lu
parts = {id(x): x for room in rooms for x in vars(room).values() if isinstance(x, Called)}
print(*(len(part.overloads) for part in parts.values()))
"""


def test_parts_of_the_loop_are_compiled_for_one_signature_each():
    # in a process of its own, since other loops, of types of their own, use the same parts
    done = subprocess.run([sys.executable, "-c", SIGNATURES], capture_output=True, text=True, check=True)
    counts = [int(count) for count in done.stdout.split()]
    assert sum(count == 1 for count in counts) > 30
    assert max(counts) == 1


@inlined
def square(x):
    return x * x


@inlined
def fourth_power(x):
    return square(square(x))


def test_python_runs_as_python_what_only_compiled_code_contains():
    assert fourth_power(3) == 81
    assert not fourth_power.overloads


@pytest.mark.parametrize("first", ["python", "loop"])
def test_python_and_loops_call_the_same_code_of_a_kernel(first):
    @kernel
    def doubled(p, iq, iv, t, q, v, a, lam, w, out, K, work):
        for i in range(len(p)):
            out[i, 0] = 2.0 * q[iq[i, 0]] + t

    def from_python():
        one, none, numbers, out = np.ones(1), np.zeros((1, 0)), np.zeros((1, 1), dtype=np.int64), np.zeros((1, 1))
        doubled(none, numbers, numbers, 3, one, one, one, none, one, out, np.zeros((1, 0, 0)), one)
        return out[0, 0]

    if first == "loop":
        assert address(doubled)
    assert from_python() == from_python() == 5.0
    assert address(doubled)
    assert list(doubled.apart.overloads) == [SIGNATURE.args] and not doubled.overloads


class Collecting(event.Listener):
    """Whether Python looked for garbage while the functions were compiled of which the compiler tells it."""

    def __init__(self):
        self.found = []

    def on_start(self, event):
        self.found.append(gc.isenabled())

    def on_end(self, event):
        self.found.append(gc.isenabled())


@pytest.mark.parametrize("before", [True, False])
def test_garbage_is_not_looked_for_while_something_is_compiled(before, monkeypatch, tmp_path):
    """Afterwards it is as it was."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))  # where nothing is kept so far

    @compiled
    def inner(x):
        return x + 1.0

    @compiled
    def outer(x):
        return inner(x) if x > 0 else inner(x) - 1.0

    listener, enabled = Collecting(), gc.isenabled()
    try:
        (gc.enable if before else gc.disable)()
        with event.install_listener("numba:compile", listener):
            assert outer(1.0) == 2.0
        assert gc.isenabled() == before
        with pytest.raises(TypingError):
            outer("text")
        assert gc.isenabled() == before
    finally:
        (gc.enable if enabled else gc.disable)()
    assert len(listener.found) == 4 and not any(listener.found)


@compiled
def long_sum(x):
    total = 0.0
    for i in range(1, 100):
        for k in range(1, 10):
            total += np.sin(i * x) / (k + np.cos(k * x)) + np.exp(-i * x) * np.log(k + x * x) - np.arctan(i + k * x)
            total *= 1.0 + np.sqrt(abs(total)) / (1.0 + total * total)
    return total


@compiled
def twice(x):
    return long_sum(x) + long_sum(2.0 * x) + long_sum(3.0 * x)


def test_each_function_has_copies_of_its_own_of_the_parts_that_it_calls(tmp_path, monkeypatch):
    """Of copies that several functions offer, the first that is loaded would serve all: runs would depend on it."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert np.isfinite(twice(0.3))
    (result,) = twice.overloads.values()
    copies = {name for name in result.library.defined if "long_sum" in name}
    (part,) = long_sum.part.overloads.values()  # whose code others would offer under its own name
    offered = {f.name for f in binding.parse_bitcode(part.library.bitcode).functions if "long_sum" in f.name}
    assert copies and offered and not copies & offered


def test_numba_makes_a_function_when_something_is_asked_of_it():
    """Until then it has its names; threads that ask at once find it made."""

    @called(float)
    def twice(x):
        """Twice a number."""
        return 2.0 * x

    @inlined
    def part(x):
        return x + 1.0

    for function in (twice, part):
        assert (function.__module__, function.__name__) == (__name__, function.py_func.__name__)
        assert function.__doc__ == function.py_func.__doc__ and "overloads" not in function.__dict__
    assert part(1.0) == 2.0 and "overloads" not in part.__dict__  # Python runs it as Python
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: (twice.targetoptions["_nrt"], twice.addresses), range(8)))
    assert all(options is False and addresses is twice.addresses for options, addresses in found)
    with pytest.raises(AttributeError, match="'Called' object has no attribute 'nothing'"):
        _ = twice.nothing

    @inlined
    def other(x):
        return x - 1.0

    other.compile((numba.float64,))
    assert list(other.overloads) == [(numba.float64,)]
