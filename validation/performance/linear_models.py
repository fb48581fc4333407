"""What linear models cost: of a bicycle in steady motion, of chains with more and more coordinates, and a Campbell
diagram of a shaft of forty exact beam elements at twenty speeds; processor time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.examples import bicycle

#: bodies of the chains, of three coordinates each; elements of the shaft, and its speeds [rad/s]
BODIES, ELEMENTS, SPEEDS = (4, 34, 340), 40, np.linspace(0.0, 200.0, 20)


def chain(count: int) -> fm.PlanarModel:
    """Bodies in a row on springs."""
    m = fm.PlanarModel(f"chain of {count} bodies")
    before: Any = m.ground
    for k in range(count):
        body = m.add_body(f"body {k}", mass=1.0, inertia=0.1, position=(k + 1.0, 0.0))
        m.bushing(before, body.frame, stiffness=(100.0, 100.0, 10.0), damping=(1.0, 1.0, 0.1))
        before = body.frame
    return m


def shaft(speed: float) -> fm.SpatialModel:
    """A shaft in two bearings, with a disk in its middle, that a drive turns at a speed [rad/s]."""
    m = fm.SpatialModel("shaft")
    steel, rod = fm.Material(density=7850, youngs_modulus=2e11, poissons_ratio=0.3), fm.Circle(diameter=0.02)
    beam = m.add_beam("shaft", (0, 0, 0), (0, 0, 1), material=steel, section=rod, theory="exact", elements=ELEMENTS)
    m.revolute(m.ground, beam.start, axis="z")
    m.drive_angle(m.ground, beam.start, fm.Polynomial([0.0, speed]), axis="z")
    m.bushing(m.add_frame("bearing", (0, 0, 1), fixed=True), beam.end, stiffness=(1e8, 1e8, 0.0, 0.0, 0.0, 0.0))
    disk = m.add_body("disk", mass=2.0, inertia=(0.01, 0.01, 0.02), position=(0, 0, 0.5))
    m.weld(beam.at(0.5), disk.frame)
    return m


def shortest(run: Callable[[], Any], calls: int) -> float:
    """The shortest processor time of some calls [s]."""
    times = []
    for _ in range(calls):
        begun = time.process_time()
        run()
        times.append(time.process_time() - begun)
    return min(times)


def main() -> None:
    """Print the lines."""
    ridden = bicycle.build(5.0)
    state = fm.assemble(ridden)
    for about, name in ((ridden, "of a model"), (state, "of a state")):
        steady = shortest(lambda: fm.linearize(about, "frame.mx", ["steering.angle"], steady=True), 10)  # noqa: B023
        instant = shortest(lambda: fm.linearize(about, "frame.mx", ["steering.angle"], steady=False), 10)  # noqa: B023
        print(f"bicycle, {name}: steady {1e3 * steady:.1f} ms, of an instant {1e3 * instant:.1f} ms", flush=True)
    for count in BODIES:
        m = chain(count)
        took = shortest(lambda: fm.linearize(m, "body 0.fx", ["body 1.x"]), 3)  # noqa: B023
        print(f"chain of {3 * count} coordinates: {1e3 * took:.1f} ms", flush=True)
    took = shortest(lambda: fm.campbell(shaft, SPEEDS, 6), 1)
    print(f"Campbell diagram of {ELEMENTS} exact elements at {len(SPEEDS)} speeds: {took:.2f} s", flush=True)


if __name__ == "__main__":
    main()
