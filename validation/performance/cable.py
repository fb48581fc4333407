"""Hinged ANCF cable pendulum: the same discretisation here and in Exudyn, 16 to 1024 elements, 200 steps of 1 ms."""

from __future__ import annotations

import tracemalloc

import numpy as np

import flexmb as fm
from flexmb.validation.performance import peer_exudyn

ELEMENTS = (16, 64, 256, 1024)
#: Newton methods and relative tolerances of the peer; at 1e-8 modified Newton takes minutes from 256 elements on
PEER_SETTINGS = (("modified", 1e-4), ("modified", 1e-6), ("full", 1e-4))


def build(elements: int) -> fm.PlanarModel:
    """Length 2 m, diameter 10 mm, E = 2e9 Pa, ρ = 7850 kg/m³, released level."""
    model = fm.PlanarModel("cable pendulum", gravity=(0.0, -9.81))
    material, section = fm.Material(density=7850.0, youngs_modulus=2e9), fm.Circle(0.01)
    cable = model.add_beam("cable", (0, 0), (2, 0), material=material, section=section, theory="ancf", elements=elements)
    model.revolute(model.ground, cable.start, name="hinge")
    return model


def main() -> None:
    """Print time per element and step, tip positions, ratios and memory."""
    for elements in ELEMENTS:
        model = build(elements)
        runs = [fm.simulate(model, 0.2, step=1e-3, progress=False) for _ in range(3)]
        ours = min(run.statistics.seconds for run in runs)
        tip = runs[0]["cable@1"].position[-1]
        tracemalloc.start()
        fm.simulate(model, 0.2, step=1e-3, save_every=200, progress=False)
        memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(
            f"{elements:5d} elements: flexmb {1e6 * ours / 200 / elements:.2f} µs per element and step, tip "
            f"({tip[0]:.7f}, {tip[1]:.7f}), {memory / elements / 1e3:.1f} kB per element"
        )
        best = float("inf")
        for newton, tolerance in PEER_SETTINGS:
            position, theirs = peer_exudyn.cable_pendulum(elements, newton, tolerance)
            apart = float(np.max(np.abs(position - tip)))
            good = apart < 1e-5
            best = min(best, theirs if good else best)
            print(
                f"      Exudyn {newton} Newton, {tolerance:g}: {1e6 * theirs / 200 / elements:.2f} µs, tip apart {apart:.1e} m"
                f"{'' if good else ' (not equal to 1e-5)'}, {theirs / ours:.1f} times as long"
            )
        print(f"      against its fastest that agrees: {best / ours:.1f} times as fast")


if __name__ == "__main__":
    main()
