"""What a first and a second process cost, with Numba alone and with what flexmb adds to it: processor time and largest
memory of the whole process, without helpers."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import NamedTuple

MECHANISMS = {
    "rigid pendulum, rkf45": """
model = fm.PlanarModel("pendulum", gravity=(0, -9.81))
bob = model.add_body("bob", mass=1.0, inertia=0.1, position=(1, 0))
model.revolute(model.ground, bob.attach("pivot", (-1, 0)))
fm.simulate(model, 0.5, "rkf45", progress=False)
""",
    "beam in the plane, radau": """
model = fm.PlanarModel("pendulum", gravity=(0, -9.81))
rod = model.add_beam("rod", (0, 0), (1, 0), material=plastic, section=fm.Circle(diameter=0.02), modes=2)
model.revolute(model.ground, rod.start)
fm.simulate(model, 0.5, progress=False)["rod.end"].position
""",
    "beam in space, radau": """
model = fm.SpatialModel("pendulum", gravity=(0, 0, -9.81))
rod = model.add_beam("rod", (0, 0, 0), (1, 0, 0), material=plastic, section=fm.Circle(diameter=0.02), modes=2)
model.revolute(model.ground, rod.start, axis="y")
fm.simulate(model, 0.5, progress=False)["rod.end"].position
""",
}
_RUN = """
import resource, sys
import flexmb as fm
plastic = fm.Material(density=1100, youngs_modulus=5e7)
{}
used = resource.getrusage(resource.RUSAGE_SELF)
size = used.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
print(used.ru_utime + used.ru_stime, size)
"""


class Cost(NamedTuple):
    """Processor time [s] and largest memory [MiB] of a process."""

    seconds: float
    memory: float

    def __str__(self) -> str:
        return f"{self.seconds:6.1f} s, {self.memory:4.0f} MiB"


def cost(mechanism: str, cache: str, **settings: str) -> Cost:
    """What a process costs that runs a mechanism, with a folder of its own for kernels."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "FLEXMB_HELPERS": "0", "FLEXMB_LIBRARY": "", **settings}
    command = [sys.executable, "-c", _RUN.format(MECHANISMS[mechanism])]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return Cost(*map(float, done.stdout.split()[-2:]))


def main() -> None:
    """Print a line for each mechanism."""
    for mechanism in MECHANISMS:
        with tempfile.TemporaryDirectory() as cache:
            alone = cost(mechanism, cache, FLEXMB_PLAIN_NUMBA="1")
            first, second = cost(mechanism, cache), cost(mechanism, cache)
        ratios = (
            f"first {first.seconds / alone.seconds:.2f}, second {second.seconds / alone.seconds:.3f} of Numba alone"
        )
        print(f"{mechanism}: Numba alone {alone}; first {first}; second {second}; {ratios}", flush=True)


if __name__ == "__main__":
    main()
