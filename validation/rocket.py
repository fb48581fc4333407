"""Rockets: a body that loses its mass through a jet climbs, and is damped by the jet where it turns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references import rocket as reference
from flexmb.validation.registry import Check, Errors, Record, case

DRY, FUEL, EXHAUST, RATE, GRAVITY = 20.0, 80.0, 2000.0, 2.0, 9.81
T_BURN, T_END = FUEL / RATE, 45.0
#: a spinning rocket: moment of inertia of its hull [kg m²], speed [rad/s], distance [m] of its nozzle from the middle
HULL, SPEED, AWAY = 5.0, 3.0, 1.5
#: a cylinder of fuel: radius [m], mass by length [kg/m], and the moment of inertia of its hull about a hinge [kg m²]
RADIUS, LENGTHWISE, HINGED = 0.3, 40.0, 200.0
#: methods with `PRECISELY`, and the largest relative errors of them
METHODS, ALLOWED = ("radau", "dop853", "independent"), 1e-9
PRECISELY: dict[str, Any] = {"tolerance": 1e-10, "progress": False}


def build(gravity: float = GRAVITY, spin: float = 0.0, axis: str = "z", **options: Any) -> fm.SpatialModel:
    """A rocket that climbs along its x-axis against gravity, whose tank is in its middle; `spin` about an axis."""
    model = fm.SpatialModel("rocket", gravity=(-gravity, 0.0, 0.0))
    hull = model.add_body("hull", mass=DRY, inertia=(HULL, HULL, HULL))
    hull.move(angular_velocity=spin * np.array([axis == "x", False, axis == "z"]))
    tank = model.add_tank("tank", hull.frame, FUEL, **options)
    nozzle = hull.attach("nozzle", (-AWAY, 0.0, 0.0))
    always = fm.control.Reference(1.0)
    model.thruster(nozzle, RATE * EXHAUST, always, opens=0.5, exhaust=EXHAUST, tank=tank, name="jet")
    return model


def swung() -> fm.SpatialModel:
    """A cylinder that burns from its free end, on a hinge at the other one, where it turns across its axis."""
    model = fm.SpatialModel("cylinder on a hinge")
    hull = model.add_body("hull", mass=DRY, inertia=(HULL, HINGED, HINGED))
    hull.move(angular_velocity=(0.0, 0.0, SPEED))
    model.revolute(model.ground, hull.frame, axis="z", name="hinge")
    across = fm.Polynomial([0.0, RADIUS**2 / 4.0, 0.0, 1.0 / (12.0 * LENGTHWISE**2)])
    tank = model.add_tank(
        "fuel", hull.frame, FUEL, center=(fm.Polynomial([0.0, -0.5 / LENGTHWISE]), 0.0, 0.0),
        inertia=(fm.Polynomial([0.0, RADIUS**2 / 2.0]), across, across),
    )  # fmt: skip
    nozzle = hull.attach("nozzle", (-FUEL / LENGTHWISE, 0.0, 0.0))
    always = fm.control.Reference(1.0)
    model.thruster(nozzle, RATE * EXHAUST, always, opens=0.5, exhaust=EXHAUST, tank=tank, name="jet")
    return model


@case("rocket", draw=build)
def compute() -> Iterator[Record]:
    """a rocket loses its mass: Tsiolkovsky's equation, jet damping, and a cylinder that burns from its end"""
    first, source = DRY + FUEL, "Tsiolkovsky's equation"
    v, z = reference.climb(first, DRY, EXHAUST, RATE, GRAVITY)
    after = T_END - T_BURN
    speed, height = v - GRAVITY * after, z + v * after - 0.5 * GRAVITY * after**2
    for method in METHODS:
        run = fm.simulate(build(), T_END, method, **PRECISELY)
        why = "ten times the tolerance"
        yield Check(f"{method}: speed at the end [m/s]", run["hull.vx"][-1], speed, ALLOWED * speed, source, why)
        yield Check(f"{method}: height [m]", run["hull.x"][-1], height, ALLOWED * height, source, why)
        when = run.events[-1].t
        yield Check(f"{method}: the tank is empty at [s]", when, T_BURN, 1e-8, "m/μ", "the event is found so")
        yield Check(f"{method}: balance of energy", run.energy.error, 0.0, 1e-8, "what leaves is input", "quadrature")
    steps, errors = (0.2, 0.1), []
    for step in steps:
        run = fm.simulate(build(), T_END, step=step, progress=False, second_run=False)
        errors.append(abs(run["hull.vx"][-1] - speed))
    yield Errors("generalized_alpha: speed [m/s]", "step [s]", steps, errors, 2.0)
    order = float(np.log2(errors[0] / errors[1]))
    yield Check("generalized_alpha: measured order", order, 2.0, 0.1, "theory", "higher terms")
    third, half = FUEL * AWAY**2 / 3.0, FUEL * RADIUS**2 / 2.0
    source, why = "balance of angular momentum", "ten times the tolerance"
    turning = {"x": (half, 0.0), "z": (third, AWAY)}
    for axis, (full, away) in turning.items():
        model = build(0.0, SPEED, axis, inertia=(half, third, third))
        run = fm.simulate(model, T_END, "radau", **PRECISELY)

        def about_axis(m: float, full: float = full) -> float:
            return HULL + full * m / FUEL

        wanted = SPEED * reference.spin(about_axis, FUEL, 0.0, away)
        label = f"spin about the {'jet' if axis == 'x' else 'axis across it'} [rad/s]"
        yield Check(label, run[f"hull.w{axis}"][-1], wanted, ALLOWED * wanted, source, why)

    def about_hinge(m: float) -> float:
        return HINGED + m * RADIUS**2 / 4.0 + m**3 / (3.0 * LENGTHWISE**2)

    wanted = SPEED * reference.spin(about_hinge, FUEL, 0.0, FUEL / LENGTHWISE)
    for formulation in (None, "aba", "dca"):
        run = fm.simulate(swung(), T_END, "dop853", formulation=formulation, **PRECISELY)
        label = f"cylinder that burns from its end, {formulation or 'absolute coordinates'} [rad/s]"
        yield Check(label, run["hull.wz"][-1], wanted, ALLOWED * wanted, source, why)
