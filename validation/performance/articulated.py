"""Forward dynamics in joint coordinates: arms of 7, 30, 100 and 1000 links, called from Python and in a compiled loop,
and robots from files, beside pinocchio; a simulated second of the 7-joint arm at 1 ms, beside pinocchio and MuJoCo.

All codes run in one process, in turn; times are the shortest of many short ones.

    python -m flexmb.validation.performance.articulated
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.formulations import aba, lagrange
from flexmb.kernels.compilation import compiled
from flexmb.validation.performance.arm import arm
from flexmb.validation.performance.peer_articulated import available, mujoco_arm, pinocchio_arm, pinocchio_robot
from flexmb.validation.performance.timing import timed
from flexmb.validation.public_robots import bring
from flexmb.validation.references import public_robots as reference

COUNTS = (7, 30, 100, 1000)
STEP, STEPS = 1e-3, 1000
#: the time of one measurement [s], and how many there are of each
SHORT, TIMES = 1e-3, 200


@compiled
def again_aba(links, room, x, u, tau, wrench, ud, times):
    for _ in range(times):
        aba.solve(links, room, x, u, tau, wrench, ud)


@compiled
def _again_lagrange(links, room, x, u, tau, wrench, ud, times):
    for _ in range(times):
        lagrange.solve(links, room, x, u, tau, wrench, ud)


@compiled
def _steps(links, room, x, u, tau, wrench, ud, h, times):
    """v += h v̇, q += h v, of hinges."""
    for _ in range(times):
        aba.solve(links, room, x, u, tau, wrench, ud)
        for i in range(links.joints.nv):
            u[i] += h * ud[i]
            x[i] += h * u[i]


def shortest(runs: dict[str, tuple[Callable[[], object], int]], times: int = TIMES) -> dict[str, float]:
    """The shortest time [s] of each of some calls, of which so many are made at once; the calls take turns."""
    found = dict.fromkeys(runs, float("inf"))
    for run, _ in runs.values():
        run()
    for _ in range(times):
        for name, (run, count) in runs.items():
            found[name] = min(found[name], timed(run) / count)
    return found


def _repeated(call: Callable[[], object], about: float) -> tuple[Callable[[], object], int]:
    """Calls for the time of one measurement, when one takes about so long [s]."""
    count = max(1, int(SHORT / about))

    def run() -> None:
        for _ in range(count):
            call()

    return run, count


def calls(count: int) -> dict[str, float]:
    """The times [s] of accelerations of an arm."""
    tree = fm.Tree.of(arm(count))
    x, u, tau = np.random.default_rng(count).normal(size=(3, count))
    ud, wrench = np.zeros(count), np.zeros((count, 6))
    about = 0.15e-6 * count
    formulation = fm.formulation(tree, "aba")
    again, room = max(1, int(SHORT / about)), aba.room_for(tree)
    runs: dict[str, tuple[Callable[[], object], int]] = {
        "aba, from Python": _repeated(lambda: formulation(x, u, tau), about + 1e-6),
        "aba, compiled": (lambda: again_aba(tree.arrays, room, x, u, tau, wrench, ud, again), again),
    }
    if count <= 100:
        square, other = max(1, again // (1 + count // 10)), lagrange.room_for(tree)
        runs["lagrange, compiled"] = (
            lambda: _again_lagrange(tree.arrays, other, x, u, tau, wrench, ud, square),
            square,
        )
    if available("pinocchio") and count <= 100:  # its room grows as the cube of the number of joints: 24 GB for 1000
        accelerations, _ = pinocchio_arm(count)
        off = np.max(np.abs(formulation(x, u, tau) - accelerations(x, u, tau))) / np.max(np.abs(formulation(x, u, tau)))
        assert off < 1e-9, off
        runs["pinocchio, from Python"] = _repeated(lambda: accelerations(x, u, tau), 2.0 * about + 1e-6)
    return shortest(runs)


def robots() -> dict[str, tuple[float, float]]:
    """The times [s] of accelerations of robots from files, called from Python, and those of pinocchio."""
    found = {}
    for name, state in reference.stored().items():
        if reference.path_of(name) is None or not available("pinocchio"):
            continue
        here = bring(name, state)
        formulation, tau = fm.formulation(here.tree, "aba"), np.linalg.solve(here.T.T, state["tau"])
        peer = pinocchio_robot(str(reference.path_of(name)), reference.ROBOTS[name][1])
        q, v, torques = (np.array(state[what]) for what in ("q", "v", "tau"))
        about = 0.15e-6 * len(v) + 1e-6
        times = shortest({
            "ours": _repeated(functools.partial(formulation, here.q, here.v, tau), about),
            "pinocchio": _repeated(functools.partial(peer, q, v, torques), 2.0 * about),
        })  # fmt: skip
        found[name] = times["ours"], times["pinocchio"]
    return found


def second() -> dict[str, float]:
    """The times [s] of a second of the 7-joint arm, v += h v̇, q += h v; and of runs by a method of fifth order, which
    takes six accelerations a step and keeps results."""
    tree = fm.Tree.of(arm(7))
    start = np.linspace(0.5, -0.4, 7), np.zeros(7)
    formulation, room = fm.formulation(tree, "aba"), aba.room_for(tree)
    x, u, ud, tau, wrench = *np.zeros((4, 7)), np.zeros((7, 6))
    ends = {}

    def ours() -> None:
        q, v = start
        for _ in range(STEPS):
            v = v + STEP * formulation(q, v, tau)
            q = q + STEP * v
        ends["aba, stepped from Python"] = q

    def loop() -> None:
        x[:], u[:] = start
        _steps(tree.arrays, room, x, u, tau, wrench, ud, STEP, STEPS)
        ends["aba, stepped in a compiled loop"] = x.copy()

    runs: dict[str, tuple[Callable[[], object], int]] = {
        "aba, stepped from Python": (ours, 1), "aba, stepped in a compiled loop": (loop, 1)
    }  # fmt: skip
    peers = {
        "pinocchio, stepped from Python": ("pinocchio", lambda: pinocchio_arm(7)[1]),
        "MuJoCo, all steps in one call": ("mujoco", lambda: mujoco_arm(7)),
    }
    for name, (package, build) in peers.items():
        if available(package):
            step = build()

            def run(name: str = name, step: Callable[..., tuple[np.ndarray, np.ndarray]] = step) -> None:
                ends[name] = step(*start, STEP, STEPS)[0]

            runs[name] = run, 1
    robot, state = tree.model, tree.state(*start)
    for name, more in (("in joint coordinates", {"formulation": "aba"}), ("in absolute coordinates", {})):

        def simulated(more: Any = more) -> None:
            fm.simulate(
                robot, STEP * STEPS, "rkf45", step=STEP, initial=state, progress=False, second_run=False, **more
            )

        runs[f"simulate, rkf45, {name}"] = simulated, 1
    found = shortest(runs, 30)
    first = ends["aba, stepped from Python"]
    for name, end in ends.items():
        off = float(np.max(np.abs(end - first)))
        assert off < 1e-6, (name, off)
    return found


def main() -> None:
    """Print the times."""
    print("accelerations [µs]")
    for count in COUNTS:
        found = calls(count)
        ours = found["aba, from Python"]
        print(f"  {count} joints")
        for name, seconds in found.items():
            print(f"    {name:26}{1e6 * seconds:10.2f}{seconds / ours:8.2f}")
    for name, (ours, theirs) in robots().items():
        print(f"  {name:12}{1e6 * ours:10.2f}   pinocchio{1e6 * theirs:10.2f}{theirs / ours:8.2f}")
    print(f"a second of the 7-joint arm, {STEPS} steps [ms]")
    found = second()
    for name, seconds in found.items():
        print(f"    {name:38}{1e3 * seconds:10.2f}{seconds / found['aba, stepped from Python']:8.2f}")


if __name__ == "__main__":
    main()
