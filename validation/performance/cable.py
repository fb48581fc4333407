"""Hinged ANCF cable pendulum: the same discretization here and in Exudyn, 16 to 1024 elements, 200 steps of 1 ms."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.performance import peer_exudyn

ELEMENTS = (16, 64, 256, 1024)
#: settings of the peer: the fastest ones with errors below 1e-5 m and 1e-6 m, and full Newton. (With its default
#: criterion, a residual in newtons, a relative tolerance of 1e-8 takes minutes from 256 elements on.)
PEERS: dict[str, dict[str, Any]] = {
    "modified Newton, increment, 1e-4": peer_exudyn.CABLE_FASTEST,
    "modified Newton, residual, 1e-4": peer_exudyn.CABLE_FASTEST_1E6,
    "full Newton, residual, 1e-4": {"newton": "full", "tolerance": 1e-4},
}


def build(elements: int) -> fm.PlanarModel:
    """Length 2 m, diameter 10 mm, E = 2e9 Pa, ρ = 7850 kg/m³, released level."""
    model = fm.PlanarModel("cable pendulum", gravity=(0.0, -9.81))
    material, section = fm.Material(density=7850.0, youngs_modulus=2e9), fm.Circle(diameter=0.01)
    cable = model.add_beam(
        "cable", (0, 0), (2, 0), material=material, section=section, theory="ancf", elements=elements
    )
    model.revolute(model.ground, cable.start, name="hinge")
    return model


def main() -> None:
    """Print time per element and step, tip positions, ratios and memory."""
    for elements in ELEMENTS:
        model = build(elements)

        def ours(model: fm.PlanarModel = model) -> fm.Solution:
            return fm.simulate(model, 0.2, step=1e-3, progress=False, second_run=False)

        tip = ours()["cable@1"].position[-1]
        tracemalloc.start()
        fm.simulate(model, 0.2, step=1e-3, save_every=200, progress=False, second_run=False)
        memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        best = {}
        for label, settings in PEERS.items():
            our_times, peer_times = [], []
            for _ in range(3):  # the two codes in turn
                our_times.append(ours().statistics.seconds)
                position, seconds = peer_exudyn.cable_pendulum(elements, **settings)
                peer_times.append(seconds)
            difference = float(np.max(np.abs(position - tip)))
            best[label] = (min(our_times), min(peer_times), difference)
        our_time = min(row[0] for row in best.values())
        print(
            f"{elements:5d} elements: flexmb {1e6 * our_time / 200 / elements:.2f} µs per element and step, tip "
            f"({tip[0]:.7f}, {tip[1]:.7f}), {memory / elements / 1e3:.1f} kB per element"
        )
        for label, (mine, theirs, difference) in best.items():
            print(
                f"      Exudyn {label}: {1e6 * theirs / 200 / elements:.2f} µs, tip apart {difference:.1e} m, "
                f"flexmb {theirs / mine:.1f} times as fast"
            )


if __name__ == "__main__":
    main()
