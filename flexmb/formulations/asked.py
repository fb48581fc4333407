"""A tree of which Python asks for mass matrix, drives or momenta in one state after another.

A call from Python converts each array of a tree and its workspace, some seventy, which takes longer than most answers.
Here they lie in memory once, with the arguments and results beside them: a question writes its arguments, and passes
two addresses (:mod:`flexmb.kernels.lending`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from flexmb.algebra import dense_lu
from flexmb.formulations import jacobians, lagrange
from flexmb.formulations.lagrange import LagrangeRoom
from flexmb.formulations.newton_euler import weigh
from flexmb.formulations.tree.arrays import Links
from flexmb.formulations.tree.moving import move
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.compilation import called
from flexmb.kernels.lending import Lent
from flexmb.kernels.references import by_reference


@by_reference
class Asked(NamedTuple):
    """A tree and its workspace, with arguments: joint coordinates `x` (nq,), speeds `u` and their rates `ud` (nv,),
    external forces `wrench` (n, 6) on the links, a point `place` (3,), the `number` (1,) of a link; and with results:
    drives `tau` (nv,), `found` (16,) and a matrix `J` (6, nv), `rates` (nv, 6). `left` (k,) are the speeds that no
    actuator moves; `across` (k, k), `pivots` and `free` (k,) are scratch."""

    links: Links
    room: LagrangeRoom
    x: np.ndarray
    u: np.ndarray
    ud: np.ndarray
    wrench: np.ndarray
    place: np.ndarray
    number: np.ndarray
    tau: np.ndarray
    found: np.ndarray
    J: np.ndarray
    rates: np.ndarray
    left: np.ndarray
    across: np.ndarray
    pivots: np.ndarray
    free: np.ndarray


def asked_of(tree: Tree, left: np.ndarray | None = None) -> Asked:
    """What is asked of a tree, with numbers `left` (k,) of speeds that no actuator moves."""
    links, n, nv = tree.arrays, len(tree.arrays.parent), tree.nv
    own = np.zeros(0, dtype=np.int64) if left is None else left
    k = len(own)
    return Asked(
        links, lagrange.room_for(tree), tree.zero, np.zeros(nv), np.zeros(nv), np.zeros((n, 6)), np.zeros(3),
        np.zeros(1, dtype=np.int64), np.zeros(nv), np.zeros(16), np.zeros((6, nv)), np.zeros((nv, 6)), own,
        np.zeros((k, k)), np.zeros(k, dtype=np.int64), np.zeros(k),
    )  # fmt: skip


@called(int)
def moved(asked, t):
    move(asked.links, asked.room.moving, asked.x, asked.u)
    weigh(asked.links, asked.room, asked.x, asked.u)
    return 0


@called(int)
def mass_matrix(asked, t):
    moved(asked, t)
    lagrange.mass_matrix(asked.links, asked.room)
    return 0


@called(int)
def drives(asked, t):
    moved(asked, t)
    lagrange.drives(asked.links, asked.room, asked.ud, asked.wrench, asked.tau)
    return 0


@called(int)
def drives_of_moved(asked, t):
    moved(asked, t)
    return complete_drives(asked)


@called(int)
def complete_drives(asked):
    """As :func:`drives_of_moved`, of links that have been moved: M_uu v̇_u = −(h_u + M_ua v̇_a), where the right-hand
    side is what inverse dynamics gives for v̇_u = 0."""
    links, room, left, k = asked.links, asked.room, asked.left, asked.left.shape[0]
    if k > 0:
        for i in range(k):
            asked.ud[left[i]] = 0.0
        lagrange.drives(links, room, asked.ud, asked.wrench, asked.tau)
        lagrange.mass_matrix(links, room)
        for i in range(k):
            asked.free[i] = -asked.tau[left[i]]
            for j in range(k):
                asked.across[i, j] = room.mass[max(left[i], left[j]), min(left[i], left[j])]
        if not dense_lu.factor(asked.across, k, asked.pivots) > 0.0:
            return 1
        dense_lu.solve(asked.across, k, asked.pivots, asked.free)
        for i in range(k):
            asked.ud[left[i]] = asked.free[i]
    lagrange.drives(links, room, asked.ud, asked.wrench, asked.tau)
    for i in range(k):
        asked.tau[left[i]] = 0.0
    return 0


@called(int)
def jacobian(asked, t):
    jacobians.place_jacobian(asked.links, asked.room.moving, asked.number[0], asked.place, asked.J)
    return 0


@called(int)
def jacobian_rate(asked, t):
    moving = asked.room.moving
    jacobians.column_rates(asked.links, moving, asked.u, asked.rates)
    jacobians.place_jacobian_rate(asked.links, moving, asked.rates, asked.number[0], asked.place, asked.J)
    return 0


@called(int)
def sums(asked, t):
    moved(asked, t)
    jacobians.sums(asked.links, asked.room, asked.u, asked.ud, asked.wrench, asked.found)
    return 0


@called(int)
def momentum_columns(asked, t):
    jacobians.momentum_columns(asked.links, asked.room, asked.place, asked.J)
    return 0


def _answer(function: Callable[[Asked, float], int]) -> cached_property[Lent]:
    """A question of :class:`TreeAnswers`, made ready when it is first asked."""
    return cached_property(lambda answers: Lent(function, answers.asked))


class TreeAnswers:
    """Answers about a tree, in the arrays of :class:`Asked`: `asked`, whose arguments are written before each call with
    a time that nothing reads."""

    def __init__(self, tree: Tree, left: np.ndarray | None = None) -> None:
        self.asked = asked_of(tree, left)

    #: moves the links, and finds their masses in ground axes
    move = _answer(moved)
    #: the mass matrix in `room.mass`, on and below the diagonal
    mass_matrix = _answer(mass_matrix)
    #: the drives that rates `ud` need
    drives = _answer(drives)
    #: the drives that the rates `ud` of all speeds but those `left` need, whose own rates follow; 1 if they do not, for
    #: want of inertia
    drives_of_moved = _answer(drives_of_moved)
    #: J of a point that moves with a link, and J̇
    jacobian, jacobian_rate = _answer(jacobian), _answer(jacobian_rate)
    #: the sums over all links of :func:`flexmb.formulations.jacobians.sums`
    sums = _answer(sums)
    #: the momentum about a point for each joint speed, in J
    momentum_columns = _answer(momentum_columns)
