"""From how many links on a second thread pays: accelerations of chains by assembly and disassembly.

Times are the shortest of many calls in turn. With both cores busy otherwise a second thread never pays.
"""

from __future__ import annotations

import sys
from functools import partial

import numpy as np

import flexmb as fm
from flexmb.validation.performance.timing import timed

#: links of the chains, and calls of each formulation
LINKS, CALLS = (30, 100, 200, 300, 500, 1000), 2000


def chain(links: int) -> fm.SpatialModel:
    """Rods of 1 m one below the other, on hinges about x, y and x, y again."""
    m = fm.SpatialModel("chain", gravity=(0, 0, -9.81))
    above = m.ground
    for k in range(links):
        rod = m.add_body(f"rod{k}", mass=1.0, inertia=(0.1, 0.1, 0.05), position=(0, 0, -0.5 - k))
        m.revolute(above, rod.attach(f"rod{k}.top", (0, 0, 0.5)), axis="xy"[k % 2], name=f"hinge{k}")
        above = rod.attach(f"rod{k}.end", (0, 0, -0.5))
    return m


def main(*links: int) -> None:
    """Print the shortest times of one thread and of two, and their ratio."""
    rng = np.random.default_rng(0)
    for count in links or LINKS:
        tree = fm.Tree.of(chain(count))
        x, u = rng.uniform(-1.0, 1.0, count), rng.normal(size=count)
        formulations = [fm.formulation(tree, "ada"), fm.formulation(tree, "ada", threads=2)]
        best = [float("inf")] * 2
        for _ in range(CALLS):
            for k, formulation in enumerate(formulations):
                best[k] = min(best[k], timed(partial(formulation, x, u)))
        one, two = (1e6 * seconds for seconds in best)
        print(f"{count:5d} links: one thread {one:7.1f} µs, two {two:7.1f} µs, {one / two:.2f} times as fast")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
