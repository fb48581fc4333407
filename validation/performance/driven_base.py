"""An arm on a base whose motion is prescribed, beside the same arm on the ground: steps, and time of a step.

Prescribed motion is rows of drives: in absolute coordinates six coordinates and six rows more, in joint coordinates
rows beyond those of the tree. The ratio of the times of a step says what they cost; the moving arm moves otherwise, and
takes other steps.
"""

from __future__ import annotations

import sys
from itertools import product
from typing import Any

import flexmb as fm
from flexmb.validation.performance.arm import GRAVITY, INERTIA, LENGTH, MASS, axis

#: links, simulated time [s], and runs of each
LINKS, SPAN, TURNS = 6, 10.0, 5
#: methods and coordinates of the runs
METHODS = ("radau", "generalized_alpha")
FORMULATIONS: dict[str, dict[str, Any]] = {"absolute": {}, "aba": {"formulation": "aba"}}
BASES = ("ground", "hinge", "moving")


def arm(base: str) -> fm.SpatialModel:
    """The arm with springs in its hinges, on the `ground`, on a base in a driven `hinge`, or on a `moving` one, which
    is shifted and turned in all directions."""
    m = fm.SpatialModel(f"arm on {base}", gravity=(3.0, 5.0, GRAVITY[2]))
    at: Any = m.ground
    if base != "ground":
        body = m.add_body("base", mass=20.0, inertia=(2.0, 2.0, 2.0))
        at = body.frame
    if base == "hinge":
        m.drive_joint(m.revolute(m.ground, at, axis="z", name="turntable"), fm.Harmonic(0.3, 2.0), name="drive")
    if base == "moving":
        place = fm.Harmonic(0.1, 2.0), fm.Harmonic(0.05, 3.0), fm.Harmonic(0.05, 2.5)
        m.drive_position(m.ground, at, place, name="move")
        turn = fm.Harmonic(0.1, 2.0), fm.Harmonic(0.1, 1.5), fm.Harmonic(0.2, 1.0)
        m.drive_rotation(m.ground, at, turn, sequence="xyz", name="turn")
    for k in range(LINKS):
        link = m.add_body(f"link {k}", mass=MASS, inertia=INERTIA, position=(0.0, 0.0, (k + 0.5) * LENGTH))
        low = link.attach(f"low {k}", (0.0, 0.0, -0.5 * LENGTH))
        m.revolute(at, low, axis=axis(k), name=f"hinge {k}")
        m.torsion_spring(at, low, axis=axis(k), stiffness=30.0, damping=2.0, name=f"spring {k}")
        at = link.attach(f"high {k}", (0.0, 0.0, 0.5 * LENGTH))
    return m


def main(turns: int = TURNS) -> None:
    """Print steps and the shortest time of a step of several runs in turn, as parts of those on the ground."""
    for method, (formulation, options) in product(METHODS, FORMULATIONS.items()):
        best, steps = dict.fromkeys(BASES, float("inf")), dict.fromkeys(BASES, 0)
        for _ in range(turns):
            for base in BASES:
                statistics = fm.simulate(arm(base), SPAN, method, progress=False, **options).statistics
                steps[base] = statistics.steps
                best[base] = min(best[base], 1e6 * statistics.seconds / statistics.steps)
        for base in BASES:
            print(
                f"{method:17s} {formulation:8s} {base:6s} {steps[base]:6d} steps "
                f"({steps[base] / steps['ground']:.2f}), {best[base]:5.1f} µs a step "
                f"({best[base] / best['ground']:.2f})"
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
