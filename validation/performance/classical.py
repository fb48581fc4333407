"""Times of one call by every formulation that takes a chain of hinged bodies, over the number of bodies, beside
articulated bodies; and by which power of that number they grow.

The classical ones are NumPy, as near to their papers as it goes, and no contest: the powers show what each eliminates.
"""

from __future__ import annotations

import time

import numpy as np

import flexmb as fm
from flexmb.formulations.papers import CLASSICAL
from flexmb.machine.threads import one_thread

#: numbers of bodies, and for how long each is called [s]
COUNTS, LONG = (3, 10, 30, 100), 0.5


def build(count: int) -> fm.SpatialModel:
    """A chain of so many bodies on hinges whose axes turn from one to the next."""
    m = fm.SpatialModel("chain", gravity=(0, 0, -9.81))
    at = m.ground
    for k in range(count):
        link = m.add_body(f"b{k}", mass=1.0, inertia=(0.1, 0.12, 0.05), position=(0, 0, 0.3 * k + 0.15))
        m.revolute(at, link.attach(f"low{k}", (0, 0, -0.15)), axis="zy"[k % 2], name=f"h{k}")
        at = link.attach(f"high{k}", (0, 0, 0.15))
    return m


def seconds(name: str, count: int) -> float:
    """The shortest time of a call [s]."""
    tree = fm.Tree.of(build(count))
    formulation = fm.formulation(tree, name)
    q, v = np.linspace(0.5, -0.4, tree.nv), np.linspace(-1.0, 1.0, tree.nv)
    formulation(q, v)
    best, end = np.inf, time.perf_counter() + LONG
    while time.perf_counter() < end:
        begun = time.perf_counter()
        formulation(q, v)
        best = min(best, time.perf_counter() - begun)
    return best


@one_thread
def main() -> None:
    """Print the table."""
    print(f"| [ms] | {' | '.join(f'{count} bodies' for count in COUNTS)} | order |")
    print(f"|---|{'---|' * len(COUNTS)}---|")
    for name in ("aba", "lagrange", *CLASSICAL):
        times = [seconds(name, count) for count in COUNTS]
        order = np.log(times[-1] / times[-2]) / np.log(COUNTS[-1] / COUNTS[-2])
        print(f'| `"{name}"` | {" | ".join(f"{1e3 * t:.3g}" for t in times)} | {order:.1f} |')


if __name__ == "__main__":
    main()
