"""Assembly and disassembly on two threads, each of which takes half of the links, as split by
:func:`flexmb.formulations.pieces.orders.in_halves`.

One half of a chain is assembled from its tip, the other from the ground, so that each keeps one handle and does no more
work than in sequence. Where they meet the joint is closed; then both halves are disassembled.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from threading import Lock, Thread
from typing import Any, NamedTuple

import numpy as np

from flexmb.formulations.pieces.ada import assemble, disassemble, link_of
from flexmb.formulations.pieces.handles import begin, finish, prepare_loops, put_joint, put_link
from flexmb.formulations.pieces.orders import in_halves, schedule
from flexmb.formulations.pieces.room import Room, closings, pieces_of, room_of
from flexmb.formulations.tree.arrays import Links
from flexmb.formulations.tree.moving import move
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.compilation import called
from flexmb.kernels.lending import Lent
from flexmb.kernels.references import by_reference

#: numbers of the parts of the work; FORTH and BACK are each followed by the number of the second half
BEGIN, FORTH, MIDDLE, BACK, END = 0, 1, 3, 4, 6
#: up to this many links one thread disassembles both halves: faster than waking the other thread
TOGETHER = 500


@by_reference
class Work(NamedTuple):
    """A tree and its workspace. The joints that are `cut` belong to neither half; the links of half h are
    link[first[h] : first[h + 1]], and its steps end before step[h]. Arguments x, u, tau, wrench and result ud of the
    formulation; `S` (24, 6): workspace for the motions of a joint, twelve rows for each thread."""

    links: Links
    room: Room
    cut: np.ndarray
    link: np.ndarray
    first: np.ndarray
    step: np.ndarray
    is_cut: np.ndarray
    x: np.ndarray
    u: np.ndarray
    tau: np.ndarray
    wrench: np.ndarray
    ud: np.ndarray
    S: np.ndarray


@called(int)
def work_on(work, what):
    """Do one part of the work; returns 0, or the number from 1 of the link whose joint is singular."""
    links, room = work.links, work.room
    what = int(what)
    if what == BEGIN:
        move(links, room.moving, work.x, work.u)
        begin(links, room, work.x, work.u, work.wrench)
        for i in range(work.cut.shape[0]):
            if put_joint(links, room, work.cut[i], work.tau, room.images.S) < 0:
                return work.cut[i] + 1
    elif what < MIDDLE:
        half = what - FORTH
        for i in range(work.first[half], work.first[half + 1]):
            k = work.link[i]
            if not work.is_cut[k]:
                if put_joint(links, room, k, work.tau, work.S[12 * half : 12 * half + 12]) < 0:
                    return k + 1
        for i in range(work.first[half], work.first[half + 1]):
            put_link(links, room, work.link[i])
        return _assembled(links, room, 0 if half == 0 else work.step[0], work.step[half])
    elif what == MIDDLE:
        failed = prepare_loops(links, room, work.x, work.u)
        if failed >= 0:
            return failed + 1
        last = room.schedule.loop.shape[0]
        status = _assembled(links, room, work.step[1], last)
        disassemble(room, work.step[1], last)
        return status
    elif what < END:
        half = what - BACK
        disassemble(room, 0 if half == 0 else work.step[0], work.step[half])
    else:
        finish(links, room, work.tau, work.ud)
    return 0


@called(int)
def _assembled(links, room, first, last):
    failed = assemble(room, first, last)
    if failed >= 0:
        return link_of(links, room, failed) + 1
    return 0


class _Helper:
    """A thread that does one part of the work at a time and waits for the next on a lock, without a queue."""

    def __init__(self, do: Callable[[float], int]) -> None:
        self._go, self._done = Lock(), Lock()
        self._go.acquire()
        self._done.acquire()
        #: the part to do, its result, the number of parts requested, and the number done
        self._letter = [0, 0, 0, 0]
        Thread(target=_help, args=(do, self._go, self._done, self._letter), daemon=True).start()
        self.end = weakref.finalize(self, _ask, self._go, self._letter, -1)

    def ask(self, what: int) -> None:
        """Start a part of the work."""
        _ask(self._go, self._letter, what)

    def answer(self) -> int:
        """Wait until all requested parts are done, and return the last result. If Ctrl-C interrupts the wait, the next
        call continues it."""
        while self._letter[3] != self._letter[2]:
            self._done.acquire()
        return self._letter[1]


def _ask(go: Any, letter: list[int], what: int) -> None:
    letter[0] = what
    letter[2] += 1
    go.release()


def _help(do: Callable[[float], int], go: Any, done: Any, letter: list[int]) -> None:
    while True:
        go.acquire()
        if letter[0] < 0:
            return
        letter[1] = do(letter[0])
        letter[3] += 1
        if done.locked():
            done.release()


class TwoThreads:
    """u̇ of a tree of rigid links, with or without loops, by two threads; `room` is the workspace of the
    formulation."""

    def __init__(self, tree: Tree) -> None:
        joints, n = closings(tree), len(tree.links)
        halves = in_halves(joints)
        self.room = room_of(tree, schedule(pieces_of(tree), joints, halves.order))
        first = np.array([0, len(halves.links[0]), n], dtype=np.int64)
        self.work = Work(
            tree.arrays, self.room, cut=np.array(halves.cut, dtype=np.int64),
            link=np.array([*halves.links[0], *halves.links[1]], dtype=np.int64), first=first,
            step=np.array(halves.steps, dtype=np.int64), is_cut=np.isin(np.arange(n), halves.cut).astype(np.int64),
            x=np.zeros(tree.nq), u=np.zeros(tree.nv), tau=np.zeros(tree.nv), wrench=np.zeros((n, 6)),
            ud=np.zeros(tree.nv), S=np.zeros((24, 6)),
        )  # fmt: skip
        self._do = Lent(work_on, self.work, unlocked=True)
        self._helper = _Helper(self._do)
        self._back_together = n > TOGETHER

    def __call__(self, x: np.ndarray, u: np.ndarray, tau: np.ndarray, wrench: np.ndarray, ud: np.ndarray) -> int:
        """Fill u̇; returns 0, or the number from 1 of the link whose joint is singular."""
        work, do = self.work, self._do
        self._helper.answer()  # of an earlier call that was interrupted
        for into, array in ((work.x, x), (work.u, u), (work.tau, tau), (work.wrench, wrench)):
            np.copyto(into, array)
        status = do(BEGIN) or self._both(FORTH) or do(MIDDLE)
        if not status:
            status = self._both(BACK) if self._back_together else do(BACK) or do(BACK + 1)
        status = status or do(END)
        np.copyto(ud, work.ud)
        return status

    def _both(self, what: int) -> int:
        self._helper.ask(what + 1)
        status = self._do(what)
        return self._helper.answer() or status
