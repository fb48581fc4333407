"""A ball that bounces on a floor: elastic, with losses, and a single impact at a given restitution."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, cast

import flexmb as fm
from flexmb.validation.references.impacts import Impact, bounce, damping_of, elastic_period
from flexmb.validation.registry import Check, Errors, Record, case

G, MASS, HEIGHT, STIFFNESS = 9.81, 0.5, 0.4, 1e7
#: options of a method, the error of a height [m] with them, and that of the energy [J] that the ledger counts as lost,
#: an integral over the few steps of a touch
METHODS: dict[str, tuple[dict[str, Any], float, float]] = {
    "generalized_alpha": ({}, 3e-4, 3e-4),
    "radau": ({}, 2e-4, 5e-4),
    "independent": ({}, 2e-7, 1e-6),
    "projection": ({}, 1e-6, 3e-4),
    "dop853": ({}, 1e-6, 3e-4),
    "rosenbrock": ({}, 1e-4, 3e-4),
    "generalized_alpha, tolerance 1e-6": ({"tolerance": 1e-6}, 4e-6, 5e-6),
    "radau, tolerance 1e-9": ({"tolerance": 1e-9}, 1e-6, 1e-5),
    "dop853, tolerance 1e-10": ({"tolerance": 1e-10}, 1e-10, 1e-5),
}


def build(gravity: float = G, speed: float = 0.0, height: float = HEIGHT, **law: Any) -> fm.SpatialModel:
    """A ball above a floor, which it comes to with a speed."""
    model = fm.SpatialModel("bouncing ball", gravity=(0.0, 0.0, -gravity))
    round_one = fm.Sphere(diameter=0.1)
    ball = model.add_body("ball", mass=MASS, inertia=(1e-3,) * 3, position=(0.0, 0.0, height + 0.05), shape=round_one)
    ball.frame.move((0.0, 0.0, -speed))
    shapes = fm.HalfSpace("z"), round_one
    model.contact(model.ground, ball.frame, *shapes, name="floor", **{"stiffness": STIFFNESS, **law})
    return model


def orders() -> Iterator[Record]:
    """Orders of methods with fixed steps, where the law is smooth to the third derivative."""
    law = {"exponent": 3.0, "restitution": 0.7, "impact_speed": 2.8}
    tried = ("generalized_alpha", (2e-4, 1e-4), 2.0), ("rkf45", (4e-4, 5e-5), 5.0), ("rosenbrock", (2e-4, 2.5e-5), 3.0)
    for method, steps, order in tried:
        wanted, _ = bounce(MASS, 1e9, 3.0, damping_of(0.7, 2.8), HEIGHT, G, 0.55)
        errors = []
        for step in steps:
            run = fm.simulate(build(stiffness=1e9, **law), 0.55, method=method, step=step, progress=False)
            errors.append(abs(float(run["ball"].z[-1]) - 0.05 - wanted))
        yield Errors(f"{method}, n = 3: height [m]", "step [s]", steps, errors, order)
        found = math.log(errors[0] / errors[1]) / math.log(steps[0] / steps[1])
        why = "errors of touches between steps"
        yield Check(f"{method}, n = 3: order with fixed steps", found, order, 0.4, "the order of the method", why)


@case("bouncing-ball", draw=build)
def compute() -> Iterator[Record]:
    """a ball that bounces: times, heights and losses by quadrature of the law of contact and free flight"""
    period = elastic_period(MASS, STIFFNESS, 1.5, HEIGHT, G)
    for name, (options, error, _) in METHODS.items():
        run = fm.simulate(build(), 3.0 * period, method=name.split(",")[0], progress=False, **options)
        height = float(run["ball"].z[-1]) - 0.05
        # near the highest place the time shows in the speed
        late = -float(run["ball"].vz[-1]) / G
        source, why = "quadrature of the law, free flight", "the tolerance"
        yield Check(f"elastic, {name}: height after three bounces [m]", height, HEIGHT, error, source, why)
        yield Check(f"elastic, {name}: lateness after three bounces [s]", late, 0.0, 3.0 * error, source, why)
        yield Check(f"elastic, {name}: balance of energy", run.energy.error, 0.0, 3.0 * error, "energy is kept", why)
    speed = math.sqrt(2.0 * G * HEIGHT)
    law = {"restitution": 0.7, "impact_speed": speed}
    ends = bounce(MASS, STIFFNESS, 1.5, damping_of(0.7, speed), HEIGHT, G, 1.2)
    for name, (options, error, of_ledger) in METHODS.items():
        run = fm.simulate(build(**law), 1.2, method=name.split(",")[0], progress=False, **options)
        source, why = "DOP853 from touch to touch", "the tolerance"
        height = float(run["ball"].z[-1]) - 0.05
        yield Check(f"with losses, {name}: height [m]", height, ends[0], error, source, why)
        kept = MASS * (0.5 * ends[1] ** 2 + G * (ends[0] - HEIGHT))
        lost = float(run.energy.dissipated[-1])
        yield Check(f"with losses, {name}: lost [J]", lost, -kept, of_ledger, source, "the ledger between steps")
    yield from orders()
    for restitution in (0.05, 0.3, 0.7, 0.95):
        for exponent in (1.0, 1.5, 3.0):
            law = {"restitution": restitution, "impact_speed": 2.0, "exponent": exponent}
            model = build(0.0, 2.0, 0.01, **law)
            d, floor = damping_of(restitution, 2.0), cast(Any, model.components["floor"])
            one = Impact(MASS, STIFFNESS, exponent, d, 2.0)
            tight: dict[str, Any] = {"method": "dop853", "tolerance": 1e-10, "progress": False}
            run = fm.simulate(model, 0.005 + one.duration() + 0.01, **tight)
            after, why = float(run["ball"].vz[-1]), "the tolerance"
            label = f"e = {restitution}, n = {exponent}"
            yield Check(f"{label}: speed that is left", after / 2.0, restitution, 1e-9, "as it was asked for", why)
            yield Check(f"{label}: damping [s/m]", floor.law()[2], d, 1e-11 * d, "integral of the law", "rounding")
            gone = 0.005 + one.duration()  # when it leaves
            height = float(run["ball"].z[-1]) - 0.05
            left = one.speed_after() * (float(run.t[-1]) - gone)
            yield Check(f"{label}: place, 10 ms behind [m]", height, left, 1e-7, "duration by quadrature", why)
