"""The reduction of a large compact body: seconds of this process, and the memory that it needs.

A cube of 8-node bricks is the hardest body of its size: nowhere is it thin. It is held at one face, and reduced with
20 modes. Wanted on two cores: 100 000 coordinates in 60 s and 2.5 GiB; of a bar 20 times as long as wide 300 000 in
60 s and 4 GiB.

That bar, 17 bricks along an edge, has 331 452 coordinates and takes 82 s of one processor and 4.3 GiB; with a length of
18 edges, 298 404 coordinates, 77 s and 3.9 GiB; the cube 34 s and 1.8 GiB.

python -m flexmb.validation.performance.body_reduction [bricks along an edge, 31] [length of the bar in edges, 1]
"""

from __future__ import annotations

import resource
import sys
import time
import warnings
from typing import Any

import numpy as np

import flexmb as fm
from flexmb import bodies

#: bricks along each edge: 98 304 coordinates
BRICKS, MODES = 31, 20


def bar(bricks: int, length: int) -> Any:
    """A mesh of a square bar with an edge of 1 m."""
    import skfem

    edge = np.linspace(0.0, 1.0, bricks + 1)
    return skfem.MeshHex.init_tensor(edge, edge, np.linspace(0.0, length, length * bricks + 1))


def measured(bricks: int = BRICKS, length: int = 1) -> tuple[int, float, float, float]:
    """Coordinates, seconds of processors, seconds of the clock, and memory [GiB] of a reduction."""
    steel = fm.Material(density=7850.0, youngs_modulus=205e9)
    clock, processor = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.AccuracyWarning)  # elements of the first order
        body = bodies.from_mesh(
            bar(bricks, length), steel, interfaces={"base": bodies.on_plane((0, 0, 0), (0, 0, 1))}, modes=MODES, order=1
        )
    took = time.process_time() - processor, time.perf_counter() - clock
    print(body.report)
    return (
        3 * (bricks + 1) ** 2 * (length * bricks + 1),
        *took,
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    )


def main() -> None:
    """Print the numbers of the size given."""
    coordinates, processor, clock, memory = measured(*(int(x) for x in sys.argv[1:3]))
    print(f"{coordinates} coordinates: {processor:.1f} s of processors, {clock:.1f} s of the clock, {memory:.2f} GiB")


if __name__ == "__main__":
    main()
