"""What files and pages of solutions cost: processor time, size, and the time in which this disk takes so much.

A file of a solution has the tracks and energies of its model, so that it can be read without it: its size is not that
of the coordinates alone. What a solution made for one file or page, as the inside of long steps, is kept for the next.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.examples import bicycle, pendulum

#: numbers that are written to measure the disk, and calls of which the shortest counts
NUMBERS, CALLS = 4_000_000, 3


def chain() -> fm.SpatialModel:
    """Six soft beams in space, one behind the other."""
    m = fm.SpatialModel("chain of beams", gravity=(0.0, 0.0, -9.81))
    rubber, at = fm.Material(density=1100, youngs_modulus=5e7, poissons_ratio=0.3), m.ground
    rod = fm.Circle(diameter=0.05)
    for k in range(6):
        beam = m.add_beam(f"beam {k}", (k, 0, 0), (k + 1, 0, 0), material=rubber, section=rod, modes=2)
        m.spherical(at, beam.start)
        at = beam.end
    return m


def solutions() -> dict[str, fm.Solution]:
    """Runs of several kinds: with long steps whose inside is repeated, with short ones, and with beams in space."""
    return {
        "bicycle": fm.simulate(bicycle.build(bicycle.SPEED, bicycle.PUSH), 5.0, "dop853", tolerance=1e-9),
        "pendulum": fm.simulate(pendulum.build(), 5.0),
        "chain of beams": fm.simulate(chain(), 1.0, tolerance=1e-4),
    }


def shortest(run: Callable[[], Any]) -> float:
    """The shortest processor time of some calls [s]."""
    times = []
    for _ in range(CALLS):
        begun = time.process_time()
        run()
        times.append(time.process_time() - begun)
    return min(times)


def disk(folder: Path) -> float:
    """Bytes that the disk takes in a second."""
    numbers = np.random.default_rng(0).random(NUMBERS)
    begun = time.perf_counter()
    numbers.tofile(folder / "numbers")
    return numbers.nbytes / (time.perf_counter() - begun)


def measure(title: str, solution: fm.Solution, folder: Path, speed: float) -> None:
    """Print what file and page of a solution cost."""
    file, page = folder / "run.h5", folder / "page.html"
    save, load = shortest(lambda: solution.save(file)), shortest(lambda: fm.load(file))
    view = shortest(lambda: solution.view().html(page))
    for what, path, costs in (
        ("file", file, f"save {1e3 * save:.0f} ms  load {1e3 * load:.0f} ms"),
        ("page", page, f"write {1e3 * view:.0f} ms"),
    ):
        size = path.stat().st_size
        print(f"{title:16s}{what} {1e-6 * size:6.2f} MB, disk {1e3 * size / speed:4.0f} ms:  {costs}", flush=True)


def main() -> None:
    """Print the lines of all solutions."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        speed = disk(folder)
        print(f"disk {1e-6 * speed:.0f} MB/s")
        for title, solution in solutions().items():
            measure(title, solution, folder, speed)


if __name__ == "__main__":
    main()
