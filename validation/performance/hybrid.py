"""Hybrid modelling against assembly, Lagrange's equations and articulated bodies: the times of Takahashi (2012), tables
4.2 and 4.3, chains in the plane and floating in space, 10 s at steps of 1 ms; closed loops, for which there are no
articulated bodies; a 7-joint arm; arms with flexible links; whole runs; which size of blocks is chosen; and how long it
takes to derive a block.

All are run in turn in one process; times are the shortest of several. A run of the thesis is 10 000 steps of the method
of Fehlberg, six accelerations each, in a compiled loop.

    python -m flexmb.validation.performance.hybrid
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.algebra.tableau import FEHLBERG
from flexmb.formulations.arguments import BUDGET
from flexmb.formulations.blocks import block as of_blocks
from flexmb.formulations.blocks import kernels, machine
from flexmb.formulations.blocks.programs import Program
from flexmb.formulations.hybrid import SIZES, derived, grown, room_with
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.formulations.pieces.symbolic import Cut
from flexmb.formulations.tree.coordinates import rates_of
from flexmb.kernels.compilation import compiled
from flexmb.model.model import Model
from flexmb.validation.performance.arm import arm
from flexmb.validation.performance.articulated import shortest

STEP, STEPS = 1e-3, 10_000
#: links of the chains of both tables and of the loops, and the blocks of each by hand
PLANAR, SPATIAL, LOOPS = (1, 2, 3, 4, 5, 6, 7), (1, 3, 6, 9, 12), (4, 6, 8, 10, 12)


def planar_chain(count: int) -> fm.PlanarModel:
    """Rods of 1 m and 1 kg on hinges, released level."""
    m = fm.PlanarModel("chain", gravity=(0, -9.81))
    end: Any = m.ground
    for k in range(count):
        rod = m.add_body(f"rod{k}", mass=1.0, inertia=1.0 / 12.0, position=(k + 0.5, 0))
        m.revolute(end, rod.attach(f"near{k}", (-0.5, 0)), name=f"hinge{k}")
        end = rod.attach(f"far{k}", (0.5, 0))
    return m


def floating_chain(count: int) -> fm.SpatialModel:
    """Rods of 1 m and 1 kg in free flight, on hinges about z and y in turn."""
    m = fm.SpatialModel("chain")
    end: Any = None
    for k in range(count):
        rod = m.add_body(f"rod{k}", mass=1.0, inertia=(1 / 12, 1 / 12, 0.01), position=(0, 0, k + 0.5))
        if end is not None:
            m.revolute(end, rod.attach(f"near{k}", (0, 0, -0.5)), axis="zy"[k % 2], name=f"hinge{k}")
        end = rod.attach(f"far{k}", (0, 0, 0.5))
    return m


def ring(count: int) -> fm.PlanarModel:
    """A loop of so many bars in the plane, the last one ending on the ground: half of a polygon."""
    m = fm.PlanarModel("ring", gravity=(0, -9.81))
    turn = np.pi / count
    at, end = np.zeros(2), m.ground.attach("start", (0, 0))
    for k in range(count):
        angle = np.pi / 2 - (k + 0.5) * turn
        along = np.array([np.cos(angle), np.sin(angle)])
        bar = m.add_body(f"bar{k}", mass=1.0, inertia=1 / 12, position=tuple(at + 0.5 * along), angle=angle)
        m.revolute(end, bar.attach(f"near{k}", (-0.5, 0)), name=f"hinge{k}")
        end, at = bar.attach(f"far{k}", (0.5, 0)), at + along
    m.revolute(m.ground.attach("end", tuple(at)), end, name="closing")
    return m


def flexible_arm(count: int) -> fm.SpatialModel:
    """Hubs on hinges about z and y in turn, with floating beams between them and a body on a hinge at the end."""
    m, given = fm.SpatialModel("flexible arm", gravity=(0, 1, -9.81)), fm.spatial.BeamProperties(
        EA=1e6, EIy=50.0, EIz=70.0, GJ=30.0, rhoA=0.6, rhoIy=1e-3, rhoIz=2e-3
    )  # fmt: skip
    end: Any = m.ground
    for k in range(count):
        hub = m.add_body(f"hub{k}", mass=0.3, inertia=(0.01, 0.02, 0.03), position=(k, 0, 0))
        m.revolute(end, hub.attach(f"middle{k}", (0, 0, 0)), axis="zy"[k % 2], name=f"hinge{k}")
        root, damping = hub.attach(f"root{k}", (0, 0, 0)), fm.StiffnessProportional(0.01)
        rod = m.add_beam(f"rod{k}", root, (k + 1, 0, 0), properties=given, theory="floating", modes=1, damping=damping)
        end = rod.end
    tip = m.add_body("tip", mass=0.5, inertia=(0.02, 0.01, 0.015), position=(count, 0, 0))
    m.revolute(end, tip.frame, axis=(1, 2, 3), name="wrist")
    return m


def run_of(solve: Any) -> Any:
    """A compiled loop of steps of the method of Fehlberg with a formulation."""
    A, weights = FEHLBERG.a, FEHLBERG.b

    @compiled
    def run(links, room, x, u, tau, wrench, xs, us, ud, h, steps):
        for _ in range(steps):
            for s in range(6):
                xs[6], us[6] = x, u
                for r in range(s):
                    us[6] += h * A[s, r] * ud[r]
                    xs[6] += h * A[s, r] * xs[r]
                us[s] = us[6]
                rates_of(links.joints, xs[6], us[s], xs[s])
                if solve(links, room, xs[6], us[s], tau, wrench, ud[s]) != 0:
                    return
            for s in range(6):
                u += h * weights[s] * ud[s]
                x += h * weights[s] * xs[s]

    return run


#: the loops of formulations, compiled once
_LOOPS = {name: run_of(kind.solve) for name, kind in FORMULATIONS.items()}


def runner(tree: fm.Tree, name: str, block: int | None = None, steps: int = STEPS) -> Callable[[], np.ndarray]:
    """A run of a tree from its start, which returns where it ends."""
    kind = FORMULATIONS[name]
    room = room_with(tree, derived(tree, block, BUDGET)) if name == "hybrid" else kind.room_for(tree)
    loop, wrench, tau = _LOOPS[name], np.zeros((len(tree.links), 6)), np.zeros(tree.nv)
    xs, us, ud = np.zeros((7, tree.nq)), np.zeros((7, tree.nv)), np.zeros((6, tree.nv))

    def run() -> np.ndarray:
        x, u = tree.start()
        if tree.nq > tree.nv:
            u[3:6] = 1.0  # of the floating base, about each axis [rad/s]
        loop(tree.arrays, room, x, u, tau, wrench, xs, us, ud, STEP, steps)
        return x

    return run


def table(trees: dict[int, fm.Tree], ways: dict[str, tuple[str, int | None]], times: int = 6) -> None:
    """Print times [s] of runs by the number of links, and ratios to assembly."""
    print("  links " + "".join(f"{label:>20}" for label in ways))
    for count, tree in trees.items():
        runs: dict[str, tuple[Callable[[], object], int]] = {}
        ends = {}
        for label, (name, block) in ways.items():
            run = runner(tree, name, block)
            ends[label] = runner(tree, name, block, 100)()
            runs[label] = run, 1
        off = max(float(np.max(np.abs(end - ends["ada"]))) for end in ends.values())
        assert off < 1e-7, (count, off)
        found = shortest(runs, times)
        cells = "".join(f"{seconds:13.3f} ({seconds / found['ada']:.2f})" for seconds in found.values())
        print(f"  {count:5d} {cells}", flush=True)


def of_an_arm() -> None:
    """Print the time of accelerations of the 7-joint arm, all of it formulas, and of others, in a compiled loop."""
    tree = fm.Tree.of(arm(7))
    ways = {"aba": ("aba", None), "hybrid, one block": ("hybrid", 7), "hybrid, blocks of 4": ("hybrid", 4),
            "ada": ("ada", None)}  # fmt: skip
    runs: dict[str, tuple[Callable[[], object], int]] = {
        label: (runner(tree, name, block, 100), 600) for label, (name, block) in ways.items()
    }
    found = shortest(runs, 200)
    for label, seconds in found.items():
        print(f"  {label:22}{1e6 * seconds:8.3f} µs{seconds / found['aba']:8.2f} of aba")


def of_runs() -> None:
    """Print the time of runs by `simulate`: a second of the 7-joint arm, half a second of loops; and of long runs of
    the loops what an acceleration takes, with all that a run does besides, and what a run takes before its first
    step."""
    for label, model, end in (("arm", arm(7), 1.0), *((f"loop of {n} bars", ring(n), 0.5) for n in (4, 8))):
        found = _of_the_processor(model, [end], 1e-6, 30)
        print(f"  {label:15}" + "".join(f"{name:>9}{1e3 * seconds[0]:8.1f} ms" for name, seconds in found.items()))
    for count, end in ((4, 8.0), (6, 5.0), (8, 4.0), (12, 3.0)):
        model, cells = ring(count), ""
        for name, (short, long) in _of_the_processor(model, [1e-3, end], 1e-9, 10).items():
            few, many = (_run(model, t, name, 1e-9).statistics.evaluations for t in (1e-3, end))
            cells += f"{name:>9}{1e6 * (long - short) / (many - few):7.2f} µs, {1e3 * short:5.1f} ms before"
        print(f"  loop of {count} bars, each acceleration:{cells}", flush=True)


def _of_the_processor(model: Model, ends: list[float], tolerance: float, times: int) -> dict[str, list[float]]:
    """The shortest times of the processor [s], which other work shares, of runs up to some times by formulations."""
    found = {name: [float("inf")] * len(ends) for name in ("aba", "hybrid", "ada")}
    for _ in range(times):
        for name, shortest_ones in found.items():
            for k, end in enumerate(ends):
                begun = time.process_time()
                _run(model, end, name, tolerance)
                shortest_ones[k] = min(shortest_ones[k], time.process_time() - begun)
    return found


def _run(model: Model, end: float, formulation: str, tolerance: float) -> fm.Solution:
    return fm.simulate(model, end, "dop853", formulation=formulation, tolerance=tolerance, progress=False)


def flexible() -> None:
    """Print the times of accelerations of arms with flexible links, each in a block, or as many as pays."""
    for count in (1, 2, 4, 8):
        tree = fm.Tree.of(flexible_arm(count))
        ways: dict[str, tuple[str, int | None]] = {
            "aba": ("aba", None), "lagrange": ("lagrange", None), "ada": ("ada", None), "hybrid, 1": ("hybrid", 1),
            "hybrid": ("hybrid", None),
        }  # fmt: skip
        runs: dict[str, tuple[Callable[[], object], int]] = {
            label: (runner(tree, name, block, 10), 60) for label, (name, block) in ways.items()
        }
        found = shortest(runs, 60)
        cells = "".join(f"{label:>11}{1e6 * seconds:8.2f} µs" for label, seconds in found.items())
        print(f"  {count} flexible links, {tree.nv} speeds{cells} ({found['hybrid'] / found['aba']:.2f} of aba)")


def sizes() -> None:
    """Print which size of blocks is taken without one, and how its time compares with the best of all that may be."""
    trees: dict[str, Model] = {f"plane, {n}": planar_chain(n) for n in (9, 16, 24)}
    trees |= {f"floating, {n}": floating_chain(n) for n in (9, 16, 24)}
    trees |= {f"arm, {n}": arm(n) for n in (9, 16)}
    trees |= {f"loop, {n}": ring(n) for n in (9, 12, 16)}
    for label, model in trees.items():
        tree = fm.Tree.of(model)
        chosen = derived(tree, None, BUDGET)
        runs: dict[str, tuple[Callable[[], object], int]] = {
            str(size): (runner(tree, "hybrid", size, 10), 60) for size in SIZES
        }
        found = shortest(runs, 40)
        taken = min(SIZES, key=lambda s, t=tree, c=chosen: _off(derived(t, s, BUDGET), c))  # type: ignore[misc]
        cells = "".join(f"{size:>5}{1e6 * found[str(size)]:8.2f} µs" for size in SIZES)
        print(f"  {label:14}{cells}   chosen {taken}: {found[str(taken)] / min(found.values()):.2f} of the best")


def _off(cut: Cut, other: Cut) -> int:
    """How many blocks of two cuts differ."""
    return len({tuple(b.links) for b in cut.blocks} ^ {tuple(b.links) for b in other.blocks})


def deriving() -> None:
    """Print how long a block of four links in space takes: derived and compiled anew, and from the disk."""
    for label, tree, own in (("on the ground", fm.Tree.of(arm(8)), 0), ("floating", fm.Tree.of(arm(9)), 1)):
        links = grown(tree, 4)[own]
        handles = [links[0], links[-1]] if own else [links[-1]]
        structure = of_blocks.structure_of(tree.arrays, links, handles, bool(own))[0]
        begun = time.perf_counter()
        programs = kernels.derive(structure, BUDGET)
        there = time.perf_counter()
        anew = Program(  # with a number of its own, so that no disk has its machine code
            (*programs.forth.statements, ("number", time.time())),
            (*programs.forth.results, ("found", programs.forth.count("found"), len(programs.forth.statements))),
        )
        machine.address_of(anew.text)
        compiled_at = time.perf_counter()
        of_blocks._derived.clear()
        of_blocks.programs_of(structure, BUDGET)
        of_blocks._derived.clear()
        before = time.perf_counter()
        again = of_blocks.programs_of(structure, BUDGET)
        read = time.perf_counter()
        machine._made.clear()
        machine.address_of(again.forth.text)
        machine.address_of(again.back.text)
        end = time.perf_counter()
        seconds = f"derived in {there - begun:.3f} s, compiled in {compiled_at - there:.3f} s"
        disk = f"from the disk: formulas {read - before:.4f} s, machine code {end - read:.4f} s"
        print(f"  {label:14}{programs.operations} operations: {seconds}; {disk}")


def main() -> None:
    """Print all tables."""
    ways: dict[str, tuple[str, int | None]] = {
        "aba": ("aba", None), "lagrange": ("lagrange", None), "ada": ("ada", None), "hybrid, 4": ("hybrid", 4),
        "hybrid, all": ("hybrid", 12),
    }  # fmt: skip
    print("table 4.2, chains in the plane: seconds of 10 s at 1 ms (as part of ada)")
    table({count: fm.Tree.of(planar_chain(count)) for count in PLANAR}, ways)
    ways["hybrid, 3"] = "hybrid", 3
    print("table 4.3, chains floating in space")
    table({count: fm.Tree.of(floating_chain(count)) for count in SPATIAL}, ways)
    ways = {"ada": ("ada", None), "dca": ("dca", None), "hybrid, 4": ("hybrid", 4), "hybrid, all": ("hybrid", 12)}
    print("closed loops in the plane")
    table({count: fm.Tree.of(ring(count)) for count in LOOPS}, ways)
    print("accelerations of the 7-joint arm")
    of_an_arm()
    print("runs by simulate, dop853")
    of_runs()
    print("accelerations of arms with flexible links")
    flexible()
    print("sizes of blocks")
    sizes()
    print("a block of four links in space")
    deriving()


if __name__ == "__main__":
    main()
