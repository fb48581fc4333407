"""Hinged ANCF cable in space, here and in Exudyn, 16 to 1024 elements, 200 steps of 1 ms: the same discretization, and
Exudyn's reduced integrations where their tips agree to 1e-5 m."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.performance import peer_exudyn_space

ELEMENTS = (16, 64, 256, 1024)
#: tips that are nearer to each other than this [m] agree
AGREE = 1e-5
#: settings of the peer; the quickest of those whose tips agree counts, of which three are measured again
PEERS: list[dict[str, Any]] = [
    {"integration": integration, "newton": newton, "criterion": criterion}
    for integration, newton, criterion in itertools.product(
        (0, 1, 2), ("modified", "per_step", "full"), ("increment", "residual")
    )
]


def build(elements: int) -> fm.SpatialModel:
    """Length 2 m, diameter 10 mm, E = 2e9 Pa, ρ = 7850 kg/m³, on a ball joint, released level; gravity is askew."""
    model = fm.SpatialModel("cable pendulum", gravity=peer_exudyn_space.GRAVITY)
    material, section = fm.Material(density=7850.0, youngs_modulus=2e9), fm.Circle(diameter=0.01)
    cable = model.add_beam(
        "cable", (0, 0, 0), (2, 0, 0), material=material, section=section, theory="ancf", elements=elements
    )
    model.spherical(model.ground, cable.start, name="ball")
    return model


def main() -> None:
    """Print time per element and step, tip positions and ratios."""
    for elements in ELEMENTS:
        model: Any = build(elements)

        def ours(model: fm.SpatialModel = model) -> fm.Solution:
            return fm.simulate(model, 0.2, step=1e-3, progress=False, second_run=False)

        tip = ours()[model.components["cable"].at(1.0)].position[-1]
        found = []
        for settings in PEERS:
            position, seconds = peer_exudyn_space.cable_pendulum(elements, **settings)
            found.append((seconds, float(np.max(np.abs(position - tip))), settings))
        near = sorted((x for x in found if x[1] < AGREE), key=lambda x: x[0])[:3]
        mine, theirs = [], [float("inf")] * len(near)
        for _ in range(5):  # the two codes in turn
            mine.append(ours().statistics.seconds)
            for k, (_, _, settings) in enumerate(near):
                theirs[k] = min(theirs[k], peer_exudyn_space.cable_pendulum(elements, **settings)[1])
        best = int(np.argmin(theirs))
        scale = 1e6 / 200 / elements
        print(
            f"{elements:5d} elements: flexmb {scale * min(mine):.2f} µs per element and step, tip "
            f"({', '.join(f'{x:.7f}' for x in tip)}); Exudyn {scale * theirs[best]:.2f} µs with {near[best][2]}, tip "
            f"apart {near[best][1]:.1e} m; flexmb {theirs[best] / min(mine):.1f} times as fast",
            flush=True,
        )
        for integration in (0, 1, 2):
            apart = min(x[1] for x in found if x[2]["integration"] == integration)
            print(f"      integration {integration}: tip apart {apart:.1e} m")


if __name__ == "__main__":
    main()
