"""Compiled formulations that Python calls with arrays: each is bound once to a tree and to workspace, so that a call is
fast."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from llvmlite import ir
from numba import typeof, types

from flexmb.kernels.compilation import allocation_free, inlined, machine_code
from flexmb.kernels.compiler import Called, call_address, machine_address
from flexmb.kernels.lending import laid_out


class Halves(NamedTuple):
    """The inward and outward halves of a formulation, at rest and without gravity, where u̇ = R Rᵀ f is linear in the
    forces f along the joints.

    Compiled, to be called after a solve: halve(links, room, path, first, last, wrench, τ, y, at) → int writes the
    nonzero entries of y = Rᵀ f, for forces (n, 6) on links and τ (nv,) along joints, into y from `at` on, and sets
    these forces to zero. path[first : last] are the links with forces and all links that carry them, the outermost
    first. It returns the index after the last entry written. join(links, room, y, u̇) fills u̇ = R y from the full y.

    numbers_of(links, room, path) gives the indices in y of the entries that `halve` writes, in its order, and
    how_many(links, room) the length of y."""

    halve: Any
    join: Any
    numbers_of: Callable[[Any, Any, list[int]], list[int]]
    how_many: Callable[[Any, Any], int]


class FormulationKind(NamedTuple):
    """A formulation: the compiled function solve(links, room, x, u, τ, wrench, u̇) → status, which is zero or the
    number from 1 of a link that can move without inertia; `answer`, which does the same of links that the field
    `moving` of the workspace has moved already; and `room_for(tree)`, which makes the workspace. `solve` fills its
    field `accelerations` (n, 6), of the links at their origins in ground axes. `takes_loops`: whether it handles closed
    loops. `gives_forces`: whether it fills the field `forces` (n, 6) of the workspace, on the links from the joints
    that carry them. `takes_orders`: whether its `room_for(tree, order)` takes an order of closing joints, a list of
    lists of joint indices. `inverts`: whether it needs the inverse inertia of each link. `keeps_masses`: whether its
    workspace has numbers that follow from the masses of the tree and that `solve` does not find anew. `halves`: its two
    halves, None if it has none."""

    solve: Any
    answer: Any
    room_for: Any
    takes_loops: bool = False
    gives_forces: bool = False
    takes_orders: bool = False
    inverts: bool = False
    keeps_masses: bool = False
    halves: Halves | None = None


#: positions among the words of a bound formulation of the addresses of `answer` and of its halves
ANSWER, HALVE, JOIN = 6, 7, 8
#: what :func:`invoke` returns for arrays of wrong sizes, and for accelerations that are not finite
WRONG_SIZES, NOT_FINITE = -1, -2


#: Numba types of a vector of floats, a vector of integers and a matrix of floats
_ROW, _PATH, _TABLE = types.float64[::1], types.int64[::1], types.float64[:, ::1]


class Bound:
    """A formulation bound to a tree and to workspace. `place` is the address under which :func:`invoke` and
    :func:`answer`, and with `halves` also :func:`halve` and :func:`join`, find both, as long as this object lives."""

    def __init__(self, kind: FormulationKind, links: Any, room: Any, halves: Halves | None = None) -> None:
        self.kind, self.lent, self._memory = kind, (links, room), list[np.ndarray]()
        self.halves = halves
        found, of_answer, of_halves = [0, 0, 0], 0, [0, 0]
        if isinstance(kind.solve, Called):
            row, table = _ROW, _TABLE
            kinds = self._kinds = typeof(links), typeof(room)
            call = types.int64(*kinds, row, row, row, table, row)
            self._memory += map(laid_out, self.lent, kinds)
            found = [machine_address(kind.solve, call), *(part.ctypes.data for part in self._memory)]
            of_answer = machine_address(kind.answer, call)
            dispatcher: Any = invoke
            if not dispatcher.signatures:
                dispatcher.compile((types.int64, row, row, row, table, row))
                dispatcher.disable_compile()  # arrays of other types are converted by the caller instead
            if halves is not None:
                lent, word = call.args[:2], types.int64
                ways = word(*lent, _PATH, word, word, table, row, row, word)
                of_halves = [machine_address(halves.halve, ways)]
                of_halves.append(machine_address(halves.join, types.none(*lent, row, row)))
        self.words = np.array(
            [*found, links.joints.nq, links.joints.nv, len(links.parent), of_answer, *of_halves], dtype=np.int64
        )
        self.place = int(self.words.ctypes.data)
        _BOUND[self.place] = self

    @property
    def can_move(self) -> bool:
        """Whether it can be bound to other arrays, see :meth:`moved_to`; a formulation that works in threads of its own
        has them for itself."""
        return bool(self._memory)

    def moved_to(self, links: Any, room: Any) -> Bound:
        """This formulation bound to copies of its tree and of its workspace."""
        other = copy(self)
        other.lent, other.words = (links, room), self.words.copy()
        other._memory = [*map(laid_out, other.lent, self._kinds)]
        other.words[1:3] = [part.ctypes.data for part in other._memory]
        other.place = int(other.words.ctypes.data)
        _BOUND[other.place] = other
        return other


#: bound formulations by their address, for those that run as plain Python
_BOUND: WeakValueDictionary[int, Bound] = WeakValueDictionary()


def bound_at(place: int) -> Bound:
    """The formulation bound at an address."""
    return _BOUND[place]


def _call_in_python(place: int, *arrays: Any) -> int:
    bound = _BOUND[place]
    return int(bound.kind.solve(*bound.lent, *arrays))


def _answer_in_python(place: int, *arrays: Any) -> int:
    bound = _BOUND[place]
    return int(bound.kind.answer(*bound.lent, *arrays))


def _word_in_python(place: int, number: int) -> int:
    return int(_BOUND[place].words[number])


def _halve_in_python(place: int, *args: Any) -> int:
    bound: Any = _BOUND[place]
    return int(bound.halves.halve(*bound.lent, *args))


def _join_in_python(place: int, *args: Any) -> None:
    bound: Any = _BOUND[place]
    bound.halves.join(*bound.lent, *args)


@machine_code(_call_in_python)
def _call_at(typingctx: Any, place: Any, x: Any, u: Any, tau: Any, wrench: Any, ud: Any) -> Any:
    """Inside compiled code: call the formulation bound at an address."""
    return _of_word(0, types.int64, x, u, tau, wrench, ud)


@machine_code(_answer_in_python)
def _answer_at(typingctx: Any, place: Any, x: Any, u: Any, tau: Any, wrench: Any, ud: Any) -> Any:
    """Inside compiled code: `answer` of the formulation bound at an address."""
    return _of_word(ANSWER, types.int64, x, u, tau, wrench, ud)


@machine_code(_halve_in_python)
def halve(typingctx: Any, place: Any, path: Any, first: Any, last: Any, wrench: Any, tau: Any, y: Any, at: Any) -> Any:
    """Inside compiled code: `halve` of the :class:`Halves` of the formulation bound at an address."""
    word = types.int64
    return _of_word(HALVE, word, path, word, word, wrench, tau, y, word)


@machine_code(_join_in_python)
def join(typingctx: Any, place: Any, y: Any, ud: Any) -> Any:
    """Inside compiled code: `join` of the :class:`Halves` of the formulation bound at an address."""
    return _of_word(JOIN, types.none, y, ud)


def _of_word(number: int, returns: Any, *types_of: Any) -> Any:
    """Type and code of a call of the function whose address is word `number` at a place, with the tree, the workspace
    and further arguments."""
    call = returns(types.voidptr, types.voidptr, *types_of)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        words = [_load(builder, args[0], k) for k in (number, 1, 2)]
        lent = [builder.inttoptr(word, ir.IntType(8).as_pointer()) for word in words[1:]]
        return call_address(context, builder, call, words[0], [*lent, *args[1:]])

    return returns(types.int64, *types_of), codegen


@machine_code(_word_in_python)
def _word(typingctx: Any, place: Any, number: Any) -> Any:
    """Inside compiled code: integer `number` of those at an address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(builder.gep(builder.inttoptr(args[0], ir.IntType(64).as_pointer()), [args[1]]))

    return types.int64(types.int64, types.int64), codegen


def _load(builder: Any, place: Any, number: int) -> Any:
    words = builder.inttoptr(place, ir.IntType(64).as_pointer())
    return builder.load(builder.gep(words, [ir.Constant(ir.IntType(64), number)]))


@allocation_free
def invoke(place, x, u, tau, wrench, ud):
    """Fill u̇ (nv,) and return the status of the formulation; TypeError for arguments that are not contiguous arrays of
    floats."""
    nq, nv, n = _word(place, 3), _word(place, 4), _word(place, 5)
    if x.size != nq or u.size != nv or tau.size != nv or wrench.shape[0] != n or wrench.shape[1] != 6:
        return WRONG_SIZES
    return _finite(_call_at(place, x, u, tau, wrench, ud), ud)


@allocation_free
def answer(place, x, u, tau, wrench, ud):
    """As :func:`invoke`, of links that `moving` in the workspace has moved already; sizes are not checked."""
    return _finite(_answer_at(place, x, u, tau, wrench, ud), ud)


@inlined
def _finite(status, ud):
    for i in range(ud.shape[0]):
        if not math.isfinite(ud[i]):
            return NOT_FINITE
    return status
