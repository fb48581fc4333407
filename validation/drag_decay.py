"""A plate across a flow loses its speed; sunlight pushes a sail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.registry import Check, Errors, Record, case

MASS, AREA, DENSITY, ACROSS, SKIN, SPEED, T_END = 2.0, 4.0, 0.5, 2.0, 0.3, 10.0, 5.0
SUN, MIRROR, PRESSURE = np.radians(40.0), 0.8, 4.56e-6


def build(**law: Any) -> fm.SpatialModel:
    """A plate that moves along its normal, through air at rest."""
    model = fm.SpatialModel("plate")
    plate = model.add_body("plate", mass=MASS, inertia=(1.0, 1.0, 2.0))
    plate.move((0.0, 0.0, SPEED))
    model.drag(plate.frame, AREA, density=DENSITY, **law)
    return model


@case("drag-decay", draw=build)
def compute() -> Iterator[Record]:
    """the speed of a plate across a flow, of a ball, and of a sail in sunlight, in closed form"""
    source = "m v̇ = −½ ϱ A c v²"
    for what, law in (("plate", {"square": ACROSS}), ("ball", {"square": 0.0, "skin": SKIN})):
        k = 0.5 * DENSITY * AREA * sum(law.values()) / MASS
        v, z = SPEED / (1.0 + k * SPEED * T_END), np.log(1.0 + k * SPEED * T_END) / k
        for method, tolerance, allowed in (("radau", 1e-9, 1e-7), ("dop853", 1e-10, 1e-8)):
            run = fm.simulate(build(**law), T_END, method, tolerance=tolerance, progress=False)
            why = f"tolerance {tolerance:g}"
            yield Check(
                f"{what}, {method}: speed after {T_END:g} s [m/s]", run["plate.vz"][-1], v, allowed, source, why
            )
            yield Check(f"{what}, {method}: way [m]", run["plate.z"][-1], z, 10.0 * allowed, source, why)
        lost = 0.5 * MASS * (SPEED**2 - v**2)
        yield Check(f"{what}: energy lost [J]", run.energy.dissipated[-1], lost, 1e-4, source, "quadrature over steps")
    steps, errors = (2e-2, 1e-2), []
    wanted = SPEED / (1.0 + 0.5 * DENSITY * AREA * ACROSS / MASS * SPEED * T_END)
    for step in steps:
        run = fm.simulate(build(square=ACROSS), T_END, step=step, progress=False, second_run=False)
        errors.append(abs(run["plate.vz"][-1] - wanted))
    yield Errors("generalized_alpha: speed [m/s]", "step [s]", steps, errors, 2.0)
    order = float(np.log2(errors[0] / errors[1]))
    yield Check("generalized_alpha: measured order", order, 2.0, 0.1, "theory", "higher terms")
    sail = fm.SpatialModel("sail")
    hull = sail.add_body("sail", mass=MASS, inertia=(1.0, 1.0, 2.0))
    sail.solar_pressure(hull.frame, AREA, sun=(np.sin(SUN), 0.0, np.cos(SUN)), mirror=MIRROR, pressure=PRESSURE)
    run = fm.simulate(sail, 1e5, "dop853", progress=False)
    push = PRESSURE * AREA * np.cos(SUN) / MASS * 1e5
    for name, wanted in (
        ("vx", -push * (1.0 - MIRROR) * np.sin(SUN)),
        ("vz", -push * (1.0 + MIRROR) * np.cos(SUN)),
    ):
        yield Check(
            f"sail in sunlight: {name} after 10⁵ s [m/s]", run[f"sail.{name}"][-1], wanted, 1e-9,
            "momentum of the light, absorbed and mirrored", "round-off",
        )  # fmt: skip
