"""Newton's cradle: five steel balls in a row, by Hertz's law."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.validation.references.impacts import equal_balls, row_of_balls
from flexmb.validation.registry import Check, case

STEEL = fm.Material(density=7850, youngs_modulus=210e9, poissons_ratio=0.3)
RADIUS, SPEED, COUNT, T_END = 0.0125, 0.8, 5, 1e-3
MASS = STEEL.density * 4.0 / 3.0 * math.pi * RADIUS**3


def build(space: bool, gap: float) -> fm.PlanarModel | fm.SpatialModel:
    """The balls, with equal gaps between those that rest; the first comes and touches the second at the start."""
    k = fm.hertz(STEEL, STEEL, RADIUS, RADIUS)
    places = 2.0 * RADIUS * np.arange(COUNT) + gap * np.maximum(np.arange(COUNT) - 1, 0)
    if space:
        model = fm.SpatialModel("cradle")
        along = np.array([2.0, 3.0, 6.0]) / 7.0
        balls = [
            model.add_body(f"ball {i}", shape=fm.Sphere(radius=RADIUS), density=STEEL.density, position=x * along)
            for i, x in enumerate(places)
        ]
        balls[0].frame.move(SPEED * along)
        shapes = fm.Sphere(radius=RADIUS), fm.Sphere(radius=RADIUS)
        for i in range(COUNT - 1):
            model.contact(balls[i].frame, balls[i + 1].frame, *shapes, stiffness=k)
        return model
    flat = fm.PlanarModel("cradle")
    disks = [flat.add_body(f"ball {i}", mass=MASS, inertia=1e-6, position=(x, 0.0)) for i, x in enumerate(places)]
    disks[0].frame.move((SPEED, 0.0))
    for i in range(COUNT - 1):
        round_ones = fm.Disk(radius=RADIUS), fm.Disk(radius=RADIUS)
        flat.contact(disks[i].frame, disks[i + 1].frame, *round_ones, stiffness=k)
    return flat


@case("newtons-cradle", draw=lambda: build(True, 0.0))
def compute() -> Iterator[Check]:
    """five balls in a row that hit each other: speeds against the chain in one dimension, momentum, energy"""
    k = equal_balls(STEEL.youngs_modulus, STEEL.poissons_ratio, RADIUS)
    for gap in (0.0, 2e-6):
        wanted = row_of_balls(MASS, k, np.array([0.0, *[gap] * (COUNT - 2)]), SPEED, T_END)
        for space in (False, True):
            for method, options, error in (
                ("generalized_alpha", {"tolerance": 1e-6}, 2e-3),
                ("radau", {"tolerance": 1e-8}, 1e-4),
                ("dop853", {"tolerance": 1e-10}, 1e-5),
            ):
                run = fm.simulate(build(space, gap), T_END, method=method, progress=False, **options)  # type: ignore[arg-type]
                speeds = np.array([float(run[f"ball {i}"].speed[-1]) for i in range(COUNT)])
                moving = [run[f"ball {i}"].velocity[-1] for i in range(COUNT)]
                direction = np.sign([float(v[0]) for v in moving])
                label = f"{'space' if space else 'plane'}, gaps of {1e6 * gap:g} µm, {method}"
                for i in (0, COUNT - 2, COUNT - 1):
                    got = float(speeds[i] * direction[i] / SPEED)
                    source = "the chain in one dimension, DOP853"
                    yield Check(f"{label}: ball {i}", got, float(wanted[i] / SPEED), error, source, "the tolerance")
                total = float(np.linalg.norm(np.sum(moving, axis=0))) / SPEED
                yield Check(f"{label}: momentum", total, 1.0, 1e-11, "it is kept", "rounding")
                energy = float(np.sum(speeds**2)) / SPEED**2
                yield Check(f"{label}: energy", energy, 1.0, 2.0 * error, "it is kept", "the tolerance")
